//! The drawn timeline of a lesson: a lane for each thread, its scopes, and all events on the ruler.
//!
//! Elements of the page, placed by shares of the width: a lesson has a dozen scopes, and so they follow width, theme and
//! pointer by themselves.

use super::lesson::{Hot, colors};
use crate::page::state::PageState;
use crate::systems::android::nnapi::lesson::{Drawn, Lesson, Scope, THREADS};
use crate::systems::android::nnapi::mark::Part;
use crate::ui::words;
use leptos::prelude::*;

/// Height of a scope with the gap below it, in px.
const STEP: usize = 22;
/// Scopes of a smaller share of the width have no name.
const NAMED_FROM: f64 = 0.06;

/// Where things lie, in percent of the width.
#[derive(Clone, Copy)]
struct Scale {
    lesson: &'static Lesson,
    /// The first and the last moment, in ms.
    first: u32,
    length: f64,
}

impl Scale {
    fn new(lesson: &'static Lesson) -> Self {
        let (first, last) = (lesson.events.first(), lesson.events.last());
        let (first, last) = (first.map_or(0, |event| event.at), last.map_or(1, |event| event.at));
        Self { lesson, first, length: f64::from((last - first).max(1)) }
    }

    fn x(self, event: usize) -> f64 {
        f64::from(self.lesson.events[event].at - self.first) / self.length
    }

    fn left(self, event: usize) -> String {
        format!("{:.3}%", self.x(event) * 100.0)
    }

    fn width(self, begin: usize, end: usize) -> String {
        format!("{:.3}%", (self.x(end) - self.x(begin)) * 100.0)
    }
}

/// The picture.
#[component]
pub fn Picture(
    /// Whose.
    lesson: &'static Lesson,
    /// Its scopes.
    drawn: Drawn,
    /// Which of them stands out.
    hot: Hot,
) -> impl IntoView {
    let words = words();
    let scale = Scale::new(lesson);
    let used = (0..THREADS.len()).filter(|&n| drawn.scopes.iter().any(|scope| scope.thread == n));
    let lanes: Vec<_> = used.map(|thread| lane(scale, &drawn, thread, hot)).collect();
    let ticks = (0..lesson.events.len()).map(|at| {
        view! {
            <span class="strip__tick" style:left=scale.left(at)>
                <b>{format!("t{at}")}</b>
                <span>{lesson.events[at].at}</span>
            </span>
        }
    });
    let ticks: Vec<_> = ticks.collect();
    view! {
        <div class="strip" tabindex="0" role="region" aria-label=words.tr("Timeline")>
            <div class="strip__sheet">
                {lanes}
                <div class="strip__lane">
                    <div class="strip__head strip__head--unit">"ms"</div>
                    <div class="strip__field strip__field--ruler">{ticks}</div>
                </div>
            </div>
        </div>
    }
}

/// One thread.
fn lane(scale: Scale, drawn: &Drawn, thread: usize, hot: Hot) -> impl IntoView + use<> {
    let words = words();
    let of = &THREADS[thread];
    let scopes = || drawn.scopes.iter().enumerate().filter(move |(_, scope)| scope.thread == thread);
    let n_deep = scopes().map(|(_, scope)| scope.depth + 1).max().unwrap_or(1);
    let slices: Vec<_> = scopes().map(|(n, scope)| slice(scale, n, *scope, hot)).collect();
    let events = 0..scale.lesson.events.len();
    let guides = events.map(|at| view! { <span class="strip__guide" style:left=scale.left(at)></span> });
    let guides: Vec<_> = guides.collect();
    view! {
        <div class="strip__lane">
            <div class="strip__head">
                <span class="strip__thread">{words.tr(of.title)}</span>
                <span class="strip__id">{format!("{}-{}", of.name, of.id)}</span>
            </div>
            <div class="strip__field" style:height=format!("{}px", n_deep * STEP + 6)>{guides}{slices}</div>
        </div>
    }
}

/// One scope, and where it is still open behind a switch.
fn slice(scale: Scale, n: usize, scope: Scope, hot: Hot) -> impl IntoView {
    let state = PageState::of_context();
    let (begin, end) = (scope.begin, scope.end);
    let part = scope.tint.map(|tint| tint.part);
    let is_named = NAMED_FROM <= scale.x(end) - scale.x(begin);
    let top = format!("{}px", scope.depth * STEP + 3);
    let letters = scope.tint.map(|tint| format!("{} {}", tint.layer.code(), tint.phase.code()));
    let tip = [letters.as_deref().unwrap_or_default(), scope.name].join(" ");
    let rest = scope.rest.map(|slot| {
        view! {
            <span
                class="strip__rest"
                style:top=top.clone()
                style:left=scale.left(slot.begin)
                style:width=scale.width(slot.begin, slot.end)
            ></span>
        }
    });
    view! {
        <span
            class="strip__slice"
            class:strip__slice--thin=part == Some(Part::Detail)
            class:strip__slice--hatched=part == Some(Part::Subtracted)
            class:strip__slice--hot=move || hot.is(n)
            style:top=top
            style:left=scale.left(begin)
            style:width=scale.width(begin, end)
            style:background-color=move || colors(state, scope.tint).0
            style:color=move || colors(state, scope.tint).1
            data-tip=tip
            on:pointerenter=move |_| hot.enter(n)
            on:pointerleave=move |_| hot.leave()
        >
            {is_named.then_some(short(scope.name))}
        </span>
        {rest}
    }
}

/// `execute::client` of `HIDL::IPreparedModel::execute::client`; other names as they are.
fn short(name: &'static str) -> &'static str {
    let method = name.strip_prefix("HIDL::").and_then(|path| path.split_once("::"));
    method.map_or(name, |(_, method)| method)
}
