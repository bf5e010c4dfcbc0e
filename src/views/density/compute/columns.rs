//! Columns of clocks: always 512, each 2ˡ clocks wide, anywhere on the clock.

use super::Cell;

/// Columns of a density.
pub const COLUMNS: usize = 512;

/// Where columns lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// A column is 2 to the power of this many clocks wide.
    level: u32,
    /// Number of the first; number 0 begins with clock 0.
    base: u64,
}

impl Columns {
    /// The narrowest columns that hold these clocks.
    pub(super) fn over((from, to): (u64, u64)) -> Self {
        let mut level = 0;
        while COLUMNS as u64 <= (to >> level) - (from >> level) {
            level += 1;
        }
        Self { level, base: from >> level }
    }

    /// The column of a clock; `None` when it lies in none of them.
    #[inline]
    pub fn of(self, clock: u64) -> Option<usize> {
        let column = (clock >> self.level).wrapping_sub(self.base);
        (column < COLUMNS as u64).then_some(column as usize)
    }

    /// First and last clock of a column.
    pub(super) fn clocks(self, column: usize) -> (u64, u64) {
        let first = self.base.wrapping_add(column as u64) << self.level;
        (first, first.saturating_add(self.width() - 1))
    }

    /// Clocks in a column.
    pub(super) fn width(self) -> u64 {
        1 << self.level
    }

    /// Columns that hold a further clock beside these: as wide as needed, with all spare room on its side.
    pub(super) fn with(self, (from, to): (u64, u64), clock: u64) -> Self {
        let all = Self::over((from.min(clock), to.max(clock)));
        let level = all.level.max(self.level);
        let (low, high) = (from.min(clock) >> level, to.max(clock) >> level);
        let base = if clock < from { high.saturating_sub(COLUMNS as u64 - 1) } else { low };
        Self { level, base }
    }

    /// Moves the cells of a page from these columns to wider or shifted ones.
    pub(super) fn move_cells(self, to: Self, cells: &mut [Cell]) {
        let mut moved = [Cell::default(); COLUMNS];
        for (column, cell) in cells.iter().enumerate().filter(|(_, cell)| cell.n != 0) {
            if let Some(place) = to.of(self.clocks(column).0).and_then(|at| moved.get_mut(at)) {
                place.merge(cell);
            }
        }
        cells.copy_from_slice(&moved);
    }
}

impl Cell {
    /// Takes in another.
    pub fn merge(&mut self, other: &Self) {
        if other.n == 0 {
            return;
        }
        self.first = if self.n == 0 { other.first } else { self.first.min(other.first) };
        self.last = self.last.max(other.last);
        self.n = self.n.saturating_add(other.n);
    }
}
