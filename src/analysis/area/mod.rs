//! What an area holds, a stretch of time on some tracks: its calls as a tree, tracks that are busy together, gaps in
//! which nothing is done, and flows. Everything costs the slices (or flows) of the area once.

pub mod flame;
pub mod gaps;
pub mod links;
pub mod overlap;

use super::timeline::Timeline;
use super::timeline::order::{Chosen, Rows, in_order, rows_in};
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::figure::Family;
use crate::model::id::{SliceId, TrackId};
use crate::model::track::Role;
use flame::{Flame, FlameMaking};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// A stretch of time on some tracks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Area {
    pub span: Span,
    /// The tracks; groups stand for all below them; none stands for all.
    pub tracks: Vec<TrackId>,
}

/// A stretch of time on some tracks of a trace.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    pub trace: &'a Trace,
    pub timeline: &'a Timeline,
    /// The tracks, with all their lanes, as [`chosen_tracks`](crate::analysis::timeline::chosen_tracks) gives them.
    pub tracks: Chosen<'a>,
    pub span: Span,
}

impl Scope<'_> {
    /// When a slice of a track is shown, whatever part of it lies in the time. Everything here reads the times of
    /// slices by this.
    pub(super) fn slice(self, id: TrackId, row: usize) -> Span {
        self.trace.tracks.get(id).slices.span(row).shifted(self.timeline.shift_of(id))
    }

    /// The same of the time in which it was recorded what a track does.
    fn recorded(self, id: TrackId) -> Self {
        Self { span: self.timeline.recorded(self.trace, id, self.span), ..self }
    }

    /// How many ticks of the time a track is busy or waits, as far as its first lane tells of waiting. States of threads
    /// last all the time, and notes over slices of streams may: of those only work counts.
    fn lasting(self, id: TrackId) -> Ticks {
        let (lanes, span) = (self.timeline.track(id), self.span.shifted(-self.timeline.shift_of(id)));
        let busy = lanes.busy(span);
        let is_covered =
            self.trace.tracks.get(id).role == Role::States || self.timeline.streams().kind(id).is_some();
        if is_covered { busy } else { busy.max(lanes.lasting(span)) }
    }

    /// Calls `each` for the slices of some tracks that lie at least partly in the time, in order of start: number of the
    /// track among them, the track, the row. Apart, so that what puts them in order is compiled once.
    fn each(self, tracks: Chosen, each: &mut dyn FnMut(usize, TrackId, usize)) {
        let take = |order: usize, id: SliceId| Some((order, id));
        in_order(self.trace, self.timeline, tracks, self.span, take, |_, (order, id)| {
            each(order, id.track, id.row as usize);
            ControlFlow::Continue(())
        });
    }

    /// Rows of a track that lie at least partly in the time, in order of start, then longest first.
    pub(super) fn rows(self, id: TrackId) -> AreaRows {
        let slices = &self.trace.tracks.get(id).slices;
        let (mut reaching, rows) = rows_in(self.trace, self.timeline, id, self.span);
        order::sort_by_key(&mut reaching, |&row| {
            (slices.start[row as usize], std::cmp::Reverse(slices.dur_of(row as usize)), row)
        });
        AreaRows { reaching: reaching.into_iter(), rows }
    }
}

/// Rows of a track in an area.
pub(super) struct AreaRows {
    /// Those that begin before it.
    reaching: std::vec::IntoIter<u32>,
    rows: Rows,
}

impl Iterator for AreaRows {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.reaching.next().or_else(|| self.rows.next()).map(|row| row as usize)
    }
}

/// Which slices are work: the time of all others is idle time. Waiting (for a flag, at a barrier, for an event) is none, in
/// traces with a row for each pipe neither is setting a flag, and of states of a thread only running is. Notes over the
/// slices of a stream never are, and slices without an end are neither work nor idle time.
pub struct Work {
    waits: bool,
}

impl Work {
    /// With `waits` every slice is work but notes, also waiting.
    pub fn new(waits: bool) -> Self {
        Self { waits }
    }

    /// Whether a slice of a track is work.
    pub fn is(&self, trace: &Trace, timeline: &Timeline, id: TrackId, row: usize) -> bool {
        let is_finished = || !trace.tracks.get(id).slices.is_unfinished(row);
        if self.waits {
            !timeline.is_note(trace, id, row) && is_finished()
        } else {
            timeline.is_work(trace, id, row)
        }
    }

    /// Whether nobody knows whether the track works during a slice: its end is not in the file.
    fn is_unknown(&self, trace: &Trace, timeline: &Timeline, id: TrackId, row: usize) -> bool {
        if self.waits {
            !timeline.is_note(trace, id, row) && trace.tracks.get(id).slices.is_unfinished(row)
        } else {
            timeline.is_unknown(trace, id, row)
        }
    }
}

/// What an answer was computed for: the revision of the timeline, and the area.
pub type Key = (u64, Span, Vec<TrackId>);

/// What was computed of areas last, since it is asked for with every movement of the pointer.
#[derive(Default)]
pub struct Areas {
    flame: Option<(Key, Flame)>,
    /// A call tree in progress.
    making: Option<(Key, FlameMaking)>,
    overlap: Option<(u64, Family)>,
    /// Tracks that are being compared for a figure of this id.
    comparing: Option<(String, overlap::Comparing)>,
}

impl Areas {
    /// Makes the call tree of an area, a few milliseconds long; says whether it is made. The same again costs nothing.
    pub fn flame_step(&mut self, trace: &Trace, timeline: &Timeline, span: Span, tracks: &[TrackId]) -> bool {
        let key = (timeline.revision(), span, tracks.to_vec());
        if self.flame.as_ref().is_some_and(|(of, _)| *of == key) {
            return true;
        }
        // What came since a tree was begun is in the next one.
        let begun = self.making.take().filter(|((_, of, on), _)| (*of, &on[..]) == (span, tracks));
        let begin = || (key, FlameMaking::of_area(trace, tracks, span));
        let (key, mut making) = begun.unwrap_or_else(begin);
        if making.step(trace, timeline) {
            self.making = Some((key, making));
            return false;
        }
        self.flame = Some((key, making.finish()));
        true
    }

    /// The call tree that was made last.
    pub fn flame(&self) -> Option<&Flame> {
        self.flame.as_ref().map(|(_, flame)| flame)
    }

    /// Makes the figure of an area with this id, when it is one, a few milliseconds long; says whether nothing is left to
    /// do. The same again costs nothing.
    pub fn figure_step(&mut self, trace: &Trace, timeline: &Timeline, id: &str) -> bool {
        let revision = timeline.revision();
        if self.overlap.as_ref().is_some_and(|(of, family)| *of == revision && family.id == id) {
            return true;
        }
        // What came since it was begun is in the next one.
        let begun = self.comparing.take().filter(|(of, _)| of == id).map(|(_, comparing)| comparing);
        let Some(mut comparing) = begun.or_else(|| overlap::begin(trace, timeline, id)) else { return true };
        if comparing.step(trace, timeline) {
            self.comparing = Some((id.to_owned(), comparing));
            return false;
        }
        self.overlap = Some((revision, overlap::family(trace, id, comparing)));
        true
    }

    /// The figure that was made last, when it has this id.
    pub fn figure(&self, id: &str) -> Option<&Family> {
        self.overlap.as_ref().map(|(_, family)| family).filter(|family| family.id == id)
    }
}
