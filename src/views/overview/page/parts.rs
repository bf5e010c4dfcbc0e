//! Where it goes: rows that lead to their places, with bars of the same colors as elsewhere.

use super::State;
use crate::analysis::finding::{Color, Part, PartRow};
use crate::base::words::{message, phrase, tr};
use leptos::prelude::*;

/// Parts of a bar, each as wide as its share.
#[component]
pub fn Bar(parts: Vec<(f64, Color)>) -> impl IntoView {
    (!parts.is_empty()).then(|| {
        let one = |(share, color): (f64, Color)| {
            let width = format!("{:.3}%", share * 100.0);
            view! { <i style:width=width style:background=format!("var(--{})", color.token())></i> }
        };
        view! { <span class="overview__bar">{parts.into_iter().map(one).collect_view()}</span> }
    })
}

/// The row of parts below the findings.
#[component]
pub fn Parts(state: State) -> impl IntoView {
    let one = move |part: Part| view! { <OnePart state part /> };
    view! {
        <div class="overview__parts">
            {move || state.held.with(|overview| overview.parts.clone()).into_iter().map(one).collect_view()}
        </div>
    }
}

#[component]
fn OnePart(state: State, part: Part) -> impl IntoView {
    let language = state.context.language.get_untracked();
    let whole: Vec<(f64, Color)> = part.rows.iter().filter_map(|row| Some((row.share, row.color?))).collect();
    let (title, note) = (part.title.text(language).into_owned(), part.note.text(language).into_owned());
    let is_wide = 2 < part.rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    let has_bars = part.rows.iter().any(|row| !row.bar.is_empty());
    let heads = (!part.columns.is_empty()).then(|| {
        let head = |name: &String| view! { <th scope="col">{tr(language, name).to_owned()}</th> };
        let name = tr(language, phrase("Name")).to_owned();
        view! { <thead><tr><th scope="col">{name}</th>{has_bars.then(|| view! { <td></td> })}{part.columns.iter().map(head).collect_view()}</tr></thead> }
    });
    let rows = part.rows.into_iter().map(|row| view! { <Row state row has_bars /> }).collect_view();
    let more = (0 < part.more).then(|| {
        let text = message("{n} more").with("n", part.more).text(language).into_owned();
        view! { <p class="overview__more">{text}</p> }
    });
    view! {
        <section class="overview__part" aria-label=title.clone()>
            <header class="overview__head"><h2>{title.clone()}</h2><span data-tip=note.clone()>{note.clone()}</span></header>
            <div class="overview__scroll" tabindex="0">
                {(!whole.is_empty()).then(|| view! { <span class="overview__whole"><Bar parts=whole /></span> })}
                <table class="overview__table" class:overview__table--bars=has_bars class:overview__table--many=is_wide>{heads}<tbody>{rows}</tbody></table>
                {more}
            </div>
        </section>
    }
}

#[component]
fn Row(state: State, row: PartRow, has_bars: bool) -> impl IntoView {
    let name = row.name.text(state.context.language.get_untracked()).into_owned();
    let swatch = row.color.map(|color| {
        view! { <i class="overview__swatch" style:background=format!("var(--{})", color.token())></i> }
    });
    let named = if row.address.is_empty() {
        view! { <span>{name.clone()}</span> }.into_any()
    } else {
        let (address, href) = (row.address.clone(), super::link(&row.address));
        let go = move |event: leptos::ev::MouseEvent| {
            if !(event.ctrl_key() || event.meta_key() || event.shift_key()) {
                event.prevent_default();
                state.visit(&address);
            }
        };
        view! { <a href=href on:click=go>{name.clone()}</a> }.into_any()
    };
    let bar = has_bars.then(|| view! { <td class="overview__bars"><Bar parts=row.bar /></td> });
    let cells =
        row.cells.into_iter().map(|cell| view! { <td class="overview__cell">{cell}</td> }).collect_view();
    view! {
        <tr>
            <th scope="row" data-tip=if row.whole.is_empty() { name } else { row.whole }><div class="overview__name">{swatch}{named}</div></th>
            {bar}
            {cells}
        </tr>
    }
}
