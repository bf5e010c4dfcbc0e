//! Self times: every instant of a context goes to one cell.
//!
//! The instants of a context are those of level 0: all of an execution, or those in which a thread is in a scope outside
//! of executions. At each instant the deepest item wins: first what was called most indirectly (a
//! driver's thread before the driver's call, before a thread of the runtime, before the thread that waits), then the
//! lower layer, then the later one. So the self times of an execution add up to its time exactly, also when several
//! threads work for it, and those of a run to the time of its contexts.

use super::scope::PHASES;
use super::walk::{COVER, Context, Item};
use crate::base::order;
use crate::base::time::Ticks;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Number of cells: layers × phases.
pub(super) const N_CELLS: usize = 5 * PHASES.len();

/// Time by application phase and cell.
pub(super) type Sums = [[Ticks; N_CELLS]; 3];

/// Adds up the items of all contexts; `add` is given each context with its sums. About the number of items, times the
/// logarithm of how many there are in a context where threads work for each other.
pub(super) fn attribute(items: &[Item], contexts: &[Context], mut add: impl FnMut(&Context, &Sums)) {
    let mut ends = vec![0_usize; contexts.len() + 1];
    for item in items.iter().filter(|item| (item.context as usize) < contexts.len()) {
        ends[item.context as usize + 1] += 1;
    }
    for at in 1..ends.len() {
        ends[at] += ends[at - 1];
    }
    let starts = ends.clone();
    let mut places = vec![0_u32; *ends.last().unwrap_or(&0)];
    let mut next = starts.clone();
    for (number, item) in items.iter().enumerate() {
        if let Some(place) =
            next.get_mut(item.context as usize).filter(|_| (item.context as usize) < contexts.len())
        {
            places[*place] = number as u32;
            *place += 1;
        }
    }
    for (at, context) in contexts.iter().enumerate() {
        let mine = &mut places[starts[at]..starts[at + 1]];
        if mine.is_empty() {
            continue;
        }
        let mut sums: Sums = [[0; N_CELLS]; 3];
        if mine.iter().all(|&i| items[i as usize].level == 0) {
            for item in mine.iter().map(|&i| &items[i as usize]) {
                sums[item.app as usize][usize::from(item.cell)] += item.end - item.start;
            }
        } else {
            order::sort_numbers(mine, &|i| items[i as usize].start);
            sweep(items, mine, &mut sums);
        }
        add(context, &sums);
    }
}

/// Goes through items in the order of their starts.
fn sweep(items: &[Item], mine: &[u32], sums: &mut Sums) {
    let mut waiting =
        mine.iter().copied().filter(|&i| items[i as usize].start < items[i as usize].end).peekable();
    let mut ends: BinaryHeap<Reverse<(Ticks, u32)>> = BinaryHeap::new();
    let mut deepest: BinaryHeap<(u8, u8, u32)> = BinaryHeap::new();
    let (mut n_own, mut n_covers, mut now) = (0_u32, 0_u32, Ticks::MIN);
    loop {
        let start = waiting.peek().map(|&i| items[i as usize].start);
        let end = ends.peek().map(|Reverse((end, _))| *end);
        let Some(next) = start.into_iter().chain(end).min() else { break };
        if 0 < n_own && now < next {
            while deepest.peek().is_some_and(|(_, _, i)| items[*i as usize].end <= now) {
                deepest.pop();
            }
            if let Some(item) = deepest.peek().map(|(_, _, i)| &items[*i as usize])
                && !(0 < n_covers && is_application(item.cell))
            {
                sums[item.app as usize][usize::from(item.cell)] += next - now;
            }
        }
        now = next;
        while let Some(Reverse((_, i))) = ends.peek().copied().filter(|Reverse((end, _))| *end <= now) {
            ends.pop();
            n_own -= u32::from(items[i as usize].level == 0);
            n_covers -= u32::from(items[i as usize].cell == COVER);
        }
        while let Some(i) = waiting.next_if(|&i| items[i as usize].start <= now) {
            let item = &items[i as usize];
            ends.push(Reverse((item.end, i)));
            n_own += u32::from(item.level == 0);
            if item.cell == COVER {
                n_covers += 1;
            } else {
                deepest.push((item.level, item.cell / PHASES.len() as u8, i));
            }
        }
    }
}

/// Whether a cell is of the first layer.
fn is_application(cell: u8) -> bool {
    usize::from(cell) < PHASES.len()
}
