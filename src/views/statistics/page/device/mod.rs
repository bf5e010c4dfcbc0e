//! Three figures below the table of traces with streams of devices: why streams are idle, what steps are made of, how long
//! launches take to start.

mod idle;
mod latency;
mod queue;
mod steps;

use super::state::State;
use crate::base::time::{Clock, Ticks};
use crate::base::words::phrase;
use crate::ui::icon::{Glyph, Icon};
use crate::views::statistics::messages::Figures;
use idle::IdleFigure;
use latency::LatencyFigure;
use leptos::prelude::*;
use steps::StepsFigure;

/// What the figures share.
#[derive(Clone, Copy)]
struct Shared {
    state: State,
    figures: Memo<Figures>,
}

impl Shared {
    fn tr(self, english: &'static str) -> String {
        self.state.context.tr(english).to_owned()
    }

    fn with<T>(self, look: impl FnOnce(&Figures) -> T) -> T {
        self.figures.with(look)
    }
}

/// The figures.
#[component]
pub(super) fn DeviceFigures(state: State) -> impl IntoView {
    let of = Shared { state, figures: state.figures };
    view! {
        <div class="device">
            <IdleFigure of />
            <StepsFigure of />
            <LatencyFigure of />
        </div>
    }
}

/// Title, what it is of, and what its words mean.
#[component]
fn Head(
    of: Shared,
    title: &'static str,
    #[prop(into)] help: Signal<String>,
    #[prop(into)] scope: Signal<String>,
    #[prop(optional, into)] tools: ViewFn,
) -> impl IntoView {
    let context = of.state.context;
    view! {
        <header class="device__head">
            <h3 class="statistics__title">{context.word(title)}</h3>
            <span class="device__scope" title=scope>{scope}</span>
            <Show when=move || context.baseline.get().is_some()>
                <span class="device__scope" data-part="one-side">{context.word(phrase("B only"))}</span>
            </Show>
            <Help text=help />
            {tools.run()}
        </header>
    }
}

/// What something means, on demand.
#[component]
fn Help(#[prop(into)] text: Signal<String>) -> impl IntoView {
    view! { <button class="statistics__help" type="button" aria-label=text data-tip=text>"?"</button> }
}

/// A sentence that follows from the numbers; the line keeps its height without one.
#[component]
fn Advice(#[prop(into)] line: Signal<Option<(bool, String)>>) -> impl IntoView {
    let icon = move || {
        line.get().map(|(is_costly, text)| {
            let glyph = if is_costly { Glyph::Warning } else { Glyph::Note };
            view! {
                <span class="advice__icon" class:advice__icon--costly=is_costly><Icon glyph /></span>
                <span class="device__advice-text" title=text.clone()>{text.clone()}</span>
            }
        })
    };
    view! { <p class="device__advice">{icon}</p> }
}

/// The unit of times in columns: see [`millis`].
fn unit(clock: Clock) -> &'static str {
    clock.nanos().map_or(clock.word(), |_| "ms")
}

/// A share in percent.
fn percent(part: Ticks, whole: Ticks) -> f64 {
    part as f64 * 100.0 / whole.max(1) as f64
}
