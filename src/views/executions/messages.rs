//! Questions, answers and frames of executions of blocks.

use crate::base::geometry::{Point, Rect, Size};
use crate::base::words::phrase;
use crate::model::id::ListingId;
use crate::views::executions::compute::pattern::Access;
pub use crate::views::executions::compute::{Axis, Kind};
pub use crate::views::executions::scene::{ColorBy, Folding, Hit};
use crate::wire::Picture;
use crate::wire::Question;
use serde::{Deserialize, Serialize};

/// A question about executions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ExecutionsQuery {
    /// Which launches there are, and what one adds up to.
    Head {
        /// Row of the launch; of the first that ran anything without one.
        launch: Option<u32>,
    },
    Detail {
        /// Row of the launch.
        launch: u32,
        execution: u32,
        /// The row whose lanes are told; of the first with an access without one.
        row: Option<u32>,
    },
    /// What lies under a point of the picture.
    Under { frame: Frame, size: Size, at: Point },
    /// The next execution of a kind.
    Step {
        /// Row of the launch.
        launch: u32,
        /// From here; from the ends without one.
        from: Option<u32>,
        kind: Kind,
        /// Whether to the next; else to the one before.
        is_forward: bool,
    },
    /// How the picture must be moved so that an execution is in view.
    ScrollTo { frame: Frame, size: Size, execution: u32 },
    /// The nearest thread that parts from one.
    Nearest {
        /// Row of the launch.
        launch: u32,
        thread: u32,
    },
}

impl ExecutionsQuery {
    /// The launch that must be prepared for it.
    pub fn launch(&self) -> Option<u32> {
        match self {
            Self::Head { launch } => *launch,
            Self::Detail { launch, .. } | Self::Step { launch, .. } | Self::Nearest { launch, .. } => {
                Some(*launch)
            }
            Self::Under { frame, .. } | Self::ScrollTo { frame, .. } => Some(frame.launch),
        }
    }
}

/// An answer about executions; nothing while they are read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    Head(Option<Box<Head>>),
    Detail(Option<Box<Detail>>),
    Under(Option<Box<Under>>),
    /// The next execution; `None` when there is no other.
    Step(Option<u32>),
    /// How far to scroll and which stretch of the axis to see; `None` for what need not change.
    ScrollTo(Option<f64>, Option<(f64, f64)>),
    /// The thread; `None` when all ran the same blocks.
    Nearest(Option<u32>),
}

/// What there is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// Launches that ran anything: row, name, name of the program.
    pub launches: Vec<(u32, String, String)>,
    /// Row of the launch that is told of.
    pub launch: u32,
    /// The symbol of its kernel, where the name was written out from one; else empty.
    pub symbol: String,
    /// Its threads, blocks of its program.
    pub threads: u64,
    /// Whether each execution is the access of one lane, and nothing tells of which thread.
    pub is_of_lanes: bool,
    /// Blocks of its program.
    pub blocks: u64,
    pub executions: u64,
    /// Instructions that its threads ran.
    pub instructions: u64,
    /// Lanes of a thread.
    pub lanes: u32,
    /// Mean of active lanes over instructions.
    pub mean_lanes: Option<f64>,
    /// Instructions that it is the mean of.
    pub with_lanes: u64,
    /// Bytes moved, and distinct bytes of these that were asked for.
    pub moved: (u64, u64),
    /// The most excess sectors of an execution.
    pub most_excess: u32,
    /// Whether its threads are warps.
    pub is_warps: bool,
    /// What groups of threads are called, such as `CTA`; empty without groups.
    pub groups: String,
    /// Whether executions have times, active lanes, rows in detail.
    pub has: Recorded,
    /// What says the order where the flow itself was not recorded, an English phrase.
    pub order_from: Option<String>,
    /// Records of each type that it was combined from; a single one without a name where types share a buffer.
    pub records: Vec<(String, u64)>,
    pub facts: Vec<(String, String)>,
}

/// What was recorded of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    pub time: bool,
    /// Active lanes.
    pub lanes: bool,
    /// Bytes of accesses.
    pub memory: bool,
    /// What executions did in detail.
    pub rows: bool,
    /// Active lanes for whole blocks only: instructions with a predicate may have run with fewer.
    pub block_masks: bool,
    /// Executions without some of their records.
    pub missing: bool,
}

/// What lies under a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Under {
    pub hit: Hit,
    /// Name of the thread behind that of its group, or of the group.
    pub name: String,
    pub execution: Option<Execution>,
    /// Its color, `0xRRGGBBAA`.
    pub color: Option<u32>,
}

/// One execution.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Execution {
    pub block: String,
    /// Its ordinals in the thread: of blocks, of instructions.
    pub ordinals: (u32, u32),
    /// When it began.
    pub time: Option<u64>,
    /// Mean of active lanes.
    pub lanes: Option<u8>,
    /// Bytes moved, distinct bytes of these that were asked for, excess sectors; `None` where that was not recorded.
    pub moved: Option<(u64, u64, u64)>,
    /// Whether lanes drop out, whether an access took more sectors than needed, whether records are missing.
    pub flags: [bool; 3],
}

/// All of one execution.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Detail {
    pub execution: u32,
    /// Its thread, and the name of that behind that of its group.
    pub thread: (u32, String),
    pub known: Execution,
    /// Where its program is listed.
    pub listing: Option<ListingId>,
    /// Lanes of a thread.
    pub lanes: u32,
    /// Which execution of its block in its thread it is, from 1, and how many there are.
    pub turn: (u64, u64),
    /// Its instructions.
    pub rows: Vec<DetailRow>,
    pub left_out: u64,
    /// Where its lanes go where they part, in words; empty where they stay together or nobody knows.
    pub branch: String,
    /// Why it cannot be told what it did in detail; a sentence.
    pub problem: Option<String>,
    /// Lanes of one row.
    pub chosen: Option<LaneGrid>,
}

/// One instruction of an execution.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DetailRow {
    /// Its address; `None` where that was not recorded.
    pub address: Option<u64>,
    /// Its assembly.
    pub text: String,
    /// Lanes that ran it; `None` where that was not recorded.
    pub mask: Option<u32>,
    /// What it did to memory.
    pub access: Option<RowAccess>,
    pub registers: Vec<RegisterRange>,
    /// Why a record is missing, an English phrase.
    pub missing: Option<String>,
}

/// Values of a register over the lanes of an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RegisterRange {
    /// Its number.
    pub register: u16,
    /// Lanes with a value.
    pub mask: u32,
    /// The least and the greatest value as whole numbers.
    pub whole: (u64, u64),
    /// The same where the bits are those of numbers with a fraction; those that are none are left out.
    pub float: (f64, f64),
}

/// An access of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowAccess {
    /// Its pattern, sectors and bytes.
    pub access: Access,
    /// Bytes of a lane; 0 where they were not recorded: then nothing else is known.
    pub bytes: u32,
    /// Bytes of a sector.
    pub sector: u64,
    /// Whether it is one of memory with banks, and how many times a bank is asked at most.
    pub conflicts: Option<u32>,
    /// Whether sectors say what it costs: memory of the device.
    pub is_global: bool,
    /// Whether only one address of several lanes was recorded, so that nothing is known of its pattern.
    pub is_base: bool,
}

/// The lanes of one instruction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaneGrid {
    pub row: u32,
    /// The least address.
    pub base: Option<u64>,
    /// Lanes that ran it.
    pub mask: u32,
    /// Of each lane: how far its address is from the base, and its sector or bank.
    pub places: Vec<Option<(u64, u64)>>,
    /// Of each lane how many others are in its sector, or ask its bank for another word.
    pub shared: Vec<u32>,
    /// Registers with the value of each lane.
    pub registers: Vec<(u16, Vec<Option<u64>>)>,
}

impl LaneGrid {
    /// What its lanes without a place are.
    pub fn idle(&self) -> &'static str {
        let is_on = |lane: u32| self.mask.checked_shr(lane).is_some_and(|mask| mask & 1 == 1);
        let without = || (0..).zip(&self.places).filter(|(_, place)| place.is_none());
        match (without().any(|(lane, _)| is_on(lane)), without().all(|(lane, _)| is_on(lane))) {
            (false, _) => phrase("lane not active"),
            (true, true) => phrase("active lane without an address"),
            (true, false) => phrase("lane not active, or without an address"),
        }
    }
}

/// A picture of executions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Row of the launch.
    pub launch: u32,
    pub axis: Axis,
    pub color: ColorBy,
    /// Which groups are closed; `None` shows threads without groups.
    pub folding: Option<Folding>,
    /// The stretch of the axis that is seen; `None` is all.
    pub window: Option<(f64, f64)>,
    /// How far rows are scrolled, in pixels.
    pub scroll: f64,
    /// The chosen execution.
    pub selected: Option<u32>,
    /// The chosen thread.
    pub thread: Option<u32>,
    /// Two threads that are compared.
    pub pair: Option<[u32; 2]>,
}

/// What the page must know of a picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// Where lanes are drawn.
    pub area: Rect,
    /// Where two threads are compared.
    pub pair: Rect,
    /// The stretch of the axis that is seen, and where the axis ends.
    pub window: (f64, f64),
    /// Where it ends.
    pub length: f64,
    /// How far rows are scrolled, and the most that they can be.
    pub scroll: (f64, f64),
    /// How high all rows are, with what stands above them.
    pub height: f64,
    pub color: ColorBy,
    /// Colors of the legend from its low to its high end, `0xRRGGBBAA`.
    pub ramp: Vec<u32>,
    /// Where two compared threads part, in one sentence; empty when none are compared.
    pub parting: String,
    /// The picture in words.
    pub alt: String,
}

impl Question for ExecutionsQuery {
    const OF: &'static str = "executions";
    type Reply = Reply;
}

impl Picture for Frame {
    const OF: &'static str = "executions";
    type Note = Note;
}
