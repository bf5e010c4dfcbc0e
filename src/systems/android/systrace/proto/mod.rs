//! Traces of Perfetto, in protobuf: the same marks, without the text.
//!
//! Written by `perfetto` and traced of Android 9 and later, and by the record page of Perfetto's UI.
//!
//! ```text
//! Trace ▸ packet 1 ▸ ftrace_events 1 ▸ cpu 1, event 2 ▸ timestamp 1, pid 2, print 3 ▸ buf 2 "B|550|[NN_LR_PE]…"
//!                                     lost_events 3, ftrace_clock 5
//!                  ▸ process_tree 2  ▸ processes 1 ▸ pid 1, cmdline 3
//!                                     threads 2 ▸ tid 1, name 2, tgid 3
//!                  ▸ compressed_packets 50, zstd_compressed_packets 133 ▸ packets again
//! ```
//!
//! No other field is read. Events stand together by processor, each bundle in the order of time: those of all bundles are
//! sorted by time, equal ones stay in the order of the file. What the AOSP parser says of such a file is what it would say
//! of the same events as text, with times in full precision: it takes every row, with the process that the tree names.
//!
//! Packets are cut out and unpacked while they are read, twice as for text. What grows with the file are rows of threads
//! that have to do with NNAPI; rows of others are sorted among some hundred thousand neighbors.
//!
//! Source: `protos/perfetto/trace` of the Perfetto project. Verified on made traces only.

mod events;
mod fields;
mod messages;
mod packets;
mod walk;

use super::collect::Options;
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::format::sink::Sink;
use crate::format::{Degree, Reading, Want};
use crate::input::bundle::{Bundle, Entry, EntryId};
use crate::input::limits;
use crate::input::source::read_range;
use events::{Events, Looking};
use walk::{Found, Piece, Walk};

/// Bytes that are worked on before the program gives way.
const STEP: u64 = 1 << 20;

/// How much of a file is looked at to recognize it.
const HEAD: u64 = 1 << 16;

/// Names of its files.
const ENDINGS: [&str; 3] = [".pftrace", ".perfetto-trace", ".perfetto"];

/// How sure it is that a file is such a trace, and why; `None` when it is none.
pub(super) fn look(entry: &Entry) -> Option<(Degree, String)> {
    let read = |n: u64| read_range(&*entry.source, 0..n).unwrap_or_default();
    let n = match read(1).first() {
        Some(&packets::PACKET) => fields::packets_in(&read(HEAD), entry.source.len()),
        Some(_) => 0,
        None => return None,
    };
    match n {
        0 if ENDINGS.iter().any(|ending| entry.name().ends_with(ending)) => {
            Some((Degree::Possible, "it has a Perfetto file name".to_owned()))
        }
        0 => None,
        1 => Some((Degree::Likely, "it begins with a Perfetto packet".to_owned())),
        _ => Some((Degree::Certain, "it begins with Perfetto packets".to_owned())),
    }
}

/// One file being read.
pub(super) struct Proto {
    entry: EntryId,
    walk: Option<Walk>,
    /// How much of the file was asked for.
    asked: u64,
    state: State,
}

enum State {
    /// The first pass.
    Survey(Box<Looking>),
    /// The second one.
    Events(Box<Events>),
    /// All packets were read; rows are handed on in the order of time.
    Rows(Box<Events>),
    Done,
}

impl Proto {
    pub(super) fn new(entry: EntryId) -> Self {
        Self { entry, walk: None, asked: 0, state: State::Survey(Box::default()) }
    }

    /// Works on the packets at hand; what is wanted next, `None` at the end of the file.
    fn step(&mut self, path: &str, len: u64, sink: &mut Sink) -> Option<Want> {
        let walk = self.walk.get_or_insert_with(|| Walk::new(path.to_owned(), len));
        let from = walk.work();
        while walk.work().saturating_sub(from) < STEP {
            match (walk.next(), &mut self.state) {
                (Piece::End, _) => return None,
                (Piece::More, _) if self.asked < len => {
                    let range = self.asked..len.min(self.asked.saturating_add(limits::CHUNK as u64));
                    self.asked = range.end;
                    return Some(Want::Stream { entry: self.entry, range });
                }
                (Piece::More, _) => walk.end(),
                (Piece::Packet(found), State::Survey(looking)) => looking.packet(found.packet),
                (Piece::Packet(found), State::Events(events)) => {
                    let Found { packet, spot, fault } = *found;
                    if let Some(fault) = fault {
                        sink.fault(*fault);
                    }
                    events.packet(packet, &spot, sink);
                }
                (Piece::Fault(fault), State::Events(_)) => sink.fault(*fault),
                // Said in the second pass.
                (Piece::Fault(_) | Piece::Packet(_) | Piece::Unpacked, _) => {}
            }
        }
        Some(Want::Again)
    }
}

impl Reading for Proto {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        let Some(entry) = bundle.get(self.entry) else {
            let kind = Kind::Io { message: "the file is gone".to_owned() };
            return Err(Fault::new("SYS-GONE", Severity::Fatal, Place::default(), kind));
        };
        sink.step = match self.state {
            State::Survey(_) => "Analyzing NNAPI",
            _ => "Reading events",
        };
        if matches!(self.state, State::Survey(_) | State::Events(_))
            && let Some(want) = self.step(&entry.path, entry.source.len(), sink)
        {
            return Ok(want);
        }
        (self.walk, self.asked) = (None, 0);
        match std::mem::replace(&mut self.state, State::Done) {
            State::Survey(looking) => {
                let group = if sink.is_shared { bundle.short(self.entry).to_owned() } else { String::new() };
                let options = Options { entry: self.entry.0, path: entry.path.clone(), group };
                self.state = State::Events(Box::new(Events::new(options, *looking, sink)));
            }
            State::Events(mut events) => {
                events.sort();
                self.state = State::Rows(events);
            }
            State::Rows(mut events) => {
                if events.hand_on(sink) {
                    self.state = State::Rows(events);
                } else {
                    events.finish(sink);
                }
            }
            State::Done => return Ok(Want::Done),
        }
        Ok(Want::Again)
    }

    fn feed(&mut self, chunk: &[u8], _: &Bundle, _: &mut Sink) -> Result<(), Fault> {
        if let Some(walk) = &mut self.walk {
            walk.feed(chunk);
        }
        Ok(())
    }

    fn position(&self) -> Option<(EntryId, u64)> {
        self.walk.as_ref().map(|walk| (self.entry, walk.at()))
    }
}
