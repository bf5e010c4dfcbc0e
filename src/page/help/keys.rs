//! The table of all keys, made from the commands and from what views answer.

use crate::base::words::phrase;
use crate::page::commands::COMMANDS;
use crate::page::keys::{GESTURES, Keys};
use crate::ui::words;
use leptos::prelude::*;

/// What is done, and each of the ways to do it.
type Row = (&'static str, Vec<&'static [&'static str]>);

/// The rows by where they hold; what can be done in several ways is one row.
fn groups() -> Vec<(&'static str, Vec<Row>)> {
    let page = phrase("Page");
    let commands = COMMANDS.iter().filter(|c| !c.keys.is_empty()).map(|c| (page, c.keys, c.title));
    let digits: &'static [&'static str] = &["Alt", "1"];
    let views = [(page, digits, phrase("Switch to a view by number"))];
    let mut groups: Vec<(&'static str, Vec<Row>)> = Vec::new();
    let gestures = GESTURES.iter().map(|gesture| (gesture.group, gesture.keys, gesture.what));
    for (group, keys, what) in commands.chain(views).chain(gestures) {
        if groups.iter().all(|own| own.0 != group) {
            groups.push((group, Vec::new()));
        }
        for (_, rows) in groups.iter_mut().filter(|own| own.0 == group) {
            match rows.iter_mut().find(|row| row.0 == what) {
                Some(row) => row.1.push(keys),
                None => rows.push((what, vec![keys])),
            }
        }
    }
    groups
}

/// All keys, by where they hold.
#[component]
pub fn KeyTable() -> impl IntoView {
    let words = words();
    let groups = groups().into_iter().map(|(title, rows)| {
        let rows = rows.into_iter().map(|(what, ways)| {
            let one = |keys| view! { <span class="help__way"><Keys keys /></span> };
            let ways: Vec<_> = ways.into_iter().map(one).collect();
            view! {
                <div class="help__row">
                    <span class="help__what">{words.tr(what)}</span>
                    <span>{ways}</span>
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
