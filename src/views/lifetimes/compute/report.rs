//! The report of a run: what each level asks, and what each device would take for it.

use super::{
    Demand, Device, DeviceFigures, Devices, Kernel, KernelRow, LevelRow, Run, Settings, Share, percentile,
    rows,
};

/// How often data are stored at a level, over the kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WriteFrequency {
    /// The highest of a kernel, in MHz.
    pub max: f64,
    /// Its row in the table of kernels, from 0.
    pub max_row: usize,
    /// Nine of ten kernels have at most this.
    pub p90: f64,
    /// Of the whole run.
    pub weighted: f64,
}

/// What a level asks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LevelReport {
    pub name: String,
    /// How often data are stored.
    pub writes: WriteFrequency,
    /// Whether that is known: a table states it, all else needs a clock.
    pub has_rates: bool,
    /// What it asks of a memory.
    pub demand: Demand,
    /// What each device would take, in the order of the devices.
    pub devices: Vec<DeviceFigures>,
    /// Lifetimes by the densest device that holds them.
    pub mix: Vec<Share>,
}

/// The report of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    pub rows: Vec<KernelRow>,
    pub levels: Vec<LevelReport>,
}

/// Makes the report. Costs about the distinct lengths of all kernels.
pub fn report(run: &Run, settings: &Settings, devices: &Devices) -> Report {
    let rows = rows(run, settings);
    let levels = run.levels.iter().enumerate().map(|(at, head)| {
        let counted = rows.iter().zip(&run.kernels).filter(|(_, kernel)| run.counts(kernel));
        let own: Vec<LevelRow> = counted.filter_map(|(row, _)| row.levels.get(at)).copied().collect();
        let writes = write_frequency(run, &own);
        let demand = demand(run, at, settings, &own);
        let figures = |device: &Device| devices.figures(device, &demand);
        LevelReport {
            name: head.name.clone(),
            writes,
            has_rates: 0.0 < settings.clock_mhz || run.is_stated(at),
            devices: devices.devices.iter().map(figures).collect(),
            mix: devices.mix(&demand),
            demand,
        }
    });
    let levels = levels.collect();
    Report { rows, levels }
}

fn write_frequency(run: &Run, own: &[LevelRow]) -> WriteFrequency {
    let all: Vec<f64> = own.iter().map(|row| row.write_mhz).collect();
    let max_row = all
        .iter()
        .enumerate()
        .fold(0, |best, (row, mhz)| if all.get(best).is_some_and(|best| best < mhz) { row } else { best });
    // Where no access was recorded the time says nothing.
    let time = |kernel: &Kernel| {
        if kernel.is_recorded() { kernel.cycles as f64 * kernel.times() as f64 } else { 0.0 }
    };
    let times: Vec<f64> = run.kernels.iter().filter(|kernel| run.counts(kernel)).map(time).collect();
    let cycles: f64 = times.iter().sum();
    let writes: f64 = all.iter().zip(&times).map(|(mhz, cycles)| mhz * cycles).sum();
    WriteFrequency {
        max: all.get(max_row).copied().unwrap_or(0.0),
        max_row,
        p90: percentile(&all, 90),
        weighted: if 0.0 < cycles { writes / cycles } else { 0.0 },
    }
}

/// What a level asks of a memory.
fn demand(run: &Run, at: usize, settings: &Settings, own: &[LevelRow]) -> Demand {
    let is_private = run.levels.get(at).is_some_and(|head| head.is_private);
    let (copies, mean_of) = settings.units(run, at);
    let kernels = run.kernels.iter().filter(|kernel| run.counts(kernel));
    let counts =
        kernels.filter_map(|kernel| Some((kernel, kernel.levels.get(at)?))).map(|(kernel, level)| {
            let share = kernel.times() as f64 / mean_of as f64;
            let (counts, _) = level.counts_in(is_private, settings.scope);
            (counts.reads as f64 * share, (counts.writes + counts.fills) as f64 * share)
        });
    let (reads, writes) = counts.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    Demand {
        lifetimes: run.lifetimes(at, settings),
        clock_mhz: settings.clock_mhz,
        word_bytes: run.levels.get(at).and_then(|head| head.word_bytes),
        bytes: own.iter().map(|row| row.bytes).max().unwrap_or(0),
        reads,
        writes,
        write_mhz: Demand::highest(own.iter()),
        copies,
        mean_of,
    }
}
