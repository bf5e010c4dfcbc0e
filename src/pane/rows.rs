//! Tables of views: rows that the document's worker has, rows that are at hand; and answers that follow their questions.

use crate::analysis::rows::{self as analysis, Goal, Key, Kind, RowOrder, RowSource, Value, key_of};
use crate::base::number::thousands;
use crate::base::pairs;
use crate::base::words::{fill, tr};
use crate::draw::style::TEXT;
use crate::model::figure::Target;
use crate::pane::context::ViewContext;
use crate::pane::loading::{Place, loaded};
use crate::scene::table::{Cell, Column, Order, Page, PageRequest};
use crate::scene::text;
use crate::ui::table::{Answering, Table, TableState};
use crate::ui::{self, blob, table};
use crate::wire::rows::{RowsQuery, Source};
use crate::wire::{Answer, Ask, Query};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::cell::Cell as Counter;
use std::collections::BTreeMap;

/// The answer to a question, asked anew when the question changes.
pub fn follow<A>(context: ViewContext, ask: Signal<Option<A>>) -> RwSignal<Option<A::Answer>>
where
    A: Ask<Answer: Send + Sync> + Clone + Send + Sync + 'static,
{
    let last = RwSignal::new(None);
    let asked = move || {
        context.language.track();
        Some(context.ask(ask.get()?))
    };
    ui::follow(asked, move |answer| {
        last.try_set(Some(answer));
    });
    last
}

/// Where orders and filters of tables stand among the states of views in the address, by names of tables.
const KEPT: &str = "sorted";

/// Order and filter of a table, which the address keeps: what stands there counts when it or the table changes, else what
/// the user does.
fn kept(context: ViewContext, name: Signal<Option<String>>) -> TableState {
    let state = TableState::default();
    let name = Memo::new(move |_| name.get());
    let of = move |name: &str, states: &BTreeMap<String, String>| {
        let all = states.get(KEPT).map(|text| pairs::split(text)).unwrap_or_default();
        all.into_iter().find(|(own, _)| own == name).map_or_else(String::new, |(_, value)| value)
    };
    Effect::new(move |before: Option<(Option<String>, String, String)>| {
        let (name, order, filter) = (name.get(), state.order.get(), state.filter.get());
        let order = order.map_or_else(String::new, Order::text);
        let own = if filter.is_empty() { order } else { format!("{order},{filter}") };
        let text =
            context.states.with(|states| name.as_ref().map(|name| of(name, states)).unwrap_or_default());
        let (is_same, own_before, text_before) =
            before.map_or((false, String::new(), String::new()), |(of, own, text)| (of == name, own, text));
        if own != text && !(is_same && text == text_before) {
            let (order, filter) = text.split_once(',').unwrap_or((&text, ""));
            state.order.set(Order::parse(order));
            state.filter.set(filter.to_owned());
        } else if let Some(name) = name.as_ref().filter(|_| is_same && own != own_before && own != text) {
            context.keep_one(KEPT, name, own.clone());
        }
        (name, own, text)
    });
    state
}

thread_local! {
    /// Tables of this page so far.
    static TABLES: Counter<u32> = const { Counter::new(0) };
}

/// What belongs to the rows of a page beside their cells.
#[derive(Clone, Default)]
struct RowMeaning {
    first: usize,
    numbers: Vec<u32>,
    goals: Vec<[Option<Goal>; 2]>,
}

/// A table whose rows the worker sorts, filters and hands over by pages.
#[allow(clippy::too_many_lines)] // one pane with its parts
#[component]
pub fn WorkerTable(
    context: ViewContext,
    /// What it lists, for screen readers.
    #[prop(into)]
    label: Signal<String>,
    /// Where the rows come from; nothing is asked without.
    #[prop(into)]
    source: Signal<Option<Source>>,
    /// What the chosen row leads to.
    #[prop(optional)]
    on_choose: Option<Callback<Goal>>,
    /// What the opened row leads to.
    #[prop(optional)]
    on_open: Option<Callback<Goal>>,
    /// A row of a tree is opened or closed, by its number.
    #[prop(optional)]
    on_toggle: Option<Callback<u32>>,
    /// Order, filter and chosen row; without, the address keeps them for each table.
    #[prop(optional)]
    state: Option<TableState>,
    /// What the chosen row leads to: it is chosen where it stands, also in another order.
    #[prop(optional, into)]
    sought: Signal<Option<Goal>>,
    /// Rows that are marked, by their numbers in the table; the first is brought into view.
    #[prop(optional, into)]
    marked: Signal<Vec<u32>>,
    /// Told how many rows there are, and how many of them are listed.
    #[prop(optional)]
    on_count: Option<Callback<(u64, u64)>>,
    /// Told what the rows are and add up to.
    #[prop(optional)]
    on_words: Option<Callback<Vec<String>>>,
    /// Without filter and buttons: the table is short.
    #[prop(optional)]
    plain: bool,
    /// What stands before the filter.
    #[prop(optional, into)]
    lead: ViewFn,
) -> impl IntoView {
    let table = TABLES.with(|tables| tables.replace(tables.get() + 1));
    let name = Signal::derive(move || source.with(|source| source.as_ref().map(|of| of.name().to_owned())));
    let state = state.unwrap_or_else(|| kept(context, name));
    loaded(Place::Part, context, label, move |context| {
        let meant = StoredValue::new(RowMeaning::default());
        let placed = StoredValue::new(None);
        let fetch = Callback::new(move |wanted: PageRequest| -> Answering {
            context.language.track();
            context.palette.track();
            context.head.with(|head| head.is_complete);
            let (source, marked) = (source.get(), marked.get());
            Box::pin(async move {
                let sorted = Some((wanted.order, wanted.filter.clone()));
                let ask = RowsQuery { table, source: source?, wanted };
                let Answer::Rows(Some(reply)) = context.ask(Query::Rows(ask)).await else { return None };
                let mut page = reply.page;
                for (row, _) in page.rows.iter_mut().zip(&reply.numbers).filter(|(_, n)| marked.contains(n)) {
                    for cell in row.iter_mut() {
                        cell.is_marked = true;
                    }
                }
                let is_placed = state.chosen.try_with_untracked(Option::is_some) == Some(true)
                    && placed.try_get_value().as_ref() == Some(&sorted);
                if let Some(goal) = sought.try_get_untracked().flatten().filter(|_| !is_placed) {
                    let found = reply.goals.iter().position(|goals| goals[0].as_ref() == Some(&goal));
                    page.at = found.map(|at| page.from + at);
                    if found.is_none() {
                        state.chosen.try_set(None);
                    }
                }
                placed.try_set_value(sorted);
                meant.try_set_value(RowMeaning {
                    first: page.from,
                    numbers: reply.numbers,
                    goals: reply.goals,
                });
                if let Some(count) = on_count {
                    count.try_run((reply.n_known, page.all as u64)); // the view may be closed by now
                }
                if let Some(on_words) = on_words {
                    on_words.try_run(reply.words);
                }
                Some(page)
            })
        });
        let go = move |at: usize, which: usize, act: Option<Callback<Goal>>| {
            let goal = meant.with_value(|m| m.goals.get(at.checked_sub(m.first)?)?[which].clone());
            if let (Some(goal), Some(act)) = (goal, act) {
                act.run(goal);
            }
        };
        let save = Callback::new(move |wanted: PageRequest| {
            let Some(source) = source.get_untracked() else { return };
            spawn_local(async move {
                if let Some(file) = context.file(Query::RowsFile(RowsQuery { table, source, wanted })).await {
                    context.save.run(file);
                }
            });
        });
        let copied = Callback::new(move |(n, all): (usize, usize)| {
            let [n, all] = [n, all].map(|n| thousands(n as i64));
            let words = tr(context.language.get_untracked(), "{n} of {m} rows copied");
            context.say.run((fill(words, &[("n", &n), ("m", &all)]), false));
        });
        let seek = Signal::derive(move || marked.with(|m| m.first().copied()));
        let choose = Callback::new(move |at| go(at, 0, on_choose));
        let open = Callback::new(move |at| go(at, 1, on_open));
        let link = Callback::new(move |(at, text): (usize, String)| {
            // Of the places of the row the one that the cell names.
            let named = on_open.map(|on_open| {
                Callback::new(move |goal| match goal {
                    Goal::Place(all) => {
                        let own = all.lines().find(|place| Target::shown(place) == text).unwrap_or(&all);
                        on_open.run(Goal::Place(own.to_owned()));
                    }
                    other => on_open.run(other),
                })
            });
            go(at, 1, named);
        });
        let toggle = on_toggle.map(|on_toggle| {
            Callback::new(move |at: usize| {
                let number = meant.with_value(|m| m.numbers.get(at.checked_sub(m.first)?).copied());
                if let Some(number) = number {
                    on_toggle.run(number);
                }
            })
        });
        view! {
            <Table label fetch state seek on_choose=choose on_open=open on_link=link on_toggle=toggle on_save=Some(save) on_copied=copied plain lead=lead.clone() />
        }
        .into_any()
    })
}

/// A table whose rows are at hand.
#[component]
pub fn LocalTable(
    /// Saves it, and keeps order and filter in the address.
    #[prop(optional_no_strip, into)]
    context: Option<ViewContext>,
    /// What the address calls it.
    name: &'static str,
    /// What it lists, for screen readers.
    #[prop(into)]
    label: Signal<String>,
    columns: Signal<Vec<Column>>,
    /// All rows, in the order of the file.
    rows: Signal<Vec<Vec<Cell>>>,
    /// Enter or double click: number of the row in `rows`.
    #[prop(optional_no_strip)]
    on_open: Option<Callback<usize>>,
) -> impl IntoView {
    let rows = Memo::new(move |_| rows.get());
    let columns = Memo::new(move |_| rows.with(|rows| columns.with(|columns| widened(columns, rows))));
    let ordered = move |wanted: &PageRequest| {
        columns.with(|columns| {
            rows.with(|rows| {
                let source = PageRows { columns, rows };
                let sort = wanted.order.map(|order| (order.column, order.is_descending));
                let order = RowOrder::new(&source, sort, &wanted.filter).finish(&source);
                order.rows().to_vec()
            })
        })
    };
    let listed = StoredValue::new(Vec::new());
    let fetch = Callback::new(move |wanted: PageRequest| -> Answering {
        let order = ordered(&wanted);
        let shown = order.iter().skip(wanted.from).take(wanted.n);
        let mut page = rows.with(|rows| Page {
            columns: columns.get(),
            all: rows.len(),
            total: order.len(),
            order: wanted.order,
            from: wanted.from.min(order.len()),
            rows: shown.map(|row| rows[*row as usize].clone()).collect(),
            at: None,
        });
        page.tell_names();
        listed.set_value(order);
        Box::pin(std::future::ready(Some(page)))
    });
    let open = Callback::new(move |at: usize| {
        let row = listed.with_value(|listed| listed.get(at).copied());
        if let (Some(row), Some(open)) = (row, on_open) {
            open.run(row as usize);
        }
    });
    let save = context.map(|context| {
        Callback::new(move |wanted: PageRequest| {
            let order = untrack(|| ordered(&wanted));
            let text = rows.with_untracked(|rows| {
                let rows = order.iter().map(|row| &rows[*row as usize]);
                columns.with_untracked(|columns| table::as_csv(columns, rows))
            });
            let name = format!("{}.csv", label.get_untracked());
            if let Ok(file) = blob(text.as_bytes(), "text/csv") {
                context.save.run((name, file));
            }
        })
    });
    let state =
        context.map(|context| kept(context, Signal::stored(Some(name.to_owned())))).unwrap_or_default();
    view! { <Table label fetch state on_open=open on_save=save /> }
}

/// Columns of numbers as wide as their longest: numbers are not cut, in the widest font that a system may have.
fn widened(columns: &[Column], rows: &[Vec<Cell>]) -> Vec<Column> {
    let wide = |(at, column): (usize, &Column)| {
        let cells = rows.iter().filter_map(|row| row.get(at));
        let longest = cells.max_by_key(|cell| cell.text.chars().count());
        let least =
            longest.map_or(0.0, |cell| f64::from((text::width(&cell.text, TEXT) * 1.12 + 24.0).ceil()));
        let is_sized = column.is_number && 0.0 < column.width;
        Column { width: if is_sized { column.width.max(least) } else { column.width }, ..column.clone() }
    };
    columns.iter().enumerate().map(wide).collect()
}

/// Rows as they are shown, which sort by the numbers behind their texts.
struct PageRows<'a> {
    columns: &'a [Column],
    rows: &'a [Vec<Cell>],
}

impl RowSource for PageRows<'_> {
    fn columns(&self) -> Vec<analysis::Column> {
        let kind = |column: &Column| if column.is_number { Kind::Count } else { Kind::Text };
        self.columns.iter().map(|column| analysis::Column::new(&column.title, kind(column), 0.0)).collect()
    }

    fn n_rows(&self) -> usize {
        self.rows.len()
    }

    fn cell(&self, row: u32, column: usize) -> Value<'_> {
        self.rows[row as usize].get(column).map_or(Value::Missing, |cell| Value::text(cell.copy()))
    }

    fn key(&self, row: u32, column: usize) -> Key<'_> {
        match self.rows[row as usize].get(column) {
            Some(Cell { number: Some(number), .. }) => key_of(Value::Number(*number)),
            _ => key_of(self.cell(row, column)),
        }
    }
}
