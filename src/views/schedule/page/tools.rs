//! Above the picture: the parameters, what is seen, and what the colors mean.

use super::state::State;
use crate::base::number::thousands;
use crate::base::words::{fill, phrase, tr};
use crate::draw::style::compact;
use crate::views::details::page::parameters::ParameterField;
use crate::views::schedule::compute::{ALIGN, Align, CLOCK, ColorBy};
use leptos::prelude::*;

/// Alignment, clock and color, in the bar above the view.
#[component]
pub(super) fn Tools(state: State) -> impl IntoView {
    let context = state.context;
    let head = Memo::new(move |_| {
        let is_own = |id: &String| *id == ALIGN.id;
        context.head.with(|h| h.analyses.iter().find(|a| a.parameters.iter().any(|p| is_own(&p.id))).cloned())
    });
    let ids = Memo::new(move |_| {
        head.with(|h| h.iter().flat_map(|h| &h.parameters).map(|p| p.id.clone()).collect::<Vec<_>>())
    });
    let denied = Signal::derive(move || {
        let is_there = state.head.with(|head| head.as_ref().is_none_or(|head| head.has_timer));
        let why = || context.tr(phrase("The records hold no time of the global timer.")).to_owned();
        (!is_there).then(|| ("timer", why()))
    });
    let found = Signal::derive(move || {
        let mhz = state.head.with(|head| head.as_ref()?.clock)?.mhz;
        Some(format!("≈ {}", thousands(mhz.round() as i64)))
    });
    let one = move |id: String| {
        let parameter =
            head.with_untracked(|h| h.as_ref()?.parameters.iter().find(|p| p.id == id).cloned())?;
        Some(if id == CLOCK.id {
            view! { <ParameterField context parameter head placeholder=found /> }.into_any()
        } else if id == ALIGN.id {
            view! { <ParameterField context parameter head denied /> }.into_any()
        } else {
            view! { <ParameterField context parameter head /> }.into_any()
        })
    };
    view! {
        <div class="schedule__tools parameters__row">
            <For each=move || ids.get() key=|id| id.clone() children=one />
        </div>
    }
}

/// What is seen, and what the colors mean.
#[component]
pub(super) fn Legend(state: State) -> impl IntoView {
    let context = state.context;
    let ends = move || ends(state);
    let ramp = Memo::new(move |_| state.note.with(|note| note.ramp.clone()));
    let stops = move || {
        let stop = |color: u32| view! { <i style:background=format!("#{color:08x}")></i> };
        ramp.get().into_iter().map(stop).collect_view()
    };
    view! {
        <header class="schedule__head">
            <h2 class="figure__title">{context.word(phrase("Block schedule"))}</h2>
            <span class="figure__scope" role="status" data-tip=move || scope(state)>{move || scope(state)}</span>
            <span class="schedule__legend">
                <span>{move || ends().0}</span>
                <span>{move || ends().1}</span>
                <span class="schedule__ramp">{stops}</span>
                <span>{move || ends().2}</span>
                <i class="schedule__key schedule__key--gap"></i>
                <span>{context.word(phrase("gap"))}</span>
                <i class="schedule__key schedule__key--idle"></i>
                <span>{context.word(phrase("idle"))}</span>
            </span>
        </header>
    }
}

/// Which units are seen, and how they are aligned.
fn scope(state: State) -> String {
    let language = state.context.language.get();
    let Some((head, look)) = state.head.get().zip(Some(state.look.get())) else { return String::new() };
    let mut parts = Vec::new();
    // First, since there may be no room for all.
    if head.numbers.blocks < head.launched {
        let missing = thousands(head.launched - head.numbers.blocks);
        parts.push(fill(tr(language, phrase("{n} blocks without a record")), &[("n", &missing)]));
    }
    let n = thousands(head.numbers.units);
    if !head.has_units {
        parts.push(fill(tr(language, phrase("{unit} unknown")), &[("unit", &head.unit)]));
    } else if let Some((first, last)) = state.note.with(|note| note.seen) {
        let (first, last) = (first.to_string(), last.to_string());
        let words = tr(language, phrase("{unit} {first} – {last} of {n}"));
        parts.push(fill(words, &[("unit", &head.unit), ("first", &first), ("last", &last), ("n", &n)]));
        let most = thousands(head.numbers.most_lanes);
        let words = tr(language, phrase("up to {n} resident per {unit}"));
        parts.push(fill(words, &[("n", &most), ("unit", &head.unit)]));
    }
    parts.push(
        match look.align {
            Align::First => tr(language, phrase("each from its first block")),
            Align::Raw => tr(language, phrase("clocks as they are")),
            Align::Timer if head.has_timer => tr(language, phrase("by the global timer")),
            Align::Timer => {
                tr(language, phrase("no global timer in these records: each from its first block"))
            }
        }
        .to_owned(),
    );
    parts.join(" · ")
}

/// What colors mean: the quantity, its low and its high end.
fn ends(state: State) -> (String, String, String) {
    let language = state.context.language.get();
    let Some(head) = state.head.get() else { return <(String, String, String)>::default() };
    let numbers = &head.numbers;
    match state.look.get().color {
        ColorBy::Elapsed => {
            let name = format!("{}, {}", tr(language, phrase("elapsed")), head.time.word());
            (name, compact(numbers.shortest as f64), compact(numbers.longest as f64))
        }
        ColorBy::Wave => {
            (tr(language, phrase("wave")).to_owned(), "1".to_owned(), thousands(numbers.n_waves()))
        }
        ColorBy::Block => {
            let last = thousands(head.launched.saturating_sub(1));
            (tr(language, phrase("block")).to_owned(), "0".to_owned(), last)
        }
    }
}
