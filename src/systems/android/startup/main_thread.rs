//! The main thread of a launched application: which one it is, and what it did during the launch.
//!
//! Its process has the name of the package. Where only threads have names, these are the last 15 characters of it, which
//! may fit the main threads of several processes.

use super::{Launch, THREAD_NAME};
use crate::analysis::finding::share;
use crate::analysis::timeline::Timeline;
use crate::base::time::{Span, Ticks};
use crate::base::words::phrase;
use crate::model::Trace;
use crate::model::id::{StrId, TrackId};
use crate::model::strings::Strings;
use crate::model::track::{Role, Track, TrackKind};

/// States of a thread with the heads of their columns: names that begin so.
pub(super) const STATES: [(&str, &str); 4] = [
    (phrase("Running"), RUNNING),
    (phrase("Runnable"), "Runnable"),
    (phrase("Sleeping"), "Sleeping"),
    (phrase("Uninterruptible sleep"), "Uninterruptible sleep"),
];

const RUNNING: &str = "Running";

/// States of a thread that ended.
const ENDED: [&str; 2] = ["Dead", "Zombie"];

/// Less of a launch is not told as a part without scheduling: no share would show it.
const LEAST: f64 = 0.0005;

/// What is known of the main thread during a launch.
pub(super) enum MainThread {
    Known(States),
    /// Its scheduling was not recorded, or not during the launch.
    NotScheduled,
    /// No process has the name of the package.
    NoProcess,
    /// The cut name fits so many main threads that ran during the launch.
    Several(usize),
}

/// What a main thread did during a launch, as far as scheduling was recorded.
#[derive(Clone, Copy)]
pub(super) struct States {
    pub(super) track: TrackId,
    /// How long each of [`STATES`] lasts.
    pub(super) times: [Ticks; 4],
    /// How much of the launch has scheduling.
    pub(super) recorded: Ticks,
    /// How much of that is before its first state.
    pub(super) before: Ticks,
    /// How much of the launch has none.
    pub(super) unknown: Ticks,
}

impl States {
    fn new(trace: &Trace, timeline: &Timeline, (track, within): (TrackId, Span)) -> Option<Self> {
        let shift = timeline.shift_of(track);
        let known = timeline.recorded(trace, track, within.shifted(shift)).shifted(-shift);
        let unknown = within.dur() - known.dur();
        let is_whole = (unknown as f64) < LEAST * within.dur() as f64;
        let known = if is_whole { within } else { known };
        let slices = &trace.tracks.get(track).slices;
        let first = slices.start.first().copied().unwrap_or(known.end);
        (0 < known.dur()).then(|| Self {
            track,
            times: STATES.map(|(_, state)| time_in(trace, track, state, known)),
            recorded: known.dur(),
            before: first.clamp(known.start, known.end) - known.start,
            unknown: if is_whole { 0 } else { unknown },
        })
    }

    /// A part of what was recorded, 0 to 1.
    pub(super) fn share(&self, time: Ticks) -> f64 {
        share(time as f64, self.recorded as f64)
    }

    /// How long it ran.
    pub(super) fn running(&self) -> Ticks {
        self.times.first().copied().unwrap_or(0)
    }

    /// Whether scheduling was recorded during a part of the launch only.
    pub(super) fn is_part(&self) -> bool {
        0 < self.unknown
    }
}

impl MainThread {
    pub(super) fn new(trace: &Trace, timeline: &Timeline, launch: &Launch) -> Self {
        let mut groups = trace.tracks.iter().filter(|(_, track)| is_process(trace, track, launch)).peekable();
        let is_scheduled = || {
            let is_it = |track: &Track| track.entry == launch.entry && track.role == Role::States;
            trace.tracks.iter().any(|(_, track)| is_it(track))
        };
        if groups.peek().is_none() && !launch.package.is_empty() && is_scheduled() {
            return Self::NoProcess;
        }
        let mut mains: Vec<(bool, TrackId)> = groups.filter_map(|of| main_of(trace, of, launch)).collect();
        let is_whole = mains.iter().any(|(is_whole, _)| *is_whole);
        mains.retain(|main| main.0 == is_whole);
        let mains = mains.into_iter().map(|(_, track)| track).collect();
        match *own(trace, launch, mains) {
            [] => Self::NotScheduled,
            [track] => {
                States::new(trace, timeline, (track, launch.span)).map_or(Self::NotScheduled, Self::Known)
            }
            ref several => Self::Several(several.len()),
        }
    }

    /// What it did, where that is known.
    pub(super) fn states(&self) -> Option<&States> {
        if let Self::Known(states) = self { Some(states) } else { None }
    }
}

/// Whether a group is a process with the name of the package, or of the thread that is called so.
fn is_process(trace: &Trace, track: &Track, launch: &Launch) -> bool {
    let cut = launch.package.len().checked_sub(THREAD_NAME).and_then(|from| launch.package.get(from..));
    let name = trace.strings.get(track.name);
    track.kind == TrackKind::Group
        && track.entry == launch.entry
        && track.label != Strings::EMPTY
        && (name == launch.package || Some(name) == cut)
}

/// The states of the main thread of a process, with whether the process has the whole name.
fn main_of(trace: &Trace, (process, group): (TrackId, &Track), launch: &Launch) -> Option<(bool, TrackId)> {
    let is_main = |track: &Track| {
        let is_inside = track.parent == Some(process) && track.label == group.label;
        is_inside && track.role == Role::States
    };
    let is_whole = trace.strings.get(group.name) == launch.package;
    trace.tracks.iter().find(|(_, track)| is_main(track)).map(|(id, _)| (is_whole, id))
}

/// Of main threads that are called alike those that can be the launched one: it does not end meanwhile, and runs. Of several
/// that do, the only one whose marks name the package.
fn own(trace: &Trace, launch: &Launch, mut mains: Vec<TrackId>) -> Vec<TrackId> {
    let mut keep = |is_kept: &dyn Fn(TrackId) -> bool| {
        let kept: Vec<TrackId> = mains.iter().copied().filter(|id| is_kept(*id)).collect();
        if 1 < mains.len() && !kept.is_empty() {
            mains = kept;
        }
    };
    keep(&|id| ENDED.iter().all(|state| time_in(trace, id, state, launch.span) == 0));
    keep(&|id| 0 < time_in(trace, id, RUNNING, launch.span));
    keep(&|id| is_named(trace, id, launch));
    mains
}

/// Whether a mark of a thread during a launch names its package, such as `performCreate:com.example.camera.Main`.
fn is_named(trace: &Trace, states: TrackId, launch: &Launch) -> bool {
    let Some(scopes) = main_scopes(trace, states) else { return false };
    let slices = &trace.tracks.get(scopes).slices;
    (0..slices.len()).any(|row| {
        let is_meanwhile = 0 < slices.span(row).intersect(launch.span).dur();
        is_meanwhile && has_word(trace.strings.get(slices.name_of(row)), launch.package)
    })
}

/// Whether a text has a package in it, which is not the end of a longer name; names inside of the package may follow.
fn has_word(text: &str, package: &str) -> bool {
    let is_inside = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(package).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + package.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(|c| is_inside(c) || c == '.') && !after.is_some_and(is_inside)
    })
}

/// The track of the scopes of a thread, beside that of its states.
pub(super) fn main_scopes(trace: &Trace, states: TrackId) -> Option<TrackId> {
    let of = trace.tracks.find(states)?;
    let name = trace.strings.get(of.name).strip_suffix(" (state)")?;
    let is_it = |(_, track): &(TrackId, &Track)| {
        let is_beside = (track.parent, track.label, track.role) == (of.parent, of.label, Role::Scopes);
        is_beside && !track.slices.is_empty() && trace.strings.get(track.name) == name
    };
    trace.tracks.iter().find(is_it).map(|(id, _)| id)
}

/// How long a thread was in a state in a stretch of time.
fn time_in(trace: &Trace, states: TrackId, state: &str, span: Span) -> Ticks {
    let slices = &trace.tracks.get(states).slices;
    let rows = slices.name.iter().enumerate();
    let rows = rows.filter(|(_, name): &(usize, &StrId)| trace.strings.get(**name).starts_with(state));
    rows.map(|(row, _)| {
        let own = slices.span(row);
        (own.end.min(span.end) - own.start.max(span.start)).max(0)
    })
    .sum()
}
