//! A slow, plain second way to what AOSP's parser prints: text lines, lists, recursion, sums under names.

mod print;
mod rows;
mod times;
mod tree;

use rows::{Collected, collect};
use std::collections::BTreeMap;
use tree::Thread;

/// How it is asked.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mode {
    pub(super) is_json: bool,
    pub(super) has_totals: bool,
    pub(super) is_per_execution: bool,
    pub(super) has_detail: bool,
}

/// What it printed and how it ended.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Printed {
    pub(super) out: String,
    pub(super) err: String,
    pub(super) exception: Option<String>,
}

/// An exception: class and text.
type Raise<T> = Result<T, String>;

/// All that a run needs.
struct State {
    /// Numbers of threads in their order.
    order: Vec<String>,
    threads: BTreeMap<String, Thread>,
    /// The loops that began in this run.
    loops: Vec<String>,
}

/// Runs the parser over a file.
pub(super) fn aosp(bytes: &[u8], mode: Mode) -> Printed {
    let mut printed = Printed::default();
    if let Err(exception) = attempt(bytes, mode, &mut printed) {
        printed.exception = Some(exception.trim_end_matches('\n').to_owned());
    }
    printed
}

fn attempt(bytes: &[u8], mode: Mode, printed: &mut Printed) -> Raise<()> {
    let text = std::str::from_utf8(bytes).map_err(|_| "UnicodeDecodeError".to_owned())?;
    let Collected { rows, tracked, drivers, has_runtime } = collect(text)?;
    if !has_runtime {
        printed.err += "\n*** No NNAPI Runtime trace present - check your systrace setup ***\n\n";
    }
    let new = |(pid, tgid): &(String, String)| (pid.clone(), Thread::new(drivers.contains(tgid)));
    let mut state = State {
        order: tracked.iter().map(|(pid, _)| pid.clone()).collect(),
        threads: tracked.iter().map(new).collect(),
        loops: Vec::new(),
    };
    let (mut mark_of_run, mut is_first, mut n_runs) = (String::new(), true, 0);
    for row in &rows {
        let is_tracked = state.threads.contains_key(&row.pid);
        if !is_tracked {
            if row.mark.contains("HIDL::IDevice") || row.mark.contains("[NN_") {
                return Err(format!("AssertionError: Cannot find PID {} in tracker_map", row.pid));
            }
            continue;
        }
        if row.mark.contains("[NN_LA_PO]") {
            if !is_first {
                print_run(&mut state, mode, &mark_of_run, n_runs, printed)?;
                n_runs += 1;
                state.threads = tracked.iter().map(new).collect();
                state.loops.clear();
            }
            mark_of_run = row.mark.clone();
            is_first = false;
        }
        let thread = state.threads.get_mut(&row.pid).unwrap();
        if let Err(exception) = thread.handle(&row.time, &row.mark, &mut state.loops) {
            printed.out += &format!("failed on line {} {}\n", row.number, row.line);
            return Err(exception);
        }
    }
    print_run(&mut state, mode, &mark_of_run, n_runs, printed)?;
    if mode.is_json {
        printed.out += "]\n";
    }
    Ok(())
}

fn print_run(state: &mut State, mode: Mode, mark: &str, number: usize, printed: &mut Printed) -> Raise<()> {
    if state.threads.values().any(|t| !t.is_complete()) {
        printed.err += "Incomplete trace, not able to print all statistics\n";
        return Ok(());
    }
    if mode.is_json {
        printed.out += if number == 0 { "[\n" } else { ",\n" };
    }
    for pid in &state.order {
        state.threads.get_mut(pid).unwrap().count()?;
    }
    let threads: Vec<&Thread> = state.order.iter().map(|pid| &state.threads[pid]).collect();
    let numbers = times::numbers(&threads)?;
    if mode.is_json {
        printed.out += &print::json(&numbers, mode, mark).replace("NaN", "null");
        return Ok(());
    }
    printed.out += &format!("{mark}\n{}", print::table(&numbers, mode));
    if mode.has_detail {
        for pid in &state.order {
            printed.out += &state.threads[pid].sums(pid);
        }
        for pid in &state.order {
            printed.out += &(state.threads[pid].drawn() + "\n");
        }
    }
    Ok(())
}
