//! Who listens to rows while they are read: aggregates of inputs too big to keep.
//!
//! A reader pushes rows into the sink and never knows who listens; `query` hands the taps in.

use crate::model::access::Access;

/// Listens to rows that pass by.
pub trait Tap {
    /// One memory access passed.
    fn access(&mut self, row: &Access);
}
