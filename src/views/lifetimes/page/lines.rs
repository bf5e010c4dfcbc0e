//! The retention lines over the histograms: dragged, moved by keys, typed.

use super::state::LifetimesState;
use crate::base::geometry::{Rect, Size};
use crate::base::order;
use crate::base::words::phrase;
use crate::views::lifetimes::scene::{
    Baseline, Layout, LevelPlot, Line, Plot, never_refreshed, parse_micros, rest_ink, round_step, time,
};
use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// An arrow key moves a line by this.
const STEP: f64 = 1.01;
/// Half of the width in which a line is taken.
const GRAB: f32 = 5.0;
/// Two levels need this width; below it one is shown at a time.
pub(super) const WIDE: f32 = 640.0;

/// What is drawn of lengths, for as long as `read` looks at it.
pub(super) fn plot<T>(state: LifetimesState, size: Size, read: impl FnOnce(&Plot) -> T) -> T {
    let held = state.held.get().0;
    let lines = state.lines.with(|lines| lines.iter().map(|(_, line)| line.clone()).collect());
    let never = state.devices.with(|devices| never_refreshed(devices, state.context.language.get()));
    let chosen = state.kernel.get();
    let has_lengths = held.levels.iter().any(|level| !level.demand.lifetimes.is_empty());
    // Tables state microseconds: without lengths the clock does not matter.
    let is_stated = !has_lengths && state.of(|head| head.is_stated);
    let clock_mhz = if is_stated { Some(1000.0) } else { Some(held.clock_mhz).filter(|mhz| 0.0 < *mhz) };
    let only = (size.w < WIDE && 1 < held.levels.len()).then(|| state.level.get());
    let levels = held.levels.iter().enumerate().filter(|(at, _)| only.is_none_or(|only| only == *at));
    let other = state.baseline.get();
    let baseline = |name: &str| {
        let (level, clock_mhz) = other.as_ref()?.level(name)?;
        Some(Baseline { lengths: &level.demand.lifetimes, clock_mhz })
    };
    let names = (0..held.levels.len()).map(|at| super::devices::level_name(state, at)).collect::<Vec<_>>();
    let levels = levels.map(|(at, level)| LevelPlot {
        baseline: names.get(at).and_then(|name| baseline(name)),
        name: names.get(at).cloned().unwrap_or_default(),
        scope: scope(state, at),
        lengths: &level.demand.lifetimes,
        orphans: level.told.counts.orphans,
        opened: level.told.counts.lifetimes,
        stated: if is_stated { stated(state, at, chosen) } else { Vec::new() },
    });
    let lines = if clock_mhz.is_some() { lines } else { Vec::new() };
    read(&Plot { levels: levels.collect(), lines, never, rest: state.devices.with(rest_ink), clock_mhz })
}

/// What is shown of a level whose units are not private where of others only some are.
fn scope(state: LifetimesState, level: usize) -> String {
    if state.is_mean(level) {
        return state.all_units(level);
    }
    let is_all = state
        .of(|head| head.scope != "total" && head.levels.get(level).is_some_and(|level| !level.is_private));
    if is_all { state.context.tr(phrase("all")).to_owned() } else { String::new() }
}

/// Median, 90 % and longest of kernels in nanoseconds.
fn stated(state: LifetimesState, level: usize, chosen: Option<u32>) -> Vec<[f64; 3]> {
    state.of(|head| {
        let rows = (0_u32..).zip(&head.kernels).filter(|(row, _)| chosen.is_none_or(|own| own == *row));
        let levels = rows.filter_map(|(_, kernel)| kernel.table.levels.get(level));
        let known = levels.filter(|own| 0.0 < own.max);
        known.map(|own| [own.median, own.p90, own.max].map(|micros| micros * 1000.0)).collect()
    })
}

/// Where a line and its flag stand, and how far down the line goes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    x: f32,
    flag: Rect,
    bottom: f32,
}

/// Handles for all lines.
#[component]
pub(super) fn Lines(state: LifetimesState) -> impl IntoView {
    let size = Memo::new(move |_| state.extent.get().size);
    let layout = Memo::new(move |_| plot(state, size.get(), |plot| Layout::new(plot, size.get())));
    // By their devices, so that the one that is dragged stays when lines change places.
    let devices = Memo::new(move |_| {
        let has_clock = plot(state, size.get(), |plot| !plot.lines.is_empty());
        let mut rows: Vec<usize> = if has_clock {
            state.lines.with(|lines| lines.iter().map(|(row, _)| *row).collect())
        } else {
            Vec::new()
        };
        order::sort(&mut rows);
        rows
    });
    view! {
        <For each=move || devices.get() key=|row| *row let(row)>
            <Handle state row layout />
        </For>
    }
}

#[allow(clippy::too_many_lines)] // one handle with its gestures
#[component]
fn Handle(
    state: LifetimesState,
    /// Row of the device.
    row: usize,
    layout: Memo<Layout>,
) -> impl IntoView {
    let context = state.context;
    let own = Memo::new(move |_| {
        state.lines.with(|lines| lines.iter().find(|(own, _)| *own == row).map(|(_, line)| line.clone()))
    });
    let place = Memo::new(move |_| {
        let lines: Vec<Line> = state.lines.with(|lines| lines.iter().map(|(_, line)| line.clone()).collect());
        let at = state.lines.with(|lines| lines.iter().position(|(own, _)| *own == row))?;
        layout.with(|layout| {
            let flag = layout.flags(&lines).get(at).copied()?;
            let x = layout.x(lines.get(at)?.micros * 1000.0).round();
            Some(Place { x, flag, bottom: layout.axis })
        })
    });
    // Before it was pressed, to go back to.
    let (pressed, is_typing) = (RwSignal::new(None::<f64>), RwSignal::new(false));
    let node = NodeRef::<leptos::html::Div>::new();
    let micros = move || own.with_untracked(|line| line.as_ref().map_or(1.0, |line| line.micros));
    let down = move |event: PointerEvent| {
        if event.button() != 0 || is_typing.get_untracked() {
            return;
        }
        event.stop_propagation();
        let Some(target) = event.current_target().and_then(|t| t.dyn_into::<web_sys::Element>().ok()) else {
            return;
        };
        let _ = target.set_pointer_capture(event.pointer_id());
        if let Some(node) = node.get_untracked() {
            let _ = node.focus();
        }
        pressed.set(Some(micros()));
    };
    let moved = move |event: PointerEvent| {
        event.stop_propagation();
        if pressed.get_untracked().is_none() {
            return;
        }
        let parent = node.get_untracked().and_then(|node| node.parent_element());
        let Some(corner) = parent.map(|parent| parent.get_bounding_client_rect()) else { return };
        let x = event.client_x() as f32 - corner.left() as f32;
        let nanos = layout.with_untracked(|layout| layout.nanos(x));
        state.set_retention(row, significant(nanos / 1000.0));
    };
    let up = move |_: PointerEvent| {
        if let Some(before) = pressed.get_untracked() {
            pressed.set(None);
            if before.total_cmp(&micros()).is_ne() {
                state.keep_devices();
            }
        }
    };
    let key = move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let is_right = event.key() == "ArrowRight";
        match event.key().as_str() {
            "ArrowLeft" | "ArrowRight" if event.shift_key() => {
                state.set_retention(row, round_step(micros(), is_right));
            }
            "ArrowLeft" | "ArrowRight" => {
                state.set_retention(row, micros() * if is_right { STEP } else { 1.0 / STEP });
            }
            "Enter" => is_typing.set(true),
            "Escape" => match pressed.get_untracked() {
                Some(before) => {
                    pressed.set(None);
                    state.set_retention(row, before);
                }
                None => state.restore_retention(row),
            },
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let released = move |event: KeyboardEvent| {
        if matches!(event.key().as_str(), "ArrowLeft" | "ArrowRight") {
            state.keep_devices();
        }
    };
    let px = |value: f32| format!("{value}px");
    let line_left = move || place.get().map(|place| px(place.x - GRAB));
    let line_top = move || place.get().map(|place| px(place.flag.y));
    let line_height = move || place.get().map(|place| px((place.bottom - place.flag.y).max(0.0)));
    let flag_left = move || place.get().map(|place| px(place.flag.x));
    let flag_width = move || place.get().map(|place| px(place.flag.w));
    let name = move || own.with(|line| line.as_ref().map_or(String::new(), |line| line.name.clone()));
    let now = move || own.with(|line| line.as_ref().map_or(String::new(), |line| time(line.micros * 1000.0)));
    let number = move || own.with(|line| line.as_ref().map_or(String::new(), |line| line.micros.to_string()));
    let tip = context
        .word(phrase("Drag, or ← → by 1 %, Shift for 1-2-5 steps; double-click to type, Escape to restore"));
    let typed = Callback::new(move |text: Option<String>| {
        is_typing.set(false);
        if let Some(micros) = text.and_then(|text| parse_micros(&text)) {
            state.set_retention(row, micros);
            state.keep_devices();
        }
        if let Some(node) = node.get_untracked() {
            let _ = node.focus();
        }
    });
    view! {
        <div
            class="lifetimes__line"
            node_ref=node
            role="slider"
            tabindex="0"
            aria-label=name
            aria-valuetext=now
            aria-valuenow=number
            style:left=line_left
            style:top=line_top
            style:height=line_height
            on:pointerdown=down
            on:pointermove=moved
            on:pointerup=up
            on:pointercancel=up
            on:keydown=key
            on:keyup=released
            on:dblclick=move |_| is_typing.set(true)
        ></div>
        <div
            class="lifetimes__flag"
            aria-hidden="true"
            data-tip=tip
            style:left=flag_left
            style:top=line_top
            style:width=flag_width
            on:pointerdown=down
            on:pointermove=moved
            on:pointerup=up
            on:pointercancel=up
            on:dblclick=move |_| is_typing.set(true)
        ></div>
        <Show when=move || is_typing.get()>
            <Typing left=Signal::derive(flag_left) top=Signal::derive(line_top) width=Signal::derive(flag_width) value=now label=Signal::derive(name) typed />
        </Show>
    }
}

/// The field in place of a flag.
#[component]
fn Typing(
    left: Signal<Option<String>>,
    top: Signal<Option<String>>,
    width: Signal<Option<String>>,
    #[prop(into)] value: Signal<String>,
    label: Signal<String>,
    /// Told what was typed, or nothing.
    typed: Callback<Option<String>>,
) -> impl IntoView {
    let node = NodeRef::<leptos::html::Input>::new();
    Effect::new(move || {
        if let Some(node) = node.get() {
            let _ = node.focus();
            node.select();
        }
    });
    let is_over = StoredValue::new(false);
    let finish = move |text: Option<String>| {
        // Leaving the field follows Enter too.
        if is_over.try_get_value() == Some(false) {
            is_over.set_value(true);
            typed.run(text);
        }
    };
    let text = move || node.get_untracked().map(|node| node.value());
    let key = move |event: KeyboardEvent| {
        event.stop_propagation();
        match event.key().as_str() {
            "Enter" => finish(text()),
            "Escape" => finish(None),
            _ => {}
        }
    };
    view! {
        <input
            class="lifetimes__typing"
            node_ref=node
            type="text"
            autocomplete="off"
            spellcheck="false"
            aria-label=move || label.get()
            style:left=move || left.get()
            style:top=move || top.get()
            style:width=move || width.get()
            prop:value=value.get_untracked()
            on:keydown=key
            on:blur=move |_| finish(text())
        />
    }
}

/// Three digits are enough for what is pointed at.
fn significant(micros: f64) -> f64 {
    let power = 10_f64.powf(2.0 - micros.log10().floor());
    (micros * power).round() / power
}
