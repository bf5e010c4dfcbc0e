//! 0x0B cache records: eight numbers of every cache line, binary.
//!
//! | offset | size | name |
//! |---|---|---|
//! | 0 | 4 | loads |
//! | 4 | 4 | stores |
//! | 8 | 4 | number of the cache line |
//! | 12 | 4 | hits |
//! | 16 | 4 | misses |
//! | 20 | 4 | allocations |
//! | 24 | 4 | evictions with a write |
//! | 28 | 4 | evictions without one |
//!
//! Little endian, without a header of its own. By the design document only: no tool is known to write it.

use super::{Values, maps};
use crate::base::fault::{Fault, Kind, Severity};
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::format::sink::Sink;
use crate::model::code::CodeScope;
use crate::model::figure::{HeatMap, Ramp};
use crate::model::table::{Table, TableCells, TableColumn};
use crate::systems::ascend::reader::field::Within;

/// Bytes of a record.
const RECORD: usize = 32;
/// Id of the table of all records.
const TABLE: &str = "cache-records";

/// The maps: id, title, place of the number in a record.
const MAPS: [(&str, &str, usize); 7] = [
    ("cache-loads", phrase("Cache loads"), 0),
    ("cache-stores", phrase("Cache stores"), 1),
    ("cache-record-hits", phrase("Cache hits"), 3),
    ("cache-record-misses", phrase("Cache misses"), 4),
    ("cache-allocations", phrase("Cache allocations"), 5),
    ("cache-evictions-write", phrase("Evictions with write-back"), 6),
    ("cache-evictions", phrase("Evictions without write-back"), 7),
];

/// Columns of the table: name, place in a record.
const COLUMNS: [(&str, usize); 8] = [
    (phrase("Cache line"), 2),
    (phrase("Loads"), 0),
    (phrase("Stores"), 1),
    (phrase("Hits"), 3),
    (phrase("Misses"), 4),
    (phrase("Allocations"), 5),
    (phrase("Evictions with write-back"), 6),
    (phrase("Evictions without write-back"), 7),
];

/// Records as their bytes come.
#[derive(Default)]
pub(in crate::systems::ascend::reader) struct CacheRecords {
    records: Vec<[u32; 8]>,
    /// The beginning of a record whose end has not come yet.
    rest: Vec<u8>,
}

impl CacheRecords {
    /// Takes the next bytes.
    pub(in crate::systems::ascend::reader) fn feed(&mut self, chunk: &[u8]) {
        let mut chunk = chunk;
        if !self.rest.is_empty() {
            let (head, tail) = chunk.split_at_checked(RECORD - self.rest.len()).unwrap_or((chunk, &[]));
            self.rest.extend_from_slice(head);
            chunk = tail;
            if let Ok(bytes) = <&[u8; RECORD]>::try_from(self.rest.as_slice()) {
                self.records.push(record(bytes));
                self.rest.clear();
            }
        }
        let (whole, rest) = chunk.as_chunks::<RECORD>();
        self.records.extend(whole.iter().map(record));
        self.rest.extend_from_slice(rest);
    }

    /// Adds the maps and the table.
    pub(in crate::systems::ascend::reader) fn finish(self, within: &Within, sink: &mut Sink) {
        if !self.rest.is_empty() {
            let needed = RECORD as u64;
            let kind = Kind::Truncated { needed, left: self.rest.len() as u64 };
            let mut place = within.place(&format!("record {}", self.records.len() + 1));
            place.byte = Some(within.byte + (self.records.len() * RECORD) as u64);
            let fault = Fault::new("ASC-CUT", Severity::Warning, place, kind);
            sink.fault(fault.note("Bytes after the last complete record are skipped."));
        }
        if self.records.is_empty() {
            return;
        }
        let value = |record: &[u32; 8], at: usize| f64::from(record.get(at).copied().unwrap_or(0));
        let column = |at: usize| self.records.iter().map(move |r| value(r, at));
        let head = sink.builder.head();
        for (id, title, at) in MAPS {
            let share = |record: &[u32; 8]| {
                let accesses = value(record, 0) + value(record, 1);
                // Nothing of nothing has no share.
                HeatMap::cell((0.0 < accesses).then(|| value(record, at) / accesses))
            };
            let shares = self.records.iter().map(share).collect();
            let counts = column(at).map(|v| HeatMap::cell(Some(v))).collect();
            // Misses and what is driven out cost time.
            let ramp = if [4, 6, 7].contains(&at) { Ramp::Heat } else { Ramp::Seq };
            let mut family = maps(Values { id, title, shares, counts, ramp, addresses: "" }, TABLE);
            if let Some(figure) = family.variants.first_mut() {
                figure.notes = vec![message("% of the line's loads and stores.")];
            }
            head.figures.push(family);
        }
        let columns = COLUMNS.map(|(name, at)| TableColumn {
            name: name.to_owned(),
            unit: Unit::None,
            cells: TableCells::Numbers(column(at).collect()),
        });
        let title = phrase("Cache records").to_owned();
        let columns = columns.into_iter().collect();
        head.tables.push(Table {
            id: TABLE.to_owned(),
            title,
            columns,
            notes: Vec::new(),
            scope: CodeScope::default(),
        });
    }
}

fn record(bytes: &[u8; RECORD]) -> [u32; 8] {
    let mut out = [0; 8];
    let (numbers, _) = bytes.as_chunks::<4>();
    for (slot, number) in out.iter_mut().zip(numbers) {
        *slot = u32::from_le_bytes(*number);
    }
    out
}
