//! Launches of works that no flow leads to: a call of the host that bears the same number.
//!
//! Of several calls of one number it is the last that does not begin after the work; when all do (clocks that are not
//! aligned), the first. Several works may have one call: those of a recorded graph are launched together. Numbers of one
//! file mean nothing in another.

use crate::analysis::device::gather::Call;
use crate::analysis::device::{Class, Device, Launch};
use crate::analysis::timeline::Timeline;
use crate::base::sort::Sorting;
use crate::base::time::Ticks;
use crate::model::Trace;
use crate::model::id::TrackId;
use crate::model::track::Track;

/// A slice of the host: its file and number, time, track, row.
type Linked = (Key, Ticks, TrackId, u32);
type Key = (u32, u32);

/// The search for launches, on its way.
pub(in crate::analysis::device) enum Linking {
    /// Slices of the host are collected: tracks, the one that is next, its row that is next.
    Collect(Vec<TrackId>, (usize, usize), Vec<Linked>),
    Sort(Sorting<Linked>),
    /// Works are looked at, from one on.
    Join(Vec<Linked>, usize),
}

impl Linking {
    /// Begins with the tracks of the host.
    pub(in crate::analysis::device) fn new(trace: &Trace, mut tracks: Vec<TrackId>, of: &Device) -> Self {
        let has_links =
            |id: TrackId| trace.tracks.find(id).is_some_and(|track| !track.slices.link.is_empty());
        if of.streams.iter().any(|stream| has_links(stream.track)) {
            tracks.retain(|id| has_links(*id));
        } else {
            tracks.clear();
        }
        Self::Collect(tracks, (0, 0), Vec::new())
    }

    /// Does the next piece; `None` when nothing is left to do.
    pub(in crate::analysis::device) fn step(
        self,
        trace: &Trace,
        timeline: &Timeline,
        left: &mut usize,
        of: &mut Device,
        calls: &mut Vec<Call>,
    ) -> Option<Self> {
        match self {
            Self::Collect(tracks, (mut at, mut row), mut found) => {
                while 0 < *left
                    && let Some(&track) = tracks.get(at)
                {
                    let Track { slices, entry, .. } = trace.tracks.get(track);
                    let (end, by) = (slices.len().min(row + *left), timeline.shift_of(track));
                    let linked = (row..end).filter_map(|row| {
                        let link = slices.link.get(row).copied().filter(|link| *link != 0)?;
                        Some(((*entry, link), slices.start[row].saturating_add(by), track, row as u32))
                    });
                    found.extend(linked);
                    *left -= end - row;
                    (at, row) = if end < slices.len() { (at, end) } else { (at + 1, 0) };
                }
                Some(match tracks.get(at) {
                    Some(_) => Self::Collect(tracks, (at, row), found),
                    None if found.is_empty() => return None,
                    None => Self::Sort(Sorting::new(found)),
                })
            }
            Self::Sort(mut sorting) => {
                *left = 0;
                Some(if sorting.step() { Self::Sort(sorting) } else { Self::Join(sorting.finish(), 0) })
            }
            Self::Join(linked, from) => {
                let end = of.works.len().min(from + *left / 4);
                for number in from..end {
                    if let Some(launch) = launch(trace, &linked, of, number) {
                        of.works[number].launch = Some(launch);
                        calls.push((launch.track, launch.time, number as u32));
                    }
                }
                *left -= 4 * (end - from);
                (end < of.works.len()).then_some(Self::Join(linked, end))
            }
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
