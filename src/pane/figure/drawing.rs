//! Figures of few shapes as inline SVG: graphs, core grids, matrices. Words can be selected, colors follow the theme.
//! Places that lead somewhere have the pointer of a link; a click goes there, the right button lists where. With the keyboard
//! the arrows go from place to place, Enter follows.

use super::{inline, navigate, places, set_px, tip_of};
use crate::base::geometry::{Point, Rect, Size};
use crate::draw;
use crate::draw::style::DrawStyle;
use crate::model::figure::FigureState;
use crate::pane::context::ViewContext;
use crate::scene::{Scene, Shape};
use crate::ui::overlay::menu::menus;
use crate::ui::overlay::tooltips;
use crate::ui::{Extent, Latest, observe};
use crate::wire::figures::{Frame, Shown};
use leptos::prelude::*;

/// A drawing as wide as its place, or as wide as it needs: then it scrolls sideways.
#[allow(clippy::too_many_lines)] // one picture with its gestures
#[component]
pub(super) fn Drawing(
    context: ViewContext,
    shown: Shown,
    id: String,
    chosen: Vec<usize>,
    is_compared: bool,
) -> impl IntoView {
    let extent = RwSignal::new(Extent::default());
    let outer = NodeRef::<leptos::html::Div>::new();
    let inner = NodeRef::<leptos::html::Div>::new();
    let alt = shown.words.clone();
    let figure = StoredValue::new(shown.figure);
    let scene = Memo::new(move |_| {
        let width = extent.with(|e| e.size.w);
        if width < 1.0 {
            return Scene::default();
        }
        let palette = context.palette.get();
        let look = DrawStyle { palette: &palette, language: context.language.get() };
        figure.with_value(|f| {
            let width = width.max(draw::least_width(f)).floor();
            let size = Size { w: width, h: draw::height(f, width, look.language) };
            draw::draw_small(f, size, &look)
        })
    });
    Effect::new(move |was: Option<bool>| {
        let Some(node) = outer.get() else { return false };
        if was != Some(true) {
            observe(&node, extent);
        }
        true
    });
    Effect::new(move || {
        if let Some(node) = inner.get() {
            scene.with(|s| {
                set_px(&node, "width", s.size.w);
                set_px(&node, "height", s.size.h);
            });
        }
    });
    // What must be scrolled, or says something of its places, can be reached by the keyboard.
    let is_reached = Memo::new(move |_| {
        scene.with(|scene| {
            let has_words = scene.shapes.iter().any(|shape| matches!(shape, Shape::Hit { .. }));
            has_words || extent.with(|e| e.size.w + 0.5 < scene.size.w)
        })
    });
    let tabindex = move || is_reached.get().then_some("0");
    let (tooltips, menus) = (tooltips(), menus());
    let frame = StoredValue::new(Frame { id, chosen, state: FigureState::default(), is_compared });
    // What is pointed at, and whether it leads anywhere.
    let under = StoredValue::new(None::<String>);
    let leads = RwSignal::new(false);
    let latest = Latest::default();
    let ask = move |at: Point| {
        let words = scene.with_untracked(|s| draw::hit(s, at).map(str::to_owned));
        if under.with_value(|u| *u == words) {
            return;
        }
        let has_words = words.is_some();
        under.set_value(words);
        leads.set(false);
        latest.begin();
        if !has_words {
            return;
        }
        let size = scene.with_untracked(|s| s.size);
        let targets = navigate::targets(context, frame.get_value(), size, at);
        latest.ask(targets, move |targets| {
            leads.try_set(!targets.is_empty());
        });
    };
    let go = move |event: leptos::ev::MouseEvent| {
        let Some(node) = inner.get_untracked() else { return };
        let at = places(&event, &node);
        // Words that were just marked are to be copied.
        let is_marking = window().get_selection().ok().flatten().is_some_and(|s| !s.is_collapsed());
        if !is_marking && scene.with_untracked(|s| draw::hit(s, at.1).is_some()) {
            tooltips.hide();
            navigate::follow(
                context,
                menus,
                (frame.get_value(), scene.with_untracked(|s| s.size)),
                at,
                false,
            );
        }
    };
    let open_menu = move |event: leptos::ev::MouseEvent| {
        let Some(node) = inner.get_untracked().filter(|_| leads.get_untracked()) else { return };
        event.prevent_default();
        tooltips.hide();
        let size = scene.with_untracked(|s| s.size);
        navigate::follow(context, menus, (frame.get_value(), size), places(&event, &node), true);
    };
    let follow = move |event: leptos::ev::PointerEvent| {
        let Some(node) = inner.get_untracked() else { return };
        let (window, at) = places(&event, &node);
        ask(at);
        match scene.with_untracked(|s| draw::hit(s, at).map(tip_of)) {
            Some(tip) => tooltips.show(window, tip),
            None => tooltips.hide(),
        }
    };
    // The place that the arrow keys are at.
    let at_key = RwSignal::new(None::<Rect>);
    let mark = NodeRef::<leptos::html::Div>::new();
    Effect::new(move || {
        let (Some(node), Some(rect)) = (mark.get(), at_key.get()) else { return };
        for (name, value) in [("left", rect.x), ("top", rect.y), ("width", rect.w), ("height", rect.h)] {
            set_px(&node, name, value);
        }
    });
    // A picture that is wider than its place follows the keys.
    let show = move |rect: Rect| {
        if let Some(node) = outer.get_untracked() {
            let (left, width) = (node.scroll_left() as f32, node.client_width() as f32);
            let wanted = draw::scrolled(rect, left, width);
            if 0.5 < (wanted - left).abs() {
                node.set_scroll_left(wanted.ceil() as i32);
            }
        }
    };
    let leave = move || {
        at_key.set(None);
        tooltips.hide();
    };
    let press = move |event: leptos::ev::KeyboardEvent| {
        let Some(node) = inner.get_untracked() else { return };
        let middle = |rect: Rect| Point { x: rect.x + rect.w / 2.0, y: rect.y + rect.h / 2.0 };
        let in_window = |at: Point| {
            let corner = node.get_bounding_client_rect();
            Point { x: at.x + corner.left() as f32, y: at.y + corner.top() as f32 }
        };
        if let (true, Some(rect)) = (event.key() == "Enter", at_key.get_untracked()) {
            event.prevent_default();
            leave();
            let at = (in_window(middle(rect)), middle(rect));
            navigate::follow(
                context,
                menus,
                (frame.get_value(), scene.with_untracked(|s| s.size)),
                at,
                false,
            );
            return;
        }
        let Some(way) = draw::Way::of_key(&event.key()) else { return };
        let next = scene.with_untracked(|s| {
            draw::next_by_key(s, at_key.get_untracked(), way).map(|(rect, words)| (rect, tip_of(words)))
        });
        let Some((rect, tip)) = next else { return };
        event.prevent_default();
        event.stop_propagation();
        at_key.set(Some(rect));
        show(rect);
        tooltips.show_now(in_window(Point { x: rect.x, y: rect.y + rect.h }), tip);
    };
    view! {
        <div
            class="figure__drawing"
            node_ref=outer
            tabindex=tabindex
            on:keydown=press
            on:focusout=move |_| leave()
        >
            <div class="figure__at" node_ref=mark class:figure__at--shown=move || at_key.get().is_some()></div>
            <div
                class="figure__inline"
                class:figure__inline--leads=move || leads.get()
                node_ref=inner
                role="img"
                aria-label=alt
                inner_html=move || scene.with(|s| inline(s, "drawing-"))
                on:pointermove=follow
                on:click=go
                on:contextmenu=open_menu
                on:pointerleave=move |_| tooltips.hide()
            ></div>
        </div>
    }
}
