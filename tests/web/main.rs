//! Tests of our code that need a browser but no page: `wasm-bindgen-test` runs them in a headless Chromium.
#![cfg(target_arch = "wasm32")]

use lanescope::base::geometry::Rect;
use lanescope::browser::brush::Brush;
use lanescope::scene::palette::{Ink, Palette, parse_color};
use lanescope::scene::shape::Shape;
use lanescope::ui::stages::{enqueue, when_done};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// Lets everything go on that waits with a time of 0.
async fn rest() {
    let over = js_sys::Promise::new(&mut |resolve, _| {
        gloo::timers::callback::Timeout::new(50, move || {
            resolve.call0(&wasm_bindgen::JsValue::NULL).expect("a promise takes its value");
        })
        .forget();
    });
    wasm_bindgen_futures::JsFuture::from(over).await.expect("the promise is kept");
}

#[wasm_bindgen_test]
async fn pieces_are_done_in_their_order_each_in_a_task_of_its_own() {
    let done = Rc::new(RefCell::new(Vec::new()));
    let write = |word: &'static str| {
        let done = done.clone();
        move || done.borrow_mut().push(word)
    };
    when_done(Box::new(write("end")));
    let (first, asked, in_task) = (write("first"), write("asked by the first"), write("microtask"));
    enqueue(move || {
        first();
        enqueue(asked);
        // Runs before the next task does.
        wasm_bindgen_futures::spawn_local(async move { in_task() });
    });
    enqueue(write("second"));
    assert!(done.borrow().is_empty(), "nothing is done at once");
    rest().await;
    assert_eq!(*done.borrow(), ["first", "microtask", "second", "asked by the first", "end"]);
    enqueue(write("later"));
    rest().await;
    assert_eq!(done.borrow().last(), Some(&"later"));
}

#[wasm_bindgen_test]
fn a_filled_rectangle_has_the_color_of_its_token_and_no_other_pixel_has() {
    let canvas = web_sys::OffscreenCanvas::new(8, 4).expect("a canvas off the page");
    let context = canvas.get_context("2d").ok().flatten().expect("a context");
    let context: web_sys::OffscreenCanvasRenderingContext2d = context.unchecked_into();
    let color = parse_color("#12ab34").expect("a color");
    let palette = Palette::default();
    let rect = Rect { x: 2.0, y: 1.0, w: 3.0, h: 2.0 };
    Brush::new(&context, &palette).paint(&Shape::Fill { rect, radius: 0.0, ink: Ink::Rgba(color) });
    let pixels = context.get_image_data(0.0, 0.0, 8.0, 4.0).expect("pixels").data();
    for (n, pixel) in pixels.chunks(4).enumerate() {
        let is_inside = (2..5).contains(&(n % 8)) && (1..3).contains(&(n / 8));
        let wanted = if is_inside { [0x12, 0xab, 0x34, 0xff] } else { [0; 4] };
        assert_eq!(pixel, wanted, "pixel {} of row {}", n % 8, n / 8);
    }
}
