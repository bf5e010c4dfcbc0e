//! Which tracks are busy at the same time: a map of all pairs, and how many are busy at once.

use super::area::{AreaWords, shown};
use crate::analysis::area::overlap::figure_id;
use crate::base::words::tr;
use crate::model::figure::FigureState;
use crate::pane::figure::{FigureBody, Legend, SaveButton};
use crate::ui::field::Switch;
use crate::ui::follow;
use crate::views::timeline::page::state::TimelineState;
use crate::wire::figures::{FigureQuery, Reply, Shown};
use leptos::prelude::*;

/// The panel.
#[component]
pub(super) fn OverlapPanel(state: TimelineState) -> impl IntoView {
    let context = state.context;
    let area = shown(state, true);
    let waits = state.waits;
    let id = Memo::new(move |_| area.with(|a| a.as_ref().map(|a| figure_id(a.span, &a.tracks, waits.get()))));
    view! {
        <div class="detail__tools">
            <Switch label=context.word("Count waiting as busy") checked=waits on_change=Callback::new(move |on| waits.set(on)) />
            <AreaWords state area />
        </div>
        <div class="overlap">
            <One state id chosen=0 />
            <One state id chosen=1 />
        </div>
    }
}

/// One of the two figures.
#[component]
fn One(state: TimelineState, id: Memo<Option<String>>, chosen: usize) -> impl IntoView {
    let context = state.context;
    let shown = RwSignal::new(None::<(String, Shown)>);
    let look = RwSignal::new(FigureState::default());
    let ask = move || {
        let id = id.get()?;
        let answer = context.ask(FigureQuery::Figure { id: id.clone(), chosen: vec![chosen] });
        Some(async move { (id, answer.await) })
    };
    follow(ask, move |(id, answer)| {
        if let Some(Reply::Figure(figure)) = answer {
            shown.try_set(Some((id, *figure)));
        }
    });
    let body = move || {
        let (id, shown) = shown.get()?;
        Some(view! { <FigureBody context shown id chosen=vec![chosen] state=look /> })
    };
    let head = move || {
        let (id, figure) = shown.get()?;
        let title = tr(context.language.get(), &figure.figure.title).to_owned();
        let scope = tr(context.language.get(), &figure.figure.scope).to_owned();
        Some(view! {
            <header class="figure__head">
                <h2 class="figure__title">{title}</h2>
                <span class="figure__scope">{scope}</span>
                <span class="figure__tools">
                    <Legend context shown=Signal::derive(move || shown.with(|s| s.as_ref().map(|s| s.1.clone()))) />
                    <SaveButton context id chosen=Signal::stored(vec![chosen]) />
                </span>
            </header>
        })
    };
    let notes = move || {
        let notes = shown.with(|s| s.as_ref().map(|s| s.1.figure.notes.clone()).unwrap_or_default());
        let language = context.language.get();
        notes
            .into_iter()
            .map(|n| view! { <p class="figure__note">{n.text(language).into_owned()}</p> })
            .collect_view()
    };
    view! {
        <section class="overlap__one">
            {head}
            <div class="figure__body">{body}</div>
            {notes}
        </section>
    }
}
