//! Beside the picture: the tensors with their colors, and what the window adds up to.

use super::state::State;
use crate::base::number::{thousands, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{phrase, tr};
use crate::draw::style::{DrawStyle, difference_ink, series_ink, signed};
use crate::model::figure::Fact;
use crate::views::density::compute::OF_PAGES;
use crate::views::density::messages::Band;
use leptos::prelude::*;

/// Why some facts have no difference.
const PAGES_DIFFER: &str = phrase(
    "Pages are not compared: they have another size in the baseline. Choose the same page size in both.",
);

#[component]
pub(super) fn Side(state: State) -> impl IntoView {
    let context = state.context;
    let bands = Memo::new(move |_| state.head.with(|h| h.as_ref().map_or(Vec::new(), |h| h.bands.clone())));
    let rows = move || {
        let bands = bands.get().into_iter().enumerate();
        bands.map(|(number, band)| view! { <BandRow state number band /> }).collect_view()
    };
    let window = move || {
        state
            .sums
            .get()
            .into_iter()
            .map(|fact| view! { <FactRow state fact before=None is_compared=false /> })
            .collect_view()
    };
    // What a baseline is compared with is all of both: their windows need not have anything in common.
    let compared = move || {
        let before = state.baseline.get()?;
        let (facts, bytes) =
            state.head.with(|head| head.as_ref().map(|head| (head.facts.clone(), head.page_bytes)))?;
        // Pages of another size are other pages.
        let has_same_pages = bytes == before.page_bytes;
        let row = |fact: Fact| {
            let is_meant = has_same_pages || !OF_PAGES.contains(&fact.name.as_str());
            let before = before.facts.iter().find(|other| is_meant && other.name == fact.name).cloned();
            view! { <FactRow state fact before is_compared=is_meant /> }
        };
        let rows = facts.into_iter().map(row).collect_view();
        let differs =
            (!has_same_pages).then(|| view! { <p class="figure__note">{context.word(PAGES_DIFFER)}</p> });
        Some(view! {
            <h3 class="density__title">{context.word("Compared with the baseline")}</h3>
            <dl class="facts">{rows}</dl>
            {differs}
        })
    };
    let notes = move || {
        let notes = state.head.with(|head| head.as_ref().map_or(Vec::new(), |head| head.notes.clone()));
        let language = context.language.get();
        let note = |note: crate::base::words::Message| {
            view! { <p class="figure__note">{note.text(language).into_owned()}</p> }
        };
        notes.into_iter().map(note).collect_view()
    };
    view! {
        <aside class="density__side">
            <h3 class="density__title">{context.word("Tensors and allocations")}</h3>
            <ul class="density__bands">{rows}</ul>
            <h3 class="density__title">{context.word("Visible part")}</h3>
            <dl class="facts">{window}</dl>
            {compared}
            {notes}
            <p class="figure__note">
                {move || tr(context.language.get(), state.words().help)}
            </p>
        </aside>
    }
}

/// The five shades of a band, what it is, its accesses and bytes. A click shows its pages.
#[component]
fn BandRow(state: State, number: usize, band: Band) -> impl IntoView {
    let context = state.context;
    let shades = move || {
        let palette = context.palette.get();
        let look = DrawStyle { palette: &palette, language: context.language.get() };
        let one = |color: u32| view! { <i style:background=format!("#{color:08x}")></i> };
        look.shades(series_ink(number)).map(one).collect_view()
    };
    let name = band.name.clone();
    let name = move || name.text(context.language.get()).into_owned();
    let bytes = if band.bytes == 0 { String::new() } else { with_unit(band.bytes as f64, &Unit::Bytes) };
    let tip =
        if band.bytes == 0 { band.detail.clone() } else { format!("0x{:x} {}", band.start, band.detail) };
    let places = band.places;
    let show = move |_| {
        state.is_linear.set(false);
        state.plane.see_places(places);
    };
    view! {
        <li>
            <button class="density__band" type="button" title=tip on:click=show>
                <span class="density__shades" aria-hidden="true">{shades}</span>
                <span class="density__name"><b>{name}</b><small>{band.detail}</small></span>
                <span class="density__number">{thousands(band.accesses)}<small>{bytes}</small></span>
            </button>
        </li>
    }
}

/// A fact, with its difference from the baseline where there is one.
#[component]
fn FactRow(
    state: State,
    fact: Fact,
    /// The same fact of the baseline.
    before: Option<Fact>,
    /// Whether a baseline is compared with.
    is_compared: bool,
) -> impl IntoView {
    let context = state.context;
    let value = fact.value.with_unit(&fact.unit);
    let difference = is_compared.then(|| {
        let pair = before.and_then(|before| before.value.as_number()).zip(fact.value.as_number());
        let Some((before, now)) = pair else {
            return view! { <small>{context.word("missing")}</small> }.into_any();
        };
        let by = now - before;
        let text = signed(by, with_unit(by, &fact.unit));
        let unit = fact.unit;
        let ink = move || context.palette.with(|p| format!("#{:08x}", p.rgba(difference_ink(by, &unit))));
        view! { <small style:color=ink>{text}</small> }.into_any()
    });
    let name = fact.name;
    view! {
        <div class="facts__row facts__row--wide">
            <dt class="facts__name">{move || tr(context.language.get(), &name).to_owned()}</dt>
            <dd class="facts__value">{value} " " {difference}</dd>
        </div>
    }
}
