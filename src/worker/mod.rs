//! The program that owns a document: messages in, pictures and messages out.
//!
//! It never blocks for long: between pieces of some 10 ms it returns to its event loop, so that while a file loads its
//! growing trace is drawn and questions are answered. It ends with its page's `terminate`, which gives all memory back.

mod blob;
mod clock;
mod link;
mod load;
mod rows;
mod surface;
mod warm;

use crate::base::geometry::Size;
use crate::base::map::Map;
use crate::base::words::phrase;
use crate::document::{self, Document};
use crate::scene::palette::Palette;
use crate::wire::{Answer, Frame, FromWorker, Query, ToWorker, VERSION};
use clock::timed;
use std::cell::RefCell;
use surface::Surface;
use wasm_bindgen::JsCast;

/// All that this worker holds.
#[derive(Default)]
struct State {
    document: Option<Document>,
    surfaces: Map<u32, Surface>,
    rows: rows::Waiting,
    palette: Palette,
    language: crate::base::words::Language,
    /// Whether steps of the document are being done.
    is_working: bool,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::new(State::default());
}

/// Begins to listen; says hello when it can be talked to.
pub fn start() {
    link::say_panics();
    link::listen(|message, things| receive(message, &things));
    link::send(&FromWorker::Hello { version: VERSION, catalog: document::catalog() });
    warm::up();
}

fn receive(message: ToWorker, things: &js_sys::Array) {
    match message {
        ToWorker::Open { files, operator, values } => load::open(&files, &operator, &values, things),
        ToWorker::Query { id, query: Query::Rows(ask) } => rows::ask(id, ask),
        ToWorker::Query { id, query } => {
            let beside = things.get(0).dyn_into::<js_sys::ArrayBuffer>().ok();
            let beside = beside.map_or(Vec::new(), |bytes| js_sys::Uint8Array::new(&bytes).to_vec());
            let (answer, bytes) = timed(Some(phrase("Computing")), || {
                with(|state| match &mut state.document {
                    Some(document) => document.query_with(&query, &beside),
                    None => (Answer::Failed("Nothing is open.".to_owned()), None),
                })
            });
            link::send_with_bytes(&FromWorker::Answer { id, answer }, bytes);
            load::compute();
        }
        ToWorker::Attach { surface } => {
            if let Ok(canvas) = things.get(0).dyn_into::<web_sys::OffscreenCanvas>()
                && let Some(made) = Surface::new(canvas)
            {
                with(|state| state.surfaces.insert(surface, made));
            }
        }
        ToWorker::Detach { surface } => {
            if let Some(canvas) = with(|state| state.surfaces.remove(&surface)) {
                canvas.give_back();
            }
        }
        ToWorker::Draw { surface, serial, size, ratio, frame } => {
            timed(Some(phrase("Drawing")), || draw(surface, serial, size, ratio, &frame));
        }
        ToWorker::AreYouAlive => link::send(&FromWorker::Alive),
        ToWorker::Palette(palette) => with(|state| {
            if let Some(document) = &mut state.document {
                document.dress(&palette);
            }
            state.palette = palette;
        }),
        ToWorker::Language(language) => with(|state| {
            state.language = language;
            if let Some(document) = &mut state.document {
                document.speak(language);
            }
        }),
    }
}

fn draw(surface: u32, serial: u32, size: Size, ratio: f32, frame: &Frame) {
    let note = with(|state| {
        let document = state.document.as_mut()?;
        let canvas = state.surfaces.get_mut(&surface)?;
        let (scene, note) = document.draw(frame, size, &state.palette);
        canvas.show(&scene, &state.palette, ratio);
        Some(note)
    });
    if let Some(note) = note {
        link::send(&FromWorker::Drawn { surface, serial, note });
    }
}

/// Does something with the state. Never across an `await`.
fn with<T>(work: impl FnOnce(&mut State) -> T) -> T {
    STATE.with(|state| work(&mut state.borrow_mut()))
}
