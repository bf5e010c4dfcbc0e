//! Launches of works that no flow leads to: a call of the host that bears the same number.
//!
//! Of several calls of one number it is the last that does not begin after the work; when all do (clocks that are not
//! aligned), the first. Several works may have one call: those of a recorded graph are launched together. Numbers of one
//! file mean nothing in another.

use crate::analysis::device::gather::Call;
use crate::analysis::device::making::{PIECE, ROW};
use crate::analysis::device::{Class, Device, Launch};
use crate::analysis::timeline::Timeline;
use crate::base::job::{Turn, pieces};
use crate::base::sort::sorted;
use crate::base::time::Ticks;
use crate::model::Trace;
use crate::model::id::TrackId;
use crate::model::track::Track;

/// A slice of the host: its file and number, time, track, row.
type Linked = (Key, Ticks, TrackId, u32);
type Key = (u32, u32);

/// Searches launches on these tracks of the host, and gives their calls away.
pub(in crate::analysis::device) async fn link(
    (trace, timeline): (&Trace, &Timeline),
    mut tracks: Vec<TrackId>,
    of: &mut Device,
    calls: &mut Vec<Call>,
    turn: &Turn,
) {
    let has_links = |id: TrackId| trace.tracks.find(id).is_some_and(|track| !track.slices.link.is_empty());
    if !of.streams.iter().any(|stream| has_links(stream.track)) {
        return;
    }
    tracks.retain(|id| has_links(*id));
    let mut found: Vec<Linked> = Vec::new();
    for track in tracks {
        let Track { slices, entry, .. } = trace.tracks.get(track);
        let by = timeline.shift_of(track);
        for rows in pieces(slices.len(), PIECE) {
            let n = rows.len();
            found.extend(rows.filter_map(|row| {
                let link = slices.link.get(row).copied().filter(|link| *link != 0)?;
                Some(((*entry, link), slices.start[row].saturating_add(by), track, row as u32))
            }));
            if turn.is_over(ROW * n) {
                turn.pause().await;
            }
        }
    }
    if found.is_empty() {
        return;
    }
    let linked = sorted(found, turn).await;
    for piece in pieces(of.works.len(), PIECE / 4) {
        let n = piece.len();
        for number in piece {
            if let Some(launch) = launch(trace, &linked, of, number) {
                of.works[number].launch = Some(launch);
                calls.push((launch.track, launch.time, number as u32));
            }
        }
        if turn.is_over(4 * ROW * n) {
            turn.pause().await;
        }
    }
}

/// Where a work was launched that has no launch yet.
fn launch(trace: &Trace, linked: &[Linked], of: &Device, number: usize) -> Option<Launch> {
    let work = of.works.get(number).filter(|work| work.launch.is_none() && work.class != Class::Wait)?;
    let Track { slices, entry, .. } = trace.tracks.find(work.slice.track)?;
    let link = slices.link.get(work.slice.row as usize).copied().filter(|link| *link != 0)?;
    let link = (*entry, link);
    let behind = linked.partition_point(|call| (call.0, call.1) <= (link, work.span.start));
    let before = behind.checked_sub(1).and_then(|at| linked.get(at)).filter(|call| call.0 == link);
    let (_, time, track, row) =
        before.or_else(|| linked.get(behind).filter(|call| call.0 == link)).copied()?;
    Some(Launch { track, time, row: Some(row) })
}
