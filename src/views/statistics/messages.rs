//! The question for figures of host and device, and its answer: bounded by what a screen has room for.

pub use crate::analysis::device::Options;
use crate::analysis::device::idle::Idle;
use crate::analysis::device::{Latency, Step};
use crate::base::time::{Clock, Span, Ticks};
use crate::wire::Question;
use serde::{Deserialize, Serialize};

/// Most streams told of: the busiest.
pub const STREAMS: usize = 16;
/// Most steps told of.
pub const STEPS: usize = 1000;

/// What streams, steps and launches come to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    pub span: Span,
    /// What its ticks are.
    pub clock: Clock,
    /// Names of the devices, each with its rank where there are several.
    pub devices: Vec<String>,
    /// How long the files of each were recorded.
    pub recorded: Vec<Ticks>,
    /// Streams by name, the busiest first; the busiest of each rank are among them.
    pub streams: Vec<(String, Idle)>,
    /// The rank of each of them: its place among the devices.
    pub ranks: Vec<u32>,
    /// How many streams work at all.
    pub n_streams: usize,
    /// Rank by rank: its steps by name in order of time, at most [`STEPS`] of all, then what lies outside of them.
    pub steps: Vec<(String, Step)>,
    pub n_steps: usize,
    pub latency: Latency,
    /// The same streams as above that something is launched on, with the most launches that wait in each part of the time.
    pub queues: Vec<(String, Vec<u32>)>,
    /// Ticks of communication, and of it while nothing is computed, each rank by itself.
    pub communication: (Ticks, Ticks),
    /// How long the ranks that communicate were recorded, added up.
    pub communicating: Ticks,
    /// How many ranks communicate.
    pub n_communicating: usize,
    /// Ranks for which the file says other sums than ours: computing, communication and what of it is not hidden, as
    /// counted and as the file says.
    pub contradicted: Vec<(String, [Ticks; 3], [Ticks; 3])>,
    /// How many functions of an interpreter there are.
    pub n_functions: usize,
    pub has_modules: bool,
    /// Names of the memories that operators allocate from.
    pub memories: Vec<String>,
    /// Whether it is known who launched something.
    pub has_launches: bool,
    /// What the three classes of idle time are called, and whose they are: English phrases.
    pub classes: [String; 2],
    /// What names of steps begin with if nobody says another; empty when nothing is known.
    pub step: String,
}

impl Figures {
    /// Streams by their places in the list: the busiest of each rank, rank by rank, then the busiest others until there
    /// are `least`.
    pub fn chosen_streams(&self, least: usize) -> Vec<usize> {
        let n = self.ranks.iter().max().map_or(0, |last| last + 1);
        let first = |rank: u32| self.ranks.iter().position(|of| *of == rank);
        let mut chosen: Vec<usize> = (0..n).filter_map(first).collect();
        let others: Vec<usize> = (0..self.streams.len()).filter(|at| !chosen.contains(at)).collect();
        let missing = least.saturating_sub(chosen.len());
        chosen.extend(others.into_iter().take(missing));
        chosen
    }

    /// The rows of steps of each rank; none where it has no steps.
    pub fn steps_by_rank(&self) -> Vec<(u32, &[(String, Step)])> {
        let of = |rank: u32| {
            let start = self.steps.partition_point(|(_, step)| step.rank < rank);
            let end = self.steps.partition_point(|(_, step)| step.rank <= rank);
            (rank, &self.steps[start..end])
        };
        (0..self.devices.len().max(1) as u32).map(of).collect()
    }
}

impl Question for Options {
    const OF: &'static str = "device";
    type Reply = Figures;
}
