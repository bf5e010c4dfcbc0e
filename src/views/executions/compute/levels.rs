//! Levels of detail of the executions of each thread: a picture sums up some bins for a pixel, never all executions.

use super::Executions;
use super::run::{Walk, range};
use super::summary::Summary;
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

/// All levels, as far as they were made.
#[derive(Debug, Default)]
pub struct Levels {
    levels: Vec<Level>,
    /// The level that is being made.
    making: Option<(Level, Walk)>,
}

impl Levels {
    /// Makes a piece; false when all is there. `longest` is the most executions of a thread.
    pub(super) fn step(&mut self, executions: &Executions, longest: usize) -> bool {
        let size = self.levels.last().map_or(FIRST, |level| level.size * FACTOR);
        let (mut level, mut walk) = match self.making.take() {
            Some(making) => making,
            None if longest < LEAST * size => return false,
            None => (Level { size, ..Level::default() }, Walk::default()),
        };
        let is_on = walk.piece(executions, |thread, part, all| {
            if level.first.len() == thread {
                level.first.push(level.bins.len() as u32);
            }
            // Threads that are too short for a pixel of bins have none.
            if all.len() < LEAST * size {
                return;
            }
            let begin = level.first[thread] as usize;
            match self.levels.last() {
                None => {
                    for at in part {
                        let bin = begin + (at - all.start) / size;
                        if level.bins.len() <= bin {
                            level.bins.resize(bin + 1, Summary::default());
                        }
                        level.bins[bin].push(executions, at);
                    }
                }
                Some(below) => {
                    let n = all.len().div_ceil(below.size);
                    let from = below.first[thread] as usize;
                    let [first, end] = [part.start, part.end].map(|at| (at - all.start).div_ceil(size));
                    for bin in first..end {
                        let mut sum = Summary::default();
                        let four = from + bin * FACTOR..from + n.min((bin + 1) * FACTOR);
                        below.bins[four].iter().for_each(|below| sum.merge(below));
                        level.bins.push(sum);
                    }
                }
            }
        });
        if is_on {
            self.making = Some((level, walk));
        } else {
            level.bins.shrink_to_fit();
            self.levels.push(level);
        }
        true
    }

    /// What a stretch of executions of a thread adds up to. Of long ones the ends move to those of bins, by less
    /// than half of the stretch; stretches of one length that follow each other count each execution once.
    pub fn sum(&self, executions: &Executions, thread: usize, part: Range<usize>) -> Summary {
        let all = range(executions, thread);
        let n = part.len();
        let mut sum = Summary::default();
        let level = self.levels.iter().rev().find(|level| LEAST * level.size <= n);
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
