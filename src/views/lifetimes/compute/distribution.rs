//! How many of each length: exact, with how many are shorter than each, so that questions about a length cost a search.

use super::Histogram;
use crate::base::job::{Turn, run};
use std::collections::VecDeque;

/// Lengths with how often each occurs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distribution {
    /// Distinct lengths, ascending.
    lengths: Vec<u64>,
    /// How many are at most as long.
    counts: Vec<u64>,
    sum: u128,
}

/// Multiples of a retention up to so many for each distinct length are searched, more are divided.
const SEARCHED: f64 = 0.02;

impl Distribution {
    /// Of distinct lengths, ascending, each with how often it occurs.
    pub fn new(pairs: impl Iterator<Item = (u64, u64)>) -> Self {
        let mut all = Self::default();
        for (length, n) in pairs.filter(|(_, n)| 0 < *n) {
            all.push(length, n);
        }
        all.lengths.shrink_to_fit();
        all.counts.shrink_to_fit();
        all
    }

    fn push(&mut self, length: u64, n: u64) {
        self.sum = self.sum.saturating_add(u128::from(length) * u128::from(n));
        let count = self.count().saturating_add(n);
        if self.lengths.last() == Some(&length) {
            self.counts.pop();
        } else {
            self.lengths.push(length);
        }
        self.counts.push(count);
    }

    /// Of lengths in any order.
    pub fn of(mut lengths: Vec<u64>) -> Self {
        lengths.sort_unstable();
        Self::new(
            lengths.chunk_by(|a, b| a == b).filter_map(|same| Some((*same.first()?, same.len() as u64))),
        )
    }

    /// Several as one.
    pub fn merged<'a>(all: impl IntoIterator<Item = &'a Self>) -> Self {
        let all = all.into_iter().filter(|one| !one.is_empty()).cloned().collect();
        run(async |turn| Self::joined(all, &turn).await)
    }

    /// All as one: those that waited longest are joined, two at a time, so that each length is copied as often as the
    /// logarithm of their number.
    pub(super) async fn joined(mut waiting: VecDeque<Self>, turn: &Turn) -> Self {
        while let Some(a) = waiting.pop_front() {
            let Some(b) = waiting.pop_front() else { return a };
            if turn.is_over(1 + a.lengths.len() + b.lengths.len()) {
                turn.pause().await;
            }
            waiting.push_back(a.with(&b));
        }
        Self::default()
    }

    /// Both as one.
    fn with(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.pairs().peekable(), other.pairs().peekable());
        let next = move || match (a.peek(), b.peek()) {
            (Some(x), Some(y)) if y.0 < x.0 => b.next(),
            (Some(_), _) => a.next(),
            (None, _) => b.next(),
        };
        let mut all = Self::default();
        std::iter::from_fn(next).for_each(|(length, n)| all.push(length, n));
        all.lengths.shrink_to_fit();
        all.counts.shrink_to_fit();
        all
    }

    /// Each of them so many times.
    #[must_use]
    pub fn times(self, n: u64) -> Self {
        if n == 1 {
            self
        } else {
            Self::new(self.pairs().map(|(length, count)| (length, count.saturating_mul(n))))
        }
    }

    /// Distinct lengths, ascending, each with how often it occurs.
    pub fn pairs(&self) -> impl Iterator<Item = (u64, u64)> {
        let mut before = 0;
        self.lengths.iter().zip(&self.counts).map(move |(length, count)| {
            let n = count - before;
            before = *count;
            (*length, n)
        })
    }

    /// Distinct lengths, ascending.
    pub fn lengths(&self) -> &[u64] {
        &self.lengths
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.counts.last().copied().unwrap_or(0)
    }

    /// The sum of all.
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// The mean; 0 for none.
    pub fn mean(&self) -> f64 {
        if self.is_empty() { 0.0 } else { self.sum() as f64 / self.count() as f64 }
    }

    /// The shortest; 0 for none.
    pub fn min(&self) -> u64 {
        self.lengths.first().copied().unwrap_or(0)
    }

    /// The longest; 0 for none.
    pub fn max(&self) -> u64 {
        self.lengths.last().copied().unwrap_or(0)
    }

    /// The length of this rank, from 0 in ascending order.
    fn at(&self, rank: u64) -> u64 {
        let row = self.counts.partition_point(|count| *count <= rank);
        self.lengths.get(row).or(self.lengths.last()).copied().unwrap_or(0)
    }

    /// The quantile `q` of 0 to 1 by linear interpolation between neighbors; 0 for none.
    pub fn quantile(&self, q: f64) -> f64 {
        let place = q.clamp(0.0, 1.0) * self.count().saturating_sub(1) as f64;
        let rank = place.floor();
        let (low, high) = (self.at(rank as u64) as f64, self.at(rank as u64 + 1) as f64);
        low + (high - low) * (place - rank)
    }

    /// How many are at most so long.
    pub fn count_within(&self, length: f64) -> u64 {
        let row = self.lengths.partition_point(|own| *own as f64 <= length);
        row.checked_sub(1).and_then(|row| self.counts.get(row)).copied().unwrap_or(0)
    }

    /// How many are exactly so long.
    pub fn count_of(&self, length: f64) -> u64 {
        self.count_within(length) - self.count_within(length.next_down())
    }

    /// The share that is at most so long; 1 for none.
    pub fn share_within(&self, length: f64) -> f64 {
        if self.is_empty() { 1.0 } else { self.count_within(length) as f64 / self.count() as f64 }
    }

    /// How often data with this retention have to be refreshed: Σ⌊length / retention⌋. 0 where the retention is none.
    pub fn refreshes(&self, retention: f64) -> u128 {
        if retention.is_nan() || retention <= 0.0 || self.is_empty() {
            return 0;
        }
        if self.max() as f64 / retention <= SEARCHED * self.lengths.len() as f64 {
            return self.searched(retention);
        }
        // A product is quicker than a quotient, and differs from it next to whole numbers only.
        let rate = 1.0 / retention;
        let times = |length: u64| {
            let product = length as f64 * rate;
            let whole = product as u64;
            let (rest, doubt) = (product - whole as f64, 4.0 * f64::EPSILON * (product + 1.0));
            let is_sure = doubt < rest && rest < 1.0 - doubt;
            if is_sure { whole } else { (length as f64 / retention) as u64 }
        };
        self.pairs().map(|(length, n)| u128::from(times(length)) * u128::from(n)).sum()
    }

    /// Σ over k of how many last at least k retentions, each found from the place of the one before.
    fn searched(&self, retention: f64) -> u128 {
        let (mut sum, mut row) = (0_u128, 0);
        for k in 1..=(self.max() as f64 / retention) as u64 {
            // The least length whose quotient is k, past rounding.
            let is_enough = |length: u64| k as f64 <= (length as f64 / retention).floor();
            let mut least = (k as f64 * retention).ceil() as u64;
            while is_enough(least.saturating_sub(1)) && 0 < least {
                least -= 1;
            }
            while !is_enough(least) {
                least += 1;
            }
            // Doubling steps, then halves: the next multiple is near.
            let mut step = 1;
            while self.lengths.get(row + step).is_some_and(|length| *length < least) {
                step *= 2;
            }
            let rest = self.lengths.get(row..(row + step).min(self.lengths.len())).unwrap_or(&[]);
            row += rest.partition_point(|length| *length < least);
            let before = row.checked_sub(1).and_then(|row| self.counts.get(row)).copied().unwrap_or(0);
            sum += u128::from(self.count() - before);
        }
        sum
    }
}

impl From<&Histogram> for Distribution {
    fn from(histogram: &Histogram) -> Self {
        Self::new(histogram.pairs())
    }
}
