//! The table of kernels: lifetimes, frequencies and use of each level, by the chosen scope.

use super::{Counts, Distribution, Kernel, Level, LevelHead, Orphans, Run, Scope, Settings};
use crate::base::order::{percentile_of, sort_floats};
use serde::{Deserialize, Serialize};

/// What the table says of a kernel at one level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LevelRow {
    /// Lifetimes that count.
    pub lifetimes: u64,
    /// Mean of their lengths in µs; 0 for none.
    pub mean: f64,
    /// Their median in µs.
    pub median: f64,
    /// Nine of ten are at most so long, in µs.
    pub p90: f64,
    /// The longest in µs.
    pub max: f64,
    /// Loads in a microsecond.
    pub read_mhz: f64,
    /// Stores in a microsecond.
    pub write_mhz: f64,
    /// Stores and true misses of loads in a microsecond.
    pub fill_mhz: f64,
    /// Distinct sectors as a share of those that there is room for; `None` when nobody says how many.
    pub utilization: Option<f64>,
    /// Bytes; 0 when nobody says.
    pub bytes: u64,
    /// Distinct sectors.
    pub unique: f64,
}

/// What the table says of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KernelRow {
    /// Its number as the file has it.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// Its levels, as in [`Run::levels`].
    pub levels: Vec<LevelRow>,
    /// Loads of all levels in a nanosecond.
    pub read_ghz: f64,
    /// Stores of all levels in a nanosecond.
    pub write_ghz: f64,
    /// Its cycles.
    pub cycles: u64,
}

/// All rows of a run.
pub fn rows(run: &Run, settings: &Settings) -> Vec<KernelRow> {
    run.kernels.iter().map(|kernel| row(run, kernel, settings)).collect()
}

/// The row of a kernel.
pub fn row(run: &Run, kernel: &Kernel, settings: &Settings) -> KernelRow {
    let levels: Vec<LevelRow> =
        (0..run.levels.len()).map(|level| level_row(run, kernel, level, settings)).collect();
    let sum = |of: fn(&LevelRow) -> f64| levels.iter().map(of).sum::<f64>() / 1e3;
    KernelRow {
        id: kernel.id,
        name: kernel.name.clone(),
        read_ghz: sum(|level| level.read_mhz),
        write_ghz: sum(|level| level.write_mhz),
        cycles: kernel.cycles,
        levels,
    }
}

fn level_row(run: &Run, kernel: &Kernel, at: usize, settings: &Settings) -> LevelRow {
    let Some(level) = kernel.levels.get(at) else { return LevelRow::default() };
    if let Some(stated) = level.stated {
        return stated;
    }
    let head = run.levels.get(at);
    let is_private = head.is_some_and(|head| head.is_private);
    let (counts, share) = level.counts_in(is_private, settings.scope);
    let lifetimes = level.lifetimes(is_private, settings);
    let own = settings.l2_bytes.filter(|_| !is_private && head.is_some_and(|head| head.word_bytes.is_none()));
    let access_bytes = head.map_or(0, LevelHead::access_bytes);
    let bytes = own.or_else(|| run.bytes(kernel, at)).unwrap_or(0);
    let unique = counts.sectors as f64 * share;
    let frequency = |n: u64| {
        let micros = settings.micros(kernel.cycles as f64);
        if 0.0 < micros { n as f64 * share / micros } else { 0.0 }
    };
    LevelRow {
        lifetimes: lifetimes.count(),
        mean: settings.micros(lifetimes.mean()),
        median: settings.micros(lifetimes.quantile(0.5)),
        p90: settings.micros(lifetimes.quantile(0.9)),
        max: settings.micros(lifetimes.max() as f64),
        read_mhz: frequency(counts.reads),
        write_mhz: frequency(counts.writes),
        fill_mhz: frequency(counts.writes + counts.fills),
        utilization: (0 < bytes).then(|| unique * access_bytes as f64 / bytes as f64),
        bytes,
        unique,
    }
}

impl Level {
    /// The counts of a scope, and what they are multiplied by.
    pub fn counts_in(&self, is_private: bool, scope: Scope) -> (Counts, f64) {
        let unit = match scope {
            Scope::Busiest if is_private => self.busiest(),
            Scope::Unit(number) if is_private => {
                let found = self.units.binary_search_by_key(&number, |unit| unit.number).ok();
                return (
                    found.and_then(|row| self.units.get(row)).map_or_else(Counts::default, |u| u.counts),
                    1.0,
                );
            }
            _ => None,
        };
        let is_mean = scope == Scope::Mean && is_private;
        let share = if is_mean { 1.0 / self.used_units().max(1) as f64 } else { 1.0 };
        (unit.map_or(self.counts, |unit| unit.counts), share)
    }

    /// The lengths of lifetimes that count, in cycles.
    pub fn lifetimes(&self, is_private: bool, settings: &Settings) -> Distribution {
        let unit = match settings.scope {
            Scope::Busiest if is_private => self.busiest(),
            Scope::Unit(number) if is_private => {
                let found = self.units.binary_search_by_key(&number, |unit| unit.number).ok();
                let Some(unit) = found.and_then(|row| self.units.get(row)) else {
                    return Distribution::default();
                };
                Some(unit)
            }
            _ => None,
        };
        let reused = unit.map(|unit| Distribution::from(&unit.reused));
        let reused = reused.as_ref().unwrap_or(&self.reused);
        if settings.orphans == Orphans::Exclude {
            return reused.clone();
        }
        let orphaned = unit.map(|unit| Distribution::from(&unit.orphaned));
        Distribution::merged([reused, orphaned.as_ref().unwrap_or(&self.orphaned)])
    }
}

impl Run {
    /// Lifetimes without reuse at a level, and all that were opened, each as often as its kernel counts: of all units where
    /// the mean is told.
    pub fn opened(&self, level: usize, settings: &Settings) -> (u64, u64) {
        let is_private = self.levels.get(level).is_some_and(|head| head.is_private);
        let own = self.kernels.iter().filter_map(|kernel| Some((kernel.levels.get(level)?, kernel.times())));
        own.fold((0, 0), |sum, (level, times)| {
            let counts = level.counts_in(is_private, settings.scope).0.times(times);
            (sum.0 + counts.orphans, sum.1 + counts.lifetimes)
        })
    }

    /// The lengths of lifetimes that count over all kernels at a level, in cycles.
    pub fn lifetimes(&self, level: usize, settings: &Settings) -> Distribution {
        let is_private = self.levels.get(level).is_some_and(|head| head.is_private);
        let own = self.kernels.iter().filter_map(|kernel| Some((kernel, kernel.levels.get(level)?)));
        let own = own.map(|(kernel, level)| level.lifetimes(is_private, settings).times(kernel.times()));
        let own: Vec<Distribution> = own.collect();
        Distribution::merged(&own)
    }
}

/// A percentile of values in any order, as [`percentile_of`] has it; 0 for none.
pub fn percentile(values: &[f64], percent: usize) -> f64 {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    sort_floats(&mut sorted);
    percentile_of(sorted.len(), percent, |rank| sorted.get(rank).copied().unwrap_or(0.0))
}
