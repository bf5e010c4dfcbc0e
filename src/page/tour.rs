//! Four steps through the page: offered once, when the first file is open, and whenever the command is run. A card says
//! what there is, a ring shows where; the page can be used meanwhile.

use super::save::store;
use super::state::PageState;
use crate::base::words::{fill, phrase, tr};
use crate::ui::words;
use leptos::prelude::*;
use std::time::Duration;
use wasm_bindgen::JsCast;

/// Where the browser keeps that the tour was seen.
const SEEN: &str = "tour";

/// How often it is looked where the parts of a view are.
const SETTLED: Duration = Duration::from_millis(700);

/// One step: title, text, and where it is, the first of these that is seen.
struct Step {
    title: &'static str,
    text: &'static str,
    places: &'static [&'static str],
}

static STEPS: [Step; 4] = [
    Step {
        title: phrase("What limits it"),
        text: phrase(
            "Overview comes first: five figures, then findings ranked by what they could save. Choose one to see its evidence, and follow its link to the place.",
        ),
        places: &[".overview__list", ".page__tabs"],
    },
    Step {
        title: phrase("Views"),
        text: phrase(
            "Each view answers a question about this file. In a timeline W and S zoom, A and D move, and a drag adds up a range.",
        ),
        places: &[".page__tabs"],
    },
    Step {
        title: phrase("Search and commands"),
        text: phrase(
            "Ctrl+K finds slices, tables, settings and commands. ? lists all keys; the help explains terms, what to record and what the limits are.",
        ),
        places: &[".top__search"],
    },
    Step {
        title: phrase("Compare, save, share"),
        text: phrase(
            "Drop another file to compare both. Export saves what is shown, Copy link keeps the view. Files stay in this browser.",
        ),
        places: &["#top-export", ".top"],
    },
];

/// Offers the tour once a file is open, unless it was seen or the page stands inside of another.
pub fn offer(state: PageState) {
    let is_inside = window().parent().ok().flatten().is_some_and(|parent| parent != window());
    if is_inside || store::read(SEEN).is_some() {
        return;
    }
    let is_ready = Memo::new(move |_| state.word() == "ready");
    Effect::new(move |was: Option<bool>| {
        let is_first = is_ready.get() && was != Some(true);
        if is_first && store::read(SEEN).is_none() {
            begin(state);
        }
        is_ready.get()
    });
}

/// Shows the first step.
pub fn begin(state: PageState) {
    store::write(SEEN, "seen");
    state.tour.set(Some(0));
}

/// Left, top, width and height of what a step is about.
fn place(step: &Step) -> Option<(f64, f64, f64, f64)> {
    let seen = |selector: &&str| {
        let element = document().query_selector(selector).ok().flatten()?;
        let rect = element.unchecked_into::<web_sys::Element>().get_bounding_client_rect();
        let is_seen = 0.0 < rect.width() && 0.0 < rect.height();
        is_seen.then(|| (rect.x(), rect.y(), rect.width(), rect.height()))
    };
    step.places.iter().find_map(seen)
}

/// The card and the ring; nothing while there is no tour.
#[allow(clippy::too_many_lines)] // one card with its parts
#[component]
pub fn Tour() -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let ring = RwSignal::new(None::<(f64, f64, f64, f64)>);
    let measure = move || {
        let now = untrack(|| state.tour.get()).and_then(|at| place(STEPS.get(at)?));
        if ring.try_with_untracked(|ring| *ring != now) == Some(true) {
            ring.set(now);
        }
    };
    Effect::new(move |_| {
        if state.tour.get().is_some() {
            request_animation_frame(measure);
            // What a view shows comes piece by piece, and pushes its parts away.
            let again = set_interval_with_handle(measure, SETTLED).ok();
            on_cleanup(move || again.iter().for_each(IntervalHandle::clear));
        }
    });
    let listener = window_event_listener(leptos::ev::resize, move |_| measure());
    on_cleanup(move || listener.remove());
    // Wherever the keyboard is: the card may lie over what has it. What is open above it closes first.
    let escape = window_event_listener(leptos::ev::keydown, move |event| {
        let is_shown = untrack(|| state.tour.get()).is_some();
        let is_free = || document().query_selector("dialog[open], .menu").ok().flatten().is_none();
        if is_shown && event.key() == "Escape" && !event.default_prevented() && is_free() {
            state.tour.set(None);
        }
    });
    on_cleanup(move || escape.remove());
    let go = move |by: isize| {
        state
            .tour
            .update(|at| *at = at.and_then(|at| at.checked_add_signed(by)).filter(|at| *at < STEPS.len()));
    };
    let shown = move || {
        let at = state.tour.get()?;
        let step = STEPS.get(at)?;
        let count = move || {
            let (k, n) = ((at + 1).to_string(), STEPS.len().to_string());
            fill(tr(words.language(), phrase("{k} of {n}")), &[("k", &k), ("n", &n)])
        };
        let is_last = at + 1 == STEPS.len();
        Some(view! {
            {move || ring.get().map(|(x, y, w, h)| view! {
                <div
                    class="tour__ring"
                    aria-hidden="true"
                    style:left=format!("{x}px")
                    style:top=format!("{y}px")
                    style:width=format!("{w}px")
                    style:height=format!("{h}px")
                ></div>
            })}
            <section class="tour" role="dialog" aria-label=words.tr(phrase("Tour"))>
                <h2 class="tour__title">{words.tr(step.title)}</h2>
                <p class="tour__text" aria-live="polite">{words.tr(step.text)}</p>
                <p class="tour__tools">
                    <span class="tour__count">{count}</span>
                    <button class="button button--text" type="button" data-action="end-tour" on:click=move |_| state.tour.set(None)>
                        {words.tr(if is_last { phrase("Close") } else { phrase("Skip") })}
                    </button>
                    {(0 < at).then(|| view! {
                        <button class="button" type="button" on:click=move |_| go(-1)>{words.tr(phrase("Back"))}</button>
                    })}
                    {(!is_last).then(|| view! {
                        <button class="button button--main" type="button" data-action="next-step" on:click=move |_| go(1)>
                            {words.tr(phrase("Next"))}
                        </button>
                    })}
                </p>
            </section>
        })
    };
    view! { {shown} }
}
