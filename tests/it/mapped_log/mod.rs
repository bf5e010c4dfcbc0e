//! Logs of other simulators through the front door: a log that is worded anew gives the same numbers; what a mapping may
//! be wrong about.

use crate::nvbit::fixtures::keep;
use crate::scalesim::with;
use crate::support::corpus::corpus;
use crate::support::front_door::open;
use lanescope::document::Document;
use lanescope::model::parameter::Value as Set;
use lanescope::views::lifetimes::compute::Recorded;
use lanescope::views::mapping::messages::{MappingQuery, Reply};

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

/// Mappings that cannot be used, and what is said of them: with the byte of the file where they are wrong.
const WRONG: [(&str, &str); 5] = [
    (
        r#"{"access": "x \\(\\d (?<cycle>\\d+"}"#,
        "words.json, line 1, column 22, byte 21 (0x15): the mapping cannot be used: access: a group is not closed.",
    ),
    (
        r#"{"access": "(?<cycle>\\d+) (?<address>\\q)"}"#,
        "words.json, line 1, column 41, byte 40 (0x28): the mapping cannot be used: access: unknown escape sequence.",
    ),
    (
        r#"{"access": "(?<cycle>\\d+)", "kernel_end": ""}"#,
        "words.json, line 1, column 12, byte 11 (0xB): the mapping cannot be used: access: no group named address.",
    ),
    (
        "{\"access\": \"(?<cycle>.) (?<address>.)\",\n\"capacity\": \"a)b\"}",
        "words.json, line 2, column 15, byte 54 (0x36): the mapping cannot be used: capacity: unmatched closing bracket.",
    ),
    (
        "{\"access\": \"(?<cycle>.)\",\n oops}",
        "words.json, line 2, column 2, byte 27 (0x1B): the mapping cannot be used: it is not JSON: key must be a string.",
    ),
];

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
    for (mapping, said) in WRONG {
        let (doc, is_ready) = open(files(mapping), 1 << 16);
        assert!(!is_ready && codes(&doc) == [format!("MAP-FILE {said}")], "{:?}", codes(&doc));
    }
    let (_, is_ready) = open(files(r#"{"access": "(?<cycle>\\d+) nothing (?<address>\\d+)"}"#), 1 << 16);
    assert!(!is_ready);
}

/// What a mapping makes of the first lines of files.
fn tried(files: Vec<(String, Vec<u8>)>, text: &str, only_matches: bool) -> Reply {
    let (mut doc, _) = open(files, 1 << 16);
    let query = MappingQuery { text: text.to_owned(), file: None, only_matches };
    let Some(reply) = doc.query(&query).0 else { panic!("no answer") };
    reply
}

#[test]
fn a_mapping_is_tried_on_a_log_that_no_format_knows() {
    let log = || vec![("other.log".to_owned(), REWORDED.as_bytes().to_vec())];
    let reply = tried(log(), MAPPING, false);
    assert_eq!(reply.problem, None);
    let n = |field| reply.count(field);
    assert_eq!((n("access"), n("kernel_begin"), n("kernel_end"), n("capacity")), (6, 2, 2, 1));
    assert_eq!((reply.matches(), reply.lines, reply.wrong, reply.rows.len()), (11, 13, 0, 13));
    assert_eq!((reply.rows[0].text.as_str(), &reply.rows[0].found), ("other simulator 1.0", &None));
    let row = &reply.rows[3];
    let found = row.found.as_ref().unwrap();
    let groups = found.groups.iter().map(|(name, start, end)| {
        (name.as_str(), &row.text[usize::try_from(*start).unwrap()..usize::try_from(*end).unwrap()])
    });
    let caught = [
        ("cycle", "10"),
        ("op", "RD"),
        ("level", "near"),
        ("unit", "3"),
        ("address", "7f0000001000"),
        ("state", "fetched"),
    ];
    assert_eq!(groups.collect::<Vec<_>>(), caught);
    let values: Vec<_> = found.values.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let meant = [
        ("cycle", "10"),
        ("op", "Load"),
        ("level", "L1"),
        ("unit", "3"),
        ("address", "0x7f0000001000"),
        ("state", "Miss"),
    ];
    assert_eq!((row.number, values), (4, meant.to_vec()));
    // Only lines that it fits; groups that mean nothing; lines are shown without a mapping too.
    let reply = tried(log(), &MAPPING.replace("\"RD\"", "\"LD\""), true);
    assert_eq!((reply.rows.len(), reply.wrong), (11, 4));
    assert_eq!(reply.rows[2].found.as_ref().unwrap().wrong.as_deref(), Some("op"));
    let reply = tried(log(), "{}", false);
    let problem = reply.problem.unwrap();
    assert_eq!((problem.field.as_str(), reply.rows.len(), reply.lines), ("access", 13, 13));
    // Among several files the first that is text is looked at, or the one that is chosen.
    let files =
        [vec![("a.bin".to_owned(), vec![0; 99])], log(), vec![("words.json".to_owned(), b"{}".to_vec())]]
            .concat();
    let reply = tried(files, MAPPING, false);
    assert_eq!((reply.files.len(), reply.file, reply.matches()), (3, 1, 11));
    assert!(tried(vec![("a.bin".to_owned(), vec![0; 99])], MAPPING, false).is_binary);
}

#[test]
fn a_mapping_that_is_handed_over_counts_before_one_beside_the_log() {
    let old = MAPPING.replace("\"fetched\"", "\"nowhere\"");
    for name in ["words.json", "mapping.json"] {
        let files = vec![
            ("other.log".to_owned(), REWORDED.as_bytes().to_vec()),
            (name.to_owned(), old.clone().into_bytes()),
        ];
        let doc = with(files, &[("mapping", Set::Text(MAPPING.to_owned()))]);
        same(&doc, &opened(REWORDED));
        assert!(doc.is_of_parameter("mapping.json") && !doc.is_of_parameter("other.log"));
    }
}

#[test]
fn a_link_takes_a_mapping_along_that_lies_beside_the_log() {
    let beside = opened(REWORDED);
    let given = beside.head().given;
    assert_eq!(given, [("mapping".to_owned(), MAPPING.trim().to_owned())]);
    // With it the log opens alone, and gives the same.
    let log = || vec![("other.log".to_owned(), REWORDED.as_bytes().to_vec())];
    let alone = with(log(), &[("mapping", Set::Text(given[0].1.clone()))]);
    same(&alone, &beside);
    // One that was handed over stands in the address already; a very long one would make it too long.
    assert!(alone.head().given.is_empty());
    let long = format!("{MAPPING}{}", " ".repeat(8 << 10)).into_bytes();
    let files = [log(), vec![("words.json".to_owned(), long)]].concat();
    assert!(with(files, &[]).head().given.is_empty());
    // Each of several logs takes it along.
    let second = REWORDED.replace("saxpy", "gemv").into_bytes();
    let files = [
        log(),
        vec![("second.log".to_owned(), second), ("words.json".to_owned(), MAPPING.as_bytes().to_vec())],
    ];
    assert_eq!(with(files.concat(), &[]).head().given, given);
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
fn the_command_line_takes_a_mapping() {
    let folder = std::env::temp_dir().join(format!("lanescope-mapping-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let file = |name: &str, text: &str| {
        fs::write(folder.join(name), text).unwrap();
        folder.join(name)
    };
    let (log, words) = (file("other.log", REWORDED), file("words.json", MAPPING));
    let bad = file("bad.json", WRONG[0].0);
    let own = file("run.log", &original());
    let run = |args: &[&dyn AsRef<std::ffi::OsStr>]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_lanescope"));
        let output = command.args(args.iter().map(|arg| arg.as_ref())).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let export = [
        &"--export" as &dyn AsRef<std::ffi::OsStr>,
        &"gainsight-sim-csv",
        &"--name",
        &"x",
        &"--clock-mhz",
        &"1000",
    ];
    let of = |files: &[&dyn AsRef<std::ffi::OsStr>]| run(&[files, &export].concat());
    let mapped = of(&[&log, &"--mapping", &words]);
    let expected = of(&[&own]);
    assert_eq!((mapped.0, mapped.2.as_str()), (Some(0), ""));
    assert!(1 < expected.1.lines().count(), "{expected:?}");
    assert_eq!(mapped.1, expected.1);
    assert_eq!(run(&[&log, &"--mapping", &words]).0, Some(0));
    let (status, _, said) = run(&[&log, &"--mapping", &bad]);
    assert!(
        status == Some(1) && said.contains("the mapping cannot be used: access: a group is not closed"),
        "{said}"
    );
    let (status, _, said) = run(&[&log, &"--mapping", &folder.join("none.json")]);
    assert!(status != Some(0) && said.contains("none.json"), "{said}");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_real_log_that_is_worded_anew_gives_the_same_numbers() {
    let Some(corpus) = corpus("gainsight") else { return };
    let text = fs::read_to_string(corpus.join("generated_accelsim/sm86_rtx3070_2kernels_small.log")).unwrap();
    let original = with(vec![("run.log".to_owned(), text.clone().into_bytes())], &[]);
    same(&opened(&reword(&text)), &original);
}
