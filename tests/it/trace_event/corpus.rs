//! Files of other tools, where they are at hand: `LANESCOPE_CORPUS` names the folder.

use super::{accounts, codes_with_folded, told};
use crate::support::corpus::corpus;
use crate::support::front_door::{open, open_one};
use lanescope::document::Document;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

fn unpacked(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).unwrap();
    if path.extension().is_some_and(|e| e == "gz") {
        let mut out = Vec::new();
        flate2::read::GzDecoder::new(bytes.as_slice()).read_to_end(&mut out).unwrap();
        return out;
    }
    bytes
}

fn open_path(path: &Path) -> Document {
    let name = path.file_name().unwrap().to_string_lossy();
    let (doc, is_ready) = open_one(name.trim_end_matches(".gz"), unpacked(path));
    assert!(is_ready, "{name} opens");
    accounts(&doc, &name);
    doc
}

fn sum_of_durations(doc: &Document) -> i64 {
    doc.trace().tracks.iter().flat_map(|(_, t)| t.slices.durs()).sum()
}

fn tracks_with_slices(doc: &Document) -> usize {
    doc.trace().tracks.iter().filter(|(_, t)| !t.slices.is_empty()).count()
}

#[test]
fn profiles_of_pytorch_have_the_numbers_of_their_note() {
    let Some(folder) = corpus("") else { return };
    let folder = folder.join("trace_event/pytorch");
    // Name, events, slices, instants, starts and ends of arrows, names, tracks with slices, sum of durations in µs.
    let expected = [
        ("resnet50_workers0", 75_718, 44_666, 12_840, 18_192, 20, 4, 4_924_245),
        ("resnet50_autograd_workers0", 79_711, 59_423, 2, 20_266, 20, 16, 27_824_700),
    ];
    for (name, events, slices, instants, ends, names, tracks, micros) in expected {
        let doc = open_path(&folder.join(format!("{name}.pt.trace.json.gz")));
        let trace = doc.trace();
        assert_eq!(told(trace, "Events"), events, "{name}");
        assert_eq!(trace.n_slices(), slices, "{name}");
        assert_eq!(trace.n_instants(), instants, "{name}");
        let lonely: u64 = trace.dropped.iter().filter(|(r, _)| r.contains("arrows")).map(|(_, n)| n).sum();
        assert_eq!(told(trace, "Flow starts and ends") + lonely, ends, "{name}");
        assert_eq!(told(trace, "Names and sort order"), names, "{name}");
        assert_eq!(tracks_with_slices(&doc), tracks, "{name}");
        assert_eq!(sum_of_durations(&doc), micros * 1000, "{name}");
        println!("{name}: {} flows, {lonely} lonely ends", trace.flows.len());
    }
}

#[test]
fn edge_cases_of_other_viewers_open_with_everything_said() {
    let Some(folder) = corpus("") else { return };
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder.join("trace_event/speedscope")).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    assert_eq!(paths.len(), 23);
    for path in &paths {
        let doc = open_path(path);
        let begins = told(doc.trace(), "Slice begins");
        let ends = told(doc.trace(), "Slice ends");
        let unfinished = codes_with_folded(&doc, "TEV-OPEN-BEGIN");
        let orphans = codes_with_folded(&doc, "TEV-ORPHAN-END");
        assert_eq!(
            begins - unfinished,
            ends - orphans,
            "{}: what is closed has a begin and an end",
            path.display()
        );
        let whole = unpacked(path);
        let text = lanescope::model::build::digest::digest(doc.trace(), doc.faults().rows());
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let again = open(vec![(name, whole)], 5).0;
        let again = lanescope::model::build::digest::digest(again.trace(), again.faults().rows());
        assert_eq!(again, text, "{}", path.display());
    }
}

#[test]
fn operator_traces_are_read_to_the_last_event() {
    let Some(folder) = corpus("") else { return };
    let doc = open_path(&folder.join("ascend/assembled/synthetic_simulator_trace.json"));
    let trace = doc.trace();
    assert_eq!(told(trace, "Events"), 6_759);
    assert_eq!(told(trace, "Slices"), 4_000);
    assert_eq!([told(trace, "Slice begins"), told(trace, "Slice ends")], [240, 240]);
    assert_eq!(trace.n_slices(), 4_240);
    assert_eq!(trace.flows.len(), 120);
    assert_eq!(trace.n_samples(), 1_995);
    assert_eq!(told(trace, "Names and sort order"), 44);
    assert_eq!(trace.dropped, []);
    assert_eq!(doc.faults().rows(), []);
    let doc = open_path(&folder.join("ascend/assembled/trace_profilingType_op.json"));
    assert_eq!(doc.trace().n_slices(), 3);
    assert!(doc.trace().coloring.by_row(), "it is an operator trace");
}
