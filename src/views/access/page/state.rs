//! What the parts share: what is looked at, what is selected, and what was asked about it.

use crate::base::geometry::{Point, Size};
use crate::pane::context::ViewContext;
use crate::pane::plane::{Plane, parse_window, window_text};
use crate::ui::{Extent, Latest, follow_into, spawn_while};
use crate::views::access::messages::{
    AccessQuery, AccessScope, Filter, Frame, Head, Note, Record, Reply, Under,
};
use leptos::prelude::*;
use std::time::Duration;

/// How long a window that moves must rest before it is told of.
const REST: Duration = Duration::from_millis(200);

/// What the parts share.
#[derive(Clone, Copy)]
pub(super) struct AccessState {
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
    pub(super) plane: Plane,
    pub(super) selected: RwSignal<Option<u32>>,
    pub(super) record: RwSignal<Option<Record>>,
    /// Whether the details below are folded away.
    pub(super) folded: RwSignal<bool>,
    /// What is looked at, when it has come to rest.
    pub(super) settled: RwSignal<AccessScope>,
}

impl AccessState {
    pub(super) fn new(context: ViewContext) -> Self {
        let (note, head) = (RwSignal::new(Note::default()), RwSignal::new(None::<Head>));
        let is_time = RwSignal::new(false);
        let length = Signal::derive(move || {
            if is_time.get() {
                let ends = head.with(|h| h.as_ref().map_or((0, 0), |h| h.positions));
                return ends.1.saturating_sub(ends.0) as f64 + 1.0;
            }
            (context.head.with(|h| h.contents.accesses) as f64).max(1.0)
        });
        let plot = Signal::derive(move || note.with(|note| note.plot));
        let state = Self {
            context,
            extent: RwSignal::default(),
            note,
            head,
            filter: RwSignal::default(),
            is_linear: RwSignal::new(false),
            is_time,
            color: RwSignal::new(None),
            plane: Plane::new(length, plot, false),
            selected: RwSignal::new(None),
            record: RwSignal::new(None),
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
            rows: self.plane.rows.get(),
            places: self.plane.places.get(),
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
        let take = move |name: &str, value: String| match name {
            "records" => self.plane.rows.set(parse_window(&value)),
            "addresses" => self.plane.places.set(parse_window(&value)),
            "axis" => self.is_linear.set(value == "linear"),
            "right" => self.is_time.set(value == "time"),
            "color" => self.color.set(Some(value)),
            "row" => self.selected.set(value.parse().ok()),
            // Every other name is that of an attribute.
            _ => self.filter.update(|filter| filter.set(name, Some(value))),
        };
        let list = move || {
            let look = self.look();
            let list = [
                ("records", window_text(look.rows)),
                ("addresses", window_text(look.places)),
                ("axis", look.is_linear.then(|| "linear".to_owned())),
                ("right", look.is_time.then(|| "time".to_owned())),
                ("color", look.color),
                ("row", self.selected.get().map(|row| row.to_string())),
            ];
            let filter = look.filter.values.into_iter().map(|(id, value)| (id, Some(value)));
            filter.chain(list.map(|(name, value)| (name.to_owned(), value)))
        };
        self.context.restore(super::VIEW.id, take, list);
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
        let ask = move || {
            let _ = grown.get();
            context.language.track();
            Some(self.ask(AccessQuery::Record(self.selected.get()?)))
        };
        follow_into(self.record, ask, |reply| {
            if let Some(Reply::Record(record)) = reply { Some(record.map(|record| *record)) } else { None }
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
        self.context.ask(ask).await
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

    /// Selects an access and brings it into view.
    pub(super) fn go_to(self, row: u32) {
        self.selected.set(Some(row));
        let is_time = untrack(|| self.is_time.get());
        let show = move |at: f64| {
            let (from, to) = self.plane.seen_rows();
            if at < from || to < at {
                let half = (to - from) / 2.0;
                self.plane.see_rows((at - half, at + half));
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
