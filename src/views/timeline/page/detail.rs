//! Below the lanes: the selected slice at the left; range, slices, search and marks at the right.

use super::state::TimelineState;
use super::{baseline, side};
use crate::base::number::thousands;
use crate::base::words::{fill, phrase, tr, tr_path};
use crate::model::id::SliceId;
use crate::pane::loading::{Place, loaded};
use crate::pane::rows::follow;
use crate::ui::Steps;
use crate::ui::split::{Extent, Orientation, Split};
use crate::views::code::page::InstructionLinks;
use crate::views::timeline::messages::{Call, Launched, Link, Slice, WorkQuery, WorkReply};
use leptos::prelude::*;

/// The pane. It is made when the lanes have been drawn once: nobody looks at it before, and making both at once would
/// hold up the page for longer than a picture.
#[component]
pub(super) fn Detail(state: TimelineState) -> impl IntoView {
    let is_drawn =
        Memo::new(move |was: Option<&bool>| was == Some(&true) || state.note.with(|n| n.span.is_some()));
    view! { <Show when=move || is_drawn.get()><Halves state /></Show> }
}

#[component]
fn Halves(state: TimelineState) -> impl IntoView {
    let slice = move || {
        // Of two documents the one whose slice was chosen last.
        let state = baseline::shown(state);
        match state.detail.get() {
            Some(slice) => view! { <baseline::Letter state /><SliceFacts state slice /> }.into_any(),
            None => ().into_any(),
        }
    };
    let room = window().inner_width().ok().and_then(|w| w.as_f64()).unwrap_or(1440.0);
    let extent =
        Extent { usual: ((room - 208.0) * 0.44).clamp(200.0, 720.0).round(), least: 160.0, share: 0.75 };
    let size = RwSignal::new(extent.usual);
    // Without a slice the tables have all the room.
    let folded = Signal::derive(move || baseline::shown(state).detail.with(Option::is_none));
    let label = state.context.word("Selected slice");
    let first = ViewFn::from(move || {
        view! { <section class="detail__slice" aria-label=label>{slice}</section> }
    });
    let second = ViewFn::from(move || view! { <side::Side state /> });
    view! {
        <div class="detail">
            <Split label=state.context.word("Details width") orientation=Orientation::Horizontal extent size folded first second />
        </div>
    }
}

#[component]
fn SliceFacts(state: TimelineState, slice: Slice) -> impl IntoView {
    let context = state.context;
    let swatch = NodeRef::<leptos::html::Span>::new();
    let ink = slice.head.ink.clone();
    Effect::new(move || {
        let color = context.palette.with(|p| p.colors.get(&ink).copied().unwrap_or(0));
        if let Some(node) = swatch.get() {
            let _ = web_sys::HtmlElement::style(&node).set_property("background", &format!("#{color:08x}"));
        }
    });
    let pairs = move |list: Vec<(String, String)>, is_mono: bool| {
        let class = if is_mono { "detail__value detail__value--mono" } else { "detail__value" };
        list.into_iter()
            .map(|(name, value)| {
                let full = value.clone();
                view! {
                    <div class="detail__row">
                        <dt class="detail__label">{move || tr(context.language.get(), &name).to_owned()}</dt>
                        <dd class=class title=full>{value}</dd>
                    </div>
                }
            })
            .collect_view()
    };
    let (place, of) = slice.rank;
    let rank = move || {
        let counts = [("n", thousands(place.cast_signed())), ("all", thousands(of.cast_signed()))];
        let counts = counts.each_ref().map(|(name, text)| (*name, text.as_str()));
        fill(tr(context.language.get(), "{n} of {all} with this name by duration"), &counts)
    };
    let raw = slice.raw;
    let has_raw = !raw.is_empty();
    let has_args = !slice.args.is_empty();
    let address = slice.address.filter(|_| context.head.with_untracked(|h| 0 < h.contents.instructions));
    let has_stack = address.is_some() || !slice.stack.is_empty() || !slice.linked.is_empty();
    let launched = loaded(Place::Part, context, context.word(phrase("What launched it")), move |context| {
        view! { <Launch state=TimelineState { context, ..state } id=slice.head.id /> }.into_any()
    });
    let calls = slice.stack.into_iter().map(|call| view! { <CallRow state call /> }).collect_view();
    let links = slice.linked.into_iter().map(|link| view! { <LinkRow state link /> }).collect_view();
    view! {
        <div class="detail__column">
            <h2 class="detail__title">
                <span class="detail__swatch" node_ref=swatch></span>
                <span class="detail__name">{slice.head.name}</span>
                <Steps
                    before=state.context.word("Previous with this name (,)")
                    after=state.context.word("Next with this name (.)")
                    on_step=move |is_forward: bool| state.neighbor(is_forward)
                />
            </h2>
            <dl>{pairs(slice.facts, false)}</dl>
            {(0 < of).then(|| view! { <p class="detail__rank">{rank}</p> })}
        </div>
        {launched}
        {has_args.then(|| view! {
            <div class="detail__column">
                <h3 class="detail__head">{context.word("Arguments")}</h3>
                <dl>{pairs(slice.args, true)}</dl>
            </div>
        })}
        {has_stack.then(|| view! {
            <div class="detail__column">
                <h3 class="detail__head">{context.word("Call stack and links")}</h3>
                {address.map(|address| view! {
                    <p class="detail__link">
                        <span class="detail__label">{context.word("Instruction")}</span>
                        <InstructionLinks context address found=slice.instructions.clone() />
                    </p>
                })}
                <ol class="detail__list">{calls}</ol>
                <ul class="detail__list">{links}</ul>
            </div>
        })}
        {has_raw.then(|| view! {
            <div class="detail__column">
                <h3 class="detail__head">{context.word("Recorded values")}</h3>
                <pre class="detail__raw" tabindex="0">{raw}</pre>
            </div>
        })}
    }
}

/// Who launched a kernel, as soon as it is known; nothing for other slices.
#[component]
fn Launch(state: TimelineState, id: SliceId) -> impl IntoView {
    let context = state.context;
    let has_streams =
        context.head.with_untracked(|h| h.is_complete && h.exports.iter().any(|id| id == "kernels-csv"));
    let ask = has_streams.then_some(WorkQuery::Launched(id));
    let answer = follow(context, Signal::stored(ask));
    move || {
        let Some(Some(WorkReply::Launched(Some(launched)))) = answer.get() else { return None };
        let Launched { facts, around, stack } = *launched;
        let facts = facts.into_iter().map(|(name, value)| {
            let full = value.clone();
            view! {
                <div class="detail__row">
                    <dt class="detail__label">{name}</dt>
                    <dd class="detail__value" title=full>{value}</dd>
                </div>
            }
        });
        let around = around.into_iter().map(|around| {
            let (id, name) = (around.head.id, around.head.name);
            view! {
                <li class="detail__link">
                    <span class="detail__label">{around.kind}</span>
                    <button class="button button--text" type="button" title=name.clone() on:click=move |_| state.go_to(id)>
                        {name.clone()}
                    </button>
                </li>
            }
        });
        let stack = stack.into_iter().map(|call| view! { <CallRow state call /> });
        Some(view! {
            <div class="detail__column">
                <h3 class="detail__head">{context.word(phrase("Launched by"))}</h3>
                <dl>{facts.collect_view()}</dl>
                <ul class="detail__list">{around.collect_view()}</ul>
                <ol class="detail__list">{stack.collect_view()}</ol>
            </div>
        })
    }
}

#[component]
fn CallRow(state: TimelineState, call: Call) -> impl IntoView {
    let text = call.text.clone();
    match call.at {
        Some(at) => {
            let name = at.0.rsplit('/').next().unwrap_or(&at.0).to_owned();
            let words = format!("{name}:{}", at.1);
            let go = move |_| {
                state.context.selection.update(|s| (s.line, s.address) = (Some(at.clone()), None));
                state.context.go.run("source".to_owned());
            };
            view! {
                <li><button class="button button--text detail__call" type="button" title=text on:click=go>{words}</button></li>
            }
            .into_any()
        }
        None => view! { <li class="detail__call">{text}</li> }.into_any(),
    }
}

#[component]
fn LinkRow(state: TimelineState, link: Link) -> impl IntoView {
    let id = link.head.id;
    let direction = state.context.word(if link.is_from { phrase("from") } else { phrase("to") });
    let head = link.head;
    let to = move || format!("{}, {}", head.name, tr_path(state.context.language.get(), &head.track));
    view! {
        <li class="detail__link">
            <span class="detail__label">{direction} " " {link.category}</span>
            <button class="button button--text" type="button" on:click=move |_| state.go_to(id)>
                {to}
            </button>
        </li>
    }
}
