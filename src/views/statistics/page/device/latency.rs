//! How long launches take to start: a histogram on a logarithmic axis.

use super::queue::Queues;
use super::{Advice, Head, Shared};
use crate::base::number::{duration, fixed, thousands};
use crate::base::words::{fill, phrase};
use leptos::prelude::*;

/// Percent of the width within which names of marks would overlap.
const NEAR: f64 = 18.0;

#[component]
pub(super) fn LatencyFigure(of: Shared) -> impl IntoView {
    let context = of.state.context;
    let scope = Signal::derive(move || of.tr(phrase("kernels, log time")));
    let advice = Signal::derive(move || {
        of.with(|f| {
            let launched = f.latency.kernels - f.latency.unlaunched - f.latency.negative;
            let share = f.latency.quick as f64 * 100.0 / launched.max(1) as f64;
            let text = of.tr(phrase("{n} % start within 100 µs of the call"));
            (10.0 <= share).then(|| (false, fill(&text, &[("n", &fixed(share, 1))])))
        })
    });
    let body = move || {
        let l = of.with(|f| f.latency.clone());
        if l.bins.is_empty() {
            let text = if l.kernels == 0 {
                phrase("No kernels in this time.")
            } else {
                phrase("Nothing ties launches to kernels. Record host and device activity together.")
            };
            return view! { <p class="device__none">{of.tr(text)}</p> }.into_any();
        }
        view! {
            <div class="device__pair">{histogram(of)}<Queues of /></div>
            {facts(of)}
        }
        .into_any()
    };
    view! {
        <section class="device__figure" aria-label=context.word(phrase("Launch latency"))>
            <Head
                of
                title=phrase("Launch latency")
                help=context.word(phrase("From the start of the launch call to the start of the kernel, matched by flows, otherwise by correlation number. Long: the queue is deep, the device is behind. Short: the host is behind. Median and p95 are interpolated between two latencies, as numpy.percentile does."))
                scope
            />
            <div class="device__body device__body--fill">{body}</div>
            <Advice line=advice />
        </section>
    }
}

/// The bins, with marks for two percentiles.
fn histogram(of: Shared) -> impl IntoView {
    of.with(|f| {
        let l = &f.latency;
        let most = l.bins.iter().copied().max().unwrap_or(1).max(1);
        let (least, greatest) = (l.range.0 as f64, (l.range.1 as f64).max(l.range.0 as f64 * 1.000_001));
        let share = |ticks: f64| (ticks / least).ln() / (greatest / least).ln() * 100.0;
        let at = |ticks: f64| format!("{}%", share(ticks));
        let edge = |bin: usize| least * (greatest / least).powf(bin as f64 / l.bins.len() as f64);
        let bars = l.bins.iter().enumerate().map(|(bin, n)| {
            let ends = [edge(bin), edge(bin + 1)].map(|ticks| duration(ticks as i64, f.clock));
            let tip = format!("{} – {}: {}", ends[0], ends[1], thousands(*n));
            let height = format!("{}%", *n as f64 * 100.0 / most as f64);
            view! { <span class="device__bin" data-tip=tip><i style:height=height></i></span> }
        });
        // Names of marks that are close stand on both sides of them; below each other where there is no room.
        let [first, last] = [l.median, l.p95].map(|ticks| share(ticks as f64));
        let aside = match last - first < NEAR {
            false => "device__mark",
            true if last < 100.0 - NEAR => "device__mark device__mark--right",
            true => "device__mark device__mark--low",
        };
        let marks = [(phrase("p50"), l.median, "device__mark"), (phrase("p95"), l.p95, aside)].map(
            |(name, ticks, class)| {
                view! { <b class=class style:left=at(ticks as f64)><span>{of.tr(name)}</span></b> }
            },
        );
        let powers = (0..19).map(|power| 10_i64.pow(power));
        let powers: Vec<i64> = powers.filter(|t| l.range.0 <= *t && *t <= l.range.1).collect();
        // As many as have room.
        let skip = powers.len().div_ceil(5).max(1);
        let ticks = powers.into_iter().step_by(skip).map(|ticks| {
            let text = duration(ticks, f.clock).replace(".000", "");
            view! { <span style:left=at(ticks as f64)>{text}</span> }
        });
        view! {
            <div class="device__chart">
                <span class="device__most">{thousands(most)}</span>
                <div class="device__bins">{bars.collect_view()}{marks.collect_view()}</div>
                <div class="device__ticks">{ticks.collect_view()}</div>
            </div>
        }
    })
}

/// What it comes to.
fn facts(of: Shared) -> impl IntoView {
    of.with(|f| {
        let l = &f.latency;
        let facts = [
            (phrase("Median"), duration(l.median, f.clock)),
            (phrase("p95"), duration(l.p95, f.clock)),
            (phrase("Kernels"), thousands(l.kernels)),
            (phrase("No launch found"), thousands(l.unlaunched)),
            (phrase("Longest queue"), thousands(l.queue)),
            (phrase("Zero or negative"), thousands(l.negative)),
        ];
        // Clocks are mostly aligned.
        let facts = facts.into_iter().take(if l.negative == 0 { 5 } else { 6 });
        let facts = facts.map(|(name, value)| view! { <dt>{of.tr(name)}</dt><dd>{value}</dd> });
        view! { <dl class="device__facts">{facts.collect_view()}</dl> }
    })
}
