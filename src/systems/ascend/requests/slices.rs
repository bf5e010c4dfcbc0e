//! `unit/flows` and `unit/threadDetail`: the arrows at a slice, and everything about it.

use super::blocks;
use super::units::{Thread, Units, rows_at};
use crate::analysis::depths::Depths;
use crate::base::map::Map;
use crate::base::time::Ticks;
use crate::export::{ExportInput, RequestError, RequestParams, RequestResult, body};
use crate::input::EntryId;
use crate::input::json::parse;
use crate::model::FlowEnd;
use crate::model::id::{FlowId, SliceId, StrId, TrackId};
use crate::model::slice::Slices;
use serde::Serialize;

/// Most bytes of the file read for the arguments of a slice.
const MAX_DETAIL: u64 = 4 * 1024 * 1024;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Flows<'a> {
    unit_all_flows: Vec<Category<'a>>,
}

#[derive(Serialize)]
struct Category<'a> {
    cat: &'a str,
    flows: Vec<Flow<'a>>,
}

#[derive(Serialize)]
struct Flow<'a> {
    title: &'a str,
    cat: &'a str,
    id: &'a str,
    from: End<'a>,
    to: End<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct End<'a> {
    pid: String,
    tid: String,
    timestamp: Ticks,
    duration: Ticks,
    depth: u32,
    name: &'a str,
    id: String,
    meta_type: &'static str,
    rank_id: &'a str,
}

/// The flows that begin or end at a slice, by category in the order they are found.
pub(super) fn flows(input: &ExportInput, params: &RequestParams) -> RequestResult {
    let units = Units::of(input.trace);
    let (_, slice) = asked(input, &units, params)?;
    let mut ends = Ends { input, units: &units, depths: Map::default() };
    let mut categories: Vec<Category> = Vec::new();
    let flows = &input.trace.flows;
    for flow in input.derived.timeline.flows().of_slice(slice) {
        let bound = ends.bound(flow);
        if !bound.contains(&Some(slice)) {
            continue;
        }
        let Some(flow) = flows.flow(flow) else { continue };
        let text = |id: StrId| input.trace.strings.get(id);
        let cat = text(flow.category);
        let [from, to] = bound;
        let one = Flow {
            title: text(flow.name),
            cat,
            id: text(flow.id),
            from: ends.end(flow.from, from),
            to: ends.end(flow.to, to),
        };
        match categories.iter_mut().find(|known| known.cat == cat) {
            Some(known) => known.flows.push(one),
            None => categories.push(Category { cat, flows: vec![one] }),
        }
    }
    Ok(body(&Flows { unit_all_flows: categories }))
}

/// The slice of `pid`, `tid` and `id`; without an id the one that begins at `startTime` on `depth`.
fn asked<'a>(
    input: &'a ExportInput<'a>,
    units: &Units<'a>,
    params: &RequestParams,
) -> Result<(Thread<'a>, SliceId), RequestError> {
    let card = blocks::card(input.bundle, params)?;
    let process = units.process(params.text(&["pid", "processId"])?, card)?;
    let thread = process.thread(params.text(&["tid", "threadId"])?)?;
    let start = params.time("startTime")?;
    if let Some(id) = params.optional(&["id"]) {
        return Ok((thread, units.slice(&thread, id, start)?));
    }
    let Some(start) = start else {
        return Err(params.text(&["id"]).err().unwrap_or_else(|| params.wrong("id", "a string")));
    };
    let depth = params.time("depth")?.unwrap_or(0);
    let slices = &thread.track.slices;
    let depths = Depths::of(slices);
    let mut rows = rows_at(slices, start.saturating_add(units.zero()));
    let row = rows.find(|&row| depths.of_row.get(row).copied().map(i64::from) == Some(depth));
    row.map(|row| (thread, SliceId { track: thread.id, row: row as u32 })).ok_or_else(|| {
        let what = format!("slice of thread {} ({}) on depth {depth} at", thread.number, thread.name);
        RequestError::unknown_id(&what, &start.to_string(), ["a start from unit/threadTraces".to_owned()])
    })
}

/// Tells of the ends of flows; depths of a track are given out once.
struct Ends<'a, 'u> {
    input: &'a ExportInput<'a>,
    units: &'u Units<'a>,
    depths: Map<TrackId, Depths>,
}

impl<'a> Ends<'a, '_> {
    /// The slices at both ends. Where flows find slices by flag, no other slice counts.
    fn bound(&self, flow: FlowId) -> [Option<SliceId>; 2] {
        let trace = self.input.trace;
        let is_meant = |slice: &SliceId| {
            let flags = &trace.tracks.get(slice.track).slices.flag;
            let flag = Slices::sparse(flags, slice.row as usize);
            !trace.flows.by_flag || trace.flows.id.get(flow.index()) == Some(&flag)
        };
        self.input.derived.timeline.flows().ends(trace, flow).map(|slice| slice.filter(is_meant))
    }

    fn end(&mut self, end: FlowEnd, slice: Option<SliceId>) -> End<'a> {
        let trace = self.input.trace;
        let thread = self.units.thread_of(end.track);
        let track = trace.tracks.get(end.track);
        let row = slice.map(|slice| slice.row as usize);
        let depths = self.depths.entry(end.track).or_insert_with(|| Depths::of(&track.slices));
        let number = |number: Option<usize>| number.map_or(String::new(), |n| n.to_string());
        End {
            pid: number(thread.map(|t| t.process)),
            tid: number(thread.map(|t| t.number)),
            timestamp: self.units.since(end.time),
            duration: row.map_or(0, |row| track.slices.span(row).dur()),
            depth: row.and_then(|row| depths.of_row.get(row).copied()).unwrap_or(0),
            name: row.map_or("", |row| trace.strings.get(track.slices.name_of(row))),
            id: thread.zip(row).map_or(String::new(), |(thread, row)| thread.slice_number(row)),
            meta_type: "",
            rank_id: self.input.bundle.get(EntryId(track.entry)).map_or("", |entry| &entry.path),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Detail<'a> {
    empty_flag: bool,
    data: Data<'a>,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Data<'a> {
    self_time: Ticks,
    args: String,
    title: &'a str,
    duration: Ticks,
    cat: &'a str,
    input_shapes: &'static str,
    input_data_types: &'static str,
    input_formats: &'static str,
    output_shapes: &'static str,
    output_data_types: &'static str,
    output_formats: &'static str,
    attr_info: &'static str,
}

/// Everything about a slice, its arguments as the text of a JSON object.
pub(super) fn detail(input: &ExportInput, params: &RequestParams) -> RequestResult {
    let trace = input.trace;
    let units = Units::of(trace);
    let (thread, slice) = asked(input, &units, params)?;
    let (slices, row) = (&thread.track.slices, slice.row as usize);
    let range = slices.detail(row);
    let bytes = input.bytes(thread.track.entry, range.start..range.end.min(range.start + MAX_DETAIL));
    let event = parse(&bytes, 0).0;
    let args = event.get("args").map(body);
    let data = Data {
        self_time: if super::is_operator(input) { 0 } else { own_time(slices, row) },
        args: args.unwrap_or_else(|| "{}".to_owned()),
        title: trace.strings.get(slices.name_of(row)),
        duration: slices.span(row).dur(),
        cat: trace.strings.get(slices.category_of(row)),
        ..Data::default()
    };
    Ok(body(&Detail { empty_flag: false, data }))
}

/// The time of a slice without those one depth below that lie in it.
fn own_time(slices: &Slices, row: usize) -> Ticks {
    let depths = Depths::of(slices);
    let span = slices.span(row);
    let Some(&depth) = depths.of_row.get(row) else { return span.dur() };
    let inner = (row + 1..slices.len()).take_while(|&inner| slices.span(inner).start < span.end);
    let inner = inner.filter(|&inner| depths.of_row.get(inner) == Some(&(depth + 1)));
    let inner = inner.filter(|&inner| slices.span(inner).end <= span.end);
    span.dur() - inner.map(|inner| slices.dur_of(inner)).sum::<Ticks>()
}
