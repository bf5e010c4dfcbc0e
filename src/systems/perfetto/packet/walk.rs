//! All packets of a file, also those that are packed inside others: fed in pieces, asked for what stands next.

use super::{Next, Packet, Packets, number};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::words::message;
use crate::input::packed::{self, Damage};
use crate::input::{Memory, Source, limits};
use prost::bytes::Bytes;
use std::io::{Cursor, Read};
use std::rc::Rc;

/// Bytes that are unpacked at once.
const PIECE: usize = 1 << 17;

/// What stands next.
pub(crate) enum Piece {
    Packet(Box<Found>),
    Fault(Box<Fault>),
    /// Bytes were unpacked; to be asked again.
    Unpacked,
    /// More bytes of the file are wanted.
    More,
    End,
}

/// A packet that was read.
pub(crate) struct Found {
    /// With a fault: what stands before the damage.
    pub(crate) packet: Packet,
    pub(crate) spot: Spot,
    pub(crate) fault: Option<Box<Fault>>,
}

/// Where the content of a packet stands in the entry.
#[derive(Clone, Debug)]
pub(crate) struct Spot {
    /// Its first byte; of packets inside another one, that one's.
    pub(crate) start: u64,
    /// Its bytes as they stand in the entry; `None` when they were packed.
    bytes: Option<Bytes>,
    /// What stands for its place when it was packed: a byte of its own behind the first of the packet that holds it.
    own: u64,
    /// Where the packet ends; of one that was packed, the one that holds it.
    pub(crate) end: u64,
    pub(crate) place: Place,
}

impl Spot {
    /// Where a part of the packet stands in the entry; nothing of a packed one stands there.
    pub(crate) fn range(&self, part: &[u8]) -> (u64, u32) {
        let offset = self.bytes.as_ref().and_then(|whole| {
            let from = part.as_ptr().addr().checked_sub(whole.as_ptr().addr())?;
            (from + part.len() <= whole.len()).then_some(from)
        });
        match offset {
            Some(offset) => (self.start + offset as u64, u32::try_from(part.len()).unwrap_or(u32::MAX)),
            None => (self.start, 0),
        }
    }

    /// The place of the whole packet, for the details of its events: its bytes; of a packed one a byte of its own and no
    /// length.
    pub(crate) fn whole(&self) -> (u64, u32) {
        match &self.bytes {
            Some(bytes) => (self.start, u32::try_from(bytes.len()).unwrap_or(u32::MAX)),
            None => (self.own(0), 0),
        }
    }

    /// The same for a part, by its number among [`Packet::parts`].
    pub(crate) fn part(&self, nth: usize, part: &[u8]) -> (u64, u32) {
        if self.bytes.is_some() { self.range(part) } else { (self.own(nth as u64 + 1), 0) }
    }

    /// A byte of its own; 0 where the packet that holds it has no more of them.
    fn own(&self, nth: u64) -> u64 {
        Some(self.own + nth).filter(|own| *own < self.end).unwrap_or(0)
    }
}

/// Walks over all packets.
pub(crate) struct Walk {
    path: String,
    len: u64,
    outer: Packets,
    inner: Option<Inner>,
    /// Bytes that were unpacked in all.
    unpacked: u64,
}

/// Packets that were packed together into one.
struct Inner {
    start: u64,
    reader: Box<dyn Read>,
    packets: Packets,
    end: u64,
    /// What stands for the place of the next packet.
    own: u64,
    is_over: bool,
}

impl Walk {
    /// Of an entry with this path and so many bytes.
    pub(crate) fn new(path: String, len: u64) -> Self {
        Self { path, len, outer: Packets::of(len), inner: None, unpacked: 0 }
    }

    /// Takes the next bytes of the entry.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.outer.feed(bytes);
    }

    /// The entry ends here, whatever was said before.
    pub(crate) fn end(&mut self) {
        self.outer.end();
    }

    /// Where it stands in the entry.
    pub(crate) fn at(&self) -> u64 {
        self.inner.as_ref().map_or(self.outer.at(), |inner| inner.start)
    }

    /// How much was done so far, in bytes.
    pub(crate) fn work(&self) -> u64 {
        self.outer.at().saturating_add(self.unpacked)
    }

    /// What stands next. Costs at most a packet or the unpacking of some hundred kilobytes.
    pub(crate) fn next(&mut self) -> Piece {
        if let Some(inner) = self.inner.take() {
            return self.inside(inner);
        }
        match self.outer.next() {
            Next::Packet(start, bytes) => self.packet(start, bytes, None),
            Next::Wrong(at, kind) => Piece::Fault(Box::new(wrong(Place::byte(self.path.clone(), at), kind))),
            Next::More => Piece::More,
            Next::End => Piece::End,
        }
    }

    fn inside(&mut self, mut inner: Inner) -> Piece {
        let at = inner.packets.at();
        let place = Place::byte(self.path.clone(), inner.start);
        let place = |at: u64| place.clone().block(message("unpacked byte {n}").with("n", at));
        let piece = match inner.packets.next() {
            Next::End => return self.next(),
            Next::Packet(at, bytes) => {
                let piece = self.packet(inner.start, bytes, Some((place(at), inner.own, inner.end)));
                if let Piece::Packet(found) = &piece {
                    inner.own += 1 + found.packet.parts().count() as u64;
                }
                piece
            }
            Next::Wrong(at, kind) => Piece::Fault(Box::new(wrong(place(at), kind))),
            Next::More if inner.is_over => {
                inner.packets.end();
                Piece::Unpacked
            }
            Next::More => match self.unpack(&mut inner) {
                None => Piece::Unpacked,
                Some(kind) => {
                    inner.is_over = true;
                    let fault = Fault::new("PFT-UNPACK", Severity::Loss, place(at), kind);
                    Piece::Fault(Box::new(fault.note("Data unpacked before the damage is shown.")))
                }
            },
        };
        self.inner = Some(inner);
        piece
    }

    /// Unpacks the next bytes; says what is wrong with them.
    fn unpack(&mut self, inner: &mut Inner) -> Option<Kind> {
        let mut buffer = vec![0; PIECE];
        match inner.reader.read(&mut buffer) {
            Ok(0) => inner.packets.end(),
            Ok(n) => {
                self.unpacked += n as u64;
                let allowed = (64 << 20) + self.len.saturating_mul(limits::UNPACK_RATIO);
                if allowed < self.unpacked {
                    return Some(Kind::Limit { what: "unpacked size".into(), asked: self.unpacked, allowed });
                }
                inner.packets.feed(buffer.get(..n).unwrap_or(&[]));
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Some(Damage::of(error).kind),
        }
        None
    }

    /// Reads a packet; `packed` says where it stands in another one.
    fn packet(&mut self, start: u64, bytes: Bytes, packed: Option<(Place, u64, u64)>) -> Piece {
        let (packet, wrong) = Packet::read(&bytes);
        let is_inside = packed.is_some();
        let end = start + bytes.len() as u64;
        let (place, own, end) = packed.unwrap_or_else(|| (Place::byte(self.path.clone(), start), start, end));
        let spot = Spot { start, bytes: (!is_inside).then_some(bytes), own, end, place };
        let mut fault = wrong.map(|found| {
            let kind = Kind::Unexpected { expected: "packet fields".into(), found: found.into() };
            let fault = Fault::new("PFT-PACKET", Severity::Loss, spot.place.clone(), kind);
            Box::new(fault.note("The rest of the packet is skipped."))
        });
        match packet.data.as_ref().and_then(reader) {
            None => {}
            Some(Ok(reader)) if !is_inside => {
                let packets = Packets::default();
                self.inner = Some(Inner { start, reader, packets, end, own: start + 1, is_over: false });
            }
            Some(reader) => {
                let kind = match reader {
                    Ok(_) => Kind::Limit { what: "nested compressed packets".into(), asked: 2, allowed: 1 },
                    Err(message) => Kind::Io { message },
                };
                let other = Fault::new("PFT-UNPACK", Severity::Loss, spot.place.clone(), kind);
                fault = fault.or(Some(Box::new(other.note("Not unpacked."))));
            }
        }
        Piece::Packet(Box::new(Found { packet, spot, fault }))
    }
}

/// What unpacks the packets inside this one; `None` when there are none.
pub(crate) fn reader((number, bytes): &(u64, Bytes)) -> Option<Result<Box<dyn Read>, String>> {
    let bytes = bytes.clone();
    match *number {
        number::DEFLATED => {
            let is_zlib = matches!(*bytes, [method, flags, ..]
                if method & 15 == 8 && u16::from_be_bytes([method, flags]) % 31 == 0);
            Some(Ok(if is_zlib {
                Box::new(flate2::read::ZlibDecoder::new(Cursor::new(bytes)))
            } else {
                Box::new(flate2::read::DeflateDecoder::new(Cursor::new(bytes)))
            }))
        }
        number::ZSTD => {
            let source: Source = Rc::new(Memory(bytes.to_vec()));
            Some(packed::zstd(&source).map_err(|error| Damage::of(error).to_string()))
        }
        _ => None,
    }
}

/// A fault of the outermost layer.
fn wrong(place: Place, kind: Kind) -> Fault {
    let (code, note) = match kind {
        Kind::Truncated { .. } => ("PFT-CUT", "Reading continues at the next packet."),
        Kind::Limit { .. } => ("PFT-PACKET", "Skipped."),
        _ => ("PFT-PACKET", "Reading continues at the next packet."),
    };
    Fault::new(code, Severity::Loss, place, kind).note(note)
}
