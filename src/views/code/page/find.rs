//! Search in a side: text, case, whole word, next and previous, in the selection only.

use super::pane::{Pane, Reveal, Side};
use super::state::CodeState;
use crate::base::number::thousands;
use crate::base::words::{fill, phrase, tr};
use crate::ui::Latest;
use crate::ui::icon::{Glyph, Icon};
use crate::views::code::messages::{CodeQuery, Reply, SearchQuery};
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

/// What is searched, and what was found.
#[derive(Clone, Copy)]
pub(super) struct Find {
    /// The side with the search; `None` while closed.
    side: RwSignal<Option<Side>>,
    text: RwSignal<String>,
    is_case_sensitive: RwSignal<bool>,
    is_whole_word: RwSignal<bool>,
    /// First and last row of the selection that is searched.
    within: RwSignal<Option<(u32, u32)>>,
    /// Where it stands: row and byte.
    at: RwSignal<(u32, u32)>,
    /// Number, how many, and whether there are more.
    found: RwSignal<Option<(u32, u32, bool)>>,
    latest: Latest,
}

impl Find {
    pub(super) fn new() -> Self {
        Self {
            side: RwSignal::new(None),
            text: RwSignal::default(),
            is_case_sensitive: RwSignal::new(false),
            is_whole_word: RwSignal::new(false),
            within: RwSignal::new(None),
            at: RwSignal::new((0, 0)),
            found: RwSignal::new(None),
            latest: Latest::default(),
        }
    }

    /// What is marked on a side.
    pub(super) fn query(self, side: Side) -> Option<SearchQuery> {
        let query = SearchQuery {
            text: self.text.get(),
            is_case_sensitive: self.is_case_sensitive.get(),
            is_whole_word: self.is_whole_word.get(),
        };
        (self.side.get() == Some(side) && !query.text.is_empty()).then_some(query)
    }
}

/// Keys of the whole view.
pub(super) fn on_key(state: CodeState, event: &KeyboardEvent) {
    let key = event.key();
    let is_typing = event
        .target()
        .and_then(|t| wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlInputElement>(t).ok())
        .is_some();
    let side = state.active.get_untracked();
    let Some(pane) = state.pane(side) else { return };
    match key.as_str() {
        "f" | "F" if event.ctrl_key() || event.meta_key() => open(state, side),
        "F3" => step(pane, event.shift_key()),
        "Escape" if state.find.side.get_untracked().is_some() => state.find.side.set(None),
        "h" | "H" if !is_typing && !event.ctrl_key() && !event.alt_key() && !event.meta_key() => {
            pane.choose_hot(if event.shift_key() { -1 } else { 1 });
        }
        _ => return,
    }
    event.prevent_default();
    event.stop_propagation();
}

/// Opens the search; a selection of one line is what is searched for, one of several is where.
fn open(state: CodeState, side: Side) {
    let find = state.find;
    let selected =
        window().get_selection().ok().flatten().map(|s| String::from(s.to_string())).unwrap_or_default();
    let rows = selected_rows(state, side);
    find.within.set(rows.filter(|(first, last)| first < last));
    if !selected.is_empty() && !selected.contains('\n') {
        find.text.set(selected);
    }
    find.side.set(Some(side));
}

/// First and last row of what is selected on a side, as long as its rows stand in the order of the listing.
fn selected_rows(state: CodeState, side: Side) -> Option<(u32, u32)> {
    let pane = state.pane(side)?;
    if pane.arrange.get_untracked() != crate::views::code::messages::Arrange::default() {
        return None;
    }
    let selection = window().get_selection().ok()??;
    let row = |node: Option<web_sys::Node>| {
        let node = node?;
        let element =
            wasm_bindgen::JsCast::dyn_ref::<web_sys::Element>(&node).cloned().or(node.parent_element())?;
        let row = element.closest("[aria-rowindex]").ok()??;
        row.get_attribute("aria-rowindex")?.parse::<u32>().ok()?.checked_sub(2)
    };
    let (a, b) = (row(selection.anchor_node())?, row(selection.focus_node())?);
    Some((a.min(b), a.max(b)))
}

/// Goes to the next place, or the one before.
fn step(pane: Pane, is_backward: bool) {
    let find = pane.state.find;
    let (row, byte) = find.at.get_untracked();
    search(pane, if is_backward { (row, byte) } else { (row, byte + 1) }, is_backward);
}

fn search(pane: Pane, from: (u32, u32), is_backward: bool) {
    let find = pane.state.find;
    let asked = untrack(|| Some((pane.id().get()?, find.query(pane.side)?, find.within.get())));
    find.latest.begin();
    let Some((listing, query, within)) = asked else { return find.found.set(None) };
    let ask = CodeQuery::Search { listing, query, from, is_backward, within };
    find.latest.ask(pane.state.ask(ask), move |reply| {
        let Some(Reply::Found { at, number, total, is_cut }) = reply else { return };
        find.found.try_set(Some((number, total, is_cut)));
        if let Some(at) = at {
            find.at.try_set(at);
            pane.reveal(at.0, Reveal::ThirdIfHidden);
            if let Some(head) = pane.id().try_get_untracked().flatten() {
                pane.state.choose(head, at.0, Reveal::ThirdIfHidden);
            }
        }
    });
}

/// The search of a side, while it is open.
#[component]
pub(super) fn FindBar(pane: Pane) -> impl IntoView {
    let find = pane.state.find;
    let is_open = move || find.side.get() == Some(pane.side);
    view! {
        <Show when=is_open>
            <OpenBar pane />
        </Show>
    }
}

#[component]
fn OpenBar(pane: Pane) -> impl IntoView {
    let find = pane.state.find;
    let context = pane.state.context;
    let input = NodeRef::<html::Input>::new();
    Effect::new(move || {
        if let Some(input) = input.get() {
            let _ = input.focus();
            input.select();
        }
    });
    Effect::new(move || {
        // What is typed is searched from the first row in view.
        find.query(pane.side);
        find.within.track();
        search(pane, (untrack(|| pane.first.get()) as u32, 0), false);
    });
    let said = move || {
        let language = context.language.get();
        find.found.get().map(|(number, total, is_cut)| {
            if total == 0 {
                return tr(language, "No results").to_owned();
            }
            let more = if is_cut { "+" } else { "" };
            let total = format!("{}{more}", thousands(i64::from(total)));
            fill(tr(language, "{n} of {m}"), &[("n", &thousands(i64::from(number))), ("m", &total)])
        })
    };
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "Enter" {
            event.prevent_default();
            step(pane, event.shift_key());
        }
    };
    let close = move || {
        find.side.set(None);
        if let Some(scroller) = pane.scroller.get_untracked() {
            let _ = scroller.focus();
        }
    };
    let toggle = move |value: RwSignal<bool>, text: &'static str, english: &'static str| {
        view! {
            <button
                class="button button--small find__switch"
                type="button"
                aria-pressed=move || value.get().to_string()
                aria-label=context.word(english)
                data-tip=context.word(english)
                on:click=move |_| value.update(|v| *v = !*v)
            >
                {text}
            </button>
        }
    };
    view! {
        <div class="find" role="search">
            <input
                class="find__input"
                node_ref=input
                type="text"
                spellcheck="false"
                autocomplete="off"
                aria-label=context.word("Find in this pane")
                placeholder=context.word("Find in this pane")
                prop:value=move || find.text.get()
                on:input=move |event| find.text.set(event_target_value(&event))
                on:keydown=on_key
            />
            <span class="find__count" role="status">{said}</span>
            {toggle(find.is_case_sensitive, "Aa", phrase("Match case"))}
            {toggle(find.is_whole_word, "ab|", phrase("Whole word"))}
            <Show when=move || find.within.get().is_some()>
                <button
                    class="button button--small find__switch"
                    type="button"
                    aria-pressed="true"
                    data-tip=context.word("Searching selected rows only; click to search all")
                    on:click=move |_| find.within.set(None)
                >
                    {move || find.within.get().map(|(first, last)| format!("{}–{}", first + 1, last + 1))}
                </button>
            </Show>
            <button class="button button--small" type="button" aria-label=context.word("Previous") on:click=move |_| step(pane, true)>
                <span class="listing__turn"><Icon glyph=Glyph::Down small=true /></span>
            </button>
            <button class="button button--small" type="button" aria-label=context.word("Next") on:click=move |_| step(pane, false)>
                <Icon glyph=Glyph::Down small=true />
            </button>
            <button class="button button--small" type="button" aria-label=context.word("Close") on:click=move |_| close()>
                <Icon glyph=Glyph::Close small=true />
            </button>
        </div>
    }
}
