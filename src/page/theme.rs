//! Light, dark, or as the system has it, light on paper, and the color scheme; reads the resolved tokens for whoever draws.

use super::state::PageState;
use crate::base::words::phrase;
use crate::scene::palette::{OWN, Palette, parse_color};
use gloo::events::{EventListener, EventListenerOptions};
use leptos::prelude::*;
use std::sync::Arc;
use std::time::Duration;
use wasm_bindgen::JsCast;

/// The tokens' names come from the file itself, so that no list of them can be forgotten.
const TOKENS: &str = include_str!("../../style/tokens.css");
/// How long workers have to draw in other colors.
const DRAWN: Duration = Duration::from_millis(400);
const DARK: &str = "(prefers-color-scheme: dark)";

/// What the user chose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThemeChoice {
    /// Follow the system.
    #[default]
    System,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

impl ThemeChoice {
    /// All choices, in the order of the menu.
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// Its name in addresses and in the browser's store.
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The choice of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.name() == name)
    }
}

/// Whether the system is dark, followed.
pub fn follow_system() -> RwSignal<bool> {
    follow(DARK)
}

/// Whether media are of a kind, followed.
fn follow(media: &str) -> RwSignal<bool> {
    let Some(query) = window().match_media(media).ok().flatten() else { return RwSignal::new(false) };
    let is_so = RwSignal::new(query.matches());
    let followed = query.clone();
    // The page lives as long as its window, so nothing takes the listener away.
    EventListener::new(&query, "change", move |_| is_so.set(followed.matches())).forget();
    is_so
}

/// Whether the page goes to paper, followed. Workers draw a moment later than the browser prints: the key for it waits for
/// them where the page is dark.
fn follow_print(is_dark: Memo<bool>) -> RwSignal<bool> {
    let is_on_paper = follow("print");
    for (event, is_so) in [("beforeprint", true), ("afterprint", false)] {
        EventListener::new(&window(), event, move |_| is_on_paper.set(is_so)).forget();
    }
    let on_key = move |event: &web_sys::Event| {
        let Some(key) = event.dyn_ref::<web_sys::KeyboardEvent>() else { return };
        let is_meant = (key.ctrl_key() || key.meta_key()) && !key.alt_key() && !key.shift_key();
        if is_meant && key.key() == "p" && is_dark.get_untracked() {
            event.prevent_default();
            is_on_paper.set(true);
            set_timeout(|| drop(window().print()), DRAWN);
        }
    };
    let options = EventListenerOptions::enable_prevent_default();
    EventListener::new_with_options(&window(), "keydown", options, on_key).forget();
    is_on_paper
}

/// The palette of the theme of now. Sets the attribute that the style sheets obey, then reads what they make of it.
pub fn palette(
    choice: Signal<ThemeChoice>,
    scheme: Signal<String>,
    system_is_dark: RwSignal<bool>,
) -> Memo<Arc<Palette>> {
    let is_dark = Memo::new(move |_| match choice.get() {
        ThemeChoice::System => system_is_dark.get(),
        ThemeChoice::Light => false,
        ThemeChoice::Dark => true,
    });
    let is_on_paper = follow_print(is_dark);
    Memo::new(move |_| {
        let is_dark = is_dark.get() && !is_on_paper.get();
        Arc::new(resolve(if is_dark { "dark" } else { "light" }, &scheme.get()))
    })
}

fn resolve(theme: &str, scheme: &str) -> Palette {
    let mut palette = Palette::with_scheme(TOKENS, theme, scheme);
    let Some(root) = document().document_element() else { return palette };
    let _ = root.set_attribute("data-theme", theme);
    let _ = root.set_attribute("data-colors", scheme);
    let Some(style) = window().get_computed_style(&root).ok().flatten() else { return palette };
    let value = |name: &str| style.get_property_value(&format!("--{name}")).unwrap_or_default();
    for (name, color) in &mut palette.colors {
        if let Some(resolved) = parse_color(value(name).trim()) {
            *color = resolved;
        }
    }
    palette
}

/// What can be chosen for everything, with titles: Lanescope's own colors and color schemes.
pub fn color_schemes(state: PageState) -> Vec<(String, String)> {
    let own = (OWN.to_owned(), phrase("Lanescope colors").to_owned());
    std::iter::once(own).chain(state.documents.catalog.get_untracked().color_schemes).collect()
}

/// Goes from one color scheme to the next.
pub fn turn_colors(state: PageState) {
    let all = color_schemes(state);
    let now = state.scheme.get_untracked();
    let at = all.iter().position(|(id, _)| *id == now).unwrap_or(0);
    state.scheme.set(all[(at + 1) % all.len()].0.clone());
}

/// Goes from one choice to the next.
pub fn turn(state: PageState) {
    let at = ThemeChoice::ALL.iter().position(|c| *c == state.theme.get_untracked()).unwrap_or(0);
    state.theme.set(ThemeChoice::ALL[(at + 1) % ThemeChoice::ALL.len()]);
}
