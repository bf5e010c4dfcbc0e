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
use crate::draw::facts::says_unit;
use crate::draw::style::{HEAD, TEXT, full};
use crate::model::figure::Cell as Value;
use crate::scene::text;
use crate::ui::field::{SearchField, SelectField, Switch};
use crate::ui::icon::{Glyph, Icon};
use crate::ui::latest::Latest;
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
    has_empty: bool,
}

impl Shown {
    fn parse(text: &str) -> Self {
        let mut shown = Self::default();
        for (name, value) in pairs::split(text) {
            match name.as_str() {
                "table" => shown.table = value,
                "filter" => shown.filter = value,
                "empty" => shown.has_empty = value == "shown",
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
        let empty = self.has_empty.then(|| "shown".to_owned());
        let list = [
            ("table", Some(&self.table)),
            ("order", order.as_ref()),
            ("filter", Some(&self.filter)),
            ("empty", empty.as_ref()),
        ];
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
    // Columns of the file, and which of them are shown; an order speaks of the shown ones.
    let has_empty = RwSignal::new(shown.has_empty);
    let seen = Memo::new(move |_| head.with_value(|h| seen_columns(h, has_empty.get())));
    let order = RwSignal::new(shown.order.and_then(|(column, is_descending)| {
        let column = seen.with_untracked(|seen| seen.iter().position(|own| *own == column))?;
        Some(Order { column, is_descending })
    }));
    let sort = move || {
        let Order { column, is_descending } = order.get()?;
        Some((seen.with(|seen| seen.get(column).copied())?, is_descending))
    };
    let (count, rows) = (RwSignal::new(0_usize), RwSignal::new(Rows::default()));
    let (need, chosen) = (RwSignal::new(0..0_usize), RwSignal::new(None));
    let n_columns = head.with_value(|h| h.columns.len().max(1));
    let most = (CELLS / n_columns).max(1);
    let question = move |from: usize, n: usize| AskRows {
        id: id.get_value(),
        sort: sort(),
        filter: filter.get().trim().to_owned(),
        from,
        n: n.min(most),
        ..AskRows::default()
    };
    // Widest words of each column of the file among the first rows that came: a table does not jump while it is scrolled.
    let widest = RwSignal::new(Vec::<f32>::new());
    let latest = Latest::default();
    Effect::new(move || {
        let range = need.get();
        let ask = question(range.start, range.len().max(PAGE));
        latest.ask(page(context, ask), move |page| {
            if let Some(page) = page {
                count.try_set(page.total);
                let seen = seen.try_get_untracked().unwrap_or_default();
                let cells = head.try_with_value(|h| {
                    if widest.try_with_untracked(Vec::is_empty) == Some(true) {
                        widest.try_set(widths(h, &page.rows));
                    }
                    page.rows.iter().map(|row| cells(h, &seen, row)).collect()
                });
                rows.try_set(Rows { first: page.from, cells: cells.unwrap_or_default() });
            }
        });
    });
    Effect::new(move |before: Option<()>| {
        let shown =
            Shown { table: id.get_value(), order: sort(), filter: filter.get(), has_empty: has_empty.get() };
        // What stood in the address is not written anew.
        if before.is_some() {
            keep(context, &shown);
        }
    });
    let columns = Signal::derive(move || {
        let language = context.language.get();
        let widest = widest.get();
        let of = |h: &TableHead, at: usize| {
            let (name, unit, is_number) = h.columns.get(at)?;
            let least = widest.get(at).copied().unwrap_or(0.0);
            Some(column(tr(language, name), unit, *is_number, least))
        };
        head.with_value(|h| seen.with(|seen| seen.iter().filter_map(|at| of(h, *at)).collect::<Vec<_>>()))
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
            let list: Vec<Vec<Cell>> = head.with_value(|h| {
                seen.with_untracked(|seen| page.rows.iter().map(|row| cells(h, seen, row)).collect())
            });
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
    let n_empty = head.with_value(|h| if h.empty.len() < h.columns.len() { h.empty.len() } else { 0 });
    let hidden = Signal::derive(move || {
        let n = number::thousands(n_empty as i64);
        fill(tr(context.language.get(), "Hide empty columns ({n})"), &[("n", &n)])
    });
    let hide = Callback::new(move |hides: bool| {
        // The same column stays the one that the rows are sorted by.
        let sorted = untrack(sort);
        has_empty.set(!hides);
        order.set(sorted.and_then(|(column, is_descending)| {
            let column = seen.with_untracked(|seen| seen.iter().position(|own| *own == column))?;
            Some(Order { column, is_descending })
        }));
        rows.update(|rows| rows.cells.clear());
    });
    let label = Signal::derive(move || head.with_value(|h| tr(context.language.get(), &h.title).to_owned()));
    view! {
        <div class="table">
            <div class="table__tools tables__tools">
                <SelectField label=context.word("Table") options value on_choose />
                <SearchField label=context.word("Filter rows") value=filter />
                <span class="field__count" role="status">{move || count_words(count.get(), all)}</span>
                {(0 < n_empty).then(|| view! {
                    <Switch label=hidden checked=Signal::derive(move || !has_empty.get()) on_change=hide />
                })}
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

/// Which columns of the file are shown.
fn seen_columns(head: &TableHead, has_empty: bool) -> Vec<usize> {
    let all = 0..head.columns.len();
    // A table without any value keeps its heads.
    if has_empty || head.empty.len() == head.columns.len() {
        return all.collect();
    }
    all.filter(|at| !head.empty.contains(at)).collect()
}

/// Widest words of each column, px.
fn widths(head: &TableHead, rows: &[Vec<Value>]) -> Vec<f32> {
    let all: Vec<usize> = (0..head.columns.len()).collect();
    let mut widest = vec![0.0_f32; all.len()];
    for row in rows {
        for (widest, cell) in widest.iter_mut().zip(cells(head, &all, row)) {
            *widest = widest.max(text::width(&cell.text, TEXT));
        }
    }
    widest
}

/// A column as wide as its head and its words.
fn column(name: &str, unit: &Unit, is_number: bool, widest: f32) -> Column {
    let unit = if says_unit(name, unit.symbol()) { "" } else { unit.symbol() };
    let head = if unit.is_empty() { name.to_owned() } else { format!("{name} ({unit})") };
    let width = (text::width(&head, HEAD) + 34.0).max(widest + 20.0);
    let width = f64::from(width.clamp(84.0, 280.0).ceil());
    if is_number { Column::number(name, unit, width) } else { Column::text(name, width) }
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

/// The cells of the shown columns.
fn cells(head: &TableHead, seen: &[usize], row: &[Value]) -> Vec<Cell> {
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
    seen.iter().filter_map(|at| Some(cell((row.get(*at)?, head.columns.get(*at)?)))).collect()
}
