//! The instructions of an execution: masks, accesses in words, sectors, used share, register values.

use super::state::ExecutionsState;
use crate::base::number::{MISSING, fixed, short, thousands};
use crate::base::words::{fill, phrase, tr};
use crate::model::code::CodeAddress;
use crate::model::id::ListingId;
use crate::scene::palette::RampName;
use crate::views::executions::compute::{float_of_bits, register_name};
use crate::views::executions::messages::{Detail, DetailRow, RegisterRange, RowAccess};
use crate::views::executions::scene::{bank_words, sector_words};
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
pub(super) fn Rows(state: ExecutionsState, detail: Detail) -> impl IntoView {
    let context = state.context;
    let rows = &detail.rows;
    let columns = Columns {
        memory: rows.iter().any(|row| row.access.is_some() || row.missing.is_some() || row.mask == Some(0)),
        sectors: rows.iter().any(|row| row.access.is_some_and(|access| access.is_global)),
        registers: rows.iter().any(|row| !row.registers.is_empty()),
    };
    let chosen = detail.chosen.as_ref().map(|grid| grid.row);
    let lanes = detail.lanes;
    let body: Vec<_> = (0..)
        .zip(detail.rows)
        .map(|(at, row)| one(state, (at, row), (lanes, chosen, detail.listing), columns))
        .collect();
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
                    {columns.registers.then(|| register_head(state))}
                </tr>
            </thead>
            <tbody>{body}</tbody>
        </table>
    }
}

/// The head of register values, with how their bits are read.
fn register_head(state: ExecutionsState) -> impl IntoView {
    let context = state.context;
    let words = move || if state.is_float.get() { phrase("as integers") } else { phrase("as floats") };
    view! {
        <th scope="col" class="executions__registers">
            {context.word(phrase("Register values"))}
            <button
                class="button button--text"
                type="button"
                aria-pressed=move || state.is_float.get().to_string()
                data-tip=context.word(phrase("Read the bits of registers as numbers with a fraction (float)"))
                on:click=move |_| state.is_float.update(|is| *is = !*is)
            >
                {move || context.tr(words()).to_owned()}
            </button>
        </th>
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
    state: ExecutionsState,
    (at, row): (u32, DetailRow),
    (lanes, chosen, listing): (u32, Option<u32>, Option<ListingId>),
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
        let all = row.registers.clone();
        let words = Memo::new(move |_| {
            all.iter().map(|own| register_words(state, *own)).collect::<Vec<_>>().join(", ")
        });
        view! { <td class="executions__registers" title=words>{words}</td> }
    });
    let (opcode, rest) =
        row.text.split_once(' ').map_or((row.text.as_str(), ""), |(opcode, rest)| (opcode, rest));
    let (opcode, rest) = (opcode.to_owned(), rest.to_owned());
    let full = row.text.clone();
    view! {
        <tr class=class aria-selected=(chosen == Some(at)).then_some("true") on:click=move |_| state.row.set(Some(at))>
            <td class="executions__address">{address(state, listing, row.address)}</td>
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
fn words_of(state: ExecutionsState, row: &DetailRow) -> AnyView {
    let context = state.context;
    if let Some(missing) = row.missing.clone() {
        let words = move || context.tr(&missing).to_owned();
        return view! { <span class="executions__missing">{words}</span> }.into_any();
    }
    if row.mask == Some(0) {
        return context.word(phrase("predicated off")).into_any();
    }
    let Some(access) = row.access else { return ().into_any() };
    if access.bytes == 0 {
        return context.word(phrase("width of the access not recorded")).into_any();
    }
    if access.is_base && state.head.with_untracked(|head| head.as_ref().is_some_and(|head| head.is_of_lanes))
    {
        return context.word(phrase("access of one lane; which one was not recorded")).into_any();
    }
    if access.is_base {
        return context.word(phrase("base address only; other lanes not recorded")).into_any();
    }
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
fn mask_cells(
    state: ExecutionsState,
    mask: u32,
    lanes: u32,
    access: Option<RowAccess>,
) -> impl IntoView + use<> {
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

/// The address of an instruction; where it is listed, a button that shows it in the source.
fn address(state: ExecutionsState, listing: Option<ListingId>, address: Option<u64>) -> AnyView {
    let Some(address) = address else { return MISSING.into_any() };
    let words = format!("0x{address:04x}");
    let Some(listing) = listing else { return words.into_any() };
    let context = state.context;
    let go = move |event: leptos::ev::MouseEvent| {
        event.stop_propagation();
        let at = CodeAddress { listing: Some(listing), address };
        context.selection.update(|s| (s.line, s.address) = (None, Some(at)));
        context.go.run("source".to_owned());
    };
    let tip = context.word(phrase("Show in Source"));
    view! { <button class="button button--text detail__call" type="button" data-tip=tip on:click=go>{words}</button> }
        .into_any()
}

/// A value as it is asked for: as a number with a fraction, or as it is.
pub(super) fn value_as(value: u64, is_float: bool) -> String {
    if is_float { short(float_of_bits(value)) } else { value_text(value) }
}

/// A value as people read it: small ones as numbers, others as addresses.
fn value_text(value: u64) -> String {
    if value < 1 << 31 { thousands(value.cast_signed()) } else { format!("0x{value:x}") }
}

/// Values of a register in a few words.
fn register_words(state: ExecutionsState, of: RegisterRange) -> String {
    let language = state.context.language.get();
    let register = register_name(of.register);
    let (least, most) = if state.is_float.get() {
        (short(of.float.0), short(of.float.1))
    } else {
        (value_text(of.whole.0), value_text(of.whole.1))
    };
    if of.whole.0 < of.whole.1 {
        return format!("{register} {least} – {most}");
    }
    if of.mask.count_ones() < 2 {
        return format!("{register} {least}");
    }
    let words = tr(language, phrase("{register} {value} in all lanes"));
    fill(words, &[("register", &register), ("value", &least)])
}
