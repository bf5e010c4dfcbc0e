//! Horizontal bars: name, bar of 10 px on its ground, value. Work in the color of its unit, waiting in gray.
//!
//! Compared bars: the comparison filled, the baseline as a thin outline, its value in parentheses, and the difference.

use super::{ChartArea, Failure, Legend};
use crate::analysis::compare::change;
use crate::base::brief::told;
use crate::base::geometry::{Point, Px, Rect};
use crate::base::number;
use crate::base::unit::Unit;
use crate::base::words::{Language, phrase};
use crate::draw::facts::column_name;
use crate::draw::style::{
    DrawStyle, S2, T1, T2, T3, TEXT, cell, difference_cell, difference_ink, difference_with_unit, full,
    full_bar, series_ink, work_ink,
};
use crate::model::figure::{Bar, BarRole, Bars};
use crate::scene::palette::Ink;
use crate::scene::{Shape, text};
use plotters::prelude::*;
use plotters_backend::text_anchor::HPos;

/// Height of a row.
const ROW: Px = 19.0;
/// Thickness of a bar.
const THICK: Px = 10.0;
/// Blank between the texts of compared bars, and the least width of their bars.
const GAP: Px = 10.0;
const LEAST: Px = 40.0;

/// Height of all rows.
pub fn height(bars: &Bars, width: Px, language: Language) -> Px {
    ROW * bars.bars.len().max(1) as Px + above(&Legend::of_parts(bars, language), width)
}

/// The color of a part or a series: its own, where it has one.
pub(super) fn part_ink(colors: &[u8], part: usize) -> Ink {
    colors.get(part).map_or_else(|| series_ink(part), |&color| Ink::Slice(color))
}

/// Room for the legend above the rows.
fn above(legend: &Legend, width: Px) -> Px {
    let height = legend.height(width);
    if 0.0 < height { height + 4.0 } else { 0.0 }
}

/// Where the three columns lie.
struct Columns {
    top: Px,
    name: Px,
    bar: Rect,
    right: Px,
    /// Widths of the texts of compared bars; 0 for what is left out.
    pair: [Px; 4],
}

pub(super) fn paint<DB: DrawingBackend>(board: &ChartArea<DB>, figure: &Bars) -> Result<Vec<Shape>, Failure> {
    let most = figure.full.filter(|f| 0.0 < *f).or_else(|| full_bar(&figure.unit));
    let most = most.unwrap_or_else(|| largest(figure));
    let legend = Legend::of_parts(figure, board.look.language);
    let mut over = legend.paint(board)?;
    let columns = columns(board, figure, above(&legend, board.size.w));
    let names: Vec<&str> = figure.bars.iter().map(|bar| board.look.tr(&bar.name)).collect();
    for ((i, bar), told) in figure.bars.iter().enumerate().zip(told(&names)) {
        let top = columns.top + ROW * i as Px;
        let room = Rect { y: top + (ROW - THICK) / 2.0, ..columns.bar };
        // The whole where it has room; the tooltip has it too.
        let whole = board.look.tr(&bar.name);
        let name = if text::width(whole, TEXT) <= columns.name {
            whole.to_owned()
        } else {
            text::cut_around(&told.text, &told.kept, TEXT, columns.name).into_owned()
        };
        let line = top + ROW / 2.0;
        board.write(&name, Point { x: 0.0, y: line }, TEXT, T2, HPos::Left)?;
        board.fill(room, S2)?;
        if figure.is_comparison {
            paint_pair(board, figure, bar, room, most, &columns, line)?;
        } else {
            paint_parts(board, figure, bar, room, most)?;
            let value = total(bar).map_or_else(|| number::MISSING.to_owned(), |v| value_text(figure, v));
            let ink = if total(bar).is_some() { T1 } else { T3 };
            board.write(&value, Point { x: columns.right, y: line }, TEXT, ink, HPos::Right)?;
        }
        over.push(Shape::Hit {
            rect: Rect::new(0.0, top, board.size.w, ROW),
            name: tooltip(figure, bar, board.look),
        });
    }
    Ok(over)
}

fn columns<DB: DrawingBackend>(board: &ChartArea<DB>, figure: &Bars, top: Px) -> Columns {
    let widest = figure.bars.iter().map(|b| text::width(board.look.tr(&b.name), TEXT)).fold(0.0, Px::max);
    let name = widest.min(board.size.w * 0.45).ceil();
    let x = name + 8.0;
    let pair = if figure.is_comparison { pair_widths(figure, board.size.w - x - LEAST) } else { [0.0; 4] };
    let value = |b: &Bar| total(b).map_or(12.0, |v| text::width(&value_text(figure, v), TEXT));
    let values = if figure.is_comparison {
        pair.iter().filter(|w| 0.0 < **w).map(|w| w + GAP).sum::<Px>() - GAP
    } else {
        figure.bars.iter().map(value).fold(40.0, Px::max).ceil()
    };
    let bar = Rect::new(x, 0.0, (board.size.w - x - values - 8.0).max(4.0), THICK);
    Columns { top, name, bar, right: board.size.w, pair }
}

fn paint_parts<DB: DrawingBackend>(
    board: &ChartArea<DB>,
    figure: &Bars,
    bar: &Bar,
    room: Rect,
    most: f64,
) -> Result<(), Failure> {
    let mut x = room.x;
    for (p, value) in bar.values.iter().enumerate() {
        let Some(value) = value.filter(|v| 0.0 < *v && !board.is_hidden(p)) else { continue };
        let w = ((value / most) as Px * room.w).min(room.right() - x);
        let ink = match bar.role {
            BarRole::Work if 1 < figure.parts.len() || !figure.colors.is_empty() => {
                part_ink(&figure.colors, p)
            }
            role => bar_ink(board.look, role, &bar.name),
        };
        board.fill(Rect { x, w: w.max(1.0), ..room }, ink)?;
        x += w;
    }
    Ok(())
}

/// The color of a bar of one part.
fn bar_ink(look: &DrawStyle, role: BarRole, name: &str) -> Ink {
    match role {
        BarRole::Wait => look.faded(T3, 0.45),
        BarRole::Colored(number) => Ink::Slice(number),
        BarRole::Work => work_ink(name),
    }
}

fn paint_pair<DB: DrawingBackend>(
    board: &ChartArea<DB>,
    figure: &Bars,
    bar: &Bar,
    room: Rect,
    most: f64,
    columns: &Columns,
    line: Px,
) -> Result<(), Failure> {
    let [baseline, comparison] = [0, 1].map(|i| bar.values.get(i).copied().flatten());
    let width = |v: f64| ((v / most).clamp(0.0, 1.0) as Px * room.w).max(1.0);
    if let Some(value) = comparison {
        board.fill(Rect { w: width(value), ..room }, bar_ink(board.look, bar.role, &bar.name))?;
    }
    if let Some(value) = baseline {
        let edge = [board.at(room.x, room.y), board.at(room.x + width(value), room.bottom())];
        let style = board.line_style(T3, 1.0);
        board.root.draw(&Rectangle::new(edge, style)).map_err(|e| e.to_string())?;
    }
    let mut right = columns.right;
    for ((words, ink), width) in pair_texts(figure, bar).into_iter().zip(&columns.pair).rev() {
        if 0.0 < *width {
            board.write(&words, Point { x: right, y: line }, TEXT, ink, HPos::Right)?;
            right -= width + GAP;
        }
    }
    Ok(())
}

/// Comparison, baseline in parentheses, difference, and which part of the baseline that is.
fn pair_texts(figure: &Bars, bar: &Bar) -> [(String, Ink); 4] {
    let [baseline, comparison] = [0, 1].map(|i| bar.values.get(i).copied().flatten());
    // Times in nanoseconds say the unit that fits.
    let is_time = figure.unit == Unit::Nanos;
    let own = |v: f64| if is_time { number::with_unit(v, &figure.unit) } else { cell(v, &figure.unit) };
    let say = |v: Option<f64>| v.map_or_else(|| number::MISSING.to_owned(), own);
    let (difference, part, ink) = match (baseline, comparison) {
        (Some(a), Some(b)) => {
            let ink = difference_ink(b - a, &figure.unit);
            let difference = if is_time {
                difference_with_unit(b - a, &figure.unit)
            } else {
                difference_cell(b - a, &figure.unit, None)
            };
            (difference, change(a, b, &figure.unit), ink)
        }
        _ => (number::MISSING.to_owned(), String::new(), T3),
    };
    [(say(comparison), T1), (format!("({})", say(baseline)), T3), (difference, ink), (part, ink)]
}

/// Widths of the texts of compared bars; what does not fit beside the names and a bar is left to the tooltip: first the
/// part of the baseline, then the baseline itself, then the difference.
fn pair_widths(figure: &Bars, room: Px) -> [Px; 4] {
    let mut widths = [0.0; 4];
    for bar in &figure.bars {
        for (width, (words, _)) in widths.iter_mut().zip(pair_texts(figure, bar)) {
            *width = text::width(&words, TEXT).ceil().max(*width);
        }
    }
    for at in [3, 1, 2] {
        if room < widths.iter().filter(|w| 0.0 < **w).map(|w| w + GAP).sum::<Px>() {
            widths[at] = 0.0;
        }
    }
    widths
}

fn largest(figure: &Bars) -> f64 {
    let one = |bar: &Bar| {
        let values = bar.values.iter().filter_map(|v| *v);
        if figure.is_comparison { values.fold(0.0, f64::max) } else { values.sum() }
    };
    figure.bars.iter().map(one).fold(0.0, f64::max).max(f64::MIN_POSITIVE)
}

fn total(bar: &Bar) -> Option<f64> {
    bar.values.iter().any(Option::is_some).then(|| bar.values.iter().filter_map(|v| *v).sum())
}

fn value_text(figure: &Bars, value: f64) -> String {
    let is_small = matches!(figure.unit, Unit::Micros | Unit::Millis) && number::is_part(value);
    if is_small || figure.unit == Unit::Nanos {
        return number::with_unit(value, &figure.unit);
    }
    let symbol = figure.unit.word();
    format!("{} {symbol}", cell(value, &figure.unit)).trim_end().to_owned()
}

fn tooltip(figure: &Bars, bar: &Bar, look: &DrawStyle) -> String {
    let part = |(i, value): (usize, &Option<f64>)| {
        let name = figure.parts.get(i).map_or("", String::as_str);
        format!("{}\t{}", column_name(name, look.language), full(*value, &figure.unit))
    };
    let mut lines = vec![look.tr(&bar.name).to_owned()];
    lines.extend(bar.values.iter().enumerate().map(part));
    if figure.is_comparison {
        let [_, _, (difference, _), (part, _)] = pair_texts(figure, bar);
        lines.push(format!("{}\t{difference} {part}", look.tr(phrase("Difference"))).trim_end().to_owned());
    }
    if !bar.detail.is_empty() {
        lines.push(bar.detail.clone());
    }
    lines.join("\n")
}
