//! A view's tools stand in the row of the view tabs: this carries them there.

use leptos::portal::Portal;
use leptos::prelude::*;

/// The id of the place for the tools of a view.
pub fn tools_id(view: &str) -> String {
    format!("tools-{view}")
}

/// Puts its children into the row of the view tabs, at the right, while the view is shown.
#[component]
pub fn Tools(
    /// Id of the view.
    #[prop(into)]
    view: String,
    /// Selects, switches, buttons.
    children: ChildrenFn,
) -> impl IntoView {
    let children = StoredValue::new(children);
    document().get_element_by_id(&tools_id(&view)).map(|place| {
        view! { <Portal mount=place>{move || children.with_value(|draw| draw())}</Portal> }
    })
}
