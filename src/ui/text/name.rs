//! A name that is cut in its middle where there is no room, so that its end, which tells names apart, is seen.

use crate::base::names::cut;
use leptos::prelude::*;

/// The name; its place must say that it is a flex item with a least width of 0.
#[component]
pub fn Name(
    /// The whole name, which what stands around shows as a title.
    #[prop(into)]
    text: Signal<String>,
) -> impl IntoView {
    let parts = Memo::new(move |_| {
        text.with(|text| {
            let (head, tail) = text.split_at(cut(text));
            (head.to_owned(), tail.to_owned())
        })
    });
    view! {
        <span class="name">
            <span class="name__head">{move || parts.get().0}</span>
            <span class="name__tail">{move || parts.get().1}</span>
        </span>
    }
}

/// Both parts of a name that does not change, for a place of the class `name`.
pub fn halves(text: &str) -> impl IntoView + use<> {
    let (head, tail) = text.split_at(cut(text));
    let (head, tail) = (head.to_owned(), tail.to_owned());
    view! {
        <span class="name__head">{head}</span>
        <span class="name__tail">{tail}</span>
    }
}
