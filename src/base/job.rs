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
pub const WORK: usize = 1 << 16;

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

#[cfg(test)]
mod tests {
    use super::*;

    async fn total(n: usize, turn: &Turn) -> usize {
        let mut total = 0;
        for piece in pieces(n, 10) {
            total += piece.sum::<usize>();
            turn.pause().await;
        }
        total
    }

    #[test]
    fn a_job_pauses_between_pieces_and_then_has_its_result() {
        let mut job = Job::new(async move |turn| total(25, &turn).await);
        assert_eq!([job.poll(), job.poll(), job.poll(), job.poll()], [None, None, None, Some(300)]);
        assert_eq!(run(async |turn| total(25, &turn).await), 300);
        assert_eq!(Job::done(7).poll(), Some(7));
    }

    #[test]
    fn a_dropped_job_drops_what_it_holds() {
        let held = Rc::new(());
        let (inside, turn) = (Rc::clone(&held), Turn::default());
        let mut job = Job::new(async move |_| {
            turn.pause().await;
            drop(inside);
        });
        assert_eq!((job.poll(), Rc::strong_count(&held)), (None, 2));
        drop(job);
        assert_eq!(Rc::strong_count(&held), 1);
    }

    #[test]
    fn a_turn_ends_with_its_work_and_begins_anew_after_a_pause() {
        let mut job = Job::new(async |turn: Turn| {
            assert!(!turn.is_over(WORK - 1) && turn.is_over(1) && turn.is_over(0));
            turn.pause().await;
            !turn.is_over(1)
        });
        assert_eq!([job.poll(), job.poll()], [None, Some(true)]);
    }

    #[test]
    fn pieces_are_all_numbers_once() {
        assert_eq!(pieces(5, 2).collect::<Vec<_>>(), [0..2, 2..4, 4..5]);
        assert_eq!(pieces(0, 2).collect::<Vec<_>>(), [0..0]);
        assert_eq!(pieces(4, 4).collect::<Vec<_>>(), [0..4]);
    }
}
