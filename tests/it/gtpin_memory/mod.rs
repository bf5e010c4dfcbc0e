//! Memory traces of hardware threads: every variant through the front door, damage, and files that others made.

mod make;

use crate::nvbit::fixtures::keep;
use crate::nvbit::{export, recorded, rows, said, table};
use crate::support::corpus::corpus;
use crate::support::front_door::{open_case, open_one};
use lanescope::base::fault::Severity;
use lanescope::views::executions::compute::{DIVERGENT, Space};
use lanescope::views::executions::messages::{ExecutionsQuery, Reply};

use make::{B, C, D, D_TIMES, blocks, file, threads};
use serde_json::Value;
use std::fs;

const FILE: &str = "memorytrace_compressed.bin";

#[test]
fn the_fixtures_are_what_they_are_made_of() {
    let layouts =
        [("b", B, "no tiles"), ("c", C, "tiles"), ("d", D, "longer sends"), ("d_times", D_TIMES, "times")];
    for (case, layout, shows) in layouts {
        let bytes = file(layout, &blocks(), &threads());
        keep("gtpin_memory", case, &[(FILE, bytes)], "tests/it/gtpin_memory/mod.rs", shows);
    }
}

#[test]
fn every_variant_says_the_same() {
    for (case, layout) in [("b", "B"), ("c", "C"), ("d", "D"), ("d_times", "D")] {
        let (doc, is_ready) = open_case("gtpin_memory", case);
        assert!(is_ready && said(&doc).is_empty(), "{case}: {:?}", said(&doc));
        let launch = &recorded(&doc).launches[0];
        assert_eq!(launch.facts[0].1, layout, "{case}");
        let names = (0..3).map(|t| format!("{}, {}", launch.threads.group_name(t), launch.threads.name(t)));
        let expected = [
            "slice 0 subslice 0 EU 0, slot 1 #1",
            "slice 0 subslice 0 EU 0, slot 1 #2",
            "slice 1 subslice 0 EU 3, slot 2 #1",
        ];
        assert_eq!(names.collect::<Vec<_>>(), expected, "{case}");
        assert_eq!(launch.executions.starts, [0, 8, 16, 24]);
        assert_eq!(launch.executions.lanes[..5], [16, 16, 8, 8, 8]);
        assert_eq!(launch.executions.time.len(), if case == "d_times" { 24 } else { 0 });
        // 64 + 16 × 64 bytes in the first, 64 + 64 in the second.
        assert_eq!(launch.executions.moved[1..3], [64 + 1024, 64 + 64]);
        assert_eq!(launch.executions.excess[1], 15);
        assert_eq!(launch.executions.flags[2] & DIVERGENT, DIVERGENT);
        let program = &recorded(&doc).programs[0];
        let texts: Vec<&str> = program.instructions.iter().map(|i| i.text.as_str()).collect();
        assert_eq!(texts[0], "head of the thread");
        assert_eq!(texts[2], "send read scatter SIMD16 1×4 bytes A64 surface 0");
        assert_eq!(program.instructions[6].memory.map(|m| m.space), Some(Space::Shared));
        assert_eq!(rows(&doc, 0, 1)[1].addresses[15], 0x1_0000_0000 + 0x1000 + 256 * 15);
        assert_eq!((rows(&doc, 0, 2)[0].mask, rows(&doc, 0, 2)[0].addresses.len()), (Some(0xFF), 8));
        assert_eq!(rows(&doc, 0, 4)[0].mask, Some(0xFF00), "the lanes begin at 8");
        assert_eq!(rows(&doc, 0, 5)[0].addresses, [0x1000 + 0x8000]);
        assert!(rows(&doc, 0, 5)[1].missing.is_some(), "a rectangle has no addresses");
        let groups: Vec<String> =
            table(&doc, "gtpin-threads").iter().map(|row| row[7..10].join(",")).collect();
        assert_eq!(groups, ["5,2,3", "6,2,3", "4,2,3"]);
    }
}

#[test]
fn details_count_sectors_of_64_bytes() {
    let (mut doc, _) = open_case("gtpin_memory", "c");
    while doc.has_work() {
        doc.step();
    }
    let ask = ExecutionsQuery::Detail { launch: 0, execution: 1, row: None };
    let Some(Reply::Detail(Some(detail))) = doc.query(&ask).0 else { panic!() };
    let access = detail.rows.iter().find_map(|row| row.access).unwrap();
    assert_eq!((access.sector, access.access.moved % 64), (64, 0));
    assert!(detail.listing.is_some());
    let sums: u64 = detail.rows.iter().filter_map(|row| row.access).map(|own| own.access.moved).sum();
    assert_eq!(detail.known.moved.map(|moved| moved.0), Some(sums), "the pane says what the picture shows");
}

#[test]
fn damage_is_said_and_what_stands_before_it_is_shown() {
    let whole = file(C, &blocks(), &threads());
    let (doc, is_ready) = open_one(FILE, whole[..whole.len() - 100].to_vec());
    assert!(is_ready);
    assert_eq!(doc.faults().rows()[0].code, "GTP-CUT");
    let n = recorded(&doc).launches[0].executions.block.len();
    assert_eq!(n, 21, "all but the last three");
    let (doc, is_ready) = open_one(FILE, b"a file of 2021 packs its sends".repeat(40));
    let fault = &doc.faults().rows()[0];
    assert!(!is_ready && fault.code == "GTP-LAYOUT" && fault.severity == Severity::Fatal);
    assert!(fault.to_string().contains("Kits from 2021"), "{fault}");
}

/// The lines of the export that the expected records make.
fn expected_lines(expected: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    for thread in expected["threads"].as_array().unwrap() {
        let tid: Vec<String> = thread["tid"].as_array().unwrap().iter().map(Value::to_string).collect();
        let (mut instance, mut ordinal, mut group) = (-1, 0, String::new());
        for record in thread["records"].as_array().unwrap() {
            let (id, mask) = (record[0].as_u64().unwrap(), record[1].as_u64().unwrap());
            if id == 0 {
                (instance, ordinal) = (instance + 1, 0);
                let values = &record[2][0];
                group = format!("{},{},{}", values[1], values[6], values[7]);
            }
            let sends = expected["blocks"][id.to_string()].as_array().unwrap();
            for (send, values) in sends.iter().zip(record[2].as_array().unwrap()) {
                let number = |key: &str| send[key].as_u64().unwrap();
                let values: Vec<u64> =
                    values.as_array().unwrap().iter().map(|v| v.as_u64().unwrap()).collect();
                let live = |lane: u64| mask >> (number("channelOffset") + lane) & 1 == 1;
                let (lanes, addresses) = if id == 0 || values.is_empty() {
                    (String::new(), String::new())
                } else {
                    let n = number("execSize").min(values.len() as u64);
                    let lanes = (0..n).filter(|lane| live(*lane)).fold(0_u64, |m, lane| m | 1 << lane);
                    let list =
                        (0..n).filter(|lane| live(*lane)).map(|lane| format!("{:x}", values[lane as usize]));
                    (format!("{lanes:08x}"), list.collect::<Vec<_>>().join(" "))
                };
                lines.push(format!(
                    "0,0,{},{instance},{group},{ordinal},{id},{mask:08x},{},{lanes},{addresses}",
                    tid.join(","),
                    number("offset")
                ));
            }
            ordinal += 1;
        }
    }
    lines
}

#[test]
fn files_that_others_made_are_read_as_they_say() {
    let Some(folder) = corpus("instrumentation/gtpin_memorytrace_synth") else { return };
    let expected: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("expected.json")).unwrap()).unwrap();
    let expected = expected_lines(&expected);
    for (case, has_tile) in
        [("v19_notile", false), ("v19_tile", true), ("v20_tile", true), ("v20_tile_ts", true)]
    {
        let (mut doc, is_ready) = open_one(FILE, fs::read(folder.join(case).join(FILE)).unwrap());
        assert!(is_ready && said(&doc).is_empty(), "{case}");
        let csv = export(&mut doc, "gtpin-accesses-csv");
        let without_time = |line: &str| {
            let mut cells: Vec<&str> = line.split(',').collect();
            assert_eq!(cells[14].is_empty(), case != "v20_tile_ts");
            cells.remove(14);
            cells.join(",")
        };
        let lines: Vec<String> = csv.lines().skip(1).map(without_time).collect();
        assert_eq!(lines, expected, "{case} {has_tile}");
    }
}
