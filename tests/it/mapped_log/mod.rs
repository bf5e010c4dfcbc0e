//! Logs of other simulators through the front door: a log that is worded anew gives the same numbers; what a mapping may
//! be wrong about.

use crate::nvbit::fixtures::keep;
use crate::scalesim::with;
use crate::support::corpus::corpus;
use crate::support::front_door::open;
use lanescope::analysis::lifetimes::Recorded;
use lanescope::document::Document;
use lanescope::model::parameter::Value as Set;
use std::fmt::Write;
use std::fs;

/// How the lines of the other simulator are worded.
const MAPPING: &str = r#"{
  "access": "^@(?<cycle>\\d+) (?<op>RD|WR|XX) (?<level>near|far) unit (?<unit>\\d+) (0x)?(?<address>[0-9a-fz]+) (?<state>\\w+)$",
  "kernel_begin": "^begin (?<name>\\S+) (?<id>\\d+)",
  "kernel_end": "^end after (?<cycles>\\d+)",
  "capacity": "^(?<level>near|far) has (?<bytes>\\d+) bytes",
  "words": {"load": ["RD"], "store": ["WR"], "l1": ["near"], "l2": ["far"], "hit": ["found"], "pending": ["waits"],
    "miss": ["fetched"], "retry": ["full"]},
  "clock_mhz": 1000
}
"#;

/// The same accesses as [`original`].
const REWORDED: &str = "other simulator 1.0\nnear has 131072 bytes\nbegin saxpy 1\n@10 RD near unit 3 7f0000001000 fetched\n\
    @12 RD near unit 3 7f0000001000 full\n@20 RD far unit 1 7f0000001000 fetched\n@600 RD near unit 3 0x7f0000001008 found\n\
    hello\n@700 WR near unit 4 7f0000002000 found\nend after 1000\nbegin scale 2\n@5 WR far unit 0 7f0000002000 fetched\nend after 50\n";

fn original() -> String {
    let access = |cycle: u32, op: &str, level: &str, unit: u32, address: &str, status: u32| {
        format!(
            "GPGPU-Sim Cycle {cycle}: {op} instr from {level} cache at SM {unit} bank {unit} addr {address} status {status}\n"
        )
    };
    let lines = [
        "GPGPU-Sim: Reconfigure L1 cache to 128KB\nlaunching kernel name: saxpy uid: 1 cuda_stream_id: 0\n"
            .to_owned(),
        access(10, "Load", "L1D", 3, "7f0000001000", 2),
        access(12, "Load", "L1D", 3, "7f0000001000", 3),
        access(20, "Load", "L2", 1, "7f0000001000", 2),
        access(600, "Load", "L1D", 3, "7f0000001008", 0),
        access(700, "Store", "L1D", 4, "7f0000002000", 0),
        "gpu_sim_cycle = 1000\nlaunching kernel name: scale uid: 2 cuda_stream_id: 0\n".to_owned(),
        access(5, "Store", "L2", 0, "7f0000002000", 2),
        "gpu_sim_cycle = 50\n".to_owned(),
    ];
    lines.concat()
}

fn opened(log: &str) -> Document {
    with(
        vec![("other.log".to_owned(), log.as_bytes().to_vec()), ("words.json".to_owned(), MAPPING.into())],
        &[],
    )
}

/// What the kernels of the only run did.
fn same(a: &Document, b: &Document) {
    let run = |doc: &Document| -> Vec<_> {
        let recorded = doc.trace().extensions.get::<Recorded>().unwrap();
        let kernels = recorded.runs[0].kernels.iter();
        kernels
            .map(|kernel| {
                (
                    kernel.cycles,
                    kernel
                        .levels
                        .iter()
                        .map(|level| {
                            (
                                level.counts,
                                level.units.clone(),
                                level.reused.clone(),
                                level.orphaned.clone(),
                                level.heat.clone(),
                            )
                        })
                        .collect::<Vec<_>>(),
                )
            })
            .collect()
    };
    assert!(!run(a).is_empty());
    assert_eq!(run(a), run(b));
}

fn codes(doc: &Document) -> Vec<String> {
    doc.faults().rows().iter().map(|fault| format!("{} {fault}", fault.code)).collect()
}

#[test]
fn the_fixture_is_what_it_is_made_of() {
    let by = "tests/it/mapped_log/mod.rs";
    let file = |name: &'static str, text: &str| (name, text.as_bytes().to_vec());
    let files = vec![file("other.log", REWORDED), file("words.json", MAPPING)];
    keep("mapped_log", "other", &files, by, "a log of another simulator with its mapping");
    let second = REWORDED.replace("saxpy", "gemv");
    let several = [files, vec![file("second.log", &second), file("third.log", &second)]].concat();
    keep("mapped_log", "several", &several, by, "several logs with one mapping");
}

#[test]
fn a_log_that_is_worded_anew_gives_the_same_numbers() {
    let reworded = opened(REWORDED);
    assert_eq!(codes(&reworded), [""; 0]);
    let original = with(vec![("run.log".to_owned(), original().into_bytes())], &[]);
    same(&reworded, &original);
    let run = &reworded.trace().extensions.get::<Recorded>().unwrap().runs[0];
    assert_eq!((run.clock_mhz, run.kernels[0].name.as_str(), run.kernels.len()), (Some(1000.0), "saxpy", 2));
    assert_eq!(run.bytes(&run.kernels[0], 0), Some(131_072));
    // The mapping may be handed over instead of lying beside the log.
    let alone = vec![("other.log".to_owned(), REWORDED.as_bytes().to_vec())];
    same(&with(alone, &[("mapping", Set::Text(MAPPING.to_owned()))]), &original);
}

#[test]
fn what_is_wrong_is_said() {
    let doc = opened(&REWORDED.replace(
        "@600 RD near unit 3 0x7f0000001008 found",
        "@600 XX near unit 3 0x7f0000001008 found\n@601 RD near unit 3 7z found",
    ));
    assert_eq!(codes(&doc).len(), 2, "{:?}", codes(&doc));
    assert!(codes(&doc).iter().all(|said| said.starts_with("MAP-GROUP")), "{:?}", codes(&doc));
    let files = |mapping: &str| {
        vec![
            ("other.log".to_owned(), REWORDED.as_bytes().to_vec()),
            ("words.json".to_owned(), mapping.into()),
        ]
    };
    let (doc, is_ready) = open(files(r#"{"access": "(?<cycle>\\d+"}"#), 1 << 16);
    assert!(!is_ready && codes(&doc)[0].starts_with("MAP-FILE"), "{:?}", codes(&doc));
    let (_, is_ready) = open(files(r#"{"access": "(?<cycle>\\d+) nothing (?<address>\\d+)"}"#), 1 << 16);
    assert!(!is_ready);
}

/// The real log in the words of the other simulator.
fn reword(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if line.starts_with("GPGPU-Sim Cycle ") && line.contains(" instr from ") {
            let of = |word: &str| words.iter().position(|own| *own == word).map(|at| words[at + 1]);
            let is_near = of("from") == Some("L1D");
            let unit = if is_near { of("SM") } else { of("bank") };
            let state = ["found", "waits", "fetched", "full", "fetched", "waits"]
                [of("status").unwrap().parse::<usize>().unwrap()];
            let op = if words[3] == "Load" { "RD" } else { "WR" };
            let level = if is_near { "near" } else { "far" };
            writeln!(
                out,
                "@{} {op} {level} unit {} {} {state}",
                words[2].trim_end_matches(':'),
                unit.unwrap(),
                of("addr").unwrap()
            )
            .unwrap();
        } else if let Some(cycles) = line.strip_prefix("gpu_sim_cycle = ") {
            writeln!(out, "end after {cycles}").unwrap();
        } else if line.starts_with("launching kernel name: ") {
            writeln!(out, "begin {} {}", words[3], words[5]).unwrap();
        } else {
            writeln!(out, "noise {}", words.len()).unwrap();
        }
    }
    out
}

#[test]
fn a_real_log_that_is_worded_anew_gives_the_same_numbers() {
    let Some(corpus) = corpus("gainsight") else { return };
    let text = fs::read_to_string(corpus.join("generated_accelsim/sm86_rtx3070_2kernels_small.log")).unwrap();
    let original = with(vec![("run.log".to_owned(), text.clone().into_bytes())], &[]);
    same(&opened(&reword(&text)), &original);
}
