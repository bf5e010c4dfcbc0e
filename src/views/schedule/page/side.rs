//! Beside the picture: what the tool says of running and scheduling and what lanes say, how lanes spend the time, how long
//! blocks ran; each with the difference to the baseline, where there is one.

use super::state::ScheduleState;
use crate::analysis::compare::change;
use crate::base::number::{MISSING, fixed, thousands, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{fill, phrase, tr};
use crate::draw::style::{compact, difference_ink, signed};
use crate::views::schedule::compute::{ElapsedBins, Numbers, PERCENTILES, lost_words};
use crate::views::schedule::messages::Head;
use leptos::prelude::*;
use std::fmt::Write;

/// The panel.
#[component]
pub(super) fn Side(state: ScheduleState) -> impl IntoView {
    let context = state.context;
    let parts = move || {
        // Everything is made anew when either document, the language or the colors change: it is short.
        context.language.track();
        state.baseline.track();
        state.head.get().map(|head| {
            view! {
                <Running state head=head.clone() />
                <LaneTimes state head=head.clone() />
                <Elapsed state head />
            }
        })
    };
    view! {
        <aside class="schedule__side" aria-label=context.word(phrase("Schedule statistics")) tabindex="0">{parts}</aside>
    }
}

fn whole(value: f64) -> String {
    thousands(value.round() as i64)
}

fn percent(share: f64) -> String {
    format!("{} %", fixed(share * 100.0, 1))
}

/// How a value differs from that of the baseline, in percent of it and as a factor, and the color of what it means.
fn difference(before: Option<f64>, value: f64, unit: &Unit) -> impl IntoView + use<> {
    before.filter(|before| before.is_finite()).map(|before| {
        let by = value - before;
        let text = match change(before, value, unit) {
            change if change.is_empty() => signed(by, whole(by)),
            change => change,
        };
        let class = format!("schedule__by schedule__by--{}", difference_ink(by, unit).name());
        view! { <span class=class title=format!("({})", whole(before))>{text}</span> }
    })
}

/// What numbers are of: of the blocks with a record, where others have none.
fn of_recorded(state: ScheduleState, head: &Head, scope: String) -> String {
    if head.launched <= head.numbers.blocks {
        return scope;
    }
    let words = tr(state.context.language.get_untracked(), phrase("of {n} recorded blocks"));
    format!("{}, {scope}", fill(words, &[("n", &thousands(head.numbers.blocks))]))
}

fn title(name: String, scope: String) -> impl IntoView {
    view! {
        <h3 class="schedule__title">
            <span>{name}</span>
            <span class="schedule__scope" title=scope.clone()>{scope.clone()}</span>
        </h3>
    }
}

/// The figures of the tool beside those by lane, and why they differ.
#[component]
fn Running(state: ScheduleState, head: Head) -> impl IntoView {
    let word = move |english: &'static str| tr(state.context.language.get_untracked(), english).to_owned();
    if !head.has_units {
        let words =
            word(phrase("The records do not contain the unit of a block: lanes cannot be distinguished."));
        return view! { <section class="schedule__part"><p class="schedule__why">{words}</p></section> }
            .into_any();
    }
    let (numbers, time) = (head.numbers.clone(), head.time.clone());
    let before = |of: fn(&Head) -> f64| state.baseline.with(|head| head.as_ref().map(of));
    let tool = head.tool_figures;
    let name = head.tool.clone();
    let share = |running: f64, gap: f64| percent(gap / (running + gap).max(1.0));
    let has_gap = 1 < numbers.n_waves();
    let gap = if has_gap { whole(numbers.gap) } else { MISSING.to_owned() };
    let of_tool = move |value: Option<String>| tool.map(|_| view! { <td>{value}</td> });
    let factor = tool.map(|tool| tool.scheduling as f64 / numbers.gap.max(1.0));
    let sentence = tool.map(|tool| {
        let is_near = |own: u64, ours: f64| (own as f64 - ours).abs() < 1.0;
        let is_same = is_near(tool.scheduling, numbers.gap) && is_near(tool.running, numbers.running);
        let language = state.context.language.get_untracked();
        let words = tr(language, if is_same { &head.sentences.1 } else { &head.sentences.0 }).to_owned();
        fill(&words, &[("factor", &fixed(factor.unwrap_or(1.0), 1))])
    });
    let scope = fill(&word(phrase("{time} per {unit}")), &[("time", time.word()), ("unit", &head.unit)]);
    let scope = of_recorded(state, &head, scope);
    view! {
        <section class="schedule__part">
            {title(word(phrase("Running and scheduling")), scope)}
            <table class="schedule__numbers">
                <thead>
                    <tr>
                        <td></td>
                        {tool.map(|_| view! { <th scope="col">{name}</th> })}
                        <th scope="col">{word(phrase("By lane"))}</th>
                    </tr>
                </thead>
                <tbody>
                    <tr>
                        <th scope="row">{word(phrase("Running"))}</th>
                        {of_tool(tool.map(|tool| thousands(tool.running)))}
                        <td>{whole(numbers.running)} {difference(before(|h| h.numbers.running), numbers.running, &time)}</td>
                    </tr>
                    <tr>
                        <th scope="row">{word(phrase("Scheduling"))}</th>
                        {of_tool(tool.map(|tool| thousands(tool.scheduling)))}
                        <td><b>{gap}</b> {difference(before(|h| h.numbers.gap), numbers.gap, &time)}</td>
                    </tr>
                    <tr>
                        <th scope="row">{word(phrase("Share of both"))}</th>
                        {of_tool(tool.map(|tool| share(tool.running as f64, tool.scheduling as f64)))}
                        <td>{if has_gap { share(numbers.running, numbers.gap) } else { MISSING.to_owned() }}</td>
                    </tr>
                </tbody>
            </table>
            {sentence.filter(|_| has_gap).map(|words| view! { <p class="schedule__why">{words}</p> })}
        </section>
    }
    .into_any()
}

/// How lanes spend the time.
#[component]
fn LaneTimes(state: ScheduleState, head: Head) -> impl IntoView {
    let word = move |english: &'static str| tr(state.context.language.get_untracked(), english).to_owned();
    let (time, all) = (head.lane_time, head.lane_time.length.max(1.0));
    let (is_comparable, is_guessed) = head.compares;
    let lanes = thousands(head.numbers.lanes);
    let scope =
        fill(&word(phrase("{time}, mean of {n} lanes")), &[("time", head.time.word()), ("n", &lanes)]);
    let scope = of_recorded(state, &head, scope);
    let lost = lost_words(head.launched, head.numbers.blocks, head.partial);
    let lost = lost.map(|words| words.text(state.context.language.get_untracked()).into_owned());
    let row = |kind: &'static str, name: &'static str, value: f64, of: fn(&Head) -> f64| {
        view! {
            <tr>
                <th scope="row"><i class=format!("schedule__swatch schedule__swatch--{kind}")></i>{word(name)}</th>
                <td>{whole(value)} {difference(state.baseline.with(|h| h.as_ref().map(of)), value, &head.time)}</td>
                <td>{percent(value / all)}</td>
            </tr>
        }
    };
    let part = |kind: &'static str, value: f64| {
        view! { <i class=format!("schedule__share schedule__share--{kind}") style:flex-grow=format!("{}", value / all)></i> }
    };
    let length = if is_comparable {
        let about = if is_guessed { "≈ " } else { "" };
        let nanos =
            head.nanos.map(|nanos| format!("{about}{}", with_unit(head.length as f64 * nanos, &Unit::Nanos)));
        nanos.map_or_else(|| word(phrase("Kernel")), |time| format!("{}, {time}", word(phrase("Kernel"))))
    } else {
        word(phrase("Kernel"))
    };
    let numbers = &head.numbers;
    let waves = fixed(numbers.waves, 2);
    let last = thousands(numbers.last_wave);
    let words = word(phrase("{n} waves: {m} blocks in the last wave"));
    let waves = fill(&words, &[("n", &waves), ("m", &last)]);
    let clock = clock_words(state, &head);
    view! {
        <section class="schedule__part">
            {title(word(phrase("Lane time")), scope)}
            <div class="schedule__bar">
                {part("running", time.running)} {part("gap", time.gap)} {part("idle", time.idle)}
            </div>
            <table class="schedule__numbers">
                <tbody>
                    {row("running", phrase("Running"), time.running, |h| h.lane_time.running)}
                    {row("gap", phrase("Gap"), time.gap, |h| h.lane_time.gap)}
                    {row("idle", phrase("Idle, start and end"), time.idle, |h| h.lane_time.idle)}
                    <tr>
                        <th scope="row">{length}</th>
                        <td>{if is_comparable { whole(time.length) } else { MISSING.to_owned() }}</td>
                        <td>{percent(1.0)}</td>
                    </tr>
                </tbody>
            </table>
            <p class="schedule__why">{waves}</p>
            {lost.map(|words| view! { <p class="schedule__why">{words}</p> })}
            {clock.map(|words| view! { <p class="schedule__why">{words}</p> })}
        </section>
    }
}

/// The clock rate, and where it comes from; nothing where there is none.
fn clock_words(state: ScheduleState, head: &Head) -> Option<String> {
    let language = state.context.language.get_untracked();
    let entered = state.look.get_untracked().mhz;
    let (mhz, words) = match (entered, head.clock) {
        (Some(mhz), _) => (mhz, phrase("Clock {n} MHz, entered")),
        (None, Some(clock)) if clock.is_fitted => {
            (clock.mhz, phrase("Clock {n} MHz, fitted to the records' global timer"))
        }
        (None, Some(clock)) => (clock.mhz, phrase("Clock ≈ {n} MHz, from the kernel duration")),
        (None, None) => (
            head.implausible_mhz?,
            phrase(
                "The kernel duration comes to {n} MHz, which is no clock of a GPU: no times are derived from it. It may contain more than the kernel. Enter a clock to see times.",
            ),
        ),
    };
    Some(fill(tr(language, words), &[("n", &whole(mhz))]))
}

/// How long blocks ran.
#[component]
fn Elapsed(state: ScheduleState, head: Head) -> impl IntoView {
    let word = move |english: &'static str| tr(state.context.language.get_untracked(), english).to_owned();
    let numbers = head.numbers.clone();
    let scope = fill(&word(phrase("{time}, √ of blocks")), &[("time", head.time.word())]);
    let (nanos, unit) = (head.nanos.filter(|_| head.time == Unit::Cycles), head.time.clone());
    let [p50, p90, p99] = numbers.percentiles;
    let row = |name: String, value: u64, of: fn(&Head) -> u64| {
        let time = nanos.map(|nanos| view! { <td>{with_unit(value as f64 * nanos, &Unit::Nanos)}</td> });
        view! {
            <tr>
                <th scope="row">{name}</th>
                <td>{thousands(value)} {difference(state.baseline.with(|h| Some(of(h.as_ref()?) as f64)), value as f64, &unit)}</td>
                {time}
            </tr>
        }
    };
    let is_one = numbers.blocks < 2;
    view! {
        <section class="schedule__part">
            {title(word(phrase("Elapsed per block")), scope)}
            {if is_one {
                view! { <p class="schedule__why">{word(phrase("One block: nothing to compare"))}</p> }.into_any()
            } else {
                view! { <Histogram state head /> }.into_any()
            }}
            <table class="schedule__numbers" title=word(PERCENTILES)>
                <tbody>
                    {row(word(phrase("Median")), p50, |h| h.numbers.percentiles[0])}
                    {row("p90".to_owned(), p90, |h| h.numbers.percentiles[1])}
                    {row("p99".to_owned(), p99, |h| h.numbers.percentiles[2])}
                    {row(word(phrase("Longest")), numbers.longest, |h| h.numbers.longest)}
                </tbody>
            </table>
        </section>
    }
}

// The histogram beside the picture: how long blocks ran, p50, p99 and the longest, and the baseline as a line.

/// Size of the drawing.
const W: f64 = 264.0;
const H: f64 = 108.0;
/// Room above the bars for names, and below for the ends of the axis.
const TOP: f64 = 28.0;
const FOOT: f64 = 16.0;

/// From values to places: one scale for both documents.
#[derive(Clone, Copy)]
struct Scale {
    from: f64,
    to: f64,
    most: f64,
}

impl Scale {
    fn of(heads: &[&Numbers]) -> Self {
        let from = heads.iter().map(|n| n.shortest as f64).fold(f64::INFINITY, f64::min);
        let to = heads.iter().map(|n| end(&n.bins).max(n.longest as f64)).fold(from + 1.0, f64::max);
        let most = heads.iter().flat_map(|n| &n.bins.counts).copied().max().unwrap_or(1);
        Self { from, to, most: f64::from(most.max(1)).sqrt() }
    }

    fn x(self, value: f64) -> f64 {
        (value - self.from) / (self.to - self.from) * W
    }

    /// The root of the number: else the tail could not be seen.
    fn y(self, n: u32) -> f64 {
        H - FOOT - f64::from(n).sqrt() / self.most * (H - FOOT - TOP)
    }
}

fn end(bins: &ElapsedBins) -> f64 {
    bins.from + bins.step * bins.counts.len() as f64
}

/// The color of a bin, as CSS; without a ramp it is clear.
fn shade(ramp: &[u32], at: usize, last: usize) -> String {
    format!("#{:08x}", ramp.get(at * ramp.len().saturating_sub(1) / last).copied().unwrap_or(0))
}

/// The histogram.
#[component]
fn Histogram(state: ScheduleState, head: Head) -> impl IntoView {
    let context = state.context;
    let numbers = head.numbers;
    let other = state.baseline.get().map(|head| head.numbers);
    let scale = Scale::of(&std::iter::once(&numbers).chain(&other).collect::<Vec<_>>());
    let bins = numbers.bins.clone();
    let last = (bins.counts.len() - 1).max(1);
    let bars = bins.counts.iter().enumerate().filter(|(_, n)| 0 < **n).map(|(at, n)| {
        let x = scale.x(bins.from + bins.step * at as f64);
        let w = (scale.x(bins.from + bins.step * (at + 1) as f64) - x - 1.0).max(1.0);
        let y = scale.y(*n).min(H - FOOT - 1.0);
        // The colors come with the first picture, which may be later than the numbers.
        let color = move || state.note.with(|note| shade(&note.ramp, at, last));
        view! { <rect x=x y=y width=w height=H - FOOT - y fill=color></rect> }
    });
    let outline = other.map(|other| {
        let mut path = String::new();
        let mut x = scale.x(other.bins.from);
        let _ = write!(path, "M{x:.1} {}", H - FOOT);
        for (at, n) in (1..).zip(&other.bins.counts) {
            let next = scale.x(other.bins.from + other.bins.step * f64::from(at));
            let _ = write!(path, "V{:.1}H{next:.1}", scale.y(*n));
            x = next;
        }
        let _ = write!(path, "M{x:.1} {0}", H - FOOT);
        view! { <path class="schedule__baseline" d=path></path> }
    });
    let [p50, _, p99] = numbers.percentiles.map(|value| scale.x(value as f64));
    let longest = scale.x(numbers.longest as f64);
    let rule = move |x: f64, y: f64| {
        view! { <line class="schedule__mark" x1=x x2=x y1=y y2=H - FOOT></line> }
    };
    let tail = format!("+{} %", fixed(numbers.tail() * 100.0, 1));
    let label = move |x: f64, y: f64, anchor: &'static str, text: String| {
        view! { <text class="schedule__tick" x=x y=y text-anchor=anchor>{text}</text> }
    };
    let alt = move || tr(context.language.get(), phrase("Blocks by elapsed time")).to_owned();
    let names = move || {
        let language = context.language.get();
        let words = format!("{} {tail}", tr(language, phrase("tail")));
        let middle = f64::midpoint(p50, longest).clamp(64.0, W - 64.0);
        view! {
            {label(p50 + 3.0, 9.0, "start", tr(language, phrase("p50")).to_owned())}
            {label(middle, 9.0, "middle", words)}
            {label(longest - 3.0, 9.0, "end", tr(language, phrase("max")).to_owned())}
            {(p99 < longest - 24.0 && p50 + 30.0 < p99).then(|| label(p99 - 3.0, 22.0, "end", "p99".to_owned()))}
        }
    };
    view! {
        <svg class="schedule__histogram" viewBox=format!("0 0 {W} {H}") role="img" aria-label=alt>
            {bars.collect_view()}
            {outline}
            {rule(p50, 2.0)}
            {rule(p99, 16.0)}
            {rule(longest, 2.0)}
            {names}
            {label(0.0, H - 3.0, "start", compact(scale.from))}
            {label(W, H - 3.0, "end", compact(scale.to))}
        </svg>
    }
}
