//! What one wants to know of a kernel and no file says: how busy each pipe was, what waited for what, which lines cost
//! most, what each kind of instruction moved. Computed of slices, flows and listings when somebody asks for it.

pub mod code;
mod pipes;
pub mod sums;

use crate::analysis::contract::{Analysis, AnalysisInput, ComputedFigure};
use crate::base::job::Job;
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::{Clock, Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::Trace;
use crate::model::code::{Cells, Column, Listing, ListingKind};
use crate::model::figure::{Figure, TableColumn, TableOf};
use crate::model::id::StrId;
pub use pipes::{WORKING, kind_of_core, path, spelled};
use sums::{PairSum, SET, Sums, WAIT};

/// The panel of all of them.
const SECTION: &str = phrase("Computed");

/// What ticks of a clock are counted in.
fn ticks(clock: Clock) -> Unit {
    match clock {
        Clock::Nanos => Unit::Nanos,
        Clock::Cycles { .. } => Unit::Cycles,
        Clock::Steps => Unit::None,
    }
}

/// How busy pipes were, what waited, what cost most.
pub static ANALYSIS: Analysis = Analysis {
    id: "kernel",
    title: phrase("Kernel"),
    parameters: &[],
    applies: |trace| FIGURES.iter().any(|row| (row.3)(trace)),
    tap: None,
    start: Some(|input, trace| {
        let timeline = input.timeline.snapshot();
        Job::any(async move |turn| sums::sums(&trace, &timeline, &turn).await)
    }),
    add_tracks: None,
    faults: None,
    figures,
    advice: Some(pipes::said),
    is_comparable: false,
};

type Row = (&'static str, &'static str, &'static str, fn(&Trace) -> bool, fn(&Trace, &Sums) -> Figure);

/// Id, title, kind, whether it is there, what computes it; in the order they are shown.
#[rustfmt::skip] // one figure a line
static FIGURES: &[Row] = &[
    ("pipe-utilization", phrase("Pipe utilization over time"), "matrix", pipes::is_there, pipes::utilization),
    ("pipe-times", phrase("Pipe times"), "table", pipes::is_there, pipes::times),
    ("double-buffering", phrase("Copy and compute overlap"), "table", overlap_is_there, overlap_figure),
    ("waits", phrase("Flag sets and waits"), "table", is_there, wait_figure),
    ("hottest-lines", phrase("Hottest lines"), "table", has_lines, hot_lines),
    ("instruction-kinds", phrase("Instructions by pipe and kind"), "table", has_instructions, hot_kinds),
];

fn figures(input: &AnalysisInput) -> Vec<ComputedFigure> {
    let figure =
        |&(id, title, kind, _, _): &Row| ComputedFigure::new((id, SECTION, title), (kind, 2), compute);
    FIGURES.iter().filter(|row| (row.3)(input.trace)).map(figure).collect()
}

fn compute(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let figure = FIGURES.iter().find(|row| row.0 == id);
    let nothing = || Figure::nothing();
    figure.zip(input.result()).map_or_else(nothing, |(row, sums)| (row.4)(input.trace, sums))
}

// What waited for what: flags that one pipe sets and another waits for, counted and timed by the pair of pipes.

fn is_there(trace: &Trace) -> bool {
    trace.coloring.by_row() && WAIT.iter().chain(&SET).any(|name| trace.strings.find(name).is_some())
}

fn wait_figure(trace: &Trace, sums: &Sums) -> Figure {
    let clock = ticks(trace.clock);
    let is_open = sums.pairs.iter().any(|pair| pair.from.is_none() || pair.to.is_none());
    let text = |name: Option<StrId>| name.map(|name| spelled(trace.strings.get(name)).to_owned());
    let mean = |sums: &PairSum| (0 < sums.waits).then(|| sums.total as f64 / sums.waits as f64);
    let mut figure = TableOf::new(&sums.pairs)
        .keys(2)
        .column(phrase("Set by"), Unit::None, |pair| text(pair.from))
        .column(phrase("Waited on by"), Unit::None, |pair| text(pair.to))
        .column(phrase("Sets"), Unit::None, |pair| pair.sets as f64)
        .column(phrase("Waits"), Unit::None, |pair| pair.waits as f64)
        .bars(phrase("Waiting time"), clock.clone(), |pair| pair.total as f64)
        .column(phrase("Mean"), clock.clone(), mean)
        .column(phrase("Longest"), clock, |pair| pair.longest as f64)
        .figure();
    phrase("by pipe pair, longest wait first").clone_into(&mut figure.scope);
    if is_open {
        figure.notes.push(message("Flags without an arrow have no known partner pipe in the file."));
    }
    figure
}

// Whether data is moved while something is computed: of each core, the time in which MTE2 brings data, that in which
// VECTOR or CUBE compute, and how much of the shorter of both passes at the same time. Waiting is neither.
//
// With two buffers in turn (double buffering) data for the next step comes while this one is computed.

/// Shares of the shorter time from which both overlap well, and at all.
pub const WELL: f64 = 60.0;
const PARTLY: f64 = 20.0;

/// What a pipe does: move data to the core, or compute.
pub fn kind(name: &str) -> Option<bool> {
    let is = |names: &[&str]| names.iter().any(|own| name.eq_ignore_ascii_case(own));
    if is(&["MTE2"]) {
        Some(true)
    } else if is(&["VECTOR", "VEC", "CUBE"]) {
        Some(false)
    } else {
        None
    }
}

fn overlap_is_there(trace: &Trace) -> bool {
    let of_kind = |is_moving: bool| {
        let own = |name: &str| kind(name) == Some(is_moving);
        trace.tracks.iter().any(|(_, t)| !t.slices.is_empty() && own(trace.strings.get(t.name)))
    };
    pipes::is_there(trace) && of_kind(true) && of_kind(false)
}

/// Spans that do not touch, in order.
pub fn union(spans: &mut Vec<Span>) {
    order::sort_by_key(spans, |span| (span.start, span.end));
    let mut out: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans.iter() {
        match out.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => out.push(*span),
        }
    }
    *spans = out;
}

/// The length of all together.
pub fn sum(spans: &[Span]) -> Ticks {
    spans.iter().map(|span| span.dur()).sum()
}

/// How long spans of two unions last at the same time.
pub fn both(a: &[Span], b: &[Span]) -> Ticks {
    let (mut i, mut j, mut both) = (0, 0, 0);
    while let (Some(one), Some(other)) = (a.get(i), b.get(j)) {
        both += (one.end.min(other.end) - one.start.max(other.start)).max(0);
        if one.end < other.end {
            i += 1;
        } else {
            j += 1;
        }
    }
    both
}

/// One row for each core.
fn overlap_figure(trace: &Trace, sums: &Sums) -> Figure {
    let clock = ticks(trace.clock);
    let times = sums.cores.iter().map(|core| {
        let shorter = core.moving.min(core.computing);
        let share = (0 < shorter).then(|| core.both as f64 / shorter as f64 * 100.0);
        (core.core, [core.moving, core.computing, core.both].map(|time| time as f64), share)
    });
    let times: Vec<_> = times.collect();
    let mut figure = TableOf::new(&times)
        .column(&trace.terms.group, Unit::None, |(core, ..)| pipes::path(trace, *core))
        .column(phrase("Moving data"), clock.clone(), |(_, [moving, ..], _)| *moving)
        .column(phrase("Computing"), clock.clone(), |(_, [_, computing, _], _)| *computing)
        .column(phrase("Overlap"), clock, |(_, [.., both], _)| *both)
        .bars(phrase("Share of the shorter"), Unit::Percent, |(.., share)| *share)
        .words(phrase("Verdict"), |(.., share)| share.map(verdict))
        .figure();
    phrase("MTE2 versus VECTOR and CUBE, excluding waits").clone_into(&mut figure.scope);
    let note = message(
        "At {well} % of the shorter time or more, the two overlap; below {partly} %, they take turns.",
    );
    figure.notes.push(note.with("well", WELL).with("partly", PARTLY));
    figure
}

/// The word for a share of 0 to 1.
pub fn verdict(share: f64) -> &'static str {
    if WELL <= share {
        phrase("overlap")
    } else if PARTLY <= share {
        phrase("partial overlap")
    } else {
        phrase("take turns")
    }
}

// Which lines cost most, and what each kind of instruction did: sums over all cores of what listings say.

/// Lines that are told.
const LINES: usize = 100;

/// The column of cycles, of instructions executed, and of bytes, by their units.
struct Costs<'a> {
    cycles: Option<&'a Column>,
    executed: Option<&'a Column>,
    bytes: Option<&'a Column>,
}

impl<'a> Costs<'a> {
    fn of(listing: &'a Listing) -> Self {
        let numbers = || listing.columns.iter().filter(|c| matches!(c.cells, Cells::Numbers { .. }));
        let is_executed = |c: &&Column| matches!(&c.unit, Unit::Count(what) if what == "instructions");
        // Of several columns of cycles the one that is drawn with a bar is the time itself, others are parts of it.
        let bar = |c: &&Column| c.style == crate::model::code::ColumnStyle::Bar;
        let cycles = || numbers().filter(|c| c.unit == Unit::Cycles);
        Self {
            cycles: cycles().find(bar).or_else(|| cycles().next()),
            executed: numbers().find(is_executed),
            bytes: numbers().find(|c| c.unit == Unit::Bytes),
        }
    }
}

/// The sum of a row over all cores.
fn hot_sum(column: Option<&Column>, row: usize) -> f64 {
    let Some(column) = column else { return 0.0 };
    let stride = if let Cells::Numbers { stride, .. } = &column.cells { *stride } else { 1 };
    (0..stride.max(1)).filter_map(|core| column.cells.number(row, core)).sum()
}

fn with_cycles(trace: &Trace, kind: ListingKind) -> impl Iterator<Item = (&Listing, Costs<'_>)> {
    let of_kind = trace.code.listings.iter().filter(move |l| l.kind == kind);
    of_kind.map(|l| (l, Costs::of(l))).filter(|(_, costs)| costs.cycles.is_some())
}

fn has_lines(trace: &Trace) -> bool {
    with_cycles(trace, ListingKind::Source).next().is_some()
}

fn has_instructions(trace: &Trace) -> bool {
    with_cycles(trace, ListingKind::Assembly).next().is_some()
}

/// The lines with most cycles of all cores together.
fn hot_lines(trace: &Trace, _: &Sums) -> Figure {
    let mut lines = Vec::new();
    let (mut total, mut once) = (0.0, code::Lines::of(trace));
    for (listing, costs) in with_cycles(trace, ListingKind::Source) {
        for row in 0..listing.lines.len() {
            let cycles = hot_sum(costs.cycles, row);
            if 0.0 < cycles {
                total += once.adds((listing.title.as_str(), row), cycles);
                lines.push((cycles, hot_sum(costs.executed, row), listing, row));
            }
        }
    }
    let is_shared = total * 1.001 < lines.iter().map(|line| line.0).sum();
    order::sort_by(&mut lines, |a, b| b.0.total_cmp(&a.0).then_with(|| a.3.cmp(&b.3)));
    let n_lines = lines.len();
    lines.truncate(LINES);
    let text = |listing: &Listing, row: usize| -> String {
        listing.lines.get(row).trim().chars().take(200).collect()
    };
    let mut figure = TableOf::new(&lines)
        .more(n_lines.saturating_sub(LINES))
        .with(TableColumn::place(phrase("Line")), |(.., listing, row)| {
            format!("{}:{}", listing.title, row + 1)
        })
        .column(phrase("Text"), Unit::None, |(.., listing, row)| text(listing, *row))
        .column(phrase("Cycles"), Unit::Cycles, |(cycles, ..)| *cycles)
        .bars(phrase("Share"), Unit::Percent, |(cycles, ..)| cycles / total * 100.0)
        .column(phrase("Executed instructions"), Unit::None, |(_, executed, ..)| *executed)
        .figure();
    phrase("cycles of all cores").clone_into(&mut figure.scope);
    if is_shared {
        figure.notes.push(message(
            "Lines overlap: instructions of several lines count once in the whole, so shares add up to more than 100 %.",
        ));
    }
    figure
}

/// Sums of one kind of instruction on one pipe.
#[derive(Clone, Copy, Default)]
struct HotSums {
    places: u64,
    executed: f64,
    cycles: f64,
    bytes: f64,
}

/// Instructions by pipe and by their first word. Bytes of a row are those of all its executions, of each core.
fn hot_kinds(trace: &Trace, _: &Sums) -> Figure {
    let mut kinds: Map<(String, String), HotSums> = Map::default();
    let mut has_bytes = false;
    for (listing, costs) in with_cycles(trace, ListingKind::Assembly) {
        let pipe = listing.columns.iter().find(|c| c.name == "Pipe");
        has_bytes |= costs.bytes.is_some();
        for row in 0..listing.lines.len() {
            let pipe = pipe.map_or("", |c| c.cells.text(row, 0)).to_owned();
            let word = listing.lines.get(row).split_whitespace().next().unwrap_or("").to_owned();
            let sums = kinds.entry((pipe, word)).or_default();
            sums.places += 1;
            sums.executed += hot_sum(costs.executed, row);
            sums.cycles += hot_sum(costs.cycles, row);
            sums.bytes += hot_sum(costs.bytes, row);
        }
    }
    let total: f64 = kinds.values().map(|s| s.cycles).sum();
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    order::sort_by(&mut kinds, |a, b| b.1.cycles.total_cmp(&a.1.cycles).then_with(|| a.0.cmp(&b.0)));
    let share = |sums: &HotSums| (0.0 < total).then(|| sums.cycles / total * 100.0);
    let mut table = TableOf::new(&kinds)
        .keys(2)
        .column(phrase("Pipe"), Unit::None, |((pipe, _), _)| pipe)
        .column(phrase("Kind"), Unit::None, |((_, word), _)| word)
        .column(phrase("Occurrences"), Unit::None, |(_, sums)| sums.places as f64)
        .column(phrase("Executed instructions"), Unit::None, |(_, sums)| sums.executed)
        .column(phrase("Cycles"), Unit::Cycles, |(_, sums)| sums.cycles)
        .bars(phrase("Share"), Unit::Percent, |(_, sums)| share(sums));
    if has_bytes {
        table = table.column(phrase("Bytes moved"), Unit::Bytes, |(_, sums)| sums.bytes);
    }
    let mut figure = table.figure();
    phrase("sums over all cores").clone_into(&mut figure.scope);
    figure
}
