//! Reads what executions did from the trace again.

use super::fold::Places;
use super::line::{self, Cursor, Lanes};
use crate::input::cached::Cached;
use crate::input::source::{ByteSource, read_range};
use crate::views::executions::compute::{Launch, Program, Row, RowSource};
use std::cell::RefCell;
use std::ops::Range;

/// Bytes that are read at once: executions are asked for one after the other.
const WINDOW: u64 = 1 << 14;

/// Most bytes of a line that is read by its own.
const LINE: u64 = 4_096;

/// The lines of a trace.
pub(super) struct Lines {
    /// The trace.
    pub(super) source: Cached,
    /// Where executions stand.
    pub(super) places: Places,
    /// Columns in front of the address of an instruction.
    pub(super) columns: usize,
    /// Whether a number stands behind each instruction.
    pub(super) immediate: Option<bool>,
    /// What was read last, and where it begins.
    pub(super) window: RefCell<(u64, Vec<u8>)>,
}

impl Lines {
    /// Does something with bytes of the trace.
    fn bytes<T>(&self, range: Range<u64>, then: impl FnOnce(&[u8]) -> T) -> Result<T, String> {
        let mut window = self.window.borrow_mut();
        let end = window.0 + window.1.len() as u64;
        if range.start < window.0 || end < range.end.min(self.source.len()) {
            let wanted = range.start..range.end.max(range.start.saturating_add(WINDOW));
            *window = (range.start, read_range(&self.source, wanted).map_err(|why| why.0)?);
        }
        let at = |byte: u64| usize::try_from(byte.saturating_sub(window.0)).unwrap_or(usize::MAX);
        let to = at(range.end).min(window.1.len());
        Ok(then(window.1.get(at(range.start).min(to)..to).unwrap_or(&[])))
    }

    fn row(&self, program: &Program, text: &[u8]) -> Option<Row> {
        let mut cursor = Cursor(text);
        for _ in 0..self.columns {
            cursor.token();
        }
        let (pc, mask, rest) = line::head(cursor.0)?;
        let found = program.instructions.binary_search_by_key(&pc, |of| of.address);
        let instruction = found.ok().and_then(|row| u32::try_from(row).ok())?;
        let operands = line::operands(rest)?;
        let mut lanes: Lanes = [0; 32];
        let n = match operands.width {
            0 => Ok(0),
            _ => line::addresses(operands.tail, mask, self.immediate, &mut lanes),
        };
        let addresses = n.ok().and_then(|n| lanes.get(..n)).unwrap_or(&[]).to_vec();
        let missing = n.err().map(|_| super::WRONG_LANES);
        Some(Row { instruction, mask: Some(mask), addresses, missing, ..Row::default() })
    }

    /// The line that begins in a unit of eight bytes.
    fn line_at(&self, program: &Program, unit: u32) -> Result<Option<Row>, String> {
        let first = (u64::from(unit) * 8).saturating_sub(1);
        self.bytes(first..first + LINE, |bytes| {
            // The end of the line before is in sight, or the trace begins here.
            let skip = match unit {
                0 => 0,
                _ => bytes.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1),
            };
            let rest = bytes.get(skip..).unwrap_or(&[]);
            let mut lines = rest.split(|byte| *byte == b'\n').map(trimmed);
            lines.find(|text| !text.is_empty()).and_then(|text| self.row(program, text))
        })
    }
}

fn trimmed(text: &[u8]) -> &[u8] {
    text.strip_suffix(b"\r").unwrap_or(text)
}

impl RowSource for Lines {
    fn rows(&self, launch: &Launch, program: &Program, execution: u32) -> Result<Vec<Row>, String> {
        let at = execution as usize;
        match &self.places {
            Places::Grouped(starts, lens) => {
                let Some((&first, &len)) = starts.get(at).zip(lens.get(at)) else { return Ok(Vec::new()) };
                self.bytes(first..first.saturating_add(u64::from(len)), |bytes| {
                    let lines = bytes.split(|byte| *byte == b'\n').map(trimmed);
                    let mut rows: Vec<Row> = lines.filter_map(|text| self.row(program, text)).collect();
                    // Where a copy has two lines, they are one row: that of the global side, with the greater addresses.
                    rows.dedup_by(|second, first| {
                        let is_one = second.instruction == first.instruction;
                        if is_one && first.addresses < second.addresses {
                            std::mem::swap(first, second);
                        }
                        is_one
                    });
                    rows
                })
            }
            Places::Interleaved(firsts, units) => {
                let Some(first) = firsts.get(at).copied() else { return Ok(Vec::new()) };
                let block =
                    launch.executions.block.get(at).and_then(|block| program.blocks.get(*block as usize));
                let next = firsts.get(at + 1).map_or(units.len(), |next| *next as usize);
                let whole = first.saturating_add(block.map_or(0, |block| block.len)) as usize;
                let rows = (first as usize..next.min(whole)).filter_map(|row| units.get(row));
                rows.filter_map(|unit| self.line_at(program, *unit).transpose()).collect()
            }
        }
    }

    fn reads(&self) -> u64 {
        self.source.reads()
    }
}
