//! The tabs of the shown document's views, and the views themselves.
//!
//! A view is made when it is first shown and kept while its document is shown, so that going back costs nothing.

use super::CompareBar;
use super::states::{Dead, Failed, NotThere, Opening, Silence};
use crate::base::words::tr;
use crate::page::documents::{DocState, DocumentRow};
use crate::page::opening::how_far;
use crate::page::state::PageState;
use crate::pane::ViewSpec;
use crate::ui::tabs::{Tab, Tabs, panel_id, tab_id, tools_id};
use crate::ui::{Progress, Words, enqueue, screen_size, words};
use crate::views::VIEWS;
use leptos::html;
use leptos::prelude::*;

/// The row of tabs, with the tools of the shown view at its right.
#[component]
pub fn ViewTabs() -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let tabs = Memo::new(move |_| {
        let language = state.language.get();
        let head = state.row().and_then(|row| row.head.get()).unwrap_or_default();
        let tab = |view: &&'static ViewSpec| Tab {
            id: view.id.to_owned(),
            title: tr(language, view.title).to_owned(),
            count: (view.badge)(&head)
                .map_or(String::new(), |n| crate::base::number::thousands(n.cast_signed())),
        };
        state.views().iter().map(tab).collect::<Vec<_>>()
    });
    let current = Memo::new(move |_| state.shown_view().map_or(String::new(), |view| view.id.to_owned()));
    let tools = VIEWS.iter().map(|view| {
        let is_hidden = move || current.with(|current| current != view.id);
        view! { <div class="page__tools" id=tools_id(view.id) hidden=is_hidden></div> }
    });
    let tools: Vec<_> = tools.collect();
    view! {
        <div class="page__tabs" role="region" aria-label=words.tr("Views")>
            <Tabs
                label=Signal::derive(move || words.tr("Views")().to_owned())
                tabs
                current
                on_choose=Callback::new(move |id| state.view.set(id))
            />
            {tools}
        </div>
    }
}

/// What stands in the middle: the views, or what is to be said instead.
#[component]
pub fn Main() -> impl IntoView {
    let state = PageState::of_context();
    // Made anew only when another document is shown, or its worker is another one.
    let shown = Memo::new(move |_| {
        let row = state.row()?;
        Some((row.id, row.context.get().is_some(), stand(&row.state.get())))
    });
    let main = move || {
        let (id, has_context, stand) = shown.get()?;
        let row = state.documents.row(id)?;
        Some(match stand {
            Stand::Failed => view! { <Failed row /> }.into_any(),
            Stand::Dead => view! { <Dead row /> }.into_any(),
            Stand::Alive if has_context => view! { <Shown row /> }.into_any(),
            Stand::Alive => view! { <Opening row /> }.into_any(),
        })
    };
    let silent = Memo::new(move |_| state.row().filter(|row| row.is_silent.get()).map(|row| row.id));
    let silence =
        move || silent.get().and_then(|id| state.documents.row(id)).map(|row| view! { <Silence row /> });
    view! {
        <CompareBar />
        {silence}
        {main}
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stand {
    Alive,
    Failed,
    Dead,
}

fn stand(state: &DocState) -> Stand {
    match state {
        DocState::Loading(_) | DocState::Open => Stand::Alive,
        DocState::Failed(_) => Stand::Failed,
        DocState::Dead { .. } => Stand::Dead,
    }
}

/// The views of one document.
#[component]
fn Shown(row: DocumentRow) -> impl IntoView {
    let state = PageState::of_context();
    // Each with how often it was made: one whose state an address sets is made anew with it.
    let made = RwSignal::new(Vec::<(&'static str, u32)>::new());
    let current = Memo::new(move |_| state.shown_view().map(|view| view.id));
    // A large document is shown as soon as one view is there: others that come later do not push it away.
    Effect::new(move |_| {
        if let Some(id) = current.get().filter(|_| state.view.with_untracked(String::is_empty)) {
            state.view.set(id.to_owned());
        }
    });
    Effect::new(move |_| {
        if let Some(id) = current.get()
            && made.with_untracked(|made| made.iter().all(|one| one.0 != id))
        {
            // After the tabs and the rail, and not in their task.
            enqueue(move || {
                made.try_update(|made| {
                    if made.iter().all(|one| one.0 != id) {
                        made.push((id, 0));
                    }
                });
            });
        }
    });
    if let Some(context) = row.context.get_untracked() {
        provide_context(Words(context.language));
        Effect::new(move |_| {
            let renewed = context.renewed.get();
            let is_meant = move |id: &str| renewed.iter().any(|renewed| renewed == id);
            made.update(|made| made.iter_mut().filter(|one| is_meant(one.0)).for_each(|one| one.1 += 1));
        });
    }
    let missing = Memo::new(move |_| state.missing_view());
    view! {
        <LoadingStrip row />
        <Lost row />
        {move || missing.get().map(|missing| view! { <NotThere missing /> })}
        <For each=move || made.get() key=|made| *made let:made>
            {
                let view = VIEWS.iter().find(|view| view.id == made.0);
                let context = row.context.get_untracked();
                let node = NodeRef::<html::Div>::new();
                let size = screen_size(node);
                view.zip(context).map(|(view, context)| view! {
                    <div
                        class="page__view"
                        node_ref=node
                        style:--view-w=move || size.get().map(|size| size.0)
                        style:--view-h=move || size.get().map(|size| size.1)
                        role="tabpanel"
                        id=panel_id(view.id)
                        aria-labelledby=tab_id(view.id)
                        hidden=move || current.get() != Some(view.id)
                    >
                        {(view.show)(context.of_view(view.id))}
                    </div>
                })
            }
        </For>
    }
}

/// That all views cover only a part of a damaged file stands above each of them.
#[component]
fn Lost(row: DocumentRow) -> impl IntoView {
    let language = PageState::of_context().language;
    let lost = Memo::new(move |_| row.head.with(|head| head.as_ref().map(|head| head.lost.clone())));
    let text = move || lost.with(|lost| lost.as_ref().map(|lost| lost.text(language.get()).into_owned()));
    move || {
        let text = text().filter(|text| !text.is_empty());
        text.map(|text| view! { <p class="page__lost severity--loss" role="status">{text}</p> })
    }
}

/// While the file is still being read: how far, and a way to stop.
#[component]
fn LoadingStrip(row: DocumentRow) -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let progress = move || match row.state.get() {
        DocState::Loading(progress) => Some(progress),
        _ => None,
    };
    let share = Signal::derive(move || progress()?.share());
    let text = move || progress().map(|p| how_far(state, &p));
    view! {
        <Show when=move || progress().is_some()>
            <div class="page__loading" role="status">
                <Progress label=Signal::derive(move || words.tr("Opening")().to_owned()) share thin=true />
                <div class="page__measure">
                    <span>{text}</span>
                    <button class="button button--text" type="button" data-action="cancel" on:click=move |_| state.close(row.id)>
                        {words.tr("Cancel")}
                    </button>
                </div>
            </div>
        </Show>
    }
}
