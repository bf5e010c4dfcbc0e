//! The picture of the upper part: drawn by the page itself on its own canvas, because what it shows follows the pointer.

use super::lines::{Lines, plot};
use super::state::{LifetimesState, Panel};
use crate::base::geometry::{Point, Size};
use crate::base::number::{fixed, percent_beside, thousands};
use crate::base::order;
use crate::base::words::{fill, phrase};
use crate::browser::Brush;
use crate::draw::style::DrawStyle;
use crate::pane::figure::places;
use crate::scene::Scene;
use crate::ui::Canvas;
use crate::ui::overlay::{Tip, tooltips};
use crate::views::lifetimes::compute::{ENOUGH, LevelRow, Retention};
use crate::views::lifetimes::scene::{
    Course, DevicePlot, KernelPoint, KernelShare, Line, ReusePlot, Under, WriteRates, base_words, draw,
    draw_devices, draw_reuse, draw_write_rates, length, percent, time, under, under_write_rates,
};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlCanvasElement;

/// The picture, with the retention lines where it has some.
#[component]
pub(super) fn Picture(state: LifetimesState) -> impl IntoView {
    let context = state.context;
    let canvas = RwSignal::new_local(None::<HtmlCanvasElement>);
    context.offer_picture(super::VIEW.id, Vec::new);
    let node = NodeRef::<leptos::html::Div>::new();
    let tooltips = tooltips();
    Effect::new(move || {
        let extent = state.extent.get();
        let (palette, language) = (context.palette.get(), context.language.get());
        let is_empty = extent.size.w < 1.0 || extent.size.h < 1.0;
        let Some(canvas) = canvas.get().filter(|_| !is_empty) else { return };
        let look = DrawStyle { palette: &palette, language };
        paint(&canvas, &scene(state, extent.size, &look), extent.ratio, &look);
    });
    let alt = Signal::derive(move || words(state));
    let moved = move |event: leptos::ev::PointerEvent| {
        let Some(node) = node.get_untracked().filter(|_| event.buttons() == 0) else { return };
        let (window, at) = places(&event, &node);
        match untrack(|| tip(state, at)) {
            Some(tip) => tooltips.show(window, tip),
            None => tooltips.hide(),
        }
    };
    let pressed = move |event: leptos::ev::MouseEvent| {
        let Some(node) = node.get_untracked() else { return };
        let (_, at) = places(&event, &node);
        if let Some(point) = untrack(|| point_at(state, at)) {
            state.kernel.set(u32::try_from(point.kernel).ok());
        }
    };
    view! {
        <div
            class="lifetimes__picture"
            node_ref=node
            on:pointermove=moved
            on:pointerleave=move |_| tooltips.hide()
            on:click=pressed
        >
            <Canvas class="lifetimes__surface" alt on_ready=move |c| canvas.set(Some(c)) extent=state.extent />
            <Show when=move || state.panel.get() == Panel::Lengths><Lines state /></Show>
        </div>
    }
}

fn paint(canvas: &HtmlCanvasElement, scene: &Scene, ratio: f32, look: &DrawStyle) {
    // Setting the size clears it.
    canvas.set_width((scene.size.w * ratio).round() as u32);
    canvas.set_height((scene.size.h * ratio).round() as u32);
    let Ok(Some(context)) = canvas.get_context("2d") else { return };
    // Both kinds of contexts have the same methods; the brush is written for one of them.
    let context: web_sys::OffscreenCanvasRenderingContext2d = context.unchecked_into();
    let _ = context.set_transform(ratio.into(), 0.0, 0.0, ratio.into(), 0.0, 0.0);
    let mut brush = Brush::new(&context, look.palette);
    scene.shapes.iter().for_each(|shape| brush.paint(shape));
}

fn scene(state: LifetimesState, size: Size, look: &DrawStyle) -> Scene {
    match state.panel.get() {
        Panel::Lengths | Panel::Time | Panel::Addresses => plot(state, size, |plot| draw(plot, size, look)),
        Panel::Rates => draw_write_rates(&rates(state), size, look),
        Panel::Devices => draw_devices(&devices(state), size, look),
        Panel::Reuse => reuse(state, |levels| draw_reuse(levels, size, look)),
    }
}

/// Whether a kernel has a length at a level.
fn counts(own: &LevelRow) -> bool {
    0 < own.lifetimes || 0.0 < own.max
}

/// Kernels by rate of writes and length.
fn rates(state: LifetimesState) -> WriteRates {
    // What has no place on axes of stores and lengths is said.
    let left_out = state.of(|head| {
        let of_level = |at: usize| {
            let rows = || head.kernels.iter().filter_map(move |kernel| kernel.table.levels.get(at));
            let idle = rows().filter(|own| own.write_mhz <= 0.0).count() as u64;
            [idle, rows().filter(|own| 0.0 < own.write_mhz && !counts(own)).count() as u64]
        };
        (0..head.levels.len()).map(of_level).collect::<Vec<_>>()
    });
    let regions = state.devices.with(|devices| {
        let region = |(row, line): &(usize, Line)| {
            let points = match devices.devices.get(*row).map(|device| &device.retention) {
                Some(Retention::ByFrequency(points)) => points.clone(),
                _ => vec![(f64::INFINITY, line.micros)],
            };
            (line.clone(), points)
        };
        state.lines.with(|lines| lines.iter().map(region).collect())
    });
    WriteRates {
        points: points(state),
        regions,
        levels: state.of(|head| head.levels.iter().map(|level| level.name.clone()).collect()),
        names: state.of(|head| head.kernels.iter().map(|kernel| kernel.table.name.clone()).collect()),
        left_out,
        selected: state.kernel.get().map(|row| row as usize),
    }
}

/// Kernels with a place on the axes of rates and lengths.
fn points(state: LifetimesState) -> Vec<KernelPoint> {
    state.of(|head| {
        let of_kernel = |(row, kernel): (usize, &crate::views::lifetimes::messages::Kernel)| {
            let levels = kernel.table.levels.iter().enumerate();
            let known = levels.filter(|(_, own)| 0.0 < own.write_mhz && counts(own));
            let point = |(level, own): (usize, &LevelRow)| KernelPoint {
                kernel: row,
                level,
                mhz: own.write_mhz,
                micros: own.p90,
            };
            known.map(point).collect::<Vec<_>>()
        };
        head.kernels.iter().enumerate().flat_map(of_kernel).collect()
    })
}

/// Devices of each level as multiples of the reference.
fn devices(state: LifetimesState) -> Vec<DevicePlot> {
    let all = state.figures.get();
    let devices = state.devices.get();
    let reference = devices.devices.iter().position(|own| own.is_reference).unwrap_or(0);
    let of_level = |(at, figures): (usize, &super::Figures)| {
        let mix = figures.of_mix(reference).filter(|_| 0 < figures.lifetimes);
        let mix = mix.map(|(area, energy)| (state.context.tr(phrase("Mix")).to_owned(), area, energy));
        let names = (super::devices::level_name(state, at), super::devices::scope(state, at));
        DevicePlot::new(names, &devices, &figures.devices, mix)
    };
    all.iter().enumerate().map(of_level).collect()
}

/// What is never used again, and how often others are.
fn reuse<T>(state: LifetimesState, read: impl FnOnce(&[ReusePlot]) -> T) -> T {
    let held = state.held.get().0;
    let chosen = state.kernel.get();
    let levels = held.levels.iter().enumerate().map(|(at, level)| {
        let mut kernels: Vec<KernelShare> = state.of(|head| {
            let rows = (0_u32..).zip(&head.kernels).filter(|(row, _)| chosen.is_none_or(|own| own == *row));
            let share = |(_, kernel): (u32, &crate::views::lifetimes::messages::Kernel)| {
                let own = kernel.levels.get(at).filter(|own| 0 < own.opened)?;
                Some(KernelShare { name: kernel.table.name.clone(), orphans: (own.orphans, own.opened) })
            };
            rows.filter_map(share).collect()
        });
        let share = |one: &KernelShare| one.orphans.0 as f64 / one.orphans.1.max(1) as f64;
        order::sort_by_number(&mut kernels, |one| std::cmp::Reverse(share(one)));
        let is_of_some = state
            .of(|head| head.scope != "total" && head.levels.get(at).is_some_and(|level| level.is_private));
        ReusePlot {
            name: super::devices::level_name(state, at),
            others: if is_of_some { state.all_units(at) } else { String::new() },
            reuses: &level.reuses,
            orphans: (level.told.counts.orphans, level.told.counts.lifetimes),
            kernels,
            course: Course {
                sectors: &level.told.course,
                step: level.told.step,
                span: level.told.span as f64,
                clock_mhz: Some(held.clock_mhz).filter(|mhz| 0.0 < *mhz),
                room: level.told.room,
                peak: level.told.peak,
                kernel: &level.told.peak_kernel,
            },
        }
    });
    read(&levels.collect::<Vec<_>>())
}

/// The kernel under a point of the plane of rates.
fn point_at(state: LifetimesState, at: Point) -> Option<KernelPoint> {
    if state.panel.get() != Panel::Rates {
        return None;
    }
    // Only points decide; names and what is left out are not made for each move of the pointer.
    let plot = WriteRates { points: points(state), ..WriteRates::default() };
    under_write_rates(&plot, state.extent.get().size, at)
}

/// What is said of what lies under a point.
fn tip(state: LifetimesState, at: Point) -> Option<Tip> {
    let context = state.context;
    let row = |label: &'static str, value: String| (context.tr(label).to_owned(), value);
    if let Some(point) = point_at(state, at) {
        let name = state.of(|head| {
            head.kernels.get(point.kernel).map(|kernel| kernel.table.name.clone()).unwrap_or_default()
        });
        let rows = vec![
            row(phrase("Level"), super::devices::level_name(state, point.level)),
            row(phrase("Writes MHz"), fixed(point.mhz, 1)),
            ("90 %".to_owned(), time(point.micros * 1000.0)),
        ];
        let hint = if state.has_layers() {
            phrase("Click to show only this layer.")
        } else {
            phrase("Click to show only this kernel.")
        };
        let hint = context.tr(hint).to_owned();
        return Some(Tip { title: name, rows, hint, ..Tip::default() });
    }
    if state.panel.get() != Panel::Lengths {
        return None;
    }
    let size = state.extent.get().size;
    let (found, name, all, has_clock) = plot(state, size, |plot| {
        let found = under(plot, size, at)?;
        let level = plot.levels.get(found.level)?;
        Some((found, level.name.clone(), level.lengths.count(), plot.clock_mhz.is_some()))
    })?;
    let Under { from, to, count, within, .. } = found;
    if all == 0 {
        return None;
    }
    let share = |n: u64| percent(n as f64 / all as f64);
    let rows = vec![
        row(phrase("Lifetimes"), thousands(count.cast_signed())),
        row(phrase("Share"), share(count)),
        row(phrase("At most this long"), share(within)),
    ];
    let title = format!("{name}, {} – {}", length(from, has_clock), length(to, has_clock));
    Some(Tip { title, rows, ..Tip::default() })
}

/// The picture in words.
fn words(state: LifetimesState) -> String {
    let context = state.context;
    let held = state.held.get().0;
    let lines = state.lines.get();
    let of_level = |(at, level): (usize, &super::HeldLevel)| {
        let lengths = &level.demand.lifetimes;
        let words = context.tr(phrase("{level}: {n} lifetimes, median {median}"));
        let nanos = lengths.quantile(0.5) / held.clock_mhz.max(1e-9) * 1000.0;
        let mut text = fill(
            words,
            &[
                ("level", &super::devices::level_name(state, at)),
                ("n", &thousands(lengths.count().cast_signed())),
                ("median", &length(nanos, 0.0 < held.clock_mhz)),
            ],
        );
        let counts = &level.told.counts;
        if 0 < counts.orphans {
            let base = base_words(lengths.count(), counts.orphans, counts.lifetimes, context.language.get());
            text.push_str("; ");
            text.push_str(&base);
        }
        for (_, line) in &lines {
            let share = percent_beside(lengths.share_within(line.micros * held.clock_mhz), ENOUGH);
            let words = context.tr(phrase("{share} fit {device}"));
            text.push_str("; ");
            text.push_str(&fill(words, &[("share", &share), ("device", &line.name)]));
        }
        text
    };
    held.levels.iter().enumerate().map(of_level).collect::<Vec<_>>().join(". ")
}
