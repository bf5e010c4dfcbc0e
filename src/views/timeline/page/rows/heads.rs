//! Heads of the rows beside the lanes: names, carets, busy share, pin and hide; above them the filter.

use super::super::state::TimelineState;
use super::drag::Drag;
use crate::base::geometry::Px;
use crate::base::number::thousands;
use crate::base::words::{Language, fill, phrase, tr, tr_path};
use crate::model::id::TrackId;
use crate::model::track::Role;
use crate::ui::field::SearchField;
use crate::ui::icon::{Glyph, Icon};
use crate::ui::text::calm;
use crate::views::timeline::messages::{Head, Note, RowKind};
use leptos::attr::custom::custom_attribute;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// DOM id of the field that filters rows.
pub const FILTER_FIELD: &str = "timeline-filter";
const FILTER_OLD: &str = "timeline-filter-baseline";
/// DOM id of the field that names a row.
pub const NAME_FIELD: &str = "timeline-name";

/// Gives the keyboard to the field of a name, with all of it chosen, so that typing replaces it.
pub fn write_name() {
    let field = document().get_element_by_id(NAME_FIELD);
    if let Some(field) = field.and_then(|e| e.dyn_into::<web_sys::HtmlInputElement>().ok()) {
        let _ = field.focus();
        field.select();
    }
}

/// The field that filters the rows by name.
#[component]
pub fn Filter(state: TimelineState) -> impl IntoView {
    let count = Signal::derive(move || state.note.with(|n| n.n_matches).map(|n| thousands(i64::from(n))));
    // What is left begins at the top.
    Effect::new(move |before: Option<()>| {
        state.rows().filter.track();
        if before.is_some() {
            state.scroll.set(0.0);
        }
    });
    view! {
        <SearchField label=state.context.word("Filter tracks") value=state.rows().filter count wide=true id=if state.is_old { FILTER_OLD } else { FILTER_FIELD } />
    }
}

/// What the shares beside the heads are.
const BUSY: &str = phrase(
    "Share of the visible time covered by slices other than waits and annotations; for threads with recorded states, the time on a CPU. Only recorded time counts; marks of its start, end and length do not extend it. Groups: the mean over their CPUs; for a device, the time in which any of its streams is busy; otherwise their busiest track.",
);

/// The heads of the rows on screen; they follow each drawn frame.
#[component]
pub fn Heads(state: TimelineState) -> impl IntoView {
    let heads = move || state.note.with(|n| n.heads.clone());
    let scroll = move |event: leptos::ev::WheelEvent| {
        event.prevent_default();
        state.scroll_by(event.delta_y());
    };
    let drag = Drag::new(state);
    let is_empty = move || state.note.with(|n| n.heads.is_empty() && n.n_matches == Some(0));
    let line = move || state.rows().drop_at.get().map(|y| format!("translateY({y}px)"));
    view! {
        <div
            class="heads"
            role="tree"
            tabindex="0"
            aria-label=state.context.word("Tracks")
            aria-multiselectable="true"
            aria-activedescendant=move || state.rows().at.get().map(|track| head_id(state, track))
            on:wheel=scroll
            on:keydown=move |e| drag.key(&e)
            on:pointerdown=move |e| drag.down(&e)
            on:pointermove=move |e| drag.moved(&e)
            on:pointerup=move |e| drag.up(&e, false)
            on:pointercancel=move |e| drag.up(&e, true)
            on:contextmenu=move |e| drag.menu(&e)
        >
            <div class="heads__top">
                <span>{state.context.word("Tracks")}</span>
                <span class="heads__value" data-tip=state.context.word(BUSY)>{state.context.word("busy %")}</span>
            </div>
            <For each=heads key=key let(head)>
                <Row state head />
            </For>
            <Show when=is_empty>
                <p class="heads__none">{state.context.word("No matching tracks.")}</p>
            </Show>
            <div class="heads__drop" hidden=move || line().is_none() style:transform=line></div>
        </div>
    }
}

/// DOM id of a head; the baseline above may have tracks of the same numbers.
fn head_id(state: TimelineState, track: TrackId) -> String {
    let side = if state.is_old { "baseline-" } else { "" };
    format!("head-{side}{}", track.0)
}

/// What a row is made anew for. What changes with every picture (its place, its value) is followed instead: a row that
/// is made anew leaves garbage behind, and there are many rows and many pictures.
fn key(head: &Head) -> String {
    let Head { track, is_open, can_open, is_pinned, is_sticky, is_of_device, .. } = head;
    let Head { name, label, shift, level, .. } = head;
    format!(
        "{}|{is_open}{can_open}{is_pinned}{is_sticky}{is_of_device}{level}|{shift}|{label}|{name}",
        track.0
    )
}

/// Where a row stands and what it tells of the window, as drawn last.
#[derive(Clone, PartialEq)]
struct HeaderState {
    y: Px,
    h: Px,
    value: String,
}

impl HeaderState {
    fn of(head: &Head) -> Self {
        Self { y: head.y, h: head.h, value: head.value.clone() }
    }

    /// Follows a row from picture to picture.
    fn follow(state: TimelineState, head: &Head) -> Memo<Self> {
        let first = Self::of(head);
        let (track, kind) = (head.track, (head.is_pinned, head.is_sticky));
        Memo::new(move |last: Option<&Self>| {
            let heads = |note: &Note| {
                let is_same = |h: &&Head| h.track == track && (h.is_pinned, h.is_sticky) == kind;
                note.heads.iter().find(is_same).map(Self::of)
            };
            state.note.with(heads).unwrap_or_else(|| last.unwrap_or(&first).clone())
        })
    }
}

#[component]
fn Row(state: TimelineState, head: Head) -> impl IntoView {
    let node = NodeRef::<leptos::html::Div>::new();
    let level = head.level;
    let standing = HeaderState::follow(state, &head);
    Effect::new(move || {
        // The page's policy forbids style attributes in the markup; the object model may set them.
        let (y, h) = standing.with(|s| (s.y, s.h));
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
        RowKind::Lanes(_) => "heads__row",
        RowKind::Counter => "heads__row heads__row--counter",
    };
    let caret = head.can_open.then(|| {
        view! {
            <button class="heads__caret" type="button" tabindex="-1" aria-label=state.context.word(if is_open { "Close" } else { "Open" })
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
    let (is_id, is_long) = (head.has_id(), head.has_long_shift());
    let tip = (!head.shift.is_empty()).then(|| head.shift.clone());
    let shift = move || if is_long { state.context.tr("Offset").to_owned() } else { head.shift.clone() };
    let expanded = head.can_open.then_some(if is_open { "true" } else { "false" });
    let is_chosen = move || state.rows().chosen.with(|list| list.contains(&track));
    // Of merged rows the first is named.
    let own = match head.n_tracks {
        0 | 1 => head.name.clone(),
        _ => head.name.split(" + ").next().unwrap_or_default().to_owned(),
    };
    let (own, name) = (StoredValue::new(own), StoredValue::new(head.name));
    let label = StoredValue::new(head.label.clone());
    let full = move || {
        let name = name.with_value(|name| shown(state.context.language.get(), name));
        label.with_value(|label| format!("{name} {label}").trim_end().to_owned())
    };
    let title = move || {
        if state.rows().renaming.get() == Some(track) {
            view! { <NameField state track name=own.get_value() /> }.into_any()
        } else {
            view! { <span class="heads__name" title=full>{name.with_value(|name| shown(state.context.language.get(), name))}</span> }.into_any()
        }
    };
    let id = (!is_pinned).then(|| head_id(state, track));
    let is_of_many = head.kind == RowKind::Group || 1 < head.n_tracks;
    let told = if head.is_of_device {
        phrase("Busy %: share of time with work on any stream")
    } else {
        phrase("Busy % of the busiest track")
    };
    // Rows of one thread stand below each other: each says what it is busy with.
    let of_one = match head.role {
        Role::Scopes => None,
        Role::States => Some(phrase("Busy %: share of time in which the thread ran")),
        Role::Processor => Some(phrase("Busy %: share of time in which it ran a thread")),
        Role::Interrupts => Some(phrase("Busy %: share of time in interrupts")),
    };
    let of_lanes = if head.is_of_pipe {
        phrase(
            "Busy %: share of the time from the first slice of the core to its last in which this pipe works; waits and set flags are left out",
        )
    } else {
        phrase("Busy %: share of time in which a slice lasts, whether its thread ran or waited")
    };
    let of_slices = matches!(head.kind, RowKind::Lanes(_)).then_some(of_lanes);
    let of_many = if is_of_many { Some(told) } else { of_one.or(of_slices) };
    let of_many = of_many.map(|told| state.context.word(told));
    view! {
        <div
            class=class
            class:heads__row--fixed=is_pinned || head.is_sticky
            class:heads__row--pinned=is_pinned
            class:heads__row--chosen=is_chosen
            class:heads__row--at=move || state.rows().at.get() == Some(track)
            node_ref=node
            role="treeitem"
            id=id
            data-track=track.0
            {..custom_attribute("aria-level", level + 1)}
            aria-expanded=expanded
            aria-selected=move || is_chosen().to_string()
        >
            {caret}
            {title}
            <span class="heads__label" class:heads__label--id=is_id>{head.label}</span>
            <span class="heads__shift" title=tip>{shift}</span>
            <span class="heads__value" title=of_many>{calm(move || standing.with(|s| s.value.clone()))}</span>
            <span class="heads__actions">
                <button class="heads__action" type="button" tabindex="-1" aria-pressed=if is_pinned { "true" } else { "false" }
                    aria-label=state.context.word("Pin to the top") on:click=pin>
                    <Icon glyph=Glyph::Pin />
                </button>
                <button class="heads__action" type="button" tabindex="-1" aria-label=state.context.word("Hide this track")
                    on:click=move |_| state.hidden.update(|list| list.push(track))>
                    <Icon glyph=Glyph::Hide />
                </button>
            </span>
        </div>
    }
}

/// Names that readers make of a device: what they begin with, and the phrase.
const OF_DEVICES: [(&str, &str); 2] = [
    ("Memory of ", phrase("Memory of {device}")),
    ("Reserved memory of ", phrase("Reserved memory of {device}")),
];

/// A name in the language of the page, where it is not one of the file.
fn shown(language: Language, name: &str) -> String {
    let of_device = OF_DEVICES.iter().find_map(|(begin, phrase)| Some((name.strip_prefix(begin)?, phrase)));
    match of_device {
        Some((device, phrase)) => fill(tr(language, phrase), &[("device", device)]),
        None => tr_path(language, name),
    }
}

/// The field in which a row is named: Enter takes the name, Escape leaves it.
#[component]
fn NameField(state: TimelineState, track: crate::model::id::TrackId, name: String) -> impl IntoView {
    let key = move |event: leptos::ev::KeyboardEvent| {
        event.stop_propagation();
        match event.key().as_str() {
            "Enter" => state.rename(track, &event_target_value(&event)),
            "Escape" => state.rows().renaming.set(None),
            _ => {}
        }
    };
    view! {
        <input
            id=NAME_FIELD
            class="heads__field"
            aria-label=state.context.word("Name")
            prop:value=name
            on:keydown=key
            on:change=move |event| if state.rows().renaming.get_untracked() == Some(track) {
                state.rename(track, &event_target_value(&event));
            }
        />
    }
}
