//! Outputs that other people's runs left, where they are at hand: `LANESCOPE_CORPUS` names the folder.

use super::{export, recorded, rows, said, table};
use crate::support::corpus::corpus;
use crate::support::front_door::open_one;
use lanescope::document::Document;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

fn opened(path: &Path) -> Document {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let (doc, is_ready) = open_one(&name, fs::read(path).unwrap());
    assert!(is_ready, "{}", path.display());
    doc
}

#[test]
fn records_are_as_many_as_another_reader_found() {
    let Some(folder) = corpus("instrumentation") else { return };
    let golden: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("golden_metrics.json")).unwrap()).unwrap();
    for name in ["nvbit_sg05060/tools_mem_trace_check.txt", "nvbit_sg05060/test-apps_vectoradd_text1.txt"] {
        let (mut doc, golden) = (opened(&folder.join(name)), &golden[name]);
        assert_eq!(said(&doc), [""; 0], "{name}");
        let number = |key: &str| golden[key].as_u64().unwrap();
        let of_launches = |doc: &Document, column: usize| {
            table(doc, "nvbit-launches").iter().map(|row| row[column].parse::<u64>().unwrap()).sum::<u64>()
        };
        assert_eq!(recorded(&doc).launches.len() as u64, number("launches"), "{name}");
        let found = [4, 5, 6].map(|column| of_launches(&doc, column));
        assert_eq!(found, [number("ctas"), number("warps"), number("records")], "{name}");
        let (mut opcodes, mut pcs) = (BTreeMap::new(), BTreeMap::new());
        for row in table(&doc, "nvbit-instructions") {
            *opcodes.entry(row[2].clone()).or_insert(0) += row[3].parse::<u64>().unwrap();
            *pcs.entry(row[1].clone()).or_insert(0) += row[3].parse::<u64>().unwrap();
        }
        assert_eq!(serde_json::to_value(opcodes).unwrap(), golden["ops"], "{name}");
        if golden["pcs"].get("null").is_none() {
            assert_eq!(serde_json::to_value(pcs).unwrap(), golden["pcs"], "{name}");
            assert_eq!(of_launches(&doc, 7), number("sms"), "{name}");
        }
        let lanes: BTreeSet<u8> = recorded(&doc).launches[0].executions.lanes.iter().copied().collect();
        assert_eq!(lanes, BTreeSet::from([32]), "{name}");
        assert_eq!(
            export(&mut doc, "lane-accesses-csv").lines().count() as u64,
            1 + 32 * number("records"),
            "{name}"
        );
        assert!(recorded(&doc).launches[0].executions.excess.iter().all(|n| *n == 0), "{name}");
    }
}

#[test]
fn the_other_dialects_open_without_a_complaint() {
    let Some(folder) = corpus("instrumentation") else { return };
    for (name, n, bytes) in
        [("tools_mem_trace_out.txt", 24_576, 4), ("tools_mem_trace_cache_out.txt", 3_072, 32)]
    {
        let doc = opened(&folder.join("nvbit_sg05060").join(name));
        assert_eq!(said(&doc), [""; 0], "{name}");
        assert_eq!(recorded(&doc).launches[0].executions.block.len(), n, "{name}");
        assert_eq!(recorded(&doc).programs[0].instructions[0].memory.unwrap().bytes, Some(bytes), "{name}");
        // Each line is the access of a lane that nothing names: no base of a warp.
        assert!(recorded(&doc).launches[0].is_of_lanes, "{name}");
    }
    let doc = opened(&folder.join("nvbit_issue130/mem_trace_excerpt.txt"));
    assert_eq!(said(&doc), [""; 0]);
    let launch = &recorded(&doc).launches[0];
    assert_eq!((launch.executions.lanes.as_slice(), launch.threads.len()), ([32, 16].as_slice(), 2));
    assert_eq!(launch.threads.group_name(1), "CTA 1,0,0");
    assert_eq!(recorded(&doc).programs[0].name, "Unnamed kernel");
    assert_eq!(rows(&doc, 0, 1)[0].addresses.len(), 16);
}

#[test]
fn arrays_of_the_port_have_the_records_that_another_reader_finds() {
    let Some(folder) = corpus("instrumentation") else { return };
    let more = std::env::var_os("LANESCOPE_MORE_NVBIT").map(std::path::PathBuf::from);
    let of =
        |folder: std::path::PathBuf| fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path());
    let paths: Vec<_> = of(folder.join("nvbit_rs_romnn")).chain(more.into_iter().flat_map(of)).collect();
    let mut n = 0;
    for path in &paths {
        let text = fs::read_to_string(path).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        let doc = opened(path);
        assert_eq!(said(&doc), [""; 0], "{}", path.display());
        let launches = &recorded(&doc).launches;
        let Some(records) = value.as_array() else {
            assert_eq!((launches.len(), launches[0].group), (1, [1024, 1, 1]), "{}", path.display());
            continue;
        };
        n += 1;
        let found: usize = launches.iter().map(|launch| launch.executions.block.len()).sum();
        assert_eq!(found, records.len(), "{}", path.display());
        let accesses = records.iter().filter(|r| r["is_mem"].as_bool().unwrap_or(true)).map(|r| {
            let mask = r["active_mask"].as_u64().unwrap_or(u64::MAX)
                & r["predicate_mask"].as_u64().unwrap_or(u64::MAX);
            let live = |(lane, a): (usize, &Value)| {
                mask >> lane & 1 == 1 && (a.as_u64() != Some(0) || r.get("active_mask").is_some())
            };
            r["addrs"].as_array().unwrap().iter().enumerate().filter(|(lane, a)| live((*lane, a))).count()
        });
        let addresses =
            (0..launches[0].executions.block.len() as u32).map(|e| rows(&doc, 0, e)[0].addresses.len());
        assert_eq!(addresses.sum::<usize>(), accesses.sum::<usize>(), "{}", path.display());
    }
    assert!(2 <= n, "{n} arrays");
}
