//! Combines the records of several buffers into what each thread ran: linear, without sorting, without a clock.
//!
//! ```text
//! records of the order ──▶ Order ──▶ blocks by thread ──▶ Attaching ◀── all other records
//!                                                            └──▶ Executions, and where the records of each stand
//! ```
//! A thread reserves its slots in the order of its program, so the records of one thread in one buffer are in that order,
//! however threads are mixed. Each record of the flow is an execution of a block; of every other type the next `r(t, b)`
//! records of the thread belong to it. A record is kept as its place in the buffers, 4 bytes; nothing is copied.

mod attach;
mod batch;
pub mod beside;
mod cursor;
mod end;
mod lookup;
mod order;
mod result;
mod take;

pub(super) use lookup::Lookup;
pub(super) use order::{Arranging, Order};
pub(super) use result::Places;
pub(super) use take::Attaching;

use crate::systems::instrumentation::metrics::{Moved, moved};

/// Records of a thread in which the next one of a block is looked for.
pub(super) const LOOK_AHEAD: usize = 64;
/// Executions that a step walks over.
const STEP: usize = 1 << 19;
/// An instruction that a record does not name.
pub(super) const NO_INSTRUCTION: u32 = u32::MAX;

/// What is known of a program before it ran.
#[derive(Default)]
pub(super) struct Rules {
    /// Whether numbers of threads are slots of the hardware, which run several threads one after the other.
    pub(super) is_hardware: bool,
    /// Whether the files say what follows blocks.
    pub(super) has_successors: bool,
    /// The blocks.
    pub(super) blocks: Vec<BlockRule>,
    /// The types of records.
    pub(super) types: Vec<TypeRule>,
}

/// What is known of a block.
#[derive(Clone, Default)]
pub(super) struct BlockRule {
    /// Whether a thread begins here.
    pub(super) is_entry: bool,
    /// Whether a thread ends here.
    pub(super) is_exit: bool,
    /// Rows of the blocks that may follow.
    pub(super) successors: Vec<u32>,
}

/// What is known of a type of records.
#[derive(Clone, Default)]
pub(super) struct TypeRule {
    /// What it holds.
    pub(super) kind: Kind,
    /// What each block writes of it.
    pub(super) emits: Vec<Emit>,
}

/// What a block writes of one type.
#[derive(Clone, Default)]
pub(super) struct Emit {
    /// Records of one execution.
    pub(super) count: u32,
    /// Bytes of one of them, where they vary.
    pub(super) bytes: usize,
    /// The instruction in the block that each belongs to, or [`NO_INSTRUCTION`].
    pub(super) at: Vec<u32>,
}

/// What records of a type hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// Which block ran.
    Flow,
    /// An access.
    Memory,
    /// Active lanes.
    Simd,
    /// Values of a register.
    Register,
    /// Something else.
    #[default]
    Custom,
}

/// A record on its way; small, as millions are gathered.
#[derive(Clone, Copy, Default)]
pub(super) struct Item {
    /// Row of its block.
    pub(super) block: u32,
    /// Where it stands.
    pub(super) place: u32,
    /// What is in it.
    pub(super) facts: Facts,
}

/// What is in a record, as far as executions keep it.
#[derive(Clone, Copy, Default)]
pub(super) struct Facts {
    /// The instruction in the block; the highest bit says whether lanes of the thread did not run.
    code: u32,
    /// Lanes that ran it.
    pub(super) mask: u32,
}

impl Facts {
    /// `instruction` in the block or [`NO_INSTRUCTION`], lanes that ran it, and `all` that the thread had at its begin.
    #[inline]
    pub(super) fn new(instruction: u32, mask: u32, all: u32) -> Self {
        Self { code: instruction.min(PARTIAL - 1) | if all & !mask == 0 { 0 } else { PARTIAL }, mask }
    }

    /// The instruction in the block, or [`NO_INSTRUCTION`].
    #[inline]
    fn instruction(self) -> u32 {
        let instruction = self.code & !PARTIAL;
        if instruction == PARTIAL - 1 { NO_INSTRUCTION } else { instruction }
    }

    /// Whether lanes that the thread had at its begin did not run.
    #[inline]
    fn is_partial(self) -> bool {
        self.code & PARTIAL != 0
    }
}

/// Lanes that a thread had did not run.
const PARTIAL: u32 = 1 << 31;

/// What a record with the addresses of all lanes moved.
#[derive(Clone, Copy, Default)]
pub(super) struct Access {
    moved: Moved,
    /// Bytes of the sectors it moved.
    bytes: u32,
}

impl Access {
    /// What the lanes at these addresses moved.
    pub(super) fn new(addresses: &[u64], width: u64, sector: u64) -> Self {
        let moved = moved(addresses, width, sector);
        Self { moved, bytes: moved.bytes(sector) }
    }
}

/// A record, with or without the addresses of its lanes.
pub(super) trait Record: Copy + Default {
    /// The record.
    fn item(&self) -> &Item;
    /// What it moved; nothing where nobody knows.
    fn access(&self) -> Access;
}

impl Record for Item {
    #[inline]
    fn item(&self) -> &Item {
        self
    }

    #[inline]
    fn access(&self) -> Access {
        Access::default()
    }
}

impl Record for (Item, Access) {
    #[inline]
    fn item(&self) -> &Item {
        &self.0
    }

    #[inline]
    fn access(&self) -> Access {
        self.1
    }
}

/// Something that is wrong with the records.
pub(super) enum Event {
    /// A block followed that may not.
    Successor {
        /// Where its record stands.
        place: u32,
        /// Number of the thread.
        thread: u32,
        /// Row of the block before it.
        from: u32,
        /// Row of the block.
        to: u32,
    },
    /// Another block stood where records of one were expected.
    Sequence {
        /// Row of the type.
        of: usize,
        /// Where the record stands.
        place: u32,
        /// Number of the thread.
        thread: u32,
        /// Row of the expected block.
        expected: u32,
        /// Row of the found block.
        found: u32,
        /// Records that were passed over; `None` when the expected ones are missing.
        skipped: Option<u64>,
    },
    /// A stream ended before all executions had their records.
    Lost {
        /// Row of the type.
        of: usize,
        /// Number of the thread.
        thread: u32,
        /// Executions without all of their records.
        executions: u64,
    },
    /// Records are left over.
    Extra {
        /// Row of the type.
        of: usize,
        /// Where the first stands.
        place: u32,
        /// Number of the thread.
        thread: u32,
        /// How many.
        records: u64,
    },
    /// A record names another instruction than the plan.
    Instruction {
        /// Where it stands.
        place: u32,
        /// Row of the block.
        block: u32,
        /// The instruction of the plan.
        expected: u32,
        /// The instruction of the record.
        found: u32,
    },
}

impl Event {
    /// Where its record stands; `None` for records that are missing.
    pub(super) fn place(&self) -> Option<u32> {
        match self {
            Self::Lost { .. } => None,
            Self::Successor { place, .. }
            | Self::Sequence { place, .. }
            | Self::Extra { place, .. }
            | Self::Instruction { place, .. } => Some(*place),
        }
    }
}

/// Takes what is wrong.
pub(super) type Tell<'a> = &'a mut dyn FnMut(Event);
