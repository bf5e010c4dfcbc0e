//! The drawn timeline of a lesson: a lane for each thread, its scopes, and all events on the ruler.
//!
//! Elements of the page, placed by shares of the width: a lesson has a dozen scopes, and so they follow width, theme and
//! pointer by themselves.

use super::lesson::{Hot, colors};
use crate::page::state::PageState;
use crate::systems::guides::{Lane, Lesson, Pattern, Scope};
use crate::ui::words;
use leptos::prelude::*;
use std::ops::Range;

/// Height of a scope with the gap below it, in px.
const STEP: usize = 22;
/// Scopes of a smaller share of the width have no name.
const NAMED_FROM: f64 = 0.06;

/// Where things lie, in percent of the width.
struct Scale {
    /// The times of all events.
    at: Vec<u32>,
    length: f64,
}

impl Scale {
    fn new(lesson: &Lesson) -> Self {
        let at: Vec<u32> = lesson.events.iter().map(|event| event.at).collect();
        let length = at.last().copied().unwrap_or(1) - at.first().copied().unwrap_or(0);
        Self { at, length: f64::from(length.max(1)) }
    }

    fn x(&self, event: usize) -> f64 {
        f64::from(self.at[event] - self.at[0]) / self.length
    }

    fn left(&self, event: usize) -> String {
        format!("{:.3}%", self.x(event) * 100.0)
    }

    fn share(&self, events: &Range<usize>) -> f64 {
        self.x(events.end) - self.x(events.start)
    }

    fn width(&self, events: &Range<usize>) -> String {
        format!("{:.3}%", self.share(events) * 100.0)
    }
}

/// The picture. `hot` says which scope stands out.
pub fn picture(lesson: &Lesson, hot: Hot) -> impl IntoView + use<> {
    let words = words();
    let scale = Scale::new(lesson);
    let lanes = lesson.lanes.iter().enumerate();
    let lanes: Vec<_> = lanes.map(|(n, of)| lane(&scale, of, n, &lesson.scopes, hot)).collect();
    let ticks = scale.at.iter().enumerate().map(|(n, at)| {
        view! {
            <span class="strip__tick" style:left=scale.left(n)>
                <b>{format!("t{n}")}</b>
                <span>{*at}</span>
            </span>
        }
    });
    let ticks: Vec<_> = ticks.collect();
    view! {
        <div class="strip" tabindex="0" role="region" aria-label=words.tr("Timeline")>
            <div class="strip__sheet">
                {lanes}
                <div class="strip__lane">
                    <div class="strip__head strip__head--unit">{lesson.unit}</div>
                    <div class="strip__field strip__field--ruler">{ticks}</div>
                </div>
            </div>
        </div>
    }
}

/// One lane.
fn lane(scale: &Scale, of: &Lane, n: usize, scopes: &[Scope], hot: Hot) -> impl IntoView + use<> {
    let words = words();
    let own = || scopes.iter().enumerate().filter(move |(_, scope)| scope.lane == n);
    let n_deep = own().map(|(_, scope)| scope.depth + 1).max().unwrap_or(1);
    let slices: Vec<_> = own().map(|(at, scope)| slice(scale, at, scope, hot)).collect();
    let events = 0..scale.at.len();
    let guides = events.map(|at| view! { <span class="strip__guide" style:left=scale.left(at)></span> });
    let guides: Vec<_> = guides.collect();
    view! {
        <div class="strip__lane">
            <div class="strip__head">
                <span class="strip__thread">{words.tr(of.title)}</span>
                <span class="strip__id">{of.name.clone()}</span>
            </div>
            <div class="strip__field" style:height=format!("{}px", n_deep * STEP + 6)>{guides}{slices}</div>
        </div>
    }
}

/// One scope, and where it is still open without counting.
fn slice(scale: &Scale, n: usize, scope: &Scope, hot: Hot) -> impl IntoView + use<> {
    let state = PageState::of_context();
    let ink = scope.ink;
    let is_named = NAMED_FROM <= scale.share(&scope.events);
    let top = format!("{}px", scope.depth * STEP + 3);
    let rest = scope.rest.as_ref().map(|rest| {
        view! {
            <span
                class="strip__rest"
                style:top=top.clone()
                style:left=scale.left(rest.start)
                style:width=scale.width(rest)
            ></span>
        }
    });
    view! {
        <span
            class="strip__slice"
            class:strip__slice--thin=scope.pattern == Pattern::Thin
            class:strip__slice--hatched=scope.pattern == Pattern::Hatched
            class:strip__slice--hot=move || hot.is(n)
            style:top=top.clone()
            style:left=scale.left(scope.events.start)
            style:width=scale.width(&scope.events)
            style:background-color=move || colors(state, ink).0
            style:color=move || colors(state, ink).1
            data-tip=scope.tip.clone()
            on:pointerenter=move |_| hot.enter(n)
            on:pointerleave=move |_| hot.leave()
        >
            {is_named.then_some(scope.name)}
        </span>
        {rest}
    }
}
