//! What floats above the page. One host of each stands at the page's root; widgets and views speak to them by context.

pub mod menu;

use crate::base::geometry::Point;
use crate::ui::icon::{Glyph, Icon, SeverityIcon};
use crate::ui::{Latest, words};
use leptos::either::Either;
use leptos::html;
use leptos::prelude::*;
use std::time::Duration;
use wasm_bindgen::JsCast;

/// Where a floating box of `size` goes beside a point: `gap` away, turned over at the edges of the window.
pub fn beside(at: Point, size: (f64, f64), gap: f64) -> (f64, f64) {
    let extent = |side: Result<wasm_bindgen::JsValue, _>| {
        side.ok().and_then(|v: wasm_bindgen::JsValue| v.as_f64()).unwrap_or(1280.0)
    };
    let (width, height) = (extent(window().inner_width()), extent(window().inner_height()));
    let place = |at: f64, size: f64, limit: f64| {
        let after = at + gap;
        if after + size <= limit - 4.0 {
            after
        } else if 4.0 <= at - gap - size {
            at - gap - size
        } else {
            (limit - 4.0 - size).max(4.0)
        }
    };
    (place(f64::from(at.x), size.0, width), place(f64::from(at.y), size.1, height))
}

// A dialog over the page: the browser's own, so that the keyboard stays inside and Escape closes it.

/// A dialog with a head and a close button. It is shown as long as it stands in the view.
#[component]
pub fn Dialog(
    #[prop(into)] title: Signal<String>,
    /// It was closed, by whatever means.
    on_close: Callback<()>,
    /// More classes, such as `dialog--text`.
    #[prop(into, optional)]
    class: String,
    /// Controls in the head, before the close button.
    #[prop(into, optional)]
    tools: ViewFnOnce,
    children: Children,
) -> impl IntoView {
    let words = words();
    let node = NodeRef::<html::Dialog>::new();
    show_modal(node);
    view! {
        <dialog
            node_ref=node
            class=format!("dialog {class}")
            aria-label=move || title.get()
            autofocus
            on:close=move |_| on_close.run(())
            on:click=move |event| close_outside(&event, node)
        >
            <div class="dialog__head">
                <h2 class="dialog__title">{move || title.get()}</h2>
                {tools.run()}
                <button
                    class="button button--plain"
                    type="button"
                    aria-label=words.tr("Close")
                    on:click=move |_| close(node)
                >
                    <Icon glyph=Glyph::Close />
                </button>
            </div>
            <div class="dialog__body" tabindex="0" role="region" aria-label=move || title.get()>{children()}</div>
        </dialog>
    }
}

/// Opens a dialog element as soon as it is in the page.
pub fn show_modal(node: NodeRef<html::Dialog>) {
    Effect::new(move |_| {
        if let Some(dialog) = node.get() {
            request_animation_frame(move || {
                if dialog.is_connected() && !dialog.open() {
                    let _ = dialog.show_modal();
                }
            });
        }
    });
}

/// Closes a dialog element; its `close` event follows.
pub fn close(node: NodeRef<html::Dialog>) {
    if let Some(dialog) = node.get_untracked() {
        dialog.close();
    }
}

/// A press on the ground outside closes: such presses have the dialog itself as target and lie outside its box.
pub fn close_outside(event: &leptos::ev::MouseEvent, node: NodeRef<html::Dialog>) {
    let Some(dialog) = node.get_untracked() else { return };
    let is_self = event.target().is_some_and(|t| t.dyn_ref::<web_sys::HtmlDialogElement>() == Some(&dialog));
    let rect = dialog.get_bounding_client_rect();
    let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
    let inside = rect.left() <= x && x < rect.right() && rect.top() <= y && y < rect.bottom();
    if is_self && !inside {
        dialog.close();
    }
}

// Toasts: what happened and what it means, at the bottom right.
//
// Notes and warnings go after six seconds unless the pointer rests on them; loss and fatal stay until they are closed.

/// How long a toast stays.
const STAY: Duration = Duration::from_secs(6);
/// How many are on the screen.
const MOST: usize = 4;

/// What a toast says.
#[derive(Clone)]
pub struct Toast {
    /// `note`, `warning`, `loss` or `fatal`.
    pub severity: &'static str,
    pub title: String,
    /// What it means; may be empty.
    pub note: String,
    /// One thing to do: its name and what it does.
    pub action: Option<(String, Callback<()>)>,
}

impl Toast {
    /// A note without an action.
    pub fn note(title: impl Into<String>, note: impl Into<String>) -> Self {
        Self { severity: "note", title: title.into(), note: note.into(), action: None }
    }
}

#[derive(Clone)]
struct Shown {
    id: u32,
    toast: Toast,
}

/// Says toasts; a handle from the context.
#[derive(Clone, Copy)]
pub struct Toasts {
    shown: RwSignal<Vec<Shown>>,
    next: StoredValue<u32>,
    held: RwSignal<bool>,
}

impl Toasts {
    /// Makes the handle and provides it; the host must stand in the same page.
    pub fn provide() -> Self {
        let toasts =
            Self { shown: RwSignal::new(Vec::new()), next: StoredValue::new(0), held: RwSignal::new(false) };
        provide_context(toasts);
        toasts
    }

    /// Shows a toast.
    pub fn say(self, toast: Toast) {
        let id = self.next.get_value();
        self.next.set_value(id.wrapping_add(1));
        let goes = matches!(toast.severity, "note" | "warning");
        self.shown.update(|shown| {
            if MOST <= shown.len() {
                shown.remove(0);
            }
            shown.push(Shown { id, toast });
        });
        if goes {
            self.drop_later(id);
        }
    }

    fn drop_later(self, id: u32) {
        set_timeout(
            move || {
                if self.held.get_untracked() {
                    self.drop_later(id);
                } else {
                    self.close(id);
                }
            },
            STAY,
        );
    }

    fn close(self, id: u32) {
        self.shown.update(|shown| shown.retain(|s| s.id != id));
    }
}

/// The handle of the page's toasts.
fn toasts() -> Toasts {
    use_context::<Toasts>().unwrap_or_else(Toasts::provide)
}

/// Shows the toasts. Stands once, at the page's root.
#[component]
pub fn ToastHost() -> impl IntoView {
    let toasts = toasts();
    view! {
        <div
            class="toasts"
            role="status"
            aria-live="polite"
            on:pointerenter=move |_| toasts.held.set(true)
            on:pointerleave=move |_| toasts.held.set(false)
        >
            <For each=move || toasts.shown.get() key=|shown| shown.id let:shown>
                <OneToast shown toasts />
            </For>
        </div>
    }
}

#[component]
fn OneToast(shown: Shown, toasts: Toasts) -> impl IntoView {
    let words = words();
    let Shown { id, toast } = shown;
    let action = toast.action.map(|(title, act)| {
        let press = move |_| {
            act.run(());
            toasts.close(id);
        };
        view! { <button class="button button--text" type="button" on:click=press>{title}</button> }
    });
    view! {
        <div class="toast">
            <SeverityIcon severity=toast.severity />
            <div>
                <div class="toast__title">{toast.title}</div>
                {(!toast.note.is_empty()).then(|| view! { <p class="toast__note">{toast.note}</p> })}
            </div>
            <div class="toast__tools">
                {action}
                <button
                    class="button button--small"
                    type="button"
                    aria-label=words.tr("Close")
                    on:click=move |_| toasts.close(id)
                >
                    <Icon glyph=Glyph::Close small=true />
                </button>
            </div>
        </div>
    }
}

// The tooltip: facts beside the pointer after a short rest, or the words of a control.
//
// Pictures call [`Tooltips::show`]; controls carry `data-tip="words"` and need nothing else. Shift pins a tooltip of
// facts, so that its text can be copied; Escape or a press elsewhere lets it go.

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

    /// Takes the tooltip away, pinned or not: what it speaks of is gone.
    pub fn release(self) {
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
