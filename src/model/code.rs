//! Listings of source and assembly, their metric columns, and the many-to-many links between their lines.

use super::id::ListingId;
use crate::base::unit::Unit;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// All code of a trace.
#[derive(Default)]
pub struct Code {
    /// Units that metrics are given for (cores); empty when metrics are one value for all.
    pub cores: Vec<String>,
    /// Source files and instruction lists.
    pub listings: Vec<Listing>,
    /// Which lines belong together.
    pub links: Vec<Links>,
    /// Why there is no source text or no links, in one sentence; empty when there is nothing to explain.
    pub missing: String,
}

/// What a listing holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ListingKind {
    /// Text a person wrote.
    Source,
    /// Instructions.
    Assembly,
}

/// One file of source text or one list of instructions. Row `i` is line `i + 1`.
pub struct Listing {
    /// Path or name.
    pub title: String,
    /// What it holds.
    pub kind: ListingKind,
    /// Language for highlighting: "cpp", "python", "ptx", "asm"; empty for none.
    pub language: String,
    /// The lines.
    pub lines: Lines,
    /// Address of each row; empty for source. Sorted ascending for assembly.
    pub address: Vec<u64>,
    /// Metric columns in the order they are shown.
    pub columns: Vec<Column>,
    /// Whether the text itself was in the file (a source may be known only by its metrics).
    pub has_text: bool,
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
    /// Its address.
    Address,
    /// Its text.
    Text,
    /// Its cell in this metric column.
    Column(u16),
    /// The difference of a cell to the baseline.
    Difference,
}

/// One metric column of a listing.
#[derive(Debug)]
pub struct Column {
    /// Name as the file gives it.
    pub name: String,
    /// Unit of its numbers.
    pub unit: Unit,
    /// How a cell is shown.
    pub style: ColumnStyle,
    /// The values.
    pub cells: Cells,
}

/// How a cell of a metric column is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnStyle {
    /// A number or text.
    Plain,
    /// A number with a bar against the largest of the column.
    Bar,
    /// A share with a bar against 100 %.
    Share,
    /// A share with a stacked bar of its reasons.
    Stacked,
    /// Register tracks.
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

/// Which lines of a source belong to which rows of an assembly.
pub struct Links {
    /// The source.
    pub source: ListingId,
    /// The assembly.
    pub assembly: ListingId,
    by_source: Vec<(u32, u32)>,
    by_assembly: Vec<(u32, u32)>,
}

impl Links {
    /// Links from pairs of (source row, assembly row), in any order, with repeats.
    pub fn new(source: ListingId, assembly: ListingId, mut pairs: Vec<(u32, u32)>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let mut by_assembly: Vec<(u32, u32)> = pairs.iter().map(|&(s, a)| (a, s)).collect();
        by_assembly.sort_unstable();
        Self { source, assembly, by_source: pairs, by_assembly }
    }

    /// Links from pairs that are sorted already, without repeats: (source row, assembly row), and (assembly row, source
    /// row). For readers that sort in pieces.
    pub fn of_sorted(
        source: ListingId,
        assembly: ListingId,
        by_source: Vec<(u32, u32)>,
        by_assembly: Vec<(u32, u32)>,
    ) -> Self {
        debug_assert!(by_source.is_sorted() && by_assembly.is_sorted());
        Self { source, assembly, by_source, by_assembly }
    }

    /// Rows of the assembly that belong to row `row` of the source, ascending.
    pub fn of_source(&self, row: u32) -> impl Iterator<Item = u32> {
        Self::range(&self.by_source, row)
    }

    /// Rows of the source that belong to row `row` of the assembly, ascending.
    pub fn of_assembly(&self, row: u32) -> impl Iterator<Item = u32> {
        Self::range(&self.by_assembly, row)
    }

    fn range(pairs: &[(u32, u32)], row: u32) -> impl Iterator<Item = u32> {
        let from = pairs.partition_point(|p| p.0 < row);
        pairs[from..].iter().take_while(move |p| p.0 == row).map(|p| p.1)
    }
}

impl Cells {
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
