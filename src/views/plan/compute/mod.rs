//! Plans of trace buffers: how many records of each type the blocks of an instrumented program write, and how many bytes
//! their buffers take.
//!
//! `N(t) = Σ over blocks b of r(t, b) × c(b)`, `S(t) = N(t) × z(t)`, `total = Σ S(t)`: `r` records of type `t` that one
//! execution of block `b` writes, `c` its executions over all threads, `z` bytes of a record.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use crate::base::words::{Message, message, phrase};
use crate::views::executions::compute::{Block, Program};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

mod allocation;
mod count;
mod edits;
mod sheet;
mod shown;
mod subject;

pub use allocation::{Allocation, Layout, Room, Slack};
pub use count::{BlockCounts, Counted, count};
pub use edits::{
    CAP, COUNTS, COUNTS_FROM, Edits, FILE, KERNEL, LAYOUT, PAGE, PARAMETERS, RECORDS, SIZES, SLACK, WITHOUT,
};
pub use sheet::{Sheet, SheetBlock, SheetType};
pub use shown::{BufferRow, Emitter, Plan, Saving, SizeRow, emitters, plan, sheet_of, sizes};
pub use subject::{Source, Subject, key, keys, records_read, subjects};

/// What the files of a document say of buffers. Kept in `Trace::extensions`.
#[derive(Clone, Debug, Default)]
pub struct PlanInput {
    /// A plan for each kernel, or launch of it, that something is known of.
    pub kernels: Vec<KernelPlan>,
    /// Sizes of whole kernels, without blocks.
    pub sizes: Vec<KernelSize>,
    /// What kernels would take with one record for a whole execution of a block.
    pub packed: Vec<PackedRecords>,
}

/// Another way to record memory accesses: one record for a whole execution of a block, as a tool lays it out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackedRecords {
    /// Row of the kernel in [`PlanInput::kernels`].
    pub kernel: u32,
    /// What this way is called, an English phrase.
    pub title: &'static str,
    /// Row of the type whose records it takes together.
    pub record_type: u32,
    /// Bytes of a record by block; 0 for blocks that write none.
    pub bytes: Vec<u64>,
    /// Of these, what a record has before what it takes together.
    pub head: u64,
    /// Bytes that are added to the buffer.
    pub slack: u64,
}

/// What is known of the buffers of one kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KernelPlan {
    /// What a person calls it.
    pub name: String,
    /// Number of the entry of the bundle that says it.
    pub entry: u32,
    /// Row of its program in `executions::Recorded`.
    pub program: Option<u32>,
    /// Types of records, in the order of the file.
    pub types: Vec<RecordType>,
    pub blocks: Vec<PlanBlock>,
    /// Where the counts come from, an English phrase such as "first run"; empty without counts.
    pub counts_from: String,
    /// Executions by thread: number of the thread, and row and executions of its blocks; empty when not known.
    pub by_thread: Vec<(u32, Vec<(u32, u64)>)>,
    /// Buffers that were written by a run.
    pub buffers: Vec<BufferUse>,
    /// What was checked of them: code, rows of the types it is about, outcome.
    pub checks: Vec<Check>,
}

/// A type of records.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordType {
    /// Its number in the file, from 1.
    pub id: u32,
    pub name: String,
    /// flow, memory, simd, register or custom.
    pub kind: String,
    /// Its layout, such as `mem-base`; empty when nobody says.
    pub layout: String,
    /// Bytes of a record; 0 where they vary by block.
    pub bytes: u64,
}

/// A block of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanBlock {
    /// Its number in the file.
    pub id: u32,
    /// What a person calls it.
    pub label: String,
    /// Address of its first and of its last instruction; `None` where records have none.
    pub addresses: Option<(u64, u64)>,
    pub instructions: u32,
    /// entry, loop, exit; empty for none.
    pub role: String,
    /// Records of each type that one execution writes, and their bytes together where these vary (else 0).
    pub records: Vec<(u64, u64)>,
    /// The instruction of the block that each record belongs to, by type, as the file says; `None` is the entry of the
    /// block. Empty for types of which no file says it.
    pub at: Vec<Vec<Option<u32>>>,
    /// Executions over all threads.
    pub count: Option<u64>,
}

/// One buffer that a run wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BufferUse {
    /// Row of its type; `None` for a single one of all types.
    pub record_type: Option<u32>,
    /// Its thread, where each has its own.
    pub thread: Option<u32>,
    /// Number of the entry of the bundle.
    pub entry: u32,
    /// Bytes that were allocated.
    pub capacity: u64,
    /// Bytes that were reserved; more than the capacity when it overflowed.
    pub next: u64,
    /// Records that were read from it.
    pub records: u64,
    /// Records that were lost.
    pub lost: u64,
    /// Records that were reserved and never written.
    pub holes: u64,
    /// Records that its file ends before.
    pub cut: u64,
}

/// What came of one check.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// Its code, such as `GMT-OVF`.
    pub code: String,
    /// Row of the type it is about.
    pub record_type: Option<u32>,
    /// `Some(true)` when it holds, `None` when it could not be checked.
    pub holds: Option<bool>,
    /// What was found, or why it could not be checked.
    pub text: crate::base::words::Message,
}

/// The size that the trace of a kernel takes, as a first run found it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelSize {
    /// Unique name of the kernel.
    pub name: String,
    /// Bytes of one launch.
    pub bytes: u64,
    /// Threads of that launch, when the file says.
    pub threads: Option<u64>,
    /// The launch; `None` for the greatest of all.
    pub launch: Option<u64>,
    /// What ran it, such as "Level Zero"; empty when the file does not say.
    pub platform: String,
}

// What a plan is for, and what its letters and its types of records mean, in sentences.

/// How a plan is used: count, size, record.
pub const STEPS: [&str; 3] = [
    phrase("First run: count how often each block runs."),
    phrase(
        "Size the buffers: for each type, records × executions × bytes per record, summed over the blocks.",
    ),
    phrase(
        "Second run: record into these buffers, then combine each thread's records in the order of its blocks.",
    ),
];

/// Records that one execution of a block writes.
pub const R: &str = phrase("r: records of this type written per execution of the block");
/// Executions of a block.
pub const C: &str = phrase("c: executions of the block, over all threads");
/// Bytes of a record.
pub const Z: &str = phrase("z: bytes per record of this type");

/// What records of a kind say; `None` for kinds that only the file knows.
pub fn meaning_of(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "flow" => phrase(
            "Flow records: one per block execution. They give the order in which a thread executed its blocks.",
        ),
        "memory" => phrase(
            "Memory records: one per memory access, with the first address or the address of each lane.",
        ),
        "simd" => phrase("SIMD records: the active lanes, per block execution or per instruction."),
        "register" => phrase("Register records: register values at an instruction."),
        _ => return None,
    })
}

// From a program to a plan: which records its blocks write when nobody says.

/// One record of each execution for control flow and active lanes, one of each memory instruction, none of registers.
/// Records of memory and registers have room for `lanes` lanes.
pub fn default_types(lanes: u32, has_wide_addresses: bool) -> Vec<RecordType> {
    let lanes = u64::from(lanes.clamp(1, 32));
    let (memory, address) = if has_wide_addresses { ("mem-lanes64", 8) } else { ("mem-lanes32", 4) };
    let all = [
        ("flow", "flow", "flow8", 8),
        ("mem", "memory", memory, 16 + address * lanes),
        ("simd", "simd", "simd16", 16),
        ("reg", "register", "reg-lanes32", (16 + 4 * lanes).next_multiple_of(8)),
    ];
    let types = (1..).zip(all).map(|(id, (name, kind, layout, bytes))| RecordType {
        id,
        name: name.to_owned(),
        kind: kind.to_owned(),
        layout: layout.to_owned(),
        bytes,
    });
    types.collect()
}

/// What one execution of a block writes of each type.
pub fn records_of(program: &Program, block: usize, types: &[RecordType]) -> Vec<(u64, u64)> {
    let accesses = program.blocks.get(block).map_or(0, |block| {
        let own = program.instructions.iter().skip(block.first as usize).take(block.len as usize);
        own.filter(|one| one.memory.is_some()).count() as u64
    });
    let of = |one: &RecordType| match one.kind.as_str() {
        "flow" | "simd" => (1, 0),
        "memory" => (accesses, 0),
        _ => (0, 0),
    };
    types.iter().map(of).collect()
}

impl PlanBlock {
    /// A block of a program without records and executions.
    pub fn of(program: &Program, row: usize) -> Self {
        let Some(block) = program.blocks.get(row) else { return Self::default() };
        let last = block.first.saturating_add(block.len.max(1) - 1);
        let addresses = program.address(block.first as usize).zip(program.address(last as usize));
        Self {
            id: block.id,
            label: block.label.clone(),
            addresses,
            instructions: block.len,
            role: role(program, row, block).to_owned(),
            records: Vec::new(),
            at: Vec::new(),
            count: None,
        }
    }
}

/// entry, exit, loop; a block that is several of them is the first.
fn role(program: &Program, row: usize, block: &Block) -> &'static str {
    let is_back = |from: usize, to: u32| to as usize <= from;
    let is_target = || {
        let from = program.blocks.iter().enumerate().skip(row);
        from.into_iter()
            .any(|(from, block)| block.successors.iter().any(|to| *to as usize == row && is_back(from, *to)))
    };
    if block.is_entry {
        phrase("entry")
    } else if block.is_exit {
        phrase("exit")
    } else if block.successors.iter().any(|to| is_back(row, *to)) || is_target() {
        phrase("loop")
    } else {
        ""
    }
}

/// The plan of a program that no file speaks of.
pub fn plan_of(program: &Program, row: u32) -> KernelPlan {
    let types = default_types(program.lanes, true);
    let block = |at| PlanBlock { records: records_of(program, at, &types), ..PlanBlock::of(program, at) };
    let blocks = (0..program.blocks.len()).map(block).collect();
    let (name, entry) = (program.name.clone(), program.entry);
    KernelPlan { name, entry, program: Some(row), blocks, types, ..KernelPlan::default() }
}

// A plan that was saved: what `plan-json` writes and `--plan` reads again.

/// A saved plan. What it does not say stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Saved {
    pub types: Vec<SavedType>,
    pub blocks: Vec<SavedBlock>,
}

/// A type of a saved plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedType {
    pub name: String,
    /// flow, memory, simd, register or custom.
    pub kind: String,
    pub layout: String,
    pub record_bytes: Option<u64>,
    pub left_out: bool,
}

/// A block of a saved plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedBlock {
    /// What a person calls it.
    pub label: String,
    /// Executions over all threads.
    pub executions: Option<u64>,
    /// Records of one execution by the name of their type.
    pub records: BTreeMap<String, u64>,
    pub left_out: bool,
}

impl Saved {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, Message> {
        serde_json::from_str(text).map_err(|error| {
            message("The saved plan was not loaded: {error}").with("error", error.to_string())
        })
    }

    /// Puts what it says into a sheet; returns what does not fit.
    fn apply(&self, sheet: &mut Sheet) -> Vec<Message> {
        for own in &self.types {
            let known = sheet.types.iter_mut().find(|one| one.record_type.name == own.name);
            if let Some(known) = known {
                known.set_bytes(own.record_bytes.unwrap_or(known.bytes));
                known.is_out |= own.left_out;
            }
        }
        let mut unknown = 0_u64;
        for own in &self.blocks {
            let Some(known) = sheet.blocks.iter_mut().find(|one| one.block.label == own.label) else {
                unknown += 1;
                continue;
            };
            known.is_out |= own.left_out;
            if let Some(count) = own.executions {
                known.set_count(count);
            }
            for (name, records) in &own.records {
                if let Some(at) = sheet.types.iter().position(|one| one.record_type.name == *name) {
                    known.set_records(at, *records);
                }
            }
        }
        let unknown = (unknown != 0).then_some(unknown);
        unknown
            .map(|n| message("{n} blocks of the saved plan are not in this program").with("n", n))
            .into_iter()
            .collect()
    }
}

// What a table adds up to: `N(t) = Σ r(t, b) × c(b)`, `S(t) = N(t) × z(t)`, `total = Σ S(t)`.

/// The largest number that is counted: beyond it programs that read JSON would round.
pub const LARGEST: u64 = 1 << 53;

/// Sums. What is not known is `None`: counts are missing, or it exceeds [`LARGEST`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sums {
    /// Records by type, of blocks that are not left out.
    pub records: Vec<Option<u64>>,
    /// Bytes by type, of blocks that are not left out.
    pub bytes: Vec<Option<u64>>,
    /// Bytes by block, of types that are not left out.
    pub of_block: Vec<Option<u64>>,
    /// Bytes by block, then type, whatever is left out.
    pub cells: Vec<Vec<Option<u64>>>,
    /// Records of what is not left out.
    pub total_records: Option<u64>,
    /// Bytes of what is not left out.
    pub total: Option<u64>,
    /// Bytes without leaving anything out.
    pub whole: Option<u64>,
    /// The cell with most bytes: block and type.
    pub hottest: Option<(usize, usize)>,
    /// Whether a number exceeds [`LARGEST`].
    pub is_too_large: bool,
    /// How many blocks write records and have no count.
    pub uncounted: usize,
}

/// A number, or what is wrong with it.
#[derive(Clone, Copy)]
struct Sum {
    n: u128,
    is_known: bool,
}

impl Sum {
    const ZERO: Self = Self { n: 0, is_known: true };

    fn plus(self, other: Self) -> Self {
        Self { n: self.n.saturating_add(other.n), is_known: self.is_known && other.is_known }
    }

    fn value(self) -> Option<u64> {
        u64::try_from(self.n).ok().filter(|n| self.is_known && *n <= LARGEST)
    }

    fn is_too_large(self) -> bool {
        u128::from(LARGEST) < self.n
    }
}

impl Sums {
    /// Adds a table up. Costs blocks × types.
    pub fn of(sheet: &Sheet) -> Self {
        let n_types = sheet.types.len();
        let mut records = vec![Sum::ZERO; n_types];
        let mut bytes = vec![Sum::ZERO; n_types];
        let (mut whole, mut sums) = (Sum::ZERO, Self::default());
        let mut largest = 0;
        for (row, block) in sheet.blocks.iter().enumerate() {
            let mut of_block = Sum::ZERO;
            let mut cells = Vec::with_capacity(n_types);
            let of_types = records.iter_mut().zip(&mut bytes);
            for ((of, one), (records, bytes)) in sheet.types.iter().enumerate().zip(of_types) {
                let (n, size) = cell(block, of, one.bytes);
                cells.push(size.value());
                sums.is_too_large |= n.is_too_large() || size.is_too_large();
                whole = whole.plus(size);
                if !one.is_out {
                    of_block = of_block.plus(size);
                }
                if !block.is_out {
                    (*records, *bytes) = (records.plus(n), bytes.plus(size));
                }
                if !one.is_out && !block.is_out && largest < size.n && size.is_known {
                    (largest, sums.hottest) = (size.n, Some((row, of)));
                }
            }
            sums.uncounted += usize::from(block.count.is_none() && block.records.iter().any(|n| *n != 0));
            sums.of_block.push(of_block.value());
            sums.cells.push(cells);
        }
        let included = |all: &[Sum]| {
            let own = sheet.types_in().filter_map(|(of, _)| all.get(of).copied());
            own.fold(Sum::ZERO, Sum::plus)
        };
        let (n, total) = (included(&records), included(&bytes));
        sums.is_too_large |= n.is_too_large() || total.is_too_large();
        sums.total_records = n.value();
        sums.total = total.value();
        sums.whole = whole.value();
        sums.records = records.into_iter().map(Sum::value).collect();
        sums.bytes = bytes.into_iter().map(Sum::value).collect();
        sums
    }

    /// The share of the total that some bytes have, 0 to 1.
    pub fn share(&self, bytes: Option<u64>) -> Option<f64> {
        let total = self.total.filter(|total| *total != 0)?;
        Some(bytes? as f64 / total as f64)
    }
}

/// Records and bytes of a cell.
fn cell(block: &SheetBlock, of: usize, size: u64) -> (Sum, Sum) {
    let records = u128::from(block.records.get(of).copied().unwrap_or(0));
    let one = block.bytes(of, size).map_or(u128::MAX, u128::from);
    match block.count {
        Some(count) => {
            let times = |n: u128| Sum { n: n.saturating_mul(u128::from(count)), is_known: true };
            (times(records), times(one))
        }
        None => {
            let unknown = Sum { n: 0, is_known: records == 0 };
            (unknown, unknown)
        }
    }
}
