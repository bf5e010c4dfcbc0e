//! A thousand files that other tools wrote, where they are at hand: each opens or is refused with its reason, and Trace
//! Event files hold as many events as an independent program counted (`COUNTS.tsv`).

use super::{accounts, told};
use crate::support::corpus::{corpus, unpacked};
use crate::support::front_door::open_one;
use lanescope::base::fault::Severity;
use lanescope::document::Document;
use lanescope::wire::{Answer, Query};

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

const UNKNOWN: &str = "Unknown file type.";
const CLOSEST: &str = "Unknown file type. Closest match: {format}: {entry}, {missed}";
const EMPTY: &str = "Recognized as {format}, but there is nothing to show.";

/// Files that are refused: how their names end, why, and how many they are.
const REFUSED: [(&str, &str, usize); 15] = [
    ("", UNKNOWN, 7),
    ("", CLOSEST, 1),
    ("bin", UNKNOWN, 36),
    ("csv", EMPTY, 1),
    ("csv", UNKNOWN, 204),
    ("g", EMPTY, 2),
    ("gz", CLOSEST, 1),
    ("json", UNKNOWN, 2),
    ("json", CLOSEST, 4),
    ("o", UNKNOWN, 4),
    ("pftrace", EMPTY, 64),
    ("sql", UNKNOWN, 227),
    ("strace", UNKNOWN, 2),
    ("tsv", UNKNOWN, 1),
    ("txt", UNKNOWN, 44),
];

/// What is not as it was counted, and rightly so: these files have times that are none.
const DIFFERENT: [(&str, &str); 2] = [
    ("devtools/lighthouse/tracingstarted-after-navstart.json", "ends: 580 instead of 582"),
    ("perfetto/json/JsonParser__string_ts_trailing_chars.json", "slices: 1 instead of 2"),
];

/// What was found in one file.
struct Found {
    name: String,
    /// Why nothing is shown.
    refused: Option<String>,
    faults: BTreeSet<(String, Severity)>,
    wrong: Vec<String>,
}

/// How a name ends, without those that are one word.
fn end_of(name: &str) -> String {
    let (_, file) = name.rsplit_once('/').unwrap_or(("", name));
    file.rsplit_once('.').map_or("", |(_, end)| end).to_owned()
}

/// What is not as it was counted.
fn differences(doc: &Document, events: u64, phases: &BTreeMap<&str, u64>) -> Vec<String> {
    let trace = doc.trace();
    let sum = |names: &str| names.split(' ').filter_map(|name| phases.get(name)).sum::<u64>();
    // States of threads are slices too.
    let slices = sum("X") + if events == sum("T M") { sum("T") } else { 0 };
    let dropped =
        |what: &str| trace.dropped.iter().filter(|(r, _)| r.contains(what)).map(|(_, n)| n).sum::<u64>();
    let counters = told(trace, "Counter samples") + dropped("counter");
    let counted = [
        ("events", told(trace, "Events"), events),
        ("slices", told(trace, "Slices"), slices),
        ("begins", told(trace, "Slice begins"), sum("B b S")),
        ("ends", told(trace, "Slice ends"), sum("E e F")),
        ("counters", counters, sum("C")),
    ];
    let wrong = counted.into_iter().filter(|(_, found, expected)| found != expected);
    wrong.map(|(what, found, expected)| format!("{what}: {found} instead of {expected}")).collect()
}

/// Opens a file and compares it with what was counted of it, if it was.
fn look(name: &str, bytes: Vec<u8>, counts: Option<&Vec<&str>>) -> Found {
    let mut found =
        Found { name: name.to_owned(), refused: None, faults: BTreeSet::new(), wrong: Vec::new() };
    let short = name.rsplit_once('/').map_or(name, |(_, short)| short);
    let (mut doc, is_ready) = open_one(short, bytes);
    for fault in doc.faults().rows() {
        found.faults.insert((fault.code.to_string(), fault.severity));
    }
    if !is_ready {
        let Answer::Report(report) = doc.query(&Query::Report).0 else { panic!("a report") };
        found.refused = Some(report.reason.key.to_string());
        return found;
    }
    let is_counted = |form: &str| form.starts_with("array") || form.contains("traceEvents");
    if let Some(&[_, _, _, _, parses, form, events, phases, ..]) = counts.map(Vec::as_slice)
        && parses == "yes"
        && is_counted(form)
    {
        let phases = phases.split(' ').filter_map(|phase| phase.split_once('='));
        let phases = phases.map(|(phase, n)| (phase, n.parse().unwrap())).collect();
        found.wrong = differences(&doc, events.parse().unwrap(), &phases);
        accounts(&doc, name);
    }
    found
}

#[test]
fn real_files_open_or_are_refused_with_their_reason() {
    let Some(folder) = corpus("real") else { return };
    let text = fs::read_to_string(folder.join("COUNTS.tsv")).unwrap();
    let counts: BTreeMap<&str, Vec<&str>> =
        text.lines().map(|line| line.split('\t').collect::<Vec<_>>()).map(|row| (row[0], row)).collect();
    let files = unpacked(&folder.join("real.tar.zst"), "");
    let n_files = files.len();
    let (queue, found) = (Mutex::new(files), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some((name, bytes)) = queue.lock().unwrap().pop_first() else { break };
                    let looked =
                        catch_unwind(AssertUnwindSafe(|| look(&name, bytes, counts.get(name.as_str()))));
                    let panicked = |_| Found {
                        name: name.clone(),
                        refused: None,
                        faults: BTreeSet::new(),
                        wrong: vec!["panicked".to_owned()],
                    };
                    found.lock().unwrap().push(looked.unwrap_or_else(panicked));
                }
            });
        }
    });
    let found = found.into_inner().unwrap();
    assert_eq!(found.len(), n_files);
    let mut refused: BTreeMap<(String, &str), usize> = BTreeMap::new();
    let mut faults: BTreeMap<(&str, Severity), usize> = BTreeMap::new();
    for file in &found {
        if let Some(why) = &file.refused {
            *refused.entry((end_of(&file.name), why)).or_default() += 1;
        }
        for (code, severity) in &file.faults {
            *faults.entry((code, *severity)).or_default() += 1;
        }
    }
    for ((code, severity), n) in &faults {
        eprintln!("{n:5} files  {:8} {code}", severity.name());
    }
    let mut wrong: Vec<(&str, String)> =
        found.iter().map(|f| (f.name.as_str(), f.wrong.join(", "))).collect();
    wrong.retain(|(_, what)| !what.is_empty());
    wrong.sort();
    assert_eq!(wrong, DIFFERENT.map(|(name, what)| (name, what.to_owned())));
    let refused: Vec<(&str, &str, usize)> =
        refused.iter().map(|((end, why), n)| (end.as_str(), *why, *n)).collect();
    assert_eq!(refused, REFUSED);
}
