//! What can be computed about memory accesses: where addresses cluster, how dense accesses lie, which are in a window.
//!
//! ```text
//! rows ──▶ Spread (which addresses occur) ──▶ Axis (clusters above each other, or one plain scale)
//!      ──▶ Grid   (accesses per cell of records × addresses, by group; kept and halved when zooming out)
//!      ──▶ List   (rows of a window) ──▶ Sums
//! ```
//! A bar is an access: one record wide, from its first to its last byte. What has no size counts as one byte.

mod filter;
mod grid;
mod list;

pub use filter::{Filter, Groups, SIDES, Side, side_of};
pub use grid::{Grid, Part, Tiling};
pub use list::{AccessScope, FilteredAccesses, List, OperationSum, Sums, last_of, operation_sums, sums};

use crate::base::map::Map;
use crate::model::Trace;
use crate::model::access::{Access, Accesses, Region};
use grid::Grids;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

/// What is kept about accesses.
#[derive(Default)]
pub struct AccessCache {
    spread: Spread,
    grids: Grids,
    /// The list that was asked for last, and how many rows the trace had.
    list: Option<(usize, AccessScope, Rc<List>)>,
}

impl AccessCache {
    /// Takes in the accesses that were added. Costs no more than those.
    pub fn extend(&mut self, trace: &Trace) {
        self.spread.extend(&trace.accesses);
    }

    /// The axis of addresses for what a filter lets through: clusters, or one plain scale.
    pub fn axis(&self, trace: &Trace, filter: &Filter, is_linear: bool) -> Axis {
        let spaces = filter.spaces(&trace.accesses);
        Axis::new(&self.spread.clusters(&spaces), is_linear)
    }

    /// How dense accesses lie in the cells of a tiling.
    pub fn grid(&mut self, trace: &Trace, look: &AccessScope, axis: &Axis, tiling: &Tiling) -> Rc<Grid> {
        self.grids.get(&trace.accesses, look, axis, tiling)
    }

    /// The rows in a window; kept until others are asked for.
    pub fn list(&mut self, trace: &Trace, look: &AccessScope) -> Rc<List> {
        let accesses = &trace.accesses;
        if let Some((n, kept, list)) = &self.list
            && (*n, kept) == (accesses.len(), look)
        {
            return list.clone();
        }
        let axis = self.axis(trace, &look.filter, look.is_linear);
        let list = Rc::new(List::new(accesses, look, &axis));
        self.list = Some((accesses.len(), look.clone(), list.clone()));
        list
    }
}

// What lies to the right in the picture: the accesses in their order, or the time at which they were.

/// From rows to places on the axis and back.
#[derive(Clone, Copy)]
pub struct Across<'a> {
    accesses: &'a Accesses,
    is_time: bool,
}

impl<'a> Across<'a> {
    /// The order of the accesses, or their time if they say one.
    pub fn new(accesses: &'a Accesses, is_time: bool) -> Self {
        Self { accesses, is_time: is_time && accesses.is_in_time() }
    }

    /// Whether it is the time.
    pub fn is_time(self) -> bool {
        self.is_time
    }

    /// Where the axis ends; it begins at 0.
    pub fn len(self) -> u64 {
        let n = self.accesses.len() as u32;
        n.checked_sub(1).map_or(0, |last| self.x(last).saturating_add(1))
    }

    /// Whether there is nothing on it.
    pub fn is_empty(self) -> bool {
        self.accesses.is_empty()
    }

    /// Where a row is.
    pub fn x(self, row: u32) -> u64 {
        if self.is_time {
            self.accesses.position(row).saturating_sub(self.accesses.position(0))
        } else {
            u64::from(row)
        }
    }

    /// The rows between two places, without those at the second.
    pub fn rows(self, x: Range<u64>) -> Range<u32> {
        let n = self.accesses.len() as u32;
        if !self.is_time {
            let row = |x: u64| u32::try_from(x).map_or(n, |x| x.min(n));
            return row(x.start)..row(x.end).max(row(x.start));
        }
        let first = |x: u64| {
            let (mut low, mut high) = (0, n);
            while low < high {
                let middle = low + (high - low) / 2;
                if self.x(middle) < x { low = middle + 1 } else { high = middle }
            }
            low
        };
        first(x.start)..first(x.end).max(first(x.start))
    }

    /// The rows that lie in a window of the axis, at least partly.
    pub fn rows_seen(self, (from, to): (f64, f64)) -> Range<u32> {
        self.rows(from.max(0.0).floor() as u64..to.max(0.0).ceil() as u64)
    }

    /// What a place is called: the position of a record, or the time.
    pub fn position(self, x: u64) -> u64 {
        if self.is_time {
            self.accesses.position(0).saturating_add(x)
        } else {
            self.accesses.position(u32::try_from(x).unwrap_or(u32::MAX))
        }
    }
}

// Which allocation an access lies in.
//
// Of the allocations that hold the first address while they are alive: one of the access's own unit before one of
// another, a named one before the rest, the last that came to be.

/// The region that a row lies in. Costs one look at every region.
pub fn region_of(accesses: &Accesses, row: u32) -> Option<(usize, &Region)> {
    let access = accesses.get(row)?;
    let found = accesses
        .regions
        .iter()
        .enumerate()
        .filter(|(_, r)| r.rows.contains(&row) && holds(accesses, r, &access));
    found.max_by_key(|(at, region)| rank(accesses, region, *at, &access))
}

fn holds(accesses: &Accesses, region: &Region, access: &Access) -> bool {
    let class = accesses.classes().get(access.class as usize);
    class.is_some_and(|class| class.space() == region.space)
        && region.start <= access.address
        && access.address < region.end
}

fn rank(accesses: &Accesses, region: &Region, at: usize, access: &Access) -> (bool, bool, usize) {
    let is_own = region.maker.is_none_or(|maker| accesses.is_same_unit(maker, access.class));
    (is_own, !region.name.is_empty(), at)
}

/// The same for one row after the other.
pub struct RegionSweep {
    /// Regions by their first row; how many of them were taken in.
    next: usize,
    by_start: Vec<u32>,
    /// Regions that may be alive, by space, then by first address.
    alive: Map<u32, BTreeSet<(u64, usize)>>,
    /// The longest region of each space.
    longest: Map<u32, u64>,
}

/// Most allocations in front of an address that are looked at.
const LOOKED_AT: usize = 256;

impl RegionSweep {
    /// A sweep from the first row.
    pub fn new(accesses: &Accesses) -> Self {
        let regions = &accesses.regions;
        let by_start = crate::base::order::sequence(regions.len(), &|a, b| {
            regions[a].rows.start.cmp(&regions[b].rows.start)
        });
        let mut longest: Map<u32, u64> = Map::default();
        for region in regions {
            let most = longest.entry(region.space).or_default();
            *most = (*most).max(region.end - region.start);
        }
        Self { next: 0, by_start, alive: Map::default(), longest }
    }

    /// The region that a row lies in; rows must be asked for in order. Of very many that overlap only the nearest are
    /// looked at.
    pub fn region(&mut self, accesses: &Accesses, row: u32) -> Option<usize> {
        let regions = &accesses.regions;
        while let Some(&at) = self.by_start.get(self.next)
            && regions[at as usize].rows.start <= row
        {
            let region = &regions[at as usize];
            self.alive.entry(region.space).or_default().insert((region.start, at as usize));
            self.next += 1;
        }
        let access = accesses.get(row)?;
        let space = accesses.class(row)?.space();
        let alive = self.alive.get_mut(&space)?;
        let least = access.address.saturating_sub(*self.longest.get(&space)?);
        let near = alive.range((least, 0)..=(access.address, usize::MAX)).rev().take(LOOKED_AT);
        let (dead, near): (Vec<_>, Vec<_>) = near.copied().partition(|(_, at)| regions[*at].rows.end <= row);
        for key in dead {
            alive.remove(&key);
        }
        let found = near.into_iter().map(|(_, at)| at).filter(|at| holds(accesses, &regions[*at], &access));
        found.max_by_key(|at| rank(accesses, &regions[*at], *at, &access))
    }
}

// The axis of addresses: clusters above each other with the empty gaps between them left out, or one plain scale.
//
// Places on it are shares: 0 is the lowest address, 1 the highest. A cluster's part of the axis grows with the
// logarithm of its bytes, so that a small one stays visible beside a large one; within a cluster the scale is linear.

/// Share of the axis between two clusters, and most that all gaps take together.
const BREAK: f64 = 0.014;
const BREAKS: f64 = 1.0 / 3.0;

/// The axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// Stretches from the lowest place; those of one space stand together, in the order of their addresses.
    pub segments: Vec<Segment>,
}

/// A stretch of addresses on the axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Its address space; `None` holds all spaces.
    pub space: Option<u32>,
    /// First address.
    pub start: u64,
    pub last: u64,
    /// Place of the first address.
    pub from: f64,
    /// Place behind the last address.
    pub to: f64,
}

impl Segment {
    /// How many addresses it holds.
    pub fn bytes(&self) -> f64 {
        (self.last - self.start) as f64 + 1.0
    }

    /// The place of the lower edge of an address, counted from `start`; may lie outside.
    pub fn place(&self, address: u64) -> f64 {
        let offset = (i128::from(address) - i128::from(self.start)) as f64;
        self.from + offset / self.bytes() * (self.to - self.from)
    }

    /// The address at a place, kept inside.
    pub fn address(&self, place: f64) -> u64 {
        let offset = (place - self.from) / (self.to - self.from) * self.bytes();
        self.start.saturating_add(offset.max(0.0) as u64).min(self.last)
    }
}

impl Axis {
    /// The axis of these clusters, which are in order.
    fn new(clusters: &[Cluster], is_linear: bool) -> Self {
        let Some(start) = clusters.iter().map(|c| c.1).min() else { return Self::default() };
        if is_linear {
            let last = clusters.iter().map(|c| c.2).max().unwrap_or(start);
            return Self { segments: vec![Segment { space: None, start, last, from: 0.0, to: 1.0 }] };
        }
        let weight = |&(_, a, b): &Cluster| 4.0 + ((b - a) as f64 / 64.0 + 1.0).log2();
        let total: f64 = clusters.iter().map(weight).sum();
        let gap = BREAK.min(BREAKS / (clusters.len() - 1) as f64); // of one cluster there is none
        let room = 1.0 - gap * (clusters.len() - 1) as f64;
        let mut at = 0.0;
        let one = |cluster: &Cluster| {
            let from = at;
            let to = from + weight(cluster) / total * room;
            at = to + gap;
            Segment { space: Some(cluster.0), start: cluster.1, last: cluster.2, from, to }
        };
        Self { segments: clusters.iter().map(one).collect() }
    }

    /// The axis of stretches of one space, which are in order.
    pub fn of(stretches: &[(u64, u64)]) -> Self {
        let clusters: Vec<Cluster> = stretches.iter().map(|&(start, last)| (0, start, last)).collect();
        Self::new(&clusters, false)
    }

    /// The segment that holds an address of a space.
    pub fn segment(&self, space: u32, address: u64) -> Option<usize> {
        let holds =
            |s: &Segment| s.space.is_none_or(|own| own == space) && s.start <= address && address <= s.last;
        self.segments.iter().position(holds)
    }

    /// The segment at a place.
    pub fn at(&self, place: f64) -> Option<usize> {
        self.segments.iter().position(|s| s.from <= place && place <= s.to)
    }

    /// The addresses of each segment that are seen between two places; `None` for those outside.
    pub fn seen(&self, (low, high): (f64, f64)) -> Vec<Option<(u64, u64)>> {
        let one = |s: &Segment| {
            let is_seen = s.from < high && low < s.to;
            is_seen.then(|| (s.address(low.max(s.from)), s.address(high.min(s.to))))
        };
        self.segments.iter().map(one).collect()
    }
}

// Which addresses occur: stretches of each address space, joined where the gap between them is small.

/// Most stretches kept of one space; beyond them gaps are closed.
pub const STRETCHES: usize = 4_096;
/// Gaps up to so many bytes are closed from the beginning.
const SMALL_GAP: u64 = 4 * 1024;
/// Gaps up to so many bytes never part clusters.
const WIDE_GAP: u64 = 64 * 1024;
/// Most clusters of one space.
pub const CLUSTERS: usize = 8;

/// A stretch of addresses of a space, both ends included.
type Cluster = (u32, u64, u64);

/// The stretches of all spaces.
#[derive(Default)]
struct Spread {
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
    fn extend(&mut self, accesses: &Accesses) {
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
    fn clusters(&self, spaces: &[u32]) -> Vec<Cluster> {
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
