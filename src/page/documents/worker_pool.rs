//! Makes the workers of documents: what they need is fetched once, and one waits, ready, for the next document.

use crate::base::map::Map;
use crate::browser::text_of;
use crate::pane::Link;
use crate::wire::{self, Catalog, FromWorker, VERSION};
use futures_channel::oneshot;
use leptos::prelude::*;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// The script of workers, their module, and the folder of the parts that they load when they are needed.
const SCRIPT: &str = "worker.js";
const MODULE: &str = "worker_bg.wasm";
const PARTS: &str = "worker_parts";

/// How long to wait before a part that did not come is asked for again: most networks are back at once.
const TRY_AGAIN_MS: [u32; 3] = [200, 800, 2_000];

/// What is needed to make workers, fetched once.
#[derive(Default)]
pub(super) struct WorkerPool {
    assets: RefCell<Option<WorkerAssets>>,
    /// Parts of the program, by the names of their files: compiled when they are needed, and fetched before, so that they
    /// are there without a network too.
    parts: RefCell<Map<String, Part>>,
    /// A worker that has said hello and waits for its document.
    pub(super) spare: RefCell<Option<SpareWorker>>,
    /// Whether the next spare one is being prepared.
    pub(super) is_preparing: Cell<bool>,
    /// When that began, in milliseconds.
    pub(super) began: Cell<f64>,
    /// The document that waits for the one that is being prepared.
    pub(super) taker: RefCell<Option<oneshot::Sender<Result<SpareWorker, String>>>>,
}

#[derive(Clone)]
enum Part {
    Fetched(web_sys::Blob),
    Compiled(JsValue),
}

#[derive(Clone)]
pub(super) struct WorkerAssets {
    script_url: String,
    module: JsValue,
}

/// A worker that has said hello, and how it is heard.
pub(super) struct SpareWorker {
    pub(super) link: Rc<Link>,
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
    /// From now on this listener hears the worker.
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
    /// Fetches the parts and keeps them. What fails is tried again when it is needed.
    pub(super) async fn keep_parts(&self) {
        let names = document().query_selector("meta[name=lanescope-parts]").ok().flatten();
        let names = names.and_then(|meta| meta.get_attribute("content")).unwrap_or_default();
        for name in names.split_whitespace() {
            let is_kept = self.parts.borrow().contains_key(name);
            if !is_kept && let Ok(blob) = fetch_blob(&format!("{PARTS}/{name}")).await {
                self.parts.borrow_mut().entry(name.to_owned()).or_insert(Part::Fetched(blob));
            }
        }
    }

    /// A part of the program, compiled; asked for again where the network does not bring it.
    pub(super) async fn part(&self, name: &str) -> Result<JsValue, JsValue> {
        let mut part = self.try_part(name).await;
        for pause in TRY_AGAIN_MS {
            if part.is_err() {
                gloo::timers::future::TimeoutFuture::new(pause).await;
                part = self.try_part(name).await;
            }
        }
        part
    }

    async fn try_part(&self, name: &str) -> Result<JsValue, JsValue> {
        let kept = self.parts.borrow().get(name).cloned();
        let blob = match kept {
            Some(Part::Compiled(module)) => return Ok(module),
            Some(Part::Fetched(blob)) => blob,
            None => fetch_blob(&format!("{PARTS}/{name}")).await?,
        };
        match compile(&blob).await {
            Ok(module) => {
                self.parts.borrow_mut().insert(name.to_owned(), Part::Compiled(module.clone()));
                Ok(module)
            }
            Err(why) => {
                // What came was no program, such as the page of a login: the next try asks the network anew.
                self.parts.borrow_mut().remove(name);
                Err(why)
            }
        }
    }

    /// Whether what workers are made of is not here yet.
    pub(super) fn is_fetching(&self) -> bool {
        self.assets.borrow().is_none()
    }

    async fn assets(&self) -> Result<WorkerAssets, JsValue> {
        if let Some(assets) = &*self.assets.borrow() {
            return Ok(assets.clone());
        }
        let script = script_url(&fetch_blob(SCRIPT).await?)?;
        let assets = WorkerAssets { script_url: script, module: compile(&fetch_blob(MODULE).await?).await? };
        self.assets.replace(Some(assets.clone()));
        Ok(assets)
    }
}

/// Makes a worker and waits for its hello.
pub(super) async fn spawn(pool: &Rc<WorkerPool>, catalog: RwSignal<Catalog>) -> Result<SpareWorker, String> {
    let assets = pool.assets().await.map_err(|e| text_of(&e))?;
    let options = web_sys::WorkerOptions::new();
    options.set_type(web_sys::WorkerType::Module);
    let worker = web_sys::Worker::new_with_options(&assets.script_url, &options).map_err(|e| text_of(&e))?;
    let (sender, hello) = oneshot::channel();
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
            let link = Rc::new(Link::new(worker));
            // It warms up with parts, and would wait for them ever after if nobody gave them.
            let (of, parts) = (Rc::downgrade(pool), link.clone());
            subscription.set_listener(Rc::new(move |message| match (message, of.upgrade()) {
                (Ok((FromWorker::PartWanted { name }, _)), Some(pool)) => {
                    hand_part(pool, parts.clone(), name);
                }
                (Ok((FromWorker::PartLoaded(told), _)), _) => catalog.update(|catalog| catalog.join(told)),
                _ => {}
            }));
            Ok(SpareWorker { link, subscription })
        }
        Ok(Ok(_)) => Err("The worker has a different version: reload the page.".to_owned()),
        Ok(Err(message)) => Err(message),
        Err(_) => Err("The worker did not start.".to_owned()),
    }
}

/// Gives a worker the part of its program that it asks for.
pub(super) fn hand_part(pool: Rc<WorkerPool>, link: Rc<Link>, name: String) {
    leptos::task::spawn_local(async move {
        let module = pool.part(&name).await.ok();
        link.hand_part(name, module);
    });
}

/// Hands all that a worker says to whoever listens at that time.
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

async fn fetch_blob(name: &str) -> Result<web_sys::Blob, JsValue> {
    Ok(JsFuture::from(fetch(name).await?.blob()?).await?.unchecked_into())
}

/// An address of the script. It waits for the module as its first message, so that no further worker needs the network.
fn script_url(script: &web_sys::Blob) -> Result<String, JsValue> {
    let options = web_sys::BlobPropertyBag::new();
    options.set_type("text/javascript");
    let parts = js_sys::Array::of1(script);
    let script = web_sys::Blob::new_with_blob_sequence_and_options(&parts, &options)?;
    web_sys::Url::create_object_url_with_blob(&script)
}

async fn compile(module: &web_sys::Blob) -> Result<JsValue, JsValue> {
    let bytes = JsFuture::from(module.array_buffer()).await?;
    JsFuture::from(js_sys::WebAssembly::compile(&bytes)).await
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
