//! The calls of the range: as a flame graph that can be looked into, or as a table.

use super::CHOSEN;
use super::area::{AreaTable, AreaWords, argument, shown_or_rows};
use crate::base::geometry::Point;
use crate::base::words::{phrase, tr};
use crate::model::id::StrId;
use crate::pane::Surface;
use crate::pane::figure::{SaveMenu, places, set_px, tip_of};
use crate::ui::field::Segmented;
use crate::ui::overlay::tooltips;
use crate::ui::{Extent, spawn_while};
use crate::views::timeline::area::{AreaQuery, Frame, Note, Order, Reply};
use crate::views::timeline::messages::Area;
use crate::views::timeline::page::state::TimelineState;
use crate::wire;
use crate::wire::Draw;
use crate::wire::rows::Source;
use leptos::prelude::*;

/// How calls are shown.
const SHOWS: [(&str, &str); 3] =
    [("heavy", phrase("Heaviest first")), ("time", phrase("By time")), ("table", phrase("Table"))];

/// What is counted, where a trace has both.
const COUNTED: [(&str, &str); 2] = [("time", phrase("Time")), ("samples", phrase("CPU samples"))];

/// The tracks with samples in an area; `None` where there are none, or nothing else.
fn sampled(state: TimelineState, area: &Area) -> Option<Area> {
    let context = state.context;
    let tracks = context.head.with(|h| h.sampled_among(&area.tracks));
    let is_all = !area.tracks.is_empty() && area.tracks.iter().all(|id| tracks.contains(id));
    let has_others = !is_all && context.head.with(|h| 0 < h.contents.slices);
    (has_others && !tracks.is_empty()).then_some(Area { span: area.span, tracks })
}

/// The panel.
#[component]
pub(super) fn FlamePanel(state: TimelineState) -> impl IntoView {
    let context = state.context;
    let all = shown_or_rows(state);
    let counted = context.choice(CHOSEN, "counted", "time");
    let samples = Memo::new(move |_| all.with(|all| all.as_ref().and_then(|all| sampled(state, all))));
    let area = Signal::derive(move || {
        let samples = samples.get().filter(|_| counted.with(|counted| counted == "samples"));
        samples.or_else(|| all.get())
    });
    let kinds = Signal::derive(move || {
        let language = context.language.get();
        COUNTED.map(|(id, title)| (id.to_owned(), tr(language, title).to_owned())).to_vec()
    });
    let show = context.choice(CHOSEN, "flame", "heavy");
    let options = Signal::derive(move || {
        let language = context.language.get();
        SHOWS.map(|(id, title)| (id.to_owned(), tr(language, title).to_owned())).to_vec()
    });
    let items = Callback::new(move |()| {
        let argument = area.get_untracked().map(|area| argument(&area)).unwrap_or_default();
        vec![
            (phrase("Save as SVG"), format!("flame-svg:{argument}"), false),
            (phrase("Save as PNG"), format!("flame-svg:{argument}"), true),
            (phrase("Save numbers as CSV"), format!("aggregate-csv:{argument}"), false),
        ]
    });
    let is_table = Memo::new(move |_| show.with(|s| s == "table"));
    let body = move || {
        if is_table.get() {
            view! { <CallTable state area /> }.into_any()
        } else {
            view! { <Graph state area show /> }.into_any()
        }
    };
    view! {
        <div class="detail__tools">
            <Segmented label=context.word("Show as") options value=show on_choose=Callback::new(move |id| show.set(id)) small=true />
            <Show when=move || samples.with(Option::is_some)>
                <Segmented label=context.word("Counted") options=kinds value=counted on_choose=Callback::new(move |id| counted.set(id)) small=true />
            </Show>
            <AreaWords state area=all />
            <SaveMenu context label=context.word("Save calls") items />
        </div>
        {body}
    }
}

/// The picture: a click looks into a frame, Escape goes back to the one around it.
#[component]
fn Graph(state: TimelineState, area: Signal<Option<Area>>, show: RwSignal<String>) -> impl IntoView {
    let context = state.context;
    let extent = RwSignal::new(Extent::default());
    let told = RwSignal::new(Note::default());
    let pointer = RwSignal::new(None::<(Point, Point)>);
    let path = RwSignal::new(Vec::<StrId>::new());
    let node = NodeRef::<leptos::html::Div>::new();
    let tooltips = tooltips();
    let frame = Memo::new(move |_| {
        let order = if show.with(|s| s == "time") { Order::Time } else { Order::Heavy };
        let pointer = pointer.get().map(|(_, at)| at);
        Some(Frame { area: area.get()?, order, color: state.color.get(), path: path.get(), pointer })
    });
    let on_note = Callback::new(move |note: wire::Note| {
        let Some(note) = Frame::noted(note) else { return };
        match pointer.get_untracked().filter(|_| !note.under.is_empty()) {
            Some((window, _)) => tooltips.show(window, tip_of(&note.under)),
            None => tooltips.hide(),
        }
        told.set(note);
    });
    Effect::new(move || {
        if let Some(node) = node.get() {
            set_px(&node, "height", told.with(|t| t.height));
        }
    });
    let point = move |event: &leptos::ev::PointerEvent| {
        let node = node.get_untracked()?;
        Some(places(event, &node))
    };
    let look_into = move |event: leptos::ev::PointerEvent| {
        let (Some((_, at)), Some(frame), 0) = (point(&event), frame.get_untracked(), event.button()) else {
            return;
        };
        let size = extent.get_untracked().size;
        tooltips.hide();
        spawn_while(path, async move {
            let ask = AreaQuery::Frame { frame: Box::new(frame), size, at };
            if let Some(Reply::Frame(Some(under))) = context.ask(ask).await {
                path.try_set(under);
            }
        });
    };
    let back = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Escape" && !path.with_untracked(Vec::is_empty) {
            event.prevent_default();
            event.stop_propagation();
            path.update(|path| path.truncate(path.len().saturating_sub(1)));
        }
    };
    let leave = move |_| {
        pointer.set(None);
        tooltips.hide();
    };
    let alt = Signal::derive(move || told.with(|t| t.alt.clone()));
    let hint = move || {
        let left_out = told.with(|t| t.left_out.clone());
        if left_out.is_empty() {
            tr(context.language.get(), "Click a frame to zoom in; press Esc or click a parent to zoom out.")
                .to_owned()
        } else {
            left_out
        }
    };
    view! {
        <div class="flame" role="group" tabindex="0" aria-label=context.word("Flame graph") on:keydown=back>
            <div
                class="flame__picture"
                node_ref=node
                on:pointermove=move |event| pointer.set(point(&event))
                on:pointerleave=leave
                on:pointerup=look_into
            >
                <Surface
                    context
                    class="timeline__surface"
                    frame=Signal::derive(move || frame.get().map(|frame| frame.frame()))
                    on_note
                    alt
                    extent
                />
            </div>
        </div>
        <p class="detail__hint">{hint}</p>
    }
}

/// The same as a table: frames stand under the one around them, set in.
#[component]
fn CallTable(state: TimelineState, area: Signal<Option<Area>>) -> impl IntoView {
    let source = Signal::derive(move || area.get().map(Source::Calls));
    view! { <AreaTable state label=state.context.word("Calls in range") source /> }
}
