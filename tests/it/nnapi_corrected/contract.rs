//! The cases of the contract, as the AOSP parser's own unit tests have them (`LANESCOPE_CORPUS/nnapi/unit`): where the
//! parser is right, the corrected numbers are its numbers.

use super::make::trace_of;
use crate::support::corpus::corpus;
use lanescope::systems::android::nnapi::corrected::{App, Corrected, Issue};
use lanescope::systems::android::nnapi::mark::{Layer, Phase};
use serde_json::Value;

#[test]
fn the_cases_of_the_contract_have_the_numbers_of_the_parser() {
    let Some(folder) = corpus("nnapi/unit") else { return };
    let text = std::fs::read_to_string(folder.join("unit_cases.json")).unwrap();
    let cases: Value = serde_json::from_str(&text).unwrap();
    let (mut n_cases, mut n_numbers) = (0, 0);
    for case in cases["cases"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let events = case["events"].as_array().unwrap();
        // Their seconds go up to 10^10; here they are microseconds.
        let rows: Vec<(i64, String, &str)> = events
            .iter()
            .map(|e| {
                let time = e["time_s"].as_f64().unwrap() * 1000.0;
                (time as i64, e["thread"].to_string(), e["mark"].as_str().unwrap())
            })
            .collect();
        let corrected =
            Corrected::of(&trace_of(rows.iter().map(|(t, thread, mark)| (*t, thread.as_str(), *mark))));
        let run = &corrected.runs[0];
        n_cases += 1;
        if case["raises"] == true {
            assert_eq!(run.warnings[0].trouble, Issue::Layers, "{name}");
            continue;
        }
        assert!(run.warnings.is_empty(), "{name}: {:?}", run.warnings);
        for expected in case["expect"].as_array().unwrap() {
            let word = |key: &str| expected[key].as_str().unwrap_or("");
            let (layer, phase) = (Layer::of(word("layer")).unwrap(), Phase::of(word("phase")).unwrap());
            let app = App::ALL.into_iter().find(|app| app.phase().code() == word("app_phase"));
            let cell = run.matrix.cell(app, layer, phase);
            let time = if word("kind") == "self" { cell.own } else { cell.total };
            let mut wanted = expected["ms"].as_f64().unwrap() as i64;
            if name == "async_ipc_call_waited_synchronously" && layer == Layer::Driver {
                // t4 to t5: the callback is a call between processes, not the driver.
                wanted -= 90_000_000;
            }
            assert_eq!(time, wanted, "{name}: {} {layer:?} {phase:?}", word("kind"));
            n_numbers += 1;
        }
    }
    assert_eq!((n_cases, 20 < n_numbers), (18, true), "{n_numbers} numbers");
}
