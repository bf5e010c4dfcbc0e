//! Pointer and keys on the heads: choosing, opening, moving among siblings, scrolling by a finger.

use super::super::LONG;
use super::super::state::TimelineState;
use super::act::Act;
use crate::base::geometry::Point;
use crate::model::id::TrackId;
use crate::ui::capture_pointer;
use crate::views::timeline::messages::Head;
use leptos::ev::{KeyboardEvent, MouseEvent, PointerEvent};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// A pointer that moves less has clicked.
const STILL: f32 = 4.0;

/// A pointer that is down on a head.
#[derive(Clone, Copy, PartialEq)]
struct Held {
    track: Option<TrackId>,
    from: f32,
    scroll: f64,
    is_touch: bool,
    has_moved: bool,
}

/// Pointer and keys on the heads.
#[derive(Clone, Copy)]
pub struct Drag {
    state: TimelineState,
    held: StoredValue<Option<Held>>,
}

impl Drag {
    /// Nothing is held.
    pub fn new(state: TimelineState) -> Self {
        Self { state, held: StoredValue::new(None) }
    }

    /// Takes a press.
    pub fn down(self, event: &PointerEvent) {
        let has_own_use = element(event).is_some_and(|e| e.closest("button, input").ok().flatten().is_some());
        if event.button() != 0 || has_own_use {
            return;
        }
        capture_pointer(event);
        let held = Held {
            track: track_of(event),
            from: height(event),
            scroll: untrack(|| self.state.scroll.get()),
            is_touch: event.pointer_type() == "touch",
            has_moved: false,
        };
        self.held.set_value(Some(held));
        if held.is_touch {
            self.await_long_press(held, Point { x: event.client_x() as f32, y: event.client_y() as f32 });
        }
    }

    /// Opens the menu when the finger still rests where it is after a while.
    fn await_long_press(self, held: Held, screen: Point) {
        set_timeout(
            move || {
                let now = self.held.try_get_value().flatten();
                if let Some(track) = held.track.filter(|_| now == Some(held)) {
                    self.held.set_value(None);
                    self.state.head_menu(track, screen);
                }
            },
            LONG,
        );
    }

    /// Takes a move.
    pub fn moved(self, event: &PointerEvent) {
        let Some(mut held) = self.held.get_value() else { return };
        let y = height(event);
        held.has_moved |= STILL < (y - held.from).abs();
        self.held.set_value(Some(held));
        if !held.has_moved {
            return;
        }
        if held.is_touch {
            let most = untrack(|| self.state.note.with(|n| n.max_scroll));
            self.state.scroll.set((held.scroll + f64::from(held.from - y)).clamp(0.0, most));
        } else if let Some(track) = held.track {
            self.state.rows().drop_at.set(self.place(track, y).map(|place| place.0));
        }
    }

    /// Takes the end of a press.
    pub fn up(self, event: &PointerEvent, is_cancelled: bool) {
        let Some(held) = self.held.get_value() else { return };
        self.held.set_value(None);
        self.state.rows().drop_at.set(None);
        let Some(track) = held.track.filter(|_| !is_cancelled) else { return };
        if !held.has_moved {
            self.choose(track, event.ctrl_key() || event.meta_key(), event.shift_key());
        } else if !held.is_touch
            && let Some((_, before)) = self.place(track, height(event))
        {
            self.state.move_row(track, before);
        }
    }

    /// Where a head would be dropped at a height: top edge of the line, and the sibling it would stand before.
    fn place(self, track: TrackId, y: f32) -> Option<(f32, Option<TrackId>)> {
        let heads = self.state.note.with_untracked(|note| note.heads.clone());
        let own = heads.iter().find(|h| h.track == track && !h.is_pinned)?;
        let is_sibling = |h: &&Head| h.parent == own.parent && !h.is_pinned;
        let siblings: Vec<&Head> = heads.iter().filter(is_sibling).collect();
        let mut end = own.y;
        for head in &siblings {
            // A sibling reaches to the end of what is below it.
            let below = heads.iter().filter(|h| !h.is_pinned && head.y <= h.y);
            let next = siblings.iter().filter(|h| head.y < h.y).map(|h| h.y).fold(f32::MAX, f32::min);
            let bottom = below.filter(|h| h.y < next && (head.track == h.track || head.level < h.level));
            end = bottom.map(|h| h.y + h.h).fold(head.y + head.h, f32::max);
            if y < f32::midpoint(head.y, end) {
                return Some((head.y, Some(head.track)));
            }
        }
        let last = siblings.last()?;
        Some((end, last.siblings[1]))
    }

    fn choose(self, track: TrackId, adds: bool, extends: bool) {
        let rows = self.state.rows();
        let from = rows.at.get_untracked();
        let heads =
            self.state.note.with_untracked(|note| note.heads.iter().map(|h| h.track).collect::<Vec<_>>());
        let place = |track: TrackId| heads.iter().position(|&t| t == track);
        let range = from.and_then(place).zip(place(track)).filter(|_| extends);
        rows.chosen.update(|list| {
            if let Some((a, b)) = range {
                list.clear();
                list.extend(&heads[a.min(b)..=a.max(b)]);
            } else if !adds {
                list.clear();
                list.push(track);
            } else if list.contains(&track) {
                list.retain(|t| *t != track);
            } else {
                list.push(track);
            }
        });
        if !extends {
            rows.at.set(Some(track));
        }
    }

    /// The menu of the head under the pointer.
    pub fn menu(self, event: &MouseEvent) {
        let Some(track) = track_of(event) else { return };
        event.prevent_default();
        if self.state.rows().menus.is_any_open() {
            return; // by the finger that still rests there
        }
        self.held.set_value(None);
        self.state.head_menu(track, Point { x: event.client_x() as f32, y: event.client_y() as f32 });
    }

    /// Keys of the heads; what is not ours goes on to the lanes.
    pub fn key(self, event: &KeyboardEvent) {
        let is_typing = element(event).is_some_and(|e| e.tag_name() == "INPUT");
        if is_typing || event.ctrl_key() || event.meta_key() {
            return;
        }
        let (state, rows) = (self.state, self.state.rows());
        let heads = state.note.with_untracked(|note| note.heads.clone());
        let at = rows.at.get_untracked().and_then(|track| heads.iter().position(|h| h.track == track));
        let head = at.map(|at| &heads[at]);
        match (event.key().as_str(), head) {
            ("ArrowUp" | "ArrowDown", Some(head)) if event.alt_key() => {
                state.step_row(head.track, event.key() == "ArrowUp");
            }
            ("ArrowDown", _) => self.go(&heads, at.map_or(0, |at| at + 1)),
            ("ArrowUp", _) => self.go(&heads, at.map_or(0, |at| at.wrapping_sub(1))),
            ("ArrowRight", Some(head)) if head.can_open && !head.is_open => state.toggle(head.track, false),
            ("ArrowLeft", Some(head)) if head.can_open && head.is_open => state.toggle(head.track, true),
            ("ArrowLeft", Some(head)) => rows.at.set(head.parent.or(Some(head.track))),
            ("Enter", Some(head)) if head.can_open => state.toggle(head.track, head.is_open),
            (" ", Some(head)) => self.choose(head.track, true, event.shift_key()),
            ("F2", Some(head)) => state.act(Act::Rename(head.track)),
            ("Delete", Some(head)) => state.act(Act::Hide(state.targets(head.track))),
            ("ContextMenu", Some(head)) => state.head_menu(head.track, Self::corner(event, head)),
            ("F10", Some(head)) if event.shift_key() => {
                state.head_menu(head.track, Self::corner(event, head));
            }
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    }

    /// Makes a head on screen the one that keys are about; beyond the ends the rows scroll.
    fn go(self, heads: &[Head], to: usize) {
        match heads.get(to) {
            Some(head) => {
                self.state.rows().at.set(Some(head.track));
                let bottom = untrack(|| self.state.extent.get().size.h);
                let beyond = head.y + head.h - bottom;
                if 0.0 < beyond {
                    self.state.scroll_by(f64::from(beyond));
                }
            }
            None => self.state.scroll_by(if to == usize::MAX { -44.0 } else { 44.0 }),
        }
    }

    /// Where the menu of a head opens by the keyboard.
    fn corner(event: &KeyboardEvent, head: &Head) -> Point {
        let list = event.current_target().and_then(|t| t.dyn_into::<web_sys::Element>().ok());
        let corner = list.map(|list| list.get_bounding_client_rect());
        let (x, y) = corner.map_or((0.0, 0.0), |rect| (rect.left(), rect.top()));
        Point { x: x as f32 + 24.0, y: y as f32 + head.y + head.h }
    }
}

/// The element an event is about.
fn element(event: &web_sys::Event) -> Option<web_sys::Element> {
    event.target().and_then(|t| t.dyn_into::<web_sys::Element>().ok())
}

/// The track of the head an event is about.
fn track_of(event: &web_sys::Event) -> Option<TrackId> {
    let row = element(event)?.closest("[data-track]").ok().flatten()?;
    row.get_attribute("data-track")?.parse().ok().map(TrackId)
}

/// How far below the top of the heads the pointer is.
fn height(event: &PointerEvent) -> f32 {
    let list = event.current_target().and_then(|t| t.dyn_into::<web_sys::Element>().ok());
    let top = list.map_or(0.0, |list| list.get_bounding_client_rect().top());
    (f64::from(event.client_y()) - top) as f32
}
