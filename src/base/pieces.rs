//! Pieces of work that are done in their order, each in a task of its own.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::thread::LocalKey;

/// A piece of work.
pub type Piece = Box<dyn FnOnce()>;

/// Pieces that wait.
pub struct Pieces {
    waiting: RefCell<VecDeque<Piece>>,
    is_scheduled: Cell<bool>,
    /// Has [`Self::run_one`] called soon, in a task of its own.
    schedule: fn(),
}

impl Pieces {
    /// None waits yet.
    pub const fn new(schedule: fn()) -> Self {
        Self { waiting: RefCell::new(VecDeque::new()), is_scheduled: Cell::new(false), schedule }
    }

    /// Does this in a task of its own, after everything that waits already.
    pub fn add(&self, piece: Piece) {
        self.waiting.borrow_mut().push_back(piece);
        if !self.is_scheduled.replace(true) {
            (self.schedule)();
        }
    }

    /// Does this when nothing waits any more, whatever the waiting pieces ask for.
    pub fn add_last(all: &'static LocalKey<Self>, piece: Piece) {
        let last = move || {
            if all.with(|all| all.waiting.borrow().is_empty()) {
                piece();
            } else {
                Self::add_last(all, piece);
            }
        };
        all.with(|all| all.add(Box::new(last)));
    }

    /// Does the first of those that wait.
    pub fn run_one(&self) {
        let first = self.waiting.borrow_mut().pop_front();
        if let Some(piece) = first {
            piece();
        }
        let goes_on = !self.waiting.borrow().is_empty();
        self.is_scheduled.set(goes_on);
        if goes_on {
            (self.schedule)();
        }
    }
}
