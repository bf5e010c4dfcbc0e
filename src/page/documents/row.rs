//! One opened document as the page shows it: where it is, and what happens when its worker is silent or dies.

use super::now;
use super::worker_pool::Subscription;
use crate::base::fault::Place;
use crate::base::names;
use crate::base::words::phrase;
use crate::model::notes::Notes;
use crate::navigation::route::Route;
use crate::page::opening::source::Source;
use crate::page::opening::watch::{OnDisk, Stamp};
use crate::pane::Link;
use crate::pane::context::ViewContext;
use crate::wire::Progress;
use crate::wire::report::{Head, Report};
use leptos::prelude::*;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A worker that loads says where it is many times a second, and one that is asked answers soon; after this silence it is
/// asked whether it is alive.
const SILENCE_MS: f64 = 5_000.0;
/// When it has not answered for so long, the user is asked whether to wait.
const PATIENCE_MS: f64 = 10_000.0;

/// Why a document is dead whose worker the user did not want to wait for.
pub const STOPPED: &str = phrase("The worker stopped answering.");

/// Where a document is.
#[derive(Clone, Debug, PartialEq)]
pub enum DocState {
    /// It is being read; the head stands as soon as something can be used.
    Loading(Progress),
    /// Everything can be used.
    Open,
    /// It could not be opened; the report says why.
    Failed(Box<Report>),
    /// Its worker died.
    Dead {
        message: String,
        /// Where it was reading.
        place: Place,
        /// Whether it had begun: else the program could not be fetched or started.
        has_begun: bool,
    },
}

/// One opened document as the page shows it.
#[derive(Clone, Copy)]
pub struct DocumentRow {
    pub id: u32,
    /// What its files are called.
    pub name: RwSignal<String>,
    /// Bytes of its files.
    pub bytes: RwSignal<u64>,
    /// Where it is.
    pub state: RwSignal<DocState>,
    /// What it holds; `None` until something can be used.
    pub head: RwSignal<Option<Head>>,
    pub context: RwSignal<Option<ViewContext>>,
    /// What the user set of parameters, as texts by id.
    pub values: RwSignal<BTreeMap<String, String>>,
    /// Whether its worker does not answer: the user decides whether to wait.
    pub is_silent: RwSignal<bool>,
    /// Bytes of a file that is being written for saving, when that takes long.
    pub writing: RwSignal<Option<u64>>,
    /// Documents of the same files have the same number: that of the first.
    pub project: u32,
    /// Path of the operator that was asked for; empty for the first.
    pub(super) operator: StoredValue<String>,
    pub(super) opens_others: StoredValue<bool>,
    /// Its files, with their paths.
    pub files: StoredValue<Vec<(String, web_sys::File)>, LocalStorage>,
    /// Where its files came from.
    pub source: StoredValue<Source, LocalStorage>,
    /// Its id among the recent files; empty where it is not listed there.
    pub recent: StoredValue<String>,
    /// What is to be shown of it as soon as something can be.
    pub place: StoredValue<Option<Route>>,
    /// Notes on its files, once they are read.
    pub notes: RwSignal<Option<Notes>>,
    /// What is known of its files on disk.
    pub on_disk: RwSignal<OnDisk>,
    /// Why its files could not be read again, in the browser's words.
    pub unreadable: RwSignal<Option<String>>,
    /// Whether is looked for changes of its files.
    pub is_watched: RwSignal<bool>,
    /// What was seen of its files at the last look, and whether somebody is looking.
    pub seen: StoredValue<Vec<Stamp>>,
    pub is_looked_at: StoredValue<bool>,
    pub(super) link: StoredValue<Option<Rc<Link>>, LocalStorage>,
    pub(super) subscription: StoredValue<Option<Subscription>, LocalStorage>,
    pub(super) heard: StoredValue<f64>,
    /// When the worker was asked whether it is alive, until something is heard.
    pub(super) asked: StoredValue<Option<f64>>,
}

impl DocumentRow {
    /// Where its files, or the operator that it shows, were found: tells documents of one name apart. Of files that were
    /// fetched their address says it, which their names do not hold.
    pub fn path(&self) -> String {
        let shown =
            self.head.with(|head| head.as_ref()?.project.as_ref().map(|project| project.shown.clone()));
        let address = || {
            self.source.with_value(|source| match source {
                Source::Addresses(list) => list.first().map(|(_, url)| names::of_address(url)),
                Source::Files | Source::Handles(_) => None,
            })
        };
        let file = || self.files.with_value(|files| files.first().map(|(path, _)| path.clone()));
        shown.or_else(address).or_else(file).unwrap_or_default()
    }

    /// Paths of its files.
    pub fn paths(&self) -> Vec<String> {
        self.files.with_value(|files| files.iter().map(|(path, _)| path.clone()).collect())
    }

    /// How many files without a common folder it is of; 0 for a folder, and for an operator of a project.
    pub fn n_loose(&self) -> usize {
        let is_project = self.head.with(|head| head.as_ref().is_some_and(|head| head.project.is_some()));
        let paths = self.paths();
        if is_project || paths.iter().any(|path| path.contains('/')) { 0 } else { paths.len() }
    }

    /// What it is called, with how many files there are beside the one that is named.
    pub fn with_others(&self, name: String) -> String {
        match self.n_loose() {
            0 | 1 => name,
            n => format!("{name} + {}", n - 1),
        }
    }

    /// Takes where loading is; what comes after the end is of no interest.
    pub(super) fn advance(&self, progress: Progress) {
        if self.state.with_untracked(|s| matches!(s, DocState::Loading(_))) {
            self.state.set(DocState::Loading(progress));
        }
    }

    /// Whether its worker has something to say: it loads, or an answer or a picture is waited for.
    pub(super) fn owes_answer(&self) -> bool {
        let is_loading = self.state.with_untracked(|s| matches!(s, DocState::Loading(_)));
        is_loading || self.link.with_value(|link| link.as_ref().is_some_and(|link| link.is_waiting()))
    }

    /// Whether it is to be read and has no worker yet.
    pub(super) fn is_waiting_for_worker(&self) -> bool {
        self.link.with_value(Option::is_none)
            && self.state.with_untracked(|s| matches!(s, DocState::Loading(_)))
    }

    /// Asks a silent worker whether it is alive; when it does not answer either, the user is asked.
    pub(super) fn listen_for_silence(&self) {
        match self.asked.get_value() {
            None if SILENCE_MS < now() - self.heard.get_value() => {
                self.asked.set_value(Some(now()));
                if let Some(link) = self.link.get_value() {
                    link.ask_alive();
                }
            }
            Some(asked) if PATIENCE_MS < now() - asked && !self.is_silent.get_untracked() => {
                self.is_silent.set(true);
            }
            _ => {}
        }
    }

    /// Something was heard, or the user wants to wait: silence counts anew.
    pub fn wait(&self) {
        self.heard.try_set_value(now());
        self.asked.try_set_value(None);
        if self.is_silent.try_get_untracked() == Some(true) {
            self.is_silent.set(false);
        }
    }

    /// The line to its worker, once there is one.
    pub fn link(&self) -> Option<Rc<Link>> {
        self.link.try_get_value().flatten()
    }

    /// Ends the files that are being written.
    pub fn cancel_files(&self) {
        if let Some(link) = self.link.get_value() {
            link.cancel_files();
        }
    }

    /// The user does not want to wait for a worker that does not answer.
    pub fn give_up(&self) {
        self.die(STOPPED.to_owned(), None);
    }

    /// Ends the worker; nothing it still says is heard.
    pub(super) fn end(&self) {
        self.subscription.try_update_value(Option::take);
        self.writing.try_set(None);
        if let Some(context) = self.context.get_untracked() {
            context.let_go();
        }
        if let Some(link) = self.link.try_update_value(Option::take).flatten() {
            link.end();
        }
    }

    /// The worker is dead: its place in the file is what it said last.
    pub(super) fn die(&self, message: String, place: Option<Place>) {
        let last = self.state.with_untracked(|s| match s {
            DocState::Loading(progress) => progress.place.clone(),
            _ => Place::default(),
        });
        self.end();
        self.is_silent.set(false);
        self.state.set(DocState::Dead { message, place: place.unwrap_or(last), has_begun: true });
    }
}
