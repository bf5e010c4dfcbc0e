//! Below the picture: the selected block with its warps at the left; the slowest blocks, units and waves at the right.

use super::state::{BLOCKS, RANGE, ScheduleState};
use crate::analysis::rows::Goal;
use crate::base::number::{MISSING, fixed, thousands, whole_with_unit, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{Language, fill, phrase, tr};
use crate::pane::rows::WorkerTable;
use crate::ui::Steps;
use crate::ui::tabs::{Tab, Tabs, panel_id, tab_id};
use crate::views::schedule::compute::{Common, Groups, UNITS, WAVES};
use crate::views::schedule::messages::{Block, Head};
use crate::wire::rows::Source;
use leptos::prelude::*;

/// Bars of parts that are drawn.
const PARTS: usize = 64;

/// The pane. It is made when the picture has been drawn once: nobody looks at it before.
#[component]
pub(super) fn Detail(state: ScheduleState) -> impl IntoView {
    let is_drawn =
        Memo::new(move |was: Option<&bool>| was == Some(&true) || state.head.with(Option::is_some));
    view! { <Show when=move || is_drawn.get()><Halves state /></Show> }
}

#[component]
fn Halves(state: ScheduleState) -> impl IntoView {
    let chosen = move || match state.block.get().zip(state.head.get()) {
        Some((block, head)) => view! { <Facts state block head /> }.into_any(),
        None => {
            let words = state.context.word(phrase("Click a block to see its place, times and warps."));
            view! { <p class="detail__empty">{words}</p> }.into_any()
        }
    };
    view! {
        <div class="detail schedule__detail">
            <section class="detail__slice" aria-label=state.context.word(phrase("Selected block"))>{chosen}</section>
            <Tables state />
        </div>
    }
}

/// Title, labels and values of a block: the first seven fit into a tooltip.
pub(super) fn facts(block: &Block, head: &Head, language: Language) -> (String, Vec<(String, String)>) {
    let word = |english: &'static str| tr(language, english).to_owned();
    let unit = head.time.word();
    let in_unit = |value: u64| format!("{} {unit}", thousands(value));
    let [x, y, z] = block.at.map(thousands);
    let title = format!("{} {}", word(phrase("Block")), thousands(block.number));
    let mut rows = vec![("x, y, z".to_owned(), format!("{x}, {y}, {z}"))];
    if head.has_units {
        let names = fill(&word(phrase("{unit}, lane")), &[("unit", &head.unit)]);
        rows.push((names, format!("{}, {}", block.place.0, block.place.1)));
        let wave = fill(
            &word(phrase("{n} of {m}")),
            &[("n", &thousands(block.wave + 1)), ("m", &thousands(head.numbers.n_waves()))],
        );
        rows.push((word(phrase("Wave")), wave));
    }
    rows.push((word(phrase("Start")), in_unit(block.start)));
    rows.push((tr(language, &head.elapsed).to_owned(), in_unit(block.elapsed)));
    if let Some(nanos) = head.nanos.filter(|_| head.time == Unit::Cycles) {
        let name = fill(&word(phrase("At {n} MHz")), &[("n", &thousands((1e3 / nanos).round() as i64))]);
        rows.push((name, with_unit(block.elapsed as f64 * nanos, &Unit::Nanos)));
    }
    let median = head.numbers.percentiles[0] as f64;
    let over = (block.elapsed as f64 - median) / median.max(1.0) * 100.0;
    let sign = if 0.0 < over { "+" } else { "" };
    rows.push((word(phrase("Over p50")), format!("{sign}{} %", fixed(over, 1))));
    let rank = fill(
        &word(phrase("{n} of {m}")),
        &[("n", &thousands(head.numbers.blocks - block.shorter)), ("m", &thousands(head.numbers.blocks))],
    );
    rows.push((word(phrase("Rank")), rank));
    rows.push((word(phrase("Gap before it")), block.gap.map_or_else(|| MISSING.to_owned(), in_unit)));
    rows.push((word(phrase("Lane idle after it")), in_unit(block.idle_after)));
    rows.push((word(phrase("Clock at start")), thousands(block.clock)));
    (title, rows)
}

#[component]
fn Facts(state: ScheduleState, block: Block, head: Head) -> impl IntoView {
    let context = state.context;
    let (title, rows) = facts(&block, &head, context.language.get());
    let rows = rows.into_iter().map(|(name, value)| {
        view! {
            <div class="detail__row">
                <dt class="detail__label">{name}</dt>
                <dd class="detail__value">{value}</dd>
            </div>
        }
    });
    let near = block.neighbors.iter().map(|(row, number, start, elapsed)| {
        let (row, is_before) = (*row, *start < block.start);
        let label = context.word(if is_before { phrase("Before it") } else { phrase("After it") });
        let words = format!("{} ({})", thousands(*number), thousands(*elapsed));
        view! {
            <div class="detail__row">
                <dt class="detail__label">{label}</dt>
                <dd class="detail__value">
                    <button class="button button--text" type="button" on:click=move |_| state.go_to(row)>{words}</button>
                </dd>
            </div>
        }
    });
    let color = format!("#{:08x}", block.color);
    let has_parts = 1 < block.parts.len();
    let share = block.shorter as f64 / (head.numbers.blocks.max(1) as f64) * 100.0;
    let slower = move || fill(context.tr(phrase("slower than {n} % of blocks")), &[("n", &fixed(share, 2))]);
    view! {
        <div class="detail__column">
            <h2 class="detail__title">
                <span class="detail__swatch" style:background=color.clone()></span>
                <span class="detail__name">{title}</span>
                <Steps
                    before=context.word(phrase("Slower block"))
                    after=context.word(phrase("Faster block"))
                    on_step=move |is_forward: bool| state.step(!is_forward)
                />
            </h2>
            <p class="detail__rank">{slower}</p>
            <dl>{rows.collect_view()} {near.collect_view()}</dl>
        </div>
        {has_parts.then(|| view! { <Parts state block head color /> })}
    }
}

/// The warps of a block: both ends to one scale, the middle cut out.
#[component]
fn Parts(state: ScheduleState, block: Block, head: Head, color: String) -> impl IntoView {
    let context = state.context;
    let end = |part: &(u32, u64, u64)| part.1 + part.2;
    let last = block.parts.iter().map(end).max().unwrap_or(0);
    let skew = block.skew.unwrap_or_default();
    // Half of the bar shows starts, half shows ends; both are as wide as the greater skew.
    let room = skew.start.max(skew.end).max(1) as f64 * 1.25;
    let rows = block.parts.iter().take(PARTS).map(|part| {
        let left = part.1 as f64 / room * 50.0;
        let right = (last - end(part)) as f64 / room * 50.0;
        let early = if end(part) == last {
            tr(context.language.get(), phrase("last")).to_owned()
        } else {
            thousands(last - end(part))
        };
        view! {
            <tr>
                <th scope="row">{part.0}</th>
                <td class="schedule__ends">
                    <i style:background=color.clone() style:margin-left=format!("{left:.1}%") style:margin-right=format!("{right:.1}%")></i>
                </td>
                <td>{thousands(part.2)}</td>
                <td>{early}</td>
            </tr>
        }
    });
    let rows = rows.collect_view();
    let median = head.numbers.skew.unwrap_or_default();
    let time = head.time;
    let pair = move |own: u64, median: u64| {
        let words = context.tr(phrase("{own}, median of all blocks {median}"));
        let [own, median] = [own, median].map(|value| whole_with_unit(value, &time));
        fill(words, &[("own", &own), ("median", &median)])
    };
    let part = head.part;
    let parts = move || {
        let words = context.tr(phrase("{part}, ends drawn to scale"));
        fill(words, &[("part", tr(context.language.get(), &part))])
    };
    let (starts, ends) = (pair(skew.start, median.start), pair(skew.end, median.end));
    view! {
        <div class="detail__column schedule__parts">
            <table class="schedule__numbers">
                <thead>
                    <tr>
                        <th colspan="2" scope="col">{parts}</th>
                        <th scope="col">{context.word(phrase("elapsed"))}</th>
                        <th scope="col">{context.word(phrase("early by"))}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
            <dl>
                <div class="detail__row">
                    <dt class="detail__label">{context.word(phrase("Start skew"))}</dt>
                    <dd class="detail__value">{starts}</dd>
                </div>
                <div class="detail__row">
                    <dt class="detail__label">{context.word(phrase("End skew"))}</dt>
                    <dd class="detail__value">{ends}</dd>
                </div>
            </dl>
        </div>
    }
}

/// What slow blocks have in common, in words.
fn common_words(common: &Common, head: &Head, language: Language) -> String {
    let shared = common.shared.words(&head.unit, head.numbers.units);
    let shared = shared.text(language);
    let words = tr(language, phrase("{n} of the {m} blocks over p50 + {p} % have {what}"));
    let p = common.percent.to_string();
    fill(
        words,
        &[("n", &thousands(common.with)), ("m", &thousands(common.slow)), ("p", &p), ("what", &shared)],
    )
}

/// What the slower of two groups of blocks have in common, in words.
fn group_words(groups: &Groups, head: &Head, language: Language) -> String {
    let what = groups.words(&head.unit, head.numbers.units);
    let words = if what.is_empty() {
        phrase("{n} of {m} blocks take {factor} times as long as the others")
    } else {
        phrase("{n} of {m} blocks have {what} and take {factor} times as long as the others")
    };
    let (n, m) = (thousands(groups.slow), thousands(groups.slow + groups.fast));
    let factor = fixed(groups.factor(), 2);
    let what = what.text(language);
    fill(tr(language, words), &[("n", &n), ("m", &m), ("what", &what), ("factor", &factor)])
}

/// The slowest blocks, units, waves.
#[component]
fn Tables(state: ScheduleState) -> impl IntoView {
    let context = state.context;
    let tabs = Signal::derive(move || {
        let language = context.language.get();
        let Some(head) = state.head.get() else { return Vec::new() };
        let tab =
            |id: &str, title: &str, count: String| Tab { id: id.to_owned(), title: title.to_owned(), count };
        let units = head.has_units.then(|| {
            tab(
                UNITS,
                &fill(tr(language, phrase("{unit}s")), &[("unit", &head.unit)]),
                thousands(head.numbers.units),
            )
        });
        let first = tab(BLOCKS, tr(language, phrase("Slowest blocks")), String::new());
        let waves = tab(WAVES, tr(language, phrase("Waves")), thousands(head.numbers.n_waves()));
        let range = tab(RANGE, tr(language, phrase("Range")), String::new());
        std::iter::once(first).chain(units).chain([waves, range]).collect()
    });
    let source = Signal::derive(move || {
        let id = state.table.get();
        let look = state.look.get();
        match id.as_str() {
            BLOCKS => Some(Source::Blocks { look, range: None }),
            RANGE => state.range.get().map(|range| Source::Blocks { look, range: Some(range) }),
            _ => Some(Source::Figure { id, chosen: Vec::new(), is_compared: false, is_folded: false }),
        }
    });
    let go = Callback::new(move |goal| {
        if let Goal::Block(row) = goal {
            state.go_to(row);
        }
    });
    let common = move || {
        let language = context.language.get();
        let head = state.head.get()?;
        match state.range.get().filter(|_| state.table.with(|table| table == RANGE)) {
            Some((from, to)) => {
                Some(format!("{} – {}", thousands(from as u64), whole_with_unit(to as u64, &head.time)))
            }
            None => match &head.numbers.groups {
                Some(groups) => Some(group_words(groups, &head, language)),
                None => Some(common_words(head.numbers.common.as_ref()?, &head, language)),
            },
        }
    };
    let marked = Signal::derive(move || {
        let lists_blocks = state.table.with(|table| [BLOCKS, RANGE].contains(&table.as_str()));
        let chosen = state.selected.get().filter(|_| lists_blocks);
        chosen.into_iter().collect::<Vec<_>>()
    });
    let choose = Callback::new(move |id| state.table.set(id));
    let is_without_range =
        Memo::new(move |_| state.table.with(|table| table == RANGE) && state.range.with(Option::is_none));
    let table = move || {
        let id = state.table.get();
        let label = context.word(phrase("Schedule table"));
        let body = if is_without_range.get() {
            let words = context.word(phrase("Drag over the ruler to select a range."));
            view! { <p class="detail__empty">{words}</p> }.into_any()
        } else {
            view! { <WorkerTable context label source marked on_choose=go on_open=go /> }.into_any()
        };
        view! {
            <div class="detail__body" role="tabpanel" id=panel_id(&id) aria-labelledby=tab_id(&id)>{body}</div>
        }
    };
    view! {
        <section class="detail__side">
            <div class="detail__tabs schedule__tabs">
                <Tabs label=context.word(phrase("Tables")) tabs current=state.table on_choose=choose dense=true />
                <span class="schedule__common">{common}</span>
            </div>
            {table}
        </section>
    }
}
