//! The accesses in the window: what they add up to, and a table of them.

use super::state::State;
use crate::base::number::{thousands, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{fill, phrase, tr};
use crate::ui::table::cell::{Cell, Column, Order};
use crate::view::paged::{Page, PagedTable, follow};
use crate::wire::access::{Ask, RecordHead, Reply, SortBy};
use crate::wire::{Answer, Query};
use leptos::prelude::*;

fn number(n: u64) -> String {
    thousands(i64::try_from(n).unwrap_or(i64::MAX))
}

/// Sums of the window in a line.
#[component]
pub(super) fn Sums(state: State) -> impl IntoView {
    let context = state.context;
    let ask = Signal::derive(move || {
        context.head.with(|h| h.is_complete);
        Some(Query::Access(Ask::Sums(state.settled.get())))
    });
    let answer = follow(context, ask);
    let words = move || {
        let language = context.language.get();
        let Some(Answer::Access(Reply::Sums(sums))) = answer.get() else { return String::new() };
        let mut parts = vec![fill(tr(language, "{n} accesses"), &[("n", &number(sums.n))])];
        parts.extend(sums.operations.iter().map(|o| {
            let bytes = with_unit(o.bytes as f64, &Unit::Bytes);
            format!("{} {} ({bytes})", o.name, number(o.n))
        }));
        if let Some((addresses, lines)) = sums.distinct {
            let words = tr(language, "{n} addresses in {m} lines of 128 B");
            parts.push(fill(words, &[("n", &number(addresses)), ("m", &number(lines))]));
        }
        parts.join(" · ")
    };
    view! { <p class="accesses__sums" role="status">{words}</p> }
}

/// The table; choosing a row selects its access.
#[component]
pub(super) fn List(state: State) -> impl IntoView {
    let context = state.context;
    let columns = Signal::derive(move || {
        let word = |english: &'static str| tr(context.language.get(), english).to_owned();
        let unit = state.head.with(|h| h.as_ref().map_or(String::new(), |h| h.unit_title.clone()));
        let unit = tr(context.language.get(), &unit).to_owned();
        let mut columns = vec![
            Column::number(word(phrase("Record")), "", 84.0),
            Column::text(word(phrase("Operation")), 92.0),
            Column::text(word(phrase("Space")), 56.0),
            Column::text(unit, 112.0),
            Column::number(word(phrase("Address")), "", 124.0),
            Column::number(word(phrase("Size")), "B", 72.0),
            Column::number(word(phrase("PC")), "", 88.0),
            Column::text(word(phrase("Called at")), 0.0),
        ];
        for at in [2, 3, 7] {
            columns[at].is_sortable = false;
        }
        columns
    });
    let ask = Callback::new(move |(order, from, limit): (Option<Order>, u32, u32)| {
        context.head.with(|h| h.is_complete);
        let sort = match order.map(|o| o.column) {
            Some(1) => SortBy::Class,
            Some(4) => SortBy::Address,
            Some(5) => SortBy::Bytes,
            Some(6) => SortBy::Pc,
            _ => SortBy::Row,
        };
        let is_descending = order.is_some_and(|o| o.is_descending);
        let look = state.settled.get();
        Some(Query::Access(Ask::Rows { look, sort, is_descending, from, limit }))
    });
    let page = Callback::new(move |answer: Answer| {
        let Answer::Access(Reply::Rows(page)) = answer else { return None };
        let rows = page.rows.into_iter().map(|row| (cells(state, &row), row.row)).collect();
        Some(Page { total: page.total as usize, rows })
    });
    let choose = Callback::new(move |row| state.go_to(row));
    view! {
        <PagedTable context label=context.word("Accesses in view") columns ask page on_choose=choose on_open=choose />
    }
}

fn cells(state: State, row: &RecordHead) -> Vec<Cell> {
    let mono = |text: String, value: u64| Cell { is_mono: true, ..Cell::number(text, value as f64) };
    let unit = format!("{} {}", row.unit, row.unit_kind).trim().to_owned();
    let short = row.place.rsplit('/').next().unwrap_or(&row.place).to_owned();
    vec![
        Cell::number(number(row.position), row.position as f64),
        Cell { swatch: Some(super::tools::color(state, row.side)), ..Cell::text(row.operation.clone()) },
        Cell::text(row.space.clone()).second(),
        Cell::text(unit).second(),
        mono(format!("0x{:x}", row.address), row.address),
        Cell::number(number(row.bytes), row.bytes as f64),
        row.pc.map_or(Cell::text(""), |pc| mono(format!("0x{pc:x}"), pc)),
        Cell { full: row.place.clone(), ..Cell::text(short) },
    ]
}
