//! All advice on one panel, first what bounds the run, then what costs most, each with a link to its figure.

use super::ADVICE;
use super::grid::Grid;
use crate::base::order;
use crate::base::words::{Message, tr};
use crate::model::figure::Advice;
use crate::pane::context::ViewContext;
use crate::pane::figure::navigate::reveal;
use crate::ui::icon::{Glyph, Icon};
use crate::wire::figures::FamilyHead;
use leptos::prelude::*;

/// One sentence of advice with its figure.
#[derive(Clone, PartialEq)]
struct Line {
    text: Message,
    is_costly: bool,
    is_bound: bool,
    id: String,
    title: String,
    rows: Vec<u32>,
}

fn lines(families: &[FamilyHead]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for family in families {
        for advice in &family.advice {
            if lines.iter().all(|l| l.text != advice.text) {
                let (id, title) = (family.id.clone(), family.title.clone());
                let Advice { text, is_costly, is_bound, rows } = advice.clone();
                lines.push(Line { text, is_costly, is_bound, id, title, rows });
            }
        }
    }
    order::sort_by_key(&mut lines, |line| (!line.is_bound, !line.is_costly));
    lines
}

/// All sentences, each once.
pub(super) fn sentences(families: &[FamilyHead]) -> Vec<Message> {
    lines(families).into_iter().map(|line| line.text).collect()
}

/// The panel.
#[component]
pub(super) fn AdvicePanel(
    context: ViewContext,
    grid: Grid,
    families: Signal<Vec<FamilyHead>>,
) -> impl IntoView {
    let (across, down) = grid.lines(ADVICE.to_owned());
    let rows = move || {
        families
            .with(|f| lines(f))
            .into_iter()
            .map(|line| {
                let Line { text, is_costly, id, title, rows, .. } = line;
                let said = move || text.text(context.language.get()).into_owned();
                let figure = move || tr(context.language.get(), &title).to_owned();
                // The rows that show it are marked, the figure comes into view.
                let show = move |_| {
                    if !rows.is_empty() {
                        context
                            .selection
                            .update(|s| s.rows = rows.iter().map(|row| (id.clone(), *row)).collect());
                    }
                    reveal(&id);
                };
                view! {
                    <li class="advice__row">
                        <AdviceIcon is_costly />
                        <span class="advice__text">{said}</span>
                        <button class="advice__link" type="button" on:click=show>{figure}</button>
                    </li>
                }
            })
            .collect_view()
    };
    view! {
        <section class="details__panel" style:grid-column=across style:grid-row=down aria-label=context.word("Advice")>
            <header class="figure__head">
                <h2 class="figure__title">{context.word("Advice")}</h2>
                <span class="figure__scope">{context.word("what limits the run first")}</span>
            </header>
            <ul class="advice">{rows}</ul>
        </section>
    }
}

/// A triangle for what costs time, a circle for what only informs.
#[component]
pub(super) fn AdviceIcon(is_costly: bool) -> impl IntoView {
    let glyph = if is_costly { Glyph::Warning } else { Glyph::Note };
    view! {
        <span class="advice__icon" class:advice__icon--costly=is_costly>
            <Icon glyph />
        </span>
    }
}
