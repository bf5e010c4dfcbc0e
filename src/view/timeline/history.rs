//! Windows to go back to and forth again; a turn of the wheel or a drag counts once, however many windows it passes.

use crate::base::window::Window;
use leptos::prelude::*;

/// Gestures that follow each other faster are one step, in milliseconds.
const ONE_STEP_MS: f64 = 600.0;
/// Most steps kept.
const MOST: usize = 200;

/// Where one was.
#[derive(Clone, Copy)]
pub(super) struct History(StoredValue<Steps>);

/// One step; `None` shows everything.
#[derive(Clone, Copy, PartialEq)]
struct Place(Option<Window>);

#[derive(Default)]
struct Steps {
    past: Vec<Place>,
    future: Vec<Place>,
    last_gesture: f64,
}

impl History {
    pub(super) fn new() -> Self {
        Self(StoredValue::default())
    }

    /// The window is about to be left for another by one act.
    pub(super) fn leave(self, now: Option<Window>) {
        self.0.update_value(|steps| steps.push(now));
    }

    /// The window is about to be left by a gesture that may go on.
    pub(super) fn drift(self, now: Option<Window>) {
        let time = window().performance().map_or(0.0, |p| p.now());
        self.0.update_value(|steps| {
            if ONE_STEP_MS < time - steps.last_gesture {
                steps.push(now);
            }
            steps.last_gesture = time;
        });
    }

    /// Gives the window before to `show`; `now` can be come back to.
    pub(super) fn back(self, now: Option<Window>, show: impl FnOnce(Option<Window>)) {
        let window = self.0.try_update_value(|steps| steps.swap(false, now)).flatten();
        if let Some(Place(window)) = window {
            show(window);
        }
    }

    /// Gives the window that was gone back from to `show`.
    pub(super) fn forth(self, now: Option<Window>, show: impl FnOnce(Option<Window>)) {
        let window = self.0.try_update_value(|steps| steps.swap(true, now)).flatten();
        if let Some(Place(window)) = window {
            show(window);
        }
    }
}

impl Steps {
    fn push(&mut self, now: Option<Window>) {
        if self.past.last() != Some(&Place(now)) {
            self.past.push(Place(now));
        }
        if MOST < self.past.len() {
            self.past.remove(0);
        }
        self.future.clear();
    }

    fn swap(&mut self, forth: bool, now: Option<Window>) -> Option<Place> {
        let (from, to) =
            if forth { (&mut self.future, &mut self.past) } else { (&mut self.past, &mut self.future) };
        let place = from.pop()?;
        to.push(Place(now));
        self.last_gesture = f64::NEG_INFINITY;
        Some(place)
    }
}
