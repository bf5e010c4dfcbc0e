//! Figures of few shapes as inline SVG: graphs, core grids, matrices. Words can be selected, colors follow the theme.

use super::hover::{places, tip_of};
use super::{inline, set_px};
use crate::base::geometry::Size;
use crate::draw::{self, style::Look};
use crate::scene::Scene;
use crate::ui::canvas::{Extent, observe};
use crate::ui::overlay::tooltip::tooltips;
use crate::view::context::ViewContext;
use crate::wire::figures::Shown;
use leptos::prelude::*;

/// A drawing as wide as its place, or as wide as it needs: then it scrolls sideways.
#[component]
pub(super) fn Drawing(context: ViewContext, shown: Shown) -> impl IntoView {
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
        let look = Look { palette: &palette, language: context.language.get() };
        figure.with_value(|f| {
            let width = width.max(draw::least_width(f)).floor();
            let size = Size { w: width, h: draw::height(f, width) };
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
    let tooltips = tooltips();
    let follow = move |event: leptos::ev::PointerEvent| {
        let Some(node) = inner.get_untracked() else { return };
        let (window, at) = places(&event, &node);
        match scene.with_untracked(|s| draw::hit(s, at).map(tip_of)) {
            Some(tip) => tooltips.show(window, tip),
            None => tooltips.hide(),
        }
    };
    view! {
        <div class="figure__drawing" node_ref=outer>
            <div
                class="figure__inline"
                node_ref=inner
                role="img"
                aria-label=alt
                inner_html=move || scene.with(|s| inline(s, "drawing-"))
                on:pointermove=follow
                on:pointerleave=move |_| tooltips.hide()
            ></div>
        </div>
    }
}
