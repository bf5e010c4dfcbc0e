//! Slices in a table that is fetched as it is scrolled: hits of the search, or those behind the sums of a range.

use super::state::State;
use crate::base::words::tr;
use crate::ui::table::cell::{Cell, Column, Order};
use crate::ui::table::{Rows, Table, TableModel};
use crate::wire::timeline::{Area, Ask, Current, MAX_ROWS, Reply, RowColumn, Search, SliceHead};
use crate::wire::{Answer, Query};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::ops::Range;

/// Rows that are asked for at least.
const PAGE: u32 = 60;

/// Which slices.
#[derive(Clone, PartialEq)]
pub(super) enum Source {
    /// What was found.
    Hits(Search),
    /// Those of an area, of one name or of all.
    Area { area: Area, name: Option<String> },
}

impl Source {
    fn ask(&self, order: Option<Order>, from: u32, limit: u32) -> Ask {
        match self {
            Self::Hits(search) => {
                Ask::Search { search: search.clone(), from, limit, current: Current::Number(u32::MAX) }
            }
            Self::Area { area, name } => {
                let sort = match order.map(|o| o.column) {
                    Some(1) => RowColumn::Track,
                    Some(3) => RowColumn::Duration,
                    _ => RowColumn::Start,
                };
                let is_descending = order.is_some_and(|o| o.is_descending);
                Ask::Rows { area: area.clone(), name: name.clone(), sort, is_descending, from, limit }
            }
        }
    }
}

/// The table; choosing a row goes to its slice.
#[component]
pub(super) fn SliceList(state: State, source: Source, #[prop(into)] label: Signal<String>) -> impl IntoView {
    let context = state.context;
    let is_sortable = matches!(source, Source::Area { .. });
    let columns = Signal::derive(move || {
        let word = |english: &'static str| tr(context.language.get(), english).to_owned();
        let mut columns = vec![
            Column::text(word("Name"), 0.0),
            Column::text(word("Track"), 200.0),
            Column::number(word("Start"), "", 128.0),
            Column::number(word("Duration"), "", 104.0),
        ];
        for column in &mut columns[1..] {
            column.is_sortable = is_sortable;
        }
        columns[0].is_sortable = false;
        columns
    });
    let (count, rows) = (RwSignal::new(0_usize), RwSignal::new(Rows::default()));
    let (need, order, chosen) = (RwSignal::new(0..0_usize), RwSignal::new(None), RwSignal::new(None));
    let heads = StoredValue::new((0_usize, Vec::<SliceHead>::new()));
    fetch(state, source, (need, order), move |first, total, page| {
        count.try_set(total);
        rows.try_set(Rows { first, cells: page.iter().map(cells).collect() });
        heads.try_set_value((first, page));
    });
    let go = move |at: usize| {
        let id = heads.with_value(|(first, page)| Some(page.get(at.checked_sub(*first)?)?.id));
        if let Some(id) = id {
            state.go_to(id);
        }
    };
    Effect::new(move |before: Option<Option<usize>>| {
        let now = chosen.get();
        if let (Some(before), Some(at)) = (before, now)
            && before != now
        {
            go(at);
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
        on_open: Some(Callback::new(go)),
    };
    view! { <div class="table"><Table label model none=Signal::derive(move || Some(tr(context.language.get(), "No rows").to_owned())) /></div> }
}

/// Asks for the rows that are needed; `take` gets the number of the first, how many there are in all, and the rows.
fn fetch(
    state: State,
    source: Source,
    (need, order): (RwSignal<Range<usize>>, RwSignal<Option<Order>>),
    take: impl Fn(usize, usize, Vec<SliceHead>) + Copy + 'static,
) {
    let serial = StoredValue::new(0_u32);
    Effect::new(move || {
        let (range, order) = (need.get(), order.get());
        let mine = serial.try_update_value(|s| {
            *s += 1;
            *s
        });
        let limit = (range.len() as u32).clamp(PAGE, MAX_ROWS);
        let ask = source.ask(order, range.start as u32, limit);
        spawn_local(async move {
            let answer = state.context.ask(Query::Timeline(ask)).await;
            if serial.try_get_value() != mine {
                return; // another page was asked for since
            }
            match answer {
                Answer::Timeline(Reply::Rows(page)) => take(range.start, page.total as usize, page.rows),
                Answer::Timeline(Reply::Search(hits)) => take(range.start, hits.listed as usize, hits.rows),
                _ => {}
            }
        });
    });
}

fn cells(head: &SliceHead) -> Vec<Cell> {
    let track =
        if head.group.is_empty() { head.track.clone() } else { format!("{} / {}", head.group, head.track) };
    let number =
        |text: &str, n: i64| Cell { text: text.to_owned(), number: Some(n as f64), ..Cell::default() };
    vec![
        Cell { text: head.name.clone(), full: head.name.clone(), ..Cell::default() },
        Cell { full: track.clone(), text: track, is_second: true, ..Cell::default() },
        number(&head.start, head.span.start),
        number(&head.duration, head.span.dur()),
    ]
}
