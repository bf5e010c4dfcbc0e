//! Whose the time of a gap is, and of what times are told: of a step, of all steps, of what lies outside of them.

use super::device::{Made, assert_near, made, outcome, said, steps};
use lanescope::analysis::finding::{Outcome, SavingKind};
use lanescope::base::words::Language;

/// Two steps of 50 ms: in each a kernel ends at 21 ms, a call that waits for it returns at 32, and what comes next is
/// launched after the step, behind the last one 1 ms before its end.
fn returns_late(thread: u32) -> Made {
    let two = (0..2).fold(made(), |made, n| {
        let at = n * 50_000;
        made.step(n, (at, 50_000)).launched(7, "k", (at + 1_000, 20_000), (at + 100, 5)).event(
            (1, thread),
            ("cuda_runtime", "cudaStreamSynchronize"),
            (at + 2_000, 30_000),
            "",
        )
    });
    two.launched(7, "late", (110_000, 30_000), (99_000, 5))
}

#[test]
fn the_part_of_a_gap_that_the_launching_thread_waits_through_is_synchronization() {
    let overview = returns_late(1).overview();
    let of = |rule: &str| overview.findings.iter().find(|finding| finding.rule == rule).unwrap();
    let sync = of("device-idle-for-synchronization");
    assert_near(sync.value, 11e6);
    assert_near(sync.saving.share, 0.22);
    assert!(said(sync).contains("11.000 ms per step"), "{}", said(sync));
    // 32 to 50, 50 to 50.105 and 82 to 99.005 ms.
    let late = of("device-launched-late");
    assert_near(late.value, (18e6 + 0.105e6 + 17.005e6) / 2.0);
    // The parts of the breakdown add up to the step.
    let part =
        overview.parts.iter().find(|part| part.title.to_string().as_str() == "Breakdown of a step").unwrap();
    let sum: f64 = part.rows.iter().map(|row| row.share).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{sum}: {:?}", part.rows);
    // What another thread waits for keeps nobody from launching.
    let other = returns_late(2);
    other.nothing("device-idle-for-synchronization");
    assert_near(other.found("device-launched-late").value, (29e6 + 0.105e6 + 28.005e6) / 2.0);
}

#[test]
fn launches_that_come_late_after_waiting_say_so() {
    // Each kernel of 1 ms is waited for and launched 0.9 ms after that.
    let made = (0..40).fold(made(), |made, n| {
        let at = n * 2_000;
        let made = made.launched(7, "k", (at + 200, 1_000), (at + 100, 10));
        made.operator("aten::item", (at + 240, 980))
            .operator("aten::_local_scalar_dense", (at + 245, 970))
            .call("cudaStreamSynchronize", (at + 250, 960))
    });
    let found = made.found("device-launched-late");
    assert_near(found.value, 39.0 * 900e3);
    let line = found.line.text(Language::En).into_owned();
    let expected = "39 of 39 gaps begin while the host waits for the device, mostly in cudaStreamSynchronize in aten::item: ";
    assert!(line.starts_with(expected), "{line}");
    // 10 µs of each gap lie in the call.
    let overview = made.overview();
    let part =
        overview.parts.iter().find(|part| part.title.to_string().as_str() == "Where the time goes").unwrap();
    let row = part
        .rows
        .iter()
        .find(|row| row.name.to_string().as_str() == "Idle during host synchronization")
        .unwrap();
    assert_eq!(row.cells[0], "390.000 µs");
}

#[test]
fn the_call_with_most_of_the_counted_time_is_named() {
    // A call waits until 50 µs after each kernel, then another one, in an operator, keeps the thread for 700 µs; the first
    // lasts long, but while the device works or what comes next is launched.
    let made = (0..20).fold(made(), |made, n| {
        let at = n * 2_000;
        made.operator("aten::item", (at + 100, 800))
            .call("cudaStreamSynchronize", (at + 150, 700))
            .launched(7, "k", (at + 1_000, 900), (at + 950, 5))
            .call("cudaDeviceSynchronize", (at + 960, 990))
    });
    let found = made.found("device-idle-for-synchronization");
    assert_near(found.value, 19.0 * 750e3);
    let text = said(&found);
    assert!(text.ends_with("mostly in cudaStreamSynchronize in aten::item."), "{text}");
    let own: Vec<(String, f64)> =
        found.evidence.numbers.iter().map(|number| (number.name.to_string(), number.value)).collect();
    let idle: Vec<&(String, f64)> = own.iter().filter(|own| own.0.starts_with("Idle during ")).collect();
    let [(name, value)] = &idle[..] else { panic!("{own:?}") };
    assert_eq!(name, "Idle during cudaStreamSynchronize in aten::item");
    assert_near(*value, 19.0 * 700e3);
    assert!(*value <= found.value, "{own:?}");
    assert!(found.line.to_string().starts_with("19 calls of cudaStreamSynchronize"), "{}", found.line);
    // Of several calls none of which has half of it the share is said.
    let three = (0..20).fold(Made::default(), |made, n| {
        let at = n * 2_000;
        ["cudaStreamSynchronize", "cudaEventSynchronize", "cudaDeviceSynchronize"]
            .iter()
            .zip(1_u32..)
            .fold(made, |made, (name, place)| made.call(name, (at + place * 200, 150 + place)))
            .launched(7, "k", (at + 1_000, 900), (at + 950, 5))
    });
    let text = said(&three.found("device-idle-for-synchronization"));
    assert!(text.contains("33.6 % of it in cudaDeviceSynchronize"), "{text}");
}

#[test]
fn a_step_that_differs_says_why_the_device_is_idle() {
    let of = |before: &dyn Fn(Made, u32) -> Made| {
        let steps = (0..6).fold((made(), 0), |(made, at), n| {
            let more = if n == 3 { 10_000 } else { 0 };
            let made = if more == 0 { made } else { before(made, at) };
            let begin = at + more;
            let made =
                made.step(n, (at, 10_000 + more)).launched(7, "k", (begin + 1_000, 8_000), (begin + 900, 50));
            (made, at + 10_000 + more)
        });
        said(&steps.0.found("device-steps-differ"))
    };
    let cause = |text: &str| text.split(" of it ").last().unwrap_or_default().to_owned();
    let call = |name: &'static str| move |made: Made, at: u32| made.call(name, (at + 10, 9_900));
    assert_eq!(cause(&of(&call("cudaStreamSynchronize"))), "during host synchronization.");
    assert_eq!(cause(&of(&call("cudaMalloc"))), "during memory calls.");
    let loads = |made: Made, at: u32| made.operator("enumerate(DataLoader)#_Iter.__next__", (at + 10, 9_900));
    assert_eq!(cause(&of(&loads)), "during data loading.");
    assert_eq!(cause(&of(&|made, _| made)), "before a late launch.");
    // Half of it each: no cause has most.
    let both = |made: Made, at: u32| {
        made.call("cudaMalloc", (at + 10, 3_300)).call("cudaStreamSynchronize", (at + 3_400, 3_300))
    };
    assert_eq!(cause(&of(&both)), "idle time.");
}

#[test]
fn memory_calls_own_the_time_in_which_nothing_is_launched() {
    // Gaps of 5 ms that cudaMalloc and cudaFree fill until the next launch.
    let made = (0..4).fold(made(), |made, n| {
        let at = n * 100_000;
        made.step(n, (at, 100_000))
            .launched(7, "a", (at, 55_000), (at, 5))
            .call("cudaMalloc", (at + 55_000, 4_000))
            .call("cudaFree", (at + 59_000, 1_000))
            .launched(7, "b", (at + 60_020, 39_980), (at + 60_000, 10))
    });
    let found = made.found("device-memory-calls");
    assert_near(found.saving.value, 5e6);
    assert_near(found.saving.share, 0.05);
    made.nothing("device-launched-late");
    made.nothing("device-idle-for-synchronization");
    let overview = made.overview();
    let part =
        overview.parts.iter().find(|part| part.title.to_string().as_str() == "Breakdown of a step").unwrap();
    let cell = |name: &str| {
        let row = part.rows.iter().find(|row| row.name.to_string().as_str() == name);
        row.map(|row| row.cells[0].clone())
    };
    assert_eq!(cell("Idle during memory calls").as_deref(), Some("5.000 ms"));
    assert_eq!(cell("Launched late").as_deref(), Some("10.000 µs"));
}

#[test]
fn what_lies_outside_of_steps_is_told() {
    let overview = returns_late(1).overview();
    let step_time = &overview.tiles[0];
    assert_eq!(
        step_time.comparison.text(Language::En),
        "median of 2, 50.00 ms to 50.00 ms; 30.00 ms busy outside steps"
    );
    let part = overview.parts.iter().find(|part| part.title.to_string().as_str() == "Steps").unwrap();
    let last = part.rows.last().unwrap();
    assert_eq!((last.name.to_string().as_str(), last.cells[0].as_str()), ("Busy outside steps", "30.000 ms"));
    // Without anything outside nothing is said.
    let overview = steps(|made, _| made).overview();
    assert_eq!(overview.tiles[0].comparison.text(Language::En), "median of 2, 10.00 ms to 10.00 ms");
}

#[test]
fn times_of_uneven_steps_are_those_of_all() {
    // Nine steps of 10 ms with a kernel of 9, and one of 910 ms with one of 91.
    let mut made = made();
    let mut at = 0;
    for n in 0..10 {
        let (wall, dur) = if n < 9 { (10_000, 9_000) } else { (910_000, 91_000) };
        made = made.step(n, (at, wall)).launched(7, "k", (at + 200, dur), (at + 110, 5));
        at += wall;
    }
    let overview = made.overview();
    let tile = |label: &str| {
        let found = overview.tiles.iter().find(|tile| tile.label.to_string().as_str() == label).unwrap();
        (found.value.to_string(), found.comparison.to_string())
    };
    assert_eq!(tile("Step time").0, "10.00 ms");
    let idle = ("82.8 %".to_owned(), "828.0 ms of 1.000 s in 10 steps, most in ProfilerStep#9".to_owned());
    assert_eq!(tile("Device idle"), idle);
    // The last gap of 818.8 ms is nearly all that nothing explains.
    let found = made.found("device-idle-unexplained");
    assert_near(found.value, 819.65e6);
    assert!(said(&found).contains("in 10 steps, most of it in ProfilerStep#9"), "{}", said(&found));
    assert!(
        found.saving.text(Language::En).ends_with("% of all steps"),
        "{}",
        found.saving.text(Language::En)
    );
    // The longest step is shown, though it is the tenth.
    let part = overview.parts.iter().find(|part| part.title.to_string().as_str() == "Steps").unwrap();
    let names: Vec<String> = part.rows.iter().map(|row| row.name.to_string()).collect();
    assert_eq!(names.len(), 7);
    assert_eq!(names[6], "ProfilerStep#9");
    assert_eq!(part.more, 3);
}

#[test]
fn a_threshold_holds_for_what_it_is_said_of() {
    // Three kinds of copies take 0.8 % each: none is told, and none is called more than its limit.
    let made = (0..3).fold(made().kernel(7, "a", (0, 9_000)), |made, n| {
        made.copy(7, &format!("Memcpy kind {n}"), (9_000 + n * 80, 80))
    });
    let made = made.kernel(7, "b", (9_240, 760));
    match outcome(&made.overview(), "device-copies-not-hidden") {
        Some(Outcome::Nothing(said)) => {
            let expected =
                "copies of one name with nothing else running take at most 0.8 % of a device's time";
            assert_eq!(said.to_string(), expected);
        }
        other => panic!("{other:?}"),
    }
    // Those of pageable memory are told by their own rule, which is said here.
    let made = made_pageable();
    match outcome(&made.overview(), "device-copies-not-hidden") {
        Some(Outcome::Nothing(said)) => {
            let said = said.to_string();
            assert!(said.contains("at most 0.0 %") && said.contains("pageable"), "{said}");
        }
        other => panic!("{other:?}"),
    }
}

fn made_pageable() -> Made {
    made().kernel(7, "a", (0, 4_000)).copy(7, "Memcpy HtoD (Pageable -> Device)", (4_000, 2_000)).kernel(
        7,
        "b",
        (6_000, 4_000),
    )
}

/// Six steps of 10 ms that launch a kernel of 8 ms each; this one takes 8 ms longer.
fn one_longer(which: u32, kernels: impl Fn(Made, u32) -> Made) -> Made {
    let all = (0..6).fold((made(), 0), |(made, at), n| {
        let wall = if n == which { 18_000 } else { 10_000 };
        (kernels(made.step(n, (at, wall)), at), at + wall)
    });
    all.0
}

#[test]
fn work_that_was_launched_before_a_step_is_no_time_to_save_in_it() {
    let rule = "device-steps-differ";
    let own = |made: Made, at: u32| made.launched(7, "k", (at + 1_000, 8_000), (at + 100, 5));
    let tells = |made: &Made, n: u32| {
        let found = made.found(rule);
        let expected = format!(
            "ProfilerStep#{n} takes 8.000 ms longer than the median step, 100.0 % of it computation, 100.0 % of it launched before the step."
        );
        assert_eq!(said(&found), expected);
        assert_eq!(found.saving.kind, SavingKind::None);
        let line = found.line.text(Language::En).into_owned();
        assert!(line.ends_with("is no time to save."), "{line}");
        let numbers = &found.evidence.numbers;
        let own = numbers.iter().find(|number| number.name == "Longer by work launched before it").unwrap();
        assert_near(own.value, 8e6);
    };
    // What step 2 launches runs in step 3, before what that launches.
    let left = one_longer(3, |made, at| match at {
        20_000 => made.launched(7, "k", (30_000, 8_000), (20_100, 5)),
        30_000 => made.launched(7, "k", (39_000, 8_000), (30_100, 5)),
        _ => own(made, at),
    });
    tells(&left, 3);
    // The same before the recording: no launch is known of what runs first.
    let before = one_longer(0, |made, at| match at {
        0 => made.kernel(7, "k", (0, 8_000)).launched(7, "k", (9_000, 8_000), (100, 5)),
        _ => own(made, at),
    });
    tells(&before, 0);
    // Twice as much that it launched itself can be saved.
    let more = one_longer(3, |made, at| match at {
        30_000 => own(made, at).launched(7, "k", (39_000, 8_000), (30_200, 5)),
        _ => own(made, at),
    });
    let found = more.found(rule);
    assert!(said(&found).ends_with(" 100.0 % of it computation."), "{}", said(&found));
    assert_near(found.saving.value, 8e6);
}

#[test]
fn what_lies_behind_the_last_recorded_work_is_no_time_to_save() {
    let of = one_longer(5, |made, at| made.launched(7, "k", (at + 1_000, 8_000), (at + 900, 5)));
    let found = of.found("device-steps-differ");
    let expected = "ProfilerStep#5 takes 8.000 ms longer than the median step, 100.0 % of it idle time, 100.0 % of it behind the last recorded work.";
    assert_eq!(said(&found), expected);
    assert_eq!(found.saving.kind, SavingKind::None);
}

/// Of two such steps each says so.
#[test]
fn each_step_says_what_of_it_is_no_time_to_save() {
    let walls = [10_000, 10_000, 18_000, 10_000, 18_000, 10_000];
    let (made, _) = walls.iter().zip(0..).fold((made(), 0), |(made, at), (wall, n)| {
        let kernel = |made: Made, start: u32, call: u32| made.launched(7, "k", (start, 8_000), (call, 5));
        let made = made.step(n, (at, *wall));
        let made = match n {
            1 | 3 => kernel(made, at + 10_000, at + 100),
            2 | 4 => kernel(made, at + 9_000, at + 100),
            _ => kernel(made, at + 1_000, at + 100),
        };
        (made, at + wall)
    });
    let overview = made.overview();
    let lines = overview.findings.iter().filter(|finding| finding.rule == "device-steps-differ");
    let lines: Vec<String> = lines.map(|finding| finding.line.text(Language::En).into_owned()).collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines.iter().all(|line| line.ends_with("is no time to save.")), "{lines:?}");
}
