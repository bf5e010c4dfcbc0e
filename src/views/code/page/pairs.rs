//! Which listings can stand side by side: a source and its instructions, or two listings that are linked.

use super::pane::{Pane, Side};
use super::state::{Mode, State};
use crate::model::code::ListingKind;
use crate::model::id::ListingId;
use crate::ui::icon::{Glyph, Icon};
use crate::views::code::messages::{Arrange, ListingHead};
use leptos::prelude::*;

/// Hides what was inserted into the listing at the left.
#[component]
pub(super) fn InsertedButton(pane: Pane) -> impl IntoView {
    let state = pane.state;
    let context = state.context;
    view! {
        <Show when=move || pane.pair().is_some()>
            <button
                class="button button--plain"
                type="button"
                aria-pressed=move || state.hides_inserted.get().to_string()
                on:click=move |_| {
                    state.hides_inserted.update(|hides| *hides = !*hides);
                    pane.scroll_to(0.0);
                }
            >
                <Icon glyph=Glyph::Hide />
                <span class="listing__word">{context.word("Hide inserted")}</span>
            </button>
        </Show>
    }
}

impl Pane {
    /// The listing of instructions at the left, where this is the one at the right that it became.
    pub(super) fn pair(self) -> Option<ListingId> {
        let left = self.state.head(self.state.source.get()).filter(|_| !self.is_source())?;
        let is_pair = left.kind == ListingKind::Assembly && left.linked_to.contains(&self.id().get()?);
        is_pair.then_some(left.id)
    }

    /// The listing at the other side, where rows of both that belong together stand beside each other: as long as neither
    /// is sorted or narrowed down.
    pub(super) fn aligned(self) -> Option<ListingId> {
        let [left, right] = self.state.sides()?;
        let is_whole = |pane: Pane| {
            pane.arrange.with(|own| *own == Arrange::default()) && pane.listing().is_some_and(|l| l.has_text)
        };
        let is_aligned = self.state.mode() == Mode::Beside
            && right.pair().is_some()
            && !self.state.only_linked.get()
            && is_whole(left)
            && is_whole(right);
        let other = if self.is_source() { right } else { left };
        other.id().get().filter(|_| is_aligned)
    }

    /// How many rows both sides have in view where they scroll together.
    pub(super) fn rows_in_both(self) -> f64 {
        let own = self.rows_in_view();
        self.partner().map_or(own, |other| own.min(other.rows_in_view()))
    }

    /// Whether the bar of the other side scrolls this one.
    pub(super) fn is_led(self) -> bool {
        self.is_source() && self.aligned().is_some()
    }

    /// The side that scrolls along with this one.
    pub(super) fn partner(self) -> Option<Pane> {
        let [left, right] = self.aligned().and_then(|_| self.state.sides())?;
        Some(if self.is_source() { right } else { left })
    }
}

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
