//! Events that belong together are joined: begins and ends, SET and WAIT, asynchronous ids, arrows.

pub(super) mod asyncs;
pub(super) mod flags;
pub(super) mod flows;
pub(super) mod pairs;

use super::events::{Events, One, Refused, Taken};
use super::fields::Key;
use crate::base::time::Ticks;
use crate::format::sink::Sink;
use crate::input::json::scan::{Members, unquoted};
use crate::model::flow::FlowEnd;
use crate::model::id::{StrId, TrackId};
use crate::model::strings::Strings;
use crate::model::track::TrackKind;
use flows::{Point, Role};
use pairs::{Begin, End};

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
        let table = flags::table(one.text(Key::Name)).ok_or_else(|| Refused::from(OTHER_PAIRS))?;
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
