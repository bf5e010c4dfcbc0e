//! When tracks do nothing: busy and idle time of each, its longest gap, and all gaps.

use super::area::{AreaWords, Page, Paged, Place, answer, argument, save, shown};
use crate::base::number::{duration, fixed, thousands};
use crate::base::words::{fill, phrase, tr};
use crate::ui::field::{Segmented, Switch};
use crate::ui::icon::{Glyph, Icon};
use crate::ui::table::cell::{Cell, Column, Order};
use crate::ui::table::local::LocalTable;
use crate::view::timeline::state::State;
use crate::wire::area::{Ask, Gap, Idle, IdleRow, Reply};
use crate::wire::timeline::Area;
use crate::wire::{Answer, Query};
use leptos::prelude::*;

/// The panel.
#[component]
pub(super) fn IdlePanel(state: State) -> impl IntoView {
    let context = state.context;
    let area = shown(state, false);
    let waits = state.waits;
    let show = RwSignal::new("tracks".to_owned());
    let options = Signal::derive(move || {
        let language = context.language.get();
        [("tracks", phrase("Tracks")), ("gaps", phrase("Gaps"))]
            .map(|(id, title)| (id.to_owned(), tr(language, title).to_owned()))
            .to_vec()
    });
    let reply =
        answer(state, Signal::derive(move || Some(Ask::Idle { area: area.get()?, waits: waits.get() })));
    let on_save = Callback::new(move |()| {
        if let Some(area) = area.get_untracked() {
            let third = if waits.get_untracked() { ":waits" } else { "" };
            save(state, format!("gaps-csv:{}{third}", argument(&area)));
        }
    });
    let devices = move || {
        let language = context.language.get();
        reply.with(|reply| {
            let Some(Reply::Idle(idle)) = reply else { return String::new() };
            let one = |(name, n, share): &(String, u64, f64)| {
                let values =
                    [("name", name.clone()), ("share", fixed(share * 100.0, 1)), ("n", n.to_string())];
                let values = values.each_ref().map(|(key, value)| (*key, value.as_str()));
                fill(tr(language, "{name} busy {share} % of the range, streams: {n}"), &values)
            };
            idle.devices.iter().take(8).map(one).collect::<Vec<_>>().join(" · ")
        })
    };
    let body = move || {
        if show.with(|s| s == "gaps") {
            view! { <GapTable state area /> }.into_any()
        } else {
            view! { <TrackTable state reply /> }.into_any()
        }
    };
    view! {
        <div class="detail__tools">
            <Segmented label=context.word("Show as") options value=show on_choose=Callback::new(move |id| show.set(id)) small=true />
            <Switch label=context.word("Waiting counts as busy") checked=waits on_change=Callback::new(move |on| waits.set(on)) />
            <AreaWords state area />
            <SaveCsv state on_save />
        </div>
        <p class="detail__devices">{devices}</p>
        {body}
    }
}

/// The button that saves what a panel lists.
#[component]
pub(super) fn SaveCsv(state: State, on_save: Callback<()>) -> impl IntoView {
    let label = state.context.word("Save as CSV");
    view! {
        <button class="button button--plain button--small" type="button" aria-label=label data-tip=label on:click=move |_| on_save.run(())>
            <Icon glyph=Glyph::Export />
        </button>
    }
}

#[component]
fn TrackTable(state: State, reply: Signal<Option<Reply>>) -> impl IntoView {
    let context = state.context;
    let columns = Signal::derive(move || {
        let word = |english: &'static str| tr(context.language.get(), english).to_owned();
        vec![
            Column::text(word("Track"), 0.0),
            Column::number(word("Busy"), "%", 64.0),
            Column::number(word("Gaps"), "", 64.0),
            Column::number(word("Longest gap"), "", 96.0),
            Column::number(word("Begins"), "", 120.0),
            Column::number(word("Idle"), "", 88.0),
            Column::number(word("Busy"), "", 88.0),
        ]
    });
    let rows = Signal::derive(move || {
        let clock = context.head.with(|h| h.clock);
        let time = |t: i64| Cell::number(duration(t, clock), t as f64);
        let row = |row: &IdleRow| {
            let Idle { busy, idle, n, longest, .. } = row.time;
            let share = busy as f64 / (busy + idle).max(1) as f64;
            let has_gap = !longest.is_empty();
            let gap = |cell: Cell| if has_gap { cell } else { Cell::default() };
            vec![
                Cell { full: row.name.clone(), ..Cell::text(row.name.clone()) },
                Cell { share: Some(share), ..Cell::number(fixed(share * 100.0, 1), share) },
                Cell::number(thousands(n.cast_signed()), n as f64),
                gap(time(longest.dur())),
                gap(Cell::number(row.at.clone(), longest.start as f64)),
                time(idle),
                time(busy),
            ]
        };
        reply.with(|reply| match reply {
            Some(Reply::Idle(idle)) => idle.rows.iter().map(row).collect(),
            _ => Vec::new(),
        })
    });
    let go = Callback::new(move |at: usize| {
        let span = reply.with_untracked(|reply| match reply {
            Some(Reply::Idle(idle)) => idle.rows.get(at).map(|row| row.time.longest),
            _ => None,
        });
        span.filter(|span| !span.is_empty()).into_iter().for_each(|span| state.see(span));
    });
    let hint = move || {
        let language = context.language.get();
        let left_out = reply.with(|reply| match reply {
            Some(Reply::Idle(idle)) => idle.n_tracks - idle.rows.len() as u64,
            _ => 0,
        });
        if 0 < left_out {
            let n = thousands(left_out.cast_signed());
            return fill(tr(language, "{n} more tracks are only in the CSV."), &[("n", &n)]);
        }
        tr(language, "Enter or a double click goes to the longest gap.").to_owned()
    };
    view! {
        <LocalTable label=context.word("Busy and idle time of tracks") columns rows on_open=go />
        <p class="detail__hint">{hint}</p>
    }
}

#[component]
fn GapTable(state: State, area: Signal<Option<Area>>) -> impl IntoView {
    let context = state.context;
    let listed = RwSignal::new((0_u64, 0_u64));
    let columns = Signal::derive(move || {
        let word = |english: &'static str| tr(context.language.get(), english).to_owned();
        let mut columns = vec![
            Column::text(word("Track"), 0.0),
            Column::number(word("Begins"), "", 128.0),
            Column::number(word("Duration"), "", 112.0),
        ];
        columns[0].is_sortable = false;
        columns
    });
    let ask = Callback::new(move |(order, from, limit): (Option<Order>, u32, u32)| {
        let by_start = order.is_some_and(|o| o.column == 1);
        let is_descending = order.is_none_or(|o| o.is_descending);
        let waits = state.waits.get();
        Some(Query::Area(Ask::Gaps { area: area.get()?, waits, by_start, is_descending, from, limit }))
    });
    let page = Callback::new(move |answer: Answer| {
        let Answer::Area(Reply::Gaps(gaps)) = answer else { return None };
        listed.set((gaps.n, gaps.listed));
        let row = |gap: Gap| {
            let cells = vec![
                Cell { full: gap.track.clone(), ..Cell::text(gap.track) },
                Cell::number(gap.start, gap.span.start as f64),
                Cell::number(gap.duration, gap.span.dur() as f64),
            ];
            (cells, [Place::Time(gap.span); 2])
        };
        Some(Page { total: gaps.listed as usize, rows: gaps.rows.into_iter().map(row).collect() })
    });
    let hint = move || {
        let (n, m) = listed.get();
        let [n, m] = [n, m].map(|n| thousands(n.cast_signed()));
        let words =
            if n == m { phrase("Gaps: {n}") } else { phrase("Gaps: {n}, the {m} longest are listed") };
        fill(tr(context.language.get(), words), &[("n", &n), ("m", &m)])
    };
    view! {
        <Paged state label=context.word("Gaps of the range") columns ask page />
        <p class="detail__hint">{hint}</p>
    }
}
