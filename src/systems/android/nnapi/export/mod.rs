//! nnapi-text and nnapi-json: byte for byte what AOSP's systrace parser prints on its standard output. Beside them
//! nnapi-corrected-json.
//!
//! Its switches are parameters: `total-times`, `per-execution`, and for the text `print-detail`. What it prints before it gives up is delivered; what it writes to standard error is said beside.

mod corrected;
mod detail;
mod json;
pub mod python;
mod text;

use corrected::NNAPI_CORRECTED_JSON;

use crate::base::words::phrase;
use crate::export::{Export, ExportInput, ExportMessage, whole};
use crate::input::bundle::EntryId;
use crate::input::source::read_range;
use crate::model::parameter::{Parameter, ParameterKind, Values};
use crate::systems::android::nnapi::aosp::{Labels, Outcome, Run, Statistics, StopAt, TableOptions, parse};
use crate::systems::android::nnapi::mark::Marks;
use std::io::{Result, Write};

/// What can be saved of NNAPI.
pub static EXPORTS: &[&Export] = &[&NNAPI_TEXT, &NNAPI_JSON, &NNAPI_CORRECTED_JSON];

/// The tables.
pub(super) static NNAPI_TEXT: Export = Export {
    id: "nnapi-text",
    title: phrase("NNAPI timing summary as text (AOSP parser output)"),
    suffix: "nnapi.txt",
    mime: "text/plain",
    takes_argument: false,
    parameters: &[&TOTAL_TIMES, &PER_EXECUTION, &PRINT_DETAIL],
    can: has_marks,
    write: |_, argument| whole(write_text, argument),
};

/// The times of all runs.
pub(super) static NNAPI_JSON: Export = Export {
    id: "nnapi-json",
    title: phrase("NNAPI times as JSON (AOSP parser output)"),
    suffix: "nnapi.json",
    mime: "application/json",
    takes_argument: false,
    parameters: &[&TOTAL_TIMES, &PER_EXECUTION],
    can: has_marks,
    write: |_, argument| whole(write_json, argument),
};

/// Whether there are marks, or the files are of text that may hold some. Where it holds none, and of an empty file, the parser prints empty tables.
fn has_marks(input: &ExportInput) -> bool {
    let is_empty = || input.bundle.iter().all(|(_, entry)| entry.source.is_empty());
    let has_some = !Marks::of(input.trace).is_empty();
    has_some
        || input.formats.iter().any(|format| format.id == "systrace")
        || (input.formats.is_empty() && is_empty())
}

/// Total times instead of self times.
static TOTAL_TIMES: Parameter = Parameter {
    id: "total-times",
    title: phrase("Total times"),
    help: phrase("total times instead of self times"),
    kind: ParameterKind::Flag,
    rereads: false,
};

/// Executions only.
static PER_EXECUTION: Parameter = Parameter {
    id: "per-execution",
    title: phrase("Per execution"),
    help: phrase("average per execution; only benchmark runs if both loops exist"),
    kind: ParameterKind::Flag,
    rereads: false,
};

/// What stands behind the tables.
static PRINT_DETAIL: Parameter = Parameter {
    id: "print-detail",
    title: phrase("Print detail"),
    help: phrase("also print every scope and tree"),
    kind: ParameterKind::Flag,
    rereads: false,
};

/// What is wanted of the tables.
fn wanted(values: &Values) -> TableOptions {
    TableOptions { has_totals: values.flag(TOTAL_TIMES.id), is_per_execution: values.flag(PER_EXECUTION.id) }
}

fn write_text(input: &ExportInput, _: &str, out: &mut dyn Write) -> Result<()> {
    let wanted = wanted(input.values);
    let (marks, strings) = (Marks::of(input.trace), &input.trace.strings);
    let outcome = parse(marks, strings);
    let words = Labels { marks, strings, codes: &outcome.codes };
    for run in &outcome.runs {
        let Some(statistics) = &run.statistics else { continue };
        writeln!(out, "{}", starting_mark(input, run))?;
        out.write_all(text::table(statistics, wanted).as_bytes())?;
        if input.values.flag(PRINT_DETAIL.id) {
            detail::write(&outcome, run, &words, out)?;
        }
    }
    end(input, &outcome, out)
}

fn write_json(input: &ExportInput, _: &str, out: &mut dyn Write) -> Result<()> {
    let wanted = wanted(input.values);
    let outcome = parse(Marks::of(input.trace), &input.trace.strings);
    // A run that is not printed takes its sign along: a list may begin with a comma.
    let sign = |number: usize| if number == 0 { "[" } else { "," };
    for (number, run) in outcome.runs.iter().enumerate() {
        let Some(statistics) = &run.statistics else { continue };
        writeln!(out, "{}", sign(number))?;
        let text = json::object(statistics, wanted, starting_mark(input, run));
        writeln!(out, "{}", text.replace("NaN", "null"))?;
    }
    match &outcome.stop {
        None => writeln!(out, "]")?,
        Some(stop) if stop.at == StopAt::Run => writeln!(out, "{}", sign(outcome.runs.len()))?,
        Some(_) => {}
    }
    end(input, &outcome, out)
}

/// The mark that began a run; empty when there is none.
fn starting_mark<'a>(input: &'a ExportInput, run: &Run) -> &'a str {
    let text = run.starting_mark.and_then(|row| Marks::of(input.trace).text.get(row as usize));
    text.map_or("", |id| input.trace.strings.get(*id))
}

/// The row that ended it all, and what stands on standard error.
fn end(input: &ExportInput, outcome: &Outcome, out: &mut dyn Write) -> Result<()> {
    if let Some(StopAt::Row(row)) = outcome.stop.as_ref().map(|stop| stop.at) {
        let marks = Marks::of(input.trace);
        let number = marks.line.get(row as usize).copied().unwrap_or(0);
        writeln!(out, "failed on line {number} {}", line(input, marks, row as usize))?;
    }
    let text = outcome.said();
    if text.is_empty() {
        Ok(())
    } else {
        Err(ExportMessage { text, is_whole: outcome.stop.is_none() }.into())
    }
}

/// The line of a row, with its end where it has one.
fn line(input: &ExportInput, marks: &Marks, row: usize) -> String {
    let place = marks.start.get(row).zip(marks.len.get(row));
    let source = input.bundle.get(EntryId(marks.entry)).map(|entry| &entry.source);
    let (Some((&start, &len)), Some(source)) = (place, source) else { return String::new() };
    let stop = start + u64::from(len);
    let bytes = read_range(&**source, start..stop).unwrap_or_default();
    let has_end = stop < source.len();
    String::from_utf8_lossy(&bytes).into_owned() + if has_end { "\n" } else { "" }
}
