//! What is built piece by piece, a task each, so that the browser draws and listens in between.
//!
//! A view of a hundred elements with their effects costs tens of milliseconds in one task; its parts do not.

use crate::base::pieces::{Piece, Pieces};
use gloo::timers::callback::Timeout;
use leptos::prelude::*;

thread_local! {
    static PIECES: Pieces = const {
        Pieces::new(|| {
            Timeout::new(0, || PIECES.with(Pieces::run_one)).forget();
        })
    };
}

/// Does this in a task of its own, after everything that waits already.
pub fn enqueue(piece: impl FnOnce() + 'static) {
    PIECES.with(|all| all.add(Box::new(piece)));
}

/// Does this when nothing waits any more, whatever the waiting pieces ask for.
pub fn when_done(piece: Piece) {
    Pieces::add_last(&PIECES, piece);
}

/// Children that are built in a task of their own.
#[component]
pub fn Staged(
    /// What is built.
    children: ChildrenFn,
) -> impl IntoView {
    let is_built = RwSignal::new(false);
    enqueue(move || {
        is_built.try_set(true); // may be gone by now
    });
    move || is_built.get().then(|| children())
}
