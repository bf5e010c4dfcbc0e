//! The first figures of a data set, and what changed most.

use super::changes::{Change, Changes, least_together};
use super::figures::{of_sets, percent, ranked, sets_of};
use super::read::Samples;
use crate::analysis::finding::{Color, Part, PartRow, Tile};
use crate::base::number::{MISSING, fixed, thousands, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::{RuleInput, Summary};

/// Changes that count as real: at most so many of a hundred are false alarms.
const REAL: f64 = 0.05;
/// Rows of the part.
const SHOWN: usize = 10;

/// Runs, traces, kernels, changes; the largest changes.
pub(super) fn summary(input: &RuleInput) -> Option<Summary> {
    let samples = input.trace.extensions.get::<Samples>()?;
    let changes = input.result::<Changes>(&super::ANALYSIS)?;
    let sets = sets_of(samples, None);
    let (before, after) = (sets.before.len(), sets.after.len());
    let set = usize::from(changes.sets.first().is_none_or(|set| set.keys.is_empty()));
    let (medians, rows) = (changes.sets.get(set)?, samples.sets.get(set)?);
    let all = ranked(medians, &sets, set == 0);
    let real = all.iter().filter(|change| change.q.is_some_and(|q| q <= REAL)).count();
    let figure = if set == 0 { "dataset-kernels" } else { "dataset-metrics" };
    let address = Place::view("details").figure(figure, &[0]).address();
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
    let count = |n: usize| Some((n as f64, Unit::None));
    let n_rows: usize = samples.sets.iter().map(|rows| rows.key.len()).sum();
    let counted = if set == 0 { phrase("Kernels by name") } else { phrase("Metrics by name") };
    let first = all.first().filter(|change| change.share().is_some());
    let n_tests = all.iter().filter(|change| change.p.is_some()).count();
    let is_enough = 0 < after && least_together(&sets, n_tests, REAL) <= n_tests;
    let tests = if is_enough {
        message("of {n} tested").with("n", thousands(n_tests as i64))
    } else {
        message("too few runs to tell")
    };
    let tiles = vec![
        tile(
            phrase("Runs"),
            count(samples.runs.len()),
            message("{a} before, {b} after").with("a", before).with("b", after),
        ),
        tile(
            phrase("Traces"),
            count(samples.traces.len()),
            message("{n} rows").with("n", thousands(n_rows as i64)),
        ),
        tile(counted, count(medians.keys.len()), Message::default()),
        tile(
            phrase("Largest change"),
            first.and_then(Change::share).map(|share| (share, Unit::Share)),
            first.map_or(Message::default(), |change| name(change.at).into()),
        ),
        tile(phrase("Significant changes"), count(real), tests),
    ];
    let part = largest(&all, set == 0, (&address, of_sets(samples, &sets)), &name);
    Some(Summary { tiles, parts: vec![part] })
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
