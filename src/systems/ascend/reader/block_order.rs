//! Takes stock after the walk: which copy of a block counts, which blocks are read, and in which order.
//!
//! Of sources with the same path the last counts (the writer repeats a file for every line that ran), of JSON blocks the
//! first; all traces count.

use super::compatibility;
use super::header::Type;
use super::walk::block_name;
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::map::Map;
use crate::base::order;
use crate::base::words::message;
use crate::format::sink::Sink;
use crate::input::bundle::Entry;
use crate::model::files::block::{Block, BlockState};
use std::collections::VecDeque;

/// A block to be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    /// Its row in the trace's blocks.
    pub(super) row: usize,
    /// Its type.
    pub(super) kind: u8,
}

/// Types that are read, in order. The memory graph comes after the workload, whose advice it holds, and before its tables,
/// which hold its own.
const READ: [u8; 15] = [
    Type::BASE_INFO,
    Type::OCCUPANCY,
    Type::ROOFLINE,
    Type::LOAD_GRAPH,
    Type::LOAD_TABLE,
    Type::STALL_REASONS,
    Type::MEMORY_GRAPH,
    Type::MEMORY_TABLE,
    Type::CACHE_LINES,
    Type::CACHE_RECORDS,
    Type::SOURCE,
    Type::API_FILE,
    Type::API_INSTR,
    Type::MEMORY_RECORDS,
    Type::TRACE,
];

/// Marks the blocks from row `first` on and lists those to be read.
pub(super) fn take(first: usize, file: &Entry, sink: &mut Sink) -> VecDeque<Job> {
    let mut copies: Map<(u32, String), (usize, usize)> = Map::default();
    let mut faults = Vec::new();
    let blocks = sink.builder.head().blocks.get_mut(first..).unwrap_or(&mut []);
    for (i, block) in blocks.iter().enumerate() {
        let kind = u8::try_from(block.kind).unwrap_or(0);
        if kind == Type::SOURCE || (Type::is_json(kind) && kind != Type::TRACE) {
            let key = (block.kind, block.path.clone().unwrap_or_default());
            let (counts, n) = copies.entry(key).or_insert((i, 0));
            *n += 1;
            if kind == Type::SOURCE {
                *counts = i;
            }
        }
        if block.state == BlockState::Unknown {
            let what = message("block type 0x{type}").with("type", format!("{:02X}", block.kind));
            let kind = Kind::Unsupported { what, version: String::new() };
            let place = Place::byte(&*file.path, block.offset).block(block_name(block, i + 1));
            let fault = Fault::new("ASC-UNKNOWN", Severity::Note, place, kind);
            faults.push(fault.note("Kept; it can be exported."));
        }
    }
    for (i, block) in blocks.iter_mut().enumerate() {
        let key = (block.kind, block.path.clone().unwrap_or_default());
        let copy = copies.get(&key).copied();
        if copy.is_some_and(|(counts, _)| counts != i) {
            block.state = BlockState::Superseded;
        } else if block.state == BlockState::Read && is_for_later(block) {
            block.state = BlockState::ViewFollows;
        }
        if let Some((counts, n)) = copy.filter(|(counts, n)| *counts == i && 1 < *n) {
            faults.push(copies_fault(block, counts + 1, n, file));
        }
    }
    faults.extend(compatibility::notes(blocks, file));
    let mut jobs: Vec<(usize, Job)> = Vec::new();
    for (i, block) in blocks.iter().enumerate().filter(|(_, b)| b.state != BlockState::Superseded) {
        let kind = u8::try_from(block.kind).unwrap_or(0);
        if let Some(order) = READ.iter().position(|&k| k == kind) {
            jobs.push((order, Job { row: first + i, kind }));
        }
    }
    sink.faults_of(faults);
    order::sort_by_key(&mut jobs, |(order, job)| (*order, job.row));
    jobs.into_iter().map(|(_, job)| job).collect()
}

/// Whether a block is kept for a view that does not exist yet.
fn is_for_later(block: &Block) -> bool {
    !u8::try_from(block.kind).is_ok_and(|kind| READ.contains(&kind))
}

fn copies_fault(block: &Block, number: usize, n: usize, file: &Entry) -> Fault {
    let (kind, note) = match &block.path {
        Some(path) => {
            (message("duplicate source block, {n} of {path}").with("path", path), "The last one is shown.")
        }
        None => (message("duplicate block, {n} of this type"), "The first one is shown."),
    };
    let kind = Kind::Problem(kind.with("n", n));
    let place = Place::byte(&*file.path, block.offset).block(block_name(block, number));
    let fault = Fault::new("ASC-DUP", Severity::Note, place, kind);
    fault.note(note)
}
