//! Why streams are idle: a bar for each of the busiest streams, and the reasons in numbers, by one of two definitions.

use super::{Advice, Head, Help, Shared, percent, told, unit};
use crate::analysis::device::idle::{CLASSES, Idle, REASONS, Reason, TITLES};
use crate::base::number::{duration, fixed};
use crate::base::words::{fill, phrase};
use crate::ui::field::Segmented;
use crate::ui::text::name::Name;
use crate::wire::device::Figures;
use leptos::prelude::*;

/// Streams with a bar, and with numbers.
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
    let (state, is_classes) = (of.state, RwSignal::new(false));
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
            names => format!("{}, {}", names.join(", "), duration(f.span.dur(), f.clock)),
        })
    });
    let tools = move || {
        view! { <Segmented label=context.word(phrase("Idle time")) options value on_choose=choose small=true /> }
    };
    let advice = Signal::derive(move || advice(of));
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

/// Names of the busiest streams, without the group where all of them are in one.
fn shown_names(f: &Figures) -> Vec<String> {
    let names = || f.streams.iter().take(BARS).map(|(name, _)| (name.as_str(), name.rsplit_once(" / ")));
    let first = names().next().and_then(|(_, parts)| parts);
    let is_one = names().all(|(_, parts)| parts.map(|parts| parts.0) == first.map(|parts| parts.0));
    let shown = |(name, parts): (&str, Option<(&str, &str)>)| {
        parts.filter(|_| is_one).map_or(name, |(_, own)| own).to_owned()
    };
    names().map(shown).collect()
}

/// A bar for each of the busiest streams.
fn bars(of: Shared, is_classes: bool) -> impl IntoView {
    let bars = of.with(|f| {
        let names = shown_names(f);
        let is_long = names.iter().any(|name| LONG < name.chars().count());
        let bar = |((name, idle), shown): (&(String, Idle), String)| {
            let parts = parts(idle, is_classes);
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
                    <span class="device__name" data-tip=name.clone()><Name text=Signal::stored(shown) /></span>
                    <span class="device__bar">{pieces.collect_view()}</span>
                    <span class="device__idle">{(!is_classes).then_some(idle)}</span>
                </div>
            }
        };
        f.streams.iter().zip(names).map(bar).collect_view()
    });
    let more = of.with(|f| f.n_streams.saturating_sub(BARS));
    let more = (0 < more).then(|| fill(&of.tr(phrase("{n} more streams")), &[("n", &more.to_string())]));
    view! {
        {bars}
        {more.map(|text| view! { <p class="device__more">{text}</p> })}
    }
}

/// The same in numbers.
fn numbers(of: Shared, is_classes: bool) -> impl IntoView {
    of.with(|f| {
        let streams: Vec<(String, Vec<Part>)> = f
            .streams
            .iter()
            .take(NUMBERS)
            .map(|(name, idle)| (name.clone(), parts(idle, is_classes)))
            .collect();
        let head = streams.iter().zip(shown_names(f)).map(|((name, _), shown)| {
            let head = format!("{shown} {}", unit(f.clock).1);
            view! { <th class="device__number" data-tip=name.clone()>{head}</th><th>"%"</th> }
        });
        let n_rows = streams.first().map_or(0, |(_, parts)| parts.len());
        let is_shown =
            |at: &usize| *at == 0 || is_classes || streams.iter().any(|(_, parts)| parts[*at].3 != 0);
        let rows = (0..n_rows).filter(is_shown).map(|at| {
            let (color, title, meaning, _) = streams[0].1[at];
            let cells = streams.iter().map(|(_, parts)| {
                let whole = parts.iter().map(|part| part.3).sum();
                let (ticks, share) = (parts[at].3, percent(parts[at].3, whole));
                let share = if ticks == 0 { String::new() } else { fixed(share, 1) };
                view! { <td>{told(ticks, f.clock, 3)}</td><td class="device__share">{share}</td> }
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
                <thead><tr><th>{of.tr(phrase("Reason"))}</th>{head.collect_view()}</tr></thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        }
    })
}

/// What to look at first, of the busiest stream.
fn advice(of: Shared) -> Option<(bool, String)> {
    of.with(|f| {
        let (name, idle) = f.streams.first()?;
        let gaps = idle.idle() - idle.reasons[Reason::Ends as usize];
        // Gaps of little time are no reason to do anything.
        if percent(gaps, idle.time()) < 5.0 {
            return None;
        }
        let share = |reason: Reason| percent(idle.reasons[reason as usize], gaps);
        let rules = [
            (Reason::Loading, 25.0, phrase("Loading data makes up {n} % of the gaps on {stream}")),
            (Reason::Synchronizing, 25.0, phrase("Synchronizing makes up {n} % of the gaps on {stream}")),
            (Reason::Late, 50.0, phrase("Late launches make up {n} % of the gaps on {stream}")),
            (
                Reason::ForCommunication,
                25.0,
                phrase("Waiting for communication makes up {n} % of the gaps on {stream}"),
            ),
        ];
        let (reason, _, text) = rules.into_iter().find(|(reason, least, _)| *least <= share(*reason))?;
        Some((true, fill(&of.tr(text), &[("n", &fixed(share(reason), 1)), ("stream", name)])))
    })
}
