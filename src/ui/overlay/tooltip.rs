//! The tooltip: facts beside the pointer after a short rest, or the words of a control.
//!
//! Pictures call [`Tooltips::show`]; controls carry `data-tip="words"` and need nothing else. Shift pins a tooltip of
//! facts, so that its text can be copied; Escape or a press elsewhere lets it go.

use super::beside;
use crate::base::geometry::Point;
use crate::ui::latest::Latest;
use leptos::either::Either;
use leptos::html;
use leptos::prelude::*;
use std::time::Duration;
use wasm_bindgen::JsCast;

/// How long the pointer rests before the first tooltip comes.
const REST: Duration = Duration::from_millis(120);
/// The same for words of controls, which most people know.
const REST_WORDS: Duration = Duration::from_millis(450);

/// What a tooltip says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tip {
    /// The name; may be empty.
    pub title: String,
    /// Color of the square before the name, `0xRRGGBBAA`.
    pub swatch: Option<u32>,
    /// Labels and values, at most seven; a label without a value is a sentence.
    pub rows: Vec<(String, String)>,
    /// Colors of squares before the labels of the rows, `0xRRGGBBAA`; rows beyond them have none.
    pub swatches: Vec<Option<u32>>,
    /// One quiet line below.
    pub hint: String,
}

/// Says what the tooltip shows; a handle from the context.
#[derive(Clone, Copy)]
pub struct Tooltips {
    shown: RwSignal<Option<(Tip, Point)>>,
    is_pinned: RwSignal<bool>,
    latest: Latest,
}

impl Tooltips {
    /// Makes the handle and provides it; the host must stand in the same page.
    pub fn provide() -> Self {
        let tooltips =
            Self { shown: RwSignal::new(None), is_pinned: RwSignal::new(false), latest: Latest::default() };
        provide_context(tooltips);
        tooltips
    }

    /// Shows facts beside a point of the window: at once when a tooltip is up, else after a rest.
    pub fn show(self, at: Point, tip: Tip) {
        if self.is_pinned.get_untracked() {
            return;
        }
        if self.shown.with_untracked(Option::is_some) {
            self.latest.begin();
            self.shown.set(Some((tip, at)));
        } else {
            self.later(at, tip, REST);
        }
    }

    /// Shows facts at once, for what changes under a pointer that is held down.
    pub fn show_now(self, at: Point, tip: Tip) {
        if !self.is_pinned.get_untracked() {
            self.latest.begin();
            self.shown.set(Some((tip, at)));
        }
    }

    fn later(self, at: Point, tip: Tip, rest: Duration) {
        self.latest.after(rest, move || self.shown.set(Some((tip, at))));
    }

    /// Takes the tooltip away, unless it is pinned.
    pub fn hide(self) {
        if !self.is_pinned.get_untracked() {
            self.latest.begin();
            if self.shown.with_untracked(Option::is_some) {
                self.shown.set(None);
            }
        }
    }

    fn release(self) {
        self.is_pinned.set(false);
        self.hide();
    }
}

/// The handle of the page's tooltip; one that nobody sees where no host was provided.
pub fn tooltips() -> Tooltips {
    use_context::<Tooltips>().unwrap_or_else(Tooltips::provide)
}

/// Shows the tooltip. Stands once, at the page's root.
#[component]
pub fn TooltipHost() -> impl IntoView {
    let tooltips = tooltips();
    let node = NodeRef::<html::Div>::new();
    listen(tooltips);
    Effect::new(move |_| {
        let Some((_, at)) = tooltips.shown.get() else { return };
        request_animation_frame(move || {
            let Some(node) = node.get_untracked() else { return };
            let rect = node.get_bounding_client_rect();
            let (x, y) = beside(at, (rect.width(), rect.height()), 16.0);
            let style = web_sys::HtmlElement::style(&node);
            let _ = style.set_property("transform", &format!("translate({x}px, {y}px)"));
        });
    });
    view! {
        <Show when=move || tooltips.shown.with(Option::is_some)>
            <div
                node_ref=node
                class="tooltip"
                class:tooltip--pinned=move || tooltips.is_pinned.get()
                class:tooltip--words=move || {
                    tooltips.shown.with(|s| s.as_ref().is_some_and(|(tip, _)| tip.rows.is_empty()))
                }
                role="tooltip"
            >
                {move || tooltips.shown.get().map(|(tip, _)| content(tip))}
            </div>
        </Show>
    }
}

fn content(tip: Tip) -> impl IntoView {
    let swatch = |color: u32| {
        view! { <i class="swatch" style:background-color=format!("#{color:08x}")></i> }
    };
    let swatches = tip.swatches.into_iter().chain(std::iter::repeat(None));
    let rows = tip.rows.into_iter().zip(swatches).map(|((label, value), color)| {
        if value.is_empty() {
            return Either::Left(view! { <dt class="tooltip__remark">{color.map(swatch)} {label}</dt> });
        }
        Either::Right(view! {
            <dt class="tooltip__label">{color.map(swatch)} {label}</dt>
            <dd class="tooltip__value">{value}</dd>
        })
    });
    let rows: Vec<_> = rows.collect();
    let swatch = tip.swatch.map(swatch);
    view! {
        {(!tip.title.is_empty()).then(|| view! {
            <div class="tooltip__title">{swatch}<span class="tooltip__name">{tip.title}</span></div>
        })}
        {(!rows.is_empty()).then(|| view! { <dl class="tooltip__facts">{rows}</dl> })}
        {(!tip.hint.is_empty()).then(|| view! { <div class="tooltip__hint">{tip.hint}</div> })}
    }
}

/// Words of controls, and the keys that pin and release.
fn listen(tooltips: Tooltips) {
    let over = window_event_listener(leptos::ev::pointerover, move |event| {
        let target = event.target().and_then(|t| t.dyn_into::<web_sys::Element>().ok());
        let Some(control) = target.and_then(|t| t.closest("[data-tip]").ok().flatten()) else { return };
        if event.pointer_type() == "touch" {
            return;
        }
        let words = control.get_attribute("data-tip").unwrap_or_default();
        let rect = control.get_bounding_client_rect();
        let at = Point { x: rect.left() as f32 - 12.0, y: rect.bottom() as f32 - 10.0 };
        tooltips.hide();
        tooltips.later(at, Tip { hint: words, ..Tip::default() }, REST_WORDS);
    });
    let out = window_event_listener(leptos::ev::pointerout, move |event| {
        let target = event.target().and_then(|t| t.dyn_into::<web_sys::Element>().ok());
        if target.is_some_and(|t| t.closest("[data-tip]").ok().flatten().is_some()) {
            tooltips.hide();
        }
    });
    let down = window_event_listener(leptos::ev::pointerdown, move |event| {
        let target = event.target().and_then(|t| t.dyn_into::<web_sys::Element>().ok());
        if target.is_none_or(|t| t.closest(".tooltip").ok().flatten().is_none()) {
            tooltips.release();
        }
    });
    let key = window_event_listener(leptos::ev::keydown, move |event| match event.key().as_str() {
        "Shift" => {
            let has_facts =
                tooltips.shown.with_untracked(|s| s.as_ref().is_some_and(|(tip, _)| !tip.rows.is_empty()));
            if has_facts && !event.repeat() {
                tooltips.is_pinned.update(|pinned| *pinned = !*pinned);
            }
        }
        "Escape" => tooltips.release(),
        _ => {}
    });
    on_cleanup(move || {
        over.remove();
        out.remove();
        down.remove();
        key.remove();
    });
}
