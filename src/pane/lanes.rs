//! Lanes below each other along an axis: what is seen of them, and how pointer, wheel and keys move that.
//!
//! The wheel scrolls, Ctrl+wheel zooms at the pointer, Shift+wheel and dragging move. Windows count in units of the axis,
//! from 0 on.

use crate::base::geometry::{Point, Rect};
use crate::pane::gestures::{Meaning, NOTCH, STILL, Viewport};
use crate::pane::{local, wheel_pixels};
use crate::ui::capture_pointer;
use leptos::ev::{KeyboardEvent, PointerEvent, WheelEvent};
use leptos::prelude::*;

/// What was drawn last.
#[derive(Clone, Copy, Default, PartialEq)]
pub struct DrawnLanes {
    /// Where lanes are drawn.
    pub area: Rect,
    /// What is seen of the axis.
    pub window: (f64, f64),
    /// Where the axis ends.
    pub length: f64,
    /// How far lanes are scrolled, and the most that they can be, in pixels.
    pub scroll: (f64, f64),
}

/// The picture as it was when the pointer was pressed.
#[derive(Clone, Copy)]
struct Press {
    from: (f64, f64),
    window: (f64, f64),
    scroll: f64,
    has_moved: bool,
    /// Whether the view does something of its own with it.
    is_own: bool,
}

/// What is seen, and the pointer.
#[derive(Clone, Copy)]
pub struct Lanes {
    /// What is wanted of the axis; `None` is all.
    pub window: RwSignal<Option<(f64, f64)>>,
    /// How far lanes are scrolled, in pixels.
    pub scroll: RwSignal<f64>,
    drawn: Signal<DrawnLanes>,
    /// No window is narrower.
    least: f64,
    press: RwSignal<Option<Press>>,
    /// Place of the pointer, 0 to 1 of the width of the lanes.
    around: StoredValue<f64>,
}

impl Lanes {
    /// All of the axis is seen, from the first lane on.
    pub fn new(drawn: Signal<DrawnLanes>, least: f64) -> Self {
        Self {
            window: RwSignal::new(None),
            scroll: RwSignal::new(0.0),
            drawn,
            least,
            press: RwSignal::new(None),
            around: StoredValue::new(0.5),
        }
    }

    /// Zooms by a factor; a share of the width stays where it is.
    pub fn zoom(self, factor: f64, share: f64) {
        let DrawnLanes { length, window: (from, to), .. } = self.drawn.get_untracked();
        let width = ((to - from) / factor).max(self.least);
        if length <= width {
            return self.window.set(None);
        }
        let at = from + (to - from) * share;
        self.see(at - width * share, width);
    }

    /// Moves to the right by a share of the width.
    pub fn pan(self, share: f64) {
        let (from, to) = self.drawn.get_untracked().window;
        if self.window.with_untracked(Option::is_some) {
            self.see(from + (to - from) * share, to - from);
        }
    }

    /// Shows a stretch of the axis, as far as there is some.
    pub fn see(self, from: f64, width: f64) {
        let length = self.drawn.get_untracked().length;
        let from = from.clamp(0.0, (length - width).max(0.0));
        self.window.set(Some((from, from + width)));
    }

    /// Brings a share of the whole axis into the middle.
    pub fn see_share(self, share: f64) {
        let DrawnLanes { length, window: (from, to), .. } = self.drawn.get_untracked();
        if self.window.with_untracked(Option::is_some) {
            self.see(length * share - (to - from) / 2.0, to - from);
        }
    }

    /// Scrolls lanes.
    pub fn scroll_by(self, px: f64) {
        let (now, most) = self.drawn.get_untracked().scroll;
        self.scroll.set((now + px).clamp(0.0, most));
    }

    /// Whether the pointer moves the picture.
    pub fn is_moving(self) -> bool {
        self.press.get().is_some_and(|press| press.has_moved && !press.is_own)
    }

    fn width(self) -> f64 {
        f64::from(self.drawn.get_untracked().area.w.max(1.0))
    }

    /// Where a place is among the lanes, 0 to 1 of their width.
    pub fn share(self, x: f64) -> f64 {
        let left = f64::from(self.drawn.get_untracked().area.x);
        ((x - left) / self.width()).clamp(0.0, 1.0)
    }
}

impl Viewport for Lanes {
    fn wheel(self, event: &WheelEvent) {
        event.prevent_default();
        let (dx, dy) = wheel_pixels(event);
        if event.ctrl_key() || event.meta_key() {
            self.zoom(NOTCH.powf(-dy / 100.0), self.share(local(event).0));
        } else if event.shift_key() || dy.abs() < dx.abs() {
            self.pan((if dx == 0.0 { dy } else { dx }) / self.width());
        } else {
            self.scroll_by(dy);
        }
    }

    fn down(self, event: &PointerEvent, is_own: impl FnOnce((f64, f64)) -> bool) -> bool {
        if event.button() != 0 && event.button() != 1 {
            return false;
        }
        capture_pointer(event);
        let DrawnLanes { window, scroll: (scroll, _), .. } = self.drawn.get_untracked();
        let from = local(event);
        self.press.set(Some(Press { from, window, scroll, has_moved: false, is_own: is_own(from) }));
        true
    }

    fn moved(self, event: &PointerEvent) -> Meaning {
        let at = local(event);
        self.around.set_value(self.share(at.0));
        let Some(press) = self.press.get_untracked() else {
            return Meaning::At(Point { x: at.0 as f32, y: at.1 as f32 });
        };
        let (dx, dy) = (at.0 - press.from.0, at.1 - press.from.1);
        if !press.has_moved && dx.hypot(dy) < STILL {
            return Meaning::Nothing;
        }
        self.press.set(Some(Press { has_moved: true, ..press }));
        if press.is_own {
            return Meaning::Own(self.share(press.from.0), self.share(at.0));
        }
        let width = press.window.1 - press.window.0;
        if self.window.with_untracked(Option::is_some) {
            self.see(press.window.0 - dx / self.width() * width, width);
        }
        let (_, most) = self.drawn.get_untracked().scroll;
        self.scroll.set((press.scroll - dy).clamp(0.0, most));
        Meaning::Nothing
    }

    fn up(self, event: &PointerEvent) -> Meaning {
        let press = self.press.get_untracked();
        self.press.set(None);
        let (x, y) = local(event);
        match press {
            Some(Press { has_moved: false, is_own: true, from, .. }) => {
                Meaning::Own(self.share(from.0), self.share(x))
            }
            Some(Press { has_moved: false, .. }) => Meaning::At(Point { x: x as f32, y: y as f32 }),
            _ => Meaning::Nothing,
        }
    }

    fn cancel(self) {
        self.press.set(None);
    }

    fn key(self, event: &KeyboardEvent) -> bool {
        let share = self.around.get_value();
        match event.key().to_lowercase().as_str() {
            "w" | "+" | "=" => self.zoom(1.5, share),
            "s" | "-" => self.zoom(1.0 / 1.5, share),
            "a" => self.pan(-0.15),
            "d" => self.pan(0.15),
            "arrowup" => self.scroll_by(-48.0),
            "arrowdown" => self.scroll_by(48.0),
            "pageup" => self.scroll_by(-400.0),
            "pagedown" => self.scroll_by(400.0),
            "0" | "home" => self.window.set(None),
            _ => return false,
        }
        true
    }
}
