//! What launches cost: how long each took, what the application's main thread did meanwhile, and what was longest on it.

use super::{Launch, STATES, launches, main_states, time_in};
use crate::analysis::finding::{Color, Evidence, Finding, Number, Part, PartRow, Severity, Tile, share};
use crate::base::map::Map;
use crate::base::number::with_unit;
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::{MOST, around, percent};
use crate::findings::{Looked, Rule, RuleInput, Summary, cut_off, general_summary};
use crate::model::Trace;
use crate::model::id::{StrId, TrackId};
use crate::model::track::Role;

/// Rows of a part.
const ROWS: usize = 6;
/// Names in a sentence.
const NAMED: usize = 3;
/// Figures and parts of any trace that stand behind those of launches.
const GENERAL: (usize, usize) = (3, 1);

/// Colors of the states of a thread, in their order.
const COLORS: [Color; 4] = [Color::Compute, Color::Wait, Color::Idle, Color::Copy];

/// A launch with its times.
struct Timed<'a> {
    launch: Launch<'a>,
    /// The track of the states of its main thread, and how long each of [`STATES`] lasts.
    states: Option<(TrackId, [Ticks; 4])>,
    /// The track of what its main thread did, and its outermost names, most time first.
    parts: Option<(TrackId, Vec<(StrId, Ticks)>)>,
    /// The file that it stands in; empty where all launches stand in one.
    file: &'a str,
}

/// Launches that end in the trace, the longest first.
fn timed<'a>(input: &RuleInput<'a>) -> Vec<Timed<'a>> {
    let trace = input.trace;
    let of = |launch: Launch<'a>| {
        let states = main_states(trace, &launch);
        let times = |id| STATES.map(|(_, state)| time_in(trace, id, state, launch.span));
        let scopes = states.and_then(|id| main_scopes(trace, id));
        Timed {
            states: states.map(|id| (id, times(id))),
            parts: scopes.map(|id| (id, outermost(trace, id, launch.span))),
            file: launch.group,
            launch,
        }
    };
    let mut all: Vec<Timed> =
        launches(trace).into_iter().filter(|launch| launch.is_counted).map(of).collect();
    let first = all.first().map(|one| one.launch.entry);
    if all.iter().all(|one| Some(one.launch.entry) == first) {
        for one in &mut all {
            one.file = "";
        }
    }
    order::sort_by_key(&mut all, |one| std::cmp::Reverse(one.launch.span.dur()));
    all
}

/// The track of the scopes of a thread, beside that of its states.
fn main_scopes(trace: &Trace, states: TrackId) -> Option<TrackId> {
    let of = trace.tracks.find(states)?;
    let name = trace.strings.get(of.name).strip_suffix(" (state)")?;
    let is_it = |(_, track): &(TrackId, &crate::model::track::Track)| {
        let is_beside = (track.parent, track.label, track.role) == (of.parent, of.label, Role::Scopes);
        is_beside && !track.slices.is_empty() && trace.strings.get(track.name) == name
    };
    trace.tracks.iter().find(is_it).map(|(id, _)| id)
}

/// Names of the outermost slices of a track in a stretch of time, with their time in it.
fn outermost(trace: &Trace, track: TrackId, within: Span) -> Vec<(StrId, Ticks)> {
    let slices = &trace.tracks.get(track).slices;
    let mut sums: Map<StrId, Ticks> = Map::default();
    let mut until = Ticks::MIN;
    for row in 0..slices.len() {
        let span = slices.span(row);
        if until < span.end {
            until = span.end;
            let time = span.intersect(within).dur();
            if 0 < time {
                *sums.entry(slices.name_of(row)).or_default() += time;
            }
        }
    }
    let mut all: Vec<(StrId, Ticks)> = sums.into_iter().collect();
    order::sort_by_key(&mut all, |(name, time)| (std::cmp::Reverse(*time), *name));
    all
}

impl Timed<'_> {
    /// Its time as the timeline has it.
    fn shown(&self, input: &RuleInput) -> Span {
        self.launch.span.shifted(input.derived.timeline.shift_of(self.launch.track))
    }

    fn address(&self, input: &RuleInput) -> String {
        let span = self.shown(input);
        Place::view("timeline").around(span).range(span).tracks(input.trace, &self.tracks()).address()
    }

    /// Its own track and those of its main thread.
    fn tracks(&self) -> Vec<TrackId> {
        let main = self.states.iter().map(|own| own.0).chain(self.parts.iter().map(|own| own.0));
        std::iter::once(self.launch.track).chain(main).collect()
    }

    fn name(&self) -> Message {
        let application = match (self.launch.package, self.launch.kind) {
            ("", _) => message("an application"),
            (package, "") => package.to_owned().into(),
            (package, kind) => message("{application} ({kind})")
                .with("application", package)
                .with_message("kind", kind.to_owned()),
        };
        if self.file.is_empty() {
            return application;
        }
        message("{application} in {file}").with_message("application", application).with("file", self.file)
    }

    /// `running 70.0 %, runnable 5.0 %`; empty without scheduling.
    fn shares(&self) -> Message {
        let whole = self.launch.span.dur() as f64;
        let Some((_, times)) = &self.states else { return Message::default() };
        let part = |time: Ticks| percent(share(time as f64, whole));
        let [running, runnable, sleeping, blocked] = times.map(part);
        message("runs {running}, is runnable {runnable}, sleeps {sleeping}, sleeps uninterruptibly {blocked}")
            .with("running", running)
            .with("runnable", runnable)
            .with("sleeping", sleeping)
            .with("blocked", blocked)
    }
}

pub(in crate::systems::android) static LAUNCHES: Rule = Rule {
    id: "android-launch",
    version: 1,
    title: phrase("Launch of an application"),
    thresholds: &[],
    look: |input| {
        if !(super::ANALYSIS.applies)(input.trace) {
            return Looked::NotHere;
        }
        let all = timed(input);
        if all.is_empty() {
            return Looked::Missing(message(
                "no launch begins and ends in the trace: record until the application is shown",
            ));
        }
        let (mut findings, mut applications) = (Vec::new(), Vec::new());
        for one in &all {
            let mut finding = told(input, one);
            // Launches of one application are told apart by their number.
            let n = applications.iter().filter(|other| **other == finding.subject).count();
            applications.push(finding.subject.clone());
            if 0 < n {
                finding.subject = format!("{} {}", finding.subject, n + 1);
            }
            findings.push(finding);
        }
        Looked::Found(cut_off(findings, MOST))
    },
};

fn told(input: &RuleInput, one: &Timed) -> Finding {
    let dur = one.launch.span.dur();
    let (value, unit) = input.time(dur);
    let sentence = message("Launching {application} takes ⟦{time}⟧.").with_message("application", one.name());
    let line = match (&one.states, &one.parts) {
        (None, _) => {
            message("Scheduling of its main thread was not recorded: what it waited for is not known.")
        }
        (Some(_), None) => message("Its main thread {shares}.").with_message("shares", one.shares()),
        (Some(_), Some((_, names))) => {
            let name = |(name, time): &(StrId, Ticks)| {
                message("{name} {time}")
                    .with("name", input.trace.strings.get(*name))
                    .with("time", input.duration(*time))
            };
            let named = names.iter().take(NAMED).map(name);
            let named = named.reduce(|a, b| message("{a}, {b}").with_message("a", a).with_message("b", b));
            let text = match named {
                Some(names) => message("Its main thread {shares}. Its longest slices: {names}.")
                    .with_message("names", names),
                None => message("Its main thread {shares}. It has no slices."),
            };
            text.with_message("shares", one.shares())
        }
    };
    let mut numbers = vec![Number::new(phrase("Launch"), value, unit.clone())];
    if let Some((_, times)) = &one.states {
        numbers.extend(STATES.iter().zip(times).map(|((title, _), time)| {
            let part = percent(share(*time as f64, dur as f64));
            Number::new(*title, input.time(*time).0, unit.clone()).note(part)
        }));
    }
    Finding {
        subject: one.launch.package.to_owned(),
        severity: Severity::Note,
        sentence: sentence.with("time", with_unit(value, &unit)),
        line,
        value,
        unit,
        evidence: Evidence {
            shown: message("the launch and its main thread"),
            figure: Some(around(input, one.shown(input), &one.tracks())),
            numbers,
            how: message(
                "From the begin to the end of the system's mark of the launch. The main thread is the one with the number of its process; before the process begins it has no state, so that shares need not add up to all of it.",
            ),
            view: "timeline".to_owned(),
            address: one.address(input),
            list: Place::view("details").figure("startup", &[]).address(),
            ..Evidence::default()
        },
        ..LAUNCHES.finding()
    }
}

/// The longest launch, all of them, and what was longest on its main thread; then the first of what is said of any trace.
pub(in crate::systems::android) fn summary(input: &RuleInput) -> Option<Summary> {
    if !(super::ANALYSIS.applies)(input.trace) {
        return None;
    }
    let all = timed(input);
    let first = all.first()?;
    let general = general_summary(input);
    let mut tiles = vec![launch(input, first)];
    tiles.extend(main_thread(input, first));
    tiles.extend(general.tiles.into_iter().take(GENERAL.0));
    let mut parts = vec![list(input, &all)];
    parts.extend(longest(input, first));
    parts.extend(general.parts.into_iter().skip(1).take(GENERAL.1));
    Some(Summary { tiles, parts })
}

fn launch(input: &RuleInput, one: &Timed) -> Tile {
    let dur = one.launch.span.dur();
    Tile {
        label: message("Longest launch"),
        value: input.brief(dur).into(),
        comparison: one.name(),
        amount: Some(input.time(dur)),
        of: one.launch.package.to_owned().into(),
        address: one.address(input),
        ..Tile::default()
    }
}

/// What its main thread did meanwhile.
fn main_thread(input: &RuleInput, one: &Timed) -> Option<Tile> {
    let (_, times) = one.states.as_ref()?;
    let whole = one.launch.span.dur() as f64;
    let running = share(times[0] as f64, whole);
    Some(Tile {
        label: message("Main thread runs"),
        value: percent(running).into(),
        comparison: one.shares(),
        bar: times.iter().zip(COLORS).map(|(time, color)| (share(*time as f64, whole), color)).collect(),
        amount: Some((running, Unit::Share)),
        of: one.launch.package.to_owned().into(),
        address: one.address(input),
        ..Tile::default()
    })
}

fn list(input: &RuleInput, all: &[Timed]) -> Part {
    let most = all.first().map_or(0, |one| one.launch.span.dur()) as f64;
    let rows = all.iter().take(ROWS).map(|one| {
        let dur = one.launch.span.dur();
        let states = one.states.as_ref().map_or([0; 4], |(_, times)| *times);
        let running = one.states.as_ref().map(|_| percent(share(states[0] as f64, dur as f64)));
        let bar = |(time, color): (&Ticks, Color)| (share(*time as f64, most), color);
        PartRow {
            name: one.name(),
            bar: states.iter().zip(COLORS).map(bar).collect(),
            cells: vec![input.duration(dur), running.unwrap_or_else(|| "–".to_owned())],
            amount: Some(input.time(dur)),
            address: one.address(input),
            ..PartRow::default()
        }
    });
    Part {
        title: message("Launches"),
        note: message("states of the main thread"),
        columns: [phrase("Duration"), phrase("Running")].map(str::to_owned).to_vec(),
        rows: rows.collect(),
        more: all.len().saturating_sub(ROWS) as u64,
        list: Place::view("details").figure("startup", &[]).address(),
        ..Part::default()
    }
}

fn longest(input: &RuleInput, one: &Timed) -> Option<Part> {
    let (track, names) = one.parts.as_ref()?;
    let whole = one.launch.span.dur() as f64;
    let span = one.shown(input);
    let row = |(name, time): &(StrId, Ticks)| PartRow {
        name: input.trace.strings.get(*name).to_owned().into(),
        bar: vec![(share(*time as f64, whole), Color::Compute)],
        cells: vec![input.duration(*time), percent(share(*time as f64, whole))],
        amount: Some(input.time(*time)),
        address: Place::view("timeline").around(span).range(span).tracks(input.trace, &[*track]).address(),
        ..PartRow::default()
    };
    Some(Part {
        title: message("Longest on the main thread"),
        note: message("outermost scopes in the longest launch, waiting too"),
        of: one.launch.package.to_owned().into(),
        rows: names.iter().take(ROWS).map(row).collect(),
        more: names.len().saturating_sub(ROWS) as u64,
        ..Part::default()
    })
}
