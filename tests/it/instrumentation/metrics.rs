//! Metrics of launches of every reader, and what is known of real ones.

use super::folder;
use crate::accelsim::{export, recorded};
use crate::support::corpus::corpus;
use crate::support::front_door::{files_of, open, open_one};
use lanescope::document::Document;
use serde_json::Value;
use std::fs;

fn metrics(doc: &mut Document) -> Value {
    serde_json::from_str(&export(doc, "memory-metrics-json")).unwrap()
}

/// Names of the columns of the listing of the first program.
fn columns(doc: &Document) -> Vec<String> {
    let listing = recorded(doc).programs[0].listing.unwrap();
    let columns = &doc.trace().code.listings[listing.index()].columns;
    columns.iter().map(|column| column.name.clone()).collect()
}

#[test]
fn every_golden_value_is_equal() {
    let Some(root) = corpus("instrumentation") else { return };
    let golden: Value =
        serde_json::from_str(&fs::read_to_string(root.join("golden_metrics.json")).unwrap()).unwrap();
    let mut n = 0;
    for (file, wanted) in golden.as_object().unwrap() {
        let is_text = file.ends_with(".txt");
        let (mut doc, is_ready) = match file.rsplit_once('/') {
            Some((folder_name, _)) if !is_text => open(folder(&root.join(folder_name)), 1 << 16),
            _ => open_one(file, fs::read(root.join(file)).unwrap()),
        };
        assert!(is_ready, "{file}");
        let name = file.rsplit('/').next().unwrap();
        let key = if is_text { file.clone() } else { format!("run/{name}") };
        assert_eq!(&metrics(&mut doc)[&key], wanted, "{file}");
        n += 1;
    }
    assert_eq!(n, 5);
}

#[test]
fn a_container_has_the_metrics_of_the_trace_it_was_made_of() {
    let Some(root) = corpus("instrumentation") else { return };
    let golden: Value =
        serde_json::from_str(&fs::read_to_string(root.join("golden_metrics.json")).unwrap()).unwrap();
    let wanted = &golden["accelsim_flashinfer/flashinfer-prefill/kernel-1.traceg.xz"];
    let (mut doc, is_ready) = open(folder(&root.join("gmt_flashinfer_prefill")), 1 << 16);
    assert!(is_ready);
    let all = metrics(&mut doc);
    let of = all.as_object().unwrap().values().next().unwrap();
    for key in ["insts", "warps", "static_pcs", "mem_insts", "global_mem"] {
        assert_eq!(of[key], wanted[key], "{key}");
    }
    let columns = columns(&doc);
    assert!(columns.iter().any(|name| name == "Sectors per access"), "{columns:?}");
}

#[test]
fn launches_of_all_readers_have_metrics() {
    let Some(root) = corpus("instrumentation") else { return };
    let text = "nvbit_sg05060/tools_mem_trace_check.txt";
    let json = "nvbit_rs_romnn/mem_trace.kernelslist.json";
    let one = |path: &str| {
        vec![("run".to_owned() + &path[path.rfind('.').unwrap()..], fs::read(root.join(path)).unwrap())]
    };
    for (name, files) in [
        (text, one(text)),
        (json, one(json)),
        ("gmt_tiny", folder(&root.join("gmt_tiny"))),
        ("gtpin", files_of(&root.join("gtpin_memorytrace_synth/v20_tile_ts"))),
    ] {
        let (mut doc, is_ready) = open(files, 1 << 16);
        assert!(is_ready, "{name}");
        assert_ne!(metrics(&mut doc), serde_json::json!({}), "{name}");
        let figures: Value = serde_json::from_str(&export(&mut doc, "figures-json")).unwrap();
        assert!(figures.to_string().contains("SIMD efficiency"), "{name}");
        assert_eq!(columns(&doc).first().map(String::as_str), Some("Executions"), "{name}");
    }
}
