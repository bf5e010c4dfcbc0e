//! A table that is fetched from the worker as it is scrolled, and answers that follow their questions.

use super::context::ViewContext;
use crate::ui::latest::Latest;
use crate::ui::table::cell::{Cell, Column, Order};
use crate::ui::table::{Rows, Table, TableModel};
use crate::wire::{Answer, Query};
use leptos::prelude::*;

/// Rows that are asked for at least, and at most.
const PAGE: (u32, u32) = (60, 500);

/// A page of rows: how many there are in all, their cells, and what each stands for.
pub struct Page<T> {
    /// How many rows there are.
    pub total: usize,
    /// The rows of the page.
    pub rows: Vec<(Vec<Cell>, T)>,
}

/// The answer to a question, asked anew when the question changes.
pub fn follow(context: ViewContext, ask: Signal<Option<Query>>) -> RwSignal<Option<Answer>> {
    let last = RwSignal::new(None);
    let latest = Latest::default();
    Effect::new(move || {
        context.language.track();
        let Some(ask) = ask.get() else { return };
        latest.ask(context.ask(ask), move |answer| {
            last.try_set(Some(answer));
        });
    });
    last
}

/// A table that is fetched as it is scrolled. `ask` makes the question for an order, a first row and a number of rows;
/// it is asked anew when a signal that it reads changes.
#[component]
pub fn PagedTable<T: Clone + Send + Sync + 'static>(
    /// The document.
    context: ViewContext,
    /// What it lists, for screen readers.
    #[prop(into)]
    label: Signal<String>,
    /// The columns.
    columns: Signal<Vec<Column>>,
    /// Makes the question.
    ask: Callback<(Option<Order>, u32, u32), Option<Query>>,
    /// Takes the answer.
    page: Callback<Answer, Option<Page<T>>>,
    /// A row was chosen.
    on_choose: Callback<T>,
    /// Enter or a double click on a row.
    on_open: Callback<T>,
) -> impl IntoView {
    let (count, rows) = (RwSignal::new(0_usize), RwSignal::new(Rows::default()));
    let (need, order, chosen) = (RwSignal::new(0..0_usize), RwSignal::new(None), RwSignal::new(None));
    let meant = StoredValue::new((0_usize, Vec::<T>::new()));
    let question = Signal::derive(move || {
        let range = need.get();
        ask.run((order.get(), range.start as u32, (range.len() as u32).clamp(PAGE.0, PAGE.1)))
    });
    let reply = follow(context, question);
    Effect::new(move || {
        let Some(page) = reply.get().and_then(|reply| page.run(reply)) else { return };
        let first = need.get_untracked().start;
        let (cells, all): (Vec<_>, Vec<_>) = page.rows.into_iter().unzip();
        count.set(page.total);
        rows.set(Rows { first, cells });
        meant.set_value((first, all));
    });
    let go = move |at: usize, act: Callback<T>| {
        let row = meant.with_value(|(first, list)| list.get(at.checked_sub(*first)?).cloned());
        if let Some(row) = row {
            act.run(row);
        }
    };
    Effect::new(move |before: Option<Option<usize>>| {
        let now = chosen.get();
        if let (Some(before), Some(at)) = (before, now)
            && before != now
        {
            go(at, on_choose);
        }
        now
    });
    let model = TableModel {
        columns,
        count: count.into(),
        rows: rows.into(),
        on_need: Callback::new(move |range| {
            if need.get_untracked() != range {
                need.set(range);
            }
        }),
        order,
        chosen,
        on_open: Some(Callback::new(move |at| go(at, on_open))),
    };
    view! { <div class="table"><Table label model none=context.word("No rows") /></div> }
}
