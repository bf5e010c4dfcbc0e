//! Registers of instructions as vertical tracks: which live register stands in which slot.
//!
//! Rows are in order of address. A register that is not alive takes the lowest free slot and lives for as many rows
//! that name it as its length says; after the last of them its slot is free. Tools that draw `GPR Status` place registers
//! by the same rule.

use crate::base::map::Map;
use crate::model::code::RegisterUse;

/// All tracks of a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RegisterTracks {
    /// The most slots that are taken at once.
    pub n_slots: usize,
    cells: Vec<RegisterCell>,
    ends: Vec<u32>,
}

/// One register in one row.
#[derive(Clone, Debug, PartialEq)]
pub struct RegisterCell {
    /// Which slot, from 0.
    pub slot: u16,
    /// Its name.
    pub name: String,
    /// For how many rows it lives.
    pub life: u32,
    /// Whether it is read here.
    pub is_read: bool,
    /// Whether it is written here.
    pub is_written: bool,
    /// Whether its life begins here.
    pub begins: bool,
    /// Whether its life ends here.
    pub ends: bool,
}

impl RegisterTracks {
    /// The cells of a row, by slot.
    pub fn row(&self, row: usize) -> &[RegisterCell] {
        let end = self.ends.get(row).copied().unwrap_or(0) as usize;
        let start = if row == 0 { 0 } else { self.ends.get(row - 1).copied().unwrap_or(0) as usize };
        self.cells.get(start..end).unwrap_or(&[])
    }

    /// Walks the rows once. Costs the number of uses.
    pub fn of(rows: &[Vec<RegisterUse>]) -> Self {
        let mut out = Self::default();
        let mut alive: Map<&str, LiveRange> = Map::default();
        let mut taken: Vec<bool> = Vec::new();
        for uses in rows {
            let first = out.cells.len();
            let mut freed = Vec::new();
            for used in uses.iter().filter(|u| (1..=4).contains(&u.state)) {
                let begins = !alive.contains_key(used.name.as_str());
                let life = alive.entry(&used.name).or_insert_with(|| {
                    let slot = taken.iter().position(|t| !t).unwrap_or(taken.len());
                    if slot == taken.len() {
                        taken.push(false);
                    }
                    taken[slot] = true;
                    LiveRange { slot, left: used.life, length: used.life }
                });
                life.left = life.left.saturating_sub(1);
                let ends = life.left == 0;
                out.cells.push(RegisterCell {
                    slot: u16::try_from(life.slot).unwrap_or(u16::MAX),
                    name: used.name.clone(),
                    life: life.length,
                    is_read: used.state == 1 || used.state == 3,
                    is_written: used.state == 2 || used.state == 3,
                    begins,
                    ends,
                });
                if ends {
                    freed.push((used.name.as_str(), life.slot));
                }
            }
            for (name, slot) in freed {
                alive.remove(name);
                taken[slot] = false;
            }
            out.cells[first..].sort_by_key(|c| c.slot);
            out.ends.push(out.cells.len() as u32);
        }
        out.n_slots = taken.len();
        out
    }
}

struct LiveRange {
    slot: usize,
    left: u32,
    length: u32,
}
