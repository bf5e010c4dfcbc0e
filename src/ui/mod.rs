//! Widgets that know nothing of traces: they take texts, numbers and callbacks.
//!
//! Every widget can be used by keyboard alone and names itself to screen readers. Looks come from `style/controls.css`,
//! `table.css` and `overlay.css`: the block of a class is the widget's name.

pub mod field;
pub mod icon;
pub mod overlay;
pub mod split;
pub mod table;
pub mod tabs;
pub mod text;

use crate::base::geometry::Size;
use crate::base::pieces::{Piece, Pieces};
use crate::base::words::{self, Language};
use icon::{Glyph, Icon};
use leptos::html;
use leptos::prelude::*;
use leptos::reactive::traits::IsDisposed;
use leptos::task::spawn_local;
use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;
use wasm_bindgen::prelude::*;

/// The language of the page, for words in views.
#[derive(Clone, Copy)]
pub struct Words(pub Signal<Language>);

/// The language the page provides as context; English where nobody does.
pub fn words() -> Words {
    use_context::<Words>().unwrap_or_else(|| Words(Signal::stored(Language::En)))
}

impl Words {
    /// The phrase in the page's language, for a place in a view: follows the language.
    pub fn tr(self, english: &'static str) -> impl Fn() -> &'static str + Copy + Send + Sync + 'static {
        move || words::tr(self.language(), english)
    }

    /// The phrase in the language of now.
    pub fn now(self, english: &'static str) -> &'static str {
        words::tr(self.0.try_get_untracked().unwrap_or_else(words::reader), english)
    }

    /// The language, followed; the page's own where what was asked for is gone already.
    pub fn language(self) -> Language {
        self.0.try_get().unwrap_or_else(words::reader)
    }
}

/// Writes text to the clipboard; `done` is told whether it worked.
pub fn copy_text(text: &str, done: impl FnOnce(bool) + 'static) {
    let clipboard = window().navigator().clipboard();
    if clipboard.is_undefined() {
        done(false); // only secure addresses have one
        return;
    }
    let promise = clipboard.write_text(text);
    leptos::task::spawn_local(async move {
        done(wasm_bindgen_futures::JsFuture::from(promise).await.is_ok());
    });
}

/// Whether the keyboard is in a field of text.
pub fn is_typing(target: Option<web_sys::EventTarget>) -> bool {
    let element = target.and_then(|t| wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(t).ok());
    let Some(element) = element else { return false };
    let name = element.tag_name();
    element.is_content_editable() || matches!(name.as_str(), "TEXTAREA" | "SELECT") || {
        let kind = element.get_attribute("type").unwrap_or_default();
        name == "INPUT" && !matches!(kind.as_str(), "checkbox" | "radio" | "range" | "button")
    }
}

/// Bytes as a file of a media type.
///
/// # Errors
/// When the browser has no room for it.
pub fn blob(bytes: &[u8], mime: &str) -> Result<web_sys::Blob, wasm_bindgen::JsValue> {
    let options = web_sys::BlobPropertyBag::new();
    options.set_type(mime);
    let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(bytes));
    web_sys::Blob::new_with_u8_array_sequence_and_options(&parts, &options)
}

// A bar of progress: a true share, or a running piece when the end is not known.

/// Shows how much is done.
#[component]
pub fn Progress(
    /// What is being done, for screen readers.
    #[prop(into)]
    label: Signal<String>,
    /// 0 to 1; nothing when the end is not known.
    #[prop(into)]
    share: Signal<Option<f64>>,
    /// 2 px instead of 4.
    #[prop(optional)]
    thin: bool,
) -> impl IntoView {
    let percent = move || share.get().map(|s| (s.clamp(0.0, 1.0) * 100.0).round().to_string());
    view! {
        <span
            class="progress"
            class:progress--thin=thin
            class:progress--busy=move || share.get().is_none()
            role="progressbar"
            aria-label=move || label.get()
            aria-valuemin="0"
            aria-valuemax="100"
            aria-valuenow=percent
        >
            <span
                class="progress__bar"
                style:width=move || share.get().map(|s| format!("{}%", s.clamp(0.0, 1.0) * 100.0))
            ></span>
        </span>
    }
}

// Two small buttons: to the one before and to the one after.

/// The buttons; `on_step` hears whether it goes forward.
#[component]
pub fn Steps(
    /// What the first button does, with its key.
    before: Signal<String>,
    /// What the second button does, with its key.
    after: Signal<String>,
    /// Goes one further.
    #[prop(into)]
    on_step: Callback<bool>,
) -> impl IntoView {
    let button = move |glyph: Glyph, title: Signal<String>, is_forward: bool| {
        view! {
            <button
                class="button button--small"
                type="button"
                aria-label=title
                data-tip=title
                on:click=move |_| on_step.run(is_forward)
            >
                <Icon glyph small=true />
            </button>
        }
    };
    view! {
        <span class="detail__steps">
            {button(Glyph::Left, before, false)}
            {button(Glyph::Right, after, true)}
        </span>
    }
}

// What is built piece by piece, a task each, so that the browser draws and listens in between.
//
// A view of a hundred elements with their effects costs tens of milliseconds in one task; its parts do not.

thread_local! {
    static PIECES: Pieces = const {
        Pieces::new(|| {
            set_timeout(|| PIECES.with(Pieces::run_one), Duration::ZERO);
        })
    };
}

/// Does this in a task of its own, after everything that waits already.
pub fn enqueue(piece: impl FnOnce() + 'static) {
    PIECES.with(|all| all.add(Box::new(piece)));
}

/// Does this when nothing waits any more, whatever the waiting pieces ask for.
pub fn when_done(piece: Piece) {
    Pieces::add_last(&PIECES, piece);
}

/// Children that are built in a task of their own.
#[component]
pub fn Staged(children: ChildrenFn) -> impl IntoView {
    let is_built = RwSignal::new(false);
    enqueue(move || {
        is_built.try_set(true); // may be gone by now
    });
    move || is_built.get().then(|| children())
}

// A canvas whose surface goes elsewhere: it reports its size and pixel ratio, and carries a text alternative.

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

/// Lets the element that listens hear of the pointer until it is let go, wherever it moves.
pub fn capture_pointer(event: &leptos::ev::PointerEvent) {
    if let Some(target) = event.current_target().and_then(|t| t.dyn_into::<web_sys::Element>().ok()) {
        let _ = target.set_pointer_capture(event.pointer_id());
    }
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

/// Whether the page goes to paper, followed: what changes with it is there before the browser makes the sheets.
#[derive(Clone, Copy)]
pub struct OnPaper(pub Signal<bool>);

/// The same as the page provides it as context; never where nobody does.
pub fn on_paper() -> Signal<bool> {
    use_context::<OnPaper>().map_or_else(|| Signal::stored(false), |of| of.0)
}

/// Whether the page goes to paper.
pub fn is_on_paper() -> bool {
    window().match_media("print").ok().flatten().is_some_and(|query| query.matches())
}

/// How large an element is on the screen, in pixels, for its style: on paper it is as large and scaled as a whole, so that
/// what was drawn fits what stands beside it.
pub fn screen_size(node: NodeRef<html::Div>) -> RwSignal<Option<(String, String)>> {
    let size = RwSignal::new(None::<(String, String)>);
    Effect::new(move |was: Option<bool>| {
        let Some(view) = node.get().filter(|_| was != Some(true)) else { return was == Some(true) };
        let measured = view.clone();
        let measure = move || {
            let (w, h) = (measured.client_width(), measured.client_height());
            let now = Some((w.to_string(), h.to_string()));
            if !is_on_paper() && 0 < w && size.try_with_untracked(|was| *was != now) == Some(true) {
                size.set(now);
            }
        };
        follow_size(&view, measure);
        true
    });
    size
}

// Of what is asked again and again only the latest counts: answers that a newer question has overtaken are dropped.

/// Runs a task as long as a value is there: a view that is closed takes its values with it, and what its tasks would
/// do with them afterwards would be a panic.
pub fn spawn_while(value: impl IsDisposed + 'static, task: impl Future<Output = ()> + 'static) {
    let mut task = Box::pin(task);
    spawn_local(poll_fn(
        move |waker| {
            if value.is_disposed() { Poll::Ready(()) } else { task.as_mut().poll(waker) }
        },
    ));
}

/// Numbers questions of one kind, so that an answer knows whether it is still wanted.
#[derive(Clone, Copy, Default)]
pub struct Latest(StoredValue<u32>);

/// One question among others of its kind.
#[derive(Clone, Copy)]
pub struct Turn {
    latest: Latest,
    number: u32,
}

impl Turn {
    /// Whether no newer question was begun, and whoever asked is still there.
    pub fn is_latest(self) -> bool {
        self.latest.0.try_get_value() == Some(self.number)
    }
}

impl Latest {
    /// Begins a question; all before it are overtaken.
    pub fn begin(self) -> Turn {
        let number = self.0.try_update_value(|number| {
            *number = number.wrapping_add(1);
            *number
        });
        Turn { latest: self, number: number.unwrap_or_default() }
    }

    /// The question that was begun last.
    pub fn current(self) -> Turn {
        Turn { latest: self, number: self.0.try_get_value().unwrap_or_default() }
    }

    /// Awaits an answer and hands it to `take`, unless another question was begun meanwhile.
    pub fn ask<T: 'static>(self, answer: impl Future<Output = T> + 'static, take: impl FnOnce(T) + 'static) {
        let turn = self.begin();
        spawn_local(async move {
            let answer = answer.await;
            if turn.is_latest() {
                take(answer);
            }
        });
    }

    /// Does something after a while, unless another question was begun meanwhile.
    pub fn after(self, rest: Duration, act: impl FnOnce() + 'static) {
        let turn = self.begin();
        set_timeout(
            move || {
                if turn.is_latest() {
                    act();
                }
            },
            rest,
        );
    }
}

/// Asks anew whenever what `ask` reads changes, and hands the answer to `take` unless a newer question was begun
/// meanwhile. `None` asks nothing.
pub fn follow<F: Future<Output: 'static> + 'static>(
    ask: impl Fn() -> Option<F> + 'static,
    take: impl FnOnce(F::Output) + Clone + 'static,
) {
    let latest = Latest::default();
    Effect::new(move || {
        latest.begin();
        if let Some(answer) = ask() {
            latest.ask(answer, take.clone());
        }
    });
}

/// The same for what is held of answers, as `read` says: nothing while nothing is asked. Where `read` says `None`, it stays.
pub fn follow_into<T: Send + Sync + 'static, F: Future<Output: 'static> + 'static>(
    held: RwSignal<Option<T>>,
    ask: impl Fn() -> Option<F> + 'static,
    read: impl FnOnce(F::Output) -> Option<Option<T>> + Clone + 'static,
) {
    let asked = move || {
        let answer = ask();
        if answer.is_none() {
            held.set(None);
        }
        answer
    };
    let take = move |answer| {
        if let Some(value) = read(answer) {
            held.try_set(value);
        }
    };
    follow(asked, take);
}

/// Asks one question at a time; of those that wait meanwhile only the newest is asked.
pub struct OneAtATime<T: 'static>(StoredValue<(bool, Option<T>)>);

impl<T> Clone for OneAtATime<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for OneAtATime<T> {}

impl<T: Send + Sync> Default for OneAtATime<T> {
    fn default() -> Self {
        Self(StoredValue::new((false, None)))
    }
}

impl<T: Send + Sync> OneAtATime<T> {
    /// Asks now, or when the question under way is answered.
    pub fn ask<F: Future<Output = ()>>(self, question: T, ask: impl Fn(T) -> F + 'static) {
        let is_busy = self.0.with_value(|(is_busy, _)| *is_busy);
        self.0.set_value((true, Some(question)));
        if is_busy {
            return;
        }
        spawn_local(async move {
            while let Some(Some(question)) = self.0.try_update_value(|(_, waiting)| waiting.take()) {
                ask(question).await;
            }
            self.0.try_update_value(|(is_busy, _)| *is_busy = false);
        });
    }

    /// Forgets the question that waits.
    pub fn forget(self) {
        self.0.try_update_value(|(_, waiting)| *waiting = None);
    }
}
