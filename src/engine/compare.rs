//! A document beside a baseline: figures and metric columns of another document are joined with its own.
//!
//! Two documents live in two workers. One packs what is asked for ([`Document::query`] with `Packed`), the page carries
//! the bytes over, the other joins them (`Compare`) and keeps the result, so that its frames can show it. The command
//! line has both documents at hand and joins all figures at once, see [`figures`].

use crate::analysis::compare::code::{BaselineMatch, pack, rows, rows_met, unpack};
use crate::analysis::compare::compare;
use crate::analysis::compare::family::{self, JoinedFigure};
use crate::analysis::compare::headline;
use crate::analysis::compare::long;
use crate::analysis::compare::operators::{compared, said};
use crate::analysis::contract::AnalysisInput;
use crate::base::words::{Message, phrase};
use crate::document::{Document, JoinedColumn};
use crate::engine::opening::Project;
use crate::engine::rows::Tables;
use crate::model::code::{Listing, ListingKind};
use crate::model::figure::{Body, Family, Figure};
use crate::model::id::ListingId;
use crate::model::parameter::Value;
use crate::views::code::messages::{Column, Reply as CodeReply};
use crate::views::details::ask::{prepare, shown, variant};
use crate::views::plan::compute as plan;
use crate::wire::figures::{LONG_TABLE, Reply};
use crate::wire::{self, Answer, Query, report};
use std::borrow::Cow;

/// Figures with more cells, bars or points are not carried to another worker: 16 MB at most.
const MOST_ITEMS: usize = 4_000_000;

/// All figures of two documents, those too that comparable analyses compute, joined by family and by the names of what can
/// be chosen.
pub fn figures(baseline: &Document, comparison: &Document) -> family::JoinedFigures {
    let mut old = all(baseline);
    old.retain_mut(|family| has_same_plan(family, [baseline, comparison]));
    let mut joined = family::families(&old, &all(comparison));
    if let Some(operators) = operators(baseline, comparison) {
        joined.families.push(operators);
        joined.n_joined += 1;
    }
    joined
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

/// Most plans that are carried to another worker.
const PLANS: usize = 64;

/// What the kernel of a figure is known by in another document; empty where a figure is not of one plan.
fn plan_key(doc: &Document, id: &str) -> String {
    let is_of_plan = id.starts_with("plan-") && id != "plan-sizes";
    is_of_plan.then(|| plan::key(doc.trace(), doc.values())).flatten().unwrap_or_default()
}

/// A figure of plans for the kernels of these keys, each with its key; nothing where it is not one of plans.
fn plans(doc: &Document, id: &str, is_meant: impl Fn(&str) -> bool) -> Vec<(String, Figure)> {
    let found = doc.analyses().iter().find(|analysis| analysis.id == "buffer-plan");
    let Some(analysis) = found.filter(|_| !plan_key(doc, id).is_empty()) else { return Vec::new() };
    let derived = doc.derived();
    // What was counted is of all kernels.
    let known = derived.results.input(analysis, doc.trace(), &derived.timeline, doc.values());
    let meant = plan::keys(doc.trace()).into_iter().filter(|(_, key)| is_meant(key)).take(PLANS);
    let figure = |(name, key): (String, String)| {
        let mut values = doc.values().clone();
        values.set(plan::KERNEL.id, Value::Text(name));
        let AnalysisInput { trace, timeline, collected, result, .. } = known;
        let input = AnalysisInput { trace, timeline, values: &values, collected, result };
        let computed = (analysis.figures)(&input).into_iter().find(|figure| figure.head.id == id)?;
        Some((key, computed.figure(&input, &[])))
    };
    meant.filter_map(figure).collect()
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

const NO_PLAN: &str = phrase("The baseline has no plan of this kernel.");

/// A figure as bytes: with what its plan is known by, and those of other plans.
pub(crate) fn pack_figure(doc: &mut Document, id: &str, chosen: &[usize]) -> (Answer, Option<Vec<u8>>) {
    prepare(doc, id, chosen);
    let figure = match wanted(doc, id, chosen) {
        Ok(figure) => figure,
        Err(answer) => return (answer, None),
    };
    let items = match &figure.body {
        Body::HeatMap(map) => map.values.len(),
        Body::Gantt(gantt) => gantt.bars.len(),
        Body::Scatter(scatter) => scatter.series.iter().map(|s| s.points.len()).sum(),
        Body::Table(table) => table.rows.len().saturating_mul(table.columns.len()),
        _ => 0,
    };
    if MOST_ITEMS < items {
        return (Answer::Failed(TOO_LARGE.to_owned()), None);
    }
    let key = plan_key(doc, id);
    let others = plans(doc, id, |other| other != key);
    (Answer::Packed, Some(wire::pack(&(key, &*figure, others))))
}

const TOO_LARGE: &str = phrase("The figure is too large to compare.");

/// What is compared: a figure that was prepared, or a long table as one.
fn wanted<'a>(doc: &'a Document, id: &str, chosen: &[usize]) -> Result<Cow<'a, Figure>, Answer> {
    let Some(name) = id.strip_prefix(LONG_TABLE) else {
        return variant(doc, id, chosen)
            .map(Cow::Borrowed)
            .ok_or_else(|| crate::views::details::ask::missing(id));
    };
    match doc.trace().tables.iter().find(|table| table.id == name) {
        Some(table) if MOST_ITEMS < long::n_cells(table) => Err(Answer::Failed(TOO_LARGE.to_owned())),
        Some(table) => Ok(Cow::Owned(long::figure(table))),
        None => Err(Answer::Failed(phrase("This table is not in the baseline.").to_owned())),
    }
}

/// Joins a figure with the bytes of one of the baseline.
pub(crate) fn join_figure(doc: &mut Document, id: &str, chosen: &[usize], beside: &[u8]) -> Answer {
    let (key, old, others): (String, Figure, Vec<(String, Figure)>) = match wire::unpack(beside) {
        Ok(all) => all,
        Err(why) => return Answer::Failed(why),
    };
    prepare(doc, id, chosen);
    // Of one plan nothing else is meant.
    let own = plan_key(doc, id);
    let mut others = others.into_iter().peekable();
    let is_meant = others.peek().is_none() || key == own;
    let old = if is_meant { Some(old) } else { others.find(|(key, _)| *key == own).map(|(_, old)| old) };
    let Some(old) = old else { return Answer::Failed(NO_PLAN.to_owned()) };
    let joined = match wanted(doc, id, chosen) {
        Ok(own) => compare(&old, &own),
        Err(answer) => return answer,
    };
    match joined {
        Ok(figure) => {
            let answer = Reply::Figure(Box::new(shown(&figure, doc.language())));
            let figures = &mut doc.compared.figures;
            figures.retain(|f| f.id != id);
            figures.push(JoinedFigure { id: id.to_owned(), chosen: chosen.to_vec(), figure });
            doc.kept.of::<Tables>().forget_joined(id);
            Answer::Figures(answer)
        }
        Err(why) => Answer::Failed(why),
    }
}

/// A column of a listing as bytes, found by names.
pub(crate) fn pack_code(doc: &Document, wanted: &Column) -> (Answer, Option<Vec<u8>>) {
    let code = &doc.trace().code;
    let found = same_listing(doc, wanted);
    let Some(listing) = found.and_then(|id| code.listings.get(id.index())) else {
        return (Answer::Failed(phrase("This listing is not in the baseline.").to_owned()), None);
    };
    let Some(column) = listing.columns.iter().position(|c| c.name == wanted.column) else {
        return (Answer::Failed(phrase("This column is not in the baseline.").to_owned()), None);
    };
    let core = code.cores.iter().position(|c| *c == wanted.core);
    let Some(core) = core.or(wanted.core.is_empty().then_some(0)) else {
        return (Answer::Failed(phrase("No data for this core in the baseline.").to_owned()), None);
    };
    (Answer::Packed, Some(pack(&rows(listing, column, core))))
}

/// The listing of the same title and kernel, launches of one kernel in their order; else one of the same title; else the
/// one whose file has the same name; else the only one of its kind.
fn same_listing(doc: &Document, wanted: &Column) -> Option<ListingId> {
    let (code, strings) = (&doc.trace().code, &doc.trace().strings);
    let is_same = |listing: &Listing| {
        listing.kind == wanted.kind
            && listing.title == wanted.title
            && strings.get(listing.scope.kernel) == wanted.kernel
    };
    let mut same =
        (0u32..).map(ListingId).zip(&code.listings).filter(|(_, listing)| is_same(listing)).peekable();
    if same.peek().is_some() {
        return same.nth(wanted.nth as usize).map(|(id, _)| id);
    }
    let of_kind: Vec<(ListingId, &str)> = (0u32..)
        .map(ListingId)
        .zip(&code.listings)
        .filter(|(_, l)| l.kind == wanted.kind)
        .map(|(id, l)| (id, l.title.as_str()))
        .collect();
    let name = |title: &str| title.rsplit(['/', '\\']).next().map(str::to_owned);
    let by_title = of_kind.iter().find(|(_, title)| *title == wanted.title);
    let by_name = || of_kind.iter().find(|(_, title)| name(title) == name(&wanted.title));
    let only = || if let [one] = &of_kind[..] { Some(one) } else { None };
    let found = by_title.or_else(by_name);
    // Lines of two different files are not the same because both are the only ones.
    found.or_else(|| only().filter(|_| wanted.kind == ListingKind::Assembly)).map(|(id, _)| *id)
}

/// Joins a column of a listing with the bytes of one of the baseline.
pub(crate) fn join_code(
    doc: &mut Document,
    (listing, column, core): (ListingId, u16, u16),
    beside: &[u8],
) -> Answer {
    let code = &doc.trace().code;
    let Some(own) = code.listings.get(listing.index()) else {
        return Answer::Failed("No such listing.".to_owned());
    };
    let joined = rows_met(own.kind, &unpack(beside), &rows(own, usize::from(column), usize::from(core)));
    let met = joined.rows.iter().filter(|m| **m != BaselineMatch::Nothing).count();
    let reply = CodeReply::Compared { met: met as u32, new: joined.n_new as u32, gone: joined.n_gone as u32 };
    let columns = &mut doc.compared.columns;
    columns.retain(|c| c.listing != listing);
    columns.push(JoinedColumn { listing, column, core, joined });
    Answer::Code(reply)
}
