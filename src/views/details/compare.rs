//! Figures of a document beside a baseline: one document packs a figure, the other joins it with its own.

use super::ask::{missing, prepare, shown, variant};
use crate::analysis::compare::compare;
use crate::analysis::compare::family::JoinedFigure;
use crate::analysis::compare::long;
use crate::analysis::compare::units::{self, RowUnits, SentRow, restrict};
use crate::analysis::contract::AnalysisInput;
use crate::base::words::phrase;
use crate::document::Document;
use crate::model::figure::{Body, Figure};
use crate::model::parameter::Value;
use crate::views::plan::compute as plan;
use crate::wire::figures::{FigureQuery, LONG_TABLE, Reply};
use crate::wire::{self, Answer, Question};
use std::borrow::Cow;

/// Figures with more cells, bars or points are not carried to another worker: 16 MB at most.
const MOST_ITEMS: usize = 4_000_000;

/// Most plans that are carried to another worker.
const PLANS: usize = 64;

/// What the kernel of a figure is known by in another document; empty where a figure is not of one plan.
pub(crate) fn plan_key(doc: &Document, id: &str) -> String {
    let is_of_plan = id.starts_with("plan-") && id != "plan-sizes";
    is_of_plan.then(|| plan::key(doc.trace(), doc.values())).flatten().unwrap_or_default()
}

/// A figure of plans for the kernels of these keys, each with its key; nothing where it is not one of plans.
pub(crate) fn plans(doc: &Document, id: &str, is_meant: impl Fn(&str) -> bool) -> Vec<(String, Figure)> {
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

const NO_PLAN: &str = phrase("The baseline has no plan for this kernel.");

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
    let units = units::sent(rows_of_units(doc, id, chosen));
    (Answer::Packed, Some(wire::pack(&(key, &*figure, others, units))))
}

const TOO_LARGE: &str = phrase("The figure is too large to compare.");

/// What is compared: a figure that was prepared, or a long table as one.
fn wanted<'a>(doc: &'a Document, id: &str, chosen: &[usize]) -> Result<Cow<'a, Figure>, Answer> {
    let Some(name) = id.strip_prefix(LONG_TABLE) else {
        return variant(doc, id, chosen).map(Cow::Borrowed).ok_or_else(|| missing(id));
    };
    match doc.trace().tables.iter().find(|table| table.id == name) {
        Some(table) if MOST_ITEMS < long::n_cells(table) => Err(Answer::Failed(TOO_LARGE.to_owned())),
        Some(table) => Ok(Cow::Owned(long::figure(table))),
        None => Err(Answer::Failed(phrase("This table is not in the baseline.").to_owned())),
    }
}

/// The rows of a figure that are sums over units.
fn rows_of_units(doc: &Document, id: &str, chosen: &[usize]) -> Vec<RowUnits> {
    let family = doc.trace().figures.iter().find(|family| family.id == id);
    family.map_or_else(Vec::new, |family| units::rows_of(doc.trace(), id, family.variant_at(chosen)))
}

/// A figure of a baseline as it is carried: what its plan is known by, those of other plans, its rows that are sums of units.
type Sent = (String, Figure, Vec<(String, Figure)>, Vec<SentRow>);

/// Joins a figure with the bytes of one of the baseline.
pub(crate) fn join_figure(doc: &mut Document, id: &str, chosen: &[usize], beside: &[u8]) -> Answer {
    let (key, old, others, sent): Sent = match wire::unpack(beside) {
        Ok(all) => all,
        Err(why) => return Answer::Failed(why),
    };
    prepare(doc, id, chosen);
    // Of one plan nothing else is meant.
    let own = plan_key(doc, id);
    let mut others = others.into_iter().peekable();
    let is_meant = others.peek().is_none() || key == own;
    let old = if is_meant { Some(old) } else { others.find(|(key, _)| *key == own).map(|(_, old)| old) };
    let Some(mut old) = old else { return Answer::Failed(NO_PLAN.to_owned()) };
    let joined = match wanted(doc, id, chosen) {
        Ok(mut own) => {
            let rows = rows_of_units(doc, id, chosen);
            if !rows.is_empty() {
                restrict([&mut old, own.to_mut()], &sent, &rows);
            }
            compare(&old, &own)
        }
        Err(answer) => return answer,
    };
    match joined {
        Ok(figure) => {
            let answer = FigureQuery::reply(&Reply::Figure(Box::new(shown(&figure, doc.language()))));
            let figures = &mut doc.compared.figures;
            figures.retain(|f| f.id != id);
            figures.push(JoinedFigure { id: id.to_owned(), chosen: chosen.to_vec(), figure });
            doc.compared.joined += 1;
            answer
        }
        Err(why) => Answer::Failed(why),
    }
}
