//! A canvas whose surface goes elsewhere: it reports its size and pixel ratio, and carries a text alternative.

use crate::base::geometry::Size;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

/// How long a text alternative waits for the end of a gesture.
const SETTLE_MS: u64 = 300;

/// How large a canvas is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Extent {
    /// In CSS pixels.
    pub size: Size,
    /// Device pixels in a CSS pixel.
    pub ratio: f32,
}

/// A canvas that fills its parent.
///
/// `on_ready` gets the element once; `extent` follows its size and the pixel ratio.
#[component]
pub fn Canvas(
    /// Class of the element around it, which gives the size.
    #[prop(into)]
    class: String,
    /// What a person who cannot see it is told.
    #[prop(into)]
    alt: Signal<String>,
    /// Gets the element, once.
    #[prop(into)]
    on_ready: Callback<web_sys::HtmlCanvasElement>,
    /// Written whenever the size or the pixel ratio changes.
    extent: RwSignal<Extent>,
) -> impl IntoView {
    let frame = NodeRef::<html::Div>::new();
    let canvas = NodeRef::<html::Canvas>::new();
    let alt = settled(alt);
    // Without words it stands for text that lies over it.
    let label = move || Some(alt.get()).filter(|alt| !alt.is_empty());
    let role = move || if alt.with(String::is_empty) { "presentation" } else { "img" };
    Effect::new(move |was: Option<bool>| {
        let (Some(frame), Some(canvas)) = (frame.get(), canvas.get()) else { return false };
        if was != Some(true) {
            on_ready.run(canvas);
            observe(&frame, extent);
        }
        true
    });
    view! {
        <div class=class node_ref=frame>
            <canvas class="canvas" node_ref=canvas role=role aria-label=label></canvas>
        </div>
    }
}

/// A text that follows another a moment later, not with every frame of a gesture: who listens to it can hear no more, and
/// every change makes work for the page.
fn settled(text: Signal<String>) -> RwSignal<String> {
    let settled = RwSignal::new(text.get_untracked());
    let is_due = StoredValue::new(false);
    Effect::new(move || {
        let now = text.get();
        if settled.with_untracked(String::is_empty) {
            settled.set(now);
        }
        if is_due.get_value() {
            return;
        }
        is_due.set_value(true);
        let follow = move || {
            is_due.try_set_value(false);
            if let Some(now) = text.try_get_untracked().filter(|now| settled.with_untracked(|was| was != now))
            {
                settled.set(now);
            }
        };
        set_timeout(follow, std::time::Duration::from_millis(SETTLE_MS));
    });
    settled
}

/// Follows the size of an element until the owner of the effect is gone.
pub fn observe(element: &web_sys::HtmlDivElement, extent: RwSignal<Extent>) {
    let measured = element.clone();
    follow_size(element, move || {
        let ratio = window().device_pixel_ratio() as f32;
        let size = Size { w: measured.client_width() as f32, h: measured.client_height() as f32 };
        let now = Extent { size, ratio };
        if extent.try_get_untracked().is_some_and(|was| was != now) {
            extent.set(now);
        }
    });
}

/// Measures an element now and whenever its size may be another, until the owner of the effect is gone. What is hidden has
/// no size: it is measured again when it is shown.
pub fn follow_size(element: &web_sys::Element, measure: impl Fn() + Clone + 'static) {
    measure();
    let on_resize = measure.clone();
    let callback = Closure::<dyn Fn()>::new(on_resize);
    // Moving to another screen or zooming the page changes the ratio; both also resize the window.
    let zoom = window_event_listener(leptos::ev::resize, move |_| measure());
    let Ok(observer) = web_sys::ResizeObserver::new(callback.as_ref().unchecked_ref()) else { return };
    observer.observe(element);
    let kept = StoredValue::new_local((observer, callback));
    on_cleanup(move || {
        zoom.remove();
        if let Some((observer, callback)) = kept.try_update_value(|k| (k.0.clone(), k.1.as_ref().clone())) {
            observer.disconnect();
            drop(callback);
        }
    });
}
