//! Where a place of a figure leads: what else of the document says more about it.
//!
//! Figures name it in their own words ([`CoreCell::tracks`](super::CoreCell::tracks), [`GraphArrow::rows`](super::GraphArrow::rows),
//! [`HeatMap::addresses`](super::HeatMap::addresses), [`TableColumn::is_place`](super::TableColumn::is_place)), because a
//! reader does not know what other blocks hold; the front door looks up what of it there is.

use crate::base::time::{Span, Ticks};
use crate::model::id::{ListingId, TrackId};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

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
        title: String,
        /// Numbers of the rows, ascending; never empty.
        rows: Vec<u32>,
    },
    Instructions(Passage),
    Track {
        track: TrackId,
        name: String,
    },
    /// Slices of the timeline that a search finds, or a stretch of time; either may be missing, not both.
    Slices {
        /// What is searched for; empty for nothing.
        search: String,
        /// The stretch that is to be seen.
        span: Option<Span>,
        /// The stretch that is searched; `None` searches everything.
        within: Option<Span>,
    },
    Line {
        path: String,
        /// Line from 1.
        line: u32,
    },
    Execution {
        /// Row of the launch.
        launch: u32,
        execution: u32,
        /// The instruction inside, from 0.
        row: u32,
        name: String,
    },
    /// Another file, which is a document of its own if it was opened together with this one.
    Document {
        /// The run that it is of; empty where none is known.
        run: String,
        /// Its path, as far as it is known.
        path: String,
    },
}

/// Instructions by their addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// What they belong to, such as "Cache line 17", as the name of the thing and its value.
    pub of: (String, String),
    pub listing: ListingId,
    /// What the listing is called, when others have instructions at these addresses too; else empty.
    pub listing_name: String,
    /// First and last address of each range, both inside; ascending, apart from each other, never empty.
    pub ranges: Vec<(u64, u64)>,
    /// Address of the first instruction inside.
    pub first: u64,
    /// How many instructions lie inside.
    pub n: u32,
}

/// In front of a stretch of time, of the stretch that is searched, and of a search in a text that names slices.
const TIME: &str = "time:";
const WITHIN: &str = "in:";
/// Behind a stretch of time: what it is told from in tables.
const SINCE: &str = "since:";
const FIND: &str = "find:";
/// In front of an instruction: number of its listing and its address.
const CODE: &str = "code:";
/// In front of an execution: row of its launch, its own, the instruction inside; and behind a blank what it is called.
const TRACE: &str = "trace:";
/// In front of the name of another file.
const OPEN: &str = "open:";
/// Between the run and the path of a file.
const SEPARATOR: char = '\u{1f}';
/// What parts the path of a file, also of one inside of an archive.
pub const FOLDERS: [char; 3] = ['/', '\\', '!'];

impl Target {
    /// The text that [`Target::of_place`] reads as slices: `time:1000+250 in:0+9000 find:scope:LR PE`.
    pub fn place_of_slices(search: &str, span: Option<Span>, within: Option<Span>) -> String {
        let stretch = |head: &str, span: Span| format!("{head}{}+{}", span.start, span.dur());
        let time = span.map(|span| stretch(TIME, span));
        let within = within.map(|span| stretch(WITHIN, span));
        let find = (!search.is_empty()).then(|| format!("{FIND}{search}"));
        [time, within, find].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// The text of a stretch of time that tables tell from a time on: `time:1000+250 since:900`.
    pub fn place_since(span: Span, since: Ticks) -> String {
        Self::since(&Self::place_of_slices("", Some(span), None), since)
    }

    /// A place whose stretch of time tables tell from a time on: `time:1000+250 since:900 find:a`.
    pub fn since(place: &str, since: Ticks) -> String {
        match place.find(FIND) {
            Some(at) => format!("{}{SINCE}{since} {}", &place[..at], &place[at..]),
            None => format!("{place} {SINCE}{since}"),
        }
    }

    /// The text that [`Target::of_place`] reads as one instruction: `code:3:0x1f0`.
    pub fn place_of_instruction(listing: ListingId, address: u64) -> String {
        format!("{CODE}{}:{address:#x}", listing.0)
    }

    /// The text that [`Target::of_place`] reads as an execution of a block: `trace:0:17:2 warp 3, block 17`.
    pub fn place_of_execution((launch, execution, row): (u32, u32, u32), name: &str) -> String {
        format!("{TRACE}{launch}:{execution}:{row} {name}")
    }

    /// The text that [`Target::of_place`] reads as another file: `open:`, the run, a separator and the path.
    pub fn place_of_document(run: &str, path: &str) -> String {
        format!("{OPEN}{run}{SEPARATOR}{path}")
    }

    fn of_document(text: &str) -> Option<Self> {
        let (run, path) = text.strip_prefix(OPEN)?.split_once(SEPARATOR)?;
        Some(Self::Document { run: run.to_owned(), path: path.to_owned() })
    }

    fn of_execution(text: &str) -> Option<Self> {
        let (numbers, name) = text.strip_prefix(TRACE)?.split_once(' ')?;
        let mut numbers = numbers.split(':').map(str::parse);
        let mut next = || numbers.next()?.ok();
        Some(Self::Execution { launch: next()?, execution: next()?, row: next()?, name: name.to_owned() })
    }

    fn of_instruction(text: &str) -> Option<Self> {
        let (listing, address) = text.strip_prefix(CODE)?.split_once(':')?;
        let first = u64::from_str_radix(address.strip_prefix("0x")?, 16).ok()?;
        let listing = ListingId(listing.parse().ok()?);
        let ranges = vec![(first, first)];
        Some(Self::Instructions(Passage { listing, ranges, first, n: 1, ..Passage::default() }))
    }

    /// What a text that names a place looks like in a table: an instruction as its address; an execution as what it is called; a stretch of time as the seconds of its start, as in the rows
    /// of the file or from where it says; a search as what it is for; everything else as it is.
    pub fn shown(text: &str) -> Cow<'_, str> {
        if let Some(Self::Document { run, path }) = Self::of_document(text) {
            let file = path.rsplit(FOLDERS).next().unwrap_or(&path);
            return if run.is_empty() { file.to_owned() } else { format!("{run} · {file}") }.into();
        }
        match Self::of_slices(text) {
            Some(Self::Slices { span: Some(span), .. }) => {
                let head = text.split(FIND).next().unwrap_or(text);
                let since = head.split_once(SINCE).and_then(|(_, since)| since.trim_end().parse().ok());
                let start = span.start.saturating_sub(since.unwrap_or(0));
                let sign = if start < 0 { "-" } else { "" };
                let nanos = start.unsigned_abs();
                format!("{sign}{}.{:06}", nanos / 1_000_000_000, nanos / 1_000 % 1_000_000).into()
            }
            Some(Self::Slices { search, .. }) => search.into(),
            _ => match Self::of_instruction(text).or_else(|| Self::of_execution(text)) {
                Some(Self::Instructions(Passage { first, .. })) => format!("{first:#x}").into(),
                Some(Self::Execution { name, .. }) => name.into(),
                _ => text.into(),
            },
        }
    }

    fn of_slices(text: &str) -> Option<Self> {
        let (span, rest) = stretch(text, TIME)?;
        let (within, rest) = stretch(rest, WITHIN)?;
        let rest = rest.strip_prefix(SINCE).map_or(rest, |rest| rest.split_once(' ').unwrap_or_default().1);
        let search = rest.strip_prefix(FIND).unwrap_or_default().to_owned();
        (span.is_some() || !search.is_empty()).then_some(Self::Slices { search, span, within })
    }

    /// What a text leads to: the line of source that a text like `src/kernel.cpp:17` names, an instruction, an execution,
    /// or slices of the timeline; `None` when it names nothing.
    pub fn of_place(text: &str) -> Option<Self> {
        if [TIME, WITHIN, FIND].iter().any(|head| text.starts_with(head)) {
            return Self::of_slices(text);
        }
        if text.starts_with(OPEN) {
            return Self::of_document(text);
        }
        if text.starts_with(CODE) {
            return Self::of_instruction(text);
        }
        if text.starts_with(TRACE) {
            return Self::of_execution(text);
        }
        let (path, line) = text.rsplit_once(':')?;
        let line = line.parse().ok().filter(|&line| 0 < line)?;
        (!path.is_empty()).then(|| Self::Line { path: path.to_owned(), line })
    }
}

/// The stretch of time at the head of a text, if there is one, and the rest; `None` when it cannot be read.
fn stretch<'a>(text: &'a str, head: &str) -> Option<(Option<Span>, &'a str)> {
    let Some(rest) = text.strip_prefix(head) else { return Some((None, text)) };
    let (time, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let (start, len) = time.split_once('+')?;
    let (start, len) = (start.parse::<Ticks>().ok()?, len.parse::<Ticks>().ok()?);
    Some((Some(Span::new(start, start.saturating_add(len))), rest))
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
