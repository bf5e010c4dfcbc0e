//! Rows of numbers that files name: dense for small numbers, a map for the rest.

use crate::base::map::Map;

/// Numbers below this have a place of their own.
const DENSE: u32 = 1 << 20;
/// No row.
const NONE: u32 = u32::MAX;

/// Gives each number a row, in the order in which they come.
#[derive(Default)]
pub(in crate::systems::instrumentation) struct Lookup {
    dense: Vec<u32>,
    sparse: Map<u32, u32>,
    ids: Vec<u32>,
}

impl Lookup {
    /// The numbers by their rows.
    pub(in crate::systems::instrumentation) fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// The row of a number.
    #[inline]
    pub(in crate::systems::instrumentation) fn get(&self, id: u32) -> Option<u32> {
        if id < DENSE {
            return self.dense.get(id as usize).copied().filter(|row| *row != NONE);
        }
        self.sparse.get(&id).copied()
    }

    /// The row of a number, which gets one where it has none.
    #[inline]
    pub(in crate::systems::instrumentation) fn row(&mut self, id: u32) -> u32 {
        self.get(id).unwrap_or_else(|| self.add(id))
    }

    #[cold]
    fn add(&mut self, id: u32) -> u32 {
        let row = u32::try_from(self.ids.len()).unwrap_or(NONE);
        self.ids.push(id);
        self.set(id, row);
        row
    }

    fn set(&mut self, id: u32, row: u32) {
        if DENSE <= id {
            self.sparse.insert(id, row);
            return;
        }
        let at = id as usize;
        if self.dense.len() <= at {
            self.dense.resize(at + 1, NONE);
        }
        if let Some(slot) = self.dense.get_mut(at) {
            *slot = row;
        }
    }

    /// Puts the numbers in another order: the row that each new row was.
    pub(in crate::systems::instrumentation) fn arrange(&mut self, order: &[u32]) {
        self.ids = order.iter().filter_map(|row| self.ids.get(*row as usize).copied()).collect();
        let ids = std::mem::take(&mut self.ids);
        for (row, id) in (0..).zip(&ids) {
            self.set(*id, row);
        }
        self.ids = ids;
    }
}
