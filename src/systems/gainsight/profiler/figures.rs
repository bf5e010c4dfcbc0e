//! Units over time: what each stretch of cycles added to a counter.

use super::{Group, Groups};
use crate::analysis::contract::{AnalysisInput, ComputedFigure, FigureHead};
use crate::base::number::fixed;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::Trace;
use crate::model::figure::{Axis, AxisLabel, Body, Cell, Choice, Figure, HeatMap, TableColumn, TableFigure};

/// The panel of the figures.
const SECTION: &str = phrase("Counters over cycles");
/// Columns of a map.
const COLUMNS: usize = 512;

fn group_of<'a>(input: &AnalysisInput<'a>, id: &str) -> Option<(&'a str, &'a Group)> {
    let number: usize = id.rsplit('-').next()?.parse().ok()?;
    let group = input.trace.extensions.get::<Groups>()?.0.iter().nth(number);
    group.map(|(name, group)| (name.as_str(), group))
}

/// Names of the counters of a group.
fn counters<'a>(trace: &'a Trace, group: &Group) -> Vec<&'a str> {
    let mut names = Vec::new();
    let tracks = group.tracks.values().filter_map(|id| trace.tracks.find(*id));
    for series in tracks.flat_map(|track| &track.series) {
        let name = trace.strings.get(series.name);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Two figures for each group: a map, and the sums.
pub(super) fn figures(input: &AnalysisInput) -> Vec<ComputedFigure> {
    let Some(groups) = input.trace.extensions.get::<Groups>() else { return Vec::new() };
    let mut all = Vec::new();
    for (number, (name, group)) in groups.0.iter().enumerate() {
        let options: Vec<String> = counters(input.trace, group).into_iter().map(str::to_owned).collect();
        if options.is_empty() {
            continue;
        }
        let head = |id: &str, kind, columns, choices| FigureHead {
            id: format!("{id}-{number}"),
            section: SECTION,
            title: name.clone(),
            kind,
            columns,
            choices,
        };
        let choice = Choice { name: "Show as".to_owned(), options };
        all.push(ComputedFigure { head: head("counter-map", "heat-map", 3, vec![choice]), compute: map });
        all.push(ComputedFigure { head: head("counter-sums", "table", 2, Vec::new()), compute: sums });
    }
    all
}

fn map(input: &AnalysisInput, id: &str, chosen: &[usize]) -> Figure {
    let trace = input.trace;
    let Some((_, group)) = group_of(input, id) else {
        return Figure::new("", Body::HeatMap(HeatMap::default()));
    };
    let names = counters(trace, group);
    let counter = names.get(chosen.first().copied().unwrap_or(0)).copied().unwrap_or("");
    let series = |id| {
        let track = trace.tracks.find(id);
        track.and_then(|track| track.series.iter().find(|one| trace.strings.get(one.name) == counter))
    };
    let all: Vec<_> = group.tracks.iter().map(|(number, id)| (*number, series(*id))).collect();
    let times =
        || all.iter().filter_map(|(_, series)| *series).flat_map(|series| series.time.iter().copied());
    let (Some(from), Some(to)) = (times().min(), times().max()) else {
        return Figure::new("", Body::HeatMap(HeatMap::default()));
    };
    let width = usize::try_from(to.saturating_sub(from)).unwrap_or(COLUMNS).clamp(1, COLUMNS);
    let stretch = (to.saturating_sub(from) as f64 / width as f64).max(1.0);
    let mut values = vec![0.0_f32; width * all.len()];
    for (row, (_, series)) in all.iter().enumerate() {
        let Some(series) = series else { continue };
        for (time, value) in series.time.iter().zip(series.value.iter()).filter(|(_, value)| !value.is_nan())
        {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // below the width
            let column = ((time.saturating_sub(from) as f64 / stretch) as usize).min(width - 1);
            if let Some(cell) = values.get_mut(row * width + column) {
                *cell += HeatMap::cell(Some(*value));
            }
        }
    }
    let label = |name: &str, unit| AxisLabel { name: name.to_owned(), unit, ..AxisLabel::default() };
    let map = HeatMap {
        x: Axis {
            label: label(phrase("Cycle"), Unit::Cycles),
            from: from as f64,
            to: to as f64,
            names: Vec::new(),
        },
        y: Axis {
            label: label(&group.unit, Unit::None),
            from: 0.0,
            to: all.len() as f64,
            names: all.iter().map(|(number, _)| format!("{}{number}", group.unit)).collect(),
        },
        width: u32::try_from(width).unwrap_or(0),
        height: u32::try_from(all.len()).unwrap_or(0),
        values,
        has_margins: true,
        ..HeatMap::default()
    };
    let mut figure = Figure { scope: counter.to_owned(), ..Figure::new("", Body::HeatMap(map)) };
    figure.notes.push(
        message("A column is {n} cycles wide.")
            .with("n", fixed(stretch, usize::from(stretch.fract() != 0.0))),
    );
    figure
}

fn sums(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let trace = input.trace;
    let Some((_, group)) = group_of(input, id) else {
        return Figure::new("", Body::Table(TableFigure::default()));
    };
    let names = counters(trace, group);
    let column = |name: &str| TableColumn { name: name.to_owned(), ..TableColumn::default() };
    let columns =
        std::iter::once(column(phrase("Unit"))).chain(names.iter().map(|name| column(name))).collect();
    let row = |(number, id): (&u64, &crate::model::id::TrackId)| {
        let own = trace.tracks.find(*id).map_or(&[][..], |track| &track.series);
        let sum = |name: &&str| {
            let series = own.iter().find(|one| trace.strings.get(one.name) == *name);
            Cell::number(series.map(|one| one.value.iter().filter(|value| !value.is_nan()).sum::<f64>()))
        };
        let cells = names.iter().map(sum);
        std::iter::once(Cell::Text(format!("{}{number}", group.unit))).chain(cells).collect()
    };
    let rows = group.tracks.iter().map(row).collect();
    Figure::new("", Body::Table(TableFigure { columns, rows, key_columns: 1, ..TableFigure::default() }))
}
