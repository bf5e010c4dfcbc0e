//! Kernels that became slower from one set of runs to the next.

use super::changes::{Change, Changes, KeyRuns, least_together};
use super::figures::{name_of, percent, usual};
use super::found::{ALARMS, SHOWN, Subject, THRESHOLDS, finding};
use super::read::Samples;
use super::sets::Sets;
use crate::analysis::finding::{Finding, Saving};
use crate::base::number::thousands;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::{Looked, Rule, RuleInput};

/// The rule.
pub(super) static SLOWER: Rule =
    Rule { id: "dataset-slower", version: 3, title: phrase("Slower kernels"), thresholds: THRESHOLDS, look };

fn look(input: &RuleInput) -> Looked {
    let Some(samples) = input.trace.extensions.get::<Samples>() else { return Looked::NotHere };
    let Some(changes) = input.result::<Changes>(&super::ANALYSIS) else { return Looked::NotHere };
    let (Some(medians), Some(rows)) = (changes.sets.first(), samples.sets.first()) else {
        return Looked::NotHere;
    };
    if medians.keys.is_empty() {
        return Looked::Missing(message("no table of kernels: convert with --tables kernels"));
    }
    let sets = &changes.usual;
    let all = usual((samples, changes), medians, true);
    let n_tests = all.iter().filter(|change| change.p.is_some()).count();
    let together = least_together(sets, n_tests, ALARMS);
    if sets.after.is_empty() {
        return Looked::Missing(message("one run: nothing to compare"));
    }
    if n_tests < together {
        let grown = all.iter().filter(|change| change.p.is_some() && 0.0 < change.share().unwrap_or(0.0));
        let largest =
            grown.max_by(|a, b| a.share().partial_cmp(&b.share()).unwrap_or(std::cmp::Ordering::Equal));
        let runs =
            |said: Message| said.with("a", sets.before.len()).with("b", sets.after.len()).with("n", n_tests);
        let key = largest.and_then(|change| Some((change, medians.keys.get(change.at)?)));
        let few = phrase("{a} and {b} runs are too few to tell a change of any of {n} kernels from chance");
        return Looked::Missing(match key {
            None => runs(message(few)),
            Some((change, key)) => runs(message(
                "no change is certain: {a} and {b} runs are too few to tell one of {n} kernels from chance; largest: {kernel} {share}",
            ))
            .with("kernel", name_of(rows, key))
            .with("share", percent(change.share().unwrap_or(0.0))),
        });
    }
    let found: Vec<&Change> = all.iter().filter(|change| change.is_rise()).collect();
    let found_all = found.len();
    let of = |change: &Change| {
        let key = medians.keys.get(change.at)?;
        let whole = time_of_run(medians.keys.as_slice(), &change.sets);
        Some(slower((samples, changes), name_of(rows, key), (change, key), (whole, found_all)))
    };
    let findings = found.iter().take(SHOWN).filter_map(|change| of(change)).collect();
    Looked::found_or(findings, || {
        let slower =
            all.iter().filter(|change| change.p.is_some()).filter_map(Change::share).fold(0.0, f64::max);
        let said = message(
            "of {n} tested kernels none is statistically certain to be slower by 1 % or more; the largest difference is {share}",
        );
        let more = message(
            "of {n} tested kernels none is statistically certain to be slower by 1 % or more; the largest difference is {share}. With {a} and {b} runs only {k} or more changes at once can be told from chance",
        );
        let said = if together < 2 { said } else { more };
        said.with("n", thousands(n_tests as i64))
            .with("share", percent(slower))
            .with("a", sets.before.len())
            .with("b", sets.after.len())
            .with("k", together)
    })
}

/// The time of all kernels in a run of the second set, on the average.
fn time_of_run(keys: &[KeyRuns], sets: &Sets) -> f64 {
    let time = |key: &KeyRuns| -> f64 { key.of(&sets.after).iter().map(|(_, run)| run.sum).sum() };
    keys.iter().map(time).sum::<f64>() / sets.after.len().max(1) as f64
}

fn slower(
    both: (&Samples, &Changes),
    name: &str,
    (change, key): (&Change, &KeyRuns),
    (whole, n): (f64, usize),
) -> Finding {
    let how = if key.turning.is_some() {
        phrase(
            "Each run counts once, by the median of its launches; before and after are medians of runs. The run is the one from which on medians differ most; how often by chance some run would show as much is counted over random orders of the runs. The share of false alarms takes all tested kernels into account.",
        )
    } else {
        phrase(
            "Each run counts once, by the median of its launches; before and after are medians of runs. Rank-sum test over runs, two-sided; the share of false alarms takes all tested kernels into account.",
        )
    };
    let of = Subject { rule: &SLOWER, name, unit: Unit::Nanos, figure: "dataset-kernels", how };
    let sentence = message("{kernel} takes ⟦{share}⟧ longer {since}.");
    let line = message(
        "{before} before, {after} after: look at what changed before this run. {n} kernels became slower.",
    );
    let saving = message("Per run, if it took as long as before and were launched as often.");
    Finding {
        saving: Saving::about(change.impact(), whole, Unit::Nanos, saving),
        ..finding(both, (change, key), of, (sentence, line.with("n", n)))
    }
}
