//! Marks that are neither begin nor end: counters, scopes of no thread, instants.
//!
//! | mark | becomes |
//! |---|---|
//! | `C\|pid\|name\|value` | a sample of a counter of the process |
//! | `S\|pid\|name\|cookie` … `F\|pid\|name\|cookie` | a slice on a track of the name |
//! | `G\|pid\|track\|name\|cookie` … `H\|pid\|track\|cookie` | a slice on the named track |
//! | `I\|pid\|name` | an instant of the thread |
//! | `N\|pid\|track\|name` | an instant on the named track, or the begin or end of an interval, see `battery.rs` |

use super::{Collector, Mark, RowPlace, shortened};
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::Ticks;
use crate::base::unit::Unit;
use crate::format::Sink;
use crate::model::id::{StrId, TrackId};
use crate::model::slice::SliceRow;
use crate::model::strings::Strings;
use crate::model::track::TrackKind;
use crate::systems::android::startup::Open;

const UNPAIRED: &str = "unpaired async begins or ends";
const ODD: &str = "unreadable marks";

/// Asynchronous slices that have begun, by process, track and cookie.
#[derive(Default)]
pub(crate) struct Others {
    open: Map<(StrId, StrId, StrId), Begun>,
}

/// An asynchronous slice that began.
#[derive(Clone, Copy)]
struct Begun {
    time: Ticks,
    name: StrId,
    place: RowPlace,
}

impl Collector {
    /// Takes a mark that is neither begin nor end. Constant time.
    pub(crate) fn other(&mut self, row: &Mark, sink: &mut Sink) {
        self.time(row.time);
        let fields: Vec<&str> = row.mark.trim_end().splitn(5, '|').collect();
        let taken = match fields.as_slice() {
            ["C", pid, name, value] if self.connection(pid, (name, value), row, sink) => Some(()),
            ["C", pid, name, value] => self.counter(pid, name, value, row.time, sink),
            ["S", pid, name, cookie] => {
                self.start(pid, (name, name, cookie), row, sink);
                Some(())
            }
            ["F", pid, name, cookie] => self.stop(pid, (name, cookie), row, sink),
            ["G", pid, track, name, cookie] => {
                self.start(pid, (track, name, cookie), row, sink);
                Some(())
            }
            ["H", pid, track, .., cookie] => self.stop(pid, (track, cookie), row, sink),
            ["I", _, name] => self.instant_of_thread(name, row, sink),
            ["N", pid, track, name] => self.instant(pid, (track, name), row, sink),
            _ => None,
        };
        if taken.is_none() {
            sink.builder.drop_row(ODD);
        }
    }

    fn counter(&mut self, pid: &str, name: &str, value: &str, time: Ticks, sink: &mut Sink) -> Option<()> {
        let value: f64 = value.trim().parse().ok()?;
        let name = sink.builder.intern(shortened(name));
        let track = self.beside(pid, TrackKind::Counter, name, sink)?;
        sink.builder.sample(track, name, &Unit::None, time, value);
        Some(())
    }

    fn start(&mut self, pid: &str, (track, name, cookie): (&str, &str, &str), row: &Mark, sink: &mut Sink) {
        let key = key(pid, track, cookie, sink);
        let name = sink.builder.intern(shortened(name));
        let begun = Begun { time: row.time, name, place: row.place };
        // Begun again while it goes on: the first begin counts.
        let first = *self.others.open.entry(key).or_insert(begun);
        if (first.time, first.place.start) != (begun.time, begun.place.start) {
            sink.builder.drop_row(UNPAIRED);
        }
    }

    fn stop(&mut self, pid: &str, (track, cookie): (&str, &str), row: &Mark, sink: &mut Sink) -> Option<()> {
        let key = key(pid, track, cookie, sink);
        match self.others.open.remove(&key) {
            Some(begun) => self.asynchronous(key, begun, (row.time, false), sink),
            None => {
                sink.builder.drop_row(UNPAIRED);
                Some(())
            }
        }
    }

    fn asynchronous(
        &mut self,
        (pid, track, _): (StrId, StrId, StrId),
        begun: Begun,
        (end, is_unfinished): (Ticks, bool),
        sink: &mut Sink,
    ) -> Option<()> {
        let pid = sink.builder.trace().strings.get(pid).to_owned();
        let track = self.beside(&pid, TrackKind::Slices, track, sink)?;
        let row = SliceRow {
            is_unfinished,
            detail_start: begun.place.start,
            detail_len: begun.place.len,
            ..SliceRow::new(begun.time, end.saturating_sub(begun.time), begun.name)
        };
        sink.builder.async_track(track);
        sink.builder.slice(track, row);
        Some(())
    }

    fn instant(&mut self, pid: &str, (track, name): (&str, &str), row: &Mark, sink: &mut Sink) -> Option<()> {
        if self.battery(pid, (track, name), row, sink) {
            return Some(());
        }
        let track = sink.builder.intern(shortened(track));
        let track = self.beside(pid, TrackKind::Slices, track, sink)?;
        let name = sink.builder.intern(shortened(name));
        sink.builder.instant(track, row.time, name, Strings::EMPTY, (row.place.start, row.place.len));
        Some(())
    }

    fn instant_of_thread(&mut self, name: &str, row: &Mark, sink: &mut Sink) -> Option<()> {
        let at = self.seen(row, sink);
        let track = self.threads.track(at, &self.survey, sink)?;
        let name = sink.builder.intern(shortened(name));
        sink.builder.instant(track, row.time, name, Strings::EMPTY, (row.place.start, row.place.len));
        Some(())
    }

    /// A track of a process beside its threads.
    pub(super) fn beside(
        &mut self,
        pid: &str,
        kind: TrackKind,
        name: StrId,
        sink: &mut Sink,
    ) -> Option<TrackId> {
        let is_number = pid.bytes().all(|b| b.is_ascii_digit());
        let pid = sink.builder.intern(if is_number { pid } else { "" });
        let process = self.threads.process(pid, &self.survey, sink)?;
        self.threads.other(Some(process), kind, name, sink)
    }

    /// Asynchronous slices that are still open end with the trace.
    pub(super) fn finish_others(&mut self, end: Ticks, sink: &mut Sink) {
        let open = std::mem::take(&mut self.others.open);
        let mut open: Vec<_> = open.into_iter().collect();
        order::sort_by_key(&mut open, |(_, begun)| begun.place.start);
        for (key, begun) in open {
            sink.builder.drop_row(UNPAIRED);
            Open::add(sink.builder.head(), (self.options.entry, begun.time, begun.name));
            self.asynchronous(key, begun, (end, true), sink);
        }
    }
}

fn key(pid: &str, track: &str, cookie: &str, sink: &mut Sink) -> (StrId, StrId, StrId) {
    let mut id = |text: &str| sink.builder.intern(shortened(text));
    (id(pid), id(track), id(cookie))
}
