//! A bar of progress: a true share, or a running piece when the end is not known.

use leptos::prelude::*;

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
