//! 0x01 source text, 0x03 source lines, 0x04 instructions: from blocks to listings with links.
//!
//! Lines and instructions belong together by the address ranges of the lines, both ends included; and, in files whose
//! instructions have version 0, also by the place that is written with each instruction ("path:line", split at the last
//! colon, since paths may have colons).

mod cell;
mod columns;
mod files;
mod instructions;
mod split;

pub(super) use files::FilesReader;
pub(super) use instructions::{Assembly, InstructionsReader};

use super::field::Within;
use crate::base::fault::{Fault, Kind, Severity};
use crate::base::map::Map;
use crate::format::sink::Sink;
use crate::input::json::Json;
use crate::model::code::{Cells, Column, Lines, Links, Listing, ListingKind, Rows};
use crate::model::id::ListingId;
use columns::{Budget, Columns, Dtypes};
use files::LineMetrics;
use std::borrow::Cow;
use std::rc::Rc;

/// Rows that may be added to sources behind their text, for lines that are only known by their metrics.
const EXTRA_ROWS: u32 = 2_000_000;
/// Most links that are made for each line record and instruction, on average, beyond the first million.
const LINKS_EACH: usize = 64;

/// Why there may be instructions without source.
const NO_SOURCE: &str = "There are instructions but no source text: the kernel was compiled without -g, or, with Triton, TRITON_DISABLE_LINE_INFO was set.";
/// Why lines may be known without their text.
const NO_TEXT: &str = "The lines that ran are known, but the text of the source is not in the file: the writer could not find it when it collected the profile.";
/// Why there may be no links.
const NO_LINKS: &str = "Source and instructions are not linked: the kernel was compiled without -g, or, with Triton, TRITON_DISABLE_LINE_INFO was set.";

/// What the blocks with code held, until all of them were read.
#[derive(Default)]
pub(super) struct Collected {
    texts: Vec<(String, Lines)>,
    cores: Vec<String>,
    metrics: Vec<LineMetrics>,
    assembly: Option<Assembly>,
    /// Where the lines are, for faults about them.
    within_files: Option<Within>,
    /// Where the instructions are, for faults about links.
    within: Option<Within>,
    has_places: bool,
}

impl Collected {
    /// Adds the text of a source.
    pub(super) fn source(&mut self, path: &str, bytes: &[u8], within: &Within, sink: &mut Sink) {
        let text = String::from_utf8_lossy(bytes);
        if let Err(error) = std::str::from_utf8(bytes) {
            let mut place = within.place("");
            place.byte = Some(within.byte + error.valid_up_to() as u64);
            let fault = Fault::new("ASC-TEXT", Severity::Note, place, Kind::NotText);
            sink.fault(fault.note("Bytes that are no text are shown as �."));
        }
        self.texts.push((path.to_owned(), Lines::split(&text)));
    }

    /// Adds the metrics of source lines.
    pub(super) fn files(&mut self, reader: FilesReader, within: Within, sink: &mut Sink) {
        let (cores, metrics, faults) = reader.finish();
        sink.faults_of(faults);
        if self.cores.is_empty() {
            self.cores = cores;
        }
        self.metrics = metrics;
        self.within_files = Some(within);
    }

    /// Adds the instructions; `version` is the version byte of their block.
    pub(super) fn instructions(
        &mut self,
        reader: InstructionsReader,
        version: u8,
        within: Within,
        sink: &mut Sink,
    ) {
        let (assembly, faults) = reader.finish();
        sink.faults_of(faults);
        if !assembly.cores.is_empty() {
            self.cores.clone_from(&assembly.cores);
        }
        self.has_places = version == 0;
        self.assembly = Some(assembly);
        self.within = Some(within);
    }

    /// Makes listings and links of everything.
    pub(super) fn build(self, sink: &mut Sink) {
        let Self { texts, cores, metrics, assembly, within_files, within, has_places } = self;
        let n_before = sink.builder.trace().code.listings.len();
        let mut texts: Vec<Option<(String, Lines)>> = texts.into_iter().map(Some).collect();
        let by_path: Map<String, usize> =
            (0..).zip(&texts).filter_map(|(i, t)| Some((t.as_ref()?.0.clone(), i))).collect();
        let mut sources: Vec<Source> = Vec::new();
        let mut extra = EXTRA_ROWS;
        for mut metrics in metrics {
            let text = by_path.get(&metrics.path).and_then(|&i| texts.get_mut(i)).and_then(Option::take);
            let columns = std::mem::take(&mut metrics.columns);
            let mut source = Source::new(metrics.path.clone(), text.map(|(_, lines)| lines));
            let left_out = source.add_metrics(columns, metrics, &mut extra);
            if let Some(line) = left_out
                && let Some(within) = &within_files
            {
                let fault = within.odd(&source.listing.title, "a line of the source", format!("line {line}"));
                sink.fault(fault.note("Lines far behind the end of the text are not shown."));
            }
            sources.push(source);
        }
        sources.extend(texts.into_iter().flatten().map(|(path, lines)| Source::new(path, Some(lines))));
        let pairs = assembly.as_ref().map(|a| link(&sources, a, has_places)).unwrap_or_default();
        let missing = missing(&sources, assembly.as_ref(), &pairs.of_source);
        if pairs.is_full
            && let Some(within) = &within
        {
            let kind = Kind::Limit {
                what: Cow::Borrowed("links between lines and instructions"),
                asked: pairs.limit as u64 + 1,
                allowed: pairs.limit as u64,
            };
            let fault = Fault::new("ASC-LIMIT", Severity::Loss, within.place(""), kind);
            sink.fault(fault.note("Some lines show fewer instructions than belong to them."));
        }
        let code = &mut sink.builder.head().code;
        let id = |i: usize| ListingId(u32::try_from(n_before + i).unwrap_or(u32::MAX));
        let assembly_id = id(sources.len());
        for (i, pairs) in (0..).zip(pairs.of_source).filter(|(_, pairs)| !pairs.is_empty()) {
            code.links.push(Links::new(id(i), assembly_id, pairs));
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
}

/// One source with what links it.
struct Source {
    listing: Listing,
    /// Line number of each record.
    line: Vec<u32>,
    ranges: Vec<(u32, std::ops::RangeInclusive<u64>)>,
}

impl Source {
    fn new(path: String, lines: Option<Lines>) -> Self {
        let has_text = lines.is_some();
        let listing = Listing {
            language: language(&path).to_owned(),
            title: path,
            kind: ListingKind::Source,
            lines: lines.unwrap_or_default(),
            address: Vec::new(),
            columns: Vec::new(),
            has_text,
        };
        Self { listing, line: Vec::new(), ranges: Vec::new() }
    }

    /// Gives the lines their metrics. A line behind the text gets an empty row, as long as `extra` rows are left; the
    /// first line that gets none is returned.
    fn add_metrics(&mut self, columns: Vec<Column>, metrics: LineMetrics, extra: &mut u32) -> Option<u32> {
        let n_lines = u32::try_from(self.listing.lines.len()).unwrap_or(u32::MAX);
        let last = n_lines.saturating_add(*extra);
        let wanted = metrics.line.iter().copied().filter(|&l| l <= last).max().unwrap_or(0).max(n_lines);
        *extra -= wanted - n_lines;
        for _ in n_lines..wanted {
            self.listing.lines.push("");
        }
        let mut record_of_row = vec![Rows::NONE; wanted as usize];
        for (record, &line) in (0u32..).zip(&metrics.line) {
            let row = (line as usize).checked_sub(1);
            // When a line stands twice the first one counts, as its cells may not be added up (rates, maxima).
            if let Some(slot) = row.and_then(|r| record_of_row.get_mut(r)).filter(|r| **r == Rows::NONE) {
                *slot = record;
            }
        }
        let few: Rc<[u32]> = record_of_row.into();
        self.listing.columns = columns.into_iter().map(|c| spread(c, &few)).collect();
        let beyond = metrics.line.iter().copied().find(|&l| wanted < l);
        self.line = metrics.line;
        self.ranges = metrics.ranges;
        beyond
    }
}

/// The same column, its records at the rows that have one.
fn spread(mut column: Column, few: &Rc<[u32]>) -> Column {
    match &mut column.cells {
        Cells::Numbers { rows, .. } | Cells::Texts { rows, .. } | Cells::Parts { rows, .. } => {
            *rows = Rows::Few(Rc::clone(few));
        }
        Cells::Registers { values } => {
            let old = std::mem::take(values);
            let row = |&record: &u32| old.get(record as usize).cloned().unwrap_or_default();
            *values = few.iter().map(row).collect();
        }
    }
    column
}

/// Pairs of (source row, assembly row) for each source.
#[derive(Default)]
struct Pairs {
    of_source: Vec<Vec<(u32, u32)>>,
    limit: usize,
    is_full: bool,
}

fn link(sources: &[Source], assembly: &Assembly, has_places: bool) -> Pairs {
    let address = &assembly.listing.address;
    let n_records: usize = sources.iter().map(|s| s.line.len()).sum();
    let limit = 1_000_000 + LINKS_EACH * (n_records + address.len());
    let mut left = limit;
    let mut of_source: Vec<Vec<(u32, u32)>> = vec![Vec::new(); sources.len()];
    let mut is_full = false;
    for (source, pairs) in sources.iter().zip(&mut of_source) {
        for (record, range) in &source.ranges {
            let Some(row) = source.line.get(*record as usize).and_then(|l| l.checked_sub(1)) else {
                continue;
            };
            let from = address.partition_point(|a| a < range.start());
            let to = address.partition_point(|a| a <= range.end()).max(from);
            is_full |= left < to - from;
            let n = (to - from).min(left);
            left -= n;
            pairs.extend((from..from + n).filter_map(|a| Some((row, u32::try_from(a).ok()?))));
        }
    }
    if has_places {
        let by_path: Map<&str, usize> =
            (0..).zip(sources).map(|(i, s)| (s.listing.title.as_str(), i)).collect();
        let places: Vec<Vec<(usize, u32)>> =
            assembly.places.iter().map(|text| rows_of_place(text, &by_path, sources)).collect();
        for (row, place) in (0u32..).zip(&assembly.place) {
            let rows = places.get(*place as usize).map_or(&[][..], Vec::as_slice);
            is_full |= left < rows.len();
            let n = rows.len().min(left);
            left -= n;
            for &(source, line) in rows.iter().take(n) {
                if let Some(pairs) = of_source.get_mut(source) {
                    pairs.push((line, row));
                }
            }
        }
    }
    Pairs { of_source, limit, is_full }
}

/// The source rows that a place such as `/a/b.cpp:23` names; each line of the text is a place.
fn rows_of_place(text: &str, by_path: &Map<&str, usize>, sources: &[Source]) -> Vec<(usize, u32)> {
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

/// Why there is no source text, or why there are no links; empty when there is nothing to explain.
fn missing(sources: &[Source], assembly: Option<&Assembly>, links: &[Vec<(u32, u32)>]) -> &'static str {
    let has_instructions = assembly.is_some_and(|a| !a.listing.lines.is_empty());
    let has_text = sources.iter().any(|s| s.listing.has_text);
    if sources.is_empty() {
        return if has_instructions { NO_SOURCE } else { "" };
    }
    if !has_text {
        return NO_TEXT;
    }
    if has_instructions && links.iter().all(Vec::is_empty) { NO_LINKS } else { "" }
}

/// The language of a source by the end of its name.
fn language(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, end)| end) {
        Some("py") => "python",
        Some("cpp" | "cc" | "cxx" | "c" | "h" | "hpp" | "hxx" | "cce" | "asc" | "inl") => "cpp",
        _ => "",
    }
}

/// Names of the cores.
fn cores(json: &Json) -> Vec<String> {
    json.items().iter().map(|core| core.as_text().unwrap_or("").to_owned()).collect()
}

/// The table of types; `rows` is the name of the list it is for.
fn dtypes(json: &Json, rows: &str) -> Dtypes {
    let table = json.get(rows).unwrap_or(json);
    table.members().iter().filter_map(|(name, dtype)| Some((name.to_string(), dtype.as_i64()?))).collect()
}

/// A hexadecimal number, with or without its prefix.
fn hexadecimal(text: &str) -> Option<u64> {
    let digits = text.trim();
    let digits = digits.strip_prefix("0x").or(digits.strip_prefix("0X")).unwrap_or(digits);
    u64::from_str_radix(digits, 16).ok()
}

/// Says which columns have values of another type, and whether some were left out.
fn say_columns(within: &Within, columns: &Columns, budget: &Budget, faults: &mut Vec<Fault>) {
    for name in &columns.mistyped {
        let fault = within.odd(name, "values of the column's type", "others among them");
        faults.push(fault.note("They are shown as missing."));
    }
    if columns.is_full {
        let what = Cow::Borrowed("cells of metric columns");
        let kind = Kind::Limit { what, asked: budget.spent + budget.refused, allowed: budget.spent };
        let fault = Fault::new("ASC-LIMIT", Severity::Loss, within.place(""), kind);
        faults.push(
            fault.note("Some values are not shown: they are far more than the bytes that stand for them."),
        );
    }
}
