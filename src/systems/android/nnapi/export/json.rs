//! The object of one run.

use super::python::{json_number, quoted};
use super::{Statistics, TableOptions};
use crate::base::order::sort_by;
use crate::systems::android::nnapi::aosp::{AppPhase, Line, OF_LOOPS, PHASES, TOTAL, Times};
use crate::systems::android::nnapi::mark::Layer;

/// A value; members are sorted when they are written.
enum Value {
    Number(f64),
    ExportInput(u32),
    Text(String),
    Object(Vec<(String, Value)>),
}

/// The object of a run, two blanks a level, missing numbers as `NaN`.
pub(super) fn object(statistics: &Statistics, wanted: TableOptions, starting_mark: &str) -> String {
    let chosen = statistics.chosen(wanted);
    let (totals, own) =
        if wanted.has_totals { (&chosen, &statistics.self_times) } else { (&statistics.times, &chosen) };
    let counts = AppPhase::ALL.iter().zip(statistics.n_executions);
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
        PHASES.iter().zip(&times.flat).map(|(phase, l)| (phase.code().to_owned(), line(l))).collect();
    for (app_phase, lines) in AppPhase::ALL[1..].iter().zip(times.loops.iter().flatten()) {
        let of_loop = OF_LOOPS.iter().zip(lines).map(|(phase, l)| (phase.code().to_owned(), line(l)));
        members.push((app_phase.code().to_owned(), Value::Object(of_loop.collect())));
    }
    Value::Object(members)
}

fn line(values: &Line) -> Value {
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
        members.extend(lines.iter().map(|(phase, line)| member(layer, phase, line[layer])));
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
