//! `.dmat`: the counts that the tool itself makes of a result.
//!
//! ```text
//! u64 n pages, u64 n clocks, u64 page × n
//! for each clock: u64 clock, u64 n, then n × (u64 page, u32 accesses)
//! ```
//! Pages are addresses without their lower 16 bits. It takes records that were never written for accesses of page 0 at
//! clock 0.

use super::feed::halves;
use crate::input::source::{ReadError, Source, read_range};

/// Pages of such a file have 2 to the power of this many bytes.
pub(super) const PAGE_SHIFT: u32 = 16;
/// Bytes of a piece at most.
const PIECE: usize = 2 << 20;

/// Bytes of a count, and those in front of the counts of a clock, which has one at least.
const COUNT: u64 = 12;
const CLOCK: u64 = 16;

/// A walk through the counts of a file.
pub(in crate::systems::neutrino) struct Counts {
    source: Source,
    /// Where the next piece begins.
    at: u64,
    piece: Vec<u8>,
    clock: u64,
    /// Counts of the clock that are still to come.
    left: u64,
    /// Clocks that the file says it has, and those that are still to come.
    pub(in crate::systems::neutrino) clocks: (u64, u64),
    /// Accesses that never were.
    pub(super) empty: u64,
}

impl Counts {
    /// Begins behind the list of pages; how many bytes there must be when the file has no room for one.
    pub(in crate::systems::neutrino) fn new(source: &Source) -> Result<Self, u64> {
        let head = read_range(&**source, 0..CLOCK).unwrap_or_default();
        let (pages, clocks) = head.first_chunk().map(halves).ok_or(CLOCK)?;
        let at = pages.saturating_mul(8).saturating_add(CLOCK);
        if source.len() < at {
            return Err(at);
        }
        let (source, clocks) = (source.clone(), (clocks, clocks));
        Ok(Self { source, at, piece: Vec::new(), clock: 0, left: 0, clocks, empty: 0 })
    }

    /// What the file lacks where it ends too early: how many bytes it must have at least, and how many of its clocks are
    /// not there or not whole.
    pub(in crate::systems::neutrino) fn lacking(&self) -> Option<(u64, u64)> {
        let (_, clocks) = self.clocks;
        let counts = self.left.saturating_mul(COUNT);
        let bytes = clocks.saturating_mul(CLOCK + COUNT).saturating_add(counts);
        (bytes != 0).then(|| (self.at.saturating_add(bytes), clocks + u64::from(self.left != 0)))
    }

    /// Reads the next piece; false when there is nothing more.
    pub(in crate::systems::neutrino) fn read(
        &mut self,
        take: &mut impl FnMut(u64, u64, u32, u32),
    ) -> Result<bool, ReadError> {
        let left = usize::try_from(self.source.len().saturating_sub(self.at)).unwrap_or(PIECE);
        self.piece.resize(PIECE.min(left), 0);
        let n = self.source.read_at(self.at, &mut self.piece)?;
        let mut rest = self.piece.get(..n).unwrap_or(&[]);
        while let Some((first, more)) = rest.split_first_chunk() {
            let first = u64::from_le_bytes(*first);
            if self.left == 0 {
                let Some((n, more)) = more.split_first_chunk() else { break };
                (self.clock, self.left, rest) = (first, u64::from_le_bytes(*n), more);
                self.clocks.1 = self.clocks.1.saturating_sub(1);
                continue;
            }
            let Some((n, more)) = more.split_first_chunk() else { break };
            let n = u32::from_le_bytes(*n);
            (self.left, rest) = (self.left - 1, more);
            if self.clock == 0 && first == 0 {
                self.empty += u64::from(n);
            } else if n != 0 {
                take(self.clock, first, n, 0);
            }
        }
        let passed = (n - rest.len()) as u64;
        self.at += passed;
        Ok(passed != 0 && self.at < self.source.len())
    }
}
