//! Asks every format about a bundle, ranks the claims, and explains the choice and the leftovers.

use super::{Claim, Format, NearMiss};
use crate::base::map::Set;
use crate::base::order;
use crate::input::bundle::{Bundle, EntryId};

/// What all formats said of a bundle.
pub struct Ranking {
    /// Claims that are read, strongest first; no entry is in two.
    pub chosen: Vec<(&'static Format, Claim)>,
    /// Claims that gave way to stronger ones.
    pub withdrawn: Vec<(&'static Format, Claim)>,
    /// What formats without a claim missed, nearest first.
    pub near: Vec<(&'static Format, NearMiss)>,
    /// Entries that nobody claims.
    pub left: Vec<EntryId>,
}

/// Asks these formats; of claims of the same degree the first one wins. Costs the reads of the probes, which are small.
pub fn rank(bundle: &Bundle, formats: impl Iterator<Item = &'static Format>) -> Ranking {
    let mut claims = Vec::new();
    let mut near = Vec::new();
    for (order, format) in formats.enumerate() {
        let probed = (format.probe)(bundle);
        near.extend(probed.near_miss.map(|miss| (format, miss)));
        claims.extend(probed.claims.into_iter().map(|claim| (order, format, claim)));
    }
    order::sort_by(&mut claims, |a, b| b.2.degree.cmp(&a.2.degree).then(a.0.cmp(&b.0)));
    order::sort_by_key(&mut near, |(_, miss)| std::cmp::Reverse(miss.score));
    let mut ranking = Ranking { chosen: Vec::new(), withdrawn: Vec::new(), near, left: Vec::new() };
    let mut taken: Set<EntryId> = Set::default();
    for (_, format, claim) in claims {
        if claim.entries.iter().any(|(entry, _)| taken.contains(entry)) {
            ranking.withdrawn.push((format, claim));
        } else {
            taken.extend(claim.entries.iter().map(|(entry, _)| *entry));
            ranking.chosen.push((format, claim));
        }
    }
    ranking.left = bundle.iter().map(|(id, _)| id).filter(|id| !taken.contains(id)).collect();
    ranking
}
