//! Ascend operators: profiles of msprof op and the simulator, figures of kernels, requests of the design document.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod guide;
pub mod kernel;
pub mod reader;
pub mod requests;
pub mod rules;

use super::System;
use crate::analysis::compare::headline::{Quantity, of_facts};
use crate::base::number;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::draw::ColorScheme;
use crate::draw::colors::filled;
use crate::format::Format;
use crate::model::Trace;
use crate::model::figure::{Advice, Body, Cell, TableColumn};
use crate::scene::palette::Ink;

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
    headline: |input| of_facts(input.trace).into_iter().chain(pipe_cycles(input.trace)).collect(),
    guide: &rules::GUIDE,
};

/// The cycles in which each pipe of each kind of core was active, of all blocks: why an operator takes as long as it does.
fn pipe_cycles(trace: &Trace) -> Vec<Quantity> {
    let mut found = trace.figures.iter().filter(|family| family.id == reader::PIPES);
    let figure = found.next().filter(|_| found.next().is_none()).and_then(|family| family.variants.first());
    let Some(Body::Table(table)) = figure.map(|figure| &figure.body) else { return Vec::new() };
    let at = |is: &dyn Fn(&TableColumn) -> bool| table.columns.iter().position(is);
    let (cycles, at_most) = (at(&|c| c.unit == Unit::Cycles), at(&|c| c.name == reader::AT_MOST));
    let part = |row: &Vec<Cell>| match (row.first()?, row.get(1)?, row.get(cycles?)?.as_number()?) {
        (Cell::Text(kind), Cell::Text(pipe), cycles) => {
            // An average over all blocks, which has no block with the most, is no sum of them.
            let key = (kind, row.get(at_most?) == Some(&Cell::Missing));
            let part = Quantity::new(pipe, (cycles, Unit::Cycles), &key, kind.clone().into());
            Some(Quantity { is_part: true, ..part })
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

// Sentences on what bounds cores of a kind: the threshold and the parts that those of slices and those of cycles share.

/// Share of time or cycles from which a pipe bounds its cores, in percent; below it the writer calls an operator latency
/// bound.
const BOUND: f64 = 80.0;

/// How far the sum of all shares of each core may be from the whole where pipes seem to take turns, in percent.
const TURNS: f64 = 5.0;
/// The share from which waiting is told, in percent.
const WAITS: f64 = 20.0;

/// The share of the core where it is least, and where it is most; nothing where both read the same.
fn each_core(least: String, most: String) -> Message {
    if least == most {
        return Message::default();
    }
    message(" ({least} to {most} % by core)").with("least", least).with("most", most)
}

/// The pipe that bounds single cores, where it is not the busiest of all, and in how much of the one where it is most.
fn single_core(pipe: &str, most: String) -> Message {
    message("; {pipe} is the bottleneck of single cores at up to {n} %").with("pipe", pipe).with("n", most)
}

/// Where no pipe bounds the cores, what their shares allow: whether the pipes seem to take turns or in how much at least
/// none works, and the pipe that waits most, where that was recorded and is much. `each` is what the shares of no core add
/// up to less than, and to more than; `None` where times tell which pipes work at once.
fn unbound<'a>(
    text: Message,
    active: f64,
    each: Option<[f64; 2]>,
    waiting: impl Iterator<Item = (&'a str, f64)>,
) -> Message {
    let rest = 100.0 - active;
    let is_whole = |[least, most]: [f64; 2]| 100.0 - TURNS <= least && most <= 100.0 + TURNS;
    let turns = if each.is_some_and(is_whole) {
        message(" All pipes add up to {n} %, as if they took turns.").with("n", number::fixed(active, 1))
    } else if TURNS < rest {
        // It is the least, so it is rounded down.
        let least = (rest * 10.0).floor() / 10.0;
        message(" No recorded pipe is active in at least {n} %.").with("n", number::fixed(least, 1))
    } else {
        Message::default()
    };
    let most = waiting.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, share)| WAITS <= *share);
    let waits = most.map_or_else(Message::default, |(pipe, share)| {
        message(" {pipe} waits in {n} %.").with("pipe", pipe).with("n", number::fixed(share, 1))
    });
    text.with_message("turns", turns).with_message("waits", waits)
}

/// The first of these pipes, and those behind it that read the same share; how many they are.
fn tied(pipes: &[(&str, String)]) -> (Message, usize) {
    let share = pipes.first().map_or("", |(_, share)| share);
    let is_tied = |(_, own): &&(&str, String)| own == share && share != "0.0";
    let n = pipes.iter().take_while(is_tied).count().max(1);
    let names = pipes.iter().take(n).map(|(name, _)| Message::from((*name).to_owned()));
    let both = |a, b| message("{a} and {b}").with_message("a", a).with_message("b", b);
    (names.reduce(both).unwrap_or_default(), n)
}

/// The sentence on the two busiest pipes as advice; behind it what the pipe that computes did, where it is neither: its
/// name and its share.
fn advice_of(text: Message, computing: Option<(&str, String)>) -> Advice {
    Advice::bound(match computing {
        Some((pipe, share)) => {
            let both = message("{bound} {pipe} is active in {n} %.").with_message("bound", text);
            both.with("pipe", pipe).with("n", share)
        }
        None => text,
    })
}
