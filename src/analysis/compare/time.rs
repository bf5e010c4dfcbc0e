//! Times of two documents on one axis: where a time of the one lies in the other.

use crate::base::time::{Clock, Span, Ticks};
use crate::base::window::Window;

/// From the times of one document to those of another: the zeros of both lie on each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mapping {
    /// A time of the one.
    pub from: Ticks,
    /// The time of the other that lies on it.
    pub to: Ticks,
    /// Ticks of the other in a tick of the one.
    pub ratio: f64,
}

impl Mapping {
    /// The mapping that lays `from` on `to`; clocks that cannot be told in nanoseconds tick alike.
    pub fn new((from, one): (Ticks, Clock), (to, other): (Ticks, Clock)) -> Self {
        let ratio = match (one.nanos(), other.nanos()) {
            (Some(one), Some(other)) => one / other,
            _ => 1.0,
        };
        Self { from, to, ratio }
    }

    /// The way back.
    #[must_use]
    pub fn back(self) -> Self {
        Self { from: self.to, to: self.from, ratio: 1.0 / self.ratio }
    }

    /// Where a window lies in the other document; exact to the tick when both tick alike.
    #[must_use]
    pub fn window(self, window: Window) -> Window {
        let off = window.start.saturating_sub(self.from);
        if self.ratio == 1.0 {
            return Window { start: self.to.saturating_add(off), ..window };
        }
        Window::new(self.to, (off as f64 + window.part) * self.ratio, window.dur * self.ratio)
    }

    /// Where a stretch lies in the other document, to the nearest tick.
    #[must_use]
    pub fn span(self, span: Span) -> Span {
        let at = |t: Ticks| {
            let off = t.saturating_sub(self.from);
            let off = if self.ratio == 1.0 { off } else { (off as f64 * self.ratio).round() as Ticks };
            self.to.saturating_add(off)
        };
        Span::new(at(span.start), at(span.end))
    }
}
