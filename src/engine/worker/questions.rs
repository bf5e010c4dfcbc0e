//! Questions and pictures that take long: a few milliseconds at a time, and a newer one ends the older of its kind.

use super::load::{self, SLICE_MS, Turns};
use super::{Drawing, WorkerState, now, timed, with};
use crate::base::words::phrase;
use crate::document::Document;
use crate::engine::desk;
use crate::engine::front::answering;
use crate::views::Part;
use crate::wire::{Answer, FromWorker, Query};
use std::collections::VecDeque;

/// What is not answered or drawn yet.
#[derive(Default)]
pub(super) struct Waiting {
    works: VecDeque<Work>,
    is_working: bool,
}

/// One of them.
enum Work {
    /// A question of this number, and the bytes that it speaks of.
    Answer(u32, Query, Vec<u8>),
    Draw(Drawing),
}

/// Takes a question, as soon as what answers it is loaded. It overtakes one of the same table, and another search.
/// What takes no time is answered at once.
pub(super) fn ask(id: u32, query: Query, beside: Vec<u8>) {
    let missing = match &query {
        Query::View(packed) => Part::missing_for(&packed.of),
        Query::Operators { .. }
        | Query::SetParameters(_)
        | Query::Report
        | Query::Block { .. }
        | Query::Fingerprint => None,
        _ => Some(Part::Figures).filter(|part| part.is_missing()),
    };
    if missing.is_none() {
        return take(id, query, beside);
    }
    wasm_bindgen_futures::spawn_local(async move {
        super::load_views(missing).await;
        take(id, query, beside);
    });
}

fn take(id: u32, query: Query, beside: Vec<u8>) {
    let overtaken = with(|state| {
        let works = &mut state.waiting.works;
        let before = works
            .iter()
            .position(|work| matches!(work, Work::Answer(_, other, _) if is_overtaken(other, &query)));
        before.and_then(|at| works.remove(at))
    });
    if let Some(Work::Answer(id, query, _)) = overtaken {
        let answer = if matches!(query, Query::Rows(_)) { Answer::Rows(None) } else { Answer::Cancelled };
        super::send_to_page(&FromWorker::Answer { id, answer });
    }
    begin(Work::Answer(id, query, beside));
}

/// Takes a picture, as soon as its view is loaded. Where that cannot be had the page is told.
pub(super) fn draw(drawing: Drawing) {
    let missing = Part::missing_for(&drawing.frame.0.of);
    if missing.is_none() {
        return begin(Work::Draw(drawing));
    }
    wasm_bindgen_futures::spawn_local(async move {
        super::load_views(missing).await;
        if missing.is_some_and(Part::is_missing) {
            let Drawing { surface, serial, .. } = drawing;
            return super::send_to_page(&FromWorker::Drawn { surface, serial, note: None });
        }
        begin(Work::Draw(drawing));
    });
}

fn is_overtaken(old: &Query, new: &Query) -> bool {
    match (old, new) {
        (Query::Rows(old), Query::Rows(new)) => old.table == new.table,
        (Query::View(old), Query::View(new)) if old.of == new.of => {
            answering(&old.of).is_some_and(|view| (view.is_overtaken)(old, new))
        }
        _ => false,
    }
}

fn begin(work: Work) {
    let left = timed(Some(work.phrase()), || with(|state| work.step(state, now())));
    let Some(work) = left else { return };
    let is_working = with(|state| {
        state.waiting.works.push_back(work);
        std::mem::replace(&mut state.waiting.is_working, true)
    });
    if !is_working {
        wasm_bindgen_futures::spawn_local(async {
            let turns = Turns::new();
            while timed(Some(phrase("Computing")), || with(step)) {
                turns.give_way().await;
            }
        });
    }
}

/// Works for a while; false when nothing is left. No job, as questions come and are overtaken in between.
fn step(state: &mut WorkerState) -> bool {
    let until = now() + SLICE_MS;
    while now() < until
        && let Some(work) = state.waiting.works.pop_front()
    {
        if let Some(work) = work.step(state, until) {
            state.waiting.works.push_front(work);
        }
    }
    state.waiting.is_working = !state.waiting.works.is_empty();
    state.waiting.is_working
}

impl Work {
    /// What it is called in the report.
    fn phrase(&self) -> &'static str {
        if matches!(self, Self::Draw(_)) { phrase("Drawing") } else { phrase("Computing") }
    }

    /// Works on it until a time, at least once; itself when something is left to do. No job, as each piece changes the
    /// state of the worker.
    fn step(self, state: &mut WorkerState, until: f64) -> Option<Self> {
        match self {
            Self::Draw(drawing) => {
                let document = state.document.as_mut()?;
                if !is_prepared(document, until, |document| document.prepare_frame(&drawing.frame)) {
                    return Some(Self::Draw(drawing));
                }
                super::draw(state, &drawing);
                None
            }
            Self::Answer(id, query, beside) => {
                let (answer, bytes) = match (&mut state.document, &query) {
                    (None, _) => (Answer::Failed("Nothing is open.".to_owned()), None),
                    (Some(document), Query::Rows(ask)) if let Some(desk) = desk() => {
                        match (desk.rows)(document, ask, &mut || now() < until) {
                            Some(answer) => (answer, None),
                            None => return Some(Self::Answer(id, query, beside)),
                        }
                    }
                    (Some(document), _) => {
                        if !is_prepared(document, until, |document| document.prepare_query(&query)) {
                            return Some(Self::Answer(id, query, beside));
                        }
                        document.query_prepared(&query, &beside)
                    }
                };
                super::send_with_bytes(&FromWorker::Answer { id, answer }, bytes);
                load::compute(state);
                None
            }
        }
    }
}

fn is_prepared(document: &mut Document, until: f64, step: impl Fn(&mut Document) -> bool) -> bool {
    let mut before = now();
    let mut longest: f64 = 0.0;
    loop {
        if step(document) {
            return true;
        }
        let after = now();
        longest = longest.max(after - before);
        // The next one may take as long as the longest.
        if until <= after + longest {
            return false;
        }
        before = after;
    }
}
