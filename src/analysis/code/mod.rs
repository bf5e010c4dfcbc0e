//! What can be computed about source and instructions: totals, heat, hottest rows, links both ways, order, search.
//!
//! Heat of a value is √(value / largest of the column), and nothing below 0.4 % of the largest: the square root keeps
//! lines of a few percent visible beside the hottest. Everything that costs a pass over a listing is kept here, by
//! listing, column and core, so that a frame of a million rows costs only the rows in view.

mod cell;
mod column;
mod filter;
mod order;
pub mod origins;
mod place;
mod registers;
mod search;
pub mod syntax;

pub use cell::{cell_text, fraction, row_is_empty};
pub use column::{ColumnSummary, HOTTEST, Reason};
pub use order::{Arrange, GAP, Order};
pub use place::{Place, Referrer, row_in, rows_of_address, rows_of_line, rows_within};
pub use registers::{RegisterCell, RegisterTracks};
pub use search::{Hits, SearchQuery, find, find_in};

use crate::base::map::Map;
use crate::model::Trace;
use crate::model::code::{Cells, Code, Listing, RowClass};
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
        let cells = &rows.columns.get(usize::from(column))?.cells;
        let summary = Rc::new(ColumnSummary::of(cells, rows.lines.len(), usize::from(core)));
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
            Some(column) => stripes(&column.cells, usize::from(core), &order, summary.max),
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

fn stripes(cells: &Cells, core: usize, order: &Order, max: f64) -> Rc<[f32]> {
    let n = order.len().min(STRIPES);
    let mut out = vec![0.0_f32; n];
    for at in 0..order.len() {
        let Some(value) = order.row(at).and_then(|row| cells.number(row, core)) else { continue };
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
