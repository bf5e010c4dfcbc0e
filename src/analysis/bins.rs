//! Counting into bins: one axis for histograms, two for heat maps; folding many cells into the few a screen has.
//!
//! Bins are half-open `[edge i, edge i + 1)`; the last one also holds its upper edge. Values outside, and values that a
//! log axis cannot hold, are counted apart, never dropped in silence.

use crate::base::order;
use crate::model::figure::{Fold, ScaleKind};

/// Equal steps, or equal factors, from `from` to `to`: `n + 1` ascending edges. A range that cannot be divided that way
/// (empty, not finite, not positive on a log axis) becomes one bin around it.
pub fn edges(from: f64, to: f64, n: usize, scale: ScaleKind) -> Vec<f64> {
    let is_good = from.is_finite() && to.is_finite() && from < to && 0 < n;
    if !is_good || (scale == ScaleKind::Log && from <= 0.0) {
        let at = if from.is_finite() { from } else { 0.0 };
        return vec![at, if to.is_finite() && at < to { to } else { at + 1.0 }];
    }
    let edge = |i: usize| {
        let t = i as f64 / n as f64;
        match scale {
            _ if i == 0 => from,
            _ if i == n => to,
            ScaleKind::Linear => from + (to - from) * t,
            ScaleKind::Log => from * (to / from).powf(t),
        }
    };
    (0..=n).map(edge).collect()
}

/// Edges for sorted values by Sturges' rule: enough bins to see groups, few enough to see them at a glance.
pub fn edges_of(sorted: &[f64]) -> Vec<f64> {
    let ends = sorted.first().zip(sorted.last());
    let n = sorted.len().next_power_of_two().trailing_zeros() as usize + 1;
    ends.map_or_else(Vec::new, |(&first, &last)| edges(first, last, n, ScaleKind::Linear))
}

/// Counts by bin, and what fell outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    /// One a bin.
    pub counts: Vec<f64>,
    /// Values below the first edge.
    pub below: u64,
    /// Values above the last edge.
    pub above: u64,
    /// Values that are no numbers.
    pub missing: u64,
}

/// Counts values by the bins between ascending edges. `O(values · log bins)`.
pub fn count(values: impl IntoIterator<Item = f64>, edges: &[f64]) -> Counts {
    let mut out = Counts { counts: vec![0.0; edges.len().saturating_sub(1)], ..Counts::default() };
    for value in values {
        match bin(value, edges) {
            Ok(i) => out.counts[i] += 1.0,
            Err(Outside::Below) => out.below += 1,
            Err(Outside::Above) => out.above += 1,
            Err(Outside::Missing) => out.missing += 1,
        }
    }
    out
}

/// Why a value has no bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    Below,
    Above,
    /// Not a number, or there are no bins.
    Missing,
}

/// The bin of a value.
///
/// # Errors
/// When it has none.
pub fn bin(value: f64, edges: &[f64]) -> Result<usize, Outside> {
    let (Some(&first), Some(&last)) = (edges.first(), edges.last()) else { return Err(Outside::Missing) };
    if value.is_nan() || edges.len() < 2 {
        return Err(Outside::Missing);
    }
    if value < first {
        return Err(Outside::Below);
    }
    if last < value {
        return Err(Outside::Above);
    }
    Ok(edges.partition_point(|e| *e <= value).saturating_sub(1).min(edges.len() - 2))
}

/// The edges of both, ascending and without repetition: the bins in which two histograms can be compared.
pub fn common_edges(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut all: Vec<f64> = a.iter().chain(b).copied().filter(|e| e.is_finite()).collect();
    order::sort_floats(&mut all);
    // Edges that differ only by rounding are one edge.
    all.dedup_by(|x, y| (*x - *y).abs() <= 1e-9 * x.abs().max(y.abs()));
    all
}

/// Counts over `edges` spread over finer (or other) edges, each bin's count in proportion to what the new bins take of it.
pub fn rebin(counts: &[f64], edges: &[f64], onto: &[f64], scale: ScaleKind) -> Vec<f64> {
    let place = |v: f64| if scale == ScaleKind::Log && 0.0 < v { v.ln() } else { v };
    let mut out = vec![0.0; onto.len().saturating_sub(1)];
    for (count, pair) in counts.iter().zip(edges.windows(2)) {
        let (from, to) = (place(pair[0]), place(pair[1]));
        for (slot, part) in out.iter_mut().zip(onto.windows(2)) {
            let (start, end) = (place(part[0]).max(from), place(part[1]).min(to));
            if start < end && from < to {
                *slot += count * (end - start) / (to - from);
            }
        }
    }
    out
}

/// The part of all counts that lies below `value`, 0 to 1; inside a bin it grows evenly.
pub fn share_below(counts: &[f64], edges: &[f64], value: f64, scale: ScaleKind) -> f64 {
    let total: f64 = counts.iter().sum();
    let (Some(&first), true) = (edges.first(), 0.0 < total) else { return 0.0 };
    if value <= first {
        return 0.0;
    }
    let last = edges.last().copied().unwrap_or(first);
    let below = rebin(counts, edges, &[first, value.min(last)], scale);
    (below.first().copied().unwrap_or(0.0) / total).clamp(0.0, 1.0)
}

/// Cells of a large grid put together, so that no more remain than fit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Folded {
    /// Cells in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// How many columns of the grid are one here; the last may be fewer.
    pub step_x: usize,
    /// How many rows of the grid are one here; the last may be fewer.
    pub step_y: usize,
    /// Values row by row; NaN where all are missing.
    pub values: Vec<f32>,
}

/// A part of a grid of values row by row.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// All values of the grid.
    pub values: &'a [f32],
    /// Cells in a row of the grid.
    pub stride: usize,
    /// First and last-plus-one column.
    pub columns: (usize, usize),
    /// First and last-plus-one row.
    pub rows: (usize, usize),
}

/// Folds a part of a grid into at most `most_x × most_y` cells. Every cell but the last of a row or column holds the
/// same number of cells, so an even ground stays even. `O(cells of the part)`.
pub fn fold(part: Part, most: (usize, usize), how: Fold) -> Folded {
    let n_x = part.columns.1.saturating_sub(part.columns.0);
    let n_y = part.rows.1.saturating_sub(part.rows.0);
    let (step_x, step_y) = (n_x.div_ceil(most.0.max(1)).max(1), n_y.div_ceil(most.1.max(1)).max(1));
    let (width, height) = (n_x.div_ceil(step_x), n_y.div_ceil(step_y));
    let mut sums = vec![0.0_f64; width * height];
    let mut counts = vec![0_u32; width * height];
    for y in 0..n_y {
        let start = (part.rows.0 + y) * part.stride + part.columns.0;
        let row = part.values.get(start..start + n_x).unwrap_or(&[]);
        let to = (y / step_y) * width;
        for (x, value) in row.iter().enumerate().filter(|(_, v)| !v.is_nan()) {
            let i = to + x / step_x;
            let value = f64::from(*value);
            sums[i] = match how {
                Fold::Max if counts[i] != 0 => sums[i].max(value),
                Fold::Max => value,
                _ => sums[i] + value,
            };
            counts[i] += 1;
        }
    }
    let finish = |(sum, n): (&f64, &u32)| match (n, how) {
        (0, _) => f32::NAN,
        (n, Fold::Mean) => (sum / f64::from(*n)) as f32,
        _ => *sum as f32,
    };
    let values = sums.iter().zip(&counts).map(finish).collect();
    Folded { width, height, step_x, step_y, values }
}

/// The four values that divide what is not 0 and not missing into five equal parts; `None` when nothing is left.
pub fn quintiles(values: impl IntoIterator<Item = f32>) -> Option<[f32; 4]> {
    let finite = values.into_iter().filter(|v| *v != 0.0 && v.is_finite());
    let mut values: Vec<f64> = finite.map(f64::from).collect();
    order::sort_floats(&mut values);
    let last = values.len().checked_sub(1)?;
    // Between order statistics, as most statistics tools do it.
    let at = |share: f64| {
        let place = share * last as f64;
        let low = place.floor() as usize;
        let (a, b) = (values[low], values[(low + 1).min(last)]);
        (a + (b - a) * (place - place.floor())) as f32
    };
    Some([at(0.2), at(0.4), at(0.6), at(0.8)])
}
