//! The menu below the file's name: switch, reload, close, open more.

use super::top::event_current;
use crate::base::number::file_size;
use crate::page::commands;
use crate::page::opening;
use crate::page::state::PageState;
use crate::ui::overlay::menu::MenuItem;
use leptos::prelude::*;

/// Opens the menu below the control that was pressed.
pub fn open_below(state: PageState, event: &leptos::ev::MouseEvent) {
    let current = state.current.get_untracked();
    let mut items: Vec<MenuItem> = Vec::new();
    for row in state.documents.list.get_untracked() {
        let name = untrack(|| state.documents.label(row.id));
        let item = MenuItem::act(name, file_size(row.bytes), move || state.show(row.id));
        items.push(item.checked(current == Some(row.id)));
    }
    items.push(MenuItem::Line);
    items.push(MenuItem::act(state.tr("Open files…"), "", move || opening::pick(state, false)));
    items.push(MenuItem::act(state.tr("Open folder…"), "", move || opening::pick(state, true)));
    items.extend(commands::item(state, "open-mapping"));
    if let Some(id) = current {
        items.push(MenuItem::Line);
        items.push(MenuItem::act(state.tr("Reload file"), "", move || state.documents.reload(id)));
        items.push(MenuItem::act(state.tr("Close file"), "", move || state.close(id)));
    }
    state.menus.open_below(&event_current(event), state.tr("Files"), items);
}
