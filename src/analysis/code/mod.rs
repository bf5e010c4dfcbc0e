//! What can be computed about source and instructions: totals, heat, hottest rows, links both ways, order, search.
//!
//! Heat of a value is √(value / largest of the column), and nothing below 0.4 % of the largest: the square root keeps
//! lines of a few percent visible beside the hottest. Everything that costs a pass over a listing is kept here, by
//! listing, column and core, so that a frame of a million rows costs only the rows in view.

mod column;
mod filter;
mod order;
pub mod origins;
pub mod syntax;

pub use column::{ColumnSummary, HOTTEST, Reason};
pub use filter::{Hits, SearchQuery, find, find_in};
pub use order::{Arrange, GAP, Order};
pub use origins::{Place, Referrer, row_in, rows_of_address, rows_of_line, rows_within};

use crate::base::map::Map;
use crate::base::number;
use crate::base::unit::Unit;
use crate::base::words::{phrase, reader, tr, tr_parts};
use crate::model::Trace;
use crate::model::code::{Cells, Code, Column, ColumnStyle, Listing, RegisterUse, RowClass};
use crate::model::id::ListingId;
use std::rc::Rc;
use syntax::{Highlights, Token};

/// Share of the largest value below which a row is not warm at all.
pub const COLDEST: f64 = 0.004;
/// Most stripes of an overview: more than any screen has pixels.
const STRIPES: usize = 2_048;
/// Most arrangements and overviews kept; the oldest way out is to start anew.
const KEPT: usize = 24;

/// What is kept about listings.
#[derive(Default)]
pub struct CodeCache {
    /// Listings, rows and links when the rest was computed.
    stamp: (usize, usize, usize),
    columns: Map<(u32, u16, u16), Rc<ColumnSummary>>,
    orders: Map<(u32, u16, Arrange), Rc<Order>>,
    overviews: Map<(u32, u16, u16, Arrange), Rc<[f32]>>,
    registers: Map<(u32, u16), Rc<RegisterTracks>>,
    highlights: Map<u32, Highlights>,
    found: Option<(u32, SearchQuery, Rc<Hits>)>,
}

impl CodeCache {
    /// Forgets everything when code was added. Costs the number of listings.
    pub fn extend(&mut self, trace: &Trace) {
        let code = &trace.code;
        let rows = code.listings.iter().map(|l| l.lines.len() + l.columns.len()).sum();
        let stamp = (code.listings.len(), rows, code.links.len());
        if stamp != self.stamp {
            *self = Self { stamp, ..Self::default() };
        }
    }

    /// Totals of a column for a core; `None` when there is no such column. First call: a pass over the column.
    pub fn column(
        &mut self,
        code: &Code,
        listing: ListingId,
        column: u16,
        core: u16,
    ) -> Option<Rc<ColumnSummary>> {
        let key = (listing.0, column, core);
        if let Some(kept) = self.columns.get(&key) {
            return Some(kept.clone());
        }
        let rows = code.listings.get(listing.index())?;
        let own = rows.columns.get(usize::from(column))?;
        let mut summary = ColumnSummary::of(own, rows.lines.len(), usize::from(core));
        summary.count_once(own, &rows.repeats, usize::from(core));
        let summary = Rc::new(summary);
        self.columns.insert(key, summary.clone());
        Some(summary)
    }

    /// The rows of a listing as they are arranged. First call: a pass over the listing, and a sort.
    pub fn order(&mut self, code: &Code, listing: ListingId, core: u16, arrange: &Arrange) -> Rc<Order> {
        let key = (listing.0, core, arrange.clone());
        if let Some(kept) = self.orders.get(&key) {
            return kept.clone();
        }
        let order = Rc::new(order::arrange(code, listing, usize::from(core), arrange));
        if KEPT <= self.orders.len() {
            self.orders.clear();
        }
        self.orders.insert(key, order.clone());
        order
    }

    /// Heat (0 to 1) of the whole arranged listing, from its first row to its last in at most 2,048 stripes of equal
    /// numbers of rows; each has the heat of its hottest row. First call: a pass over the listing.
    pub fn overview(
        &mut self,
        code: &Code,
        listing: ListingId,
        column: u16,
        core: u16,
        arrange: &Arrange,
    ) -> Rc<[f32]> {
        let key = (listing.0, column, core, arrange.clone());
        if let Some(kept) = self.overviews.get(&key) {
            return kept.clone();
        }
        let Some(summary) = self.column(code, listing, column, core) else { return Rc::from([]) };
        let order = self.order(code, listing, core, arrange);
        let cells = code.listings.get(listing.index()).and_then(|l| l.columns.get(usize::from(column)));
        let stripes: Rc<[f32]> = match cells {
            Some(column) => stripes(column, usize::from(core), &order, summary.max),
            None => Rc::from([]),
        };
        if KEPT <= self.overviews.len() {
            self.overviews.clear();
        }
        self.overviews.insert(key, stripes.clone());
        stripes
    }

    /// The register tracks of a column; `None` when it is no column of registers. First call: a pass over the column.
    pub fn registers(&mut self, code: &Code, listing: ListingId, column: u16) -> Option<Rc<RegisterTracks>> {
        let key = (listing.0, column);
        if let Some(kept) = self.registers.get(&key) {
            return Some(kept.clone());
        }
        let cells = &code.listings.get(listing.index())?.columns.get(usize::from(column))?.cells;
        let Cells::Registers { values } = cells else { return None };
        let tracks = Rc::new(RegisterTracks::of(values));
        self.registers.insert(key, tracks.clone());
        Some(tracks)
    }

    /// The tokens of one row of a listing, in order, covering what is not blank.
    pub fn tokens(&mut self, listing: ListingId, rows: &Listing, row: usize) -> Vec<Token> {
        self.highlights.entry(listing.0).or_default().line(rows, row)
    }

    /// All places of a text in a listing; the last search is kept. First call: a pass over the text.
    pub fn search(&mut self, listing: ListingId, rows: &Listing, query: &SearchQuery) -> Rc<Hits> {
        match &self.found {
            Some((l, n, hits)) if *l == listing.0 && n == query => hits.clone(),
            _ => {
                let hits = Rc::new(find(&rows.lines, query));
                self.found = Some((listing.0, query.clone(), hits.clone()));
                hits
            }
        }
    }
}

fn stripes(column: &Column, core: usize, order: &Order, max: f64) -> Rc<[f32]> {
    let n = order.len().min(STRIPES);
    let mut out = vec![0.0_f32; n];
    for at in 0..order.len() {
        let Some(value) = order.row(at).and_then(|row| column.number(row, core)) else { continue };
        let stripe = &mut out[at * n / order.len()];
        *stripe = stripe.max(heat(value, max) as f32);
    }
    out.into()
}

/// How hot a value is, 0 to 1; 0 also for what is missing, negative, or below [`COLDEST`] of the largest.
pub fn heat(value: f64, max: f64) -> f64 {
    let share = if 0.0 < max { value / max } else { 0.0 };
    if share < COLDEST || !share.is_finite() { 0.0 } else { share.min(1.0).sqrt() }
}

/// Rows of other listings that belong to a row: of a source line its instructions, of an instruction its lines, by
/// listing. Ascending, without repeats. Costs the number of linked rows.
pub fn linked(code: &Code, listing: ListingId, row: u32) -> Vec<(ListingId, Vec<u32>)> {
    let mut out: Vec<(ListingId, Vec<u32>)> = Vec::new();
    for links in &code.links {
        let Some(other) = links.other(listing) else { continue };
        let rows: Vec<u32> = links.rows(listing, row).collect();
        if rows.is_empty() {
            continue;
        }
        match out.iter_mut().find(|(l, _)| *l == other) {
            Some((_, all)) => all.extend(rows),
            None => out.push((other, rows)),
        }
    }
    for (_, rows) in &mut out {
        rows.sort_unstable();
        rows.dedup();
    }
    out
}

/// Rows of `other` that belong to a row of `listing`: see [`linked`].
pub fn linked_in(code: &Code, listing: ListingId, row: u32, other: ListingId) -> Vec<u32> {
    linked(code, listing, row)
        .into_iter()
        .find(|(l, _)| *l == other)
        .map(|(_, rows)| rows)
        .unwrap_or_default()
}

/// How a row of `listing` differs from `other`, as far as their links say.
pub fn class_beside(code: &Code, listing: ListingId, row: u32, other: ListingId) -> RowClass {
    let pair = code.links.iter().filter(|links| links.other(listing) == Some(other));
    pair.map(|links| links.class(listing, row)).find(|class| *class != RowClass::Same).unwrap_or_default()
}

// One metric cell as a person reads it.

/// The text of a cell without its unit, which stands in the head of the column. Empty for a row without any value; a dash
/// for one that has others.
///
/// Shares are percent with one decimal, or two digits when that would be 0.0; whole columns are written whole.
pub fn cell_text(
    listing: &Listing,
    column: &Column,
    summary: &ColumnSummary,
    row: usize,
    core: usize,
) -> String {
    match &column.cells {
        Cells::Texts { .. } if column.style == ColumnStyle::Phrase => {
            tr_parts(reader(), column.text(row, core)).into_owned()
        }
        Cells::Texts { .. } => column.text(row, core).to_owned(),
        Cells::Registers { values } => {
            let uses = values.get(row).map_or(&[][..], Vec::as_slice);
            let word = |state| match state {
                1 => phrase(" read"),
                2 => phrase(" write"),
                3 => phrase(" read and write"),
                _ => "",
            };
            uses.iter()
                .map(|u| format!("{}{}", u.name, tr(reader(), word(u.state))))
                .collect::<Vec<_>>()
                .join(", ")
        }
        Cells::Numbers { .. } | Cells::Parts { .. } => match column.number(row, core) {
            Some(value) if 0.0 <= value => number_text(column, summary, value),
            _ if row_is_empty(listing, row, core) => String::new(),
            _ => number::MISSING.to_owned(),
        },
    }
}

fn number_text(column: &Column, summary: &ColumnSummary, value: f64) -> String {
    match fraction(column, value) {
        Some(share) => {
            let text = number::fixed(share * 100.0, 1);
            if text == "0.0" && 0.0 < share { number::short(share * 100.0) } else { text }
        }
        None => number::fixed(value, summary.decimals),
    }
}

/// What part of a whole a value is, 0 to 1, for columns of shares and percent.
pub fn fraction(column: &Column, value: f64) -> Option<f64> {
    match (&column.cells, &column.unit) {
        (Cells::Parts { .. }, _) | (_, Unit::Share) => Some(value),
        (_, Unit::Percent) => Some(value / 100.0),
        _ => None,
    }
}

/// Whether a row has no value in any column: then its cells are empty, not a dash and not zero.
pub fn row_is_empty(listing: &Listing, row: usize, core: usize) -> bool {
    listing.columns.iter().all(|column| match &column.cells {
        Cells::Texts { .. } => column.text(row, core).is_empty(),
        Cells::Registers { values } => values.get(row).is_none_or(Vec::is_empty),
        Cells::Numbers { .. } | Cells::Parts { .. } => column.number(row, core).is_none_or(|v| v < 0.0),
    })
}

// Registers of instructions as vertical tracks: which live register stands in which slot.
//
// Rows are in order of address. A register that is not alive takes the lowest free slot and lives for as many rows
// that name it as its length says; after the last of them its slot is free. Tools that draw `GPR Status` place registers
// by the same rule.

/// All tracks of a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RegisterTracks {
    /// The most slots that are taken at once.
    pub n_slots: usize,
    cells: Vec<RegisterCell>,
    ends: Vec<u32>,
}

/// One register in one row.
#[derive(Clone, Debug, PartialEq)]
pub struct RegisterCell {
    /// Which slot, from 0.
    pub slot: u16,
    pub name: String,
    /// For how many rows it lives.
    pub life: u32,
    pub is_read: bool,
    pub is_written: bool,
    pub begins: bool,
    pub ends: bool,
}

impl RegisterTracks {
    /// The cells of a row, by slot.
    pub fn row(&self, row: usize) -> &[RegisterCell] {
        let end = self.ends.get(row).copied().unwrap_or(0) as usize;
        let start = if row == 0 { 0 } else { self.ends.get(row - 1).copied().unwrap_or(0) as usize };
        self.cells.get(start..end).unwrap_or(&[])
    }

    /// Walks the rows once. Costs the number of uses.
    pub fn of(rows: &[Vec<RegisterUse>]) -> Self {
        let mut out = Self::default();
        let mut alive: Map<&str, LiveRange> = Map::default();
        let mut taken: Vec<bool> = Vec::new();
        for uses in rows {
            let first = out.cells.len();
            let mut freed = Vec::new();
            for used in uses.iter().filter(|u| (1..=4).contains(&u.state)) {
                let begins = !alive.contains_key(used.name.as_str());
                let life = alive.entry(&used.name).or_insert_with(|| {
                    let slot = taken.iter().position(|t| !t).unwrap_or(taken.len());
                    if slot == taken.len() {
                        taken.push(false);
                    }
                    taken[slot] = true;
                    LiveRange { slot, left: used.life, length: used.life }
                });
                life.left = life.left.saturating_sub(1);
                let ends = life.left == 0;
                out.cells.push(RegisterCell {
                    slot: u16::try_from(life.slot).unwrap_or(u16::MAX),
                    name: used.name.clone(),
                    life: life.length,
                    is_read: used.state == 1 || used.state == 3,
                    is_written: used.state == 2 || used.state == 3,
                    begins,
                    ends,
                });
                if ends {
                    freed.push((used.name.as_str(), life.slot));
                }
            }
            for (name, slot) in freed {
                alive.remove(name);
                taken[slot] = false;
            }
            out.cells[first..].sort_by_key(|c| c.slot);
            out.ends.push(out.cells.len() as u32);
        }
        out.n_slots = taken.len();
        out
    }
}

struct LiveRange {
    slot: usize,
    left: u32,
    length: u32,
}
