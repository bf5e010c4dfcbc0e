//! Below the picture: the selected access with its call stack at the left, all that are in view at the right.

use super::size;
use super::state::AccessState;
use crate::analysis::rows::Goal;
use crate::base::number::{thousands, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{fill, phrase, tr};
use crate::pane::rows::{WorkerTable, follow};
use crate::ui::Steps;
use crate::views::access::messages::{AccessQuery, Record, RecordHead, Region, Reply, StackFrame};
use crate::views::code::page::InstructionLinks;
use crate::wire::rows::Source;
use leptos::prelude::*;

/// The pane. It is made when the picture has been drawn once: nobody looks at it before.
#[component]
pub(super) fn Detail(state: AccessState) -> impl IntoView {
    let is_drawn = Memo::new(move |was: Option<&bool>| was == Some(&true) || state.note.with(|n| 0 < n.n));
    view! { <Show when=move || is_drawn.get()><Halves state /></Show> }
}

#[component]
fn Halves(state: AccessState) -> impl IntoView {
    let chosen = move || match state.record.get() {
        Some(record) => view! { <Facts state record /> }.into_any(),
        None => {
            let words = state.context.word("Click an access to see its address, allocation and call stack.");
            view! { <p class="detail__empty">{words}</p> }.into_any()
        }
    };
    view! {
        <div class="detail accesses__detail">
            <section class="detail__slice" aria-label=state.context.word("Selected access")>{chosen}</section>
            <section class="detail__side" aria-label=state.context.word("Visible accesses")>
                <Sums state />
                <div class="detail__body"><List state /></div>
            </section>
        </div>
    }
}

fn number(n: u64) -> String {
    // Addresses in the upper half have no signed number.
    i64::try_from(n).map_or_else(|_| n.to_string(), thousands)
}

#[component]
fn Facts(state: AccessState, record: Record) -> impl IntoView {
    let context = state.context;
    let Record { head, region, module, frames, instructions } = record;
    let swatch = move || {
        context.palette.track();
        format!("#{:08x}", super::tool_color(state, head.side))
    };
    let title = format!("{} {}", head.operation, number(head.position));
    let pc = head.pc;
    let rows = facts(&head)
        .into_iter()
        .map(|(name, value, is_mono)| {
            let class = if is_mono { "detail__value detail__value--mono" } else { "detail__value" };
            let full = value.clone();
            view! {
                <div class="detail__row">
                    <dt class="detail__label">{move || tr(context.language.get(), &name).to_owned()}</dt>
                    <dd class=class title=full>{value}</dd>
                </div>
            }
        })
        .collect_view();
    let region_row = region.map(|region| view! { <RegionRow state region /> });
    let has_frames = !frames.is_empty();
    let calls = frames.into_iter().map(|frame| view! { <CallRow state frame /> }).collect_view();
    view! {
        <div class="detail__column">
            <h2 class="detail__title">
                <span class="detail__swatch" style:background=swatch></span>
                <span class="detail__name">{title}</span>
                <Steps
                    before=state.context.word(phrase("Previous access (,)"))
                    after=state.context.word(phrase("Next access (.)"))
                    on_step=move |is_forward: bool| state.step(!is_forward)
                />
            </h2>
            <dl>
                {rows}
                {pc.map(|address| view! {
                    <div class="detail__row">
                        <dt class="detail__label">{context.word("PC")}</dt>
                        <dd class="detail__value detail__value--mono">
                            <InstructionLinks context address found=instructions />
                        </dd>
                    </div>
                })}
                {region_row}
            </dl>
        </div>
        <div class="detail__column accesses__calls">
            <h3 class="detail__head">{context.word("Call stack")}</h3>
            {(!has_frames).then(|| view! {
                <p class="detail__rank">{context.word("No call stack for this instruction in the file.")}</p>
            })}
            <ol class="detail__list">{calls}</ol>
            {(!module.is_empty()).then(|| view! {
                <p class="detail__rank">{context.word("Module")} " " {module}</p>
            })}
        </div>
    }
}

/// Names, values, and whether the value is code.
fn facts(head: &RecordHead) -> Vec<(String, String, bool)> {
    let mut facts = vec![
        (phrase("Address").to_owned(), format!("0x{:x}", head.address), true),
        (phrase("Decimal").to_owned(), number(head.address), true),
        (phrase("Size").to_owned(), size(head.bytes), false),
    ];
    facts.extend(head.attributes.iter().map(|(title, value)| (title.clone(), value.clone(), false)));
    facts
}

/// The allocation the access lies in, and how far from its start.
#[component]
fn RegionRow(state: AccessState, region: Region) -> impl IntoView {
    let context = state.context;
    let shown = region.clone();
    let words = move || {
        let language = context.language.get();
        let bytes = with_unit(shown.bytes as f64, &Unit::Bytes);
        if !shown.name.is_empty() {
            return format!("{}, {bytes}", shown.name);
        }
        let named = tr(language, "allocation {n}, {space}, {bytes}");
        fill(named, &[("n", &number(shown.number)), ("space", &shown.space), ("bytes", &bytes)])
    };
    let offset = format!("+{} (0x{:x})", number(region.offset), region.offset);
    let alive = move || {
        let (from, to) = region.alive;
        match to {
            Some(to) => format!("{} – {}", number(from), number(to)),
            None => fill(tr(context.language.get(), "{n} until the end"), &[("n", &number(from))]),
        }
    };
    view! {
        <div class="detail__row">
            <dt class="detail__label">{context.word("Allocation")}</dt>
            <dd class="detail__value">{words}</dd>
        </div>
        <div class="detail__row">
            <dt class="detail__label">{context.word("Offset")}</dt>
            <dd class="detail__value">{offset}</dd>
        </div>
        <div class="detail__row">
            <dt class="detail__label">{context.word("Lifetime (records)")}</dt>
            <dd class="detail__value">{alive}</dd>
        </div>
    }
}

/// A frame of the call stack, a link where the source is there.
#[component]
fn CallRow(state: AccessState, frame: StackFrame) -> impl IntoView {
    let context = state.context;
    let StackFrame { function, file, line, column, is_listed } = frame;
    let name = file.rsplit('/').next().unwrap_or(&file).to_owned();
    let short = if line == 0 { name } else { format!("{name}:{line}") };
    let full = if column == 0 { format!("{file}:{line}") } else { format!("{file}:{line}:{column}") };
    let place = if is_listed {
        let go = move |_| {
            context.selection.update(|s| (s.line, s.address) = (Some((file.clone(), line)), None));
            context.go.run("source".to_owned());
        };
        view! { <button class="button button--text detail__call" type="button" title=full on:click=go>{short}</button> }
            .into_any()
    } else {
        view! { <span class="accesses__file" title=full>{short}</span> }.into_any()
    };
    view! {
        <li class="accesses__call">
            <span class="accesses__function">{function}</span>
            {place}
        </li>
    }
}

// The accesses in the window: what they add up to, and a table of them.

fn list_number(n: u64) -> String {
    thousands(i64::try_from(n).unwrap_or(i64::MAX))
}

/// Sums of the window in a line.
#[component]
fn Sums(state: AccessState) -> impl IntoView {
    let context = state.context;
    let ask = Signal::derive(move || {
        context.head.with(|h| h.is_complete);
        Some(AccessQuery::Sums(state.settled.get()))
    });
    let answer = follow(context, ask);
    let words = move || {
        let language = context.language.get();
        let Some(Some(Reply::Sums(sums))) = answer.get() else { return String::new() };
        let mut parts = vec![fill(tr(language, "{n} accesses"), &[("n", &list_number(sums.n))])];
        parts.extend(sums.operations.iter().map(|o| {
            let bytes = with_unit(o.bytes as f64, &Unit::Bytes);
            format!("{} {} ({bytes})", o.name, list_number(o.n))
        }));
        if let Some((addresses, lines)) = sums.distinct {
            let words = tr(language, "{n} addresses in {m} lines of 128 B");
            parts.push(fill(words, &[("n", &list_number(addresses)), ("m", &list_number(lines))]));
        }
        parts.join(" · ")
    };
    view! { <p class="accesses__sums" role="status">{words}</p> }
}

/// The table; choosing a row selects its access.
#[component]
fn List(state: AccessState) -> impl IntoView {
    let context = state.context;
    let source = Signal::derive(move || Some(Source::Accesses(state.settled.get())));
    let go = Callback::new(move |goal| {
        if let Goal::Access(row) = goal {
            state.go_to(row);
        }
    });
    view! { <WorkerTable context label=context.word("Visible accesses") source on_choose=go on_open=go /> }
}
