//! What drivers do while they execute, by the states of all their threads.

use super::corrected::Corrected;
use super::facts::{Model, joined};
use super::mark::Marks;
use crate::base::job::Turn;
use crate::base::map::Map;
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::id::TrackId;
use crate::model::track::Role;
use std::collections::hash_map::Entry;

/// The time of executions in drivers.
#[derive(Clone, Copy, Debug, Default)]
pub struct DriverTimes {
    pub n: u64,
    pub all: Ticks,
    /// A thread of the driver ran.
    pub running: Ticks,
    /// None ran, and one waited for a processor.
    pub runnable: Ticks,
    /// None did either, and one slept uninterruptibly.
    pub uninterruptible: Ticks,
    /// The execution with most time in which none did either.
    pub longest: Span,
    pub thread: u32,
}

impl DriverTimes {
    /// No thread of the driver ran or wanted to.
    pub fn waiting(self) -> Ticks {
        self.all - self.running - self.runnable
    }
}

/// When any thread of a process ran, when any ran or waited for a processor, and when any did or slept uninterruptibly.
struct Busy {
    running: Vec<Span>,
    wanting: Vec<Span>,
    blocked: Vec<Span>,
}

/// Adds what drivers do in executions that have scheduling from begin to end.
pub(super) async fn driver_times(trace: &Trace, corrected: &Corrected, models: &mut [Model], turn: &Turn) {
    let mut known: Map<TrackId, Option<Busy>> = Map::default();
    let callers =
        models.iter().enumerate().flat_map(|(at, model)| model.callers.iter().map(move |key| (*key, at)));
    let places: Map<(u32, u32), usize> = callers.collect();
    let recorded = recorded(trace);
    for driver in corrected.drivers.iter().filter(|driver| !driver.is_cut) {
        let Some(execution) = corrected.executions.get(driver.execution as usize) else { continue };
        let at = places.get(&(execution.run, execution.thread)).filter(|_| !execution.is_cut);
        let Some(model) = at.and_then(|at| models.get_mut(*at)) else { continue };
        let thread = Marks::of(trace).threads.get(driver.thread as usize);
        let Some(process) = thread.and_then(|of| trace.tracks.find(of.track?)?.parent) else { continue };
        let busy = match known.entry(process) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(busy(trace, process, turn).await),
        };
        let Some(busy) = busy else { continue };
        let span = Span::new(driver.start, driver.end);
        if !recorded.is_some_and(|recorded| recorded.intersect(span) == span) {
            continue;
        }
        let [running, wanting, blocked] =
            [&busy.running, &busy.wanting, &busy.blocked].map(|spans| inside(spans, span));
        let of = model.driver.get_or_insert_default();
        of.n += 1;
        of.all += span.dur();
        of.running += running;
        of.runnable += wanting - running;
        of.uninterruptible += blocked - wanting;
        if of.longest.dur() < span.dur() {
            (of.longest, of.thread) = (span, driver.thread);
        }
        if turn.is_over(1) {
            turn.pause().await;
        }
    }
}

/// When threads of a process ran or wanted to; `None` where none has states.
async fn busy(trace: &Trace, process: TrackId, turn: &Turn) -> Option<Busy> {
    let (mut running, mut wanting, mut blocked) = (Vec::new(), Vec::new(), Vec::new());
    let mut has_states = false;
    let states = trace.tracks.iter().filter(|(_, of)| of.parent == Some(process) && of.role == Role::States);
    for (_, track) in states {
        has_states = true;
        for (row, name) in track.slices.name.iter().enumerate() {
            let name = trace.strings.get(*name);
            let is_running = name.starts_with("Running");
            let is_wanting = is_running || name.starts_with("Runnable");
            let span = track.slices.span(row);
            running.extend(is_running.then_some(span));
            wanting.extend(is_wanting.then_some(span));
            blocked.extend((is_wanting || name.starts_with("Uninterruptible")).then_some(span));
            if turn.is_over(1) {
                turn.pause().await;
            }
        }
    }
    has_states.then(|| Busy { running: joined(running), wanting: joined(wanting), blocked: joined(blocked) })
}

/// When scheduling was recorded in the file of the marks: before and after it nobody says what threads do. Slices of a track
/// follow each other, so its first and last tell.
fn recorded(trace: &Trace) -> Option<Span> {
    let entry = Marks::of(trace).entry;
    let tracks = trace.tracks.iter().map(|(_, track)| track);
    let tracks = tracks.filter(|track| track.role.is_scheduled() && track.entry == entry);
    let spans = tracks.filter_map(|track| {
        let last = track.slices.len().checked_sub(1)?;
        Some(track.slices.span(0).union(track.slices.span(last)))
    });
    spans.reduce(Span::union)
}

/// How much of a stretch of time lies in joined spans.
fn inside(spans: &[Span], of: Span) -> Ticks {
    let from = spans.partition_point(|span| span.end <= of.start);
    let rest = spans.get(from..).unwrap_or_default().iter();
    rest.take_while(|span| span.start < of.end).map(|span| span.intersect(of).dur()).sum()
}
