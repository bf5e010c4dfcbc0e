//! Makes the workers of documents: what they need is fetched once, and one waits, ready, for the next document.

use crate::ui::text_of;
use crate::wire::{self, Catalog, FromWorker, VERSION};
use leptos::prelude::*;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// A program of workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Program {
    /// The one that every document begins in.
    #[default]
    First,
    /// For probes and instrumented programs; loaded when it is needed.
    Probes,
    /// For lifetimes of data; loaded when it is needed.
    Lifetimes,
}

impl Program {
    /// Its script and its module.
    fn files(self) -> [&'static str; 2] {
        match self {
            Self::First => ["worker.js", "worker_bg.wasm"],
            Self::Probes => ["worker_probes.js", "worker_probes_bg.wasm"],
            Self::Lifetimes => ["worker_lifetimes.js", "worker_lifetimes_bg.wasm"],
        }
    }

    /// Those that are loaded when they are needed, in the order of `systems::LATER`.
    const LATER: [Self; 2] = [Self::Probes, Self::Lifetimes];

    /// The one of this row of `systems::LATER`.
    pub(super) fn later(row: usize) -> Self {
        Self::LATER.get(row).copied().unwrap_or_default()
    }
}

/// What is needed to make workers, fetched once.
#[derive(Default)]
pub(super) struct WorkerPool {
    /// By program.
    assets: RefCell<[Option<WorkerAssets>; 3]>,
    /// Files of later programs, fetched before somebody needs them, so that they start without a network too.
    kept: RefCell<[Option<[web_sys::Blob; 2]>; 3]>,
    /// A worker that has said hello and waits for its document.
    pub(super) spare: RefCell<Option<SpareWorker>>,
    /// Whether the next spare one is on its way.
    pub(super) is_preparing: Cell<bool>,
}

#[derive(Clone)]
pub(super) struct WorkerAssets {
    script_url: String,
    module: JsValue,
}

/// A worker that has said hello, and how it is heard.
pub(super) struct SpareWorker {
    pub(super) worker: web_sys::Worker,
    pub(super) subscription: Subscription,
}

/// Hears one worker until it is dropped.
pub(super) struct Subscription {
    worker: web_sys::Worker,
    listener: Rc<RefCell<Option<Listener>>>,
    /// What the browser calls with a message, and with an error.
    _on_message: Closure<dyn Fn(web_sys::MessageEvent)>,
    _on_error: Closure<dyn Fn(web_sys::Event)>,
}

impl Subscription {
    /// From now on this ear hears the worker.
    pub(super) fn set_listener(&self, listener: Listener) {
        self.listener.replace(Some(listener));
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.listener.replace(None); // it holds the line to the worker
    }
}

/// Who hears a worker: messages with their bytes, or the text of an error.
pub(super) type Listener = Rc<dyn Fn(Result<(FromWorker, Option<js_sys::Object>), String>)>;

impl WorkerPool {
    /// Fetches the files of the later programs and keeps them. What fails is tried again when they are needed.
    pub(super) async fn keep_later(&self) {
        for program in Program::LATER {
            let is_kept = self.kept.borrow()[program as usize].is_some();
            if !is_kept && let Ok(files) = fetch_files(program).await {
                self.kept.borrow_mut()[program as usize] = Some(files);
            }
        }
    }

    async fn assets(&self, program: Program) -> Result<WorkerAssets, JsValue> {
        if let Some(assets) = &self.assets.borrow()[program as usize] {
            return Ok(assets.clone());
        }
        let kept = self.kept.borrow()[program as usize].clone();
        let files = match kept {
            Some(files) => files,
            None => fetch_files(program).await?,
        };
        let assets = make_assets(files).await?;
        self.assets.borrow_mut()[program as usize] = Some(assets.clone());
        Ok(assets)
    }
}

/// Makes a worker and waits for its hello.
pub(super) async fn spawn(
    pool: &Rc<WorkerPool>,
    program: Program,
    catalog: RwSignal<Catalog>,
) -> Result<SpareWorker, String> {
    let assets = pool.assets(program).await.map_err(|e| text_of(&e))?;
    let options = web_sys::WorkerOptions::new();
    options.set_type(web_sys::WorkerType::Module);
    let worker = web_sys::Worker::new_with_options(&assets.script_url, &options).map_err(|e| text_of(&e))?;
    let (sender, hello) = futures_channel::oneshot::channel();
    let sender = RefCell::new(Some(sender));
    let subscription = subscribe(
        &worker,
        Rc::new(move |message| {
            if let Some(sender) = sender.borrow_mut().take() {
                let _ = sender.send(message);
            }
        }),
    );
    worker.post_message(&assets.module).map_err(|e| text_of(&e))?;
    match hello.await {
        Ok(Ok((FromWorker::Hello { version: VERSION, catalog: told }, _))) => {
            catalog.update(|catalog| catalog.join(told));
            Ok(SpareWorker { worker, subscription })
        }
        Ok(Ok(_)) => Err("The worker has a different version: reload the page.".to_owned()),
        Ok(Err(message)) => Err(message),
        Err(_) => Err("The worker did not start.".to_owned()),
    }
}

/// Hands all that a worker says to whoever holds the ear at that time.
fn subscribe(worker: &web_sys::Worker, first: Listener) -> Subscription {
    let listener = Rc::new(RefCell::new(Some(first)));
    let heard = listener.clone();
    let on_message = Closure::<dyn Fn(web_sys::MessageEvent)>::new(move |event: web_sys::MessageEvent| {
        let parts: js_sys::Array = event.data().unchecked_into();
        let packed: js_sys::Uint8Array = parts.get(0).unchecked_into();
        let beside = parts.get(1).dyn_into::<js_sys::Object>().ok();
        let message =
            wire::unpack(&packed.to_vec()).map_err(|e| format!("Unexpected message from the worker: {e}"));
        let current = heard.borrow().clone();
        if let Some(current) = current {
            current(message.map(|m| (m, beside)));
        }
    });
    worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    let heard = listener.clone();
    let on_error = Closure::<dyn Fn(web_sys::Event)>::new(move |event: web_sys::Event| {
        event.prevent_default();
        let message = event.dyn_ref::<web_sys::ErrorEvent>().map(web_sys::ErrorEvent::message);
        let current = heard.borrow().clone();
        if let Some(current) = current {
            current(Err(message.unwrap_or_else(|| "Could not start the worker.".to_owned())));
        }
    });
    worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    Subscription { worker: worker.clone(), listener, _on_message: on_message, _on_error: on_error }
}

/// Fetches the script and the module of a program.
async fn fetch_files(program: Program) -> Result<[web_sys::Blob; 2], JsValue> {
    let [script, module] = program.files();
    let mut blobs = Vec::new();
    for name in [script, module] {
        blobs.push(JsFuture::from(fetch(name).await?.blob()?).await?.unchecked_into::<web_sys::Blob>());
    }
    blobs.try_into().map_err(|_| JsValue::NULL)
}

/// Compiles the module of a program. The built script waits for it as its first message, so that no further worker needs
/// the network.
async fn make_assets([script, module]: [web_sys::Blob; 2]) -> Result<WorkerAssets, JsValue> {
    let options = web_sys::BlobPropertyBag::new();
    options.set_type("text/javascript");
    let parts = js_sys::Array::of1(&script);
    let script = web_sys::Blob::new_with_blob_sequence_and_options(&parts, &options)?;
    let script_url = web_sys::Url::create_object_url_with_blob(&script)?;
    let bytes = JsFuture::from(module.array_buffer()).await?;
    let module = JsFuture::from(js_sys::WebAssembly::compile(&bytes)).await?;
    Ok(WorkerAssets { script_url, module })
}

/// Fetches a file that was built together with this page: not an older or a newer one of that name.
pub async fn fetch(name: &str) -> Result<web_sys::Response, JsValue> {
    let base = document().base_uri()?.unwrap_or_default();
    let build =
        document().query_selector("meta[name=lanescope-build]")?.and_then(|m| m.get_attribute("content"));
    let tail = build.map_or(String::new(), |b| format!("?b={b}"));
    let url = web_sys::Url::new_with_base(&format!("{name}{tail}"), &base)?.href();
    let response: web_sys::Response = JsFuture::from(window().fetch_with_str(&url)).await?.unchecked_into();
    if response.ok() {
        Ok(response)
    } else {
        Err(JsValue::from_str(&format!("Could not fetch {url}: {}", response.status_text())))
    }
}
