//! What launches cost: how long each took, what the application's main thread did meanwhile, and what was longest on it.

use super::main_thread::{MainThread, STATES, States, main_scopes};
use super::{Launch, launches};
use crate::analysis::finding::{Color, Evidence, Finding, Number, Part, PartRow, Severity, Tile, share};
use crate::base::map::Map;
use crate::base::number::with_unit;
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::{Language, Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::{MOST, around, percent};
use crate::findings::{Looked, Rule, RuleInput, Summary, cut_off_saying, general_summary};
use crate::model::Trace;
use crate::model::id::{StrId, TrackId};

/// Rows of a part.
const ROWS: usize = 6;
/// Names in a sentence.
const NAMED: usize = 3;
/// Launches that are named behind the last sentence.
const NAMED_MORE: usize = 8;
/// Figures and parts of any trace that stand behind those of launches.
const GENERAL: (usize, usize) = (3, 1);

/// Colors of the states of a thread, in their order.
const COLORS: [Color; 4] = [Color::Compute, Color::Wait, Color::Idle, Color::Copy];

/// A launch with its times.
struct Timed<'a> {
    launch: Launch<'a>,
    main: MainThread,
    /// The track of what its main thread did, and its outermost names, most time first.
    parts: Option<(TrackId, Vec<(StrId, Ticks)>)>,
    /// The file that it stands in; empty where all launches stand in one.
    file: &'a str,
    /// Which one of its application and type it is in time, from 1: in its file, and in all.
    number: (usize, usize),
}

/// Launches that end in the trace, the longest first.
fn timed<'a>(input: &RuleInput<'a>) -> Vec<Timed<'a>> {
    let trace = input.trace;
    let mut all: Vec<Timed> = Vec::new();
    for launch in launches(trace).into_iter().filter(|launch| launch.is_counted) {
        let main = MainThread::new(trace, &input.derived.timeline, &launch);
        let scopes = main.states().and_then(|states| main_scopes(trace, states.track));
        let is_like = |one: &&Timed| (one.launch.package, one.launch.kind) == (launch.package, launch.kind);
        let alike = || all.iter().filter(is_like);
        let number =
            (1 + alike().filter(|one| one.launch.entry == launch.entry).count(), 1 + alike().count());
        let parts = scopes.map(|id| (id, outermost(trace, id, launch.span)));
        all.push(Timed { main, parts, file: launch.group, number, launch });
    }
    let first = all.first().map(|one| one.launch.entry);
    if all.iter().all(|one| Some(one.launch.entry) == first) {
        for one in &mut all {
            one.file = "";
        }
    }
    order::sort_by_key(&mut all, |one| std::cmp::Reverse(one.launch.span.dur()));
    all
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
        let states = self.main.states().map(|states| states.track);
        let main = states.into_iter().chain(self.parts.iter().map(|own| own.0));
        std::iter::once(self.launch.track).chain(main).collect()
    }

    /// Application and type, such as `com.example (cold)`: what a launch of another trace is held against.
    fn application(&self) -> Message {
        match (self.launch.package, self.launch.kind) {
            ("", _) => message("an application"),
            (package, "") => package.to_owned().into(),
            (package, kind) => message("{application} ({kind})")
                .with("application", package)
                .with_message("kind", kind.to_owned()),
        }
    }

    fn name(&self) -> Message {
        let (package, kind) = (self.launch.package, self.launch.kind);
        let name = match self.number.0 {
            1 => self.application(),
            n if package.is_empty() || kind.is_empty() => message("{application} (launch {n})")
                .with_message("application", self.application())
                .with("n", n),
            n => message("{application} ({kind}, launch {n})")
                .with("application", package)
                .with_message("kind", kind.to_owned())
                .with("n", n),
        };
        if self.file.is_empty() {
            return name;
        }
        message("{application} in {file}").with_message("application", name).with("file", self.file)
    }

    /// What tells it from other launches: the second of a type is the second one in another trace too, as in the table.
    fn subject(&self) -> String {
        let application = self.application().text(Language::En).into_owned();
        if self.number.1 < 2 { application } else { format!("{application} {}", self.number.1) }
    }

    /// `running 70.0 %, runnable 5.0 %`; empty without scheduling.
    fn shares(&self, input: &RuleInput) -> Message {
        let Some(states) = self.main.states() else { return Message::default() };
        let [running, runnable, sleeping, blocked] = states.times.map(|time| percent(states.share(time)));
        let shares = message(
            "runs {running}, is runnable {runnable}, sleeps {sleeping}, sleeps uninterruptibly {blocked}",
        )
        .with("running", running)
        .with("runnable", runnable)
        .with("sleeping", sleeping)
        .with("blocked", blocked);
        if !states.is_part() {
            return shares;
        }
        message("{shares} of the {time} with scheduling ({rest} not recorded)")
            .with_message("shares", shares)
            .with("time", input.duration(states.recorded))
            .with("rest", input.duration(states.unknown))
    }

    /// What its main thread did, or why that is not known.
    fn told(&self, input: &RuleInput) -> Message {
        match (&self.main, &self.parts) {
            (MainThread::NotScheduled, _) => {
                message("Scheduling of its main thread was not recorded: what it waited for is not known.")
            }
            (MainThread::NoProcess, _) => message(
                "No process is called {application}: it may run in one of another name, so its main thread is not known.",
            )
            .with("application", self.launch.package),
            (MainThread::Several(n), _) => message(
                "Names of threads are cut to 15 characters, and its name fits {n} main threads: which one is its own is not known.",
            )
            .with("n", *n),
            (MainThread::Known(_), None) => {
                message("Its main thread {shares}.").with_message("shares", self.shares(input))
            }
            (MainThread::Known(_), Some((_, names))) => {
                let name = |(name, time): &(StrId, Ticks)| {
                    message("{name} {time}")
                        .with("name", input.trace.strings.get(*name))
                        .with("time", input.duration(*time))
                };
                let text = match listed(names.iter().take(NAMED).map(name)) {
                    Some(names) => message("Its main thread {shares}. Its longest slices: {names}.")
                        .with_message("names", names),
                    None => message("Its main thread {shares}. It has no slices."),
                };
                text.with_message("shares", self.shares(input))
            }
        }
    }

    /// The launch, the states of its main thread, and what of them is not known.
    fn numbers(&self, input: &RuleInput) -> Vec<Number> {
        let (value, unit) = input.time(self.launch.span.dur());
        let number = |name: &'static str, time: Ticks, part: f64| {
            Number::new(name, input.time(time).0, unit.clone()).note(percent(part))
        };
        let mut numbers = vec![Number::new(phrase("Launch"), value, unit.clone())];
        let Some(states) = self.main.states() else { return numbers };
        let of = STATES.iter().zip(states.times);
        numbers.extend(of.map(|((title, _), time)| number(title, time, states.share(time))));
        if 0 < states.before {
            numbers.push(number(
                phrase("Before its first state"),
                states.before,
                states.share(states.before),
            ));
        }
        if states.is_part() {
            let part = share(states.unknown as f64, self.launch.span.dur() as f64);
            numbers.push(number(phrase("Not recorded"), states.unknown, part));
        }
        numbers
    }
}

/// `a, b`; `None` of nothing.
fn listed(all: impl Iterator<Item = Message>) -> Option<Message> {
    all.reduce(|a, b| message("{a}, {b}").with_message("a", a).with_message("b", b))
}

pub(in crate::systems::android) static LAUNCHES: Rule = Rule {
    id: "android-launch",
    version: 2,
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
        let findings = all.iter().map(|one| told(input, one)).collect();
        Looked::Found(cut_off_saying(findings, MOST, others(input, &all)))
    },
};

/// Launches that have no sentence of their own, with their times.
fn others(input: &RuleInput, all: &[Timed]) -> Message {
    let name = |one: &Timed| {
        message("{name} {time}")
            .with_message("name", one.name())
            .with("time", input.duration(one.launch.span.dur()))
    };
    let names = listed(all.iter().skip(MOST).take(NAMED_MORE).map(name));
    let names = names.map(|names| match all.len().saturating_sub(MOST + NAMED_MORE) {
        0 => names,
        _ => message("{a}, {b}").with_message("a", names).with("b", "…"),
    });
    names.map_or_else(Message::default, |names| {
        message(" {n} more: {names}.").with("n", all.len() - MOST).with_message("names", names)
    })
}

fn told(input: &RuleInput, one: &Timed) -> Finding {
    let (value, unit) = input.time(one.launch.span.dur());
    let sentence = message("Launching {application} takes ⟦{time}⟧.").with_message("application", one.name());
    Finding {
        subject: one.subject(),
        severity: Severity::Note,
        sentence: sentence.with("time", with_unit(value, &unit)),
        line: one.told(input),
        value,
        unit,
        evidence: Evidence {
            shown: message("the launch and its main thread"),
            figure: Some(around(input, one.shown(input), &one.tracks())),
            numbers: one.numbers(input),
            how: message(
                "From the begin to the end of the system's mark of the launch. The main thread is the one with the number of its process; before its first scheduling event it has no state. Shares are of the time in which scheduling was recorded.",
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
        of: one.application(),
        address: one.address(input),
        ..Tile::default()
    }
}

/// What its main thread did meanwhile.
fn main_thread(input: &RuleInput, one: &Timed) -> Option<Tile> {
    let states = one.main.states()?;
    let running = states.share(states.running());
    Some(Tile {
        label: message("Main thread runs"),
        value: percent(running).into(),
        comparison: one.shares(input),
        bar: states.times.iter().zip(COLORS).map(|(time, color)| (states.share(*time), color)).collect(),
        amount: Some((running, Unit::Share)),
        of: one.application(),
        address: one.address(input),
        ..Tile::default()
    })
}

fn list(input: &RuleInput, all: &[Timed]) -> Part {
    let most = all.first().map_or(0, |one| one.launch.span.dur()) as f64;
    let is_part = all.iter().filter_map(|one| one.main.states()).any(States::is_part);
    let rows = all.iter().take(ROWS).map(|one| {
        let (dur, states) = (one.launch.span.dur(), one.main.states());
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
        let recorded = states.map(|states| percent(share(states.recorded as f64, dur as f64)));
        let running = states.map(|states| percent(states.share(states.running())));
        let cells =
            [Some(input.duration(dur)), Some(or_none(recorded)).filter(|_| is_part), Some(or_none(running))];
        let bar = |(time, color): (Ticks, Color)| (share(time as f64, most), color);
        PartRow {
            name: one.name(),
            bar: states.map_or([0; 4], |states| states.times).into_iter().zip(COLORS).map(bar).collect(),
            cells: cells.into_iter().flatten().collect(),
            amount: Some(input.time(dur)),
            address: one.address(input),
            ..PartRow::default()
        }
    });
    let columns =
        [Some(phrase("Duration")), Some(phrase("Recorded")).filter(|_| is_part), Some(phrase("Running"))];
    Part {
        title: message("Launches"),
        note: if is_part {
            message("states of the main thread, of the time with scheduling")
        } else {
            message("states of the main thread")
        },
        columns: columns.into_iter().flatten().map(str::to_owned).collect(),
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
        of: one.application(),
        rows: names.iter().take(ROWS).map(row).collect(),
        more: names.len().saturating_sub(ROWS) as u64,
        ..Part::default()
    })
}
