//! Searching slices by name, hit by hit; saving what a range adds up to.

use super::state::{Panel, State};
use crate::ui::latest::spawn_while;
use crate::ui::tabs::focus_by_id;
use crate::views::timeline::messages::{Current, Picture, Reply, SearchQuery, TimelineQuery};

use leptos::prelude::*;

impl State {
    /// Brings the field for searching slices up and gives it the keyboard.
    pub(super) fn look_for(self) {
        self.folded.set(false);
        self.side.set(Panel::Search);
        request_animation_frame(|| focus_by_id(super::side::FIELD));
    }

    /// Searches for what another view asked for, and goes to the first hit. A search of the selected stretch follows it.
    pub(super) fn follow_search(self) {
        Effect::new(move || {
            let range = self.context.selection.with(|s| s.range);
            if untrack(|| self.search.with(|s| s.within.is_some() && s.within != range)) {
                self.search.update(|s| s.within = range);
            }
        });
        Effect::new(move || {
            let Some((text, within)) = self.context.selection.with(|s| s.search.clone()) else { return };
            self.context.selection.update(|s| s.search = None);
            self.folded.set(false);
            self.side.set(Panel::Search);
            self.search.set(SearchQuery { text, within, ..SearchQuery::default() });
            self.step(true);
        });
    }

    /// Goes to the track that another view asked for and selects all of it.
    pub(super) fn follow_track(self) {
        Effect::new(move || {
            let only = self.context.selection.with(|s| s.only.clone()).filter(|_| !self.is_old);
            if let Some(name) = only {
                self.context.selection.update(|s| s.only = None);
                self.rows().display.update(|display| display.only = Some(name));
            }
        });
        Effect::new(move || {
            let Some(id) = self.context.selection.with(|s| s.go_to) else { return };
            let is_measured = 1.0 <= self.extent.get().size.h;
            if is_measured && self.span().is_some() && !self.is_old {
                self.context.selection.update(|s| s.go_to = None);
                self.go_to(id);
            }
        });
        Effect::new(move || {
            let Some(track) = self.context.selection.with(|s| s.track) else { return };
            // Rows have a place only after they were measured.
            let size = self.extent.get().size;
            let Some(span) = self.span().filter(|_| 1.0 <= size.h && !self.is_old) else { return };
            self.context.selection.update(|s| {
                (s.track, s.slice) = (None, None);
                (s.range, s.tracks) = (Some(span), vec![track]);
            });
            self.folded.set(false);
            self.side.set(Panel::Range);
            let frame = Box::new(untrack(|| self.frame(Picture::Rows)));
            spawn_while(self.hit, async move {
                let ask = TimelineQuery::FindTrack { track, frame, size };
                if let Some(Reply::Found(Some(place))) = self.context.ask(ask).await {
                    self.uncover(&place);
                }
            });
        });
    }

    /// Goes to the next or previous hit of the search.
    pub(super) fn step(self, forward: bool) {
        let search = untrack(|| self.search.get());
        if search.text.is_empty() {
            return self.look_for();
        }
        let n = untrack(|| self.hits.with(|h| h.as_ref().map_or(0, |h| h.listed))) as u32;
        let ask = move |current| TimelineQuery::Search { search: search.clone(), current };
        let query = match untrack(|| self.hit.get()) {
            Some(at) if 0 < n => ask(Current::Number(if forward { (at + 1) % n } else { (at + n - 1) % n })),
            _ => {
                let slice = untrack(|| self.context.selection.with(|s| s.slice));
                let start = untrack(|| self.note.with(|note| note.window.start));
                ask(slice.map_or(Current::Time(start), Current::Slice))
            }
        };
        let again = move |id| ask(Current::Slice(id));
        spawn_while(self.hit, async move {
            let Some(Reply::Search(hits)) = self.context.ask(query).await else { return };
            let beside = if forward { hits.after } else { hits.before };
            let (head, number) = match (hits.at.filter(|_| self.hit.get_untracked().is_some()), beside) {
                (Some(at), _) => (at, hits.current),
                (None, Some(head)) => {
                    // Only the number of the hit is new.
                    let number = match self.context.ask(again(head.id)).await {
                        Some(Reply::Search(hits)) => hits.current,
                        _ => None,
                    };
                    (head, number)
                }
                _ => return,
            };
            self.hit.try_set(number);
            self.go_to(head.id);
        });
    }
}
