//! What slow blocks have in common: a coordinate, a range or every so many values of it, units, a wave.
//!
//! Something is common when at least half of the slow blocks have it, and at least twice as many of them as of all blocks;
//! or when nearly all blocks that have it are slow, though others are as well. Of several, the one with the greatest
//! difference of both shares.

use super::Schedule;
use super::arrange::PIECE;
use super::numbers::SLOW;
use super::property::{Key, Property, RESIDUES, densest};
use crate::base::job::{Turn, pieces};
use serde::{Deserialize, Serialize};

/// Fewer slow blocks have nothing in common.
const LEAST: u64 = 4;
/// The share of blocks from which nearly all of them are slow.
const NEARLY: f64 = 0.9;
/// The share of the slow blocks from which such blocks are told.
const PART: f64 = 0.1;
/// How often what was found may be there by chance.
const CHANCE: f64 = 1e-4;
/// So many slow blocks must follow a fast one for a range to go on.
const BRIDGE: f64 = 4.0;

/// What slow blocks have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Common {
    /// How much longer than the median they are, in percent.
    pub percent: u64,
    pub slow: u64,
    /// How many of them have it.
    pub with: u64,
    /// How many blocks have it.
    pub all: u64,
    pub shared: Property,
}

impl Common {
    /// Whether nearly all blocks that have it are slow, while others are slow without it.
    pub fn is_a_part(&self) -> bool {
        self.with < self.slow && NEARLY * self.all as f64 <= self.with as f64
    }
}

/// Finds out what blocks that take longer than `limit` have in common. Blocks are ranked.
pub(super) async fn find_common(schedule: &Schedule, limit: u64, turn: &Turn) -> Option<Common> {
    let n = schedule.len();
    let fast = schedule.by_elapsed.partition_point(|row| schedule.elapsed_of(*row) <= limit);
    let slow = (n - fast) as u64;
    if slow < LEAST {
        return None;
    }
    let mut search = Search { slow, n: n as u64, best: None };
    for (key, values) in Key::of_launch(schedule) {
        let mut counts = vec![(0, 0); values];
        for piece in pieces(n, PIECE) {
            for row in piece {
                // Numbers of blocks beyond the grid have no place in it.
                let at = key.of(schedule, row as u32).unwrap_or(u32::MAX);
                if let Some((with, all)) = counts.get_mut(at as usize) {
                    let is_slow = limit < schedule.elapsed_of(row as u32);
                    (*with, *all) = (*with + u64::from(is_slow), *all + 1);
                }
            }
            turn.pause().await;
        }
        let counts: Counts = (0..).zip(counts).filter(|(_, (_, all))| 0 < *all).collect();
        search.offer_all(key, &counts, schedule);
        turn.pause().await;
    }
    search.best.map(|(_, common)| common)
}

/// Values of a key with the number of their slow blocks and of all their blocks.
type Counts = Vec<(u32, (u64, u64))>;

fn sum<'a>(counts: impl IntoIterator<Item = &'a (u32, (u64, u64))>) -> (u64, u64) {
    counts.into_iter().fold((0, 0), |(with, all), (_, own)| (with + own.0, all + own.1))
}

/// The search for what slow blocks have in common.
struct Search {
    slow: u64,
    n: u64,
    best: Option<(f64, Common)>,
}

impl Search {
    /// All blocks were counted by this key.
    fn offer_all(&mut self, key: Key, counts: &Counts, schedule: &Schedule) {
        if key == Key::Unit {
            self.offer_units(counts, schedule);
            return;
        }
        let tries = (counts.len() as f64).ln();
        let mut above = (0, 0);
        for (value, own) in counts.iter().rev() {
            self.offer(*own, true, tries, || Property::Is(key, *value));
            above = (above.0 + own.0, above.1 + own.1);
            if key != Key::Wave {
                self.offer(above, true, tries, || Property::AtLeast(key, *value));
            }
        }
        if key == Key::Wave {
            return;
        }
        let weight = |(_, (with, all)): &(u32, (u64, u64))| *with as f64 - BRIDGE * (all - with) as f64;
        let range = densest(counts.iter().map(weight));
        let own = counts.get(range.clone()).unwrap_or_default();
        if let (Some((from, _)), Some((last, _))) = (own.first(), own.last()) {
            let (from, to) = (*from, last.saturating_add(1));
            self.offer(sum(own), false, 2.0 * tries, || match range.start {
                0 => Property::Below(key, to),
                _ => Property::Within(key, from, to),
            });
        }
        self.offer_residues(key, counts);
    }

    fn offer_residues(&mut self, key: Key, counts: &Counts) {
        let tries = f64::from(RESIDUES.sum::<u32>()).ln();
        for step in 2..=*RESIDUES.end() {
            // A single value is not every so many.
            let rests = step.min((counts.len() as u32).saturating_sub(step));
            for rest in 0..rests {
                let own = sum(counts.iter().filter(|(value, _)| value % step == rest));
                self.offer(own, false, tries, || match (step, rest) {
                    (2, 0) => Property::Even(key),
                    (2, _) => Property::Odd(key),
                    _ => Property::Residue(key, step, rest),
                });
            }
        }
    }

    fn offer_units(&mut self, counts: &Counts, schedule: &Schedule) {
        let n = counts.len() as f64;
        let id = |row: u32| schedule.units.get(row as usize).map(|unit| unit.id);
        for (row, own) in counts {
            self.offer(*own, true, n.ln(), || Property::Units(id(*row).into_iter().collect()));
        }
        let is_slow = |(_, (with, all)): &&(u32, (u64, u64))| NEARLY * *all as f64 <= *with as f64;
        let chosen: Vec<_> = counts.iter().filter(is_slow).collect();
        // As many sets of units have this size, at most.
        let part = chosen.len() as f64 / n;
        let tries = n * (entropy(part) + entropy(1.0 - part));
        self.offer(sum(chosen.iter().copied()), false, tries, || {
            // Units are in the order of their ids.
            Property::Units(chosen.iter().filter_map(|(row, _)| id(*row)).collect())
        });
    }

    /// So many slow blocks, of so many blocks, have something: one of e^`tries` things that are looked at. `is_single` is a
    /// value or a limit; other sets are told only where nearly all of their blocks are slow.
    fn offer(
        &mut self,
        (with, all): (u64, u64),
        is_single: bool,
        tries: f64,
        name: impl FnOnce() -> Property,
    ) {
        let (share, usual) = (with as f64 / self.slow as f64, all as f64 / self.n as f64);
        let is_common = is_single && 0.5 <= share && 2.0 * usual <= share;
        let is_part = LEAST <= with && PART <= share && NEARLY * all as f64 <= with as f64;
        if !(is_common || is_part && self.is_no_chance(with as f64, all as f64, tries)) {
            return;
        }
        let score = share - usual;
        if self.best.as_ref().is_none_or(|(known, _)| *known < score) {
            let common = Common { percent: SLOW, slow: self.slow, with, all, shared: name() };
            self.best = Some((score, common));
        }
    }

    /// Whether so many slow ones among so many blocks are more than chance puts there, where one of e^`tries` sets is looked for:
    /// Chernoff's bound.
    fn is_no_chance(&self, with: f64, all: f64, tries: f64) -> bool {
        let (own, usual) = (with / all, self.slow as f64 / self.n as f64);
        if own <= usual {
            return false;
        }
        let distance = -entropy(own)
            - entropy(1.0 - own)
            - own * usual.ln()
            - if own < 1.0 { (1.0 - own) * (1.0 - usual).ln() } else { 0.0 };
        tries - CHANCE.ln() <= all * distance
    }
}

/// Of one outcome with this probability, in nats.
fn entropy(share: f64) -> f64 {
    if share <= 0.0 { 0.0 } else { -share * share.ln() }
}
