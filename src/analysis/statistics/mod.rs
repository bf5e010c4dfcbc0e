//! Statistics of slices by name, category or track: how often, how long in all, by themselves and each.
//!
//! ```text
//! total   sum of the lengths of the slices that lie at least partly in the time, each cut to it; where they lie in each
//!         other on a track, as calls of functions that call themselves do, time counts once
//! self    their time without that of slices nested in them on the same track
//! mean    of the lengths of all of them, also of those that lie in each other
//! median  of n lengths in order (the first is 0) the one at (n − 1) / 2, between two of them in proportion
//! p95     the same at (n − 1) · 95 / 100
//! share   self / self of all
//! ```
//! What programs did, states of threads and what processors ran are apart: one second of a trace is one second of each
//! thread's states and of each processor, and their sum is of nothing.
//!
//! A slice is nested in the last one of its track that started before it and does not end before it, as everywhere
//! ([`super::summary`]). Slices that a category leaves out still take their time from those around them. Median and p95
//! are those of `numpy.percentile`. Costs the rows of the time three times, and four bytes for each while it is made.

mod making;
pub(super) mod ranks;
mod threads;

pub use making::Making;
pub use threads::{ThreadTime, Threads, ThreadsMaking};

use super::timeline::{Timeline, chosen_tracks};
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::id::{SliceId, StrId, TrackId};
use crate::model::track::Role;
use serde::{Deserialize, Serialize};

/// What slices are added up by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// Their name.
    #[default]
    Name,
    /// Their category.
    Category,
    /// Their track.
    Track,
    /// The outermost group of their track.
    Group,
}

/// What the slices of tracks tell: only those of one kind add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Of {
    /// What programs and devices did.
    Scopes,
    /// States of threads.
    States,
    /// What processors ran.
    Processors,
}

impl Of {
    /// All, in the order in which they are asked for.
    pub const ALL: [Self; 3] = [Self::Scopes, Self::States, Self::Processors];

    fn of_role(role: Role) -> Self {
        match role {
            Role::Scopes => Self::Scopes,
            Role::States => Self::States,
            Role::Processor | Role::Interrupts => Self::Processors,
        }
    }

    /// Whether a trace has slices of this kind. Costs the tracks.
    pub fn is_in(self, trace: &Trace) -> bool {
        trace.tracks.iter().any(|(_, track)| Self::of_role(track.role) == self && !track.slices.is_empty())
    }
}

/// Those of some tracks whose slices tell the same, and what: what is wanted, or the first of [`Of`] that they have.
pub fn of_one_kind(
    trace: &Trace,
    mut tracks: Vec<(TrackId, Option<usize>)>,
    wanted: Option<Of>,
) -> (Vec<(TrackId, Option<usize>)>, Option<Of>) {
    let kind = |id: TrackId| Of::of_role(trace.tracks.get(id).role);
    let wanted = wanted.or_else(|| tracks.iter().map(|(id, _)| kind(*id)).min());
    tracks.retain(|(id, _)| Some(kind(*id)) == wanted);
    (tracks, wanted)
}

/// Which slices, and what they are added up by.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Options {
    /// What they are added up by.
    pub by: By,
    /// The time; `None` is all of it.
    pub span: Option<Span>,
    /// The tracks; groups stand for all below them; none stands for all.
    pub tracks: Vec<TrackId>,
    /// Only slices of this category; an empty one is of those that have none.
    pub category: Option<String>,
    /// Whether names that differ only in a number at their end are one.
    pub is_joined: bool,
    /// What the slices tell; `None` is the first of [`Of`] that the tracks have.
    pub of: Option<Of>,
}

impl Options {
    /// The tracks with slices that are meant: of one kind.
    fn tracks(&self, trace: &Trace) -> Vec<(TrackId, Option<usize>)> {
        of_one_kind(trace, chosen_tracks(trace, &self.tracks), self.of).0
    }

    /// The time with the slices without length at its very end, where it is all of it.
    pub fn time(&self, trace: &Trace, timeline: &Timeline) -> Span {
        self.span.unwrap_or_else(|| {
            let whole = timeline.span(trace).unwrap_or_default();
            Span { end: whole.end.saturating_add(1), ..whole }
        })
    }
}

/// What the slices of one name, category or track add up to.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The name or category; of joined names the first.
    pub name: StrId,
    /// The track, or the group; of names and categories the track of the first slice.
    pub track: TrackId,
    /// Whether it stands for several names that differ in a number.
    pub is_joined: bool,
    /// The category of most of them.
    pub category: StrId,
    /// How many categories they have.
    pub n_categories: u32,
    /// How many tracks they are on.
    pub n_tracks: u32,
    /// How many slices.
    pub n: u64,
    /// How many of them do not lie in another one on their track.
    pub n_outermost: u64,
    /// Sum of the lengths of these: time of slices that lie in each other counts once.
    pub total: i128,
    /// Sum of the lengths of all.
    pub sum: i128,
    /// Their time without nested slices.
    pub own: i128,
    /// Length of the shortest.
    pub min: Ticks,
    /// Length of the longest.
    pub max: Ticks,
    /// The longest of them, the first where several are.
    pub longest: SliceId,
    /// Their median length.
    pub median: f64,
    /// The length that 95 of 100 do not pass.
    pub p95: f64,
}

impl Row {
    /// Mean length.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.n.max(1) as f64
    }

    /// What it is called.
    pub fn label(&self, trace: &Trace, by: By) -> String {
        match by {
            By::Name if self.is_joined => format!("{}*", stem(trace.strings.get(self.name)).unwrap_or("")),
            By::Name | By::Category => trace.strings.get(self.name).to_owned(),
            By::Track | By::Group => trace.track_path(self.track),
        }
    }
}

/// Statistics of a stretch of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// What they are of.
    pub options: Options,
    /// The time.
    pub span: Span,
    /// What is added up, in order of first use.
    pub rows: Vec<Row>,
    /// How many tracks have a slice.
    pub n_tracks: u32,
    /// How many slices are cut at an edge of the time.
    pub n_cut: u64,
}

impl Statistics {
    /// Self time of all.
    pub fn own(&self) -> i128 {
        self.rows.iter().map(|row| row.own).sum()
    }

    /// How many slices.
    pub fn n(&self) -> u64 {
        self.rows.iter().map(|row| row.n).sum()
    }
}

/// What names that differ in a number at their end share: the part before it, which ends with `#` or a blank.
pub fn stem(name: &str) -> Option<&str> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (stem.len() < name.len() && stem.ends_with(['#', ' ']) && 1 < stem.len()).then_some(stem)
}

/// Whether a joined name such as `step#*` stands for a name.
pub fn is_joined(joined: &str, name: &str) -> bool {
    joined.strip_suffix('*').is_some_and(|wanted| stem(name) == Some(wanted))
}

/// Statistics at once.
pub fn statistics(trace: &Trace, timeline: &Timeline, options: &Options) -> Statistics {
    let mut making = Making::new(trace, timeline, options.clone());
    while making.step(trace, timeline) {}
    making.finish()
}
