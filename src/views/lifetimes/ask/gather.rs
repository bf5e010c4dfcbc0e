//! All kernels of a run together, some at a time: rows of their table, and their lengths as one distribution a level.

use crate::views::lifetimes::compute::{
    Distribution, Kernel, Level, LevelHead, LevelRow, Peak, Run, SECTOR_BYTES, Scope, Settings, row,
};
use crate::views::lifetimes::messages::{
    self as wire, KernelLevel, Lengths, LevelLengths, Stated, differences,
};

/// Distinct lengths that are looked at in a step, about.
const LENGTHS: usize = 200_000;
/// Steps of a course over several kernels.
const STEPS: u64 = 512;

/// What was gathered of a run for the values of now.
#[derive(Default)]
pub(crate) struct Gathered {
    /// Row of the run that it is of, and whether all of the files was read then.
    key: Option<(u32, bool)>,
    settings: Option<Settings>,
    kernels: Vec<wire::Kernel>,
    levels: Vec<Sum>,
    /// When the first kernel so far began and when the last one ended, in cycles.
    span: Option<(u64, u64)>,
}

/// A level so far.
#[derive(Default)]
struct Sum {
    lengths: Merging,
    reuses: Merging,
    own: LevelLengths,
    /// Kernels in time: begin, cycles of a step, sectors in use.
    courses: Vec<(u64, u64, Vec<u64>)>,
    /// When the last of them ended, and whether one began before.
    until: u64,
    is_together: bool,
    is_private: bool,
}

/// Distributions that are merged two of about equal size at a time.
#[derive(Default)]
struct Merging(Vec<(u32, Distribution)>);

impl Merging {
    fn push(&mut self, one: Distribution) {
        if one.is_empty() {
            return;
        }
        let (mut rank, mut all) = (0, one);
        while let Some((_, other)) = self.0.pop_if(|(other, _)| *other == rank) {
            all = Distribution::merged([&all, &other]);
            rank += 1;
        }
        self.0.push((rank, all));
    }

    fn merged(&self) -> Distribution {
        Distribution::merged(self.0.iter().map(|(_, one)| one))
    }
}

impl Gathered {
    /// Goes on for some milliseconds; true when all kernels that are there are in. A machine, as kernels come while it
    /// runs.
    pub(super) fn step(&mut self, key: (u32, bool), run: &Run, settings: &Settings) -> bool {
        let is_other = self.key != Some(key) || self.settings.as_ref() != Some(settings);
        if is_other || run.kernels.len() < self.kernels.len() || self.levels.len() != run.levels.len() {
            let levels = run.levels.iter().map(|_| Sum::default()).collect();
            *self = Self {
                key: Some(key),
                settings: Some(settings.clone()),
                kernels: Vec::new(),
                levels,
                span: None,
            };
        }
        let mut looked = 0;
        for kernel in run.kernels.iter().skip(self.kernels.len()) {
            if LENGTHS < looked {
                return false;
            }
            looked += self.add(run, kernel, settings);
        }
        true
    }

    /// Adds a kernel; about how many lengths it has.
    fn add(&mut self, run: &Run, kernel: &Kernel, settings: &Settings) -> usize {
        let settings = &with_clock(settings);
        let table = row(run, kernel, settings);
        let (start, end) = span_of(kernel);
        let before = self.span.unwrap_or((start, end));
        self.span = Some((before.0.min(start), before.1.max(end)));
        let mut looked = 64;
        for (at, sum) in self.levels.iter_mut().enumerate() {
            let both = kernel.levels.get(at).zip(table.levels.get(at));
            if let Some(((level, row), head)) = both.zip(run.levels.get(at)) {
                looked += sum.add((kernel, head), level, row, settings, run.counts(kernel));
            }
        }
        let levels = (0..run.levels.len()).map(|at| kernel_level(run, kernel, at, settings)).collect();
        self.kernels.push(wire::Kernel {
            uid: kernel.uid,
            symbol: String::new(),
            weight: kernel.weight,
            is_cut: kernel.is_cut,
            is_recorded: kernel.is_recorded(),
            table,
            levels,
        });
        looked
    }

    /// The kernels so far.
    pub(super) fn kernels(&self) -> &[wire::Kernel] {
        &self.kernels
    }

    /// The lengths of all kernels so far of the run that they were gathered of.
    pub(super) fn lengths(&self, run: Option<&Run>) -> Lengths {
        let Some((run, settings)) = run.zip(self.settings.as_ref()) else { return Lengths::default() };
        let span = self.span.unwrap_or_default();
        let level = |(at, sum): (usize, &Sum)| {
            sum.lengths(span, run.n_units(at), Units::new(run, at, settings, run.used_units(at)))
        };
        Lengths { clock_mhz: settings.clock_mhz, levels: self.levels.iter().enumerate().map(level).collect() }
    }
}

/// Units of a level.
#[derive(Clone, Copy)]
struct Units {
    /// How many memories hold what is told.
    copies: u64,
    /// Of how many the mean is told.
    mean_of: u64,
    /// How many of those that are told of were used.
    used: u64,
}

impl Units {
    /// Of a kernel or a run that used so many.
    fn new(run: &Run, at: usize, settings: &Settings, used: u64) -> Self {
        let (copies, mean_of) = settings.units(run, at);
        let are_many = is_private(run, at) && matches!(settings.scope, Scope::Total | Scope::Mean);
        let used = if are_many { used.max(1) } else { 1 };
        Self { copies, mean_of: mean_of.min(used), used }
    }
}

/// When a kernel began and ended.
fn span_of(kernel: &Kernel) -> (u64, u64) {
    (kernel.start, kernel.start.saturating_add(kernel.cycles))
}

/// The lengths of one kernel.
pub(super) fn one(run: &Run, settings: &Settings, row: u32) -> Option<Lengths> {
    let kernel = run.kernels.get(row as usize)?;
    let table = crate::views::lifetimes::compute::row(run, kernel, &with_clock(settings));
    let levels = (0..run.levels.len()).map(|at| {
        let mut sum = Sum::default();
        let both = kernel.levels.get(at).zip(table.levels.get(at));
        if let Some(((level, row), head)) = both.zip(run.levels.get(at)) {
            sum.add((kernel, head), level, row, settings, true);
        }
        let used = kernel.levels.get(at).map_or(1, Level::used_units);
        sum.lengths(span_of(kernel), run.n_units(at), Units::new(run, at, settings, used))
    });
    Some(Lengths { clock_mhz: settings.clock_mhz, levels: levels.collect() })
}

/// Without a clock the table counts cycles where it says microseconds.
fn with_clock(settings: &Settings) -> Settings {
    let clock_mhz = if 0.0 < settings.clock_mhz { settings.clock_mhz } else { 1.0 };
    Settings { clock_mhz, ..settings.clone() }
}

fn is_private(run: &Run, at: usize) -> bool {
    run.levels.get(at).is_some_and(|head| head.is_private)
}

fn kernel_level(run: &Run, kernel: &Kernel, at: usize, settings: &Settings) -> KernelLevel {
    let Some(level) = kernel.levels.get(at) else { return KernelLevel::default() };
    let (counts, _) = level.counts_in(is_private(run, at), settings.scope);
    // Without lifetimes there is nothing that this could be a part of.
    let p10 = match level.stated {
        Some(_) => 0.0,
        None => settings.micros(level.lifetimes(is_private(run, at), settings).quantile(0.1)),
    };
    let is_recorded = level.is_recorded();
    KernelLevel { p10, orphans: counts.orphans, opened: counts.lifetimes, is_recorded }
}

impl Sum {
    /// Adds a kernel at this level; how many distinct lengths it has. One that does not count is only in the course.
    fn add(
        &mut self,
        (kernel, head): (&Kernel, &LevelHead),
        level: &Level,
        row: &LevelRow,
        settings: &Settings,
        counts_it: bool,
    ) -> usize {
        self.add_course(kernel, level);
        if !counts_it {
            self.own.left_out += row.lifetimes.saturating_mul(kernel.times());
            return 1;
        }
        let (is_private, word_bytes) = (head.is_private, head.word_bytes);
        let (counts, _) = level.counts_in(is_private, settings.scope);
        let lengths = level.lifetimes(is_private, settings);
        let looked = lengths.lengths().len();
        // Kernels that stand for others count as often.
        let times = kernel.times();
        self.lengths.push(lengths.times(times));
        self.reuses.push(level.reuses.clone().times(times));
        let own = &mut self.own;
        if let Some(stated) = level.stated.filter(|stated| 0.0 < stated.max) {
            own.stated = Some(Stated::and(own.stated, &stated));
        }
        own.counts.add(&counts.times(times));
        if level.is_recorded() {
            own.cycles += kernel.cycles.saturating_mul(times);
        }
        own.sectors.0 += counts.times(times).reads as f64;
        own.sectors.1 += (counts.times(times).writes + counts.times(times).fills) as f64;
        own.bytes = own.bytes.max(row.bytes);
        own.word_bytes = word_bytes;
        own.write_mhz = own.write_mhz.max(row.write_mhz);
        self.is_private = is_private;
        looked
    }

    /// Adds what a kernel keeps in use over time.
    fn add_course(&mut self, kernel: &Kernel, level: &Level) {
        let resident = &level.resident;
        if !resident.sectors.is_empty() {
            self.courses.push((kernel.start, resident.bin_cycles(), resident.sectors.clone()));
            self.is_together |= kernel.start < self.until;
            self.until = self.until.max(span_of(kernel).1);
            if self.own.peak.sectors < resident.peak.sectors {
                let cycle = kernel.start.saturating_add(resident.peak.cycle);
                self.own.peak = Peak { cycle, ..resident.peak };
                self.own.peak_kernel.clone_from(&kernel.name);
            }
        }
    }

    /// What is told of a level: over this span, with so many units, of these.
    fn lengths(&self, span: (u64, u64), n_units: u64, units: Units) -> LevelLengths {
        let Units { copies, mean_of, used } = units;
        let (step, course) = course(&self.courses, span, self.is_together);
        let mut own = self.own.clone();
        own.peak.cycle = own.peak.cycle.saturating_sub(span.0);
        if self.is_together {
            // Of kernels that run at once only the most in each step is known.
            let most = course.iter().enumerate().rev().max_by_key(|(_, sectors)| **sectors);
            let (at, sectors) = most.map_or((0, 0), |(at, sectors)| (at as u64, *sectors));
            own.peak = Peak { sectors, cycle: at * step, is_exact: false };
            own.peak_kernel.clear();
        }
        let memories = if self.is_private { n_units } else { 1 };
        let mean = |n: f64| n / mean_of.max(1) as f64;
        let lengths = self.lengths.merged();
        LevelLengths {
            // The lifetimes themselves say more.
            stated: own.stated.filter(|_| lengths.is_empty()),
            lengths: differences(&lengths),
            reuses: differences(&self.reuses.merged()),
            sectors: (mean(own.sectors.0), mean(own.sectors.1)),
            step: step as f64,
            course,
            span: span.1.saturating_sub(span.0),
            copies,
            mean_of,
            used,
            room: own.bytes / own.word_bytes.unwrap_or(SECTOR_BYTES).max(1) * memories,
            ..own
        }
    }
}

/// Sectors in use over a span of time: cycles of a step, and the most in each. Kernels add up where some run at once; where
/// no kernel keeps any, there are none.
fn course(kernels: &[(u64, u64, Vec<u64>)], (first, end): (u64, u64), is_together: bool) -> (u64, Vec<u64>) {
    if kernels.is_empty() {
        return (0, Vec::new());
    }
    // Of one kernel nothing has to be put together.
    let exact = match kernels {
        [(start, step, _)] if *start == first => Some(*step),
        _ => None,
    };
    let span = end.saturating_sub(first);
    let step = exact.unwrap_or_else(|| span.div_ceil(STEPS)).max(1);
    let mut all = vec![0_u64; span.div_ceil(step) as usize];
    for (start, width, own) in kernels {
        let mut before = None;
        for (at, sectors) in (0_u64..).zip(own) {
            let from = (start.saturating_sub(first) + at * width) / step;
            let to = (start.saturating_sub(first) + (at + 1) * width).div_ceil(step);
            for bin in from..to {
                // Of bins that share a step the largest counts once.
                let old = before.filter(|(of, _)| *of == bin).map_or(0, |(_, n)| n);
                let more = sectors.saturating_sub(old);
                if let Some(sum) = all.get_mut(bin as usize) {
                    *sum = if is_together { *sum + more } else { (*sum).max(*sectors) };
                }
                before = Some((bin, old.max(*sectors)));
            }
        }
    }
    (step, all)
}
