//! Why streams are idle: a bar for each of the busiest streams, and the reasons in numbers, by one of two definitions.

use super::{Advice, Head, Help, Shared, percent, unit};
use crate::analysis::device::idle::{CLASSES, Idle, REASONS, TITLES};
use crate::base::names::parted;
use crate::base::number::{duration, fixed, millis};
use crate::base::time::Ticks;
use crate::base::words::{fill, phrase};
use crate::ui::field::Segmented;
use crate::ui::text::name::Name;
use crate::views::statistics::messages::Figures;
use leptos::prelude::*;

/// Streams with a bar, and with numbers, unless there are more ranks.
const BARS: usize = 4;
const NUMBERS: usize = 2;
/// Longer names of streams have a wider column.
const LONG: usize = 16;

/// What is counted for each reason, and what it means.
const MEANINGS: [&str; REASONS] = [
    phrase("Gaps of up to 1 µs between back-to-back kernels."),
    phrase("The part of a gap over 1 ms during which the host loads data."),
    phrase("Gaps that the host spends waiting for the device, for more than half of what is left."),
    phrase("Until the launch of the next kernel: the host is not fast enough."),
    phrase("The launch call is running and the kernel has not started."),
    phrase("The next kernel exchanges data and is launched; other streams compute meanwhile."),
    phrase("The next kernel is launched; other streams exchange data meanwhile."),
    phrase("The launch call has returned and the kernel has not started."),
    phrase("Nothing says when the next kernel was launched: record device activities with the host's."),
    phrase("What lies outside of the first and the last kernel of the stream."),
];

const CLASS_MEANINGS: [&str; 3] = [
    phrase("The next kernel was launched after the end of the one before it."),
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
pub(super) fn IdleFigure(of: Shared) -> impl IntoView {
    let context = of.state.context;
    let (state, is_classes) = (of.state, of.state.is_classes);
    let help = Signal::derive(move || {
        let ours = of.tr(phrase("Each gap of a stream goes to reasons in the order of the table."));
        of.with(|f| format!("{ours} {}", state.context.tr(&f.classes[1])))
    });
    let options = Signal::derive(move || {
        let title = of.with(|f| state.context.tr(&f.classes[0]).to_owned());
        vec![("reasons".to_owned(), of.tr(phrase("By reason"))), ("classes".to_owned(), title)]
    });
    let value = Signal::derive(move || (if is_classes.get() { "classes" } else { "reasons" }).to_owned());
    let choose = Callback::new(move |id: String| is_classes.set(id == "classes"));
    let scope = Signal::derive(move || {
        of.with(|f| match f.devices.as_slice() {
            [] => String::new(),
            names => {
                let told = |ticks: &Ticks| duration(*ticks, f.clock);
                // Each rank has its own base, where they differ.
                if f.recorded.iter().all(|ticks| f.recorded.first() == Some(ticks)) {
                    let whole = f.recorded.first().map_or_else(String::new, told);
                    return format!("{}, {whole}", names.join(", "));
                }
                let each =
                    names.iter().zip(&f.recorded).map(|(name, ticks)| format!("{name} {}", told(ticks)));
                each.collect::<Vec<_>>().join(", ")
            }
        })
    });
    let tools = move || {
        view! { <Segmented label=context.word(phrase("Idle time")) options value on_choose=choose small=true /> }
    };
    let advice = Signal::derive(move || advice(of, is_classes.get()));
    view! {
        <section class="device__figure" aria-label=context.word(phrase("Idle by reason"))>
            <Head
                of
                title=phrase("Idle by reason")
                help
                scope
                tools
            />
            <div class="device__body">
                {move || (bars(of, is_classes.get()), numbers(of, is_classes.get()))}
            </div>
            <Advice line=advice />
        </section>
    }
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
                let head = format!("{short} {}", unit(f.clock));
                let tip = format!("{name}, {}", duration(idle.time(), f.clock));
                let head = view! {
                    <th colspan="2" data-tip=tip>
                        <span class="device__name device__name--head">{head}</span>
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
                <thead><tr><th>{of.tr(phrase("Reason"))}</th>{heads}</tr></thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        }
    })
}

/// What to look at first, of the busiest stream, by the definition that is chosen.
fn advice(of: Shared, is_classes: bool) -> Option<(bool, String)> {
    of.with(|f| {
        let (name, idle) = f.streams.first()?;
        let (reason, share) = idle.cause(is_classes)?;
        let text = of.tr(phrase("Largest reason for gaps on {stream}: {reason}, {n} %"));
        let (reason, share) = (of.tr(reason), fixed(share, 1));
        Some((true, fill(&text, &[("stream", name), ("reason", &reason), ("n", &share)])))
    })
}
