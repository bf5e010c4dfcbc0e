//! Figures of few shapes as inline SVG: graphs, core grids, matrices. Words can be selected, colors follow the theme.
//! Places that lead somewhere have the pointer of a link; a click goes there, the right button lists where.

use super::hover::{places, tip_of};
use super::navigate;
use super::{inline, set_px};
use crate::base::geometry::{Point, Size};
use crate::draw::{self, style::DrawStyle};
use crate::model::figure::FigureState;
use crate::scene::Scene;
use crate::ui::canvas::{Extent, observe};
use crate::ui::latest::Latest;
use crate::ui::overlay::menu::menus;
use crate::ui::overlay::tooltip::tooltips;
use crate::view::context::ViewContext;
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
    // What must be scrolled can be reached by the keyboard.
    let is_cut = Memo::new(move |_| scene.with(|scene| extent.with(|e| e.size.w + 0.5 < scene.size.w)));
    let tabindex = move || is_cut.get().then_some("0");
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
            navigate::follow(context, menus, frame.get_value(), scene.with_untracked(|s| s.size), at);
        }
    };
    let open_menu = move |event: leptos::ev::MouseEvent| {
        let Some(node) = inner.get_untracked().filter(|_| leads.get_untracked()) else { return };
        event.prevent_default();
        tooltips.hide();
        let size = scene.with_untracked(|s| s.size);
        navigate::list(context, menus, frame.get_value(), size, places(&event, &node));
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
    view! {
        <div class="figure__drawing" node_ref=outer tabindex=tabindex>
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
