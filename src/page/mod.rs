//! The page: the program around the views.
//!
//! It holds no trace. Reading order: `state` (what the page knows), this file (how the parts stand together), `frame`
//! (bars and tabs), `opening` (ways in), `documents` (one worker each).

pub mod commands;
pub mod compare;
pub mod crash;
pub mod documents;
pub mod embed;
pub mod frame;
pub mod help;
pub mod keys;
pub mod opening;
pub mod palette;
pub mod route;
pub mod save;
pub mod state;
pub mod theme;
pub mod welcome;

use crate::base::words::Language;
use crate::pane::context::Shared;
use crate::scene::palette::OWN;
use crate::ui::Words;
use crate::ui::latest::Latest;
use crate::ui::overlay::menu::{MenuHost, Menus};
use crate::ui::overlay::toast::{Toast, ToastHost, Toasts};
use crate::ui::overlay::tooltip::{TooltipHost, Tooltips};
use crate::ui::stages::when_done;
use crate::ui::words;
use crate::views::parts::{PARTS, Parts};
use documents::Documents;
use frame::states::Gathering;
use leptos::prelude::*;
use opening::mapping::Mappings;
use save::store;
use state::{PageState, Panel};
use theme::ThemeChoice;

/// When the parts of the program are loaded that no view has asked for, in milliseconds after the start.
const PARTS_MS: u32 = 2_000;

/// Starts the page.
pub fn start(parts: Parts) {
    PARTS.get_or_init(|| parts);
    crash::watch(usual_language());
    let kept = store::read("language").and_then(|tag| Language::of_tag(&tag)).unwrap_or_else(usual_language);
    let wanted = route::language().unwrap_or(kept);
    wasm_bindgen_futures::spawn_local(async move {
        let is_here = state::load_words(wanted).await.is_ok();
        let (usual, shown) = if is_here { (kept, wanted) } else { (Language::En, Language::En) };
        leptos::mount::mount_to_body(move || {
            // Tried once more where its words are missing; the page says then that they are.
            provide_state(usual, shown).set_language(wanted);
            view! { <Page /> }
        });
    });
}

fn load_parts(documents: Documents) {
    if let Some(parts) = PARTS.get() {
        wasm_bindgen_futures::spawn_local(async move {
            (parts.load)().await;
            documents.keep_parts();
        });
    }
}

/// The whole page.
#[component]
pub fn Page() -> impl IntoView {
    let state = PageState::of_context();
    keys::listen(state);
    embed::listen(state);
    keep_choices(state);
    name_window(state);
    state.follow_awaited();
    opening::mapping::follow(state);
    open_asked(state);
    gloo::timers::callback::Timeout::new(PARTS_MS, move || load_parts(state.documents)).forget();
    view! {
        <Bars />
        <opening::drop_zone::DropZone />
        {move || state.panel.get().map(|panel| match panel {
            Panel::Help => view! { <help::Help /> }.into_any(),
            Panel::Export(at) => view! { <frame::export::ExportDialog at /> }.into_any(),
            Panel::Mapping(id) => view! { <opening::mapping::MappingPanel id /> }.into_any(),
            Panel::Commands => view! { <palette::Palette /> }.into_any(),
        })}
        <MenuHost />
        <TooltipHost />
        <ToastHost />
    }
}

/// The bars and what stands between them.
#[component]
fn Bars() -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let has_document = Memo::new(move |_| state.row().is_some());
    let is_gathering = Memo::new(move |_| state.gathering.with(Option::is_some));
    let is_welcome = Memo::new(move |_| !is_gathering.get() && !has_document.get());
    // Kept while documents are open: it is large, and to make it anew at each closing would leave it behind as garbage.
    let was_welcome = Memo::new(move |was: Option<&bool>| was.is_some_and(|was| *was) || is_welcome.get());
    view! {
        <div
            class="page"
            class:page--bare=move || !has_document.get()
            class:page--folded=move || state.is_sidebar_collapsed.get()
            class:page--laid=move || state.is_detail_on_right.get()
        >
            <a class="page__skip" href="#main" on:click=skip>{words.tr("Skip to content")}</a>
            <frame::top::TopBar />
            <Show when=move || has_document.get()>
                <frame::rail::Rail />
                <frame::views::ViewTabs />
            </Show>
            <main class="page__main" id="main" tabindex="-1">
                <Show when=move || was_welcome.get()>
                    <welcome::Welcome is_shown=is_welcome />
                </Show>
                {move || match (is_gathering.get(), has_document.get()) {
                    (true, _) => Some(view! { <Gathering /> }.into_any()),
                    (false, true) => Some(view! { <frame::views::Main /> }.into_any()),
                    (false, false) => None,
                }}
            </main>
            <frame::status::StatusBar />
        </div>
    }
}

/// The hash belongs to the route, so the link to the main part only moves the keyboard.
fn skip(event: leptos::ev::MouseEvent) {
    event.prevent_default();
    crate::ui::tabs::focus_by_id("main");
}

/// Provides the state of a page that is shown in a language; the usual one does not stand in its address.
fn provide_state(usual: Language, shown: Language) -> PageState {
    crate::base::words::set_reader(shown);
    let language = RwSignal::new(shown);
    let kept = store::read("theme").and_then(|name| ThemeChoice::of_name(&name)).unwrap_or_default();
    let theme = RwSignal::new(kept);
    let scheme = RwSignal::new(store::read("colors").unwrap_or_else(|| OWN.to_owned()));
    let view = RwSignal::new(String::new());
    let toasts = Toasts::provide();
    provide_context(Words(language.into()));
    Tooltips::provide();
    let palette = theme::palette(theme.into(), scheme.into(), theme::follow_system());
    // Read, so that the attribute of the theme is set even where nothing is drawn.
    Effect::new(move |_| palette.with(|_| ()));
    let wanted = RwSignal::new(None::<(u32, String)>);
    let shared = Shared {
        palette: palette.into(),
        language: language.into(),
        go: Callback::new(move |id| view.set(id)),
        chosen: view.into(),
        open: Callback::new(move |operator| wanted.set(Some(operator))),
        say: Callback::new(move |(text, is_problem): (String, bool)| {
            let severity = if is_problem { "warning" } else { "note" };
            toasts.say(Toast { severity, ..Toast::note(text, "") });
        }),
        save: Callback::new(move |(name, file): (String, web_sys::Blob)| {
            if save::save(&name, &file).is_err() {
                toasts.say(Toast { severity: "warning", ..Toast::note(name, "") });
            }
        }),
    };
    let state = PageState {
        documents: Documents::new(shared),
        current: RwSignal::new(None),
        asked_view: RwSignal::new(String::new()),
        view,
        awaited: RwSignal::new(None),
        language,
        spoken: Latest::default(),
        theme,
        scheme,
        is_sidebar_collapsed: RwSignal::new(store::read("folded").as_deref() == Some("true")),
        is_detail_on_right: RwSignal::new(false),
        panel: RwSignal::new(None),
        topic: RwSignal::new(help::KEYS),
        palette: palette.into(),
        held: RwSignal::new(None),
        gathering: RwSignal::new(None),
        gathered: Latest::default(),
        mappings: Mappings::default(),
        toasts,
        menus: Menus::provide(),
    };
    Effect::new(move |_| {
        let Some((document, path)) = wanted.get() else { return };
        if let Some(row) = state.documents.row(document) {
            state.show_operator(row, &path);
        }
    });
    provide_context(state);
    route::follow(state, usual);
    state
}

/// The browser's language when we speak it.
fn usual_language() -> Language {
    let tag = window().navigator().language().unwrap_or_default();
    Language::of_tag(&tag).unwrap_or_default()
}

/// Language, theme and colors stay for the next visit; `<html lang>` follows.
fn keep_choices(state: PageState) {
    Effect::new(move |was: Option<Language>| {
        let language = state.language.get();
        if let Some(root) = document().document_element() {
            let _ = root.set_attribute("lang", language.tag());
        }
        if was.is_some() {
            store::write("language", language.tag());
        }
        language
    });
    Effect::new(move |was: Option<ThemeChoice>| {
        let theme = state.theme.get();
        if was.is_some() {
            store::write("theme", theme.name());
        }
        theme
    });
    Effect::new(move |was: Option<String>| {
        let scheme = state.scheme.get();
        if was.is_some() {
            store::write("colors", &scheme);
        }
        scheme
    });
}

/// The title of the window, and the word on `<html>` that says where the page is.
fn name_window(state: PageState) {
    Effect::new(move |_| {
        let name = state.row().map(|row| row.with_others(row.name.get()));
        document().set_title(&name.map_or("Lanescope".to_owned(), |name| format!("{name} — Lanescope")));
    });
    // Progress comes many times a second, the word changes thrice.
    let word = Memo::new(move |_| state.word());
    Effect::new(move |_| {
        let word = word.get();
        let set = move || {
            if let Some(root) = document().document_element()
                && state.current.try_get_untracked().is_some()
                && untrack(|| state.word()) == word
            {
                let _ = root.set_attribute("data-lanescope-state", word);
            }
        };
        if word == "ready" {
            // The views stand in the page after the frame that follows their last piece.
            when_done(Box::new(move || request_animation_frame(move || request_animation_frame(set))));
        } else {
            set();
        }
    });
}

fn open_asked(state: PageState) {
    let asked = opening::address::asked("open");
    if !asked.is_empty() {
        opening::address::open_beside(state, asked, opening::address::asked("baseline"));
    }
}
