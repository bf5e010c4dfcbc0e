//! The rows of a side on paper: of all of them, not only of those in view, as many as are worth a sheet.

use super::pane::Pane;
use crate::base::number::thousands;
use crate::base::words::{fill, phrase, tr};
use crate::model::code::Field;
use crate::ui::{Latest, on_paper};
use crate::views::code::messages::{CodeQuery, ColumnPlace, GAP, MAX_ROWS, Reply, RowText};
use crate::views::code::scene::head_in;
use leptos::prelude::*;
use std::ops::Range;
use std::time::Duration;

/// Most rows that are printed.
const MOST: u32 = 2_000;
/// How long what is shown must rest before rows for paper are asked for: printing does not wait for an answer.
const REST: Duration = Duration::from_millis(800);

/// The printed rows of what is shown, and how many there are.
#[derive(Clone, Default)]
pub(super) struct Printed {
    from: u32,
    total: u32,
    rows: Vec<RowText>,
}

impl Printed {
    /// Which rows these are, where they are not all.
    pub(super) fn words(&self, pane: Pane) -> Option<String> {
        let last = self.from + self.rows.len() as u32;
        let of = [("first", self.from + 1), ("last", last), ("n", self.total)];
        let of = of.map(|(name, n)| (name, thousands(n)));
        let of: Vec<(&str, &str)> = of.iter().map(|(name, n)| (*name, n.as_str())).collect();
        let words = tr(pane.state.context.language.get(), phrase("Rows {first} to {last} of {n}"));
        ((self.rows.len() as u32) < self.total).then(|| fill(words, &of))
    }
}

/// The places that are printed: all, or of more those around what is in view.
fn printed(total: u32, first: u32) -> Range<u32> {
    let half = MOST / 2;
    let from = if total <= MOST { 0 } else { (first / half * half).saturating_sub(half).min(total - MOST) };
    from..total.min(from + MOST)
}

/// Keeps the rows that are printed as they are shown.
pub(super) fn follow(pane: Pane) -> RwSignal<Option<Printed>> {
    let rows = RwSignal::new(None::<Printed>);
    let range = Memo::new(move |_| printed(pane.total() as u32, pane.first.get().max(0.0) as u32));
    let key = Memo::new(move |_| {
        let shown = (pane.note.with(|note| note.columns.len()), pane.joined.get());
        (pane.id().get(), pane.state.core.get(), pane.arranged(), range.get(), shown)
    });
    let latest = Latest::default();
    Effect::new(move || {
        let (listing, core, arrange, range, _) = key.get();
        rows.set(None);
        let Some(listing) = listing.filter(|_| !range.is_empty()) else { return };
        latest.after(REST, move || {
            let all = async move {
                let mut all = Printed { from: range.start, ..Printed::default() };
                for from in range.clone().step_by(MAX_ROWS) {
                    let n = (range.end - from).min(MAX_ROWS as u32);
                    let ask = CodeQuery::Rows { listing, core, arrange: arrange.clone(), from, n };
                    let Some(Reply::Rows { rows, total, .. }) = pane.state.ask(ask).await else {
                        return None;
                    };
                    all.rows.extend(rows);
                    all.total = total;
                }
                Some(all)
            };
            latest.ask(all, move |all| {
                if let Some(all) = all {
                    rows.try_set(Some(all));
                }
            });
        });
    });
    rows
}

/// The rows as text with the columns that are shown; made for paper alone.
#[component]
pub(super) fn Sheet(pane: Pane, rows: RwSignal<Option<Printed>>) -> impl IntoView {
    let is_on_paper = on_paper();
    move || {
        let all = if is_on_paper.get() { rows.get() } else { None }?;
        let language = pane.state.context.language.get();
        let columns = pane.note.with(|note| note.columns.clone());
        let class = |field: Field, is_right: bool| match field {
            Field::Text => "listing__code",
            _ if is_right => "listing__number",
            _ => "",
        };
        let head = |column: &ColumnPlace| {
            let title = head_in(language, &column.title);
            view! { <th scope="col" class=class(column.field, column.is_right)>{title}</th> }
        };
        let row = |row: &RowText| {
            let cell = |column: &ColumnPlace| {
                let text = if row.row == GAP { String::new() } else { text_of(row, column.field) };
                view! { <td class=class(column.field, column.is_right)>{text}</td> }
            };
            view! { <tr>{columns.iter().map(cell).collect_view()}</tr> }
        };
        Some(view! {
            <table class="listing__sheet">
                <thead><tr>{columns.iter().map(head).collect_view()}</tr></thead>
                <tbody>{all.rows.iter().map(row).collect_view()}</tbody>
            </table>
        })
    }
}

/// What a row says in a column.
pub(super) fn text_of(row: &RowText, field: Field) -> String {
    match field {
        Field::Row | Field::Address => row.label.clone(),
        Field::Text => row.text.clone(),
        Field::Difference => row.difference.clone(),
        Field::Column(at) => row.cells.get(usize::from(at)).cloned().unwrap_or_default(),
    }
}
