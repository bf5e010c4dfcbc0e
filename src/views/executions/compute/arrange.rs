//! What is prepared of a launch before it is looked at: totals of threads and groups, ordinals by instruction, levels of
//! detail, the course of all threads.

use super::course::{Course, Courses, GroupLanes, courses};
use super::levels::Levels;
use super::run::{Axis, Walk, length};
use super::summary::Summary;
use super::{Launch, NO_BLOCK, Program};
use crate::base::job::Turn;
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
    /// Totals of everything.
    pub all: Totals,
    /// Where the axes end: block ordinals, instruction ordinals, time.
    pub lengths: [u64; 3],
    /// Time 0.
    pub origin: u64,
    /// Whether executions have times.
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
    /// How many there are.
    pub executions: u64,
    /// Instructions.
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

    /// Active lanes of all threads of a group in a stretch of block ordinals, added up.
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
        let before = made.threads[thread].instructions;
        for at in part.clone() {
            made.at[at] = u32::try_from(before + sum.instructions).unwrap_or(u32::MAX);
            push(&mut sum, launch, program, at);
            let flags = executions.flags.get(at).copied().unwrap_or(0);
            if let Some(skip) = made.skips.get_mut(at / SKIP) {
                *skip |= flags;
            }
            let excess = executions.excess.get(at).copied().unwrap_or(0);
            made.most_excess = made.most_excess.max(excess);
        }
        if made.has_time {
            let times = &executions.time[part.start.saturating_sub(1).max(all.start)..part.end];
            is_backwards |= !times.is_sorted();
            made.origin = times.iter().copied().min().unwrap_or(u64::MAX).min(made.origin);
            let last = times.iter().copied().max().unwrap_or(0);
            made.lengths[2] = made.lengths[2].max(last.saturating_add(1));
        }
        made.threads[thread].add(&sum);
        made.all.add(&sum);
        if let Some(group) = made.groups.last_mut() {
            group.totals.add(&sum);
        }
        made.lengths[1] = made.lengths[1].max(made.threads[thread].instructions);
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
        for at in part {
            let before = if own.start < at { times[at - 1] } else { 0 };
            times.resize(times.len().max(at + 1), 0);
            times[at] = all[at].max(before);
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
