//! What floats above the page. One host of each stands at the page's root; widgets and views speak to them by context.

pub mod dialog;
pub mod menu;
pub mod toast;
pub mod tooltip;

use crate::base::geometry::Point;
use leptos::prelude::*;

/// Where a floating box of `size` goes beside a point: `gap` away, turned over at the edges of the window.
pub fn beside(at: Point, size: (f64, f64), gap: f64) -> (f64, f64) {
    let extent = |side: Result<wasm_bindgen::JsValue, _>| {
        side.ok().and_then(|v: wasm_bindgen::JsValue| v.as_f64()).unwrap_or(1280.0)
    };
    let (width, height) = (extent(window().inner_width()), extent(window().inner_height()));
    let place = |at: f64, size: f64, limit: f64| {
        let after = at + gap;
        if after + size <= limit - 4.0 {
            after
        } else if 4.0 <= at - gap - size {
            at - gap - size
        } else {
            (limit - 4.0 - size).max(4.0)
        }
    };
    (place(f64::from(at.x), size.0, width), place(f64::from(at.y), size.1, height))
}
