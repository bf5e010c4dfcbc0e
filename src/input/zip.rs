//! The directory of a zip archive, member by member: whoever reads it may stop between any two.
//!
//! | record | offset: field |
//! |---|---|
//! | end of the directory, `PK 05 06` | 10: members (2), 12: bytes of the directory (4), 16: its start (4), 20: length of the comment (2) |
//! | locator, `PK 06 07`, 20 bytes before it | 8: start of the large end (8) |
//! | large end, `PK 06 06` | 32: members (8), 40: bytes of the directory (8), 48: its start (8) |
//! | member, `PK 01 02` | 8: flags (2), 10: method (2), 16: CRC-32 (4), 20: packed size (4), 24: size (4), 28: lengths of name, extra fields and comment (2 each), 42: start of its header (4), 46: name, extra fields, comment |
//! | extra field 1 | size, packed size, start of the header (8 each), those that are all ones in the member |
//! | header before the bytes, `PK 03 04` | 6: flags (2), 18: packed size (4), 26: lengths of name and extra fields (2 each), 30: name, extra fields |
//!
//! Starts count from the first byte of the archive; bytes may stand before it, as in files that unpack themselves.
//! Source: PKWARE's APPNOTE 6.3.10, sections 4.3 and 4.5.3.

use super::{ByteSource, Part, Reader, Source, read_range};
use std::io::{Error, ErrorKind, Read, Result, Seek, SeekFrom};

/// Bytes of the end of the directory, of the locator and of the large end, without what may follow in them.
const END: usize = 22;
const LOCATOR: u64 = 20;
const LARGE_END: u64 = 56;
/// Bytes of a member in the directory and of its header, without name and what follows.
const MEMBER: usize = 46;
const HEADER: u64 = 30;
/// Places that are tried as the end of the directory: the comment behind it may look like one.
const ENDS: usize = 16;

/// The members that were not read yet.
pub(super) struct Members {
    reader: Reader,
    /// Where the next one stands, and where the directory ends.
    at: u64,
    end: u64,
    /// How many the end says there are, in so many bits, and how many were found.
    said: (u64, u32),
    found: u64,
    /// Bytes before the archive.
    before: u64,
}

/// One member, as the directory has it.
pub(super) struct Member {
    pub(super) name: String,
    pub(super) is_encrypted: bool,
    /// How it is packed: 0 not at all, 8 deflated.
    pub(super) method: u64,
    pub(super) size: u64,
    /// CRC-32 of the unpacked bytes.
    pub(super) checksum: u32,
    packed: u64,
    /// Where its header stands: two members there would be the same bytes.
    pub(super) header: u64,
}

impl Members {
    /// Finds the directory at the end of an archive.
    pub(super) fn new(source: &Source) -> Result<Self> {
        let len = source.len();
        let start = len.saturating_sub(END as u64 + u64::from(u16::MAX));
        let tail = bytes(&**source, start, len - start)?;
        let ends = memchr::memmem::rfind_iter(&tail, b"PK\x05\x06");
        let whole = ends.filter(|&at| tail.len() >= at + END + size(number(&tail, at + 20, 2)));
        for at in whole.take(ENDS) {
            let end = tail.get(at..).unwrap_or(&[]);
            let of_end = [number(end, 10, 2), number(end, 12, 4), number(end, 16, 4)];
            let at = start + at as u64;
            let large = large_end(source, at);
            let bits = if large.is_some() { u64::BITS } else { u16::BITS };
            let (at, [n, len, offset]) = large.unwrap_or((at, of_end));
            let begin = |before: u64| offset.saturating_add(before);
            let is_there = |before: &u64| {
                [n, len] == [0, 0]
                    || bytes(&**source, begin(*before), 4).is_ok_and(|sign| sign == b"PK\x01\x02")
            };
            // It ends where its end stands; if not, it starts where it says.
            let before = at.checked_sub(len).and_then(|begin| begin.checked_sub(offset)).unwrap_or(0);
            if let Some(before) = [before, 0].into_iter().find(is_there) {
                let reader = Reader::new(source);
                let said = (n, bits);
                return Ok(Self { reader, at: begin(before), end: at, said, found: 0, before });
            }
        }
        Err(damaged("the directory of the archive is missing"))
    }

    /// The next member; `None` at the end. Behind damage nothing is found any more.
    pub(super) fn next(&mut self) -> Option<Result<Member>> {
        if self.end <= self.at {
            return None;
        }
        let member = self.member().transpose()?;
        self.found += 1;
        if member.is_err() {
            // What is told of it is enough.
            (self.end, self.said.0) = (0, self.found);
        }
        Some(member)
    }

    /// How many members the end of the archive says there are and how many its directory has, where that differs.
    pub(super) fn miscounted(&self) -> Option<(u64, u64)> {
        let (said, bits) = self.said;
        let kept = self.found & u64::MAX.checked_shr(u64::BITS - bits).unwrap_or(u64::MAX);
        (said != kept).then_some((said, self.found))
    }

    /// The member that comes next; `None` where all that the end counts were found and something else follows.
    fn member(&mut self) -> Result<Option<Member>> {
        let mut head = [0; MEMBER];
        self.reader.seek(SeekFrom::Start(self.at))?;
        let (begin, rest) = head.split_at_mut(4);
        self.reader.read_exact(begin)?;
        if begin != b"PK\x01\x02" {
            let is_end = self.said.0 <= self.found;
            return if is_end { Ok(None) } else { Err(damaged("the directory of the archive is damaged")) };
        }
        self.reader.read_exact(rest)?;
        let [name, extra, comment] = [28, 30, 32].map(|at| size(number(&head, at, 2)));
        let mut rest = vec![0; name + extra];
        self.reader.read_exact(&mut rest)?;
        self.at += (MEMBER + name + extra + comment) as u64;
        let (name, extra) = rest.split_at_checked(name).unwrap_or_default();
        let mut large = large_numbers(extra).chunks_exact(8);
        let mut wide = |number: u64| match number {
            0xFFFF_FFFF => large.next().map_or(number, |bytes| self::number(bytes, 0, 8)),
            number => number,
        };
        let (size, packed, header) =
            (wide(number(&head, 24, 4)), wide(number(&head, 20, 4)), wide(number(&head, 42, 4)));
        Ok(Some(Member {
            name: String::from_utf8_lossy(name).into_owned(),
            is_encrypted: number(&head, 8, 2) & 1 == 1,
            method: number(&head, 10, 2),
            size,
            checksum: u32::try_from(number(&head, 16, 4)).unwrap_or(0),
            packed,
            header: header.saturating_add(self.before),
        }))
    }
}

impl Member {
    /// The packed size as the directory and as its header say it, where that differs; a header may leave it to what follows
    /// the bytes.
    pub(super) fn contradiction(&self, archive: &Source) -> Option<(u64, u64)> {
        let head = bytes(&**archive, self.header, HEADER).ok()?;
        let of_header = number(&head, 18, 4);
        let is_said = number(&head, 6, 2) & 8 == 0 && of_header != 0xFFFF_FFFF;
        (is_said && of_header != self.packed).then_some((self.packed, of_header))
    }

    /// The name as its header says it, where that is another one than in the directory.
    pub(super) fn other_name(&self, archive: &Source) -> Option<String> {
        let head = bytes(&**archive, self.header, HEADER).ok()?;
        let name = bytes(&**archive, self.header + HEADER, number(&head, 26, 2)).ok()?;
        let name = String::from_utf8_lossy(&name).into_owned();
        (name != self.name).then_some(name)
    }

    /// Its bytes as they stand in the archive.
    pub(super) fn bytes(&self, archive: &Source) -> Result<Part> {
        let head = bytes(&**archive, self.header, HEADER)?;
        if !head.starts_with(b"PK\x03\x04") {
            return Err(damaged("the member header is damaged"));
        }
        let start = self.header + HEADER + number(&head, 26, 2) + number(&head, 28, 2);
        Ok(Part::new(archive.clone(), start..start.saturating_add(self.packed)))
    }
}

/// What stands in the end of a large directory, and where that is; `None` for small ones.
fn large_end(source: &Source, end: u64) -> Option<(u64, [u64; 3])> {
    let locator = bytes(&**source, end.checked_sub(LOCATOR)?, LOCATOR).ok()?;
    if !locator.starts_with(b"PK\x06\x07") {
        return None;
    }
    // Where it says, or, with bytes before the archive, right before the locator.
    [number(&locator, 8, 8), end.saturating_sub(LOCATOR + LARGE_END)].into_iter().find_map(|at| {
        let large = bytes(&**source, at, LARGE_END).ok()?;
        large.starts_with(b"PK\x06\x06").then(|| (at, [32, 40, 48].map(|field| number(&large, field, 8))))
    })
}

/// The numbers of the extra field 1.
fn large_numbers(mut extra: &[u8]) -> &[u8] {
    while let Some((head, rest)) = extra.split_at_checked(4) {
        let Some((field, rest)) = rest.split_at_checked(size(number(head, 2, 2))) else { break };
        if number(head, 0, 2) == 1 {
            return field;
        }
        extra = rest;
    }
    &[]
}

/// A little-endian number of so many bytes.
fn number(bytes: &[u8], at: usize, len: usize) -> u64 {
    let field = bytes.get(at..at + len).unwrap_or(&[]);
    field.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// A length of two bytes.
fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn bytes(source: &dyn ByteSource, at: u64, len: u64) -> Result<Vec<u8>> {
    let bytes = read_range(source, at..at.saturating_add(len)).map_err(|why| Error::other(why.0))?;
    if bytes.len() as u64 == len { Ok(bytes) } else { Err(damaged("the archive is truncated")) }
}

fn damaged(what: &'static str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}
