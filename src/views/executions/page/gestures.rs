//! Pointer, wheel and keys on the picture of executions.

use super::detail::facts;
use super::state::ExecutionsState;
use crate::base::geometry::Point;
use crate::base::words::Language;
use crate::pane::context::ViewContext;
use crate::pane::gestures::PictureView;
use crate::pane::lanes::Lanes;
use crate::ui::Latest;
use crate::ui::overlay::Tip;
use crate::views::executions::messages::{Hit, Kind, Under};
use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::prelude::*;
use leptos::reactive::traits::IsDisposed;

impl PictureView for ExecutionsState {
    type Seen = Lanes;
    type Under = Option<Under>;

    fn context(self) -> ViewContext {
        self.context
    }

    fn seen(self) -> Lanes {
        self.lanes
    }

    fn under(self, at: Point) -> impl Future<Output = Option<Under>> + 'static {
        self.under(at)
    }

    fn tip(self, _: Point, under: Option<Under>, language: Language) -> Option<Tip> {
        let Under { execution: Some(execution), name, color, .. } = under? else { return None };
        let lanes = self.head.try_with_untracked(|head| head.as_ref().map_or(32, |h| h.lanes));
        let mut rows = facts(&execution, lanes.unwrap_or(32), language);
        rows.truncate(7);
        Some(Tip { title: format!("{} · {name}", execution.block), swatch: color, rows, ..Tip::default() })
    }

    fn click(self, at: Point, event: &PointerEvent, clicks: Latest) {
        let compares = event.shift_key() || self.is_choosing.get_untracked();
        clicks.ask(self.under(at), move |under| {
            if self.selected.is_disposed() {
                return;
            }
            match under.map(|under| under.hit) {
                Some(Hit::Group(group)) => self.folding.update(|folding| folding.turn(group)),
                Some(Hit::Thread(thread) | Hit::Execution(thread, _)) if compares => {
                    self.compare_with(thread);
                }
                Some(Hit::Thread(thread)) => {
                    self.selected.set(None);
                    self.choose_thread(Some(thread));
                }
                Some(Hit::Execution(thread, execution)) => {
                    self.row.set(None);
                    self.choose_thread(Some(thread));
                    self.selected.set(Some(execution));
                }
                Some(Hit::Overview(_)) => {}
                None => self.selected.set(None),
            }
        });
    }

    fn key(self, event: &KeyboardEvent) -> bool {
        let is_forward = !event.shift_key();
        match event.key().to_lowercase().as_str() {
            key @ ("arrowleft" | "arrowright") => self.beside(key == "arrowright"),
            "enter" if event.target() == event.current_target() => self.open(),
            "," => self.next(false),
            "." => self.next(true),
            "[" => self.step(Kind::Block, false),
            "]" => self.step(Kind::Block, true),
            "n" => self.step(Kind::Divergent, is_forward),
            "u" => self.step(Kind::Uncoalesced, is_forward),
            "p" => self.compare_nearest(),
            "q" => self.folded.update(|folded| *folded = !*folded),
            "escape" if self.is_choosing.get_untracked() => self.is_choosing.set(false),
            "escape" if self.selected.with_untracked(Option::is_none) => self.other.set(None),
            "escape" => self.selected.set(None),
            _ => return false,
        }
        true
    }

    fn is_own(self, _: &PointerEvent, (x, y): (f64, f64)) -> bool {
        let (area, pair) = self.note.with_untracked(|note| (note.area, note.pair));
        // The overview and the ruler stand above the pair, or above the lanes.
        let is_overview = y < f64::from(pair.y) && f64::from(area.x) <= x;
        if is_overview {
            self.lanes.see_share(self.lanes.share(x));
        }
        is_overview
    }

    fn drag(self, _: f64, to: f64) {
        self.lanes.see_share(to);
    }
}
