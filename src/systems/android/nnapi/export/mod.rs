//! nnapi-text and nnapi-json: byte for byte what AOSP's systrace parser prints on its standard output. Beside them
//! nnapi-corrected-json.
//!
//! Its switches are parameters: `total-times`, `per-execution`, and for the text `print-detail`. What it prints before it gives up is delivered; what it writes to standard error is said beside.

mod corrected;
pub mod python;

use crate::base::order::sort_by;
use crate::base::words::phrase;
use crate::export::{Export, ExportInput, ExportMessage, whole};
use crate::input::{EntryId, read_range};
use crate::model::parameter::{Parameter, ParameterKind, Values};
use crate::systems::android::nnapi::aosp::{
    Labels, Line, OF_LOOPS, Outcome, PHASES, ROOT, Run, Statistics, StopAt, TOTAL, Table, TableOptions,
    ThreadRun, Times, TrackedThread, bucket_name, indent, parse,
};
use crate::systems::android::nnapi::mark::{App, Layer, Marks};
use corrected::NNAPI_CORRECTED_JSON;
use python::{fixed, json_number, quoted, repr};
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
        out.write_all(text_table(statistics, wanted).as_bytes())?;
        if input.values.flag(PRINT_DETAIL.id) {
            write_detail(&outcome, run, &words, out)?;
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
        let text = json_object(statistics, wanted, starting_mark(input, run));
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

// What the switch print-detail adds to a run: the sums of every thread with their scopes, then every tree.

/// Writes it for all threads, those without rows in this run too.
fn write_detail(outcome: &Outcome, run: &Run, words: &Labels, out: &mut dyn Write) -> Result<()> {
    for (thread, found) in threads(outcome, run) {
        let side = if thread.is_driver { "Driver" } else { "App" };
        writeln!(out, "{} {side}", words.strings.get(thread.id))?;
        if let Some(thread) = found {
            buckets(thread, words, out)?;
        }
    }
    for (_, found) in threads(outcome, run) {
        match found {
            Some(thread) => tree(thread, words, out)?,
            None => out.write_all(b" ROOT \n")?,
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Every thread that is followed, with what it did in the run.
fn threads<'a>(
    outcome: &'a Outcome,
    run: &'a Run,
) -> impl Iterator<Item = (&'a TrackedThread, Option<&'a ThreadRun>)> {
    let mut present = run.threads.iter().peekable();
    let all = (0..).zip(&outcome.threads);
    all.map(move |(at, thread)| (thread, present.next_if(|present| present.thread == at)))
}

fn buckets(thread: &ThreadRun, words: &Labels, out: &mut dyn Write) -> Result<()> {
    for bucket in &thread.buckets {
        let name = bucket_name(bucket, words.codes);
        writeln!(out, "{name} {}", repr(bucket.sum))?;
        for &node in &bucket.nodes {
            let net = repr(thread.tree.node(node).net);
            writeln!(out, "   {} {net} {net} {name}", words.mark(&thread.tree, node))?;
        }
    }
    Ok(())
}

fn tree(thread: &ThreadRun, words: &Labels, out: &mut dyn Write) -> Result<()> {
    let tree = &thread.tree;
    for (number, depth) in tree.preorder() {
        let blanks = indent(depth, 4);
        if number == ROOT {
            writeln!(out, " ROOT ")?;
        } else {
            let node = tree.node(number);
            let (mark, net) = (words.mark(tree, number), repr(node.net));
            let flag = if node.is_subtract { "True" } else { "False" };
            writeln!(out, "{blanks} {} {mark} {net} subtract:  {flag} ", node.app_phase.code())?;
        }
        if tree.has_children(number) {
            writeln!(out, "{blanks}   children:")?;
        }
    }
    Ok(())
}

// The object of one run.

/// A value; members are sorted when they are written.
enum Value {
    Number(f64),
    ExportInput(u32),
    Text(String),
    Object(Vec<(String, Value)>),
}

/// The object of a run, two blanks a level, missing numbers as `NaN`.
fn json_object(statistics: &Statistics, wanted: TableOptions, starting_mark: &str) -> String {
    let chosen = statistics.chosen(wanted);
    let (totals, own) =
        if wanted.has_totals { (&chosen, &statistics.self_times) } else { (&statistics.times, &chosen) };
    let counts = App::ALL.iter().zip(statistics.n_executions.0);
    let counts = counts.map(|(phase, n)| (phase.code().to_owned(), Value::ExportInput(n))).collect();
    let members = [
        ("execution_counts", Value::Object(counts)),
        ("self_times", times(own)),
        ("starting_mark", Value::Text(starting_mark.to_owned())),
        ("template_inputs", inputs(statistics, wanted)),
        ("times", times(totals)),
        ("version", Value::ExportInput(1)),
    ];
    let mut out = String::new();
    write(Value::Object(members.map(|(name, value)| (name.to_owned(), value)).into()), 0, &mut out);
    out
}

fn times(times: &Times) -> Value {
    let mut members: Vec<(String, Value)> =
        PHASES.iter().zip(&times.flat).map(|(phase, l)| (phase.code().to_owned(), json_line(l))).collect();
    for (app_phase, lines) in App::ALL[1..].iter().zip(times.loops.iter().flatten()) {
        let of_loop = OF_LOOPS.iter().zip(lines).map(|(phase, l)| (phase.code().to_owned(), json_line(l)));
        members.push((app_phase.code().to_owned(), Value::Object(of_loop.collect())));
    }
    Value::Object(members)
}

fn json_line(values: &Line) -> Value {
    let members = values.iter().enumerate().map(|(layer, v)| (code(layer).to_owned(), Value::Number(*v)));
    Value::Object(members.collect())
}

fn code(layer: usize) -> &'static str {
    Layer::REPORTED.get(layer).map_or("LT", |layer| layer.code())
}

fn inputs(statistics: &Statistics, wanted: TableOptions) -> Value {
    let table = statistics.table(wanted);
    let lines = [
        ("PI", &table.initialization),
        ("PP", &table.preparation),
        ("PC", &table.compilation),
        ("PE", &table.execution),
        ("PT", &table.termination),
        ("PIO", &table.inputs_outputs),
        ("PR", &table.results),
        ("PEO", &table.computation),
        ("PO", &table.overall),
    ];
    let member = |layer, phase: &str, value| (format!("{}_{phase}", code(layer)), Value::Number(value));
    let mut members = Vec::new();
    for layer in 0..=TOTAL {
        let times = lines.iter().filter_map(|(phase, line)| Some((phase, line.get(layer)?)));
        members.extend(times.map(|(phase, time)| member(layer, phase, *time)));
        members.extend(table.percent.get(layer).map(|share| member(layer, "PEp", *share)));
    }
    Value::Object(members)
}

fn write(value: Value, depth: usize, out: &mut String) {
    match value {
        Value::Number(value) => *out += &json_number(value),
        Value::ExportInput(value) => *out += &value.to_string(),
        Value::Text(text) => *out += &quoted(&text),
        Value::Object(mut members) => {
            sort_by(&mut members, |a, b| a.0.cmp(&b.0));
            let indent = "  ".repeat(depth);
            for (place, (name, value)) in members.into_iter().enumerate() {
                *out += if place == 0 { "{" } else { "," };
                *out += &format!("\n{indent}  {}: ", quoted(&name));
                write(value, depth + 1, out);
            }
            *out += &format!("\n{indent}}}");
        }
    }
}

// The table of one run.

/// A column: its name, how wide its head is with the blanks before it, how wide its numbers are with those before them.
struct Column {
    name: &'static str,
    head: (usize, usize),
    cell: (usize, usize),
    line: fn(&Table) -> &Line,
}

const ALL_PHASES: [Column; 9] = [
    Column { name: "Initialization", head: (14, 14), cell: (0, 9), line: |t| &t.initialization },
    Column { name: "Preparation", head: (3, 11), cell: (5, 9), line: |t| &t.preparation },
    Column { name: "Compilation", head: (3, 11), cell: (5, 9), line: |t| &t.compilation },
    Column { name: "I/O", head: (3, 11), cell: (3, 11), line: |t| &t.inputs_outputs },
    Column { name: "Compute", head: (2, 12), cell: (3, 11), line: |t| &t.computation },
    Column { name: "Results", head: (2, 11), cell: (4, 9), line: |t| &t.results },
    Column { name: "Ex. total", head: (3, 11), cell: (5, 9), line: |t| &t.execution },
    Column { name: "Termination", head: (3, 11), cell: (5, 9), line: |t| &t.termination },
    Column { name: "Total", head: (3, 10), cell: (4, 9), line: |t| &t.overall },
];

const EXECUTION: [Column; 4] = [
    Column { name: "I/O", head: (14, 11), cell: (0, 11), line: |t| &t.inputs_outputs },
    Column { name: "Compute", head: (2, 12), cell: (3, 11), line: |t| &t.computation },
    Column { name: "Results", head: (2, 11), cell: (4, 9), line: |t| &t.results },
    Column { name: "Total", head: (3, 11), cell: (5, 9), line: |t| &t.execution },
];

const LABELS: [&str; 6] = ["Application", "Runtime", "IPC", "Driver", "CPU", "Total"];
/// Row of `LABELS`.
const CPU: usize = 4;

/// The table, from the empty line before it to its footnote.
fn text_table(statistics: &Statistics, wanted: TableOptions) -> String {
    let table = statistics.table(wanted);
    let title = if wanted.has_totals {
        "NNAPI timing summary (total time, ms wall-clock)"
    } else {
        "NNAPI timing summary (self-times, ms wall-clock)"
    };
    let text = if wanted.is_per_execution {
        let word = if statistics.has_loops() { "Benchmark" } else { "Execution" };
        per_execution(&table, title, word)
    } else {
        all_phases(&table, title)
    };
    // Numbers are made readable in the finished text, in this order.
    text.replace(" 0.00%", "     -").replace(" 0.00", "    -").replace(" nan", " n/a")
}

fn all_phases(table: &Table, title: &str) -> String {
    let bar = "=".repeat(139);
    let mut out = format!("\n{bar}\n{title}{:54}Execution\n{:59}{}\n", "", "", "-".repeat(52));
    out += &heads(&ALL_PHASES, "", "");
    for (layer, label) in rows(table) {
        out += &format!("{}{label:<19}", gap(layer));
        let mut has_star = false;
        for (place, column) in ALL_PHASES.iter().enumerate() {
            out += &cell(table, column, layer, has_star);
            has_star = layer == TOTAL || (layer == 0 && place + 1 == ALL_PHASES.len());
            out += if has_star { "*" } else { "" };
        }
        out += "\n";
    }
    out + &bar
        + "\n* This total ignores missing (n/a) values and thus is not necessarily consistent with the rest of the \
           numbers\n"
}

fn per_execution(table: &Table, title: &str, word: &str) -> String {
    let bar = "=".repeat(80);
    let mut out = format!("\n{bar}\n{title}{:23}{word}\n{:14}{}\n", "", "", "-".repeat(66));
    out += &heads(&EXECUTION, "    Percentage", "   -----------");
    for (layer, label) in rows(table) {
        out += &format!("{}{label:<14}", gap(layer));
        let mut has_star = false;
        for (place, column) in EXECUTION.iter().enumerate() {
            out += &cell(table, column, layer, has_star);
            has_star = layer == TOTAL && place + 1 < EXECUTION.len();
            out += if has_star { "*" } else { "" };
        }
        match table.percent.get(layer) {
            Some(share) => out += &format!("  {}%\n", fixed(*share, 11)),
            None => out += "          100%\n",
        }
    }
    out + &bar
        + "\n* This total ignores missing (n/a) values and thus is not necessarily consistent\n  with the rest of the \
           numbers\n"
}

/// The names of the columns and the dashes below them; what follows them in either line.
fn heads(columns: &[Column], name: &str, dashes: &str) -> String {
    let line = |text: fn(&Column) -> String| columns.iter().map(text).collect::<String>();
    let names = line(|c| format!("{:gap$}{:>width$}", "", c.name, gap = c.head.0, width = c.head.1));
    let below = line(|c| format!("{:gap$}{}", "", "-".repeat(c.head.1), gap = c.head.0));
    format!("{names}{name}\n{below}{dashes}\n")
}

/// The rows of the table. The CPU has one when it has any time.
fn rows(table: &Table) -> impl Iterator<Item = (usize, &'static str)> {
    let has_cpu = table.has_cpu;
    let shown = LABELS.iter().enumerate().filter(move |(layer, _)| *layer != CPU || has_cpu);
    shown.map(|(layer, label)| (layer, *label))
}

/// An empty line before the last row.
fn gap(layer: usize) -> &'static str {
    if layer == TOTAL { "\n" } else { "" }
}

/// A number with the blanks before it; a star takes one of them.
fn cell(table: &Table, column: &Column, layer: usize, is_after_star: bool) -> String {
    let gap = column.cell.0 - usize::from(is_after_star);
    let time = (column.line)(table).get(layer).copied().unwrap_or(f64::NAN);
    format!("{:gap$}{}", "", fixed(time, column.cell.1))
}
