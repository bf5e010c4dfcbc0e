//! Two threads side by side, up to the first block where they part.

use super::run::range;
use super::{Executions, NO_BLOCK};
use crate::base::job::Turn;

/// Executions that are compared between two pauses.
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

/// The nearest thread that parts from one; of two as near the later one.
pub async fn nearest(executions: &Executions, thread: u32, turn: &Turn) -> Option<u32> {
    let threads = executions.starts.len().saturating_sub(1) as u32;
    let len = |thread: u32| range(executions, thread as usize).len();
    let mut left = PIECE;
    for by in 1..threads {
        let others = [thread.checked_add(by), thread.checked_sub(by)].into_iter().flatten();
        for other in others.filter(|other| *other < threads) {
            let (mut at, mut is_same) = (0, true);
            while is_same {
                let n = common(executions, [thread, other], at, PIECE);
                (at, is_same) = (at + n, n == PIECE);
                left = left.saturating_sub(n + 1);
                if left == 0 {
                    left = PIECE;
                    turn.pause().await;
                }
            }
            if at < len(thread).max(len(other)) {
                return Some(other);
            }
        }
    }
    None
}
