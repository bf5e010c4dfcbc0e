//! What is found out of host and device, one pass after the other.

use super::gather::Gathering;
use super::host::{HostPass, HostTimes};
use super::idle::{Around, BRIEF, LONG, REASONS, Walk};
use super::launches::{link, queue_up, share};
use super::memory::{MemoryPass, peaks};
use super::ranks::state;
use super::tree::Tree;
use super::waits::InSteps;
use super::{Class, Device, Launch, Options, Step, Work, cut};
use crate::analysis::statistics::Ranks;
use crate::analysis::timeline::Timeline;
use crate::base::job::{Turn, WORK};
use crate::base::map::Map;
use crate::base::order::percentile;
use crate::base::sort::sorted;
use crate::base::time::{Span, Ticks};
use crate::model::id::{SliceId, StrId, TrackId};
use crate::model::{FlowEnd, Trace};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What a row costs, as [`Turn::is_over`] counts.
pub(super) const ROW: usize = 5;
/// Rows that are looked at between two looks at the turn.
pub(super) const PIECE: usize = WORK / ROW / 4;

/// A latency of at most so many nanoseconds is short.
const QUICK: f64 = 100e3;

/// Finds out all of it.
pub async fn find_out(trace: &Trace, timeline: &Timeline, options: &Options, turn: &Turn) -> Device {
    let on = (trace, timeline);
    let span = options.span.or_else(|| timeline.span(trace)).unwrap_or_default();
    let mut of = Device { span, ..Device::default() };
    let mut gathering = Gathering::new(trace, options);
    turn.pause().await;
    gathering.slices(on, &mut of, turn).await;
    let mut calls = gathering.flows(on, &mut of, turn).await;
    let hosts = gathering.host_tracks(trace);
    link(on, hosts.clone(), &mut of, &mut calls, turn).await;
    share(&mut of, turn).await;
    turn.pause().await;
    let calls = sorted(calls, turn).await;
    let rows = (0..).zip(&trace.allocations.at);
    let at =
        |(row, at): (u32, &FlowEnd)| (at.track, at.time.saturating_add(timeline.shift_of(at.track)), row);
    let memory = MemoryPass::new(sorted(rows.map(at).collect(), turn).await);
    let step_tracks = gathering.step_tracks(trace);
    let mut ranks = gathering.ranks;
    ranks.find_hosts(on, &hosts, &calls, |work| of.works[work as usize].stream);
    turn.pause().await;
    of.ranks = ranks.named(trace);
    ranks.record(trace, timeline, of.span, &mut of.ranks);
    let stated = ranks.stated(trace);
    let host = HostPass::new(trace, calls, memory, of.works.len(), ranks);
    turn.pause().await;
    let mut times = host.run(on, (hosts, options), &mut of, turn).await;
    if options.step.is_empty() {
        steps_of_devices(on, &step_tracks, &mut times);
    }
    of.peaks = peaks(trace, timeline, options.span);
    let mut around = cut(trace, times, &mut of, turn).await;
    long_calls(on, &mut around, &of, turn).await;
    queue_up(&mut of, turn).await;
    idle(on, options, &around, &mut of, turn).await;
    idle_devices(on, options, &around, &mut of, turn).await;
    for (rank, around) in of.ranks.iter_mut().zip(around) {
        (rank.compute, rank.steps) = (around.compute, around.steps);
    }
    state(on, &stated, &mut of, turn).await;
    latencies(trace, &mut of, turn).await;
    of.modules = Tree::of(std::mem::take(&mut of.modules.rows), turn).await;
    of.stacks = Tree::of(std::mem::take(&mut of.stacks.rows), turn).await;
    of.kernels = sum(trace, &of, turn).await;
    of
}

/// Devices whose host marks no steps have those of their own tracks.
fn steps_of_devices(
    (trace, timeline): (&Trace, &Timeline),
    tracks: &[(u32, TrackId)],
    times: &mut [HostTimes],
) {
    let has_steps: Vec<bool> = times.iter().map(|times| !times.steps.is_empty()).collect();
    for (rank, track) in tracks.iter().filter(|(rank, _)| has_steps.get(*rank as usize) == Some(&false)) {
        let (slices, by) = (&trace.tracks.get(*track).slices, timeline.shift_of(*track));
        let step = |row: usize| (slices.span(row).shifted(by), SliceId { track: *track, row: row as u32 });
        times[*rank as usize].steps.extend((0..slices.len()).map(step));
    }
}

/// From which length on calls that launch something are long, on each device, and up to which gaps are brief: by the calls
/// of a runtime, and by whatever launches kernels.
async fn long_calls(on: (&Trace, &Timeline), around: &mut [Around], of: &Device, turn: &Turn) {
    let mut lengths: Vec<[Vec<Ticks>; 2]> = vec![Default::default(); around.len()];
    let length = |launch: Launch| {
        let slices = &on.0.tracks.find(launch.track)?.slices;
        Some(slices.dur_of(launch.row? as usize))
    };
    for stream in &of.streams {
        let Some(own) = lengths.get_mut(stream.rank as usize) else { continue };
        for works in of.works[stream.works.clone()].chunks(PIECE / 4) {
            let kernels = works.iter().filter(|work| {
                work.stands_for_call && matches!(work.class, Class::Compute | Class::Communication)
            });
            for launch in kernels.filter_map(|work| work.launch) {
                own[0].extend(launch.call(on.0, on.1).map(Span::dur));
                own[1].extend(length(launch));
            }
            if turn.is_over(4 * ROW * works.len()) {
                turn.pause().await;
            }
        }
    }
    for (around, [calls, all]) in around.iter_mut().zip(lengths).filter(|(_, [_, all])| !all.is_empty()) {
        around.brief = (BRIEF * percentile(&sorted(all, turn).await, 50)).round() as Ticks;
        if !calls.is_empty() {
            let median = percentile(&sorted(calls, turn).await, 50);
            around.long = (LONG * median).ceil().max(1.0) as Ticks;
        }
    }
}

/// How each stream spends the time; `around` is what gaps of each rank are held against.
async fn idle(on: (&Trace, &Timeline), options: &Options, around: &[Around], of: &mut Device, turn: &Turn) {
    for stream in &mut of.streams {
        let (own, span) = (&around[stream.rank as usize], of.ranks[stream.rank as usize].span);
        let mut walk = Walk::new(own.brief);
        for works in of.works[stream.works.clone()].chunks(PIECE / 4) {
            for work in works {
                walk.take(work, span, on, options, own);
            }
            if turn.is_over(4 * ROW * works.len()) {
                turn.pause().await;
            }
        }
        walk.end(span);
        stream.idle = walk.idle;
    }
}

/// How each device spends the time: all its streams as if they were one.
async fn idle_devices(
    on: (&Trace, &Timeline),
    options: &Options,
    around: &[Around],
    of: &mut Device,
    turn: &Turn,
) {
    let mut own: Vec<Vec<usize>> = vec![Vec::new(); of.ranks.len()];
    for (at, stream) in of.streams.iter().enumerate().filter(|(_, stream)| !stream.works.is_empty()) {
        own[stream.rank as usize].push(at);
    }
    for ((rank, streams), around) in own.iter().enumerate().zip(around) {
        let span = of.ranks[rank].span;
        let new = || Walk::new(around.brief);
        let (mut walk, mut inside, mut each) = (new(), new(), new());
        let is_own = |(_, step): &(usize, &Step)| step.rank as usize == rank && step.slice.is_some();
        let steps: Vec<(usize, Span)> =
            of.steps.iter().enumerate().filter(is_own).map(|(at, step)| (at, step.span)).collect();
        let mut reasons = vec![[0; REASONS]; steps.len()];
        let spans: Vec<Span> = steps.iter().map(|step| step.1).collect();
        let is_apart = spans.windows(2).all(|two| two[0].end <= two[1].start);
        let spans = if is_apart { spans } else { Vec::new() };
        // The next work of each stream; the one that begins first is taken. Of several that begin at once it is one whose
        // launch is known: parts of a communication have none, and begin with it.
        let mut next: BinaryHeap<Reverse<(Ticks, bool, usize, usize)>> = BinaryHeap::new();
        let first = |at: usize, from: usize| {
            let work = of.works.get(from).filter(|_| from < of.streams[at].works.end)?;
            Some(Reverse((work.span.start, work.launch.is_none(), from, at)))
        };
        next.extend(streams.iter().filter_map(|at| first(*at, of.streams[*at].works.start)));
        while let Some(Reverse((.., at, stream))) = next.pop() {
            walk.take(&of.works[at], span, on, options, around);
            inside.take_inside(&of.works[at], on, options, around);
            each.take_each(&of.works[at], (&spans, &mut reasons), on, (options, around));
            next.extend(first(stream, at + 1));
            if turn.is_over(9 * ROW) {
                turn.pause().await;
            }
        }
        walk.end(span);
        inside.end_inside(&around.steps);
        each.end_each((&spans, &mut reasons));
        (of.ranks[rank].idle, of.ranks[rank].gaps) = (walk.idle, walk.gaps);
        of.ranks[rank].waited = walk.waited;
        of.ranks[rank].in_steps = InSteps::of(&of.steps, rank as u32, inside);
        for ((at, _), reasons) in steps.into_iter().zip(reasons) {
            of.steps[at].reasons = reasons;
        }
        turn.pause().await;
    }
}

/// Latencies of launches are put into bins.
async fn latencies(trace: &Trace, of: &mut Device, turn: &Turn) {
    let mut found = Vec::new();
    for works in of.works.chunks(PIECE) {
        of.latency.take(works, of.span, &mut found);
        if turn.is_over(ROW * works.len()) {
            turn.pause().await;
        }
    }
    of.latency.fill(&sorted(found, turn).await, Options::ticks(trace.clock, QUICK));
    turn.pause().await;
}

// Kernels, copies and waiting by name: how often, how long in all, and each.
//
// ```text
// total   sum of the lengths of the slices of streams with the name, each cut to the time
// share   total / total of all that are work; streams overlap, so that the sum may be longer than the time
// ```
// Median and p95 are those of [`crate::analysis::statistics`]. What only waits for an event is listed and has no share.
// Where another track says when a device communicates, parts of a communication do not count beside it.

/// What the slices of streams with one name add up to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelSum {
    pub name: StrId,
    /// What the device does meanwhile.
    pub class: Class,
    pub n: u64,
    /// Sum of their lengths.
    pub total: i128,
    /// Length of the shortest.
    pub min: Ticks,
    /// Length of the longest.
    pub max: Ticks,
    /// The longest, the first where several are.
    pub longest: SliceId,
    /// Their median length.
    pub median: f64,
    /// The length that 95 of 100 do not pass.
    pub p95: f64,
}

impl KernelSum {
    /// Mean length.
    pub fn mean(&self) -> f64 {
        self.total as f64 / self.n.max(1) as f64
    }

    /// Whether the device works meanwhile.
    pub fn is_work(&self) -> bool {
        self.class != Class::Wait
    }
}

/// Sums up slices by name, then puts their lengths into ranks.
async fn sum(trace: &Trace, of: &Device, turn: &Turn) -> Vec<KernelSum> {
    let mut sums = Sums::default();
    for works in of.works.chunks(PIECE) {
        for (key, work, dur) in named(trace, works, of.span) {
            sums.add(key, work.class, dur, work.slice);
        }
        if turn.is_over(ROW * works.len()) {
            turn.pause().await;
        }
    }
    let Sums { mut rows, of_name } = sums;
    let mut ranks = Ranks::new(rows.iter().map(|row| (row.n, row.min, row.max)));
    for works in of.works.chunks(PIECE) {
        for (key, _, dur) in named(trace, works, of.span) {
            if let Some(row) = of_name.get(&key) {
                ranks.push(*row, dur);
            }
        }
        if turn.is_over(ROW * works.len()) {
            turn.pause().await;
        }
    }
    while ranks.step(|at, median, p95| (rows[at].median, rows[at].p95) = (median, p95)) {
        turn.pause().await;
    }
    rows
}

/// Those that lie in a time, by name and class, each with its length there.
fn named<'a>(
    trace: &'a Trace,
    works: &'a [Work],
    span: Span,
) -> impl Iterator<Item = ((StrId, u8), &'a Work, Ticks)> {
    works.iter().filter(move |work| !work.is_part && span.touches(work.span)).filter_map(move |work| {
        let names = &trace.tracks.find(work.slice.track)?.slices.name;
        let name = *names.get(work.slice.row as usize)?;
        Some(((name, work.class as u8), work, work.span.intersect(span).dur()))
    })
}

#[derive(Default)]
struct Sums {
    rows: Vec<KernelSum>,
    of_name: Map<(StrId, u8), u32>,
}

impl Sums {
    fn add(&mut self, key: (StrId, u8), class: Class, dur: Ticks, slice: SliceId) {
        let next = self.rows.len() as u32;
        let at = *self.of_name.entry(key).or_insert(next);
        if at == next {
            let (median, p95) = (0.0, 0.0);
            let (n, total, min, max) = (0, 0, Ticks::MAX, Ticks::MIN);
            self.rows.push(KernelSum { name: key.0, class, n, total, min, max, longest: slice, median, p95 });
        }
        if let Some(row) = self.rows.get_mut(at as usize) {
            row.n += 1;
            row.total += i128::from(dur);
            row.min = row.min.min(dur);
            if row.max < dur {
                (row.max, row.longest) = (dur, slice);
            }
        }
    }
}
