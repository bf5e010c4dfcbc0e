//! All operators of a project in one table, with what files tell of each: duration, shares of pipes, hit rates, bandwidths.
//!
//! Needs a project. Heads sort, the field above narrows down, a double click or Enter opens an operator; the one that is
//! shown is marked. The numbers are those of the heads of the operators, so that none has to be read.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

use super::ViewSpec;
use super::context::ViewContext;
use super::rows::LocalTable;
use crate::analysis::rows::{FigureRows, operators};
use crate::base::words::phrase;
use crate::draw::style::DrawStyle;
use crate::draw::table::TableFormat;
use crate::model::figure;
use crate::model::files::operator::OperatorHead;
use crate::scene::table::{Cell, Column};
use crate::wire::{Answer, Query};
use leptos::prelude::*;

/// The view.
pub static VIEW: ViewSpec = ViewSpec {
    id: "project",
    title: phrase("Project"),
    question: "How do the operators of a project compare?",
    can_show: |head| head.project.is_some(),
    badge: |head| head.project.as_ref().map(|project| project.operators as u64),
    compares: false,
    show: |context| super::later(&VIEW, context),
};

/// The view itself; a part of the program that is loaded when it is needed.
pub fn show(context: ViewContext) -> AnyView {
    view! { <Operators context /> }.into_any()
}

#[component]
fn Operators(context: ViewContext) -> impl IntoView {
    let heads = RwSignal::new(Vec::<OperatorHead>::new());
    leptos::task::spawn_local(fetch(context, heads));
    let shown = Memo::new(move |_| {
        let palette = context.palette.get();
        let look = DrawStyle { palette: &palette, language: context.language.get() };
        let project = context.head.with(|head| head.project.clone()).unwrap_or_default();
        heads.with(|heads| {
            let table = operators::table(heads, |path| project.short(path).to_owned());
            let source = FigureRows::new(&table);
            let format = TableFormat::new(&source);
            let columns = format.heads(&source, &look);
            let row = |(at, head): (usize, &OperatorHead)| {
                let mut cells = format.row(&source, at as u32, look.language);
                for (cell, column) in cells.iter_mut().zip(&columns) {
                    cell.number = table.rows[at].get(column.id).and_then(figure::Cell::as_number);
                    cell.is_marked = head.path == project.shown;
                }
                cells
            };
            let rows: Vec<Vec<Cell>> = heads.iter().enumerate().map(row).collect();
            // Rows that are at hand are sorted by the place of a column.
            let numbered = columns.into_iter().enumerate();
            let column = |(id, column): (usize, Column)| Column { id, is_key: !column.is_number, ..column };
            (numbered.map(column).collect::<Vec<_>>(), rows)
        })
    });
    let columns = Signal::derive(move || shown.with(|(columns, _)| columns.clone()));
    let rows = Signal::derive(move || shown.with(|(_, rows)| rows.clone()));
    let open = Callback::new(move |at: usize| {
        if let Some(path) = heads.with_untracked(|heads| heads.get(at).map(|head| head.path.clone())) {
            context.open.run((context.document, path));
        }
    });
    view! {
        <div class="tables">
            <LocalTable label=context.word(VIEW.title) columns rows on_open=Some(open) save=Some(context.save) />
        </div>
    }
}

/// Asks for the operators, some at a time.
async fn fetch(context: ViewContext, heads: RwSignal<Vec<OperatorHead>>) {
    while let Some(from) = heads.try_with_untracked(Vec::len) {
        let Answer::Operators(more) = context.ask(Query::Operators { from }).await else { return };
        if more.is_empty() || heads.try_update(|heads| heads.extend(more)).is_none() {
            return;
        }
    }
}
