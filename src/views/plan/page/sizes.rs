//! Where only sizes of whole kernels are known: kernels, bytes, threads, bytes per thread.

use super::state::{State, number};
use crate::base::number::{fixed, thousands};
use crate::base::words::phrase;
use leptos::prelude::*;

#[component]
pub(super) fn Sizes(state: State) -> impl IntoView {
    let context = state.context;
    let rows = move || {
        let rows = state.of(|plan| plan.sizes.clone());
        let largest = rows.iter().map(|row| row.size.bytes).max().unwrap_or(1).max(1);
        let rows = rows.into_iter().map(|row| {
            let width = format!("{}%", row.size.bytes as f64 / largest as f64 * 100.0);
            view! {
                <tr>
                    <td class="plan__code" title=row.size.name.clone()>{row.size.name.clone()}</td>
                    <td class="plan__number">{number(row.size.launch)}</td>
                    <td class="plan__number">
                        <span class="plan__track"><i style:width=width></i></span>
                        {thousands(row.size.bytes)}
                    </td>
                    <td class="plan__number">{number(row.size.threads)}</td>
                    <td class="plan__number">{row.per_thread.map(|bytes| fixed(bytes, 1))}</td>
                    <td class="plan__number">{thousands(row.allocated)}</td>
                    <td class="plan__number">{thousands(row.passes)}</td>
                </tr>
            }
        });
        rows.collect_view()
    };
    let head =
        |words: &'static str| view! { <th class="plan__number" scope="col">{context.word(words)}</th> };
    view! {
        <div class="plan__scroll plan__scroll--whole">
            <table class="plan__table plan__table--sizes">
                <thead>
                    <tr>
                        <th scope="col">{context.word("Kernel")}</th>
                        {head(phrase("Launch"))}
                        {head(phrase("Bytes"))}
                        {head(phrase("Threads"))}
                        {head(phrase("Bytes per thread"))}
                        {head(phrase("Allocated"))}
                        {head(phrase("Passes"))}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}
