//! `source/code/file`, `source/api/…`: text of sources, metrics of their lines, instructions.
//!
//! Values of a core: a list of a column has one value for each of the cores of the instructions, in their order; where it
//! is shorter its first one holds. Address ranges and lists of registers are the same for all cores.

use super::blocks::{self, ends_in, kind};
use super::value::{Cell, Members, Number, Ranges, text_of};
use crate::base::order;
use crate::export::{ExportInput, RequestError, RequestParams, RequestResult, body};
use crate::input::json::{Json, parse};
use crate::model::code::ListingKind;
use serde::Serialize;

/// Paths of all sources, those with text first.
pub(super) fn paths<'a>(input: &ExportInput<'a>) -> Vec<&'a str> {
    let sources = input.trace.code.listings.iter().filter(|l| l.kind == ListingKind::Source);
    let with_text = sources.clone().filter(|l| l.has_text);
    with_text.chain(sources.filter(|l| !l.has_text)).map(|l| l.title.as_str()).collect()
}

/// The source that a request names, by its path or the end of it.
fn source<'a>(input: &'a ExportInput<'a>, params: &RequestParams) -> Result<&'a str, RequestError> {
    let asked = params.text(&["sourceName"])?;
    let paths = paths(input);
    let exact = paths.iter().find(|path| **path == asked);
    exact
        .or_else(|| paths.iter().find(|path| ends_in(path, asked)))
        .copied()
        .ok_or_else(|| RequestError::unknown_id("source", asked, paths.iter().map(|path| (*path).to_owned())))
}

/// The core that a request names, and its place. Where values are one for all, any name will do.
fn core<'a>(input: &ExportInput, params: &RequestParams<'a>) -> Result<(&'a str, usize), RequestError> {
    let asked = params.text(&["coreName"])?;
    let cores = &input.trace.code.cores;
    if cores.is_empty() {
        return Ok((asked, 0));
    }
    let at = cores.iter().position(|core| core == asked);
    at.map(|at| (asked, at)).ok_or_else(|| RequestError::unknown_id("core", asked, cores.iter().cloned()))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct File<'a> {
    file_content: &'a str,
}

/// The text of a source.
pub(super) fn file(input: &ExportInput, params: &RequestParams) -> RequestResult {
    let path = source(input, params)?;
    let card = blocks::card(input.bundle, params)?;
    let is_meant = |block: &&crate::model::files::Block| {
        block.kind == kind::SOURCE
            && block.path.as_deref() == Some(path)
            && card.is_none_or(|card| card == block.entry)
    };
    let Some(block) = input.trace.blocks.iter().rev().find(is_meant) else {
        let message = format!("No text of {path} in the files: expected a block of type 01 with this path.");
        return Err(RequestError::no_data(message));
    };
    let bytes = blocks::bytes(input, block)?;
    Ok(body(&File { file_content: &String::from_utf8_lossy(&bytes) }))
}

#[derive(Serialize)]
struct Lines<'a> {
    lines: Vec<LineRow<'a>>,
}

#[derive(Serialize)]
struct LineRow<'a> {
    #[serde(rename = "Line")]
    line: Number<'a>,
    #[serde(rename = "Instructions Executed")]
    executed: Number<'a>,
    #[serde(rename = "Cycles")]
    cycles: Number<'a>,
    #[serde(rename = "Address Range")]
    ranges: Ranges<'a>,
}

/// How often the lines of a source ran on a core. Without a table of types, lines that never did are left out.
pub(super) fn lines(input: &ExportInput, params: &RequestParams) -> RequestResult {
    let (path, (_, core)) = (source(input, params)?, core(input, params)?);
    let bytes = blocks::payload(input, kind::LINES, "source lines", blocks::card(input.bundle, params)?)?;
    let json = parse(&bytes, 0).0;
    let is_typed = json.get("Files Dtype").is_some();
    let value = |line, name| value_of(Json::get(line, name)?, core);
    let lines = lines_of(&json, path).map(|line| LineRow {
        line: Number(line.get("Line")),
        executed: Number(value(line, "Instructions Executed")),
        cycles: Number(value(line, "Cycles")),
        ranges: Ranges(line.get("Address Range")),
    });
    let ran = |line: &LineRow| [&line.executed, &line.cycles].iter().any(|v| !v.0.is_some_and(is_zero));
    Ok(body(&Lines { lines: lines.filter(|line| is_typed || ran(line)).collect() }))
}

fn is_zero(value: &Json) -> bool {
    value.as_f64() == Some(0.0)
}

#[derive(Serialize)]
struct DynamicLines<'a> {
    #[serde(rename = "Lines")]
    lines: Vec<Members<'a>>,
    #[serde(rename = "Files Dtype", skip_serializing_if = "Option::is_none")]
    types: Option<&'a Json<'a>>,
}

/// Every column of the lines of a source on a core, with the table of their types.
pub(super) fn dynamic_lines(input: &ExportInput, params: &RequestParams) -> RequestResult {
    let (path, (_, core)) = (source(input, params)?, core(input, params)?);
    let bytes = blocks::payload(input, kind::LINES, "source lines", blocks::card(input.bundle, params)?)?;
    let json = parse(&bytes, 0).0;
    let types = json.get("Files Dtype");
    let of_lines = types.and_then(|types| types.get("Lines"));
    let lines = lines_of(&json, path).map(|line| members(line, of_lines, core));
    Ok(body(&DynamicLines { lines: lines.collect(), types }))
}

/// The lines of a source, of all its entries.
fn lines_of<'a>(json: &'a Json<'a>, path: &'a str) -> impl Iterator<Item = &'a Json<'a>> {
    let files = json.get("Files").map_or(&[][..], Json::items);
    let files = files.iter().filter(move |file| text_of(file, "Source") == path);
    files.flat_map(|file| file.get("Lines").map_or(&[][..], Json::items))
}

#[derive(Serialize)]
struct Instructions<'a> {
    instructions: &'a str,
}

/// The block of instructions as text.
pub(super) fn instructions(input: &ExportInput, params: &RequestParams) -> RequestResult {
    let card = blocks::card(input.bundle, params)?;
    let bytes = blocks::payload(input, kind::INSTRUCTIONS, "instructions", card)?;
    Ok(body(&Instructions { instructions: &String::from_utf8_lossy(&bytes) }))
}

#[derive(Serialize)]
struct DynamicInstructions<'a> {
    #[serde(rename = "Instructions")]
    instructions: Vec<Members<'a>>,
    #[serde(rename = "Instructions Dtype", skip_serializing_if = "Option::is_none")]
    types: Option<&'a Json<'a>>,
    #[serde(rename = "Core")]
    core: &'a str,
}

/// Every column of the instructions on a core in order of their addresses, with the table of their types.
pub(super) fn dynamic_instructions(input: &ExportInput, params: &RequestParams) -> RequestResult {
    let (name, core) = core(input, params)?;
    let card = blocks::card(input.bundle, params)?;
    let bytes = blocks::payload(input, kind::INSTRUCTIONS, "instructions", card)?;
    let json = parse(&bytes, 0).0;
    let types = json.get("Instructions Dtype");
    let of_instructions = types.and_then(|types| types.get("Instructions"));
    let rows = json.get("Instructions").map_or(&[][..], Json::items);
    let mut rows: Vec<(u64, &Json)> =
        rows.iter().map(|row| (hexadecimal(text_of(row, "Address")), row)).collect();
    order::sort_by_key(&mut rows, |(address, _)| *address);
    let instructions = rows.iter().map(|(_, row)| members(row, of_instructions, core));
    Ok(body(&DynamicInstructions { instructions: instructions.collect(), types, core: name }))
}

/// An address; the greatest for what is none, so that it comes last.
fn hexadecimal(text: &str) -> u64 {
    let digits = text.trim().trim_start_matches("0x").trim_start_matches("0X");
    u64::from_str_radix(digits, 16).unwrap_or(u64::MAX)
}

/// All members of a row with their values for a core; numbers by type are numbers even where the file has texts.
fn members<'a>(row: &'a Json<'a>, types: Option<&Json>, core: usize) -> Members<'a> {
    let cell = |(name, value): &'a (std::borrow::Cow<'a, str>, Json<'a>)| {
        let name = name.as_ref();
        if name == "Address Range" {
            return (name, Cell::Ranges(Ranges(Some(value))));
        }
        let value = value_of(value, core).unwrap_or(&Json::Null);
        let kind = types.and_then(|types| types.get(name)).and_then(Json::as_i64);
        (name, if matches!(kind, Some(1 | 2 | 4)) { Cell::Number(value) } else { Cell::Plain(value) })
    };
    Members(row.members().iter().map(cell).collect())
}

/// The value of a column for a core. A list of registers is one value.
fn value_of<'a>(value: &'a Json<'a>, core: usize) -> Option<&'a Json<'a>> {
    match value {
        Json::Array(items) if items.first().is_none_or(|first| first.get("regIndex").is_none()) => {
            items.get(core).or(items.first())
        }
        value => Some(value),
    }
}
