//! `import/action`: which files are open and what can be asked of them.

use super::blocks::{self, kind};
use super::source;
use super::units::Units;
use crate::base::time::{Span, Ticks};
use crate::export::ExportInput;
use crate::export::request::{RequestError, RequestParams};
use crate::export::request::{RequestResult, body};
use crate::input::bundle::EntryId;
use crate::model::track::TrackKind;
use serde::Serialize;

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
pub(super) fn action(input: &ExportInput, params: &RequestParams) -> RequestResult {
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

fn tree<'a>(units: &Units<'a>, process: &super::units::Process<'a>) -> Process<'a> {
    let ends = |span: Option<Span>| (span.map(|s| units.since(s.start)), span.map(|s| units.since(s.end)));
    let spans: Vec<Option<Span>> = process.threads.iter().map(super::units::Thread::span).collect();
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
pub(super) fn is_operator(input: &ExportInput) -> bool {
    blocks::find(input, kind::TIMELINE, None).is_some() || input.trace.flows.by_flag
}
