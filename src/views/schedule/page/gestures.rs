//! Pointer, wheel and keys on the picture of a schedule.

use super::detail::facts;
use super::state::State;
use crate::base::geometry::Point;
use crate::pane::surface::local;
use crate::ui::latest::{Latest, OneAtATime};
use crate::ui::overlay::tooltip::{Tip, Tooltips, tooltips};
use crate::views::schedule::scene::{HEADS, RULER, STRIP, UnitOrder};
use leptos::ev::{KeyboardEvent, PointerEvent, WheelEvent};
use leptos::prelude::*;
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
    /// Whether it chooses a stretch of time.
    is_range: bool,
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
        self.press.get().is_some_and(|press| press.has_moved && !press.is_range)
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
        let (window, scroll) = self.state.note.with_untracked(|note| (note.window, note.scroll.0));
        let from = local(event);
        let is_range = event.alt_key() || (from.1 < f64::from(STRIP + RULER) && f64::from(HEADS) < from.0);
        self.press.set(Some(Press { from, window, scroll, has_moved: false, is_range }));
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
        if press.is_range {
            return self.state.choose_range(self.share(press.from.0), self.share(at.0));
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
        match press {
            Some(Press { has_moved: false, is_range: true, .. }) => self.state.range.set(None),
            Some(Press { has_moved: false, .. }) => self.click(local(event)),
            _ => {}
        }
    }

    fn click(self, (x, y): (f64, f64)) {
        let state = self.state;
        let is_head = f64::from(STRIP) <= y && y < f64::from(STRIP + RULER) && x < f64::from(HEADS);
        if is_head {
            let is_by_running = f64::from(HEADS) / 2.0 < x;
            return state.order.update(|order| {
                // What is sorted first by what it runs shows the busiest unit first.
                let turned = order.is_by_running == is_by_running;
                let is_descending = if turned { !order.is_descending } else { is_by_running };
                *order = UnitOrder { is_by_running, is_descending };
            });
        }
        self.clicks.ask(state.under(Point { x: x as f32, y: y as f32 }), move |(block, _)| {
            state.selected.try_set(block.map(|block| block.row));
        });
    }

    pub(super) fn cancel(self) {
        self.press.set(None);
        self.tooltips.hide();
    }

    pub(super) fn leave(self) {
        self.asking.forget();
        self.tooltips.hide();
        self.state.pointer.set(None);
    }

    /// Asks what lies under the pointer; one question at a time, the newest waits.
    fn hover(self, at: (f64, f64), screen: Point) {
        let next = (Point { x: at.0 as f32, y: at.1 as f32 }, screen);
        self.asking.ask(next, move |(point, screen)| async move {
            let (block, resident) = self.state.under(point).await;
            let Some(language) = self.state.context.language.try_get_untracked() else { return };
            let area = self.state.note.try_with_untracked(|note| note.area).unwrap_or_default();
            let is_inside = area.x <= point.x && point.x < area.right();
            self.state.pointer.try_set(is_inside.then_some((f64::from(point.x), resident)));
            let head = self.state.head.try_get_untracked().flatten();
            match block.zip(head) {
                Some((block, head)) => {
                    let (title, mut rows) = facts(&block, &head, language);
                    rows.truncate(7);
                    let tip = Tip { title, swatch: Some(block.color), rows, ..Tip::default() };
                    self.tooltips.show(screen, tip);
                }
                None => self.tooltips.hide(),
            }
        });
    }

    /// Keys of the picture; what is not ours goes on to the page.
    pub(super) fn key(self, event: &KeyboardEvent) {
        let (state, share) = (self.state, self.around.get_value());
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        self.tooltips.hide();
        match event.key().to_lowercase().as_str() {
            "w" | "+" | "=" => state.zoom(1.5, share),
            "s" | "-" => state.zoom(1.0 / 1.5, share),
            "a" => state.pan(-0.15),
            "d" => state.pan(0.15),
            "arrowleft" => state.beside(false),
            "arrowright" => state.beside(true),
            "enter" if event.target() == event.current_target() => state.open(),
            "arrowup" => state.scroll_by(-48.0),
            "arrowdown" => state.scroll_by(48.0),
            "pageup" => state.scroll_by(-400.0),
            "pagedown" => state.scroll_by(400.0),
            "0" | "home" => state.show_all(),
            "[" => state.step(true),
            "]" => state.step(false),
            "q" => state.folded.update(|folded| *folded = !*folded),
            "escape" if state.selected.with_untracked(Option::is_none) => state.range.set(None),
            "escape" => state.selected.set(None),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    }
}
