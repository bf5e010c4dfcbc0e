//! Two panes and the hairline between them: dragged, moved by arrows, a double click restores it.

use super::{capture_pointer, screen_size};
use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::html;
use leptos::prelude::*;

/// How two panes lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Orientation {
    /// Side by side: the line is vertical.
    Horizontal,
    /// One above the other: the line is horizontal.
    Vertical,
}

/// How wide or high the sized pane is, and within which bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// At first and after a double click, in CSS pixels.
    pub usual: f64,
    /// At least.
    pub least: f64,
    /// At most this share of the whole.
    pub share: f64,
}

/// Two panes; one has a size of its own, the other takes the rest.
#[allow(clippy::too_many_lines)] // one pane with its parts
#[component]
pub fn Split(
    /// What the line moves, for screen readers.
    #[prop(into)]
    label: Signal<String>,
    orientation: Orientation,
    /// Size of the sized pane.
    extent: Extent,
    /// Its size of now; kept by the owner, so that it survives.
    size: RwSignal<f64>,
    /// Whether the second pane is the sized one; else the first.
    #[prop(optional)]
    sizes_second: bool,
    /// Whether the sized pane is there at all.
    #[prop(into, optional)]
    folded: Signal<bool>,
    /// Until it is moved a second pane that is sized is as high as what is in it: at least its usual size, at most this
    /// share of the whole.
    #[prop(optional)]
    fits: Option<f64>,
    /// A stronger line, between main panes.
    #[prop(optional)]
    strong: bool,
    /// The left or upper pane.
    first: ViewFn,
    /// The right or lower pane.
    second: ViewFn,
) -> impl IntoView {
    let (root, pane) = (NodeRef::<html::Div>::new(), NodeRef::<html::Div>::new());
    let on_screen = screen_size(pane);
    let drag = Drag {
        root,
        orientation,
        extent,
        size,
        sign: if sizes_second { -1.0 } else { 1.0 },
        held: RwSignal::new(None),
    };
    let held = drag.held;
    let template = move || {
        let sized = match fits.filter(|_| size.get() == extent.usual) {
            Some(share) => format!("fit-content({}%)", share * 100.0),
            None => format!("minmax(0, {}px)", size.get()),
        };
        match (folded.get(), sizes_second) {
            (true, true) => "minmax(0, 1fr) 0 0".to_owned(),
            // What is hidden takes no place on the grid.
            (true, false) => "minmax(0, 1fr)".to_owned(),
            (false, true) => format!("minmax(0, 1fr) 1px {sized}"),
            (false, false) => format!("{sized} 1px minmax(0, 1fr)"),
        }
    };
    let is_fitted = move || fits.is_some() && size.get() == extent.usual;
    let least = move || {
        let is_so = sizes_second && is_fitted() && !folded.get();
        is_so.then(|| format!("min({}px, 50vh)", extent.usual))
    };
    let (first_hidden, second_hidden) =
        (move || folded.get() && !sizes_second, move || folded.get() && sizes_second);
    view! {
        <div
            class="split"
            node_ref=root
            style:grid-template-columns=move || (orientation == Orientation::Horizontal).then(template)
            style:grid-template-rows=move || (orientation == Orientation::Vertical).then(template)
        >
            <div
                class="split__pane"
                node_ref=pane
                style:--pane-h=move || on_screen.get().map(|size| size.1)
                hidden=first_hidden
            >
                {first.run()}
            </div>
            <div
                class="split__bar"
                class:split__bar--strong=strong
                class:split__bar--held=move || held.get().is_some()
                role="separator"
                tabindex="0"
                hidden=move || folded.get()
                aria-label=move || label.get()
                aria-orientation=if orientation == Orientation::Horizontal { "vertical" } else { "horizontal" }
                aria-valuenow=move || size.get().to_string()
                aria-valuemin=extent.least.to_string()
                on:pointerdown=move |event| drag.down(&event)
                on:pointermove=move |event| drag.moved(&event)
                on:pointerup=move |_| held.set(None)
                on:pointercancel=move |_| held.set(None)
                on:dblclick=move |_| drag.set(extent.usual)
                on:keydown=move |event| drag.key(&event)
            ></div>
            <div class="split__pane" style:min-height=least hidden=second_hidden>{second.run()}</div>
        </div>
    }
}

/// Moves the line.
#[derive(Clone, Copy)]
struct Drag {
    root: NodeRef<html::Div>,
    orientation: Orientation,
    extent: Extent,
    size: RwSignal<f64>,
    /// −1 when the sized pane is the second.
    sign: f64,
    /// Where it was taken, and the size then.
    held: RwSignal<Option<(f64, f64)>>,
}

impl Drag {
    fn set(self, wanted: f64) {
        let whole = self.root.get_untracked().map_or(0.0, |root| {
            let rect = root.get_bounding_client_rect();
            if self.orientation == Orientation::Horizontal { rect.width() } else { rect.height() }
        });
        let most = (whole * self.extent.share).max(self.extent.least);
        self.size.set(wanted.clamp(self.extent.least, most).round());
    }

    /// How large the sized pane is; one that fits what is in it is no size that was set.
    fn now(self) -> f64 {
        let size = self.size.get_untracked();
        let at = if self.sign < 0.0 { 2 } else { 0 };
        let pane = self.root.get_untracked().and_then(|root| root.children().item(at));
        let measured = pane.filter(|_| size == self.extent.usual).map(|pane| {
            let rect = pane.get_bounding_client_rect();
            if self.orientation == Orientation::Horizontal { rect.width() } else { rect.height() }
        });
        measured.unwrap_or(size)
    }

    fn at(self, event: &PointerEvent) -> f64 {
        f64::from(if self.orientation == Orientation::Horizontal {
            event.client_x()
        } else {
            event.client_y()
        })
    }

    fn down(self, event: &PointerEvent) {
        event.prevent_default();
        capture_pointer(event);
        self.held.set(Some((self.at(event), self.now())));
    }

    fn moved(self, event: &PointerEvent) {
        if let Some((from, was)) = self.held.get_untracked() {
            self.set(was + (self.at(event) - from) * self.sign);
        }
    }

    fn key(self, event: &KeyboardEvent) {
        let by = if event.shift_key() { 64.0 } else { 16.0 };
        let wanted = match event.key().as_str() {
            "ArrowRight" | "ArrowDown" => self.now() + by * self.sign,
            "ArrowLeft" | "ArrowUp" => self.now() - by * self.sign,
            "Home" => self.extent.least,
            "End" => f64::MAX,
            "Enter" => self.extent.usual,
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        self.set(wanted);
    }
}
