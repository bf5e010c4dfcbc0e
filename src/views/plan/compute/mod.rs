//! Plans of trace buffers: how many records of each type the blocks of an instrumented program write, and how many bytes
//! their buffers take.
//!
//! `N(t) = Σ over blocks b of r(t, b) × c(b)`, `S(t) = N(t) × z(t)`, `total = Σ S(t)`: `r` records of type `t` that one
//! execution of block `b` writes, `c` its executions over all threads, `z` bytes of a record.

use serde::{Deserialize, Serialize};

mod allocation;
mod count;
mod edits;
mod explained;
mod parameters;
mod program;
mod saved;
mod sheet;
mod shown;
mod subject;
mod sums;

pub use allocation::{Allocation, Layout, Room, Slack};
pub use count::{BlockCounts, Counted, count};
pub use edits::Edits;
pub use explained::{C, R, STEPS, Z, meaning_of};
pub use parameters::{
    CAP, COUNTS, COUNTS_FROM, FILE, KERNEL, LAYOUT, PAGE, PARAMETERS, RECORDS, SIZES, SLACK, WITHOUT,
};
pub use program::{default_types, plan_of, records_of};
pub use saved::{Saved, SavedBlock, SavedType};
pub use sheet::{Sheet, SheetBlock, SheetType};
pub use shown::{BufferRow, Emitter, Plan, Saving, SizeRow, emitters, plan, sheet_of, sizes};
pub use subject::{Source, Subject, key, keys, records_read, subjects};
pub use sums::{LARGEST, Sums};

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
    /// Its blocks.
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
    /// Its name.
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
    /// Address of its first and of its last instruction.
    pub addresses: (u64, u64),
    /// How many instructions it has.
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
