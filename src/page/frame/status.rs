//! The status bar: window, selection and faults at the left; facts of the file and two useful keys at the right.

use crate::base::fault::Severity;
use crate::base::number::{duration, file_size, instant, thousands};
use crate::base::time::Span;
use crate::base::window::Window;
use crate::base::words::{fill, phrase, tr};
use crate::page::documents::DocState;
use crate::page::keys::Keys;
use crate::page::opening::how_far;
use crate::page::state::PageState;
use crate::ui::icon::SeverityIcon;
use crate::ui::text::throttle::calm;
use crate::ui::words;
use leptos::prelude::*;

/// The bar at the bottom of the page.
#[component]
pub fn StatusBar() -> impl IntoView {
    let state = PageState::of_context();
    view! {
        <footer class="status">
            {move || match state.row() {
                None => view! { <Idle /> }.into_any(),
                Some(_) => view! { <OfDocument /> }.into_any(),
            }}
        </footer>
    }
}

#[component]
fn Idle() -> impl IntoView {
    let words = words();
    view! {
        <span>{words.tr("Works offline")}</span>
        <span>{words.tr("No network requests after loading")}</span>
        <span class="status__gap"></span>
        <span><Keys keys=&["?"] />" "{words.tr("keys")}</span>
        <span><Keys keys=&["Ctrl", "K"] />" "{words.tr("commands")}</span>
        <span>{env!("CARGO_PKG_VERSION")}</span>
    }
}

#[component]
fn OfDocument() -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let head = move || state.row().and_then(|row| row.head.get());
    let context = move || state.row().and_then(|row| row.context.get());
    let window = move || {
        let (head, context) = (head()?, context()?);
        state.language.track();
        let span = context.window.get().map(Window::span).or(context.moved.get()).or(head.span)?;
        let zero = head.span.map_or(0, Span::origin);
        let at = |t: i64| instant(t.saturating_sub(zero), head.clock);
        Some(format!("{} – {}", at(span.start), at(span.end)))
    };
    let chosen = move || {
        let (head, context) = (head()?, context()?);
        state.language.track();
        let range = context.selection.get().range?;
        Some(duration(range.dur(), head.clock))
    };
    let progress = move || match state.row()?.state.get() {
        DocState::Loading(progress) => Some(progress),
        _ => None,
    };
    let step = move || progress().map(|p| tr(state.language.get(), &p.step).to_owned()).unwrap_or_default();
    let done = move || progress().map(|p| how_far(state, &p));
    let writing = move || state.row()?.writing.get();
    let written = move || writing().map(file_size);
    let cancel = move |_| untrack(|| state.row()).into_iter().for_each(|row| row.cancel_files());
    let facts = move || {
        let head = head()?;
        let slices = (0 < head.contents.slices).then(|| {
            fill(words.tr("{n} slices")(), &[("n", &thousands(head.contents.slices.cast_signed()))])
        });
        let seconds = format!("{:.2} s", head.millis / 1000.0);
        let opened = head.is_complete.then(|| fill(words.tr("opened in {time}")(), &[("time", &seconds)]));
        Some(view! {
            {slices.map(|text| view! { <span>{text}</span> })}
            {opened.map(|text| view! { <span>{text}</span> })}
        })
    };
    view! {
        <StatusValue name=Signal::derive(move || words.tr("Window")().to_owned()) value=Signal::derive(window) />
        <StatusValue name=Signal::derive(move || words.tr("Selected")().to_owned()) value=Signal::derive(chosen) />
        <FaultCounts />
        <StatusValue name=Signal::derive(step) value=Signal::derive(done) />
        <StatusValue name=Signal::derive(move || words.tr("Saving")().to_owned()) value=Signal::derive(written) />
        <Show when=move || writing().is_some()>
            <button class="button button--text" type="button" data-action="cancel-files" on:click=cancel>{words.tr("Cancel")}</button>
        </Show>
        <span class="status__gap"></span>
        {facts}
        <span><Keys keys=&["?"] />" "{words.tr("keys")}</span>
        <span><Keys keys=&["Ctrl", "K"] />" "{words.tr("commands")}</span>
    }
}

/// A name with a value, while there is one. They change with every frame of a gesture: only their text is written anew,
/// and not for every frame.
#[component]
fn StatusValue(name: Signal<String>, value: Signal<Option<String>>) -> impl IntoView {
    let is_there = Memo::new(move |_| value.with(Option::is_some));
    let text = calm(move || value.get().unwrap_or_default());
    let name = Memo::new(move |_| name.get());
    view! {
        <Show when=move || is_there.get()>
            <span>
                {move || name.get()}
                <span class="status__value">{text}</span>
            </span>
        </Show>
    }
}

/// How many faults of each severity but notes; a press opens the report.
#[component]
fn FaultCounts() -> impl IntoView {
    let state = PageState::of_context();
    let counts = move || state.row().and_then(|row| row.head.get()).map_or([0; 4], |head| head.faults);
    let parts = move || {
        let language = state.language.get();
        let counts = counts();
        let parts = Severity::ALL.into_iter().rev().filter_map(move |severity| {
            let n = counts[severity as usize];
            if n == 0 || severity == Severity::Note {
                return None;
            }
            let words = match (severity, n) {
                (Severity::Warning, 1) => phrase("1 warning"),
                (Severity::Warning, _) => phrase("{n} warnings"),
                (Severity::Loss, 1) => phrase("1 loss"),
                (Severity::Loss, _) => phrase("{n} losses"),
                (_, 1) => phrase("1 entry could not be used"),
                (..) => phrase("{n} entries could not be used"),
            };
            let text = fill(tr(language, words), &[("n", &thousands(n.cast_signed()))]);
            let class = format!("severity severity--{}", severity.name());
            Some(view! {
                <button class=class type="button" on:click=move |_| state.view.set("report".to_owned())>
                    <SeverityIcon severity=severity.name() />{text}
                </button>
            })
        });
        parts.collect::<Vec<_>>()
    };
    view! { <span class="status__faults">{parts}</span> }
}
