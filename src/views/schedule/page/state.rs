//! What the parts share: what is looked at, which block is chosen, and what was asked about it.

use crate::base::geometry::{Point, Size};
use crate::pane::context::ViewContext;
use crate::pane::lanes::{DrawnLanes, Lanes};
use crate::pane::plane::{parse_window, window_text};
use crate::ui::{Extent, follow_into, spawn_while};
use crate::views::schedule::compute::{ALIGN, CLOCK, COLOR, Look};
use crate::views::schedule::messages::{Block, Frame, Head, Note, Reply, ScheduleQuery, UnitOrder};
use leptos::prelude::*;

/// What the parts share.
#[derive(Clone, Copy)]
pub(super) struct ScheduleState {
    pub(super) context: ViewContext,
    /// Size of the picture.
    pub(super) extent: RwSignal<Extent>,
    /// What was drawn last.
    pub(super) note: RwSignal<Note>,
    pub(super) head: RwSignal<Option<Head>>,
    /// The same of the document that this one is compared with.
    pub(super) baseline: RwSignal<Option<Head>>,
    pub(super) lanes: Lanes,
    /// The chosen stretch of time.
    pub(super) range: RwSignal<Option<(f64, f64)>>,
    /// Where the pointer is, and how many blocks are resident then.
    pub(super) pointer: RwSignal<Option<(f64, Option<u32>)>>,
    pub(super) order: RwSignal<UnitOrder>,
    pub(super) selected: RwSignal<Option<u32>>,
    pub(super) block: RwSignal<Option<Block>>,
    /// The table at the right of the details.
    pub(super) table: RwSignal<String>,
    /// Whether the details below are folded away.
    pub(super) folded: RwSignal<bool>,
    /// How the schedule is shown: the parameters.
    pub(super) look: Memo<Look>,
}

/// No narrower stretch of time is seen.
const LEAST: f64 = 8.0;

/// The first table, and that of the chosen stretch of time.
pub(super) const BLOCKS: &str = "blocks";
pub(super) const RANGE: &str = "range";

impl ScheduleState {
    pub(super) fn new(context: ViewContext) -> Self {
        let look = Memo::new(move |_| {
            context.values.with(|values| {
                let text = |id: &str| values.get(id).map_or("", String::as_str);
                Look::of_texts(text(ALIGN.id), text(CLOCK.id).parse().ok(), text(COLOR.id))
            })
        });
        let note = RwSignal::new(Note::default());
        let drawn = Signal::derive(move || {
            note.with(|note| DrawnLanes {
                area: note.area,
                window: note.window,
                length: note.length,
                scroll: note.scroll,
            })
        });
        let state = Self {
            context,
            extent: RwSignal::default(),
            note,
            head: RwSignal::new(None),
            baseline: RwSignal::new(None),
            lanes: Lanes::new(drawn, LEAST),
            range: RwSignal::new(None),
            pointer: RwSignal::new(None),
            order: RwSignal::default(),
            selected: RwSignal::new(None),
            block: RwSignal::new(None),
            table: RwSignal::new(BLOCKS.to_owned()),
            folded: RwSignal::new(false),
            look,
        };
        state.restore();
        state.follow();
        state
    }

    pub(super) fn frame(self) -> Frame {
        Frame {
            look: self.look.get(),
            window: self.lanes.window.get(),
            range: self.range.get(),
            scroll: self.lanes.scroll.get(),
            order: self.order.get(),
            selected: self.selected.get(),
        }
    }

    /// Takes over what the address says of this view, and keeps the address up to date.
    fn restore(self) {
        let take = move |name: &str, value: String| match name {
            "time" => self.lanes.window.set(parse_window(&value)),
            "range" => self.range.set(parse_window(&value)),
            "row" => self.selected.set(value.parse().ok()),
            "order" => self.order.set(UnitOrder {
                is_by_running: value.starts_with("running"),
                is_descending: value.ends_with("down"),
            }),
            "table" => self.table.set(value),
            _ => {}
        };
        let list = move || {
            let order = self.order.get();
            let name = if order.is_by_running { "running" } else { "unit" };
            let way = if order.is_descending { "down" } else { "up" };
            [
                ("time", window_text(self.lanes.window.get())),
                ("range", window_text(self.range.get())),
                ("row", self.selected.get().map(|row| row.to_string())),
                ("order", (order != UnitOrder::default()).then(|| format!("{name}-{way}"))),
                ("table", Some(self.table.get()).filter(|table| table != BLOCKS)),
            ]
        };
        self.context.restore(super::VIEW.id, take, list);
    }

    /// Asks anew when what is asked about changes.
    fn follow(self) {
        let context = self.context;
        let known =
            move |context: ViewContext| context.head.with(|h| (h.contents.scheduled, h.analyses.clone()));
        let own = Memo::new(move |_| known(context));
        let head =
            |reply| if let Some(Reply::Head(head)) = reply { Some(head.map(|head| *head)) } else { None };
        let ask = move || {
            let _ = own.get();
            Some(context.ask(ScheduleQuery::Head(self.look.get())))
        };
        follow_into(self.head, ask, head);
        let ask = move || {
            let (baseline, look) = (context.baseline.get(), self.look.get());
            let other = baseline?.context;
            known(other);
            Some(other.ask(ScheduleQuery::Head(look)))
        };
        follow_into(self.baseline, ask, move |reply| head(reply).or(Some(None)));
        let ask = move || {
            let _ = own.get();
            context.palette.track();
            let look = self.look.get();
            Some(context.ask(ScheduleQuery::Block { row: self.selected.get()?, look }))
        };
        follow_into(self.block, ask, |reply| {
            if let Some(Reply::Block(block)) = reply { Some(block.map(|block| *block)) } else { None }
        });
        // Another alignment has another time.
        Effect::new(move |before: Option<Look>| {
            let look = self.look.get();
            if before.is_some_and(|before| before.align != look.align) {
                self.lanes.window.set(None);
                self.range.set(None);
            }
            look
        });
    }

    /// The block under a point of the picture, and how many are resident then.
    pub(super) async fn under(self, at: Point) -> (Option<Block>, Option<u32>) {
        let frame = untrack(|| self.frame());
        match self.context.ask(ScheduleQuery::Under { frame, size: self.size(), at }).await {
            Some(Reply::Under(block, resident)) => (block.map(|block| *block), resident),
            _ => (None, None),
        }
    }

    /// Chooses a stretch of time between two places, 0 to 1 of the width of the lanes.
    pub(super) fn choose_range(self, from: f64, to: f64) {
        let (start, end) = self.note.with_untracked(|note| note.window);
        let time = |share: f64| (start + (end - start) * share).round();
        self.range.set(Some((time(from.min(to)), time(from.max(to)))).filter(|(a, b)| a < b));
        if self.table.with_untracked(|table| table != RANGE) {
            self.table.set(RANGE.to_owned());
        }
    }

    fn size(self) -> Size {
        self.extent.try_get_untracked().map_or(Size::default(), |extent| extent.size)
    }

    pub(super) fn show_all(self) {
        self.lanes.window.set(None);
        self.lanes.scroll.set(0.0);
    }

    /// Selects a block and brings it into view.
    pub(super) fn go_to(self, row: u32) {
        if self.selected.get_untracked() != Some(row) {
            self.selected.set(Some(row));
        }
        spawn_while(self.selected, async move {
            let (frame, size) = (untrack(|| self.frame()), self.size());
            let ask = ScheduleQuery::ScrollTo { frame, size, row };
            if let Some(Reply::ScrollTo(Some(scroll))) = self.context.ask(ask).await {
                self.lanes.scroll.set(scroll);
            }
            let look = untrack(|| self.look.get());
            let asked = self.context.ask(ScheduleQuery::Block { row, look }).await;
            let Some(Reply::Block(Some(block))) = asked else { return };
            let (from, to) = self.note.with_untracked(|note| note.window);
            let (start, end) = (block.start as f64, block.start.saturating_add(block.elapsed) as f64);
            if end < from || to < start {
                self.lanes.see(f64::midpoint(start, end) - (to - from) / 2.0, to - from);
            }
        });
    }

    /// Selects the block before or after the chosen one on its lane; moves the picture where none is chosen.
    pub(super) fn beside(self, is_after: bool) {
        if self.selected.with_untracked(Option::is_none) {
            return self.lanes.pan(if is_after { 0.15 } else { -0.15 });
        }
        let next = self.block.with_untracked(|block| block.as_ref().and_then(|block| block.beside(is_after)));
        if let Some(row) = next {
            self.go_to(row);
        }
    }

    /// Shows the details of the chosen block, the slowest where none is chosen.
    pub(super) fn open(self) {
        self.folded.set(false);
        if self.selected.with_untracked(Option::is_none) {
            self.step(true);
        }
    }

    /// Selects the next slower or faster block.
    pub(super) fn step(self, is_slower: bool) {
        let from = self.selected.get_untracked();
        spawn_while(self.selected, async move {
            let ask = ScheduleQuery::Step { from, is_slower };
            if let Some(Reply::Step(Some(row))) = self.context.ask(ask).await {
                self.go_to(row);
            }
        });
    }
}
