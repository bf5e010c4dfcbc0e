//! What a view gets: its document, what all views of it share (window, selection), colors and words.
//!
//! # Comparison
//!
//! Where the page compares this document with another, [`ViewContext::baseline`] holds that one; its context asks the
//! other worker. A view shows its own document and, beside it, how that differs: difference = this − baseline. To join
//! a view: give the worker one question that packs what is needed (`Answer::Packed`, bytes beside it) and one that takes
//! those bytes and answers with both joined by `analysis::compare`; [`ViewContext::join`] carries the bytes from the one
//! to the other. Little that is at hand on the page is joined there by the same functions. What only one side has is
//! said, never taken for 0; differences have a sign and the tokens `better` and `worse`, or neither where no direction
//! of their unit is good.

use crate::base::geometry::Size;
use crate::base::pairs;
use crate::base::time::Span;
use crate::base::window::Window;
use crate::base::words::{Language, phrase, tr};
use crate::navigation::Selection;
use crate::pane::loading::{Asker, Standing};
use crate::pane::{Link, QueryResult};
use crate::scene::palette::Palette;
use crate::wire::report::Head;
use crate::wire::{Answer, Ask, Frame, NOT_LOADED, Query, ViewPicture};
use leptos::prelude::*;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;
use wasm_bindgen::JsCast;

/// The document that another one is compared with.
#[derive(Clone, Copy)]
pub struct Baseline {
    /// What a view of it would get.
    pub context: ViewContext,
    /// What its files are called.
    pub name: Signal<String>,
}

/// What a view gets.
#[derive(Clone, Copy)]
pub struct ViewContext {
    /// Number of the document on this page.
    pub document: u32,
    /// What the document is and holds; grows while it loads.
    pub head: Signal<Head>,
    /// The visible stretch of time; `None` shows everything.
    pub window: RwSignal<Option<Window>>,
    pub selection: RwSignal<Selection>,
    /// State of single views that should survive a change of tabs and stand in the address, by view id.
    pub states: RwSignal<BTreeMap<String, String>>,
    /// Views whose states an address has set: they are made anew.
    pub renewed: RwSignal<Vec<String>>,
    /// What the user set of parameters, as texts by id; changed through [`ViewContext::send_values`].
    pub values: RwSignal<BTreeMap<String, String>>,
    /// Reads the files anew, for parameters that change what is read.
    pub reload: Callback<()>,
    /// The document that this one is compared with, as soon as something of it can be used.
    pub baseline: Signal<Option<Baseline>>,
    /// What the page shares with all views.
    page: PageContext,
    /// The time with anything in it, where offsets of the files or the user moved it.
    pub moved: RwSignal<Option<Span>>,
    /// What views can save of themselves now, beside what the document can, by their ids: those that are not shown stay.
    pub offers: RwSignal<BTreeMap<&'static str, Callback<(), Vec<Offer>>>>,
    link: StoredValue<Option<Rc<Link>>, LocalStorage>,
    /// Id of the view that has it; empty for who is no view.
    pub(super) view: &'static str,
    /// Who is told when a part of the program does not come; without anybody it is said in passing.
    asker: Option<Asker>,
}

/// A file that a view can save of what it shows.
#[derive(Clone, Debug)]
pub struct Offer {
    /// What it is, an English phrase.
    pub title: &'static str,
    pub file: Query,
    /// Whether the SVG is saved as a PNG.
    pub is_png: bool,
}

/// What the page shares with all views; every [`ViewContext`] has it.
#[derive(Clone, Copy)]
pub struct PageContext {
    /// Colors of the theme.
    pub palette: Signal<Arc<Palette>>,
    pub language: Signal<Language>,
    /// Goes to another view by its id.
    pub go: Callback<String>,
    /// Goes to a place of the shown document, by its address behind `#`: what it does not say stays as it is.
    pub visit: Callback<String>,
    /// The id of the view that was chosen last; told anew when the same one is chosen again.
    pub chosen: Signal<String>,
    /// Opens another operator of the project of a document: number of the document, path of the operator.
    pub open: Callback<(u32, String)>,
    /// Says something in passing: text, and whether it is a problem.
    pub say: Callback<(String, bool)>,
    /// Saves a file under a name.
    pub save: Callback<(String, web_sys::Blob)>,
}

impl Deref for ViewContext {
    type Target = PageContext;

    fn deref(&self) -> &PageContext {
        &self.page
    }
}

impl ViewContext {
    /// The context of a document.
    pub fn new(
        document: u32,
        head: Signal<Head>,
        baseline: Signal<Option<Baseline>>,
        (values, reload): (RwSignal<BTreeMap<String, String>>, Callback<()>),
        link: Rc<Link>,
        page: PageContext,
    ) -> Self {
        Self {
            document,
            head,
            window: RwSignal::new(None),
            selection: RwSignal::default(),
            states: RwSignal::default(),
            renewed: RwSignal::default(),
            values,
            reload,
            moved: RwSignal::new(None),
            offers: RwSignal::default(),
            baseline,
            page,
            link: StoredValue::new_local(Some(link)),
            view: "",
            asker: None,
        }
    }

    /// The same for a view.
    #[must_use]
    pub fn of_view(self, view: &'static str) -> Self {
        Self { view, ..self }
    }

    /// The same where what is asked is told of there, now with this baseline.
    pub(super) fn heard_by(self, standing: RwSignal<Standing>, baseline: Signal<Option<Baseline>>) -> Self {
        Self { baseline, asker: Some(Asker::now(standing)), ..self }
    }

    /// The baseline where what it is asked is told of there.
    pub(super) fn baseline_heard_by(self, standing: RwSignal<Standing>) -> Signal<Option<Baseline>> {
        Signal::derive(move || {
            let baseline = self.baseline.get()?;
            let context = Self { view: self.view, asker: Some(Asker::now(standing)), ..baseline.context };
            Some(Baseline { context, ..baseline })
        })
    }

    /// A part of the program that was asked for did not come.
    pub fn refuse(self) {
        match self.asker {
            Some(asker) => asker.refuse(),
            None => self.say.run((self.tr(NOT_LOADED).to_owned(), true)),
        }
    }

    /// The line to the document's worker; `None` when the document was closed.
    pub fn link(&self) -> Option<Rc<Link>> {
        self.link.try_get_value().flatten()
    }

    /// Lets the line go, because the document is closed: the context may outlive it, and so would the worker's memory.
    pub fn let_go(&self) {
        self.link.try_update_value(Option::take);
    }

    /// Asks the document.
    pub async fn ask<A: Ask>(self, ask: A) -> A::Answer {
        let answer = self.ask_whole(ask.query()).await.0;
        // The worker has not got the part that answers this view.
        if is_not_loaded(&answer) {
            self.refuse();
        }
        A::answered(answer)
    }

    /// Asks the document for something with bytes beside it.
    pub async fn ask_whole(self, query: Query) -> QueryResult {
        self.ask_with(query, None).await
    }

    /// What the address keeps of a view: names and values.
    pub fn kept(self, view: &str) -> Vec<(String, String)> {
        self.states
            .with_untracked(|states| states.get(view).map(|text| pairs::split(text)).unwrap_or_default())
    }

    /// Hands over what the address says of a view, and keeps it up to date: `list` says names and values, as far as
    /// there are values.
    pub fn restore<N: AsRef<str>, L: IntoIterator<Item = (N, Option<String>)>>(
        self,
        view: &'static str,
        mut take: impl FnMut(&str, String),
        list: impl Fn() -> L + 'static,
    ) {
        for (name, value) in self.kept(view) {
            take(&name, value);
        }
        Effect::new(move || {
            let list: Vec<_> = list().into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
            let list = list.iter().map(|(name, value)| (name.as_ref(), value.as_str()));
            self.keep(view, pairs::join(list));
        });
    }

    /// A choice that the address keeps under a name among others; the usual one does not stand there.
    pub fn choice(self, among: &'static str, name: &'static str, usual: &'static str) -> RwSignal<String> {
        let kept = self.kept(among).into_iter().find(|(own, _)| own == name);
        let choice = RwSignal::new(kept.map_or_else(|| usual.to_owned(), |(_, value)| value));
        Effect::new(move |before: Option<()>| {
            let own = choice.get();
            if before.is_some() {
                self.keep_one(among, name, if own == usual { String::new() } else { own });
            }
        });
        choice
    }

    /// Keeps one value among others under its name; an empty one leaves nothing there.
    pub fn keep_one(self, among: &str, name: &str, value: String) {
        let others = self.kept(among).into_iter().filter(|(other, _)| other != name);
        let own = (!value.is_empty()).then(|| (name.to_owned(), value));
        let all: Vec<_> = others.chain(own).collect();
        self.keep(among, pairs::join(all.iter().map(|(name, value)| (name.as_str(), value.as_str()))));
    }

    /// Keeps the state of a view in the address; an empty text leaves nothing there.
    pub fn keep(self, view: &str, text: String) {
        if self.states.with_untracked(|states| states.get(view).map_or("", String::as_str) != text) {
            self.states.update(|states| {
                states.remove(view);
                if !text.is_empty() {
                    states.insert(view.to_owned(), text);
                }
            });
        }
    }

    /// Offers what a view can save of itself, as long as the owner of now is there.
    pub fn offer(self, view: &'static str, list: impl Fn() -> Vec<Offer> + Send + Sync + 'static) {
        let list = Callback::new(move |()| untrack(&list));
        self.offers.update(|offers| {
            offers.insert(view, list);
        });
        on_cleanup(move || {
            self.offers.try_update(|offers| offers.remove(view));
        });
    }

    /// Offers the picture of a view as it is seen: its panes from the left. Of a view without any all is drawn, with what
    /// is chosen of figures.
    pub fn offer_picture(
        self,
        view: &'static str,
        panes: impl Fn() -> Vec<(Frame, Size)> + Send + Sync + 'static,
    ) {
        self.offer(view, move || {
            let mut panes = panes();
            // What is hidden, or was not measured yet, has no size.
            panes.retain(|(_, size)| 1.0 <= size.w && 1.0 <= size.h);
            let seen = ViewPicture {
                view: view.to_owned(),
                panes,
                chosen: self.kept(view),
                is_compared: self.baseline.with(Option::is_some),
            };
            let file = Query::ViewPicture(Box::new(seen));
            let offer = |title, is_png| Offer { title, file: file.clone(), is_png };
            vec![offer(phrase("Save as PNG"), true), offer(phrase("Save as SVG"), false)]
        });
    }

    /// Sets a parameter, an empty text takes it back; everything is computed anew.
    pub fn set_value(self, id: &str, text: String) {
        self.values.update(|values| {
            if text.is_empty() {
                values.remove(id);
            } else {
                values.insert(id.to_owned(), text);
            }
        });
        self.send_values();
    }

    /// Has everything computed anew for the values of parameters that are set now; files are read again where they
    /// change what is read.
    pub fn send_values(self) {
        let texts = self.values.get_untracked().into_iter().collect();
        leptos::task::spawn_local(async move {
            if let Answer::ParametersSet { rereads, problems } = self.ask(Query::SetParameters(texts)).await {
                for problem in problems {
                    self.say.run((problem, true));
                }
                if rereads {
                    self.reload.run(());
                }
            }
        });
    }

    /// Lets the baseline pack what `packed` asks for, and this document join it. Where that cannot be done the answer
    /// says why.
    pub async fn join<A: Ask>(self, baseline: Baseline, packed: &A, joined: &A) -> Result<A::Answer, String> {
        let answer = match baseline.context.ask_whole(packed.query()).await {
            (Answer::Packed, Some(bytes)) => self.ask_with(joined.query(), Some(bytes)).await.0,
            (answer, _) => answer,
        };
        if is_not_loaded(&answer) {
            self.refuse();
        }
        if let Answer::Failed(why) = answer { Err(why) } else { Ok(A::answered(answer)) }
    }

    async fn ask_with(self, query: Query, beside: Option<js_sys::Object>) -> QueryResult {
        match self.link() {
            Some(link) => {
                if let (Some(palette), Some(language)) =
                    (self.palette.try_get_untracked(), self.language.try_get_untracked())
                {
                    link.set_palette(&palette, language);
                }
                link.ask_with(query, beside).await
            }
            None => (Answer::Failed(String::new()), None),
        }
    }

    /// Makes an export by its id, with its name. Says why when it cannot be made.
    pub async fn export(self, id: String) -> Option<(String, web_sys::Blob)> {
        self.file(Query::Export { id }).await
    }

    /// Asks for a file, with its name. Says why when it cannot be made.
    pub async fn file(self, query: Query) -> Option<(String, web_sys::Blob)> {
        match self.ask_whole(query).await {
            (Answer::File { name, said, is_whole, .. }, Some(file)) => {
                if !said.is_empty() {
                    self.say.run((said, !is_whole));
                }
                Some((name, file.dyn_into().ok()?))
            }
            (Answer::Failed(why), _) => {
                self.say.run((self.tr(&why).to_owned(), true));
                None
            }
            _ => None, // it was cancelled
        }
    }

    /// The phrase in the page's language; follows it.
    pub fn tr<'a>(&self, english: &'a str) -> &'a str {
        tr(self.language.get(), english)
    }

    /// A phrase that follows the language by itself.
    pub fn word(self, english: &'static str) -> Signal<String> {
        Signal::derive(move || tr(self.language.get(), english).to_owned())
    }
}

/// Whether the worker has not got the part that answers.
fn is_not_loaded(answer: &Answer) -> bool {
    matches!(answer, Answer::Failed(why) if why == NOT_LOADED)
}
