//! The table of one run.

use super::python::fixed;
use super::{Statistics, TableOptions};
use crate::systems::android::nnapi::aosp::{Line, TOTAL, Table};

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
pub(super) fn table(statistics: &Statistics, wanted: TableOptions) -> String {
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
    format!("{:gap$}{}", "", fixed((column.line)(table)[layer], column.cell.1))
}
