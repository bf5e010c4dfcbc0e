//! The lanes of one instruction: how far each address is from the least, which share a sector, values of registers.

use super::rows::{heat, value_as};
use super::state::State;
use crate::base::number::{MISSING, thousands};
use crate::base::words::{fill, phrase};
use crate::pane::context::ViewContext;
use crate::scene::palette::RampName;
use crate::views::executions::compute::register_name;
use crate::views::executions::messages::{DetailRow, LaneGrid};
use leptos::prelude::*;

/// Lanes in a row.
const WIDE: usize = 16;

/// The lanes.
#[component]
pub(super) fn Grid(state: State, grid: LaneGrid, row: DetailRow) -> impl IntoView {
    let context = state.context;
    let title = move || {
        let mut parts = Vec::new();
        if let Some(access) = row.access {
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
                let words = context.tr(phrase("one bank is asked {n} times"));
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
        phrase("a bank with other words")
    } else {
        phrase("a sector; a broken bar is another one")
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
    state: State,
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
    let numbers: Vec<_> = lanes
        .clone()
        .map(|lane| {
            let is_on = grid.mask >> lane & 1 == 1;
            view! { <th scope="col" class:executions__quiet={!is_on}>{lane}</th> }
        })
        .collect();
    let addresses = grid.base.map(|_| {
        let words = context.word(phrase("address")).into_any();
        line(words, &|lane| place(lane).map(|(by, _)| format!("+{}", thousands(by.cast_signed()))))
    });
    let banks = has_banks.then(|| {
        line(context.word(phrase("bank")).into_any(), &|lane| place(lane).map(|(_, bank)| bank.to_string()))
    });
    let registers: Vec<_> = grid
        .registers
        .iter()
        .map(|(register, values)| {
            let name = register_name(*register).into_any();
            let text = |value| value_as(value, state.is_float.get_untracked());
            line(name, &|lane| values.get(lane).copied().flatten().map(text))
        })
        .collect();
    view! {
        <table class="executions__lanes">
            <tbody>
                {bars}
                <tr><th scope="row">{context.word(phrase("lane"))}</th>{numbers}</tr>
                {addresses}
                {banks}
                {registers}
            </tbody>
        </table>
    }
}
