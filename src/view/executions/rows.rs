//! The instructions of an execution: masks, accesses in words, sectors, used share, register values.

use super::state::State;
use crate::analysis::executions::register_name;
use crate::base::number::{fixed, thousands};
use crate::base::words::{fill, phrase, tr};
use crate::draw::executions::{bank_words, sector_words};
use crate::scene::palette::RampName;
use crate::wire::executions::{Detail, DetailRow, RowAccess};
use leptos::prelude::*;
use std::fmt::Write;

/// Width of all cells of a mask, and their height.
const MASK: u32 = 192;
const CELL_H: u32 = 10;

/// Which columns say anything.
#[derive(Clone, Copy)]
struct Columns {
    memory: bool,
    sectors: bool,
    registers: bool,
}

/// The table.
#[component]
pub(super) fn Rows(state: State, detail: Detail) -> impl IntoView {
    let context = state.context;
    let rows = &detail.rows;
    let columns = Columns {
        memory: rows.iter().any(|row| row.access.is_some() || row.missing.is_some() || row.mask == Some(0)),
        sectors: rows.iter().any(|row| row.access.is_some_and(|access| access.is_global)),
        registers: rows.iter().any(|row| !row.registers.is_empty()),
    };
    let chosen = detail.chosen.as_ref().map(|grid| grid.row);
    let lanes = detail.lanes;
    let body: Vec<_> =
        (0..).zip(detail.rows).map(|(at, row)| one(state, (at, row), (lanes, chosen), columns)).collect();
    let head = move |name: &'static str, class: &'static str| {
        view! { <th scope="col" class=class>{context.word(name)}</th> }
    };
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        let by = match event.key().as_str() {
            "ArrowDown" => 1,
            "ArrowUp" => -1,
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        let n = state.detail.with_untracked(|detail| detail.as_ref().map_or(0, |detail| detail.rows.len()));
        let next = i64::from(chosen.unwrap_or(0)) + by;
        let next = u32::try_from(next).ok().filter(|next| (*next as usize) < n);
        if let Some(next) = next {
            state.row.set(Some(next));
        }
    };
    view! {
        <table class="executions__rows" tabindex="0" on:keydown=on_key>
            <thead>
                <tr>
                    {head(phrase("Address"), "")}
                    {head(phrase("Instruction"), "")}
                    {head(phrase("Lanes"), "")}
                    {head(phrase("on"), "executions__number")}
                    {columns.memory.then(|| head(phrase("Memory access"), ""))}
                    {columns.sectors.then(|| head(phrase("Sectors"), "executions__number"))}
                    {columns.sectors.then(|| head(phrase("Used %"), "executions__number"))}
                    {columns.registers.then(|| head(phrase("Register values"), "executions__registers"))}
                </tr>
            </thead>
            <tbody>{body}</tbody>
        </table>
    }
}

/// The color of an access: what it moved and nobody asked for, or how much a bank is asked.
pub(super) fn heat(access: &RowAccess) -> f64 {
    match access.conflicts {
        Some(asked) => f64::from(asked.saturating_sub(1)) / 31.0,
        None => 1.0 - access.access.used().unwrap_or(1.0),
    }
}

fn one(
    state: State,
    (at, row): (u32, DetailRow),
    (lanes, chosen): (u32, Option<u32>),
    columns: Columns,
) -> impl IntoView + use<> {
    let context = state.context;
    let is_off = row.mask == Some(0);
    let mut class = "executions__row".to_owned();
    if chosen == Some(at) {
        class.push_str(" executions__row--chosen");
    }
    if is_off {
        class.push_str(" executions__row--off");
    }
    let access = row.access;
    let on = row.mask.map(|mask| mask.count_ones().to_string());
    let words = columns.memory.then(|| view! { <td class="executions__words">{words_of(state, &row)}</td> });
    let global = access.filter(|access| access.is_global && 0 < access.access.moved);
    let sectors = columns.sectors.then(|| {
        let cell = global.map(|access| {
            let best = move || fill(context.tr(phrase("best {n}")), &[("n", &thousands(access.access.best.cast_signed()))]);
            view! { {thousands(access.access.sectors.cast_signed())} " " <span class="executions__quiet">{best}</span> }
        });
        view! { <td class="executions__number">{cell}</td> }
    });
    let used = columns.sectors.then(|| {
        let cell = global.and_then(|access| access.access.used()).map(|used| {
            let color = move || context.palette.with(|palette| css(palette.ramp(RampName::Heat, 1.0 - used)));
            view! {
                {fixed(used * 100.0, 1)}
                <i class="executions__bar"><i style:width=format!("{:.1}%", used * 100.0) style:background=color></i></i>
            }
        });
        view! { <td class="executions__number executions__used">{cell}</td> }
    });
    let registers = columns.registers.then(|| {
        let of = row.registers.iter().map(|own| register_words(state, *own)).collect::<Vec<_>>().join(", ");
        let full = of.clone();
        view! { <td class="executions__registers" title=full>{of}</td> }
    });
    let (opcode, rest) =
        row.text.split_once(' ').map_or((row.text.as_str(), ""), |(opcode, rest)| (opcode, rest));
    let (opcode, rest) = (opcode.to_owned(), rest.to_owned());
    let full = row.text.clone();
    view! {
        <tr class=class aria-selected=(chosen == Some(at)).then_some("true") on:click=move |_| state.row.set(Some(at))>
            <td class="executions__address">{format!("0x{:04x}", row.address)}</td>
            <td class="executions__text" title=full><b>{opcode}</b> " " {rest}</td>
            <td class="executions__mask">{row.mask.map(|mask| mask_cells(state, mask, lanes, access))}</td>
            <td class="executions__number">{on}</td>
            {words}
            {sectors}
            {used}
            {registers}
        </tr>
    }
}

/// What an instruction did to memory, or why nothing is known of it.
fn words_of(state: State, row: &DetailRow) -> AnyView {
    let context = state.context;
    if let Some(missing) = row.missing.clone() {
        let words = move || context.tr(&missing).to_owned();
        return view! { <span class="executions__missing">{words}</span> }.into_any();
    }
    if row.mask == Some(0) {
        return context.word(phrase("predicated off")).into_any();
    }
    let Some(access) = row.access else { return ().into_any() };
    let words = move || match access.conflicts {
        Some(asked) => bank_words(&access.access, asked, context.language.get()),
        None => sector_words(&access.access, access.sector, context.language.get()),
    };
    words.into_any()
}

fn css(color: u32) -> String {
    format!("#{color:08x}")
}

/// One cell for each lane.
fn mask_cells(state: State, mask: u32, lanes: u32, access: Option<RowAccess>) -> impl IntoView + use<> {
    let context = state.context;
    let step = MASK / lanes.clamp(1, 32);
    let (mut on, mut off) = (String::new(), String::new());
    for lane in 0..lanes.min(32) {
        let path = if mask >> lane & 1 == 1 { &mut on } else { &mut off };
        let (x, w) = (lane * step + lane / 8 * 2, step - 1);
        let _ = write!(path, "M{x} 0h{w}v{CELL_H}h-{w}z");
    }
    let color = move || {
        access.filter(|access| 0 < access.access.lanes).map(|access| {
            context.palette.with(|palette| css(palette.ramp(RampName::Heat, heat(&access).max(0.15))))
        })
    };
    let width = MASK + 6;
    view! {
        <svg class="executions__cells" width=width height=CELL_H viewBox=format!("0 0 {width} {CELL_H}") aria-hidden="true">
            <path class="executions__off" d=off></path>
            <path class="executions__on" d=on style:fill=color></path>
        </svg>
    }
}

/// A value as people read it: small ones as numbers, others as addresses.
pub(super) fn value_text(value: u64) -> String {
    if value < 1 << 31 { thousands(value.cast_signed()) } else { format!("0x{value:x}") }
}

/// Values of a register in a few words.
fn register_words(state: State, (register, mask, least, most): (u16, u32, u64, u64)) -> String {
    let language = state.context.language.get_untracked();
    let register = register_name(register);
    if least < most {
        return format!("{register} {} – {}", value_text(least), value_text(most));
    }
    if mask.count_ones() < 2 {
        return format!("{register} {}", value_text(least));
    }
    let words = tr(language, phrase("{register} {value} in all lanes"));
    fill(words, &[("register", &register), ("value", &value_text(least))])
}
