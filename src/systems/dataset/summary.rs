//! The first figures of a data set, and what changed most.

use super::changes::{Change, Changes, KeyRuns, Medians, least_together};
use super::figures::{of_sets, percent, usual};
use super::found::ALARMS;
use super::read::{LAUNCHES, Rows, Samples};
use super::steps;
use crate::analysis::finding::{Color, Part, PartRow, Tile};
use crate::base::map::Set;
use crate::base::number::{MISSING, fixed, thousands, with_unit};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::{RuleInput, Summary, device};

/// Rows of the part.
const SHOWN: usize = 10;

/// Runs, traces, kernels, changes; the largest changes.
#[allow(clippy::too_many_lines)] // one tile after the other
pub(super) fn summary(input: &RuleInput) -> Option<Summary> {
    let samples = input.trace.extensions.get::<Samples>()?;
    let changes = input.result::<Changes>(&super::ANALYSIS)?;
    let sets = &changes.usual;
    let (before, after) = (sets.before.len(), sets.after.len());
    let has = |set: &usize| changes.sets.get(*set).is_some_and(|medians| !medians.keys.is_empty());
    let set = (0..changes.sets.len()).find(has)?;
    let (medians, rows) = (changes.sets.get(set)?, samples.sets.get(set)?);
    let all = usual((samples, changes), medians, set == 0);
    let is_series = set == 0 && sets.is_series(&samples.runs);
    let real = all.iter().filter(|change| change.is_certain()).count();
    let figure = ["dataset-kernels", "dataset-metrics", "dataset-findings"].get(set)?;
    let address = changes.address(figure, all.first().map_or(sets, |change| &change.sets));
    let name = |at: usize| {
        let key = medians.keys.get(at).and_then(|key| rows.keys.get(key.key as usize));
        key.map_or(String::new(), |(name, _)| name.clone())
    };
    let tile = |label: &'static str, amount: Option<(f64, Unit)>, comparison: Message| Tile {
        label: message(label),
        value: match &amount {
            Some((share, Unit::Share)) => percent(*share),
            Some((n, _)) => fixed(*n, 0),
            None => MISSING.to_owned(),
        }
        .into(),
        comparison,
        address: address.clone(),
        amount,
        ..Tile::default()
    };
    let run = |at: usize| samples.runs.get(at).cloned().unwrap_or_default();
    let count = |n: usize| Some((n as f64, Unit::None));
    let n_rows: usize = samples.sets.iter().take(LAUNCHES).map(|rows| rows.key.len()).sum();
    let counted =
        *[phrase("Kernels by name"), phrase("Metrics by name"), phrase("Findings by rule")].get(set)?;
    let first = all.first().filter(|change| change.share().is_some());
    let n_tests = all.iter().filter(|change| change.p.is_some()).count();
    let is_enough = 0 < after && least_together(sets, n_tests, ALARMS) <= n_tests;
    let tests = if is_enough {
        let said = if set == 0 { message("of {n} tested kernels") } else { message("of {n} tested") };
        said.with("n", thousands(n_tests as i64))
    } else {
        message("too few runs to compare")
    };
    let of_runs = match after {
        0 => message("nothing to compare"),
        _ if is_series => message("{first} to {last}")
            .with("first", run(sets.before.start))
            .with("last", run(sets.after.end - 1)),
        _ => message("{a} before, {b} after").with("a", before).with("b", after),
    };
    let mut tiles = vec![
        tile(phrase("Runs"), count(samples.runs.len()), of_runs),
        tile(
            phrase("Traces"),
            count(samples.traces.len()),
            message("{n} rows").with("n", thousands(n_rows as i64)),
        ),
        tile(counted, count(medians.keys.len()), Message::default()),
    ];
    if set == 2 {
        let part = frequent(medians, rows, (samples.traces.len(), &address), &name);
        return Some(Summary { tiles, parts: vec![part] });
    }
    // A step may be longer though no launch is.
    let certain = |change: &Change| if change.is_real() { change.share().unwrap_or(0.0).abs() } else { 0.0 };
    let of_steps =
        steps::of_steps(samples, changes).filter(|step| first.map_or(0.0, certain) < certain(step));
    let most = match of_steps {
        Some(step) if set == 0 => Tile {
            address: changes.address("dataset-metrics", &step.sets),
            ..tile(
                phrase("Largest change"),
                step.share().map(|share| (share, Unit::Share)),
                message("Step time"),
            )
        },
        _ => tile(
            phrase("Largest change"),
            first.and_then(Change::share).map(|share| (share, Unit::Share)),
            first.map_or(Message::default(), |change| device::brief(&name(change.at)).into()),
        ),
    };
    tiles.extend([most, tile(phrase("Significant changes"), count(real), tests)]);
    let note = if is_series {
        message("Each kernel: before and after its largest change.")
    } else {
        of_sets(samples, sets)
    };
    let has_ranks = set == 0 && medians.keys.iter().any(|key| key.by_rank().next().is_some());
    let note = if has_ranks {
        message("{note} Medians of all ranks together.").with_message("note", note)
    } else {
        note
    };
    let mut part = largest(&all, set == 0, (&address, note), &name);
    if is_series {
        part.columns.push(phrase("From run").to_owned());
        let shown = all.iter().filter(|change| change.share().is_some());
        for (row, change) in part.rows.iter_mut().zip(shown) {
            row.cells.push(run(change.sets.after.start));
            row.address = changes.address(figure, &change.sets);
        }
    }
    Some(Summary { tiles, parts: vec![part] })
}

/// The part with the findings that most traces have, where a data set has nothing else.
fn frequent(of: &Medians, rows: &Rows, (n, address): (usize, &str), name: &dyn Fn(usize) -> String) -> Part {
    // A trace of several runs is one.
    let traces = |key: &KeyRuns| {
        let own = of.order.get(key.rows.clone()).unwrap_or_default().iter();
        own.filter_map(|at| rows.trace.get(*at as usize)).collect::<Set<_>>().len() as u64
    };
    let mut all: Vec<(usize, u64)> = of.keys.iter().map(traces).enumerate().collect();
    order::sort_by_key(&mut all, |(at, n)| (std::cmp::Reverse(*n), *at));
    let row = |(at, of): &(usize, u64)| {
        let share = *of as f64 / n.max(1) as f64;
        PartRow {
            name: name(*at).into(),
            share,
            bar: vec![(share.min(1.0), Color::Plain)],
            cells: vec![thousands(*of)],
            amount: Some((*of as f64, Unit::None)),
            address: address.to_owned(),
            ..PartRow::default()
        }
    };
    Part {
        title: message("Findings in most traces"),
        note: message("of {n} traces").with("n", thousands(n as u64)),
        columns: vec![phrase("Traces").to_owned()],
        rows: all.iter().take(SHOWN).map(row).collect(),
        measure: 0,
        more: all.len().saturating_sub(SHOWN) as u64,
        list: address.to_owned(),
        ..Part::default()
    }
}

/// The part with the largest changes, each leading to the table of them.
fn largest(
    all: &[Change],
    is_time: bool,
    (address, note): (&str, Message),
    name: &dyn Fn(usize) -> String,
) -> Part {
    let most = all.first().map_or(0.0, |change| change.impact().abs());
    let row = |change: &Change| {
        let impact = change.impact();
        let share = if is_time && 0.0 < most { impact.abs() / most } else { 0.0 };
        let color = if 0.0 < impact { Color::Wait } else { Color::Compute };
        let alarms = |q: f64| format!("{} %", fixed(q * 100.0, 1));
        PartRow {
            name: name(change.at).into(),
            bar: if 0.0 < share { vec![(share, color)] } else { Vec::new() },
            cells: vec![
                change.share().map_or("–".to_owned(), percent),
                if is_time { with_unit(impact, &Unit::Nanos) } else { String::new() },
                change.q.map_or("–".to_owned(), alarms),
            ],
            amount: change.share().map(|share| (share, Unit::Share)),
            address: address.to_owned(),
            ..PartRow::default()
        }
    };
    Part {
        title: message("Largest changes"),
        note,
        columns: [phrase("Change"), phrase("Per run"), phrase("False alarms")].map(str::to_owned).into(),
        rows: all.iter().filter(|change| change.share().is_some()).take(SHOWN).map(row).collect(),
        measure: 0,
        more: all.len().saturating_sub(SHOWN) as u64,
        list: address.to_owned(),
        ..Part::default()
    }
}
