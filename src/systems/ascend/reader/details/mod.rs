//! Blocks that become figures: 0x05 base info, 0x06 and 0x07 compute workload, 0x08 and 0x09 memory, 0x0C core occupancy,
//! 0x0B and 0x0E cache lines, 0x0D rooflines, 0x0F stall reasons.
//!
//! Each block is one JSON value, held as a tree only while it is turned into figures.

mod base_info;
pub(super) mod brief;
mod cache;
pub mod groups;
mod imbalance;
mod load;
mod load_blocks;
mod memory;
mod occupancy;
mod pipes;
mod roofline;
mod stall;
mod timing;
mod written;

pub(super) use base_info::{LONGEST, OVERHEAD, base_info, block_times};
pub(in crate::systems::ascend) use base_info::{heads_of, op_type};
pub(super) use cache::{CacheRecords, cache_lines};
pub(in crate::systems::ascend) use load::shown_units;
pub(super) use load::{load_graph, load_tables};
pub(super) use memory::{memory_graph, memory_tables};
pub(in crate::systems::ascend) use occupancy::SHOWN as SHOWN_OF_CORES;
pub(super) use occupancy::occupancy;
pub(in crate::systems::ascend) use pipes::{AT_MOST, PIPES};
pub(super) use pipes::{Pipes, pipe_of};
pub(super) use roofline::roofline;
pub(super) use stall::stall_reasons;
pub(super) use timing::Timing;

use crate::base::words::{Message, message};
use crate::input::json::Json;
use crate::model::figure::{Advice, Cell, Family};

/// Most rows of one table. A block that becomes a tree is too small for more, so none is left out in practice.
const TABLE_ROWS: usize = 10_000_000;

/// Sentences of a tool as advice. Numbers and tabs before a sentence are left away.
fn advice<'a>(sentences: impl Iterator<Item = &'a str>, is_costly: bool) -> Vec<Advice> {
    let clean = |line: &str| {
        let line = line.trim();
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let rest = line.get(digits..).unwrap_or(line);
        match rest.strip_prefix(')') {
            Some(rest) if 0 < digits => rest.trim().to_owned(),
            _ => line.to_owned(),
        }
    };
    let lines = sentences.flat_map(str::lines).map(clean).filter(|text| !text.is_empty());
    lines.map(|text| Advice::new(written::message_of(text), is_costly)).collect()
}

/// The advice of a block: one text of several lines, or a list.
fn advice_of(json: &Json) -> Vec<Advice> {
    let sentences: Vec<&str> = match json.get("advice") {
        Some(Json::Array(items)) => items.iter().filter_map(Json::as_str).collect(),
        Some(other) => other.as_str().into_iter().collect(),
        None => Vec::new(),
    };
    advice(sentences.into_iter(), true)
}

/// A sentence of the writer that one of ours says with its numbers, as a remark.
fn as_note(said: &Advice) -> Message {
    message("The file says: {text}").with_message("text", said.text.clone())
}

/// A cell of a text that may be a number or stand for nothing.
fn cell(text: &str) -> Cell {
    let text = text.trim();
    if super::field::is_missing(text) {
        return Cell::Missing;
    }
    text.parse()
        .ok()
        .filter(|v: &f64| v.is_finite())
        .map_or_else(|| Cell::Text(text.to_owned()), Cell::Number)
}

/// Adds advice to the variants of a family that show a block, once; whether there is such a family.
fn advise(families: &mut [Family], id: &str, block: &str, said: &[Advice]) -> bool {
    let Some(family) = families.iter_mut().find(|family| family.id == id) else { return false };
    let Some((first, others)) = family.choices.split_first() else { return false };
    let n_each = others.iter().map(|choice| choice.options.len()).product::<usize>().max(1);
    let Some(at) = first.options.iter().position(|option| option == block) else { return false };
    for figure in family.variants.iter_mut().skip(at * n_each).take(n_each) {
        for advice in said {
            if !figure.advice.contains(advice) {
                figure.advice.push(advice.clone());
            }
        }
    }
    true
}
