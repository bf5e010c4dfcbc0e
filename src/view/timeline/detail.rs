//! Below the lanes: the selected slice at the left; what the range adds up to, or what was found, at the right.

use super::state::{Side, State};
use crate::base::number::{duration, fixed, thousands};
use crate::base::words::tr;
use crate::ui::field::SearchField;
use crate::ui::table::cell::{Cell, Column};
use crate::ui::table::local::LocalTable;
use crate::ui::tabs::{Tab, Tabs, panel_id, tab_id};
use crate::wire::timeline::{Call, Hits, Link, Slice, SliceHead, SumRow, Sums};
use leptos::prelude::*;

/// The pane.
#[component]
pub(super) fn Detail(state: State) -> impl IntoView {
    let slice = move || {
        match state.detail.get() {
        Some(slice) => view! { <SliceFacts state slice /> }.into_any(),
        None => view! { <p class="detail__empty">{state.context.word("Click a slice to see its arguments, call stack and links.")}</p> }.into_any(),
    }
    };
    let tabs = Signal::derive(move || {
        let language = state.context.language.get();
        let n = |hits: Option<u64>| hits.map(|n| thousands(n.cast_signed())).unwrap_or_default();
        let range = state.context.selection.with(|s| s.range);
        let clock = state.context.head.with(|h| h.clock);
        let tab = |id: &str, title: &str, count: String| Tab {
            id: id.to_owned(),
            title: tr(language, title).to_owned(),
            count,
        };
        vec![
            tab("range", "Range", range.map(|r| duration(r.dur(), clock)).unwrap_or_default()),
            tab("search", "Search", n(state.hits.with(|h| h.as_ref().map(|h| h.n)))),
        ]
    });
    let current =
        Signal::derive(move || if state.side.get() == Side::Range { "range" } else { "search" }.to_owned());
    let choose = Callback::new(move |id: String| {
        state.side.set(if id == "range" { Side::Range } else { Side::Search });
    });
    let right = move || {
        match state.side.get() {
        Side::Range => match state.sums.get() {
            Some(sums) => view! { <SumTable state sums /> }.into_any(),
            None => view! { <p class="detail__empty">{state.context.word("Drag over the lanes to sum up a range.")}</p> }.into_any(),
        },
        Side::Search => view! { <Found state /> }.into_any(),
    }
    };
    view! {
        <div class="detail">
            <section class="detail__slice" aria-label=state.context.word("Selected slice")>{slice}</section>
            <section class="detail__side" aria-label=state.context.word("Range and search")>
                <div class="detail__tabs">
                    <Tabs label=state.context.word("Range and search") tabs current on_choose=choose dense=true />
                </div>
                <div
                    class="detail__body"
                    role="tabpanel"
                    id=move || panel_id(&current.get())
                    aria-labelledby=move || tab_id(&current.get())
                >
                    {right}
                </div>
            </section>
        </div>
    }
}

#[component]
fn SliceFacts(state: State, slice: Slice) -> impl IntoView {
    let context = state.context;
    let swatch = NodeRef::<leptos::html::Span>::new();
    let ink = slice.head.ink.clone();
    Effect::new(move || {
        let color = context.palette.with(|p| p.colors.get(&ink).copied().unwrap_or(0));
        if let Some(node) = swatch.get() {
            let _ = web_sys::HtmlElement::style(&node).set_property("background", &format!("#{color:08x}"));
        }
    });
    let pairs = move |list: Vec<(String, String)>, is_mono: bool| {
        let class = if is_mono { "detail__value detail__value--mono" } else { "detail__value" };
        list.into_iter()
            .map(|(name, value)| {
                let full = value.clone();
                view! {
                    <div class="detail__row">
                        <dt class="detail__label">{move || tr(context.language.get(), &name).to_owned()}</dt>
                        <dd class=class title=full>{value}</dd>
                    </div>
                }
            })
            .collect_view()
    };
    let has_args = !slice.args.is_empty();
    let has_stack = !slice.stack.is_empty() || !slice.linked.is_empty();
    let calls = slice.stack.into_iter().map(|call| view! { <CallRow state call /> }).collect_view();
    let links = slice.linked.into_iter().map(|link| view! { <LinkRow state link /> }).collect_view();
    view! {
        <div class="detail__column">
            <h2 class="detail__title"><span class="detail__swatch" node_ref=swatch></span>{slice.head.name}</h2>
            <dl>{pairs(slice.facts, false)}</dl>
        </div>
        {has_args.then(|| view! {
            <div class="detail__column">
                <h3 class="detail__head">{context.word("Arguments")}</h3>
                <dl>{pairs(slice.args, true)}</dl>
            </div>
        })}
        {has_stack.then(|| view! {
            <div class="detail__column">
                <h3 class="detail__head">{context.word("Call stack and links")}</h3>
                <ol class="detail__list">{calls}</ol>
                <ul class="detail__list">{links}</ul>
            </div>
        })}
    }
}

#[component]
fn CallRow(state: State, call: Call) -> impl IntoView {
    let text = call.text.clone();
    match call.at {
        Some(at) => {
            let name = at.0.rsplit('/').next().unwrap_or(&at.0).to_owned();
            let words = format!("{name}:{}", at.1);
            let go = move |_| {
                state.context.selection.update(|s| s.line = Some(at.clone()));
                state.context.go.run("source".to_owned());
            };
            view! {
                <li><button class="button button--text detail__call" type="button" title=text on:click=go>{words}</button></li>
            }
            .into_any()
        }
        None => view! { <li class="detail__call">{text}</li> }.into_any(),
    }
}

#[component]
fn LinkRow(state: State, link: Link) -> impl IntoView {
    let id = link.head.id;
    let direction = state.context.word(if link.is_from { "from" } else { "to" });
    view! {
        <li class="detail__link">
            <span class="detail__label">{direction} " " {link.category}</span>
            <button class="button button--text" type="button" on:click=move |_| state.go_to(id)>
                {format!("{}, {}", link.head.name, link.head.track)}
            </button>
        </li>
    }
}

#[component]
fn SumTable(state: State, sums: Sums) -> impl IntoView {
    let context = state.context;
    let clock = context.head.with_untracked(|h| h.clock);
    let columns = Signal::derive(move || {
        let word = |english: &'static str| tr(context.language.get(), english).to_owned();
        vec![
            Column::text(word("Name"), 0.0),
            Column::text(word("Track"), 96.0),
            Column::number(word("Count"), "", 72.0),
            Column::number(word("Total"), "", 96.0),
            Column::number(word("Share"), "%", 64.0),
            Column::number(word("Self"), "", 96.0),
            Column::number(word("Mean"), "", 88.0),
            Column::number(word("Longest"), "", 88.0),
        ]
    });
    let whole = sums.span.dur().max(1) as f64;
    let row = |r: &SumRow, name: String| {
        let time = |t: i64| Cell { text: duration(t, clock), number: Some(t as f64), ..Cell::default() };
        let share = r.union as f64 / whole;
        let swatch = context.palette.with_untracked(|p| p.colors.get(&r.ink).copied());
        vec![
            Cell { full: name.clone(), text: name, swatch, ..Cell::default() },
            Cell { text: r.track.clone(), is_second: true, ..Cell::default() },
            Cell { text: thousands(r.count.cast_signed()), number: Some(r.count as f64), ..Cell::default() },
            time(r.total),
            Cell {
                text: fixed(share * 100.0, 1),
                number: Some(share),
                share: Some(share.min(1.0)),
                ..Cell::default()
            },
            time(r.own),
            time(r.mean.round() as i64),
            time(r.max),
        ]
    };
    let total = tr(context.language.get_untracked(), "All names").to_owned();
    let mut rows = vec![row(&sums.all, total)];
    rows.extend(sums.rows.iter().map(|r| row(r, r.name.clone())));
    view! { <LocalTable label=context.word("Sums of the range") columns rows=Signal::stored(rows) filtered=true /> }
}

#[component]
fn Found(state: State) -> impl IntoView {
    let context = state.context;
    let text = RwSignal::new(state.search.with_untracked(|s| s.text.clone()));
    Effect::new(move || {
        let text = text.get();
        if untrack(|| state.search.with(|s| s.text != text)) {
            state.search.update(|s| s.text = text);
        }
    });
    let hits = Memo::new(move |_| state.hits.get());
    let columns = Signal::derive(move || {
        let word = |english: &'static str| tr(context.language.get(), english).to_owned();
        vec![
            Column::text(word("Name"), 0.0),
            Column::text(word("Track"), 160.0),
            Column::number(word("Start"), "", 120.0),
            Column::number(word("Duration"), "", 96.0),
        ]
    });
    let rows = Signal::derive(move || hits.with(|h| h.as_ref().map(hit_rows).unwrap_or_default()));
    let open = Callback::new(move |at: usize| {
        if let Some(id) = hits.with_untracked(|h| h.as_ref().and_then(|h| h.rows.get(at)).map(|h| h.id)) {
            state.go_to(id);
        }
    });
    view! {
        <div class="detail__search"><SearchField label=context.word("Search slices") value=text wide=true /></div>
        <div class="detail__hits"><LocalTable label=context.word("Slices found") columns rows on_open=open /></div>
    }
}

fn hit_rows(hits: &Hits) -> Vec<Vec<Cell>> {
    let row = |h: &SliceHead| {
        let number =
            |text: &str, n: i64| Cell { text: text.to_owned(), number: Some(n as f64), ..Cell::default() };
        vec![
            Cell { text: h.name.clone(), full: h.name.clone(), ..Cell::default() },
            Cell { text: format!("{} {}", h.group, h.track), is_second: true, ..Cell::default() },
            number(&h.start, h.span.start),
            number(&h.duration, h.span.dur()),
        ]
    };
    hits.rows.iter().map(row).collect()
}
