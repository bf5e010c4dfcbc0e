//! The end of a kernel in steps, as a kernel may hold millions of sectors: what is open closes, lengths are counted.

use super::machine::{Machine, Open, Working};
use super::{Closed, Distribution, Heat, Level, Resident, Unit};
use crate::base::map::Map;
use crate::base::order;
use std::collections::VecDeque;
use std::collections::hash_map;
use std::vec;

/// Lifetimes that are closed, or lengths that are joined, in a step: about 10 ms.
const STEP: usize = 1 << 16;

/// A kernel that ended, while what it did is summed up.
pub struct Ending {
    machine: Machine,
    /// Cycles of the kernel.
    end: u32,
    /// The map whose sectors close.
    open: hash_map::IntoIter<u64, Open>,
    /// How many maps were begun.
    begun: usize,
    /// Units that were not summed up, in the order of their numbers; `None` while sectors are open.
    rest: Option<vec::IntoIter<Working>>,
    units: Vec<Unit>,
    heat: Heat,
    resident: Resident,
    reused: VecDeque<Distribution>,
    orphaned: VecDeque<Distribution>,
    closed: Vec<Closed>,
}

impl Ending {
    pub(super) fn new(machine: Machine, cycles: u64) -> Self {
        Self {
            machine,
            end: u32::try_from(cycles).unwrap_or(u32::MAX),
            open: Map::default().into_iter(),
            begun: 0,
            rest: None,
            units: Vec::new(),
            heat: Heat::default(),
            resident: Resident::default(),
            reused: VecDeque::new(),
            orphaned: VecDeque::new(),
            closed: Vec::new(),
        }
    }

    /// Goes on for about 10 ms; what the kernel did, once all is summed up.
    pub fn step(&mut self) -> Option<Level> {
        let mut left = STEP;
        let is_done = self.close(&mut left)
            && self.gather(&mut left)
            && Distribution::join(&mut self.reused, &mut left)
            && Distribution::join(&mut self.orphaned, &mut left);
        is_done.then(|| self.level())
    }

    /// Its lifetimes in the order in which they were opened; empty unless they are wanted, and before the last step.
    pub fn take_closed(&mut self) -> Vec<Closed> {
        std::mem::take(&mut self.closed)
    }

    /// Closes what is open; whether nothing is left.
    fn close(&mut self, left: &mut usize) -> bool {
        while 0 < *left {
            *left -= 1;
            if let Some((sector, open)) = self.open.next() {
                self.machine.close(open, sector, self.end);
                continue;
            }
            let n = self.machine.units.len();
            if n < self.begun {
                return true;
            }
            let map = match self.machine.units.get_mut(self.begun) {
                Some(unit) => &mut unit.open,
                None => &mut self.machine.shared,
            };
            self.open = std::mem::take(map).into_iter();
            self.begun += 1;
        }
        false
    }

    /// Sums up the units; whether none is left.
    fn gather(&mut self, left: &mut usize) -> bool {
        let Some(rest) = &mut self.rest else {
            let mut units = std::mem::take(&mut self.machine.units);
            let mut order: Vec<usize> = (0..units.len()).collect();
            order::sort_by_key(&mut order, |row| units.get(*row).map(|unit| unit.number));
            self.heat = std::mem::take(&mut self.machine.heat).finish(&order);
            self.resident = std::mem::take(&mut self.machine.resident).finish();
            *left = 0;
            order::sort_by_key(&mut units, |unit| unit.number);
            self.rest = Some(units.into_iter());
            return self.gather(left);
        };
        while 0 < *left {
            let Some(unit) = rest.next() else {
                let shared = [
                    (&mut self.machine.reused, &mut self.reused),
                    (&mut self.machine.orphaned, &mut self.orphaned),
                ];
                for (lengths, all) in shared {
                    let lengths = Distribution::from(&std::mem::take(lengths).finish());
                    *left = left.saturating_sub(lengths.lengths().len());
                    if !lengths.is_empty() {
                        all.push_back(lengths);
                    }
                }
                return true;
            };
            let unit = unit.finish();
            for (lengths, all) in [(&unit.reused, &mut self.reused), (&unit.orphaned, &mut self.orphaned)] {
                let lengths = Distribution::from(lengths);
                *left = left.saturating_sub(1 + lengths.lengths().len());
                if !lengths.is_empty() {
                    all.push_back(lengths);
                }
            }
            self.units.push(unit);
        }
        false
    }

    fn level(&mut self) -> Level {
        let machine = &mut self.machine;
        self.closed = machine.kept.take().unwrap_or_default();
        order::sort_by_number(&mut self.closed, |one| one.order);
        let mut level = Level {
            reused: self.reused.pop_front().unwrap_or_default(),
            orphaned: self.orphaned.pop_front().unwrap_or_default(),
            reuses: Distribution::from(&std::mem::take(&mut machine.reuses).finish()),
            resident: std::mem::take(&mut self.resident),
            heat: std::mem::take(&mut self.heat),
            units: std::mem::take(&mut self.units),
            addresses: std::mem::take(&mut machine.pages).stretches.clusters(),
            ..Level::default()
        };
        for unit in &level.units {
            level.counts.add(&unit.counts);
        }
        level
    }
}
