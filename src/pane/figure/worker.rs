//! Figures that the document's worker draws: heat maps, gantts, and whatever is dense.

use super::hover::{places, tip_of};
use super::navigate;
use super::set_px;
use crate::base::geometry::Point;
use crate::draw;
use crate::model::figure::FigureState;
use crate::pane::context::ViewContext;
use crate::pane::surface::Surface;
use crate::ui::canvas::Extent;
use crate::ui::overlay::menu::menus;
use crate::ui::overlay::tooltip::tooltips;
use crate::wire::Draw;
use crate::wire::Note;
use crate::wire::figures::{Frame, Note as FigureNote, Shown};
use leptos::prelude::*;

/// A canvas that the worker draws on, with a read-out under the pointer.
#[allow(clippy::too_many_lines)] // one picture with its gestures
#[component]
pub(super) fn Drawn(
    context: ViewContext,
    shown: Shown,
    id: String,
    chosen: Vec<usize>,
    state: RwSignal<FigureState>,
    is_compared: bool,
) -> impl IntoView {
    let extent = RwSignal::new(Extent::default());
    let told = RwSignal::new(FigureNote { alt: shown.words.clone(), ..FigureNote::default() });
    let pointer = RwSignal::new(None::<(Point, Point)>);
    let node = NodeRef::<leptos::html::Div>::new();
    let figure = StoredValue::new(shown.figure);
    let asked = StoredValue::new((id.clone(), chosen.clone()));
    let frame = Signal::derive(move || {
        let mut state = state.get();
        state.pointer = pointer.get().map(|(_, at)| (at.x, at.y));
        Some(Frame { id: id.clone(), chosen: chosen.clone(), state, is_compared }.frame())
    });
    let ask = move || {
        let (id, chosen) = asked.get_value();
        Frame { id, chosen, state: state.get_untracked(), is_compared }
    };
    let (tooltips, menus) = (tooltips(), menus());
    let on_note = Callback::new(move |note: Note| {
        let Some(note) = Frame::noted(note) else { return };
        match pointer.get_untracked().filter(|_| !note.under.is_empty()) {
            Some((window, _)) => tooltips.show(window, tip_of(&note.under)),
            None => tooltips.hide(),
        }
        told.set(note);
    });
    Effect::new(move || {
        let width = extent.with(|e| e.size.w).max(240.0);
        let language = context.language.get();
        let height = told.with(|t| t.height).max(figure.with_value(|f| draw::height(f, width, language)));
        if let Some(node) = node.get() {
            set_px(&node, "height", height);
        }
    });
    let follow = move |event: leptos::ev::PointerEvent| {
        if let Some(node) = node.get_untracked() {
            pointer.set(Some(places(&event, &node)));
        }
    };
    let leads = move || told.with(|t| t.leads);
    let go = move |event: leptos::ev::MouseEvent| {
        if let Some(node) = node.get_untracked().filter(|_| untrack(leads)) {
            tooltips.hide();
            navigate::follow(context, menus, ask(), extent.get_untracked().size, places(&event, &node));
        }
    };
    let open_menu = move |event: leptos::ev::MouseEvent| {
        if let Some(node) = node.get_untracked().filter(|_| untrack(leads)) {
            event.prevent_default();
            tooltips.hide();
            navigate::list(context, menus, ask(), extent.get_untracked().size, places(&event, &node));
        }
    };
    let leave = move |_| {
        pointer.set(None);
        tooltips.hide();
    };
    view! {
        <div class="figure__tall" tabindex="0">
            <div
                class="figure__drawn"
                class:figure__drawn--leads=leads
                node_ref=node
                on:pointermove=follow
                on:pointerleave=leave
                on:click=go
                on:contextmenu=open_menu
            >
                <Surface
                    context
                    class="figure__surface"
                    frame
                    on_note
                    alt=Signal::derive(move || told.with(|t| t.alt.clone()))
                    extent
                />
            </div>
        </div>
    }
}
