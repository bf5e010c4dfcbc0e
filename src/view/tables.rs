//! Long tables: every row that the files list, one table at a time.
//!
//! Needs tables. Heads sort, the field above narrows down, Ctrl+C copies the chosen row; the buttons copy what is shown and
//! save the whole as CSV. Percent and ratios have a bar. Table, order and filter stand in the address.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

use super::ViewSpec;
use super::context::ViewContext;
use crate::base::number;
use crate::base::pairs;
use crate::base::unit::Unit;
use crate::base::words::{fill, phrase, told, tr};
use crate::draw::style::{HEAD, full};
use crate::model::figure::Cell as Value;
use crate::scene::text;
use crate::ui::field::{SearchField, SelectField};
use crate::ui::icon::{Glyph, Icon};
use crate::ui::table::cell::{Cell, Column, Order, as_text};
use crate::ui::table::{Rows, Table, TableModel, count_words};
use crate::ui::{copy_text, words};
use crate::wire::figures::{Ask, Page, Reply, Rows as AskRows, TableHead};
use crate::wire::{Answer, Query};
use leptos::prelude::*;
use leptos::task::spawn_local;

/// The view.
pub static VIEW: ViewSpec = ViewSpec {
    id: "tables",
    title: phrase("Tables"),
    question: "What do the files list, row by row?",
    can_show: |head| 0 < head.holdings.tables,
    badge: |_| None,
    show: |context| view! { <Tables context /> }.into_any(),
};

/// Cells that cross at a time at most.
const CELLS: usize = 20_000;
/// Rows that are asked for at least.
const PAGE: usize = 60;

/// Which table, in which order, narrowed down by what: the state of this view in the address.
#[derive(Clone, Debug, Default, PartialEq)]
struct Shown {
    table: String,
    order: Option<(usize, bool)>,
    filter: String,
}

impl Shown {
    fn parse(text: &str) -> Self {
        let mut shown = Self::default();
        for (name, value) in pairs::split(text) {
            match name.as_str() {
                "table" => shown.table = value,
                "filter" => shown.filter = value,
                "order" => {
                    let column = value.trim_end_matches('d').parse().ok();
                    shown.order = column.map(|column| (column, value.ends_with('d')));
                }
                _ => {}
            }
        }
        shown
    }

    fn text(&self) -> String {
        let order = self.order.map(|(column, falls)| format!("{column}{}", if falls { "d" } else { "" }));
        let list = [("table", Some(&self.table)), ("order", order.as_ref()), ("filter", Some(&self.filter))];
        let said = list.iter().filter_map(|(name, value)| Some((*name, value.map(String::as_str)?)));
        pairs::join(said.filter(|(_, value)| !value.is_empty()))
    }
}

#[component]
fn Tables(context: ViewContext) -> impl IntoView {
    let heads = RwSignal::new(Vec::<TableHead>::new());
    let n_tables = Memo::new(move |_| context.head.with(|h| (h.holdings.tables, h.is_complete)));
    Effect::new(move || {
        let _ = n_tables.get();
        spawn_local(async move {
            if let Answer::Figures(Reply::List { tables, .. }) = context.ask(Query::Figures(Ask::List)).await
            {
                heads.try_set(tables);
            }
        });
    });
    let shown = Memo::new(move |_| {
        context.states.with(|s| s.get(VIEW.id).map(|text| Shown::parse(text)).unwrap_or_default())
    });
    let head = Memo::new(move |_| {
        let wanted = shown.with(|s| s.table.clone());
        heads.with(|h| h.iter().find(|t| t.id == wanted).or(h.first()).cloned())
    });
    let options = Signal::derive(move || {
        let language = context.language.get();
        let named = |t: &TableHead| {
            let rows = fill(tr(language, "{n} rows"), &[("n", &number::thousands(t.rows as i64))]);
            (t.id.clone(), format!("{} · {rows}", tr(language, &t.title)))
        };
        heads.with(|h| h.iter().map(named).collect::<Vec<_>>())
    });
    let value = Signal::derive(move || head.with(|h| h.as_ref().map_or(String::new(), |h| h.id.clone())));
    let on_choose = Callback::new(move |table: String| keep(context, &Shown { table, ..Shown::default() }));
    // The table itself is made anew when another is chosen: its order and scrolled place are its own.
    let id = Memo::new(move |_| head.with(|h| h.as_ref().map(|h| h.id.clone())));
    view! {
        <div class="tables">
            {move || id.get().map(|_| {
                let head = head.get_untracked().unwrap_or_default();
                let shown = shown.get_untracked();
                view! { <OneTable context head shown options value on_choose /> }
            })}
        </div>
    }
}

fn keep(context: ViewContext, shown: &Shown) {
    let text = shown.text();
    context.states.update(|states| drop(states.insert(VIEW.id.to_owned(), text)));
}

#[component]
fn OneTable(
    context: ViewContext,
    head: TableHead,
    shown: Shown,
    options: Signal<Vec<(String, String)>>,
    value: Signal<String>,
    on_choose: Callback<String>,
) -> impl IntoView {
    let words = words();
    let head = StoredValue::new(head);
    let id = StoredValue::new(head.with_value(|h| h.id.clone()));
    let filter = RwSignal::new(shown.filter);
    let order = RwSignal::new(shown.order.map(|(column, is_descending)| Order { column, is_descending }));
    let (count, rows) = (RwSignal::new(0_usize), RwSignal::new(Rows::default()));
    let (need, chosen) = (RwSignal::new(0..0_usize), RwSignal::new(None));
    let n_columns = head.with_value(|h| h.columns.len().max(1));
    let most = (CELLS / n_columns).max(1);
    let question = move |from: usize, n: usize| AskRows {
        id: id.get_value(),
        sort: order.get().map(|o| (o.column, o.is_descending)),
        filter: filter.get().trim().to_owned(),
        from,
        n: n.min(most),
        ..AskRows::default()
    };
    let turn = StoredValue::new(0_u32);
    Effect::new(move || {
        let range = need.get();
        let ask = question(range.start, range.len().max(PAGE));
        let mine = turn.try_update_value(|turn| {
            *turn += 1;
            *turn
        });
        spawn_local(async move {
            let Some(page) = page(context, ask).await else { return };
            // Else another question was asked since.
            if turn.try_get_value() == mine {
                count.try_set(page.total);
                let cells = head.try_with_value(|h| page.rows.iter().map(|row| cells(h, row)).collect());
                rows.try_set(Rows { first: page.from, cells: cells.unwrap_or_default() });
            }
        });
    });
    Effect::new(move |before: Option<()>| {
        let shown = Shown {
            table: id.get_value(),
            order: order.get().map(|o| (o.column, o.is_descending)),
            filter: filter.get(),
        };
        // What stood in the address is not written anew.
        if before.is_some() {
            keep(context, &shown);
        }
    });
    let columns = Signal::derive(move || {
        let language = context.language.get();
        head.with_value(|h| {
            h.columns.iter().map(|c| column(tr(language, &c.0), &c.1, c.2)).collect::<Vec<_>>()
        })
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
        on_open: None,
    };
    let copy = move |_| {
        let ask = untrack(|| question(0, usize::MAX));
        spawn_local(async move {
            let Some(page) = page(context, ask).await else { return };
            let list: Vec<Vec<Cell>> =
                head.with_value(|h| page.rows.iter().map(|row| cells(h, row)).collect());
            let list: Vec<&[Cell]> = list.iter().map(Vec::as_slice).collect();
            let (n, all) = (number::thousands(list.len() as i64), number::thousands(page.total as i64));
            copy_text(&as_text(&columns.get_untracked(), &list), move |is_done| {
                if is_done {
                    let said = tr(context.language.get_untracked(), "{n} of {m} rows copied");
                    context.say.run((fill(said, &[("n", &n), ("m", &all)]), false));
                }
            });
        });
    };
    let save = move |_| {
        spawn_local(async move {
            if let Some(file) = context.export(format!("figures-csv:{}", id.get_value())).await {
                context.save.run(file);
            }
        });
    };
    let all = head.with_value(|h| h.rows);
    let notes = head.with_value(|h| h.notes.clone());
    let label = Signal::derive(move || head.with_value(|h| tr(context.language.get(), &h.title).to_owned()));
    view! {
        <div class="table">
            <div class="table__tools tables__tools">
                <SelectField label=context.word("Table") options value on_choose />
                <SearchField label=context.word("Filter rows") value=filter />
                <span class="field__count" role="status">{move || count_words(count.get(), all)}</span>
                <span class="tables__gap"></span>
                <button
                    class="button button--plain"
                    type="button"
                    data-action="copy-table"
                    data-tip=words.tr("Copy the rows with their heads")
                    aria-label=words.tr("Copy the rows with their heads")
                    on:click=copy
                >
                    <Icon glyph=Glyph::Copy />
                </button>
                <button
                    class="button button--plain"
                    type="button"
                    data-action="save-table"
                    data-tip=words.tr("Save as CSV")
                    aria-label=words.tr("Save as CSV")
                    on:click=save
                >
                    <Icon glyph=Glyph::Export />
                </button>
            </div>
            <Table label model none=context.word("No rows") />
            {notes.into_iter().map(|note| view! {
                <p class="figure__note">{move || told(context.language.get(), &note).into_owned()}</p>
            }).collect_view()}
        </div>
    }
}

async fn page(context: ViewContext, ask: AskRows) -> Option<Page> {
    match context.ask(Query::Figures(Ask::Table(ask))).await {
        Answer::Figures(Reply::Table(page)) => Some(page),
        _ => None,
    }
}

/// A column as wide as its head, and its numbers.
fn column(name: &str, unit: &Unit, is_number: bool) -> Column {
    let unit = unit.symbol();
    let head = if unit.is_empty() { name.to_owned() } else { format!("{name} ({unit})") };
    let width = f64::from((text::width(&head, HEAD) + 34.0).clamp(84.0, 280.0).ceil());
    if is_number { Column::number(name, unit, width) } else { Column::text(name, width.max(120.0)) }
}

/// The part of a bar that a value fills: of percent, and of ratios from 0 to 1.
fn share(name: &str, unit: &Unit, value: f64) -> Option<f64> {
    let is_ratio = *unit == Unit::None && (name.ends_with("ratio") || name.ends_with("rate"));
    match unit {
        Unit::Percent => Some(value / 100.0),
        Unit::Share => Some(value),
        _ if is_ratio && (0.0..=1.0).contains(&value) => Some(value),
        _ => None,
    }
    .map(|share| share.clamp(0.0, 1.0))
}

fn cells(head: &TableHead, row: &[Value]) -> Vec<Cell> {
    let cell = |(value, (name, unit, _)): (&Value, &(String, Unit, bool))| match value {
        Value::Number(v) => {
            let text = match unit {
                Unit::Address | Unit::Share => full(Some(*v), unit),
                _ => number::exact(*v),
            };
            Cell { share: share(name, unit, *v), full: full(Some(*v), unit), ..Cell::number(text, *v) }
        }
        Value::Text(text) => Cell { full: text.clone(), ..Cell::text(text.clone()) },
        Value::Missing => Cell::text(number::MISSING).second(),
    };
    row.iter().zip(&head.columns).map(cell).collect()
}
