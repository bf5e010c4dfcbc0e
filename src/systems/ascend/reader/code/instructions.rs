//! 0x04 instructions with their metrics.
//!
//! ```text
//! { "Cores": […], "Instructions Dtype": { "Instructions": { name: type } },
//!   "Instructions": [ { "Address": "0x1122a828", "Source": "MOV …", "AscendC Inner Code": "/a/b.cpp:23", name: value } ] }
//! ```
//! The members may come in any order. Shown sorted by address. Files without the table of types are read by their values.

use super::columns::{Budget, Columns, Dtypes};
use super::split::{Elements, Split, Step};
use super::{Order, Value, cores, dtypes, hexadecimal, settle};
use crate::base::fault::{Fault, Severity};
use crate::base::job::Turn;
use crate::base::map::Map;
use crate::base::sort;
use crate::input::json::parse;
use crate::input::limits;
use crate::model::code::{CodeScope, Lines, Listing};
use crate::systems::ascend::reader::field::Within;

/// Reads the block while it streams by.
pub(crate) struct InstructionsReader {
    split: Split,
    rows: Rows,
}

struct Rows {
    within: Within,
    cores: Vec<String>,
    dtypes: Dtypes,
    columns: Columns,
    budget: Budget,
    address: Vec<u64>,
    text: Lines,
    /// Row of `places` for each instruction.
    place: Vec<u32>,
    places: Vec<String>,
    by_place: Map<String, u32>,
    faults: Vec<Fault>,
}

/// What the block holds, sorted by address.
pub(crate) struct Assembly {
    pub(super) listing: Listing,
    /// Cores that metrics are given for.
    pub(super) cores: Vec<String>,
    /// For each row the number of its place in `places`.
    pub(super) place: Vec<u32>,
    /// Places in the source as the file writes them, such as `/a/b.cpp:23`; may have several lines. The first is empty.
    pub(super) places: Vec<String>,
}

impl InstructionsReader {
    /// Ready for the first byte of the payload.
    pub(crate) fn new(within: &Within) -> Self {
        let rows = Rows {
            within: within.clone(),
            cores: Vec::new(),
            dtypes: Dtypes::default(),
            columns: Columns::default(),
            budget: Budget::default(),
            address: Vec::new(),
            text: Lines::default(),
            place: Vec::new(),
            places: vec![String::new()],
            by_place: Map::default(),
            faults: Vec::new(),
        };
        Self { split: Split::new(within.byte), rows }
    }

    /// Takes the next bytes; returns the faults they brought.
    pub(crate) fn feed(&mut self, chunk: &[u8]) -> Vec<Fault> {
        self.split.feed(chunk, &mut self.rows);
        std::mem::take(&mut self.rows.faults)
    }

    /// All bytes came: the instructions are sorted by address.
    pub(crate) async fn finish(self, turn: &Turn) -> (Assembly, Vec<Fault>) {
        let Self { split, mut rows } = self;
        for damage in split.finish(&mut rows) {
            rows.faults.push(rows.within.not_json(damage.at, damage.expected, damage.found));
        }
        let by_address = rows.address.iter().copied().zip(0u32..).collect();
        let (address, order) = sort::sorted(by_address, turn).await.into_iter().unzip();
        let order = Order::new(order);
        let (mut lines, mut place) = (Lines::default(), Vec::with_capacity(rows.place.len()));
        for piece in order.pieces() {
            for &i in piece {
                lines.push(rows.text.get(i as usize));
                place.push(rows.place.get(i as usize).copied().unwrap_or(0));
            }
            turn.pause().await;
        }
        let settled = settle(rows.columns, (&rows.dtypes, &mut rows.budget), &order, rank, turn).await;
        super::report_columns(&rows.within, &settled, &rows.budget, &mut rows.faults);
        let listing = Listing {
            columns: settled.columns,
            ..Listing::assembly("Instructions", CodeScope::default(), lines, address)
        };
        (Assembly { listing, cores: rows.cores, place, places: rows.places }, rows.faults)
    }
}

impl Elements for Rows {
    fn begin(&mut self, path: &[String]) -> Step {
        let path: [&str; 2] = match path {
            [] => return Step::Into,
            [a] => [a, ""],
            [a, b] => [a, b],
            _ => return Step::Pass,
        };
        match path {
            ["Instructions", ""] => Step::Into,
            ["Instructions", "*"] | ["Cores" | "Instructions Dtype", ""] => Step::Take,
            _ => Step::Pass,
        }
    }

    fn take(&mut self, path: &[String], text: &[u8], at: u64) {
        let is_row = path.first().is_some_and(|name| name == "Instructions");
        if is_row && self.address.len() < limits::ROWS && self.flat(text).is_some() {
            return;
        }
        let (json, errors) = parse(text, at);
        for error in errors {
            self.faults.push(self.within.not_json(error.at, error.expected, error.found));
        }
        match path.first().map(String::as_str) {
            Some("Cores") => self.cores = cores(&json),
            Some("Instructions Dtype") => self.dtypes = dtypes(&json, "Instructions"),
            _ if limits::ROWS <= self.address.len() => {}
            _ => {
                self.budget.earn(text.len());
                self.row(&json, at);
            }
        }
    }

    fn end(&mut self, _: &[String]) {}
}

impl Rows {
    /// The number of a place, new or old.
    fn place_of(&mut self, text: &str) -> u32 {
        if let Some(&place) = self.by_place.get(text) {
            return place;
        }
        let place = u32::try_from(self.places.len()).unwrap_or(0);
        self.places.push(text.to_owned());
        self.by_place.insert(text.to_owned(), place);
        place
    }

    /// Takes a row as rows nearly always are; `None`, and nothing taken, when it is not.
    fn flat(&mut self, text: &[u8]) -> Option<()> {
        let row = super::flat_members(text)?;
        let told = |wanted: &str| match &row.iter().find(|m| m.name == wanted)?.value {
            Value::Plain(json) => json.as_str(),
            _ => None,
        };
        let address = told("Address").and_then(hexadecimal)?;
        let source = told("Source")?;
        let place = told("AscendC Inner Code")?;
        self.budget.earn(text.len());
        let place = if place.is_empty() { 0 } else { self.place_of(place) };
        self.address.push(address);
        self.text.push(source);
        self.place.push(place);
        self.columns.push_flat(&row, &self.dtypes, &mut self.budget, is_no_metric);
        Some(())
    }

    fn row(&mut self, json: &crate::input::json::Json, at: u64) {
        if json.members().is_empty() {
            let mut fault = self.within.odd(
                "Instructions",
                "an instruction",
                crate::systems::ascend::reader::field::shown(json),
            );
            fault.place.byte = Some(at);
            self.faults.push(fault.note("Skipped."));
            return;
        }
        let first = |key: &str| {
            let value = json.get(key)?;
            value.items().first().unwrap_or(value).as_text()
        };
        let address = first("Address").and_then(hexadecimal);
        if address.is_none() {
            let inside = format!("instruction {} ▸ Address", self.address.len() + 1);
            let found = first("Address").map_or_else(|| "nothing".to_owned(), |t| format!("\"{t}\""));
            let mut fault = self.within.odd(&inside, "a hexadecimal number", found);
            fault.place.byte = Some(at);
            fault.severity = Severity::Warning;
            self.faults.push(fault.note("The instruction is listed at address 0."));
        }
        let place = first("AscendC Inner Code").filter(|text| !text.is_empty());
        let place = place.map_or(0, |text| self.place_of(text));
        self.address.push(address.unwrap_or(0));
        self.text.push(first("Source").unwrap_or(""));
        self.place.push(place);
        self.columns.push(json, &self.dtypes, &mut self.budget, is_no_metric);
    }
}

/// Members that are the instruction itself; all others are columns.
fn is_no_metric(name: &str) -> bool {
    matches!(name, "Address" | "Source" | "AscendC Inner Code")
}

/// Place of a column: as in the vendor's viewer, the pipe first and the cycles last.
fn rank(name: &str) -> u8 {
    match name {
        "Pipe" => 0,
        "Instructions Executed" => 1,
        "Cycles" => 3,
        "TheoreticalStallCycles" => 4,
        "RealStallCycles" => 5,
        _ => 2,
    }
}
