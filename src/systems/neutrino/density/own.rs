//! `.dmat`: the counts that the tool itself makes of a result.
//!
//! ```text
//! u64 n pages, u64 n clocks, u64 page × n
//! for each clock: u64 clock, u64 n, then n × (u64 page, u32 accesses)
//! ```
//! Pages are addresses without their lower 16 bits. It takes records that were never written for accesses of page 0 at
//! clock 0.

use crate::input::source::{ReadError, Source};

/// Pages of such a file have 2 to the power of this many bytes.
pub(super) const PAGE_SHIFT: u32 = 16;
/// Bytes that one step reads at most.
const PIECE: usize = 2 << 20;

/// A walk through the counts of a file.
pub(super) struct Counts {
    source: Source,
    /// Where the next piece begins.
    at: u64,
    piece: Vec<u8>,
    clock: u64,
    /// Counts of the clock that are still to come.
    left: u64,
    /// Accesses that never were.
    pub(super) empty: u64,
}

impl Counts {
    /// Begins behind the list of pages; `None` when the file has no room for one.
    pub(super) fn new(source: &Source) -> Option<Self> {
        let mut head = [0; 8];
        source.read_at(0, &mut head).ok()?;
        let at = u64::from_le_bytes(head).checked_mul(8)?.checked_add(16)?;
        (at <= source.len()).then(|| Self {
            source: source.clone(),
            at,
            piece: Vec::new(),
            clock: 0,
            left: 0,
            empty: 0,
        })
    }

    /// The share that was read, 0 to 1.
    pub(super) fn share(&self) -> f32 {
        self.at as f32 / self.source.len().max(1) as f32
    }

    /// Reads the next piece; false when there is nothing more.
    pub(super) fn step(&mut self, take: &mut impl FnMut(u64, u64, u32, u32)) -> Result<bool, ReadError> {
        let left = usize::try_from(self.source.len().saturating_sub(self.at)).unwrap_or(PIECE);
        self.piece.resize(PIECE.min(left), 0);
        let n = self.source.read_at(self.at, &mut self.piece)?;
        let mut rest = self.piece.get(..n).unwrap_or(&[]);
        while let Some((first, more)) = rest.split_first_chunk() {
            let first = u64::from_le_bytes(*first);
            if self.left == 0 {
                let Some((n, more)) = more.split_first_chunk() else { break };
                (self.clock, self.left, rest) = (first, u64::from_le_bytes(*n), more);
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
