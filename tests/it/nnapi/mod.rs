//! NNAPI marks: what AOSP's systrace parser prints, from its own files, from a second implementation, from the command line.

mod command_line;
mod depth;
mod golden;
mod make_marks;
mod oracle;
mod random;
mod refusals;
mod unit;

use lanescope::document::Document;
use lanescope::wire::{Answer, Query};

use oracle::{Mode, Printed};

/// The nine ways to ask, as the golden files name them.
const MODES: [(&str, Mode); 9] = {
    const fn mode(is_json: bool, has_totals: bool, is_per_execution: bool, has_detail: bool) -> Mode {
        Mode { is_json, has_totals, is_per_execution, has_detail }
    }
    [
        ("default", mode(false, false, false, false)),
        ("total", mode(false, true, false, false)),
        ("perexec", mode(false, false, true, false)),
        ("perexec_total", mode(false, true, true, false)),
        ("json", mode(true, false, false, false)),
        ("json_total", mode(true, true, false, false)),
        ("json_perexec", mode(true, false, true, false)),
        ("json_perexec_total", mode(true, true, true, false)),
        ("detail", mode(false, false, false, true)),
    ]
};

/// The id of the export with its switches.
fn id(mode: Mode) -> String {
    let switches = [
        (mode.has_totals, "total-times"),
        (mode.is_per_execution, "per-execution"),
        (mode.has_detail, "print-detail"),
    ];
    let set: Vec<&str> = switches.iter().filter(|s| s.0).map(|s| s.1).collect();
    let name = if mode.is_json { "nnapi-json" } else { "nnapi-text" };
    if set.is_empty() { name.to_owned() } else { format!("{name}:{}", set.join(",")) }
}

/// What the document saves and says, sorted as a program's output: the last of what is said is the exception.
fn printed(doc: &mut Document, mode: Mode) -> Printed {
    let (answer, bytes) = doc.query(&Query::Export { id: id(mode) });
    let Answer::File { said, is_whole, .. } = answer else { panic!("{answer:?}") };
    let out = String::from_utf8(bytes.unwrap()).unwrap();
    let mut err = said;
    let mut exception = None;
    if !is_whole {
        let sentences = ["print all statistics\n", "systrace setup ***\n\n"];
        let ends = sentences.iter().filter_map(|s| err.rfind(s).map(|at| at + s.len()));
        let end = ends.max().unwrap_or(0);
        exception = Some(err[end..].strip_suffix('\n').unwrap().to_owned());
        err.truncate(end);
    }
    Printed { out, err, exception }
}
