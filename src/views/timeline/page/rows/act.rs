//! What menus and keys do to rows and slices, as data: one closure serves all rows of all menus.

use super::super::state::{Panel, TimelineState};
use crate::base::time::Ticks;
use crate::base::words::{phrase, tr};
use crate::model::id::{SliceId, TrackId};
use crate::ui::spawn_while;
use crate::views::timeline::messages::{FlowsShown, Folding, Reply, TimelineQuery};
use leptos::prelude::*;

/// Something to do.
#[derive(Clone)]
pub enum Act {
    Pin(Vec<TrackId>, bool),
    Hide(Vec<TrackId>),
    Show(TrackId),
    ShowAll,
    Rename(TrackId),
    /// Opens or closes a row and everything below it.
    Below(TrackId, bool),
    /// Opens or closes all groups.
    Fold(Folding),
    Compact(Option<bool>),
    Merge(Vec<TrackId>),
    Unmerge(TrackId),
    Offset(TrackId),
    Unshift(Option<TrackId>),
    Step(TrackId, bool),
    /// Gives order, names and merged rows of the file back.
    Rearrange,
    Copy(String),
    /// Lets slices of one name stand out, or all.
    Only(Option<String>),
    /// Lists the slices of a name in the window.
    List(String),
    Search(String),
    Fit,
    /// Selects the time of the slice, or gives it up.
    Span,
    Base(Option<SliceId>),
    Align(SliceId, bool),
    Go(SliceId),
    Back,
    Everything,
    Sync,
    /// Shows or leaves out a category of flows.
    Flow(String),
    Flows(Vec<String>),
}

impl TimelineState {
    /// Does it.
    pub fn act(self, act: Act) {
        let rest = self.act_on_rows(act).and_then(|act| self.act_on_order(act));
        if let Some(act) = rest.and_then(|act| self.act_on_look(act)) {
            self.act_on_slices(act);
        }
    }

    /// Does what is about which rows are shown and how high; gives back what is not.
    fn act_on_rows(self, act: Act) -> Option<Act> {
        let rows = self.rows();
        match act {
            Act::Pin(tracks, is_on) => self.pinned.update(|list| {
                list.retain(|t| !tracks.contains(t));
                if is_on {
                    list.extend(tracks);
                }
            }),
            Act::Hide(tracks) => {
                rows.chosen.set(Vec::new());
                self.hidden.update(|list| list.extend(tracks));
            }
            Act::Show(track) => self.hidden.update(|list| list.retain(|t| *t != track)),
            Act::ShowAll => self.hidden.set(Vec::new()),
            Act::Rename(track) => {
                rows.renaming.set(Some(track));
                request_animation_frame(super::heads::write_name);
            }
            Act::Below(track, is_open) => self.open_below(track, is_open),
            Act::Fold(folding) => {
                self.opened.set(Vec::new());
                self.closed.set(Vec::new());
                self.folding.set(folding);
            }
            Act::Compact(is_compact) => rows.is_compact.set(is_compact),
            other => return Some(other),
        }
        None
    }

    /// Does what is about order, names, merged rows and offsets; gives back what is not.
    fn act_on_order(self, act: Act) -> Option<Act> {
        let rows = self.rows();
        match act {
            Act::Merge(tracks) => rows.arranged.update(|rows| {
                rows.merged.retain(|list| !list.iter().any(|t| tracks.contains(t)));
                rows.merged.push(tracks);
            }),
            Act::Unmerge(track) => {
                rows.arranged.update(|rows| rows.merged.retain(|list| !list.contains(&track)));
            }
            Act::Offset(track) => rows.shifting.set(Some(track)),
            Act::Unshift(track) => rows.arranged.update(|rows| match track {
                Some(track) => rows.offsets.retain(|(of, _)| *of != track),
                None => rows.offsets.clear(),
            }),
            Act::Step(track, is_up) => self.step_row(track, is_up),
            Act::Rearrange => rows.arranged.update(|rows| {
                rows.moved.clear();
                rows.merged.clear();
                rows.aliases.clear();
            }),
            other => return Some(other),
        }
        None
    }

    /// Does what is about what stands out or is left out; gives back what is not.
    fn act_on_look(self, act: Act) -> Option<Act> {
        let rows = self.rows();
        match act {
            Act::Sync => rows.display.update(|display| display.is_sync_hidden = !display.is_sync_hidden),
            Act::Flow(category) => {
                rows.display.update(|display| {
                    let before = display.flows_off.len();
                    display.flows_off.retain(|c| *c != category);
                    if display.flows_off.len() == before {
                        display.flows_off.push(category);
                    }
                });
                self.flow_menu();
            }
            Act::Flows(off) => {
                rows.display.update(|display| display.flows_off = off);
                if self.flows.get_untracked() == FlowsShown::None {
                    self.flows.set(FlowsShown::All);
                }
                self.flow_menu();
            }
            Act::Only(name) => rows.display.update(|display| display.only = name),
            Act::Base(slice) => rows.display.update(|display| display.base = slice),
            other => return Some(other),
        }
        None
    }

    /// Does what is about a slice and the window.
    fn act_on_slices(self, act: Act) {
        match act {
            Act::Copy(text) => {
                let context = self.context;
                crate::ui::copy_text(&text, move |is_done| {
                    let words =
                        if is_done { phrase("Copied") } else { phrase("The browser blocked copying") };
                    context.say.run((tr(context.language.get_untracked(), words).to_owned(), !is_done));
                });
            }
            Act::List(name) => {
                let Some(span) = self.window().map(crate::base::window::Window::span) else { return };
                self.context.selection.update(|s| {
                    s.range = Some(span);
                    s.tracks.clear();
                });
                self.name.set(Some(name));
                self.folded.set(false);
                self.side.set(Panel::Slices);
            }
            Act::Search(name) => {
                self.search.update(|s| {
                    s.text = name;
                    s.is_pattern = false;
                });
                self.folded.set(false);
                self.side.set(Panel::Search);
            }
            Act::Fit => self.fit_selection(),
            Act::Span => {
                let span = untrack(|| self.detail.with(|d| d.as_ref().map(|d| d.head.span)));
                let span = span.filter(|span| !span.is_empty());
                self.context.selection.update(|s| s.range = if s.range == span { None } else { span });
            }
            Act::Align(slice, is_end) => self.align(slice, is_end),
            Act::Go(slice) => self.go_to(slice),
            Act::Back => self.go_back(false),
            Act::Everything => self.reset(),
            _ => {}
        }
    }

    fn open_below(self, track: TrackId, is_open: bool) {
        spawn_while(self.hit, async move {
            let ask = TimelineQuery::Below(track);
            let Some(Reply::Tracks(tracks)) = self.context.ask(ask).await else { return };
            let (to, from) = if is_open { (self.opened, self.closed) } else { (self.closed, self.opened) };
            from.update(|list| list.retain(|t| !tracks.contains(t)));
            to.update(|list| {
                list.retain(|t| !tracks.contains(t));
                list.extend(tracks);
            });
        });
    }

    /// Shifts the group of a slice so that it starts or ends with the base slice.
    fn align(self, id: SliceId, is_end: bool) {
        let context = self.context;
        let say = move |words: &'static str| {
            context.say.run((tr(context.language.get_untracked(), words).to_owned(), false));
        };
        let Some(base) = self.rows().display.with_untracked(|display| display.base) else {
            return say(phrase("Set a base slice first: select a slice and press B."));
        };
        spawn_while(self.hit, async move {
            let ask = TimelineQuery::Align { id, base, is_end };
            match context.ask(ask).await {
                Some(Reply::Aligned(Some((group, by)))) => {
                    let now: Ticks = untrack(|| self.rows().offset(group));
                    self.set_offset(group, now.saturating_add(by));
                }
                _ => say(phrase("Only slices in other groups can be aligned with the base slice.")),
            }
        });
    }

    /// Keys that act on the selected slice; whether it was one of them.
    pub fn slice_key(self, key: &str) -> bool {
        let slice = untrack(|| self.context.selection.with(|s| s.slice));
        let act = match (key, slice) {
            ("b", _) => {
                let base = self.rows().display.with_untracked(|display| display.base);
                Act::Base(slice.filter(|_| slice != base))
            }
            ("l" | "r", Some(slice)) => Act::Align(slice, key == "r"),
            ("e", _) => {
                let name = untrack(|| self.detail.with(|d| d.as_ref().map(|d| d.head.name.clone())));
                let only = self.rows().display.with_untracked(|display| display.only.clone());
                Act::Only(name.filter(|_| only.is_none()))
            }
            _ => return false,
        };
        self.act(act);
        true
    }
}
