//! `source/details/interCoreLoadAnalysis`, `source/details/roofline`, `source/cache/cachelineRecords`,
//! `source/queryTopWarpStallReason`: blocks with the names of their members in the habit of the other answers.

use super::blocks::{self, kind};
use super::value::{Number, Ranges, items_of, kind_of_core, text_of, texts_of};
use crate::export::{ExportInput, RequestError, RequestParams, RequestResult, body};
use crate::input::json::{Json, parse};
use crate::model::figure::{Body as FigureBody, Cell, CoreGrid, Family, Figure, TableFigure};
use crate::systems::ascend::reader::SHOWN_OF_CORES;
use serde::Serialize;
use std::borrow::Cow;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Occupancy<'a> {
    soc: &'a str,
    op_type: Cow<'a, str>,
    advice: String,
    op_details: Vec<Core<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Core<'a> {
    core_id: &'a str,
    sub_core_details: Vec<Unit>,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Unit {
    sub_core_name: String,
    cycles: Level,
    throughput: Level,
    cache_hit_rate: Level,
    simt_vf_instructions: Level,
    simt_vf_instruction_per_cycle: Level,
}

#[derive(Serialize)]
struct Level {
    value: String,
    level: String,
}

impl Default for Level {
    fn default() -> Self {
        Self { value: "NA".to_owned(), level: "0".to_owned() }
    }
}

/// How evenly the cores were busy: all cores of the chip with their levels, as the figure has them.
pub(super) fn occupancy(input: &ExportInput, params: &RequestParams) -> RequestResult {
    let card = blocks::card(input.bundle, params)?;
    let bytes = blocks::payload(input, kind::OCCUPANCY, "core occupancy", card)?;
    let json = parse(&bytes, 0).0;
    let figures = figures(input, "core-occupancy", card);
    // By name: what was measured of no core has no grid.
    let of_name = |family: &'_ Family| {
        let shown = family.choices.first().map_or(&[][..], |choice| &choice.options);
        SHOWN_OF_CORES.map(|name| {
            let at = shown.iter().position(|option| option == name)?;
            family.variant(&[at]).and_then(grid).cloned()
        })
    };
    let Some(grids) = figures.map(of_name) else {
        return Err(RequestError::no_data("No cores in the core occupancy block (0C): expected op_detail."));
    };
    let per_cycle = figures_table(input, card);
    let cores = grids.iter().flatten().next().map_or(&[][..], |grid| &grid.cores).iter().enumerate();
    let op_details = cores.map(|(row, core)| {
        let cells = core.cells.iter().enumerate().filter(|_| core.is_measured);
        let sub_core = |(column, cell): (usize, &crate::model::figure::CoreCell)| {
            let level = |which: usize| {
                let grid = grids.get(which).and_then(Option::as_ref);
                let cell = grid.and_then(|grid| grid.cores.get(row)?.cells.get(column));
                cell.and_then(|cell| Some((cell.value?, cell.level))).map_or_else(Level::default, said)
            };
            let ipc = per_cycle.and_then(|table| number(table, &core.name, &cell.name));
            let is_there = grids.iter().flatten().any(|grid| {
                grid.cores.get(row).and_then(|c| c.cells.get(column)).is_some_and(|c| c.value.is_some())
            });
            is_there.then(|| Unit {
                sub_core_name: sub_core_name(&cell.name),
                cycles: level(0),
                throughput: level(1),
                cache_hit_rate: level(2),
                simt_vf_instructions: level(3),
                simt_vf_instruction_per_cycle: ipc.map_or_else(Level::default, |v| said((v, None))),
            })
        };
        Core { core_id: &core.name, sub_core_details: cells.filter_map(sub_core).collect() }
    });
    Ok(body(&Occupancy {
        soc: text_of(&json, "soc"),
        op_type: kind_of_core(text_of(&json, "op_type")),
        advice: texts_of(&json, "advice").join("\n"),
        op_details: op_details.collect(),
    }))
}

fn said((value, level): (f64, Option<u8>)) -> Level {
    // A level that means nothing (all are equal) is 0 in the vendor's answers.
    Level { value: value.to_string(), level: level.unwrap_or(0).to_string() }
}

/// `cube` of the figure as the answer has it: what is alone has the number 0.
fn sub_core_name(name: &str) -> String {
    if name.ends_with(|c: char| c.is_ascii_digit()) { name.to_owned() } else { format!("{name}0") }
}

/// The figure of this id; of several files the one of the card.
fn figures<'a>(input: &'a ExportInput<'a>, id: &str, card: Option<u32>) -> Option<&'a Family> {
    let blocks = input.trace.blocks.iter().filter(|b| b.kind == kind::OCCUPANCY);
    let mut entries: Vec<u32> = blocks.map(|b| b.entry).collect();
    entries.dedup();
    let nth = card.and_then(|card| entries.iter().position(|entry| *entry == card)).unwrap_or(0);
    input.trace.figures.iter().filter(|family| family.id == id).nth(nth)
}

fn grid(figure: &Figure) -> Option<&CoreGrid> {
    match &figure.body {
        FigureBody::Cores(grid) => Some(grid),
        _ => None,
    }
}

fn figures_table<'a>(input: &'a ExportInput<'a>, card: Option<u32>) -> Option<&'a TableFigure> {
    match &figures(input, "instructions-per-cycle", card)?.variants.first()?.body {
        FigureBody::Table(table) => Some(table),
        _ => None,
    }
}

/// The number in the row of a core and the column of a sub core.
fn number(table: &TableFigure, core: &str, sub_core: &str) -> Option<f64> {
    let column = table.columns.iter().position(|column| column.name == sub_core)?;
    let is_core = |row: &&Vec<Cell>| matches!(row.first(), Some(Cell::Text(name)) if name == core);
    match table.rows.iter().find(is_core)?.get(column)? {
        Cell::Number(value) => Some(*value),
        _ => None,
    }
}

#[derive(Serialize)]
struct Rooflines<'a> {
    soc: &'a str,
    advice: String,
    data: Vec<RooflineChart<'a>>,
}

#[derive(Serialize)]
struct RooflineChart<'a> {
    title: &'a str,
    rooflines: Vec<Roofline<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Roofline<'a> {
    bw: &'a str,
    bw_name: &'a str,
    computility: &'a str,
    computility_name: &'a str,
    point: Vec<&'a str>,
    ratio: &'a str,
}

/// The rooflines; the chip comes from the base info.
pub(super) fn roofline(input: &ExportInput, params: &RequestParams) -> RequestResult {
    let card = blocks::card(input.bundle, params)?;
    let bytes = blocks::payload(input, kind::ROOFLINE, "rooflines", card)?;
    let json = parse(&bytes, 0).0;
    let base = blocks::payload(input, kind::BASE_INFO, "base info", card).unwrap_or_default();
    let base = parse(&base, 0).0;
    let line = |line| Roofline {
        bw: text_of(line, "bw"),
        bw_name: text_of(line, "bw_name"),
        computility: text_of(line, "computility"),
        computility_name: text_of(line, "computility_name"),
        point: texts_of(line, "point"),
        ratio: text_of(line, "ratio"),
    };
    let chart = |chart| RooflineChart {
        title: text_of(chart, "title"),
        rooflines: items_of(chart, &["rooflines"]).iter().map(line).collect(),
    };
    Ok(body(&Rooflines {
        soc: text_of(&base, "soc"),
        advice: texts_of(&json, "advice").join("\n"),
        data: items_of(&json, &["multiple_rooflines"]).iter().map(chart).collect(),
    }))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CacheLines<'a> {
    cacheline_records: Vec<CacheLine<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CacheLine<'a> {
    cacheline_id: Number<'a>,
    hit: Events<'a>,
    miss: Events<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Events<'a> {
    value: Vec<&'a Json<'a>>,
    address_range: Ranges<'a>,
}

/// Hits and misses of each cache line.
pub(super) fn cache_lines(input: &ExportInput, params: &RequestParams) -> RequestResult {
    let bytes =
        blocks::payload(input, kind::CACHE_LINES, "cache lines", blocks::card(input.bundle, params)?)?;
    let json = parse(&bytes, 0).0;
    let records = items_of(&json, &["Cacheline Records"]).iter().map(|record| CacheLine {
        cacheline_id: Number(record.get("Cacheline Id")),
        hit: events_of(record, "Hit"),
        miss: events_of(record, "Miss"),
    });
    Ok(body(&CacheLines { cacheline_records: records.collect() }))
}

fn events_of<'a>(record: &'a Json<'a>, name: &str) -> Events<'a> {
    let events = record.get(name);
    let values = events.and_then(|events| events.get("Value")).map_or(&[][..], Json::items);
    Events {
        value: values.iter().collect(),
        address_range: Ranges(events.and_then(|events| events.get("Address Range"))),
    }
}

#[derive(Serialize)]
struct Stalls<'a> {
    unit: &'static str,
    data: Vec<Stall<'a>>,
}

#[derive(Serialize)]
struct Stall<'a> {
    name: &'a str,
    value: Number<'a>,
}

/// What warps waited for, in the order of the file; what is no whole number is left out.
pub(super) fn stalls(input: &ExportInput, params: &RequestParams) -> RequestResult {
    let bytes = blocks::payload(input, kind::STALLS, "stall reasons", blocks::card(input.bundle, params)?)?;
    let json = parse(&bytes, 0).0;
    let reasons = json.get("top_stall_reason_table").map_or(&[][..], Json::members);
    let reasons = reasons.iter().filter(|(_, count)| count.as_i64().is_some());
    let data = reasons.map(|(name, count)| Stall { name, value: Number(Some(count)) }).collect();
    Ok(body(&Stalls { unit: "count", data }))
}
