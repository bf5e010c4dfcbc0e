//! Executions of basic blocks: which thread of a program ran which block, in which order, with which lanes, and what its
//! memory accesses moved.
//!
//! ```text
//! a reader (text of a tracer, buffers of an instrumented program) ──▶ Executions + ExecutionRows ──▶ view, metrics, exports
//! ```
//! A thread is what has one instruction stream: a warp, a SIMD thread, a hardware slot from one entry of the program to its
//! end. What an execution did in detail (masks, addresses, register values) stays in the file and is read from there again.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod arrange;
mod cache;
pub mod pattern;
mod run;
mod summary;

pub use arrange::{Arranged, Column, Course, Group, Levels, Totals, arrange};
pub use cache::{Cache, Parting, compare, nearest};
pub use run::{Axis, Run, range};
pub use summary::{Summary, Top, lanes};

use crate::model::id::ListingId;
use arrange::SKIP;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// Some execution of a block that the program does not have.
pub const NO_BLOCK: u32 = u32::MAX;
/// Active lanes of an execution that nobody recorded.
pub const NO_LANES: u8 = u8::MAX;

/// As the number of a register: the value that an access read or wrote, in a register that nobody recorded.
pub const MEMORY_VALUE: u16 = u16::MAX;

/// What a register is called, such as `R12`.
pub fn register_name(register: u16) -> String {
    if register == MEMORY_VALUE { "value".to_owned() } else { format!("R{register}") }
}

/// The number with a fraction that bits of a register stand for: of 32 bits, or of 64 where the upper ones are used.
pub fn float_of_bits(bits: u64) -> f64 {
    u32::try_from(bits).map_or_else(|_| f64::from_bits(bits), |bits| f64::from(f32::from_bits(bits)))
}

/// A program: instructions in the order of their addresses, cut into blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// What a person calls it, such as the name of the kernel.
    pub name: String,
    /// Number of the entry of the bundle that says it.
    pub entry: u32,
    /// Lanes of a thread, 1 to 32.
    pub lanes: u32,
    /// Blocks in the order of their addresses.
    pub blocks: Vec<Block>,
    /// Instructions; those of block `b` are `first..first + len`.
    pub instructions: Vec<Instruction>,
    /// Whether their addresses are only their numbers, because nobody recorded addresses.
    pub is_numbered: bool,
    /// Where they are shown.
    pub listing: Option<ListingId>,
}

/// A basic block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// Its number in the file; need not be dense.
    pub id: u32,
    /// What a person calls it, such as `BB3`.
    pub label: String,
    /// Its first instruction.
    pub first: u32,
    pub len: u32,
    /// Whether a thread begins here.
    pub is_entry: bool,
    /// Whether a thread ends here.
    pub is_exit: bool,
    /// Rows of the blocks that may follow; empty where nothing is known.
    pub successors: Vec<u32>,
}

/// An instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instruction {
    /// Its address in the program.
    pub address: u64,
    /// Its assembly, as far as the file has it; the opcode at least.
    pub text: String,
    pub memory: Option<MemoryOperand>,
    /// The source line it was made of: file and line, from 1.
    pub source: Option<(String, u32)>,
}

impl Program {
    /// The address of an instruction, where it was recorded.
    pub fn address(&self, instruction: usize) -> Option<u64> {
        self.instructions.get(instruction).filter(|_| !self.is_numbered).map(|of| of.address)
    }
}

/// What an instruction does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryOperand {
    pub reads: bool,
    pub writes: bool,
    /// Whether it does both at once.
    pub is_atomic: bool,
    /// Bytes of one lane, at least 1; `None` where nobody recorded them.
    pub bytes: Option<u32>,
    /// Lanes that may give addresses, from the first on: bit 0 is the first.
    pub lanes: u32,
    pub space: Space,
}

impl MemoryOperand {
    /// Each lane loads a word of global memory.
    pub const LOAD: Self = Self {
        reads: true,
        writes: false,
        is_atomic: false,
        bytes: Some(4),
        lanes: u32::MAX,
        space: Space::Global,
    };
}

/// A memory that an instruction may reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Space {
    /// Memory of the device, also what is reached by generic addresses.
    #[default]
    Global,
    /// Memory of a group of threads.
    Shared,
    /// Memory of one thread.
    Local,
    Constant,
}

/// One run of a program by many threads.
pub struct Launch {
    /// Row of its program.
    pub program: u32,
    /// What a person calls it, such as `kernel-1`.
    pub name: String,
    /// Number of the entry of the bundle that says it.
    pub entry: u32,
    /// Groups of threads in each direction; zeros when nobody says.
    pub grid: [u32; 3],
    /// Threads of a group in each direction; zeros when nobody says.
    pub group: [u32; 3],
    /// Facts of its head, as name and value, in the order of the file.
    pub facts: Vec<(String, String)>,
    pub threads: Threads,
    pub executions: Executions,
    /// What they did in detail; `None` where nothing was recorded but the order.
    pub rows: Option<Box<dyn ExecutionRows>>,
    /// What says the order when the program's own flow was not recorded, such as "memory": blocks without records of it
    /// cannot be seen.
    pub order_from: Option<String>,
    /// Whether lanes were recorded once for each execution of a block: its instructions ran with these or, where they have
    /// a predicate, with fewer.
    pub has_block_masks: bool,
    /// Active lanes of all instructions, and how many instructions have them recorded, where they were counted one by one:
    /// executions keep rounded means.
    pub active_lanes: Option<(u64, u64)>,
    /// Whether each record is the access of one lane, and nothing tells whose: all stand on one thread.
    pub is_of_lanes: bool,
    /// What the head of the file announces and the file does not hold.
    pub absent: Absent,
}

/// What a file announces of a launch and does not hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Absent {
    /// Threads of which it has nothing.
    pub threads: u64,
    /// All threads that it announces; 0 where it announces none.
    pub of: u64,
    /// Instructions of the threads that it has.
    pub instructions: u64,
}

impl Launch {
    /// Whether records of it are missing.
    pub fn is_incomplete(&self) -> bool {
        self.executions.flags.iter().any(|flags| flags & INCOMPLETE != 0)
    }

    /// Bytes of a sector, as its head says.
    pub fn sector(&self) -> u64 {
        let said = self.facts.iter().find(|(name, _)| name == "sector_bytes");
        said.and_then(|(_, value)| value.parse().ok())
            .filter(|n| (1..=4_096).contains(n))
            .unwrap_or(pattern::SECTOR)
    }
}

/// The threads of a launch, ascending by group, then by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Threads {
    /// Number of each thread as the file has it.
    pub ids: Vec<u32>,
    /// For a hardware slot that ran several threads one after the other: which of them, from 0; empty when none did.
    pub instances: Vec<u32>,
    pub naming: Naming,
}

/// How the number of a thread is told, and into which groups threads fall.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Naming {
    /// As it is, behind this word.
    #[default]
    Plain,
    /// `group × warps + warp` of a grid: `CTA 1,0,0 warp 3`.
    Warps {
        /// Groups in each direction.
        grid: [u32; 3],
        /// Warps of a group, at least 1.
        warps: u32,
    },
    /// Bit fields, such as slice, EU and slot: name, shift, bits. All but the last make the group.
    Fields(Vec<(String, u32, u32)>),
}

impl Threads {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The name of a thread inside its group, such as `warp 3`.
    pub fn name(&self, row: usize) -> String {
        let id = self.ids.get(row).copied().unwrap_or(0);
        let name = match &self.naming {
            Naming::Plain => format!("thread {id}"),
            Naming::Warps { warps, .. } => format!("warp {}", id % (*warps).max(1)),
            Naming::Fields(fields) => fields.last().map_or_else(
                || format!("thread {id}"),
                |(name, shift, bits)| format!("{name} {}", field(id, *shift, *bits)),
            ),
        };
        match self.instances.get(row) {
            Some(instance) => format!("{name} #{}", u64::from(*instance) + 1),
            None => name,
        }
    }

    /// The group of a thread: a number that is equal for threads of one group, ascending with the rows.
    pub fn group(&self, row: usize) -> u32 {
        let id = self.ids.get(row).copied().unwrap_or(0);
        match &self.naming {
            Naming::Plain => 0,
            Naming::Warps { warps, .. } => id / (*warps).max(1),
            Naming::Fields(fields) => {
                let (_, own) = fields.split_last().map_or((None, &[][..]), |(last, rest)| (Some(last), rest));
                own.iter().fold(0, |mask, (_, shift, bits)| mask | (field(id, *shift, *bits) << (shift % 32)))
            }
        }
    }

    /// The name of the group of a thread, such as `CTA 1,0,0`; empty where all threads are of one.
    pub fn group_name(&self, row: usize) -> String {
        let id = self.ids.get(row).copied().unwrap_or(0);
        match &self.naming {
            Naming::Plain => String::new(),
            Naming::Warps { grid, warps } => {
                let number = id / (*warps).max(1);
                let [x, y, _] = grid.map(|n| n.max(1));
                format!("CTA {},{},{}", number % x, number / x % y, number / x / y)
            }
            Naming::Fields(fields) => {
                let own = fields.split_last().map_or(&[][..], |(_, rest)| rest);
                let parts =
                    own.iter().map(|(name, shift, bits)| format!("{name} {}", field(id, *shift, *bits)));
                parts.collect::<Vec<_>>().join(" ")
            }
        }
    }
}

/// A bit field of a number.
fn field(id: u32, shift: u32, bits: u32) -> u32 {
    let mask = if bits < 32 { (1_u32 << bits) - 1 } else { u32::MAX };
    id.checked_shr(shift).unwrap_or(0) & mask
}

/// What threads ran: columns of equal length, the executions of a thread one after the other in its own order. Columns that
/// nobody recorded are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Executions {
    /// Executions of thread `t` are `starts[t]..starts[t + 1]`; one more than there are threads.
    pub starts: Vec<u32>,
    /// Row of the block, or [`NO_BLOCK`].
    pub block: Vec<u32>,
    /// Mean of active lanes over the instructions, rounded; [`NO_LANES`] where unknown.
    pub lanes: Vec<u8>,
    /// Bytes that global accesses moved: distinct sectors × their bytes.
    pub moved: Vec<u32>,
    /// Distinct bytes of these that lanes asked for.
    pub used: Vec<u32>,
    /// Sectors beyond the fewest that would have done.
    pub excess: Vec<u32>,
    /// [`DIVERGENT`], [`UNCOALESCED`], [`INCOMPLETE`].
    pub flags: Vec<u8>,
    /// When it began.
    pub time: Vec<u64>,
}

/// Lanes part in it; or, where the file does not tell where, some lanes of the execution before did not run this one.
pub const DIVERGENT: u8 = 1;
/// A global access of it took more sectors than the fewest that would have done.
pub const UNCOALESCED: u8 = 2;
/// Records of it are missing.
pub const INCOMPLETE: u8 = 4;

/// Reads what an execution did from the file again.
pub trait ExecutionRows {
    /// The rows of one execution in the order in which they ran. Costs the bytes of the execution.
    ///
    /// # Errors
    /// Why the file cannot be read any more, as a sentence.
    fn rows(&self, launch: &Launch, program: &Program, execution: u32) -> Result<Vec<Executed>, String>;

    /// How often the file was read so far, which in the browser costs more than the rows: a step of work ends after some.
    fn reads(&self) -> u64 {
        0
    }
}

/// One instruction as one thread ran it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Executed {
    /// Row of the instruction in its program.
    pub instruction: u32,
    /// Lanes that ran it: bit 0 is the first; `None` where nobody recorded it.
    pub mask: Option<u32>,
    /// Addresses of the lanes of the mask, ascending by lane; empty without an access.
    pub addresses: Vec<u64>,
    pub registers: Vec<RegisterRow>,
    /// A rectangle of a surface that was read or written instead of addresses.
    pub area: Option<Area>,
    /// Why a record that belongs here is missing, an English phrase.
    pub missing: Option<&'static str>,
    /// Whether that record would have held its lanes, and the addresses of all of them.
    pub lost: [bool; 2],
}

/// A rectangle of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// Its first byte in a row.
    pub x: u32,
    /// Its first row.
    pub y: u32,
    /// Bytes of a row.
    pub width: u32,
    pub rows: u32,
}

impl Executed {
    /// Whether only one address was recorded of an access of more lanes; without a mask these are all lanes of the thread.
    pub fn is_base_only(&self, lanes: u32) -> bool {
        let lanes = self.mask.map_or(lanes, u32::count_ones) as usize;
        !self.addresses.is_empty() && self.addresses.len() < lanes
    }
}

/// Values of one register in an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegisterRow {
    /// Its number.
    pub register: u16,
    /// Lanes that have a value.
    pub mask: u32,
    /// Their values, ascending by lane.
    pub values: Vec<u64>,
}

/// All that was recorded of programs. Kept in `Trace::extensions`.
#[derive(Default)]
pub struct Recorded {
    pub programs: Vec<Program>,
    pub launches: Vec<Launch>,
    /// Named ranges of the memory of the device.
    pub regions: Vec<NamedRange>,
}

/// A named range of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedRange {
    pub name: String,
    /// Its first address.
    pub start: u64,
    /// Its length.
    pub bytes: u64,
}

// From an execution to the next one of its kind.

/// What is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// The same block in the same thread.
    Block,
    /// An execution where lanes drop out, in any thread.
    Divergent,
    /// One with more sectors than needed, in any thread.
    Uncoalesced,
}

impl Run<'_> {
    /// The next execution of a kind, in the order of threads; from the ends of all without one.
    pub fn step(&self, from: Option<u32>, kind: Kind, is_forward: bool) -> Option<u32> {
        let flag = match kind {
            Kind::Block => return self.step_block(from?, is_forward),
            Kind::Divergent => DIVERGENT,
            Kind::Uncoalesced => UNCOALESCED,
        };
        let flags = &self.launch.executions.flags;
        let n = flags.len();
        let holds = |at: usize| flags.get(at).is_some_and(|own| own & flag != 0);
        let is_empty = |at: usize| self.arranged.skips.get(at / SKIP).is_none_or(|own| own & flag == 0);
        let mut at = match (from, is_forward) {
            (Some(from), true) => from as usize + 1,
            (Some(from), false) => (from as usize).min(n).checked_sub(1)?,
            (None, true) => 0,
            (None, false) => n.checked_sub(1)?,
        };
        while at < n {
            if holds(at) {
                return Some(at as u32);
            }
            at = match (is_empty(at), is_forward) {
                (true, true) => (at / SKIP + 1) * SKIP,
                (true, false) => (at / SKIP * SKIP).checked_sub(1)?,
                (false, true) => at + 1,
                (false, false) => at.checked_sub(1)?,
            };
        }
        None
    }

    fn step_block(&self, from: u32, is_forward: bool) -> Option<u32> {
        let all = self.range(self.thread(from)?);
        let (at, blocks) = (from as usize, &self.launch.executions.block);
        let own = *blocks.get(at)?;
        let found = if is_forward {
            blocks.get(at + 1..all.end)?.iter().position(|block| *block == own).map(|by| at + 1 + by)
        } else {
            blocks.get(all.start..at)?.iter().rposition(|block| *block == own).map(|by| all.start + by)
        };
        found.map(|found| found as u32)
    }

    /// Which execution of its block in its thread one is, from 1, and how many there are.
    pub fn turn(&self, execution: u32) -> Option<(u64, u64)> {
        let all = self.range(self.thread(execution)?);
        let blocks = self.launch.executions.block.get(all.clone())?;
        let at = execution as usize - all.start;
        let own = *blocks.get(at)?;
        let count = |blocks: &[u32]| blocks.iter().filter(|block| **block == own).count() as u64;
        let (before, rest) = blocks.split_at_checked(at)?;
        let before = count(before);
        Some((before + 1, before + count(rest)))
    }
}
