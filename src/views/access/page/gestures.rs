//! Pointer, wheel and keys on the picture of accesses.

use super::state::State;
use crate::base::geometry::Point;
use crate::base::number::{thousands, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{Language, fill, tr};
use crate::pane::plane::Meaning;
use crate::ui::latest::{Latest, OneAtATime};
use crate::ui::overlay::tooltip::{Tip, Tooltips, tooltips};
use crate::views::access::messages::{Record, Under};
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
            self.hover(at, Point { x: event.client_x() as f32, y: event.client_y() as f32 });
        }
    }

    pub(super) fn up(self, event: &PointerEvent) {
        if let Meaning::At(at) = self.state.plane.up(event) {
            self.click(at);
        }
    }

    fn click(self, at: Point) {
        let state = self.state;
        self.clicks.ask(state.under(at), move |under| {
            let row = match under {
                Some(Under::Record(record)) => Some(record.head.row),
                Some(Under::Cell(cell)) => Some(cell.first),
                None => None,
            };
            state.selected.try_set(row);
        });
    }

    pub(super) fn cancel(self) {
        self.state.plane.cancel();
        self.tooltips.hide();
    }

    pub(super) fn leave(self) {
        self.asking.forget();
        self.tooltips.hide();
    }

    /// Asks what lies under the pointer; one question at a time, the newest waits.
    fn hover(self, at: Point, screen: Point) {
        self.asking.ask((at, screen), move |(point, screen)| async move {
            let under = self.state.under(point).await;
            let Some(language) = self.state.context.language.try_get_untracked() else { return };
            match under {
                Some(under) => self.tooltips.show(screen, self.tip(under, language)),
                None => self.tooltips.hide(),
            }
        });
    }

    /// What the tooltip says.
    fn tip(self, under: Under, language: Language) -> Tip {
        let word = |english: &'static str| tr(language, english).to_owned();
        let number = |n: u64| thousands(i64::try_from(n).unwrap_or(i64::MAX));
        match under {
            Under::Record(record) => {
                let Record { head, frames, .. } = *record;
                let mut rows = vec![
                    (word("Address"), format!("0x{:x} ({})", head.address, number(head.address))),
                    (word("Size"), size(head.bytes)),
                ];
                rows.extend(
                    head.attributes
                        .iter()
                        .map(|(title, value)| (tr(language, title).to_owned(), value.clone())),
                );
                rows.extend(head.pc.map(|pc| (word("PC"), format!("0x{pc:x}"))));
                let calls = frames.iter().take(3).map(|frame| {
                    let file = frame.file.rsplit('/').next().unwrap_or(&frame.file);
                    (
                        frame.function.clone(),
                        if file.is_empty() { String::new() } else { format!("{file}:{}", frame.line) },
                    )
                });
                rows.extend(calls);
                let swatch = super::tools::color(self.state, head.side);
                let title = format!("{} {}", head.operation, number(head.position));
                Tip { title, swatch: Some(swatch), rows, ..Tip::default() }
            }
            Under::Cell(cell) => {
                let n: u64 = cell.counts.iter().map(|(_, n)| n).sum();
                let title = fill(tr(language, "{n} accesses"), &[("n", &number(n))]);
                let (mut rows, mut swatches) = (Vec::new(), Vec::new());
                for (item, n) in cell.counts {
                    let name =
                        if item.is_name { item.name.clone() } else { tr(language, &item.name).to_owned() };
                    rows.push((name, number(n)));
                    swatches.push(
                        self.state.context.palette.with_untracked(|p| p.colors.get(&item.ink).copied()),
                    );
                }
                let (from, to) = cell.positions;
                rows.push((word("Records"), format!("{} – {}", number(from), number(to))));
                let (low, high) = cell.addresses;
                rows.push((word("Addresses"), format!("{} 0x{low:x} – 0x{high:x}", cell.space)));
                Tip { title, rows, swatches, hint: word("Zoom in to separate them"), ..Tip::default() }
            }
        }
    }

    /// Keys of the picture; what is not ours goes on to the page.
    pub(super) fn key(self, event: &KeyboardEvent) {
        let state = self.state;
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        self.tooltips.hide();
        match event.key().to_lowercase().as_str() {
            "," => state.step(true),
            "." => state.step(false),
            "q" => state.folded.update(|folded| *folded = !*folded),
            "escape" => state.selected.set(None),
            _ if state.plane.key(event) => {}
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    }
}

/// A number of bytes with all its digits, and in a larger unit when there is one.
pub(super) fn size(bytes: u64) -> String {
    let exact = format!("{} B", thousands(i64::try_from(bytes).unwrap_or(i64::MAX)));
    if bytes < 1024 { exact } else { format!("{exact} ({})", with_unit(bytes as f64, &Unit::Bytes)) }
}
