//! Questions, answers and frames of block schedules.

use crate::base::geometry::{Point, Rect, Size};
use crate::base::unit::Unit;
pub use crate::views::schedule::compute::{Align, ColorBy, Look};
use crate::views::schedule::compute::{FoundClock, LaneTime, Numbers, Skew, ToolFigures};
pub use crate::views::schedule::scene::UnitOrder;
use crate::wire::Picture;
use crate::wire::Question;
use serde::{Deserialize, Serialize};

/// A question about the block schedule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ScheduleQuery {
    /// What it adds up to.
    Head(Look),
    /// All of one block, by its row.
    Block { row: u32, look: Look },
    /// The block under a point of the picture.
    Under { frame: Frame, size: Size, at: Point },
    /// The next slower or faster block.
    Step {
        /// From here; the slowest when there is none.
        from: Option<u32>,
        /// Towards the slowest.
        is_slower: bool,
    },
    /// How the picture must be scrolled so that a block is in view.
    ScrollTo {
        frame: Frame,
        size: Size,
        /// Row of the block.
        row: u32,
    },
}

impl ScheduleQuery {
    /// The look of the picture that it is about; `None` where that does not matter.
    pub fn look(&self) -> Option<&Look> {
        match self {
            Self::Head(look) => Some(look),
            Self::Under { frame, .. } | Self::ScrollTo { frame, .. } => Some(&frame.look),
            Self::Block { .. } | Self::Step { .. } => None,
        }
    }
}

/// An answer about the block schedule; nothing while it is being computed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// What it adds up to.
    Head(Option<Box<Head>>),
    Block(Option<Box<Block>>),
    /// The block under a point, and how many blocks are resident then; `None` beside the lanes, or where clocks of units
    /// cannot be compared.
    Under(Option<Box<Block>>, Option<u32>),
    /// Row of the next block; `None` when there is no other.
    Step(Option<u32>),
    /// How far to scroll; `None` where it is in view.
    ScrollTo(Option<f64>),
}

/// What a schedule is and adds up to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// What runs blocks, such as "SM".
    pub unit: String,
    /// What a block consists of, such as "Warp".
    pub part: String,
    /// The tool whose own figures stand beside ours; empty for none.
    pub tool: String,
    /// Why both differ with `{factor}`, and what is said where they do not; English phrases.
    pub sentences: (String, String),
    pub tool_figures: Option<ToolFigures>,
    pub time: Unit,
    /// What the time of a block is called, an English phrase.
    pub elapsed: String,
    /// Blocks of the launch: x, y, z.
    pub grid: [u32; 3],
    /// Blocks of the launch.
    pub launched: u64,
    /// Blocks with a record that lack the record of a part.
    pub partial: u64,
    /// Whether records say which unit ran a block.
    pub has_units: bool,
    /// Clock rate that the file tells.
    pub clock: Option<FoundClock>,
    /// A rate that the duration of the kernel comes to and no clock has, in MHz.
    pub implausible_mhz: Option<f64>,
    /// Nanoseconds of a unit of times, where anything tells it.
    pub nanos: Option<f64>,
    /// What does not depend on the alignment.
    pub numbers: Numbers,
    /// How lanes spend the time.
    pub lane_time: LaneTime,
    /// From the first start to the last end.
    pub length: u64,
    /// Whether times of different units can be compared, and whether that is a guess.
    pub compares: (bool, bool),
    /// The most resident blocks, and the mean.
    pub resident: (u32, f64),
    /// How units are aligned.
    pub align: Align,
    /// Whether a timer can align units.
    pub has_timer: bool,
}

/// One block.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Block {
    pub row: u32,
    /// Its number in the grid.
    pub number: u32,
    /// Its coordinates.
    pub at: [u32; 3],
    /// Id of its unit, and its lane there from 0.
    pub place: (u32, u32),
    /// Its wave, from 0.
    pub wave: u32,
    /// Start from time 0.
    pub start: u64,
    /// Start on the clock of its unit.
    pub clock: u64,
    /// How long it ran.
    pub elapsed: u64,
    pub shorter: u64,
    /// Gap before it; `None` for the first of a lane.
    pub gap: Option<u64>,
    /// Until the next block on its lane, or until the end.
    pub idle_after: u64,
    /// The blocks before and after it on its lane: row, number, start, elapsed.
    pub neighbors: Vec<(u32, u32, u64, u64)>,
    /// Its parts: number, start since the earliest, elapsed.
    pub parts: Vec<(u32, u64, u64)>,
    /// How far its parts are apart.
    pub skew: Option<Skew>,
    /// Its color, `0xRRGGBBAA`.
    pub color: u32,
}

impl Block {
    /// Row of the block after it on its lane, or of the one before it.
    pub fn beside(&self, is_after: bool) -> Option<u32> {
        let is_later = |of: &&(u32, u32, u64, u64)| (self.start, self.row) < (of.2, of.0);
        self.neighbors.iter().find(|of| is_later(of) == is_after).map(|of| of.0)
    }
}

/// A picture of a schedule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    pub look: Look,
    /// The stretch of time that is seen; `None` is all.
    pub window: Option<(f64, f64)>,
    /// The stretch of time that is chosen.
    pub range: Option<(f64, f64)>,
    /// How far rows are scrolled, in pixels.
    pub scroll: f64,
    /// The order of units.
    pub order: UnitOrder,
    /// Row of the chosen block.
    pub selected: Option<u32>,
}

/// What the page must know of a picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// Where lanes are drawn.
    pub area: Rect,
    /// The stretch of time that is seen, and all of it.
    pub window: (f64, f64),
    /// From the first start to the last end.
    pub length: f64,
    /// How far rows are scrolled, and the most that they can be.
    pub scroll: (f64, f64),
    /// How high all rows are.
    pub rows_h: f64,
    /// Ids of the first and last unit in view.
    pub seen: Option<(u32, u32)>,
    /// How many units are in view.
    pub n_seen: u32,
    /// Colors of the legend from its low to its high end, `0xRRGGBBAA`.
    pub ramp: Vec<u32>,
    /// The picture in words.
    pub alt: String,
}

impl Question for ScheduleQuery {
    const OF: &'static str = "schedule";
    type Reply = Reply;
}

impl Picture for Frame {
    const OF: &'static str = "schedule";
    type Note = Note;
}
