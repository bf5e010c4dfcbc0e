//! Facts and tables as real text.

use super::lead;
use super::paged::{LongColumn, PagedTable};
use super::set_px;
use crate::base::unit::Unit;
use crate::base::words::{Language, told, tr};
use crate::draw::facts::{
    cell_text, column_digits, column_name, is_numeric, largest, says_unit, table_widths, value_text,
};
use crate::draw::style::{difference_ink, full};
use crate::model::figure::{Cell, Facts, TableFigure, Target};
use crate::navigation::selection::Selection;
use crate::scene::palette::Ink;
use crate::ui::table::cell::{Cell as TableCell, Column, Tone};
use crate::ui::table::local::LocalTable;
use crate::view::context::ViewContext;
use leptos::prelude::*;

/// Letters of name and value that have room in half of a narrow panel.
const HALF: usize = 23;
/// Rows from which a table scrolls in itself and can be filtered.
const LONG: usize = 14;
/// Head of the column of numbers of rows.
pub(super) const NUMBER: &str = "#";
/// Height of a row and of the head.
const ROW: f32 = 20.0;
const HEAD: f32 = 26.0;

/// Names at the left, values at the right.
#[component]
pub(super) fn FactList(context: ViewContext, facts: Facts) -> impl IntoView {
    let rows = facts.facts.into_iter().map(move |fact| {
        let value = value_text(&fact.value, &fact.unit);
        let letters = fact.name.chars().count() + value.chars().count();
        let is_missing = fact.value == Cell::Missing;
        let exact = match &fact.value {
            Cell::Number(v) => full(Some(*v), &fact.unit),
            Cell::Text(text) => text.clone(),
            Cell::Missing => String::new(),
        };
        let name = fact.name;
        view! {
            <div class="facts__row" class:facts__row--wide=HALF < letters>
                <dt class="facts__name">{move || tr(context.language.get(), &name).to_owned()}</dt>
                <dd class="facts__value" class:facts__value--missing=is_missing title=exact>{value}</dd>
            </div>
        }
    });
    view! { <dl class="facts">{rows.collect_view()}</dl> }
}

/// A table that sorts, and filters and copies when it is long.
#[allow(clippy::too_many_lines)] // one table with its gestures
#[component]
pub(super) fn FigureTable(
    context: ViewContext,
    table: TableFigure,
    title: String,
    id: String,
    chosen: Vec<usize>,
) -> impl IntoView {
    let place = table.columns.iter().position(|column| column.is_place);
    if 0 < table.more_rows {
        let column = |(at, c): (usize, &crate::model::figure::TableColumn)| LongColumn {
            name: c.name.clone(),
            unit: c.unit.clone(),
            is_number: is_numeric(&table, at),
            is_phrase: c.is_phrase,
        };
        let columns = table.columns.iter().enumerate().map(column).collect();
        let n_rows = table.rows.len() + table.more_rows;
        return view! { <PagedTable context id chosen title columns n_rows place /> }.into_any();
    }
    let n = table.rows.len();
    let has_phrases = table.columns.iter().any(|column| column.is_phrase);
    let table = StoredValue::new(table);
    let marked = Memo::new(move |_| {
        let own = |s: &Selection| {
            let rows = s.rows.iter().filter(|(table, _)| *table == id);
            rows.map(|(_, row)| *row as usize).collect::<Vec<_>>()
        };
        context.selection.with(own)
    });
    let seen = Signal::derive(move || marked.with(|m| m.first().copied()));
    let rows = Memo::new(move |_| {
        let language = if has_phrases { context.language.get() } else { Language::En };
        let marked = marked.get();
        let is_marked = |r: usize| marked.contains(&r);
        let one = |t: &TableFigure, r: usize| -> Vec<TableCell> {
            let cells = row(t, r, language).into_iter();
            cells.map(|cell| TableCell { is_marked: is_marked(r), ..cell }).collect()
        };
        table.with_value(|t| (0..n).map(|r| one(t, r)).collect::<Vec<_>>())
    });
    // A row that names a line of source goes there.
    let on_open = Callback::new(move |at: usize| {
        let target = table.with_value(|t| match t.rows.get(at)?.get(place?)? {
            Cell::Text(text) => Target::of_place(text),
            _ => None,
        });
        if let Some(target) = target {
            lead::go(context, &target);
        }
    });
    let columns = Signal::derive(move || {
        let language = context.language.get();
        table.with_value(|t| {
            let widths = table_widths(t, language);
            let column = |(at, c): (usize, &crate::model::figure::TableColumn)| {
                // Units behind the numbers need a little more than digits.
                let room = if t.row_units.is_empty() && !c.is_place { 0.0 } else { 16.0 };
                let width = f64::from(widths.get(at).copied().unwrap_or(104.0)) + room;
                let name = column_name(&c.name, language);
                // Heads of files often carry their unit already.
                let unit = if says_unit(&c.name, c.unit.symbol()) { "" } else { c.unit.symbol() };
                match at {
                    // Numbers of rows take little room.
                    0 if c.name == NUMBER => Column::text(name, 56.0),
                    // What names a row stands at its left edge, also when it is a number.
                    0 => Column::text(name, 0.0),
                    _ if is_numeric(t, at) => Column::number(name, unit, width),
                    // Letters are wider in some fonts than they were measured.
                    _ => Column::text(name, width + 10.0),
                }
            };
            t.columns.iter().enumerate().map(column).collect::<Vec<_>>()
        })
    });
    let node = NodeRef::<leptos::html::Div>::new();
    let is_long = LONG < n;
    Effect::new(move || {
        if let Some(node) = node.get() {
            let tools = if is_long { 32.0 } else { 0.0 };
            // That there are no rows is said in two.
            let rows = if n == 0 { 2 } else { n.min(LONG) };
            set_px(&node, "height", HEAD + tools + ROW * rows as f32);
        }
    });
    let label = Signal::derive(move || tr(context.language.get(), &title).to_owned());
    view! {
        <div class="figure__table" node_ref=node>
            <LocalTable label columns rows filtered=is_long seen on_open />
        </div>
    }
    .into_any()
}

fn row(table: &TableFigure, at: usize, language: Language) -> Vec<TableCell> {
    let unit = table.row_units.get(at);
    let cells = table.rows[at].iter().zip(&table.columns).enumerate();
    let cell = |(c, (value, column)): (usize, (&Cell, &crate::model::figure::TableColumn))| {
        let text = cell_text(value, column, column_digits(table, c), unit);
        match value {
            Cell::Number(v) => TableCell {
                tone: tone(*v, unit.unwrap_or(&column.unit)).filter(|_| column.is_difference),
                full: full(Some(*v), unit.unwrap_or(&column.unit)),
                number: Some(*v),
                share: column.has_bar.then(|| (v / largest(table, c)).clamp(0.0, 1.0)),
                ..TableCell::text(text)
            },
            Cell::Text(whole) if column.is_phrase => TableCell::text(told(language, whole)),
            Cell::Text(whole) => TableCell { full: whole.clone(), ..TableCell::text(text) },
            Cell::Missing => TableCell::text(text).second(),
        }
    };
    cells.map(cell).collect()
}

/// Which way a difference goes, where its unit has a good direction.
pub(in crate::view) fn tone(difference: f64, unit: &Unit) -> Option<Tone> {
    match difference_ink(difference, unit) {
        Ink::Token("better") => Some(Tone::Better),
        Ink::Token("worse") => Some(Tone::Worse),
        _ => None,
    }
}
