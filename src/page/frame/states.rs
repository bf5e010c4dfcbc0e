//! What stands in place of a view: opening, failed, dead, nothing to show. Each says what it is, why, and what to do.

use crate::base::fault::Severity;
use crate::base::number::{file_size, thousands};
use crate::base::words::{fill, phrase, tr};
use crate::model::files::Missing;
use crate::page::documents::{DocState, DocumentRow, STOPPED};
use crate::page::opening::{self, count, how_far, mapping, measure};
use crate::page::state::PageState;
use crate::ui::{Progress, copy_text, words};
use crate::views::report::page::ReportBody;
use crate::wire::report::Report;
use leptos::prelude::*;
use std::time::Duration;

/// A file that opens faster shows nothing of this: a flash would only disturb.
const PATIENCE: Duration = Duration::from_millis(200);

/// Becomes true after a while.
fn patience() -> RwSignal<bool> {
    let is_over = RwSignal::new(false);
    let done = move || {
        is_over.try_set(true); // the state may be over before its patience
    };
    set_timeout(done, PATIENCE);
    is_over
}

/// A document that is read, before anything of it can be shown.
#[component]
pub fn Opening(row: DocumentRow) -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let is_late = patience();
    let progress = move || match row.state.get() {
        DocState::Loading(progress) => progress,
        _ => crate::wire::Progress::default(),
    };
    let share = Signal::derive(move || progress().share());
    let step = move || {
        let step = progress().step;
        let step = if step.is_empty() { words.tr("Starting")().to_owned() } else { step };
        tr(state.language.get(), &step).to_owned()
    };
    let rows = move || (0 < progress().rows).then(|| thousands(progress().rows.cast_signed()));
    let title = move || fill(words.tr("Opening {name}")(), &[("name", &row.name.get())]);
    view! {
        <Show when=move || is_late.get()>
            <div class="state">
                <div class="state__block" role="status">
                    <h1 class="state__title">{title}</h1>
                    <p class="state__prose">{words.tr("Views appear as data arrives.")}</p>
                    <div class="state__progress">
                        <Progress label=Signal::derive(title) share />
                    </div>
                    <div class="state__measure">
                        <span>{move || how_far(state, &progress())}</span>
                        <span class="state__aside">{move || progress().place.block.text(words.language()).into_owned()}</span>
                    </div>
                    <ul class="state__steps">
                        <li class="state__step state__step--now">
                            <span>"·"</span><span>{step}</span><span class="state__number">{rows}</span>
                        </li>
                    </ul>
                    <div class="state__actions">
                        <button class="button" type="button" data-action="cancel" on:click=move |_| state.close(row.id)>
                            {words.tr("Cancel")}
                        </button>
                    </div>
                </div>
            </div>
        </Show>
    }
}

/// A view that was asked for and that the files do not hold: why, and how to record it.
#[component]
pub fn NotThere(
    /// What is missing.
    missing: Missing,
) -> impl IntoView {
    let words = words();
    let Missing { title, why, .. } = missing;
    let title = move || tr(words.language(), &title).to_owned();
    let why = move || why.text(words.language()).into_owned();
    view! {
        <div class="state">
            <div class="state__block" role="status">
                <h1 class="state__title">{title}</h1>
                <p class="state__prose">{why}</p>
            </div>
        </div>
    }
}

/// Files that are being collected: a folder is walked, an address is fetched.
#[component]
pub fn Gathering() -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let is_late = patience();
    let gathering = move || state.gathering.get().unwrap_or_default();
    let title = Signal::derive(move || match gathering().name {
        name if name.is_empty() => words.tr("Collecting files")().to_owned(),
        name => fill(words.tr("Fetching {name}")(), &[("name", &name)]),
    });
    let share = Signal::derive(move || {
        let gathering = gathering();
        let (done, total) = gathering.bytes.unwrap_or(gathering.files);
        (0 < total).then(|| done as f64 / total as f64)
    });
    let text = move || match gathering().bytes {
        Some((done, total)) => measure(state, done, total),
        None => count(state, gathering().files),
    };
    view! {
        <Show when=move || is_late.get()>
            <div class="state">
                <div class="state__block" role="status">
                    <h1 class="state__title">{move || title.get()}</h1>
                    <div class="state__progress"><Progress label=title share /></div>
                    <div class="state__measure"><span>{text}</span></div>
                    <div class="state__actions">
                        <button class="button" type="button" data-action="cancel" on:click=move |_| opening::cancel(state)>
                            {words.tr("Cancel")}
                        </button>
                    </div>
                </div>
            </div>
        </Show>
    }
}

/// The code of what could not be read because its part of the program did not come.
const NOT_LOADED: &str = "INP-PART";

/// A document that could not be opened: which formats were asked, what came nearest, what it missed.
#[component]
pub fn Failed(row: DocumentRow) -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let report = match row.state.get_untracked() {
        DocState::Failed(report) => *report,
        _ => Report::default(),
    };
    let show_all = RwSignal::new(false);
    let kept = StoredValue::new(report.clone());
    let title = move || fill(words.tr("Could not open {name}")(), &[("name", &row.name.get())]);
    let prose = {
        let report = report.clone();
        move || reason(state, &report)
    };
    let tried = report.near.iter().map(|(format, _, missed)| {
        let (format, missed) = (format.clone(), missed.clone());
        let format = move || tr(words.language(), &format).to_owned();
        let missed = move || missed.text(words.language()).into_owned();
        view! { <li class="state__row"><span>{format}</span><span>{missed}</span></li> }
    });
    let tried: Vec<_> = tried.collect();
    let has_tried = !tried.is_empty();
    view! {
        <div class="state" hidden=move || show_all.get()>
            <div class="state__block state__block--wide" role="alert">
                <h1 class="state__title">{title}</h1>
                <p class="state__prose">{prose}</p>
                <FailedActions row report=kept show_all />
                {has_tried.then(|| view! { <ul class="state__tried" aria-label=words.tr("Formats tried")>{tried}</ul> })}
            </div>
        </div>
        <Show when=move || show_all.get()>
            <ReportBody report=kept.get_value() />
        </Show>
    }
}

/// What can be done about it.
#[component]
fn FailedActions(row: DocumentRow, report: StoredValue<Report>, show_all: RwSignal<bool>) -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let is_unloaded = report.with_value(|report| report.faults.iter().any(|fault| fault.code == NOT_LOADED));
    let again = move || {
        view! {
            <button class="button button--main" type="button" on:click=move |_| opening::watch::reopen(state, row.id)>
                {words.tr("Try again")}
            </button>
        }
    };
    let with_mapping = move || {
        view! {
            <button
                class="button"
                type="button"
                data-action="open-mapping"
                data-tip=words.tr("For simulator logs: describe the format of the lines")
                on:click=move |_| mapping::open(state, row)
            >
                {words.tr("Open with a mapping…")}
            </button>
        }
    };
    let copy = move |_| report.with_value(|report| copy_report(state, &report.text));
    view! {
        <div class="state__actions">
            {is_unloaded.then(again)}
            <button
                class=if is_unloaded { "button" } else { "button button--main" }
                type="button"
                on:click=move |_| show_all.set(true)
            >
                {words.tr("Open report")}
            </button>
            {(!is_unloaded).then(with_mapping)}
            <button class="button" type="button" on:click=copy>{words.tr("Copy report")}</button>
            <CloseButton id=row.id />
        </div>
    }
}

/// One sentence why: the fatal fault, or that nobody knew the files. Of files that a format knows it is followed by what
/// is in them instead.
fn reason(state: PageState, report: &Report) -> String {
    let language = state.language.get();
    let worst = report.faults.iter().max_by_key(|fault| fault.severity);
    let reason = report.reason.text(language);
    let is_known = report.claims.iter().any(|(.., is_chosen)| *is_chosen);
    match worst.map(|fault| (fault, fault.severity)) {
        // The reason says it already.
        Some((fault, _)) if fault.code == NOT_LOADED => reason.into_owned(),
        Some((fault, Severity::Fatal)) => fault.text(language),
        Some((fault, Severity::Loss)) if is_known => {
            format!("{reason} {}", fault.kind.message().text(language))
        }
        // An archive that cannot be unpacked is no unknown type.
        Some((fault, Severity::Loss)) => fault.text(language),
        _ => reason.into_owned(),
    }
}

/// A document whose worker died.
#[component]
pub fn Dead(row: DocumentRow) -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let (message, place, has_begun) = match row.state.get_untracked() {
        DocState::Dead { message, place, has_begun } => (message, place.to_string(), has_begun),
        _ => Default::default(),
    };
    let text = StoredValue::new(format!("{}\n{message}\n{place}\n", row.name.get_untracked()));
    let prose = if !has_begun {
        phrase("Part of Lanescope could not be loaded. Check your connection and try again.")
    } else if message == STOPPED {
        phrase("This document was stopped; other documents are not affected.")
    } else if is_out_of_memory(&message) {
        phrase(
            "This document needs more memory than the browser gives it; other documents are not affected. Close other files and tabs, or open a smaller part of the recording.",
        )
    } else {
        phrase(
            "This document crashed; other documents are not affected. Please report it with the file if you can.",
        )
    };
    let title = move || fill(words.tr("{name} was interrupted")(), &[("name", &row.name.get())]);
    view! {
        <div class="state">
            <div class="state__block" role="alert">
                <h1 class="state__title">{title}</h1>
                <p class="state__prose">{words.tr(prose)}</p>
                <ul class="state__tried">
                    <li class="state__row"><span>{words.tr("What happened")}</span><span>{move || tr(words.language(), &message).to_owned()}</span></li>
                    {(!place.is_empty()).then(|| view! {
                        <li class="state__row"><span>{words.tr("While reading")}</span><span>{place}</span></li>
                    })}
                    <li class="state__row"><span>{words.tr("Size")}</span><span>{file_size(row.bytes.get_untracked())}</span></li>
                </ul>
                <div class="state__actions">
                    <button class="button button--main" type="button" on:click=move |_| opening::watch::reopen(state, row.id)>
                        {words.tr("Try again")}
                    </button>
                    <button class="button" type="button" on:click=move |_| copy_report(state, &text.get_value())>
                        {words.tr("Copy report")}
                    </button>
                    <CloseButton id=row.id />
                </div>
            </div>
        </div>
    }
}

/// Whether a worker ended because it got no memory. Its program then stops at an instruction that is never reached
/// otherwise, which each browser says in its way; a program that gives up for another reason says so itself before.
fn is_out_of_memory(message: &str) -> bool {
    let message = message.to_lowercase();
    let is_stopped = message.contains("runtimeerror") && message.contains("unreachable");
    is_stopped || message.contains("out of memory") || message.contains("allocation failed")
}

/// A worker that does not answer: it may have much to do or be lost, so the user decides.
#[component]
pub fn Silence(row: DocumentRow) -> impl IntoView {
    let words = words();
    view! {
        <div class="compare" role="alert">
            <span class="compare__hint">
                {words.tr("This document is unresponsive. It may still be processing.")}
            </span>
            <button class="button button--small" type="button" data-action="wait" on:click=move |_| row.wait()>
                {words.tr("Keep waiting")}
            </button>
            <button class="button button--small" type="button" data-action="give-up" on:click=move |_| row.give_up()>
                {words.tr("Stop")}
            </button>
        </div>
    }
}

#[component]
fn CloseButton(id: u32) -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    view! {
        <button class="button" type="button" data-action="close-document" on:click=move |_| state.close(id)>
            {words.tr("Close file")}
        </button>
    }
}

/// Copies a report and says so.
pub fn copy_report(state: PageState, text: &str) {
    copy_text(text, move |worked| {
        if worked {
            state.say(state.tr("Report copied"), "");
        } else {
            state.report_problem(state.tr("The browser blocked copying"), "");
        }
    });
}
