//! The help: all keys, examples explained, and what terms mean. Topics at the left, the chosen one at the right.
//!
//! `?` opens it, the top bar, the command palette, the first screen, and the address `#help=switch`.

pub mod lesson;
mod terms;

use super::offline;
use super::state::{PageState, Panel};
use crate::base::words::phrase;
use crate::page::commands::COMMANDS;
use crate::page::keys::{GESTURES, Keys};
use crate::systems::guides::{GUIDES, lessons, terms};
use crate::ui::overlay::Dialog;
use crate::ui::tabs::{focus_by_id, next_index};
use crate::ui::words;
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

/// The topic of the table of keys.
pub const KEYS: &str = "keys";

/// The topic with this id; that of the keys for ids that are none.
pub fn topic_of(id: &str) -> &'static str {
    topics().into_iter().find(|topic| topic.0 == id).map_or(KEYS, |topic| topic.0)
}

/// Opens the first lesson.
pub fn open_lessons(state: PageState) {
    if let Some(lesson) = lessons().next() {
        open(state, lesson.id);
    }
}

/// Opens a topic.
pub fn open(state: PageState, topic: &'static str) {
    state.topic.set(topic);
    state.panel.set(Some(Panel::Help));
}

/// Closes the help when it is open.
pub fn close(state: PageState) {
    if state.panel.get_untracked() == Some(Panel::Help) {
        state.panel.set(None);
    }
}

/// Id, group and title of all topics, in the order of the list.
pub fn topics() -> Vec<(&'static str, &'static str, &'static str)> {
    let of_guides = GUIDES.iter().flat_map(|guide| {
        let lessons = (guide.lessons)().into_iter().map(|lesson| (lesson.id, guide.title, lesson.title));
        lessons.chain(guide.terms.map(|terms| (terms.id, guide.title, terms.title)))
    });
    let page = phrase("Using the page");
    let own = [(KEYS, page, phrase("Keyboard shortcuts")), (offline::TOPIC, page, phrase("Offline use"))];
    own.into_iter().chain(of_guides).collect()
}

/// The dialog; a part of the program that is loaded when it is needed.
pub fn show() -> AnyView {
    let state = PageState::of_context();
    let words = words();
    let title = Signal::derive(move || words.tr("Help")().to_owned());
    let pane = NodeRef::<html::Section>::new();
    Effect::new(move |_| {
        state.topic.track();
        if let Some(pane) = pane.get() {
            pane.set_scroll_top(0);
        }
    });
    view! {
        <Dialog title class="dialog--help" on_close=Callback::new(move |()| state.put_away(&Panel::Help))>
            <Topics />
            <section
                class="topic"
                node_ref=pane
                id="help-topic"
                tabindex="0"
                role="region"
                aria-labelledby=move || topic_id(state.topic.get())
            >
                {move || match lessons().find(|lesson| lesson.id == state.topic.get()) {
                    Some(lesson) => view! { <lesson::LessonPage lesson /> }.into_any(),
                    None => match terms().find(|terms| terms.id == state.topic.get()) {
                        Some(terms) => terms::term_table(terms).into_any(),
                        None if state.topic.get() == offline::TOPIC => view! { <offline::OfflineTopic /> }.into_any(),
                        None => view! { <KeyTable /> }.into_any(),
                    },
                }}
            </section>
        </Dialog>
    }
    .into_any()
}

/// The list of topics. Arrows go from one to the next.
#[component]
fn Topics() -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let step = move |event: KeyboardEvent| {
        let all = topics();
        let at = all.iter().position(|topic| topic.0 == state.topic.get_untracked()).unwrap_or(0);
        let Some(to) = next_index(&event.key(), at, all.len()) else { return };
        event.prevent_default();
        event.stop_propagation();
        state.topic.set(all[to].0);
        focus_by_id(&topic_id(all[to].0));
    };
    let mut group = "";
    let rows = topics().into_iter().map(|(id, of, title)| {
        let head = (of != group).then(|| view! { <li class="topics__head">{words.tr(of)}</li> });
        group = of;
        let is_shown = move || state.topic.get() == id;
        view! {
            {head}
            <li>
                <button
                    class="topics__row"
                    type="button"
                    id=topic_id(id)
                    data-topic=id
                    aria-controls="help-topic"
                    aria-current=move || is_shown().to_string()
                    tabindex=move || if is_shown() { "0" } else { "-1" }
                    on:click=move |_| state.topic.set(id)
                >
                    {words.tr(title)}
                </button>
            </li>
        }
    });
    let rows: Vec<_> = rows.collect();
    view! {
        <nav class="topics" aria-label=words.tr("Topics") on:keydown=step>
            <ul>{rows}</ul>
        </nav>
    }
}

/// DOM id of a topic's row.
fn topic_id(topic: &str) -> String {
    format!("topic-{topic}")
}

// The table of all keys, made from the commands and from what views answer.

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
fn KeyTable() -> impl IntoView {
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
