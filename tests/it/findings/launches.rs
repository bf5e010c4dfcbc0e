//! Rules about launches: what one call launches, and what waits for it.

use super::device::{Made, assert_near, made, outcome, said};
use lanescope::analysis::finding::Outcome;
use lanescope::base::words::Language;

#[test]
fn a_call_that_launches_several_kernels_is_one_launch() {
    // Four graphs of a hundred kernels: a call takes 1 ms, a kernel of it 10 µs.
    let rule = "device-short-kernels";
    let of = |dur: u32| {
        (0..4).fold(made(), |made, n| made.graph((100, n * 4_000 + 1_000, dur), (n * 4_000, 1_000)))
    };
    of(15).nothing(rule);
    let found = of(5).found(rule);
    assert_near(found.value, 400.0);
    let line = found.line.text(Language::En).into_owned();
    assert!(line.starts_with("They take 2.000 ms, launching them 4.000 ms."), "{line}");
    assert!(!line.contains("graph"), "{line}");
    let number = |name: &str| {
        let numbers = found.evidence.numbers.iter();
        numbers.filter(|number| number.name == name).map(|number| number.value).collect::<Vec<_>>()
    };
    assert_eq!((number("Launch calls"), number("Kernels with a launch call")), (vec![4.0], vec![400.0]));
    assert_eq!(number("Median launch call"), [1e6]);
    // The median is that of calls: one graph of many kernels beside single launches does not make these short.
    let single = (0..10).fold(made(), |made, n| made.launched(7, "k", (1_000 + n * 100, 50), (n * 10, 5)));
    single.graph((400, 10_000, 15), (5_000, 2_000)).nothing(rule);
    // What waits for late launches is told to fuse, not to capture a graph.
    let line = of(5).found("device-launched-late").line.text(Language::En).into_owned();
    assert!(line.ends_with("one call launches several. Fuse small kernels."), "{line}");
}

#[test]
fn waiting_for_launches_and_its_longest_gap_are_one_thing() {
    // Gaps of 100 µs, all of it in the call that launches what comes next.
    let of =
        (0..20).fold(made(), |made, n| made.launched(7, "k", (1_000 + n * 200, 100), (900 + n * 200, 100)));
    let found = of.found("device-launched-late");
    assert_near(found.value, 19.0 * 100e3);
    let number = |name: &str| found.evidence.numbers.iter().find(|number| number.name == name).unwrap().value;
    assert_eq!((number("Gaps with a late launch"), number("Longest gap")), (19.0, 100e3));
}

/// Of each call three arrows begin, each at a moment of its own.
#[test]
fn arrows_of_one_call_are_one_launch() {
    let flow = |phase: &str, id: u32, at: u32, (pid, tid): (u32, u32)| {
        format!(
            r#"{{"ph":"{phase}","id":{id},"pid":{pid},"tid":{tid},"ts":{at},"cat":"ac2g","name":"ac2g","bp":"e"}}"#
        )
    };
    let of = (0..4).fold(made(), |made, n| {
        let made = made.call("cudaLaunchKernel", (n * 100, 30));
        (0..3).fold(made, |made, k| {
            let (launched, begun) = (n * 100 + 5 + k * 7, n * 100 + 40 + k * 10);
            made.kernel(7, "k", (begun, 5)).raw(flow("s", n * 3 + k, launched, (1, 1))).raw(flow(
                "f",
                n * 3 + k,
                begun,
                (0, 7),
            ))
        })
    });
    let found = of.found("device-short-kernels");
    let number = |name: &str| found.evidence.numbers.iter().find(|number| number.name == name).unwrap().value;
    assert_eq!((number("Launch calls"), number("Kernels with a launch call")), (4.0, 12.0));
    assert_eq!((number("Median launch call"), number("Their calls")), (30e3, 120e3));
}

/// Of ten kernels that are launched alone three are shorter than the call; of ten that one graph launches none is
/// shorter than its part, 2 µs.
#[test]
fn few_short_kernels_are_told_as_a_share() {
    let rule = "device-short-kernels";
    let (alone, call): ([u32; 10], u32) = ([8, 8, 8, 30, 30, 30, 30, 30, 30, 30], 20);
    let of = (0..10)
        .zip(alone)
        .fold(made(), |made, (n, dur)| made.launched(7, "k", (n * 100 + 50, dur), (n * 100, call)));
    let tells = |made: &Made| match outcome(&made.overview(), rule) {
        Some(Outcome::Nothing(said)) => said.to_string(),
        other => panic!("{other:?}"),
    };
    let n_short = alone.iter().filter(|dur| **dur < call).count();
    let expected = |n_kernels: usize| {
        let share = n_short as f64 / n_kernels as f64 * 100.0;
        format!(
            "{share:.1} % of the kernels are shorter than the median launch call of {call}.000 µs, or than their part of it where a call launches several"
        )
    };
    assert_eq!(tells(&of), expected(alone.len()));
    assert_eq!(tells(&of.graph((10, 2_000, 5), (1_500, 100))), expected(alone.len() + 10));
}

/// Of so many kernels, all shorter than their launch, it is said only from ten on.
#[test]
fn few_kernels_are_no_cause_to_launch_fewer() {
    for n in 1..=10 {
        let of = (0..n).fold(made(), |made, n| made.launched(7, "k", (n * 100 + 50, 8), (n * 100, 20)));
        match outcome(&of.overview(), "device-short-kernels") {
            Some(Outcome::Found(1)) => assert_eq!(n, 10),
            Some(Outcome::Nothing(said)) => {
                assert!(n < 10 && said == format!("too few kernels with a launch call: {n}"), "{said}");
            }
            other => panic!("{n}: {other:?}"),
        }
    }
}

/// The first call of a program loads its kernel for so long; the others take 5 µs.
#[test]
fn time_in_one_long_launch_call_is_no_late_launch() {
    let (rule, late) = ("device-idle-inside-launch-calls", "device-launched-late");
    let made = |long: u32, n_gaps: u32| {
        (0..20).fold(made(), |made, n| {
            let call = if (10..10 + n_gaps).contains(&n) { long } else { 5 };
            let at = 1_000 + n * 10_000;
            // The device ends 100 µs before each call begins, and works from its end on.
            made.launched(7, "k", (at + call, 9_900 - call), (at, call))
        })
    };
    let row = |made: &Made, name: &str| {
        let overview = made.overview();
        let part = overview.parts.iter().find(|part| part.title == "Where the time goes").unwrap();
        part.rows.iter().find(|row| row.name == name).map(|row| row.cells[0].clone())
    };
    // 19 gaps of 105 µs, three of them with a call of 3 ms in place of 5 µs.
    let of = made(3_000, 3);
    assert_near(of.found(rule).value, 3.0 * 3e6);
    assert_eq!(row(&of, "Inside the launch call").as_deref(), Some("9.000 ms"));
    let expected = 19.0 * 100.0 + 16.0 * 5.0;
    assert_eq!(row(&of, "Launched late"), Some(format!("{:.3} ms", expected / 1e3)));
    let line = of.found(rule).line.text(Language::En).into_owned();
    let expected = "3 gaps, the longest 3.000 ms in cudaLaunchKernel; the median launch call takes 5.000 µs. The runtime";
    assert!(line.starts_with(expected), "{line}");
    of.nothing(late);
    // What is nearly as long as ten usual ones is launched late.
    let of = made(49, 3);
    of.nothing(rule);
    assert_eq!(row(&of, "Inside the launch call"), None);
    let expected = 19.0 * 100.0 + 16.0 * 5.0 + 3.0 * 49.0;
    assert_eq!(row(&of, "Launched late"), Some(format!("{:.3} ms", expected / 1e3)));
    // Launching short kernels takes what it usually does.
    let short = (0..10).fold(super::device::made(), |made, n| {
        made.launched(7, "k", (n * 1_000 + 900, 2), (n * 1_000, if n == 0 { 800 } else { 5 }))
    });
    let line = short.found("device-short-kernels").line.text(Language::En).into_owned();
    assert!(line.starts_with("They take 20.000 µs, launching them 50.000 µs."), "{line}");
}

/// Six steps of 100 ms, one 50 longer: a call of 40 ms lies before what it starts, of 1 ms, and 9 ms are launched late.
fn one_with_a_long_call((category, name): (&str, &str), call: &str) -> Made {
    let steps = (0..6).fold((made(), 0), |(made, at), n| {
        let more = if n == 3 { 50_000 } else { 0 };
        let number = r#""correlation":900"#;
        let made = match more {
            0 => made,
            _ => made.event((0, 7), (category, name), (at + 45_000, 1_000), number).event(
                (1, 1),
                ("cuda_runtime", call),
                (at + 5_000, 40_000),
                number,
            ),
        };
        let begin = at + more;
        let made =
            made.step(n, (at, 100_000 + more)).launched(7, "k", (begin + 1_000, 89_000), (begin + 900, 5));
        (made, at + 100_000 + more)
    });
    // The device works outside of the steps too.
    let (made, end) = steps;
    made.launched(7, "after", (end + 1_000, 20_000), (end + 900, 5))
}

#[test]
fn a_long_call_is_told_by_what_it_starts() {
    let rule = "device-idle-inside-launch-calls";
    let cases = [
        (
            ("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)"),
            "cudaMemcpyAsync",
            "copy",
            "Such a call stages pageable memory",
        ),
        (
            ("gpu_memset", "Memset (Device)"),
            "cudaMemsetAsync",
            "set memory",
            "The runtime prepares the device",
        ),
        (("kernel", "first"), "cudaLaunchKernel", "launch", "The runtime loads or compiles a kernel"),
    ];
    for (work, call, does, advice) in cases {
        let overview = one_with_a_long_call(work, call).overview();
        let of =
            |rule: &str| overview.findings.iter().filter(|finding| finding.rule == rule).collect::<Vec<_>>();
        let [found] = of(rule)[..] else { panic!("{call}: {:?}", outcome(&overview, rule)) };
        // 40 ms in six steps.
        assert_near(found.value, 40e6 / 6.0);
        let text = said(found);
        let begin = "The device is idle for 6.667 ms per step, most of it in ProfilerStep#3 inside ";
        assert!(text.starts_with(begin) && text.contains(does), "{text}");
        assert!(does == "launch" || !text.contains("inside launch calls"), "{text}");
        let title = match does {
            "launch" => "Idle inside launch calls",
            "copy" => "Idle inside copy calls",
            _ => "Idle inside memory-set calls",
        };
        assert_eq!(found.evidence.title.to_string(), title);
        let line = found.line.to_string();
        let expected = format!(
            "1 gap, the longest 40.000 ms in {call}; the median launch call takes 5.000 µs. {advice}"
        );
        assert!(line.starts_with(&expected), "{line}");
        // 49 of the 50 ms are idle, 40 of them in the call: a computation is no idle time.
        let [step] = of("device-steps-differ")[..] else { panic!("{call}") };
        let kind = match does {
            "launch" => "a long launch call",
            "copy" => "a long copy call",
            _ => "a long memory-set call",
        };
        let expected = format!(
            "50.000 ms longer than the median step, 98.0 % of it idle time, 80.0 % of it inside {kind}."
        );
        assert!(said(step).ends_with(&expected), "{}", said(step));
    }
}

/// Of 100 calls so many load a kernel for 50 ms: five are outliers, six are too many to be any.
#[test]
fn a_name_with_too_many_long_slices_is_said_to_be_left_out() {
    let of = |n_long: u32| {
        (0..100).fold(made(), |made, n| {
            let call = if n < n_long { 50_000 } else { 5 };
            let at = 1_000 + n * 100_000;
            made.launched(7, "k", (at + call, 40_000), (at, call))
        })
    };
    let rule = "trace-outliers";
    assert!(said(&of(5).found(rule)).starts_with("5 of 100 slices cudaLaunchKernel take"));
    match outcome(&of(6).overview(), rule) {
        Some(Outcome::Nothing(text)) => assert_eq!(
            text.to_string(),
            "the outliers of any single name cost at most 0.0 % of the time; not looked at: 6 of 100 slices cudaLaunchKernel take at least ten medians, more than one in twenty"
        ),
        other => panic!("{other:?}"),
    }
}

/// Two functions lie around three of six long calls each, 18 around a short one: the calls are named, which most of the time
/// is in, though none of them is half of a function.
#[test]
fn of_names_with_too_many_long_slices_the_innermost_is_said() {
    let calls = (0..100).fold(made(), |made, n| {
        let call = if n < 6 { 50_000 } else { 5 };
        let at = 1_000 + n * 100_000;
        made.launched(7, "k", (at + call, 40_000), (at, call))
    });
    let function = |made: Made, at: (u32, u32)| {
        made.event((1, 1), ("python_function", "module.py(1): _call_impl"), at, "")
    };
    let around = [(900, 250_500), (300_900, 250_500)].into_iter().fold(calls, function);
    let made = (6..24).map(|n| (900 + n * 100_000, 200)).fold(around, function);
    match outcome(&made.overview(), "trace-outliers") {
        Some(Outcome::Nothing(text)) => {
            let text = text.to_string();
            assert!(text.contains("; not looked at: 6 of 100 slices cudaLaunchKernel take"), "{text}");
        }
        other => panic!("{other:?}"),
    }
}
