//! Kernels by rank: which became slower on some of them only, and which are slower there in single runs.

use super::{Folder, convert_tables, csv, open, row, trace};
use lanescope::analysis::finding::{Finding, Outcome, Overview};

/// What a rank of a run recorded.
#[derive(Clone, Copy)]
struct Recorded {
    /// How much longer softmax takes.
    factor: f64,
    launches: usize,
    has_rank: bool,
}

const USUAL: Recorded = Recorded { factor: 1.0, launches: 12, has_rank: true };

/// What softmax takes at first on a rank of a run, in nanoseconds: runs and ranks differ a little.
fn usual(run: usize, rank: usize) -> f64 {
    40_000.0 * (1.0 + ((run * 5 + rank) % 7) as f64 / 1e4)
}

/// A folder of these runs; what is `None` was not recorded.
fn data_set(name: &str, runs: &[String], of: impl Fn(usize, usize) -> Option<Recorded>) -> Folder {
    let folder = Folder::new(name);
    for (at, run) in runs.iter().enumerate() {
        for rank in 0..8 {
            let Some(recorded) = of(at, rank) else { continue };
            let text = trace(recorded.launches, usual(at, rank) * recorded.factor, at);
            let head = format!(r#"{{"distributedInfo":{{"rank":{rank},"world_size":8}},"#);
            let text = if recorded.has_rank { text.replacen('{', &head, 1) } else { text };
            convert_tables(&folder, run, &format!("rank{rank}.json"), text, &|table| table == "kernels");
        }
    }
    folder
}

/// Six runs before a change and six after it.
fn two_sets() -> Vec<String> {
    ["before", "after"].iter().flat_map(|set| (0..6).map(move |run| format!("{set}-{run}"))).collect()
}

fn told(overview: &Overview) -> Vec<String> {
    overview.findings.iter().map(|one| one.said(Default::default())).collect()
}

fn overview(folder: &Folder) -> Overview {
    open(folder).whole_overview()
}

fn number(finding: &Finding, name: &str) -> f64 {
    finding.evidence.numbers.iter().find(|number| number.name == name).unwrap().value
}

fn middle(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    (all[(all.len() - 1) / 2] + all[all.len() / 2]) / 2.0
}

/// The median of the launches that [`trace`] writes.
fn launches(dur: f64, run: usize) -> f64 {
    middle((0..12).map(|at| dur + ((at * 7 + run * 3) % 10) as f64).collect())
}

/// Softmax takes 40 % longer on these ranks of so many in the second set.
fn slow_on(name: &str, slow: &[usize], ranks: usize) -> Folder {
    data_set(&format!("{name}-{ranks}"), &two_sets(), |run, rank| {
        let factor = if 6 <= run && slow.contains(&rank) { 1.4 } else { 1.0 };
        (rank < ranks).then_some(Recorded { factor, ..USUAL })
    })
}

#[test]
fn one_rank_of_four_that_became_slower_is_named_with_what_it_takes_there() {
    let folder = slow_on("one-rank", &[3], 4);
    let mut doc = open(&folder);
    let overview = doc.whole_overview();
    let said = told(&overview);
    assert_eq!(said, ["softmax takes 40.0 % longer on rank 3 from run after-0 on."]);
    // Runs are in the order of their names: those before, then those after.
    let before = middle((0..6).map(|run| launches(usual(run, 3), run)).collect());
    let after = middle((6..12).map(|run| launches(usual(run, 3) * 1.4, run)).collect());
    let one = &overview.findings[0];
    assert!((number(one, "Before") - before).abs() < 1.0, "{before}: {one:?}");
    assert!((number(one, "After") - after).abs() < 1.0, "{after}: {one:?}");
    assert!((one.value - (after / before - 1.0) * 100.0).abs() < 0.005, "{}", one.value);
    // Six runs against six that are all greater, either way, of 924; no other kernel differs by rank.
    assert!((number(one, "False alarms") - 2.0 / 924.0).abs() < 1e-9, "{one:?}");
    assert!((one.saving.value / (12.0 * (after - before)) - 1.0).abs() < 1e-3, "{:?}", one.saving);
    // The table still has the median over all ranks.
    let cells = row(&csv(&mut doc, "dataset-kernels"), "softmax");
    assert!(cells[3].parse::<f64>().unwrap() < 1.0, "{cells:?}");
}

#[test]
fn ranks_that_all_became_slower_are_one_finding_and_some_are_named() {
    for (slow, ranks, expected) in [
        (&[0, 1, 2, 3][..], 4, "softmax takes 40.0 % longer from run after-0 on."),
        (&[1, 2], 4, "softmax takes 40.0 % longer on ranks 1, 2 from run after-0 on."),
        (&[1], 2, "softmax takes 40.0 % longer on rank 1 from run after-0 on."),
        (&[0, 1], 2, "softmax takes 40.0 % longer from run after-0 on."),
    ] {
        let said = told(&overview(&slow_on(&format!("slow-{}", slow.len()), slow, ranks)));
        assert_eq!(said, [expected], "{slow:?} of {ranks}");
    }
    assert_eq!(told(&overview(&slow_on("slow-none", &[], 4))), [""; 0]);
}

/// Faster ranks do not make the others slow, and without numbers of ranks none is named.
#[test]
fn nothing_is_said_of_ranks_where_it_is_not_known_or_not_so() {
    let faster = data_set("faster", &two_sets(), |run, rank| {
        let factor = if 6 <= run && rank == 0 { 0.7 } else { 1.0 };
        (rank < 2).then_some(Recorded { factor, ..USUAL })
    });
    // Rank 1 takes longer than rank 0 in single runs, but nothing became slower.
    let said = told(&overview(&faster));
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].ends_with("longer on rank 1 than on the others in 6 of 12 runs, first in after-0."),
        "{said:?}"
    );
    let unknown = data_set("unknown", &two_sets(), |run, rank| {
        let factor = if 6 <= run && rank == 3 { 1.4 } else { 1.0 };
        (rank < 4).then_some(Recorded { factor, has_rank: rank < 3, ..USUAL })
    });
    assert_eq!(told(&overview(&unknown)), [""; 0]);
    let none = data_set("no-ranks", &two_sets(), |run, rank| {
        let factor = if 6 <= run && rank == 3 { 1.4 } else { 1.0 };
        (rank < 4).then_some(Recorded { factor, has_rank: false, ..USUAL })
    });
    let overview = overview(&none);
    assert_eq!(told(&overview), [""; 0]);
    assert!(overview.rules.iter().all(|rule| rule.id != "dataset-ranks"), "no ranks, no rule about them");
}

/// A run without the rank, and one with more of them, are no reason to say nothing, nor to say it of others.
#[test]
fn runs_with_other_numbers_of_ranks_hide_nothing_and_add_nothing() {
    let recorded = |slow: f64| {
        move |run: usize, rank: usize| {
            let factor = if 6 <= run && rank == 3 { slow } else { 1.0 };
            let ranks = if run == 1 { 6 } else { 4 };
            (rank < ranks && (run, rank) != (8, 3)).then_some(Recorded { factor, ..USUAL })
        }
    };
    let said = told(&overview(&data_set("unequal", &two_sets(), recorded(1.4))));
    assert_eq!(said, ["softmax takes 40.0 % longer on rank 3 from run after-0 on."]);
    assert_eq!(told(&overview(&data_set("unequal-same", &two_sets(), recorded(1.0)))), [""; 0]);
    let grown =
        data_set("grown", &two_sets(), |run, rank| (rank < if run < 6 { 4 } else { 8 }).then_some(USUAL));
    assert_eq!(told(&overview(&grown)), [""; 0]);
}

#[test]
fn a_rank_that_became_slower_in_a_series_is_told_from_that_run_on() {
    let nights: Vec<String> = (1..=14).map(|night| format!("night-{night}")).collect();
    let folder = data_set("rank-series", &nights, |run, rank| {
        let factor = if 9 <= run && rank == 2 { 1.05 } else { 1.0 };
        (rank < 4).then_some(Recorded { factor, ..USUAL })
    });
    let overview = overview(&folder);
    assert_eq!(told(&overview), ["softmax takes 5.0 % longer on rank 2 from run night-10 on."]);
    let before = middle((0..9).map(|run| launches(usual(run, 2), run)).collect());
    let after = middle((9..14).map(|run| launches(usual(run, 2) * 1.05, run)).collect());
    assert!((overview.findings[0].value - (after / before - 1.0) * 100.0).abs() < 0.005);
}

fn one_run(name: &str, of: impl Fn(usize) -> Option<Recorded>) -> Overview {
    overview(&data_set(name, &["night-1".to_owned()], |_, rank| of(rank)))
}

#[test]
fn a_slow_rank_of_a_single_run_is_told() {
    let slow = |slow: usize, factor: f64, ranks: usize| {
        move |rank: usize| {
            let factor = if rank == slow { factor } else { 1.0 };
            (rank < ranks).then_some(Recorded { factor, launches: 8, ..USUAL })
        }
    };
    let overview = one_run("single", slow(2, 2.0, 4));
    assert_eq!(
        told(&overview),
        ["softmax takes 100.0 % longer on rank 2 than on the others in run night-1."]
    );
    // One or two of the 10,518,300 ways to choose 8 of 32 launches, any of four ranks, either of two kernels.
    let ways = number(&overview.findings[0], "False alarms") * 10_518_300.0 / 8.0;
    assert!((0.999..2.001).contains(&ways), "{ways}");
    let said = told(&one_run("single-two", slow(0, 1.5, 2)));
    assert_eq!(said, ["softmax takes 50.0 % longer on rank 0 than on the others in run night-1."]);
    let eight = told(&one_run("single-eight", |rank| {
        Some(Recorded { factor: if rank < 2 { 1.5 } else { 1.0 }, ..USUAL })
    }));
    assert_eq!(eight.len(), 1, "{eight:?}");
    assert!(eight[0].contains("longer on ranks 0, 1 than on the others in run night-1."), "{eight:?}");
    let three: Vec<String> = (1..=3).map(|night| format!("night-{night}")).collect();
    let some =
        data_set("single-some", &three, |run, rank| slow(1, if run == 0 { 1.0 } else { 1.5 }, 4)(rank));
    let said = told(&super::open(&some).whole_overview());
    assert_eq!(
        said,
        ["softmax takes 50.0 % longer on rank 1 than on the others in 2 of 3 runs, first in night-2."]
    );
}

/// Stages of a pipeline, ranks with other work and small differences are no slow ranks.
#[test]
fn ranks_that_do_other_work_are_no_slow_ones() {
    let stages =
        one_run("stages", |rank| (rank < 4).then_some(Recorded { factor: 1.0 + rank as f64 / 2.0, ..USUAL }));
    let halves =
        one_run("halves", |rank| Some(Recorded { factor: if rank < 4 { 1.0 } else { 2.0 }, ..USUAL }));
    let fewer = one_run("fewer", |rank| {
        let other = Recorded { factor: 2.0, launches: 6, ..USUAL };
        (rank < 4).then_some(if rank == 3 { other } else { USUAL })
    });
    let little = one_run("little", |rank| {
        (rank < 4).then_some(Recorded { factor: if rank == 3 { 1.08 } else { 1.0 }, ..USUAL })
    });
    for (name, overview) in [("stages", stages), ("halves", halves), ("fewer", fewer), ("little", little)] {
        assert_eq!(told(&overview), [""; 0], "{name}");
        let rule = overview.rules.iter().find(|rule| rule.id == "dataset-ranks").unwrap();
        let Outcome::Nothing(said) = &rule.outcome else { panic!("{name}: {:?}", rule.outcome) };
        assert!(said.to_string().contains("among 2 kernels"), "{name}: {said}");
    }
}

/// Ranks that are early wait in communication: where it takes longest, nothing is slow.
#[test]
fn communication_is_not_compared_by_rank() {
    let folder = Folder::new("communication");
    for run in two_sets() {
        for rank in 0..4 {
            let head = format!(r#"{{"distributedInfo":{{"rank":{rank},"world_size":4}},"#);
            // All but rank 3 wait for it, rank 0 longest.
            let wait = if run.starts_with("after") && rank == 0 { 80_000.0 } else { 40_000.0 };
            let text = trace(12, wait + f64::from(rank), 1).replacen('{', &head, 1);
            let text = text.replace("softmax", "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
            convert_tables(&folder, &run, &format!("rank{rank}.json"), text, &|table| table == "kernels");
        }
    }
    assert_eq!(told(&overview(&folder)), [""; 0]);
}
