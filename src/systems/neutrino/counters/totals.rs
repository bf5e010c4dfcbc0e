//! Totals of counters: bytes that were accessed, instructions that were executed; how evenly over the blocks, and how fast.
//!
//! Bandwidth = bytes ÷ time of the probed kernel. A warp executes a matrix instruction once, but each of its 32 threads
//! counts it: operations = Σ ÷ 32, and FLOP = operations × 2·m·n·k of the shape in the instruction's name.

use crate::analysis::contract::{AnalysisInput, ComputedFigure};
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::figure::{Body, Cell, Fact, Facts, Figure, TableFigure};
use crate::systems::neutrino::folder::Folder;
use crate::systems::neutrino::kernel::{Kernels, Shape};
use crate::systems::neutrino::maps::figures::{column, figure};
use crate::systems::neutrino::maps::sums::{MapSums, Stat};
use crate::systems::neutrino::maps::{file, head, of_id};
use crate::systems::neutrino::result::{Field, Role};

const TOTALS: &str = "neutrino-totals-";
const RATES: &str = "neutrino-rates-";

/// The fields that are amounts, with their numbers.
pub(super) fn amounts(fields: &[Field]) -> impl Iterator<Item = (usize, &Field)> {
    fields.iter().enumerate().filter(|(_, field)| matches!(field.role, Role::Bytes | Role::Count))
}

pub(super) fn list(sums: &MapSums) -> Vec<ComputedFigure> {
    let totals = (TOTALS, phrase("Totals"), "table");
    let rates = (RATES, phrase("Rates"), "facts");
    vec![
        ComputedFigure { head: head(totals, sums, 2, Vec::new()), compute: totals_of },
        ComputedFigure { head: head(rates, sums, 1, Vec::new()), compute: rates_of },
    ]
}

/// Sums of some fields together: of all, and the greatest of a block.
fn together(sums: &MapSums, fields: &[usize]) -> (f64, f64) {
    let sum = |stats: &[Stat]| -> f64 {
        fields.iter().filter_map(|at| stats.get(*at)).map(|stat| stat.sum as f64).sum()
    };
    let of_blocks = sums.blocks.chunks(sums.fields.len().max(1)).map(sum);
    (sum(&sums.fields), of_blocks.fold(0.0, f64::max) / sums.group as f64)
}

fn totals_of(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let Some((sums, file)) = of_id(input, id, TOTALS).zip(file(input)) else {
        return Figure::new("", Body::Table(TableFigure::default()));
    };
    let fields = &sums.section.map.fields;
    let bytes: Vec<usize> =
        amounts(fields).filter(|(_, field)| field.role == Role::Bytes).map(|(at, _)| at).collect();
    let all_bytes = together(sums, &bytes).0;
    let row = |name: String, of: &[usize]| {
        let (total, largest) = together(sums, of);
        let mean = total / file.blocks().max(1) as f64;
        let is_bytes = of.iter().all(|at| bytes.contains(at));
        vec![
            Cell::Text(name),
            Cell::Number(total),
            Cell::number((is_bytes && 0.0 < all_bytes).then(|| total / all_bytes)),
            Cell::Number(mean),
            Cell::Number(largest),
            Cell::number((0.0 < mean).then(|| largest / mean)),
        ]
    };
    let mut rows: Vec<_> = amounts(fields).map(|(at, field)| row(field.name.clone(), &[at])).collect();
    if 1 < bytes.len() {
        rows.push(row(phrase("All bytes").to_owned(), &bytes));
    }
    let is_bytes = amounts(fields).all(|(_, field)| field.role == Role::Bytes);
    let unit = if is_bytes { Unit::Bytes } else { Unit::None };
    let columns = vec![
        column(phrase("Counter"), Unit::None, false),
        column(phrase("Total"), unit.clone(), true),
        column(phrase("Share"), Unit::Share, false),
        column(phrase("Mean per block"), unit.clone(), false),
        column(phrase("Largest block"), unit, false),
        column(phrase("Largest ÷ mean"), Unit::Other("×".to_owned()), false),
    ];
    let table = TableFigure { columns, rows, key_columns: 1, ..TableFigure::default() };
    let mut figure = figure(sums, Body::Table(table));
    if 1 < sums.group {
        figure.notes.push(message("Each value is of {n} adjacent blocks.").with("n", sums.group));
    }
    figure
}

fn rates_of(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let Some(sums) = of_id(input, id, RATES) else {
        return Figure::new("", Body::Facts(Facts::default()));
    };
    let folder = input.trace.extensions.get::<Folder>();
    let launch = folder.and_then(Folder::launch);
    let seconds = launch.and_then(|launch| launch.kernel_ms).filter(|ms| 0.0 < *ms).map(|ms| ms / 1e3);
    let mut facts = Vec::new();
    let mut fact = |name: &str, value: Option<f64>, unit: Unit| {
        facts.push(Fact { name: name.to_owned(), value: Cell::number(value), unit });
    };
    fact(phrase("Time of the probed kernel"), seconds.map(|s| s * 1e9), Unit::Nanos);
    let of_role = |role: Role| amounts(&sums.section.map.fields).filter(move |(_, field)| field.role == role);
    let bytes: Vec<usize> = of_role(Role::Bytes).map(|(at, _)| at).collect();
    if !bytes.is_empty() {
        let total = together(sums, &bytes).0;
        fact(phrase("Bandwidth"), seconds.map(|seconds| total / seconds), Unit::BytesPerSec);
    }
    let mut notes = Vec::new();
    let kernel = launch.and_then(|launch| launch.kernel);
    let kernels = input.trace.extensions.get::<Kernels>();
    let shapes: &[Shape] = kernels.zip(kernel).map_or(&[], |(kernels, kernel)| kernels.shapes(kernel));
    let counts: Vec<usize> = of_role(Role::Count).map(|(at, _)| at).collect();
    if let ([at], false) = (&counts[..], shapes.is_empty()) {
        let per_warp = if sums.section.map.is_warp { 1.0 } else { 32.0 };
        let operations = together(sums, &[*at]).0 / per_warp;
        fact(phrase("Matrix instructions"), Some(operations), Unit::None);
        if let [shape] = shapes {
            let flop = operations * shape.flop() as f64;
            fact(phrase("FLOP per instruction"), Some(shape.flop() as f64), Unit::None);
            fact(phrase("FLOP"), Some(flop), Unit::None);
            fact(phrase("Compute"), seconds.map(|s| flop / s / 1e12), Unit::Other("TFLOP/s".to_owned()));
        } else {
            let names: Vec<String> = shapes.iter().map(Shape::to_string).collect();
            let note =
                message("The kernel has matrix instructions of several shapes ({shapes}): FLOP is unknown.");
            notes.push(note.with("shapes", names.join(", ")));
        }
    }
    let mut figure = figure(sums, Body::Facts(Facts { facts }));
    figure.notes.extend(notes);
    if seconds.is_none() {
        figure.notes.push(message("event.log has no time for this kernel."));
    } else {
        figure.notes.push(message("Probes slow the kernel down, so rates without them are higher."));
    }
    figure
}
