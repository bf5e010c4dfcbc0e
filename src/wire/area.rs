//! Questions, answers and frames about an area, a stretch of time on some tracks: its call tree, tracks that are busy
//! together, idle gaps, flows.

use super::timeline::{Area, SliceHead};
pub use crate::analysis::area::flame::Order;
pub use crate::analysis::area::gaps::Idle;
use crate::base::geometry::{Point, Size};
use crate::base::time::{Span, Ticks};
use crate::model::id::StrId;
use serde::{Deserialize, Serialize};

/// Most frames of a call tree that cross as a table.
pub const MAX_CALLS: usize = 2_000;

/// A question about an area.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// Its call tree as a table.
    Calls(Area),
    /// Which frame of its call tree lies under a point.
    Frame {
        /// The picture.
        frame: Box<Frame>,
        /// Its size.
        size: Size,
        /// The point.
        at: Point,
    },
    /// How each track spends the time, and how busy devices are.
    Idle {
        /// The area.
        area: Area,
        /// Whether waiting is work.
        waits: bool,
    },
    /// Its longest gaps, a page of them.
    Gaps {
        /// The area.
        area: Area,
        /// Whether waiting is work.
        waits: bool,
        /// Ordered by start, else by length.
        by_start: bool,
        /// Whether the greatest comes first.
        is_descending: bool,
        /// First row.
        from: u32,
        /// How many, at most [`super::timeline::MAX_ROWS`].
        limit: u32,
    },
    /// What its flows add up to by category.
    Categories(Area),
    /// Its flows, a page of them.
    Flows {
        /// The area.
        area: Area,
        /// Only those in which category, name or a slice at an end contains this text; empty for all.
        text: String,
        /// Only those of this category.
        category: Option<String>,
        /// Ordered by latency, else by start.
        by_latency: bool,
        /// Whether the greatest comes first.
        is_descending: bool,
        /// First row.
        from: u32,
        /// How many, at most [`super::timeline::MAX_ROWS`].
        limit: u32,
    },
}

/// An answer about an area.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// Frames of the call tree.
    Calls(Box<Calls>),
    /// Names from the top of the call tree to a frame; `None` where none is.
    Frame(Option<Vec<StrId>>),
    /// How tracks spend the time.
    Idle(Box<IdleTracks>),
    /// Gaps.
    Gaps(Gaps),
    /// Sums of flows, most flows first.
    Categories(Vec<Category>),
    /// Flows.
    Flows(Flows),
}

/// A picture of the call tree of an area.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// The area.
    pub area: Area,
    /// How frames stand beside each other.
    pub order: Order,
    /// Id of what decides the colors; `None` is what suits the trace.
    pub color: Option<String>,
    /// Names from the top to the frame that fills the width; empty shows everything.
    pub path: Vec<StrId>,
    /// Where the pointer is: what lies there is marked and told.
    pub pointer: Option<Point>,
}

/// What the page must know of such a picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// Height in which all of it is seen.
    pub height: f32,
    /// What lies under the pointer: a name, then lines of label, tab, value; empty when nothing does.
    pub under: String,
    /// The picture in words.
    pub alt: String,
    /// Why not all frames are drawn; empty when they are.
    pub left_out: String,
}

/// The call tree of an area as a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Calls {
    /// The frames with most time, at most [`MAX_CALLS`], each after the one around it.
    pub rows: Vec<Call>,
    /// How many frames there are.
    pub n: u64,
    /// Time of all.
    pub total: Ticks,
}

/// One frame of the call tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Its name.
    pub name: String,
    /// Token of its color; empty for a track.
    pub ink: String,
    /// How many frames stand around it.
    pub level: u32,
    /// How many slices, or tracks.
    pub n: u64,
    /// Sum of their lengths in the area.
    pub total: Ticks,
    /// Total without nested slices.
    pub own: Ticks,
    /// Mean length.
    pub mean: f64,
}

/// How the tracks of an area spend the time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IdleTracks {
    /// One row for each track, in the order shown; at most [`super::timeline::MAX_ROWS`].
    pub rows: Vec<IdleRow>,
    /// How many tracks there are.
    pub n_tracks: u64,
    /// Devices: name, number of streams, share of the time in which at least one of them is busy.
    pub devices: Vec<(String, u64, f64)>,
}

/// How one track spends the time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IdleRow {
    /// What of the time it is busy and idle.
    pub time: Idle,
    /// Its name, with its group where others have the same.
    pub name: String,
    /// When its longest gap begins, from the start of the trace.
    pub at: String,
}

/// A page of gaps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gaps {
    /// How many gaps there are.
    pub n: u64,
    /// How many of them are listed: the longest.
    pub listed: u64,
    /// The page: names of track and group, the gap, when it begins and how long it is.
    pub rows: Vec<Gap>,
}

/// One gap.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// Names from the top of the tree to the track.
    pub track: String,
    /// When.
    pub span: Span,
    /// When it begins, from the start of the trace.
    pub start: String,
    /// How long it is.
    pub duration: String,
}

/// What the flows of a category add up to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Category {
    /// Its name.
    pub name: String,
    /// How many flows.
    pub n: u64,
    /// The least latency.
    pub min: Ticks,
    /// The mean latency.
    pub mean: f64,
    /// The greatest latency.
    pub max: Ticks,
}

/// A page of flows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flows {
    /// How many flows are wanted.
    pub n: u64,
    /// The page.
    pub rows: Vec<Flow>,
}

/// One flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flow {
    /// Its category.
    pub category: String,
    /// Its name.
    pub name: String,
    /// When it begins, from the start of the trace.
    pub start: String,
    /// From where it begins to where it points.
    pub latency: Ticks,
    /// Names of the tracks it begins on and points to, with their groups.
    pub tracks: [String; 2],
    /// The slices it begins at and points to, where there are some.
    pub ends: [Option<SliceHead>; 2],
}
