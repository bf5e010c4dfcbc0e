//! Baseline against comparison: two figures of one kind become one.
//!
//! Definition: difference = comparison − baseline, in the unit of both. Rows are joined by their names (key columns),
//! the n-th of a name with the n-th; cells by their axes. What one side does not have stays missing, it never becomes 0.
//! The page's workers and the command line use this one function.

mod chart;
pub mod code;
pub mod family;
mod grid;
pub mod headline;
pub mod long;
pub mod names;
pub mod operators;
mod row;
pub mod time;

use crate::base::map::Map;
use crate::base::number;
use crate::base::unit::Unit;
use crate::base::words::{Message, phrase};
use crate::model::figure::{Body, Figure};
use std::iter;

/// Compares two figures of the same kind.
///
/// # Errors
/// One sentence that says why these two cannot be compared.
pub fn compare(baseline: &Figure, comparison: &Figure) -> Result<Figure, String> {
    let mut notes = Vec::new();
    let body = match (&baseline.body, &comparison.body) {
        (Body::Facts(a), Body::Facts(b)) => Body::Table(row::facts(a, b)),
        (Body::Table(a), Body::Table(b)) => Body::Table(row::tables(a, b, &mut notes)?),
        (Body::Bars(a), Body::Bars(b)) => Body::Bars(row::bars(a, b)?),
        (Body::Cores(a), Body::Cores(b)) => Body::Cores(grid::cores(a, b)?),
        (Body::Matrix(a), Body::Matrix(b)) => Body::Matrix(grid::matrix(a, b)?),
        (Body::HeatMap(a), Body::HeatMap(b)) => Body::HeatMap(grid::heat_map(a, b)?),
        (Body::Graph(a), Body::Graph(b)) => Body::Graph(grid::graph(a, b, &mut notes)?),
        (Body::Roofline(a), Body::Roofline(b)) => Body::Roofline(chart::roofline(a, b)),
        (Body::Histogram(a), Body::Histogram(b)) => Body::Histogram(chart::histogram(a, b)?),
        (Body::Scatter(a), Body::Scatter(b)) => Body::Scatter(chart::scatter(a, b)?),
        (Body::Lines(a), Body::Lines(b)) => Body::Lines(chart::lines(a, b)?),
        (Body::Gantt(a), Body::Gantt(b)) => Body::Gantt(chart::gantt(a, b)?),
        _ => return Err(differ::KIND.to_owned()),
    };
    let scope = if comparison.scope.ends_with("in parentheses") {
        // What stood there gives way to the baseline.
        phrase("self time, A in parentheses").to_owned()
    } else if baseline.scope == comparison.scope || baseline.scope.is_empty() {
        comparison.scope.clone()
    } else {
        format!("{} · {}", comparison.scope, baseline.scope)
    };
    Ok(Figure { title: comparison.title.clone(), scope, notes, advice: Vec::new(), body })
}

/// The name of something of the baseline where both stand side by side.
fn a(name: &str) -> String {
    format!("A {name}").trim_end().to_owned()
}

/// The name of something of the comparison where both stand side by side.
fn b(name: &str) -> String {
    format!("B {name}").trim_end().to_owned()
}

/// Pairs of rows with equal names: first all of the comparison in its order, then what only the baseline has.
/// The n-th of a name meets the n-th.
fn join<K: Eq + std::hash::Hash + Clone>(
    baseline: &[K],
    comparison: &[K],
) -> Vec<(Option<usize>, Option<usize>)> {
    let mut rows: Map<K, Vec<usize>> = Map::default();
    for (i, key) in baseline.iter().enumerate().rev() {
        rows.entry(key.clone()).or_default().push(i);
    }
    let mut pairs: Vec<(Option<usize>, Option<usize>)> = comparison
        .iter()
        .enumerate()
        .map(|(i, key)| (rows.get_mut(key).and_then(Vec::pop), Some(i)))
        .collect();
    let mut rest: Vec<usize> = rows.into_values().flatten().collect();
    rest.sort_unstable();
    pairs.extend(rest.into_iter().map(|i| (Some(i), None)));
    pairs
}

/// Comparison − baseline; missing when either is.
fn difference(baseline: Option<f64>, comparison: Option<f64>) -> Option<f64> {
    Some(comparison? - baseline?).filter(|d| d.is_finite())
}

/// A difference as a part of the baseline and as a factor: `−35 %, 0.65×`; empty where neither says anything: without a
/// baseline, from zero, over a change of sign, and for shares, whose difference is in percentage points already.
pub fn change(baseline: f64, comparison: f64, unit: &Unit) -> String {
    let Some(factor) = factor(baseline, comparison, unit).filter(|factor| *factor != 1.0) else {
        return String::new();
    };
    let times = three_digits(factor);
    // A factor that reads as 1 would say that nothing changed.
    if times == "1" { percent_of(factor) } else { format!("{}, {times}×", percent_of(factor)) }
}

/// The same without the factor: `−35 %`; empty where it says nothing.
pub fn percent(baseline: f64, comparison: f64, unit: &Unit) -> String {
    factor(baseline, comparison, unit).filter(|factor| *factor != 1.0).map_or(String::new(), percent_of)
}

/// Which part of the baseline a value is; `None` where that says nothing.
fn factor(baseline: f64, comparison: f64, unit: &Unit) -> Option<f64> {
    let factor = comparison / baseline;
    let says = !is_part(unit) && baseline != 0.0 && factor.is_finite() && 0.0 <= factor;
    says.then_some(factor)
}

/// Whether values of a unit differ in points: a percentage of a percentage would be read as points.
fn is_part(unit: &Unit) -> bool {
    matches!(unit, Unit::Share | Unit::Percent | Unit::Address)
}

/// How far a value is from its baseline, in percent of it; shares in percentage points. Missing where neither says
/// anything.
pub fn distance(baseline: Option<f64>, comparison: Option<f64>, unit: &Unit) -> Option<f64> {
    let (old, new) = (baseline?, comparison?);
    match unit {
        Unit::Address => None,
        Unit::Percent => Some(new - old).filter(|d| d.is_finite()),
        Unit::Share => Some((new - old) * 100.0).filter(|d| d.is_finite()),
        _ if old == new => Some(0.0).filter(|_| old.is_finite()),
        _ => factor(old, new, unit).map(|factor| (factor - 1.0) * 100.0),
    }
}

/// A factor as a change with its sign.
fn percent_of(factor: f64) -> String {
    let percent = (factor - 1.0) * 100.0;
    let sign = if 0.0 < percent { "+" } else { "" };
    format!("{sign}{} %", three_digits(percent))
}

/// A number to three significant digits, whole ones from a hundred on.
fn three_digits(value: f64) -> String {
    let size = value.abs();
    let decimals = match size {
        s if 99.95 <= s || s == 0.0 => 0,
        s if 9.995 <= s => 1,
        s if 0.9995 <= s => 2,
        s => (2.0 - s.log10().floor()).clamp(3.0, 9.0) as usize,
    };
    let text = number::fixed(value, decimals);
    trimmed(&text).to_owned()
}

/// A number without zeros at the end of its decimals.
fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// Where the values stand that a difference of a joined table was made of, mostly the two before it: columns of the baseline
/// and the comparison.
pub fn pair_of(column: usize, name: impl Fn(usize) -> Option<String>) -> Option<(usize, usize)> {
    let wanted = match name(column)?.strip_suffix("(difference)") {
        Some(own) => format!("{own}(baseline)"),
        None => BASELINE.to_owned(),
    };
    let is_wanted = |at: &usize| name(*at).is_some_and(|name| name == wanted);
    let mut columns = iter::successors(Some(0), |at| name(at + 1).map(|_| at + 1));
    let old = column.checked_sub(2).filter(is_wanted).or_else(|| columns.find(is_wanted))?;
    Some((old, old + 1))
}

/// The head of the baseline's values where facts stand side by side, and of the second values of cells.
pub const BASELINE: &str = "Baseline";

/// Adds a remark that names what only one side has.
fn report_only(notes: &mut Vec<Message>, only: Message, names: &[String]) {
    if names.is_empty() {
        return;
    }
    let shown = names.iter().take(8).cloned().collect::<Vec<_>>().join(", ");
    let more = if names.len() <= 8 { String::new() } else { format!(", … (+{})", names.len() - 8) };
    notes.push(only.with("names", shown + &more));
}

/// Why two figures cannot be joined.
mod differ {
    use crate::base::words::phrase;

    pub(super) const KIND: &str = phrase("Cannot compare figures of different types.");
    pub(super) const UNIT: &str = phrase("Cannot compare figures with different units.");
    pub(super) const HORIZONTAL: &str = phrase("Cannot compare figures with different horizontal axes.");
    pub(super) const VERTICAL: &str = phrase("Cannot compare figures with different vertical axes.");
    pub(super) const VALUE_AXIS: &str = phrase("Cannot compare figures with different value axes.");
    pub(super) const COUNTS: &str = phrase("Cannot compare figures with different count units.");
    pub(super) const CELLS: &str = phrase("Cannot compare figures with different cell counts.");
    pub(super) const HEADS: &str = phrase("Cannot compare figures with different row names.");
    pub(super) const NAMELESS: &str = phrase("The rows of this table have no names to match them by.");
}

/// Says why units or axes keep two figures apart.
fn same<T: PartialEq>(why: &str, baseline: &T, comparison: &T) -> Result<(), String> {
    if baseline == comparison { Ok(()) } else { Err(why.to_owned()) }
}
