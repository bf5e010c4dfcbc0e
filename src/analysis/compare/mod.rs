//! Baseline against comparison: two figures of one kind become one.
//!
//! Definition: difference = comparison − baseline, in the unit of both. Rows are joined by their names (key columns),
//! the n-th of a name with the n-th; cells by their axes. What one side does not have stays missing, it never becomes 0.
//! The page's workers and the command line use this one function.

pub mod code;
pub mod family;
mod grid;
pub mod headline;
pub mod long;
pub mod operators;
mod row;
pub mod steps;
pub mod units;

use self::{a as of_a, b as of_b};
use crate::analysis::bins::{common_edges, count, edges_of, rebin};
use crate::base::map::Map;
use crate::base::time::{Clock, Span, Ticks};
use crate::base::unit::Unit;
use crate::base::window::Window;
use crate::base::words::{Message, message, phrase};
use crate::base::{number, order};
use crate::model::figure::{
    AxisLabel, Body, Figure, Gantt, GanttBar, GanttLane, Histogram, HistogramSeries, LineChart, Mark,
    Roofline, ScaleKind, Scatter,
};
use differ::{COUNTS, HORIZONTAL, VALUE_AXIS, VERTICAL};
use serde::{Deserialize, Serialize};
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
        (Body::Roofline(a), Body::Roofline(b)) => Body::Roofline(chart_roofline(a, b)),
        (Body::Histogram(a), Body::Histogram(b)) => Body::Histogram(chart_histogram(a, b)?),
        (Body::Scatter(a), Body::Scatter(b)) => Body::Scatter(chart_scatter(a, b)?),
        (Body::Lines(a), Body::Lines(b)) => Body::Lines(chart_lines(a, b)?),
        (Body::Gantt(a), Body::Gantt(b)) => Body::Gantt(chart_gantt(a, b)?),
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
    // −100 % says that nothing is left: what is left is shown by its first digit.
    if 0.0 < factor && percent <= -99.95 {
        let decimals = (-(100.0 * factor).log10().floor()).clamp(2.0, 9.0) as usize;
        return format!("{} %", number::fixed(percent.max(-99.999_999_999), decimals));
    }
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

/// Most names in a remark.
const NAMED: usize = 8;

/// Adds a remark that names what only one side has.
fn report_only(notes: &mut Vec<Message>, only: Message, names: &[String]) {
    if names.is_empty() {
        return;
    }
    let shown = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    let more = if names.len() <= NAMED { String::new() } else { format!(", … (+{})", names.len() - NAMED) };
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
    pub(super) const NAMELESS: &str = phrase("The rows of this table have no names to match by.");
}

/// Says why units or axes keep two figures apart.
fn same<T: PartialEq>(why: &str, baseline: &T, comparison: &T) -> Result<(), String> {
    if baseline == comparison { Ok(()) } else { Err(why.to_owned()) }
}

// Times of two documents on one axis: where a time of the one lies in the other.

/// From the times of one document to those of another: the zeros of both lie on each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mapping {
    /// A time of the one.
    pub from: Ticks,
    /// The time of the other that lies on it.
    pub to: Ticks,
    /// Ticks of the other in a tick of the one.
    pub ratio: f64,
}

impl Mapping {
    /// The mapping that lays `from` on `to`; clocks that cannot be told in nanoseconds tick alike.
    pub fn new((from, one): (Ticks, Clock), (to, other): (Ticks, Clock)) -> Self {
        let ratio = match (one.nanos(), other.nanos()) {
            (Some(one), Some(other)) => one / other,
            _ => 1.0,
        };
        Self { from, to, ratio }
    }

    /// The way back.
    #[must_use]
    pub fn back(self) -> Self {
        Self { from: self.to, to: self.from, ratio: 1.0 / self.ratio }
    }

    /// Where a window lies in the other document; exact to the tick when both tick alike.
    #[must_use]
    pub fn window(self, window: Window) -> Window {
        let off = window.start.saturating_sub(self.from);
        if self.ratio == 1.0 {
            return Window { start: self.to.saturating_add(off), ..window };
        }
        Window::new(self.to, (off as f64 + window.part) * self.ratio, window.dur * self.ratio)
    }

    /// Where a stretch lies in the other document, to the nearest tick.
    #[must_use]
    pub fn span(self, span: Span) -> Span {
        let at = |t: Ticks| {
            let off = t.saturating_sub(self.from);
            let off = if self.ratio == 1.0 { off } else { (off as f64 * self.ratio).round() as Ticks };
            self.to.saturating_add(off)
        };
        Span::new(at(span.start), at(span.end))
    }
}

// What slices add up to by name, in two documents: which names cost more or less than before.

/// What the slices of one name add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Total {
    /// How many slices; those that lie in each other and count once are one.
    pub count: u64,
    /// Sum of their lengths in nanoseconds (or in ticks, where both documents only order things).
    pub total: f64,
}

impl Total {
    /// Mean length; `None` without slices.
    pub fn mean(self) -> Option<f64> {
        (0 < self.count).then(|| self.total / self.count as f64)
    }

    /// The sum; `None` of what is counted by nothing, such as a percentile.
    pub fn sum(self) -> Option<f64> {
        self.mean().map(|_| self.total)
    }

    /// What is compared: the sum, or the mean of each; what is counted by nothing, such as a percentile, is its own mean.
    pub fn compared(self, is_of_means: bool) -> f64 {
        self.mean().filter(|_| is_of_means).unwrap_or(self.total)
    }
}

/// A name with what it adds up to on both sides; `None` where a side does not have it.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    pub name: String,
    pub baseline: Option<Total>,
    pub comparison: Option<Total>,
    /// By how many devices the sums of each side are divided.
    pub devices: [u64; 2],
}

impl Pair {
    /// What is compared of both sides, in nanoseconds: the sum, of unequal numbers of devices for each, or the mean.
    pub fn compared(&self, is_of_means: bool) -> [Option<f64>; 2] {
        let sides = [self.baseline.zip(Some(self.devices[0])), self.comparison.zip(Some(self.devices[1]))];
        sides.map(|side| {
            side.map(|(total, n)| {
                total.compared(is_of_means) / if is_of_means { 1.0 } else { n.max(1) as f64 }
            })
        })
    }

    /// How much longer the comparison takes, in nanoseconds: all together, or each in the mean. Missing when a side is.
    pub fn difference(&self, is_of_means: bool) -> Option<f64> {
        let [a, b] = self.compared(is_of_means);
        difference(a, b)
    }

    /// The same as a share of the baseline; missing when that is 0.
    pub fn change(&self, is_of_means: bool) -> Option<f64> {
        let before = self.compared(is_of_means)[0]?;
        self.difference(is_of_means).filter(|_| 0.0 < before).map(|d| d / before)
    }

    /// Whether both sides have as many, on each device: else more or less in sum may be more or less work.
    pub fn has_equal_counts(&self) -> bool {
        let [a, b] = self.devices;
        self.baseline.map(|t| t.count.saturating_mul(b)) == self.comparison.map(|t| t.count.saturating_mul(a))
    }
}

/// Lets sums count for each device, where both sides have a known number of them and not the same: what is said then.
pub fn divide(pairs: &mut [Pair], devices: [u64; 2]) -> Option<Message> {
    let [a, b] = devices;
    if a.min(b) == 0 || a == b {
        return None;
    }
    for pair in pairs {
        pair.devices = devices;
    }
    let said =
        message("A has {a} and B has {b} devices: totals and differences are per device, counts are of all.");
    Some(said.with("a", a).with("b", b))
}

/// Joins by name, in order of the comparison, then what only the baseline has. A name that repeats (one pipe of several
/// cores) is added up first. Costs the rows of both.
pub fn pairs(baseline: &[(String, Total)], comparison: &[(String, Total)]) -> Vec<Pair> {
    let (old, new) = (added(baseline), added(comparison));
    let names = |list: &[(String, Total)]| list.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let pair = |(i, j): (Option<usize>, Option<usize>)| {
        let (left, right) = (i.and_then(|i| old.get(i)), j.and_then(|j| new.get(j)));
        let name = right.or(left)?.0.clone();
        Some(Pair { name, baseline: left.map(|l| l.1), comparison: right.map(|r| r.1), devices: [1; 2] })
    };
    join(&names(&old), &names(&new)).into_iter().filter_map(pair).collect()
}

/// Puts what changed most first; what only one side has stands where all of its time would.
pub fn sort_by_change(pairs: &mut [Pair], is_of_means: bool) {
    let alone = |p: &Pair| {
        let [a, b] = p.compared(is_of_means);
        b.or(a).unwrap_or(0.0)
    };
    let change = |p: &Pair| p.difference(is_of_means).map_or_else(|| alone(p), f64::abs);
    order::sort_by(pairs, |a, b| change(b).total_cmp(&change(a)));
}

/// Each name once, where it stood first.
pub fn added(rows: &[(String, Total)]) -> Vec<(String, Total)> {
    let mut places: Map<&str, usize> = Map::default();
    let mut out: Vec<(String, Total)> = Vec::new();
    for (name, total) in rows {
        let at = *places.entry(name).or_insert(out.len());
        match out.get_mut(at) {
            Some((_, sum)) => {
                sum.count += total.count;
                sum.total += total.total;
            }
            None => out.push((name.clone(), *total)),
        }
    }
    out
}

// Comparison of charts: both in one plot, the baseline's series as A, the comparison's as B.

/// Axes can carry both when they mean the same.
fn same_axis(which: &str, a: &AxisLabel, b: &AxisLabel) -> Result<(), String> {
    same(which, &(&a.unit, a.scale), &(&b.unit, b.scale))
}

/// All roofs, each with its letter, those of the baseline first.
fn chart_roofline(a: &Roofline, b: &Roofline) -> Roofline {
    let mut out = Roofline { roofs: Vec::new(), n_baseline: a.roofs.len(), ..b.clone() };
    for (side, letter) in [(a, of_a as fn(&str) -> String), (b, of_b)] {
        for roof in &side.roofs {
            let mut roof = roof.clone();
            roof.bandwidth_name = letter(&roof.bandwidth_name);
            out.roofs.push(roof);
        }
    }
    out
}

/// Both counted anew over the bins of all their values. Where values are not at hand, over the bins that have the edges of
/// both; a bin that is cut gives each part its share of the width.
fn chart_histogram(a: &Histogram, b: &Histogram) -> Result<Histogram, String> {
    same_axis(VALUE_AXIS, &a.x, &b.x)?;
    same(COUNTS, &a.count_unit, &b.count_unit)?;
    let all_series = || a.series.iter().chain(&b.series);
    let has_values = a.x.scale == ScaleKind::Linear && all_series().all(|s| !s.values.is_empty());
    let edges = if has_values {
        let mut values: Vec<f64> = all_series().flat_map(|s| &s.values).copied().collect();
        order::sort_floats(&mut values);
        edges_of(&values)
    } else {
        common_edges(&a.edges, &b.edges)
    };
    let mut series = Vec::new();
    let mut marks: Vec<Mark> = b.marks.clone();
    for (side, letter) in [(a, of_a as fn(&str) -> String), (b, of_b)] {
        for s in &side.series {
            let counts = if has_values {
                count(s.values.iter().copied(), &edges).counts
            } else {
                rebin(&s.counts, &side.edges, &edges, side.x.scale)
            };
            series.push(HistogramSeries { name: letter(&s.name), counts, values: s.values.clone() });
        }
    }
    let is_new = |m: &&Mark| !b.marks.contains(m);
    marks.extend(a.marks.iter().filter(is_new).map(|m| Mark { name: of_a(&m.name), value: m.value }));
    Ok(Histogram { edges, series, marks, ..b.clone() })
}

/// All series, each with its letter.
fn chart_scatter(a: &Scatter, b: &Scatter) -> Result<Scatter, String> {
    same_axis(HORIZONTAL, &a.x, &b.x)?;
    same_axis(VERTICAL, &a.y, &b.y)?;
    // Colors tell both sides apart.
    let mut out = Scatter { series: Vec::new(), colors: Vec::new(), ..b.clone() };
    for (side, letter) in [(a, of_a as fn(&str) -> String), (b, of_b)] {
        for series in &side.series {
            let mut series = series.clone();
            series.name = letter(&series.name);
            out.series.push(series);
        }
    }
    Ok(out)
}

/// All lines, each with its letter.
fn chart_lines(a: &LineChart, b: &LineChart) -> Result<LineChart, String> {
    same_axis(HORIZONTAL, &a.x, &b.x)?;
    same_axis(VERTICAL, &a.y, &b.y)?;
    let mut out = LineChart { lines: Vec::new(), ..b.clone() };
    for (side, letter) in [(a, of_a as fn(&str) -> String), (b, of_b)] {
        for line in &side.lines {
            let mut line = line.clone();
            line.name = letter(&line.name);
            out.lines.push(line);
        }
    }
    Ok(out)
}

/// Group by group, the lanes of the baseline above those of the comparison.
fn chart_gantt(a: &Gantt, b: &Gantt) -> Result<Gantt, String> {
    same_axis(HORIZONTAL, &a.x, &b.x)?;
    let mut groups: Vec<&str> = Vec::new();
    for lane in b.lanes.iter().chain(&a.lanes) {
        if !groups.contains(&lane.group.as_str()) {
            groups.push(&lane.group);
        }
    }
    let mut lanes: Vec<GanttLane> = Vec::new();
    let mut places = [vec![0_u32; a.lanes.len()], vec![0_u32; b.lanes.len()]];
    for group in groups {
        for ((side, letter), place) in
            [(a, of_a as fn(&str) -> String), (b, of_b)].into_iter().zip(&mut places)
        {
            for (i, lane) in side.lanes.iter().enumerate().filter(|(_, l)| l.group == group) {
                if let Some(place) = place.get_mut(i) {
                    *place = lanes.len() as u32;
                }
                // A lane without group is named itself, so that both names stay apart.
                let named = if group.is_empty() { letter(&lane.name) } else { lane.name.clone() };
                let group = if group.is_empty() { String::new() } else { letter(group) };
                lanes.push(GanttLane { group, name: named });
            }
        }
    }
    let moved = |side: &Gantt, place: &[u32]| -> Vec<GanttBar> {
        let moved = side
            .bars
            .iter()
            .filter_map(|bar| Some(GanttBar { lane: *place.get(bar.lane as usize)?, ..bar.clone() }));
        moved.collect()
    };
    let mut bars = moved(a, &places[0]);
    bars.extend(moved(b, &places[1]));
    Ok(Gantt { lanes, bars, outlined: None, ..b.clone() })
}
