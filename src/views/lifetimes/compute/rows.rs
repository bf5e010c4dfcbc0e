//! The table of kernels: lifetimes, frequencies and use of each level, by the chosen scope.

use super::parameters::{CLOCK, DEVICES, FILL, L2_BYTES, LIFETIME, NAME, ORPHANS, REFILL, SCOPE};
use super::{Closing, Counts, Devices, Distribution, Kernel, Level, LevelHead, Refill, Rules, Run, defaults};
use crate::base::order::{percentile_of, sort_floats};
use crate::model::parameter::Values;
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
    /// Whether a table states lengths and rates of a level, in time.
    pub fn is_stated(&self, level: usize) -> bool {
        self.kernels.iter().any(|kernel| kernel.levels.get(level).is_some_and(|own| own.stated.is_some()))
    }

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
        let own = self.kernels.iter().filter(|kernel| self.counts(kernel));
        let own = own.filter_map(|kernel| Some((kernel, kernel.levels.get(level)?)));
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

// What the user chose of lifetimes, as values.

/// Whether lifetimes without reuse count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Orphans {
    Include,
    /// They are only told apart.
    Exclude,
}

/// The units whose figures are told. Levels whose units are not private are always told as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    #[default]
    Total,
    /// In each kernel the one with the most accesses.
    Busiest,
    /// Lifetimes of all; counts divided by the number of those with accesses.
    Mean,
    Unit(u32),
}

impl Scope {
    /// Reads it as it is written: `total`, `busiest`, `mean`, `sm:3`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "" | "total" => Some(Self::Total),
            "busiest" => Some(Self::Busiest),
            "mean" => Some(Self::Mean),
            _ => text.split_once(':').and_then(|(_, number)| number.trim().parse().ok()).map(Self::Unit),
        }
    }
}

/// What figures are made by.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Cycles in a microsecond; 0 when nobody says.
    pub clock_mhz: f64,
    /// Bytes of the level whose units are not private, instead of what the file says.
    pub l2_bytes: Option<u64>,
    /// Whether lifetimes without reuse count.
    pub orphans: Orphans,
    /// The units.
    pub scope: Scope,
}

impl Settings {
    /// For a run, by what the user set.
    pub fn of(values: &Values, run: &Run) -> Self {
        let set = |id: &str| values.number(id).filter(|number| 0.0 < *number);
        let orphans = match (values.text(ORPHANS.id), run.rules.closing) {
            (Some("include"), _) => Orphans::Include,
            (Some("exclude"), _) | (_, Closing::LastUse) => Orphans::Exclude,
            (_, Closing::Resident) => Orphans::Include,
        };
        Self {
            clock_mhz: set(CLOCK.id).or(run.clock_mhz).unwrap_or(0.0),
            l2_bytes: set(L2_BYTES.id).map(|bytes| bytes as u64),
            orphans,
            scope: values.text(SCOPE.id).and_then(Scope::parse).unwrap_or_default(),
        }
    }

    /// Of a level of a run: how many units' memories hold what is told, and of how many units the mean is told.
    pub fn units(&self, run: &Run, level: usize) -> (u64, u64) {
        let is_private = run.levels.get(level).is_some_and(|head| head.is_private);
        match self.scope {
            Scope::Total if is_private => (run.n_units(level).max(1), 1),
            Scope::Mean if is_private => (1, run.used_units(level).max(1)),
            _ => (1, 1),
        }
    }

    /// Microseconds of cycles; 0 when the clock is not known.
    pub fn micros(&self, cycles: f64) -> f64 {
        if 0.0 < self.clock_mhz { cycles / self.clock_mhz } else { 0.0 }
    }
}

impl Rules {
    /// By what the user set.
    pub fn of(values: &Values) -> Self {
        let default = Self::default();
        Self {
            closing: match values.text(LIFETIME.id) {
                Some("resident") => Closing::Resident,
                _ => Closing::LastUse,
            },
            refill: match values.text(REFILL.id) {
                Some("keep") => Refill::Keep,
                _ => Refill::Reopen,
            },
            fill_cycles: values.number(FILL.id).map_or(default.fill_cycles, |cycles| cycles.max(0.0) as u64),
        }
    }
}

/// The devices that the user chose, and what is wrong with their file.
pub fn devices(values: &Values) -> (Devices, Option<String>) {
    match values.text(DEVICES.id).filter(|text| !text.trim().is_empty()) {
        None => (defaults(), None),
        Some(text) => match Devices::parse(text) {
            Ok(devices) => (devices, None),
            Err(why) => (defaults(), Some(why)),
        },
    }
}

/// What the run is called: what the user set, else what the file is called.
pub fn name(values: &Values, run: &Run) -> String {
    values.text(NAME.id).filter(|name| !name.is_empty()).map_or_else(|| run.name.clone(), str::to_owned)
}
