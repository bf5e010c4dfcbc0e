//! A tree of rows that open and close; the owner keeps it flat, in the order of the rows.

use super::icon::{Glyph, Icon};
use leptos::attr::custom::custom_attribute;
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

/// One visible row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TreeRow {
    /// Stable id.
    pub id: String,
    /// What it says.
    pub title: String,
    /// A word or number at the right end; may be empty.
    pub aside: String,
    /// How deep, from 0.
    pub depth: u32,
    /// Open or closed; nothing for leaves.
    pub is_open: Option<bool>,
}

/// Shows the rows; arrows move, open and close, Enter chooses.
#[component]
pub fn Tree(
    /// What the tree holds, for screen readers.
    #[prop(into)]
    label: Signal<String>,
    /// The visible rows.
    #[prop(into)]
    rows: Signal<Vec<TreeRow>>,
    /// Id of the chosen row.
    #[prop(into)]
    chosen: Signal<Option<String>>,
    /// A row was chosen.
    on_choose: Callback<String>,
    /// A row is to be opened (`true`) or closed.
    on_open: Callback<(String, bool)>,
) -> impl IntoView {
    let at = move || {
        let chosen = chosen.get_untracked();
        rows.with_untracked(|rows| rows.iter().position(|row| Some(&row.id) == chosen.as_ref()))
    };
    let step = move |event: KeyboardEvent| {
        let list = rows.get_untracked();
        let Some(here) = at().or(if list.is_empty() { None } else { Some(0) }) else { return };
        let row = &list[here];
        let to = match (event.key().as_str(), row.is_open) {
            ("ArrowRight", Some(false)) => {
                on_open.run((row.id.clone(), true));
                None
            }
            ("ArrowLeft", Some(true)) => {
                on_open.run((row.id.clone(), false));
                None
            }
            ("Enter" | " ", Some(is_open)) => {
                on_open.run((row.id.clone(), !is_open));
                None
            }
            ("ArrowLeft", _) => list[..here].iter().rev().find(|r| r.depth < row.depth),
            ("ArrowDown" | "ArrowRight", _) => list.get(here + 1),
            ("ArrowUp", _) => list[..here].last(),
            ("Home", _) => list.first(),
            ("End", _) => list.last(),
            _ => return,
        };
        if let Some(to) = to {
            on_choose.run(to.id.clone());
        }
        event.prevent_default();
        event.stop_propagation();
    };
    view! {
        <div
            class="tree"
            role="tree"
            tabindex="0"
            aria-label=move || label.get()
            aria-activedescendant=move || chosen.get().map(|id| format!("tree-{id}"))
            on:keydown=step
        >
            <For each=move || rows.get() key=|row| row.clone() let:row>
                <OneRow row chosen on_choose on_open />
            </For>
        </div>
    }
}

#[component]
fn OneRow(
    row: TreeRow,
    chosen: Signal<Option<String>>,
    on_choose: Callback<String>,
    on_open: Callback<(String, bool)>,
) -> impl IntoView {
    let id = StoredValue::new(row.id.clone());
    let is_open = row.is_open;
    let caret = match is_open {
        Some(true) => "tree__caret tree__caret--open",
        Some(false) => "tree__caret",
        None => "tree__caret tree__caret--leaf",
    };
    let press = move |event: leptos::ev::MouseEvent| {
        event.stop_propagation();
        if let Some(is_open) = is_open {
            on_open.run((id.get_value(), !is_open));
        }
    };
    view! {
        <div
            class="tree__row"
            role="treeitem"
            id=format!("tree-{}", row.id)
            {..custom_attribute("aria-level", (row.depth + 1).to_string())}
            aria-expanded=is_open.map(|open| open.to_string())
            aria-selected=move || chosen.with(|c| id.with_value(|id| c.as_ref() == Some(id))).to_string()
            style:padding-left=format!("{}px", 4 + row.depth * 16)
            on:click=move |_| on_choose.run(id.get_value())
        >
            <span class=caret on:click=press><Icon glyph=Glyph::Right /></span>
            <span class="tree__name">{row.title}</span>
            <span class="tree__aside">{row.aside}</span>
        </div>
    }
}
