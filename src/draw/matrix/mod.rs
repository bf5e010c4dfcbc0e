//! Matrix: rows × columns of numbers with totals; a bar under each number shows its share of its column, or of 100 % where
//! the number is a share. Columns of different units are a heat table.

mod heat;

use super::facts::column_name;
use super::style::{
    DrawStyle, HEAD, LABEL, LINE, T1, T3, TEXT, bar_scale, cell_of, digits, full, full_bar, hairline,
    in_parentheses, middle, signed, way,
};
use crate::analysis::compare::{change, percent};
use crate::base::brief::{Told, told};
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::number;
use crate::model::figure::{Matrix, MatrixCell, Number};
use crate::scene::palette::{Ink, RampName};
use crate::scene::{Align, Font, Scene, Shape, text};

const ROW: Px = 20.0;
/// Height of a head of one line, and of each further line.
const HEAD_H: Px = 24.0;
const HEAD_LINE: Px = 13.0;
/// Width from which a head is broken into lines where there is little room.
const HEAD_W: Px = 60.0;
const PAD: Px = 8.0;
/// Between columns at least.
const GAP: Px = 8.0;
/// Widest column whose cells are colored, unless its head needs more.
const SHADED: Px = 120.0;

/// Rows of a colored matrix beyond which it stands in parts side by side, where there is room for them.
const TALL: usize = 16;
/// Most parts that a matrix asks room for.
const PARTS: usize = 3;

/// Height of all rows in this width.
pub fn height(figure: &Matrix, width: Px) -> Px {
    if !figure.column_units.is_empty() {
        return heat::height(figure);
    }
    let grid = Grid::new(figure, width);
    let rows = grid.rows + usize::from(!figure.column_totals.is_empty());
    grid.head + ROW * rows as Px + 2.0
}

/// What the colors of a heat table beside a baseline mean; other matrices say it themselves.
pub fn legend(figure: &Matrix) -> Option<Scene> {
    if figure.column_units.is_empty() { None } else { heat::legend(figure) }
}

/// The width in which it looks best.
pub fn best_width(figure: &Matrix) -> Px {
    let parts = if can_part(figure) { figure.rows.len().div_ceil(TALL).clamp(1, PARTS) } else { 1 };
    let least = if figure.column_units.is_empty() {
        Grid::of(figure, 0.0, true).width(figure)
    } else {
        least_width(figure)
    };
    least * if parts == 1 { 1.15 } else { parts as Px }
}

/// Whether it can stand in parts: its colors are compared, and nothing is below or beside all of them.
fn can_part(figure: &Matrix) -> bool {
    figure.is_shaded && figure.column_totals.is_empty() && figure.row_totals.is_empty()
}

/// Narrowest width in which all numbers are whole.
pub fn least_width(figure: &Matrix) -> Px {
    if !figure.column_units.is_empty() {
        return heat::least_width(figure);
    }
    Grid::of(figure, 0.0, false).width(figure)
}

/// Lines of a head in this width: a long name is broken behind its blanks and underscores.
fn head_lines(name: &str, room: Px) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in name.split_inclusive([' ', '_']) {
        match lines.last_mut() {
            Some(line) if text::width(line, HEAD) + text::width(part.trim_end(), HEAD) <= room => {
                line.push_str(part);
            }
            _ => lines.push(part.to_owned()),
        }
    }
    for line in &mut lines {
        line.truncate(line.trim_end().len());
    }
    lines
}

fn head_height(figure: &Matrix, room: Px) -> Px {
    let most = figure.columns.iter().map(|name| head_lines(name, room).len()).max().unwrap_or(1);
    HEAD_H + HEAD_LINE * most.saturating_sub(1) as Px
}

fn columns(figure: &Matrix) -> usize {
    figure.columns.len() + usize::from(!figure.row_totals.is_empty())
}

/// Where the columns lie and how their numbers are written.
#[derive(Clone, Copy)]
struct Grid {
    /// Parts side by side: how many, rows of each, and from the left edge of one to that of the next.
    parts: usize,
    rows: usize,
    pitch: Px,
    first: Px,
    column: Px,
    /// Height of the heads, and the width of a line in them.
    head: Px,
    line: Px,
    /// Room for the second values.
    second: Px,
    digits: Option<usize>,
    /// Whether a change is told as a factor too.
    has_factor: bool,
    /// The width of a column in which nothing lies over anything else.
    least: Px,
}

impl Grid {
    /// The columns in this width, with factors where these have room.
    fn new(figure: &Matrix, width: Px) -> Self {
        let whole = Self::of(figure, width, true);
        if whole.least <= whole.column { whole } else { Self::of(figure, width, false) }
    }

    /// The same with or without factors; a width of 0 takes the least.
    fn of(figure: &Matrix, width: Px, has_factor: bool) -> Self {
        let values = figure.cells.iter().flat_map(|c| [c.value, c.second]).flatten();
        let digits = digits(values, &figure.unit);
        let names = figure.rows.iter().map(|r| text::width(r, TEXT));
        let first = names.fold(text::width(&figure.row_name, HEAD), Px::max).min(180.0) + 2.0 * PAD;
        let n_rows = figure.rows.len();
        let (head, line) = (head_height(figure, HEAD_W), HEAD_W);
        let (parts, rows, column, second, pitch) = (1, n_rows, 0.0, 0.0, width);
        let least = 0.0;
        let mut grid =
            Self { parts, rows, pitch, first, column, head, line, second, digits, has_factor, least };
        let [of_rows, of_columns] = &figure.seconds_of_totals;
        let pairs = figure.cells.iter().map(|c| (c.value, c.second));
        let pairs = pairs.chain(figure.row_totals.iter().copied().zip(of_rows.iter().copied()));
        let pairs = pairs.chain(figure.column_totals.iter().copied().zip(of_columns.iter().copied()));
        let second = pairs.filter_map(|(value, second)| grid.second_text(value, second, figure));
        let second = second.map(|text| text::width(&text, LABEL) + 6.0);
        grid.second = second.fold(0.0, Px::max);
        let totals = figure.column_totals.iter().chain(&figure.row_totals).copied();
        let numbers = figure.cells.iter().map(|c| c.value).chain(totals);
        let arrow = if is_compared(figure) { text::width("↑ ", TEXT) } else { 0.0 };
        let number =
            arrow + numbers.map(|v| text::width(&grid.number_text(v, figure), TEXT)).fold(34.0, Px::max);
        let heads =
            figure.columns.iter().flat_map(|c| head_lines(c, HEAD_W)).map(|line| text::width(&line, HEAD));
        let heads = heads.fold(0.0, Px::max).min(180.0);
        let least = (number + grid.second).max(heads) + GAP;
        grid.least = least;
        if width <= 0.0 {
            return Self { column: least, ..grid };
        }
        if can_part(figure) {
            let fitting = (width / (first + least * columns(figure) as Px)) as usize;
            grid.rows = n_rows.div_ceil(n_rows.div_ceil(TALL).min(fitting).max(1)).max(1);
            grid.parts = n_rows.div_ceil(grid.rows).max(1);
            grid.pitch = width / grid.parts as Px;
        }
        grid.first = first.min(grid.pitch * 0.5);
        grid.column = (grid.pitch - grid.first) / columns(figure).max(1) as Px;
        if figure.is_shaded {
            // Colors are compared more easily when they are near each other.
            grid.column = grid.column.min(least.max(SHADED));
        }
        grid.line = HEAD_W.max(grid.column - GAP);
        grid.head = head_height(figure, grid.line);
        grid
    }

    /// The width of all columns.
    fn width(self, figure: &Matrix) -> Px {
        self.first + self.column * columns(figure) as Px
    }

    fn right(self, column: usize) -> Px {
        self.first + (column + 1) as Px * self.column - PAD
    }

    /// The left edge of the part of a row, and the row's place in it.
    fn part(self, row: usize) -> (Px, usize) {
        let rows = self.rows.max(1);
        ((row / rows) as Px * self.pitch, row % rows)
    }

    fn number_text(self, value: Number, figure: &Matrix) -> String {
        let text = value.filter(|v| v.is_finite()).map(|v| cell_of(v, &figure.unit, self.digits));
        text.unwrap_or_else(|| missing(figure).to_owned())
    }

    /// The second value in parentheses; beside a baseline also by how much the first differs from it.
    fn second_text(self, value: Number, second: Number, figure: &Matrix) -> Option<String> {
        let text = cell_of(second?, &figure.unit, self.digits);
        let part = second.zip(value).filter(|_| is_compared(figure));
        let said = if self.has_factor { change } else { percent };
        let part = part.map_or(String::new(), |(old, new)| said(old, new, &figure.unit));
        Some(if part.is_empty() { format!("({text})") } else { format!("({text}, {part})") })
    }
}

/// What stands where a number is missing.
fn missing(figure: &Matrix) -> &str {
    if figure.missing.is_empty() { number::MISSING } else { &figure.missing }
}

/// The number of the cell at a point of the drawing; `None` beside the cells.
pub fn cell_at(figure: &Matrix, size: Size, at: Point) -> Option<usize> {
    if !figure.column_units.is_empty() {
        return None;
    }
    let grid = Grid::new(figure, size.w.max(1.0));
    let within = |from: Px, step: Px, at: Px| (from <= at).then(|| ((at - from) / step) as usize);
    let part = ((at.x / grid.pitch) as usize).min(grid.parts - 1);
    let row = within(grid.head, ROW, at.y).filter(|r| *r < grid.rows)? + part * grid.rows;
    let row = Some(row).filter(|r| *r < figure.rows.len())?;
    let left = part as Px * grid.pitch;
    let column = within(left + grid.first, grid.column, at.x).filter(|c| *c < figure.columns.len())?;
    Some(row * figure.columns.len() + column)
}

/// Draws the matrix.
pub fn draw(figure: &Matrix, size: Size, look: &DrawStyle) -> Scene {
    if !figure.column_units.is_empty() {
        return heat::draw(figure, size, look);
    }
    let mut scene = Scene::new(size);
    let has_row_totals = !figure.row_totals.is_empty();
    let grid = Grid::new(figure, size.w.max(1.0));
    let first = grid.first;
    scene.fill(Rect::new(0.0, 0.0, size.w, grid.head), Ink::Token("s1"));
    let head = |scene: &mut Scene, x: Px, words: &str, align: Align, room: Px| {
        let lines = head_lines(words, grid.line);
        let top = grid.head - HEAD_H - HEAD_LINE * lines.len().saturating_sub(1) as Px;
        for (i, line) in lines.iter().enumerate() {
            let at = Point { x, y: middle(top + HEAD_LINE * i as Px, HEAD_H, HEAD) };
            scene.text(at, text::cut_end(line, HEAD, room).into_owned(), HEAD, T3, align);
        }
    };
    let lefts = || (0..grid.parts).map(|part| part as Px * grid.pitch);
    for left in lefts() {
        head(&mut scene, left + PAD, look.tr(&figure.row_name), Align::Left, first - PAD);
    }
    let ends = column_ends(figure);
    for (c, name) in figure.columns.iter().enumerate() {
        for left in lefts() {
            head(&mut scene, left + grid.right(c), look.tr(name), Align::Right, grid.column - PAD);
        }
        if 0.0 < ends[c] && !figure.is_shaded {
            let rect = Rect::new(grid.right(c) + PAD - grid.column, 0.0, grid.column, grid.head);
            let name = format!("{}\n{}", look.tr(name), bar_scale(ends[c], &figure.unit, look));
            scene.shapes.push(Shape::Hit { rect, name });
        }
    }
    if has_row_totals {
        head(&mut scene, grid.right(figure.columns.len()), look.tr("Total"), Align::Right, grid.column - PAD);
    }
    scene.fill(Rect::new(0.0, grid.head - 1.0, size.w, 1.0), LINE);
    let names: Vec<&str> = figure.rows.iter().map(|name| look.tr(name)).collect();
    for (r, told) in told(&names).iter().enumerate() {
        draw_row(&mut scene, figure, look, grid, &ends, (r, told));
    }
    draw_totals(&mut scene, figure, look, grid, size);
    scene
}

/// What a full bar is in each column, or what the last color is: a share is one of 100 %; else a bar is one of the given
/// total or of the sum of what is not missing, and the last color is the largest.
fn column_ends(figure: &Matrix) -> Vec<f64> {
    let n = figure.columns.len();
    let values = |c: usize| {
        let values = figure.cells.iter().skip(c).step_by(n.max(1)).filter_map(|cell| cell.value);
        values.filter(|v| v.is_finite() && 0.0 < *v)
    };
    let total = |c: usize| figure.column_totals.get(c).copied().flatten().filter(|t| 0.0 < *t);
    let end = |c: usize| match full_bar(&figure.unit) {
        Some(full) => full,
        None if figure.is_shaded => values(c).fold(f64::MIN_POSITIVE, f64::max),
        None => total(c).unwrap_or_else(|| values(c).sum()),
    };
    (0..n).map(end).collect()
}

fn draw_row(
    scene: &mut Scene,
    figure: &Matrix,
    look: &DrawStyle,
    grid: Grid,
    ends: &[f64],
    (r, told): (usize, &Told),
) {
    let (left, row) = grid.part(r);
    let top = grid.head + ROW * row as Px;
    let base = middle(top, ROW, TEXT) - 1.0;
    let shown = text::cut_around(&told.text, &told.kept, TEXT, grid.first - PAD).into_owned();
    let name = figure.rows.get(r).map_or("", String::as_str);
    scene.text(Point { x: left + PAD, y: base }, shown, TEXT, T1, Align::Left);
    for (c, column) in figure.columns.iter().enumerate() {
        let Some(item) = figure.cells.get(r * figure.columns.len() + c) else { continue };
        let right = left + grid.right(c);
        let (way, ink) = way(item.second.filter(|_| is_compared(figure)), item.value, figure.unit_of(c));
        let number = way.to_owned() + &grid.number_text(item.value, figure);
        let words = (number, grid.second_text(item.value, item.second, figure));
        let room = grid.column - 2.0 * PAD;
        if figure.is_shaded {
            let rect = Rect::new(right - room - PAD, top, grid.column - 1.0, ROW - 1.0);
            // The color of what is written: equal texts have equal colors.
            let written = |value: f64| match grid.digits {
                Some(digits) => (value * 10_f64.powi(digits as i32)).round() / 10_f64.powi(digits as i32),
                None => value,
            };
            let ink = item.value.map_or(T3, |value| shade(scene, look, rect, written(value) / ends[c]));
            scene.text(Point { x: right, y: middle(top, ROW, TEXT) }, words.0, TEXT, ink, Align::Right);
        } else {
            number_at(scene, grid, Point { x: right, y: base }, words, ink, TEXT);
        }
        if let Some(value) = item.value.filter(|v| 0.0 < *v && 0.0 < ends[c] && !figure.is_shaded) {
            scene.fill(Rect::new(right - room, top + ROW - 3.0, room, 2.0), LINE);
            let w = room * ((value / ends[c]) as Px).min(1.0);
            scene.fill(Rect::new(right - room, top + ROW - 3.0, w, 2.0), Ink::Token("accent"));
        }
        let rect = Rect::new(right - room - PAD, top, grid.column, ROW);
        scene.shapes.push(Shape::Hit { rect, name: tooltip(figure, look, name, column, item, ends[c]) });
    }
    if let Some(total) = figure.row_totals.get(r) {
        let at = Point { x: grid.right(figure.columns.len()), y: base };
        let second = figure.seconds_of_totals[0].get(r).copied().flatten();
        number_at(
            scene,
            grid,
            at,
            (grid.number_text(*total, figure), grid.second_text(*total, second, figure)),
            total_ink(*total),
            TEXT.weight(500),
        );
    }
}

/// Colors the ground of a cell; gives back what is written on it. Nothing is the ground itself, and the dark end of the
/// ramp is left out so that numbers stay easy to read.
fn shade(scene: &mut Scene, look: &DrawStyle, rect: Rect, share: f64) -> Ink {
    if share <= 0.0 || share.is_nan() {
        return T1;
    }
    let fill = look.ramp(RampName::Seq, 0.06 + 0.6 * share.min(1.0));
    scene.fill(rect, fill);
    look.ink_on(fill)
}

fn draw_totals(scene: &mut Scene, figure: &Matrix, look: &DrawStyle, grid: Grid, size: Size) {
    if figure.column_totals.is_empty() {
        return;
    }
    let top = grid.head + ROW * figure.rows.len() as Px;
    scene.line(Point { x: 0.0, y: top + 0.5 }, Point { x: size.w, y: top + 0.5 }, hairline(LINE));
    let bold = TEXT.weight(500);
    let y = middle(top, ROW, TEXT) + 1.0;
    scene.text(Point { x: PAD, y }, look.tr("Total"), bold, T1, Align::Left);
    for (c, total) in figure.column_totals.iter().enumerate() {
        let second = figure.seconds_of_totals[1].get(c).copied().flatten();
        let words = (grid.number_text(*total, figure), grid.second_text(*total, second, figure));
        number_at(scene, grid, Point { x: grid.right(c), y }, words, total_ink(*total), bold);
    }
}

fn total_ink(total: Number) -> Ink {
    if total.is_some() { T1 } else { T3 }
}

/// Whether the second values are those of a baseline.
fn is_compared(figure: &Matrix) -> bool {
    figure.second_name == "Baseline"
}

/// A number before the room for second values, and its second value in that room.
fn number_at(
    scene: &mut Scene,
    grid: Grid,
    at: Point,
    words: (String, Option<String>),
    ink: Ink,
    font: Font,
) {
    if let Some(second) = words.1 {
        scene.text(at, second, LABEL, T3, Align::Right);
    }
    scene.text(Point { x: at.x - grid.second, ..at }, words.0, font, ink, Align::Right);
}

fn tooltip(
    figure: &Matrix,
    look: &DrawStyle,
    row: &str,
    column: &str,
    item: &MatrixCell,
    sum: f64,
) -> String {
    let head = format!("{} · {}", look.tr(row), look.tr(column));
    let value = item.value.filter(|v| v.is_finite());
    let told = value.map_or_else(|| missing(figure).to_owned(), |v| full(Some(v), &figure.unit));
    let mut lines = vec![head, format!("\t{told}")];
    let is_of_column = 0.0 < sum && !figure.is_shaded && full_bar(&figure.unit).is_none();
    if let (Some(value), true) = (item.value, is_of_column) {
        lines.push(format!("{}\t{} %", look.tr("% of column"), number::fixed(value / sum * 100.0, 1)));
    }
    if item.second.is_some() {
        lines.push(format!(
            "{}\t{}",
            column_name(&figure.second_name, look.language),
            full(item.second, &figure.unit)
        ));
    }
    if let (Some(a), Some(b), true) = (item.second, item.value, is_compared(figure)) {
        let difference = signed(b - a, full(Some(b - a), &figure.unit));
        let change = in_parentheses(a, b, &figure.unit);
        lines.push(format!("{}\t{difference}{change}", look.tr("Difference")));
    }
    if item.count != 0 {
        lines.push(format!("{}\t{}", look.tr("Count"), number::thousands(item.count.cast_signed())));
    }
    // Remarks stand below the numbers, in the place of a label.
    lines.extend(item.notes.iter().map(|note| format!("{}\t", note.text(look.language))));
    lines.join("\n")
}
