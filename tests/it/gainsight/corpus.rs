//! Published samples, and what an independent program made of a real simulator's log.

use super::{export, open_set, run, said};
use crate::support::corpus::corpus;
use lanescope::document::Document;
use serde_json::Value;
use std::fs;
use std::path::Path;

fn opened(path: &Path, set: &[(&str, &str)]) -> Document {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    open_set(&[(&name, fs::read(path).unwrap())], set)
}

/// Cells of a table.
fn cells(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

/// Whether two cells are equal: numbers to nine digits.
fn is_equal(a: &str, b: &str) -> bool {
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()),
        _ => a == b,
    }
}

fn compare(found: &Value, expected: &Value, at: &str) {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            for (key, value) in expected.iter().filter(|(key, _)| *key != "Name") {
                compare(found.get(key).unwrap_or(&Value::Null), value, &format!("{at}/{key}"));
            }
            let is_inner = at.contains('/');
            assert!(!is_inner || found.len() == expected.len(), "{at}");
        }
        (Value::Number(a), Value::Number(b)) => {
            assert!(is_equal(&a.to_string(), &b.to_string()), "{at}: {a}, not {b}");
        }
        (found, expected) => assert_eq!(found, expected, "{at}"),
    }
}

#[test]
fn every_cell_of_the_reference_is_met_in_three_variants() {
    let Some(folder) = corpus("gainsight") else { return };
    let devices = fs::read_to_string(folder.join("devices.json")).unwrap();
    let folder = folder.join("generated_accelsim");
    let variants = [
        ("lastuse_keep", [("lifetime", "last-use"), ("refill", "keep"), ("orphans", "include")]),
        ("resident_keep", [("lifetime", "resident"), ("refill", "keep"), ("orphans", "auto")]),
        ("lastuse_reopen400", [("lifetime", "last-use"), ("refill", "reopen"), ("orphans", "auto")]),
    ];
    for (name, set) in variants {
        let set: Vec<(&str, &str)> = set.into_iter().chain([("devices", devices.as_str())]).collect();
        let mut doc = opened(&folder.join("sm86_rtx3070_2kernels_small.log"), &set);
        assert_eq!(said(&doc), [""; 0], "its lines add up to its totals");
        let exports = [
            ("gainsight-sim-csv", "sim.csv"),
            ("gainsight-l1-csv", "sim_l1.csv"),
            ("gainsight-l2-csv", "sim_l2.csv"),
        ];
        for (id, end) in exports {
            let expected = fs::read_to_string(folder.join(format!("ref_small_{name}.{end}"))).unwrap();
            let (found, expected) = (cells(&export(&mut doc, id)), cells(&expected));
            assert_eq!(found.len(), expected.len(), "{name} {end}");
            for (found, expected) in found.iter().zip(&expected) {
                let same = found.iter().zip(expected).all(|(a, b)| is_equal(a, b));
                assert!(same && found.len() == expected.len(), "{name} {end}: {found:?}, not {expected:?}");
            }
        }
        let expected = fs::read_to_string(folder.join(format!("ref_small_{name}.report.json"))).unwrap();
        let found = serde_json::from_str(&export(&mut doc, "gainsight-report-json")).unwrap();
        compare(&found, &serde_json::from_str(&expected).unwrap(), "");
    }
}

#[test]
fn counts_of_the_small_log_are_those_that_are_known() {
    let Some(folder) = corpus("gainsight") else { return };
    let doc = opened(&folder.join("generated_accelsim/sm86_rtx3070_2kernels_small.log"), &[]);
    let run = run(&doc);
    assert_eq!(run.clock_mhz, Some(1132.0));
    let [a, b] = run.kernels.as_slice() else { panic!("two kernels") };
    assert_eq!((a.id, a.uid, a.cycles, a.start), (3, Some(1), 10_308, 0));
    assert_eq!((b.id, b.uid, b.cycles, b.start), (4, Some(2), 6_023, 10_308));
    let l1 = a.levels[0].counts;
    assert_eq!(
        (l1.accesses(), l1.hits, l1.missed, l1.retries, l1.sectors),
        (8_512, 4_513, 3_999, 408, 1_092)
    );
    assert_eq!([a, b].map(|kernel| kernel.levels[0].waited), [Some(17), Some(3_744)]);
    assert_eq!((l1.writes, a.levels[1].counts.writes), (64, 64));
    let l2 = a.levels[1].counts;
    assert_eq!((l2.accesses(), l2.sectors, l2.orphans), (3_982, 1_090, 192));
    let l1 = b.levels[0].counts;
    assert_eq!((l1.accesses(), l1.retries, l1.sectors, l1.writes), (6_912, 82, 3_168, 1_536));
    let l2 = b.levels[1].counts;
    assert_eq!((l2.accesses(), l2.sectors, l2.writes), (3_168, 3_074, 1_536));
}

#[test]
fn all_logs_open_without_false_warnings() {
    let Some(folder) = corpus("gainsight") else { return };
    for (part, kernels) in [("accelsim_logs", vec![4, 4, 10]), ("gpgpusim_logs", vec![1, 2, 2])] {
        let mut paths: Vec<_> =
            fs::read_dir(folder.join(part)).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for (path, n) in paths.iter().zip(kernels) {
            let doc = opened(path, &[]);
            assert_eq!(said(&doc), [""; 0], "{}", path.display());
            assert_eq!(run(&doc).kernels.len(), n, "{}", path.display());
            assert!(0 < doc.trace().n_slices());
        }
    }
}

#[test]
fn kernels_that_overlap_stand_on_the_tracks_of_their_streams() {
    let Some(folder) = corpus("gainsight") else { return };
    let doc = opened(&folder.join("accelsim_logs/halu_benchmark_3_stream_tip.log"), &[]);
    let kernels: Vec<(Option<u64>, &str)> =
        run(&doc).kernels.iter().map(|kernel| (kernel.uid, kernel.name.as_str())).collect();
    assert_eq!(kernels[0], (Some(1), "saxpy(int, float, float*, float*)"));
    assert_eq!(kernels[1], (Some(3), "saxpy(int, float, float*, float*), scale(int, float, float*)"));
    assert_eq!(run(&doc).launches(), [[2, 2], [2, 1], [1, 0], [1, 1]]);
    let mut lengths: Vec<Vec<(i64, i64)>> = Vec::new();
    for (_, track) in doc.trace().tracks.iter().filter(|(_, track)| !track.slices.is_empty()) {
        lengths.push(track.slices.start.iter().copied().zip(track.slices.durs()).collect());
    }
    assert_eq!(lengths, [vec![(0, 9_576), (9_576, 6_338), (15_914, 6_351)], vec![(0, 14_115)]]);
}

#[test]
fn probes_of_tracing_builds_stand_in_for_lines_of_l2() {
    let Some(folder) = corpus("gainsight") else { return };
    let doc = opened(&folder.join("generated_accelsim/builtin_dprintf_trace_excerpt.log.gz"), &[]);
    assert_eq!(said(&doc), ["GPS-END 2135"], "it is an excerpt");
    let [kernel] = run(&doc).kernels.as_slice() else { panic!("one kernel") };
    assert!(kernel.is_cut && 0 < kernel.levels[0].counts.accesses());
    assert!(0 < kernel.levels[1].counts.accesses() && kernel.levels[1].counts.writes == 0);
}

#[test]
fn the_samples_of_the_documentation_open_with_their_arithmetic() {
    let Some(folder) = corpus("gainsight") else { return };
    let folder = folder.join("doc_samples");
    let doc = opened(&folder.join("doc_sample_backend.log"), &[]);
    assert_eq!(said(&doc), ["GPS-ELISION 5", "GPS-ELISION 7", "GPS-ADDRESS 6"]);
    let kernel = &run(&doc).kernels[0];
    assert_eq!((kernel.id, kernel.cycles, kernel.start), (25, 31_057, 72_782));
    assert_eq!((kernel.levels[0].bytes, kernel.levels[0].counts.reads), (Some(122_880), 1));

    let read = |name: &'static str| (name, fs::read(folder.join(name)).unwrap());
    let files = [read("doc_sample.sim.csv"), read("doc_sample.sim_l1.csv")];
    let mut doc = open_set(&files, &[]);
    assert_eq!(said(&doc), [""; 0]);
    let run = run(&doc);
    assert_eq!((run.name.as_str(), run.clock_mhz), ("doc_sample", Some(2235.0)));
    let level = &run.kernels[0].levels[0];
    assert_eq!((level.reused.count(), level.reused.max()), (6, 17_116));
    let stated = level.stated.unwrap();
    let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-12 * b.abs(), "{a} {b}");
    close(stated.mean, 24_080_013.0 / 2_996.0 / 2_235.0);
    close(stated.p90, 14_967.5 / 2_235.0);
    close(stated.max, 17_116.0 / 2_235.0);
    close(stated.read_mhz, 12_056.0 * 2_235.0 / 22_571.0);
    close(stated.utilization.unwrap(), 2_996.0 * 32.0 / 122_880.0);
    let other = run.kernels[0].levels[1].stated.unwrap();
    close(other.mean, 1_326_072_943.0 / 141_436.0 / 2_235.0);
    close(other.median, 9_610.5 / 2_235.0);
    close(other.utilization.unwrap(), 141_436.0 * 32.0 / 52_428_800.0);
    let (again, there) =
        (cells(&export(&mut doc, "gainsight-sim-csv")), String::from_utf8(files[0].1.clone()).unwrap());
    for (found, expected) in again.iter().flatten().zip(cells(&there).iter().flatten()) {
        assert!(is_equal(found, expected), "{found}, not {expected}");
    }

    let doc = opened(&folder.join("doc_sample_report.json"), &[]);
    assert_eq!(said(&doc), [""; 0]);
    let titles: Vec<&str> = doc.trace().figures.iter().map(|family| family.title.as_str()).collect();
    assert_eq!(titles, ["Run", "Write Frequency", "Refreshes", "Area"]);
    let report: Value = serde_json::from_slice(&read("doc_sample_report.json").1).unwrap();
    let writes = report["L1 Write Frequency"]["weighted"].as_f64().unwrap();
    close(writes, 2_235.0 * 11_119.0 / 2_785_807.0);
    let devices = lanescope::views::lifetimes::compute::defaults();
    for (device, family) in devices.devices.iter().zip(["sram", "silicon", "hybrid", "oxide"]) {
        close(devices.area_um2(device, 256 << 10), report["L1 Area"][family].as_f64().unwrap());
        close(devices.area_um2(device, 128 << 10), report["L2 Area"][family].as_f64().unwrap());
    }
}
