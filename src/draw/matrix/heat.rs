//! A matrix whose columns differ in unit: every column is colored by its own scale, from its least to its largest value.
//! A column whose values hardly differ stays pale: its scale is at least [`SPREAD`] of its largest value wide.
//!
//! Beside a baseline cells say how far they are from it, in percent of it (shares in percentage points), and all but shares
//! are colored by one scale around 0, whose ends the legend says: a share rises where what it is of falls more than it does.
//! Its colors tell less from more, not better from worse.

use super::is_compared;
use crate::analysis::compare::distance;
use crate::base::brief::told;
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::number;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::draw::cores::ramp_legend;
use crate::draw::facts::column_name;
use crate::draw::style::{
    DrawStyle, HEAD, LABEL, LINE, S2, T1, T3, TEXT, compact, compact_to, full, in_parentheses, middle,
    precise, signed, telling,
};
use crate::model::figure::{Matrix, MatrixCell};
use crate::scene::palette::{Ink, RampName};
use crate::scene::{Align, Scene, Shape, text};

/// Least width of the scale of a column, as a share of its largest value: less is no difference to look at.
const SPREAD: f64 = 0.05;
/// The largest end of the scale of changes, in percent: what at least doubled has one color.
const CHANGE: f64 = 100.0;
const ROW: Px = 18.0;
const COLUMN: Px = 58.0;
const LINE_H: Px = 12.0;
const PAD: Px = 8.0;

/// Height of the heads and all rows.
pub(super) fn height(figure: &Matrix) -> Px {
    head_height(figure) + ROW * figure.rows.len() as Px + 2.0
}

/// Narrowest width in which all cells can be read.
pub(super) fn least_width(figure: &Matrix) -> Px {
    let text = |(c, digits): (usize, &usize)| {
        values(figure, c)
            .map(|v| text::width(&written(figure, v, *digits), LABEL) + 8.0)
            .fold(COLUMN, Px::max)
    };
    let column = digits(figure).iter().enumerate().map(text).fold(COLUMN, Px::max);
    first(figure) + column * figure.columns.len() as Px
}

/// The values of a column, as precise as they are written.
fn values(figure: &Matrix, column: usize) -> impl Iterator<Item = f64> {
    let cells = figure.cells.iter().skip(column).step_by(figure.columns.len().max(1));
    cells.filter_map(move |cell| shown(figure, cell, column))
}

/// What a cell says: its value, or how far it is from its baseline.
fn shown(figure: &Matrix, cell: &MatrixCell, column: usize) -> Option<f64> {
    let is_distance = is_compared(figure);
    let unit = if is_ratio(figure, column) { &Unit::Share } else { figure.unit_of(column) };
    let value = if is_distance { distance(cell.second, cell.value, unit) } else { cell.value };
    value.filter(|v| v.is_finite()).map(precise)
}

/// Whether a column holds shares of 1: files write ratios without a unit.
fn is_ratio(figure: &Matrix, column: usize) -> bool {
    let name = figure.columns.get(column).map_or("", String::as_str);
    *figure.unit_of(column) == Unit::None && (name.ends_with("ratio") || name.ends_with("rate"))
}

/// Whether the change of a column is in points, which are neither better nor worse.
fn is_in_points(figure: &Matrix, column: usize) -> bool {
    matches!(figure.unit_of(column), Unit::Percent | Unit::Share) || is_ratio(figure, column)
}

/// How that is written.
fn written(figure: &Matrix, value: f64, digits: usize) -> String {
    match value.abs() {
        _ if !is_compared(figure) => compact_to(value, digits),
        size if size < 999.95 => signed(value, number::fixed(value, 1)),
        _ => signed(value, compact(value)),
    }
}

/// The last line of a head: the unit of what cells say.
fn unit_line(figure: &Matrix, column: usize, look: &DrawStyle) -> String {
    match figure.unit_of(column) {
        unit if !is_compared(figure) => unit.word().to_owned(),
        _ if is_in_points(figure, column) => format!("Δ {}", look.tr(phrase("points"))),
        _ => "Δ %".to_owned(),
    }
}

/// The largest change of all cells that are colored, which is the end of their scale unless that is [`CHANGE`].
fn largest_change(figure: &Matrix) -> f64 {
    let colored = (0..figure.columns.len()).filter(|c| !is_in_points(figure, *c));
    colored.flat_map(|c| values(figure, c)).fold(0.0, |most, v| v.abs().max(most))
}

/// The scale of changes with its ends; `None` where nothing is compared or nothing changed.
pub(super) fn legend(figure: &Matrix) -> Option<Scene> {
    let most = if is_compared(figure) { largest_change(figure) } else { 0.0 };
    if most <= 0.0 {
        return None;
    }
    let end = number::fixed(most.min(CHANGE), if most < 10.0 { 2 } else { usize::from(most < CHANGE) });
    // Nothing falls by more than all of it.
    let high = if CHANGE < most { format!("≥ +{end} %") } else { format!("+{end} %") };
    Some(ramp_legend(&format!("−{end} %"), &high, (0..9).map(|i| Ink::Stop(RampName::Sign, i))))
}

/// How many digits tell the values of each column apart.
fn digits(figure: &Matrix) -> Vec<usize> {
    (0..figure.columns.len()).map(|c| telling(values(figure, c), compact_to)).collect()
}

/// Width of the names of the rows.
fn first(figure: &Matrix) -> Px {
    let names = figure.rows.iter().map(|name| text::width(name, TEXT));
    names.fold(text::width(&figure.row_name, HEAD), Px::max).min(180.0) + 2.0 * PAD
}

/// Lines of a head: names are broken behind their underscores.
fn lines(name: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in name.split_inclusive(['_', ' ']) {
        match lines.last_mut() {
            Some(line) if text::width(line, LABEL) + text::width(part, LABEL) <= COLUMN - 4.0 => {
                line.push_str(part);
            }
            _ => lines.push(part.to_owned()),
        }
    }
    lines
}

fn head_height(figure: &Matrix) -> Px {
    let most = figure.columns.iter().map(|name| lines(name).len()).max().unwrap_or(0);
    LINE_H * (most + 1) as Px + 6.0
}

/// Least and largest value of each column; of changes the ends of their one scale.
fn scales(figure: &Matrix) -> Vec<Option<(f64, f64)>> {
    let scale = |c: usize| {
        values(figure, c).fold(None, |scale: Option<(f64, f64)>, v| {
            Some(scale.map_or((v, v), |(least, most)| (least.min(v), most.max(v))))
        })
    };
    let n = figure.columns.len();
    if is_compared(figure) {
        let end = largest_change(figure).min(CHANGE);
        return (0..n).map(|c| (!is_in_points(figure, c)).then_some((-end, end))).collect();
    }
    (0..n).map(scale).collect()
}

/// The color of a value on the scale of its column; nothing where all values are equal.
fn fill_of(figure: &Matrix, value: f64, (least, most): (f64, f64), look: &DrawStyle) -> Option<Ink> {
    if most <= least || is_compared(figure) && value == 0.0 {
        return None;
    }
    // In eight steps, so that equal colors are equal at sight.
    let step = |share: f64| (share * 8.0).round() / 8.0;
    if is_compared(figure) {
        return Some(look.ramp(RampName::Sign, step((value - least) / (most - least))));
    }
    let width = (most - least).max(SPREAD * least.abs().max(most.abs()));
    Some(look.ramp(RampName::Seq, step((value - least) / width)))
}

/// Draws the matrix.
pub(super) fn draw(figure: &Matrix, size: Size, look: &DrawStyle) -> Scene {
    let mut scene = Scene::new(size);
    let n = figure.columns.len();
    let first = first(figure).min(size.w * 0.5);
    let column = ((size.w - first) / n.max(1) as Px).max(1.0);
    let top = head_height(figure);
    let at = Point { x: PAD, y: top - 6.0 };
    scene.text(at, look.tr(&figure.row_name).to_owned(), HEAD, T3, Align::Left);
    let scales = scales(figure);
    for (c, name) in figure.columns.iter().enumerate() {
        let x = first + column * c as Px;
        let name = look.tr(name);
        let mut words = lines(name);
        words.push(unit_line(figure, c, look));
        let from = top - LINE_H * words.len() as Px;
        for (i, line) in words.iter().enumerate() {
            let at = Point { x: x + column - 2.0, y: from + LINE_H * i as Px + 6.0 };
            let ink = if i + 1 == words.len() { T3 } else { T1 };
            scene.text(at, text::cut_end(line, LABEL, column - 2.0).into_owned(), LABEL, ink, Align::Right);
        }
        let rect = Rect::new(x, 0.0, column, top);
        let scale = scales[c].filter(|_| !is_compared(figure)).map_or(String::new(), |(least, most)| {
            let unit = figure.unit_of(c);
            let line =
                |name: &'static str, value: f64| format!("\n{}\t{}", look.tr(name), full(Some(value), unit));
            line("Lowest", least) + &line("Highest", most)
        });
        scene.shapes.push(Shape::Hit { rect, name: format!("{name}{scale}") });
    }
    scene.fill(Rect::new(0.0, top - 1.0, size.w, 1.0), LINE);
    let digits = digits(figure);
    let mut inks = vec![None; n];
    let names: Vec<&str> = figure.rows.iter().map(|name| look.tr(name)).collect();
    for (r, told) in told(&names).iter().enumerate() {
        let y = top + ROW * r as Px;
        let shown = text::cut_around(&told.text, &told.kept, TEXT, first - 2.0 * PAD).into_owned();
        scene.text(Point { x: PAD, y: middle(y, ROW, TEXT) }, shown, TEXT, T1, Align::Left);
        for (c, scale) in scales.iter().enumerate() {
            let rect = Rect::new(first + column * c as Px, y, column - 1.0, ROW - 1.0);
            draw_cell(&mut scene, figure, look, (r, c), (*scale, digits[c], &mut inks[c]), rect);
        }
    }
    scene
}

fn draw_cell(
    scene: &mut Scene,
    figure: &Matrix,
    look: &DrawStyle,
    (r, c): (usize, usize),
    (scale, digits, ink): (Option<(f64, f64)>, usize, &mut Option<Ink>),
    rect: Rect,
) {
    let Some(cell) = figure.cells.get(r * figure.columns.len() + c) else { return };
    let value = shown(figure, cell, c);
    let fill = value.zip(scale).and_then(|(value, scale)| fill_of(figure, value, scale, look));
    scene.fill(rect, fill.unwrap_or(S2));
    if let Some(fill) = fill {
        *ink = Some(look.palette.ink_on_next(look.palette.rgba(fill), *ink));
    }
    let words = value.map_or_else(|| number::MISSING.to_owned(), |v| written(figure, v, digits));
    let at = Point { x: rect.x + rect.w - 3.0, y: middle(rect.y, rect.h, LABEL) };
    let plain = if scale.is_none() && value.is_some_and(|v| v != 0.0) { T1 } else { T3 };
    scene.text(at, words, LABEL, ink.filter(|_| fill.is_some()).unwrap_or(plain), Align::Right);
    scene.shapes.push(Shape::Hit { rect, name: tooltip(figure, look, (r, c), cell, scale) });
}

fn tooltip(
    figure: &Matrix,
    look: &DrawStyle,
    (r, c): (usize, usize),
    cell: &MatrixCell,
    scale: Option<(f64, f64)>,
) -> String {
    let unit = figure.unit_of(c);
    let [row, column] = [&figure.rows[r], &figure.columns[c]].map(|name| look.tr(name));
    let mut lines = vec![format!("{row} · {column}"), format!("\t{}", full(cell.value, unit))];
    if let Some((least, most)) = scale.filter(|_| !is_compared(figure)) {
        lines.push(format!("{}\t{}", look.tr("Lowest"), full(Some(least), unit)));
        lines.push(format!("{}\t{}", look.tr("Highest"), full(Some(most), unit)));
    }
    if cell.second.is_some() {
        lines.push(format!(
            "{}\t{}",
            column_name(&figure.second_name, look.language),
            full(cell.second, unit)
        ));
    }
    if let (Some(old), Some(new), true) = (cell.second, cell.value, is_compared(figure)) {
        let difference = signed(new - old, full(Some(new - old), unit));
        let change = in_parentheses(old, new, unit);
        lines.push(format!("{}\t{difference}{change}", look.tr("Difference")));
    }
    lines.join("\n")
}
