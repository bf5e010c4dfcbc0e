//! Numbers that are sums over units, such as the vector units of blocks, against the same of another document: where both
//! have other units, only those that both have are compared.

use crate::base::map::{Map, Set};
use serde::{Deserialize, Serialize};

/// What one unit adds to a number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnitPart {
    /// The unit, as [`crate::base::map::hash`] of what names it: the same in both documents.
    pub unit: u64,
    /// What it adds.
    pub value: f64,
    /// What its value is a part of, or the count that it is divided by.
    pub of: f64,
}

/// The sums over the units that both have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Common {
    /// Value, and what it is of, of the baseline.
    pub baseline: (f64, f64),
    /// The same of the comparison.
    pub comparison: (f64, f64),
    /// How many units these are.
    pub n: usize,
}

/// The sums over the units that both have; `None` where both have the same, or where one does not say its units.
/// Costs the units of both.
pub fn common(baseline: &[UnitPart], comparison: &[UnitPart]) -> Option<Common> {
    let old: Map<u64, &UnitPart> = baseline.iter().map(|part| (part.unit, part)).collect();
    let new: Set<u64> = comparison.iter().map(|part| part.unit).collect();
    let is_same = old.len() == new.len() && new.iter().all(|unit| old.contains_key(unit));
    if old.is_empty() || new.is_empty() || is_same {
        return None;
    }
    let both = comparison.iter().filter_map(|part| Some((*old.get(&part.unit)?, part)));
    let none = Common { baseline: (0.0, 0.0), comparison: (0.0, 0.0), n: 0 };
    let add = |sum: (f64, f64), part: &UnitPart| (sum.0 + part.value, sum.1 + part.of);
    Some(both.fold(none, |all, (old, new)| Common {
        baseline: add(all.baseline, old),
        comparison: add(all.comparison, new),
        n: all.n + 1,
    }))
}
