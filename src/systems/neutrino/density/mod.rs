//! Memory accesses over time (DMAT): records that hold an address and a time, counted by page and clock while the file is
//! read in pieces; and the counts that the tool itself makes of them (`.dmat`).

mod export;
mod feed;

pub(super) use export::DMAT_CSV;

use super::folder::Folder;
use crate::analysis::contract::{Analysis, AnalysisInput, ComputedFigure};
use crate::base::job::{Job, Turn};
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::input::{ReadError, Source, read_range};
use crate::model::Trace;
use crate::model::figure::{Body, Facts, Figure};
use crate::model::parameter::{Parameter, ParameterKind};
use crate::systems::neutrino::folder::Allocation;
use crate::systems::neutrino::result::{Field, Role};
use crate::views::density::compute::{
    Counter, Density, PAGE_SIZES, PerWarp, Region, Window, all_facts, histogram, over_time, page_shift,
    per_warp,
};
use feed::{Feed, Input, halves};
use std::any::Any;
use std::rc::Rc;

/// The analysis.
pub(super) static ANALYSIS: Analysis = Analysis {
    id: "neutrino-density",
    title: phrase("Memory accesses over time"),
    parameters: &[&PAGE_SIZE, &TIME, &BLOCKS, &WARPS],
    applies: |trace| trace.extensions.get::<Folder>().is_some_and(|folder| feed::Input::of(folder).is_some()),
    tap: None,
    start: Some(|input, trace| start(input, trace, None)),
    add_tracks: None,
    faults: None,
    figures,
    advice: None,
    is_comparable: true,
};

/// Bytes of a page.
static PAGE_SIZE: Parameter = Parameter {
    id: "page-size",
    title: phrase("Page size"),
    help: phrase("bytes per page"),
    kind: ParameterKind::Choice(PAGE_SIZES),
    rereads: false,
};

/// What the time of an access is.
static TIME: Parameter = Parameter {
    id: "access-time",
    title: phrase("Access time"),
    help: phrase("as recorded, since the first access of each thread, or on the GPU-wide clock"),
    kind: ParameterKind::Choice(&[
        ("recorded", phrase("As recorded")),
        ("thread", phrase("Since first access")),
        ("timer", phrase("Global timer")),
    ]),
    rereads: false,
};

/// The blocks whose accesses count.
static BLOCKS: Parameter = Parameter {
    id: "access-blocks",
    title: phrase("Thread blocks"),
    help: phrase("blocks to count, such as 0-131,200; empty for all"),
    kind: ParameterKind::Text,
    rereads: false,
};

/// The warps of a block whose accesses count.
static WARPS: Parameter = Parameter {
    id: "access-warps",
    title: phrase("Warps"),
    help: phrase("warps of a block to count, such as 0-3; empty for all"),
    kind: ParameterKind::Text,
    rereads: false,
};

/// Begins to count all records, or those of a window.
fn start(input: &AnalysisInput, trace: Rc<Trace>, window: Option<Window>) -> Job<Box<dyn Any>> {
    let folder = input.trace.extensions.get::<Folder>();
    let feed = folder.and_then(|folder| Feed::new(folder, input.values));
    let asked = page_shift(input.values.text(PAGE_SIZE.id));
    // A window has the pages of all.
    let known = input.result::<Density>().filter(|_| window.is_some());
    let begun = feed.map(|feed| {
        let counter = match feed {
            Feed::Records(..) => {
                let regions = folder.map_or_else(Vec::new, regions);
                let regions = regions.iter().map(|region| (region.start, region.bytes));
                Counter::new(0, true, window).split_by(regions).fitting(asked, known)
            }
            // Counts are of whole pages.
            Feed::Counts(_) => Counter::new(PAGE_SHIFT, false, window).fitting(asked, known),
        };
        (feed, counter)
    });
    Job::any(async move |turn| match trace.extensions.get::<Folder>().zip(begun) {
        Some((folder, begun)) => count(folder, begun, window, &turn).await,
        None => Density::default(),
    })
}

/// What is counted, with what the folder says of it.
async fn count(
    folder: &Folder,
    (mut feed, mut counter): (Feed, Counter),
    window: Option<Window>,
    turn: &Turn,
) -> Density {
    let problem = loop {
        match feed.read(&mut |clock, address, n, block| counter.add(clock, address, n, block)) {
            Ok(true) => turn.pause().await,
            Ok(false) => break None,
            Err(error) => break Some(error.0),
        }
    };
    let mut density = counter.finish(&regions(folder));
    density.title = message("Memory accesses");
    density.unit = feed.unit();
    density.has_blocks = matches!(feed, Feed::Records(..));
    density.empty = feed.empty();
    density.denied = (!feed.has_timer()).then_some([TIME.id, "timer", feed::NO_TIMER]);
    density.notes = feed.problems().iter().cloned().chain(feed::recorded(folder)).collect();
    if let Some(problem) = problem {
        let note = message("The file could not be read to the end: {problem}");
        density.notes.push(note.with("problem", problem));
    }
    density.start_window = Some(|input, trace, window| start(input, trace, Some(*window)));
    density.window = window;
    if let Some(mut warps) = Warps::new(folder).filter(|_| window.is_none()) {
        while warps.look_at_some() {
            turn.pause().await;
        }
        density.per_warp = Some(warps.finish());
    }
    density
}

// Which blocks and warps are counted: numbers and ranges, as a person writes them.

/// Numbers and ranges; none lets all through.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Select(Vec<(u64, u64)>);

impl Select {
    /// Reads `0-131,200`; `None` when it is something else.
    pub fn parse(text: &str) -> Option<Self> {
        let words = text.split([',', ';', ' ']).filter(|word| !word.is_empty());
        let range = |word: &str| {
            let (from, to) = word.split_once(['-', '–']).unwrap_or((word, word));
            Some((from.trim().parse().ok()?, to.trim().parse().ok()?))
        };
        words.map(range).collect::<Option<_>>().map(Self)
    }

    /// Whether a number comes through.
    #[inline]
    pub fn has(&self, number: u64) -> bool {
        self.0.is_empty() || self.0.iter().any(|(from, to)| *from <= number && number <= *to)
    }
}

// What addresses belong to: tensors, else allocations of the application.

/// The regions of a folder, those that count more first.
fn regions(folder: &Folder) -> Vec<Region> {
    if folder.tensors.is_empty() {
        return allocations(folder);
    }
    let tensors = folder.tensors.iter().enumerate().map(|(n, tensor)| Region {
        start: tensor.pointer,
        bytes: tensor.bytes,
        name: if tensor.name.is_empty() {
            message("Tensor {n}").with("n", n)
        } else {
            tensor.name.clone().into()
        },
        detail: tensor.shape.clone(),
    });
    tensors.collect()
}

/// Allocations that are alive at the launch, named by the parameter of the kernel that points into them.
fn allocations(folder: &Folder) -> Vec<Region> {
    let at = folder.result.as_ref().and_then(|result| result.launch);
    let parameters = folder.launch().map_or(&[][..], |launch| &launch.parameters);
    let is_alive = |a: &Allocation| at.is_none_or(|at| a.from <= at && a.to.is_none_or(|to| at < to));
    let region = |(n, a): (usize, &Allocation)| {
        let points = |value: &u64| a.pointer <= *value && *value - a.pointer < a.bytes;
        Region {
            start: a.pointer,
            bytes: a.bytes,
            name: match parameters.iter().position(points) {
                Some(n) => message("Parameter {n}").with("n", n),
                None => message("Allocation {n}").with("n", n + 1),
            },
            detail: format!("0x{:x}", a.pointer),
        }
    };
    folder.allocations.iter().enumerate().filter(|(_, a)| is_alive(a)).map(region).collect()
}

// Figures of the accesses: sums, their course over time, how often pages are accessed.

/// Id, title, kind.
const FIGURES: [(&str, &str, &str); 6] = [
    ("density-facts", phrase("Memory accesses"), "facts"),
    ("density-time", phrase("Accesses over time"), "lines"),
    ("density-working-set", phrase("Working set over time"), "lines"),
    ("density-reuse", phrase("Accesses per page"), "histogram"),
    ("density-bytes", phrase("Bytes touched per page"), "histogram"),
    ("density-sectors", phrase("Sectors per warp access"), "histogram"),
];

fn figures(input: &AnalysisInput) -> Vec<ComputedFigure> {
    let Some(density) = input.result::<Density>() else { return Vec::new() };
    let has = |id: &str| match id {
        "density-bytes" => density.has_sectors,
        "density-sectors" => density.per_warp.is_some(),
        _ => true,
    };
    let figure = |(id, title, kind): (&str, &str, &'static str)| {
        ComputedFigure::new((id, phrase("Memory accesses over time"), title), (kind, 1), compute)
    };
    FIGURES.into_iter().filter(|(id, ..)| has(id)).map(figure).collect()
}

fn compute(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let nothing = Density::default();
    let density = input.result::<Density>().unwrap_or(&nothing);
    let body = match id {
        "density-facts" => Body::Facts(Facts { facts: all_facts(density) }),
        "density-time" => Body::Lines(over_time(density, false)),
        "density-working-set" => Body::Lines(over_time(density, true)),
        "density-reuse" => {
            let name = phrase("Accesses per page");
            Body::Histogram(histogram(
                name,
                Unit::None,
                phrase("pages"),
                &density.per_page(|page| page.accesses),
            ))
        }
        "density-bytes" => {
            let bytes = density.per_page(|page| u64::from(page.sectors) * 32);
            Body::Histogram(histogram(phrase("Bytes touched per page"), Unit::Bytes, phrase("pages"), &bytes))
        }
        _ => Body::Histogram(per_warp(density.per_warp.as_ref())),
    };
    let mut figure = Figure::new("", body);
    if id == "density-facts" {
        figure.notes.clone_from(&density.notes);
    }
    figure
}

// `.dmat`: the counts that the tool itself makes of a result.
//
// ```text
// u64 n pages, u64 n clocks, u64 page × n
// for each clock: u64 clock, u64 n, then n × (u64 page, u32 accesses)
// ```
// Pages are addresses without their lower 16 bits. It takes records that were never written for accesses of page 0 at
// clock 0.

/// Pages of such a file have 2 to the power of this many bytes.
const PAGE_SHIFT: u32 = 16;
/// Bytes of a piece at most.
const PIECE: usize = 2 << 20;

/// Bytes of a count, and those in front of the counts of a clock, which has one at least.
const COUNT: u64 = 12;
const CLOCK: u64 = 16;

/// A walk through the counts of a file.
pub(crate) struct Counts {
    source: Source,
    /// Where the next piece begins.
    at: u64,
    piece: Vec<u8>,
    clock: u64,
    /// Counts of the clock that are still to come.
    left: u64,
    /// Clocks that the file says it has, and those that are still to come.
    pub(crate) clocks: (u64, u64),
    /// Accesses that never were.
    empty: u64,
}

impl Counts {
    /// Begins behind the list of pages; how many bytes there must be when the file has no room for one.
    pub(crate) fn new(source: &Source) -> Result<Self, u64> {
        let head = read_range(&**source, 0..CLOCK).unwrap_or_default();
        let (pages, clocks) = head.first_chunk().map(halves).ok_or(CLOCK)?;
        let at = pages.saturating_mul(8).saturating_add(CLOCK);
        if source.len() < at {
            return Err(at);
        }
        let (source, clocks) = (source.clone(), (clocks, clocks));
        Ok(Self { source, at, piece: Vec::new(), clock: 0, left: 0, clocks, empty: 0 })
    }

    /// What the file lacks where it ends too early: how many bytes it must have at least, and how many of its clocks are
    /// not there or not whole.
    pub(crate) fn lacking(&self) -> Option<(u64, u64)> {
        let (_, clocks) = self.clocks;
        let counts = self.left.saturating_mul(COUNT);
        let bytes = clocks.saturating_mul(CLOCK + COUNT).saturating_add(counts);
        (bytes != 0).then(|| (self.at.saturating_add(bytes), clocks + u64::from(self.left != 0)))
    }

    /// Reads the next piece; false when there is nothing more.
    pub(crate) fn read(&mut self, take: &mut impl FnMut(u64, u64, u32, u32)) -> Result<bool, ReadError> {
        let left = usize::try_from(self.source.len().saturating_sub(self.at)).unwrap_or(PIECE);
        self.piece.resize(PIECE.min(left), 0);
        let n = self.source.read_at(self.at, &mut self.piece)?;
        let mut rest = self.piece.get(..n).unwrap_or(&[]);
        while let Some((first, more)) = rest.split_first_chunk() {
            let first = u64::from_le_bytes(*first);
            if self.left == 0 {
                let Some((n, more)) = more.split_first_chunk() else { break };
                (self.clock, self.left, rest) = (first, u64::from_le_bytes(*n), more);
                self.clocks.1 = self.clocks.1.saturating_sub(1);
                continue;
            }
            let Some((n, more)) = more.split_first_chunk() else { break };
            let n = u32::from_le_bytes(*n);
            (self.left, rest) = (self.left - 1, more);
            if self.clock == 0 && first == 0 {
                self.empty += u64::from(n);
            } else if n != 0 {
                take(self.clock, first, n, 0);
            }
        }
        let passed = (n - rest.len()) as u64;
        self.at += passed;
        Ok(passed != 0 && self.at < self.source.len())
    }
}

// How many sectors of 32 bytes each access of a warp touches: records with the same number in the threads of a warp. An
// estimate: threads that do not run together have other numbers.

/// Bytes that are read at most for all warps together, and how many warps are looked at.
const BUDGET: u64 = 32 << 20;
const MOST: u64 = 256;
/// Warps of one step.
const OF_STEP: u64 = 8;
/// Bytes that are read at most of one warp.
const OF_WARP: u64 = 1 << 20;

/// Looking at some warps, evenly spread over the launch.
struct Warps {
    source: Source,
    address: Field,
    start: u64,
    record_bytes: u64,
    unit_bytes: u64,
    units_per_block: u64,
    /// Threads of a warp.
    threads: u64,
    /// How many there are.
    all: u64,
    /// Every which warp is looked at.
    every: u64,
    next: u64,
    result: PerWarp,
}

impl Warps {
    /// Begins with the first warp; `None` where units are no threads.
    fn new(folder: &Folder) -> Option<Self> {
        let Input::Records(file, section) = Input::of(folder)? else { return None };
        if section.map.is_warp {
            return None;
        }
        let threads = u64::from(file.warp.max(1));
        let units_per_block = section.units_per_block.max(1);
        let warps = (section.addressed / units_per_block).checked_mul(units_per_block.div_ceil(threads))?;
        let cost = section.unit_bytes.saturating_mul(threads).clamp(1, OF_WARP);
        Some(Self {
            source: file.source.clone(),
            address: section.map.field(Role::Address)?.clone(),
            start: section.start,
            record_bytes: section.map.record_bytes().max(1),
            unit_bytes: section.unit_bytes,
            units_per_block,
            threads,
            all: warps,
            every: warps.div_ceil((BUDGET / cost).clamp(1, MOST)).max(1),
            next: 0,
            result: PerWarp { warps, ..PerWarp::default() },
        })
    }

    /// Looks at the next warps; false when all were seen.
    fn look_at_some(&mut self) -> bool {
        let (mut n, mut read) = (0, 0);
        while n < OF_STEP && read < OF_WARP && self.next < self.all {
            n += 1;
            read += self.look().unwrap_or(OF_WARP);
            self.next += self.every;
            self.result.looked_at += 1;
        }
        self.next < self.all
    }

    /// Looks at one warp and returns how many bytes that cost.
    fn look(&mut self) -> Option<u64> {
        let per_block = self.units_per_block.div_ceil(self.threads);
        let (block, warp) = (self.next / per_block, self.next % per_block);
        let first = warp * self.threads;
        let n = self.threads.min(self.units_per_block - first);
        let bytes = self.unit_bytes.min((OF_WARP / n / self.record_bytes).max(1) * self.record_bytes);
        let unit = block.checked_mul(self.units_per_block)?.checked_add(first)?;
        let start = self.start.checked_add(unit.checked_mul(self.unit_bytes)?)?;
        // The threads of a warp lie one behind the other: where all of each is read, that is one read.
        let (reads, len) = if bytes == self.unit_bytes { (1, n * bytes) } else { (n, bytes) };
        let mut all = Vec::new();
        for read in 0..reads {
            let at = start.checked_add(read.checked_mul(self.unit_bytes)?)?;
            all.extend(read_range(&*self.source, at..at.checked_add(len)?).ok()?);
        }
        let (size, row) = (usize::try_from(self.record_bytes).ok()?, usize::try_from(bytes).ok()?);
        let mut sectors = Vec::new();
        for at in (0..row).step_by(size) {
            sectors.clear();
            let records = all.chunks(row.max(1)).filter_map(|row| row.get(at..at + size));
            let written = records.filter(|record| record.iter().any(|byte| *byte != 0));
            sectors.extend(written.map(|record| self.address.value(record) >> 5));
            sectors.sort_unstable();
            sectors.dedup();
            if let Some(count) = sectors.len().checked_sub(1).and_then(|n| self.result.counts.get_mut(n)) {
                *count += 1;
            }
        }
        Some(bytes * n)
    }

    /// What was seen.
    fn finish(self) -> PerWarp {
        self.result
    }
}
