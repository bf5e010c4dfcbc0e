//! What steps are made of: wall time = computing + exposed communication + exposed copies + idle; the host stands apart.

use super::{Advice, Head, Shared, percent, told, unit};
use crate::analysis::device::Step;
use crate::analysis::rows::Goal;
use crate::base::number::duration;
use crate::base::order;
use crate::base::words::{fill, phrase};
use crate::model::id::SliceId;
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
            _ => format!("{}, {}", unit(f.clock).1, of.tr(phrase("compute + comm + copies + idle = wall"))),
        })
    });
    let advice = Signal::derive(move || {
        of.with(|f| {
            let (all, exposed) = f.communication;
            let texts = [all - exposed, all].map(|ticks| duration(ticks, f.clock));
            let text = of.tr(phrase("{n} of {m} of communication lie under compute"));
            let text = fill(&text, &[("n", &texts[0]), ("m", &texts[1])]);
            (0 < all).then(|| (20.0 < percent(exposed, f.span.dur()), text))
        })
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
                help=context.word(phrase("All streams together. Comm: data is exchanged while nothing is computed. Copies: data is copied while neither goes on. Host: some thread is in an operator or in a call of the runtime; it overlaps with the others."))
                scope
            />
            <div class="device__body">{body}</div>
            <Advice line=advice />
        </section>
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
                {move || of.tr(phrase("Use the chosen name as step"))}
            </button>
        </div>
    }
}

/// A row: name, step.
type Row = (String, Step);

fn chosen(steps: &[Row], is_all: bool) -> Vec<Row> {
    if is_all || steps.len() <= FEW {
        return steps.to_vec();
    }
    let mut slowest: Vec<usize> = (1..steps.len()).collect();
    order::sort_by_key(&mut slowest, |at| std::cmp::Reverse(steps[*at].1.span.dur()));
    slowest.truncate(SLOWEST);
    slowest.sort_unstable();
    std::iter::once(0).chain(slowest).map(|at| steps[at].clone()).collect()
}

#[component]
fn Rows(of: Shared, is_all: RwSignal<bool>) -> impl IntoView {
    let state = of.state;
    let rows = move || {
        of.with(|f| {
            let longest = f.steps.iter().map(|(_, step)| step.span.dur()).max().unwrap_or(1);
            let n = f.steps.len() as i64;
            let mean = |part: fn(&Step) -> i64| f.steps.iter().map(|(_, step)| part(step)).sum::<i64>() / n.max(1);
            let values: [fn(&Step) -> i64; 6] =
                [|s| s.span.dur(), |s| s.compute, |s| s.communication, |s| s.copies, |s| s.idle, |s| s.host];
            let row = |name: String, values: [i64; 6], slice: Option<SliceId>| {
                let cells = values.map(|ticks| view! { <td>{told(ticks, f.clock, 1)}</td> });
                let parts = [3, 5, 4].into_iter().zip(&values[1..4]).map(|(color, ticks)| {
                    let width = format!("{}%", percent(*ticks, longest));
                    view! { <i class=format!("device__part{color}") style:width=width></i> }
                });
                let idle = format!("{}%", percent(values[4], longest));
                let show = move |_| slice.into_iter().for_each(|id| state.show(id));
                view! {
                    <tr class:device__row=slice.is_some() on:dblclick=show>
                        <th scope="row">{name}</th>
                        {cells.collect_view()}
                    </tr>
                    <tr aria-hidden="true">
                        <td colspan="7" class="device__under">
                            <span class="device__thin">{parts.collect_view()}<i class="device__part0" style:width=idle></i></span>
                        </td>
                    </tr>
                }
            };
            let short = |name: &str| name.rsplit_once('#').map_or(name.to_owned(), |(_, n)| format!("#{n}"));
            let listed = chosen(&f.steps, is_all.get()).into_iter().map(|(name, step)| {
                row(short(&name), values.map(|value| value(&step)), Some(step.slice))
            });
            let listed = listed.collect_view();
            let mean = (1 < n).then(|| row(of.tr(phrase("mean")), values.map(mean), None));
            view! { {listed} {mean} }
        })
    };
    let n = Signal::derive(move || of.with(|f| f.n_steps));
    let has_more = move || FEW < n.get() && !is_all.get();
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
