//! What stands above the lists of functions and operators: whether they are a list or a tree, times or memory.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

use super::state::{Listed, State};
use crate::base::words::phrase;
use crate::ui::field::{Segmented, SelectField};
use crate::wire::rows::{Opened, Shown};
use leptos::prelude::*;

/// Kinds of one list, as far as the trace has them.
fn kinds(state: State) -> Vec<(&'static str, &'static str)> {
    let functions = [
        ("functions", phrase("By name")),
        ("modules", phrase("Module tree")),
        ("stacks", phrase("Call tree")),
    ];
    match state.listed.get() {
        Listed::Functions | Listed::Modules | Listed::Stacks => {
            let has_modules = state.figures.with(|figures| figures.has_modules);
            functions.into_iter().filter(|(id, _)| has_modules || *id != "modules").collect()
        }
        Listed::Kernels | Listed::Launches => {
            vec![("kernels", phrase("By name")), ("launches", phrase("Each launch"))]
        }
        Listed::Operators | Listed::Memory if state.has_memory() => {
            vec![("operators", phrase("Time")), ("memory", phrase("Memory"))]
        }
        _ => Vec::new(),
    }
}

/// The choice among them, and what belongs to the chosen one.
#[component]
pub(super) fn Lists(state: State) -> impl IntoView {
    let context = state.context;
    let options = Signal::derive(move || {
        let titled = kinds(state).into_iter();
        titled.map(|(id, title)| (id.to_owned(), context.tr(title).to_owned())).collect::<Vec<_>>()
    });
    let value = Signal::derive(move || state.by_id().to_owned());
    let choose = Callback::new(move |id: String| state.choose_by(&id));
    let is_tree = move || matches!(state.listed.get(), Listed::Modules | Listed::Stacks);
    let open = move |opened: Opened| state.shown.set(Shown { opened, turned: Vec::new() });
    let has_several =
        move || state.listed.get() == Listed::Memory && state.figures.with(|f| 1 < f.memories.len());
    let devices = Signal::derive(move || {
        let all = (String::new(), context.tr(phrase("All")).to_owned());
        let each = state.figures.with(|figures| figures.memories.clone()).into_iter().enumerate();
        std::iter::once(all).chain(each.map(|(at, name)| (at.to_string(), name))).collect::<Vec<_>>()
    });
    let device = Signal::derive(move || state.memory.get().map_or(String::new(), |at| at.to_string()));
    let choose_device = Callback::new(move |id: String| state.memory.set(id.parse().ok()));
    view! {
        <Show when=move || options.with(|options| !options.is_empty())>
            <Segmented label=context.word(phrase("List")) options value on_choose=choose small=true />
        </Show>
        <Show when=is_tree>
            <button class="button button--text" type="button" on:click=move |_| open(Opened::All)>
                {context.word(phrase("Expand all"))}
            </button>
            <button class="button button--text" type="button" on:click=move |_| open(Opened::None)>
                {context.word(phrase("Collapse all"))}
            </button>
        </Show>
        <Show when=has_several>
            <SelectField label=context.word(phrase("Device")) options=devices value=device on_choose=choose_device />
        </Show>
    }
}
