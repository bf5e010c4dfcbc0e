//! Saving a figure: SVG and CSV as the document's exports write them, PNG from that SVG.

use crate::base::words::{phrase, tr};
use crate::pane::context::{Offer, ViewContext};
use crate::ui::blob;
use crate::ui::icon::{Glyph, Icon};
use crate::ui::overlay::menu::{MenuItem, menus};
use crate::wire::Query;
use base64::Engine;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, CanvasRenderingContext2d, HtmlCanvasElement, HtmlImageElement, Url};

/// Pixels of a saved PNG in a CSS pixel.
const SHARP: f64 = 2.0;
/// The longest edge of a canvas that every browser paints.
const MOST_PX: f64 = 16_384.0;

/// The button that opens the menu of formats.
#[component]
pub fn SaveButton(
    /// The document.
    context: ViewContext,
    /// Id of the family.
    id: String,
    /// What is chosen.
    #[prop(into)]
    chosen: Signal<Vec<usize>>,
    /// Whether the figure is saved as it was joined with a baseline.
    #[prop(optional, into)]
    is_compared: Signal<bool>,
) -> impl IntoView {
    let items = Callback::new(move |()| {
        let numbers: Vec<String> = chosen.get_untracked().iter().map(usize::to_string).collect();
        let joined = if is_compared.get_untracked() { ":compared" } else { "" };
        let argument = format!("{id}:{}{joined}", numbers.join(","));
        vec![
            (phrase("Save as SVG"), format!("figure-svg:{argument}"), false),
            (phrase("Save as PNG"), format!("figure-svg:{argument}"), true),
            (phrase("Save numbers as CSV"), format!("figures-csv:{argument}"), false),
        ]
    });
    view! { <SaveMenu context label=context.word("Save this figure") items /> }
}

/// The button that opens a menu of exports: title, id, and whether the SVG that it makes is saved as PNG.
#[component]
pub fn SaveMenu(
    /// The document.
    context: ViewContext,
    /// What is saved.
    #[prop(into)]
    label: Signal<String>,
    /// The exports of now.
    items: Callback<(), Vec<(&'static str, String, bool)>>,
) -> impl IntoView {
    let menus = menus();
    let open = move |event: leptos::ev::MouseEvent| {
        let Some(control) = event.current_target().and_then(|t| t.dyn_into::<web_sys::Element>().ok()) else {
            return;
        };
        let language = context.language.get_untracked();
        let item = |(title, id, is_png): (&'static str, String, bool)| {
            let offer = Offer { title, file: Query::Export { id }, is_png };
            MenuItem::act(tr(language, title), "", move || save(context, offer.clone()))
        };
        let items = items.run(()).into_iter().map(item).collect();
        menus.open_below(&control, label.get_untracked(), items);
    };
    view! {
        <button
            class="button button--plain button--small figure__save"
            type="button"
            aria-haspopup="menu"
            aria-label=label
            data-tip=label
            on:click=open
        >
            <Icon glyph=Glyph::Export />
        </button>
    }
}

/// Saves a file that a view offers.
pub fn save(context: ViewContext, offer: Offer) {
    leptos::task::spawn_local(async move {
        let Some((name, file)) = context.file(offer.file).await else { return };
        if !offer.is_png {
            return context.save.run((name, file));
        }
        match png(&file).await {
            Ok(picture) => {
                let name = format!("{}.png", name.trim_end_matches(".svg"));
                context.save.run((name, picture));
            }
            Err(_) => context.say.run((context.tr("Could not draw the image.").to_owned(), true)),
        }
    });
}

/// Paints SVG on a canvas and takes its pixels.
async fn png(svg: &Blob) -> Result<Blob, JsValue> {
    let address = Url::create_object_url_with_blob(svg)?;
    let painted = paint(&address).await;
    Url::revoke_object_url(&address)?;
    blob(&painted?, "image/png")
}

async fn paint(address: &str) -> Result<Vec<u8>, JsValue> {
    let image = HtmlImageElement::new()?;
    image.set_src(address);
    JsFuture::from(image.decode()).await?;
    let (w, h) = (f64::from(image.natural_width()), f64::from(image.natural_height()));
    let sharp = SHARP.min(MOST_PX / w.max(h).max(1.0));
    let (w, h) = ((w * sharp).round(), (h * sharp).round());
    let canvas: HtmlCanvasElement = document().create_element("canvas")?.unchecked_into();
    canvas.set_width(w as u32);
    canvas.set_height(h as u32);
    let context: CanvasRenderingContext2d = canvas.get_context("2d")?.ok_or("no context")?.unchecked_into();
    context.draw_image_with_html_image_element_and_dw_and_dh(&image, 0.0, 0.0, w, h)?;
    let text = canvas.to_data_url_with_type("image/png")?;
    let data = text.split_once(',').map_or("", |(_, data)| data);
    base64::engine::general_purpose::STANDARD.decode(data).map_err(|e| JsValue::from_str(&e.to_string()))
}
