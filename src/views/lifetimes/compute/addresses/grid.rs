//! How many accesses of each status lie in each cell of cycles × addresses.

use super::status::{STATUSES, Status};
use crate::analysis::access::{Axis, Tiling};

/// Counts of a tiling.
#[derive(Clone, Debug, Default)]
pub struct AddressGrid {
    /// Its cells: columns are cycles, rows are addresses.
    pub tiling: Tiling,
    /// How many cells a column has in all parts.
    height: usize,
    /// By segment of the axis: the number of the part that it has, and the cells of a column before that.
    parts: Vec<Option<(usize, usize)>>,
    /// Counts by status, cell after cell, column after column.
    counts: Vec<u32>,
    most: u32,
    /// The segment of the latest access.
    recent: usize,
}

/// A cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridCell {
    /// First and last cycle.
    pub cycles: (u64, u64),
    /// First and last address.
    pub addresses: (u64, u64),
    /// Accesses by the number of their status.
    pub counts: [u32; 4],
}

/// Most cells; more are not asked for by any screen.
const CELLS: usize = 1 << 22;

impl AddressGrid {
    /// Nothing is counted yet.
    pub(super) fn new(axis: &Axis, tiling: Tiling) -> Self {
        let mut parts = vec![None; axis.segments.len()];
        let mut height = 0;
        for (at, part) in tiling.parts.iter().enumerate() {
            if let Some(place) = parts.get_mut(part.segment) {
                *place = Some((at, height));
            }
            height += part.n as usize;
        }
        let columns = usize::try_from(tiling.columns.end.saturating_sub(tiling.columns.start)).unwrap_or(0);
        let cells = columns.saturating_mul(height);
        let counts = vec![0; if cells <= CELLS { cells * STATUSES.len() } else { 0 }];
        Self { tiling, height, parts, counts, most: 0, recent: 0 }
    }

    /// Counts an access.
    #[inline]
    pub(super) fn add(&mut self, axis: &Axis, cycle: u64, address: u64, status: Status) {
        let column = cycle >> self.tiling.level;
        if !self.tiling.columns.contains(&column) {
            return;
        }
        let holds =
            |at: usize| axis.segments.get(at).is_some_and(|s| s.start <= address && address <= s.last);
        if !holds(self.recent) {
            let Some(found) = (0..axis.segments.len()).find(|at| holds(*at)) else { return };
            self.recent = found;
        }
        let Some(Some((at, before))) = self.parts.get(self.recent) else { return };
        let part = &self.tiling.parts[*at];
        let row = (address >> part.shift).wrapping_sub(part.first);
        if u64::from(part.n) <= row {
            return;
        }
        let column = (column - self.tiling.columns.start) as usize;
        let cell = (column * self.height + before + row as usize) * STATUSES.len();
        if let Some(counts) = self.counts.get_mut(cell..cell + STATUSES.len()) {
            counts[status as usize] = counts[status as usize].saturating_add(1);
            self.most = self.most.max(counts.iter().sum());
        }
    }

    /// The most accesses in one cell.
    pub fn most(&self) -> u32 {
        self.most
    }

    /// How many columns there are.
    pub fn width(&self) -> usize {
        self.counts.len() / (self.height * STATUSES.len()).max(1)
    }

    /// The cells of a part in a column, from the lowest on: accesses by the number of their status.
    pub fn cells(&self, column: usize, part: usize) -> impl Iterator<Item = &[u32]> {
        let before: usize = self.tiling.parts.iter().take(part).map(|part| part.n as usize).sum();
        let n = self.tiling.parts.get(part).map_or(0, |part| part.n as usize);
        let from = (column * self.height + before) * STATUSES.len();
        let cells = self.counts.get(from..from + n * STATUSES.len()).unwrap_or(&[]);
        cells.chunks_exact(STATUSES.len())
    }

    /// The cell of a cycle and an address of a segment, or the nearest beside it that has accesses.
    pub fn cell_at(&self, segment: usize, cycle: u64, address: u64) -> Option<GridCell> {
        let Tiling { level, columns, parts } = &self.tiling;
        let (at, part) = parts.iter().enumerate().find(|(_, part)| part.segment == segment)?;
        let column = (cycle >> level).checked_sub(columns.start)?.cast_signed();
        let row = (address >> part.shift).checked_sub(part.first)?.cast_signed();
        let near = [(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0)];
        near.into_iter().find_map(|(right, up)| {
            let (x, y) = (usize::try_from(column + right).ok()?, usize::try_from(row + up).ok()?);
            let counts: [u32; 4] = self.cells(x, at).nth(y)?.try_into().ok()?;
            let (cycle, address) = (columns.start + x as u64, part.first + y as u64);
            let ends = |first: u64, shift: u32| (first << shift, (first << shift) | ((1 << shift) - 1));
            let (cycles, addresses) = (ends(cycle, *level), ends(address, part.shift));
            counts.iter().any(|n| 0 < *n).then_some(GridCell { cycles, addresses, counts })
        })
    }

    /// Whether all cells of a tiling are among its own.
    pub fn covers(&self, tiling: &Tiling) -> bool {
        let own = &self.tiling;
        let columns = own.columns.start <= tiling.columns.start && tiling.columns.end <= own.columns.end;
        own.level == tiling.level
            && columns
            && tiling.parts.iter().all(|part| {
                own.parts.iter().any(|own| {
                    let (end, own_end) = (part.first + u64::from(part.n), own.first + u64::from(own.n));
                    (own.segment, own.shift) == (part.segment, part.shift)
                        && own.first <= part.first
                        && end <= own_end
                })
            })
    }
}
