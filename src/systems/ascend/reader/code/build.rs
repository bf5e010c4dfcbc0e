//! From what the blocks with code held to listings with links, piece by piece.

use super::addresses::Addresses;
use super::settle::PIECE;
use super::{Assembly, Collected, Source};
use crate::base::fault::{Fault, Kind, Severity};
use crate::base::map::Map;
use crate::base::order;
use crate::base::sort::Sorting;
use crate::base::words::{message, phrase};
use crate::format::sink::Sink;
use crate::model::code::{Lines, Links};
use crate::model::id::ListingId;
use crate::systems::ascend::reader::field::Within;
use std::borrow::Cow;
use std::collections::VecDeque;

/// Rows that may be added to sources behind their text, for lines that are only known by their metrics.
const EXTRA_ROWS: u32 = 2_000_000;
/// Most links that are made for each line record and instruction, on average, beyond the first million.
const LINKS_EACH: usize = 64;

/// Why there may be instructions without source.
const NO_SOURCE: &str = phrase(
    "No source text: the kernel was compiled without -g or, with Triton, TRITON_DISABLE_LINE_INFO was set.",
);
/// Why lines may be known without their text.
const NO_TEXT: &str = phrase(
    "The source text is not in the file: the profiler could not find it. Only line numbers are known.",
);
/// Why there may be no links.
const NO_LINKS: &str = phrase(
    "Source and instructions are not linked: the kernel was compiled without -g or, with Triton, TRITON_DISABLE_LINE_INFO was set.",
);

/// A source row and an assembly row that belong together.
type Pair = (u32, u32);

/// Listings and links in the making.
pub(in crate::systems::ascend::reader) struct Build {
    left: Collected,
    texts: Vec<Option<(String, Lines)>>,
    by_text: Map<String, usize>,
    extra: u32,
    sources: Vec<Source>,
    table: Addresses,
    by_path: Map<String, usize>,
    /// For each place of the instructions the source and the row in it.
    places: Vec<Vec<(usize, u32)>>,
    pairs: Vec<Vec<Pair>>,
    /// Links that may be made, and that may still be made.
    limit: usize,
    budget: usize,
    is_full: bool,
    has_links: bool,
    links: VecDeque<Linking>,
    done: Vec<(usize, Vec<Pair>, Vec<Pair>)>,
    stage: Stage,
}

/// What is done next, and from where on.
#[derive(Clone, Copy)]
enum Stage {
    Metrics,
    Texts,
    Addresses { source: usize, at: usize },
    Ranges { source: usize, at: usize },
    Places,
    Rows { at: usize },
    Links,
    Done,
}

/// The links of one source, being sorted: by source first, then by assembly.
struct Linking {
    source: usize,
    by_source: Option<Vec<Pair>>,
    sorting: Sorting<u64>,
}

/// Pairs as numbers are sorted by code that others need too.
fn sorting(pairs: impl Iterator<Item = Pair>) -> Sorting<u64> {
    Sorting::new(pairs.map(order::joined).collect())
}

impl Build {
    /// Everything with code was read.
    pub(in crate::systems::ascend::reader) fn new(mut left: Collected) -> Self {
        let texts: Vec<Option<(String, Lines)>> =
            std::mem::take(&mut left.texts).into_iter().map(Some).collect();
        let by_text = (0..).zip(&texts).filter_map(|(i, t)| Some((t.as_ref()?.0.clone(), i))).collect();
        left.metrics.reverse();
        Self {
            left,
            texts,
            by_text,
            extra: EXTRA_ROWS,
            sources: Vec::new(),
            table: Addresses::default(),
            by_path: Map::default(),
            places: Vec::new(),
            pairs: Vec::new(),
            limit: 0,
            budget: 0,
            is_full: false,
            has_links: false,
            links: VecDeque::new(),
            done: Vec::new(),
            stage: Stage::Metrics,
        }
    }

    /// Does the next piece; false when everything is in the sink.
    pub(in crate::systems::ascend::reader) fn step(&mut self, sink: &mut Sink) -> bool {
        self.stage = match self.stage {
            Stage::Metrics => self.metrics(sink),
            Stage::Texts => self.rest_of_texts(),
            Stage::Addresses { source, at } => self.addresses(source, at),
            Stage::Ranges { source, at } => self.ranges(source, at),
            Stage::Places => self.places(),
            Stage::Rows { at } => self.rows(at),
            Stage::Links => self.links(),
            Stage::Done => {
                self.finish(sink);
                return false;
            }
        };
        true
    }

    /// The next source that has metrics.
    fn metrics(&mut self, sink: &mut Sink) -> Stage {
        let Some(mut metrics) = self.left.metrics.pop() else { return Stage::Texts };
        let text =
            self.by_text.get(&metrics.path).and_then(|&i| self.texts.get_mut(i)).and_then(Option::take);
        let columns = std::mem::take(&mut metrics.columns);
        let mut source = Source::new(metrics.path.clone(), text.map(|(_, lines)| lines));
        let left_out = source.add_metrics(columns, metrics, &mut self.extra);
        if let Some(line) = left_out
            && let Some(within) = &self.left.within_files
        {
            let fault = within.odd(
                &source.listing.title,
                "a line of the source",
                message("line {line}").with("line", line),
            );
            sink.fault(fault.note("Lines far beyond the end of the text are not shown."));
        }
        self.sources.push(source);
        Stage::Metrics
    }

    /// Sources without metrics.
    fn rest_of_texts(&mut self) -> Stage {
        let rest = std::mem::take(&mut self.texts).into_iter().flatten();
        self.sources.extend(rest.map(|(path, lines)| Source::new(path, Some(lines))));
        Stage::Addresses { source: 0, at: 0 }
    }

    /// Some rows of the table of addresses; behind them it is known how many links there may be.
    fn addresses(&mut self, source: usize, at: usize) -> Stage {
        if let Some(from) = self.sources.get(source) {
            return match self.table.add(from, at) {
                Some(at) => Stage::Addresses { source, at },
                None => Stage::Addresses { source: source + 1, at: 0 },
            };
        }
        let Some(assembly) = &self.left.assembly else { return Stage::Done };
        let n_records: usize = self.sources.iter().map(|s| s.line.len()).sum();
        self.limit = 1_000_000 + LINKS_EACH * (n_records + assembly.listing.address.len());
        self.budget = self.limit;
        self.pairs = vec![Vec::new(); self.sources.len()];
        self.by_path = (0..).zip(&self.sources).map(|(i, s)| (s.listing.title.clone(), i)).collect();
        Stage::Ranges { source: 0, at: 0 }
    }

    /// Links of some ranges of addresses.
    fn ranges(&mut self, source: usize, at: usize) -> Stage {
        let (Some(from), Some(pairs), Some(assembly)) =
            (self.sources.get(source), self.pairs.get_mut(source), &self.left.assembly)
        else {
            return if self.left.has_places { Stage::Places } else { Stage::Links };
        };
        let address = &assembly.listing.address;
        let (mut next, mut work) = (at, 0);
        for (record, range) in from.ranges.get(at..).unwrap_or(&[]) {
            if PIECE <= work {
                return Stage::Ranges { source, at: next };
            }
            next += 1;
            let line = from.line.get(*record as usize).and_then(|l| l.checked_sub(1));
            let Some(row) = line else { continue };
            let first = address.partition_point(|a| a < range.start());
            let last = address.partition_point(|a| a <= range.end()).max(first);
            self.is_full |= self.budget < last - first;
            let n = (last - first).min(self.budget);
            self.budget -= n;
            pairs.extend((first..first + n).filter_map(|a| Some((row, u32::try_from(a).ok()?))));
            work += 4 + n;
        }
        Stage::Ranges { source: source + 1, at: 0 }
    }

    /// What some of the places that are written with instructions stand for.
    fn places(&mut self) -> Stage {
        let texts = self.left.assembly.as_ref().map_or(&[][..], |a| a.places.as_slice());
        let from = self.places.len();
        let end = texts.len().min(from.saturating_add(PIECE / 4));
        for text in texts.get(from..end).unwrap_or(&[]) {
            self.places.push(rows_of_place(text, &self.by_path, &self.sources));
        }
        if end < texts.len() { Stage::Places } else { Stage::Rows { at: 0 } }
    }

    /// Links of some instructions by their places.
    fn rows(&mut self, at: usize) -> Stage {
        let place = self.left.assembly.as_ref().map_or(&[][..], |a| a.place.as_slice());
        let end = place.len().min(at.saturating_add(PIECE));
        for (row, place) in (at..end).zip(place.get(at..end).unwrap_or(&[])) {
            let rows = self.places.get(*place as usize).map_or(&[][..], Vec::as_slice);
            self.is_full |= self.budget < rows.len();
            let n = rows.len().min(self.budget);
            self.budget -= n;
            for &(source, line) in rows.iter().take(n) {
                if let (Some(pairs), Ok(row)) = (self.pairs.get_mut(source), u32::try_from(row)) {
                    pairs.push((line, row));
                }
            }
        }
        if end < place.len() { Stage::Rows { at: end } } else { Stage::Links }
    }

    /// Sorts some links.
    fn links(&mut self) -> Stage {
        if !self.pairs.is_empty() {
            let all = std::mem::take(&mut self.pairs).into_iter().enumerate();
            let linked = all.filter(|(_, pairs)| !pairs.is_empty());
            let begin = |(source, pairs): (usize, Vec<Pair>)| Linking {
                source,
                by_source: None,
                sorting: sorting(pairs.into_iter()),
            };
            self.links = linked.map(begin).collect();
            self.has_links = !self.links.is_empty();
        }
        let Some(mut linking) = self.links.pop_front() else { return Stage::Done };
        if linking.sorting.step() {
            self.links.push_front(linking);
            return Stage::Links;
        }
        let mut sorted: Vec<Pair> = linking.sorting.finish().into_iter().map(order::parted).collect();
        if let Some(by_source) = linking.by_source {
            self.done.push((linking.source, by_source, sorted));
        } else {
            sorted.dedup();
            linking.sorting = sorting(sorted.iter().map(|&(s, a)| (a, s)));
            linking.by_source = Some(sorted);
            self.links.push_front(linking);
        }
        Stage::Links
    }

    /// Everything into the sink.
    fn finish(&mut self, sink: &mut Sink) {
        if self.is_full
            && let Some(within) = &self.left.within
        {
            sink.fault(too_many_links(within, self.limit));
        }
        sink.builder.head().tables.extend(self.table.finish());
        let missing = self.missing();
        let code = &mut sink.builder.head().code;
        let n_before = code.listings.len();
        let id = |i: usize| ListingId(u32::try_from(n_before + i).unwrap_or(u32::MAX));
        let assembly = id(self.sources.len());
        for (source, by_source, by_assembly) in self.done.drain(..) {
            code.links.push(Links::of_sorted(id(source), assembly, by_source, by_assembly));
        }
        code.listings.extend(std::mem::take(&mut self.sources).into_iter().map(|s| s.listing));
        code.listings.extend(self.left.assembly.take().map(|a| a.listing));
        if code.cores.is_empty() {
            code.cores = std::mem::take(&mut self.left.cores);
        }
        if code.missing.is_empty() {
            missing.clone_into(&mut code.missing);
        }
    }

    /// Why there is no source text, or why there are no links; empty when there is nothing to explain.
    fn missing(&self) -> &'static str {
        let assembly = self.left.assembly.as_ref();
        let has_instructions = assembly.is_some_and(|a: &Assembly| !a.listing.lines.is_empty());
        if self.sources.is_empty() {
            return if has_instructions { NO_SOURCE } else { "" };
        }
        if !self.sources.iter().any(|s| s.listing.has_text) {
            return NO_TEXT;
        }
        if has_instructions && !self.has_links { NO_LINKS } else { "" }
    }
}

fn too_many_links(within: &Within, limit: usize) -> Fault {
    let what = Cow::Borrowed("links between lines and instructions");
    let kind = Kind::Limit { what, asked: limit as u64 + 1, allowed: limit as u64 };
    let fault = Fault::new("ASC-LIMIT", Severity::Loss, within.place(""), kind);
    fault.note("Some lines show fewer instructions than they have.")
}

/// The source rows that a place such as `/a/b.cpp:23` names; each line of the text is a place.
fn rows_of_place(text: &str, by_path: &Map<String, usize>, sources: &[Source]) -> Vec<(usize, u32)> {
    let one = |place: &str| {
        let (path, line) = place.trim().rsplit_once(':')?;
        let row = line.trim().parse::<u32>().ok()?.checked_sub(1)?;
        let source = *by_path.get(path)?;
        ((row as usize) < sources.get(source)?.listing.lines.len()).then_some((source, row))
    };
    let mut rows: Vec<(usize, u32)> = text.lines().filter_map(one).collect();
    rows.dedup();
    rows
}
