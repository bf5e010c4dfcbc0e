//! The head of the columns: real text where the picture's columns stand, sorts instructions, and sizes the code.

use super::bars::can_sort;
use super::pane::Pane;
use crate::base::words::tr;
use crate::model::code::Field;
use crate::views::code::messages::ColumnPlace;
use crate::views::code::scene::full_in;
use leptos::ev::PointerEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// The head of a side.
#[component]
pub(super) fn Head(pane: Pane) -> impl IntoView {
    let columns = Memo::new(move |_| pane.note.with(|n| n.columns.clone()));
    // The number stands still at the left, pinned columns at the right; the others scroll sideways between them.
    let clip = move || {
        let (frozen, pinned) = pane.note.with(|n| (n.frozen, n.pinned));
        format!("polygon({frozen}px 0, {pinned}px 0, {pinned}px 100%, {frozen}px 100%)")
    };
    let pinned = move || columns.get().into_iter().filter(|column| column.is_pinned);
    let moving = move || columns.get().into_iter().skip(1).filter(|column| !column.is_pinned);
    let shift = move || format!("translateX({}px)", -pane.left.get());
    view! {
        <div class="listing__head" role="row" aria-rowindex="1">
            <div class="listing__still">
                {move || columns.get().into_iter().take(1).map(|c| view! { <HeadCell pane column=c /> }).collect_view()}
            </div>
            <div class="listing__moving" role="presentation" style:clip-path=clip>
                <div class="listing__shift" role="presentation" style:transform=shift>
                    {move || moving().map(|c| view! { <HeadCell pane column=c /> }).collect_view()}
                </div>
            </div>
            <div class="listing__moving" role="presentation">
                {move || pinned().map(|c| view! { <HeadCell pane column=c /> }).collect_view()}
            </div>
        </div>
    }
}

#[component]
fn HeadCell(pane: Pane, column: ColumnPlace) -> impl IntoView {
    let context = pane.state.context;
    let field = column.field;
    let tip = {
        let name = column.name.clone();
        move || full_in(context.language.get(), &name)
    };
    let title = {
        let title = column.title.clone();
        move || tr(context.language.get(), &title).to_owned()
    };
    let order = move || {
        pane.arrange.with(|a| match a.sort {
            Some(by) if by == field => Some(a.is_descending),
            _ => None,
        })
    };
    let aria_sort = move || order().map(|down| if down { "descending" } else { "ascending" });
    let arrow =
        move || order().map(|down| view! { <i class="listing__arrow">{if down { "↓" } else { "↑" }}</i> });
    let is_heat = move || matches!(field, Field::Column(i) if pane.heat() == Some(i));
    let inset = if column.is_right { "0".to_owned() } else { format!("{}px", column.inset) };
    view! {
        <div
            class="listing__column"
            class:listing__column--right=column.is_right
            class:listing__column--sorted=move || order().is_some() || is_heat()
            role="columnheader"
            aria-sort=aria_sort
            data-tip=tip
            style:left=format!("{}px", column.x)
            style:width=format!("{}px", column.w)
            style:padding-left=inset
        >
            {if can_sort(pane.kind()) && field != Field::Difference {
                view! {
                    <button class="listing__sort" type="button" on:click=move |_| sort(pane, field)>
                        <span class="listing__title">{title}</span>
                        {arrow}
                    </button>
                }
                .into_any()
            } else {
                view! { <span class="listing__title">{title}</span> }.into_any()
            }}
            {(field == Field::Text).then(|| view! { <Handle pane width=column.w /> })}
        </div>
    }
}

/// Turns the order over: numbers largest first, names from A, then back to the order of the listing.
fn sort(pane: Pane, field: Field) {
    let is_number = match field {
        Field::Column(i) => untrack(|| pane.listing())
            .and_then(|l| l.columns.get(usize::from(i)).map(|c| c.has_numbers))
            .unwrap_or(false),
        _ => false,
    };
    pane.arrange.update(|a| {
        let is_same = a.sort == Some(field);
        (a.sort, a.is_descending) = match (is_same, a.is_descending == is_number) {
            (false, _) => (Some(field), is_number),
            (true, true) => (Some(field), !is_number),
            (true, false) => (None, false),
        };
    });
    pane.scroll_to(0.0);
}

/// The edge of the code: dragged it makes the code wider than the pane, a double click fits it again.
#[component]
fn Handle(pane: Pane, width: f32) -> impl IntoView {
    let held = RwSignal::new(None::<(f64, f64)>);
    let down = move |event: PointerEvent| {
        event.prevent_default();
        if let Some(bar) = event.current_target().and_then(|t| t.dyn_into::<web_sys::Element>().ok()) {
            let _ = bar.set_pointer_capture(event.pointer_id());
        }
        held.set(Some((f64::from(event.client_x()), f64::from(width))));
    };
    let moved = move |event: PointerEvent| {
        if let Some((from, was)) = held.get_untracked() {
            pane.code_px.set((was + f64::from(event.client_x()) - from).clamp(120.0, 20_000.0));
        }
    };
    view! {
        <i
            class="listing__handle"
            on:pointerdown=down
            on:pointermove=moved
            on:pointerup=move |_| held.set(None)
            on:pointercancel=move |_| held.set(None)
            on:dblclick=move |_| pane.code_px.set(0.0)
        ></i>
    }
}
