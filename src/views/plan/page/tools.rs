//! The bar above the view and the head of the table: layouts, slack, pages, cap; kernel, source of counts, edits.

use super::state::State;
use crate::base::number::thousands;
use crate::base::words::{fill, phrase};
use crate::ui::field::{Segmented, SelectField};
use crate::views::plan::compute::{CAP, COUNTS_FROM, LAYOUT, Layout, PAGE, SLACK, STEPS};
use leptos::prelude::*;

/// Slacks and caps that are offered; others come from the address or the command line.
const SLACKS: [&str; 5] = ["0", "0x2000", "5%", "10%", "25%"];
const CAPS: [&str; 6] = ["none", "64MiB", "256MiB", "1024MiB", "3072MiB", "4GiB-1"];
const PAGES: [(&str, &str); 4] =
    [("none", phrase("No rounding")), ("4096", "4 KiB"), ("65536", "64 KiB"), ("2097152", "2 MiB")];

#[component]
pub(super) fn Tools(state: State) -> impl IntoView {
    let context = state.context;
    let layouts = Signal::derive(move || {
        Layout::ALL.map(|one| (one.id().to_owned(), context.tr(one.title()).to_owned())).to_vec()
    });
    let layout = Signal::derive(move || state.of(|plan| plan.room.layout).id().to_owned());
    // What is the default is not kept in the address.
    let set = move |id: &'static str, default: &'static str| {
        Callback::new(move |text: String| state.set(id, if text == default { String::new() } else { text }))
    };
    let listed = move |own: String, all: &[&str]| {
        let mut options: Vec<(String, String)> =
            all.iter().map(|text| ((*text).to_owned(), (*text).to_owned())).collect();
        if !all.contains(&own.as_str()) {
            options.push((own.clone(), own));
        }
        options
    };
    let slack = Signal::derive(move || state.slack());
    let slacks = Signal::derive(move || listed(state.slack(), &SLACKS));
    let cap = Signal::derive(move || {
        let text = state.value(CAP.id);
        if text.is_empty() { "none".to_owned() } else { text }
    });
    let caps = Signal::derive(move || {
        let mut options = listed(cap.get(), &CAPS);
        if let Some((_, title)) = options.first_mut() {
            context.tr(phrase("No cap")).clone_into(title);
        }
        options
    });
    let page = Signal::derive(move || {
        let text = state.value(PAGE.id);
        if text.is_empty() { "none".to_owned() } else { text }
    });
    let pages = Signal::derive(move || {
        PAGES.map(|(id, title)| (id.to_owned(), context.tr(title).to_owned())).to_vec()
    });
    view! {
        <div class="plan__tools">
            <Segmented label=context.word("Buffers") options=layouts value=layout on_choose=set(LAYOUT.id, "type") />
            <SelectField label=context.word("Slack") options=slacks value=slack on_choose=set(SLACK.id, "0") />
            <SelectField label=context.word("Page size") options=pages value=page on_choose=set(PAGE.id, "none") />
            <SelectField label=context.word("Cap") options=caps value=cap on_choose=set(CAP.id, "none") />
        </div>
    }
}

/// What is planned, how many edits there are, and where counts come from.
#[component]
pub(super) fn Head(state: State) -> impl IntoView {
    let context = state.context;
    let scope = move || {
        let (name, blocks, instructions) = state.of(|plan| {
            let instructions =
                plan.sheet.blocks.iter().map(|block| u64::from(block.block.instructions)).sum::<u64>();
            (plan.sheet.name.clone(), plan.sheet.blocks.len() as u64, instructions)
        });
        let words = context.tr(phrase("{name}, {n} blocks, {m} instructions"));
        (blocks != 0).then(|| {
            fill(words, &[("name", &name), ("n", &thousands(blocks)), ("m", &thousands(instructions))])
        })
    };
    let edits =
        Memo::new(move |_| state.shown.with(|shown| shown.as_ref().map_or(0, |shown| shown.counts.1)));
    let is_changed =
        move || 0 < edits.get() || !state.value(crate::views::plan::compute::WITHOUT.id).is_empty();
    let n_edits = move || {
        let n = edits.get() as u64;
        (n != 0).then(|| fill(context.tr(phrase("{n} edits")), &[("n", &thousands(n))]))
    };
    let kernels = Signal::derive(move || {
        state.of(|plan| plan.subjects.iter().map(|name| (name.clone(), name.clone())).collect::<Vec<_>>())
    });
    let kernel = Signal::derive(move || state.of(|plan| plan.sheet.name.clone()));
    let notes = move || {
        let language = context.language.get();
        let notes = state.of(|plan| plan.sheet.notes.clone());
        let one = |note: crate::base::words::Message| view! { <p class="plan__note">{note.text(language).into_owned()}</p> };
        notes.into_iter().map(one).collect_view()
    };
    let steps = move || STEPS.map(|step| view! { <span>{context.tr(step).to_owned()}</span> }).collect_view();
    let full_name = move || {
        let symbol = state.shown.with(|shown| shown.as_ref().map_or_else(String::new, |s| s.symbol.clone()));
        (!symbol.is_empty())
            .then(|| crate::pane::with_symbol(&state.of(|plan| plan.sheet.name.clone()), &symbol))
    };
    let choose_kernel = Callback::new(move |name| state.choose_kernel(name));
    let has_kernels = move || 1 < kernels.with(Vec::len);
    view! {
        <header class="plan__head plan__head--first">
            <h2 class="plan__title">{context.word("Plan")}</h2>
            <span class="plan__scope" data-tip=full_name>{scope}</span>
            <span class="plan__gap"></span>
            <span class="plan__scope">{n_edits}</span>
            <Show when=is_changed>
                <button class="button button--text" type="button" on:click=move |_| state.reset()>{context.word("Reset")}</button>
            </Show>
            <Show when=has_kernels>
                <SelectField label=context.word("Kernel") options=kernels value=kernel on_choose=choose_kernel />
            </Show>
            <CountsFrom state=state />
        </header>
        <p class="plan__steps">{steps}</p>
        {notes}
    }
}

/// Where counts come from: a choice, or the only source there is.
#[component]
fn CountsFrom(state: State) -> impl IntoView {
    let context = state.context;
    let sources = Signal::derive(move || {
        let (has_file, has_trace) = state.of(|plan| plan.has_counts);
        let all = [
            (has_file, "file", phrase("Counts of the file")),
            (has_trace, "trace", phrase("Recorded executions")),
        ];
        let own = all.into_iter().filter(|(is_there, ..)| *is_there);
        own.map(|(_, id, title)| (id.to_owned(), context.tr(title).to_owned())).collect::<Vec<_>>()
    });
    let source = Signal::derive(move || {
        let text = state.value(COUNTS_FROM.id);
        let has_file = state.of(|plan| plan.has_counts.0);
        if text.is_empty() { if has_file { "file" } else { "trace" }.to_owned() } else { text }
    });
    let choose_source = Callback::new(move |id| state.set(COUNTS_FROM.id, id));
    let has_sources = move || 1 < sources.with(Vec::len);
    let from = move || {
        let from = state.of(|plan| plan.sheet.counts_from.clone());
        let has_blocks = state.of(|plan| !plan.sheet.blocks.is_empty());
        let words = if from.is_empty() {
            context
                .tr(phrase(
                    "The files do not say how often blocks run: enter it, or open counts of instructions.",
                ))
                .to_owned()
        } else {
            format!("{} {}", context.tr("Counts from"), context.tr(&from))
        };
        (has_blocks && !has_sources()).then_some(words)
    };
    view! {
        <Show when=has_sources>
            <SelectField label=context.word("Counts from") options=sources value=source on_choose=choose_source />
        </Show>
        <span class="plan__scope">{from}</span>
    }
}
