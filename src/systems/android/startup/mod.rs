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

mod main_thread;
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
use crate::model::track::TrackKind;
use main_thread::{MainThread, STATES, States};

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

/// What stands for the kind of a launch whose mark does not end.
const NO_END: &str = phrase("end not recorded");

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
        "" => (phrase("result not recorded"), false),
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
                let kind = if is_open { NO_END } else { "" };
                old.push(Launch { kind, ..launch });
                continue;
            }
            let own = endings.iter().filter(|ending| ending.entry == entry && ending.number == called);
            let nearest = own.min_by_key(|ending| ending.time.abs_diff(span.end));
            let (state, package) = nearest.map_or(("", ""), |ending| (ending.state, ending.package));
            let (kind, is_counted) = if is_open && state.is_empty() { (NO_END, false) } else { kind(state) };
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

fn table(input: &AnalysisInput, _: &str, _: &[usize]) -> Figure {
    let trace = input.trace;
    let millis = |ticks: Ticks| ticks as f64 * trace.clock.nanos().unwrap_or(1.0) / 1e6;
    let all = launches(trace).into_iter().map(|launch| {
        let main = launch.is_counted.then(|| MainThread::new(trace, input.timeline, &launch));
        (main.and_then(|main| main.states().copied()), launch)
    });
    let launches: Vec<(Option<States>, Launch)> = all.collect();
    let is_part = launches.iter().any(|(states, _)| states.is_some_and(|states| states.is_part()));
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
    let heads = STATES.into_iter().enumerate();
    let mut table = heads.fold(table, |table, (at, (head, _))| {
        let time = |states: &States| states.times.get(at).copied().map(millis);
        table.column(head, Unit::Millis, |(states, _)| states.as_ref().and_then(time))
    });
    if is_part {
        table = table.column(phrase("Not recorded"), Unit::Millis, |(states, _)| {
            states.map(|states| millis(states.unknown))
        });
    }
    if is_of_many {
        table = table.column(phrase("File"), Unit::None, |(_, launch)| launch.group);
    }
    let mut figure = table.figure();
    figure.notes = vec![
        message(
            "Running, runnable and sleeping are states of the application's main thread during the launch, as far as scheduling was recorded.",
        ),
        message("Before its first scheduling event, the main thread has no state."),
        message(
            "Launches that were canceled, failed, stayed in the same process or have no recorded end or result have no times.",
        ),
    ];
    figure
}
