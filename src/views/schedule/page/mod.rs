//! Which unit ran which block, and when: lanes of resident blocks, what part of the time they run and wait, the slowest.
//!
//! Needs a block schedule. The wheel scrolls units, Ctrl+wheel zooms at the pointer, Shift+wheel and dragging move, a double
//! click shows everything, a click selects a block, a click on the heads above the names sorts; dragging over the ruler, or
//! with Alt, chooses a stretch of time. The picture is drawn in the worker; numbers, facts and tables are real text.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

mod detail;
mod side;
mod state;

use crate::base::geometry::Point;
use crate::base::number::thousands;
use crate::base::words::{Language, fill, phrase, tr};
use crate::draw::style::compact;
use crate::pane::context::ViewContext;
use crate::pane::gestures::{Gestures, PictureView};
use crate::pane::lanes::Lanes;
use crate::pane::{Surface, ViewSpec};
use crate::ui::overlay::Tip;
use crate::ui::split::{Extent, Orientation, Split};
use crate::ui::{Latest, tabs};
use crate::views::details::page::parameters::ParameterField;
use crate::views::schedule::compute::{ALIGN, Align, CLOCK, ColorBy};
use crate::views::schedule::messages::{Block, Frame};
use crate::views::schedule::scene::{HEADS, RULER, STRIP, UnitOrder};
use crate::wire::Draw;
use detail::facts;
use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::prelude::*;
use state::ScheduleState;

/// The view.
pub static VIEW: ViewSpec = ViewSpec {
    id: "schedule",
    title: phrase("Schedule"),
    question: "Which unit ran which block, and when?",
    can_show: |head| 0 < head.contents.scheduled,
    badge: |_| None,
    compares: true,
    show: |context| crate::views::parts::later(&VIEW, context),
};

/// The view itself; a part of the program that is loaded when it is needed.
pub fn show(context: ViewContext) -> AnyView {
    view! { <ScheduleView context /> }.into_any()
}

#[component]
fn ScheduleView(context: ViewContext) -> impl IntoView {
    let state = ScheduleState::new(context);
    let gestures = Gestures::new(state);
    context.offer_picture(VIEW.id, move || vec![(state.frame().frame(), state.extent.get().size)]);
    let pane = RwSignal::new(224.0);
    let first = ViewFn::from(move || view! { <Upper state gestures /> });
    let second = ViewFn::from(move || view! { <detail::Detail state /> });
    let extent = Extent { usual: 224.0, least: 120.0, share: 0.6 };
    let label = context.word("Details height");
    view! {
        <div class="schedule">
            <tabs::Tools view=VIEW.id><Tools state /></tabs::Tools>
            <Split label orientation=Orientation::Vertical extent size=pane sizes_second=true strong=true folded=state.folded first second />
        </div>
    }
}

/// The picture, and the numbers beside it.
#[component]
fn Upper(state: ScheduleState, gestures: Gestures<ScheduleState>) -> impl IntoView {
    view! {
        <div class="schedule__upper">
            <Picture state gestures />
            <side::Side state />
        </div>
    }
}

#[component]
fn Picture(state: ScheduleState, gestures: Gestures<ScheduleState>) -> impl IntoView {
    let context = state.context;
    let root = NodeRef::<leptos::html::Div>::new();
    Effect::new(move || {
        if let Some(root) = root.get() {
            let _ = root.focus();
        }
    });
    let frame = Signal::derive(move || Some(state.frame().frame()));
    let words = Signal::derive(move || state.note.with(|note| note.alt.clone()));
    let on_note = Callback::new(move |note| {
        if let Some(note) = Frame::noted(note) {
            state.note.set(note);
        }
    });
    view! {
        <div
            class="schedule__half"
            node_ref=root
            tabindex="0"
            role="group"
            aria-label=state.context.word(VIEW.title)
            data-keys
            on:keydown=move |event| gestures.key(&event)
        >
            <Legend state />
            <div
                class="schedule__picture"
                class:schedule__picture--moving=move || state.lanes.is_moving()
                on:wheel=move |e| gestures.wheel(&e)
                on:pointerdown=move |e| gestures.down(&e)
                on:pointermove=move |e| gestures.moved(&e)
                on:pointerup=move |e| gestures.up(&e)
                on:pointercancel=move |_| gestures.cancel()
                on:pointerleave=move |_| gestures.leave()
                on:dblclick=move |_| state.show_all()
            >
                <Surface context class="schedule__surface" frame on_note alt=words extent=state.extent />
                {move || state.pointer.get().map(|(x, n)| view! { <Pointer state x n /> })}
            </div>
        </div>
    }
}

/// A line through all lanes at the pointer, and how many blocks are resident there.
#[component]
fn Pointer(state: ScheduleState, x: f64, n: Option<u32>) -> impl IntoView {
    let count = n.map(|n| {
        let is_guessed = state.head.with(|head| head.as_ref().is_some_and(|head| head.compares.1));
        let n = format!("{}{}", if is_guessed { "≈ " } else { "" }, thousands(n));
        let words = fill(state.context.tr(phrase("{n} at pointer")), &[("n", &n)]);
        view! { <span class="schedule__count">{words}</span> }
    });
    view! {
        <div class="schedule__pointer" style:left=format!("{x}px")></div>
        {count}
    }
}

// Above the picture: the parameters, what is seen, and what the colors mean.

/// Alignment, clock and color, in the bar above the view.
#[component]
fn Tools(state: ScheduleState) -> impl IntoView {
    let context = state.context;
    let head = Memo::new(move |_| {
        let is_own = |id: &String| *id == ALIGN.id;
        context.head.with(|h| h.analyses.iter().find(|a| a.parameters.iter().any(|p| is_own(&p.id))).cloned())
    });
    let ids = Memo::new(move |_| {
        head.with(|h| h.iter().flat_map(|h| &h.parameters).map(|p| p.id.clone()).collect::<Vec<_>>())
    });
    let denied = Signal::derive(move || {
        let is_there = state.head.with(|head| head.as_ref().is_none_or(|head| head.has_timer));
        let why = || context.tr(phrase("The records contain no global timer values.")).to_owned();
        (!is_there).then(|| ("timer".to_owned(), why()))
    });
    let found = Signal::derive(move || {
        let mhz = state.head.with(|head| head.as_ref()?.clock)?.mhz;
        Some(format!("≈ {}", thousands(mhz.round() as i64)))
    });
    let one = move |id: String| {
        let parameter =
            head.with_untracked(|h| h.as_ref()?.parameters.iter().find(|p| p.id == id).cloned())?;
        Some(if id == CLOCK.id {
            view! { <ParameterField context parameter head placeholder=found /> }.into_any()
        } else if id == ALIGN.id {
            view! { <ParameterField context parameter head denied /> }.into_any()
        } else {
            view! { <ParameterField context parameter head /> }.into_any()
        })
    };
    view! {
        <div class="schedule__tools parameters__row">
            <For each=move || ids.get() key=|id| id.clone() children=one />
        </div>
    }
}

/// What is seen, and what the colors mean.
#[component]
fn Legend(state: ScheduleState) -> impl IntoView {
    let context = state.context;
    let ends = move || ends(state);
    let ramp = Memo::new(move |_| state.note.with(|note| note.ramp.clone()));
    let stops = move || {
        let stop = |color: u32| view! { <i style:background=format!("#{color:08x}")></i> };
        ramp.get().into_iter().map(stop).collect_view()
    };
    view! {
        <header class="schedule__head">
            <h2 class="figure__title">{context.word(phrase("Block schedule"))}</h2>
            <span class="figure__scope" role="status" data-tip=move || scope(state)>{move || scope(state)}</span>
            <span class="schedule__legend">
                <span>{move || ends().0}</span>
                <span>{move || ends().1}</span>
                <span class="schedule__ramp">{stops}</span>
                <span>{move || ends().2}</span>
                <i class="schedule__key schedule__key--gap"></i>
                <span>{context.word(phrase("gap"))}</span>
                <i class="schedule__key schedule__key--idle"></i>
                <span>{context.word(phrase("idle"))}</span>
            </span>
        </header>
    }
}

/// Which units are seen, and how they are aligned.
fn scope(state: ScheduleState) -> String {
    let language = state.context.language.get();
    let Some((head, look)) = state.head.get().zip(Some(state.look.get())) else {
        return tr(language, phrase("Computing…")).to_owned();
    };
    let mut parts = Vec::new();
    // First, since there may be no room for all.
    if head.numbers.blocks < head.launched {
        let missing = thousands(head.launched - head.numbers.blocks);
        parts.push(fill(tr(language, phrase("{n} blocks without a record")), &[("n", &missing)]));
    }
    let n = thousands(head.numbers.units);
    if !head.has_units {
        parts.push(fill(tr(language, phrase("{unit} unknown")), &[("unit", &head.unit)]));
    } else if let (Some((first, last)), seen) = state.note.with(|note| (note.seen, note.n_seen)) {
        let (first, last, seen) = (first.to_string(), last.to_string(), thousands(seen));
        // Numbers of units may have gaps.
        let words = tr(language, phrase("{unit} {first} – {last}, {seen} of {n}"));
        let of =
            [("unit", head.unit.as_str()), ("first", &first), ("last", &last), ("seen", &seen), ("n", &n)];
        parts.push(fill(words, &of));
        let most = thousands(head.numbers.most_lanes);
        let words = tr(language, phrase("up to {n} resident per {unit}"));
        parts.push(fill(words, &[("n", &most), ("unit", &head.unit)]));
    }
    parts.push(
        match (look.align, head.align) {
            (_, Align::Timer) => tr(language, phrase("aligned by the global timer")),
            (_, Align::Raw) => tr(language, phrase("raw clocks")),
            (Align::Timer, _) => {
                tr(language, phrase("no global timer in these records: each unit starts at its first block"))
            }
            _ => tr(language, phrase("each from its first block")),
        }
        .to_owned(),
    );
    parts.join(" · ")
}

/// What colors mean: the quantity, its low and its high end.
fn ends(state: ScheduleState) -> (String, String, String) {
    let language = state.context.language.get();
    let Some(head) = state.head.get() else { return <(String, String, String)>::default() };
    let numbers = &head.numbers;
    match state.look.get().color {
        ColorBy::Elapsed => {
            let name = format!("{}, {}", tr(language, phrase("elapsed")), head.time.word());
            (name, compact(numbers.shortest as f64), compact(numbers.longest as f64))
        }
        ColorBy::Wave => {
            (tr(language, phrase("wave")).to_owned(), "1".to_owned(), thousands(numbers.n_waves()))
        }
        ColorBy::Block => {
            let last = thousands(head.launched.saturating_sub(1));
            (tr(language, phrase("block")).to_owned(), "0".to_owned(), last)
        }
    }
}

// Pointer, wheel and keys on the picture of a schedule.

impl PictureView for ScheduleState {
    type Seen = Lanes;
    /// The block, and how many are resident then.
    type Under = (Option<Block>, Option<u32>);

    fn context(self) -> ViewContext {
        self.context
    }

    fn seen(self) -> Lanes {
        self.lanes
    }

    fn under(self, at: Point) -> impl Future<Output = Self::Under> + 'static {
        self.under(at)
    }

    fn tip(self, at: Point, (block, resident): Self::Under, language: Language) -> Option<Tip> {
        let area = self.note.try_with_untracked(|note| note.area).unwrap_or_default();
        let is_inside = area.x <= at.x && at.x < area.right();
        self.pointer.try_set(is_inside.then_some((f64::from(at.x), resident)));
        let (block, head) = block.zip(self.head.try_get_untracked().flatten())?;
        let (title, mut rows) = facts(&block, &head, language);
        rows.truncate(7);
        Some(Tip { title, swatch: Some(block.color), rows, ..Tip::default() })
    }

    fn click(self, at: Point, _: &PointerEvent, clicks: Latest) {
        let is_head = STRIP <= at.y && at.y < STRIP + RULER && at.x < HEADS;
        if is_head {
            let is_by_running = HEADS / 2.0 < at.x;
            return self.order.update(|order| {
                // What is sorted first by what it runs shows the busiest unit first.
                let turned = order.is_by_running == is_by_running;
                let is_descending = if turned { !order.is_descending } else { is_by_running };
                *order = UnitOrder { is_by_running, is_descending };
            });
        }
        clicks.ask(self.under(at), move |(block, _)| {
            self.selected.try_set(block.map(|block| block.row));
        });
    }

    fn key(self, event: &KeyboardEvent) -> bool {
        match event.key().to_lowercase().as_str() {
            "arrowleft" => self.beside(false),
            "arrowright" => self.beside(true),
            "enter" if event.target() == event.current_target() => self.open(),
            "0" | "home" => self.show_all(),
            "[" => self.step(true),
            "]" => self.step(false),
            "q" => self.folded.update(|folded| *folded = !*folded),
            "escape" if self.selected.with_untracked(Option::is_none) => self.range.set(None),
            "escape" => self.selected.set(None),
            _ => return false,
        }
        true
    }

    fn leave(self) {
        self.pointer.set(None);
    }

    fn is_own(self, event: &PointerEvent, (x, y): (f64, f64)) -> bool {
        event.alt_key() || (y < f64::from(STRIP + RULER) && f64::from(HEADS) < x)
    }

    fn drag(self, from: f64, to: f64) {
        self.choose_range(from, to);
    }

    fn release(self) {
        self.range.set(None);
    }
}
