//! What is found out of host and device, on its way: a piece at a time.

use super::gather::{Call, Gathering};
use super::host::HostPass;
use super::idle::{Around, Walk};
use super::kernels::Summing;
use super::launches::{Latency, Linking, Queues};
use super::memory::{Allocated, MemoryPass, peaks};
use super::ranks::Stating;
use super::steps::Cutting;
use super::tree::{Placing, place};
use super::{Device, Options};
use crate::analysis::timeline::Timeline;
use crate::base::sort::Sorting;
use crate::base::time::Ticks;
use crate::model::Trace;
use crate::model::flow::FlowEnd;
use crate::model::id::TrackId;

/// Rows that are taken in in one step.
const STEP: usize = 1 << 14;

/// What is found out, on its way.
pub struct Making {
    options: Options,
    done: Device,
    stage: Stage,
    /// Tracks on which writers say what devices add up to: rank, which sum, track.
    stated: Vec<(u32, usize, TrackId)>,
    /// How many rows were looked at in the last step.
    rows: usize,
}

/// A latency of at most so many nanoseconds is short.
const QUICK: f64 = 100e3;

enum Stage {
    Slices(Gathering),
    Flows(Gathering),
    Links(Gathering, Linking),
    Calls(Gathering, Sorting<Call>),
    Memory(Gathering, Vec<Call>, Sorting<Allocated>),
    Host(Box<HostPass>),
    Cut(Box<Cutting>),
    Queues(Vec<Around>, Queues),
    /// Streams, the row that is next.
    Idle(Vec<Around>, usize, usize, Walk),
    Stated(Stating),
    Latency(usize, Vec<Ticks>),
    Rank(Sorting<Ticks>),
    Modules(Placing),
    Stacks(Placing),
    Kernels(Summing),
    Done,
}

impl Making {
    /// Begins.
    pub fn new(trace: &Trace, timeline: &Timeline, options: Options) -> Self {
        let span = options.span.or_else(|| timeline.span(trace)).unwrap_or_default();
        let stage = Stage::Slices(Gathering::new(trace, &options));
        Self { options, done: Device { span, ..Device::default() }, stage, stated: Vec::new(), rows: 0 }
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
                    let linking = Linking::new(trace, gathering.host_tracks(trace), done);
                    Stage::Links(gathering, linking)
                }
            }
            Stage::Links(mut gathering, linking) => {
                match linking.step(trace, timeline, &mut left, done, &mut gathering.calls) {
                    Some(linking) => Stage::Links(gathering, linking),
                    None => {
                        let calls = std::mem::take(&mut gathering.calls);
                        Stage::Calls(gathering, Sorting::new(calls))
                    }
                }
            }
            stage @ (Stage::Calls(..) | Stage::Memory(..)) => {
                sorted(trace, timeline, (done, &mut self.stated), stage)
            }
            Stage::Host(mut pass) => {
                if pass.step(trace, timeline, &self.options, &mut left, done) {
                    Stage::Host(pass)
                } else {
                    done.peaks = peaks(trace, timeline, self.options.span);
                    Stage::Cut(Box::new(Cutting::new(*pass)))
                }
            }
            Stage::Cut(mut cutting) => {
                if cutting.step(done, &mut left) {
                    Stage::Cut(cutting)
                } else {
                    Stage::Queues(cutting.finish(), Queues::new(done))
                }
            }
            stage => self.rest(trace, timeline, stage, &mut left),
        };
        self.rows = STEP.saturating_sub(left);
        !matches!(self.stage, Stage::Done)
    }

    /// The later stages.
    fn rest(&mut self, trace: &Trace, timeline: &Timeline, stage: Stage, left: &mut usize) -> Stage {
        let done = &mut self.done;
        match stage {
            Stage::Queues(around, mut queues) => {
                if queues.step(done, left) {
                    Stage::Queues(around, queues)
                } else {
                    Stage::Idle(around, 0, 0, Walk::new())
                }
            }
            Stage::Idle(around, stream, from, mut walk) => {
                let Some(range) = done.streams.get(stream).map(|stream| stream.works.clone()) else {
                    return Stage::Stated(Stating::new(std::mem::take(&mut self.stated)));
                };
                let from = from.max(range.start);
                let end = range.end.min(from + *left / 4);
                *left -= 4 * (end - from);
                let own = &around[done.streams[stream].rank as usize];
                let span = done.ranks[done.streams[stream].rank as usize].span;
                for work in &done.works[from..end] {
                    walk.take(work, span, (trace, timeline), &self.options, own);
                }
                if end < range.end {
                    return Stage::Idle(around, stream, end, walk);
                }
                walk.end(span);
                done.streams[stream].idle = walk.idle;
                Stage::Idle(around, stream + 1, 0, Walk::new())
            }
            Stage::Stated(mut stating) => {
                if stating.step(trace, timeline, done.span, left, &mut done.ranks) {
                    Stage::Stated(stating)
                } else {
                    Stage::Latency(0, Vec::new())
                }
            }
            Stage::Latency(from, mut found) => {
                let to = done.works.len().min(from + *left);
                *left -= to - from;
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
            stage => last(trace, done, stage, left),
        }
    }

    /// How many rows the last step looked at; never many. (Sorting is not counted: it is cut by itself.)
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// What was found out, after the last step.
    pub fn finish(self) -> Device {
        self.done
    }
}

/// Calls and allocations are put in order, before the tracks of the host are gone through.
fn sorted(
    trace: &Trace,
    timeline: &Timeline,
    (done, stated): (&mut Device, &mut Vec<(u32, usize, TrackId)>),
    stage: Stage,
) -> Stage {
    match stage {
        Stage::Calls(gathering, mut sorting) => {
            if sorting.step() {
                return Stage::Calls(gathering, sorting);
            }
            let rows = (0..).zip(&trace.allocations.at);
            let at = |(row, at): (u32, &FlowEnd)| {
                (at.track, at.time.saturating_add(timeline.shift_of(at.track)), row)
            };
            Stage::Memory(gathering, sorting.finish(), Sorting::new(rows.map(at).collect()))
        }
        Stage::Memory(mut gathering, calls, mut sorting) => {
            if sorting.step() {
                return Stage::Memory(gathering, calls, sorting);
            }
            let (tracks, n) = (gathering.host_tracks(trace), done.works.len());
            gathering
                .ranks
                .find_hosts((trace, timeline), &tracks, &calls, |work| done.works[work as usize].stream);
            (done.ranks, *stated) = (gathering.ranks.named(trace), gathering.ranks.stated(trace));
            gathering.ranks.record(trace, timeline, done.span, &mut done.ranks);
            let memory = MemoryPass::new(sorting.finish());
            Stage::Host(Box::new(HostPass::new(trace, tracks, calls, memory, n, gathering.ranks)))
        }
        _ => Stage::Done,
    }
}

/// The last stages: trees are put in order, kernels summed.
fn last(trace: &Trace, done: &mut Device, stage: Stage, left: &mut usize) -> Stage {
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
            Stage::Kernels(Summing::new())
        }
        Stage::Kernels(mut summing) => {
            if summing.step(trace, done, left) {
                return Stage::Kernels(summing);
            }
            done.kernels = summing.finish();
            Stage::Done
        }
        _ => Stage::Done,
    }
}
