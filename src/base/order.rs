//! Sorting short lists with little code: the standard sort is compiled anew for every type and every order (5 kB of wasm
//! each), this one once. For lists of thousands, not of millions.

use std::cmp::Ordering;

/// Sorts; equal ones keep their order.
pub fn sort_by<T>(list: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    let sequence = sequence(list.len(), &|a, b| compare(&list[a], &list[b]));
    let mut from: Vec<Option<T>> = std::mem::take(list).into_iter().map(Some).collect();
    list.extend(sequence.into_iter().filter_map(|i| from[i as usize].take()));
}

/// Sorts by a key; equal ones keep their order.
pub fn sort_by_key<T, K: Ord>(list: &mut Vec<T>, key: impl Fn(&T) -> K) {
    sort_by(list, |a, b| key(a).cmp(&key(b)));
}

/// The numbers from 0 to `n` in the order of what they stand for; equal ones as they are.
pub fn sequence(n: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<u32> {
    let mut sequence: Vec<u32> = (0..n as u32).collect();
    sequence.sort_by(|&a, &b| compare(a as usize, b as usize));
    sequence
}

/// Sorts numbers by a key and, where it is the same, by themselves; in place, also for lists of millions.
pub fn sort_numbers(list: &mut [u32], key: &dyn Fn(u32) -> i64) {
    list.sort_unstable_by(|&a, &b| key(a).cmp(&key(b)).then(a.cmp(&b)));
}

/// Sorts numbers; NaN comes at the ends.
pub fn sort_floats(list: &mut [f64]) {
    list.sort_by(f64::total_cmp);
}

/// The value of sorted ones that a share in percent of them does not pass: at (n − 1) · percent / 100, between two of them
/// in proportion, as `numpy.percentile` has it; 0 for none.
pub fn percentile(sorted: &[i64], percent: usize) -> f64 {
    let place = sorted.len().saturating_sub(1) * percent;
    let at = |rank: usize| sorted.get(rank).copied().unwrap_or(0);
    let (low, high) = (at(place / 100), at((place / 100 + 1).min(sorted.len().saturating_sub(1))));
    low as f64 + (high - low) as f64 * (place % 100) as f64 / 100.0
}

/// The median of sorted numbers: the middle one, or the mean of the middle two. NaN for none.
pub fn median(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    let middle = sorted.get(half.saturating_sub(usize::from(sorted.len().is_multiple_of(2)))..=half);
    middle.map_or(f64::NAN, |middle| middle.iter().sum::<f64>() / middle.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ones_keep_their_order() {
        let mut list = vec![(2, 'a'), (1, 'b'), (2, 'c'), (0, 'd'), (1, 'e')];
        sort_by_key(&mut list, |p| p.0);
        assert_eq!(list, [(0, 'd'), (1, 'b'), (1, 'e'), (2, 'a'), (2, 'c')]);
        sort_by_key(&mut list, |p| std::cmp::Reverse(p.0));
        assert_eq!(list.iter().map(|p| p.1).collect::<String>(), "acbed");
    }

    #[test]
    fn the_median_of_an_even_count_is_between_the_middle_two() {
        for (list, expected) in
            [(&[3.0][..], 3.0), (&[1.0, 2.0], 1.5), (&[1.0, 2.0, 9.0], 2.0), (&[1.0, 2.0, 4.0, 9.0], 3.0)]
        {
            assert_eq!(median(list), expected, "{list:?}");
        }
        assert!(median(&[]).is_nan());
    }
}
