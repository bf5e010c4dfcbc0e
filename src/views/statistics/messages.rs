//! The question for figures of host and device, and its answer: bounded by what a screen has room for.

pub use crate::analysis::device::Options;
use crate::analysis::device::idle::Idle;
use crate::analysis::device::{Latency, Step};
use crate::base::number::{duration, fixed};
use crate::base::time::{Clock, Span, Ticks};
use crate::base::words::{Message, message};
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
    /// How they were taken, where it is not as the host marks them, and what they lack; else nothing.
    pub taken: Message,
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

    /// How much of the communication is hidden, and whether what is not is more than a fifth of the time.
    pub fn overlap(&self) -> Option<(bool, Message)> {
        let (all, exposed) = self.communication;
        let said = match self.n_communicating {
            0 => return None,
            1 => message("{n} of {m} of communication overlap with compute"),
            _ => message("{n} of {m} of communication overlap with compute of the same rank"),
        };
        let said = said.with("n", duration(all - exposed, self.clock)).with("m", duration(all, self.clock));
        Some((0.2 < exposed as f64 / self.communicating.max(1) as f64, said))
    }

    /// What the file itself says of the first rank for which it is something else.
    pub fn contradiction(&self) -> Option<Message> {
        let (rank, ours, theirs) = self.contradicted.first()?;
        let time = |ticks: Ticks| duration(ticks, self.clock);
        let said = message(
            "{rank}: the file reports {a} compute and {b} exposed communication; computed here: {c} and {d}",
        );
        let said = said.with("rank", rank).with("a", time(theirs[0])).with("b", time(theirs[2]));
        Some(said.with("c", time(ours[0])).with("d", time(ours[2])))
    }

    /// Why the busiest stream has its gaps, by one of the two definitions.
    pub fn cause(&self, is_classes: bool) -> Option<Message> {
        let (name, idle) = self.streams.first()?;
        let (reason, share) = idle.cause(is_classes)?;
        let said = message("Main reason for gaps on {stream}: {reason}, {n} %");
        Some(said.with("stream", name).with_message("reason", reason).with("n", fixed(share, 1)))
    }

    /// How many kernels begin soon behind their call; nothing where these are few.
    pub fn quick(&self) -> Option<Message> {
        let launched = self.latency.kernels - self.latency.unlaunched - self.latency.negative;
        let share = self.latency.quick as f64 * 100.0 / launched.max(1) as f64;
        let said = message("{n} % start within 100 µs of the call");
        (10.0 <= share).then(|| said.with("n", fixed(share, 1)))
    }

    /// At most so many queues, each with its title: of several ranks the busiest stream of each comes first.
    pub fn chosen_queues(&self, most: usize) -> Vec<(Message, &[u32])> {
        let first: Vec<&String> =
            self.chosen_streams(most).into_iter().filter_map(|at| Some(&self.streams.get(at)?.0)).collect();
        let (chosen, others): (Vec<_>, Vec<_>) =
            self.queues.iter().partition(|(name, _)| first.contains(&name));
        let queues = chosen.into_iter().chain(others).take(most);
        let titled = |name: &String| message("Queue of {stream}").with("stream", name);
        queues.map(|(name, parts)| (titled(name), parts.as_slice())).collect()
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
