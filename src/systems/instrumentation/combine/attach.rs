//! Records are given to the executions that wrote them, one after the other as they stand in the buffers.

use super::batch::Batch;
use super::cursor::{Columns, Cursor, Walk};
use super::{Access, Event, Item, Kind, LOOK_AHEAD, Lookup, MARK, Record, Rules, STEP, Stream, Tell, Work};
use crate::base::map::Map;
use crate::views::executions::compute::{NO_LANES, Threads};
use std::collections::VecDeque;
use std::sync::Arc;

/// The order of blocks, as records said it.
#[derive(Default)]
pub(super) struct Found {
    /// Executions of slot `s` are `slots[s]..slots[s + 1]`.
    pub(super) slots: Vec<u32>,
    pub(super) threads: Threads,
    pub(super) starts: Vec<u32>,
    pub(super) blocks: Vec<u32>,
    pub(super) times: Vec<u64>,
}

/// What is done.
#[derive(Clone, Copy, Default)]
enum Phase {
    /// Records that the executions of slots need are counted: type, execution and slot that come next, records so far.
    Need(usize, u32, usize, u64),
    #[default]
    /// Records of each thread are counted: there are far fewer than are needed.
    Count,
    /// Cursors are put at the begin of slots: type, slot that comes next.
    Begin(usize, usize),
    Attach,
}

/// Records of a type that are to be looked at, and what was found wrong with those before.
#[derive(Default)]
pub(super) struct Load {
    pub(super) of: usize,
    pub(super) plain: Batch<Item>,
    pub(super) with_access: Batch<(Item, Access)>,
    pub(super) events: Vec<Event>,
}

/// What records were attached to.
#[derive(Default)]
pub(super) struct Attached {
    pub(super) rules: Arc<Rules>,
    lookup: Arc<Lookup>,
    pub(super) found: Found,
    /// The type that said the order, and whether it is the flow.
    pub(super) order: (usize, bool),
    /// Records of each type that has buffers.
    records: Vec<Option<u64>>,
    phase: Phase,
    /// By type; `None` for those that nothing is attached of.
    pub(super) streams: Vec<Option<Stream>>,
    pub(super) columns: Columns,
    /// Records that wait, by type and slot.
    pub(super) waiting: Map<(usize, u32), VecDeque<(Item, Access)>>,
    /// Records that are left over, by type and number of the thread: how many, and the first.
    pub(super) extra: Map<(usize, u32), (u64, u32)>,
    /// Where the end is: type, slot, and execution that come next.
    pub(super) ending: (usize, usize, u32),
}

impl Work<Load> for Attached {
    fn work(&mut self, load: &mut Load) {
        let Load { of, plain, with_access, events } = load;
        let of = *of;
        let touch = |all: &Self, slot: u32| all.touch(of, slot);
        plain.drain(self, touch, |all, slot, records| all.attach(of, slot, records, events));
        with_access.drain(self, touch, |all, slot, records| all.attach(of, slot, records, events));
    }
}

impl Attached {
    pub(super) fn new(
        rules: Arc<Rules>,
        lookup: Arc<Lookup>,
        found: Found,
        order: (usize, bool),
        records: &[Option<u64>],
    ) -> Self {
        let is_attached =
            |of: usize| records.get(of).is_some_and(Option::is_some) && (of != order.0 || !order.1);
        let streams = (0..rules.types.len()).map(|of| is_attached(of).then(Stream::default)).collect();
        Self {
            rules,
            lookup,
            found,
            order,
            records: records.to_vec(),
            phase: Phase::Need(0, 0, 0, 0),
            streams,
            columns: Columns::default(),
            waiting: Map::default(),
            extra: Map::default(),
            ending: (0, 0, 0),
        }
    }

    /// Whether the records of each thread are to be counted first.
    pub(super) fn is_counting(&self) -> bool {
        matches!(self.phase, Phase::Count)
    }

    /// Does some milliseconds of work before records are taken; false when they can come.
    pub(super) fn prepare(&mut self) -> bool {
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
        let count = |block: &u32| rule.emits.get(*block as usize).map_or(0, |emit| u64::from(emit.count));
        let mut from = at;
        while from < end {
            while self.found.slots.get(slot).is_some_and(|start| *start <= from) {
                stream.starts.push(sum);
                slot += 1;
            }
            let to = self.found.slots.get(slot).map_or(end, |start| end.min(*start));
            let blocks = self.found.blocks.get(from as usize..to as usize).unwrap_or(&[]);
            sum += blocks.iter().map(count).sum::<u64>();
            from = to;
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
    pub(super) fn keep_moved(&mut self) {
        let n = self.found.blocks.len();
        for column in [&mut self.columns.moved, &mut self.columns.used, &mut self.columns.excess] {
            *column = vec![0; n];
        }
    }

    /// Counts a record.
    pub(super) fn count(&mut self, of: usize, slot: u32) {
        if let Some(stream) = self.streams.get_mut(of).and_then(Option::as_mut) {
            stream.counts.get_mut(slot as usize).into_iter().for_each(|count| *count += 1);
        }
    }

    /// All records were counted.
    pub(super) fn end_counts(&mut self) {
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

    /// Adds records of threads that ran nothing.
    pub(super) fn add_extra(&mut self, extra: Map<(usize, u32), (u64, u32)>) {
        for (of, (records, first)) in extra {
            let (n, place) = self.extra.entry(of).or_insert((0, first));
            (*n, *place) = (*n + records, first.min(*place));
        }
    }

    /// Reads of the memory that records of a slot need.
    #[inline]
    fn touch(&self, of: usize, slot: u32) -> u32 {
        let Some(Some(stream)) = self.streams.get(of) else { return 0 };
        let Some(cursor) = stream.cursors.get(slot as usize) else { return 0 };
        let next = cursor.next as usize;
        let place = stream.places.get(cursor.filled as usize).copied().unwrap_or(0);
        let block = self.found.blocks.get(next + 1).copied().unwrap_or(0);
        let lanes = self.columns.lanes.get(next).copied().unwrap_or(0);
        place ^ block ^ u32::from(lanes)
    }

    /// Attaches records of one type and thread.
    fn attach<R: Record>(&mut self, of: usize, slot: u32, mut records: &[R], events: &mut Vec<Event>) {
        let thread = self.thread(slot);
        let tell: Tell = &mut |event| events.push(event);
        loop {
            records = self.expected(of, slot, records, &mut *tell);
            let Some((record, rest)) = records.split_first() else { return };
            self.waiting.entry((of, slot)).or_default().push_back((*record.item(), record.access()));
            self.resolve(of, (slot, thread), false, &mut *tell);
            records = rest;
        }
    }

    /// Attaches records as far as they are of the blocks that are expected; returns the rest.
    fn expected<'a, R: Record>(&mut self, of: usize, slot: u32, mut records: &'a [R], tell: Tell) -> &'a [R] {
        let Some(end) = self.found.slots.get(slot as usize + 1).copied() else { return &[] };
        let Some((Some(stream), rule)) = self.streams.get_mut(of).zip(self.rules.types.get(of)) else {
            return &[];
        };
        let Some(mut cursor) = stream.cursors.get(slot as usize).copied() else { return &[] };
        let walk = Walk { rule, blocks: &self.found.blocks, has_lanes: stream.has_lanes };
        while !cursor.is_waiting
            && 0 < cursor.left
            && let Some((record, rest)) = records.split_first()
            && cursor.block == record.item().block
        {
            cursor.attach(record, end, &walk, (&mut *stream, &mut self.columns), &mut *tell);
            records = rest;
        }
        stream.cursors.get_mut(slot as usize).into_iter().for_each(|to| *to = cursor);
        records
    }

    /// The number of the thread of a slot.
    pub(super) fn thread(&self, slot: u32) -> u32 {
        self.lookup.ids().get(slot as usize).copied().unwrap_or(0)
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
                let (records, _) = self.extra.entry((of, thread)).or_insert((0, front.0.place));
                *records += queue.len() as u64;
                queue.clear();
                break;
            }
            if front.0.block == cursor.block {
                cursor.attach(&front, end, &walk, (&mut *stream, &mut self.columns), &mut *tell);
                queue.pop_front();
                continue;
            }
            let ahead = queue.iter().take(look_ahead).position(|record| record.0.block == cursor.block);
            if ahead.is_none() && queue.len() < look_ahead && !is_end {
                break;
            }
            tell(Event::Sequence {
                of,
                place: front.0.place,
                thread,
                expected: cursor.block,
                found: front.0.block,
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
