//! The command line where it could do harm: over what nothing is written, where damage is said, what a gate for CI judges.

use crate::cli::{Folder, TRACE, err, lanescope, out, run, status, with_gap};
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

#[test]
fn nothing_is_written_over_a_file_that_is_read() {
    let folder = Folder::new("over");
    let text = with_gap(200);
    let (file, other) = (folder.file("in/trace.json", &text), folder.file("other.json", with_gap(400)));
    let top = folder.0.join("in");
    for args in [
        vec![file.to_str().unwrap(), "--report", file.to_str().unwrap()],
        vec![file.to_str().unwrap(), "--export", "slices-csv", "--out", file.to_str().unwrap()],
        vec![top.to_str().unwrap(), "--export", "slices-csv", "--out", file.to_str().unwrap()],
        vec![
            other.to_str().unwrap(),
            file.to_str().unwrap(),
            "--compare",
            "--report",
            file.to_str().unwrap(),
        ],
    ] {
        let output = lanescope().args(&args).stdin(Stdio::null()).output().unwrap();
        assert_eq!(status(&output), 2, "{args:?}: {}", err(&output));
        assert!(err(&output).contains("is one of the files that are read"), "{args:?}: {}", err(&output));
        assert_eq!(fs::read_to_string(&file).unwrap(), text, "{args:?}");
    }
    #[cfg(unix)]
    {
        let link = folder.0.join("link.html");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(status(&run(&[&file, &"--report", &link])), 2);
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
    // A report beside what is read is written again, and to standard output.
    for _ in 0..2 {
        assert_eq!(status(&run(&[&top, &"--report", &top.join("report.html")])), 0);
    }
    let piped = run(&[&file, &"--report", &"-"]);
    assert!(status(&piped) == 0 && out(&piped).contains("<html"), "{}", err(&piped));
    assert!(!std::path::Path::new("-").exists());
}

/// The same bytes packed with a checksum that is not theirs.
fn damaged(text: &str) -> Vec<u8> {
    use std::io::Write;
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gz.write_all(text.as_bytes()).unwrap();
    let mut bytes = gz.finish().unwrap();
    let at = bytes.len() - 8;
    bytes[at] ^= 0x55;
    bytes
}

#[test]
fn damage_is_said_where_scripts_look() {
    let folder = Folder::new("damage");
    let bad = folder.file("bad.json.gz", damaged(&with_gap(200)));
    let good = folder.file("good.json", with_gap(200));
    let plain = out(&run(&[&bad]));
    let line =
        plain.lines().find(|line| line.starts_with("loss INP-UNPACK: ")).unwrap_or_else(|| panic!("{plain}"));
    for args in [
        &["--findings"][..],
        &["--export", "slices-csv"],
        &["--export", "findings-json"],
        &["--report", "-"],
        &["--search", "work"],
    ] {
        let output = lanescope().arg(&bad).args(args).stdin(Stdio::null()).output().unwrap();
        assert_eq!(err(&output).matches(line).count(), 1, "{args:?}: {}", err(&output));
    }
    let complete = |file: &PathBuf| {
        let data = run(&[file, &"--export", &"findings-json"]);
        let data: serde_json::Value = serde_json::from_slice(&data.stdout).unwrap();
        (data["complete"].as_bool().unwrap(), data["faults"][0]["code"].clone())
    };
    assert_eq!(complete(&bad), (false, "INP-UNPACK".into()));
    // What was not read stands before the figures, not only beside them.
    let said = "Data is missing: 1 problem, the first at ";
    let end = ". Figures and findings cover only what was read.";
    let first = |file: &PathBuf, args: &[&str]| {
        let output = lanescope().arg(file).args(args).stdin(Stdio::null()).output().unwrap();
        out(&output).lines().next().unwrap_or_default().to_owned()
    };
    let line_of_findings = first(&bad, &["--findings"]);
    assert!(line_of_findings.starts_with(said) && line_of_findings.ends_with(end), "{line_of_findings}");
    assert!(!first(&good, &["--findings"]).contains(said));
    let report = |file: &PathBuf| out(&run(&[file, &"--report", &"-"]));
    assert!(report(&bad).find(said).unwrap() < report(&bad).find("<nav").unwrap());
    assert!(!report(&good).contains(said));
    assert_eq!(complete(&good), (true, serde_json::Value::Null));
    for files in [[&good, &bad], [&bad, &good]] {
        let judged = run(&[files[0], files[1], &"--compare", &"--fail-over", &"5%"]);
        assert_eq!(status(&judged), 1, "{}", err(&judged));
        assert!(
            out(&judged).contains("unchanged") && err(&judged).contains("nothing is proven"),
            "{}",
            err(&judged)
        );
        assert!(err(&judged).contains(&format!(": {line}")), "{}", err(&judged));
    }
    assert_eq!(status(&run(&[&good, &good, &"--compare", &"--fail-over", &"5%"])), 0);
}

/// A device that works in each of so many steps, of 100 µs each.
fn with_steps(steps: usize, dur: usize) -> String {
    let step = |at: usize| {
        let (ts, launch, id) = (at * 1000, at * 1000 + 10, at + 1);
        format!(
            r#"{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{at}","pid":1,"tid":1,"ts":{ts},"dur":900}},
            {{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{launch},"dur":3,"args":{{"correlation":{id}}}}},
            {{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":{},"dur":{dur},"args":{{"correlation":{id},"stream":7,"device":0}}}}"#,
            launch + 10
        )
    };
    let events: Vec<String> = (0..steps).map(step).collect();
    format!(r#"{{"schemaVersion":1,"traceEvents":[{}]}}"#, events.join(","))
}

#[test]
fn a_longer_recording_is_no_regression() {
    let folder = Folder::new("longer");
    let half = folder.file("half.json", with_steps(3, 100));
    let whole = folder.file("whole.json", with_steps(6, 100));
    let slower = folder.file("slower.json", with_steps(3, 800));
    let judged = run(&[&half, &whole, &"--compare", &"--fail-over", &"5%"]);
    assert_eq!(status(&judged), 0, "{} {}", out(&judged), err(&judged));
    assert!(
        err(&judged).contains("Different inputs are compared: A: 3 steps; B: 6 steps."),
        "{}",
        err(&judged)
    );
    assert!(
        err(&judged).contains("Not judged") && err(&judged).contains("Compute and communication"),
        "{}",
        err(&judged)
    );
    assert!(out(&judged).contains("Median step"), "{}", out(&judged));
    let alone = run(&[&half, &whole, &"--compare", &"--fail-over", &"5%:Compute and communication"]);
    assert!(status(&alone) == 1 && err(&alone).contains("no figure can be compared"), "{}", err(&alone));
    // As many steps are judged by all.
    let worse = run(&[&half, &slower, &"--compare", &"--fail-over", &"5%"]);
    assert!(status(&worse) == 3 && out(&worse).contains("Compute and communication"), "{}", err(&worse));
}

/// Of a trace without steps the recorded time is as long as the recording.
#[test]
fn a_longer_recording_without_steps_is_no_regression() {
    let folder = Folder::new("stepless");
    let recorded = |n: usize| {
        let one = |at: usize| format!(r#"{{"ph":"X","name":"f","pid":1,"tid":1,"ts":{},"dur":5}}"#, at * 10);
        format!("[{}]", (0..n).map(one).collect::<Vec<_>>().join(","))
    };
    let (short, long) = (folder.file("short.json", recorded(10)), folder.file("long.json", recorded(40)));
    let judged = run(&[&short, &long, &"--compare", &"--fail-over", &"5%"]);
    assert_eq!(status(&judged), 1, "{} {}", out(&judged), err(&judged));
    for part in ["A: 10 events; B: 40 events.", "Recorded time", "no figure can be compared"] {
        assert!(err(&judged).contains(part), "{part}: {}", err(&judged));
    }
    assert_eq!(status(&run(&[&short, &short, &"--compare", &"--fail-over", &"5%"])), 0);
}

#[test]
fn names_of_the_overview_are_figures_of_the_gate() {
    let folder = Folder::new("names");
    let file = folder.file("a.json", with_steps(3, 100));
    let slower = folder.file("b.json", with_steps(3, 400));
    for name in ["Step time", "device idle", "MEDIAN STEP"] {
        let judged = run(&[&file, &file, &"--compare", &"--fail-over", &format!("5%:{name}")]);
        assert_eq!(status(&judged), 0, "{name}: {}", err(&judged));
        assert!(out(&judged).to_lowercase().contains(&name.to_lowercase()), "{name}: {}", out(&judged));
    }
    assert_eq!(status(&run(&[&slower, &file, &"--compare", &"--fail-over", &"5%:Device idle"])), 3);
    let unknown = run(&[&file, &file, &"--compare", &"--fail-over", &"5%:nobody"]);
    assert!(status(&unknown) == 1 && err(&unknown).contains("available: Median step"), "{}", err(&unknown));
}

#[test]
fn problems_that_are_not_listed_are_counted() {
    let folder = Folder::new("counted");
    let bad = r#"{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": "never", "dur": 5},"#.repeat(476);
    let odd = r#"{"ph": "?", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 5},"#.repeat(30);
    let good = r#"{"ph": "X", "name": "b", "pid": 1, "tid": 1, "ts": 1, "dur": 5}"#;
    let file = folder.file("t.json", format!("[{bad}{odd}{good}]"));
    let output = run(&[&file, &"--findings"]);
    assert!(out(&output).contains("Data is missing: 506 problems, the first at "), "{}", out(&output));
    // Twenty lines, the last of which counts 456 more of its kind.
    assert!(err(&output).trim_end().ends_with(" 30 more problems that lost data."), "{}", err(&output));
}

#[test]
fn names_begin_no_lines_and_one_is_singular() {
    let folder = Folder::new("lines");
    let name = r"a\nloss TEV-FAKE: x";
    let file = folder.file(
        "t.json",
        format!(
            r#"[{{"ph": "X", "name": "{name}", "pid": 1, "tid": 1, "ts": 0, "dur": 5}},
            {{"ph": "i", "name": "{name}", "pid": 1, "tid": 1, "ts": 0}},
            {{"ph": "X", "name": "{name}", "pid": 1, "tid": 1, "ts": 9, "dur": -5}},
            {{"ph": "C", "name": "{name}", "pid": 1, "ts": 0, "args": {{"{name}": 1}}}},
            {{"ph": "B", "name": "{name}", "pid": 1, "tid": 2, "ts": 0}}]"#
        ),
    );
    for output in [run(&[&file]), run(&[&file, &file, &"--compare"]), run(&[&file, &"--findings"])] {
        let text = out(&output) + &err(&output);
        assert!(!text.lines().any(|line| line.starts_with("loss TEV-FAKE")), "{text}");
    }
    let told = out(&run(&[&file]));
    assert!(told.contains(r"a\nloss TEV-FAKE: x"), "{told}");
    assert!(
        told.contains(": 1 slice of ") && told.contains(" 1 sample, sum 1") && told.contains("1 instant,"),
        "{told}"
    );
    assert!(told.contains("negative duration (−5.000 µs). The slice"), "{told}");
}

#[test]
fn names_do_not_steer_the_terminal() {
    let folder = Folder::new("terminal");
    let name = r"a\u001b[31mred\u0007\u202egnp";
    let file = folder.file(
        "t.json",
        format!(
            r#"{{"traceEvents": [{{"ph": "X", "name": "{name}", "pid": 1, "tid": 1, "ts": 0, "dur": 5}}]}}"#
        ),
    );
    let both = [run(&[&file]), run(&[&file, &file, &"--compare"]), run(&[&file, &"--findings"])];
    for output in &both {
        let text = out(output) + &err(output);
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text}");
    }
    assert!(out(&both[0]).contains(r"a\u{1b}[31mred\u{7}\u{202e}gnp"), "{}", out(&both[0]));
    let report = run(&[&file, &"--report", &"-"]);
    assert!(!out(&report).contains(['\u{1b}', '\u{7}', '\u{202e}']));
}

#[test]
fn a_length_that_is_none_is_said() {
    let folder = Folder::new("length");
    let file = folder.file("t.json", TRACE);
    for text in ["dur>xus", "dur>5parsecs add", "duration<=x"] {
        let output = run(&[&file, &"--search", &text]);
        assert!(
            status(&output) == 1 && err(&output).contains("a length is a number with a unit"),
            "{text}: {}",
            err(&output)
        );
    }
    assert_eq!(status(&run(&[&file, &"--search", &"dur>1us"])), 0);
}

#[cfg(unix)]
#[test]
fn texts_beside_the_files_have_an_end() {
    let folder = Folder::new("notes-zero");
    let file = folder.file("a.json", with_gap(200));
    let report = folder.0.join("r.html");
    for args in
        [vec!["--report", report.to_str().unwrap(), "--notes", "/dev/zero"], vec!["--request", "/dev/zero"]]
    {
        let output = lanescope().arg(&file).args(&args).stdin(Stdio::null()).output().unwrap();
        assert!(
            status(&output) == 1 && err(&output).contains("limit of 64 MiB"),
            "{args:?}: {}",
            err(&output)
        );
    }
}

#[cfg(unix)]
#[test]
fn a_stream_without_an_end_is_refused() {
    for args in [&["/dev/zero"][..], &["tables", "/dev/zero", "--out"]] {
        let folder = Folder::new("endless");
        let mut command = lanescope();
        command.args(args);
        if args.len() != 1 {
            command.arg(&folder.0);
        }
        let output = command.stdin(Stdio::null()).output().unwrap();
        assert!(
            status(&output) == 1 && err(&output).contains("unknown file type"),
            "{args:?}: {}",
            err(&output)
        );
    }
}
