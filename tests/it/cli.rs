//! The command line as a script sees it: output, exit status, pipes.

use std::fs::{self, File};
use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A folder of one test, gone afterwards.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lanescope-cli-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0); // a leftover in the temporary folder harms nobody
    }
}

pub(crate) fn lanescope() -> Command {
    Command::new(env!("CARGO_BIN_EXE_lanescope"))
}

pub(crate) fn run(args: &[&dyn AsRef<std::ffi::OsStr>]) -> Output {
    lanescope().args(args.iter().map(|a| a.as_ref())).stdin(Stdio::null()).output().unwrap()
}

pub(crate) fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub(crate) fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

pub(crate) fn status(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// A small trace with two slices.
pub(crate) const TRACE: &str = r#"{"traceEvents": [
    {"ph": "X", "name": "load", "pid": "core0", "tid": "MTE2", "ts": 1.5, "dur": 2},
    {"ph": "X", "name": "add", "pid": "core0", "tid": "VECTOR", "ts": 3.5, "dur": 0.25}
]}"#;

#[test]
fn a_trace_is_told_and_the_status_is_zero() {
    let folder = Folder::new("digest");
    let output = run(&[&folder.file("trace.json", TRACE)]);
    assert_eq!(status(&output), 0, "{}", err(&output));
    let text = out(&output);
    assert!(text.contains("MTE2") && text.contains("load"), "{text}");
    assert!(text.contains("file trace.json"), "{text}");
    assert_eq!(err(&output), "");
}

#[test]
fn the_same_bytes_in_a_folder_and_from_a_pipe_are_the_same_trace() {
    let folder = Folder::new("ways");
    let plain = folder.file("trace.json", TRACE);
    folder.file("run/inner/trace.json", TRACE);
    let digest = |text: String| text.split("\nfile ").next().map(str::to_owned);
    let expected = digest(out(&run(&[&plain])));
    assert!(expected.as_ref().is_some_and(|t| !t.is_empty()));
    assert_eq!(digest(out(&run(&[&folder.0.join("run")]))), expected);
    let piped = lanescope().arg("-").stdin(File::open(&plain).unwrap()).output().unwrap();
    assert_eq!((digest(out(&piped)), status(&piped)), (expected, 0));
}

#[test]
fn the_help_is_complete_and_a_wrong_command_is_status_two() {
    let help = run(&[&"--help"]);
    assert_eq!(status(&help), 0);
    for word in [
        "--list",
        "--export",
        "--svg",
        "--operator",
        "--request",
        "--out",
        "--size",
        "--theme",
        "--colors",
        "--version",
        "Exit status",
        "Examples",
    ] {
        assert!(out(&help).contains(word), "{word}");
    }
    for wrong in [
        &["--no-such-option"][..],
        &[],
        &["x.json", "--size", "10x10", "--svg", "source"],
        &["x.json", "--size", "wide", "--svg", "source"],
        &["x.json", "--export", "a", "--svg", "b"],
        &["x.json", "--out", "y"],
        &["x.json", "--theme", "dark"],
        &["x.json", "--colors", "mindstudio"],
        &["x.json", "--svg", "timeline", "--colors", "rainbow"],
    ] {
        let output = lanescope().args(wrong).output().unwrap();
        assert_eq!(status(&output), 2, "{wrong:?}");
        assert!(!err(&output).is_empty() && out(&output).is_empty(), "{wrong:?}");
    }
}

#[test]
fn the_list_names_formats_views_and_exports() {
    let output = run(&[&"--list"]);
    assert_eq!(status(&output), 0);
    for format in lanescope::systems::formats() {
        assert!(out(&output).contains(format.id));
    }
    for export in lanescope::export::all(lanescope::systems::exports()) {
        assert!(out(&output).contains(export.id));
    }
    for picture in lanescope::engine::pictures() {
        assert!(out(&output).contains(picture.id));
    }
}

#[test]
fn a_reader_that_leaves_is_no_trouble() {
    let folder = Folder::new("pipe");
    let events: Vec<String> = (0..50_000)
        .map(|i| format!(r#"{{"ph":"X","name":"n{i}","pid":1,"tid":{i},"ts":{i},"dur":1}}"#))
        .collect();
    let path = folder.file("big.json", format!("[{}]", events.join(",")));
    let mut child = lanescope()
        .arg(&path)
        .args(["--export", "slices-csv"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut head = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut head).unwrap(); // and then it is closed
    let output = child.wait_with_output().unwrap();
    assert_eq!((status(&output), err(&output)), (0, String::new()));
}

#[test]
fn what_cannot_be_opened_is_said_and_the_status_is_one() {
    let folder = Folder::new("bad");
    let empty = folder.file("empty.bin", "");
    let junk = folder.0.join("junk");
    for i in 0..20_u8 {
        folder.file(&format!("junk/{i}.dat"), [i, 255, 7, i ^ 93].repeat(50));
    }
    fs::create_dir_all(folder.0.join("nothing")).unwrap();
    for (path, said) in [
        (empty, "empty.bin"),
        (junk, "lanescope: Unknown file type."),
        (folder.0.join("nothing"), "no files"),
        (folder.0.join("missing.json"), "missing.json"),
    ] {
        let output = run(&[&path]);
        assert_eq!((status(&output), out(&output)), (1, String::new()), "{}", path.display());
        assert!(err(&output).contains(said), "{}", err(&output));
        assert!(!err(&output).contains("panicked"));
    }
}

#[test]
fn a_file_of_no_known_type_is_refused_with_what_it_may_be() {
    let folder = Folder::new("refused");
    let unknown = "Unknown file type.";
    let near = |text: &str| format!("{unknown} Closest match: {text}");
    let dump = "========\n== dumpstate: 2024-01-01\n";
    let at_mark = "eleven byteZ and more text\n";
    let page = "<!DOCTYPE html><html><body>no trace</body></html>";
    let json = r#"{"pid": 7, "names": ["a", "b"]}"#;
    let list = r#"[{"time": 7}, {"time": 8}]"#;
    let systrace = "# tracer: nop\n#\n# TASK-PID CPU# |||| TIMESTAMP FUNCTION\n";
    for (name, bytes, said) in [
        ("dump.txt", dump.as_bytes(), unknown.to_owned()),
        ("notes.bin", at_mark.as_bytes(), unknown.to_owned()),
        ("proto.txt", b"[package.name]: {\n  args: 7\n}\n", unknown.to_owned()),
        ("page.html", page.as_bytes(), unknown.to_owned()),
        ("device.bin", &[0x29, 0, 0xd3, 0x6b, 2, 0, 7, 0, 0, 0, 0, 0, 0, 0], unknown.to_owned()),
        ("other.json", json.as_bytes(), near("Trace Event JSON: other.json, traceEvents array missing")),
        (
            "list.json",
            list.as_bytes(),
            near("Trace Event JSON: list.json, the array's objects have no phase (ph)"),
        ),
        (
            "trace.dat",
            b"\x17\x08\x44tracing6\0\0\0",
            near("Android systrace: trace.dat, it is binary: `trace-cmd report` converts it to text"),
        ),
        (
            "visualize_data.bin",
            &[0; 40],
            near("Ascend operator profile: visualize_data.bin, byte 11: expected 5A, found 00"),
        ),
        (
            "empty.systrace",
            systrace.as_bytes(),
            "Recognized as Android systrace, but there is nothing to show.".to_owned(),
        ),
    ] {
        let output = run(&[&folder.file(name, bytes)]);
        let err = err(&output);
        assert_eq!((status(&output), err.lines().next()), (1, Some(&*format!("lanescope: {said}"))), "{err}");
    }
}

#[test]
fn a_missing_file_does_not_keep_the_others_closed() {
    let folder = Folder::new("some");
    let good = folder.file("trace.json", TRACE);
    let output = run(&[&good, &folder.0.join("missing.json")]);
    assert_eq!(status(&output), 1);
    assert!(out(&output).contains("load") && err(&output).contains("missing.json"));
}

#[test]
fn a_file_of_five_gigabytes_of_nothing_is_answered_at_once() {
    let folder = Folder::new("sparse");
    let path = folder.file("huge.bin", "");
    File::options().write(true).open(&path).unwrap().set_len(5_000_000_000).unwrap();
    #[allow(clippy::disallowed_methods)] // the tests run natively
    let begin = Instant::now();
    let output = run(&[&path]);
    assert_eq!(status(&output), 1);
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}

#[test]
fn an_export_is_the_same_in_a_file_and_on_standard_output() {
    let folder = Folder::new("export");
    let trace = folder.file("trace.json", TRACE);
    for export in lanescope::export::all(lanescope::systems::exports()) {
        let printed = run(&[&trace, &"--export", &export.id]);
        let is_of_a_system = lanescope::systems::exports().any(|of| of.id == export.id);
        if status(&printed) == 1 {
            // The trace has no blocks, no flows, no accesses, no instants, nothing recorded of programs, no states of
            // threads, and is no project; what systems save is all about more than it has.
            let none = "accesses-csv instants-csv blocks-json flows-csv operators-csv arrow parquet \
                kernels-csv steps-csv idle-csv operators-device-csv functions-device-csv modules-csv \
                stacks-csv operators-memory-csv threads-csv";
            let is_known = none.split(' ').any(|id| id == export.id) || is_of_a_system;
            assert!(err(&printed).contains("Nothing to export") && is_known, "{}", err(&printed));
            continue;
        }
        assert_eq!((status(&printed), is_of_a_system), (0, false), "{}", err(&printed));
        let file = folder.0.join("saved");
        let saved = run(&[&trace, &"--export", &export.id, &"--out", &file]);
        assert_eq!((status(&saved), out(&saved)), (0, String::new()), "{}", err(&saved));
        assert_eq!(fs::read(&file).unwrap(), printed.stdout, "{}", export.id);
    }
    let unknown = run(&[&trace, &"--export", &"no-such"]);
    assert_eq!(status(&unknown), 1);
    assert!(err(&unknown).contains("no-such"));
    let nowhere = run(&[&trace, &"--export", &"summary-json", &"--out", &folder.0.join("no/such/folder")]);
    assert_eq!(status(&nowhere), 1);
}

#[test]
fn a_view_without_data_says_why() {
    let folder = Folder::new("svg");
    let trace = folder.file("trace.json", TRACE);
    let output = run(&[&trace, &"--svg", &"source"]);
    assert_eq!((status(&output), out(&output)), (1, String::new()));
    assert!(err(&output).contains("No source or instructions"));
    assert_eq!(status(&run(&[&trace, &"--svg", &"no-such"])), 1);
}

#[test]
fn pictures_are_drawn_in_the_vendors_colors_when_asked() {
    let device = crate::support::front_door::fixtures().join("msinsight/device");
    for (view, color) in [("timeline", "#d53f78"), ("details", "#ef5353")] {
        let usual = run(&[&device, &"--svg", &view]);
        let asked = run(&[&device, &"--svg", &view, &"--colors", &"mindstudio"]);
        assert_eq!((status(&usual), status(&asked)), (0, 0));
        assert!(out(&asked).contains(color) && !out(&usual).contains(color), "{view}");
    }
}

#[test]
fn operators_of_a_project_are_listed_and_taken_one_by_one() {
    let project = crate::support::front_door::fixtures().join("msinsight/project");
    let all = run(&[&project]);
    assert_eq!(status(&all), 0, "{}", err(&all));
    let heads: Vec<String> =
        out(&all).lines().filter(|l| l.starts_with("operator ")).map(str::to_owned).collect();
    assert_eq!(heads.len(), 4);
    assert!(heads[1].ends_with("/device0/CopyScale/0"), "{heads:?}");
    let list = run(&[&project, &"--export", &"operators-csv"]);
    assert_eq!((status(&list), out(&list).lines().count()), (0, 5));
    let one = run(&[&project, &"--operator", &"device0/CopyIn/0"]);
    assert!(out(&one).starts_with("title CopyIn\n"), "{}", out(&one));
    let open = run(&[&project, &"--export", &"figures-json"]);
    assert_eq!(status(&open), 1);
    assert!(err(&open).contains("several operators") && err(&open).contains("CopyScale/1"), "{}", err(&open));
    let wrong = run(&[&project, &"--operator", &"device7"]);
    assert_eq!(status(&wrong), 1);
    assert!(err(&wrong).contains("unknown operator device7"), "{}", err(&wrong));
}

#[test]
fn two_files_are_compared_by_their_figures() {
    let folder = Folder::new("compare");
    let before = folder.file("before.bin", crate::compare::questions::before());
    let after = folder.file("after.bin", crate::compare::questions::after());
    let told = run(&[&before, &after, &"--compare"]);
    assert_eq!((status(&told), err(&told)), (0, String::new()));
    // The comparison is 20.25 µs shorter than the baseline.
    assert!(out(&told).contains("Duration\t120.500 µs\t100.250 µs\t−20.250 µs"), "{}", out(&told));
    let turned = run(&[&after, &before, &"--compare"]);
    assert!(out(&turned).contains("Duration\t100.250 µs\t120.500 µs\t+20.250 µs"), "{}", out(&turned));

    for table in
        ["slices by name\n  Name\tTotal A\tTotal B\tDifference\tChange\t", "slices by track\n  Track\t"]
    {
        assert!(out(&told).contains(table), "{}", out(&told));
    }
    let json = run(&[&before, &after, &"--compare", &"--export", &"figures-json"]);
    let families: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let base = families.as_array().unwrap().iter().find(|f| f["id"] == "base-info").unwrap();
    let rows = base["variants"][0]["body"]["table"]["rows"].as_array().unwrap();
    let duration = rows.iter().find(|r| r[0] == "Duration").unwrap();
    assert_eq!(duration.to_string(), r#"["Duration",120.5,100.25,-20.25]"#);

    let svg = folder.0.join("difference.svg");
    let drawn = run(&[&before, &after, &"--compare", &"--svg", &"details", &"--out", &svg]);
    assert_eq!((status(&drawn), out(&drawn)), (0, String::new()));
    assert!(fs::read_to_string(&svg).unwrap().contains("−20.250 µs"));
    let csv = run(&[&before, &after, &"--compare", &"--export", &"figures-csv"]);
    assert!(out(&csv).contains("-20.25"), "{}", out(&csv));
}

/// One thread that works, twice, with nothing for this time between, in µs.
pub(crate) fn with_gap(gap: u64) -> String {
    let end = 600 + gap;
    format!(
        r#"{{"traceEvents": [
            {{"ph": "X", "name": "work", "pid": 1, "tid": 1, "ts": 0, "dur": 600}},
            {{"ph": "X", "name": "work", "pid": 1, "tid": 1, "ts": {end}, "dur": 200}}
        ]}}"#
    )
}

#[test]
fn findings_are_told_and_saved_as_data() {
    let folder = Folder::new("findings");
    let file = folder.file("trace.json", with_gap(200));
    let told = run(&[&file, &"--findings"]);
    assert_eq!(status(&told), 0, "{}", err(&told));
    let text = out(&told);
    assert!(text.contains("What limits it: 1 finding\n") && text.contains("≤ 200.000 µs, 20.0 %"), "{text}");
    assert!(text.contains("Length: 1.000 ms"), "{text}");
    let data = run(&[&file, &"--export", &"findings-json"]);
    let data: serde_json::Value = serde_json::from_slice(&data.stdout).unwrap();
    let finding = &data["findings"][0];
    assert_eq!((&data["schema"], &data["version"]), (&"lanescope-findings".into(), &2.into()));
    assert_eq!(finding["code"], "trace-common-gaps");
    assert_eq!((&finding["value"], &finding["unit"]), (&200_000.0.into(), &"ns".into()));
    assert_eq!(finding["saving"]["kind"], "bound");
    assert_eq!(finding["evidence"]["query"]["range"], "600000,800000");
    // Percent, as its unit says.
    assert_eq!(
        (&finding["thresholds"][0]["value"], &finding["thresholds"][0]["unit"]),
        (&2.0.into(), &"%".into())
    );
    assert!(data["rules"].as_array().unwrap().iter().any(|rule| rule["outcome"] == "nothing"), "{data}");
}

#[test]
fn findings_of_two_files_are_held_against_each_other() {
    let folder = Folder::new("findings-compared");
    let [none, small, large] = [0, 200, 400].map(|gap| folder.file(&format!("{gap}.json"), with_gap(gap)));
    for (files, change) in [
        ([&none, &large], "appeared"),
        ([&large, &none], "vanished"),
        ([&small, &large], "grew"),
        ([&large, &small], "shrank"),
        ([&large, &large], "same"),
    ] {
        let told = run(&[files[0], files[1], &"--compare", &"--findings"]);
        assert_eq!(status(&told), 0, "{}", err(&told));
        assert!(out(&told).contains(&format!("  {change}")), "{change}: {}", out(&told));
        let data = run(&[files[0], files[1], &"--compare", &"--export", &"findings-json"]);
        let data: serde_json::Value = serde_json::from_slice(&data.stdout).unwrap();
        assert_eq!(data["findings"][0]["change"], change);
    }
}

#[test]
fn a_report_is_one_file_of_a_profile_or_of_two() {
    let folder = Folder::new("report");
    let [before, after] = [200, 400].map(|gap| folder.file(&format!("{gap}.json"), with_gap(gap)));
    let notes = folder.file(
        "notes.json",
        r#"{"lanescope": "notes", "version": 1, "notes": [{"text": "look here", "address": "", "time": 5}]}"#,
    );
    let to = folder.0.join("report.html");
    let written = run(&[&before, &"--report", &to, &"--notes", &notes]);
    assert_eq!((status(&written), err(&written)), (0, String::new()));
    let html = fs::read_to_string(&to).unwrap();
    for part in ["<h1>200.json</h1>", "≤ 200.000 µs", "look here", "id=\"findings\"", "alt=\"Timeline\""] {
        assert!(html.contains(part), "{part}: {html}");
    }
    let both = run(&[&before, &after, &"--compare", &"--report", &to, &"--parts", &"findings,faults"]);
    assert_eq!((status(&both), err(&both)), (0, String::new()));
    let html = fs::read_to_string(&to).unwrap();
    assert!(
        html.contains("200.json → 400.json") && html.contains("higher share than in the baseline"),
        "{html}"
    );
    assert!(!html.contains("id=\"figures\"") && !html.contains("look here"), "{html}");
    let told = out(&run(&[&before, &after, &"--compare"]));
    let said = told.lines().nth(2).unwrap();
    assert!(said.starts_with("Recorded time +20 %") && html.contains(said), "{told}\n{html}");
    let findings = out(&run(&[&before, &after, &"--compare", &"--findings"]));
    assert_eq!(findings.lines().next(), Some(said), "{findings}");
    let [one, two] = ["one", "two"].map(|name| folder.file(&format!("{name}/same.json"), with_gap(200)));
    run(&[&one, &two, &"--compare", &"--report", &to]);
    let html = fs::read_to_string(&to).unwrap();
    assert!(html.contains("one/same.json → two/same.json"), "{html}");
    assert_eq!(status(&run(&[&before, &"--report", &to, &"--parts", &"nothing"])), 2);
    assert_eq!(status(&run(&[&before, &"--report", &to, &"--notes", &before])), 1);
    assert_eq!(status(&run(&[&before, &"--notes", &notes])), 2);
}

/// What the command line says of a profile of each system is in its report.
#[test]
fn a_report_of_every_sample_has_its_findings_figures_and_notes() {
    let folder = Folder::new("samples");
    let notes = folder.file(
        "notes.json",
        r#"{"lanescope": "notes", "version": 1, "notes": [{"text": "look here", "address": "", "time": 5}]}"#,
    );
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/public/samples");
    let mut n = 0;
    for entry in fs::read_dir(samples).unwrap().map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
        if name == "index.json" {
            continue;
        }
        n += 1;
        let to = folder.0.join("report.html");
        let written = run(&[&path, &"--report", &to, &"--notes", &notes]);
        assert_eq!((status(&written), err(&written)), (0, String::new()), "{name}");
        let html = fs::read_to_string(&to).unwrap();
        for part in [
            &format!("<h1>{}</h1>", name.trim_end_matches(".gz")),
            "id=\"findings\"",
            "id=\"figures\"",
            "look here",
        ] {
            assert!(html.contains(part), "{name}: {part}");
        }
        assert!(!html.contains("<script") && !html.contains("src=\"http"), "{name}");
    }
    assert_eq!(n, 6, "five systems and Trace Event");
}

#[test]
fn a_figure_that_became_worse_fails_the_run() {
    let folder = Folder::new("fail-over");
    let [before, after] = [200, 400].map(|gap| folder.file(&format!("{gap}.json"), with_gap(gap)));
    // From the first to the last event 1,000 and 1,200 µs.
    let worse = run(&[&before, &after, &"--compare", &"--fail-over", &"5%"]);
    assert_eq!(status(&worse), 3, "{}", err(&worse));
    let line = out(&worse);
    assert!(line.contains("1.000 ms\t1.200 ms\t+20 %, 1.2×"), "{line}");
    let name = line.split('\t').next().unwrap().to_owned();
    let table = run(&[&before, &after, &"--compare", &"--fail-over", &"5%", &"--markdown"]);
    assert!(
        out(&table).starts_with("| Figure | Baseline | Comparison | Change |\n| --- |"),
        "{}",
        out(&table)
    );
    for (limit, expected) in [("25%".to_owned(), 0), (format!("5%:{name}"), 3), (format!("25%:{name}"), 0)] {
        let judged = run(&[&before, &after, &"--compare", &"--fail-over", &limit]);
        assert_eq!(status(&judged), expected, "{limit}: {}", err(&judged));
    }
    // What became better does not fail, what cannot be judged does, and so does what is no share.
    assert_eq!(status(&run(&[&after, &before, &"--compare", &"--fail-over", &"5%"])), 0);
    assert_eq!(status(&run(&[&before, &after, &"--compare", &"--fail-over", &"5%:nothing"])), 1);
    assert_eq!(status(&run(&[&before, &after, &"--compare", &"--fail-over", &"5"])), 2);
    assert_eq!(status(&run(&[&before, &"--fail-over", &"5%"])), 2);
}

#[test]
fn what_cannot_be_compared_is_said() {
    let folder = Folder::new("apart");
    let before = folder.file("before.bin", crate::compare::questions::before());
    let trace = folder.file("trace.json", TRACE);
    let apart = run(&[&before, &trace, &"--compare"]);
    assert_eq!(status(&apart), 0);
    assert!(out(&apart).contains("not compared base-info: Only in the baseline."), "{}", out(&apart));
    assert!(out(&apart).contains("\n  load\t–\t2.000 µs\tadded\t–\t–\t1\t–\t2.000 µs\n"), "{}", out(&apart));
    let apart = run(&[&before, &trace, &"--compare", &"--export", &"figures-csv"]);
    assert!(status(&apart) == 1 && err(&apart).contains("no figures to compare"), "{}", err(&apart));
    let noise = folder.file("noise.bin", [7_u8; 100]);
    assert_eq!(status(&run(&[&before, &noise, &"--compare"])), 1);
    for export in ["slices-csv", "no-such"] {
        let refused = run(&[&before, &before, &"--compare", &"--export", &export]);
        assert_eq!((status(&refused), out(&refused)), (1, String::new()));
        assert!(err(&refused).contains("figures-json, figures-csv, figure-svg"), "{}", err(&refused));
    }
    assert_eq!(status(&run(&[&before, &before, &"--compare", &"--svg", &"timeline"])), 1);
    for files in [1, 3] {
        let mut command = lanescope();
        command.args(std::iter::repeat_n(&before, files)).arg("--compare").stdin(Stdio::null());
        assert_eq!(status(&command.output().unwrap()), 2);
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_others_may_write_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("shared");
    let file = folder.file("before.bin", crate::compare::questions::before());
    for (mode, is_named) in [(0o600, false), (0o620, true), (0o666, true)] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        let told = run(&[&file]);
        assert_eq!(out(&told).contains("is writable by others"), is_named, "{mode:o}");
        assert_eq!(status(&told), 0);
    }
}
