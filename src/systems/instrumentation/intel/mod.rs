//! Assembly of Intel GPUs as its tools print it: where blocks end, where branches go, what sends do to memory.
//!
//! ```text
//! (W&f0.0) while (32|M0)   -280                 predicate, opcode, lanes, targets relative to the instruction
//! send.dc1 (16|M0) r35 r30 null 0x0 0x04205E00 {@4,$0} // wr:2+0, rd:2; untyped surface read with x
//! send.ugm (32|M0) r32 r27 null:0 0x0 0x08200580 {$5}  // wr:4+0, rd:2; load.ugm.d32.a64
//! ```

pub(super) mod access;

use crate::base::map::Map;
use crate::base::words::{Message, phrase};
use crate::input::limits;
use crate::model;
use crate::model::Trace;
use crate::model::figure::{Advice, Body, Cell, Family, Figure, TableFigure};
use crate::views::executions::compute::{Block, Instruction, MemoryOperand, Program, Space};
use crate::views::plan::compute::{KernelPlan, PackedRecords, PlanBlock, records_of};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// How an instruction goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// Whether the next instruction may follow.
    pub falls: bool,
    /// Whether the thread ends.
    pub is_exit: bool,
    /// Addresses that begin a block because of it.
    pub leaders: Vec<u64>,
    /// Those of them that may follow.
    pub targets: Vec<u64>,
}

/// An instruction in its parts.
struct Parts<'a> {
    is_predicated: bool,
    opcode: &'a str,
    lanes: u32,
    operands: Vec<&'a str>,
    comment: &'a str,
}

impl<'a> Parts<'a> {
    fn of(text: &'a str) -> Self {
        let (code, comment) = text.split_once("//").map_or((text, ""), |(code, rest)| (code, rest.trim()));
        let mut rest = code.trim();
        let mut is_predicated = false;
        while let Some((inside, after)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            is_predicated |= inside.contains('f');
            rest = after.trim_start();
        }
        let (opcode, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let rest = rest.trim_start();
        let inside = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        let lanes = inside.and_then(|(inside, _)| inside.split('|').next()?.trim().parse().ok()).unwrap_or(1);
        let rest = inside.map_or(rest, |(_, after)| after);
        let operands = rest.split('{').next().unwrap_or("").split_whitespace().collect();
        Self { is_predicated, opcode, lanes, operands, comment }
    }

    fn base(&self) -> &'a str {
        self.opcode.split('.').next().unwrap_or("")
    }

    fn is_send(&self) -> bool {
        matches!(self.base(), "send" | "sendc" | "sends" | "sendsc")
    }
}

/// How control flow goes on behind an instruction; `None` when it is none of control flow.
#[allow(clippy::implicit_hasher)] // the project has one
pub fn flow(address: u64, text: &str, labels: &Map<String, u64>) -> Option<Flow> {
    let parts = Parts::of(text);
    let named = |word: &str| labels.get(word.trim_end_matches([':', ','])).copied();
    let leaders: Vec<u64> =
        parts.operands.iter().filter_map(|word| named(word).or_else(|| relative(address, word))).collect();
    let first: Vec<u64> = leaders.iter().copied().take(1).collect();
    let flow = |falls, targets: &[u64]| {
        let targets = targets.to_vec();
        Some(Flow { falls, is_exit: false, leaders: leaders.clone(), targets })
    };
    match parts.base() {
        "if" | "while" => flow(true, &first),
        "else" => flow(false, &first),
        "endif" | "join" | "call" | "calla" | "do" => flow(true, &[]),
        "brd" | "brc" | "goto" | "break" | "cont" | "continue" | "halt" => flow(true, &leaders),
        "jmpi" | "brw" => flow(parts.is_predicated, &first),
        "ret" => Some(Flow { falls: parts.is_predicated, is_exit: true, ..Flow::default() }),
        _ if parts.is_send() && text.contains("EOT") => Some(Flow { is_exit: true, ..Flow::default() }),
        _ => None,
    }
}

/// The address that a distance such as `-280` or `0x30` leads to.
fn relative(address: u64, word: &str) -> Option<u64> {
    let distance = match word.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok()?,
        None => word.parse().ok()?,
    };
    address.checked_add_signed(distance)
}

/// What a send does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Send {
    /// What it does.
    pub operand: MemoryOperand,
    /// Its lanes.
    pub lanes: u32,
    /// Whether its addresses have 64 bits.
    pub(super) is_wide: bool,
    /// Registers that carry its addresses, when the listing says.
    pub registers: Option<u64>,
}

/// What an instruction does to memory; `None` for those that reach none: arithmetic, fences, messages, ends of threads.
pub fn send(text: &str) -> Option<Send> {
    let parts = Parts::of(text);
    if !parts.is_send() || text.contains("EOT") {
        return None;
    }
    let comment = parts.comment.to_ascii_lowercase();
    let port = parts.opcode.split('.').nth(1).unwrap_or("");
    if ["ts", "gtwy", "smpl", "urb", "rc", "rta", "btd"].contains(&port) || comment.contains("fence") {
        return None;
    }
    let has = |words: &[&str]| words.iter().any(|word| comment.contains(word));
    let is_atomic = has(&["atomic"]);
    let is_read = has(&["read", "load"]) || is_atomic;
    let is_write = has(&["write", "store"]) || is_atomic;
    // Without a comment a send that returns nothing writes; one of the fence type of its port is none.
    let is_silent = !is_read && !is_write;
    if is_silent && port == "dc0" && descriptor(&parts).is_some_and(|word| word >> 14 & 0x1f == 7) {
        return None;
    }
    let has_result = parts.operands.first().is_some_and(|word| !word.starts_with("null"));
    let (reads, writes) = if is_silent { (has_result, !has_result) } else { (is_read, is_write) };
    let is_shared = port == "slm" || has(&["slm", "shared local"]);
    let is_local = has(&["scratch"]);
    let operand = MemoryOperand {
        reads,
        writes,
        is_atomic,
        bytes: Some(lane_bytes(&comment)),
        lanes: u32::MAX,
        space: if is_shared {
            Space::Shared
        } else if is_local {
            Space::Local
        } else {
            Space::Global
        },
    };
    let written = comment.split("wr:").nth(1).and_then(|rest| {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    });
    Some(Send { operand, lanes: parts.lanes.clamp(1, 32), is_wide: has(&["a64"]), registers: written })
}

/// The last operand, which describes the message.
fn descriptor(parts: &Parts) -> Option<u64> {
    let word = parts.operands.last()?;
    u64::from_str_radix(word.strip_prefix("0x")?, 16).ok()
}

/// Bytes of one lane: `d32x2` is 8, `d16u32` is 2, `with xy` is 8; 4 where nothing is said.
fn lane_bytes(comment: &str) -> u32 {
    let words = || comment.split(|c: char| !c.is_ascii_alphanumeric());
    let element = words().find_map(|word| {
        let rest = word.strip_prefix('d')?;
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let bits: u32 = rest.get(..digits)?.parse().ok().filter(|bits| [8, 16, 32, 64].contains(bits))?;
        let times = rest.split('x').nth(1).and_then(|n| n.trim_end_matches('t').parse().ok());
        Some(bits / 8 * times.filter(|n| (1..=64).contains(n)).unwrap_or(1))
    });
    let channels = || {
        let word = comment.split("with ").nth(1)?.split_whitespace().next()?;
        let is_channels = word.bytes().all(|b| b"xyzw".contains(&b));
        u32::try_from(word.len()).ok().filter(|n| is_channels && *n <= 4).map(|n| 4 * n)
    };
    element.or_else(channels).unwrap_or(4)
}

// Lines of a text that comes in pieces.

/// Joins pieces to lines.
#[derive(Default)]
pub(crate) struct LineFeed {
    rest: Vec<u8>,
    at: u64,
    number: u32,
}

/// One line without its end.
pub(crate) struct Line<'a> {
    pub(crate) text: Cow<'a, str>,
    /// Its first byte.
    pub(crate) at: u64,
    /// Its number, from 1.
    pub(crate) number: u32,
}

impl LineFeed {
    /// Takes the next piece; calls back for each line that is whole. Lines of no end are cut.
    pub(crate) fn feed(&mut self, chunk: &[u8], mut take: impl FnMut(Line)) {
        for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
            let is_whole = piece.ends_with(b"\n");
            if is_whole && self.rest.is_empty() {
                self.line(piece, &mut take);
                continue;
            }
            self.rest.extend_from_slice(piece);
            if is_whole || limits::RECORD_BYTES <= self.rest.len() {
                let line = std::mem::take(&mut self.rest);
                self.line(&line, &mut take);
            }
        }
    }

    /// Nothing more comes: the last line may have no end.
    pub(crate) fn finish(&mut self, mut take: impl FnMut(Line)) {
        let line = std::mem::take(&mut self.rest);
        if !line.is_empty() {
            self.line(&line, &mut take);
        }
    }

    /// Bytes that were read.
    pub(crate) fn position(&self) -> u64 {
        self.at
    }

    fn line(&mut self, bytes: &[u8], take: &mut impl FnMut(Line)) {
        self.number = self.number.saturating_add(1);
        let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let text = if self.at == 0 { text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text) } else { text };
        take(Line { text: String::from_utf8_lossy(text), at: self.at, number: self.number });
        self.at += bytes.len() as u64;
    }
}

// Tables of a file: short ones are figures, long ones are read by pages.

/// Rows that a figure shows; longer tables have a view of their own.
const ROWS: usize = 200;

/// What a table is called.
pub(crate) struct TableText<'a> {
    /// Its id; a second one of the same id gets a number.
    pub(crate) id: &'a str,
    pub(crate) section: &'a str,
    pub(crate) title: &'a str,
}

/// Adds a table to a trace; nothing when it has no rows.
pub(crate) fn add(trace: &mut Trace, text: &TableText, table: TableFigure) {
    add_said(trace, text, table, Vec::new(), Vec::new());
}

/// The same with sentences that answer a question, and notes.
pub(crate) fn add_said(
    trace: &mut Trace,
    text: &TableText,
    table: TableFigure,
    advice: Vec<Advice>,
    notes: Vec<Message>,
) {
    let TableFigure { columns, rows, .. } = table;
    if rows.is_empty() {
        return;
    }
    let like = |other: &str| {
        let rest = other.strip_prefix(text.id);
        rest.is_some_and(|rest| {
            rest.is_empty() || rest.strip_prefix('-').is_some_and(|n| n.parse::<usize>().is_ok())
        })
    };
    let n = trace.figures.iter().filter(|family| like(&family.id)).count()
        + trace.tables.iter().filter(|table| like(&table.id)).count();
    let id = if n == 0 { text.id.to_owned() } else { format!("{}-{}", text.id, n + 1) };
    if rows.len() <= ROWS {
        let body = TableFigure { columns, rows, key_columns: 2, ..TableFigure::default() };
        let mut figure = Figure::new(text.title, Body::Table(body));
        (figure.advice, figure.notes) = (advice, notes);
        trace.figures.push(Family::single(&id, text.section, figure));
        return;
    }
    let columns = columns.iter().enumerate().map(|(at, column)| model::TableColumn {
        name: column.name.clone(),
        unit: column.unit.clone(),
        cells: cells(at, &rows),
    });
    let columns = columns.collect();
    let notes = advice.into_iter().map(|advice| advice.text).chain(notes).collect();
    trace.tables.push(model::Table { notes, ..model::Table::new(id, text.title, columns) });
}

/// The cells of a column.
fn cells(at: usize, rows: &[Vec<Cell>]) -> model::TableCells {
    let all = rows.iter().map(|row| row.get(at).unwrap_or(&Cell::Missing));
    let whole = all.clone().map(|cell| if let Cell::Integer(n) = cell { Some(*n) } else { None });
    if let Some(whole) = whole.collect::<Option<Vec<u64>>>() {
        return model::TableCells::Integers(whole);
    }
    if all.clone().any(|cell| matches!(cell, Cell::Text(_))) {
        return model::TableCells::Texts(all.map(Cell::plain).collect());
    }
    model::TableCells::Numbers(all.map(|cell| cell.as_number().unwrap_or(f64::NAN)).collect())
}

// From a listing to a program of blocks, and from that to what its trace buffers would take.

/// An instruction of a listing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) text: String,
    /// File and line that it was made of.
    pub(crate) source: Option<(String, u32)>,
}

/// What makes a program.
pub(crate) struct Listed<'a> {
    pub(crate) name: String,
    pub(crate) entry: u32,
    pub(crate) code: &'a BTreeMap<u64, Code>,
    /// First addresses of blocks with their numbers, where the file says them; else blocks are split by control flow.
    pub(crate) marks: &'a BTreeMap<u64, u32>,
    pub(crate) labels: &'a Map<String, u64>,
}

impl Listed<'_> {
    /// The program, its blocks split.
    pub(crate) fn program(&self) -> Program {
        // In the order of addresses.
        let flows: Vec<(u64, Flow)> = self
            .code
            .iter()
            .filter_map(|(at, code)| Some((*at, flow(*at, &code.text, self.labels)?)))
            .collect();
        let leaders = self.leaders(&flows);
        let mut blocks: Vec<Block> = Vec::new();
        let mut ends: Vec<(u64, Option<u64>)> = Vec::new();
        let mut addresses = self.code.keys().copied().peekable();
        let mut row = 0_u32;
        while let Some(at) = addresses.next() {
            if leaders.binary_search(&at).is_ok() || blocks.is_empty() {
                let id = u32::try_from(blocks.len()).unwrap_or(u32::MAX);
                let id = self.marks.get(&at).copied().unwrap_or(id);
                let label = format!("BB{id}");
                blocks.push(Block { id, label, first: row, is_entry: row == 0, ..Block::default() });
                ends.push((at, None));
            }
            if let (Some(block), Some(end)) = (blocks.last_mut(), ends.last_mut()) {
                block.len += 1;
                *end = (at, addresses.peek().copied());
            }
            row = row.saturating_add(1);
        }
        let starts: Vec<u64> = {
            let all: Vec<u64> = self.code.keys().copied().collect();
            blocks.iter().filter_map(|block| all.get(block.first as usize).copied()).collect()
        };
        let row_of = |at: &u64| starts.binary_search(at).ok().and_then(|row| u32::try_from(row).ok());
        for (block, (last, next)) in blocks.iter_mut().zip(&ends) {
            let flow = flow_at(&flows, *last);
            block.is_exit = flow.is_some_and(|flow| flow.is_exit);
            let falls = flow.is_none_or(|flow| flow.falls).then_some(()).and(next.as_ref());
            let targets = flow.map_or(&[][..], |flow| &flow.targets);
            block.successors = falls.into_iter().chain(targets).filter_map(row_of).collect();
            block.successors.sort_unstable();
            block.successors.dedup();
        }
        let lanes = self.code.values().map(|code| Parts::of(&code.text).lanes).max();
        Program {
            name: self.name.clone(),
            entry: self.entry,
            lanes: lanes.unwrap_or(1).clamp(1, 32),
            blocks,
            instructions: self.code.iter().map(|(at, code)| instruction(*at, code)).collect(),
            listing: None,
            is_numbered: false,
        }
    }

    /// Addresses where blocks begin, ascending.
    fn leaders(&self, flows: &[(u64, Flow)]) -> Vec<u64> {
        if !self.marks.is_empty() {
            return self.marks.keys().copied().collect();
        }
        let behind = self.code.keys().zip(self.code.keys().skip(1));
        let behind = behind.filter(|(at, _)| flow_at(flows, **at).is_some()).map(|(_, next)| *next);
        let mut all: Vec<u64> =
            flows.iter().flat_map(|(_, flow)| &flow.leaders).copied().chain(behind).collect();
        all.sort_unstable();
        all
    }
}

fn flow_at(flows: &[(u64, Flow)], at: u64) -> Option<&Flow> {
    let found = flows.binary_search_by_key(&at, |(at, _)| *at).ok()?;
    Some(&flows.get(found)?.1)
}

fn instruction(address: u64, code: &Code) -> Instruction {
    let words: Vec<&str> = code.text.split_whitespace().collect();
    let memory = send(&code.text).map(|send| send.operand);
    Instruction { address, text: words.join(" "), memory, source: code.source.clone() }
}

/// Header of a record that holds a whole execution of a block, and bytes of a register.
const HEADER: u64 = 32;
const REGISTER: u64 = 32;

/// What its buffers would take: records counted from instructions, and the tool's own way of one record a block.
pub(crate) fn program_plan(
    program: &Program,
    row: u32,
    count: impl Fn(u64) -> Option<u64>,
) -> (KernelPlan, Option<PackedRecords>) {
    let sends: Vec<Option<Send>> = program.instructions.iter().map(|one| send(&one.text)).collect();
    let lanes = sends.iter().flatten().map(|send| send.lanes).max().unwrap_or(program.lanes);
    let is_wide = sends.iter().flatten().any(|send| send.is_wide);
    let types = crate::views::plan::compute::default_types(lanes, is_wide);
    let mut plan = KernelPlan {
        name: program.name.clone(),
        entry: program.entry,
        program: Some(row),
        types,
        ..KernelPlan::default()
    };
    let mut packed = Vec::new();
    for (at, block) in program.blocks.iter().enumerate() {
        let first = program.instructions.get(block.first as usize).map_or(0, |one| one.address);
        let own = sends.iter().skip(block.first as usize).take(block.len as usize).flatten();
        let registers = own.map(|send| send.registers).collect::<Option<Vec<u64>>>();
        packed.push(registers.map(|all| {
            let sum = all.iter().fold(0_u64, |sum, n| sum.saturating_add(*n));
            if all.is_empty() { 0 } else { sum.saturating_mul(REGISTER).saturating_add(HEADER) }
        }));
        let records = records_of(program, at, &plan.types);
        plan.blocks.push(PlanBlock { records, count: count(first), ..PlanBlock::of(program, at) });
    }
    let packed = packed.into_iter().collect::<Option<Vec<u64>>>().filter(|all| all.iter().any(|n| *n != 0));
    let record_type = plan.types.iter().position(|one| one.kind == "memory").unwrap_or(0);
    let packed = packed.map(|bytes| PackedRecords {
        title: phrase("GTPin record per block"),
        record_type: u32::try_from(record_type).unwrap_or(0),
        bytes,
        head: HEADER,
        slack: 0x2000,
        ..PackedRecords::default()
    });
    (plan, packed)
}
