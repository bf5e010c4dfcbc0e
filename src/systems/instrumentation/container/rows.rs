//! What an execution did, read from its buffers again.

use super::buffer::{UNWRITTEN, Use, Uses};
use super::shape::{Shape, word};
use crate::base::words::phrase;
use crate::input::source::read_range;
use crate::systems::instrumentation::combine::{Kind, NO_INSTRUCTION, Places};
use crate::views::executions::compute::{Launch, NO_BLOCK, Program, RegisterRow, Row, RowSource};

/// The records of a launch.
pub(super) struct Records {
    pub(super) places: Places,
    pub(super) uses: Uses,
    pub(super) shapes: Vec<Option<Shape>>,
}

impl Records {
    /// Why records of a type are missing.
    fn reason(&self, of: usize) -> &'static str {
        let is_over = |buffer: &Use| buffer.of.is_none_or(|own| own == of) && buffer.is_over();
        if self.uses.0.iter().any(is_over) { phrase("no record, buffer full") } else { phrase("no record") }
    }

    /// Bytes of the record at a place; `bytes` where these vary by block.
    fn record(&self, place: u32, shape: &Shape, bytes: usize) -> Result<Vec<u8>, String> {
        let Some((buffer, byte)) = self.uses.locate(place) else { return Ok(Vec::new()) };
        let read = |from: u64, n: usize| {
            read_range(&*buffer.source, from..from.saturating_add(n as u64)).map_err(|why| why.0)
        };
        if buffer.of.is_none() {
            let tag = read(byte, 4)?;
            let size = usize::try_from(word(&tag, 0) >> 16).unwrap_or(0);
            return read(byte.saturating_add(4), size.saturating_sub(4));
        }
        read(byte, if 0 < shape.bytes { shape.bytes } else { bytes })
    }
}

impl RowSource for Records {
    fn reads(&self) -> u64 {
        self.uses.0.iter().map(|buffer| buffer.source.reads()).sum()
    }

    fn rows(&self, launch: &Launch, program: &Program, execution: u32) -> Result<Vec<Row>, String> {
        let block = launch.executions.block.get(execution as usize).copied().unwrap_or(NO_BLOCK);
        let Some(block) = program.blocks.get(block as usize) else { return Ok(Vec::new()) };
        let row = |instruction| Row { instruction, ..Row::default() };
        let mut rows: Vec<Row> = (block.first..block.first.saturating_add(block.len)).map(row).collect();
        for (of, shape) in self.shapes.iter().enumerate() {
            let Some(shape) = shape else { continue };
            let Some((emit, places)) = self.places.of(&launch.executions, execution, of) else { continue };
            let at = |n: usize| emit.at.get(n).copied().unwrap_or(NO_INSTRUCTION);
            for (n, place) in places.iter().enumerate() {
                let record = self.record(*place, shape, emit.bytes)?;
                let own = shape.instruction(&record);
                let is_own = (own as usize) < rows.len();
                add(&mut rows, if is_own { own } else { at(n) }, shape, &record);
            }
            for n in places.len()..(emit.count as usize).min(emit.at.len().max(places.len() + 1)) {
                let missing = usize::try_from(at(n)).unwrap_or(usize::MAX);
                let row = if missing < rows.len() { rows.get_mut(missing) } else { rows.first_mut() };
                if let Some(row) = row {
                    row.missing = Some(self.reason(of));
                }
            }
        }
        Ok(rows)
    }
}

/// Adds what a record says to the row of its instruction, or to all where it is of none.
fn add(rows: &mut [Row], at: u32, shape: &Shape, record: &[u8]) {
    if shape.head(record).0 == UNWRITTEN {
        return;
    }
    let mask = shape.mask(record);
    let Some(row) = rows.get_mut(at as usize) else {
        if shape.kind == Kind::Simd {
            rows.iter_mut().filter(|row| row.mask.is_none()).for_each(|row| row.mask = mask);
        }
        return;
    };
    match shape.kind {
        Kind::Memory => {
            row.mask = mask.or(row.mask);
            shape.addresses(record, |address| row.addresses.push(address));
        }
        Kind::Simd => row.mask = mask,
        Kind::Register => {
            let (mask, values) = shape.values(record);
            let register = shape.register(record).unwrap_or(0);
            row.registers.push(RegisterRow { register, mask, values });
        }
        Kind::Flow | Kind::Custom => {}
    }
}
