//! What is built piece by piece, a task each, so that the browser draws and listens in between.
//!
//! A view of a hundred elements with their effects costs tens of milliseconds in one task; its parts do not.

use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

type Piece = Box<dyn FnOnce()>;

thread_local! {
    static WAITING: RefCell<VecDeque<Piece>> = const { RefCell::new(VecDeque::new()) };
    static IS_SCHEDULED: Cell<bool> = const { Cell::new(false) };
}

/// Does this in a task of its own, after everything that waits already.
pub fn enqueue(piece: impl FnOnce() + 'static) {
    WAITING.with_borrow_mut(|waiting| waiting.push_back(Box::new(piece)));
    if !IS_SCHEDULED.replace(true) {
        schedule();
    }
}

/// Does this when nothing waits any more, whatever the waiting pieces ask for.
pub fn when_done(piece: Piece) {
    enqueue(move || {
        if WAITING.with_borrow(VecDeque::is_empty) {
            piece();
        } else {
            when_done(piece);
        }
    });
}

fn schedule() {
    Timeout::new(0, run_one).forget();
}

fn run_one() {
    if let Some(piece) = WAITING.with_borrow_mut(VecDeque::pop_front) {
        piece();
    }
    let goes_on = !WAITING.with_borrow(VecDeque::is_empty);
    IS_SCHEDULED.set(goes_on);
    if goes_on {
        schedule();
    }
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
