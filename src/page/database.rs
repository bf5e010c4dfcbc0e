//! What the browser keeps of more than a short text: handles of opened files, and notes. Nothing of it leaves the browser.
//!
//! A browser that keeps nothing, such as one in a private window, is no trouble: what is read is then not there.

use gloo::events::EventListener;
use js_sys::{Function, Promise};
use leptos::prelude::window;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    IdbDatabase, IdbObjectStore, IdbOpenDbRequest, IdbRequest, IdbTransaction, IdbTransactionMode,
};

const NAME: &str = "lanescope";
const VERSION: u32 = 1;

/// A store of the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shelf {
    /// Handles of recent files, by the ids of their openings.
    Handles,
    /// Notes, by the fingerprints of what they are about.
    Notes,
}

impl Shelf {
    const ALL: [Self; 2] = [Self::Handles, Self::Notes];

    fn name(self) -> &'static str {
        match self {
            Self::Handles => "handles",
            Self::Notes => "notes",
        }
    }
}

/// What stands under a key.
pub async fn read(shelf: Shelf, key: &str) -> Option<JsValue> {
    let reading = async {
        let database = open().await?;
        let store = database.transaction_with_str(shelf.name())?.object_store(shelf.name())?;
        let value = done(store.get(&key.into())?).await;
        database.close();
        value
    };
    reading.await.ok().filter(|value| !value.is_undefined())
}

/// Puts what `change` makes of what stands under a key; `None` takes it away. Nobody else writes in between.
pub async fn change(
    shelf: Shelf,
    key: &str,
    mut change: Box<dyn FnMut(JsValue) -> Option<JsValue>>,
) -> Result<(), JsValue> {
    let key = JsValue::from(key);
    let database = open().await?;
    let (store, ended) = begin_writing(&database, shelf)?;
    let before = done(store.get(&key)?).await?;
    match change(before) {
        Some(value) => store.put_with_key(&value, &key)?,
        None => store.delete(&key)?,
    };
    let ended = JsFuture::from(ended).await;
    database.close();
    ended.map(drop).map_err(|_| why(store.transaction().error()))
}

/// Takes everything away that a shelf holds.
pub async fn clear(shelf: Shelf) -> Result<(), JsValue> {
    let database = open().await?;
    let (store, ended) = begin_writing(&database, shelf)?;
    store.clear()?;
    let ended = JsFuture::from(ended).await;
    database.close();
    ended.map(drop).map_err(|_| why(store.transaction().error()))
}

fn begin_writing(database: &IdbDatabase, shelf: Shelf) -> Result<(IdbObjectStore, Promise), JsValue> {
    let transaction = database.transaction_with_str_and_mode(shelf.name(), IdbTransactionMode::Readwrite)?;
    Ok((transaction.object_store(shelf.name())?, ended(&transaction)))
}

/// Keeps its promise when everything is written, and breaks it when that cannot be, such as where no room is left: the
/// transaction then has the error.
fn ended(transaction: &IdbTransaction) -> Promise {
    Promise::new(&mut |resolve, reject| {
        transaction.set_oncomplete(Some(&resolve));
        transaction.set_onabort(Some(&reject));
    })
}

async fn open() -> Result<IdbDatabase, JsValue> {
    let factory = window().indexed_db()?.ok_or(JsValue::NULL)?;
    let request: IdbOpenDbRequest = factory.open_with_u32(NAME, VERSION)?;
    let made = request.clone();
    let make = move |_: &web_sys::Event| {
        let Ok(database) = made.result().map(JsCast::unchecked_into::<IdbDatabase>) else { return };
        for shelf in Shelf::ALL {
            let _ = database.create_object_store(shelf.name()); // a new database has none of them
        }
    };
    let _making = EventListener::once(&request, "upgradeneeded", make);
    done(request.unchecked_into()).await.map(JsCast::unchecked_into)
}

/// The result of a request, as soon as it is there.
async fn done(request: IdbRequest) -> Result<JsValue, JsValue> {
    let answered = Promise::new(&mut |resolve: Function, reject: Function| {
        request.set_onsuccess(Some(&resolve));
        request.set_onerror(Some(&reject));
    });
    JsFuture::from(answered).await.map_err(|_| why(request.error().ok().flatten()))?;
    request.result()
}

/// Why something failed: the event that says so does not tell. Nothing, where the browser gives no reason.
fn why(error: Option<web_sys::DomException>) -> JsValue {
    error.map_or_else(|| JsValue::from_str(""), JsValue::from)
}
