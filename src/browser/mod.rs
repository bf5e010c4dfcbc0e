//! What both programs need of the browser: a brush for its canvas, and the texts of its errors.

pub mod brush;

/// The text of a JavaScript error.
pub fn text_of(error: &wasm_bindgen::JsValue) -> String {
    let message = wasm_bindgen::JsCast::dyn_ref::<js_sys::Error>(error).map(|e| String::from(e.message()));
    message.or_else(|| error.as_string()).unwrap_or_else(|| format!("{error:?}"))
}
