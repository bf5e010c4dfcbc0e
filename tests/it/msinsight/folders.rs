//! Folders of results: the CSV files beside a container, what both say, and projects of several operators.

use super::corpus::ascend;
use super::{codes, family};
use crate::support::front_door::{files_of, fixtures, open, open_case};
use crate::support::make_project;
use crate::support::rows::{page, values, wanted};
use lanescope::base::fault::{Kind, Severity};
use lanescope::base::unit::Unit;
use lanescope::document::Document;
use lanescope::input::unpack::MemoryStore;
use lanescope::input::{Entry, Memory};
use lanescope::model::figure::{Body, Cell, Matrix, TableFigure};
use lanescope::model::{Table, TableCells};
use lanescope::wire::rows::Source;
use lanescope::wire::{Answer, Query};
use std::fs;
use std::rc::Rc;

#[test]
fn folders_are_what_the_generator_makes() {
    for (name, shows, files) in make_project::folders() {
        let folder = fixtures().join("msinsight").join(name);
        let note = format!(
            "origin = \"made by tests/it/support/make_project.rs\"\nlicence = \"Apache-2.0\"\nreal = false\nshows = \"{shows}\"\n"
        );
        if std::env::var_os("UPDATE").is_some() {
            for (path, bytes) in &files {
                let path = folder.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, bytes).unwrap();
            }
            fs::write(folder.join("source.toml"), &note).unwrap();
        }
        let mut files = files;
        files.sort();
        assert_eq!(files_of(&folder), files, "{name}: UPDATE=1 cargo test writes it");
        assert_eq!(fs::read_to_string(folder.join("source.toml")).ok(), Some(note), "{name}");
    }
}

fn table<'a>(doc: &'a Document, id: &str) -> &'a Table {
    doc.trace().tables.iter().find(|t| t.id == id).unwrap_or_else(|| panic!("there is no table {id}"))
}

fn numbers(table: &Table, column: &str) -> Vec<f64> {
    let column = table.columns.iter().find(|c| c.name == column).expect("the column");
    match &column.cells {
        TableCells::Numbers(numbers) => numbers.clone(),
        _ => panic!("{} holds no numbers", column.name),
    }
}

fn crossed(doc: &Document) -> &TableFigure {
    match &family(doc, "bin-csv").variants[0].body {
        Body::Table(table) => table,
        _ => panic!("a table"),
    }
}

fn verdicts(doc: &Document, verdict: &str) -> usize {
    crossed(doc).rows.iter().filter(|row| row[7] == Cell::Text(verdict.to_owned())).count()
}

fn heat(doc: &Document, file: &str) -> Matrix {
    let family = family(doc, "csv-blocks");
    let at = family.choices[0].options.iter().position(|o| o == file).expect("the file");
    match &family.variants[at].body {
        Body::Matrix(matrix) => matrix.clone(),
        _ => panic!("a matrix"),
    }
}

#[test]
fn csv_files_beside_a_container_are_tables() {
    let (doc, ready) = open_case("msinsight", "folder");
    assert!(ready);
    let ids: Vec<&str> = doc.trace().tables.iter().map(|t| t.id.as_str()).collect();
    assert_eq!(ids, ["l2cache", "memory", "notes", "opbasicinfo", "pipeutilization"]);
    let pipes = table(&doc, "pipeutilization");
    let heads: Vec<(&str, &str)> = pipes.columns.iter().map(|c| (c.name.as_str(), c.unit.symbol())).collect();
    assert_eq!(heads[2..5], [("aic_time", "µs"), ("aiv_time", "µs"), ("aiv_total_cycles", "")]);
    assert_eq!(numbers(pipes, "aiv_time"), [100.25, 80.5]);
    assert!(numbers(pipes, "aic_time").iter().all(|v| v.is_nan()));
    // A file that another program wrote: mark, semicolons, quotes, and a short row.
    let notes = table(&doc, "notes");
    let TableCells::Texts(what) = &notes.columns[0].cells else { panic!("texts") };
    assert_eq!(what, &["tiles; all", "rows"]);
    assert_eq!(codes(&doc), ["ASC-CSV"]);
    assert_eq!(doc.faults().rows()[0].place.line, Some((3, 1)));
}

#[test]
fn rows_of_blocks_are_a_heat_table() {
    let (doc, _) = open_case("msinsight", "folder");
    let matrix = heat(&doc, "PipeUtilization");
    assert_eq!(matrix.rows, ["0 vector0", "1 vector0"]);
    assert_eq!(matrix.columns, ["aiv_time", "aiv_total_cycles", "aiv_vec_ratio", "aiv_mte2_ratio"]);
    assert_eq!(matrix.column_units[0], Unit::Micros);
    let values: Vec<f64> = matrix.cells.iter().filter_map(|c| c.value).collect();
    assert_eq!(values, [100.25, 180_450.0, 0.1, 0.1, 80.5, 144_900.0, 0.2, 0.2]);
    assert!(!family(&doc, "csv-blocks").choices[0].options.contains(&"OpBasicInfo".to_owned()));
}

#[test]
fn what_bin_and_csv_both_say_agrees() {
    let (doc, _) = open_case("msinsight", "folder");
    // 8 of the operator; for each of 2 blocks: duration, cycles; hit, miss, ratio; ratio of the vector unit, path 12
    // twice; 2 of the cache table; instructions, rate, cycles of MTE2.
    assert_eq!(crossed(&doc).rows.len(), 8 + 2 * 13);
    assert_eq!(verdicts(&doc, "conflicting"), 0);
    assert!(family(&doc, "bin-csv").variants[0].advice.is_empty());
}

#[test]
fn a_planted_contradiction_is_found_where_it_stands() {
    let mut files = files_of(&fixtures().join("msinsight/folder"));
    let (_, bytes) = files.iter_mut().find(|(name, _)| name == "PipeUtilization.csv").unwrap();
    let text = String::from_utf8(bytes.clone()).unwrap();
    *bytes = text.replace("80.500000", "80.510000").into_bytes();
    let at = text.find("80.500000").unwrap() as u64;
    let (doc, ready) = open(files, 1 << 16);
    assert!(ready);
    assert_eq!(verdicts(&doc, "conflicting"), 1);
    let row: Vec<String> = crossed(&doc).rows[0]
        .iter()
        .map(|cell| match cell {
            Cell::Text(text) => text.clone(),
            other => format!("{other:?}"),
        })
        .collect();
    let expected =
        ["block ▸ Duration", "1", "PipeUtilization", "aiv_time(us)", "80.5", "80.51", "0.01", "conflicting"];
    assert_eq!(row, expected);
    assert_eq!(family(&doc, "bin-csv").variants[0].advice.len(), 1);
    let fault = doc.faults().rows().iter().find(|f| f.code == "ASC-CROSS").expect("the fault");
    assert_eq!(fault.severity, Severity::Warning);
    assert_eq!(
        (fault.place.entry.as_str(), fault.place.byte, fault.place.line, &*fault.place.block.to_string()),
        ("PipeUtilization.csv", Some(at), Some((3, 14)), "column aiv_time(us)")
    );
    let Kind::Contradiction { a, b } = &fault.kind else { panic!("{:?}", fault.kind) };
    assert_eq!(a, "block ▸ Duration of block 1 is 80.5 in block 1 BASE_INFO");
    assert_eq!(b, "80.51 here");
}

#[test]
fn a_ratio_computed_twice_is_one_value_and_a_changed_digit_is_none() {
    for (bin, csv, is_one) in [
        // Neighboring floats, in any number of digits.
        ("61.801044", "61.801048", true),
        ("64.10257", "64.102562", true),
        ("96.91950988769531", "96.919502", true),
        ("6.4102570e1", "64.102562", true),
        ("0.000188803", "1.88803e-4", true),
        // Rounded and cut off.
        ("61.801048", "61.80", true),
        ("61.809048", "61.80", true),
        ("61.801048", "61.8%", true),
        // More floats apart than rounding explains.
        ("61.801044", "61.801144", false),
        ("0.856048", "0.856049", false),
        ("61.801048", "61.82", false),
        // Texts that no float is printed as are taken by their digits; counts are exact.
        ("9142.259766", "9142.259776", false),
        ("16777216", "16777217", false),
        ("1.5", "NA", true),
    ] {
        for (bin, csv) in [(bin, csv), (csv, bin)] {
            let (doc, ready) = open(make_project::bandwidths(bin, csv), 1 << 16);
            assert!(ready);
            let is_fault = doc.faults().rows().iter().any(|fault| fault.code == "ASC-CROSS");
            assert_eq!(!is_fault, is_one, "{bin} {csv}: {:?}", doc.faults().rows());
        }
    }
}

#[test]
fn long_tables_are_sorted_and_filtered_by_pages() {
    let (mut doc, _) = open_case("msinsight", "folder");
    let source = || Source::Table { id: "pipeutilization".to_owned(), has_empty: true };
    let sorted = values(&mut doc, source(), Some((3, false)), "");
    assert_eq!((sorted.len(), sorted[0][3].as_str(), sorted[0][2].as_str()), (2, "80.5", ""));
    let found = values(&mut doc, source(), None, "180450");
    assert_eq!((found.len(), found[0][0].as_str()), (1, "0"));
    let reply = page(&mut doc, source(), wanted(None, "nothing of this"));
    assert_eq!((reply.page.total, reply.page.all), (0, 2));
    let all = reply.page.columns.len();
    let source = Source::Table { id: "pipeutilization".to_owned(), has_empty: false };
    let shown = page(&mut doc, source, wanted(None, "")).page;
    assert!(shown.columns.len() <= all && shown.columns.iter().all(|column| 0.0 < column.width));
    // Exported, it is the file again, but for what stands for nothing.
    let (_, bytes) = doc.query(&Query::Export { id: "figures-csv:memory".to_owned() });
    let text = String::from_utf8(bytes.unwrap()).unwrap();
    assert_eq!(
        text,
        "block_id,sub_block_id,aiv_gm_to_ub_bw (GB/s),aiv_mte2_instructions,GM_to_UB_datas (KB)\n\
         0,vector0,1.5,8,10\n1,vector0,1.5,8,12\n"
    );
}

fn pick(case: &str, path: &str) -> (Document, bool) {
    let files = files_of(&fixtures().join("msinsight").join(case));
    let entry = |(path, bytes)| Entry { path, source: Rc::new(Memory(bytes)) };
    Document::open_operator(files.into_iter().map(entry).collect(), path, Box::new(MemoryStore::default()))
}

#[test]
fn a_project_opens_its_first_operator_and_lists_all() {
    let (mut doc, ready) = open_case("msinsight", "project");
    assert!(ready);
    let top = "OPPROF_20250101120000_AB/";
    let paths: Vec<&str> = doc.operators().iter().filter_map(|path| path.strip_prefix(top)).collect();
    assert_eq!(paths, ["device0/CopyIn/0", "device0/CopyScale/0", "device0/CopyScale/1", "device1/Add"]);
    let project = doc.head().project.expect("a project");
    assert_eq!((project.operators, project.short(&project.shown)), (4, "device0/CopyIn/0"));
    // Without a container the CSV files say what the operator is.
    assert_eq!((doc.trace().title.as_str(), doc.bundle().len()), ("CopyIn", 4));
    assert_eq!(doc.trace().headline, ["vector", "60.750 µs"]);
    let Answer::Operators(heads) = doc.query(&Query::Operators { from: 0 }).0 else { panic!("operators") };
    let said: Vec<(&str, &str, Option<f64>, Option<f64>)> =
        heads.iter().map(|h| (h.name.as_str(), h.chip.as_str(), h.duration, h.clock)).collect();
    assert_eq!(
        said,
        [
            ("CopyIn", "", Some(60.75), Some(1700.0)),
            ("CopyScale", "Ascend910B2", Some(101.5), Some(1700.0)),
            ("CopyScale", "Ascend910B2", Some(99.5), Some(1700.0)),
            ("Add", "", None, None),
        ]
    );
    assert_eq!(doc.query(&Query::Operators { from: 4 }).0, Answer::Operators(Vec::new()));
    let (_, bytes) = doc.query(&Query::Export { id: "operators-csv".to_owned() });
    let text = String::from_utf8(bytes.unwrap()).unwrap();
    assert_eq!(text.lines().count(), 5);
    let second = format!("{top}device0/CopyScale/0,CopyScale,Ascend910B2,vector,2,101.5,1700,1800,");
    // What else was measured stands behind.
    assert!(text.lines().nth(2).is_some_and(|line| line.starts_with(&second)), "{text}");
    assert!(
        text.lines().next().is_some_and(|line| line.contains("Outside the longest block (µs)")),
        "{text}"
    );
}

#[test]
fn any_operator_of_a_project_can_be_taken() {
    let (doc, ready) = pick("project", "CopyScale/0");
    assert!(ready && doc.has_picked());
    assert_eq!((doc.trace().title.as_str(), doc.bundle().len()), ("CopyScale", 6));
    assert_eq!(verdicts(&doc, "conflicting"), 0);
    // Files of the simulator of all cores are one timeline.
    let (doc, ready) = pick("project", "device1/Add/");
    assert!(ready);
    assert_eq!((doc.trace().n_slices(), doc.bundle().len()), (2, 2));
    for (case, path) in [("project", "device0"), ("device", "device0"), ("project", "opyScale/0")] {
        let (doc, ready) = pick(case, path);
        assert!(!ready && !doc.has_picked(), "{case} {path}");
    }
    let (doc, ready) = open_case("msinsight", "folder");
    assert!(ready && doc.head().project.is_none());
}

#[test]
fn a_copy_of_the_trace_beside_a_container_is_shown_once() {
    let folder = fixtures().join("msinsight/simulator");
    let (alone, _) = open_case("msinsight", "simulator");
    let trace = alone.trace().blocks.iter().find(|b| b.kind == 2).expect("a trace");
    let payload = trace.payload.clone();
    let container = files_of(&folder).remove(0).1;
    let text = container[payload.start as usize..payload.end as usize].to_vec();
    let beside = |name: &str, bytes: &[u8]| (format!("OPPROF_1/simulator/{name}"), bytes.to_vec());
    let files = vec![beside("visualize_data.bin", &container), beside("trace.json", &text)];
    let (doc, _) = open(files.clone(), 1 << 16);
    assert_eq!(doc.trace().n_slices(), alone.trace().n_slices());
    // Another trace of the same core is shown too.
    let mut other = files;
    other[1].1.push(b'\n');
    assert!(alone.trace().n_slices() < open(other, 1 << 16).0.trace().n_slices());
}

/// The files of the real folder.
fn real() -> Option<Vec<(String, Vec<u8>)>> {
    let folder = ascend()?.join("OPPROF_cummin_round3");
    let files = files_of(&folder).into_iter();
    Some(files.map(|(name, bytes)| (format!("OPPROF_cummin_round3/{name}"), bytes)).collect())
}

#[test]
fn the_real_folder_has_eight_tables_and_no_contradiction() {
    let Some(files) = real() else { return };
    let names: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
    let (doc, ready) = open(files, 1 << 16);
    assert!(ready);
    assert!(doc.faults().rows().is_empty(), "{:?}", doc.faults().rows());
    let is_sheet = |title: &str| names.iter().any(|name| name.contains(&format!("/{title}")));
    assert_eq!(doc.trace().tables.iter().filter(|t| is_sheet(&t.title)).count(), 8);
    // Numbers copied by hand from the files.
    let cache = table(&doc, "l2cache");
    assert_eq!(numbers(cache, "aiv_write_cache_hit")[1], 1_205.0);
    assert_eq!(numbers(cache, "aiv_total_hit_rate")[0], 59.721_294);
    let memory = table(&doc, "memory");
    assert_eq!(numbers(memory, "UB_to_GM_datas")[0], 1_736.0);
    assert!(numbers(memory, "L1_to_GM_datas(estimate)")[0].is_nan());
    let matrix = heat(&doc, "PipeUtilization");
    assert_eq!(matrix.rows.len(), 32);
    assert_eq!(
        matrix.cells[matrix.columns.iter().position(|c| c == "aiv_scalar_time").unwrap()].value,
        Some(8_824.290_039)
    );
    assert_eq!((verdicts(&doc, "conflicting"), crossed(&doc).rows.len()), (0, 1_895));
}

#[test]
fn a_digit_changed_in_a_copy_of_the_real_files_is_found() {
    let Some(files) = real() else { return };
    let planted = [
        ("L2Cache.csv", "1205,1504,266", "1205,1504,267", 3, 2),
        ("Memory.csv", "147.125000", "147.625000", 3, 1),
        ("MemoryUB.csv", "0.856048", "0.856049", 2, 1),
        ("OpBasicInfo.csv", "9142.259766", "9142.259776", 2, 1),
        ("PipeUtilization.csv", "0.811342", "0.811352", 3, 2),
        ("ResourceConflictRatio.csv", "0.001123", "0.001133", 2, 1),
    ];
    for (file, old, new, line, least) in planted {
        let mut files = files.clone();
        let (_, bytes) = files.iter_mut().find(|(name, _)| name.ends_with(&format!("/{file}"))).unwrap();
        *bytes = String::from_utf8(bytes.clone()).unwrap().replacen(old, new, 1).into_bytes();
        let (doc, _) = open(files, 1 << 16);
        let faults: Vec<_> = doc.faults().rows().iter().filter(|f| f.code == "ASC-CROSS").collect();
        assert!(least <= faults.len(), "{file}: {faults:?}");
        for fault in faults {
            assert!(fault.place.entry.ends_with(file), "{fault}");
            assert_eq!(fault.place.line.map(|(line, _)| line), Some(line), "{fault}");
        }
    }
}
