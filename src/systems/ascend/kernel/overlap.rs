//! Whether data is moved while something is computed: of each core, the time in which MTE2 brings data, that in which
//! VECTOR or CUBE compute, and how much of the shorter of both passes at the same time. Waiting is neither.
//!
//! With two buffers in turn (double buffering) data for the next step comes while this one is computed.

use super::{column, pipes};
use crate::analysis::timeline::Timeline;
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::Trace;
use crate::model::figure::{Body, Cell, Figure, TableColumn, TableFigure};
use crate::model::id::TrackId;

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

pub(super) fn is_there(trace: &Trace) -> bool {
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
pub(super) fn figure(trace: &Trace, timeline: &Timeline) -> Figure {
    let clock = super::ticks(trace.clock);
    let columns = vec![
        column(&trace.terms.group, Unit::None, false),
        column(phrase("Moving data"), clock.clone(), false),
        column(phrase("Computing"), clock.clone(), false),
        column(phrase("Both at once"), clock, false),
        column(phrase("Share of the shorter"), Unit::Percent, true),
        TableColumn { is_phrase: true, ..column(phrase("Verdict"), Unit::None, false) },
    ];
    let row = |(core, work): &(TrackId, Work)| {
        let (moving, computing) = (sum(&work.moving), sum(&work.computing));
        let both = both(&work.moving, &work.computing);
        let shorter = moving.min(computing);
        let share = (0 < shorter).then(|| both as f64 / shorter as f64 * 100.0);
        vec![
            Cell::Text(pipes::path(trace, *core)),
            Cell::Number(moving as f64),
            Cell::Number(computing as f64),
            Cell::Number(both as f64),
            Cell::number(share),
            share.map_or(Cell::Missing, |share| Cell::Text(verdict(share).to_owned())),
        ]
    };
    let rows = cores(trace, timeline).iter().map(row).collect();
    let table = TableFigure { columns, rows, key_columns: 1, ..TableFigure::default() };
    let mut figure = Figure::new("", Body::Table(table));
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
