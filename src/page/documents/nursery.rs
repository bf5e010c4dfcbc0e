//! Makes the workers of documents: what they need is fetched once, and one waits, ready, for the next document.

use crate::ui::text_of;
use crate::wire::{self, Catalog, FromWorker, VERSION};
use leptos::prelude::*;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// What is needed to make workers, fetched once.
#[derive(Default)]
pub(super) struct Nursery {
    pub(super) kit: RefCell<Option<Kit>>,
    /// A worker that has said hello and waits for its document.
    pub(super) spare: RefCell<Option<Newborn>>,
    /// Whether the next spare one is on its way.
    pub(super) is_breeding: Cell<bool>,
}

#[derive(Clone)]
pub(super) struct Kit {
    script_url: String,
    module: JsValue,
}

/// A worker that has said hello, and how it is heard.
pub(super) struct Newborn {
    pub(super) worker: web_sys::Worker,
    pub(super) hearing: Hearing,
}

/// Hears one worker until it is dropped.
pub(super) struct Hearing {
    worker: web_sys::Worker,
    ear: Rc<RefCell<Option<Ear>>>,
    /// What the browser calls with a message, and with an error.
    _on_message: Closure<dyn Fn(web_sys::MessageEvent)>,
    _on_error: Closure<dyn Fn(web_sys::Event)>,
}

impl Hearing {
    /// From now on this ear hears the worker.
    pub(super) fn hand_to(&self, ear: Ear) {
        self.ear.replace(Some(ear));
    }
}

impl Drop for Hearing {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.ear.replace(None); // it holds the line to the worker
    }
}

/// Who hears a worker: messages with their bytes, or the text of an error.
pub(super) type Ear = Rc<dyn Fn(Result<(FromWorker, Option<js_sys::Object>), String>)>;

/// Makes a worker and waits for its hello.
pub(super) async fn bear(nursery: &Rc<Nursery>, catalog: RwSignal<Catalog>) -> Result<Newborn, String> {
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
    let (sender, hello) = futures_channel::oneshot::channel();
    let sender = RefCell::new(Some(sender));
    let hearing = give_ear(
        &worker,
        Rc::new(move |message| {
            if let Some(sender) = sender.borrow_mut().take() {
                let _ = sender.send(message);
            }
        }),
    );
    worker.post_message(&kit.module).map_err(|e| text_of(&e))?;
    match hello.await {
        Ok(Ok((FromWorker::Hello { version: VERSION, catalog: told }, _))) => {
            catalog.set(told);
            Ok(Newborn { worker, hearing })
        }
        Ok(Ok(_)) => Err("The worker has a different version: reload the page.".to_owned()),
        Ok(Err(message)) => Err(message),
        Err(_) => Err("The worker did not start.".to_owned()),
    }
}

/// Hands all that a worker says to whoever holds the ear at that time.
fn give_ear(worker: &web_sys::Worker, first: Ear) -> Hearing {
    let ear = Rc::new(RefCell::new(Some(first)));
    let heard = ear.clone();
    let on_message = Closure::<dyn Fn(web_sys::MessageEvent)>::new(move |event: web_sys::MessageEvent| {
        let parts: js_sys::Array = event.data().unchecked_into();
        let packed: js_sys::Uint8Array = parts.get(0).unchecked_into();
        let beside = parts.get(1).dyn_into::<js_sys::Object>().ok();
        let message =
            wire::unpack(&packed.to_vec()).map_err(|e| format!("Unexpected message from the worker: {e}"));
        let hearer = heard.borrow().clone();
        if let Some(hearer) = hearer {
            hearer(message.map(|m| (m, beside)));
        }
    });
    worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    let heard = ear.clone();
    let on_error = Closure::<dyn Fn(web_sys::Event)>::new(move |event: web_sys::Event| {
        event.prevent_default();
        let message = event.dyn_ref::<web_sys::ErrorEvent>().map(web_sys::ErrorEvent::message);
        let hearer = heard.borrow().clone();
        if let Some(hearer) = hearer {
            hearer(Err(message.unwrap_or_else(|| "Could not start the worker.".to_owned())));
        }
    });
    worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    Hearing { worker: worker.clone(), ear, _on_message: on_message, _on_error: on_error }
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
        Err(JsValue::from_str(&format!("Could not fetch {url}: {}", response.status_text())))
    }
}
