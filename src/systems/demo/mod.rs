//! A system to copy from: small, complete, and compiled for tests only (the feature `demo`).
//!
//! It has one of everything that a system may bring: a reader, an analysis with parameters and a tap, figures that depend
//! on the document, an export, a request, a color scheme, a search prefix. README walks through it.

mod analysis;
mod reader;

use super::System;
use crate::analysis::timeline::search::SearchPrefix;
use crate::base::words::phrase;
use crate::draw::colors::filled;
use crate::draw::{ColorScheme, Legend};
use crate::export::{Export, ExportInput, RequestError, RequestHandler, body, whole};
use crate::findings::SILENT;
use crate::model::parameter::{Parameter, ParameterKind};
use crate::scene::palette::Ink;
use analysis::{ANALYSIS, UnitWork, Work};
use serde::Serialize;
use std::io::{Result, Write};

/// The system.
pub static SYSTEM: System = System {
    id: "demo",
    title: phrase("Demo"),
    formats: &[&reader::FORMAT],
    analyses: &[&analysis::ANALYSIS],
    exports: &[&DEMO_CSV],
    requests: &[&UNITS],
    color_schemes: &[&COLORS_UNITS],
    examples: &["trace.demo --export demo-csv --demo-weights 'vector,2;cube,1'"],
    search_prefixes: &[&BY_UNIT],
    headline: |_| Vec::new(),
    guide: &SILENT,
};

// `demo/units`: the work of one unit, or of all.

#[derive(Serialize)]
struct Body<'a> {
    units: Vec<(&'a str, f64)>,
}

/// The command; `params.unit` names a unit.
static UNITS: RequestHandler = RequestHandler {
    command: "demo/units",
    answer: |input, params| {
        let work = input.result::<Work>(&ANALYSIS).ok_or_else(|| RequestError::no_data("No work."))?;
        let wanted = params.optional(&["unit"]);
        let is_meant = |unit: &&UnitWork| wanted.is_none_or(|wanted| wanted == unit.name);
        let units: Vec<_> =
            work.iter().filter(is_meant).map(|unit| (unit.name.as_str(), unit.work)).collect();
        match wanted {
            Some(name) if units.is_empty() => {
                Err(RequestError::unknown_id("unit", name, work.iter().map(|unit| unit.name.clone())))
            }
            _ => Ok(body(&Body { units })),
        }
    },
};

// demo-csv: the work of each unit, all digits.

/// The work as CSV.
static DEMO_CSV: Export = Export {
    id: "demo-csv",
    title: phrase("Work by unit as CSV"),
    suffix: "work.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: &[&SEPARATOR],
    can: |input| input.result::<Work>(&ANALYSIS).is_some(),
    write: |_, argument| whole(write, argument),
};

fn write(input: &ExportInput, _: &str, out: &mut dyn Write) -> Result<()> {
    let separator = input.values.text(SEPARATOR.id).unwrap_or("comma");
    let sign = if separator == "tab" { '\t' } else { ',' };
    writeln!(out, "unit{sign}work{sign}bytes")?;
    for unit in input.result::<Work>(&ANALYSIS).into_iter().flatten() {
        writeln!(out, "{}{sign}{}{sign}{}", unit.name, unit.work, unit.bytes)?;
    }
    Ok(())
}

/// A choice: what stands between cells.
static SEPARATOR: Parameter = Parameter {
    id: "demo-separator",
    title: phrase("Separator"),
    help: phrase("cell separator"),
    kind: ParameterKind::Choice(&[("comma", phrase("Comma")), ("tab", phrase("Tab"))]),
    rereads: false,
};

// A color scheme and a search prefix: slices by their unit. The reader gives each slice the unit as its color name; both
// see nothing else of it.

/// The scheme. The reader sets it as what suits the trace best, and so it is offered for traces of this system only.
static COLORS_UNITS: ColorScheme = ColorScheme {
    id: "demo-unit",
    title: phrase("Unit"),
    page_title: None,
    applies: |trace| trace.coloring.best == COLORS_UNITS.id,
    paint: |_, unit| filled(Ink::Slice(KINDS[kind(unit)].1)),
    legend: Some(legend),
    of_key: None,
};

/// Units with colors of their own, then all others: names, slice colors, what the legend says.
const KINDS: [(&str, u8, &str); 3] = [
    ("vector", 1, phrase("Vector units")),
    ("cube", 4, phrase("Cube units")),
    ("", 9, phrase("Other units")),
];

/// Where the unit stands in [`KINDS`].
fn kind(unit: &str) -> usize {
    KINDS.iter().position(|(name, ..)| *name == unit).unwrap_or(KINDS.len() - 1)
}

/// The kinds that occur.
fn legend(units: &mut dyn Iterator<Item = &str>) -> Legend {
    let used: Vec<usize> = units.map(kind).collect();
    let occurs = KINDS.iter().enumerate().filter(|(at, _)| used.contains(at));
    occurs.map(|(_, &(_, color, title))| (Ink::Slice(color), title)).collect()
}

/// `unit:vector` finds the slices of a unit.
static BY_UNIT: SearchPrefix =
    SearchPrefix { prefix: "unit:", color_names: |text| vec![text.trim().to_owned()] };
