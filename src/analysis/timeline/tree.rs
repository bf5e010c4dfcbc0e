//! Levels of detail: over the slices of a lane stand blocks of [`FAN`], over these blocks of blocks, so that a pixel column
//! costs a few looks, however many slices lie in it.
//!
//! ```text
//! info 1   [             sum             ]
//! info 0   [ sum ][ sum ][ sum ] … [ sum ]   the newest blocks have no sums yet
//! start    |      |      |         |      |  when each block begins
//! before   |      |      |         |      |  how much is covered before it
//! slices   ########_#####_########_########_##
//! ```
//! Only settled blocks have sums; adding a slice costs constant time (amortized), and everything is right after each one.

use crate::base::time::{Span, Ticks};
use crate::model::id::StrId;

/// Slices of a block, blocks of the next level.
pub const FAN: usize = 8;

/// What trees stand on: things in order of time that do not overlap.
pub trait Leaves {
    /// How many there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// When one starts.
    fn start(&self, i: usize) -> Ticks;

    /// How long it lasts.
    fn dur(&self, i: usize) -> Ticks;

    /// Its number in the table it comes from.
    fn row(&self, i: usize) -> u32;

    /// Its name.
    fn name(&self, i: usize) -> StrId;

    /// When it is.
    fn span(&self, i: usize) -> Span {
        let start = self.start(i);
        Span { start, end: start.saturating_add(self.dur(i)) }
    }
}

/// What stands out among some slices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Info {
    /// Length of the longest.
    pub longest_dur: Ticks,
    /// Row of the longest; of equal ones the first.
    pub longest: u32,
    /// The name with most time, as found by voting: surely the right one when it has more than half of it.
    pub common: StrId,
    /// By how much time that name won.
    weight: Ticks,
}

impl Info {
    /// Of one slice.
    pub fn of(leaves: &impl Leaves, i: usize) -> Self {
        let dur = leaves.dur(i);
        Self { longest_dur: dur, longest: leaves.row(i), common: leaves.name(i), weight: dur }
    }

    /// Takes in what follows.
    pub fn add(&mut self, next: &Self) {
        if self.longest_dur < next.longest_dur {
            self.longest_dur = next.longest_dur;
            self.longest = next.longest;
        }
        if self.common == next.common {
            self.weight = self.weight.saturating_add(next.weight);
        } else if self.weight < next.weight {
            self.common = next.common;
            self.weight = next.weight - self.weight;
        } else {
            self.weight -= next.weight;
        }
    }
}

/// The blocks over the leaves.
#[derive(Default)]
pub struct Tree {
    /// When each block begins.
    start: Vec<Ticks>,
    /// How many ticks are covered before each block.
    before: Vec<Ticks>,
    /// Sums of settled blocks, then of blocks of blocks, and so on.
    info: Vec<Vec<Info>>,
}

impl Tree {
    /// Takes in leaf `i`, which is the newest; all before it are settled.
    pub fn push(&mut self, leaves: &impl Leaves, i: usize) {
        if !i.is_multiple_of(FAN) {
            return;
        }
        let last = i.saturating_sub(FAN);
        let block: Ticks = (last..i).fold(0, |sum: Ticks, i| sum.saturating_add(leaves.dur(i)));
        self.before.push(self.before.last().map_or(0, |before| before.saturating_add(block)));
        self.start.push(leaves.start(i));
        let mut below = i;
        let mut level = 0;
        while 0 < below && below.is_multiple_of(FAN) {
            if self.info.len() == level {
                self.info.push(Vec::new());
            }
            let info = self.sum(leaves, level, below - FAN, below);
            self.info[level].push(info);
            below = self.info[level].len();
            level += 1;
        }
    }

    /// What stands out among nodes `from..to` below a level; level 0 stands on leaves. Not for an empty range.
    fn sum(&self, leaves: &impl Leaves, level: usize, from: usize, to: usize) -> Info {
        let mut info = self.node(leaves, level, from);
        for i in from + 1..to {
            info.add(&self.node(leaves, level, i));
        }
        info
    }

    fn node(&self, leaves: &impl Leaves, level: usize, i: usize) -> Info {
        if level == 0 { Info::of(leaves, i) } else { self.info[level - 1][i] }
    }

    /// When each block begins.
    pub(super) fn starts(&self) -> &[Ticks] {
        &self.start
    }

    /// How many ticks leaves `0..i` cover, and how many leaves were looked at.
    pub fn covered_before(&self, leaves: &impl Leaves, i: usize) -> (Ticks, u64) {
        let block = (i / FAN).min(self.before.len().saturating_sub(1));
        let Some(&before) = self.before.get(block) else { return (0, 0) };
        let rest = block * FAN..i;
        let looks = rest.len() as u64;
        (rest.fold(before, |sum, i| sum.saturating_add(leaves.dur(i))), looks)
    }

    /// What stands out among leaves `from..to`, roughly: what hangs over at the ends of many is left out. And how many
    /// nodes were looked at, never more than a few tens. `None` for an empty range.
    pub fn glance(&self, leaves: &impl Leaves, from: usize, to: usize) -> Option<(Info, u64)> {
        if to <= from {
            return None;
        }
        let (mut level, mut first, mut last) = (0, from, to);
        // At least two whole nodes of the next level inside: then its nodes tell enough.
        while let Some(next) = self.info.get(level) {
            let (above, below) = (first.div_ceil(FAN), (last / FAN).min(next.len()));
            if below < above + 2 {
                break;
            }
            (level, first, last) = (level + 1, above, below);
        }
        Some((self.sum(leaves, level, first, last), (last - first) as u64))
    }

    /// What stands out among leaves `from..to`, exactly; `None` for an empty range.
    pub fn look(&self, leaves: &impl Leaves, from: usize, to: usize) -> Option<Info> {
        let mut found: Option<Info> = None;
        let mut add = |info: Info| match &mut found {
            Some(found) => found.add(&info),
            None => found = Some(info),
        };
        let (mut first, mut last) = (from, to);
        let mut tail = Vec::new();
        for level in 0.. {
            let above = self.info.get(level).map_or(0, Vec::len);
            let (inner_first, inner_last) = (first.div_ceil(FAN), (last / FAN).min(above));
            if inner_last <= inner_first {
                (first..last).for_each(|i| add(self.node(leaves, level, i)));
                break;
            }
            (first..inner_first * FAN).for_each(|i| add(self.node(leaves, level, i)));
            tail.push((level, inner_last * FAN..last));
            (first, last) = (inner_first, inner_last);
        }
        for (level, range) in tail.into_iter().rev() {
            range.for_each(|i| add(self.node(leaves, level, i)));
        }
        found
    }

    /// The first leaf that starts at `time` or later.
    pub fn first_from(&self, leaves: &impl Leaves, time: Ticks) -> usize {
        let block = self.start.partition_point(|&start| start < time).saturating_sub(1);
        let (from, to) = (block * FAN, ((block + 1) * FAN).min(leaves.len()));
        (from..to).find(|&i| time <= leaves.start(i)).unwrap_or(to)
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        let info: usize = self.info.iter().map(|level| level.capacity() * size_of::<Info>()).sum();
        info + (self.start.capacity() + self.before.capacity()) * size_of::<Ticks>()
    }
}
