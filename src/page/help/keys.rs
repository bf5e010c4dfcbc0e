//! The table of all keys, made from the commands and from what views answer.

use crate::base::words::phrase;
use crate::page::commands::COMMANDS;
use crate::page::keys::{GESTURES, Keys};
use crate::ui::words;
use leptos::prelude::*;

/// All keys, by where they hold.
#[component]
pub fn KeyTable() -> impl IntoView {
    let words = words();
    let commands = COMMANDS.iter().filter(|c| !c.keys.is_empty()).map(|c| (c.keys, c.title));
    let mut groups = vec![(phrase("Page"), commands.collect::<Vec<_>>())];
    groups[0].1.push((&["Alt", "1"], phrase("Switch to a view by number")));
    for gesture in GESTURES {
        match groups.iter_mut().find(|group| group.0 == gesture.group) {
            Some(group) => group.1.push((gesture.keys, gesture.what)),
            None => groups.push((gesture.group, vec![(gesture.keys, gesture.what)])),
        }
    }
    let groups = groups.into_iter().map(|(title, rows)| {
        let rows = rows.into_iter().map(|(keys, what)| {
            view! {
                <div class="help__row">
                    <span class="help__what">{words.tr(what)}</span>
                    <span><Keys keys /></span>
                </div>
            }
        });
        let rows: Vec<_> = rows.collect();
        view! {
            <section class="help__group">
                <h3 class="help__title">{words.tr(title)}</h3>
                {rows}
            </section>
        }
    });
    let groups: Vec<_> = groups.collect();
    view! { <div class="help">{groups}</div> }
}
