//! Launches of kernels: on the timeline, as tables, and what the probes cost.

pub(super) mod export;
mod kernels;
mod table;
pub(super) mod tracks;

use super::folder::{Folder, Launch, Outcome, SchemaSource, Status};
use crate::analysis::contract::{Analysis, AnalysisInput, ComputedFigure, FigureHead};
use crate::base::number::date;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::Trace;
use crate::model::figure::{Body, Cell, Fact, Facts, Family, Figure, TableColumn};

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
        ("neutrino-parts", phrase("Parts of launches"), "bars", 3, is_timed, |i, _, _| {
            of(i.trace, table::parts)
        }),
        ("neutrino-slowdown", phrase("Cost of probes by kernel"), "table", 3, is_timed, |i, _, _| {
            of(i.trace, kernels::cost)
        }),
    ];
    let figure = |(id, title, kind, columns, _, compute): (&str, &str, _, _, _, _)| ComputedFigure {
        head: FigureHead {
            id: id.to_owned(),
            section: SECTION,
            title: title.to_owned(),
            kind,
            columns,
            choices: Vec::new(),
        },
        compute,
    };
    all.into_iter().filter(|(_, _, _, _, is_there, _)| *is_there).map(figure).collect()
}

/// Makes a figure of a folder.
type Make = fn(&Folder) -> Figure;

/// What the files say themselves, however little is in them: the process, its kernels, the maps of the result.
pub(super) fn of_files(folder: &Folder) -> Vec<Family> {
    let all: [(bool, &str, &str, Make); 4] = [
        (folder.log.is_some(), "neutrino-process", phrase("Process"), process),
        (!folder.kernels.is_empty(), "neutrino-coverage", phrase("Probed kernels"), kernels::coverage),
        (folder.result.is_some(), "neutrino-result", phrase("Maps of the result"), table::maps),
        (!folder.tensors.is_empty(), "neutrino-tensors", phrase("Tensors"), table::tensors),
    ];
    let family = |(_, id, title, make): (bool, &str, &str, Make)| {
        Family::single(id, SECTION, Figure { title: title.to_owned(), ..make(folder) })
    };
    all.into_iter().filter(|(is_there, ..)| *is_there).map(family).collect()
}

fn of(trace: &Trace, figure: Make) -> Figure {
    trace.extensions.get().map_or_else(|| Figure::new("", Body::Facts(Facts::default())), figure)
}

fn column(name: &str, unit: Unit) -> TableColumn {
    TableColumn { name: name.to_owned(), unit, ..TableColumn::default() }
}

fn text(text: &str) -> Cell {
    if text.is_empty() { Cell::Missing } else { Cell::Text(text.to_owned()) }
}

fn whole(number: Option<u64>) -> Cell {
    number.map_or(Cell::Missing, Cell::Integer)
}

/// `16 × 4 × 2`.
fn size([x, y, z]: [u32; 3]) -> String {
    format!("{x} × {y} × {z}")
}

impl Launch {
    /// How many times longer the launch took than its kernel, as the log prints it.
    fn ratio(&self) -> Option<f64> {
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
        (phrase("Folder"), text(&folder.name)),
        (phrase("Process"), text(&process.pid.map_or_else(String::new, |pid| pid.to_string()))),
        (phrase("Command"), text(&process.command)),
        (phrase("Rank"), whole(process.rank.map(u64::from))),
        (phrase("First launch"), text(&table::start(folder).map_or_else(String::new, date))),
        (phrase("Maps described by"), text(schema)),
        (phrase("Launches"), Cell::Integer(folder.launches.len() as u64)),
        (phrase("Probed launches"), count(|launch| launch.status == Status::Probed)),
        (phrase("Failed launches"), count(|launch| matches!(launch.status, Status::Failed(_)))),
        (phrase("Launches without probes"), count(|launch| launch.status == Status::Unprobed)),
    ];
    let facts = facts.into_iter().filter(|(_, value)| *value != Cell::Missing);
    let fact = |(name, value): (&str, Cell)| Fact { name: name.to_owned(), value, unit: Unit::None };
    let mut figure = Figure::new("", Body::Facts(Facts { facts: facts.map(fact).collect() }));
    let untimed = folder.launches.iter().filter(|launch| tracks::Times::of(launch).is_none()).count();
    if 0 < untimed {
        let note =
            crate::base::words::message("The log has no times for {n} launches; the timeline lacks them.");
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
    let fact = |name: &str, value, unit| Fact { name: name.to_owned(), value, unit };
    let facts = vec![
        fact(phrase("Peak map memory"), whole(probes), Unit::Bytes),
        fact(phrase("Peak application memory"), whole(most), Unit::Bytes),
        fact(phrase("Maps / application"), Cell::number(share), Unit::Share),
    ];
    Figure::new("", Body::Facts(Facts { facts }))
}
