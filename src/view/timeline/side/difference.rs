//! What became of names since the baseline: how often, how long, and by how much more or less.

use crate::analysis::compare::names::{Pair, Total, pairs, sort_by_change};
use crate::base::number::{fixed, thousands, with_unit};
use crate::base::time::Span;
use crate::base::unit::Unit;
use crate::base::window::Window;
use crate::base::words::{Language, fill, phrase, tr};
use crate::draw::table::tone;
use crate::scene::table::{Cell, Column};
use crate::ui::field::Segmented;
use crate::ui::latest::Latest;
use crate::view::context::ViewContext;
use crate::view::rows::LocalTable;
use crate::view::timeline::state::State;
use crate::wire::timeline::{Reply, TimelineQuery, Totals, TotalsBy};
use crate::wire::{Answer, Query};
use leptos::prelude::*;

/// The table of the selected range, else of the shown time.
#[component]
pub(super) fn DifferencePanel(state: State) -> impl IntoView {
    let context = state.context;
    let by = RwSignal::new(TotalsBy::Name);
    let joined = follow(state, by);
    let options = Signal::derive(move || {
        let language = context.language.get();
        let option = |id: &str, title: &'static str| (id.to_owned(), tr(language, title).to_owned());
        vec![option("name", phrase("Name")), option("track", phrase("Track"))]
    });
    let value = Signal::derive(move || if by.get() == TotalsBy::Name { "name" } else { "track" }.to_owned());
    let choose = Callback::new(move |id: String| {
        by.set(if id == "track" { TotalsBy::Track } else { TotalsBy::Name });
    });
    let scope = move || scope(context);
    let left_out = move || {
        let n = joined.with(|j| j.as_ref().map_or(0, |j| j.1));
        (0 < n).then(|| {
            let n = thousands(n.cast_signed());
            fill(tr(context.language.get(), "{n} names with the least time are not shown."), &[("n", &n)])
        })
    };
    let has_nanos = move || context.head.with(|h| h.clock.nanos().is_some());
    let rows = Signal::derive(move || {
        let unit = if has_nanos() { Unit::Nanos } else { Unit::Cycles };
        let language = context.language.get();
        joined.with(|j| {
            j.as_ref().map_or(Vec::new(), |j| j.0.iter().map(|p| row(p, &unit, language)).collect())
        })
    });
    let columns = Signal::derive(move || columns(context));
    view! {
        <div class="detail__search">
            <Segmented label=context.word("Group by") options value on_choose=choose small=true />
            <span class="detail__scope">{scope}</span>
            <span class="detail__scope">{left_out}</span>
        </div>
        <div class="detail__hits detail__hits--wide">
            <LocalTable label=context.word("Difference by name") columns rows save=Some(context.save) />
        </div>
    }
}

/// Of which time the table is.
fn scope(context: ViewContext) -> String {
    let is_ranged = context.selection.with(|s| s.range.is_some());
    let words = match (is_ranged, context.window.get().is_some()) {
        (true, _) => phrase("selected range"),
        (false, true) => phrase("visible range"),
        (false, false) => phrase("entire trace"),
    };
    tr(context.language.get(), words).to_owned()
}

/// The joined totals; asked anew when the time, the choice or either document changes. Also how many names are left out.
fn follow(state: State, by: RwSignal<TotalsBy>) -> RwSignal<Option<(Vec<Pair>, u64)>> {
    let context = state.context;
    let joined = RwSignal::new(None::<(Vec<Pair>, u64)>);
    let asked = Memo::new(move |_| {
        let range = context.selection.with(|s| s.range).or_else(|| context.window.get().map(Window::span));
        let grown = (context.head.with(|h| h.is_complete), state.rows().revision.get());
        let old = state.old.get()?;
        let theirs = range.map(|r| state.mapping.get().map_or(r, |m| m.span(r)));
        let grown_old = (old.context.head.with(|h| h.is_complete), old.rows().revision.get());
        Some((range, theirs, by.get(), grown, grown_old))
    });
    let latest = Latest::default();
    Effect::new(move || {
        latest.begin();
        let Some((own, theirs, by, ..)) = asked.get() else { return joined.set(None) };
        let Some(old) = untrack(|| state.old.get()) else { return };
        let both = async move { (totals(old.context, theirs, by).await, totals(context, own, by).await) };
        latest.ask(both, move |both| {
            if let (Some((before, left)), Some((after, right))) = both {
                let mut rows = pairs(&before, &after);
                sort_by_change(&mut rows);
                joined.try_set(Some((rows, left + right)));
            }
        });
    });
    joined
}

async fn totals(
    context: ViewContext,
    span: Option<Span>,
    by: TotalsBy,
) -> Option<(Vec<(String, Total)>, u64)> {
    match context.ask(Query::Timeline(TimelineQuery::Totals { span, by })).await {
        Answer::Timeline(Reply::Totals(totals)) => {
            let Totals { rows, left_out } = *totals;
            Some((rows, left_out))
        }
        _ => None,
    }
}

fn columns(context: ViewContext) -> Vec<Column> {
    let language = context.language.get();
    let number = |id: usize, english: &'static str, letter: &str, width: f64| {
        Column::number(id, format!("{} {letter}", tr(language, english)).trim_end(), "", width)
    };
    vec![
        Column::text(0, tr(language, "Name"), 0.0),
        number(1, "Total", "A", 92.0),
        number(2, "Total", "B", 92.0),
        number(3, "Difference", "", 100.0),
        Column::number(4, "%", "", 72.0),
        number(5, "Count", "A", 72.0),
        number(6, "Count", "B", 72.0),
        number(7, "Mean", "A", 88.0),
        number(8, "Mean", "B", 88.0),
    ]
}

fn row(pair: &Pair, unit: &Unit, language: Language) -> Vec<Cell> {
    let time = |value: Option<f64>| value.map_or(Cell::default(), |v| Cell::number(with_unit(v, unit), v));
    let count = |total: Option<Total>| {
        total.map_or(Cell::default(), |t| Cell::number(thousands(t.count.cast_signed()), t.count as f64))
    };
    let signed = |value: f64, text: String| {
        let text = if 0.0 < value { format!("+{text}") } else { text };
        Cell { tone: tone(value, unit), ..Cell::number(text, value) }
    };
    let (a, b) = (pair.baseline, pair.comparison);
    let difference = match (a, b, pair.difference()) {
        (_, _, Some(d)) => signed(d, with_unit(d, unit)),
        // Words, not numbers; among the differences they stand where all of their time would.
        (None, Some(b), _) => {
            Cell { is_second: true, ..Cell::number(tr(language, phrase("added")), b.total) }
        }
        (Some(a), ..) => Cell { is_second: true, ..Cell::number(tr(language, phrase("removed")), -a.total) },
        _ => Cell::default(),
    };
    let change = pair.change().map_or(Cell::default(), |c| signed(c, fixed(c * 100.0, 1)));
    vec![
        Cell { full: pair.name.clone(), ..Cell::text(pair.name.clone()) },
        time(a.map(|t| t.total)),
        time(b.map(|t| t.total)),
        difference,
        change,
        count(a),
        count(b),
        time(a.and_then(Total::mean)),
        time(b.and_then(Total::mean)),
    ]
}
