//! One file being read: twice over its packets, then over the rows that wait for their order.

use super::First;
use super::faults;
use super::packet::walk::{Found, Piece, Walk};
use super::second::{self, Second};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::format::{Reading, Sink, Want};
use crate::input::{Bundle, EntryId, limits};
use crate::systems::android::systrace::collect::Options;
use crate::systems::trace_event::device;

/// Bytes that are worked on, and rows that are made, before the program gives way.
const STEP: u64 = 1 << 18;
const ROWS: u64 = 1 << 14;

/// Most machines that are told apart.
const MACHINES: usize = 64;

/// One file being read.
pub(super) struct File {
    entry: EntryId,
    walk: Option<Walk>,
    /// How much of the file was asked for.
    asked: u64,
    state: PassState,
    /// Rows of the trace before this file.
    n_before: u64,
}

enum PassState {
    First(Machines<First>),
    /// The second one.
    Second(Machines<Second>),
    /// All packets were read; rows are handed on in the order of time.
    Rows(Machines<Second>),
    Done,
}

/// What is known of each machine of a trace, by its number: numbers of processes, processors and tracks are its own.
struct Machines<T>(Vec<(u32, Box<T>)>);

impl<T> Machines<T> {
    fn get(&mut self, machine: u32) -> Option<&mut T> {
        self.0.iter_mut().find(|(number, _)| *number == machine).map(|(_, of)| &mut **of)
    }
}

impl File {
    pub(super) fn new(entry: EntryId) -> Self {
        Self {
            entry,
            walk: None,
            asked: 0,
            state: PassState::First(Machines(vec![(0, Box::default())])),
            n_before: 0,
        }
    }

    /// Works on the packets at hand; what is wanted next, `None` at the end of the file. A push parser.
    fn step(&mut self, path: &str, len: u64, sink: &mut Sink) -> Option<Want> {
        let walk = self.walk.get_or_insert_with(|| Walk::new(path.to_owned(), len));
        let (from, rows) = (walk.work(), sink.builder.n_rows());
        while walk.work().saturating_sub(from) < STEP && sink.builder.n_rows() - rows < ROWS {
            match (walk.next(), &mut self.state) {
                (Piece::End, _) => return None,
                (Piece::More, _) if self.asked < len => {
                    let range = self.asked..len.min(self.asked.saturating_add(limits::CHUNK as u64));
                    self.asked = range.end;
                    return Some(Want::Stream { entry: self.entry, range });
                }
                (Piece::More, _) => walk.end(),
                (Piece::Packet(found), PassState::First(first)) => {
                    let machine = found.packet.machine;
                    if first.get(machine).is_none() && first.0.len() < MACHINES {
                        first.0.push((machine, Box::default()));
                    }
                    let said = first.get(machine).map_or(Ok(()), |first| first.packet(&found.packet));
                    if let Err(error) = said {
                        sink.fault(faults::broken(&found.spot, error));
                    }
                }
                (Piece::Packet(found), PassState::Second(second)) => {
                    let Found { packet, spot, fault } = *found;
                    if let Some(fault) = fault {
                        sink.fault(*fault);
                    }
                    match second.get(packet.machine) {
                        Some(second) => second.packet(&packet, &spot, sink),
                        None => sink.builder.drop_row("packets of further machines"),
                    }
                }
                (Piece::Fault(fault), PassState::Second(_)) => sink.fault(*fault),
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
            PassState::First(_) => "Reading names",
            _ => "Reading events",
        };
        if matches!(self.state, PassState::First(_) | PassState::Second(_))
            && let Some(want) = self.step(&entry.path, entry.source.len(), sink)
        {
            return Ok(want);
        }
        (self.walk, self.asked) = (None, 0);
        match std::mem::replace(&mut self.state, PassState::Done) {
            PassState::First(machines) => {
                device::speak(sink);
                let short = if sink.is_shared { bundle.short(self.entry).to_owned() } else { String::new() };
                let second = machines.0.into_iter().map(|(machine, first)| {
                    let group = match machine {
                        0 => short.clone(),
                        _ => format!("{short} Machine {machine}").trim_start().to_owned(),
                    };
                    let options =
                        Options { entry: self.entry.0, path: entry.path.clone(), group, is_general: true };
                    (machine, Box::new(Second::new(options, *first, sink)))
                });
                self.state = PassState::Second(Machines(second.collect()));
                self.n_before = sink.builder.n_rows();
            }
            PassState::Second(mut machines) => {
                machines.0.iter_mut().for_each(|(_, second)| second.sort());
                self.state = PassState::Rows(machines);
            }
            PassState::Rows(mut machines) => {
                if machines.0.iter_mut().any(|(_, second)| second.hand_on(sink)) {
                    self.state = PassState::Rows(machines);
                } else {
                    machines.0.iter_mut().for_each(|(_, second)| second.finish(sink));
                    let is_empty = sink.builder.n_rows() == self.n_before;
                    if is_empty {
                        let found = second::found(machines.0.iter().map(|(_, second)| &**second));
                        sink.fault(faults::empty(found, &entry.path));
                    }
                }
            }
            PassState::Done => return Ok(Want::Done),
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
