//! Head and rows of a table: what is scrolled where, what is chosen, keys.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

use super::Shared;
use crate::base::brief::Kept;
use crate::base::names::cut;
use crate::scene::table::{Cell, Column, Page, Tone};
use crate::ui::icon::{Glyph, Icon};
use crate::ui::text::parts;
use crate::ui::{copy_text, follow_size, is_on_paper, words};
use leptos::attr::custom::custom_attribute;
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use std::ops::Range;

/// The greatest height of the scrolled body: browsers cut off beyond some ten million pixels.
const TALLEST: f64 = 8_000_000.0;
/// Height of a head of one line, and of two, as in the style.
const HEADS: [f64; 2] = [24.0, 38.0];
/// Rows kept above and below the visible ones.
const SPARE: usize = 8;

/// Smallest scale of a table on paper: what is smaller cannot be read.
const SMALLEST: f64 = 0.5;

/// What is scrolled where.
#[derive(Clone, Copy)]
struct Scroll {
    top: RwSignal<f64>,
    height: RwSignal<f64>,
    row: f64,
    /// Height of the head.
    head: Memo<f64>,
    /// How large the table is on paper, so that all columns fit, of 1; more rows have room then.
    fit: Memo<f64>,
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
        let visible = (self.height.get() / self.fit.get() / self.row) as usize + 2;
        first.saturating_sub(SPARE).min(count)..(first + visible + SPARE).min(count)
    }

    /// The rows that are seen by half at least; those that paper shows.
    fn seen(self, count: usize) -> Range<usize> {
        let (_, scale) = self.body(count);
        let at = |y: f64| (y.max(0.0) / self.row).round() as usize;
        let top = self.top.get() * scale;
        at(top).min(count)..at(top + self.height.get() / self.fit.get() - self.head.get()).min(count)
    }
}

/// Head and rows.
#[allow(clippy::too_many_lines)] // one pane with its parts
#[component]
pub(super) fn Body(
    label: Signal<String>,
    shared: Shared,
    need: RwSignal<Range<usize>>,
    none: Signal<String>,
) -> impl IntoView {
    let (state, page) = (shared.state, shared.page);
    let node = NodeRef::<html::Div>::new();
    let columns = shared.columns();
    let is_high = Memo::new(move |_| shared.arranged.with(|arranged| arranged.is_high));
    let fit = Memo::new(move |_| columns.with(|columns| fit(columns, shared.width.get(), is_high.get())));
    let head = Memo::new(move |_| HEADS[usize::from(is_high.get())]);
    let scroll = Scroll { top: RwSignal::new(0.0), height: RwSignal::new(0.0), row: row_height(), head, fit };
    watch_size(node, scroll, shared.width);
    let count = Memo::new(move |_| shared.count());
    let window = Memo::new(move |_| scroll.window(count.get()));
    Effect::new(move || {
        // Its owner may choose a row too; rows are measured first.
        if let Some(row) = state.chosen.get().filter(|_| 0.0 < scroll.height.get()) {
            reveal(row, count.get_untracked(), scroll, node);
        }
    });
    Effect::new(move || {
        let window = window.get();
        if need.with_untracked(|need| *need != window) {
            need.set(window);
        }
    });
    let visible = move || shared.arranged.with(|arranged| visible(page, window.get(), &arranged.shown));
    let is_tree = Memo::new(move |_| page.with(|page| branch(page.rows.first()).is_some()));
    let offset = move |at: usize| {
        let (_, scale) = scroll.body(count.get());
        // Where the whole body fits the row stands at its place; else it is placed relative to what is scrolled to.
        at as f64 * scroll.row - scroll.top.get() * (scale - 1.0)
    };
    let on_paper = move || {
        let (count, seen) = (count.get(), scroll.seen(count.get()));
        let rows = (!seen.is_empty() && seen.len() < count).then(|| super::range_words(&seen, count));
        let of = page.with(|page| page.columns.len());
        let width = shared.width.get() / fit.get();
        let fits = columns.with(|columns| fitting(columns, width, is_high.get()));
        let columns = (fits < of).then(|| super::columns_words(fits, of));
        let words = rows.into_iter().chain(columns).collect::<Vec<_>>();
        (!words.is_empty()).then(|| words.join(" · "))
    };
    view! {
        <p class="table__paper">{on_paper}</p>
        <div
            node_ref=node
            class="table__scroll"
            class:table__scroll--high=move || is_high.get()
            role=move || if is_tree.get() { "treegrid" } else { "grid" }
            tabindex="0"
            aria-label=move || label.get()
            aria-rowcount=move || (count.get() + 1).to_string()
            aria-activedescendant=move || state.chosen.get().map(row_id)
            style:--table-columns=move || columns.with(|columns| super::template(columns, is_high.get()))
            style:--table-width=move || columns.with(|columns| super::least_width(columns, is_high.get()))
            style:--table-fit=move || fit.get().to_string()
            on:scroll=move |_| {
                if let Some(node) = node.get_untracked() {
                    scroll.top.set(f64::from(node.scroll_top()));
                }
            }
            on:keydown=move |event| on_key(&event, shared, scroll, node)
        >
            <Head shared columns />
            <div class="table__body" role="rowgroup" style:height=move || format!("{}px", scroll.body(count.get()).0)>
                <For each=visible key=|row| row.clone() let((at, cells))>
                    <Row at cells shared columns top=Signal::derive(move || offset(at)) />
                </For>
            </div>
            <Show when=move || count.get() == 0 && page.with(|page| !page.columns.is_empty())>
                <p class="table__none">{move || none.get()}</p>
            </Show>
        </div>
    }
}

/// How large columns are on paper, of 1, so that all have room in a width.
fn fit(columns: &[Column], width: f64, is_high: bool) -> f64 {
    let least: f64 = columns.iter().map(|column| column.least(is_high)).sum();
    if width <= 0.0 || least <= width { 1.0 } else { (width / least).max(SMALLEST) }
}

/// How many columns from the first on are whole in a width.
fn fitting(columns: &[Column], width: f64, is_high: bool) -> usize {
    let ends = columns.iter().scan(0.0, |end, column| {
        *end += column.least(is_high);
        Some(*end)
    });
    // Widths are rounded.
    ends.take_while(|end| width <= 0.0 || *end <= width + 1.0).count()
}

/// The rows at hand of those that are in sight, with their places; of their cells only those that are shown.
fn visible(page: RwSignal<Page>, window: Range<usize>, shown: &[usize]) -> Vec<(usize, Vec<Cell>)> {
    page.with(|page| {
        let end = page.from + page.rows.len();
        let range = window.start.max(page.from)..window.end.min(end);
        let cells = |row: &[Cell]| shown.iter().filter_map(|&at| row.get(at).cloned()).collect();
        range.map(|at| (at, cells(&page.rows[at - page.from]))).collect()
    })
}

#[component]
fn Head(shared: Shared, columns: Memo<Vec<Column>>) -> impl IntoView {
    let heads = move || columns.get().into_iter().enumerate().collect::<Vec<_>>();
    view! {
        <div class="table__head" role="row" aria-rowindex="1">
            <For each=heads key=|(at, column)| (*at, column.title.clone(), column.unit.clone(), column.bar.clone(), column.kept.clone()) let((at, column))>
                <HeadCell at column shared />
            </For>
        </div>
    }
}

#[component]
fn HeadCell(at: usize, column: Column, shared: Shared) -> impl IntoView {
    let id = column.id;
    let own = move || shared.order().filter(|o| o.column == id);
    let sorted = move || own().map(|o| if o.is_descending { "descending" } else { "ascending" });
    let class = class_of("table__column", at, column.is_number);
    let (title, unit) = (column.title.clone(), column.unit.clone());
    let is_long = column.is_long();
    let kept = if column.kept.is_empty() { end_of(&title) } else { column.kept.clone() };
    // The whole of what may be cut, and what a full bar is.
    let named = if unit.is_empty() { title.clone() } else { format!("{title} ({unit})") };
    // A column of names may stand without a title; its button does not.
    let unnamed = title.is_empty().then(|| words().now("Name"));
    let tip = if column.bar.is_empty() { named } else { format!("{named}\n{}", column.bar) };
    let press = move |_| {
        let now = untrack(|| shared.order());
        shared.state.order.set(super::clicked_cell(now, &column));
    };
    view! {
        <div role="columnheader" aria-sort=sorted class=if at == 0 { "table__column--frozen" } else { "" }>
            <button class=class type="button" title=tip aria-label=unnamed data-sorted=sorted on:click=press>
                <span class="table__title" class:name=is_long>
                    {if is_long { parts(&title, &kept).into_any() } else { title.into_any() }}
                </span>
                {(!unit.is_empty()).then(|| view! { <span class="table__unit">{unit}</span> })}
                {move || {
                    own().map(|o| view! { <span class="table__order">{if o.is_descending { "↓" } else { "↑" }}</span> })
                }}
            </button>
        </div>
    }
}

#[component]
fn Row(
    at: usize,
    cells: Vec<Cell>,
    shared: Shared,
    columns: Memo<Vec<Column>>,
    top: Signal<f64>,
) -> impl IntoView {
    let kinds =
        columns.with_untracked(|all| all.iter().map(|c| (c.is_number, c.is_group)).collect::<Vec<_>>());
    let branch = branch(Some(&cells));
    let toggle = Callback::new(move |()| {
        if let Some(toggle) = shared.on_toggle {
            toggle.run(at);
        }
    });
    let follow = shared.on_link.map(|on_link| Callback::new(move |text| on_link.run((at, text))));
    let cells: Vec<_> = cells
        .into_iter()
        .enumerate()
        .map(|(column, cell)| {
            one_cell(column, cell, kinds.get(column).copied().unwrap_or_default(), toggle, follow)
        })
        .collect();
    view! {
        <div
            class="table__row"
            role="row"
            id=row_id(at)
            aria-rowindex=(at + 2).to_string()
            aria-expanded=branch.and_then(|(_, is_open)| is_open).map(|is_open| is_open.to_string())
            {..custom_attribute("aria-level", branch.map(|(depth, _)| (depth + 1).to_string()))}
            aria-selected=move || (shared.state.chosen.get() == Some(at)).to_string()
            style:transform=move || format!("translateY({}px)", top.get())
            on:click=move |_| shared.state.chosen.set(Some(at))
            on:dblclick=move |_| {
                if let Some(open) = shared.on_open {
                    open.run(at);
                }
            }
        >
            {cells}
        </div>
    }
}

fn one_cell(
    column: usize,
    cell: Cell,
    (is_number, is_group): (bool, bool),
    toggle: Callback<()>,
    follow: Option<Callback<String>>,
) -> impl IntoView {
    let missing = cell.text.is_empty();
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
    // What a row is of begins often as others do: its end, which tells it apart, is always seen.
    let is_name = column == 0 && !is_number;
    let full = if cell.full.is_empty() { text.clone() } else { cell.full };
    let shown = if is_name { parts(&text, &cell.kept).into_any() } else { text.clone().into_any() };
    view! {
        <div class=class role="gridcell" title=full>
            {is_group.then(|| view! { <span class="table__caret"><Icon glyph=Glyph::Right /></span> })}
            {cell.tree.map(|branch| caret(branch, toggle))}
            {match (cell.swatch, cell.bar) {
                (color, Some((inner, whole))) => {
                    let color = color.map_or_else(|| "var(--accent)".to_owned(), |color| format!("#{color:08x}"));
                    let width = |share: f64| format!("{}%", share.clamp(0.0, 1.0) * 100.0);
                    Some(view! {
                        <span class="table__bar" style:color=color>
                            <i style:width=width(inner)></i><i style:width=width(whole - inner)></i>
                        </span>
                    }.into_any())
                }
                (Some(color), None) => {
                    let color = format!("#{color:08x}");
                    Some(view! { <i class="swatch" style:background-color=color></i> }.into_any())
                }
                _ => None,
            }}
            {match follow.filter(|_| cell.is_link) {
                // The keyboard opens the row, which offers all its places.
                Some(follow) => view! {
                    <a class="table__text table__link" class:name=is_name on:click=move |_| follow.run(text.clone())>{shown}</a>
                }.into_any(),
                None => view! {
                    <span class="table__text" class:name=is_name class:mono=cell.is_mono>{shown}</span>
                }.into_any(),
            }}
            {cell.share.map(|share| view! {
                <span class="table__share">
                    <span class="table__fill" style:width=format!("{}%", share.clamp(0.0, 1.0) * 100.0)></span>
                </span>
            })}
        </div>
    }
}

/// What is kept of a head that nothing else tells apart: its end.
fn end_of(title: &str) -> Kept {
    let at = cut(title);
    if at < title.len() { vec![(at as u32, title.len() as u32)] } else { Kept::new() }
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

fn watch_size(node: NodeRef<html::Div>, scroll: Scroll, width: RwSignal<f64>) {
    Effect::new(move |_| {
        let Some(node) = node.get() else { return };
        let seen = node.clone();
        follow_size(&node, move || {
            // Scaled for paper it has another size.
            if is_on_paper() && scroll.fit.try_get_untracked().is_none_or(|fit| fit < 1.0) {
                return;
            }
            scroll.height.set(f64::from(seen.client_height()));
            width.maybe_update(|width| std::mem::replace(width, f64::from(seen.client_width())) != *width);
        });
    });
}

fn on_key(event: &KeyboardEvent, shared: Shared, scroll: Scroll, node: NodeRef<html::Div>) {
    let count = untrack(|| shared.count());
    let chosen = shared.state.chosen;
    let page = (scroll.height.get_untracked() / scroll.row).max(2.0) as usize - 1;
    let at = chosen.get_untracked();
    let to = match event.key().as_str() {
        "ArrowDown" => at.map_or(0, |at| at + 1),
        "ArrowUp" => at.map_or(0, |at| at.saturating_sub(1)),
        "PageDown" => at.map_or(page, |at| at + page),
        "PageUp" => at.map_or(0, |at| at.saturating_sub(page)),
        "Home" => 0,
        "End" => count.saturating_sub(1),
        "Enter" => {
            if let (Some(open), Some(at)) = (shared.on_open, at) {
                open.run(at);
            }
            return;
        }
        "ArrowRight" | "ArrowLeft" => {
            let Some((at, to)) =
                at.and_then(|at| Some((at, in_tree(shared, at, event.key() == "ArrowRight")?)))
            else {
                return;
            };
            if to == at {
                if let Some(toggle) = shared.on_toggle {
                    toggle.run(at);
                }
                event.prevent_default();
                event.stop_propagation();
                return;
            }
            to
        }
        "c" if event.ctrl_key() || event.meta_key() => {
            copy_row(shared, at);
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
    chosen.set(Some(to));
    reveal(to, count, scroll, node);
}

/// Where an arrow to the side leads in a tree: the row itself to open or close it, the first one inside, or the one around.
fn in_tree(shared: Shared, at: usize, is_right: bool) -> Option<usize> {
    shared.page.with_untracked(|page| {
        let branch_of = |at: usize| branch(page.rows.get(at.checked_sub(page.from)?));
        let (depth, is_open) = branch_of(at)?;
        match (is_right, is_open) {
            (true, Some(false)) | (false, Some(true)) => Some(at),
            (true, Some(true)) => Some(at + 1),
            (true, None) => None,
            (false, _) => {
                (page.from..at).rev().find(|at| branch_of(*at).is_some_and(|other| other.0 < depth))
            }
        }
    })
}

/// Scrolls only if the row is not wholly visible.
fn reveal(row: usize, count: usize, scroll: Scroll, node: NodeRef<html::Div>) {
    let Some(node) = node.get_untracked() else { return };
    let (_, scale) = untrack(|| scroll.body(count));
    let view = scroll.height.get_untracked() - scroll.head.get_untracked();
    let top = scroll.top.get_untracked() * scale;
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

fn copy_row(shared: Shared, at: Option<usize>) {
    let selected =
        window().get_selection().ok().flatten().map(|s| String::from(s.to_string())).unwrap_or_default();
    if !selected.is_empty() {
        return; // the browser copies what is marked
    }
    let page = shared.page.get_untracked();
    let row = at.and_then(|at| page.rows.get(at.checked_sub(page.from)?));
    if let Some(row) = row {
        copy_text(&super::as_text(&page.columns, std::iter::once(row)), |_| {});
    }
}

// Rows of a table that lie in others: how deep they are, and what opens them.

/// Pixels that a level of a tree is set in by, and how many levels are.
const STEP: u32 = 12;
const LEVELS: u32 = 24;

/// Where a row stands in a tree.
fn branch(row: Option<&Vec<Cell>>) -> Option<(u32, Option<bool>)> {
    row?.first()?.tree
}

/// What opens and closes a row, set in as deep as the row lies.
fn caret((depth, is_open): (u32, Option<bool>), toggle: Callback<()>) -> impl IntoView {
    let class = match is_open {
        Some(true) => "tree__caret tree__caret--open",
        Some(false) => "tree__caret",
        None => "tree__caret tree__caret--leaf",
    };
    let left = format!("{}px", depth.min(LEVELS) * STEP);
    view! {
        <span class=class style:margin-left=left on:click=move |_| toggle.run(()) on:dblclick=|event| event.stop_propagation()>
            <Icon glyph=Glyph::Right />
        </span>
    }
}
