//! Fields: search, select, switch, segmented choice.

use super::icon::{Glyph, Icon};
use super::tabs::next_index;
use super::words;
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// A field for searching or filtering.
#[component]
pub fn SearchField(
    /// What is searched, shown while empty and read out.
    #[prop(into)]
    label: Signal<String>,
    value: RwSignal<String>,
    /// How much was found, behind the text.
    #[prop(into, optional)]
    count: MaybeProp<String>,
    /// Enter was pressed; `true` with Shift.
    #[prop(optional)]
    on_enter: Option<Callback<bool>>,
    /// As wide as its place.
    #[prop(optional)]
    wide: bool,
    /// A DOM id, so that a shortcut can find it.
    #[prop(into, optional)]
    id: MaybeProp<String>,
) -> impl IntoView {
    let words = words();
    let input = NodeRef::<html::Input>::new();
    let clear = move || {
        value.set(String::new());
        if let Some(input) = input.get_untracked() {
            let _ = input.focus();
        }
    };
    let on_key = move |event: KeyboardEvent| match event.key().as_str() {
        "Enter" => {
            if let Some(on_enter) = on_enter {
                event.prevent_default();
                on_enter.run(event.shift_key());
            }
        }
        "Escape" if !value.with_untracked(String::is_empty) => {
            event.stop_propagation();
            clear();
        }
        // Nothing to clear: the field is left, and the view has its keys again.
        "Escape" => {
            if let Some(input) = input.get_untracked() {
                let _ = input.blur();
            }
        }
        _ => {}
    };
    view! {
        <div class="field" class:field--wide=wide>
            <Icon glyph=Glyph::Search small=true />
            <input
                node_ref=input
                class="field__input"
                type="search"
                id=move || id.get()
                placeholder=move || label.get()
                aria-label=move || label.get()
                autocomplete="off"
                spellcheck="false"
                prop:value=move || value.get()
                on:input=move |event| value.set(event_target_value(&event))
                on:keydown=on_key
            />
            {move || count.get().map(|text| view! { <span class="field__count" role="status">{text}</span> })}
            <Show when=move || !value.with(String::is_empty)>
                <button class="button button--small" type="button" aria-label=words.tr("Clear") on:click=move |_| clear()>
                    <Icon glyph=Glyph::Close small=true />
                </button>
            </Show>
        </div>
    }
}

/// A choice from a list, with its label inside: the system's own list opens.
#[component]
pub fn SelectField(
    #[prop(into)] label: Signal<String>,
    /// Id and title of each.
    #[prop(into)]
    options: Signal<Vec<(String, String)>>,
    /// Id of the chosen one.
    #[prop(into)]
    value: Signal<String>,
    /// Told the id of what was chosen.
    on_choose: Callback<String>,
) -> impl IntoView {
    view! {
        <label class="select">
            <span class="select__label">{move || label.get()}</span>
            <select
                class="select__input"
                aria-label=move || label.get()
                prop:value=move || {
                    options.track(); // a new list forgets what was chosen
                    value.get()
                }
                on:change=move |event| on_choose.run(event_target_value(&event))
            >
                <For each=move || options.get() key=|option| option.clone() let((id, title))>
                    {
                        let own = id.clone();
                        view! { <option value=id selected=move || value.get() == own>{title}</option> }
                    }
                </For>
            </select>
            <Icon glyph=Glyph::Down small=true />
        </label>
    }
}

/// A number or a text that counts when it is entered: with Enter, or by leaving the field.
#[component]
pub fn InputField(
    #[prop(into)] label: Signal<String>,
    #[prop(into)] value: Signal<String>,
    on_change: Callback<String>,
    /// What a number counts, behind the text.
    #[prop(into, optional)]
    unit: String,
    /// The least and the greatest number; none for texts. Others are not taken.
    #[prop(into, optional)]
    range: Option<(f64, f64)>,
    /// What stands there while the text is empty, which then is taken; a number is needed without.
    #[prop(into, optional)]
    placeholder: MaybeProp<String>,
) -> impl IntoView {
    let enter = move |event: leptos::ev::Event| {
        let text = event_target_value(&event);
        let number: Option<f64> = text.trim().parse().ok();
        let is_none = text.trim().is_empty() && placeholder.with_untracked(Option::is_some);
        let is_good = is_none || range.is_none_or(|(min, max)| number.is_some_and(|n| min <= n && n <= max));
        let input = event.target().and_then(|t| t.dyn_into::<web_sys::HtmlInputElement>().ok());
        if let Some(input) = input {
            // What is not taken stays to be corrected, marked.
            let _ = input.set_attribute("aria-invalid", if is_good { "false" } else { "true" });
        }
        if is_good {
            on_change.run(text);
        }
    };
    let mode = if range.is_some() { "decimal" } else { "text" };
    let tip = range.map(|(min, max)| format!("{min} – {max}"));
    view! {
        <label class="field" title=tip>
            <span class="field__label">{move || label.get()}</span>
            <input
                class="field__input"
                inputmode=mode
                placeholder=move || placeholder.get()
                autocomplete="off"
                spellcheck="false"
                prop:value=move || value.get()
                on:change=enter
            />
            <span class="field__count">{unit}</span>
        </label>
    }
}

/// On or off.
#[component]
pub fn Switch(
    #[prop(into)] label: Signal<String>,
    #[prop(into)] checked: Signal<bool>,
    /// Told the new state.
    on_change: Callback<bool>,
) -> impl IntoView {
    view! {
        <label class="switch">
            <input
                class="switch__input"
                type="checkbox"
                role="switch"
                prop:checked=move || checked.get()
                on:change=move |event| on_change.run(event_target_checked(&event))
            />
            <span>{move || label.get()}</span>
        </label>
    }
}

/// A choice of a few, all visible.
#[component]
pub fn Segmented(
    /// What is chosen, for screen readers.
    #[prop(into)]
    label: Signal<String>,
    /// Id and title of each.
    #[prop(into)]
    options: Signal<Vec<(String, String)>>,
    /// Id of the chosen one.
    #[prop(into)]
    value: Signal<String>,
    /// Told the id of what was chosen.
    on_choose: Callback<String>,
    /// 22 px, for heads of figures.
    #[prop(optional)]
    small: bool,
    /// Id of an option that cannot be chosen, and why.
    #[prop(optional, into)]
    denied: Signal<Option<(String, String)>>,
) -> impl IntoView {
    let is_denied = move |id: &str| denied.with(|denied| denied.as_ref().is_some_and(|(own, _)| *own == id));
    let step = move |event: KeyboardEvent| {
        let options = options.get_untracked();
        let at = options.iter().position(|(id, _)| *id == value.get_untracked()).unwrap_or(0);
        let Some(to) = next_index(&event.key(), at, options.len()) else { return };
        event.prevent_default();
        event.stop_propagation();
        if untrack(|| is_denied(&options[to].0)) {
            return;
        }
        on_choose.run(options[to].0.clone());
        let group = event.current_target().and_then(|t| t.dyn_into::<web_sys::Element>().ok());
        let option = group.and_then(|g| g.children().item(to as u32));
        if let Some(option) = option.and_then(|o| o.dyn_into::<web_sys::HtmlElement>().ok()) {
            let _ = option.focus();
        }
    };
    view! {
        <div
            class="segmented"
            class:segmented--small=small
            role="radiogroup"
            aria-label=move || label.get()
            on:keydown=step
        >
            <For each=move || options.get() key=|option| option.clone() let((id, title))>
                {
                    let id = StoredValue::new(id);
                    let is_chosen = move || value.with(|v| id.with_value(|id| v == id));
                    let is_denied = move || id.with_value(|id| is_denied(id));
                    let why = move || denied.get().filter(|_| is_denied()).map(|(_, why)| why);
                    view! {
                        <button
                            class="segmented__option"
                            type="button"
                            role="radio"
                            aria-checked=move || is_chosen().to_string()
                            tabindex=move || if is_chosen() { "0" } else { "-1" }
                            aria-disabled=move || is_denied().then_some("true")
                            title=why
                            on:click=move |_| {
                                if !untrack(is_denied) {
                                    on_choose.run(id.get_value());
                                }
                            }
                        >
                            {title}
                        </button>
                    }
                }
            </For>
        </div>
    }
}
