//! How many launches wait over the time: a picture for each of the busiest streams. A click goes to the time.

use super::Shared;
use crate::base::number::{duration, instant, thousands};
use crate::base::time::{Clock, Span, Ticks};
use crate::base::window::Window;
use crate::base::words::{fill, phrase};
use leptos::prelude::*;

/// Streams that have room.
const STREAMS: usize = 2;

#[component]
pub(super) fn Queues(of: Shared) -> impl IntoView {
    let rows = move || {
        of.with(|f| {
            let ends = [f.span.start, f.span.end].map(|time| {
                view! { <span>{duration(time.saturating_sub(origin(of)), f.clock)}</span> }
            });
            // Of several ranks the busiest stream of each comes first.
            let first: Vec<&String> = f.chosen_streams(STREAMS).iter().map(|at| &f.streams[*at].0).collect();
            let (chosen, others): (Vec<_>, Vec<_>) =
                f.queues.iter().partition(|(name, _)| first.contains(&name));
            let queues = chosen.into_iter().chain(others).take(STREAMS);
            let rows = queues.map(|queue| row(of, f.span, f.clock, queue));
            (rows.collect_view(), view! { <div class="device__ends">{ends.collect_view()}</div> })
        })
    };
    view! {
        <div class="device__queues" role="group" aria-label=of.state.context.word(phrase("Queue over time"))>
            {rows}
        </div>
    }
}

/// A time as the timeline tells it.
fn told(of: Shared, time: Ticks, clock: Clock) -> String {
    instant(time.saturating_sub(origin(of)), clock)
}

/// What times are told from.
fn origin(of: Shared) -> Ticks {
    of.state.context.head.with(|head| head.span.map_or(0, Span::origin))
}

/// A stream: its name, the longest queue, and how long it is over the time.
fn row(of: Shared, span: Span, clock: Clock, (name, parts): &(String, Vec<u32>)) -> impl IntoView + use<> {
    let most = parts.iter().copied().max().unwrap_or(0).max(1);
    let n = parts.len().max(1) as i128;
    let edge = move |at: usize| span.start.saturating_add((i128::from(span.dur()) * at as i128 / n) as Ticks);
    let tip = of.tr(phrase("{from} – {to}: up to {n} launches wait"));
    let bars = parts.iter().enumerate().map(|(at, length)| {
        let part = Span { start: edge(at), end: edge(at + 1) };
        let [from, to] = [part.start, part.end].map(|time| told(of, time, clock));
        let tip = fill(&tip, &[("from", &from), ("to", &to), ("n", &thousands(*length))]);
        let height = format!("{}%", f64::from(*length) * 100.0 / f64::from(most));
        let go = move |_| {
            of.state.context.window.set(Some(Window::of(part)));
            of.state.context.go.run("timeline".to_owned());
        };
        view! { <span class="device__bin" data-tip=tip on:click=go><i style:height=height></i></span> }
    });
    let label = fill(&of.tr(phrase("Queue of {stream}")), &[("stream", name)]);
    view! {
        <div class="device__chart device__chart--queue">
            <span class="device__most">{thousands(most)}</span>
            <span class="device__caption" title=label.clone()>{label.clone()}</span>
            <div class="device__bins">{bars.collect_view()}</div>
        </div>
    }
}
