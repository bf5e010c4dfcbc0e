//! What was prepared of launches and asked last; kept because it is asked for often.

use super::arrange::{Arranged, arrange};
use super::run::{Run, range};
use super::{Executions, Launch, NO_BLOCK, Program, Recorded};
use crate::base::job::{Job, Turn};
use crate::model::Trace;
use std::rc::Rc;

/// Launches that are kept prepared.
const KEPT: usize = 3;

/// What was prepared.
#[derive(Default)]
pub struct Cache {
    /// Launches with what was prepared of them, the newest last.
    ready: Vec<(u32, Arranged)>,
    making: Option<(u32, Job<Option<Arranged>>)>,
    /// The pair that was compared last: launch, threads, how they part.
    pair: Option<(u32, [u32; 2], Parting)>,
    /// The search for a nearest thread, by launch and thread, and what the last one found.
    seeking: Option<([u32; 2], Job<Option<u32>>)>,
    nearest: Option<([u32; 2], Option<u32>)>,
}

/// A launch with its program.
fn find(recorded: &Recorded, launch: u32) -> Option<(&Launch, &Program)> {
    let launch = recorded.launches.get(launch as usize)?;
    Some((launch, recorded.programs.get(launch.program as usize)?))
}

impl Cache {
    /// Prepares a launch for some milliseconds; true when it is prepared, or cannot be.
    pub fn prepare(&mut self, trace: &Rc<Trace>, launch: u32) -> bool {
        if self.ready.iter().any(|(ready, _)| *ready == launch) {
            return true;
        }
        let begun = self.making.take().filter(|(making, _)| *making == launch);
        let begin = || {
            let trace = Rc::clone(trace);
            Job::new(async move |turn| {
                let (found, program) = find(trace.extensions.get()?, launch)?;
                Some(arrange(found, program, &turn).await)
            })
        };
        let mut making = begun.map_or_else(begin, |(_, making)| making);
        match making.poll() {
            None => self.making = Some((launch, making)),
            Some(None) => {}
            Some(Some(arranged)) => {
                if KEPT <= self.ready.len() {
                    self.ready.remove(0);
                }
                self.ready.push((launch, arranged));
            }
        }
        self.making.is_none()
    }

    /// A launch that was prepared.
    pub fn run<'a>(&'a self, recorded: &'a Recorded, launch: u32) -> Option<Run<'a>> {
        let (found, program) = find(recorded, launch)?;
        let (_, arranged) = self.ready.iter().find(|(ready, _)| *ready == launch)?;
        Some(Run { launch: found, program, arranged })
    }

    /// Compares two threads, unless they were compared last.
    pub fn pair(&mut self, recorded: &Recorded, launch: u32, threads: [u32; 2]) -> Option<Parting> {
        let (found, _) = find(recorded, launch)?;
        let n = found.executions.starts.len().saturating_sub(1) as u32;
        if threads.iter().any(|thread| n <= *thread) || threads[0] == threads[1] {
            return None;
        }
        match self.pair {
            Some((of, own, parting)) if (of, own) == (launch, threads) => Some(parting),
            _ => {
                let parting = compare(&found.executions, threads);
                self.pair = Some((launch, threads, parting));
                Some(parting)
            }
        }
    }

    /// Searches the nearest thread that parts from one; true when it is found, or is none.
    pub fn seek(&mut self, trace: &Rc<Trace>, launch: u32, thread: u32) -> bool {
        let of = [launch, thread];
        if self.nearest.is_some_and(|(found, _)| found == of) {
            return true;
        }
        let begun = self.seeking.take().filter(|(seeking, _)| *seeking == of);
        let begin = || {
            let trace = Rc::clone(trace);
            Job::new(async move |turn| {
                let (found, _) = find(trace.extensions.get()?, launch)?;
                nearest(&found.executions, thread, &turn).await
            })
        };
        let mut seeking = begun.map_or_else(begin, |(_, seeking)| seeking);
        match seeking.poll() {
            None => self.seeking = Some((of, seeking)),
            Some(found) => self.nearest = Some((of, found)),
        }
        self.seeking.is_none()
    }

    /// What was found.
    pub fn nearest(&self, launch: u32, thread: u32) -> Option<u32> {
        self.nearest.filter(|(of, _)| *of == [launch, thread])?.1
    }
}

// Two threads side by side, up to the first block where they part.

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
        executions.block.get(from..all.end.min(from.saturating_add(most))).unwrap_or_default()
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
