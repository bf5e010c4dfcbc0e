//! Pointer, wheel and keys on the heat map.

use super::state::State;
use crate::base::geometry::Point;
use crate::base::number::{thousands, whole_with_unit};
use crate::base::words::{Language, tr};
use crate::pane::plane::Meaning;
use crate::ui::latest::{Latest, OneAtATime};
use crate::ui::overlay::tooltip::{Tip, Tooltips, tooltips};
use crate::views::density::messages::Cell;
use leptos::ev::{KeyboardEvent, PointerEvent, WheelEvent};
use leptos::prelude::*;

/// Pointer, wheel and keys.
#[derive(Clone, Copy)]
pub(super) struct Gestures {
    state: State,
    tooltips: Tooltips,
    /// What lies under the pointer.
    asking: OneAtATime<(Point, Point)>,
    /// What was clicked.
    clicks: Latest,
}

impl Gestures {
    pub(super) fn new(state: State) -> Self {
        Self { state, tooltips: tooltips(), asking: OneAtATime::default(), clicks: Latest::default() }
    }

    pub(super) fn wheel(self, event: &WheelEvent) {
        self.state.plane.wheel(event);
        self.tooltips.hide();
    }

    pub(super) fn down(self, event: &PointerEvent) {
        if self.state.plane.down(event) {
            self.tooltips.hide();
        }
    }

    pub(super) fn moved(self, event: &PointerEvent) {
        if let Meaning::At(at) = self.state.plane.moved(event) {
            let plot = self.state.note.with_untracked(|note| note.plot);
            let share = f64::from((at.x - plot.x) / plot.w.max(1.0));
            self.state.pointer.set(Some(share).filter(|_| plot.contains(at)));
            let screen = Point { x: event.client_x() as f32, y: event.client_y() as f32 };
            self.asking.ask((at, screen), move |(at, screen)| async move {
                let cell = self.state.under(at).await;
                let Some(language) = self.state.context.language.try_get_untracked() else { return };
                match cell {
                    Some(cell) => self.tooltips.show(screen, self.tip(&cell, language)),
                    None => self.tooltips.hide(),
                }
            });
        }
    }

    pub(super) fn up(self, event: &PointerEvent) {
        if let Meaning::At(at) = self.state.plane.up(event) {
            let state = self.state;
            self.clicks.ask(state.under(at), move |cell| {
                state.selected.try_set(cell.map(|cell| (cell.clocks.0, cell.addresses.0)));
            });
        }
    }

    pub(super) fn cancel(self) {
        self.state.plane.cancel();
        self.tooltips.hide();
    }

    pub(super) fn leave(self) {
        self.asking.forget();
        self.tooltips.hide();
        self.state.pointer.set(None);
    }

    /// What the tooltip says.
    fn tip(self, cell: &Cell, language: Language) -> Tip {
        let word = |english: &'static str| tr(language, english).to_owned();
        let unit = self.state.position_unit();
        let (from, to) = cell.clocks;
        let clocks = if from == to {
            whole_with_unit(from, &unit)
        } else {
            format!("{} – {}", thousands(from), whole_with_unit(to, &unit))
        };
        let (low, high) = cell.addresses;
        let pages = match cell.pages {
            0 | 1 => format!("0x{low:x}"),
            n => format!("0x{low:x} – 0x{high:x} ({})", thousands(n)),
        };
        let mut rows = vec![
            (word("Memory page"), pages),
            (word(untrack(|| self.state.words().one)), clocks),
            (word("Accesses"), thousands(cell.accesses)),
        ];
        rows.extend(cell.blocks.map(|(first, last)| {
            let blocks = if first == last {
                thousands(first)
            } else {
                format!("{} – {}", thousands(first), thousands(last))
            };
            (word("Thread blocks"), blocks)
        }));
        let swatch = self.state.color(cell.band as usize);
        Tip { title: cell.name.text(language).into_owned(), swatch: Some(swatch), rows, ..Tip::default() }
    }

    /// Keys of the picture; what is not ours goes on to the page.
    pub(super) fn key(self, event: &KeyboardEvent) {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        self.tooltips.hide();
        if event.key() == "Escape" && self.state.selected.with_untracked(Option::is_some) {
            self.state.selected.set(None);
        } else if !self.state.plane.key(event) {
            return;
        }
        event.prevent_default();
        event.stop_propagation();
    }
}
