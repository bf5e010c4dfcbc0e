//! What systems recorded stands in the tables as in the exports of the same document.

use super::{Table, table};
use crate::accelsim::{export, recorded};
use crate::gainsight::{make, open_set};
use crate::support::front_door::{open_case, open_one};
use crate::support::make_accesses::{container, stacks, tiled};
use crate::support::make_ascend::Container;
use lanescope::document::Document;
use lanescope::model::code::{Counts, ListingKind};
use serde_json::Value;

/// The lines of an export by the names of its columns.
fn lines(doc: &mut Document, id: &str) -> Vec<Value> {
    let text = export(doc, id);
    let mut csv = csv::Reader::from_reader(text.as_bytes());
    let heads: Vec<String> = csv.headers().unwrap().iter().map(str::to_owned).collect();
    let line = |line: csv::StringRecord| {
        heads.iter().zip(line.iter()).map(|(head, cell)| (head.clone(), cell.into())).collect()
    };
    csv.records().map(|record| Value::Object(line(record.unwrap()))).collect()
}

/// The cells of some columns of lines.
fn cells(lines: &[Value], heads: &[&str]) -> Vec<Vec<String>> {
    let cell = |line: &Value, head: &&str| {
        line[head].as_str().unwrap_or_else(|| panic!("{head} in {line}")).to_owned()
    };
    lines.iter().map(|line| heads.iter().map(|head| cell(line, head)).collect()).collect()
}

/// A hexadecimal number in decimal; nothing for nothing.
fn decimal(text: &str) -> String {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    if digits.is_empty() { String::new() } else { u64::from_str_radix(digits, 16).unwrap().to_string() }
}

fn sum(table: &Table, column: &str) -> f64 {
    table.column(column).iter().filter_map(|cell| cell.parse::<f64>().ok()).sum()
}

/// What the recording cuts off has no measured duration: tables and CSV say which slices that is of.
#[test]
fn slices_without_an_end_say_so() {
    let text = r#"{"traceEvents": [
        {"ph": "B", "pid": 1, "tid": 1, "name": "open", "ts": 5},
        {"ph": "B", "pid": 1, "tid": 2, "name": "closed", "ts": 7}, {"ph": "E", "pid": 1, "tid": 2, "ts": 9},
        {"ph": "X", "pid": 1, "tid": 3, "name": "whole", "ts": 0, "dur": 20},
        {"ph": "i", "pid": 1, "tid": 3, "name": "mark", "ts": 3}
    ]}"#;
    let (mut doc, is_ready) = open_one("trace.json", text.as_bytes().to_vec());
    assert!(is_ready);
    let said = [["closed", "2000", "false"], ["open", "15000", "true"], ["whole", "20000", "false"]];
    let mut rows = table(&mut doc, "slices").of(&["name", "dur", "unfinished"]);
    rows.sort();
    assert_eq!(rows, said);
    let mut rows = cells(&lines(&mut doc, "slices-csv"), &["name", "duration_ns", "unfinished"]);
    rows.sort();
    assert_eq!(rows, said);
    // Instants have no end that could be missing.
    assert!(!export(&mut doc, "instants-csv").contains("unfinished"));
}

/// More rows than are written at once, in no order of time, on a track with several levels; times of children that do not fit
/// 32 bits.
#[test]
fn slices_of_a_long_file_stand_once_with_what_is_around_them() {
    const OUTER: u64 = 3;
    const EACH: u64 = 100_000;
    let mut events = Vec::new();
    let mut said = Vec::new();
    let of = |name: &str, start: u64, dur: u64| {
        format!(r#"{{"ph":"X","pid":1,"tid":1,"name":"{name}","ts":{start},"dur":{dur}}}"#)
    };
    for outer in (0..OUTER).rev() {
        let start = outer * 10_000_000;
        for child in 0..EACH {
            let at = start + child * 100;
            // Every tenth has a child of its own, which takes 30 of its 80 µs.
            let has_own = child % 10 == 0;
            events.push(of("child", at, 80));
            said.push((
                at * 1000,
                "child",
                80_000,
                if has_own { 50_000 } else { 80_000 },
                Some(start * 1000),
            ));
            if has_own {
                events.push(of("grandchild", at + 50, 30));
                said.push(((at + 50) * 1000, "grandchild", 30_000, 30_000, Some(at * 1000)));
            }
        }
        // The outer one is told last, and lasts ten seconds, of which children take eight.
        events.push(of("outer", start, 10_000_000));
        said.push((start * 1000, "outer", 10_000_000_000_u64, 2_000_000_000, None));
    }
    let text = format!(r#"{{"traceEvents":[{}]}}"#, events.join(",\n"));
    let (mut doc, is_ready) = open_one("trace.json", text.into_bytes());
    assert!(is_ready);
    let written = table(&mut doc, "slices");
    let starts: std::collections::BTreeMap<String, String> =
        written.of(&["slice_id", "ts"]).into_iter().map(|row| (row[0].clone(), row[1].clone())).collect();
    assert_eq!(starts.len(), said.len());
    let mut rows: Vec<_> = written.of(&["ts", "name", "dur", "self", "parent_id"]);
    rows.iter_mut().filter(|row| !row[4].is_empty()).for_each(|row| row[4] = starts[&row[4]].clone());
    let mut said: Vec<Vec<String>> = said
        .into_iter()
        .map(|(start, name, dur, own, around)| {
            let around = around.map_or(String::new(), |start| start.to_string());
            vec![start.to_string(), name.to_owned(), dur.to_string(), own.to_string(), around]
        })
        .collect();
    rows.sort();
    said.sort();
    // The first that differs, not both lists whole.
    assert_eq!(rows.iter().zip(&said).find(|(row, said)| row != said), None);
}

#[test]
fn launches_of_a_log_are_those_of_its_csv() {
    for case in ["whole", "june", "killed"] {
        let (mut doc, is_ready) = open_case("neutrino", case);
        assert!(is_ready, "{case}");
        let (all, lines) = (table(&mut doc, "launches"), lines(&mut doc, "launches-csv"));
        assert!(!lines.is_empty(), "{case}");
        let columns = [
            "kernel",
            "ts",
            "shared",
            "status",
            "code",
            "probe_bytes",
            "prologue_ms",
            "kernel_ms",
            "epilogue_ms",
            "ratio",
            "plain_ms",
            "impact",
        ];
        let heads = [
            "kernel",
            "time_ns",
            "shared_bytes",
            "status",
            "code",
            "probe_bytes",
            "prologue_ms",
            "kernel_ms",
            "epilogue_ms",
            "ratio",
            "original_ms",
            "impact",
        ];
        assert_eq!(all.of(&columns), cells(&lines, &heads), "{case}");
        let sizes = ["grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z"];
        let mut of_csv = cells(&lines, &sizes);
        // What the log does not say is no 0.
        of_csv.iter_mut().flatten().filter(|cell| *cell == "0").for_each(String::clear);
        assert_eq!(all.of(&sizes), of_csv, "{case}");
        for ((number, facts), line) in all.column("launch").iter().zip(all.column("facts")).zip(&lines) {
            assert_eq!(
                Some((number.parse::<u64>().unwrap() + 1).to_string().as_str()),
                line["launch"].as_str()
            );
            let facts: Value = serde_json::from_str(&facts).unwrap();
            for name in ["folder", "function", "result"] {
                assert_eq!(facts[name].as_str().unwrap_or(""), line[name], "{case} {name}");
            }
            assert_eq!(facts["line"].to_string(), line["line"].as_str().unwrap());
            let parameters: Vec<&str> =
                facts["parameters"].as_array().unwrap().iter().map(|value| value.as_str().unwrap()).collect();
            assert_eq!(parameters.join(" "), line["parameters"]);
        }
    }
    // Of the launches of the log the trace holds the records of one.
    let all = table(&mut open_case("neutrino", "whole").0, "launches");
    assert_eq!(sum(&all, "has_records"), 1.0);
}

const RECORDED: [(&str, &str); 7] = [
    ("accelsim", "folder"),
    ("accelsim", "raw"),
    ("gpu_multitrace", "tiny"),
    ("gpu_multitrace", "slots"),
    ("gtpin_memory", "d_times"),
    ("nvbit", "pairs"),
    ("nvbit_json", "memory"),
];

#[test]
fn launches_that_were_recorded_are_told() {
    for (format, case) in RECORDED {
        let (mut doc, _) = open_case(format, case);
        let all = table(&mut doc, "launches");
        let launches = &recorded(&doc).launches;
        assert_eq!(all.rows.len(), launches.len(), "{format} {case}");
        let (threads, executions) = (all.column("threads"), all.column("executions"));
        let names = all.of(&["name", "kernel", "grid_x", "block_x"]);
        for (at, launch) in launches.iter().enumerate() {
            let program = &recorded(&doc).programs[launch.program as usize];
            let known = |n: u32| if n == 0 { String::new() } else { n.to_string() };
            let own =
                [launch.name.clone(), program.name.clone(), known(launch.grid[0]), known(launch.group[0])];
            assert_eq!(names[at], own, "{format} {case}");
            assert_eq!(threads[at], launch.threads.len().to_string());
            assert_eq!(executions[at], launch.executions.block.len().to_string());
        }
    }
}

#[test]
fn blocks_are_those_of_the_schedule() {
    for case in ["whole", "june"] {
        let (mut doc, _) = open_case("neutrino", case);
        let text = export(&mut doc, "blocksched-json:schedule-align=raw");
        let json: Value = serde_json::from_str(&text).unwrap();
        let of_json = json["per_block"].as_array().unwrap();
        let all = table(&mut doc, "blocks");
        assert!(!of_json.is_empty() && all.rows.len() == of_json.len(), "{case}");
        let starts: Vec<u64> = all.column("start").iter().map(|cell| cell.parse().unwrap()).collect();
        let first = starts.iter().min().unwrap();
        let rows = all.of(&["block", "x", "y", "z", "lane", "wave", "dur", "gap", "unit", "time_unit"]);
        for ((row, start), block) in rows.iter().zip(&starts).zip(of_json) {
            let cell =
                |name: &str| if block[name].is_null() { String::new() } else { block[name].to_string() };
            let names = ["block", "x", "y", "z", "lane", "wave", "elapsed", "gap"];
            assert_eq!(row[..8], names.map(cell), "{case}");
            assert_eq!(start - first, block["start"].as_u64().unwrap(), "{case}");
            let unit = if json["sms"].is_null() { String::new() } else { cell("sm") };
            assert_eq!((&row[8], row[9].as_str()), (&unit, json["unit"].as_str().unwrap()), "{case}");
        }
        let running = json["per_sm"].as_array().unwrap().iter().map(|unit| unit["running"].as_f64().unwrap());
        assert_eq!(sum(&all, "dur"), running.sum::<f64>(), "{case}");
    }
}

#[test]
fn lifetimes_are_those_of_the_csv() {
    for set in [&[][..], &[("orphans", "include"), ("lifetime", "resident"), ("clock-mhz", "500")]] {
        let (text, _) = make::log(11, 900);
        let mut doc = open_set(&[("run.log", text.into_bytes())], set);
        let all = table(&mut doc, "lifetimes");
        assert!(all.column("log").iter().all(|log| log == "0"));
        for (level, id) in [("1", "gainsight-l1-csv"), ("2", "gainsight-l2-csv")] {
            let number = |text: &str| text.parse::<f64>().unwrap_or(0.0);
            let own = all.of(&["level", "kernel_id", "address", "lifetime", "lifetime_ns"]);
            let own = own.into_iter().filter(|row| row[0] == level).map(|row| {
                let [_, kernel, address, cycles, nanos] = &row[..] else { panic!() };
                format!("{kernel},{address}.00,{cycles}.00,{:.2}", number(nanos))
            });
            let own: Vec<String> = own.collect();
            let csv = export(&mut doc, id);
            assert!(!own.is_empty(), "{set:?} level {level}");
            assert_eq!(own, csv.lines().skip(1).collect::<Vec<_>>(), "{set:?} level {level}");
        }
    }
}

#[test]
fn accesses_of_the_file_are_those_of_the_csv() {
    let mut made = open_one("visualize_data.bin", container(&tiled(20_000), &stacks())).0;
    let mut stored = open_case("msinsight", "accesses").0;
    for doc in [&mut made, &mut stored] {
        let (all, lines) = (table(doc, "accesses"), lines(doc, "accesses-csv"));
        assert!(!lines.is_empty());
        let names = [
            "record",
            "operation",
            "unit",
            "space",
            "bytes",
            "allocation",
            "offset",
            "function",
            "file",
            "line",
        ];
        assert!(all.of(&names) == cells(&lines, &names));
        let places = cells(&lines, &["address", "pc"]);
        let places: Vec<Vec<String>> =
            places.iter().map(|row| row.iter().map(|cell| decimal(cell)).collect()).collect();
        assert!(all.of(&["address", "pc"]) == places);
        assert!(all.column("call_stack") == cells(&lines, &["call stack"]).concat());
        for (attributes, line) in all.column("attributes").iter().zip(&lines) {
            let known: Value = serde_json::from_str(attributes).unwrap_or(Value::Null);
            for (head, cell) in line.as_object().unwrap() {
                let id = head.strip_prefix("unit ").unwrap_or(head);
                if !names.contains(&head.as_str())
                    && !["address", "pc", "call stack"].contains(&head.as_str())
                {
                    assert_eq!(known[id].as_str().unwrap_or(""), cell, "{head}");
                }
            }
        }
    }
}

#[test]
fn accesses_of_lanes_are_those_of_the_csv_and_stand_once() {
    for (format, case) in RECORDED {
        let (mut doc, _) = open_case(format, case);
        let lines = lines(&mut doc, "lane-accesses-csv");
        let all = table(&mut doc, "accesses");
        let names = ["launch", "thread", "instance", "ordinal", "pc", "lane", "address", "bytes"];
        let own: Vec<Vec<String>> = all.of(&names).into_iter().filter(|row| !row[5].is_empty()).collect();
        assert!(!own.is_empty() && own == cells(&lines, &names), "{format} {case}");
        let said = all.of(&["space", "operation", "lane"]);
        for (row, line) in said.iter().filter(|row| !row[2].is_empty()).zip(&lines) {
            let space = ["global", "shared", "local", "constant"].iter().position(|space| *space == row[0]);
            assert_eq!(space.map(|at| at.to_string()).as_deref(), line["space"].as_str(), "{format} {case}");
            assert_eq!(row[1] != "read", line["is_write"] == "1", "{format} {case}");
        }
    }
}

/// Sends to memory: each lane with its address, and rectangles of surfaces, which have none.
#[test]
fn sends_are_lanes_and_rectangles() {
    for case in ["b", "c", "d", "d_times"] {
        let (mut doc, _) = open_case("gtpin_memory", case);
        let mut expected: Vec<Vec<String>> = Vec::new();
        for line in lines(&mut doc, "gtpin-accesses-csv") {
            let cell = |name: &str| line[name].as_str().unwrap().to_owned();
            let place = ["launch", "instance", "ordinal", "time", "offset"].map(cell);
            let (lanes, addresses) = (cell("lanes"), cell("addresses"));
            let row = |rest: [String; 4]| place.iter().cloned().chain(rest).collect::<Vec<_>>();
            if lanes.is_empty() {
                let area: Vec<u64> = addresses.split_whitespace().map(|word| word.parse().unwrap()).collect();
                if let [x, y, width, rows] = area[..] {
                    let said = format!(r#"{{"rows":{rows},"width":{width},"x":{x},"y":{y}}}"#);
                    expected.push(row([String::new(), String::new(), (width * rows).to_string(), said]));
                }
                continue;
            }
            let mask = u32::from_str_radix(&lanes, 16).unwrap();
            let lanes = (0..32).filter(|lane| mask >> lane & 1 == 1);
            for (lane, address) in lanes.zip(addresses.split_whitespace()) {
                expected.push(row([lane.to_string(), decimal(address), String::new(), String::new()]));
            }
        }
        let all = table(&mut doc, "accesses");
        let names = ["launch", "instance", "ordinal", "time", "pc", "lane", "address", "bytes", "attributes"];
        let mut own = all.of(&names);
        for row in &mut own {
            // Bytes of a lane stand in another export.
            if !row[5].is_empty() {
                row[7].clear();
            }
            if !row[8].is_empty() {
                row[8] = serde_json::from_str::<std::collections::BTreeMap<String, u64>>(&row[8])
                    .map(|map| serde_json::to_string(&map).unwrap())
                    .unwrap();
            }
        }
        assert!(
            own.iter().any(|row| row[5].is_empty()) && own.iter().any(|row| !row[5].is_empty()),
            "{case}"
        );
        assert_eq!(own, expected, "{case}");
    }
}

/// Rows and sums of listings as their own columns have them.
#[test]
fn instructions_have_the_metrics_of_their_listings() {
    let cases = [
        ("msinsight", "instructions_first", &[Counts::Executions, Counts::Cycles, Counts::Stalls][..]),
        ("accelsim", "folder", &[Counts::Executions, Counts::Sectors]),
        ("nvbit", "pairs", &[Counts::Executions, Counts::Sectors]),
        ("gtpin_memory", "d", &[Counts::Executions, Counts::Sectors]),
        ("gpu_multitrace", "tiny", &[Counts::Executions]),
        ("pti", "counts", &[Counts::Executions]),
        ("pti", "accesses", &[Counts::Executions]),
        ("neutrino", "whole", &[]),
        ("gtpin_text", "listing", &[]),
    ];
    for (format, case, counts) in cases {
        let (mut doc, _) = open_case(format, case);
        let all = table(&mut doc, "instructions");
        let listings = || doc.trace().code.listings.iter().filter(|one| one.kind == ListingKind::Assembly);
        let n: usize = listings().map(|listing| listing.lines.len()).sum();
        let texts: Vec<&str> =
            listings().flat_map(|one| (0..one.lines.len()).map(|row| one.lines.get(row))).collect();
        if format != "neutrino" {
            assert!(0 < n, "{format} {case}");
        }
        assert_eq!(all.column("text"), texts, "{format} {case}");
        let addresses = listings().flat_map(|one| {
            (0..one.lines.len()).map(|row| one.address.get(row).map_or(String::new(), u64::to_string))
        });
        assert_eq!(all.column("address"), addresses.collect::<Vec<_>>(), "{format} {case}");
        for count in counts {
            let mut known = 0.0;
            for listing in listings() {
                // Of several columns that count alike all kinds of stalls are kept, and the first of the others.
                let n = if *count == Counts::Stalls { usize::MAX } else { 1 };
                let columns = listing.columns.iter().filter(|column| column.counts == Some(*count)).take(n);
                for (column, row) in
                    columns.flat_map(|one| (0..listing.lines.len()).map(move |row| (one, row)))
                {
                    for core in 0..column.cells.per_row() {
                        let parts = column.cells.parts(row, core);
                        let samples = parts.map_or(0.0, |parts| parts.parts.iter().map(|(_, n)| n).sum());
                        let number = column.cells.number(row, core).unwrap_or(0.0);
                        known += if *count == Counts::Stalls { samples } else { number };
                    }
                }
            }
            let found: f64 = match count {
                Counts::Executions => sum(&all, "executions"),
                Counts::Cycles => sum(&all, "cycles"),
                Counts::Sectors => sum(&all, "sectors"),
                Counts::Stalls => {
                    let stalls = all.column("stalls");
                    let stalls = stalls.iter().filter_map(|text| serde_json::from_str::<Value>(text).ok());
                    let reasons = |stalls: Value| -> f64 {
                        let kinds = stalls.as_object().unwrap().values();
                        kinds
                            .flat_map(|kind| kind.as_object().unwrap().values())
                            .filter_map(Value::as_f64)
                            .sum()
                    };
                    stalls.map(reasons).sum()
                }
            };
            assert!(0.0 < known, "{format} {case} {count:?}");
            assert_eq!(found, known, "{format} {case} {count:?}");
        }
    }
}

/// Sums over cores are of what counts; what does not, such as a number of registers, stands for each core.
#[test]
fn only_counts_add_up_over_cores() {
    let cell = |cycles: &str, registers: &str| {
        format!(
            r#"{{"Address":"0x10","Source":"MOV","Cycles":[{cycles}],"Instructions Executed":[3,4],"GPR Count":[{registers}],"L2Cache Hit Rate":"72%","Stall Sampling(All Samples)":{{"Percent":0.25,"Details":{{"Wait":3,"Others":1}}}}}}"#
        )
    };
    let instructions = format!(
        r#"{{"Cores":["a","b"],"Instructions Dtype":{{"Instructions":{{"Address":3,"Source":3,"Cycles":1,"Instructions Executed":1,"GPR Count":1,"L2Cache Hit Rate":3,"Stall Sampling(All Samples)":100}}}},"Instructions":[{},{}]}}"#,
        cell("10,20", "5,6"),
        cell("1,1", "7,7").replace("0x10", "0x18")
    );
    let file = Container::default().block(4, 0, instructions.as_bytes());
    let (mut doc, is_ready) = open_one("visualize_data.bin", file.0);
    assert!(is_ready);
    let all = table(&mut doc, "instructions");
    assert_eq!(all.of(&["executions", "cycles", "sectors"]), [["7", "30", ""], ["7", "2", ""]]);
    for stalls in all.column("stalls") {
        let expected = serde_json::json!({"Stall Sampling(All Samples)": {"Wait": 3.0, "Others": 1.0}});
        assert_eq!(serde_json::from_str::<Value>(&stalls).unwrap(), expected);
    }
    let metrics: Vec<Value> =
        all.column("metrics").iter().map(|text| serde_json::from_str(text).unwrap()).collect();
    assert_eq!(metrics[0]["GPR Count"].to_string(), "[5.0,6.0]");
    assert_eq!(metrics[1]["GPR Count"].to_string(), "7.0");
    assert_eq!(metrics[0]["Stall Sampling(All Samples)"].to_string(), "0.25");
}
