//! Slices in a table that is fetched as it is scrolled: hits of the search, or those behind the sums of a range.

use super::side::area::{Page, Paged, Place};
use super::state::State;
use crate::base::words::tr;
use crate::ui::table::cell::{Cell, Column, Order};
use crate::wire::timeline::{Area, Ask, Current, Reply, RowColumn, SearchQuery, SliceHead};
use crate::wire::{Answer, Query};
use leptos::prelude::*;

/// Which slices.
#[derive(Clone, PartialEq)]
pub(super) enum Source {
    /// What was found.
    Hits(SearchQuery),
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
    let ask =
        Callback::new(move |(order, from, limit)| Some(Query::Timeline(source.ask(order, from, limit))));
    let page = Callback::new(move |answer: Answer| {
        let (total, heads) = match answer {
            Answer::Timeline(Reply::Rows(page)) => (page.total, page.rows),
            Answer::Timeline(Reply::Search(hits)) => (hits.listed, hits.rows),
            _ => return None,
        };
        let rows = heads.iter().map(|head| (cells(head), [Place::Slice(head.id); 2])).collect();
        Some(Page { total: total as usize, rows })
    });
    view! { <Paged state label columns ask page /> }
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
