//! Which allocation an access lies in.
//!
//! Of the allocations that hold the first address while they are alive: one of the access's own unit before one of
//! another, a named one before the rest, the last that came to be.

use crate::base::map::Map;
use crate::model::access::{Access, Accesses, Region};
use std::collections::BTreeSet;

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
