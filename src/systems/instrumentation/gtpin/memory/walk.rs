//! Walks over a file in one of its variants; whether it ends where the file ends tells if the variant is right.
//! No count of the file is trusted: it is only how often the next thing is looked for.

use super::layout::{Block, Send, Touched, VARIANTS, Variant, WORDS};
use crate::base::job::{self, Turn};
use crate::base::map::Map;
use crate::input::{Source, limits, read_range};
use crate::systems::instrumentation::metrics::{Moved, moved};
use crate::views::executions::compute::{DIVERGENT, Space, UNCOALESCED};
use std::cell::Cell;

/// Bytes that are read at once.
const WINDOW: u64 = 1 << 20;
/// Bytes that are walked over between two pauses.
const STEP: u64 = 2 << 20;
/// Bytes of a sector.
pub(super) const SECTOR: u64 = 64;
/// Most tiles of a device.
const TILES: u32 = 4096;

/// What a walk has found.
#[derive(Default)]
pub(super) struct Collected {
    pub(super) blocks: Vec<Block>,
    pub(super) block_rows: Map<u32, u32>,
    /// Bytes of a register.
    pub(super) register: u32,
    pub(super) has_times: bool,
    pub(super) threads: Vec<Thread>,
    /// Columns of records, in the order of the file.
    pub(super) block: Vec<u32>,
    pub(super) place: Vec<u64>,
    pub(super) time: Vec<u64>,
    pub(super) lanes: Vec<u8>,
    pub(super) moved: Vec<u32>,
    pub(super) used: Vec<u32>,
    pub(super) excess: Vec<u32>,
    pub(super) flags: Vec<u8>,
    /// Where software threads begin: the record, and the work group.
    pub(super) begins: Vec<(usize, Option<[u32; 3]>)>,
}

/// A hardware thread: tile, slice, dual subslice, subslice, EU, slot; and its first record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Thread {
    pub(super) fields: [u32; 6],
    pub(super) first: usize,
}

/// What does not belong where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    pub(super) at: u64,
    pub(super) expected: &'static str,
    pub(super) is_end: bool,
}

/// A walk in progress.
pub(super) struct Walk {
    pub(super) variant: Variant,
    pub(super) found: Collected,
    /// Whether the table of blocks was read: then the variant may be right.
    has_head: bool,
    at: u64,
    /// Where it gives way next.
    until: u64,
    source: Source,
    window: Vec<u8>,
    window_at: u64,
    /// Layouts of records by row of the block: payloads and bytes.
    layouts: Vec<(Vec<(usize, usize)>, usize)>,
    /// Lanes of the record before, of the same thread; and whether a thread begins next.
    mask: u32,
    is_begin: bool,
}

/// What a record says.
#[derive(Default)]
struct Looked {
    cost: Moved,
    /// The work group of the thread that begins with it.
    group: Option<[u32; 3]>,
    /// Whether the thread ends with it.
    is_end: bool,
}

/// Walks over a file in one variant after the other, and tells where it stands: the walk that comes to the end of the file,
/// or the one that came farthest with what stopped it.
pub(super) async fn best(source: &Source, told: &Cell<u64>, turn: &Turn) -> Option<(Walk, Option<Wrong>)> {
    let mut best: Option<(Walk, Option<Wrong>)> = None;
    for variant in &VARIANTS {
        turn.pause().await;
        let mut walk = Walk::new(source.clone(), *variant);
        let outcome = walk.all(told, turn).await.err();
        let is_whole = outcome.is_none();
        let is_better = best.as_ref().is_none_or(|(best, _)| best.found.place.len() < walk.found.place.len());
        if is_whole || (walk.has_head && is_better) {
            best = Some((walk, outcome));
        }
        if is_whole {
            break;
        }
    }
    best
}

impl Walk {
    pub(super) fn new(source: Source, variant: Variant) -> Self {
        Self {
            variant,
            found: Collected::default(),
            has_head: false,
            at: 0,
            until: STEP,
            source,
            window: Vec::new(),
            window_at: 0,
            layouts: Vec::new(),
            mask: 0,
            is_begin: true,
        }
    }

    /// Walks over all of the file.
    async fn all(&mut self, told: &Cell<u64>, turn: &Turn) -> Result<(), Wrong> {
        let tiles = self.table(told, turn).await?;
        for _ in 0..tiles {
            let tile = if self.variant.has_tiles { self.word("a tile")? } else { 0 };
            for _ in 0..self.word("the number of threads")? {
                for _ in 0..self.thread(tile)? {
                    self.record()?;
                    self.pause(told, turn).await;
                }
                self.pause(told, turn).await;
            }
        }
        if self.at == self.source.len() { Ok(()) } else { self.wrong(0, "the end of the file") }
    }

    /// Walks over the table of blocks and what stands behind it; the number of tiles.
    async fn table(&mut self, told: &Cell<u64>, turn: &Turn) -> Result<u32, Wrong> {
        for _ in 0..self.word("the number of blocks")? {
            self.block()?;
            self.pause(told, turn).await;
        }
        let tiles = self.head()?;
        self.has_head = true;
        Ok(tiles)
    }

    /// Gives way where it is time, and tells where it stands.
    #[inline]
    async fn pause(&mut self, told: &Cell<u64>, turn: &Turn) {
        if self.until <= self.at {
            self.until = self.at.saturating_add(STEP);
            told.set(self.at);
            turn.pause().await;
        }
    }

    /// The next bytes, not taken yet.
    fn peek(&mut self, n: usize, expected: &'static str) -> Result<&[u8], Wrong> {
        let is_there =
            self.window_at <= self.at && self.at + n as u64 <= self.window_at + self.window.len() as u64;
        if !is_there {
            let end = self.at.saturating_add(WINDOW.max(n as u64));
            self.window = read_range(&*self.source, self.at..end).unwrap_or_default();
            self.window_at = self.at;
        }
        let wrong = Wrong { at: self.at, expected, is_end: true };
        let from = usize::try_from(self.at - self.window_at).map_err(|_| wrong)?;
        self.window.get(from..from.saturating_add(n)).ok_or(wrong)
    }

    fn word(&mut self, expected: &'static str) -> Result<u32, Wrong> {
        let bytes = self.peek(4, expected)?;
        let word = bytes.iter().rev().fold(0, |n, byte| (n << 8) | u32::from(*byte));
        self.at += 4;
        Ok(word)
    }

    /// What was looked for at the bytes just taken is not there.
    fn wrong<T>(&self, back: u64, expected: &'static str) -> Result<T, Wrong> {
        Err(Wrong { at: self.at.saturating_sub(back), expected, is_end: false })
    }

    fn block(&mut self) -> Result<(), Wrong> {
        let id = self.word("a block")?;
        let n = self.word("the number of sends")?;
        let mut block = Block { id, sends: Vec::new() };
        for _ in 0..n {
            let begin = self.at;
            let mut words = [0; WORDS];
            for word in words.iter_mut().take(self.variant.words) {
                *word = self.word("a send")?;
            }
            let Some(send) = Send::new(self.variant, &words) else {
                return self.wrong(self.at - begin, "a send");
            };
            block.sends.push(send);
        }
        let row = u32::try_from(self.found.blocks.len()).unwrap_or(u32::MAX);
        self.found.block_rows.insert(id, row);
        self.found.blocks.push(block);
        Ok(())
    }

    /// What stands behind the table of blocks; the number of tiles.
    fn head(&mut self) -> Result<u32, Wrong> {
        let register = self.word("bytes per register")?;
        if !matches!(register, 32 | 64 | 128) {
            return self.wrong(4, "bytes per register");
        }
        self.found.register = register;
        if self.variant.has_time_word {
            self.found.has_times = match self.word("whether times are present")? {
                0 => false,
                1 => true,
                _ => return self.wrong(4, "whether times are present"),
            };
        }
        let times = self.found.has_times;
        self.layouts = self.found.blocks.iter().map(|block| block.payloads(register, times)).collect();
        if !self.variant.has_tiles {
            return Ok(1);
        }
        match self.word("the number of tiles")? {
            tiles @ 1..=TILES => Ok(tiles),
            _ => self.wrong(4, "the number of tiles"),
        }
    }

    fn thread(&mut self, tile: u32) -> Result<u32, Wrong> {
        let mut fields = [tile; 6];
        for field in fields.iter_mut().skip(1) {
            *field = self.word("a thread")?;
        }
        let records = self.word("the number of records")?;
        self.found.threads.push(Thread { fields, first: self.found.block.len() });
        (self.mask, self.is_begin) = (0, true);
        Ok(records)
    }

    fn record(&mut self) -> Result<(), Wrong> {
        let place = self.at;
        let id = self.word("a record")?;
        let row = self.found.block_rows.get(&id).copied();
        let Some(row) = row.filter(|_| self.found.block.len() < limits::ROWS) else {
            return self.wrong(4, "a record of a known block");
        };
        let mask = self.word("a record")?;
        let time = if self.found.has_times {
            u64::from(self.word("a record")?) | u64::from(self.word("a record")?) << 32
        } else {
            0
        };
        // Lent for this record: looking at it moves the window.
        let (layouts, blocks) = (std::mem::take(&mut self.layouts), std::mem::take(&mut self.found.blocks));
        let parts = layouts.get(row as usize).zip(blocks.get(row as usize));
        let looked = parts.map_or(Ok(Looked::default()), |(layout, block)| self.look(layout, block, mask));
        (self.layouts, self.found.blocks) = (layouts, blocks);
        let Looked { cost, group, is_end } = looked?;
        let found = &mut self.found;
        if self.is_begin || group.is_some() {
            found.begins.push((found.block.len(), group));
            self.mask = 0;
        }
        self.is_begin = is_end;
        let divergent = if self.mask & !mask == 0 { 0 } else { DIVERGENT };
        self.mask = mask;
        found.block.push(row);
        found.place.push(place);
        if found.has_times {
            found.time.push(time);
        }
        found.lanes.push(u8::try_from(mask.count_ones()).unwrap_or(32));
        found.moved.push(cost.bytes(SECTOR));
        found.used.push(cost.unique);
        found.excess.push(cost.excess);
        found.flags.push(divergent | if 0 < cost.excess { UNCOALESCED } else { 0 });
        Ok(())
    }

    /// Looks at the payloads of a record, and goes behind them.
    fn look(
        &mut self,
        layout: &(Vec<(usize, usize)>, usize),
        block: &Block,
        mask: u32,
    ) -> Result<Looked, Wrong> {
        let (parts, bytes) = layout;
        let payload = self.peek(*bytes, "a record")?;
        let mut looked = Looked { is_end: block.is_end(), ..Looked::default() };
        for (send, (from, len)) in block.sends.iter().zip(parts) {
            match send.touched(block.id, mask, payload.get(*from..from + len).unwrap_or(&[])) {
                Touched::Group(of) => looked.group = Some(of),
                Touched::Lanes(_, addresses)
                    if send.memory(block.id).is_some_and(|m| m.space == Space::Global) =>
                {
                    let one = moved(&addresses, u64::from(send.bytes()), SECTOR);
                    let cost = &mut looked.cost;
                    cost.sectors = cost.sectors.saturating_add(one.sectors);
                    cost.unique = cost.unique.saturating_add(one.unique);
                    cost.excess = cost.excess.saturating_add(one.excess);
                }
                _ => {}
            }
        }
        self.at += *bytes as u64;
        Ok(looked)
    }
}

/// Whether the first bytes of a file can be the table of blocks of some variant.
pub(super) fn is_table(head: &[u8]) -> bool {
    let source: Source = std::rc::Rc::new(crate::input::Memory(head.to_vec()));
    VARIANTS.iter().any(|variant| {
        let mut walk = Walk::new(source.clone(), *variant);
        let table = job::run(async |turn| walk.table(&Cell::default(), &turn).await);
        let fits = table.map_or_else(|wrong| wrong.is_end, |_| true);
        fits && walk.found.blocks.iter().any(|block| !block.sends.is_empty())
    })
}
