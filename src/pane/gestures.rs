//! Pointer, wheel and keys on the picture of a view: they move what is seen of it, what lies under the pointer is asked for
//! and told in a tooltip, and the rest is the view's.

use crate::base::geometry::Point;
use crate::base::words::Language;
use crate::pane::context::ViewContext;
use crate::ui::overlay::{Tip, Tooltips, tooltips};
use crate::ui::{Latest, OneAtATime};
use leptos::ev::{KeyboardEvent, PointerEvent, WheelEvent};
use leptos::prelude::*;

/// One notch of a wheel zooms by this factor.
pub(super) const NOTCH: f64 = 1.25;
/// A pointer that moves less has clicked.
pub(super) const STILL: f64 = 4.0;

/// What a pointer that moved or was let go means to the view.
#[derive(Clone, Copy, PartialEq)]
pub enum Meaning {
    /// It hovers over, or has clicked, this place of the picture.
    At(Point),
    /// A press of the view's own went from here to there, 0 to 1 of the width; when it is let go only one that never moved.
    Own(f64, f64),
    /// It moves the picture, or does nothing.
    Nothing,
}

/// What is seen of a picture: a plane, or lanes.
pub trait Viewport: Copy + 'static {
    /// Takes the wheel.
    fn wheel(self, event: &WheelEvent);
    /// Takes a press; false when it is none of ours. `is_own` says of its place whether the view does something of its own
    /// with it.
    fn down(self, event: &PointerEvent, is_own: impl FnOnce((f64, f64)) -> bool) -> bool;
    /// Takes a move.
    fn moved(self, event: &PointerEvent) -> Meaning;
    /// Takes the end of a press: a click, or what was dragged.
    fn up(self, event: &PointerEvent) -> Meaning;
    /// Lets a press go.
    fn cancel(self);
    /// Takes a key; false when it is none of ours.
    fn key(self, event: &KeyboardEvent) -> bool;
}

/// A view with such a picture.
pub trait PictureView: Copy + 'static {
    type Seen: Viewport;
    /// What can lie under the pointer.
    type Under: 'static;

    fn context(self) -> ViewContext;
    fn seen(self) -> Self::Seen;
    /// Asks what lies under a point of the picture.
    fn under(self, at: Point) -> impl Future<Output = Self::Under> + 'static;
    /// What the tooltip says of it; `None` shows none.
    fn tip(self, at: Point, under: Self::Under, language: Language) -> Option<Tip>;
    /// Takes a click; what it asks for goes through `clicks`, so that the newest counts.
    fn click(self, at: Point, event: &PointerEvent, clicks: Latest);
    /// Takes a key before the viewport does; false when it is none of the view's.
    fn key(self, event: &KeyboardEvent) -> bool;

    /// Learns where the pointer is, before what lies there is known.
    fn hover(self, _at: Point) {}
    /// Learns that the pointer has left.
    fn leave(self) {}
    /// Whether the view does something of its own with a press at this place.
    fn is_own(self, _event: &PointerEvent, _place: (f64, f64)) -> bool {
        false
    }
    /// Takes a press of its own that goes from here to there, 0 to 1 of the width.
    fn drag(self, _from: f64, _to: f64) {}
    /// Takes the end of a press of its own that never moved.
    fn release(self) {}
}

/// The listeners of a view's picture.
#[derive(Clone, Copy)]
pub struct Gestures<V> {
    view: V,
    tooltips: Tooltips,
    /// What lies under the pointer; the second point is its place on the screen.
    asking: OneAtATime<(Point, Point)>,
    clicks: Latest,
}

impl<V: PictureView> Gestures<V> {
    /// Nothing is under the pointer yet.
    pub fn new(view: V) -> Self {
        Self { view, tooltips: tooltips(), asking: OneAtATime::default(), clicks: Latest::default() }
    }

    /// Takes the wheel.
    pub fn wheel(self, event: &WheelEvent) {
        self.view.seen().wheel(event);
        self.tooltips.hide();
    }

    /// Takes a press.
    pub fn down(self, event: &PointerEvent) {
        if self.view.seen().down(event, |place| self.view.is_own(event, place)) {
            self.tooltips.hide();
        }
    }

    /// Takes a move. One question is asked at a time, the newest waits.
    pub fn moved(self, event: &PointerEvent) {
        let view = self.view;
        match view.seen().moved(event) {
            Meaning::At(at) => {
                view.hover(at);
                let screen = Point { x: event.client_x() as f32, y: event.client_y() as f32 };
                self.asking.ask((at, screen), move |(at, screen)| async move {
                    let under = view.under(at).await;
                    let Some(language) = view.context().language.try_get_untracked() else { return };
                    match view.tip(at, under, language) {
                        Some(tip) => self.tooltips.show(screen, tip),
                        None => self.tooltips.hide(),
                    }
                });
            }
            Meaning::Own(from, to) => view.drag(from, to),
            Meaning::Nothing => {}
        }
    }

    /// Takes the end of a press.
    pub fn up(self, event: &PointerEvent) {
        match self.view.seen().up(event) {
            Meaning::At(at) => self.view.click(at, event, self.clicks),
            Meaning::Own(..) => self.view.release(),
            Meaning::Nothing => {}
        }
    }

    /// Lets a press go.
    pub fn cancel(self) {
        self.view.seen().cancel();
        self.tooltips.hide();
    }

    /// The pointer has left.
    pub fn leave(self) {
        self.asking.forget();
        self.tooltips.hide();
        self.view.leave();
    }

    /// Takes a key; what is neither the view's nor the viewport's goes on to the page.
    pub fn key(self, event: &KeyboardEvent) {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        self.tooltips.hide();
        if self.view.key(event) || self.view.seen().key(event) {
            event.prevent_default();
            event.stop_propagation();
        }
    }
}
