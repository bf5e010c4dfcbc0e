//! Projects: folders of many operators, of which a document reads one.

use crate::document::Document;
use crate::format::{Operators, Part};
use crate::input::bundle::Bundle;
use crate::model::files::operator::OperatorHead;
use crate::systems;
use crate::wire::{Answer, OPERATORS, report};

/// The operators that the files hold, and which one is shown.
pub(crate) struct Project {
    /// All files.
    whole: Bundle,
    parts: Vec<Part>,
    how: &'static Operators,
    shown: usize,
    is_found: bool,
}

impl Project {
    /// What the page must know; `None` for a single operator, which is no project.
    pub(crate) fn head(&self) -> Option<report::Project> {
        let shown = self.parts.get(self.shown).map_or(String::new(), |part| part.path.clone());
        let (title, operators) = (self.whole.title(), self.parts.len());
        let called = self.how.title.to_owned();
        (1 < operators).then_some(report::Project {
            title,
            called,
            operators,
            shown,
            dropped: self.dropped(),
        })
    }

    /// The first operator of each file or folder that was dropped; empty when it was one.
    fn dropped(&self) -> Vec<String> {
        let mut firsts: Vec<&str> = Vec::new();
        let top = |path: &'_ str| path.split_once('/').map_or(path.len(), |(top, _)| top.len());
        for path in self.parts.iter().map(|part| part.path.as_str()) {
            if firsts.last().is_none_or(|last| last.get(..top(last)) != path.get(..top(path))) {
                firsts.push(path);
            }
        }
        if firsts.len() < 2 {
            return Vec::new();
        }
        firsts.into_iter().map(str::to_owned).collect()
    }
}

impl Document {
    /// Chooses the operator to be read, before loading begins: by its path, or by the end of it. Empty takes the first.
    pub fn pick(&mut self, path: &str) {
        path.trim_end_matches('/').clone_into(&mut self.wanted);
    }

    /// Takes one operator out of a project. False when the one that is wanted is not there.
    pub(crate) fn split(&mut self) -> bool {
        let found = systems::formats().filter_map(|format| format.operators.as_ref());
        let found = found.map(|how| (how, (how.find)(&self.bundle))).find(|(_, parts)| !parts.is_empty());
        let Some((how, parts)) = found else { return self.wanted.is_empty() };
        let is_named = |part: &Part| {
            let before = part.path.strip_suffix(self.wanted.as_str());
            before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let shown = if self.wanted.is_empty() { Some(0) } else { parts.iter().position(is_named) };
        let is_found = shown.is_some();
        let shown = shown.unwrap_or(0);
        let whole = self.bundle.clone();
        if 1 < parts.len()
            && let Some(part) = parts.get(shown)
        {
            self.bundle = whole.part(&part.entries);
        }
        self.kept.set(Project { whole, parts, how, shown, is_found });
        is_found
    }

    /// Whether the operator that was wanted is there, once the files were looked at.
    pub fn has_picked(&self) -> bool {
        self.kept.get::<Project>().map_or(self.wanted.is_empty(), |project| project.is_found)
    }

    /// Paths of all operators that the files hold; empty when they are not of a kind that has operators.
    pub fn operators(&self) -> Vec<&str> {
        let parts = self.kept.get::<Project>().into_iter().flat_map(|project| &project.parts);
        parts.map(|part| part.path.as_str()).collect()
    }

    /// The switch of the command line that chooses an operator beside `--operator`; empty when there is none. Where there
    /// is one, the operators are results of one run, and the first stands for all unless another is named.
    pub fn operator_switch(&self) -> &'static str {
        self.kept.get::<Project>().map_or("", |project| project.how.switch)
    }

    /// What the operators are, from the number `from` on, at most `n`. Costs a few small reads each.
    pub fn operator_heads(&self, from: usize, n: usize) -> Vec<OperatorHead> {
        let Some(project) = self.kept.get::<Project>() else { return Vec::new() };
        let parts = project.parts.iter().skip(from).take(n);
        parts.map(|part| (project.how.head)(&project.whole, part)).collect()
    }
}

pub(crate) fn answer(doc: &Document, from: usize) -> Answer {
    Answer::Operators(doc.operator_heads(from, OPERATORS))
}
