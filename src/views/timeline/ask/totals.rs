//! What all slices of a stretch of time add up to in it by name or by track, for another document to be joined with; and
//! kernels, operators, functions, steps, idle time and latencies of traces with devices, each apart.
//!
//! Names that differ only in a number at their end are one, as in the statistics: `step#7` and `step#9` meet. Slices that
//! lie in another one of their name are left out, and of tracks those that lie in any other one: their time counts once.

use crate::analysis::compare::{Total, added};
use crate::analysis::device::idle::{Reason, TITLES};
use crate::analysis::device::{Device, Kind, Operator, Options, Step, StreamWork, has_streams};
use crate::analysis::statistics::of_one_kind;
use crate::analysis::summary::summarize;
use crate::analysis::timeline::chosen_tracks;
use crate::base::names::joined;
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::base::words::phrase;
use crate::document::Document;
use crate::views::timeline::messages::{Totals, TotalsBy};

/// Bytes of names in one answer.
const NAME_BYTES: usize = 600_000;
/// Rows in one answer.
const ROWS: usize = 10_000;

/// A part of a step.
type StepPart = fn(&Step) -> Ticks;

/// Whether a file has what a reason of idle time, by its place, is told by: without it no time is known to be none.
fn is_recorded(device: &Device, reason: usize) -> bool {
    let has = |kind: Kind| device.calls.iter().any(|calls| calls.kind == kind);
    match reason {
        at if at == Reason::Loading as usize => has(Kind::Loads),
        at if at == Reason::Synchronizing as usize => has(Kind::Waits),
        at if at == Reason::Allocating as usize => has(Kind::Allocates),
        at if at == Reason::Short as usize || Reason::Unknown as usize <= at => true,
        _ => device.has_launches(),
    }
}

/// What is known of host and device, in nanoseconds. Where a sum means nothing, the count is 0.
fn of_device(doc: &Document, device: &Device, by: TotalsBy, tick: f64) -> Vec<(String, Total)> {
    let text = |id| joined(doc.trace().strings.get(id)).into_owned();
    let total = |count: u64, ticks: f64| Total { count, total: ticks * tick };
    let called = |rows: &[Operator]| {
        rows.iter().map(|row| (text(row.name), total(row.outermost, row.host_total as f64))).collect()
    };
    match by {
        TotalsBy::Kernels => {
            let works = device.kernels.iter().filter(|row| row.is_work());
            works.map(|row| (text(row.name), total(row.n, row.total as f64))).collect()
        }
        TotalsBy::Operators => called(&device.operators),
        TotalsBy::Functions => called(&device.functions),
        TotalsBy::Steps => {
            let part = |(title, part): (&str, StepPart)| {
                // What lies outside of steps is none.
                let steps = device.steps.iter().filter(|step| step.slice.is_some());
                let sum = steps.clone().map(|step| part(step) as f64).sum();
                (title.to_owned(), total(steps.count() as u64, sum))
            };
            let parts: [(&str, StepPart); 6] = [
                (phrase("Wall"), |step| step.wall),
                (phrase("Compute"), |step| step.compute),
                (phrase("Comm"), |step| step.communication),
                (phrase("Copies"), |step| step.copies),
                (phrase("Idle"), |step| step.idle),
                (phrase("Host"), |step| step.host),
            ];
            if device.steps.is_empty() { Vec::new() } else { parts.map(part).to_vec() }
        }
        TotalsBy::Idle if device.streams.is_empty() => Vec::new(),
        TotalsBy::Idle => {
            let n = device.streams.len() as u64;
            let sum = |part: &dyn Fn(&StreamWork) -> Ticks| {
                total(n, device.streams.iter().map(|stream| part(stream) as f64).sum())
            };
            let reason = |(at, (_, title)): (usize, &(&str, &str))| {
                let sum = sum(&|stream| stream.idle.reasons[at]);
                (sum.total != 0.0 || is_recorded(device, at)).then(|| ((*title).to_owned(), sum))
            };
            let busy = (phrase("Busy").to_owned(), sum(&|stream| stream.idle.busy));
            std::iter::once(busy).chain(TITLES.iter().enumerate().filter_map(reason)).collect()
        }
        _ => {
            let of = &device.latency;
            let n = of.kernels - of.unlaunched - of.negative;
            let rows = [
                (phrase("Mean latency"), total(n, of.sum as f64)),
                (phrase("Median"), total(0, of.median as f64)),
                (phrase("p95"), total(0, of.p95 as f64)),
            ];
            if n == 0 { Vec::new() } else { rows.map(|(title, sum)| (title.to_owned(), sum)).to_vec() }
        }
    }
}

/// Costs the rows of the stretch. What does not fit is left out from the least and counted.
pub(super) fn totals(doc: &Document, span: Option<Span>, by: TotalsBy) -> Totals {
    let (trace, timeline) = (doc.trace(), &doc.derived().timeline);
    let asked = span;
    let Some(span) = span.or_else(|| timeline.span(trace)) else { return Totals::default() };
    let tick = trace.clock.nanos().unwrap_or(1.0);
    let tracks = chosen_tracks(trace, &[]);
    let mut rows: Vec<(String, Total)> = Vec::new();
    match by {
        TotalsBy::Name => {
            // As in the statistics: names of scopes, of states and of threads that processors ran do not add up.
            let (tracks, _) = of_one_kind(trace, tracks, None);
            let summary = summarize(trace, timeline, &tracks, span);
            rows.extend(summary.names.iter().map(|(name, _, sum)| {
                let total = Total { count: sum.n_outermost, total: sum.total as f64 * tick };
                (joined(trace.strings.get(*name)).into_owned(), total)
            }));
        }
        by if by.is_of_device() => {
            let options = Options { span: asked, ..Options::default() };
            rows = doc.device(&options).map_or_else(Vec::new, |device| of_device(doc, device, by, tick));
        }
        _ => rows.extend(tracks.iter().filter_map(|track| {
            let sum = summarize(trace, timeline, std::slice::from_ref(track), span).all;
            let name = trace.tracks.find(track.0).map_or("", |t| trace.strings.get(t.name));
            let total = Total { count: sum.n_outermost, total: sum.total as f64 * tick };
            (sum.n != 0).then(|| (name.to_owned(), total))
        })),
    }
    // Tracks of one name count together, as joined names do.
    let mut rows = added(&rows);
    order::sort_by(&mut rows, |a, b| b.1.total.total_cmp(&a.1.total).then_with(|| a.0.cmp(&b.0)));
    let all = rows.len();
    let mut bytes = 0;
    rows.retain(|(name, _)| {
        bytes += name.len();
        bytes <= NAME_BYTES
    });
    rows.truncate(ROWS);
    let known = doc.device(&Options { span: asked, ..Options::default() });
    let devices = known.filter(|_| has_streams(trace)).map_or(0, |device| device.ranks.len() as u64);
    Totals { left_out: (all - rows.len()) as u64, rows, devices }
}
