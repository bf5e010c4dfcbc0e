//! What the two sides of the view share: listings, core, heat, what is chosen, and how sides find each other.

use super::find::Find;
use super::pane::{Pane, Reveal, Side};
use crate::model::code::{ALL_CORES, ALL_CORES_NAME, CodeAddress, Field, ListingKind};
use crate::model::figure::Passage;
use crate::model::id::ListingId;
use crate::pane::context::ViewContext;
use crate::ui::{follow_into, spawn_while};
use crate::views::code::messages::{
    CodeQuery, FoundRow, LinkedRows, ListingHead, Listings, Reply, RowDetail,
};
use leptos::prelude::*;

/// Which sides are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Beside,
    /// Only the source.
    Source,
    /// Only the instructions.
    Instructions,
}

impl Mode {
    /// As the address and the switch call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Beside => "beside",
            Self::Source => "source",
            Self::Instructions => "instructions",
        }
    }

    pub(super) fn of_name(name: &str) -> Self {
        match name {
            "source" => Self::Source,
            "instructions" => Self::Instructions,
            _ => Self::Beside,
        }
    }
}

/// Id of the view.
const ID: &str = "source";

/// What an order in the address ends with that begins with the largest.
const DESCENDING: &str = ",d";

/// A core as the address and the choice call it.
pub(super) fn core_text(core: u16) -> String {
    if core == ALL_CORES { ALL_CORES_NAME.to_owned() } else { core.to_string() }
}

/// Reads such a text.
pub(super) fn core_of(text: &str) -> u16 {
    if text == ALL_CORES_NAME { ALL_CORES } else { text.parse().unwrap_or(0) }
}

/// A row of a listing.
pub(super) type Place = (ListingId, u32);

/// What the sides share.
#[derive(Clone, Copy)]
pub(super) struct CodeState {
    pub(super) context: ViewContext,
    /// `None` until they were asked for.
    pub(super) listings: RwSignal<Option<Listings>>,
    /// What the user wants; one side when there is only one, see [`CodeState::mode`].
    pub(super) wanted: RwSignal<Mode>,
    pub(super) core: RwSignal<u16>,
    /// Name of the column that heat follows; `None` for the usual one.
    pub(super) heat: RwSignal<Option<String>>,
    pub(super) source: RwSignal<Option<ListingId>>,
    pub(super) assembly: RwSignal<Option<ListingId>>,
    pub(super) line: RwSignal<Option<Place>>,
    pub(super) instruction: RwSignal<Option<Place>>,
    /// The row of the first look.
    begun: RwSignal<Option<Place>>,
    /// Rows of several listings that may be meant by what another view chose.
    pub(super) offered: RwSignal<Vec<FoundRow>>,
    /// Only instructions of the chosen line.
    pub(super) only_linked: RwSignal<bool>,
    /// Without what was inserted into the listing at the left.
    pub(super) hides_inserted: RwSignal<bool>,
    /// Whether there is no room for two sides.
    pub(super) is_narrow: RwSignal<bool>,
    /// The side that was used last: keys go there.
    pub(super) active: RwSignal<Side>,
    /// All of the chosen row.
    pub(super) detail: RwSignal<Option<RowDetail>>,
    pub(super) find: Find,
    panes: StoredValue<Option<[Pane; 2]>, LocalStorage>,
}

impl CodeState {
    pub(super) fn new(context: ViewContext) -> Self {
        let state = Self {
            context,
            listings: RwSignal::new(None),
            wanted: RwSignal::new(Mode::Beside),
            core: RwSignal::new(0),
            heat: RwSignal::new(None),
            source: RwSignal::new(None),
            assembly: RwSignal::new(None),
            line: RwSignal::new(None),
            instruction: RwSignal::new(None),
            begun: RwSignal::new(None),
            offered: RwSignal::new(Vec::new()),
            only_linked: RwSignal::new(false),
            hides_inserted: RwSignal::new(false),
            is_narrow: RwSignal::new(false),
            active: RwSignal::new(Side::Source),
            detail: RwSignal::new(None),
            find: Find::new(),
            panes: StoredValue::new_local(None),
        };
        state.restore();
        state.load();
        state.follow_detail();
        state
    }

    /// Takes over what the address says of this view, and keeps the address up to date.
    fn restore(self) {
        let take = move |name: &str, value: String| match name {
            "sides" => self.wanted.set(Mode::of_name(&value)),
            "core" => self.core.set(core_of(&value)),
            "heat" => self.heat.set(Some(value)),
            _ => {}
        };
        let list = move || {
            let (mode, core) = (self.wanted.get(), self.core.get());
            [
                ("sides", (mode != Mode::Beside).then(|| mode.name().to_owned())),
                ("core", (core != 0).then(|| core_text(core))),
                ("heat", self.heat.get()),
            ]
        };
        self.context.restore(ID, take, list);
    }

    /// The same of the rows of instructions.
    fn restore_rows(self, pane: Pane) {
        let take = |name: &str, value: String| match name {
            "order" => pane.arrange.update(|arrange| {
                arrange.is_descending = value.ends_with(DESCENDING);
                arrange.sort = Field::parse(value.trim_end_matches(DESCENDING));
            }),
            "filter" => pane.arrange.update(|arrange| arrange.filter = value),
            "linked" => self.only_linked.set(true),
            "inserted" => self.hides_inserted.set(true),
            "without" => pane.hidden.update(|hidden| hidden.push(value)),
            _ => {}
        };
        let list = move || {
            let (sort, is_descending, filter) =
                pane.arrange.with(|arrange| (arrange.sort, arrange.is_descending, arrange.filter.clone()));
            let end = if is_descending { DESCENDING } else { "" };
            let rows = [
                ("order", sort.map(|by| format!("{}{end}", by.text()))),
                ("filter", Some(filter).filter(|filter| !filter.is_empty())),
                ("linked", self.only_linked.get().then(|| "only".to_owned())),
                ("inserted", self.hides_inserted.get().then(|| "hidden".to_owned())),
            ];
            let without = pane.hidden.get().into_iter().map(|name| ("without", Some(name)));
            rows.into_iter().chain(without).collect::<Vec<_>>()
        };
        self.context.restore("rows-of-code", take, list);
    }

    /// Makes the panes known and begins to follow what other views choose.
    pub(super) fn connect(self, source: Pane, assembly: Pane) {
        self.panes.set_value(Some([source, assembly]));
        self.restore_rows(assembly);
        self.follow_selection();
        let is_aligned = Memo::new(move |_| assembly.aligned().is_some());
        Effect::new(move || {
            if is_aligned.get() {
                request_animation_frame(move || {
                    // The view may be gone by then.
                    if assembly.first.try_get_untracked().is_some() {
                        assembly.scroll_by(0.0);
                    }
                });
            }
        });
    }

    /// Both sides, the left one first.
    pub(super) fn sides(self) -> Option<[Pane; 2]> {
        self.panes.try_get_value()?
    }

    pub(super) fn pane(self, side: Side) -> Option<Pane> {
        let [source, assembly] = self.sides()?;
        Some(if side == Side::Source { source } else { assembly })
    }

    /// Asks a question about code; `None` when it could not be answered.
    pub(super) async fn ask(self, ask: CodeQuery) -> Option<Reply> {
        self.context.ask(ask).await
    }

    /// Asks for the listings whenever the document has grown.
    fn load(self) {
        Effect::new(move || {
            self.context
                .head
                .with(|head| (head.contents.sources, head.contents.instructions, head.is_complete));
            spawn_while(self.core, async move {
                let Some(Reply::Listings(all)) = self.ask(CodeQuery::Listings).await else { return };
                let [left, right] = all.first_pair();
                // What costs most may be known only when everything is measured; what the user chose stays.
                let before = self.listings.try_with_untracked(|all| all.as_ref().map(Listings::first_pair));
                let [old_left, old_right] = before.flatten().unwrap_or_default();
                let mut is_new = before.flatten().is_none();
                for (shown, old, new) in [(self.source, old_left, left), (self.assembly, old_right, right)] {
                    let now = shown.try_get_untracked().flatten();
                    if now != new && (now.is_none() || now == old && !self.is_chosen()) {
                        shown.try_set(new);
                        is_new |= now.is_some();
                    }
                }
                self.listings.try_set(Some(*all));
                if is_new {
                    self.begin();
                }
            });
        });
    }

    /// Whether a row is chosen other than by [`CodeState::begin`], or the view is gone.
    fn is_chosen(self) -> bool {
        let Some(begun) = self.begun.try_get_untracked() else { return true };
        let rows = [self.instruction, self.line].map(|row| row.try_get_untracked().flatten());
        let is_begun = begun.is_some() && rows.into_iter().flatten().next() == begun;
        let is_chosen =
            self.context.selection.try_with_untracked(|s| s.line.is_some() || s.address.is_some());
        !is_begun && is_chosen != Some(false)
    }

    /// The first look goes to what costs most, unless something is chosen already.
    fn begin(self) {
        if self.is_chosen() {
            return;
        }
        // The panes stand only after the next frame.
        request_animation_frame(move || {
            let has_source = self.source.try_get_untracked().flatten().is_some();
            if let Some(pane) = self.pane(if has_source { Side::Source } else { Side::Assembly }) {
                let asked = untrack(|| (pane.id().get(), pane.heat(), self.core.get()));
                let (Some(listing), Some(column), core) = asked else { return };
                spawn_while(self.core, async move {
                    let ask = CodeQuery::Hot { listing, column, core, from: None, step: 0 };
                    if let Some(Reply::Hot(Some(hot))) = self.ask(ask).await {
                        self.begun.try_set(Some((listing, hot.row)));
                        self.choose(listing, hot.row, Reveal::Third);
                    }
                });
            }
        });
    }

    /// Keeps the strip of details up to date.
    fn follow_detail(self) {
        let ask = move || {
            let (line, instruction, core) = (self.line.get(), self.instruction.get(), self.core.get());
            let (listing, row) = instruction.or(line)?;
            let reply = self.ask(CodeQuery::Row { listing, row, core });
            Some(async move { (reply.await, instruction.map(|_| listing)) })
        };
        follow_into(self.detail, ask, move |(reply, listing)| {
            let Some(Reply::Row(detail)) = reply else { return None };
            if let Some(listing) = listing {
                self.report_address(listing, &detail.label);
            }
            Some(Some(*detail))
        });
    }

    /// Other views may follow the chosen instruction.
    fn report_address(self, listing: ListingId, label: &str) {
        if self.head_untracked(listing).is_some_and(|head| !head.has_addresses) {
            return;
        }
        // Of a document with one listing of instructions the address says everything.
        let listing = (1 < untrack(|| self.of_side(Side::Assembly)).len()).then_some(listing);
        let address = u64::from_str_radix(label, 16).ok().map(|address| CodeAddress { listing, address });
        let selection = self.context.selection;
        if selection.try_with_untracked(|s| s.address != address) == Some(true) {
            selection.update(|s| s.address = address);
        }
    }

    /// Goes to the line or address that another view chose.
    fn follow_selection(self) {
        Effect::new(move || {
            let selection = self.context.selection.get();
            let is_known = self.listings.with(Option::is_some);
            if !is_known {
                return;
            }
            // What is marked are instructions.
            if selection.marked.is_some() && untrack(|| self.mode()) == Mode::Source {
                self.wanted.set(if self.is_narrow.get_untracked() {
                    Mode::Instructions
                } else {
                    Mode::Beside
                });
            }
            if let Some(address) = selection.address {
                let own = self.instruction.get_untracked();
                self.go_to(CodeQuery::Address(address), own);
            } else if let Some((path, line)) = selection.line {
                let own = self.line.get_untracked();
                self.go_to(CodeQuery::Line { path, line }, own);
            }
        });
    }

    /// Goes to the row; where rows of several listings may be meant they are offered, unless one is chosen already.
    fn go_to(self, ask: CodeQuery, own: Option<Place>) {
        spawn_while(self.core, async move {
            let Some(Reply::At(found)) = self.ask(ask).await else { return };
            if found.iter().any(|at| own == Some((at.listing, at.row))) {
                return;
            }
            match &found[..] {
                [at] => self.choose(at.listing, at.row, Reveal::Third),
                _ => drop(self.offered.try_set(found)),
            }
        });
    }

    /// Instructions that another view marked.
    pub(super) fn marked(self) -> Option<Passage> {
        self.context.selection.with(|s| s.marked.clone())
    }

    /// Those of a listing.
    pub(super) fn marked_in(self, listing: Option<ListingId>) -> Option<Passage> {
        self.marked().filter(|passage| Some(passage.listing) == listing)
    }

    /// Lets the instructions be that another view marked.
    pub(super) fn unmark(self) {
        if self.context.selection.with_untracked(|s| s.marked.is_some()) {
            self.only_linked.set(false);
            self.context.selection.update(|s| s.marked = None);
        }
    }

    pub(super) fn head(self, id: Option<ListingId>) -> Option<ListingHead> {
        self.listings.with(|all| all.as_ref()?.listings.iter().find(|l| Some(l.id) == id).cloned())
    }

    /// Which sides are shown: what the user wants, as far as there is something on that side.
    pub(super) fn mode(self) -> Mode {
        let is_there = |id: RwSignal<Option<ListingId>>| id.get().is_some();
        match (is_there(self.source), is_there(self.assembly)) {
            (true, true) => match self.wanted.get() {
                Mode::Beside if self.is_narrow.get() => Mode::Source,
                wanted => wanted,
            },
            (false, true) => Mode::Instructions,
            _ => Mode::Source,
        }
    }

    /// Name of the unit that metrics are shown for; empty when they are one value for all.
    pub(super) fn core_name(self) -> String {
        let core = usize::from(self.core.get());
        self.listings.with(|all| all.as_ref().and_then(|l| l.cores.get(core).cloned())).unwrap_or_default()
    }

    /// Chooses a row: shows its listing there, marks what belongs to it on the other side and scrolls to it.
    pub(super) fn choose(self, listing: ListingId, row: u32, reveal: Reveal) {
        let Some(head) = self.head_untracked(listing) else { return };
        self.offered.set(Vec::new());
        // Instructions that are shown at the left are chosen there.
        let is_source = head.kind == ListingKind::Source || self.source.get_untracked() == Some(listing);
        let side = if is_source { Side::Source } else { Side::Assembly };
        self.show(listing, is_source);
        if is_source {
            if self.context.selection.with_untracked(|s| s.marked.is_some()) {
                self.only_linked.set(false);
            }
            self.instruction.set(None);
            self.line.set(Some((listing, row)));
            let place = (head.kind == ListingKind::Source).then_some((head.title, row + 1));
            self.context.selection.update(|s| (s.line, s.address, s.marked) = (place, None, None));
        } else {
            self.instruction.set(Some((listing, row)));
        }
        if let Some(pane) = self.pane(side) {
            pane.reveal(row, reveal);
        }
        spawn_while(self.core, async move {
            if let Some(Reply::Linked(groups)) = self.ask(CodeQuery::Linked { listing, row }).await {
                self.show_linked(is_source, groups);
            }
        });
    }

    /// Scrolls the other side to what belongs to the chosen row; prefers the listing that is shown there.
    fn show_linked(self, from_source: bool, groups: Vec<LinkedRows>) {
        let shown = if from_source { self.assembly } else { self.source }.try_get_untracked().flatten();
        // At the right there are instructions only; what is shown at the left gives way to its own kind first.
        let kind = |id| self.head_untracked(id).map(|head| head.kind);
        let wanted = if from_source { Some(ListingKind::Assembly) } else { shown.and_then(kind) };
        let best = groups.iter().find(|g| Some(g.listing) == shown);
        let best = best.or_else(|| groups.iter().find(|g| kind(g.listing) == wanted));
        let best = best.or_else(|| groups.first().filter(|_| !from_source));
        let Some(best) = best else {
            if !from_source {
                self.line.try_set(None);
            }
            return;
        };
        self.show(best.listing, !from_source);
        if !from_source {
            self.line.try_set(Some((best.listing, best.first)));
        }
        let side = if from_source { Side::Assembly } else { Side::Source };
        // What is aligned is in view already.
        if let Some(pane) = self.pane(side).filter(|pane| untrack(|| pane.aligned()).is_none()) {
            pane.reveal(best.first, if from_source { Reveal::Third } else { Reveal::ThirdIfHidden });
        }
    }

    fn show(self, listing: ListingId, is_source: bool) {
        let shown = if is_source { self.source } else { self.assembly };
        if shown.try_get_untracked() != Some(Some(listing)) {
            shown.try_set(Some(listing));
        }
    }

    fn head_untracked(self, id: ListingId) -> Option<ListingHead> {
        untrack(|| self.head(Some(id)))
    }
}
