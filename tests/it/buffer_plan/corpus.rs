//! Real texts.

use super::{blocks, plan, rows, settle, types};
use crate::support::corpus::corpus;
use crate::support::front_door::{files_of, open, open_one};
use lanescope::document::Document;
use lanescope::views::executions::compute::Recorded;
use std::fs;
use std::path::Path;

fn opened(path: &Path) -> Document {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let (mut doc, is_ready) = open_one(&name, fs::read(path).unwrap());
    assert!(is_ready, "{name}: {:?}", doc.faults().rows());
    settle(&mut doc);
    assert!(doc.faults().rows().is_empty(), "{name}: {:?}", doc.faults().rows());
    doc
}

#[test]
fn the_listing_of_gemm_has_seven_blocks_and_the_plan_that_was_worked_out() {
    let Some(folder) = corpus("instrumentation") else { return };
    let expected = fs::read(folder.join("gmt_pti_gemm_plan/expected.json")).unwrap();
    let expected: serde_json::Value = serde_json::from_slice(&expected).unwrap();
    for file in ["instcount_gemm_readme.txt", "instcount_gemm_derived.json"] {
        let mut doc = opened(&folder.join("gtpin_pti").join(file));
        let trace = doc.trace();
        let program = &trace.extensions.get::<Recorded>().unwrap().programs[0];
        let next: Vec<&[u32]> = program.blocks.iter().map(|block| &block.successors[..]).collect();
        assert_eq!(next, [&[1, 2][..], &[4], &[3], &[3, 4], &[5], &[], &[]], "{file}");
        let listing = &trace.code.listings[0];
        let sum = |column: usize| -> f64 {
            (0..listing.lines.len()).filter_map(|row| listing.columns[column].cells.number(row, 0)).sum()
        };
        assert_eq!((listing.lines.len(), sum(1), sum(2)), (74, 7_165_952.0, 95_541_248.0), "{file}");
        let plan = plan(&mut doc);
        assert_eq!(
            types(&plan),
            ["flow 270336 8 2162688", "mem 1052672 80 84213760", "simd 270336 16 4325376", "reg 0 80 0"]
        );
        assert_eq!(plan["total_bytes"], expected["total"]);
        for one in plan["types"].as_array().unwrap().iter().take(3) {
            let name = one["name"].as_str().unwrap();
            assert_eq!(
                (&one["records"], &one["bytes"]),
                (&expected["records"][name], &expected["bytes"][name])
            );
        }
        for block in plan["blocks"].as_array().unwrap() {
            assert_eq!(block["executions"], expected["counts"][block["id"].to_string()]);
        }
        assert_eq!(plan["record_per_block"][0]["bytes"], expected["gtpin_style_with_slack"]);
        assert_eq!(blocks(&plan)[3], "BB3 loop 262144 4 90177536");
        let share = plan["hottest"]["bytes"].as_f64().unwrap() / plan["types"][1]["bytes"].as_f64().unwrap();
        assert_eq!((share * 1e3).round(), 996.0);
    }
}

#[test]
fn the_access_of_gemm_is_of_unit_stride() {
    let Some(folder) = corpus("instrumentation") else { return };
    let mut doc = opened(&folder.join("gtpin_pti/memaccess_gemm_readme.txt"));
    let sends = rows(&mut doc, "pti-sends");
    let cells: Vec<&str> = sends[0].split(" | ").skip(3).collect();
    assert_eq!(
        cells.join(" | "),
        "SIMD32 ExecSize_32 4 bytes X1 Scatter A64 Read | unit | 4 | 1 | 131072 | 4194304 | 262144 | 16777216 | 1 | 1 | 0"
    );
    assert_eq!(rows(&mut doc, "pti-strides"), ["GEMM | 608 | 4 | 4063232 | 1"]);
    let addresses = rows(&mut doc, "pti-addresses");
    assert_eq!((addresses.len(), addresses[31].as_str()), (32, "GEMM | 608 | 31 | 18374827217159716476"));
}

#[test]
fn real_texts_have_all_their_rows() {
    let Some(folder) = corpus("instrumentation") else { return };
    let doc = opened(&folder.join("gtpin_jay0001/funtime_res.txt"));
    let long = &doc.trace().tables;
    assert_eq!((long[0].id.as_str(), long[0].columns[0].cells.len()), ("gtpin-funtime", 408));
    let mut doc = doc;
    let kernels = rows(&mut doc, "gtpin-funtime-kernels");
    assert_eq!(kernels.len(), 92);
    assert_eq!(kernels.iter().filter(|row| row.ends_with(" |  |  |  | ")).count(), 2);
    let mut doc = opened(&folder.join("gtpin_jay0001/funtime_vect.txt"));
    assert_eq!(rows(&mut doc, "gtpin-funtime").len(), 10);
    let mut doc = opened(&folder.join("gtpin_docs/memorytrace_pre_process_dispatch.txt"));
    let sizes = rows(&mut doc, "plan-sizes");
    assert_eq!(sizes.len(), 7);
    assert!(sizes[0].ends_with(" | 0 | 142606336 | 262144 | 544 | 142606336 | 1"), "{sizes:?}");
    assert!(sizes[1].contains(" | 100034048 | 131072 | 763.19"), "{sizes:?}");
}

/// A container of the corpus.
fn container(name: &str) -> Option<Document> {
    let folder = corpus("instrumentation")?.join(name);
    let (mut doc, is_ready) = open(files_of(&folder), 1 << 16);
    assert!(is_ready, "{name}: {:?}", doc.faults().rows());
    settle(&mut doc);
    Some(doc)
}

#[test]
fn plans_of_containers_are_those_that_were_worked_out() {
    let Some(mut doc) = container("gmt_pti_gemm_plan") else { return };
    let gemm = plan(&mut doc);
    assert_eq!(types(&gemm), ["flow 270336 8 2162688", "mem 1052672 80 84213760", "simd 270336 16 4325376"]);
    assert_eq!((&gemm["total_bytes"], &gemm["kernel"]), (&90_701_824.into(), &"GEMM".into()));
    let Some(mut doc) = container("gmt_tiny") else { return };
    let tiny = plan(&mut doc);
    assert_eq!(types(&tiny), ["flow 6 8 48", "mem 8 24 192", "reg 2 24 48"]);
    assert_eq!((&tiny["total_bytes"], &tiny["total_records"]), (&288.into(), &16.into()));
}

#[test]
fn buffers_say_what_was_used_and_lost() {
    let buffers = |doc: &mut Document| {
        let plan = plan(doc);
        let keys = ["type", "planned_bytes", "capacity_bytes", "used_bytes", "lost_records"];
        let row = |one: &serde_json::Value| keys.map(|key| one[key].to_string()).join(" ").replace('"', "");
        plan["buffers"].as_array().unwrap().iter().map(row).collect::<Vec<_>>()
    };
    let Some(mut doc) = container("gmt_tiny_overflow") else { return };
    assert_eq!(buffers(&mut doc)[1], "mem 192 144 144 2");
    assert_eq!((plan(&mut doc)["buffers"][1]["demand"].as_f64().unwrap() * 100.0).round(), 133.0);
    let Some(mut doc) = container("gmt_tiny_slack") else { return };
    let mut fill = |at: usize| plan(&mut doc)["buffers"][at]["demand"].as_f64().unwrap();
    assert_eq!([fill(0), fill(1), fill(2)], [0.75, 0.8, 0.5]);
}

#[test]
fn recorded_executions_count_for_a_plan() {
    let Some(mut doc) = container("accelsim_flashinfer/flashinfer-prefill") else { return };
    let plan = plan(&mut doc);
    assert_eq!(plan["counts_from"], "recorded executions");
    // One memory record for each access that was recorded.
    let accesses = 2_192;
    assert_eq!(
        (&plan["types"][1]["records"], plan["blocks"].as_array().unwrap().len()),
        (&accesses.into(), 10)
    );
    assert_eq!(plan["allocations"][1]["why_not"], serde_json::Value::Null);
    assert_eq!(plan["allocations"][1]["buffers"], 16 * 3);
}
