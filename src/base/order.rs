//! Sorting with little code: the standard sort is compiled anew for every type and every order (5 kB of wasm each), these
//! once. What compares is for lists of thousands, not of millions: four times slower. What takes numbers is for all.

use std::cmp::{Ordering, Reverse};

/// Sorts; equal ones keep their order.
pub fn sort<T: Ord>(list: &mut [T]) {
    sort_by(list, T::cmp);
}

/// Sorts; equal ones keep their order.
pub fn sort_by<T>(list: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let sequence = sequence(list.len(), &|a, b| compare(&list[a], &list[b]));
    arrange(sequence, &mut |a, b| list.swap(a, b));
}

/// Sorts by a key; equal ones keep their order.
pub fn sort_by_key<T, K: Ord>(list: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(list, |a, b| key(a).cmp(&key(b)));
}

/// The numbers from 0 to `n` in the order of what they stand for; equal ones as they are.
pub fn sequence(n: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<u32> {
    let mut sequence: Vec<u32> = (0..n as u32).collect();
    sequence.sort_by(|&a, &b| compare(a as usize, b as usize));
    sequence
}

/// What lists of millions are sorted by.
pub trait Number {
    /// A whole number that is less than another one where this is less.
    fn whole(self) -> u64;
}

impl Number for u64 {
    fn whole(self) -> u64 {
        self
    }
}

impl Number for u32 {
    fn whole(self) -> u64 {
        self.into()
    }
}

impl Number for i64 {
    fn whole(self) -> u64 {
        self as u64 ^ 1 << 63
    }
}

/// NaN comes at the ends.
impl Number for f64 {
    fn whole(self) -> u64 {
        let bits = self.to_bits();
        if self.is_sign_negative() { !bits } else { bits ^ 1 << 63 }
    }
}

impl<N: Number> Number for Reverse<N> {
    fn whole(self) -> u64 {
        !self.0.whole()
    }
}

/// Sorts by a number; equal ones keep their order. Also for lists of millions.
pub fn sort_by_number<T, N: Number>(list: &mut [T], number: impl Fn(&T) -> N) {
    let sequence = sequence_of(list.len(), &|at| number(&list[at]).whole());
    arrange(sequence, &mut |a, b| list.swap(a, b));
}

/// The numbers from 0 to `n` in the order of those that they stand for; equal ones as they are. Also for millions.
fn sequence_of(n: usize, number: &dyn Fn(usize) -> u64) -> Vec<u32> {
    let mut pairs: Vec<(u64, u32)> = (0..n).map(|at| (number(at), at as u32)).collect();
    pairs.sort_unstable();
    pairs.into_iter().map(|(_, at)| at).collect()
}

/// Lets what stands in a list change places until a sequence of its places is in order.
fn arrange(mut sequence: Vec<u32>, swap: &mut dyn FnMut(usize, usize)) {
    for first in 0..sequence.len() {
        let mut at = first;
        loop {
            let from = std::mem::replace(&mut sequence[at], at as u32) as usize;
            if from == first {
                break;
            }
            swap(at, from);
            at = from;
        }
    }
}

/// Sorts numbers by a key and, where it is the same, by themselves; also lists of millions.
pub fn sort_numbers(list: &mut [u32], key: &dyn Fn(u32) -> i64) {
    if 1 < list.len() {
        let mut pairs: Vec<(u64, u32)> = list.iter().map(|&number| (key(number).whole(), number)).collect();
        pairs.sort_unstable();
        list.iter_mut().zip(pairs).for_each(|(to, (_, number))| *to = number);
    }
}

/// Sorts pairs, also millions of them.
pub fn sort_pairs(list: &mut [(u32, u32)]) {
    let mut numbers: Vec<u64> = list.iter().map(|&pair| joined(pair)).collect();
    numbers.sort_unstable();
    list.iter_mut().zip(numbers).for_each(|(to, number)| *to = parted(number));
}

/// A pair as one number: what is less stays less.
pub fn joined((first, second): (u32, u32)) -> u64 {
    u64::from(first) << 32 | u64::from(second)
}

/// The pair of a number.
pub fn parted(number: u64) -> (u32, u32) {
    ((number >> 32) as u32, number as u32)
}

/// Sorts numbers, also millions of them; NaN comes at the ends.
pub fn sort_floats(list: &mut [f64]) {
    sort_by_number(list, |number| *number);
}

/// The value of sorted ones that a share in percent of them does not pass: at (n − 1) · percent / 100, between two of them
/// in proportion, as `numpy.percentile` has it; 0 for none.
pub fn percentile(sorted: &[i64], percent: usize) -> f64 {
    percentile_of(sorted.len(), percent, |rank| sorted.get(rank).map_or(0.0, |value| *value as f64))
}

/// The same of `n` values by their ranks from 0, at least one.
pub fn percentile_of(n: usize, percent: usize, at: impl Fn(usize) -> f64) -> f64 {
    let (low, high, rest) = ranks(n, percent);
    let value = at(low);
    if rest == 0.0 { value } else { value + (at(high) - value) * rest / 100.0 }
}

/// The same of `n` whole values by their ranks from 0, rounded to the nearest whole one, a half up.
pub fn whole_percentile(n: usize, percent: usize, at: impl Fn(usize) -> u64) -> u64 {
    if n == 0 {
        return 0;
    }
    let (low, high, rest) = ranks(n, percent);
    let (low, high) = (at(low), at(high));
    low.saturating_add((high.saturating_sub(low) as f64 * rest / 100.0).round() as u64)
}

/// The median of whole values, of an even number the mean of the middle two, a half rounded up; `None` for none. Leaves
/// them in another order.
pub fn whole_median(all: &mut [u64]) -> Option<u64> {
    let is_even = all.len().is_multiple_of(2);
    let middle = all.len() / 2;
    if all.len() <= middle {
        return None;
    }
    let (lower, &mut high, _) = all.select_nth_unstable(middle);
    let low = lower.iter().max().filter(|_| is_even).map_or(high, |low| *low);
    Some(low.saturating_add((high - low).div_ceil(2)))
}

/// The ranks between which a percentile of so many values lies, and how far behind the first, in hundredths.
fn ranks(n: usize, percent: usize) -> (usize, usize, f64) {
    let last = n.saturating_sub(1);
    // Without a product of both, which 32 bits may not hold.
    let low = last / 100 * percent + last % 100 * percent / 100;
    (low, (low + 1).min(last), (last % 100 * percent % 100) as f64)
}

/// The median of sorted numbers: the middle one, or the mean of the middle two. NaN for none.
pub fn median(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    let middle = sorted.get(half.saturating_sub(usize::from(sorted.len().is_multiple_of(2)))..=half);
    middle.map_or(f64::NAN, |middle| middle.iter().sum::<f64>() / middle.len() as f64)
}
