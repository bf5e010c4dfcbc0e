//! A picture that the document's worker draws: a canvas, its frames, and what comes back of each.

use crate::pane::context::ViewContext;
use crate::ui::canvas::{Canvas, Extent};
use crate::wire::{Frame, Note};
use leptos::prelude::*;
use std::rc::Rc;
use wasm_bindgen::JsCast;

/// A canvas that the worker of the document draws on.
///
/// A new frame is drawn whenever `frame`, the size, the colors, the language, or what is loaded changes.
#[component]
pub fn Surface(
    /// The document.
    context: ViewContext,
    /// Class of the element around it, which gives the size.
    #[prop(into)]
    class: String,
    /// What to draw; `None` draws nothing.
    #[prop(into)]
    frame: Signal<Option<Frame>>,
    /// Hears what the page must know of each frame, after it is on the canvas.
    #[prop(into)]
    on_note: Callback<Note>,
    /// What a person who cannot see it is told.
    #[prop(into)]
    alt: Signal<String>,
    /// Size and pixel ratio, for the view's own use.
    #[prop(optional)]
    extent: Option<RwSignal<Extent>>,
) -> impl IntoView {
    let extent = extent.unwrap_or_else(|| RwSignal::new(Extent::default()));
    let surface = RwSignal::new(None::<u32>);
    let on_ready = move |canvas: web_sys::HtmlCanvasElement| {
        let hear: Rc<dyn Fn(Note)> = Rc::new(move |note| {
            on_note.try_run(note);
        });
        surface.set(context.link().and_then(|link| link.attach(&canvas, hear)));
    };
    Effect::new(move || {
        let (palette, language, now) = (context.palette.get(), context.language.get(), extent.get());
        context.head.track();
        let (Some(surface), Some(frame), Some(link)) = (surface.get(), frame.get(), context.link()) else {
            return;
        };
        if now.size.w < 1.0 || now.size.h < 1.0 {
            return;
        }
        link.set_palette(&palette, language);
        link.draw(surface, now.size, now.ratio, frame);
    });
    on_cleanup(move || {
        if let (Some(Some(surface)), Some(link)) = (surface.try_get_untracked(), context.link()) {
            link.detach(surface);
        }
    });
    view! { <Canvas class=class alt=alt on_ready=on_ready extent=extent /> }
}

/// The place of a pointer from the corner of the element that listens.
pub fn local(event: &web_sys::MouseEvent) -> (f64, f64) {
    let target = event.current_target().and_then(|t| t.dyn_into::<web_sys::Element>().ok());
    let corner = target.map_or((0.0, 0.0), |t| {
        let rect = t.get_bounding_client_rect();
        (rect.left(), rect.top())
    });
    (f64::from(event.client_x()) - corner.0, f64::from(event.client_y()) - corner.1)
}
