//! The statistics that the parser's own unit tests look at, where they are at hand: `LANESCOPE_CORPUS` names the folder.

use crate::support::corpus::corpus;
use lanescope::model::strings::Strings;
use lanescope::systems::android::nnapi::aosp::{
    Line, OF_LOOPS, Outcome, PHASES, Statistics, Times, parse_by_scopes,
};
use lanescope::systems::android::nnapi::mark::{App, Layer, MarkThread, Marks, Phase};
use serde_json::{Value, json};

fn read(name: &str) -> Option<Value> {
    let bytes = std::fs::read(corpus("nnapi/unit")?.join(name)).unwrap();
    Some(serde_json::from_slice(&bytes).unwrap())
}

/// The rows of a case: thread 1 is an application, thread 2 a driver.
fn parsed(case: &Value) -> Outcome {
    let (mut marks, mut strings) = (Marks::default(), Strings::default());
    for name in ["1", "2"] {
        let id = strings.intern(name);
        marks.threads.push(MarkThread { id, name: id, process: id, process_name: id, track: None });
    }
    for event in case["events"].as_array().unwrap() {
        let thread = event["thread"].as_u64().unwrap() as u32 - 1;
        marks.seconds.push(event["time_s"].as_f64().unwrap());
        marks.time.push(0);
        marks.thread.push(thread);
        marks.process.push(marks.threads[thread as usize].process);
        marks.text.push(strings.intern(event["mark"].as_str().unwrap()));
        marks.line.push(1);
        marks.start.push(0);
        marks.len.push(0);
        marks.is_classic.push(true);
    }
    parse_by_scopes(&marks, &strings)
}

fn statistics(outcome: &Outcome) -> &Statistics {
    assert_eq!((outcome.stop.as_ref(), outcome.runs.len()), (None, 1));
    outcome.runs[0].statistics.as_ref().unwrap()
}

/// The times as the expected ones are written.
fn written(times: &Times) -> Value {
    let line = |line: &Line| {
        let number = |value: f64| if value.is_nan() { Value::Null } else { json!(value) };
        let layers = Layer::REPORTED.iter().map(|l| l.code()).chain(["LT"]);
        Value::Object(layers.zip(line).map(|(layer, value)| (layer.to_owned(), number(*value))).collect())
    };
    let of = |phases: &[Phase], lines: &[Line]| -> serde_json::Map<String, Value> {
        phases.iter().zip(lines).map(|(phase, l)| (phase.code().to_owned(), line(l))).collect()
    };
    let mut all = of(&PHASES, &times.flat);
    for (app_phase, lines) in App::ALL[1..].iter().zip(times.loops.iter().flatten()) {
        all.insert(app_phase.code().to_owned(), Value::Object(of(&OF_LOOPS, lines)));
    }
    Value::Object(all)
}

#[test]
fn unit_cases_have_the_same_numbers_to_the_last_digit() {
    let (Some(cases), Some(golden)) = (read("unit_cases.json"), read("unit_golden.json")) else {
        return;
    };
    let (cases, golden) = (cases["cases"].as_array().unwrap().clone(), golden.as_array().unwrap().clone());
    let (mut n, mut n_checks) = (0, 0);
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let expected = golden.iter().find(|g| g["name"] == name).unwrap();
        let outcome = parsed(case);
        n += 1;
        if let Some(exception) = expected["exception"].as_str() {
            let stop = outcome.stop.unwrap();
            let text = expected["text"].as_str().unwrap().trim_end_matches('\n');
            assert_eq!((stop.refusal.kind.as_str(), stop.refusal.text.as_str()), (exception, text), "{name}");
            continue;
        }
        let found = statistics(&outcome);
        assert_eq!(written(&found.times), expected["times"], "{name}");
        assert_eq!(written(&found.self_times), expected["self_times"], "{name}");
        assert_eq!(found.has_loops(), expected["has_warmup_and_benchmark"].as_bool().unwrap());
        let counts = App::ALL.map(|p| expected["execution_counts"][p.code()].as_u64().unwrap() as u32);
        assert_eq!(found.n_executions.0, counts, "{name}");
        for check in case["expect"].as_array().unwrap() {
            n_checks += 1;
            let times = if check["kind"] == "self" { &found.self_times } else { &found.times };
            let layer = Layer::of(check["layer"].as_str().unwrap()).unwrap();
            let phase = Phase::of(check["phase"].as_str().unwrap()).unwrap();
            let app_phase = check["app_phase"].as_str();
            let of_loop = App::ALL.into_iter().find(|p| Some(p.code()) == app_phase);
            let value = match of_loop {
                Some(of_loop) => times.line_of(of_loop, phase).unwrap()[layer as usize],
                None => times.at(phase, layer).unwrap(),
            };
            let ms = check["ms"].as_f64().unwrap();
            assert!((value - ms).abs() < 0.05, "{name} {check}: {value}");
        }
    }
    eprintln!("{n} unit cases with {n_checks} numbers are equal");
    assert_eq!(n, 18);
}
