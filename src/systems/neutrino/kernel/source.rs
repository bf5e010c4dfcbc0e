//! Lines of source files that instructions come from: `.file 1 "a.cu"` names a file, `.loc 1 8 9` says that the
//! instructions that follow come from its line 8.

use crate::base::map::Map;
use crate::base::order;
use crate::input::bundle::Bundle;
use crate::input::source::read_range;
use crate::model::code::{Lines, Links, Listing, ListingKind};
use crate::model::id::ListingId;
use crate::model::{Trace, code::CodeScope};

/// Longest source file that is shown.
const BYTES: u64 = 8 << 20;

/// For each row of a text the number of its file and its line; `None` for rows of nothing.
pub(super) struct Places {
    /// Paths by the numbers of the files.
    pub(super) files: Map<u32, String>,
    /// By row.
    pub(super) rows: Vec<Option<(u32, u32)>>,
}

pub(super) fn places(text: &[&str]) -> Places {
    let mut out = Places { files: Map::default(), rows: Vec::with_capacity(text.len()) };
    let mut now = None;
    for line in text {
        let trimmed = line.trim();
        let mut words = trimmed.split_whitespace();
        let row = match words.next() {
            Some(".file") => {
                let number = words.next().and_then(|word| word.parse().ok());
                let path = trimmed.split('"').nth(1);
                out.files.extend(number.zip(path.map(str::to_owned)));
                None
            }
            Some(".loc") => {
                let mut number = || words.next().and_then(|word| word.trim_end_matches(',').parse().ok());
                now = number().zip(number()).filter(|(_, line)| *line != 0);
                None
            }
            Some(word) if word.starts_with('.') || word.starts_with("//") || word == "{" => None,
            Some("}") => {
                now = None;
                None
            }
            Some(_) => now,
            None => None,
        };
        out.rows.push(row);
    }
    // Names of files may follow behind the code.
    for row in &mut out.rows {
        *row = row.filter(|(file, _)| out.files.contains_key(file));
    }
    out
}

/// The last part of a path.
pub(super) fn name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Adds the source files of a text that were opened too, and links their lines with it.
pub(super) fn add(bundle: &Bundle, trace: &mut Trace, to: ListingId, places: &Places) {
    let mut files: Vec<(&u32, &String)> = places.files.iter().collect();
    order::sort(&mut files);
    for (file, path) in files {
        let rows = (0u32..).zip(&places.rows);
        let of_file = rows.filter_map(|(row, place)| Some((row, place.filter(|place| place.0 == *file)?.1)));
        let pairs: Vec<(u32, u32)> = of_file.map(|(row, line)| (line - 1, row)).collect();
        if !pairs.is_empty()
            && let Some(from) = listing(bundle, trace, path)
        {
            trace.code.links.push(Links::new(from, to, pairs));
        }
    }
}

/// The listing of a source file; `None` when it was not opened.
fn listing(bundle: &Bundle, trace: &mut Trace, path: &str) -> Option<ListingId> {
    let is_meant = |listing: &Listing| listing.kind == ListingKind::Source && listing.title == path;
    if let Some(at) = trace.code.listings.iter().position(is_meant) {
        return u32::try_from(at).ok().map(ListingId);
    }
    let (_, entry) =
        bundle.iter().find(|(_, entry)| entry.name() == name(path) && entry.source.len() <= BYTES)?;
    let text = read_range(&*entry.source, 0..entry.source.len()).ok()?;
    let is_python = path.rsplit('.').next().is_some_and(|end| end.eq_ignore_ascii_case("py"));
    trace.code.listings.push(Listing {
        title: path.to_owned(),
        kind: ListingKind::Source,
        scope: CodeScope::default(),
        language: if is_python { "python" } else { "cpp" }.to_owned(),
        lines: Lines::split(&String::from_utf8_lossy(&text)),
        address: Vec::new(),
        columns: Vec::new(),
        has_text: true,
    });
    u32::try_from(trace.code.listings.len() - 1).ok().map(ListingId)
}
