//! Which rows of a listing are shown, and in which order.

use super::filter::Filter;
use super::{class_beside, linked_in, row_is_empty, rows_within};
use crate::base::map::Map;
use crate::base::order;
use crate::model::build::natural;
use crate::model::code::{Cells, Code, Field, Listing, RowClass};
use crate::model::id::ListingId;
use serde::{Deserialize, Serialize};

/// How rows are chosen and ordered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Arrange {
    /// Order by this; rows without a value come last in both directions. `None` is the order of the listing.
    pub sort: Option<Field>,
    /// Largest first.
    pub is_descending: bool,
    /// Only rows whose address, text or text column contains this, in any case, and terms such as `op:LDG eff<50`; empty
    /// for all.
    pub filter: String,
    /// Only rows that belong to this row of the other side.
    pub only: Option<(ListingId, u32)>,
    /// Only rows with addresses in these ranges (ascending, apart, both ends inside); empty for all.
    pub within: Vec<(u64, u64)>,
    /// Without rows that were inserted into what this other listing has.
    pub common: Option<ListingId>,
    /// Only rows with a value in any column: for sources without text.
    pub is_valued: bool,
    /// In the order of the listing, with [`GAP`]s where only this other listing has rows: what belongs together stands at
    /// one place in both. Nothing else but `common` narrows them down.
    pub aligned: Option<ListingId>,
}

/// Where a row would stand: only the listing beside has one here.
pub const GAP: u32 = u32::MAX;

impl Arrange {
    /// Whether all rows are shown in the order of the listing.
    pub fn is_natural(&self) -> bool {
        self.sort.is_none()
            && self.filter.is_empty()
            && self.only.is_none()
            && self.within.is_empty()
            && self.common.is_none()
            && !self.is_valued
            && self.aligned.is_none()
    }
}

/// The rows of a listing as they are shown.
#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    /// All rows in the order of the listing.
    Natural(usize),
    /// These rows, or a [`GAP`].
    Rows(Vec<u32>),
}

impl Order {
    /// How many rows are shown.
    pub fn len(&self) -> usize {
        match self {
            Self::Natural(n) => *n,
            Self::Rows(rows) => rows.len(),
        }
    }

    /// Whether no row is shown.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The row at a place; `None` for a [`GAP`] too.
    pub fn row(&self, at: usize) -> Option<usize> {
        match self {
            Self::Natural(n) => (at < *n).then_some(at),
            Self::Rows(rows) => rows.get(at).filter(|&&r| r != GAP).map(|&r| r as usize),
        }
    }

    /// The row at a place, or [`GAP`].
    pub fn row_or_gap(&self, at: usize) -> u32 {
        self.row(at).map_or(GAP, |row| row as u32)
    }

    /// How many places have no row. Costs a pass when rows are arranged.
    pub fn n_gaps(&self) -> usize {
        match self {
            Self::Natural(_) => 0,
            Self::Rows(rows) => rows.iter().filter(|&&r| r == GAP).count(),
        }
    }

    /// The place of a row; `None` when it is not shown. Costs a pass when rows are arranged.
    pub fn place(&self, row: u32) -> Option<usize> {
        match self {
            Self::Natural(n) => ((row as usize) < *n).then_some(row as usize),
            Self::Rows(rows) => rows.iter().position(|&r| r == row),
        }
    }

    /// The first place that shows one of these rows (ascending). Costs a pass when rows are arranged.
    pub fn first_of(&self, rows: &[u32]) -> Option<usize> {
        match self {
            Self::Natural(_) => rows.first().and_then(|&row| self.place(row)),
            Self::Rows(shown) => shown.iter().position(|row| rows.binary_search(row).is_ok()),
        }
    }
}

/// Arranges the rows of a listing. Costs a pass over what is compared, and a sort.
pub(super) fn arrange(code: &Code, listing: ListingId, core: usize, how: &Arrange) -> Order {
    let Some(rows) = code.listings.get(listing.index()) else { return Order::Natural(0) };
    let n = rows.lines.len();
    if how.is_natural() {
        return Order::Natural(n);
    }
    if let Some(other) = how.aligned {
        return aligned(code, listing, other, how.common.is_some());
    }
    let mut shown: Vec<u32> = match how.only {
        Some((other, row)) => linked_in(code, other, row, listing),
        None => (0..n as u32).collect(),
    };
    shown.retain(|&r| (r as usize) < n);
    if !how.within.is_empty() {
        let inside = rows_within(rows, &how.within);
        shown.retain(|r| inside.binary_search(r).is_ok());
    }
    if let Some(other) = how.common {
        shown.retain(|&r| class_beside(code, listing, r, other) != RowClass::Inserted);
    }
    if how.is_valued {
        shown.retain(|&r| !row_is_empty(rows, r as usize, core));
    }
    if !how.filter.is_empty() {
        let filter = Filter::of(rows, &how.filter);
        shown.retain(|&r| filter.passes(rows, r as usize, core));
    }
    if let Some(field) = how.sort {
        let key = keys(rows, field, core);
        let mut keyed: Vec<(u64, u32)> =
            shown.iter().map(|&r| (key.get(r as usize).copied().unwrap_or(LAST), r)).collect();
        if how.is_descending {
            // Missing ones stay last: only the keys of the others turn round.
            for (key, _) in keyed.iter_mut().filter(|(key, _)| *key != LAST) {
                *key = LAST - 1 - *key;
            }
        }
        keyed.sort_unstable();
        shown = keyed.into_iter().map(|(_, r)| r).collect();
    }
    Order::Rows(shown)
}

/// The rows of a listing beside those of another that it is linked with. What only the first of the two has comes before
/// what only the second has.
fn aligned(code: &Code, listing: ListingId, other: ListingId, is_common: bool) -> Order {
    let n_rows = |id: ListingId| code.listings.get(id.index()).map_or(0, |l| l.lines.len() as u32);
    let Some(links) = code.links.iter().find(|links| links.other(listing) == Some(other)) else {
        return Order::Natural(n_rows(listing) as usize);
    };
    let n = n_rows(links.to);
    let (mut places, mut next) = (Vec::new(), 0);
    for row in 0..n_rows(links.from) {
        let met = links.rows(links.from, row).find(|met| (next..n).contains(met));
        let until = met.unwrap_or(next);
        places.extend((next..until).map(|alone| (GAP, alone)));
        places.push((row, met.unwrap_or(GAP)));
        next = until + u32::from(met.is_some());
    }
    places.extend((next..n).map(|alone| (GAP, alone)));
    if is_common {
        let is_inserted = |id, row| row != GAP && links.class(id, row) == RowClass::Inserted;
        places.retain(|(a, b)| !is_inserted(links.from, *a) && !is_inserted(links.to, *b));
    }
    Order::Rows(places.into_iter().map(|(a, b)| if listing == links.from { a } else { b }).collect())
}

/// The key of rows without a value.
const LAST: u64 = u64::MAX;

/// For each row a number that sorts as the field does.
fn keys(rows: &Listing, field: Field, core: usize) -> Vec<u64> {
    let n = rows.lines.len();
    match field {
        // Differences come from another document; nothing here is ordered by them.
        Field::Row | Field::Difference => (0..n as u64).collect(),
        Field::Address => rows.address.clone(),
        Field::Text => ranks((0..n).map(|row| rows.lines.get(row))),
        Field::Column(column) => match rows.columns.get(usize::from(column)).map(|c| (c, &c.cells)) {
            Some((column, Cells::Texts { .. })) => ranks((0..n).map(|row| column.text(row, core))),
            Some((_, Cells::Registers { values })) => values.iter().map(|v| v.len() as u64).collect(),
            Some((column, _)) => (0..n).map(|row| number_key(column.number(row, core))).collect(),
            None => Vec::new(),
        },
    }
}

/// A number that sorts as the value does; missing and negative ones last.
fn number_key(value: Option<f64>) -> u64 {
    // The bits of numbers that are not negative sort as the numbers do.
    value.filter(|v| 0.0 <= *v).map_or(LAST, |v| (v + 0.0).to_bits())
}

/// The rank of each text among all, in natural order; empty ones last.
fn ranks<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> Vec<u64> {
    let mut distinct: Vec<&str> = texts.clone().collect();
    order::sort_by_key(&mut distinct, |text| *text);
    distinct.dedup();
    order::sort_by(&mut distinct, |a, b| natural(a, b));
    let rank: Map<&str, u64> = distinct.iter().zip(0u64..).map(|(&text, i)| (text, i)).collect();
    texts.map(|text| if text.is_empty() { LAST } else { rank.get(text).copied().unwrap_or(LAST) }).collect()
}
