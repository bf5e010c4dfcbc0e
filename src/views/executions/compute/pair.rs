//! Two threads side by side, up to the first block where they part.

use super::run::range;
use super::{Executions, NO_BLOCK};

/// Executions that are compared in one piece.
const PIECE: usize = 1 << 20;

/// How two threads differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parting {
    /// Blocks that both ran at first.
    pub common: u32,
    /// What each ran then; `None` where it had ended.
    pub next: [Option<u32>; 2],
    /// The first ordinal among the common blocks where active lanes differ.
    pub lanes_from: Option<u32>,
}

impl Parting {
    /// Whether they part at all.
    pub fn is_parted(&self) -> bool {
        self.next != [None, None]
    }
}

/// How many blocks two threads have in common from an ordinal on, among so many.
fn common(executions: &Executions, threads: [u32; 2], from: usize, most: usize) -> usize {
    let [a, b] = threads.map(|thread| {
        let all = range(executions, thread as usize);
        let from = (all.start + from).min(all.end);
        &executions.block[from..all.end.min(from.saturating_add(most))]
    });
    let differ = a.iter().zip(b).position(|(a, b)| a != b || *a == NO_BLOCK);
    differ.unwrap_or(a.len().min(b.len()))
}

/// Compares two threads. Blocks that are not known are never the same.
pub fn compare(executions: &Executions, threads: [u32; 2]) -> Parting {
    let n = common(executions, threads, 0, usize::MAX);
    let all = threads.map(|thread| range(executions, thread as usize));
    let next = all.clone().map(|all| executions.block.get(all.start + n).copied().filter(|_| n < all.len()));
    let [a, b] = all.map(|all| executions.lanes.get(all.start..all.start + n).unwrap_or(&[]));
    let lanes_from = a.iter().zip(b).position(|(a, b)| a != b).map(|at| at as u32);
    Parting { common: n as u32, next, lanes_from }
}

/// The search for the nearest thread that parts from one.
#[derive(Clone, Debug)]
#[allow(clippy::option_option)] // not found yet; found that there is none; found
pub struct Seeking {
    thread: u32,
    /// How many threads away, and in which direction.
    by: u32,
    is_before: bool,
    /// Blocks that were found to be the same so far.
    at: usize,
    found: Option<Option<u32>>,
}

impl Seeking {
    /// Begins.
    pub fn new(thread: u32) -> Self {
        Self { thread, by: 1, is_before: false, at: 0, found: None }
    }

    /// The thread it starts from.
    pub fn thread(&self) -> u32 {
        self.thread
    }

    /// What was found; `None` while it is searched.
    #[allow(clippy::option_option)] // as above
    pub fn found(&self) -> Option<Option<u32>> {
        self.found
    }

    /// Searches for some milliseconds; true when it is over.
    pub fn step(&mut self, executions: &Executions) -> bool {
        let threads = executions.starts.len().saturating_sub(1) as u32;
        let mut room = PIECE;
        while self.found.is_none() && 0 < room {
            if threads.max(1) <= self.by {
                self.found = Some(None);
                break;
            }
            let other = if self.is_before {
                self.thread.checked_sub(self.by)
            } else {
                self.thread.checked_add(self.by)
            };
            let Some(other) = other.filter(|other| *other < threads) else {
                self.turn();
                room -= 1;
                continue;
            };
            let all = [self.thread, other].map(|thread| range(executions, thread as usize).len());
            let n = common(executions, [self.thread, other], self.at, room);
            room = room.saturating_sub(n + 1);
            self.at += n;
            if all.iter().all(|len| *len <= self.at) {
                self.turn();
            } else if 0 < room || all.contains(&self.at) {
                self.found = Some(Some(other));
            }
        }
        self.found.is_some()
    }

    /// Goes on to the next thread.
    fn turn(&mut self) {
        self.by += u32::from(self.is_before);
        (self.is_before, self.at) = (!self.is_before, 0);
    }
}
