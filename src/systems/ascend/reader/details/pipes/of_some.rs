//! Of how many blocks, or where all blocks are there of how many units of each kind of core, pipes are known.

use super::{CoreUnit, Pipes, Share};
use crate::base::map::Set;
use crate::base::words::{Arg, Message, message, phrase};
use crate::systems::ascend::known_blocks;
use crate::systems::ascend::reader::details::load::AVERAGE;
use crate::systems::ascend::reader::details::occupancy::Kind;
use crate::systems::ascend::reader::details::pipe_shares::Stated;

/// What a figure notes where a pipe is known of some blocks only.
pub(crate) const OF_SOME: &str =
    phrase("Only {n} of {m} blocks have all pipes. Each share covers the blocks that have that pipe.");

/// The same where all blocks have some, but not all units of a kind.
const UNITS_OF_SOME: &str = phrase("Only {n} of {m} {kind} units have pipes. Each share covers these.");

/// The same where some of these have not all pipes.
const PIPES_OF_SOME: &str =
    phrase("Only {n} of {m} {kind} units have all pipes. Each share covers the units that have that pipe.");

/// Whether a note tells of how many blocks or units the pipes of a kind of core are known.
pub(crate) fn is_of_some(note: &Message, kind: &str) -> bool {
    let is_of_kind = || matches!(note.args.iter().find(|(name, _)| name == "kind"), Some((_, Arg::Value(own))) if own == kind);
    note.key == OF_SOME || [UNITS_OF_SOME, PIPES_OF_SOME].contains(&&*note.key) && is_of_kind()
}

impl Pipes {
    /// What the figure notes where pipes are not known of all.
    pub(super) fn of_some(&self, all: &[(Kind, Vec<Share>)], stated: Stated) -> Vec<Message> {
        let has_both = 1 < all.len() || stated.vector_units.is_some();
        if has_both && self.lacks_blocks(stated).is_none() {
            return all
                .iter()
                .filter_map(|(kind, shares)| self.units_with_all(*kind, shares, stated))
                .collect();
        }
        let blocks = self.blocks_with_all(all, stated);
        blocks.map(|(n, m)| message(OF_SOME).with("n", n).with("m", m)).into_iter().collect()
    }

    fn blocks(&self) -> impl Iterator<Item = &CoreUnit> {
        self.units.iter().filter(|unit| unit.block != AVERAGE)
    }

    /// How many units of a kind have all pipes that are shown, where these are not all.
    fn units_with_all(&self, kind: Kind, shares: &[Share], stated: Stated) -> Option<Message> {
        let own = || self.blocks().filter(|unit| unit.kind == kind);
        let known = shares.iter().filter(|share| share.active.is_some());
        let known = known.map(|share| own().filter(|unit| unit.active(share.pipe).is_some()).count());
        let (least, most) = known.fold((usize::MAX, 0), |(a, b), n| (a.min(n), b.max(n)));
        let blocks: Set<&str> = self.blocks().map(|unit| unit.block.as_str()).collect();
        let of = match kind {
            Kind::Cube => stated.blocks,
            Kind::Vector => stated.vector_units,
            Kind::Other => None,
        };
        let has_blocks = stated.blocks.is_some_and(|all| all <= blocks.len() as f64);
        let m = of.filter(|_| has_blocks).unwrap_or(own().count() as f64);
        let is_short = 0 < least && (least as f64) < m;
        let text = message(if least == most { UNITS_OF_SOME } else { PIPES_OF_SOME });
        is_short.then(|| text.with("n", least).with("m", m).with("kind", kind.name()))
    }

    /// How many blocks have all pipes that are shown, where these are not all.
    fn blocks_with_all(&self, all: &[(Kind, Vec<Share>)], stated: Stated) -> Option<(usize, usize)> {
        let of_kind = |(kind, shares): &(Kind, Vec<Share>)| {
            let own = self.blocks().filter(|unit| unit.kind == *kind);
            let blocks: Set<&str> = own.map(|unit| unit.block.as_str()).collect();
            let known = shares.iter().filter(|share| share.active.is_some());
            let least = known.map(|share| share.n_blocks).min()?;
            (0 < least && least < blocks.len()).then_some((least, blocks.len()))
        };
        let of_kinds = all.iter().filter_map(of_kind).min();
        let (n, m) = match (of_kinds, self.lacks_blocks(stated)) {
            (Some((n, _)), Some((_, of))) => (n, of),
            (one, other) => one.or(other)?,
        };
        // Parts of a file may number other things than blocks: there are no more of these than it states.
        let most = stated.blocks.filter(|all| (n as f64) < *all && *all < m as f64);
        // A whole number that is not negative.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        Some((n, most.map_or(m, |all| all as usize)))
    }

    /// Of how many blocks there is anything, where these are not all.
    pub(super) fn lacks_blocks(&self, stated: Stated) -> Option<(usize, usize)> {
        known_blocks(self.blocks().map(|unit| unit.block.as_str()), stated.blocks, stated.cores)
    }

    /// Whether not all vector units of the blocks are there, where all blocks are.
    pub(super) fn lacks_vectors(&self, stated: Stated) -> bool {
        let blocks: Set<&str> = self.blocks().map(|unit| unit.block.as_str()).collect();
        let n = self.blocks().filter(|unit| unit.kind == Kind::Vector).count();
        let has_blocks = stated.blocks.is_some_and(|all| all <= blocks.len() as f64);
        has_blocks && stated.vector_units.is_some_and(|of| 0 < n && (n as f64) < of)
    }
}
