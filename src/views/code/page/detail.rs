//! The strip below: what the chosen line or instruction waits for, three largest first, and its numbers.

use super::state::CodeState;
use crate::base::number::{fixed, thousands};
use crate::base::words::{fill, phrase, reader, tr};
use crate::ui::spawn_while;
use crate::views::code::messages::{CodeQuery, Reply, RowDetail, Stall};
use crate::views::code::scene::short;
use leptos::prelude::*;

/// Reasons that are shown before "more" is pressed.
const FEW: usize = 3;

/// The strip of details.
#[component]
pub(super) fn Detail(state: CodeState) -> impl IntoView {
    let context = state.context;
    let shows_all = RwSignal::new(false);
    view! {
        <div class="stalls" role="region" aria-label=context.word("Details of the selected row")>
            {move || match state.detail.get() {
                None => view! { <p class="stalls__hint">{context.word("Select a line or an instruction to see its cost.")}</p> }
                    .into_any(),
                Some(detail) => view! { <Chosen state detail shows_all /> }.into_any(),
            }}
        </div>
    }
}

#[component]
fn Chosen(state: CodeState, detail: RowDetail, shows_all: RwSignal<bool>) -> impl IntoView {
    let context = state.context;
    let label = detail.label.clone();
    let has_stalls = !detail.stalls.is_empty();
    let title = move || {
        let is_line = state.is_line_chosen();
        let words = match (is_line, has_stalls) {
            (true, true) => phrase("Stalls of line {row}"),
            (true, false) => phrase("Line {row}"),
            (false, true) => phrase("Stalls of {row}"),
            (false, false) => phrase("Instruction {row}"),
        };
        fill(tr(context.language.get(), words), &[("row", &label)])
    };
    let facts = Signal::derive(facts(state, &detail));
    let n = detail.stalls.len();
    let stalls = detail.stalls.clone();
    let rows = move || {
        let shown = if shows_all.get() { stalls.len() } else { FEW };
        stalls.iter().take(shown).cloned().map(|stall| view! { <StallRow stall /> }).collect_view()
    };
    let more = (FEW < n).then(|| {
        let text = move || {
            let language = context.language.get();
            if shows_all.get() {
                return tr(language, "Fewer").to_owned();
            }
            fill(tr(language, "{n} more"), &[("n", &(n - FEW).to_string())])
        };
        view! {
            <button class="button button--text stalls__more" type="button" on:click=move |_| shows_all.update(|a| *a = !*a)>
                {text}
            </button>
        }
    });
    view! {
        <div class="stalls__head">
            <h2 class="stalls__title">{title}</h2>
            <span class="stalls__facts" data-tip=facts>{facts}</span>
            {more}
            <Slices state />
            <Show when=move || has_stalls>
                <span class="stalls__count">{context.word("samples")}</span>
                <span class="stalls__share">{context.word("share")}</span>
            </Show>
        </div>
        {rows}
    }
}

/// How far the search for the slices of the chosen row is.
#[derive(Clone, PartialEq)]
enum SliceSearch {
    Not,
    /// How much of the trace was looked at.
    Underway(f32),
    /// How many there are, how long they take, what to search for.
    Known(u64, String, String),
}

/// To the slices that come from the chosen row. Which ones do is learned when it is asked for the first time: the whole
/// file is gone through once, piece by piece.
#[component]
fn Slices(state: CodeState) -> impl IntoView {
    let context = state.context;
    let sought = RwSignal::new(SliceSearch::Not);
    let chosen = move || state.instruction.get().or(state.line.get());
    Effect::new(move || {
        let _ = chosen();
        sought.set(SliceSearch::Not);
    });
    let can = move || context.head.with(|h| h.is_complete && 0 < h.contents.slices);
    let seek = move |_| {
        let Some((listing, row)) = untrack(chosen) else { return };
        sought.set(SliceSearch::Underway(0.0));
        spawn_while(sought, async move {
            loop {
                let reply = state.ask(CodeQuery::Slices { listing, row }).await;
                let is_wanted = matches!(sought.try_get_untracked(), Some(SliceSearch::Underway(_)));
                let Some(Reply::Slices { share, n, total, search }) = reply.filter(|_| is_wanted) else {
                    return;
                };
                if share < 1.0 {
                    sought.set(SliceSearch::Underway(share));
                    continue;
                }
                sought.set(SliceSearch::Known(n, total, search.clone()));
                if 0 < n {
                    context.selection.update(|s| s.search = Some((search, None)));
                    context.go.run("timeline".to_owned());
                }
                return;
            }
        });
    };
    let words = move || {
        let language = context.language.get();
        match sought.get() {
            SliceSearch::Not => tr(language, "Show slices").to_owned(),
            SliceSearch::Underway(share) => {
                fill(tr(language, "Searching, {p} %"), &[("p", &fixed(f64::from(share) * 100.0, 0))])
            }
            SliceSearch::Known(0, ..) => tr(language, "No matching slices").to_owned(),
            SliceSearch::Known(n, total, _) => {
                let n = thousands(n.cast_signed());
                fill(tr(language, "{n} slices, {time} total"), &[("n", &n), ("time", &total)])
            }
        }
    };
    view! {
        <Show when=can>
            <button class="button button--text stalls__more" type="button" on:click=seek>
                {words}
            </button>
        </Show>
    }
}

/// "611,204 cycles, 24.8 % of the core", for the column that heat follows, then the others.
fn facts(state: CodeState, detail: &RowDetail) -> impl Fn() -> String + use<> {
    let (facts, is_part) = (detail.facts.clone(), detail.is_part);
    move || {
        let language = state.context.language.get();
        let core = state.core_name();
        let side =
            if state.instruction.with(Option::is_some) { super::Side::Assembly } else { super::Side::Source };
        let heat =
            state.pane(side).and_then(|p| Some(p.listing()?.columns[usize::from(p.heat()?)].name.clone()));
        let hot = facts.iter().find(|(name, ..)| Some(name) == heat.as_ref());
        let rest = facts.iter().filter(|(name, ..)| Some(name) != heat.as_ref());
        let one = |(name, value, share): &(String, String, Option<f64>)| {
            // "611,204 cycles" and "Executed 51,200": no word is said twice.
            let (number, unit) = value.split_once(' ').unwrap_or((value, ""));
            let (shown, said) = (tr(language, short(name)), tr(language, unit));
            let value = match name.to_lowercase().contains(&unit.to_lowercase()) {
                _ if name.eq_ignore_ascii_case(unit) => format!("{number} {said}"),
                true => format!("{shown} {number}"),
                false => format!("{shown} {number} {said}"),
            };
            match share {
                Some(share) => {
                    let percent = fixed(share * 100.0, 1);
                    let words = if core.is_empty() {
                        phrase("{value}, {p} % of total")
                    } else {
                        phrase("{value}, {p} % of {core}")
                    };
                    fill(tr(language, words), &[("value", &value), ("p", &percent), ("core", &core)])
                }
                None => value,
            }
        };
        let part = is_part.then(|| tr(language, phrase("of the recorded part")).to_owned());
        hot.into_iter().chain(rest).map(one).chain(part).collect::<Vec<_>>().join(" · ")
    }
}

#[component]
fn StallRow(stall: Stall) -> impl IntoView {
    view! {
        <div class="stalls__row">
            <span class="stalls__name" data-tip=tr(reader(), &stall.name).to_owned()>
                <i class=format!("swatch swatch--{}", stall.color)></i>
                {tr(reader(), &stall.name).to_owned()}
            </span>
            <span class="stalls__track">
                <i class=format!("stalls__bar swatch--{}", stall.color) style:width=format!("{}%", stall.share * 100.0)></i>
            </span>
            <span class="stalls__count">{fixed(stall.count, 0)}</span>
            <span class="stalls__share">{format!("{} %", fixed(stall.share * 100.0, 1))}</span>
        </div>
    }
}
