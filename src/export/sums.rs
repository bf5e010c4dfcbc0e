//! range-csv: what the slices of a stretch of time add up to, by name. All times are cut to the stretch but `whole total`.
//! Both totals are of the outermost ones, which the last column counts: calls of functions that call themselves count once.

use super::parts::{after, rows_in_parts};
use super::{Export, ExportInput, Parts};
use crate::analysis::statistics::{
    By, Making, Of, Options, Statistics, StatisticsRow, Threads, ThreadsMaking, of_one_kind,
};
use crate::analysis::summary::{Sum, Summing};
use crate::analysis::timeline::chosen_tracks;
use crate::base::order;
use crate::base::time::Span;
use crate::base::words::phrase;
use crate::model::Trace;
use crate::model::id::{StrId, TrackId};
use crate::model::parameter::{Parameter, ParameterKind};
use std::io::{Error, Result};

/// Sums by name: the whole trace, or `:START,END` in ticks, then `:TRACK,TRACK…` by number.
pub(super) static RANGE_CSV: Export = Export {
    id: "range-csv",
    title: phrase("Totals by name as CSV"),
    suffix: "sums.csv",
    mime: "text/csv",
    takes_argument: true,
    parameters: &[],
    can: |input| 0 < input.trace.n_slices(),
    write: range,
};

/// The area that an argument names: `START,END` in ticks, then `:TRACK,TRACK…` by number; everything when it is empty.
pub(super) fn area(input: &ExportInput, argument: &str) -> Result<(Span, Vec<TrackId>)> {
    let (times, tracks) = argument.split_once(':').unwrap_or((argument, ""));
    let said = || Error::other(format!("{argument} is not START,END or START,END:TRACK,TRACK"));
    let span = if times.is_empty() {
        input.derived.timeline.span(input.trace).unwrap_or_default()
    } else {
        let (start, end) = times.split_once(',').ok_or_else(said)?;
        Span::new(start.parse().map_err(|_| said())?, end.parse().map_err(|_| said())?)
    };
    let numbers = tracks.split(',').filter(|t| !t.is_empty()).map(|t| t.parse().map(TrackId));
    Ok((span, numbers.collect::<std::result::Result<_, _>>().map_err(|_| said())?))
}

fn range(input: &ExportInput, argument: &str) -> Result<Parts> {
    let (span, chosen) = area(input, argument)?;
    // Scopes, states of threads and what processors ran do not add up.
    let (tracks, _) = of_one_kind(input.trace, chosen_tracks(input.trace, &chosen), None);
    let summing = Summing::new(input.trace, tracks, span);
    let step =
        |summing: &mut Summing, input: &ExportInput| summing.step(input.trace, &input.derived.timeline);
    Ok(after(summing, step, |summing, input| sums(input, summing.finish().names)))
}

fn sums(input: &ExportInput, mut names: Vec<(StrId, TrackId, Sum)>) -> Parts {
    let trace = input.trace;
    order::sort_by(&mut names, |a, b| {
        b.2.total.cmp(&a.2.total).then_with(|| trace.strings.get(a.0).cmp(trace.strings.get(b.0)))
    });
    let (unit, n) = (trace.clock.symbol(), names.len());
    let times = ["total", "overlaps once", "self", "mean", "min", "max", "whole total"];
    let head = ["name".to_owned(), "track".to_owned(), "count".to_owned()]
        .into_iter()
        .chain(times.iter().map(|t| format!("{t} ({unit})")))
        .chain(["outermost".to_owned()]);
    let row = move |input: &ExportInput, at: usize| {
        let Some((name, track, sum)) = names.get(at) else { return Vec::new() };
        let trace = input.trace;
        let track = match sum.n_tracks {
            1 => trace.track_path(*track),
            n => format!("{n} tracks"),
        };
        let texts = [trace.strings.get(*name).to_owned(), track, sum.n.to_string()];
        let times = [sum.total, sum.union, sum.own].map(|t| t.to_string());
        let rest = [sum.mean().to_string(), sum.min.to_string(), sum.max.to_string(), sum.whole.to_string()];
        let n_outermost = sum.n_outermost.to_string();
        texts.into_iter().chain(times).chain(rest).chain([n_outermost]).collect()
    };
    rows_in_parts(head.collect(), n, row)
}

// statistics-csv: what slices add up to by name, category or track. Times in nanoseconds; of clocks without a rate in
// their own unit, which the heads say.

/// Statistics, most self time first.
pub(in crate::export) static STATISTICS_CSV: Export = Export {
    id: "statistics-csv",
    title: phrase("Statistics as CSV"),
    suffix: "statistics.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: &[&BY, &JOINED, &TIME, &TRACK, &CATEGORY, &OF],
    can: |input| 0 < input.trace.n_slices(),
    write,
};

static BY: Parameter = Parameter {
    id: "statistics-by",
    title: phrase("Group"),
    help: phrase("how to group slices"),
    kind: ParameterKind::Choice(&[
        ("name", phrase("Name")),
        ("category", phrase("Category")),
        ("track", phrase("Track")),
    ]),
    rereads: false,
};

static JOINED: Parameter = Parameter {
    id: "statistics-joined",
    title: phrase("Numbered names merged"),
    help: phrase("merge names that differ only in a trailing number, such as step#*"),
    kind: ParameterKind::Flag,
    rereads: false,
};

/// A stretch of time, for all exports that have one.
pub(in crate::export) static TIME: Parameter = Parameter {
    id: "statistics-time",
    title: phrase("Time"),
    help: phrase("only this range, START..END in ticks; slices are clipped to it"),
    kind: ParameterKind::Text,
    rereads: false,
};

static TRACK: Parameter = Parameter {
    id: "statistics-track",
    title: phrase("Track"),
    help: phrase("only tracks with this name and the tracks below groups with it"),
    kind: ParameterKind::Text,
    rereads: false,
};

static CATEGORY: Parameter = Parameter {
    id: "statistics-category",
    title: phrase("Category"),
    help: phrase("only slices in this category"),
    kind: ParameterKind::Text,
    rereads: false,
};

static OF: Parameter = Parameter {
    id: "statistics-of",
    title: phrase("Slices of"),
    help: phrase(
        "program scopes, thread states or CPU slices, the first of these present in the trace; never combined",
    ),
    kind: ParameterKind::Choice(&[
        ("auto", phrase("Automatic")),
        ("scopes", phrase("Scopes")),
        ("states", phrase("Thread states")),
        ("processors", phrase("CPUs")),
    ]),
    rereads: false,
};

/// Threads by their states, those first that ran longest.
pub(in crate::export) static THREADS_CSV: Export = Export {
    id: "threads-csv",
    title: phrase("Thread states as CSV"),
    suffix: "threads.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: &[&TIME],
    can: |input| Of::States.is_in(input.trace),
    write: write_threads,
};

fn write_threads(input: &ExportInput, _: &str) -> Result<Parts> {
    let options = Options { span: stretch(input)?, ..Options::default() };
    let making = ThreadsMaking::new(input.trace, options);
    let step =
        |making: &mut ThreadsMaking, input: &ExportInput| making.step(input.trace, &input.derived.timeline);
    Ok(after(making, step, |making, input| threads(input, making.finish())))
}

fn threads(input: &ExportInput, threads: Threads) -> Parts {
    let clock = input.trace.clock;
    let unit = if clock.nanos().is_some() { "ns" } else { clock.symbol() };
    let states = threads.states.iter().map(|id| format!("{}_{unit}", input.trace.strings.get(*id)));
    let head = ["track".to_owned()].into_iter().chain(states);
    let head: Vec<String> = head.chain([format!("recorded_{unit}")]).collect();
    let n = threads.rows.len();
    rows_in_parts(head, n, move |input, at| {
        let Some(row) = threads.rows.get(at) else { return Vec::new() };
        let nanos = |ticks: i64| input.trace.clock.nanos().map_or(ticks as f64, |tick| ticks as f64 * tick);
        let times = row.ticks.iter().map(|ticks| nanos(*ticks).to_string());
        let track = [input.trace.track_path(row.track)].into_iter();
        track.chain(times).chain([nanos(row.recorded).to_string()]).collect()
    })
}

fn write(input: &ExportInput, _: &str) -> Result<Parts> {
    let making = Making::new(input.trace, &input.derived.timeline, options(input)?);
    let step = |making: &mut Making, input: &ExportInput| making.step(input.trace, &input.derived.timeline);
    Ok(after(making, step, |making, input| rows(input, making.finish())))
}

fn options(input: &ExportInput) -> Result<Options> {
    let text = |parameter: &Parameter| input.values.text(parameter.id).filter(|text| !text.is_empty());
    let by = match text(&BY) {
        Some("category") => By::Category,
        Some("track") => By::Track,
        _ => By::Name,
    };
    let tracks = match text(&TRACK) {
        Some(name) => tracks(input.trace, name)?,
        None => Vec::new(),
    };
    let category = text(&CATEGORY).map(str::to_owned);
    let of = match text(&OF) {
        Some("states") => Some(Of::States),
        Some("processors") => Some(Of::Processors),
        Some("scopes") => Some(Of::Scopes),
        _ => None,
    };
    let is_joined = input.values.flag(JOINED.id);
    Ok(Options { by, span: stretch(input)?, tracks, category, is_joined, of })
}

/// The stretch of time that was set; `None` is all of it.
pub(in crate::export) fn stretch(input: &ExportInput) -> Result<Option<Span>> {
    let text = input.values.text(TIME.id).filter(|text| !text.is_empty());
    let span = text.map(|text| {
        let ends = text
            .split_once("..")
            .and_then(|(start, end)| Some(Span::new(start.trim().parse().ok()?, end.trim().parse().ok()?)));
        ends.ok_or_else(|| Error::other(format!("{text} is not START..END")))
    });
    span.transpose()
}

/// Tracks and groups of a name, or of a path.
fn tracks(trace: &Trace, name: &str) -> Result<Vec<TrackId>> {
    let is_meant = |id: TrackId| {
        let own = trace.tracks.find(id).map(|track| trace.strings.get(track.name));
        own == Some(name) || trace.track_path(id) == name
    };
    let found: Vec<TrackId> = trace.tracks.iter().map(|(id, _)| id).filter(|id| is_meant(*id)).collect();
    if found.is_empty() { Err(Error::other(format!("There is no track {name}."))) } else { Ok(found) }
}

fn rows(input: &ExportInput, statistics: Statistics) -> Parts {
    let clock = input.trace.clock;
    let unit = if clock.nanos().is_some() { "ns" } else { clock.symbol() };
    let times = ["total", "self", "mean", "median", "p95", "min", "max"];
    let head = ["name", "category", "count"].map(str::to_owned).into_iter();
    let head = head.chain(times.iter().map(|time| format!("{time}_{unit}")));
    let head = head.chain(["share", "tracks", "categories", "outermost"].map(str::to_owned)).collect();
    let own = statistics.own().max(1);
    let at = order::sequence(statistics.rows.len(), &|a, b| {
        let [a, b] = [a, b].map(|at| &statistics.rows[at]);
        b.own.cmp(&a.own).then_with(|| {
            let label = |row: &StatisticsRow| row.label(input.trace, statistics.options.by);
            label(a).cmp(&label(b))
        })
    });
    rows_in_parts(head, at.len(), move |input, n| {
        let found = at.get(n).and_then(|at| statistics.rows.get(*at as usize));
        found.map_or(Vec::new(), |row| cells(input.trace, statistics.options.by, row, own))
    })
}

fn cells(trace: &Trace, by: By, row: &StatisticsRow, all: i128) -> Vec<String> {
    let tick = trace.clock.nanos().unwrap_or(1.0);
    // Whole nanoseconds stay exact, however many.
    let whole = |ticks: i128| {
        if (tick - 1.0).abs() < f64::EPSILON { ticks.to_string() } else { (ticks as f64 * tick).to_string() }
    };
    let part = |ticks: f64| (ticks * tick).to_string();
    vec![
        row.label(trace, by),
        trace.strings.get(row.category).to_owned(),
        row.n.to_string(),
        whole(row.total),
        whole(row.own),
        part(row.mean()),
        part(row.median),
        part(row.p95),
        whole(row.min.into()),
        whole(row.max.into()),
        (row.own as f64 / all as f64).to_string(),
        row.n_tracks.to_string(),
        (row.others.len() + 1).to_string(),
        row.n_outermost.to_string(),
    ]
}
