//! Marks: times and ranges that the user names and colors. They stand in the address.

use super::state::TimelineState;
use crate::base::number::{duration, instant};
use crate::base::order;
use crate::base::pairs;
use crate::base::time::Span;
use crate::base::words::tr;
use crate::pane::context::ViewContext;
use crate::ui::icon::{Glyph, Icon};
use crate::views::timeline::messages::Mark;
use leptos::prelude::*;

/// Colors of marks, by number of the palette.
const COLORS: [u8; 6] = [4, 1, 3, 2, 6, 8];

/// The marks that an address names.
pub(super) fn of_address(context: ViewContext) -> Vec<Mark> {
    let text = context.states.with_untracked(|s| s.get(super::VIEW.id).cloned()).unwrap_or_default();
    let one = |(name, value): (String, String)| {
        let mut parts = value.split(',');
        let mut tick = || parts.next()?.parse::<i64>().ok();
        let (start, end) = (tick()?, tick()?);
        let color = parts.next()?.parse().ok()?;
        Some(Mark { span: Span { start, end: end.max(start) }, color, name })
    };
    pairs::split(&text).into_iter().filter_map(one).collect()
}

/// Keeps the marks in the address.
pub(super) fn keep(state: TimelineState) {
    Effect::new(move || {
        let list: Vec<(String, String)> = state.marks.with(|marks| {
            marks
                .iter()
                .map(|m| (m.name.clone(), format!("{},{},{}", m.span.start, m.span.end, m.color)))
                .collect()
        });
        let text = pairs::join(list.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        let is_new =
            state.context.states.with_untracked(|s| s.get(super::VIEW.id).map_or("", String::as_str) != text);
        if is_new {
            state.context.states.update(|s| drop(s.insert(super::VIEW.id.to_owned(), text)));
        }
    });
}

impl TimelineState {
    /// Marks a stretch of time; a mark of the same stretch goes away instead.
    pub(super) fn mark(self, span: Span) {
        self.marks.update(|marks| {
            if let Some(at) = marks.iter().position(|m| m.span == span) {
                marks.remove(at);
                return;
            }
            let n =
                (1..=marks.len() + 1).find(|n| marks.iter().all(|m| m.name != n.to_string())).unwrap_or(1);
            let color = COLORS[(n - 1) % COLORS.len()];
            marks.push(Mark { span, color, name: n.to_string() });
            order::sort_by_key(marks, |m| (m.span.start, m.span.end));
        });
    }
}

/// The list of marks.
#[component]
pub(super) fn MarkList(state: TimelineState) -> impl IntoView {
    let context = state.context;
    let spans = Memo::new(move |_| {
        state.marks.with(|marks| marks.iter().map(|m| (m.span, m.color)).collect::<Vec<_>>())
    });
    view! {
        <Show
            when=move || !state.marks.with(Vec::is_empty)
            fallback=move || view! {
                <p class="detail__empty">{context.word("K marks the selected range, or the time under the pointer.")}</p>
            }
        >
            <ul class="marks" aria-label=context.word("Marks")>
                <For each=move || spans.get() key=|mark| *mark let((span, color))>
                    <OneMark state span color />
                </For>
            </ul>
            <button class="button button--text marks__clear" type="button" on:click=move |_| state.marks.set(Vec::new())>
                {context.word("Remove all marks")}
            </button>
        </Show>
    }
}

#[component]
fn OneMark(state: TimelineState, span: Span, color: u8) -> impl IntoView {
    let context = state.context;
    let (clock, span_of_all) = context.head.with_untracked(|h| (h.clock, h.span));
    let zero = span_of_all.map_or(0, Span::origin);
    let swatch = NodeRef::<leptos::html::Button>::new();
    Effect::new(move || {
        let color = context.palette.with(|p| p.colors.get(&format!("p{color}")).copied().unwrap_or(0));
        if let Some(node) = swatch.get() {
            let _ = web_sys::HtmlElement::style(&node).set_property("background", &format!("#{color:08x}"));
        }
    });
    let change = move |act: &dyn Fn(&mut Mark)| {
        state.marks.update(|marks| marks.iter_mut().filter(|m| m.span == span).for_each(act));
    };
    let next = move |_| {
        let at = COLORS.iter().position(|c| *c == color).map_or(0, |at| (at + 1) % COLORS.len());
        change(&|m| m.color = COLORS[at]);
    };
    let name = state.marks.with_untracked(|marks| {
        marks.iter().find(|m| m.span == span).map(|m| m.name.clone()).unwrap_or_default()
    });
    let start = instant(span.start.saturating_sub(zero), clock);
    let length = if span.is_empty() { String::new() } else { duration(span.dur(), clock) };
    let word = move |english: &'static str| move || tr(context.language.get(), english).to_owned();
    view! {
        <li class="marks__row">
            <button class="marks__color" node_ref=swatch type="button" aria-label=word("Change color") data-tip=word("Change color") on:click=next></button>
            <input
                class="marks__name"
                aria-label=word("Name")
                prop:value=name
                on:change=move |event| {
                    let text = event_target_value(&event);
                    change(&|m| m.name.clone_from(&text));
                }
            />
            <button class="button button--text marks__go" type="button" on:click=move |_| state.see(span)>{start}</button>
            <span class="marks__length">{length}</span>
            <button
                class="button button--small"
                type="button"
                aria-label=word("Remove mark")
                data-tip=word("Remove mark")
                on:click=move |_| state.marks.update(|marks| marks.retain(|m| m.span != span))
            >
                <Icon glyph=Glyph::Close small=true />
            </button>
        </li>
    }
}
