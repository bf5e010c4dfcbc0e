//! Opened documents: one worker each. Progress, cancel, and what happens when a worker dies.
//!
//! The worker's script and its compiled module are fetched once and kept, so that an open tab opens more files without
//! the network. One spare worker waits, ready: it also told the page what can be opened.

use super::compare::Pair;
use crate::base::fault::Place;
use crate::ui::text_of;
use crate::view::context::{Shared, ViewContext};
use crate::view::link::Link;
use crate::wire::report::{Head, Report};
use crate::wire::{self, Catalog, FromWorker, Progress, VERSION};
use leptos::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// A worker that loads says where it is many times a second; after this silence it is taken for dead.
const SILENCE_MS: f64 = 15_000.0;

/// Where a document is.
#[derive(Clone, Debug, PartialEq)]
pub enum DocState {
    /// It is being read; the head stands as soon as something can be used.
    Loading(Progress),
    /// Everything can be used.
    Open,
    /// It could not be opened; the report says why.
    Failed(Box<Report>),
    /// Its worker died.
    Dead {
        /// What happened.
        message: String,
        /// Where it was reading.
        place: Place,
    },
}

/// One opened document as the page shows it.
#[derive(Clone, Copy)]
pub struct DocumentRow {
    /// Its number.
    pub id: u32,
    /// What its files are called.
    pub name: RwSignal<String>,
    /// Bytes of its files.
    pub bytes: u64,
    /// Where it is.
    pub state: RwSignal<DocState>,
    /// What it holds; `None` until something can be used.
    pub head: RwSignal<Option<Head>>,
    /// What views get.
    pub context: RwSignal<Option<ViewContext>>,
    files: StoredValue<Vec<(String, web_sys::File)>, LocalStorage>,
    link: StoredValue<Option<Rc<Link>>, LocalStorage>,
    heard: StoredValue<f64>,
}

/// All documents of the page.
#[derive(Clone, Copy)]
pub struct Documents {
    /// In the order they were opened.
    pub list: RwSignal<Vec<DocumentRow>>,
    /// What can be opened, as the spare worker said.
    pub catalog: RwSignal<Catalog>,
    /// Which two are compared.
    pub pair: RwSignal<Pair>,
    /// Why no document can be opened at all, such as a browser without what is needed.
    pub trouble: RwSignal<Option<String>>,
    shared: Shared,
    next: StoredValue<u32>,
    nursery: StoredValue<Rc<Nursery>, LocalStorage>,
}

/// What is needed to make workers, fetched once.
#[derive(Default)]
struct Nursery {
    kit: RefCell<Option<Kit>>,
    /// A worker that has said hello and waits for its document.
    spare: RefCell<Option<Newborn>>,
}

#[derive(Clone)]
struct Kit {
    script_url: String,
    module: JsValue,
}

/// A worker that has said hello, with the ear that hears it.
struct Newborn {
    worker: web_sys::Worker,
    ear: Rc<RefCell<Option<Ear>>>,
}

/// Who hears a worker: messages with their bytes, or the text of an error.
type Ear = Rc<dyn Fn(Result<(FromWorker, Option<js_sys::ArrayBuffer>), String>)>;

impl Documents {
    /// No documents yet; begins to fetch the worker.
    pub fn new(shared: Shared) -> Self {
        let documents = Self {
            list: RwSignal::default(),
            catalog: RwSignal::default(),
            pair: RwSignal::default(),
            trouble: RwSignal::default(),
            shared,
            next: StoredValue::new(1),
            nursery: StoredValue::new_local(Rc::default()),
        };
        documents.breed();
        set_interval(move || documents.listen_for_silence(), std::time::Duration::from_secs(1));
        documents
    }

    /// Opens files as one document and returns its number.
    pub fn open(self, files: Vec<(String, web_sys::File)>) -> u32 {
        let id = self.next.get_value();
        self.next.set_value(id + 1);
        let name = match files.first().map(|f| f.0.split('/').collect::<Vec<_>>()) {
            Some(parts) if 1 < files.len() && 1 < parts.len() => parts[0].to_owned(),
            Some(parts) => parts.last().map_or(String::new(), |&p| p.to_owned()),
            None => String::new(),
        };
        let row = DocumentRow {
            id,
            name: RwSignal::new(name),
            bytes: files.iter().map(|f| f.1.size() as u64).sum(),
            state: RwSignal::new(DocState::Loading(Progress::default())),
            head: RwSignal::new(None),
            context: RwSignal::new(None),
            files: StoredValue::new_local(files),
            link: StoredValue::new_local(None),
            heard: StoredValue::new(now()),
        };
        self.list.update(|list| list.push(row));
        self.start(row);
        id
    }

    /// The row of a document.
    pub fn row(self, id: u32) -> Option<DocumentRow> {
        self.list.get_untracked().into_iter().find(|row| row.id == id)
    }

    /// Closes a document: its worker ends at once, wherever it was, and its memory comes back.
    pub fn close(self, id: u32) {
        if let Some(row) = self.row(id) {
            row.end();
        }
        self.list.update(|list| list.retain(|row| row.id != id));
        self.part_from(id);
        self.breed();
    }

    /// Reads the files of a document anew in a fresh worker.
    pub fn reload(self, id: u32) {
        if let Some(row) = self.row(id) {
            row.end();
            row.head.set(None);
            row.context.set(None);
            row.state.set(DocState::Loading(Progress::default()));
            self.start(row);
        }
    }

    fn start(self, row: DocumentRow) {
        row.heard.set_value(now());
        leptos::task::spawn_local(async move {
            match self.newborn().await {
                Ok(newborn) => self.adopt(row, newborn),
                Err(message) => {
                    row.state.set(DocState::Dead { message, place: Place::default() });
                    self.breed();
                }
            }
        });
    }

    fn adopt(self, row: DocumentRow, newborn: Newborn) {
        if self.list.with_untracked(|list| list.iter().all(|r| r.id != row.id)) {
            newborn.worker.terminate(); // closed before it began
            return;
        }
        let link = Rc::new(Link::new(newborn.worker));
        row.link.set_value(Some(link.clone()));
        let heard = link.clone();
        newborn.ear.replace(Some(Rc::new(move |message| self.hear(row, &heard, message))));
        link.dress(&self.shared.palette.get_untracked(), self.shared.language.get_untracked());
        row.files.with_value(|files| link.open(files));
    }

    /// Takes what a worker says. When it is done, whatever came of it, the next one may begin to live: not before, so
    /// that the processor is all for loading.
    fn hear(
        self,
        row: DocumentRow,
        link: &Rc<Link>,
        message: Result<(FromWorker, Option<js_sys::ArrayBuffer>), String>,
    ) {
        row.heard.try_set_value(now());
        let message = match message {
            Ok((message, bytes)) => link.receive(message, bytes),
            Err(message) => {
                row.die(message, None);
                return self.breed();
            }
        };
        match message {
            Some(FromWorker::Progress(progress)) => return row.advance(progress),
            Some(FromWorker::Opened(head)) if !head.is_complete => return self.opened(row, link, *head),
            Some(FromWorker::Opened(head)) => self.opened(row, link, *head),
            Some(FromWorker::Failed(report)) => row.state.set(DocState::Failed(report)),
            Some(FromWorker::Panic { message, place }) => row.die(message, Some(place)),
            _ => return,
        }
        self.breed();
    }

    fn opened(self, row: DocumentRow, link: &Rc<Link>, head: Head) {
        let is_complete = head.is_complete;
        row.head.set(Some(head));
        if row.context.with_untracked(Option::is_none) {
            let of_row = Signal::derive(move || row.head.get().unwrap_or_default());
            row.context.set(Some(ViewContext::new(
                row.id,
                of_row,
                self.baseline_of(row.id),
                link.clone(),
                self.shared,
            )));
        }
        if is_complete {
            row.state.set(DocState::Open);
        }
    }

    fn listen_for_silence(self) {
        for row in self.list.get_untracked() {
            let is_loading = row.state.with_untracked(|s| matches!(s, DocState::Loading(_)));
            let has_worker = row.link.with_value(Option::is_some);
            if is_loading && has_worker && SILENCE_MS < now() - row.heard.get_value() {
                row.die("The worker stopped answering.".to_owned(), None);
            }
        }
    }

    /// A worker that has said hello: the spare one, or a new one.
    async fn newborn(self) -> Result<Newborn, String> {
        let nursery = self.nursery.get_value();
        let spare = nursery.spare.borrow_mut().take();
        match spare {
            Some(newborn) => Ok(newborn),
            None => bear(&nursery, self.catalog).await,
        }
    }

    /// Makes a spare worker for the next document.
    fn breed(self) {
        let Some(nursery) = self.nursery.try_get_value() else { return };
        leptos::task::spawn_local(async move {
            if nursery.spare.borrow().is_some() {
                return;
            }
            match bear(&nursery, self.catalog).await {
                Ok(newborn) => {
                    let surplus = nursery.spare.borrow_mut().replace(newborn);
                    if let Some(surplus) = surplus {
                        surplus.worker.terminate();
                    }
                }
                Err(message) => self.trouble.set(Some(message)),
            }
        });
    }
}

impl DocumentRow {
    /// Takes where loading is; what comes after the end is of no interest.
    fn advance(&self, progress: Progress) {
        if self.state.with_untracked(|s| matches!(s, DocState::Loading(_))) {
            self.state.set(DocState::Loading(progress));
        }
    }

    /// Ends the worker.
    fn end(&self) {
        if let Some(link) = self.link.try_update_value(Option::take).flatten() {
            link.end();
        }
    }

    /// The worker is dead: its place in the file is what it said last.
    fn die(&self, message: String, place: Option<Place>) {
        let last = self.state.with_untracked(|s| match s {
            DocState::Loading(progress) => progress.place.clone(),
            _ => Place::default(),
        });
        self.end();
        self.state.set(DocState::Dead { message, place: place.unwrap_or(last) });
    }
}

/// Makes a worker and waits for its hello.
async fn bear(nursery: &Rc<Nursery>, catalog: RwSignal<Catalog>) -> Result<Newborn, String> {
    let kit = nursery.kit.borrow().clone();
    let kit = match kit {
        Some(kit) => kit,
        None => {
            let kit = fetch_kit().await.map_err(|e| text_of(&e))?;
            nursery.kit.replace(Some(kit.clone()));
            kit
        }
    };
    let options = web_sys::WorkerOptions::new();
    options.set_type(web_sys::WorkerType::Module);
    let worker = web_sys::Worker::new_with_options(&kit.script_url, &options).map_err(|e| text_of(&e))?;
    let ear: Rc<RefCell<Option<Ear>>> = Rc::default();
    let (sender, hello) = futures_channel::oneshot::channel();
    let sender = RefCell::new(Some(sender));
    ear.replace(Some(Rc::new(move |message| {
        if let Some(sender) = sender.borrow_mut().take() {
            let _ = sender.send(message);
        }
    })));
    give_ear(&worker, &ear);
    worker.post_message(&kit.module).map_err(|e| text_of(&e))?;
    match hello.await {
        Ok(Ok((FromWorker::Hello { version: VERSION, catalog: told }, _))) => {
            catalog.set(told);
            Ok(Newborn { worker, ear })
        }
        Ok(Ok(_)) => Err("The worker is of another version: reload the page.".to_owned()),
        Ok(Err(message)) => Err(message),
        Err(_) => Err("The worker did not start.".to_owned()),
    }
}

/// Hands all that a worker says to whoever holds the ear at that time.
fn give_ear(worker: &web_sys::Worker, ear: &Rc<RefCell<Option<Ear>>>) {
    let heard = ear.clone();
    let on_message = Closure::<dyn Fn(web_sys::MessageEvent)>::new(move |event: web_sys::MessageEvent| {
        let parts: js_sys::Array = event.data().unchecked_into();
        let packed: js_sys::Uint8Array = parts.get(0).unchecked_into();
        let bytes = parts.get(1).dyn_into::<js_sys::ArrayBuffer>().ok();
        let message =
            wire::unpack(&packed.to_vec()).map_err(|e| format!("The worker said something odd: {e}"));
        let hearer = heard.borrow().clone();
        if let Some(hearer) = hearer {
            hearer(message.map(|m| (m, bytes)));
        }
    });
    worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget(); // lives as long as the worker, which the page does not outlive
    let heard = ear.clone();
    let on_error = Closure::<dyn Fn(web_sys::Event)>::new(move |event: web_sys::Event| {
        event.prevent_default();
        let message = event.dyn_ref::<web_sys::ErrorEvent>().map(web_sys::ErrorEvent::message);
        let hearer = heard.borrow().clone();
        if let Some(hearer) = hearer {
            hearer(Err(message.unwrap_or_else(|| "The worker could not be started.".to_owned())));
        }
    });
    worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    on_error.forget();
}

/// Fetches the worker's script and compiles its module. The built script waits for the module as its first message, so
/// that no further worker needs the network.
async fn fetch_kit() -> Result<Kit, JsValue> {
    let base = document().base_uri()?.unwrap_or_default();
    let build =
        document().query_selector("meta[name=lanescope-build]")?.and_then(|m| m.get_attribute("content"));
    let tail = build.map_or(String::new(), |b| format!("?b={b}"));
    let url = |name: &str| web_sys::Url::new_with_base(&format!("{name}{tail}"), &base).map(|u| u.href());
    let script = fetch(&url("worker.js")?).await?;
    let script = JsFuture::from(script.text()?).await?.as_string().unwrap_or_default();
    let parts = js_sys::Array::of1(&script.into());
    let options = web_sys::BlobPropertyBag::new();
    options.set_type("text/javascript");
    let blob = web_sys::Blob::new_with_str_sequence_and_options(&parts, &options)?;
    let script_url = web_sys::Url::create_object_url_with_blob(&blob)?;
    let wasm = fetch(&url("worker_bg.wasm")?).await?;
    let bytes = JsFuture::from(wasm.array_buffer()?).await?;
    let module = JsFuture::from(js_sys::WebAssembly::compile(&bytes)).await?;
    Ok(Kit { script_url, module })
}

async fn fetch(url: &str) -> Result<web_sys::Response, JsValue> {
    let response: web_sys::Response = JsFuture::from(window().fetch_with_str(url)).await?.unchecked_into();
    if response.ok() {
        Ok(response)
    } else {
        Err(JsValue::from_str(&format!("{url} could not be fetched: {}", response.status_text())))
    }
}

fn now() -> f64 {
    window().performance().map_or(0.0, |p| p.now())
}
