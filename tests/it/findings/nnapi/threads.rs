//! Executions on several threads: what one of them waits another may execute.

use super::super::{assert_tells, found, outcome, overview};
use super::{APP, OTHER, Overview, Rows, USUAL};
use lanescope::analysis::finding::{Outcome, SavingKind};

/// Another driver, in a process of its own.
const SECOND: u32 = 8;

/// Who executes in turn.
#[derive(Clone, Copy)]
enum Turns {
    /// Two threads of one application.
    Threads,
    /// Two applications.
    Applications,
    /// Two applications, each on its own driver.
    Drivers,
}

/// Twelve executions of a millisecond by two in turn, so many microseconds after each other.
fn turns(of: Turns, idle: u32) -> Overview {
    let mut rows = Rows::default();
    rows.mark(0, APP, "[NN_LA_PO]mobilenet");
    if !matches!(of, Turns::Threads) {
        rows.mark(50, OTHER, "[NN_LA_PO]speech");
    }
    for at in 0..12 {
        let start = 1_000 + at * (1_000 + idle);
        match of {
            _ if at % 2 == 0 => _ = rows.execute(start, APP, USUAL),
            Turns::Drivers => {
                rows.mark(start, OTHER, "[NN_LR_PE]ANeuralNetworksExecution_compute");
                rows.mark(start + 40, OTHER, "HIDL::IPreparedModel::executeSynchronously::client");
                let server = "HIDL::IPreparedModel::executeSynchronously::server";
                rows.scope(start + 60, start + 980, SECOND, server);
                rows.end(start + 1_000, OTHER);
                rows.end(start + 1_000, OTHER);
            }
            _ => _ = rows.execute(start, OTHER, USUAL),
        }
    }
    rows.end(40_000, APP);
    let text = if matches!(of, Turns::Threads) {
        let text = rows.text().replace("voice-6     (    6)", "camera-6     (    5)");
        text.replace("B|6|", "B|5|").replace("E|6", "E|5")
    } else {
        rows.end(40_050, OTHER);
        rows.text()
    };
    overview("trace.txt", text)
}

/// On each thread five gaps of a millisecond, all of which the other one executes.
#[test]
fn what_another_thread_executes_is_no_gap() {
    for of in [Turns::Threads, Turns::Applications] {
        let overview = turns(of, 0);
        let Some(Outcome::Nothing(said)) = outcome(&overview, "nnapi-gaps") else { panic!() };
        assert_eq!(
            said.to_string(),
            "gaps take at most 0.0 % of the time between a thread's first and last execution; in 10.000 ms more other \
             threads execute"
        );
    }
}

/// On each thread five gaps: of a millisecond of the other thread, and twice so much in which nothing executes. From the first
/// to the last execution it is eleven milliseconds and ten times that.
#[test]
fn what_is_left_of_gaps_is_told() {
    let said = |part: &str, time: &str| {
        format!(
            "Nothing executes between executions of mobilenet for {part} % of the time: {time} ms in 10 gaps."
        )
    };
    let long = turns(Turns::Threads, 1_000);
    assert_tells(&[(&long, "nnapi-gaps", &[&said("47.6", "20.000")])]);
    let gaps = found(&long, "nnapi-gaps")[0];
    assert_eq!((gaps.saving.kind, gaps.saving.value), (SavingKind::Bound, 20e6));
    let line = gaps.line.to_string();
    assert!(line.ends_with(" In 10.000 ms more between them other threads execute."), "{line}");
    // Where others execute for most of it, starting sooner saves nothing that is known.
    let short = turns(Turns::Threads, 250);
    assert_tells(&[(&short, "nnapi-gaps", &[&said("18.5", "5.000")])]);
    let gaps = found(&short, "nnapi-gaps")[0];
    assert_eq!(gaps.saving.kind, SavingKind::None);
    let line = gaps.line.to_string();
    assert!(line.ends_with("other threads execute: what starts sooner may only wait for these."), "{line}");
}

/// What another driver executes meanwhile leaves the own one idle.
#[test]
fn gaps_of_a_driver_are_gaps_while_another_executes() {
    let overview = turns(Turns::Drivers, 0);
    let gaps = found(&overview, "nnapi-gaps");
    assert_eq!(gaps.len(), 1, "{:?}", outcome(&overview, "nnapi-gaps"));
    let sentence = gaps[0].sentence.to_string();
    assert!(sentence.starts_with("The driver executes nothing between executions of "), "{sentence}");
    assert!(sentence.contains("⟦45.5 % of the time⟧: 5.000 ms in 5 gaps."), "{sentence}");
    assert_eq!(gaps[0].saving.value, 10e6);
}
