//! What a document is, what it holds, and what is wrong with it.

use crate::base::fault::Fault;
use crate::base::terms::Terms;
use crate::base::time::{Clock, Span, Ticks};
use crate::base::words::Message;
use crate::model::files::Missing;
use crate::model::id::TrackId;
use crate::model::parameter::AnalysisHead;
use serde::{Deserialize, Serialize};

/// What a document is and holds: what the page needs to choose views and label them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// Whether everything is loaded.
    pub is_complete: bool,
    /// What a person would call it.
    pub title: String,
    /// A few facts that tell documents apart at a glance.
    pub headline: Vec<String>,
    /// Id and title of each format that was read.
    pub formats: Vec<(String, String)>,
    /// The system's words.
    pub terms: Terms,
    /// What one tick means.
    pub clock: Clock,
    /// From the first to the last tick.
    pub span: Option<Span>,
    /// Offsets to begin with, so that files whose times lie far apart can be seen together.
    pub offsets: Vec<(TrackId, Ticks)>,
    /// The span with these offsets; `None` without.
    pub laid: Option<Span>,
    pub contents: Contents,
    /// What can decide the colors of slices.
    pub colors: Vec<ColorChoice>,
    /// Id of what does by default.
    pub color: String,
    /// How many faults of each severity: note, warning, loss, fatal.
    pub faults: [u64; 4],
    /// That rows of the files are missing, once all is read; empty where none are.
    pub lost: Message,
    /// Figures by id, section, title, and the file that they are of where several have that title; for the list of what
    /// the files hold.
    pub figures: Vec<(String, String, String, String)>,
    /// Tracks with samples of call stacks, each with the groups that it stands in; none before everything is loaded.
    pub sampled: Vec<Vec<TrackId>>,
    /// Ids of the exports that have something to write; none before everything is loaded.
    pub exports: Vec<String>,
    /// What its files could hold and none does.
    pub missing: Vec<Missing>,
    /// The project it is one operator of; `None` when the files are no project.
    pub project: Option<Project>,
    /// The formats and analyses of the document that have parameters, with their values.
    pub analyses: Vec<AnalysisHead>,
    /// Values of parameters that lie beside what was opened, as texts by id, such as the mapping of a log: a link takes them
    /// along, so that it needs no second file.
    pub given: Vec<(String, String)>,
    /// Counts up each time an analysis has a new result.
    pub revision: u64,
    /// Milliseconds from the first byte to here.
    pub millis: f64,
}

impl Head {
    /// The tracks with samples of call stacks among some: groups stand for all below them, none stands for all.
    pub fn sampled_among(&self, tracks: &[TrackId]) -> Vec<TrackId> {
        let is_meant = |path: &&Vec<TrackId>| tracks.is_empty() || path.iter().any(|id| tracks.contains(id));
        self.sampled.iter().filter(is_meant).filter_map(|path| path.first().copied()).collect()
    }
}

/// What can decide the colors of slices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColorChoice {
    pub id: String,
    /// What a person calls it; an English phrase of `base::words`.
    pub title: String,
    /// Whether it means something for this document.
    pub applies: bool,
}

/// A folder of several operators, of which a document shows one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Project {
    /// What a person would call it.
    pub title: String,
    /// What its operators are called.
    pub called: String,
    pub operators: usize,
    /// Path of the one that is shown.
    pub shown: String,
    /// Path of the first one of each file or folder that was dropped, when several were: each is a document of its own.
    pub dropped: Vec<String>,
}

impl Project {
    /// A path without the folder that all operators share.
    pub fn short<'a>(&self, path: &'a str) -> &'a str {
        let inside = path.strip_prefix(self.title.as_str()).map(|rest| rest.trim_start_matches('/'));
        inside.filter(|rest| !rest.is_empty()).unwrap_or(path)
    }

    /// What a person would call the operator that is shown.
    pub fn name(&self) -> String {
        self.name_of(&self.shown)
    }

    /// The same of the operator of a path.
    pub fn name_of(&self, path: &str) -> String {
        let path = self.short(path);
        // What tells operators apart comes first: names are cut at their end.
        let end = path.rmatch_indices('/').nth(1).map_or(path, |(at, _)| path.split_at(at + 1).1);
        // Files that were dropped together have no common folder.
        if self.dropped.is_empty() {
            format!("{end} · {}", self.title.trim_end_matches('!'))
        } else {
            end.to_owned()
        }
    }
}

/// What a document holds: a view asks this, never who wrote it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contents {
    /// Tracks that hold something.
    pub tracks: u64,
    pub slices: u64,
    /// Whether they tell what programs did, states of threads, and what processors ran.
    pub kinds: [bool; 3],
    pub instants: u64,
    /// Counter samples.
    pub samples: u64,
    pub flows: u64,
    pub accesses: u64,
    /// Blocks of a schedule.
    pub scheduled: u64,
    /// Executions of blocks.
    pub executions: u64,
    /// Blocks and kernels whose trace buffers can be planned.
    pub planned: u64,
    /// Kernels whose lifetimes of data are known.
    pub lifetimes: u64,
    /// Memory accesses that were counted by page and clock.
    pub counted: u64,
    /// Source files.
    pub sources: u64,
    pub instructions: u64,
    pub figures: u64,
    /// Long tables.
    pub tables: u64,
    /// Blocks of a container.
    pub blocks: u64,
}

/// How the files were read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Files: path, bytes, and the id of the format that read it (empty when none).
    pub files: Vec<(String, u64, String)>,
    /// Claims: format title, degree, reason, whether it was chosen.
    pub claims: Vec<(String, String, Message, bool)>,
    /// Formats without a claim: title, entry, what it missed; nearest first.
    pub near: Vec<(String, String, Message)>,
    /// Why nothing of it is shown, if nothing is: one sentence.
    pub reason: Message,
    /// Faults, at most `limits::FAULTS`, repeated ones folded.
    pub faults: Vec<Fault>,
    /// How many faults of each severity: note, warning, loss, fatal.
    pub counts: [u64; 4],
    /// What was left out of the trace, with its reason and how often.
    pub dropped: Vec<(String, u64)>,
    /// What the files could hold and none does.
    pub missing: Vec<Missing>,
    /// Blocks of containers, folded: entry, offset, type, name, bytes, state, how many alike follow.
    pub blocks: Vec<BlockRow>,
    /// How long the program worked without a pause at most: an English phrase of `base::words` for what it did, and
    /// milliseconds. `None` where nobody measures.
    pub longest_step: Option<(String, f64)>,
    /// The whole as text, for the clipboard.
    pub text: String,
}

/// One block, or a run of blocks of one type and state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockRow {
    /// Row of the first in the trace's blocks.
    pub row: u32,
    /// Path of the entry.
    pub entry: String,
    /// Where the first begins.
    pub offset: u64,
    /// Type number.
    pub kind: u32,
    /// Name of the type.
    pub name: String,
    /// Path, for sources.
    pub path: String,
    /// Bytes of content.
    pub bytes: u64,
    /// What became of it, an English phrase of `base::words`.
    pub state: String,
    /// How many alike follow directly.
    pub more: u32,
}
