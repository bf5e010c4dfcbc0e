//! From what the blocks with code held to listings with links.

use super::files::LineMetrics;
use super::{Assembly, Collected, PIECE, Source};
use crate::base::fault::{Fault, Kind, Severity};
use crate::base::job::{Turn, pieces};
use crate::base::map::Map;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::base::{order, sort};
use crate::format::Sink;
use crate::model::code::{Lines, Links};
use crate::model::id::ListingId;
use crate::model::{Table, TableCells, TableColumn};
use crate::systems::ascend::reader::field::Within;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::mem::take;
use std::ops::RangeInclusive;

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

/// Listings and links.
#[derive(Default)]
pub(crate) struct Built {
    sources: Vec<Source>,
    assembly: Option<Assembly>,
    addresses: Option<Table>,
    /// The links of sources, sorted by source and by assembly.
    links: Vec<(usize, Vec<Pair>, Vec<Pair>)>,
    cores: Vec<String>,
    faults: Vec<Fault>,
}

/// What becomes of everything with code.
pub(crate) async fn build(left: Collected, turn: &Turn) -> Built {
    let Collected { texts, cores, metrics, assembly, within_files, within, has_places } = left;
    let mut built = Built { cores, ..Built::default() };
    built.add_sources(texts, metrics, within_files.as_ref(), turn).await;
    let mut table = Addresses::default();
    for source in &mut built.sources {
        let mut rows: BTreeMap<u32, Vec<[u64; 2]>> = BTreeMap::new();
        for ranges in source.ranges.chunks(PIECE) {
            table.add(source, ranges);
            for (record, range) in ranges {
                let line = source.line.get(*record as usize).and_then(|line| line.checked_sub(1));
                if let Some(row) = line {
                    rows.entry(row).or_default().push([*range.start(), *range.end()]);
                }
            }
            turn.pause().await;
        }
        source.listing.repeats = repeats(rows);
    }
    built.addresses = table.finish();
    if let Some(assembly) = &assembly {
        let n_records: usize = built.sources.iter().map(|s| s.line.len()).sum();
        let limit = 1_000_000 + LINKS_EACH * (n_records + assembly.listing.address.len());
        let pairs = vec![Vec::new(); built.sources.len()];
        let mut linking = Linking { pairs, budget: limit, is_full: false };
        linking.by_ranges(&built.sources, assembly, turn).await;
        if has_places {
            linking.by_places(&built.sources, assembly, turn).await;
        }
        if linking.is_full {
            built.faults.extend(within.map(|within| too_many_links(&within, limit)));
        }
        built.links = linking.sorted(turn).await;
    }
    built.assembly = assembly;
    built
}

/// The rows whose ranges are those of an earlier row, with the first of these.
fn repeats(rows: BTreeMap<u32, Vec<[u64; 2]>>) -> Vec<(u32, u32)> {
    let mut firsts: Map<Vec<[u64; 2]>, u32> = Map::default();
    let first = |(row, ranges)| (row, *firsts.entry(ranges).or_insert(row));
    rows.into_iter().map(first).filter(|(row, first)| first < row).collect()
}

impl Built {
    /// Adds the sources: those that have metrics, then those without.
    async fn add_sources(
        &mut self,
        texts: Vec<(String, Lines)>,
        all: Vec<LineMetrics>,
        within: Option<&Within>,
        turn: &Turn,
    ) {
        let mut texts: Vec<Option<(String, Lines)>> = texts.into_iter().map(Some).collect();
        let by_text: Map<String, usize> =
            (0..).zip(&texts).filter_map(|(i, t)| Some((t.as_ref()?.0.clone(), i))).collect();
        let mut extra = EXTRA_ROWS;
        for mut metrics in all {
            let text = by_text.get(&metrics.path).and_then(|&i| texts.get_mut(i)).and_then(Option::take);
            let columns = std::mem::take(&mut metrics.columns);
            let mut source = Source::new(metrics.path.clone(), text.map(|(_, lines)| lines));
            let left_out = source.add_metrics(columns, metrics, &mut extra);
            if let (Some(line), Some(within)) = (left_out, within) {
                let found = message("line {line}").with("line", line);
                let fault = within.odd(&source.listing.title, "a source line", found);
                self.faults.push(
                    fault.note(
                        "The source text ends long before this line. Values of such lines are not shown.",
                    ),
                );
            }
            self.sources.push(source);
            turn.pause().await;
        }
        let rest = texts.into_iter().flatten();
        self.sources.extend(rest.map(|(path, lines)| Source::new(path, Some(lines))));
    }

    /// Puts everything into the sink.
    pub(crate) fn finish(self, sink: &mut Sink) {
        let missing = self.missing();
        let Self { sources, assembly, addresses, links, cores, faults } = self;
        sink.faults_of(faults);
        let head = sink.builder.head();
        head.tables.extend(addresses);
        let code = &mut head.code;
        let n_before = code.listings.len();
        let id = |i: usize| ListingId(u32::try_from(n_before + i).unwrap_or(u32::MAX));
        let of_assembly = id(sources.len());
        for (source, by_source, by_assembly) in links {
            code.links.push(Links::of_sorted(id(source), of_assembly, by_source, by_assembly));
        }
        code.listings.extend(sources.into_iter().map(|s| s.listing));
        code.listings.extend(assembly.map(|a| a.listing));
        if code.cores.is_empty() {
            code.cores = cores;
        }
        if code.missing.is_empty() {
            missing.clone_into(&mut code.missing);
        }
    }

    /// Why there is no source text, or why there are no links; empty when there is nothing to explain.
    fn missing(&self) -> &'static str {
        let has_instructions = self.assembly.as_ref().is_some_and(|a| !a.listing.lines.is_empty());
        if self.sources.is_empty() {
            return if has_instructions { NO_SOURCE } else { "" };
        }
        if !self.sources.iter().any(|s| s.listing.has_text) {
            return NO_TEXT;
        }
        if has_instructions && self.links.is_empty() { NO_LINKS } else { "" }
    }
}

/// Links in the making.
struct Linking {
    /// Those of each source.
    pairs: Vec<Vec<Pair>>,
    /// Links that may still be made.
    budget: usize,
    is_full: bool,
}

impl Linking {
    /// How many of `n` links may be made.
    fn spend(&mut self, n: usize) -> usize {
        self.is_full |= self.budget < n;
        let n = n.min(self.budget);
        self.budget -= n;
        n
    }

    /// Links by ranges of addresses.
    async fn by_ranges(&mut self, sources: &[Source], assembly: &Assembly, turn: &Turn) {
        let address = &assembly.listing.address;
        for (at, source) in sources.iter().enumerate() {
            for (record, range) in &source.ranges {
                let line = source.line.get(*record as usize).and_then(|l| l.checked_sub(1));
                let Some(row) = line else { continue };
                let first = address.partition_point(|a| a < range.start());
                let last = address.partition_point(|a| a <= range.end()).max(first);
                let n = self.spend(last - first);
                if let Some(pairs) = self.pairs.get_mut(at) {
                    pairs.extend((first..first + n).filter_map(|a| Some((row, u32::try_from(a).ok()?))));
                }
                if turn.is_over(16 + n) {
                    turn.pause().await;
                }
            }
        }
    }

    /// Links by the places that are written with instructions.
    async fn by_places(&mut self, sources: &[Source], assembly: &Assembly, turn: &Turn) {
        let by_path = (0..).zip(sources).map(|(i, s)| (s.listing.title.clone(), i)).collect();
        // For each place the source and the row in it.
        let mut places: Vec<Vec<(usize, u32)>> = Vec::with_capacity(assembly.places.len());
        for texts in assembly.places.chunks(PIECE / 4) {
            places.extend(texts.iter().map(|text| rows_of_place(text, &by_path, sources)));
            turn.pause().await;
        }
        for piece in pieces(assembly.place.len(), PIECE) {
            for (row, place) in piece.clone().zip(assembly.place.get(piece).unwrap_or(&[])) {
                let rows = places.get(*place as usize).map_or(&[][..], Vec::as_slice);
                let n = self.spend(rows.len());
                for &(source, line) in rows.iter().take(n) {
                    if let (Some(pairs), Ok(row)) = (self.pairs.get_mut(source), u32::try_from(row)) {
                        pairs.push((line, row));
                    }
                }
            }
            turn.pause().await;
        }
    }

    /// The links of each source that has some: by source first, then by assembly.
    async fn sorted(self, turn: &Turn) -> Vec<(usize, Vec<Pair>, Vec<Pair>)> {
        let mut all = Vec::new();
        for (source, pairs) in self.pairs.into_iter().enumerate().filter(|(_, pairs)| !pairs.is_empty()) {
            let mut by_source = sorted(pairs.into_iter(), turn).await;
            by_source.dedup();
            let by_assembly = sorted(by_source.iter().map(|&(s, a)| (a, s)), turn).await;
            all.push((source, by_source, by_assembly));
            turn.pause().await;
        }
        all
    }
}

/// Pairs in order. As numbers they are sorted by code that others need too.
async fn sorted(pairs: impl Iterator<Item = Pair>, turn: &Turn) -> Vec<Pair> {
    let numbers = sort::sorted(pairs.map(order::joined).collect(), turn).await;
    numbers.into_iter().map(order::parted).collect()
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

// The address ranges of source lines as a table: which instructions a line became, also where none of them was kept.

/// Its id.
pub(crate) const ADDRESSES: &str = "line-addresses";

/// The table as it grows.
#[derive(Default)]
struct Addresses {
    file: Vec<String>,
    line: Vec<f64>,
    first: Vec<u64>,
    last: Vec<u64>,
}

impl Addresses {
    /// Adds some ranges of a source.
    pub(super) fn add(&mut self, source: &Source, ranges: &[(u32, RangeInclusive<u64>)]) {
        for (record, range) in ranges {
            let line = source.line.get(*record as usize);
            self.file.push(source.listing.title.clone());
            self.line.push(line.map_or(f64::NAN, |line| f64::from(*line)));
            self.first.push(*range.start());
            self.last.push(*range.end());
        }
    }

    /// The table; nothing when no line has an address.
    pub(super) fn finish(mut self) -> Option<Table> {
        let column =
            |name: &str, unit: Unit, cells: TableCells| TableColumn { name: name.to_owned(), unit, cells };
        let columns = vec![
            column(phrase("Source file"), Unit::None, TableCells::Texts(take(&mut self.file))),
            column(phrase("Line"), Unit::None, TableCells::Numbers(take(&mut self.line))),
            column(phrase("First address"), Unit::Address, TableCells::Integers(take(&mut self.first))),
            column(phrase("Last address"), Unit::Address, TableCells::Integers(take(&mut self.last))),
        ];
        let title = phrase("Source line addresses").to_owned();
        let is_empty = columns.iter().all(|c| c.cells.is_empty());
        (!is_empty).then(|| Table::new(ADDRESSES, title, columns))
    }
}
