//! What listings there are, what they are called, and in which of them something is.

use crate::analysis::code::{Place, Referrer, row_in, rows_of_address, rows_of_line};
use crate::base::map::Map;
use crate::base::order;
use crate::base::words::message;
use crate::document::Document;
use crate::input::EntryId;
use crate::model::Symbols;
use crate::model::code::{ALL_CORES, Cells, Code, CodeAddress, Column, ColumnStyle, Listing};
use crate::model::id::ListingId;
use crate::views::code::messages as wire;
use crate::views::code::messages::{CodeQuery, Reply};

/// What listings there are, and in which of them something is.
pub(crate) fn answer(doc: &Document, ask: &CodeQuery) -> Option<Reply> {
    let (code, anyone) = (&doc.trace().code, Referrer::default());
    Some(match ask {
        CodeQuery::Listings => Reply::Listings(Box::new(listings(doc, code, &names(doc)))),
        CodeQuery::Line { path, line } => {
            Reply::At(found_rows(doc, rows_of_line(code, path, *line, &anyone)))
        }
        CodeQuery::Address(CodeAddress { listing, address }) => {
            let places = match listing {
                Some(listing) => row_in(code, *listing, *address).into_iter().collect(),
                None => rows_of_address(code, *address, &anyone),
            };
            Reply::At(found_rows(doc, places))
        }
        _ => return None,
    })
}

/// What listings are called, in their order: each by a name of its own. Those of one title have their kernel behind it,
/// then their file, or of how many launches they are, then their number, as far as that is needed.
fn names(doc: &Document) -> Vec<String> {
    let trace = doc.trace();
    let listings = &trace.code.listings;
    let mut names: Vec<String> = listings.iter().map(|listing| listing.title.clone()).collect();
    let kernel = |at: usize| trace.strings.get(listings[at].scope.kernel).to_owned();
    let file = |at: usize| {
        if let n @ 1.. = listings[at].parts.len() {
            return message("all {n} launches").with("n", n).text(doc.language()).into_owned();
        }
        let entry = listings[at].scope.entry.map(EntryId);
        entry.map_or_else(String::new, |entry| doc.bundle().short(entry).to_owned())
    };
    let number = |at: usize| format!("#{}", at + 1);
    for part in [&kernel as &dyn Fn(usize) -> String, &file, &number] {
        let mut count: Map<String, usize> = Map::default();
        for name in &names {
            *count.entry(name.clone()).or_default() += 1;
        }
        for (at, name) in names.iter_mut().enumerate().filter(|(_, name)| 1 < count[*name]) {
            let part = part(at);
            if !part.is_empty() && part != listings[at].title {
                *name = format!("{name} · {part}");
            }
        }
    }
    names
}

/// Rows with the names of their listings.
pub(crate) fn found_rows(doc: &Document, places: Vec<Place>) -> Vec<wire::FoundRow> {
    let names = names(doc);
    let found = places.into_iter().filter_map(|(listing, row)| {
        Some(wire::FoundRow { listing, row, name: names.get(listing.index())?.clone() })
    });
    found.collect()
}

fn listings(doc: &Document, code: &Code, names: &[String]) -> wire::Listings {
    let symbol = |listing: &Listing| {
        let symbols = doc.trace().extensions.get::<Symbols>()?;
        let kernel = || symbols.symbol(doc.trace().strings.get(listing.scope.kernel));
        symbols.symbol(&listing.title).or_else(kernel).map(str::to_owned)
    };
    let mut out = wire::Listings {
        cores: code.cores.clone(),
        listings: (0u32..)
            .map(ListingId)
            .zip(code.listings.iter().zip(names))
            .map(|(id, (listing, name))| wire::ListingHead {
                symbol: symbol(listing).unwrap_or_default(),
                kernel: doc.trace().strings.get(listing.scope.kernel).to_owned(),
                ..head(id, listing, name)
            })
            .collect(),
        missing: code.missing.clone(),
        has_links: !code.links.is_empty(),
    };
    for listing in &mut out.listings {
        let links = code.links.iter().filter(|links| links.from == listing.id);
        listing.linked_to = links.map(|links| links.to).collect();
    }
    let all = |of: &wire::ListingHead| -> f64 {
        let own = code.listings.iter().zip(&out.listings).filter(|(listing, _)| listing.parts.is_empty());
        own.filter(|(_, other)| (other.kind, heat_name(other)) == (of.kind, heat_name(of)))
            .map(|(_, other)| other.cost)
            .sum()
    };
    let shares: Vec<Option<f64>> =
        out.listings.iter().map(|of| Some(of.cost / all(of)).filter(|share| share.is_finite())).collect();
    for (listing, share) in out.listings.iter_mut().zip(shares) {
        listing.share = share;
    }
    let is_linked = |id| code.links.iter().any(|links| links.other(id).is_some());
    // What has text and links is what one wants to see first, then what costs most.
    order::sort_by(&mut out.listings, |a, b| {
        let group = |l: &wire::ListingHead| (!l.has_text, !is_linked(l.id));
        group(a)
            .cmp(&group(b))
            .then_with(|| b.share.unwrap_or(0.0).total_cmp(&a.share.unwrap_or(0.0)))
            .then_with(|| a.title.cmp(&b.title))
    });
    out
}

/// The column that says what costs most.
fn heat_name(of: &wire::ListingHead) -> &str {
    of.heat.and_then(|at| of.columns.get(usize::from(at))).map_or("", |column| &column.name)
}

fn head(id: ListingId, listing: &Listing, name: &str) -> wire::ListingHead {
    let columns: Vec<wire::ColumnHead> = listing
        .columns
        .iter()
        .map(|c| wire::ColumnHead {
            name: c.name.clone(),
            unit: c.unit.symbol().to_owned(),
            style: c.style,
            has_numbers: matches!(c.cells, Cells::Numbers { .. } | Cells::Parts { .. }),
        })
        .collect();
    let bar = columns.iter().position(|c| c.has_numbers && c.style == ColumnStyle::Bar);
    let heat = bar.or_else(|| columns.iter().position(|c| c.has_numbers)).map(|i| i as u16);
    // Where each core has a value of its own one core is shown at first: what all cost does not say what to begin with.
    let is_of_one = |column: &&Column| column.adds_up() && column.cells.per_row() == 1;
    let column = heat.and_then(|at| listing.columns.get(usize::from(at))).filter(is_of_one);
    let cost = column.map_or(0.0, |column| {
        let rows = 0..listing.lines.len();
        rows.filter_map(|row| column.number(row, usize::from(ALL_CORES))).filter(|n| 0.0 < *n).sum()
    });
    wire::ListingHead {
        id,
        kind: listing.kind,
        title: listing.title.clone(),
        name: name.to_owned(),
        symbol: String::new(),
        kernel: String::new(),
        rows: listing.lines.len() as u32,
        has_text: listing.has_text,
        columns,
        linked_to: Vec::new(),
        heat,
        has_addresses: !listing.address.is_empty(),
        launches: listing.parts.len() as u32,
        cost,
        share: None,
    }
}
