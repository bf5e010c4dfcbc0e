//! What slices add up to by name, in two documents: which names cost more or less than before.

use super::{difference, join};
use crate::base::map::Map;
use crate::base::order;
use serde::{Deserialize, Serialize};

/// What the slices of one name add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Total {
    /// How many slices; those that lie in each other and count once are one.
    pub count: u64,
    /// Sum of their lengths in nanoseconds (or in ticks, where both documents only order things).
    pub total: f64,
}

impl Total {
    /// Mean length; `None` without slices.
    pub fn mean(self) -> Option<f64> {
        (0 < self.count).then(|| self.total / self.count as f64)
    }

    /// The sum; `None` of what is counted by nothing, such as a percentile.
    pub fn sum(self) -> Option<f64> {
        self.mean().map(|_| self.total)
    }

    /// What is compared: the sum, or the mean of each; what is counted by nothing, such as a percentile, is its own mean.
    pub fn compared(self, is_of_means: bool) -> f64 {
        self.mean().filter(|_| is_of_means).unwrap_or(self.total)
    }
}

/// A name with what it adds up to on both sides; `None` where a side does not have it.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The name.
    pub name: String,
    /// In the baseline.
    pub baseline: Option<Total>,
    /// In the comparison.
    pub comparison: Option<Total>,
}

impl Pair {
    /// How much longer the comparison takes, in nanoseconds: all together, or each in the mean. Missing when a side is.
    pub fn difference(&self, is_of_means: bool) -> Option<f64> {
        let [a, b] = [self.baseline, self.comparison].map(|side| side.map(|t| t.compared(is_of_means)));
        difference(a, b)
    }

    /// The same as a share of the baseline; missing when that is 0.
    pub fn change(&self, is_of_means: bool) -> Option<f64> {
        let before = self.baseline?.compared(is_of_means);
        self.difference(is_of_means).filter(|_| 0.0 < before).map(|d| d / before)
    }

    /// Whether both sides have as many: else more or less in sum may be more or less work.
    pub fn has_equal_counts(&self) -> bool {
        self.baseline.map(|t| t.count) == self.comparison.map(|t| t.count)
    }
}

/// Joins by name, in order of the comparison, then what only the baseline has. A name that repeats (one pipe of several
/// cores) is added up first. Costs the rows of both.
pub fn pairs(baseline: &[(String, Total)], comparison: &[(String, Total)]) -> Vec<Pair> {
    let (old, new) = (added(baseline), added(comparison));
    let names = |list: &[(String, Total)]| list.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let pair = |(i, j): (Option<usize>, Option<usize>)| {
        let (left, right) = (i.and_then(|i| old.get(i)), j.and_then(|j| new.get(j)));
        let name = right.or(left)?.0.clone();
        Some(Pair { name, baseline: left.map(|l| l.1), comparison: right.map(|r| r.1) })
    };
    join(&names(&old), &names(&new)).into_iter().filter_map(pair).collect()
}

/// Puts what changed most first; what only one side has stands where all of its time would.
pub fn sort_by_change(pairs: &mut [Pair], is_of_means: bool) {
    let alone = |p: &Pair| p.comparison.or(p.baseline).map_or(0.0, |t| t.compared(is_of_means));
    let change = |p: &Pair| p.difference(is_of_means).map_or_else(|| alone(p), f64::abs);
    order::sort_by(pairs, |a, b| change(b).total_cmp(&change(a)));
}

/// Each name once, where it stood first.
pub fn added(rows: &[(String, Total)]) -> Vec<(String, Total)> {
    let mut places: Map<&str, usize> = Map::default();
    let mut out: Vec<(String, Total)> = Vec::new();
    for (name, total) in rows {
        let at = *places.entry(name).or_insert(out.len());
        match out.get_mut(at) {
            Some((_, sum)) => {
                sum.count += total.count;
                sum.total += total.total;
            }
            None => out.push((name.clone(), *total)),
        }
    }
    out
}
