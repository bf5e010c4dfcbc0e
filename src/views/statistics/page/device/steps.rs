//! What steps are made of: wall time = computing + exposed communication + exposed copies + idle; the host stands apart.

use super::{Advice, Head, Shared, percent, unit};
use crate::analysis::device::{OUTSIDE, Step};
use crate::analysis::rows::Goal;
use crate::base::number::millis;
use crate::base::order;
use crate::base::words::{fill, phrase};
use crate::ui::field::InputField;
use crate::views::statistics::messages::Figures;
use leptos::prelude::*;

/// Steps that are shown before all are asked for; of more the first and the slowest.
const FEW: usize = 7;
const SLOWEST: usize = 3;

#[component]
pub(super) fn StepsFigure(of: Shared) -> impl IntoView {
    let context = of.state.context;
    let is_all = RwSignal::new(false);
    let scope = Signal::derive(move || {
        of.with(|f| match f.n_steps {
            0 => String::new(),
            _ => format!("{}, {}", unit(f.clock), of.tr(phrase("compute + comm + copies + idle = wall"))),
        })
    });
    // What the file itself says, where it is something else, comes first.
    let advice = Signal::derive(move || {
        let taken = |f: &Figures| Some((false, f.taken.clone())).filter(|(_, said)| !said.is_empty());
        let said = of.with(|f| {
            f.contradiction().map(|said| (true, said)).or_else(|| taken(f)).or_else(|| f.overlap())
        });
        said.map(|(is_problem, said)| (is_problem, of.text(&said)))
    });
    let body = move || {
        if of.with(|f| f.steps.is_empty()) {
            view! { <NoSteps of /> }.into_any()
        } else {
            view! { <Rows of is_all /> }.into_any()
        }
    };
    view! {
        <section class="device__figure" aria-label=context.word(phrase("Steps"))>
            <Head
                of
                title=phrase("Steps")
                help=context.word(phrase("All streams of a rank together. Comm: communication while nothing computes. Copies: copies while nothing computes or communicates. Host: some thread is in an operator or a runtime call; overlaps with the others."))
                scope
            />
            <div class="device__body">{body} <Names of /></div>
            <Advice line=advice />
        </section>
    }
}

/// Which further names are communication.
#[component]
fn Names(of: Shared) -> impl IntoView {
    let (context, names) = (of.state.context, of.state.communication);
    let has_device = Memo::new(move |_| of.with(|f| 0 < f.n_streams));
    view! {
        <Show when=move || has_device.get()>
            <div class="device__names">
                <InputField
                    label=context.word(phrase("Additional communication names"))
                    value=names
                    on_change=Callback::new(move |text| names.set(text))
                    placeholder=context.word(phrase("none"))
                />
            </div>
        </Show>
    }
}

/// What is missing, and how to get it.
#[component]
fn NoSteps(of: Shared) -> impl IntoView {
    let state = of.state;
    let name = Signal::derive(move || match state.chosen.get() {
        Some(Goal::Name(name)) => Some(name),
        _ => None,
    });
    let choose = move |_| {
        if let Some(name) = name.get_untracked() {
            state.step.set(name);
        }
    };
    let text = move || {
        let step = of.with(|f| f.step.clone());
        if step.is_empty() {
            return of.tr(phrase("This file marks no steps."));
        }
        fill(&of.tr(phrase("This file marks no steps: there is no {name}.")), &[("name", &step)])
    };
    view! {
        <div class="device__none">
            <p>{text}</p>
            <button class="button" type="button" disabled=move || name.with(Option::is_none) on:click=choose>
                {move || of.tr(phrase("Use the selected name as step"))}
            </button>
        </div>
    }
}

/// A row: name, step.
type Row = (String, Step);

/// The steps of a rank that are shown.
fn chosen(steps: &[Row], is_all: bool) -> Vec<Row> {
    if is_all || steps.len() <= FEW {
        return steps.to_vec();
    }
    let mut slowest: Vec<usize> = (1..steps.len()).collect();
    order::sort_by_key(&mut slowest, |at| std::cmp::Reverse(steps[*at].1.wall));
    slowest.truncate(SLOWEST);
    order::sort(&mut slowest);
    std::iter::once(0).chain(slowest).map(|at| steps[at].clone()).collect()
}

/// The rows of the table: of each rank its name where there are several, steps, their mean, and what lies outside.
fn rows(of: Shared, f: &Figures, is_all: bool) -> Vec<(String, Option<Step>)> {
    let short = |name: &str| name.rsplit_once('#').map_or(name.to_owned(), |(_, n)| format!("#{n}"));
    let ranks = f.steps_by_rank();
    let mut rows = Vec::new();
    for (rank, all) in &ranks {
        let n = all.iter().position(|(_, step)| step.slice.is_none()).unwrap_or(all.len());
        let (steps, outside) = all.split_at(n);
        if let Some(name) = f.devices.get(*rank as usize).filter(|_| 1 < ranks.len()) {
            let none = || fill(&of.tr(phrase("{rank} has no steps")), &[("rank", name)]);
            rows.push((if all.is_empty() { none() } else { name.clone() }, None));
        }
        rows.extend(chosen(steps, is_all).into_iter().map(|(name, step)| (short(&name), Some(step))));
        if let Some(mean) = mean(steps).filter(|_| 1 < steps.len()) {
            rows.push((of.tr(phrase("mean")), Some(mean)));
        }
        rows.extend(outside.iter().map(|(_, step)| (of.tr(OUTSIDE), Some(*step))));
    }
    rows
}

/// The mean of some steps.
fn mean(steps: &[Row]) -> Option<Step> {
    let n = steps.len() as i64;
    let (_, first) = steps.first()?;
    let mean = |part: fn(&Step) -> i64| steps.iter().map(|(_, step)| part(step)).sum::<i64>() / n;
    Some(Step {
        slice: None,
        wall: mean(|s| s.wall),
        compute: mean(|s| s.compute),
        communication: mean(|s| s.communication),
        copies: mean(|s| s.copies),
        idle: mean(|s| s.idle),
        host: mean(|s| s.host),
        ..*first
    })
}

#[component]
fn Rows(of: Shared, is_all: RwSignal<bool>) -> impl IntoView {
    let state = of.state;
    let rows = move || {
        of.with(|f| {
            // What lies outside of steps may be much longer than they are.
            let longest = f.steps.iter().filter(|(_, step)| step.slice.is_some());
            let longest = longest.map(|(_, step)| step.wall).max().unwrap_or(1);
            let row = |(name, step): (String, Option<Step>)| {
                let Some(step) = step else {
                    return view! { <tr><th scope="rowgroup" colspan="7">{name}</th></tr> }.into_any();
                };
                let values = [step.wall, step.compute, step.communication, step.copies, step.idle, step.host];
                let cells = values.map(|ticks| view! { <td>{millis(ticks, f.clock)}</td> });
                let whole = longest.max(step.wall);
                let parts = [3, 5, 4].into_iter().zip(&values[1..4]).map(|(color, ticks)| {
                    let width = format!("{}%", percent(*ticks, whole));
                    view! { <i class=format!("device__part{color}") style:width=width></i> }
                });
                let idle = format!("{}%", percent(values[4], whole));
                let show = move |_| step.slice.into_iter().for_each(|id| state.show(id));
                view! {
                    <tr class:device__row=step.slice.is_some() on:dblclick=show>
                        <th scope="row">{name}</th>
                        {cells.collect_view()}
                    </tr>
                    <tr aria-hidden="true">
                        <td colspan="7" class="device__under">
                            <span class="device__thin">{parts.collect_view()}<i class="device__part0" style:width=idle></i></span>
                        </td>
                    </tr>
                }
                .into_any()
            };
            rows(of, f, is_all.get()).into_iter().map(row).collect_view()
        })
    };
    let n = Signal::derive(move || of.with(|f| f.n_steps));
    let has_more = move || {
        let is_long = |steps: &[Row]| FEW < steps.iter().filter(|(_, step)| step.slice.is_some()).count();
        !is_all.get() && of.with(|f| f.steps.chunk_by(|a, b| a.1.rank == b.1.rank).any(is_long))
    };
    let more = move || fill(&of.tr(phrase("All {n}")), &[("n", &n.get().to_string())]);
    let heads = move || {
        let colored =
            [(phrase("Compute"), 3), (phrase("Comm"), 5), (phrase("Copies"), 4), (phrase("Idle"), 0)];
        colored
            .map(|(title, color)| {
                view! { <th><i class=format!("device__key device__part{color}")></i>{of.tr(title)}</th> }
            })
            .collect_view()
    };
    view! {
        <table class="device__table device__table--steps">
            <thead>
                <tr>
                    <th>{move || of.tr(phrase("Step"))}</th>
                    <th>{move || of.tr(phrase("Wall"))}</th>
                    {heads}
                    <th>{move || of.tr(phrase("Host"))}</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
        <Show when=has_more>
            <button class="button button--text" type="button" on:click=move |_| is_all.set(true)>{more}</button>
        </Show>
    }
}
