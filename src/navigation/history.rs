//! Windows to go back to and forward again; a turn of the wheel or a drag counts once, however many windows it passes.

use crate::base::window::Window;

/// Gestures that follow each other faster are one step, in milliseconds.
const ONE_STEP_MS: f64 = 600.0;
/// Most steps kept.
const MOST: usize = 200;

/// One step; `None` is the whole time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step(pub Option<Window>);

/// Where one was.
#[derive(Debug, Default)]
pub struct History {
    past: Vec<Step>,
    future: Vec<Step>,
    last_gesture_ms: Option<f64>,
}

impl History {
    /// The window is about to be left for another by one act.
    pub fn leave(&mut self, now: Option<Window>) {
        if self.past.last() != Some(&Step(now)) {
            self.past.push(Step(now));
        }
        if MOST < self.past.len() {
            self.past.remove(0);
        }
        self.future.clear();
    }

    /// The window is about to be left by a gesture that may go on, at this time of any clock.
    pub fn drift(&mut self, now: Option<Window>, time_ms: f64) {
        if self.last_gesture_ms.is_none_or(|last| ONE_STEP_MS < time_ms - last) {
            self.leave(now);
        }
        self.last_gesture_ms = Some(time_ms);
    }

    /// The window before; `now` can be come back to.
    pub fn back(&mut self, now: Option<Window>) -> Option<Step> {
        let place = self.past.pop()?;
        self.future.push(Step(now));
        self.last_gesture_ms = None;
        Some(place)
    }

    /// The window that was gone back from.
    pub fn forward(&mut self, now: Option<Window>) -> Option<Step> {
        let place = self.future.pop()?;
        self.past.push(Step(now));
        self.last_gesture_ms = None;
        Some(place)
    }
}
