//! Which name prevails among many slices of a lane: votes over 4 of them, over these votes of votes, and so on.

use crate::base::time::Span;
use crate::model::id::StrId;

/// Leaves of a vote, votes of the next level.
pub(super) const FAN: usize = 4;
/// Its logarithm.
const LOG: usize = 2;

/// The name with most time among some leaves, as found by voting: surely the right one when it has clearly more than
/// half of it.
#[derive(Clone, Copy)]
pub(super) struct DominantName {
    /// The name.
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
pub(super) fn prevailing(mut votes: impl Iterator<Item = DominantName>) -> Option<DominantName> {
    let mut winner = votes.next()?;
    votes.for_each(|vote| winner.add(vote));
    Some(winner)
}

/// Votes over all leaves that are settled, level over level.
#[derive(Default)]
pub(super) struct DominantNames(Vec<Vec<DominantName>>);

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
