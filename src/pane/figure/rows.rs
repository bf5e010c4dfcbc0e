//! Facts and tables as real text.

use super::navigate;
use super::set_px;
use crate::analysis::rows::Goal;
use crate::base::words::{phrase, tr};
use crate::draw::page::LONG;
use crate::draw::style::{TEXT, full};
use crate::model::figure::{Cell, Fact, Facts, Target};
use crate::navigation::selection::Selection;
use crate::pane::context::ViewContext;
use crate::pane::rows::WorkerTable;
use crate::scene::text;
use crate::ui::overlay::menu::menus;
use crate::wire::rows::Source;
use leptos::prelude::*;

/// The least width of a column of facts, as in the style, and what stands between name and value.
const FACT: f32 = 176.0;
const BETWEEN: f32 = 12.0;
/// Height of a row and of the head.
const ROW: f32 = 20.0;
const HEAD: f32 = 26.0;

/// Names at the left, values at the right.
#[component]
pub(super) fn FactList(context: ViewContext, facts: Facts) -> impl IntoView {
    let rows = facts.facts.into_iter().map(move |fact| {
        let value = fact.value.with_unit(&fact.unit);
        let needed = text::width(&fact.name, TEXT) + BETWEEN + text::width(&value, TEXT);
        let Fact { name, value, unit } = fact;
        let is_missing = value == Cell::Missing;
        let (told, own) = (value.clone(), unit.clone());
        let told = move || {
            context.language.track();
            told.with_unit(&own)
        };
        let exact = move || {
            context.language.track();
            match &value {
                Cell::Number(v) => full(Some(*v), &unit),
                Cell::Missing => String::new(),
                other => other.with_unit(&unit),
            }
        };
        view! {
            <div class="facts__row" class:facts__row--wide=FACT < needed>
                <dt class="facts__name">{move || tr(context.language.get(), &name).to_owned()}</dt>
                <dd class="facts__value" class:facts__value--missing=is_missing title=exact>{told}</dd>
            </div>
        }
    });
    view! { <dl class="facts">{rows.collect_view()}</dl> }
}

/// A table of a figure, or a long table.
#[component]
pub(crate) fn FigureTable(
    context: ViewContext,
    /// Where its rows come from.
    source: Source,
    /// How many it has.
    n_rows: usize,
    title: String,
) -> impl IntoView {
    if n_rows == 0 && matches!(source, Source::Figure { .. }) {
        let none = move || tr(context.language.get(), phrase("No rows"));
        return view! { <p class="figure__note">{none}</p> }.into_any();
    }
    let marked = Signal::derive({
        let id = match &source {
            Source::Figure { id, .. } => id.clone(),
            _ => String::new(),
        };
        move || {
            let own = |s: &Selection| {
                let rows = s.rows.iter().filter(|(table, _)| *table == id);
                rows.map(|(_, row)| *row).collect::<Vec<_>>()
            };
            context.selection.with(own)
        }
    });
    let (menus, node) = (menus(), NodeRef::<leptos::html::Div>::new());
    // A row that names places, such as a line of source, goes there.
    let on_open = Callback::new(move |goal| {
        if let Goal::Place(text) = goal {
            let row =
                node.get_untracked().and_then(|node| node.query_selector("[aria-selected=true]").ok()?);
            navigate::go_from(
                context,
                menus,
                row.as_ref(),
                text.lines().filter_map(Target::of_place).collect(),
            );
        }
    });
    let is_long = LONG < n_rows;
    Effect::new(move || {
        if let Some(node) = node.get() {
            let tools = if is_long { 32.0 } else { 0.0 };
            // That there are no rows is said in two.
            let rows = if n_rows == 0 { 2 } else { n_rows.min(LONG) };
            // Where all rows are shown, a bar to scroll sideways comes below them and not over the last one.
            let how = if is_long { "height" } else { "min-height" };
            set_px(&node, how, HEAD + tools + ROW * rows as f32);
        }
    });
    let label = Signal::derive(move || tr(context.language.get(), &title).to_owned());
    let source = Signal::stored(Some(source));
    view! {
        <div class="figure__table" node_ref=node>
            <WorkerTable context label source marked on_open plain=!is_long />
        </div>
    }
    .into_any()
}
