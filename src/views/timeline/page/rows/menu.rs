//! Menus of heads, of slices and of the tools: what can be done there.

use super::super::state::TimelineState;
use super::act::Act;
use crate::base::geometry::Point;
use crate::base::number::thousands;
use crate::base::words::{fill, phrase, tr};
use crate::model::id::{SliceId, TrackId};
use crate::ui::overlay::menu::MenuItem;
use crate::ui::spawn_while;
use crate::views::timeline::messages::{Folding, Head, Reply, RowKind, Slice, TimelineQuery, Under};
use leptos::prelude::*;

/// Most hidden rows and linked slices that a menu lists.
const MAX_LISTED: usize = 12;
/// Most categories of flows that a menu lists.
const MAX_FLOWS: usize = 40;
/// DOM id of the button of the menu of flows.
pub const FLOWS: &str = "timeline-flows";
/// DOM id of the button of the menu of all rows.
pub const ROWS: &str = "timeline-rows";

/// A menu in the making.
struct List {
    state: TimelineState,
    items: Vec<MenuItem>,
}

impl List {
    fn new(state: TimelineState) -> Self {
        Self { state, items: Vec::new() }
    }

    fn word(&self, english: &'static str) -> String {
        tr(self.state.context.language.get_untracked(), english).to_owned()
    }

    fn named(&mut self, title: String, aside: impl Into<String>, act: Act) -> &mut MenuItem {
        let state = self.state;
        let at = self.items.len();
        self.items.push(MenuItem::act(title, aside, move || state.act(act.clone())));
        &mut self.items[at]
    }

    fn add(&mut self, title: &'static str, aside: &str, act: Act) {
        let title = self.word(title);
        self.named(title, aside, act);
    }

    /// One of a group, or a switch.
    fn check(&mut self, title: String, aside: String, is_on: bool, act: Act) {
        let item = self.named(title, aside, act);
        *item = item.clone().checked(is_on);
    }

    fn line(&mut self) {
        if self.items.last().is_some_and(|last| !matches!(last, MenuItem::Line)) {
            self.items.push(MenuItem::Line);
        }
    }

    fn title(&mut self, title: &'static str) {
        self.line();
        let title = self.word(title);
        self.items.push(MenuItem::Title(title));
    }

    fn open(mut self, at: Point, label: &'static str) {
        if matches!(self.items.last(), Some(MenuItem::Line)) {
            self.items.pop();
        }
        let label = self.word(label);
        self.state.rows().menus.open_at(at, label, self.items);
    }

    /// What is done to a row.
    fn row(&mut self, head: &Head) {
        let state = self.state;
        let (track, targets) = (head.track, state.targets(head.track));
        let is_pinned = state.pinned.with_untracked(|list| list.contains(&track));
        let pin = if is_pinned { phrase("Unpin") } else { phrase("Pin to the top") };
        self.add(pin, "", Act::Pin(targets.clone(), !is_pinned));
        self.add(phrase("Hide this track"), "", Act::Hide(targets.clone()));
        self.add(phrase("Rename…"), "F2", Act::Rename(track));
        if head.kind == RowKind::Group {
            self.add(phrase("Expand children"), "", Act::Below(track, true));
            self.add(phrase("Collapse children"), "", Act::Below(track, false));
        }
        for (title, keys, is_up) in
            [(phrase("Move up"), "Alt+↑", true), (phrase("Move down"), "Alt+↓", false)]
        {
            if head.siblings[usize::from(!is_up)].is_some() && !head.is_pinned {
                self.add(title, keys, Act::Step(track, is_up));
            }
        }
        let targets: Vec<TrackId> = state.note.with_untracked(|note| {
            let lanes = note.heads.iter().filter(|h| matches!(h.kind, RowKind::Lanes(_)) && !h.is_pinned);
            lanes.map(|h| h.track).filter(|track| targets.contains(track)).collect()
        });
        if targets.contains(&track) && 1 < targets.len() {
            let n = targets.len().to_string();
            let title = fill(&self.word("Merge {n} tracks"), &[("n", &n)]);
            self.named(title, "", Act::Merge(targets));
        }
        if 1 < head.n_tracks {
            self.add(phrase("Split merged tracks"), "", Act::Unmerge(track));
        }
        self.line();
        self.add(phrase("Offset…"), &head.shift, Act::Offset(track));
        if untrack(|| state.rows().offset(track)) != 0 {
            self.add(phrase("Reset offset"), "", Act::Unshift(Some(track)));
        }
    }

    /// What is done to all rows.
    fn all_rows(&mut self) {
        let state = self.state;
        self.line();
        self.add(phrase("Expand all"), "", Act::Fold(Folding::Open));
        self.add(phrase("Collapse all"), "", Act::Fold(Folding::Closed));
        self.title(phrase("Lane height"));
        let is_compact = state.rows().is_compact.get_untracked();
        for (title, value) in [
            (phrase("Automatic"), None),
            (phrase("Comfortable"), Some(false)),
            (phrase("Compact"), Some(true)),
        ] {
            let title = self.word(title);
            self.check(title, String::new(), is_compact == value, Act::Compact(value));
        }
        if state.rows().choices.with_untracked(|c| c.has_sync) {
            self.line();
            let title = self.word("Hide SET and WAIT");
            let is_on = state.rows().display.with_untracked(|display| display.is_sync_hidden);
            self.check(title, String::new(), is_on, Act::Sync);
        }
        let arranged = state.rows().arranged.get_untracked();
        self.line();
        if !(arranged.moved.is_empty() && arranged.merged.is_empty() && arranged.aliases.is_empty()) {
            self.add(phrase("Reset track order and names"), "", Act::Rearrange);
        }
        if !arranged.offsets.is_empty() {
            self.add(phrase("Reset all offsets"), "", Act::Unshift(None));
        }
        let (hidden, n) = state.note.with_untracked(|note| (note.hidden_rows.clone(), note.hidden));
        if 0 < n {
            self.title(phrase("Hidden tracks"));
            let count = thousands(i64::from(n));
            self.add(phrase("Show hidden"), &count, Act::ShowAll);
            for (track, name) in hidden.into_iter().take(MAX_LISTED) {
                self.named(name, "", Act::Show(track));
            }
        }
    }

    /// What is done to a slice.
    fn slice(&mut self, slice: &Slice) {
        let state = self.state;
        let (id, name) = (slice.head.id, &slice.head.name);
        let (base, only) =
            state.rows().display.with_untracked(|display| (display.base, display.only.clone()));
        self.items.push(MenuItem::Title(name.clone()));
        self.add(phrase("Copy name"), "", Act::Copy(name.clone()));
        self.add(phrase("Zoom to selection"), "F", Act::Fit);
        self.add(phrase("Select the slice's time range"), "M", Act::Span);
        self.line();
        match only {
            Some(_) => self.add(phrase("Clear highlight"), "E", Act::Only(None)),
            None => self.add(phrase("Highlight slices with this name"), "E", Act::Only(Some(name.clone()))),
        }
        self.add(phrase("List visible slices with this name"), "", Act::List(name.clone()));
        self.add(phrase("Search for this name"), "", Act::Search(name.clone()));
        self.line();
        if base == Some(id) {
            self.add(phrase("Clear base slice"), "B", Act::Base(None));
        } else {
            self.add(phrase("Set as base slice"), "B", Act::Base(Some(id)));
        }
        if base.is_some_and(|base| base != id) {
            self.add(phrase("Align start with base slice"), "L", Act::Align(id, false));
            self.add(phrase("Align end with base slice"), "R", Act::Align(id, true));
        }
        if !slice.linked.is_empty() {
            self.title(phrase("Linked slices"));
            for link in slice.linked.iter().take(MAX_LISTED) {
                let arrow = if link.is_from { "←" } else { "→" };
                let title = format!("{arrow} {}", link.head.name);
                self.named(title, link.head.track.clone(), Act::Go(link.head.id));
            }
        }
        self.line();
    }

    fn window(&mut self) {
        self.line();
        self.add(phrase("Undo the zoom"), "Backspace", Act::Back);
        self.add(phrase("Zoom to fit"), "Ctrl+0", Act::Everything);
    }
}

impl TimelineState {
    /// The menu of a head.
    pub fn head_menu(self, track: TrackId, at: Point) {
        let Some(head) = self.head_of(track) else { return };
        self.rows().at.set(Some(track));
        let mut list = List::new(self);
        list.row(&head);
        list.all_rows();
        list.open(at, phrase("Row"));
    }

    /// The menu of the tools: what is done to all rows.
    pub fn rows_menu(self) {
        let Some(control) = document().get_element_by_id(ROWS) else { return };
        let mut list = List::new(self);
        list.all_rows();
        list.items.retain({
            let mut is_first = true;
            move |item| !std::mem::take(&mut is_first) || !matches!(item, MenuItem::Line)
        });
        let label = list.word("Tracks");
        self.rows().menus.open_below(&control, label, list.items);
    }

    /// The menu of flows by category, below its button.
    pub fn flow_menu(self) {
        let Some(control) = document().get_element_by_id(FLOWS) else { return };
        let mut list = List::new(self);
        let (flows, off) = (
            self.rows().choices.with_untracked(|c| c.flows.clone()),
            self.rows().display.with_untracked(|display| display.flows_off.clone()),
        );
        list.add(phrase("All"), "", Act::Flows(Vec::new()));
        list.add(phrase("None"), "", Act::Flows(flows.iter().map(|(name, _)| name.clone()).collect()));
        list.line();
        for (name, n) in flows.into_iter().take(MAX_FLOWS) {
            let (is_on, n) = (!off.contains(&name), thousands(n.cast_signed()));
            let title = if name.is_empty() { crate::base::number::MISSING.to_owned() } else { name.clone() };
            list.check(title, n, is_on, Act::Flow(name));
        }
        let label = list.word("Flow categories");
        self.rows().menus.open_below(&control, label, list.items);
    }

    /// The menu of what lies under a point of the lanes; the slice there is selected.
    pub fn lanes_menu(self, at: Point, screen: Point) {
        spawn_while(self.hit, async move {
            let under = self.hit(at).await;
            let id = match &under {
                Some(Under::Slice(head)) => Some(head.id),
                Some(Under::Fold { longest, .. }) => Some(longest.id),
                _ => None,
            };
            let head = self.note.with_untracked(|note| {
                let is_there = |h: &&Head| h.y <= at.y && at.y < h.y + h.h;
                let mut under = note.heads.iter().filter(is_there);
                under.clone().find(|h| h.is_pinned || h.is_sticky).or_else(|| under.next()).cloned()
            });
            self.open_menu(id, head, screen).await;
        });
    }

    /// The menu of the selected slice, by the keyboard; without one that of all rows.
    pub fn selection_menu(self, screen: Point) {
        let id = untrack(|| self.context.selection.with(|s| s.slice));
        spawn_while(self.hit, async move {
            self.open_menu(id, id.and_then(|id| self.head_of(id.track)), screen).await;
        });
    }

    async fn open_menu(self, id: Option<SliceId>, head: Option<Head>, screen: Point) {
        let mut list = List::new(self);
        if let Some(id) = id {
            self.context.selection.update(|s| s.slice = Some(id));
            let ask = TimelineQuery::Slice(id);
            if let Some(Reply::Slice(Some(slice))) = self.context.ask(ask).await {
                list.slice(&slice);
                self.detail.try_set(Some(*slice));
            }
        }
        if let Some(head) = head {
            list.row(&head);
        } else {
            list.all_rows();
        }
        list.window();
        list.open(screen, phrase("Slice and row"));
    }
}
