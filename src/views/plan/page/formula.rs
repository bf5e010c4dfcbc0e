//! The total as terms, one for each type, and the bytes of the chosen type as terms, one for each block.

use super::state::{State, number};
use crate::base::number::{fixed, thousands};
use crate::base::order;
use crate::base::words::{fill, phrase};
use leptos::prelude::*;

/// Terms that are written out; the rest is counted.
const TERMS: usize = 3;

#[component]
pub(super) fn Formula(state: State) -> impl IntoView {
    view! {
        <div class="plan__formula">
            <div>{move || total(state)}</div>
            <div>{move || chosen(state)}{move || hottest(state)}</div>
        </div>
    }
}

fn swatch(state: State, of: usize) -> impl IntoView + use<> {
    view! { <i class="plan__swatch" style:background=state.color(of)></i> }
}

fn total(state: State) -> impl IntoView {
    let (sheet, sums) = state.of(|plan| (plan.sheet.clone(), plan.sums.clone()));
    let terms = sheet
        .types
        .iter()
        .enumerate()
        .filter(|(of, one)| !one.is_out && sums.bytes.get(*of).is_some_and(|bytes| *bytes != Some(0)));
    let terms = terms.enumerate().map(|(at, (of, one))| {
        let records = number(sums.records.get(of).copied().flatten());
        let words = match one.bytes {
            0 => format!("{} B", number(sums.bytes.get(of).copied().flatten())),
            bytes => format!("{records} × {} B", thousands(bytes)),
        };
        let sign = if at == 0 { "=" } else { "+" };
        view! { <span class="plan__op">{sign}</span>{swatch(state, of)}<span>{words}</span> }
    });
    let terms = terms.collect_view();
    let refused = sums.is_too_large.then(|| {
        view! { <span class="plan__refused">"GMT-SIZE "{state.context.tr("Sizes beyond 2⁵³ are not shown.").to_owned()}</span> }
    });
    view! { <b>{number(sums.total)}" B"</b>{terms}{refused} }
}

fn chosen(state: State) -> Option<impl IntoView> {
    let of = state.record_type.get()?;
    let (sheet, sums) = state.of(|plan| (plan.sheet.clone(), plan.sums.clone()));
    let one = sheet.types.get(of)?.clone();
    let mut terms: Vec<(usize, u64)> = sheet
        .blocks_in()
        .filter_map(|(row, _)| Some((row, (*sums.cells.get(row)?.get(of)?)?)))
        .filter(|(_, bytes)| *bytes != 0)
        .collect();
    order::sort_by_number(&mut terms, |(_, bytes)| std::cmp::Reverse(*bytes));
    let more = terms.len().saturating_sub(TERMS);
    let terms = terms.into_iter().take(TERMS).enumerate().filter_map(|(at, (row, bytes))| {
        let block = sheet.blocks.get(row)?;
        let records = block.records.get(of).copied().unwrap_or(0);
        let words = match one.bytes {
            0 => format!("{} B", thousands(bytes)),
            size => format!("{} × {} × {} B", thousands(records), number(block.count), thousands(size)),
        };
        let sign = if at == 0 { "=" } else { "+" };
        let label = block.block.label.clone();
        Some(view! { <span class="plan__op">{sign}</span><span>{words}" "<small>{label}</small></span> })
    });
    let terms = terms.collect_view();
    let more = (0 < more).then(|| {
        let words = fill(state.context.tr(phrase("+ {n} more")), &[("n", &thousands(more as u64))]);
        view! { <span class="plan__op">{words}</span> }
    });
    let bytes = number(sums.bytes.get(of).copied().flatten());
    Some(view! { {swatch(state, of)}<span>{bytes}" B"</span>{terms}{more} })
}

/// The largest cell in words.
fn hottest(state: State) -> Option<impl IntoView> {
    let (row, of) = state.of(|plan| plan.sums.hottest)?;
    let bytes = state.of(|plan| plan.sums.cells.get(row).and_then(|cells| cells.get(of).copied().flatten()));
    let share = state.of(|plan| plan.sums.share(bytes))?;
    let name = format!("{} × {}", state.label(row), state.type_name(of));
    let tied = state.of(|plan| {
        let own = plan.sheet.blocks_in().filter_map(|(row, _)| plan.sums.cells.get(row));
        let cells =
            own.flat_map(|cells| plan.sheet.types_in().filter_map(move |(of, _)| cells.get(of).copied()));
        cells.filter(|cell| *cell == bytes).count()
    });
    let words = if tied < 2 {
        phrase("{bytes} B, {share} % of the plan")
    } else {
        phrase("{bytes} B, {share} % of the plan, as are {n} others")
    };
    let others = thousands(tied.saturating_sub(1) as u64);
    let words = fill(
        state.context.tr(words),
        &[("bytes", &number(bytes)), ("share", &fixed(share * 100.0, 1)), ("n", &others)],
    );
    let title = state.context.tr("Largest cell").to_owned();
    Some(view! {
        <span class="plan__hottest"><i class="plan__swatch plan__swatch--hot"></i>{title}" "<b>{name}</b>", "{words}</span>
    })
}
