//! Launches of applications: how long each took, and what the application's main thread did meanwhile.
//!
//! | written by | mark | says |
//! |---|---|---|
//! | Android to 12 | `S\|pid\|launching: PACKAGE\|cookie` … `F` | the launch |
//! | Android from 13 | `S\|pid\|launchingActivity#N\|cookie` … `F`, and the one above | the launch |
//! | the same | instant `launchingActivity#N:completed-KIND:PACKAGE` | its kind (cold, warm, hot) and package |
//! | the same | `launchingActivity#N:canceled:PACKAGE`, `…:failed`, `…:completed-same-process:…` | it is none |
//!
//! Marks of one file that overlap and do not name two packages are one launch. One that is none, or whose end nobody
//! tells, stands without times: a mark that is still open lasts to the end of the recording.
//!
//! The main thread is the thread with the number of its process; its states are the slices of its track of states. Source:
//! documents of Perfetto's module android.startup; on made files only.

mod rules;

pub(super) use rules::{LAUNCHES, summary};

use crate::analysis::contract::{Analysis, AnalysisInput, ComputedFigure};
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::Trace;
use crate::model::figure::{Figure, TableColumn, TableOf, Target};
use crate::model::id::{StrId, TrackId};
use crate::model::strings::Strings;
use crate::model::track::{Role, Track, TrackKind};

/// A table of launches.
pub static ANALYSIS: Analysis = Analysis {
    id: "startup",
    title: phrase("Startup"),
    parameters: &[],
    applies: |trace| trace.tracks.iter().any(|(_, track)| begins(trace.strings.get(track.name)).is_some()),
    tap: None,
    start: None,
    add_tracks: None,
    faults: None,
    figures: |_| {
        vec![ComputedFigure::new(("startup", phrase("Startup"), phrase("Launches")), ("table", 3), table)]
    },
    is_comparable: true,
    advice: None,
};

const OLD: &str = "launching: ";
const NEW: &str = "launchingActivity#";

/// Most characters of the name of a thread; Android gives it the last ones of that of the process.
const THREAD_NAME: usize = 15;

/// States of a thread with the heads of their columns: names that begin so.
const STATES: [(&str, &str); 4] = [
    (phrase("Running"), "Running"),
    (phrase("Runnable"), "Runnable"),
    (phrase("Sleeping"), "Sleeping"),
    (phrase("Uninterruptible sleep"), "Uninterruptible sleep"),
];

/// One launch.
struct Launch<'a> {
    package: &'a str,
    /// Cold, warm or hot, or why it is none; empty when nobody says it.
    kind: &'a str,
    /// Whether it came to its end, so that its times say something.
    is_counted: bool,
    span: Span,
    /// The entry of the bundle that tells it.
    entry: u32,
    track: TrackId,
    /// The group above its track: of several files the one of its file.
    group: &'a str,
}

/// Launches whose end is not in the file, by what is known of them: entry, begin and name.
#[derive(Default)]
pub struct Open(Vec<(u32, Ticks, StrId)>);

impl Open {
    /// A slice has no end in its file: it is kept where it is a launch.
    pub fn add(trace: &mut Trace, (entry, start, name): (u32, Ticks, StrId)) {
        if begins(trace.strings.get(name)).is_some() {
            trace.extensions.get_or_default::<Self>().0.push((entry, start, name));
        }
    }

    fn has(trace: &Trace, of: (u32, Ticks, StrId)) -> bool {
        trace.extensions.get::<Self>().is_some_and(|open| open.0.contains(&of))
    }
}

/// What a launch is called by the name of its track or slices: a package, or a number; `None` for other names.
fn begins(name: &str) -> Option<&str> {
    let number = |rest: &str| rest.bytes().all(|byte| byte.is_ascii_digit()) && !rest.is_empty();
    name.strip_prefix(OLD).or_else(|| name.strip_prefix(NEW).filter(|rest| number(rest)))
}

/// How a launch of a new Android ended.
struct Ending<'a> {
    entry: u32,
    time: Ticks,
    number: &'a str,
    state: &'a str,
    package: &'a str,
}

/// Number, state and package of the mark of an end.
fn ends(name: &str) -> Option<(&str, &str, &str)> {
    let (number, rest) = name.strip_prefix(NEW)?.split_once(':')?;
    let (state, package) = rest.split_once(':').unwrap_or((rest, ""));
    Some((number, state, package))
}

/// The ends of launches in all files. Costs the names, and the instants where a name is of an end.
fn endings(trace: &Trace) -> Vec<Ending<'_>> {
    let mut endings = Vec::new();
    let ids = (0..trace.strings.len() as u32).map(StrId);
    let ids: Vec<StrId> = ids.filter(|id| ends(trace.strings.get(*id)).is_some()).collect();
    if ids.is_empty() {
        return endings;
    }
    for (_, track) in trace.tracks.iter() {
        for (&time, &name) in track.instants.time.iter().zip(&track.instants.name) {
            if ids.binary_search(&name).is_err() {
                continue;
            }
            if let Some((number, state, package)) = ends(trace.strings.get(name)) {
                endings.push(Ending { entry: track.entry, time, number, state, package });
            }
        }
    }
    endings
}

/// What the state of an end means, and whether that was a launch.
fn kind(state: &str) -> (&str, bool) {
    match state {
        "completed" => ("", true),
        "completed-cold" => (phrase("cold"), true),
        "completed-warm" => (phrase("warm"), true),
        "completed-hot" => (phrase("hot"), true),
        "completed-relaunch" => (phrase("relaunch"), true),
        "completed-same-process" => (phrase("same process"), false),
        "canceled" => (phrase("canceled"), false),
        "failed" => (phrase("failed"), false),
        "" => (phrase("end not recorded"), false),
        other => (other, other.starts_with("completed")),
    }
}

/// Launches in the order of time. Costs the tracks, the slices of those of launches, and what [`endings`] costs.
fn launches(trace: &Trace) -> Vec<Launch<'_>> {
    let endings = endings(trace);
    let (mut launches, mut old) = (Vec::new(), Vec::new());
    for (id, track) in trace.tracks.iter().filter(|(_, track)| track.kind == TrackKind::Slices) {
        if begins(trace.strings.get(track.name)).is_none() {
            continue;
        }
        let root = std::iter::successors(Some(id), |id| trace.tracks.find(*id)?.parent).last();
        let group = trace.strings.get(trace.tracks.get(root.unwrap_or(id)).name);
        for (row, id_of_name) in track.slices.name.iter().enumerate() {
            let name = trace.strings.get(*id_of_name);
            let Some(called) = begins(name) else { continue };
            let (span, entry) = (track.slices.span(row), track.entry);
            let is_open = Open::has(trace, (entry, span.start, *id_of_name));
            let launch =
                Launch { package: called, kind: "", is_counted: !is_open, span, entry, track: id, group };
            if name.starts_with(OLD) {
                let kind = if is_open { kind("").0 } else { "" };
                old.push(Launch { kind, ..launch });
                continue;
            }
            let own = endings.iter().filter(|ending| ending.entry == entry && ending.number == called);
            let nearest = own.min_by_key(|ending| ending.time.abs_diff(span.end));
            let (state, package) = nearest.map_or(("", ""), |ending| (ending.state, ending.package));
            let (kind, is_counted) = kind(state);
            launches.push(Launch { package, kind, is_counted: is_counted && !is_open, ..launch });
        }
    }
    join(&mut launches, old);
    order::sort_by_key(&mut launches, |launch| launch.span.start);
    launches
}

/// Adds launches of the old mark; a new Android writes it inside of its own one: that is the same launch.
fn join<'a>(launches: &mut Vec<Launch<'a>>, old: Vec<Launch<'a>>) {
    let n_new = launches.len();
    for launch in old {
        let of = |package: &str| {
            let is_same = |new: &Launch| {
                let is_meanwhile = !new.span.intersect(launch.span).is_empty();
                new.entry == launch.entry && new.package == package && is_meanwhile
            };
            launches.iter().take(n_new).position(is_same)
        };
        let same = of(launch.package).or_else(|| of(""));
        match same.and_then(|at| launches.get_mut(at)) {
            Some(new) => new.package = launch.package,
            None => launches.push(launch),
        }
    }
}

/// The track of states of the main thread of the process of a launch, by its name or, where only threads have names, by
/// the last 15 characters of it; of several the one that ran longest meanwhile.
fn main_states(trace: &Trace, launch: &Launch) -> Option<TrackId> {
    let cut = launch.package.len().checked_sub(THREAD_NAME).and_then(|from| launch.package.get(from..));
    let is_process = |track: &Track| {
        let name = trace.strings.get(track.name);
        track.kind == TrackKind::Group
            && track.entry == launch.entry
            && track.label != Strings::EMPTY
            && (name == launch.package || Some(name) == cut)
    };
    let processes = trace.tracks.iter().filter(|(_, track)| is_process(track));
    let of_process = |(process, group): (TrackId, &Track)| {
        let is_main = |track: &Track| {
            let is_inside = track.parent == Some(process) && track.label == group.label;
            is_inside && track.role == Role::States
        };
        let is_whole = trace.strings.get(group.name) == launch.package;
        trace.tracks.iter().find(|(_, track)| is_main(track)).map(|(id, _)| (is_whole, id))
    };
    let ran = |(is_whole, id): &(bool, TrackId)| (*is_whole, time_in(trace, *id, STATES[0].1, launch.span));
    processes.filter_map(of_process).max_by_key(ran).map(|(_, id)| id)
}

/// How long a thread was in a state in a stretch of time.
fn time_in(trace: &Trace, states: TrackId, state: &str, span: Span) -> Ticks {
    let slices = &trace.tracks.get(states).slices;
    let rows = slices.name.iter().enumerate();
    let rows = rows.filter(|(_, name)| trace.strings.get(**name).starts_with(state));
    rows.map(|(row, _)| {
        let own = slices.span(row);
        (own.end.min(span.end) - own.start.max(span.start)).max(0)
    })
    .sum()
}

fn table(input: &AnalysisInput, _: &str, _: &[usize]) -> Figure {
    let trace = input.trace;
    let millis = |ticks: Ticks| ticks as f64 * trace.clock.nanos().unwrap_or(1.0) / 1e6;
    let launches: Vec<_> = launches(trace)
        .into_iter()
        .map(|launch| (main_states(trace, &launch).filter(|_| launch.is_counted), launch))
        .collect();
    let entry = |(_, launch): &(_, Launch)| launch.entry;
    let is_of_many = launches.iter().map(entry).any(|of| Some(of) != launches.first().map(entry));
    let origin = trace.span.map_or(0, Span::origin);
    let table = TableOf::new(&launches)
        .column(phrase("Application"), Unit::None, |(_, launch)| launch.package)
        .words(phrase("Launch type"), |(_, launch)| launch.kind)
        .with(TableColumn::place(phrase("Time (s)")), |(_, launch)| Target::place_since(launch.span, origin))
        .bars(phrase("Duration"), Unit::Millis, |(_, launch)| {
            launch.is_counted.then(|| millis(launch.span.dur()))
        })
        .keys(2);
    let mut table = STATES.into_iter().fold(table, |table, (head, state)| {
        table.column(head, Unit::Millis, |(states, launch)| {
            states.map(|states| millis(time_in(trace, states, state, launch.span)))
        })
    });
    if is_of_many {
        table = table.column(phrase("File"), Unit::None, |(_, launch)| launch.group);
    }
    let mut figure = table.figure();
    figure.notes = vec![
        message(
            "Running, runnable and sleeping are states of the application's main thread during the launch, as far as scheduling was recorded.",
        ),
        message("Before the process starts, its main thread has no state."),
        message(
            "Launches that were canceled, failed, stayed in the same process or have no recorded end have no times.",
        ),
    ];
    figure
}
