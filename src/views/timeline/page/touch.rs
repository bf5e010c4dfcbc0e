//! Fingers on the lanes: one moves, two zoom and move, a long press opens the menu; a tap selects.

use super::gestures::{Gestures, Press, STILL};
use crate::base::geometry::Point;
use crate::base::window::Window;
use leptos::ev::PointerEvent;
use leptos::prelude::*;
use std::time::Duration;

/// A finger that rests so long opens the menu.
pub(super) const LONG: Duration = Duration::from_millis(500);

/// Distance of two fingers, and the middle between them from the left edge.
fn fingers(down: &[(i32, (f64, f64))]) -> Option<(f64, f64)> {
    let [(_, a), (_, b)] = down else { return None };
    Some(((a.0 - b.0).hypot(a.1 - b.1).max(8.0), f64::midpoint(a.0, b.0)))
}

impl Gestures {
    /// What two fingers begin; `None` when there are not two.
    pub(super) fn pinch_from(self, window: Window) -> Option<Press> {
        let (distance, middle) = self.down.with_value(|down| fingers(down))?;
        Some(Press::Pinch { distance, middle, window })
    }

    /// Zooms by the distance of the fingers; what was between them stays between them.
    pub(super) fn pinch(self, distance: f64, middle: f64, window: Window) {
        let Some((now, at)) = self.down.with_value(|down| fingers(down)) else { return };
        let width = self.width();
        let zoomed = window.zoomed(now / distance, (middle / width).clamp(0.0, 1.0));
        self.state.drift(zoomed.moved((middle - at) / width * zoomed.dur));
    }

    /// A finger that stays after another was lifted goes on moving the picture.
    pub(super) fn goes_on(self) -> Option<Press> {
        let down = self.down.get_value();
        let [(_, from)] = down[..] else { return None };
        let scroll = untrack(|| self.state.scroll.get());
        // It does not begin where it came down: that it moved is already said.
        Some(Press::Pan { from, window: self.state.window()?, scroll, has_moved: true })
    }

    /// Opens the menu when the finger still rests where it is after a while.
    pub(super) fn await_long_press(self, event: &PointerEvent, at: (f64, f64)) {
        let screen = Point { x: event.client_x() as f32, y: event.client_y() as f32 };
        let id = event.pointer_id();
        self.presses.after(LONG, move || {
            let rests = self.down.try_with_value(|down| {
                matches!(down[..], [(own, now)] if own == id && (now.0 - at.0).hypot(now.1 - at.1) < STILL)
            });
            if rests == Some(true) {
                self.open_menu(at, screen);
            }
        });
    }

    /// Opens the menu of what lies there; the press that opened it does nothing else.
    pub(super) fn open_menu(self, at: (f64, f64), screen: Point) {
        self.presses.begin();
        self.press.set(None);
        self.tooltips.hide();
        self.state.lanes_menu(Point { x: at.0 as f32, y: at.1 as f32 }, screen);
    }
}
