//! The outermost layer, `Trace`: one packet after the other, fed in pieces of any size.
//!
//! ```text
//! 0a  e3 02   …355 bytes…   0a  …
//! │   └ length              └ the next packet
//! └ field 1, with a length: a packet. Other fields are passed over.
//! ```
//!
//! Where no packet can begin, or one is longer than what is left, the next place is searched where one begins that reads
//! as a packet and is followed by another one or by the end.

use super::fields;
use crate::base::fault::Kind;
use crate::input::limits;
use memchr::memchr;
use prost::bytes::Bytes;

/// What a packet begins with.
pub(crate) const PACKET: u8 = 0x0a;

/// Longest packet that is believed in after damage.
const SEARCHED: u64 = 1 << 20;

/// What stands next.
pub(crate) enum Next {
    /// A packet: where its content begins, and its content.
    Packet(u64, Bytes),
    /// Something is wrong at this byte.
    Wrong(u64, Kind),
    /// More bytes are wanted.
    More,
    /// Nothing follows.
    End,
}

/// Cuts bytes into packets.
#[derive(Default)]
pub(crate) struct Packets {
    held: Vec<u8>,
    /// How many of the held bytes are done with.
    done: usize,
    /// Where the first byte stands that is not done with.
    at: u64,
    /// How many bytes there will be, once it is known.
    len: Option<u64>,
    /// Bytes that are passed over.
    skip: u64,
    /// Whether the next beginning of a packet is searched.
    is_lost: bool,
    /// Bytes that were looked at in searches.
    searched: u64,
}

impl Packets {
    /// For so many bytes.
    pub(crate) fn of(len: u64) -> Self {
        Self { len: Some(len), ..Self::default() }
    }

    /// Takes the next bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.held.drain(..self.done.min(self.held.len()));
        self.done = 0;
        self.held.extend_from_slice(bytes);
    }

    /// Nothing follows.
    pub(crate) fn end(&mut self) {
        self.len = Some(self.at.saturating_add(self.rest().len() as u64));
    }

    /// Where it stands.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// What stands next.
    pub(crate) fn next(&mut self) -> Next {
        loop {
            let n = usize::try_from(self.skip).unwrap_or(usize::MAX).min(self.rest().len());
            self.pass(n);
            self.skip -= n as u64;
            if self.is_lost && !self.search() {
                return Next::More;
            }
            let (at, left) = (self.at, self.left());
            if left == Some(0) {
                return Next::End;
            }
            let Some((is_packet, before, len)) = head(self.rest()) else {
                if self.rest().len() < fields::LONGEST && left != Some(self.rest().len() as u64) {
                    return Next::More;
                }
                let found = self.rest().get(..8).unwrap_or(self.rest());
                let found = found.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ");
                self.is_lost = true;
                self.pass(1);
                return Next::Wrong(
                    at,
                    Kind::Unexpected { expected: "a packet".into(), found: found.into() },
                );
            };
            let whole = len.saturating_add(before as u64);
            if let Some(left) = left.filter(|left| *left < whole) {
                self.is_lost = true;
                self.pass(1);
                return Next::Wrong(at, Kind::Truncated { needed: whole, left });
            }
            let allowed = limits::RECORD_BYTES as u64;
            if !is_packet || allowed < whole {
                self.skip = whole;
                if is_packet {
                    let kind = Kind::Limit { what: "packet size in bytes".into(), asked: whole, allowed };
                    return Next::Wrong(at, kind);
                }
                continue;
            }
            let whole = usize::try_from(whole).unwrap_or(usize::MAX);
            let Some(bytes) = self.rest().get(before..whole) else { return Next::More };
            let bytes = Bytes::copy_from_slice(bytes);
            self.pass(whole);
            return Next::Packet(at + before as u64, bytes);
        }
    }

    fn rest(&self) -> &[u8] {
        self.held.get(self.done..).unwrap_or(&[])
    }

    /// How many bytes are left, held or still to come.
    fn left(&self) -> Option<u64> {
        self.len.map(|len| len.saturating_sub(self.at))
    }

    fn pass(&mut self, n: usize) {
        self.done += n;
        self.at += n as u64;
    }

    /// Goes to the next place where a packet begins, or to the end; false when more bytes are wanted for that.
    fn search(&mut self) -> bool {
        loop {
            let n = memchr(PACKET, self.rest());
            self.pass(n.unwrap_or(self.rest().len()));
            if n.is_none() {
                return self.left() == Some(0);
            }
            match self.is_beginning() {
                Some(true) => {
                    self.is_lost = false;
                    return true;
                }
                Some(false) => self.pass(1),
                None => return false,
            }
            if limits::SEARCH_BYTES < self.searched {
                (self.is_lost, self.skip) = (false, u64::MAX);
                return true;
            }
        }
    }

    /// Whether a packet begins here; `None` when more bytes must come to know it.
    fn is_beginning(&mut self) -> Option<bool> {
        let (rest, left) = (self.rest(), self.left());
        let n_rest = rest.len() as u64;
        let Some((_, before, len)) = head(rest) else {
            let is_cut = rest.len() < fields::LONGEST && left != Some(n_rest);
            return if is_cut { None } else { Some(false) };
        };
        let whole = len.saturating_add(before as u64);
        if len == 0 || SEARCHED < len || left.is_some_and(|left| left < whole) {
            return Some(false);
        }
        let end = usize::try_from(whole).ok()?;
        let is_followed = match rest.get(end) {
            Some(next) => *next == PACKET,
            None if left == Some(whole) && n_rest == whole => true,
            None => return None,
        };
        let is_packet = is_followed && rest.get(before..end).is_some_and(fields::is_packet);
        self.searched += if is_followed { whole } else { 1 };
        Some(is_packet)
    }
}

/// What a field of the outermost layer is by its first bytes: whether a packet, the bytes before its value, and those of
/// its value. `None` when it is none, or cut.
fn head(bytes: &[u8]) -> Option<(bool, usize, u64)> {
    let field = fields::head(bytes)?;
    Some((bytes.first() == Some(&PACKET), field.before, field.len))
}
