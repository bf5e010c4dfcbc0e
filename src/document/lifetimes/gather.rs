//! All kernels of a run together, some at a time: rows of their table, and their lengths as one distribution a level.

use crate::analysis::lifetimes::{
    Distribution, Kernel, Level, LevelHead, LevelRow, Run, SECTOR_BYTES, Settings, row,
};
use crate::wire::lifetimes::{self as wire, KernelLevel, Lengths, LevelLengths, differences};

/// Distinct lengths that are looked at in a step, about.
const LENGTHS: usize = 200_000;
/// Steps of a course over several kernels.
const STEPS: u64 = 512;

/// What was gathered of a run for the values of now.
#[derive(Default)]
pub(in crate::document) struct Gathered {
    /// Row of the run that it is of, and whether all of the files was read then.
    key: Option<(u32, bool)>,
    settings: Option<Settings>,
    kernels: Vec<wire::Kernel>,
    levels: Vec<Sum>,
}

/// A level so far.
#[derive(Default)]
struct Sum {
    lengths: Merging,
    reuses: Merging,
    own: LevelLengths,
    /// Kernels in time: begin, cycles of a step, sectors in use.
    courses: Vec<(u64, u64, Vec<u64>)>,
    units: u64,
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
    /// Goes on for some milliseconds; true when all kernels that are there are in.
    pub(super) fn step(&mut self, key: (u32, bool), run: &Run, settings: &Settings) -> bool {
        let is_other = self.key != Some(key) || self.settings.as_ref() != Some(settings);
        if is_other || run.kernels.len() < self.kernels.len() || self.levels.len() != run.levels.len() {
            let levels = run.levels.iter().map(|_| Sum::default()).collect();
            *self = Self { key: Some(key), settings: Some(settings.clone()), kernels: Vec::new(), levels };
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
        let mut looked = 64;
        for (at, sum) in self.levels.iter_mut().enumerate() {
            let both = kernel.levels.get(at).zip(table.levels.get(at));
            if let Some(((level, row), head)) = both.zip(run.levels.get(at)) {
                looked += sum.add((kernel, head), level, row, settings);
            }
        }
        let levels = (0..run.levels.len()).map(|at| kernel_level(run, kernel, at, settings)).collect();
        self.kernels.push(wire::Kernel {
            uid: kernel.uid,
            weight: kernel.weight,
            is_cut: kernel.is_cut,
            table,
            levels,
        });
        looked
    }

    /// The kernels so far.
    pub(super) fn kernels(&self) -> &[wire::Kernel] {
        &self.kernels
    }

    /// The lengths of all kernels so far.
    pub(super) fn lengths(&self) -> Lengths {
        Lengths {
            clock_mhz: self.settings.as_ref().map_or(0.0, |settings| settings.clock_mhz),
            levels: self.levels.iter().map(Sum::lengths).collect(),
        }
    }
}

/// The lengths of one kernel.
pub(super) fn one(run: &Run, settings: &Settings, row: u32) -> Option<Lengths> {
    let kernel = run.kernels.get(row as usize)?;
    let table = crate::analysis::lifetimes::row(run, kernel, &with_clock(settings));
    let levels = (0..run.levels.len()).map(|at| {
        let mut sum = Sum::default();
        let both = kernel.levels.get(at).zip(table.levels.get(at));
        if let Some(((level, row), head)) = both.zip(run.levels.get(at)) {
            sum.add((kernel, head), level, row, settings);
        }
        sum.lengths()
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
    let (counts, share) = level.counts_in(is_private(run, at), settings.scope);
    let of = |n: u64| (n as f64 * share).round() as u64;
    // Without lifetimes there is nothing that this could be a part of.
    let p10 = match level.stated {
        Some(_) => 0.0,
        None => settings.micros(level.lifetimes(is_private(run, at), settings).quantile(0.1)),
    };
    KernelLevel {
        p10,
        orphans: of(counts.orphans),
        opened: of(counts.lifetimes),
        retries: of(counts.retries),
    }
}

impl Sum {
    /// Adds a kernel at this level; how many distinct lengths it has.
    fn add(
        &mut self,
        (kernel, head): (&Kernel, &LevelHead),
        level: &Level,
        row: &LevelRow,
        settings: &Settings,
    ) -> usize {
        let (is_private, word_bytes) = (head.is_private, head.word_bytes);
        let (counts, share) = level.counts_in(is_private, settings.scope);
        let lengths = level.lifetimes(is_private, settings);
        let looked = lengths.lengths().len();
        // Kernels that stand for others count as often.
        let times = kernel.times();
        self.lengths.push(lengths.times(times));
        self.reuses.push(level.reuses.clone().times(times));
        let own = &mut self.own;
        own.counts.add(&counts);
        let share = share * times as f64;
        own.sectors.0 += counts.reads as f64 * share;
        own.sectors.1 += (counts.writes + counts.fills) as f64 * share;
        own.bytes = own.bytes.max(row.bytes);
        own.word_bytes = word_bytes;
        own.write_mhz = own.write_mhz.max(row.write_mhz);
        self.units = self.units.max(if is_private { level.units.len() as u64 } else { 1 });
        let course: Vec<u64> = level.resident.sectors().collect();
        if !course.is_empty() {
            self.courses.push((kernel.start, level.resident.bin_cycles(), course));
        }
        looked
    }

    fn lengths(&self) -> LevelLengths {
        let (step, course) = course(&self.courses);
        LevelLengths {
            lengths: differences(&self.lengths.merged()),
            reuses: differences(&self.reuses.merged()),
            step,
            course,
            room: self.own.bytes / self.own.word_bytes.unwrap_or(SECTOR_BYTES).max(1) * self.units,
            ..self.own.clone()
        }
    }
}

/// Sectors in use over the time of all kernels: cycles of a step, and the most in each. Kernels that run at once add up.
fn course(kernels: &[(u64, u64, Vec<u64>)]) -> (f64, Vec<u64>) {
    let [(_, step, only)] = kernels else {
        let first = kernels.iter().map(|(start, ..)| *start).min().unwrap_or(0);
        let end = kernels.iter().map(|(start, step, own)| start + step * own.len() as u64).max().unwrap_or(0);
        let step = end.saturating_sub(first).div_ceil(STEPS).max(1);
        let mut all = vec![0_u64; end.saturating_sub(first).div_ceil(step) as usize];
        for (start, width, own) in kernels {
            let mut before = None;
            for (at, sectors) in (0_u64..).zip(own) {
                let from = (start - first + at * width) / step;
                let to = (start - first + (at + 1) * width).div_ceil(step);
                for bin in from..to {
                    // Of bins that share a step the largest counts once.
                    let old = before.filter(|(of, _)| *of == bin).map_or(0, |(_, n)| n);
                    let more = sectors.saturating_sub(old);
                    if let Some(sum) = all.get_mut(bin as usize) {
                        *sum += more;
                    }
                    before = Some((bin, old.max(*sectors)));
                }
            }
        }
        return (step as f64, all);
    };
    (*step as f64, only.clone())
}
