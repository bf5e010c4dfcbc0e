//! The command palette: commands, settings, views, files and what the file holds, found by a few letters.

use super::commands::COMMANDS;
use super::keys::Keys;
use super::state::{PageState, Panel};
use super::{color_schemes, help};
use crate::base::names::scoped;
use crate::base::number::thousands;
use crate::base::pairs;
use crate::base::words::{phrase, tr};
use crate::navigation::{marked, matches};
use crate::pane::context::ViewContext;
use crate::systems::guides::found_by;
use crate::ui::icon::{Glyph, Icon};
use crate::ui::overlay::{close, close_outside, show_modal};
use crate::ui::tabs::next_index;
use crate::ui::{Latest, words};
use crate::views::VIEWS;
use crate::views::timeline::messages::{Like, Reply, TimelineQuery};
use crate::wire::figures::{FigureQuery, Reply as Figures, TableHead};
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use std::time::Duration;
use wasm_bindgen::JsCast;

/// What the ids of commands begin with that are settings.
const SETTINGS: [&str; 4] = ["theme", "colors", "language", "rail"];
/// Rows that are shown at most.
const MOST: usize = 60;

/// One thing that can be found.
#[derive(Clone)]
struct Found {
    group: &'static str,
    title: String,
    /// The English title, so that it is found in both languages.
    english: String,
    glyph: Glyph,
    keys: &'static [&'static str],
    aside: String,
    act: Callback<()>,
}

/// The palette.
#[component]
pub fn Palette() -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let node = NodeRef::<html::Dialog>::new();
    show_modal(node);
    let typed = RwSignal::new(String::new());
    let at = RwSignal::new(0_usize);
    let all = StoredValue::new(untrack(|| everything(state)));
    let held = follow_held(state, typed);
    let find = move |_: Option<&Vec<_>>| {
        let mut found = all.with_value(|all| matching(all, &typed.get()));
        held.with(|held| found.extend(held.iter().cloned()));
        found
    };
    let found = Memo::new_with_compare(find, |_, _| true);
    let act = Callback::new(move |n: usize| {
        if let Some(found) = found.with_untracked(|f| f.get(n).cloned()) {
            close(node);
            found.act.run(());
        }
    });
    let on_key = move |event: KeyboardEvent| {
        let n = found.with_untracked(Vec::len);
        match event.key().as_str() {
            "Enter" => act.run(at.get_untracked()),
            key @ ("ArrowDown" | "ArrowUp") => {
                let to = next_index(key, at.get_untracked(), n).unwrap_or(0);
                at.set(to);
                reveal(to);
            }
            _ => return,
        }
        event.prevent_default();
    };
    let rows = move || {
        let mut group = "";
        let rows = found.get().into_iter().enumerate().map(|(n, found)| {
            let head = (found.group != group).then_some(found.group);
            group = found.group;
            view! { <PaletteRow n found head at typed act /> }
        });
        rows.collect::<Vec<_>>()
    };
    view! {
        <dialog
            node_ref=node
            class="dialog palette"
            aria-label=words.tr("Search or run a command")
            on:close=move |_| state.put_away(&Panel::Commands)
            on:click=move |event| close_outside(&event, node)
        >
            <Field typed at on_key=Callback::new(on_key) />
            <div class="palette__list" id="palette-list" role="listbox" aria-label=words.tr("Commands")>
                {rows}
            </div>
            <Show when=move || found.with(Vec::is_empty)>
                <p class="palette__none">{words.tr("No matches")}</p>
            </Show>
        </dialog>
    }
}

/// The field that the keyboard is in.
#[component]
fn Field(typed: RwSignal<String>, at: RwSignal<usize>, on_key: Callback<KeyboardEvent>) -> impl IntoView {
    let words = words();
    view! {
        <div class="palette__field">
            <Icon glyph=Glyph::Search />
            <input
                class="palette__input"
                type="text"
                role="combobox"
                aria-expanded="true"
                aria-controls="palette-list"
                aria-activedescendant=move || row_id(at.get())
                aria-label=words.tr("Search or run a command")
                placeholder=words.tr("Search or run a command")
                autocomplete="off"
                spellcheck="false"
                autofocus
                on:input=move |event| {
                    at.set(0);
                    typed.set(event_target_value(&event));
                }
                on:keydown=move |event| on_key.run(event)
            />
        </div>
    }
}

#[component]
fn PaletteRow(
    n: usize,
    found: Found,
    head: Option<&'static str>,
    at: RwSignal<usize>,
    typed: RwSignal<String>,
    act: Callback<usize>,
) -> impl IntoView {
    let words = words();
    let piece = |(text, is_typed): (&str, bool)| {
        let text = text.to_owned();
        if is_typed { view! { <mark>{text}</mark> }.into_any() } else { text.into_any() }
    };
    let pieces: Vec<_> = marked(&found.title, &typed.get_untracked()).into_iter().map(piece).collect();
    view! {
        {head.map(|head| view! { <div class="palette__group" role="presentation">{words.tr(head)}</div> })}
        <div
            class="palette__row"
            role="option"
            id=row_id(n)
            aria-selected=move || (at.get() == n).to_string()
            on:pointermove=move |_| {
                if at.get_untracked() != n {
                    at.set(n);
                }
            }
            on:click=move |_| act.run(n)
        >
            <Icon glyph=found.glyph small=true />
            <span class="palette__name">{pieces}</span>
            <span class="palette__aside">{found.aside}<Keys keys=found.keys /></span>
        </div>
    }
}

fn row_id(n: usize) -> String {
    format!("palette-{n}")
}

fn reveal(n: usize) {
    if let Some(row) = document().get_element_by_id(&row_id(n)) {
        let list = row.closest(".palette__list").ok().flatten();
        let Some(list) = list.and_then(|l| l.dyn_into::<web_sys::HtmlElement>().ok()) else { return };
        let (row, view) = (row.get_bounding_client_rect(), list.get_bounding_client_rect());
        if row.top() < view.top() {
            list.set_scroll_top(list.scroll_top() + (row.top() - view.top()) as i32 - 30);
        } else if view.bottom() < row.bottom() {
            list.set_scroll_top(list.scroll_top() + (row.bottom() - view.bottom()) as i32 + 8);
        }
    }
}

/// What can be done and set now.
fn commands(state: PageState) -> Vec<Found> {
    let language = state.language.get();
    let mut all = Vec::new();
    let is_setting = |id: &str| SETTINGS.iter().any(|start| id.starts_with(start));
    let commands = COMMANDS.iter().filter(|c| c.id != "commands" && (c.can)(state));
    let (settings, commands): (Vec<_>, Vec<_>) = commands.partition(|c| is_setting(c.id));
    for command in commands.into_iter().chain(settings) {
        let run = command.run;
        all.push(Found {
            group: if is_setting(command.id) { phrase("Settings") } else { phrase("Commands") },
            title: tr(language, command.title).to_owned(),
            english: command.title.to_owned(),
            glyph: command.glyph,
            keys: command.keys,
            aside: String::new(),
            act: Callback::new(move |()| run(state)),
        });
    }
    for (id, title) in color_schemes(state) {
        all.push(Found {
            group: phrase("Settings"),
            title: tr(language, &title).to_owned(),
            english: title,
            glyph: Glyph::Theme,
            keys: &[],
            aside: String::new(),
            act: Callback::new(move |()| state.scheme.set(id.clone())),
        });
    }
    all
}

/// Everything that can be found now.
fn everything(state: PageState) -> Vec<Found> {
    let language = state.language.get();
    let mut all = commands(state);
    for view in state.views() {
        all.push(Found {
            group: phrase("Views"),
            title: tr(language, view.title).to_owned(),
            english: view.title.to_owned(),
            glyph: Glyph::View,
            keys: &[],
            aside: String::new(),
            act: Callback::new(move |()| state.view.set(view.id.to_owned())),
        });
    }
    for row in state.documents.list.get() {
        all.push(Found {
            group: phrase("Files"),
            title: state.documents.label(row.id),
            english: row.name.get(),
            glyph: Glyph::File,
            keys: &[],
            aside: crate::base::number::file_size(row.bytes.get_untracked()),
            act: Callback::new(move |()| state.show(row.id)),
        });
    }
    all.extend(figures(state));
    let help = tr(language, phrase("Help"));
    for (id, group, title) in help::topics() {
        all.push(Found {
            group: phrase("Help"),
            title: tr(language, title).to_owned(),
            english: format!("{title} {} {help} {}", found_by(id), tr(language, group)),
            glyph: Glyph::Help,
            keys: &[],
            aside: tr(language, group).to_owned(),
            act: Callback::new(move |()| help::open(state, id)),
        });
    }
    all
}

/// The figures of the shown document.
fn figures(state: PageState) -> Vec<Found> {
    let Some(row) = state.row() else { return Vec::new() };
    let (Some(head), Some(context)) = (row.head.get(), row.context.get()) else { return Vec::new() };
    let language = state.language.get();
    let has_details = VIEWS.iter().any(|view| view.id == "details");
    let figures = head.figures.into_iter().filter(move |_| has_details);
    figures
        .map(|(id, section, title, scope)| Found {
            group: phrase("Contents"),
            title: scoped(tr(language, &title), &scope),
            english: scoped(&title, &scope),
            glyph: Glyph::View,
            keys: &[],
            aside: tr(language, &section).to_owned(),
            act: Callback::new(move |()| {
                context.selection.update(|selection| selection.figure = Some((id.clone(), Vec::new())));
                context.go.run("details".to_owned());
            }),
        })
        .collect()
}

/// What the typed words find.
fn matching(all: &[Found], typed: &str) -> Vec<Found> {
    let fits = |found: &&Found| matches(&found.title, &found.english, typed);
    all.iter().filter(fits).take(MOST).cloned().collect()
}

// What typed words find in the shown document: its tables at once, its slices and tracks as soon as typing rests.

/// How long typing must rest before the document is asked.
const REST: Duration = Duration::from_millis(120);
/// Tables that are shown at most.
const TABLES: usize = 8;

/// What is found, followed.
fn follow_held(state: PageState, typed: RwSignal<String>) -> Signal<Vec<Found>> {
    let context = untrack(|| state.row()).and_then(|row| row.context.get_untracked());
    let tables = RwSignal::new(Vec::<TableHead>::new());
    let like = RwSignal::new(Like::default());
    let Some(context) = context else { return Signal::stored(Vec::new()) };
    if 0 < context.head.with_untracked(|h| h.contents.tables) {
        leptos::task::spawn_local(async move {
            let ask = FigureQuery::List;
            if let Some(Figures::List { tables: list, .. }) = context.ask(ask).await {
                tables.try_set(list);
            }
        });
    }
    let (typing, asking) = (Latest::default(), Latest::default());
    Effect::new(move || {
        let text = typed.with(|text| text.trim().to_owned());
        asking.begin();
        if text.is_empty() {
            typing.begin();
            return like.set(Like::default());
        }
        typing.after(REST, move || {
            let ask = TimelineQuery::Like(text);
            asking.ask(context.ask(ask), move |answer| {
                if let Some(Reply::Like(found)) = answer {
                    like.try_set(*found);
                }
            });
        });
    });
    Signal::derive(move || {
        let mut found = like.with(|like| of_timeline(context, like));
        if like.with(|like| like.has_terms) {
            found.insert(0, of_terms(context, typed.with(|typed| typed.trim().to_owned())));
        }
        found.extend(typed.with(|typed| tables.with(|tables| of_tables(context, tables, typed))));
        found
    })
}

fn found(group: &'static str, title: String, aside: String, act: impl Fn() + Send + Sync + 'static) -> Found {
    let act = Callback::new(move |()| act());
    Found { group, title, english: String::new(), glyph: Glyph::View, keys: &[], aside, act }
}

/// The search for what has a category, a length or arguments.
fn of_terms(context: ViewContext, text: String) -> Found {
    let aside = context.tr(phrase("Search slices and instants")).to_owned();
    found(phrase("Slices"), text.clone(), aside, move || {
        context.selection.update(|s| s.search = Some((text.clone(), None)));
        context.go.run("timeline".to_owned());
    })
}

fn of_timeline(context: ViewContext, like: &Like) -> Vec<Found> {
    let slices = like.names.iter().cloned().map(|(name, n)| {
        let act = {
            let name = name.clone();
            move || {
                context.selection.update(|s| s.search = Some((name.clone(), None)));
                context.go.run("timeline".to_owned());
            }
        };
        found(phrase("Slices"), name, thousands(n.cast_signed()), act)
    });
    let tracks = like.tracks.iter().cloned().map(|(track, path)| {
        let (group, name) = path.rsplit_once(" / ").unwrap_or(("", &path));
        let act = move || {
            context.selection.update(|s| s.track = Some(track));
            context.go.run("timeline".to_owned());
        };
        found(phrase("Tracks"), name.to_owned(), group.to_owned(), act)
    });
    slices.chain(tracks).collect()
}

fn of_tables(context: ViewContext, tables: &[TableHead], typed: &str) -> Vec<Found> {
    let language = context.language.get();
    let fits = |table: &&TableHead| {
        !typed.trim().is_empty() && matches(tr(language, &table.title), &table.title, typed)
    };
    let one = |table: &TableHead| {
        let id = table.id.clone();
        let act = move || {
            context.keep("tables", pairs::join([("table", id.as_str())]));
            context.go.run("tables".to_owned());
        };
        found(phrase("Tables"), tr(language, &table.title).to_owned(), thousands(table.rows as i64), act)
    };
    tables.iter().filter(fits).take(TABLES).map(one).collect()
}
