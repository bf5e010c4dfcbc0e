//! The program that owns a document: messages in, pictures and messages out.
//!
//! It never blocks for long: between pieces of some 10 ms it returns to its event loop, so that while a file loads its
//! growing trace is drawn and questions are answered. It ends with its page's `terminate`, which gives all memory back.

mod blob;
mod clock;
mod files;
mod link;
mod load;
mod parts;
mod questions;
mod surface;
mod warm;

pub use parts::{Load, Loaded, LoadedViews, Parts, fetch_part};

use crate::base::geometry::Size;
use crate::base::map::Map;
use crate::base::words::{self, Language};
use crate::document::Document;
use crate::engine;
use crate::scene::palette::Palette;
use crate::wire::{Frame, FromWorker, Query, ToWorker, VERSION};
use std::cell::RefCell;
use surface::Surface;
use wasm_bindgen::JsCast;

/// All that this worker holds.
#[derive(Default)]
struct State {
    document: Option<Document>,
    surfaces: Map<u32, Surface>,
    waiting: questions::Waiting,
    files: files::Files,
    palette: Palette,
    language: Language,
    /// How parts of the program are loaded.
    parts: Option<&'static Parts>,
    /// Whether steps of the document are being done.
    is_working: bool,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::new(State::default());
}

/// Begins to listen; says hello when it can be talked to. Systems that it does not hold it loads as parts.
pub fn start(parts: &'static Parts) {
    with(|state| state.parts = Some(parts));
    link::report_panics();
    link::listen(|message, things| receive(message, &things));
    link::send(&FromWorker::Hello { version: VERSION, catalog: engine::catalog() });
    warm::up();
}

fn receive(message: ToWorker, things: &js_sys::Array) {
    match message {
        ToWorker::Open { files, operator, values } => load::open(&files, &operator, &values, things),
        ToWorker::Query {
            id,
            query:
                query @ (Query::RowsFile(_) | Query::Picture(_) | Query::ViewPicture(_) | Query::Export { .. }),
        } => {
            files::ask(id, query);
        }
        ToWorker::Part { name } => parts::receive(&name, &things.get(0)),
        ToWorker::CancelFiles => files::cancel(),
        ToWorker::Query { id, query } => {
            let beside = things.get(0).dyn_into::<js_sys::ArrayBuffer>().ok();
            let beside = beside.map_or(Vec::new(), |bytes| js_sys::Uint8Array::new(&bytes).to_vec());
            questions::ask(id, query, beside);
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
            questions::draw(Drawing { surface, serial, size, ratio, frame });
        }
        ToWorker::AreYouAlive => link::send(&FromWorker::Alive),
        ToWorker::Palette(palette) => with(|state| {
            if let Some(document) = &mut state.document {
                document.set_palette(&palette);
            }
            state.palette = palette;
        }),
        ToWorker::Language { language, words } => with(|state| {
            words::load(language, &words);
            state.language = language;
            if let Some(document) = &mut state.document {
                document.set_language(language);
            }
        }),
    }
}

/// A picture that is wanted; see [`ToWorker::Draw`].
struct Drawing {
    surface: u32,
    serial: u32,
    size: Size,
    ratio: f32,
    frame: Frame,
}

fn draw(state: &mut State, drawing: &Drawing) {
    let &Drawing { surface, serial, size, ratio, ref frame } = drawing;
    let (Some(document), Some(canvas)) = (&mut state.document, state.surfaces.get_mut(&surface)) else {
        return;
    };
    let (scene, note) = document.draw_prepared(frame, size, &state.palette);
    canvas.show(&scene, &state.palette, ratio);
    link::send(&FromWorker::Drawn { surface, serial, note });
}

/// Does something with the state. Never across an `await`.
fn with<T>(work: impl FnOnce(&mut State) -> T) -> T {
    STATE.with(|state| work(&mut state.borrow_mut()))
}
