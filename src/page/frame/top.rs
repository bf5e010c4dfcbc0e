//! The top bar: our name, the file and its facts, search, export, language, theme and colors, help.

use super::CompareButton;
use crate::analysis::report::REPORT;
use crate::base::number::{counted, file_size};
use crate::base::words::{Language, for_reader, tr};
use crate::page::commands::{self, COMMANDS};
use crate::page::keys::Keys;
use crate::page::state::{PageState, Panel};
use crate::page::{ThemeChoice, color_schemes, opening, save};
use crate::pane::figure as file_save;
use crate::ui::icon::{Glyph, Icon};
use crate::ui::overlay::menu::MenuItem;
use crate::ui::words;
use crate::wire::ExportHead;
use leptos::prelude::*;

/// DOM id of the export button: the key opens its menu too.
const EXPORT: &str = "top-export";

/// The bar at the top of the page.
#[component]
pub fn TopBar() -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let has_document = move || state.current.get().is_some();
    let can_export = move || state.row().is_some_and(|row| row.context.get().is_some());
    view! {
        <header class="top">
            <div class="top__brand"><Icon glyph=Glyph::Brand />"Lanescope"</div>
            <Show when=has_document><FileSwitch /></Show>
            <span class="top__gap"></span>
            <button class="top__search" type="button" on:click=move |_| state.panel.set(Some(Panel::Commands))>
                <Icon glyph=Glyph::Search />
                <span class="top__prompt">{words.tr("Search or run a command")}</span>
                <span><Keys keys=command_keys("commands") /></span>
            </button>
            <Show when=has_document><CompareButton /></Show>
            <Show when=can_export>
                <button
                    class="button button--plain"
                    type="button"
                    id=EXPORT
                    aria-haspopup="menu"
                    on:click=move |_| open_exports(state)
                >
                    <Icon glyph=Glyph::Export />{words.tr("Export")}
                </button>
            </Show>
            <Show when=can_export>
                <button
                    class="button button--plain"
                    type="button"
                    aria-label=move || notes_title(state)
                    data-tip=words.tr("Notes")
                    data-action="notes"
                    on:click=move |_| state.panel.set(Some(Panel::Notes))
                >
                    <Icon glyph=Glyph::Memo />
                    {move || count_of_notes(state).map(|n| view! { <span class="top__count">{n}</span> })}
                </button>
            </Show>
            <LanguageButton />
            <ThemeButton />
            <button
                class="button button--plain"
                type="button"
                aria-label=words.tr("Help")
                data-tip=words.tr("Help")
                data-action="help"
                on:click=move |_| state.panel.set(Some(Panel::Help))
            >
                <Icon glyph=Glyph::Help />
            </button>
        </header>
    }
}

/// How many notes there are on the shown document, when there are any.
fn count_of_notes(state: PageState) -> Option<usize> {
    let n = state.row()?.notes.with(|notes| notes.as_ref().map_or(0, |notes| notes.list.len()));
    (0 < n).then_some(n)
}

fn notes_title(state: PageState) -> String {
    let title = tr(state.language.get(), "Notes");
    count_of_notes(state).map_or_else(|| title.to_owned(), |n| format!("{title}, {n}"))
}

fn command_keys(id: &str) -> &'static [&'static str] {
    COMMANDS.iter().find(|command| command.id == id).map_or(&[], |command| command.keys)
}

/// The file's name with the list of files below it, and its facts.
#[component]
fn FileSwitch() -> impl IntoView {
    let state = PageState::of_context();
    let name = move || state.row().map(|row| row.with_others(row.name.get()));
    // Of several files the name says one: the tooltip says all.
    let names = move || {
        let row = state.row()?;
        if 1 < row.n_loose() { Some(row.paths().join(", ")) } else { Some(row.name.get()) }
    };
    let told = move || {
        let (head, language) = (state.row().and_then(|row| row.head.get())?, state.language.get());
        Some(head.headline.iter().map(|fact| for_reader(language, || counted(fact))).collect::<Vec<_>>())
    };
    let all = move || told().map(|facts| facts.join(" · "));
    let facts = move || {
        let facts = told()?.into_iter().map(|fact| view! { <span>{fact}</span> });
        Some(facts.collect::<Vec<_>>())
    };
    let words = words();
    let fold = move || {
        view! {
            <button
                class="button button--plain"
                type="button"
                aria-label=words.tr("Toggle sidebar")
                data-tip=words.tr("Toggle sidebar")
                on:click=move |_| commands::fold(state)
            >
                <Icon glyph=Glyph::Rail />
            </button>
        }
    };
    view! {
        {fold()}
        <button
            class="top__file"
            type="button"
            aria-haspopup="menu"
            data-tip=names
            on:click=move |event| open_below(state, &event)
        >
            <span class="top__name">{name}</span>
            <Icon glyph=Glyph::Down />
        </button>
        <div class="top__facts" data-tip=all>{facts}</div>
    }
}

#[component]
fn LanguageButton() -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let open = move |event: leptos::ev::MouseEvent| {
        let items = Language::ALL.into_iter().map(|language| {
            let item = MenuItem::act(language.name(), "", move || state.set_language(language));
            item.checked(state.language.get_untracked() == language)
        });
        let button: web_sys::Element = event_current(&event);
        state.menus.open_below(&button, words.now("Language"), items.collect());
    };
    let short = move || if state.language.get() == Language::En { "EN" } else { "中" };
    view! {
        <button
            class="button button--plain"
            type="button"
            aria-haspopup="menu"
            aria-label=move || format!("{}, {}", short(), words.tr("Language")())
            data-tip=words.tr("Language")
            on:click=open
        >
            {short}
        </button>
    }
}

#[component]
fn ThemeButton() -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let open = move |event: leptos::ev::MouseEvent| {
        let title = |choice| match choice {
            ThemeChoice::System => words.now("System default"),
            ThemeChoice::Light => words.now("Light"),
            ThemeChoice::Dark => words.now("Dark"),
        };
        let items = ThemeChoice::ALL.into_iter().map(|choice| {
            let item = MenuItem::act(title(choice), "", move || state.theme.set(choice));
            item.checked(state.theme.get_untracked() == choice)
        });
        let (now, language) = (state.scheme.get_untracked(), state.language.get_untracked());
        let colors = color_schemes(state).into_iter().map(|(id, title)| {
            let is_chosen = id == now;
            MenuItem::act(tr(language, &title).to_owned(), "", move || state.scheme.set(id.clone()))
                .checked(is_chosen)
        });
        let items = items.chain([MenuItem::Line]).chain(colors).collect();
        let button: web_sys::Element = event_current(&event);
        state.menus.open_below(&button, words.now("Theme"), items);
    };
    view! {
        <button
            class="button button--plain"
            type="button"
            aria-haspopup="menu"
            aria-label=words.tr("Theme")
            data-tip=words.tr("Theme")
            on:click=open
        >
            <Icon glyph=Glyph::Theme />
        </button>
    }
}

/// The element that listens to an event, as an element.
pub fn event_current(event: &web_sys::Event) -> web_sys::Element {
    use wasm_bindgen::JsCast;
    let current = event.current_target().and_then(|t| t.dyn_into::<web_sys::Element>().ok());
    current.or_else(|| document().document_element()).unwrap_or_else(|| event_target(event))
}

/// Opens the menu of exports below its button.
pub fn open_exports(state: PageState) {
    let Some(button) = document().get_element_by_id(EXPORT) else { return };
    let language = state.language.get_untracked();
    let exports = state.documents.catalog.get_untracked().exports;
    let able =
        state.row().and_then(|row| row.head.with_untracked(|head| Some(head.as_ref()?.exports.clone())));
    let mut items: Vec<MenuItem> = exports
        .into_iter()
        .enumerate()
        .filter(|(_, export)| able.as_ref().is_some_and(|able| able.contains(&export.id)))
        .map(|(at, ExportHead { id, title, parameters })| {
            let dialog = match id.as_str() {
                REPORT => Some(Panel::Report),
                _ => (!parameters.is_empty()).then_some(Panel::Export(at)),
            };
            let ellipsis = if dialog.is_none() { "" } else { "…" };
            let shown = format!("{}{ellipsis}", tr(language, &title));
            MenuItem::act(shown, id.clone(), move || match &dialog {
                Some(panel) => state.panel.set(Some(panel.clone())),
                None => save::export(state, id.clone()),
            })
        })
        .collect();
    let context = untrack(|| state.row().and_then(|row| row.context.get()));
    let offers = context.zip(untrack(|| state.shown_view())).and_then(|(context, view)| {
        let list = context.offers.with_untracked(|offers| offers.get(view.id).copied())?;
        Some((context, view, list.run(())))
    });
    if let Some((context, view, offers)) = offers {
        let offered = offers.into_iter().map(|offer| {
            let title = tr(language, offer.title);
            MenuItem::act(title, "", move || file_save::save(context, offer.clone()))
        });
        let title = state.tr(view.title).to_owned();
        let all = MenuItem::Title(state.tr("Entire file").to_owned());
        items.splice(
            0..0,
            std::iter::once(MenuItem::Title(title)).chain(offered).chain([MenuItem::Line, all]),
        );
    }
    items.push(MenuItem::Line);
    items.extend(commands::item(state, "copy-link"));
    state.menus.open_below(&button, state.tr("Export"), items);
}

// The menu below the file's name: switch, reload, close, open more.

/// Opens the menu below the control that was pressed.
fn open_below(state: PageState, event: &leptos::ev::MouseEvent) {
    let current = state.current.get_untracked();
    let mut items: Vec<MenuItem> = Vec::new();
    for row in state.documents.list.get_untracked() {
        let name = untrack(|| state.documents.label(row.id));
        let item = MenuItem::act(name, file_size(row.bytes.get_untracked()), move || state.show(row.id));
        items.push(item.checked(current == Some(row.id)));
    }
    items.push(MenuItem::Line);
    items.push(MenuItem::act(state.tr("Open files…"), "", move || opening::pick(state, false)));
    items.push(MenuItem::act(state.tr("Open folder…"), "", move || opening::pick(state, true)));
    items.extend(commands::item(state, "open-mapping"));
    if let Some(id) = current {
        items.push(MenuItem::Line);
        items
            .push(MenuItem::act(state.tr("Reopen from disk"), "", move || opening::watch::reopen(state, id)));
        let is_watched = untrack(|| state.row()).is_some_and(|row| row.is_watched.get_untracked());
        let title = if is_watched {
            state.tr("Stop watching for changes on disk")
        } else {
            state.tr("Watch for changes on disk")
        };
        items.push(MenuItem::act(title, "", move || opening::watch::toggle(state)));
        items.push(MenuItem::act(state.tr("Close file"), "", move || state.close(id)));
    }
    state.menus.open_below(&event_current(event), state.tr("Files"), items);
}
