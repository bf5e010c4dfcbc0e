//! Kernels that became slower from one set of runs to the next.

use super::changes::{Change, Changes, KeyRuns, least_together};
use super::figures::{name_of, percent, usual};
use super::found::{ALARMS, SHOWN, Subject, THRESHOLDS, finding};
use super::read::Samples;
use super::sets::Sets;
use super::slow_ranks::{rise, rises};
use crate::analysis::finding::{Finding, Saving};
use crate::base::brief::in_sentence;
use crate::base::number::thousands;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::{Looked, Rule, RuleInput, device};
use std::ops::Range;

/// The rule.
pub(super) static SLOWER: Rule =
    Rule { id: "dataset-slower", version: 4, title: phrase("Slower kernels"), thresholds: THRESHOLDS, look };

fn look(input: &RuleInput) -> Looked {
    let Some(samples) = input.trace.extensions.get::<Samples>() else { return Looked::NotHere };
    let Some(changes) = input.result::<Changes>(&super::ANALYSIS) else { return Looked::NotHere };
    let (Some(medians), Some(rows)) = (changes.sets.first(), samples.sets.first()) else {
        return Looked::NotHere;
    };
    if medians.keys.is_empty() {
        return Looked::Missing(message("no table of kernels: convert with --tables kernels"));
    }
    if changes.usual.after.is_empty() {
        return Looked::Missing(message("one run: nothing to compare"));
    }
    let all = usual((samples, changes), medians, true);
    let name = |at: usize| medians.keys.get(at).map_or("", |key| name_of(rows, key));
    let rises = rises(samples, changes);
    let is_own = |change: &&Change| {
        let key = medians.keys.get(change.at);
        !key.is_some_and(|key| rises.iter().any(|rise| rise.explains(change, key)))
    };
    let found: Vec<&Change> = all.iter().filter(|change| change.is_rise()).filter(is_own).collect();
    let mut kernels: Vec<usize> = found.iter().map(|change| change.at).collect();
    kernels.extend(rises.iter().map(|rise| rise.change.at));
    order::sort(&mut kernels);
    kernels.dedup();
    let whole: Vec<&str> = kernels.iter().map(|at| name(*at)).collect();
    let told = in_sentence(&whole);
    let told =
        |at: usize| kernels.binary_search(&at).ok().and_then(|at| told.get(at)).map_or("", String::as_str);
    let n = (kernels.len(), found.len());
    let of = |change: &&Change| {
        let key = medians.keys.get(change.at)?;
        let whole = time_of_runs(&medians.keys, &change.sets.after);
        let names = [name(change.at), told(change.at)];
        Some(slower((samples, changes), names, (change, key), (whole, n)))
    };
    let on_all = found.iter().filter_map(of);
    let on_some = rises
        .iter()
        .filter_map(|of| rise((samples, changes), medians, [name(of.change.at), told(of.change.at)], of));
    let mut findings: Vec<Finding> = on_all.chain(on_some).collect();
    order::sort_by(&mut findings, |a, b| b.saving.value.total_cmp(&a.saving.value));
    findings.truncate(SHOWN);
    if findings.is_empty() { nothing(&changes.usual, &all, name) } else { Looked::Found(findings) }
}

/// What is said where no kernel became slower.
fn nothing<'a>(sets: &Sets, all: &[Change], name: impl Fn(usize) -> &'a str) -> Looked {
    let tested = || all.iter().filter(|change| change.p.is_some());
    let n_tests = tested().count();
    let together = least_together(sets, n_tests, ALARMS);
    let runs = |said: Message| said.with("a", sets.before.len()).with("b", sets.after.len());
    if together <= n_tests {
        let said = message(
            "no significant lasting slowdown of 1 % or more among {n} tested kernels; largest difference {share}",
        );
        let more = message(
            "no significant lasting slowdown of 1 % or more among {n} tested kernels; largest difference {share}. With {a} and {b} runs only {k} or more changes at once can be told from chance",
        );
        let said = if together < 2 { said } else { more };
        let slower = tested().filter_map(Change::share).fold(0.0, f64::max);
        let said = said.with("n", thousands(n_tests as i64)).with("share", percent(slower));
        return Looked::Nothing(runs(said).with("k", together));
    }
    let share = |change: &Change| change.share().unwrap_or(0.0);
    let grown = tested().filter(|change| 0.0 < share(change));
    let few = phrase("{a} and {b} runs are too few to tell a change of any of {n} kernels from chance");
    let said = match grown.max_by(|a, b| share(a).total_cmp(&share(b))) {
        None => message(few),
        Some(change) => message(
            "no change is certain: {a} and {b} runs are too few to tell one of {n} kernels from chance; largest: {kernel} {share}",
        )
        .with("kernel", device::brief(name(change.at)))
        .with("share", percent(share(change))),
    };
    Looked::Missing(runs(said).with("n", n_tests))
}

/// The time of all kernels in one of these runs, on the average.
pub(super) fn time_of_runs(keys: &[KeyRuns], runs: &Range<usize>) -> f64 {
    let time = |key: &KeyRuns| -> f64 { key.of(runs).iter().map(|(_, run)| run.sum).sum() };
    keys.iter().map(time).sum::<f64>() / runs.len().max(1) as f64
}

/// A kernel that became slower as a finding.
fn slower(
    both: (&Samples, &Changes),
    [name, told]: [&str; 2],
    (change, key): (&Change, &KeyRuns),
    (whole, (n, on_all)): (f64, (usize, usize)),
) -> Finding {
    let how = if key.turning.is_some() {
        phrase(
            "Each run counts once, by the median of its launches; before and after are medians of runs. The run is the one that parts the medians of runs into two groups, each as even as can be; how often by chance some run would show as much is counted over random orders of the runs. Only one lasting change of a kernel is looked for. The share of false alarms takes all tested kernels into account.",
        )
    } else {
        phrase(
            "Each run counts once, by the median of its launches; before and after are medians of runs. Rank-sum test over runs, two-sided; the share of false alarms takes all tested kernels into account.",
        )
    };
    let of = Subject { rule: &SLOWER, name, told, unit: Unit::Nanos, figure: "dataset-kernels", how };
    let sentence = message("{kernel} takes ⟦{share}⟧ longer {since}.");
    let line = if on_all == n {
        message(
            "{before} before, {after} after: look at what changed before this run. {n} kernels became slower.",
        )
    } else {
        message(
            "{before} before, {after} after: look at what changed before this run. {n} kernels became slower, {m} of them on single ranks only.",
        )
    };
    let saving = message("Per run, if it took as long as before and were launched as often.");
    Finding {
        saving: Saving::about(change.impact(), whole, Unit::Nanos, saving),
        ..finding(both, (change, key), of, (sentence, line.with("n", n).with("m", n - on_all)))
    }
}
