//! Lines of source files that instructions come from: `.file 1 "a.cu"` names a file, `.loc 1 8 9` says that the
//! instructions that follow come from its line 8.

use crate::base::map::Map;
use crate::input::bundle::Bundle;
use crate::input::source::read_range;
use crate::model::code::{Lines, Links, Listing, ListingKind};
use crate::model::id::ListingId;
use crate::model::{Trace, code::CodeScope};

/// Longest source file that is shown, and most lines of one that is known by numbers only.
const BYTES: u64 = 8 << 20;
const LINES: u32 = 1 << 20;

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

/// Adds the source files of a text, with their lines where they were opened too, and links them with it.
pub(super) fn add(bundle: &Bundle, trace: &mut Trace, to: ListingId, places: &Places) {
    let mut files: Vec<(&u32, &String)> = places.files.iter().collect();
    files.sort_unstable();
    for (file, path) in files {
        let rows = (0u32..).zip(&places.rows);
        let of_file = rows.filter_map(|(row, place)| Some((row, place.filter(|place| place.0 == *file)?.1)));
        let pairs: Vec<(u32, u32)> =
            of_file.filter(|(_, line)| *line <= LINES).map(|(row, line)| (line - 1, row)).collect();
        let Some(last) = pairs.iter().map(|(line, _)| *line).max() else { continue };
        let from = listing(bundle, trace, path, last);
        trace.code.links.push(Links::new(from, to, pairs));
    }
}

/// The listing of a source file; made when there is none yet, or none with so many lines.
fn listing(bundle: &Bundle, trace: &mut Trace, path: &str, last: u32) -> ListingId {
    let number = |at: usize| ListingId(u32::try_from(at).unwrap_or(u32::MAX));
    let is_meant = |listing: &Listing| listing.kind == ListingKind::Source && listing.title == path;
    let known = trace.code.listings.iter_mut().enumerate().find(|(_, listing)| is_meant(listing));
    if let Some((at, listing)) = known {
        while !listing.has_text && listing.lines.len() <= last as usize {
            listing.lines.push("");
        }
        return number(at);
    }
    let found = bundle.iter().find(|(_, entry)| entry.name() == name(path) && entry.source.len() <= BYTES);
    let text = found.and_then(|(_, entry)| read_range(&*entry.source, 0..entry.source.len()).ok());
    let mut lines = text.as_ref().map_or_else(Lines::default, |t| Lines::split(&String::from_utf8_lossy(t)));
    while text.is_none() && lines.len() <= last as usize {
        lines.push("");
    }
    let is_python = path.rsplit('.').next().is_some_and(|end| end.eq_ignore_ascii_case("py"));
    trace.code.listings.push(Listing {
        title: path.to_owned(),
        kind: ListingKind::Source,
        scope: CodeScope::default(),
        language: if is_python { "python" } else { "cpp" }.to_owned(),
        lines,
        address: Vec::new(),
        columns: Vec::new(),
        has_text: text.is_some(),
    });
    number(trace.code.listings.len() - 1)
}
