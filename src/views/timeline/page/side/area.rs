//! What the panels that tell of a stretch of time share: which stretch, answers about it, and tables fetched by pages.

use crate::analysis::rows::Goal;
use crate::base::number::{duration, thousands};
use crate::base::words::{fill, phrase, tr};
use crate::model::id::TrackId;
use crate::pane::rows::{WorkerTable, follow};
use crate::ui::Latest;
use crate::views::timeline::area::{AreaQuery, Reply};
use crate::views::timeline::messages::Area;
use crate::views::timeline::page::state::TimelineState;
use crate::wire::rows::Source;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::time::Duration;

/// How long a window that moves must rest before it is told of.
const REST: Duration = Duration::from_millis(200);

/// The stretch that is told of: the selected range; without one what is seen, or everything where rows lead to other
/// windows (else a list would be another one after each step). It follows when that has come to rest.
pub(super) fn shown(state: TimelineState, is_seen: bool) -> Signal<Option<Area>> {
    rested(Memo::new(move |_| unless_range(state, Vec::new(), is_seen)))
}

/// As [`shown`] with what is seen, but without a range chosen rows are told of in all of the time.
pub(super) fn shown_or_rows(state: TimelineState) -> Signal<Option<Area>> {
    rested(Memo::new(move |_| {
        let rows = state.rows();
        let chosen = rows.chosen.get();
        let tracks = rows.arranged.with(|arranged| arranged.tracks_of(&chosen));
        let is_seen = tracks.is_empty();
        unless_range(state, tracks, is_seen)
    }))
}

/// The selected range; without one some rows, in the time that is seen or all of it.
fn unless_range(state: TimelineState, tracks: Vec<TrackId>, is_seen: bool) -> Option<Area> {
    let context = state.context;
    let whole = context.head.with(|h| h.is_complete.then_some(h.span).flatten())?;
    let area = state.area();
    let window = if is_seen { context.window.get() } else { None };
    let seen = window.map(|w| w.span().intersect(whole));
    Some(area.unwrap_or_else(|| Area { span: seen.unwrap_or(whole), tracks }))
}

/// Follows a stretch when it has come to rest.
fn rested(now: Memo<Option<Area>>) -> Signal<Option<Area>> {
    let settled = RwSignal::new(None);
    let latest = Latest::default();
    Effect::new(move || {
        let area = now.get();
        if settled.with_untracked(Option::is_none) {
            return settled.set(area);
        }
        latest.after(REST, move || {
            settled.try_set(area);
        });
    });
    settled.into()
}

/// What the stretch is, in words.
#[component]
pub(super) fn AreaWords(state: TimelineState, area: Signal<Option<Area>>) -> impl IntoView {
    let context = state.context;
    let words = move || {
        let area = area.get()?;
        let language = context.language.get();
        let (clock, whole) = context.head.with(|h| (h.clock, h.span));
        let what = if state.area().is_some() {
            phrase("Range")
        } else if whole == Some(area.span) {
            phrase("Entire trace")
        } else {
            phrase("Visible range")
        };
        let mut words = format!("{} · {}", tr(language, what), duration(area.span.dur(), clock));
        if !area.tracks.is_empty() {
            let n = thousands(area.tracks.len() as i64);
            words.push_str(&format!(" · {}", fill(tr(language, "rows: {n}"), &[("n", &n)])));
        }
        Some(words)
    };
    view! { <span class="detail__area" data-tip=words>{words}</span> }
}

/// The argument of an export for a stretch.
pub(in crate::views::timeline::page) fn argument(area: &Area) -> String {
    let tracks = area.tracks.iter().map(|t| t.0.to_string()).collect::<Vec<_>>().join(",");
    format!("{},{}:{tracks}", area.span.start, area.span.end)
}

/// Saves an export.
pub(super) fn save(state: TimelineState, id: String) {
    let context = state.context;
    spawn_local(async move {
        if let Some(file) = context.export(id).await {
            context.save.run(file);
        }
    });
}

/// The answer to a question about a stretch, asked anew when the question changes.
pub(super) fn answer(state: TimelineState, ask: Signal<Option<AreaQuery>>) -> Signal<Option<Reply>> {
    let answer = follow(state.context, ask);
    Signal::derive(move || answer.get().flatten())
}

/// A table of something of the stretch; rows lead to slices and times, names are told.
#[component]
pub(in crate::views::timeline::page) fn AreaTable(
    state: TimelineState,
    #[prop(into)] label: Signal<String>,
    source: Signal<Option<Source>>,
    #[prop(optional)] on_name: Option<Callback<String>>,
    #[prop(optional_no_strip)] on_count: Option<Callback<(u64, u64)>>,
) -> impl IntoView {
    let go = Callback::new(move |goal| match goal {
        Goal::Slice(id) => state.go_to(id),
        Goal::Time(span) => state.see(span),
        Goal::Name(name) => on_name.into_iter().for_each(|on_name| on_name.run(name.clone())),
        Goal::Access(_) | Goal::Block(_) | Goal::Track(_) | Goal::Place(_) => {}
    });
    let source = Signal::derive(move || {
        state.rows().revision.track();
        source.get()
    });
    let count = Callback::new(move |count| on_count.into_iter().for_each(|on_count| on_count.run(count)));
    view! { <WorkerTable context=state.context label source on_choose=go on_open=go on_count=count /> }
}
