//! A table whose rows are at hand: sorts, filters and copies them itself.

use super::cell::{self, Cell, Column, Order};
use super::{Rows, Table, TableModel, count_words};
use crate::base::order;
use crate::ui::copy_text;
use crate::ui::field::SearchField;
use crate::ui::icon::{Glyph, Icon};
use crate::ui::words;
use leptos::prelude::*;
use std::cmp::Ordering;
use std::ops::Range;

/// Shows rows that are at hand.
#[component]
pub fn LocalTable(
    /// What it lists, for screen readers.
    #[prop(into)]
    label: Signal<String>,
    /// The columns.
    #[prop(into)]
    columns: Signal<Vec<Column>>,
    /// All rows, in the order of the file.
    #[prop(into)]
    rows: Signal<Vec<Vec<Cell>>>,
    /// Enter or double click: number of the row in `rows`.
    #[prop(optional)]
    on_open: Option<Callback<usize>>,
    /// The row, by its number in `rows`, that is chosen and brought into view when this changes.
    #[prop(optional, into)]
    seen: Signal<Option<usize>>,
    /// A field above that narrows the rows down.
    #[prop(optional)]
    filtered: bool,
    /// Saves the whole as a file; a button beside the field.
    #[prop(optional)]
    on_save: Option<Callback<()>>,
) -> impl IntoView {
    let words = words();
    let filter = RwSignal::new(String::new());
    let order = RwSignal::new(None::<Order>);
    let chosen = RwSignal::new(None);
    let sequence = Memo::new(move |_| rows.with(|rows| arrange(rows, &filter.get(), order.get())));
    Effect::new(move || {
        if let Some(row) = seen.get() {
            filter.set(String::new());
            chosen.set(sequence.with(|s| s.iter().position(|&at| at == row)));
        }
    });
    let need = RwSignal::new(0..0_usize);
    let at_hand = Memo::new(move |_| {
        let Range { start, end } = need.get();
        let cells = sequence.with(|sequence| {
            rows.with(|rows| {
                let wanted = sequence.get(start..end.min(sequence.len())).unwrap_or_default();
                wanted.iter().map(|&at| rows[at].clone()).collect()
            })
        });
        Rows { first: start, cells }
    });
    let model = TableModel {
        columns,
        count: Signal::derive(move || sequence.with(Vec::len)),
        rows: at_hand.into(),
        on_need: Callback::new(move |range| {
            if need.get_untracked() != range {
                need.set(range);
            }
        }),
        order,
        chosen,
        on_open: on_open.map(|open| {
            Callback::new(move |at: usize| {
                if let Some(row) = sequence.with_untracked(|s| s.get(at).copied()) {
                    open.run(row);
                }
            })
        }),
    };
    let copy_all = Callback::new(move |()| {
        let (columns, rows) = (columns.get_untracked(), rows.get_untracked());
        let list: Vec<&[Cell]> =
            sequence.with_untracked(|s| s.iter().map(|&at| rows[at].as_slice()).collect());
        copy_text(&cell::as_text(&columns, &list), |_| {});
    });
    let found = Signal::derive(move || count_words(sequence.with(Vec::len), rows.with(Vec::len)));
    view! {
        <div class="table">
            <Show when=move || filtered>
                <Tools filter found copy_all on_save />
            </Show>
            <Table label model none=Signal::derive(move || Some(words.tr("No rows")().to_owned())) />
        </div>
    }
}

/// The field that narrows down, how many rows are left, and a button that copies them.
#[component]
fn Tools(
    filter: RwSignal<String>,
    found: Signal<String>,
    copy_all: Callback<()>,
    on_save: Option<Callback<()>>,
) -> impl IntoView {
    let words = words();
    view! {
        <div class="table__tools">
            <SearchField label=Signal::derive(move || words.tr("Filter rows")().to_owned()) value=filter />
            <span class="field__count" role="status">{move || found.get()}</span>
            <button
                class="button button--plain"
                type="button"
                data-tip=words.tr("Copy the rows with their heads")
                aria-label=words.tr("Copy the rows with their heads")
                on:click=move |_| copy_all.run(())
            >
                <Icon glyph=Glyph::Copy />
            </button>
            {on_save.map(|save| view! {
                <button
                    class="button button--plain"
                    type="button"
                    data-tip=words.tr("Save as CSV")
                    aria-label=words.tr("Save as CSV")
                    on:click=move |_| save.run(())
                >
                    <Icon glyph=Glyph::Export />
                </button>
            })}
        </div>
    }
}

/// Numbers of the rows that match, in order. Equal rows keep the order of the file.
fn arrange(rows: &[Vec<Cell>], filter: &str, order: Option<Order>) -> Vec<usize> {
    let filter = filter.trim().to_lowercase();
    let matches = |row: &Vec<Cell>| {
        filter.is_empty() || row.iter().any(|cell| cell.copy().to_lowercase().contains(&filter))
    };
    let mut sequence: Vec<usize> = (0..rows.len()).filter(|&at| matches(&rows[at])).collect();
    if let Some(order) = order {
        order::sort_by(&mut sequence, |&a, &b| {
            let (a, b) = (rows[a].get(order.column), rows[b].get(order.column));
            compare(a, b, order.is_descending)
        });
    }
    sequence
}

/// Missing cells come last in both directions.
fn compare(a: Option<&Cell>, b: Option<&Cell>, is_descending: bool) -> Ordering {
    let (Some(a), Some(b)) = (a, b) else { return Ordering::Equal };
    let missing = a.text.is_empty().cmp(&b.text.is_empty());
    let by_value = match (a.number, b.number) {
        (Some(x), Some(y)) => x.total_cmp(&y),
        _ => a.text.cmp(&b.text),
    };
    missing.then(if is_descending { by_value.reverse() } else { by_value })
}
