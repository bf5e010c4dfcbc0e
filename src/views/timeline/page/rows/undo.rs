//! Undo and redo: windows, and what the user did to the rows (pinned, hidden, moved, merged, renamed, shifted).

use super::super::state::State;
use crate::model::id::TrackId;
use crate::navigation::history::{History, Step};
use crate::views::timeline::messages::Arrangement;
use leptos::prelude::*;

/// What of the rows can be brought back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    pinned: Vec<TrackId>,
    hidden: Vec<TrackId>,
    arranged: Arrangement,
}

impl Standing {
    fn of(state: State) -> Self {
        Self { pinned: state.pinned.get(), hidden: state.hidden.get(), arranged: state.rows().arranged.get() }
    }
}

/// Remembers how the rows stood before each change, whoever makes it.
pub fn follow(state: State) {
    Effect::new(move |before: Option<Standing>| {
        let now = Standing::of(state);
        let is_undone = state.undone.try_update_value(Option::take).flatten().as_ref() == Some(&now);
        if let Some(before) = before.filter(|before| !is_undone && *before != now) {
            state.history.update_value(|history| history.leave(Step::Rows(before)));
        }
        now
    });
}

impl State {
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
