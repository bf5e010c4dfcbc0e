//! Two documents over one axis: the lanes of the baseline above, the same window and the same choices for both.

use super::Lanes;
use super::state::{Panel, TimelineState};
use crate::analysis::compare::Mapping;
use crate::base::time::{Span, Ticks};
use crate::base::window::Window;
use crate::base::words::{phrase, tr};
use crate::pane::context::{Baseline, ViewContext};
use crate::ui::field::SelectField;
use crate::ui::split::{Extent, Orientation, Split};
use leptos::prelude::*;

/// Under this name the address keeps how both are aligned.
const KEPT: &str = "align";

/// What of both lies on each other: id and title.
const ALIGNED: [(&str, &str); 3] = [
    ("start", phrase("Start of each file")),
    ("zero", phrase("Time zero")),
    ("slices", phrase("Selected slices")),
];

/// The lanes of the document, below those of a baseline when there is one.
#[component]
pub(super) fn Both(state: TimelineState) -> impl IntoView {
    let context = state.context;
    let which = Memo::new(move |_| {
        let baseline = context.baseline.get()?;
        let held =
            baseline.context.head.with(|h| h.contents.slices + h.contents.instants + h.contents.samples);
        Some((baseline.context.document, 0 < held))
    });
    let label = context.word("Baseline height");
    let height = window().inner_height().ok().and_then(|h| h.as_f64()).unwrap_or(900.0);
    let extent = Extent { usual: (height * 0.26).round(), least: 96.0, share: 0.8 };
    let size = RwSignal::new(extent.usual);
    let own = ViewFn::from(move || view! { <Lanes state /> });
    move || match which.get().zip(untrack(|| context.baseline.get())) {
        Some(((_, true), baseline)) => {
            let old = follow(state, baseline);
            let first = ViewFn::from(move || view! { <Lanes state=old /> });
            let second = own.clone();
            view! { <Split label orientation=Orientation::Vertical extent size strong=true first second /> }
                .into_any()
        }
        Some(((_, false), _)) => view! {
            <div class="timeline__alone">
                <p class="timeline__apart" role="note">{context.word("The baseline has no timeline.")}</p>
                <Lanes state />
            </div>
        }
        .into_any(),
        None => view! { <Lanes state /> }.into_any(),
    }
}

/// The letter of the document these lanes are of, while something is compared.
#[component]
pub(super) fn Letter(state: TimelineState) -> impl IntoView {
    let letter = move || match (state.is_old, state.old.get().is_some()) {
        (true, _) => Some("A"),
        (false, true) => Some("B"),
        (false, false) => None,
    };
    let word = move || if state.is_old { phrase("Baseline") } else { phrase("Comparison") };
    move || {
        let title = tr(state.context.language.get(), word()).to_owned();
        letter().map(|letter| {
            view! { <abbr class="mark" class:mark--filled=letter == "B" title=title>{letter}</abbr> }
        })
    }
}

/// Of two documents the one whose slice was chosen last.
pub(super) fn shown(state: TimelineState) -> TimelineState {
    state.old.get().filter(|old| old.context.selection.with(|s| s.slice.is_some())).unwrap_or(state)
}

/// What of both lies on each other, in the bar above the view.
#[component]
pub(super) fn AlignField(state: TimelineState) -> impl IntoView {
    let context = state.context;
    let options = Signal::derive(move || {
        let language = context.language.get();
        ALIGNED.map(|(id, title)| (id.to_owned(), tr(language, title).to_owned())).to_vec()
    });
    let value = Signal::derive(move || aligned(context));
    let choose = Callback::new(move |id: String| {
        context.states.update(|s| drop(s.insert(KEPT.to_owned(), id)));
    });
    view! {
        <Show when=move || state.old.get().is_some()>
            <SelectField label=context.word("Align") options value on_choose=choose />
        </Show>
    }
}

fn aligned(context: ViewContext) -> String {
    let kept = context.states.with(|s| s.get(KEPT).cloned());
    kept.filter(|id| ALIGNED.iter().any(|(known, _)| known == id)).unwrap_or_else(|| ALIGNED[0].0.to_owned())
}

/// Makes the state of the baseline and ties both together for as long as it is shown.
fn follow(state: TimelineState, baseline: Baseline) -> TimelineState {
    let old = TimelineState::new(baseline.context, true);
    state.old.set(Some(old));
    state.side.set(Panel::Difference);
    tie_times(state, old);
    tie_windows(state, old);
    tie_choices(state, old);
    on_cleanup(move || {
        state.old.try_set(None);
        state.mapping.try_set(None);
        state.reach.try_set(None);
        // Neither window reaches beyond its own document any more.
        old.context.window.try_set(None);
        if let Some(Some(window)) = state.context.window.try_get_untracked() {
            state.show(window);
        }
        if state.side.try_get_untracked() == Some(Panel::Difference) {
            state.side.set(Panel::Range);
        }
    });
    old
}

/// Which times lie on each other, and the time of both.
fn tie_times(state: TimelineState, old: TimelineState) {
    let start = |state: TimelineState| state.detail.with(|d| d.as_ref().map(|d| d.head.span.start));
    let times = Memo::new(move |_| {
        let (own, other) = (state.own_span()?, old.own_span()?);
        let clocks = (state.context.head.with(|h| h.clock), old.context.head.with(|h| h.clock));
        let slices = start(state).zip(start(old));
        let (from, to): (Ticks, Ticks) = match (aligned(state.context).as_str(), slices) {
            ("zero", _) => (0, 0),
            ("slices", Some(starts)) => starts,
            _ => (own.start, other.start),
        };
        Some((Mapping::new((from, clocks.0), (to, clocks.1)), own, other))
    });
    Effect::new(move || {
        let Some((mapping, own, other)) = times.get() else { return };
        let reach: Span = own.union(mapping.back().span(other));
        state.mapping.set(Some(mapping));
        state.reach.set(Some(reach));
        old.reach.set(Some(mapping.span(reach)));
    });
}

/// Both show the same time, whichever is zoomed or moved.
fn tie_windows(state: TimelineState, old: TimelineState) {
    let sent = StoredValue::new(None::<Option<Window>>);
    Effect::new(move || {
        let (window, mapping) = (state.context.window.get(), state.mapping.get());
        let Some(mapping) = mapping else { return };
        let theirs = window.map(|w| mapping.window(w));
        sent.set_value(Some(theirs));
        if old.context.window.get_untracked() != theirs {
            old.context.window.set(theirs);
        }
    });
    Effect::new(move || {
        let window = old.context.window.get();
        // What was sent there is no gesture.
        if sent.get_value().is_none_or(|sent| sent == window) {
            return;
        }
        if let Some(mapping) = state.mapping.get_untracked() {
            state.context.window.set(window.map(|w| mapping.back().window(w)));
        }
    });
}

/// Colors, flows, folding and what is searched hold for both; of two chosen slices the newer one is shown below.
fn tie_choices(state: TimelineState, old: TimelineState) {
    Effect::new(move || old.color.set(state.color.get()));
    Effect::new(move || old.flows.set(state.flows.get()));
    Effect::new(move || {
        old.opened.set(Vec::new());
        old.closed.set(Vec::new());
        old.folding.set(state.folding.get());
    });
    Effect::new(move || {
        // Times of the one mean nothing in the other.
        old.search.set(crate::views::timeline::messages::SearchQuery { within: None, ..state.search.get() });
    });
    let is_by_slices = move || untrack(|| aligned(state.context)) == "slices";
    let of = |state: TimelineState| Memo::new(move |_| state.context.selection.with(|s| s.slice));
    let (own, theirs) = (of(state), of(old));
    let leave = move |from: TimelineState| {
        // Two slices that are aligned both stay.
        if !is_by_slices() && from.context.selection.with_untracked(|s| s.slice.is_some()) {
            from.context.selection.update(|s| s.slice = None);
        }
    };
    Effect::new(move |was: Option<()>| {
        if own.get().is_some() && was.is_some() {
            leave(old);
        }
    });
    Effect::new(move |was: Option<()>| {
        if theirs.get().is_some() && was.is_some() {
            leave(state);
        }
    });
}
