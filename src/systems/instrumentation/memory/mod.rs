//! Accesses to the memory of the device by address and by the order of instructions or threads: every lane of every
//! access of the recorded launches, read from the trace again and counted while it passes.

mod walk;

use crate::analysis::contract::{Analysis, AnalysisInput, ComputedFigure};
use crate::base::job::{Job, Turn};
use crate::base::map::{Map, Set};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::base::{number, order};
use crate::model::Trace;
use crate::model::figure::{
    AxisLabel, Body, Facts, Figure, Histogram, HistogramSeries, ScaleKind, TableFigure, TableOf,
};
use crate::model::parameter::{Parameter, ParameterKind};
use crate::views::density::compute::{
    BandReuse, Counter, Density, LINE, Lines, Order, PAGE_SIZES, Region, Reuse, Window, all_facts, histogram,
    over_time, page_shift,
};
use crate::views::executions::compute::{Recorded, Space};
use std::any::Any;
use std::rc::Rc;
use walk::Walk;

/// The analysis.
pub(crate) static ANALYSIS: Analysis = Analysis {
    id: "instrumentation-memory",
    title: phrase("Memory accesses"),
    parameters: &[&LAUNCH, &ORDER, &PAGE_SIZE, &KIND],
    applies: |trace| trace.extensions.get::<Recorded>().is_some_and(has_accesses),
    tap: None,
    start: Some(|input, trace| start(input, trace, None)),
    add_tracks: None,
    faults: None,
    figures,
    advice: None,
    is_comparable: true,
};

/// The launch whose accesses count.
static LAUNCH: Parameter = Parameter {
    id: "trace-launch",
    title: phrase("Launch number"),
    help: phrase("the launch to count, from 1 in launch order; empty for all, one after another"),
    kind: ParameterKind::Number {
        unit: Unit::None,
        min: 0.0,
        max: 1e9,
        default: 0.0,
        none: phrase("all launches"),
    },
    rereads: false,
};

/// What stands for time.
static ORDER: Parameter = Parameter {
    id: "trace-order",
    title: phrase("Horizontal axis"),
    help: phrase("the instruction within its thread, or the thread"),
    kind: ParameterKind::Choice(&[
        ("instruction", phrase("Instruction order")),
        ("thread", phrase("Thread number")),
    ]),
    rereads: false,
};

/// Bytes of a page.
static PAGE_SIZE: Parameter = Parameter {
    id: "trace-page-size",
    title: phrase("Page size"),
    help: phrase("bytes per page; a cache line has 128 B, a sector 32 B"),
    kind: ParameterKind::Choice(PAGE_SIZES),
    rereads: false,
};

/// The accesses that count.
static KIND: Parameter = Parameter {
    id: "trace-accesses",
    title: phrase("Reads and writes"),
    help: phrase("accesses to count; atomics are both"),
    kind: ParameterKind::Choice(&[
        ("all", phrase("Reads and writes")),
        ("reads", phrase("Reads")),
        ("writes", phrase("Writes")),
    ]),
    rereads: false,
};

/// Whether a launch accesses the memory of the device, and its rows can be read.
fn has_accesses(recorded: &Recorded) -> bool {
    recorded.launches.iter().filter(|launch| launch.rows.is_some()).any(|launch| {
        let program = recorded.programs.get(launch.program as usize);
        let mut all = program.into_iter().flat_map(|program| &program.instructions);
        all.any(|of| of.memory.is_some_and(|memory| memory.space == Space::Global))
    })
}

/// Begins to count all accesses, or those of a window.
fn start(input: &AnalysisInput, trace: Rc<Trace>, window: Option<Window>) -> Job<Box<dyn Any>> {
    let recorded = input.trace.extensions.get::<Recorded>();
    let regions = recorded.into_iter().flat_map(|recorded| &recorded.regions);
    let regions = regions.map(|region| (region.start, region.bytes));
    let asked = page_shift(input.values.text(PAGE_SIZE.id));
    // A window has the pages of all, and their regions.
    let known = input.result::<Density>().filter(|_| window.is_some());
    let counter = Counter::new(0, true, window).split_by(regions).fitting(asked, known);
    let bands = known.map(region_known);
    let walk = Walk::new(recorded, input.values);
    Job::any(async move |turn| match trace.extensions.get::<Recorded>() {
        Some(recorded) => count(recorded, (walk, counter), (window, bands), &turn).await,
        None => Density::default(),
    })
}

async fn count(
    recorded: &Recorded,
    (mut walk, mut counter): (Walk, Counter),
    (window, bands): (Option<Window>, Option<Vec<Region>>),
    turn: &Turn,
) -> Density {
    // Not for a window.
    let mut lines = window.is_none().then(Lines::default);
    while walk.read(recorded, &mut |access| {
        let mut before = u64::MAX;
        for &address in access.addresses {
            counter.add(access.clock, address, 1, access.group);
            let Some(lines) = lines.as_mut() else { continue };
            let last = address.saturating_add(access.bytes.saturating_sub(1)) >> LINE;
            for line in address >> LINE..=last {
                if line != before {
                    lines.touch(line, access.thread);
                }
                before = line;
            }
        }
    }) {
        turn.pause().await;
    }
    counter.settle();
    let regions = bands.unwrap_or_else(|| regions(recorded, &counter));
    let mut density = counter.finish(&regions);
    density.title = message("Memory accesses");
    density.order = walk.order;
    density.unit = match walk.order {
        Order::Thread => Unit::Count(phrase("threads").to_owned()),
        _ => Unit::Count(phrase("instructions").to_owned()),
    };
    density.has_blocks = walk.has_groups(recorded);
    density.empty = walk.missing;
    density.window = window;
    density.notes = notes(&walk);
    density.reuse = lines.map(|lines| lines.finish(&density));
    density.start_window = Some(|input, trace, window| start(input, trace, Some(*window)));
    density
}

/// What is to be said of what was read.
fn notes(walk: &Walk) -> Vec<Message> {
    let mut notes = Vec::new();
    if let Some(problem) = &walk.problem {
        let note = message("The file could not be read to the end: {problem}");
        notes.push(note.with("problem", problem));
    }
    if 0 < walk.unread {
        let note = message("{n} launches have no recorded addresses.");
        notes.push(note.with("n", number::thousands(walk.unread)));
    }
    if 0 < walk.bases {
        let note = message(
            "For {n} accesses only the base address was recorded: each counts once, not once per lane.",
        );
        notes.push(note.with("n", number::thousands(walk.bases)));
    }
    if 0 < walk.of_lanes {
        let note = message(
            "{n} accesses were recorded one lane at a time, without thread and memory space: each counts once, and some may be of shared or local memory.",
        );
        notes.push(note.with("n", number::thousands(walk.of_lanes)));
        return notes;
    }
    notes.push(message(
        "Each active lane of an instruction that accesses global memory counts once; shared and local memory are left out.",
    ));
    notes
}

// What addresses belong to: the ranges that the files name, and stretches of accessed pages beside them.

/// Pages with more bytes between them belong to different stretches.
const GAP: u64 = 1 << 20;

/// Those of all accesses, which a window has too, so that it is named alike.
fn region_known(all: &Density) -> Vec<Region> {
    all.bands.iter().map(|band| band.region.clone()).filter(|region| 0 < region.bytes).collect()
}

/// The regions, those that count more first.
fn regions(recorded: &Recorded, counter: &Counter) -> Vec<Region> {
    let pages = counter.touched();
    let mut all = named(recorded, &pages);
    all.extend(detected(&all, &pages));
    all
}

/// Ranges that the files name and that are accessed, each once; those of one name are told apart by number.
fn named(recorded: &Recorded, pages: &[(u64, u64)]) -> Vec<Region> {
    let (mut all, mut known) = (Vec::new(), Set::default());
    let mut numbers: Map<&str, u32> = Map::default();
    for range in recorded.regions.iter().filter(|range| 0 < range.bytes) {
        let last = range.start.saturating_add(range.bytes - 1);
        let at = pages.partition_point(|page| page.1 < range.start);
        let is_touched = pages.get(at).is_some_and(|page| page.0 <= last);
        if !is_touched || !known.insert((range.start, range.bytes)) {
            continue;
        }
        let number = numbers.entry(&range.name).or_default();
        *number += 1;
        let name = match *number {
            1 => range.name.clone().into(),
            n => message("{name} {n}").with("name", &range.name).with("n", n),
        };
        let detail = format!("0x{:x}", range.start);
        all.push(Region { start: range.start, bytes: range.bytes, name, detail });
    }
    all
}

/// Stretches of pages that no named range holds.
fn detected(named: &[Region], pages: &[(u64, u64)]) -> Vec<Region> {
    let is_named = |(first, last): &(u64, u64)| {
        let last_of = |region: &Region| region.start.saturating_add(region.bytes - 1);
        named.iter().any(|region| region.start <= *last && *first <= last_of(region))
    };
    let mut stretches: Vec<(u64, u64)> = Vec::new();
    for &(first, last) in pages.iter().filter(|page| !is_named(page)) {
        match stretches.last_mut() {
            Some(stretch) if first - stretch.1 <= GAP => stretch.1 = last,
            _ => stretches.push((first, last)),
        }
    }
    let region = |(n, (first, last)): (usize, &(u64, u64))| Region {
        start: *first,
        bytes: (last - first).saturating_add(1),
        name: message("Region {n}").with("n", n + 1),
        detail: format!("0x{first:x}"),
    };
    stretches.iter().enumerate().map(region).collect()
}

// Figures of the accesses: sums, their course, how many threads share lines.

/// Id, title, kind, columns of the page.
const FIGURES: [(&str, &str, &str, u8); 6] = [
    ("trace-memory-facts", phrase("Memory accesses"), "facts", 1),
    ("trace-memory-course", phrase("Access curve"), "lines", 1),
    ("trace-memory-working-set", phrase("Working set curve"), "lines", 1),
    ("trace-memory-pages", phrase("Accesses per page"), "histogram", 1),
    ("trace-memory-reuse", phrase("Threads per 128 B line"), "histogram", 1),
    ("trace-memory-regions", phrase("Reuse by region"), "table", 2),
];
/// Regions with a series of their own; lines of the others are one more.
const SERIES: usize = 5;

fn figures(input: &AnalysisInput) -> Vec<ComputedFigure> {
    let Some(density) = input.result::<Density>() else { return Vec::new() };
    let has = |id: &str| density.accesses != 0 || id == "trace-memory-facts";
    let figure = |(id, title, kind, columns): (&str, &str, &'static str, u8)| {
        ComputedFigure::new((id, phrase("Memory accesses"), title), (kind, columns), compute)
    };
    FIGURES.into_iter().filter(|(id, ..)| has(id)).map(figure).collect()
}

fn compute(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let (nothing, unknown) = (Density::default(), Reuse::default());
    let density = input.result::<Density>().unwrap_or(&nothing);
    let reuse = density.reuse.as_ref().unwrap_or(&unknown);
    let mut notes = Vec::new();
    let body = match id {
        "trace-memory-facts" => {
            notes.clone_from(&density.notes);
            Body::Facts(Facts { facts: all_facts(density) })
        }
        "trace-memory-course" => Body::Lines(over_time(density, false)),
        "trace-memory-working-set" => Body::Lines(over_time(density, true)),
        "trace-memory-pages" => {
            let name = phrase("Accesses per page");
            Body::Histogram(histogram(
                name,
                Unit::None,
                phrase("pages"),
                &density.per_page(|page| page.accesses),
            ))
        }
        "trace-memory-reuse" => Body::Histogram(sharing(density, reuse)),
        _ => Body::Table(figure_regions(density, reuse)),
    };
    if ["trace-memory-reuse", "trace-memory-regions"].contains(&id) {
        notes.push(message("Each thread that touches a 128-byte line counts once for it."));
        if 0 < reuse.every {
            let note = message("Too many lines: one in {n} was examined.");
            notes.push(note.with("n", 1_u64 << reuse.every.min(31)));
        }
    }
    let mut figure = Figure::new("", body);
    figure.notes = notes;
    figure
}

/// Lines by how many threads touch them, a series for each of the largest regions.
fn sharing(density: &Density, reuse: &Reuse) -> Histogram {
    let mut bands: Vec<(String, BandReuse)> = density
        .bands
        .iter()
        .map(|band| band.region.name.to_string())
        .zip(reuse.bands.iter().copied())
        .collect();
    order::sort_by_key(&mut bands, |(_, band)| std::cmp::Reverse(band.lines));
    if SERIES < bands.len() {
        let mut others = BandReuse::default();
        for (_, band) in bands.drain(SERIES..) {
            others.lines += band.lines;
            others.powers.iter_mut().zip(band.powers).for_each(|(a, b)| *a += b);
        }
        bands.push((phrase("Others").to_owned(), others));
    }
    let last = |band: &BandReuse| band.powers.iter().rposition(|n| 0 < *n).unwrap_or(0);
    let n = bands.iter().map(|(_, band)| last(band) + 1).max().unwrap_or(1);
    let scale = (1_u64 << reuse.every.min(31)) as f64;
    let series = bands.into_iter().map(|(name, band)| HistogramSeries {
        name,
        counts: band.powers.iter().take(n).map(|n| *n as f64 * scale).collect(),
        values: Vec::new(),
    });
    Histogram {
        x: AxisLabel { name: phrase("Threads per line").to_owned(), unit: Unit::None, scale: ScaleKind::Log },
        count_unit: Unit::Count(phrase("lines").to_owned()),
        edges: std::iter::successors(Some(1.0_f64), |edge| Some(edge * 2.0)).take(n + 1).collect(),
        series: series.collect(),
        ..Histogram::default()
    }
}

fn figure_regions(density: &Density, reuse: &Reuse) -> TableFigure {
    let bands: Vec<_> = density.bands.iter().zip(&reuse.bands).collect();
    let per_line = |n: u64, lines: u64| (0 < lines).then(|| n as f64 / lines as f64);
    TableOf::new(&bands)
        .words(phrase("Region"), |(band, _)| band.region.name.to_string())
        .column(phrase("Start"), Unit::Address, |(band, _)| band.region.start)
        .column(phrase("Size"), Unit::Bytes, |(band, _)| band.region.bytes)
        .bars(phrase("Accesses"), Unit::None, |(band, _)| band.accesses)
        .column(phrase("Pages touched"), Unit::None, |(band, _)| band.pages)
        .column(phrase("128 B lines"), Unit::None, |(_, of)| reuse.lines(of))
        .column(phrase("Accesses per line"), Unit::None, |(band, of)| {
            per_line(band.accesses, reuse.lines(of))
        })
        .column(phrase("Threads per line, mean"), Unit::None, |(_, of)| of.mean())
        .column(phrase("Threads per line, maximum"), Unit::None, |(_, of)| u64::from(of.most))
        .column(phrase("Single-thread lines"), Unit::Share, |(_, of)| of.private())
        .table()
}
