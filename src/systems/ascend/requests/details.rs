//! `source/details/baseInfo` and `source/details/computeworkload`. All scalars are texts with the digits of the file; both
//! spellings of the blocks are read.

use super::blocks::{self, kind};
use super::value::{distinct, items_of, kind_of_core, text, text_of, texts_of};
use crate::export::ExportInput;
use crate::export::request::RequestParams;
use crate::export::request::{RequestResult, body};
use crate::input::json::{Json, parse};
use crate::systems::ascend::reader::{heads_of, shown_units};
use serde::Serialize;
use std::borrow::Cow;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BaseInfo<'a> {
    name: &'a str,
    soc: &'a str,
    op_type: Cow<'a, str>,
    block_dim: &'a str,
    mix_block_dim: &'a str,
    duration: &'a str,
    device_id: &'a str,
    pid: &'a str,
    block_detail: Table<'a>,
    advice: Vec<&'a str>,
}

/// A table as the design has it.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Table<'a> {
    header_name: Vec<Cow<'a, str>>,
    size: Vec<Cow<'a, str>>,
    row: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    value: Vec<Cow<'a, str>>,
}

/// What the operator is.
pub(super) fn base_info(input: &ExportInput, params: &RequestParams) -> RequestResult {
    let card = blocks::card(input.bundle, params)?;
    let bytes = blocks::payload(input, kind::BASE_INFO, "base info", card)?;
    let json = parse(&bytes, 0).0;
    let op_type = kind_of_core(text_of(&json, "op_type"));
    let mix = json.get("mix_block_detail").filter(|_| op_type == "mix");
    let detail = mix.or(json.get("block_detail")).or(json.get("mix_block_detail"));
    Ok(body(&BaseInfo {
        name: text_of(&json, "name"),
        soc: text_of(&json, "soc"),
        block_dim: said_of(&json, "block_dim"),
        mix_block_dim: said_of(&json, "mix_block_dim"),
        duration: text_of(&json, "duration"),
        device_id: said_of(&json, "device_id"),
        pid: said_of(&json, "pid"),
        block_detail: detail.map_or_else(Table::default, |detail| block_detail(detail, &op_type)),
        advice: texts_of(&json, "advice"),
        op_type,
    }))
}

/// A number of the base info as text; empty for a negative one, which stands for no value.
fn said_of<'a>(json: &'a Json<'a>, name: &str) -> &'a str {
    Some(text_of(json, name)).filter(|text| !text.starts_with('-')).unwrap_or("")
}

/// The table of blocks: as files have it, or the list of blocks of the design document made a table.
fn block_detail<'a>(detail: &'a Json<'a>, op_type: &str) -> Table<'a> {
    let borrowed = |list: Vec<&'a str>| list.into_iter().map(Cow::Borrowed).collect();
    let Json::Array(blocks) = detail else {
        let rows = items_of(detail, &["row"]).iter();
        return Table {
            header_name: borrowed(texts_of(detail, "head_name")),
            size: borrowed(texts_of(detail, "size")),
            row: rows.map(|row| Row { value: borrowed(texts_of(row, "value")) }).collect(),
        };
    };
    let n_durations = blocks.iter().map(|block| block.get("duration").map_or(0, |d| d.items().len())).max();
    let n_durations = n_durations.unwrap_or(0);
    let is_list = 0 < n_durations;
    let header = if is_list {
        heads_of(op_type, n_durations)
    } else {
        ["Block ID", "Core Type", "Duration (μs)"].map(str::to_owned).to_vec()
    };
    let row = |block: &'a Json<'a>| {
        let mut value = vec![Cow::Borrowed(text_of(block, "block_id"))];
        if !is_list {
            value.push(kind_of_core(text_of(block, "core_type")));
        }
        value.extend(texts_of(block, "duration").into_iter().map(Cow::Borrowed));
        Row { value }
    };
    Table {
        size: vec![Cow::Owned((blocks.len() + 1).to_string()), Cow::Owned(header.len().to_string())],
        header_name: header.into_iter().map(Cow::Owned).collect(),
        row: blocks.iter().map(row).collect(),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Workload<'a> {
    block_id_list: Vec<&'a str>,
    chart_data: SubBlocks<'a>,
    table_data: SubBlocks<'a>,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct SubBlocks<'a> {
    detail_data_list: Vec<SubBlock<'a>>,
    advice: Vec<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SubBlock<'a> {
    block_id: &'a str,
    block_type: Cow<'a, str>,
    name: &'a str,
    unit: &'a str,
    value: Cow<'a, str>,
    origin_value: &'a str,
}

/// How busy the pipes of each block were, as bars and as a table.
pub(super) fn workload(input: &ExportInput, params: &RequestParams) -> RequestResult {
    let card = blocks::card(input.bundle, params)?;
    let chart = blocks::payload(input, kind::LOAD_CHART, "compute workload", card);
    let table = blocks::payload(input, kind::LOAD_TABLE, "compute workload", card);
    let (chart, table) = match (chart, table) {
        (Err(problem), Err(_)) => return Err(problem),
        (chart, table) => (chart.unwrap_or_default(), table.unwrap_or_default()),
    };
    let base = blocks::payload(input, kind::BASE_INFO, "base info", card).unwrap_or_default();
    let (chart, table, base) = (parse(&chart, 0).0, parse(&table, 0).0, parse(&base, 0).0);
    let (chart_data, table_data) = (sub_blocks(&chart, &shown_units(&chart, &base)), sub_blocks(&table, &[]));
    let both = chart_data.detail_data_list.iter().chain(&table_data.detail_data_list);
    let block_id_list = distinct(both.map(|one| one.block_id).collect());
    Ok(body(&Workload { block_id_list, chart_data, table_data }))
}

/// The values of a block; `shown` has units and factors of those that are not what the file calls them.
fn sub_blocks<'a>(json: &'a Json<'a>, shown: &[(Option<u8>, f64)]) -> SubBlocks<'a> {
    // What is no object is left out.
    let items: Vec<&Json> =
        items_of(json, &["subblock_detail"]).iter().filter(|item| !item.members().is_empty()).collect();
    let one = |(at, item): (usize, &'a Json<'a>)| {
        let data = item.get("data_detail").unwrap_or(item);
        let said = shown.get(at).and_then(|(unit, factor)| Some((unit_word(i64::from((*unit)?))?, *factor)));
        let value = text_of(data, "value");
        let scaled = said.filter(|(_, factor)| *factor != 1.0).and_then(|_| {
            // The digits of the file, two places on.
            Some(Cow::Owned(format!("{}e2", value.parse::<f64>().ok()?).parse::<f64>().ok()?.to_string()))
        });
        SubBlock {
            block_id: text_of(item, "block_id"),
            block_type: kind_of_core(text_of(item, "block_type")),
            name: text_of(data, "name"),
            unit: said.map(|(unit, _)| unit).or_else(|| data.get("unit").map(unit)).unwrap_or(""),
            value: scaled.unwrap_or(Cow::Borrowed(value)),
            origin_value: text_of(data, "origin_value"),
        }
    };
    let mut advice = texts_of(json, "advice");
    advice.extend(items.iter().flat_map(|item| texts_of(item, "advice")));
    SubBlocks { detail_data_list: (0..).zip(items).map(one).collect(), advice: distinct(advice) }
}

/// The word for the number of a unit; a word stays as it is.
fn unit<'a>(value: &'a Json<'a>) -> &'a str {
    value.as_i64().and_then(unit_word).unwrap_or_else(|| text(value))
}

fn unit_word(number: i64) -> Option<&'static str> {
    let words = ["Duration(μs)", "Instructions", "Data Volume(byte)", "PRE", "Ops"];
    usize::try_from(number).ok().and_then(|number| words.get(number)).copied()
}
