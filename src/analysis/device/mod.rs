//! Host and device: which operator launched which kernel, how long it waited, what streams did meanwhile, what steps cost.
//!
//! ```text
//! host     step [ operator [launch]  operator [launch] … synchronize ──┐ ]
//!                            │                  │                      │
//! stream                     └─▶ kernel ──gap── └─▶ kernel ────────────┘
//! ```
//! Streams and tracks of the host are told apart by [`class`]; flows join a launch with what it launched. A slice of a
//! stream is work when it computes, communicates or copies; one that waits for an event is not.
//!
//! A work that no flow leads to is launched by the call that bears the same number (`Slices::link`). What the words of a
//! trace mean, and whose the definitions are that others use too, its reader hands in: see [`dialect`].

pub mod class;
pub mod dialect;
mod gather;
mod host;
pub mod idle;
mod launches;
mod making;
mod memory;
pub mod ranks;
mod steps;
pub mod tree;
mod waits;

pub use class::{Class, has_streams, is_stream};
pub use host::{NONE, Operator};
pub use launches::{BINS, Latency, MOMENTS};
pub use making::{KernelSum, find_out};
pub use memory::{MemoryUse, Peak, Sums};
pub use ranks::Rank;
pub use steps::{OUTSIDE, Step, Taken};
pub use tree::Tree;
pub use waits::{Asked, Exposed, HostCalls, InSteps, Kind};

use super::timeline::Timeline;
use crate::base::job;
use crate::base::job::Turn;
use crate::base::map::Map;
use crate::base::sort::sorted;
use crate::base::time::{Clock, Span, Ticks, Total};
use crate::base::words::phrase;
use crate::model::Trace;
use crate::model::id::{SliceId, StrId, TrackId};
use dialect::Dialect;
use host::HostTimes;
use idle::{Around, Idle, Thread, ThreadKey, thread_key};
use making::{PIECE, ROW};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::ops::Range;
use waits::Called;

/// What is asked for, and the limits of what a gap counts as. Lengths in nanoseconds; ticks where the clock has no rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// The time; `None` is all of it.
    pub span: Option<Span>,
    /// Name of the slices that are steps, with `*` at its end for all that begin so; empty for those of the profiler.
    pub step: String,
    /// Texts that names of communication have in them beside those that are known, parted by commas.
    pub communication: String,
    /// A gap at most as long is one between kernels that follow each other.
    pub short: f64,
    /// Only a longer gap is blamed on the loading of data.
    pub loading: f64,
    /// A shorter gap counts as `kernel wait` among the three classes.
    pub delay: f64,
}

impl Default for Options {
    fn default() -> Self {
        let (step, communication) = (String::new(), String::new());
        Self { span: None, step, communication, short: SHORT, loading: LOADING, delay: DELAY }
    }
}

/// See [`Options::short`].
pub const SHORT: f64 = 1e3;
/// See [`Options::loading`].
pub const LOADING: f64 = 1e6;
/// See [`Options::delay`].
pub const DELAY: f64 = 30e3;

impl Options {
    fn ticks(clock: Clock, nanos: f64) -> Ticks {
        (nanos / clock.nanos().unwrap_or(1.0)).round() as Ticks
    }
}

/// A slice of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    pub slice: SliceId,
    /// When.
    pub span: Span,
    pub class: Class,
    /// Whether it is only a part of what another track of the device says is communication.
    pub is_part: bool,
    /// Number of its stream.
    pub stream: u32,
    /// Where the host launched it, if flows say so (of several the last), or a number that both bear.
    pub launch: Option<Launch>,
    /// Name of the innermost operator around the launch; empty for none.
    pub operator: StrId,
    /// How many launches of the stream had not begun when this was launched, itself among them.
    pub queue: u32,
    /// How many works its call launches, itself among them: one call launches a recorded graph. 0 without a launch.
    pub launched_with: u32,
    /// Whether it is the first to begin of those that one moment of the call launches: the others wait for each other, not
    /// for their launch.
    pub is_first: bool,
    /// Whether the call is counted by it: of what a call launches that is one, a kernel if there is one.
    pub stands_for_call: bool,
}

impl Work {
    /// Whether its stream works: it neither waits nor is a part of what another track says.
    pub fn is_work(&self) -> bool {
        self.class != Class::Wait && !self.is_part
    }
}

impl Work {
    /// Ticks from the launch to the begin; negative where clocks are not aligned.
    pub fn latency(&self) -> Option<Ticks> {
        Some(self.span.start.saturating_sub(self.launch?.time))
    }
}

/// Where the host launched something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    pub track: TrackId,
    /// When.
    pub time: Ticks,
    /// The slice there, if there is one.
    pub row: Option<u32>,
    /// Where and when it was handed to that thread, if there is a queue between them: of several flows the first.
    pub from: TrackId,
    pub handed: Ticks,
}

impl Launch {
    /// The call that launched it; `None` where the slice there is no call of a runtime or a driver.
    fn call(self, trace: &Trace, timeline: &Timeline) -> Option<Span> {
        let (slices, row) = (&trace.tracks.find(self.track)?.slices, self.row? as usize);
        let category = trace.strings.get(slices.category_of(row));
        let is_call = class::role(Dialect::of(trace), category) == class::Role::Call;
        is_call.then(|| slices.span(row).shifted(timeline.shift_of(self.track)))
    }
}

/// A stream of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamWork {
    pub track: TrackId,
    /// Number of its rank among all.
    pub rank: u32,
    /// Its rows among all.
    pub works: Range<usize>,
    /// How it spends the time.
    pub idle: Idle,
    /// The most launches that wait at once in each of [`MOMENTS`] equal parts of the time; empty without launches.
    pub queue: Vec<u32>,
}

/// What was found out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Device {
    pub span: Span,
    /// The streams, in the order shown.
    pub streams: Vec<StreamWork>,
    /// Their slices: by stream, then in order of start.
    pub works: Vec<Work>,
    /// Sums of them by name, in order of first use.
    pub kernels: Vec<KernelSum>,
    /// Sums by operator, in order of first use.
    pub operators: Vec<Operator>,
    /// The same by function of an interpreter, and by module.
    pub functions: Vec<Operator>,
    /// Modules inside of modules.
    pub modules: Tree,
    /// Functions inside of functions.
    pub stacks: Tree,
    /// Memory by operator and device, in order of first use.
    pub memory: Vec<MemoryUse>,
    /// The memories.
    pub peaks: Vec<Peak>,
    /// Ranks, in the order of their streams.
    pub ranks: Vec<Rank>,
    /// Rank by rank: its steps in order of time, then what lies outside of them, if there is work.
    pub steps: Vec<Step>,
    pub latency: Latency,
    /// Communication and copies by rank, stream and name: what of them is not hidden.
    pub exposed: Vec<Exposed>,
    /// Calls of the host that load data, wait for the device or ask for memory, by rank and name.
    pub calls: Vec<HostCalls>,
    /// Each of those that ask for memory or give it back: by rank and track, in order of time.
    pub asked: Vec<Asked>,
}

impl Device {
    /// Whether it is known who launched something.
    pub fn has_launches(&self) -> bool {
        self.works.iter().any(|work| work.launch.is_some())
    }

    /// Ticks of communication, and of it while nothing is computed, each rank by itself.
    pub fn communication(&self) -> (Ticks, Ticks) {
        let sum = |part: usize| self.ranks.iter().map(|rank| rank.sums[part]).total();
        (sum(1), sum(2))
    }

    /// What a stream is called: with its rank and device where there are several.
    pub fn stream_name(&self, trace: &Trace, stream: u32) -> String {
        let Some(stream) = self.streams.get(stream as usize) else { return String::new() };
        let parent = |id: TrackId| trace.tracks.find(id).and_then(|track| track.parent);
        let own = parent(stream.track);
        let name = trace.tracks.find(stream.track).map_or("", |track| trace.strings.get(track.name).trim());
        let mut others = self.streams.iter().filter(|other| other.rank == stream.rank);
        let is_alone = others.all(|other| parent(other.track) == own);
        let rank = self.ranks.get(stream.rank as usize).filter(|_| 1 < self.ranks.len());
        let group = own.filter(|_| !is_alone).map_or(String::new(), |id| device_name(trace, id));
        let parts = [rank.map_or("", |rank| rank.name.as_str()), &group, name];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(" / ")
    }
}

/// What a device is called: by the label of the group, where the name is that of the program.
pub fn device_name(trace: &Trace, group: TrackId) -> String {
    let Some(track) = trace.tracks.find(group) else { return String::new() };
    let label = trace.strings.get(track.label).trim();
    // Of several labels the one with the number of the device.
    let numbered = label.split(", ").find(|label| label.contains(|c: char| c.is_ascii_digit()));
    numbered.unwrap_or_else(|| trace.strings.get(track.name).trim()).to_owned()
}

/// All of it at once.
pub fn device(trace: &Trace, timeline: &Timeline, options: &Options) -> Device {
    job::run(async |turn| find_out(trace, timeline, options, &turn).await)
}

// What writers call the measures of a launch among the arguments of a kernel.

/// What a kernel was launched with: titles for people, and the names that arguments have.
pub const LAUNCH_ARGS: [(&str, &[&str]); 8] = [
    (phrase("Grid"), &["grid", "Block Dim", "block dim"]),
    (phrase("Block size"), &["block"]),
    (phrase("Registers per thread"), &["registers per thread"]),
    (phrase("Shared memory"), &["shared memory"]),
    (phrase("Estimated occupancy (%)"), &["est. achieved occupancy %"]),
    (phrase("Blocks per SM"), &["blocks per SM"]),
    (phrase("Warps per SM"), &["warps per SM"]),
    (phrase("Bytes"), &["bytes", "size(Byte)"]),
];

/// The place of the occupancy among these.
const OCCUPANCY: usize = 4;

/// A measure of a launch by its place in [`LAUNCH_ARGS`], as the file has it. Profilers write an occupancy of 0 where they
/// do not know it.
pub fn launch_arg(args: &[(String, String)], at: usize) -> Option<&str> {
    let (_, names) = LAUNCH_ARGS.get(at)?;
    let (_, value) = args.iter().find(|(name, _)| names.contains(&name.as_str()))?;
    let is_known = at != OCCUPANCY || value.trim().parse::<f64>() != Ok(0.0);
    is_known.then_some(value)
}

// Stretches of time as a set: sorted, joined where they meet, with their sums.

/// Times in which something goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Times {
    spans: Vec<Span>,
    /// Ticks before each.
    before: Vec<Ticks>,
}

impl Times {
    /// Joins stretches that are sorted by their start.
    pub fn of_sorted(sorted: impl IntoIterator<Item = (Ticks, Ticks)>) -> Self {
        let mut times = Self::default();
        sorted.into_iter().for_each(|(start, end)| times.push(Span { start, end }));
        times
    }

    /// Adds a stretch that begins no sooner than those before it.
    pub fn push(&mut self, span: Span) {
        match self.spans.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ if span.is_empty() => {}
            last => {
                let sum = last.map_or(0, |last| last.dur());
                self.before.push(self.before.last().copied().unwrap_or(0).saturating_add(sum));
                self.spans.push(span);
            }
        }
    }

    /// The stretches.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Ticks of them inside of a stretch.
    pub fn inside(&self, span: Span) -> Ticks {
        self.until(span.end).saturating_sub(self.until(span.start)).max(0)
    }

    /// Ticks of them before a time.
    fn until(&self, time: Ticks) -> Ticks {
        let at = self.spans.partition_point(|span| span.start < time);
        let Some(last) = at.checked_sub(1).and_then(|at| self.spans.get(at)) else { return 0 };
        let before = self.before.get(at - 1).copied().unwrap_or(0);
        before.saturating_add(last.end.min(time).saturating_sub(last.start))
    }

    /// Their parts inside of a stretch.
    pub fn parts(&self, within: Span) -> impl Iterator<Item = Span> + '_ {
        let from = self.spans.partition_point(|span| span.end <= within.start);
        let rest = self.spans.get(from..).unwrap_or_default();
        rest.iter().take_while(move |span| span.start < within.end).map(move |span| span.intersect(within))
    }

    /// What is left of a stretch without them.
    pub fn rest(&self, within: Span) -> impl Iterator<Item = Span> + '_ {
        let end = Span { start: within.end, end: within.end };
        let mut from = within.start;
        self.parts(within).chain(std::iter::once(end)).filter_map(move |part| {
            let gap = Span { start: from, end: part.start };
            from = part.end;
            (!gap.is_empty()).then_some(gap)
        })
    }
}

/// A set that two others yield, in progress.
#[derive(Default)]
pub struct Merging {
    /// The stretch of each that is next.
    at: (usize, usize),
    /// Where what is left of the first one's stretch begins, if something was cut off.
    from: Option<Ticks>,
    /// What came out so far.
    pub done: Times,
}

impl Merging {
    /// Both; false when nothing is left to do.
    pub fn and(&mut self, one: &Times, other: &Times, left: &mut usize) -> bool {
        while 0 < *left {
            *left -= 1;
            let (at, place) = match (one.spans.get(self.at.0), other.spans.get(self.at.1)) {
                (Some(a), Some(b)) if b.start < a.start => (b, &mut self.at.1),
                (Some(a), _) => (a, &mut self.at.0),
                (None, Some(b)) => (b, &mut self.at.1),
                (None, None) => return false,
            };
            *place += 1;
            self.done.push(*at);
        }
        true
    }

    /// What is left of the first without the other; false when nothing is left to do.
    pub fn without(&mut self, one: &Times, other: &Times, left: &mut usize) -> bool {
        while 0 < *left {
            *left -= 1;
            let Some(own) = one.spans.get(self.at.0) else { return false };
            let start = self.from.unwrap_or(own.start);
            let cut = other.spans.get(self.at.1).filter(|cut| cut.start < own.end);
            if let Some(cut) = cut
                && cut.end <= start
            {
                self.at.1 += 1;
                continue;
            }
            let end = cut.map_or(own.end, |cut| cut.start);
            if start < end {
                self.done.push(Span { start, end });
            }
            match cut.filter(|cut| cut.end < own.end) {
                Some(cut) => (self.from, self.at.1) = (Some(cut.end), self.at.1 + 1),
                None => (self.from, self.at.0) = (None, self.at.0 + 1),
            }
        }
        true
    }
}

type Interval = (Ticks, Ticks);

/// Cuts the steps of each rank out of sets of time; what its gaps are held against is left.
async fn cut(trace: &Trace, hosts: Vec<HostTimes>, of: &mut Device, turn: &Turn) -> Vec<Around> {
    let mut lists: Vec<[Vec<Interval>; 3]> = vec![Default::default(); hosts.len()];
    for works in of.works.chunks(PIECE) {
        for work in works.iter().filter(|work| work.is_work()) {
            let lists = &mut lists[of.streams[work.stream as usize].rank as usize];
            lists[work.class as usize].push((work.span.start, work.span.end));
        }
        if turn.is_over(ROW * works.len()) {
            turn.pause().await;
        }
    }
    let mut around = Vec::new();
    for (rank, (host, [compute, communication, copies])) in hosts.into_iter().zip(lists).enumerate() {
        let compute = set(compute, turn).await;
        let communication = set(communication, turn).await;
        let copies = set(copies, turn).await;
        let busy = set(host.busy, turn).await;
        let exposed = merged(turn, |merging, left| merging.without(&communication, &compute, left)).await;
        of.ranks[rank].sums = [&compute, &communication, &exposed].map(|times| times.inside(of.span));
        let work = merged(turn, |merging, left| merging.and(&compute, &communication, left)).await;
        let bare = merged(turn, |merging, left| merging.without(&copies, &work, left)).await;
        let (own, taken) = steps::taken(rank as u32, host.steps, of, turn).await;
        steps::steps_of(rank as u32, &own, [&compute, &exposed, &bare, &busy], of, turn).await;
        let steps = steps::set_of(own.iter().map(|own| own.span), of.span, turn).await;
        let marked = steps::set_of(own.iter().map(|own| own.marked), of.span, turn).await;
        let device = merged(turn, |merging, left| merging.and(&work, &bare, left)).await;
        let sets =
            waits::Sets { steps: &steps, marked: &marked, compute: &compute, work: &work, device: &device };
        waits::find(rank, &sets, &host.calls, (trace, &mut *of), turn).await;
        let rank = &mut of.ranks[rank];
        (rank.busy, rank.work, rank.marked, rank.taken) = (device, work, marked, taken);
        let (threads, all) = threads(trace, &host.calls, turn).await;
        around.push(Around { threads, all, compute, communication, steps, long: Ticks::MAX, brief: 0 });
    }
    around
}

/// When each thread of a host keeps itself from launching, and when any of them does.
async fn threads(trace: &Trace, calls: &[Called], turn: &Turn) -> (Map<ThreadKey, Thread>, Thread) {
    let mut own: Map<ThreadKey, Vec<Called>> = Map::default();
    for calls in calls.chunk_by(|a, b| a.slice.track == b.slice.track) {
        if let Some(call) = calls.first() {
            own.entry(thread_key(trace, call.slice.track)).or_default().extend_from_slice(calls);
        }
    }
    let mut threads = Map::default();
    for (key, calls) in own {
        threads.insert(key, thread(&calls, turn).await);
    }
    (threads, thread(calls, turn).await)
}

async fn thread(calls: &[Called], turn: &Turn) -> Thread {
    let of = |kind: Kind| calls.iter().filter(move |call| call.kind == kind);
    let spans = |kind: Kind| of(kind).map(|call| (call.span.start, call.span.end)).collect::<Vec<_>>();
    let (syncs, asked) = (set(spans(Kind::Waits), turn).await, set(spans(Kind::Allocates), turn).await);
    let loads = set(spans(Kind::Loads), turn).await;
    let allocates = merged(turn, |merging, left| merging.without(&asked, &syncs, left)).await;
    let waits = of(Kind::Waits).map(|call| (call.span.start, Reverse(call.span.end), call.name, call.inside));
    let waits = sorted(waits.collect(), turn).await.into_iter();
    let waits = waits.map(|(start, Reverse(end), name, inside)| (Span { start, end }, name, inside));
    Thread { loads, syncs, allocates, waits: waits.collect() }
}

/// Stretches in any order become a set.
async fn set(list: Vec<Interval>, turn: &Turn) -> Times {
    let mut set = Times::default();
    for stretches in sorted(list, turn).await.chunks(PIECE) {
        for &(start, end) in stretches {
            set.push(Span { start, end });
        }
        if turn.is_over(ROW * stretches.len()) {
            turn.pause().await;
        }
    }
    set
}

async fn merged(turn: &Turn, mut merge: impl FnMut(&mut Merging, &mut usize) -> bool) -> Times {
    let mut merging = Merging::default();
    loop {
        let mut left = PIECE;
        let is_more = merge(&mut merging, &mut left);
        if turn.is_over(ROW * (PIECE - left)) {
            turn.pause().await;
        }
        if !is_more {
            return merging.done;
        }
    }
}
