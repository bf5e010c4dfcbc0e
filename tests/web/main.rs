//! Tests that need a browser but no page: `wasm-bindgen-test` runs them in a headless Chromium.
#![cfg(target_arch = "wasm32")]

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn the_browser_draws_on_a_canvas_off_the_page() {
    let canvas = web_sys::OffscreenCanvas::new(4, 4);
    assert!(canvas.is_ok_and(|canvas| canvas.get_context("2d").is_ok_and(|context| context.is_some())));
}
