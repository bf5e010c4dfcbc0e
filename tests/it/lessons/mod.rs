//! The examples of the NNAPI contract: their rows, their formulas, what is drawn of them, and their words.

use crate::support::front_door::open_one;
use crate::words::chinese;
use lanescope::base::words::{Language, tr};
use lanescope::navigation::matches;
use lanescope::systems::android::nnapi::lesson::{LESSONS, Lesson, Slot, THREADS, Time};
use lanescope::systems::android::nnapi::mark::{Layer, Part, Phase, label};
use lanescope::systems::android::nnapi::{ANALYSIS, Nnapi};
use lanescope::systems::guides::{Cell, GUIDES, Pattern, found_by, lessons, terms};
use lanescope::wire::Query;
use serde_json::Value;
use std::collections::BTreeSet;

fn lesson(id: &str) -> &'static Lesson {
    Lesson::of_id(id).unwrap_or_else(|| panic!("there is no lesson {id}"))
}

/// The rows of a lesson's file, without the head.
fn rows(lesson: &Lesson) -> Vec<String> {
    lesson.trace().lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

/// What a formula of events gives, in ms: `t1` is the time of the second event; plus, minus, parentheses.
fn evaluate(lesson: &Lesson, formula: &str) -> i64 {
    /// Reads terms up to the end or a closing parenthesis.
    fn terms(rest: &mut &str, time: &dyn Fn(usize) -> i64) -> i64 {
        let (mut sum, mut sign) = (0, 1);
        loop {
            *rest = rest.trim_start();
            let Some(letter) = rest.chars().next() else { return sum };
            *rest = &rest[letter.len_utf8()..];
            match letter {
                '+' => sign = 1,
                '−' => sign = -1,
                '(' => sum += sign * terms(rest, time),
                ')' => return sum,
                't' => {
                    let n = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                    sum += sign * time(rest[..n].parse().unwrap());
                    *rest = &rest[n..];
                }
                other => panic!("{other:?} in a formula"),
            }
        }
    }
    terms(&mut &*formula, &|n| i64::from(lesson.events[n].at))
}

#[test]
fn the_eleven_cases_of_the_contract_are_there() {
    let ids: Vec<&str> = LESSONS.iter().map(|lesson| lesson.id).collect();
    let wanted = [
        "baseline",
        "local-call",
        "switch",
        "subphases",
        "detail",
        "synchronous-ipc",
        "asynchronous-ipc",
        "subtraction",
        "initialization",
        "utility",
        "asynchronous-execution",
    ];
    assert_eq!(ids, wanted);
    assert!(Lesson::of_id("nothing").is_none());
    assert_eq!(lesson("switch").file_name(), "switch.ftrace.txt");
}

#[test]
fn a_file_is_an_ftrace_text() {
    let text = lesson("switch").trace();
    assert!(text.contains("\n#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n"), "{text}");
    let wanted = [
        "            demo-500   (  500) [000] ...1   100.000000: tracing_mark_write: B|500|[NN_LR_PP]finishModel",
        "            demo-500   (  500) [000] ...1   100.004000: tracing_mark_write: B|500|[SW][NN_LR_PC]finishModel",
        "            demo-500   (  500) [000] ...1   100.010000: tracing_mark_write: E|500",
        "            demo-500   (  500) [000] ...1   100.012000: tracing_mark_write: E|500",
    ];
    assert_eq!(rows(lesson("switch")), wanted);
}

#[test]
fn rows_follow_each_other_and_every_scope_ends() {
    for lesson in LESSONS {
        let mut open = [0_usize; THREADS.len()];
        for pair in lesson.events.windows(2) {
            assert!(pair[0].at < pair[1].at, "{}: {} then {} ms", lesson.id, pair[0].at, pair[1].at);
        }
        for (event, row) in lesson.events.iter().zip(rows(lesson)) {
            let thread = &THREADS[event.thread];
            assert!((2..=16).contains(&thread.name.len()), "{row}: the AOSP parser knows no such name");
            let head = format!("{}-{}", thread.name, thread.id);
            assert!(row.trim_start().starts_with(&head), "{row}");
            assert!(row.ends_with(&event.marked()), "{row}");
            match event.mark {
                Some(mark) => {
                    open[event.thread] += 1;
                    assert!(label(mark).scope.is_some(), "{}: {mark} says nothing", lesson.id);
                }
                None => open[event.thread] = open[event.thread].checked_sub(1).expect("a begin before"),
            }
        }
        assert_eq!(open, [0; THREADS.len()], "{}", lesson.id);
    }
}

/// A begin stands at its macro or at the head of a function that an interface marks, an end where a block ends.
#[test]
fn lines_of_programs_write_what_stands_there() {
    for lesson in LESSONS {
        for event in lesson.events {
            let line =
                lesson.program.get(event.line).unwrap_or_else(|| panic!("{}: no such line", lesson.id));
            let fits = match event.mark {
                Some(mark) if mark.contains("[NN_") => {
                    let said = label(mark);
                    let (layer, phase) = said.scope.unwrap();
                    let macro_name = match (said.is_switch, said.is_subtract) {
                        (true, _) => "NNTRACE_SWITCH",
                        (_, true) => "NNTRACE_SUBTRACT",
                        _ => "NNTRACE",
                    };
                    let wanted =
                        format!("{macro_name}({}, {}, \"{}\");", layer.code(), phase.code(), said.name);
                    line.trim() == wanted
                }
                Some(mark) => line.contains(&format!("{}(", mark.rsplit("::").nth(1).unwrap())),
                None => line.trim() == "}" || line.trim().ends_with(");"),
            };
            assert!(fits, "{}: {:?} at {line:?}", lesson.id, event.mark);
        }
    }
}

#[test]
fn formulas_give_the_numbers_beside_them() {
    assert_eq!(evaluate(lesson("subtraction"), "(t3 − t0) − (t2 − t1)"), 14);
    for lesson in LESSONS {
        assert!(!lesson.sums.is_empty(), "{}", lesson.id);
        for sum in lesson.sums {
            for Time { formula, ms } in [sum.total, sum.own] {
                assert_eq!(evaluate(lesson, formula), i64::from(ms), "{}: {formula}", lesson.id);
            }
            assert!(sum.own.ms <= sum.total.ms, "{}", lesson.id);
        }
    }
}

/// Thread, depth, begin, end and part of each scope.
fn drawn(id: &str) -> Vec<(usize, usize, usize, usize, Part)> {
    let scopes = lesson(id).drawn().scopes.into_iter();
    scopes.map(|s| (s.thread, s.depth, s.begin, s.end, s.tint.unwrap().part)).collect()
}

#[test]
fn scopes_are_drawn_as_they_count() {
    use Part::{Counted, Detail, Subtracted};
    assert_eq!(drawn("baseline"), [(0, 0, 0, 1, Counted)]);
    assert_eq!(drawn("local-call"), [(0, 0, 0, 3, Counted), (0, 1, 1, 2, Counted)]);
    // What was switched to lies beside what was left, and the rest is open without counting.
    assert_eq!(drawn("switch"), [(0, 0, 0, 1, Counted), (0, 0, 1, 2, Counted)]);
    let switch = lesson("switch").drawn();
    assert_eq!(switch.scopes[0].rest, Some(Slot { begin: 2, end: 3 }));
    assert_eq!((switch.scopes[1].rest, switch.of_event), (None, vec![0, 1, 1, 0]));
    assert_eq!(drawn("subphases"), [(0, 0, 0, 5, Counted), (0, 1, 1, 2, Counted), (0, 1, 3, 4, Counted)]);
    assert_eq!(drawn("detail"), [(0, 0, 0, 3, Counted), (0, 1, 1, 2, Detail)]);
    assert_eq!(
        drawn("synchronous-ipc"),
        [(0, 0, 0, 7, Counted), (0, 1, 1, 6, Counted), (0, 2, 2, 5, Detail), (2, 0, 3, 4, Counted)]
    );
    assert_eq!(drawn("subtraction"), [(0, 0, 0, 3, Counted), (0, 1, 1, 2, Subtracted)]);
    assert_eq!(drawn("initialization"), [(0, 0, 0, 3, Counted), (0, 1, 1, 2, Subtracted)]);
    assert_eq!(drawn("utility"), [(0, 0, 0, 3, Counted), (0, 1, 1, 2, Counted)]);
    for lesson in LESSONS {
        let drawn = lesson.drawn();
        assert_eq!(drawn.of_event.len(), lesson.events.len());
        assert_eq!(drawn.scopes.len() * 2, lesson.events.len(), "{}", lesson.id);
    }
}

#[test]
fn everything_that_is_read_has_its_chinese() {
    let titles = THREADS.iter().map(|thread| thread.title);
    let texts = LESSONS.iter().flat_map(|lesson| lesson.text.iter().copied().chain([lesson.title]));
    let mut seen = BTreeSet::new();
    chinese();
    for english in texts.chain(titles) {
        assert_ne!(tr(Language::Zh, english), english);
        assert!(seen.insert(english), "{english:?} is said twice");
    }
}

/// What the AOSP parser computes of a lesson's file.
fn aosp(lesson: &Lesson) -> Value {
    let (mut doc, is_ready) = open_one(&lesson.file_name(), lesson.trace().into_bytes());
    assert!(is_ready, "{}", lesson.id);
    assert!(doc.faults().rows().is_empty(), "{}: {:?}", lesson.id, doc.faults().rows());
    let (answer, bytes) = doc.query(&Query::Export { id: "nnapi-json".to_owned() });
    let bytes = bytes.unwrap_or_else(|| panic!("{}: {answer:?}", lesson.id));
    let mut runs: Vec<Value> = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(runs.len(), 1, "{}", lesson.id);
    runs.remove(0)
}

#[test]
fn the_aosp_parser_computes_the_numbers_of_every_lesson() {
    for lesson in LESSONS {
        let run = aosp(lesson);
        for phase in Phase::ALL {
            // Overall is a sum of phases; loops and unspecified phases have no times of their own here.
            if matches!(phase, Phase::Overall | Phase::Warmup | Phase::Benchmark | Phase::Unspecified) {
                continue;
            }
            for layer in Layer::REPORTED {
                let sum = lesson.sums.iter().find(|sum| (sum.layer, sum.phase) == (layer, phase));
                let wanted = sum.map_or((0, 0), |sum| (sum.total.ms, sum.own.ms));
                for (times, ms) in [("times", wanted.0), ("self_times", wanted.1)] {
                    // A layer that was not seen is missing instead of zero.
                    let found = &run[times][phase.code()][layer.code()];
                    let has = found.as_f64().unwrap_or(0.0);
                    let is_there =
                        (has - f64::from(ms)).abs() < 1e-6 && (found.is_number() || found.is_null());
                    assert!(
                        is_there,
                        "{}: {times} of {layer:?} in {phase:?} is {found}, not {ms}",
                        lesson.id
                    );
                }
            }
        }
    }
}

#[test]
fn what_is_subtracted_counts_in_its_own_phase_only() {
    let lesson = lesson("subtraction");
    let (doc, _) = open_one(&lesson.file_name(), lesson.trace().into_bytes());
    let nnapi = doc.result::<Nnapi>(&ANALYSIS).unwrap();
    let cell = |phase| nnapi.corrected.runs[0].matrix.cell(None, Layer::Runtime, phase).total;
    // 20 ms in all, of which 6 ms are compilation.
    assert_eq!((cell(Phase::Preparation), cell(Phase::Compilation)), (14_000_000, 6_000_000));
}

#[test]
fn what_a_driver_does_for_a_call_is_taken_from_the_call() {
    let lesson = lesson("asynchronous-ipc");
    let (doc, _) = open_one(&lesson.file_name(), lesson.trace().into_bytes());
    let nnapi = doc.result::<Nnapi>(&ANALYSIS).unwrap();
    let cell = |layer| nnapi.corrected.runs[0].matrix.cell(None, layer, Phase::Compilation);
    let own = |layer| cell(layer).own / 1_000_000;
    // 20 ms in all; of the 18 of the call the driver works 1 and, without the 2 of calling back, 9.
    assert_eq!([own(Layer::Runtime), own(Layer::Ipc), own(Layer::Driver)], [2, 8, 10]);
    assert_eq!(cell(Layer::Ipc).total, 18_000_000);
}

/// What the page gets of every system: everything it refers to is there, and everything it shows has its Chinese.
#[test]
fn lessons_of_all_guides_hold_together() {
    let (mut ids, mut names) = (BTreeSet::new(), BTreeSet::new());
    chinese();
    for guide in GUIDES {
        let name: Vec<&str> = guide.titles().collect();
        assert!(names.insert(name.clone()), "two guides are called {name:?}");
        assert_ne!(tr(Language::Zh, guide.title), guide.title);
        assert!(!(guide.lessons)().is_empty() || guide.terms.is_some(), "{} says nothing", guide.subject);
    }
    for terms in terms() {
        assert!(ids.insert(terms.id) && !terms.rows.is_empty(), "{}", terms.id);
        for english in terms.rows.iter().flat_map(|(term, meaning)| [term, meaning]).chain([&terms.title]) {
            assert_ne!(tr(Language::Zh, english), *english);
        }
    }
    for lesson in lessons() {
        assert!(ids.insert(lesson.id), "two lessons are called {}", lesson.id);
        for event in &lesson.events {
            assert!(event.line < lesson.program.len(), "{}: {event:?}", lesson.id);
            assert_eq!(event.cells.len(), lesson.columns.len(), "{}", lesson.id);
            assert!(lesson.file.contains(event.cells.last().unwrap().as_str()), "{}: {event:?}", lesson.id);
        }
        for (n, scope) in lesson.scopes.iter().enumerate() {
            assert!(scope.lane < lesson.lanes.len(), "{}: {scope:?}", lesson.id);
            let ends = [scope.events.start, scope.rest.as_ref().map_or(scope.events.end, |rest| rest.end)];
            assert!(ends.iter().any(|at| lesson.events[*at].scope == n), "{}: {scope:?}", lesson.id);
        }
        for row in &lesson.results.rows {
            assert_eq!(row.len(), lesson.results.columns.len(), "{}", lesson.id);
        }
        for english in lesson.patterns.iter().chain([&lesson.note, &lesson.results.title]) {
            assert_ne!(tr(Language::Zh, english), *english);
        }
        let (doc, is_ready) = open_one(&lesson.file_name, lesson.file.clone().into_bytes());
        assert!(is_ready && doc.faults().rows().is_empty(), "{}", lesson.id);
    }
}

#[test]
fn questions_are_not_counted_as_terms() {
    let count = |id| terms().find(|terms| terms.id == id).map(|terms| terms.count());
    assert_eq!(count("questions"), Some("{n} questions"));
    assert_eq!(count("steps"), Some("{n} terms"));
}

#[test]
fn kernel_probes_have_a_topic() {
    let topic = terms().find(|terms| terms.id == "neutrino").expect("a topic");
    for wanted in ["Map", "SM clock", "GPU timer", "DMAT, accesses over time"] {
        assert!(topic.rows.iter().any(|(term, _)| *term == wanted), "{wanted}");
    }
}

#[test]
fn a_lesson_of_the_page_is_drawn_as_it_counts() {
    let of = |id: &str| lessons().find(|lesson| lesson.id == id).expect("a lesson");
    let subtraction = of("subtraction");
    assert_eq!(
        subtraction.scopes.iter().map(|s| s.pattern).collect::<Vec<_>>(),
        [Pattern::Full, Pattern::Hatched]
    );
    assert_eq!(subtraction.patterns, ["Hatched: subtracted from the enclosing scope"]);
    let switch = of("switch");
    assert_eq!(switch.scopes[0].rest, Some(2..3));
    let ipc = of("synchronous-ipc");
    let lanes: Vec<_> = ipc.lanes.iter().map(|lane| (lane.title, lane.name.as_str())).collect();
    assert_eq!(lanes, [("Application", "demo-500"), ("Driver", "driver-700")]);
    let slices: Vec<_> = ipc.scopes.iter().map(|s| (s.lane, s.name, s.tip.as_str(), s.pattern)).collect();
    assert_eq!(
        slices[2],
        (
            0,
            "getSupportedOperations::client",
            "LI PC HIDL::IDevice::getSupportedOperations::client",
            Pattern::Thin
        )
    );
    assert_eq!(slices[3].0, 1);
    let letters: Vec<_> = ipc.colors.iter().map(|key| key.letters).collect();
    assert_eq!(letters, ["LR", "LI", "LD"]);
    assert_eq!(
        ipc.results.rows[1][4..],
        [Cell::Formula("(t6 − t1) − (t4 − t3)"), Cell::Number("6.00".to_owned())]
    );
}

/// Topics of the help are found by the system that they are of, though their titles do not name it.
#[test]
fn topics_are_found_by_what_they_are_of() {
    for typed in ["neutrino", "help", "help probes"] {
        assert!(matches("Probes, maps and clocks", &found_by("neutrino"), typed), "{typed}");
    }
    assert!(!matches("Probes, maps and clocks", &found_by("neutrino"), "ascend"));
    assert!(matches("Keyboard shortcuts", &found_by("keys"), "help"));
}

/// What is asked of a figure is found in the topic of it.
#[test]
fn topics_have_the_terms_of_their_figures() {
    for (id, wanted) in [
        ("ascend-operators", &["Head overhead", "Level", "Latency bound"][..]),
        ("idle-reasons", &["Short gap", "Launched late"]),
        ("steps", &["Wall"]),
        ("launch-latency", &[]),
        ("launch-queue", &[]),
    ] {
        let topic = terms().find(|terms| terms.id == id).unwrap_or_else(|| panic!("{id}"));
        let rows: Vec<&str> = topic.rows.iter().map(|(term, _)| *term).collect();
        assert!(!rows.is_empty() && wanted.iter().all(|term| rows.contains(term)), "{id}: {rows:?}");
    }
}

/// What to record, what is shown then, and what that cannot say.
#[test]
fn every_system_says_how_to_record_what_is_shown_and_its_limits() {
    let systems = ["nnapi", "ascend", "lifetimes", "instrumentation", "neutrino", "trace"];
    for id in systems.map(|system| format!("{system}-recording")) {
        let topic = terms().find(|terms| terms.id == id).unwrap_or_else(|| panic!("{id}"));
        let rows: Vec<&str> = topic.rows.iter().map(|(question, _)| *question).collect();
        assert_eq!(rows, ["How do I record a profile?", "What is shown?", "What are the limits?"], "{id}");
    }
}
