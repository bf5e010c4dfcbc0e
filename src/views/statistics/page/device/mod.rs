//! Three figures below the table of traces with streams of devices: why streams are idle, what steps are made of, how long
//! launches take to start.

mod steps;

use super::state::StatisticsState;
use crate::analysis::device::idle::{CLASSES, Idle, REASONS, TITLES};
use crate::base::names::parted;
use crate::base::number::{duration, fixed, instant, millis, thousands};
use crate::base::time::{Clock, Span, Ticks};
use crate::base::window::Window;
use crate::base::words::{Message, fill, phrase};
use crate::ui::field::Segmented;
use crate::ui::icon::{Glyph, Icon};
use crate::ui::text::Name;
use crate::views::statistics::messages::Figures;
use leptos::prelude::*;
use steps::StepsFigure;

/// What the figures share.
#[derive(Clone, Copy)]
struct Shared {
    state: StatisticsState,
    figures: Memo<Figures>,
}

impl Shared {
    fn tr(self, english: &'static str) -> String {
        self.state.context.tr(english).to_owned()
    }

    fn text(self, message: &Message) -> String {
        message.text(self.state.context.language.get()).into_owned()
    }

    fn with<T>(self, look: impl FnOnce(&Figures) -> T) -> T {
        self.figures.with(look)
    }
}

/// The figures.
#[component]
pub(super) fn DeviceFigures(state: StatisticsState) -> impl IntoView {
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
    /// The same without leaving anything out.
    #[prop(optional, into)]
    whole: Option<Signal<String>>,
    #[prop(optional, into)] tools: ViewFn,
) -> impl IntoView {
    let context = of.state.context;
    view! {
        <header class="device__head">
            <h3 class="statistics__title">{context.word(title)}</h3>
            <span class="device__scope" title=whole.unwrap_or(scope)>{scope}</span>
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

// How long launches take to start: a histogram on a logarithmic axis.

/// Percent of the width within which names of marks would overlap.
const NEAR: f64 = 18.0;

#[component]
fn LatencyFigure(of: Shared) -> impl IntoView {
    let context = of.state.context;
    let scope = Signal::derive(move || of.tr(phrase("kernels, log time")));
    let advice = Signal::derive(move || of.with(Figures::quick).map(|said| (false, of.text(&said))));
    let body = move || {
        let l = of.with(|f| f.latency.clone());
        if l.bins.is_empty() {
            let text = if l.kernels == 0 {
                phrase("No kernels in this range.")
            } else {
                phrase("Launches cannot be matched to kernels. Record host and device activity together.")
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
        // Names of marks that are close stand on both sides of them; above each other where there is no room.
        let [first, last] = [l.median, l.p95].map(|ticks| share(ticks as f64));
        let is_high = last - first < NEAR && 100.0 - NEAR <= last;
        let aside = match last - first < NEAR {
            false => "device__mark",
            true if is_high => "device__mark device__mark--high",
            true => "device__mark device__mark--right",
        };
        let marks = [(phrase("p50"), l.median, "device__mark"), (phrase("p95"), l.p95, aside)].map(
            |(name, ticks, class)| {
                view! { <b class=class style:left=at(ticks as f64)><span>{of.tr(name)}</span></b> }
            },
        );
        let ticks = l.marks(5).into_iter().map(|ticks| {
            let text = duration(ticks, f.clock).replace(".000", "");
            view! { <span style:left=at(ticks as f64)>{text}</span> }
        });
        view! {
            <div class="device__chart" class:device__chart--high=is_high>
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

// How many launches wait over the time: a picture for each of the busiest streams. A click goes to the time.

/// Streams that have room.
const STREAMS: usize = 2;

#[component]
fn Queues(of: Shared) -> impl IntoView {
    let rows = move || {
        of.with(|f| {
            let ends = [f.span.start, f.span.end].map(|time| {
                view! { <span>{duration(time.saturating_sub(origin(of)), f.clock)}</span> }
            });
            let queues = f.chosen_queues(STREAMS).into_iter();
            let rows = queues.map(|(title, parts)| row(of, f.span, f.clock, (&title, parts)));
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

/// A stream: its title, the longest queue, and how long it is over the time.
fn row(of: Shared, span: Span, clock: Clock, (title, parts): (&Message, &[u32])) -> impl IntoView + use<> {
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
    let label = of.text(title);
    view! {
        <div class="device__chart device__chart--queue">
            <span class="device__most">{thousands(most)}</span>
            <span class="device__caption" title=label.clone()>{label.clone()}</span>
            <div class="device__bins">{bars.collect_view()}</div>
        </div>
    }
}

// Why streams are idle: a bar for each of the busiest streams, and the reasons in numbers, by one of two definitions.

/// Streams with a bar, and with numbers, unless there are more ranks.
const BARS: usize = 4;
const NUMBERS: usize = 2;
/// Longer names of streams have a wider column.
const LONG: usize = 16;

/// What is counted for each reason, and what it means.
const MEANINGS: [&str; REASONS] = [
    phrase("Gaps of up to 1 µs between back-to-back kernels."),
    phrase("The part of a gap over 1 ms during which the thread that launches the next work loads data."),
    phrase("The part during which the thread that launches the next kernel waits for the device."),
    phrase("The part in which that thread allocates or frees device memory through the driver."),
    phrase("The rest until the launch of the next kernel: the host is not fast enough."),
    phrase("The launch call is running and the kernel has not started."),
    phrase("A long call that copies is running and the copy has not started."),
    phrase("A long call that sets memory is running and the device has not started to."),
    phrase("The next kernel is communication and is launched; other streams compute meanwhile."),
    phrase("The next kernel is launched; other streams communicate meanwhile."),
    phrase("The launch call has returned and the kernel has not started."),
    phrase("No launch recorded for the next kernel: record device activities together with host activities."),
    phrase("Time before the first and after the last kernel of the stream."),
];

const CLASS_MEANINGS: [&str; 3] = [
    phrase("The next kernel was launched after the previous one ended."),
    phrase("Launched in time, gap under 30 µs."),
    phrase("Launched in time, longer gap."),
];

/// The parts of a stream that are shown: color number, title, meaning, ticks.
type Part = (usize, &'static str, &'static str, i64);

fn parts(idle: &Idle, is_classes: bool) -> Vec<Part> {
    if is_classes {
        let classes = CLASSES.iter().zip(CLASS_MEANINGS).zip(idle.classes).enumerate();
        return classes
            .map(|(at, (((_, title), meaning), ticks))| (at + 3, *title, meaning, ticks))
            .collect();
    }
    let busy = (0, phrase("Busy"), phrase("Kernels and copies; overlapping time counts once."), idle.busy);
    let reasons = TITLES.iter().zip(MEANINGS).zip(idle.reasons).enumerate();
    let reasons = reasons.map(|(at, (((_, title), meaning), ticks))| (at + 1, *title, meaning, ticks));
    std::iter::once(busy).chain(reasons).collect()
}

#[component]
fn IdleFigure(of: Shared) -> impl IntoView {
    let context = of.state.context;
    let (state, is_classes) = (of.state, of.state.is_classes);
    let help = Signal::derive(move || {
        let ours = of.tr(phrase("Each gap of a stream is attributed to reasons in the order of the table."));
        of.with(|f| format!("{ours} {}", state.context.tr(&f.classes[1])))
    });
    let options = Signal::derive(move || {
        let title = of.with(|f| state.context.tr(&f.classes[0]).to_owned());
        vec![("reasons".to_owned(), of.tr(phrase("By reason"))), ("classes".to_owned(), title)]
    });
    let value = Signal::derive(move || (if is_classes.get() { "classes" } else { "reasons" }).to_owned());
    let choose = Callback::new(move |id: String| is_classes.set(id == "classes"));
    let scopes = Memo::new(move |_| of.with(|f| scope(of, f)));
    let tools = move || {
        view! { <Segmented label=context.word(phrase("Idle time")) options value on_choose=choose small=true /> }
    };
    let advice =
        Signal::derive(move || of.with(|f| f.cause(is_classes.get())).map(|said| (true, of.text(&said))));
    view! {
        <section class="device__figure" aria-label=context.word(phrase("Idle by reason"))>
            <Head
                of
                title=phrase("Idle by reason")
                help
                scope=Signal::derive(move || scopes.get().0)
                whole=Signal::derive(move || scopes.get().1)
                tools
            />
            <div class="device__body">
                {move || (bars(of, is_classes.get()), numbers(of, is_classes.get()))}
            </div>
            <Advice line=advice />
        </section>
    }
}

/// What is counted: the device, or how many there are, and how long they were recorded; then all of them one by one.
fn scope(of: Shared, f: &Figures) -> (String, String) {
    let told = |ticks: &Ticks| duration(*ticks, f.clock);
    let each = f.devices.iter().zip(&f.recorded).map(|(name, ticks)| format!("{name}, {}", told(ticks)));
    let whole = each.collect::<Vec<_>>().join("\n");
    let (Some(least), Some(most)) = (f.recorded.iter().min(), f.recorded.iter().max()) else {
        return (f.devices.join(", "), whole);
    };
    if f.devices.len() < 2 {
        return (whole.clone(), whole);
    }
    let n = fill(&of.tr(phrase("{n} devices")), &[("n", &thousands(f.devices.len() as i64))]);
    // Each rank has its own base, where they differ.
    let times = if least == most { told(most) } else { format!("{} – {}", told(least), told(most)) };
    (format!("{n}, {times}"), whole)
}

/// The streams that are shown: the busiest of each rank, at least so many; the name in short, the whole one, the times.
fn shown(f: &Figures, least: usize) -> Vec<(String, String, Idle)> {
    let chosen: Vec<&(String, Idle)> =
        f.chosen_streams(least).into_iter().filter_map(|at| f.streams.get(at)).collect();
    let names: Vec<String> = chosen.iter().map(|(name, _)| name.clone()).collect();
    let short = parted(&names).into_iter();
    short.zip(names).zip(chosen).map(|((short, name), (_, idle))| (short, name, *idle)).collect()
}

/// A bar for each of the busiest streams.
fn bars(of: Shared, is_classes: bool) -> impl IntoView {
    let bars = of.with(|f| {
        let shown = shown(f, BARS);
        let is_long = shown.iter().any(|(short, ..)| LONG < short.chars().count());
        let bar = |(short, name, idle): (String, String, Idle)| {
            let parts = parts(&idle, is_classes);
            let whole: i64 = parts.iter().map(|part| part.3.max(0)).sum();
            let pieces = parts.into_iter().filter(|part| 0 < part.3).map(|(color, title, _, ticks)| {
                let width = format!("{}%", percent(ticks, whole));
                let tip = format!("{}: {} %", of.tr(title), fixed(percent(ticks, whole), 1));
                view! { <i class=format!("device__ink{color}") style:width=width data-tip=tip></i> }
            });
            let idle =
                fill(&of.tr(phrase("{n} % idle")), &[("n", &fixed(percent(idle.idle(), idle.time()), 1))]);
            view! {
                <div class="device__stream" class:device__stream--long=is_long>
                    <span class="device__name" data-tip=name><Name text=Signal::stored(short) /></span>
                    <span class="device__bar">{pieces.collect_view()}</span>
                    <span class="device__idle">{(!is_classes).then_some(idle)}</span>
                </div>
            }
        };
        shown.into_iter().map(bar).collect_view()
    });
    let more = of.with(|f| f.n_streams.saturating_sub(f.chosen_streams(BARS).len()));
    let more = (0 < more).then(|| fill(&of.tr(phrase("{n} more streams")), &[("n", &more.to_string())]));
    view! {
        {bars}
        {more.map(|text| view! { <p class="device__more">{text}</p> })}
    }
}

/// The same in numbers.
fn numbers(of: Shared, is_classes: bool) -> impl IntoView {
    of.with(|f| {
        let (streams, heads): (Vec<Vec<Part>>, Vec<_>) = shown(f, NUMBERS)
            .into_iter()
            .map(|(short, name, idle)| {
                // What it is part of stands above it.
                let (lead, last) = match short.rsplit_once(" / ") {
                    Some((lead, last)) => (Some(lead.to_owned()), last.to_owned()),
                    None => (None, short),
                };
                let tip = format!("{name}, {}", duration(idle.time(), f.clock));
                let head = view! {
                    <th colspan="2" data-tip=tip>
                        <span class="device__name device__name--head">
                            {lead.map(|lead| view! { <span class="device__name"><Name text=Signal::stored(lead) /></span> })}
                            <span class="device__name"><Name text=Signal::stored(last) /></span>
                        </span>
                    </th>
                };
                (parts(&idle, is_classes), head)
            })
            .unzip();
        let n_rows = streams.first().map_or(0, Vec::len);
        let is_shown = |at: &usize| *at == 0 || is_classes || streams.iter().any(|parts| parts[*at].3 != 0);
        let rows = (0..n_rows).filter(is_shown).map(|at| {
            let (color, title, meaning, _) = streams[0][at];
            let cells = streams.iter().map(|parts| {
                let whole = parts.iter().map(|part| part.3).sum();
                let (ticks, share) = (parts[at].3, percent(parts[at].3, whole));
                let share = if ticks == 0 { String::new() } else { fixed(share, 1) };
                view! { <td>{millis(ticks, f.clock)}</td><td class="device__share">{share}</td> }
            });
            view! {
                <tr>
                    <th scope="row">
                        <i class=format!("device__key device__ink{color}")></i>
                        {of.tr(title)}
                        <Help text=of.tr(meaning) />
                    </th>
                    {cells.collect_view()}
                </tr>
            }
        });
        view! {
            <table class="device__table">
                <thead><tr><th>{format!("{}, {}", of.tr(phrase("Reason")), unit(f.clock))}</th>{heads}</tr></thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        }
    })
}
