//! Which thread a slice of a processor is of: the one whose states say that it ran there and then.
//!
//! ```text
//! CPU 0              ── worker ──┤── main ──
//! worker (state)     ── Running ─┤── Sleeping ──     CPU 0
//! ```

use crate::base::words::{Language, phrase, tr, tr_path};
use crate::model::Trace;
use crate::model::id::{SliceId, StrId};
use crate::model::slice::Slices;
use crate::model::track::Role;

/// The thread that a processor ran.
pub(super) struct Ran {
    /// Its state meanwhile.
    pub(super) state: SliceId,
    /// The state in which it left the processor; `None` where nobody says it.
    left: Option<StrId>,
}

/// The thread that a slice ran; `None` for slices of other tracks, and where no states tell it. Costs the tracks times the
/// logarithm of their rows.
pub(super) fn ran(trace: &Trace, id: SliceId) -> Option<Ran> {
    let cpu = trace.tracks.find(id.track).filter(|track| track.role == Role::Processor)?;
    let span = trace.event(id).filter(|_| id.instant().is_none())?.span;
    trace.tracks.iter().filter(|(_, of)| of.role == Role::States && of.entry == cpu.entry).find_map(
        |(track, of)| {
            let rows = &of.slices;
            let from = rows.start.partition_point(|start| *start < span.start);
            let mut begun = (from..rows.len()).take_while(|row| rows.start[*row] == span.start);
            let row = begun.find(|row| {
                let is_here = rows.category_of(*row) == cpu.name;
                is_here && rows.is_work(*row) && rows.span(*row) == span
            })?;
            let state = SliceId { track, row: u32::try_from(row).ok()? };
            Some(Ran { state, left: left(rows, row) })
        },
    )
}

/// The state behind a row. Of rows that begin at one time the longest is listed first, but was the last.
fn left(rows: &Slices, row: usize) -> Option<StrId> {
    let end = rows.span(row).end;
    let from = rows.start.partition_point(|start| *start < end);
    let next = || (from..rows.len()).take_while(|at| rows.start[*at] == end).filter(|at| *at != row);
    let first = next().find(|at| row < *at && rows.dur_of(*at) == 0);
    let first = first.or_else(|| next().find(|at| rows.dur_of(*at) != 0))?;
    (!rows.is_work(first)).then(|| rows.name[first])
}

/// What a slice of a processor is: its track, then thread, process and end state where they are known.
pub(super) fn facts(trace: &Trace, id: SliceId, language: Language) -> Vec<(String, String)> {
    let mut facts = Vec::new();
    let mut say = |label: &str, value: String| facts.push((tr(language, label).to_owned(), value));
    say(phrase("Track"), tr_path(language, &trace.track_path(id.track)));
    let Some((ran, event)) = ran(trace, id).zip(trace.event(id)) else { return facts };
    let text = |id: StrId| trace.strings.get(id);
    let both = |name: &str, label: &str| {
        if label.is_empty() || name == label { name.to_owned() } else { format!("{name} {label}") }
    };
    let thread = trace.tracks.get(ran.state.track);
    say(phrase("Thread"), both(text(event.name), text(thread.label)));
    if let Some(process) = thread.parent.map(|parent| trace.tracks.get(parent)) {
        say(phrase("Process"), both(text(process.name), text(process.label)));
    }
    if let Some(left) = ran.left {
        say(phrase("End state"), text(left).to_owned());
    }
    facts
}
