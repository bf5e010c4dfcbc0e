//! What becomes of an event, by its phase; slices and instants, whose times and tracks stand in the event itself.
//! Events that belong to others (begins, ends, arrows) are joined in [`super::join`].

use super::events::{Events, One, Refused, Taken};
use super::fields::Key;
use super::join::Role;
use super::meta::number;
use crate::base::fault::{Fault, Kind, Severity, excerpt};
use crate::base::number::{thousands, time_offset};
use crate::base::time::{Clock, FARTHEST, Ticks, nanos_from_micros_text, stretch_from_micros_text};
use crate::base::words::{message, phrase};
use crate::format::Sink;
use crate::input::json::scan::unquoted;
use crate::model::build::MAX_TRACKS;
use crate::model::id::TrackId;
use crate::model::slice::SliceRow;
use crate::model::strings::Strings;

/// The simulator calls misses of the instruction cache by the name of their color, and what they are called here.
const MISS_COLOR: &str = "thread_state_runnable";
const MISS: &str = "Cache miss";

/// A number of microseconds above this that could not be read as a time is too large, alone or with what it is added to.
const LARGE_MICROS: f64 = 1e15;

/// Why events of a kind are left out: the words are what the report shows.
const NOT_OPERATOR: &str = "event types not used in operator traces";
const NO_TRACK: &str = "events beyond the track limit";
const NO_IDS: &str = "operator events without pid or tid";
const OBJECTS: &str = "object events (N, O, D)";
const MEMORY: &str = "memory dumps (v, V)";
const CLOCKS: &str = "clock synchronizations (c)";
const CONTEXTS: &str = "contexts and linked ids ( ( ) = )";
const NO_PHASE: &str = "events without a phase";
const NO_TIME: &str = "events without a valid time";
const OTHER_PHASE: &str = "events with an unknown phase";

impl Events {
    /// Puts one event where it belongs.
    pub(super) fn take(&mut self, one: &One, sink: &mut Sink) {
        let taken = match one.raw(Key::Ph) {
            b"\"X\"" => self.complete(one, false, sink),
            raw => self.take_rare(unquoted(raw), one, sink),
        };
        if let Err(refused) = taken {
            self.leave_out(refused, sink);
        }
    }

    fn take_rare(&mut self, phase: &[u8], one: &One, sink: &mut Sink) -> Taken {
        match phase {
            b"X" => self.complete(one, false, sink),
            b"M" => self.metadata(one, sink),
            b"C" => self.counter(one, sink),
            b"B" | b"E" if self.is_operator => self.flag(one, phase == b"B", sink),
            b"s" => self.flow(one, Role::Start, sink),
            b"t" if !self.is_operator => self.flow(one, Role::Step, sink),
            b"t" => self.flow(one, Role::End, sink),
            b"f" if !self.is_operator => self.flow(one, Role::End, sink),
            b"N" | b"O" | b"D" => Err(OBJECTS.into()),
            b"v" | b"V" => Err(MEMORY.into()),
            b"c" => Err(CLOCKS.into()),
            b"(" | b")" | b"=" => Err(CONTEXTS.into()),
            b"f" | b"i" | b"I" | b"R" | b"P" | b"b" | b"n" | b"e" | b"S" | b"T" | b"p" | b"F"
                if self.is_operator =>
            {
                Err(NOT_OPERATOR.into())
            }
            b"B" => self.begin_of_thread(one, sink),
            b"E" => self.end_of_thread(one, sink),
            b"i" | b"I" | b"R" => self.instant(one, sink),
            b"P" => self.sample(one, sink),
            b"b" | b"S" => self.begin_of_id(one, sink),
            b"e" | b"F" => self.end_of_id(one, sink),
            b"T" if !one.raw(Key::Dur).is_empty() => self.complete(one, true, sink),
            b"n" | b"T" | b"p" => self.instant_of_id(one, sink),
            _ => Err(self.odd_phase(phase, one)),
        }
    }

    /// A slice of a thread, or a state of it: those lie on a track of their own.
    fn complete(&mut self, one: &One, is_state: bool, sink: &mut Sink) -> Taken {
        let (start, dur) = match stretch_from_micros_text(one.text(Key::Ts), one.text(Key::Dur)) {
            Some(stretch) => stretch,
            None => self.odd_stretch(one, sink)?,
        };
        if dur < 0 {
            self.report_negative(one, dur, sink);
        }
        let row = self.row(one, (start, dur), sink);
        let track = if is_state {
            let thread = self.thread(one)?;
            self.tracks.states(thread, sink).ok_or_else(|| self.no_track(one))?
        } else {
            self.track(one, sink)?
        };
        self.tally.complete += 1;
        self.bind(one, (track, start), row.name, sink);
        sink.builder.slice(track, row);
        Ok(())
    }

    /// A slice with everything that the event says of it.
    pub(super) fn row(&mut self, one: &One, (start, dur): (Ticks, Ticks), sink: &mut Sink) -> SliceRow {
        let (detail_start, detail_len) = one.detail();
        let mut row = SliceRow::new(start, dur, self.name(one, Key::Name, sink));
        row.detail_start = detail_start;
        row.detail_len = detail_len;
        row.category = self.name(one, Key::Cat, sink);
        row.color = self.name(one, Key::ColorName, sink);
        if row.color != Strings::EMPTY {
            sink.builder.head().coloring.has_color_names = true;
        }
        if self.is_operator {
            if row.name == row.color && sink.builder.trace().strings.get(row.name) == MISS_COLOR {
                row.name = sink.builder.intern(MISS);
            }
            row.flag = self.name(one, Key::Id, sink);
            row.group = self.name(one, Key::GroupId, sink);
        } else {
            row.link = self.links.of(row.category, one.raw(Key::Args), sink);
        }
        row
    }

    /// The track of an event's thread.
    pub(super) fn track(&mut self, one: &One, sink: &mut Sink) -> Result<TrackId, Refused> {
        let thread = self.thread(one)?;
        self.tracks.track(thread, sink).ok_or_else(|| self.no_track(one))
    }

    /// There are too many tracks: said once, counted for every event.
    #[cold]
    pub(super) fn no_track(&mut self, one: &One) -> Refused {
        if std::mem::replace(&mut self.has_said_tracks, true) {
            return NO_TRACK.into();
        }
        let allowed = MAX_TRACKS as u64;
        let kind = Kind::Limit { what: "tracks".into(), asked: allowed + 1, allowed };
        let fault = Fault::new("TEV-TRACKS", Severity::Loss, self.place(one.at, one.number), kind);
        let note = "Events on further tracks are skipped; the report counts them.";
        Refused { reason: NO_TRACK, fault: Some(Box::new(fault.note(note))) }
    }

    pub(super) fn thread(&mut self, one: &One) -> Result<u32, Refused> {
        let (pid, tid) = (one.raw(Key::Pid), one.raw(Key::Tid));
        if self.is_operator && (unquoted(pid).is_empty() || unquoted(tid).is_empty()) {
            return Err(NO_IDS.into());
        }
        Ok(self.tracks.thread(pid, tid))
    }

    pub(super) fn time(&self, one: &One) -> Result<Ticks, Refused> {
        nanos_from_micros_text(one.text(Key::Ts)).ok_or_else(|| self.bad_time(one))
    }

    #[cold]
    fn bad_time(&self, one: &One) -> Refused {
        let too_large = phrase("the time {found} µs is too large; times up to ±{max} µs can be shown");
        let kind = odd_time(one.raw(Key::Ts), "a time in microseconds", "no ts", too_large);
        let fault = Fault::new("TEV-BAD-TIME", Severity::Loss, self.place(one.at, one.number), kind);
        Refused { reason: NO_TIME, fault: Some(Box::new(fault.note("The event is skipped."))) }
    }

    /// A slice whose length is missing or is no number: its thread time is taken if it has one, else it has no length.
    #[cold]
    fn odd_stretch(&mut self, one: &One, sink: &mut Sink) -> Result<(Ticks, Ticks), Refused> {
        let start = self.time(one)?;
        let raw = one.raw(Key::Dur);
        let (code, severity) =
            if raw.is_empty() { ("TEV-NO-DUR", Severity::Note) } else { ("TEV-BAD-TIME", Severity::Warning) };
        let stretch = stretch_from_micros_text(one.text(Key::Ts), one.text(Key::ThreadDur));
        let note = if stretch.is_some() {
            "The thread time (tdur) is used as duration."
        } else {
            "The slice is shown with zero duration."
        };
        let too_large = phrase("the duration {found} µs is too large; times up to ±{max} µs can be shown");
        let kind = odd_time(raw, "a duration in microseconds", "no dur", too_large);
        sink.fault(Fault::new(code, severity, self.place(one.at, one.number), kind).note(note));
        Ok(stretch.unwrap_or((start, 0)))
    }

    #[cold]
    pub(super) fn report_negative(&self, one: &One, dur: Ticks, sink: &mut Sink) {
        let dur = time_offset(dur, Clock::Nanos);
        let kind = Kind::Problem(message("negative duration ({time})").with("time", dur));
        let fault = Fault::new("TEV-NEG-DUR", Severity::Warning, self.place(one.at, one.number), kind);
        sink.fault(fault.note("The slice is shown with zero duration."));
    }

    #[cold]
    fn odd_phase(&self, phase: &[u8], one: &One) -> Refused {
        let is_missing = phase.is_empty();
        let found = if is_missing { "none".to_owned() } else { excerpt(phase) };
        let kind = Kind::Unexpected { expected: "a Trace Event phase".into(), found: found.into() };
        let code = if is_missing { "TEV-NO-PHASE" } else { "TEV-BAD-PHASE" };
        // Some writers end the list with an empty object.
        let is_blank = is_missing && one.raw(Key::Ts).is_empty() && one.raw(Key::Name).is_empty();
        let severity = if is_blank { Severity::Note } else { Severity::Loss };
        let fault = Fault::new(code, severity, self.place(one.at, one.number), kind);
        let reason = if is_missing { NO_PHASE } else { OTHER_PHASE };
        Refused { reason, fault: Some(Box::new(fault.note("The event is skipped."))) }
    }

    pub(super) fn instant(&mut self, one: &One, sink: &mut Sink) -> Taken {
        let time = self.time(one)?;
        let track = self.track(one, sink)?;
        let name = self.name(one, Key::Name, sink);
        let category = self.name(one, Key::Cat, sink);
        self.tally.instants += 1;
        sink.builder.instant(track, time, name, category, one.detail());
        self.memory.take(one, || self.tracks.process(one.raw(Key::Pid)), (track, time));
        Ok(())
    }
}

/// What is wrong with a time that cannot be shown: it is missing, no number, or too far away.
fn odd_time(raw: &[u8], expected: &'static str, missing: &'static str, too_large: &'static str) -> Kind {
    if number(raw).is_some_and(|micros| LARGE_MICROS < micros.abs()) {
        let digits = unquoted(raw);
        let found = String::from_utf8_lossy(digits.get(..32).unwrap_or(digits));
        let max = thousands(FARTHEST / 1_000);
        return Kind::Problem(message(too_large).with("found", found).with("max", max));
    }
    let found = if raw.is_empty() { missing.to_owned() } else { excerpt(raw) };
    Kind::Unexpected { expected: expected.into(), found: found.into() }
}
