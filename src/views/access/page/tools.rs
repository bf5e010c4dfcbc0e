//! Above and below the picture: filters, the kind of axis, and what the colors mean.

use super::state::State;
use crate::base::number::{thousands, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{fill, phrase, tr};
use crate::ui::field::{SelectField, Switch};
use crate::views::access::messages::{Attribute, Side};
use crate::views::access::scene::ink;
use crate::views::timeline::messages::LegendItem;
use leptos::prelude::*;

/// The color of a side, `0xRRGGBBAA`.
pub(super) fn color(state: State, side: Side) -> u32 {
    state.context.palette.try_with_untracked(|palette| palette.rgba(ink(side))).unwrap_or(0)
}

/// The id of "all" in a filter: no name of a file is this.
const ALL: &str = "\u{0}";

/// One filter: what an attribute may be.
fn filter_field(state: State, Attribute { id, title, values }: Attribute) -> impl IntoView {
    let label = Signal::derive(move || tr(state.context.language.get(), &title).to_owned());
    let options = Signal::derive(move || {
        // Names of cores, operations and spaces speak for themselves; "all" does not.
        let words = fill(tr(state.context.language.get(), "{name}: all"), &[("name", &label.get())]);
        let first = (ALL.to_owned(), words);
        std::iter::once(first).chain(values.iter().map(|v| (v.clone(), v.clone()))).collect::<Vec<_>>()
    });
    let own = id.clone();
    let value = Signal::derive(move || state.filter.with(|f| f.get(&own).unwrap_or(ALL).to_owned()));
    let choose = Callback::new(move |value: String| {
        state.filter.update(|filter| filter.set(&id, (value != ALL).then_some(value)));
        // Other clusters of addresses make another axis.
        state.plane.places.set(None);
    });
    view! { <SelectField label options value on_choose=choose /> }
}

/// The attributes of which there is a choice: one among one says nothing.
fn attributes(state: State) -> Memo<Vec<Attribute>> {
    Memo::new(move |_| {
        let all = state.head.with(|head| head.as_ref().map_or(Vec::new(), |h| h.attributes.clone()));
        all.into_iter().filter(|attribute| 1 < attribute.values.len()).collect::<Vec<_>>()
    })
}

/// What colors stand for: reading and writing, or the values of an attribute.
#[component]
fn ColorField(state: State) -> impl IntoView {
    let context = state.context;
    let attributes = attributes(state);
    let options = Signal::derive(move || {
        let language = context.language.get();
        let title = |title: &str| fill(tr(language, "Color: {name}"), &[("name", tr(language, title))]);
        let first = (ALL.to_owned(), title(phrase("loads and stores")));
        let rest = attributes.get().into_iter().map(|a| (a.id, title(&a.title)));
        std::iter::once(first).chain(rest).collect::<Vec<_>>()
    });
    let value = Signal::derive(move || state.color.get().unwrap_or_else(|| ALL.to_owned()));
    let choose = Callback::new(move |id: String| state.color.set((id != ALL).then_some(id)));
    let label = context.word(phrase("Colors"));
    view! { <SelectField label options value on_choose=choose /> }
}

/// Filters and the axis, in the bar above the view.
#[component]
pub(super) fn Tools(state: State) -> impl IntoView {
    let context = state.context;
    let linear = Callback::new(move |is_linear| {
        state.is_linear.set(is_linear);
        state.plane.places.set(None);
    });
    let time = Callback::new(move |is_time| {
        state.is_time.set(is_time);
        state.plane.rows.set(None);
    });
    let has_time = Memo::new(move |_| state.head.with(|h| h.as_ref().is_some_and(|h| h.time.is_some())));
    let attributes = attributes(state);
    view! {
        <div class="accesses__tools">
            {move || attributes.get().into_iter().map(|a| filter_field(state, a)).collect_view()}
            <ColorField state />
            <Show when=move || has_time.get()>
                <Switch label=context.word("Time to the right") checked=state.is_time on_change=time />
            </Show>
            <Switch label=context.word("Linear addresses") checked=state.is_linear on_change=linear />
            <button class="button button--plain" type="button" on:click=move |_| state.plane.show_all()>
                {context.word("Zoom to fit")}
            </button>
        </div>
    }
}

/// What the colors mean, and what a cell of the dense picture is.
#[component]
pub(super) fn Legend(state: State) -> impl IntoView {
    let context = state.context;
    let item = move |item: LegendItem| {
        let ink = item.ink;
        let swatch =
            move || context.palette.with(|p| p.colors.get(&ink).map(|color| format!("#{color:08x}")));
        let name = move || {
            if item.is_name { item.name.clone() } else { tr(context.language.get(), &item.name).to_owned() }
        };
        view! {
            <span class="accesses__key">
                <i class="legend__swatch" style:background=swatch></i>
                {name}
            </span>
        }
    };
    let legend = Memo::new(move |_| state.note.with(|note| note.legend.clone()));
    let shown = move || legend.get().into_iter().map(item).collect_view();
    let words = move || {
        let language = context.language.get();
        state.note.with(|note| {
            if note.is_exact {
                return tr(language, "Each bar is one access.").to_owned();
            }
            let (wide, bytes) = note.cell;
            let bytes = with_unit(bytes as f64, &Unit::Bytes);
            let time = state.head.with(|head| head.as_ref()?.time.clone()).filter(|_| state.is_time.get());
            let words = match &time {
                Some(_) => tr(
                    language,
                    "Each cell covers {n} {unit}; the strongest color means {m} accesses. Smallest cell: {bytes}.",
                ),
                None => tr(
                    language,
                    "Each cell covers {n} records; the strongest color means {m} accesses. Smallest cell: {bytes}.",
                ),
            };
            let unit = time.as_ref().map_or("", Unit::symbol);
            let words = fill(words, &[("n", &thousands(wide)), ("m", &thousands(note.most))]);
            fill(&words, &[("bytes", &bytes), ("unit", unit)])
        })
    };
    view! {
        <div class="accesses__legend">
            {shown}
            <span class="accesses__words">{words}</span>
        </div>
    }
}
