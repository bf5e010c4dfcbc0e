//! Trace folders that other programs wrote, where they are at hand: `LANESCOPE_CORPUS` names the folder.

use crate::support::corpus::corpus;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// What the command line prints.
fn run(path: &Path, words: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanescope"));
    let output = command.arg(path).args(words).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&output.stderr));
    text
}

/// The table of maps: rows of cells behind the head.
fn maps(path: &Path, words: &[&str]) -> Vec<csv::StringRecord> {
    let text = run(path, &[words, &["--export", "figures-json"]].concat());
    let json: Value = serde_json::from_str(&text).unwrap();
    let figure =
        json["figures"].as_array().or(json.as_array()).unwrap().iter().find(|f| f["id"] == "neutrino-result");
    let rows = figure.unwrap()["variants"][0]["body"]["table"]["rows"].as_array().unwrap().clone();
    let text = |cell: &Value| cell.as_str().map_or_else(|| cell.to_string(), str::to_owned);
    rows.iter().map(|row| row.as_array().unwrap().iter().map(text).collect()).collect()
}

#[test]
fn maps_lie_where_expected() {
    let Some(folder) = corpus("neutrino") else { return };
    let expected = std::fs::read_to_string(folder.join("expected.json")).unwrap();
    let expected: Value = serde_json::from_str(&expected).unwrap();
    let mut n = 0;
    for (name, results) in expected.as_object().unwrap() {
        for (file, result) in results.as_object().unwrap() {
            let rows = maps(&folder.join(name), &["--result", file]);
            let all = result["maps"].as_object().unwrap();
            assert_eq!(rows.len(), all.len(), "{name}/{file}");
            for (map, is) in all {
                let row = rows.iter().find(|row| row[0] == **map).unwrap();
                let fields: Vec<&str> =
                    row[2].split(", ").map(|field| field.split(' ').next().unwrap()).collect();
                let wanted: Vec<&str> =
                    is["fields"].as_array().unwrap().iter().map(|f| f.as_str().unwrap()).collect();
                assert_eq!((&row[1], fields), (is["level"].as_str().unwrap(), wanted), "{name}/{file}");
                let keys = [
                    "record_bytes",
                    "records_per_unit",
                    "units_allocated",
                    "units_addressed",
                    "real_offset",
                    "declared_offset",
                ];
                let wanted: Vec<String> = keys.iter().map(|key| is[*key].to_string()).collect();
                assert_eq!(row.iter().skip(3).collect::<Vec<_>>(), wanted, "{name}/{file}");
                n += 1;
            }
        }
    }
    assert_eq!(n, 9);
}

#[test]
fn heads_of_every_version_have_the_same_records() {
    let Some(folder) = corpus("neutrino/synthetic_headers") else { return };
    for file in ["v0_total_size", "v1_unit_size", "v2", "hip_main_garbage_warpdiv", "v2_truncated"] {
        let row = maps(&folder.join(format!("{file}.bin")), &[]).remove(0);
        let expected = ["warp", "start u64, elapsed u32, sm u32", "16", "1", "24"];
        assert_eq!(row.iter().skip(1).take(5).collect::<Vec<_>>(), expected, "{file}");
    }
    let row = maps(&folder.join("v1_dynamic_size_minus1.bin"), &[]).remove(0);
    assert_eq!(
        row.iter().skip(1).take(5).collect::<Vec<_>>(),
        ["thread", "value 0 u64, value 1 u64", "16", "2", "768"]
    );
}

#[test]
fn logs_of_the_documentation_tell_their_slow_downs() {
    let Some(folder) = corpus("neutrino") else { return };
    for (path, ratio) in
        [("docs_2025-04_Apr25_114624_1921397", "3613.098145"), ("docs_2025-06_event.log", "3614.178711")]
    {
        let csv = run(&folder.join(path), &["--export", "launches-csv"]);
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let row = reader.records().next().unwrap().unwrap();
        assert_eq!((&row[12], &row[15], &row[19]), ("probed", "2097152", ratio), "{path}");
    }
}
