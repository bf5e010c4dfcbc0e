//! Questions, answers and frames of the timeline. Everything that comes back is bounded by the screen or by a page of rows.

use crate::analysis::compare::{Pair, Total, divide, pairs, sort_by_change};
use crate::base::geometry::{Point, Px, Size};
use crate::base::time::Window;
use crate::base::time::{Span, Ticks};
use crate::base::words::{Message, phrase};
use crate::model::id::{SliceId, SliceName, TrackId, TrackName};
use crate::wire::Picture as AnyPicture;
use crate::wire::Question;
use serde::{Deserialize, Serialize};

mod reply;

pub use crate::analysis::area::Area;
pub use crate::analysis::timeline::search::SearchQuery;
pub use crate::views::timeline::scene::layout::{Arrangement, Move, RowKind};
pub use crate::views::timeline::scene::note::Head;
pub use crate::views::timeline::scene::{DisplayOptions, FlowsShown, Folding, Frame, Mark, Picture};
pub use reply::*;

/// Most rows of one page of an answer.
pub const MAX_ROWS: u32 = 500;

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
    pub name: String,
    /// Whether that is the name of slices.
    pub is_name: bool,
}

/// What is seen of the timeline: a frame and the heads of its rows beside it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    pub frame: Frame,
    pub size: Size,
    /// Width of the heads.
    pub heads: Px,
}

/// A question about the timeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TimelineQuery {
    /// What lies under a point of a frame.
    Hit {
        frame: Box<Frame>,
        size: Size,
        at: Point,
    },
    Slice(SliceId),
    /// Where a slice is: its head alone, and how far the rows must be scrolled so that it is seen.
    Find {
        id: SliceId,
        frame: Box<Frame>,
        size: Size,
    },
    /// Where the row of a track or group is: how far the rows must be scrolled so that it stands at their top.
    FindTrack {
        track: TrackId,
        frame: Box<Frame>,
        size: Size,
    },
    /// The next slice of the same name.
    Neighbor {
        id: SliceId,
        /// Whether the next or the one before.
        forward: bool,
    },
    /// The slice beside another, as they are shown.
    Beside {
        id: SliceId,
        frame: Box<Frame>,
        /// Where to.
        towards: Towards,
    },
    /// The next of the outermost groups, such as processes and devices.
    Group {
        frame: Box<Frame>,
        size: Size,
        /// The one that was gone to last.
        from: Option<TrackId>,
        /// Whether the next or the one before.
        forward: bool,
    },
    /// Names of slices, and tracks and groups, with all words of a text in them.
    Like(String),
    /// What an address calls a slice.
    NameOf(SliceId),
    /// The slice that an address names.
    Named(SliceName),
    /// What an address calls tracks.
    NamesOfTracks(Vec<TrackId>),
    /// The tracks that an address names.
    TracksNamed(Vec<TrackName>),
    /// How many slices lie in an area.
    Count(Area),
    /// Slices by text.
    Search {
        search: SearchQuery,
        /// From where the next and the one before are told.
        current: Current,
    },
    /// How the group of a slice must be shifted for the slice to start (or end) with another of another group.
    Align {
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
    Choices,
}

/// A question about what slices of host and device have to do with each other, and what all slices add up to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum WorkQuery {
    /// Who launched a slice of a device.
    Launched(SliceId),
    /// What all slices of a stretch of time add up to, for another document to be joined with.
    Totals {
        /// The stretch; `None` is everything.
        span: Option<Span>,
        /// What they are added up by.
        by: TotalsBy,
    },
}

/// Where a key leads from a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Towards {
    /// The one before it on its lane.
    Before,
    After,
    /// What it is nested in, else the track above.
    Above,
    /// The first nested in it, else the track below.
    Below,
}

/// What slices are added up by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TotalsBy {
    #[default]
    Name,
    /// The name of their track (a pipe), all tracks of that name together.
    Track,
    /// Kernels and copies of devices, by name.
    Kernels,
    /// Operators of the host, by name: the time in them.
    Operators,
    /// Functions of an interpreter, by name: the time in them.
    Functions,
    /// Steps: the parts that they are made of.
    Steps,
    /// Streams of devices: how they spend the time, by reason.
    Idle,
    /// Launches: how long kernels wait.
    Latency,
}

impl TotalsBy {
    /// Those of traces with streams of devices, kernels first.
    pub const OF_DEVICES: [Self; 6] =
        [Self::Kernels, Self::Operators, Self::Functions, Self::Steps, Self::Idle, Self::Latency];

    /// Whether it needs what is known of host and device.
    pub fn is_of_device(self) -> bool {
        Self::OF_DEVICES.contains(&self)
    }

    /// Whether the rows are named by words, not by the file.
    pub fn has_words(self) -> bool {
        matches!(self, Self::Steps | Self::Idle | Self::Latency)
    }

    /// Whether the difference is one of means, for each step, stream or launch: of unequal numbers of them sums would say
    /// how many there are. Where sums are those of a device ([`divide`]), those of its streams are too: devices need not
    /// have as many.
    pub fn is_of_means(self, is_divided: bool) -> bool {
        self.has_words() && !(is_divided && self == Self::Idle)
    }

    /// What is compared, what its difference is called, and what stands beside it.
    pub fn heads(self, is_divided: bool) -> [&'static str; 3] {
        match self {
            Self::Latency => [phrase("Value"), phrase("Difference"), phrase("Total")],
            _ if self.is_of_means(is_divided) => ["Mean", phrase("Difference of means"), "Total"],
            _ => ["Total", "Difference", phrase("Mean")],
        }
    }

    /// Both sides joined, what changed most first, and what is said where sums are those of a device.
    pub fn join(self, before: &Totals, after: &Totals) -> (Vec<Pair>, Option<Message>) {
        let mut rows = pairs(&before.rows, &after.rows);
        let is_none = |side: Option<Total>| side.is_some_and(|total| total.total == 0.0);
        rows.retain(|pair| self != Self::Idle || !is_none(pair.baseline) || !is_none(pair.comparison));
        let has_sums = !self.is_of_means(true);
        let said = has_sums.then(|| divide(&mut rows, [before.devices, after.devices])).flatten();
        sort_by_change(&mut rows, self.is_of_means(said.is_some()));
        (rows, said)
    }

    /// What is said of a row that only the comparison has, or only the baseline. What idle time is told by need not be in
    /// both files: nothing came or went then.
    pub fn alone(self, is_in_comparison: bool) -> &'static str {
        match (self, is_in_comparison) {
            (Self::Idle, true) => phrase("none recorded in A"),
            (Self::Idle, false) => phrase("none recorded in B"),
            (_, true) => phrase("added"),
            (_, false) => phrase("removed"),
        }
    }

    /// Its id and what a person calls it.
    pub fn title(self) -> (&'static str, &'static str) {
        match self {
            Self::Name => ("name", phrase("Name")),
            Self::Track => ("track", phrase("Track")),
            Self::Kernels => ("kernels", phrase("Kernels")),
            Self::Operators => ("operators", phrase("Operators")),
            Self::Functions => ("functions", phrase("Functions")),
            Self::Steps => ("steps", phrase("Steps")),
            Self::Idle => ("idle", phrase("Idle")),
            Self::Latency => ("latency", phrase("Latency")),
        }
    }
}

/// Where a search stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Current {
    Slice(SliceId),
    Time(Ticks),
    /// At a hit by its number from 0.
    Number(u32),
}

impl Question for TimelineQuery {
    const OF: &'static str = "timeline";
    type Reply = Reply;
}

impl Question for WorkQuery {
    const OF: &'static str = "work";
    type Reply = WorkReply;
}

impl AnyPicture for Frame {
    const OF: &'static str = "timeline";
    type Note = Note;
}

impl Question for Seen {
    const OF: &'static str = "seen";
    type Reply = ();
}
