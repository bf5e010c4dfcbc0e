//! The quantity that both documents have of the whole run and its change, above everything else that is compared.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

use crate::analysis::compare::headline::headline;
use crate::analysis::compare::operators::said as of_projects;
use crate::base::words::Message;
use crate::model::files::OperatorHead;
use crate::pane::context::{Baseline, ViewContext};
use crate::ui::follow_into;
use crate::wire::{Answer, Query};
use leptos::prelude::*;

/// The sentence; nothing where the two have no quantity of the same meaning, or nothing is compared.
#[component]
pub fn Headline(context: ViewContext) -> impl IntoView {
    let said = RwSignal::new(None::<Message>);
    let state = |context: ViewContext| context.head.with(|h| (h.is_complete, h.revision));
    let changed = Memo::new(move |_| {
        let baseline = context.baseline.get();
        (baseline.map(|baseline| (baseline.context.document, state(baseline.context))), state(context))
    });
    let ask = move || {
        let _ = changed.get(); // a memo that nobody reads is not computed
        context.baseline.get_untracked().map(|baseline| headline_of(context, baseline))
    };
    follow_into(said, ask, Some);
    move || {
        said.get().map(|message| {
            let text = message.text(context.language.get()).into_owned();
            view! { <p class="compare__headline" role="note">{text}</p> }
        })
    }
}

/// The sentence of a document beside a baseline.
pub async fn headline_of(context: ViewContext, baseline: Baseline) -> Option<Message> {
    let shown = |context: ViewContext| {
        context.head.try_with_untracked(|head| Some(head.project.as_ref()?.shown.clone())).flatten()
    };
    let projects = shown(baseline.context).zip(shown(context));
    let own = (baseline.context.ask(Query::Headline).await, context.ask(Query::Headline).await);
    let (Answer::Headline(old), Answer::Headline(new)) = own else { return None };
    let own = headline(&old, &new);
    let Some((old, new)) = projects else { return own };
    let [before, after] = [operators_of(baseline.context).await, operators_of(context).await];
    of_projects((&before, &old), (&after, &new), own)
}

/// All operators of the project of a document; asked for some at a time.
pub async fn operators_of(context: ViewContext) -> Vec<OperatorHead> {
    let mut all = Vec::new();
    while let Answer::Operators(more) = context.ask(Query::Operators { from: all.len() }).await {
        if more.is_empty() {
            break;
        }
        all.extend(more);
    }
    all
}
