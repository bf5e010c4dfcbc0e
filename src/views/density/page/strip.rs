//! Below the heat map, on its clock: accesses over time, with those of the baseline, and the working set.

use super::state::State;
use crate::base::number::{fixed, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{fill, phrase, tr};
use crate::pane::surface::local;
use crate::views::density::messages::Course;
use leptos::prelude::*;
use std::fmt::Write;

/// Size of the drawing of a lane; it is stretched to the width of the map.
const W: f64 = 1_000.0;
const H: f64 = 24.0;

/// Both lanes.
#[component]
pub(super) fn Strip(state: State) -> impl IntoView {
    let px = move |value: f32| format!("{value}px");
    let moved = move |event: &web_sys::PointerEvent| {
        let (x, _) = local(event);
        let width = state.note.with_untracked(|note| f64::from(note.plot.w.max(1.0)));
        state.pointer.set(Some(x / width).filter(|share| (0.0..=1.0).contains(share)));
    };
    view! {
        <div
            class="density__strip"
            style:margin-left=move || px(state.note.with(|note| note.plot.x))
            style:width=move || px(state.note.with(|note| note.plot.w))
            on:pointermove=move |event| moved(&event)
            on:pointerleave=move |_| state.pointer.set(None)
        >
            <Lane state name=Signal::derive(move || state.words().rate) is_bytes=false />
            <Lane state name=Signal::stored(phrase("Working set")) is_bytes=true />
        </div>
    }
}

/// The value of a column, as it is drawn.
fn value(course: &Course, column: usize, is_bytes: bool) -> f64 {
    if is_bytes { course.working_set.get(column).copied().unwrap_or(0.0) } else { course.rate(column) }
}

fn largest(course: &Course, is_bytes: bool) -> f64 {
    (0..course.accesses.len()).map(|column| value(course, column, is_bytes)).fold(0.0, f64::max)
}

/// Steps over the seen clocks; closed along the ground where it is filled.
fn path(course: &Course, is_bytes: bool, (from, to): (f64, f64), most: f64, is_filled: bool) -> String {
    let x = |clock: f64| ((clock - from) / (to - from) * W).clamp(0.0, W);
    let mut path = String::new();
    let mut start = if is_filled { 'L' } else { 'M' };
    for column in 0..course.accesses.len() {
        let left = course.from + column as f64 * course.step;
        let (left, right) = (x(left), x(left + course.step));
        let y = H - value(course, column, is_bytes) / most * (H - 1.0);
        if left < right {
            if is_filled && path.is_empty() {
                let _ = write!(path, "M{left:.1} {H}");
            }
            let _ = write!(path, "{start}{left:.1} {y:.1}H{right:.1}");
            start = 'L';
        }
    }
    if is_filled && !path.is_empty() {
        let _ = write!(path, "V{H}Z");
    }
    path
}

/// A name with the value at the pointer, or else the largest; below it the course.
#[component]
fn Lane(state: State, name: Signal<&'static str>, is_bytes: bool) -> impl IntoView {
    // Working sets of columns of different widths cannot be compared.
    let other = move || state.other_course.get().filter(|_| !is_bytes);
    let most = Memo::new(move |_| {
        let courses = [state.course.get(), other()];
        courses.iter().flatten().map(|course| largest(course, is_bytes)).fold(f64::MIN_POSITIVE, f64::max)
    });
    let draw = move |course: Option<Course>, is_filled| {
        course.map(|course| path(&course, is_bytes, state.seen_clocks(), most.get(), is_filled))
    };
    let own = move || draw(state.course.get(), true);
    let before = move || draw(other(), false);
    let text = move |value: f64| {
        if is_bytes { with_unit(value, &Unit::Bytes) } else { fixed(value, 2) }
    };
    let at = move |course: Option<Course>| {
        let (from, to) = state.seen_clocks();
        let clock = from + (to - from) * state.pointer.get()?;
        let course = course?;
        Some(text(value(&course, course.column(clock)?, is_bytes)))
    };
    let told = move || {
        let language = state.context.language.get();
        match (at(state.course.get()), at(other())) {
            // What is largest depends on how long the columns are.
            (None, _) => {
                let step = state.course.with(|course| course.as_ref().map_or(0.0, |course| course.step));
                let step = with_unit(step, &state.position_unit());
                fill(tr(language, phrase("max {n} in {step}")), &[("n", &text(most.get())), ("step", &step)])
            }
            (Some(own), None) => own,
            (Some(own), Some(before)) => format!("{own} ({before})"),
        }
    };
    view! {
        <p class="density__lane">{move || tr(state.context.language.get(), name.get())}<span>{told}</span></p>
        <svg class="density__course" viewBox=format!("0 0 {W} {H}") preserveAspectRatio="none" aria-hidden="true">
            <path class="density__own" d=own></path>
            <path class="density__before" d=before></path>
        </svg>
    }
}
