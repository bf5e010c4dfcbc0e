//! Whether two sets of numbers differ by more than chance: the rank sum test of Mann and Whitney, two-sided.

/// Most numbers for which all ways to part them are counted.
const EXACT: usize = 40;

/// The probability that two sets of one kind differ as much as these do; `None` where one is empty. Ties have middle ranks.
/// Exact up to 40 numbers, by the normal approximation with the correction for ties beyond.
pub fn rank_sum(a: &[f64], b: &[f64]) -> Option<f64> {
    let (n_a, n) = (a.len(), a.len() + b.len());
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let mut all: Vec<(f64, bool)> =
        a.iter().map(|v| (*v, true)).chain(b.iter().map(|v| (*v, false))).collect();
    all.sort_by(|x, y| x.0.total_cmp(&y.0));
    // Twice the ranks, which are whole: the first of m equal ones after k has 2k + m + 1.
    let (mut ranks, mut ties) = (Vec::new(), 0.0);
    for equal in all.chunk_by(|x, y| x.0 == y.0) {
        let m = equal.len();
        let rank = 2 * ranks.len() + m + 1;
        ranks.extend(std::iter::repeat_n(rank, m));
        ties += (m * m * m - m) as f64;
    }
    let sum: usize = ranks.iter().zip(&all).filter(|(_, (_, is_a))| *is_a).map(|(rank, _)| rank).sum();
    let mean = n_a * (n + 1); // twice n_a (n + 1) / 2
    let off = sum.abs_diff(mean);
    if n <= EXACT {
        return Some(exact(&ranks, n_a, mean, off));
    }
    let (a, b, n) = (n_a as f64, b.len() as f64, n as f64);
    let variance = a * b / 12.0 * (n + 1.0 - ties / (n * (n - 1.0)));
    if variance <= 0.0 {
        return Some(1.0);
    }
    let z = ((off as f64 / 2.0 - 0.5).max(0.0)) / variance.sqrt();
    Some(erfc(z / std::f64::consts::SQRT_2).min(1.0))
}

/// The share of all ways to choose so many ranks whose sum is off by at least as much.
fn exact(ranks: &[usize], n_a: usize, mean: usize, off: usize) -> f64 {
    let most: usize = ranks.iter().sum();
    // ways[k][s]: how many ways there are to choose k ranks with the sum s.
    let mut ways = vec![vec![0.0_f64; most + 1]; n_a + 1];
    if let Some(none) = ways.first_mut().and_then(|row| row.first_mut()) {
        *none = 1.0;
    }
    for &rank in ranks {
        for k in (1..=n_a).rev() {
            let (before, after) = ways.split_at_mut(k);
            let (Some(from), Some(to)) = (before.last(), after.first_mut()) else { continue };
            for (to, from) in to.iter_mut().skip(rank).zip(from) {
                *to += from;
            }
        }
    }
    let Some(last) = ways.last() else { return 1.0 };
    let all: f64 = last.iter().sum();
    let far = last.iter().enumerate().filter(|(sum, _)| off <= sum.abs_diff(mean)).map(|(_, n)| n);
    (far.sum::<f64>() / all).min(1.0)
}

/// The complement of the error function, for x ≥ 0, to 1.2e-7.
fn erfc(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.5 * x);
    let terms = [
        -1.265_512_23,
        1.000_023_68,
        0.374_091_96,
        0.096_784_18,
        -0.186_288_06,
        0.278_868_07,
        -1.135_203_98,
        1.488_515_87,
        -0.822_152_23,
        0.170_872_77,
    ];
    let sum = terms.iter().rev().fold(0.0, |sum, term| sum * t + term);
    t * (-x * x + sum).exp()
}

/// Probabilities of many tests as shares of false alarms among those at most as great (Benjamini and Hochberg), in the order
/// given.
pub fn false_alarms(p: &[Option<f64>]) -> Vec<Option<f64>> {
    let mut order: Vec<(f64, usize)> = p.iter().enumerate().filter_map(|(at, p)| Some(((*p)?, at))).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let n = order.len() as f64;
    let mut out = vec![None; p.len()];
    let mut least = 1.0_f64;
    for (rank, (p, at)) in order.iter().enumerate().rev() {
        least = least.min(p * n / (rank + 1) as f64);
        if let Some(slot) = out.get_mut(*at) {
            *slot = Some(least);
        }
    }
    out
}
