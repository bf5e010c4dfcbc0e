//! What is wrong with a container: faults with their codes, and how often each check failed.
//!
//! Of one code the first are said one by one; the last stands for all that follow, so that millions of them cost nothing.

pub(super) mod plans;

use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::map::Map;
use crate::base::number::thousands;
use crate::base::words::{Message, message, phrase};
use crate::format::Sink;
use crate::input::{ByteSource, EntryId};
use crate::systems::instrumentation::combine::Event;
use crate::systems::instrumentation::container::buffer::{Use, Uses};
use crate::systems::instrumentation::container::manifest::Kernel;

/// Faults of one code and file that are said one by one.
const EACH: u64 = 19;

/// The checks, in the order of the specification, and what holds when they pass.
pub(super) const CHECKS: [(&str, &str); 13] = [
    ("GMT-OVF", phrase("no buffer overflowed")),
    ("GMT-PLAN", phrase("buffers were used as planned")),
    ("GMT-SHORT", phrase("files are complete")),
    ("GMT-CRC", phrase("checksums match")),
    ("GMT-HOLE", phrase("all reserved records were written")),
    ("GMT-BLK", phrase("all blocks are known")),
    ("GMT-SEQ", phrase("streams agree on the order")),
    ("GMT-LOST", phrase("no stream ends early")),
    ("GMT-XTRA", phrase("no records left over")),
    ("GMT-FLOW", phrase("only listed successors")),
    ("GMT-SUM", phrase("the flow equals the planned counts")),
    ("GMT-RUN", phrase("buffers belong to one run")),
    ("GMT-SIZE", phrase("sizes are below 2^53")),
];

/// Where something is wrong.
#[derive(Clone, Copy)]
pub(super) struct Spot<'a> {
    /// The entry of the bundle, and its path.
    pub(super) entry: (EntryId, &'a str),
    pub(super) byte: Option<u64>,
}

impl<'a> Spot<'a> {
    /// A byte of the file of a buffer.
    pub(super) fn of(buffer: &'a Use, byte: u64) -> Self {
        Self { entry: (buffer.entry, &buffer.path), byte: Some(byte.min(buffer.source.len())) }
    }
}

/// What failed of one check for one type.
pub(super) struct Failed {
    pub(super) code: &'static str,
    pub(super) of: Option<usize>,
    pub(super) n: u64,
    /// The first in words.
    pub(super) first: Message,
}

/// Collects faults.
#[derive(Default)]
pub(super) struct Said {
    faults: Vec<Fault>,
    /// By code and entry: how many, and the row of the last.
    known: Map<(&'static str, EntryId), (u64, usize)>,
    pub(super) failed: Vec<Failed>,
}

impl Said {
    /// Says one; `of` is the row of the type it is about.
    pub(super) fn say(
        &mut self,
        (code, severity): (&'static str, Severity),
        of: Option<usize>,
        spot: Spot,
        what: impl FnOnce() -> (Message, Message),
    ) {
        let (n, last) = self.known.entry((code, spot.entry.0)).or_insert((0, 0));
        *n += 1;
        let failed = self.failed.iter_mut().find(|failed| failed.code == code && failed.of == of);
        if EACH + 1 < *n
            && let Some(failed) = failed
        {
            failed.n += 1;
            if let Some(fault) = self.faults.get_mut(*last) {
                fault.repeats += 1;
                fault.last = spot.byte.or(fault.last);
            }
            return;
        }
        let (what, note) = what();
        match failed {
            Some(failed) => failed.n += 1,
            None => self.failed.push(Failed { code, of, n: 1, first: what.clone() }),
        }
        *last = self.faults.len();
        let place = Place { entry: spot.entry.1.to_owned(), byte: spot.byte, ..Place::default() };
        self.faults.push(Fault::new(code, severity, place, Kind::Problem(what)).note(note));
    }

    /// Hands all of them out.
    pub(super) fn tell(&mut self, sink: &mut Sink) {
        sink.faults_of(std::mem::take(&mut self.faults));
        self.known.clear();
    }
}

// What combining finds wrong, in words and at its place.

/// Where an event is.
pub(crate) fn spot_of<'a>(uses: &'a Uses, event: &Event) -> Option<Spot<'a>> {
    if let Event::Lost { of, thread, .. } = event {
        let is_meant = |buffer: &&Use| buffer.of.is_none_or(|own| own == *of);
        let mut of_type = uses.0.iter().filter(is_meant);
        let own = uses.0.iter().filter(is_meant).find(|buffer| buffer.thread == Some(*thread));
        let buffer = own.or_else(|| of_type.next_back())?;
        return Some(Spot::of(buffer, buffer.payload.start.saturating_add(buffer.used.1)));
    }
    let (buffer, byte) = uses.locate(event.place()?)?;
    Some(Spot::of(buffer, byte))
}

/// Says an event.
#[cold]
pub(crate) fn told(said: &mut Said, spot: Spot, kernel: &Kernel, names: &[String], event: Event) {
    let label = |row: u32| {
        let block = kernel.blocks.get(row as usize);
        block.map_or_else(|| "?".to_owned(), |block| block.label.clone())
    };
    let name = |of: usize| names.get(of).cloned().unwrap_or_default();
    let n = |n: u64| thousands(n);
    let nothing = Message::default;
    match event {
        Event::Successor { thread, from, to, .. } => {
            said.say(("GMT-FLOW", Severity::Loss), None, spot, || {
                let text =
                    message("{to} follows {from} in thread {thread}, which the manifest does not list");
                (text.with("to", label(to)).with("from", label(from)).with("thread", thread), nothing())
            });
        }
        Event::Sequence { of, thread, expected, found, skipped, .. } => {
            said.say(("GMT-SEQ", Severity::Loss), Some(of), spot, || {
                let text =
                    message("{type} of thread {thread}: expected a record of {expected}, found {found}");
                let text = text.with("type", name(of)).with("thread", thread);
                let text = text.with("expected", label(expected)).with("found", label(found));
                let note = match skipped {
                    Some(records) => message("{n} records are skipped.").with("n", n(records)),
                    None => message("The expected record is missing."),
                };
                (text, note)
            });
        }
        Event::Lost { of, thread, executions } => {
            said.say(("GMT-LOST", Severity::Warning), Some(of), spot, || {
                let text =
                    message("{type} of thread {thread} ends early: block executions without records: {n}");
                let text = text.with("type", name(of)).with("thread", thread).with("n", n(executions));
                (text, phrase("Their instructions say “no record”.").into())
            });
        }
        Event::Extra { of, thread, records, .. } => {
            said.say(("GMT-XTRA", Severity::Warning), Some(of), spot, || {
                let text =
                    message("{type} of thread {thread}: {n} records are left over after its last block");
                let text = text.with("type", name(of)).with("thread", thread).with("n", n(records));
                (text, phrase("They are not shown.").into())
            });
        }
        Event::Instruction { block, expected, found, .. } => {
            said.say(("GMT-INST", Severity::Warning), None, spot, || {
                let text =
                    message("a record of {block} names instruction {found}, but {expected} was planned");
                let text = text.with("block", label(block)).with("found", found).with("expected", expected);
                (text, phrase("The record is trusted.").into())
            });
        }
    }
}
