//! Tracks: the tree of rows of the timeline.
//!
//! ```text
//! core0.cubecore0        Group
//! ├── SCALAR             Slices
//! ├── CUBE               Slices
//! └── GM read            Counter
//! ```

use super::Series;
use super::id::{ClockId, StrId, TrackId};
use super::slice::{Instants, Slices};
use serde::{Deserialize, Serialize};

/// What a track holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackKind {
    /// Only other tracks.
    Group,
    /// Slices and instants.
    Slices,
    /// Samples of one or more series.
    Counter,
}

/// What the slices of a track tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// What a program or a device did: scopes, calls, kernels.
    #[default]
    Scopes,
    /// In which state a thread was, one after the other.
    States,
    /// Which thread a processor ran.
    Processor,
    /// What else a processor did: interrupts.
    Interrupts,
}

impl Role {
    /// Whether it comes from a scheduler, which tells all that happens from its first row to its last.
    pub fn is_scheduled(self) -> bool {
        matches!(self, Self::States | Self::Processor)
    }
}

/// One row of the tree.
pub struct Track {
    /// The group it stands in; parents come before their children.
    pub parent: Option<TrackId>,
    pub kind: TrackKind,
    /// What its slices tell.
    pub role: Role,
    /// What a person reads.
    pub name: StrId,
    /// A second word behind the name, such as labels of a process; empty when there is none.
    pub label: StrId,
    /// What its times are counted in; they lie on the axis that all tracks share.
    pub clock: ClockId,
    /// Place among its siblings: smaller first, then by name.
    pub order: i64,
    /// Whether its rows are computed of others: no file has them, so that they are in no number or sum of what files hold.
    pub is_derived: bool,
    /// Whether asynchronous events stand on it: stacks of several ids, whose outermost slices bear the name of the track.
    pub is_async: bool,
    /// Whether its slices are things of their own that may last at the same time, as frames on their way to the display do:
    /// none lies in another one, also where it lasts while another does.
    pub is_parallel: bool,
    /// Number of the entry of the bundle whose bytes the details of its rows lie in.
    pub entry: u32,
    /// Its slices; empty for other kinds.
    pub slices: Slices,
    /// Its instants; empty for other kinds.
    pub instants: Instants,
    /// Its series; empty for other kinds.
    pub series: Vec<Series>,
}

impl Track {
    /// Whether a slice of this name begins a stack of its own: it is nested in no other one, whatever lasts meanwhile.
    pub fn begins_stack(&self, name: StrId) -> bool {
        self.is_parallel || self.is_async && name == self.name
    }
}

/// All tracks, parents before children.
#[derive(Default)]
pub struct Tracks {
    pub(super) rows: Vec<Track>,
    pub(super) shown: Vec<TrackId>,
}

impl Tracks {
    /// One track.
    ///
    /// # Panics
    /// Never for a number that this trace gave out.
    pub fn get(&self, id: TrackId) -> &Track {
        &self.rows[id.index()]
    }

    /// One track; `None` for a number that is not of this trace (numbers from the page may be stale).
    pub fn find(&self, id: TrackId) -> Option<&Track> {
        self.rows.get(id.index())
    }

    /// All tracks in order of creation, with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (TrackId, &Track)> {
        (0u32..).map(TrackId).zip(&self.rows)
    }

    /// Those from this row on.
    pub fn iter_from(&self, first: usize) -> impl Iterator<Item = (TrackId, &Track)> {
        (first as u32..).map(TrackId).zip(self.rows.get(first..).unwrap_or(&[]))
    }

    /// The row where the tracks begin that were made last and are all of this entry.
    pub fn last_of(&self, entry: u32) -> usize {
        self.rows.iter().rposition(|track| track.entry != entry).map_or(0, |at| at + 1)
    }

    /// All tracks in the order they are shown: depth first, siblings by order, then by name (numbers inside by value).
    pub fn shown(&self) -> &[TrackId] {
        &self.shown
    }

    /// How many tracks there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many groups stand above it.
    pub fn level(&self, id: TrackId) -> usize {
        let mut level = 0;
        let mut at = self.find(id).and_then(|t| t.parent);
        while let Some(parent) = at {
            level += 1;
            at = self.find(parent).and_then(|t| t.parent);
        }
        level
    }
}
