//! What records say, in the order in which they arrive: kernels, their launches, and columns of what threads did.

mod settle;

pub(super) use settle::{Settled, Told, settle};

use super::LaunchHead;
use crate::base::map::{Map, Set};
use crate::input::limits;
use crate::systems::instrumentation::metrics::{Meter, Moved, SECTOR, moved};
use crate::views::executions::compute::{DIVERGENT, INCOMPLETE, MemoryOperand, NO_LANES, Space, UNCOALESCED};

/// One record.
pub(super) struct Record<'a> {
    pub(super) opcode: &'a str,
    pub(super) pc: Option<u64>,
    pub(super) cta: [u32; 3],
    pub(super) warp: u32,
    pub(super) sm: Option<u32>,
    /// Lanes that ran it, where they are known.
    pub(super) mask: Option<u32>,
    /// What these lanes asked for.
    pub(super) addresses: &'a [u64],
    /// What the record says of memory beside its opcode.
    pub(super) memory: Option<MemoryOperand>,
    /// Where the record begins.
    pub(super) place: u64,
    /// Whether some of it is missing.
    pub(super) is_incomplete: bool,
}

/// All that was collected of one entry.
#[derive(Default)]
pub(super) struct Collector {
    kernels: Vec<Kernel>,
    kernel_rows: Map<(u64, String), usize>,
    runs: Vec<Run>,
    /// The launch of a context and of a number that its records say, and the last that was asked for.
    of_records: Map<(u64, Option<u64>), usize>,
    last: Option<((u64, Option<u64>), usize)>,
    /// How much greater the numbers of launches are than those that their records say.
    ahead: Option<u64>,
}

/// A kernel: what is known of its code.
struct Kernel {
    name: String,
    instructions: Vec<Found>,
    rows: Map<Option<u64>, Vec<u32>>,
}

/// An instruction that some record names.
struct Found {
    pc: Option<u64>,
    opcode: String,
    memory: Option<MemoryOperand>,
}

/// A launch with its records in the order of the file.
struct Run {
    kernel: usize,
    head: LaunchHead,
    /// Where its line stands: byte and number.
    line: Option<(u64, u32)>,
    has_records: bool,
    order_from: Option<&'static str>,
    threads: Map<([u32; 3], u32), u32>,
    keys: Vec<ThreadKey>,
    sms: Set<u32>,
    thread: Vec<u32>,
    block: Vec<u32>,
    lanes: Vec<u8>,
    moved: Vec<u32>,
    used: Vec<u32>,
    excess: Vec<u32>,
    flags: Vec<u8>,
    place: Vec<u64>,
    /// Whether lanes of all accesses are known, so that what they moved can be told.
    has_moved: bool,
    /// Whether all records are an access of a lane that nothing names.
    is_of_lanes: bool,
    /// By row of the instruction in the kernel.
    meter: Meter,
}

/// A thread, the lanes of its last record, and how many records it has.
struct ThreadKey {
    cta: [u32; 3],
    warp: u32,
    mask: u32,
    n: u32,
}

impl Collector {
    /// A launch that the file announces.
    pub(super) fn launch(&mut self, head: LaunchHead, line: Option<(u64, u32)>) -> usize {
        // Old versions count on before they print the number.
        self.ahead = self.ahead.or_else(|| head.id.map(|id| u64::from(id == 1)));
        let key = (head.pc, head.name.clone());
        let kernels = &mut self.kernels;
        let kernel = *self.kernel_rows.entry(key).or_insert_with(|| {
            kernels.push(Kernel { name: head.name.clone(), instructions: Vec::new(), rows: Map::default() });
            kernels.len() - 1
        });
        self.runs.push(Run::new(kernel, head, line));
        self.runs.len() - 1
    }

    /// The launch that came last; one without a head when there is none.
    pub(super) fn last_launch(&mut self) -> usize {
        match self.runs.len().checked_sub(1) {
            Some(last) => last,
            None => self.launch(LaunchHead::default(), None),
        }
    }

    /// The launch of records that say this number: the one whose line has it, else the next in order without records.
    pub(super) fn launch_of(&mut self, context: u64, id: Option<u64>) -> usize {
        if id.is_none() && !self.runs.is_empty() {
            return self.last_launch();
        }
        let key = (context, id);
        if let Some((last, run)) = self.last
            && last == key
        {
            return run;
        }
        let run = match self.of_records.get(&key) {
            Some(run) => *run,
            None => self.match_launch(context, id),
        };
        self.of_records.insert(key, run);
        self.last = Some((key, run));
        run
    }

    fn match_launch(&mut self, context: u64, id: Option<u64>) -> usize {
        let free = |run: &Run| !run.has_records && run.line.is_some() && run.head.context == context;
        let printed = id.zip(self.ahead).map(|(id, ahead)| id.saturating_add(ahead));
        let by_number = self.runs.iter().position(|run| free(run) && run.head.id == printed);
        let found = by_number.or_else(|| self.runs.iter().position(free));
        found.unwrap_or_else(|| {
            let ahead = self.ahead.take();
            let run = self.launch(LaunchHead { context, id, ..LaunchHead::default() }, None);
            self.ahead = ahead;
            run
        })
    }

    /// Says what the order of a launch comes from.
    pub(super) fn order(&mut self, run: usize, from: Option<&'static str>) {
        if let Some(run) = self.runs.get_mut(run).filter(|run| !run.has_records) {
            run.order_from = from;
        }
    }

    /// Takes in a record of a launch.
    pub(super) fn push(&mut self, run: usize, record: &Record) {
        let Some(run) = self.runs.get_mut(run).filter(|run| run.block.len() < limits::ROWS) else { return };
        let Some(kernel) = self.kernels.get_mut(run.kernel) else { return };
        let (row, memory) = kernel.row(record);
        run.push(row, memory, record);
    }
}

impl Kernel {
    /// The row of an instruction, and what it does to memory.
    fn row(&mut self, record: &Record) -> (u32, Option<MemoryOperand>) {
        let rows = self.rows.entry(record.pc).or_default();
        let side = super::opcode_side(record.opcode, record.addresses);
        for row in rows.iter() {
            let is_same = |found: &&mut Found| {
                found.opcode == record.opcode
                    && side.is_none_or(|side| found.memory.is_some_and(|memory| memory.space == side))
            };
            let found = self.instructions.get_mut(*row as usize).filter(is_same);
            if let Some(found) = found {
                let known = found.memory.as_mut().zip(record.memory);
                if let Some((memory, said)) = known {
                    memory.bytes = memory.bytes.max(said.bytes);
                }
                return (*row, found.memory);
            }
        }
        let row = u32::try_from(self.instructions.len()).unwrap_or(u32::MAX);
        let mut memory = record.memory.or_else(|| super::opcode_operand(record.opcode));
        if let Some((memory, space)) = memory.as_mut().zip(side) {
            (memory.space, memory.reads, memory.writes) =
                (space, space == Space::Global, space == Space::Shared);
        }
        let opcode = record.opcode.to_owned();
        rows.push(row);
        self.instructions.push(Found { pc: record.pc, opcode, memory });
        (row, memory)
    }
}

impl Run {
    fn new(kernel: usize, head: LaunchHead, line: Option<(u64, u32)>) -> Self {
        Self {
            kernel,
            head,
            line,
            has_records: false,
            order_from: None,
            threads: Map::default(),
            keys: Vec::new(),
            sms: Set::default(),
            thread: Vec::new(),
            block: Vec::new(),
            lanes: Vec::new(),
            moved: Vec::new(),
            used: Vec::new(),
            excess: Vec::new(),
            flags: Vec::new(),
            place: Vec::new(),
            has_moved: true,
            is_of_lanes: true,
            meter: Meter::default(),
        }
    }

    fn push(&mut self, row: u32, memory: Option<MemoryOperand>, record: &Record) {
        let keys = &mut self.keys;
        let thread = *self.threads.entry((record.cta, record.warp)).or_insert_with(|| {
            keys.push(ThreadKey { cta: record.cta, warp: record.warp, mask: 0, n: 0 });
            u32::try_from(keys.len() - 1).unwrap_or(u32::MAX)
        });
        let mut flags = if record.is_incomplete { INCOMPLETE } else { 0 };
        if let Some(key) = keys.get_mut(thread as usize) {
            key.n += 1;
            if let Some(mask) = record.mask.filter(|_| !record.is_incomplete) {
                flags |= if key.mask & !mask == 0 { 0 } else { DIVERGENT };
                key.mask = mask;
            }
        }
        let cost = self.measure(row as usize, memory, record);
        if 0 < cost.excess && record.mask.is_some() {
            flags |= UNCOALESCED;
        }
        self.has_records = true;
        self.is_of_lanes &= record.mask.is_none() && record.addresses.len() == 1;
        self.has_moved &= record.mask.is_some() || record.addresses.is_empty();
        self.sms.extend(record.sm);
        self.thread.push(thread);
        self.block.push(row);
        let count = |mask: u32| u8::try_from(mask.count_ones()).unwrap_or(NO_LANES);
        self.lanes.push(record.mask.map_or(NO_LANES, count));
        self.moved.push(cost.bytes(SECTOR));
        self.used.push(cost.unique);
        self.excess.push(cost.excess);
        self.flags.push(flags);
        self.place.push(record.place);
    }

    /// Measures a record; what it moved in global memory.
    fn measure(&mut self, row: usize, memory: Option<MemoryOperand>, record: &Record) -> Moved {
        self.meter.grow(row + 1);
        let is_global = memory.is_some_and(|memory| memory.space == Space::Global);
        let whole = record.mask.filter(|_| !record.is_incomplete);
        let cost = match (whole, memory) {
            (Some(mask), Some(memory)) if record.addresses.len() == mask.count_ones() as usize => {
                self.meter.access(row, (mask, record.addresses), memory)
            }
            (_, Some(MemoryOperand { bytes: Some(bytes), .. })) => {
                moved(record.addresses, u64::from(bytes), SECTOR)
            }
            (_, Some(_)) => {
                self.meter.unseen(row);
                Moved::default()
            }
            (_, None) => Moved::default(),
        };
        match whole {
            Some(mask) => self.meter.run(row, mask),
            None => {
                self.meter.run_unknown(row, 1);
                self.meter.lose(row, [record.is_incomplete, false]);
            }
        }
        if is_global { cost } else { Moved::default() }
    }
}
