//! The program that owns a document: messages in, pictures and messages out.
//!
//! It never blocks for long: between pieces of some 10 ms it returns to its event loop, so that while a file loads its
//! growing trace is drawn and questions are answered. It ends with its page's `terminate`, which gives all memory back.

mod blob;
mod load;
mod questions;
mod warm;

use crate::base::fault::Place;
use crate::base::geometry::{Rect, Size};
use crate::base::map::Map;
use crate::base::words::{self, Language, phrase};
use crate::browser::Brush;
use crate::document::{Document, OpeningStage};
use crate::engine::{self, Desk, FileWriter};
use crate::input::unpack::Store;
use crate::scene::palette::Palette;
use crate::scene::raster;
use crate::scene::shape::{Scene, Shape, Spans};
use crate::systems::{self, PARTS, System};
use crate::views::{Engines, Part};
use crate::wire::{self, Answer, Frame, FromWorker, NOT_LOADED, Query, ToWorker, VERSION};
use blob::BlobStore;
use load::{SLICE_MS, Turns};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use wasm_bindgen::prelude::*;
use wasm_bindgen::{Clamped, JsCast};
use wasm_bindgen_futures::JsFuture;
use wasm_split_helpers::SplitLoaderError;
use web_sys::{ImageData, OffscreenCanvas, OffscreenCanvasRenderingContext2d as Context};

/// All that this worker holds.
#[derive(Default)]
struct WorkerState {
    document: Option<Document>,
    surfaces: Map<u32, Surface>,
    waiting: questions::Waiting,
    files: Files,
    palette: Palette,
    language: Language,
    /// How parts of the program are loaded.
    parts: Option<&'static Parts>,
    /// Whether steps of the document are being done.
    is_working: bool,
}

thread_local! {
    static STATE: RefCell<WorkerState> = RefCell::new(WorkerState::default());
}

/// Begins to listen; says hello when it can be talked to. Systems that it does not hold it loads as parts.
pub fn start(parts: &'static Parts) {
    with(|state| state.parts = Some(parts));
    report_panics();
    listen_to_page(|message, things| receive(message, &things));
    send_to_page(&FromWorker::Hello { version: VERSION, catalog: engine::catalog() });
    warm::up();
}

fn receive(message: ToWorker, things: &js_sys::Array) {
    match message {
        ToWorker::Open { files, operator, values } => load::open(&files, &operator, &values, things),
        ToWorker::Query {
            id,
            query:
                query @ (Query::RowsFile(_)
                | Query::Picture(_)
                | Query::ViewPicture(_)
                | Query::ReportFile { .. }
                | Query::Export { .. }),
        } => {
            ask_files(id, query);
        }
        ToWorker::Part { name } => receive_part(&name, &things.get(0)),
        ToWorker::CancelFiles => cancel_files(),
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
        ToWorker::AreYouAlive => send_to_page(&FromWorker::Alive),
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

fn draw(state: &mut WorkerState, drawing: &Drawing) {
    let &Drawing { surface, serial, size, ratio, ref frame } = drawing;
    let (Some(document), Some(canvas)) = (&mut state.document, state.surfaces.get_mut(&surface)) else {
        return;
    };
    let (scene, note) = document.draw_prepared(frame, size, &state.palette);
    canvas.show(&scene, &state.palette, ratio);
    send_to_page(&FromWorker::Drawn { surface, serial, note: Some(note) });
}

/// Does something with the state. Never across an `await`.
fn with<T>(work: impl FnOnce(&mut WorkerState) -> T) -> T {
    STATE.with(|state| work(&mut state.borrow_mut()))
}

// How long the worker works without a pause: the longest such step is told to the page and stands in the report.

/// Steps that are longer by less are not told anew.
const NEWS_MS: f64 = 1.0;

thread_local! {
    /// The longest step that was told.
    static LONGEST: Cell<f64> = const { Cell::new(0.0) };
}

/// Milliseconds since the worker began.
fn now() -> f64 {
    let scope: web_sys::WorkerGlobalScope = js_sys::global().unchecked_into();
    scope.performance().map_or(0.0, |p| p.now())
}

/// Seconds since the begin of 1970.
fn today() -> Option<u64> {
    let millis = js_sys::Date::now();
    (0.0 <= millis).then_some((millis / 1000.0) as u64)
}

/// Does a piece of work and measures it; `what` is an English phrase of `base::words`, nothing for a step of loading,
/// whose name the document knows.
fn timed<T>(what: Option<&'static str>, work: impl FnOnce() -> T) -> T {
    let began = now();
    let done = work();
    let millis = now() - began;
    if LONGEST.get() + NEWS_MS <= millis {
        let is_known = with(|state| {
            let Some(document) = &mut state.document else { return false };
            document.note_longest_step(what, millis);
            true
        });
        if is_known {
            LONGEST.set(millis);
            send_to_page(&FromWorker::LongestStep(millis));
        }
    }
    done
}

// The worker's end of the border: messages as packed bytes, handles beside them.
//
// A message is an array: the bytes first, then the handles it speaks of.

thread_local! {
    /// Where reading was when it was last said; told when the worker dies.
    static PLACE: RefCell<Place> = RefCell::new(Place::default());
}

fn scope() -> web_sys::DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Hands every message to `receive`, with the handles beside it.
fn listen_to_page(receive: impl Fn(ToWorker, js_sys::Array) + 'static) {
    let on_message = Closure::<dyn Fn(web_sys::MessageEvent)>::new(move |event: web_sys::MessageEvent| {
        let parts: js_sys::Array = event.data().unchecked_into();
        let packed: js_sys::Uint8Array = parts.shift().unchecked_into();
        if let Ok(message) = wire::unpack(&packed.to_vec()) {
            receive(message, parts);
        }
    });
    scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget(); // listens for as long as the worker lives
}

/// Sends a message.
fn send_to_page(message: &FromWorker) {
    send_with_bytes(message, None);
}

/// Sends a message with bytes beside it; they are handed over.
fn send_with_bytes(message: &FromWorker, bytes: Option<Vec<u8>>) {
    let bytes = bytes.map(|bytes| js_sys::Uint8Array::from(&bytes[..]).buffer());
    let bytes = bytes.as_deref();
    post(message, bytes, bytes);
}

/// Sends a message with a file, or a list of them, beside it.
fn send_with_file(message: &FromWorker, file: &js_sys::Object) {
    post(message, Some(file), None);
}

fn post(message: &FromWorker, beside: Option<&js_sys::Object>, owned: Option<&js_sys::Object>) {
    if let FromWorker::Progress(progress) = message {
        PLACE.with(|place| place.replace(progress.place.clone()));
    }
    let packed = js_sys::Uint8Array::from(&wire::pack(message)[..]);
    let parts = js_sys::Array::of1(&packed);
    let handed_over = js_sys::Array::of1(&packed.buffer());
    if let Some(thing) = beside {
        parts.push(thing);
    }
    if let Some(thing) = owned {
        handed_over.push(thing);
    }
    // Cannot fail: the buffers were made for this message.
    let _ = scope().post_message_with_transfer(&parts, &handed_over);
}

/// A panic ends the worker; before that it tells what happened, and where it was reading.
fn report_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place = PLACE.with(|place| place.try_borrow().map(|p| p.clone()).unwrap_or_default());
        send_to_page(&FromWorker::Panic { message: info.to_string(), place });
    }));
}

// Parts of this program: systems that are loaded when their files are recognized.
//
// The script that loads them asks [`fetch_part`] for the module of each; the page fetches and compiles it once for all
// workers.

/// The systems of a part, or why it could not be loaded.
pub type Loaded = Result<&'static [&'static System], SplitLoaderError>;
/// What views of a part do and what is asked beside them, or why it could not be loaded.
pub type LoadedViews = Result<(Engines, Option<&'static Desk>), SplitLoaderError>;
/// Loads a part.
pub type Load<T> = fn() -> Pin<Box<dyn Future<Output = T>>>;

/// How each part is loaded.
pub struct Parts {
    /// Systems, by their rows in [`PARTS`].
    pub systems: [Load<Loaded>; PARTS.len()],
    /// Those of views.
    pub views: fn(Part) -> Pin<Box<dyn Future<Output = LoadedViews>>>,
}

thread_local! {
    /// Who waits for modules, by the names of their files.
    static WAITING: RefCell<Vec<(String, js_sys::Function)>> = const { RefCell::new(Vec::new()) };
}

/// The module of a part, compiled.
#[wasm_bindgen]
pub fn fetch_part(name: String) -> js_sys::Promise {
    js_sys::Promise::new(&mut |resolve, _| {
        WAITING.with(|waiting| waiting.borrow_mut().push((name.clone(), resolve)));
        send_to_page(&FromWorker::PartWanted { name: name.clone() });
    })
}

/// Hands a module to who waits for it. One that is missing is `undefined`, from which nothing can be made.
fn receive_part(name: &str, module: &JsValue) {
    let waiting = WAITING.take();
    let (those, others) = waiting.into_iter().partition::<Vec<_>, _>(|(wanted, _)| wanted == name);
    WAITING.with(|waiting| waiting.borrow_mut().extend(others));
    for (_, resolve) in those {
        let _ = resolve.call1(&JsValue::NULL, module);
    }
}

/// Loads the part of this row; the document goes on without one that cannot be had.
async fn load_part(row: usize) {
    if !load_systems(row).await {
        with(|state| {
            if let Some(document) = &mut state.document {
                document.go_without(row);
            }
        });
    }
}

/// Loads the systems of this row and says what can be opened and saved with them. Returns whether they could be had.
async fn load_systems(row: usize) -> bool {
    let load = with(|state| state.parts.and_then(|parts| parts.systems.get(row).copied()));
    let loaded = match load {
        Some(load) => load().await.ok(),
        None => None,
    };
    if let Some(systems) = loaded {
        systems::add(row, systems);
        send_to_page(&FromWorker::PartLoaded(engine::catalog()));
    }
    loaded.is_some()
}

thread_local! {
    /// Parts of views that are being loaded: whoever wants one meanwhile waits for the same try.
    static LOADING: RefCell<Vec<(Part, js_sys::Promise)>> = const { RefCell::new(Vec::new()) };
}

/// Loads parts of views that are missing; who asks them is told when one cannot be had.
async fn load_views(parts: impl IntoIterator<Item = Part>) {
    for part in parts.into_iter().filter(|part| part.is_missing()) {
        let find = |loading: &Vec<(Part, js_sys::Promise)>| {
            loading.iter().find(|(of, _)| *of == part).map(|(_, load)| load.clone())
        };
        let load = LOADING.with_borrow(find).unwrap_or_else(|| begin_loading(part));
        let _ = JsFuture::from(load).await; // it is kept whether it is there now
    }
}

fn begin_loading(part: Part) -> js_sys::Promise {
    let load = wasm_bindgen_futures::future_to_promise(async move {
        if let Some(load) = with(|state| state.parts.map(|parts| parts.views))
            && let Ok((engines, desk)) = load(part).await
        {
            part.add(engines);
            if let Some(desk) = desk {
                engine::add(desk);
            }
        }
        LOADING.with_borrow_mut(|loading| loading.retain(|(of, _)| *of != part));
        Ok(JsValue::UNDEFINED)
    });
    LOADING.with_borrow_mut(|loading| loading.push((part, load.clone())));
    load
}

// Replays a scene on an `OffscreenCanvas`: size, pixel ratio, fonts.

/// Largest edge of a canvas that every browser allows, in device pixels.
const MAX_EDGE: f32 = 16_384.0;

/// A canvas that a component of the page handed over.
struct Surface {
    canvas: OffscreenCanvas,
    context: Context,
    pixels: Vec<u8>,
}

impl Surface {
    /// Takes the canvas; `None` when it has no 2D context.
    fn new(canvas: OffscreenCanvas) -> Option<Self> {
        let context = canvas.get_context("2d").ok()??.dyn_into::<Context>().ok()?;
        Some(Self { canvas, context, pixels: Vec::new() })
    }

    /// Gives the pixels back at once: of a canvas that is only let go, browsers keep them for many seconds.
    fn give_back(&self) {
        self.canvas.set_width(1);
        self.canvas.set_height(1);
    }

    /// Paints the scene over everything.
    fn show(&mut self, scene: &Scene, palette: &Palette, ratio: f32) {
        let edge = |css: f32| (css * ratio).round().clamp(1.0, MAX_EDGE) as u32;
        let (width, height) = (edge(scene.size.w), edge(scene.size.h));
        // Setting the size clears the canvas and is slow: only when it changed.
        if self.canvas.width() != width || self.canvas.height() != height {
            self.canvas.set_width(width);
            self.canvas.set_height(height);
        }
        let scale = f64::from(ratio);
        let _ = self.context.set_transform(scale, 0.0, 0.0, scale, 0.0, 0.0);
        self.context.clear_rect(0.0, 0.0, f64::from(scene.size.w), f64::from(scene.size.h));
        let mut brush = Brush::new(&self.context, palette);
        for shape in &scene.shapes {
            match shape {
                Shape::Spans(spans) => paint_spans(&self.context, spans, palette, ratio, &mut self.pixels),
                Shape::Cells { rect, width, height, colors } => {
                    paint_cells(&self.context, *rect, *width, *height, colors);
                }
                _ => brush.paint(shape),
            }
        }
    }
}

/// One block of pixels for the whole field.
fn paint_spans(context: &Context, spans: &Spans, palette: &Palette, ratio: f32, pixels: &mut Vec<u8>) {
    let (width, height) = raster::paint(spans, palette, ratio, pixels);
    if width == 0 || height == 0 {
        return;
    }
    if let Ok(image) = ImageData::new_with_u8_clamped_array_and_sh(Clamped(pixels), width, height) {
        let at = |css: f32| f64::from((css * ratio).round());
        let _ = context.put_image_data(&image, at(spans.field.x), at(spans.field.y));
    }
}

/// Cells are painted one pixel each on a canvas of their own, then stretched without smoothing.
fn paint_cells(context: &Context, rect: Rect, width: u32, height: u32, colors: &[u32]) {
    let bytes: Vec<u8> = colors.iter().flat_map(|color| color.to_be_bytes()).collect();
    let painted =
        ImageData::new_with_u8_clamped_array_and_sh(Clamped(&bytes), width, height).and_then(|image| {
            let small = OffscreenCanvas::new(width, height)?;
            if let Some(inner) = small.get_context("2d")? {
                inner.unchecked_into::<Context>().put_image_data(&image, 0.0, 0.0)?;
            }
            context.set_image_smoothing_enabled(false);
            let [x, y, w, h] = [rect.x, rect.y, rect.w, rect.h].map(f64::from);
            context.draw_image_with_offscreen_canvas_and_dw_and_dh(&small, x, y, w, h)
        });
    let _ = painted; // a picture that cannot be made leaves its place empty
}

// Files that are saved: written a few milliseconds at a time, into Blobs outside of the wasm memory.

/// How often to tell how much is written; nothing is told of files that are written sooner.
const TELL_MS: f64 = 250.0;

/// Files that are asked for.
#[derive(Default)]
struct Files {
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
    /// How many reads had failed before.
    n_failed: u32,
}

/// What is said of a file that lacks what could not be read for it.
const UNREADABLE: &str =
    phrase("The file changed or was deleted after it was opened. Data that had to be read again is missing.");

/// Takes the question for a file.
fn ask_files(id: u32, query: Query) {
    with(|state| state.files.waiting.push_back((id, query)));
    work_files();
}

/// Ends all files.
fn cancel_files() {
    let (writing, waiting) =
        with(|state| (state.files.writing.take(), std::mem::take(&mut state.files.waiting)));
    let ids = writing.map(|writing| writing.id).into_iter().chain(waiting.into_iter().map(|(id, _)| id));
    for id in ids {
        send_to_page(&FromWorker::Answer { id, answer: Answer::Cancelled });
    }
    send_to_page(&FromWorker::Writing(None));
}

/// Writes the files that wait, one after the other. While the document is loading they wait on: what is written must not
/// change meanwhile. Where none waits no part is loaded for it.
fn work_files() {
    let has_to_wait = |state: &mut WorkerState| {
        let stage = state.document.as_ref().map(Document::stage);
        state.files.waiting.is_empty()
            || !matches!(stage, None | Some(OpeningStage::Ready | OpeningStage::Failed))
    };
    if with(has_to_wait) || with(|state| std::mem::replace(&mut state.files.is_working, true)) {
        return;
    }
    wasm_bindgen_futures::spawn_local(async {
        // What is written may be of any view.
        load_views(Part::ALL).await;
        let turns = Turns::new();
        while timed(Some(phrase("Saving")), || with(step)) {
            blob::expected().await;
            turns.give_way().await;
        }
    });
}

/// Writes for a while; false when nothing is left. No job, as files are asked for and ended in between.
fn step(state: &mut WorkerState) -> bool {
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
            send_to_page(&FromWorker::Answer { id, answer });
            send_to_page(&FromWorker::Writing(None));
        }
    }
    true
}

fn begin(state: &mut WorkerState, id: u32, query: Query) -> Result<(), (u32, Answer)> {
    let document =
        state.document.as_mut().ok_or_else(|| (id, Answer::Failed("Nothing is open.".to_owned())))?;
    if !document.prepare_query(&query) {
        state.files.waiting.push_front((id, query));
        return Ok(());
    }
    let desk = engine::desk().ok_or_else(|| (id, Answer::Failed(NOT_LOADED.to_owned())))?;
    let file = (desk.begin_file)(document, &query).map_err(|answer| (id, answer))?;
    let n_failed = blob::n_failed();
    let store = BlobStore::default();
    state.files.writing = Some(Writing { id, file, store, bytes: 0, told: now(), n_failed });
    Ok(())
}

fn write(state: &mut WorkerState, mut writing: Writing) -> Result<(), (u32, Answer)> {
    let id = writing.id;
    let failed = |why| (id, Answer::Failed(why));
    let Some(document) = &state.document else { return Err(failed("Nothing is open.".to_owned())) };
    let mut part = Vec::new();
    let Some(desk) = engine::desk() else { return Err(failed(NOT_LOADED.to_owned())) };
    let is_more = (desk.write_file)(document, &mut writing.file, &mut part).map_err(failed)?;
    writing.store.append(&part).map_err(|why| failed(why.0))?;
    writing.bytes += part.len() as u64;
    if is_more {
        if TELL_MS <= now() - writing.told {
            writing.told = now();
            send_to_page(&FromWorker::Writing(Some(writing.bytes)));
        }
        state.files.writing = Some(writing);
        return Ok(());
    }
    let mut answer = writing.file.answer();
    if let Answer::File { said, is_whole, .. } = &mut answer
        && writing.n_failed < blob::n_failed()
    {
        *is_whole = false;
        let why = words::tr(state.language, UNREADABLE);
        let all = [why, said.as_str()].join("\n");
        all.trim_end().clone_into(said);
    }
    let mime = if let Answer::File { mime, .. } = &answer { mime.as_str() } else { "" };
    let file = writing.store.file(mime).map_err(|why| failed(why.0))?;
    send_with_file(&FromWorker::Answer { id, answer }, &file);
    send_to_page(&FromWorker::Writing(None));
    Ok(())
}
