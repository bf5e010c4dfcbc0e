//! Results of the simulator of systolic arrays, through the front door: a run by hand, damage, and what is known of real
//! runs.

mod make;

use crate::accelsim::export;
use crate::nvbit::fixtures::keep;
use crate::support::corpus::corpus;
use crate::support::front_door::{open, open_one};
use lanescope::document::Document;
use lanescope::input::unpack::MemoryStore;
use lanescope::input::{Entry, Memory};
use lanescope::model::parameter::{Value as Set, Values};
use lanescope::views::lifetimes::compute::Recorded;
use lanescope::wire::{Answer, Query};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::rc::Rc;

pub(crate) type Files = Vec<(String, Vec<u8>)>;

fn owned(files: Vec<(&str, Vec<u8>)>) -> Files {
    files.into_iter().map(|(path, bytes)| (path.to_owned(), bytes)).collect()
}

pub(crate) fn tiny() -> Files {
    owned(make::reports().into_iter().chain(make::traces()).collect())
}

pub(crate) fn with(files: Files, values: &[(&str, Set)]) -> Document {
    let entry = |(path, bytes)| Entry { path, source: Rc::new(Memory(bytes)) };
    let mut set = Values::default();
    values.iter().for_each(|(id, value)| set.set(id, value.clone()));
    let entries = files.into_iter().map(entry).collect();
    let (doc, is_ready) = Document::open_with(entries, "", &set, Box::new(MemoryStore::default()));
    assert!(is_ready);
    doc
}

/// The figure of an id, in all its variants.
pub(crate) fn figure(doc: &mut Document, id: &str) -> Value {
    while doc.has_work() {
        doc.step();
    }
    let json: Value = serde_json::from_str(&export(doc, "figures-json")).unwrap();
    let families = json["figures"].as_array().or_else(|| json.as_array()).unwrap();
    let ids: Vec<&Value> = families.iter().map(|family| &family["id"]).collect();
    families
        .iter()
        .find(|family| family["id"] == id)
        .unwrap_or_else(|| panic!("{id} is not among {ids:?}"))
        .clone()
}

/// Rows of the first variant of a table.
pub(crate) fn rows(doc: &mut Document, id: &str) -> Vec<Vec<Value>> {
    figure(doc, id)["variants"][0]["body"]["table"]["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row.as_array().unwrap().clone())
        .collect()
}

fn said(doc: &Document) -> Vec<String> {
    doc.faults().rows().iter().map(|fault| format!("{} {fault}", fault.code)).collect()
}

#[test]
fn the_fixtures_are_what_they_are_made_of() {
    let by = "tests/it/scalesim/make.rs";
    let all = || make::reports().into_iter().chain(make::traces()).collect::<Vec<_>>();
    for (path, bytes) in all() {
        let file = crate::support::front_door::fixtures().join("scalesim/run").join(path);
        if std::env::var_os("UPDATE").is_some() {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, bytes).unwrap();
        }
    }
    keep("scalesim", "run", &all(), by, "two layers with reports, configuration and traces");
    let report = [("COMPUTE_REPORT.csv", make::reports().swap_remove(1).1)];
    keep("scalesim", "reports", &report, by, "a report alone");
}

#[test]
fn a_word_lives_from_a_write_to_the_last_read_before_the_next() {
    let mut doc = with(tiny(), &[]);
    assert_eq!(said(&doc), [""; 0]);
    assert_eq!(doc.trace().headline, ["2 × 2", "ws"]);
    // Word 0: written at −2, read at 3; written at 4, read at 4 and 7. Words 1 to 3 once; 4 and 5 are never read, 9 was
    // never written. Lengths 5, 3, 6, 7, 10.
    let rows = rows(&mut doc, "buffer-lifetimes-0");
    assert_eq!(json!(rows[0]), json!([0, "IFMAP", 5, 6.2, 6.0, 8.8, 10.0, 2, 0, 8, 7, 7, 4]));
    assert_eq!(json!(rows[1]), json!([0, "FILTER", 4, 3.25, 3.5, 4.0, 4.0, 0, 0, 4, 4, 4, 0]));
    // The first word is overwritten unread, the last is never read.
    assert_eq!(json!(rows[2]), json!([0, "OFMAP", 3, 7.0 / 3.0, 2.0, 2.8, 3.0, 2, 1, 3, 5, 4, 0]));
    assert_eq!(json!(rows[3][..7]), json!([1, "IFMAP", 2, 4.5, 4.5, 5.7, 6.0]));
    let run = &doc.trace().extensions.get::<Recorded>().unwrap().runs[0];
    let names: Vec<&str> = run.levels.iter().map(|level| level.name.as_str()).collect();
    assert_eq!((run.name.as_str(), names), ("tiny", vec!["IFMAP", "FILTER", "OFMAP"]));
    let starts: Vec<_> = run.kernels.iter().map(|kernel| (kernel.id, kernel.start, kernel.cycles)).collect();
    assert_eq!(starts, [(0, 0, 12), (1, 12, 6)]);
    assert_eq!(run.kernels[0].levels[0].counts.existing, 1);
}

#[test]
fn padding_and_the_end_of_lifetimes_are_switches() {
    let mut doc = with(tiny(), &[("keep-padding", Set::Flag(true))]);
    // Word 1 is written again at 5 and 6, after it was read.
    assert_eq!(
        json!(rows(&mut doc, "buffer-lifetimes-0")[0]),
        json!([0, "IFMAP", 5, 6.2, 6.0, 8.8, 10.0, 6, 3, 8, 11, 7, 0])
    );
    let mut doc = with(tiny(), &[("lifetime", Set::Text("resident".into()))]);
    // Word 0: 6 cycles until it is replaced, then 8 until the layer ends; words 1 and 2 from −2 to 12, word 3 from −1.
    assert_eq!(json!(rows(&mut doc, "buffer-lifetimes-0")[0][2..7]), json!([5, 11.0, 13.0, 14.0, 14.0]));
}

#[test]
fn layers_and_maps_are_shown() {
    let mut doc = with(tiny(), &[]);
    assert_eq!(json!(rows(&mut doc, "layer-cycles-0")[1]), json!([1, 6.0, 1.0, 25.0, 50.0, 20.0]));
    assert_eq!(figure(&mut doc, "layer-bandwidth-bars-0")["variants"].as_array().unwrap().len(), 6);
    let map = &figure(&mut doc, "buffer-map-0")["variants"][0]["body"]["heat-map"];
    assert_eq!(
        (&map["width"], &map["height"], &map["x"]["from"], &map["x"]["to"]),
        (&json!(14), &json!(6), &json!(-2.0), &json!(12.0))
    );
    let values: Vec<f64> = map["values"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
    let sums: Vec<f64> = values.chunks(14).map(|row| row.iter().sum()).collect();
    assert_eq!(sums, [7.0, 8.0, 4.0, 4.0, 5.0, 3.0]);
    assert_eq!(values[..2], [3.0, 3.0]);
    let words = figure(&mut doc, "word-map-0");
    let of = |variant: usize| {
        let values = words["variants"][variant]["body"]["heat-map"]["values"].as_array().unwrap().clone();
        values.iter().map(|v| v.as_f64().unwrap()).sum::<f64>()
    };
    assert_eq!([of(0), of(1), of(2), of(6)], [15.0, 7.0, 8.0, 8.0]);
}

#[test]
fn what_is_missing_or_damaged_is_said() {
    let files: Files = tiny().into_iter().filter(|(path, _)| !path.contains("layer0/OFMAP_DRAM")).collect();
    let (mut doc, is_ready) = open(files, 7);
    assert!(is_ready);
    assert_eq!(said(&doc).len(), 1, "{:?}", said(&doc));
    assert!(said(&doc)[0].contains("OFMAP has only one of its two traces"), "{:?}", said(&doc));
    assert_eq!(rows(&mut doc, "buffer-lifetimes-0")[2][2..4], [json!(0), Value::Null]);
    let (mut doc, is_ready) = open(owned(make::reports()), 1 << 16);
    assert!(is_ready && said(&doc).is_empty());
    assert_eq!(rows(&mut doc, "layer-accesses-0").len(), 2);
    let (doc, is_ready) = open_one("input_config.cfg", make::reports().pop().unwrap().1);
    assert!(!is_ready, "{:?}", said(&doc));
}

/// A time of 0 would be read as one.
#[test]
fn without_a_clock_no_time_is_written() {
    let saved = |doc: &mut Document, id: &str| {
        while doc.has_work() {
            doc.step();
        }
        let (answer, bytes) = doc.query(&Query::Export { id: id.to_owned() });
        let Answer::File { said, is_whole, .. } = answer else { panic!("{answer:?}") };
        assert!(is_whole);
        (String::from_utf8(bytes.unwrap()).unwrap(), said)
    };
    let times = |csv: &str| -> Vec<String> {
        let head: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
        let rows = csv.lines().skip(1).flat_map(|row| head.clone().into_iter().zip(row.split(',')));
        let timed = rows.filter(|(name, _)| name.contains("Lifetime") || name.contains("Frequency"));
        timed.map(|(_, cell)| cell.to_owned()).collect()
    };
    let mut doc = with(tiny(), &[]);
    let (csv, said) = saved(&mut doc, "gainsight-sim-csv");
    assert!(times(&csv).iter().all(String::is_empty), "{csv}");
    assert!(said.contains("--clock-mhz"), "{said}");
    let (json, said) = saved(&mut doc, "gainsight-report-json");
    let report: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["IFMAP Write Frequency"], Value::Null, "{json}");
    assert!(report["IFMAP Lifetime Count"].as_u64() > Some(0) && said.contains("--clock-mhz"), "{json}");
    // The table without times is read again, and states none.
    let (again, _) = open_one("run.sim.csv", csv.into_bytes());
    assert_eq!(again.faults().rows(), []);
    let run = &again.trace().extensions.get::<Recorded>().unwrap().runs[0];
    assert!(run.kernels.iter().flat_map(|kernel| &kernel.levels).all(|level| level.stated.is_none()));
    let mut doc = with(tiny(), &[("clock-mhz", Set::Number(1000.0))]);
    let (csv, said) = saved(&mut doc, "gainsight-sim-csv");
    assert!(times(&csv).iter().all(|cell| !cell.is_empty()) && said.is_empty(), "{csv}");
}

fn folder(path: &Path) -> Files {
    crate::support::front_door::files_of(path)
}

#[test]
fn a_real_run_has_the_lifetimes_that_another_program_found() {
    let Some(corpus) = corpus("gainsight") else { return };
    let files = folder(&corpus.join("scalesim/gemm_8x8_ws"));
    let mut doc = with(files.clone(), &[("keep-padding", Set::Flag(true))]);
    assert_eq!(said(&doc), [""; 0]);
    let near = |row: &[Value], wanted: [f64; 5]| {
        for (cell, wanted) in row[2..7].iter().zip(wanted) {
            assert!((cell.as_f64().unwrap() - wanted).abs() < 0.005, "{row:?}: {wanted}");
        }
    };
    let kept = rows(&mut doc, "buffer-lifetimes-0");
    near(&kept[0], [12288.0, 328.26, 341.0, 355.0, 385.0]);
    near(&kept[1], [1536.0, 1073.20, 1073.5, 1830.0, 1992.0]);
    near(&kept[2], [6126.0, 131.62, 81.0, 319.0, 363.0]);
    assert_eq!((&kept[0][7], &kept[1][7], &kept[2][8]), (&json!(9413), &json!(0), &json!(6162)));
    let mut doc = with(files, &[]);
    let dropped = rows(&mut doc, "buffer-lifetimes-0");
    // As many words as the report says, and what fills up rows.
    near(&dropped[0], [12288.0, 328.37, 341.0, 355.0, 385.0]);
    near(&dropped[3], [3486.0, 367.21, 416.0, 436.0, 451.0]);
    let counted = |row: &[Value]| json!([row[7], row[10], row[12]]);
    assert_eq!(counted(&dropped[0]), json!([0, 12_288, 9_413]));
    assert_eq!(counted(&dropped[3]), json!([610, 4_096, 5_879]));
    assert_eq!(dropped[1..3], kept[1..3]);
    let run = &doc.trace().extensions.get::<Recorded>().unwrap().runs[0];
    assert_eq!(run.kernels[0].levels[0].reused.mean(), 4_034_997.0 / 12_288.0);
    let mut doc = with(folder(&corpus.join("scalesim/golden_trace")), &[]);
    assert_eq!(said(&doc), [""; 0]);
    assert_eq!(rows(&mut doc, "layer-cycles-0")[0][1], json!(112_283.0));
}
