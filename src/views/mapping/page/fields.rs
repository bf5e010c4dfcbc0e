//! The expressions and words of a mapping.

use super::draft::{BASE, CLOCK, EXPRESSIONS, Expression, WORDS};
use super::making::Making;
use crate::base::words::{fill, tr};
use crate::ui::field::{InputField, Switch};
use crate::ui::words;
use leptos::html;
use leptos::prelude::*;

/// What an empty expression of accesses shows.
const EXAMPLE: &str =
    r"^(?<cycle>\d+) (?<op>LD|ST) (?<level>L1|L2) (?<unit>\d+) 0x(?<address>[0-9a-f]+) (?<state>\w+)";

/// All that can be entered.
#[component]
pub(super) fn Fields(making: Making) -> impl IntoView {
    let words = words();
    let expressions = EXPRESSIONS.iter().map(|expression| view! { <ExpressionField making expression /> });
    let clock = Signal::derive(move || making.member(CLOCK));
    let is_decimal = Signal::derive(move || making.member(BASE) == "10");
    let set_base = Callback::new(move |is_decimal: bool| {
        making.set(BASE, if is_decimal { "10".to_owned() } else { String::new() });
    });
    let placeholder = Signal::derive(move || Some(words.tr("not known")().to_owned()));
    let word_fields = WORDS.iter().map(|&(id, title, usual)| {
        let value = Signal::derive(move || making.member(id));
        let label = Signal::derive(move || tr(words.language(), title).to_owned());
        let on_change = Callback::new(move |text| making.set(id, text));
        view! { <InputField label value on_change placeholder=usual /> }
    });
    view! {
        <div class="mapping__fields">
            {expressions.collect_view()}
            <div class="mapping__row">
                <InputField
                    label=Signal::derive(move || words.tr("Clock")().to_owned())
                    value=clock
                    on_change=Callback::new(move |text| making.set(CLOCK, text))
                    unit="MHz"
                    range=(0.001, 1e6)
                    placeholder
                />
                <Switch
                    label=Signal::derive(move || words.tr("Decimal addresses")().to_owned())
                    checked=is_decimal
                    on_change=set_base
                />
            </div>
            <details class="mapping__words">
                <summary>{words.tr("Names of operations, levels and states")}</summary>
                <div class="mapping__grid">{word_fields.collect_view()}</div>
            </details>
        </div>
    }
}

/// One expression, with what is wrong with it.
#[component]
fn ExpressionField(making: Making, expression: &'static Expression) -> impl IntoView {
    let words = words();
    let Expression { id, title, groups: [needed, others], .. } = *expression;
    let node = NodeRef::<html::Textarea>::new();
    let value = Memo::new(move |_| making.member(id));
    let problem = Memo::new(move |_| {
        let problem = making.reply.with(|reply| reply.as_ref()?.problem.clone())?;
        (problem.field == id && !value.with(String::is_empty)).then_some(problem)
    });
    // The browser counts in halves of UTF-16.
    let place = move || {
        let at = usize::try_from(problem.with(|problem| problem.as_ref()?.at)?).ok()?;
        value.with(|value| Some(value.get(..at)?.encode_utf16().count()))
    };
    let said = move || {
        let why = problem.with(|problem| Some(problem.as_ref()?.why.text(words.language()).into_owned()))?;
        let Some(at) = place() else { return Some(why) };
        let text = tr(words.language(), "Character {n}: {why}");
        Some(fill(text, &[("n", &(at + 1).to_string()), ("why", &why)]))
    };
    let go = move |_| {
        if let (Some(node), Some(at)) = (node.get_untracked(), untrack(place)) {
            let _ = node.focus();
            let _ = node.set_selection_range(at as u32, at as u32 + 1);
        }
    };
    let count = move || {
        let n = making.reply.with(|reply| reply.as_ref().map_or(0, |reply| reply.count(id)));
        (0 < n).then(|| crate::base::number::thousands(n.cast_signed()))
    };
    view! {
        <label class="mapping__field" data-expression=id>
            <span class="mapping__head">
                <span class="mapping__title">{words.tr(title)}</span>
                <span class="mapping__hint">
                    {(!needed.is_empty()).then(|| view! { <b>{needed}</b>" " })}
                    {others}
                </span>
                <span class="mapping__count">{count}</span>
            </span>
            <textarea
                node_ref=node
                class="mapping__input mono"
                class:mapping__input--large=needed.contains("address")
                rows=if needed.contains("address") { "4" } else { "2" }
                placeholder=if needed.contains("address") { EXAMPLE } else { "" }
                spellcheck="false"
                autocomplete="off"
                aria-invalid=move || problem.with(Option::is_some).to_string()
                prop:value=move || value.get()
                on:input=move |event| making.set(id, event_target_value(&event).replace(['\n', '\r'], ""))
            ></textarea>
        </label>
        {move || said().map(|said| view! {
            <button class="mapping__problem" type="button" role="alert" on:click=go>{said}</button>
        })}
    }
}
