//! Files that are saved: written a few milliseconds at a time, into Blobs outside of the wasm memory.

use super::blob::{self, BlobStore};
use super::clock::{now, timed};
use super::load::{SLICE_MS, Turns};
use super::{State, link, with};
use crate::base::words::phrase;
use crate::document::{Document, Stage};
use crate::engine::FileWriter;
use crate::input::unpack::Store;
use crate::wire::{Answer, FromWorker, Query};
use std::collections::VecDeque;

/// How often to tell how much is written; nothing is told of files that are written sooner.
const TELL_MS: f64 = 250.0;

/// Files that are asked for.
#[derive(Default)]
pub(super) struct Files {
    waiting: VecDeque<(u32, Query)>,
    writing: Option<Writing>,
    is_working: bool,
}

/// A file that is being written.
struct Writing {
    id: u32,
    file: FileWriter,
    store: BlobStore,
    bytes: u64,
    told: f64,
}

/// Takes the question for a file.
pub(super) fn ask(id: u32, query: Query) {
    with(|state| state.files.waiting.push_back((id, query)));
    work();
}

/// Ends all files.
pub(super) fn cancel() {
    let (writing, waiting) =
        with(|state| (state.files.writing.take(), std::mem::take(&mut state.files.waiting)));
    let ids = writing.map(|writing| writing.id).into_iter().chain(waiting.into_iter().map(|(id, _)| id));
    for id in ids {
        link::send(&FromWorker::Answer { id, answer: Answer::Cancelled });
    }
    link::send(&FromWorker::Writing(None));
}

/// Writes the files that wait, one after the other. While the document is loading they wait on: what is written must not
/// change meanwhile.
pub(super) fn work() {
    let is_loading = |state: &mut State| {
        let stage = state.document.as_ref().map(Document::stage);
        !matches!(stage, None | Some(Stage::Ready | Stage::Failed))
    };
    if with(is_loading) || with(|state| std::mem::replace(&mut state.files.is_working, true)) {
        return;
    }
    wasm_bindgen_futures::spawn_local(async {
        let turns = Turns::new();
        while timed(Some(phrase("Saving")), || with(step)) {
            blob::expected().await;
            turns.give_way().await;
        }
    });
}

/// Writes for a while; false when nothing is left. No job, as files are asked for and ended in between.
fn step(state: &mut State) -> bool {
    let until = now() + SLICE_MS;
    while now() < until {
        let done = match state.files.writing.take() {
            Some(writing) => write(state, writing),
            None => match state.files.waiting.pop_front() {
                Some((id, query)) => begin(state, id, query),
                None => {
                    state.files.is_working = false;
                    return false;
                }
            },
        };
        if let Err((id, answer)) = done {
            link::send(&FromWorker::Answer { id, answer });
            link::send(&FromWorker::Writing(None));
        }
    }
    true
}

fn begin(state: &mut State, id: u32, query: Query) -> Result<(), (u32, Answer)> {
    let document =
        state.document.as_mut().ok_or_else(|| (id, Answer::Failed("Nothing is open.".to_owned())))?;
    if !document.prepare_query(&query) {
        state.files.waiting.push_front((id, query));
        return Ok(());
    }
    let file = document.begin_file(&query).map_err(|answer| (id, answer))?;
    state.files.writing = Some(Writing { id, file, store: BlobStore::default(), bytes: 0, told: now() });
    Ok(())
}

fn write(state: &mut State, mut writing: Writing) -> Result<(), (u32, Answer)> {
    let id = writing.id;
    let failed = |why| (id, Answer::Failed(why));
    let Some(document) = &state.document else { return Err(failed("Nothing is open.".to_owned())) };
    let mut part = Vec::new();
    let is_more = document.write_file(&mut writing.file, &mut part).map_err(failed)?;
    writing.store.append(&part).map_err(|why| failed(why.0))?;
    writing.bytes += part.len() as u64;
    if is_more {
        if TELL_MS <= now() - writing.told {
            writing.told = now();
            link::send(&FromWorker::Writing(Some(writing.bytes)));
        }
        state.files.writing = Some(writing);
        return Ok(());
    }
    let answer = writing.file.answer();
    let mime = if let Answer::File { mime, .. } = &answer { mime.as_str() } else { "" };
    let file = writing.store.file(mime).map_err(|why| failed(why.0))?;
    link::send_with_file(&FromWorker::Answer { id, answer }, &file);
    link::send(&FromWorker::Writing(None));
    Ok(())
}
