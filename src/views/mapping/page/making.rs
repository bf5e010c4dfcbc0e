//! What the parts of the dialog of a mapping share.

use super::draft::Draft;
use crate::views::mapping::messages::Reply;
use leptos::prelude::*;

/// What the parts of the dialog share.
#[derive(Clone, Copy)]
pub(super) struct Making {
    /// The members of the mapping.
    pub(super) draft: RwSignal<Draft>,
    /// What it makes of the log; `None` before the first answer.
    pub(super) reply: RwSignal<Option<Reply>>,
    /// The file that is looked at, where another one was chosen.
    pub(super) file: RwSignal<Option<u32>>,
    /// Whether only lines are shown that it fits.
    pub(super) only_matches: RwSignal<bool>,
}

impl Making {
    /// A member; empty when it is not there.
    pub(super) fn member(self, name: &str) -> String {
        self.draft.with(|draft| draft.get(name).cloned().unwrap_or_default())
    }

    pub(super) fn set(self, name: &str, text: String) {
        self.draft.update(|draft| {
            if text.is_empty() {
                draft.remove(name);
            } else {
                draft.insert(name.to_owned(), text);
            }
        });
    }

    /// Whether a log can be opened with it: it is right, and fits some line.
    pub(super) fn is_good(self) -> bool {
        self.reply.with(|reply| reply.as_ref().is_some_and(|r| r.problem.is_none() && 0 < r.matches()))
    }
}
