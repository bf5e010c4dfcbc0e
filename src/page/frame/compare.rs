//! The bar that says what is compared: baseline, comparison, a way to swap them, and an end.

use crate::base::words::{phrase, tr};
use crate::page::compare;
use crate::page::documents::DocState;
use crate::page::frame::top::event_current;
use crate::page::state::PageState;
use crate::pane::headline::Headline;
use crate::ui::icon::{Glyph, Icon};
use crate::ui::text::name::Name;
use crate::ui::words;
use leptos::prelude::*;

/// The button in the top bar.
#[component]
pub fn CompareButton() -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let open = move |event: leptos::ev::MouseEvent| {
        state.menus.open_below(&event_current(&event), state.tr("Compare"), compare::items(state));
    };
    let is_on = move || state.documents.pair.get().both().is_some();
    view! {
        <button
            class="button button--plain top__compare"
            type="button"
            aria-haspopup="menu"
            aria-pressed=move || is_on().to_string()
            data-tip=words.tr("Compare with another file")
            on:click=open
        >
            <Icon glyph=Glyph::Compare />
            <span class="top__word">{words.tr("Compare")}</span>
        </button>
    }
}

/// The letter of a document in the pair, behind its name.
#[component]
pub fn PairMark(
    /// Number of the document.
    id: u32,
) -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    move || {
        let letter = state.documents.pair.get().letter(id);
        (!letter.is_empty()).then(|| {
            let word = if letter == "A" { words.tr("Baseline")() } else { words.tr("Comparison")() };
            view! { <abbr class="mark" class:mark--filled=letter == "B" title=word>{letter}</abbr> }
        })
    }
}

/// The bar above the views.
#[component]
pub fn CompareBar() -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let pair = Memo::new(move |_| state.documents.pair.get());
    let side = move |letter: &'static str| {
        let pair = pair.get();
        let id = if letter == "A" { pair.baseline } else { pair.comparison };
        match id.and_then(|id| state.documents.row(id)) {
            Some(row) => {
                let is_current = move || (state.current.get() == Some(row.id)).then_some("true");
                let show = move |_| state.show(row.id);
                view! {
                    <button
                        class="compare__side"
                        type="button"
                        data-side=letter
                        aria-current=is_current
                        data-tip=move || row.name.get()
                        on:click=show
                    >
                        <PairMark id=row.id />
                        <Name text=Signal::derive(move || side_name(state, row.id, letter)) />
                    </button>
                }
                .into_any()
            }
            None => view! { <span class="compare__none">{words.tr("Choose a file to compare with.")}</span> }
                .into_any(),
        }
    };
    let hint = move || hint(state, pair.get());
    let tool = move |action, glyph, label, act| tool(state, action, glyph, label, act);
    let both = move || pair.get().both().is_some();
    // Not asked for anew where one side gives way to the other.
    let is_part = Memo::new(move |_| state.current.get().is_some_and(|id| !pair.get().letter(id).is_empty()));
    view! {
        <Show when=move || pair.get().baseline.is_some()>
            <div class="compare" role="region" aria-label=words.tr("Compare")>
                {move || side("A")}
                <Show when=both>{tool("swap", Glyph::Compare, SWAP, PageState::swap_pair)}</Show>
                {move || side("B")}
                <span class="compare__hint">{hint}</span>
                {tool("end-comparison", Glyph::Close, END, PageState::end_comparison)}
            </div>
            {move || is_part.get().then(|| headline(state, pair.get()))}
        </Show>
    }
}

/// A button of the bar.
fn tool(
    state: PageState,
    action: &'static str,
    glyph: Glyph,
    label: &'static str,
    act: fn(PageState),
) -> impl IntoView {
    let label = move || tr(state.language.get(), label).to_owned();
    view! {
        <button
            class="button button--small"
            type="button"
            data-action=action
            aria-label=label
            data-tip=label
            on:click=move |_| act(state)
        >
            <Icon glyph small=true />
        </button>
    }
}

/// The sentence below the bar, of the comparison, whichever of the two is shown.
fn headline(state: PageState, pair: compare::Pair) -> Option<impl IntoView> {
    let comparison = state.documents.row(pair.both()?.1)?;
    comparison.context.get().map(|context| view! { <Headline context /> })
}

/// What a side is called: what the two names differ in, or the name while there is one side only.
fn side_name(state: PageState, id: u32, letter: &str) -> String {
    match state.documents.pair_labels() {
        Some((baseline, comparison)) => {
            if letter == "A" {
                baseline
            } else {
                comparison
            }
        }
        None => state.documents.label(id),
    }
}

/// What the bar says at its end: whether differences can be seen here, and why not.
fn hint(state: PageState, pair: compare::Pair) -> Option<&'static str> {
    let baseline = pair.baseline.and_then(|id| state.documents.row(id));
    let is_broken = baseline
        .is_some_and(|row| row.state.with(|s| matches!(s, DocState::Failed(_) | DocState::Dead { .. })));
    let is_waiting = baseline.is_some_and(|row| row.context.with(Option::is_none));
    let current = state.current.get();
    let words = match () {
        () if is_broken => phrase("Could not open the baseline."),
        () if pair.both().is_none() => return None,
        () if is_waiting => phrase("The baseline is still loading."),
        () if pair.comparison == current && state.shown_view().is_some_and(|view| !view.compares) => {
            phrase("This view shows no differences. See Details.")
        }
        () if pair.comparison == current => phrase("Difference = B − A"),
        () if pair.baseline == current => phrase("This is the baseline; differences are shown in B."),
        () => phrase("This file is not part of the comparison."),
    };
    Some(tr(state.language.get(), words))
}

const SWAP: &str = phrase("Swap baseline and comparison");
const END: &str = phrase("Stop comparing");
