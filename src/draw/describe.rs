//! A figure in words: the text alternative of its picture, one sentence a line.

use super::style::{DrawStyle, full};
use crate::base::number;
use crate::base::unit::Unit;
use crate::base::words::{fill, tr_path};
use crate::model::figure::{Body, Figure, Gantt, HeatMap, Histogram, Matrix};

/// What the picture shows, for people who do not see it: kind, size, and what stands out.
pub fn describe(figure: &Figure, look: &DrawStyle) -> String {
    let mut lines = vec![match figure.scope.as_str() {
        "" => format!("{}.", look.tr(&figure.title)),
        scope => format!("{}, {}.", look.tr(&figure.title), look.tr(scope)),
    }];
    lines.extend(body(figure, look));
    lines.extend(figure.advice.iter().map(|a| a.said().text(look.language).into_owned()));
    lines.join("\n")
}

/// The highest value of each column with its row.
fn highest_of_columns(matrix: &Matrix, look: &DrawStyle) -> Vec<String> {
    let n = matrix.columns.len();
    let line = |(c, name): (usize, &String)| {
        let cells = matrix.cells.iter().skip(c).step_by(n).zip(&matrix.rows);
        let values = cells.filter_map(|(cell, row)| Some((cell.value?, row)));
        let (value, row) = values.max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(format!("{name}: {} {} ({row})", look.tr("Highest"), full(Some(value), matrix.unit_of(c))))
    };
    matrix.columns.iter().enumerate().filter_map(line).collect()
}

#[allow(clippy::too_many_lines)] // one arm a kind
fn body(figure: &Figure, look: &DrawStyle) -> Vec<String> {
    let count = |phrase: &str, n: usize| fill(phrase, &[("n", &number::thousands(n as i64))]);
    match &figure.body {
        Body::Facts(facts) => facts
            .facts
            .iter()
            .map(|f| format!("{}: {}", look.tr(&f.name), f.value.with_unit(&f.unit)))
            .collect(),
        Body::Table(table) => {
            vec![count(look.tr("Table with {n} rows."), table.rows.len() + table.more_rows)]
        }
        Body::Bars(bars) => {
            let said = bars.bars.iter().map(|b| {
                let values: Vec<String> = b.values.iter().map(|v| full(*v, &bars.unit)).collect();
                format!("{}: {}", look.tr(&b.name), values.join(", "))
            });
            said.collect()
        }
        Body::Cores(grid) => {
            let measured = grid.cores.iter().filter(|c| c.is_measured);
            let mut lines = vec![
                count(look.tr("{n} cores."), grid.cores.len()),
                count(look.tr("{n} cores measured."), measured.clone().count()),
            ];
            let cells = measured.flat_map(|c| c.cells.iter().map(move |cell| (c, cell)));
            let values =
                cells.filter_map(|(c, cell)| Some((format!("{} {}", c.name, cell.name), cell.value?)));
            lines.extend(extremes(look, values, &grid.unit));
            lines
        }
        Body::Matrix(matrix) if !matrix.column_units.is_empty() => highest_of_columns(matrix, look),
        Body::Matrix(matrix) => {
            let columns = matrix.columns.len().max(1);
            let values = matrix.cells.iter().enumerate().filter_map(|(i, c)| {
                let (row, column) = (matrix.rows.get(i / columns)?, matrix.columns.get(i % columns)?);
                Some((format!("{row} · {column}"), c.value?))
            });
            extremes(look, values, &matrix.unit)
        }
        Body::HeatMap(map) => heat_map(map, look),
        Body::Graph(graph) => {
            let arrows = graph.arrows.iter().map(|a| format!("{}: {}", a.name, full(a.value, &graph.unit)));
            arrows.collect()
        }
        Body::Roofline(roofline) => {
            let points = roofline.roofs.iter().filter_map(|r| {
                let p = r.point.as_ref()?;
                Some(format!(
                    "{}: {} TOps/s at {} Ops/Byte, {}",
                    r.bandwidth_name,
                    number::exact(p.y),
                    number::exact(p.x),
                    full(p.share, &Unit::Share)
                ))
            });
            points.collect()
        }
        Body::Histogram(histogram) => self::histogram(histogram, look),
        Body::Scatter(scatter) => scatter
            .series
            .iter()
            .map(|s| format!("{}: {}", look.tr(&s.name), count(look.tr("{n} points"), s.points.len())))
            .collect(),
        Body::Lines(chart) => {
            let lines = chart.lines.iter().map(|l| {
                let values =
                    l.y.iter()
                        .filter_map(|v| *v)
                        .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
                format!(
                    "{}: {} – {}",
                    look.tr(&l.name),
                    full(Some(values.0), &chart.y.unit),
                    full(Some(values.1), &chart.y.unit)
                )
            });
            lines.collect()
        }
        Body::Gantt(gantt) => self::gantt(gantt, look),
    }
}

fn extremes(look: &DrawStyle, values: impl Iterator<Item = (String, f64)>, unit: &Unit) -> Vec<String> {
    let all: Vec<(String, f64)> = values.filter(|(_, v)| v.is_finite()).collect();
    let high = all.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let low = all.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    let say = |word: &str, (name, value): &(String, f64)| {
        format!("{}: {name}, {}.", word, full(Some(*value), unit))
    };
    high.map(|h| say(look.tr("Highest"), h))
        .into_iter()
        .chain(low.map(|l| say(look.tr("Lowest"), l)))
        .collect()
}

fn heat_map(map: &HeatMap, look: &DrawStyle) -> Vec<String> {
    let (mut best, mut at, mut missing, mut zero) = (f32::NEG_INFINITY, 0, 0_i64, 0_i64);
    for (i, v) in map.values.iter().enumerate() {
        if v.is_nan() {
            missing += 1;
        } else {
            zero += i64::from(*v == 0.0);
            (best, at) = if best < *v { (*v, i) } else { (best, at) };
        }
    }
    let mut lines = vec![
        fill(
            look.tr("Heatmap with {w} columns and {h} rows."),
            &[("w", &number::thousands(map.width)), ("h", &number::thousands(map.height))],
        ),
        fill(
            look.tr("{n} cells are 0, {m} are missing."),
            &[("n", &number::thousands(zero)), ("m", &number::thousands(missing))],
        ),
    ];
    if best.is_finite() && 0 < map.width {
        let (x, y) = (at % map.width as usize, at / map.width as usize);
        lines.push(format!("{}: {} ({}, {}).", look.tr("Highest"), full(Some(best.into()), &map.unit), x, y));
    }
    lines.extend(map.bands.iter().map(|b| format!("{}: {} – {}. {}", b.name, b.start, b.end, b.detail)));
    lines
}

fn histogram(figure: &Histogram, look: &DrawStyle) -> Vec<String> {
    let mut lines = Vec::new();
    for (s, series) in figure.series.iter().enumerate() {
        let total: f64 = series.counts.iter().sum();
        let total = number::of_kind(&number::exact(total), figure.count_unit.symbol());
        let own = if series.name.is_empty() { "Count" } else { series.name.as_str() };
        let own = tr_path(look.language, own);
        lines.push(format!("{own}: {total}"));
        // Marks that stand still may be of one series only.
        for mark in figure.marks.iter().filter(|_| figure.can_move_marks) {
            let share = super::chart::share_of_mark(figure, s, mark.value);
            let (name, value) = (look.tr(&mark.name), full(Some(mark.value), &figure.x.unit));
            let (share, below) = (number::fixed(share * 100.0, 1), look.tr("below"));
            lines.push(format!("{own}: {share} % {below} {name} ({value})"));
        }
    }
    let still = figure.marks.iter().filter(|_| !figure.can_move_marks);
    lines.extend(still.map(|m| format!("{}: {}", look.tr(&m.name), full(Some(m.value), &figure.x.unit))));
    lines
}

fn gantt(figure: &Gantt, look: &DrawStyle) -> Vec<String> {
    let longest = figure.bars.iter().max_by(|a, b| (a.end - a.start).total_cmp(&(b.end - b.start)));
    let mut lines = vec![fill(
        look.tr("{n} bars on {m} lanes."),
        &[
            ("n", &number::thousands(figure.bars.len() as i64)),
            ("m", &number::thousands(figure.lanes.len() as i64)),
        ],
    )];
    if let Some(bar) = longest {
        let lane = figure.lanes.get(bar.lane as usize).map_or("", |l| l.group.as_str());
        let length = full(Some(bar.end - bar.start), &figure.x.unit);
        lines.push(format!("{}: {} {lane}, {length}.", look.tr("Longest"), bar.name));
    }
    lines
}
