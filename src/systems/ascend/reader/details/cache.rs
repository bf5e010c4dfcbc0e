//! Cache lines as maps of 128 cells in a row: 0x0E as JSON, 0x0B as records of eight numbers.
//!
//! Cell i of a map is row i of a table that has all numbers of the line, so that hovering and choosing a cell find them.

use crate::base::fault::{Fault, Kind, Severity};
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::format::Sink;
use crate::input::json::Json;
use crate::model::figure::{
    Axis, AxisLabel, Body, Cell, Choice, Fact, Facts, Family, Figure, Fold, HeatMap, Ramp, ScaleKind, Shading,
};
use crate::model::{Table, TableCells, TableColumn};
use crate::systems::ascend::reader::field::{self, Fields, Within, shown};

/// The panel of these figures.
const SECTION: &str = "Cache";
/// Cells in a row, as the vendor's viewer has it.
const WIDTH: usize = 128;
/// What the cells of a map can show.
const SHOWN: [&str; 2] = [phrase("Share"), phrase("Count")];

/// What a map shows of each line; NaN is missing.
struct Values {
    id: &'static str,
    title: &'static str,
    shares: Vec<f32>,
    counts: Vec<f32>,
    /// Cost, such as misses, or mere numbers.
    ramp: Ramp,
    /// Name of the column of the table with the addresses behind a cell; empty when there is none.
    addresses: &'static str,
}

/// A map of shares and one of counts to choose from; cells are rows of the table with this id.
fn maps(values: Values, table: &str) -> Family {
    let Values { id, title, shares, counts, ramp, addresses } = values;
    let variants = [
        (shares, Unit::Share, Some(1.0), Fold::Max),
        (counts, Unit::Count("events".to_owned()), None, Fold::Sum),
    ];
    let variants = variants.into_iter().map(|(values, unit, full, fold)| {
        let figure = Figure::new(
            title,
            Body::HeatMap(HeatMap {
                unit,
                ramp,
                fold,
                full,
                addresses: addresses.to_owned(),
                ..map(values, table)
            }),
        );
        Figure { scope: phrase("128 lines per row").to_owned(), ..figure }
    });
    Family {
        id: id.to_owned(),
        section: SECTION.to_owned(),
        title: title.to_owned(),
        choices: vec![Choice {
            name: phrase("Cells show").to_owned(),
            options: SHOWN.map(str::to_owned).to_vec(),
        }],
        variants: variants.collect(),
    }
}

fn map(mut values: Vec<f32>, table: &str) -> HeatMap {
    let width = values.len().clamp(1, WIDTH);
    let height = values.len().div_ceil(width);
    values.resize(width * height, f32::NAN);
    let axis = |name: &str, n: usize| Axis {
        label: AxisLabel { name: name.to_owned(), unit: Unit::None, scale: ScaleKind::Linear },
        from: 0.0,
        to: n as f64,
        names: Vec::new(),
    };
    HeatMap {
        x: axis(phrase("Column"), width),
        y: axis(phrase("Row"), height),
        width: u32::try_from(width).unwrap_or(u32::MAX),
        height: u32::try_from(height).unwrap_or(u32::MAX),
        values,
        shading: Shading::Linear,
        table: table.to_owned(),
        ..HeatMap::default()
    }
}

// 0x0B cache records: eight numbers of every cache line, binary.
//
// | offset | size | name |
// |---|---|---|
// | 0 | 4 | loads |
// | 4 | 4 | stores |
// | 8 | 4 | number of the cache line |
// | 12 | 4 | hits |
// | 16 | 4 | misses |
// | 20 | 4 | allocations |
// | 24 | 4 | evictions with a write |
// | 28 | 4 | evictions without one |
//
// Little endian, without a header of its own. By the design document only: no tool is known to write it.

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
pub(crate) struct CacheRecords {
    records: Vec<[u32; 8]>,
    /// The beginning of a record whose end has not come yet.
    rest: Vec<u8>,
}

impl CacheRecords {
    /// Takes the next bytes.
    pub(crate) fn feed(&mut self, chunk: &[u8]) {
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
    pub(crate) fn finish(self, within: &Within, sink: &mut Sink) {
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
        head.tables.push(Table::new(TABLE, title, columns));
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

// 0x0E cache lines: hits and misses of every line, with the instructions that caused them.
//
// `{Cacheline Records: [{Cacheline Id, Hit: {Value: [count, share], Address Range: [[start, end], …]}, Miss: {…}}]}`
//
// The writer puts the block into files where nothing was recorded too; then all numbers are 0.

/// Id of the table of all lines.
const LINES_TABLE: &str = "cache-lines";
/// Columns with the addresses of the instructions.
const HIT_ADDRESSES: &str = phrase("Hit addresses");
const MISS_ADDRESSES: &str = phrase("Miss addresses");

/// One of the two sides of a line. Missing numbers are NaN.
struct Side {
    key: &'static str,
    counts: Vec<f64>,
    shares: Vec<f64>,
    addresses: Vec<String>,
}

/// Adds a summary, the two maps unless nothing was recorded, and the table of all lines.
pub(crate) fn cache_lines(json: &Json, within: &Within, sink: &mut Sink) {
    let mut fields = Fields::new(within, sink);
    let records = fields.items(json, "Cacheline Records", "");
    if records.is_empty() {
        return;
    }
    let mut ids = Vec::with_capacity(records.len());
    let side = |key| Side { key, counts: Vec::new(), shares: Vec::new(), addresses: Vec::new() };
    let mut sides = [side("Hit"), side("Miss")];
    for (i, record) in (1..).zip(records) {
        let inside = format!("Cacheline Records ▸ record {i}");
        ids.push(fields.number(record, "Cacheline Id", &inside).unwrap_or(f64::NAN));
        for side in &mut sides {
            take(side, record, &inside, &mut fields);
        }
    }
    let summary = summary(&ids, &sides);
    let is_empty = sides.iter().all(|side| side.counts.iter().all(|c| c.is_nan() || *c == 0.0));
    let head = sink.builder.head();
    head.figures.push(Family::single("cache-summary", SECTION, summary));
    let small = |values: &[f64]| values.iter().map(|v| HeatMap::cell(Some(*v))).collect();
    if !is_empty {
        let [hit, miss] = &sides;
        for (id, title, side, ramp, addresses) in [
            ("cache-hit", phrase("Cache hits"), hit, Ramp::Seq, HIT_ADDRESSES),
            ("cache-miss", phrase("Cache misses"), miss, Ramp::Heat, MISS_ADDRESSES),
        ] {
            let (shares, counts) = (small(&side.shares), small(&side.counts));
            let values = Values { id, title, shares, counts, ramp, addresses };
            head.figures.push(maps(values, LINES_TABLE));
        }
    }
    head.tables.push(table(ids, sides));
}

/// Takes count, share and addresses of one side of a record.
fn take(side: &mut Side, record: &Json, inside: &str, fields: &mut Fields) {
    let object = record.get(side.key).unwrap_or(&Json::Null);
    let value = object.get("Value").unwrap_or(&Json::Null);
    let number = |at: usize| value.items().get(at).and_then(Json::as_text).and_then(field::number);
    let pair = number(0).zip(number(1)).filter(|_| value.items().len() == 2);
    if pair.is_none() {
        fields.left_out(&format!("{inside} ▸ {} ▸ Value", side.key), "two numbers", shown(value));
    }
    let (count, share) = pair.unwrap_or((f64::NAN, f64::NAN));
    // Below 0 stands for NA.
    side.counts.push(if count < 0.0 { f64::NAN } else { count });
    side.shares.push(if share < 0.0 { f64::NAN } else { share });
    let ranges = object.get("Address Range").map_or(&[][..], Json::items);
    let ranges = ranges.iter().filter_map(|range| match range.items() {
        [start, end] => Some(format!("{}–{}", start.as_text()?, end.as_text()?)),
        _ => None,
    });
    side.addresses.push(ranges.collect::<Vec<_>>().join(", "));
}

/// How much was recorded; says why nothing may have been.
fn summary(ids: &[f64], sides: &[Side; 2]) -> Figure {
    let [hit, miss] = sides;
    let sum = |side: &Side| side.counts.iter().filter(|c| c.is_finite()).sum::<f64>();
    let busy = hit.counts.iter().zip(&miss.counts).filter(|(h, m)| 0.0 < **h || 0.0 < **m).count();
    let (hits, misses) = (sum(hit), sum(miss));
    let count = |what: &str| Unit::Count(what.to_owned());
    let fact =
        |name: &str, value: f64, unit: Unit| Fact { name: name.to_owned(), value: Cell::Number(value), unit };
    let mut facts = vec![
        fact(phrase("Cache lines"), ids.len() as f64, Unit::None),
        fact(phrase("Lines with events"), busy as f64, Unit::None),
        fact(phrase("Hits"), hits, count(phrase("events"))),
        fact(phrase("Misses"), misses, count(phrase("events"))),
    ];
    if 0.0 < hits + misses {
        facts.push(fact(phrase("Hit rate"), hits / (hits + misses), Unit::Share));
    }
    let mut figure = Figure::new(phrase("Cache line events"), Body::Facts(Facts { facts }));
    if hits + misses == 0.0 {
        let said = message("No cache line events were recorded: all {n} lines have 0 hits and 0 misses.");
        let n = crate::base::number::thousands(i64::try_from(ids.len()).unwrap_or(i64::MAX));
        figure.notes = vec![
            said.with("n", n),
            message("To record them, compile the kernel with -g and include Source in --aic-metrics."),
        ];
    }
    figure
}

/// All lines in the order of the file, which is the order of the cells.
fn table(ids: Vec<f64>, sides: [Side; 2]) -> Table {
    let column =
        |name: &str, unit: Unit, cells: TableCells| TableColumn { name: name.to_owned(), unit, cells };
    let mut columns = vec![column(phrase("Cache line"), Unit::None, TableCells::Numbers(ids))];
    let mut addresses = Vec::new();
    let names = [
        [phrase("Hits"), phrase("Share of hits"), HIT_ADDRESSES],
        [phrase("Misses"), phrase("Share of misses"), MISS_ADDRESSES],
    ];
    for (side, [count, share, places]) in sides.into_iter().zip(names) {
        columns.push(column(count, Unit::None, TableCells::Numbers(side.counts)));
        columns.push(column(share, Unit::Share, TableCells::Numbers(side.shares)));
        if side.addresses.iter().any(|text| !text.is_empty()) {
            addresses.push(column(places, Unit::None, TableCells::Texts(side.addresses)));
        }
    }
    columns.extend(addresses);
    Table::new(LINES_TABLE, phrase("Cache lines"), columns)
}
