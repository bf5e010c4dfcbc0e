//! Pointer, wheel and keys on the picture of executions.

use super::detail::facts;
use super::state::State;
use crate::base::geometry::Point;
use crate::pane::local;
use crate::ui::overlay::{Tip, Tooltips, tooltips};
use crate::ui::{Latest, OneAtATime};
use crate::views::executions::messages::{Hit, Kind, Under};
use leptos::ev::{KeyboardEvent, PointerEvent, WheelEvent};
use leptos::prelude::*;
use leptos::reactive::traits::IsDisposed;
use wasm_bindgen::JsCast;

/// One notch of a wheel zooms by this factor.
const NOTCH: f64 = 1.25;
/// A pointer that moves less has clicked.
const STILL: f64 = 4.0;

/// The picture as it was when the pointer was pressed.
#[derive(Clone, Copy)]
struct Press {
    from: (f64, f64),
    window: (f64, f64),
    scroll: f64,
    has_moved: bool,
    /// Whether it moves what is seen in the overview.
    is_overview: bool,
}

/// Pointer, wheel and keys.
#[derive(Clone, Copy)]
pub(super) struct Gestures {
    state: State,
    tooltips: Tooltips,
    press: RwSignal<Option<Press>>,
    /// What lies under the pointer.
    asking: OneAtATime<(Point, Point)>,
    /// What was clicked.
    clicks: Latest,
    /// Place of the pointer among the lanes, 0 to 1 of their width.
    around: StoredValue<f64>,
}

impl Gestures {
    pub(super) fn new(state: State) -> Self {
        Self {
            state,
            tooltips: tooltips(),
            press: RwSignal::new(None),
            asking: OneAtATime::default(),
            clicks: Latest::default(),
            around: StoredValue::new(0.5),
        }
    }

    pub(super) fn is_moving(self) -> bool {
        self.press.get().is_some_and(|press| press.has_moved && !press.is_overview)
    }

    /// Where a place is among the lanes, 0 to 1 of their width.
    fn share(self, x: f64) -> f64 {
        let area = self.state.note.with_untracked(|note| note.area);
        ((x - f64::from(area.x)) / f64::from(area.w.max(1.0))).clamp(0.0, 1.0)
    }

    fn width(self) -> f64 {
        self.state.note.with_untracked(|note| f64::from(note.area.w.max(1.0)))
    }

    pub(super) fn wheel(self, event: &WheelEvent) {
        event.prevent_default();
        // Lines and pages become pixels.
        let unit = match event.delta_mode() {
            1 => 16.0,
            2 => 400.0,
            _ => 1.0,
        };
        let (dx, dy) = (event.delta_x() * unit, event.delta_y() * unit);
        if event.ctrl_key() || event.meta_key() {
            self.state.zoom(NOTCH.powf(-dy / 100.0), self.share(local(event).0));
        } else if event.shift_key() || dy.abs() < dx.abs() {
            self.state.pan((if dx == 0.0 { dy } else { dx }) / self.width());
        } else {
            self.state.scroll_by(dy);
        }
        self.tooltips.hide();
    }

    pub(super) fn down(self, event: &PointerEvent) {
        if event.button() != 0 && event.button() != 1 {
            return;
        }
        if let Some(target) = event.current_target().and_then(|t| t.dyn_into::<web_sys::Element>().ok()) {
            let _ = target.set_pointer_capture(event.pointer_id());
        }
        self.tooltips.hide();
        let (window, scroll, area, pair) =
            self.state.note.with_untracked(|note| (note.window, note.scroll.0, note.area, note.pair));
        let from = local(event);
        // The overview and the ruler stand above the pair, or above the lanes.
        let is_overview = from.1 < f64::from(pair.y) && f64::from(area.x) <= from.0;
        self.press.set(Some(Press { from, window, scroll, has_moved: false, is_overview }));
        if is_overview {
            self.state.see_share(self.share(from.0));
        }
    }

    pub(super) fn moved(self, event: &PointerEvent) {
        let at = local(event);
        self.around.set_value(self.share(at.0));
        let Some(press) = self.press.get_untracked() else {
            return self.hover(at, Point { x: event.client_x() as f32, y: event.client_y() as f32 });
        };
        let (dx, dy) = (at.0 - press.from.0, at.1 - press.from.1);
        if !press.has_moved && dx.hypot(dy) < STILL {
            return;
        }
        self.press.set(Some(Press { has_moved: true, ..press }));
        if press.is_overview {
            return self.state.see_share(self.share(at.0));
        }
        let width = press.window.1 - press.window.0;
        if self.state.window.with_untracked(Option::is_some) {
            self.state.see(press.window.0 - dx / self.width() * width, width);
        }
        let most = self.state.note.with_untracked(|note| note.scroll.1);
        self.state.scroll.set((press.scroll - dy).clamp(0.0, most));
    }

    pub(super) fn up(self, event: &PointerEvent) {
        let press = self.press.get_untracked();
        self.press.set(None);
        if let Some(Press { has_moved: false, is_overview: false, .. }) = press {
            self.click(local(event), event.shift_key());
        }
    }

    fn click(self, (x, y): (f64, f64), compares: bool) {
        let state = self.state;
        let compares = compares || state.is_choosing.get_untracked();
        self.clicks.ask(state.under(Point { x: x as f32, y: y as f32 }), move |under| {
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
        self.press.set(None);
        self.tooltips.hide();
    }

    pub(super) fn leave(self) {
        self.asking.forget();
        self.tooltips.hide();
    }

    /// Asks what lies under the pointer; one question at a time, the newest waits.
    fn hover(self, at: (f64, f64), screen: Point) {
        let next = (Point { x: at.0 as f32, y: at.1 as f32 }, screen);
        self.asking.ask(next, move |(point, screen)| async move {
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
        let (state, share, is_forward) = (self.state, self.around.get_value(), !event.shift_key());
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        self.tooltips.hide();
        match event.key().to_lowercase().as_str() {
            "w" | "+" | "=" => state.zoom(1.5, share),
            "s" | "-" => state.zoom(1.0 / 1.5, share),
            "a" => state.pan(-0.15),
            "d" => state.pan(0.15),
            key @ ("arrowleft" | "arrowright") => state.beside(key == "arrowright"),
            "enter" if event.target() == event.current_target() => state.open(),
            "arrowup" => state.scroll_by(-48.0),
            "arrowdown" => state.scroll_by(48.0),
            "pageup" => state.scroll_by(-400.0),
            "pagedown" => state.scroll_by(400.0),
            "0" | "home" => state.show_all(),
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
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    }
}
