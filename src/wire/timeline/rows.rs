//! What the user did to the rows of the timeline, and what stands out in them.

use crate::base::time::Ticks;
use crate::model::id::{SliceId, TrackId};
use serde::{Deserialize, Serialize};

/// What the user did to the rows beside opening, pinning and hiding them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrangement {
    /// Only rows with this in their name, or in one above or below them, are shown; empty shows all.
    pub filter: String,
    /// Rows that were moved among their siblings, one after the other.
    pub moved: Vec<Move>,
    /// Tracks that share a row, that of the first of them.
    pub merged: Vec<Vec<TrackId>>,
    /// Names of the user in place of those of the file.
    pub aliases: Vec<(TrackId, String)>,
    /// How much later than in the file the times of groups and tracks are shown; those of groups above add up.
    pub offsets: Vec<(TrackId, Ticks)>,
}

/// A row that was moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// Which.
    pub track: TrackId,
    /// The sibling it stands before since; `None` is the end.
    pub before: Option<TrackId>,
}

/// What stands out, and what is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    /// The name whose slices stand out; all others step back.
    pub only: Option<String>,
    /// The slice that others are aligned with.
    pub base: Option<SliceId>,
    /// Whether slices that set flags or wait for them are left out, with their flows.
    pub is_sync_hidden: bool,
    /// Categories of flows that are left out.
    pub flows_off: Vec<String>,
}

/// What the menus of a document offer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choices {
    /// Categories of flows with how many there are of each, most first; at most [`super::MAX_ROWS`].
    pub flows: Vec<(String, u64)>,
    /// Whether there are slices that set flags or wait for them.
    pub has_sync: bool,
    /// Whether slices have categories.
    pub has_categories: bool,
}
