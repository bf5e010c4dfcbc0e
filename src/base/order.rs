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

    #[test]
    fn percentiles_lie_between_two_values_in_proportion() {
        let values = [1, 2, 4, 8, 100];
        // As numpy.percentile has them.
        for (percent, expected) in [(0, 1.0), (10, 1.4), (50, 4.0), (90, 63.2), (95, 81.6), (100, 100.0)] {
            assert!((percentile(&values, percent) - expected).abs() < 1e-9, "{percent}");
            let whole = whole_percentile(values.len(), percent, |rank| values[rank] as u64);
            assert_eq!(whole, expected.round() as u64, "{percent}");
        }
        assert_eq!((percentile(&[3, 4], 50), whole_percentile(2, 50, |rank| rank as u64 + 3)), (3.5, 4));
        assert_eq!((percentile(&[], 50), whole_percentile(0, 50, |_| 7)), (0.0, 0));
        assert_eq!(percentile(&[i64::MIN, i64::MAX], 0), i64::MIN as f64);
        assert_eq!(
            percentile_of(4, 75, |rank| [0.5, 1.5, 2.5, 9.0][rank]),
            4.125,
            "between two of any numbers"
        );
        assert_eq!(whole_percentile(2, 50, |_| u64::MAX), u64::MAX);
        for mut list in [vec![], vec![7], vec![9, 2], vec![9, 1, 2], vec![5, 9, 1, 2], vec![u64::MAX, 0]] {
            let mut sorted = list.clone();
            sorted.sort_unstable();
            let expected = whole_percentile(list.len(), 50, |rank| sorted[rank]);
            assert_eq!(whole_median(&mut list), (!sorted.is_empty()).then_some(expected), "{sorted:?}");
        }
    }
}
