//! Questions, answers and frames of the timeline. Everything that comes back is bounded by the screen or by a page of rows.

use crate::base::geometry::{Point, Px, Size};
use crate::base::time::Window;
use crate::base::time::{Span, Ticks};
use crate::model::id::{SliceId, TrackId};
use serde::{Deserialize, Serialize};

mod reply;
mod rows;

pub use reply::*;
pub use rows::*;

/// Most rows of one page of an answer.
pub const MAX_ROWS: u32 = 500;

/// What decides the color of a slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColorBy {
    /// Its name.
    #[default]
    Name,
    /// Its row.
    Row,
    /// The color name of the file, as MindStudio Insight paints it.
    Vendor,
    /// The category the file gives it.
    Category,
    /// How long it lasts.
    Duration,
    /// Its layer and phase.
    Layer,
}

/// Which flows are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FlowsShown {
    /// None.
    None,
    /// Those of the selected slice.
    #[default]
    Selected,
    /// All in the window.
    All,
}

/// Which groups stand open when the user says nothing of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Folding {
    /// The first ones, as many as fill a screen.
    #[default]
    Auto,
    /// All.
    Open,
    /// None.
    Closed,
}

/// What is searched for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Search {
    /// The text; nothing is found by an empty one.
    pub text: String,
    /// Whether capitals matter.
    pub is_case_sensitive: bool,
    /// Whether the text must stand alone.
    pub is_whole_word: bool,
    /// Whether the text is a regular expression.
    pub is_pattern: bool,
}

/// Which picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Picture {
    /// Ruler and rows.
    #[default]
    Rows,
    /// The whole trace in a strip; of the frame only its colors count.
    Overview,
}

/// One frame of the timeline; its size comes beside it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Which picture.
    pub picture: Picture,
    /// The visible time; `None` shows everything.
    pub window: Option<Window>,
    /// How far the rows are scrolled, in pixels.
    pub scroll: f64,
    /// Device pixels in a CSS pixel.
    pub ratio: f32,
    /// What decides the color of a slice; `None` is the vendor's colors when the palette has chosen them, else what
    /// suits the trace.
    pub color: Option<ColorBy>,
    /// Whether lanes are compact; `None` lets their number decide.
    pub is_compact: Option<bool>,
    /// Which groups stand open by themselves.
    pub folding: Folding,
    /// Groups and tracks that the user opened.
    pub opened: Vec<TrackId>,
    /// Groups and tracks that the user closed.
    pub closed: Vec<TrackId>,
    /// Tracks that are shown above the others, in this order.
    pub pinned: Vec<TrackId>,
    /// Tracks that are not shown.
    pub hidden: Vec<TrackId>,
    /// The selected slice.
    pub selected: Option<SliceId>,
    /// The slice under the pointer.
    pub hovered: Option<SliceId>,
    /// Whether slices of other names than the one under the pointer step back.
    pub is_hover_emphasized: bool,
    /// The selected range of time.
    pub range: Option<Span>,
    /// The tracks it is about; none means all.
    pub tracks: Vec<TrackId>,
    /// What is searched for: matches stand out.
    pub search: Search,
    /// Which flows are drawn.
    pub flows: FlowsShown,
    /// Marks of the user.
    pub marks: Vec<Mark>,
    /// What else the user did to the rows.
    pub rows: Box<Arrangement>,
    /// What stands out, and what is left out.
    pub look: Box<Look>,
}

/// A time or a stretch of time that the user named.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// When; a point when it is empty.
    pub span: Span,
    /// Number of its color in the palette of slices.
    pub color: u8,
    /// Its name.
    pub name: String,
}

/// What the page must know of a frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// The time that was drawn.
    pub window: Window,
    /// The whole time that can be drawn.
    pub span: Option<Span>,
    /// How far the rows were scrolled.
    pub scroll: f64,
    /// The farthest they can be scrolled.
    pub max_scroll: f64,
    /// Height of the rows that do not scroll.
    pub pinned_h: Px,
    /// The rows on screen, from the top.
    pub heads: Vec<Head>,
    /// How many rows the user hides.
    pub hidden: u32,
    /// The first of them, at most 40: track, and its name with those of the groups above.
    pub hidden_rows: Vec<(TrackId, String)>,
    /// How many tracks have a name that the filter wants; `None` without a filter.
    pub n_matches: Option<u32>,
    /// What the colors mean, most time first; empty when rows decide.
    pub legend: Vec<LegendItem>,
    /// How many flows are in the window, when all are shown and there are more than can be drawn.
    pub too_many_flows: Option<u64>,
    /// The picture in words.
    pub words: String,
}

/// One color of the legend.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LegendItem {
    /// Token of the color.
    pub ink: String,
    /// What it stands for.
    pub name: String,
}

/// What a row shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RowKind {
    /// The head of a group.
    Group,
    /// Slices and instants.
    Lanes,
    /// Series of a counter.
    Counter,
}

/// The head of one row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// The track.
    pub track: TrackId,
    /// Its name.
    pub name: String,
    /// A second word behind the name; may be empty.
    pub label: String,
    /// What the row shows.
    pub kind: RowKind,
    /// Top edge in the picture.
    pub y: Px,
    /// Height.
    pub h: Px,
    /// How many groups stand above it.
    pub level: u32,
    /// Whether what is below it is shown.
    pub is_open: bool,
    /// Whether it can be opened and closed.
    pub can_open: bool,
    /// Whether it does not scroll.
    pub is_pinned: bool,
    /// Whether it stays while the rows of its group are scrolled by.
    pub is_sticky: bool,
    /// How many tracks share the row.
    pub n_tracks: u32,
    /// The group it stands in.
    pub parent: Option<TrackId>,
    /// The rows before and after it in the same group.
    pub siblings: [Option<TrackId>; 2],
    /// Its own offset: how much later than in the file, or than the group above, its times are shown, as a text with its
    /// sign; empty without one.
    pub shift: String,
    /// Busy share of the window, or the peak of a counter.
    pub value: String,
}

/// A question about the timeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// What lies under a point of a frame.
    Hit {
        /// The frame.
        frame: Box<Frame>,
        /// Its size.
        size: Size,
        /// The point.
        at: Point,
    },
    /// Everything about a slice.
    Slice(SliceId),
    /// Where a slice is: its head alone, and how far the rows must be scrolled so that it is seen.
    Find {
        /// The slice.
        id: SliceId,
        /// The frame.
        frame: Box<Frame>,
        /// Its size.
        size: Size,
    },
    /// Where the row of a track or group is: how far the rows must be scrolled so that it stands at their top.
    FindTrack {
        /// The track.
        track: TrackId,
        /// The frame.
        frame: Box<Frame>,
        /// Its size.
        size: Size,
    },
    /// The next slice of the same name.
    Neighbor {
        /// The slice.
        id: SliceId,
        /// Whether the next or the one before.
        forward: bool,
    },
    /// What the slices of an area add up to, by name.
    Sums {
        /// The area.
        area: Area,
        /// By which column the names are ordered.
        sort: SumColumn,
        /// Whether the least comes first.
        is_ascending: bool,
    },
    /// What all slices of a stretch of time add up to, for another document to be joined with.
    Totals {
        /// The stretch; `None` is everything.
        span: Option<Span>,
        /// What they are added up by.
        by: TotalsBy,
    },
    /// The slices of one name in an area.
    Rows {
        /// The area.
        area: Area,
        /// The name; `None` is all.
        name: Option<String>,
        /// By which column they are ordered.
        sort: RowColumn,
        /// Whether the greatest comes first.
        is_descending: bool,
        /// First row.
        from: u32,
        /// How many, at most [`MAX_ROWS`].
        limit: u32,
    },
    /// Slices by text.
    Search {
        /// What.
        search: Search,
        /// First hit of the page.
        from: u32,
        /// How many, at most [`MAX_ROWS`].
        limit: u32,
        /// From where the next and the one before are told.
        current: Current,
    },
    /// How the group of a slice must be shifted for the slice to start (or end) with another of another group.
    Align {
        /// The slice.
        id: SliceId,
        /// The slice it is aligned with.
        base: SliceId,
        /// Whether the ends are aligned instead of the starts.
        is_end: bool,
    },
    /// Offsets of groups and tracks, which hold from now on for all answers.
    Shift(Vec<(TrackId, Ticks)>),
    /// The groups and tracks that can be opened below a group, and itself.
    Below(TrackId),
    /// What the menus offer.
    Choices,
}

/// What slices are added up by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TotalsBy {
    /// Their name.
    #[default]
    Name,
    /// The name of their track (a pipe), all tracks of that name together.
    Track,
}

/// Where a search stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Current {
    /// At a slice.
    Slice(SliceId),
    /// At a time.
    Time(Ticks),
    /// At a hit by its number from 0.
    Number(u32),
}

/// A stretch of time on some tracks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Area {
    /// The time.
    pub span: Span,
    /// The tracks; groups stand for all below them; none stands for all.
    pub tracks: Vec<TrackId>,
}

/// Columns of sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SumColumn {
    /// Name.
    Name,
    /// How often.
    Count,
    /// Sum of the lengths.
    #[default]
    Total,
    /// Overlaps counted once, cut to the area.
    Union,
    /// Without nested slices.
    Own,
    /// Mean.
    Mean,
    /// Shortest.
    Min,
    /// Longest.
    Max,
}

/// Columns of slices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RowColumn {
    /// When it starts.
    #[default]
    Start,
    /// How long it lasts.
    Duration,
    /// Its track.
    Track,
}
