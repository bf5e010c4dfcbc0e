//! Real traces, where they are at hand: every known number is equal.

use super::{export, recorded, rows};
use crate::support::corpus::{corpus, unpacked};
use crate::support::front_door::open;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

fn folder(path: &Path, prefix: &str) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for path in std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        files.push((format!("{prefix}/{name}"), std::fs::read(&path).unwrap()));
    }
    files
}

#[test]
fn every_known_metric_is_equal() {
    let Some(root) = corpus("instrumentation") else { return };
    let golden: Value =
        serde_json::from_str(&std::fs::read_to_string(root.join("golden_metrics.json")).unwrap()).unwrap();
    let mut n = 0;
    for (file, wanted) in golden.as_object().unwrap().iter().filter(|(file, _)| file.starts_with("accelsim"))
    {
        let (prefix, _) = file.rsplit_once('/').unwrap();
        let (mut doc, is_ready) = open(folder(&root.join(prefix), prefix), 1 << 16);
        assert!(is_ready);
        let json: Value = serde_json::from_str(&export(&mut doc, "memory-metrics-json")).unwrap();
        assert_eq!(&json[file], wanted, "{file}");
        n += 1;
    }
    assert_eq!(n, 3);
}

#[test]
fn the_combined_text_is_the_trace() {
    let Some(root) = corpus("instrumentation") else { return };
    let prefill = root.join("accelsim_flashinfer/flashinfer-prefill");
    let (mut doc, _) = open(folder(&prefill, "prefill"), 1 << 16);
    let of = recorded(&doc);
    assert_eq!((of.programs[0].blocks.len(), of.launches[0].threads.len()), (10, 16));
    let text = export(&mut doc, "combined-text");
    assert_eq!(text.lines().count(), 29_024);
    assert_eq!(doc.faults().rows(), []);
    let figures = export(&mut doc, "figures-json");
    assert!(figures.contains("each LDGSTS had two lines, of which the trace keeps one: 384"), "{figures}");
}

#[test]
fn real_folders_open_without_a_false_warning() {
    let Some(root) = corpus("instrumentation") else { return };
    let said = |path: &str| {
        let (doc, is_ready) = open(folder(&root.join(path), "run"), 1 << 16);
        assert!(is_ready, "{path}");
        let codes: Vec<String> = doc.faults().rows().iter().map(|fault| fault.code.to_string()).collect();
        let of = recorded(&doc);
        let n: usize = (0..of.launches.len())
            .flat_map(|launch| (0..of.launches[launch].threads.len()).map(move |thread| (launch, thread)))
            .map(|(launch, thread)| rows(of, launch, thread).len())
            .sum();
        (codes, of.launches.len(), n)
    };
    // The table is cut in its last line, and the excerpt of a trace has two of 55 thread blocks.
    let gemm = 2531 + 2531 + 115 + 113 + 49 + 68 + 996 + 48;
    assert_eq!(said("accelsim_flashinfer/flashinfer-gemm"), (vec!["ACS-STATS".to_owned()], 8, gemm));
    let (codes, launches, n) = said("accelsim_romnn_vecadd");
    assert_eq!((codes, launches, n), (Vec::new(), 1, 71_974));
    let (codes, launches, n) = said("accelsim_ctx_excerpt");
    assert_eq!((codes, launches, n), (Vec::new(), 1, 264));
}

#[test]
fn other_real_traces_have_their_counts() {
    let Some(root) = corpus("real") else { return };
    let all = unpacked(&root.join("real.tar.zst"), "instrumentation/");
    let mut folders: BTreeMap<String, Vec<(String, Vec<u8>)>> = BTreeMap::new();
    for (path, bytes) in all {
        let folder = path.split('/').next().unwrap().to_owned();
        folders.entry(folder).or_default().push((path, bytes));
    }
    let mut opened = |name: &str| {
        let (doc, is_ready) = open(folders.remove(name).unwrap(), 1 << 16);
        assert!(is_ready, "{name}");
        let of = recorded(&doc);
        let count =
            |launch: usize| (0..of.launches[launch].threads.len()).map(|t| rows(of, launch, t).len()).sum();
        let counts: Vec<(String, usize)> =
            (0..of.launches.len()).map(|launch| (of.launches[launch].name.clone(), count(launch))).collect();
        let codes: Vec<String> = doc.faults().rows().iter().map(|fault| fault.code.to_string()).collect();
        (codes, counts)
    };
    let (codes, counts) = opened("gpucachesim_matrixmul");
    assert_eq!((codes, counts), (Vec::new(), vec![("kernel-1".to_owned(), 4_416)]));
    let (codes, counts) = opened("flashinfer_nn-onestep");
    assert!(codes.iter().all(|code| code == "ACS-ABSENT"), "{codes:?}");
    // Those of the list in its order, then one that it does not name.
    let names: Vec<&str> = counts.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["kernel-10", "kernel-58", "kernel-113", "kernel-23"]);
}
