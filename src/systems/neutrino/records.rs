//! Walks through the records of a map, a piece of the file at a time: results may be larger than memory.

use super::result::{ResultFile, Section};
use crate::input::source::{ReadError, Source};
use std::ops::Range;

/// Bytes of a piece at most: about 10 ms of work.
const PIECE: u64 = 2 << 20;
/// Pieces that are read ahead.
const AHEAD: usize = 6;

/// A walk through the written records of one map, in the order of units.
pub struct Walk {
    source: Source,
    section: Section,
    /// Records of the section that were passed, written or not.
    at: u64,
    /// Records of the section.
    len: u64,
    bytes: Vec<u8>,
    /// Whether what follows a piece is not what is read next.
    has_skipped: bool,
}

/// What is read at once.
struct Piece {
    /// Its first unit, and the number of its first record in it.
    unit: u64,
    first: u64,
    records: u64,
    range: Range<u64>,
}

/// One record with its place.
pub struct Record<'a> {
    /// The unit that wrote it.
    pub unit: u64,
    /// Its number in the unit.
    pub index: u64,
    /// Its bytes; never all zero.
    pub bytes: &'a [u8],
}

impl Walk {
    /// Begins with the first unit.
    pub fn new(file: &ResultFile, section: &Section) -> Self {
        let len = section.written().saturating_mul(section.records_per_unit());
        Self {
            source: file.source.clone(),
            section: section.clone(),
            at: 0,
            len,
            bytes: Vec::new(),
            has_skipped: false,
        }
    }

    /// Begins with the first unit and goes on to the last that has room, beyond those that warps of whole blocks write to:
    /// what the last warps of the last blocks wrote lies there.
    pub(super) fn of_all(file: &ResultFile, section: &Section) -> Self {
        let len = section.units.saturating_mul(section.records_per_unit());
        Self { len, ..Self::new(file, section) }
    }

    /// Passes over records, to the begin of a unit.
    pub(super) fn skip(&mut self, n: u64) {
        if n == 0 {
            return;
        }
        self.has_skipped = true;
        let per_unit = self.section.records_per_unit().max(1);
        self.at = self.at.saturating_add(n).div_ceil(per_unit).saturating_mul(per_unit).min(self.len);
    }

    /// Records that were passed, written or not.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// Reads the next piece and hands its written records over; false when there is nothing more.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(&mut self, take: &mut dyn FnMut(Record)) -> Result<bool, ReadError> {
        let size = usize::try_from(self.section.map.record_bytes()).unwrap_or(usize::MAX).max(1);
        self.read_units(&mut |unit, first, bytes| {
            for (index, bytes) in (first..).zip(bytes.chunks_exact(size)) {
                if bytes.iter().any(|byte| *byte != 0) {
                    take(Record { unit, index, bytes });
                }
            }
        })
    }

    /// Reads the next piece and hands all records of its units over, written or not: the unit, the number of the first
    /// record in it, and the bytes. False when there is nothing more.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) fn read_units(&mut self, take: &mut dyn FnMut(u64, u64, &[u8])) -> Result<bool, ReadError> {
        let Some(piece) = self.piece_at(self.at) else { return Ok(false) };
        self.bytes.resize(usize::try_from(piece.range.end - piece.range.start).unwrap_or(0), 0);
        let mut filled = 0;
        while let Some(rest) = self.bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.source.read_at(piece.range.start + filled as u64, rest)? {
                0 => break,
                n => filled += n,
            }
        }
        let is_cut = filled < self.bytes.len();
        self.expect_more(&piece);
        let (record_bytes, per_unit) = (self.section.map.record_bytes(), self.section.records_per_unit());
        let (mut unit, mut first) = (piece.unit, piece.first);
        let mut rest = self.bytes.get(..filled).unwrap_or(&[]);
        while !rest.is_empty() {
            let left = usize::try_from((per_unit - first) * record_bytes).unwrap_or(usize::MAX);
            let (bytes, more) = rest.split_at(left.min(rest.len()));
            take(unit, first, bytes);
            // Bytes behind the last whole record of a unit belong to nobody.
            let behind = self.section.unit_bytes.saturating_sub(per_unit * record_bytes);
            let behind = usize::try_from(behind).unwrap_or(usize::MAX);
            (unit, first, rest) = (unit + 1, 0, more.get(behind..).unwrap_or(&[]));
        }
        self.at = if is_cut { self.len } else { self.at + piece.records };
        Ok(self.at < self.len)
    }

    /// What is read at once from this record on: whole units, or a part of a large one. `None` at the end.
    fn piece_at(&self, at: u64) -> Option<Piece> {
        let (record_bytes, per_unit) = (self.section.map.record_bytes(), self.section.records_per_unit());
        let left = self.len.checked_sub(at).filter(|left| 0 < *left && 0 < record_bytes && 0 < per_unit)?;
        let (unit, first) = (at / per_unit, at % per_unit);
        let unit_bytes = self.section.unit_bytes;
        let start = self.section.start + unit * unit_bytes + first * record_bytes;
        let (records, len) = if first == 0 && unit_bytes <= PIECE && per_unit <= left {
            let units = (PIECE / unit_bytes.max(1)).min(left / per_unit);
            (units * per_unit, (units - 1) * unit_bytes + per_unit * record_bytes)
        } else {
            let records = (PIECE / record_bytes).max(1).min(per_unit - first).min(left);
            (records, records * record_bytes)
        };
        Some(Piece { unit, first, records, range: start..start.saturating_add(len) })
    }

    /// Lets the program read what follows while this piece is worked on.
    fn expect_more(&self, piece: &Piece) {
        let mut at = self.at + piece.records;
        for _ in 0..if self.has_skipped { 0 } else { AHEAD } {
            let Some(next) = self.piece_at(at) else { return };
            at += next.records;
            self.source.expect(next.range);
        }
    }
}
