//! Questions, answers and frames of listings: source and instructions.

pub use crate::analysis::code::{Arrange, GAP, SearchQuery};
use crate::model::code::{CodeAddress, ColumnStyle, ListingKind};
use crate::model::id::ListingId;
pub use crate::views::code::scene::{ColumnPlace, Frame};
use crate::wire::Picture;
use crate::wire::Question;
use serde::{Deserialize, Serialize};

/// Most rows of one answer.
pub const MAX_ROWS: usize = 400;

/// A question about source and instructions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum CodeQuery {
    Listings,
    /// Text of the arranged rows from the place `from`, at most [`MAX_ROWS`]: the transparent layer over the picture.
    Rows {
        listing: ListingId,
        /// Row of `cores`.
        core: u16,
        /// Which rows in which order.
        arrange: Arrange,
        /// First place.
        from: u32,
        n: u32,
    },
    /// Where a row stands in an arrangement.
    Place {
        listing: ListingId,
        /// Row of `cores`.
        core: u16,
        /// Which rows in which order.
        arrange: Arrange,
        row: u32,
    },
    /// Which rows of other listings belong to a row.
    Linked {
        listing: ListingId,
        row: u32,
    },
    /// The hottest rows of a column.
    Hot {
        listing: ListingId,
        /// Row of its columns.
        column: u16,
        /// Row of `cores`.
        core: u16,
        /// From this row to the next colder (1) or hotter (−1); without a row to the hottest.
        from: Option<u32>,
        /// How many ranks further.
        step: i32,
    },
    /// The next place of a text.
    Search {
        listing: ListingId,
        query: SearchQuery,
        /// Begin at this row and byte.
        from: (u32, u32),
        /// Towards the head.
        is_backward: bool,
        /// Only in rows from the first to the last of these, both included.
        within: Option<(u32, u32)>,
    },
    /// The rows of a line of a file.
    Line {
        /// Path, or the end of it.
        path: String,
        /// Line from 1.
        line: u32,
    },
    /// The rows that hold an address.
    Address(CodeAddress),
    /// Which slices come from a row. Asked again until everything is known, see [`Reply::Slices`].
    Slices {
        listing: ListingId,
        row: u32,
    },
    /// The rows of a column as bytes, for the worker of another document: answered by `Answer::Packed`.
    Packed(Column),
    /// Joins a column with one of a baseline, whose bytes travel beside the question. It is kept until the next of this
    /// listing, so that frames can show it.
    Compare {
        listing: ListingId,
        /// Row of its columns.
        column: u16,
        /// Row of `cores`.
        core: u16,
    },
    /// All of a row, its stalls first: for the strip of details.
    Row {
        listing: ListingId,
        row: u32,
        /// Row of `cores`.
        core: u16,
    },
}

/// A metric column by names, as another document knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    pub kind: ListingKind,
    /// Path or name of its listing.
    pub title: String,
    /// The kernel of its listing; empty when the file does not say.
    pub kernel: String,
    /// Which of the listings of this title and kernel it is, from 0: launches of one kernel have one each.
    pub nth: u32,
    /// Whether it is the one of all launches instead.
    pub is_of_all: bool,
    pub column: String,
    /// Name of the unit it is looked at for; empty when it is one value for all.
    pub core: String,
}

/// An answer about source and instructions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    Listings(Box<Listings>),
    Rows {
        /// Place of the first.
        from: u32,
        /// How many rows the arrangement has.
        total: u32,
        rows: Vec<RowText>,
    },
    /// Where a row stands; `None` when it is not shown.
    Place(Option<u32>),
    /// Which rows of other listings belong to a row.
    Linked(Vec<LinkedRows>),
    /// A row by its rank; `None` when no row is warm.
    Hot(Option<HotRow>),
    /// A place of a text.
    Found {
        /// The row and byte; `None` when there is none.
        at: Option<(u32, u32)>,
        /// Its number among all, from 1.
        number: u32,
        total: u32,
        /// Whether there are more than were counted.
        is_cut: bool,
    },
    /// Rows of listings, one of each that may be meant.
    At(Vec<FoundRow>),
    /// A column was joined with one of a baseline.
    Compared {
        /// Rows that meet one of the baseline.
        met: u32,
        /// Rows with a value that only this document has.
        new: u32,
        /// Rows with a value that only the baseline has.
        gone: u32,
    },
    Row(Box<RowDetail>),
    /// The slices that come from a row, as far as it is known.
    Slices {
        /// How much of the trace was looked at, 0 to 1.
        share: f32,
        n: u64,
        /// How long they take together, for a person.
        total: String,
        /// What the timeline is to search for to show them.
        search: String,
    },
}

/// What listings there are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Listings {
    /// Units that metrics are given for; empty when they are one value for all.
    pub cores: Vec<String>,
    /// The listings, sources with text first, then by title.
    pub listings: Vec<ListingHead>,
    /// Why there is no text or no links; empty when there is nothing to explain.
    pub missing: String,
    /// Whether lines and instructions are linked at all.
    pub has_links: bool,
}

impl Listings {
    /// What stands side by side first: a source and instructions, or without a source two listings that are linked.
    pub fn first_pair(&self) -> [Option<ListingId>; 2] {
        let first = |kind| self.listings.iter().find(|l| l.kind == kind && 0 < l.rows);
        let source = first(ListingKind::Source);
        let left = source.or_else(|| self.listings.iter().find(|l| !l.linked_to.is_empty()));
        let right = left.filter(|l| l.kind == ListingKind::Assembly).and_then(|l| l.linked_to.first());
        [left.map(|l| l.id), right.copied().or_else(|| first(ListingKind::Assembly).map(|l| l.id))]
    }
}

/// One listing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ListingHead {
    pub id: ListingId,
    pub kind: ListingKind,
    /// Path or name.
    pub title: String,
    /// What tells it from all others: the title, and what must be said beside it.
    pub name: String,
    /// The symbol of its kernel, where the name was written out from one; else empty.
    pub symbol: String,
    /// The kernel; empty when the file does not say.
    pub kernel: String,
    pub rows: u32,
    /// Whether the text itself was in the file.
    pub has_text: bool,
    /// Metric columns.
    pub columns: Vec<ColumnHead>,
    /// Listings that its rows became, or that it is compared with: those it is linked to as the first of the two.
    pub linked_to: Vec<ListingId>,
    /// Row of the column that is warmest to look at; `None` when no column has numbers.
    pub heat: Option<u16>,
    /// Whether its rows have addresses; else they are told by their numbers.
    pub has_addresses: bool,
    /// How many launches with listings of their own it adds up; 0 where it stands for itself.
    pub launches: u32,
    /// The sum of its warmest column; 0 where that does not add up.
    pub cost: f64,
    /// The same as a share of all listings with this column, 0 to 1.
    pub share: Option<f64>,
}

/// One metric column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnHead {
    /// Name as the file gives it.
    pub name: String,
    /// Symbol of the unit; may be empty.
    pub unit: String,
    pub style: ColumnStyle,
    /// Whether it has numbers, so that heat can follow it.
    pub has_numbers: bool,
}

/// One row as text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowText {
    /// The row of the listing, or [`GAP`].
    pub row: u32,
    /// Line number or address.
    pub label: String,
    /// The text; cut when it is very long.
    pub text: String,
    /// Cells of all columns, in their order.
    pub cells: Vec<String>,
    /// Difference to the baseline; empty when nothing is compared.
    pub difference: String,
}

/// Rows of one listing that belong to a row of another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkedRows {
    pub listing: ListingId,
    pub first: u32,
    pub n: u32,
}

/// A row of a listing that may be meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundRow {
    pub listing: ListingId,
    pub row: u32,
    /// What the listing is called, so that it is told from all others.
    pub name: String,
}

/// A row by its heat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HotRow {
    pub row: u32,
    /// Its rank from 1.
    pub rank: u32,
    pub ranked: u32,
}

/// All of a row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowDetail {
    /// Line number or address.
    pub label: String,
    /// The text; cut when it is very long.
    pub text: String,
    /// Every column: name, full value with unit, share of the column's total (0 to 1).
    pub facts: Vec<(String, String, Option<f64>)>,
    /// What it waits for, most first: of the row itself, else of the instructions that belong to it.
    pub stalls: Vec<Stall>,
    /// Name of the column that the stalls come from; empty when there are none.
    pub stalls_of: String,
    /// How many rows of the other side belong to it.
    pub n_linked: u32,
    /// Whether records are missing, so that sums are of those that there are.
    pub is_part: bool,
}

/// One reason to wait.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stall {
    /// The reason.
    pub name: String,
    /// How often.
    pub count: f64,
    /// Part of all counts of the row, 0 to 1.
    pub share: f64,
    /// Slice color 1 to 12.
    pub color: u8,
}

/// What the page must know of a frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// How many places the arrangement has.
    pub total: u32,
    /// How many of them have no row.
    pub n_gaps: u32,
    /// The rows in view, or [`GAP`]s, from the top.
    pub rows: Vec<u32>,
    /// The columns in view, as they stand when nothing is scrolled sideways.
    pub columns: Vec<ColumnPlace>,
    /// Width of everything that scrolls sideways.
    pub width: f32,
    /// Width of what stands still at the left: heat and number.
    pub frozen: f32,
    /// Where the columns begin that stay at the right; the right edge of the columns where none does.
    pub pinned: f32,
    /// How many rows are marked as belonging to a row of the other side.
    pub n_linked: u32,
    /// Place of the first of them.
    pub first_linked: Option<u32>,
    /// The picture in one sentence.
    pub alternative: String,
}

impl Question for CodeQuery {
    const OF: &'static str = "code";
    type Reply = Reply;
}

impl Picture for Frame {
    const OF: &'static str = "code";
    type Note = Note;
}
