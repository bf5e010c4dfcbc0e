//! The requests of the vendor's design document.
//!
//! Names, shapes and kinds of scalars are those of the design document (Ascend/msinsight, Compute design document); digits
//! are those of the file. Times are whole nanoseconds (ticks, where the trace has other ones) from the start of the trace,
//! the smallest time of any row: what the vendor's viewer shows as 0. What is asked of the payload of a block is read back
//! from the file; nothing is kept for it.

mod blocks;
mod cores;
mod memory;
mod slices;
mod source;
mod units;
mod value;

use crate::analysis::depths::{Depths, bars, thinned};
use crate::base::time::{Span, Ticks};
use crate::export::{ExportInput, RequestError, RequestHandler, RequestParams, RequestResult, body};
use crate::input::EntryId;
use crate::input::json::{Json, parse};
use crate::model::slice::Slices;
use crate::model::track::TrackKind;
use crate::systems::ascend::reader::{heads_of, shown_units};
use blocks::kind;
use serde::Serialize;
use std::borrow::Cow;
use units::Units;
use value::{distinct, items_of, kind_of_core, text, text_of, texts_of};

/// The commands, in the order of the design.
#[rustfmt::skip] // one command a line
pub static REQUESTS: &[&RequestHandler] = &[
    &RequestHandler { command: "import/action", answer: open_action },
    &RequestHandler { command: "unit/threadTracesSummary", answer: trace_summary },
    &RequestHandler { command: "unit/threadTraces", answer: trace_thread },
    &RequestHandler { command: "unit/flows", answer: slices::flows },
    &RequestHandler { command: "unit/threadDetail", answer: slices::detail },
    &RequestHandler { command: "source/code/file", answer: source::file },
    &RequestHandler { command: "source/api/line", answer: source::lines },
    &RequestHandler { command: "source/api/line/dynamic", answer: source::dynamic_lines },
    &RequestHandler { command: "source/api/instructions", answer: source::instructions },
    &RequestHandler { command: "source/api/instructions/dynamic", answer: source::dynamic_instructions },
    &RequestHandler { command: "source/details/baseInfo", answer: base_info },
    &RequestHandler { command: "source/details/computeworkload", answer: detail_workload },
    &RequestHandler { command: "source/details/memoryGraph", answer: memory::graph },
    &RequestHandler { command: "source/details/memoryTable", answer: memory::table },
    &RequestHandler { command: "source/details/interCoreLoadAnalysis", answer: cores::occupancy },
    &RequestHandler { command: "source/details/roofline", answer: cores::roofline },
    &RequestHandler { command: "source/cache/cachelineRecords", answer: cores::cache_lines },
    &RequestHandler { command: "source/queryTopWarpStallReason", answer: cores::stalls },
];

// `unit/threadTraces` and `unit/threadTracesSummary`: the slices of a thread, and the bars of a folded process.

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Traces<'a> {
    data: Vec<Vec<Trace<'a>>>,
    max_depth: u32,
    current_max_depth: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Trace<'a> {
    name: &'a str,
    duration: Ticks,
    start_time: Ticks,
    end_time: Ticks,
    depth: usize,
    thread_id: &'a str,
    cname: &'a str,
    id: String,
}

/// The slices of a thread in a range, by depth; of a long range the longest of each of 1000 bins.
fn trace_thread(input: &ExportInput, params: &RequestParams) -> RequestResult {
    let trace = input.trace;
    let units = Units::of(trace);
    let card = blocks::card(input.bundle, params)?;
    let process = units.process(params.text(&["processId", "pid"])?, card)?;
    let thread = process.thread(params.text(&["threadId", "tid"])?)?;
    let range = params.range()?.shifted(units.zero());
    let slices = &thread.track.slices;
    let depths = Depths::of(slices);
    let shown = thinned(slices, &depths, range);
    let thread_id = thread.number.to_string();
    let one = |depth: usize, row: u32| {
        let row = row as usize;
        let span = slices.span(row);
        Trace {
            name: trace.strings.get(slices.name_of(row)),
            duration: span.dur(),
            start_time: units.since(span.start),
            end_time: units.since(span.end),
            depth,
            thread_id: &thread_id,
            cname: trace.strings.get(Slices::sparse(&slices.color, row)),
            id: thread.slice_number(row),
        }
    };
    let data = shown.iter().enumerate();
    let data: Vec<Vec<Trace>> =
        data.map(|(depth, rows)| rows.iter().map(|&row| one(depth, row)).collect()).collect();
    Ok(body(&Traces { current_max_depth: data.len(), data, max_depth: depths.n }))
}

#[derive(Serialize)]
struct Summary {
    data: Vec<Bar>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Bar {
    start_time: Ticks,
    duration: Ticks,
}

/// When anything of a process lasts in a range.
fn trace_summary(input: &ExportInput, params: &RequestParams) -> RequestResult {
    let units = Units::of(input.trace);
    let card = blocks::card(input.bundle, params)?;
    let process = units.process(params.text(&["processId", "pid"])?, card)?;
    let range = params.range()?.shifted(units.zero());
    let tracks: Vec<&Slices> = process.threads.iter().map(|thread| &thread.track.slices).collect();
    let bar = |bar: Span| Bar { start_time: units.since(bar.start), duration: bar.dur() };
    Ok(body(&Summary { data: bars(&tracks, range).into_iter().map(bar).collect() }))
}

// `import/action`: which files are open and what can be asked of them.

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    is_cluster: bool,
    reset: bool,
    is_simulation: bool,
    is_binary: bool,
    is_ipynb: bool,
    core_list: &'a [String],
    source_list: Vec<&'a str>,
    result: Vec<Opened<'a>>,
    units: Vec<Process<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Opened<'a> {
    card_name: &'a str,
    rank_id: &'a str,
    card_path: &'a str,
    result: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Process<'a> {
    id: String,
    name: &'a str,
    start_time: Option<Ticks>,
    end_time: Option<Ticks>,
    threads: Vec<Thread<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Thread<'a> {
    id: String,
    name: &'a str,
    kind: &'static str,
    start_time: Option<Ticks>,
    end_time: Option<Ticks>,
}

/// Describes the open files: all, or those of `path`.
fn open_action(input: &ExportInput, params: &RequestParams) -> RequestResult {
    let bundle = input.bundle;
    let asked = params.list("path");
    let mut wanted: Vec<EntryId> = Vec::with_capacity(asked.len());
    for path in asked {
        let known = bundle.iter().map(|(_, entry)| entry.path.clone());
        let file =
            blocks::file(bundle, path).ok_or_else(|| RequestError::unknown_id("open file", path, known))?;
        wanted.push(file);
    }
    let is_read = |id: EntryId| input.claimed.contains(&id);
    let cards = bundle.iter().filter(|(id, _)| wanted.is_empty() || wanted.contains(id));
    let trace = input.trace;
    let units = Units::of(trace);
    let is_binary = !trace.blocks.is_empty();
    Ok(body(&Body {
        is_cluster: false,
        reset: true,
        is_simulation: is_binary || trace.flows.by_flag,
        is_binary,
        is_ipynb: false,
        core_list: &trace.code.cores,
        source_list: source::paths(input),
        result: cards
            .map(|(id, entry)| Opened {
                card_name: bundle.short(id),
                rank_id: &entry.path,
                card_path: &entry.path,
                result: is_read(id),
            })
            .collect(),
        units: units.processes.iter().map(|process| tree(&units, process)).collect(),
    }))
}

fn tree<'a>(units: &Units<'a>, process: &units::Process<'a>) -> Process<'a> {
    let ends = |span: Option<Span>| (span.map(|s| units.since(s.start)), span.map(|s| units.since(s.end)));
    let spans: Vec<Option<Span>> = process.threads.iter().map(units::Thread::span).collect();
    let (start_time, end_time) = ends(spans.iter().flatten().copied().reduce(Span::union));
    let threads = process.threads.iter().zip(spans).map(|(thread, span)| {
        let (start_time, end_time) = ends(span);
        let kind = if thread.track.kind == TrackKind::Counter { "counter" } else { "slices" };
        Thread { id: thread.number.to_string(), name: thread.name, kind, start_time, end_time }
    });
    Process {
        id: process.number.to_string(),
        name: process.name,
        start_time,
        end_time,
        threads: threads.collect(),
    }
}

/// Whether the trace is of an operator, whose slices have no self time for the vendor's viewer.
fn is_operator(input: &ExportInput) -> bool {
    blocks::find(input, kind::TIMELINE, None).is_some() || input.trace.flows.by_flag
}

// `source/details/baseInfo` and `source/details/computeworkload`. All scalars are texts with the digits of the file; both
// spellings of the blocks are read.

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
    row: Vec<ValueRow<'a>>,
}

#[derive(Serialize)]
struct ValueRow<'a> {
    value: Vec<Cow<'a, str>>,
}

/// What the operator is.
fn base_info(input: &ExportInput, params: &RequestParams) -> RequestResult {
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
            row: rows.map(|row| ValueRow { value: borrowed(texts_of(row, "value")) }).collect(),
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
        ValueRow { value }
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
fn detail_workload(input: &ExportInput, params: &RequestParams) -> RequestResult {
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
