//! Files of other people, where they are at hand: `LANESCOPE_CORPUS` names the folder. They are never copied here.

use crate::support::corpus::corpus;
use crate::support::front_door::{open, open_one};
use crate::support::make_ascend::{Container, NO_VERSION};
use lanescope::base::fault::Severity;
use lanescope::model::figure::{Body, Cell};
use lanescope::model::files::BlockState;
use lanescope::wire::{Answer, Query};
use std::fs;
use std::path::PathBuf;

/// The Ascend part of the corpus.
pub(super) fn ascend() -> Option<PathBuf> {
    corpus("ascend")
}

pub(super) fn files(folder: PathBuf, ending: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == ending));
    files.sort();
    files
}

#[test]
fn every_container_opens() {
    let Some(root) = ascend() else { return };
    let mut all = files(root.clone(), "bin");
    all.extend(files(root.join("assembled"), "bin"));
    all.extend(files(root.join("assembled"), "json"));
    all.extend(files(root.join("OPPROF_cummin_round3"), "bin"));
    assert!(12 <= all.len(), "{all:?}");
    for path in all {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let (doc, ready) = open_one(&name, fs::read(&path).unwrap());
        assert!(ready, "{name}");
        assert_eq!(doc.faults().count(Severity::Fatal), 0, "{name}: {:?}", doc.faults().rows());
        let is_cut = name.contains("truncated");
        let is_lossy = 0 < doc.faults().count(Severity::Loss);
        assert_eq!(is_lossy, is_cut, "{name}: {:?}", doc.faults().rows());
        let damaged = doc.trace().blocks.iter().filter(|b| b.state == BlockState::Damaged).count();
        assert_eq!(damaged, usize::from(is_cut), "{name}");
    }
}

#[test]
fn containers_alone_are_compared_by_what_their_blocks_tell() {
    let Some(root) = ascend() else { return };
    let names = ["cummin_910b2_vector_round2.bin", "matmul_leakyrelu_910b4_mix.bin"];
    let file = |name: &str| (name.to_owned(), fs::read(root.join(name)).unwrap());
    let (mut doc, is_ready) = open(names.into_iter().map(file).collect(), 1 << 16);
    assert!(is_ready);
    let Answer::Operators(heads) = doc.query(&Query::Operators { from: 0 }).0 else { panic!("operators") };
    // Sums by sums over the cores, computed of the JSON of the same files.
    let expected: [&[(&str, f64)]; 2] = [
        &[
            ("Vector All Active (by cycles)", 0.000_311_390_9),
            ("L2 hit rate (by requests)", 55.400_578_5),
            ("GM ↔ L2", 0.584_709_7),
            ("L2 → UB, share of peak (by time)", 0.027_390_958_5),
        ],
        &[
            ("Cube All Active (by cycles)", 11.134_984_8),
            ("Cube Wait (by cycles)", 25.535_096_1),
            ("Vector All Active1 (by cycles)", 1.61),
            ("L2 hit rate (by requests)", 93.450_618_8),
            ("GM ↔ L2", 70.951_500_4),
            ("L2 → L1, share of peak (by time)", 4.647_074),
            ("UB → L2, share of peak (by time)", 4.589_226),
        ],
    ];
    assert_eq!(heads.len(), 2);
    for (head, expected) in heads.iter().zip(expected) {
        for (name, value) in expected {
            let found = head.measure(name).unwrap_or_else(|| panic!("{name}: {:?}", head.measures));
            assert!((found - value).abs() < 1e-6, "{name}: {found}");
        }
    }
    // A peak that the file does not say is none.
    assert_eq!(heads[0].measure("UB → L2, share of peak (by time)"), None);
}

#[test]
fn the_mix_operator_has_the_numbers_of_its_file() {
    let Some(root) = ascend() else { return };
    let bytes = fs::read(root.join("matmul_leakyrelu_910b4_mix.bin")).unwrap();
    let (doc, _) = open_one("visualize_data.bin", bytes);
    let trace = doc.trace();
    assert!(trace.title.starts_with("MatmulLeakyreluCustom_"), "{}", trace.title);
    assert_eq!(trace.headline, ["Ascend910B4", "mix", "300.066 µs"]);
    let find = |id: &str| trace.figures.iter().find(|f| f.id == id).expect("the figure is there");
    let Body::Facts(facts) = &find("base-info").variants[0].body else { panic!("facts") };
    let fact = |name: &str| facts.facts.iter().find(|f| f.name == name).map(|f| f.value.clone());
    assert_eq!(fact("Block dim"), Some(Cell::Number(2.0)));
    assert_eq!(fact("Mix block dim"), Some(Cell::Number(4.0)));
    let Body::Cores(grid) = &find("core-occupancy").variants[0].body else { panic!("cores") };
    let measured: Vec<&str> = grid.cores.iter().filter(|c| c.is_measured).map(|c| c.name.as_str()).collect();
    assert_eq!((grid.cores.len(), measured), (20, vec!["0", "1"]));
    assert_eq!(grid.cores[1].cells[2].value, Some(409_526.0));
    assert_eq!(find("compute-workload").choices[0].options, ["0", "1", "All blocks"]);
    assert!(doc.faults().rows().is_empty(), "{:?}", doc.faults().rows());
}

#[test]
fn durations_of_blocks_equal_the_csv_beside_the_container() {
    let Some(root) = ascend() else { return };
    let folder = root.join("OPPROF_cummin_round3");
    let csv = fs::read_to_string(folder.join("PipeUtilization.csv")).unwrap();
    let mut lines = csv.lines().map(|l| l.split(',').collect::<Vec<_>>());
    let heads = lines.next().unwrap();
    let at = heads.iter().position(|h| h.starts_with("aiv_time(us)")).expect("the column of times");
    let expected: Vec<f64> = lines.filter_map(|row| row.get(at)?.parse().ok()).collect();
    let (doc, _) = open_one("visualize_data.bin", fs::read(folder.join("visualize_data.bin")).unwrap());
    let table = doc.trace().figures.iter().find(|f| f.id == "block-detail").expect("the table");
    let Body::Table(table) = &table.variants[0].body else { panic!("table") };
    let found: Vec<f64> = table.rows.iter().filter_map(|row| row[2].as_number()).collect();
    assert_eq!(found.len(), 32);
    assert_eq!(found, expected);
}

#[test]
fn payloads_go_through_the_typed_readers() {
    let Some(root) = ascend() else { return };
    let kind = |name: &str| match name {
        _ if name.contains("API_FILE") => 3,
        _ if name.contains("INSTR") || name.contains("__Parse") => 4,
        _ if name.contains("BASE_INFO") => 5,
        _ if name.contains("LOAD_GRAPH") => 6,
        _ if name.contains("LOAD_TABLE") => 7,
        _ if name.contains("MEMORY_GRAPH") => 8,
        _ if name.contains("MEMORY_TABLE") => 9,
        _ if name.contains("InterCore") => 12,
        _ if name.contains("ROOFLINE") || name.contains("RooflineTest") => 13,
        _ if name.contains("CACHE") => 14,
        _ => 15,
    };
    for path in files(root.join("payloads"), "json") {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let kind = kind(&name);
        let version = if kind == 4 { 0 } else { NO_VERSION };
        let bytes = Container::default().block(kind, version, &fs::read(&path).unwrap()).0;
        let (doc, ready) = open_one(&name, bytes);
        assert!(ready, "{name}");
        let trace = doc.trace();
        let n_rows: usize = trace.code.listings.iter().map(|l| l.lines.len()).sum();
        let is_read = match kind {
            // Of one payload no record has a line number.
            3 => n_rows != 0 || 0 < doc.faults().count(Severity::Warning),
            4 => n_rows != 0,
            5..=9 | 12..=15 => !trace.figures.is_empty(),
            _ => trace.blocks[0].state == BlockState::ViewFollows,
        };
        assert!(is_read, "{name}: {:?}", doc.faults().rows());
        assert_eq!(doc.faults().count(Severity::Loss), 0, "{name}: {:?}", doc.faults().rows());
    }
}

#[test]
fn advice_has_the_order_of_the_overview_and_says_nothing_twice() {
    let Some(root) = ascend() else { return };
    let mut n = 0;
    for file in files(root, "bin") {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let mut doc = open_one(&name, fs::read(&file).unwrap()).0;
        let overview = doc.whole_overview();
        let lines = super::advice(&mut doc);
        let said: Vec<String> = lines
            .iter()
            .map(|line| lanescope::analysis::finding::plain(&line.sentence.to_string()))
            .collect();
        let found = overview
            .findings
            .iter()
            .map(|finding| lanescope::analysis::finding::plain(&finding.sentence.to_string()));
        // What bounds the run stands first.
        let bounds = |text: &String| text.contains(" is the bottleneck ") || text.starts_with("No pipe ");
        assert!(said.iter().map(bounds).is_sorted_by(|a, b| a >= b), "{name}: {said:?}");
        let found = found.filter(|text| !bounds(text));
        let places: Vec<usize> =
            found.filter_map(|sentence| said.iter().position(|own| *own == sentence)).collect();
        assert!(places.is_sorted(), "{name}: {said:?}");
        n += places.len();
        let behind = lines.iter().map(|line| line.line.to_string());
        for text in behind.chain(overview.findings.iter().map(|finding| finding.line.to_string())) {
            assert!(!text.contains("..") && !text.contains(".,") && !text.starts_with(' '), "{name}: {text}");
        }
        for line in &lines {
            let text = lanescope::analysis::finding::plain(&line.line.to_string());
            let is_named = |own: &&String| text.contains(own.trim_end_matches('.'));
            assert!(said.iter().find(is_named).is_none(), "{name}: {text}");
        }
    }
    assert!(10 <= n, "{n}");
}
