//! 0x03 source lines with their metrics.
//!
//! ```text
//! { "Cores": […], "Files Dtype": { "Lines": { name: type } },
//!   "Files": [ { "Source": "/abs/path.cpp",
//!                "Lines": [ { "Line": 17, "Address Range": [["0x1000", "0x1010"], …], name: value } ] } ] }
//! ```
//! Both ends of a range belong to it. The members may come in any order, the path of a file mostly behind its lines.

use super::columns::{Budget, Columns, Dtypes};
use super::split::{Elements, Split, Step};
use super::{Order, cores, dtypes, hexadecimal, settle};
use crate::base::fault::Fault;
use crate::base::job::Turn;
use crate::base::words::message;
use crate::input::json::{Json, parse};
use crate::model::code::Column;
use crate::systems::ascend::reader::field::{Within, shown};
use std::ops::RangeInclusive;

/// Reads the block while it streams by.
pub(crate) struct FilesReader {
    split: Split,
    files: Files,
}

struct Files {
    within: Within,
    cores: Vec<String>,
    dtypes: Dtypes,
    budget: Budget,
    open: Open,
    done: Vec<Open>,
    faults: Vec<Fault>,
}

/// One file as it is read.
#[derive(Default)]
struct Open {
    path: Option<String>,
    line: Vec<u32>,
    ranges: Vec<(u32, RangeInclusive<u64>)>,
    columns: Columns,
}

/// Metrics of the lines of one source file.
pub(crate) struct LineMetrics {
    /// Path of the source.
    pub(super) path: String,
    /// Line number of each record, from 1, in the order of the file.
    pub(super) line: Vec<u32>,
    /// Addresses that belong to a record.
    pub(super) ranges: Vec<(u32, RangeInclusive<u64>)>,
    /// Metrics; their rows are records.
    pub(super) columns: Vec<Column>,
}

/// What the block holds.
pub(crate) struct FilesRead {
    /// Cores that metrics are given for.
    pub(super) cores: Vec<String>,
    pub(super) metrics: Vec<LineMetrics>,
    pub(super) faults: Vec<Fault>,
}

impl FilesReader {
    /// Ready for the first byte of the payload.
    pub(crate) fn new(within: &Within) -> Self {
        let files = Files {
            within: within.clone(),
            cores: Vec::new(),
            dtypes: Dtypes::default(),
            budget: Budget::default(),
            open: Open::default(),
            done: Vec::new(),
            faults: Vec::new(),
        };
        Self { split: Split::new(within.byte), files }
    }

    /// Takes the next bytes; returns the faults they brought.
    pub(crate) fn feed(&mut self, chunk: &[u8]) -> Vec<Fault> {
        self.split.feed(chunk, &mut self.files);
        std::mem::take(&mut self.files.faults)
    }

    /// All bytes came: columns are brought to their types.
    pub(crate) async fn finish(self, turn: &Turn) -> FilesRead {
        let Self { split, mut files } = self;
        for damage in split.finish(&mut files) {
            files.faults.push(files.within.not_json(damage.at, damage.expected, damage.found));
        }
        let Files { within, cores, dtypes, mut budget, done, mut faults, .. } = files;
        let mut metrics = Vec::with_capacity(done.len());
        for Open { path, line, ranges, columns } in done {
            let order = Order::as_it_came(columns.n_rows);
            let settled = settle(columns, (&dtypes, &mut budget), &order, rank, turn).await;
            super::report_columns(&within, &settled, &budget, &mut faults);
            let path = path.unwrap_or_default();
            metrics.push(LineMetrics { path, line, ranges, columns: settled.columns });
            turn.pause().await;
        }
        FilesRead { cores, metrics, faults }
    }
}

impl Elements for Files {
    fn begin(&mut self, path: &[String]) -> Step {
        let names: Vec<&str> = path.iter().map(String::as_str).collect();
        match names.as_slice() {
            [] | ["Files"] | ["Files", "*"] | ["Files", "*", "Lines"] => Step::Into,
            ["Cores" | "Files Dtype"] | ["Files", "*", "Source"] | ["Files", "*", "Lines", "*"] => Step::Take,
            _ => Step::Pass,
        }
    }

    fn take(&mut self, path: &[String], text: &[u8], at: u64) {
        let (json, errors) = parse(text, at);
        for error in errors {
            self.faults.push(self.within.not_json(error.at, error.expected, error.found));
        }
        match (path.len(), path.first().map(String::as_str)) {
            (1, Some("Cores")) => self.cores = cores(&json),
            (1, _) => self.dtypes = dtypes(&json, "Lines"),
            (3, _) => self.open.path = json.as_text().map(str::to_owned),
            _ => {
                self.budget.earn(text.len());
                self.row(&json, at);
            }
        }
    }

    fn end(&mut self, path: &[String]) {
        if path.len() == 2 {
            self.file_ended();
        }
    }
}

impl Files {
    fn row(&mut self, json: &Json, at: u64) {
        let record = u32::try_from(self.open.line.len()).unwrap_or(u32::MAX);
        let line =
            json.get("Line").and_then(Json::as_f64).filter(|v| (1.0..=f64::from(u32::MAX)).contains(v));
        // Within the range of u32, as was just made sure of.
        #[allow(clippy::cast_possible_truncation)]
        let Some(line) = line.map(|v| v as u32) else {
            let inside =
                format!("file {} ▸ line record {} ▸ Line", self.done.len() + 1, u64::from(record) + 1);
            let found = json.get("Line").map_or_else(|| "nothing".into(), shown);
            let mut fault = self.within.odd(&inside, "a line number from 1", found);
            fault.place.byte = Some(at);
            self.faults.push(fault.note("The values of this line are not shown."));
            return;
        };
        for range in json.get("Address Range").map_or(&[][..], Json::items) {
            let ends: Vec<Option<u64>> =
                range.items().iter().map(|end| end.as_text().and_then(hexadecimal)).collect();
            match ends.as_slice() {
                &[Some(start), Some(end)] if start <= end => self.open.ranges.push((record, start..=end)),
                _ => {
                    let inside = format!("file {} ▸ line {line} ▸ Address Range", self.done.len() + 1);
                    let mut fault =
                        self.within.odd(&inside, "two hexadecimal numbers in ascending order", shown(range));
                    fault.place.byte = Some(at);
                    self.faults.push(fault.note("The range is skipped."));
                }
            }
        }
        self.open.line.push(line);
        self.open.columns.push(json, &self.dtypes, &mut self.budget, is_no_metric);
    }

    fn file_ended(&mut self) {
        let file = std::mem::take(&mut self.open);
        let inside = format!("file {} ▸ Source", self.done.len() + 1);
        match &file.path {
            None if file.line.is_empty() => return,
            None => {
                let fault = self.within.odd(&inside, "the source path", "nothing");
                self.faults.push(fault.note("Its lines are listed without a name."));
            }
            Some(path) if self.done.iter().any(|f| f.path.as_ref() == Some(path)) => {
                let fault = self.within.odd(
                    &inside,
                    "each source only once",
                    message("{path} again").with("path", path),
                );
                self.faults.push(fault.note("The first one is used."));
                return;
            }
            Some(_) => {}
        }
        self.done.push(file);
    }
}

/// Members that are the line itself; all others are columns.
fn is_no_metric(name: &str) -> bool {
    matches!(name, "Line" | "Address Range")
}

/// Place of a column: as in the vendor's viewer.
fn rank(name: &str) -> u8 {
    match name {
        "Instructions Executed" => 0,
        "Cycles" => 1,
        "L2Cache Hit Rate" => 2,
        "Process Bytes" => 3,
        "GPR Count" => 4,
        _ if name.starts_with("Stall Sampling") => 5,
        _ => 6,
    }
}
