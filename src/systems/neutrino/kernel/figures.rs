//! What probes watch of a kernel, what they added to it, and what the assembler made of both.

use super::{Coverage, KernelCode, Kernels};
use crate::analysis::contract::{Analysis, AnalysisInput, ComputedFigure, FigureHead};
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::figure::{Body, Cell, Choice, Figure, TableColumn, TableFigure};
use crate::systems::neutrino::folder::{Assembled, Folder, Kernel};
use crate::systems::neutrino::maps::figures::column;

/// The analysis: its figures need nothing but the texts.
pub(crate) static ANALYSIS: Analysis = Analysis {
    id: "neutrino-kernels",
    title: phrase("Kernels"),
    parameters: &[],
    applies: |trace| trace.extensions.get::<Folder>().is_some_and(|folder| !folder.kernels.is_empty()),
    tap: None,
    start: None,
    add_tracks: None,
    faults: None,
    figures: list,
    advice: None,
    is_comparable: true,
};

/// Missed instructions that are named.
const MISSED: usize = 12;

fn list(input: &AnalysisInput) -> Vec<ComputedFigure> {
    let Some(folder) = input.trace.extensions.get::<Folder>() else { return Vec::new() };
    let codes = codes(input);
    let names: Vec<String> = codes.iter().map(|code| name(folder, code)).collect();
    let choices = || {
        let choice = Choice { name: phrase("Kernel").to_owned(), options: names.clone() };
        if names.len() < 2 { Vec::new() } else { vec![choice] }
    };
    let head = |id: &str, title: &str, columns, choices| FigureHead {
        id: id.to_owned(),
        title: title.to_owned(),
        kind: "table",
        section: phrase("Kernels"),
        columns,
        choices,
    };
    let mut all = Vec::new();
    if codes.iter().any(|code| !code.coverage.is_empty()) {
        let head = head("neutrino-tracepoints", phrase("Probed instructions"), 2, choices());
        all.push(ComputedFigure { head, compute: tracepoints });
    }
    if codes.iter().any(|code| code.is_probed) {
        let head = head("neutrino-insertions", phrase("Inserted lines"), 1, choices());
        all.push(ComputedFigure { head, compute: insertions });
    }
    if folder.kernels.iter().any(|kernel| !kernel.assembled.is_empty()) {
        let head = head("neutrino-assembler", phrase("Assembler"), 2, Vec::new());
        all.push(ComputedFigure { head, compute: assembler });
    }
    all
}

fn codes<'a>(input: &AnalysisInput<'a>) -> &'a [KernelCode] {
    input.trace.extensions.get::<Kernels>().map_or(&[], |kernels| &kernels.0)
}

fn name(folder: &Folder, code: &KernelCode) -> String {
    folder.kernels.get(code.kernel).map_or_else(String::new, label)
}

/// What a kernel is called.
fn label(kernel: &Kernel) -> String {
    if kernel.name.is_empty() { kernel.folder.clone() } else { kernel.name.clone() }
}

fn chosen<'a>(input: &AnalysisInput<'a>, chosen: &[usize]) -> Option<(&'a Folder, &'a KernelCode)> {
    let folder = input.trace.extensions.get::<Folder>()?;
    Some((folder, codes(input).get(chosen.first().copied().unwrap_or(0))?))
}

fn table(columns: Vec<TableColumn>, rows: Vec<Vec<Cell>>, key_columns: usize, scope: String) -> Figure {
    let table = TableFigure { columns, rows, key_columns, ..TableFigure::default() };
    Figure { scope, ..Figure::new("", Body::Table(table)) }
}

fn tracepoints(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let found = chosen(input, options);
    let row = |(folder, coverage): (&Folder, &Coverage)| {
        let probe = folder.probes.get(coverage.probe).cloned().unwrap_or_default();
        let missed = coverage.missed.iter().take(MISSED).map(|(line, opcode)| format!("{line} {opcode}"));
        let more = coverage.missed.len().saturating_sub(MISSED);
        let more = (0 < more).then(|| format!("+ {more}"));
        let missed: Vec<String> = missed.chain(more).collect();
        vec![
            Cell::Text(probe.name),
            Cell::Text(probe.positions.join(", ")),
            Cell::Integer(coverage.probed as u64),
            Cell::Integer(coverage.all as u64),
            Cell::number((0 < coverage.all).then(|| coverage.probed as f64 / coverage.all as f64)),
            Cell::Text(missed.join("; ")),
        ]
    };
    let columns = vec![
        column(phrase("Probe"), Unit::None, false),
        column(phrase("Positions"), Unit::None, false),
        column(phrase("Probed"), Unit::None, false),
        column(phrase("Instructions of this kind"), Unit::None, false),
        column(phrase("Share"), Unit::Share, false),
        column(phrase("Not probed (line of pruned.ptx)"), Unit::None, false),
    ];
    let rows = found.map_or_else(Vec::new, |(folder, code)| {
        code.coverage.iter().map(|coverage| row((folder, coverage))).collect()
    });
    let mut figure =
        table(columns, rows, 1, found.map_or_else(String::new, |(folder, code)| name(folder, code)));
    figure.notes.push(message("Positions are parts of instruction text: other forms of an instruction, and functions that the kernel calls, are not probed."));
    if found.is_some_and(|(_, code)| !code.is_probed) {
        figure.notes.push(message("No probed.ptx: these are the instructions that the positions match."));
    }
    figure
}

fn insertions(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let found = chosen(input, options);
    let row = |folder: &Folder, (probe, kind, n): &(Option<usize>, &str, u64)| {
        let probe = probe.and_then(|probe| folder.probes.get(probe));
        let name = probe.map_or(Cell::Missing, |probe| Cell::Text(probe.name.clone()));
        vec![name, Cell::Text((*kind).to_owned()), Cell::Integer(*n)]
    };
    let columns = vec![
        column(phrase("Probe"), Unit::None, false),
        TableColumn { is_phrase: true, ..column(phrase("Inserted for"), Unit::None, false) },
        column(phrase("Lines"), Unit::None, true),
    ];
    let rows = found.map_or_else(Vec::new, |(folder, code)| {
        code.inserted.iter().map(|counted| row(folder, counted)).collect()
    });
    table(columns, rows, 2, found.map_or_else(String::new, |(folder, code)| name(folder, code)))
}

/// One row for each form of each kernel, and one for what probes added.
fn assembler(input: &AnalysisInput, _: &str, _: &[usize]) -> Figure {
    let folder = input.trace.extensions.get::<Folder>();
    let values = |form: &Assembled| {
        let whole = |value: Option<u64>| value.map(|value| value as f64);
        [
            form.registers.map(f64::from),
            whole(form.constant_bytes),
            whole(form.stack_bytes),
            whole(form.spill_bytes.map(|(stores, _)| stores)),
            whole(form.spill_bytes.map(|(_, loads)| loads)),
        ]
    };
    let mut rows = Vec::new();
    for kernel in folder.map_or(&[][..], |folder| &folder.kernels) {
        let mut row = |form: &str, values: [Option<f64>; 5]| {
            let names = [Cell::Text(label(kernel)), Cell::Text(form.to_owned())];
            rows.push(names.into_iter().chain(values.map(Cell::number)).collect());
        };
        let form = |name: &str| kernel.assembled.iter().find(|form| form.form == name);
        for assembled in kernel.assembled.iter().filter(|form| form.registers.is_some()) {
            row(&assembled.form, values(assembled));
        }
        if let Some((before, after)) = form("pruned").zip(form("probed")) {
            let (before, after) = (values(before), values(after));
            let difference = |at: usize| Some(after.get(at).copied()?? - before.get(at).copied()??);
            row("probed − pruned", std::array::from_fn(difference));
        }
    }
    let columns = vec![
        column(phrase("Kernel"), Unit::None, false),
        column(phrase("Form"), Unit::None, false),
        column(phrase("Registers"), Unit::None, false),
        column(phrase("Constant memory"), Unit::Bytes, false),
        column(phrase("Stack frame"), Unit::Bytes, false),
        column(phrase("Spill stores"), Unit::Bytes, false),
        column(phrase("Spill loads"), Unit::Bytes, false),
    ];
    table(columns, rows, 2, String::new())
}
