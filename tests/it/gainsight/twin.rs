//! The lifetime machine once more, slowly: all accesses of a key are looked at together, as the definition says it.

use super::make::Line;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) is_resident: bool,
    pub(super) keeps: bool,
    pub(super) fill: u64,
}

/// A lifetime: when it was opened (as the number of the access), sector address, length, reuses.
pub(super) type Lifetime = (usize, u64, u64, u64);

/// What a level of a kernel does.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Twin {
    pub(super) lifetimes: Vec<Lifetime>,
    pub(super) reads: u64,
    pub(super) writes: u64,
    pub(super) retries: u64,
    pub(super) existing: u64,
    pub(super) unique: u64,
}

pub(super) fn run(lines: &[Line], level: usize, cycles: u64, rules: Rules) -> Twin {
    let mut twin = Twin::default();
    let mut of_key: BTreeMap<(u32, u64), Vec<(usize, Line)>> = BTreeMap::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.level == level) {
        if line.status == 3 {
            twin.retries += 1;
            continue;
        }
        if line.is_store {
            twin.writes += 1;
        } else {
            twin.reads += 1;
        }
        let unit = if level == 0 { line.unit } else { 0 };
        of_key.entry((unit, line.address >> 5)).or_default().push((at, *line));
    }
    twin.unique = of_key.len() as u64;
    for ((_, sector), lines) in of_key {
        twin.existing += u64::from(!lines[0].1.is_store && lines[0].1.status == 0);
        let mut at = 0;
        while at < lines.len() {
            let (number, first) = lines[at];
            let mut is_filled = first.is_store || first.status == 0;
            let (mut last, mut reuses) = (first.cycle, 0);
            let mut next = at + 1;
            let end = loop {
                let Some((_, line)) = lines.get(next) else { break cycles };
                if line.is_store {
                    break line.cycle;
                }
                let is_true_miss =
                    matches!(line.status, 2 | 4) && (is_filled || rules.fill < line.cycle - first.cycle);
                if is_true_miss && !rules.keeps {
                    break line.cycle;
                }
                (last, reuses) = (line.cycle, reuses + 1);
                is_filled |= line.status == 0;
                next += 1;
            };
            let length = if rules.is_resident { end } else { last } - first.cycle;
            twin.lifetimes.push((number, sector << 5, length, reuses));
            at = next;
        }
    }
    twin.lifetimes.sort_unstable();
    twin
}
