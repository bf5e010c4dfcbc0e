//! Which two of the open documents are compared: the baseline (A) and the comparison (B).
//!
//! Any two can be; closing either ends it. A view of the comparison gets the baseline through its context, as soon as
//! something of it can be used, so that both may still be loading.

use super::documents::{DocumentRow, Documents};
use super::frame::operators::not_open;
use super::opening;
use super::state::PageState;
use crate::analysis::compare::operators::partner;
use crate::base::words::{fill, phrase};
use crate::pane::context::{Baseline, ViewContext};
use crate::pane::headline::operators_of;
use crate::ui::overlay::menu::MenuItem;
use leptos::prelude::*;

/// Most operators that are offered before they are open.
const OPERATORS: usize = 24;
/// Why a file is not offered as its own baseline.
const ITSELF: &str = phrase("same file");

/// Which documents are compared, by their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pair {
    /// The baseline; alone it waits for what is to be compared with it.
    pub baseline: Option<u32>,
    pub comparison: Option<u32>,
}

/// What the address wants compared, by the names of files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Awaited {
    pub baseline: String,
    /// What is compared with it; `None` where the address does not say.
    pub file: Option<String>,
}

impl Pair {
    /// Both, when there are two.
    pub fn both(self) -> Option<(u32, u32)> {
        self.baseline.zip(self.comparison)
    }

    /// The letter of a document in this pair; empty when it is in none.
    pub fn letter(self, id: u32) -> &'static str {
        match self {
            Self { baseline: Some(a), .. } if a == id => "A",
            Self { comparison: Some(b), .. } if b == id => "B",
            _ => "",
        }
    }
}

impl Documents {
    /// What a document is compared with.
    pub fn baseline_of(self, id: u32) -> Signal<Option<Baseline>> {
        // Made anew only when another document is the baseline, or its worker is another one.
        let which = Memo::new(move |_| {
            let (baseline, comparison) = self.pair.get().both()?;
            let row = self.list.with(|list| list.iter().find(|row| row.id == baseline).copied())?;
            (comparison == id && row.context.with(Option::is_some)).then_some(baseline)
        });
        // Made here, so that it lasts as long as the answer: longer than whoever asks, a dialog for one.
        let name = Signal::derive(move || {
            let own = || Some(self.row(which.get()?)?.name.get());
            self.pair_labels().map(|(baseline, _)| baseline).or_else(own).unwrap_or_default()
        });
        Signal::derive(move || {
            Some(Baseline { context: self.row(which.get()?)?.context.get_untracked()?, name })
        })
    }

    /// Whom to ask about the project of a document that may itself still be loading, as one that was just chosen is: the
    /// first of its documents that can answer.
    fn asked(self, of: DocumentRow) -> Option<ViewContext> {
        let can_answer = |row: &&DocumentRow| row.project == of.project && row.link().is_some();
        let answers = |row: &DocumentRow| row.context.get_untracked();
        self.list.with_untracked(|list| list.iter().filter(can_answer).find_map(answers))
    }

    /// A document is gone: what it was compared in ends.
    pub fn part_from(self, id: u32) {
        let is_in = |pair: Pair| !pair.letter(id).is_empty();
        if is_in(self.pair.get_untracked()) {
            self.pair.set(Pair::default());
        }
    }
}

impl PageState {
    /// Compares two documents and shows the comparison.
    pub fn compare(self, baseline: u32, comparison: u32) {
        if baseline != comparison {
            self.go_on((baseline, comparison));
            self.show(comparison);
        }
    }

    /// Shows an operator of a document's project. What is compared goes on with it, and with the operator of the other side
    /// that it meets; where there is none, that is said.
    pub fn show_operator(self, of: DocumentRow, path: &str) {
        self.operator(of, path, false);
    }

    /// The same where nobody asked for what was shown: it was only the first of its project that an address opened, and is
    /// closed, as is the one of the other side.
    pub fn show_operator_instead(self, of: DocumentRow, path: &str) {
        self.operator(of, path, true);
    }

    fn operator(self, of: DocumentRow, path: &str, is_instead: bool) {
        let id = self.documents.open_operator(of, path);
        self.show(id);
        self.pair_operator(id, of, path, is_instead);
        // What waits for the other side closes it afterwards.
        let is_in_pair = !self.documents.pair.get_untracked().letter(of.id).is_empty();
        if is_instead && of.id != id && !is_in_pair {
            self.close(of.id);
        }
    }

    /// What is compared goes on with an operator that is shown.
    fn pair_operator(self, id: u32, of: DocumentRow, path: &str, is_instead: bool) {
        let pair = self.documents.pair.get_untracked();
        let rows = pair.both().filter(|_| pair.letter(id).is_empty());
        let rows = rows.and_then(|(a, b)| self.documents.row(a).zip(self.documents.row(b)));
        let Some((a, b)) = rows else { return };
        match [a, b].map(|row| row.project == of.project) {
            [false, false] => {}
            // Of two operators of one project the one that was shown gives way.
            [true, true] if of.id == a.id => {
                self.go_on((id, b.id));
                self.close_chosen(&[a]);
            }
            [true, true] => {
                self.go_on((a.id, id));
                self.close_chosen(&[b]);
            }
            [is_baseline, _] => {
                let (side, other) = if is_baseline { (a, b) } else { (b, a) };
                let left = if is_instead { of } else { side };
                self.meet((id, of, path.to_owned()), (left, other), is_baseline);
            }
        }
    }

    /// Closes operators that a comparison went on from: the list of operators has them, the files of the rail stay few.
    /// What was dropped is open because somebody asked for all of it.
    fn close_chosen(self, rows: &[DocumentRow]) {
        let pair = self.documents.pair.get_untracked();
        for row in rows.iter().filter(|row| pair.letter(row.id).is_empty()) {
            let is_one_of_many = row.head.with_untracked(|head| {
                let project = head.as_ref().and_then(|head| head.project.as_ref());
                project.is_some_and(|project| project.dropped.is_empty())
            });
            if is_one_of_many {
                self.close(row.id);
            }
        }
    }

    /// Compares an operator that is shown with the one of another project that it meets; what either side showed before is
    /// closed.
    fn meet(
        self,
        (id, of, path): (u32, DocumentRow, String),
        (left, other): (DocumentRow, DocumentRow),
        is_baseline: bool,
    ) {
        let Some((own, theirs)) = self.documents.asked(of).zip(self.documents.asked(other)) else { return };
        leptos::task::spawn_local(async move {
            let (own, theirs) = (operators_of(own).await, operators_of(theirs).await);
            if self.current.try_get_untracked().flatten() != Some(id)
                || self.documents.row(other.id).is_none()
            {
                return;
            }
            let met = match partner(&theirs, &own, &path) {
                Some(met) => self.documents.open_operator(other, &met.path),
                // No project.
                None if theirs.is_empty() => other.id,
                None => {
                    let words = self.tr(phrase("{name} has no operator that matches this one."));
                    let title = other.head.with_untracked(|head| {
                        head.as_ref()?
                            .project
                            .as_ref()
                            .map(|project| project.title.trim_end_matches('!').to_owned())
                    });
                    let name = title.unwrap_or_else(|| other.name.get_untracked());
                    self.end_comparison();
                    return self.say(self.tr(phrase("Comparison ended")), fill(words, &[("name", &name)]));
                }
            };
            self.go_on(if is_baseline { (id, met) } else { (met, id) });
            self.close_chosen(&[left, other]);
        });
    }

    /// Another pair is compared; what is shown stays.
    fn go_on(self, (baseline, comparison): (u32, u32)) {
        self.documents.pair.set(Pair { baseline: Some(baseline), comparison: Some(comparison) });
    }

    /// Makes a document the baseline. What was compared goes on with it, unless it is the same.
    pub fn set_baseline(self, id: u32) {
        self.documents.pair.update(|pair| {
            let comparison = pair.comparison.filter(|other| *other != id);
            *pair = Pair { baseline: Some(id), comparison };
        });
    }

    /// Compares a document with the baseline.
    pub fn compare_with_baseline(self, id: u32) {
        if let Some(baseline) = self.documents.pair.get_untracked().baseline {
            self.compare(baseline, id);
        }
    }

    /// The comparison becomes the baseline and the other way round.
    pub fn swap_pair(self) {
        if let Some((baseline, comparison)) = self.documents.pair.get_untracked().both() {
            self.compare(comparison, baseline);
        }
    }

    /// Nothing is compared any more.
    pub fn end_comparison(self) {
        self.documents.pair.set(Pair::default());
    }

    /// What the shown document is compared with, for the address; what the address asks for while it waits.
    pub fn name_of_baseline(self) -> Option<String> {
        let (baseline, comparison) = self.documents.pair.get().both().unzip();
        let waiting = self.awaited.get().map(|awaited| awaited.baseline);
        let row = |id| self.documents.list.with(|list| list.iter().find(|row| row.id == id).copied());
        let shown = comparison.is_some() && comparison == self.current.get();
        baseline.filter(|_| shown).and_then(row).map(|row| self.documents.unique_name(&row)).or(waiting)
    }

    /// Compares as soon as a file of this name is open beside the one that is meant, or beside any.
    pub fn await_baseline(self, name: &str, file: Option<&str>) {
        let is_known = untrack(|| self.name_of_baseline()).is_some_and(|now| now == name);
        let awaited = || Awaited { baseline: name.to_owned(), file: file.map(str::to_owned) };
        self.awaited.set((!is_known).then(awaited));
    }

    /// Does what the address waits for, whenever a file is opened.
    pub fn follow_awaited(self) {
        Effect::new(move || {
            let (Some(awaited), list) = (self.awaited.get(), self.documents.list.get()) else { return };
            let name = &awaited.baseline;
            let is_meant =
                |row: &&DocumentRow| self.documents.unique_name(row) == *name || row.path() == *name;
            let baseline = list.iter().find(is_meant);
            let others = || list.iter().rev().filter(move |row| baseline.is_some_and(|b| b.id != row.id));
            let is_named = |row: &&DocumentRow| awaited.file.as_ref() == Some(&row.name.get());
            let other = others().find(is_named).or_else(|| others().next());
            if let (Some(baseline), Some(other)) = (baseline, other) {
                self.awaited.set(None);
                self.compare(baseline.id, other.id);
            }
        });
    }

    /// The user picks files that become the baseline of the shown document.
    pub fn pick_baseline(self) {
        let Some(shown) = self.current.get_untracked() else { return };
        opening::choose(self, false, move |opening| {
            let baseline = opening::add(self, opening);
            self.compare(baseline, shown);
        });
    }
}

/// The menu of the button in the top bar: the baseline of the shown document.
pub fn items(state: PageState) -> Vec<MenuItem> {
    let Some(shown) = state.current.get_untracked() else { return Vec::new() };
    let pair = state.documents.pair.get_untracked();
    let mut items = vec![MenuItem::Title(state.tr("Compare this file with").to_owned())];
    for row in state.documents.list.get_untracked() {
        let name = untrack(|| state.documents.label(row.id));
        let is_baseline = pair.baseline == Some(row.id) && pair.comparison == Some(shown);
        let item = MenuItem::act(name, "", move || state.compare(row.id, shown)).checked(is_baseline);
        items.push(if row.id == shown { item.denied(state.tr(ITSELF)) } else { item });
    }
    let of = state.documents.row(shown);
    let operators = of.map_or(Vec::new(), |of| not_open(state, of, OPERATORS));
    if let (Some(of), false) = (of, operators.is_empty()) {
        items.push(MenuItem::Title(state.tr("Operators not in the open files").to_owned()));
        items.extend(operators.into_iter().map(|(path, name)| {
            MenuItem::act(name, "", move || state.compare(state.documents.open_operator(of, &path), shown))
        }));
    }
    items.push(MenuItem::Line);
    items.push(MenuItem::act(state.tr("Open a file to compare with…"), "", move || state.pick_baseline()));
    if pair != Pair::default() {
        items.push(MenuItem::Line);
        let swap = MenuItem::act(state.tr("Swap baseline and comparison"), "", move || state.swap_pair());
        items.extend(pair.both().map(|_| swap));
        items.push(MenuItem::act(state.tr("Stop comparing"), "", move || state.end_comparison()));
    }
    items
}

/// What the menu of a file in the rail offers.
pub fn file_items(state: PageState, id: u32) -> Vec<MenuItem> {
    let pair = state.documents.pair.get_untracked();
    let set = MenuItem::act(state.tr("Set as baseline"), "", move || state.set_baseline(id));
    let with = MenuItem::act(state.tr("Compare with baseline"), "", move || state.compare_with_baseline(id));
    let is_baseline = pair.baseline == Some(id);
    let mut items = vec![
        if is_baseline {
            MenuItem::act(state.tr("Clear baseline"), "", move || state.end_comparison())
        } else {
            set
        },
        match pair.baseline {
            None => with.denied(state.tr("no baseline set")),
            Some(_) if is_baseline => with.denied(state.tr(ITSELF)),
            Some(_) => with,
        },
    ];
    if pair.both().is_some() && !pair.letter(id).is_empty() {
        items.push(MenuItem::act(state.tr("Swap baseline and comparison"), "", move || state.swap_pair()));
        items.push(MenuItem::act(state.tr("Stop comparing"), "", move || state.end_comparison()));
    }
    items
}
