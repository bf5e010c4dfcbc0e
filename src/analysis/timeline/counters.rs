//! Levels of detail of counters: the largest value of a pixel column, however many samples lie in it.

use crate::base::time::{Ticks, Window};
use crate::base::unit::Unit;
use crate::model::chunked::Chunked;
use crate::model::id::{StrId, TrackId};
use crate::model::{Series, Trace};

/// Children of a node.
const FAN: usize = 16;

/// The levels of all series of all tracks.
#[derive(Clone, Default)]
pub struct Counters {
    tracks: Vec<Vec<Levels>>,
    /// What stacked series add up to, by track; `None` for tracks of one series, and for all while loading.
    totals: Vec<Option<Total>>,
    /// The next total, as far as it is added up.
    summing: Option<Total>,
}

/// What the series of a track add up to, stacked: what is below 0 counts as 0.
#[derive(Clone)]
struct Total {
    series: Series,
    levels: Levels,
    /// How many samples of each series are in.
    n: Vec<usize>,
}

/// Largest values of one series: level 0 of runs of [`FAN`] samples, the next of runs of those. NaN where all are gaps.
#[derive(Clone, Default)]
pub struct Levels {
    max: Vec<Chunked<f64>>,
    /// How many samples are known to be in order of time.
    n_sorted: usize,
    is_disordered: bool,
}

impl Counters {
    /// Takes in the samples that were added, as many as `left` allows, which is counted down. Says whether all are in.
    pub(super) fn extend(&mut self, trace: &Trace, left: &mut usize) -> bool {
        self.tracks.resize_with(trace.tracks.len(), Vec::new);
        let mut is_done = true;
        for ((_, track), levels) in trace.tracks.iter().zip(&mut self.tracks) {
            if levels.len() < track.series.len() {
                levels.resize_with(track.series.len(), Levels::default);
            }
            for (series, levels) in track.series.iter().zip(levels) {
                is_done &= levels.extend(series, left);
            }
        }
        is_done
    }

    /// Everything is loaded and in order: what was not known in its order is taken in anew.
    pub(super) fn begin_finish(&mut self, trace: &Trace) {
        for ((_, track), levels) in trace.tracks.iter().zip(&mut self.tracks) {
            for (series, levels) in track.series.iter().zip(levels) {
                if levels.is_disordered || levels.n_sorted != series.time.len() {
                    *levels = Levels::default();
                }
            }
        }
        self.totals.clear();
    }

    /// After the last [`Self::extend`]: adds up the series of tracks. Says whether all are done.
    pub(super) fn sum(&mut self, trace: &Trace, left: &mut usize) -> bool {
        for (_, track) in trace.tracks.iter().skip(self.totals.len()) {
            let mut total = match (track.series.len(), self.summing.take()) {
                (0 | 1, _) => None,
                (_, Some(total)) => Some(total),
                (n, None) => Some(Total::new(n)),
            };
            if !total.as_mut().is_none_or(|total| total.step(&track.series, left)) {
                self.summing = total;
                return false;
            }
            self.totals.push(total);
        }
        true
    }

    /// What the series of a track add up to, with its levels; `None` for one series, and while loading.
    pub fn total(&self, track: TrackId) -> Option<(&Series, &Levels)> {
        let total = self.totals.get(track.index())?.as_ref()?;
        Some((&total.series, &total.levels))
    }

    /// The levels of a series; `None` when it is not of this trace.
    pub fn series(&self, track: TrackId, series: usize) -> Option<&Levels> {
        self.tracks.get(track.index())?.get(series)
    }
}

impl Total {
    fn new(n_series: usize) -> Self {
        let series = Series { name: StrId(0), unit: Unit::None, time: Chunked::new(), value: Chunked::new() };
        Self { series, levels: Levels::default(), n: vec![0; n_series] }
    }

    /// Adds up at every sample of any series, as many as `left` allows. Costs the samples times the series. Says
    /// whether all are in. A machine, as an inner loop of machines that run while the trace still grows, too.
    fn step(&mut self, all: &[Series], left: &mut usize) -> bool {
        while 0 < *left {
            let next = all.iter().zip(&self.n).filter_map(|(one, &n)| one.time.get(n)).min();
            let Some(&time) = next else { return self.levels.extend(&self.series, left) };
            let mut sum = f64::NAN;
            for (one, n) in all.iter().zip(&mut self.n) {
                *n += (*n..one.time.len()).take_while(|&i| one.time[i] <= time).count();
                let value = n.checked_sub(1).map_or(f64::NAN, |i| one.value[i]);
                if value.is_finite() {
                    sum = if sum.is_nan() { 0.0 } else { sum } + value.max(0.0);
                }
            }
            self.series.time.push(time);
            self.series.value.push(sum);
            *left = left.saturating_sub(all.len());
        }
        false
    }
}

impl Levels {
    /// Takes in samples, as many as `left` allows, which is counted down. Says whether all are in.
    fn extend(&mut self, series: &Series, left: &mut usize) -> bool {
        if self.is_disordered {
            return true;
        }
        let from = self.n_sorted.saturating_sub(1);
        let end = series.time.len().min(self.n_sorted.saturating_add(*left));
        if !(from..end).is_sorted_by_key(|i| series.time[i]) {
            // Drawn again when the samples were put in order.
            *self = Self { is_disordered: true, ..Self::default() };
            return true;
        }
        *left -= end - self.n_sorted;
        self.n_sorted = end;
        let mut below: usize = self.n_sorted;
        let mut level = 0;
        while FAN <= below {
            if self.max.len() == level {
                self.max.push(Chunked::new());
            }
            let (lower, upper) = self.max.split_at_mut(level);
            let source = lower.last().unwrap_or(&series.value);
            for run in upper[0].len()..below / FAN {
                let run = FAN * run..FAN * (run + 1);
                upper[0].push(run.map(|i| source[i]).fold(f64::NAN, f64::max));
            }
            below = upper[0].len();
            level += 1;
        }
        self.n_sorted == series.time.len()
    }

    /// The largest value of the whole series so far; `None` when all are gaps.
    pub fn peak(&self, series: &Series) -> Option<f64> {
        Some(self.max_of(series, 0, self.n_sorted)).filter(|v| v.is_finite())
    }

    /// The largest value that holds anywhere in each of `columns` columns of the window; NaN where nothing is known.
    pub fn cut(&self, series: &Series, window: &Window, columns: usize, out: &mut Vec<f64>) {
        out.clear();
        let edge = |column: usize| window.tick_at(column as f64 / columns as f64);
        let mut from = self.after(series, edge(0), 0);
        for column in 0..columns {
            let to = self.after(series, edge(column + 1), from);
            // The value that holds at the left edge counts too; a sample at the edge replaces it.
            let is_at_edge = from < self.n_sorted && series.time[from] == edge(column);
            let held = if is_at_edge { from } else { from.saturating_sub(1) };
            let end = if is_at_edge || 0 < from { to.max(held + 1) } else { to };
            out.push(self.max_of(series, held, end));
            from = to;
        }
    }

    /// The value that holds at a time; `None` before the first sample and in gaps.
    pub fn at(&self, series: &Series, time: Ticks) -> Option<f64> {
        let n = series.time.partition_point_in(0..self.n_sorted, |&t| t <= time);
        n.checked_sub(1).map(|i| series.value[i]).filter(|v| v.is_finite())
    }

    /// The first sample at or after `time`, from sample `from` on.
    fn after(&self, series: &Series, time: Ticks, from: usize) -> usize {
        series.time.partition_point_in(from..self.n_sorted, |&t| t < time)
    }

    fn max_of(&self, series: &Series, mut from: usize, mut to: usize) -> f64 {
        let mut max = f64::NAN;
        let mut values = &series.value;
        for level in 0.. {
            let next = self.max.get(level);
            let take_all = next.is_none() || to < from + 2 * FAN;
            let first = if take_all { to } else { from.next_multiple_of(FAN) };
            let last = if take_all { to } else { to - to % FAN };
            max = (from..first).chain(last..to).map(|i| values[i]).fold(max, f64::max);
            let (Some(next), false) = (next, take_all) else { break };
            (from, to, values) = (first / FAN, last / FAN, next);
        }
        max
    }
}
