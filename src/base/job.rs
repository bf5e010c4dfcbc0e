//! Computations that take long, written straight on: between pieces of a few milliseconds they pause, and whoever drives
//! them gives way.
//!
//! ```text
//! async fn total(rows: &[u64], turn: &Turn) -> u64 {
//!     let mut total = 0;
//!     for piece in pieces(rows.len(), 1 << 16) {
//!         total += rows[piece].iter().sum::<u64>();
//!         turn.pause().await;
//!     }
//!     total
//! }
//! ```
//! Nothing wakes a [`Job`]: it goes on when it is polled. Dropping it cancels the computation.

use std::any::Any;
use std::cell::Cell;
use std::ops::Range;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// A computation in progress.
pub struct Job<T>(Pin<Box<dyn Future<Output = T>>>);

impl<T: 'static> Job<T> {
    /// Begins; nothing is done before it is polled.
    pub fn new<F: Future<Output = T> + 'static>(work: impl FnOnce(Turn) -> F) -> Self {
        Self(Box::pin(work(Turn::default())))
    }

    /// What is known at once.
    pub fn done(value: T) -> Self {
        Self::new(|_| std::future::ready(value))
    }

    /// Works on until the next pause; the result at the end, after which it must not be polled again.
    pub fn poll(&mut self) -> Option<T> {
        match self.0.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => Some(result),
            Poll::Pending => None,
        }
    }
}

impl Job<Box<dyn Any>> {
    /// Begins one whose result is of a type that only some know.
    pub fn any<T: Any, F: Future<Output = T> + 'static>(work: impl FnOnce(Turn) -> F + 'static) -> Self {
        Self::new(async move |turn| Box::new(work(turn).await) as Box<dyn Any>)
    }
}

/// Works without giving way until the end.
pub fn run<F: Future>(work: impl FnOnce(Turn) -> F) -> F::Output {
    let mut future = pin!(work(Turn::default()));
    loop {
        if let Poll::Ready(result) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return result;
        }
    }
}

/// Work of one turn, in rows that are looked at or in what takes as long: some milliseconds.
pub const WORK: usize = 1 << 15;

/// The time that a computation has until it gives way. Clones are the same turn.
#[derive(Clone, Default)]
pub struct Turn(Rc<Cell<usize>>);

impl Turn {
    /// Gives way once.
    pub async fn pause(&self) {
        let mut is_asked = false;
        let once = |_: &mut Context| {
            if std::mem::replace(&mut is_asked, true) {
                self.0.set(0);
                return Poll::Ready(());
            }
            Poll::Pending
        };
        std::future::poll_fn(once).await;
    }

    /// Work that was counted in this turn, or in the last one while the computation pauses.
    pub fn work(&self) -> usize {
        self.0.get()
    }

    /// Counts work, in rows; says whether the turn is over and it is time to pause.
    pub fn is_over(&self, rows: usize) -> bool {
        self.0.set(self.0.get().saturating_add(rows));
        WORK <= self.0.get()
    }
}

/// The numbers from 0 to `n`, so many at a time; one empty piece where there are none.
pub fn pieces(n: usize, piece: usize) -> impl Iterator<Item = Range<usize>> {
    (0..n.div_ceil(piece).max(1)).map(move |at| at * piece..n.min((at + 1) * piece))
}
