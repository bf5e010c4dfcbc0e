//! The order of blocks: what each thread ran, from the records of the flow, or of another type where there is none.

use super::batch::Batch;
use super::{Attaching, Event, Lookup, Rules, STEP};
use crate::analysis::executions::Threads;

/// A record that was taken: block, place, and when it began, where records say so.
type Taken<T> = (u32, u32, T);

/// Takes records that say the order.
#[derive(Default)]
pub(in crate::systems::instrumentation) struct Order {
    rules: Rules,
    /// Row of the type that says it.
    of: usize,
    is_flow: bool,
    threads: Lookup,
    /// Records that were not looked at yet.
    batch: Batch<Taken<()>>,
    timed: Batch<Taken<u64>>,
    /// What is wrong and was not told yet.
    events: Vec<Event>,
    /// Blocks by thread; and when they began, where records say so.
    lists: Vec<Vec<u32>>,
    times: Vec<Vec<u64>>,
    /// Records that the last block of each thread still has to come, where they are no flow.
    rest: Vec<u32>,
    /// Executions of each block.
    counts: Vec<u64>,
}

impl Order {
    /// Begins; `of` is the row of the type that says the order.
    pub(in crate::systems::instrumentation) fn new(rules: Rules, of: usize, is_flow: bool) -> Self {
        let counts = vec![0; rules.blocks.len()];
        Self { rules, of, is_flow, counts, ..Self::default() }
    }

    /// What is known of the program.
    pub(in crate::systems::instrumentation) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Executions of each block so far.
    pub(in crate::systems::instrumentation) fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Takes the next record.
    #[inline]
    pub(in crate::systems::instrumentation) fn take(
        &mut self,
        (thread, block, place): (u32, u32, u32),
        time: Option<u64>,
    ) {
        let row = self.threads.row(thread);
        let is_full = match time {
            None => self.batch.push(row, (block, place, ())),
            Some(time) => self.timed.push(row, (block, place, time)),
        };
        if is_full {
            self.settle();
        }
    }

    /// Looks at all records that were taken; must come before anything is asked.
    pub(in crate::systems::instrumentation) fn settle(&mut self) {
        let (mut batch, mut timed) = (std::mem::take(&mut self.batch), std::mem::take(&mut self.timed));
        batch.drain(|row, records| self.add(row as usize, records, |()| None));
        timed.drain(|row, records| self.add(row as usize, records, Some));
        (self.batch, self.timed) = (batch, timed);
    }

    /// What was found wrong since, in the order of places.
    pub(in crate::systems::instrumentation) fn take_events(&mut self) -> Vec<Event> {
        self.events.sort_by_key(Event::place);
        std::mem::take(&mut self.events)
    }

    /// Looks at records of a thread.
    fn add<T: Copy>(&mut self, row: usize, records: &[Taken<T>], time: impl Fn(T) -> Option<u64>) {
        if self.lists.len() <= row {
            self.lists.resize_with(row + 1, Vec::new);
        }
        let Some(list) = self.lists.get_mut(row) else { return };
        let mut before = list.last().copied();
        for (block, place, when) in records {
            let (block, place) = (*block, *place);
            if self.is_flow {
                if let Some(from) = before.filter(|from| !may_follow(&self.rules, *from, block)) {
                    let thread = self.threads.ids().get(row).copied().unwrap_or(0);
                    self.events.push(Event::Successor { place, thread, from, to: block });
                }
            } else if !is_new(&mut self.rest, row, before == Some(block), || {
                let rule = self.rules.types.get(self.of).and_then(|rule| rule.emits.get(block as usize));
                rule.map_or(1, |emit| emit.count.max(1))
            }) {
                continue;
            }
            before = Some(block);
            list.push(block);
            if let Some(count) = self.counts.get_mut(block as usize) {
                *count += 1;
            }
            if let Some(time) = time(*when) {
                if self.times.len() <= row {
                    self.times.resize_with(row + 1, Vec::new);
                }
                self.times.get_mut(row).into_iter().for_each(|times| times.push(time));
            }
        }
    }

    /// Ends: threads are put in the order of `key`.
    pub(in crate::systems::instrumentation) fn arrange<K: Ord>(
        mut self,
        key: impl Fn(u32) -> K,
    ) -> Arranging {
        let ids = self.threads.ids();
        let mut order: Vec<u32> = (0..u32::try_from(ids.len()).unwrap_or(u32::MAX)).collect();
        order.sort_by_cached_key(|row| ids.get(*row as usize).map(|id| (key(*id), *id)));
        self.threads.arrange(&order);
        let n: usize = self.lists.iter().map(Vec::len).sum();
        Arranging {
            order: self,
            rows: order,
            next: (0, 0),
            slots: vec![0],
            threads: Threads::default(),
            starts: Vec::new(),
            blocks: Vec::with_capacity(n),
            times: Vec::new(),
        }
    }
}

/// Whether a record begins another execution, where records of a block come `count` at a time.
fn is_new(rest: &mut Vec<u32>, row: usize, is_same: bool, count: impl Fn() -> u32) -> bool {
    if rest.len() <= row {
        rest.resize(row + 1, 0);
    }
    let Some(rest) = rest.get_mut(row) else { return false };
    let goes_on = is_same && 0 < *rest;
    *rest = if goes_on { *rest - 1 } else { count() - 1 };
    !goes_on
}

/// Whether a block may follow another in one thread.
#[inline]
fn may_follow(rules: &Rules, from: u32, to: u32) -> bool {
    let block = |row: u32| rules.blocks.get(row as usize);
    let Some((from, next)) = block(from).zip(block(to)) else { return true };
    let begins = rules.is_hardware && next.is_entry;
    !rules.has_successors || from.successors.contains(&to) || from.is_exit || begins
}

/// Puts the blocks of all threads one after the other, in steps.
pub(in crate::systems::instrumentation) struct Arranging {
    order: Order,
    /// The row of each slot in the order of first records.
    rows: Vec<u32>,
    /// The slot, and the execution in it, that come next.
    next: (usize, usize),
    /// Executions of slot `s` are `slots[s]..slots[s + 1]`.
    slots: Vec<u32>,
    threads: Threads,
    starts: Vec<u32>,
    blocks: Vec<u32>,
    times: Vec<u64>,
}

impl Arranging {
    /// Does some milliseconds of work; false when all is done.
    pub(in crate::systems::instrumentation) fn step(&mut self) -> bool {
        let mut left = STEP;
        while 0 < left {
            let (slot, at) = self.next;
            let Some(row) = self.rows.get(slot).map(|row| *row as usize) else { return false };
            let n = self.order.lists.get(row).map_or(0, Vec::len);
            let end = n.min(at + left);
            left -= end - at;
            self.copy(slot, row, at..end);
            if end < n {
                self.next.1 = end;
                return true;
            }
            self.order.lists.get_mut(row).into_iter().for_each(|list| *list = Vec::new());
            self.order.times.get_mut(row).into_iter().for_each(|list| *list = Vec::new());
            self.slots.push(u32::try_from(self.blocks.len()).unwrap_or(u32::MAX));
            self.next = (slot + 1, 0);
            left = left.saturating_sub(1);
        }
        true
    }

    fn copy(&mut self, slot: usize, row: usize, range: std::ops::Range<usize>) {
        let id = self.order.threads.ids().get(slot).copied().unwrap_or(0);
        let blocks = &self.order.rules.blocks;
        let is =
            |block: u32, what: fn(&super::BlockRule) -> bool| blocks.get(block as usize).is_some_and(what);
        let list = self.order.lists.get(row).and_then(|list| list.get(range.clone())).unwrap_or(&[]);
        for (at, block) in range.clone().zip(list) {
            let ended = || self.blocks.last().is_some_and(|last| is(*last, |block| block.is_exit));
            let begins = at == 0 || self.order.rules.is_hardware && (is(*block, |b| b.is_entry) || ended());
            if begins {
                let same = self.threads.ids.last() == Some(&id);
                let instance =
                    if same { self.threads.instances.last().map_or(0, |last| last + 1) } else { 0 };
                self.threads.ids.push(id);
                self.threads.instances.push(instance);
                self.starts.push(u32::try_from(self.blocks.len()).unwrap_or(u32::MAX));
            }
            self.blocks.push(*block);
        }
        if let Some(times) = self.order.times.get(row).and_then(|times| times.get(range)) {
            self.times.extend_from_slice(times);
        }
    }

    /// Ends: the other records can be attached. `records` are how many there are of each type, `None` without a buffer.
    pub(in crate::systems::instrumentation) fn finish(mut self, records: &[Option<u64>]) -> Attaching {
        self.starts.push(u32::try_from(self.blocks.len()).unwrap_or(u32::MAX));
        if self.threads.instances.iter().all(|instance| *instance == 0) {
            self.threads.instances = Vec::new();
        }
        if self.times.len() != self.blocks.len() {
            self.times = Vec::new();
        }
        let Order { rules, of, is_flow, threads, .. } = self.order;
        let found = super::attach::Found {
            lookup: threads,
            slots: self.slots,
            threads: self.threads,
            starts: self.starts,
            blocks: self.blocks,
            times: self.times,
        };
        Attaching::new(rules, found, (of, is_flow), records)
    }
}
