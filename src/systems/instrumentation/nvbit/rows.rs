//! Reads records again: the line at a place, mended where it was cut.

use super::line::{Access, LANES, MARK, bare};
use super::mend::{self, TRIES};
use super::{head, opcode};
use crate::input::cached::Cached;
use crate::input::source::read_range;
use crate::views::executions::compute::{Launch, MEMORY_VALUE, Program, RegisterRow, Row, RowSource};
use memchr::memchr;
use std::cell::RefCell;
use std::rc::Rc;

/// Bytes that are read for one record: the longest has some 2,000 and may be mended within 2,000 more.
const WINDOW: u64 = 8 << 10;
/// Bytes that are read for the registers of one instruction.
const REGISTERS: u64 = 64 << 10;

/// The rows of a launch of a text.
pub(super) struct TextRows {
    pub(super) source: Rc<Cached>,
    /// Where the record of each execution begins.
    pub(super) places: Vec<u64>,
    /// Room for the bytes of a record, used again.
    pub(super) access: RefCell<Access>,
}

impl RowSource for TextRows {
    fn rows(&self, launch: &Launch, program: &Program, execution: u32) -> Result<Vec<Row>, String> {
        let Some(place) = self.places.get(execution as usize).copied() else { return Ok(Vec::new()) };
        let block = launch.executions.block.get(execution as usize).copied().unwrap_or(0);
        let first = program.blocks.get(block as usize).map_or(0, |block| block.first);
        let read =
            |n: u64| read_range(&*self.source, place..place.saturating_add(n)).map_err(|error| error.0);
        let bytes = read(WINDOW)?;
        let end = memchr(b'\n', &bytes).unwrap_or(bytes.len());
        let line = bytes.get(..end).unwrap_or(&bytes);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let row = if line.starts_with(MARK) {
            self.access(&bytes)
        } else if let Some((_, data, address)) = bare(line) {
            let value = RegisterRow { register: MEMORY_VALUE, mask: 1, values: vec![data] };
            Row { addresses: vec![address], registers: vec![value], ..Row::default() }
        } else {
            Row { registers: registers(&read(REGISTERS)?), ..Row::default() }
        };
        Ok(vec![Row { instruction: first, ..row }])
    }

    fn reads(&self) -> u64 {
        self.source.reads()
    }
}

impl TextRows {
    fn access(&self, bytes: &[u8]) -> Row {
        let mut access = self.access.borrow_mut();
        mend::read(bytes, true, &mut TRIES.clone(), &mut access);
        let mask = access.mask();
        let lanes = (0..LANES).filter(|lane| mask >> lane & 1 == 1);
        let of =
            |values: &[u64]| lanes.clone().filter_map(|lane| values.get(lane).copied()).collect::<Vec<u64>>();
        let values = of(&access.data);
        let register = RegisterRow { register: MEMORY_VALUE, mask, values };
        let is_whole = access.lanes == LANES;
        Row {
            mask: Some(mask),
            addresses: of(&access.addresses),
            registers: if access.data.is_empty() { Vec::new() } else { vec![register] },
            missing: (!is_whole).then_some(super::CUT),
            ..Row::default()
        }
    }
}

/// The values below a head of register values. Where the list of the instruction fits to the registers that its text
/// names, they have these numbers; else their place in the list.
fn registers(bytes: &[u8]) -> Vec<RegisterRow> {
    let mut lines = bytes.split(|b| *b == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let text = lines.next().and_then(head::register_head).map_or("", |head| head.assembly);
    let mut rows: Vec<RegisterRow> = Vec::new();
    for line in lines {
        let is_end = line.is_empty() && !rows.is_empty();
        if is_end || line.starts_with(MARK) || head::register_head(line).is_some() {
            break;
        }
        if let Some((register, values)) = head::registers(line) {
            let mask = u32::try_from((1_u64 << values.len()) - 1).unwrap_or(u32::MAX);
            rows.push(RegisterRow { register, mask, values });
        }
    }
    let named = opcode::registers(text);
    if let Some(each) = rows.len().checked_div(named.len()).filter(|each| each * named.len() == rows.len()) {
        let numbers = named.iter().flat_map(|first| (0..each).map(move |n| (*first, n)));
        for (row, (first, n)) in rows.iter_mut().zip(numbers) {
            row.register = first.saturating_add(u16::try_from(n).unwrap_or(0));
        }
    }
    rows
}
