//! 0x0E cache lines: hits and misses of every line, with the instructions that caused them.
//!
//! `{Cacheline Records: [{Cacheline Id, Hit: {Value: [count, share], Address Range: [[start, end], …]}, Miss: {…}}]}`
//!
//! The writer puts the block into files where nothing was recorded too; then all numbers are 0.

use super::{SECTION, Values, maps};
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::format::sink::Sink;
use crate::input::json::Json;
use crate::model::code::CodeScope;
use crate::model::figure::{Body, Cell, Fact, Facts, Family, Figure, HeatMap, Ramp};
use crate::model::table::{Table, TableCells, TableColumn};
use crate::systems::ascend::reader::field::{self, Fields, Within, shown};

/// Id of the table of all lines.
const TABLE: &str = "cache-lines";
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
pub(in crate::systems::ascend::reader) fn cache_lines(json: &Json, within: &Within, sink: &mut Sink) {
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
            head.figures.push(maps(values, TABLE));
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
    Table {
        id: TABLE.to_owned(),
        title: phrase("Cache lines").to_owned(),
        columns,
        notes: Vec::new(),
        scope: CodeScope::default(),
    }
}
