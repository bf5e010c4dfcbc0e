//! Neutrino: probes in GPU kernels write records into maps; a trace folder holds the maps of each launch, the log of the
//! process and the kernels before and after they were probed.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![deny(clippy::cast_possible_truncation)]

mod counters;
pub mod density;
mod folder;
mod format;
pub mod guide;
mod kernel;
mod launches;
mod log;
pub mod maps;
pub mod result;
mod rules;
pub mod schedule;
mod schema;
#[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
pub(super) mod tables;

use super::System;
use crate::analysis::contract::{Analysis, AnalysisInput};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::job::{Job, Turn};
use crate::base::map::Map;
use crate::base::words::{message, phrase};
use crate::format::Format;
use crate::input::{ReadError, Source};
use crate::model::Trace;
use folder::{Folder, Tensor};
use result::{Field, ResultFile, Role, Section};
use std::ops::Range;

/// Its formats where it is not loaded.
pub(super) static RECOGNIZED: &[Format] = &[format::FORMAT.recognized()];

/// The system.
pub static SYSTEM: System = System {
    id: "neutrino",
    title: phrase("Neutrino"),
    formats: &[&format::FORMAT],
    analyses: &[
        &launches::ANALYSIS,
        &schedule::ANALYSIS,
        &schedule::LOOK,
        &density::ANALYSIS,
        &kernel::ANALYSIS,
        &maps::ANALYSIS,
        // Reads all records once more: pictures come first.
        &ANALYSIS,
    ],
    exports: &[
        &launches::export::LAUNCHES_CSV,
        &schedule::SCHEDULE_JSON,
        &density::DMAT_CSV,
        &maps::MAP_CSV,
        #[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
        &maps::ARROW,
        #[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
        &maps::PARQUET,
    ],
    requests: &[],
    color_schemes: &[],
    examples: &[
        "Apr25_114624_1921397 --result 0.660526.bin --export launches-csv",
        "Apr25_114624_1921397 --export parquet:block_sched --out sched.parquet",
    ],
    search_prefixes: &[],
    headline: schedule::quantities,
    guide: &rules::GUIDE,
};

// `tensor.trace`: the tensors that were passed to functions, written by a helper of the tool.
//
// ```text
// [call]  1745243368912002086  torch.Size([4, 32, 4096, 64])  67108864  140007813677056  q  forward  /src/a.py:405
//         ns                   shape                          bytes     first address    name  function  place
// ```

/// Reads the lines; of each pointer the last counts.
fn read_tensors(text: &str) -> Vec<Tensor> {
    let mut tensors: Vec<Tensor> = Vec::new();
    let mut of_pointer: Map<u64, usize> = Map::default();
    for tensor in text.lines().filter_map(tensor) {
        let at = *of_pointer.entry(tensor.pointer).or_insert(tensors.len());
        match tensors.get_mut(at) {
            Some(known) => *known = tensor,
            None => tensors.push(tensor),
        }
    }
    tensors
}

fn tensor(line: &str) -> Option<Tensor> {
    let mut parts = line.trim_end().split("  ");
    parts.next().filter(|word| *word == "[call]")?;
    let time = parts.next()?.parse().ok()?;
    let shape = parts.next()?;
    let shape =
        shape.strip_prefix("torch.Size([").and_then(|shape| shape.strip_suffix("])")).unwrap_or(shape);
    let (bytes, pointer) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let mut text = || parts.next().unwrap_or("").to_owned();
    Some(Tensor {
        time,
        shape: shape.to_owned(),
        bytes,
        pointer,
        name: text(),
        function: text(),
        place: text(),
    })
}

// What only the records of a result tell: maps in which nothing was written, and units that have no room left.

/// The analysis: it has no figures, only faults.
static ANALYSIS: Analysis = Analysis {
    id: "neutrino-checks",
    title: phrase("Maps in the result"),
    parameters: &[],
    applies: |trace| check_result(trace).is_some(),
    tap: None,
    start: Some(|_, trace| Job::any(async move |turn| check(&trace, &turn).await)),
    add_tracks: None,
    faults: Some(faults),
    figures: |_| Vec::new(),
    advice: None,
    is_comparable: false,
};

fn check_result(trace: &Trace) -> Option<&ResultFile> {
    trace.extensions.get::<Folder>()?.result.as_ref()
}

/// What was seen of a map.
#[derive(Clone, Copy, Default)]
struct Seen {
    has_records: bool,
    /// Units whose last record was written.
    full: u64,
    /// Clocks that run backwards in the unit behind a full one.
    mixed: u64,
    /// The unit of the record before, its clock, and whether the unit before it was full.
    unit: u64,
    clock: u64,
    follows_full: Option<u64>,
}

impl Seen {
    /// The next record; `last` is the number of the last one that has room in a unit.
    fn take(&mut self, record: &Record, last: u64, clock: Option<&Field>) {
        self.has_records = true;
        let value = clock.map_or(0, |field| field.value(record.bytes));
        if record.unit == self.unit && self.follows_full == Some(record.unit) && value < self.clock {
            self.mixed += 1;
            self.follows_full = None;
        }
        (self.unit, self.clock) = (record.unit, value);
        if record.index == last {
            self.full += 1;
            self.follows_full = Some(record.unit + 1);
        }
    }
}

/// Whether all records must be seen: a fixed number of records a unit, more than one, can be too few. Where they are
/// counted before, the largest unit is full by nature.
fn can_overflow(section: &Section) -> bool {
    section.map.cap.is_some_and(|cap| 1 < cap && cap == section.records_per_unit())
}

/// The maps, one after the other.
async fn check(trace: &Trace, turn: &Turn) -> Vec<Seen> {
    let mut all = Vec::new();
    let Some(file) = check_result(trace) else { return all };
    for section in &file.sections {
        let (mut walk, mut seen) = (Walk::new(file, section), Seen::default());
        let (last, clock) = (section.records_per_unit().saturating_sub(1), section.map.field(Role::Clock));
        loop {
            // A file that cannot be read is said by the reader.
            let is_more = walk.read(&mut |record| seen.take(&record, last, clock)).unwrap_or(false);
            if !is_more || seen.has_records && !can_overflow(section) {
                break;
            }
            turn.pause().await;
        }
        all.push(seen);
    }
    all
}

fn faults(input: &AnalysisInput) -> Vec<(u32, Fault)> {
    let (Some(file), Some(seen)) = (check_result(input.trace), input.result::<Vec<Seen>>()) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    let len = file.source.len();
    // Of sections that were cut away the reader has spoken.
    for (section, seen) in file.sections.iter().zip(seen).filter(|(section, _)| section.start < len) {
        let place = Place::byte("", section.start);
        let name = &section.map.name;
        if !seen.has_records {
            let what = message("no record of {map} was written, or all are 0").with("map", name);
            out.push(Fault::new("NEU-ZERO", Severity::Warning, place, Kind::Problem(what)));
        } else if can_overflow(section) && 0 < seen.full {
            let what = message("{full} of {units} units of {map} are full ({n} records each)");
            let what = what.with("n", section.records_per_unit()).with("full", seen.full);
            let what = what.with("units", section.addressed).with("map", name);
            let (severity, note) = match seen.mixed {
                0 => (Severity::Warning, phrase("Further records would overwrite the next unit.")),
                _ => (Severity::Loss, phrase("Records overwrite the next unit.")),
            };
            out.push(Fault::new("NEU-FULL", severity, place, Kind::Problem(what)).note(note));
        }
    }
    out.into_iter().map(|fault| (file.entry.0, fault)).collect()
}

// Walks through the records of a map, a piece of the file at a time: results may be larger than memory.

/// Bytes of a piece at most: about 10 ms of work.
const PIECE: u64 = 2 << 20;
/// Pieces that are read ahead.
const AHEAD: usize = 6;

/// A walk through the written records of one map, in the order of units.
pub struct Walk {
    source: Source,
    section: Section,
    /// Records of the section that were passed, written or not.
    at: u64,
    /// Records of the section.
    len: u64,
    bytes: Vec<u8>,
    /// Whether what follows a piece is not what is read next.
    has_skipped: bool,
}

/// What is read at once.
struct Piece {
    /// Its first unit, and the number of its first record in it.
    unit: u64,
    first: u64,
    records: u64,
    range: Range<u64>,
}

/// One record with its place.
pub struct Record<'a> {
    /// The unit that wrote it.
    pub unit: u64,
    /// Its number in the unit.
    pub index: u64,
    /// Its bytes; never all zero.
    pub bytes: &'a [u8],
}

impl Walk {
    /// Begins with the first unit.
    pub fn new(file: &ResultFile, section: &Section) -> Self {
        let len = section.written().saturating_mul(section.records_per_unit());
        Self {
            source: file.source.clone(),
            section: section.clone(),
            at: 0,
            len,
            bytes: Vec::new(),
            has_skipped: false,
        }
    }

    /// Begins with the first unit and goes on to the last that has room, beyond those that warps of whole blocks write to:
    /// what the last warps of the last blocks wrote lies there.
    fn of_all(file: &ResultFile, section: &Section) -> Self {
        let len = section.units.saturating_mul(section.records_per_unit());
        Self { len, ..Self::new(file, section) }
    }

    /// Passes over records, to the begin of a unit.
    fn skip(&mut self, n: u64) {
        if n == 0 {
            return;
        }
        self.has_skipped = true;
        let per_unit = self.section.records_per_unit().max(1);
        self.at = self.at.saturating_add(n).div_ceil(per_unit).saturating_mul(per_unit).min(self.len);
    }

    /// Records that were passed, written or not.
    fn at(&self) -> u64 {
        self.at
    }

    /// Reads the next piece and hands its written records over; false when there is nothing more.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(&mut self, take: &mut dyn FnMut(Record)) -> Result<bool, ReadError> {
        let size = usize::try_from(self.section.map.record_bytes()).unwrap_or(usize::MAX).max(1);
        self.read_units(&mut |unit, first, bytes| {
            for (index, bytes) in (first..).zip(bytes.chunks_exact(size)) {
                if bytes.iter().any(|byte| *byte != 0) {
                    take(Record { unit, index, bytes });
                }
            }
        })
    }

    /// Reads the next piece and hands all records of its units over, written or not: the unit, the number of the first
    /// record in it, and the bytes. False when there is nothing more.
    ///
    /// # Errors
    /// When the file cannot be read.
    fn read_units(&mut self, take: &mut dyn FnMut(u64, u64, &[u8])) -> Result<bool, ReadError> {
        let Some(piece) = self.piece_at(self.at) else { return Ok(false) };
        self.bytes.resize(usize::try_from(piece.range.end - piece.range.start).unwrap_or(0), 0);
        let mut filled = 0;
        while let Some(rest) = self.bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.source.read_at(piece.range.start + filled as u64, rest)? {
                0 => break,
                n => filled += n,
            }
        }
        let is_cut = filled < self.bytes.len();
        self.expect_more(&piece);
        let (record_bytes, per_unit) = (self.section.map.record_bytes(), self.section.records_per_unit());
        let (mut unit, mut first) = (piece.unit, piece.first);
        let mut rest = self.bytes.get(..filled).unwrap_or(&[]);
        while !rest.is_empty() {
            let left = usize::try_from((per_unit - first) * record_bytes).unwrap_or(usize::MAX);
            let (bytes, more) = rest.split_at(left.min(rest.len()));
            take(unit, first, bytes);
            // Bytes behind the last whole record of a unit belong to nobody.
            let behind = self.section.unit_bytes.saturating_sub(per_unit * record_bytes);
            let behind = usize::try_from(behind).unwrap_or(usize::MAX);
            (unit, first, rest) = (unit + 1, 0, more.get(behind..).unwrap_or(&[]));
        }
        self.at = if is_cut { self.len } else { self.at + piece.records };
        Ok(self.at < self.len)
    }

    /// What is read at once from this record on: whole units, or a part of a large one. `None` at the end.
    fn piece_at(&self, at: u64) -> Option<Piece> {
        let (record_bytes, per_unit) = (self.section.map.record_bytes(), self.section.records_per_unit());
        let left = self.len.checked_sub(at).filter(|left| 0 < *left && 0 < record_bytes && 0 < per_unit)?;
        let (unit, first) = (at / per_unit, at % per_unit);
        let unit_bytes = self.section.unit_bytes;
        let start = self.section.start + unit * unit_bytes + first * record_bytes;
        let (records, len) = if first == 0 && unit_bytes <= PIECE && per_unit <= left {
            let units = (PIECE / unit_bytes.max(1)).min(left / per_unit);
            (units * per_unit, (units - 1) * unit_bytes + per_unit * record_bytes)
        } else {
            let records = (PIECE / record_bytes).max(1).min(per_unit - first).min(left);
            (records, records * record_bytes)
        };
        Some(Piece { unit, first, records, range: start..start.saturating_add(len) })
    }

    /// Lets the program read what follows while this piece is worked on.
    fn expect_more(&self, piece: &Piece) {
        let mut at = self.at + piece.records;
        for _ in 0..if self.has_skipped { 0 } else { AHEAD } {
            let Some(next) = self.piece_at(at) else { return };
            at += next.records;
            self.source.expect(next.range);
        }
    }
}
