//! gpu-multitrace: what was recorded, as a container with buffers as a planned run would have written them.
//!
//! ```text
//! Recorded ──▶ survey (what blocks write) ──▶ manifest.json ──▶ buffers, record by record ──▶ archive, nothing packed
//! ```
//! Threads are mixed by a seed; buffers that are smaller than what threads write lose records, as they do on a device.

mod manifest;
mod segments;

use crate::base::job::Turn;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::export::{Export, ExportInput, Out, Parts, written};
use crate::model::parameter::{Parameter, ParameterKind, Values};
use crate::views::executions::compute::{
    Block, Executed, Instruction, Launch, NO_BLOCK, Program, Recorded, Space,
};
use segments::Buffers;
use std::io::{Error, Result, Write};
use std::ops::Range;
use std::rc::Rc;
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipWriter};

/// The container.
pub(super) static GPU_MULTITRACE: Export = Export {
    id: "gpu-multitrace",
    title: phrase("GPU multi-trace container"),
    suffix: "gmt.zip",
    mime: "application/zip",
    takes_argument: false,
    parameters: &[&ARRANGEMENT, &SLACK, &CAP, &PAGE, &SEED],
    can: |input| {
        input.trace.extensions.get::<Recorded>().is_some_and(|recorded| !recorded.launches.is_empty())
    },
    write: |input, _| write(input),
};

static ARRANGEMENT: Parameter = Parameter {
    id: "gmt-arrangement",
    title: phrase("Buffers"),
    help: phrase("one buffer per type, per type and thread, or one for all"),
    kind: ParameterKind::Choice(&[
        ("shared", phrase("One per type")),
        ("thread", phrase("Per thread")),
        ("tagged", phrase("Tagged")),
    ]),
    rereads: false,
};

static SLACK: Parameter = Parameter {
    id: "gmt-slack",
    title: phrase("Slack"),
    help: phrase(
        "extra space beyond the plan: bytes, or a share such as 5%; negative values make buffers overflow",
    ),
    kind: ParameterKind::Text,
    rereads: false,
};

static CAP: Parameter = Parameter {
    id: "gmt-cap",
    title: phrase("Cap"),
    help: phrase("maximum bytes per buffer"),
    kind: ParameterKind::Number {
        unit: Unit::Bytes,
        min: 0.0,
        max: 1e15,
        default: 0.0,
        none: phrase("none"),
    },
    rereads: false,
};

static PAGE: Parameter = Parameter {
    id: "gmt-page",
    title: phrase("Page"),
    help: phrase("buffers are rounded up to whole pages of this many bytes"),
    kind: ParameterKind::Number { unit: Unit::Bytes, min: 0.0, max: 1e9, default: 0.0, none: phrase("none") },
    rereads: false,
};

static SEED: Parameter = Parameter {
    id: "gmt-seed",
    title: phrase("Seed"),
    help: phrase("shuffles the threads; the same seed gives the same order"),
    kind: ParameterKind::Number { unit: Unit::None, min: 0.0, max: 4e9, default: 1.0, none: "" },
    rereads: false,
};

/// How buffers are laid out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arrangement {
    Shared,
    Thread,
    Tagged,
}

/// What the user set.
#[derive(Clone, Copy)]
struct Options {
    arrangement: Arrangement,
    /// Room beyond the plan: bytes, and a share of it.
    slack: (i64, f64),
    cap: u64,
    page: u64,
    seed: u64,
}

impl Options {
    fn of(values: &Values) -> Result<Self> {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the parameters have bounds
        let number = |parameter: &Parameter, default: u64| {
            values.number(parameter.id).map_or(default, |n| n.max(0.0) as u64)
        };
        let slack = values.text(SLACK.id).unwrap_or("").trim();
        let slack = match slack.strip_suffix('%') {
            _ if slack.is_empty() => Some((0, 0.0)),
            Some(share) => share.trim().parse().ok().map(|share: f64| (0, share / 100.0)),
            None => slack.parse().ok().map(|bytes| (bytes, 0.0)),
        };
        Ok(Self {
            arrangement: match values.text(ARRANGEMENT.id) {
                Some("thread") => Arrangement::Thread,
                Some("tagged") => Arrangement::Tagged,
                _ => Arrangement::Shared,
            },
            slack: slack.ok_or_else(|| Error::other("gmt-slack: expected bytes or a share such as 5%"))?,
            cap: number(&CAP, 0),
            page: number(&PAGE, 0),
            seed: number(&SEED, 1),
        })
    }

    /// Bytes of a buffer for which so many are planned.
    fn capacity(&self, planned: u64) -> u64 {
        #[allow(clippy::cast_possible_truncation)] // a float saturates
        let share = (planned as f64 * self.slack.1) as i64;
        let wanted = planned.saturating_add_signed(self.slack.0.saturating_add(share));
        let whole =
            if self.page == 0 { wanted } else { wanted.div_ceil(self.page).saturating_mul(self.page) };
        if self.cap == 0 { whole } else { whole.min(self.cap) }
    }
}

fn write(input: &ExportInput) -> Result<Parts> {
    let (options, trace) = (Options::of(input.values)?, Rc::clone(input.trace));
    Ok(written(async move |out, turn| {
        let recorded = trace.extensions.get::<Recorded>();
        let recorded = recorded.ok_or_else(|| Error::other("nothing was recorded"))?;
        let survey = Survey::of(recorded, &turn).await?;
        let (buffers, mut archive) = (Buffers::new(recorded, survey, options), Archive::new(out));
        buffers.write((recorded, trace.extensions.get()), &mut archive, &turn).await?;
        archive.end()
    }))
}

// An archive that is written from its first byte to its last, nothing packed: members are read where they stand.

/// The archive.
struct Archive {
    zip: ZipWriter<StreamWriter<Out>>,
}

impl Archive {
    fn new(out: Out) -> Self {
        Self { zip: ZipWriter::new_stream(out) }
    }

    /// Begins a member of so many bytes.
    fn begin(&mut self, name: &str, bytes: u64) -> Result<()> {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        let options = options.large_file(u64::from(u32::MAX) <= bytes);
        self.zip.start_file(name, options).map_err(Into::into)
    }

    /// Writes to the member.
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.zip.write_all(bytes)
    }

    /// Ends the archive.
    fn end(self) -> Result<()> {
        self.zip.finish().map(drop).map_err(Into::into)
    }
}

// What the blocks of what was recorded write: found by reading all of it once.

/// What an execution costs, as [`Turn::is_over`] counts.
const EXECUTION: usize = 32;

/// What an instruction writes.
#[derive(Clone, Copy, Default)]
struct Writes {
    accesses: bool,
    /// Most registers of one execution.
    registers: usize,
}

/// A thread, or a slot of the hardware with all of its threads.
struct Slot {
    id: u32,
    executions: Range<u32>,
    records: [u64; TYPES],
}

/// What was found of all launches.
#[derive(Default)]
struct Survey {
    /// By program, by instruction.
    writes: Vec<Vec<Writes>>,
    /// By launch.
    slots: Vec<Vec<Slot>>,
    lanes: Lanes,
}

/// Threads of a launch; those of one slot of the hardware are one.
fn slots(launch: &Launch) -> Vec<Slot> {
    let mut slots: Vec<Slot> = Vec::new();
    for (id, range) in launch.threads.ids.iter().zip(launch.executions.starts.windows(2)) {
        let &[start, end] = range else { continue };
        match slots.last_mut().filter(|slot| slot.id == *id) {
            Some(slot) => slot.executions.end = end,
            None => slots.push(Slot { id: *id, executions: start..end, records: [0; TYPES] }),
        }
    }
    slots
}

/// The program of a launch.
fn program<'a>(recorded: &'a Recorded, launch: &Launch) -> Option<&'a Program> {
    recorded.programs.get(launch.program as usize)
}

/// What an execution did; nothing where nobody knows.
fn rows(launch: &Launch, program: &Program, execution: u32) -> Result<Vec<Executed>> {
    match &launch.rows {
        Some(rows) => rows.rows(launch, program, execution).map_err(Error::other),
        None => Ok(Vec::new()),
    }
}

impl Survey {
    /// Reads all launches twice: what blocks write must be known before records are counted.
    async fn of(recorded: &Recorded, turn: &Turn) -> Result<Self> {
        let writes = |program: &Program| {
            let accesses = program.instructions.iter().map(|instruction| instruction.memory.is_some());
            accesses.map(|accesses| Writes { accesses, ..Writes::default() }).collect()
        };
        let mut survey = Self {
            writes: recorded.programs.iter().map(writes).collect(),
            slots: recorded.launches.iter().map(slots).collect(),
            ..Self::default()
        };
        let lanes = recorded.programs.iter().map(|program| program.lanes).max();
        survey.lanes.of_access = lanes.unwrap_or(32).clamp(1, 32);
        for is_counting in [false, true] {
            for (at, launch) in recorded.launches.iter().enumerate() {
                let Some(program) = program(recorded, launch) else { continue };
                let slots = survey.slots.get(at).map_or(&[][..], Vec::as_slice);
                let all: Vec<Range<u32>> = slots.iter().map(|slot| slot.executions.clone()).collect();
                for (slot, executions) in all.into_iter().enumerate() {
                    for execution in executions {
                        let block = launch.executions.block.get(execution as usize).copied();
                        if program.blocks.get(block.unwrap_or(NO_BLOCK) as usize).is_some() {
                            let rows = rows(launch, program, execution)?;
                            if is_counting {
                                survey.count((at, slot), (launch, program), execution, &rows);
                            } else {
                                survey.look(launch, &rows);
                            }
                        }
                        if turn.is_over(EXECUTION) {
                            turn.pause().await;
                        }
                    }
                }
            }
        }
        Ok(survey)
    }

    /// What the rows of an execution write.
    fn look(&mut self, launch: &Launch, rows: &[Executed]) {
        self.lanes.has_time |= !launch.executions.time.is_empty();
        for row in rows {
            self.lanes.take(row);
            let writes = self.writes.get_mut(launch.program as usize);
            if let Some(writes) = writes.and_then(|writes| writes.get_mut(row.instruction as usize)) {
                writes.accesses |= !row.addresses.is_empty();
                writes.registers = writes.registers.max(row.registers.len());
            }
        }
    }

    /// How many records that makes.
    fn count(
        &mut self,
        (at, slot): (usize, usize),
        (launch, program): (&Launch, &Program),
        execution: u32,
        rows: &[Executed],
    ) {
        let made = self.records(launch, program, execution, rows);
        let slot = self.slots.get_mut(at).and_then(|slots| slots.get_mut(slot));
        for (sum, n) in slot.into_iter().flat_map(|slot| &mut slot.records).zip(made) {
            *sum += n;
        }
    }

    /// Records of each type of an execution.
    fn records(&self, launch: &Launch, program: &Program, execution: u32, rows: &[Executed]) -> [u64; TYPES] {
        let mut n = [0; TYPES];
        make_records(self, (launch, program), 0, execution, rows, |of, _| {
            n.get_mut(of).into_iter().for_each(|n| *n += 1);
        });
        n
    }
}

// The records of an execution, as bytes.

/// How many types there are: flow, memory, lanes, registers.
const TYPES: usize = 4;
/// Their rows.
const FLOW: usize = 0;
const MEMORY: usize = 1;
const SIMD: usize = 2;
const REGISTER: usize = 3;

/// How many lanes records have, and what there is to record.
#[derive(Clone, Copy, Default)]
struct Lanes {
    of_access: u32,
    /// Whether accesses have the addresses of all lanes.
    has_addresses: bool,
    /// Whether they have the first only.
    has_base: bool,
    has_masks: bool,
    /// Lanes of a register; 0 for no registers.
    of_register: u32,
    has_time: bool,
}

impl Lanes {
    /// Takes in what a row has.
    fn take(&mut self, row: &Executed) {
        let lanes = row.mask.map_or(0, u32::count_ones) as usize;
        self.has_masks |= row.mask.is_some();
        self.has_addresses |= 1 < row.addresses.len() || lanes == 1 && row.addresses.len() == 1;
        self.has_base |= 1 < lanes && row.addresses.len() == 1;
        for register in &row.registers {
            self.of_register = self.of_register.max(32 - register.mask.leading_zeros()).max(1);
        }
    }

    /// Whether accesses are written with their first address only.
    fn is_base(&self) -> bool {
        self.has_base && !self.has_addresses
    }

    /// Bytes of a record of each type.
    fn bytes(&self) -> [u64; TYPES] {
        let lanes = u64::from(self.of_access);
        let access = if self.is_base() { 24 } else { 16 + 8 * lanes };
        let register = (16 + 4 * u64::from(self.of_register)).next_multiple_of(8);
        [if self.has_time { 16 } else { 8 }, access, 16, register]
    }
}

/// What a block writes of a type: the instruction of each record.
fn emits(block: &Block, writes: &[Writes], lanes: &Lanes, of: usize) -> Option<Vec<Option<u32>>> {
    let first = block.first as usize;
    let own = writes.get(first..first + block.len as usize).unwrap_or(&[]);
    let all = || (0_u32..).zip(own);
    match of {
        FLOW => Some(vec![None]),
        MEMORY => Some(all().filter(|(_, w)| w.accesses).map(|(at, _)| Some(at)).collect()),
        SIMD => lanes.has_masks.then(|| vec![None]),
        _ if lanes.of_register == 0 => None,
        _ => Some(all().flat_map(|(at, w)| std::iter::repeat_n(Some(at), w.registers)).collect()),
    }
}

/// Makes the records of an execution in the order in which a thread writes them.
fn make_records(
    survey: &Survey,
    (launch, program): (&Launch, &Program),
    thread: u32,
    execution: u32,
    rows: &[Executed],
    mut take: impl FnMut(usize, &[u8]),
) {
    let block = launch.executions.block.get(execution as usize);
    let Some(block) = block.and_then(|block| program.blocks.get(*block as usize)) else { return };
    let lanes = &survey.lanes;
    let head = [thread.to_le_bytes(), block.id.to_le_bytes()].concat();
    let mut record = head.clone();
    if lanes.has_time {
        let time = launch.executions.time.get(execution as usize).copied().unwrap_or(0);
        record.extend(time.to_le_bytes());
    }
    take(FLOW, &record);
    let masks = rows.iter().filter_map(|row| row.mask).reduce(|a, b| a | b);
    if let Some(mask) = masks.filter(|_| lanes.has_masks) {
        let all = u32::MAX >> 32_u32.saturating_sub(program.lanes.max(1)).min(31);
        take(SIMD, &[head.as_slice(), &mask.to_le_bytes(), &all.to_le_bytes()].concat());
    }
    let writes = survey.writes.get(launch.program as usize).map_or(&[][..], Vec::as_slice);
    for row in rows {
        let at = u16::try_from(row.instruction.saturating_sub(block.first)).unwrap_or(u16::MAX);
        let Some(writes) = writes.get(row.instruction as usize) else { continue };
        let instruction = program.instructions.get(row.instruction as usize);
        if writes.accesses && row.missing.is_none() {
            take(MEMORY, &access(&head, lanes, at, row, instruction));
        }
        let registers = if row.missing.is_none() { writes.registers } else { 0 };
        for n in 0..registers {
            record.clear();
            record.extend_from_slice(&head);
            record.extend(at.to_le_bytes());
            let register = row.registers.get(n);
            record.extend(register.map_or(0, |register| register.register).to_le_bytes());
            let mask = register.map_or(0, |register| register.mask);
            record.extend(mask.to_le_bytes());
            let mut values = register.map_or(&[][..], |register| &register.values).iter();
            for lane in 0..lanes.of_register {
                let value = if mask >> lane & 1 == 1 { values.next() } else { None };
                record.extend(
                    value.map_or(0, |value| value & u64::from(u32::MAX)).to_le_bytes().iter().take(4),
                );
            }
            record.resize(record.len().next_multiple_of(8), 0);
            take(REGISTER, &record);
        }
    }
}

fn access(head: &[u8], lanes: &Lanes, at: u16, row: &Executed, instruction: Option<&Instruction>) -> Vec<u8> {
    let operand = instruction.and_then(|instruction| instruction.memory);
    let width =
        operand.and_then(|operand| operand.bytes).map_or(0, |bytes| u8::try_from(bytes).unwrap_or(u8::MAX));
    let flags = operand.map_or(0, |operand| {
        let is_shared = operand.space == Space::Shared;
        u8::from(operand.writes) | u8::from(operand.is_atomic) << 1 | u8::from(is_shared) << 2
    });
    let known = u32::try_from(row.addresses.len()).unwrap_or(u32::MAX);
    let mask =
        row.mask.unwrap_or(if known == 0 { 0 } else { u32::MAX >> 32_u32.saturating_sub(known).min(31) });
    let mut record = head.to_vec();
    let mut addresses = row.addresses.iter().copied();
    if lanes.is_base() {
        record.extend(at.to_le_bytes());
        record.extend([width, flags]);
        record.extend(mask.to_le_bytes());
        record.extend(addresses.next().unwrap_or(0).to_le_bytes());
        return record;
    }
    record.extend(mask.to_le_bytes());
    record.extend(at.to_le_bytes());
    record.extend([width, flags]);
    for lane in 0..lanes.of_access {
        let address = if mask >> lane & 1 == 1 { addresses.next() } else { None };
        record.extend(address.unwrap_or(0).to_le_bytes());
    }
    record
}
