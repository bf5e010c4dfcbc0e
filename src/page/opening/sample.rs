//! The samples that stand beside the page: what they are, and how one is opened.

use super::address;
use crate::page::state::PageState;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

const FOLDER: &str = "samples";

/// One sample of `public/samples/index.json`.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Stable id.
    pub id: String,
    /// English title, a phrase of `base::words`.
    pub title: String,
    /// What there is to see in it, a phrase of `base::words`.
    pub note: String,
    /// Its files, relative to the folder of samples; the part before the last `/` becomes part of the path.
    pub files: Vec<String>,
    /// Bytes of all files.
    pub bytes: u64,
    /// A miniature of 132 by 40: slice color 1 to 12 (0: waiting), x, y, width, height of each rectangle.
    pub picture: Vec<(u8, f32, f32, f32, f32)>,
}

/// The list of samples; empty when the page was built without them.
pub async fn list() -> Vec<Sample> {
    read().await.unwrap_or_default()
}

async fn read() -> Option<Vec<Sample>> {
    let base = document().base_uri().ok()??;
    let url = web_sys::Url::new_with_base(&format!("{FOLDER}/index.json"), &base).ok()?.href();
    let response: web_sys::Response =
        JsFuture::from(window().fetch_with_str(&url)).await.ok()?.unchecked_into();
    if !response.ok() {
        return None;
    }
    let text = JsFuture::from(response.text().ok()?).await.ok()?.as_string()?;
    let list: js_sys::Array = js_sys::JSON::parse(&text).ok()?.dyn_into().ok()?;
    Some(list.iter().filter_map(|sample| of_value(&sample)).collect())
}

/// Read by the browser: the page itself needs no reader of JSON.
fn of_value(value: &JsValue) -> Option<Sample> {
    let member = |name: &str| js_sys::Reflect::get(value, &name.into()).ok();
    let text = |name: &str| member(name)?.as_string();
    let list = |name: &str| member(name)?.dyn_into::<js_sys::Array>().ok();
    let rect = |value: JsValue| {
        let numbers: js_sys::Array = value.dyn_into().ok()?;
        let number = |i: u32| numbers.get(i).as_f64();
        let px = |i: u32| number(i).map(|n| n as f32);
        Some((number(0)? as u8, px(1)?, px(2)?, px(3)?, px(4)?))
    };
    Some(Sample {
        id: text("id")?,
        title: text("title")?,
        note: text("note")?,
        files: list("files")?.iter().filter_map(|path| path.as_string()).collect(),
        bytes: member("bytes")?.as_f64()? as u64,
        picture: list("picture")?.iter().filter_map(rect).collect(),
    })
}

/// Opens a sample.
pub fn open(state: PageState, sample: &Sample) {
    let files = sample.files.iter().map(|path| (path.clone(), format!("{FOLDER}/{path}")));
    address::open_named(state, files.collect());
}
