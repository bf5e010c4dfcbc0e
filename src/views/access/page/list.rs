//! The accesses in the window: what they add up to, and a table of them.

use super::state::State;
use crate::analysis::rows::Goal;
use crate::base::number::{thousands, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{fill, tr};
use crate::pane::rows::{WorkerTable, follow};
use crate::views::access::messages::{AccessQuery, Reply};
use crate::wire::rows::Source;

use leptos::prelude::*;

fn number(n: u64) -> String {
    thousands(i64::try_from(n).unwrap_or(i64::MAX))
}

/// Sums of the window in a line.
#[component]
pub(super) fn Sums(state: State) -> impl IntoView {
    let context = state.context;
    let ask = Signal::derive(move || {
        context.head.with(|h| h.is_complete);
        Some(AccessQuery::Sums(state.settled.get()))
    });
    let answer = follow(context, ask);
    let words = move || {
        let language = context.language.get();
        let Some(Some(Reply::Sums(sums))) = answer.get() else { return String::new() };
        let mut parts = vec![fill(tr(language, "{n} accesses"), &[("n", &number(sums.n))])];
        parts.extend(sums.operations.iter().map(|o| {
            let bytes = with_unit(o.bytes as f64, &Unit::Bytes);
            format!("{} {} ({bytes})", o.name, number(o.n))
        }));
        if let Some((addresses, lines)) = sums.distinct {
            let words = tr(language, "{n} addresses in {m} lines of 128 B");
            parts.push(fill(words, &[("n", &number(addresses)), ("m", &number(lines))]));
        }
        parts.join(" · ")
    };
    view! { <p class="accesses__sums" role="status">{words}</p> }
}

/// The table; choosing a row selects its access.
#[component]
pub(super) fn List(state: State) -> impl IntoView {
    let context = state.context;
    let source = Signal::derive(move || Some(Source::Accesses(state.settled.get())));
    let go = Callback::new(move |goal| {
        if let Goal::Access(row) = goal {
            state.go_to(row);
        }
    });
    view! { <WorkerTable context label=context.word("Visible accesses") source on_choose=go on_open=go /> }
}
