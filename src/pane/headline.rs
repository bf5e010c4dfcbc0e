//! The quantity that both documents have of the whole run and its change, above everything else that is compared.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

use crate::analysis::compare::headline::headline;
use crate::analysis::compare::operators::said as of_projects;
use crate::base::words::Message;
use crate::model::files::OperatorHead;
use crate::pane::context::ViewContext;
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
        let baseline = context.baseline.get_untracked()?;
        let shown = |context: ViewContext| {
            context.head.with_untracked(|head| head.project.as_ref().map(|project| project.shown.clone()))
        };
        let projects = shown(baseline.context).zip(shown(context));
        Some(async move {
            let own = (baseline.context.ask(Query::Headline).await, context.ask(Query::Headline).await);
            let mut operators = (Vec::new(), Vec::new());
            if projects.is_some() {
                operators = (operators_of(baseline.context).await, operators_of(context).await);
            }
            (own, projects.map(|shown| (operators, shown)))
        })
    };
    follow_into(said, ask, |(own, projects)| {
        let (Answer::Headline(old), Answer::Headline(new)) = own else { return None };
        let own = headline(&old, &new);
        Some(match &projects {
            Some(((before, after), (old, new))) => of_projects((before, old), (after, new), own),
            None => own,
        })
    });
    move || {
        said.get().map(|message| {
            let text = message.text(context.language.get()).into_owned();
            view! { <p class="compare__headline" role="note">{text}</p> }
        })
    }
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
