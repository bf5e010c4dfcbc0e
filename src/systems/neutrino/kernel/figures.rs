//! What probes watch of a kernel, what they added to it, and what the assembler made of both.

use super::{Coverage, KernelCode, Kernels};
use crate::analysis::contract::{Analysis, AnalysisInput, ComputedFigure};
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::figure::{Choice, Figure, TableOf};
use crate::systems::neutrino::folder::{Assembled, Folder, Kernel};

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
    let of = |id, title| (id, phrase("Kernels"), title);
    let mut all = Vec::new();
    if codes.iter().any(|code| !code.coverage.is_empty()) {
        let of = of("neutrino-tracepoints", phrase("Probed instructions"));
        all.push(ComputedFigure::new(of, ("table", 2), tracepoints).choosing(choices()));
    }
    if codes.iter().any(|code| code.is_probed) {
        let of = of("neutrino-insertions", phrase("Inserted lines"));
        all.push(ComputedFigure::new(of, ("table", 1), insertions).choosing(choices()));
    }
    if folder.kernels.iter().any(|kernel| !kernel.assembled.is_empty()) {
        let of = of("neutrino-assembler", phrase("Assembler"));
        all.push(ComputedFigure::new(of, ("table", 2), assembler));
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

/// The kernel that a figure is about.
fn scope(found: Option<(&Folder, &KernelCode)>) -> String {
    found.map_or_else(String::new, |(folder, code)| name(folder, code))
}

fn tracepoints(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let found = chosen(input, options);
    let probe = |coverage: &Coverage| found.and_then(|(folder, _)| folder.probes.get(coverage.probe));
    let positions = |coverage: &Coverage| probe(coverage).map_or(String::new(), |of| of.positions.join(", "));
    let missed = |coverage: &Coverage| {
        let missed = coverage.missed.iter().take(MISSED).map(|(line, opcode)| format!("{line} {opcode}"));
        let more = coverage.missed.len().saturating_sub(MISSED);
        let more = (0 < more).then(|| format!("+ {more}"));
        missed.chain(more).collect::<Vec<_>>().join("; ")
    };
    let share = |of: &Coverage| (0 < of.all).then(|| of.probed as f64 / of.all as f64);
    let mut figure = TableOf::new(found.map_or(&[][..], |(_, code)| &code.coverage))
        .column(phrase("Probe"), Unit::None, |of| probe(of).map_or("", |probe| &probe.name))
        .column(phrase("Positions"), Unit::None, positions)
        .column(phrase("Probed"), Unit::None, |of| of.probed as u64)
        .column(phrase("Instructions of this kind"), Unit::None, |of| of.all as u64)
        .column(phrase("Share"), Unit::Share, share)
        .column(phrase("Not probed (line of pruned.ptx)"), Unit::None, missed)
        .figure();
    figure.scope = scope(found);
    figure.notes.push(message("Positions are parts of instruction text: other forms of an instruction, and functions called by the kernel, are not probed."));
    if found.is_some_and(|(_, code)| !code.is_probed) {
        figure.notes.push(message("No probed.ptx: these instructions match the positions."));
    }
    figure
}

fn insertions(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let found = chosen(input, options);
    let name = |probe: Option<usize>| Some(found?.0.probes.get(probe?)?.name.as_str());
    let mut figure = TableOf::new(found.map_or(&[][..], |(_, code)| &code.inserted))
        .keys(2)
        .column(phrase("Probe"), Unit::None, |(probe, ..)| name(*probe))
        .words(phrase("Inserted for"), |(_, kind, _)| *kind)
        .bars(phrase("Lines"), Unit::None, |(.., n)| *n)
        .figure();
    figure.scope = scope(found);
    figure
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
    let mut rows: Vec<(String, &str, [Option<f64>; 5])> = Vec::new();
    for kernel in folder.map_or(&[][..], |folder| &folder.kernels) {
        let form = |name: &str| kernel.assembled.iter().find(|form| form.form == name);
        for assembled in kernel.assembled.iter().filter(|form| form.registers.is_some()) {
            rows.push((label(kernel), &assembled.form, values(assembled)));
        }
        if let Some((before, after)) = form("pruned").zip(form("probed")) {
            let (before, after) = (values(before), values(after));
            let difference = |at: usize| Some(after.get(at).copied()?? - before.get(at).copied()??);
            rows.push((label(kernel), "probed − pruned", std::array::from_fn(difference)));
        }
    }
    TableOf::new(&rows)
        .keys(2)
        .column(phrase("Kernel"), Unit::None, |(kernel, ..)| kernel)
        .column(phrase("Form"), Unit::None, |(_, form, _)| *form)
        .column(phrase("Registers"), Unit::None, |(.., [registers, ..])| *registers)
        .column(phrase("Constant memory"), Unit::Bytes, |(.., [_, constant, ..])| *constant)
        .column(phrase("Stack frame"), Unit::Bytes, |(.., [_, _, stack, ..])| *stack)
        .column(phrase("Spill stores"), Unit::Bytes, |(.., [.., stores, _])| *stores)
        .column(phrase("Spill loads"), Unit::Bytes, |(.., [.., loads])| *loads)
        .figure()
}
