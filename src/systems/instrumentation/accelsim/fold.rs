//! From rows of instructions to executions of blocks.
//!
//! A block begins at the first instruction of a warp, at one that was reached in another way than from the one in front of
//! it, behind such a step, behind an instruction that may jump, and where a jump may lead.

use super::Run;
use super::kernel::{Kernel, Static};
use crate::base::job::Turn;
use crate::base::order;
use crate::model::chunked::Chunked;
use crate::systems::instrumentation::metrics::Partings;
use crate::views::executions::compute::{Block, DIVERGENT, Executions, INCOMPLETE, UNCOALESCED};
use std::ops::Range;

/// Rows that are done between two pauses.
const ROWS: u32 = 1 << 17;

/// Where the lines of executions stand.
pub(super) enum Places {
    /// Byte of the first line, and how many bytes follow up to the end of the last.
    Grouped(Vec<u64>, Vec<u32>),
    /// Row of the first line, where rows are in the order of warps; and where each row stands, in units of eight bytes.
    Interleaved(Vec<u32>, Chunked<u32>),
}

/// Executions on their way.
pub(super) struct Fold {
    pub(super) layout: Layout,
    /// The warps in order.
    pub(super) runs: Vec<Run>,
    pub(super) executions: Executions,
    pub(super) places: Places,
    /// Behind which jumps lanes are idle, by rank.
    pub(super) partings: Partings,
    /// Rows in the order of warps; empty where they are in it.
    order: Vec<u32>,
    open: Option<Open>,
    /// Lanes of the execution before; where they parted, both parts.
    before: [u32; 2],
    /// Whether it ended where lanes may part.
    has_jumped: bool,
    cursor: Cursor,
}

/// An execution that has not ended.
struct Open {
    block: u32,
    n: u32,
    lanes: u32,
    union: u32,
    mask: u32,
    jumps: bool,
    moved: (u32, u32, u32),
    at: u64,
    end: u64,
    row: u32,
}

/// Where a walk through the rows stands in what only some of them have.
#[derive(Default)]
struct Cursor {
    jump: usize,
    moved: usize,
    at: u64,
}

/// The executions, when everything was read. Blocks begin at these addresses too.
pub(super) async fn fold(kernel: &mut Kernel, leads: &[u64], turn: &Turn) -> Fold {
    let starts = kernel.warps.arrange();
    let runs = std::mem::take(&mut kernel.warps.runs);
    let mut fold = Fold {
        layout: Layout::new(&kernel.statics),
        runs: Vec::new(),
        executions: Executions::default(),
        places: Places::Grouped(Vec::new(), Vec::new()),
        partings: Partings::default(),
        order: Vec::new(),
        open: None,
        before: [0; 2],
        has_jumped: false,
        cursor: Cursor::default(),
    };
    if !kernel.warps.is_grouped {
        // A copy's second line may come long after its first: by then other rows moved something.
        let mut moved: Vec<_> = kernel.rows.moved.iter().copied().collect();
        order::sort_by_number(&mut moved, |(row, _)| *row);
        kernel.rows.moved = moved.into_iter().collect();
        fold.sort(kernel, starts, turn).await;
    }
    // Warp by warp: first for where blocks begin, then for their executions.
    for run in &runs {
        let mut last = None;
        for piece in pieces_of(run) {
            let n = piece.len();
            piece.for_each(|at| last = Some(fold.lead(kernel, at, last)));
            if turn.is_over(1 + n) {
                turn.pause().await;
            }
        }
    }
    for pc in leads {
        if let Some(rank) = fold.layout.find(&kernel.statics, *pc) {
            set(&mut fold.layout.leads, rank);
        }
    }
    fold.layout.cut(&kernel.statics);
    for run in &runs {
        fold.begin_thread(kernel, run.start);
        for piece in pieces_of(run) {
            let n = piece.len();
            piece.for_each(|at| fold.execute(kernel, at));
            if turn.is_over(1 + n) {
                turn.pause().await;
            }
        }
        fold.end_thread();
    }
    fold.executions.starts.push(count(fold.executions.block.len()));
    fold.runs = runs;
    fold.order = Vec::new();
    fold
}

/// The rows of a warp, so many at a time as are done between two pauses.
fn pieces_of(run: &Run) -> impl Iterator<Item = Range<u32>> {
    let end = run.end;
    (run.start..end).step_by(ROWS as usize).map(move |at| at..end.min(at.saturating_add(ROWS)))
}

impl Fold {
    /// Puts interleaved rows in the order of warps; `next` is where those of each warp go.
    async fn sort(&mut self, kernel: &Kernel, mut next: Vec<u32>, turn: &Turn) {
        let n = kernel.rows.len();
        self.order = vec![0; n as usize];
        for row in 0..n {
            let run = kernel.warps.interleaved.of.get(row as usize).map_or(usize::MAX, |run| *run as usize);
            if let Some(next) = next.get_mut(run) {
                if let Some(place) = self.order.get_mut(*next as usize) {
                    *place = row;
                }
                *next += 1;
            }
            if row % ROWS == ROWS - 1 {
                turn.pause().await;
            }
        }
        let at = &kernel.warps.interleaved.at;
        let places = self.order.iter().map(|row| at.get(*row as usize).copied().unwrap_or(0));
        self.places = Places::Interleaved(Vec::new(), places.collect());
    }

    /// The row of the file at a place in the order of warps.
    fn file_row(&self, at: u32) -> u32 {
        self.order.get(at as usize).copied().unwrap_or(at)
    }

    fn rank(&self, kernel: &Kernel, at: u32) -> u32 {
        let of = kernel.rows.of.get(self.file_row(at) as usize).copied().unwrap_or(0);
        self.layout.rank.get(of as usize).copied().unwrap_or(0)
    }

    /// Looks at the next row of a warp for where blocks begin; gives back its rank.
    fn lead(&mut self, kernel: &Kernel, at: u32, last: Option<u32>) -> u32 {
        let rank = self.rank(kernel, at);
        let layout = &mut self.layout;
        match last {
            None => set(&mut layout.leads, rank),
            Some(last) if rank == last + 1 && is_set(&layout.follows, last) => {}
            Some(last) => {
                set(&mut layout.leads, rank);
                set(&mut layout.leads, last + 1);
            }
        }
        rank
    }

    /// Goes to the first row of a warp.
    fn begin_thread(&mut self, kernel: &Kernel, row: u32) {
        self.executions.starts.push(count(self.executions.block.len()));
        self.before = [0; 2];
        self.partings.begin();
        self.cursor.jump = kernel.rows.jumps.partition_point(|(at, _)| *at < row);
        self.cursor.moved = kernel.rows.moved.partition_point(|(at, _)| *at < row);
    }

    fn end_thread(&mut self) {
        self.close();
        let last = self.executions.starts.last().copied().unwrap_or(0) as usize;
        if let Some(block) = self.executions.block.get(last..).and_then(<[u32]>::last)
            && let Some(block) = self.layout.blocks.get_mut(*block as usize)
        {
            block.is_exit = true;
        }
    }

    fn execute(&mut self, kernel: &Kernel, at: u32) {
        let (row, rank) = (self.file_row(at), self.rank(kernel, at));
        let mask = kernel.rows.masks.get(row as usize).copied().unwrap_or(0);
        let len = kernel.rows.lens.get(row as usize).copied().unwrap_or(0);
        if let Some((_, place)) = kernel.rows.jumps.get(self.cursor.jump).filter(|(at, _)| *at == row) {
            self.cursor.at = *place;
            self.cursor.jump += 1;
        }
        if is_set(&self.layout.leads, rank) || self.open.is_none() {
            self.close();
            let block = self.layout.block.get(rank as usize).copied().unwrap_or(0);
            self.follow(block);
            let (place, moved) = (self.cursor.at, (0, 0, 0));
            let (n, lanes, union, jumps) = (0, 0, 0, false);
            self.open =
                Some(Open { block, n, lanes, union, mask, jumps, moved, at: place, end: place, row: at });
        }
        let moved = self.moved(kernel, row);
        self.cursor.at += u64::from(len);
        let Some(open) = &mut self.open else { return };
        open.n += 1;
        open.lanes = open.lanes.saturating_add(mask.count_ones());
        open.union |= mask;
        open.mask = mask;
        let of = kernel.rows.of.get(row as usize).and_then(|of| kernel.statics.get(*of as usize));
        open.jumps = of.is_some_and(|of| of.parts);
        self.partings.row(rank as usize, mask, open.jumps);
        open.end = self.cursor.at;
        let (bytes, used, excess) = moved;
        let sum = &mut open.moved;
        *sum = (sum.0.saturating_add(bytes), sum.1.saturating_add(used), sum.2.saturating_add(excess));
    }

    /// What the access of a row moved: bytes, those of them that were asked for, sectors too many.
    fn moved(&mut self, kernel: &Kernel, row: u32) -> (u32, u32, u32) {
        let all = &kernel.rows.moved;
        let found = if self.order.is_empty() {
            let found = all.get(self.cursor.moved).filter(|(at, _)| *at == row);
            self.cursor.moved += usize::from(found.is_some());
            found
        } else {
            let has_access = kernel.rows.of.get(row as usize).and_then(|of| kernel.statics.get(*of as usize));
            has_access
                .filter(|of| of.memory.is_some())
                .and_then(|_| all.get(all.partition_point(|(at, _)| *at < row)).filter(|(at, _)| *at == row))
        };
        found.map_or((0, 0, 0), |(_, moved)| {
            let [sectors, unique, excess] = moved.map(u32::from);
            (sectors * 32, unique, excess)
        })
    }

    /// One block follows another in a warp.
    fn follow(&mut self, block: u32) {
        let first = self.executions.starts.last().copied().unwrap_or(0) as usize;
        match self.executions.block.get(first..).and_then(<[u32]>::last).copied() {
            None => {
                if let Some(block) = self.layout.blocks.get_mut(block as usize) {
                    block.is_entry = true;
                }
            }
            Some(last) => self.layout.link(last, block),
        }
    }

    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        let whole = self.layout.blocks.get(open.block as usize).map_or(0, |block| block.len);
        let [one, other] = self.before;
        // Some jumps and ends have a second predicate, of which no mask tells: lanes parted if only some of them are here.
        let is_part = one & open.union != 0 && one & !open.union != 0;
        if self.has_jumped
            && is_part
            && (1 < open.n || !open.jumps)
            && let Some(flags) = self.executions.flags.last_mut()
        {
            *flags |= DIVERGENT;
        }
        self.has_jumped = open.jumps && open.union != 0;
        // A jump alone tells which lanes take it, not which are there: those are that came with them.
        let came = match (one & open.union != 0, other & open.union != 0) {
            (true, false) if open.jumps && open.n == 1 => one,
            (false, true) if open.jumps && open.n == 1 => other,
            _ => 0,
        };
        let lanes = open.union | came;
        let parts = open.jumps && open.mask != 0 && open.mask != lanes;
        let flags = [(parts, DIVERGENT), (0 < open.moved.2, UNCOALESCED), (open.n != whole, INCOMPLETE)];
        // Without a lane nothing is known of which lanes are there.
        if open.union != 0 {
            self.before = if parts { [open.mask, lanes & !open.mask] } else { [lanes, 0] };
        }
        let of = &mut self.executions;
        of.block.push(open.block);
        of.lanes.push(u8::try_from((open.lanes + open.n / 2) / open.n.max(1)).unwrap_or(32));
        of.moved.push(open.moved.0);
        of.used.push(open.moved.1);
        of.excess.push(open.moved.2);
        of.flags.push(flags.iter().filter(|(is_so, _)| *is_so).fold(0, |all, (_, flag)| all | flag));
        match &mut self.places {
            Places::Grouped(starts, lens) => {
                starts.push(open.at);
                lens.push(count64(open.end.saturating_sub(open.at)));
            }
            Places::Interleaved(first, _) => first.push(open.row),
        }
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn count64(n: u64) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

// The instructions of a program by address, and where its blocks begin.

/// The instructions by address, and the blocks.
#[derive(Default)]
pub(super) struct Layout {
    /// Numbers of the instructions as they were seen, ascending by address.
    pub(super) by_rank: Vec<u32>,
    pub(super) blocks: Vec<Block>,
    /// By number: its place by address.
    pub(super) rank: Vec<u32>,
    /// By rank: whether the next instruction stands right behind it.
    pub(super) follows: Vec<bool>,
    /// By rank: whether a block begins there.
    pub(super) leads: Vec<bool>,
    /// By rank: row of its block.
    pub(super) block: Vec<u32>,
}

impl Layout {
    /// Puts instructions in order.
    pub(super) fn new(statics: &[Static]) -> Self {
        let pc = |n: usize| statics.get(n).map_or(0, |of| of.pc);
        let by_rank = order::sequence(statics.len(), &|a, b| pc(a).cmp(&pc(b)));
        let mut rank = vec![0; by_rank.len()];
        for (at, n) in (0..).zip(&by_rank) {
            if let Some(rank) = rank.get_mut(*n as usize) {
                *rank = at;
            }
        }
        // Where instructions stand in steps of 8, a word of scheduling stands at each multiple of 32.
        let is_dense = statics.iter().any(|of| of.pc % 16 == 8);
        let step = if is_dense { 8 } else { 16 };
        let pairs =
            by_rank.iter().zip(by_rank.iter().skip(1)).map(|(a, b)| (pc(*a as usize), pc(*b as usize)));
        let adjoins = |(a, b): (u64, u64)| {
            b - a == step || is_dense && b - a == 16 && a.wrapping_add(8).is_multiple_of(32)
        };
        let follows = pairs.map(adjoins).chain([false]).collect();
        let leads = vec![false; by_rank.len()];
        Self { by_rank, blocks: Vec::new(), rank, follows, leads, block: Vec::new() }
    }

    /// The rank of the instruction at an address.
    fn find(&self, statics: &[Static], pc: u64) -> Option<u32> {
        let of = |n: u32| statics.get(n as usize).map_or(0, |of| of.pc);
        let at = self.by_rank.partition_point(|n| of(*n) < pc);
        self.by_rank.get(at).filter(|n| of(**n) == pc).map(|_| layout_count(at))
    }

    /// The addresses at which blocks begin.
    pub(super) fn leading<'a>(&'a self, statics: &'a [Static]) -> impl Iterator<Item = u64> + 'a {
        let leads = self.by_rank.iter().zip(&self.leads).filter(|(_, leads)| **leads);
        leads.filter_map(|(number, _)| Some(statics.get(*number as usize)?.pc))
    }

    /// Makes the blocks of where they begin.
    pub(super) fn cut(&mut self, statics: &[Static]) {
        let of = |rank: usize| statics.get(*self.by_rank.get(rank)? as usize);
        let targets: Vec<(u32, u32)> = (0..self.by_rank.len())
            .filter_map(|rank| Some((layout_count(rank), self.find(statics, of(rank)?.target?)?)))
            .collect();
        let behind: Vec<u32> = (0..self.by_rank.len())
            .filter(|rank| of(*rank).is_some_and(|of| of.ends_block))
            .map(|rank| layout_count(rank + 1))
            .collect();
        for rank in behind.into_iter().chain([0]) {
            set(&mut self.leads, rank);
        }
        for (rank, leads) in (0..).zip(&self.leads) {
            if *leads {
                let id = layout_count(self.blocks.len());
                self.blocks.push(Block { id, label: format!("BB{id}"), first: rank, ..Block::default() });
            }
            self.block.push(layout_count(self.blocks.len()).saturating_sub(1));
            if let Some(block) = self.blocks.last_mut() {
                block.len += 1;
            }
        }
        // A jump that was never taken leads to a block that began for another reason, or to none that is known.
        for (from, to) in targets {
            let block = |rank: u32| self.block.get(rank as usize).copied();
            if let Some((from, to)) = block(from).zip(block(to).filter(|_| is_set(&self.leads, to))) {
                self.link(from, to);
            }
        }
    }

    /// One block may follow another.
    pub(super) fn link(&mut self, from: u32, to: u32) {
        if let Some(block) = self.blocks.get_mut(from as usize)
            && let Err(at) = block.successors.binary_search(&to)
        {
            block.successors.insert(at, to);
        }
    }
}

/// Sets a flag, if there is one.
fn set(flags: &mut [bool], at: u32) {
    if let Some(flag) = flags.get_mut(at as usize) {
        *flag = true;
    }
}

/// Whether a flag is there and set.
fn is_set(flags: &[bool], at: u32) -> bool {
    flags.get(at as usize).copied().unwrap_or(false)
}

fn layout_count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
