//! Accesses of a kernel over time and units: accesses, misses or retries. The worker draws it.

use super::state::State;
use crate::base::geometry::Point;
use crate::base::words::phrase;
use crate::pane::figure::hover::{places, tip_of};
use crate::pane::surface::Surface;
use crate::ui::canvas::Extent;
use crate::ui::field::Segmented;
use crate::ui::latest::OneAtATime;
use crate::ui::overlay::tooltip::tooltips;
use crate::views::lifetimes::messages::{Frame as HeatFrame, Heat, LifetimesQuery, Note as HeatNote, Reply};
use crate::wire::Draw;

use leptos::prelude::*;

const HEATS: [(Heat, &str, &str); 3] = [
    (Heat::Accesses, "accesses", phrase("Accesses")),
    (Heat::Misses, "misses", phrase("Miss share")),
    (Heat::Retries, "retries", phrase("Retries")),
];

/// The heat map.
#[component]
pub(super) fn Time(state: State) -> impl IntoView {
    let context = state.context;
    let (note, is_drawn) = (RwSignal::new(HeatNote::default()), RwSignal::new(false));
    let extent = RwSignal::new(Extent::default());
    let node = NodeRef::<leptos::html::Div>::new();
    let tooltips = tooltips();
    let level = Memo::new(move |_| {
        let n = state.of(|head| head.levels.len());
        state.level.get().min(n.saturating_sub(1))
    });
    let frame = move || HeatFrame {
        run: state.run.get(),
        kernel: state.kernel.get(),
        level: level.get() as u32,
        heat: state.heat.get(),
        clock_mhz: state.of(|head| head.clock_mhz),
    };
    context.offer_picture(super::VIEW.id, move || vec![(frame().frame(), extent.get().size)]);
    let shown = Signal::derive(move || Some(frame().frame()));
    let on_note = Callback::new(move |own| {
        if let Some(own) = HeatFrame::noted(own) {
            note.set(own);
            is_drawn.set(true);
        }
    });
    let asking = OneAtATime::<(Point, Point)>::default();
    let moved = move |event: leptos::ev::PointerEvent| {
        let Some(node) = node.get_untracked() else { return };
        asking.ask(places(&event, &node), move |(window, at)| async move {
            let size = extent.try_get_untracked().unwrap_or_default().size;
            let ask = LifetimesQuery::Under { frame: untrack(frame), size, at };
            match context.ask(ask).await {
                Some(Reply::Under(Some(words))) => tooltips.show(window, tip_of(&words)),
                _ => tooltips.hide(),
            }
        });
    };
    let leave = move |_| {
        asking.forget();
        tooltips.hide();
    };
    let is_empty = Memo::new(move |_| is_drawn.get() && note.with(|note| note.alt.is_empty()));
    view! {
        <HeatHead state note level=level />
        <div class="lifetimes__picture" node_ref=node on:pointermove=moved on:pointerleave=leave>
            <Surface context class="lifetimes__surface" frame=shown on_note alt=Signal::derive(move || note.with(|note| note.alt.clone())) extent />
            <Show when=move || is_empty.get()>
                <p class="lifetimes__empty">{context.word(phrase("No accesses by unit at this level of this kernel."))}</p>
            </Show>
        </div>
    }
}

/// Which kernel, level and count, and the legend.
#[component]
fn HeatHead(state: State, note: RwSignal<HeatNote>, level: Memo<usize>) -> impl IntoView {
    let context = state.context;
    let levels = Signal::derive(move || {
        state.of(|head| {
            let name = |(at, level): (usize, &crate::views::lifetimes::messages::LevelHead)| {
                (at.to_string(), level.name.clone())
            };
            head.levels.iter().enumerate().map(name).collect::<Vec<_>>()
        })
    });
    let level = Signal::derive(move || level.get().to_string());
    let choose_level = Callback::new(move |id: String| state.level.set(id.parse().unwrap_or(0)));
    let heats = Signal::derive(move || {
        HEATS.map(|(_, id, title)| (id.to_owned(), context.tr(title).to_owned())).to_vec()
    });
    let heat = Signal::derive(move || {
        HEATS.iter().find(|(heat, ..)| *heat == state.heat.get()).map_or("", |(_, id, _)| id).to_owned()
    });
    let choose_heat = Callback::new(move |id: String| {
        let found = HEATS.iter().find(|(_, own, _)| *own == id);
        if let Some((heat, ..)) = found {
            state.heat.set(*heat);
        }
    });
    let stops = move || {
        let stop = |color: u32| view! { <i style:background=format!("#{color:08x}")></i> };
        note.with(|note| note.ramp.iter().map(|color| stop(*color)).collect_view())
    };
    view! {
        <div class="lifetimes__bar">
            <span class="lifetimes__about">{move || note.with(|note| note.kernel.clone())}</span>
            <span class="lifetimes__about lifetimes__what">{move || note.with(|note| note.about.clone())}</span>
            <span class="lifetimes__gap"></span>
            <span class="lifetimes__legend" aria-hidden="true">
                <span>"0"</span><span class="lifetimes__ramp">{stops}</span><span>{move || note.with(|note| note.most.clone())}</span>
            </span>
            <Segmented label=context.word(phrase("Level")) options=levels value=level on_choose=choose_level small=true />
            <Segmented label=context.word(phrase("Count")) options=heats value=heat on_choose=choose_heat small=true />
        </div>
    }
}
