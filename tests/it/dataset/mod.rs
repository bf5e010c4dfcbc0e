//! Data sets in the page: traces are converted by the command line's own code, opened again, and told of.

mod columns;
mod packed;
mod ranks;
mod series;
mod sets;
mod significance;

use lanescope::document::Document;
use lanescope::engine::tables::units;
use lanescope::export::tables::{FileFormat, Keys, Opened, Place};
use lanescope::input::disk::gather;
use lanescope::input::unpack::MemoryStore;
use lanescope::input::{Entry, Memory};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::rc::Rc;

/// A folder that is gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lanescope-dataset-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0); // a leftover in the temporary folder harms nobody
    }
}

/// A trace with `n` launches of two kernels; the second takes so many nanoseconds.
fn trace(n: usize, dur: f64, seed: usize) -> String {
    let mut events = String::new();
    for at in 0..n {
        let begin = at * 1000;
        // What differs from launch to launch, the same in every run but for its phase.
        let jitter = ((at * 7 + seed * 3) % 10) as f64 / 1000.0;
        for (k, (name, dur)) in
            [("void gemm<float>(int)", 100.0), ("softmax", dur / 1000.0)].into_iter().enumerate()
        {
            let (ts, id) = (begin + k * 400, 2 * at + k + 1);
            let _ = write!(
                events,
                r#"{{"ph":"X","cat":"cuda_runtime","name":"launch","pid":1,"tid":1,"ts":{ts},"dur":3,"args":{{"correlation":{id}}}}},
                {{"ph":"X","cat":"kernel","name":"{name}","pid":0,"tid":7,"ts":{},"dur":{},"args":{{"correlation":{id},"stream":7,"device":0}}}},"#,
                ts + 10,
                dur + jitter
            );
        }
    }
    format!(r#"{{"schemaVersion":1,"traceEvents":[{}]}}"#, events.trim_end_matches(','))
}

/// Converts a trace into a folder as one of a run.
fn convert(folder: &Folder, run: &str, name: &str, text: String) {
    convert_tables(folder, run, name, text, &|_| true);
}

fn convert_tables(folder: &Folder, run: &str, name: &str, text: String, wanted: &dyn Fn(&str) -> bool) {
    convert_as(folder, (run, &format!("{run}-{name}")), name, text, wanted);
}

/// The same as a trace of this number.
fn convert_as(
    folder: &Folder,
    (run, trace): (&str, &str),
    name: &str,
    text: String,
    wanted: &dyn Fn(&str) -> bool,
) {
    let entry = Entry { path: name.to_owned(), source: Rc::new(Memory(text.into_bytes())) };
    let (mut doc, is_ready) = Document::open(vec![entry], Box::<MemoryStore>::default());
    assert!(is_ready, "{name}");
    let keys = Keys { trace: trace.to_owned(), host: None, world_size: None };
    let opened = Opened { keys, name: name.to_owned(), bytes: 0, tables: Vec::new() };
    let place = Place {
        top: folder.0.clone(),
        system: doc.system().to_owned(),
        run: run.to_owned(),
        format: FileFormat::Parquet,
        has_thread: false,
    };
    doc.write_tables(opened, &place, &|table| wanted(table.name)).unwrap();
}

/// Six runs of two traces; from the fourth on softmax takes so much longer.
fn data_set(name: &str, factor: f64) -> Folder {
    data_set_of(name, 6, factor)
}

/// So many runs; softmax takes so much longer in the second half.
fn data_set_of(name: &str, runs: usize, factor: f64) -> Folder {
    let folder = Folder::new(name);
    for run in 1..=runs {
        // Runs differ by less than a part in a thousand by themselves.
        let dur = 40_000.0 * (1.0 + run as f64 / 1e4) * if run <= runs / 2 { 1.0 } else { factor };
        for of in 0..2 {
            convert(&folder, &format!("night-{}", run + 6), &format!("t{run}{of}.json"), trace(30, dur, of));
        }
    }
    folder
}

fn open(folder: &Folder) -> Document {
    let found = gather(std::slice::from_ref(&folder.0));
    let (doc, is_ready) = Document::open(found.entries, Box::<MemoryStore>::default());
    assert!(is_ready, "the data set opens");
    doc
}

fn csv(doc: &mut Document, id: &str) -> String {
    let query = lanescope::wire::Query::Export { id: format!("figures-csv:{id}") };
    String::from_utf8(doc.query(&query).1.unwrap_or_default()).unwrap()
}

/// The cells of the row of a table with this name.
fn row(table: &str, name: &str) -> Vec<String> {
    let found =
        table.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name} in {table}"));
    found.split(',').map(str::to_owned).collect()
}

/// Writes the fixture anew: ten runs of a trace, of which the last five have a slower kernel.
#[test]
fn the_fixture_opens_and_says_what_became_slower() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/dataset/slower/nightly");
    if std::env::var_os("UPDATE").is_some() {
        let folder = Folder(path.clone());
        let _ = std::fs::remove_dir_all(&path);
        for run in 1..=10_usize {
            let dur = 40_000.0 * (1.0 + run as f64 / 1e4) * if run < 6 { 1.0 } else { 1.2 };
            convert_tables(
                &folder,
                &format!("run-{run}"),
                &format!("t{run}.json"),
                trace(12, dur, run),
                &|table| matches!(table, "kernels" | "traces"),
            );
        }
        std::mem::forget(folder);
    }
    let found = gather(&[path]);
    let (mut doc, is_ready) = Document::open(found.entries, Box::<MemoryStore>::default());
    assert!(is_ready);
    let overview = doc.whole_overview();
    let said: Vec<String> =
        overview.findings.iter().map(|finding| finding.said(Default::default())).collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("softmax takes 20.1 % longer from run run-6 on."), "{said:?}");
    assert!((overview.findings[0].value - 20.06).abs() < 0.2, "{}", overview.findings[0].value);
}

#[test]
fn a_kernel_that_is_as_fast_as_before_is_none_and_few_runs_are_too_few() {
    use lanescope::analysis::finding::Outcome;
    let outcome = |folder: &Folder| {
        let overview = open(folder).whole_overview();
        assert!(overview.findings.is_empty(), "{:?}", overview.findings);
        overview.rules.iter().find(|rule| rule.id == "dataset-slower").unwrap().outcome.clone()
    };
    let same = data_set_of("same", 8, 1.0);
    let Outcome::Nothing(said) = outcome(&same) else { panic!("the same is no finding") };
    // Medians of runs 2 and 3, and of 6 and 7; gemm never differs.
    assert_eq!(
        said.text(lanescope::base::words::Language::En),
        "no significant lasting slowdown of 1 % or more among 1 tested kernel; largest difference +0.0 %"
    );
    let few = data_set_of("few", 4, 2.0);
    let tiles = open(&few).whole_overview().tiles;
    let said = tiles.last().map(|tile| tile.comparison.to_string());
    assert_eq!(said.as_deref(), Some("too few runs to compare"));
    let Outcome::Missing(said) = outcome(&few) else { panic!("few runs tell nothing") };
    let said = said.text(lanescope::base::words::Language::En).into_owned();
    let expected = "no change is certain: 2 and 2 runs are too few to tell one of 1 kernel from chance; \
                    largest: softmax +100";
    assert!(said.starts_with(expected), "{said}");
}

#[test]
fn a_kernel_that_became_slower_between_two_sets_of_runs_is_found_at_its_size() {
    let folder = data_set("slower", 1.25);
    let mut doc = open(&folder);
    let overview = doc.whole_overview();
    let said: Vec<String> =
        overview.tiles.iter().map(|tile| tile.value.text(Default::default()).into_owned()).collect();
    assert_eq!(said[..2], ["6", "12"], "{said:?}");
    let table = csv(&mut doc, "dataset-kernels");
    let cells = row(&table, "softmax");
    let number = |at: usize| cells[at].parse::<f64>().unwrap();
    // Medians of runs 2 and 5 with the middle of the launches' differences.
    let (before, after) = (40_000.0 * 1.0002 + 4.5, 40_000.0 * 1.0005 * 1.25 + 4.5);
    assert!((number(1) - before).abs() < 2.0 && (number(2) - after).abs() < 2.0, "{cells:?}");
    assert!((number(3) - (after / before - 1.0) * 100.0).abs() < 0.01, "{cells:?}");
    assert_eq!(number(4), 60.0, "launches in a run: {cells:?}");
    assert!((number(6) - 0.1).abs() < 1e-9, "three against three runs: {cells:?}");
    // What did not change is no finding: gemm is the same in all runs.
    let same = row(&table, "void gemm");
    assert_eq!((same[3].as_str(), same[6].as_str()), ("0", ""), "what never differs is not tested: {same:?}");
}

#[test]
fn runs_stand_in_the_order_of_their_numbers_and_rows_lead_to_files() {
    let folder = data_set("order", 1.1);
    let mut doc = open(&folder);
    let trend = csv(&mut doc, "dataset-kernels-trend:1");
    assert_eq!(trend.lines().count(), 7, "a line for each run: {trend}");
    let table = csv(&mut doc, "dataset-kernels");
    // night-12 is the last run, not night-7.
    assert!(row(&table, "softmax").last().unwrap().starts_with("night-12 · t6"), "{table}");
}

#[test]
fn files_beside_a_data_set_are_documents_of_their_own() {
    let folder = data_set("beside", 1.1);
    std::fs::write(folder.0.join("t60.json"), trace(3, 1e4, 0)).unwrap();
    let doc = open(&folder);
    let all = doc.operators().into_iter().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(all.len(), 2, "{all:?}");
    assert!(all[1].ends_with("/t60.json"), "{all:?}");
    // And for a data set of a data set: its tables are one unit.
    let found = units(gather(std::slice::from_ref(&folder.0)).entries);
    assert_eq!(found.units.len(), 2, "{:?}", found.units.iter().map(|unit| &unit.name).collect::<Vec<_>>());
}

/// Only folders name the runs of files that were converted without one.
#[test]
fn files_without_their_folders_say_that_they_count_as_one_run() {
    let folder = data_set("loose", 1.1);
    let codes = |doc: &Document| -> Vec<String> {
        doc.faults().rows().iter().map(|fault| fault.code.to_string()).collect()
    };
    assert!(!codes(&open(&folder)).contains(&"DST-NO-RUN".to_owned()));
    let found = gather(std::slice::from_ref(&folder.0)).entries.into_iter();
    let loose = found.enumerate().map(|(at, entry)| {
        let table = ["kernels", "metrics", "findings"].into_iter().find(|table| entry.path.contains(table));
        Entry { path: format!("{}-{at}.parquet", table.unwrap_or("other")), ..entry }
    });
    let (doc, _) = Document::open(loose.collect(), Box::<MemoryStore>::default());
    let codes = codes(&doc);
    assert_eq!(codes.iter().filter(|code| *code == "DST-NO-RUN").count(), 1, "{codes:?}");
    // Tables of one trace are of one run, whatever that is.
    let one = Folder::new("loose-one");
    convert_tables(&one, "night-1", "t.json", steps(4, 4, 1), &|table| {
        matches!(table, "kernels" | "metrics")
    });
    let found = gather(std::slice::from_ref(&one.0)).entries.into_iter();
    let loose = found.filter_map(|entry| {
        let table = ["kernels", "metrics"].into_iter().find(|table| entry.path.contains(table))?;
        Some(Entry { path: format!("{table}.parquet"), ..entry })
    });
    let (doc, _) = Document::open(loose.collect(), Box::<MemoryStore>::default());
    assert!(
        doc.faults().rows().iter().all(|fault| &*fault.code != "DST-NO-RUN"),
        "{:?}",
        doc.faults().rows()
    );
}

#[test]
fn a_cut_or_changed_table_is_a_fault_and_the_others_are_told_of() {
    let folder = data_set("damaged", 1.1);
    let kernels = folder.0.join("kernels/system=trace_event/run=night-7");
    let file = std::fs::read_dir(&kernels).unwrap().next().unwrap().unwrap().path();
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let doc = open(&folder);
    // Half a file has no footer; the rest is told of.
    let codes: Vec<&str> = doc.faults().rows().iter().map(|fault| &*fault.code).collect();
    assert!(codes.contains(&"DST-DAMAGED"), "{codes:?}");
    assert_eq!(doc.trace().figures.len(), 1);
    let mut seen = 0;
    for at in (0..whole.len()).step_by(whole.len() / 97) {
        for bit in [0x01, 0x80] {
            let mut bytes = whole.clone();
            bytes[at] ^= bit;
            let entry = Entry { path: "kernels.parquet".to_owned(), source: Rc::new(Memory(bytes)) };
            // Whatever it says, it ends.
            let _ = Document::open(vec![entry], Box::<MemoryStore>::default());
            seen += 1;
        }
    }
    assert!(180 < seen, "{seen}");
}

/// Sets that are told by their names, in whatever order these stand in the alphabet, with runs of other names beside them.
#[test]
fn runs_before_and_after_are_told_by_their_names() {
    let folder = Folder::new("names");
    for run in 1..=5_usize {
        for (set, factor) in [("before", 1.0), ("after", 1.2), ("ranks", 3.0)] {
            let dur = 40_000.0 * (1.0 + run as f64 / 1e4) * factor;
            convert(&folder, &format!("{set}-{run:02}"), "train.json", trace(10, dur, run));
        }
    }
    let mut doc = open(&folder);
    let overview = doc.whole_overview();
    let said: Vec<String> = overview.findings.iter().map(|one| one.said(Default::default())).collect();
    assert!(said[0].starts_with("softmax takes 20.0 % longer from run after-01 on."), "{said:?}");
    let note = overview.parts[0].note.text(Default::default()).into_owned();
    assert!(note.ends_with("5 other runs are left out."), "{note}");
    let table = csv(&mut doc, "dataset-kernels");
    assert!(row(&table, "softmax").last().unwrap().starts_with("after-05 · "), "{table}");
    assert!(!table.contains("open:"), "{table}");
    let heads: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    let n_heads = heads.iter().collect::<std::collections::BTreeSet<_>>().len();
    assert_eq!(n_heads, heads.len(), "{heads:?}");
}

/// Kernels that hardly take time are not tested: with them nothing could be found in so few runs.
#[test]
fn many_short_kernels_do_not_hide_what_became_slower() {
    let folder = Folder::new("many");
    for run in 1..=9_usize {
        let mut text = trace(30, 40_000.0 * (1.0 + run as f64 / 1e4) * if run <= 5 { 1.0 } else { 1.5 }, run);
        let end = text.rfind(']').unwrap();
        for other in 0..60 {
            // Each differs from run to run without any order.
            let dur = 1.0 + ((run * 7 + other * 13) % 11) as f64 / 100.0;
            let event = format!(
                r#",{{"ph":"X","cat":"kernel","name":"short{other}x","pid":0,"tid":7,"ts":{}.0,"dur":{dur},"args":{{"stream":7,"device":0}}}}"#,
                90_000_000 + other * 10
            );
            text.insert_str(end, &event);
        }
        convert(&folder, &format!("night-{run}"), "t.json", text);
    }
    let overview = open(&folder).whole_overview();
    let said: Vec<String> = overview.findings.iter().map(|one| one.said(Default::default())).collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("softmax takes 50."), "{said:?}");
}

/// Why nothing could be compared.
fn missing(overview: &lanescope::analysis::finding::Overview) -> String {
    let rule = overview.rules.iter().find(|rule| rule.id == "dataset-slower").unwrap();
    match &rule.outcome {
        lanescope::analysis::finding::Outcome::Missing(said) => said.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_data_set_of_findings_says_what_is_there() {
    let folder = Folder::new("findings-alone");
    convert_tables(&folder, "night-1", "t.json", trace(30, 40_000.0, 0), &|table| table == "findings");
    let overview = open(&folder).whole_overview();
    let said = |message: &lanescope::base::words::Message| {
        message.text(lanescope::base::words::Language::En).into_owned()
    };
    let tiles: Vec<String> = overview.tiles.iter().map(|tile| said(&tile.label)).collect();
    assert_eq!(tiles, ["Runs", "Traces", "Findings by rule"]);
    assert_eq!(missing(&overview), "no table of kernels: convert with --tables kernels");
    assert_eq!(said(&overview.tiles[0].comparison), "nothing to compare");
    assert!(!overview.parts[0].rows.is_empty());
}

#[test]
fn one_run_has_nothing_to_compare() {
    let folder = Folder::new("one-run");
    convert(&folder, "night-1", "t.json", trace(30, 40_000.0, 0));
    let mut doc = open(&folder);
    let overview = doc.whole_overview();
    let note = overview.parts[0].note.text(lanescope::base::words::Language::En).into_owned();
    assert_eq!(note, "One run: nothing to compare.");
    assert_eq!(missing(&overview), "one run: nothing to compare");
    // Nothing is before or after the only one.
    let heads = |table: String| table.lines().next().unwrap_or("").to_owned();
    assert_eq!(heads(csv(&mut doc, "dataset-findings")), "Finding,Traces (%),Trace");
    assert_eq!(heads(csv(&mut doc, "dataset-kernels")), "Name,Median (ns),Launches,Trace");
    assert_eq!(heads(csv(&mut doc, "dataset-metrics")), "Name,Median,Trace");
}

#[test]
fn percent_is_percent_in_tables() {
    let (mut doc, _) = crate::support::front_door::open_one("t.json", trace(30, 40_000.0, 0).into_bytes());
    let overview = doc.whole_overview();
    let share = |tile: &lanescope::analysis::finding::Tile| match &tile.amount {
        Some((value, lanescope::base::unit::Unit::Share)) => {
            Some((tile.label.text(lanescope::base::words::Language::En).into_owned(), *value))
        }
        _ => None,
    };
    let shares: Vec<(String, f64)> = overview.tiles.iter().filter_map(share).collect();
    assert!(!shares.is_empty(), "{:?}", overview.tiles);
    let metrics = crate::tables::table(&mut doc, "metrics");
    for (name, value) in shares {
        let rows = metrics.of(&["figure", "name", "unit", "value"]);
        let row = rows.iter().find(|row| row[0] == "summary" && row[1] == name).unwrap();
        assert_eq!(row[2], "%");
        assert!((row[3].parse::<f64>().unwrap() - value * 100.0).abs() < 1e-9, "{name} {value}: {row:?}");
    }
}

#[test]
fn a_trace_that_stands_in_several_runs_counts_once() {
    let folder = Folder::new("twice");
    for run in ["a", "b"] {
        convert_as(&folder, (run, "one"), &format!("{run}.json"), trace(30, 40_000.0, 0), &|table| {
            table == "findings"
        });
    }
    let overview = open(&folder).whole_overview();
    let part = overview.parts.first().expect("findings by rule");
    assert!(!part.rows.is_empty());
    for row in &part.rows {
        assert_eq!((row.cells[0].as_str(), row.share), ("1", 1.0), "{:?}", row.name);
    }
}

/// A trace of one rank with four steps, each with so many launches of a kernel.
fn steps(launches: usize, n_steps: usize, seed: usize) -> String {
    let (mut events, mut at) = (String::new(), 0);
    for step in 0..n_steps {
        let begin = at;
        for launch in 0..launches {
            let (id, dur) = (1 + step * launches + launch, 400 + (launch * 7 + seed * 3) % 10);
            let _ = write!(
                events,
                r#"{{"ph":"X","cat":"cuda_runtime","name":"launch","pid":1,"tid":1,"ts":{at},"dur":3,"args":{{"correlation":{id}}}}},
                {{"ph":"X","cat":"kernel","name":"softmax","pid":0,"tid":7,"ts":{},"dur":{dur},"args":{{"correlation":{id},"stream":7,"device":0}}}},"#,
                at + 10
            );
            at += 500;
        }
        at += 100;
        let _ = write!(
            events,
            r#"{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{step}","pid":1,"tid":1,"ts":{begin},"dur":{}}},"#,
            at - begin
        );
    }
    format!(r#"{{"schemaVersion":1,"traceEvents":[{}]}}"#, events.trim_end_matches(','))
}

/// Steps with more launches are found, and recordings with more steps are not.
#[test]
fn longer_steps_and_more_launches_in_a_step_are_found() {
    let (more, longer) = (Folder::new("more-launches"), Folder::new("more-steps"));
    for run in 0..8 {
        for (set, launches, n_steps) in [("before", 4, 4), ("after", 12, 8)] {
            let name = format!("{set}-{run}");
            let wanted = |table: &str| matches!(table, "kernels" | "metrics");
            convert_tables(&more, &name, "t.json", steps(launches, 4, run), &wanted);
            convert_tables(&longer, &name, "t.json", steps(4, n_steps, run), &wanted);
        }
    }
    let overview = open(&more).whole_overview();
    let said: Vec<String> = overview.findings.iter().map(|one| one.said(Default::default())).collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(
        said.iter().any(
            |one| one.starts_with("softmax is launched 200.0 % more often per step from run after-0 on.")
        ),
        "{said:?}"
    );
    let step = overview.findings.iter().find(|one| one.subject == "Step time").unwrap();
    assert!(step.said(Default::default()).starts_with("Steps take 19"), "{said:?}");
    let tile = overview.tiles.iter().find(|tile| tile.label.text(Default::default()) == "Largest change");
    assert!((tile.unwrap().amount.clone().unwrap().0 * 100.0 - step.value).abs() < 1e-9);
    let overview = open(&longer).whole_overview();
    let said: Vec<String> = overview.findings.iter().map(|one| one.said(Default::default())).collect();
    assert_eq!(said, [""; 0]);
}

/// In two groups and in a series; not one that only some of the later runs have.
#[test]
fn a_kernel_that_no_run_had_before_and_all_have_then_is_new() {
    for name in [
        |run: usize| format!("{}-{}", if run < 6 { "before" } else { "after" }, run % 6),
        |run| format!("night-{run:02}"),
    ] {
        let folder = Folder::new(&format!("new-kernel-{}", name(0)));
        for run in 0..12 {
            let mut text = steps(4, 4, run);
            for step in 0..4 {
                let kernels = [("copy", 425, 5 < run), ("rare", 925, 5 < run && run % 2 == 0)];
                for (kernel, at, _) in kernels.iter().filter(|(.., is_there)| *is_there) {
                    let event = format!(
                        r#",{{"ph":"X","cat":"kernel","name":"{kernel}","pid":0,"tid":7,"ts":{},"dur":50,"args":{{"stream":7,"device":0}}}}"#,
                        step * 2_100 + at
                    );
                    text.insert_str(text.rfind(']').unwrap(), &event);
                }
            }
            convert_tables(&folder, &name(run), "t.json", text, &|table| table == "kernels");
        }
        let overview = open(&folder).whole_overview();
        let said: Vec<String> = overview.findings.iter().map(|one| one.said(Default::default())).collect();
        let begin = format!("copy is new from run {} on: 1.0 launches per step.", name(6));
        assert!(matches!(&said[..], [only] if only.starts_with(&begin)), "{begin}: {said:?}");
        // Four launches of 50 µs in a run.
        assert!((overview.findings[0].saving.value - 200e3).abs() < 1.0, "{:?}", overview.findings[0].saving);
        // Two of the 924 ways to choose six of twelve runs; two kernels are tested, as nothing else differs.
        let alarms =
            overview.findings[0].evidence.numbers.iter().find(|number| number.name == "False alarms");
        assert!(alarms.unwrap().value < 3.0 * 2.0 / 924.0, "{alarms:?}");
    }
}

/// Launches of kernels that hardly take time are not tested: with them nothing could be found in so few runs.
#[test]
fn many_short_kernels_do_not_hide_what_is_launched_more_often() {
    let of = |folder: &Folder, more: usize| {
        for run in 0..10 {
            let mut text = steps(if run < 5 { 4 } else { more }, 4, run);
            let end = text.rfind(']').unwrap();
            for other in 0..30 {
                // Between the first two launches of the first step, without any order from run to run.
                for launch in 0..1 + (run * 7 + other * 3) % 4 {
                    let ts = 412.0 + other as f64 * 2.0 + launch as f64 / 5.0;
                    let event = format!(
                        r#",{{"ph":"X","cat":"kernel","name":"short{other}x","pid":0,"tid":7,"ts":{ts},"dur":0.05,"args":{{"stream":7,"device":0}}}}"#
                    );
                    text.insert_str(end, &event);
                }
            }
            let set = if run < 5 { "before" } else { "after" };
            convert_tables(folder, &format!("{set}-{run}"), "t.json", text, &|table| table == "kernels");
        }
        open(folder).whole_overview()
    };
    let (same, more) = (Folder::new("short-same"), Folder::new("short-more"));
    let said = |overview: &lanescope::analysis::finding::Overview| -> Vec<String> {
        overview.findings.iter().map(|one| one.said(Default::default())).collect()
    };
    assert_eq!(
        said(&of(&more, 12)),
        ["softmax is launched 200.0 % more often per step from run after-5 on."]
    );
    let overview = of(&same, 4);
    assert_eq!(said(&overview), [""; 0]);
    let rule = overview.rules.iter().find(|rule| rule.id == "dataset-launches").unwrap();
    let lanescope::analysis::finding::Outcome::Nothing(said) = &rule.outcome else { panic!("{rule:?}") };
    assert!(said.to_string().contains("among 31 kernels"), "{said}");
}
