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

mod args;
pub mod class;
pub mod dialect;
mod gather;
mod host;
pub mod idle;
mod kernels;
mod launches;
mod making;
mod memory;
pub mod ranks;
pub mod spans;
pub mod steps;
pub mod tree;

pub use args::LAUNCH_ARGS;
pub use class::{Class, has_streams};
pub use host::{NONE, Operator};
pub use kernels::KernelSum;
pub use launches::{BINS, Latency, MOMENTS};
pub use making::find_out;
pub use memory::{MemoryUse, Peak, Sums};
pub use ranks::Rank;
pub use spans::Times;
pub use steps::Step;
pub use tree::Tree;

use super::timeline::Timeline;
use crate::base::job;
use crate::base::time::{Clock, Span, Ticks};
use crate::model::Trace;
use crate::model::id::{SliceId, StrId, TrackId};
use crate::model::slice::Slices;
use dialect::Dialect;
use idle::Idle;
use serde::{Deserialize, Serialize};
use std::ops::Range;

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
    /// The slice.
    pub slice: SliceId,
    /// When.
    pub span: Span,
    /// What the device does.
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
    /// The track.
    pub track: TrackId,
    /// When.
    pub time: Ticks,
    /// The slice there, if there is one.
    pub row: Option<u32>,
}

impl Launch {
    /// When the call that launched it returned; `None` where the slice there is no call of a runtime or a driver.
    fn returned(self, trace: &Trace, timeline: &Timeline) -> Option<Ticks> {
        let (slices, row) = (&trace.tracks.find(self.track)?.slices, self.row? as usize);
        let category = trace.strings.get(Slices::sparse(&slices.category, row));
        let is_call = class::role(Dialect::of(trace), category) == class::Role::Call;
        is_call.then(|| slices.span(row).shifted(timeline.shift_of(self.track)).end)
    }
}

/// A stream of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamWork {
    /// Its track.
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
    /// The time.
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
    /// Latencies of kernels.
    pub latency: Latency,
}

impl Device {
    /// Whether it is known who launched something.
    pub fn has_launches(&self) -> bool {
        self.works.iter().any(|work| work.launch.is_some())
    }

    /// Ticks of communication, and of it while nothing is computed, each rank by itself.
    pub fn communication(&self) -> (Ticks, Ticks) {
        let sum = |part: usize| self.ranks.iter().map(|rank| rank.sums[part]).sum();
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
