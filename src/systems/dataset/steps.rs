//! Steps that became longer, and kernels that are launched more often in a step, from one set of runs to the next.

use super::changes::{Change, Changes, KeyRuns, Medians, changes, least_together, new_keys, turnings};
use super::figures::{name_of, percent};
use super::found::{ALARMS, SHOWN, Subject, THRESHOLDS, finding};
use super::read::{LAUNCHES, Rows, STEP_TIME, Samples};
use crate::analysis::finding::{Finding, Saving};
use crate::base::number::{fixed, thousands};
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::findings::{Looked, Rule, RuleInput, device};

/// The rule of steps.
pub(super) static STEPS: Rule = Rule {
    id: "dataset-steps",
    version: 1,
    title: phrase("Longer steps"),
    thresholds: THRESHOLDS,
    look: look_at_steps,
};

/// The rule of launches.
pub(super) static MORE: Rule = Rule {
    id: "dataset-launches",
    version: 2,
    title: phrase("More launches"),
    thresholds: THRESHOLDS,
    look: look_at_launches,
};

/// What follows.
const LINE: &str = phrase("{before} before, {after} after: look at what changed before this run.");
const HOW_NEW: &str = phrase(
    "No run before has the kernel, and all from then on do. How probable that is by chance: one of all ways to choose so many of the runs, twice, as it may also be the first ones; the share of false alarms takes all tested kernels into account.",
);
const HOW: &str = phrase(
    "Each run counts once, by the median of its traces; before and after are medians of runs. Tested as kernels are that became slower.",
);

/// The change of the time of a step.
pub(super) fn of_steps(samples: &Samples, result: &Changes) -> Option<Change> {
    let (medians, rows) = (result.sets.get(1)?, samples.sets.get(1)?);
    let is_it = |key: &KeyRuns| name_of(rows, key) == STEP_TIME;
    let at = medians.keys.iter().position(is_it)?;
    let found = compared((samples, result), medians).into_iter().find(|change| change.at == at)?;
    // It is tested alone.
    Some(Change { q: found.p, ..found })
}

/// The changes of all keys of a table.
pub(super) fn compared((samples, result): (&Samples, &Changes), medians: &Medians) -> Vec<Change> {
    let sets = &result.usual;
    if sets.is_series(&samples.runs) { turnings(medians, sets) } else { changes(medians, sets, false) }
}

/// Why nothing can be told from so few runs.
fn too_few(result: &Changes, n_tests: usize) -> Option<Looked> {
    let is_few = n_tests < least_together(&result.usual, n_tests, ALARMS);
    is_few.then(|| Looked::Missing(message("too few runs to compare")))
}

fn look_at_steps(input: &RuleInput) -> Looked {
    let Some(samples) = input.trace.extensions.get::<Samples>() else { return Looked::NotHere };
    let Some(result) = input.result::<Changes>(&super::ANALYSIS) else { return Looked::NotHere };
    let Some(change) = of_steps(samples, result).filter(|change| change.share().is_some()) else {
        return Looked::NotHere;
    };
    let share = change.share().unwrap_or(0.0);
    if change.p.is_some()
        && let Some(few) = too_few(result, 1)
    {
        return few;
    }
    if !change.is_rise() {
        let said =
            message("the step time is not significantly longer (1 % or more); the difference is {share}");
        return Looked::Nothing(said.with("share", percent(share)));
    }
    let Some(key) = result.sets.get(1).and_then(|medians| medians.keys.get(change.at)) else {
        return Looked::NotHere;
    };
    let longer = change.difference().unwrap_or(0.0);
    let saving = message("Per step, if it took as long as before.");
    let saving = Saving::about(longer, change.after.unwrap_or(0.0), Unit::Nanos, saving);
    let sentence = message("Steps take ⟦{share}⟧ longer {since}.");
    let name = phrase("Step time");
    let of =
        Subject { rule: &STEPS, name, told: name, unit: Unit::Nanos, figure: "dataset-metrics", how: HOW };
    Looked::Found(vec![Finding {
        saving,
        ..finding((samples, result), (&change, key), of, (sentence, message(LINE)))
    }])
}

fn look_at_launches(input: &RuleInput) -> Looked {
    let Some(samples) = input.trace.extensions.get::<Samples>() else { return Looked::NotHere };
    let Some(result) = input.result::<Changes>(&super::ANALYSIS) else { return Looked::NotHere };
    let (Some(medians), Some(rows)) = (result.sets.get(LAUNCHES), samples.sets.get(LAUNCHES)) else {
        return Looked::NotHere;
    };
    if medians.keys.is_empty() || result.usual.after.is_empty() {
        return Looked::NotHere;
    }
    let all = compared((samples, result), medians);
    let n_tests = all.iter().filter(|change| change.p.is_some()).count();
    if 0 < n_tests
        && let Some(few) = too_few(result, n_tests)
    {
        return few;
    }
    let mut found: Vec<Finding> = Vec::new();
    for change in all.iter().filter(|change| change.is_rise()) {
        let Some(key) = medians.keys.get(change.at) else { continue };
        let name = name_of(rows, key);
        let sentence = message("{kernel} is launched ⟦{share}⟧ more often per step {since}.");
        let told = device::brief(name);
        let of =
            Subject { rule: &MORE, name, told: &told, unit: Unit::None, figure: "dataset-kernels", how: HOW };
        let one = finding((samples, result), (change, key), of, (sentence, message(LINE)));
        found.push(Finding { saving: of_launches(samples, result, (change, name)), ..one });
    }
    found.extend(added((samples, result), (medians, rows), n_tests));
    let time = |one: &Finding| one.saving.value;
    crate::base::order::sort_by(&mut found, |a, b| time(b).total_cmp(&time(a)));
    found.truncate(SHOWN);
    Looked::found_or(found, || {
        message("no significant rise in launches per step of 1 % or more among {n} kernels")
            .with("n", thousands(medians.keys.len() as i64))
    })
}

/// Kernels that no run had before one and all have from then on.
fn added(
    (samples, result): (&Samples, &Changes),
    (medians, rows): (&Medians, &Rows),
    n_tests: usize,
) -> Vec<Finding> {
    let new = new_keys(samples, medians, &result.usual);
    let p = |change: &Change| change.p.unwrap_or(1.0);
    // Each as if it were tested with all others.
    let n = (n_tests + new.len()) as f64;
    let n_likely = |least: f64| new.iter().filter(|change| p(change) <= least).count().max(1) as f64;
    let told = |change: &Change| {
        let q = (p(change) * n / n_likely(p(change))).min(1.0);
        let change = Change { q: Some(q), ..change.clone() };
        let key = medians.keys.get(change.at).filter(|_| change.is_certain())?;
        let name = name_of(rows, key);
        let (told, how) = (device::brief(name), HOW_NEW);
        let of = Subject { rule: &MORE, name, told: &told, unit: Unit::None, figure: "dataset-kernels", how };
        let sentence = message("{kernel} is new {since}: ⟦{launches}⟧ launches per step.");
        let per_step = change.after.unwrap_or(0.0);
        let one = finding(
            (samples, result),
            (&change, key),
            of,
            (sentence.with("launches", fixed(per_step, 1)), message(LINE)),
        );
        let saving = of_launches(samples, result, (&change, name));
        Some(Finding { saving, value: per_step, unit: Unit::None, ..one })
    };
    new.iter().filter_map(told).collect()
}

/// What the launches beyond those of before take in a run.
fn of_launches(samples: &Samples, result: &Changes, (change, name): (&Change, &str)) -> Saving {
    let time = |wanted: Option<&str>| -> f64 {
        let (Some(medians), Some(rows)) = (result.sets.first(), samples.sets.first()) else { return 0.0 };
        let keys = medians.keys.iter().filter(|key| wanted.is_none_or(|wanted| name_of(rows, key) == wanted));
        let sum: f64 = keys.flat_map(|key| key.of(&change.sets.after)).map(|(_, run)| run.sum).sum();
        sum / change.sets.after.len().max(1) as f64
    };
    let more = change.difference().unwrap_or(0.0) / change.after.unwrap_or(1.0);
    let said = message("Per run, if it were launched as often as before.");
    Saving::about(time(Some(name)) * more, time(None), Unit::Nanos, said)
}
