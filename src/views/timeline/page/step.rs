//! Keys that go from slice to slice and from group to group.

use super::state::State;
use crate::base::window::Window;
use crate::model::id::SliceId;
use crate::ui::latest::spawn_while;
use crate::views::timeline::messages::{Picture, Reply, TimelineQuery, Towards};

use leptos::prelude::*;

impl State {
    /// What an arrow does: it leads from the selected slice to another; without one it moves the picture.
    pub(super) fn arrow(self, key: &str) {
        let towards = match key {
            "arrowleft" => Towards::Before,
            "arrowright" => Towards::After,
            "arrowup" => Towards::Above,
            _ => Towards::Below,
        };
        let Some(id) = untrack(|| self.context.selection.with(|s| s.slice)) else {
            return match towards {
                Towards::Before => self.pan(-0.15),
                Towards::After => self.pan(0.15),
                Towards::Above => self.scroll_by(-44.0),
                Towards::Below => self.scroll_by(44.0),
            };
        };
        let frame = Box::new(untrack(|| self.frame(Picture::Rows)));
        spawn_while(self.hit, async move {
            let ask = TimelineQuery::Beside { id, frame, towards };
            if let Some(Reply::Neighbor(Some(head))) = self.context.ask(ask).await {
                self.walk_to(head.id);
            }
        });
    }

    /// Selects a slice and brings it into view without zooming: whoever walks keeps the picture.
    fn walk_to(self, id: SliceId) {
        self.context.selection.update(|s| s.slice = Some(id));
        let frame = Box::new(untrack(|| self.frame(Picture::Rows)));
        let size = untrack(|| self.extent.get().size);
        spawn_while(self.hit, async move {
            let ask = TimelineQuery::Find { id, frame, size };
            let Some(Reply::Found(Some(place))) = self.context.ask(ask).await else { return };
            self.uncover(&place);
            let Some((head, window)) = place.head.zip(self.window()) else { return };
            let (from, to) = (window.share(head.span.start), window.share(head.span.end));
            if to < 0.02 || 0.98 < from {
                self.drift(Window::new(head.span.start, -0.3 * window.dur, window.dur));
            }
        });
    }

    /// Goes to the next or previous of the outermost groups: past all that stands in one.
    pub(super) fn group(self, forward: bool) {
        let frame = Box::new(untrack(|| self.frame(Picture::Rows)));
        let size = untrack(|| self.extent.get().size);
        let from = self.rows().at.get_untracked();
        spawn_while(self.hit, async move {
            let ask = TimelineQuery::Group { frame, size, from, forward };
            if let Some(Reply::Group(Some(found))) = self.context.ask(ask).await {
                self.uncover(&found.1);
                self.rows().at.set(Some(found.0));
            }
        });
    }
}
