//! What rules and first figures need of lifetimes, measured once: for each level all that devices are chosen by, and what
//! each kernel adds to it. A kernel that the file cuts off adds nothing: its longest lifetimes are the last to end.

use crate::base::job::Turn;
use crate::base::map::Map;
use crate::base::order;
use crate::model::Trace;
use crate::model::parameter::Values;
use crate::views::lifetimes::compute::{
    Counts, Demand, Device, DeviceFigures, Devices, Distribution, Kernel, Level, Orphans, Recorded, Run,
    Scope, Settings, Share, devices, mixed_area,
};

/// What was measured of each run.
pub(in crate::systems::gainsight) struct Measured {
    pub(super) devices: Devices,
    pub(super) runs: Vec<RunMeasure>,
}

/// A run with recorded lifetimes or accesses.
pub(super) struct RunMeasure {
    /// Its row in [`Recorded::runs`].
    pub(super) row: usize,
    pub(super) settings: Settings,
    pub(super) levels: Vec<LevelMeasure>,
}

/// A level of it.
#[derive(Default)]
pub(super) struct LevelMeasure {
    pub(super) row: usize,
    /// What a person calls it, with its run where there are several.
    pub(super) name: String,
    pub(super) is_private: bool,
    /// Bytes that one access moves.
    pub(super) access_bytes: u64,
    pub(super) demand: Demand,
    /// What each device would take.
    pub(super) figures: Vec<DeviceFigures>,
    /// The mix: lifetimes that each device takes, and the sum of their lengths in cycles.
    pub(super) mix: Vec<Taken>,
    /// What all units that are told of did, each kernel as often as it counts.
    pub(super) counts: Counts,
    /// The sum of all lengths in cycles.
    pub(super) sum: f64,
    /// Lifetimes without reuse that do not count, and how many of them each device holds.
    pub(super) orphans: u64,
    pub(super) orphans_within: Vec<u64>,
    /// Lifetimes in the busiest unit of each kernel, and the share that each device holds; empty where units are not
    /// private, or where one unit is told anyway.
    pub(super) busiest: Vec<Held>,
    /// How often data are used again: never, once, twice or three times, up to fifteen times, more often.
    pub(super) reuses: [u64; 5],
    /// Kernels by name, those with the most lifetimes first.
    pub(super) kernels: Vec<Named>,
}

/// How many lifetimes a device holds, and of how many.
#[derive(Clone, Copy, Default)]
pub(super) struct Held {
    pub(super) within: u64,
    pub(super) all: u64,
}

/// Lifetimes that a device takes in a mix.
#[derive(Clone, Copy)]
pub(super) struct Taken {
    /// Its row; `None` for what fits no device.
    pub(super) device: Option<usize>,
    pub(super) lifetimes: u64,
    /// The sum of their lengths in cycles.
    pub(super) cycles: f64,
}

/// All launches of a kernel of one name, at a level.
#[derive(Clone, Default)]
pub(super) struct Named {
    pub(super) name: String,
    /// Row of its launch with the most lifetimes, and how many those are.
    pub(super) row: usize,
    most: u64,
    /// Whether all of it is one kernel's: otherwise several ran at once, or none is named.
    pub(super) is_one: bool,
    pub(super) launches: u64,
    pub(super) lifetimes: u64,
    /// How many of them outlive each device's retention.
    pub(super) beyond: Vec<u64>,
    /// How often each device refreshes them, in all units.
    pub(super) refreshes: Vec<f64>,
    pub(super) counts: Counts,
    /// The most retries of a unit, at most the cycles of its kernel: summed over launches.
    pub(super) stalled: u64,
    pub(super) cycles: u64,
}

/// Retentions of all devices at a level in cycles; `None` for those that are never refreshed, or without a clock.
fn retentions(devices: &Devices, demand: &Demand) -> Vec<Option<f64>> {
    let of = |device: &Device| Some(device.retention.micros(demand.write_mhz)? * demand.clock_mhz);
    devices.devices.iter().map(|device| of(device).filter(|cycles| 0.0 < *cycles)).collect()
}

/// Measures all runs.
pub(in crate::systems::gainsight) async fn measure_runs(
    trace: &Trace,
    values: &Values,
    turn: &Turn,
) -> Measured {
    let (devices, _) = devices(values);
    let all = trace.extensions.get::<Recorded>().map_or(&[][..], |recorded| &recorded.runs);
    let mut runs = Vec::new();
    for (row, run) in all.iter().enumerate().filter(|(_, run)| is_told(run)) {
        let settings = Settings::of(values, run);
        let mut levels = Vec::new();
        for (at, head) in run.levels.iter().enumerate() {
            let mut level = LevelMeasure {
                row: at,
                name: if all.len() < 2 { head.name.clone() } else { format!("{} {}", run.name, head.name) },
                is_private: head.is_private,
                access_bytes: head.access_bytes(),
                demand: demand(run, at, &settings),
                ..LevelMeasure::default()
            };
            let limits = retentions(&devices, &level.demand);
            level.add_kernels(run, &settings, &limits, turn).await;
            let demand = &level.demand;
            level.sum = demand.lifetimes.sum() as f64;
            level.mix = mix(&devices, demand);
            level.figures = devices.devices.iter().map(|device| devices.figures(device, demand)).collect();
            turn.pause().await;
            levels.push(level);
        }
        runs.push(RunMeasure { row, settings, levels });
    }
    Measured { devices, runs }
}

/// What a level asks of a memory, but for the lengths of lifetimes.
fn demand(run: &Run, at: usize, settings: &Settings) -> Demand {
    let head = run.levels.get(at);
    let is_private = head.is_some_and(|head| head.is_private);
    let word_bytes = head.and_then(|head| head.word_bytes);
    let (copies, mean_of) = settings.units(run, at);
    let set = settings.l2_bytes.filter(|_| !is_private && word_bytes.is_none());
    let clock_mhz = settings.clock_mhz;
    let mut demand = Demand { clock_mhz, word_bytes, copies, mean_of, ..Demand::default() };
    for kernel in run.kernels.iter().filter(|kernel| !kernel.is_cut) {
        let Some(level) = kernel.levels.get(at) else { continue };
        let (counts, share) = level.counts_in(is_private, settings.scope);
        let micros = settings.micros(kernel.cycles as f64);
        let own = if 0.0 < micros { counts.writes as f64 * share / micros } else { 0.0 };
        demand.write_mhz = demand.write_mhz.max(level.stated.map_or(own, |stated| stated.write_mhz));
        demand.bytes = demand.bytes.max(set.or_else(|| run.bytes(kernel, at)).unwrap_or(0));
        let times = kernel.times() as f64 / mean_of as f64;
        demand.reads += counts.reads as f64 * times;
        demand.writes += (counts.writes + counts.fills) as f64 * times;
    }
    demand
}

/// Whether lifetimes or accesses of a run are known, not only what tables state of them.
pub(super) fn is_told(run: &Run) -> bool {
    let levels = || run.kernels.iter().flat_map(|kernel| &kernel.levels);
    levels().any(|level| level.stated.is_none() && (level.is_recorded() || !level.reused.is_empty()))
}

/// Each lifetime goes to the densest device that holds it, with how long these last in all.
fn mix(devices: &Devices, demand: &Demand) -> Vec<Taken> {
    let shares = devices.mix(demand);
    let of_share =
        |own: &Share| Taken { device: Some(own.device), lifetimes: own.lifetimes, cycles: own.cycles };
    let mut taken: Vec<Taken> = shares.iter().map(of_share).collect();
    let rest = demand.lifetimes.count() - shares.iter().map(|own| own.lifetimes).sum::<u64>();
    if 0 < rest {
        let cycles = demand.lifetimes.sum() as f64 - shares.iter().map(|own| own.cycles).sum::<f64>();
        taken.push(Taken { device: None, lifetimes: rest, cycles });
    }
    taken
}

impl LevelMeasure {
    #[allow(clippy::too_many_lines)] // most of it is texts and tables
    async fn add_kernels(&mut self, run: &Run, settings: &Settings, limits: &[Option<f64>], turn: &Turn) {
        let mut rows: Map<&str, usize> = Map::default();
        let mut merging = Vec::new();
        self.orphans_within = vec![0; limits.len()];
        if self.is_private && self.is_whole(settings) {
            self.busiest = vec![Held::default(); limits.len()];
        }
        let counts_orphans = settings.orphans == Orphans::Include || !self.is_whole(settings);
        let launches = run.launches();
        let all = run.kernels.iter().zip(launches).enumerate();
        for (number, (kernel, [launches, _])) in all.filter(|(_, (kernel, _))| !kernel.is_cut) {
            let Some(level) = kernel.levels.get(self.row) else { continue };
            let times = kernel.times();
            let lifetimes = level.lifetimes(self.is_private, settings);
            let named = *rows.entry(&kernel.name).or_insert(self.kernels.len());
            if named == self.kernels.len() {
                self.kernels.push(Named {
                    name: kernel.name.clone(),
                    row: number,
                    is_one: kernel.names().len() == 1,
                    beyond: vec![0; limits.len()],
                    refreshes: vec![0.0; limits.len()],
                    ..Named::default()
                });
            }
            let counts = level.counts_in(self.is_private, settings.scope).0.times(times);
            self.counts.add(&counts);
            if let Some(named) = self.kernels.get_mut(named) {
                named.launches += launches;
                named.add((number, kernel), level, &lifetimes, limits);
                named.counts.add(&counts);
            }
            if !counts_orphans {
                self.orphans += level.orphaned.count().saturating_mul(times);
                for (within, limit) in self.orphans_within.iter_mut().zip(limits) {
                    *within += held(&level.orphaned, *limit).saturating_mul(times);
                }
            }
            for (uses, n) in level.reuses.pairs() {
                let class = match uses {
                    0 => 0,
                    1 => 1,
                    2..4 => 2,
                    4..16 => 3,
                    _ => 4,
                };
                if let Some(count) = self.reuses.get_mut(class) {
                    *count += n.saturating_mul(times);
                }
            }
            let mut work = 1 + (2 + limits.len()) * lifetimes.lengths().len();
            if !self.busiest.is_empty() {
                let own = level.lifetimes(true, &Settings { scope: Scope::Busiest, ..settings.clone() });
                for (sum, limit) in self.busiest.iter_mut().zip(limits) {
                    sum.within += held(&own, *limit).saturating_mul(times);
                    sum.all += own.count().saturating_mul(times);
                }
                work += own.lengths().len();
            }
            merge(&mut merging, lifetimes.times(times));
            if turn.is_over(work) {
                turn.pause().await;
            }
        }
        self.demand.lifetimes = Distribution::merged(merging.iter().map(|(_, one)| one));
        order::sort_by_key(&mut self.kernels, |named| std::cmp::Reverse(named.lifetimes));
    }

    /// Whether all of its units are told of.
    fn is_whole(&self, settings: &Settings) -> bool {
        !self.is_private || matches!(settings.scope, Scope::Total | Scope::Mean)
    }

    /// The share of lifetimes that a device holds.
    pub(super) fn fits(&self, device: usize) -> f64 {
        self.figures.get(device).map_or(0.0, |own| own.refresh_free)
    }

    /// Area of a device in mm², of all units that are told of; 0 where the size is not known.
    pub(super) fn area(&self, device: usize) -> f64 {
        self.figures.get(device).map_or(0.0, |own| self.demand.area_um2(own) / 1e6)
    }

    /// Area of the mix in mm², each device with the share of capacity that its lifetimes occupy on average; what fits no
    /// device takes that of the reference.
    pub(super) fn mixed_area(&self, reference: usize) -> f64 {
        let parts: Vec<_> = self.mix.iter().map(|own| (own.device, own.cycles)).collect();
        mixed_area(&parts, |device| self.area(device.unwrap_or(reference)))
    }
}

/// Distributions that are merged two of about equal size at a time.
fn merge(all: &mut Vec<(u32, Distribution)>, one: Distribution) {
    if one.is_empty() {
        return;
    }
    let (mut rank, mut one) = (0, one);
    while let Some((_, other)) = all.pop_if(|(other, _)| *other == rank) {
        one = Distribution::merged([&one, &other]);
        rank += 1;
    }
    all.push((rank, one));
}

/// How many a retention holds.
fn held(lifetimes: &Distribution, limit: Option<f64>) -> u64 {
    limit.map_or_else(|| lifetimes.count(), |limit| lifetimes.count_within(limit))
}

impl Named {
    fn add(
        &mut self,
        (row, kernel): (usize, &Kernel),
        level: &Level,
        own: &Distribution,
        limits: &[Option<f64>],
    ) {
        let times = kernel.times();
        if self.most < own.count() {
            (self.row, self.most) = (row, own.count());
        }
        self.lifetimes += own.count().saturating_mul(times);
        self.cycles = self.cycles.saturating_add(kernel.cycles.saturating_mul(times));
        for ((beyond, refreshes), limit) in self.beyond.iter_mut().zip(&mut self.refreshes).zip(limits) {
            *beyond += (own.count() - held(own, *limit)).saturating_mul(times);
            *refreshes += limit.map_or(0.0, |limit| own.refreshes(limit) as f64 * times as f64);
        }
        let most = level.units.iter().map(|unit| unit.counts.retries).max().unwrap_or(0);
        self.stalled = self.stalled.saturating_add(most.min(kernel.cycles).saturating_mul(times));
    }
}

impl Measured {
    /// The row of the device that others are compared with.
    pub(super) fn reference(&self) -> Option<usize> {
        self.devices.devices.iter().position(|device| device.is_reference)
    }

    /// All levels of all runs.
    pub(super) fn levels(&self) -> impl Iterator<Item = (&RunMeasure, &LevelMeasure)> {
        self.runs.iter().flat_map(|run| run.levels.iter().map(move |level| (run, level)))
    }

    /// Levels with lifetimes of known times.
    pub(super) fn timed(&self) -> impl Iterator<Item = (&RunMeasure, &LevelMeasure)> {
        self.levels()
            .filter(|(run, level)| 0.0 < run.settings.clock_mhz && !level.demand.lifetimes.is_empty())
    }
}

impl RunMeasure {
    /// Area of all levels in a device, in mm².
    pub(super) fn area(&self, device: usize) -> f64 {
        self.levels.iter().map(|level| level.area(device)).sum()
    }
}
