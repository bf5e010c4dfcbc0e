//! Names of slices, tracks and groups with all words of a text.

use crate::analysis::timeline::search::Filter;
use crate::document::Document;
use crate::views::timeline::messages::Like;

/// Most names, and most tracks, that a text finds.
const LIKE: usize = 8;
/// Most names that are looked at: a few milliseconds.
const NAMES: usize = 50_000;

/// Names of slices, tracks and groups with all words of a text: names in order of first use, tracks as they are shown.
pub(super) fn like(doc: &Document, text: &str) -> Like {
    let (trace, names) = (doc.trace(), doc.derived().timeline.names());
    let text = text.to_lowercase();
    let has_all = |name: &str| {
        let name = name.to_lowercase();
        text.split_whitespace().all(|word| name.contains(word))
    };
    let used = names.used().iter().take(NAMES).filter(|&&name| has_all(trace.strings.get(name)));
    let names = used.take(LIKE).map(|&name| (trace.strings.get(name).to_owned(), names.total(name).n));
    let paths = trace.tracks.shown().iter().map(|&id| (id, trace.track_path(id)));
    let tracks = paths.filter(|(_, path)| has_all(path)).take(LIKE).collect();
    let has_terms = Filter::parse(&text).is_some();
    Like { names: names.collect(), tracks, has_terms }
}
