//! A document beside a baseline: figures and metric columns of another document are joined with its own.
//!
//! Two documents live in two workers. One packs what is asked for ([`Document::query`] with `Packed`), the page carries
//! the bytes over, the other joins them (`Compare`) and keeps the result, so that its frames can show it. The command
//! line has both documents at hand and joins all figures at once, see [`figures`].

use crate::analysis::compare::family::{self, JoinedFigure};
use crate::analysis::compare::headline;
use crate::analysis::compare::operators::{compared, said};
use crate::analysis::compare::units;
use crate::base::words::Message;
use crate::document::Document;
use crate::engine::opening::Project;
use crate::model::figure::{Body, Family, Figure};
use crate::views::details::compare::{plan_key, plans};
use crate::views::plan::compute as plan;
use crate::wire::{Answer, Query, report};

/// All figures of two documents, those too that comparable analyses compute, joined by family and by the names of what can
/// be chosen.
pub fn figures(baseline: &Document, comparison: &Document) -> family::JoinedFigures {
    let mut old = all(baseline);
    old.retain_mut(|family| has_same_plan(family, [baseline, comparison]));
    let mut new = all(comparison);
    of_common_units(&mut old, &mut new, [baseline, comparison]);
    let mut joined = family::families(&old, &new);
    if let Some(operators) = operators(baseline, comparison) {
        joined.families.push(operators);
        joined.n_joined += 1;
    }
    joined
}

/// Lets figures that are sums over units tell only of those that both have.
fn of_common_units(old: &mut [Family], new: &mut [Family], docs: [&Document; 2]) {
    for family in new {
        let is_same = |old: &&mut Family| old.id == family.id && old.choices == family.choices;
        let Some(old) = old.iter_mut().find(is_same) else { continue };
        for (at, (before, after)) in old.variants.iter_mut().zip(&mut family.variants).enumerate() {
            let [sent, rows] = docs.map(|doc| units::rows_of(doc.trace(), &family.id, at));
            if !rows.is_empty() {
                units::restrict([before, after], &units::sent(sent), &rows);
            }
        }
    }
}

/// Joins all figures of two documents and has the comparison keep the first variant of each for its report; returns the
/// titles of those that only the baseline has.
pub fn keep(baseline: &Document, comparison: &mut Document) -> Vec<String> {
    let joined = figures(baseline, comparison);
    let is_alone = |family: &Family| {
        joined.apart.iter().any(|apart| apart.id == family.id && apart.why == family::ONLY_BASELINE)
    };
    let (alone, met): (Vec<Family>, Vec<Family>) = joined.families.into_iter().partition(is_alone);
    let first = |family: Family| {
        let figure = family.variants.into_iter().next()?;
        Some(JoinedFigure { id: family.id, chosen: vec![0; family.choices.len()], figure })
    };
    comparison.compared.figures = met.into_iter().filter_map(first).collect();
    comparison.compared.joined += 1;
    alone.into_iter().map(|family| family.title).collect()
}

/// The sentence above the comparison of two documents; `None` where they have nothing in common to be said first.
pub fn headline(baseline: &mut Document, comparison: &mut Document) -> Option<Message> {
    let [old, new] = [&mut *baseline, &mut *comparison].map(|doc| match doc.query(&Query::Headline).0 {
        Answer::Headline(quantities) => quantities,
        _ => Vec::new(),
    });
    let own = headline::headline(&old, &new);
    let [old, new] = [&*baseline, &*comparison].map(|doc| doc.kept.get::<Project>().and_then(Project::head));
    let (Some(old), Some(new)) = (old, new) else { return own };
    let [before, after] = [&*baseline, &*comparison].map(|doc| doc.operator_heads(0, usize::MAX));
    said((&before, &old.shown), (&after, &new.shown), own)
}

/// The operators of two projects; `None` where they are of the same one.
fn operators(baseline: &Document, comparison: &Document) -> Option<Family> {
    let [old, new] = [baseline, comparison].map(|doc| doc.kept.get::<Project>().and_then(Project::head));
    let (old, new) = (old?, new?);
    let [before, after] = [baseline, comparison].map(|doc| doc.operator_heads(0, usize::MAX));
    let short = |project: &'_ report::Project, path: &str| project.short(path).to_owned();
    let table = compared((&before, &|path| short(&old, path)), (&after, &|path| short(&new, path)));
    let figure = Figure::new(new.called.as_str(), Body::Table(table));
    (before != after).then(|| Family::single("operators", "", figure))
}

/// The figures of the files and those of comparable analyses.
fn all(doc: &Document) -> Vec<Family> {
    let own = doc.trace().figures.iter().cloned();
    own.chain(doc.families(|analysis| analysis.is_comparable)).collect()
}

/// Makes a figure of a plan one of the kernel that the comparison plans; false where the baseline has several, but not that.
fn has_same_plan(family: &mut Family, [baseline, comparison]: [&Document; 2]) -> bool {
    let [old, new] = [baseline, comparison].map(|doc| plan_key(doc, &family.id));
    if old == new {
        return true;
    }
    let Some((_, figure)) = plans(baseline, &family.id, |key| key == new).pop() else {
        return plan::keys(baseline.trace()).len() < 2;
    };
    family.variants = vec![figure];
    true
}
