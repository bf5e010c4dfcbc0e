//! Questions, answers and frames of memory accesses.

pub use crate::analysis::access::{AccessScope, Filter, OperationSum, Side, Sums};
use crate::base::geometry::{Point, Rect, Size};
use crate::base::unit::Unit;
use crate::views::code::messages::FoundRow;
use crate::views::timeline::messages::LegendItem;
use crate::wire::Picture;
use crate::wire::Question;
use serde::{Deserialize, Serialize};

/// Most rows of one answer.
pub const MAX_ROWS: u32 = 500;

/// A question about memory accesses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum AccessQuery {
    /// What there is: counts, names for the filters, clusters of addresses.
    Head,
    /// What the accesses in a window add up to.
    Sums(AccessScope),
    /// All of one access, by its row.
    Record(u32),
    /// What lies under a point of the picture.
    Under { frame: Box<Frame>, size: Size, at: Point },
    /// The next access that is looked at, from a row on.
    Next {
        look: AccessScope,
        /// From here; from the first or last when there is none.
        from: Option<u32>,
        /// Towards the first.
        is_backward: bool,
    },
}

/// An answer about memory accesses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    Head(Box<Head>),
    Sums(Sums),
    /// One access; `None` when there is no such row.
    Record(Option<Box<Record>>),
    /// What lies there; `None` where nothing does.
    Under(Option<Under>),
    /// The row of an access; `None` when there is no other.
    Next(Option<u32>),
}

/// What there is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// How many accesses.
    pub n: u64,
    /// What accesses have in common: what filters and colors can choose.
    pub attributes: Vec<Attribute>,
    /// What was done: name, what it counts as, how often, bytes.
    pub operations: Vec<OperationSum>,
    /// Unit of the positions, when accesses say times that never go back.
    pub time: Option<Unit>,
    /// Where addresses cluster: space, first and last address.
    pub clusters: Vec<(String, u64, u64)>,
    /// How many allocations and named ranges there are.
    pub regions: u64,
    /// First and last position.
    pub positions: (u64, u64),
}

/// What accesses have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attribute {
    pub id: String,
    /// What it is called, an English phrase or a word of the system.
    pub title: String,
    /// Its values, at most [`MAX_ROWS`].
    pub values: Vec<String>,
}

/// One access in a line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordHead {
    pub row: u32,
    /// When it was, or which in order: the number in the file.
    pub position: u64,
    pub operation: String,
    pub side: Side,
    /// Title and value of what else it has in common with others: who did it, in which address space.
    pub attributes: Vec<(String, String)>,
    /// First address.
    pub address: u64,
    /// Bytes from there.
    pub bytes: u64,
    /// Address of the instruction.
    pub pc: Option<u64>,
    /// Innermost frame of the call stack as `file:line`; may be empty.
    pub place: String,
}

/// All of one access.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub head: RecordHead,
    /// The allocation or named range that it lies in.
    pub region: Option<Region>,
    /// The module of the instruction; may be empty.
    pub module: String,
    /// The call stack, innermost first; at most [`MAX_ROWS`].
    pub frames: Vec<StackFrame>,
    /// The listings that may have the instruction.
    pub instructions: Vec<FoundRow>,
}

/// An allocation or a named range.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    /// Its name; empty for an allocation, which has a number.
    pub name: String,
    /// Number from 1.
    pub number: u64,
    pub space: String,
    /// First address.
    pub start: u64,
    /// Bytes from there.
    pub bytes: u64,
    /// Bytes from its start to the access.
    pub offset: u64,
    /// Positions at which it comes to be and ceases to be.
    pub alive: (u64, Option<u64>),
}

/// A frame of a call stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackFrame {
    /// Function; may be empty.
    pub function: String,
    /// Path of the source; may be empty.
    pub file: String,
    /// Line from 1; 0 when unknown.
    pub line: u32,
    /// Column from 1; 0 when unknown.
    pub column: u32,
    /// Whether the source stands in a listing.
    pub is_listed: bool,
}

/// What lies under a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Under {
    Record(Box<Record>),
    /// A cell with several.
    Cell(Box<Cell>),
}

/// A cell of the dense picture.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// First and last position.
    pub positions: (u64, u64),
    /// First and last address.
    pub addresses: (u64, u64),
    /// Address space; empty when there are several.
    pub space: String,
    /// How many accesses of each color touch it; none stands for colors without any.
    pub counts: Vec<(LegendItem, u64)>,
    /// Row of the first of them.
    pub first: u32,
}

/// A picture of accesses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    pub look: AccessScope,
    /// The chosen access.
    pub selected: Option<u32>,
}

/// What the page must know of a picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// Where accesses are drawn; labels stand left of it and below.
    pub plot: Rect,
    /// How many accesses the file holds.
    pub n: u64,
    /// Whether single accesses are drawn; else how dense they lie.
    pub is_exact: bool,
    /// How many records, and how many bytes at least, a cell of the dense picture is.
    pub cell: (u64, u64),
    /// The most accesses in one cell.
    pub most: u64,
    /// What the colors mean.
    pub legend: Vec<LegendItem>,
    /// The picture in words.
    pub alt: String,
}

impl Question for AccessQuery {
    const OF: &'static str = "access";
    type Reply = Reply;
}

impl Picture for Frame {
    const OF: &'static str = "access";
    type Note = Note;
}
