//! Reads the record of an execution again.

use super::layout::{Block, Touched};
use crate::base::words::phrase;
use crate::input::cached::Cached;
use crate::input::source::read_range;
use crate::views::executions::compute::{Launch, Program, Row, RowSource};
use std::rc::Rc;

/// The rows of a launch.
pub(super) struct BlockRows {
    pub(super) source: Cached,
    /// Where the record of each execution begins.
    pub(super) places: Vec<u64>,
    /// Blocks in the order of the program.
    pub(super) blocks: Vec<Block>,
    /// Where payloads of their records lie, and how many bytes these have.
    pub(super) layouts: Vec<(Vec<(usize, usize)>, usize)>,
    pub(super) has_times: bool,
}

impl BlockRows {
    /// What each send of an execution did, and the lanes of the execution.
    pub(super) fn touched(&self, launch: &Launch, execution: u32) -> Result<(u32, Vec<Touched>), String> {
        let at = execution as usize;
        let place = self.places.get(at).copied();
        let row = launch.executions.block.get(at).map(|row| *row as usize);
        let block = row.and_then(|row| Some((self.blocks.get(row)?, self.layouts.get(row)?)));
        let Some((place, (block, (parts, bytes)))) = place.zip(block) else { return Ok((0, Vec::new())) };
        let head = if self.has_times { 16 } else { 8 };
        let end = place.saturating_add(head as u64).saturating_add(*bytes as u64);
        let record = read_range(&self.source, place..end).map_err(|error| error.0)?;
        let mask =
            record.get(4..8).unwrap_or(&[]).iter().rev().fold(0, |n, byte| (n << 8) | u32::from(*byte));
        let sends = block.sends.iter().zip(parts).map(|(send, (from, len))| {
            send.touched(block.id, mask, record.get(head + from..head + from + len).unwrap_or(&[]))
        });
        Ok((mask, sends.collect()))
    }
}

/// The same, for a launch.
pub(super) struct SharedRows(pub(super) Rc<BlockRows>);

impl RowSource for SharedRows {
    fn rows(&self, launch: &Launch, program: &Program, execution: u32) -> Result<Vec<Row>, String> {
        let (mask, sends) = self.0.touched(launch, execution)?;
        let block = launch.executions.block.get(execution as usize).copied().unwrap_or(0);
        let first = program.blocks.get(block as usize).map_or(0, |block| block.first);
        let row = |(instruction, touched): (u32, Touched)| match touched {
            Touched::Lanes(mask, addresses) => {
                Row { instruction, mask: Some(mask), addresses, ..Row::default() }
            }
            Touched::Nothing | Touched::Group(_) => Row { instruction, mask: Some(mask), ..Row::default() },
            Touched::Media { .. } => {
                let missing = Some(phrase("a rectangle of a surface has no addresses"));
                Row { instruction, mask: Some(mask), missing, ..Row::default() }
            }
        };
        Ok((first..).zip(sends).map(row).collect())
    }

    fn reads(&self) -> u64 {
        self.0.source.reads()
    }
}
