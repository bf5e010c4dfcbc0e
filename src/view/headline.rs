//! The quantity that both documents have of the whole run and its change, above everything else that is compared.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

use super::context::ViewContext;
use crate::analysis::compare::headline::headline;
use crate::base::words::Message;
use crate::ui::latest::Latest;
use crate::wire::{Answer, Query};
use leptos::prelude::*;

/// The sentence; nothing where the two have no quantity of the same meaning, or nothing is compared.
#[component]
pub fn Headline(
    /// The comparison.
    context: ViewContext,
) -> impl IntoView {
    let said = RwSignal::new(None::<Message>);
    let latest = Latest::default();
    let state = |context: ViewContext| context.head.with(|h| (h.is_complete, h.revision));
    let changed = Memo::new(move |_| {
        let baseline = context.baseline.get();
        (baseline.map(|baseline| (baseline.context.document, state(baseline.context))), state(context))
    });
    Effect::new(move || {
        let _ = changed.get(); // a memo that nobody reads is not computed
        latest.begin();
        let Some(baseline) = context.baseline.get_untracked() else { return said.set(None) };
        let both =
            async move { (baseline.context.ask(Query::Headline).await, context.ask(Query::Headline).await) };
        latest.ask(both, move |both| {
            let (Answer::Headline(old), Answer::Headline(new)) = both else { return };
            said.try_set(headline(&old, &new));
        });
    });
    move || {
        said.get().map(|message| {
            let text = message.text(context.language.get()).into_owned();
            view! { <p class="compare__headline" role="note" data-tip=text.clone()>{text.clone()}</p> }
        })
    }
}
