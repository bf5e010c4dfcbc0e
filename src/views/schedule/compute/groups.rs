//! Blocks that fall into two groups, such as those with an even and an odd x: their median may lie where no block is.
//!
//! Two groups are told where one property parts the blocks and explains nearly all of the spread of their times, or, when
//! none does, where two groups of times do. A smaller group is not one of two but an exception: see `Common`.

use super::Schedule;
use super::arrange::PIECE;
use super::numbers::SLOW;
use super::property::{Key, Property, RESIDUES, densest};
use crate::analysis::groups::{best_split, between, two_groups};
use crate::base::job::{Turn, pieces};
use crate::base::order;
use crate::base::words::{Message, message};
use serde::{Deserialize, Serialize};

/// The share of the variance from which a property explains it: a steady rise along a coordinate is explained for three
/// quarters by its halves.
const EXPLAINED: f64 = 0.8;
/// One block in so many must be in the smaller group.
const SMALLEST: f64 = 4.0;
/// Fewer blocks have no groups.
const LEAST: usize = 8;
/// Most properties that are told.
const TOLD: usize = 3;

/// The slower and the faster blocks of a launch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Groups {
    /// How many blocks the slower group has.
    pub slow: u64,
    /// How many the faster one.
    pub fast: u64,
    /// How long blocks of the slower group take, mean.
    pub slow_mean: f64,
    /// How long those of the faster one take, mean.
    pub fast_mean: f64,
    /// What all slower blocks have and no faster one; several where they part the blocks in the same way.
    pub by: Vec<Property>,
    /// The shortest slow block, where no property tells them.
    from: u64,
}

impl Groups {
    /// How many times as long as the faster blocks the slower ones take.
    pub fn factor(&self) -> f64 {
        self.slow_mean / self.fast_mean.max(1.0)
    }

    /// How long all would take if each took the same.
    pub fn even(&self) -> f64 {
        let (slow, fast) = (self.slow as f64, self.fast as f64);
        (slow * self.slow_mean + fast * self.fast_mean) / (slow + fast).max(1.0)
    }

    /// Whether nothing but their units tells the groups.
    pub fn is_of_units(&self) -> bool {
        matches!(self.by.as_slice(), [Property::Units(_)])
    }

    /// What slower blocks have and no faster one, such as "odd x"; empty where that is not known. `unit` is what runs
    /// blocks, such as "SM", `units` how many of these ran any.
    pub fn words(&self, unit: &str, units: u32) -> Message {
        let mut words = self.by.iter().take(TOLD).map(|property| property.words(unit, units));
        let Some(first) = words.next() else { return Message::default() };
        // Each of them alone names the same blocks.
        let alike = message("{a}, or equally {b}");
        words.fold(first, |all, next| alike.clone().with_message("a", all).with_message("b", next))
    }

    /// The longest of the faster blocks, where no property tells them.
    pub(super) fn longest_fast(&self) -> u64 {
        self.from.saturating_sub(1)
    }

    /// The mean of the group of a block.
    fn mean_of(&self, schedule: &Schedule, row: u32) -> f64 {
        let is_slow = match self.by.first() {
            Some(property) => property.holds(schedule, row),
            None => self.from <= schedule.elapsed_of(row),
        };
        if is_slow { self.slow_mean } else { self.fast_mean }
    }
}

/// Finds the groups that blocks fall into; `None` where they do not. Blocks are ranked.
pub(super) async fn find_groups(schedule: &Schedule, turn: &Turn) -> Option<Groups> {
    let n = schedule.len();
    if n < LEAST {
        return None;
    }
    let mean = schedule.elapsed.iter().map(|elapsed| *elapsed as f64).sum::<f64>() / n as f64;
    let squares = schedule.elapsed.iter().map(|elapsed| (*elapsed as f64 - mean).powi(2)).sum::<f64>();
    turn.pause().await;
    let mut search = Search { n: n as f64, mean, least: EXPLAINED * squares, best: None };
    let mut all = Vec::new();
    for (key, values) in Key::of_launch(schedule) {
        let mut counts = vec![(0.0, 0.0); values];
        for piece in pieces(n, PIECE) {
            for row in piece {
                let at = key.of(schedule, row as u32).unwrap_or(u32::MAX);
                if let Some((count, sum)) = counts.get_mut(at as usize) {
                    (*count, *sum) = (*count + 1.0, *sum + schedule.elapsed_of(row as u32) as f64);
                }
            }
            turn.pause().await;
        }
        let counts: Counts = (0..).zip(counts).filter(|(_, (n, _))| 0.0 < *n).collect();
        search.offer_all(key, &counts, schedule);
        all.push((key, counts));
    }
    if search.best.is_none() {
        for (key, counts) in &all {
            search.offer_sets(*key, counts);
            turn.pause().await;
        }
    }
    match search.best {
        Some(best) => Some(best.groups),
        None => by_times(schedule),
    }
}

/// Times of all blocks, ascending, and how many are a group at least.
fn times(schedule: &Schedule) -> (Vec<f64>, usize) {
    let sorted: Vec<f64> = schedule.by_elapsed.iter().map(|row| schedule.elapsed_of(*row) as f64).collect();
    let fewest = (sorted.len() as f64 / SMALLEST).ceil() as usize;
    (sorted, fewest)
}

/// The share of the variance from which two groups of times are worth a word though they explain too little to be told: an
/// even distribution is explained for three quarters.
const NEAR: f64 = 0.75;

/// Two groups of times that explain more than those of an even distribution do: the slower blocks, the shortest of them,
/// and the share of the variance. Costs the blocks.
pub fn nearest(schedule: &Schedule) -> Option<(u64, u64, f64)> {
    let (sorted, fewest) = times(schedule);
    let (at, explained) = best_split(&sorted, fewest).filter(|(_, explained)| NEAR < *explained)?;
    Some(((sorted.len() - at) as u64, *sorted.get(at)? as u64, explained))
}

/// Two groups of times that no property tells.
fn by_times(schedule: &Schedule) -> Option<Groups> {
    let (sorted, fewest) = times(schedule);
    let at = two_groups(&sorted, fewest)?;
    let (fast, slow) = sorted.split_at_checked(at)?;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let from = slow.first().copied()? as u64;
    let (slow_mean, fast_mean) = (mean(slow), mean(fast));
    let groups =
        Groups { slow: slow.len() as u64, fast: at as u64, slow_mean, fast_mean, by: Vec::new(), from };
    is_apart(&groups).then_some(groups)
}

fn is_apart(groups: &Groups) -> bool {
    groups.fast_mean * (100 + SLOW) as f64 <= groups.slow_mean * 100.0
}

/// Values of a key with the number of their blocks and the sum of the times of these.
type Counts = Vec<(u32, (f64, f64))>;

fn add(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0 + b.0, a.1 + b.1)
}

/// The search for what parts the blocks.
struct Search {
    n: f64,
    mean: f64,
    /// What must lie between the groups, as a sum of squares.
    least: f64,
    best: Option<Found>,
}

/// What parts them best up to now.
struct Found {
    between: f64,
    groups: Groups,
}

impl Search {
    /// Number and sum of the times of all blocks were taken by the values of this key.
    fn offer_all(&mut self, key: Key, counts: &Counts, schedule: &Schedule) {
        if key == Key::Unit {
            let mut counts = counts.clone();
            order::sort_by(&mut counts, |a, b| (b.1.1 / b.1.0).total_cmp(&(a.1.1 / a.1.0)));
            let mut above = (0.0, 0.0);
            let mut best: Option<(f64, usize, (f64, f64))> = None;
            for (at, (_, own)) in (1..).zip(&counts) {
                above = add(above, *own);
                let between = self.between(above);
                if best.is_none_or(|(most, ..)| most < between) {
                    best = Some((between, at, above));
                }
            }
            let Some((_, at, above)) = best else { return };
            let ids = |is: bool| {
                let chosen = counts.iter().enumerate().filter(|(place, _)| (*place < at) == is);
                let ids = chosen.filter_map(|(_, (row, _))| Some(schedule.units.get(*row as usize)?.id));
                let mut ids: Vec<u32> = ids.collect();
                order::sort(&mut ids);
                ids
            };
            self.offer(above, |is| Property::Units(ids(is)));
            return;
        }
        for (value, own) in counts {
            self.offer(*own, |is| if is { Property::Is(key, *value) } else { Property::IsNot(key, *value) });
        }
        let odd = counts.iter().filter(|(value, _)| !value.is_multiple_of(2));
        let odd = odd.fold((0.0, 0.0), |all, (_, own)| add(all, *own));
        self.offer(odd, |is| if is { Property::Odd(key) } else { Property::Even(key) });
        let mut above = (0.0, 0.0);
        for (value, own) in counts.iter().rev() {
            above = add(above, *own);
            self.offer(
                above,
                |is| {
                    if is { Property::AtLeast(key, *value) } else { Property::Below(key, *value) }
                },
            );
        }
    }

    /// Sets of values that are looked at where nothing simpler parts the blocks: a range, and every so many values.
    fn offer_sets(&mut self, key: Key, counts: &Counts) {
        if key == Key::Unit {
            return;
        }
        let of = |range: &std::ops::Range<usize>| {
            let own = counts.get(range.clone()).unwrap_or_default();
            own.iter().fold((0.0, 0.0), |all, (_, own)| add(all, *own))
        };
        for sign in [1.0, -1.0] {
            let range = densest(counts.iter().map(|(_, (n, sum))| sign * (sum - n * self.mean)));
            let ends = counts.get(range.start).zip(counts.get(range.end.saturating_sub(1)));
            let Some(((from, _), (last, _))) = ends else { continue };
            let (from, to) = (*from, last.saturating_add(1));
            self.offer(of(&range), |is| {
                if is { Property::Within(key, from, to) } else { Property::Outside(key, from, to) }
            });
        }
        if key == Key::Wave {
            return;
        }
        for step in RESIDUES {
            let mut sums = vec![(0.0, 0.0); step as usize];
            for (value, own) in counts {
                if let Some(sum) = sums.get_mut((value % step) as usize) {
                    *sum = add(*sum, *own);
                }
            }
            for (rest, own) in (0..).zip(sums) {
                self.offer(own, |is| {
                    if is {
                        Property::Residue(key, step, rest)
                    } else {
                        Property::NotResidue(key, step, rest)
                    }
                });
            }
        }
    }

    /// What lies between so many blocks with this sum of times and all others, where both are groups.
    fn between(&self, (n, sum): (f64, f64)) -> f64 {
        let others = self.n - n;
        if n.min(others) * SMALLEST < self.n { 0.0 } else { between(sum - n * self.mean, n, others) }
    }

    /// So many blocks with this sum of times have something: `name` says what they have, or what others have.
    fn offer(&mut self, (n, sum): (f64, f64), name: impl Fn(bool) -> Property) {
        let between = self.between((n, sum));
        if between <= 0.0 || between < self.least {
            return;
        }
        let others = self.n - n;
        let (own, other) = (sum / n, (self.n * self.mean - sum) / others);
        let is_slow = other < own;
        let groups = Groups {
            slow: if is_slow { n } else { others } as u64,
            fast: if is_slow { others } else { n } as u64,
            slow_mean: own.max(other),
            fast_mean: own.min(other),
            by: vec![name(is_slow)],
            from: 0,
        };
        if !is_apart(&groups) {
            return;
        }
        match &mut self.best {
            Some(best) if (between - best.between).abs() <= 1e-9 * between => {
                // Values of one key that part blocks in the same way are one property.
                let is_new = best.groups.by.last().is_none_or(|last| last.key() != name(is_slow).key());
                if is_new && best.groups.slow == groups.slow {
                    best.groups.by.push(name(is_slow));
                }
            }
            Some(best) if between < best.between => {}
            _ => self.best = Some(Found { between, groups }),
        }
    }
}

/// The median block of each unit, each block taken relative to its group: a unit is not slow by running more of the slow
/// ones. In the unit of the times, as of a block of mean length.
pub(super) async fn find_medians_within(schedule: &mut Schedule, groups: &Groups, turn: &Turn) {
    let even = groups.even();
    let mut medians = Vec::with_capacity(schedule.units.len());
    for unit in &schedule.units {
        let lanes =
            schedule.lanes.get(unit.lanes.start as usize..unit.lanes.end as usize).unwrap_or_default();
        let rows = lanes
            .iter()
            .flat_map(|lane| schedule.order.get(lane.start as usize..lane.end as usize).unwrap_or_default());
        let relative =
            |row: &u32| schedule.elapsed_of(*row) as f64 / groups.mean_of(schedule, *row).max(1.0) * even;
        let mut times: Vec<f64> = rows.map(relative).collect();
        order::sort_floats(&mut times);
        medians.push(order::median(&times));
        turn.pause().await;
    }
    for (unit, median) in schedule.units.iter_mut().zip(medians) {
        unit.median_within = median;
    }
}
