//! Facts and tables as shapes: for files that stand alone. (On the page both are real text.)

use super::style::{
    DrawStyle, HEAD, LINE, T1, T3, TEXT, bar_scale, cell_of, difference_cell, difference_with_unit, digits,
    full_bar, in_parentheses, is_in_points, middle, sense_ink,
};
use crate::analysis::compare::{BASELINE, pair_of};
use crate::analysis::rows::FigureRows;
use crate::base::brief::told;
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::number;
use crate::base::unit::Unit;
use crate::base::words::{Language, fill, phrase, tr};
use crate::model::figure::{Cell, Facts, TableColumn, TableFigure, Target};
use crate::scene::palette::Ink;
use crate::scene::{Align, Scene, Shape, text};

const ROW: Px = 20.0;
const HEAD_H: Px = 24.0;
const PAD: Px = 8.0;
/// Rows that a drawing holds; the rest is said in words.
const MOST: usize = 200;

/// Height of facts in this width.
pub fn facts_height(facts: &Facts, width: Px) -> Px {
    ROW * facts.facts.len().div_ceil(fact_columns(facts, width)).max(1) as Px
}

fn fact_columns(facts: &Facts, width: Px) -> usize {
    if 4 <= facts.facts.len() && 320.0 <= width { 2 } else { 1 }
}

/// Draws names at the left and values at the right, in two columns when there is room.
pub fn draw_facts(facts: &Facts, size: Size, look: &DrawStyle) -> Scene {
    let mut scene = Scene::new(size);
    let columns = fact_columns(facts, size.w);
    let rows = facts.facts.len().div_ceil(columns).max(1);
    let w = (size.w - 16.0 * (columns - 1) as Px) / columns as Px;
    for (i, fact) in facts.facts.iter().enumerate() {
        let x = (i / rows) as Px * (w + 16.0);
        let y = middle((i % rows) as Px * ROW, ROW, TEXT);
        let name = text::cut_end(look.tr(&fact.name), TEXT, w * 0.6).into_owned();
        let room = w - text::width(&name, TEXT) - 12.0;
        scene.text(Point { x, y }, name, TEXT, T3, Align::Left);
        let value = fact.value.with_unit(&fact.unit);
        let ink = if fact.value == Cell::Missing { T3 } else { T1 };
        scene.text(
            Point { x: x + w, y },
            text::cut_end(&value, TEXT, room).into_owned(),
            TEXT,
            ink,
            Align::Right,
        );
    }
    scene
}

/// Height of a table.
pub fn table_height(table: &TableFigure) -> Px {
    HEAD_H + ROW * (table.rows.len().min(MOST) + usize::from(has_more(table))) as Px
}

fn has_more(table: &TableFigure) -> bool {
    MOST < table.rows.len() || 0 < table.more_rows
}

/// The text of a cell as tables show it: the unit stands in the head, unless rows have units of their own.
pub fn cell_text(
    value: &Cell,
    column: &TableColumn,
    digits: Option<usize>,
    row_unit: Option<&Unit>,
) -> String {
    match value {
        Cell::Text(text) if column.is_place => Target::shown(text).into_owned(),
        Cell::Number(_) if column.is_exact && !column.is_difference => value.plain(),
        Cell::Number(v) => match row_unit {
            Some(unit) if column.is_difference => difference_with_unit(*v, unit),
            Some(unit) => number::with_unit(*v, unit),
            None if column.is_difference => difference_cell(*v, &column.unit, digits),
            None => cell_of(*v, &column.unit, digits),
        },
        Cell::Integer(v) if row_unit.is_none() && column.unit != Unit::Address => number::thousands(*v),
        _ => value.with_unit(row_unit.unwrap_or(&column.unit)),
    }
}

/// The same of a row of a table; behind a difference stands which part of the baseline it is.
pub fn text_in_row(table: &TableFigure, row: usize, column: usize, digits: Option<usize>) -> Option<String> {
    let (cells, head) = (table.rows.get(row)?, table.columns.get(column)?);
    let unit = table.row_units.get(row);
    let text = cell_text(cells.get(column)?, head, digits, unit);
    let name = |at: usize| table.columns.get(at).map(|column| column.name.clone());
    let pair = head.is_difference.then(|| pair_of(column, name)).flatten();
    let value = |at: usize| cells.get(at).and_then(Cell::as_number);
    let unit = unit.unwrap_or(&head.unit);
    let change = pair.and_then(|(old, new)| Some(in_parentheses(value(old)?, value(new)?, unit)));
    Some(text + &change.unwrap_or_default())
}

/// How many decimals the numbers of a column take; differences of shares as many as what they are differences of.
pub fn column_digits(table: &TableFigure, column: usize) -> Option<usize> {
    let head = table.columns.get(column)?;
    let of = |at: usize| digits(table.rows.iter().filter_map(|r| r.get(at)?.as_number()), &head.unit);
    let name = |at: usize| table.columns.get(at).map(|column| column.name.clone());
    let pair = (head.is_difference && is_in_points(&head.unit)).then(|| pair_of(column, name)).flatten();
    pair.map_or_else(|| of(column), |(old, new)| of(old).max(of(new)))
}

/// The head of a column with its unit behind the name.
pub fn head_text(column: &TableColumn, look: &DrawStyle) -> String {
    head_in(column, look.language)
}

/// Whether a name already carries the unit: as it is written, or as a word such as "Instructions".
pub fn says_unit(name: &str, unit: &str) -> bool {
    name.contains(unit) || (3 < unit.len() && name.to_lowercase().contains(&unit.to_lowercase()))
}

/// The same in a language.
pub fn head_in(column: &TableColumn, language: Language) -> String {
    let unit = unit_of_head(column);
    let name = column_name(&column.name, language);
    if says_unit(&column.name, unit) { name } else { format!("{name}, {}", tr(language, unit)) }
}

/// The unit in the head of a column.
pub fn unit_of_head(column: &TableColumn) -> &str {
    if column.is_difference && is_in_points(&column.unit) { phrase("points") } else { column.unit.symbol() }
}

/// The name of a column in a language; where two documents are compared also of which of them it is, A or B, as the bar
/// above calls them, or that it is the difference.
pub fn column_name(name: &str, language: Language) -> String {
    const SIDES: [(&str, &str, &str); 2] =
        [(BASELINE, phrase("baseline"), "A"), ("Comparison", phrase("comparison"), "B")];
    let own = |part: &str| name.strip_suffix(')')?.strip_suffix(part)?.strip_suffix(" (");
    for (whole, part, letter) in SIDES {
        if name == whole {
            return format!("{letter} ({})", tr(language, part));
        }
        if let Some(own) = own(part) {
            return format!("{} {letter}", tr(language, own));
        }
    }
    let difference = phrase("difference");
    match own(difference) {
        Some(own) => format!("{} ({})", tr(language, own), tr(language, difference)),
        None => tr(language, name).to_owned(),
    }
}

/// The color of a cell. Where rows have units of their own, the first cell says what the row is.
pub fn cell_ink(value: &Cell, column: &TableColumn, row: Option<(&Cell, &Unit)>) -> Ink {
    match value {
        Cell::Missing => T3,
        Cell::Number(v) if column.is_difference => {
            let sense = row.map_or_else(
                || column.unit.sense_of(&column.name),
                |(name, unit)| unit.sense_of(&name.plain()),
            );
            sense_ink(*v, sense)
        }
        _ => T1,
    }
}

/// Draws the head and the first rows.
pub fn draw_table(table: &TableFigure, size: Size, look: &DrawStyle) -> Scene {
    let mut scene = Scene::new(size);
    let digits: Vec<Option<usize>> = (0..table.columns.len()).map(|c| column_digits(table, c)).collect();
    let most: Vec<Option<f64>> = table.columns.iter().enumerate().map(|of| full(table, of)).collect();
    let edges = edges(table, size.w, &digits, look);
    scene.fill(Rect::new(0.0, 0.0, size.w, HEAD_H), Ink::Token("s1"));
    scene.fill(Rect::new(0.0, HEAD_H - 1.0, size.w, 1.0), LINE);
    for (c, column) in table.columns.iter().enumerate() {
        let words = head_text(column, look);
        write(
            &mut scene,
            &edges,
            c,
            middle(0.0, HEAD_H, HEAD),
            &words,
            (FigureRows::new(table).is_numeric(c), true),
            T3,
        );
        if let Some(most) = most[c] {
            let rect = Rect::new(edges[c], 0.0, edges[c + 1] - edges[c], HEAD_H);
            let name = format!("{words}\n{}", bar_scale(most, &column.unit, look));
            scene.shapes.push(Shape::Hit { rect, name });
        }
    }
    let name = |r: usize| text_in_row(table, r, 0, digits.first().copied().flatten()).unwrap_or_default();
    let names: Vec<String> = (0..table.rows.len().min(MOST)).map(name).collect();
    let names = told(&names.iter().map(String::as_str).collect::<Vec<_>>());
    for (r, row) in table.rows.iter().take(MOST).enumerate() {
        let top = HEAD_H + ROW * r as Px;
        let unit = table.row_units.get(r);
        for ((c, value), column) in row.iter().enumerate().zip(&table.columns) {
            let words = text_in_row(table, r, c, digits[c]).unwrap_or_default();
            let words = if column.is_phrase { look.tr(&words).to_owned() } else { words };
            let room = edges[c + 1] - edges[c] - 2.0 * PAD;
            // What a row is of is told from what the others are of; the whole is said where the pointer is.
            let name = names.get(r).filter(|_| c == 0 && room < text::width(&words, TEXT));
            let shown = name.map_or(words.clone(), |told| {
                let rect = Rect::new(edges[c], top, edges[c + 1] - edges[c], ROW);
                scene.shapes.push(Shape::Hit { rect, name: words.clone() });
                text::cut_around(&told.text, &told.kept, TEXT, room).into_owned()
            });
            let ink = cell_ink(value, column, row.first().zip(unit));
            let kind = (FigureRows::new(table).is_numeric(c), false);
            write(&mut scene, &edges, c, middle(top, ROW, TEXT), &shown, kind, ink);
            if let (Some(most), Some(v)) = (most[c], value.as_number()) {
                let room = edges[c + 1] - edges[c] - 2.0 * PAD;
                let bar = Rect::new(edges[c] + PAD, top + ROW - 4.0, room, 2.0);
                scene.fill(bar, LINE);
                scene
                    .fill(Rect { w: room * ((v / most) as Px).clamp(0.0, 1.0), ..bar }, Ink::Token("accent"));
            }
        }
    }
    if has_more(table) {
        let left = table.rows.len().saturating_sub(MOST) + table.more_rows;
        let words = fill(look.tr("and {n} more rows"), &[("n", &number::thousands(left as i64))]);
        let y = middle(HEAD_H + ROW * table.rows.len().min(MOST) as Px, ROW, TEXT);
        scene.text(Point { x: PAD, y }, words, TEXT, T3, Align::Left);
    }
    scene
}

/// What a full bar of a column is: a share is one of 100 %, else it is the largest number. `None` without bars.
fn full(table: &TableFigure, (at, column): (usize, &TableColumn)) -> Option<f64> {
    let numbers = || table.rows.iter().filter_map(|r| r.get(at)?.as_number());
    column
        .has_bar
        .then(|| full_bar(&column.unit).unwrap_or_else(|| numbers().fold(f64::MIN_POSITIVE, f64::max)))
}

/// Left edges of the columns and the right edge of the last: widths follow the widest text of each.
fn edges(table: &TableFigure, width: Px, digits: &[Option<usize>], look: &DrawStyle) -> Vec<Px> {
    let wanted: Vec<Px> = table
        .columns
        .iter()
        .enumerate()
        .map(|(c, column)| {
            let rows = 0..table.rows.len().min(MOST);
            let cells = rows.filter_map(|r| Some(text::width(&text_in_row(table, r, c, digits[c])?, TEXT)));
            cells.fold(text::width(&head_text(column, look), HEAD), Px::max).min(260.0) + 2.0 * PAD
        })
        .collect();
    let total: Px = wanted.iter().sum();
    let mut edges = vec![0.0];
    let mut x = 0.0;
    for w in wanted {
        x += w * width / total.max(1.0);
        edges.push(x);
    }
    edges
}

fn write(
    scene: &mut Scene,
    edges: &[Px],
    c: usize,
    y: Px,
    words: &str,
    (is_right, is_head): (bool, bool),
    ink: Ink,
) {
    let font = if is_head { HEAD } else { TEXT };
    let words = text::cut_end(words, font, edges[c + 1] - edges[c] - 2.0 * PAD).into_owned();
    let (x, align) =
        if is_right { (edges[c + 1] - PAD, Align::Right) } else { (edges[c] + PAD, Align::Left) };
    scene.text(Point { x, y }, words, font, ink, align);
}
