//! Figures of a run: reports of its layers, lifetimes of its buffers, accesses over time.

use super::{ArrayRun, BUFFERS, Buffer, Report, Runs};
use crate::analysis::contract::{AnalysisInput, ComputedFigure};
use crate::base::number::thousands;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::figure::{
    Axis, AxisLabel, Bar, BarRole, Bars, Body, Cell, Choice, Fact, Facts, Figure, HeatMap, Ramp, Shading,
    TableOf,
};
use crate::systems::gainsight::{Bins, Grid};
use crate::views::lifetimes::compute::Distribution;

/// The panel of the figures.
const SECTION: &str = phrase("Systolic array");
/// Layers that a choice offers.
const LAYERS: usize = 500;

/// Id of each report's table and bars, and titles.
const REPORTS: [[&str; 4]; 3] = [
    ["layer-cycles", phrase("Layer cycles and utilization"), "layer-cycles-bars", phrase("Layers compared")],
    ["layer-bandwidth", phrase("Layer bandwidth"), "layer-bandwidth-bars", phrase("Bandwidth compared")],
    ["layer-accesses", phrase("Layer accesses"), "layer-accesses-bars", phrase("Accesses compared")],
];

/// The run and the rest of an id such as `layer-cycles-0`.
fn run_of<'a>(input: &AnalysisInput<'a>, id: &str) -> Option<&'a ArrayRun> {
    let number: usize = id.rsplit('-').next()?.parse().ok()?;
    input.trace.extensions.get::<Runs>()?.0.get(number)
}

/// The layer that is chosen first.
pub(super) fn layer_of<'a>(run: &'a ArrayRun, chosen: &[usize]) -> Option<(u64, &'a [Option<Buffer>; 3])> {
    let layer = run.layers.iter().nth(chosen.first().copied().unwrap_or(0));
    layer.map(|(number, buffers)| (*number, buffers))
}

/// The buffer that is chosen second.
pub(super) fn buffer_of<'a>(run: &'a ArrayRun, chosen: &[usize]) -> Option<&'a Buffer> {
    layer_of(run, chosen)?.1.get(chosen.get(1).copied().unwrap_or(0))?.as_ref()
}

fn choice(name: &str, options: impl Iterator<Item = String>) -> Choice {
    Choice { name: name.to_owned(), options: options.collect() }
}

type Compute = fn(&AnalysisInput, &str, &[usize]) -> Figure;

/// The figures of all runs. Ids end with the number of the run.
pub(super) fn figures(input: &AnalysisInput) -> Vec<ComputedFigure> {
    let runs = input.trace.extensions.get::<Runs>().map_or(&[][..], |runs| &runs.0);
    let mut all = Vec::new();
    for (number, run) in runs.iter().enumerate() {
        let mut add = |id: &str, title: &str, kind, columns, choices, compute: Compute| {
            let title = if runs.len() < 2 { title.to_owned() } else { format!("{title}: {}", run.name) };
            let of = (format!("{id}-{number}"), SECTION, title);
            all.push(ComputedFigure::new(of, (kind, columns), compute).choosing(choices));
        };
        if !run.settings.is_empty() {
            add("array-configuration", phrase("Configuration"), "facts", 1, Vec::new(), |i, id, _| {
                settings(i, id)
            });
        }
        for (report, [table_id, table_title, bars_id, bars_title]) in run.reports.iter().zip(REPORTS) {
            let Some(report) = report else { continue };
            add(table_id, table_title, "table", 3, Vec::new(), table);
            if !report.heads.is_empty() {
                let columns = choice("Show as", report.heads.iter().map(|(name, _)| name.clone()));
                add(bars_id, bars_title, "bars", 2, vec![columns], bars);
            }
        }
        if run.layers.is_empty() {
            continue;
        }
        let layers = choice("Layer", run.layers.keys().take(LAYERS).map(ToString::to_string));
        add("buffer-lifetimes", phrase("Buffer lifetimes"), "table", 3, Vec::new(), lifetimes);
        let of_layer = vec![layers.clone()];
        add("buffer-map", phrase("Buffers over time"), "heat-map", 3, of_layer, |i, id, chosen| {
            run_of(i, id).map_or_else(empty, |run| map_buffers(run, chosen))
        });
        let buffers = choice("Buffer", BUFFERS.iter().map(ToString::to_string));
        let shown = choice("Show as", SHOWN.iter().map(ToString::to_string));
        let chosen = vec![layers, buffers, shown];
        add("word-map", phrase("Words over time"), "heat-map", 3, chosen, |i, id, chosen| {
            run_of(i, id).map_or_else(empty, |run| map_words(run, chosen))
        });
    }
    all
}

fn empty() -> Figure {
    Figure::new("", Body::Facts(Facts::default()))
}

fn settings(input: &AnalysisInput, id: &str) -> Figure {
    let settings = run_of(input, id).map_or(&[][..], |run| &run.settings);
    Figure::of_facts(settings.iter().map(|(name, value)| Fact::new(name, value, Unit::None)).collect())
}

/// The report that the id of a figure is about.
fn report_of<'a>(input: &AnalysisInput<'a>, id: &str) -> Option<&'a Report> {
    let own = id.rsplit_once('-').map_or(id, |(own, _)| own);
    let row = REPORTS.iter().position(|[table, _, bars, _]| *table == own || *bars == own)?;
    run_of(input, id)?.reports.get(row)?.as_ref()
}

fn table(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let Some(report) = report_of(input, id) else { return empty() };
    let mut table = TableOf::new(&report.rows).column(phrase("Layer"), Unit::None, |(layer, _)| *layer);
    for (at, (name, unit)) in report.heads.iter().enumerate() {
        table = table.column(name, unit.clone(), |(_, values)| values.get(at).copied().flatten());
    }
    table.figure()
}

fn bars(input: &AnalysisInput, id: &str, chosen: &[usize]) -> Figure {
    let Some(report) = report_of(input, id) else { return empty() };
    let at = chosen.first().copied().unwrap_or(0);
    let (name, unit) = report.heads.get(at).cloned().unwrap_or_default();
    let bar = |(layer, values): &(u64, Vec<Option<f64>>)| Bar {
        name: layer.to_string(),
        values: vec![values.get(at).copied().flatten()],
        role: BarRole::Work,
        detail: String::new(),
    };
    let full = (unit == Unit::Percent).then_some(100.0);
    let bars = Bars { unit, full, bars: report.rows.iter().map(bar).collect(), ..Bars::default() };
    Figure { scope: name, ..Figure::new("", Body::Bars(bars)) }
}

/// A row for each buffer of each layer.
fn lifetimes(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let Some(run) = run_of(input, id) else { return empty() };
    let buffers = run.layers.iter().flat_map(|(layer, buffers)| {
        let own = BUFFERS.iter().zip(buffers);
        own.filter_map(move |(name, buffer)| Some((*layer, *name, buffer.as_ref()?)))
    });
    let buffers: Vec<(u64, &str, &Buffer)> = buffers.collect();
    let length = |of: &Buffer, value: fn(&Distribution) -> f64| {
        Some(&of.level.reused).filter(|all| !all.is_empty()).map_or(Cell::Missing, |all| value(all).into())
    };
    let mut figure = TableOf::new(&buffers)
        .keys(2)
        .column(phrase("Layer"), Unit::None, |(layer, ..)| *layer)
        .column(phrase("Buffer"), Unit::None, |(_, name, _)| *name)
        .column(phrase("Lifetimes"), Unit::None, |(.., of)| of.level.reused.count())
        .bars(phrase("Mean"), Unit::Cycles, |(.., of)| length(of, Distribution::mean))
        .column(phrase("Median"), Unit::Cycles, |(.., of)| length(of, |all| all.quantile(0.5)))
        .column(phrase("90 %"), Unit::Cycles, |(.., of)| length(of, |all| all.quantile(0.9)))
        .column(phrase("Max"), Unit::Cycles, |(.., of)| length(of, |all| all.max() as f64))
        .column(phrase("Never read"), Unit::None, |(.., of)| of.level.counts.orphans)
        .column(phrase("Overwritten unread"), Unit::None, |(.., of)| of.replaced)
        .column(phrase("Reads"), Unit::None, |(.., of)| of.level.counts.reads)
        .column(phrase("Writes"), Unit::None, |(.., of)| of.level.counts.writes)
        .column(phrase("Words"), Unit::None, |(.., of)| of.level.counts.sectors)
        .column(phrase("Padding left out"), Unit::None, |(.., of)| of.padding)
        .figure();
    let notes = &mut figure.notes;
    notes.push(message("A word lives from a write to the last read before the next write."));
    if run.layers.values().flatten().flatten().any(|buffer| 0 < buffer.padding) {
        notes
            .push(message("Rows of memory traces are padded with 1s. Padding is ignored unless it is kept."));
    }
    figure
}

// Accesses over time: of all buffers of a layer, and of the words of one.

/// What of the accesses is shown, in the order of the choice.
const SHOWN: [&str; 3] = [phrase("All accesses"), phrase("Writes"), phrase("Reads")];

/// The range of several axes in bins of the coarsest of them, or in coarser ones where they lie apart: level, first and last
/// bin.
fn common<'a>(all: impl Iterator<Item = &'a Bins> + Clone) -> Option<(u32, i64, i64)> {
    let mut level = all.clone().map(|bins| bins.level).max()?;
    let most = all.clone().map(|bins| bins.n).max()?;
    let used = all.filter_map(|bins| {
        let (first, last) = bins.used()?;
        Some((first >> (level - bins.level), last >> (level - bins.level)))
    });
    let (mut first, mut last) = used.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
    while most as i64 <= last.saturating_sub(first) {
        (level, first, last) = (level + 1, first >> 1, last >> 1);
    }
    Some((level, first, last))
}

fn axis(name: &str, unit: Unit, (level, first, last): (u32, i64, i64)) -> Axis {
    let edge = |bin: i64| bin as f64 * 2_f64.powi(i32::try_from(level).unwrap_or(0));
    let label = AxisLabel { name: name.to_owned(), unit, ..AxisLabel::default() };
    Axis { label, from: edge(first), to: edge(last.saturating_add(1)), names: Vec::new() }
}

/// How many bins there are.
fn n((_, first, last): (u32, i64, i64)) -> usize {
    usize::try_from(last.saturating_sub(first).saturating_add(1)).unwrap_or(0)
}

/// Adds the cells of a grid to those of a map.
fn add(to: &mut [f32], grid: &Grid, columns: (u32, i64, i64), row: impl Fn(i64) -> Option<usize>) {
    for (column, y, count) in grid.cells() {
        let column = usize::try_from((column >> (columns.0 - grid.x.level)).saturating_sub(columns.1));
        let cell = column.ok().zip(row(y)).and_then(|(column, row)| to.get_mut(row * n(columns) + column));
        if let Some(cell) = cell {
            *cell += count as f32;
        }
    }
}

fn map(x: Axis, y: Axis, width: usize, values: Vec<f32>) -> HeatMap {
    HeatMap {
        x,
        y,
        unit: Unit::Count(phrase("accesses").to_owned()),
        width: u32::try_from(width).unwrap_or(0),
        height: u32::try_from(values.len().checked_div(width).unwrap_or(0)).unwrap_or(0),
        values,
        ramp: Ramp::Seq,
        shading: Shading::Log,
        ..HeatMap::default()
    }
}

/// Buffers over time.
fn map_buffers(run: &ArrayRun, chosen: &[usize]) -> Figure {
    let buffers = layer_of(run, chosen).map(|(_, buffers)| buffers);
    let grids = |way: usize| {
        let all = buffers.into_iter().flatten().flatten();
        all.filter_map(move |buffer: &Buffer| buffer.maps.get(way))
    };
    let used = [0, 1].into_iter().flat_map(grids).filter(|grid| !grid.is_empty());
    let Some(columns) = common(used.map(|grid| &grid.x).collect::<Vec<_>>().into_iter()) else {
        return Figure::new("", Body::HeatMap(HeatMap::default()));
    };
    let mut values = vec![0.0; n(columns) * 2 * BUFFERS.len()];
    let mut names = Vec::new();
    for (at, name) in BUFFERS.iter().enumerate() {
        names.extend([format!("{name} ← write"), format!("{name} → read")]);
        let own = buffers.and_then(|buffers| buffers.get(at)?.as_ref());
        for (way, grid) in own.iter().flat_map(|own| own.maps.iter().enumerate()) {
            if !grid.is_empty() {
                add(&mut values, grid, columns, |_| Some(2 * at + way));
            }
        }
    }
    let y = Axis { from: 0.0, to: names.len() as f64, names, ..Axis::default() };
    let x = axis(phrase("Cycle"), Unit::Cycles, columns);
    let map = HeatMap { has_margins: true, ..map(x, y, n(columns), values) };
    let mut figure = Figure::new("", Body::HeatMap(map));
    figure
        .notes
        .push(message("A column is {n} cycles wide.").with("n", thousands(1_u64 << columns.0.min(63))));
    figure
}

/// Words of a buffer over time.
fn map_words(run: &ArrayRun, chosen: &[usize]) -> Figure {
    let buffer = buffer_of(run, chosen);
    let ways = match chosen.get(2) {
        Some(1) => 0..1,
        Some(2) => 1..2,
        _ => 0..2,
    };
    let grids = buffer.and_then(|buffer| buffer.maps.get(ways)).unwrap_or(&[]);
    let used: Vec<&Grid> = grids.iter().filter(|grid| !grid.is_empty()).collect();
    let axes = common(used.iter().map(|grid| &grid.x)).zip(common(used.iter().map(|grid| &grid.y)));
    let Some((columns, rows)) = axes else { return Figure::new("", Body::HeatMap(HeatMap::default())) };
    let mut values = vec![0.0; n(columns) * n(rows)];
    for grid in used {
        let row = |y: i64| usize::try_from((y >> (rows.0 - grid.y.level)).saturating_sub(rows.1)).ok();
        add(&mut values, grid, columns, row);
    }
    let (x, y) = (axis(phrase("Cycle"), Unit::Cycles, columns), axis(phrase("Word"), Unit::None, rows));
    let map = HeatMap { is_upward: true, ..map(x, y, n(columns), values) };
    let mut figure = Figure::new("", Body::HeatMap(map));
    let [cycles, words] = [columns.0, rows.0].map(|level| thousands(1_u64 << level.min(63)));
    let note = message("A cell is {n} cycles wide and {m} words high.");
    figure.notes.push(note.with("n", cycles).with("m", words));
    figure
}
