//! How busy each pipe of each core was: of the time between the first and the last slice of its core. Waiting (`BAR`,
//! `WAIT_FLAG`) and setting flags is no work, here as in the heads of rows, in idle time and in overlap.

use super::sums::{PipeSum, Sums};
use crate::analysis::contract::AnalysisInput;
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::Trace;
use crate::model::figure::{Advice, Body, Figure, Matrix, MatrixCell, TableOf};
use crate::model::id::TrackId;
use crate::systems::ascend::claims::{self, Parts, Share};

/// One pipe of one core.
struct Pipe<'a> {
    /// Its core, with the file where there are several.
    core: String,
    core_id: TrackId,
    name: &'a str,
    /// Whether it moves or computes.
    is_working: bool,
    /// Ticks in which at least one slice of work lasts.
    busy: Ticks,
    /// Ticks of slices that wait, summed.
    waiting: Ticks,
    /// From the first slice of the core to the end of its last.
    span: Ticks,
    slices: usize,
}

impl Pipe<'_> {
    fn percent(&self) -> Option<f64> {
        (0 < self.span).then(|| self.busy as f64 / self.span as f64 * 100.0)
    }
}

/// Operator traces have a row for each pipe.
pub(super) fn is_there(trace: &Trace) -> bool {
    trace.coloring.by_row() && trace.tracks.iter().any(|(_, t)| t.parent.is_some() && !t.slices.is_empty())
}

fn pipes<'a>(trace: &'a Trace, sums: &Sums) -> Vec<Pipe<'a>> {
    let mut paths: Map<TrackId, String> = Map::default();
    let name = |sum: &PipeSum| trace.strings.get(trace.tracks.get(sum.track).name);
    let pipe = |sum: &PipeSum| Pipe {
        core: paths.entry(sum.core).or_insert_with(|| path(trace, sum.core)).clone(),
        core_id: sum.core,
        name: spelled(name(sum)),
        is_working: WORKING.contains(&name(sum)),
        busy: sum.busy,
        waiting: sum.waiting,
        span: sum.span.dur(),
        slices: sum.slices,
    };
    sums.pipes.iter().map(pipe).collect()
}

/// The name of a track behind those it lies in.
pub fn path(trace: &Trace, track: TrackId) -> String {
    std::iter::successors(Some(track), |&id| trace.tracks.get(id).parent)
        .map(|id| trace.strings.get(trace.tracks.get(id).name))
        .fold(
            String::new(),
            |below, name| {
                if below.is_empty() { name.to_owned() } else { format!("{name} · {below}") }
            },
        )
}

/// The numbers of an axis of names, in order of first use.
#[derive(Default)]
struct Names {
    list: Vec<String>,
    rows: Map<String, usize>,
}

impl Names {
    fn row(&mut self, name: &str) -> usize {
        if let Some(&row) = self.rows.get(name) {
            return row;
        }
        self.rows.insert(name.to_owned(), self.list.len());
        self.list.push(name.to_owned());
        self.list.len() - 1
    }
}

/// Cores by pipes: the share of the core's time in which the pipe was busy.
pub(super) fn utilization(trace: &Trace, sums: &Sums) -> Figure {
    let pipes = pipes(trace, sums);
    let (mut cores, mut names) = (Names::default(), Names::default());
    let places: Vec<(usize, usize)> = pipes.iter().map(|p| (cores.row(&p.core), names.row(p.name))).collect();
    let mut cells = vec![MatrixCell::default(); cores.list.len() * names.list.len()];
    for ((row, column), pipe) in places.into_iter().zip(&pipes) {
        let Some(cell) = cells.get_mut(row * names.list.len() + column) else { continue };
        cell.value = pipe.percent();
        cell.count += pipe.slices as u64;
    }
    let matrix = Matrix {
        row_name: trace.terms.group.clone(),
        column_name: trace.terms.row.clone(),
        unit: Unit::Percent,
        rows: cores.list,
        columns: names.list,
        cells,
        ..Matrix::default()
    };
    let mut figure = Figure::new("", Body::Matrix(matrix));
    phrase("% of time between the core's first and last slice").clone_into(&mut figure.scope);
    figure
}

/// Every pipe of every core with its times.
pub(super) fn times(trace: &Trace, sums: &Sums) -> Figure {
    let clock = super::ticks(trace.clock);
    let whole = trace.span.map_or(0, Span::dur);
    let all = pipes(trace, sums);
    let mut figure = TableOf::new(&all)
        .column(&trace.terms.group, Unit::None, |pipe| &pipe.core)
        .column(&trace.terms.row, Unit::None, |pipe| pipe.name)
        .column(phrase("Busy"), clock.clone(), |pipe| pipe.busy as f64)
        .column(phrase("Waiting"), clock.clone(), |pipe| pipe.waiting as f64)
        .column(phrase("Core span"), clock, |pipe| pipe.span as f64)
        .bars(phrase("Utilization"), Unit::Percent, Pipe::percent)
        .column(phrase("Share of the trace"), Unit::Percent, |pipe| {
            (0 < whole).then(|| pipe.busy as f64 / whole as f64 * 100.0)
        })
        .column(phrase("Slices"), Unit::Count("slices".to_owned()), |pipe| pipe.slices as f64)
        .keys(2)
        .figure();
    figure.advice = advice(&all);
    let note = message(
        "Utilization is relative to the core span, as in the row heads of the timeline zoomed to fit. Share of the trace is relative to all of it.",
    );
    figure.notes.push(note);
    figure
}

/// A pipe as containers of the profiler spell it: simulators write the same names in capitals.
pub fn spelled(name: &str) -> &str {
    match name {
        "SCALAR" => "Scalar",
        "CUBE" => "Cube",
        "VECTOR" => "Vector",
        other => other,
    }
}

/// Names of pipes that move or compute.
pub const WORKING: [&str; 9] =
    ["SCALAR", "SCALARLDST", "MTE1", "MTE2", "MTE3", "FIXP", "CUBE", "VECTOR", "VEC"];

/// One pipe of all cores of a kind.
struct OfKind<'a> {
    name: &'a str,
    busy: Ticks,
    waiting: Ticks,
    /// The time of all cores of the kind: a pipe that a core has not used was not busy there.
    span: Ticks,
    /// Cores that used it.
    n_cores: usize,
    /// Utilization of the core where it is least, and where it is most.
    ends: (f64, f64),
}

impl OfKind<'_> {
    fn percent(&self) -> f64 {
        self.percent_of(self.busy)
    }

    fn percent_of(&self, ticks: Ticks) -> f64 {
        ticks as f64 / self.span.max(1) as f64 * 100.0
    }
}

/// What bounds the cores of each kind, with the id of the figure that shows it.
pub(super) fn said(input: &AnalysisInput) -> Vec<(&'static str, Advice)> {
    let Some(sums) = input.result::<Sums>() else { return Vec::new() };
    advice(&pipes(input.trace, sums)).into_iter().map(|advice| ("pipe-times", advice)).collect()
}

fn advice(pipes: &[Pipe]) -> Vec<Advice> {
    ["cube", "vector", "AI"]
        .into_iter()
        .filter_map(|kind| {
            let own = pipes.iter().filter(|pipe| kind_of_core(&pipe.core) == kind && pipe.is_working);
            bound(kind, &of_kind(&own.collect::<Vec<_>>()))
        })
        .collect()
}

/// What kind of core a name says.
pub fn kind_of_core(core: &str) -> &'static str {
    match core {
        core if core.contains("cubecore") => "cube",
        core if core.contains("veccore") => "vector",
        _ => "AI",
    }
}

/// The pipes of cores of one kind, the busiest first.
fn of_kind<'a>(pipes: &[&Pipe<'a>]) -> Vec<OfKind<'a>> {
    let mut cores: Map<TrackId, Ticks> = Map::default();
    let mut all: Vec<OfKind> = Vec::new();
    for pipe in pipes {
        let Some(percent) = pipe.percent() else { continue };
        cores.insert(pipe.core_id, pipe.span);
        let Some(own) = all.iter_mut().find(|own| own.name == pipe.name) else {
            let ends = (percent, percent);
            let (name, busy, waiting) = (pipe.name, pipe.busy, pipe.waiting);
            all.push(OfKind { name, busy, waiting, span: 0, n_cores: 1, ends });
            continue;
        };
        own.busy = own.busy.saturating_add(pipe.busy);
        own.waiting = own.waiting.saturating_add(pipe.waiting);
        own.n_cores += 1;
        own.ends = (own.ends.0.min(percent), own.ends.1.max(percent));
    }
    let span = cores.values().fold(0, |sum: Ticks, span| sum.saturating_add(*span));
    for own in &mut all {
        own.span = span;
        if own.n_cores < cores.len() {
            own.ends.0 = 0.0;
        }
    }
    order::sort_by(&mut all, |a, b| b.percent().total_cmp(&a.percent()));
    all
}

/// The sentence on the pipes of a kind of cores, the busiest first; `None` where there is nothing to compare.
fn bound(kind: &str, pipes: &[OfKind]) -> Option<Advice> {
    let shares = pipes.iter().map(|own| Share {
        pipe: own.name,
        active: own.percent(),
        least: own.ends.0,
        most: own.ends.1,
        waiting: Some(own.percent_of(own.waiting)),
    });
    let text = claims::bound(kind, &shares.collect::<Vec<_>>(), Parts::Time, claims::plainly)?;
    Some(Advice::bound(text).claiming([claims::limiter(kind)]))
}
