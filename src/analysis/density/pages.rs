//! Pages by number: a small table with open addressing, since every record asks it.

/// Most pages; where there are more, pages become larger.
pub const MAX_PAGES: usize = 8192;

/// Places of the table: a power of two, four times as many as pages.
const PLACES: usize = MAX_PAGES * 4;
/// Marks an empty place.
const NONE: u32 = u32::MAX;

/// Pages and the slots that they have.
pub(super) struct Pages {
    table: Vec<(u64, u32)>,
    /// The page of each slot.
    pub(super) numbers: Vec<u64>,
}

impl Default for Pages {
    fn default() -> Self {
        Self { table: vec![(0, NONE); PLACES], numbers: Vec::new() }
    }
}

impl Pages {
    /// The slot of a page, and whether it is new; `None` when there are too many.
    #[inline]
    pub(super) fn slot(&mut self, page: u64) -> Option<(u32, bool)> {
        let mut at = (page.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - PLACES.trailing_zeros())) as usize;
        loop {
            let place = self.table.get_mut(at)?;
            if place.1 == NONE {
                if self.numbers.len() == MAX_PAGES {
                    return None;
                }
                let slot = self.numbers.len() as u32;
                *place = (page, slot);
                self.numbers.push(page);
                return Some((slot, true));
            }
            if place.0 == page {
                return Some((place.1, false));
            }
            at = (at + 1) % PLACES;
        }
    }

    /// How many times pages have to double so that at most half of the slots are used.
    pub(super) fn doublings(&self) -> u32 {
        let mut numbers = self.numbers.clone();
        numbers.sort_unstable();
        let mut by = 0;
        while MAX_PAGES / 2 < numbers.len() {
            for number in &mut numbers {
                *number >>= 1;
            }
            numbers.dedup();
            by += 1;
        }
        by
    }
}
