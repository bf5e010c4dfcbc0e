//! What stands in place of a view, or of a part of one, where a part of the program did not come: what could not be
//! loaded, why, and a way to try again.
//!
//! A part of the page may be missing, or one of the document's worker; what asks needs not know: [`loaded`] gives it a
//! context that hears of both.

use crate::base::words::{fill, phrase, tr};
use crate::pane::context::ViewContext;
use leptos::prelude::*;

/// How it stands with what was asked for in a context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Standing {
    /// Counts up when it is tried again: what an earlier try is still told changes nothing.
    pub turn: u32,
    /// Whether a part of the program did not come.
    pub is_refused: bool,
}

/// Where what is asked in a context is told of.
#[derive(Clone, Copy)]
pub(super) struct Asker {
    pub standing: RwSignal<Standing>,
    /// The try that asks.
    pub turn: u32,
}

impl Asker {
    /// The try of now.
    pub(super) fn now(standing: RwSignal<Standing>) -> Self {
        Self { standing, turn: standing.with_untracked(|s| s.turn) }
    }

    /// A part of the program did not come.
    pub(super) fn refuse(self) {
        let is_new = |standing: &Standing| standing.turn == self.turn && !standing.is_refused;
        if self.standing.try_with_untracked(is_new) == Some(true) {
            self.standing.update(|standing| standing.is_refused = true);
        }
    }
}

/// What stands there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A whole view.
    View,
    /// A panel or a table of one.
    Part,
}

/// What `make` shows with the context that it gets. Where a part of the program does not come that was asked for in that
/// context, it is said instead that what has this name could not be loaded, until the user tries again or comes back to
/// the view: then it is made anew, as it is when anything changes that `make` reads.
pub fn loaded(
    place: Place,
    context: ViewContext,
    name: Signal<String>,
    make: impl Fn(ViewContext) -> AnyView + Send + 'static,
) -> AnyView {
    let standing = RwSignal::new(Standing::default());
    let again = move || standing.update(|s| *s = Standing { turn: s.turn + 1, is_refused: false });
    Effect::new(move |_| {
        let is_seen = context.chosen.with(|chosen| chosen == context.view);
        if is_seen && standing.with_untracked(|s| s.is_refused) {
            again();
        }
    });
    let baseline = context.baseline_heard_by(standing);
    let is_refused = Memo::new(move |_| standing.with(|s| s.is_refused));
    let body = move || {
        if is_refused.get() {
            return not_loaded(place, context, name, again);
        }
        make(context.heard_by(standing, baseline))
    };
    body.into_any()
}

fn not_loaded(
    place: Place,
    context: ViewContext,
    name: Signal<String>,
    again: impl Fn() + 'static,
) -> AnyView {
    let title = move || {
        let words = tr(context.language.get(), phrase("{name} could not be loaded"));
        name.with(|name| fill(words, &[("name", name)]))
    };
    let why =
        context.word(phrase("Part of Lanescope could not be loaded. Check your connection and try again."));
    let button = view! {
        <button class="button" type="button" data-action="load-again" on:click=move |_| again()>
            {context.word(phrase("Try again"))}
        </button>
    };
    if place == Place::Part {
        return view! {
            <div class="detail__empty" role="alert">
                <p>{title}</p>
                <p>{why}</p>
                {button}
            </div>
        }
        .into_any();
    }
    view! {
        <div class="state">
            <div class="state__block" role="alert">
                <h1 class="state__title">{title}</h1>
                <p class="state__prose">{why}</p>
                <div class="state__actions">{button}</div>
            </div>
        </div>
    }
    .into_any()
}
