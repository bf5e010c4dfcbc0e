//! At the right: what was checked of the buffers, and what the next run allocates.

use super::state::{PlanState, number, size};
use crate::base::fault::Severity;
use crate::base::number::thousands;
use crate::base::order;
use crate::base::words::{fill, phrase, tr};
use crate::ui::icon::{Glyph, Icon, SeverityIcon};
use crate::views::plan::compute::{Allocation, Check, LAYOUT};
use leptos::prelude::*;

#[component]
pub(super) fn Side(state: PlanState) -> impl IntoView {
    let label = state.context.word(phrase("Checks and allocation"));
    view! { <aside class="plan__side" aria-label=label><Checks state /><Allocations state /></aside> }
}

#[component]
fn Checks(state: PlanState) -> impl IntoView {
    let context = state.context;
    let all = Memo::new(move |_| {
        let checks = state.shown.with(|shown| {
            let shown = shown.as_ref()?;
            Some(shown.plan.checks.iter().cloned().zip(shown.severities.iter().copied()).collect::<Vec<_>>())
        });
        let mut checks: Vec<(Check, Option<Severity>)> = checks.unwrap_or_default();
        // What was found first, the worst of it before the rest.
        order::sort_by_key(&mut checks, |(check, severity)| {
            let order = match check.holds {
                Some(false) => 0,
                Some(true) => 1,
                None => 2,
            };
            (order, std::cmp::Reverse(*severity))
        });
        checks
    });
    let scope = move || {
        let n = |holds: Option<bool>| {
            all.with(|all| all.iter().filter(|(check, _)| check.holds == holds).count() as u64)
        };
        let (found, passed, open) = (n(Some(false)), n(Some(true)), n(None));
        (found + passed + open != 0).then(|| {
            let words = context.tr(phrase("{found} found, {passed} passed, {open} inconclusive"));
            let of = [("found", thousands(found)), ("passed", thousands(passed)), ("open", thousands(open))];
            fill(words, &of.each_ref().map(|(name, value)| (*name, value.as_str())))
        })
    };
    let found = move || {
        let rows = all.get().into_iter().filter(|(check, _)| check.holds == Some(false));
        rows.map(|(check, severity)| view! { <Found state check severity /> }).collect_view()
    };
    let others = move || {
        let language = context.language.get();
        let rows = all.get().into_iter().filter(|(check, _)| check.holds != Some(false));
        let rows = rows.map(|(check, _)| {
            let mark = if check.holds == Some(true) {
                view! { <Icon glyph=Glyph::Check small=true /> }.into_any()
            } else {
                view! { <span class="plan__dash">"–"</span> }.into_any()
            };
            let text = check.text.text(language).into_owned();
            view! { <dt>{mark}<code>{check.code}</code></dt><dd title=text.clone()>{text.clone()}</dd> }
        });
        rows.collect_view()
    };
    let none = move || {
        all.with(Vec::is_empty).then(|| {
            let words = context.tr(phrase("No buffers to check.")).to_owned();
            view! { <p class="plan__none">{words}</p> }
        })
    };
    view! {
        <section class="plan__checks">
            <header class="plan__head">
                <h2 class="plan__title">{context.word("Checks")}</h2>
                <span class="plan__scope">{scope}</span>
            </header>
            {none}
            {found}
            <dl class="plan__passed">{others}</dl>
        </section>
    }
}

#[component]
fn Found(state: PlanState, check: Check, severity: Option<Severity>) -> impl IntoView {
    let context = state.context;
    let severity = severity.unwrap_or(Severity::Warning);
    let name = check.record_type.map(|of| state.type_name(of as usize));
    let text = check.text.clone();
    let text = move || text.text(context.language.get()).into_owned();
    let class = format!("plan__check plan__check--{}", severity.name());
    let go = move |_| context.go.run("report".to_owned());
    view! {
        <div class=class>
            <SeverityIcon severity=severity.name() />
            <code>{check.code}</code>
            <small>{name}</small>
            <p>
                {text}" "
                <button class="button button--text" type="button" on:click=go>{context.word("Report")}</button>
            </p>
        </div>
    }
}

#[component]
fn Allocations(state: PlanState) -> impl IntoView {
    let context = state.context;
    let rows = move || {
        let (all, chosen) = state.of(|plan| (plan.allocations.clone(), plan.room.layout));
        let rows = all.into_iter().map(|one| {
            let is_chosen = one.layout == chosen;
            view! { <LayoutRow state one is_chosen /> }
        });
        rows.collect_view()
    };
    let facts = move || {
        let language = context.language.get();
        let (own, cap) = state.of(|plan| {
            let own = plan.allocations.iter().find(|one| one.layout == plan.room.layout);
            (own.filter(|own| own.bytes.is_some()).cloned(), plan.room.cap)
        });
        let packed = state.of(|plan| plan.packed.clone());
        let fact = |name: String, value: String, is_bad: bool| {
            view! { <dt>{name}</dt><dd class:plan__lost=is_bad>{value}</dd> }
        };
        let word = |english: &'static str| tr(language, english).to_owned();
        let own = own.map(|own| {
            let slack = format!("+{} B", thousands(own.slack));
            let largest = match cap {
                Some(cap) => fill(
                    &word(phrase("{size} of {cap}")),
                    &[("size", &size(own.largest)), ("cap", &size(cap))],
                ),
                None => size(own.largest),
            };
            let passes = match own.passes {
                1 => "1".to_owned(),
                n => fill(&word(phrase("{n}, each tracing 1 in {n} work-groups")), &[("n", &n.to_string())]),
            };
            view! {
                {fact(word(phrase("Slack")), slack, false)}
                {(own.padding != 0).then(|| fact(word(phrase("Page rounding")), format!("+{} B", thousands(own.padding)), false))}
                {fact(word(phrase("Largest buffer")), largest, cap.is_some_and(|cap| cap < own.largest))}
                {fact(word(phrase("Passes needed")), passes, 1 < own.passes)}
            }
        });
        let packed = packed.into_iter().map(|(title, bytes)| {
            let bytes = bytes.map_or_else(|| number(None), size);
            fact(tr(language, &title).to_owned(), bytes, false)
        });
        view! { {own}{packed.collect_view()} }
    };
    let is_there = move || state.of(|plan| !plan.allocations.is_empty() && !plan.sheet.blocks.is_empty());
    view! {
        <Show when=is_there>
            <section class="plan__allocation">
                <header class="plan__head">
                    <h2 class="plan__title">{context.word("Buffer allocation")}</h2>
                    <span class="plan__scope">{context.word("for the next run")}</span>
                </header>
                <table class="plan__list">
                    <thead>
                        <tr>
                            <th scope="col">{context.word("Buffer layout")}</th>
                            <th class="plan__number" scope="col">{context.word("Buffers")}</th>
                            <th class="plan__number" scope="col">{context.word("Extra B")}</th>
                            <th class="plan__number" scope="col">{context.word("Size")}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
                <dl class="plan__facts">{facts}</dl>
            </section>
        </Show>
    }
}

#[component]
fn LayoutRow(state: PlanState, one: Allocation, is_chosen: bool) -> impl IntoView {
    let context = state.context;
    let id = one.layout.id();
    let title = context.tr(one.layout.title()).to_owned();
    let why = (!one.why_not.is_empty()).then(|| context.tr(&one.why_not).to_owned());
    let choose =
        move |_| state.context.set_value(LAYOUT.id, if id == "type" { String::new() } else { id.to_owned() });
    let is_denied = why.is_some();
    let cells = match why.clone() {
        Some(why) => {
            view! { <td class="plan__why" colspan="3" title=why.clone()>{why.clone()}</td> }.into_any()
        }
        None => view! {
            <td class="plan__number">{thousands(one.buffers)}</td>
            <td class="plan__number">{thousands(one.extra)}</td>
            <td class="plan__number">{one.bytes.map(size)}</td>
        }
        .into_any(),
    };
    view! {
        <tr aria-selected=is_chosen.to_string()>
            <td><button class="button button--text" type="button" disabled=is_denied title=why on:click=choose>{title}</button></td>
            {cells}
        </tr>
    }
}
