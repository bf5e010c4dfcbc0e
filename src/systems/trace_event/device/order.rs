//! Where processes and threads stand in traces with streams of devices: devices and their streams above the host, whose
//! stacks are deep, and what holds nothing but one instant last. Among themselves the order of the file holds.

use crate::analysis::device::class;
use crate::analysis::device::dialect::Dialect;
use crate::format::sink::Sink;
use crate::model::Trace;
use crate::model::id::TrackId;
use crate::model::track::Track;

/// How far tracks are put before or behind where the file has them: farther than its own numbers reach.
const FAR: i64 = 1 << 52;

/// Puts the tracks where they are looked for. A second time changes nothing.
pub(in crate::systems::trace_event) fn place(sink: &mut Sink) {
    let trace = sink.builder.trace();
    if !class::has_streams(trace) {
        return;
    }
    let places: Vec<(TrackId, i64)> = places(trace, sink.is_shared).collect();
    for (id, order) in places {
        sink.builder.order_track(id, order);
    }
}

/// New places of tracks that get one: files and what is right below them where there are several, otherwise processes.
fn places(trace: &Trace, has_files: bool) -> impl Iterator<Item = (TrackId, i64)> {
    let words = Dialect::of(trace);
    // Of each track with what is below it: how much it holds, and whether it is a device.
    let mut known = vec![(0_u64, false); trace.tracks.len()];
    for (id, track) in trace.tracks.iter() {
        let is_stream = class::stream(trace, words, id).is_some();
        let above = |id: &TrackId| trace.tracks.find(*id).and_then(|track| track.parent);
        for at in std::iter::successors(Some(id), above) {
            if let Some((held, is_device)) = known.get_mut(at.index()) {
                *held = held.saturating_add(holds(track));
                *is_device |= is_stream;
            }
        }
    }
    let is_process = move |track: &Track| match track.parent {
        Some(parent) => has_files && trace.tracks.get(parent).parent.is_none(),
        None => true,
    };
    let place = move |(id, track): (TrackId, &Track)| {
        let order = track.order.clamp(-FAR, FAR);
        let is_far = FAR <= order.abs();
        let by = match known.get(id.index()) {
            Some((1, _)) => 2 * FAR,
            Some((_, true)) if is_process(track) => -2 * FAR,
            _ => 0,
        };
        (by != 0 && !is_far).then_some((id, order + by))
    };
    trace.tracks.iter().filter_map(place)
}

/// How much a track holds itself: an instant counts one, anything with a length or a value more.
fn holds(track: &Track) -> u64 {
    let more = track.slices.len() + track.series.iter().map(|series| series.time.len()).sum::<usize>();
    2 * more as u64 + track.instants.len() as u64
}
