//! The visible part of the time axis: whole ticks plus a fraction, so that zooming is smooth down to one tick and exact at any epoch.

use super::time::{Span, Ticks};
use serde::{Deserialize, Serialize};

/// The narrowest window, in ticks.
pub const MIN_DUR: f64 = 1.0;

/// What is visible. Times become pixels through the distance to `start`, which is an integer: an epoch in nanoseconds
/// never passes through floating point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Last whole tick at or before the left edge.
    pub start: Ticks,
    /// How far the left edge is behind `start`, 0 to 1 tick.
    pub part: f64,
    /// Width in ticks, at least [`MIN_DUR`].
    pub dur: f64,
}

impl Default for Window {
    fn default() -> Self {
        Self { start: 0, part: 0.0, dur: MIN_DUR }
    }
}

impl Window {
    /// A window whose left edge is `offset` ticks from `start`.
    pub fn new(start: Ticks, offset: f64, dur: f64) -> Self {
        let offset = if offset.is_finite() { offset } else { 0.0 };
        let whole = offset.floor();
        let dur = if dur.is_finite() { dur.max(MIN_DUR) } else { MIN_DUR };
        Self { start: start.saturating_add(whole as Ticks), part: (offset - whole).clamp(0.0, 1.0), dur }
    }

    /// The window that shows exactly this span.
    pub fn of(span: Span) -> Self {
        Self::new(span.start, 0.0, distance(span.start, span.end))
    }

    /// The window that shows this span with `margin` (a share of its length) on both sides.
    pub fn around(span: Span, margin: f64) -> Self {
        let dur = distance(span.start, span.end).max(MIN_DUR);
        Self::new(span.start, -dur * margin, dur * (1.0 + 2.0 * margin))
    }

    /// How far `t` is from the left edge, in ticks.
    pub fn offset(self, t: Ticks) -> f64 {
        distance(self.start, t) - self.part
    }

    /// How far `t` is from the left edge, in widths of the window: 0 is the left edge, 1 the right.
    pub fn share(self, t: Ticks) -> f64 {
        self.offset(t) / self.dur
    }

    /// The tick that contains the point `share` widths from the left edge.
    pub fn tick_at(self, share: f64) -> Ticks {
        let offset = self.part + share * self.dur;
        self.start.saturating_add(if offset.is_finite() { offset.floor() as Ticks } else { 0 })
    }

    /// The whole ticks that are at least partly visible.
    pub fn span(self) -> Span {
        let end = self.start.saturating_add((self.part + self.dur).ceil() as Ticks);
        Span { start: self.start, end }
    }

    /// Whether something of this span can be seen.
    pub fn meets(self, span: Span) -> bool {
        let own = self.span();
        own.start <= span.end && span.start <= own.end
    }

    /// The window moved right by a number of ticks.
    #[must_use]
    pub fn moved(self, by: f64) -> Self {
        Self::new(self.start, self.part + by, self.dur)
    }

    /// The window moved right by whole ticks, exactly.
    #[must_use]
    pub fn shifted(self, by: Ticks) -> Self {
        Self { start: self.start.saturating_add(by), ..self }
    }

    /// The window made narrower by `factor` (1.2 shows 1.2 times less); the time at `share` of the width stays where it is.
    #[must_use]
    pub fn zoomed(self, factor: f64, share: f64) -> Self {
        let dur = (self.dur / factor).max(MIN_DUR);
        Self::new(self.start, self.part + share * (self.dur - dur), dur)
    }

    /// The window kept where there is something: no wider than `margin` (a share) around the trace, and touching it.
    #[must_use]
    pub fn kept_in(self, span: Span, margin: f64) -> Self {
        let total = distance(span.start, span.end).max(MIN_DUR);
        let edge = total * margin;
        let dur = self.dur.min(total + 2.0 * edge).max(MIN_DUR);
        let left = distance(span.start, self.start) + self.part;
        let most = (total + edge - dur).max(-edge);
        Self::new(span.start, left.clamp(-edge, most), dur)
    }
}

/// `to - from` in ticks, exact up to 2⁵³ apart.
fn distance(from: Ticks, to: Ticks) -> f64 {
    (i128::from(to) - i128::from(from)) as f64
}
