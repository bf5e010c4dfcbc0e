//! The order of blocks: what each thread ran, from the records of the flow, or of another type where there is none.

use super::batch::{Batch, Gather};
use super::{Attaching, Beside, Event, Lookup, Rules, STEP, Work};
use crate::base::job::{Turn, pieces};
use crate::base::order;
use crate::views::executions::compute::Threads;
use std::sync::Arc;

/// A record that was taken: block, place, and when it began, where records say so.
type Taken<T> = (u32, u32, T);

/// Takes records that say the order.
#[derive(Default)]
pub(crate) struct Order {
    rules: Arc<Rules>,
    threads: Lookup,
    /// Records as they come.
    plain: Gather<Taken<()>>,
    timed: Gather<Taken<u64>>,
    /// Those that are looked at next.
    load: Load,
    lists: Beside<Lists, Load>,
    /// What is wrong and was not told yet.
    events: Vec<Event>,
}

/// Records that are to be looked at, and what was found wrong with those before.
#[derive(Default)]
struct Load {
    plain: Batch<Taken<()>>,
    timed: Batch<Taken<u64>>,
    events: Vec<Event>,
}

/// What was found of the order.
#[derive(Default)]
struct Lists {
    rules: Arc<Rules>,
    follows: Follows,
    /// Row of the type that says it.
    of: usize,
    is_flow: bool,
    /// Blocks by thread; and when they began, where records say so.
    blocks: Vec<Vec<u32>>,
    times: Vec<Vec<u64>>,
    /// Records that the last block of each thread still has to come, where they are no flow.
    rest: Vec<u32>,
    /// Executions of each block.
    counts: Vec<u64>,
}

impl Order {
    /// Begins; `of` is the row of the type that says the order.
    pub(crate) fn new(rules: Rules, of: usize, is_flow: bool) -> Self {
        let counts = vec![0; rules.blocks.len()];
        let rules = Arc::new(rules);
        let follows = Follows::new(&rules);
        let lists = Lists { rules: rules.clone(), follows, of, is_flow, counts, ..Lists::default() };
        Self { rules, lists: Beside::new(lists), ..Self::default() }
    }

    /// What is known of the program.
    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Executions of each block so far.
    pub(crate) fn counts(&mut self) -> &[u64] {
        &self.lists.work().counts
    }

    /// Takes the next record.
    #[inline]
    pub(crate) fn take(&mut self, (thread, block, place): (u32, u32, u32), time: Option<u64>) {
        let row = self.threads.row(thread);
        let is_full = match time {
            None => self.plain.push(row, (block, place, ())),
            Some(time) => self.timed.push(row, (block, place, time)),
        };
        if is_full {
            self.give();
        }
    }

    /// Takes records of threads, blocks and places that do not say when they began.
    #[inline]
    pub(crate) fn take_all(&mut self, mut records: impl Iterator<Item = (u32, u32, u32)>) {
        while records
            .any(|(thread, block, place)| self.plain.push(self.threads.row(thread), (block, place, ())))
        {
            self.give();
        }
    }

    fn give(&mut self) {
        let has_many = self.plain.has_many() || self.timed.has_many();
        self.plain.sort(&mut self.load.plain);
        self.timed.sort(&mut self.load.timed);
        self.lists.give(&mut self.load, has_many);
        self.events.append(&mut self.load.events);
    }

    /// Looks at all records that were taken; must come before anything is asked.
    pub(crate) fn settle(&mut self) {
        self.give();
        self.lists.end(|mut load| self.events.append(&mut load.events));
    }

    /// What was found wrong since, in the order of places.
    pub(crate) fn take_events(&mut self) -> Vec<Event> {
        order::sort_by_number(&mut self.events, |event| event.place().map_or(-1, i64::from));
        let mut events = std::mem::take(&mut self.events);
        for event in &mut events {
            // Rows are known where blocks are looked at, threads here.
            if let Event::Successor { thread, .. } = event {
                *thread = self.threads.ids().get(*thread as usize).copied().unwrap_or(0);
            }
        }
        events
    }

    /// Ends: threads are put in the order of `key`.
    pub(crate) fn arrange<K: Ord>(mut self, key: impl Fn(u32) -> K) -> Arranging {
        let ids = self.threads.ids();
        let mut order: Vec<u32> = (0..u32::try_from(ids.len()).unwrap_or(u32::MAX)).collect();
        order.sort_by_cached_key(|row| ids.get(*row as usize).map(|id| (key(*id), *id)));
        self.threads.arrange(&order);
        let lists = self.lists.into_work();
        let n: usize = lists.blocks.iter().map(Vec::len).sum();
        Arranging {
            lists,
            lookup: self.threads,
            rows: order,
            slots: vec![0],
            threads: Threads::default(),
            starts: Vec::new(),
            blocks: Vec::with_capacity(n),
            times: Vec::new(),
        }
    }
}

impl Work<Load> for Lists {
    fn work(&mut self, load: &mut Load) {
        let Load { plain, timed, events } = load;
        plain.drain(self, Self::touch, |lists, row, records| lists.add(row, records, |()| None, events));
        timed.drain(self, Self::touch, |lists, row, records| lists.add(row, records, Some, events));
    }
}

impl Lists {
    /// Reads of the memory that records of a row need.
    fn touch(&self, row: u32) -> u32 {
        self.blocks.get(row as usize).and_then(|list| list.last()).copied().unwrap_or(0)
    }

    /// Looks at records of a thread.
    fn add<T: Copy>(
        &mut self,
        thread: u32,
        records: &[Taken<T>],
        time: impl Fn(T) -> Option<u64>,
        events: &mut Vec<Event>,
    ) {
        let row = thread as usize;
        if self.blocks.len() <= row {
            self.blocks.resize_with(row + 1, Vec::new);
        }
        let Some(list) = self.blocks.get_mut(row) else { return };
        let mut before = list.last().copied();
        list.reserve(records.len());
        for (block, place, when) in records {
            let (block, place) = (*block, *place);
            if self.is_flow {
                if let Some(from) = before.filter(|from| !self.follows.may(&self.rules, *from, block)) {
                    events.push(Event::Successor { place, thread, from, to: block });
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

/// Blocks of a program whose pairs have a bit each; more are looked up.
const PAIRED: usize = 1 << 11;

/// Which block may follow which in one thread: a bit for each pair.
#[derive(Default)]
struct Follows {
    /// Blocks of the program; 0 where pairs have no bits.
    n: usize,
    bits: Vec<u64>,
}

impl Follows {
    fn new(rules: &Rules) -> Self {
        let n = rules.blocks.len();
        if !rules.has_successors || PAIRED < n {
            return Self::default();
        }
        let mut bits = vec![0; (n * n).div_ceil(64)];
        let rows = || (0..n).filter_map(|row| u32::try_from(row).ok());
        for (at, (from, to)) in rows().flat_map(|from| rows().map(move |to| (from, to))).enumerate() {
            let bit = u64::from(may_follow(rules, from, to)) << (at % 64);
            bits.get_mut(at / 64).into_iter().for_each(|word| *word |= bit);
        }
        Self { n, bits }
    }

    #[inline]
    fn may(&self, rules: &Rules, from: u32, to: u32) -> bool {
        let (from_row, to_row) = (from as usize, to as usize);
        if self.n <= from_row || self.n <= to_row {
            return may_follow(rules, from, to);
        }
        let at = from_row * self.n + to_row;
        self.bits.get(at / 64).is_none_or(|word| word >> (at % 64) & 1 == 1)
    }
}

/// Whether a block may follow another in one thread.
fn may_follow(rules: &Rules, from: u32, to: u32) -> bool {
    let block = |row: u32| rules.blocks.get(row as usize);
    let Some((from, next)) = block(from).zip(block(to)) else { return true };
    let begins = rules.is_hardware && next.is_entry;
    !rules.has_successors || from.successors.contains(&to) || from.is_exit || begins
}

/// The blocks of all threads, one after the other.
pub(crate) struct Arranging {
    lists: Lists,
    lookup: Lookup,
    /// The row of each slot in the order of first records.
    rows: Vec<u32>,
    /// Executions of slot `s` are `slots[s]..slots[s + 1]`.
    slots: Vec<u32>,
    threads: Threads,
    starts: Vec<u32>,
    blocks: Vec<u32>,
    times: Vec<u64>,
}

impl Arranging {
    /// Puts the blocks of all threads one after the other.
    pub(crate) async fn settle(mut self, turn: &Turn) -> Self {
        for slot in 0..self.rows.len() {
            let row = self.rows.get(slot).map_or(usize::MAX, |row| *row as usize);
            let n = self.lists.blocks.get(row).map_or(0, Vec::len);
            for piece in pieces(n, STEP) {
                // A row is copied in an eighth of the time in which others are looked at.
                let work = 1 + piece.len() / 8;
                self.copy(slot, row, piece);
                if turn.is_over(work) {
                    turn.pause().await;
                }
            }
            self.lists.blocks.get_mut(row).into_iter().for_each(|list| *list = Vec::new());
            self.lists.times.get_mut(row).into_iter().for_each(|list| *list = Vec::new());
            self.slots.push(u32::try_from(self.blocks.len()).unwrap_or(u32::MAX));
        }
        self
    }

    fn copy(&mut self, slot: usize, row: usize, range: std::ops::Range<usize>) {
        let id = self.lookup.ids().get(slot).copied().unwrap_or(0);
        let blocks = &self.lists.rules.blocks;
        let is =
            |block: u32, what: fn(&super::BlockRule) -> bool| blocks.get(block as usize).is_some_and(what);
        let list = self.lists.blocks.get(row).and_then(|list| list.get(range.clone())).unwrap_or(&[]);
        // Threads run once where their numbers are not those of the hardware: what they ran is copied as a whole.
        let is_hardware = self.lists.rules.is_hardware;
        let looked_at = if is_hardware { list.len() } else { usize::from(range.start == 0) };
        for (at, block) in range.clone().zip(list).take(looked_at) {
            let ended = || self.blocks.last().is_some_and(|last| is(*last, |block| block.is_exit));
            let begins = at == 0 || is_hardware && (is(*block, |b| b.is_entry) || ended());
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
        self.blocks.extend_from_slice(list.get(looked_at..).unwrap_or(&[]));
        if let Some(times) = self.lists.times.get(row).and_then(|times| times.get(range)) {
            self.times.extend_from_slice(times);
        }
    }

    /// Ends: the other records can be attached. `records` are how many there are of each type, `None` without a buffer.
    pub(crate) fn finish(mut self, records: &[Option<u64>]) -> Attaching {
        self.starts.push(u32::try_from(self.blocks.len()).unwrap_or(u32::MAX));
        if self.threads.instances.iter().all(|instance| *instance == 0) {
            self.threads.instances = Vec::new();
        }
        if self.times.len() != self.blocks.len() {
            self.times = Vec::new();
        }
        let Lists { rules, of, is_flow, .. } = self.lists;
        let found = super::attach::Found {
            slots: self.slots,
            threads: self.threads,
            starts: self.starts,
            blocks: self.blocks,
            times: self.times,
        };
        Attaching::new(rules, self.lookup, found, (of, is_flow), records)
    }
}
