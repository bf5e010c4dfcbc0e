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
mod cursor;
mod end;
mod order;
mod take;

pub(super) use order::{Arranging, Order};
pub(super) use take::Attaching;

use crate::base::map::Map;
use crate::systems::instrumentation::metrics::{Moved, moved};
use crate::views::executions::compute::{Executions, INCOMPLETE, Threads};
use cursor::Cursor;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle, available_parallelism};

/// Records of a thread in which the next one of a block is looked for.
pub(super) const LOOK_AHEAD: usize = 64;
/// Executions that a step walks over.
const STEP: usize = 1 << 19;
/// An instruction that a record does not name.
pub(super) const NO_INSTRUCTION: u32 = u32::MAX;

/// What is known of a program before it ran.
#[derive(Default)]
pub(crate) struct Rules {
    /// Whether numbers of threads are slots of the hardware, which run several threads one after the other.
    pub(super) is_hardware: bool,
    /// Whether the files say what follows blocks.
    pub(super) has_successors: bool,
    pub(super) blocks: Vec<BlockRule>,
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
pub(crate) struct Emit {
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
    Memory,
    /// Active lanes.
    Simd,
    Register,
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
        place: u32,
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
        place: u32,
        thread: u32,
        expected: u32,
        found: u32,
        /// Records that were passed over; `None` when the expected ones are missing.
        skipped: Option<u64>,
    },
    /// A stream ended before all executions had their records.
    Lost {
        /// Row of the type.
        of: usize,
        thread: u32,
        /// Executions without all of their records.
        executions: u64,
    },
    /// Records are left over.
    Extra {
        /// Row of the type.
        of: usize,
        place: u32,
        thread: u32,
        records: u64,
    },
    /// A record names another instruction than the plan.
    Instruction {
        place: u32,
        /// Row of the block.
        block: u32,
        expected: u32,
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

// Rows of numbers that files name: dense for small numbers, a map for the rest.

/// Numbers below this have a place of their own.
const DENSE: u32 = 1 << 20;
/// No row.
const NONE: u32 = u32::MAX;

/// Gives each number a row, in the order in which they come.
#[derive(Default)]
pub(crate) struct Lookup {
    dense: Vec<u32>,
    sparse: Map<u32, u32>,
    ids: Vec<u32>,
}

impl Lookup {
    /// The numbers by their rows.
    pub(crate) fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// The row of a number.
    #[inline]
    pub(crate) fn get(&self, id: u32) -> Option<u32> {
        if id < DENSE {
            return self.dense.get(id as usize).copied().filter(|row| *row != NONE);
        }
        self.sparse.get(&id).copied()
    }

    /// The row of a number, which gets one where it has none.
    #[inline]
    pub(crate) fn row(&mut self, id: u32) -> u32 {
        self.get(id).unwrap_or_else(|| self.add(id))
    }

    #[cold]
    fn add(&mut self, id: u32) -> u32 {
        let row = u32::try_from(self.ids.len()).unwrap_or(NONE);
        self.ids.push(id);
        self.set(id, row);
        row
    }

    fn set(&mut self, id: u32, row: u32) {
        if DENSE <= id {
            self.sparse.insert(id, row);
            return;
        }
        let at = id as usize;
        if self.dense.len() <= at {
            self.dense.resize(at + 1, NONE);
        }
        if let Some(slot) = self.dense.get_mut(at) {
            *slot = row;
        }
    }

    /// Puts the numbers in another order: the row that each new row was.
    pub(crate) fn arrange(&mut self, order: &[u32]) {
        self.ids = order.iter().filter_map(|row| self.ids.get(*row as usize).copied()).collect();
        let ids = std::mem::take(&mut self.ids);
        for (row, id) in (0..).zip(&ids) {
            self.set(*id, row);
        }
        self.ids = ids;
    }
}

// What came of combining: executions, and where the records of each stand.

/// Executions between two marks.
const MARK: u32 = 256;

/// The records of one type that were attached.
#[derive(Default)]
pub(crate) struct Stream {
    /// First place of each slot; one more than there are slots.
    starts: Vec<u64>,
    /// Where the records stand, by slot, in the order of executions.
    places: Vec<u32>,
    /// Row in `places` of the first record of each 256th execution.
    marks: Vec<u32>,
    /// Executions that got fewer records than they should, and how many; not those behind the end of a stream.
    gaps: Map<u32, u32>,
    /// Where each slot is; at the end, where its stream ended.
    cursors: Vec<Cursor>,
    /// Records of each slot, where they are counted.
    counts: Vec<u32>,
    /// Whether its records say how many lanes ran.
    has_lanes: bool,
    /// Executions of the slot that is being ended without all of their records.
    lost: u64,
}

/// What came of combining.
pub(crate) struct Combined {
    pub(crate) threads: Threads,
    pub(crate) executions: Executions,
    rules: Arc<Rules>,
    slots: Vec<u32>,
    streams: Vec<Option<Stream>>,
}

/// Where records stand, without what executions are.
pub(crate) struct Places {
    pub(crate) rules: Arc<Rules>,
    slots: Vec<u32>,
    streams: Vec<Option<Stream>>,
}

impl Combined {
    /// What is kept by whom.
    pub(crate) fn split(self) -> (Threads, Executions, Places) {
        let Self { threads, executions, rules, slots, streams } = self;
        (threads, executions, Places { rules, slots, streams })
    }
}

impl Places {
    /// The records of one execution that there are of a type: what its block writes, and where those stand that came.
    /// `None` for a type without buffers, or that the block does not write.
    pub(crate) fn of(&self, executions: &Executions, execution: u32, of: usize) -> Option<(&Emit, &[u32])> {
        let rule = self.rules.types.get(of)?;
        let stream = self.streams.get(of)?.as_ref()?;
        let emit_of = |execution: u32| rule.emits.get(*executions.block.get(execution as usize)? as usize);
        let emit = emit_of(execution).filter(|emit| 0 < emit.count)?;
        let slot = self.slots.partition_point(|start| *start <= execution).checked_sub(1)?;
        let first = *self.slots.get(slot)?;
        let cursor = stream.cursors.get(slot)?;
        let taken = |execution: u32| {
            let count = emit_of(execution).map_or(0, |emit| emit.count);
            let flags = executions.flags.get(execution as usize).copied().unwrap_or(0);
            match flags & INCOMPLETE {
                0 => count,
                _ if 0 < cursor.left && cursor.next < execution => 0,
                _ if 0 < cursor.left && cursor.next == execution => count - cursor.left.min(count),
                _ => stream.gaps.get(&execution).copied().unwrap_or(count),
            }
        };
        let marked = execution / MARK * MARK;
        let (from, at) = if first < marked {
            (marked, u64::from(*stream.marks.get((marked / MARK) as usize)?))
        } else {
            (first, *stream.starts.get(slot)?)
        };
        let at = usize::try_from((from..execution).fold(at, |at, e| at + u64::from(taken(e)))).ok()?;
        let end = at + taken(execution) as usize;
        Some((emit, stream.places.get(at..end).unwrap_or(&[])))
    }
}

// Work on batches that goes on beside the gathering of the next ones, where the machine has a thread for it.

/// Looks at batches, one after the other.
pub trait Work<B>: Default + Send + 'static {
    /// Looks at a batch, and leaves it empty but for what it has to tell.
    fn work(&mut self, batch: &mut B);
}

/// Batches that wait at most, beside the one that is looked at.
const WAITING: usize = 1;

/// Work that is done here, or by another thread.
#[derive(Default)]
pub struct Beside<W, B> {
    /// The work; an empty one while another thread has it.
    work: W,
    thread: Option<Thread<W, B>>,
}

/// The other thread.
struct Thread<W, B> {
    batches: SyncSender<B>,
    done: Receiver<B>,
    /// Batches that it has.
    n: usize,
    handle: JoinHandle<W>,
}

impl<W: Work<B>, B: Default + Send + 'static> Beside<W, B> {
    /// Begins without another thread.
    pub fn new(work: W) -> Self {
        Self { work, thread: None }
    }

    /// Has a batch looked at, now or soon, and leaves one in its place that was: what that has to tell is of an earlier
    /// batch. Another thread is begun for batches of many records only, as beginning one takes time.
    pub fn give(&mut self, batch: &mut B, has_many: bool) {
        if has_many && self.thread.is_none() {
            self.begin();
        }
        let Some(thread) = &mut self.thread else { return self.work.work(batch) };
        let next = if thread.n <= WAITING { Ok(B::default()) } else { thread.done.recv() };
        // One that cannot be given is lost with the thread, which is told when it is waited for.
        thread.n += usize::from(thread.n <= WAITING);
        let given = thread.batches.send(std::mem::replace(batch, next.unwrap_or_default()));
        drop(given);
    }

    /// Gives the work to another thread, if there can be one: in a browser there is none.
    fn begin(&mut self) {
        if available_parallelism().map_or(1, usize::from) < 2 {
            return;
        }
        let (batches, given) = sync_channel::<B>(WAITING);
        let (finished, done) = channel();
        let (lend, lent) = channel::<W>();
        let run = move || {
            let mut work = lent.recv().unwrap_or_default();
            for mut batch in given {
                work.work(&mut batch);
                if finished.send(batch).is_err() {
                    break;
                }
            }
            work
        };
        let Ok(handle) = Builder::new().name("combine".to_owned()).spawn(run) else { return };
        match lend.send(std::mem::take(&mut self.work)) {
            Ok(()) => self.thread = Some(Thread { batches, done, n: 0, handle }),
            Err(work) => self.work = work.0,
        }
    }

    /// Waits until all batches were looked at, and hands on those with something to tell.
    pub fn end(&mut self, mut take: impl FnMut(B)) {
        let Some(Thread { batches, done, handle, .. }) = self.thread.take() else { return };
        drop(batches);
        match handle.join() {
            Ok(work) => self.work = work,
            Err(panic) => std::panic::resume_unwind(panic),
        }
        done.into_iter().for_each(&mut take);
    }

    /// The work; all that was given must have ended.
    #[inline]
    pub fn work(&mut self) -> &mut W {
        debug_assert!(self.thread.is_none(), "another thread still has the work");
        &mut self.work
    }

    fn into_work(self) -> W {
        self.work
    }
}
