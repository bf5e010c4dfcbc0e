//! Functions of a run, and what the CPU did instead of a driver.

use super::{Of, at, chosen, place, table, time, words};
use crate::analysis::contract::AnalysisInput;
use crate::base::time::Span;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::model::figure::{Cell, Figure, TableColumn};
use crate::systems::android::nnapi::corrected::{Fallback, Function, millis};
use crate::systems::android::nnapi::mark::Marks;
use crate::systems::android::nnapi::mark::{Layer, Phase};

/// Functions with their calls, most time first.
pub(super) fn functions(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let columns = vec![
        words(phrase("Function")),
        TableColumn { is_phrase: true, ..words(phrase("Layer")) },
        TableColumn { is_phrase: true, ..words(phrase("Phase")) },
        TableColumn { name: phrase("Calls").to_owned(), ..TableColumn::default() },
        TableColumn { has_bar: true, ..time(phrase("Total")) },
        time(phrase("Self")),
        time(phrase("Mean")),
        time(phrase("Shortest")),
        time(phrase("Longest")),
        place(),
    ];
    let of = chosen(input, options);
    let row = |of: Of, f: &Function| {
        let name = of.nnapi.corrected.name(f.name);
        let start = Marks::of(of.input.trace).time.get(f.longest as usize).copied();
        let longest = start.map(|start| Span::new(start, start.saturating_add(f.max)));
        vec![
            Cell::Text(name.to_owned()),
            Cell::Text(f.layer.title().to_owned()),
            Cell::Text(f.phase.title().to_owned()),
            Cell::Number(f.n as f64),
            Cell::Number(millis(f.total)),
            Cell::Number(millis(f.own)),
            Cell::Number(f.mean() / 1e6),
            Cell::Number(millis(f.min)),
            Cell::Number(millis(f.max)),
            at(of.input, name, longest, Some(of.run.span)),
        ]
    };
    let rows = of.map_or_else(Vec::new, |of| of.run.functions.iter().map(|f| row(of, f)).collect());
    let mut figure = table(columns, rows, 3);
    figure.notes = vec![
        message("Self time is when a function was innermost on its thread, including waiting."),
        message("Open a row to show its longest call on the timeline, with all calls marked."),
    ];
    figure
}

/// What ran on the CPU, most time first.
pub(super) fn fallback(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let columns = vec![
        words(phrase("Operation")),
        TableColumn { is_phrase: true, ..words(phrase("Layer")) },
        TableColumn { is_phrase: true, ..words(phrase("Phase")) },
        TableColumn { name: phrase("Calls").to_owned(), ..TableColumn::default() },
        TableColumn { has_bar: true, ..time(phrase("Total")) },
        time(phrase("Self")),
        TableColumn {
            name: phrase("Self share of executions").to_owned(),
            unit: Unit::Percent,
            ..TableColumn::default()
        },
        words(phrase("In executions")),
        TableColumn { name: phrase("Slices").to_owned(), is_place: true, ..TableColumn::default() },
    ];
    let of = chosen(input, options);
    let row = |of: Of, f: &Fallback| {
        let all = of.run.matrix.sum(None, Phase::Execution);
        let name = of.nnapi.corrected.name(f.name);
        vec![
            Cell::Text(name.to_owned()),
            Cell::Text(f.layer.title().to_owned()),
            Cell::Text(f.phase.title().to_owned()),
            Cell::Number(f.n as f64),
            Cell::Number(millis(f.total)),
            Cell::Number(millis(f.own)),
            Cell::number((0 < all).then(|| f.own as f64 * 100.0 / all as f64)),
            Cell::Text(numbers(&f.executions, of.run.executions.start)),
            at(of.input, name, None, Some(of.run.span)),
        ]
    };
    let rows: Vec<_> = of.map_or_else(Vec::new, |of| of.run.fallback.iter().map(|f| row(of, f)).collect());
    let is_empty = rows.is_empty();
    let mut figure = table(columns, rows, 3);
    figure.notes = if is_empty {
        of.map(why_none).into_iter().collect()
    } else {
        vec![
            message("Operations computed on the CPU because no driver accepted them or a driver failed."),
            message("Rows can contain each other: only self times and their shares add up."),
            super::shares_rule(),
        ]
    };
    let n_cut = of.map_or(0, |of| of.run.matrix.n_cut);
    figure.notes.extend((!is_empty && 0 < n_cut).then(|| super::with_unfinished(n_cut)));
    figure
}

/// Why no operation of the CPU is seen: what the marks of the run allow to say.
fn why_none(of: Of) -> Message {
    if !super::has_marks(of.run, Layer::Runtime) {
        return super::no_runtime();
    }
    let executions = of.nnapi.corrected.executions_of(of.run).iter().filter(|e| !e.is_cut);
    let (n, with_driver) = executions.fold((0, 0), |(n, with), e| (n + 1, with + u64::from(0 < e.driver)));
    match with_driver {
        _ if n == 0 => message("No complete execution in this run."),
        0 => message(
            "No CPU operations and no driver executions are marked: the trace does not say what computed.",
        ),
        _ if with_driver < n => {
            let note = message(
                "No CPU operations are marked. A driver ran {n} of {all} executions; the trace does not say what computed the others.",
            );
            note.with("n", with_driver).with("all", n)
        }
        _ => message("No CPU operations in this run: a driver ran every execution."),
    }
}

/// Numbers of executions from 1, those that follow each other as ranges: `1–40, 43`.
fn numbers(rows: &[u32], first: usize) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for row in rows {
        let number = (*row as usize + 1).saturating_sub(first);
        match ranges.last_mut() {
            Some(last) if last.1 + 1 == number => last.1 = number,
            _ => ranges.push((number, number)),
        }
    }
    let text = |(a, b): &(usize, usize)| if a == b { a.to_string() } else { format!("{a}–{b}") };
    ranges.iter().map(text).collect::<Vec<_>>().join(", ")
}
