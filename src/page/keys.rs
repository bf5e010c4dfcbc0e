//! The keyboard: commands by their keys, and the table of keys from which the help is made.

use super::commands::COMMANDS;
use super::state::PageState;
use crate::base::words::{Language, phrase, tr};
use crate::navigation::KeyPress;
use crate::ui::{is_typing, words};
use gloo::events::{EventListener, EventListenerOptions, EventListenerPhase};
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// One row of the table of keys that views answer.
pub struct Gesture {
    /// Where it holds.
    pub group: &'static str,
    /// Keys, wheels and drags; alternatives are separate.
    pub keys: &'static [&'static str],
    pub what: &'static str,
}

const TIMELINE: &str = phrase("Timeline");
const CODE: &str = phrase("Source");
const ACCESSES: &str = phrase("Accesses");
const DETAILS: &str = phrase("Details");
const SCHEDULE: &str = phrase("Schedule");
const TRACE: &str = phrase("Trace");
const LISTS: &str = phrase("Tables and menus");

/// What views answer, by view; alternatives and modifiers as they stand in the pages of views,
/// `pane/plane.rs`, `pane/lanes.rs` and `ui/table`.
pub static GESTURES: &[Gesture] = &[
    Gesture { group: TIMELINE, keys: &["W", "S", "+", "-"], what: phrase("Zoom in and out") },
    Gesture { group: TIMELINE, keys: &["A", "D"], what: phrase("Move left and right") },
    Gesture { group: TIMELINE, keys: &["←", "→"], what: phrase("Previous or next slice in the row") },
    Gesture {
        group: TIMELINE,
        keys: &["↑", "↓"],
        what: phrase("Outer or inner slice, track above or below"),
    },
    Gesture { group: TIMELINE, keys: &["PageUp", "PageDown"], what: phrase("Scroll tracks") },
    Gesture { group: TIMELINE, keys: &["G"], what: phrase("Go to the next process or device") },
    Gesture { group: TIMELINE, keys: &["Shift", "G"], what: phrase("Go to the previous process or device") },
    Gesture { group: TIMELINE, keys: &["F", "Enter"], what: phrase("Zoom to selection") },
    Gesture { group: TIMELINE, keys: &["Shift", "Z"], what: phrase("Zoom to selection") },
    Gesture { group: TIMELINE, keys: &["Ctrl", "0"], what: phrase("Zoom to fit") },
    Gesture { group: TIMELINE, keys: &["Ctrl", "Z"], what: phrase("Undo zoom and changes of rows") },
    Gesture { group: TIMELINE, keys: &["Ctrl", "Y"], what: phrase("Redo zoom and changes of rows") },
    Gesture { group: TIMELINE, keys: &["Backspace"], what: phrase("Go back to the previous window") },
    Gesture {
        group: TIMELINE,
        keys: &[",", "."],
        what: phrase("Go to the previous or next slice with this name"),
    },
    Gesture { group: TIMELINE, keys: &["Shift", "Backspace"], what: phrase("Go forward to the next window") },
    Gesture { group: TIMELINE, keys: &["/"], what: phrase("Search slices and instants") },
    Gesture { group: TIMELINE, keys: &["F3"], what: phrase("Go to the next match") },
    Gesture { group: TIMELINE, keys: &["Shift", "F3"], what: phrase("Go to the previous match") },
    Gesture {
        group: TIMELINE,
        keys: &["K"],
        what: phrase("Mark the selected range or the time at the pointer"),
    },
    Gesture { group: TIMELINE, keys: &["B"], what: phrase("Set or clear the base slice") },
    Gesture {
        group: TIMELINE,
        keys: &["L", "R"],
        what: phrase("Align the selected slice with the base slice: start, end"),
    },
    Gesture { group: TIMELINE, keys: &["E"], what: phrase("Highlight slices with the selected name") },
    Gesture { group: TIMELINE, keys: &["Shift", "F10"], what: phrase("Open the menu for a slice or track") },
    Gesture { group: TIMELINE, keys: &["Ctrl", "Shift", "F"], what: phrase("Filter tracks by name") },
    Gesture { group: TIMELINE, keys: &["Alt", "↑"], what: phrase("Move a track up or down") },
    Gesture { group: TIMELINE, keys: &["Alt", "↓"], what: phrase("Move a track up or down") },
    Gesture { group: TIMELINE, keys: &["F2"], what: phrase("Rename a track") },
    Gesture { group: TIMELINE, keys: &["Q"], what: phrase("Toggle details") },
    Gesture { group: TIMELINE, keys: &["M"], what: phrase("Select the slice's time range") },
    Gesture { group: TIMELINE, keys: &["Esc"], what: phrase("Clear selection") },
    Gesture { group: TIMELINE, keys: &["Esc"], what: phrase("Flame graph: zoom out to parent frame") },
    Gesture { group: TIMELINE, keys: &["Ctrl", "Wheel"], what: phrase("Zoom at the pointer") },
    Gesture { group: TIMELINE, keys: &["Shift", "Wheel"], what: phrase("Move left and right") },
    Gesture { group: TIMELINE, keys: &["Ctrl", "Drag"], what: phrase("Move freely") },
    Gesture { group: TIMELINE, keys: &["Alt", "Drag"], what: phrase("Zoom into an area") },
    Gesture { group: TIMELINE, keys: &["Drag"], what: phrase("Select a range") },
    Gesture { group: CODE, keys: &["↑", "↓", "PageUp", "PageDown"], what: phrase("Go to another line") },
    Gesture { group: CODE, keys: &["Home", "End"], what: phrase("Go to the first or last line") },
    Gesture { group: CODE, keys: &["H"], what: phrase("Go to the next hottest line") },
    Gesture { group: CODE, keys: &["Shift", "H"], what: phrase("Go to the previous hottest line") },
    Gesture { group: CODE, keys: &["Ctrl", "F"], what: phrase("Search the listing") },
    Gesture { group: CODE, keys: &["F3"], what: phrase("Go to the next match") },
    Gesture { group: CODE, keys: &["Shift", "F3"], what: phrase("Go to the previous match") },
    Gesture { group: CODE, keys: &["Esc"], what: phrase("Close search") },
    Gesture { group: DETAILS, keys: &["[", "]"], what: phrase("Go to the previous or next block") },
    Gesture { group: SCHEDULE, keys: &["[", "]"], what: phrase("Select the next slower or faster block") },
    Gesture {
        group: SCHEDULE,
        keys: &["←", "→"],
        what: phrase("Select the previous or next block in the lane"),
    },
    Gesture { group: SCHEDULE, keys: &["Enter"], what: phrase("Show details of the selection") },
    Gesture { group: SCHEDULE, keys: &["Ctrl", "Wheel"], what: phrase("Zoom at the pointer") },
    Gesture { group: SCHEDULE, keys: &["Shift", "Wheel"], what: phrase("Move left and right") },
    Gesture { group: TRACE, keys: &["N"], what: phrase("Go to the next execution where lanes drop out") },
    Gesture { group: TRACE, keys: &["U"], what: phrase("Go to the next execution with excess sectors") },
    Gesture { group: TRACE, keys: &["[", "]"], what: phrase("Go to another execution of this block") },
    Gesture { group: TRACE, keys: &[",", "."], what: phrase("Select the previous or next execution") },
    Gesture { group: TRACE, keys: &["←", "→"], what: phrase("Select the previous or next execution") },
    Gesture { group: TRACE, keys: &["Enter"], what: phrase("Show details of the selection") },
    Gesture { group: TRACE, keys: &["P"], what: phrase("Compare with the nearest diverging thread") },
    Gesture { group: TRACE, keys: &["Shift", "Click"], what: phrase("Compare with this thread") },
    Gesture { group: TRACE, keys: &["Ctrl", "Wheel"], what: phrase("Zoom at the pointer") },
    Gesture { group: TRACE, keys: &["Shift", "Wheel"], what: phrase("Move left and right") },
    Gesture { group: TRACE, keys: &["Q"], what: phrase("Toggle details") },
    Gesture { group: ACCESSES, keys: &["Wheel"], what: phrase("Zoom records at the pointer") },
    Gesture { group: ACCESSES, keys: &["Shift", "Wheel"], what: phrase("Zoom addresses at the pointer") },
    Gesture { group: ACCESSES, keys: &["W", "S", "+", "-"], what: phrase("Zoom in and out") },
    Gesture { group: ACCESSES, keys: &["Shift", "W"], what: phrase("Zoom addresses in") },
    Gesture { group: ACCESSES, keys: &["Shift", "S"], what: phrase("Zoom addresses out") },
    Gesture { group: ACCESSES, keys: &["A", "D", "←", "→"], what: phrase("Move left and right") },
    Gesture { group: ACCESSES, keys: &["↑", "↓"], what: phrase("Scroll addresses") },
    Gesture { group: ACCESSES, keys: &[",", "."], what: phrase("Go to the previous or next access") },
    Gesture { group: ACCESSES, keys: &["0"], what: phrase("Zoom to fit") },
    Gesture { group: ACCESSES, keys: &["Q"], what: phrase("Toggle details") },
    Gesture { group: ACCESSES, keys: &["Drag"], what: phrase("Move freely") },
    Gesture { group: ACCESSES, keys: &["Alt", "Drag"], what: phrase("Zoom into an area") },
    Gesture { group: LISTS, keys: &["↑", "↓", "PageUp", "PageDown"], what: phrase("Select a row") },
    Gesture { group: LISTS, keys: &["Home", "End"], what: phrase("Select the first or last row") },
    Gesture { group: LISTS, keys: &["Enter"], what: phrase("Open the row") },
    Gesture { group: LISTS, keys: &["Ctrl", "C"], what: phrase("Copy row with headers") },
    Gesture { group: LISTS, keys: &["Shift"], what: phrase("Pin the tooltip") },
];

/// Marks the page while it is used by keys, for the ring of focus: a press of a key begins it, one of the pointer ends it.
fn mark_use() {
    let Some(root) = document().document_element() else { return };
    let target = window();
    for (name, is_key) in [("keydown", true), ("pointerdown", false)] {
        let root = root.clone();
        let mark = move |_: &web_sys::Event| {
            if is_key != root.has_attribute("data-keyboard") {
                let _ = root.toggle_attribute("data-keyboard");
            }
        };
        // Before views answer: what they stop is seen here too.
        let phase = EventListenerOptions { phase: EventListenerPhase::Capture, passive: true };
        EventListener::new_with_options(&target, name, phase, mark).forget();
    }
}

/// Answers the keys of the commands, wherever the keyboard is.
pub fn listen(state: PageState) {
    mark_use();
    let listener = window_event_listener(leptos::ev::keydown, move |event| {
        if event.default_prevented() || event.is_composing() || hand_over(&event) {
            return;
        }
        let press = press_of(&event);
        if let Some(at) = press.view_index() {
            let views = untrack(|| state.views());
            if let Some(view) = views.get(at) {
                event.prevent_default();
                state.view.set(view.id.to_owned());
            }
            return;
        }
        let Some(command) = COMMANDS.iter().find(|command| press.is(command.keys)) else { return };
        if press.is_plain() && is_typing(event.target()) {
            return;
        }
        event.prevent_default();
        if untrack(|| (command.can)(state)) {
            (command.run)(state);
        }
    });
    on_cleanup(move || listener.remove());
}

/// When the keyboard is nowhere, because what had it is gone, the view that is shown takes it, and the event with it. Not
/// the keys that go from one control to the next: these would never leave the view.
fn hand_over(event: &KeyboardEvent) -> bool {
    let is_way = matches!(event.key().as_str(), "Tab" | "Shift" | "Control" | "Alt" | "Meta");
    // Only what a person pressed is handed on, so that nothing is handed on twice.
    if is_way || !event.is_trusted() {
        return false;
    }
    let is_nowhere = document().active_element().is_none_or(|element| element.tag_name() == "BODY");
    let root = document().query_selector("#main .page__view:not([hidden]) [data-keys]").ok().flatten();
    let Some(root) = root.filter(|_| is_nowhere).and_then(|root| root.dyn_into::<HtmlElement>().ok()) else {
        return false;
    };
    let (init, press) = (web_sys::KeyboardEventInit::new(), press_of(event));
    init.set_key(&press.key);
    init.set_code(&press.code);
    init.set_ctrl_key(event.ctrl_key());
    init.set_meta_key(event.meta_key());
    init.set_alt_key(press.alt);
    init.set_shift_key(press.shift);
    init.set_bubbles(true);
    init.set_cancelable(true);
    let _ = root.focus();
    let is_there = document().active_element().is_some_and(|element| element.is_same_node(Some(&root)));
    let again = web_sys::KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init);
    let Some(again) = again.ok().filter(|_| is_there) else { return false };
    // After this listener, which hears the event again, and before the browser answers the key.
    let event = event.clone();
    queue_microtask(move || {
        if root.dispatch_event(&again) == Ok(false) {
            event.prevent_default();
        }
    });
    true
}

fn press_of(event: &KeyboardEvent) -> KeyPress {
    KeyPress {
        key: event.key(),
        code: event.code(),
        control: event.ctrl_key() || event.meta_key(),
        alt: event.alt_key(),
        shift: event.shift_key(),
    }
}

/// Keys as they are written on keyboards of this system; what is done with the mouse is a word of the page.
pub fn written(language: Language, key: &'static str) -> &'static str {
    let platform = window().navigator().platform().unwrap_or_default();
    match key {
        "Ctrl" if platform.starts_with("Mac") => "⌘",
        "Alt" if platform.starts_with("Mac") => "⌥",
        "Shift" if platform.starts_with("Mac") => "⇧",
        "Drag" => tr(language, "Drag"),
        "Wheel" => tr(language, "Wheel"),
        "Click" => tr(language, "Click"),
        "PageDown" => "PgDn",
        "PageUp" => "PgUp",
        other => other,
    }
}

/// Draws keys.
#[component]
pub fn Keys(
    /// Modifiers, then the key.
    keys: &'static [&'static str],
) -> impl IntoView {
    let words = words();
    let one = |key| view! { <kbd class="key">{move || written(words.language(), key)}</kbd> };
    keys.iter().map(|key| one(*key)).collect::<Vec<_>>()
}
