//! Steps that differ, and by what.

use super::{Scope, bars, devices, steps_of};
use crate::analysis::device::idle::Reason;
use crate::analysis::device::{Class, Device, Step, Times};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity};
use crate::base::map::Map;
use crate::base::number::{percent_beside, with_unit};
use crate::base::order::{self, percentile};
use crate::base::time::{Span, Ticks, Total};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::{MOST, percent};
use crate::findings::{Looked, Rule, Threshold};

/// A part of a step.
type OfStep = fn(&Step) -> Ticks;

/// What a step consists of.
const CLASSES: [(&str, OfStep); 4] = [
    (phrase("computation"), |step| step.compute),
    (phrase("exposed communication"), |step| step.communication),
    (phrase("exposed copies"), |step| step.copies),
    (phrase("idle time"), |step| step.idle),
];

/// Causes of idle time, by what the host does, and how a sentence says that.
const CAUSES: [(&str, Reason); 8] = [
    (phrase("during data loading"), Reason::Loading),
    (phrase("during host synchronization"), Reason::Synchronizing),
    (phrase("during memory calls"), Reason::Allocating),
    (phrase("before a late launch"), Reason::Late),
    (phrase("inside a long launch call"), Reason::InCall),
    (phrase("inside a long copy call"), Reason::InCopy),
    (phrase("inside a long memory-set call"), Reason::InFill),
    (phrase("behind the last recorded work"), Reason::Ends),
];

/// What a step has of a reason beyond the usual.
fn more_of(step: &Step, own: &[&Step], reason: Reason) -> f64 {
    let of = |step: &Step| step.reasons[reason as usize];
    of(step) as f64 - median(own.iter().map(|step| of(step)).collect())
}

fn median(mut all: Vec<Ticks>) -> f64 {
    all.sort_unstable();
    percentile(&all, 50)
}

/// The cause of most of the idle time that a step has beyond the usual, and its ticks beyond the usual; `None` where no
/// cause has more than half of it.
fn cause(step: &Step, own: &[&Step], more: f64) -> Option<(&'static str, f64)> {
    let by = CAUSES.iter().map(|(title, reason)| (*title, more_of(step, own, *reason)));
    let most = by.max_by(|a, b| a.1.total_cmp(&b.1));
    most.filter(|(_, ticks)| 0.5 * more < *ticks).map(|(title, ticks)| (title, ticks.min(more)))
}

/// How long the device works in each step on what was launched before that step began, and on what was launched in it,
/// whenever it runs.
struct ByLaunch {
    before: Vec<Ticks>,
    launched: Vec<Ticks>,
}

/// Work by the step in which it was launched, of a class or of all but waiting. Of what runs on a stream before the first
/// of its works with a launch, that lies before the recording; other works without a launch count where they run. `None`
/// where steps overlap.
fn by_launch(device: &Device, own: &[&Step], class: Option<Class>) -> Option<ByLaunch> {
    let is_meant = |of: Class| class.map_or(of != Class::Wait, |class| of == class);
    let is_apart = own.windows(2).all(|two| two[0].span.end <= two[1].span.start);
    let rank = own.first().filter(|_| is_apart)?.rank;
    let mut spans = [vec![Vec::new(); own.len()], vec![Vec::new(); own.len()]];
    let mut add = |kind: usize, at: usize, span: Span| {
        if let Some(list) = spans[kind].get_mut(at) {
            list.push((span.start, span.end));
        }
    };
    for stream in device.streams.iter().filter(|stream| stream.rank == rank) {
        let works = device.works.get(stream.works.clone()).unwrap_or_default();
        let mut is_recorded = works.iter().all(|work| work.launch.is_none());
        for work in works {
            is_recorded |= work.launch.is_some();
            if work.is_part || !is_meant(work.class) {
                continue;
            }
            let time = work.launch.map(|launch| launch.time);
            let is_before = |step: &Step| time.map_or(!is_recorded, |time| time < step.marked.start);
            let from = own.partition_point(|step| step.span.end <= work.span.start);
            let touched = own.iter().enumerate().skip(from);
            for (at, step) in touched.take_while(|(_, step)| step.span.start < work.span.end) {
                let inside = work.span.intersect(step.span);
                if is_before(step) {
                    add(0, at, inside);
                } else if time.is_none() {
                    add(1, at, inside);
                }
            }
            let launched = time.map(|time| own.partition_point(|step| step.marked.end <= time));
            let is_in = |at: &usize| own.get(*at).is_some_and(|step| time >= Some(step.marked.start));
            if let Some(at) = launched.filter(is_in) {
                add(1, at, work.span);
            }
        }
    }
    let sum = |mut list: Vec<(Ticks, Ticks)>| -> Ticks {
        list.sort_unstable();
        Times::of_sorted(list).spans().iter().map(|span| span.dur()).sum()
    };
    let [before, launched] = spans.map(|lists| lists.into_iter().map(sum).collect());
    Some(ByLaunch { before, launched })
}

/// What of so much more work than usual in a step is work that was launched before it: what it launched itself is no more
/// than usual. 0 where that is not known.
fn queued(of: Option<&ByLaunch>, at: usize, more: f64) -> f64 {
    let step =
        of.and_then(|of| Some((of.before.get(at)?, of.launched.get(at)?, median(of.launched.clone()))));
    let Some((before, own, usual)) = step else { return 0.0 };
    (more - (*own as f64 - usual).max(0.0)).min(*before as f64).max(0.0)
}

/// What a share of all steps is of.
fn all_of(scope: &Scope) -> &'static str {
    match scope.of.taken.uncounted() {
        Some(_) => scope.whole(),
        None => phrase("{share} of all steps"),
    }
}

/// How long a device works in a step.
fn busy(step: &Step) -> Ticks {
    step.compute + step.communication + step.copies
}

pub(super) static DIFFER: Rule = Rule {
    id: "device-steps-differ",
    version: 5,
    title: phrase("Uneven steps"),
    thresholds: &[
        Threshold {
            name: phrase("share of the median step by which a step takes longer"),
            value: 0.1,
            unit: Unit::Share,
            source: phrase("our own choice: more than the usual variation between steps"),
        },
        Threshold {
            name: phrase("minimum steps"),
            value: 3.0,
            unit: Unit::None,
            source: phrase("our own choice: with only two, neither can be called usual"),
        },
    ],
    look: |input| {
        let Some(device) = devices(input) else { return Looked::NotHere };
        if !device.steps.iter().any(|step| step.slice.is_some()) {
            return Looked::Missing(message(
                "no steps recorded: mark each step for the profiler, or select the slices that mark steps in Statistics",
            ));
        }
        let n_most = Scope::all(device).map(|scope| scope.n).max().unwrap_or(0);
        if (n_most as f64) < DIFFER.limit(1) {
            return Looked::Missing(message("{n} steps recorded, at least 3 are needed to know a usual one: keep the profiler active for more steps").with("n", n_most));
        }
        // Of each device the steps that are longer than the median, by how much.
        let mut found: Vec<(usize, &Step, f64)> = Vec::new();
        let mut most = 0.0_f64;
        for rank in 0..device.ranks.len() {
            if Scope::of(device, rank).is_none_or(|scope| (scope.n as f64) < DIFFER.limit(1)) {
                continue;
            }
            let mut walls = steps_of(device, rank);
            walls.sort_unstable();
            let median = percentile(&walls, 50);
            for step in device.steps.iter().filter(|step| step.rank as usize == rank && step.slice.is_some())
            {
                let longer = step.wall as f64 - median;
                most = most.max(longer / median.max(1.0));
                if DIFFER.limit(0) * median <= longer {
                    found.push((rank, step, longer));
                }
            }
        }
        order::sort_by(&mut found, |a, b| b.2.total_cmp(&a.2));
        // Ranks wait for each other: one step is one finding.
        let mut told: Vec<String> = Vec::new();
        let mut findings = Vec::new();
        let n_of: Vec<u32> = found.iter().map(|(_, step, _)| step.rank).collect();
        let mut known: Map<(u32, Option<Class>), Option<ByLaunch>> = Map::default();
        for (rank, step, longer) in found {
            let (Some(slice), Some(scope)) = (step.slice, Scope::of(device, rank)) else { continue };
            let name = super::short(input, super::name_id(input, slice));
            if told.contains(&name) || MOST <= findings.len() {
                continue;
            }
            told.push(name.clone());
            let own: Vec<&Step> = device
                .steps
                .iter()
                .filter(|other| other.rank == step.rank && other.slice.is_some())
                .collect();
            let median_of = |of: fn(&Step) -> Ticks| median(own.iter().map(|step| of(step)).collect());
            let by: Vec<(&str, f64, f64)> = CLASSES
                .iter()
                .map(|(title, of)| (*title, of(step) as f64, of(step) as f64 - median_of(*of)))
                .collect();
            let most = by.iter().enumerate().max_by(|a, b| a.1.2.total_cmp(&b.1.2));
            let Some((at, (class, _, more))) = most.map(|(at, most)| (at, *most)) else { continue };
            let is_idle = at + 1 == CLASSES.len();
            // Each share is of what the step takes longer.
            let part = |ticks: f64| percent((ticks / longer).min(1.0));
            let place = own.iter().position(|other| other.slice == step.slice).unwrap_or(0);
            let kind = [Class::Compute, Class::Communication, Class::Copy].get(at).copied();
            // Several steps of a device stand out: its works are gone through once for each kind.
            let mut queued_of = |kind: Option<Class>, more: f64| {
                let known = known.entry((step.rank, kind)).or_insert_with(|| by_launch(device, &own, kind));
                queued(known.as_ref(), place, more)
            };
            let before = kind.map(|kind| queued_of(Some(kind), more));
            let before = before.filter(|ticks| 0.5 * more < *ticks);
            let why = if is_idle {
                cause(step, &own, more)
            } else {
                before.map(|ticks| (phrase("launched before the step"), ticks))
            };
            let class = match why {
                Some((cause, ticks)) => message("{class}, {part} of it {cause}")
                    .with_message("class", class)
                    .with("part", part(ticks))
                    .with_message("cause", cause),
                None => class.into(),
            };
            let time = |ticks: f64| input.time(ticks.round() as i128).0;
            let unit = input.time(0).1;
            let whole: Ticks = own.iter().map(|step| step.wall).total();
            // Neither is lost in this step: the one runs in it, of the other nothing is known.
            let more_busy = busy(step) as f64 - median_of(busy);
            let queued = queued_of(None, more_busy);
            let unknown = more_of(step, &own, Reason::Ends).max(0.0);
            let left = longer - queued - unknown;
            let is_whole = queued + unknown <= 0.0;
            let model = if is_whole {
                message("If this step took the median time.")
            } else {
                message(
                    "If this step took the median time. What was launched before it, and time behind the last recorded work, is left out.",
                )
            };
            let saving = if DIFFER.limit(0) * (step.wall as f64 - longer) <= left {
                Saving::about(time(left), time(whole as f64), unit.clone(), model).of(all_of(&scope))
            } else {
                Saving::default()
            };
            let more_said = if is_whole {
                Message::default()
            } else {
                message(
                    " What was launched before it, or lies behind the last recorded work, is no time to save.",
                )
            };
            let mut numbers = vec![
                Number::new(phrase("This step"), time(step.wall as f64), unit.clone()),
                Number::new(phrase("Median step"), time(step.wall as f64 - longer), unit.clone()),
            ];
            numbers.extend(by.iter().map(|(title, ticks, more)| {
                let sign = if *more < 0.0 { "−" } else { "+" };
                let note = format!("{sign}{}", with_unit(time(more.abs()), &unit));
                Number::new(*title, time(*ticks), unit.clone()).note(note)
            }));
            if 0.0 < queued {
                let name = phrase("Longer by work launched before it");
                numbers.push(Number::new(name, time(queued), unit.clone()));
            }
            let all = own.iter().filter_map(|step| {
                let name = super::short(input, super::name_id(input, step.slice?));
                Some((name, step))
            });
            let shown = all.skip(place.saturating_sub(2).min(own.len().saturating_sub(5))).take(5);
            let figure = bars(unit.clone(), shown.map(|(name, step)| (name, time(step.wall as f64))));
            findings.push(Finding {
                subject: name.clone(),
                severity: Severity::Note,
                sentence: message("{step} takes ⟦{time} longer⟧ than the median step, {more} of it {class}{on}.")
                    .with_message("step", super::step_name(input, slice))
                    .with("time", with_unit(time(longer), &unit))
                    .with("more", part(more))
                    .with_message("class", class)
                    .with_message("on", scope.on(device)),
                line: message("{n} of {all} steps take at least {limit} longer than the median of {median}.{left}")
                    .with_message("left", more_said)
                    .with("n", n_of.iter().filter(|rank| **rank == step.rank).count())
                    .with("all", own.len())
                    .with("limit", percent(DIFFER.limit(0)))
                    .with("median", with_unit(time(step.wall as f64 - longer), &unit)),
                value: time(longer),
                unit: unit.clone(),
                saving,
                evidence: Evidence {
                    shown: message("neighboring steps"),
                    figure: Some(figure),
                    numbers,
                    how: scope.how(input, message(
                        "Duration of each step on a device and of its parts: compute, communication and copies as far as they are exposed, and the rest. Each part is compared with its own median over all steps; idle time by its causes too, work by the step in which it was launched.",
                    )),
                    view: "timeline".to_owned(),
                    address: Place::view("timeline").around(step.span).slice(input.trace, slice).address(),
                    list: Place::view("statistics").address(),
                    ..Evidence::default()
                },
                ..DIFFER.finding()
            });
        }
        Looked::found_or(findings, || {
            message("the longest step takes {share} longer than the median")
                .with("share", percent_beside(most, DIFFER.limit(0)))
        })
    },
};
