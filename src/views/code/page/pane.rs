//! One side: a listing with its bar, the head of its columns, its rows, and the strip of details below.

use super::print::{Printed, Sheet};
use super::state::{CodeState, Mode};
use super::{Joined, bars, body, detail, find, print};
use crate::base::geometry::Size;
use crate::base::number::thousands;
use crate::base::words::{fill, phrase, tr};
use crate::model::code::ListingKind;
use crate::model::id::ListingId;
use crate::ui::icon::SeverityIcon;
use crate::ui::table::columns_words;
use crate::ui::{Extent, spawn_while};
use crate::views::code::messages::{
    Arrange, CodeQuery, ColumnPlace, Frame, GAP, ListingHead, MAX_ROWS, Note, Reply,
};
use crate::wire::Draw;
use leptos::html;
use leptos::prelude::*;

/// Highest element that every browser scrolls exactly (Firefox ends at 17.9 million pixels).
const MOST_PX: f64 = 8_000_000.0;

/// Left or right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Text a person wrote.
    Source,
    Assembly,
}

/// How far to scroll for a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reveal {
    /// To one third of the height.
    Third,
    /// To one third of the height when it is not in view.
    ThirdIfHidden,
    /// As little as needed.
    Nearest,
}

/// One side of the view.
#[derive(Clone, Copy)]
pub(super) struct Pane {
    pub(super) side: Side,
    pub(super) state: CodeState,
    /// Order and filter.
    pub(super) arrange: RwSignal<Arrange>,
    /// Place of the first row in view, with its part above the edge.
    pub(super) first: RwSignal<f64>,
    /// How far it is scrolled sideways.
    pub(super) left: RwSignal<f64>,
    /// What the last frame said.
    pub(super) note: RwSignal<Note>,
    /// The place under the pointer.
    pub(super) hover: RwSignal<Option<u32>>,
    /// Width of the code; 0 takes what is left.
    pub(super) code_px: RwSignal<f64>,
    /// Names of columns that are not shown.
    pub(super) hidden: RwSignal<Vec<String>>,
    /// Width of a character and height of a row, measured.
    pub(super) face: RwSignal<Option<(f32, f32)>>,
    pub(super) extent: RwSignal<Extent>,
    /// What came of joining with the baseline.
    pub(super) joined: RwSignal<Option<Joined>>,
    pub(super) scroller: NodeRef<html::Div>,
    /// Where the program itself scrolled to; the event of it is no gesture.
    own_top: StoredValue<f64>,
    /// The place that is to be revealed as soon as the rows have a height.
    waiting: StoredValue<Option<(u32, Reveal)>>,
}

impl Pane {
    pub(super) fn new(state: CodeState, side: Side) -> Self {
        Self {
            side,
            state,
            arrange: RwSignal::default(),
            first: RwSignal::new(0.0),
            left: RwSignal::new(0.0),
            note: RwSignal::default(),
            hover: RwSignal::new(None),
            code_px: RwSignal::new(0.0),
            hidden: RwSignal::default(),
            face: RwSignal::new(None),
            extent: RwSignal::default(),
            joined: RwSignal::new(None),
            scroller: NodeRef::new(),
            own_top: StoredValue::new(-1.0),
            waiting: StoredValue::new(None),
        }
    }

    pub(super) fn is_source(self) -> bool {
        self.side == Side::Source
    }

    pub(super) fn kind(self) -> ListingKind {
        if self.is_source() { ListingKind::Source } else { ListingKind::Assembly }
    }

    /// The signal of the shown listing.
    pub(super) fn id(self) -> RwSignal<Option<ListingId>> {
        if self.is_source() { self.state.source } else { self.state.assembly }
    }

    pub(super) fn listing(self) -> Option<ListingHead> {
        self.state.head(self.id().get())
    }

    /// The chosen row of the shown listing.
    pub(super) fn chosen(self) -> Option<u32> {
        let chosen = if self.is_source() { self.state.line } else { self.state.instruction };
        let id = self.id().get();
        chosen.get().filter(|(listing, _)| Some(*listing) == id).map(|(_, row)| row)
    }

    /// Order and filter with the narrowing to the chosen line.
    pub(super) fn arranged(self) -> Arrange {
        let mut arrange = self.arrange.get();
        if !self.is_source() && self.state.only_linked.get() {
            match self.state.marked_in(self.id().get()) {
                Some(passage) => arrange.within = passage.ranges,
                None => arrange.only = self.state.line.get(),
            }
        }
        arrange.aligned = self.aligned();
        arrange.common = self.pair().or(arrange.aligned).filter(|_| self.state.hides_inserted.get());
        arrange.is_valued = self.listing().is_some_and(|l| !l.has_text);
        arrange
    }

    /// Row of the column that heat follows.
    pub(super) fn heat(self) -> Option<u16> {
        let listing = self.listing()?;
        let wanted = self.state.heat.get();
        let named =
            wanted.and_then(|name| listing.columns.iter().position(|c| c.has_numbers && c.name == name));
        named.map(|i| i as u16).or(listing.heat)
    }

    /// What is to be drawn; `None` until there is a listing and the faces were measured.
    pub(super) fn frame(self) -> Option<crate::wire::Frame> {
        self.shown().map(|frame| frame.frame())
    }

    fn shown(self) -> Option<Frame> {
        let listing = self.listing()?;
        let (char_px, row_px) = self.face.get()?;
        let hidden = self.hidden.get();
        let is_shown = |i: &u16| !hidden.contains(&listing.columns[usize::from(*i)].name);
        let columns =
            (!hidden.is_empty()).then(|| (0..listing.columns.len() as u16).filter(is_shown).collect());
        Some(Frame {
            listing: listing.id,
            core: self.state.core.get(),
            heat: self.heat(),
            columns,
            first: self.first.get(),
            left: self.left.get() as f32,
            row_px,
            char_px,
            code_px: self.code_px.get() as f32,
            arrange: self.arranged(),
            selected: self.chosen(),
            linked_to: if self.is_source() { None } else { self.state.line.get() },
            marked: if self.is_source() {
                Vec::new()
            } else {
                self.state.marked_in(Some(listing.id)).map_or_else(Vec::new, |p| p.ranges)
            },
            beside: if self.is_source() { self.state.assembly.get() } else { self.state.source.get() },
            hover: self.hover.get(),
            search: self.state.find.query(self.side),
            is_compared: self.is_compared(listing.id),
        })
    }

    /// What is seen of it, without the pointer, and its size; nothing before there is a listing.
    pub(super) fn picture(self) -> Option<(crate::wire::Frame, Size)> {
        let frame = Frame { hover: None, ..self.shown()? };
        Some((frame.frame(), self.extent.get().size))
    }

    /// Whether differences to the baseline are shown for a listing.
    fn is_compared(self, listing: ListingId) -> bool {
        let core = self.state.core.get();
        self.joined.with(|j| j.as_ref().is_some_and(|j| j.is_of(listing, core)))
    }

    /// Rows of the arrangement; before the first frame those of the listing.
    pub(super) fn total(self) -> f64 {
        let noted = self.note.with(|n| (n.total, n.columns.is_empty()));
        if noted.1 { self.listing().map_or(0.0, |l| f64::from(l.rows)) } else { f64::from(noted.0) }
    }

    pub(super) fn row_px(self) -> f64 {
        self.face.get().map_or(20.0, |(_, row)| f64::from(row))
    }

    /// How many rows are in view, parts included.
    pub(super) fn rows_in_view(self) -> f64 {
        f64::from(self.extent.get().size.h) / self.row_px()
    }

    /// Which rows and columns paper shows, where these are not all: those of the picture before others are there.
    fn on_paper(self, rows: RwSignal<Option<Printed>>) -> Option<String> {
        if let Some(words) = rows.with(|rows| rows.as_ref().map(|rows| rows.words(self))) {
            return words;
        }
        let words = self.rows_on_paper().into_iter().chain(self.columns_on_paper());
        let words = words.collect::<Vec<_>>();
        (!words.is_empty()).then(|| words.join(" · "))
    }

    fn columns_on_paper(self) -> Option<String> {
        let left = self.left.get() as f32;
        let (n, of) = self.note.with(|note| {
            let (frozen, pinned) = (note.frozen, note.pinned);
            // The first stands still; widths are rounded.
            let is_whole = |(at, place): &(usize, &ColumnPlace)| {
                let from = place.x - left;
                place.is_pinned || *at == 0 || frozen <= from + 1.0 && from + place.w <= pinned + 1.0
            };
            (note.columns.iter().enumerate().filter(is_whole).count(), note.columns.len())
        });
        (n < of).then(|| columns_words(n, of))
    }

    fn rows_on_paper(self) -> Option<String> {
        let rows = self.note.with(|note| note.rows.len()) as i128;
        let (first, total) = (self.first.get() as i128, self.total() as i128);
        let last = total.min(first + rows);
        let of = [("first", first + 1), ("last", last), ("n", total)].map(|(name, n)| (name, thousands(n)));
        let of: Vec<(&str, &str)> = of.iter().map(|(name, n)| (*name, n.as_str())).collect();
        let words = tr(self.state.context.language.get(), phrase("Rows {first} to {last} of {n}"));
        (0 < rows && rows < total).then(|| fill(words, &of))
    }

    fn last_first(self) -> f64 {
        (self.total() - self.rows_in_both()).max(0.0)
    }

    /// Height of what scrolls, at most [`MOST_PX`].
    pub(super) fn space_px(self) -> f64 {
        let below = self.rows_in_view() - self.rows_in_both();
        ((self.total() + below) * self.row_px()).min(MOST_PX).max(f64::from(self.extent.get().size.h))
    }

    /// Whether the space is smaller than its rows: then wheel steps are counted in rows here.
    pub(super) fn is_squeezed(self) -> bool {
        MOST_PX < self.total() * self.row_px()
    }

    fn top_of(self, first: f64) -> f64 {
        if self.is_squeezed() {
            let room = self.space_px() - f64::from(self.extent.get().size.h);
            first / self.last_first().max(1.0) * room
        } else {
            first * self.row_px()
        }
    }

    /// The scroller moved: a gesture, unless the program did it.
    pub(super) fn scrolled(self, top: f64, left: f64) {
        untrack(|| {
            if self.left.get() != left {
                self.left.set(left);
            }
            if (top - self.own_top.get_value()).abs() < 1.5 {
                return;
            }
            self.own_top.set_value(-1.0);
            let first = if self.is_squeezed() {
                let room = self.space_px() - f64::from(self.extent.get().size.h);
                top / room.max(1.0) * self.last_first()
            } else {
                top / self.row_px()
            };
            self.first.set(first.clamp(0.0, self.last_first()));
            self.lead();
        });
    }

    /// Scrolls to a place, and the other side where both scroll together.
    pub(super) fn scroll_to(self, first: f64) {
        self.scroll_alone(first);
        untrack(|| self.lead());
    }

    fn lead(self) {
        if let Some(other) = self.partner() {
            other.scroll_alone(self.first.get());
        }
    }

    fn scroll_alone(self, first: f64) {
        untrack(|| {
            let first = first.clamp(0.0, self.last_first());
            let top = self.top_of(first);
            if let Some(scroller) = self.scroller.get() {
                scroller.set_scroll_top(top.round() as i32);
                self.own_top.set_value(f64::from(scroller.scroll_top()));
            }
            if self.first.get() != first {
                self.first.set(first);
            }
        });
    }

    /// Scrolls by a number of rows.
    pub(super) fn scroll_by(self, rows: f64) {
        self.scroll_to(self.first.get_untracked() + rows);
    }

    /// Scrolls so that a row of the shown listing is in view.
    pub(super) fn reveal(self, row: u32, how: Reveal) {
        let asked = untrack(|| (self.id().get(), self.state.core.get(), self.arranged()));
        let (Some(listing), core, arrange) = asked else { return };
        if arrange == Arrange::default() {
            // A listing that was just chosen is measured first.
            request_animation_frame(move || self.reveal_place(row, how));
            return;
        }
        spawn_while(self.first, async move {
            if let Some(Reply::Place(Some(place))) =
                self.state.ask(CodeQuery::Place { listing, core, arrange, row }).await
            {
                self.reveal_place(place, how);
            }
        });
    }

    fn reveal_place(self, place: u32, how: Reveal) {
        let Some((first, rows)) = untrack(|| Some((self.first.try_get()?, self.rows_in_view()))) else {
            return;
        };
        if rows <= 0.0 {
            self.waiting.set_value(Some((place, how)));
            return;
        }
        let place = f64::from(place);
        let is_above = place < first + 1.0;
        let is_below = first + rows - 2.0 < place;
        match how {
            Reveal::ThirdIfHidden | Reveal::Nearest if !is_above && !is_below => {}
            Reveal::Nearest if is_above => self.scroll_to(place - 1.0),
            Reveal::Nearest => self.scroll_to(place - rows + 3.0),
            Reveal::Third | Reveal::ThirdIfHidden => self.scroll_to((place - rows / 3.0).floor()),
        }
    }

    /// The rows have a height, perhaps for the first time: reveals what waits for that, or scrolls to where it was.
    pub(super) fn settle(self) {
        match self.waiting.try_update_value(Option::take) {
            Some(Some((place, how))) => self.reveal_place(place, how),
            Some(None) => self.scroll_alone(self.first.get_untracked()),
            None => {} // the view is gone
        }
    }

    /// Chooses the row at a place, which was reached by a step: then the next one in its direction where there is none.
    pub(super) fn choose_place(self, place: u32, step: f64, how: Reveal) {
        let asked = untrack(|| (self.id().get(), self.state.core.get(), self.arranged()));
        let (Some(listing), core, arrange) = asked else { return };
        let far = if step == 0.0 || arrange.aligned.is_none() { 0 } else { MAX_ROWS as u32 - 1 };
        let from = if step < 0.0 { place.saturating_sub(far) } else { place };
        let n = if step < 0.0 { place - from } else { far } + 1;
        spawn_while(self.first, async move {
            let ask = CodeQuery::Rows { listing, core, arrange, from, n };
            let Some(Reply::Rows { rows, .. }) = self.state.ask(ask).await else { return };
            let mut rows = rows.iter().map(|row| row.row).filter(|row| *row != GAP);
            if let Some(row) = if step < 0.0 { rows.next_back() } else { rows.next() } {
                self.state.choose(listing, row, how);
            }
        });
    }

    /// Chooses the row that many ranks colder (or hotter, below zero) than the chosen one.
    pub(super) fn choose_hot(self, step: i32) {
        let asked = untrack(|| (self.id().get(), self.heat(), self.state.core.get(), self.chosen()));
        let (Some(listing), Some(column), core, from) = asked else { return };
        spawn_while(self.first, async move {
            let ask = CodeQuery::Hot { listing, column, core, from, step };
            if let Some(Reply::Hot(Some(hot))) = self.state.ask(ask).await {
                self.state.choose(listing, hot.row, Reveal::Third);
            }
        });
    }
}

/// A side on the page.
#[component]
pub(super) fn PaneView(pane: Pane) -> impl IntoView {
    let state = pane.state;
    // The details stand below the instructions, or below the source when it is alone.
    let has_details = move || !pane.is_source() || state.mode() == Mode::Source;
    let label = move || {
        let name = if pane.is_source() { phrase("Source") } else { phrase("Instructions") };
        tr(state.context.language.get(), name).to_owned()
    };
    let rows = print::follow(pane);
    // Paper gets the picture as large as it was drawn.
    let drawn = move |side: fn(Size) -> f32| {
        let px = side(pane.extent.get().size);
        (0.0 < px).then(|| px.to_string())
    };
    view! {
        <section
            class="listing"
            style:--drawn-w=move || drawn(|size| size.w)
            style:--drawn-h=move || drawn(|size| size.h)
            aria-label=label
            on:pointerdown=move |_| state.active.set(pane.side)
            on:focusin=move |_| state.active.set(pane.side)
        >
            <bars::Bar pane />
            <find::FindBar pane />
            <p class="listing__paper">{move || pane.on_paper(rows)}</p>
            <Sheet pane rows />
            <super::Notice pane />
            <div
                class="listing__grid"
                role="grid"
                aria-rowcount=move || pane.total() + 1.0
                aria-label=label
                aria-description=move || pane.note.with(|note| note.alternative.clone())
            >
                <bars::Marked pane />
                <bars::Offered pane />
                <Show when=move || pane.listing().is_some_and(|l| !l.has_text && 0 < l.rows)>
                    <p class="listing__notice">
                        <SeverityIcon severity="note" />
                        {state.context.word("The source text is not in the file. Only lines with data are shown.")}
                    </p>
                </Show>
                <super::Head pane />
                <body::Body pane />
            </div>
            <Show when=has_details>
                <detail::Detail state />
            </Show>
        </section>
    }
}
