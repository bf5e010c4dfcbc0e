//! Flows of the range: single ones, filtered and sorted, and what they add up to by category.

use super::area::{AreaWords, Page, Paged, Place, answer, argument, save, shown};
use super::idle::SaveCsv;
use crate::base::number::{duration, thousands};
use crate::base::words::tr;
use crate::ui::field::{SearchField, SelectField};
use crate::ui::table::cell::{Cell, Column, Order};
use crate::ui::table::local::LocalTable;
use crate::view::timeline::state::State;
use crate::wire::area::{Ask, Category, Flow, Reply};
use crate::wire::timeline::{Area, SliceHead};
use crate::wire::{Answer, Query};
use leptos::prelude::*;

/// Ids of the choice that are no categories.
const ALL: &str = "*";
const SUMS: &str = "+";

/// The panel.
#[component]
pub(super) fn FlowPanel(state: State) -> impl IntoView {
    let context = state.context;
    let area = shown(state, false);
    let text = RwSignal::new(String::new());
    let chosen = RwSignal::new(ALL.to_owned());
    let sums = answer(state, Signal::derive(move || area.get().map(Ask::Categories)));
    let categories = Memo::new(move |_| match sums.get() {
        Some(Reply::Categories(list)) => list,
        _ => Vec::new(),
    });
    let options = Signal::derive(move || {
        let word = |english: &'static str| tr(context.language.get(), english).to_owned();
        let mut options = vec![(ALL.to_owned(), word("All")), (SUMS.to_owned(), word("Sums by category"))];
        let id = |c: &Category| (format!("={}", c.name), c.name.clone());
        options.extend(categories.with(|list| list.iter().map(id).collect::<Vec<_>>()));
        options
    });
    let on_save = Callback::new(move |()| {
        if let Some(area) = area.get_untracked() {
            save(state, format!("flows-csv:{}", argument(&area)));
        }
    });
    let body = move || {
        if chosen.with(|c| c == SUMS) {
            view! { <CategoryTable state categories chosen /> }.into_any()
        } else {
            view! { <FlowTable state area text chosen /> }.into_any()
        }
    };
    let is_sums = Memo::new(move |_| chosen.with(|c| c == SUMS));
    view! {
        <div class="detail__tools">
            <SearchField label=context.word("Filter flows") value=text />
            <SelectField label=context.word("Category") options value=chosen on_choose=Callback::new(move |id| chosen.set(id)) />
            <AreaWords state area />
            <SaveCsv state on_save />
        </div>
        {move || {
            let _ = is_sums.get();
            untrack(body)
        }}
    }
}

/// Single flows.
#[component]
fn FlowTable(
    state: State,
    area: Signal<Option<Area>>,
    text: RwSignal<String>,
    chosen: RwSignal<String>,
) -> impl IntoView {
    let context = state.context;
    let columns = Signal::derive(move || {
        let word = |english: &'static str| tr(context.language.get(), english).to_owned();
        let mut columns = vec![
            Column::text(word("Category"), 80.0),
            Column::text(word("From"), 0.0),
            Column::text(word("To"), 0.0),
            Column::number(word("Latency"), "", 88.0),
            Column::number(word("Start"), "", 112.0),
        ];
        columns[..3].iter_mut().for_each(|c| c.is_sortable = false);
        columns
    });
    let ask = Callback::new(move |(order, from, limit): (Option<Order>, u32, u32)| {
        let category = chosen.with(|c| c.strip_prefix('=').map(str::to_owned));
        let by_latency = order.is_some_and(|o| o.column == 3);
        let is_descending = order.is_some_and(|o| o.is_descending);
        Some(Query::Area(Ask::Flows {
            area: area.get()?,
            text: text.get(),
            category,
            by_latency,
            is_descending,
            from,
            limit,
        }))
    });
    let page = Callback::new(move |answer: Answer| {
        let Answer::Area(Reply::Flows(flows)) = answer else { return None };
        let clock = context.head.with_untracked(|h| h.clock);
        let row = |flow: Flow| {
            let [from, to] = flow.ends;
            let places = [&from, &to].map(|end| end.as_ref().map_or(Place::Nowhere, |h| Place::Slice(h.id)));
            let [from_track, to_track] = flow.tracks;
            let kind = if flow.name.is_empty() {
                flow.category.clone()
            } else {
                format!("{} · {}", flow.category, flow.name)
            };
            let cells = vec![
                Cell { full: kind, ..Cell::text(flow.category).second() },
                end(from.as_ref(), from_track),
                end(to.as_ref(), to_track),
                Cell::number(duration(flow.latency, clock), flow.latency as f64),
                Cell::text(flow.start),
            ];
            (cells, places)
        };
        Some(Page { total: flows.n as usize, rows: flows.rows.into_iter().map(row).collect() })
    });
    let hint =
        context.word("A click goes to where a flow begins, Enter or a double click to where it points.");
    view! {
        <Paged state label=context.word("Flows of the range") columns ask page />
        <p class="detail__hint">{hint}</p>
    }
}

/// The slice at an end with its track, or the track where there is none.
fn end(head: Option<&SliceHead>, track: String) -> Cell {
    match head {
        Some(head) => Cell {
            full: format!("{}\n{track}", head.name),
            ..Cell::text(format!("{} · {}", head.name, head.track))
        },
        None => Cell { full: track.clone(), ..Cell::text(track).second() },
    }
}

#[component]
fn CategoryTable(state: State, categories: Memo<Vec<Category>>, chosen: RwSignal<String>) -> impl IntoView {
    let context = state.context;
    let columns = Signal::derive(move || {
        let word = |english: &'static str| tr(context.language.get(), english).to_owned();
        vec![
            Column::text(word("Category"), 0.0),
            Column::number(word("Count"), "", 80.0),
            Column::number(word("Least latency"), "", 112.0),
            Column::number(word("Mean latency"), "", 112.0),
            Column::number(word("Greatest latency"), "", 120.0),
        ]
    });
    let rows = Signal::derive(move || {
        let clock = context.head.with(|h| h.clock);
        let time = |t: f64| Cell::number(duration(t.round() as i64, clock), t);
        let row = |c: &Category| {
            vec![
                Cell::text(c.name.clone()),
                Cell::number(thousands(c.n.cast_signed()), c.n as f64),
                time(c.min as f64),
                time(c.mean),
                time(c.max as f64),
            ]
        };
        categories.with(|list| list.iter().map(row).collect())
    });
    let open = Callback::new(move |at: usize| {
        let name = categories.with_untracked(|list| list.get(at).map(|c| format!("={}", c.name)));
        if let Some(name) = name {
            chosen.set(name);
        }
    });
    view! {
        <LocalTable label=context.word("Sums by category") columns rows on_open=open />
        <p class="detail__hint">{context.word("Enter or a double click lists the flows of a category.")}</p>
    }
}
