//! What changed, as tables, trends and distributions.

use super::changes::{Change, Changes, KeyRuns, Medians, TESTED, changes, least_p, turnings};
use super::found::run_name;
use super::read::{Rows, Samples};
use super::sets::Sets;
use crate::analysis::contract::{AnalysisInput, ComputedFigure};
use crate::base::number::{exact, fixed};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::model::figure::{
    AxisLabel, Body, Cell, Choice, Figure, Histogram, HistogramSeries, Line, LineChart, Mark, ScaleKind,
    TableColumn, TableOf, Target,
};

/// The panels.
const KERNELS: &str = phrase("Kernels");
const METRICS: &str = phrase("Metrics");
const FINDINGS: &str = phrase("Findings");
/// What is chosen.
const COMPARED: &str = phrase("Runs compared");
const OF: &str = phrase("Of");

/// Rows that are shown, and keys that can be chosen.
const SHOWN: usize = 500;
const CHOSEN: usize = 40;
/// Bins of a distribution; values that differ by more than this are on a scale of powers.
const BINS: usize = 40;
const DECADE: f64 = 10.0;

/// All figures that the tables give.
pub(super) fn figures(input: &AnalysisInput) -> Vec<ComputedFigure> {
    let Some((samples, result)) = both(input) else { return Vec::new() };
    let mut all = Vec::new();
    // One run is compared with none.
    let second = || {
        let options: Vec<String> = result.choices.iter().map(|sets| sets.name.clone()).collect();
        if options.is_empty() { None } else { Some(Choice { name: COMPARED.to_owned(), options }) }
    };
    let of = |set: usize| Choice { name: OF.to_owned(), options: names(samples, result, set) };
    let has = |set: usize| result.sets.get(set).is_some_and(|medians| !medians.keys.is_empty());
    if has(0) {
        let titles = ("dataset-kernels", KERNELS, phrase("Kernels that changed most"));
        all.push(ComputedFigure::new(titles, ("table", 3), table).choosing(second().into_iter().collect()));
        let titles = ("dataset-kernels-trend", KERNELS, phrase("Kernel median by run"));
        all.push(ComputedFigure::new(titles, ("lines", 2), trend).choosing(vec![of(0)]));
        let titles = ("dataset-kernels-spread", KERNELS, phrase("Kernel distribution"));
        all.push(
            ComputedFigure::new(titles, ("histogram", 1), spread)
                .choosing(std::iter::once(of(0)).chain(second()).collect()),
        );
    }
    if has(1) {
        let titles = ("dataset-metrics", METRICS, phrase("Metrics that changed most"));
        all.push(ComputedFigure::new(titles, ("table", 3), table).choosing(second().into_iter().collect()));
        let titles = ("dataset-metrics-trend", METRICS, phrase("Metric median by run"));
        all.push(ComputedFigure::new(titles, ("lines", 2), trend).choosing(vec![of(1)]));
    }
    if has(2) {
        let titles = ("dataset-findings", FINDINGS, phrase("Findings by run"));
        all.push(
            ComputedFigure::new(titles, ("table", 3), findings).choosing(second().into_iter().collect()),
        );
    }
    all
}

fn both<'a>(input: &AnalysisInput<'a>) -> Option<(&'a Samples, &'a Changes)> {
    Some((input.trace.extensions.get::<Samples>()?, input.result::<Changes>()?))
}

/// The table that a figure is of.
fn set_of(id: &str) -> usize {
    if id.starts_with("dataset-kernels") { 0 } else { usize::from(id.starts_with("dataset-metrics")) }
}

/// Keys in the order of their changes.
fn chosen(samples: &Samples, result: &Changes, set: usize) -> Vec<Change> {
    let Some(medians) = result.sets.get(set) else { return Vec::new() };
    let mut all = usual((samples, result), medians, set == 0);
    all.truncate(CHOSEN);
    all
}

fn names(samples: &Samples, result: &Changes, set: usize) -> Vec<String> {
    let (Some(medians), Some(rows)) = (result.sets.get(set), samples.sets.get(set)) else {
        return Vec::new();
    };
    let name = |at: usize| medians.keys.get(at).map_or("", |key| name_of(rows, key)).to_owned();
    chosen(samples, result, set).into_iter().map(|change| name(change.at)).collect()
}

pub(super) fn name_of<'a>(rows: &'a Rows, key: &KeyRuns) -> &'a str {
    rows.keys.get(key.key as usize).map_or("", |(name, _)| name.as_str())
}

/// The unit of a key.
fn unit_of(rows: &Rows, key: &KeyRuns) -> Unit {
    match rows.keys.get(key.key as usize).map_or("", |(_, unit)| unit.as_str()) {
        "" => Unit::None,
        "ns" => Unit::Nanos,
        "%" => Unit::Percent,
        "cycles" => Unit::Cycles,
        "B" => Unit::Bytes,
        other => Unit::Other(other.to_owned()),
    }
}

/// Changes in the order in which they are shown: of kernels those that cost or save most in a run, of metrics those that
/// changed by the greatest part.
pub(super) fn ranked(medians: &Medians, sets: &Sets, is_time: bool) -> Vec<Change> {
    by_weight(changes(medians, sets, is_time), is_time)
}

/// The changes of the usual choice of runs: of a series those of each kernel at the run where it differs most.
pub(super) fn usual(
    (samples, result): (&Samples, &Changes),
    medians: &Medians,
    is_time: bool,
) -> Vec<Change> {
    if is_time && result.usual.is_series(&samples.runs) {
        return by_weight(turnings(medians, &result.usual), is_time);
    }
    ranked(medians, &result.usual, is_time)
}

fn by_weight(mut all: Vec<Change>, is_time: bool) -> Vec<Change> {
    let weight = |change: &Change| {
        let by = if is_time { change.impact() } else { change.share().unwrap_or(0.0) };
        by.abs()
    };
    order::sort_by(&mut all, |a, b| weight(b).total_cmp(&weight(a)).then(a.at.cmp(&b.at)));
    all
}

/// A row of a table of changes.
struct Shown<'a> {
    change: &'a Change,
    key: &'a KeyRuns,
    name: &'a str,
    unit: Unit,
}

fn table(input: &AnalysisInput, id: &str, options: &[usize]) -> Figure {
    let Some((samples, result)) = both(input) else { return Figure::nothing() };
    let set = set_of(id);
    let (Some(medians), Some(rows)) = (result.sets.get(set), samples.sets.get(set)) else {
        return Figure::nothing();
    };
    let sets = result.chosen(options.first());
    let mut all = ranked(medians, sets, set == 0);
    // Of metrics most are the same in all runs.
    let n_all = all.len();
    if set == 1 {
        all.retain(|change| change.before != change.after);
    }
    let n_same = n_all - all.len();
    if sets.after.is_empty() && set == 0 {
        let time = |change: &Change| change.before.unwrap_or(0.0) * change.per_run;
        order::sort_by(&mut all, |a, b| time(b).total_cmp(&time(a)).then(a.at.cmp(&b.at)));
    }
    let shown: Vec<Shown> = all
        .iter()
        .take(SHOWN)
        .filter_map(|change| {
            let key = medians.keys.get(change.at)?;
            Some(Shown { change, key, name: name_of(rows, key), unit: unit_of(rows, key) })
        })
        .collect();
    let mut figure = table_of((samples, sets), &shown, set == 0, all.len() - shown.len());
    figure.notes = notes(samples, sets, set == 0);
    if 0 < n_same {
        figure.notes.push(message("{n} metrics did not change.").with("n", n_same));
    }
    figure
}

fn table_of((samples, sets): (&Samples, &Sets), shown: &[Shown], is_time: bool, more: usize) -> Figure {
    let number = |value: Option<f64>| Cell::number(value);
    let percent = |share: Option<f64>| Cell::number(share.map(|share| share * 100.0));
    let mut table = TableOf::new(shown).column(phrase("Name"), Unit::None, |row| row.name);
    if sets.after.is_empty() {
        return table_of_one(samples, sets, table, is_time).more(more).figure();
    }
    if is_time {
        table = table.column(phrase("Before"), Unit::Nanos, |row| number(row.change.before)).column(
            phrase("After"),
            Unit::Nanos,
            |row| number(row.change.after),
        );
    } else {
        let with_unit = |value: Option<f64>, unit: &Unit| match value {
            Some(value) => Cell::Text(crate::base::number::with_unit(value, unit)),
            None => Cell::Missing,
        };
        table = table
            .column(phrase("Before"), Unit::None, move |row| with_unit(row.change.before, &row.unit))
            .column(phrase("After"), Unit::None, move |row| with_unit(row.change.after, &row.unit));
    }
    let difference = TableColumn {
        is_difference: true,
        ..TableColumn::new(phrase("Change"), Unit::Other("%".to_owned()))
    };
    table = table.with(difference, |row| percent(row.change.share()));
    if is_time {
        table = table.column(phrase("Launches per run"), Unit::None, |row| row.change.per_run).column(
            phrase("Difference per run"),
            Unit::Nanos,
            |row| number(row.change.difference().map(|_| row.change.impact())),
        );
    }
    let runs = |row: &Shown| Cell::Text(format!("{} / {}", row.change.runs.0, row.change.runs.1));
    let place = TableColumn::place(phrase("Trace"));
    let table = table
        .column(phrase("p"), Unit::None, |row| number(row.change.p.map(rounded)))
        .column(phrase("False alarms"), Unit::Percent, |row| percent(row.change.q))
        .column(phrase("Runs"), Unit::None, runs)
        .with(place, |row| trace_of(samples, row.key, sets))
        .more(more);
    table.figure()
}

/// The medians of the only run.
fn table_of_one<'a>(
    samples: &'a Samples,
    sets: &'a Sets,
    table: TableOf<'a, Shown<'a>>,
    is_time: bool,
) -> TableOf<'a, Shown<'a>> {
    let table = if is_time {
        table.column(phrase("Median"), Unit::Nanos, |row| Cell::number(row.change.before)).column(
            phrase("Launches"),
            Unit::None,
            |row| row.change.per_run,
        )
    } else {
        table.column(phrase("Median"), Unit::None, |row| match row.change.before {
            Some(value) => Cell::Text(crate::base::number::with_unit(value, &row.unit)),
            None => Cell::Missing,
        })
    };
    table.with(TableColumn::place(phrase("Trace")), |row| trace_of(samples, row.key, sets))
}

/// Enough digits of a probability.
fn rounded(p: f64) -> f64 {
    if p < 0.001 { (p * 1e6).round() / 1e6 } else { (p * 1e4).round() / 1e4 }
}

/// How it is to be read.
fn notes(samples: &Samples, sets: &Sets, is_time: bool) -> Vec<Message> {
    if sets.after.is_empty() {
        return vec![message("One run: nothing to compare.")];
    }
    let (a, b) = (sets.before.len(), sets.after.len());
    let mut notes = vec![of_sets(samples, sets)];
    let test = message(
        "Each run counts once, by its median; before and after are medians of runs. p: rank-sum test over runs, two-sided; with {a} and {b} runs it is {least} or more. False alarms: their share among all changes with this p or a smaller one.",
    );
    notes.push(test.with("a", a).with("b", b).with("least", exact(rounded(least_p(a, b)))));
    if is_time {
        let untested = message("Kernels with less than {share} % of the time are not tested.");
        notes.push(untested.with("share", exact(TESTED * 100.0)));
    }
    notes
}

/// Which runs are compared, and how many are not.
pub(super) fn of_sets(samples: &Samples, sets: &Sets) -> Message {
    if sets.after.is_empty() {
        return message("One run: nothing to compare.");
    }
    let left = sets.left_out(samples.runs.len());
    let said = match left {
        0 => message("Before: {a} runs, {first} to {last}. After: {b} runs, {begin} to {end}."),
        _ => message(
            "Before: {a} runs, {first} to {last}. After: {b} runs, {begin} to {end}. {n} other runs are left out.",
        ),
    };
    let name = |at: usize| run_name(samples, at);
    said.with("a", sets.before.len())
        .with("first", name(sets.before.start))
        .with("last", name(sets.before.end.saturating_sub(1)))
        .with("b", sets.after.len())
        .with("begin", name(sets.after.start))
        .with("end", name(sets.after.end.saturating_sub(1)))
        .with("n", left)
}

/// The file with most of it in the last run that has it.
fn trace_of(samples: &Samples, key: &KeyRuns, sets: &Sets) -> Cell {
    let last = key.of(&sets.after).last().or_else(|| key.of(&sets.before).last());
    let Some((at, run)) = last else { return Cell::Missing };
    let Some(known) = samples.traces.get(run.trace as usize) else { return Cell::Missing };
    let said = if known.name.is_empty() { &known.id } else { &known.name };
    let run = samples.runs.get(*at as usize).map_or("", String::as_str);
    Cell::Text(Target::place_of_document(run, said))
}

/// The median of each run.
fn trend(input: &AnalysisInput, id: &str, options: &[usize]) -> Figure {
    let Some((samples, result)) = both(input) else { return Figure::nothing() };
    let set = set_of(id);
    let (Some(medians), Some(rows)) = (result.sets.get(set), samples.sets.get(set)) else {
        return Figure::nothing();
    };
    let keys = chosen(samples, result, set);
    let Some(change) = options.first().and_then(|at| keys.get(*at)) else { return Figure::nothing() };
    let Some(key) = medians.keys.get(change.at) else { return Figure::nothing() };
    let sets = key.turned().unwrap_or(&change.sets);
    let mut chart = lines(samples, key, (name_of(rows, key), unit_of(rows, key)), sets);
    // Nobody looked where a series changes that was not tested.
    if key.turned().is_none() && sets.is_series(&samples.runs) {
        chart.marks.clear();
    }
    let mut figure = Figure::new("", Body::Lines(chart));
    if let (Some(first), Some(last)) = (samples.runs.first(), samples.runs.last()) {
        let note = message("Run 1 is {first}, run {n} is {last}.");
        figure.notes = vec![note.with("first", first).with("n", samples.runs.len()).with("last", last)];
    }
    figure
}

/// The medians of a key as a line, with a mark where the second set begins.
pub(super) fn lines(samples: &Samples, key: &KeyRuns, (name, unit): (&str, Unit), sets: &Sets) -> LineChart {
    let axis = |name: &str, unit| AxisLabel { name: name.to_owned(), unit, scale: ScaleKind::Linear };
    let n = samples.runs.len();
    let mut medians = vec![None; n];
    for (at, run) in key.of(&(0..n)) {
        if let Some(median) = medians.get_mut(*at as usize) {
            *median = Some(run.median);
        }
    }
    let line = Line {
        name: name.to_owned(),
        x: (1..=n).map(|run| run as f64).collect(),
        y: medians,
        is_stepped: false,
    };
    let second = sets.after.start;
    let mark = samples.runs.get(second).map(|run| Mark { name: run.clone(), value: (second + 1) as f64 });
    LineChart {
        // Runs are whole, and their number has no noun.
        x: axis(phrase("Run"), Unit::Count(String::new())),
        y: axis(phrase("Median"), unit),
        lines: vec![line],
        marks: mark.into_iter().collect(),
    }
}

/// Values of both sets.
fn spread(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let Some((samples, result)) = both(input) else { return Figure::nothing() };
    let (Some(medians), Some(rows)) = (result.sets.first(), samples.sets.first()) else {
        return Figure::nothing();
    };
    let keys = chosen(samples, result, 0);
    let key = options.first().and_then(|at| keys.get(*at)).and_then(|change| medians.keys.get(change.at));
    let Some(key) = key else { return Figure::nothing() };
    let sets = result.chosen(options.get(1));
    let values = medians.order.get(key.rows.clone()).unwrap_or_default().iter().filter_map(|at| {
        let (value, run) = (rows.value.get(*at as usize)?, *rows.run.get(*at as usize)? as usize);
        let is_after = sets.after.contains(&run);
        (is_after || sets.before.contains(&run)).then_some((*value, is_after))
    });
    let values: Vec<(f64, bool)> = values.filter(|(value, _)| 0.0 < *value).collect();
    let least = values.iter().map(|(value, _)| *value).fold(f64::INFINITY, f64::min);
    let most = values.iter().map(|(value, _)| *value).fold(0.0, f64::max);
    if !least.is_finite() {
        return Figure::nothing();
    }
    let most = if most <= least { least * 1.01 } else { most * 1.000_001 };
    // Less than a decade has few labels on a scale of powers.
    let is_log = DECADE < most / least;
    let step = if is_log { (most / least).ln() } else { most - least } / BINS as f64;
    let edge = |at: usize| {
        if is_log { least * (step * at as f64).exp() } else { least + step * at as f64 }
    };
    let edges: Vec<f64> = (0..=BINS).map(edge).collect();
    let mut counts = [vec![0.0; BINS], vec![0.0; BINS]];
    for (value, is_after) in values {
        let from = if is_log { (value / least).ln() } else { value - least };
        let bin = ((from / step) as usize).min(BINS - 1);
        if let Some(count) = counts.get_mut(usize::from(is_after)).and_then(|counts| counts.get_mut(bin)) {
            *count += 1.0;
        }
    }
    let [before, after] = counts;
    let series = |name: &str, counts| HistogramSeries { name: name.to_owned(), counts, values: Vec::new() };
    let histogram = Histogram {
        x: AxisLabel {
            name: phrase("Duration").to_owned(),
            unit: Unit::Nanos,
            scale: if is_log { ScaleKind::Log } else { ScaleKind::Linear },
        },
        count_unit: Unit::Count("kernels".to_owned()),
        edges,
        series: if sets.after.is_empty() {
            vec![series(phrase("Kernels"), before)]
        } else {
            vec![series(phrase("Before"), before), series(phrase("After"), after)]
        },
        marks: Vec::new(),
        can_move_marks: false,
        is_cumulative: false,
    };
    Figure::new("", Body::Histogram(histogram))
}

/// A row of the table of findings: the name, and the share of traces that have it.
struct Found<'a> {
    name: &'a str,
    before: f64,
    after: f64,
    trace: Cell,
}

fn findings(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let Some((samples, result)) = both(input) else { return Figure::nothing() };
    let (Some(medians), Some(rows)) = (result.sets.get(2), samples.sets.get(2)) else {
        return Figure::nothing();
    };
    let sets = result.chosen(options.first());
    let share = |key: &KeyRuns, runs: std::ops::Range<usize>| {
        let own: u32 = key.of(&runs).iter().map(|(_, run)| run.n_traces).sum();
        let all: u32 = result.traces.get(runs).unwrap_or_default().iter().sum();
        100.0 * f64::from(own) / f64::from(all.max(1))
    };
    let mut all: Vec<Found> = medians
        .keys
        .iter()
        .map(|key| Found {
            name: name_of(rows, key),
            before: share(key, sets.before.clone()),
            after: share(key, sets.after.clone()),
            trace: trace_of(samples, key, sets),
        })
        .collect();
    let change = |row: &Found| (row.after - row.before).abs();
    order::sort_by(&mut all, |a, b| change(b).total_cmp(&change(a)).then(b.after.total_cmp(&a.after)));
    let more = all.len().saturating_sub(SHOWN);
    all.truncate(SHOWN);
    let place = TableColumn::place(phrase("Trace"));
    let difference = TableColumn { is_difference: true, ..TableColumn::new(phrase("Points"), Unit::Percent) };
    let table = TableOf::new(&all).column(phrase("Finding"), Unit::None, |row| row.name);
    let table = if sets.after.is_empty() {
        table.column(phrase("Traces"), Unit::Percent, |row| row.before)
    } else {
        table
            .column(phrase("Traces before"), Unit::Percent, |row| row.before)
            .column(phrase("Traces after"), Unit::Percent, |row| row.after)
            .with(difference, |row| row.after - row.before)
    };
    let mut figure = table.with(place, |row| row.trace.clone()).more(more).figure();
    figure.notes = notes(samples, sets, false).into_iter().take(1).collect();
    figure
}

/// A share as people read it.
pub(super) fn percent(share: f64) -> String {
    let sign = if 0.0 < share { "+" } else { "" };
    format!("{sign}{} %", fixed(share * 100.0, 1))
}
