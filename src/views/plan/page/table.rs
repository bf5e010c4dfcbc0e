//! The table of blocks and record types: records, executions, bytes, and the formula down each column at its foot.

use super::state::{Edit, PlanState, number, size};
use crate::base::number::{MISSING, fixed, thousands};
use crate::base::words::{fill, phrase};
use crate::ui::follow_size;
use crate::views::plan::compute::{C, Plan, R, SheetBlock, Z, meaning_of};
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// Blocks that are shown before somebody asks for all.
const ROWS: usize = 200;

#[component]
pub(super) fn Table(state: PlanState) -> impl IntoView {
    let is_whole = RwSignal::new(false);
    let body = move || {
        state.context.language.track();
        let rows = state.of(|plan| {
            let n = if is_whole.get() { plan.sheet.blocks.len() } else { ROWS };
            plan.sheet.blocks.iter().take(n).cloned().enumerate().collect::<Vec<_>>()
        });
        rows.into_iter().map(|(row, block)| view! { <Row state row block /> }).collect_view()
    };
    let more = move || {
        let n = state.of(|plan| plan.sheet.blocks.len());
        (ROWS < n && !is_whole.get()).then(|| {
            let words = fill(state.context.tr(phrase("Show all {n} blocks")), &[("n", &thousands(n as u64))]);
            view! {
                <button class="button button--text plan__more" type="button" on:click=move |_| is_whole.set(true)>{words}</button>
            }
        })
    };
    let (scroll, table) = (NodeRef::<html::Div>::new(), NodeRef::<html::Table>::new());
    Effect::new(move || {
        if let Some((scroll, table)) = scroll.get().zip(table.get()) {
            let measured = scroll.clone();
            let measure = move || give_way(&measured);
            follow_size(&scroll, measure.clone());
            follow_size(&table, measure);
        }
    });
    view! {
        <div node_ref=scroll class="plan__scroll">
            <table node_ref=table class="plan__table">
                <thead>{move || heads(state)}</thead>
                <tbody>{body}</tbody>
                <tfoot>{move || foot(state)}</tfoot>
            </table>
            {more}
        </div>
    }
}

/// Columns give way while not all have room, so that shares are seen without a scroll: addresses first, then how many
/// instructions blocks have, which the list below says of the chosen one.
fn give_way(scroll: &web_sys::Element) {
    const STEPS: [&str; 2] = ["plan__scroll--narrow", "plan__scroll--least"];
    // All are measured first; a class is always valid.
    let classes = scroll.class_list();
    for step in STEPS {
        let _ = classes.remove_1(step);
    }
    for step in STEPS {
        if scroll.client_width() < scroll.scroll_width() {
            let _ = classes.add_1(step);
        }
    }
}

/// Two lines each: name and layout.
fn heads(state: PlanState) -> impl IntoView {
    let context = state.context;
    let types = state.of(|plan| plan.sheet.types.clone());
    let types = types.into_iter().enumerate().map(|(of, one)| {
        let name = one.record_type.name.clone();
        let color = state.color(of);
        let tip = meaning_of(&one.record_type.kind).map(|words| context.tr(words).to_owned());
        view! {
            <th class="plan__number" data-tip=tip scope="col" class:plan__out=one.is_out>
                <Included state name=name.clone() is_out=one.is_out />
                <i class="plan__swatch" style:background=color></i>
                <b>{name}</b>
                <small>{one.record_type.layout}</small>
            </th>
        }
    });
    let types = types.collect_view();
    let letters = [R, C, Z].map(|words| context.tr(words).to_owned()).join("\n");
    view! {
        <tr>
            <td></td>
            <th scope="col">{context.tr("Block").to_owned()}</th>
            <th class="plan__wide" scope="col">{context.tr("Addresses").to_owned()}</th>
            <th class="plan__number plan__count" scope="col">{context.tr("Instructions").to_owned()}</th>
            <th class="plan__number" data-tip=context.tr(C).to_owned() scope="col">{context.tr("Executions").to_owned()}<small>"c(b)"</small></th>
            {types}
            <th class="plan__number" data-tip=letters scope="col">{context.tr("Bytes").to_owned()}<small>"Σ r · c · z"</small></th>
            <th class="plan__number plan__share" scope="col">
                {context.tr("Share").to_owned()}<small>{context.tr("of plan").to_owned()}</small>
            </th>
        </tr>
    }
}

fn addresses(of: Option<(u64, u64)>) -> String {
    match of {
        None => MISSING.to_owned(),
        Some((first, last)) if first == last => format!("0x{first:03x}"),
        Some((first, last)) => format!("0x{first:03x}–0x{last:03x}"),
    }
}

#[component]
fn Row(state: PlanState, row: usize, block: SheetBlock) -> impl IntoView {
    let context = state.context;
    let own = block.block.clone();
    let (label, role) = (own.label.clone(), own.role.clone());
    let is_hot =
        state.of(|plan| plan.sums.hottest.is_some_and(|(hot, _)| hot == row) && 1 < plan.sheet.blocks.len());
    let cells = (0..block.records.len()).map(|of| cell(state, row, of, &block)).collect_view();
    let bytes = state.of(|plan| plan.sums.of_block.get(row).copied().flatten());
    let share = state.of(|plan| plan.sums.share(bytes).filter(|_| !block.is_out));
    let width = share.map_or(0.0, |share| share * 100.0);
    let is_selected = move || state.block.get() == Some(row);
    let source = state.of(|plan| plan.sheet.counts_from.clone());
    let tip = format!("{} {}", addresses(own.addresses), context.tr(&source));
    let of_count = format!("{} {label}", context.tr("Executions"));
    view! {
        <tr
            class="plan__row"
            class:plan__row--zero=block.count == Some(0)
            class:plan__row--hot=is_hot
            class:plan__out=block.is_out
            aria-selected=move || is_selected().to_string()
            on:click=move |_| state.block.set(Some(row))
        >
            <td class="plan__mark"><Included state name=label.clone() is_out=block.is_out /></td>
            <td title=tip><b>{label.clone()}</b>" "<small>{context.tr(&role).to_owned()}</small></td>
            <td class="plan__wide mono">{addresses(own.addresses)}</td>
            <td class="plan__number plan__count">{thousands(own.instructions)}</td>
            <td class="plan__number">
                <Number state edit=Edit::Count(row) value=block.count is_edited=block.is_count_edited() label=of_count />
            </td>
            {cells}
            <td class="plan__number">{number(bytes)}</td>
            <td class="plan__number plan__share">
                {share.map(|share| format!("{} %", fixed(share * 100.0, 2)))}
                <i class="plan__line"><i style:width=format!("{width}%")></i></i>
            </td>
        </tr>
    }
}

/// Records of a type with the share of all bytes at their left.
fn cell(state: PlanState, row: usize, of: usize, block: &SheetBlock) -> impl IntoView + use<> {
    let (share, is_out) = state.of(|plan: &Plan| {
        let bytes = plan.sums.cells.get(row).and_then(|cells| cells.get(of).copied().flatten());
        let is_out = block.is_out || plan.sheet.types.get(of).is_some_and(|one| one.is_out);
        (plan.sums.share(bytes).filter(|_| !is_out).unwrap_or(0.0), is_out)
    });
    let value = block.records.get(of).copied();
    let (edit, is_edited) = (Edit::Records(row, of), block.is_edited(of));
    let label = format!("{} {}", block.block.label, state.type_name(of));
    // At most the half of a cell; what is there is seen.
    let width = if share == 0.0 { 0.0 } else { (share * 28.0).max(1.0) };
    view! {
        <td class="plan__number plan__cell" class:plan__out=is_out>
            <i class="plan__heat" style:width=format!("{width}px")></i>
            <Number state edit value is_edited label />
        </td>
    }
}

/// Records, × bytes per record, = bytes.
fn foot(state: PlanState) -> impl IntoView {
    let context = state.context;
    let types = state.of(|plan| plan.sheet.types.clone());
    let sums = state.of(|plan| plan.sums.clone());
    let sign = |sign: &'static str| view! { <i class="plan__sign" aria-hidden="true">{sign}</i> };
    let records = sums.records.iter().zip(&types).map(|(n, one)| {
        view! { <td class="plan__number" class:plan__out=one.is_out>{number(*n)}</td> }
    });
    let sizes = types.iter().enumerate().map(|(of, one)| {
        let label = format!("{} {}", context.tr("Bytes per record"), one.record_type.name);
        let value = (one.bytes != 0 || one.is_edited()).then_some(one.bytes);
        view! {
            <td class="plan__number" class:plan__out=one.is_out>
                {sign("×")}
                <Number state edit=Edit::Size(of) value is_edited=one.is_edited() label />
            </td>
        }
    });
    let bytes = sums.bytes.iter().zip(&types).map(|(n, one)| {
        view! { <td class="plan__number" class:plan__out=one.is_out>{sign("=")}{number(*n)}</td> }
    });
    let (records, sizes, bytes) = (records.collect_view(), sizes.collect_view(), bytes.collect_view());
    let total = sums.total.map(size);
    // What was before anything was left out.
    let before = sums.whole.filter(|whole| sums.total != Some(*whole)).map(thousands);
    let head = |words: &'static str, of: &[&'static str]| {
        let tip = of.iter().map(|words| context.tr(words).to_owned()).collect::<Vec<_>>().join("\n");
        view! { <td></td><th class="plan__foot" data-tip=tip scope="row">{context.tr(words).to_owned()}</th><td class="plan__wide"></td><td class="plan__count"></td><td></td> }
    };
    view! {
        <tr>{head(phrase("Records Σ r · c"), &[R, C])}{records}<td class="plan__number">{number(sums.total_records)}</td><td class="plan__share"></td></tr>
        <tr>{head(phrase("Bytes per record z"), &[Z])}{sizes}<td></td><td class="plan__share"></td></tr>
        <tr class="plan__total">
            {head(phrase("Bytes"), &[R, C, Z])}{bytes}
            <td class="plan__number">{number(sums.total)}{before.map(|n| view! { <small class="plan__before">{n}</small> })}</td>
            <td class="plan__number plan__share">{total}</td>
        </tr>
    }
}

// A number that is edited in place.

/// The number: a field that looks like text until it is pointed at. Enter and leaving it count, Esc takes back.
#[component]
fn Number(
    state: PlanState,
    edit: Edit,
    value: Option<u64>,
    /// Whether the user changed it.
    is_edited: bool,
    /// What it is, for screen readers.
    label: String,
) -> impl IntoView {
    let text = number(value);
    let (shown, edit) = (StoredValue::new(text.clone()), StoredValue::new(edit));
    let field = |event: &web_sys::Event| {
        event.target().and_then(|target| target.dyn_into::<web_sys::HtmlInputElement>().ok())
    };
    let change = move |event: leptos::ev::Event| {
        let typed: String =
            event_target_value(&event).chars().filter(|c| !matches!(c, ',' | ' ' | '_')).collect();
        match typed.parse::<u64>().ok().filter(|n| *n <= crate::views::plan::compute::LARGEST) {
            Some(n) => edit.with_value(|edit| state.edit(edit, n)),
            None => {
                if let Some(field) = field(&event) {
                    field.set_value(&shown.get_value());
                }
            }
        }
    };
    let key = move |event: KeyboardEvent| {
        let Some(field) = field(&event) else { return };
        match event.key().as_str() {
            "Escape" => {
                event.stop_propagation();
                field.set_value(&shown.get_value());
                let _ = field.blur();
            }
            "Enter" => {
                let _ = field.blur();
            }
            _ => {}
        }
    };
    let focus = move |event: leptos::ev::FocusEvent| {
        match edit.get_value() {
            Edit::Records(row, of) => {
                state.block.set(Some(row));
                state.record_type.set(Some(of));
            }
            Edit::Count(row) => state.block.set(Some(row)),
            Edit::Size(of) => state.record_type.set(Some(of)),
        }
        if let Some(field) = field(&event) {
            field.select();
        }
    };
    view! {
        <input
            class="plan__edit"
            class:plan__edit--changed=is_edited
            type="text"
            inputmode="numeric"
            autocomplete="off"
            spellcheck="false"
            size=text.len().max(3).to_string()
            aria-label=label
            prop:value=text
            on:change=change
            on:keydown=key
            on:focus=focus
        />
    }
}

/// A box that is cleared to leave something out.
#[component]
fn Included(
    state: PlanState,
    /// Name of the type, or label of the block.
    name: String,
    is_out: bool,
) -> impl IntoView {
    let label = format!("{} {name}", state.context.tr("Include"));
    let change = move |event: leptos::ev::Event| state.leave_out(&name, !event_target_checked(&event));
    view! { <input class="plan__box" type="checkbox" aria-label=label prop:checked=!is_out on:change=change /> }
}
