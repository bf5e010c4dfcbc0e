//! `source/details/memoryGraph` and `source/details/memoryTable`: of one block, or of the mean that files call "NA".
//!
//! All scalars are texts with the digits of the file, but `request` is a number and `display` a truth value.

use super::blocks::{self, kind};
use super::value::{Number, distinct, items_of, kind_of_core, member, text_of, texts_of};
use crate::export::{ExportInput, RequestError, RequestParams, RequestResult, body};
use crate::input::json::{Json, parse};
use serde::Serialize;
use std::borrow::Cow;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Graph<'a> {
    core_memory: Vec<CoreMemory<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CoreMemory<'a> {
    advice: Vec<&'a str>,
    block_id: &'a str,
    l2_cache: Cache<'a>,
    block_type: Cow<'a, str>,
    chip_type: &'a str,
    memory_unit: Vec<Transfer<'a>>,
    vector: Busy<'a>,
    vector1: Busy<'a>,
    cube: Busy<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Cache<'a> {
    hit_ratio: &'a str,
    hit: &'a str,
    total_request: &'a str,
    miss: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Transfer<'a> {
    request: Number<'a>,
    request_suffix: &'a str,
    display: bool,
    peak_ratio: &'a str,
    bandwidth: &'a str,
    bandwidth_suffix: &'a str,
    memory_path: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Busy<'a> {
    cycle: &'a str,
    total_cycles: &'a str,
    ratio: &'a str,
}

/// The paths of the memory chart of a block.
pub(super) fn graph(input: &ExportInput, params: &RequestParams) -> RequestResult {
    let asked = params.text(&["blockId"])?;
    let card = blocks::card(input.bundle, params)?;
    let bytes = blocks::payload(input, kind::MEMORY_GRAPH, "memory chart", card)?;
    let json = parse(&bytes, 0).0;
    let cores = of_block(items_of(&json, &["core_memory_map"]), "core_no", asked)?;
    Ok(body(&Graph { core_memory: cores.into_iter().map(core_memory).collect() }))
}

fn core_memory<'a>(core: &'a Json<'a>) -> CoreMemory<'a> {
    static NOTHING: Json = Json::Null;
    let busy = |name: &str| {
        let of = member(core, name).unwrap_or(&NOTHING);
        Busy {
            cycle: text_of(of, "cycle"),
            total_cycles: text_of(of, "total_cycles"),
            ratio: text_of(of, "ratio"),
        }
    };
    let cache = core.get("L2cache").unwrap_or(&NOTHING);
    CoreMemory {
        advice: distinct(texts_of(core, "advice")),
        block_id: text_of(core, "core_no"),
        l2_cache: Cache {
            hit_ratio: text_of(cache, "hit_ratio"),
            hit: text_of(cache, "hit"),
            total_request: text_of(cache, "total_request"),
            miss: text_of(cache, "miss"),
        },
        block_type: kind_of_core(first_text(core, &["op_type", "core_type"])),
        chip_type: text_of(core, "soc"),
        memory_unit: items_of(core, &["memory_unit"]).iter().map(transfer).collect(),
        vector: busy("Vector"),
        vector1: busy("Vector1"),
        cube: busy("Cube"),
    }
}

fn transfer<'a>(unit: &'a Json<'a>) -> Transfer<'a> {
    let shown = unit.get("display");
    Transfer {
        request: Number(unit.get("request")),
        // The writer for one chip spells it with another s.
        request_suffix: first_text(unit, &["request_suffix", "requests_suffix"]),
        display: shown.is_some_and(|v| v.as_i64() == Some(1) || v.as_text() == Some("true")),
        peak_ratio: text_of(unit, "peak_ratio"),
        bandwidth: text_of(unit, "bandwidth"),
        bandwidth_suffix: text_of(unit, "bandwidth_suffix"),
        memory_path: text_of(unit, "memory_path"),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tables<'a> {
    memory_table: Vec<TablesOfBlock<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TablesOfBlock<'a> {
    advice: Vec<&'a str>,
    block_id: &'a str,
    table_op_type: Cow<'a, str>,
    table_detail: Vec<Sheet<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Sheet<'a> {
    header_name: Vec<&'a str>,
    table_name: &'a str,
    size: Vec<&'a str>,
    row: Vec<MemoryRow<'a>>,
}

#[derive(Serialize)]
struct MemoryRow<'a> {
    name: &'a str,
    value: Vec<&'a str>,
}

/// The memory tables of a block.
pub(super) fn table(input: &ExportInput, params: &RequestParams) -> RequestResult {
    let asked = params.text(&["blockId"])?;
    let card = blocks::card(input.bundle, params)?;
    let bytes = blocks::payload(input, kind::MEMORY_TABLE, "memory tables", card)?;
    let json = parse(&bytes, 0).0;
    let found = of_block(items_of(&json, &["table_per_block"]), "block_id", asked)?;
    let one = |block| TablesOfBlock {
        advice: distinct(texts_of(block, "advice").into_iter().chain(texts_of(&json, "advice")).collect()),
        block_id: text_of(block, "block_id"),
        table_op_type: kind_of_core(text_of(block, "table_op_type")),
        table_detail: items_of(block, &["table_detail", "tables_detail"]).iter().map(detail).collect(),
    };
    Ok(body(&Tables { memory_table: found.into_iter().map(one).collect() }))
}

fn detail<'a>(table: &'a Json<'a>) -> Sheet<'a> {
    let row = |row| MemoryRow { name: text_of(row, "name"), value: texts_of(row, "value") };
    Sheet {
        header_name: texts_of(table, "header_name"),
        table_name: text_of(table, "table_name"),
        size: texts_of(table, "size"),
        row: items_of(table, &["row"]).iter().map(row).collect(),
    }
}

/// The items of a block.
fn of_block<'a>(items: &'a [Json<'a>], key: &str, asked: &str) -> Result<Vec<&'a Json<'a>>, RequestError> {
    let found: Vec<&Json> = items.iter().filter(|item| text_of(item, key) == asked).collect();
    if found.is_empty() {
        let known = distinct(items.iter().map(|item| text_of(item, key)).collect());
        return Err(RequestError::unknown_id("block", asked, known.into_iter().map(str::to_owned)));
    }
    Ok(found)
}

/// The first of these members that has a text.
fn first_text<'a>(object: &'a Json<'a>, names: &[&str]) -> &'a str {
    names.iter().map(|name| text_of(object, name)).find(|text| !text.is_empty()).unwrap_or("")
}
