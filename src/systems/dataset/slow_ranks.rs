//! What is told of kernels by rank: those that became slower on some of them, and those that are slower there in single runs.

use super::changes::{Change, Changes, KeyRuns, Medians, median};
use super::figures::{lines, name_of, percent};
use super::found::{FALSE_ALARMS, LEAST, SHOWN, Subject, finding, run_name};
use super::ranks::{APART, Apart, OnRanks, on_others, per_run, slower};
use super::read::Samples;
use super::rules::{SLOWER, time_of_runs};
use super::sets::Sets;
use super::steps::compared;
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity};
use crate::base::number::{thousands, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::{Looked, Rule, RuleInput, Threshold, device};
use crate::model::figure::{Body, Figure, Line};

/// The rule of ranks that differ in a run.
pub(super) static RANKS: Rule = Rule {
    id: "dataset-ranks",
    version: 1,
    title: phrase("Slow ranks"),
    thresholds: &[
        FALSE_ALARMS,
        Threshold {
            name: phrase("rank difference"),
            value: APART,
            unit: Unit::Share,
            source: phrase("our own choice: equal devices differ by a few percent"),
        },
    ],
    look,
};

/// A kernel that became slower on some ranks.
pub(super) struct Rise {
    pub(super) change: Change,
    on: OnRanks,
}

impl Rise {
    /// Whether it is all that changed of a kernel that became slower.
    pub(super) fn explains(&self, change: &Change, key: &KeyRuns) -> bool {
        self.change.at == change.at
            && on_others(key, &change.sets, &self.on.ranks).is_some_and(|others| others < LEAST)
    }
}

/// All kernels that became slower on some ranks and not so on the others.
pub(super) fn rises(samples: &Samples, result: &Changes) -> Vec<Rise> {
    let Some(kernels) = result.sets.first() else { return Vec::new() };
    let all = compared((samples, result), &result.unlike).into_iter().filter(Change::is_certain);
    let on = |change: Change| {
        let on = slower(kernels.keys.get(change.at)?, &change.sets)?;
        // What is said of the ranks is said of these.
        let change = Change { before: Some(on.before), after: Some(on.after), per_run: on.per_run, ..change };
        Some(Rise { change, on })
    };
    all.filter_map(on).collect()
}

/// A rise as a finding.
pub(super) fn rise(
    (samples, result): (&Samples, &Changes),
    kernels: &Medians,
    [name, told]: [&str; 2],
    Rise { change, on }: &Rise,
) -> Option<Finding> {
    let key = kernels.keys.get(change.at)?;
    let how = phrase(
        "Each rank counts once in a run, by the median of its launches as part of its usual one. How far the greatest of these is above the least is tested over runs, as kernels are that became slower. Named are ranks that became slower by themselves and against the others of their run, by a rank-sum test each. Communication is left out: it takes longest on ranks that are early.",
    );
    let of = Subject { rule: &SLOWER, name, told, unit: Unit::Nanos, figure: "dataset-kernels", how };
    let sentence = message("{kernel} takes ⟦{share}⟧ longer {ranks} {since}.");
    let line =
        message("{before} before, {after} after; {others} on the other ranks: look at what changed there.");
    let saving = message("Per run, if it took as long as before on these ranks.");
    let one = finding(
        (samples, result),
        (change, key),
        of,
        (sentence.with_message("ranks", on_ranks(&on.ranks)), line.with("others", percent(on.others))),
    );
    let whole = time_of_runs(&kernels.keys, &change.sets.after);
    Some(Finding {
        subject: format!("{name} {}", named(&on.ranks)),
        saving: Saving::about(change.impact(), whole, Unit::Nanos, saving),
        evidence: Evidence {
            figure: Some(picture(samples, (key, name), &on.ranks, &change.sets)),
            ..one.evidence
        },
        ..one
    })
}

fn look(input: &RuleInput) -> Looked {
    let Some(samples) = input.trace.extensions.get::<Samples>() else { return Looked::NotHere };
    let Some(result) = input.result::<Changes>(&super::ANALYSIS) else { return Looked::NotHere };
    let (Some(kernels), Some(rows)) = (result.sets.first(), samples.sets.first()) else {
        return Looked::NotHere;
    };
    if result.apart.n_kernels == 0 {
        return Looked::NotHere;
    }
    let rises = rises(samples, result);
    // What became so is told already.
    let is_new = |one: &&Apart| {
        !rises.iter().any(|rise| {
            let is_after = one.runs.iter().all(|run| rise.change.sets.after.start <= *run as usize);
            rise.change.at == one.at && rise.on.ranks == one.ranks && is_after
        })
    };
    let told = |one: &Apart| {
        let key = kernels.keys.get(one.at)?;
        Some(told((samples, result), kernels, (key, name_of(rows, key)), one))
    };
    let mut found: Vec<Finding> = result.apart.found.iter().filter(is_new).filter_map(told).collect();
    if found.is_empty() && !result.apart.found.is_empty() {
        return Looked::Nothing(message(
            "every slow rank became slower in one of the runs: see slower kernels",
        ));
    }
    crate::base::order::sort_by(&mut found, |a, b| b.saving.value.total_cmp(&a.saving.value));
    found.truncate(SHOWN);
    Looked::found_or(found, || {
        message("no significant difference of 10 % or more between a few ranks of a run and all others among {n} kernels")
            .with("n", thousands(result.apart.n_kernels as i64))
    })
}

/// A kernel that takes longer on some ranks of single runs, as a finding.
fn told(
    (samples, result): (&Samples, &Changes),
    kernels: &Medians,
    (key, name): (&KeyRuns, &str),
    one: &Apart,
) -> Finding {
    let share = one.here / one.others - 1.0;
    let sentence = match one.runs.len() {
        1 => message("{kernel} takes ⟦{share}⟧ longer {ranks} than on the others in run {run}."),
        _ => message(
            "{kernel} takes ⟦{share}⟧ longer {ranks} than on the others in {n} of {all} runs, first in {run}.",
        ),
    };
    let first = one.runs.first().map_or(0, |run| *run as usize);
    let launches = per_run(key, &one.ranks, |run| one.runs.contains(&run));
    let times = one.runs.iter().map(|run| time_of_runs(&kernels.keys, &(*run as usize..*run as usize + 1)));
    let whole = times.sum::<f64>() / one.runs.len().max(1) as f64;
    let saving = message("Per run, if it took as long on these ranks as on the others.");
    let address = result.address("dataset-kernels", result.chosen(None));
    let time = |value| with_unit(value, &Unit::Nanos);
    Finding {
        subject: format!("{name} {}", named(&one.ranks)),
        severity: Severity::Warning,
        sentence: sentence
            .with("kernel", device::brief(name))
            .with("share", percent(share).trim_start_matches('+'))
            .with_message("ranks", on_ranks(&one.ranks))
            .with("n", one.runs.len())
            .with("all", one.of_runs)
            .with("run", run_name(samples, first)),
        line: message("{here} against {others}, launched as often: look at what differs there, such as the clock or other work.")
            .with("here", time(one.here))
            .with("others", time(one.others)),
        value: share * 100.0,
        unit: Unit::Percent,
        saving: Saving::about((one.here - one.others) * launches, whole, Unit::Nanos, saving),
        evidence: Evidence {
            shown: message("{n} of {all} runs").with("n", one.runs.len()).with("all", one.of_runs),
            figure: Some(picture(samples, (key, name), &one.ranks, &result.usual)),
            numbers: vec![
                Number::new(phrase("On these ranks"), one.here, Unit::Nanos),
                Number::new(phrase("On the others"), one.others, Unit::Nanos),
                Number::new(phrase("Launches per run"), launches, Unit::None),
                Number::new(phrase("False alarms"), one.q, Unit::Share),
            ],
            how: message(
                "Each rank counts by the median of its launches. Told are one rank of a run, or at most a quarter, on which it takes 10 % or more longer, where the others differ by no more than half of that and all launch it as often. Launches on both are compared within the run by a rank-sum test, times the number of ranks; the share of false alarms takes all kernels and runs into account. Communication is left out: it takes longest on ranks that are early.",
            ),
            view: "details".to_owned(),
            list: address.clone(),
            address,
            ..Evidence::default()
        },
        ..RANKS.finding()
    }
}

/// Where it is.
fn on_ranks(ranks: &[u32]) -> Message {
    let said = if ranks.len() == 1 { message("on rank {ranks}") } else { message("on ranks {ranks}") };
    said.with("ranks", super::ranks::named(ranks))
}

/// Ranks as a name.
fn named(ranks: &[u32]) -> String {
    let said = if ranks.len() == 1 { "rank" } else { "ranks" };
    format!("{said} {}", super::ranks::named(ranks))
}

/// The medians of these ranks and of the others by run.
fn picture(samples: &Samples, (key, name): (&KeyRuns, &str), ranks: &[u32], sets: &Sets) -> Figure {
    let mut chart = lines(samples, key, (name, Unit::Nanos), sets);
    let n = samples.runs.len();
    let line = |name: String, is_wanted: &dyn Fn(u32) -> bool| {
        let mut medians = vec![None; n];
        for (run, own) in key.by_rank() {
            let own = own.iter().filter(|(_, of)| is_wanted(of.rank)).map(|(_, of)| of.median);
            if let Some(slot) = medians.get_mut(run as usize) {
                *slot = median(own.collect());
            }
        }
        Line { name, x: (1..=n).map(|run| run as f64).collect(), y: medians, is_stepped: false }
    };
    chart.lines = vec![
        line(named(ranks), &|rank| ranks.contains(&rank)),
        line(phrase("Other ranks").to_owned(), &|rank| !ranks.contains(&rank)),
    ];
    Figure::new("", Body::Lines(chart))
}
