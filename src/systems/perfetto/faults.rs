//! What is said of packets, times and tracks that are odd.

use super::clock::{Odd, STEPS, beyond};
use super::packet::walk::Spot;
use super::packet::{name_packet, number};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::number::time_offset;
use crate::base::time::{Clock, Ticks};
use crate::base::words::{Message, message};
use std::collections::BTreeSet;

/// A packet that cannot be read to its end.
pub(super) fn broken(spot: &Spot, error: String) -> Fault {
    let kind = Kind::Unexpected { expected: "packet fields".into(), found: error.into() };
    let fault = Fault::new("PFT-PACKET", Severity::Loss, spot.place.clone(), kind);
    fault.note("The rest of the packet is skipped.")
}

/// A time of a clock that is not one of the timeline.
pub(super) fn odd_time(odd: Odd, (time, clock): (i128, u32), spot: &Spot) -> Fault {
    let unchanged = |kind| {
        let fault = Fault::new("PFT-CLOCK", Severity::Warning, spot.place.clone(), kind);
        fault.note("Times are shown unchanged.")
    };
    match odd {
        Odd::Unrelated(_) => unchanged(Kind::Unexpected {
            expected: "a clock related to the trace clock".into(),
            found: format!("clock {clock}").into(),
        }),
        Odd::Far(_, n) => unchanged(Kind::Limit {
            what: "steps from a clock to the trace clock".into(),
            asked: n as u64,
            allowed: STEPS as u64,
        }),
        Odd::Unset => difference(spot, Severity::Loss).note("The event is skipped."),
        Odd::Beyond(nanos) => {
            let field = if nanos == time { "timestamp" } else { "timestamp in nanoseconds" };
            let fault = Fault::new("PFT-PACKET", Severity::Loss, spot.place.clone(), beyond(field, nanos));
            fault.note("The event is skipped.")
        }
    }
}

/// A difference of times before anything was said that it counts from.
pub(super) fn difference(spot: &Spot, severity: Severity) -> Fault {
    let kind = Kind::Problem(message("timestamp delta without a reference timestamp"));
    Fault::new("PFT-DELTA", severity, spot.place.clone(), kind)
}

/// What is wrong with a snapshot of clocks.
pub(super) fn snapshot(kind: Kind, spot: &Spot) -> Fault {
    let (severity, note) = match kind {
        Kind::OutOfRange { .. } => (Severity::Loss, "The reading is skipped."),
        _ => (Severity::Warning, "Timestamps of this clock may be wrong."),
    };
    Fault::new("PFT-SNAPSHOT", severity, spot.place.clone(), kind).note(note)
}

/// A slice that ends before it begins.
pub(super) fn negative(dur: Ticks, place: Place) -> Fault {
    let dur = time_offset(dur, Clock::Nanos);
    let kind = Kind::Problem(message("negative duration ({time})").with("time", dur));
    Fault::new("PFT-NEG-DUR", Severity::Warning, place, kind).note("The slice is shown with zero duration.")
}

/// A track whose parents lead back to it.
pub(super) fn circle((track, parent): (u64, u64), spot: &Spot) -> Fault {
    let said = message("track {track} is its own ancestor, with parent {parent}");
    let kind = Kind::Problem(said.with("track", track).with("parent", parent));
    let fault = Fault::new("PFT-PARENT", Severity::Warning, spot.place.clone(), kind);
    fault.note("It is shown without a parent.")
}

/// Packets that name something, that relate clocks, and that hold others: none of them is an event.
const QUIET: [u64; 10] = [
    number::PROCESS,
    number::THREAD,
    number::TRACK,
    number::PROCESS_TREE,
    number::GENERIC_TREE,
    number::GENERIC_RENAME,
    number::CLOCK_SNAPSHOT,
    number::REMOTE_CLOCKS,
    number::DEFLATED,
    number::ZSTD,
];

/// What a file without rows holds: by the kinds of all packets, those of them that are never shown, and whether anything
/// has a name.
pub(super) fn found(kinds: BTreeSet<u64>, others: BTreeSet<u64>, has_names: bool) -> Message {
    if kinds.iter().any(|kind| !QUIET.contains(kind) && !others.contains(kind)) {
        return "none that can be shown".into();
    }
    let listed = if others.is_empty() { kinds } else { others };
    match (listed.is_empty(), has_names) {
        (false, true) if listed.iter().all(|kind| QUIET.contains(kind)) => {
            "names of processes, threads and tracks only".into()
        }
        (false, _) => listed.into_iter().map(name_packet).collect::<Vec<_>>().join(", ").into(),
        (true, _) => "nothing".into(),
    }
}

/// A file that gave no rows.
pub(super) fn empty(found: Message, path: &str) -> Fault {
    let kind = Kind::Unexpected { expected: "events or counters".into(), found };
    Fault::new("PFT-EMPTY", Severity::Loss, Place::entry(path), kind).note("Nothing to show.")
}
