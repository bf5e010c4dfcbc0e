//! Pointer, wheel and keys on the picture of executions.

use super::detail::facts;
use super::state::State;
use crate::base::geometry::Point;
use crate::pane::lanes::LaneMeaning;
use crate::ui::overlay::{Tip, Tooltips, tooltips};
use crate::ui::{Latest, OneAtATime};
use crate::views::executions::messages::{Hit, Kind, Under};
use leptos::ev::{KeyboardEvent, PointerEvent, WheelEvent};
use leptos::prelude::*;
use leptos::reactive::traits::IsDisposed;

/// Pointer, wheel and keys.
#[derive(Clone, Copy)]
pub(super) struct Gestures {
    state: State,
    tooltips: Tooltips,
    /// What lies under the pointer.
    asking: OneAtATime<(Point, Point)>,
    clicks: Latest,
}

impl Gestures {
    pub(super) fn new(state: State) -> Self {
        Self { state, tooltips: tooltips(), asking: OneAtATime::default(), clicks: Latest::default() }
    }

    pub(super) fn wheel(self, event: &WheelEvent) {
        self.state.lanes.wheel(event);
        self.tooltips.hide();
    }

    pub(super) fn down(self, event: &PointerEvent) {
        let lanes = self.state.lanes;
        let is_overview = |(x, y): (f64, f64)| {
            let (area, pair) = self.state.note.with_untracked(|note| (note.area, note.pair));
            // The overview and the ruler stand above the pair, or above the lanes.
            let is_overview = y < f64::from(pair.y) && f64::from(area.x) <= x;
            if is_overview {
                lanes.see_share(lanes.share(x));
            }
            is_overview
        };
        if lanes.down(event, is_overview) {
            self.tooltips.hide();
        }
    }

    pub(super) fn moved(self, event: &PointerEvent) {
        match self.state.lanes.moved(event) {
            LaneMeaning::At(at) => {
                self.hover(at, Point { x: event.client_x() as f32, y: event.client_y() as f32 });
            }
            LaneMeaning::Own(_, to) => self.state.lanes.see_share(to),
            LaneMeaning::Nothing => {}
        }
    }

    pub(super) fn up(self, event: &PointerEvent) {
        if let LaneMeaning::At(at) = self.state.lanes.up(event) {
            self.click(at, event.shift_key());
        }
    }

    fn click(self, at: Point, compares: bool) {
        let state = self.state;
        let compares = compares || state.is_choosing.get_untracked();
        self.clicks.ask(state.under(at), move |under| {
            if state.selected.is_disposed() {
                return;
            }
            match under.map(|under| under.hit) {
                Some(Hit::Group(group)) => state.folding.update(|folding| folding.turn(group)),
                Some(Hit::Thread(thread) | Hit::Execution(thread, _)) if compares => {
                    state.compare_with(thread);
                }
                Some(Hit::Thread(thread)) => {
                    state.selected.set(None);
                    state.choose_thread(Some(thread));
                }
                Some(Hit::Execution(thread, execution)) => {
                    state.row.set(None);
                    state.choose_thread(Some(thread));
                    state.selected.set(Some(execution));
                }
                Some(Hit::Overview(_)) => {}
                None => state.selected.set(None),
            }
        });
    }

    pub(super) fn cancel(self) {
        self.state.lanes.cancel();
        self.tooltips.hide();
    }

    pub(super) fn leave(self) {
        self.asking.forget();
        self.tooltips.hide();
    }

    /// Asks what lies under the pointer; one question at a time, the newest waits.
    fn hover(self, at: Point, screen: Point) {
        self.asking.ask((at, screen), move |(point, screen)| async move {
            let under = self.state.under(point).await;
            match under {
                Some(Under { execution: Some(execution), name, color, .. }) => {
                    let Some(language) = self.state.context.language.try_get_untracked() else { return };
                    let lanes =
                        self.state.head.try_with_untracked(|head| head.as_ref().map_or(32, |h| h.lanes));
                    let mut rows = facts(&execution, lanes.unwrap_or(32), language);
                    rows.truncate(7);
                    let title = format!("{} · {name}", execution.block);
                    self.tooltips.show(screen, Tip { title, swatch: color, rows, ..Tip::default() });
                }
                _ => self.tooltips.hide(),
            }
        });
    }

    /// Keys of the picture; what is not ours goes on to the page.
    pub(super) fn key(self, event: &KeyboardEvent) {
        let (state, is_forward) = (self.state, !event.shift_key());
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        self.tooltips.hide();
        match event.key().to_lowercase().as_str() {
            key @ ("arrowleft" | "arrowright") => state.beside(key == "arrowright"),
            "enter" if event.target() == event.current_target() => state.open(),
            "," => state.next(false),
            "." => state.next(true),
            "[" => state.step(Kind::Block, false),
            "]" => state.step(Kind::Block, true),
            "n" => state.step(Kind::Divergent, is_forward),
            "u" => state.step(Kind::Uncoalesced, is_forward),
            "p" => state.compare_nearest(),
            "q" => state.folded.update(|folded| *folded = !*folded),
            "escape" if state.is_choosing.get_untracked() => state.is_choosing.set(false),
            "escape" if state.selected.with_untracked(Option::is_none) => state.other.set(None),
            "escape" => state.selected.set(None),
            _ if state.lanes.key(event) => {}
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    }
}
