//! One file being read: twice over its packets, then over the rows that wait for their order.

use super::first::First;
use super::packet::walk::{Found, Piece, Walk};
use super::second::Second;
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::format::sink::Sink;
use crate::format::{Reading, Want};
use crate::input::bundle::{Bundle, EntryId};
use crate::input::limits;
use crate::systems::android::systrace::collect::Options;

/// Bytes that are worked on before the program gives way.
const STEP: u64 = 1 << 20;

/// One file being read.
pub(super) struct File {
    entry: EntryId,
    walk: Option<Walk>,
    /// How much of the file was asked for.
    asked: u64,
    state: State,
}

enum State {
    /// The first pass.
    First(Box<First>),
    /// The second one.
    Second(Box<Second>),
    /// All packets were read; rows are handed on in the order of time.
    Rows(Box<Second>),
    Done,
}

impl File {
    pub(super) fn new(entry: EntryId) -> Self {
        Self { entry, walk: None, asked: 0, state: State::First(Box::default()) }
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
                (Piece::Packet(found), State::First(first)) => {
                    if let Err(error) = first.packet(&found.packet) {
                        sink.fault(super::second::broken(&found.spot, error));
                    }
                }
                (Piece::Packet(found), State::Second(second)) => {
                    let Found { packet, spot, fault } = *found;
                    if let Some(fault) = fault {
                        sink.fault(*fault);
                    }
                    second.packet(&packet, &spot, sink);
                }
                (Piece::Fault(fault), State::Second(_)) => sink.fault(*fault),
                // Said in the second pass.
                (Piece::Fault(_) | Piece::Packet(_) | Piece::Unpacked, _) => {}
            }
        }
        Some(Want::Again)
    }
}

impl Reading for File {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        let Some(entry) = bundle.get(self.entry) else {
            let kind = Kind::Io { message: "the file is gone".to_owned() };
            return Err(Fault::new("PFT-GONE", Severity::Fatal, Place::default(), kind));
        };
        sink.step = match self.state {
            State::First(_) => "Reading names",
            _ => "Reading events",
        };
        if matches!(self.state, State::First(_) | State::Second(_))
            && let Some(want) = self.step(&entry.path, entry.source.len(), sink)
        {
            return Ok(want);
        }
        (self.walk, self.asked) = (None, 0);
        match std::mem::replace(&mut self.state, State::Done) {
            State::First(first) => {
                let group = if sink.is_shared { bundle.short(self.entry).to_owned() } else { String::new() };
                let options =
                    Options { entry: self.entry.0, path: entry.path.clone(), group, is_general: true };
                self.state = State::Second(Box::new(Second::new(options, *first, sink)));
            }
            State::Second(mut second) => {
                second.sort();
                self.state = State::Rows(second);
            }
            State::Rows(mut second) => {
                if second.hand_on(sink) {
                    self.state = State::Rows(second);
                } else {
                    second.finish(sink);
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
