//! The end of a kernel, which may hold millions of sectors: what is open closes, lengths are counted.

use super::machine::Machine;
use super::{Closed, Distribution, Level};
use crate::base::job::{Job, Turn};
use crate::base::order;
use std::collections::VecDeque;
use std::mem::take;

/// A kernel that ended, while what it did is summed up; and its lifetimes in the order in which they were opened, empty
/// unless they are wanted.
pub type Ending = Job<(Level, Vec<Closed>)>;

/// Distributions as they come; empty ones are left out.
#[derive(Default)]
struct Waiting(VecDeque<Distribution>);

impl Waiting {
    /// Adds lengths; how many distinct ones there are.
    fn push(&mut self, lengths: Distribution) -> usize {
        let n = lengths.lengths().len();
        if !lengths.is_empty() {
            self.0.push_back(lengths);
        }
        n
    }
}

/// Sums up what a kernel of so many cycles did.
pub(super) async fn sum_up(mut machine: Machine, cycles: u64, turn: &Turn) -> (Level, Vec<Closed>) {
    let end = u32::try_from(cycles).unwrap_or(u32::MAX);
    for row in 0..=machine.units.len() {
        let open = machine.units.get_mut(row).map_or(&mut machine.shared, |unit| &mut unit.open);
        for (sector, open) in take(open) {
            machine.close(open, sector, end);
            if turn.is_over(1) {
                turn.pause().await;
            }
        }
    }
    let mut working = take(&mut machine.units);
    let mut order: Vec<usize> = (0..working.len()).collect();
    order::sort_by_key(&mut order, |row| working.get(*row).map(|unit| unit.number));
    let heat = take(&mut machine.heat).finish(&order);
    let resident = take(&mut machine.resident).finish();
    order::sort_by_key(&mut working, |unit| unit.number);
    turn.pause().await;
    let (mut reused, mut orphaned) = (Waiting::default(), Waiting::default());
    let mut units = Vec::with_capacity(working.len());
    for unit in working {
        let unit = unit.finish();
        let n = reused.push(Distribution::from(&unit.reused));
        let work = 1 + n + orphaned.push(Distribution::from(&unit.orphaned));
        units.push(unit);
        if turn.is_over(work) {
            turn.pause().await;
        }
    }
    let n = reused.push(Distribution::from(&take(&mut machine.reused).finish()));
    if turn.is_over(n + orphaned.push(Distribution::from(&take(&mut machine.orphaned).finish()))) {
        turn.pause().await;
    }
    let mut level = Level {
        reused: Distribution::joined(reused.0, turn).await,
        orphaned: Distribution::joined(orphaned.0, turn).await,
        reuses: Distribution::from(&take(&mut machine.reuses).finish()),
        resident,
        heat,
        units,
        addresses: take(&mut machine.pages).stretches.clusters(),
        ..Level::default()
    };
    for unit in &level.units {
        level.counts.add(&unit.counts);
    }
    let mut closed = machine.kept.take().unwrap_or_default();
    order::sort_by_number(&mut closed, |one| one.order);
    (level, closed)
}
