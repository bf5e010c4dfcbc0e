//! Typed row numbers, so that a row of one table is never looked up in another.

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The number as an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A row of [`super::strings::Strings`].
    StrId,
    /// A row of [`super::track::Tracks`].
    TrackId,
    /// A row of [`super::code::Code::listings`].
    ListingId,
    /// A row of [`super::Flows`].
    FlowId,
    /// A row of [`super::clock::Clocks`]; 0 is the first clock of a trace.
    ClockId,
    /// A row of [`super::Trace::tables`].
    TableId,
}

/// One slice or instant: its track, and its row in the slices (or instants) of that track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SliceId {
    pub track: TrackId,
    /// Its row there, in order of start; instants are numbered behind all slices that a track can have.
    pub row: u32,
}

/// The number of the first instant of a track.
const INSTANTS: u32 = 1 << 31;

impl SliceId {
    /// An instant, by its row in the instants of its track.
    pub fn of_instant(track: TrackId, row: usize) -> Self {
        Self { track, row: INSTANTS | row as u32 }
    }

    /// The row in the instants of its track; `None` for a slice.
    pub fn instant(self) -> Option<usize> {
        Some(self.row.checked_sub(INSTANTS)? as usize)
    }
}

/// A track as an address names it: the same in every reading of the same file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrackName {
    /// Its name and those of the groups above, as [`super::Trace::track_path`] joins them.
    pub path: String,
    /// Which of all tracks with this path, from 0.
    pub occurrence: u32,
}

/// A slice or instant as an address names it: the same in every reading of the same file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SliceName {
    /// The names of its track and of the groups above, as [`super::Trace::track_path`] joins them.
    pub track: String,
    pub name: String,
    /// Its first tick.
    pub start: i64,
    /// Which of all slices, then instants, with the same path, name and start, from 0.
    pub occurrence: u32,
}
