//! The histogram beside the picture: how long blocks ran, p50, p99 and the longest, and the baseline as a line.

use super::state::State;
use crate::base::number::fixed;
use crate::base::words::{phrase, tr};
use crate::draw::style::compact;
use crate::views::schedule::compute::{ElapsedBins, Numbers};
use crate::views::schedule::messages::Head;
use leptos::prelude::*;
use std::fmt::Write;

/// Size of the drawing.
const W: f64 = 264.0;
const H: f64 = 108.0;
/// Room above the bars for names, and below for the ends of the axis.
const TOP: f64 = 28.0;
const FOOT: f64 = 16.0;

/// From values to places: one scale for both documents.
#[derive(Clone, Copy)]
struct Scale {
    from: f64,
    to: f64,
    most: f64,
}

impl Scale {
    fn of(heads: &[&Numbers]) -> Self {
        let from = heads.iter().map(|n| n.shortest as f64).fold(f64::INFINITY, f64::min);
        let to = heads.iter().map(|n| end(&n.bins).max(n.longest as f64)).fold(from + 1.0, f64::max);
        let most = heads.iter().flat_map(|n| &n.bins.counts).copied().max().unwrap_or(1);
        Self { from, to, most: f64::from(most.max(1)).sqrt() }
    }

    fn x(self, value: f64) -> f64 {
        (value - self.from) / (self.to - self.from) * W
    }

    /// The root of the number: else the tail could not be seen.
    fn y(self, n: u32) -> f64 {
        H - FOOT - f64::from(n).sqrt() / self.most * (H - FOOT - TOP)
    }
}

fn end(bins: &ElapsedBins) -> f64 {
    bins.from + bins.step * bins.counts.len() as f64
}

/// The color of a bin, as CSS; without a ramp it is clear.
fn shade(ramp: &[u32], at: usize, last: usize) -> String {
    format!("#{:08x}", ramp.get(at * ramp.len().saturating_sub(1) / last).copied().unwrap_or(0))
}

/// The histogram.
#[component]
pub(super) fn Histogram(state: State, head: Head) -> impl IntoView {
    let context = state.context;
    let numbers = head.numbers;
    let other = state.baseline.get().map(|head| head.numbers);
    let scale = Scale::of(&std::iter::once(&numbers).chain(&other).collect::<Vec<_>>());
    let bins = numbers.bins.clone();
    let last = (bins.counts.len() - 1).max(1);
    let bars = bins.counts.iter().enumerate().filter(|(_, n)| 0 < **n).map(|(at, n)| {
        let x = scale.x(bins.from + bins.step * at as f64);
        let w = (scale.x(bins.from + bins.step * (at + 1) as f64) - x - 1.0).max(1.0);
        let y = scale.y(*n).min(H - FOOT - 1.0);
        // The colors come with the first picture, which may be later than the numbers.
        let color = move || state.note.with(|note| shade(&note.ramp, at, last));
        view! { <rect x=x y=y width=w height=H - FOOT - y fill=color></rect> }
    });
    let outline = other.map(|other| {
        let mut path = String::new();
        let mut x = scale.x(other.bins.from);
        let _ = write!(path, "M{x:.1} {}", H - FOOT);
        for (at, n) in (1..).zip(&other.bins.counts) {
            let next = scale.x(other.bins.from + other.bins.step * f64::from(at));
            let _ = write!(path, "V{:.1}H{next:.1}", scale.y(*n));
            x = next;
        }
        let _ = write!(path, "M{x:.1} {0}", H - FOOT);
        view! { <path class="schedule__baseline" d=path></path> }
    });
    let [p50, _, p99] = numbers.percentiles.map(|value| scale.x(value as f64));
    let longest = scale.x(numbers.longest as f64);
    let rule = move |x: f64, y: f64| {
        view! { <line class="schedule__mark" x1=x x2=x y1=y y2=H - FOOT></line> }
    };
    let tail = format!("+{} %", fixed(numbers.tail() * 100.0, 1));
    let label = move |x: f64, y: f64, anchor: &'static str, text: String| {
        view! { <text class="schedule__tick" x=x y=y text-anchor=anchor>{text}</text> }
    };
    let alt = move || tr(context.language.get(), phrase("Blocks by elapsed time")).to_owned();
    let names = move || {
        let language = context.language.get();
        let words = format!("{} {tail}", tr(language, phrase("tail")));
        let middle = f64::midpoint(p50, longest).clamp(64.0, W - 64.0);
        view! {
            {label(p50 + 3.0, 9.0, "start", "p50".to_owned())}
            {label(middle, 9.0, "middle", words)}
            {label(longest - 3.0, 9.0, "end", tr(language, phrase("max")).to_owned())}
            {(p99 < longest - 24.0 && p50 + 30.0 < p99).then(|| label(p99 - 3.0, 22.0, "end", "p99".to_owned()))}
        }
    };
    view! {
        <svg class="schedule__histogram" viewBox=format!("0 0 {W} {H}") role="img" aria-label=alt>
            {bars.collect_view()}
            {outline}
            {rule(p50, 2.0)}
            {rule(p99, 16.0)}
            {rule(longest, 2.0)}
            {names}
            {label(0.0, H - 3.0, "start", compact(scale.from))}
            {label(W, H - 3.0, "end", compact(scale.to))}
        </svg>
    }
}
