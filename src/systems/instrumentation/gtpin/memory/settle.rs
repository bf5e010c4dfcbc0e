//! From records in the order of the file to threads in their order.

use super::layout::Block as FileBlock;
use super::walk::{Collected, Thread};
use super::{BlockRows, SharedRows};
use crate::base::job::{Turn, pieces};
use crate::base::order;
use crate::base::words::phrase;
use crate::input::{Cached, Source};
use crate::views::executions::compute::{
    Absent, Block, Executions, Instruction, Launch, Naming, Program, Recorded, Threads,
};
use std::ops::Range;
use std::rc::Rc;

/// Records that are put into their place between two pauses.
const AT_ONCE: usize = 1 << 17;
/// Names of the fields of a thread, and what stands for a missing one.
pub(super) const FIELDS: [&str; 6] = ["tile", "slice", "dual-subslice", "subslice", "EU", "slot"];
pub(super) const ABSENT: u32 = u32::MAX;

/// Software threads of hardware threads, in order.
pub(super) struct Settled {
    found: Collected,
    /// Row of the software thread in the file, number of the hardware thread, and its instance.
    order: Vec<(u32, u32, usize)>,
    executions: Executions,
    places: Vec<u64>,
    blocks: Vec<u32>,
    program: Program,
    threads: Threads,
}

/// A software thread for the tables and exports.
pub(super) struct SoftwareThread {
    pub(super) fields: [u32; 6],
    pub(super) instance: u32,
    pub(super) group: Option<[u32; 3]>,
}

/// Software threads of each launch, in the order of its threads. Kept beside `Recorded`.
#[derive(Default)]
pub(super) struct SoftwareThreads(pub(super) Vec<OfLaunch>);

/// What is kept of a launch beside what is general.
pub(super) struct OfLaunch {
    /// Its row in `Recorded`.
    pub(super) launch: usize,
    pub(super) threads: Vec<SoftwareThread>,
    pub(super) rows: Rc<BlockRows>,
}

/// Puts the records of all threads in order.
pub(super) async fn settle(found: Collected, name: String, entry: u32, turn: &Turn) -> Settled {
    let (naming, ids) = name_threads(&found.threads);
    let mut order: Vec<(u32, u32, usize)> = Vec::with_capacity(found.begins.len());
    let mut thread = 0;
    for (at, (begin, _)) in found.begins.iter().enumerate() {
        while found.threads.get(thread + 1).is_some_and(|next| next.first <= *begin) {
            thread += 1;
        }
        order.push((ids.get(thread).copied().unwrap_or(0), 0, at));
    }
    order::sort_by_key(&mut order, |(id, _, at)| (*id, *at));
    let mut last = None;
    for (id, instance, _) in &mut order {
        *instance = last.filter(|(of, _)| of == id).map_or(0, |(_, n)| n + 1);
        last = Some((*id, *instance));
    }
    let (program, blocks) = program(&found.blocks, name, entry);
    let threads = Threads {
        ids: order.iter().map(|(id, ..)| *id).collect(),
        instances: order.iter().map(|(_, instance, _)| *instance).collect(),
        naming,
    };
    let (mut to, mut places) = (Executions { starts: vec![0], ..Executions::default() }, Vec::new());
    let begin = |at: usize| found.begins.get(at).map_or(found.block.len(), |(begin, _)| *begin);
    let mut left = AT_ONCE;
    for (.., at) in &order {
        let (from, end) = (begin(*at), begin(at + 1));
        for piece in pieces(end.saturating_sub(from), AT_ONCE) {
            let range = from + piece.start..from + piece.end;
            copy(&found, &blocks, range.clone(), &mut to);
            places.extend_from_slice(found.place.get(range.clone()).unwrap_or(&[]));
            left = left.saturating_sub(range.len());
            if left == 0 {
                left = AT_ONCE;
                turn.pause().await;
            }
        }
        to.starts.push(u32::try_from(to.block.len()).unwrap_or(u32::MAX));
    }
    Settled { found, order, executions: to, places, blocks, program, threads }
}

/// Copies records of a thread; `blocks` is the row of each block of the file.
fn copy(found: &Collected, blocks: &[u32], range: Range<usize>, to: &mut Executions) {
    let rows = found.block.get(range.clone()).unwrap_or(&[]).iter();
    to.block.extend(rows.filter_map(|row| blocks.get(*row as usize)));
    to.lanes.extend_from_slice(found.lanes.get(range.clone()).unwrap_or(&[]));
    to.moved.extend_from_slice(found.moved.get(range.clone()).unwrap_or(&[]));
    to.used.extend_from_slice(found.used.get(range.clone()).unwrap_or(&[]));
    to.excess.extend_from_slice(found.excess.get(range.clone()).unwrap_or(&[]));
    to.flags.extend_from_slice(found.flags.get(range.clone()).unwrap_or(&[]));
    to.time.extend_from_slice(found.time.get(range).unwrap_or(&[]));
}

impl Settled {
    /// Puts the launch in; what its threads are.
    pub(super) fn finish(
        self,
        source: Source,
        facts: Vec<(String, String)>,
        recorded: &mut Recorded,
    ) -> OfLaunch {
        let thread = |begin: usize| {
            let at = self.found.threads.partition_point(|thread| thread.first <= begin);
            self.found.threads.get(at.wrapping_sub(1)).map_or([ABSENT; 6], |thread| thread.fields)
        };
        let software = self.order.iter().filter_map(|(_, instance, at)| {
            let (begin, group) = *self.found.begins.get(*at)?;
            Some(SoftwareThread { fields: thread(begin), instance: *instance, group })
        });
        let (launch, threads) = (recorded.launches.len(), software.collect());
        let (register, has_times) = (self.found.register, self.found.has_times);
        // Blocks of the program stand in another order than these of the file.
        let mut blocks = vec![FileBlock::default(); self.program.blocks.len()];
        for (block, row) in self.found.blocks.into_iter().zip(&self.blocks) {
            if let Some(to) = blocks.get_mut(*row as usize) {
                *to = block;
            }
        }
        let layouts = blocks.iter().map(|block| block.payloads(register, has_times)).collect();
        let rows = Rc::new(BlockRows {
            source: Cached::new(source),
            places: self.places,
            blocks,
            layouts,
            has_times,
        });
        recorded.launches.push(Launch {
            program: u32::try_from(recorded.programs.len()).unwrap_or(u32::MAX),
            name: "launch 0".to_owned(),
            entry: self.program.entry,
            grid: [0; 3],
            group: [0; 3],
            facts,
            threads: self.threads,
            executions: self.executions,
            rows: Some(Box::new(SharedRows(Rc::clone(&rows)))),
            order_from: Some(phrase("memory").to_owned()),
            has_block_masks: false,
            active_lanes: None,
            is_of_lanes: false,
            absent: Absent::default(),
        });
        recorded.programs.push(self.program);
        OfLaunch { launch, threads, rows }
    }
}

/// The program, its blocks in the order of their addresses; and the row of each block of the file there.
fn program(file: &[FileBlock], name: String, entry: u32) -> (Program, Vec<u32>) {
    let lanes = file.iter().flat_map(|block| &block.sends).map(|send| send.lanes).max().unwrap_or(16);
    let mut program = Program { name, entry, lanes: lanes.clamp(1, 32), ..Program::default() };
    let mut order: Vec<usize> = (0..file.len()).collect();
    let address = |at: &usize| {
        let block = file.get(*at);
        (block.and_then(|b| b.sends.first()).map(|send| send.offset), block.map(|block| block.id))
    };
    order::sort_by_key(&mut order, address);
    let mut rows = vec![0; file.len()];
    for (row, at) in (0_u32..).zip(order) {
        let Some(block) = file.get(at) else { continue };
        if let Some(to) = rows.get_mut(at) {
            *to = row;
        }
        program.blocks.push(Block {
            id: block.id,
            label: format!("BB{}", block.id),
            first: u32::try_from(program.instructions.len()).unwrap_or(u32::MAX),
            len: u32::try_from(block.sends.len()).unwrap_or(u32::MAX),
            is_entry: block.is_entry(),
            is_exit: block.is_end(),
            successors: Vec::new(),
        });
        program.instructions.extend(block.sends.iter().map(|send| Instruction {
            address: send.offset.into(),
            text: send.text(block.id),
            memory: send.memory(block.id),
            source: None,
        }));
    }
    (program, rows)
}

/// Names of threads by their fields, and the number of each; plain numbers when the fields need more than 32 bits.
fn name_threads(threads: &[Thread]) -> (Naming, Vec<u32>) {
    let mut fields: Vec<(String, u32, u32)> = Vec::new();
    let mut used = Vec::new();
    let mut bits = 0_u32;
    for (at, name) in FIELDS.iter().enumerate().rev() {
        let values = || threads.iter().filter_map(|thread| thread.fields.get(at).copied());
        let most = values().filter(|value| *value != ABSENT).max();
        // One tile alone is not worth a word; a missing field among others has the number behind the last.
        let is_told = at != 0 || most.is_some_and(|most| 0 < most);
        let Some(most) = most.filter(|_| is_told) else { continue };
        let most = u64::from(most) + u64::from(values().any(|value| value == ABSENT));
        let width = (64 - most.leading_zeros()).max(1);
        used.push((at, bits, u32::try_from(most).unwrap_or(u32::MAX)));
        fields.push(((*name).to_owned(), bits, width));
        bits = bits.saturating_add(width);
    }
    if 32 < bits || fields.is_empty() {
        return (Naming::Plain, (0..).take(threads.len()).collect());
    }
    fields.reverse();
    let id = |thread: &Thread| {
        used.iter().fold(0_u32, |id, (at, shift, most)| {
            let value = thread.fields.get(*at).copied().unwrap_or(0);
            id | value.min(*most) << shift
        })
    };
    (Naming::Fields(fields), threads.iter().map(id).collect())
}
