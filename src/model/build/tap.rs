//! Who listens to rows while they are read: aggregates of inputs too big to keep.
//!
//! A reader pushes rows into the sink and never knows who listens; analyses bring the taps.

use crate::model::access::Access;
use std::any::Any;

/// Listens to rows that pass by. What it collected is handed to its analysis when everything is read.
pub trait Tap: Any {
    /// One memory access passed.
    fn access(&mut self, row: &Access);
}
