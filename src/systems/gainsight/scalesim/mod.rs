//! Results of SCALE-Sim, a simulator of systolic arrays: reports of layers, and traces of their buffers.
//!
//! ```text
//! run/COMPUTE_REPORT.csv  BANDWIDTH_REPORT.csv  DETAILED_ACCESS_REPORT.csv  input_config.cfg
//! run/layer0/IFMAP_DRAM_TRACE.csv    -192.0,0.0,1.0,2.0,…     cycle, words that move between memory and buffer
//! run/layer0/IFMAP_SRAM_TRACE.csv    9,0,-1,-1,…              cycle, words that move between buffer and array
//! ```
//! IFMAP and FILTER are written from memory and read by the array, OFMAP is written by the array and read to memory. All
//! files of a folder are one run; the two traces of a buffer are read side by side, as their cycles ascend.
//!
//! | what stands there | what becomes of it |
//! | --- | --- |
//! | −1 | no access |
//! | 1 at the end of rows of what memory brings | fills up rows that fetch less: left out unless asked for |
//! | cycles below 0 | fetched before the array begins |
//! | a folder without traces | its reports alone: the simulator deletes traces unless told otherwise |

mod figures;
mod reading;
pub(super) mod rules;

use crate::analysis::contract::Analysis;
use crate::base::fault::{Fault, Kind, Place, Severity, excerpt};
use crate::base::map::Map;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::format::{Claim, Degree, Format, Probe, ProbeResult, Probed, Sink, unreadable};
use crate::input::{Bundle, Entry, EntryId, read_range};
use crate::model::Trace;
use crate::model::parameter::{Parameter, ParameterKind};
use crate::systems::gainsight::{Grid, Line, Lines};
use crate::views::lifetimes::compute::Level;
use crate::views::lifetimes::compute::parameters::LIFETIME;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

/// The format.
pub(crate) static FORMAT: Format = Format {
    id: "scalesim",
    title: phrase("SCALE-Sim results"),
    written_by: "SCALE-Sim, version 2",
    patterns: &["*_REPORT.csv", "*_SRAM_TRACE.csv", "*_DRAM_TRACE.csv", "*.cfg"],
    shows: "Layer cycles, utilization and bandwidth, buffer lifetimes and accesses",
    source: "github.com/scalesim-project/scale-sim-v2, and runs of it",
    probe: Probe { look, join: Some(join) },
    parameters: &[&KEEP_PADDING, &WORD_BYTES, &LIFETIME],
    read: |claim, values| Box::new(reading::Folder::new(claim, values)),
    slices: None,
    mode_note: None,
    operators: None,
};

/// The figures.
pub(crate) static ANALYSIS: Analysis = Analysis {
    id: "scalesim",
    title: phrase("Systolic array"),
    parameters: &[],
    applies: |trace| trace.extensions.get::<Runs>().is_some(),
    tap: None,
    start: None,
    add_tracks: None,
    faults: None,
    figures: figures::figures,
    advice: None,
    is_comparable: true,
};

/// Whether cells that only fill up rows count.
pub(super) static KEEP_PADDING: Parameter = Parameter {
    id: "keep-padding",
    title: phrase("Keep padding"),
    help: phrase("count the 1s that pad rows of memory traces as accesses"),
    kind: ParameterKind::Flag,
    rereads: true,
};

/// Bytes of a word: traces count words, the configuration bytes.
pub(super) static WORD_BYTES: Parameter = Parameter {
    id: "word-bytes",
    title: phrase("Bytes per word"),
    help: phrase("buffer sizes come from the configuration, which uses bytes; traces use words"),
    kind: ParameterKind::Number { unit: Unit::Bytes, min: 1.0, max: 4096.0, default: 1.0, none: "" },
    rereads: true,
};

/// Roles of files.
mod role {
    /// A report of layers.
    pub(super) const REPORT: &str = "report";
    /// What moves between a buffer and the array or memory.
    pub(super) const TRACE: &str = "trace";
    /// The configuration.
    pub(super) const SETTINGS: &str = "configuration";
}

/// How much of a file is looked at.
const LOOK: u64 = 4_096;

/// The buffer of a trace and whether it is the side of the memory, by the name of its file.
fn trace_of(name: &str) -> Option<(usize, bool)> {
    let (buffer, side) = name.strip_suffix("_TRACE.csv")?.split_once('_')?;
    let buffer = BUFFERS.iter().position(|known| *known == buffer)?;
    match side {
        "DRAM" => Some((buffer, true)),
        "SRAM" => Some((buffer, false)),
        _ => None,
    }
}

/// The folder of the run that a file belongs to, and the layer when it lies in the folder of one.
fn place_of(path: &str) -> (&str, Option<u64>) {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let (above, own) = folder.rsplit_once('/').unwrap_or(("", folder));
    match own.strip_prefix("layer").and_then(|number| number.parse().ok()) {
        Some(layer) => (above, Some(layer)),
        None => (folder, None),
    }
}

fn look(entry: &Entry) -> ProbeResult {
    let is_trace = trace_of(entry.name()).is_some();
    let head = read_range(&*entry.source, 0..LOOK).map_err(|e| (0, unreadable(&e.0)))?;
    let text = String::from_utf8_lossy(&head);
    let text = text.trim_start_matches('\u{feff}');
    let first = text.lines().next().unwrap_or("");
    if report_kind(first).is_some() {
        return Ok((Degree::Certain, role::REPORT, message("a layer report header")));
    }
    if is_trace {
        // The first row may be longer than what is looked at.
        let line = if first.len() as u64 == LOOK {
            first.rsplit_once(',').map_or("", |(all, _)| all)
        } else {
            first
        };
        return if row(line.as_bytes(), &mut Vec::new()).is_some() {
            Ok((Degree::Certain, role::TRACE, message("the name of a trace, and a cycle with addresses")))
        } else {
            Err((60, message("line 1: expected a cycle and addresses")))
        };
    }
    let has = |key: &str| text.contains(key);
    if has("[general]") && has("run_name") && has("ArrayHeight") {
        return Ok((Degree::Likely, role::SETTINGS, message("the configuration of a run")));
    }
    Err((0, message("line 1: expected LayerID")))
}

/// One claim for each folder of a run, with all of its files. A configuration alone is none.
fn join(bundle: &Bundle, probed: &mut Probed) {
    let mut folders: Vec<Claim> = Vec::new();
    let mut known: Map<&str, usize> = Map::default();
    for claim in std::mem::take(&mut probed.claims) {
        let Some(entry) = claim.entries.first().and_then(|(id, _)| bundle.get(*id)) else { continue };
        let at = *known.entry(place_of(&entry.path).0).or_insert(folders.len());
        match folders.get_mut(at) {
            Some(known) => {
                if known.degree < claim.degree {
                    (known.degree, known.reason) = (claim.degree, claim.reason);
                }
                known.entries.extend(claim.entries);
            }
            None => folders.push(claim),
        }
    }
    folders.retain(|claim| claim.entries.iter().any(|(_, role)| *role != role::SETTINGS));
    probed.claims = folders;
}

// What was read of runs. Lifetimes stand in the tables that all systems share; the rest stands here.

/// Names of the buffers, in the order of the levels.
const BUFFERS: [&str; 3] = ["IFMAP", "FILTER", "OFMAP"];

/// What the configuration calls their sizes, in KiB.
const SIZES: [&str; 3] = ["IfmapSramSzkB", "FilterSramSzkB", "OfmapSramSzkB"];

/// All runs that were opened.
#[derive(Default)]
struct Runs(Vec<ArrayRun>);

/// Whether there are results of an array.
pub(super) fn has_reports(trace: &Trace) -> bool {
    trace.extensions.get::<Runs>().is_some_and(|runs| !runs.0.is_empty())
}

/// One run: a folder with reports and traces.
#[derive(Default)]
struct ArrayRun {
    /// Its folder, or what the configuration calls it.
    name: String,
    /// The reports, by kind as in [`KINDS`].
    reports: [Option<Report>; 3],
    /// What the configuration says, in its order.
    settings: Vec<(String, String)>,
    /// What the traces of each layer tell.
    layers: BTreeMap<u64, [Option<Buffer>; 3]>,
}

/// What the traces of a buffer tell.
struct Buffer {
    /// Counts and lifetimes; copied to the shared tables.
    level: Level,
    /// Writes and reads over cycles and words.
    maps: [Grid; 2],
    /// First and last cycle of an access.
    span: Option<(i64, i64)>,
    /// Writes that were replaced without being read.
    replaced: u64,
    /// Cells that only fill up rows and were left out.
    padding: u64,
}

// A row of a trace: a cycle, then a fixed number of addresses, −1 where nothing was accessed.
//
// A buffer fetches so many words at a time, in so many cycles, as wide as that needs. Where one fetch is wider than others
// the rows of those are filled up with 1. A fetch has no address twice, and begins in the first column.

/// A row that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CycleRow {
    /// When.
    pub cycle: i64,
    /// Columns behind the cycle.
    pub width: usize,
    /// How many of the last columns are 1; the first column is not among them.
    pub ones: usize,
    /// Whether −1 is before them: then nothing more was fetched.
    pub is_over: bool,
}

/// Reads a row; what it accesses is added to `to`. `None` when it is damaged, and then nothing is added.
pub fn row(line: &[u8], to: &mut Vec<u64>) -> Option<CycleRow> {
    let begin = to.len();
    let line = line.trim_ascii_end();
    let mut cells = line.strip_suffix(b",").unwrap_or(line).split(|byte| *byte == b',');
    let cycle = number(cells.next()?)?;
    let mut row = CycleRow { cycle, width: 0, ones: 0, is_over: false };
    for cell in cells {
        let Some(address) = number(cell).filter(|address| -1 <= *address) else {
            to.truncate(begin);
            return None;
        };
        if address == 1 && 0 < row.width {
            row.ones += 1;
        } else {
            (row.ones, row.is_over) = (0, address == -1);
        }
        row.width += 1;
        to.extend(u64::try_from(address));
    }
    (0 < row.width).then_some(row)
}

/// A whole number, which may be written as `10000003.0`.
fn number(cell: &[u8]) -> Option<i64> {
    let cell = cell.trim_ascii();
    let (is_negative, digits) = cell.strip_prefix(b"-").map_or((false, cell), |rest| (true, rest));
    let whole = digits.iter().position(|byte| *byte == b'.').unwrap_or(digits.len());
    let (whole, rest) = digits.split_at(whole);
    let is_plain = rest.iter().skip(1).all(|byte| *byte == b'0') && !whole.is_empty();
    if is_plain && whole.len() < 19 && whole.iter().all(u8::is_ascii_digit) {
        let value = whole.iter().fold(0_i64, |sum, digit| sum * 10 + i64::from(digit - b'0'));
        return Some(if is_negative { -value } else { value });
    }
    // Other ways of writing whole numbers, such as 1e7.
    let value: f64 = std::str::from_utf8(cell).ok()?.parse().ok()?;
    #[allow(clippy::cast_possible_truncation)] // it was looked at
    (value.fract() == 0.0 && value.abs() < 9e15).then_some(value as i64)
}

// The reports of a run: tables with commas, a row for each layer; and its configuration.

/// How each kind of report begins, behind `LayerID`.
const KINDS: [&str; 3] = ["Total Cycles", "Avg IFMAP SRAM BW", "SRAM IFMAP Start Cycle"];

/// A report.
#[derive(Clone, Debug, Default, PartialEq)]
struct Report {
    /// Heads behind that of the layer, without units.
    heads: Vec<(String, Unit)>,
    /// Number of the layer and what is said of it; as many cells as there are heads.
    rows: Vec<(u64, Vec<Option<f64>>)>,
}

/// Most columns that are read.
const COLUMNS: usize = 256;

/// The cells of a row, without the comma that ends it.
fn cells(line: &str) -> impl Iterator<Item = &str> {
    let line = line.trim();
    line.strip_suffix(',').unwrap_or(line).split(',').map(str::trim).take(COLUMNS)
}

/// The kind of a report by its first line.
fn report_kind(line: &str) -> Option<usize> {
    let mut cells = cells(line);
    let first = cells.next().filter(|cell| *cell == "LayerID").and(cells.next())?;
    KINDS.iter().position(|kind| *kind == first)
}

fn head(kind: usize, cell: &str) -> (String, Unit) {
    let unit = match kind {
        _ if cell.ends_with(" %") => Unit::Percent,
        _ if cell.ends_with("Cycle") || cell.ends_with("Cycles") => Unit::Cycles,
        1 => Unit::PerCycle,
        _ => Unit::None,
    };
    (cell.strip_suffix(" %").unwrap_or(cell).to_owned(), unit)
}

impl Report {
    /// Reads a report.
    fn read(bytes: &[u8], kind: usize, path: &str, sink: &mut Sink) -> Self {
        let (mut report, mut lines) = (Self::default(), Lines::default());
        let mut rows = Vec::new();
        let mut take = |line: crate::systems::gainsight::Line| {
            rows.push((String::from_utf8_lossy(line.bytes).into_owned(), line.at, line.number));
        };
        lines.feed(bytes, &mut take);
        lines.finish(&mut take);
        for (text, at, number) in rows {
            if number == 1 {
                report.heads = cells(&text).skip(1).map(|cell| head(kind, cell)).collect();
                continue;
            }
            let place = || Place::byte(path, at).line(number, 1);
            let Some(layer) = cells(&text).next().and_then(|cell| cell.parse().ok()) else {
                if !text.trim().is_empty() {
                    let expected = phrase("a layer number").into();
                    let kind = Kind::Unexpected { expected, found: excerpt(text.as_bytes()).into() };
                    let fault = Fault::new("SCS-REPORT", Severity::Loss, place(), kind);
                    sink.fault(fault.note(phrase("The row is skipped.")));
                }
                continue;
            };
            let mut values: Vec<Option<f64>> = cells(&text).skip(1).map(|cell| cell.parse().ok()).collect();
            let is_whole = values.len() == report.heads.len() && values.iter().all(Option::is_some);
            if !is_whole {
                let expected = phrase("a number per column").into();
                let kind = Kind::Unexpected { expected, found: excerpt(text.as_bytes()).into() };
                let fault = Fault::new("SCS-REPORT", Severity::Loss, place(), kind);
                sink.fault(fault.note(phrase("Missing values are shown as missing.")));
            }
            values.resize(report.heads.len(), None);
            report.rows.push((layer, values));
        }
        report
    }

    /// What a column says of a layer.
    fn value(&self, layer: u64, column: usize) -> Option<f64> {
        let (_, values) = self.rows.iter().find(|(number, _)| *number == layer)?;
        values.get(column).copied().flatten()
    }
}

/// The keys and values of a configuration: `ArrayHeight:    8`, `Dataflow = ws`.
fn report_settings(text: &str) -> Vec<(String, String)> {
    let line = |line: &str| {
        let (key, value) = line.split_once([':', '='])?;
        let (key, value) = (key.trim(), value.trim());
        (!key.is_empty() && !value.is_empty() && !key.starts_with(['#', ';', '[']))
            .then(|| (key.to_owned(), value.to_owned()))
    };
    text.lines().filter_map(line).collect()
}

// One trace while it is read in pieces.

/// Bytes that are asked for at a time.
const PIECE: u64 = 1 << 20;

/// A trace.
struct Side {
    entry: EntryId,
    path: String,
    /// What was asked for ends here.
    asked: u64,
    len: u64,
    lines: Lines,
    /// Cycles and addresses that wait for those of the other trace.
    queue: VecDeque<(i64, u64)>,
    /// Addresses of the row that is read.
    row: Vec<u64>,
    width: Option<usize>,
    last: i64,
    /// Whether cells that fill up rows are left out.
    drops_padding: bool,
    padding: u64,
    /// Ones at the end of the row before.
    ones: usize,
    /// The cycle of a 1 of which the next row tells whether it is an address.
    held: Option<i64>,
}

impl Side {
    fn new(entry: EntryId, bundle: &Bundle, drops_padding: bool) -> Self {
        let source = bundle.get(entry);
        Self {
            entry,
            path: source.map_or_else(String::new, |entry| entry.path.clone()),
            asked: 0,
            len: source.map_or(0, |entry| entry.source.len()),
            lines: Lines::default(),
            queue: VecDeque::new(),
            row: Vec::new(),
            width: None,
            last: i64::MIN,
            drops_padding,
            padding: 0,
            ones: 0,
            held: None,
        }
    }

    /// The bytes that are needed before the next access is known; `None` when it is known, or there is none.
    fn want(&mut self) -> Option<Range<u64>> {
        if !self.queue.is_empty() || self.len <= self.asked {
            return None;
        }
        let from = self.asked;
        self.asked = self.len.min(from.saturating_add(PIECE));
        Some(from..self.asked)
    }

    /// Whether all bytes were asked for.
    fn is_asked(&self) -> bool {
        self.len <= self.asked
    }

    /// The next access.
    fn next(&self) -> Option<i64> {
        self.queue.front().map(|(cycle, _)| *cycle)
    }

    /// Takes the next access.
    fn pop(&mut self) -> Option<(i64, u64)> {
        self.queue.pop_front()
    }

    /// Where the reading stands.
    fn position(&self) -> u64 {
        self.lines.position()
    }

    fn feed(&mut self, chunk: &[u8], sink: &mut Sink) {
        let mut lines = std::mem::take(&mut self.lines);
        lines.feed(chunk, |line| self.line(line, sink));
        self.lines = lines;
    }

    /// Everything was fed: the last line may have no end.
    fn finish(&mut self, sink: &mut Sink) {
        let mut lines = std::mem::take(&mut self.lines);
        lines.finish(|line| self.line(line, sink));
        self.lines = lines;
        self.queue.extend(self.held.take().map(|cycle| (cycle, 1)));
    }

    fn line(&mut self, line: Line, sink: &mut Sink) {
        if line.bytes.trim_ascii().is_empty() {
            return;
        }
        self.row.clear();
        let Some(row) = row(line.bytes, &mut self.row) else {
            let expected = phrase("a cycle and addresses").into();
            let kind = Kind::Unexpected { expected, found: excerpt(line.bytes).into() };
            return self.fault("SCS-ROW", Severity::Loss, line, kind, phrase("The row is skipped."), sink);
        };
        let width = *self.width.get_or_insert(row.width);
        if row.width != width {
            let a = message("the first row has {n} address columns").with("n", width);
            let kind = Kind::Contradiction { a, b: message("this one has {n}").with("n", row.width) };
            let note = phrase("The addresses present are still counted.");
            self.fault("SCS-WIDTH", Severity::Warning, line, kind, note, sink);
        }
        if row.cycle < self.last {
            let a = message("the previous row has cycle {n}").with("n", self.last);
            let kind = Kind::Contradiction { a, b: message("this one has cycle {n}").with("n", row.cycle) };
            let note = phrase("Lifetimes around it may be wrong.");
            self.fault("SCS-ORDER", Severity::Warning, line, kind, note, sink);
        }
        self.last = row.cycle;
        if self.drops_padding {
            self.leave_padding(row);
        }
        self.queue.extend(self.row.iter().map(|address| (row.cycle, *address)));
    }

    /// Leaves out the ones that fill up a row. A single one may be an address, but not where the next row has one too.
    fn leave_padding(&mut self, row: CycleRow) {
        let is_same = row.ones == self.ones;
        self.ones = row.ones;
        match self.held.take() {
            Some(_) if is_same => self.padding += 1,
            held => self.queue.extend(held.map(|cycle| (cycle, 1))),
        }
        self.row.truncate(self.row.len() - row.ones);
        if row.ones == 1 && !row.is_over && !is_same {
            self.held = Some(row.cycle);
        } else {
            self.padding += row.ones as u64;
        }
    }

    #[cold]
    fn fault(
        &self,
        code: &'static str,
        severity: Severity,
        line: Line,
        kind: Kind,
        note: &'static str,
        sink: &mut Sink,
    ) {
        let place = Place::byte(&self.path, line.at).line(line.number, 1);
        sink.fault(Fault::new(code, severity, place, kind).note(note));
    }
}
