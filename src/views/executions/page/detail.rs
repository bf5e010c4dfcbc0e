//! Below the picture: the selected execution with its instructions and what each of them did.

use super::rows::{Rows, heat, value_as};
use super::state::ExecutionsState;
use crate::base::number::{MISSING, fixed, thousands};
use crate::base::words::{Language, fill, phrase, tr};
use crate::pane::context::ViewContext;
use crate::scene::palette::RampName;
use crate::ui::Steps;
use crate::views::executions::compute::register_name;
use crate::views::executions::messages::{Detail as Found, DetailRow, Execution, Kind, LaneGrid};
use leptos::prelude::*;

/// The pane. It is made when the picture has been drawn once: nobody looks at it before.
#[component]
pub(super) fn Detail(state: ExecutionsState) -> impl IntoView {
    let is_drawn =
        Memo::new(move |was: Option<&bool>| was == Some(&true) || state.head.with(Option::is_some));
    view! { <Show when=move || is_drawn.get()><Chosen state /></Show> }
}

#[component]
fn Chosen(state: ExecutionsState) -> impl IntoView {
    let context = state.context;
    let body = move || match state.detail.get() {
        Some(detail) => {
            let left_out = (0 < detail.left_out).then(|| {
                let n = thousands(detail.left_out.cast_signed());
                let words =
                    move || fill(context.tr(phrase("{n} more instructions are not shown.")), &[("n", &n)]);
                view! { <p class="detail__empty">{words}</p> }
            });
            let problem =
                detail.problem.clone().map(|words| view! { <p class="detail__problem">{words}</p> });
            let branch = (!detail.branch.is_empty())
                .then(|| view! { <p class="executions__branch">{detail.branch.clone()}</p> });
            let grid = detail
                .chosen
                .clone()
                .zip(detail.chosen.as_ref().and_then(|own| detail.rows.get(own.row as usize).cloned()));
            let grid = move || {
                state.is_float.track();
                grid.clone().map(|(grid, row)| view! { <Grid state grid row /> })
            };
            view! {
                <Title state detail=detail.clone() />
                {branch}
                {problem}
                <div class="executions__body">
                    <Rows state detail />
                    {left_out}
                </div>
                {grid}
            }
            .into_any()
        }
        None => {
            let words = context.word(phrase("Click a box to see its instructions, masks and addresses."));
            view! { <p class="detail__empty">{words}</p> }.into_any()
        }
    };
    view! {
        <section class="executions__detail" aria-label=context.word(phrase("Selected execution"))>{body}</section>
    }
}

/// Bytes with their unit.
pub(super) fn bytes(n: u64) -> String {
    format!("{} B", thousands(n.cast_signed()))
}

/// Labels and values of an execution.
pub(super) fn facts(known: &Execution, lanes: u32, language: Language) -> Vec<(String, String)> {
    let word = |english: &'static str| tr(language, english).to_owned();
    let mut rows = vec![
        (word(phrase("Block ordinal")), thousands(known.ordinals.0)),
        (word(phrase("Instruction ordinal")), thousands(known.ordinals.1)),
    ];
    rows.extend(known.time.map(|time| (word("Time"), time.to_string())));
    rows.extend(known.lanes.map(|own| {
        let words = fill(&word(phrase("{n} of {m}")), &[("n", &thousands(own)), ("m", &thousands(lanes))]);
        (word(phrase("Active lanes, mean, rounded")), words)
    }));
    // What moves nothing accesses nothing, or its width is not known.
    if let Some((moved, used, excess)) = known.moved.filter(|(moved, ..)| 0 < *moved) {
        rows.push((word(phrase("Moved")), bytes(moved)));
        rows.push((word(phrase("Used")), used_words(moved, used)));
        rows.push((word(phrase("Excess sectors")), thousands(excess.cast_signed())));
    }
    rows
}

/// Used bytes, and their share of what was moved.
fn used_words(moved: u64, used: u64) -> String {
    if moved == 0 {
        return MISSING.to_owned();
    }
    format!("{}, {} %", bytes(used), fixed(used as f64 / moved as f64 * 100.0, 1))
}

/// Lanes of the instructions that are shown, and whether all of them ran with these; else their mean. Nothing where one of
/// them has none recorded.
fn lanes_of(rows: &[DetailRow], lanes: u32) -> Option<(String, bool)> {
    let all = if lanes < 32 { (1 << lanes) - 1 } else { u32::MAX };
    let masks: Vec<u32> = rows.iter().map(|row| row.mask.map(|mask| mask & all)).collect::<Option<_>>()?;
    let first = *masks.first()?;
    if masks.iter().all(|mask| *mask == first) {
        return Some((thousands(first.count_ones()), true));
    }
    let sum: u32 = masks.iter().map(|mask| mask.count_ones()).sum();
    Some((fixed(f64::from(sum) / masks.len() as f64, 1), false))
}

/// Which execution it is, and ways to others.
#[component]
fn Title(state: ExecutionsState, detail: Found) -> impl IntoView {
    let context = state.context;
    let Found { known, thread, turn, lanes, rows, .. } = detail;
    let fact = move |label: &'static str, value: String| {
        view! { <span class="executions__fact">{context.word(label)} " " <b>{value}</b></span> }
    };
    let of = move |n: u64, m: u64| {
        let (n, m) = (thousands(n.cast_signed()), thousands(m.cast_signed()));
        fill(tr(context.language.get_untracked(), phrase("{n} of {m}")), &[("n", &n), ("m", &m)])
    };
    let active =
        lanes_of(&rows, lanes).or_else(|| known.lanes.map(|own| (format!("≈ {}", thousands(own)), false)));
    let active = active.map(|(own, is_all)| {
        let words = tr(context.language.get_untracked(), phrase("{n} of {m}"));
        let words = fill(words, &[("n", &own), ("m", &thousands(lanes))]);
        fact(if is_all { phrase("lanes") } else { phrase("lanes, mean") }, words)
    });
    let moved = known.moved.filter(|moved| 0 < moved.0).map(|(moved, used, _)| {
        view! { {fact(phrase("moved"), bytes(moved))} {fact(phrase("used"), used_words(moved, used))} }
    });
    let is_incomplete = known.flags[2];
    let missing = is_incomplete.then(|| {
        view! { <span class="executions__missing">{context.word(phrase("records are missing"))}</span> }
    });
    let block = known.block.clone();
    let go = move |name: AnyView, kind: Kind, before: &'static str, after: &'static str| {
        view! {
            <span class="executions__go">
                {name}
                <Steps before=context.word(before) after=context.word(after) on_step=move |is_forward: bool| state.step(kind, is_forward) />
            </span>
        }
    };
    view! {
        <header class="executions__title">
            <h2 class="detail__name">{known.block}</h2>
            <span class="executions__fact">{thread.1}</span>
            {fact(phrase("ordinal"), thousands(known.ordinals.0))}
            {fact(phrase("execution"), of(turn.0, turn.1))}
            {active}
            {moved}
            {missing}
            <span class="executions__gos">
                <span>{context.word(phrase("Go to"))}</span>
                {go(block.into_any(), Kind::Block, phrase("Previous execution of this block ([)"), phrase("Next execution of this block (])"))}
                {go(
                    context.word(phrase("divergent")).into_any(),
                    Kind::Divergent,
                    phrase("Previous execution where lanes drop out (Shift+N)"),
                    phrase("Next execution where lanes drop out (N)"),
                )}
                {go(
                    context.word(phrase("uncoalesced")).into_any(),
                    Kind::Uncoalesced,
                    phrase("Previous execution with excess sectors (Shift+U)"),
                    phrase("Next execution with excess sectors (U)"),
                )}
            </span>
        </header>
    }
}

// The lanes of one instruction: how far each address is from the least, which share a sector, values of registers.

/// Lanes in a row.
const WIDE: usize = 16;

/// The lanes.
#[component]
fn Grid(state: ExecutionsState, grid: LaneGrid, row: DetailRow) -> impl IntoView {
    let context = state.context;
    let title = move || {
        let mut parts = Vec::new();
        if let Some(access) = row.access.filter(|access| 0 < access.bytes) {
            let bytes = thousands(access.bytes);
            parts.push(fill(context.tr(phrase("{n} B per lane")), &[("n", &bytes)]));
            if access.is_global && !access.is_base {
                let words = context.tr(phrase("{n} sectors, {m} more than needed"));
                let (n, m) = (
                    thousands(access.access.sectors.cast_signed()),
                    thousands(access.access.excess().cast_signed()),
                );
                parts.push(fill(words, &[("n", &n), ("m", &m)]));
            }
            if let Some(asked) = access.conflicts.filter(|asked| 1 < *asked) {
                let words = context.tr(phrase("one bank is accessed {n} times"));
                parts.push(fill(words, &[("n", &thousands(asked))]));
            }
        }
        parts.join(" · ")
    };
    let base = grid.base.map(|base| {
        view! { <span class="executions__fact">{context.word(phrase("base"))} " " <b>{format!("0x{base:x}")}</b></span> }
    });
    let has_banks = row.access.is_some_and(|access| access.conflicts.is_some());
    let at = row.access.map_or(0.0, |access| heat(&access));
    let color = Memo::new(move |_| {
        context.palette.with(|p| format!("#{:08x}", p.ramp(RampName::Heat, at.max(0.15))))
    });
    let n = grid.places.len();
    let parts: Vec<_> = (0..n)
        .step_by(WIDE)
        .map(|from| part(state, &grid, from..n.min(from + WIDE), has_banks, color))
        .collect();
    let has_places = grid.base.is_some();
    let legend = has_places.then(|| legend(context, has_banks, grid.idle(), color));
    let text = row.text.clone();
    view! {
        <section class="executions__grid" aria-label=context.word(phrase("Lanes"))>
            <header class="executions__title executions__title--grid">
                <h3 class="detail__name">{context.word(phrase("Lanes"))}</h3>
                <code>{text}</code>
                {base}
                <span class="executions__fact">{title}</span>
                {legend}
            </header>
            {parts}
        </section>
    }
}

/// What the colors of lanes mean.
fn legend(context: ViewContext, has_banks: bool, idle: &'static str, color: Memo<String>) -> impl IntoView {
    let words = if has_banks {
        phrase("a bank with different words")
    } else {
        phrase("a sector; after a gap in the bar, the next one")
    };
    view! {
        <span class="executions__legend">
            <i class="executions__key executions__key--sector" style:background=move || color.get()></i>
            {context.word(words)}
            <i class="executions__key executions__key--sector executions__key--idle"></i>
            {context.word(idle)}
        </span>
    }
}

/// Some lanes side by side.
fn part(
    state: ExecutionsState,
    grid: &LaneGrid,
    lanes: std::ops::Range<usize>,
    has_banks: bool,
    color: Memo<String>,
) -> impl IntoView + use<> {
    let context = state.context;
    let place = |lane: usize| grid.places.get(lane).copied().flatten();
    let bar = |lane: usize| {
        let own = place(lane);
        // One bar goes on where the next lane is in the same sector.
        let joins = !has_banks
            && own.is_some()
            && lane + 1 < lanes.end
            && place(lane + 1).map(|p| p.1) == own.map(|p| p.1);
        let is_hot = own.is_some() && (!has_banks || grid.shared.get(lane).is_some_and(|n| 0 < *n));
        let class = if joins { "executions__sector executions__sector--joins" } else { "executions__sector" };
        let background = move || is_hot.then(|| color.get());
        view! { <td><i class=class style:background=background></i></td> }
    };
    let bars = grid.base.map(|_| {
        let cells: Vec<_> = lanes.clone().map(bar).collect();
        view! { <tr class="executions__bars" aria-hidden="true"><th></th>{cells}</tr> }
    });
    let line = |name: AnyView, text: &dyn Fn(usize) -> Option<String>| {
        let cell = |lane: usize| {
            let text = text(lane);
            let class = if text.is_some() { "" } else { "executions__quiet" };
            view! { <td class=class>{text.unwrap_or_else(|| MISSING.to_owned())}</td> }
        };
        let cells: Vec<_> = lanes.clone().map(cell).collect();
        view! { <tr><th scope="row">{name}</th>{cells}</tr> }
    };
    let number = |lane: usize| {
        let is_on = grid.mask >> lane & 1 == 1;
        view! { <th scope="col" class:executions__quiet={!is_on}>{lane}</th> }
    };
    let numbers: Vec<_> = lanes.clone().map(number).collect();
    let addresses = grid.base.map(|_| {
        let words = context.word(phrase("address")).into_any();
        line(words, &|lane| place(lane).map(|(by, _)| format!("+{}", thousands(by.cast_signed()))))
    });
    let banks = has_banks.then(|| {
        line(context.word(phrase("bank")).into_any(), &|lane| place(lane).map(|(_, bank)| bank.to_string()))
    });
    // Without addresses and values the mask is all that is known.
    let active = (grid.base.is_none() && grid.registers.is_empty()).then(|| {
        let is_on = |lane: usize| (grid.mask >> lane & 1 == 1).then(|| "✓".to_owned());
        line(context.word(phrase("active")).into_any(), &is_on)
    });
    let register = |(register, values): &(_, Vec<_>)| {
        let text = |value| value_as(value, state.is_float.get_untracked());
        line(register_name(*register).into_any(), &|lane| values.get(lane).copied().flatten().map(text))
    };
    let registers = grid.registers.iter().map(register).collect::<Vec<_>>();
    view! {
        <table class="executions__lanes">
            <tbody>
                {bars}
                <tr><th scope="row">{context.word(phrase("lane"))}</th>{numbers}</tr>
                {addresses}
                {banks}
                {active}
                {registers}
            </tbody>
        </table>
    }
}
