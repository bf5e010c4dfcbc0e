//! Memory that a program asked for and gave back, as frameworks note it: one row for each time.
//!
//! ```text
//! row ──▶ point on the track of the thread, bytes (negative: given back) ──▶ device ──▶ track of its counter
//! ```
//! A row costs 32 bytes. What a device held in all is told by the counter on its track, not again here.

use super::flow::FlowEnd;
use super::id::{StrId, TrackId};

/// A memory that allocations come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryDevice {
    /// Its name, such as `CPU` or `GPU 0`; two may have the same.
    pub name: StrId,
    /// The track of the counter of what is allocated there: its first series.
    pub track: TrackId,
}

/// All of them: of each device in order of time.
#[derive(Default)]
pub struct Allocations {
    /// Where they come from.
    pub devices: Vec<MemoryDevice>,
    /// The thread, and when.
    pub at: Vec<FlowEnd>,
    /// The device, by its number.
    pub device: Vec<u32>,
    /// How much; negative for what was given back.
    pub bytes: Vec<i64>,
}

impl Allocations {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.at.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.at.is_empty()
    }
}
