//! Above and below the picture: filters, the kind of axis, and what the colors mean.

use super::state::State;
use crate::base::number::thousands;
use crate::base::words::{fill, phrase, tr};
use crate::draw::access::{BOTH, ink};
use crate::scene::palette::Ink;
use crate::ui::field::{SelectField, Switch};
use crate::wire::access::{Filter, Head, Side};
use crate::{analysis::access, base::number::with_unit, base::unit::Unit};
use leptos::prelude::*;

/// What accesses count as, with titles.
pub(super) const SIDES: [(Side, &str); 3] =
    [(Side::Load, phrase("Loads")), (Side::Store, phrase("Stores")), (Side::Other, phrase("Other accesses"))];

fn ink_of(side: Side) -> Ink {
    ink(match side {
        Side::Load => access::Side::Load,
        Side::Store => access::Side::Store,
        Side::Other => access::Side::Other,
    })
}

/// The color of a side, `0xRRGGBBAA`.
pub(super) fn color(state: State, side: Side) -> u32 {
    state.context.palette.try_with_untracked(|palette| palette.rgba(ink_of(side))).unwrap_or(0)
}

/// The id of "all" in a filter: no name of a file is this.
const ALL: &str = "\u{0}";

/// One filter: its title, what can be chosen, and where that stands.
fn filter_field(
    state: State,
    title: fn(&Head) -> String,
    names: fn(&Head) -> Vec<String>,
    place: fn(&mut Filter) -> &mut Option<String>,
) -> impl IntoView {
    let context = state.context;
    let all = Memo::new(move |_| state.head.with(|head| head.as_ref().map_or(Vec::new(), names)));
    let label = Signal::derive(move || {
        let title = state.head.with(|head| head.as_ref().map_or(String::new(), title));
        tr(context.language.get(), &title).to_owned()
    });
    let options = Signal::derive(move || {
        // Names of cores, operations and spaces speak for themselves; "all" does not.
        let words = fill(tr(context.language.get(), "{name}: all"), &[("name", &label.get())]);
        let first = (ALL.to_owned(), words);
        let rest = all.get().into_iter().map(|name| (name.clone(), name));
        std::iter::once(first).chain(rest).collect::<Vec<_>>()
    });
    let value = Signal::derive(move || {
        let mut filter = state.filter.get();
        place(&mut filter).clone().unwrap_or_else(|| ALL.to_owned())
    });
    let choose = Callback::new(move |id: String| {
        state.filter.update(|filter| *place(filter) = (id != ALL).then_some(id));
        // Other clusters of addresses make another axis.
        state.places.set(None);
    });
    // A choice among one says nothing.
    view! {
        <Show when=move || all.with(|all| 1 < all.len())>
            <SelectField label options value on_choose=choose />
        </Show>
    }
}

/// Filters and the axis, in the bar above the view.
#[component]
pub(super) fn Tools(state: State) -> impl IntoView {
    let context = state.context;
    let linear = Callback::new(move |is_linear| {
        state.is_linear.set(is_linear);
        state.places.set(None);
    });
    view! {
        <div class="accesses__tools">
            {filter_field(state, |h| h.unit_title.clone(), |h| h.units.clone(), |f| &mut f.unit)}
            {filter_field(state, |h| h.unit_kind_title.clone(), |h| h.unit_kinds.clone(), |f| &mut f.unit_kind)}
            {filter_field(
                state,
                |_| phrase("Operation").to_owned(),
                |h| h.operations.iter().map(|o| o.name.clone()).collect(),
                |f| &mut f.operation,
            )}
            {filter_field(
                state,
                |_| phrase("Space").to_owned(),
                |h| h.spaces.iter().map(|(name, _)| name.clone()).collect(),
                |f| &mut f.space,
            )}
            <Switch label=context.word("Linear addresses") checked=state.is_linear on_change=linear />
            <button class="button button--plain" type="button" on:click=move |_| state.show_all()>
                {context.word("Zoom to fit")}
            </button>
        </div>
    }
}

/// What the colors mean, and what a cell of the dense picture is.
#[component]
pub(super) fn Legend(state: State) -> impl IntoView {
    let context = state.context;
    let item = move |name: &'static str, ink: Ink| {
        let swatch = move || format!("#{:08x}", context.palette.with(|palette| palette.rgba(ink)));
        view! {
            <span class="accesses__key">
                <i class="legend__swatch" style:background=swatch></i>
                {context.word(name)}
            </span>
        }
    };
    let shown = move || {
        let head = state.head.get();
        let has = |side: Side| head.as_ref().is_some_and(|h| h.operations.iter().any(|o| o.side == side));
        let both = (has(Side::Load) && has(Side::Store) && !state.note.with(|note| note.is_exact))
            .then(|| item(phrase("Loads and stores"), BOTH));
        let sides = SIDES.into_iter().filter(|(side, _)| has(*side));
        let sides: Vec<_> = sides.map(|(side, name)| item(name, ink_of(side))).collect();
        (sides, both)
    };
    let words = move || {
        let language = context.language.get();
        state.note.with(|note| {
            if note.is_exact {
                return tr(language, "Each bar is one access.").to_owned();
            }
            let number = |n: u64| thousands(i64::try_from(n).unwrap_or(i64::MAX));
            let (records, bytes) = note.cell;
            let bytes = with_unit(bytes as f64, &Unit::Bytes);
            let words = tr(
                language,
                "Each cell covers {n} records; the strongest color means {m} accesses. Smallest cell: {bytes}.",
            );
            fill(words, &[("n", &number(records)), ("m", &number(note.most)), ("bytes", &bytes)])
        })
    };
    view! {
        <div class="accesses__legend">
            {shown}
            <span class="accesses__words">{words}</span>
        </div>
    }
}
