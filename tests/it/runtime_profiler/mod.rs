//! Counters over cycles through the front door: differences, maps, damage, and what is known of a real run.

use crate::nvbit::fixtures::keep;
use crate::scalesim::{figure, rows};
use crate::support::corpus::corpus;
use crate::support::front_door::{open, open_one};
use lanescope::document::Document;
use serde_json::{Value, json};

/// Two cores and a memory channel of one kernel. The numbers are made up.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let core = |rows: &[[u64; 4]]| {
        let rows = rows.iter().map(|[cycle, hit, miss, fail]| format!("{cycle},{hit},0,{miss},{fail},0,0\n"));
        format!("cycle,hit,hit_res,miss,res_fail,sec_miss,mshr_hit\n{}", rows.collect::<String>())
            .into_bytes()
    };
    vec![
        ("k_kernel0_dram_ch0.csv", b"cycle,row_hit,row_miss\n100,1,2\n200,4,2\n".to_vec()),
        ("k_kernel0_l1d_sm0.csv", core(&[[100, 5, 1, 0], [200, 9, 1, 2], [300, 9, 4, 2]])),
        ("k_kernel0_l1d_sm10.csv", core(&[[100, 0, 0, 0], [200, 0, 7, 1], [300, 20, 7, 1]])),
    ]
}

fn opened() -> Document {
    let (doc, is_ready) = open(files().into_iter().map(|(name, b)| (name.to_owned(), b)).collect(), 7);
    assert!(is_ready);
    doc
}

fn said(doc: &Document) -> Vec<String> {
    doc.faults().rows().iter().map(|fault| format!("{} {fault}", fault.code)).collect()
}

#[test]
fn the_fixtures_are_what_they_are_made_of() {
    let by = "tests/it/runtime_profiler/mod.rs";
    keep("runtime_profiler", "kernel", &files(), by, "two cores and a memory channel");
    keep("runtime_profiler", "core", &files()[1..2], by, "one core");
}

#[test]
fn counts_become_what_each_stretch_adds() {
    let mut doc = opened();
    assert_eq!(said(&doc), [""; 0]);
    let names: Vec<String> = doc.trace().tracks.iter().map(|(id, _)| doc.trace().track_path(id)).collect();
    assert_eq!(
        names,
        [
            "k_kernel0_dram",
            "k_kernel0_dram / ch0",
            "k_kernel0_l1d",
            "k_kernel0_l1d / sm0",
            "k_kernel0_l1d / sm10"
        ]
    );
    let (_, track) = doc.trace().tracks.iter().nth(3).unwrap();
    let series = &track.series[0];
    let samples: Vec<(i64, f64)> = series.time.iter().copied().zip(series.value.iter().copied()).collect();
    assert_eq!(samples[..3], [(0, 5.0), (100, 4.0), (200, 0.0)]);
    assert!(samples[3].0 == 300 && samples[3].1.is_nan());
    assert_eq!(
        json!(rows(&mut doc, "counter-sums-1")),
        json!([["sm0", 9.0, 0.0, 4.0, 2.0, 0.0, 0.0], ["sm10", 20.0, 0.0, 7.0, 1.0, 0.0, 0.0]])
    );
    let map = figure(&mut doc, "counter-map-1");
    let titles = ["counter-map-1", "counter-sums-1"].map(|id| figure(&mut doc, id)["title"].clone());
    assert_ne!(titles[0], titles[1], "what is listed twice says which is which");
    let of = |variant: usize| map["variants"][variant]["body"]["heat-map"].clone();
    assert_eq!(
        (&of(0)["width"], &of(0)["height"], &of(0)["y"]["names"]),
        (&json!(300), &json!(2), &json!(["sm0", "sm10"]))
    );
    let misses: Vec<f64> =
        of(2)["values"].as_array().unwrap().iter().map(|v: &Value| v.as_f64().unwrap()).collect();
    assert_eq!([misses[0], misses[200], misses[300 + 100], misses.iter().sum()], [1.0, 3.0, 7.0, 11.0]);
}

#[test]
fn damage_is_said() {
    let text = "cycle,hit,miss\n100,1,2\n200,4\n300,x,3\n300,5,3\n300,6,3\n400,2,4\n";
    let (mut doc, is_ready) = open_one("a_sm0.csv", text.into());
    assert!(is_ready);
    let codes: Vec<&str> = doc.faults().rows().iter().map(|fault| &*fault.code).collect();
    assert_eq!(codes, ["PRC-ROW", "PRC-ROW", "PRC-ORDER", "PRC-FALL"]);
    assert_eq!(json!(rows(&mut doc, "counter-sums-0")), json!([["sm0", 7.0, 4.0]]));
}

#[test]
fn a_real_run_adds_up() {
    let Some(corpus) = corpus("gainsight") else { return };
    let files = crate::support::front_door::files_of(&corpus.join("gpgpusim_runtime_profiler_excerpt"));
    let (mut doc, is_ready) = open(files, 1 << 16);
    assert!(is_ready);
    assert_eq!(said(&doc), [""; 0]);
    let ids = ["counter-sums-0", "counter-sums-1", "counter-sums-2"].map(|id| json!(rows(&mut doc, id)));
    assert_eq!(ids[0], json!([["ch0", 27921.0, 4455.0]]));
    assert_eq!(ids[1], json!([["sm0", 474_870.0, 0.0, 81991.0, 544.0, 49379.0, 0.0]]));
    assert_eq!(ids[2], json!([["slice0", 16564.0, 9.0, 10122.0, 8417.0, 6165.0, 0.0]]));
}
