//! Below: what writes the records of the chosen block, and what leaving something out would save.

use super::state::{State, number};
use crate::base::number::{fixed, thousands};
use crate::base::words::{fill, phrase};
use crate::views::plan::compute::Saving;
use leptos::prelude::*;
use std::collections::BTreeSet;

#[component]
pub(super) fn Lower(state: State) -> impl IntoView {
    let has_savings = move || state.of(|plan| 1 < plan.savings.len());
    view! {
        <div class="plan__lower">
            <Block state />
            <Show when=has_savings><WhatIf state /></Show>
        </div>
    }
}

#[component]
fn Block(state: State) -> impl IntoView {
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
        let words = context.tr(phrase("{n} instructions, {m} of them write records"));
        n.map(|n| fill(words, &[("n", &thousands(n)), ("m", &thousands(emit as u64))]))
    };
    let rows = move || {
        let entry = context.tr(phrase("entry of the block")).to_owned();
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
fn WhatIf(state: State) -> impl IntoView {
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
                <span class="plan__scope">{context.word("clear a box above to apply")}</span>
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
fn SavingRow(state: State, saving: Saving, total: Option<u64>, is_first_block: bool) -> impl IntoView {
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
        is_flow.then(|| state.context.tr(phrase("The order is then taken from another type.")).to_owned());
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
