//! The table: a million rows scroll like ten, because only the visible ones exist.
//!
//! It asks for a page of rows ([`PageRequest`]) by a callback that answers later, so that rows may come from a worker; it asks
//! anew when the order, the filter, the scrolled place or anything that the callback reads changes. Of what is typed into
//! the filter only the last counts, and answers that were overtaken are dropped.
//!
//! Arrows, Page and Home/End move the chosen row, left and right close and open it in a tree, Enter opens it, Ctrl+C copies it with the heads.

mod body;

use super::field::SearchField;
use super::icon::{Glyph, Icon};
use super::{Latest, copy_text, words};
use crate::base::names::sheet_cell;
use crate::base::number::thousands;
use crate::base::order;
use crate::base::words::{fill, phrase};
use crate::scene::table::{Arranged, Cell, Column, Order, Page, PageRequest, arranged};
use body::Body;
use leptos::prelude::*;
use std::ops::Range;
use std::pin::Pin;
use std::time::Duration;

/// A page that is asked for; `None` when nobody can give it any more.
pub type Answering = Pin<Box<dyn Future<Output = Option<Page>>>>;

/// Rows that are asked for at least, and at most.
const PAGE: (usize, usize) = (60, 500);
/// How long typing must rest before rows are asked for.
const REST: Duration = Duration::from_millis(120);
/// What a user does to a table.
#[derive(Clone, Copy)]
pub struct TableState {
    /// The order, set by the heads; `None` is that of the table itself.
    pub order: RwSignal<Option<Order>>,
    /// What rows must contain.
    pub filter: RwSignal<String>,
    /// The chosen row, by its place.
    pub chosen: RwSignal<Option<usize>>,
}

impl Default for TableState {
    fn default() -> Self {
        Self::new(None, String::new())
    }
}

impl TableState {
    /// An order and a filter to begin with.
    pub fn new(order: Option<Order>, filter: String) -> Self {
        Self { order: RwSignal::new(order), filter: RwSignal::new(filter), chosen: RwSignal::new(None) }
    }
}

/// What the parts of one table share.
#[derive(Clone, Copy)]
struct Shared {
    state: TableState,
    page: RwSignal<Page>,
    /// Of the rows and heads.
    width: RwSignal<f64>,
    /// Whether the first rows were asked for and did not come yet.
    is_waiting: RwSignal<bool>,
    /// Whether columns without room are shown too, to be scrolled to.
    shows_all: RwSignal<bool>,
    /// Which columns are shown, and how.
    arranged: Memo<Arranged>,
    on_open: Option<Callback<usize>>,
    /// A cell that names a place was clicked: its row and what it says.
    on_link: Option<Callback<(usize, String)>>,
    /// Opens or closes a row of a tree.
    on_toggle: Option<Callback<usize>>,
}

impl Shared {
    fn count(self) -> usize {
        self.page.with(|page| page.total)
    }

    /// The columns that are shown.
    fn columns(self) -> Memo<Vec<Column>> {
        Memo::new(move |_| {
            let shown = self.arranged.with(|arranged| arranged.shown.clone());
            self.page.with(|page| shown.iter().filter_map(|&at| page.columns.get(at).cloned()).collect())
        })
    }

    /// The titles of columns that have no room, in the order in which they give way; also while all are shown.
    fn hidden(self) -> Vec<String> {
        let width = self.width.get();
        self.page.with(|page| {
            let shown = arranged(&page.columns, width, true).shown;
            let mut hidden: Vec<usize> = (0..page.columns.len()).collect();
            hidden.retain(|at| !shown.contains(at));
            order::sort_by_key(&mut hidden, |&at| page.columns.get(at).map(|column| column.gives_way));
            hidden.into_iter().filter_map(|at| Some(page.columns.get(at)?.title.clone())).collect()
        })
    }

    /// What the rows are sorted by.
    fn order(self) -> Option<Order> {
        self.state.order.get().or_else(|| self.page.with(|page| page.order))
    }
}

/// Shows a table.
#[allow(clippy::too_many_lines)] // one table with its gestures
#[component]
pub fn Table(
    /// What it lists, for screen readers.
    #[prop(into)]
    label: Signal<String>,
    /// Answers with rows; asked anew when a signal that it reads changes.
    fetch: Callback<PageRequest, Answering>,
    /// Order, filter and chosen row.
    #[prop(optional)]
    state: TableState,
    /// The row, by its number in the table, that is chosen and brought into view when this changes.
    #[prop(optional, into)]
    seek: Signal<Option<u32>>,
    /// A row was chosen, by its place.
    #[prop(optional)]
    on_choose: Option<Callback<usize>>,
    /// Enter or double click on a row.
    #[prop(optional)]
    on_open: Option<Callback<usize>>,
    /// A cell that names a place was clicked: its row and what it says.
    #[prop(optional)]
    on_link: Option<Callback<(usize, String)>>,
    /// A row of a tree was opened or closed.
    #[prop(optional_no_strip)]
    on_toggle: Option<Callback<usize>>,
    /// Saves the rows as a file.
    #[prop(optional_no_strip)]
    on_save: Option<Callback<PageRequest>>,
    /// Rows were copied: how many, of how many.
    #[prop(optional)]
    on_copied: Option<Callback<(usize, usize)>>,
    /// Without the filter and the buttons above: the table is short.
    #[prop(optional)]
    plain: bool,
    /// What stands before the filter.
    #[prop(optional, into)]
    lead: ViewFn,
) -> impl IntoView {
    let words = words();
    let need = RwSignal::new(0..0_usize);
    let page = RwSignal::new(Page::default());
    let (width, shows_all) = (RwSignal::new(0.0), RwSignal::new(false));
    let arranged = Memo::new(move |_| {
        let (width, can_give_way) = (width.get(), !shows_all.get());
        page.with(|page| arranged(&page.columns, width, can_give_way))
    });
    let is_waiting = RwSignal::new(true);
    let shared = Shared { state, page, width, is_waiting, shows_all, arranged, on_open, on_link, on_toggle };
    let settled = follow_filter(state);
    let (asking, sought) = (Latest::default(), StoredValue::new(None));
    Effect::new(move || {
        let (range, seek) = (need.get(), seek.get());
        let wanted = PageRequest {
            order: state.order.get(),
            filter: settled.get(),
            from: range.start,
            n: range.len().clamp(PAGE.0, PAGE.1),
            seek,
        };
        asking.ask(fetch.run(wanted), move |answer| {
            // Who cannot answer computes nothing.
            is_waiting.try_set(false);
            let Some(answer) = answer else { return };
            let at = answer.at;
            page.try_set(answer);
            let Some(before) = sought.try_get_value() else { return };
            sought.set_value(seek);
            // Who answers may know the chosen row by something else than its number.
            let is_told = if seek.is_some() { before != seek } else { at.is_some() };
            if is_told {
                state.chosen.set(at);
            }
        });
    });
    Effect::new(move || {
        if seek.get().is_some() && !state.filter.with_untracked(String::is_empty) {
            state.filter.set(String::new());
        }
    });
    Effect::new(move |before: Option<Option<usize>>| {
        let now = state.chosen.get();
        if let (Some(before), Some(at), Some(choose)) = (before, now, on_choose)
            && before != now
        {
            choose.run(at);
        }
        now
    });
    let all = move || PageRequest {
        order: state.order.get_untracked(),
        filter: settled.get_untracked(),
        n: usize::MAX,
        ..PageRequest::default()
    };
    let copy = Callback::new(move |()| {
        let answer = untrack(|| fetch.run(all()));
        leptos::task::spawn_local(async move {
            if let Some(page) = answer.await {
                let counts = (page.rows.len(), page.total);
                copy_text(&as_text(&page.columns, page.rows.iter()), move |is_done| {
                    if let (Some(copied), true) = (on_copied, is_done) {
                        copied.try_run(counts);
                    }
                });
            }
        });
    });
    let save = on_save.map(|save| Callback::new(move |()| save.run(all())));
    view! {
        <div class="table">
            {(!plain).then(|| view! { <p class="table__name" aria-hidden="true">{move || label.get()}</p> <Tools shared copy save lead /> })}
            <Body label shared need none=Signal::derive(move || words.tr("No rows")().to_owned()) />
            {plain.then(|| view! { <Hidden shared /> })}
        </div>
    }
}

/// The filter as soon as typing rests.
fn follow_filter(state: TableState) -> RwSignal<String> {
    let settled = RwSignal::new(state.filter.get_untracked());
    let typing = Latest::default();
    Effect::new(move || {
        let text = state.filter.get();
        if settled.with_untracked(|now| *now != text) {
            typing.after(REST, move || {
                settled.try_set(text);
            });
        }
    });
    settled
}

/// The field that narrows down, how many rows are left, and buttons that copy and save them.
#[component]
fn Tools(shared: Shared, copy: Callback<()>, save: Option<Callback<()>>, lead: ViewFn) -> impl IntoView {
    let words = words();
    let found = move || {
        if shared.page.with(|page| page.columns.is_empty()) && shared.is_waiting.get() {
            return words.tr("Computing…")().to_owned();
        }
        shared.page.with(|page| count_words(page.total, page.all))
    };
    let button = move |action: &'static str, title: &'static str, glyph: Glyph, act: Callback<()>| {
        view! {
            <button
                class="button button--plain"
                type="button"
                data-action=action
                data-tip=words.tr(title)
                aria-label=words.tr(title)
                on:click=move |_| act.run(())
            >
                <Icon glyph />
            </button>
        }
    };
    view! {
        <div class="table__tools">
            {lead.run()}
            <SearchField label=Signal::derive(move || words.tr("Filter rows")().to_owned()) value=shared.state.filter />
            <span class="field__count" role="status">{found}</span>
            <span class="table__gap"></span>
            <Hidden shared />
            {button("copy-table", phrase("Copy rows with headers"), Glyph::Copy, copy)}
            {save.map(|save| button("save-table", phrase("Save as CSV"), Glyph::Export, save))}
        </div>
    }
}

/// How many columns have no room; a press shows them, to be scrolled to, and another one hides them again.
#[component]
fn Hidden(shared: Shared) -> impl IntoView {
    let words = words();
    let hidden = Memo::new(move |_| shared.hidden());
    let is_all = shared.shows_all;
    let text = move || {
        if is_all.get() {
            return words.tr(phrase("Hide columns"))().to_owned();
        }
        let n = count(hidden.with(Vec::len));
        fill(words.tr(phrase("{n} columns hidden"))(), &[("n", &n)])
    };
    let tip = move || {
        let english = if is_all.get() {
            phrase("Hide columns that do not fit: {names}")
        } else {
            phrase("Show all columns and scroll sideways. Hidden: {names}")
        };
        fill(words.tr(english)(), &[("names", &hidden.get().join(", "))])
    };
    view! {
        <Show when=move || hidden.with(|hidden| !hidden.is_empty())>
            <button
                class="button button--text table__hidden"
                type="button"
                data-action="hidden-columns"
                data-tip=tip
                aria-pressed=move || is_all.get().to_string()
                on:click=move |_| is_all.update(|on| *on = !*on)
            >
                {text}
            </button>
        </Show>
    }
}

/// The words a table of `n` rows says below itself.
fn count_words(n: usize, of: usize) -> String {
    let words = words();
    if n == of {
        fill(words.now("{n} rows"), &[("n", &count(of))])
    } else {
        fill(words.now("{n} of {m} rows"), &[("n", &count(n)), ("m", &count(of))])
    }
}

/// The words that paper says of the rows on it.
pub fn range_words(seen: &Range<usize>, of: usize) -> String {
    let [first, last, n] = [seen.start + 1, seen.end, of].map(count);
    let values = [("first", first.as_str()), ("last", &last), ("n", &n)];
    fill(words().now(phrase("Rows {first} to {last} of {n}")), &values)
}

/// The words that paper says of the columns on it.
pub fn columns_words(shown: usize, of: usize) -> String {
    let [n, of] = [shown, of].map(count);
    fill(words().now(phrase("{n} of {m} columns")), &[("n", &n), ("m", &of)])
}

fn count(n: usize) -> String {
    thousands(i64::try_from(n).unwrap_or(i64::MAX))
}

// Tables as text: widths of columns for the style sheet, rows for the clipboard and for a file.

/// What a click on the head of a column makes of the order: numbers begin with the largest; a third click gives the order
/// of the table itself back.
fn clicked_cell(now: Option<Order>, column: &Column) -> Option<Order> {
    let is_number = column.is_number;
    match now {
        Some(order) if order.column == column.id && order.is_descending == is_number => {
            Some(Order { column: column.id, is_descending: !is_number })
        }
        Some(order) if order.column == column.id => None,
        _ => Some(Order { column: column.id, is_descending: is_number }),
    }
}

/// The `grid-template-columns` of the columns: those without a width take what is left; where all have one, each takes its
/// part of it.
fn template(columns: &[Column], is_high: bool) -> String {
    let has_free = columns.iter().any(|column| column.width <= 0.0);
    let tracks = columns.iter().map(|column| match (column.wanted(is_high), column.least(is_high)) {
        (_, least) if column.width <= 0.0 => format!("minmax({least}px, 1fr)"),
        (width, least) if has_free => format!("minmax({least}px, {width}px)"),
        (width, least) => format!("minmax({least}px, {width}fr)"),
    });
    tracks.collect::<Vec<_>>().join(" ")
}

/// The least width of the rows; a narrower table scrolls sideways. Every row is a grid of its own, so that it must not
/// depend on what the cells hold.
fn least_width(columns: &[Column], is_high: bool) -> String {
    format!("{}px", columns.iter().map(|column| column.least(is_high)).sum::<f64>())
}

/// Rows as tab-separated text, with their heads.
fn as_text<'a>(columns: &[Column], rows: impl Iterator<Item = &'a Vec<Cell>>) -> String {
    lines(columns, rows, "\t", |text| text.replace(['\t', '\n'], " "))
}

/// Rows as CSV, with their heads.
pub fn as_csv<'a>(columns: &[Column], rows: impl Iterator<Item = &'a Vec<Cell>>) -> String {
    let quoted = |text: &str| {
        let text = &*sheet_cell(text);
        let is_plain = !text.contains([',', '"', '\n', '\r']);
        if is_plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
    };
    lines(columns, rows, ",", quoted) + "\n"
}

fn lines<'a>(
    columns: &[Column],
    rows: impl Iterator<Item = &'a Vec<Cell>>,
    between: &str,
    write: impl Fn(&str) -> String,
) -> String {
    let head = |c: &Column| {
        if c.unit.is_empty() { write(&c.title) } else { write(&format!("{} ({})", c.title, c.unit)) }
    };
    let mut text = columns.iter().map(head).collect::<Vec<_>>().join(between);
    for row in rows {
        text.push('\n');
        text.push_str(&row.iter().map(|c| write(c.copy())).collect::<Vec<_>>().join(between));
    }
    text
}
