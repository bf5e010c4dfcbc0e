//! Real traces, where they are at hand: as many accesses as are known of them.

use super::{head, rows, set};
use crate::support::corpus::corpus;
use crate::support::front_door::open;
use serde_json::Value;
use std::path::Path;

fn folder(path: &Path) -> Vec<(String, Vec<u8>)> {
    let paths = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    paths
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap()))
        .collect()
}

/// Records of single lanes are no bases of warps, and nothing says which memory they are of.
#[test]
fn accesses_of_single_lanes_are_told_as_such() {
    let Some(root) = corpus("instrumentation") else { return };
    let path = root.join("nvbit_sg05060/tools_mem_trace_out.txt");
    let file = ("mem_trace.txt".to_owned(), std::fs::read(path).unwrap());
    let (mut doc, is_ready) = open(vec![file], 1 << 16);
    assert!(is_ready);
    let notes: Vec<String> = head(&mut doc).notes.iter().map(ToString::to_string).collect();
    let words = "24,576 accesses were recorded one lane at a time, without thread and memory space:";
    assert!(notes.iter().any(|note| note.starts_with(words)), "{notes:?}");
    assert!(!notes.iter().any(|note| note.contains("base address")), "{notes:?}");
}

#[test]
fn as_many_lanes_are_counted_as_are_known() {
    let Some(root) = corpus("instrumentation") else { return };
    let golden: Value =
        serde_json::from_str(&std::fs::read_to_string(root.join("golden_metrics.json")).unwrap()).unwrap();
    let known = |file: &str, is_write: Option<bool>| -> u64 {
        let all = golden[file]["global_mem"].as_object().unwrap().values();
        let is_meant =
            |of: &&Value| is_write.is_none_or(|w| w == of["op"].as_str().unwrap().starts_with("ST"));
        all.filter(is_meant).map(|of| of["lanes"].as_u64().unwrap()).sum()
    };
    let prefill = "accelsim_flashinfer/flashinfer-prefill/kernel-1.traceg.xz";
    let vecadd = "accelsim_romnn_vecadd/kernel-1.trace";
    assert_eq!(known(vecadd, None), 300_000);
    for file in [prefill, vecadd] {
        let (mut doc, is_ready) = open(folder(root.join(file).parent().unwrap()), 1 << 16);
        assert!(is_ready);
        for (value, is_write) in [("all", None), ("reads", Some(false)), ("writes", Some(true))] {
            set(&mut doc, &[("trace-accesses", value), ("trace-launch", "1")]);
            assert_eq!(head(&mut doc).accesses, known(file, is_write), "{file} {value}");
        }
        set(&mut doc, &[("trace-accesses", "all"), ("trace-order", "thread")]);
        let found = head(&mut doc);
        assert_eq!(found.accesses, known(file, None), "{file}");
        let regions = rows(&mut doc, "trace-memory-regions");
        println!("{file}: {} pages, clocks {:?}, {regions:?}", found.pages, found.clocks);
        let table = rows(&mut doc, "instrumentation-instructions");
        let global: u64 =
            table.iter().filter(|row| row[4] == "global").map(|row| row[8].as_u64().unwrap()).sum();
        assert_eq!(global, known(file, None), "{file}");
        if file == vecadd {
            // 32 lanes of 8 bytes are two lines, which no other warp touches.
            let lines: u64 = regions.iter().map(|row| row[5].as_u64().unwrap()).sum();
            assert_eq!(lines, 3 * 6_250);
            assert!(regions.iter().all(|row| row[8] == 1), "{regions:?}");
        }
    }
}
