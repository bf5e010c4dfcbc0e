//! `unit/threadTraces` and `unit/threadTracesSummary`: the slices of a thread, and the bars of a folded process.

use super::blocks;
use super::units::Units;
use crate::analysis::depths::{Depths, bars, thinned};
use crate::base::time::{Span, Ticks};
use crate::export::ExportInput;
use crate::export::request::RequestParams;
use crate::export::request::{RequestResult, body};
use crate::model::slice::Slices;
use serde::Serialize;

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
pub(super) fn thread(input: &ExportInput, params: &RequestParams) -> RequestResult {
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
            name: trace.strings.get(slices.name[row]),
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
pub(super) fn summary(input: &ExportInput, params: &RequestParams) -> RequestResult {
    let units = Units::of(input.trace);
    let card = blocks::card(input.bundle, params)?;
    let process = units.process(params.text(&["processId", "pid"])?, card)?;
    let range = params.range()?.shifted(units.zero());
    let tracks: Vec<&Slices> = process.threads.iter().map(|thread| &thread.track.slices).collect();
    let bar = |bar: Span| Bar { start_time: units.since(bar.start), duration: bar.dur() };
    Ok(body(&Summary { data: bars(&tracks, range).into_iter().map(bar).collect() }))
}
