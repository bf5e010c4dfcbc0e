//! Where the files of a document came from, so that they can be had again: handles of the browser, or addresses.
//!
//! A handle (File System Access) reads a file or a folder as it is now, also on a later visit when the user allows it again.
//! Chromium has them; in other browsers the files themselves are all there is.

use super::mapping::{Found, list_folder, path_of};
use crate::base::order;
use crate::browser::text_of;
use gloo::events::EventListener;
use js_sys::{Array, Function, Object, Promise, Reflect};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// Where files came from.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Source {
    /// There is no way back to them but to choose them again.
    #[default]
    Files,
    /// Handles of what was chosen or dropped: files and folders.
    Handles(Vec<Object>),
    /// Names and addresses.
    Addresses(Vec<(String, String)>),
}

/// Why files cannot be had again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lost {
    /// Moved, renamed or deleted.
    Gone,
    /// The browser, or the user, does not allow it.
    Denied,
    /// As the browser says.
    Unreadable(String),
}

impl Lost {
    /// What an error of the browser says.
    pub fn of(error: &JsValue) -> Self {
        match name_of(error).as_str() {
            "NotFoundError" | "TypeMismatchError" => Self::Gone,
            "NotAllowedError" | "SecurityError" => Self::Denied,
            _ => Self::Unreadable(text_of(error)),
        }
    }
}

/// The name of an error of the browser.
pub fn name_of(error: &JsValue) -> String {
    member(error, "name").as_string().unwrap_or_default()
}

fn member(of: &JsValue, name: &str) -> JsValue {
    Reflect::get(of, &name.into()).unwrap_or(JsValue::UNDEFINED)
}

/// Calls a method and waits for what it promises; an error where there is no such method.
async fn call(of: &JsValue, method: &str, with: &Array) -> Result<JsValue, JsValue> {
    let method: Function = member(of, method).dyn_into()?;
    JsFuture::from(Promise::resolve(&method.apply(of, with)?)).await
}

/// The handles of what is dropped, which come later: asked for at once, for after the event the browser forgets them.
pub fn dropped(items: &web_sys::DataTransferItemList) -> Vec<Promise> {
    let items = (0..items.length()).filter_map(|at| items.get(at)).filter(|item| item.kind() == "file");
    items
        .filter_map(|item| {
            let give: Function = member(&item, "getAsFileSystemHandle").dyn_into().ok()?;
            give.call0(&item).ok()?.dyn_into().ok()
        })
        .collect()
}

/// Handles of all that was dropped; where one is missing, there is no way back.
pub async fn of_dropped(promises: Vec<Promise>) -> Source {
    let mut handles = Vec::new();
    for promise in promises {
        match JsFuture::from(promise).await.map(JsCast::dyn_into::<Object>) {
            Ok(Ok(handle)) => handles.push(handle),
            _ => return Source::Files,
        }
    }
    if handles.is_empty() { Source::Files } else { Source::Handles(handles) }
}

/// Whether all of these may be read; `ask` asks the user where that is not known, which needs a press just before.
pub async fn may_read(handles: &[Object], ask: bool) -> bool {
    let mode = Object::new();
    let _ = Reflect::set(&mode, &"mode".into(), &"read".into()); // never fails for an object of ours
    let with = Array::of1(&mode);
    for handle in handles {
        let mut allowed = call(handle, "queryPermission", &with).await;
        if ask && allowed.as_ref().is_ok_and(|allowed| *allowed == "prompt") {
            allowed = call(handle, "requestPermission", &with).await;
        }
        // A browser that knows of no permission asks for none.
        if allowed.is_ok_and(|allowed| allowed != "granted") {
            return false;
        }
    }
    true
}

/// The files of handles as they are now, folders walked to their ends. `tell` hears how many were found; when it says
/// `false`, the walk ends.
pub async fn walk(handles: &[Object], tell: &dyn Fn(u64) -> bool) -> Result<Vec<Found>, Lost> {
    let mut found: Vec<Found> = Vec::new();
    let mut waiting: Vec<(String, Object)> =
        handles.iter().rev().map(|handle| (name_of(handle), handle.clone())).collect();
    while let Some((path, handle)) = waiting.pop() {
        let is_root = !path.contains('/');
        if member(&handle, "kind") == "directory" {
            let mut inside = match inside(&handle).await {
                Err(error) if is_root => return Err(Lost::of(&error)),
                inside => inside.unwrap_or_default(),
            };
            order::sort_by_key(&mut inside, |(name, _)| std::cmp::Reverse(name.clone()));
            waiting.extend(inside.into_iter().map(|(name, handle)| (format!("{path}/{name}"), handle)));
        } else {
            match call(&handle, "getFile", &Array::new()).await {
                Ok(file) => found.push((path, file.unchecked_into())),
                Err(error) if is_root => return Err(Lost::of(&error)),
                Err(_) => {} // gone while the folder was walked
            }
        }
        if !tell(found.len() as u64) {
            return Ok(Vec::new());
        }
    }
    Ok(found)
}

/// Names and handles of what is in a folder.
async fn inside(folder: &Object) -> Result<Vec<(String, Object)>, JsValue> {
    let entries = call(folder, "values", &Array::new()).await?;
    let mut all = Vec::new();
    loop {
        let next = call(&entries, "next", &Array::new()).await?;
        let Ok(handle) = member(&next, "value").dyn_into::<Object>() else { return Ok(all) };
        all.push((name_of(&handle), handle));
    }
}

/// Whether two lists of handles are of the same files and folders.
pub async fn are_same(one: &[Object], other: &[Object]) -> bool {
    for (one, other) in one.iter().zip(other) {
        if call(one, "isSameEntry", &Array::of1(other)).await != Ok(JsValue::TRUE) {
            return false;
        }
    }
    one.len() == other.len()
}

/// Lets the user choose files, or a folder: handles where the browser has them. `take` gets nothing where nothing was
/// chosen, and is called after the handles' files are looked for.
pub fn choose(folder: bool, take: Box<dyn FnOnce(Chosen)>) {
    let name = if folder { "showDirectoryPicker" } else { "showOpenFilePicker" };
    let Ok(picker) = member(&window(), name).dyn_into::<Function>() else {
        return choose_by_input(folder, take);
    };
    let options = Object::new();
    let _ = Reflect::set(&options, &"multiple".into(), &JsValue::TRUE); // never fails for an object of ours
    // Called at once: the browser wants it to follow a press.
    let shown = picker.call1(&window(), &options).and_then(JsCast::dyn_into::<Promise>);
    leptos::task::spawn_local(async move {
        let chosen = match shown {
            Ok(shown) => JsFuture::from(shown).await,
            Err(error) => Err(error),
        };
        match chosen {
            Ok(chosen) if Array::is_array(&chosen) => {
                take(Chosen::Handles(Array::from(&chosen).iter().map(JsCast::unchecked_into).collect()));
            }
            Ok(chosen) => take(Chosen::Handles(vec![chosen.unchecked_into()])),
            Err(error) if name_of(&error) == "AbortError" => {}
            // Such as in the frame of another page.
            Err(_) => choose_by_input(folder, take),
        }
    });
}

/// What was chosen.
pub enum Chosen {
    Handles(Vec<Object>),
    /// Of a browser without handles.
    Files(Vec<Found>),
}

/// The same by an element that every browser has.
fn choose_by_input(folder: bool, take: Box<dyn FnOnce(Chosen)>) {
    let Ok(element) = document().create_element("input") else { return };
    let input: web_sys::HtmlInputElement = element.unchecked_into();
    input.set_type("file");
    input.set_multiple(true);
    if folder {
        let _ = input.set_attribute("webkitdirectory", "");
    }
    let chosen = input.clone();
    let on_change = move |_: &web_sys::Event| {
        let files = list_folder(chosen.files().as_ref());
        take(Chosen::Files(files.into_iter().map(|file| (path_of(&file), file)).collect()));
    };
    EventListener::once(&input, "change", on_change).forget();
    input.click();
}
