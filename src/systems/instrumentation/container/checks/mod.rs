//! What is wrong with a container: faults with their codes, and how often each check failed.
//!
//! Of one code the first are said one by one; the last stands for all that follow, so that millions of them cost nothing.

pub(super) mod events;
pub(super) mod plans;

use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::map::Map;
use crate::base::words::{Message, phrase};
use crate::format::sink::Sink;
use crate::input::bundle::EntryId;
use crate::input::source::ByteSource;
use crate::systems::instrumentation::container::buffer::Use;

/// Faults of one code and file that are said one by one.
const EACH: u64 = 19;

/// The checks, in the order of the specification, and what holds when they pass.
pub(super) const CHECKS: [(&str, &str); 13] = [
    ("GMT-OVF", phrase("no buffer overflowed")),
    ("GMT-PLAN", phrase("buffers were used as planned")),
    ("GMT-SHORT", phrase("files are complete")),
    ("GMT-CRC", phrase("checksums are right")),
    ("GMT-HOLE", phrase("all reserved records were written")),
    ("GMT-BLK", phrase("all blocks are known")),
    ("GMT-SEQ", phrase("streams agree on the order")),
    ("GMT-LOST", phrase("no stream ends early")),
    ("GMT-XTRA", phrase("nothing is left over")),
    ("GMT-FLOW", phrase("only listed successors")),
    ("GMT-SUM", phrase("the flow equals the planned counts")),
    ("GMT-RUN", phrase("buffers are of one run")),
    ("GMT-SIZE", phrase("sizes are below 2^53")),
];

/// Where something is wrong.
#[derive(Clone, Copy)]
pub(super) struct Spot<'a> {
    /// The entry of the bundle, and its path.
    pub(super) entry: (EntryId, &'a str),
    /// The byte.
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
