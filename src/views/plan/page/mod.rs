//! How large trace buffers must be, what makes them large, and whether they fit what was recorded.
//!
//! Needs a plan of blocks and record types, or sizes of kernels. Numbers with a dashed line can be edited in place; Tab goes
//! on, Esc takes back. A cleared box leaves out a type or a block. Everything is computed anew by the worker at each change;
//! changes are parameters of the document and so stand in the address.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

mod buffers;
mod side;
mod state;
mod table;

use crate::base::number::{fixed, thousands};
use crate::base::order;
use crate::base::words::{fill, phrase};
use crate::pane::ViewSpec;
use crate::pane::context::ViewContext;
use crate::ui::field::{Segmented, SelectField};
use crate::ui::tabs;
use crate::views::plan::compute::{CAP, COUNTS_FROM, LAYOUT, Layout, PAGE, SLACK, STEPS, Saving};
use leptos::prelude::*;
use state::{PlanState, number};
use std::collections::BTreeSet;

/// The view.
pub static VIEW: ViewSpec = ViewSpec {
    id: "plan",
    title: phrase("Plan"),
    question: "How large must trace buffers be, what makes them large, and did they fit?",
    can_show: |head| 0 < head.contents.planned,
    badge: |_| None,
    compares: false,
    show: |context| crate::views::parts::later(&VIEW, context),
};

/// The view itself; a part of the program that is loaded when it is needed.
pub fn show(context: ViewContext) -> AnyView {
    view! { <PlanView context /> }.into_any()
}

#[component]
fn PlanView(context: ViewContext) -> impl IntoView {
    let state = PlanState::new(context);
    context.offer_picture(VIEW.id, Vec::new);
    let has_blocks = Memo::new(move |_| {
        state.shown.with(|shown| shown.as_ref().is_none_or(|shown| !shown.plan.sheet.blocks.is_empty()))
    });
    let body = move || {
        if has_blocks.get() {
            view! {
                <table::Table state />
                <Formula state />
                <buffers::Buffers state />
                <Lower state />
            }
            .into_any()
        } else {
            view! { <Sizes state /> }.into_any()
        }
    };
    view! {
        <div class="plan">
            <tabs::Tools view=VIEW.id><Tools state /></tabs::Tools>
            <div class="plan__main" data-keys>
                <Head state />
                {body}
            </div>
            <side::Side state />
        </div>
    }
}

// Where only sizes of whole kernels are known: kernels, bytes, threads, bytes per thread.

#[component]
fn Sizes(state: PlanState) -> impl IntoView {
    let context = state.context;
    let rows = move || {
        let rows = state.of(|plan| plan.sizes.clone());
        let largest = rows.iter().map(|row| row.size.bytes).max().unwrap_or(1).max(1);
        let rows = rows.into_iter().map(|row| {
            let width = format!("{}%", row.size.bytes as f64 / largest as f64 * 100.0);
            view! {
                <tr>
                    <td class="plan__code" title=row.size.name.clone()>{row.size.name.clone()}</td>
                    <td class="plan__number">{number(row.size.launch)}</td>
                    <td class="plan__number">
                        <span class="plan__track"><i style:width=width></i></span>
                        {thousands(row.size.bytes)}
                    </td>
                    <td class="plan__number">{number(row.size.threads)}</td>
                    <td class="plan__number">{row.per_thread.map(|bytes| fixed(bytes, 1))}</td>
                    <td class="plan__number">{thousands(row.allocated)}</td>
                    <td class="plan__number">{thousands(row.passes)}</td>
                </tr>
            }
        });
        rows.collect_view()
    };
    let head =
        |words: &'static str| view! { <th class="plan__number" scope="col">{context.word(words)}</th> };
    view! {
        <div class="plan__scroll plan__scroll--whole">
            <table class="plan__table plan__table--sizes">
                <thead>
                    <tr>
                        <th scope="col">{context.word("Kernel")}</th>
                        {head(phrase("Launch"))}
                        {head(phrase("Bytes"))}
                        {head(phrase("Threads"))}
                        {head(phrase("Bytes per thread"))}
                        {head(phrase("Allocated"))}
                        {head(phrase("Passes"))}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

// The total as terms, one for each type, and the bytes of the chosen type as terms, one for each block.

/// Terms that are written out; the rest is counted.
const TERMS: usize = 3;

#[component]
fn Formula(state: PlanState) -> impl IntoView {
    view! {
        <div class="plan__formula">
            <div>{move || total(state)}</div>
            <div>{move || chosen(state)}{move || hottest(state)}</div>
        </div>
    }
}

fn swatch(state: PlanState, of: usize) -> impl IntoView + use<> {
    view! { <i class="plan__swatch" style:background=state.color(of)></i> }
}

fn total(state: PlanState) -> impl IntoView {
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
        view! { <span class="plan__refused">"GMT-SIZE "{state.context.tr("Sizes above 2⁵³ are not shown.").to_owned()}</span> }
    });
    view! { <b>{number(sums.total)}" B"</b>{terms}{refused} }
}

fn chosen(state: PlanState) -> Option<impl IntoView> {
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
    // What is left out costs nothing: its line is struck as its column is.
    let class = if one.is_out { "plan__terms plan__out" } else { "plan__terms" };
    Some(view! { <span class=class>{swatch(state, of)}<span>{bytes}" B"</span>{terms}{more}</span> })
}

/// The largest cell in words.
fn hottest(state: PlanState) -> Option<impl IntoView> {
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

// The bar above the view and the head of the table: layouts, slack, pages, cap; kernel, source of counts, edits.

/// Slacks and caps that are offered; others come from the address or the command line.
const SLACKS: [&str; 5] = ["0", "0x2000", "5%", "10%", "25%"];
const CAPS: [&str; 6] = ["none", "64MiB", "256MiB", "1024MiB", "3072MiB", "4GiB-1"];
const PAGES: [(&str, &str); 4] =
    [("none", phrase("No rounding")), ("4096", "4 KiB"), ("65536", "64 KiB"), ("2097152", "2 MiB")];

#[component]
fn Tools(state: PlanState) -> impl IntoView {
    let context = state.context;
    let layouts = Signal::derive(move || {
        Layout::ALL.map(|one| (one.id().to_owned(), context.tr(one.title()).to_owned())).to_vec()
    });
    let layout = Signal::derive(move || state.of(|plan| plan.room.layout).id().to_owned());
    // What is the default is not kept in the address.
    let set = move |id: &'static str, default: &'static str| {
        Callback::new(move |text: String| {
            state.context.set_value(id, if text == default { String::new() } else { text });
        })
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
fn Head(state: PlanState) -> impl IntoView {
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
fn CountsFrom(state: PlanState) -> impl IntoView {
    let context = state.context;
    let sources = Signal::derive(move || {
        let (has_file, has_trace) = state.of(|plan| plan.has_counts);
        let all = [
            (has_file, "file", phrase("Counts in the file")),
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
    let choose_source = Callback::new(move |id| state.context.set_value(COUNTS_FROM.id, id));
    let has_sources = move || 1 < sources.with(Vec::len);
    let from = move || {
        let from = state.of(|plan| plan.sheet.counts_from.clone());
        let has_blocks = state.of(|plan| !plan.sheet.blocks.is_empty());
        let words = if from.is_empty() {
            context
                .tr(phrase(
                    "The files do not contain block execution counts: enter them, or open instruction counts.",
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

// Below: what writes the records of the chosen block, and what leaving something out would save.

#[component]
fn Lower(state: PlanState) -> impl IntoView {
    let has_savings = move || state.of(|plan| 1 < plan.savings.len());
    view! {
        <div class="plan__lower">
            <Block state />
            <Show when=has_savings><WhatIf state /></Show>
        </div>
    }
}

#[component]
fn Block(state: PlanState) -> impl IntoView {
    let context = state.context;
    let title = move || state.block.get().map(|row| state.label(row));
    let scope = move || {
        let n = state.block.get().map(|row| {
            state.of(|plan| plan.sheet.blocks.get(row).map_or(0, |block| u64::from(block.block.instructions)))
        });
        let emit = state.emitters.with(|all| {
            let own = all.iter().filter(|one| !one.text.is_empty() && !one.is_out);
            own.map(|one| one.address).collect::<BTreeSet<_>>().len()
        });
        let words = context.tr(phrase("{n} instructions, {m} of which write records"));
        n.map(|n| fill(words, &[("n", &thousands(n)), ("m", &thousands(emit as u64))]))
    };
    let rows = move || {
        let entry = context.tr(phrase("block entry")).to_owned();
        let all = state.emitters.get().into_iter().map(|one| {
            let name = state.type_name(one.record_type);
            let (is_entry, color) = (one.text.is_empty(), state.color(one.record_type));
            let text =
                if is_entry { entry.clone() } else { one.text.split("//").next().unwrap_or("").to_owned() };
            view! {
                <tr class:plan__out=one.is_out>
                    <td class="mono">{format!("0x{:03x}", one.address)}</td>
                    <td class="plan__code" class:mono=!is_entry title=one.text>{text}</td>
                    <td><i class="plan__swatch" style:background=color></i>{name}</td>
                    <td class="plan__number">{thousands(one.records)}</td>
                    <td class="plan__number">{number(one.bytes)}</td>
                </tr>
            }
        });
        all.collect_view()
    };
    let sums = move || {
        let (records, bytes) = state.emitters.with(|all| {
            let own = || all.iter().filter(|one| !one.is_out);
            let bytes = own().map(|one| one.bytes).sum::<Option<u64>>();
            (own().map(|one| one.records).fold(0, u64::saturating_add), bytes)
        });
        let count = state
            .block
            .get()
            .and_then(|row| state.of(|plan| plan.sheet.blocks.get(row).and_then(|b| b.count)));
        let times = fill(context.tr(phrase("× {n} executions")), &[("n", &number(count))]);
        let all = count.zip(bytes).and_then(|(count, bytes)| count.checked_mul(bytes));
        view! {
            <tr>
                <td></td><td>{context.tr(phrase("per execution")).to_owned()}</td><td></td>
                <td class="plan__number">{thousands(records)}</td><td class="plan__number">{number(bytes)}</td>
            </tr>
            <tr><td></td><td>{times}</td><td></td><td></td><td class="plan__number"><b>{number(all)}</b></td></tr>
        }
    };
    let go = move |_| context.go.run("source".to_owned());
    view! {
        <section class="plan__half">
            <header class="plan__head">
                <h2 class="plan__title">{title}</h2>
                <span class="plan__scope">{scope}</span>
                <span class="plan__gap"></span>
                <button class="button button--text" type="button" on:click=go>{context.word("All instructions")}</button>
            </header>
            <table class="plan__list">
                <thead>
                    <tr>
                        <th scope="col">{context.word("Address")}</th>
                        <th scope="col">{context.word("Instruction")}</th>
                        <th scope="col">{context.word("Type")}</th>
                        <th class="plan__number" scope="col">"r"</th>
                        <th class="plan__number" scope="col">{context.word("Bytes")}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
                <tfoot>{sums}</tfoot>
            </table>
        </section>
    }
}

#[component]
fn WhatIf(state: PlanState) -> impl IntoView {
    let context = state.context;
    let rows = move || {
        let (savings, total) = state.of(|plan| (plan.savings.clone(), plan.sums.total));
        let mut was_type = false;
        let rows = savings.into_iter().map(|saving| {
            // A line between types and blocks.
            let is_first_block = saving.what.is_err() && std::mem::replace(&mut was_type, false);
            was_type |= saving.what.is_ok();
            view! { <SavingRow state saving total is_first_block /> }
        });
        rows.collect_view()
    };
    view! {
        <section class="plan__half">
            <header class="plan__head">
                <h2 class="plan__title">{context.word("What if")}</h2>
                <span class="plan__scope">{context.word("left out, bytes saved")}</span>
                <span class="plan__gap"></span>
                <span class="plan__scope">{context.word("clear the checkbox above to leave it out")}</span>
            </header>
            <table class="plan__list">
                <thead>
                    <tr>
                        <th scope="col">{context.word("Without")}</th>
                        <th class="plan__number" scope="col">{context.word("Saves B")}</th>
                        <th class="plan__number" scope="col">{context.word("Saves %")}</th>
                        <th class="plan__number" scope="col">{context.word("Left B")}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </section>
    }
}

#[component]
fn SavingRow(state: PlanState, saving: Saving, total: Option<u64>, is_first_block: bool) -> impl IntoView {
    let name = match saving.what {
        Ok(of) => state.type_name(of),
        Err(row) => state.label(row),
    };
    let swatch =
        saving.what.ok().map(|of| view! { <i class="plan__swatch" style:background=state.color(of)></i> });
    // Without it the order of executions is taken from another type.
    let is_flow = saving.what.is_ok_and(|of| {
        state.of(|plan| plan.sheet.types.get(of).is_some_and(|one| one.record_type.kind == "flow"))
    });
    let tip =
        is_flow.then(|| state.context.tr(phrase("The order is taken from another type instead.")).to_owned());
    let share = total.filter(|total| *total != 0).map(|total| saving.bytes as f64 / total as f64 * 100.0);
    let width = format!("{}%", share.unwrap_or(0.0).min(100.0));
    view! {
        <tr class:plan__first=is_first_block title=tip>
            <td>{swatch}{name}</td>
            <td class="plan__number">{thousands(saving.bytes)}</td>
            <td class="plan__number">
                <span class="plan__track"><i style:width=width></i></span>
                <span class="plan__percent">{share.map(|share| fixed(share, 2))}</span>
            </td>
            <td class="plan__number">{thousands(saving.left)}</td>
        </tr>
    }
}
