//! What one wants to know of a kernel and no file says: how busy each pipe was, what waited for what, which lines cost
//! most, what each kind of instruction moved. Computed of slices, flows and listings when somebody asks for it.

mod pipes;

use crate::analysis::contract::{Analysis, AnalysisInput, ComputedFigure};
use crate::analysis::timeline::Timeline;
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::{Clock, Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::Trace;
use crate::model::code::{Cells, Column, Listing, ListingKind};
use crate::model::figure::{Cell, Figure, TableColumn, TableOf};
use crate::model::id::{SliceId, StrId, TrackId};

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
    start: None,
    add_tracks: None,
    faults: None,
    figures,
    advice: Some(pipes::said),
    is_comparable: false,
};

type Row = (&'static str, &'static str, &'static str, fn(&Trace) -> bool, fn(&Trace, &Timeline) -> Figure);

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
    figure.map_or_else(nothing, |row| (row.4)(input.trace, input.timeline))
}

// What waited for what: flags that one pipe sets and another waits for, counted and timed by the pair of pipes.

/// Names of slices that set a flag, and of those that wait for one.
const SET: [&str; 2] = ["SET_FLAG", "set_event"];
const WAIT: [&str; 2] = ["WAIT_FLAG", "wait_event"];

/// Sums of one pair of pipes.
#[derive(Clone, Copy, Default)]
struct Sums {
    sets: u64,
    waits: u64,
    total: Ticks,
    longest: Ticks,
}

fn is_there(trace: &Trace) -> bool {
    trace.coloring.by_row() && WAIT.iter().chain(&SET).any(|name| trace.strings.find(name).is_some())
}

/// The pairs of pipes with their sums, most waiting first. A side that nothing tells is empty.
fn pairs<'a>(trace: &'a Trace, timeline: &Timeline) -> Vec<((&'a str, &'a str), Sums)> {
    let is_of = |names: &[&str; 2], name: StrId| names.contains(&trace.strings.get(name));
    let pipe = |track: TrackId| trace.strings.get(trace.tracks.get(track).name);
    let mut pairs: Map<(&str, &str), Sums> = Map::default();
    for (track, rows) in trace.tracks.iter() {
        for (row, &name) in rows.slices.name.iter().enumerate() {
            let (sets, waits) = (is_of(&SET, name), is_of(&WAIT, name));
            if !sets && !waits {
                continue;
            }
            let id = SliceId { track, row: row as u32 };
            // The other end of its flow says which pipe it belongs together with.
            let other = timeline.flows().of_slice(id).find_map(|flow| {
                let [from, to] = timeline.flows().ends(trace, flow);
                if from == Some(id) { to } else { from }
            });
            let other = other.map_or("", |other| pipe(other.track));
            let key = if sets { (pipe(track), other) } else { (other, pipe(track)) };
            let sums = pairs.entry(key).or_default();
            sums.sets += u64::from(sets);
            if waits {
                sums.waits += 1;
                sums.total += rows.slices.dur_of(row);
                sums.longest = sums.longest.max(rows.slices.dur_of(row));
            }
        }
    }
    let mut pairs: Vec<_> = pairs.into_iter().collect();
    order::sort_by_key(&mut pairs, |(pair, sums)| (std::cmp::Reverse(sums.total), *pair));
    pairs
}

fn wait_figure(trace: &Trace, timeline: &Timeline) -> Figure {
    let clock = ticks(trace.clock);
    let pairs = pairs(trace, timeline);
    let is_open = pairs.iter().any(|((from, to), _)| from.is_empty() || to.is_empty());
    let mean = |sums: &Sums| (0 < sums.waits).then(|| sums.total as f64 / sums.waits as f64);
    let mut figure = TableOf::new(&pairs)
        .keys(2)
        .column(phrase("Set by"), Unit::None, |((from, _), _)| Cell::text(from))
        .column(phrase("Waited on by"), Unit::None, |((_, to), _)| Cell::text(to))
        .column(phrase("Sets"), Unit::None, |(_, sums)| sums.sets as f64)
        .column(phrase("Waits"), Unit::None, |(_, sums)| sums.waits as f64)
        .bars(phrase("Waiting time"), clock.clone(), |(_, sums)| sums.total as f64)
        .column(phrase("Mean"), clock.clone(), |(_, sums)| mean(sums))
        .column(phrase("Longest"), clock, |(_, sums)| sums.longest as f64)
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

/// Most cores that are told.
const CORES: usize = 4_096;
/// Shares of the shorter time from which both overlap well, and at all.
const WELL: f64 = 60.0;
const PARTLY: f64 = 20.0;

/// Spans of time of both kinds of work of a core.
#[derive(Default)]
struct Work {
    moving: Vec<Span>,
    computing: Vec<Span>,
}

/// What a pipe does: move data to the core, or compute.
fn kind(name: &str) -> Option<bool> {
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

/// The work of each core, in the order of the timeline.
fn cores(trace: &Trace, timeline: &Timeline) -> Vec<(TrackId, Work)> {
    let mut cores: Vec<(TrackId, Work)> = Vec::new();
    let mut places: Map<TrackId, usize> = Map::default();
    for &id in trace.tracks.shown() {
        let track = trace.tracks.get(id);
        let (Some(core), Some(is_moving)) = (track.parent, kind(trace.strings.get(track.name))) else {
            continue;
        };
        let at = *places.entry(core).or_insert(cores.len());
        if at == cores.len() {
            if CORES <= at {
                continue;
            }
            cores.push((core, Work::default()));
        }
        let Some((_, work)) = cores.get_mut(at) else { continue };
        let spans = if is_moving { &mut work.moving } else { &mut work.computing };
        let slices = &track.slices;
        let works = (0..slices.len()).filter(|&row| timeline.is_work(trace, id, row));
        spans.extend(works.map(|row| slices.span(row)));
    }
    for (_, work) in &mut cores {
        union(&mut work.moving);
        union(&mut work.computing);
    }
    cores
}

/// One row for each core.
fn overlap_figure(trace: &Trace, timeline: &Timeline) -> Figure {
    let clock = ticks(trace.clock);
    let cores = cores(trace, timeline);
    let times = cores.iter().map(|(core, work)| {
        let (moving, computing) = (sum(&work.moving), sum(&work.computing));
        let both = both(&work.moving, &work.computing);
        let shorter = moving.min(computing);
        let share = (0 < shorter).then(|| both as f64 / shorter as f64 * 100.0);
        (*core, [moving, computing, both].map(|time| time as f64), share)
    });
    let times: Vec<_> = times.collect();
    let mut figure = TableOf::new(&times)
        .column(&trace.terms.group, Unit::None, |(core, ..)| pipes::path(trace, *core))
        .column(phrase("Moving data"), clock.clone(), |(_, [moving, ..], _)| *moving)
        .column(phrase("Computing"), clock.clone(), |(_, [_, computing, _], _)| *computing)
        .column(phrase("Both at once"), clock, |(_, [.., both], _)| *both)
        .bars(phrase("Share of the shorter"), Unit::Percent, |(.., share)| *share)
        .words(phrase("Verdict"), |(.., share)| share.map(verdict))
        .figure();
    phrase("MTE2 against VECTOR and CUBE, without waiting").clone_into(&mut figure.scope);
    let note =
        message("From {well} % of the shorter time on, both overlap; below {partly} % they take turns.");
    figure.notes.push(note.with("well", WELL).with("partly", PARTLY));
    figure
}

/// The word for a share of 0 to 1.
pub fn verdict(share: f64) -> &'static str {
    if WELL <= share {
        phrase("overlap")
    } else if PARTLY <= share {
        phrase("overlap in part")
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
fn hot_lines(trace: &Trace, _: &Timeline) -> Figure {
    let mut lines = Vec::new();
    let mut total = 0.0;
    for (listing, costs) in with_cycles(trace, ListingKind::Source) {
        for row in 0..listing.lines.len() {
            let cycles = hot_sum(costs.cycles, row);
            if 0.0 < cycles {
                total += cycles;
                lines.push((cycles, hot_sum(costs.executed, row), listing, row));
            }
        }
    }
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

/// Instructions by pipe and by their first word. Bytes are those that one execution moves, times how often it ran.
fn hot_kinds(trace: &Trace, _: &Timeline) -> Figure {
    let mut kinds: Map<(String, String), HotSums> = Map::default();
    let mut has_bytes = false;
    for (listing, costs) in with_cycles(trace, ListingKind::Assembly) {
        let pipe = listing.columns.iter().find(|c| c.name == "Pipe");
        has_bytes |= costs.bytes.is_some();
        for row in 0..listing.lines.len() {
            let pipe = pipe.map_or("", |c| c.cells.text(row, 0)).to_owned();
            let word = listing.lines.get(row).split_whitespace().next().unwrap_or("").to_owned();
            let sums = kinds.entry((pipe, word)).or_default();
            let executed = hot_sum(costs.executed, row);
            sums.places += 1;
            sums.executed += executed;
            sums.cycles += hot_sum(costs.cycles, row);
            let each = costs.bytes.and_then(|c| c.cells.number(row, 0)).unwrap_or(0.0);
            sums.bytes += each * executed;
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
