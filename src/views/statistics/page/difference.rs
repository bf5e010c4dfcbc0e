//! What became of names since the baseline: how often, how long, and by how much more or less. The panel of the timeline and
//! the statistics show the same table.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

use crate::analysis::compare::{Pair, Total, change};
use crate::base::number::{thousands, with_unit};
use crate::base::time::Span;
use crate::base::unit::Unit;
use crate::base::words::{Language, Message, fill, phrase, tr};
use crate::draw::table::tone;
use crate::pane::context::ViewContext;
use crate::pane::rows::LocalTable;
use crate::scene::table::{Cell, Column};
use crate::ui::field::Segmented;
use crate::ui::follow_into;
use crate::views::timeline::messages::{Totals, TotalsBy, WorkQuery, WorkReply};
use leptos::prelude::*;

/// The baseline, and the time of it and of the document that are compared; `None` is all.
pub type Compared = (ViewContext, Option<Span>, Option<Span>);

/// Joined totals, what they are of, how many names are left out, and what is said of sums that are divided.
type Joined = (TotalsBy, Vec<Pair>, u64, Option<Message>);

/// What both can be compared by; kernels first where both have devices.
fn choices(context: ViewContext, old: ViewContext) -> Vec<TotalsBy> {
    let has = |context: ViewContext| context.head.with(|h| h.exports.iter().any(|id| id == "idle-csv"));
    let of_devices = TotalsBy::OF_DEVICES.into_iter().filter(|_| has(context) && has(old));
    of_devices.chain([TotalsBy::Name, TotalsBy::Track]).collect()
}

/// The table, below a choice of what is compared. Its words stand beside the choice.
#[component]
pub fn Difference(
    context: ViewContext,
    compared: Signal<Option<Compared>>,
    /// Asked anew when this changes.
    #[prop(into)]
    revision: Signal<u64>,
    /// Of which time the table is.
    #[prop(into)]
    scope: Signal<String>,
) -> impl IntoView {
    // What nobody chose is the first that can be.
    let chosen = RwSignal::new(None::<TotalsBy>);
    let all = Memo::new(move |_| compared.get().map_or(Vec::new(), |of| choices(context, of.0)));
    let by = Memo::new(move |_| {
        let first = all.with(|all| all.first().copied()).unwrap_or_default();
        chosen.get().filter(|by| all.with(|all| all.contains(by))).unwrap_or(first)
    });
    let joined = follow(context, compared, by, revision);
    let options = Signal::derive(move || {
        let option = |by: TotalsBy| {
            let (id, title) = by.title();
            (id.to_owned(), context.tr(title).to_owned())
        };
        all.get().into_iter().map(option).collect::<Vec<_>>()
    });
    let value = Signal::derive(move || by.get().title().0.to_owned());
    let of = move |id: &str| all.with_untracked(|all| all.iter().copied().find(|by| by.title().0 == id));
    let choose = Callback::new(move |id: String| chosen.set(of(&id)));
    let left_out = move || {
        let n = joined.with(|j| j.as_ref().map_or(0, |j| j.2));
        (0 < n).then(|| {
            let n = thousands(n.cast_signed());
            fill(tr(context.language.get(), "{n} names with the least time are not shown."), &[("n", &n)])
        })
    };
    let text = move |said: &Message| said.text(context.language.get()).into_owned();
    let divided = move || joined.with(|j| j.as_ref().and_then(|j| j.3.as_ref().map(text)));
    let rows = Signal::derive(move || {
        let has_nanos = context.head.with(|h| h.clock.nanos().is_some());
        let unit = if has_nanos { Unit::Nanos } else { Unit::Cycles };
        let language = context.language.get();
        joined.with(|j| {
            let Some((by, pairs, _, divided)) = j else { return Vec::new() };
            pairs.iter().map(|pair| row(pair, &unit, language, (*by, divided.is_some()))).collect()
        })
    });
    let columns = Signal::derive(move || {
        let of = joined.with(|j| j.as_ref().map(|j| (j.0, j.3.is_some())));
        columns(context, of.unwrap_or_else(|| (by.get(), false)))
    });
    view! {
        <div class="detail__search">
            <Segmented label=context.word("Group by") options value on_choose=choose small=true />
            <span class="detail__scope">{scope}</span>
            <span class="detail__scope">{divided}</span>
            <span class="detail__scope">{left_out}</span>
        </div>
        <div class="detail__hits detail__hits--wide">
            <LocalTable context name="differences" label=context.word("Difference by name") columns rows />
        </div>
    }
}

/// The joined totals; asked anew when the time, the choice or either document changes.
fn follow(
    context: ViewContext,
    compared: Signal<Option<Compared>>,
    by: Memo<TotalsBy>,
    revision: Signal<u64>,
) -> RwSignal<Option<Joined>> {
    let joined = RwSignal::new(None);
    let ask = move || {
        revision.track();
        let (old, theirs, own) = compared.get()?;
        context.head.with(|h| h.is_complete);
        old.head.with(|h| h.is_complete);
        let by = by.get();
        Some(async move { (by, totals(old, theirs, by).await, totals(context, own, by).await) })
    };
    follow_into(joined, ask, |(by, before, after)| {
        let (before, after) = before.zip(after)?;
        let (rows, divided) = by.join(&before, &after);
        Some(Some((by, rows, before.left_out + after.left_out, divided)))
    });
    joined
}

async fn totals(context: ViewContext, span: Option<Span>, by: TotalsBy) -> Option<Totals> {
    match context.ask(WorkQuery::Totals { span, by }).await {
        Some(WorkReply::Totals(totals)) => Some(*totals),
        _ => None,
    }
}

fn columns(context: ViewContext, (by, is_divided): (TotalsBy, bool)) -> Vec<Column> {
    let language = context.language.get();
    let number = |id: usize, english: &'static str, letter: &str, width: f64| {
        Column::number(id, format!("{} {letter}", tr(language, english)).trim_end(), "", width)
    };
    // What the difference is of stands before it.
    let [first, difference, last] = by.heads(is_divided);
    vec![
        Column::text(0, tr(language, "Name"), 0.0),
        number(1, first, "A", 92.0),
        number(2, first, "B", 92.0),
        number(3, difference, "", 100.0),
        number(4, phrase("Change"), "", 116.0),
        number(5, "Count", "A", 72.0),
        number(6, "Count", "B", 72.0),
        number(7, last, "A", 92.0),
        number(8, last, "B", 92.0),
    ]
}

fn row(pair: &Pair, unit: &Unit, language: Language, (by, is_divided): (TotalsBy, bool)) -> Vec<Cell> {
    let time = |value: Option<f64>| value.map_or(Cell::default(), |v| Cell::number(with_unit(v, unit), v));
    let count = |total: Option<Total>| {
        // Percentiles are counted by nothing.
        total
            .filter(|t| 0 < t.count)
            .map_or(Cell::default(), |t| Cell::number(thousands(t.count.cast_signed()), t.count as f64))
    };
    let is_of_means = by.is_of_means(is_divided);
    // Less in sum is not better where there were fewer; of how a stream spends its time no part is good or bad by itself.
    let is_judged = by != TotalsBy::Idle && (is_of_means || pair.has_equal_counts());
    let signed = |value: f64, text: String| {
        let text = if 0.0 < value { format!("+{text}") } else { text };
        Cell { tone: tone(value, unit.sense()).filter(|_| is_judged), ..Cell::number(text, value) }
    };
    let (a, b) = (pair.baseline, pair.comparison);
    let name = if by.has_words() { tr(language, &pair.name).to_owned() } else { pair.name.clone() };
    let difference = match (a, b, pair.difference(is_of_means)) {
        (_, _, Some(d)) => signed(d, with_unit(d, unit)),
        // Words, not numbers; among the differences they stand where all of their time would.
        (None, Some(_), _) => {
            let all = pair.compared(false)[1].unwrap_or(0.0);
            Cell { is_second: true, ..Cell::number(tr(language, by.alone(true)), all) }
        }
        (Some(_), ..) => {
            let all = pair.compared(false)[0].unwrap_or(0.0);
            Cell { is_second: true, ..Cell::number(tr(language, by.alone(false)), -all) }
        }
        _ => Cell::default(),
    };
    let [of_a, of_b] = pair.compared(is_of_means);
    let said = of_a.zip(of_b).map_or(String::new(), |(a, b)| change(a, b, unit));
    let said = if said.is_empty() { with_unit(0.0, &Unit::Share) } else { said };
    let change = pair.change(is_of_means).map_or(Cell::default(), |share| Cell {
        tone: tone(share, unit.sense()).filter(|_| is_judged),
        ..Cell::number(said, share)
    });
    let [first_a, first_b] = [of_a, of_b].map(time);
    let beside = if is_of_means { Total::sum } else { Total::mean };
    let [last_a, last_b] = [a, b].map(|side| time(side.and_then(beside)));
    vec![
        Cell { full: name.clone(), ..Cell::text(name) },
        first_a,
        first_b,
        difference,
        change,
        count(a),
        count(b),
        last_a,
        last_b,
    ]
}
