//! The state machine that turns the text of a trace, in chunks of any size, into rows of the trace.
//!
//! Used for files and for blocks of containers. One event is looked at once, right in the chunk it arrived in; nothing
//! of it is kept but columns and the place of its bytes.

use super::device::{self, Links};
use super::fields::{Fields, Key, Layout};
use super::join::pairs::{Outcome, Pairs};
use super::join::{Asyncs, Flags, Flows, Point};
use super::memory::Memory;
use super::outcome::shown;
use super::sampled::Sampled;
use super::top::{self, Top};
use super::tracks::Tracks;
use super::{Names, Odd};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::number;
use crate::base::terms::Terms;
use crate::base::words::{Message, message};
use crate::format::Sink;
use crate::input::json::Window;
use crate::input::json::scan::Stop;
use crate::input::json::stream::{Item, SHOWN, Walk};
use crate::input::limits;
use crate::model::Coloring;
use crate::model::id::StrId;

/// What traces of a single operator call groups, rows and the rest.
pub const OPERATOR_TERMS: [&str; 6] = ["Core", "Pipe", "Operator", "Block", "Instruction", "Instructions"];

/// Members beside the events that are kept whole.
const WHOLE: [&str; 2] = ["samples", "stackFrames"];

/// What the reader of events must know.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Number of the entry of the bundle.
    pub entry: u32,
    /// Path of the entry, for faults.
    pub path: String,
    /// What the text is part of, such as `block 7 TRACE`; empty for a file of its own.
    pub block: Message,
    /// Whether this is an operator trace; `None` finds it out from what stands before the events.
    pub is_operator: Option<bool>,
    /// Name of the group that all processes stand in: several files make one trace. Empty for one file.
    pub group: String,
    /// Whether the group is a core, so that the processes of an operator trace are its pipes.
    pub is_core: bool,
}

/// How many events were what. Their sum without [`Tally::bound`] and [`Tally::sampled`] is the number of events, when everything is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Elements of the array, damaged ones included.
    pub events: u64,
    pub complete: u64,
    pub begins: u64,
    pub ends: u64,
    pub instants: u64,
    /// Samples of counters; one may have several values.
    pub counters: u64,
    /// Where arrows begin, pass by and end.
    pub flows: u64,
    /// Slices that bear arrows themselves; counted as slices too.
    pub bound: u64,
    /// Parts of CPU profiles.
    pub profiles: u64,
    /// CPU samples that are no events.
    pub sampled: u64,
    /// Names and orders of processes and threads.
    pub metadata: u64,
    /// Left out, with the reason in the trace.
    pub dropped: u64,
}

/// Reads events into a sink.
pub struct Events {
    pub(super) options: Options,
    pub(super) is_operator: bool,
    walk: Walk,
    window: Window,
    layout: Layout,
    names: Names,
    pub(super) top: Top,
    pub(super) tracks: Tracks,
    pub(super) pairs: Pairs,
    pub(super) asyncs: Asyncs,
    pub(super) flags: Flags,
    pub(super) flows: Flows,
    /// Arrows that slices bear.
    pub(super) bound: Flows,
    /// Flow starts and flow ends that have no other end: the first, and how many.
    pub(super) lonely: ((Option<Point>, u64), (Option<Point>, u64)),
    /// Whether it was said that there are too many tracks.
    pub(super) has_said_tracks: bool,
    pub(super) memory: Memory,
    pub(super) sampled: Sampled,
    pub(super) links: Links,
    pub(super) tally: Tally,
    /// Names with escapes that JSON does not have, and samples of counters without a number.
    pub(super) escapes: Counted,
    pub(super) gaps: Counted,
    /// Scratch of one event.
    pub(super) outcomes: Vec<Outcome>,
    /// Whether the first bytes of the text were seen.
    is_begun: bool,
}

/// One event: its bytes, its place in the entry, its number, its members.
#[derive(Clone, Copy)]
pub(super) struct One<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: u64,
    pub(super) number: u64,
    pub(super) fields: &'a Fields,
}

impl<'a> One<'a> {
    /// A member without quotes; empty when it is missing.
    #[inline]
    pub(super) fn text(&self, key: Key) -> &'a [u8] {
        self.fields.text(self.bytes, key)
    }

    /// A member as it stands; empty when it is missing.
    #[inline]
    pub(super) fn raw(&self, key: Key) -> &'a [u8] {
        self.fields.raw(self.bytes, key)
    }

    /// Its bytes in the entry.
    #[inline]
    pub(super) fn detail(&self) -> (u64, u32) {
        (self.at, u32::try_from(self.bytes.len()).unwrap_or(u32::MAX))
    }
}

/// What is odd in some events and said once: how many there were, and where the first is.
#[derive(Default)]
pub(super) struct Counted {
    pub(super) n: u64,
    pub(super) first: (u64, u64),
}

impl Counted {
    /// Counts an event.
    pub(super) fn take(&mut self, one: &One) {
        if self.n == 0 {
            self.first = (one.at, one.number);
        }
        self.n += 1;
    }
}

/// Why an event is left out.
pub(super) struct Refused {
    /// The reason as it is counted.
    pub(super) reason: &'static str,
    /// What is said beside the count.
    pub(super) fault: Option<Box<Fault>>,
}

impl From<&'static str> for Refused {
    fn from(reason: &'static str) -> Self {
        Self { reason, fault: None }
    }
}

/// Whether an event found its place.
pub(super) type Taken = Result<(), Refused>;

impl Events {
    /// A reader that saw nothing yet.
    pub fn new(options: Options) -> Self {
        let is_operator = options.is_operator.unwrap_or(false);
        Self {
            tracks: Tracks::new(&options, is_operator),
            options,
            is_operator,
            walk: Walk::new("traceEvents").keeping(&WHOLE),
            window: Window::default(),
            layout: Layout::default(),
            names: Names::default(),
            top: Top::default(),
            pairs: Pairs::default(),
            asyncs: Asyncs::default(),
            flags: Flags::default(),
            flows: Flows::default(),
            bound: Flows::default(),
            lonely: Default::default(),
            has_said_tracks: false,
            memory: Memory::default(),
            sampled: Sampled::default(),
            links: Links::default(),
            tally: Tally::default(),
            escapes: Counted::default(),
            gaps: Counted::default(),
            outcomes: Vec::new(),
            is_begun: false,
        }
    }

    /// The text that comes next is this block of the file, such as `block 7 TRACE`.
    pub fn begin_block(&mut self, block: &Message) {
        self.options.block.clone_from(block);
    }

    /// Takes the next bytes of the text; `at` is the place of the first in the entry. Chunks follow each other without
    /// gaps until [`Events::end_text`]. Linear in the bytes.
    pub fn feed(&mut self, chunk: &[u8], at: u64, sink: &mut Sink) {
        if !std::mem::replace(&mut self.is_begun, true) {
            self.window = Window::new(at);
        }
        let mut window = std::mem::take(&mut self.window);
        window.feed(chunk, |bytes, base| self.read(bytes, base, false, sink));
        if limits::RECORD_BYTES < window.waiting() {
            let place = self.place(window.position(), self.tally.events + 1);
            let asked = window.discard();
            let allowed = limits::RECORD_BYTES as u64;
            let kind = Kind::Limit { what: "event size in bytes".into(), asked, allowed };
            let fault = Fault::new("TEV-LONG-EVENT", Severity::Loss, place, kind);
            sink.fault(fault.note("Skipped; reading continues at the next event."));
            self.leave_out_damaged(sink);
            self.walk.damaged(&[]);
        }
        self.window = window;
        self.tracks.arrange(sink);
    }

    /// Place of the first byte that was not used yet.
    pub fn position(&self) -> u64 {
        self.window.position()
    }

    /// Place behind the last byte that was fed; 0 before the first.
    pub fn fed(&self) -> u64 {
        self.window.position() + self.window.waiting() as u64
    }

    /// How many events were what so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The text ends here. Another may follow: blocks of one kind make one trace.
    pub fn end_text(&mut self, sink: &mut Sink) {
        let dropped = self.tally.dropped;
        let mut window = std::mem::take(&mut self.window);
        window.finish(|bytes, base| self.read(bytes, base, true, sink));
        let end = window.position();
        if !self.walk.has_begun() {
            let found = if self.is_begun { "the end of the text" } else { "nothing" };
            let kind = Kind::Unexpected { expected: "an array of events".into(), found: found.into() };
            sink.fault(
                Fault::new("TEV-NO-EVENTS", Severity::Loss, self.place_of_text(end), kind)
                    .note("Nothing to show."),
            );
        } else if !self.walk.is_done() && !self.walk.is_lost() && dropped == self.tally.dropped {
            let (severity, note) = if self.walk.is_between() {
                (Severity::Note, "Everything before this point is shown.")
            } else {
                (Severity::Warning, "Data after the events may be missing.")
            };
            let kind = Kind::Unexpected {
                expected: "the end of the events".into(),
                found: "the end of the text".into(),
            };
            sink.fault(Fault::new("TEV-CUT", severity, self.place_of_text(end), kind).note(note));
        }
        self.walk = Walk::new("traceEvents").keeping(&WHOLE);
        self.is_begun = false;
    }

    /// Walks over bytes; returns how many were used.
    fn read(&mut self, bytes: &[u8], base: u64, is_last: bool, sink: &mut Sink) -> usize {
        let mut fields = Fields::default();
        let mut at = 0;
        if is_last {
            self.walk.last();
        }
        loop {
            let rest = bytes.get(at..).unwrap_or(&[]);
            let (used, item) = self.walk.next(rest);
            at += used;
            let rest = bytes.get(at..).unwrap_or(&[]);
            let place = base + at as u64;
            match item {
                Item::Need => return at,
                Item::Element => match self.layout.read(rest, &mut fields) {
                    Ok(len) => {
                        self.walk.took();
                        self.tally.events += 1;
                        let bytes = rest.get(..len).unwrap_or(&[]);
                        let number = self.tally.events;
                        self.take(&One { bytes, at: place, number, fields: &fields }, sink);
                        at += len;
                    }
                    Err(Stop::Cut) if is_last => {
                        self.report_cut(place, rest.len(), sink);
                        return bytes.len();
                    }
                    Err(Stop::Cut) => return at,
                    Err(Stop::Bad { at: offset, .. }) if !is_last && rest.len() < offset + SHOWN => {
                        return at;
                    }
                    Err(Stop::Bad { at: offset, expected }) => {
                        let (seen, rest) = rest.split_at_checked(offset).unwrap_or((rest, &[]));
                        self.report_bad_event(base + (at + offset) as u64, expected, rest, sink);
                        self.walk.damaged(seen);
                        at += offset;
                    }
                },
                Item::Begin => self.begin(sink),
                Item::End => {}
                Item::Member { key, value, len } => self.member(key, value, len, place, sink),
                Item::Damage { expected } => self.report_damage(place, expected, rest, sink),
            }
        }
    }

    /// The array begins: what stands before it decided what kind of trace this is.
    fn begin(&mut self, sink: &mut Sink) {
        if self.options.is_operator.is_none() && self.top.is_operator() {
            self.is_operator = true;
            if self.tally.events == 0 {
                self.tracks = Tracks::new(&self.options, true);
            }
        }
        device::speak(sink);
        let head = sink.builder.head();
        if self.is_operator {
            head.terms = Terms::of(OPERATOR_TERMS);
            head.coloring.best = Coloring::ROW;
            head.flows.by_flag = true;
        }
    }

    fn member(&mut self, key: String, value: Vec<u8>, len: u64, end: u64, sink: &mut Sink) {
        let place = self.place_of_text(end.saturating_sub(len));
        if !self.is_operator && self.walk.has_begun() && top::is_operator(&key, &value) {
            Self::report_late_type(place.clone(), sink);
        }
        if WHOLE.contains(&key.as_str()) && value.len() as u64 == len {
            self.sampled.member(&key, value);
        } else if let Some(fault) = self.top.member(key, value, len, place) {
            sink.fault(fault);
        }
    }

    /// The row of a name; what is odd about it is said.
    #[inline]
    pub(super) fn name(&mut self, one: &One, key: Key, sink: &mut Sink) -> StrId {
        let raw = one.text(key);
        let hash = match self.names.known(raw, &sink.builder.trace().strings) {
            Ok(id) => return id,
            Err(hash) => hash,
        };
        let (id, odd) = self.names.learn(raw, hash, sink);
        if let Some(odd) = odd {
            self.report_odd(odd, one, sink);
        }
        id
    }

    #[cold]
    pub(super) fn report_odd(&mut self, odd: Odd, one: &One, sink: &mut Sink) {
        match odd.fault(self.place(one.at, one.number)) {
            Some(fault) => sink.fault(fault),
            None => self.escapes.take(one),
        }
    }

    /// Where an event is.
    pub(super) fn place(&self, at: u64, number: u64) -> Place {
        let array = Some(self.options.block.clone()).filter(|block| !block.is_empty());
        let event = message("{place} ▸ event {n}").with("n", number::thousands(number.cast_signed()));
        let event = event.with_message("place", array.unwrap_or_else(|| "traceEvents".into()));
        Place::byte(self.options.path.as_str(), at).block(event)
    }

    fn place_of_text(&self, at: u64) -> Place {
        Place::byte(self.options.path.as_str(), at).block(self.options.block.clone())
    }

    pub(super) fn leave_out(&mut self, refused: Refused, sink: &mut Sink) {
        self.tally.dropped += 1;
        sink.builder.drop_row(refused.reason);
        if let Some(fault) = refused.fault {
            sink.fault(*fault);
        }
    }

    fn leave_out_damaged(&mut self, sink: &mut Sink) {
        self.tally.events += 1;
        self.leave_out("damaged events".into(), sink);
    }

    fn report_cut(&mut self, at: u64, left: usize, sink: &mut Sink) {
        let place = self.place(at, self.tally.events + 1);
        let kind = Kind::Unexpected {
            expected: "the rest of the event".into(),
            found: message("the end of the text after {n} bytes of it").with("n", left),
        };
        let fault = Fault::new("TEV-CUT", Severity::Loss, place, kind);
        sink.fault(fault.note("The last event is skipped; everything before it is shown."));
        self.leave_out_damaged(sink);
    }

    #[cold]
    fn report_bad_event(&mut self, at: u64, expected: &'static str, found: &[u8], sink: &mut Sink) {
        let place = self.place(at, self.tally.events + 1);
        let kind = Kind::Unexpected { expected: expected.into(), found: shown(found).into() };
        let fault = Fault::new("TEV-BAD-EVENT", Severity::Loss, place, kind);
        sink.fault(fault.note("The event is skipped; reading continues at the next one."));
        self.leave_out_damaged(sink);
    }

    #[cold]
    fn report_damage(&mut self, at: u64, expected: &'static str, found: &[u8], sink: &mut Sink) {
        let kind = Kind::Unexpected { expected: expected.into(), found: shown(found).into() };
        let fault = Fault::new("TEV-DAMAGE", Severity::Warning, self.place_of_text(at), kind);
        sink.fault(fault.note("Reading continues at the next event."));
    }
}
