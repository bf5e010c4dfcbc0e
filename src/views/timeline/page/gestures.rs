//! Pointer, wheel and keys become window, scroll and selection.
//!
//! Ctrl+wheel or pinch zooms at the pointer, Shift+wheel or a sideways wheel moves, the wheel scrolls rows; dragging
//! selects a range and measures it, Ctrl+drag moves, a click selects, a right click opens a menu.

use super::rows::act::Act;
use super::rows::heads::FILTER_FIELD;
use super::state::TimelineState;
use crate::base::geometry::Point;
use crate::base::number::{duration, instant, thousands};
use crate::base::time::{Span, Ticks};
use crate::base::window::Window;
use crate::base::words::{Language, phrase, tr, tr_path};
use crate::pane::{local, wheel_pixels};
use crate::scene::palette::Palette;
use crate::ui::overlay::{Tip, Tooltips, tooltips};
use crate::ui::tabs::focus_by_id;
use crate::ui::{Latest, OneAtATime, capture_pointer, spawn_while};
use crate::views::timeline::messages::{SliceHead, Under};
use leptos::ev::{KeyboardEvent, PointerEvent, WheelEvent};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// One notch of a wheel zooms by this factor.
const NOTCH: f64 = 1.2;
/// A pointer that moves less has clicked.
pub(super) const STILL: f64 = 4.0;

/// What a pressed pointer is doing.
#[derive(Clone, Copy)]
pub(super) enum Press {
    /// Nothing yet.
    Still { from: (f64, f64) },
    /// Selecting from this tick and this height.
    Range { from: Ticks, top: f64 },
    /// Drawing the area to zoom into, from this share of the width.
    Band { from: f64 },
    /// Moving the picture as it was; one that never moved is a click.
    Pan { from: (f64, f64), window: Window, scroll: f64, has_moved: bool },
    /// Two fingers: their distance, the middle between them, and the window when they came down.
    Pinch { distance: f64, middle: f64, window: Window },
}

/// Pointer and wheel on the lanes.
#[derive(Clone, Copy)]
pub(super) struct Gestures {
    pub(super) state: TimelineState,
    pub(super) tooltips: Tooltips,
    pub(super) press: RwSignal<Option<Press>>,
    /// Long presses and menus, so that a timer knows its own.
    pub(super) presses: Latest,
    /// Fingers and pointers that are down, by number.
    pub(super) down: StoredValue<Vec<(i32, (f64, f64))>>,
    /// What lies under the pointer.
    asking: OneAtATime<(Point, Point)>,
    /// Place of the pointer, 0 at the left edge and 1 at the right.
    around: StoredValue<f64>,
}

impl Gestures {
    pub(super) fn new(state: TimelineState) -> Self {
        Self {
            state,
            tooltips: tooltips(),
            press: RwSignal::new(None),
            presses: Latest::default(),
            down: StoredValue::new(Vec::new()),
            asking: OneAtATime::default(),
            around: StoredValue::new(0.5),
        }
    }

    pub(super) fn width(self) -> f64 {
        f64::from(untrack(|| self.state.extent.get().size.w)).max(1.0)
    }

    fn tick_at(self, x: f64) -> Option<Ticks> {
        Some(self.state.window()?.tick_at((x / self.width()).clamp(0.0, 1.0)))
    }

    pub(super) fn wheel(self, event: WheelEvent) {
        event.prevent_default();
        let (dx, dy) = wheel_pixels(&event);
        let width = self.width();
        if event.ctrl_key() || event.meta_key() {
            self.state.zoom(NOTCH.powf(-dy / 100.0), local(&event).0 / width);
        } else if event.shift_key() || dy.abs() < dx.abs() {
            self.state.pan((if dx == 0.0 { dy } else { dx }) / width);
        } else {
            self.state.scroll_by(dy);
        }
        self.tooltips.hide();
    }

    pub(super) fn down(self, event: PointerEvent) {
        if event.button() != 0 && event.button() != 1 {
            return;
        }
        let at = local(&event);
        capture_pointer(&event);
        self.down.update_value(|down| down.push((event.pointer_id(), at)));
        self.tooltips.hide();
        let Some(window) = self.state.window() else { return };
        let is_touch = event.pointer_type() == "touch";
        if is_touch {
            self.await_long_press(&event, at);
        }
        let press = if let Some(pinch) = self.pinch_from(window) {
            pinch
        } else if event.ctrl_key() || event.meta_key() || event.button() == 1 || is_touch {
            let scroll = untrack(|| self.state.scroll.get());
            Press::Pan { from: at, window, scroll, has_moved: false }
        } else if event.alt_key() {
            Press::Band { from: (at.0 / self.width()).clamp(0.0, 1.0) }
        } else {
            Press::Still { from: at }
        };
        self.press.set(Some(press));
    }

    pub(super) fn moved(self, event: PointerEvent) {
        let at = local(&event);
        self.around.set_value((at.0 / self.width()).clamp(0.0, 1.0));
        self.down.update_value(|down| {
            if let Some(own) = down.iter_mut().find(|d| d.0 == event.pointer_id()) {
                own.1 = at;
            }
        });
        match untrack(|| self.press.get()) {
            None => self.hover(at, Point { x: event.client_x() as f32, y: event.client_y() as f32 }),
            Some(Press::Still { from }) if STILL < (at.0 - from.0).abs() => {
                if let Some(tick) = self.tick_at(from.0) {
                    self.press.set(Some(Press::Range { from: tick, top: from.1 }));
                    self.select_to(tick, from.1, at);
                }
            }
            Some(Press::Still { .. }) => {}
            Some(Press::Range { from, top }) => {
                self.select_to(from, top, at);
                self.measure(Point { x: event.client_x() as f32, y: event.client_y() as f32 });
            }
            Some(Press::Band { from }) => {
                let to = (at.0 / self.width()).clamp(0.0, 1.0);
                self.state.band.set(Some((from.min(to), from.max(to))));
            }
            Some(Press::Pan { from, has_moved: false, .. })
                if (at.0 - from.0).hypot(at.1 - from.1) < STILL => {}
            Some(Press::Pan { from, window, scroll, .. }) => {
                self.press.set(Some(Press::Pan { from, window, scroll, has_moved: true }));
                self.state.drift(window.moved((from.0 - at.0) / self.width() * window.dur));
                let most = untrack(|| self.state.note.with(|n| n.max_scroll));
                self.state.scroll.set((scroll + from.1 - at.1).clamp(0.0, most));
            }
            Some(Press::Pinch { distance, middle, window }) => self.pinch(distance, middle, window),
        }
    }

    /// Says at the pointer how long the range is that is being selected, and from when to when.
    fn measure(self, screen: Point) {
        let context = self.state.context;
        let Some(range) = untrack(|| context.selection.with(|s| s.range)) else {
            return self.tooltips.hide();
        };
        let (clock, span) = context.head.with_untracked(|h| (h.clock, h.span));
        let zero = span.map_or(0, Span::origin);
        let language = context.language.get_untracked();
        let row = |word, t: Ticks| (tr(language, word).to_owned(), instant(t.saturating_sub(zero), clock));
        let rows = vec![row(phrase("Start"), range.start), row(phrase("End"), range.end)];
        self.tooltips.show_now(screen, Tip { title: duration(range.dur(), clock), rows, ..Tip::default() });
    }

    fn select_to(self, from: Ticks, top: f64, (x, y): (f64, f64)) {
        if let Some(to) = self.tick_at(x) {
            let span = Span::new(from, to);
            let tracks = self.state.tracks_between(top, y);
            self.state.context.selection.update(|s| {
                s.range = (!span.is_empty()).then_some(span);
                s.tracks = tracks;
            });
        }
    }

    pub(super) fn cancel(self, event: PointerEvent) {
        self.down.update_value(|down| down.retain(|d| d.0 != event.pointer_id()));
        self.press.set(None);
        self.state.band.set(None);
        self.tooltips.hide();
    }

    pub(super) fn up(self, event: PointerEvent) {
        self.down.update_value(|down| down.retain(|d| d.0 != event.pointer_id()));
        let press = untrack(|| self.press.get());
        let was_pinch = matches!(press, Some(Press::Pinch { .. }));
        self.press.set(if was_pinch { self.goes_on() } else { None });
        if matches!(press, Some(Press::Range { .. })) {
            self.tooltips.hide();
        }
        let at = local(&event);
        if let Some(band) = untrack(|| self.state.band.get()) {
            self.state.band.set(None);
            if STILL < (band.1 - band.0) * self.width() {
                self.state.zoom_into(band);
            }
        }
        let is_click = match press {
            Some(Press::Still { .. }) => true,
            Some(Press::Pan { has_moved, .. }) => !has_moved,
            _ => false,
        };
        if is_click {
            self.click(at);
        }
    }

    fn click(self, (x, y): (f64, f64)) {
        let state = self.state;
        spawn_while(self.press, async move {
            let slice = match state.hit(Point { x: x as f32, y: y as f32 }).await {
                Some(Under::Slice(head)) => Some(head.id),
                Some(Under::Fold { longest, .. }) => Some(longest.id),
                _ => None,
            };
            state.context.selection.update(|s| {
                s.slice = slice;
                s.range = s.range.filter(|_| slice.is_some());
            });
        });
    }

    pub(super) fn leave(self) {
        self.asking.forget();
        self.state.hovered.set(None);
        self.state.show_clock_at(None);
        self.tooltips.hide();
    }

    /// Asks what lies under the pointer; one question at a time, the newest waits.
    fn hover(self, at: (f64, f64), screen: Point) {
        self.state.show_clock_at(Some(at.1));
        let next = (Point { x: at.0 as f32, y: at.1 as f32 }, screen);
        self.asking.ask(next, move |(point, screen)| async move {
            let turn = self.presses.current();
            let under = self.state.hit(point).await;
            let slice = match &under {
                Some(Under::Slice(head)) => Some(head.id),
                _ => None,
            };
            if untrack(|| self.state.hovered.try_get()) != Some(slice) {
                self.state.hovered.try_set(slice);
            }
            if !turn.is_latest() || self.state.rows().menus.is_any_open() {
                return; // a menu was opened since
            }
            let palette = self.state.context.palette.get_untracked();
            match under.and_then(|u| tip(u, &palette, self.state.context.language.get_untracked())) {
                Some(tip) => self.tooltips.show(screen, tip),
                None => self.tooltips.hide(),
            }
        });
    }

    /// Marks the selected range, or the time under the pointer.
    fn mark(self) {
        let range = untrack(|| self.state.context.selection.with(|s| s.range));
        let point = self.tick_at(self.around.get_value() * self.width());
        if let Some(span) = range.or(point.map(|at| Span { start: at, end: at })) {
            self.state.mark(span);
        }
    }

    /// The menu of what lies under the pointer, or by a key that of the selected slice.
    pub(super) fn menu(self, event: web_sys::MouseEvent) {
        event.prevent_default();
        let has_opened =
            self.down.with_value(|down| !down.is_empty()) && untrack(|| self.press.get()).is_none();
        if has_opened {
            return; // by the finger that still rests there
        }
        self.open_menu(local(&event), Point { x: event.client_x() as f32, y: event.client_y() as f32 });
    }

    pub(super) fn double_click(self) {
        self.state.fit_selection();
    }

    /// The menu of the selected slice, at the place of the pointer's time.
    fn menu_by_key(self, event: &KeyboardEvent) {
        let target = event.current_target().and_then(|t| t.dyn_into::<web_sys::Element>().ok());
        let Some(rect) = target.map(|t| t.get_bounding_client_rect()) else { return };
        let x = rect.right() - self.width() * (1.0 - self.around.get_value());
        self.state.selection_menu(Point { x: x as f32, y: rect.top() as f32 + 96.0 });
    }

    /// Keys of the timeline; what is not ours goes on to the page.
    pub(super) fn key(self, event: &KeyboardEvent) {
        let state = self.state;
        let target = event.target().and_then(|t| t.dyn_into::<web_sys::Element>().ok());
        if target.is_some_and(|t| t.tag_name() == "INPUT") {
            return; // it is being written
        }
        self.tooltips.hide();
        let around = self.around.get_value();
        let is_control = event.ctrl_key() || event.meta_key();
        match event.key().to_lowercase().as_str() {
            "0" if is_control => state.reset(),
            "f" if is_control && event.shift_key() => focus_by_id(FILTER_FIELD),
            "f" if is_control => state.look_for(),
            "z" if is_control => state.undo(event.shift_key()),
            "y" if is_control => state.undo(true),
            _ if is_control || event.alt_key() => return,
            "w" | "+" | "=" => state.zoom(1.5, around),
            "s" | "-" => state.zoom(1.0 / 1.5, around),
            "a" => state.pan(-0.15),
            "d" => state.pan(0.15),
            key @ ("arrowleft" | "arrowright" | "arrowup" | "arrowdown") => state.arrow(key),
            "enter" if event.target() == event.current_target() => state.fit_selection(),
            "g" => state.group(!event.shift_key()),
            "pageup" => state.scroll_by(-400.0),
            "pagedown" => state.scroll_by(400.0),
            "f" => state.fit_selection(),
            "z" if event.shift_key() => state.fit_selection(),
            "backspace" => state.go_back(event.shift_key()),
            "q" => state.folded.update(|folded| *folded = !*folded),
            "/" => state.look_for(),
            "f3" | "n" => state.step(!event.shift_key()),
            "," => state.neighbor(false),
            "." => state.neighbor(true),
            "k" => self.mark(),
            "m" => state.act(Act::Span),
            "contextmenu" => self.menu_by_key(event),
            "f10" if event.shift_key() => self.menu_by_key(event),
            key if state.slice_key(key) => {}
            "escape" => state.context.selection.update(|s| {
                s.slice = None;
                s.range = None;
                s.tracks.clear();
            }),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    }
}

// What the tooltip says of what lies under the pointer.

/// The words for what lies there; `None` for an empty place.
fn tip(under: Under, palette: &Palette, language: Language) -> Option<Tip> {
    let word = |english: &'static str| tr(language, english).to_owned();
    let swatch = |ink: &str| palette.colors.get(ink).copied();
    Some(match under {
        Under::Slice(head) => Tip {
            title: head.name.clone(),
            swatch: swatch(&head.ink),
            rows: match head.id.instant() {
                Some(_) => vec![(word("Time"), head.start.clone()), (word("Track"), place(&head, language))],
                None => vec![
                    (word("Duration"), head.duration.clone()),
                    (word("Start"), head.start.clone()),
                    (word("Track"), place(&head, language)),
                ],
            },
            ..Tip::default()
        },
        Under::Fold { n, longest, covered } => Tip {
            title: format!("{} {}", thousands(n.cast_signed()), word("slices")),
            swatch: None,
            rows: vec![
                (word("Longest"), format!("{}, {}", longest.name, longest.duration)),
                (word("Covered"), covered),
                (word("Track"), place(&longest, language)),
            ],
            hint: word("Zoom in to separate them"),
            ..Tip::default()
        },
        Under::Counter { track, time, mut values, inks } => {
            values.push((word("Time"), time));
            let swatches = inks.iter().map(|ink| swatch(ink)).collect();
            Tip { title: tr_path(language, &track), rows: values, swatches, ..Tip::default() }
        }
        Under::Row { .. } => return None,
    })
}

fn place(head: &SliceHead, language: Language) -> String {
    let own = tr_path(language, &head.track);
    if head.group.is_empty() { own } else { format!("{} / {own}", tr_path(language, &head.group)) }
}
