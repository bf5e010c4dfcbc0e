//! Launches: who launched a work, how long it took to start, how many waited.

mod latency;
mod links;
mod queues;

pub use latency::{BINS, Latency};
pub(super) use links::link;
pub use queues::MOMENTS;
pub(super) use queues::queue_up;
