//! nnapi-text and nnapi-json: byte for byte what AOSP's systrace parser prints on its standard output. Beside them
//! nnapi-corrected-json.
//!
//! Behind a colon its switches may stand, separated by commas: `total-times`, `per-execution`, and for the text
//! `print-detail`. What it prints before it gives up is delivered; what it writes to standard error is said beside.

mod corrected;
mod detail;
mod json;
mod python;
mod text;

pub(super) use corrected::NNAPI_CORRECTED_JSON;

use super::{Export, Said, Whole};
use crate::analysis::nnapi::aosp::{Outcome, Run, Statistics, StopAt, Wanted, Wording, parse};
use crate::base::words::phrase;
use crate::input::bundle::EntryId;
use crate::input::source::read_range;
use crate::model::mark::Marks;
use std::io::{Error, ErrorKind, Result, Write};

/// The tables.
pub(super) static NNAPI_TEXT: Export = Export {
    id: "nnapi-text",
    title: phrase("NNAPI timing summary as text, as AOSP's parser prints it"),
    suffix: "nnapi.txt",
    mime: "text/plain",
    takes_argument: true,
    can: has_marks,
    write: write_text,
};

/// The times of all runs.
pub(super) static NNAPI_JSON: Export = Export {
    id: "nnapi-json",
    title: phrase("NNAPI times as JSON, as AOSP's parser prints them"),
    suffix: "nnapi.json",
    mime: "application/json",
    takes_argument: true,
    can: has_marks,
    write: write_json,
};

/// Whether a reader of the files knows marks. Where it found none, and of an empty file, the parser prints empty tables.
fn has_marks(whole: &Whole) -> bool {
    let is_empty = || whole.bundle.iter().all(|(_, entry)| entry.source.len() == 0);
    whole.formats.iter().any(|format| format.id == "systrace") || (whole.formats.is_empty() && is_empty())
}

/// The switches of an export.
#[derive(Default)]
struct Switches {
    wanted: Wanted,
    has_detail: bool,
}

impl Switches {
    fn of(argument: &str, is_json: bool) -> Result<Self> {
        let mut switches = Self::default();
        for word in argument.split(',').filter(|word| !word.is_empty()) {
            match word {
                "total-times" => switches.wanted.has_totals = true,
                "per-execution" => switches.wanted.is_per_execution = true,
                "print-detail" if !is_json => switches.has_detail = true,
                "print-detail" => return Err(refused("print-detail is for nnapi-text only.")),
                _ => {
                    let text = format!(
                        "{word} is none of the switches total-times, per-execution and print-detail."
                    );
                    return Err(refused(&text));
                }
            }
        }
        Ok(switches)
    }
}

fn refused(text: &str) -> Error {
    Error::new(ErrorKind::InvalidInput, text)
}

fn write_text(whole: &Whole, argument: &str, out: &mut dyn Write) -> Result<()> {
    let Switches { wanted, has_detail } = Switches::of(argument, false)?;
    let (marks, strings) = (&whole.trace.marks, &whole.trace.strings);
    let outcome = parse(marks, strings);
    let words = Wording { marks, strings, codes: &outcome.codes };
    for run in &outcome.runs {
        let Some(statistics) = &run.statistics else { continue };
        writeln!(out, "{}", starting_mark(whole, run))?;
        out.write_all(text::table(statistics, wanted).as_bytes())?;
        if has_detail {
            detail::write(&outcome, run, &words, out)?;
        }
    }
    end(whole, &outcome, out)
}

fn write_json(whole: &Whole, argument: &str, out: &mut dyn Write) -> Result<()> {
    let Switches { wanted, .. } = Switches::of(argument, true)?;
    let outcome = parse(&whole.trace.marks, &whole.trace.strings);
    // A run that is not printed takes its sign along: a list may begin with a comma.
    let sign = |number: usize| if number == 0 { "[" } else { "," };
    for (number, run) in outcome.runs.iter().enumerate() {
        let Some(statistics) = &run.statistics else { continue };
        writeln!(out, "{}", sign(number))?;
        let text = json::object(statistics, wanted, starting_mark(whole, run));
        writeln!(out, "{}", text.replace("NaN", "null"))?;
    }
    match &outcome.stop {
        None => writeln!(out, "]")?,
        Some(stop) if stop.at == StopAt::Run => writeln!(out, "{}", sign(outcome.runs.len()))?,
        Some(_) => {}
    }
    end(whole, &outcome, out)
}

/// The mark that began a run; empty when there is none.
fn starting_mark<'a>(whole: &'a Whole, run: &Run) -> &'a str {
    let text = run.starting_mark.and_then(|row| whole.trace.marks.text.get(row as usize));
    text.map_or("", |id| whole.trace.strings.get(*id))
}

/// The row that ended it all, and what stands on standard error.
fn end(whole: &Whole, outcome: &Outcome, out: &mut dyn Write) -> Result<()> {
    if let Some(StopAt::Row(row)) = outcome.stop.as_ref().map(|stop| stop.at) {
        let marks = &whole.trace.marks;
        let number = marks.line.get(row as usize).copied().unwrap_or(0);
        writeln!(out, "failed on line {number} {}", line(whole, marks, row as usize))?;
    }
    let text = outcome.said();
    if text.is_empty() { Ok(()) } else { Err(Said { text, is_whole: outcome.stop.is_none() }.into()) }
}

/// The line of a row, with its end where it has one.
fn line(whole: &Whole, marks: &Marks, row: usize) -> String {
    let place = marks.start.get(row).zip(marks.len.get(row));
    let source = whole.bundle.get(EntryId(marks.entry)).map(|entry| &entry.source);
    let (Some((&start, &len)), Some(source)) = (place, source) else { return String::new() };
    let stop = start + u64::from(len);
    let bytes = read_range(&**source, start..stop).unwrap_or_default();
    let has_end = stop < source.len();
    String::from_utf8_lossy(&bytes).into_owned() + if has_end { "\n" } else { "" }
}
