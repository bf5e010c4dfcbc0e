//! Launches of applications: how long each took, and what the application's main thread did meanwhile.
//!
//! | written by | mark | says |
//! |---|---|---|
//! | Android to 12 | `S\|pid\|launching: PACKAGE\|cookie` … `F` | the launch |
//! | Android from 13 | `S\|pid\|launchingActivity#N\|cookie` … `F` | the launch |
//! | the same | `launchingActivity#N:completed-KIND:PACKAGE` | its kind (cold, warm, hot) and package |
//!
//! The main thread is the thread with the number of its process; its states are the slices of its track of states. Source:
//! documents of Perfetto's module android.startup; on made files only.

use crate::analysis::contract::{Analysis, AnalysisInput, ComputedFigure, FigureHead};
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::Trace;
use crate::model::figure::{Body, Cell, Figure, TableColumn, TableFigure, Target};
use crate::model::id::TrackId;
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
        let head = FigureHead {
            id: "startup".to_owned(),
            section: phrase("Startup"),
            title: phrase("Launches").to_owned(),
            kind: "table",
            columns: 3,
            choices: Vec::new(),
        };
        vec![ComputedFigure { head, compute: table }]
    },
    is_comparable: true,
    advice: None,
};

const OLD: &str = "launching: ";
const NEW: &str = "launchingActivity#";

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
    /// Cold, warm or hot; empty when nobody says it.
    kind: &'a str,
    span: Span,
    /// The entry of the bundle that tells it.
    entry: u32,
}

/// What a launch is called by the name of its track or slices: a package, or a number; `None` for other names.
fn begins(name: &str) -> Option<&str> {
    let number = |rest: &str| rest.bytes().all(|byte| byte.is_ascii_digit()) && !rest.is_empty();
    name.strip_prefix(OLD).or_else(|| name.strip_prefix(NEW).filter(|rest| number(rest)))
}

/// Launches in the order of time. Costs the tracks, and the slices of those of launches.
fn launches(trace: &Trace) -> Vec<Launch<'_>> {
    let mut launches = Vec::new();
    for (_, track) in trace.tracks.iter().filter(|(_, track)| track.kind == TrackKind::Slices) {
        if begins(trace.strings.get(track.name)).is_none() {
            continue;
        }
        for row in 0..track.slices.len() {
            let name = trace.strings.get(track.slices.name[row]);
            let Some(called) = begins(name) else { continue };
            let (kind, package) =
                if name.starts_with(OLD) { ("", called) } else { completed(trace, name).unwrap_or_default() };
            launches.push(Launch { package, kind, span: track.slices.span(row), entry: track.entry });
        }
    }
    order::sort_by_key(&mut launches, |launch| launch.span.start);
    launches
}

/// Kind and package of a launch of a new Android, by its name.
fn completed<'a>(trace: &'a Trace, name: &str) -> Option<(&'a str, &'a str)> {
    let texts = (0..trace.strings.len() as u32).map(|id| trace.strings.get(crate::model::id::StrId(id)));
    let mut said = texts.filter_map(|text| text.strip_prefix(name)?.strip_prefix(":completed"));
    let (kind, package) = said.next()?.split_once(':')?;
    Some((kind.trim_start_matches('-'), package))
}

/// The track of states of the main thread of the process of a launch, by its name; of several the one that ran longest
/// meanwhile.
fn main_states(trace: &Trace, launch: &Launch) -> Option<TrackId> {
    let is_process = |track: &Track| {
        track.kind == TrackKind::Group
            && track.entry == launch.entry
            && track.label != Strings::EMPTY
            && trace.strings.get(track.name) == launch.package
    };
    let processes = trace.tracks.iter().filter(|(_, track)| is_process(track));
    let of_process = |(process, group): (TrackId, &Track)| {
        let is_main = |track: &Track| {
            let is_inside = track.parent == Some(process) && track.label == group.label;
            is_inside && track.role == Role::States
        };
        trace.tracks.iter().find(|(_, track)| is_main(track)).map(|(id, _)| id)
    };
    processes.filter_map(of_process).max_by_key(|id| time_in(trace, *id, STATES[0].1, launch.span))
}

/// How long a thread was in a state in a stretch of time.
fn time_in(trace: &Trace, states: TrackId, state: &str, span: Span) -> Ticks {
    let slices = &trace.tracks.get(states).slices;
    let rows = (0..slices.len()).filter(|row| trace.strings.get(slices.name[*row]).starts_with(state));
    rows.map(|row| {
        let own = slices.span(row);
        (own.end.min(span.end) - own.start.max(span.start)).max(0)
    })
    .sum()
}

fn table(input: &AnalysisInput, _: &str, _: &[usize]) -> Figure {
    let trace = input.trace;
    let millis = |ticks: Ticks| ticks as f64 * trace.clock.nanos().unwrap_or(1.0) / 1e6;
    let words = |name: &str| TableColumn { name: name.to_owned(), ..TableColumn::default() };
    let time = |name: &str| TableColumn { unit: Unit::Millis, ..words(name) };
    let mut columns = vec![
        words(phrase("Application")),
        words(phrase("Kind of launch")),
        TableColumn { is_place: true, ..words(phrase("Time (s)")) },
        TableColumn { has_bar: true, ..time(phrase("Duration")) },
    ];
    columns.extend(STATES.map(|(head, _)| time(head)));
    let origin = trace.span.map_or(0, Span::origin);
    let row = |launch: Launch| {
        let states = main_states(trace, &launch);
        let mut row = vec![
            Cell::Text(launch.package.to_owned()),
            Cell::Text(launch.kind.to_owned()),
            Cell::Text(Target::place_since(launch.span, origin)),
            Cell::Number(millis(launch.span.dur())),
        ];
        let time = |state| states.map(|states| millis(time_in(trace, states, state, launch.span)));
        row.extend(STATES.map(|(_, state)| Cell::number(time(state))));
        row
    };
    let rows = launches(trace).into_iter().map(row).collect();
    let table = TableFigure { columns, rows, key_columns: 2, ..TableFigure::default() };
    let mut figure = Figure::new("", Body::Table(table));
    figure.notes = vec![
        message(
            "Running, runnable and sleeping are those of the application's main thread during the launch, as far as scheduling was recorded.",
        ),
        message("Before the process starts, its main thread has no state."),
    ];
    figure
}
