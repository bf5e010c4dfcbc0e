//! What waited for what: flags that one pipe sets and another waits for, counted and timed by the pair of pipes.

use super::column;
use crate::analysis::timeline::Timeline;
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::Ticks;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::Trace;
use crate::model::figure::{Body, Cell, Figure, TableFigure};
use crate::model::id::{SliceId, StrId, TrackId};

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

pub(super) fn is_there(trace: &Trace) -> bool {
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
                sums.total += rows.slices.dur[row];
                sums.longest = sums.longest.max(rows.slices.dur[row]);
            }
        }
    }
    let mut pairs: Vec<_> = pairs.into_iter().collect();
    order::sort_by_key(&mut pairs, |(pair, sums)| (std::cmp::Reverse(sums.total), *pair));
    pairs
}

pub(super) fn figure(trace: &Trace, timeline: &Timeline) -> Figure {
    let clock = super::ticks(trace.clock);
    let columns = vec![
        column(phrase("Set by"), Unit::None, false),
        column(phrase("Waited on by"), Unit::None, false),
        column(phrase("Sets"), Unit::None, false),
        column(phrase("Waits"), Unit::None, false),
        column(phrase("Waiting time"), clock.clone(), true),
        column(phrase("Mean"), clock.clone(), false),
        column(phrase("Longest"), clock, false),
    ];
    let name = |text: &str| if text.is_empty() { Cell::Missing } else { Cell::Text(text.to_owned()) };
    let row = |((from, to), sums): &((&str, &str), Sums)| {
        vec![
            name(from),
            name(to),
            Cell::Number(sums.sets as f64),
            Cell::Number(sums.waits as f64),
            Cell::Number(sums.total as f64),
            Cell::number((0 < sums.waits).then(|| sums.total as f64 / sums.waits as f64)),
            Cell::Number(sums.longest as f64),
        ]
    };
    let rows: Vec<_> = pairs(trace, timeline).iter().map(row).collect();
    let is_open = rows.iter().any(|row| row[..2].contains(&Cell::Missing));
    let mut figure =
        Figure::new("", Body::Table(TableFigure { columns, rows, key_columns: 2, ..TableFigure::default() }));
    phrase("by pipe pair, longest wait first").clone_into(&mut figure.scope);
    if is_open {
        figure.notes.push(message("Flags without an arrow have no known partner pipe in the file."));
    }
    figure
}
