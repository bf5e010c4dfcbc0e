//! Which addresses occur: stretches of each address space, joined where the gap between them is small.

use super::list::last_of;
use crate::model::access::Accesses;
use std::collections::BTreeMap;

/// Most stretches kept of one space; beyond them gaps are closed.
pub const STRETCHES: usize = 4_096;
/// Gaps up to so many bytes are closed from the beginning.
const SMALL_GAP: u64 = 4 * 1024;
/// Gaps up to so many bytes never part clusters.
const WIDE_GAP: u64 = 64 * 1024;
/// Most clusters of one space.
pub const CLUSTERS: usize = 8;

/// A stretch of addresses of a space, both ends included.
pub(super) type Cluster = (u32, u64, u64);

/// The stretches of all spaces.
#[derive(Default)]
pub(super) struct Spread {
    /// How many rows were taken in.
    n: usize,
    spaces: Vec<Stretches>,
}

/// Stretches of addresses of one space, joined where the gap between them is small.
pub struct Stretches {
    /// Last address by first address; apart by more than `gap`.
    pub ends: BTreeMap<u64, u64>,
    gap: u64,
    /// The stretch of the last row.
    recent: (u64, u64),
}

impl Default for Stretches {
    fn default() -> Self {
        Self { ends: BTreeMap::new(), gap: SMALL_GAP, recent: (1, 0) }
    }
}

impl Spread {
    /// Takes in the rows that were added.
    pub(super) fn extend(&mut self, accesses: &Accesses) {
        let (classes, class, address) = (accesses.classes(), accesses.class_rows(), accesses.addresses());
        for row in self.n..accesses.len() {
            let Some(class) = classes.get(class[row] as usize) else { continue };
            let space = class.space() as usize;
            if self.spaces.len() <= space {
                self.spaces.resize_with(space + 1, Stretches::default);
            }
            let start = address[row];
            self.spaces[space].add(start, last_of(start, accesses.bytes(row as u32)));
        }
        self.n = accesses.len();
    }

    /// The clusters of these spaces, by space and address.
    pub(super) fn clusters(&self, spaces: &[u32]) -> Vec<Cluster> {
        let one = |&space: &u32| {
            let stretches = self.spaces.get(space as usize).map_or(Vec::new(), Stretches::clusters);
            stretches.into_iter().map(move |(start, last)| (space, start, last))
        };
        spaces.iter().flat_map(one).collect()
    }
}

impl Stretches {
    /// Adds the addresses from one to another.
    pub fn add(&mut self, start: u64, last: u64) {
        if self.recent.0 <= start && last <= self.recent.1 {
            return;
        }
        let (mut from, mut to) = (start, last);
        // Everything that ends after `start − gap` and begins before `last + gap` becomes one.
        while let Some((&a, &b)) = self.ends.range(..=to.saturating_add(self.gap)).next_back() {
            if b < from.saturating_sub(self.gap) {
                break;
            }
            self.ends.remove(&a);
            (from, to) = (from.min(a), to.max(b));
        }
        self.ends.insert(from, to);
        self.recent = (from, to);
        while STRETCHES < self.ends.len() {
            self.gap = self.gap.saturating_mul(4);
            let all = std::mem::take(&mut self.ends);
            let mut open: Option<(u64, u64)> = None;
            for (a, b) in all {
                open = Some(match open {
                    Some((from, to)) if a <= to.saturating_add(self.gap) => (from, to.max(b)),
                    Some((from, to)) => {
                        self.ends.insert(from, to);
                        (a, b)
                    }
                    None => (a, b),
                });
            }
            self.ends.extend(open);
            self.recent = (1, 0);
        }
    }

    /// The stretches, joined but for the widest gaps: those wider than a quarter of all that is used, and than 64 KiB.
    pub fn clusters(&self) -> Vec<(u64, u64)> {
        let used = self.ends.iter().map(|(a, b)| b - a).fold(0_u64, u64::saturating_add);
        let narrow = (used / 4).max(WIDE_GAP);
        let all: Vec<(u64, u64)> = self.ends.iter().map(|(&a, &b)| (a, b)).collect();
        let mut gaps: Vec<u64> =
            all.windows(2).map(|w| w[1].0 - w[0].1).filter(|gap| narrow < *gap).collect();
        crate::base::order::sort_by_key(&mut gaps, |gap| std::cmp::Reverse(*gap));
        let least = gaps.get(CLUSTERS - 2).or(gaps.last()).copied().unwrap_or(u64::MAX);
        let mut clusters: Vec<(u64, u64)> = Vec::new();
        for (a, b) in all {
            match clusters.last_mut() {
                Some((_, last)) if a - *last < least || a - *last <= narrow => *last = b,
                _ => clusters.push((a, b)),
            }
        }
        clusters
    }
}
