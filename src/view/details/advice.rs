//! All advice on one panel, most costly first, each with a link to its figure.

use crate::base::order;
use crate::base::words::{Message, tr};
use crate::ui::icon::{Glyph, Icon};
use crate::view::context::ViewContext;
use crate::view::figure::navigate::reveal;
use crate::wire::figures::FamilyHead;
use leptos::prelude::*;

/// One sentence of advice with its figure.
#[derive(Clone, PartialEq)]
struct Line {
    text: Message,
    is_costly: bool,
    id: String,
    title: String,
}

fn lines(families: &[FamilyHead]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for family in families {
        for advice in &family.advice {
            if lines.iter().all(|l| l.text != advice.text) {
                let (id, title, text) = (family.id.clone(), family.title.clone(), advice.text.clone());
                lines.push(Line { text, is_costly: advice.is_costly, id, title });
            }
        }
    }
    order::sort_by_key(&mut lines, |line| !line.is_costly);
    lines
}

/// The panel.
#[component]
pub(super) fn AdvicePanel(context: ViewContext, families: Signal<Vec<FamilyHead>>) -> impl IntoView {
    let rows = move || {
        families.with(|f| lines(f)).into_iter().map(|line| {
            let Line { text, is_costly, id, title } = line;
            let said = move || text.text(context.language.get()).into_owned();
            let figure = move || tr(context.language.get(), &title).to_owned();
            view! {
                <li class="advice__row">
                    <AdviceIcon is_costly />
                    <span class="advice__text">{said}</span>
                    <button class="advice__link" type="button" on:click=move |_| reveal(&id)>{figure}</button>
                </li>
            }
        })
        .collect_view()
    };
    view! {
        <section class="details__panel details__panel--2" aria-label=context.word("Advice")>
            <header class="figure__head">
                <h2 class="figure__title">{context.word("Advice")}</h2>
                <span class="figure__scope">{context.word("limiting factors, most costly first")}</span>
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
