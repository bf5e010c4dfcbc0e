//! Begins and ends of one track become slices.
//!
//! An end closes the innermost open begin of its name and category; what it does not say fits all. Events of a track may be
//! written by several threads and stand in the file out of order: they wait among some ten thousand neighbors.

use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::order;
use crate::base::time::Ticks;
use crate::base::words::message;
use crate::format::sink::Sink;
use crate::model::id::{StrId, TrackId};
use crate::model::slice::SliceRow;
use crate::model::strings::Strings;
use crate::systems::android::systrace::collect::quoted;

/// Events that wait for earlier ones; the earlier half goes on when there are so many.
const WAITING: usize = 1 << 16;

/// A begin or an end.
#[derive(Clone, Copy)]
pub(crate) struct Point {
    pub(crate) is_begin: bool,
    /// Its time, name, category and place.
    pub(crate) row: SliceRow,
    /// Whether arrows lead to it.
    pub(crate) has_flows: bool,
}

/// Events of a track that are not slices yet.
pub(crate) struct Lane {
    track: TrackId,
    waiting: Vec<Point>,
    open: Vec<SliceRow>,
    /// Ends that arrows lead to, and where their slices begin.
    pub(crate) ends: Vec<(Ticks, Ticks)>,
}

impl Lane {
    pub(crate) fn of(track: TrackId) -> Self {
        Self { track, waiting: Vec::new(), open: Vec::new(), ends: Vec::new() }
    }

    /// Takes an event.
    pub(crate) fn take(&mut self, point: Point, path: &str, sink: &mut Sink) {
        self.waiting.push(point);
        if WAITING <= self.waiting.len() {
            self.sort();
            self.go_on(WAITING / 2, path, sink);
        }
    }

    fn sort(&mut self) {
        if !self.waiting.is_sorted_by_key(|point| point.row.start) {
            order::sort_by_number(&mut self.waiting, |point| point.row.start);
        }
    }

    fn go_on(&mut self, n: usize, path: &str, sink: &mut Sink) {
        let later = self.waiting.split_off(n.min(self.waiting.len()));
        for point in std::mem::replace(&mut self.waiting, later) {
            if point.is_begin {
                self.open.push(point.row);
            } else {
                self.end(&point, path, sink);
            }
        }
    }

    fn end(&mut self, point: &Point, path: &str, sink: &mut Sink) {
        let end = &point.row;
        let fits = |said: StrId, of: StrId| said == Strings::EMPTY || said == of;
        let is_of = |begin: &SliceRow| fits(end.name, begin.name) && fits(end.category, begin.category);
        let Some(at) = self.open.iter().rposition(is_of) else {
            let kind = match sink.builder.trace().strings.get(end.name) {
                "" => Kind::Problem(message("slice end without a begin")),
                name => Kind::Problem(message("end {mark} without a begin").with("mark", quoted(name))),
            };
            let place = Place::byte(path.to_owned(), end.detail_start);
            sink.fault(Fault::new("PFT-ORPHAN-END", Severity::Note, place, kind).note("Skipped."));
            sink.builder.drop_row("slice ends without a begin");
            return;
        };
        let begin = self.open.remove(at);
        if point.has_flows {
            self.ends.push((end.start, begin.start));
        }
        sink.builder.slice(self.track, SliceRow { dur: end.start.saturating_sub(begin.start), ..begin });
    }

    /// Nothing follows: slices that are still open last to the end of the trace.
    /// Tells its track, and ends that arrows lead to with the begins of their slices.
    pub(crate) fn finish(
        mut self,
        last: Ticks,
        path: &str,
        sink: &mut Sink,
    ) -> (TrackId, Vec<(Ticks, Ticks)>) {
        self.sort();
        self.go_on(usize::MAX, path, sink);
        for begin in std::mem::take(&mut self.open) {
            let name = quoted(sink.builder.trace().strings.get(begin.name));
            let kind = Kind::Problem(message("{name} never ends").with("name", name));
            let place = Place::byte(path.to_owned(), begin.detail_start);
            let fault = Fault::new("PFT-OPEN", Severity::Note, place, kind);
            sink.fault(fault.note("The slice extends to the end of the trace."));
            let dur = last.saturating_sub(begin.start);
            sink.builder.slice(self.track, SliceRow { dur, ..begin });
        }
        (self.track, self.ends)
    }
}
