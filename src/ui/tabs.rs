//! Tabs: one is chosen; arrows move between them, the panel keeps its state.

use super::Staged;
use leptos::ev::KeyboardEvent;
use leptos::portal::Portal;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// One tab.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tab {
    /// Stable id; its panel has the id [`panel_id`].
    pub id: String,
    pub title: String,
    /// A count behind the title; may be empty.
    pub count: String,
}

/// The DOM id of a tab's panel.
pub fn panel_id(tab: &str) -> String {
    format!("panel-{tab}")
}

/// The DOM id of a tab.
pub fn tab_id(tab: &str) -> String {
    format!("tab-{tab}")
}

/// A row of tabs.
#[component]
pub fn Tabs(
    /// What the tabs choose, for screen readers.
    #[prop(into)]
    label: Signal<String>,
    #[prop(into)] tabs: Signal<Vec<Tab>>,
    /// Id of the chosen one.
    #[prop(into)]
    current: Signal<String>,
    /// Told the id of what was chosen.
    on_choose: Callback<String>,
    /// Small tabs inside a pane.
    #[prop(optional)]
    dense: bool,
) -> impl IntoView {
    let step = move |event: KeyboardEvent| {
        let tabs = tabs.get_untracked();
        let Some(at) = tabs.iter().position(|t| t.id == current.get_untracked()) else { return };
        let Some(to) = next_index(&event.key(), at, tabs.len()) else { return };
        event.prevent_default();
        event.stop_propagation();
        on_choose.run(tabs[to].id.clone());
        focus_by_id(&tab_id(&tabs[to].id));
    };
    view! {
        <div class="tabs" class:tabs--dense=dense role="tablist" aria-label=move || label.get() on:keydown=step>
            <For each=move || tabs.get() key=|tab| tab.clone() let:tab>
                <OneTab tab current on_choose />
            </For>
        </div>
    }
}

#[component]
fn OneTab(tab: Tab, current: Signal<String>, on_choose: Callback<String>) -> impl IntoView {
    let id = StoredValue::new(tab.id.clone());
    let is_current = move || current.with(|c| id.with_value(|id| c == id));
    view! {
        <button
            class="tabs__tab"
            role="tab"
            type="button"
            id=tab_id(&tab.id)
            aria-controls=panel_id(&tab.id)
            aria-selected=move || is_current().to_string()
            tabindex=move || if is_current() { "0" } else { "-1" }
            data-view=tab.id.clone()
            on:click=move |_| on_choose.run(id.get_value())
        >
            <span class="tabs__label" data-text=tab.title.clone()>{tab.title.clone()}</span>
            {(!tab.count.is_empty()).then(|| view! { <span class="tabs__count">{tab.count.clone()}</span> })}
        </button>
    }
}

/// Where a key leads in a row of `n` things; nothing for keys that do not move.
pub fn next_index(key: &str, at: usize, n: usize) -> Option<usize> {
    if n == 0 {
        return None;
    }
    match key {
        "ArrowRight" | "ArrowDown" => Some((at + 1) % n),
        "ArrowLeft" | "ArrowUp" => Some((at + n - 1) % n),
        "Home" => Some(0),
        "End" => Some(n - 1),
        _ => None,
    }
}

/// Gives the keyboard to the element with this id.
pub fn focus_by_id(id: &str) {
    if let Some(element) =
        document().get_element_by_id(id).and_then(|e| e.dyn_into::<web_sys::HtmlElement>().ok())
    {
        let _ = element.focus();
    }
}

/// The id of the place for the tools of a view.
pub fn tools_id(view: &str) -> String {
    format!("tools-{view}")
}

/// Puts its children into the row of the view tabs, at the right, while the view is shown.
#[component]
pub fn Tools(
    /// Id of the view.
    #[prop(into)]
    view: String,
    /// Selects, switches, buttons.
    children: ChildrenFn,
) -> impl IntoView {
    let children = StoredValue::new(children);
    view! {
        <Staged>
            {document().get_element_by_id(&tools_id(&view)).map(|place| view! {
                <Portal mount=place>{move || children.with_value(|draw| draw())}</Portal>
            })}
        </Staged>
    }
}
