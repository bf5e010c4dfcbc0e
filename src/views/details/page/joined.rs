//! A figure of this document joined with that of the baseline, or why it is shown alone.

use crate::analysis::compare::family::{ONLY_COMPARISON, same_options};
use crate::base::words::phrase;
use crate::model::figure::Choice;
use crate::pane::context::{Baseline, ViewContext};
use crate::ui::follow_into;
use crate::wire::figures::{FamilyHead, FigureQuery, Reply, Shown};
use leptos::prelude::*;

/// What a panel shows.
#[derive(Clone, PartialEq)]
pub(crate) struct Pane {
    pub(crate) shown: Shown,
    pub(crate) chosen: Vec<usize>,
    /// Whether it is joined with the baseline.
    pub(crate) is_compared: bool,
    /// Why it is not, where something is compared.
    pub(crate) note: Option<String>,
}

/// The figures of the baseline; `None` while nothing is compared or nothing is known of it yet.
pub(crate) fn families_of_baseline(context: ViewContext) -> RwSignal<Option<Vec<FamilyHead>>> {
    let families = RwSignal::new(None);
    let ask = move || {
        let other = context.baseline.get()?.context;
        other.head.with(|h| (h.contents.figures, h.is_complete));
        Some(other.ask(FigureQuery::List))
    };
    follow_into(families, ask, |answer| {
        if let Some(Reply::List { families: list, .. }) = answer { Some(Some(list)) } else { None }
    });
    families
}

/// What a panel shows, asked anew when what is chosen, the document or the baseline changes.
pub(crate) fn follow(
    context: ViewContext,
    (id, choices, chosen): (StoredValue<String>, StoredValue<Vec<Choice>>, Memo<Vec<usize>>),
    of_baseline: RwSignal<Option<Vec<FamilyHead>>>,
) -> RwSignal<Option<Pane>> {
    let pane = RwSignal::new(None::<Pane>);
    let is_complete = Memo::new(move |_| context.head.with(|h| h.is_complete));
    let asked = move || {
        let _ = is_complete.get();
        let asked = (id.get_value(), choices.get_value(), chosen.get());
        let baseline = context.baseline.get().zip(of_baseline.get());
        Some(ask(context, asked, baseline))
    };
    follow_into(pane, asked, |answer| answer.map(Some));
    pane
}

/// Asks for a figure and, when something is compared, for the same of the baseline.
async fn ask(
    context: ViewContext,
    (id, choices, chosen): (String, Vec<Choice>, Vec<usize>),
    baseline: Option<(Baseline, Vec<FamilyHead>)>,
) -> Option<Pane> {
    let query = FigureQuery::Figure { id: id.clone(), chosen: chosen.clone() };
    let Some(Reply::Figure(own)) = context.ask(query).await else { return None };
    let alone = Pane { shown: *own, chosen: chosen.clone(), is_compared: false, note: None };
    let Some((baseline, families)) = baseline else { return Some(alone) };
    let old = families.iter().find(|f| f.id == id).ok_or_else(|| ONLY_COMPARISON.to_owned());
    let same = old.and_then(|old| same_options(&choices, &chosen, &old.choices));
    let both = match same {
        Ok(same) => join(context, baseline, id, [same, chosen]).await,
        Err(why) => Err(why),
    };
    Some(match both {
        Ok(shown) => Pane { shown, is_compared: true, ..alone },
        Err(why) => Pane { note: Some(why), ..alone },
    })
}

/// Joins a figure with that of the baseline, with what is chosen for each: first for that of the baseline.
///
/// # Errors
/// Why they cannot be joined, a phrase.
pub(crate) async fn join(
    context: ViewContext,
    baseline: Baseline,
    id: String,
    [old, chosen]: [Vec<usize>; 2],
) -> Result<Shown, String> {
    let packed = FigureQuery::Packed { id: id.clone(), chosen: old };
    let joined = FigureQuery::Compare { id, chosen };
    match context.join(baseline, &packed, &joined).await {
        Ok(Some(Reply::Figure(both))) => Ok(*both),
        Err(why) if !why.is_empty() => Err(why),
        _ => Err(phrase("No figure from the baseline.").to_owned()),
    }
}
