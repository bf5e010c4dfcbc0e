//! Listings of source and assembly, their metric columns, and the many-to-many links between their lines.

use super::id::{ListingId, StrId};
use crate::base::unit::Unit;
use crate::base::{number, order};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::rc::Rc;
use std::str::FromStr;

/// All code of a trace.
#[derive(Default)]
pub struct Code {
    /// Units that metrics are given for (cores); empty when metrics are one value for all.
    pub cores: Vec<String>,
    /// Source files and instruction lists.
    pub listings: Vec<Listing>,
    /// Which lines belong together.
    pub links: Vec<Links>,
    /// How control went through listings of instructions.
    pub flows: Vec<ControlFlow>,
    /// Why there is no source text or no links, in one sentence; empty when there is nothing to explain.
    pub missing: String,
}

/// Whose code it is: kernels of one trace may all begin at address 0. Listings have it, and so has what names an address;
/// `analysis::code::Referrer` tells which of them belong together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CodeScope {
    /// Number of the entry of the bundle that says it; `None` when it is of no single one.
    pub entry: Option<u32>,
    /// Name of the kernel; empty when the file does not say.
    pub kernel: StrId,
}

/// An instruction. An address means something in one listing only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CodeAddress {
    /// Its listing; `None` stands for each that has the address.
    pub listing: Option<ListingId>,
    pub address: u64,
}

/// `0x1008`, or `0x1008@2` in the listing of this number, from 1.
impl fmt::Display for CodeAddress {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        write!(to, "{:#x}", self.address)?;
        self.listing.map_or(Ok(()), |listing| write!(to, "@{}", u64::from(listing.0) + 1))
    }
}

impl FromStr for CodeAddress {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (address, listing) = split_listing(text);
        let address = number::address(address.trim()).ok_or(())?;
        Ok(Self { listing, address })
    }
}

/// A text without the number of a listing at its end, and the listing: `a.cpp:7@2`.
pub fn split_listing(text: &str) -> (&str, Option<ListingId>) {
    let split = text.rsplit_once('@').and_then(|(rest, number)| {
        let number = number.trim().parse::<u32>().ok()?.checked_sub(1)?;
        Some((rest, Some(ListingId(number))))
    });
    split.unwrap_or((text, None))
}

/// What a listing holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ListingKind {
    /// Text a person wrote.
    Source,
    Assembly,
}

/// One file of source text or one list of instructions. Row `i` is line `i + 1`.
pub struct Listing {
    /// Path or name.
    pub title: String,
    pub kind: ListingKind,
    pub scope: CodeScope,
    /// Language for highlighting: "cpp", "python", "ptx", "asm"; empty for none.
    pub language: String,
    pub lines: Lines,
    /// Address of each row; empty for source. Sorted ascending for assembly.
    pub address: Vec<u64>,
    /// Metric columns in the order they are shown.
    pub columns: Vec<Column>,
    /// Whether the text itself was in the file (a source may be known only by its metrics).
    pub has_text: bool,
    /// Listings of single launches that it adds up; empty where it stands for itself.
    pub parts: Vec<ListingId>,
    /// Rows that have the same instructions as an earlier row, ascending, each with the first such row: in a sum they count
    /// once.
    pub repeats: Vec<(u32, u32)>,
}

impl Listing {
    /// Instructions at these addresses, without columns.
    pub fn assembly(title: impl Into<String>, scope: CodeScope, lines: Lines, address: Vec<u64>) -> Self {
        Self { kind: ListingKind::Assembly, address, ..Self::source(title, scope, "asm", lines) }
    }

    /// Lines of source, without columns.
    pub fn source(title: impl Into<String>, scope: CodeScope, language: &str, lines: Lines) -> Self {
        Self {
            title: title.into(),
            kind: ListingKind::Source,
            scope,
            language: language.to_owned(),
            lines,
            address: Vec::new(),
            columns: Vec::new(),
            has_text: true,
            parts: Vec::new(),
            repeats: Vec::new(),
        }
    }
}

/// Lines of text in one buffer.
#[derive(Default)]
pub struct Lines {
    text: String,
    ends: Vec<u32>,
}

impl Lines {
    /// Lines of a text; line ends are `\n`, `\r\n` or the end.
    pub fn split(text: &str) -> Self {
        let mut lines = Self::default();
        for line in text.split_terminator('\n') {
            lines.push(line.strip_suffix('\r').unwrap_or(line));
        }
        lines
    }

    /// Adds a line; nothing beyond 4 GiB of text is kept.
    pub fn push(&mut self, line: &str) {
        if let Ok(end) = u32::try_from(self.text.len() + line.len()) {
            self.text.push_str(line);
            self.ends.push(end);
        }
    }

    /// Line `row` (from 0); empty when there is none.
    pub fn get(&self, row: usize) -> &str {
        let end = self.ends.get(row).copied().unwrap_or(0) as usize;
        let start = if row == 0 { 0 } else { self.ends.get(row - 1).copied().unwrap_or(0) as usize };
        self.text.get(start..end).unwrap_or("")
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// What a row of a listing has: something to order or find it by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Field {
    /// Its number.
    Row,
    Address,
    Text,
    /// Its cell in this metric column.
    Column(u16),
    /// The difference of a cell to the baseline.
    Difference,
}

impl Field {
    /// As an address has it: a word, or the number of the column.
    pub fn text(self) -> String {
        match self {
            Self::Row => "row".to_owned(),
            Self::Address => "address".to_owned(),
            Self::Text => "text".to_owned(),
            Self::Column(column) => column.to_string(),
            Self::Difference => "difference".to_owned(),
        }
    }

    /// Reads such a text.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "row" => Self::Row,
            "address" => Self::Address,
            "text" => Self::Text,
            "difference" => Self::Difference,
            _ => Self::Column(text.parse().ok()?),
        })
    }
}

/// One metric column of a listing.
#[derive(Debug)]
pub struct Column {
    /// Name as the file gives it.
    pub name: String,
    /// Unit of its numbers.
    pub unit: Unit,
    pub style: ColumnStyle,
    /// What it counts, where that is one of what all tools mean alike.
    pub counts: Option<Counts>,
    pub cells: Cells,
}

/// Stands for all cores of a listing together, in the place of the number of one.
pub const ALL_CORES: u16 = u16::MAX;
/// The same in addresses.
pub const ALL_CORES_NAME: &str = "all";

impl Column {
    /// Whether its values of several cores say something as their sum: shares, means and rates do not.
    pub fn adds_up(&self) -> bool {
        let is_mean = ["mean", " per "].iter().any(|word| self.name.contains(word));
        let is_number = matches!(self.cells, Cells::Numbers { .. });
        is_number && !is_mean && !matches!(self.unit, Unit::Share | Unit::Percent | Unit::PerCycle)
    }

    /// Whether a value is asked of several cores at once that each have one of their own.
    fn is_of_all(&self, core: usize) -> bool {
        core == usize::from(ALL_CORES) && 1 < self.cells.per_row()
    }

    /// The number of a cell for a core, as [`Cells::number`]; of [`ALL_CORES`] the sum of those that are not missing, where
    /// it adds up.
    pub fn number(&self, row: usize, core: usize) -> Option<f64> {
        if !self.is_of_all(core) {
            return self.cells.number(row, core);
        }
        let cores = 0..if self.adds_up() { self.cells.per_row() } else { 0 };
        cores.filter_map(|core| self.cells.number(row, core)).filter(|v| 0.0 <= *v).reduce(|a, b| a + b)
    }

    /// The text of a cell; empty when missing or no text, and where each core has one of its own but all are asked for.
    pub fn text(&self, row: usize, core: usize) -> &str {
        if self.is_of_all(core) { "" } else { self.cells.text(row, core) }
    }

    /// The parts of a cell; `None` also where each core has some of its own but all are asked for.
    pub fn parts(&self, row: usize, core: usize) -> Option<&Parts> {
        if self.is_of_all(core) { None } else { self.cells.parts(row, core) }
    }
}

/// What tools mean alike by a metric column: its numbers of several cores add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// How often the row was executed: by cores, warps or threads that have one instruction stream.
    Executions,
    /// Cycles that it took.
    Cycles,
    /// Samples by the reason why it did not go on.
    Stalls,
    /// Sectors of memory that it asked for.
    Sectors,
}

/// How a cell of a metric column is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnStyle {
    /// A number or text.
    Plain,
    /// A text of ours, in the language of the reader.
    Phrase,
    /// A number with a bar against the largest of the column.
    Bar,
    /// A share with a bar against 100 %.
    Share,
    /// A share with a stacked bar of its reasons.
    Stacked,
    Registers,
}

/// Values of a metric column: `records × stride`, where stride is the number of cores, or 1 when one value holds for all.
/// A record is a row, unless [`Rows`] says otherwise.
#[derive(Debug)]
pub enum Cells {
    /// Numbers; NaN is missing (NA).
    Numbers {
        /// Values by record, then core.
        values: Vec<f64>,
        /// Values in a record.
        stride: usize,
        /// Which rows have values.
        rows: Rows,
    },
    /// Texts; empty is missing.
    Texts {
        /// Values by record, then core.
        values: Vec<String>,
        /// Values in a record.
        stride: usize,
        /// Which rows have values.
        rows: Rows,
    },
    /// A total with named parts.
    Parts {
        /// Values by record, then core.
        values: Vec<Parts>,
        /// Values in a record.
        stride: usize,
        /// Which rows have values.
        rows: Rows,
    },
    /// Registers used in a row: name, ticks it lives, state (1 read, 2 write, 3 both, 4 in use).
    Registers {
        /// One list a row.
        values: Vec<Vec<RegisterUse>>,
    },
}

/// Which rows of a listing have values: all, or few of them (of the lines of a source file, mostly few ran).
#[derive(Clone, Debug, Default)]
pub enum Rows {
    /// Record `i` is row `i`.
    #[default]
    All,
    /// The record of each row, [`Rows::NONE`] for rows without; shared by the columns of a listing.
    Few(Rc<[u32]>),
}

impl Rows {
    /// No record.
    pub const NONE: u32 = u32::MAX;

    /// The record of a row.
    fn record(&self, row: usize) -> Option<usize> {
        match self {
            Self::All => Some(row),
            Self::Few(records) => records.get(row).filter(|&&r| r != Self::NONE).map(|&r| r as usize),
        }
    }

    /// Where the value of a row for a core stands; a record with fewer values than cores gives its first.
    fn at(&self, row: usize, core: usize, stride: usize) -> Option<usize> {
        self.record(row).map(|record| record * stride + if core < stride { core } else { 0 })
    }
}

/// A share (0 to 1) and the counts it is made of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Parts {
    /// The share; `None` is missing.
    pub share: Option<f64>,
    /// Reasons with their counts, in the order of the file.
    pub parts: Vec<(String, f64)>,
}

/// One register in one instruction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RegisterUse {
    /// Name, such as "R2".
    pub name: String,
    /// For how many instructions it lives from its birth.
    pub life: u32,
    /// 1 read, 2 write, 3 read and write, 4 in use.
    pub state: u8,
}

/// How a row of one listing differs from the other listing of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RowClass {
    /// It belongs to rows of the other, or nothing is known of it.
    #[default]
    Same,
    /// It belongs to a row of the other that is not the same.
    Changed,
    /// Only the second listing has it.
    Inserted,
    /// Only the first listing has it.
    Removed,
}

/// Which rows of two listings belong together: lines of a source and what became of them, a kernel before and after it was
/// instrumented.
pub struct Links {
    /// The first listing, such as the source.
    pub from: ListingId,
    /// The second, such as the instructions.
    pub to: ListingId,
    by_from: Vec<(u32, u32)>,
    by_to: Vec<(u32, u32)>,
    /// Rows of the first and of the second that are not the same, ascending.
    classes: [Vec<(u32, RowClass)>; 2],
}

impl Links {
    /// Links from pairs of (row of the first, row of the second), in any order, with repeats.
    pub fn new(from: ListingId, to: ListingId, mut pairs: Vec<(u32, u32)>) -> Self {
        order::sort_pairs(&mut pairs);
        pairs.dedup();
        let mut by_to: Vec<(u32, u32)> = pairs.iter().map(|&(a, b)| (b, a)).collect();
        order::sort_pairs(&mut by_to);
        Self::of_sorted(from, to, pairs, by_to)
    }

    /// Links from pairs that are sorted already, without repeats: (row of the first, row of the second), and the other way
    /// round. For readers that sort in pieces.
    pub fn of_sorted(
        from: ListingId,
        to: ListingId,
        by_from: Vec<(u32, u32)>,
        by_to: Vec<(u32, u32)>,
    ) -> Self {
        debug_assert!(by_from.is_sorted() && by_to.is_sorted());
        Self { from, to, by_from, by_to, classes: Default::default() }
    }

    /// The same links with what became of rows, of the first listing and of the second; rows that are not named are the
    /// same.
    #[must_use]
    pub fn with_classes(mut self, mut classes: [Vec<(u32, RowClass)>; 2]) -> Self {
        for rows in &mut classes {
            order::sort_by_number(rows, |(row, _)| *row);
        }
        self.classes = classes;
        self
    }

    /// The listing that one of the two is linked with; `None` for one of neither.
    pub fn other(&self, listing: ListingId) -> Option<ListingId> {
        match listing {
            _ if listing == self.from => Some(self.to),
            _ if listing == self.to => Some(self.from),
            _ => None,
        }
    }

    /// Rows of the other listing that belong to row `row` of this one of the two, ascending.
    pub fn rows(&self, listing: ListingId, row: u32) -> impl Iterator<Item = u32> {
        let pairs = if listing == self.from { &self.by_from } else { &self.by_to };
        let first = pairs.partition_point(|p| p.0 < row);
        pairs[first..].iter().take_while(move |p| p.0 == row).map(|p| p.1)
    }

    /// How a row of one of the two differs from the other listing. Costs a search.
    pub fn class(&self, listing: ListingId, row: u32) -> RowClass {
        let rows = &self.classes[usize::from(listing != self.from)];
        let at = rows.binary_search_by_key(&row, |(row, _)| *row);
        at.map_or(RowClass::Same, |at| rows[at].1)
    }
}

impl Cells {
    /// Values of a row that has some: one for each core, or one for all of them.
    pub fn per_row(&self) -> usize {
        match self {
            Self::Numbers { stride, .. } | Self::Texts { stride, .. } | Self::Parts { stride, .. } => *stride,
            Self::Registers { .. } => 1,
        }
    }

    /// The number of a cell for a core; a row with fewer values than cores gives its first. `None` is missing or no number.
    pub fn number(&self, row: usize, core: usize) -> Option<f64> {
        match self {
            Self::Numbers { values, stride, rows } => {
                values.get(rows.at(row, core, *stride)?).copied().filter(|v| v.is_finite())
            }
            Self::Parts { .. } => self.parts(row, core).and_then(|p| p.share),
            Self::Texts { .. } | Self::Registers { .. } => None,
        }
    }

    /// The text of a cell; empty when missing or no text.
    pub fn text(&self, row: usize, core: usize) -> &str {
        match self {
            Self::Texts { values, stride, rows } => {
                rows.at(row, core, *stride).and_then(|at| values.get(at)).map_or("", String::as_str)
            }
            _ => "",
        }
    }

    /// The parts of a cell.
    pub fn parts(&self, row: usize, core: usize) -> Option<&Parts> {
        match self {
            Self::Parts { values, stride, rows } => values.get(rows.at(row, core, *stride)?),
            _ => None,
        }
    }
}

// Control flow of a listing of instructions: where blocks begin, and how often which block followed which.

/// Most lines that stand beside each other; further ones share the last.
const LANES: u8 = 6;

/// How control went through a listing.
#[derive(Debug)]
pub struct ControlFlow {
    pub listing: ListingId,
    /// First row of each block, ascending.
    pub blocks: Vec<u32>,
    /// From block to block, ascending by rows.
    pub edges: Vec<Edge>,
}

/// One way from a block to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Edge {
    /// Last row of the block.
    pub from: u32,
    /// First row of the next.
    pub to: u32,
    /// How often it was taken; `None` where nobody knows.
    pub count: Option<u64>,
    /// Which of the lines beside each other it is, from the outside; those that only go on to the next row have none.
    pub lane: Option<u8>,
}

impl ControlFlow {
    /// Of blocks by their first rows, and edges in any order; lines are laid out so that they cross as little as
    /// possible: what lies inside of another stands inside of it.
    pub fn new(listing: ListingId, mut blocks: Vec<u32>, mut edges: Vec<Edge>) -> Self {
        blocks.sort_unstable();
        order::sort_by_key(&mut edges, |edge| (edge.ends(), edge.from));
        // By their upper ends, longer ones first.
        let key = |at: usize| edges.get(at).map(|edge| (edge.ends().0, std::cmp::Reverse(edge.ends().1)));
        let order = order::sequence(edges.len(), &|a, b| key(a).cmp(&key(b)));
        let mut reached: Vec<u32> = Vec::new();
        for at in order {
            let Some(edge) = edges.get_mut(at as usize).filter(|edge| !edge.falls()) else { continue };
            let (top, bottom) = edge.ends();
            let free = reached.iter().position(|end| *end < top).unwrap_or(reached.len());
            let lane = free.min(usize::from(LANES) - 1);
            match reached.get_mut(lane) {
                Some(end) => *end = bottom.max(*end),
                None => reached.push(bottom),
            }
            edge.lane = u8::try_from(lane).ok();
        }
        order::sort_by_key(&mut edges, |edge| (edge.from, edge.to));
        Self { listing, blocks, edges }
    }

    /// Lines that stand beside each other at most.
    pub fn lanes(&self) -> u8 {
        self.edges.iter().filter_map(|edge| edge.lane).max().map_or(0, |lane| lane + 1)
    }

    /// The most that one edge was taken.
    pub fn most(&self) -> u64 {
        self.edges.iter().filter_map(|edge| edge.count).max().unwrap_or(0)
    }

    /// The rows of the block that a row is in, as the first and the one behind the last.
    pub fn block_of(&self, row: u32) -> (u32, u32) {
        let after = self.blocks.partition_point(|first| *first <= row);
        let first = after.checked_sub(1).and_then(|at| self.blocks.get(at));
        (first.copied().unwrap_or(0), self.blocks.get(after).copied().unwrap_or(u32::MAX))
    }
}

impl Edge {
    /// Its upper and its lower row.
    pub fn ends(&self) -> (u32, u32) {
        (self.from.min(self.to), self.from.max(self.to))
    }

    /// Whether it only goes on to the next row.
    pub fn falls(&self) -> bool {
        self.from.checked_add(1) == Some(self.to)
    }
}
