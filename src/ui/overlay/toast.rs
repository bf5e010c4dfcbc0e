//! Toasts: what happened and what it means, at the bottom right.
//!
//! Notes and warnings go after six seconds unless the pointer rests on them; loss and fatal stay until they are closed.

use crate::ui::icon::{Glyph, Icon, SeverityIcon};
use crate::ui::words;
use leptos::prelude::*;
use std::time::Duration;

/// How long a toast stays.
const STAY: Duration = Duration::from_secs(6);
/// How many are on the screen.
const MOST: usize = 4;

/// What a toast says.
#[derive(Clone)]
pub struct Toast {
    /// `note`, `warning`, `loss` or `fatal`.
    pub severity: &'static str,
    /// What happened.
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
pub fn toasts() -> Toasts {
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
