//! Runs that are dropped together: each log, and the counters of each kernel, are a document of their own, which can be
//! compared with each other.

use super::{make, run};
use lanescope::document::Document;
use lanescope::engine::compare::figures;
use lanescope::input::unpack::MemoryStore;
use lanescope::input::{Entry, Memory};
use lanescope::model::parameter::Values;
use lanescope::views::lifetimes::compute::Recorded;
use std::rc::Rc;

fn picked(files: &[(&str, Vec<u8>)], operator: &str) -> Document {
    let entry = |(path, bytes): &(&str, Vec<u8>)| Entry {
        path: (*path).to_owned(),
        source: Rc::new(Memory(bytes.clone())),
    };
    let entries = files.iter().map(entry).collect();
    let store = Box::new(MemoryStore::default());
    let (doc, is_ready) = Document::open_with(entries, operator, &Values::default(), store);
    assert!(is_ready && doc.has_picked(), "{operator}: {:?}", doc.faults().rows());
    doc
}

fn runs(doc: &Document) -> Vec<(String, usize)> {
    let recorded = doc.trace().extensions.get::<Recorded>();
    let runs = recorded.map_or(&[][..], |recorded| &recorded.runs);
    runs.iter().map(|run| (run.name.clone(), run.kernels.len())).collect()
}

#[test]
fn logs_are_documents_of_their_own_in_any_order_and_meet_in_compare() {
    let log = |seed, n| make::log(seed, n).0.into_bytes();
    let table = b"kernel_id,weight\n3,5\n".to_vec();
    let mut files = vec![
        ("b.log", log(2, 700)),
        ("a.log", log(1, 500)),
        ("without_ending", log(3, 300)),
        ("cluster.csv", table),
    ];
    for _ in 0..2 {
        files.reverse();
        let first = picked(&files, "");
        assert_eq!(first.operators(), ["a.log", "b.log", "without_ending"]);
        let project = first.head().project.unwrap();
        assert_eq!((project.called.as_str(), project.operators), ("Logs", 3));
        assert_eq!(project.dropped, ["a.log", "b.log", "without_ending"], "each becomes a document");
        let cycles: u64 = make::log(1, 500).1.iter().map(|(_, cycles)| *cycles).sum();
        let heads = first.operator_heads(0, 3);
        assert_eq!(heads[0].measure("Cycles"), Some(cycles as f64), "the list tells runs apart");
        assert_eq!(runs(&first), [("a".to_owned(), 2)]);
        let other = picked(&files, "b.log");
        assert_eq!(runs(&other), [("b".to_owned(), 2)]);
        for doc in [&first, &other] {
            assert_eq!(run(doc).kernels[0].weight, 5.0, "other files belong to all");
        }
        let joined = figures(&first, &other);
        let ids: Vec<&str> = joined.families.iter().map(|family| family.id.as_str()).collect();
        for id in ["lifetime-lengths", "lifetime-kernels", "lifetime-devices"] {
            assert!(ids.contains(&id), "{id}: {ids:?}");
        }
    }
    // One log is no project, and its tables stay with it.
    let mut doc = picked(&files[1..2], "");
    assert!(doc.operators().is_empty() && doc.head().project.is_none());
    let csv = super::export(&mut doc, "gainsight-sim-csv").into_bytes();
    let files = [("a.log", log(1, 500)), ("b.log", log(2, 500)), ("b.sim.csv", csv)];
    assert_eq!(runs(&picked(&files, "a.log")).len(), 1);
    let both = picked(&files, "b.log");
    assert_eq!(runs(&both).len(), 2, "a table belongs to the log that it is called after");
    // Where a document has two runs, every list names them.
    let titles: Vec<String> = both.head().figures.into_iter().map(|(_, _, title, _)| title).collect();
    let named = |title: &&String| title.contains("Lifetimes by kernel") || title.contains("Memory devices");
    assert!(titles.iter().filter(named).all(|title| title.ends_with(": b")), "{titles:?}");
}

#[test]
fn logs_with_one_mapping_are_documents_of_their_own() {
    let mapping = br#"{"access": "^(?<cycle>\\d+) (?<op>RD|WR) 0x(?<address>[0-9a-f]+)",
        "words": {"load": ["RD"], "store": ["WR"]}, "clock_mhz": 1000}"#;
    let log =
        |n: u64| (0..n).map(|at| format!("{at} RD 0x{:x}\n", at % 7 * 32)).collect::<String>().into_bytes();
    let files = [("y.log", log(40)), ("words.json", mapping.to_vec()), ("x.log", log(90))];
    for (name, n) in [("x.log", 90), ("y.log", 40)] {
        let doc = picked(&files, name);
        assert_eq!(doc.operators(), ["x.log", "y.log"]);
        let accesses: u64 = run(&doc).kernels[0].levels.iter().map(|level| level.counts.accesses()).sum();
        assert_eq!(accesses, n, "{name}");
        assert_eq!(run(&doc).clock_source, "mapping clock");
    }
}

#[test]
fn counters_of_two_kernels_are_two_documents_that_meet_in_compare() {
    let file = |hits: u64| format!("cycle,hit,miss\n100,{hits},1\n200,{},4\n", 3 * hits).into_bytes();
    let files = [
        ("run/mvt_kernel1_l1d_sm0.csv", file(7)),
        ("run/mvt_kernel0_l1d_sm0.csv", file(5)),
        ("run/mvt_kernel0_l1d_sm1.csv", file(6)),
        ("run/mvt_kernel10_l1d_sm0.csv", file(9)),
    ];
    let [a, b] = ["run/mvt_kernel0", "run/mvt_kernel10"].map(|kernel| picked(&files, kernel));
    assert_eq!(a.operators(), ["run/mvt_kernel0", "run/mvt_kernel1", "run/mvt_kernel10"]);
    let names = |doc: &Document| -> Vec<String> {
        doc.trace().tracks.iter().map(|(id, _)| doc.trace().track_path(id)).collect()
    };
    assert_eq!(names(&a)[1..], ["mvt_kernel0_l1d / sm0", "mvt_kernel0_l1d / sm1"]);
    assert_eq!(names(&b)[1..], ["mvt_kernel10_l1d / sm0"]);
    let joined = figures(&a, &b);
    assert!(joined.families.iter().any(|family| family.id == "counter-sums-0"));
    // Files of one kernel, and files that name none, stay together.
    assert!(picked(&files[1..3], "").operators().is_empty());
    let files = [("l1d_sm0.csv", file(5)), ("l2_slice0.csv", file(5))];
    let series = names(&picked(&files, "")).into_iter().filter(|name| name.contains(" / ")).count();
    assert_eq!(series, 2, "each below the name of its file");
}
