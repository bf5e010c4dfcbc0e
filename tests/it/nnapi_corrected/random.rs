//! What holds for any rows: made ones, damaged ones, deep ones.

use super::make::trace_of;
use lanescope::systems::android::nnapi::corrected::{
    App, Corrected, Count, Issue, Kind, NONE, PHASES, Scope,
};
use lanescope::systems::android::nnapi::mark::{Layer, Phase};
use std::iter::successors;

/// A small generator of numbers.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.roll(list.len())]
    }
}

type Row = (i64, String, String);

/// Marks of several threads and processes, with everything that the readers know.
fn many_threads(dice: &mut Dice, n: usize) -> Vec<Row> {
    const THREADS: [(&str, u32); 7] =
        [("app", 1), ("work", 1), ("back", 1), ("other", 2), ("hal", 7), ("hal2", 7), ("cam", 9)];
    const MARKS: [&str; 22] = [
        "[NN_LA_PO]model",
        "[NN_LA_PWU]loop",
        "[NN_LA_PBM]loop",
        "[NN_LA_PE]once",
        "[NN_LR_PE]ANeuralNetworksExecution_compute",
        "[NN_LR_PE]ANeuralNetworksExecution_burstCompute",
        "[NN_LR_PE]ANeuralNetworksExecution_startCompute",
        "[NN_LR_PE]ANeuralNetworksExecution_startComputeWithDependencies",
        "[NN_LR_PE]ANeuralNetworksEvent_wait",
        "[NN_LR_PIO]ANeuralNetworksExecution_setInput",
        "[SW][NN_LR_PE]more",
        "[SUB][NN_LR_PC]less",
        "[NN_LU_PU]anything",
        "HIDL::IPreparedModel::execute::client",
        "HIDL::IPreparedModel::execute::server",
        "HIDL::IPreparedModel::executeSynchronously::server",
        "HIDL::IExecutionCallback::notify::client",
        "HIDL::IExecutionCallback::notify::server",
        "HIDL::IAllocator::allocate::client",
        "HIDL::IDevice::openOutputStream::server",
        "[NN_LD_PE]work",
        "doFrame",
    ];
    const LAYERS: [&str; 7] = ["LA", "LR", "LI", "LD", "LC", "LO", "LU"];
    const WHAT: [&str; 9] = ["PI", "PP", "PC", "PE", "PT", "PU", "PIO", "PCO", "PR"];
    let mut time = 0;
    let rows = (0..n).map(|_| {
        time += dice.roll(50) as i64;
        let (thread, process) = THREADS[dice.roll(THREADS.len())];
        let mark = match dice.roll(20) {
            0..9 => format!("E|{process}"),
            9 => "E".to_owned(),
            10..13 => format!("B|{process}|[NN_{}_{}]f", dice.of(&LAYERS), dice.of(&WHAT)),
            13 => dice.of(&["Boo", "Event", "B|", "E|x|y", "B|1|[NN_"]).to_owned(),
            _ => format!("B|{process}|{}", dice.of(&MARKS)),
        };
        (time, thread.to_owned(), mark)
    });
    rows.collect()
}

/// Deletes, doubles, swaps rows; sends some back in time.
fn damage(dice: &mut Dice, rows: &mut Vec<Row>) {
    for _ in 0..dice.roll(20) {
        let (a, b) = (dice.roll(rows.len()), dice.roll(rows.len()));
        match dice.roll(4) {
            0 => drop(rows.remove(a)),
            1 => rows.insert(a, rows[b].clone()),
            2 => rows.swap(a, b),
            _ => rows[a].0 = -rows[b].0,
        }
    }
}

fn corrected(rows: &[Row]) -> Corrected {
    Corrected::of(&trace_of(rows.iter().map(|(time, thread, mark)| (*time, thread.as_str(), mark.as_str()))))
}

/// Each call ends or does not.
fn check_functions(corrected: &Corrected, seed: u64) {
    let functions = corrected.runs.iter().flat_map(|run| &run.functions);
    let (n, n_unfinished) = functions.fold((0, 0), |sum, f| (sum.0 + f.n, sum.1 + f.n_unfinished));
    assert_eq!(n + n_unfinished, corrected.scopes.len() as u64, "seed {seed}");
    let unfinished = corrected.scopes.iter().filter(|scope| scope.is_unfinished).count();
    assert_eq!(n_unfinished, unfinished as u64, "seed {seed}");
}

/// Whether anything has no end.
fn is_cut(corrected: &Corrected) -> bool {
    corrected.executions.iter().any(|e| e.is_cut)
        || corrected.scopes.iter().any(|s| s.is_unfinished)
        || corrected.drivers.iter().any(|d| d.is_cut)
}

fn check(corrected: &Corrected, seed: u64) {
    for (row, execution) in corrected.executions.iter().enumerate() {
        let stretches = corrected.stretches(row);
        assert_eq!(
            stretches.iter().map(|s| s.dur()).sum::<i64>(),
            execution.time,
            "seed {seed}: {execution:?}"
        );
        assert!(
            stretches.iter().all(|s| execution.start <= s.start && s.end <= execution.end),
            "seed {seed}"
        );
        assert!(stretches.is_sorted_by(|a, b| a.end < b.start), "seed {seed}");
        let parts: i64 = Layer::REPORTED.iter().map(|layer| execution.of(*layer)).sum();
        assert_eq!(parts, execution.total(), "seed {seed}: {execution:?}");
        assert!(Layer::REPORTED.iter().all(|layer| 0 <= execution.of(*layer)), "seed {seed}");
        assert!(0 <= execution.compute(), "seed {seed}");
        let span = execution.end - execution.start;
        let is_whole = execution.kind != Kind::Application;
        assert!(
            if is_whole { execution.time == span } else { execution.time <= span },
            "seed {seed}: {execution:?}"
        );
    }
    check_functions(corrected, seed);
    for run in &corrected.runs {
        let n_cut = corrected.executions_of(run).iter().filter(|e| e.is_cut).count() as u64;
        assert_eq!(run.matrix.n_cut, n_cut, "seed {seed}");
        assert_eq!(run.matrix.n_executions(None) + n_cut, run.executions.len() as u64, "seed {seed}");
        let complete = run.matrix.complete();
        for (layer, phase) in Layer::REPORTED.into_iter().flat_map(|l| PHASES.map(|p| (l, p))) {
            let (all, ended) = (run.matrix.cell(None, layer, phase), complete.cell(None, layer, phase));
            assert!(ended.own <= all.own && ended.total <= all.total && ended.n <= all.n, "seed {seed}");
            // A thread may go on with what an execution of an earlier run called.
            assert!(all == ended || is_cut(corrected), "seed {seed}");
        }
        for app in [None, Some(App::Overall), Some(App::Warmup), Some(App::Benchmark)] {
            for (layer, phase) in Layer::REPORTED.into_iter().flat_map(|l| PHASES.map(|p| (l, p))) {
                let cell = run.matrix.cell(app, layer, phase);
                let parts = corrected.parts(run, app, layer, phase);
                assert_eq!(
                    parts.iter().map(|p| p.time).sum::<i64>(),
                    cell.total,
                    "seed {seed} {layer:?} {phase:?}"
                );
                assert_eq!(parts.len() as u64, cell.n, "seed {seed}");
                assert!(0 <= cell.own && 0 <= cell.total, "seed {seed} {layer:?} {phase:?}: {cell:?}");
            }
            // The whole row holds all phases, an execution its parts.
            let own = |phase| run.matrix.sum(app, phase);
            let single = [Phase::Initialization, Phase::Preparation, Phase::Compilation, Phase::Execution];
            let single: i64 = single.into_iter().map(own).sum::<i64>() + own(Phase::Termination);
            assert!(single <= own(Phase::Overall), "seed {seed}");
        }
    }
    for scope in &corrected.scopes {
        assert!(
            scope.start <= scope.end && 0 <= scope.own && scope.own <= scope.net,
            "seed {seed}: {scope:?}"
        );
        assert!(scope.home == NONE || scope.home <= scope.parent, "seed {seed}");
        let is = |scope: &Scope, role: &str| corrected.name(scope.name).ends_with(role);
        let around = |scope: &Scope| corrected.scopes.get(scope.parent as usize);
        let mut calls = successors(around(scope), |scope| around(scope));
        let call = calls.find(|scope| is(scope, "::client") || is(scope, "::server"));
        let is_in_call = is(scope, "::server") && call.is_some_and(|call| is(call, "::server"));
        assert!(!is_in_call, "seed {seed}: {scope:?} {call:?}");
    }
}

#[test]
fn any_rows_keep_the_sums() {
    for seed in 0..300 {
        let mut dice = Dice(seed);
        let n = 20 + dice.roll(300);
        let mut rows = many_threads(&mut dice, n);
        check(&corrected(&rows), seed);
        damage(&mut dice, &mut rows);
        check(&corrected(&rows), seed);
    }
}

/// One thread and a slow twin: time counts while any scope is open. Whatever is moved (`[SUB]`, initialization, other
/// phases), it counts once: in self times, and in the times of what stands at the root. A call that begins in another one
/// shows that the end of that is lost, before the time since the last row.
#[test]
fn self_times_of_a_thread_add_up_to_the_time_in_which_a_scope_is_open() {
    const LAYERS: [&str; 5] = ["LA", "LR", "LI", "LD", "LC"];
    const WHAT: [&str; 8] = ["PI", "PP", "PC", "PE", "PT", "PIO", "PCO", "PR"];
    for seed in 0..300 {
        let mut dice = Dice(seed);
        let (mut rows, mut open, mut time, mut busy) = (Vec::new(), vec![], 0_i64, 0_i64);
        // Of each open place whether a call is served there, or made.
        let (mut calls, mut n_lost) = (Vec::<Option<bool>>::new(), 0);
        let n = 10 + dice.roll(200);
        for _ in 0..n {
            let step = dice.roll(30) as i64;
            time += step;
            let is_begin = dice.roll(2) == 0;
            let serves = [Some(true), Some(false)].get(dice.roll(12)).copied().flatten().filter(|_| is_begin);
            let around = calls.iter().rposition(Option::is_some).filter(|&at| calls[at] == Some(true));
            if let Some(at) = around.filter(|_| serves == Some(true)) {
                n_lost += open[at..].iter().filter(|is_open| **is_open).count() as u64;
                open[at..].fill(false);
                calls[at..].fill(None);
            }
            busy += if open.contains(&true) { step } else { 0 };
            if let Some(serves) = serves {
                open.push(true);
                calls.push(Some(serves));
                let call = if serves { "getStatus::server" } else { "prepareModel::client" };
                rows.push((time, "app".to_owned(), format!("B|1|HIDL::IDevice::{call}")));
            } else if is_begin {
                let flag = dice.of(&["", "", "", "[SUB]", "[SW]"]);
                if let Some(top) = open.last_mut().filter(|_| flag == "[SW]") {
                    *top = false;
                    *calls.last_mut().unwrap() = None;
                }
                open.push(true);
                calls.push(None);
                let mark = format!("B|1|{flag}[NN_{}_{}]f{}", dice.of(&LAYERS), dice.of(&WHAT), dice.roll(4));
                rows.push((time, "app".to_owned(), mark));
            } else if open.pop().is_some() {
                calls.pop();
                rows.push((time, "app".to_owned(), "E|1".to_owned()));
            }
        }
        while open.pop().is_some() {
            rows.push((time, "app".to_owned(), "E|1".to_owned()));
        }
        if !rows.iter().any(|r| r.2.contains("[NN_LR") || r.2.contains("[NN_LA")) {
            continue; // a driver's process: calls between processes at its root are nobody's
        }
        let corrected = corrected(&rows);
        check(&corrected, seed);
        let own: i64 = corrected.runs.iter().map(|run| run.matrix.sum(None, Phase::Overall)).sum();
        assert_eq!(own, busy, "seed {seed}: {rows:#?}");
        let roots = corrected.scopes.iter().filter(|s| s.home == NONE && s.count != Count::Excluded);
        assert_eq!(roots.map(|s| s.net).sum::<i64>(), busy, "seed {seed}");
        let lost = corrected.runs.iter().flat_map(|run| &run.warnings);
        let lost = lost.filter(|warning| warning.trouble == Issue::NeverEnded);
        assert_eq!(lost.map(|warning| warning.n).sum::<u64>(), n_lost, "seed {seed}");
    }
}

/// Depth and length cost no more than rows.
#[test]
fn deep_and_long_traces_are_read_in_time() {
    let n = 100_000;
    let marks = [
        "B|1|[NN_LR_PC]deep",
        "B|1|[SUB][NN_LI_PC]deep",
        "B|1|[NN_LA_PO]deep",
        "B|1|[NN_LA_PWU]deep",
        "B|1|[SW][NN_LR_PIO]deep",
        "B|1|[NN_LR_PE]ANeuralNetworksExecution_startCompute",
        "B|1|HIDL::IPreparedModel::execute::client",
        "B|7|HIDL::IPreparedModel::execute::server",
        "B|7|HIDL::IExecutionCallback::notify::client",
    ];
    for mark in marks {
        let rows = (0..n).map(|at| (at, "app", mark)).chain((n..2 * n).map(|at| (at, "app", "E|1")));
        check_deep(&Corrected::of(&trace_of(rows)));
        let flat = (0..n / 5).flat_map(|at| [(2 * at, "app", mark), (2 * at + 1, "app", "E|1")]);
        check_deep(&Corrected::of(&trace_of(flat)));
    }
}

fn check_deep(corrected: &Corrected) {
    assert!(corrected.scopes.len() <= 100_000 && !corrected.runs.is_empty());
}
