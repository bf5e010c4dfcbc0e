//! range-csv: what the slices of a stretch of time add up to, by name. All times are cut to the stretch but `whole total`.
//! Both totals are of the outermost ones, which the last column counts: calls of functions that call themselves count once.

mod statistics;

pub(super) use statistics::{STATISTICS_CSV, THREADS_CSV, TIME, stretch};

use super::parts::{after, rows_in_parts};
use super::{Export, ExportInput, Parts};
use crate::analysis::summary::{Sum, Summing};
use crate::analysis::timeline::chosen_tracks;
use crate::base::order;
use crate::base::time::Span;
use crate::base::words::phrase;
use crate::model::id::{StrId, TrackId};
use std::io::{Error, Result};

/// Sums by name: the whole trace, or `:START,END` in ticks, then `:TRACK,TRACK…` by number.
pub(super) static RANGE_CSV: Export = Export {
    id: "range-csv",
    title: phrase("Sums by name as CSV"),
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
    let summing = Summing::new(input.trace, chosen_tracks(input.trace, &chosen), span);
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
