//! The numbers of a figure or table as rows of CSV: all digits, nothing where a value is missing.

use crate::analysis::rows::{FigureRows, Kind, RowSource, SET_IN, Value};
use crate::base::names::sheet_cell;
use crate::base::unit::Unit;
use crate::model::figure::{Axis, Body, Cell, Figure, Gantt, HeatMap, Matrix, Number, Target};
use std::io::{Result, Write};

/// Writes rows that may differ in length.
pub fn write_rows(out: &mut dyn Write, rows: &mut dyn Iterator<Item = Vec<String>>) -> Result<()> {
    let mut csv = csv::WriterBuilder::new().flexible(true).from_writer(out);
    for row in rows {
        csv.write_record(row.iter().map(|text| sheet_cell(text).into_owned()))?;
    }
    csv.flush()
}

/// Rows of any table: a head with units where it is wanted, then all digits of numbers; times in ticks.
///
/// # Errors
/// When writing fails.
pub fn source_csv(
    source: &dyn RowSource,
    rows: impl Iterator<Item = u32>,
    has_head: bool,
    out: &mut dyn Write,
) -> Result<()> {
    let columns = source.columns();
    let head = columns.iter().map(|column| match column.kind {
        Kind::Instant(clock, _) | Kind::Duration(clock) => {
            format!("{} ({})", column.head.name, clock.symbol())
        }
        _ => with_unit(&column.head.name, &column.head.unit),
    });
    let cell = |row, at: usize| match source.cell(row, at) {
        Value::Missing => String::new(),
        Value::Number(v) => number(Some(v)),
        Value::Whole(v) => v.to_string(),
        Value::Address(v) if columns[at].kind == Kind::Address => format!("0x{v:x}"),
        Value::Address(v) => v.to_string(),
        // Another file by its name: the text that leads there is nobody's.
        Value::Text(text) if columns[at].head.is_place && is_document(&text) => {
            Target::shown(&text).into_owned()
        }
        Value::Text(text) => text.trim_start_matches(SET_IN).to_owned(),
    };
    let lines = rows.map(|row| (0..columns.len()).map(|at| cell(row, at)).collect());
    write_rows(out, &mut has_head.then(|| head.collect()).into_iter().chain(lines))
}

fn is_document(text: &str) -> bool {
    matches!(Target::of_place(text), Some(Target::Document { .. }))
}

/// A head with its unit in parentheses.
fn with_unit(name: &str, unit: &Unit) -> String {
    match unit.symbol() {
        "" => name.to_owned(),
        // Shares are written as they are, 0 to 1.
        _ if *unit == Unit::Share => name.to_owned(),
        symbol if name.contains(symbol) => name.to_owned(),
        symbol => format!("{name} ({symbol})").trim_start().to_owned(),
    }
}

/// All digits of a number; nothing when it is missing.
pub(super) fn number(value: Number) -> String {
    Cell::number(value).plain()
}

fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

/// The numbers of a figure as CSV: a head, then one line for each fact, row, bar, cell, arrow or point.
///
/// # Errors
/// When writing fails.
pub fn figure_csv(figure: &Figure, out: &mut dyn Write) -> Result<()> {
    match &figure.body {
        Body::HeatMap(map) => heat_map(map, out),
        Body::Gantt(gantt) => write_rows(out, &mut self::gantt(gantt)),
        Body::Table(table) => source_csv(&FigureRows::new(table), 0..table.rows.len() as u32, true, out),
        body => write_rows(out, &mut small(body).into_iter()),
    }
}

#[allow(clippy::too_many_lines)] // one arm a kind
fn small(body: &Body) -> Vec<Vec<String>> {
    match body {
        Body::Facts(facts) => {
            let rows =
                facts.facts.iter().map(|f| vec![f.name.clone(), f.value.plain(), f.unit.symbol().to_owned()]);
            std::iter::once(row(["name", "value", "unit"])).chain(rows).collect()
        }
        Body::Bars(bars) => {
            let parts = if bars.parts.is_empty() { vec!["value".to_owned()] } else { bars.parts.clone() };
            let parts = parts.iter().map(|p| with_unit(p, &bars.unit));
            let head = std::iter::once("name".to_owned()).chain(parts).chain(["detail".to_owned()]).collect();
            let line = |b: &crate::model::figure::Bar| {
                let values = b.values.iter().map(|v| number(*v));
                std::iter::once(b.name.clone()).chain(values).chain([b.detail.clone()]).collect()
            };
            std::iter::once(head).chain(bars.bars.iter().map(line)).collect()
        }
        Body::Cores(grid) => {
            let head = vec![
                "core".to_owned(),
                "kind".to_owned(),
                with_unit("value", &grid.unit),
                "level".to_owned(),
                "baseline".to_owned(),
                "comparison".to_owned(),
            ];
            let line = |core: &str, c: &crate::model::figure::CoreCell| {
                let pair = c.pair.unwrap_or_default();
                let level = c.level.map(|l| l.to_string()).unwrap_or_default();
                vec![core.to_owned(), c.name.clone(), number(c.value), level, number(pair.0), number(pair.1)]
            };
            let rows = grid.cores.iter().flat_map(|core| core.cells.iter().map(move |c| line(&core.name, c)));
            std::iter::once(head).chain(rows).collect()
        }
        Body::Matrix(matrix) => self::matrix(matrix),
        Body::Graph(graph) => {
            let head = vec![
                "key".to_owned(),
                "name".to_owned(),
                with_unit("value", &graph.unit),
                "suffix".to_owned(),
                "share of peak".to_owned(),
                "baseline".to_owned(),
            ];
            let rows = graph.arrows.iter().map(|a| {
                vec![
                    a.key.clone(),
                    a.name.clone(),
                    number(a.value),
                    a.suffix.clone(),
                    number(a.peak_share),
                    number(a.second),
                ]
            });
            std::iter::once(head).chain(rows).collect()
        }
        _ => chart(body),
    }
}

#[allow(clippy::too_many_lines)] // one arm a kind
fn chart(body: &Body) -> Vec<Vec<String>> {
    match body {
        Body::Roofline(roofline) => {
            let head = row([
                "bandwidth name",
                "bandwidth (TB/s)",
                "ceiling name",
                "ceiling (TOps/s)",
                "intensity (Ops/Byte)",
                "performance (TOps/s)",
                "share",
            ]);
            let rows = roofline.roofs.iter().map(|r| {
                let point = r.point.as_ref();
                let share = point.and_then(|p| p.share);
                let (x, y) = (number(point.map(|p| p.x)), number(point.map(|p| p.y)));
                vec![
                    r.bandwidth_name.clone(),
                    r.bandwidth.to_string(),
                    r.ceiling_name.clone(),
                    r.ceiling.to_string(),
                    x,
                    y,
                    number(share),
                ]
            });
            std::iter::once(head).chain(rows).collect()
        }
        Body::Histogram(histogram) => {
            let ends = ["from", "to"].map(|e| with_unit(e, &histogram.x.unit));
            let head = ends.into_iter().chain(histogram.series.iter().map(|s| s.name.clone())).collect();
            let rows = histogram.edges.windows(2).enumerate().map(|(i, e)| {
                let counts = histogram.series.iter().map(|s| number(s.counts.get(i).copied()));
                e.iter().map(f64::to_string).chain(counts).collect()
            });
            std::iter::once(head).chain(rows).collect()
        }
        Body::Scatter(scatter) => {
            let head = vec![
                "series".to_owned(),
                "name".to_owned(),
                with_unit(&scatter.x.name, &scatter.x.unit),
                with_unit(&scatter.y.name, &scatter.y.unit),
            ];
            let rows = scatter.series.iter().flat_map(|s| {
                s.points
                    .iter()
                    .map(|p| vec![s.name.clone(), p.name.clone(), p.x.to_string(), p.y.to_string()])
            });
            std::iter::once(head).chain(rows).collect()
        }
        Body::Lines(chart) => {
            let head = vec![
                "line".to_owned(),
                with_unit(&chart.x.name, &chart.x.unit),
                with_unit(&chart.y.name, &chart.y.unit),
            ];
            let rows = chart.lines.iter().flat_map(|l| {
                l.x.iter().zip(&l.y).map(|(x, y)| vec![l.name.clone(), x.to_string(), number(*y)])
            });
            std::iter::once(head).chain(rows).collect()
        }
        _ => Vec::new(),
    }
}

fn matrix(matrix: &Matrix) -> Vec<Vec<String>> {
    let has_second = !matrix.second_name.is_empty();
    let n = matrix.columns.len();
    let mut head = vec![matrix.row_name.clone()];
    head.extend(matrix.columns.iter().enumerate().map(|(c, name)| with_unit(name, matrix.unit_of(c))));
    if !matrix.row_totals.is_empty() {
        head.push("Total".to_owned());
    }
    if has_second {
        head.extend(matrix.columns.iter().map(|c| format!("{c}, {}", matrix.second_name)));
    }
    let mut rows = vec![head];
    for (r, name) in matrix.rows.iter().enumerate() {
        let cells = matrix.cells.get(r * n..(r + 1) * n).unwrap_or(&[]);
        let mut line = vec![name.clone()];
        line.extend(cells.iter().map(|c| number(c.value)));
        line.extend(matrix.row_totals.get(r).map(|t| number(*t)));
        if has_second {
            line.extend(cells.iter().map(|c| number(c.second)));
        }
        rows.push(line);
    }
    if !matrix.column_totals.is_empty() {
        rows.push(
            std::iter::once("Total".to_owned())
                .chain(matrix.column_totals.iter().map(|t| number(*t)))
                .collect(),
        );
    }
    rows
}

/// The name of a cell along an axis, or the value at its first edge.
fn cell_name(axis: &Axis, n: u32, i: usize) -> String {
    if let Some(name) = axis.names.get(i) {
        return name.clone();
    }
    let axis_of = crate::draw::axis::Axis::new(axis.label.scale, axis.from, axis.to);
    let value = axis_of.value(i as f64 / f64::from(n.max(1)));
    if axis.label.unit == Unit::Address { crate::base::number::hex(value) } else { value.to_string() }
}

/// Rows and columns as in the picture, row 0 first; heads are the first edges of the cells.
fn heat_map(map: &HeatMap, out: &mut dyn Write) -> Result<()> {
    let corner = format!("{} \\ {}", map.y.label.name, map.x.label.name);
    let columns = (0..map.width as usize).map(|x| cell_name(&map.x, map.width, x));
    let head = std::iter::once(corner).chain(columns).collect();
    let rows = map.values.chunks(map.width.max(1) as usize).enumerate().map(|(y, values)| {
        let cells = values.iter().map(|v| if v.is_finite() { v.to_string() } else { String::new() });
        std::iter::once(cell_name(&map.y, map.height, y)).chain(cells).collect()
    });
    write_rows(out, &mut std::iter::once(head).chain(rows))
}

fn gantt(gantt: &Gantt) -> impl Iterator<Item = Vec<String>> {
    let ends = ["start", "end"].map(|e| with_unit(e, &gantt.x.unit));
    let head = row(["group", "lane", "name"])
        .into_iter()
        .chain(ends)
        .chain([with_unit(&gantt.value.name, &gantt.value.unit)]);
    let rows = gantt.bars.iter().map(|bar| {
        let (group, lane) = gantt.lanes.get(bar.lane as usize).map_or(("", ""), |l| (&l.group, &l.name));
        let numbers = [Some(bar.start), Some(bar.end), bar.value].map(number);
        row([group, lane, &bar.name]).into_iter().chain(numbers).collect()
    });
    std::iter::once(head.collect()).chain(rows)
}
