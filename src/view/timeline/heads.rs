//! Heads of the rows beside the lanes: names, carets, busy share, pin and hide.

use super::state::State;
use crate::ui::icon::{Glyph, Icon};
use crate::wire::timeline::{Head, RowKind};
use leptos::prelude::*;

/// The heads of the rows on screen; they follow each drawn frame.
#[component]
pub(super) fn Heads(state: State) -> impl IntoView {
    let heads = move || state.note.with(|n| n.heads.clone());
    let scroll = move |event: leptos::ev::WheelEvent| {
        event.prevent_default();
        state.scroll_by(event.delta_y());
    };
    view! {
        <div class="heads" role="tree" aria-label=state.context.word("Tracks") on:wheel=scroll>
            <div class="heads__top">
                <span>{state.context.word("Tracks")}</span>
                <span class="heads__value">{state.context.word("busy in window")}</span>
            </div>
            <For each=heads key=key let(head)>
                <Row state head />
            </For>
        </div>
    }
}

/// A row is made anew when anything it shows has changed.
fn key(head: &Head) -> String {
    format!("{}|{}|{}|{}|{}|{}", head.track.0, head.y, head.h, head.is_open, head.value, head.is_pinned)
}

#[component]
fn Row(state: State, head: Head) -> impl IntoView {
    let node = NodeRef::<leptos::html::Div>::new();
    let (y, h, level) = (head.y, head.h, head.level);
    Effect::new(move || {
        // The page's policy forbids style attributes in the markup; the object model may set them.
        if let Some(node) = node.get() {
            let style = web_sys::HtmlElement::style(&node);
            let _ = style.set_property("transform", &format!("translateY({y}px)"));
            let _ = style.set_property("height", &format!("{h}px"));
            let _ = style.set_property("padding-left", &format!("{}px", 12 + level * 14));
        }
    });
    let track = head.track;
    let is_open = head.is_open;
    let is_pinned = head.is_pinned;
    let class = match head.kind {
        RowKind::Group => "heads__row heads__row--group",
        RowKind::Lanes => "heads__row",
        RowKind::Counter => "heads__row heads__row--counter",
    };
    let caret = head.can_open.then(|| {
        view! {
            <button class="heads__caret" type="button" aria-label=state.context.word(if is_open { "Close" } else { "Open" })
                on:click=move |_| state.toggle(track, is_open)>
                <Icon glyph=if is_open { Glyph::Down } else { Glyph::Right } />
            </button>
        }
    });
    let pin = move |_| {
        state.pinned.update(|list| {
            if is_pinned {
                list.retain(|t| *t != track);
            } else {
                list.push(track);
            }
        });
    };
    let full =
        if head.label.is_empty() { head.name.clone() } else { format!("{} {}", head.name, head.label) };
    let expanded = head.can_open.then_some(if is_open { "true" } else { "false" });
    view! {
        <div class=class node_ref=node role="treeitem" attr:aria-level=level + 1 aria-expanded=expanded>
            {caret}
            <span class="heads__name" title=full>{head.name}</span>
            <span class="heads__label">{head.label}</span>
            <span class="heads__value">{head.value}</span>
            <span class="heads__actions">
                <button class="heads__action" type="button" aria-pressed=if is_pinned { "true" } else { "false" }
                    aria-label=state.context.word("Pin to the top") on:click=pin>
                    <Icon glyph=Glyph::Pin />
                </button>
                <button class="heads__action" type="button" aria-label=state.context.word("Hide this track")
                    on:click=move |_| state.hidden.update(|list| list.push(track))>
                    <Icon glyph=Glyph::Hide />
                </button>
            </span>
        </div>
    }
}
