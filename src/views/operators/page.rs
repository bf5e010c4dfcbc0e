//! All operators of a project in one table, with what files tell of each: duration, shares of pipes, hit rates, bandwidths.
//!
//! Needs a project. Heads sort, the field above narrows down, a double click or Enter opens an operator; the one that is
//! shown is marked. The numbers are those of the heads of the operators, so that none has to be read. Beside a baseline of
//! another project operators of one name meet, with differences; what only the baseline has opens there.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

use crate::analysis::compare::operators as compare;
use crate::analysis::rows;
use crate::analysis::rows::FigureRows;
use crate::base::words::phrase;
use crate::draw::style::DrawStyle;
use crate::draw::table::TableFormat;
use crate::model::figure;
use crate::model::files::OperatorHead;
use crate::pane::context::ViewContext;
use crate::pane::headline::operators_of;
use crate::pane::rows::LocalTable;
use crate::pane::{ViewSpec, with_symbol};
use crate::scene::table::{Cell, Column};
use crate::ui::follow_into;
use crate::wire::{Answer, Query};
use leptos::prelude::*;

/// The view.
pub static VIEW: ViewSpec = ViewSpec {
    id: "project",
    title: phrase("Project"),
    question: "How do the operators of a project compare?",
    can_show: |head| head.project.is_some(),
    badge: |head| head.project.as_ref().map(|project| project.operators as u64),
    compares: true,
    show: |context| crate::views::parts::later(&VIEW, context),
};

/// The view itself; a part of the program that is loaded when it is needed.
pub fn show(context: ViewContext) -> AnyView {
    view! { <Operators context /> }.into_any()
}

#[component]
fn Operators(context: ViewContext) -> impl IntoView {
    let heads = RwSignal::new(Vec::<OperatorHead>::new());
    let is_all = RwSignal::new(false);
    leptos::task::spawn_local(async move {
        fetch(context, |more| heads.try_update(|heads| heads.extend(more)).is_some()).await;
        is_all.try_set(true);
    });
    let old = of_baseline(context);
    // The baseline with its operators, once all of both are known.
    let compared = Memo::new(move |_| {
        let (baseline, old) = old.get()?;
        let project = baseline.head.with(|head| head.project.clone())?;
        let is_other = is_all.get() && heads.with(|heads| *heads != old);
        is_other.then_some((baseline.document, project, old))
    });
    let shown = Memo::new(move |_| {
        let palette = context.palette.get();
        let look = DrawStyle { palette: &palette, language: context.language.get() };
        let project = context.head.with(|head| head.project.clone()).unwrap_or_default();
        heads.with(|heads| {
            let short = |path: &str| project.short(path).to_owned();
            let table = compared.with(|compared| match compared {
                Some((_, project, old)) => {
                    compare::compared((old, &|path| project.short(path).to_owned()), (heads, &short))
                }
                None => rows::operator_table(heads, short),
            });
            let source = FigureRows::new(&table);
            let format = TableFormat::new(&source);
            let columns = format.heads(&source, &look);
            let row = |at: usize| {
                let mut cells = format.row(&source, at as u32, look.language);
                for (cell, column) in cells.iter_mut().zip(&columns) {
                    cell.number = table.rows[at].get(column.id).and_then(figure::Cell::as_number);
                    cell.is_marked = heads.get(at).is_some_and(|head| head.path == project.shown);
                }
                // Names of kernels have their symbols in the tooltip.
                if let Some(head) = heads.get(at).filter(|head| !head.symbol.is_empty())
                    && let Some(cell) = cells.iter_mut().find(|cell| cell.text == head.launch)
                {
                    cell.full = with_symbol(&cell.text, &head.symbol);
                }
                cells
            };
            let rows: Vec<Vec<Cell>> = (0..table.rows.len()).map(row).collect();
            // Rows that are at hand are sorted by the place of a column.
            let numbered = columns.into_iter().enumerate();
            let column = |(id, column): (usize, Column)| Column { id, is_key: !column.is_number, ..column };
            (numbered.map(column).collect::<Vec<_>>(), rows)
        })
    });
    let columns = Signal::derive(move || shown.with(|(columns, _)| columns.clone()));
    let rows = Signal::derive(move || shown.with(|(_, rows)| rows.clone()));
    let open = Callback::new(move |at: usize| {
        let own = heads.with_untracked(|heads| heads.get(at).map(|head| head.path.clone()));
        let operator = own.map(|path| (context.document, path)).or_else(|| {
            // Behind the rows of the project stand those of the baseline that met none.
            let met = heads.with_untracked(Vec::len);
            compared.with_untracked(|compared| {
                let (document, _, old) = compared.as_ref()?;
                let alone = heads.with_untracked(|heads| compare::alone(old, heads));
                Some((*document, old.get(*alone.get(at - met)?)?.path.clone()))
            })
        });
        if let Some(operator) = operator {
            context.open.run(operator);
        }
    });
    view! {
        <div class="tables">
            <LocalTable context name=VIEW.id label=context.word(VIEW.title) columns rows on_open=Some(open) />
        </div>
    }
}

/// The baseline with the operators of its project, when all are known; `None` while nothing is compared.
fn of_baseline(context: ViewContext) -> RwSignal<Option<(ViewContext, Vec<OperatorHead>)>> {
    let found = RwSignal::new(None);
    let ask = move || {
        let baseline = context.baseline.get()?.context;
        Some(async move { (baseline, operators_of(baseline).await) })
    };
    follow_into(found, ask, |all| Some(Some(all)));
    found
}

/// Asks for the operators, some at a time, as long as they are wanted.
async fn fetch(context: ViewContext, mut take: impl FnMut(Vec<OperatorHead>) -> bool) {
    let mut from = 0;
    while let Answer::Operators(more) = context.ask(Query::Operators { from }).await {
        from += more.len();
        if more.is_empty() || !take(more) {
            return;
        }
    }
}
