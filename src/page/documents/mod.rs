//! Opened documents: one worker each. Progress, cancel, and what happens when a worker dies.
//!
//! The worker's script and its compiled module are fetched once and kept, so that an open tab opens more files without
//! the network. One spare worker waits, ready: it also told the page what can be opened.

mod row;
pub mod worker_pool;

pub use row::{DocState, DocumentRow, STOPPED};

use super::compare::Pair;
use super::opening::Opening;
use super::route;
use crate::base::fault::Place;
use crate::base::map::ordered;
use crate::base::names;
use crate::model::files::OperatorHead;
use crate::navigation::route::Route;
use crate::pane::Link;
use crate::pane::context::{PageContext, ViewContext};
use crate::views::mapping::messages::MAPPING;
use crate::wire::report::Head;
use crate::wire::{Catalog, FromWorker, Progress};
use futures_channel::oneshot;
use js_sys::{Array, Reflect};
use leptos::prelude::*;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;
use wasm_bindgen::prelude::*;
use worker_pool::{SpareWorker, WorkerPool, hand_part, spawn};

/// All documents of the page.
#[derive(Clone, Copy)]
pub struct Documents {
    /// In the order they were opened.
    pub list: RwSignal<Vec<DocumentRow>>,
    /// What can be opened, as the spare worker said.
    pub catalog: RwSignal<Catalog>,
    /// Which two are compared.
    pub pair: RwSignal<Pair>,
    /// The operators of a project, as far as they are known: its number, and what is known of each.
    pub operators: RwSignal<(u32, Vec<OperatorHead>)>,
    /// Why no document can be opened at all, such as a browser without what is needed.
    pub trouble: RwSignal<Option<String>>,
    /// What the address says, for the first document that is opened.
    first: StoredValue<Route>,
    shared: PageContext,
    next: StoredValue<u32>,
    /// When was last looked for workers that do not answer.
    looked: StoredValue<f64>,
    pool: StoredValue<Rc<WorkerPool>, LocalStorage>,
    /// Who owns the signals of each document, by its number: they outlive the button that opened it, and go some time after
    /// it was closed.
    owners: StoredValue<BTreeMap<u32, Owner>>,
    /// Who owns all of these.
    owner: StoredValue<Owner>,
}

impl Documents {
    /// No documents yet; begins to fetch the worker.
    pub fn new(shared: PageContext) -> Self {
        let documents = Self {
            list: RwSignal::default(),
            catalog: RwSignal::default(),
            pair: RwSignal::default(),
            operators: RwSignal::default(),
            trouble: RwSignal::default(),
            first: StoredValue::default(),
            shared,
            next: StoredValue::new(1),
            looked: StoredValue::new(now()),
            pool: StoredValue::new_local(Rc::default()),
            owners: StoredValue::default(),
            owner: StoredValue::new(Owner::new()),
        };
        documents.prepare();
        set_interval(move || documents.listen_for_silence(), std::time::Duration::from_secs(1));
        documents
    }

    /// Keeps what an address sets of parameters for the first document that is opened.
    pub fn keep_first_values(self, route: &Route) {
        self.first.set_value(route.clone());
    }

    /// What the address sets of parameters of a document. Only the file that it is about is read with its mapping.
    fn take_first_values(self, name: &str) -> BTreeMap<String, String> {
        self.first.try_update_value(|first| first.take_values(name, MAPPING)).unwrap_or_default()
    }

    /// The mapping of the address, as long as the file that it is for was not opened.
    pub fn mapping_left(self) -> Option<String> {
        self.first.with_value(|first| first.values.get(MAPPING).cloned())
    }

    /// Opens files as one document and returns its number.
    pub fn open(self, opening: impl Into<Opening>) -> u32 {
        self.begin(opening.into(), None)
    }

    /// The document of another operator of a document's project; opens it when it is not open yet.
    pub fn open_operator(self, of: DocumentRow, path: &str) -> u32 {
        let opening = Opening {
            files: of.files.get_value(),
            source: of.source.get_value(),
            recent: of.recent.get_value(),
            place: None,
        };
        self.operator(of, path).unwrap_or_else(|| self.begin(opening, Some((of, path))))
    }

    /// The document of another operator of a document's project, when it is open.
    pub fn operator(self, of: DocumentRow, path: &str) -> Option<u32> {
        let is_open = |row: &&DocumentRow| {
            let shown = row.head.with_untracked(|h| h.as_ref()?.project.as_ref().map(|p| p.shown.clone()));
            row.project == of.project && shown.unwrap_or_else(|| row.operator.get_value()) == path
        };
        self.list.with_untracked(|list| list.iter().find(is_open).map(|row| row.id))
    }

    fn begin(self, opening: Opening, operator: Option<(DocumentRow, &str)>) -> u32 {
        let id = self.next.get_value();
        self.next.set_value(id + 1);
        let owner = self.owner.with_value(Owner::child);
        let row = owner.with(|| self.make_row(id, opening, operator));
        self.owners.update_value(|owners| drop(owners.insert(id, owner)));
        self.list.update(|list| list.push(row));
        self.start(row);
        id
    }

    fn make_row(self, id: u32, opening: Opening, operator: Option<(DocumentRow, &str)>) -> DocumentRow {
        let Opening { files, source, recent, place } = opening;
        let name = match files.first().map(|f| f.0.split('/').collect::<Vec<_>>()) {
            Some(parts) if 1 < files.len() && 1 < parts.len() => parts[0].to_owned(),
            Some(parts) => parts.last().map_or(String::new(), |&p| p.to_owned()),
            None => String::new(),
        };
        let values = match (operator, &place) {
            (Some((of, _)), _) => mapping_of(of),
            (None, Some(place)) => place.values.clone(),
            (None, None) => self.take_first_values(&name),
        };
        DocumentRow {
            id,
            name: RwSignal::new(name),
            bytes: RwSignal::new(files.iter().map(|f| f.1.size() as u64).sum()),
            state: RwSignal::new(DocState::Loading(Progress::default())),
            head: RwSignal::new(None),
            context: RwSignal::new(None),
            values: RwSignal::new(values),
            project: operator.map_or(id, |(of, _)| of.project),
            opens_others: StoredValue::new(operator.is_none()),
            operator: StoredValue::new(operator.map_or(String::new(), |(_, path)| path.to_owned())),
            files: StoredValue::new_local(files),
            source: StoredValue::new_local(source),
            recent: StoredValue::new(recent),
            place: StoredValue::new(place),
            notes: RwSignal::new(None),
            on_disk: RwSignal::default(),
            is_watched: RwSignal::new(false),
            unreadable: RwSignal::new(None),
            seen: StoredValue::default(),
            is_looked_at: StoredValue::new(false),
            link: StoredValue::new_local(None),
            subscription: StoredValue::new_local(None),
            heard: StoredValue::new(now()),
            asked: StoredValue::new(None),
            is_silent: RwSignal::new(false),
            writing: RwSignal::new(None),
        }
    }

    /// A document's name, or its path where another open one has the same name.
    fn name_or_path(self, row: &DocumentRow) -> String {
        let name = row.name.get();
        let is_shared = self.list.with(|list| list.iter().any(|o| o.id != row.id && o.name.get() == name));
        if is_shared { row.path() } else { name }
    }

    /// What tells a document from another: of a file whose name its tool prescribes the folder.
    fn telling_name(self, row: &DocumentRow) -> String {
        let path = row.path();
        let folder = self.catalog.with(|all| {
            let patterns = all.formats.iter().flat_map(|format| &format.patterns);
            names::folder_of(&path, patterns.map(String::as_str)).map(str::to_owned)
        });
        folder.unwrap_or_else(|| self.name_or_path(row))
    }

    /// Names or paths of all open documents, by their numbers, as a list shows them.
    fn names(self, shown: impl Fn(Vec<String>) -> Vec<String>) -> Vec<(u32, String)> {
        let rows = self.list.get();
        let names = rows.iter().map(|row| self.name_or_path(row)).collect();
        rows.iter().map(|row| row.id).zip(names::numbered(&shown(names))).collect()
    }

    /// What a document is called among the open ones: its name, or its path where another one has the same name; where
    /// that has the same path too, which of them it is, in the order they were opened.
    pub fn unique_name(self, row: &DocumentRow) -> String {
        let names = self.names(|names| names);
        names.into_iter().find(|(id, _)| *id == row.id).map_or_else(String::new, |(_, name)| name)
    }

    /// What lists show of the open documents, by their numbers: without what all names begin with; of two that are
    /// compared what they differ in, as the bar above calls them.
    pub fn labels(self) -> Vec<(u32, String)> {
        let mut labels = self.names(|names| names::shortened(&names));
        let pair = self.pair.get().both().zip(self.pair_labels());
        if let Some(((a, b), (of_a, of_b))) = pair {
            let is_taken =
                |(id, label): &(u32, String)| *id != a && *id != b && (*label == of_a || *label == of_b);
            if !labels.iter().any(is_taken) {
                for (id, label) in &mut labels {
                    if *id == a {
                        label.clone_from(&of_a);
                    } else if *id == b {
                        label.clone_from(&of_b);
                    }
                }
            }
        }
        labels
    }

    /// What one document is called in lists.
    pub fn label(self, id: u32) -> String {
        self.labels().into_iter().find(|(of, _)| *of == id).map_or_else(String::new, |(_, label)| label)
    }

    /// What the baseline and the comparison are called: what they differ in.
    pub fn pair_labels(self) -> Option<(String, String)> {
        let (a, b) = self.pair.get().both()?;
        let name = |id| self.list.with(|list| list.iter().find(|row| row.id == id).copied());
        let rows = [name(a)?, name(b)?];
        let told = rows.map(|row| self.telling_name(&row));
        let paths = rows.map(|row| row.path());
        let [first, second] = rows.map(|row| self.unique_name(&row));
        let [told, paths] = [&told, &paths].map(|names| names.each_ref().map(String::as_str));
        Some(names::apart(told, paths).unwrap_or((first, second)))
    }

    /// The row of a document.
    pub fn row(self, id: u32) -> Option<DocumentRow> {
        self.list.get_untracked().into_iter().find(|row| row.id == id)
    }

    /// Closes a document: its worker ends at once, wherever it was, and its memory comes back. Calls back once what the page
    /// kept of it is gone.
    pub fn close(self, id: u32, forgotten: impl FnOnce() + 'static) {
        if let Some(row) = self.row(id) {
            row.end();
        }
        self.list.update(|list| list.retain(|row| row.id != id));
        self.part_from(id);
        let forget = move || {
            let owner = self.owners.try_update_value(|owners| owners.remove(&id)).flatten();
            owner.iter().for_each(Owner::cleanup);
            // An owner keeps a note of each one below it, gone or not.
            if self.owners.with_value(BTreeMap::is_empty) {
                self.owner.with_value(Owner::cleanup);
            }
            forgotten();
        };
        set_timeout(forget, FORGET_LATER);
        self.prepare();
        if self.list.with_untracked(Vec::is_empty) {
            collect_when_calm(self.list);
        }
    }

    /// Reads the files of a document anew in a fresh worker; it is seen as it was.
    pub fn reload(self, id: u32) {
        if let Some(row) = self.row(id) {
            // As an address says it: numbers of slices and tracks may be others then.
            if let Some(place) = untrack(|| route::place_of(row)) {
                row.place.set_value(Some(Route::parse(&place.text())));
            }
            row.end();
            row.unreadable.set(None);
            row.head.set(None);
            row.context.set(None);
            row.state.set(DocState::Loading(Progress::default()));
            self.start(row);
        }
    }

    /// Has a document that is being read seen as an address says.
    pub fn read_for(self, row: DocumentRow, route: Route) {
        let mut values = route.values.clone();
        values.extend(mapping_of(row));
        row.place.set_value(Some(route));
        if row.values.with_untracked(|own| *own != values) {
            row.values.set(values);
            self.reload(row.id);
        }
    }

    fn start(self, row: DocumentRow) {
        row.wait();
        leptos::task::spawn_local(async move {
            match self.spare().await {
                Ok(spare) => self.adopt(row, spare),
                Err(message) => {
                    let place = Place::default();
                    row.state.set(DocState::Dead { message, place, has_begun: false });
                    self.prepare();
                }
            }
        });
    }

    fn adopt(self, row: DocumentRow, spare: SpareWorker) {
        let is_open = self.list.with_untracked(|list| list.iter().any(|r| r.id == row.id));
        if !is_open || !row.is_waiting_for_worker() {
            spare.link.end(); // closed or given up before it began
            return;
        }
        let link = spare.link;
        row.link.set_value(Some(link.clone()));
        let heard = link.clone();
        spare.subscription.set_listener(Rc::new(move |message| self.hear(row, &heard, message)));
        row.subscription.set_value(Some(spare.subscription));
        link.set_palette(&self.shared.palette.get_untracked(), self.shared.language.get_untracked());
        row.operator.with_value(|path| {
            row.files.with_value(|files| {
                link.open(files, path, row.values.get_untracked().into_iter().collect());
            });
        });
    }

    /// Takes what a worker says. Some time after it is done, whatever came of it, the next one may begin to live: the
    /// processor is all for loading, and then for the first view.
    fn hear(
        self,
        row: DocumentRow,
        link: &Rc<Link>,
        message: Result<(FromWorker, Option<js_sys::Object>), String>,
    ) {
        row.wait();
        let message = match message {
            Ok((FromWorker::PartWanted { name }, _)) => {
                return hand_part(self.pool.get_value(), link.clone(), name);
            }
            Ok((FromWorker::PartLoaded(catalog), _)) => {
                return self.catalog.update(|all| all.join(catalog));
            }
            Ok((message, bytes)) => link.receive(message, bytes),
            Err(message) => {
                row.die(message, None);
                return self.prepare();
            }
        };
        match message {
            Some(FromWorker::Progress(progress)) => return row.advance(progress),
            Some(FromWorker::Opened(head)) if !head.is_complete => return self.opened(row, link, *head),
            Some(FromWorker::Opened(head)) => self.opened(row, link, *head),
            Some(FromWorker::Failed(report)) => row.state.set(DocState::Failed(report)),
            Some(FromWorker::Panic { message, place }) => row.die(message, Some(place)),
            Some(FromWorker::Unreadable(why)) => return row.unreadable.set(Some(why)),
            Some(FromWorker::Writing(bytes)) => return row.writing.set(bytes),
            Some(FromWorker::LongestStep(millis)) => return report_longest_step(millis),
            _ => return,
        }
        set_timeout(move || self.prepare(), SPARE_LATER);
    }

    /// Fetches the parts of workers, for when there is no network later on.
    pub async fn keep_parts(self) {
        self.pool.get_value().keep_parts().await;
    }

    fn opened(self, row: DocumentRow, link: &Rc<Link>, head: Head) {
        let is_complete = head.is_complete;
        if let Some(project) = &head.project {
            row.name.set(project.name());
        }
        // Each file that was dropped with it becomes a document, once: a reload brings no closed ones back.
        let opens_others = row.opens_others.try_update_value(std::mem::take) == Some(true);
        let dropped = head.project.as_ref().filter(|_| opens_others).map(|project| project.dropped.clone());
        let laid = head.laid.filter(|_| is_complete);
        row.head.set(Some(head));
        for path in dropped.iter().flatten().skip(1).take(7) {
            self.open_operator(row, path);
        }
        if row.context.with_untracked(Option::is_none) {
            let owner = self.owners.with_value(|owners| owners.get(&row.id).cloned());
            let Some(owner) = owner else { return };
            let context = owner.with(|| self.context_of(row, link));
            row.context.set(Some(context));
        }
        if let Some(context) = row.context.get_untracked().filter(|_| laid.is_some()) {
            context.moved.set(laid);
        }
        if is_complete {
            row.state.set(DocState::Open);
        }
    }

    /// With language and colors of its own. They seldom change, and until then a signal keeps a note of every effect that
    /// once followed it: the notes of a document's views go with the document's signals.
    fn context_of(self, row: DocumentRow, link: &Rc<Link>) -> ViewContext {
        let PageContext { palette, language, .. } = self.shared;
        let shared = PageContext {
            palette: Memo::new(move |_| palette.get()).into(),
            language: Memo::new(move |_| language.get()).into(),
            ..self.shared
        };
        ViewContext::new(
            row.id,
            Signal::derive(move || row.head.get().unwrap_or_default()),
            self.baseline_of(row.id),
            (row.values, Callback::new(move |()| self.reload(row.id))),
            link.clone(),
            shared,
        )
    }

    fn listen_for_silence(self) {
        let has_slept = ASLEEP_MS < now() - self.looked.get_value();
        self.looked.set_value(now());
        let is_fetching = self.pool.with_value(|pool| pool.is_fetching());
        for row in self.list.get_untracked() {
            // While a tab sleeps its workers do too.
            // So does who waits for what workers are made of to come over the network.
            if has_slept || is_fetching && row.is_waiting_for_worker() {
                row.wait();
            } else if row.owes_answer() {
                row.listen_for_silence();
            }
        }
    }

    /// A worker that has said hello: the spare one, the one that is being prepared, or a new one.
    async fn spare(self) -> Result<SpareWorker, String> {
        let pool = self.pool.get_value();
        let spare = pool.spare.borrow_mut().take();
        if let Some(spare) = spare {
            return Ok(spare);
        }
        // One that says nothing for so long may never do.
        let is_late = PREPARED_MS < now() - pool.began.get();
        if pool.is_preparing.get() && !is_late && pool.taker.borrow().is_none() {
            let (sender, prepared) = oneshot::channel();
            pool.taker.replace(Some(sender));
            if let Ok(prepared) = prepared.await {
                return prepared;
            }
        }
        spawn(&pool, self.catalog).await
    }

    /// Makes a spare worker for the next document.
    fn prepare(self) {
        let Some(pool) = self.pool.try_get_value() else { return };
        if pool.spare.borrow().is_some() || pool.is_preparing.replace(true) {
            return;
        }
        pool.began.set(now());
        leptos::task::spawn_local(async move {
            let spawned = spawn(&pool, self.catalog).await;
            pool.is_preparing.set(false);
            self.trouble.set(spawned.as_ref().err().cloned());
            match (pool.taker.take(), spawned) {
                (Some(taker), spawned) => drop(taker.send(spawned)),
                (None, Ok(spare)) => drop(pool.spare.borrow_mut().replace(spare)),
                (None, Err(_)) => {}
            }
        });
    }
}

/// The mapping that a document is read with, without which its other logs cannot be read either.
fn mapping_of(row: DocumentRow) -> BTreeMap<String, String> {
    let text = row.values.with_untracked(|values| values.get(MAPPING).cloned());
    ordered(text.map(|text| (MAPPING.to_owned(), text)))
}

/// Says on `<html>` how long a worker of this page worked without a pause at most, in milliseconds.
fn report_longest_step(millis: f64) {
    const NAME: &str = "data-lanescope-longest-step";
    let Some(root) = document().document_element() else { return };
    let told = root.get_attribute(NAME).and_then(|told| told.parse::<f64>().ok()).unwrap_or(0.0);
    if told < millis {
        let _ = root.set_attribute(NAME, &format!("{millis:.1}"));
    }
}

/// Looks for silent workers come every second, or every minute in a tab that is hidden; one that comes later than this
/// says that the tab was frozen or the machine slept.
const ASLEEP_MS: f64 = 5_000.0;

fn now() -> f64 {
    window().performance().map_or(0.0, |p| p.now())
}

// Gives the browser's memory back once the last document is closed.
//
// A worker takes its memory along when it ends. What the page itself leaves behind (events, layouts, pictures of a
// session of zooming) is the browser's to collect, and with nothing open nothing gives it reason to: measured, 20 MB
// stay until something else is opened.

/// How long after a document is open the worker for the next one is made: that takes a processor for a quarter of a
/// second, in which the first view is computed and drawn.
const SPARE_LATER: Duration = Duration::from_secs(2);

/// A worker that is being prepared says hello within this, else another one is made.
const PREPARED_MS: f64 = 30_000.0;

/// How long after a document was closed its signals go: its views are gone by then, and whoever waited for its answers
/// has been told. Not longer: what is opened and closed one after the other is kept all at once until then.
const FORGET_LATER: Duration = Duration::from_secs(1);

/// The first screen is drawn by then, and the ended worker with its canvases is gone: before, it holds what is left.
const CALM: Duration = Duration::from_secs(1);

/// More than any browser gives, so that it is always refused and no memory is ever taken.
const TOO_MUCH: f64 = (30_u64 << 30) as f64;

/// Collects soon, unless something is opened before.
fn collect_when_calm(list: RwSignal<Vec<DocumentRow>>) {
    let when_calm = move || {
        if list.try_with_untracked(Vec::is_empty).unwrap_or(false) {
            ask_too_much();
        }
    };
    set_timeout(when_calm, CALM);
}

/// A page cannot ask for a collection. But Chromium collects all there is before it refuses a buffer that it cannot
/// give: 30 to 60 ms on two slow cores. Other browsers refuse at once and nothing happens.
fn ask_too_much() {
    let buffer = Reflect::get(&js_sys::global(), &"ArrayBuffer".into()).and_then(|maker| {
        let maker: js_sys::Function = maker.dyn_into()?;
        Reflect::construct(&maker, &Array::of1(&TOO_MUCH.into()))
    });
    drop(buffer);
}
