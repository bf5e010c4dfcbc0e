//! Records are given to the executions that wrote them, one after the other as they stand in the buffers.

use super::batch::Batch;
use super::cursor::{Columns, Cursor, Walk};
use super::result::{MARK, Stream};
use super::{Event, Item, Kind, LOOK_AHEAD, Lookup, Rules, STEP, Tell};
use crate::analysis::executions::{NO_LANES, Threads};
use crate::base::map::Map;
use std::collections::VecDeque;

/// The order of blocks, as records said it.
#[derive(Default)]
pub(super) struct Found {
    /// Slots by the number of a thread.
    pub(super) lookup: Lookup,
    /// Executions of slot `s` are `slots[s]..slots[s + 1]`.
    pub(super) slots: Vec<u32>,
    pub(super) threads: Threads,
    pub(super) starts: Vec<u32>,
    pub(super) blocks: Vec<u32>,
    pub(super) times: Vec<u64>,
}

/// What is done.
#[derive(Clone, Copy)]
enum Phase {
    /// Records that the executions of slots need are counted: type, execution and slot that come next, records so far.
    Need(usize, u32, usize, u64),
    /// Records of each thread are counted: there are far fewer than are needed.
    Count,
    /// Cursors are put at the begin of slots: type, slot that comes next.
    Begin(usize, usize),
    /// Records are attached.
    Attach,
}

/// Takes records.
pub(in crate::systems::instrumentation) struct Attaching {
    pub(super) rules: Rules,
    pub(super) found: Found,
    /// The type that said the order, and whether it is the flow.
    pub(super) order: (usize, bool),
    /// Records of each type that has buffers.
    records: Vec<Option<u64>>,
    phase: Phase,
    /// By type; `None` for those that nothing is attached of.
    pub(super) streams: Vec<Option<Stream>>,
    pub(super) columns: Columns,
    /// Records of each type that were not looked at yet.
    batches: Vec<Batch<Item>>,
    /// What is wrong and was not told yet.
    events: Vec<Event>,
    /// Records that wait, by type and slot.
    pub(super) waiting: Map<(usize, u32), VecDeque<Item>>,
    /// Records that are left over, by type and number of the thread: how many, and the first.
    pub(super) extra: Map<(usize, u32), (u64, u32)>,
    /// Where the end is: type, slot, and execution that come next.
    pub(super) ending: (usize, usize, u32),
}

impl Attaching {
    pub(super) fn new(rules: Rules, found: Found, order: (usize, bool), records: &[Option<u64>]) -> Self {
        let is_attached =
            |of: usize| records.get(of).is_some_and(Option::is_some) && (of != order.0 || !order.1);
        let streams = (0..rules.types.len()).map(|of| is_attached(of).then(Stream::default)).collect();
        Self {
            rules,
            found,
            order,
            records: records.to_vec(),
            phase: Phase::Need(0, 0, 0, 0),
            streams,
            columns: Columns::default(),
            batches: (0..records.len()).map(|_| Batch::default()).collect(),
            events: Vec::new(),
            waiting: Map::default(),
            extra: Map::default(),
            ending: (0, 0, 0),
        }
    }

    /// What is known of the program.
    pub(in crate::systems::instrumentation) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Whether the records of each thread are to be counted first.
    pub(in crate::systems::instrumentation) fn is_counting(&self) -> bool {
        matches!(self.phase, Phase::Count)
    }

    /// Does some milliseconds of work before records are taken; false when they can come.
    pub(in crate::systems::instrumentation) fn prepare(&mut self) -> bool {
        match self.phase {
            Phase::Need(of, at, slot, sum) => self.need(of, at, slot, sum),
            Phase::Begin(of, slot) => self.begin(of, slot),
            Phase::Count | Phase::Attach => return false,
        }
        !matches!(self.phase, Phase::Count | Phase::Attach)
    }

    /// Counts what slots need of a type.
    fn need(&mut self, of: usize, at: u32, mut slot: usize, mut sum: u64) {
        let Some(stream) = self.streams.get_mut(of) else {
            self.phase = if self.is_scarce() { Phase::Count } else { Phase::Begin(0, 0) };
            return self.make_columns();
        };
        let Some((stream, rule)) = stream.as_mut().zip(self.rules.types.get(of)) else {
            self.phase = Phase::Need(of + 1, 0, 0, 0);
            return;
        };
        let n = u32::try_from(self.found.blocks.len()).unwrap_or(u32::MAX);
        let end = n.min(at.saturating_add(u32::try_from(STEP).unwrap_or(u32::MAX)));
        let blocks = self.found.blocks.get(at as usize..end as usize).unwrap_or(&[]);
        for (execution, block) in (at..).zip(blocks) {
            while self.found.slots.get(slot).is_some_and(|start| *start <= execution) {
                stream.starts.push(sum);
                slot += 1;
            }
            sum += rule.emits.get(*block as usize).map_or(0, |emit| u64::from(emit.count));
        }
        self.phase = Phase::Need(of, end, slot, sum);
        if end == n {
            stream.starts.resize(self.found.slots.len(), sum);
            self.phase = Phase::Need(of + 1, 0, 0, 0);
        }
    }

    /// Whether far fewer records came than are needed: then as many places are kept as came, and no more.
    fn is_scarce(&self) -> bool {
        let needed = |stream: &Stream| stream.starts.last().copied().unwrap_or(0);
        let pairs = self.streams.iter().zip(&self.records);
        let mut pairs = pairs.filter_map(|(stream, records)| Some((needed(stream.as_ref()?), (*records)?)));
        pairs.any(|(needed, records)| records.saturating_mul(2).saturating_add(65_536) < needed)
    }

    fn make_columns(&mut self) {
        let has = |kind: Kind| {
            let mut all = self.streams.iter().zip(&self.rules.types);
            all.any(|(stream, rule)| stream.is_some() && rule.kind == kind)
        };
        let (has_memory, has_simd) = (has(Kind::Memory), has(Kind::Simd));
        let n = self.found.blocks.len();
        if has_memory || has_simd {
            self.columns.lanes = vec![NO_LANES; n];
        }
        self.columns.flags = vec![0; n];
        for (stream, rule) in self.streams.iter_mut().zip(&self.rules.types) {
            let Some(stream) = stream else { continue };
            stream.has_lanes = rule.kind == Kind::Simd || rule.kind == Kind::Memory && !has_simd;
            stream.counts =
                vec![0; if matches!(self.phase, Phase::Count) { self.found.slots.len() } else { 0 }];
        }
    }

    /// Keeps what accesses moved: only where records have the addresses of all lanes.
    pub(in crate::systems::instrumentation) fn keep_moved(&mut self) {
        let n = self.found.blocks.len();
        for column in [&mut self.columns.moved, &mut self.columns.used, &mut self.columns.excess] {
            *column = vec![0; n];
        }
    }

    /// Counts a record.
    pub(in crate::systems::instrumentation) fn count(&mut self, of: usize, thread: u32) {
        let slot = self.found.lookup.get(thread);
        let stream = self.streams.get_mut(of).and_then(Option::as_mut);
        if let Some((stream, slot)) = stream.zip(slot) {
            stream.counts.get_mut(slot as usize).into_iter().for_each(|count| *count += 1);
        }
    }

    /// All records were counted.
    pub(in crate::systems::instrumentation) fn end_counts(&mut self) {
        for stream in self.streams.iter_mut().flatten() {
            let mut sum = 0;
            for (start, count) in stream.starts.iter_mut().zip(std::mem::take(&mut stream.counts)) {
                *start = sum;
                sum += u64::from(count);
            }
            stream.starts.last_mut().into_iter().for_each(|end| *end = sum);
        }
        self.phase = Phase::Begin(0, 0);
    }

    /// Puts cursors at the begin of slots.
    fn begin(&mut self, of: usize, slot: usize) {
        let Some(stream) = self.streams.get_mut(of) else {
            self.phase = Phase::Attach;
            return;
        };
        let Some((stream, rule)) = stream.as_mut().zip(self.rules.types.get(of)) else {
            self.phase = Phase::Begin(of + 1, 0);
            return;
        };
        if slot == 0 {
            let n = stream.starts.last().and_then(|n| usize::try_from(*n).ok()).unwrap_or(0);
            stream.places = vec![0; n];
            stream.marks = vec![0; self.found.blocks.len() / MARK as usize + 1];
        }
        let walk = Walk { rule, blocks: &self.found.blocks, has_lanes: stream.has_lanes };
        let slots = self.found.slots.windows(2).zip(&stream.starts).skip(slot).take(STEP / 8);
        let mut at = slot;
        for (range, filled) in slots {
            let &[from, end] = range else { continue };
            let filled = u32::try_from(*filled).unwrap_or(u32::MAX);
            stream.cursors.push(Cursor::begin(from, end, filled, &walk, &mut stream.marks));
            at += 1;
        }
        self.phase =
            if at + 1 < self.found.slots.len() { Phase::Begin(of, at) } else { Phase::Begin(of + 1, 0) };
    }

    /// Takes the next record of a type.
    #[inline]
    pub(in crate::systems::instrumentation) fn take(&mut self, of: usize, thread: u32, item: Item) {
        let Some(slot) = self.found.lookup.get(thread) else {
            self.extra.entry((of, thread)).or_insert((0, item.place)).0 += 1;
            return;
        };
        if self.batches.get_mut(of).is_some_and(|batch| batch.push(slot, item)) {
            self.settle_type(of);
        }
    }

    /// Attaches all records that were taken; must come before the end.
    pub(in crate::systems::instrumentation) fn settle(&mut self) {
        (0..self.batches.len()).for_each(|of| self.settle_type(of));
    }

    fn settle_type(&mut self, of: usize) {
        let Some(batch) = self.batches.get_mut(of) else { return };
        let (mut batch, mut events) = (std::mem::take(batch), std::mem::take(&mut self.events));
        batch.drain(|slot, records| self.attach(of, slot, records, &mut |event| events.push(event)));
        self.events = events;
        self.batches.get_mut(of).into_iter().for_each(|own| std::mem::swap(own, &mut batch));
    }

    /// What was found wrong since, in the order of places.
    pub(in crate::systems::instrumentation) fn take_events(&mut self) -> Vec<Event> {
        self.events.sort_by_key(Event::place);
        std::mem::take(&mut self.events)
    }

    /// Attaches records of one type and thread.
    fn attach(&mut self, of: usize, slot: u32, mut records: &[Item], tell: Tell) {
        let thread = self.thread(slot);
        loop {
            records = self.expected(of, slot, records, &mut *tell);
            let Some((item, rest)) = records.split_first() else { return };
            self.waiting.entry((of, slot)).or_default().push_back(*item);
            self.resolve(of, (slot, thread), false, &mut *tell);
            records = rest;
        }
    }

    /// Attaches records as far as they are of the blocks that are expected; returns the rest.
    fn expected<'a>(&mut self, of: usize, slot: u32, mut records: &'a [Item], tell: Tell) -> &'a [Item] {
        let Some(end) = self.found.slots.get(slot as usize + 1).copied() else { return &[] };
        let Some((Some(stream), rule)) = self.streams.get_mut(of).zip(self.rules.types.get(of)) else {
            return &[];
        };
        let Some(mut cursor) = stream.cursors.get(slot as usize).copied() else { return &[] };
        let walk = Walk { rule, blocks: &self.found.blocks, has_lanes: stream.has_lanes };
        while !cursor.is_waiting
            && 0 < cursor.left
            && let Some((item, rest)) = records.split_first()
            && cursor.block == item.block
        {
            cursor.attach(item, end, &walk, (&mut *stream, &mut self.columns), &mut *tell);
            records = rest;
        }
        stream.cursors.get_mut(slot as usize).into_iter().for_each(|to| *to = cursor);
        records
    }

    /// The number of the thread of a slot.
    pub(super) fn thread(&self, slot: u32) -> u32 {
        self.found.lookup.ids().get(slot as usize).copied().unwrap_or(0)
    }

    /// Looks whether waiting records of a thread can be attached; `is_end` when no more of them come.
    pub(super) fn resolve(&mut self, of: usize, (slot, thread): (u32, u32), is_end: bool, tell: Tell) {
        let Some(end) = self.found.slots.get(slot as usize + 1).copied() else { return };
        let Some((Some(stream), rule)) = self.streams.get_mut(of).zip(self.rules.types.get(of)) else {
            return;
        };
        let Some(mut cursor) = stream.cursors.get(slot as usize).copied() else { return };
        let Some(queue) = self.waiting.get_mut(&(of, slot)) else { return };
        let walk = Walk { rule, blocks: &self.found.blocks, has_lanes: stream.has_lanes };
        let look_ahead = if of == self.order.0 { 1 } else { LOOK_AHEAD };
        while let Some(front) = queue.front().copied() {
            if cursor.left == 0 {
                let (records, _) = self.extra.entry((of, thread)).or_insert((0, front.place));
                *records += queue.len() as u64;
                queue.clear();
                break;
            }
            if front.block == cursor.block {
                cursor.attach(&front, end, &walk, (&mut *stream, &mut self.columns), &mut *tell);
                queue.pop_front();
                continue;
            }
            let ahead = queue.iter().take(look_ahead).position(|item| item.block == cursor.block);
            if ahead.is_none() && queue.len() < look_ahead && !is_end {
                break;
            }
            tell(Event::Sequence {
                of,
                place: front.place,
                thread,
                expected: cursor.block,
                found: front.block,
                skipped: ahead.map(|n| n as u64),
            });
            match ahead {
                Some(n) => drop(queue.drain(..n)),
                None => cursor.give_up(end, &walk, stream, &mut self.columns),
            }
        }
        cursor.is_waiting = !queue.is_empty();
        if !cursor.is_waiting {
            self.waiting.remove(&(of, slot));
        }
        stream.cursors.get_mut(slot as usize).into_iter().for_each(|to| *to = cursor);
    }
}
