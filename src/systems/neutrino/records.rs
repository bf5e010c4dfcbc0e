//! Walks through the records of a map, a piece of the file at a time: results may be larger than memory.

use super::result::{ResultFile, Section};
use crate::input::source::{ReadError, Source};

/// Bytes that one step reads at most: about 10 ms of work.
const PIECE: u64 = 2 << 20;

/// A walk through the written records of one map, in the order of units.
pub(super) struct Walk {
    source: Source,
    section: Section,
    /// Records of the section that were passed, written or not.
    at: u64,
    /// Records of the section.
    len: u64,
    piece: Vec<u8>,
}

/// One record with its place.
pub(super) struct Record<'a> {
    /// The unit that wrote it.
    pub(super) unit: u64,
    /// Its number in the unit.
    pub(super) index: u64,
    /// Its bytes; never all zero.
    pub(super) bytes: &'a [u8],
}

impl Walk {
    /// Begins with the first unit.
    pub(super) fn new(file: &ResultFile, section: &Section) -> Self {
        let len = section.written().saturating_mul(section.records_per_unit());
        Self { source: file.source.clone(), section: section.clone(), at: 0, len, piece: Vec::new() }
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
        let per_unit = self.section.records_per_unit().max(1);
        self.at = self.at.saturating_add(n).div_ceil(per_unit).saturating_mul(per_unit).min(self.len);
    }

    /// Records that were passed, written or not.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// The share that was passed, 0 to 1.
    pub(super) fn share(&self) -> f32 {
        if self.len == 0 { 1.0 } else { self.at as f32 / self.len as f32 }
    }

    /// Reads the next piece and hands its written records over; false when there is nothing more.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) fn step(&mut self, take: &mut dyn FnMut(Record)) -> Result<bool, ReadError> {
        let size = usize::try_from(self.section.map.record_bytes()).unwrap_or(usize::MAX).max(1);
        self.step_units(&mut |unit, first, bytes| {
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
    pub(super) fn step_units(&mut self, take: &mut dyn FnMut(u64, u64, &[u8])) -> Result<bool, ReadError> {
        let record_bytes = self.section.map.record_bytes();
        let per_unit = self.section.records_per_unit();
        if record_bytes == 0 || per_unit == 0 || self.len <= self.at {
            return Ok(false);
        }
        // Bytes behind the last whole record of a unit belong to nobody: units are read one by one where there are some.
        let is_dense = per_unit * record_bytes == self.section.unit_bytes;
        let (mut unit, mut first) = (self.at / per_unit, self.at % per_unit);
        let room = (PIECE / record_bytes).max(1).min(self.len - self.at);
        let n = if is_dense { room } else { room.min(per_unit - first) };
        let from = self.section.start + unit * self.section.unit_bytes + first * record_bytes;
        self.piece.resize(usize::try_from(n * record_bytes).unwrap_or(0), 0);
        let mut filled = 0;
        while let Some(rest) = self.piece.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.source.read_at(from + filled as u64, rest)? {
                0 => break,
                n => filled += n,
            }
        }
        let mut rest = self.piece.get(..filled).unwrap_or(&[]);
        while !rest.is_empty() {
            let left = usize::try_from((per_unit - first) * record_bytes).unwrap_or(usize::MAX);
            let (bytes, more) = rest.split_at(left.min(rest.len()));
            take(unit, first, bytes);
            (unit, first, rest) = (unit + 1, 0, more);
        }
        self.at += n;
        if filled < self.piece.len() {
            self.at = self.len; // the file ends here
        }
        Ok(self.at < self.len)
    }
}
