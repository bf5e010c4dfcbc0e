//! Buffers that a run wrote: planned, capacity, used and lost, as bars.

use super::state::{PlanState, number};
use crate::base::number::{fixed, thousands};
use crate::base::words::{fill, phrase};
use crate::ui::field::Segmented;
use crate::views::plan::compute::BufferRow;
use leptos::prelude::*;

#[component]
pub(super) fn Buffers(state: PlanState) -> impl IntoView {
    let context = state.context;
    let is_empty = Memo::new(move |_| state.of(|plan| plan.buffers.is_empty()));
    let title = context.word("Buffers");
    let scales = Signal::derive(move || {
        [("plan", phrase("% of plan")), ("bytes", phrase("Bytes"))]
            .map(|(id, title)| (id.to_owned(), context.tr(title).to_owned()))
            .to_vec()
    });
    let scale = Signal::derive(move || if state.is_in_bytes.get() { "bytes" } else { "plan" }.to_owned());
    let choose = Callback::new(move |id: String| state.is_in_bytes.set(id == "bytes"));
    let written = move || {
        let used: u64 = state.of(|plan| plan.buffers.iter().map(|row| row.used).fold(0, u64::saturating_add));
        fill(context.tr(phrase("{n} B written")), &[("n", &thousands(used))])
    };
    let body = move || {
        if is_empty.get() {
            let words = context.tr(phrase("Planned only, nothing recorded yet.")).to_owned();
            return view! { <span class="plan__scope">{words}</span> }.into_any();
        }
        view! {
            <span class="plan__scope">{written}</span>
            <span class="plan__gap"></span>
            <Legend state />
            <Segmented label=context.word("Scale") options=scales value=scale on_choose=choose small=true />
        }
        .into_any()
    };
    let rows = move || (!is_empty.get()).then(|| view! { <Rows state /> });
    view! {
        <section class="plan__buffers">
            <header class="plan__head"><h2 class="plan__title">{title}</h2>{body}</header>
            {rows}
        </section>
    }
}

#[component]
fn Legend(state: PlanState) -> impl IntoView {
    let context = state.context;
    let one = |class: &'static str, words: &'static str| {
        view! { <span class="plan__key"><i class=class></i>{context.word(words)}</span> }
    };
    view! {
        <span class="plan__legend" aria-hidden="true">
            {one("plan__key-tick", phrase("planned"))}
            {one("plan__key-frame", phrase("capacity"))}
            {one("plan__key-used", phrase("used"))}
            {one("plan__key-lost", phrase("lost"))}
        </span>
    }
}

#[component]
fn Rows(state: PlanState) -> impl IntoView {
    let context = state.context;
    let rows = move || {
        context.language.track();
        let rows = state.of(|plan| plan.buffers.clone());
        // One scale of bytes for all, or each on its own plan.
        let ends = |row: &BufferRow| row.capacity.max(row.next).max(row.planned.unwrap_or(0)).max(1);
        let largest = rows.iter().map(ends).max().unwrap_or(1);
        let of_plan = |row: &BufferRow| ends(row) as f64 / row.planned.unwrap_or(row.capacity).max(1) as f64;
        let most = rows.iter().map(of_plan).fold(1.0, f64::max).min(4.0);
        let is_in_bytes = state.is_in_bytes.get();
        let row = |row: BufferRow| {
            let full = if is_in_bytes {
                largest as f64
            } else {
                row.planned.unwrap_or(row.capacity).max(1) as f64 * most
            };
            view! { <BufferLine state row full /> }
        };
        rows.into_iter().map(row).collect_view()
    };
    let head =
        |words: &'static str| view! { <th class="plan__number" scope="col">{context.word(words)}</th> };
    view! {
        <table class="plan__bars">
            <thead>
                <tr>
                    <th scope="col">{context.word("Type")}</th>
                    <td class="plan__bar-column"></td>
                    <th class="plan__number plan__wide" scope="col">{context.word("Planned B")}</th>
                    {head(phrase("Capacity B"))}
                    {head(phrase("Used B"))}
                    {head(phrase("Lost records"))}
                    {head(phrase("Demand"))}
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
}

#[component]
fn BufferLine(
    state: PlanState,
    row: BufferRow,
    /// Bytes of the whole width.
    full: f64,
) -> impl IntoView {
    let name = match row.record_type {
        Some(of) => state.type_name(of as usize),
        None => state.context.tr("Tagged").to_owned(),
    };
    let color = state.color(row.record_type.map_or(11, |of| of as usize));
    let worst = (!row.worst.is_empty()).then(|| view! { <Worst state rows=row.worst.clone() /> });
    let demand = row.demand();
    let lost = row.lost.saturating_add(row.cut);
    let is_lost = 0 < lost || row.capacity < row.next;
    let lost_class = if is_lost { "plan__number plan__lost" } else { "plan__number" };
    let demand = demand.map(|demand| format!("{} %", fixed(demand * 100.0, 1)));
    let tip = format!("{} {} B", state.context.tr("Planned"), number(row.planned));
    view! {
        <tr>
            <td><i class="plan__swatch" style:background=color.clone()></i>{name}</td>
            <td title=tip><Bar planned=row.planned capacity=row.capacity used=row.used next=row.next full color /></td>
            <td class="plan__number plan__wide">{number(row.planned)}</td>
            <td class="plan__number">{thousands(row.capacity)}</td>
            <td class="plan__number">{thousands(row.used)}</td>
            <td class=lost_class>{thousands(lost)}</td>
            <td class=lost_class>{demand}</td>
        </tr>
        {worst}
    }
}

/// Used in the color of the type, a frame for the capacity, a tick for the plan, hatched what was reserved beyond.
#[component]
fn Bar(planned: Option<u64>, capacity: u64, used: u64, next: u64, full: f64, color: String) -> impl IntoView {
    let percent = move |bytes: u64| format!("{}%", (bytes as f64 / full * 100.0).min(100.0));
    let lost = next.saturating_sub(capacity);
    view! {
        <span class="plan__bar">
            <i class="plan__used" style:width=percent(used) style:background=color></i>
            <i class="plan__beyond" style:left=percent(capacity) style:width=percent(lost)></i>
            <i class="plan__capacity" style:width=percent(capacity)></i>
            {planned.map(|planned| view! { <i class="plan__tick" style:left=percent(planned)></i> })}
        </span>
    }
}

/// The threads with the greatest demand.
#[component]
fn Worst(state: PlanState, rows: Vec<(u32, u64, u64, u64)>) -> impl IntoView {
    let context = state.context;
    let rows = rows.into_iter().map(|(thread, capacity, next, lost)| {
        let demand =
            (capacity != 0).then(|| format!("{} %", fixed(next as f64 / capacity as f64 * 100.0, 1)));
        let name = fill(context.tr(phrase("thread {n}")), &[("n", &thread.to_string())]);
        view! {
            <tr>
                <td>{name}</td>
                <td class="plan__number">{thousands(capacity)}</td>
                <td class="plan__number">{thousands(next.min(capacity))}</td>
                <td class="plan__number">{thousands(lost)}</td>
                <td class="plan__number">{demand}</td>
            </tr>
        }
    });
    let rows = rows.collect_view();
    view! {
        <tr>
            <td colspan="7">
                <details class="plan__worst">
                    <summary>{context.word("Threads with the highest demand")}</summary>
                    <table class="plan__bars">{rows}</table>
                </details>
            </td>
        </tr>
    }
}
