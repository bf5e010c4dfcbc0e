//! Where a place of a figure leads: what else of the document says more about it.
//!
//! Figures name it in their own words ([`CoreCell::tracks`](super::CoreCell::tracks), [`GraphArrow::rows`](super::GraphArrow::rows),
//! [`HeatMap::addresses`](super::HeatMap::addresses), [`TableColumn::is_place`](super::TableColumn::is_place)), because a
//! reader does not know what other blocks hold; the front door looks up what of it there is.

use crate::model::id::TrackId;
use serde::{Deserialize, Serialize};

/// Rows of a table figure, as another figure names them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowsOf {
    /// Id of the family.
    pub table: String,
    /// What the cells that name a row have: this number, or this word in any case.
    pub key: String,
}

/// Something of a document that can be gone to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Target {
    /// Rows of a figure that is a table.
    Rows {
        /// Id of the family.
        id: String,
        /// Its title.
        title: String,
        /// Numbers of the rows, ascending; never empty.
        rows: Vec<u32>,
    },
    /// Instructions.
    Instructions(Passage),
    /// A track of the timeline.
    Track {
        /// The track.
        track: TrackId,
        /// Its name.
        name: String,
    },
    /// A line of source.
    Line {
        /// Path of the file.
        path: String,
        /// Line from 1.
        line: u32,
    },
}

/// Instructions by their addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// What they belong to, such as "Cache line 17", as the name of the thing and its value.
    pub of: (String, String),
    /// First and last address of each range, both inside; ascending, apart from each other, never empty.
    pub ranges: Vec<(u64, u64)>,
    /// Address of the first instruction inside.
    pub first: u64,
    /// How many instructions lie inside.
    pub n: u32,
}

impl Target {
    /// The line of source that a text like `src/kernel.cpp:17` names; `None` when it names none.
    pub fn of_place(text: &str) -> Option<Self> {
        let (path, line) = text.rsplit_once(':')?;
        let line = line.parse().ok().filter(|&line| 0 < line)?;
        (!path.is_empty()).then(|| Self::Line { path: path.to_owned(), line })
    }
}

/// Ranges like `0x1000–0x1010, 0x2000–0x2000` in ascending order, those that touch or overlap as one; what is no range
/// is left out. Both ends are inside.
pub fn ranges(text: &str) -> Vec<(u64, u64)> {
    let address = |text: &str| {
        let text = text.trim();
        u64::from_str_radix(text.trim_start_matches("0x").trim_start_matches("0X"), 16).ok()
    };
    let range = |part: &str| {
        let (from, to) = part.split_once('–')?;
        let (from, to) = (address(from)?, address(to)?);
        (from <= to).then_some((from, to))
    };
    let mut all: Vec<(u64, u64)> = text.split(',').filter_map(range).collect();
    all.sort_unstable();
    let mut out: Vec<(u64, u64)> = Vec::with_capacity(all.len());
    for (from, to) in all {
        match out.last_mut() {
            Some(last) if from <= last.1.saturating_add(1) => last.1 = last.1.max(to),
            _ => out.push((from, to)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_ordered_and_joined() {
        let text = "0x2000–0x2010, 0x1000–0x1010, 2011–0x2014, nothing, 0x9–0x8, 0x1004–0x1008";
        assert_eq!(ranges(text), [(0x1000, 0x1010), (0x2000, 0x2014)]);
        assert_eq!(ranges(""), []);
    }

    #[test]
    fn a_place_is_a_path_and_a_line() {
        let line = |path: &str, line| Some(Target::Line { path: path.to_owned(), line });
        assert_eq!(Target::of_place("C:\\op\\a.cpp:17"), line("C:\\op\\a.cpp", 17));
        assert_eq!(Target::of_place("a.cpp:0"), None);
        assert_eq!(Target::of_place("a.cpp"), None);
    }
}
