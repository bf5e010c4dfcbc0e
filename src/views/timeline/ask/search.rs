//! Text search: what is wanted, and the next and the one before a place.

use super::Systems;
use super::View;
use crate::analysis::code::origins::OriginQuery;
use crate::analysis::timeline::search::{Filter, Found, NO_LENGTH, NO_UNIT, SearchPrefix, SearchTarget};
use crate::base::words::{Language, phrase, tr};
use crate::document::Document;
use crate::model::code::{CodeAddress, split_listing};
use crate::model::id::{ListingId, SliceId};
use crate::views::timeline::messages::{Current, Hits};

/// In front of an address or of a line: slices are searched by where they come from.
const BY_ADDRESS: &str = "pc:";
const BY_LINE: &str = "line:";

/// The search for slices that come from an instruction.
pub(crate) fn by_address(address: CodeAddress) -> String {
    format!("{BY_ADDRESS}{address}")
}

/// The search for slices that come from a line of a file, or of one listing of it.
pub(crate) fn by_line(path: &str, line: u32, listing: Option<ListingId>) -> String {
    let listing = listing.map_or_else(String::new, |id| format!("@{}", u64::from(id.0) + 1));
    format!("{BY_LINE}{path}:{line}{listing}")
}

/// The place that a text names.
pub(crate) fn origin(text: &str) -> Option<OriginQuery> {
    if let Some(address) = text.strip_prefix(BY_ADDRESS) {
        return address.parse().ok().map(OriginQuery::Address);
    }
    let (place, listing) = split_listing(text.strip_prefix(BY_LINE)?.trim());
    let (path, line) = place.rsplit_once(':')?;
    Some(OriginQuery::Line { path: path.to_owned(), line: line.parse().ok()?, listing })
}

/// The color names that a text asks for by a prefix of a system; empty without one.
fn color_names(doc: &Document, text: &str) -> Vec<String> {
    let asked = |known: &SearchPrefix| text.strip_prefix(known.prefix).map(known.color_names);
    (Systems::of(doc).search_prefixes)().into_iter().find_map(asked).unwrap_or_default()
}

/// What of slices the text of a search is about.
pub(crate) fn target(doc: &Document, text: &str) -> SearchTarget {
    if let Some(origin) = origin(text) {
        return SearchTarget::Origin(origin);
    }
    match color_names(doc, text) {
        names if names.is_empty() => Filter::parse(text).map_or(SearchTarget::Name, SearchTarget::Filter),
        names => SearchTarget::ColorName(names),
    }
}

/// How much is found, and where the current place stands among it.
pub(super) fn search(doc: &Document, current: Current) -> Hits {
    let view = View::new(doc, None);
    let Some(found) = doc.derived().timeline.found() else { return Hits::default() };
    let head = |id: Option<&SliceId>| id.and_then(|&id| view.head(id));
    let (number, at, before, after) = around(doc, found, current);
    Hits {
        n: found.n,
        listed: found.listed.len() as u64,
        current: number.map(|i| i as u32),
        at: head(at),
        before: head(before),
        after: head(after),
        problem: found.problem.as_ref().map(|why| problem(doc.language(), why)),
    }
}

/// Why a text is no pattern, in words; for what happens while one types, in the language.
fn problem(language: Language, why: &str) -> String {
    if let Some(own) = [NO_LENGTH, NO_UNIT].into_iter().find(|own| why == *own) {
        return tr(language, own).to_owned();
    }
    let known = [
        phrase("found open group without closing ')'"),
        phrase("found closing ')' without matching '('"),
        phrase("found unclosed character class"),
        phrase("unrecognized escape sequence"),
    ];
    let word = known.into_iter().find(|word| why.contains(word)).map(|word| tr(language, word));
    format!("{}: {}", tr(language, "Invalid pattern"), word.unwrap_or(why))
}

type Around<'a> = (Option<usize>, Option<&'a SliceId>, Option<&'a SliceId>, Option<&'a SliceId>);

/// The number of the current hit, the hit, the one before and the one after; beyond the ends it goes on at the other end.
fn around<'a>(doc: &Document, found: &'a Found, current: Current) -> Around<'a> {
    let (trace, timeline) = (doc.trace(), &doc.derived().timeline);
    let listed = &found.listed;
    if listed.is_empty() {
        return (None, None, None, None);
    }
    let at = match current {
        Current::Slice(id) => found.position(trace, timeline, id),
        Current::Number(i) => Some(i as usize).filter(|&i| i < listed.len()),
        Current::Time(_) => None,
    };
    let next = match (at, current) {
        (Some(at), _) => at + 1,
        (None, Current::Time(time)) => found.first_after(trace, timeline, time),
        (None, Current::Slice(id)) => {
            timeline.span_of(trace, id).map_or(0, |span| found.first_after(trace, timeline, span.start))
        }
        (None, Current::Number(_)) => 0,
    };
    let before = at.unwrap_or(next).checked_sub(1).unwrap_or(listed.len() - 1);
    (at, at.and_then(|at| listed.get(at)), listed.get(before), listed.get(next % listed.len()))
}
