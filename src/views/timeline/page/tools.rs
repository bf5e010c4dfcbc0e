//! Above and below the lanes: the bar of choices, the legend of colors, and how wide the heads are.

use super::baseline::AlignField;
use super::rows::menu::{FLOWS, ROWS};
use super::state::TimelineState;
use crate::base::words::{message, phrase, tr};
use crate::draw::ColorBy;
use crate::ui::field::SelectField;
use crate::ui::follow_size;
use crate::ui::icon::{Glyph, Icon};
use crate::ui::split::Extent;
use crate::ui::text::Name;
use crate::views::timeline::messages::{FlowsShown, LegendItem};
use crate::wire::report::ColorChoice;
use leptos::html::Div;
use leptos::prelude::*;

/// Which flows can be shown, with ids and titles.
const SHOWN: [(FlowsShown, &str, &str); 3] = [
    (FlowsShown::None, "none", phrase("None")),
    (FlowsShown::Selected, "selected", phrase("Selected")),
    (FlowsShown::All, "all", phrase("All")),
];

const BUTTON: &str = "button button--plain";

/// Under this name the browser keeps how wide the heads are.
const WIDTH: &str = "lanescope.tracks";

/// How wide the heads are, as the browser keeps it, and within which bounds.
pub(super) fn heads_width() -> (RwSignal<f64>, Extent) {
    let storage = || window().local_storage().ok().flatten();
    let is_narrow = window().inner_width().ok().and_then(|w| w.as_f64()).is_some_and(|w| w < 1024.0);
    let usual = if is_narrow { 160.0 } else { 216.0 };
    let kept = storage().and_then(|s| s.get_item(WIDTH).ok().flatten()).and_then(|w| w.parse::<f64>().ok());
    let width = RwSignal::new(kept.filter(|w| (120.0..2000.0).contains(w)).unwrap_or(usual));
    Effect::new(move |was: Option<f64>| {
        let now = width.get();
        if was.is_some_and(|was| was != now)
            && let Some(storage) = storage()
        {
            let _ = storage.set_item(WIDTH, &now.to_string());
        }
        now
    });
    (width, Extent { usual, least: 120.0, share: 0.6 })
}

/// How many items of a list that wraps do not stand in its first line; they are hidden unless all lines are seen.
fn behind(list: &web_sys::Element) -> u32 {
    let items = list.children();
    let top = |at: u32| items.item(at).map(|item| item.get_bounding_client_rect().top());
    let is_behind = |at: &u32| top(0).zip(top(*at)).is_some_and(|(first, own)| first + 1.0 < own);
    let mut n = 0;
    for (at, item) in (0..items.length()).filter_map(|at| Some((at, items.item(at)?))) {
        let is_behind = is_behind(&at);
        // Only fails for words that are no class.
        let _ = item.class_list().toggle_with_force("legend__item--behind", is_behind);
        n += u32::from(is_behind);
    }
    n
}

/// What the colors mean. Where names decide, a press on one lets its slices stand out. What has no room in a line comes with
/// a press on how many that are.
#[component]
pub(super) fn Legend(state: TimelineState) -> impl IntoView {
    let items = Memo::new(move |_| state.note.with(|note| note.legend.clone()));
    let (node, n_behind, is_whole) = (NodeRef::<Div>::new(), RwSignal::new(0), RwSignal::new(false));
    Effect::new(move || {
        let Some(list) = node.get() else { return };
        follow_size(&list.clone(), move || n_behind.set(behind(&list)));
    });
    Effect::new(move || {
        items.with(|_| ());
        // They are there in the next frame.
        request_animation_frame(move || {
            if let Some(list) = node.try_get_untracked().flatten() {
                n_behind.try_set(behind(&list));
            }
        });
    });
    let item = move |LegendItem { ink, name, is_name }: LegendItem| {
        let color = move || {
            let color = state.context.palette.with(|p| p.colors.get(&ink).copied().unwrap_or(0));
            format!("#{color:08x}")
        };
        let only = StoredValue::new(name.clone());
        let is_only = move || {
            state.rows().display.with(|display| only.with_value(|name| display.only.as_ref() == Some(name)))
        };
        let press = move |_| {
            let name = (!untrack(is_only)).then(|| only.get_value());
            state.rows().display.update(|display| display.only = name);
        };
        view! {
            <button class="legend__item" type="button" title=only.get_value() disabled=!is_name aria-pressed=move || is_only().to_string() on:click=press>
                <span class="legend__swatch" style:background=color></span>
                <span class="legend__name"><Name text=Signal::stored(name) /></span>
            </button>
        }
    };
    view! {
        <Show when=move || !items.with(Vec::is_empty)>
            <div class="legend" class:legend--whole=move || is_whole.get() role="group" aria-label=state.context.word("Colors")>
                <div class="legend__items" node_ref=node>
                    <For each=move || items.get() key=|item| item.clone() children=item />
                </div>
                <Show when=move || 0 < n_behind.get()>
                    <button class="legend__item legend__more" type="button" aria-expanded=move || is_whole.get().to_string() on:click=move |_| is_whole.update(|is| *is = !*is)>
                        {move || message("{n} more").with("n", n_behind.get()).text(state.context.language.get()).into_owned()}
                    </button>
                </Show>
            </div>
        </Show>
    }
}

/// What decides colors.
fn color_field(state: TimelineState) -> impl IntoView {
    let context = state.context;
    // What is chosen for the whole page is chosen here too, until something else is.
    let for_all = move || context.palette.with(|p| p.scheme.clone());
    let options = Signal::derive(move || {
        let (language, for_all) = (context.language.get(), for_all());
        let has_categories = state.rows().choices.with(|c| c.has_categories);
        let is_offered = |choice: &&ColorChoice| {
            let is_empty = choice.id == ColorBy::Category.id() && !has_categories;
            (choice.applies || choice.id == for_all) && !is_empty
        };
        let option = |choice: &ColorChoice| (choice.id.clone(), tr(language, &choice.title).to_owned());
        context.head.with(|h| h.colors.iter().filter(is_offered).map(option).collect::<Vec<_>>())
    });
    let value = Signal::derive(move || {
        let for_all = for_all();
        let is_known = |id: &String| context.head.with(|h| h.colors.iter().any(|choice| choice.id == *id));
        let chosen = state.color.get().or(Some(for_all)).filter(is_known);
        chosen.unwrap_or_else(|| context.head.with(|h| h.color.clone()))
    });
    let choose = Callback::new(move |id: String| state.color.set(Some(id)));
    view! { <SelectField label=context.word("Color") options value on_choose=choose /> }
}

/// Which flows are shown, and of which categories.
fn flow_fields(state: TimelineState) -> impl IntoView {
    let context = state.context;
    let options = Signal::derive(move || {
        let language = context.language.get();
        SHOWN
            .iter()
            .map(|(_, id, title)| ((*id).to_owned(), tr(language, title).to_owned()))
            .collect::<Vec<_>>()
    });
    let value = Signal::derive(move || {
        let now = state.flows.get();
        SHOWN.iter().find(|known| known.0 == now).map_or("", |known| known.1).to_owned()
    });
    let choose = Callback::new(move |id: String| {
        state
            .flows
            .set(SHOWN.iter().find(|known| known.1 == id).map_or_else(FlowsShown::default, |known| known.0));
    });
    let has_flows = move || 0 < context.head.with(|h| h.contents.flows);
    let has_categories = move || state.rows().choices.with(|c| 1 < c.flows.len());
    // What is left out is said on the button that brings it back.
    let words = move || {
        let all = state.rows().choices.with(|c| c.flows.len());
        let off = state.rows().display.with(|display| display.flows_off.len());
        let words = tr(context.language.get(), "Categories");
        if off == 0 { words.to_owned() } else { format!("{words} {}/{all}", all.saturating_sub(off)) }
    };
    view! {
        <Show when=has_flows>
            <SelectField label=context.word("Flows") options value on_choose=choose />
        </Show>
        <Show when=has_categories>
            <button id=FLOWS class=BUTTON type="button" aria-haspopup="menu" on:click=move |_| state.flow_menu()>
                {words}
                <Icon glyph=Glyph::Down small=true />
            </button>
        </Show>
    }
}

/// Colors, flows, folding and rows, in the bar above the view.
#[component]
pub(super) fn Tools(state: TimelineState) -> impl IntoView {
    let context = state.context;
    let rows_words = move || {
        let hidden = state.note.with(|note| note.hidden);
        let words = tr(context.language.get(), "Tracks");
        let hides = tr(context.language.get(), "hidden");
        if hidden == 0 { words.to_owned() } else { format!("{words} · {hidden} {hides}") }
    };
    view! {
        <div class="timeline__tools">
            <AlignField state />
            {color_field(state)}
            {flow_fields(state)}
            <button id=ROWS class=BUTTON type="button" aria-haspopup="menu" on:click=move |_| state.rows_menu()>
                {rows_words}
                <Icon glyph=Glyph::Down small=true />
            </button>
            <button class=BUTTON type="button" on:click=move |_| state.fit_selection()>{context.word("Zoom to selection")}</button>
            <button class=BUTTON type="button" on:click=move |_| state.reset()>{context.word("Zoom to fit")}</button>
        </div>
    }
}
