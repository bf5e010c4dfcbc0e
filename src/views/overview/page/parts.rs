//! Where it goes: rows that lead to their places, with bars of the same colors as elsewhere. Beside a baseline each row says
//! what both measured, and how much that differs.

use super::State;
use crate::analysis::finding::{Color, Part, PartRow};
use crate::analysis::told::part_beside;
use crate::base::number::{MISSING, counted, thousands};
use crate::base::words::{Language, message, phrase, tr};
use crate::ui::follow_size;
use crate::ui::text::halves;
use leptos::html;
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
    // They stay while findings come.
    let parts = Memo::new(move |_| {
        let beside = state.beside.with(|beside| beside.as_ref().map(|beside| beside.parts.clone()));
        beside.unwrap_or_else(|| state.held.with(|overview| overview.parts.clone()))
    });
    let all = move || {
        let language = state.context.language.get();
        let old = state.old.with(|old| old.as_ref().map(|old| old.parts.clone()));
        let one = |part: Part| {
            let is_same = |own: &&Part| own.title == part.title && own.of == part.of;
            let old = old.as_ref().and_then(|old| old.iter().find(is_same));
            let compared = old.and_then(|old| part_beside(&part, old, language));
            let is_compared = compared.is_some();
            view! { <OnePart state part=compared.unwrap_or(part) is_compared /> }
        };
        parts.get().into_iter().map(one).collect_view()
    };
    view! { <div class="overview__parts">{all}</div> }
}

#[component]
fn OnePart(
    state: State,
    part: Part,
    /// Whether its cells are those of a baseline, its own and the difference.
    is_compared: bool,
) -> impl IntoView {
    let language = state.context.language.get_untracked();
    let whole: Vec<(f64, Color)> = part.rows.iter().filter_map(|row| Some((row.share, row.color?))).collect();
    let (title, note) = (part.title.text(language).into_owned(), part.note.text(language).into_owned());
    let is_wide = 2 < part.rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    let has_bars = part.rows.iter().any(|row| !row.bar.is_empty());
    let heads = (!part.columns.is_empty()).then(|| {
        let head = |name: &String| view! { <th scope="col">{head_text(tr(language, name))}</th> };
        let name = tr(language, phrase("Name")).to_owned();
        view! { <thead><tr><th scope="col">{name}</th>{has_bars.then(|| view! { <td></td> })}{part.columns.iter().map(head).collect_view()}</tr></thead> }
    });
    let rows =
        part.rows.into_iter().map(|row| view! { <Row state row has_bars is_compared /> }).collect_view();
    let more = (0 < part.more).then(|| {
        let text = message("{n} more").with("n", thousands(part.more)).text(language).into_owned();
        let text =
            if part.list.is_empty() { text.into_any() } else { leading(state, part.list, text.into_any()) };
        view! { <p class="overview__more">{text}</p> }
    });
    let node = NodeRef::<html::Section>::new();
    Effect::new(move || {
        if let Some(section) = node.get() {
            let seen = section.clone();
            follow_size(&section, move || {
                break_numbers(&seen);
                break_names(&seen);
            });
        }
    });
    view! {
        <section node_ref=node class="overview__part" aria-label=title.clone()>
            <header class="overview__head"><h2>{title.clone()}</h2><span>{note}</span></header>
            <div class="overview__scroll" tabindex="0">
                {(!whole.is_empty()).then(|| view! { <span class="overview__whole"><Bar parts=whole /></span> })}
                <table class="overview__table" class:overview__table--bars=has_bars class:overview__table--many=is_wide class:overview__table--compared=is_compared>{heads}<tbody>{rows}</tbody></table>
                {more}
            </div>
        </section>
    }
}

/// Where the columns of both documents have no room for a number and its unit beside each other, units take a line of
/// their own: what differs is seen without a scroll.
fn break_numbers(part: &web_sys::HtmlElement) {
    const BROKEN: &str = "overview__scroll--broken";
    let Some(scroll) = part.get_elements_by_class_name("overview__scroll").item(0) else { return };
    // It is measured whole, then marked. A class is always valid.
    let _ = scroll.class_list().remove_1(BROKEN);
    if scroll.client_width() < scroll.scroll_width() {
        let _ = scroll.class_list().add_1(BROKEN);
    }
}

/// Names that have no room in two lines show their beginning on the first and what tells them apart on the second.
fn break_names(part: &web_sys::HtmlElement) {
    const CUT: &str = "name--cut";
    let found = part.get_elements_by_class_name("name");
    let names: Vec<web_sys::Element> = (0..found.length()).filter_map(|at| found.item(at)).collect();
    // All are measured whole, then marked: no name is laid out twice. A class is always valid.
    for name in &names {
        let _ = name.class_list().remove_1(CUT);
    }
    let is_cut = |name: &web_sys::Element| name.client_height() + 1 < name.scroll_height();
    let cut: Vec<web_sys::Element> = names.into_iter().filter(is_cut).collect();
    for name in &cut {
        let _ = name.class_list().add_1(CUT);
    }
}

/// A head whose number and unit stay together.
fn head_text(text: &str) -> String {
    if text.contains(|letter: char| letter.is_ascii_digit()) {
        text.replace(' ', "\u{a0}")
    } else {
        text.to_owned()
    }
}

/// Words as a link to a place of the document.
fn leading(state: State, address: String, words: AnyView) -> AnyView {
    let href = super::link(&address);
    let go = move |event: leptos::ev::MouseEvent| {
        if !(event.ctrl_key() || event.meta_key() || event.shift_key()) {
            event.prevent_default();
            state.visit(&address);
        }
    };
    view! { <a href=href on:click=go>{words}</a> }.into_any()
}

#[component]
fn Row(state: State, row: PartRow, has_bars: bool, is_compared: bool) -> impl IntoView {
    let language = state.context.language.get_untracked();
    let name = row.name.text(language).into_owned();
    let swatch = row.color.map(|color| {
        view! { <i class="overview__swatch" style:background=format!("var(--{})", color.token())></i> }
    });
    // The bytes are those of the name as it is in the file; a phrase is another one in another language.
    let is_same = row.name.text(Language::En) == name;
    let shown =
        view! { <span class="name">{halves(&name, if is_same { &row.kept } else { &[] })}</span> }.into_any();
    let named = if row.address.is_empty() { shown } else { leading(state, row.address.clone(), shown) };
    let bar = has_bars.then(|| view! { <td class="overview__bars"><Bar parts=row.bar /></td> });
    let last = row.cells.len().saturating_sub(1);
    let cell = |(at, cell): (usize, String)| {
        let cell = counted(&cell);
        // Words may be cut, numbers not.
        if cell.starts_with(char::is_alphabetic) {
            let cell = tr(state.context.language.get_untracked(), &cell).to_owned();
            view! { <td class="overview__cell overview__cell--text" data-tip=cell.clone()>{cell.clone()}</td> }.into_any()
        } else {
            // A difference may take two lines, between its parts; a number and its unit where there is no room.
            let is_difference = is_compared && at == last;
            let cell = match (is_compared, is_difference) {
                (_, true) => cell.replace(' ', "\u{a0}").replace(",\u{a0}", ", "),
                (true, false) => cell.replace(" %", "\u{a0}%"),
                (false, false) => cell,
            };
            let why =
                (is_compared && cell == MISSING).then(|| tr(language, phrase("A has none of this name.")));
            view! { <td class="overview__cell" data-tip=why>{cell}</td> }.into_any()
        }
    };
    let cells = row.cells.into_iter().enumerate().map(cell).collect_view();
    let mut tip = if row.whole.is_empty() { name } else { row.whole };
    if !row.meaning.is_empty() {
        tip = format!("{tip}\n{}", tr(language, &row.meaning));
    }
    view! {
        <tr>
            <th scope="row" data-tip=tip><div class="overview__name">{swatch}{named}</div></th>
            {bar}
            {cells}
        </tr>
    }
}
