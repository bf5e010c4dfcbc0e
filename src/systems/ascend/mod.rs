//! Ascend operators: profiles of msprof op and the simulator, figures of kernels, requests of the design document.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub(crate) mod claims;
pub mod guide;
pub mod kernel;
pub mod reader;
pub mod requests;
pub mod rules;

use super::System;
use crate::analysis::compare::headline::{Quantity, of_facts};
use crate::base::map::Set;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::draw::ColorScheme;
use crate::draw::colors::filled;
use crate::export::ExportInput;
use crate::format::Format;
use crate::model::Trace;
use crate::model::figure::{Body, Cell, TableColumn};
use crate::scene::palette::Ink;
use kernel::sums::{PipeSum, Sums};
use reader::UnitParts;

/// Its formats where it is not loaded.
pub(super) static RECOGNIZED: &[Format] = &[reader::FORMAT.recognized()];

/// The system.
pub static SYSTEM: System = System {
    id: "ascend",
    title: phrase("Ascend operators"),
    formats: &[&reader::FORMAT],
    analyses: &[&kernel::ANALYSIS],
    exports: &[],
    requests: requests::REQUESTS,
    color_schemes: &[&MINDSTUDIO],
    examples: &["visualize_data.bin --svg details --colors mindstudio --out details.svg"],
    search_prefixes: &[],
    headline,
    guide: &rules::GUIDE,
};

/// Pipes that move data, and what the bytes of each of their instructions are called.
const MOVES: [(&str, &str); 2] =
    [("MTE2", phrase("Bytes per MTE2 instruction")), ("MTE3", phrase("Bytes per MTE3 instruction"))];

/// The same of each kind of core, where both move: what they move is of different sizes.
pub(crate) const MOVES_OF: [(&str, &str, &str); 4] = [
    ("MTE2", "cube", phrase("Bytes per MTE2 instruction of cube cores")),
    ("MTE2", "vector", phrase("Bytes per MTE2 instruction of vector cores")),
    ("MTE3", "cube", phrase("Bytes per MTE3 instruction of cube cores")),
    ("MTE3", "vector", phrase("Bytes per MTE3 instruction of vector cores")),
];

/// The duration, why it is what it is, and how much each move brings.
fn headline(input: &ExportInput) -> Vec<Quantity> {
    let cycles = pipe_cycles(input.trace);
    let moved = moved(input, &cycles);
    let whole = match of_facts(input.trace) {
        Some(mut of) => {
            let is_said = |name: &str, of: &Quantity| of.setup.iter().any(|(own, _)| own == name);
            let more: Vec<_> =
                rules::set_up(input.trace).into_iter().filter(|(name, _)| !is_said(name, &of)).collect();
            of.setup.extend(more);
            Some(of)
        }
        None => rules::of_cores(input.trace, input.of(&kernel::ANALYSIS).result::<Sums>()),
    };
    whole.into_iter().chain(cycles).chain(moved).collect()
}

/// Bytes of each move of the pipes that move, of all blocks, the pipe first that takes most of the time.
fn moved(input: &ExportInput, cycles: &[Quantity]) -> Vec<Quantity> {
    let sums = input.of(&kernel::ANALYSIS).result::<Sums>();
    let mut found = input.trace.figures.iter().filter(|family| family.id == "traffic");
    let figure = found.next().filter(|_| found.next().is_none()).and_then(|family| family.variants.first());
    let of_files = |name: &str| match figure.map(|figure| &figure.body) {
        Some(Body::Facts(facts)) => facts.facts.iter().find(|fact| fact.name == name)?.value.as_number(),
        _ => None,
    };
    let of_code = |pipe: &str| sums?.code.moved_by(pipe);
    let name_of = |sum: &PipeSum| input.trace.strings.get(input.trace.tracks.get(sum.track).name);
    let is_of = |own: &Quantity, kind: &str| kind.is_empty() || own.of == *kind;
    let own = |pipe: &str, kind: &str| {
        cycles.iter().filter(|own| own.name == pipe && is_of(own, kind)).map(|own| own.value).sum()
    };
    let active = |pipe: &str, kind: &str| match own(pipe, kind) {
        0.0 => {
            let own = sums.map_or(&[][..], |sums| &sums.pipes).iter().filter(|sum| name_of(sum) == pipe);
            own.map(|sum| sum.busy as f64).sum::<f64>()
        }
        cycles => cycles,
    };
    let units = input.trace.extensions.get::<UnitParts>();
    let is_of_kinds = |pipe: &str| MOVES_OF.iter().any(|own| own.0 == pipe && of_files(own.2).is_some());
    let part = |(pipe, kind, name): (&str, &str, &str)| {
        let of_code = || of_code(pipe).filter(|_| kind.is_empty() && !is_of_kinds(pipe));
        let bytes = of_files(name).or_else(of_code)?;
        let part = Quantity::new(name, (bytes, Unit::Bytes), &pipe, Message::default());
        let units = units.filter(|_| of_files(name).is_some()).map(|units| units.moved(kind, pipe));
        Some((active(pipe, kind), Quantity { is_part: true, units: units.unwrap_or_default(), ..part }))
    };
    let all = MOVES.into_iter().map(|(pipe, name)| (pipe, "", name)).chain(MOVES_OF);
    let mut all: Vec<(f64, Quantity)> = all.filter_map(part).collect();
    order::sort_by(&mut all, |a, b| b.0.total_cmp(&a.0));
    all.into_iter().map(|(_, part)| part).collect()
}

/// The cycles in which each pipe of each kind of core was active, of all blocks: why an operator takes as long as it does.
fn pipe_cycles(trace: &Trace) -> Vec<Quantity> {
    let mut found = trace.figures.iter().filter(|family| family.id == reader::PIPES);
    let figure = found.next().filter(|_| found.next().is_none()).and_then(|family| family.variants.first());
    let Some(Body::Table(table)) = figure.map(|figure| &figure.body) else { return Vec::new() };
    let at = |is: &dyn Fn(&TableColumn) -> bool| table.columns.iter().position(is);
    let (cycles, at_most) = (at(&|c| c.unit == Unit::Cycles), at(&|c| c.name == reader::AT_MOST));
    let units = trace.extensions.get::<UnitParts>();
    let part = |row: &Vec<Cell>| match (row.first()?, row.get(1)?, row.get(cycles?)?.as_number()?) {
        (Cell::Text(kind), Cell::Text(pipe), cycles) => {
            // An average over all blocks, which has no block with the most, is no sum of them.
            let key = (kind, row.get(at_most?) == Some(&Cell::Missing));
            let part = Quantity::new(pipe, (cycles, Unit::Cycles), &key, kind.clone().into());
            let units = units.map(|units| units.of_pipe(reader::PIPES, kind, pipe)).unwrap_or_default();
            Some(Quantity { is_part: true, units, ..part })
        }
        _ => None,
    };
    table.rows.iter().filter_map(part).collect()
}

// The colors of MindStudio Insight, for who knows its pictures: slices, counters and flows by the sum of the characters of
// their color names or names; cores by level and memory charts by the tokens of `[data-colors="mindstudio"]`.

/// The scheme.
static MINDSTUDIO: ColorScheme = ColorScheme {
    id: "mindstudio",
    title: phrase("MindStudio"),
    page_title: Some(phrase("MindStudio colors")),
    applies: |trace| trace.coloring.has_color_names,
    paint: |name, color| filled(ink(if color.is_empty() { name } else { color })),
    legend: None,
    of_key: Some(ink),
};

/// Its palette, in its order.
pub const INKS: [Ink; 12] = [
    Ink::Token("ms-0"),
    Ink::Token("ms-1"),
    Ink::Token("ms-2"),
    Ink::Token("ms-3"),
    Ink::Token("ms-4"),
    Ink::Token("ms-5"),
    Ink::Token("ms-6"),
    Ink::Token("ms-7"),
    Ink::Token("ms-8"),
    Ink::Token("ms-9"),
    Ink::Token("ms-10"),
    Ink::Token("ms-11"),
];

/// The color of a color name: 31 × the sum of its characters, modulo 12.
pub fn ink(key: &str) -> Ink {
    let sum = key.encode_utf16().map(|unit| 31 * usize::from(unit)).sum::<usize>();
    let [first, ..] = INKS;
    INKS.get(sum % INKS.len()).copied().unwrap_or(first)
}

/// Share of time or cycles from which a pipe bounds its cores, in percent; below it the writer calls an operator latency
/// bound.
const BOUND: f64 = 80.0;

/// Part of the time of the longest from which something counts as lasting as long.
const AS_LONG: f64 = 0.9;

/// How far the sum of all shares of each core may be from the whole where pipes seem to take turns, in percent.
const TURNS: f64 = 5.0;
/// The same of the sums of the least and of the most shares, which are of different cores.
const SPREAD: f64 = 3.0 * TURNS;

/// How many an operator has, as its file states it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Whole {
    pub(crate) blocks: Option<f64>,
    /// Cores of the chip that take blocks.
    pub(crate) cores: Option<f64>,
    /// Vector units of all blocks, of an operator with both kinds of cores.
    pub(crate) vectors: Option<f64>,
}

/// Of how many blocks, or where all are there of how many vector units, a file has times, where these are not all: a
/// sentence without its end. One of the others may have taken longest, so that no maximum, mean or rest holds. `names` are
/// those of the blocks with times, `n_vectors` counts the vector units with times.
pub(crate) fn timed<'a>(
    names: impl Iterator<Item = &'a str>,
    n_vectors: usize,
    whole: Whole,
) -> Option<Message> {
    let names: Set<&str> = names.collect();
    if let Some((n, m)) = known_blocks(names.iter().copied(), whole.blocks, whole.cores) {
        return Some(message("times of {n} of {m} blocks").with("n", n).with("m", m));
    }
    let has_blocks = whole.blocks.is_some_and(|all| all <= names.len() as f64);
    let is_short = |of: &f64| has_blocks && 0 < n_vectors && (n_vectors as f64) < *of;
    let m = whole.vectors.filter(is_short)?;
    Some(message("times of {n} of {m} vector units").with("n", n_vectors).with("m", m))
}

/// How many of its blocks a file tells of, where these are not all: the names of those it tells of, how many there are, and
/// how many cores the chip has for them. `None` where it tells of all, or where its rows may be cores that took several
/// blocks each: then they are numbered without gaps, and there are more blocks than cores.
pub(crate) fn known_blocks<'a>(
    names: impl Iterator<Item = &'a str>,
    n_blocks: Option<f64>,
    n_cores: Option<f64>,
) -> Option<(usize, usize)> {
    let names: Set<&str> = names.collect();
    let of = n_blocks.filter(|of| (names.len() as f64) < *of && *of < 1e6)?;
    let highest = names.iter().filter_map(|name| name.parse::<usize>().ok()).max()?;
    let has_gaps = names.len() <= highest;
    // A whole number that is not negative.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    (has_gaps || n_cores.is_some_and(|cores| of <= cores)).then_some((names.len(), of as usize))
}
