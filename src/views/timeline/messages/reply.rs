//! Answers about the timeline. Everything is bounded by the screen or by a page of rows.

use crate::analysis::compare::Total;
use crate::base::time::{Span, Ticks};
use crate::model::id::{SliceId, SliceName, TrackId, TrackName};
use crate::views::code::messages::FoundRow;
use serde::{Deserialize, Serialize};

/// An answer about the timeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// What lies under a point; `None` where nothing is.
    Hit(Option<Box<Under>>),
    /// Everything about a slice; `None` when it is gone.
    Slice(Option<Box<Slice>>),
    /// Where a slice is; `None` when it is gone.
    Found(Option<Box<Place>>),
    /// The next slice of the same name; `None` when there is none.
    Neighbor(Option<SliceHead>),
    /// A group and where it is; `None` when there is none in this direction.
    Group(Option<Box<(TrackId, Place)>>),
    /// What has the words of a text.
    Like(Box<Like>),
    /// What an address calls a slice; `None` when it is gone.
    NameOf(Option<SliceName>),
    /// The slice that an address names; `None` when there is none.
    Named(Option<SliceId>),
    /// What an address calls tracks; without those that are gone.
    TrackNames(Vec<TrackName>),
    Count(u64),
    Search(Box<Hits>),
    /// The group to be shifted, and by how many ticks more than now; `None` when both slices are of one group.
    Aligned(Option<(TrackId, Ticks)>),
    /// The offsets hold; the time with anything in it is this now.
    Shifted(Option<Span>),
    /// Groups and tracks.
    Tracks(Vec<TrackId>),
    Choices(Box<Choices>),
}

/// An answer about what slices have to do with each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum WorkReply {
    /// Who launched a slice; `None` for slices that are no work of a device.
    Launched(Option<Box<Launched>>),
    /// What all slices add up to.
    Totals(Box<Totals>),
}

/// What has all words of a text in its name; a few of each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Like {
    /// Names of slices, and how many slices have them.
    pub names: Vec<(String, u64)>,
    /// Tracks and groups, with their names behind those of the groups above.
    pub tracks: Vec<(TrackId, String)>,
    /// Whether the text asks for a category, a length or arguments, so that a search finds more than names.
    pub has_terms: bool,
}

/// What slices add up to by name or track, most first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// The names with their sums.
    pub rows: Vec<(String, Total)>,
    /// How many names were left out because there are too many.
    pub left_out: u64,
    /// How many devices they are of; 0 where there are none.
    pub devices: u64,
}

/// One slice or instant in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SliceHead {
    pub id: SliceId,
    pub name: String,
    /// Name of its track.
    pub track: String,
    /// Names of the groups above, from the top, joined by ` / `; empty when there are none.
    pub group: String,
    /// When.
    pub span: Span,
    /// When it starts, from the start of the trace.
    pub start: String,
    /// How long it lasts; empty for an instant.
    pub duration: String,
    /// Token of its color.
    pub ink: String,
}

/// What lies under the pointer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Under {
    /// A slice or an instant.
    Slice(SliceHead),
    /// Several slices too narrow to be told apart.
    Fold {
        n: u64,
        longest: SliceHead,
        /// Which share of the place they cover.
        covered: String,
    },
    Counter {
        /// Name of its track.
        track: String,
        /// When, from the start of the trace.
        time: String,
        /// Names of the series with their values there; of several, what they add up to comes last.
        values: Vec<(String, String)>,
        /// Tokens of the colors of the series, when there are several.
        inks: Vec<String>,
    },
    /// A row with nothing there.
    Row {
        track: TrackId,
        /// When, from the start of the trace.
        time: String,
    },
}

/// Where a slice or a track is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// The slice; `None` for a track.
    pub head: Option<SliceHead>,
    /// Groups and tracks that must be opened for it to be seen.
    pub to_open: Vec<TrackId>,
    /// Hidden groups and tracks that must be shown again.
    pub to_show: Vec<TrackId>,
    /// Whether the filter of the rows must go.
    pub is_filtered: bool,
    /// How far the rows must be scrolled when they are opened; as they are when it is in view.
    pub scroll: f64,
}

/// Everything about a slice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slice {
    pub head: SliceHead,
    /// What is known beside its arguments: label and value.
    pub facts: Vec<(String, String)>,
    /// Arguments: label and value.
    pub args: Vec<(String, String)>,
    /// Address of its instruction.
    pub address: Option<u64>,
    /// The listings that may have the instruction.
    pub instructions: Vec<FoundRow>,
    /// The call stack, innermost first.
    pub stack: Vec<Call>,
    /// Slices at the other ends of its flows.
    pub linked: Vec<Link>,
    /// How many links there are; more than those listed are left out.
    pub n_linked: u64,
    /// Which of all slices of its name in order of length, from the longest (1); and how many there are.
    pub rank: (u64, u64),
    /// The bytes of the file it was made from, cut when they are long; empty when there are none.
    pub raw: String,
}

/// Who launched a slice of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launched {
    /// Label and value: what the device does, how long it waited, what it was launched with.
    pub facts: Vec<(String, String)>,
    /// Slices of the host around the launch, innermost first: the call, operators, modules, functions.
    pub around: Vec<Around>,
    /// The call stack that one of them names, the innermost that does; empty where none does.
    pub stack: Vec<Call>,
}

/// A slice around a launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Around {
    pub kind: String,
    pub head: SliceHead,
}

/// One frame of a call stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// As the file writes it.
    pub text: String,
    /// Path and line (from 1), when it names them.
    pub at: Option<(String, u32)>,
}

/// One link of a slice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The slice at the other end.
    pub head: SliceHead,
    /// Whether the flow comes from there.
    pub is_from: bool,
    pub category: String,
}

/// What was found, and where the current place stands among it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hits {
    /// How many slices match.
    pub n: u64,
    /// How many of them can be listed; the others are only counted.
    pub listed: u64,
    /// Number of the current hit, from 0.
    pub current: Option<u32>,
    /// The hit itself, when the current was asked for by number.
    pub at: Option<SliceHead>,
    /// The hit before the current place, around the ends.
    pub before: Option<SliceHead>,
    pub after: Option<SliceHead>,
    /// Why the text is no pattern, in words; then nothing is found.
    pub problem: Option<String>,
}

/// What the menus of a document offer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choices {
    /// Categories of flows with how many there are of each, most first; at most [`super::MAX_ROWS`].
    pub flows: Vec<(String, u64)>,
    /// Whether there are slices that set flags or wait for them.
    pub has_sync: bool,
    pub has_categories: bool,
}
