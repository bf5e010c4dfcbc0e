//! What is found out of host and device, on its way: a piece at a time.

use super::gather::{Call, Gathering};
use super::host::HostPass;
use super::idle::{Around, Walk};
use super::latency::Latency;
use super::memory::{Allocated, MemoryPass, peaks};
use super::spans::Times;
use super::steps::{Parts, chosen};
use super::tree::{Placing, place};
use super::{Class, Device, Options};
use crate::analysis::timeline::Timeline;
use crate::base::sort::Sorting;
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::flow::FlowEnd;
use crate::model::id::SliceId;

/// Rows that are taken in in one step.
const STEP: usize = 1 << 14;
/// Lists that become [`Times`]: computing, communication, copies, loading, synchronizing, the host.
const LISTS: usize = 6;

/// What is found out, on its way.
pub struct Making {
    options: Options,
    done: Device,
    stage: Stage,
}

/// A latency of at most so many nanoseconds is short.
const QUICK: f64 = 100e3;

type Interval = (Ticks, Ticks);

enum Stage {
    Slices(Gathering),
    Flows(Gathering),
    Calls(Gathering, Sorting<Call>),
    Memory(Gathering, Vec<Call>, Sorting<Allocated>),
    Host(Box<HostPass>),
    /// What is left of the lists, the one that is sorted, and those that are done.
    Sort(Vec<Vec<Interval>>, Sorting<Interval>, Vec<Times>, Vec<(Span, SliceId)>),
    Queues(Box<All>, Queues),
    /// Streams, the row that is next.
    Idle(Box<All>, usize, usize, Walk),
    Latency(usize, Vec<Ticks>),
    Rank(Sorting<Ticks>),
    Modules(Placing),
    Stacks(Placing),
    Done,
}

struct All {
    around: Around,
}

/// Queues at launches, stream by stream.
struct Queues {
    stream: usize,
    sorting: Sorting<(Ticks, u32)>,
}

impl Queues {
    fn new(of: &Device, stream: usize) -> Self {
        let range = of.streams.get(stream).map_or(0..0, |stream| stream.works.clone());
        let first = range.start;
        let works = of.works.get(range).unwrap_or_default();
        let launches = works.iter().enumerate();
        let launches = launches.filter_map(|(at, work)| Some((work.launch?.time, (first + at) as u32)));
        Self { stream, sorting: Sorting::new(launches.collect()) }
    }

    /// Each launch makes the queue longer by one, each begin shorter.
    fn fill(self, of: &mut Device) {
        let range = of.streams.get(self.stream).map_or(0..0, |stream| stream.works.clone());
        let (mut n, mut next) = (0_u32, range.start);
        for (time, at) in self.sorting.finish() {
            n += 1;
            while next < range.end && of.works[next].span.start <= time {
                n -= u32::from(of.works[next].launch.is_some()).min(n);
                next += 1;
            }
            of.works[at as usize].queue = n;
        }
    }
}

impl Making {
    /// Begins.
    pub fn new(trace: &Trace, timeline: &Timeline, options: Options) -> Self {
        let span = options.span.or_else(|| timeline.span(trace)).unwrap_or_default();
        let stage = Stage::Slices(Gathering::new(trace));
        Self { options, done: Device { span, ..Device::default() }, stage }
    }

    /// Does the next piece; false when nothing is left to do. Rows must keep their places meanwhile.
    pub fn step(&mut self, trace: &Trace, timeline: &Timeline) -> bool {
        let mut left = STEP;
        let done = &mut self.done;
        self.stage = match std::mem::replace(&mut self.stage, Stage::Done) {
            Stage::Slices(mut gathering) => {
                if gathering.slices(trace, timeline, &mut left, done) {
                    Stage::Slices(gathering)
                } else {
                    Stage::Flows(gathering)
                }
            }
            Stage::Flows(mut gathering) => {
                if gathering.flows(trace, timeline, &mut left, done) {
                    Stage::Flows(gathering)
                } else {
                    let calls = std::mem::take(&mut gathering.calls);
                    Stage::Calls(gathering, Sorting::new(calls))
                }
            }
            Stage::Calls(gathering, mut sorting) => {
                if sorting.step() {
                    Stage::Calls(gathering, sorting)
                } else {
                    let rows = (0..).zip(&trace.allocations.at);
                    let at = |(row, at): (u32, &FlowEnd)| {
                        (at.track, at.time.saturating_add(timeline.shift_of(at.track)), row)
                    };
                    Stage::Memory(gathering, sorting.finish(), Sorting::new(rows.map(at).collect()))
                }
            }
            Stage::Memory(gathering, calls, mut sorting) => {
                if sorting.step() {
                    Stage::Memory(gathering, calls, sorting)
                } else {
                    let (tracks, n) = (gathering.host_tracks(trace), done.works.len());
                    let memory = MemoryPass::new(sorting.finish());
                    Stage::Host(Box::new(HostPass::new(trace, tracks, calls, memory, n)))
                }
            }
            Stage::Host(mut pass) => {
                if pass.step(trace, timeline, &self.options, &mut left, done) {
                    Stage::Host(pass)
                } else {
                    done.peaks = peaks(trace, timeline, self.options.span);
                    sort(*pass, done)
                }
            }
            Stage::Sort(mut lists, mut sorting, mut times, steps) => {
                if sorting.step() {
                    Stage::Sort(lists, sorting, times, steps)
                } else {
                    times.push(Times::of_sorted(sorting.finish()));
                    match lists.pop() {
                        Some(list) => Stage::Sort(lists, Sorting::new(list), times, steps),
                        None => sums(done, times, steps),
                    }
                }
            }
            stage => self.rows(trace, stage),
        };
        !matches!(self.stage, Stage::Done)
    }

    /// The later stages.
    fn rows(&mut self, trace: &Trace, stage: Stage) -> Stage {
        let done = &mut self.done;
        match stage {
            Stage::Queues(all, mut queues) => {
                if queues.sorting.step() {
                    return Stage::Queues(all, queues);
                }
                let next = queues.stream + 1;
                queues.fill(done);
                if next < done.streams.len() {
                    Stage::Queues(all, Queues::new(done, next))
                } else {
                    Stage::Idle(all, 0, 0, Walk::new())
                }
            }
            Stage::Idle(all, stream, from, mut walk) => {
                let Some(range) = done.streams.get(stream).map(|stream| stream.works.clone()) else {
                    return Stage::Latency(0, Vec::new());
                };
                let from = from.max(range.start);
                let end = range.end.min(from + STEP / 4);
                for work in &done.works[from..end] {
                    walk.take(work, done.span, trace.clock, &self.options, &all.around);
                }
                if end < range.end {
                    return Stage::Idle(all, stream, end, walk);
                }
                walk.end(done.span);
                done.streams[stream].idle = walk.idle;
                Stage::Idle(all, stream + 1, 0, Walk::new())
            }
            Stage::Latency(from, mut found) => {
                let to = done.works.len().min(from + STEP);
                let mut latency = std::mem::take(&mut done.latency);
                latency.take(done, from, to, &mut found);
                done.latency = latency;
                if to < done.works.len() {
                    Stage::Latency(to, found)
                } else {
                    Stage::Rank(Sorting::new(found))
                }
            }
            Stage::Rank(mut sorting) => {
                if sorting.step() {
                    return Stage::Rank(sorting);
                }
                let latency: &mut Latency = &mut done.latency;
                latency.fill(&sorting.finish(), Options::ticks(trace.clock, QUICK));
                Stage::Modules(place(&done.modules.rows))
            }
            stage => trees(done, stage),
        }
    }

    /// What was found out, after the last step.
    pub fn finish(self) -> Device {
        self.done
    }
}

/// The last stages: trees are put in order.
fn trees(done: &mut Device, stage: Stage) -> Stage {
    match stage {
        Stage::Modules(mut placing) => {
            if placing.step() {
                return Stage::Modules(placing);
            }
            done.modules.fill(&placing.finish());
            Stage::Stacks(place(&done.stacks.rows))
        }
        Stage::Stacks(mut placing) => {
            if placing.step() {
                return Stage::Stacks(placing);
            }
            done.stacks.fill(&placing.finish());
            Stage::Done
        }
        _ => Stage::Done,
    }
}

/// Begins to put the lists of stretches in order.
fn sort(pass: HostPass, done: &Device) -> Stage {
    let of_class = |class: Class| {
        let works = done.works.iter().filter(|work| work.class == class);
        works.map(|work| (work.span.start, work.span.end)).collect()
    };
    let [compute, communication, copies] = [Class::Compute, Class::Communication, Class::Copy].map(of_class);
    // Taken from the end.
    let mut lists = vec![pass.busy, pass.syncs, pass.loads, copies, communication];
    lists.reserve(LISTS);
    Stage::Sort(lists, Sorting::new(compute), Vec::with_capacity(LISTS), pass.steps)
}

/// Steps, and what they are cut out of.
fn sums(done: &mut Device, times: Vec<Times>, steps: Vec<(Span, SliceId)>) -> Stage {
    let mut times = times.into_iter();
    let mut next = || times.next().unwrap_or_default();
    let [compute, communication, copies, loads, syncs, host] = std::array::from_fn(|_| next());
    let exposed = communication.without(&compute);
    (done.communication, done.exposed) = (communication.inside(done.span), exposed.inside(done.span));
    let work = compute.and(&communication);
    let parts = Parts { communication: exposed, copies: copies.without(&work), host, compute };
    let steps = chosen(steps).into_iter().filter(|(span, _)| done.span.touches(*span));
    done.steps = steps.map(|(span, slice)| parts.step(span.intersect(done.span), slice)).collect();
    let all = All { around: Around { loads, syncs, compute: parts.compute, communication } };
    Stage::Queues(Box::new(all), Queues::new(done, 0))
}
