//! Pages by number, and by the part of a page where pages are split: a small table with open addressing, since every
//! record asks it.

use crate::base::map::Set;

/// Most pages; where there are more, pages become larger.
pub const MAX_PAGES: usize = 8192;

/// Places of the table: a power of two, four times as many as pages.
const PLACES: usize = MAX_PAGES * 4;
/// Marks an empty place.
const NONE: u32 = u32::MAX;

/// A page, and how many edges lie up to its part: all parts of a page that no edge splits have one number.
pub(super) type Piece = (u64, u32);

/// Pieces of pages and the slots that they have.
pub(super) struct Pages {
    table: Vec<(Piece, u32)>,
    /// The piece of each slot.
    pub(super) pieces: Vec<Piece>,
    /// Most of them.
    pub(super) most: usize,
}

impl Pages {
    /// None yet, of so many at most.
    pub(super) fn new(most: usize) -> Self {
        Self { table: vec![((0, 0), NONE); PLACES], pieces: Vec::new(), most: most.min(MAX_PAGES) }
    }

    /// The slot of a piece, and whether it is new; `None` when there are too many.
    #[inline]
    pub(super) fn slot(&mut self, piece: Piece) -> Option<(u32, bool)> {
        let mixed = piece.0.rotate_left(16) ^ u64::from(piece.1);
        let mut at = (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - PLACES.trailing_zeros())) as usize;
        loop {
            let place = self.table.get_mut(at)?;
            if place.1 == NONE {
                if self.pieces.len() == self.most {
                    return None;
                }
                let slot = self.pieces.len() as u32;
                *place = (piece, slot);
                self.pieces.push(piece);
                return Some((slot, true));
            }
            if place.0 == piece {
                return Some((place.1, false));
            }
            at = (at + 1) % PLACES;
        }
    }

    /// How many times pages have to double so that they have so many pieces at most; or, where edges split them into
    /// more, not more than twice as many as there are parts between edges.
    pub(super) fn doublings(&self, most: usize) -> u32 {
        let mut pieces = self.pieces.clone();
        pieces.sort_unstable();
        let parts: Set<u32> = pieces.iter().map(|piece| piece.1).collect();
        let most = most.max(parts.len() * 2);
        let mut by = 0;
        while most < pieces.len() {
            for piece in &mut pieces {
                piece.0 >>= 1;
            }
            pieces.dedup();
            by += 1;
        }
        by
    }
}
