//! Folders without a container: traces of single cores, and CSV files that say what blocks would.

use super::{codes, family};
use crate::support::front_door::{files_of, fixtures, open};
use lanescope::document::Document;
use lanescope::model::figure::{Body, Cell};
use lanescope::wire::figures::{FigureQuery, Reply};
use lanescope::wire::{Answer, Query};

use serde_json::{Value, json};

/// A trace of one core: a process for each pipe, by numbers.
fn core_trace(pipes: &[(u32, &str)]) -> Vec<u8> {
    let events = pipes.iter().flat_map(|(pid, name)| {
        [
            json!({"ph": "M", "name": "process_name", "pid": pid, "args": {"name": name}}),
            json!({"ph": "X", "name": "MOV", "pid": pid, "tid": 1, "ts": 1, "dur": 2}),
            json!({"ph": "X", "name": "MOV", "pid": pid, "tid": 2, "ts": 1, "dur": 3}),
            json!({"ph": "M", "name": "thread_name", "pid": pid, "tid": 1, "args": {"name": name}}),
        ]
    });
    let events: Vec<Value> = events.collect();
    serde_json::to_vec(&json!({"schemaVersion": 1, "traceEvents": events, "profilingType": "op"})).unwrap()
}

#[test]
fn traces_of_cores_keep_the_names_of_their_cores() {
    let file = |core: &str, pipes: &[(u32, &str)]| {
        (format!("OPPROF_1/simulator/{core}/trace.json"), core_trace(pipes))
    };
    let pipes = [(40, "MTE2"), (10, "CUBE"), (70, "OTHER")];
    let rows = |doc: &Document| {
        let trace = doc.trace();
        let shown = trace.tracks.shown().iter().filter(|id| !trace.tracks.get(**id).slices.is_empty());
        shown.map(|id| trace.track_path(*id)).collect::<Vec<_>>()
    };
    let (mut doc, ready) =
        open(vec![file("core0.cubecore0", &pipes), file("core1.cubecore0", &pipes[1..2])], 64);
    assert!(ready);
    let own = |core: &str, pipe: &str| format!("{core} / {pipe}");
    let mut expected: Vec<String> = ["OTHER", "OTHER 2", "CUBE", "CUBE 2", "MTE2", "MTE2 2"]
        .map(|pipe| own("core0.cubecore0", pipe))
        .to_vec();
    expected.extend(["CUBE", "CUBE 2"].map(|pipe| own("core1.cubecore0", pipe)));
    assert_eq!(rows(&doc), expected);
    // Each core has its row, with its own pipes only.
    let ask = FigureQuery::Figure { id: "pipe-utilization".to_owned(), chosen: Vec::new() };
    let Some(Reply::Figure(shown)) = doc.query(&ask).0 else { panic!("a figure") };
    let Body::Matrix(matrix) = &shown.figure.body else { panic!("a matrix") };
    assert_eq!(matrix.rows, ["core0.cubecore0", "core1.cubecore0"]);
    assert_eq!(matrix.cells.iter().filter(|cell| cell.value.is_some()).count(), 8);
    // One file alone has the name of its core too; cores of two devices are told apart.
    let (doc, _) = open(vec![file("core7.veccore1", &pipes[1..2])], 1 << 16);
    assert_eq!(rows(&doc), ["core7.veccore1 / CUBE", "core7.veccore1 / CUBE 2"]);
    let of_device = |device: &str| (format!("run/{device}/core0/trace.json"), core_trace(&pipes[1..2]));
    let (doc, _) = open(vec![of_device("device0"), of_device("device1")], 1 << 16);
    assert_eq!(rows(&doc)[..1], ["device0/core0 / CUBE"]);
    // Without a folder of a core its pipes have the numbers of the file.
    let cores = [(10, "CUBE"), (110, "CUBE")];
    let (doc, _) = open(vec![("trace.json".to_owned(), core_trace(&cores))], 1 << 16);
    assert_eq!(rows(&doc), ["CUBE 10 / 2", "CUBE 10 / CUBE", "CUBE 110 / 2", "CUBE 110 / CUBE"]);
}

#[test]
fn csv_files_alone_show_base_info_durations_and_occupancy() {
    let mut files = files_of(&fixtures().join("msinsight/folder"));
    files.retain(|(name, _)| name.ends_with(".csv"));
    let (mut doc, ready) = open(files.clone(), 1 << 16);
    assert!(ready);
    // They are no containers, but that is no news.
    let Answer::Report(report) = doc.query(&Query::Report).0 else { panic!("a report") };
    let other = |title: &str| report.claims.iter().all(|(read, ..)| read != title);
    assert!(!report.near.is_empty() && report.near.iter().all(|(title, ..)| other(title)));
    assert_eq!(
        (doc.trace().title.as_str(), doc.trace().headline.join(" ")),
        ("CopyScale", "vector 101.500 µs".to_owned())
    );
    let Body::Facts(facts) = &family(&doc, "base-info").variants[0].body else { panic!("facts") };
    let fact = |name: &str| facts.facts.iter().find(|f| f.name == name).map(|f| f.value.clone());
    assert_eq!((fact("Duration"), fact("Clock")), (Some(Cell::Number(101.5)), Some(Cell::Number(1_700.0))));
    assert_eq!(fact("Mix block dim"), None, "NA");
    let Body::Table(blocks) = &family(&doc, "block-detail").variants[0].body else { panic!("a table") };
    assert_eq!(blocks.rows[1], [Cell::Number(1.0), Cell::Text("vector".to_owned()), Cell::Number(80.5)]);
    assert_eq!(family(&doc, "block-detail-durations").variants.len(), 1);
    let cores = family(&doc, "core-occupancy");
    let shown = |variant: usize| -> Vec<Option<f64>> {
        let Body::Cores(grid) = &cores.variant(&[variant]).unwrap().body else { panic!("cores") };
        grid.cores.iter().flat_map(|core| core.cells.iter().map(|cell| cell.value)).collect()
    };
    assert_eq!(shown(0), [Some(180_450.0), Some(144_900.0)]);
    // No file has throughput.
    assert_eq!(cores.choices[0].options, ["Cycles", "Cache hit rate"]);
    assert_eq!(shown(1), [Some(75.0), Some(75.0)]);
    assert!(cores.variants[0].notes.iter().any(|note| note.key.starts_with("From CSV files")));
    // A mix operator has units of one block; a single file has less to show, but no fault.
    let mix = "block_id,sub_block_id,aic_time(us),aic_total_cycles,aiv_time(us),aiv_total_cycles,\n0,cube0,5.5,900,NA,NA,\n0,vector0,NA,NA,4.5,800,\n";
    let (doc, _) = open(vec![("PipeUtilization.csv".to_owned(), mix.into())], 1 << 16);
    let Body::Cores(grid) = &family(&doc, "core-occupancy").variants[0].body else { panic!("cores") };
    let cells: Vec<(&str, Option<f64>)> =
        grid.cores[0].cells.iter().map(|c| (c.name.as_str(), c.value)).collect();
    assert_eq!(cells, [("cube", Some(900.0)), ("vector0", Some(800.0))]);
    assert!(codes(&doc).is_empty(), "{:?}", doc.faults().rows());
    files.retain(|(name, _)| name.contains("OpBasicInfo"));
    let (doc, _) = open(files, 1 << 16);
    assert!(doc.trace().figures.iter().any(|f| f.id == "base-info") && codes(&doc).is_empty());
}
