//! Which pages were accessed when, and how often: a heat map of accesses by page and clock.
//!
//! Needs accesses that an analysis counted. The wheel zooms clocks at the pointer, Shift+wheel or the wheel over the names
//! at the left zooms pages, dragging moves, dragging with Alt chooses an area, a double click shows everything, a click
//! selects a cell. What is zoomed into is counted anew in finer cells. Beside the picture stand the tensors with their
//! colors and what the window adds up to; with a baseline, how that differs. Below it, on the same clock, accesses over time
//! (and those of the baseline) and the working set.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

mod gestures;
mod side;
mod state;
mod strip;

use crate::base::number::{thousands, whole_with_unit, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{fill, phrase, tr};
use crate::model::figure::Shading;
use crate::pane::ViewSpec;
use crate::pane::context::ViewContext;
use crate::pane::plane::ZoomArea;
use crate::pane::surface::Surface;
use crate::ui::field::{Segmented, SelectField};
use crate::ui::tabs;
use crate::views::density::messages::Frame;
use crate::views::details::page::parameters::ParameterFields;
use crate::wire::Draw;

use gestures::Gestures;
use leptos::prelude::*;
use state::State;

/// The view.
pub static VIEW: ViewSpec = ViewSpec {
    id: "heatmap",
    title: phrase("Heat map"),
    question: "Which memory was accessed when, and how often?",
    can_show: |head| 0 < head.contents.counted,
    badge: |_| None,
    compares: true,
    show: |context| crate::views::parts::later(&VIEW, context),
};

/// The view itself; a part of the program that is loaded when it is needed.
pub fn show(context: ViewContext) -> AnyView {
    view! { <DensityView context /> }.into_any()
}

/// What decides the strength of colors: id, title.
const SHADINGS: [(Shading, &str, &str); 3] = [
    (Shading::Quintiles, "percentiles", phrase("Percentile scale")),
    (Shading::Log, "log", phrase("Logarithmic scale")),
    (Shading::Linear, "linear", phrase("Linear scale")),
];

#[component]
fn DensityView(context: ViewContext) -> impl IntoView {
    let state = State::new(context);
    let gestures = Gestures::new(state);
    context.offer_picture(VIEW.id, move || vec![(state.frame().frame(), state.extent.get().size)]);
    view! {
        <div class="density">
            <tabs::Tools view=VIEW.id><Tools state /></tabs::Tools>
            <div class="density__main">
                <Head state />
                <Picture state gestures />
                <strip::Strip state />
            </div>
            <side::Side state />
        </div>
    }
}

/// The axis and the colors, in the bar above the view.
#[component]
fn Tools(state: State) -> impl IntoView {
    let context = state.context;
    let axes = Signal::derive(move || {
        [("dense", phrase("Touched pages")), ("linear", phrase("Address"))]
            .map(|(id, title)| (id.to_owned(), context.tr(title).to_owned()))
            .to_vec()
    });
    let axis = Signal::derive(move || if state.is_linear.get() { "linear" } else { "dense" }.to_owned());
    let choose_axis = Callback::new(move |id: String| {
        state.is_linear.set(id == "linear");
        state.plane.places.set(None);
    });
    let shadings = Signal::derive(move || {
        SHADINGS.map(|(_, id, title)| (id.to_owned(), context.tr(title).to_owned())).to_vec()
    });
    let shading = Signal::derive(move || state::id_of(state.shading.get()).to_owned());
    let choose_shading = Callback::new(move |id: String| state.shading.set(state::shading_of(&id)));
    view! {
        <div class="accesses__tools">
            <Segmented label=context.word("Page axis") options=axes value=axis on_choose=choose_axis />
            <SelectField label=context.word("Shades") options=shadings value=shading on_choose=choose_shading />
            <button class="button button--plain" type="button" on:click=move |_| state.plane.show_all()>
                {context.word("Zoom to fit")}
            </button>
        </div>
    }
}

/// What is counted, and the parameters of counting.
#[component]
fn Head(state: State) -> impl IntoView {
    let context = state.context;
    let analysis = Memo::new(move |_| {
        let id = state.head.with(|head| head.as_ref().map(|head| head.analysis.clone()))?;
        context.head.with(|head| head.analyses.iter().find(|analysis| analysis.id == id).cloned())
    });
    let title =
        move || state.head.with(|h| h.as_ref().map(|h| h.title.text(context.language.get()).into_owned()));
    let scope = move || {
        let language = context.language.get();
        let is_running =
            analysis.with(|a| a.as_ref().is_some_and(|a| a.is_running)) || state.is_zooming.get();
        if is_running {
            return tr(language, "Computing…").to_owned();
        }
        state.head.with(|head| {
            let Some(head) = head else { return String::new() };
            let clocks = (head.clocks.1 - head.clocks.0).saturating_add(1);
            let bytes = |n: u64| with_unit(n as f64, &Unit::Bytes);
            let words = fill(
                tr(language, "{n} pages of {bytes}, {clocks}"),
                &[
                    ("n", &thousands(head.pages)),
                    ("bytes", &bytes(head.page_bytes)),
                    ("clocks", &whole_with_unit(clocks, &head.unit)),
                ],
            );
            if head.page_bytes == head.asked_bytes {
                return words;
            }
            let finer = tr(language, "pages of {bytes} when zoomed in");
            format!("{words}, {}", fill(finer, &[("bytes", &bytes(head.asked_bytes))]))
        })
    };
    view! {
        <header class="density__head">
            <h2 class="figure__title">{title}</h2>
            <span class="figure__scope" role="status">{scope}</span>
            <div class="parameters__row"><ParameterFields context head=analysis /></div>
        </header>
    }
}

#[component]
fn Picture(state: State, gestures: Gestures) -> impl IntoView {
    let context = state.context;
    let root = NodeRef::<leptos::html::Div>::new();
    Effect::new(move || {
        if let Some(root) = root.get() {
            let _ = root.focus();
        }
    });
    let frame = Signal::derive(move || Some(state.frame().frame()));
    let words = Signal::derive(move || state.note.with(|note| note.alt.clone()));
    let on_note = Callback::new(move |note| {
        if let Some(note) = Frame::noted(note) {
            state.note.set(note);
        }
    });
    let line = move || {
        let (share, plot) = (state.pointer.get()?, state.note.with(|note| note.plot));
        let [left, top, height] =
            [plot.x + plot.w * share as f32, plot.y, plot.h].map(|px| format!("{px}px"));
        Some(view! { <div class="density__pointer" style:left=left style:top=top style:height=height></div> })
    };
    view! {
        <div
            class="accesses__picture density__picture"
            class:accesses__picture--moving=move || state.plane.is_moving()
            node_ref=root
            tabindex="0"
            data-keys
            on:keydown=move |e| gestures.key(&e)
            on:wheel=move |e| gestures.wheel(&e)
            on:pointerdown=move |e| gestures.down(&e)
            on:pointermove=move |e| gestures.moved(&e)
            on:pointerup=move |e| gestures.up(&e)
            on:pointercancel=move |_| gestures.cancel()
            on:pointerleave=move |_| gestures.leave()
            on:dblclick=move |_| state.plane.show_all()
        >
            <Surface context class="accesses__surface" frame on_note alt=words extent=state.extent />
            <ZoomArea plane=state.plane />
            {line}
        </div>
    }
}
