//! Rows of tables: their order is made a few milliseconds at a time, and a newer question of a table ends the older.

use super::clock::{now, timed};
use super::load::{SLICE_MS, Turns};
use super::{State, link, with};
use crate::base::words::phrase;
use crate::wire::rows::Ask;
use crate::wire::{Answer, FromWorker};
use std::collections::VecDeque;

/// Questions that are not answered yet.
#[derive(Default)]
pub(super) struct Waiting {
    questions: VecDeque<(u32, Ask)>,
    is_working: bool,
}

/// Takes a question; it overtakes one of the same table.
pub(super) fn ask(id: u32, ask: Ask) {
    let overtaken = with(|state| {
        let questions = &mut state.rows.questions;
        let before = questions.iter().position(|(_, other)| other.table == ask.table);
        let before = before.and_then(|at| questions.remove(at));
        questions.push_back((id, ask));
        before
    });
    if let Some((id, _)) = overtaken {
        link::send(&FromWorker::Answer { id, answer: Answer::Rows(None) });
    }
    if !with(|state| std::mem::replace(&mut state.rows.is_working, true)) {
        wasm_bindgen_futures::spawn_local(async {
            let turns = Turns::new();
            while timed(Some(phrase("Computing")), || with(work)) {
                turns.give_way().await;
            }
        });
    }
}

/// Works on the questions for a while; false when none is left.
fn work(state: &mut State) -> bool {
    let until = now() + SLICE_MS;
    while let Some((id, ask)) = state.rows.questions.pop_front() {
        let answer = match &mut state.document {
            Some(document) => document.rows(&ask, &mut || now() < until),
            None => Some(Answer::Failed("Nothing is open.".to_owned())),
        };
        match answer {
            Some(answer) => link::send(&FromWorker::Answer { id, answer }),
            None => state.rows.questions.push_front((id, ask)),
        }
        if until <= now() {
            break;
        }
    }
    state.rows.is_working = !state.rows.questions.is_empty();
    state.rows.is_working
}
