//! What the user does to the rows: order, filter, folding, colors, names, merging, offsets. It stands in the address.

pub mod act;
pub mod drag;
pub mod heads;
pub mod menu;

use super::state::TimelineState;
use crate::base::pairs;
use crate::base::time::{Span, Ticks};
use crate::base::words::tr;
use crate::model::id::{SliceId, TrackId};
use crate::navigation::{History, Step};
use crate::ui::overlay::Dialog;
use crate::ui::overlay::menu::{Menus, menus};
use crate::views::timeline::messages::{
    Arrangement, Choices, DisplayOptions, FlowsShown, Folding, Head, Move, Reply, TimelineQuery,
};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::fmt::Write;

/// Where the rows stand among the states of views in the address.
const KEPT: &str = "rows";
/// Most moves that are kept.
const MAX_MOVES: usize = 200;

/// What the parts of the timeline share about its rows.
#[derive(Clone, Copy)]
pub struct Rows {
    /// What is typed above the heads.
    pub filter: RwSignal<String>,
    /// Order, merged rows, names and offsets; the filter in it is not used.
    pub arranged: RwSignal<Arrangement>,
    pub display: RwSignal<DisplayOptions>,
    pub is_compact: RwSignal<Option<bool>>,
    /// The head that keys are about.
    pub at: RwSignal<Option<TrackId>>,
    /// The heads that are chosen.
    pub chosen: RwSignal<Vec<TrackId>>,
    /// The row whose name is being written.
    pub renaming: RwSignal<Option<TrackId>>,
    /// The row whose offset is being written.
    pub shifting: RwSignal<Option<TrackId>>,
    /// Top edge of the line where a head that is dragged would be dropped.
    pub drop_at: RwSignal<Option<f32>>,
    /// Counts up when the offsets hold.
    pub revision: RwSignal<u32>,
    /// What the menus offer.
    pub choices: RwSignal<Choices>,
    pub menus: Menus,
}

impl Rows {
    /// Nothing is filtered, moved or shown with the rows.
    pub fn new() -> Self {
        Self {
            filter: RwSignal::default(),
            arranged: RwSignal::default(),
            display: RwSignal::default(),
            is_compact: RwSignal::new(None),
            at: RwSignal::new(None),
            chosen: RwSignal::default(),
            renaming: RwSignal::new(None),
            shifting: RwSignal::new(None),
            drop_at: RwSignal::new(None),
            revision: RwSignal::new(0),
            choices: RwSignal::default(),
            menus: menus(),
        }
    }

    /// The rows for a frame.
    pub fn arrangement(self) -> Arrangement {
        Arrangement { filter: self.filter.get(), ..self.arranged.get() }
    }

    /// The own offset of a group or track.
    pub fn offset(self, track: TrackId) -> Ticks {
        self.arranged.with(|rows| rows.offsets.iter().find(|(of, _)| *of == track).map_or(0, |(_, by)| *by))
    }
}

/// Reads the address, keeps it, and tells the worker of offsets and asks what the menus offer.
pub fn follow(state: TimelineState) {
    restore(state);
    let context = state.context;
    let rows = state.rows();
    let is_new = context.kept(KEPT).iter().all(|(name, _)| name != "offset");
    // Files whose times lie far apart begin with offsets, unless the address says what the user did.
    Effect::new(move |was_given: Option<bool>| {
        let given = context.head.with(|h| h.offsets.clone());
        let is_given = was_given == Some(true) || !given.is_empty();
        if is_new && is_given && was_given != Some(true) {
            rows.arranged.update(|rows| rows.offsets = given);
        }
        is_given
    });
    let offsets = Memo::new(move |_| rows.arranged.with(|a| a.offsets.clone()));
    Effect::new(move |before: Option<bool>| {
        let offsets = offsets.get();
        let is_shifted = !offsets.is_empty();
        if is_shifted || before == Some(true) || context.moved.with_untracked(Option::is_some) {
            context.head.with(|h| h.is_complete);
            spawn_local(async move {
                let ask = TimelineQuery::Shift(offsets);
                if let Some(Reply::Shifted(span)) = context.ask(ask).await {
                    context.moved.try_set(span.filter(|_| is_shifted));
                    rows.revision.try_update(|n| *n += 1);
                }
            });
        }
        is_shifted
    });
    Effect::new(move || {
        if !context.head.with(|h| h.is_complete) {
            return;
        }
        spawn_local(async move {
            let ask = TimelineQuery::Choices;
            if let Some(Reply::Choices(choices)) = context.ask(ask).await {
                rows.choices.try_set(*choices);
            }
        });
    });
    Effect::new(move || {
        let text = text(state);
        let old = context.states.with_untracked(|s| s.get(KEPT).cloned().unwrap_or_default());
        if old != text {
            context.states.update(|s| drop(s.insert(KEPT.to_owned(), text)));
        }
    });
}

/// Everything that is kept, as names and values.
fn text(state: TimelineState) -> String {
    let mut list: Vec<(&str, String)> = Vec::new();
    list.extend(text_of_looks(state));
    let rows =
        [("pin", state.pinned), ("hide", state.hidden), ("open", state.opened), ("close", state.closed)];
    for (name, tracks) in rows {
        let tracks = tracks.get();
        if !tracks.is_empty() {
            list.push((name, numbers(&tracks)));
        }
    }
    state.rows().arranged.with(|rows| {
        for step in &rows.moved {
            let tracks: Vec<TrackId> = [step.track].into_iter().chain(step.before).collect();
            list.push(("move", numbers(&tracks)));
        }
        list.extend(rows.merged.iter().map(|tracks| ("merge", numbers(tracks))));
        list.extend(rows.aliases.iter().map(|(track, name)| ("name", format!("{},{name}", track.0))));
        list.extend(rows.offsets.iter().map(|(track, by)| ("offset", format!("{},{by}", track.0))));
        if rows.offsets.is_empty() && state.context.head.with(|h| !h.offsets.is_empty()) {
            list.push(("offset", "0,0".to_owned())); // those of the document are not wanted
        }
    });
    if let Some(base) = state.rows().display.with(|display| display.base) {
        list.push(("base", format!("{},{}", base.track.0, base.row)));
    }
    pairs::join(list.iter().map(|(name, value)| (*name, value.as_str())))
}

/// How the rows are looked at, as far as it is not what it is at first.
fn text_of_looks(state: TimelineState) -> Vec<(&'static str, String)> {
    let folding = match state.folding.get() {
        Folding::Auto => None,
        Folding::Open => Some("open"),
        Folding::Closed => Some("closed"),
    };
    let flows = match state.flows.get() {
        FlowsShown::Selected => None,
        FlowsShown::None => Some("none"),
        FlowsShown::All => Some("all"),
    };
    let lanes = state.rows().is_compact.get().map(|is_compact| if is_compact { "compact" } else { "full" });
    let display = state.rows().display.get();
    let filter = Some(state.rows().filter.get()).filter(|filter| !filter.is_empty());
    let is = |name: &'static str, holds: bool| holds.then(|| (name, "1".to_owned()));
    let texts = [
        ("filter", filter),
        ("color", state.color.get()),
        ("only", display.only),
        ("folding", folding.map(str::to_owned)),
        ("flows", flows.map(str::to_owned)),
        ("lanes", lanes.map(str::to_owned)),
    ];
    let texts = texts.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let off = display.flows_off.into_iter().map(|category| ("flows-off", category));
    let holds = [
        is("no-sync", display.is_sync_hidden),
        is("waits", state.waits.get()),
        is("below", state.folded.get()),
    ];
    texts.chain(off).chain(holds.into_iter().flatten()).collect()
}

/// Takes up one of these; `false` when it is none of them.
fn restore_look(state: TimelineState, name: &str, value: &str) -> bool {
    let display = state.rows().display;
    match name {
        "filter" => state.rows().filter.set(value.to_owned()),
        "color" => state.color.set(Some(value.to_owned())),
        "only" => display.update(|display| display.only = Some(value.to_owned())),
        "folding" => state.folding.set(if value == "open" { Folding::Open } else { Folding::Closed }),
        "flows" => state.flows.set(if value == "all" { FlowsShown::All } else { FlowsShown::None }),
        "lanes" => state.rows().is_compact.set(Some(value == "compact")),
        "flows-off" => display.update(|display| display.flows_off.push(value.to_owned())),
        "no-sync" => display.update(|display| display.is_sync_hidden = true),
        "waits" => state.waits.set(true),
        "below" => state.folded.set(true),
        _ => return false,
    }
    true
}

fn numbers(tracks: &[TrackId]) -> String {
    let mut text = String::new();
    for track in tracks {
        let comma = if text.is_empty() { "" } else { "," };
        let _ = write!(text, "{comma}{}", track.0);
    }
    text
}

/// Takes up what the address says.
fn restore(state: TimelineState) {
    let text = state.context.states.with_untracked(|s| s.get(KEPT).cloned()).unwrap_or_default();
    let mut arranged = Arrangement::default();
    for (name, value) in pairs::split(&text) {
        if restore_look(state, &name, &value) {
            continue;
        }
        let tracks: Vec<TrackId> = value.split(',').filter_map(|t| t.parse().ok()).map(TrackId).collect();
        let Some(&track) = tracks.first() else { continue };
        let rest = value.split_once(',').map_or("", |(_, rest)| rest);
        match name.as_str() {
            "pin" => state.pinned.set(tracks),
            "hide" => state.hidden.set(tracks),
            "open" => state.opened.set(tracks),
            "close" => state.closed.set(tracks),
            "move" => arranged.moved.push(Move { track, before: tracks.get(1).copied() }),
            "merge" => arranged.merged.push(tracks),
            "name" => arranged.aliases.push((track, rest.to_owned())),
            "offset" => arranged.offsets.extend(rest.parse().ok().map(|by| (track, by))),
            "base" => {
                let base = rest.parse().ok().map(|row| SliceId { track, row });
                state.rows().display.update(|display| display.base = base);
            }
            _ => {}
        }
    }
    state.rows().arranged.set(arranged);
}

impl TimelineState {
    /// What is shared about the rows.
    pub fn rows(self) -> Rows {
        self.rows.get_value()
    }

    /// The time that can be seen: that of both documents while something is compared.
    pub fn span(self) -> Option<Span> {
        self.reach.get().or_else(|| self.own_span())
    }

    /// The time with anything in it, with the offsets in force.
    pub fn own_span(self) -> Option<Span> {
        self.context.moved.get().or_else(|| self.context.head.with(|h| h.span))
    }

    /// The head of a track on screen; of a pinned one the copy that scrolls when it is there too.
    pub fn head_of(self, track: TrackId) -> Option<Head> {
        self.note.with_untracked(|note| {
            let own = || note.heads.iter().filter(|h| h.track == track);
            own().find(|h| !h.is_pinned).or_else(|| own().next()).cloned()
        })
    }

    /// The rows that an act on one is about: all chosen ones when it is among them.
    pub fn targets(self, track: TrackId) -> Vec<TrackId> {
        let chosen = self.rows().chosen.get_untracked();
        if chosen.contains(&track) { chosen } else { vec![track] }
    }

    /// Moves a row before a sibling, or to the end.
    pub fn move_row(self, track: TrackId, before: Option<TrackId>) {
        if before == Some(track) {
            return;
        }
        self.rows().arranged.update(|rows| {
            // Moving on with the same row is one move.
            if rows.moved.last().is_some_and(|last| last.track == track) {
                rows.moved.pop();
            }
            rows.moved.push(Move { track, before });
            let too_many = rows.moved.len().saturating_sub(MAX_MOVES);
            rows.moved.drain(..too_many);
        });
    }

    /// Moves a row one place up or down among its siblings.
    pub fn step_row(self, track: TrackId, is_up: bool) {
        let Some(head) = self.head_of(track) else { return };
        match (is_up, head.siblings) {
            (true, [Some(before), _]) => self.move_row(track, Some(before)),
            // Down is the next one up.
            (false, [_, Some(after)]) => self.move_row(after, Some(track)),
            _ => {}
        }
    }

    /// Gives a row another name; an empty one gives it back that of the file.
    pub fn rename(self, track: TrackId, name: &str) {
        self.rows().renaming.set(None);
        let name = name.trim();
        let is_new = |alias: &(TrackId, String)| alias.0 != track;
        self.rows().arranged.update(|rows| {
            rows.aliases.retain(is_new);
            if !name.is_empty() {
                rows.aliases.push((track, name.to_owned()));
            }
        });
    }

    /// Sets the own offset of a group or track.
    pub fn set_offset(self, track: TrackId, by: Ticks) {
        self.rows().arranged.update(|rows| {
            rows.offsets.retain(|(of, _)| *of != track);
            if by != 0 {
                rows.offsets.push((track, by));
            }
        });
    }
}

// The dialog that sets the offset of a group or track exactly.

/// Shows the dialog while an offset is being written.
#[component]
pub fn OffsetDialog(state: TimelineState) -> impl IntoView {
    let context = state.context;
    let body = move || {
        let track = state.rows().shifting.get()?;
        let now = untrack(|| state.rows().offset(track));
        let name = state.head_of(track).map_or(String::new(), |head| head.name);
        let unit = context.head.with_untracked(|h| h.clock).word();
        let text = RwSignal::new(now.to_string());
        let number = move || text.with(|t| t.trim().replace(['−', ','], "-").parse::<i64>().ok());
        let close = Callback::new(move |()| state.rows().shifting.set(None));
        let apply = move || {
            if let Some(by) = untrack(number) {
                state.set_offset(track, by);
                close.run(());
            }
        };
        let title = Signal::derive(move || format!("{} · {name}", tr(context.language.get(), "Offset")));
        let label = context.word("Delay");
        Some(view! {
            <Dialog title on_close=close>
                <p class="offset__words">{context.word("Delays all times of this track and its children; use a negative value to move them earlier. Totals, search, flows and alignment use the shifted times; exported files keep the recorded times.")}</p>
                <p class="offset__row">
                    <label class="field offset__field">
                        <span class="field__label">{label}</span>
                        <input
                            class="field__input"
                            inputmode="numeric"
                            autofocus
                            aria-invalid=move || number().is_none().then_some("true")
                            prop:value=move || text.get()
                            on:input=move |event| text.set(event_target_value(&event))
                            on:keydown=move |event| if event.key() == "Enter" { apply() }
                        />
                        <span class="field__count">{unit}</span>
                    </label>
                    <button class="button button--main" type="button" disabled=move || number().is_none() on:click=move |_| apply()>
                        {context.word("Apply")}
                    </button>
                    <button class="button" type="button" on:click=move |_| { text.set("0".to_owned()); apply(); }>
                        {context.word("Reset")}
                    </button>
                </p>
            </Dialog>
        })
    };
    view! { {body} }
}

// Undo and redo: windows, and what the user did to the rows (pinned, hidden, moved, merged, renamed, shifted).

/// What of the rows can be brought back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    pinned: Vec<TrackId>,
    hidden: Vec<TrackId>,
    arranged: Arrangement,
}

impl Standing {
    fn of(state: TimelineState) -> Self {
        Self { pinned: state.pinned.get(), hidden: state.hidden.get(), arranged: state.rows().arranged.get() }
    }
}

/// Remembers how the rows stood before each change, whoever makes it.
pub fn follow_undo(state: TimelineState) {
    Effect::new(move |before: Option<Standing>| {
        let now = Standing::of(state);
        let is_undone = state.undone.try_update_value(Option::take).flatten().as_ref() == Some(&now);
        if let Some(before) = before.filter(|before| !is_undone && *before != now) {
            state.history.update_value(|history| history.leave(Step::Rows(before)));
        }
        now
    });
}

impl TimelineState {
    /// Undoes the last step, whatever it was; or does it again.
    pub fn undo(self, is_redo: bool) {
        let walk = |history: &mut History<Standing>| {
            let now = |step: &Step<Standing>| match step {
                Step::Window(_) => Step::Window(self.now()),
                Step::Rows(_) => Step::Rows(untrack(|| Standing::of(self))),
            };
            if is_redo { history.forward(now) } else { history.back(now) }
        };
        match self.history.try_update_value(walk).flatten() {
            Some(Step::Window(window)) => self.context.window.set(window),
            Some(Step::Rows(rows)) => {
                self.undone.set_value(Some(rows.clone()));
                let Standing { pinned, hidden, arranged } = rows;
                self.pinned.set(pinned);
                self.hidden.set(hidden);
                self.rows().arranged.set(arranged);
            }
            None => {}
        }
    }

    /// Goes back to the window before, or forward again; the rows stay as they are.
    pub fn go_back(self, is_forward: bool) {
        let now = self.now();
        if let Some(window) =
            self.history.try_update_value(|history| history.window(now, is_forward)).flatten()
        {
            self.context.window.set(window);
        }
    }
}
