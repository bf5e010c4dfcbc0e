//! Charts with axes, drawn by plotters on a canvas of the page. Marks of a histogram are dragged, or moved by the arrow
//! keys; a press on a name of the legend switches its series off and on.

use super::{places, set_px, tip_of};
use crate::base::geometry::{Point, Rect, Size};
use crate::base::words::Language;
use crate::browser::Brush;
use crate::draw;
use crate::draw::axis::Axis;
use crate::draw::chart::{self, Painted, mark_at};
use crate::draw::record::Inks;
use crate::draw::style::DrawStyle;
use crate::model::figure::{Body, Figure, FigureState};
use crate::pane::context::ViewContext;
use crate::scene::Scene;
use crate::ui::overlay::tooltips;
use crate::ui::{Canvas, Extent};
use crate::wire::figures::Shown;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlCanvasElement;

/// How near to a mark the pointer takes it.
const GRAB: f32 = 6.0;

/// A chart.
#[allow(clippy::too_many_lines)] // one picture with its gestures
#[component]
pub(super) fn Chart(context: ViewContext, shown: Shown, state: RwSignal<FigureState>) -> impl IntoView {
    let canvas = RwSignal::new_local(None::<HtmlCanvasElement>);
    let extent = RwSignal::new(Extent::default());
    let node = NodeRef::<leptos::html::Div>::new();
    let hits = StoredValue::new(Scene::default());
    let plot = StoredValue::new(None::<(Rect, Axis)>);
    let alt = shown.words.clone();
    let figure = StoredValue::new(shown.figure);
    // Where others beside it are taller, a roofline fills the height too: what it shows is a picture, not rows.
    let fills = figure.with_value(|f| matches!(&f.body, Body::Roofline(_)));
    let can_move = figure.with_value(|f| matches!(&f.body, Body::Histogram(h) if h.can_move_marks));
    let moving = RwSignal::new(None::<usize>);
    let tooltips = tooltips();
    Effect::new(move || {
        let Extent { size, ratio } = extent.get();
        let (palette, language) = (context.palette.get(), context.language.get());
        if let Some(node) = node.get() {
            let name = if fills { "min-height" } else { "height" };
            set_px(&node, name, figure.with_value(|f| draw::height(f, size.w.max(240.0), language)));
        }
        let (Some(canvas), true) = (canvas.get(), 1.0 <= size.w && 1.0 <= size.h) else { return };
        let look = DrawStyle { palette: &palette, language };
        let painted = figure.with_value(|f| state.with(|s| paint(&canvas, f, size, ratio, &look, s)));
        plot.set_value(painted.plot);
        hits.set_value(Scene { size, shapes: painted.over });
    });
    let mark_near = move |x: f32| {
        figure.with_value(|f| {
            let Body::Histogram(histogram) = &f.body else { return None };
            let place = |i: &usize| {
                let value = state.with_untracked(|s| mark_at(histogram, s, *i));
                plot.with_value(|p| p.as_ref().and_then(|(r, axis)| Some(r.x + axis.at(value)? as f32 * r.w)))
            };
            (0..histogram.marks.len()).find(|i| place(i).is_some_and(|at| (at - x).abs() <= GRAB))
        })
    };
    let move_to = move |mark: usize, at: f64| {
        let value = plot.with_value(|p| p.as_ref().map(|(_, axis)| axis.value(at.clamp(0.0, 1.0))));
        let Some(value) = value else { return };
        let own = figure.with_value(|f| match &f.body {
            Body::Histogram(h) => h.marks.iter().map(|m| m.value).collect(),
            _ => Vec::new(),
        });
        state.update(|s| {
            if s.marks.len() != own.len() {
                s.marks = own;
            }
            if let Some(place) = s.marks.get_mut(mark) {
                *place = value;
            }
        });
    };
    let on_move = move |event: leptos::ev::PointerEvent| {
        let Some(node) = node.get_untracked() else { return };
        let (window, at) = places(&event, &node);
        if let Some(mark) = moving.get_untracked().filter(|_| event.buttons() != 0) {
            let share = plot.with_value(|p| p.as_ref().map(|(r, _)| f64::from((at.x - r.x) / r.w)));
            return share.into_iter().for_each(|share| move_to(mark, share));
        }
        let words = hits.with_value(|scene| draw::hit(scene, at).map(tip_of));
        match words {
            Some(tip) => tooltips.show(window, tip),
            None => tooltips.hide(),
        }
    };
    let on_down = move |event: leptos::ev::PointerEvent| {
        let Some(node) = node.get_untracked() else { return };
        let (_, at) = places(&event, &node);
        let mark = mark_near(at.x).filter(|_| can_move);
        moving.set(mark);
        if mark.is_some() {
            tooltips.hide();
            // The drag goes on outside of the chart; where that is refused it ends at the edge.
            let _ = node.set_pointer_capture(event.pointer_id());
        } else {
            toggle(&hits.with_value(Clone::clone), at, figure, state, context.language.get_untracked());
        }
    };
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        let step = match event.key().as_str() {
            "ArrowLeft" => -0.01,
            "ArrowRight" => 0.01,
            _ => return,
        };
        let mark = moving.get_untracked().unwrap_or(0);
        let now = figure.with_value(|f| match &f.body {
            Body::Histogram(h) => {
                plot.with_value(|p| p.as_ref()?.1.at(state.with_untracked(|s| mark_at(h, s, mark))))
            }
            _ => None,
        });
        if let (Some(now), true) = (now, can_move) {
            event.prevent_default();
            event.stop_propagation();
            moving.set(Some(mark));
            move_to(mark, now + step);
        }
    };
    let named = can_move.then(|| alt.clone());
    view! {
        <div
            class="figure__drawn"
            class:figure__drawn--movable=can_move
            class:figure__drawn--fills=fills
            node_ref=node
            tabindex=if can_move { "0" } else { "-1" }
            role=can_move.then_some("group")
            aria-label=named
            on:pointermove=on_move
            on:pointerdown=on_down
            on:pointerleave=move |_| tooltips.hide()
            on:keydown=on_key
        >
            <Canvas class="figure__surface" alt=Signal::stored(alt) on_ready=move |c| canvas.set(Some(c)) extent />
        </div>
    }
}

/// Switches the series whose name in the legend was pressed.
fn toggle(
    hits: &Scene,
    at: Point,
    figure: StoredValue<Figure>,
    state: RwSignal<FigureState>,
    language: Language,
) {
    let Some(name) = draw::hit(hits, at) else { return };
    let series = figure.with_value(|f| {
        let is_legend = at.y < chart::legend_height(&f.body, hits.size.w, language);
        chart::series(&f.body, name).filter(|_| is_legend)
    });
    if let Some(series) = series {
        state.update(|s| match s.hidden.iter().position(|h| *h == series) {
            Some(at) => drop(s.hidden.remove(at)),
            None => s.hidden.push(series),
        });
    }
}

/// Paints the chart and what lies over it.
fn paint(
    canvas: &HtmlCanvasElement,
    figure: &Figure,
    size: Size,
    ratio: f32,
    look: &DrawStyle,
    state: &FigureState,
) -> Painted {
    canvas.set_width((size.w * ratio).round() as u32);
    canvas.set_height((size.h * ratio).round() as u32);
    let Some(backend) = plotters_canvas::CanvasBackend::with_canvas_object(canvas.clone()) else {
        return Painted::default();
    };
    let inks = Inks::Painted(look.palette);
    let painted = chart::paint(figure, backend, ratio.into(), &inks, look, state).unwrap_or_default();
    let Ok(Some(context)) = canvas.get_context("2d") else { return painted };
    // Both kinds of contexts have the same methods; the brush is written for one of them.
    let context: web_sys::OffscreenCanvasRenderingContext2d = context.unchecked_into();
    let _ = context.set_transform(ratio.into(), 0.0, 0.0, ratio.into(), 0.0, 0.0);
    let mut brush = Brush::new(&context, look.palette);
    painted.over.iter().for_each(|shape| brush.paint(shape));
    painted
}
