//! Tables as text: widths of columns for the style sheet, rows for the clipboard and for a file.

use crate::scene::table::{Cell, Column, Order};

/// What a click on the head of a column makes of the order: numbers begin with the largest; a third click gives the order
/// of the table itself back.
pub fn clicked(now: Option<Order>, column: &Column) -> Option<Order> {
    let is_number = column.is_number;
    match now {
        Some(order) if order.column == column.id && order.is_descending == is_number => {
            Some(Order { column: column.id, is_descending: !is_number })
        }
        Some(order) if order.column == column.id => None,
        _ => Some(Order { column: column.id, is_descending: is_number }),
    }
}

/// The `grid-template-columns` of the columns: those without a width take what is left; where all have one, each takes its
/// part of it.
pub fn template(columns: &[Column]) -> String {
    let has_free = columns.iter().any(|column| column.width <= 0.0);
    let tracks = columns.iter().map(|column| match (column.width, column.least()) {
        (width, least) if width <= 0.0 => format!("minmax({least}px, 1fr)"),
        (width, least) if has_free => format!("minmax({least}px, {width}px)"),
        (width, least) => format!("minmax({least}px, {width}fr)"),
    });
    tracks.collect::<Vec<_>>().join(" ")
}

/// The least width of the rows; a narrower table scrolls sideways. Every row is a grid of its own, so that it must not
/// depend on what the cells hold.
pub fn least_width(columns: &[Column]) -> String {
    format!("{}px", columns.iter().map(Column::least).sum::<f64>())
}

/// Rows as tab-separated text, with their heads.
pub fn as_text<'a>(columns: &[Column], rows: impl Iterator<Item = &'a Vec<Cell>>) -> String {
    lines(columns, rows, "\t", |text| text.replace(['\t', '\n'], " "))
}

/// Rows as CSV, with their heads.
pub fn as_csv<'a>(columns: &[Column], rows: impl Iterator<Item = &'a Vec<Cell>>) -> String {
    let quoted = |text: &str| {
        let is_plain = !text.contains([',', '"', '\n', '\r']);
        if is_plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
    };
    lines(columns, rows, ",", quoted) + "\n"
}

fn lines<'a>(
    columns: &[Column],
    rows: impl Iterator<Item = &'a Vec<Cell>>,
    between: &str,
    write: impl Fn(&str) -> String,
) -> String {
    let head = |c: &Column| {
        if c.unit.is_empty() { write(&c.title) } else { write(&format!("{} ({})", c.title, c.unit)) }
    };
    let mut text = columns.iter().map(head).collect::<Vec<_>>().join(between);
    for row in rows {
        text.push('\n');
        text.push_str(&row.iter().map(|c| write(c.copy())).collect::<Vec<_>>().join(between));
    }
    text
}
