//! Levels of detail of one lane: when its slices are, packed for leaps, and which name prevails among many of them.
//!
//! ```text
//! above 1  |                                        …   every 8th of the level below
//! above 0  |               |               |        …   every 8th of the starts
//! starts   | | | | | | | | | | | | | | | | | | | |  …   when each block begins
//! blocks   ######_#####_########_########_##_#####  …   when it begins, how much is covered before it, and at most 13
//!                                                       leaves: where in the block each one begins, how long it is
//! votes 0  [    ][    ][    ][    ][    ][    ]         the prevailing name of 4 leaves
//! votes 1  [                    ][       …              of 16 leaves, and so on
//! ```
//! The times of the lane are kept here a second time because a frame looks at them at many places at once: a block is two
//! lines of the cache and tells all about an edge in it, while in the columns of the track each of its slices lies on
//! lines of its own. Times in a block have 32 bits; a leaf that is farther from the start of its block begins a new one,
//! so that nothing is rounded. A leaf costs 10 bytes, its share of the levels over it 4.
//!
//! Only settled leaves have votes; adding a leaf costs constant time (amortized), and everything is right after each one.

use crate::base::time::{Span, Ticks};
use crate::model::chunked::Chunked;
use crate::model::id::StrId;
use std::hint;

/// Most leaves of a block: as many as fit on two lines of the cache.
const BLOCK: usize = 13;
/// Nodes of each node above.
const WIDE: usize = 8;
/// Edges between columns are found level by level from where there are at most so many nodes for each.
const NODES_AN_EDGE: usize = 8;

/// Leaves that begin near each other.
#[repr(align(128))]
#[derive(Clone)]
struct Block {
    /// When the first one begins.
    start: Ticks,
    /// How many ticks are covered before it, modulo 2⁶⁴.
    before: u64,
    /// When each one begins, in ticks from there; [`FREE`] where there is none.
    starts: [u32; BLOCK],
    /// How long each one is; [`LONG`] when it does not fit, which can be only the last one.
    durs: [u32; BLOCK],
    /// Number of the first.
    first: u32,
}

const FREE: u32 = u32::MAX;
const LONG: u32 = u32::MAX;

/// A point in time, between the leaves that start before it and those that start at it or later.
#[derive(Clone, Copy, Debug, Default)]
pub struct Edge {
    /// The first leaf that starts at it or later.
    pub first: usize,
    /// How many ticks the leaves before that one cover, modulo 2⁶⁴: only differences mean something.
    pub covered: u64,
    /// When the leaf before that one is; for the first of all an empty span.
    pub before: Span,
    /// The block of the leaf before, or the first.
    block: u32,
}

/// The leaves of a lane, which do not overlap, in order of time.
#[derive(Clone, Default)]
pub struct Tree {
    blocks: Chunked<Block>,
    /// When each block begins.
    starts: Vec<Ticks>,
    /// Every 8th start of the level below; the last has at most 8 nodes.
    above: Vec<Vec<Ticks>>,
    /// How many leaves there are.
    n: usize,
    /// When the newest leaf is, which may still grow.
    newest: Span,
    /// How many ticks all before the newest cover, modulo 2⁶⁴.
    covered: u64,
    votes: DominantNames,
}

impl Tree {
    /// Takes in a leaf that starts where the newest one ends, or later; `name` tells the names of the leaves before it.
    #[inline]
    pub fn push(&mut self, span: Span, name: impl Fn(usize) -> StrId) {
        if 0 < self.n && self.n.is_multiple_of(FAN) {
            self.settle(self.n, name);
        }
        self.push_nameless(span);
    }

    /// The same in a tree whose leaves have no names: nothing prevails among them.
    #[inline]
    pub fn push_nameless(&mut self, span: Span) {
        if 0 < self.n {
            self.covered = self.covered.wrapping_add(self.newest.dur() as u64);
        }
        if !self.fit(span) {
            self.begin(span.start);
        }
        self.n += 1;
        self.newest = span;
        self.note_dur();
    }

    /// Lets the newest leaf end later.
    pub fn stretch(&mut self, end: Ticks) {
        self.newest.end = self.newest.end.max(end);
        self.note_dur();
    }

    /// Puts a new leaf into the newest block, if it has a place there.
    #[inline]
    fn fit(&mut self, span: Span) -> bool {
        let Some(block) = self.blocks.last_mut() else { return false };
        let offset = span.start.checked_sub(block.start).and_then(|offset| u32::try_from(offset).ok());
        let place = block.starts.get_mut(self.n - block.first as usize);
        let Some((place, offset)) = place.zip(offset.filter(|&offset| offset != FREE)) else { return false };
        *place = offset;
        true
    }

    fn begin(&mut self, start: Ticks) {
        let mut starts = [FREE; BLOCK];
        starts[0] = 0;
        let (before, first) = (self.covered, self.n as u32);
        self.blocks.push(Block { start, before, starts, durs: [0; BLOCK], first });
        let mut at = self.starts.len();
        self.starts.push(start);
        let mut level = 0;
        while 0 < at && at.is_multiple_of(WIDE) {
            if level == self.above.len() {
                self.above.push(vec![self.level(level)[0]]);
            }
            self.above[level].push(start);
            at /= WIDE;
            level += 1;
        }
    }

    #[inline]
    fn note_dur(&mut self) {
        let dur = u32::try_from(self.newest.dur()).unwrap_or(LONG);
        if let Some(block) = self.blocks.last_mut()
            && let Some(place) = block.durs.get_mut(self.n - 1 - block.first as usize)
        {
            *place = dur;
        }
    }

    /// Votes for the leaves before leaf `i`.
    fn settle(&mut self, i: usize, name: impl Fn(usize) -> StrId) {
        let leaves = self.newest_from(i - FAN).take(FAN);
        if let Some(vote) = prevailing(leaves.map(|(i, span)| DominantName::new(name(i), span))) {
            self.votes.push(vote);
        }
    }

    /// How many leaves there are.
    pub fn len(&self) -> usize {
        self.n
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// When the newest leaf is.
    pub fn newest(&self) -> Option<Span> {
        (0 < self.n).then_some(self.newest)
    }

    /// The starts of blocks (level 0) or of the nodes above them.
    #[inline]
    fn level(&self, level: usize) -> &[Ticks] {
        level.checked_sub(1).map_or(&self.starts, |i| &self.above[i])
    }

    /// How long a leaf is that is too long for its place: the last of its block.
    #[cold]
    fn long(&self, block: usize) -> u64 {
        let Some(next) = self.blocks.get(block + 1) else { return self.newest.dur() as u64 };
        let block = &self.blocks[block];
        let others: u64 = block.durs.iter().filter(|&&dur| dur != LONG).map(|&dur| u64::from(dur)).sum();
        next.before.wrapping_sub(block.before).wrapping_sub(others)
    }

    /// The leaves from number `i` on, which is not far from the newest.
    #[inline]
    fn newest_from(&self, i: usize) -> Leaves<'_> {
        let block = (0..self.blocks.len()).rev().find(|&at| self.blocks[at].first as usize <= i).unwrap_or(0);
        let at = i - self.blocks.get(block).map_or(0, |block| block.first as usize);
        Leaves { tree: self, block, at }
    }

    /// The leaves from the one before an edge on.
    pub fn across(&self, edge: &Edge) -> Leaves<'_> {
        let block = edge.block as usize;
        let first = self.blocks.get(block).map_or(0, |block| block.first as usize);
        Leaves { tree: self, block, at: edge.first.saturating_sub(first + 1) }
    }

    /// Where a point in time is among the leaves. Costs the logarithm of their number.
    pub fn edge(&self, time: Ticks) -> Edge {
        let mut node = 0;
        for level in (0..=self.above.len()).rev() {
            node = last_before(self.level(level), node * WIDE, time);
        }
        self.edge_in(node, time)
    }

    /// The edge behind the last leaf that starts at a time or before it.
    pub fn edge_after(&self, time: Ticks) -> Edge {
        match time.checked_add(1) {
            Some(next) => self.edge(next),
            None => self.edge_of_all(),
        }
    }

    fn edge_of_all(&self) -> Edge {
        let covered = self.covered.wrapping_add(self.newest.dur() as u64);
        let block = self.blocks.len().saturating_sub(1) as u32;
        Edge { first: self.n, covered, before: self.newest, block }
    }

    /// Where many points in time are, which are in order; and how many nodes were looked at. First nodes are passed one
    /// after the other on the level that has not many more of them than there are points, then each point goes down by
    /// itself: no step waits for the one before it, so the memory is asked for many places at once.
    pub fn edges(&self, times: &[Ticks], out: &mut Vec<Edge>) -> u64 {
        let Some((&first, &last)) = times.first().zip(times.last()) else { return 0 };
        let (from, to) = (self.edge(first).block, self.edge(last).block);
        let width = |level: usize| (to >> (3 * level)) - (from >> (3 * level));
        let top = (0..self.above.len())
            .find(|&level| width(level) as usize <= NODES_AN_EDGE * times.len())
            .unwrap_or(self.above.len());
        let mut looks = u64::from(width(top));
        let mut at = (from >> (3 * top)) as usize;
        let starts = self.level(top);
        let mut nodes: Vec<u32> = Vec::with_capacity(times.len());
        for &time in times {
            while starts.get(at + 1).is_some_and(|&start| start < time) {
                at += 1;
            }
            nodes.push(at as u32);
        }
        for level in (0..top).rev() {
            let starts = self.level(level);
            for (node, &time) in nodes.iter_mut().zip(times) {
                *node = last_before(starts, *node as usize * WIDE, time) as u32;
            }
        }
        // Nobody waits for these sums, so all blocks come from the memory at once.
        hint::black_box(nodes.iter().fold(0_u32, |sum, &node| {
            let block = self.blocks.get(node as usize);
            sum ^ block.map_or(0, |block| block.first ^ block.starts[0])
        }));
        out.extend(nodes.iter().zip(times).map(|(&block, &time)| self.edge_in(block as usize, time)));
        looks += times.len() as u64 * (2 + top as u64);
        looks
    }

    /// Where a point in time is among the leaves of a block: the last one that begins before it, or the first of all.
    fn edge_in(&self, at: usize, time: Ticks) -> Edge {
        let Some(block) = self.blocks.get(at) else { return Edge::default() };
        let offset = u32::try_from(time.saturating_sub(block.start).max(0)).unwrap_or(FREE);
        let (mut n, mut covered) = (0_usize, 0_u64);
        for (&start, &dur) in block.starts.iter().zip(&block.durs) {
            let is_before = start < offset;
            n += usize::from(is_before);
            covered += if is_before { u64::from(dur) } else { 0 };
        }
        let mut before = Span { start: block.start, end: block.start };
        if let Some(last) = n.checked_sub(1) {
            let mut dur = u64::from(block.durs[last]);
            if block.durs[last] == LONG {
                covered -= dur;
                dur = self.long(at);
                covered = covered.wrapping_add(dur);
            }
            before.start += Ticks::from(block.starts[last]);
            before.end = before.start.saturating_add(dur as Ticks);
        }
        let first = block.first as usize + n;
        Edge { first, covered: block.before.wrapping_add(covered), before, block: at as u32 }
    }

    /// The prevailing name of leaves `first..last`, the first of which lie behind an edge: exactly by voting for few,
    /// roughly for eight and more, where what hangs over at the ends is left out. And how many nodes were looked at, at
    /// most eight. `None` for an empty range.
    pub fn glance(
        &self,
        edge: &Edge,
        (first, last): (usize, usize),
        name: impl Fn(usize) -> StrId,
    ) -> Option<(StrId, u64)> {
        if last <= first + 1 {
            return (first < last).then(|| (name(first), 1));
        }
        if let Some(known) = self.votes.glance(first, last) {
            return Some(known);
        }
        let leaves = self.across(edge).skip_while(|&(i, _)| i < first).take(last - first);
        let vote = prevailing(leaves.map(|(i, span)| DominantName::new(name(i), span)));
        vote.map(|vote| (vote.name, (last - first) as u64))
    }

    /// Gives back memory that was held for leaves to come.
    pub fn shrink(&mut self) {
        self.blocks.shrink_to_fit();
        self.starts.shrink_to_fit();
        self.votes.shrink();
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        let above: usize = self.above.iter().map(|level| level.capacity() * size_of::<Ticks>()).sum();
        self.votes.bytes()
            + above
            + self.starts.capacity() * size_of::<Ticks>()
            + self.blocks.capacity() * size_of::<Block>()
    }
}

/// Of the 8 nodes from `from` on the last one that starts before a time, or the first; `from` itself when there is none.
#[inline]
fn last_before(starts: &[Ticks], from: usize, time: Ticks) -> usize {
    if let Some(nodes) = starts.get(from..).and_then(|nodes| nodes.first_chunk::<WIDE>()) {
        // All of the same number: counted without a branch.
        return from + nodes[1..].iter().map(|&start| usize::from(start < time)).sum::<usize>();
    }
    from + starts.iter().skip(from + 1).filter(|&&start| start < time).count()
}

/// Leaves one after the other, with their numbers.
#[derive(Clone)]
pub struct Leaves<'a> {
    tree: &'a Tree,
    block: usize,
    /// Place in the block.
    at: usize,
}

impl Iterator for Leaves<'_> {
    type Item = (usize, Span);

    #[inline]
    fn next(&mut self) -> Option<(usize, Span)> {
        let mut block = self.tree.blocks.get(self.block)?;
        if block.starts.get(self.at).is_none_or(|&start| start == FREE) {
            (self.block, self.at) = (self.block + 1, 0);
            block = self.tree.blocks.get(self.block)?;
        }
        let start = block.start + Ticks::from(block.starts[self.at]);
        let dur = match block.durs[self.at] {
            LONG => self.tree.long(self.block) as Ticks,
            dur => Ticks::from(dur),
        };
        let i = block.first as usize + self.at;
        self.at += 1;
        Some((i, Span { start, end: start.saturating_add(dur) }))
    }
}

// Which name prevails among many slices of a lane: votes over 4 of them, over these votes of votes, and so on.

/// Leaves of a vote, votes of the next level.
const FAN: usize = 4;
/// Its logarithm.
const LOG: usize = 2;

/// The name with most time among some leaves, as found by voting: surely the right one when it has clearly more than
/// half of it.
#[derive(Clone, Copy)]
struct DominantName {
    pub(super) name: StrId,
    /// By how much time it won.
    weight: f32,
}

impl DominantName {
    /// Of one leaf.
    pub(super) fn new(name: StrId, span: Span) -> Self {
        Self { name, weight: span.dur() as f32 }
    }

    /// Takes in the next; without branches, because names follow each other unforeseeably.
    #[inline]
    fn add(&mut self, next: Self) {
        let lead = self.weight + if self.name == next.name { next.weight } else { -next.weight };
        self.name = if lead < 0.0 { next.name } else { self.name };
        self.weight = lead.abs();
    }
}

/// What votes in order of time come to; `None` for no votes.
fn prevailing(mut votes: impl Iterator<Item = DominantName>) -> Option<DominantName> {
    let mut winner = votes.next()?;
    votes.for_each(|vote| winner.add(vote));
    Some(winner)
}

/// Votes over all leaves that are settled, level over level.
#[derive(Clone, Default)]
struct DominantNames(Vec<Vec<DominantName>>);

impl DominantNames {
    /// Takes in the vote of the next 4 leaves. Constant time (amortized).
    pub(super) fn push(&mut self, mut vote: DominantName) {
        for level in 0.. {
            if level == self.0.len() {
                self.0.push(Vec::new());
            }
            let votes = &mut self.0[level];
            votes.push(vote);
            if !votes.len().is_multiple_of(FAN) {
                return;
            }
            let below = votes[votes.len() - FAN..].iter().copied();
            let Some(next) = prevailing(below) else { return };
            vote = next;
        }
    }

    /// The prevailing name of leaves `first..last`, without what hangs over at the ends, and how many votes were looked
    /// at, at most eight; `None` when there are too few leaves or not enough of them are settled.
    pub(super) fn glance(&self, first: usize, last: usize) -> Option<(StrId, u64)> {
        // The level of which at least one whole vote lies inside, and at most eight.
        let level = (last.saturating_sub(first) / 2).checked_ilog2()? as usize / LOG;
        for level in (1..=level).rev() {
            let Some(votes) = self.0.get(level - 1) else { continue };
            let (from, to) = (first.div_ceil(1 << (LOG * level)), (last >> (LOG * level)).min(votes.len()));
            // The newest ones are not there yet.
            if from < to {
                return Some((prevailing(votes[from..to].iter().copied())?.name, (to - from) as u64));
            }
        }
        None
    }

    /// Gives back memory that was held for votes to come.
    pub(super) fn shrink(&mut self) {
        self.0.iter_mut().for_each(Vec::shrink_to_fit);
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        self.0.iter().map(|level| level.capacity() * size_of::<DominantName>()).sum()
    }
}
