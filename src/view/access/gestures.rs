//! Pointer, wheel and keys on the picture of accesses.

use super::state::State;
use crate::base::geometry::Point;
use crate::base::number::{thousands, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{Language, fill, tr};
use crate::ui::latest::{Latest, OneAtATime};
use crate::ui::overlay::tooltip::{Tip, Tooltips, tooltips};
use crate::view::surface::local;
use crate::wire::access::{Record, Under};
use leptos::ev::{KeyboardEvent, PointerEvent, WheelEvent};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// One notch of a wheel zooms by this factor.
const NOTCH: f64 = 1.25;
/// A pointer that moves less has clicked.
const STILL: f64 = 4.0;

/// What a pressed pointer is doing.
#[derive(Clone, Copy)]
enum Press {
    /// Moving the picture as it was; one that never moved is a click.
    Pan { from: (f64, f64), rows: (f64, f64), places: (f64, f64), has_moved: bool },
    /// Choosing the area to zoom into.
    Band { from: (f64, f64) },
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
    /// Place of the pointer in the plot, from the left and from below, 0 to 1.
    around: StoredValue<(f64, f64)>,
}

impl Gestures {
    pub(super) fn new(state: State) -> Self {
        Self {
            state,
            tooltips: tooltips(),
            press: RwSignal::new(None),
            asking: OneAtATime::default(),
            clicks: Latest::default(),
            around: StoredValue::new((0.5, 0.5)),
        }
    }

    pub(super) fn is_moving(self) -> bool {
        matches!(self.press.get(), Some(Press::Pan { has_moved: true, .. }))
    }

    /// Where accesses are drawn: left, top, width, height.
    fn plot(self) -> [f64; 4] {
        let plot = self.state.note.with_untracked(|note| note.plot);
        [plot.x, plot.y, plot.w.max(1.0), plot.h.max(1.0)].map(f64::from)
    }

    /// Shares of width and height of the plot, from the left and from below.
    fn share(self, (x, y): (f64, f64)) -> (f64, f64) {
        let [left, top, width, height] = self.plot();
        (((x - left) / width).clamp(0.0, 1.0), (1.0 - (y - top) / height).clamp(0.0, 1.0))
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
        let at = local(event);
        let (right, up) = self.share(at);
        let is_axis = at.0 < self.plot()[0];
        if event.shift_key() || is_axis {
            // Browsers turn the wheel sideways while Shift is held.
            let by = if dy == 0.0 { dx } else { dy };
            self.state.zoom_places(NOTCH.powf(-by / 100.0), up);
        } else if dy.abs() < dx.abs() {
            self.state.pan(dx / self.plot()[2], 0.0);
        } else {
            self.state.zoom_rows(NOTCH.powf(-dy / 100.0), right);
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
        let from = local(event);
        let state = self.state;
        self.press.set(Some(if event.alt_key() {
            Press::Band { from }
        } else {
            let (rows, places) = (state.seen_rows(), state.seen_places());
            Press::Pan { from, rows, places, has_moved: false }
        }));
    }

    pub(super) fn moved(self, event: &PointerEvent) {
        let at = local(event);
        self.around.set_value(self.share(at));
        match self.press.get_untracked() {
            None => self.hover(at, Point { x: event.client_x() as f32, y: event.client_y() as f32 }),
            Some(Press::Pan { from, has_moved: false, .. })
                if (at.0 - from.0).hypot(at.1 - from.1) < STILL => {}
            Some(Press::Pan { from, rows, places, .. }) => {
                self.press.set(Some(Press::Pan { from, rows, places, has_moved: true }));
                let [_, _, width, height] = self.plot();
                let right = (from.0 - at.0) / width * (rows.1 - rows.0);
                let up = (at.1 - from.1) / height * (places.1 - places.0);
                self.state.see_rows((rows.0 + right, rows.1 + right));
                self.state.see_places((places.0 + up, places.1 + up));
            }
            Some(Press::Band { from }) => {
                let [left, top, width, height] = self.plot();
                let x = [from.0, at.0].map(|x| x.clamp(left, left + width));
                let y = [from.1, at.1].map(|y| y.clamp(top, top + height));
                let band = [x[0].min(x[1]), y[0].min(y[1]), (x[0] - x[1]).abs(), (y[0] - y[1]).abs()];
                self.state.band.set(Some(band));
            }
        }
    }

    pub(super) fn up(self, event: &PointerEvent) {
        let press = self.press.get_untracked();
        self.press.set(None);
        let band = self.state.band.get_untracked();
        self.state.band.set(None);
        match press {
            Some(Press::Band { .. }) => {
                if let Some([x, y, width, height]) = band.filter(|b| STILL < b[2] && STILL < b[3]) {
                    self.zoom_into((x, y), (x + width, y + height));
                }
            }
            Some(Press::Pan { has_moved: false, .. }) => self.click(local(event)),
            _ => {}
        }
    }

    fn zoom_into(self, corner: (f64, f64), other: (f64, f64)) {
        let ((left, high), (right, low)) = (self.share(corner), self.share(other));
        let part = |(a, b): (f64, f64), from: f64, to: f64| (a + (b - a) * from, a + (b - a) * to);
        self.state.see_rows(part(self.state.seen_rows(), left, right));
        self.state.see_places(part(self.state.seen_places(), low, high));
    }

    fn click(self, (x, y): (f64, f64)) {
        let state = self.state;
        self.clicks.ask(state.under(Point { x: x as f32, y: y as f32 }), move |under| {
            let row = match under {
                Some(Under::Record(record)) => Some(record.head.row),
                Some(Under::Cell(cell)) => Some(cell.first),
                None => None,
            };
            state.selected.try_set(row);
        });
    }

    pub(super) fn cancel(self) {
        self.press.set(None);
        self.state.band.set(None);
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
            let Some(language) = self.state.context.language.try_get_untracked() else { return };
            match under {
                Some(under) => self.tooltips.show(screen, self.tip(under, language)),
                None => self.tooltips.hide(),
            }
        });
    }

    /// What the tooltip says.
    fn tip(self, under: Under, language: Language) -> Tip {
        let word = |english: &'static str| tr(language, english).to_owned();
        let number = |n: u64| thousands(i64::try_from(n).unwrap_or(i64::MAX));
        match under {
            Under::Record(record) => {
                let Record { head, frames, .. } = *record;
                let mut rows = vec![
                    (word("Address"), format!("0x{:x} ({})", head.address, number(head.address))),
                    (word("Size"), size(head.bytes)),
                ];
                rows.extend(
                    head.attributes
                        .iter()
                        .map(|(title, value)| (tr(language, title).to_owned(), value.clone())),
                );
                rows.extend(head.pc.map(|pc| (word("PC"), format!("0x{pc:x}"))));
                let calls = frames.iter().take(3).map(|frame| {
                    let file = frame.file.rsplit('/').next().unwrap_or(&frame.file);
                    (
                        frame.function.clone(),
                        if file.is_empty() { String::new() } else { format!("{file}:{}", frame.line) },
                    )
                });
                rows.extend(calls);
                let swatch = super::tools::color(self.state, head.side);
                let title = format!("{} {}", head.operation, number(head.position));
                Tip { title, swatch: Some(swatch), rows, ..Tip::default() }
            }
            Under::Cell(cell) => {
                let n: u64 = cell.counts.iter().map(|(_, n)| n).sum();
                let title = fill(tr(language, "{n} accesses"), &[("n", &number(n))]);
                let (mut rows, mut swatches) = (Vec::new(), Vec::new());
                for (item, n) in cell.counts {
                    let name =
                        if item.is_name { item.name.clone() } else { tr(language, &item.name).to_owned() };
                    rows.push((name, number(n)));
                    swatches.push(
                        self.state.context.palette.with_untracked(|p| p.colors.get(&item.ink).copied()),
                    );
                }
                let (from, to) = cell.positions;
                rows.push((word("Records"), format!("{} – {}", number(from), number(to))));
                let (low, high) = cell.addresses;
                rows.push((word("Addresses"), format!("{} 0x{low:x} – 0x{high:x}", cell.space)));
                Tip { title, rows, swatches, hint: word("Zoom in to separate them"), ..Tip::default() }
            }
        }
    }

    /// Keys of the picture; what is not ours goes on to the page.
    pub(super) fn key(self, event: &KeyboardEvent) {
        let state = self.state;
        let (right, up) = self.around.get_value();
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let is_shifted = event.shift_key();
        self.tooltips.hide();
        match event.key().to_lowercase().as_str() {
            "w" | "+" | "=" if is_shifted => state.zoom_places(1.5, up),
            "s" | "-" | "_" if is_shifted => state.zoom_places(1.0 / 1.5, up),
            "w" | "+" | "=" => state.zoom_rows(1.5, right),
            "s" | "-" => state.zoom_rows(1.0 / 1.5, right),
            "a" | "arrowleft" => state.pan(-0.15, 0.0),
            "d" | "arrowright" => state.pan(0.15, 0.0),
            "arrowup" => state.pan(0.0, 0.15),
            "arrowdown" => state.pan(0.0, -0.15),
            "pageup" => state.pan(0.0, 0.8),
            "pagedown" => state.pan(0.0, -0.8),
            "0" | "home" => state.show_all(),
            "," => state.step(true),
            "." => state.step(false),
            "q" => state.folded.update(|folded| *folded = !*folded),
            "escape" => state.selected.set(None),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    }
}

/// A number of bytes with all its digits, and in a larger unit when there is one.
pub(super) fn size(bytes: u64) -> String {
    let exact = format!("{} B", thousands(i64::try_from(bytes).unwrap_or(i64::MAX)));
    if bytes < 1024 { exact } else { format!("{exact} ({})", with_unit(bytes as f64, &Unit::Bytes)) }
}
