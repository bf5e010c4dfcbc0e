//! What the panes of all views share: what a view is, its context, its line to the worker, gestures on planes and lanes, rows.
//!
//! The views themselves stand in `views`.

pub mod context;
pub mod figure;
pub mod gestures;
pub mod headline;
pub mod lanes;
pub mod loading;
pub mod plane;
pub mod rows;
pub mod sentence;

use crate::base::geometry::Size;
use crate::base::map::Map;
use crate::base::words::{self, Language};
use crate::pane::context::ViewContext;
use crate::scene::palette::Palette;
use crate::ui::{Canvas, Extent};
use crate::wire::report::Head;
use crate::wire::{self, Answer, FileHead, Frame, FromWorker, Note, Query, ToWorker};
use futures_channel::oneshot;
use leptos::prelude::{set_timeout, *};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;
use wasm_bindgen::{JsCast, JsValue};

/// One view.
pub struct ViewSpec {
    /// Stable id, the name of its file: `#view=timeline`.
    pub id: &'static str,
    /// English title of its tab, a phrase of `base::words`.
    pub title: &'static str,
    /// The question it answers, in one sentence, for README and help.
    pub question: &'static str,
    /// Whether the document holds what it shows.
    pub can_show: fn(&Head) -> bool,
    /// A small number behind the title, such as how many faults; `None` for none.
    pub badge: fn(&Head) -> Option<u64>,
    /// Whether it shows how the document differs from a baseline.
    pub compares: bool,
    pub show: fn(ViewContext) -> AnyView,
}

/// A name with the symbol that it was written out from below it, for tooltips.
pub fn with_symbol(name: &str, symbol: &str) -> String {
    if symbol.is_empty() { name.to_owned() } else { format!("{name}\n{symbol}") }
}

// A picture that the document's worker draws: a canvas, its frames, and what comes back of each.

/// A canvas that the worker of the document draws on.
///
/// A new frame is drawn whenever `frame`, the size, the colors, the language, or what is loaded changes.
#[component]
pub fn Surface(
    context: ViewContext,
    /// Class of the element around it, which gives the size.
    #[prop(into)]
    class: String,
    /// What to draw; `None` draws nothing.
    #[prop(into)]
    frame: Signal<Option<Frame>>,
    /// Hears what the page must know of each frame, after it is on the canvas.
    #[prop(into)]
    on_note: Callback<Note>,
    /// What a person who cannot see it is told.
    #[prop(into)]
    alt: Signal<String>,
    /// Size and pixel ratio, for the view's own use.
    #[prop(optional)]
    extent: Option<RwSignal<Extent>>,
) -> impl IntoView {
    let extent = extent.unwrap_or_else(|| RwSignal::new(Extent::default()));
    let surface = RwSignal::new(None::<u32>);
    let on_ready = move |canvas: web_sys::HtmlCanvasElement| {
        let hear: Rc<dyn Fn(Option<Note>)> = Rc::new(move |note| match note {
            Some(note) => {
                on_note.try_run(note);
            }
            None => context.refuse(),
        });
        surface.set(context.link().and_then(|link| link.attach(&canvas, hear)));
    };
    Effect::new(move || {
        let (palette, language, now) = (context.palette.get(), context.language.get(), extent.get());
        context.head.track();
        let (Some(surface), Some(frame), Some(link)) = (surface.get(), frame.get(), context.link()) else {
            return;
        };
        if now.size.w < 1.0 || now.size.h < 1.0 {
            return;
        }
        link.set_palette(&palette, language);
        link.draw(surface, now.size, now.ratio, frame);
    });
    on_cleanup(move || {
        if let (Some(Some(surface)), Some(link)) = (surface.try_get_untracked(), context.link()) {
            link.detach(surface);
        }
    });
    view! { <Canvas class=class alt=alt on_ready=on_ready extent=extent /> }
}

/// How far a wheel was turned to the right and down, lines and pages as pixels.
pub fn wheel_pixels(event: &web_sys::WheelEvent) -> (f64, f64) {
    let unit = match event.delta_mode() {
        1 => 16.0,
        2 => 400.0,
        _ => 1.0,
    };
    (event.delta_x() * unit, event.delta_y() * unit)
}

/// The place of a pointer from the corner of the element that listens.
pub fn local(event: &web_sys::MouseEvent) -> (f64, f64) {
    let target = event.current_target().and_then(|t| t.dyn_into::<web_sys::Element>().ok());
    let corner = target.map_or((0.0, 0.0), |t| {
        let rect = t.get_bounding_client_rect();
        (rect.left(), rect.top())
    });
    (f64::from(event.client_x()) - corner.0, f64::from(event.client_y()) - corner.1)
}

// The page's end of the border to one document's worker: questions wait for their answers, frames for their canvas.

/// An answer, and what comes beside it: a `Blob` for a file, an `ArrayBuffer` for other bytes.
pub type QueryResult = (Answer, Option<js_sys::Object>);

/// What a canvas whose frame is dark has.
const DARK: &str = "data-dark";

/// What a worker has left to give its canvases back when its document is closed; a busy one is ended all the same.
const LAST_MOMENT: Duration = Duration::from_millis(100);

/// The line to one worker.
pub struct Link {
    worker: web_sys::Worker,
    next_id: Cell<u32>,
    waiting: RefCell<Map<u32, oneshot::Sender<QueryResult>>>,
    canvases: RefCell<Map<u32, Drawing>>,
    set_palette: RefCell<Option<Palette>>,
    language: Cell<Option<Language>>,
}

/// A canvas in the worker: one frame is under way at a time, the newest waits.
struct Drawing {
    on_note: Rc<dyn Fn(Option<Note>)>,
    /// Says of which theme its colors are: paper is light, and a dark frame may be all that there is when it is printed.
    canvas: web_sys::HtmlCanvasElement,
    /// Whether the frame under way, or else the one on the canvas, is dark.
    is_dark: bool,
    serial: u32,
    is_busy: bool,
    waiting: Option<(Size, f32, Frame)>,
}

impl Link {
    /// A line to a worker that has said hello.
    pub fn new(worker: web_sys::Worker) -> Self {
        Self {
            worker,
            next_id: Cell::new(1),
            waiting: RefCell::default(),
            canvases: RefCell::default(),
            set_palette: RefCell::default(),
            language: Cell::new(None),
        }
    }

    /// Opens files, of a project the operator of this path (empty for the first), with these values of parameters; a
    /// file's bytes stay where they are, only its handle crosses.
    pub fn open(&self, files: &[(String, web_sys::File)], operator: &str, values: Vec<(String, String)>) {
        let heads =
            files.iter().map(|(path, file)| FileHead { path: path.clone(), size: file.size() as u64 });
        let parts = js_sys::Array::new();
        for (_, file) in files {
            parts.push(file);
        }
        let operator = operator.to_owned();
        self.post(
            &ToWorker::Open { files: heads.collect(), operator, values },
            &parts,
            &js_sys::Array::new(),
        );
    }

    /// Asks the worker to say something as soon as it can.
    pub fn ask_alive(&self) {
        self.send(&ToWorker::AreYouAlive);
    }

    /// Whether an answer or a picture is waited for.
    pub fn is_waiting(&self) -> bool {
        !self.waiting.borrow().is_empty() || self.canvases.borrow().values().any(|drawing| drawing.is_busy)
    }

    /// Ends the files that are being written.
    pub fn cancel_files(&self) {
        self.send(&ToWorker::CancelFiles);
    }

    /// Asks; the answer never comes when the worker dies: then the future ends with `Answer::Failed`.
    pub async fn ask(&self, query: Query) -> QueryResult {
        self.ask_with(query, None).await
    }

    /// The same with the bytes that the question speaks of; they are handed over.
    pub async fn ask_with(&self, query: Query, beside: Option<js_sys::Object>) -> QueryResult {
        let id = self.next_id();
        let (sender, receiver) = oneshot::channel();
        self.waiting.borrow_mut().insert(id, sender);
        let things = js_sys::Array::new();
        if let Some(bytes) = beside {
            things.push(&bytes);
        }
        self.post(&ToWorker::Query { id, query }, &things, &things);
        let gone = || (Answer::Failed("The document was closed.".to_owned()), None);
        receiver.await.unwrap_or_else(|_| gone())
    }

    /// Hands a canvas over; `on_note` hears what the page must know of each frame, or that nothing draws it.
    pub fn attach(
        &self,
        canvas: &web_sys::HtmlCanvasElement,
        on_note: Rc<dyn Fn(Option<Note>)>,
    ) -> Option<u32> {
        let surface = canvas.transfer_control_to_offscreen().ok()?;
        let id = self.next_id();
        let parts = js_sys::Array::of1(&surface);
        self.post(&ToWorker::Attach { surface: id }, &parts, &parts);
        let canvas = canvas.clone();
        let drawing = Drawing { on_note, canvas, is_dark: false, serial: 0, is_busy: false, waiting: None };
        self.canvases.borrow_mut().insert(id, drawing);
        Some(id)
    }

    /// The canvas is gone.
    pub fn detach(&self, surface: u32) {
        self.canvases.borrow_mut().remove(&surface);
        self.send(&ToWorker::Detach { surface });
    }

    /// Draws with these colors and words from now on; costs nothing when they are the same.
    pub fn set_palette(&self, palette: &Palette, language: Language) {
        if self.language.replace(Some(language)) != Some(language) {
            let words = words::loaded(language).unwrap_or_default().to_owned();
            self.send(&ToWorker::Language { language, words });
        }
        if self.set_palette.borrow().as_ref() != Some(palette) {
            self.set_palette.replace(Some(palette.clone()));
            self.send(&ToWorker::Palette(palette.clone()));
        }
    }

    /// Hands over a part of the worker's program, or tells that it cannot be had.
    pub fn hand_part(&self, name: String, module: Option<JsValue>) {
        let module = js_sys::Array::of1(&module.unwrap_or_default());
        self.post(&ToWorker::Part { name }, &module, &js_sys::Array::new());
    }

    /// Draws a frame, or keeps it until the one under way is on the canvas.
    pub fn draw(&self, surface: u32, size: Size, ratio: f32, frame: Frame) {
        let mut canvases = self.canvases.borrow_mut();
        let Some(drawing) = canvases.get_mut(&surface) else { return };
        if drawing.is_busy {
            drawing.waiting = Some((size, ratio, frame));
            return;
        }
        drawing.is_busy = true;
        drawing.is_dark = self.set_palette.borrow().as_ref().is_some_and(|palette| palette.theme == "dark");
        drawing.serial += 1;
        let serial = drawing.serial;
        drop(canvases);
        self.send(&ToWorker::Draw { surface, serial, size, ratio, frame });
    }

    /// Takes answers and drawn frames; hands everything else back.
    pub fn receive(&self, message: FromWorker, beside: Option<js_sys::Object>) -> Option<FromWorker> {
        match message {
            FromWorker::Answer { id, answer } => {
                if let Some(sender) = self.waiting.borrow_mut().remove(&id) {
                    let _ = sender.send((answer, beside)); // whoever asked may be gone
                }
            }
            FromWorker::Drawn { surface, note, .. } => self.drawn(surface, note),
            other => return Some(other),
        }
        None
    }

    fn drawn(&self, surface: u32, note: Option<Note>) {
        let (next, on_note) = {
            let mut canvases = self.canvases.borrow_mut();
            let Some(drawing) = canvases.get_mut(&surface) else { return };
            drawing.is_busy = false;
            if drawing.canvas.has_attribute(DARK) != drawing.is_dark {
                let _ = drawing.canvas.toggle_attribute(DARK);
            }
            (drawing.waiting.take(), drawing.on_note.clone())
        };
        if let Some((size, ratio, frame)) = next {
            self.draw(surface, size, ratio, frame);
        }
        on_note(note);
    }

    /// Ends the worker a moment later; all its memory comes back. Whoever waits is told.
    ///
    /// Its canvases are taken from it first: browsers keep the pixels of a worker that was ended for many seconds.
    pub fn end(&self) {
        self.waiting.borrow_mut().clear();
        let canvases = std::mem::take(&mut *self.canvases.borrow_mut());
        for surface in canvases.into_keys() {
            self.send(&ToWorker::Detach { surface });
        }
        let worker = self.worker.clone();
        set_timeout(move || worker.terminate(), LAST_MOMENT);
    }

    fn next_id(&self) -> u32 {
        self.next_id.replace(self.next_id.get() + 1)
    }

    fn send(&self, message: &ToWorker) {
        self.post(message, &js_sys::Array::new(), &js_sys::Array::new());
    }

    fn post(&self, message: &ToWorker, things: &js_sys::Array, handed_over: &js_sys::Array) {
        let packed = js_sys::Uint8Array::from(&wire::pack(message)[..]);
        let parts = js_sys::Array::of1(&packed).concat(things);
        // Fails only for a worker that is gone, and then there is nobody to tell.
        let _ = self.worker.post_message_with_transfer(&parts, handed_over.unchecked_ref());
    }
}
