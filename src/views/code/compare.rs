//! Columns of listings beside a baseline: one document packs a column, the other joins it with its own.

use crate::analysis::compare::code::{BaselineMatch, CodeRow, difference_text, pack, rows, rows_met, unpack};
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::document::{Document, JoinedColumn};
use crate::model::code::{ALL_CORES, Listing, ListingKind};
use crate::model::id::ListingId;
use crate::views::code::messages::{CodeQuery, Column, Reply};
use crate::wire::{Answer, Question};

/// A column of a listing as bytes, found by names.
pub(crate) fn pack_code(doc: &Document, wanted: &Column) -> (Answer, Option<Vec<u8>>) {
    let code = &doc.trace().code;
    let found = same_listing(doc, wanted);
    let Some(listing) = found.and_then(|id| code.listings.get(id.index())) else {
        return (Answer::Failed(phrase("This listing is not in the baseline.").to_owned()), None);
    };
    let Some(column) = listing.columns.iter().position(|c| c.name == wanted.column) else {
        return (Answer::Failed(phrase("This column is not in the baseline.").to_owned()), None);
    };
    let core = code.cores.iter().position(|c| *c == wanted.core);
    let Some(core) = core.or(wanted.core.is_empty().then_some(usize::from(ALL_CORES))) else {
        return (Answer::Failed(phrase("No data for this core in the baseline.").to_owned()), None);
    };
    (Answer::Packed, Some(pack(&rows(listing, column, core))))
}

/// The listing of the same title and kernel, launches of one kernel in their order; else one of the same title; else the
/// one whose file has the same name; else the only one of its kind.
fn same_listing(doc: &Document, wanted: &Column) -> Option<ListingId> {
    let (code, strings) = (&doc.trace().code, &doc.trace().strings);
    let is_same = |listing: &Listing| {
        listing.kind == wanted.kind
            && listing.title == wanted.title
            && listing.parts.is_empty() != wanted.is_of_all
            && strings.get(listing.scope.kernel) == wanted.kernel
    };
    let mut same =
        (0u32..).map(ListingId).zip(&code.listings).filter(|(_, listing)| is_same(listing)).peekable();
    if same.peek().is_some() {
        return same.nth(wanted.nth as usize).map(|(id, _)| id);
    }
    let of_kind: Vec<(ListingId, &str)> = (0u32..)
        .map(ListingId)
        .zip(&code.listings)
        .filter(|(_, l)| l.kind == wanted.kind)
        .map(|(id, l)| (id, l.title.as_str()))
        .collect();
    let name = |title: &str| title.rsplit(['/', '\\']).next().map(str::to_owned);
    let by_title = of_kind.iter().find(|(_, title)| *title == wanted.title);
    let by_name = || of_kind.iter().find(|(_, title)| name(title) == name(&wanted.title));
    let only = || if let [one] = &of_kind[..] { Some(one) } else { None };
    let found = by_title.or_else(by_name);
    // Lines of two different files are not the same because both are the only ones.
    found.or_else(|| only().filter(|_| wanted.kind == ListingKind::Assembly)).map(|(id, _)| *id)
}

/// Joins a column of a listing with the bytes of one of the baseline.
pub(crate) fn join_code(
    doc: &mut Document,
    (listing, column, core): (ListingId, u16, u16),
    beside: &[u8],
) -> Answer {
    let code = &doc.trace().code;
    let Some(own) = code.listings.get(listing.index()) else {
        return Answer::Failed("No such listing.".to_owned());
    };
    let own_rows = rows(own, usize::from(column), usize::from(core));
    let joined = rows_met(own.kind, &unpack(beside), &own_rows);
    let unit = own.columns.get(usize::from(column)).map_or(Unit::None, |column| column.unit.clone());
    let letters = |(row, met): (&CodeRow, &BaselineMatch)| {
        let value = Some(row.value).filter(|value| !value.is_nan());
        difference_text(value, *met, 0, &unit).chars().count()
    };
    let widest = own_rows.iter().zip(&joined.rows).map(letters).enumerate().max_by_key(|(_, n)| *n);
    let widest = widest.map_or(0, |(row, _)| row);
    let met = joined.rows.iter().filter(|m| **m != BaselineMatch::Nothing).count();
    let reply = Reply::Compared { met: met as u32, new: joined.n_new as u32, gone: joined.n_gone as u32 };
    let columns = &mut doc.compared.columns;
    columns.retain(|c| c.listing != listing);
    columns.push(JoinedColumn { listing, column, core, joined, widest });
    CodeQuery::reply(&reply)
}
