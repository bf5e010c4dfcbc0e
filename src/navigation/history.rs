//! What can be undone and done again: windows of time, and how rows are arranged. A turn of the wheel or a drag counts
//! once, however many windows it passes.

use crate::base::window::Window;

/// Gestures that follow each other faster are one step, in milliseconds.
const ONE_STEP_MS: f64 = 600.0;
/// Most steps kept.
const MOST: usize = 200;

/// One step: what was left by it.
#[derive(Clone, Debug, PartialEq)]
pub enum Step<R> {
    /// A window; `None` is the whole time.
    Window(Option<Window>),
    /// The rows, as they were.
    Rows(R),
}

/// Where one was.
#[derive(Debug)]
pub struct History<R> {
    past: Vec<Step<R>>,
    future: Vec<Step<R>>,
    last_gesture_ms: Option<f64>,
}

impl<R> Default for History<R> {
    fn default() -> Self {
        Self { past: Vec::new(), future: Vec::new(), last_gesture_ms: None }
    }
}

impl<R: PartialEq> History<R> {
    /// This is about to be left for something else by one act.
    pub fn leave(&mut self, now: Step<R>) {
        if self.past.last() != Some(&now) {
            self.past.push(now);
        }
        if MOST < self.past.len() {
            self.past.remove(0);
        }
        self.future.clear();
    }

    /// The window is about to be left by a gesture that may go on, at this time of any clock.
    pub fn drift(&mut self, now: Option<Window>, time_ms: f64) {
        if self.last_gesture_ms.is_none_or(|last| ONE_STEP_MS < time_ms - last) {
            self.leave(Step::Window(now));
        }
        self.last_gesture_ms = Some(time_ms);
    }

    /// What was left last; `now` tells what can be come back to then, given what is gone back to.
    pub fn back(&mut self, now: impl FnOnce(&Step<R>) -> Step<R>) -> Option<Step<R>> {
        self.last_gesture_ms = None;
        let step = self.past.pop()?;
        self.future.push(now(&step));
        Some(step)
    }

    /// What was gone back from.
    pub fn forward(&mut self, now: impl FnOnce(&Step<R>) -> Step<R>) -> Option<Step<R>> {
        self.last_gesture_ms = None;
        let step = self.future.pop()?;
        self.past.push(now(&step));
        Some(step)
    }

    /// The window that was left last, however the rows were changed since; or the one that was gone back from.
    pub fn window(&mut self, now: Option<Window>, is_forward: bool) -> Option<Option<Window>> {
        self.last_gesture_ms = None;
        let (from, to) =
            if is_forward { (&mut self.future, &mut self.past) } else { (&mut self.past, &mut self.future) };
        let at = from.iter().rposition(|step| matches!(step, Step::Window(_)))?;
        let Step::Window(window) = from.remove(at) else { return None };
        to.push(Step::Window(now));
        Some(window)
    }
}
