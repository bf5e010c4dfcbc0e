//! Levels of detail of the executions of each thread: a picture sums up some bins for a pixel, never all executions.

use super::Executions;
use super::run::{Walk, range};
use super::summary::Summary;
use crate::base::job::Turn;
use std::ops::Range;

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
        let Some(below) = below else {
            for at in part {
                let bin = first[thread] as usize + (at - all.start) / *size;
                if bins.len() <= bin {
                    bins.resize(bin + 1, Summary::default());
                }
                bins[bin].push(executions, at);
            }
            return;
        };
        let n = all.len().div_ceil(below.size);
        let from = below.first[thread] as usize;
        let [begin, end] = [part.start, part.end].map(|at| (at - all.start).div_ceil(*size));
        for bin in begin..end {
            let mut sum = Summary::default();
            let four = from + bin * FACTOR..from + n.min((bin + 1) * FACTOR);
            below.bins[four].iter().for_each(|below| sum.merge(below));
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
        let begin = level.first[thread] as usize;
        for bin in &level.bins[begin + bin(part.start)..begin + bin(part.end)] {
            sum.merge(bin);
        }
        sum
    }
}
