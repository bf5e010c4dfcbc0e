//! The page: the program around the views.
//!
//! It holds no trace. Reading order: `state` (what the page knows), this file (how the parts stand together), `frame`
//! (bars and tabs), `opening` (ways in), `documents` (one worker each).

pub mod commands;
pub mod compare;
pub mod database;
pub mod documents;
pub mod embed;
pub mod frame;
pub mod help;
pub mod keys;
pub mod notes;
pub mod offline;
pub mod opening;
pub mod palette;
pub mod report;
pub mod route;
pub mod save;
pub mod state;
pub mod tour;
pub mod welcome;

use crate::base::words::{Language, phrase, tr};
use crate::pane::ViewSpec;
use crate::pane::context::PageContext;
use crate::scene::palette::{OWN, Palette, parse_color};
use crate::ui::overlay::menu::{MenuHost, Menus};
use crate::ui::overlay::{Toast, ToastHost, Toasts, TooltipHost, Tooltips, tooltips};
use crate::ui::{Latest, OnPaper, Staged, Words, enqueue, when_done, words};
use crate::views::VIEWS;
use crate::views::parts::{Loaded, LocalFuture, PARTS, Parts, part};
use documents::Documents;
use frame::states::Gathering;
use gloo::events::{EventListener, EventListenerOptions};
use leptos::context::Provider;
use leptos::prelude::{document, *};
use opening::mapping::Mappings;
use save::store;
use state::{PageState, Panel};
use std::panic::PanicHookInfo;
use std::sync::Arc;
use std::time::Duration;
use wasm_bindgen::JsCast;

/// When the parts of the program are loaded that no view has asked for, after the start.
const LATER: Duration = Duration::from_secs(2);

/// How many of the first views are loaded before.
const FIRST_VIEWS: usize = 2;

/// Starts the page.
pub fn start(parts: Parts) {
    PARTS.get_or_init(|| parts);
    watch_crashes(usual_language());
    let kept = store::read("language").and_then(|tag| Language::of_tag(&tag)).unwrap_or_else(usual_language);
    let wanted = route::language().unwrap_or(kept);
    wasm_bindgen_futures::spawn_local(async move {
        let is_here = state::load_words(wanted).await.is_ok();
        let (usual, shown) = if is_here { (kept, wanted) } else { (Language::En, Language::En) };
        // Not in the task in which the program itself began.
        enqueue(move || {
            leptos::mount::mount_to_body(move || {
                // Tried once more where its words are missing; the page says then that they are.
                provide_state(usual, shown).set_language(wanted);
                view! { <Page /> }
            });
        });
    });
}

/// Loads the parts of the views that most files are looked at with, and of the one that the address asks for, as soon as a
/// file can be opened: the first picture does not wait for them.
fn load_first_parts(state: PageState) {
    Effect::new(move |is_done: Option<bool>| {
        let is_ready = state.documents.catalog.with(|catalog| !catalog.formats.is_empty());
        if is_ready && is_done != Some(true) {
            let asked = untrack(|| state.view.get());
            let is_first = |(at, view): &(usize, &&ViewSpec)| *at < FIRST_VIEWS || view.id == asked;
            for (_, view) in VIEWS.iter().enumerate().filter(is_first) {
                wasm_bindgen_futures::spawn_local(load_part(view));
            }
        }
        is_ready
    });
}

async fn load_part(view: &'static ViewSpec) {
    if let Some(parts) = PARTS.get() {
        (parts.load)(view.id).await;
    }
}

/// Loads all parts, then has the browser keep them: it does not ask the network again for what it has.
fn load_parts(state: PageState) {
    wasm_bindgen_futures::spawn_local(async move {
        for view in VIEWS {
            load_part(view).await;
        }
        state.documents.keep_parts().await;
        offline::keep(state).await;
    });
}

/// The whole page.
#[component]
pub fn Page() -> impl IntoView {
    let state = PageState::of_context();
    opening::forget_logins();
    keys::listen(state);
    embed::listen(state);
    keep_choices(state);
    name_window(state);
    drop_tooltips(state);
    state.follow_awaited();
    opening::mapping::follow(state);
    opening::watch::listen(state);
    notes::follow(state);
    open_asked(state);
    load_first_parts(state);
    set_timeout(move || load_parts(state), LATER);
    view! {
        <Bars />
        <opening::DropZone />
        {move || state.panel.get().map(|panel| match panel {
            Panel::Help => panel_part(state, Panel::Help, |parts| (parts.help)()),
            Panel::Export(at) => view! { <frame::ExportDialog at /> }.into_any(),
            Panel::Mapping(id) => view! { <opening::mapping::MappingPanel id /> }.into_any(),
            Panel::Notes => panel_part(state, Panel::Notes, |parts| (parts.notes)()),
            Panel::Report => panel_part(state, Panel::Report, |parts| (parts.report)()),
            Panel::Commands => view! { <palette::Palette /> }.into_any(),
        })}
        <Staged>
            <MenuHost />
            <TooltipHost />
            <ToastHost />
            <tour::Tour />
        </Staged>
    }
}

/// A panel, as soon as its part of the program is loaded; where that fails, that is said instead.
fn panel_part(
    state: PageState,
    panel: Panel,
    load: impl FnOnce(&'static Parts) -> LocalFuture<Loaded> + 'static,
) -> AnyView {
    let failed = move |sentence| {
        state.put_away(&panel);
        state.report_problem(state.tr(sentence), "");
        None
    };
    // What a panel reads while it is made does not make it anew.
    untrack(|| part(load, failed))
}

/// The bars and what stands between them.
#[component]
fn Bars() -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let has_document = Memo::new(move |_| state.row().is_some());
    let is_gathering = Memo::new(move |_| state.gathering.with(Option::is_some));
    let name = Memo::new(move |_| state.row().map(|row| row.with_others(row.name.get())));
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
                <OwnLanguage>
                    <frame::rail::Rail />
                    <frame::views::ViewTabs />
                </OwnLanguage>
            </Show>
            <main class="page__main" id="main" tabindex="-1">
                // What is read out first of what is open.
                {move || name.get().map(|name| view! { <h1 class="unseen">{name}</h1> })}
                <Show when=move || was_welcome.get()>
                    <Staged><welcome::Welcome is_shown=is_welcome /></Staged>
                </Show>
                {move || match (is_gathering.get(), has_document.get()) {
                    (true, _) => Some(view! { <Gathering /> }.into_any()),
                    (false, true) => Some(view! { <OwnLanguage><frame::views::Main /></OwnLanguage> }.into_any()),
                    (false, false) => None,
                }}
            </main>
            <frame::StatusBar />
        </div>
    }
}

/// Its children follow a language that goes with them, so that the page's keeps no note of each.
#[component]
fn OwnLanguage(children: Children) -> impl IntoView {
    let language = PageState::of_context().language;
    let own = Words(Memo::new(move |_| language.get()).into());
    view! { <Provider value=own>{children()}</Provider> }
}

/// The hash belongs to the route, so the link to the main part only moves the keyboard.
fn skip(event: leptos::ev::MouseEvent) {
    event.prevent_default();
    crate::ui::tabs::focus_by_id("main");
}

/// Provides the state of a page that is shown in a language; the usual one does not stand in its address.
#[allow(clippy::too_many_lines)] // one pane with its parts
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
    let (palette, is_on_paper) = theme_palette(theme.into(), scheme.into(), follow_system());
    provide_context(OnPaper(is_on_paper));
    let wanted = RwSignal::new(None::<(u32, String)>);
    let visited = RwSignal::new(None::<String>);
    let shared = PageContext {
        palette: palette.into(),
        language: language.into(),
        go: Callback::new(move |id| view.set(id)),
        visit: Callback::new(move |place| visited.set(Some(place))),
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
        palette,
        held: RwSignal::new(None),
        gathering: RwSignal::new(None),
        gathered: Latest::default(),
        forgotten: RwSignal::new(0),
        mappings: Mappings::default(),
        toasts,
        noted: RwSignal::new(String::new()),
        notes: Latest::default(),
        menus: Menus::provide(),
        tour: RwSignal::new(None),
        kept: RwSignal::new(offline::Kept::default()),
        is_outdated: RwSignal::new(false),
    };
    Effect::new(move |_| {
        let Some((document, path)) = wanted.get() else { return };
        if let Some(row) = state.documents.row(document) {
            state.show_operator(row, &path);
        }
    });
    provide_context(state);
    route::follow(state, usual, visited);
    tour::offer(state);
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
        if was.is_some_and(|was| was != language) {
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
/// A tooltip goes with the view and the document that it speaks of: what is taken from under a pointer is never left.
fn drop_tooltips(state: PageState) {
    let tooltips = tooltips();
    Effect::new(move || {
        state.view.track();
        if let Some(row) = state.row() {
            row.context.track();
        }
        tooltips.release();
    });
}

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
    let asked = opening::asked("open");
    if !asked.is_empty() {
        opening::open_beside(state, asked, opening::asked("baseline"));
    }
}

// When the page's own program breaks: it says so where it can be seen, instead of standing still.

/// From now on a panic is shown and written to the console.
fn watch_crashes(language: Language) {
    std::panic::set_hook(Box::new(move |info| show(language, info)));
}

fn show(language: Language, info: &PanicHookInfo<'_>) {
    web_sys::console::error_1(&info.to_string().into());
    let is_shown = document().query_selector(".crash").is_ok_and(|bar| bar.is_some());
    let (Some(body), Ok(bar)) = (document().body(), document().create_element("p")) else { return };
    if is_shown {
        return; // what breaks once breaks again at every gesture
    }
    let text = tr(language, phrase("Lanescope stopped working. Reload the page to continue."));
    bar.set_class_name("crash");
    let _ = bar.set_attribute("role", "alert");
    bar.set_text_content(Some(&format!("{text} ({info})")));
    let _ = body.append_child(&bar);
}

// Light, dark, or as the system has it, light on paper, and the color scheme; reads the resolved tokens for whoever draws.

/// The tokens' names come from the file itself, so that no list of them can be forgotten.
const TOKENS: &str = include_str!("../../style/tokens.css");
/// How long workers have to draw in other colors.
const DRAWN: Duration = Duration::from_millis(400);
const DARK: &str = "(prefers-color-scheme: dark)";

/// What the user chose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThemeChoice {
    #[default]
    System,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

impl ThemeChoice {
    /// All choices, in the order of the menu.
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// Its name in addresses and in the browser's store.
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The choice of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.name() == name)
    }
}

/// Whether the system is dark, followed.
fn follow_system() -> RwSignal<bool> {
    follow(DARK)
}

/// Whether media are of a kind, followed.
fn follow(media: &str) -> RwSignal<bool> {
    let Some(query) = window().match_media(media).ok().flatten() else { return RwSignal::new(false) };
    let is_so = RwSignal::new(query.matches());
    let followed = query.clone();
    // The page lives as long as its window, so nothing takes the listener away.
    EventListener::new(&query, "change", move |_| is_so.set(followed.matches())).forget();
    is_so
}

/// Whether the page goes to paper, followed. Workers draw a moment later than the browser prints: the key for it waits for
/// them where the page is dark.
fn follow_print(is_dark: Memo<bool>) -> RwSignal<bool> {
    let is_on_paper = follow("print");
    for (event, is_so) in [("beforeprint", true), ("afterprint", false)] {
        EventListener::new(&window(), event, move |_| is_on_paper.set(is_so)).forget();
    }
    let on_key = move |event: &web_sys::Event| {
        let Some(key) = event.dyn_ref::<web_sys::KeyboardEvent>() else { return };
        let is_meant = (key.ctrl_key() || key.meta_key()) && !key.alt_key() && !key.shift_key();
        if is_meant && key.key() == "p" && is_dark.get_untracked() {
            event.prevent_default();
            is_on_paper.set(true);
            set_timeout(|| drop(window().print()), DRAWN);
        }
    };
    let options = EventListenerOptions::enable_prevent_default();
    EventListener::new_with_options(&window(), "keydown", options, on_key).forget();
    is_on_paper
}

/// The palette of the theme of now, and whether the page goes to paper. Sets the attribute that the style sheets obey, then
/// reads what they make of it.
fn theme_palette(
    choice: Signal<ThemeChoice>,
    scheme: Signal<String>,
    system_is_dark: RwSignal<bool>,
) -> (Memo<Arc<Palette>>, Signal<bool>) {
    let is_dark = Memo::new(move |_| match choice.get() {
        ThemeChoice::System => system_is_dark.get(),
        ThemeChoice::Light => false,
        ThemeChoice::Dark => true,
    });
    let is_on_paper = follow_print(is_dark);
    let theme = Memo::new(move |_| if is_dark.get() && !is_on_paper.get() { "dark" } else { "light" });
    // The attributes are there even where nothing is drawn; what they resolve to is asked for when something is.
    Effect::new(move |_| mark(theme.get(), &scheme.get()));
    let palette = Memo::new(move |_| Arc::new(resolve(theme.get(), &scheme.get())));
    (palette, is_on_paper.into())
}

/// Says on `<html>` what the style sheets follow.
fn mark(theme: &str, scheme: &str) {
    if let Some(root) = document().document_element() {
        let _ = root.set_attribute("data-theme", theme);
        let _ = root.set_attribute("data-colors", scheme);
    }
}

fn resolve(theme: &str, scheme: &str) -> Palette {
    let mut palette = Palette::with_scheme(TOKENS, theme, scheme);
    mark(theme, scheme);
    let Some(root) = document().document_element() else { return palette };
    let Some(style) = window().get_computed_style(&root).ok().flatten() else { return palette };
    let value = |name: &str| style.get_property_value(&format!("--{name}")).unwrap_or_default();
    for (name, color) in &mut palette.colors {
        if let Some(resolved) = parse_color(value(name).trim()) {
            *color = resolved;
        }
    }
    palette
}

/// What can be chosen for everything, with titles: Lanescope's own colors and color schemes.
fn color_schemes(state: PageState) -> Vec<(String, String)> {
    let own = (OWN.to_owned(), phrase("Lanescope colors").to_owned());
    std::iter::once(own).chain(state.documents.catalog.get_untracked().color_schemes).collect()
}

/// Goes from one color scheme to the next.
fn turn_colors(state: PageState) {
    let all = color_schemes(state);
    let now = state.scheme.get_untracked();
    let at = all.iter().position(|(id, _)| *id == now).unwrap_or(0);
    state.scheme.set(all[(at + 1) % all.len()].0.clone());
}

/// Goes from one choice to the next.
fn turn_theme(state: PageState) {
    let at = ThemeChoice::ALL.iter().position(|c| *c == state.theme.get_untracked()).unwrap_or(0);
    state.theme.set(ThemeChoice::ALL[(at + 1) % ThemeChoice::ALL.len()]);
}
