//! The duration of both documents and its change, above everything else that is compared.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

use super::joined::families_of_baseline;
use crate::analysis::compare::headline::headline;
use crate::base::words::Message;
use crate::model::figure::Figure;
use crate::ui::latest::Latest;
use crate::view::context::ViewContext;
use crate::wire::figures::{FamilyHead, FigureQuery, Reply};
use crate::wire::{Answer, Query};
use leptos::prelude::*;

/// The sentence; nothing where the two do not have one duration of the same meaning, or nothing is compared.
#[component]
pub(in crate::view) fn Headline(context: ViewContext) -> impl IntoView {
    let of_baseline = families_of_baseline(context);
    let said = RwSignal::new(None::<Message>);
    let latest = Latest::default();
    let is_complete = Memo::new(move |_| context.head.with(|h| h.is_complete));
    Effect::new(move || {
        let _ = is_complete.get();
        latest.begin();
        let Some((baseline, old)) = context.baseline.get().zip(of_baseline.get()) else {
            return said.set(None);
        };
        latest.ask(find(baseline.context, old, context), move |found| {
            said.try_set(found);
        });
    });
    move || {
        said.get().map(|message| {
            view! { <p class="details__headline" role="note">{message.text(context.language.get()).into_owned()}</p> }
        })
    }
}

/// The first headline of the facts that both have and in which nothing is chosen.
async fn find(baseline: ViewContext, old: Vec<FamilyHead>, context: ViewContext) -> Option<Message> {
    for family in old.into_iter().filter(|family| family.kind == "facts" && family.choices.is_empty()) {
        let Some(before) = figure(baseline, family.id.clone()).await else { continue };
        let Some(after) = figure(context, family.id).await else { continue };
        if let Some(message) = headline(&before, &after) {
            return Some(message);
        }
    }
    None
}

/// A figure of a document.
async fn figure(context: ViewContext, id: String) -> Option<Figure> {
    match context.ask(Query::Figures(FigureQuery::Figure { id, chosen: Vec::new() })).await {
        Answer::Figures(Reply::Figure(shown)) => Some(shown.figure),
        _ => None,
    }
}
