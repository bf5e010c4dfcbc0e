//! What the user chose of lifetimes, as values.

use super::parameters::{CLOCK, DEVICES, FILL, L2_BYTES, LIFETIME, NAME, ORPHANS, REFILL, SCOPE};
use super::{Closing, Devices, Refill, Rules, Run, defaults};
use crate::model::parameter::Values;

/// Whether lifetimes without reuse count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Orphans {
    /// They do.
    Include,
    /// They are only told apart.
    Exclude,
}

/// The units whose figures are told. Levels whose units are not private are always told as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// All of them.
    #[default]
    Total,
    /// In each kernel the one with the most accesses.
    Busiest,
    /// Lifetimes of all; counts divided by the number of those with accesses.
    Mean,
    /// The one of this number.
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
