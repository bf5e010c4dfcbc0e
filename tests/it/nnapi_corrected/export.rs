//! nnapi-corrected-json through the front door: of a written trace, and of all traces that are at hand.

use crate::support::corpus::corpus;
use crate::support::front_door::open_one;
use lanescope::wire::Query;
use serde_json::{Value, json};
use std::fs;

const TRACE: &str = "#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION
 app-5143  ( 5143) [003] ...1   100.000100: tracing_mark_write: B|5143|[NN_LA_PO]mobile\"net
 app-5143  ( 5143) [003] ...1   100.000200: tracing_mark_write: B|5143|[NN_LA_PBM]loop
 app-5143  ( 5143) [003] ...1   100.000300: tracing_mark_write: B|5143|[NN_LR_PE]ANeuralNetworksExecution_compute
 app-5143  ( 5143) [003] ...1   100.000400: tracing_mark_write: B|5143|[NN_LC_PCO]optimized_ops::Conv
 app-5143  ( 5143) [003] ...1   100.001400: tracing_mark_write: E|5143
 app-5143  ( 5143) [003] ...1   100.001500: tracing_mark_write: E|5143
 app-5143  ( 5143) [003] ...1   100.001600: tracing_mark_write: E|5143
";

/// The export of a file, as it is parsed again.
fn exported(name: &str, bytes: Vec<u8>) -> Option<Value> {
    let (mut doc, is_open) = open_one(name, bytes);
    let (_, bytes) = doc.query(&Query::Export { id: "nnapi-corrected-json".to_owned() });
    is_open.then_some(bytes)?.map(|bytes| serde_json::from_slice(&bytes).unwrap())
}

#[test]
fn the_export_holds_what_was_computed() {
    let runs = exported("trace.txt", TRACE.into()).unwrap();
    let run = &runs[0];
    assert_eq!(run["starting_mark"], "B|5143|[NN_LA_PO]mobile\"net");
    assert_eq!(run["is_incomplete"], true);
    assert_eq!(run["execution_counts"], json!({"PO": 0, "PWU": 0, "PBM": 1}));
    assert_eq!(
        run["times"]["PE"],
        json!({"LA": null, "LR": 1.2, "LI": null, "LD": null, "LC": 1.0, "LT": 1.2})
    );
    assert_eq!(run["self_times"]["PE"]["LR"], 0.2);
    assert_eq!(run["times"]["PBM"]["PCO"]["LC"], 1.0);
    let execution = &run["executions"][0];
    assert_eq!(
        (&execution["number"], &execution["kind"], &execution["phase"]),
        (&json!(1), &json!("synchronous"), &json!("PBM"))
    );
    assert_eq!(
        (&execution["start"], &execution["total"], &execution["cpu"]),
        (&json!(100.0003), &json!(1.2), &json!(1.0))
    );
    assert_eq!(
        (&execution["line"], &execution["thread"], &execution["process"]),
        (&json!(4), &json!("5143"), &json!("5143"))
    );
    assert_eq!(run["statistics"]["all"]["median"], 1.2);
    assert_eq!(run["fallback"][0]["name"], "optimized_ops::Conv");
    assert_eq!(
        (&run["fallback"][0]["executions"], run["fallback"][0]["count"].as_u64()),
        (&json!([1]), Some(1))
    );
    // The whole never ends: it is listed last, without a call.
    let functions = run["functions"].as_array().unwrap();
    let of = |function: &Value| (function["count"].as_u64(), function["unfinished"].as_u64());
    let last: Vec<_> = functions[functions.len() - 2..].iter().map(of).collect();
    assert_eq!(last, [(Some(1), Some(0)), (Some(0), Some(1))]);
    assert_eq!(of(&functions[0]), (Some(1), Some(0)));
    let points: Vec<u64> =
        run["differences"].as_array().unwrap().iter().map(|d| d["point"].as_u64().unwrap()).collect();
    assert_eq!(points, [3, 2, 7, 13]);
    assert_eq!(
        (&run["warnings"][0]["kind"], &run["warnings"][0]["lines"]),
        (&json!("never-ended"), &json!([2]))
    );
}

/// Every trace at hand gives valid JSON, and each execution's parts are its time.
#[test]
fn traces_at_hand_have_executions_that_add_up() {
    let Some(folder) = corpus("nnapi") else { return };
    let mut n_executions = 0;
    for path in ["synth", "aosp"].iter().flat_map(|part| fs::read_dir(folder.join(part)).unwrap()) {
        let path = path.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Some(runs) = exported(&name, fs::read(&path).unwrap()) else { continue };
        for run in runs.as_array().unwrap() {
            for execution in run["executions"].as_array().unwrap() {
                let part = |key: &str| execution[key].as_f64().unwrap();
                let layers = ["application", "runtime", "ipc", "driver", "cpu"].map(part);
                assert!((layers.iter().sum::<f64>() - part("total")).abs() < 1e-6, "{name}: {execution}");
                assert!(layers.iter().all(|time| 0.0 <= *time), "{name}: {execution}");
                n_executions += 1;
            }
        }
        if name == "omr1.ftrace.txt" {
            // Five runs with one execution of the application each, and the driver's from the call to the callback.
            let drivers = runs
                .as_array()
                .unwrap()
                .iter()
                .map(|run| run["driver_executions"][0]["total"].as_f64().unwrap());
            let drivers: Vec<String> = drivers.map(|time| format!("{time:.2}")).collect();
            assert_eq!(drivers, ["20.73", "10.52", "14.18", "15.98", "13.01"]);
        }
    }
    assert!(50 < n_executions, "{n_executions}");
}
