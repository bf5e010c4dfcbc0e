//! Steps that differ, and by what.

use super::{Scope, bars, devices, steps_of};
use crate::analysis::device::Step;
use crate::analysis::device::idle::Reason;
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity};
use crate::base::number::with_unit;
use crate::base::order::{self, percentile};
use crate::base::time::Ticks;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
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
const CAUSES: [(&str, Reason); 7] = [
    (phrase("during data loading"), Reason::Loading),
    (phrase("during host synchronization"), Reason::Synchronizing),
    (phrase("during memory calls"), Reason::Allocating),
    (phrase("before a late launch"), Reason::Late),
    (phrase("inside a long launch call"), Reason::InCall),
    (phrase("inside a long copy call"), Reason::InCopy),
    (phrase("inside a long memory-set call"), Reason::InFill),
];

/// The cause of most of the idle time that a step has beyond the usual, and its ticks beyond the usual; `None` where no
/// cause has more than half of it.
fn cause(step: &Step, own: &[&Step], more: f64) -> Option<(&'static str, f64)> {
    let more_of = |reason: Reason| {
        let of = |step: &Step| step.reasons[reason as usize];
        let mut all: Vec<Ticks> = own.iter().map(|step| of(step)).collect();
        all.sort_unstable();
        of(step) as f64 - percentile(&all, 50)
    };
    let by = CAUSES.iter().map(|(title, reason)| (*title, more_of(*reason)));
    let most = by.max_by(|a, b| a.1.total_cmp(&b.1));
    most.filter(|(_, ticks)| 0.5 * more < *ticks)
}

pub(super) static DIFFER: Rule = Rule {
    id: "device-steps-differ",
    version: 3,
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
                "no steps recorded: call the profiler's step() after each step, or select the slices that mark steps in Statistics",
            ));
        }
        let n_most = Scope::all(device).map(|scope| scope.n).max().unwrap_or(0);
        if (n_most as f64) < DIFFER.limit(1) {
            return Looked::Missing(message("{n} steps recorded, at least 3 are needed to know a usual one: keep the profiler active for more steps").with("n", n_most));
        }
        // Of each device the steps that are longer than the median, by how much.
        let mut found: Vec<(Scope, &Step, f64)> = Vec::new();
        let mut most = 0.0_f64;
        for rank in 0..device.ranks.len() {
            let mut walls = steps_of(device, rank);
            walls.sort_unstable();
            let median = percentile(&walls, 50);
            for step in device.steps.iter().filter(|step| step.rank as usize == rank && step.slice.is_some())
            {
                let Some(scope) = Scope::of(device, rank).filter(|scope| DIFFER.limit(1) <= scope.n as f64)
                else {
                    continue;
                };
                let longer = step.wall as f64 - median;
                most = most.max(longer / median.max(1.0));
                if DIFFER.limit(0) * median <= longer {
                    found.push((scope, step, longer));
                }
            }
        }
        order::sort_by(&mut found, |a, b| b.2.total_cmp(&a.2));
        // Ranks wait for each other: one step is one finding.
        let mut told: Vec<String> = Vec::new();
        let mut findings = Vec::new();
        let n_of: Vec<u32> = found.iter().map(|(_, step, _)| step.rank).collect();
        for (scope, step, longer) in found {
            let Some(slice) = step.slice else { continue };
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
            let median_of = |of: fn(&Step) -> Ticks| {
                let mut all: Vec<Ticks> = own.iter().map(|step| of(step)).collect();
                all.sort_unstable();
                percentile(&all, 50)
            };
            let by: Vec<(&str, f64, f64)> = CLASSES
                .iter()
                .map(|(title, of)| (*title, of(step) as f64, of(step) as f64 - median_of(*of)))
                .collect();
            let most = by.iter().enumerate().max_by(|a, b| a.1.2.total_cmp(&b.1.2));
            let Some((at, (class, _, more))) = most.map(|(at, most)| (at, *most)) else { continue };
            let is_idle = at + 1 == CLASSES.len();
            // Each share is of what the step takes longer.
            let part = |ticks: f64| percent((ticks / longer).min(1.0));
            let class = match is_idle.then(|| cause(step, &own, more)).flatten() {
                Some((cause, ticks)) => message("{class}, {part} of it {cause}")
                    .with_message("class", class)
                    .with("part", part(ticks))
                    .with_message("cause", cause),
                None => class.into(),
            };
            let time = |ticks: f64| input.time(ticks.round() as i128).0;
            let unit = input.time(0).1;
            let whole: Ticks = own.iter().map(|step| step.wall).sum();
            let mut numbers = vec![
                Number::new(phrase("This step"), time(step.wall as f64), unit.clone()),
                Number::new(phrase("Median step"), time(step.wall as f64 - longer), unit.clone()),
            ];
            numbers.extend(by.iter().map(|(title, ticks, more)| {
                let sign = if *more < 0.0 { "−" } else { "+" };
                let note = format!("{sign}{}", with_unit(time(more.abs()), &unit));
                Number::new(*title, time(*ticks), unit.clone()).note(note)
            }));
            let all = own.iter().filter_map(|step| {
                let name = super::short(input, super::name_id(input, step.slice?));
                Some((name, step))
            });
            let at = own.iter().position(|other| other.slice == step.slice).unwrap_or(0);
            let shown = all.skip(at.saturating_sub(2).min(own.len().saturating_sub(5))).take(5);
            let figure = bars(unit.clone(), shown.map(|(name, step)| (name, time(step.wall as f64))));
            findings.push(Finding {
                subject: name.clone(),
                severity: Severity::Note,
                sentence: message("{step} takes ⟦{time} longer⟧ than the median step, {more} of it {class}{on}.")
                    .with("step", name)
                    .with("time", with_unit(time(longer), &unit))
                    .with("more", part(more))
                    .with_message("class", class)
                    .with_message("on", scope.on(device)),
                line: message("{n} of {all} steps take at least {limit} longer than the median of {median}.")
                    .with("n", n_of.iter().filter(|rank| **rank == step.rank).count())
                    .with("all", own.len())
                    .with("limit", percent(DIFFER.limit(0)))
                    .with("median", with_unit(time(step.wall as f64 - longer), &unit)),
                value: time(longer),
                unit: unit.clone(),
                saving: Saving::about(
                    time(longer),
                    time(whole as f64),
                    unit,
                    message("If this step took the median time."),
                ).of(phrase("{share} of all steps")),
                evidence: Evidence {
                    shown: message("neighboring steps"),
                    figure: Some(figure),
                    numbers,
                    how: message(
                        "Duration of each step on a device and of its parts: compute, communication and copies as far as they are exposed, and the rest. Each part is compared with its own median over all steps; idle time by its causes too.",
                    ),
                    view: "timeline".to_owned(),
                    address: Place::view("timeline").around(step.span).slice(input.trace, slice).address(),
                    list: Place::view("statistics").address(),
                    ..Evidence::default()
                },
                ..DIFFER.finding()
            });
        }
        Looked::found_or(findings, || {
            message("the longest step takes {share} longer than the median").with("share", percent(most))
        })
    },
};
