//! Flows: arrows from a point of one track to a point of another.

use super::id::{FlowId, StrId, TrackId};
use crate::base::time::Ticks;

/// One end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowEnd {
    /// The track it is bound to.
    pub track: TrackId,
    /// When.
    pub time: Ticks,
}

/// All flows, in the order their ends were read.
#[derive(Default)]
pub struct Flows {
    /// The id that both ends share.
    pub id: Vec<StrId>,
    /// Category.
    pub category: Vec<StrId>,
    /// Name.
    pub name: Vec<StrId>,
    /// Where it begins.
    pub from: Vec<FlowEnd>,
    /// Where it points.
    pub to: Vec<FlowEnd>,
    /// How an end finds its slice: by the flag of the same id on its track, or the slice around its time.
    pub by_flag: bool,
}

impl Flows {
    /// How many flows there are.
    pub fn len(&self) -> usize {
        self.id.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.id.is_empty()
    }

    /// All rows with their numbers.
    pub fn ids(&self) -> impl Iterator<Item = FlowId> {
        (0..self.id.len() as u32).map(FlowId)
    }
}
