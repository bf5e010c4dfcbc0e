//! Launches of kernels: on the timeline, as tables, and what the probes cost.

pub(super) mod export;
mod table;

use super::folder::{Folder, Launch, Outcome, SchemaSource, Status};
use crate::analysis::contract::{Analysis, AnalysisInput, ComputedFigure};
use crate::base::map::Map;
use crate::base::number::date;
use crate::base::time::Ticks;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::base::{number, order};
use crate::format::Sink;
use crate::model::Trace;
use crate::model::figure::{Cell, Fact, Family, Figure, TableOf};
use crate::model::id::TrackId;
use crate::model::slice::SliceRow;
use crate::model::strings::Strings;
use crate::model::track::TrackKind;
use crate::systems::neutrino::folder::{Assembled, Kernel};

/// The panel of the figures.
const SECTION: &str = phrase("Launches");

/// What the log says of launches and kernels. Needs no result.
pub(super) static ANALYSIS: Analysis = Analysis {
    id: "neutrino-launches",
    title: phrase("Launches"),
    parameters: &[],
    applies: |trace| trace.extensions.get::<Folder>().is_some(),
    tap: None,
    start: None,
    add_tracks: None,
    faults: None,
    figures,
    advice: None,
    is_comparable: true,
};

/// Computes a figure of a folder.
type Compute = fn(&AnalysisInput, &str, &[usize]) -> Figure;

fn figures(input: &AnalysisInput) -> Vec<ComputedFigure> {
    let Some(folder) = input.trace.extensions.get::<Folder>() else { return Vec::new() };
    let is_timed =
        folder.launches.iter().any(|launch| launch.host_overhead().is_some() || launch.impact.is_some());
    let has_memory = folder.launches.iter().any(|launch| launch.probe_bytes.is_some());
    let all: [(&str, &str, &'static str, u8, bool, Compute); 4] = [
        ("neutrino-memory", phrase("Probe memory"), "facts", 1, has_memory, |i, _, _| of(i.trace, memory)),
        ("neutrino-launches", phrase("Launches"), "table", 3, !folder.launches.is_empty(), |i, _, _| {
            of(i.trace, table::launches)
        }),
        ("neutrino-parts", phrase("Launch breakdown"), "bars", 3, is_timed, |i, _, _| {
            of(i.trace, table::parts)
        }),
        ("neutrino-slowdown", phrase("Probe cost by kernel"), "table", 3, is_timed, |i, _, _| {
            of(i.trace, kernel_cost)
        }),
    ];
    let figure = |(id, title, kind, columns, _, compute): (&str, &str, _, _, _, _)| {
        ComputedFigure::new((id, SECTION, title), (kind, columns), compute)
    };
    all.into_iter().filter(|(_, _, _, _, is_there, _)| *is_there).map(figure).collect()
}

/// Makes a figure of a folder.
type Make = fn(&Folder) -> Figure;

/// What the files say themselves, however little is in them: the process, its kernels, the maps of the result.
pub(super) fn of_files(folder: &Folder) -> Vec<Family> {
    let all: [(bool, &str, &str, Make); 4] = [
        (folder.log.is_some(), "neutrino-process", phrase("Process"), process),
        (!folder.kernels.is_empty(), "neutrino-coverage", phrase("Probed kernels"), kernel_coverage),
        (folder.result.is_some(), "neutrino-result", phrase("Maps in the result"), table::maps),
        (!folder.tensors.is_empty(), "neutrino-tensors", phrase("Tensors"), table::tensors),
    ];
    let family = |(_, id, title, make): (bool, &str, &str, Make)| {
        Family::single(id, SECTION, Figure { title: title.to_owned(), ..make(folder) })
    };
    all.into_iter().filter(|(is_there, ..)| *is_there).map(family).collect()
}

fn of(trace: &Trace, figure: Make) -> Figure {
    trace.extensions.get().map_or_else(Figure::nothing, figure)
}

/// `16 × 4 × 2`.
fn size([x, y, z]: [u32; 3]) -> String {
    format!("{x} × {y} × {z}")
}

impl Launch {
    /// How many times longer the launch took than its kernel, as the log prints it.
    pub(super) fn ratio(&self) -> Option<f64> {
        let kernel = self.kernel_ms.filter(|ms| 0.0 < *ms);
        self.ratio
            .or_else(|| kernel.and_then(|kernel| Some((self.prologue? + kernel + self.epilogue?) / kernel)))
    }

    /// Milliseconds of the host around the kernel: memory for maps is made and copied back; before the first launch of a
    /// function its kernel is probed and compiled too. It says nothing of how fast the kernel runs.
    pub(super) fn host_overhead(&self) -> Option<f64> {
        // The log has six digits behind the point: the sum has no more.
        Some(((self.prologue? + self.epilogue?) * 1e6).round() / 1e6)
    }
}

impl Status {
    /// What it is called.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Probed => phrase("probed"),
            Self::Failed(_) => phrase("failed"),
            Self::Unprobed => phrase("without probes"),
            Self::Cut => phrase("cut off"),
        }
    }
}

impl Outcome {
    /// What it is called.
    fn name(self) -> &'static str {
        match self {
            Self::Probed => phrase("probed"),
            Self::Failed => phrase("failed"),
            Self::Filtered => phrase("filtered"),
            Self::Excluded => phrase("excluded"),
            Self::Unknown => phrase("unknown"),
        }
    }
}

fn process(folder: &Folder) -> Figure {
    let count = |is_meant: fn(&Launch) -> bool| {
        Cell::Integer(folder.launches.iter().filter(|launch| is_meant(launch)).count() as u64)
    };
    let process = &folder.process;
    let schema = match folder.schema {
        SchemaSource::ProbeV2 | SchemaSource::ProbeV1 => "probe.toml",
        SchemaSource::ReadPy => "read.py",
        SchemaSource::ProcessLog => "process.log",
        SchemaSource::KernelInfo => "kernel.info",
        SchemaSource::Guessed => "",
    };
    let facts = [
        (phrase("Folder"), Cell::text(&folder.name)),
        (phrase("Process"), process.pid.map(|pid| pid.to_string()).into()),
        (phrase("Command"), Cell::text(&process.command)),
        (phrase("Rank"), process.rank.map(u64::from).into()),
        (phrase("First launch"), table::start(folder).map(date).into()),
        (phrase("Maps described by"), Cell::text(schema)),
        (phrase("Launches"), Cell::Integer(folder.launches.len() as u64)),
        (phrase("Probed launches"), count(|launch| launch.status == Status::Probed)),
        (phrase("Failed launches"), count(|launch| matches!(launch.status, Status::Failed(_)))),
        (phrase("Launches without probes"), count(|launch| launch.status == Status::Unprobed)),
    ];
    let facts = facts.into_iter().filter(|(_, value)| *value != Cell::Missing);
    let facts = facts.map(|(name, value)| Fact::new(name, value, Unit::None));
    let mut figure = Figure::of_facts(facts.collect());
    let untimed = folder.launches.iter().filter(|launch| Times::of(launch).is_none()).count();
    if 0 < untimed {
        let note =
            crate::base::words::message("The log has no times for {n} launches, so the timeline lacks them.");
        figure.notes.push(note.with("n", untimed));
    }
    if process.is_benchmark {
        figure.notes.push(phrase("Benchmark run: no results are saved.").into());
    }
    figure
}

/// By how much the memory of the application changes before which launch. What is freed before a launch is gone when others
/// come: memory that is used again counts once.
fn changes(folder: &Folder) -> Vec<(usize, i128)> {
    let mut changes: Vec<(usize, i128)> = Vec::new();
    for row in &folder.allocations {
        changes.push((row.from, i128::from(row.bytes)));
        changes.extend(row.to.map(|to| (to, -i128::from(row.bytes))));
    }
    order::sort_by_number(&mut changes, |(from, change)| *from as i64 * 2 + i64::from(0 < *change));
    changes
}

/// The most that was held at once, by maps and by the application.
fn memory(folder: &Folder) -> Figure {
    let probes = folder.launches.iter().filter_map(|launch| launch.probe_bytes).max();
    let (mut held, mut most) = (0_i128, 0_i128);
    for (_, change) in changes(folder) {
        held += change;
        most = most.max(held);
    }
    let most = u64::try_from(most).ok().filter(|most| 0 < *most);
    let share = probes.zip(most).map(|(probes, most)| probes as f64 / most as f64);
    Figure::of_facts(vec![
        Fact::new(phrase("Peak map memory"), probes, Unit::Bytes),
        Fact::new(phrase("Peak application memory"), most, Unit::Bytes),
        Fact::new(phrase("Maps / application"), share, Unit::Share),
    ])
}

// Kernels: what probes cost, and which were probed at all.

/// Launches by the name of their kernel, in the order of the first.
fn by_name(folder: &Folder) -> Vec<(&str, Vec<&Launch>)> {
    let mut rows: Vec<(&str, Vec<&Launch>)> = Vec::new();
    let mut known: Map<&str, usize> = Map::default();
    for launch in &folder.launches {
        let at = *known.entry(&launch.name).or_insert(rows.len());
        match rows.get_mut(at) {
            Some((_, launches)) => launches.push(launch),
            None => rows.push((&launch.name, vec![launch])),
        }
    }
    rows
}

/// The middle value, or the mean of the two in the middle; `None` for none.
fn median(mut values: Vec<f64>) -> Option<f64> {
    order::sort_floats(&mut values);
    (!values.is_empty()).then(|| order::median(&values))
}

/// Σ of one over Σ of the other, over launches that have both.
fn of_sums(launches: &[&Launch], part: fn(&Launch) -> Option<(f64, f64)>) -> Option<f64> {
    let sums =
        launches.iter().filter_map(|launch| part(launch)).fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
    (0.0 < sums.1).then(|| sums.0 / sums.1)
}

/// What probes cost for each kernel. The first launch of a function stands apart: its kernel is compiled before it.
fn kernel_cost(folder: &Folder) -> Figure {
    let has_impact = folder.launches.iter().any(|launch| launch.impact.is_some());
    let overhead = |launches: &[&Launch], is_first: bool| {
        let own = launches.iter().filter(|launch| launch.is_first == is_first);
        median(own.filter_map(|launch| launch.host_overhead()).collect())
    };
    let of_all = |launches: &[&Launch], value: fn(&Launch) -> Option<f64>| {
        median(launches.iter().filter_map(|launch| value(launch)).collect())
    };
    // The first launch counts only where it is the only one.
    let of_later = |launches: &[&Launch], value: fn(&Launch) -> Option<f64>| {
        let later = launches.iter().skip(1).filter(|launch| !launch.is_first);
        let later = later.filter_map(|launch| value(launch));
        median(later.collect()).or_else(|| of_all(launches, value))
    };
    let maps = |launches: &[&Launch]| launches.iter().filter_map(|launch| launch.probe_bytes).max();
    let registers = |launches: &[&Launch]| {
        let kernel = launches.iter().find_map(|launch| folder.kernels.get(launch.kernel?));
        kernel.and_then(extra_registers)
    };
    let kernels = by_name(folder);
    let mut table = TableOf::new(&kernels)
        .column(phrase("Kernel"), Unit::None, |(name, _)| Cell::text(name))
        .column(phrase("Launches"), Unit::None, |(_, launches)| launches.len() as u64)
        .column(phrase("Host overhead, first launch"), Unit::Millis, |(_, launches)| overhead(launches, true))
        .column(phrase("Host overhead, later launches, median"), Unit::Millis, |(_, launches)| {
            overhead(launches, false)
        })
        .column(phrase("Kernel time per launch, median"), Unit::Millis, |(_, launches)| {
            of_all(launches, |launch| launch.kernel_ms)
        })
        .column(phrase("Largest maps"), Unit::Bytes, |(_, launches)| maps(launches))
        .column(phrase("Extra registers"), Unit::None, |(_, launches)| registers(launches));
    if has_impact {
        table = table
            .column(phrase("Kernel slowdown, median without the first"), Unit::None, |(_, launches)| {
                of_later(launches, |launch| launch.impact)
            })
            .column(phrase("Kernel slowdown, overall"), Unit::None, |(_, launches)| {
                of_sums(launches, |launch| Some((launch.kernel_ms?, launch.original?)))
            });
    }
    let mut figure = table.figure();
    figure.notes.extend(table::notes(folder));
    if has_impact {
        figure.notes.push(phrase("Overall: sums over all launches, divided.").into());
    }
    figure
}

fn registers(kernel: &Kernel, form: &str) -> Option<u32> {
    let is_meant = |assembled: &&Assembled| assembled.form == form;
    kernel.assembled.iter().find(is_meant)?.registers
}

/// Registers of a thread that the probes add.
fn extra_registers(kernel: &Kernel) -> Option<f64> {
    Some(f64::from(registers(kernel, "probed")?) - f64::from(registers(kernel, "pruned")?))
}

/// What became of each kernel, with the reason.
fn kernel_coverage(folder: &Folder) -> Figure {
    let launches = |at: usize| folder.launches.iter().filter(move |launch| launch.kernel == Some(at));
    let probed = |at: usize| launches(at).filter(|launch| launch.status == Status::Probed).count();
    let kernels: Vec<(usize, &Kernel)> = folder.kernels.iter().enumerate().collect();
    let mut figure = TableOf::new(&kernels)
        .column(phrase("Kernel"), Unit::None, |(_, kernel)| Cell::text(&kernel.name))
        .column("#", Unit::None, |(_, kernel)| Cell::text(kernel.folder.split('_').next().unwrap_or("")))
        .words(phrase("Outcome"), |(_, kernel)| kernel.outcome.name())
        .column(phrase("Launches"), Unit::None, |(at, _)| launches(*at).count() as u64)
        .column(phrase("Probed launches"), Unit::None, |(at, _)| probed(*at) as u64)
        .column(phrase("Registers"), Unit::None, |(_, kernel)| registers(kernel, "pruned").map(u64::from))
        .column(phrase("Registers with probes"), Unit::None, |(_, kernel)| {
            registers(kernel, "probed").map(u64::from)
        })
        .column(phrase("Reason"), Unit::None, |(_, kernel)| {
            Cell::text(kernel.traceback.lines().last().unwrap_or(""))
        })
        .column(phrase("Traceback"), Unit::None, |(_, kernel)| Cell::text(&kernel.traceback))
        .figure();
    let n = folder.kernels.iter().filter(|kernel| kernel.outcome == Outcome::Probed).count();
    let note = crate::base::words::message("{n} of {m} kernels were probed.").with("n", n);
    figure.notes.push(note.with("m", folder.kernels.len()));
    figure
}

// The timeline of the process: launches with their parts, callbacks, memory.
//
// The log has one time for each launch, taken when its kernel is ready and before memory for its maps is allocated. The
// first launch of a kernel waits for the probe engine before that, so its prologue ends there; others begin there.

/// When the parts of a launch begin, and when it ends.
struct Times {
    /// The prologue.
    start: Ticks,
    /// The kernel.
    kernel: Ticks,
    /// The epilogue.
    epilogue: Ticks,
    /// The end.
    end: Ticks,
}

impl Times {
    /// The times of a launch that the log timed whole.
    fn of(launch: &Launch) -> Option<Self> {
        let time = Ticks::try_from(launch.time?).ok()?;
        // Times of 2200 and of a minute are no garbage yet; larger sums would leave the axis.
        #[allow(clippy::cast_possible_truncation)] // it has bounds
        let nanos = |ms: Option<f64>| Some((ms? * 1e6).round().clamp(0.0, 1e15) as Ticks);
        let (before, kernel, after) =
            (nanos(launch.prologue)?, nanos(launch.kernel_ms)?, nanos(launch.epilogue)?);
        let start = if launch.is_first { time.saturating_sub(before) } else { time };
        let begin = start.saturating_add(before);
        let epilogue = begin.saturating_add(kernel);
        Some(Self { start, kernel: begin, epilogue, end: epilogue.saturating_add(after) })
    }
}

/// Adds title, headline and tracks.
pub(crate) fn track_add(folder: &Folder, sink: &mut Sink) {
    head(folder, sink);
    let Some(log) = folder.log else { return };
    let process = match (&folder.process.command, folder.process.pid) {
        (command, Some(pid)) if !command.is_empty() => format!("{command} ({pid})"),
        (command, _) if !command.is_empty() => command.clone(),
        (_, Some(pid)) => pid.to_string(),
        _ => folder.name.clone(),
    };
    let name = sink.builder.intern(&process);
    let Some(group) = sink.builder.track(None, TrackKind::Group, name, log.0) else { return };
    if let Some(rank) = folder.process.rank {
        let label = sink.builder.intern(&format!("rank {rank}"));
        sink.builder.label_track(group, label);
    }
    let mut track = |kind, name: &'static str, order| {
        let name = sink.builder.intern(name);
        let id = sink.builder.track(Some(group), kind, name, log.0);
        id.inspect(|id| sink.builder.order_track(*id, order))
    };
    let launches = track(TrackKind::Slices, phrase("Launches"), 0);
    let callbacks = folder.launches.iter().any(|launch| launch.callback.is_some() && launch.time.is_some());
    let callbacks = callbacks.then(|| track(TrackKind::Slices, phrase("Callbacks"), 1)).flatten();
    let memory = track(TrackKind::Counter, phrase("Application memory"), 2);
    let probes = track(TrackKind::Counter, phrase("Probe memory"), 3);
    if let Some(track) = launches {
        slices(folder, track, sink);
    }
    if let Some(track) = callbacks {
        instants(folder, track, sink);
    }
    counters(folder, memory, probes, sink);
}

fn head(folder: &Folder, sink: &mut Sink) {
    let launch = folder.launch();
    let trace = sink.builder.head();
    trace.title = match launch.filter(|launch| !launch.name.is_empty()) {
        Some(launch) => launch.name.clone(),
        None => folder.name.clone(),
    };
    if let Some(result) = &folder.result {
        let size = |[x, y, z]: [u32; 3]| format!("{x} × {y} × {z}");
        trace.headline.push(result.name.clone());
        trace.headline.push(format!("({}) × ({})", size(result.grid), size(result.block)));
    }
    if let Some(time) = launch.and_then(|launch| launch.kernel_ms) {
        trace.headline.push(number::with_unit(time, &Unit::Millis));
    }
}

fn slices(folder: &Folder, track: TrackId, sink: &mut Sink) {
    let parts =
        [phrase("Prologue"), phrase("Kernel"), phrase("Epilogue")].map(|name| sink.builder.intern(name));
    for launch in &folder.launches {
        let name = sink.builder.intern(if launch.name.is_empty() { phrase("Launch") } else { &launch.name });
        let detail_len = u32::try_from(launch.bytes.1).unwrap_or(u32::MAX);
        let row = |start: Ticks, end: Ticks, name| SliceRow {
            detail_start: launch.bytes.0,
            detail_len,
            ..SliceRow::new(start, end.saturating_sub(start), name)
        };
        if let Some(times) = Times::of(launch) {
            sink.builder.slice(track, row(times.start, times.end, name));
            let [prologue, kernel, epilogue] = parts;
            sink.builder.slice(track, row(times.start, times.kernel, prologue));
            sink.builder.slice(track, row(times.kernel, times.epilogue, kernel));
            sink.builder.slice(track, row(times.epilogue, times.end, epilogue));
        } else if let Some(time) = launch.time.and_then(|time| Ticks::try_from(time).ok()) {
            let detail = (launch.bytes.0, detail_len);
            sink.builder.instant(track, time, name, Strings::EMPTY, detail);
        }
    }
}

/// Callbacks run after their launch; the log does not say how long.
fn instants(folder: &Folder, track: TrackId, sink: &mut Sink) {
    for launch in &folder.launches {
        let (Some((script, is_done)), Some(times)) = (&launch.callback, Times::of(launch)) else { continue };
        let name = sink.builder.intern(script.rsplit('/').next().unwrap_or(script));
        let category = match is_done {
            Some(true) => phrase("succeeded"),
            Some(false) => phrase("failed"),
            None => "",
        };
        let category = sink.builder.intern(category);
        let detail = (launch.bytes.0, u32::try_from(launch.bytes.1).unwrap_or(u32::MAX));
        sink.builder.instant(track, times.end, name, category, detail);
    }
}

/// Memory at each launch: lines about allocations have no times, so they count from the next launch on.
fn counters(folder: &Folder, memory: Option<TrackId>, probes: Option<TrackId>, sink: &mut Sink) {
    let (bytes, probe_bytes) =
        (sink.builder.intern(phrase("Allocated")), sink.builder.intern(phrase("Maps")));
    let changes = changes(folder);
    let (mut held, mut at) = (0_i128, 0);
    for (i, launch) in folder.launches.iter().enumerate() {
        while let Some((_, change)) = changes.get(at).filter(|(from, _)| *from <= i) {
            (held, at) = (held + change, at + 1);
        }
        let Some(times) = Times::of(launch) else { continue };
        if let Some(track) = memory {
            sink.builder.sample(track, bytes, &Unit::Bytes, times.start, held as f64);
        }
        if let (Some(track), Some(held)) = (probes, launch.probe_bytes) {
            sink.builder.sample(track, probe_bytes, &Unit::Bytes, times.kernel, held as f64);
            sink.builder.sample(track, probe_bytes, &Unit::Bytes, times.end, 0.0);
        }
    }
}
