//! A picture of two axes: what is seen of it, and how pointer, wheel and keys move that.
//!
//! The wheel zooms the axis to the right at the pointer, Shift+wheel or the wheel over the labels at the left the axis
//! upwards, dragging moves, dragging with Alt chooses an area. Windows of the axis to the right count in its own units
//! from 0 on; those upwards are shares from below.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

use crate::base::geometry::{Point, Rect};
use crate::draw::window;
use crate::pane::gestures::{Meaning, NOTCH, STILL, Viewport};
use crate::pane::{local, wheel_pixels};
use crate::ui::capture_pointer;
use leptos::ev::{KeyboardEvent, PointerEvent, WheelEvent};
use leptos::prelude::*;

/// What a pressed pointer is doing.
#[derive(Clone, Copy)]
enum Press {
    /// Moving the picture as it was; one that never moved is a click.
    Pan { from: (f64, f64), rows: (f64, f64), places: (f64, f64), has_moved: bool },
    /// Choosing the area to zoom into.
    Band { from: (f64, f64) },
}

/// What is seen, and the pointer.
#[derive(Clone, Copy)]
pub struct Plane {
    /// What is seen of the axis to the right; `None` is all.
    pub rows: RwSignal<Option<(f64, f64)>>,
    /// What is seen of the axis upwards; `None` is all.
    pub places: RwSignal<Option<(f64, f64)>>,
    /// The area that is being chosen: left, top, width, height in pixels of the picture.
    pub band: RwSignal<Option<[f64; 4]>>,
    /// Where the axis to the right ends.
    length: Signal<f64>,
    /// Where rows and places are drawn.
    plot: Signal<Rect>,
    /// Whether nothing is shown beyond the ends of the axes.
    is_tight: bool,
    press: RwSignal<Option<Press>>,
    /// Place of the pointer in the plot, from the left and from below, 0 to 1.
    around: StoredValue<(f64, f64)>,
}

impl Plane {
    /// All of it is seen.
    pub fn new(length: Signal<f64>, plot: Signal<Rect>, is_tight: bool) -> Self {
        Self {
            rows: RwSignal::new(None),
            places: RwSignal::new(None),
            band: RwSignal::new(None),
            length,
            plot,
            is_tight,
            press: RwSignal::new(None),
            around: StoredValue::new((0.5, 0.5)),
        }
    }

    /// The window of rows that is seen.
    pub fn seen_rows(self) -> (f64, f64) {
        self.rows.get_untracked().unwrap_or((0.0, self.length.get_untracked()))
    }

    /// The window of places that is seen.
    pub fn seen_places(self) -> (f64, f64) {
        let all = if self.is_tight { (0.0, 1.0) } else { window::ALL_PLACES };
        self.places.get_untracked().unwrap_or(all)
    }

    /// Shows these rows, as far as there are some.
    pub fn see_rows(self, seen: (f64, f64)) {
        let n = self.length.get_untracked();
        self.rows.set(window::rows(seen, n).map(|seen| self.inside(seen, n)));
    }

    /// Shows this part of the axis upwards.
    pub fn see_places(self, seen: (f64, f64)) {
        self.places.set(window::places(seen).map(|seen| self.inside(seen, 1.0)));
    }

    fn inside(self, seen: (f64, f64), n: f64) -> (f64, f64) {
        if self.is_tight { window::inside(seen, n) } else { seen }
    }

    /// Zooms rows: by a factor, a share of the width stays where it is.
    pub fn zoom_rows(self, factor: f64, share: f64) {
        let n = self.length.get_untracked();
        let seen = window::zoomed_rows(self.seen_rows(), factor, share, n);
        self.rows.set(seen.map(|seen| self.inside(seen, n)));
    }

    /// Zooms places: by a factor, a share of the height from below stays where it is.
    pub fn zoom_places(self, factor: f64, share: f64) {
        let seen = window::zoomed_places(self.seen_places(), factor, share);
        self.places.set(seen.map(|seen| self.inside(seen, 1.0)));
    }

    /// Moves by shares of width and height.
    pub fn pan(self, right: f64, up: f64) {
        let (from, to) = self.seen_rows();
        let (low, high) = self.seen_places();
        if right != 0.0 {
            self.see_rows((from + right * (to - from), to + right * (to - from)));
        }
        if up != 0.0 {
            self.see_places((low + up * (high - low), high + up * (high - low)));
        }
    }

    /// Shows everything.
    pub fn show_all(self) {
        self.rows.set(None);
        self.places.set(None);
    }

    /// Whether the pointer moves the picture.
    pub fn is_moving(self) -> bool {
        matches!(self.press.get(), Some(Press::Pan { has_moved: true, .. }))
    }

    /// Where things are drawn: left, top, width, height.
    fn plot(self) -> [f64; 4] {
        let plot = self.plot.get_untracked();
        [plot.x, plot.y, plot.w.max(1.0), plot.h.max(1.0)].map(f64::from)
    }

    /// Shares of width and height of the plot, from the left and from below.
    fn share(self, (x, y): (f64, f64)) -> (f64, f64) {
        let [left, top, width, height] = self.plot();
        (((x - left) / width).clamp(0.0, 1.0), (1.0 - (y - top) / height).clamp(0.0, 1.0))
    }

    fn zoom_into(self, corner: (f64, f64), other: (f64, f64)) {
        let ((left, high), (right, low)) = (self.share(corner), self.share(other));
        let part = |(a, b): (f64, f64), from: f64, to: f64| (a + (b - a) * from, a + (b - a) * to);
        self.see_rows(part(self.seen_rows(), left, right));
        self.see_places(part(self.seen_places(), low, high));
    }
}

impl Viewport for Plane {
    fn wheel(self, event: &WheelEvent) {
        event.prevent_default();
        let (dx, dy) = wheel_pixels(event);
        let at = local(event);
        let (right, up) = self.share(at);
        let is_axis = at.0 < self.plot()[0];
        if event.shift_key() || is_axis {
            // Browsers turn the wheel sideways while Shift is held.
            let by = if dy == 0.0 { dx } else { dy };
            self.zoom_places(NOTCH.powf(-by / 100.0), up);
        } else if dy.abs() < dx.abs() {
            self.pan(dx / self.plot()[2], 0.0);
        } else {
            self.zoom_rows(NOTCH.powf(-dy / 100.0), right);
        }
    }

    fn down(self, event: &PointerEvent, _: impl FnOnce((f64, f64)) -> bool) -> bool {
        if event.button() != 0 && event.button() != 1 {
            return false;
        }
        capture_pointer(event);
        let from = local(event);
        self.press.set(Some(if event.alt_key() {
            Press::Band { from }
        } else {
            let (rows, places) = (self.seen_rows(), self.seen_places());
            Press::Pan { from, rows, places, has_moved: false }
        }));
        true
    }

    fn moved(self, event: &PointerEvent) -> Meaning {
        let at = local(event);
        self.around.set_value(self.share(at));
        match self.press.get_untracked() {
            None => return Meaning::At(Point { x: at.0 as f32, y: at.1 as f32 }),
            Some(Press::Pan { from, has_moved: false, .. })
                if (at.0 - from.0).hypot(at.1 - from.1) < STILL => {}
            Some(Press::Pan { from, rows, places, .. }) => {
                self.press.set(Some(Press::Pan { from, rows, places, has_moved: true }));
                let [_, _, width, height] = self.plot();
                let right = (from.0 - at.0) / width * (rows.1 - rows.0);
                let up = (at.1 - from.1) / height * (places.1 - places.0);
                self.see_rows((rows.0 + right, rows.1 + right));
                self.see_places((places.0 + up, places.1 + up));
            }
            Some(Press::Band { from }) => {
                let [left, top, width, height] = self.plot();
                let x = [from.0, at.0].map(|x| x.clamp(left, left + width));
                let y = [from.1, at.1].map(|y| y.clamp(top, top + height));
                let band = [x[0].min(x[1]), y[0].min(y[1]), (x[0] - x[1]).abs(), (y[0] - y[1]).abs()];
                self.band.set(Some(band));
            }
        }
        Meaning::Nothing
    }

    fn up(self, event: &PointerEvent) -> Meaning {
        let press = self.press.get_untracked();
        self.press.set(None);
        let band = self.band.get_untracked();
        self.band.set(None);
        match press {
            Some(Press::Band { .. }) => {
                if let Some([x, y, width, height]) = band.filter(|b| STILL < b[2] && STILL < b[3]) {
                    self.zoom_into((x, y), (x + width, y + height));
                }
            }
            Some(Press::Pan { has_moved: false, .. }) => {
                let at = local(event);
                return Meaning::At(Point { x: at.0 as f32, y: at.1 as f32 });
            }
            _ => {}
        }
        Meaning::Nothing
    }

    fn cancel(self) {
        self.press.set(None);
        self.band.set(None);
    }

    fn key(self, event: &KeyboardEvent) -> bool {
        let (right, up) = self.around.get_value();
        let is_shifted = event.shift_key();
        match event.key().to_lowercase().as_str() {
            "w" | "+" | "=" if is_shifted => self.zoom_places(1.5, up),
            "s" | "-" | "_" if is_shifted => self.zoom_places(1.0 / 1.5, up),
            "w" | "+" | "=" => self.zoom_rows(1.5, right),
            "s" | "-" => self.zoom_rows(1.0 / 1.5, right),
            "a" | "arrowleft" => self.pan(-0.15, 0.0),
            "d" | "arrowright" => self.pan(0.15, 0.0),
            "arrowup" => self.pan(0.0, 0.15),
            "arrowdown" => self.pan(0.0, -0.15),
            "pageup" => self.pan(0.0, 0.8),
            "pagedown" => self.pan(0.0, -0.8),
            "0" | "home" => self.show_all(),
            _ => return false,
        }
        true
    }
}

/// A window as it stands in an address.
pub fn window_text(window: Option<(f64, f64)>) -> Option<String> {
    window.map(|(a, b)| format!("{a},{b}"))
}

/// A window of an address; `None` when it is none.
pub fn parse_window(text: &str) -> Option<(f64, f64)> {
    let (a, b) = text.split_once(',')?;
    let (a, b): (f64, f64) = (a.parse().ok()?, b.parse().ok()?);
    (a.is_finite() && b.is_finite() && a < b).then_some((a, b))
}

/// The area that is being chosen.
#[component]
pub fn ZoomArea(plane: Plane) -> impl IntoView {
    let px = move |side: usize| plane.band.get().map(|band| format!("{}px", band[side]));
    view! {
        <Show when=move || plane.band.get().is_some()>
            <div
                class="accesses__band"
                style:left=move || px(0)
                style:top=move || px(1)
                style:width=move || px(2)
                style:height=move || px(3)
            ></div>
        </Show>
    }
}
