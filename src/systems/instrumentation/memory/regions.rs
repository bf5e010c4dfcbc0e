//! What addresses belong to: the ranges that the files name, and stretches of accessed pages beside them.

use crate::base::map::{Map, Set};
use crate::base::words::message;
use crate::views::density::compute::{Counter, Density, Region};
use crate::views::executions::compute::Recorded;

/// Pages with more bytes between them belong to different stretches.
const GAP: u64 = 1 << 20;

/// Those of all accesses, which a window has too, so that it is named alike.
pub(super) fn known(all: &Density) -> Vec<Region> {
    all.bands.iter().map(|band| band.region.clone()).filter(|region| 0 < region.bytes).collect()
}

/// The regions, those that count more first.
pub(super) fn regions(recorded: &Recorded, counter: &Counter) -> Vec<Region> {
    let pages = counter.touched();
    let mut all = named(recorded, &pages);
    all.extend(detected(&all, &pages));
    all
}

/// Ranges that the files name and that are accessed, each once; those of one name are told apart by number.
fn named(recorded: &Recorded, pages: &[(u64, u64)]) -> Vec<Region> {
    let (mut all, mut known) = (Vec::new(), Set::default());
    let mut numbers: Map<&str, u32> = Map::default();
    for range in recorded.regions.iter().filter(|range| 0 < range.bytes) {
        let last = range.start.saturating_add(range.bytes - 1);
        let at = pages.partition_point(|page| page.1 < range.start);
        let is_touched = pages.get(at).is_some_and(|page| page.0 <= last);
        if !is_touched || !known.insert((range.start, range.bytes)) {
            continue;
        }
        let number = numbers.entry(&range.name).or_default();
        *number += 1;
        let name = match *number {
            1 => range.name.clone().into(),
            n => message("{name} {n}").with("name", &range.name).with("n", n),
        };
        let detail = format!("0x{:x}", range.start);
        all.push(Region { start: range.start, bytes: range.bytes, name, detail });
    }
    all
}

/// Stretches of pages that no named range holds.
fn detected(named: &[Region], pages: &[(u64, u64)]) -> Vec<Region> {
    let is_named = |(first, last): &(u64, u64)| {
        let last_of = |region: &Region| region.start.saturating_add(region.bytes - 1);
        named.iter().any(|region| region.start <= *last && *first <= last_of(region))
    };
    let mut stretches: Vec<(u64, u64)> = Vec::new();
    for &(first, last) in pages.iter().filter(|page| !is_named(page)) {
        match stretches.last_mut() {
            Some(stretch) if first - stretch.1 <= GAP => stretch.1 = last,
            _ => stretches.push((first, last)),
        }
    }
    let region = |(n, (first, last)): (usize, &(u64, u64))| Region {
        start: *first,
        bytes: (last - first).saturating_add(1),
        name: message("Region {n}").with("n", n + 1),
        detail: format!("0x{first:x}"),
    };
    stretches.iter().enumerate().map(region).collect()
}
