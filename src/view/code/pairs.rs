//! Which listings can stand side by side: a source and its instructions, or two listings that are linked.

use super::pane::Side;
use super::state::State;
use crate::model::code::ListingKind;
use crate::model::id::ListingId;
use crate::wire::code::ListingHead;
use leptos::prelude::*;

impl State {
    /// What a side can show: at the left sources, and instructions that are linked to others; at the right instructions.
    pub(super) fn of_side(self, side: Side) -> Vec<ListingHead> {
        let is_shown = |l: &&ListingHead| match side {
            Side::Source => l.kind == ListingKind::Source || !l.linked_to.is_empty(),
            Side::Assembly => l.kind == ListingKind::Assembly,
        };
        self.listings.with(|all| all.iter().flat_map(|l| &l.listings).filter(is_shown).cloned().collect())
    }

    /// Shows a listing at a side, and at the other one that is linked with it.
    pub(super) fn show_pair(self, side: Side, id: ListingId) {
        let (source, assembly) = (self.source.get_untracked(), self.assembly.get_untracked());
        let all = untrack(|| self.of_side(Side::Source));
        let linked_to = |left: Option<ListingId>| {
            all.iter().find(|l| Some(l.id) == left).map_or(&[][..], |l| &l.linked_to)
        };
        if side == Side::Source {
            self.source.set(Some(id));
            let right = linked_to(Some(id));
            if !assembly.is_some_and(|id| right.contains(&id)) {
                self.assembly.set(right.first().copied().or(assembly));
            }
        } else {
            self.assembly.set(Some(id));
            if !linked_to(source).contains(&id) {
                let left = all.iter().find(|l| l.linked_to.contains(&id)).map(|l| l.id);
                self.source.set(left.or(source));
            }
        }
    }

    /// Whether what is chosen is a line of a source.
    pub(super) fn is_line_chosen(self) -> bool {
        let line = self.line.get().map(|(listing, _)| listing);
        self.instruction.with(Option::is_none)
            && self.head(line).is_none_or(|head| head.kind == ListingKind::Source)
    }
}
