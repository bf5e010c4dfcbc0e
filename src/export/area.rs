//! What a stretch of time on some tracks holds: aggregate-csv, flame-svg, gaps-csv, overlap-csv, overlap-json, flows-csv.
//!
//! All take an area as `range-csv` does, `:START,END` in ticks, then `:TRACK,TRACK…` by number; nothing means everything.
//! Waiting is idle time in gaps and overlaps, unless a third part says `waits`: `gaps-csv:0,5000::waits`.

use super::device::recorded;
use super::parts::{after, rows_in_parts};
use super::rows::figure_csv;
use super::sums::area;
use super::{Export, ExportInput, Parts};
use crate::analysis::area::flame::{Flame, FlameMaking};
use crate::analysis::area::gaps::Finding;
use crate::analysis::area::links::{self, Links};
use crate::analysis::area::overlap::{self, Comparing};
use crate::analysis::area::{Scope, Work};
use crate::analysis::rows::{FlowRows, RowOrder};
use crate::analysis::timeline::chosen_tracks;
use crate::base::geometry::Size;
use crate::base::names::sheet_cell;
use crate::base::time::Span;
use crate::base::words::{for_reader, phrase};
use crate::draw::colors::Colors;
use crate::draw::flame::{FlameInput, Layout, ROW, Setting, draw};
use crate::draw::style::DrawStyle;
use crate::model::id::{FlowId, TrackId};
use crate::scene::palette::Palette;
use crate::scene::svg::svg;
use serde::Serialize;
use std::io::{Error, Result, Write};

/// The call tree, one frame a line.
pub(super) static AGGREGATE_CSV: Export = Export {
    id: "aggregate-csv",
    title: phrase("Call tree as CSV"),
    suffix: "calls.csv",
    mime: "text/csv",
    takes_argument: true,
    parameters: &[],
    can: has_calls,
    write: |input, argument| after_flame(input, argument, calls),
};

/// The call tree as a flame graph.
pub(super) static FLAME_SVG: Export = Export {
    id: "flame-svg",
    title: phrase("Flame graph as SVG"),
    suffix: "flame.svg",
    mime: "image/svg+xml",
    takes_argument: true,
    parameters: &[],
    can: has_calls,
    write: |input, argument| {
        after_flame(input, argument, |flame, _| {
            Box::new(move |input, out| flame_svg(&flame, input, out).map(|()| false))
        })
    },
};

/// Every gap of every track.
pub(super) static GAPS_CSV: Export = Export {
    id: "gaps-csv",
    title: phrase("Idle gaps as CSV"),
    suffix: "gaps.csv",
    mime: "text/csv",
    takes_argument: true,
    parameters: &[],
    can: has_slices,
    write: gaps_csv,
};

/// Share of the time in which two tracks are busy, for all pairs.
pub(super) static OVERLAP_CSV: Export = Export {
    id: "overlap-csv",
    title: phrase("Track overlap as CSV"),
    suffix: "overlap.csv",
    mime: "text/csv",
    takes_argument: true,
    parameters: &[],
    can: has_slices,
    write: |input, argument| after_overlap(input, argument, overlap_csv),
};

/// The same in ticks, with what is busy alone and how many are busy at once.
pub(super) static OVERLAP_JSON: Export = Export {
    id: "overlap-json",
    title: phrase("Track overlap as JSON"),
    suffix: "overlap.json",
    mime: "application/json",
    takes_argument: true,
    parameters: &[],
    can: has_slices,
    write: |input, argument| after_overlap(input, argument, overlap_json),
};

/// Every flow.
pub(super) static FLOWS_CSV: Export = Export {
    id: "flows-csv",
    title: phrase("Flows as CSV"),
    suffix: "flows.csv",
    mime: "text/csv",
    takes_argument: true,
    parameters: &[],
    can: |input| !input.trace.flows.is_empty(),
    write: flows_csv,
};

fn has_calls(input: &ExportInput) -> bool {
    has_slices(input) || !input.trace.stacks.is_empty()
}

fn has_slices(input: &ExportInput) -> bool {
    0 < input.trace.n_slices()
}

/// What an argument names, and whether waiting is work there.
struct AreaArgs {
    span: Span,
    named: Vec<TrackId>,
    tracks: Vec<(TrackId, Option<usize>)>,
    waits: bool,
}

impl AreaArgs {
    fn of(input: &ExportInput, argument: &str) -> Result<Self> {
        let mut parts = argument.splitn(3, ':');
        let (times, tracks) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let waits = match parts.next() {
            None | Some("") => false,
            Some("waits") => true,
            Some(other) => return Err(Error::other(format!("{other} is not waits"))),
        };
        let (span, named) = area(input, &format!("{times}:{tracks}"))?;
        Ok(Self { span, tracks: chosen_tracks(input.trace, &named), named, waits })
    }

    fn scope<'a>(&'a self, input: &ExportInput<'a>) -> Scope<'a> {
        Scope { trace: input.trace, timeline: &input.derived.timeline, tracks: &self.tracks, span: self.span }
    }
}

fn head(words: &[&str], times: &[&str], input: &ExportInput) -> Vec<String> {
    let unit = input.trace.clock.symbol();
    let times = times.iter().map(|t| format!("{t} ({unit})"));
    words.iter().map(|w| (*w).to_owned()).chain(times).collect()
}

/// Makes the call tree of what is asked, then writes it.
fn after_flame(
    input: &ExportInput,
    argument: &str,
    then: impl FnOnce(Flame, &ExportInput) -> Parts + 'static,
) -> Result<Parts> {
    let asked = AreaArgs::of(input, argument)?;
    let making = FlameMaking::of_area(input.trace, &asked.named, asked.span);
    let step =
        |making: &mut FlameMaking, input: &ExportInput| making.step(input.trace, &input.derived.timeline);
    Ok(after(making, step, |making, input| then(making.finish(), input)))
}

/// Most levels of a path in the call tree as CSV: of deeper ones the innermost.
const LEVELS: usize = 500;

fn calls(flame: Flame, input: &ExportInput) -> Parts {
    let all = flame.frames.first().map_or(0, |f| f.total).max(1) as f64;
    let listed = flame.heaviest(usize::MAX);
    let (n, is_of_samples) = (listed.len(), flame.is_of_samples);
    let row = move |input: &ExportInput, at: usize| {
        let at = listed[at];
        let name = |at: u32| input.trace.strings.get(flame.frames[at as usize].name);
        let frame = &flame.frames[at as usize];
        let path = flame.path(at);
        // Recursion without end would make each row longer than the one before it.
        let outer = path.len().saturating_sub(LEVELS).max(1);
        let more = (1 < outer).then_some("…");
        let path: Vec<&str> = more.into_iter().chain(path.into_iter().skip(outer).map(name)).collect();
        let texts = [path.join(" ▸ "), frame.level.to_string(), name(at).to_owned(), frame.n.to_string()];
        let share = (frame.total as f64 / all).to_string();
        let times = [frame.total.to_string(), frame.own.to_string(), frame.mean().to_string()];
        texts.into_iter().chain([share]).chain(times).collect()
    };
    let words = ["path", "depth", "name", "count", "share"];
    let head = if is_of_samples {
        let sums = ["total (samples)", "self (samples)", "mean (samples)"];
        words.into_iter().chain(sums).map(str::to_owned).collect()
    } else {
        head(&words, &["total", "self", "mean"], input)
    };
    rows_in_parts(head, n, row)
}

/// Width of a saved flame graph.
const WIDTH: f32 = 1_200.0;

fn flame_svg(flame: &Flame, input: &ExportInput, out: &mut dyn Write) -> Result<()> {
    // Saved pictures are made for paper.
    let palette = Palette::with_scheme(include_str!("../../style/tokens.css"), "light", input.scheme);
    let look = DrawStyle { palette: &palette, language: input.language };
    let colors = Colors::new(input.trace, input.derived.timeline.names(), input.color);
    let setting = Setting::default();
    let layout = Layout::new(flame, &setting, WIDTH);
    let on = FlameInput { trace: input.trace, flame, colors: &colors, look: &look };
    let size = Size { w: WIDTH, h: layout.n_rows as f32 * ROW };
    let scene = for_reader(input.language, || draw(on, &setting, &layout, size));
    out.write_all(svg(&scene, &palette, "").as_bytes())
}

fn gaps_csv(input: &ExportInput, argument: &str) -> Result<Parts> {
    let AreaArgs { span, tracks, waits, .. } = AreaArgs::of(input, argument)?;
    let mut finding = Finding::every(tracks, span, Work::new(waits));
    let mut head = Some(head(&["track"], &["start", "end", "duration"], input));
    Ok(Box::new(move |input, out| {
        let mut csv = csv::Writer::from_writer(out);
        let mut written = head.take().map_or(Ok(()), |head| csv.write_record(head));
        let (mut named, mut path) = (None, String::new());
        let is_more = finding.step(input.trace, &input.derived.timeline);
        for (track, gap) in finding.take() {
            if named.replace(track) != Some(track) {
                path = input.trace.track_path(track);
            }
            if written.is_ok() {
                let [start, end] = [gap.start, gap.end].map(|time| recorded(input, track, time));
                let [start, end, dur] = [start, end, gap.dur()].map(|t| t.to_string());
                written = csv.write_record([&*sheet_cell(&path), &start, &end, &dur]);
            }
        }
        written?;
        csv.flush()?;
        Ok(is_more)
    }))
}

/// Compares the tracks that are asked for, then writes what came of it.
fn after_overlap(
    input: &ExportInput,
    argument: &str,
    write: fn(Comparing, &AreaArgs, &ExportInput, &mut dyn Write) -> Result<()>,
) -> Result<Parts> {
    let asked = AreaArgs::of(input, argument)?;
    let work = Work::new(asked.waits);
    let comparing = Comparing::new(asked.scope(input), work);
    let step =
        |comparing: &mut Comparing, input: &ExportInput| comparing.step(input.trace, &input.derived.timeline);
    Ok(after(comparing, step, move |comparing, _| {
        let mut compared = Some(comparing);
        Box::new(move |input, out| {
            compared.take().map_or(Ok(()), |compared| write(compared, &asked, input, out)).map(|()| false)
        })
    }))
}

fn overlap_csv(
    compared: Comparing,
    asked: &AreaArgs,
    input: &ExportInput,
    out: &mut dyn Write,
) -> Result<()> {
    let id = overlap::figure_id(asked.span, &asked.named, asked.waits);
    let family = overlap::family(input.trace, &id, compared);
    family.variants.first().map_or(Ok(()), |figure| figure_csv(figure, out))
}

/// Members of overlap-json; times in ticks.
#[derive(Serialize)]
struct OverlapJson {
    unit: &'static str,
    start: i64,
    end: i64,
    tracks: Vec<String>,
    left_out: usize,
    busy_together: Vec<Vec<i64>>,
    busy_alone: Vec<i64>,
    busy_at_once: Vec<i64>,
}

fn overlap_json(
    compared: Comparing,
    asked: &AreaArgs,
    input: &ExportInput,
    out: &mut dyn Write,
) -> Result<()> {
    let overlap = compared.finish();
    let told = OverlapJson {
        unit: input.trace.clock.symbol(),
        start: asked.span.start,
        end: asked.span.end,
        tracks: overlap.tracks.iter().map(|&id| input.trace.track_path(id)).collect(),
        left_out: overlap.n_left_out,
        busy_together: overlap.both.chunks(overlap.tracks.len().max(1)).map(<[i64]>::to_vec).collect(),
        busy_alone: overlap.alone,
        busy_at_once: overlap.at_once,
    };
    serde_json::to_writer_pretty(&mut *out, &told)?;
    out.write_all(b"\n")
}

/// Puts the flows that are asked for in order of time, then writes them.
fn flows_csv(input: &ExportInput, argument: &str) -> Result<Parts> {
    let asked = AreaArgs::of(input, argument)?;
    let links = Links::new(asked.scope(input), None);
    let words = ["category", "name", "from track", "from slice", "to track", "to slice"];
    let head = head(&words, &["start", "end", "latency"], input);
    let order = RowOrder::new(&flow_rows(input, &links), None, "");
    let step = move |order: &mut RowOrder, input: &ExportInput| order.step(&flow_rows(input, &links));
    Ok(after(order, step, |order, _| {
        let n = order.rows().len();
        rows_in_parts(head, n, move |input, at| flow(input, FlowId(order.rows()[at])))
    }))
}

fn flow_rows<'a>(input: &ExportInput<'a>, links: &'a Links) -> FlowRows<'a> {
    FlowRows { trace: input.trace, timeline: &input.derived.timeline, links, zero: 0 }
}

fn flow(input: &ExportInput, id: FlowId) -> Vec<String> {
    let (trace, timeline) = (input.trace, &input.derived.timeline);
    let (flows, at) = (&trace.flows, id.index());
    let text = |id| trace.strings.get(id).to_owned();
    let ends = timeline.flows().ends(trace, id).map(|end| {
        end.map_or(String::new(), |id| text(trace.tracks.get(id.track).slices.name[id.row as usize]))
    });
    let [from, to] = ends;
    let (a, b) = (flows.from[at], flows.to[at]);
    let [from_track, to_track] = [a.track, b.track].map(|id| trace.track_path(id));
    let texts = [text(flows.category[at]), text(flows.name[at]), from_track, from, to_track, to];
    let times = [a.time, b.time, links::latency(trace, timeline, id)].map(|t| t.to_string());
    texts.into_iter().chain(times).collect()
}
