//! Track events: which track each is on, and what becomes of it there.
//!
//! | event | becomes |
//! |---|---|
//! | begin, end; old phases `B` `E`, `X` | slices |
//! | instant; `I` `i` `R` | instants |
//! | counter, and counters that ride on other events | samples |
//! | `b` `e` `n`, `S` `T` `p` `F` | slices and instants on a track of the name, paired by id |
//! | flow ids, bind ids, `s` `t` `f` | arrows |
//! | other phases | counted |

use super::flow::{Family, Flows, Role};
use super::{Amount, Counter, Descriptors, Owner, Places};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::map::{Map, Set};
use crate::base::order;
use crate::base::time::Ticks;
use crate::base::words::message;
use crate::format::Sink;
use crate::model::id::{StrId, TrackId};
use crate::model::slice::SliceRow;
use crate::model::strings::Strings;
use crate::model::track::TrackKind;
use crate::systems::android::systrace::collect::{Collector, quoted, shortened};
use crate::systems::perfetto::faults::negative;
use crate::systems::perfetto::packet::messages::{Legacy, TrackEvent};
use crate::systems::perfetto::sequence::{Sequence, text};

/// What an event is read with.
pub(crate) struct Around<'a> {
    pub(crate) all: &'a Descriptors,
    pub(crate) collector: &'a mut Collector,
    pub(crate) sequence: &'a mut Sequence,
    pub(crate) sink: &'a mut Sink,
    pub(crate) time: Ticks,
    pub(crate) place: (u64, u32),
    pub(crate) path: &'a str,
}

/// What begins and ends together: of a track; of a thread or process by its track; of an id with its scope.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Track(u64),
    Place(TrackId),
    Thread(i64, i64),
    Id { process: i64, id: u64, category: StrId, scope: StrId },
}

/// All track events of a file.
#[derive(Default)]
pub(crate) struct TrackEvents {
    places: Places,
    lanes: Vec<Lane>,
    by_key: Map<Key, (usize, TrackId)>,
    /// Tracks with a stack of a descriptor or an id.
    with_lanes: Set<TrackId>,
    counters: Map<u64, Option<Counter>>,
    flows: Flows,
}

impl TrackEvents {
    /// Takes an event.
    pub(crate) fn take(&mut self, event: &TrackEvent, around: &mut Around) {
        let legacy = event.legacy.clone().unwrap_or_default();
        let (name, category) = words(event, &legacy, around);
        self.riders(event, around);
        let phase = u8::try_from(legacy.phase.unwrap_or(0)).unwrap_or(0);
        let kind = match event.kind.unwrap_or(0) {
            1 => b'B',
            2 => b'E',
            3 => b'I',
            4 => return self.value(event, around),
            _ => phase,
        };
        let (start, len) = around.place;
        let row = SliceRow {
            category,
            detail_start: start,
            detail_len: len,
            ..SliceRow::new(around.time, 0, name)
        };
        let found = match kind {
            b'b' | b'e' | b'n' | b'S' | b'T' | b'p' | b'F' => self.by_id(&legacy, &row, around),
            b'B' | b'E' | b'X' | b'I' | b'i' | b'R' | b's' | b't' | b'f' => {
                self.place(event, &legacy, &row, around)
            }
            _ => {
                let phase = char::from(kind.max(b' ')).to_string();
                return around.sink.builder.drop_row(&format!("track events of phase {}", phase.trim()));
            }
        };
        let Some((lane, track)) = found else { return };
        let n_arrows = self.flows.n();
        self.arrows(event, &legacy, (kind, &row), track, around);
        match kind {
            b'B' | b'E' | b'b' | b'e' | b'S' | b'F' => {
                let point = Point {
                    is_begin: matches!(kind, b'B' | b'b' | b'S'),
                    row,
                    has_flows: n_arrows < self.flows.n(),
                };
                if let Some(lane) = self.lanes.get_mut(lane) {
                    lane.take(point, around.path, around.sink);
                }
            }
            b'X' => {
                let dur = legacy.micros.unwrap_or(0).saturating_mul(1000);
                slice(track, SliceRow { dur, ..row }, around.path, around.sink);
                around.collector.time(around.time.saturating_add(dur.max(0)));
            }
            b's' | b't' | b'f' => {}
            _ => around.sink.builder.instant(track, around.time, name, category, around.place),
        }
    }

    /// The track of an event that says it, or of the thread that wrote it.
    fn place(
        &mut self,
        event: &TrackEvent,
        legacy: &Legacy,
        row: &SliceRow,
        around: &mut Around,
    ) -> Option<(usize, TrackId)> {
        let uuid = event.track.or(around.sequence.track).unwrap_or(0);
        let is_old = event.track.is_none() || event.kind.unwrap_or(0) == 0;
        let (pid, tid) = around.sequence.thread.unzip();
        let is_other = legacy.pid.is_some() || (legacy.tid.is_some() && pid.is_some());
        if uuid == 0
            && (is_old || is_other)
            && let Some(tid) = legacy.tid.map(i64::from).or(tid)
        {
            let pid = legacy.pid.map(i64::from).or(pid).unwrap_or(tid);
            let is_scoped = event.kind.unwrap_or(0) == 0 && matches!(legacy.instant_scope, Some(1 | 2));
            let known = self.by_key.get(&Key::Thread(pid, tid)).filter(|_| !is_scoped);
            if let Some(known) = known {
                return Some(*known);
            }
            let Owner::Thread(process, thread) = around.all.thread_of(pid, tid) else { return None };
            if !is_scoped {
                let name = around.all.thread_name(&process, &thread);
                let track = around.collector.thread_track((&process, &thread, name), around.sink);
                return self.lane((Key::Thread(pid, tid), track), around);
            }
            let (group, name) = match legacy.instant_scope {
                Some(1) => (None, "Global events"),
                _ => (around.collector.process_track(&process, around.sink), "Process events"),
            };
            let track = around.collector.track_in(group, TrackKind::Slices, name, around.sink);
            return self.lane((Key::Place(track?), track), around);
        }
        if around.all.get(uuid).is_some_and(|row| row.counter.is_some()) {
            around.sink.builder.drop_row("slices on counter tracks");
            return None;
        }
        let known = self.by_key.get(&Key::Track(uuid)).copied();
        known.or_else(|| {
            let name = around.sink.builder.trace().strings.get(row.name).to_owned();
            let first = (uuid, (around.time, name.as_str()));
            let track = self.places.track(first, around.all, around.collector, around.sink);
            self.lane((Key::Track(uuid), track), around)
        })
    }

    /// The track of an event with an id.
    fn by_id(&mut self, legacy: &Legacy, row: &SliceRow, around: &mut Around) -> Option<(usize, TrackId)> {
        let pid = legacy.pid.map(i64::from).or(around.sequence.thread.map(|(pid, _)| pid));
        let (id, process) = match (legacy.global_id.or(legacy.unscoped_id), legacy.local_id) {
            (Some(id), _) => (id, None),
            (None, id) => (id.unwrap_or(0), pid),
        };
        let scope = String::from_utf8_lossy(legacy.scope.as_deref().unwrap_or_default());
        let scope = around.sink.builder.intern(shortened(&scope));
        let key = Key::Id { process: process.unwrap_or(-1), id, category: row.category, scope };
        if let Some(known) = self.by_key.get(&key) {
            return Some(*known);
        }
        let name = around.sink.builder.trace().strings.get(row.name).to_owned();
        let group = process.and_then(|pid| {
            let Owner::Thread(process, _) = around.all.thread_of(pid, 0) else { return None };
            around.collector.process_track(&process, around.sink)
        });
        let track = around.collector.track_in(group, TrackKind::Slices, &name, around.sink);
        self.lane((key, track), around)
    }

    fn lane(
        &mut self,
        (key, track): (Key, Option<TrackId>),
        around: &mut Around,
    ) -> Option<(usize, TrackId)> {
        let Some(track) = track else {
            around.collector.report_tracks(around.sink);
            return None;
        };
        // Siblings of one name are one track: several stacks.
        if matches!(key, Key::Track(_) | Key::Id { .. }) && !self.with_lanes.insert(track) {
            around.sink.builder.async_track(track);
        }
        let lanes = &mut self.lanes;
        Some(*self.by_key.entry(key).or_insert_with(|| {
            lanes.push(Lane::of(track));
            (lanes.len() - 1, track)
        }))
    }

    /// Arrows that begin, pass or end at an event.
    fn arrows(
        &mut self,
        event: &TrackEvent,
        legacy: &Legacy,
        (kind, row): (u8, &SliceRow),
        track: TrackId,
        around: &Around,
    ) {
        let (at, is_end) = ((track, around.time), matches!(kind, b'E' | b'e' | b'F'));
        for id in event.flows.iter().chain(&event.flow_numbers) {
            self.flows.add((Family::Flow, *id), at, (Role::Link, is_end));
        }
        for id in event.last_flows.iter().chain(&event.last_flow_numbers) {
            self.flows.add((Family::Flow, *id), at, (Role::Last, is_end));
        }
        let role = match legacy.direction {
            Some(1) => Some(Role::End),
            Some(2) => Some(Role::Start),
            Some(3) => Some(Role::Link),
            _ => None,
        };
        if let (Some(id), Some(role)) = (legacy.bind_id, role) {
            self.flows.add((Family::Bind, id), at, (role, is_end));
        }
        let role = match kind {
            b's' => Role::Start,
            b't' => Role::Link,
            b'f' => Role::Last,
            _ => return,
        };
        let id = legacy.unscoped_id.or(legacy.global_id).or(legacy.local_id).or(legacy.bind_id);
        self.flows.add((Family::Phase(row.category, row.name), id.unwrap_or(0)), at, (role, is_end));
    }

    /// The value of a counter.
    fn value(&mut self, event: &TrackEvent, around: &mut Around) {
        let uuid = event.track.or(around.sequence.track).unwrap_or(0);
        let amount = match (event.counter_value, event.double_value) {
            (Some(number), _) => Amount::Number(number),
            (None, Some(number)) => Amount::Double(number),
            (None, None) => return around.sink.builder.drop_row("counter events without a value"),
        };
        self.count(uuid, amount, around);
    }

    /// Values of counters that ride on an event.
    fn riders(&mut self, event: &TrackEvent, around: &mut Around) {
        let tracks = |own: &[u64], usual: &[u64]| if own.is_empty() { usual.to_vec() } else { own.to_vec() };
        if !event.counter_values.is_empty() {
            let tracks = tracks(&event.counters, &around.sequence.counters);
            for (uuid, value) in tracks.into_iter().zip(&event.counter_values) {
                self.count(uuid, Amount::Number(*value), around);
            }
        }
        if !event.double_values.is_empty() {
            let tracks = tracks(&event.double_counters, &around.sequence.double_counters);
            for (uuid, value) in tracks.into_iter().zip(&event.double_values) {
                self.count(uuid, Amount::Double(*value), around);
            }
        }
    }

    fn count(&mut self, uuid: u64, amount: Amount, around: &mut Around) {
        if !self.counters.contains_key(&uuid) {
            let said = around.all.get(uuid).and_then(|row| row.counter.as_ref());
            let made = said.and_then(|said| {
                let place = (uuid, (around.time, ""));
                let track = self.places.track(place, around.all, around.collector, around.sink)?;
                Some(Counter::of(said, track, around.sink))
            });
            self.counters.insert(uuid, made);
        }
        match self.counters.get(&uuid) {
            Some(Some(counter)) => counter.take((uuid, around.time, amount), around.sequence, around.sink),
            _ => around.sink.builder.drop_row("counter values without a counter track"),
        }
    }

    /// Nothing follows. Works on the next track, or on the next arrows; false when all is done.
    pub(crate) fn finish(&mut self, last: Ticks, path: &str, sink: &mut Sink) -> bool {
        match self.lanes.pop() {
            Some(lane) => self.flows.learn(lane.finish(last, path, sink)),
            None => return self.flows.join(sink),
        }
        true
    }
}

/// Adds a slice; one that ends before it begins is said.
fn slice(track: TrackId, row: SliceRow, path: &str, sink: &mut Sink) {
    if row.dur < 0 {
        sink.fault(negative(row.dur, Place::byte(path.to_owned(), row.detail_start)));
    }
    sink.builder.slice(track, row);
}

/// Name and categories of an event.
fn words(event: &TrackEvent, legacy: &Legacy, around: &mut Around) -> (StrId, StrId) {
    let id = event.name_id.or(legacy.name_id);
    let name = match (&event.name, id) {
        (Some(name), _) => around.sink.builder.intern(shortened(&String::from_utf8_lossy(name))),
        (None, Some(id)) => around.sequence.text(text::NAME, id).unwrap_or_else(|| {
            around.sink.builder.drop_row("names that were lost");
            around.sink.builder.intern(&format!("name {id}"))
        }),
        (None, None) => Strings::EMPTY,
    };
    let category = match (event.category_ids.as_slice(), event.categories.as_slice()) {
        ([], []) => Strings::EMPTY,
        ([id], []) => around.sequence.text(text::CATEGORY, *id).unwrap_or(Strings::EMPTY),
        (ids, texts) => {
            let ids = ids.iter().filter_map(|id| around.sequence.text(text::CATEGORY, *id));
            let strings = &around.sink.builder.trace().strings;
            let all = ids.map(|id| strings.get(id).to_owned());
            let all = all.chain(texts.iter().map(|text| String::from_utf8_lossy(text).into_owned()));
            let all = all.collect::<Vec<_>>().join(",");
            around.sink.builder.intern(shortened(&all))
        }
    };
    (name, category)
}

// Begins and ends of one track become slices.
//
// An end closes the innermost open begin of its name and category; what it does not say fits all. Events of a track may be
// written by several threads and stand in the file out of order: they wait among some ten thousand neighbors.

/// Events that wait for earlier ones; the earlier half goes on when there are so many.
const WAITING: usize = 1 << 16;

/// A begin or an end.
#[derive(Clone, Copy)]
pub(crate) struct Point {
    pub(crate) is_begin: bool,
    /// Its time, name, category and place.
    pub(crate) row: SliceRow,
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
                "" => Kind::Problem(message("slice end without a start")),
                name => Kind::Problem(message("end {mark} without a start").with("mark", quoted(name))),
            };
            let place = Place::byte(path.to_owned(), end.detail_start);
            sink.fault(Fault::new("PFT-ORPHAN-END", Severity::Note, place, kind).note("Skipped."));
            sink.builder.drop_row("slice ends without a start");
            return;
        };
        let begin = self.open.remove(at);
        if point.has_flows {
            self.ends.push((end.start, begin.start));
        }
        slice(self.track, SliceRow { dur: end.start.saturating_sub(begin.start), ..begin }, path, sink);
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
            sink.builder.slice(self.track, SliceRow { dur, is_unfinished: true, ..begin });
        }
        (self.track, self.ends)
    }
}
