//! The switches of the command line, what goes to which stream, and the status.

use super::MODES;
use crate::support::front_door::open_one;
use lanescope::model::parameter::Control;
use lanescope::wire::Query;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const GOOD: &str = "#           TASK-PID   CPU#  ||||    TIMESTAMP  FUNCTION
 app-5     [000] ...1 100.000100: tracing_mark_write: B|5|[NN_LA_PO]net
 app-5     [000] ...1 100.000200: tracing_mark_write: B|5|[NN_LR_PP]ANeuralNetworksModel_create
 app-5     [000] ...1 100.001450: tracing_mark_write: E|5
 app-5     [000] ...1 100.002100: tracing_mark_write: E|5
";

fn run(name: &str, text: &str, switches: &[&str]) -> Output {
    let path = file(name);
    std::fs::write(&path, text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanescope"));
    let output = command.arg(&path).args(switches).stdin(Stdio::null()).output().unwrap();
    std::fs::remove_file(path).unwrap();
    output
}

fn file(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("lanescope-nnapi-{}-{name}.txt", std::process::id()))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn switches_are_those_of_the_parser() {
    let output = run("switches", GOOD, &["--export", "nnapi-text"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
    let table = text(&output.stdout);
    assert!(table.starts_with("B|5|[NN_LA_PO]net\n\n====="), "{table}");
    // 100.000100 to 100.002100 of the application, 1.25 ms of it the runtime's.
    assert!(table.contains("\nApplication              n/a           n/a           n/a  "), "{table}");
    assert!(table.contains(" 0.75*\nRuntime                    -          1.25  "), "{table}");
    let totals = text(&run("totals", GOOD, &["--export", "nnapi-text", "--total-times"]).stdout);
    assert!(totals.contains(" 2.00*\nRuntime  ") && totals.contains("(total time, ms"), "{totals}");
    let each = text(&run("each", GOOD, &["--export", "nnapi-text", "--per-execution"]).stdout);
    assert!(each.contains("Percentage"), "{each}");
    let detail = text(&run("detail", GOOD, &["--export", "nnapi-text", "--print-detail"]).stdout);
    assert!(detail.contains("\n5 App\nPO_LA_PO "), "{detail}");
    let json = text(&run("json", GOOD, &["--export", "nnapi-json", "--total-times"]).stdout);
    assert!(json.starts_with("[\n{\n  \"execution_counts\": {") && json.ends_with("}\n]\n"), "{json}");
}

/// The dialog of the page says every switch that was touched as true or false; all nine ways to ask.
#[test]
fn the_page_saves_what_the_command_line_prints() {
    let mut doc = open_one("trace.txt", GOOD.into()).0;
    let exports = lanescope::engine::catalog().exports;
    for (name, mode) in MODES {
        let kind = if mode.is_json { "nnapi-json" } else { "nnapi-text" };
        let is_on = |id: &str| match id {
            "total-times" => mode.has_totals,
            "per-execution" => mode.is_per_execution,
            "print-detail" => mode.has_detail,
            other => panic!("{other}"),
        };
        let parameters = &exports.iter().find(|export| export.id == kind).unwrap().parameters;
        assert_eq!(parameters.len(), if mode.is_json { 2 } else { 3 });
        assert!(parameters.iter().all(|p| p.control == Control::Flag && p.default == "false"));
        let said: Vec<_> = parameters.iter().map(|p| format!("{}={}", p.id, is_on(&p.id))).collect();
        let export = Query::Export { id: format!("{kind}:{}", said.join(",")) };
        let (_, saved) = doc.query(&export);
        let set = parameters.iter().filter(|p| is_on(&p.id)).map(|p| format!("--{}", p.id));
        let switches: Vec<String> = ["--export".to_owned(), kind.to_owned()].into_iter().chain(set).collect();
        let switches: Vec<&str> = switches.iter().map(String::as_str).collect();
        assert_eq!(saved.unwrap(), run(name, GOOD, &switches).stdout, "{name}");
    }
}

#[test]
fn what_was_printed_before_a_refusal_is_delivered() {
    let bad = format!("{GOOD} app-5     [000] ...1 100.003000: tracing_mark_write: E|5\n");
    let output = run("refused", &bad, &["--export", "nnapi-json"]);
    assert_eq!(output.status.code(), Some(1));
    let line = " app-5     [000] ...1 100.003000: tracing_mark_write: E|5\n";
    assert_eq!(text(&output.stdout), format!("failed on line 6 {line}\n"));
    let said = text(&output.stderr);
    assert!(said.starts_with("Exception: Unable to process a trace termination mark"), "{said}");
}

#[test]
fn sentences_of_the_parser_go_to_standard_error() {
    let incomplete = GOOD.rsplit_once(" app").unwrap().0.replace("LR_PP", "LC_PP");
    let output = run("incomplete", &incomplete, &["--export", "nnapi-text"]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), String::new()));
    let sentences = "\n*** No NNAPI Runtime trace present - check your systrace setup ***\n\nIncomplete trace, not able \
                     to print all statistics\n";
    assert_eq!(text(&output.stderr), sentences);
}

#[test]
fn switches_that_make_no_sense_are_refused() {
    for (name, switches) in [
        ("a", &["--per-execution"][..]),
        ("b", &["--export", "summary-json", "--total-times"]),
        ("c", &["--export", "nnapi-json", "--print-detail"]),
    ] {
        let output = run(name, GOOD, switches);
        assert_eq!(output.status.code(), Some(2), "{switches:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{switches:?}");
    }
    let output = run("d", GOOD, &["--export", "nnapi-text:fast"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr)
            .contains("nnapi-text has no parameter fast; available: total-times, per-execution")
    );
}
