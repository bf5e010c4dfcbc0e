//! Menus that drop from a button, and context menus at the pointer. One is open at a time.

use super::beside;
use crate::base::geometry::Point;
use crate::ui::icon::{Glyph, Icon};
use crate::ui::tabs::next_index;
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use leptos::reactive::graph::{AnySource, ToAnySource};
use wasm_bindgen::JsCast;

/// One row of a menu.
#[derive(Clone)]
pub enum MenuItem {
    Act {
        /// What it does: a verb.
        title: String,
        /// At the right: a count, or keys.
        aside: String,
        /// Whether it is the chosen one of a group; nothing outside groups.
        is_checked: Option<bool>,
        /// Why it cannot be done now; nothing when it can.
        denied: Option<String>,
        act: Callback<()>,
    },
    /// A line between groups.
    Line,
    /// The name of a group.
    Title(String),
}

impl MenuItem {
    /// A plain row.
    pub fn act(
        title: impl Into<String>,
        aside: impl Into<String>,
        act: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        Self::Act {
            title: title.into(),
            aside: aside.into(),
            is_checked: None,
            denied: None,
            act: Callback::new(move |()| act()),
        }
    }

    /// The same row, as one of a group of which one is chosen.
    #[must_use]
    pub fn checked(mut self, checked: bool) -> Self {
        if let Self::Act { is_checked, .. } = &mut self {
            *is_checked = Some(checked);
        }
        self
    }

    /// The same row, which cannot be done for this reason.
    #[must_use]
    pub fn denied(mut self, reason: impl Into<String>) -> Self {
        if let Self::Act { denied, .. } = &mut self {
            *denied = Some(reason.into());
        }
        self
    }
}

#[derive(Clone)]
struct Open {
    label: String,
    at: Point,
    items: Vec<MenuItem>,
}

/// Opens menus; a handle from the context.
#[derive(Clone, Copy)]
pub struct Menus {
    open: RwSignal<Option<Open>>,
    opener: StoredValue<Option<web_sys::HtmlElement>, LocalStorage>,
}

impl Menus {
    /// Makes the handle and provides it; the host must stand in the same page.
    pub fn provide() -> Self {
        let menus = Self { open: RwSignal::new(None), opener: StoredValue::new_local(None) };
        provide_context(menus);
        menus
    }

    /// Opens a menu at a point of the window, such as the pointer of a `contextmenu` event.
    pub fn open_at(self, at: Point, label: impl Into<String>, items: Vec<MenuItem>) {
        let active = document().active_element().and_then(|e| e.dyn_into::<web_sys::HtmlElement>().ok());
        self.opener.set_value(active);
        self.open.set(Some(Open { label: label.into(), at, items }));
    }

    /// Opens a menu below a control, or closes it when it is the open one.
    pub fn open_below(self, control: &web_sys::Element, label: impl Into<String>, items: Vec<MenuItem>) {
        if self.open.with_untracked(Option::is_some) {
            self.close();
            return;
        }
        let rect = control.get_bounding_client_rect();
        let at = Point { x: rect.left() as f32, y: rect.bottom() as f32 + 4.0 };
        self.open_at(at, label, items);
    }

    /// Whether any menu is open, for those who would lay something else over it.
    pub fn is_any_open(self) -> bool {
        self.open.with_untracked(Option::is_some)
    }

    /// What those follow who ask whether a menu is open.
    pub fn followed(self) -> AnySource {
        self.open.to_any_source()
    }

    /// Whether a menu of this label is open, for `aria-expanded`.
    pub fn is_open(self, label: &str) -> bool {
        self.open.with(|open| open.as_ref().is_some_and(|open| open.label == label))
    }

    /// Closes the menu and gives the keyboard back.
    pub fn close(self) {
        if self.open.with_untracked(Option::is_some) {
            self.open.set(None);
            if let Some(opener) = self.opener.try_get_value().flatten() {
                let _ = opener.focus();
            }
        }
    }
}

/// The handle of the page's menus.
pub fn menus() -> Menus {
    use_context::<Menus>().unwrap_or_else(Menus::provide)
}

/// Shows the open menu. Stands once, at the page's root.
#[component]
pub fn MenuHost() -> impl IntoView {
    let menus = menus();
    let down = window_event_listener(leptos::ev::pointerdown, move |event| {
        let target = event.target().and_then(|t| t.dyn_into::<web_sys::Element>().ok());
        let inside = target.is_some_and(|t| t.closest(".menu, [aria-haspopup]").ok().flatten().is_some());
        if !inside && menus.open.with_untracked(Option::is_some) {
            menus.open.set(None); // the pointer chose where the keyboard goes
        }
    });
    let gone = window_event_listener(leptos::ev::blur, move |_| menus.open.set(None));
    on_cleanup(move || {
        down.remove();
        gone.remove();
    });
    move || menus.open.get().map(|open| view! { <OpenMenu open menus /> })
}

#[component]
fn OpenMenu(open: Open, menus: Menus) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let at = open.at;
    Effect::new(move |_| {
        let Some(node) = node.get() else { return };
        request_animation_frame(move || {
            let rect = node.get_bounding_client_rect();
            let (x, y) = beside(at, (rect.width(), rect.height()), 0.0);
            let style = web_sys::HtmlElement::style(&node);
            let _ = style.set_property("transform", &format!("translate({x}px, {y}px)"));
            focus_row(&node, 0);
        });
    });
    let on_key = move |event: KeyboardEvent| {
        let Some(node) = node.get_untracked() else { return };
        let rows = rows_of(&node);
        let active = document().active_element();
        let at = rows.iter().position(|row| active.as_ref() == Some(row.as_ref())).unwrap_or(0);
        match event.key().as_str() {
            "Escape" | "Tab" => menus.close(),
            key => {
                let by_letter = (key.chars().count() == 1).then(|| by_letter(&rows, at, key)).flatten();
                let Some(to) = next_index(key, at, rows.len()).or(by_letter) else { return };
                focus_row(&node, to);
            }
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let rows: Vec<_> = open.items.into_iter().map(|item| row(item, menus)).collect();
    view! {
        <div node_ref=node class="menu" role="menu" aria-label=open.label on:keydown=on_key>
            {rows}
        </div>
    }
}

fn row(item: MenuItem, menus: Menus) -> AnyView {
    match item {
        MenuItem::Line => view! { <hr class="menu__line" /> }.into_any(),
        MenuItem::Title(title) => {
            view! { <div class="menu__title" role="presentation">{title}</div> }.into_any()
        }
        MenuItem::Act { title, aside, is_checked, denied, act } => {
            let is_denied = denied.is_some();
            let check = is_checked.map(|checked| {
                view! { <span class="menu__check">{checked.then(|| view! { <Icon glyph=Glyph::Check small=true /> })}</span> }
            });
            let press = move |_| {
                if !is_denied {
                    menus.close();
                    act.run(());
                }
            };
            view! {
                <button
                    class="menu__row"
                    type="button"
                    role=if is_checked.is_some() { "menuitemradio" } else { "menuitem" }
                    tabindex="-1"
                    aria-checked=is_checked.map(|c| c.to_string())
                    aria-disabled=is_denied.then_some("true")
                    on:click=press
                >
                    {check}
                    <span class="menu__name">{title}</span>
                    <span class="menu__aside">{denied.unwrap_or(aside)}</span>
                </button>
            }
            .into_any()
        }
    }
}

fn rows_of(menu: &web_sys::HtmlDivElement) -> Vec<web_sys::HtmlElement> {
    let children = menu.children();
    (0..children.length())
        .filter_map(|i| children.item(i))
        .filter(|e| e.class_name() == "menu__row")
        .filter_map(|e| e.dyn_into().ok())
        .collect()
}

fn focus_row(menu: &web_sys::HtmlDivElement, at: usize) {
    if let Some(row) = rows_of(menu).get(at) {
        let _ = row.focus();
    }
}

/// The next row after `at` that begins with the letter.
fn by_letter(rows: &[web_sys::HtmlElement], at: usize, letter: &str) -> Option<usize> {
    let letter = letter.to_lowercase();
    let n = rows.len();
    (1..=n).map(|step| (at + step) % n).find(|&i| {
        let text = rows[i].text_content().unwrap_or_default();
        text.trim().to_lowercase().starts_with(&letter)
    })
}
