//! How busy each pipe of each core was: of the time between the first and the last slice of its core.

use super::column;
use crate::analysis::timeline::Timeline;
use crate::base::map::Map;
use crate::base::time::{Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::Trace;
use crate::model::figure::{Body, Cell, Figure, Matrix, MatrixCell, TableFigure};
use crate::model::id::TrackId;

/// Most pipes that are told.
const PIPES: usize = 20_000;

/// One pipe of one core.
struct Pipe<'a> {
    /// Its core, with the file where there are several.
    core: String,
    name: &'a str,
    /// Ticks in which at least one slice lasts.
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

fn pipes<'a>(trace: &'a Trace, timeline: &Timeline) -> Vec<Pipe<'a>> {
    let rows: Vec<TrackId> = trace
        .tracks
        .shown()
        .iter()
        .copied()
        .filter(|&id| trace.tracks.get(id).parent.is_some() && !trace.tracks.get(id).slices.is_empty())
        .take(PIPES)
        .collect();
    let mut cores: Map<TrackId, Span> = Map::default();
    let mut times = Vec::with_capacity(rows.len());
    for &id in &rows {
        let track = trace.tracks.get(id);
        let slices = &track.slices;
        let mut waiting = 0;
        let mut span = slices.span(0);
        for row in 0..slices.len() {
            span = span.union(slices.span(row));
            if timeline.names().total(slices.name[row]).is_waiting {
                waiting += slices.dur[row];
            }
        }
        times.push(waiting);
        if let Some(core) = track.parent {
            let whole = cores.entry(core).or_insert(span);
            *whole = whole.union(span);
        }
    }
    let text = |id| trace.strings.get(id);
    let pipe = |(&id, waiting): (&TrackId, Ticks)| {
        let track = trace.tracks.get(id);
        let core = track.parent?;
        Some(Pipe {
            core: path(trace, core),
            name: text(track.name),
            busy: timeline.track(id).busy(Span { start: Ticks::MIN, end: Ticks::MAX }),
            waiting,
            span: cores.get(&core).map_or(0, |span| span.dur()),
            slices: track.slices.len(),
        })
    };
    rows.iter().zip(times).filter_map(pipe).collect()
}

/// The name of a track behind those it lies in.
pub(super) fn path(trace: &Trace, track: TrackId) -> String {
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
pub(super) fn utilization(trace: &Trace, timeline: &Timeline) -> Figure {
    let pipes = pipes(trace, timeline);
    let (mut cores, mut names) = (Names::default(), Names::default());
    let places: Vec<(usize, usize)> = pipes.iter().map(|p| (cores.row(&p.core), names.row(p.name))).collect();
    let mut cells = vec![MatrixCell::default(); cores.list.len() * names.list.len()];
    for ((row, column), pipe) in places.into_iter().zip(&pipes) {
        let cell = &mut cells[row * names.list.len() + column];
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
pub(super) fn times(trace: &Trace, timeline: &Timeline) -> Figure {
    let clock = super::ticks(trace.clock);
    let columns = vec![
        column(&trace.terms.group, Unit::None, false),
        column(&trace.terms.row, Unit::None, false),
        column(phrase("Busy"), clock.clone(), false),
        column(phrase("Waiting"), clock.clone(), false),
        column(phrase("Core span"), clock, false),
        column(phrase("Utilization"), Unit::Percent, true),
        column(phrase("Slices"), Unit::Count("slices".to_owned()), false),
    ];
    let row = |p: &Pipe| {
        vec![
            Cell::Text(p.core.clone()),
            Cell::Text(p.name.to_owned()),
            Cell::Number(p.busy as f64),
            Cell::Number(p.waiting as f64),
            Cell::Number(p.span as f64),
            Cell::number(p.percent()),
            Cell::Number(p.slices as f64),
        ]
    };
    let rows = pipes(trace, timeline).iter().map(row).collect();
    Figure::new("", Body::Table(TableFigure { columns, rows, key_columns: 2, ..TableFigure::default() }))
}
