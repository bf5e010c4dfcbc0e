//! Everything the page can do, as data: the command palette, the keyboard and the table of keys are made from this list.

use super::opening::source::Source;
use super::state::{PageState, Panel};
use super::{ThemeChoice, help, opening, save, tour};
use crate::base::pairs;
use crate::base::words::{Language, fill, phrase};
use crate::ui::copy_text;
use crate::ui::icon::Glyph;
use crate::ui::overlay::menu::MenuItem;
use leptos::prelude::*;

/// One thing the page can do.
pub struct Command {
    pub id: &'static str,
    /// What it does: a verb.
    pub title: &'static str,
    /// Its picture in the palette.
    pub glyph: Glyph,
    /// Its keys: modifiers, then the key; empty when it has none.
    pub keys: &'static [&'static str],
    /// Whether it can be done now.
    pub can: fn(PageState) -> bool,
    pub run: fn(PageState),
}

/// All commands, in the order of the palette.
pub static COMMANDS: &[Command] = &[
    Command {
        id: "open-files",
        title: phrase("Open files…"),
        glyph: Glyph::File,
        keys: &["Ctrl", "O"],
        can: always,
        run: |state| opening::pick(state, false),
    },
    Command {
        id: "open-folder",
        title: phrase("Open folder…"),
        glyph: Glyph::Folder,
        keys: &["Ctrl", "Shift", "O"],
        can: always,
        run: |state| opening::pick(state, true),
    },
    Command {
        id: "open-mapping",
        title: phrase("Open log with a mapping…"),
        glyph: Glyph::File,
        keys: &[],
        can: always,
        run: opening::mapping::ask,
    },
    Command {
        id: "commands",
        title: phrase("Search or run a command"),
        glyph: Glyph::Search,
        keys: &["Ctrl", "K"],
        can: always,
        run: |state| toggle(state, Panel::Commands),
    },
    Command {
        id: "next-document",
        title: phrase("Go to the next file"),
        glyph: Glyph::Right,
        keys: &["Alt", "PageDown"],
        can: |state| 1 < state.documents.list.with(Vec::len),
        run: |state| state.step(1),
    },
    Command {
        id: "previous-document",
        title: phrase("Go to the previous file"),
        glyph: Glyph::Right,
        keys: &["Alt", "PageUp"],
        can: |state| 1 < state.documents.list.with(Vec::len),
        run: |state| state.step(-1),
    },
    Command {
        id: "reload",
        title: phrase("Reopen from disk"),
        glyph: Glyph::Reload,
        keys: &["Alt", "R"],
        can: has_document,
        run: |state| with_current(state, opening::watch::reopen),
    },
    Command {
        id: "watch",
        title: phrase("Watch for changes on disk"),
        glyph: Glyph::Reload,
        keys: &[],
        can: has_document,
        run: opening::watch::toggle,
    },
    Command {
        id: "close",
        title: phrase("Close file"),
        glyph: Glyph::Close,
        keys: &["Alt", "W"],
        can: has_document,
        run: |state| with_current(state, PageState::close),
    },
    Command {
        id: "set-baseline",
        title: phrase("Set as baseline"),
        glyph: Glyph::Compare,
        keys: &[],
        can: |state| state.current.get().is_some_and(|id| state.documents.pair.get().baseline != Some(id)),
        run: |state| with_current(state, PageState::set_baseline),
    },
    Command {
        id: "compare",
        title: phrase("Compare with baseline"),
        glyph: Glyph::Compare,
        keys: &[],
        can: |state| {
            let pair = state.documents.pair.get();
            let current = state.current.get();
            pair.baseline.is_some() && pair.baseline != current && pair.comparison != current
        },
        run: |state| with_current(state, PageState::compare_with_baseline),
    },
    Command {
        id: "compare-open",
        title: phrase("Open a file to compare with…"),
        glyph: Glyph::Compare,
        keys: &[],
        can: has_document,
        run: PageState::pick_baseline,
    },
    Command {
        id: "compare-swap",
        title: phrase("Swap baseline and comparison"),
        glyph: Glyph::Compare,
        keys: &[],
        can: |state| state.documents.pair.get().both().is_some(),
        run: PageState::swap_pair,
    },
    Command {
        id: "compare-end",
        title: phrase("Stop comparing"),
        glyph: Glyph::Compare,
        keys: &[],
        can: |state| state.documents.pair.get().baseline.is_some(),
        run: PageState::end_comparison,
    },
    Command {
        id: "export",
        title: phrase("Export…"),
        glyph: Glyph::Export,
        keys: &["Ctrl", "S"],
        can: |state| state.row().is_some_and(|row| row.context.get().is_some()),
        run: super::frame::top::open_exports,
    },
    Command {
        id: "report",
        title: phrase("Save a report…"),
        glyph: Glyph::Export,
        keys: &[],
        can: |state| state.row().is_some_and(|row| row.context.get().is_some()),
        run: |state| toggle(state, Panel::Report),
    },
    Command {
        id: "copy-link",
        title: phrase("Copy link to this view"),
        glyph: Glyph::Link,
        keys: &["Alt", "L"],
        can: has_document,
        run: copy_link,
    },
    Command {
        id: "notes",
        title: phrase("Notes"),
        glyph: Glyph::Memo,
        keys: &["Alt", "N"],
        can: |state| state.row().is_some_and(|row| row.context.get().is_some()),
        run: |state| toggle(state, Panel::Notes),
    },
    Command {
        id: "rail",
        title: phrase("Toggle sidebar"),
        glyph: Glyph::Rail,
        keys: &["Ctrl", "B"],
        can: has_document,
        run: fold,
    },
    Command {
        id: "theme",
        title: phrase("Change theme"),
        glyph: Glyph::Theme,
        keys: &["Alt", "T"],
        can: always,
        run: super::turn_theme,
    },
    Command {
        id: "theme-light",
        title: phrase("Use the light theme"),
        glyph: Glyph::Theme,
        keys: &[],
        can: |state| state.theme.get() != ThemeChoice::Light,
        run: |state| state.theme.set(ThemeChoice::Light),
    },
    Command {
        id: "theme-dark",
        title: phrase("Use the dark theme"),
        glyph: Glyph::Theme,
        keys: &[],
        can: |state| state.theme.get() != ThemeChoice::Dark,
        run: |state| state.theme.set(ThemeChoice::Dark),
    },
    Command {
        id: "theme-system",
        title: phrase("Use system theme"),
        glyph: Glyph::Theme,
        keys: &[],
        can: |state| state.theme.get() != ThemeChoice::System,
        run: |state| state.theme.set(ThemeChoice::System),
    },
    Command {
        id: "colors",
        title: phrase("Switch to the next color scheme"),
        glyph: Glyph::Theme,
        keys: &[],
        can: always,
        run: super::turn_colors,
    },
    Command {
        id: "language",
        title: phrase("Switch between English and Chinese"),
        glyph: Glyph::View,
        keys: &[],
        can: always,
        run: |state| {
            let is_english = state.language.get_untracked() == Language::En;
            state.set_language(if is_english { Language::Zh } else { Language::En });
        },
    },
    Command {
        id: "help",
        title: phrase("Show keyboard shortcuts"),
        glyph: Glyph::Help,
        keys: &["?"],
        can: always,
        run: |state| {
            state.topic.set(help::KEYS);
            toggle(state, Panel::Help);
        },
    },
    Command {
        id: "lessons",
        title: phrase("Show lessons"),
        glyph: Glyph::Help,
        keys: &[],
        can: always,
        run: help::open_lessons,
    },
    Command {
        id: "tour",
        title: phrase("Take the tour"),
        glyph: Glyph::Help,
        keys: &[],
        can: has_document,
        run: tour::begin,
    },
];

/// A command as an item of a menu.
pub fn item(state: PageState, id: &str) -> Option<MenuItem> {
    let command = COMMANDS.iter().find(|command| command.id == id)?;
    Some(MenuItem::act(state.tr(command.title), "", move || (command.run)(state)))
}

fn always(_: PageState) -> bool {
    true
}

fn has_document(state: PageState) -> bool {
    state.current.get().is_some()
}

fn with_current(state: PageState, act: fn(PageState, u32)) {
    if let Some(id) = state.current.get_untracked() {
        act(state, id);
    }
}

fn toggle(state: PageState, panel: Panel) {
    state.panel.update(|shown| *shown = if shown.as_ref() == Some(&panel) { None } else { Some(panel) });
}

/// On a narrow window the rail is laid over the view, on a wide one it is folded.
pub fn fold(state: PageState) {
    let is_narrow =
        window().match_media("(max-width: 1279px)").ok().flatten().is_some_and(|query| query.matches());
    let which = if is_narrow { state.is_detail_on_right } else { state.is_sidebar_collapsed };
    which.update(|on| *on = !*on);
    if !is_narrow {
        save::store::write("folded", &state.is_sidebar_collapsed.get_untracked().to_string());
    }
}

/// Copies the address of what is shown. Where files were fetched it fetches them again; others are named.
fn copy_link(state: PageState) {
    let (url, needs) = link(state);
    copy_text(&url, move |worked| {
        if worked {
            let needed = match needs.as_slice() {
                [] => state.tr("The link opens the files automatically.").to_owned(),
                names => fill(
                    state.tr("Open it with {names} to restore this view."),
                    &[("names", &names.join(" + "))],
                ),
            };
            state.say(state.tr("Link copied"), needed);
        } else {
            state.report_problem(state.tr("The browser blocked copying"), "");
        }
    });
}

/// The address of what is shown, and the files that it does not fetch.
fn link(state: PageState) -> (String, Vec<String>) {
    let href = window().location().href().unwrap_or_default();
    let Some(shown) = state.row() else { return (href, Vec::new()) };
    let pair = state.documents.pair.get_untracked();
    let baseline = pair.baseline.filter(|_| pair.comparison == Some(shown.id));
    let baseline = baseline.and_then(|id| state.documents.row(id));
    let mut query = Vec::new();
    let mut needs = Vec::new();
    for (of, row) in [("open", Some(shown)), ("baseline", baseline)] {
        let Some(row) = row else { continue };
        row.source.with_value(|source| match source {
            Source::Addresses(list) => query.extend(list.iter().map(|(_, url)| (of, url.clone()))),
            Source::Files | Source::Handles(_) => needs.push(row.with_others(row.name.get_untracked())),
        });
    }
    let asked = opening::ASKED.map(|of| opening::asked(of).into_iter().map(move |url| (of, url)));
    if !needs.is_empty() || asked.into_iter().flatten().eq(query.iter().cloned()) {
        return (href, needs);
    }
    let (page, place) = href.split_once('#').unwrap_or((&href, ""));
    let page = page.split_once('?').map_or(page, |(page, _)| page);
    let query = pairs::join(query.iter().map(|(of, url)| (*of, url.as_str())));
    (format!("{page}?{query}#{place}"), needs)
}
