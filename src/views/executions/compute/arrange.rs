//! What is prepared of a launch before it is looked at: totals of threads and groups, ordinals by instruction, levels of
//! detail, the course of all threads.

use super::run::{Axis, Run, Walk, length, range};
use super::summary::{Summary, lanes};
use super::{Executions, Launch, NO_BLOCK, Program};
use crate::base::job::{Turn, pieces};
use std::ops::Range;

/// Executions whose flags are known together.
pub(super) const SKIP: usize = 4096;

/// What is prepared.
#[derive(Default)]
pub struct Arranged {
    /// Totals of each thread.
    pub threads: Vec<Totals>,
    /// Threads that belong together; one group when they are not told apart.
    pub groups: Vec<Group>,
    pub all: Totals,
    /// Where the axes end: block numbers, instruction ordinals, time.
    pub lengths: [u64; 3],
    /// Time 0.
    pub origin: u64,
    pub has_time: bool,
    /// Whether any execution moved bytes.
    pub has_memory: bool,
    /// Whether lanes of any execution were recorded.
    pub has_lanes: bool,
    /// The most excess sectors of an execution.
    pub most_excess: u32,
    /// The longest thread, in executions.
    pub longest: usize,
    /// Levels of detail.
    pub levels: Levels,
    /// Instructions that the thread ran before each execution.
    at: Vec<u32>,
    /// Times that never go back in a thread, where those of the file do.
    pub(super) times: Vec<u64>,
    /// Flags of each so many executions together.
    pub(super) skips: Vec<u8>,
    pub(super) courses: Courses,
    pub(super) group_lanes: GroupLanes,
}

/// What executions of a thread, a group or a launch add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub executions: u64,
    pub instructions: u64,
    /// Active lanes of executions that have them recorded, times instructions.
    pub lanes: u64,
    /// Instructions of these.
    pub known: u64,
    /// Bytes moved.
    pub moved: u64,
    /// Distinct bytes asked for.
    pub used: u64,
}

impl Totals {
    fn add(&mut self, other: &Self) {
        self.executions += other.executions;
        self.instructions += other.instructions;
        self.lanes += other.lanes;
        self.known += other.known;
        self.moved += other.moved;
        self.used += other.used;
    }

    /// The used part of what was moved, 0 to 1.
    pub fn share(&self) -> Option<f64> {
        (0 < self.moved).then(|| (self.used as f64 / self.moved as f64).min(1.0))
    }

    /// Mean of active lanes.
    pub fn mean_lanes(&self) -> Option<f64> {
        (0 < self.known).then(|| self.lanes as f64 / self.known as f64)
    }
}

/// Threads that belong together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Rows of the threads.
    pub threads: Range<u32>,
    /// What they add up to.
    pub totals: Totals,
    /// The longest thread, in executions.
    pub longest: u32,
}

impl Arranged {
    /// Instructions that the thread ran before an execution.
    pub fn ordinal(&self, execution: usize) -> u32 {
        self.at.get(execution).copied().unwrap_or(0)
    }

    /// The group of a thread.
    pub fn group_of(&self, thread: u32) -> usize {
        self.groups.partition_point(|group| group.threads.end <= thread)
    }

    /// The course of all threads along an axis.
    pub fn course(&self, axis: Axis) -> &Course {
        self.courses.of(axis)
    }

    /// Active lanes of all threads of a group in a stretch of block numbers, added up.
    pub fn group_lanes(&self, group: usize, ordinals: Range<u32>) -> u64 {
        self.group_lanes.sum(group, ordinals)
    }
}

/// Prepares a launch.
pub async fn arrange(launch: &Launch, program: &Program, turn: &Turn) -> Arranged {
    let executions = &launch.executions;
    let n = executions.block.len();
    let mut made = Arranged {
        has_time: 0 < n && executions.time.len() == n,
        origin: u64::MAX,
        skips: vec![0; n.div_ceil(SKIP)],
        ..Arranged::default()
    };
    if sum(&mut made, launch, program, turn).await {
        made.times = held_times(launch, turn).await;
    }
    made.levels = Levels::of(executions, made.longest, turn).await;
    made.courses = courses(launch, program, &made, turn).await;
    made.group_lanes = GroupLanes::of(executions, &made.groups, program.lanes, turn).await;
    made
}

/// Totals, ordinals, groups; says whether times go back in any thread.
async fn sum(made: &mut Arranged, launch: &Launch, program: &Program, turn: &Turn) -> bool {
    let executions = &launch.executions;
    let (mut walk, mut is_backwards) = (Walk::default(), false);
    while walk.piece(executions, |thread, part, all| {
        if made.threads.len() == thread {
            made.threads.push(Totals::default());
            made.longest = made.longest.max(all.len());
            open_group(made, launch, thread, all.len());
        }
        made.at.resize(part.end.max(made.at.len()), 0);
        let mut sum = Totals::default();
        let before = made.threads.get(thread).map_or(0, |own| own.instructions);
        for at in part.clone() {
            if let Some(ordinal) = made.at.get_mut(at) {
                *ordinal = u32::try_from(before + sum.instructions).unwrap_or(u32::MAX);
            }
            push(&mut sum, launch, program, at);
            let flags = executions.flags.get(at).copied().unwrap_or(0);
            if let Some(skip) = made.skips.get_mut(at / SKIP) {
                *skip |= flags;
            }
            let excess = executions.excess.get(at).copied().unwrap_or(0);
            made.most_excess = made.most_excess.max(excess);
        }
        if made.has_time {
            let times = executions.time.get(part.start.saturating_sub(1).max(all.start)..part.end);
            let times = times.unwrap_or_default();
            is_backwards |= !times.is_sorted();
            made.origin = times.iter().copied().min().unwrap_or(u64::MAX).min(made.origin);
            let last = times.iter().copied().max().unwrap_or(0);
            made.lengths[2] = made.lengths[2].max(last.saturating_add(1));
        }
        if let Some(own) = made.threads.get_mut(thread) {
            own.add(&sum);
            made.lengths[1] = made.lengths[1].max(own.instructions);
        }
        made.all.add(&sum);
        if let Some(group) = made.groups.last_mut() {
            group.totals.add(&sum);
        }
    }) {
        turn.pause().await;
    }
    made.origin = if made.has_time { made.origin } else { 0 };
    made.lengths[0] = made.longest as u64;
    made.lengths[2] = made.lengths[2].saturating_sub(made.origin);
    made.has_memory = 0 < made.all.moved;
    made.has_lanes = 0 < made.all.known;
    is_backwards
}

/// Times that never go back in a thread: what lies before another one in the order of the thread was not later.
async fn held_times(launch: &Launch, turn: &Turn) -> Vec<u64> {
    let all = &launch.executions.time;
    let (mut walk, mut times) = (Walk::default(), Vec::with_capacity(all.len()));
    while walk.piece(&launch.executions, |_, part, own| {
        times.resize(times.len().max(part.end), 0);
        let (before, rest) = times.split_at_mut(part.start);
        let mut last = before.last().copied().filter(|_| own.start < part.start).unwrap_or(0);
        for (time, own) in rest.iter_mut().zip(all.get(part).unwrap_or_default()) {
            last = last.max(*own);
            *time = last;
        }
    }) {
        turn.pause().await;
    }
    times
}

/// Begins a group with a thread, or puts it into the last one.
fn open_group(made: &mut Arranged, launch: &Launch, thread: usize, n: usize) {
    let (row, threads) = (thread as u32, &launch.threads);
    let is_same = thread.checked_sub(1).is_some_and(|before| threads.group(before) == threads.group(thread));
    match made.groups.last_mut() {
        Some(group) if is_same => {
            group.threads.end = row + 1;
            group.longest = group.longest.max(n as u32);
        }
        _ => made.groups.push(Group { threads: row..row + 1, longest: n as u32, ..Group::default() }),
    }
}

fn push(sum: &mut Totals, launch: &Launch, program: &Program, at: usize) {
    let executions = &launch.executions;
    let mut one = Summary::default();
    one.push(executions, at);
    let n = u64::from(length(program, executions.block.get(at).copied().unwrap_or(NO_BLOCK)));
    sum.executions += 1;
    sum.instructions += n;
    sum.lanes += one.lanes * n;
    sum.known += one.known * n;
    sum.moved += one.moved;
    sum.used += one.used;
}

// Levels of detail of the executions of each thread: a picture sums up some bins for a pixel, never all executions.

/// Executions of a bin of the first level.
const FIRST: usize = 16;
/// Bins of a level in a bin of the next.
const FACTOR: usize = 4;
/// A stretch of at least so many bins takes them; a shorter one goes down a level.
const LEAST: usize = 2;

/// One level.
#[derive(Debug, Default)]
struct Level {
    /// Executions of a bin.
    size: usize,
    /// Where the bins of each thread begin.
    first: Vec<u32>,
    bins: Vec<Summary>,
}

impl Level {
    /// The next part of the executions of a thread; `below` is the level of smaller bins, which is complete.
    fn add(
        &mut self,
        below: Option<&Self>,
        executions: &Executions,
        thread: usize,
        (part, all): (Range<usize>, Range<usize>),
    ) {
        let Self { size, first, bins } = self;
        if first.len() == thread {
            first.push(bins.len() as u32);
        }
        // Threads that are too short for a pixel of bins have none.
        if all.len() < LEAST * *size {
            return;
        }
        let first = first.get(thread).map_or(0, |first| *first as usize);
        let Some(below) = below else {
            for at in part {
                let bin = first + (at - all.start) / *size;
                if bins.len() <= bin {
                    bins.resize(bin + 1, Summary::default());
                }
                if let Some(bin) = bins.get_mut(bin) {
                    bin.push(executions, at);
                }
            }
            return;
        };
        let n = all.len().div_ceil(below.size);
        let from = below.first.get(thread).map_or(0, |first| *first as usize);
        let [begin, end] = [part.start, part.end].map(|at| (at - all.start).div_ceil(*size));
        for bin in begin..end {
            let mut sum = Summary::default();
            let four = from + bin * FACTOR..from + n.min((bin + 1) * FACTOR);
            below.bins.get(four).unwrap_or_default().iter().for_each(|below| sum.merge(below));
            bins.push(sum);
        }
    }
}

/// All levels.
#[derive(Debug, Default)]
pub struct Levels(Vec<Level>);

impl Levels {
    /// Makes them; `longest` is the most executions of a thread.
    pub(super) async fn of(executions: &Executions, longest: usize, turn: &Turn) -> Self {
        let mut levels: Vec<Level> = Vec::new();
        let mut size = FIRST;
        while LEAST * size <= longest {
            let (mut level, mut walk) = (Level { size, ..Level::default() }, Walk::default());
            while walk.piece(executions, |thread, part, all| {
                level.add(levels.last(), executions, thread, (part, all));
            }) {
                turn.pause().await;
            }
            level.bins.shrink_to_fit();
            levels.push(level);
            size *= FACTOR;
        }
        Self(levels)
    }

    /// What a stretch of executions of a thread adds up to. Of long ones the ends move to those of bins, by less
    /// than half of the stretch; stretches of one length that follow each other count each execution once.
    pub fn sum(&self, executions: &Executions, thread: usize, part: Range<usize>) -> Summary {
        let all = range(executions, thread);
        let n = part.len();
        let mut sum = Summary::default();
        let level = self.0.iter().rev().find(|level| LEAST * level.size <= n);
        let Some(level) = level.filter(|level| LEAST * level.size <= all.len()) else {
            part.for_each(|at| sum.push(executions, at));
            return sum;
        };
        let bin = |at: usize| {
            if at == all.end { all.len().div_ceil(level.size) } else { (at - all.start) / level.size }
        };
        let begin = level.first.get(thread).map_or(0, |first| *first as usize);
        let bins = level.bins.get(begin + bin(part.start)..begin + bin(part.end));
        bins.unwrap_or_default().iter().for_each(|bin| sum.merge(bin));
        sum
    }
}

// The course of many threads along an axis: what the overview shows, and the lanes of groups.

/// Most columns of a course.
const COLUMNS: usize = 256;
/// Executions that are taken in one piece, less where they reach over many columns.
const PIECE: usize = 1 << 15;

/// What all threads did along an axis.
#[derive(Debug, Default)]
pub struct Course {
    /// Columns of equal width over the whole axis.
    pub columns: Vec<Column>,
}

/// One column of a course.
#[derive(Clone, Copy, Debug, Default)]
pub struct Column {
    /// Executions that reach into it.
    pub sum: Summary,
    /// Active lanes times the part of the column, added up over all threads.
    pub active: f64,
}

/// The courses of all axes.
#[derive(Debug, Default)]
pub(super) struct Courses([Course; 3]);

impl Courses {
    pub(super) fn of(&self, axis: Axis) -> &Course {
        axis.of_each(&self.0)
    }
}

/// The courses of all axes that a launch has.
async fn courses(launch: &Launch, program: &Program, arranged: &Arranged, turn: &Turn) -> Courses {
    let [mut block, mut instruction, mut time] = [const { Course { columns: Vec::new() } }; 3];
    let run = Run { launch, program, arranged };
    let executions = &launch.executions;
    for axis in Axis::ALL.into_iter().filter(|axis| run.has(*axis)) {
        let length = run.end_of(axis);
        let n = if length < COLUMNS as f64 { length as usize } else { COLUMNS };
        let mut columns = vec![Column::default(); n.max(1)];
        let per = n.max(1) as f64 / length;
        let mut walk = Walk::default();
        while walk.piece_of(PIECE, executions, |_, part, all| {
            let mut cost = 0;
            for at in part {
                let (start, end) = run.span(axis, &all, at);
                let (from, to) = (start * per, end * per);
                let active = lanes(executions, at).map_or(f64::from(program.lanes), f64::from);
                let mut one = Summary::default();
                one.push(executions, at);
                let last = (to.ceil() as usize).max(from as usize + 1).min(columns.len());
                cost += last.saturating_sub(from as usize);
                for (column, to_column) in columns.iter_mut().enumerate().take(last).skip(from as usize) {
                    let part = to.min(column as f64 + 1.0) - from.max(column as f64);
                    to_column.active += active * part.max(0.0);
                    to_column.sum.merge(&one);
                }
            }
            cost
        }) {
            turn.pause().await;
        }
        match axis {
            Axis::Block => block.columns = columns,
            Axis::Instruction => instruction.columns = columns,
            Axis::Time => time.columns = columns,
        }
    }
    Courses([block, instruction, time])
}

/// Active lanes of groups by block number, as sums of all before.
#[derive(Debug, Default)]
pub(super) struct GroupLanes {
    first: Vec<usize>,
    sums: Vec<u64>,
}

/// Sums that are made between two pauses.
const SUMS: usize = 1 << 20;

impl GroupLanes {
    /// Adds them up; lanes that were not recorded are `full`.
    pub(super) async fn of(executions: &Executions, groups: &[Group], full: u32, turn: &Turn) -> Self {
        let (mut first, mut n) = (Vec::with_capacity(groups.len()), 0);
        for group in groups {
            first.push(n);
            n += group.longest as usize + 1;
        }
        let mut sums = vec![0; n];
        let (mut walk, mut group) = (Walk::default(), 0);
        while walk.piece(executions, |thread, part, all| {
            while groups.get(group).is_some_and(|group| group.threads.end as usize <= thread) {
                group += 1;
            }
            let Some(begin) = first.get(group) else { return };
            for at in part {
                let active = lanes(executions, at).map_or(u64::from(full), u64::from);
                // The sum before ordinal n + 1 has all up to n.
                if let Some(sum) = sums.get_mut(begin + (at - all.start) + 1) {
                    *sum += active;
                }
            }
        }) {
            turn.pause().await;
        }
        let mut total = 0;
        for piece in pieces(n, SUMS) {
            for sum in sums.get_mut(piece).unwrap_or_default() {
                total += *sum;
                *sum = total;
            }
            turn.pause().await;
        }
        Self { first, sums }
    }

    pub(super) fn sum(&self, group: usize, ordinals: Range<u32>) -> u64 {
        let Some(begin) = self.first.get(group) else { return 0 };
        let end = self.first.get(group + 1).map_or(self.sums.len(), |end| *end).saturating_sub(1);
        let at = |ordinal: u32| self.sums.get((begin + ordinal as usize).min(end)).copied().unwrap_or(0);
        at(ordinals.end).saturating_sub(at(ordinals.start))
    }
}
