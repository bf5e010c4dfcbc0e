//! The page without a network: registers the service worker that keeps the program, says what came of it, and lets a
//! newer version take over when the user says so.
//!
//! Where there is no service worker, such as in private windows, the page works as it does without one.

use super::help;
use super::state::PageState;
use crate::base::words::phrase;
use crate::ui::words;
use futures_channel::oneshot;
use gloo::events::EventListener;
use gloo::timers::callback::Interval;
use leptos::prelude::{document, *};
use std::cell::Cell;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{ServiceWorkerContainer, ServiceWorkerRegistration};

/// The topic of the help.
pub const TOPIC: &str = "offline";

/// How often an open page looks for a newer version, in milliseconds.
const LOOK_MS: u32 = 3_600_000;

/// Whether the browser keeps the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kept {
    /// It does not, or not yet known.
    #[default]
    No,
    /// Its files are on their way.
    Coming,
    /// All of them.
    Yes,
}

impl Kept {
    fn title(self) -> &'static str {
        match self {
            Self::No => phrase("Works offline while open"),
            Self::Coming => phrase("Preparing for offline use"),
            Self::Yes => phrase("Works offline"),
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::No => phrase(
                "This browser does not keep Lanescope: a private window, no HTTPS, or no storage left. An open page works without a network, a new one needs it.",
            ),
            Self::Coming => phrase(
                "The program is being saved. Until then, an open page works without a network, a new one needs it.",
            ),
            Self::Yes => phrase("The program is saved in this browser and opens without a network."),
        }
    }
}

/// Has the browser keep the program, unless it keeps it already.
pub(super) async fn keep(state: PageState) {
    if let Ok(registration) = register().await {
        follow(state, &registration);
    }
}

async fn register() -> Result<ServiceWorkerRegistration, JsValue> {
    let script = document().query_selector("meta[name=lanescope-offline]")?;
    let script = script.and_then(|meta| meta.get_attribute("content")).ok_or(JsValue::UNDEFINED)?;
    Ok(JsFuture::from(container()?.register(&script)).await?.unchecked_into())
}

/// What keeps pages. Some browsers have none, and some throw an exception at who asks for it.
fn container() -> Result<ServiceWorkerContainer, JsValue> {
    js_sys::Reflect::get(&window().navigator(), &"serviceWorker".into())?.dyn_into()
}

/// Says what becomes of a registration.
fn follow(state: PageState, registration: &ServiceWorkerRegistration) {
    let is_told = Cell::new(false);
    let of = registration.clone();
    let look = std::rc::Rc::new(move || {
        let (active, installing) = (of.active(), of.installing());
        let kept = match &active {
            Some(_) => Kept::Yes,
            None if installing.is_some() || of.waiting().is_some() => Kept::Coming,
            None => Kept::No,
        };
        state.kept.set(kept);
        if let Some(active) = active {
            if of.waiting().is_some() {
                state.is_outdated.set(true);
            }
            if !is_told.replace(true) {
                let _ = active.post_message(&"ready".into());
            }
        }
    });
    let of = registration.clone();
    let on_change = look.clone();
    let follow_new = move || {
        if let Some(new) = of.installing() {
            let look = on_change.clone();
            EventListener::new(&new, "statechange", move |_| look()).forget();
        }
        on_change();
    };
    follow_new();
    EventListener::new(registration, "updatefound", move |_| follow_new()).forget();
    let of = registration.clone();
    let ask = move || {
        if let Ok(asked) = of.update() {
            spawn_local(async { drop(JsFuture::from(asked).await) }); // without a network: the next time
        }
    };
    Interval::new(LOOK_MS, ask).forget();
}

/// Reloads the page, in the newer version when one waits.
fn reload() {
    spawn_local(async {
        let _ = let_take_over().await;
        let _ = window().location().reload();
    });
}

async fn let_take_over() -> Result<(), JsValue> {
    let container = container()?;
    let registration: ServiceWorkerRegistration = JsFuture::from(container.ready()?).await?.unchecked_into();
    let Some(waiting) = registration.waiting() else { return Ok(()) };
    let (sender, is_done) = oneshot::channel();
    let _listener = EventListener::once(&container, "controllerchange", move |_| {
        let _ = sender.send(());
    });
    waiting.post_message(&"activate".into())?;
    let _ = is_done.await;
    Ok(())
}

/// Says in the status bar that a newer version waits.
#[component]
pub(super) fn UpdateNotice() -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    view! {
        <span class="status__update" role="status">
            <Show when=move || state.is_outdated.get()>
                {words.tr("A new version is ready.")}" "
                <button class="button button--text" type="button" data-action="update" on:click=|_| reload()>
                    {words.tr("Reload")}
                </button>
            </Show>
        </span>
    }
}

/// Says in the status bar whether the page works offline; a press explains it.
#[component]
pub(super) fn KeptState() -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    view! {
        <button
            class="button button--text status__kept"
            type="button"
            data-action="offline"
            data-kept=move || state.kept.get() == Kept::Yes
            on:click=move |_| help::open(state, TOPIC)
        >
            {move || words.tr(state.kept.get().title())()}
        </button>
    }
}

/// The topic of the help: the state of now, and what it means.
#[component]
pub(super) fn OfflineTopic() -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let rows = [
        (phrase("Files"), phrase("Your files are read in this browser, online or not. Nothing is uploaded.")),
        (
            phrase("Updates"),
            phrase(
                "A new version loads in the background. An open page keeps its own version until you reload it.",
            ),
        ),
        (
            phrase("Install"),
            phrase("The browser's menu or address bar installs Lanescope as an app with its own window."),
        ),
    ];
    let rows = rows.map(|(term, meaning)| {
        view! { <div class="terms__row"><dt>{words.tr(term)}</dt><dd>{words.tr(meaning)}</dd></div> }
    });
    view! {
        <h3 class="lesson__title">{words.tr("Offline use")}</h3>
        <dl class="terms">
            <div class="terms__row">
                <dt>{move || words.tr(state.kept.get().title())()}</dt>
                <dd>{move || words.tr(state.kept.get().meaning())()}</dd>
            </div>
            {rows}
        </dl>
    }
}
