//! What lies under a point of the picture.

use super::layout::{Layout, RULER, Row, RowKind, Seen};
use super::{Setting, TimelineInput};
use crate::analysis::timeline::window::{self, Hit, near};
use crate::base::geometry::{Point, Px, Size};
use crate::base::time::{Span, Ticks};
use crate::model::id::{SliceId, TrackId};

/// How near the pointer must be to something narrow, in pixels.
const REACH: Px = 2.0;
/// How near to the middle of the mark of an instant.
const MARK_REACH: Px = 4.5;

/// What lies under the pointer.
#[derive(Clone, Debug, PartialEq)]
pub enum Under {
    /// A slice, or several too narrow to be told apart.
    Lane {
        /// The track.
        track: TrackId,
        /// The lane.
        lane: usize,
        /// What is there.
        hit: Hit,
        /// The stretch of time that was looked at.
        near: Span,
    },
    /// An instant.
    Instant(SliceId),
    /// A counter: values hold at this time of the file.
    Counter(TrackId, Ticks),
    /// A row with nothing there.
    Row(TrackId),
    /// The ruler.
    Ruler,
}

/// The row at a height of the picture, and its top edge.
pub fn row_at<'a>(layout: &'a Layout, setting: &Setting, size: Size, y: Px) -> Option<(&'a Row, Px)> {
    let is_there = |seen: &Seen| seen.y.max(seen.clip) <= y && y < seen.y + seen.row.h;
    layout.on_screen(setting.frame.scroll, size.h).find(is_there).map(|seen| (seen.row, seen.y))
}

/// Looks under a point.
pub fn under(on: TimelineInput, setting: &Setting, layout: &Layout, size: Size, at: Point) -> Option<Under> {
    if at.y < RULER {
        return Some(Under::Ruler);
    }
    let (row, top) = row_at(layout, setting, size, at.y)?;
    let per_px = setting.window.dur / f64::from(size.w.max(1.0));
    let time = setting.window.tick_at(f64::from(at.x / size.w.max(1.0)));
    let found = match row.kind {
        RowKind::Group => None,
        RowKind::Counter => {
            let time = time.saturating_sub(on.timeline.shift_of(row.track));
            Some(Under::Counter(row.track, time))
        }
        RowKind::Lanes(_) => {
            let y = at.y - top - row.strip;
            let lane = (y / row.lane).floor().max(0.0) as usize;
            let reach = (f64::from(REACH) * per_px).ceil() as Ticks;
            // What is drawn last is met first.
            let of = |track| lane.checked_sub(on.timeline.first_lane(track));
            let instants = || row.tracks().rev().find_map(|track| instant(on, track, time, per_px));
            let slices = |reach| {
                row.tracks().rev().find_map(|track| {
                    let time = time.saturating_sub(on.timeline.shift_of(track));
                    let lane = of(track)?;
                    let hit = window::hit(on.trace, on.timeline, track, lane, time, reach)?;
                    Some(Under::Lane { track, lane, hit, near: near(time, reach) })
                })
            };
            // Of merged tracks one that has a slice just there comes before one that has a slice near.
            let just_there = || if row.with.is_empty() { None } else { slices(0) };
            // Instants lie above the lanes, or alone in the row.
            let above = if y < 0.0 || row.strip == 0.0 { instants() } else { None };
            let below = || if y < 0.0 { None } else { just_there().or_else(|| slices(reach)) };
            above.or_else(below)
        }
    };
    Some(found.unwrap_or(Under::Row(row.track)))
}

fn instant(on: TimelineInput, track: TrackId, time: Ticks, per_px: f64) -> Option<Under> {
    let time = time.saturating_sub(on.timeline.shift_of(track));
    let instants = &on.trace.tracks.get(track).instants;
    if !instants.is_sorted() {
        return None;
    }
    let times = &instants.time;
    let reach = (f64::from(MARK_REACH) * per_px).ceil() as Ticks;
    let from = times.partition_point(|&t| t < time.saturating_sub(reach));
    let near = (from..times.len()).take_while(|&at| times[at] <= time.saturating_add(reach));
    let nearest = near.min_by_key(|&at| times[at].abs_diff(time))?;
    Some(Under::Instant(SliceId::of_instant(track, nearest)))
}
