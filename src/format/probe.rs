//! Asks every format about every entry, step by step, ranks the claims, and explains the choice and the leftovers.

use super::{Claim, Format, NearMiss, Probed};
use crate::base::map::Set;
use crate::base::order;
use crate::input::bundle::{Bundle, EntryId};
use std::collections::VecDeque;

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

/// From this score on a near miss is more than chance: then it is named as the closest match.
const NEAR: u8 = 20;

impl Ranking {
    /// What came so near to a format that it may be meant.
    pub fn closest(&self) -> Option<&(&'static Format, NearMiss)> {
        self.near.first().filter(|(_, miss)| NEAR <= miss.score)
    }
}

/// Formats that are being asked: about each entry all of them, so that its beginning is read once.
pub struct Probing {
    /// With what was seen of the entries so far.
    formats: VecDeque<(&'static Format, Probed)>,
    /// The next entry, and which of them is asked about it.
    next: (EntryId, usize),
    claims: Vec<(&'static Format, Claim)>,
    near: Vec<(&'static Format, NearMiss)>,
}

impl Probing {
    /// Begins to ask these formats.
    pub fn new(formats: impl Iterator<Item = &'static Format>) -> Self {
        let formats = formats.map(|format| (format, Probed::default())).collect();
        Self { formats, next: (EntryId(0), 0), claims: Vec::new(), near: Vec::new() }
    }

    /// Asks one format about one entry; false when all were asked about all. Costs a few small reads. A machine, as it
    /// is told in between how many were asked.
    pub fn step(&mut self, bundle: &Bundle) -> bool {
        let (id, at) = self.next;
        if let Some(entry) = bundle.get(id).filter(|_| !self.formats.is_empty()) {
            self.next = match self.formats.get_mut(at) {
                Some((format, probed)) => {
                    probed.take(id, (format.probe.look)(entry));
                    (id, at + 1)
                }
                None => (EntryId(id.0 + 1), 0),
            };
            return true;
        }
        let Some((format, mut probed)) = self.formats.pop_front() else { return false };
        if let Some(join) = format.probe.join {
            join(bundle, &mut probed);
        }
        self.near.extend(probed.near_miss.map(|miss| (format, miss)));
        self.claims.extend(probed.claims.into_iter().map(|claim| (format, claim)));
        true
    }

    /// About how many entries all formats were asked.
    pub fn n_asked(&self) -> u64 {
        self.next.0.0.into()
    }

    /// Ranks what all of them said; of claims of the same degree the format that was asked first wins.
    pub fn finish(mut self, bundle: &Bundle) -> Ranking {
        order::sort_by_key(&mut self.claims, |(_, claim)| std::cmp::Reverse(claim.degree));
        order::sort_by_key(&mut self.near, |(_, miss)| std::cmp::Reverse(miss.score));
        let mut ranking =
            Ranking { chosen: Vec::new(), withdrawn: Vec::new(), near: self.near, left: Vec::new() };
        let mut taken: Set<EntryId> = Set::default();
        for (format, claim) in self.claims {
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
}
