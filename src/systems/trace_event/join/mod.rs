//! Events that belong together are joined: begins and ends, SET and WAIT, asynchronous ids, arrows.

pub(super) mod pairs;

use super::events::{Events, One, Refused, Taken};
use super::fields::Key;
use crate::base::map::{Map, Parts};
use crate::base::order;
use crate::base::time::Ticks;
use crate::format::Sink;
use crate::input::json::scan::{Members, unquoted};
use crate::model::FlowEnd;
use crate::model::chunked::Chunked;
use crate::model::id::{StrId, TrackId};
use crate::model::strings::Strings;
use crate::model::track::TrackKind;
use pairs::{Begin, End, Pairs};
use std::collections::VecDeque;

const OTHER_PAIRS: &str = "operator begin and end events other than SET and WAIT";
const TOO_MANY_FLOWS: &str = "flow events beyond the limit";

impl Events {
    pub(super) fn begin_of_thread(&mut self, one: &One, sink: &mut Sink) -> Taken {
        let time = self.time(one)?;
        let thread = self.thread(one)?;
        let track = self.track(one, sink)?;
        let row = self.row(one, (time, 0), sink);
        self.tally.begins += 1;
        self.bind(one, (track, time), row.name, sink);
        self.pairs.begin(thread as usize, Begin::new(track, row, one.number), &mut self.outcomes);
        self.settle_outcomes(sink);
        Ok(())
    }

    pub(super) fn end_of_thread(&mut self, one: &One, sink: &mut Sink) -> Taken {
        let time = self.time(one)?;
        let thread = self.thread(one)?;
        let track = self.track(one, sink)?;
        let end = self.end(one, track, time, sink);
        self.tally.ends += 1;
        self.pairs.end(thread as usize, end, &mut self.outcomes);
        self.settle_outcomes(sink);
        Ok(())
    }

    fn end(&mut self, one: &One, track: TrackId, time: Ticks, sink: &mut Sink) -> End {
        let name = self.name(one, Key::Name, sink);
        let category = self.name(one, Key::Cat, sink);
        End { track, time, name, category, detail: one.detail(), event: one.number }
    }

    /// SET and WAIT of an operator.
    pub(super) fn flag(&mut self, one: &One, is_begin: bool, sink: &mut Sink) -> Taken {
        let table = flag_table(one.text(Key::Name)).ok_or_else(|| Refused::from(OTHER_PAIRS))?;
        let time = self.time(one)?;
        let track = self.track(one, sink)?;
        let key = (table, self.name(one, Key::Id, sink));
        let pair = if is_begin {
            let row = self.row(one, (time, 0), sink);
            self.tally.begins += 1;
            self.flags.begin(key, Begin::new(track, row, one.number))
        } else {
            let end = self.end(one, track, time, sink);
            self.tally.ends += 1;
            self.flags.end(key, end)
        };
        if let Some((mut begin, end)) = pair {
            begin.row.dur = end.time.saturating_sub(begin.row.start);
            if begin.row.dur < 0 {
                self.report_negative(one, begin.row.dur, sink);
            }
            sink.builder.slice(begin.track, begin.row);
        }
        Ok(())
    }

    /// The stack of an asynchronous event, the key to it, and the track.
    fn asynchronous(&mut self, one: &One, sink: &mut Sink) -> Result<(usize, Vec<u8>, TrackId), Refused> {
        let (id, is_local) = async_id(one);
        let mut key = Vec::with_capacity(64);
        for part in [one.text(Key::Cat), one.text(Key::Scope), id] {
            key.extend_from_slice(part);
            key.push(0);
        }
        // Those of the old kind belong together by their names too.
        if matches!(one.text(Key::Ph), b"S" | b"T" | b"p" | b"F") {
            key.extend_from_slice(one.text(Key::Name));
            key.push(0);
        }
        if is_local {
            key.extend_from_slice(one.text(Key::Pid));
        }
        let stack = self.asyncs.stack(&key);
        if let Some(outermost) = self.asyncs.pairs.outermost(stack) {
            return Ok((stack, key, outermost.track));
        }
        let process = self.tracks.process(one.raw(Key::Pid));
        let category = self.name(one, Key::Cat, sink);
        let name = match self.name(one, Key::Name, sink) {
            Strings::EMPTY => category,
            name => name,
        };
        let apart = if name == category { Strings::EMPTY } else { category };
        let track = self.tracks.other(process, TrackKind::Slices, (name, apart), sink);
        Ok((stack, key, track.ok_or_else(|| self.no_track(one))?))
    }

    pub(super) fn begin_of_id(&mut self, one: &One, sink: &mut Sink) -> Taken {
        let time = self.time(one)?;
        let (stack, key, track) = self.asynchronous(one, sink)?;
        let row = self.row(one, (time, 0), sink);
        self.tally.begins += 1;
        self.bind(one, (track, time), row.name, sink);
        self.asyncs.pairs.begin(stack, Begin::new(track, row, one.number), &mut self.outcomes);
        self.asyncs.settle(&key, stack);
        self.settle_outcomes(sink);
        Ok(())
    }

    pub(super) fn end_of_id(&mut self, one: &One, sink: &mut Sink) -> Taken {
        let time = self.time(one)?;
        let (stack, key, track) = self.asynchronous(one, sink)?;
        let end = self.end(one, track, time, sink);
        self.tally.ends += 1;
        self.asyncs.pairs.end(stack, end, &mut self.outcomes);
        self.asyncs.settle(&key, stack);
        self.settle_outcomes(sink);
        Ok(())
    }

    pub(super) fn instant_of_id(&mut self, one: &One, sink: &mut Sink) -> Taken {
        let time = self.time(one)?;
        let (stack, key, track) = self.asynchronous(one, sink)?;
        self.asyncs.settle(&key, stack);
        let name = self.name(one, Key::Name, sink);
        let category = self.name(one, Key::Cat, sink);
        self.tally.instants += 1;
        sink.builder.instant(track, time, name, category, one.detail());
        Ok(())
    }

    pub(super) fn flow(&mut self, one: &One, role: Role, sink: &mut Sink) -> Taken {
        let time = self.time(one)?;
        let track = self.track(one, sink)?;
        let [category, id, scope] = [Key::Cat, Key::Id, Key::Scope].map(|key| self.name(one, key, sink));
        let name = self.name(one, Key::Name, sink);
        let end = FlowEnd { track, time };
        let point = Point { end, role, is_bound: false, name, event: one.number, at: one.at };
        if !self.flows.push((category, id, scope), point) {
            return Err(TOO_MANY_FLOWS.into());
        }
        self.tally.flows += 1;
        Ok(())
    }

    /// The arrows that a slice bears.
    pub(super) fn bind(&mut self, one: &One, (track, time): (TrackId, Ticks), name: StrId, sink: &mut Sink) {
        if one.raw(Key::BindId).is_empty() {
            return;
        }
        let is_set = |key| matches!(one.text(key), b"true" | b"1");
        let (comes_in, goes_out) = (is_set(Key::FlowIn), is_set(Key::FlowOut));
        if !comes_in && !goes_out {
            self.report_no_direction(one, sink);
            return;
        }
        let id = self.name(one, Key::BindId, sink);
        let role = match (comes_in, goes_out) {
            (true, true) => Role::Step,
            (true, false) => Role::End,
            _ => Role::Start,
        };
        let end = FlowEnd { track, time };
        let point = Point { end, role, is_bound: true, name, event: one.number, at: one.at };
        self.bound.push((Strings::EMPTY, id, Strings::EMPTY), point);
        self.tally.bound += 1;
    }
}

/// The id of an asynchronous event, and whether it is one of its process only.
fn async_id<'a>(one: &One<'a>) -> (&'a [u8], bool) {
    for (key, value) in Members::new(one.raw(Key::Id2)) {
        match unquoted(key) {
            b"local" => return (unquoted(value), true),
            b"global" => return (unquoted(value), false),
            _ => {}
        }
    }
    (one.text(Key::Id), false)
}

// Asynchronous ids: which begins and ends belong together, and which track they lie on.
//
// Events of one category and id (and scope) belong together over all threads, and over all processes unless the id is
// said to be local (`id2.local`). Those of the old kind (S, T, p, F) must have one name, too, as in Chrome's viewer. They lie on a track of their process that bears the name and category of the
// outermost of them; slices of several ids on one track get lanes.

/// The stacks of all ids that are open.
#[derive(Default)]
pub(crate) struct Asyncs {
    pub(crate) pairs: Pairs,
    by_key: Map<Vec<u8>, usize>,
    /// Stacks whose id is done.
    free: Vec<usize>,
    n_stacks: usize,
}

impl Asyncs {
    /// The stack of an id, a new one if it is not open.
    pub(crate) fn stack(&mut self, key: &[u8]) -> usize {
        if let Some(&stack) = self.by_key.get(key) {
            return stack;
        }
        let stack = self.free.pop().unwrap_or_else(|| {
            self.n_stacks += 1;
            self.n_stacks - 1
        });
        self.by_key.insert(key.to_vec(), stack);
        stack
    }

    /// Gives the stack back when nothing of the id waits any more.
    pub(crate) fn settle(&mut self, key: &[u8], stack: usize) {
        if self.pairs.is_idle(stack) {
            self.by_key.remove(key);
            self.free.push(stack);
        }
    }
}

// SET and WAIT events of operator traces: begins and ends paired by their id alone, over all lanes, in any order.
//
// `SET_FLAG` and `set_event` are one table, `WAIT_FLAG` and `wait_event` another. Of several begins with one id the
// first is closed first. A slice has everything of its begin. Source: spec of the format, 4.3.

/// Which table an event belongs to, by its name; `None` for every other name.
pub(crate) fn flag_table(name: &[u8]) -> Option<Table> {
    match name {
        b"SET_FLAG" | b"set_event" => Some(Table::Set),
        b"WAIT_FLAG" | b"wait_event" => Some(Table::Wait),
        _ => None,
    }
}

/// The two kinds of events that are paired.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Table {
    /// Something was made ready.
    Set,
    /// Someone waited for it.
    Wait,
}

/// Halves that wait for the other half.
#[derive(Default)]
pub(crate) struct Flags {
    begins: Map<(Table, StrId), VecDeque<Begin>>,
    ends: Map<(Table, StrId), VecDeque<End>>,
}

impl Flags {
    /// A begin; the pair when its end was seen before.
    pub(crate) fn begin(&mut self, key: (Table, StrId), begin: Begin) -> Option<(Begin, End)> {
        if let Some(end) = take(&mut self.ends, key) {
            return Some((begin, end));
        }
        self.begins.entry(key).or_default().push_back(begin);
        None
    }

    /// An end; the pair when its begin was seen before.
    pub(crate) fn end(&mut self, key: (Table, StrId), end: End) -> Option<(Begin, End)> {
        if let Some(begin) = take(&mut self.begins, key) {
            return Some((begin, end));
        }
        self.ends.entry(key).or_default().push_back(end);
        None
    }

    /// Halves without the other half, in the order of the file.
    pub(crate) fn finish(&mut self) -> (Vec<Begin>, Vec<End>) {
        let mut begins: Vec<Begin> = std::mem::take(&mut self.begins).into_values().flatten().collect();
        let mut ends: Vec<End> = std::mem::take(&mut self.ends).into_values().flatten().collect();
        order::sort_by_key(&mut begins, |b| b.event);
        order::sort_by_key(&mut ends, |e| e.event);
        (begins, ends)
    }
}

fn take<T>(map: &mut Map<(Table, StrId), VecDeque<T>>, key: (Table, StrId)) -> Option<T> {
    let queue = map.get_mut(&key)?;
    let first = queue.pop_front();
    if queue.is_empty() {
        map.remove(&key);
    }
    first
}

// Flow events become arrows: a start and what follows it, joined by category, id and scope.
//
// The events of one id are a chain in the order of their times: an arrow goes from each start or step to what follows
// it. Files are often not in that order, and where devices have clocks of their own an end may lie before its start: an
// id with a single start has all its steps and ends, wherever they stand. A start that comes again begins a new
// chain, and an end may follow another end. In operator traces `s` is a start, `t` an end, and the order is that of the
// file.
//
// Slices may bear arrows themselves, joined by their `bind_id` alone: `flow_out` starts, `flow_in` ends (a start may
// have several ends), both together pass the arrow on.

/// What a flow event is to the others of its id.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Start,
    /// One ends and the next begins.
    Step,
    End,
}

/// One flow event.
#[derive(Clone, Copy)]
pub(crate) struct Point {
    pub(crate) end: FlowEnd,
    pub(crate) role: Role,
    /// Whether a slice bears it: then the event stands for itself and is never left out.
    pub(crate) is_bound: bool,
    pub(crate) name: StrId,
    /// Number of the event in the file.
    pub(crate) event: u64,
    /// Its byte in the entry.
    pub(crate) at: u64,
}

/// Category (none for `bind_id`), id and scope.
pub(crate) type FlowKey = (StrId, StrId, StrId);

/// An arrow between two flow events.
pub(crate) struct Arrow {
    pub(crate) key: FlowKey,
    pub(crate) from: Point,
    pub(crate) to: Point,
}

/// All flow events, those of one id linked backwards from the last.
#[derive(Default)]
pub(crate) struct Flows {
    points: Chunked<(Point, u32)>,
    /// The place of an id in `last`.
    ids: Parts<FlowKey, u32>,
    /// The last point of each id.
    last: Vec<(FlowKey, u32)>,
    /// The next id to be joined.
    next: usize,
    /// The points of that id.
    chain: Vec<Point>,
}

/// No point comes before.
const NONE: u32 = u32::MAX;

impl Flows {
    /// Keeps an event; `false` when there are too many.
    pub(crate) fn push(&mut self, key: FlowKey, point: Point) -> bool {
        let Ok(n) = u32::try_from(self.points.len()) else { return false };
        let next = u32::try_from(self.last.len()).unwrap_or(NONE);
        let id = *self.ids.entry(key).or_insert(next);
        let before = match self.last.get_mut(id as usize) {
            Some((_, last)) => std::mem::replace(last, n),
            None => {
                self.last.push((key, n));
                NONE
            }
        };
        self.points.push((point, before));
        true
    }

    /// Joins the events of some ids, until about `left` events are done: arrows, and events that have no other end.
    /// False when nothing is left to do.
    pub(crate) fn join(
        &mut self,
        is_by_time: bool,
        mut left: usize,
        arrows: &mut Vec<Arrow>,
        lonely: &mut Vec<Point>,
    ) -> bool {
        while 0 < left {
            let Some(&(key, mut at)) = self.last.get(self.next) else {
                *self = Self::default();
                return false;
            };
            self.next += 1;
            let mut chain = std::mem::take(&mut self.chain);
            chain.clear();
            while let Some(&(point, before)) = self.points.get(at as usize) {
                chain.push(point);
                at = before;
            }
            chain.reverse();
            left = left.saturating_sub(chain.len() + 1);
            if is_by_time {
                arrange(&mut chain);
            }
            link(key, &chain, arrows, lonely);
            self.chain = chain;
        }
        true
    }
}

/// Puts the events of one id in the order of their times; a single start comes first.
fn arrange(chain: &mut [Point]) {
    if !chain.is_sorted_by_key(|point| point.end.time) {
        order::sort_by_key(chain, |point: &Point| point.end.time);
    }
    let mut starts = (0..).zip(chain.iter()).filter(|(_, point)| point.role == Role::Start);
    if let (Some((start, _)), None) = (starts.next(), starts.next()) {
        chain.get_mut(..=start).unwrap_or_default().rotate_right(1);
    }
}

/// Arrows from each start or step of an id to what follows.
fn link(key: FlowKey, chain: &[Point], arrows: &mut Vec<Arrow>, lonely: &mut Vec<Point>) {
    // Where the next arrow begins, and whether one began there already.
    let mut from: Option<(Point, bool)> = None;
    for &to in chain {
        match &mut from {
            Some((start, is_used)) if to.role != Role::Start => {
                arrows.push(Arrow { key, from: *start, to });
                *is_used = true;
                if to.role == Role::Step {
                    *start = to;
                }
            }
            _ if to.role == Role::Start => {
                lonely.extend(from.replace((to, false)).filter(|(_, is_used)| !is_used).map(|(old, _)| old));
            }
            _ => lonely.push(to),
        }
    }
    lonely.extend(from.filter(|(_, is_used)| !is_used).map(|(start, _)| start));
}
