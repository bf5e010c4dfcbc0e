//! Neutrino: what trace folders say, of every generation, whole and in parts.

mod corpus;
mod fixtures;
mod headers;
mod logs;
pub(crate) mod make;

use crate::support::front_door::{open, open_case};
use lanescope::document::Document;
use lanescope::model::figure::{Body, Cell};
use lanescope::wire::figures::{FigureQuery, Reply};
use lanescope::wire::{Answer, Query};

/// Cells of a table or values of facts, as text with all digits.
fn rows(doc: &mut Document, id: &str) -> Vec<Vec<String>> {
    while doc.has_work() {
        doc.step();
    }
    let ask = FigureQuery::Figure { id: id.to_owned(), chosen: Vec::new() };
    let (Some(Reply::Figure(shown)), _) = doc.query(&ask) else { panic!("{id} is a figure") };
    let plain = |cells: &[Cell]| cells.iter().map(Cell::plain).collect();
    match shown.figure.body {
        Body::Table(table) => table.rows.iter().map(|row| plain(row)).collect(),
        Body::Facts(facts) => {
            facts.facts.into_iter().map(|fact| vec![fact.name, fact.value.plain()]).collect()
        }
        body => panic!("{id} is {}", body.kind()),
    }
}

/// One row as text.
fn row(doc: &mut Document, id: &str, at: usize) -> String {
    rows(doc, id)[at].join(" | ")
}

/// Names of the bars of a figure.
fn bars(doc: &mut Document, id: &str) -> Vec<String> {
    while doc.has_work() {
        doc.step();
    }
    let ask = FigureQuery::Figure { id: id.to_owned(), chosen: Vec::new() };
    let (Some(Reply::Figure(shown)), _) = doc.query(&ask) else { panic!("{id} is a figure") };
    let Body::Bars(bars) = shown.figure.body else { panic!("bars") };
    bars.bars.into_iter().map(|bar| bar.name).collect()
}

/// Notes below a figure.
fn notes(doc: &mut Document, id: &str) -> Vec<String> {
    let ask = FigureQuery::Figure { id: id.to_owned(), chosen: Vec::new() };
    let (Some(Reply::Figure(shown)), _) = doc.query(&ask) else { panic!("{id} is a figure") };
    shown.figure.notes.iter().map(ToString::to_string).collect()
}

/// Codes and places of what is said, in order.
fn said(doc: &mut Document) -> Vec<String> {
    while doc.has_work() {
        doc.step();
    }
    let line = |fault: &lanescope::base::fault::Fault| {
        let name = fault.place.entry.rsplit('/').next().unwrap_or("");
        format!("{} {} {name}:{}", fault.severity.name(), fault.code, fault.place.byte.unwrap_or(0))
    };
    doc.faults().rows().iter().map(line).collect()
}

fn opened(files: Vec<(String, Vec<u8>)>) -> Document {
    let (doc, is_ready) = open(files, 1 << 16);
    assert!(is_ready, "{:?}", doc.faults().rows());
    doc
}

#[test]
fn a_folder_tells_its_process_launches_kernels_and_maps() {
    let mut doc = open_case("neutrino", "whole").0;
    assert_eq!(doc.trace().title, "copy");
    assert_eq!(doc.trace().headline, ["0.250000.bin", "(3 × 2 × 1) × (48 × 1 × 1)", "500.000 µs"]);
    let process: Vec<String> = rows(&mut doc, "neutrino-process").iter().map(|row| row.join(" ")).collect();
    let expected = [
        "Folder Nov21_001721_4711",
        "Process 4711",
        "Command ./app 1 2",
        "Rank 3",
        "First launch 2026-11-21 00:17:21 UTC",
        "Maps described by probe.toml",
        "Launches 4",
        "Probed launches 2",
        "Failed launches 0",
        "Launches without probes 2",
    ];
    assert_eq!(process, expected);
    let first = "copy | 1 | time:1795220241665226464+61250000 since:1795220241665226464 | 3 × 2 × 1 | 48 × 1 × 1 | probed | 0.250000.bin | \
        9408 | 60.5 | 0.5 | 0.25 | 60.75";
    assert_eq!(row(&mut doc, "neutrino-launches", 0), first);
    assert_eq!(
        row(&mut doc, "neutrino-launches", 3),
        "tile | 4 |  | 64 × 1 × 1 | 32 × 1 × 1 | without probes |  |  |  |  |  | "
    );
    assert_eq!(row(&mut doc, "neutrino-coverage", 0), "copy | 0 | probed | 2 | 2 | 18 | 22 |  | ");
    let failed = rows(&mut doc, "neutrino-coverage")[1].clone();
    assert_eq!(failed[..5].join(" | "), "tile | 1 | failed | 2 | 0");
    assert_eq!(failed[7], "ValueError: no register left");
    assert!(failed[8].starts_with("Traceback (most recent call last):\n"));
    // The first launch waited for its kernel: 60.5 + 0.25 ms; the second 0.25 + 0.25. No launch ran without probes.
    assert_eq!(row(&mut doc, "neutrino-slowdown", 0), "copy | 2 | 60.75 | 0.5 | 0.5 | 9408 | 4");
    let noted = notes(&mut doc, "neutrino-slowdown");
    assert!(noted.iter().any(|note| note.contains("is unknown: only a benchmark run")), "{noted:?}");
    let memory = rows(&mut doc, "neutrino-memory");
    assert_eq!([&memory[0][1], &memory[1][1]], ["9408", "1048576"]);
    assert_eq!(
        row(&mut doc, "neutrino-result", 0),
        "block_sched | warp | start u64, elapsed u32, cuid u32 | 16 | 1 | 12 | 6 | 64 | 64"
    );
    assert_eq!(
        row(&mut doc, "neutrino-result", 1),
        "progress | thread | clock u64 | 8 | 4 | 288 | 288 | 256 | 208"
    );
    let table = &doc.trace().tables[0];
    assert_eq!((table.id.as_str(), table.columns[1].cells.len()), ("fabricperf_throughput", 2));
}

#[test]
fn what_cannot_be_trusted_is_said_once() {
    let mut doc = open_case("neutrino", "whole").0;
    let expected = [
        "loss NEU-KERNEL process.log:218",
        "warning NEU-WARP 0.250000.bin:32",
        "warning NEU-OFFSET 0.250000.bin:56",
        "note NEU-CLOCKS 0.250000.bin:32",
        "warning NEU-UNPROBED event.log:1551",
    ];
    assert_eq!(said(&mut doc), expected);
    assert_eq!(said(&mut open_case("neutrino", "june").0), ["note NEU-CLOCKS 0.125000.bin:32"]);
    assert_eq!(
        said(&mut open_case("neutrino", "alone").0),
        ["warning NEU-SCHEMA 0.125000.bin:28", "note NEU-CLOCKS 0.125000.bin:32"]
    );
}

#[test]
fn launches_callbacks_and_memory_lie_on_the_timeline() {
    let doc = open_case("neutrino", "whole").0;
    let trace = doc.trace();
    let mut lines = Vec::new();
    for (id, track) in trace.tracks.iter() {
        let path = trace.track_path(id);
        let path = path.rsplit(" / ").next().unwrap();
        let first = trace.span.unwrap().start;
        for row in 0..track.slices.len() {
            let name = trace.strings.get(track.slices.name[row]);
            lines.push(format!(
                "{path}: {} +{} {name}",
                track.slices.start[row] - first,
                track.slices.dur_of(row)
            ));
        }
        for (time, name) in track.instants.time.iter().zip(&track.instants.name) {
            lines.push(format!("{path}: {} {}", time - first, trace.strings.get(*name)));
        }
        for series in &track.series {
            let samples = series
                .time
                .iter()
                .zip(&series.value)
                .map(|(time, value)| format!(" {}={value}", time - first));
            lines.push(format!("{path}:{}", samples.collect::<String>()));
        }
    }
    let expected = [
        "Launches: 0 +61250000 copy",
        "Launches: 0 +60500000 Prologue",
        "Launches: 60500000 +500000 Kernel",
        "Launches: 61000000 +250000 Epilogue",
        // The second launch begins at its time: 250 ms behind the kernel of the first.
        "Launches: 310500000 +1000000 copy",
        "Launches: 310500000 +125000 Prologue",
        "Launches: 310625000 +500000 Kernel",
        "Launches: 311125000 +375000 Epilogue",
        "Callbacks: 61250000 blocks.py",
        "Application memory: 0=1048576 310500000=1048576",
        "Probe memory: 60500000=9408 61250000=0 310625000=9408 311500000=0",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn every_result_of_every_process_is_a_document() {
    let mut files = fixtures::whole();
    let (path, bytes) = files.iter().find(|(path, _)| path.ends_with(".bin")).unwrap().clone();
    files.push((path.replace("0.250000", "0.500000"), bytes));
    files.extend(fixtures::june());
    for (path, _) in &mut files {
        path.insert_str(0, "traces/");
    }
    let doc = opened(files);
    let expected = [
        "traces/Jun21_001721_42/result/0.125000.bin",
        "traces/Nov21_001721_4711/result/0.250000.bin",
        "traces/Nov21_001721_4711/result/0.500000.bin",
    ];
    assert_eq!(doc.operators(), expected);
    // Six blocks of 48 threads.
    let head = doc.operator_heads(1, 1).remove(0);
    let measures: Vec<_> = head.measures.iter().map(|own| (own.name.as_str(), own.value)).collect();
    assert_eq!((head.block_dim, head.blocks()), (None, Some(6.0)));
    assert_eq!(measures, [("Blocks", 6.0), ("Threads per block", 48.0)]);
    let launches: Vec<String> = doc.operator_heads(1, 2).into_iter().map(|head| head.launch).collect();
    assert_eq!(launches, ["1 copy", "2 copy"]);
    assert_eq!(doc.trace().headline[0], "0.125000.bin");
}

/// Names of kernels are written out wherever they are shown; exports and tooltips have their symbols.
#[test]
fn launches_of_a_project_have_names_and_symbols() {
    let launch =
        make::Launch { writer: make::Writer::V2, grid: [4, 1, 1], block: [64, 1, 1], maps: &[make::BLOCKS] };
    let mut log = b"[init] pid 1\n".to_vec();
    log.extend(make::compile("probe", "_Z4copyPfi", "0x10", 0, true));
    for (file, time) in [("0.250000.bin", 1_u64), ("0.500000.bin", 2)] {
        let time = 1_795_220_241_725_726_464 + time;
        log.extend(launch.log("0x10", time, &format!("./trace/run/result/{file}"), [0.5, 0.5, 0.5]).bytes());
    }
    let bin = launch.result(|_, unit, _| Some(vec![1_000 + unit, 100, 0]));
    let files = [
        ("event.log", log),
        ("probe.toml", make::probes(&[make::BLOCKS]).into_bytes()),
        ("result/0.250000.bin", bin.clone()),
        ("result/0.500000.bin", bin),
    ];
    let doc = opened(files.map(|(path, bytes)| (format!("Nov21_001721_4711/{path}"), bytes)).to_vec());
    let head = doc.operator_heads(1, 1).remove(0);
    assert_eq!((head.launch.as_str(), head.symbol.as_str()), ("2 copy(float*, int)", "_Z4copyPfi"));
    assert_eq!(head.written(), "2 _Z4copyPfi");
}

#[test]
fn loose_files_of_a_folder_belong_together() {
    let mut files = fixtures::whole();
    files.retain(|(path, _)| !path.contains("/kernel/"));
    for (path, _) in &mut files {
        *path = path.rsplit('/').next().unwrap().to_owned();
    }
    let mut doc = opened(files);
    assert_eq!(doc.trace().title, "copy");
    assert_eq!(
        row(&mut doc, "neutrino-result", 1),
        "progress | thread | clock u64 | 8 | 4 | 288 | 288 | 256 | 208"
    );
}

/// What is said of files of the folder that are missing, as the Report and the page have it: the view, and why.
fn missing(doc: &mut Document) -> Vec<String> {
    let (Answer::Report(report), _) = doc.query(&Query::Report) else { panic!("a report") };
    assert_eq!(report.missing, doc.head().missing);
    report.missing.iter().map(|own| format!("{}: {}", own.id, own.why)).collect()
}

#[test]
fn missing_files_of_a_folder_are_said_with_what_they_would_show() {
    let folder = "Open the whole trace folder.";
    let without = |part: &str| {
        let mut files = fixtures::whole();
        files.retain(|(path, _)| !path.contains(part));
        missing(&mut opened(files))
    };
    let costs = "launches, their times and memory, and the probe cost are not shown.";
    let log = format!("timeline: event.log is missing: {costs} {folder}");
    assert_eq!(without("event.log"), std::slice::from_ref(&log));
    // Two launches saved their results; one is here.
    let one = format!("0.500000.bin is missing: the records of its launch are not shown. {folder}");
    assert_eq!(without("?"), [format!("neutrino-results: {one}")]);
    // The probes say what records would be shown as.
    let two = "2 results saved by launches are missing, such as 0.250000.bin: their records are not shown.";
    assert_eq!(without("/result/"), [format!("schedule: {two} {folder}")]);
    let mut files = fixtures::whole();
    let bytes = files.iter().find(|(path, _)| path.ends_with(".bin")).unwrap().1.clone();
    files.push(("Nov21_001721_4711/result/0.500000.bin".to_owned(), bytes));
    let mut doc = opened(files);
    assert_eq!((doc.operators().len(), missing(&mut doc)), (2, Vec::new()), "each is a document");
    // Of three results two are here: each of their documents says which is not.
    let mut files = fixtures::whole();
    let (path, bytes) = files.iter().find(|(path, _)| path.ends_with(".bin")).unwrap().clone();
    files.push((path.replace("0.250000", "0.750000"), bytes));
    let mut doc = opened(files);
    assert_eq!((doc.operators().len(), missing(&mut doc)), (2, vec![format!("neutrino-results: {one}")]));
    let code = "source: No file from kernel/ is open: kernel instructions and assembler output are";
    let code = format!("{code} not shown. {folder}");
    assert_eq!(without("/kernel/"), [code.clone(), format!("neutrino-results: {one}")]);
    let mut kernels = fixtures::whole();
    kernels.retain(|(path, _)| path.contains("/kernel/"));
    let here = format!("No file from result/ is open: launch records are not shown. {folder}");
    // Fields that are guessed from `kernel.info` promise no schedule.
    assert_eq!(missing(&mut opened(kernels)), [log, format!("neutrino-results: {here}")]);
    let killed = "neutrino-results: A benchmark run saves no results: there are no records to show.";
    assert_eq!(missing(&mut open_case("neutrino", "killed").0), [code.as_str(), killed]);
}
