//! Times that fall into two groups: a median says nothing about them, since it may lie where none of them is.

/// The share of the variance from which two groups explain it: a normal or even distribution is explained for two or
/// three quarters.
pub const EXPLAINED: f64 = 0.9;

/// How many of ascending values are the smaller group, where two groups of at least `fewest` explain nearly all of the
/// spread; `None` where they do not.
pub fn two_groups(sorted: &[f64], fewest: usize) -> Option<usize> {
    best_split(sorted, fewest).filter(|(_, explained)| EXPLAINED <= *explained).map(|(at, _)| at)
}

/// How many of ascending values are the smaller of the two groups of at least `fewest` that explain most of the variance,
/// and the share of it that they explain; `None` where there is no such pair of unlike groups.
pub fn best_split(sorted: &[f64], fewest: usize) -> Option<(usize, f64)> {
    let n = sorted.len();
    let mean = mean(sorted);
    let mut below = 0.0;
    let mut best: Option<(f64, usize)> = None;
    for (at, pair) in (1..).zip(sorted.windows(2)) {
        let [left, right] = pair else { continue };
        below += left - mean;
        if at < fewest || n - at < fewest || left == right {
            continue;
        }
        let between = between(below, at as f64, (n - at) as f64);
        if best.is_none_or(|(most, _)| most < between) {
            best = Some((between, at));
        }
    }
    let (between, at) = best?;
    Some((at, between / squares(sorted)))
}

/// The sum of squares that lies between the means of two groups of `n` and `others`, where the deviations from the mean
/// of all add up to `deviation` in the first: those of the second are the same but for the sign.
pub fn between(deviation: f64, n: f64, others: f64) -> f64 {
    deviation * deviation * (1.0 / n + 1.0 / others)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The sum of squares around the mean, so that squares of close values keep their digits.
pub fn squares(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum()
}
