//! The part of the picture that is seen, kept where there is something to see.

/// The fewest records in a window.
const LEAST_ROWS: f64 = 4.0;
/// The smallest part of the axis of addresses in a window.
const LEAST_PLACES: f64 = 1e-12;
/// Room around everything, as a share.
const EDGE: f64 = 0.02;

/// All places of the axis of addresses, with a little room below and above.
pub const ALL_PLACES: (f64, f64) = (-EDGE, 1.0 + EDGE);

/// The nearest window of records to the wanted one that shows some of `n`; `None` when that is all of them.
///
/// A little room is left before the first and behind the last, at most half of the window.
pub fn rows((from, to): (f64, f64), n: f64) -> Option<(f64, f64)> {
    let width = (to - from).max(LEAST_ROWS.min(n));
    let edge = (n * EDGE).max(1.0).min(width / 2.0);
    if n <= width {
        return None;
    }
    let from = within((from + to - width) / 2.0, -edge, n + edge - width);
    Some((from, from + width))
}

/// The nearest window of places to the wanted one; `None` when that is the whole axis.
pub fn places((low, high): (f64, f64)) -> Option<(f64, f64)> {
    let whole = ALL_PLACES.1 - ALL_PLACES.0;
    let height = (high - low).max(LEAST_PLACES);
    // Sums of fractions are a little off: a window as high as the axis is the axis.
    if whole * (1.0 - 1e-9) <= height {
        return None;
    }
    let edge = EDGE.min(height / 2.0);
    let low = within((low + high - height) / 2.0, -edge, 1.0 + edge - height);
    Some((low, low + height))
}

/// A window of records zoomed by a factor: a share of the width stays where it is, also at the ends of zooming.
pub fn zoomed_rows(seen: (f64, f64), factor: f64, share: f64, n: f64) -> Option<(f64, f64)> {
    rows(zoomed(seen, factor, share, LEAST_ROWS.min(n)), n)
}

/// A window of places zoomed by a factor: a share of the height from below stays where it is.
pub fn zoomed_places(seen: (f64, f64), factor: f64, share: f64) -> Option<(f64, f64)> {
    places(zoomed(seen, factor, share, LEAST_PLACES))
}

fn zoomed((from, to): (f64, f64), factor: f64, share: f64, least: f64) -> (f64, f64) {
    let (at, width) = (from + (to - from) * share, ((to - from) / factor).max(least));
    (at - width * share, at + width * (1.0 - share))
}

/// Like `clamp`, also for bounds that crossed by what fractions are off.
fn within(value: f64, low: f64, high: f64) -> f64 {
    value.min(high).max(low)
}

/// A window moved until nothing of it lies below 0 or above `n`.
pub fn inside((from, to): (f64, f64), n: f64) -> (f64, f64) {
    let width = to - from;
    let from = within(from, 0.0, (n - width).max(0.0));
    (from, from + width)
}
