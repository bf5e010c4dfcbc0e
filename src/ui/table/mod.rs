//! A virtual table: a million rows scroll like ten, because only the visible ones exist.
//!
//! The table asks its owner for a range of rows ([`Rows`]) and says when it wants another; so the rows may come from a
//! worker. Sorting and filtering are the owner's; [`local::LocalTable`] does both for rows that are at hand.
//!
//! Arrows, Page and Home/End move the chosen row, Enter opens it, Ctrl+C copies it with the heads.

pub mod cell;
pub mod local;

use super::icon::SeverityIcon;
use super::{copy_text, words};
use cell::{Cell, Column, Order, Tone};
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use std::ops::Range;
use wasm_bindgen::prelude::*;

/// The greatest height of the scrolled body: browsers cut off beyond some ten million pixels.
const TALLEST: f64 = 8_000_000.0;
/// Rows kept above and below the visible ones.
const SPARE: usize = 8;

/// The rows at hand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// Number of the first.
    pub first: usize,
    /// The rows, each with a cell for each column.
    pub cells: Vec<Vec<Cell>>,
}

/// Everything a table needs from its owner.
#[derive(Clone, Copy)]
pub struct TableModel {
    /// The columns.
    pub columns: Signal<Vec<Column>>,
    /// How many rows there are.
    pub count: Signal<usize>,
    /// The rows at hand.
    pub rows: Signal<Rows>,
    /// Told which rows are wanted.
    pub on_need: Callback<Range<usize>>,
    /// The order, set by the heads.
    pub order: RwSignal<Option<Order>>,
    /// The chosen row.
    pub chosen: RwSignal<Option<usize>>,
    /// Enter or double click on a row.
    pub on_open: Option<Callback<usize>>,
}

/// What is scrolled where.
#[derive(Clone, Copy)]
struct Scroll {
    top: RwSignal<f64>,
    height: RwSignal<f64>,
    row: f64,
}

impl Scroll {
    /// Height of the body for this many rows, and how many pixels of rows one scrolled pixel moves.
    fn body(self, count: usize) -> (f64, f64) {
        let full = count as f64 * self.row;
        let tall = full.min(TALLEST);
        let view = self.height.get();
        (tall, if tall <= view { 1.0 } else { (full - view).max(0.0) / (tall - view) })
    }

    /// The visible rows, with spare ones on both sides.
    fn window(self, count: usize) -> Range<usize> {
        let (_, scale) = self.body(count);
        let first = (self.top.get() * scale / self.row) as usize;
        let visible = (self.height.get() / self.row) as usize + 2;
        first.saturating_sub(SPARE).min(count)..(first + visible + SPARE).min(count)
    }
}

/// Shows a table.
#[component]
pub fn Table(
    /// What it lists, for screen readers.
    #[prop(into)]
    label: Signal<String>,
    /// Columns, rows, order.
    model: TableModel,
    /// Said when there are no rows.
    #[prop(into, optional)]
    none: MaybeProp<String>,
) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let scroll = Scroll { top: RwSignal::new(0.0), height: RwSignal::new(0.0), row: row_height() };
    watch_height(node, scroll);
    let window = Memo::new(move |_| scroll.window(model.count.get()));
    Effect::new(move || {
        // Its owner may choose a row too; rows are measured first.
        if let Some(row) = model.chosen.get().filter(|_| 0.0 < scroll.height.get()) {
            reveal(row, untrack(|| model.count.get()), scroll, node);
        }
    });
    Effect::new(move |_| model.on_need.run(window.get()));
    let visible = move || {
        let (window, rows) = (window.get(), model.rows.get());
        let end = rows.first + rows.cells.len();
        let range = window.start.max(rows.first)..window.end.min(end);
        range.map(|at| (at, rows.cells[at - rows.first].clone())).collect::<Vec<_>>()
    };
    let offset = move |at: usize| {
        let (_, scale) = scroll.body(model.count.get());
        // Where the whole body fits the row stands at its place; else it is placed relative to what is scrolled to.
        at as f64 * scroll.row - scroll.top.get() * (scale - 1.0)
    };
    let template = move || model.columns.with(|columns| cell::template(columns));
    view! {
        <div
            node_ref=node
            class="table__scroll"
            role="grid"
            tabindex="0"
            aria-label=move || label.get()
            aria-rowcount=move || (model.count.get() + 1).to_string()
            aria-activedescendant=move || model.chosen.get().map(row_id)
            style:--table-columns=template
            style:--table-width=move || model.columns.with(|columns| cell::least_width(columns))
            on:scroll=move |_| {
                if let Some(node) = node.get_untracked() {
                    scroll.top.set(f64::from(node.scroll_top()));
                }
            }
            on:keydown=move |event| on_key(&event, model, scroll, node)
        >
            <Head model />
            <div class="table__body" role="rowgroup" style:height=move || format!("{}px", scroll.body(model.count.get()).0)>
                <For each=visible key=|row| row.clone() let((at, cells))>
                    <Row at cells model top=Signal::derive(move || offset(at)) />
                </For>
            </div>
            <Show when=move || model.count.get() == 0>
                <p class="table__none">{move || none.get()}</p>
            </Show>
        </div>
    }
}

#[component]
fn Head(model: TableModel) -> impl IntoView {
    let heads = move || model.columns.get().into_iter().enumerate().collect::<Vec<_>>();
    view! {
        <div class="table__head" role="row" aria-rowindex="1">
            <For each=heads key=|head| head.clone().0.to_string() + &head.1.title + &head.1.unit let((at, column))>
                <HeadCell at column order=model.order />
            </For>
        </div>
    }
}

#[component]
fn HeadCell(at: usize, column: Column, order: RwSignal<Option<Order>>) -> impl IntoView {
    let own = move || order.get().filter(|o| o.column == at);
    let sorted = move || own().map(|o| if o.is_descending { "descending" } else { "ascending" });
    let is_number = column.is_number;
    let class = class_of("table__column", at, is_number);
    let inner = view! {
        <span class="table__title">{column.title}</span>
        {(!column.unit.is_empty()).then(|| view! { <span class="table__unit">{column.unit}</span> })}
        {move || {
            own().map(|o| view! { <span class="table__order">{if o.is_descending { "↓" } else { "↑" }}</span> })
        }}
    };
    let tip = (!column.note.is_empty()).then_some(column.note);
    if column.is_sortable {
        let press = move |_| order.update(|order| *order = Order::clicked(*order, at, is_number));
        view! {
            <div role="columnheader" aria-sort=sorted class=if at == 0 { "table__column--frozen" } else { "" }>
                <button class=class type="button" data-sorted=sorted data-tip=tip on:click=press>{inner}</button>
            </div>
        }
        .into_any()
    } else {
        view! { <div role="columnheader" class=class data-tip=tip>{inner}</div> }.into_any()
    }
}

#[component]
fn Row(at: usize, cells: Vec<Cell>, model: TableModel, top: Signal<f64>) -> impl IntoView {
    let numbers: Vec<bool> = model.columns.with_untracked(|c| c.iter().map(|c| c.is_number).collect());
    let cells: Vec<_> = cells
        .into_iter()
        .enumerate()
        .map(|(column, cell)| one_cell(column, cell, numbers.get(column).copied().unwrap_or(false)))
        .collect();
    view! {
        <div
            class="table__row"
            role="row"
            id=row_id(at)
            aria-rowindex=(at + 2).to_string()
            aria-selected=move || (model.chosen.get() == Some(at)).to_string()
            style:transform=move || format!("translateY({}px)", top.get())
            on:click=move |_| model.chosen.set(Some(at))
            on:dblclick=move |_| {
                if let Some(open) = model.on_open {
                    open.run(at);
                }
            }
        >
            {cells}
        </div>
    }
}

fn one_cell(column: usize, cell: Cell, is_number: bool) -> impl IntoView {
    let missing = is_number && cell.text.is_empty();
    let mut class = class_of("table__cell", column, is_number);
    if missing {
        class.push_str(" table__cell--missing");
    } else if cell.is_second {
        class.push_str(" table__cell--second");
    }
    match cell.tone {
        Some(Tone::Better) => class.push_str(" table__cell--better"),
        Some(Tone::Worse) => class.push_str(" table__cell--worse"),
        None => {}
    }
    if cell.is_marked {
        class.push_str(" table__cell--marked");
    }
    let text = if missing { crate::base::number::MISSING.to_owned() } else { cell.text };
    let full = if cell.full.is_empty() { text.clone() } else { cell.full };
    view! {
        <div class=class role="gridcell" title=full>
            {cell.severity.map(|severity| view! { <SeverityIcon severity /> })}
            {cell.swatch.map(|color| view! {
                <i class="swatch" style:background-color=format!("#{color:08x}")></i>
            })}
            <span class="table__text" class:mono=cell.is_mono>{text}</span>
            {cell.share.map(|share| view! {
                <span class="table__share">
                    <span class="table__fill" style:width=format!("{}%", share.clamp(0.0, 1.0) * 100.0)></span>
                </span>
            })}
        </div>
    }
}

fn class_of(base: &str, column: usize, is_number: bool) -> String {
    let number = if is_number { format!(" {base}--number") } else { String::new() };
    let frozen = if column == 0 { format!(" {base}--frozen") } else { String::new() };
    format!("{base}{number}{frozen}")
}

fn row_id(at: usize) -> String {
    format!("row-{at}")
}

/// Height of a dense row as the tokens have it; larger for fingers.
fn row_height() -> f64 {
    let root = document().document_element();
    let style = root.and_then(|r| window().get_computed_style(&r).ok().flatten());
    let text = style.and_then(|s| s.get_property_value("--h-row-dense").ok()).unwrap_or_default();
    text.trim().trim_end_matches("px").parse().unwrap_or(20.0)
}

fn watch_height(node: NodeRef<html::Div>, scroll: Scroll) {
    Effect::new(move |_| {
        let Some(node) = node.get() else { return };
        let seen = node.clone();
        let resized = Closure::<dyn FnMut()>::new(move || scroll.height.set(f64::from(seen.client_height())));
        let Ok(observer) = web_sys::ResizeObserver::new(resized.as_ref().unchecked_ref()) else { return };
        observer.observe(&node);
        let kept = StoredValue::new_local((observer, resized));
        on_cleanup(move || {
            let _ = kept.try_with_value(|(observer, _)| observer.disconnect());
        });
    });
}

fn on_key(event: &KeyboardEvent, model: TableModel, scroll: Scroll, node: NodeRef<html::Div>) {
    let count = model.count.get_untracked();
    let page = (scroll.height.get_untracked() / scroll.row).max(2.0) as usize - 1;
    let at = model.chosen.get_untracked();
    let to = match event.key().as_str() {
        "ArrowDown" => at.map_or(0, |at| at + 1),
        "ArrowUp" => at.map_or(0, |at| at.saturating_sub(1)),
        "PageDown" => at.map_or(page, |at| at + page),
        "PageUp" => at.map_or(0, |at| at.saturating_sub(page)),
        "Home" => 0,
        "End" => count.saturating_sub(1),
        "Enter" => {
            if let (Some(open), Some(at)) = (model.on_open, at) {
                open.run(at);
            }
            return;
        }
        "c" if event.ctrl_key() || event.meta_key() => {
            copy_row(model, at);
            return;
        }
        _ => return,
    };
    event.prevent_default();
    event.stop_propagation();
    if count == 0 {
        return;
    }
    let to = to.min(count - 1);
    model.chosen.set(Some(to));
    reveal(to, count, scroll, node);
}

/// Scrolls only if the row is not wholly visible.
fn reveal(row: usize, count: usize, scroll: Scroll, node: NodeRef<html::Div>) {
    let Some(node) = node.get_untracked() else { return };
    let (_, scale) = untrack(|| scroll.body(count));
    let head = 24.0;
    let (top, view) = (scroll.top.get_untracked() * scale, scroll.height.get_untracked() - head);
    let y = row as f64 * scroll.row;
    let wanted = if y < top {
        y
    } else if top + view < y + scroll.row {
        y + scroll.row - view
    } else {
        return;
    };
    node.set_scroll_top((wanted / scale).round() as i32);
}

fn copy_row(model: TableModel, at: Option<usize>) {
    let selected =
        window().get_selection().ok().flatten().map(|s| String::from(s.to_string())).unwrap_or_default();
    if !selected.is_empty() {
        return; // the browser copies what is marked
    }
    let rows = model.rows.get_untracked();
    let row = at.and_then(|at| rows.cells.get(at.checked_sub(rows.first)?));
    if let Some(row) = row {
        copy_text(&cell::as_text(&model.columns.get_untracked(), &[row]), |_| {});
    }
}

/// The words a table of `n` rows says below itself.
pub fn count_words(n: usize, of: usize) -> String {
    let words = words();
    let thousands = |n: usize| crate::base::number::thousands(i64::try_from(n).unwrap_or(i64::MAX));
    if n == of {
        crate::base::words::fill(words.now("{n} rows"), &[("n", &thousands(of))])
    } else {
        crate::base::words::fill(words.now("{n} of {m} rows"), &[("n", &thousands(n)), ("m", &thousands(of))])
    }
}
