//! 0x01 source text, 0x03 source lines, 0x04 instructions: from blocks to listings with links.
//!
//! Lines and instructions belong together by the address ranges of the lines, both ends included; and, in files whose
//! instructions have version 0, also by the place that is written with each instruction ("path:line", split at the last
//! colon, since paths may have colons).

mod addresses;
mod build;
mod cell;
mod columns;
mod files;
pub mod flat;
mod instructions;
mod settle;
pub mod split;

pub(super) use build::{Built, build};
pub(super) use files::{FilesRead, FilesReader};
pub(super) use instructions::{Assembly, InstructionsReader};

use super::field::Within;
use crate::base::fault::{Fault, Kind, Severity};
use crate::format::sink::Sink;
use crate::input::json::Json;
use crate::model::code::{Cells, CodeScope, Column, Lines, Listing, ListingKind, Rows};
use columns::{Budget, Dtypes};
use files::LineMetrics;
use settle::Settled;
use std::borrow::Cow;
use std::rc::Rc;

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
            sink.fault(fault.note("Invalid bytes are shown as �."));
        }
        self.texts.push((path.to_owned(), Lines::split(&text)));
    }

    /// Adds the metrics of source lines.
    pub(super) fn files(&mut self, read: FilesRead, within: Within, sink: &mut Sink) {
        let FilesRead { cores, metrics, faults } = read;
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
        (assembly, faults): (Assembly, Vec<Fault>),
        version: u8,
        within: Within,
        sink: &mut Sink,
    ) {
        sink.faults_of(faults);
        if !assembly.cores.is_empty() {
            self.cores.clone_from(&assembly.cores);
        }
        self.has_places = version == 0;
        self.assembly = Some(assembly);
        self.within = Some(within);
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
            scope: CodeScope::default(),
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
            let mut old = std::mem::take(values);
            // Each record has one row at most.
            let row = |&record: &u32| old.get_mut(record as usize).map(std::mem::take).unwrap_or_default();
            *values = few.iter().map(row).collect();
        }
    }
    column
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
fn report_columns(within: &Within, columns: &Settled, budget: &Budget, faults: &mut Vec<Fault>) {
    for name in &columns.mistyped {
        let fault = within.odd(name, "values of the column type", "mixed types");
        faults.push(fault.note("Shown as missing."));
    }
    if columns.is_full {
        let what = Cow::Borrowed("metric column cells");
        let kind = Kind::Limit { what, asked: budget.spent + budget.refused, allowed: budget.spent };
        let fault = Fault::new("ASC-LIMIT", Severity::Loss, within.place(""), kind);
        faults.push(fault.note("Some values are not shown: there are far more than the data can hold."));
    }
}
