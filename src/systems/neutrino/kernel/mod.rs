//! Kernels before and after they were probed: listings side by side, what was inserted and by which probe, which
//! instructions the probes watch, what the assembler made of both.

mod align;
mod figures;
mod sites;
mod source;

pub(super) use figures::ANALYSIS;
pub(super) use sites::Shape;

use super::folder::{Folder, Kernel, Probe};
use crate::base::order;
use crate::base::words::phrase;
use crate::input::bundle::{Bundle, EntryId};
use crate::input::source::read_range;
use crate::model::Trace;
use crate::model::code::{Cells, CodeScope, Column, ColumnStyle, Lines, Links, Listing, ListingKind, Rows};
use crate::model::id::ListingId;
use crate::model::parameter::{Parameter, ParameterKind, Values};
use align::{Alignment, align};
use sites::Coverage;

/// Longest text of a kernel that is read.
const BYTES: u64 = 16 << 20;

/// Whether the text of the module is shown from which the kernel was taken: it may hold hundreds of kernels.
pub(super) static ORIGINAL: Parameter = Parameter {
    id: "neutrino-original",
    title: phrase("Original PTX"),
    help: phrase("also list original.ptx of the kernel"),
    kind: ParameterKind::Flag,
    rereads: true,
};

/// What the texts of kernels tell, in the order in which they were added.
#[derive(Default)]
pub(super) struct Kernels(Vec<KernelCode>);

/// What the texts of one kernel tell.
struct KernelCode {
    /// Row in [`super::folder::Folder::kernels`].
    kernel: usize,
    /// How many lines were inserted, by the number of their probe and their purpose.
    inserted: Vec<(Option<usize>, &'static str, u64)>,
    coverage: Vec<Coverage>,
    shapes: Vec<Shape>,
    /// Whether there is a probed text.
    is_probed: bool,
}

impl Kernels {
    /// The shapes of matrix instructions of a kernel.
    pub(super) fn shapes(&self, kernel: usize) -> &[Shape] {
        self.0.iter().find(|code| code.kernel == kernel).map_or(&[], |code| &code.shapes)
    }
}

/// The text of a file of a kernel.
fn text(bundle: &Bundle, kernel: &Kernel, name: &str) -> Option<(EntryId, String)> {
    let (_, entry) = kernel.files.iter().find(|(file, _)| file == name)?;
    let source = &bundle.get(*entry)?.source;
    let bytes = read_range(&**source, 0..source.len().min(BYTES)).ok()?;
    Some((*entry, String::from_utf8_lossy(&bytes).into_owned()))
}

/// Adds the texts of kernels to a trace, one kernel a step: first that of the launch, then others as long as they are short.
pub(super) struct Listings {
    has_original: bool,
    /// Rows of the kernels that wait, the next one last; `None` before the first step.
    waiting: Option<Vec<usize>>,
    /// Bytes that may still be read.
    room: u64,
}

impl Listings {
    /// Begins; the values say whether original texts are listed.
    pub(super) fn new(values: &Values) -> Self {
        let has_original = values.flag(ORIGINAL.id);
        Self { has_original, waiting: None, room: BYTES }
    }

    /// Adds the next kernel; says whether there are more. A machine, as the trace that it adds to is lent for each
    /// step.
    pub(super) fn step(&mut self, bundle: &Bundle, trace: &mut Trace) -> bool {
        let Some(folder) = trace.extensions.get::<Folder>() else { return false };
        let waiting = self.waiting.get_or_insert_with(|| {
            let first = folder.launch().and_then(|launch| launch.kernel);
            let others = (0..folder.kernels.len()).rev().filter(|number| Some(*number) != first);
            others.chain(first).collect()
        });
        let Some(number) = waiting.pop() else { return false };
        let Some(kernel) = folder.kernels.get(number).cloned() else { return true };
        let probes = folder.probes.clone();
        let shown = kernel.files.iter().filter(|(name, _)| {
            ["pruned.ptx", "probed.ptx"].contains(&name.as_str())
                || (self.has_original && name == "original.ptx")
        });
        let bytes: u64 = shown.filter_map(|(_, id)| Some(bundle.get(*id)?.source.len())).sum();
        let is_first = self.room == BYTES;
        if is_first || bytes <= self.room {
            self.room = self.room.saturating_sub(bytes);
            self.add(bundle, (number, &kernel), &probes, trace);
        }
        true
    }

    /// Adds the listings of a kernel, which is of this row of the folder.
    fn add(&self, bundle: &Bundle, (number, kernel): (usize, &Kernel), probes: &[Probe], trace: &mut Trace) {
        let Some((entry, pruned)) = text(bundle, kernel, "pruned.ptx") else { return };
        let pruned: Vec<&str> = pruned.lines().collect();
        let name = trace.strings.intern(&kernel.name);
        let scope = |entry: EntryId| CodeScope { entry: Some(entry.0), kernel: name };
        let from = list(trace, "pruned.ptx", scope(entry), &pruned);
        let mut alignment = None;
        if let Some((entry, text)) = text(bundle, kernel, "probed.ptx") {
            let lines: Vec<&str> = text.lines().collect();
            let aligned = align(&pruned, &lines, probes);
            let to = list(trace, "probed.ptx", scope(entry), &lines);
            let links = Links::new(from, to, aligned.pairs.clone());
            trace.code.links.push(links.with_classes(aligned.classes.clone()));
            add_columns(trace, (from, to), &aligned, probes);
            source::add(bundle, trace, to, &source::places(&lines));
            alignment = Some(aligned);
        }
        source::add(bundle, trace, from, &source::places(&pruned));
        if self.has_original
            && let Some((entry, original)) = text(bundle, kernel, "original.ptx")
        {
            list(trace, "original.ptx", scope(entry), &original.lines().collect::<Vec<_>>());
        }
        let code = KernelCode {
            kernel: number,
            inserted: alignment.as_ref().map_or_else(Vec::new, count),
            coverage: sites::coverage(&pruned, alignment.as_ref(), probes),
            shapes: sites::shapes(&pruned),
            is_probed: alignment.is_some(),
        };
        trace.extensions.get_or_default::<Kernels>().0.push(code);
    }
}

/// Adds a listing.
fn list(trace: &mut Trace, title: &str, scope: CodeScope, text: &[&str]) -> ListingId {
    let mut lines = Lines::default();
    for line in text {
        lines.push(line);
    }
    let places = source::places(text);
    let name = |file| places.files.get(&file).map_or("", |path| source::name(path));
    let first = places.rows.iter().flatten().map(|(file, _)| *file).next();
    let is_one = places.rows.iter().flatten().all(|(file, _)| Some(*file) == first);
    // Lines of one file need no name of it.
    let place = |row: &Option<(u32, u32)>| match row {
        Some((_, line)) if is_one => line.to_string(),
        Some((file, line)) => format!("{}:{line}", name(*file)),
        None => String::new(),
    };
    let head = first.map(|file| if is_one { name(file) } else { phrase("Source") });
    let cells = || places.rows.iter().map(place).collect();
    let columns = head.map(|head| texts(head, cells())).into_iter().collect();
    trace.code.listings.push(Listing {
        title: title.to_owned(),
        kind: ListingKind::Assembly,
        scope,
        language: "ptx".to_owned(),
        lines,
        address: Vec::new(),
        columns,
        has_text: true,
    });
    ListingId(u32::try_from(trace.code.listings.len() - 1).unwrap_or(u32::MAX))
}

fn texts(name: &str, values: Vec<String>) -> Column {
    Column {
        name: name.to_owned(),
        unit: crate::base::unit::Unit::None,
        style: ColumnStyle::Plain,
        cells: Cells::Texts { values, stride: 1, rows: Rows::All },
    }
}

/// Beside the instructions: the probes that watch them; beside what was inserted: by which probe and for what.
fn add_columns(trace: &mut Trace, (from, to): (ListingId, ListingId), aligned: &Alignment, probes: &[Probe]) {
    let rows =
        |trace: &Trace, id: ListingId| trace.code.listings.get(id.index()).map_or(0, |l| l.lines.len());
    let mut watched = vec![String::new(); rows(trace, from)];
    let mut of = vec![String::new(); rows(trace, to)];
    let mut purposes = of.clone();
    for line in &aligned.inserted {
        let probe = line.probe.and_then(|probe| probes.get(probe));
        let name = probe.map_or(line.map.as_str(), |probe| probe.name.as_str());
        if let Some(cell) = of.get_mut(line.row as usize) {
            name.clone_into(cell);
        }
        if let Some(cell) = purposes.get_mut(line.row as usize) {
            line.kind.name().clone_into(cell);
        }
        let Some(probe) = probe.filter(|probe| !probe.positions.iter().any(|p| p == "kernel")) else {
            continue;
        };
        let hits = |line: &str| probe.positions.iter().any(|position| line.contains(position.as_str()));
        let near = [(line.before as usize).checked_sub(1), Some(line.before as usize)];
        let listing = trace.code.listings.get(from.index());
        let at = near.into_iter().flatten().find(|at| listing.is_some_and(|l| hits(l.lines.get(*at))));
        if let Some(cell) = at.and_then(|at| watched.get_mut(at))
            && !cell.split(", ").any(|known| known == probe.name)
        {
            *cell = if cell.is_empty() { probe.name.clone() } else { format!("{cell}, {}", probe.name) };
        }
    }
    if let Some(listing) =
        trace.code.listings.get_mut(from.index()).filter(|_| watched.iter().any(|w| !w.is_empty()))
    {
        listing.columns.insert(0, texts(phrase("Probe"), watched));
    }
    if let Some(listing) = trace.code.listings.get_mut(to.index()) {
        listing.columns.insert(0, texts(phrase("Probe"), of));
        listing.columns.insert(1, texts(phrase("Inserted for"), purposes));
    }
}

/// How many lines were inserted by each probe for each purpose.
fn count(aligned: &Alignment) -> Vec<(Option<usize>, &'static str, u64)> {
    let mut keys: Vec<_> = aligned.inserted.iter().map(|line| (line.probe, line.kind)).collect();
    order::sort(&mut keys);
    let mut out: Vec<(Option<usize>, &'static str, u64)> = Vec::new();
    for (probe, kind) in keys {
        match out.last_mut() {
            Some((last, name, n)) if *last == probe && *name == kind.name() => *n += 1,
            _ => out.push((probe, kind.name(), 1)),
        }
    }
    out
}
