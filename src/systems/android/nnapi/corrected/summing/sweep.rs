//! Self times: every instant of a context goes to one cell.
//!
//! The instants of a context are those of level 0: all of an execution, or those in which a thread is in a scope outside
//! of executions. At each instant the deepest item wins: first what was called most indirectly (a
//! driver's thread before the driver's call, before a thread of the runtime, before the thread that waits), then the
//! lower layer, then the later one. So the self times of an execution add up to its time exactly, also when several
//! threads work for it, and those of a run to the time of its contexts.

use super::super::scope::PHASES;
use super::super::walk::{COVER, Context, Item};
use crate::base::job::{Turn, pieces};
use crate::base::sort::Sorting;
use crate::base::time::{Span, Ticks};
use crate::systems::android::nnapi::mark::Phase;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Number of cells: layers × phases.
pub(in super::super) const N_CELLS: usize = 5 * PHASES.len();

/// Items that are looked at between two pauses.
const PIECE: usize = 1 << 16;

/// Times by application phase and cell, of one context.
#[derive(Default)]
pub(super) struct Sums {
    times: Vec<Ticks>,
    /// Those that are not zero, and perhaps others.
    touched: Vec<u16>,
    /// The stretches of a context in which something other than executing was done.
    pub(super) holes: Vec<Span>,
}

impl Sums {
    fn add(&mut self, item: &Item, time: Ticks) {
        let at = item.app as usize * N_CELLS + usize::from(item.cell);
        self.times.resize(3 * N_CELLS, 0);
        if self.times[at] == 0 {
            self.touched.push(at as u16);
        }
        self.times[at] += time;
    }

    /// A stretch with what was done in it; stretches come in the order of time.
    fn add_stretch(&mut self, item: &Item, stretch: Span) {
        self.add(item, stretch.dur());
        let phase = PHASES[usize::from(item.cell) % PHASES.len()];
        if phase == Phase::Execution || phase.is_part_of_execution() {
            return;
        }
        match self.holes.last_mut() {
            Some(last) if last.end == stretch.start => last.end = stretch.end,
            _ => self.holes.push(stretch),
        }
    }

    /// Application phase, cell, time: each once; then all are zero again.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = (usize, usize, Ticks)> {
        let Self { times, touched, .. } = self;
        touched.drain(..).map(|at| {
            let at = usize::from(at);
            (at / N_CELLS, at % N_CELLS, std::mem::take(&mut times[at]))
        })
    }
}

/// Self times: `take` is told each context with items, and its self times by application phase and cell. About the number
/// of items, times the logarithm of how many there are in a context where threads work for each other.
pub(super) async fn attribute(
    items: &[Item],
    contexts: &[Context],
    turn: &Turn,
    mut take: impl FnMut(&Context, &mut Sums),
) {
    let (starts, places) = by_context(items, contexts.len(), turn).await;
    let mut sums = Sums::default();
    for (context, bounds) in contexts.iter().zip(starts.windows(2)) {
        let mine = &places[bounds[0] as usize..bounds[1] as usize];
        if mine.iter().any(|i| items[*i as usize].level != 0) {
            let keys = mine.iter().map(|i| (items[*i as usize].start, *i)).collect();
            let mut sorting = Sorting::in_pieces(keys, PIECE);
            while sorting.step() {
                turn.pause().await;
            }
            let mut sweep = Sweep::new(items, sorting.finish());
            while (0..PIECE / 4).all(|_| sweep.next(items, &mut sums)) {
                turn.pause().await;
            }
        } else {
            for item in mine.iter().map(|i| &items[*i as usize]) {
                sums.add(item, item.end - item.start);
            }
        }
        if !mine.is_empty() {
            take(context, &mut sums);
        }
        if turn.is_over(mine.len() + 1) {
            turn.pause().await;
        }
    }
}

/// Where the items of each context begin, with one more for the end, and the items by context; those whose context is
/// unknown are of none.
async fn by_context(items: &[Item], n: usize, turn: &Turn) -> (Vec<u32>, Vec<u32>) {
    let known = |piece: Range<usize>| {
        let next = (piece.start as u32..).zip(&items[piece]);
        next.filter(move |(_, item)| (item.context as usize) < n)
    };
    let mut starts = vec![0; n + 1];
    for piece in pieces(items.len(), PIECE) {
        known(piece).for_each(|(_, item)| starts[item.context as usize + 1] += 1);
        turn.pause().await;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut places = vec![0; starts.last().map_or(0, |n| *n as usize)];
    let mut next = starts.clone();
    for piece in pieces(items.len(), PIECE) {
        for (number, item) in known(piece) {
            let place = &mut next[item.context as usize];
            places[*place as usize] = number;
            *place += 1;
        }
        turn.pause().await;
    }
    (starts, places)
}

/// A walk through the items of a context in the order of their starts.
struct Sweep {
    waiting: Vec<u32>,
    at: usize,
    ends: BinaryHeap<Reverse<(Ticks, u32)>>,
    deepest: BinaryHeap<(u8, u8, u32)>,
    n_own: u32,
    n_covers: u32,
    now: Ticks,
}

impl Sweep {
    /// Begins with items in the order of their starts.
    fn new(items: &[Item], sorted: Vec<(Ticks, u32)>) -> Self {
        let is_long = |i: &u32| items[*i as usize].start < items[*i as usize].end;
        let waiting = sorted.into_iter().map(|(_, i)| i).filter(is_long).collect();
        let (ends, deepest) = (BinaryHeap::new(), BinaryHeap::new());
        Self { waiting, at: 0, ends, deepest, n_own: 0, n_covers: 0, now: Ticks::MIN }
    }

    /// Goes to the next end or start; false behind the last.
    fn next(&mut self, items: &[Item], sums: &mut Sums) -> bool {
        let start = self.waiting.get(self.at).map(|&i| items[i as usize].start);
        let end = self.ends.peek().map(|Reverse((end, _))| *end);
        let Some(next) = start.into_iter().chain(end).min() else { return false };
        if 0 < self.n_own && self.now < next {
            while self.deepest.peek().is_some_and(|(_, _, i)| items[*i as usize].end <= self.now) {
                self.deepest.pop();
            }
            if let Some(item) = self.deepest.peek().map(|(_, _, i)| &items[*i as usize])
                && !(0 < self.n_covers && is_application(item.cell))
            {
                sums.add_stretch(item, Span::new(self.now, next));
            }
        }
        let now = next;
        self.now = now;
        while let Some(Reverse((_, i))) = self.ends.peek().copied().filter(|Reverse((end, _))| *end <= now) {
            self.ends.pop();
            self.n_own -= u32::from(items[i as usize].level == 0);
            self.n_covers -= u32::from(items[i as usize].cell == COVER);
        }
        while let Some(&i) = self.waiting.get(self.at).filter(|&&i| items[i as usize].start <= now) {
            self.at += 1;
            let item = &items[i as usize];
            self.ends.push(Reverse((item.end, i)));
            self.n_own += u32::from(item.level == 0);
            if item.cell == COVER {
                self.n_covers += 1;
            } else {
                self.deepest.push((item.level, item.cell / PHASES.len() as u8, i));
            }
        }
        true
    }
}

/// Whether a cell is of the first layer.
fn is_application(cell: u8) -> bool {
    usize::from(cell) < PHASES.len()
}
