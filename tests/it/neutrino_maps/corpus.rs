//! Result files that the tool itself wrote, where they are at hand: every value of `expected.json`.

use crate::support::corpus::corpus;
use serde_json::Value;
use std::fs;
use std::process::Command;

fn numbers(of: &Value) -> Vec<u128> {
    of.as_array().unwrap().iter().map(|v| v.to_string().parse().unwrap()).collect()
}

#[test]
fn every_record_is_as_expected() {
    let Some(root) = corpus("neutrino") else { return };
    let expected: Value =
        serde_json::from_str(&fs::read_to_string(root.join("expected.json")).unwrap()).unwrap();
    let mut n = 0;
    for (folder, results) in expected.as_object().unwrap() {
        for (result, file) in results.as_object().unwrap() {
            for (map, wanted) in file["maps"].as_object().unwrap() {
                n += 1;
                let mut command = Command::new(env!("CARGO_BIN_EXE_lanescope"));
                command.arg(root.join(folder)).args(["--result", result]);
                let run = command.args(["--export", &format!("map-csv:{map}")]).output().unwrap();
                let text = String::from_utf8(run.stdout).unwrap();
                let mut lines = text.lines();
                let fields: Vec<&str> =
                    wanted["fields"].as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect();
                let name = format!("{folder}/{result} {map}");
                assert_eq!(lines.next(), Some(&*format!("block,unit,record,{}", fields.join(","))), "{name}");
                let rows: Vec<Vec<u128>> =
                    lines.map(|line| line.split(',').skip(3).map(|v| v.parse().unwrap()).collect()).collect();
                assert_eq!(rows.len() as u64, wanted["nonzero_records"].as_u64().unwrap(), "{name}");
                let first: Vec<Vec<u128>> = wanted["first"].as_array().unwrap().iter().map(numbers).collect();
                assert_eq!(&rows[..2], &first[..], "{name}");
                for (at, field) in fields.iter().enumerate() {
                    let of = || rows.iter().map(|row| row[at]);
                    let found = [of().sum(), of().min().unwrap(), of().max().unwrap()];
                    let wanted = ["sums", "min", "max"].map(|key| numbers(&wanted[key])[at]);
                    assert_eq!(found, wanted, "{name} {field}");
                }
            }
        }
    }
    assert_eq!(n, 9);
}
