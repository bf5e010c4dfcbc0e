//! What the parts share: what is looked at, what is selected, and what was asked about it.

use crate::base::geometry::{Point, Size};
use crate::base::pairs;
use crate::draw::access::window;
use crate::ui::canvas::Extent;
use crate::ui::latest::{Latest, spawn_while};
use crate::view::context::ViewContext;
use crate::wire::access::{AccessQuery, AccessScope, Filter, Frame, Head, Note, Record, Reply, Under};
use crate::wire::{Answer, Query};
use leptos::prelude::*;
use std::time::Duration;

/// How long a window that moves must rest before it is told of.
const REST: Duration = Duration::from_millis(200);

/// What the parts share.
#[derive(Clone, Copy)]
pub(super) struct State {
    pub(super) context: ViewContext,
    /// Size of the picture.
    pub(super) extent: RwSignal<Extent>,
    /// What was drawn last.
    pub(super) note: RwSignal<Note>,
    pub(super) head: RwSignal<Option<Head>>,
    pub(super) filter: RwSignal<Filter>,
    pub(super) is_linear: RwSignal<bool>,
    /// Whether the time lies to the right.
    pub(super) is_time: RwSignal<bool>,
    /// Id of the attribute that decides the colors; `None` is reading and writing.
    pub(super) color: RwSignal<Option<String>>,
    pub(super) rows: RwSignal<Option<(f64, f64)>>,
    pub(super) places: RwSignal<Option<(f64, f64)>>,
    pub(super) selected: RwSignal<Option<u32>>,
    pub(super) record: RwSignal<Option<Record>>,
    /// The area that is being chosen: left, top, width, height in pixels of the picture.
    pub(super) band: RwSignal<Option<[f64; 4]>>,
    /// Whether the details below are folded away.
    pub(super) folded: RwSignal<bool>,
    /// What is looked at, when it has come to rest.
    pub(super) settled: RwSignal<AccessScope>,
}

impl State {
    pub(super) fn new(context: ViewContext) -> Self {
        let state = Self {
            context,
            extent: RwSignal::default(),
            note: RwSignal::default(),
            head: RwSignal::new(None),
            filter: RwSignal::default(),
            is_linear: RwSignal::new(false),
            is_time: RwSignal::new(false),
            color: RwSignal::new(None),
            rows: RwSignal::new(None),
            places: RwSignal::new(None),
            selected: RwSignal::new(None),
            record: RwSignal::new(None),
            band: RwSignal::new(None),
            folded: RwSignal::new(false),
            settled: RwSignal::default(),
        };
        state.restore();
        state.follow();
        state
    }

    /// What is looked at.
    pub(super) fn look(self) -> AccessScope {
        AccessScope {
            filter: self.filter.get(),
            rows: self.rows.get(),
            places: self.places.get(),
            is_linear: self.is_linear.get(),
            is_time: self.is_time.get(),
            color: self.color.get(),
        }
    }

    pub(super) fn frame(self) -> Frame {
        Frame { look: self.look(), selected: self.selected.get() }
    }

    /// Takes over what the address says of this view, and keeps the address up to date.
    fn restore(self) {
        let id = super::VIEW.id;
        let kept = self.context.states.with_untracked(|s| s.get(id).cloned()).unwrap_or_default();
        let window = |text: &str| {
            let (a, b) = text.split_once(',')?;
            let (a, b): (f64, f64) = (a.parse().ok()?, b.parse().ok()?);
            (a.is_finite() && b.is_finite() && a < b).then_some((a, b))
        };
        for (name, value) in pairs::split(&kept) {
            match name.as_str() {
                "records" => self.rows.set(window(&value)),
                "addresses" => self.places.set(window(&value)),
                "axis" => self.is_linear.set(value == "linear"),
                "right" => self.is_time.set(value == "time"),
                "color" => self.color.set(Some(value)),
                "row" => self.selected.set(value.parse().ok()),
                // Every other name is that of an attribute.
                _ => self.filter.update(|filter| filter.set(&name, Some(value))),
            }
        }
        Effect::new(move || {
            let look = self.look();
            let window = |window: Option<(f64, f64)>| window.map(|(a, b)| format!("{a},{b}"));
            let list = [
                ("records", window(look.rows)),
                ("addresses", window(look.places)),
                ("axis", look.is_linear.then(|| "linear".to_owned())),
                ("right", look.is_time.then(|| "time".to_owned())),
                ("color", look.color),
                ("row", self.selected.get().map(|row| row.to_string())),
            ];
            let list = list.iter().filter_map(|(name, value)| Some((*name, value.as_deref()?)));
            let filter = look.filter.values.iter().map(|(id, value)| (id.as_str(), value.as_str()));
            let text = pairs::join(filter.chain(list));
            if self.context.states.with_untracked(|s| s.get(id).map_or("", String::as_str) != text) {
                self.context.states.update(|s| {
                    s.remove(id);
                    if !text.is_empty() {
                        s.insert(id.to_owned(), text);
                    }
                });
            }
        });
    }

    /// Asks anew when what is asked about changes.
    fn follow(self) {
        let context = self.context;
        let grown = Memo::new(move |_| context.head.with(|h| (0 < h.contents.accesses, h.is_complete)));
        Effect::new(move || {
            let _ = grown.get();
            spawn_while(self.selected, async move {
                if let Some(Reply::Head(head)) = self.ask(AccessQuery::Head).await {
                    self.head.try_set(Some(*head));
                }
            });
        });
        let chosen = Latest::default();
        Effect::new(move || {
            let _ = grown.get();
            context.language.track();
            chosen.begin();
            let Some(row) = self.selected.get() else { return self.record.set(None) };
            chosen.ask(self.ask(AccessQuery::Record(row)), move |reply| {
                if let Some(Reply::Record(record)) = reply {
                    self.record.try_set(record.map(|r| *r));
                }
            });
        });
        let latest = Latest::default();
        Effect::new(move || {
            let look = self.look();
            latest.after(REST, move || {
                if self.settled.try_with_untracked(|s| *s != look) == Some(true) {
                    self.settled.set(look);
                }
            });
        });
    }

    pub(super) async fn ask(self, ask: AccessQuery) -> Option<Reply> {
        match self.context.ask(Query::Access(ask)).await {
            Answer::Access(reply) => Some(reply),
            _ => None,
        }
    }

    /// What lies under a point of the picture.
    pub(super) async fn under(self, at: Point) -> Option<Under> {
        let size = self.extent.try_get_untracked().map_or(Size::default(), |e| e.size);
        let frame = Box::new(untrack(|| self.frame()));
        match self.ask(AccessQuery::Under { frame, size, at }).await {
            Some(Reply::Under(under)) => under,
            _ => None,
        }
    }

    /// The window of records that is seen.
    pub(super) fn seen_rows(self) -> (f64, f64) {
        untrack(|| self.rows.get()).unwrap_or((0.0, self.n()))
    }

    /// The window of places that is seen.
    pub(super) fn seen_places(self) -> (f64, f64) {
        untrack(|| self.places.get()).unwrap_or(window::ALL_PLACES)
    }

    /// Where the axis to the right ends.
    fn n(self) -> f64 {
        if untrack(|| self.is_time.get()) {
            let ends = self.head.with_untracked(|h| h.as_ref().map_or((0, 0), |h| h.positions));
            return ends.1.saturating_sub(ends.0) as f64 + 1.0;
        }
        (untrack(|| self.context.head.with(|h| h.contents.accesses)) as f64).max(1.0)
    }

    /// Shows these records, as far as there are some.
    pub(super) fn see_rows(self, seen: (f64, f64)) {
        self.rows.set(window::rows(seen, self.n()));
    }

    /// Shows this part of the axis of addresses.
    pub(super) fn see_places(self, seen: (f64, f64)) {
        self.places.set(window::places(seen));
    }

    /// Zooms records: by a factor, a share of the width stays where it is.
    pub(super) fn zoom_rows(self, factor: f64, share: f64) {
        self.rows.set(window::zoomed_rows(self.seen_rows(), factor, share, self.n()));
    }

    /// Zooms addresses: by a factor, a share of the height from below stays where it is.
    pub(super) fn zoom_places(self, factor: f64, share: f64) {
        self.places.set(window::zoomed_places(self.seen_places(), factor, share));
    }

    /// Moves by shares of width and height.
    pub(super) fn pan(self, right: f64, up: f64) {
        let (from, to) = self.seen_rows();
        let (low, high) = self.seen_places();
        if right != 0.0 {
            self.see_rows((from + right * (to - from), to + right * (to - from)));
        }
        if up != 0.0 {
            self.see_places((low + up * (high - low), high + up * (high - low)));
        }
    }

    pub(super) fn show_all(self) {
        self.rows.set(None);
        self.places.set(None);
    }

    /// Selects an access and brings it into view.
    pub(super) fn go_to(self, row: u32) {
        self.selected.set(Some(row));
        let is_time = untrack(|| self.is_time.get());
        let show = move |at: f64| {
            let (from, to) = self.seen_rows();
            if at < from || to < at {
                let half = (to - from) / 2.0;
                self.see_rows((at - half, at + half));
            }
        };
        if !is_time {
            return show(f64::from(row) + 0.5);
        }
        spawn_while(self.selected, async move {
            let zero = self.head.with_untracked(|h| h.as_ref().map_or(0, |h| h.positions.0));
            if let Some(Reply::Record(Some(record))) = self.ask(AccessQuery::Record(row)).await {
                show(record.head.position.saturating_sub(zero) as f64 + 0.5);
            }
        });
    }

    /// Selects the next access that the filters let through.
    pub(super) fn step(self, is_backward: bool) {
        let look = AccessScope { rows: None, ..untrack(|| self.look()) };
        let from = self.selected.get_untracked();
        spawn_while(self.selected, async move {
            if let Some(Reply::Next(Some(row))) =
                self.ask(AccessQuery::Next { look, from, is_backward }).await
            {
                self.go_to(row);
            }
        });
    }
}
