//! Above the picture: launch, color with its legend, groups, axis; and what must be known of the order.

use super::state::{AXES, COLORS, ExecutionsState, choice, id_of};
use crate::base::number::{fixed, thousands};
use crate::base::words::{fill, phrase, tr};
use crate::pane::with_symbol;
use crate::ui::field::{Segmented, SelectField};
use crate::ui::text::Name;
use crate::views::executions::messages::{Axis, ColorBy, Head};
use crate::views::executions::scene::{combined_words, lanes_words};
use leptos::prelude::*;

/// What is chosen, in the bar above the view.
#[component]
pub(super) fn Tools(state: ExecutionsState) -> impl IntoView {
    view! {
        <div class="executions__tools">
            <Launches state />
            <Colors state />
            <Groups state />
            <Axes state />
        </div>
    }
}

/// Which launch; nothing to choose among one.
#[component]
fn Launches(state: ExecutionsState) -> impl IntoView {
    let context = state.context;
    let launches =
        Memo::new(move |_| state.head.with(|head| head.as_ref().map_or(Vec::new(), |h| h.launches.clone())));
    let options = Signal::derive(move || {
        let title = |(row, name, program): (u32, String, String)| {
            let title =
                if program.is_empty() || program == name { name } else { format!("{name} · {program}") };
            (row.to_string(), title)
        };
        launches.get().into_iter().map(title).collect::<Vec<_>>()
    });
    let value = Signal::derive(move || {
        state.head.with(|head| head.as_ref().map_or(String::new(), |head| head.launch.to_string()))
    });
    let choose =
        Callback::new(move |id: String| id.parse().into_iter().for_each(|row| state.choose_launch(row)));
    view! {
        <Show when=move || launches.with(|launches| 1 < launches.len())>
            <SelectField label=context.word(phrase("Launch")) options value on_choose=choose />
        </Show>
    }
}

fn color_title(color: ColorBy) -> &'static str {
    match color {
        ColorBy::Efficiency => phrase("Efficiency"),
        ColorBy::Excess => phrase("Excess sectors"),
        ColorBy::Lanes => phrase("Active lanes"),
        ColorBy::Block => phrase("Block"),
    }
}

/// What colors stand for: only what was recorded.
#[component]
fn Colors(state: ExecutionsState) -> impl IntoView {
    let context = state.context;
    let options = Signal::derive(move || {
        let language = context.language.get();
        let has = state.head.with(|head| head.as_ref().map(|head| head.has).unwrap_or_default());
        let is_there = |color: ColorBy| match color {
            ColorBy::Efficiency | ColorBy::Excess => has.memory,
            ColorBy::Lanes => has.lanes,
            ColorBy::Block => true,
        };
        let all = COLORS.into_iter().filter(|(_, color)| is_there(*color));
        all.map(|(id, color)| (id.to_owned(), tr(language, color_title(color)).to_owned()))
            .collect::<Vec<_>>()
    });
    // What is shown, which is something else where what was chosen was not recorded.
    let value = Signal::derive(move || state.note.with(|note| id_of(&COLORS, &note.color).to_owned()));
    let choose = Callback::new(move |id: String| state.color.set(choice(&COLORS, &id)));
    view! { <SelectField label=context.word(phrase("Color")) options value on_choose=choose /> }
}

/// What the colors, heights and marks mean.
#[component]
fn Legend(state: ExecutionsState) -> impl IntoView {
    let context = state.context;
    let ramp = Memo::new(move |_| state.note.with(|note| (note.color, note.ramp.clone())));
    let ends = move || {
        let head = state.head.get()?;
        match ramp.get().0 {
            ColorBy::Efficiency => Some(("100 %".to_owned(), "0 %".to_owned())),
            ColorBy::Excess => Some(("0".to_owned(), thousands(head.most_excess))),
            ColorBy::Lanes => Some(("0".to_owned(), thousands(head.lanes))),
            ColorBy::Block => None,
        }
    };
    let stops = move || {
        let stop = |color: u32| view! { <i style:background=format!("#{color:08x}")></i> };
        ramp.get().1.into_iter().map(stop).collect_view()
    };
    let has_lanes = move || state.head.with(|head| head.as_ref().is_some_and(|head| head.has.lanes));
    let is_missing = move || state.head.with(|head| head.as_ref().is_some_and(|head| head.has.missing));
    let has_ramp = move || ramp.with(|(color, _)| *color != ColorBy::Block);
    let is_memory = move || ramp.with(|(color, _)| matches!(color, ColorBy::Efficiency | ColorBy::Excess));
    view! {
        <span class="executions__legend">
            <Show when=has_ramp>
                <span>{move || ends().map(|ends| ends.0)}</span>
                <span class="executions__ramp">{stops}</span>
                <span>{move || ends().map(|ends| ends.1)}</span>
            </Show>
            <Show when=is_memory>
                <span class="executions__keys"><i class="executions__key executions__key--plain"></i>{context.word(phrase("no data moved"))}</span>
            </Show>
            <Show when=has_lanes>
                <span class="executions__keys"><i class="executions__key executions__key--height"></i>{context.word(phrase("height = active lanes"))}</span>
                <span class="executions__keys"><i class="executions__key executions__key--corner"></i>{context.word(phrase("diverges"))}</span>
            </Show>
            <Show when=is_missing>
                <span class="executions__keys"><i class="executions__key executions__key--missing"></i>{context.word("records are missing")}</span>
            </Show>
        </span>
    }
}

/// Whether threads stand below their groups.
#[component]
fn Groups(state: ExecutionsState) -> impl IntoView {
    let context = state.context;
    let groups =
        Memo::new(move |_| state.head.with(|head| head.as_ref().map_or(String::new(), |h| h.groups.clone())));
    let options = Signal::derive(move || {
        vec![("own".to_owned(), groups.get()), ("none".to_owned(), context.tr(phrase("none")).to_owned())]
    });
    let value = Signal::derive(move || if state.is_grouped.get() { "own" } else { "none" }.to_owned());
    let choose = Callback::new(move |id: String| {
        state.lanes.scroll.set(0.0);
        state.is_grouped.set(id == "own");
    });
    let is_closed =
        Memo::new(move |_| state.folding.with(|folding| folding.is_closed && folding.but.is_empty()));
    let turn = move |_| {
        let is_closed = !is_closed.get_untracked();
        state.lanes.scroll.set(0.0);
        state.folding.set(crate::views::executions::messages::Folding { is_closed, but: Vec::new() });
    };
    let words = move || {
        context.tr(if is_closed.get() { phrase("Expand all") } else { phrase("Collapse all") }).to_owned()
    };
    view! {
        <Show when=move || groups.with(|groups| !groups.is_empty())>
            <SelectField label=context.word(phrase("Group")) options value on_choose=choose />
            <Show when=move || state.is_grouped.get()>
                <button class="button button--plain" type="button" on:click=turn>{words}</button>
            </Show>
        </Show>
    }
}

/// What the axis counts.
#[component]
fn Axes(state: ExecutionsState) -> impl IntoView {
    let context = state.context;
    let options = Signal::derive(move || {
        let title = |axis: Axis| match axis {
            Axis::Block => context.tr(phrase("Block")).to_owned(),
            Axis::Instruction => context.tr(phrase("Instruction")).to_owned(),
            Axis::Time => context.tr("Time").to_owned(),
        };
        AXES.map(|(id, axis)| (id.to_owned(), title(axis))).to_vec()
    });
    let value = Signal::derive(move || id_of(&AXES, &state.axis.get()).to_owned());
    let choose = Callback::new(move |id: String| state.choose_axis(choice(&AXES, &id)));
    let denied = Signal::derive(move || {
        let has_time = state.head.with(|head| head.as_ref().is_none_or(|head| head.has.time));
        let why = || context.tr(phrase("This file has no timestamps.")).to_owned();
        (!has_time).then(|| ("time".to_owned(), why()))
    });
    view! { <Segmented label=context.word(phrase("Axis")) options value on_choose=choose denied /> }
}

/// One line over the picture: what the launch adds up to, and where the order comes from.
#[component]
pub(super) fn Banner(state: ExecutionsState) -> impl IntoView {
    let context = state.context;
    let sums = move || {
        let language = context.language.get();
        state.head.with(|head| head.as_ref().map(|head| sums(head, language).join(" · ")))
    };
    let order = move || {
        let from = state.head.with(|head| head.as_ref().and_then(|head| head.order_from.clone()))?;
        let words =
            context.tr(phrase("The order comes from {type} records: blocks without one are missing."));
        Some(fill(words, &[("type", context.tr(&from))]))
    };
    let name = Signal::derive(move || state.head.with(|head| head.as_ref().map(name_of).unwrap_or_default()));
    let full_name =
        move || state.head.with(|head| head.as_ref().map(|head| with_symbol(&name_of(head), &head.symbol)));
    let parting = move || state.note.with(|note| note.parting.clone());
    let is_warps = move || state.head.with(|head| head.as_ref().is_some_and(|head| head.is_warps));
    view! {
        <header class="executions__head">
            <h2 class="figure__title executions__name" data-tip=full_name>
                <Name text=name />
            </h2>
            <span class="figure__scope" role="status" data-tip=sums>{sums}</span>
            <span class="executions__order" data-tip=order>{order}</span>
            <span class="executions__order" role="status" data-tip=parting>{parting}</span>
            <Legend state />
            <button class="button button--text" type="button" data-tip=context.word(phrase("Compare the selected thread with the nearest one that executed other blocks (P)")) on:click=move |_| state.compare_nearest()>
                {move || context.tr(if is_warps() { phrase("Compare warps") } else { phrase("Compare threads") }).to_owned()}
            </button>
        </header>
    }
}

fn name_of(head: &Head) -> String {
    let own = head.launches.iter().find(|(row, ..)| *row == head.launch);
    own.map_or(
        String::new(),
        |(_, name, program)| if program.is_empty() { name.clone() } else { program.clone() },
    )
}

fn sums(head: &Head, language: crate::base::words::Language) -> Vec<String> {
    let count =
        |words: &'static str, n: u64| fill(tr(language, words), &[("n", &thousands(n.cast_signed()))]);
    if head.is_of_lanes {
        let warps = tr(language, phrase("no warps recorded")).to_owned();
        return vec![count(phrase("{n} accesses of single lanes"), head.instructions), warps];
    }
    let mut parts = vec![
        count(if head.is_warps { phrase("{n} warps") } else { phrase("{n} threads") }, head.threads),
        count(phrase("{n} block executions"), head.executions),
        count(phrase("{n} instructions executed"), head.instructions),
    ];
    let percent = |share: f64| fixed(share * 100.0, 1);
    if 0 < head.moved.0 {
        let share = percent(head.moved.1 as f64 / head.moved.0 as f64);
        parts.push(fill(tr(language, phrase("{n} % of moved bytes used")), &[("n", &share)]));
    }
    if let Some(lanes) = head.mean_lanes {
        let known = Some(head.with_lanes).filter(|n| *n < head.instructions);
        parts.push(lanes_words(lanes / f64::from(head.lanes.max(1)), head.has.block_masks, known, language));
    }
    parts.extend(combined_words(&head.records, language));
    if 1 < head.threads && !head.has.time {
        let words = if head.is_warps {
            phrase("order between warps is not recorded")
        } else {
            phrase("order between threads is not recorded")
        };
        parts.push(tr(language, words).to_owned());
    }
    parts
}
