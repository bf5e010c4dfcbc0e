//! Rows of a table that lie in others: how deep they are, and what opens them.

use crate::scene::table::Cell;
use crate::ui::icon::{Glyph, Icon};
use leptos::prelude::*;

/// Pixels that a level of a tree is set in by, and how many levels are.
const STEP: u32 = 12;
const LEVELS: u32 = 24;

/// Where a row stands in a tree.
pub(super) fn branch(row: Option<&Vec<Cell>>) -> Option<(u32, Option<bool>)> {
    row?.first()?.tree
}

/// What opens and closes a row, set in as deep as the row lies.
pub(super) fn caret((depth, is_open): (u32, Option<bool>), toggle: Callback<()>) -> impl IntoView {
    let class = match is_open {
        Some(true) => "tree__caret tree__caret--open",
        Some(false) => "tree__caret",
        None => "tree__caret tree__caret--leaf",
    };
    let left = format!("{}px", depth.min(LEVELS) * STEP);
    view! {
        <span class=class style:margin-left=left on:click=move |_| toggle.run(()) on:dblclick=|event| event.stop_propagation()>
            <Icon glyph=Glyph::Right />
        </span>
    }
}
