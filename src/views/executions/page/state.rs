//! What the parts share: what is looked at, which execution is chosen, and what was asked about it.

use crate::base::geometry::{Point, Size};
use crate::base::order;
use crate::pane::context::ViewContext;
use crate::pane::lanes::{DrawnLanes, Lanes};
use crate::pane::plane::{parse_window, window_text};
use crate::ui::{Extent, follow_into, spawn_while};
use crate::views::executions::messages::{
    Axis, ColorBy, Detail, ExecutionsQuery, Folding, Frame, Head, Kind, Note, Reply, Under,
};
use leptos::prelude::*;

/// What the parts share.
#[derive(Clone, Copy)]
pub(super) struct ExecutionsState {
    pub(super) context: ViewContext,
    /// Size of the picture.
    pub(super) extent: RwSignal<Extent>,
    /// What was drawn last.
    pub(super) note: RwSignal<Note>,
    pub(super) head: RwSignal<Option<Head>>,
    /// The chosen launch; `None` is the first.
    pub(super) launch: RwSignal<Option<u32>>,
    pub(super) axis: RwSignal<Axis>,
    pub(super) color: RwSignal<ColorBy>,
    /// Whether threads stand below their groups, and which of these are closed.
    pub(super) is_grouped: RwSignal<bool>,
    pub(super) folding: RwSignal<Folding>,
    pub(super) lanes: Lanes,
    /// The chosen execution, and its thread; or a thread without one.
    pub(super) selected: RwSignal<Option<u32>>,
    pub(super) thread: RwSignal<Option<u32>>,
    /// The chosen row of the execution.
    pub(super) row: RwSignal<Option<u32>>,
    /// The thread that the chosen one is compared with, and whether the next click chooses it.
    pub(super) other: RwSignal<Option<u32>>,
    pub(super) is_choosing: RwSignal<bool>,
    pub(super) detail: RwSignal<Option<Detail>>,
    /// Whether values of registers are read as numbers with a fraction.
    pub(super) is_float: RwSignal<bool>,
    /// Whether the details below are folded away.
    pub(super) folded: RwSignal<bool>,
}

/// No narrower stretch of the axis is seen.
const LEAST: f64 = 4.0;

/// Choices as they stand in the address.
pub(super) const AXES: [(&str, Axis); 3] =
    [("block", Axis::Block), ("instruction", Axis::Instruction), ("time", Axis::Time)];
pub(super) const COLORS: [(&str, ColorBy); 4] = [
    ("efficiency", ColorBy::Efficiency),
    ("excess", ColorBy::Excess),
    ("lanes", ColorBy::Lanes),
    ("block", ColorBy::Block),
];

pub(super) fn choice<T: Copy + Default>(all: &[(&str, T)], id: &str) -> T {
    all.iter().find(|(own, _)| *own == id).map_or_else(T::default, |(_, value)| *value)
}

pub(super) fn id_of<T: PartialEq>(all: &[(&'static str, T)], value: &T) -> &'static str {
    all.iter().find(|(_, own)| own == value).map_or("", |(id, _)| *id)
}

impl ExecutionsState {
    pub(super) fn new(context: ViewContext) -> Self {
        let note = RwSignal::new(Note::default());
        let drawn = Signal::derive(move || {
            note.with(|note| DrawnLanes {
                area: note.area,
                window: note.window,
                length: note.length,
                scroll: note.scroll,
            })
        });
        let state = Self {
            context,
            extent: RwSignal::default(),
            note,
            head: RwSignal::new(None),
            launch: RwSignal::new(None),
            axis: RwSignal::default(),
            color: RwSignal::default(),
            is_grouped: RwSignal::new(true),
            folding: RwSignal::default(),
            lanes: Lanes::new(drawn, LEAST),
            selected: RwSignal::new(None),
            thread: RwSignal::new(None),
            row: RwSignal::new(None),
            other: RwSignal::new(None),
            is_choosing: RwSignal::new(false),
            detail: RwSignal::new(None),
            is_float: RwSignal::new(false),
            folded: RwSignal::new(false),
        };
        state.restore();
        state.follow();
        state
    }

    /// What is drawn; nothing before it is known what there is.
    pub(super) fn frame(self) -> Option<Frame> {
        let launch = self.head.with(|head| head.as_ref().map(|head| head.launch))?;
        let (thread, other) = (self.thread.get(), self.other.get());
        Some(Frame {
            launch,
            axis: self.axis.get(),
            color: self.color.get(),
            folding: self.is_grouped.get().then(|| self.folding.get()),
            window: self.lanes.window.get(),
            scroll: self.lanes.scroll.get(),
            selected: self.selected.get(),
            thread,
            pair: thread.zip(other).filter(|(a, b)| a != b).map(|(a, b)| [a, b]),
        })
    }

    /// Takes over what the address says of this view, and keeps the address up to date.
    fn restore(self) {
        let take = move |name: &str, value: String| match name {
            "launch" => self.launch.set(value.parse().ok()),
            "axis" => self.axis.set(choice(&AXES, &value)),
            "color" => self.color.set(choice(&COLORS, &value)),
            "groups" => self.is_grouped.set(value != "none"),
            "closed" => self.folding.set(parse_folding(&value)),
            "at" => self.lanes.window.set(parse_window(&value)),
            "execution" => self.selected.set(value.parse().ok()),
            "thread" => self.thread.set(value.parse().ok()),
            "row" => self.row.set(value.parse().ok()),
            "with" => self.other.set(value.parse().ok()),
            "values" => self.is_float.set(value == "float"),
            _ => {}
        };
        let list = move || {
            let number = |signal: RwSignal<Option<u32>>| signal.get().map(|n| n.to_string());
            let (axis, color) = (self.axis.get(), self.color.get());
            [
                ("launch", number(self.launch)),
                ("axis", (axis != Axis::default()).then(|| id_of(&AXES, &axis).to_owned())),
                ("color", (color != ColorBy::default()).then(|| id_of(&COLORS, &color).to_owned())),
                ("groups", (!self.is_grouped.get()).then(|| "none".to_owned())),
                ("closed", self.folding.with(folding_text)),
                ("at", window_text(self.lanes.window.get())),
                ("execution", number(self.selected)),
                ("thread", number(self.thread)),
                ("row", number(self.row)),
                ("with", number(self.other)),
                ("values", self.is_float.get().then(|| "float".to_owned())),
            ]
        };
        self.context.restore(super::VIEW.id, take, list);
    }

    /// Asks anew when what is asked about changes.
    fn follow(self) {
        let context = self.context;
        let own = Memo::new(move |_| {
            context.head.with(|h| (h.contents.executions, h.is_complete, h.analyses.clone()))
        });
        let ask = move || {
            let _ = own.get();
            Some(context.ask(ExecutionsQuery::Head { launch: self.launch.get() }))
        };
        follow_into(self.head, ask, |reply| {
            if let Some(Reply::Head(head)) = reply { Some(head.map(|head| *head)) } else { None }
        });
        let launch = Memo::new(move |_| self.head.with(|head| head.as_ref().map(|head| head.launch)));
        Effect::new(move || {
            let Some((of, execution, row)) = context.selection.with(|s| s.execution) else { return };
            // Boxes have a place only after they were measured.
            if self.extent.with(|extent| extent.size.h < 1.0) {
                return;
            }
            match launch.get() {
                Some(launch) if launch == of => {
                    context.selection.update(|s| s.execution = None);
                    self.folded.set(false);
                    self.row.set(Some(row));
                    self.go_to(execution);
                }
                Some(_) => self.choose_launch(of),
                None => {}
            }
        });
        let ask = move || {
            context.language.track();
            let row = self.row.get();
            let (launch, execution) = launch.get().zip(self.selected.get())?;
            Some(context.ask(ExecutionsQuery::Detail { launch, execution, row }))
        };
        follow_into(self.detail, ask, move |reply| {
            let Some(Reply::Detail(detail)) = reply else { return None };
            if let Some(thread) = detail.as_ref().map(|detail| detail.thread.0) {
                self.choose_thread(Some(thread));
            }
            Some(detail.map(|detail| *detail))
        });
    }

    /// What lies under a point of the picture.
    pub(super) async fn under(self, at: Point) -> Option<Under> {
        let frame = untrack(|| self.frame())?;
        match self.context.ask(ExecutionsQuery::Under { frame, size: self.size(), at }).await {
            Some(Reply::Under(under)) => under.map(|under| *under),
            _ => None,
        }
    }

    fn size(self) -> Size {
        self.extent.try_get_untracked().map_or(Size::default(), |extent| extent.size)
    }

    /// Shows another launch from its beginning.
    pub(super) fn choose_launch(self, launch: u32) {
        for signal in [self.selected, self.thread, self.row, self.other] {
            signal.set(None);
        }
        self.lanes.window.set(None);
        self.lanes.scroll.set(0.0);
        self.folding.set(Folding::default());
        self.launch.set(Some(launch));
    }

    /// Another axis has other windows.
    pub(super) fn choose_axis(self, axis: Axis) {
        self.lanes.window.set(None);
        self.axis.set(axis);
    }

    /// Chooses a thread. Who chooses the one that is compared turns the pair around.
    pub(super) fn choose_thread(self, thread: Option<u32>) {
        let Some(before) = self.thread.try_get_untracked() else { return };
        if before == thread {
            return;
        }
        if thread.is_some() && self.other.get_untracked() == thread {
            self.other.set(before);
        }
        self.thread.set(thread);
    }

    /// Compares the chosen thread with another.
    pub(super) fn compare_with(self, other: u32) {
        self.is_choosing.set(false);
        match self.thread.get_untracked() {
            Some(thread) if thread != other => self.other.set(Some(other)),
            Some(_) => {}
            None => self.thread.set(Some(other)),
        }
    }

    /// Compares the chosen thread with the nearest that parts.
    pub(super) fn compare_nearest(self) {
        let launch = self.head.with_untracked(|head| head.as_ref().map(|head| head.launch));
        let thread = self.thread.get_untracked().unwrap_or(0);
        let Some(launch) = launch else { return };
        spawn_while(self.other, async move {
            let asked = self.context.ask(ExecutionsQuery::Nearest { launch, thread }).await;
            match asked {
                Some(Reply::Nearest(Some(other))) => {
                    self.thread.set(Some(thread));
                    self.other.set(Some(other));
                }
                Some(Reply::Nearest(None)) => {
                    let words = crate::base::words::phrase("All threads executed the same blocks.");
                    self.context.say.run((untrack(|| self.context.tr(words).to_owned()), false));
                }
                _ => {}
            }
        });
    }

    /// Turns the pair around.
    pub(super) fn swap(self) {
        let (thread, other) = (self.thread.get_untracked(), self.other.get_untracked());
        self.selected.set(None);
        self.row.set(None);
        self.thread.set(other);
        self.other.set(thread);
    }

    /// Selects an execution and brings it into view.
    pub(super) fn go_to(self, execution: u32) {
        if self.selected.get_untracked() != Some(execution) {
            self.selected.set(Some(execution));
        }
        spawn_while(self.selected, async move {
            let Some(frame) = untrack(|| self.frame()) else { return };
            let ask = ExecutionsQuery::ScrollTo { frame, size: self.size(), execution };
            if let Some(Reply::ScrollTo(scroll, window)) = self.context.ask(ask).await {
                if let Some(scroll) = scroll {
                    self.lanes.scroll.set(scroll);
                }
                if let Some(window) = window {
                    self.lanes.window.set(Some(window));
                }
            }
        });
    }

    /// Selects the next execution of a kind.
    pub(super) fn step(self, kind: Kind, is_forward: bool) {
        let from = self.selected.get_untracked();
        let Some(launch) = self.head.with_untracked(|head| head.as_ref().map(|head| head.launch)) else {
            return;
        };
        spawn_while(self.selected, async move {
            let ask = ExecutionsQuery::Step { launch, from, kind, is_forward };
            if let Some(Reply::Step(Some(found))) = self.context.ask(ask).await {
                self.go_to(found);
            }
        });
    }

    /// Selects the execution before or after the chosen one; moves the picture where none is chosen.
    pub(super) fn beside(self, is_after: bool) {
        if self.selected.with_untracked(Option::is_none) {
            return self.lanes.pan(if is_after { 0.15 } else { -0.15 });
        }
        self.next(is_after);
    }

    /// Shows the details of the chosen execution, the first where none is chosen.
    pub(super) fn open(self) {
        self.folded.set(false);
        if self.selected.with_untracked(Option::is_none) {
            self.next(true);
        }
    }

    /// Selects the execution before or after the chosen one, the first where none is.
    pub(super) fn next(self, is_forward: bool) {
        let n = self.head.with_untracked(|head| head.as_ref().map_or(0, |head| head.executions));
        let next = match (self.selected.get_untracked(), is_forward) {
            (Some(own), true) => own.checked_add(1).filter(|next| u64::from(*next) < n),
            (Some(own), false) => own.checked_sub(1),
            (None, _) => (0 < n).then_some(0),
        };
        if let Some(next) = next {
            self.go_to(next);
        }
    }
}

/// Closed groups as they stand in an address: numbers, or `all` and those that are open.
fn folding_text(folding: &Folding) -> Option<String> {
    let numbers = folding.but.iter().map(u32::to_string);
    let all = folding.is_closed.then(|| "all".to_owned());
    let text: Vec<String> = all.into_iter().chain(numbers).collect();
    (!text.is_empty()).then(|| text.join(","))
}

fn parse_folding(text: &str) -> Folding {
    let mut but: Vec<u32> = text.split(',').filter_map(|part| part.parse().ok()).collect();
    order::sort(&mut but);
    but.dedup();
    Folding { is_closed: text.split(',').any(|part| part == "all"), but }
}
