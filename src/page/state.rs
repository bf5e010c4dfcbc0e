//! The page's own state, in one struct: which document and view are shown, language, theme, what floats.
//!
//! Only this file makes the page's signals. Everything that changes them goes through the functions here or through the
//! commands; views change nothing but their own context.

use super::ThemeChoice;
use super::compare::Awaited;
use super::documents::worker_pool::fetch;
use super::documents::{DocState, DocumentRow, Documents};
use super::offline::Kept;
use super::opening::mapping::Mappings;
use crate::base::words::{self, Language, fill};
use crate::browser::text_of;
use crate::model::files::Missing;
use crate::navigation::{beside, neighbor, wanted_or_first};
use crate::pane::ViewSpec;
use crate::scene::palette::Palette;
use crate::ui::Latest;
use crate::ui::overlay::menu::Menus;
use crate::ui::overlay::{Toast, Toasts};
use crate::views::VIEWS;
use leptos::prelude::*;
use leptos::reactive::graph::{ReactiveNode, Source, ToAnySource};
use std::sync::Arc;
use std::time::Duration;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

/// How long the status bar says something.
const NOTED: Duration = Duration::from_secs(15);

/// What lies over the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Panel {
    /// The help, on [`PageState::topic`].
    Help,
    Commands,
    /// Notes on what is shown.
    Notes,
    /// What a report of what is shown is to hold.
    Report,
    /// What can be set of an export, by its number in the catalog.
    Export(usize),
    /// The mapping that a document is read with, by its number.
    Mapping(u32),
}

/// Files that are being collected from a drop, a picker or an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gathering {
    /// What is being collected.
    pub name: String,
    /// Files found so far, and how many there are (0 while folders are still looked into).
    pub files: (u64, u64),
    /// Bytes fetched so far, and how many there are (0 when the server does not say).
    pub bytes: Option<(u64, u64)>,
}

/// Everything the page knows that is not in a document.
#[derive(Clone, Copy)]
pub struct PageState {
    pub documents: Documents,
    /// Number of the shown document.
    pub current: RwSignal<Option<u32>>,
    /// Id of the view that the address asked for last.
    pub asked_view: RwSignal<String>,
    /// Id of the wanted view; [`PageState::shown_view`] says which one is shown.
    pub view: RwSignal<String>,
    /// What the address wants compared and that is not open yet.
    pub awaited: RwSignal<Option<Awaited>>,
    pub language: RwSignal<Language>,
    /// Counts up with each language that is asked for.
    pub spoken: Latest,
    /// Light, dark, or as the system has it.
    pub theme: RwSignal<ThemeChoice>,
    /// Id of the color scheme that is chosen for everything.
    pub scheme: RwSignal<String>,
    /// Whether the rail is folded away on a wide window.
    pub is_sidebar_collapsed: RwSignal<bool>,
    /// Whether the rail lies over the view on a narrow window.
    pub is_detail_on_right: RwSignal<bool>,
    pub panel: RwSignal<Option<Panel>>,
    /// The topic of the help, an id of `page::help`.
    pub topic: RwSignal<&'static str>,
    /// The colors of now.
    pub palette: Memo<Arc<Palette>>,
    /// How many files are held over the page.
    pub held: RwSignal<Option<u32>>,
    /// Files being collected.
    pub gathering: RwSignal<Option<Gathering>>,
    /// Counts up to end the collecting of now.
    pub gathered: Latest,
    /// Counts up each time recent files are forgotten.
    pub forgotten: RwSignal<u32>,
    /// Mappings: those that are saved, and the one that is being made.
    pub mappings: Mappings,
    pub toasts: Toasts,
    /// What the status bar says for a while.
    pub noted: RwSignal<String>,
    /// Counts up to end it.
    pub notes: Latest,
    pub menus: Menus,
    /// The step of the tour that is shown.
    pub tour: RwSignal<Option<usize>>,
    /// Whether the browser keeps the program.
    pub kept: RwSignal<Kept>,
    /// Whether a newer version of the program waits.
    pub is_outdated: RwSignal<bool>,
}

impl PageState {
    /// The state from the context; every part of the page stands inside it.
    pub fn of_context() -> Self {
        expect_context::<Self>()
    }

    /// The shown document.
    pub fn row(self) -> Option<DocumentRow> {
        let current = self.current.get()?;
        self.documents.list.with(|list| list.iter().find(|row| row.id == current).copied())
    }

    /// The views the shown document can fill, in the order of their tabs.
    pub fn views(self) -> Vec<&'static ViewSpec> {
        let Some(head) = self.row().and_then(|row| row.head.get()) else { return Vec::new() };
        VIEWS.iter().copied().filter(|view| (view.can_show)(&head)).collect()
    }

    /// Why a view that the address asked for is not shown, where the files of the shown document could hold it.
    pub fn missing_view(self) -> Option<Missing> {
        let wanted = self.view.get();
        let head = self.row()?.head.get().filter(|head| head.is_complete)?;
        let is_shown = VIEWS.iter().any(|view| view.id == wanted && (view.can_show)(&head));
        let is_asked = self.asked_view.with(|asked| *asked == wanted);
        head.missing.into_iter().find(|missing| missing.id == wanted && is_asked && !is_shown)
    }

    /// The shown view: the wanted one when the document can fill it, else the first; none where it is said why the
    /// wanted one is not there.
    pub fn shown_view(self) -> Option<&'static ViewSpec> {
        if self.missing_view().is_some() {
            return None;
        }
        let wanted = self.view.get();
        wanted_or_first(&self.views(), |view| view.id == wanted)
    }

    /// Shows a document.
    pub fn show(self, id: u32) {
        self.current.set(Some(id));
    }

    /// Shows the document before or after the current one.
    pub fn step(self, by: isize) {
        let current = self.current.get_untracked();
        if let Some(next) = current.and_then(|current| neighbor(&self.ids(), current, by)) {
            self.show(next);
        }
    }

    fn ids(self) -> Vec<u32> {
        self.documents.list.with_untracked(|list| list.iter().map(|row| row.id).collect())
    }

    /// Closes a document; the one beside it is shown.
    pub fn close(self, id: u32) {
        if self.current.get_untracked() == Some(id) {
            self.current.set(beside(&self.ids(), id));
        }
        self.documents.close(id, move || self.forget_followers());
        // When this one is forgotten the next may be open: then those before it go now.
        set_timeout(move || self.forget_followers(), Duration::ZERO);
    }

    /// While nothing is open, what followed the page's signals goes: a signal keeps a note of each effect that ever followed
    /// it, gone or not. Those that live are told of a change, and follow again.
    fn forget_followers(self) {
        let Documents { list, catalog, pair, operators, .. } = self.documents;
        // A panel or a menu is not made anew while somebody reads it.
        let is_read = self.panel.get_untracked().is_some() || self.menus.is_any_open();
        if is_read || !list.with_untracked(Vec::is_empty) {
            return;
        }
        let followed = [
            list.to_any_source(),
            catalog.to_any_source(),
            pair.to_any_source(),
            operators.to_any_source(),
            self.current.to_any_source(),
            self.asked_view.to_any_source(),
            self.view.to_any_source(),
            self.awaited.to_any_source(),
            self.is_sidebar_collapsed.to_any_source(),
            self.is_detail_on_right.to_any_source(),
            self.held.to_any_source(),
            self.noted.to_any_source(),
            self.language.to_any_source(),
            self.menus.followed(),
        ];
        // Of a source this takes the list of its followers, where a signal's own way leaves it.
        followed.iter().for_each(ReactiveNode::mark_dirty);
        // Colors are followed by documents and by panels only.
        ArcMemo::from(self.palette).clear_subscribers();
    }

    /// Closes what lies over the page, unless something else lies there by now: a dialog that chose what comes next is
    /// told of its own end afterwards.
    pub fn put_away(self, panel: &Panel) {
        if self.panel.get_untracked().as_ref() == Some(panel) {
            self.panel.set(None);
        }
    }

    /// What `<html data-lanescope-state>` says.
    pub fn word(self) -> &'static str {
        match self.row() {
            None if self.gathering.with(Option::is_some) => "loading",
            None => "idle",
            Some(row) => match row.state.get() {
                DocState::Loading(_) => "loading",
                DocState::Open => "ready",
                DocState::Failed(_) | DocState::Dead { .. } => "failed",
            },
        }
    }

    /// Switches the language as soon as its words are here, or says that they are not to be had.
    pub fn set_language(self, language: Language) {
        self.spoken.ask(load_words(language), move |loaded| match loaded {
            Ok(()) if self.language.get_untracked() == language => {}
            Ok(()) => {
                words::set_reader(language);
                self.language.set(language);
            }
            Err(why) => {
                let title = fill(self.tr("Could not load {language}"), &[("language", language.name())]);
                self.report_problem(title, text_of(&why));
            }
        });
    }

    /// The phrase in the language of now.
    pub fn tr(self, english: &'static str) -> &'static str {
        words::tr(self.language.get_untracked(), english)
    }

    /// Says something in passing.
    pub fn say(self, title: impl Into<String>, note: impl Into<String>) {
        self.toasts.say(Toast::note(title, note));
    }

    /// Says in the status bar, for a while, what needs no answer: a toast would cover what is to be looked at.
    pub fn note(self, text: String) {
        self.noted.set(text);
        self.notes.after(NOTED, move || {
            self.noted.try_set(String::new());
        });
    }

    /// Says that something could not be done.
    pub fn report_problem(self, title: impl Into<String>, note: impl Into<String>) {
        let toast = Toast { severity: "warning", ..Toast::note(title, note) };
        self.toasts.say(toast);
    }
}

/// Fetches the words of a language, unless they are here already.
pub async fn load_words(language: Language) -> Result<(), JsValue> {
    if words::loaded(language).is_none() {
        let response = fetch(&format!("words.{}.txt", language.tag())).await?;
        let text = JsFuture::from(response.text()?).await?.as_string().unwrap_or_default();
        words::load(language, &text);
        words::loaded(language).ok_or_else(|| JsValue::from_str("Unexpected response."))?;
    }
    Ok(())
}
