//! Medians by run, and how two sets of runs differ.
//!
//! ```text
//! rows ──▶ median of each run ──▶ median of the runs of a set ──▶ difference of two sets
//!                     └──────────▶ rank sum test of both sets of medians
//! ```
//! A run counts once, however many rows it has: rows of one run are not independent of each other.

use super::read::{LAUNCHES, Rows, STEP_TIME, Samples};
use super::sets::Sets;
use super::significance::{false_alarms, rank_sum};
use super::turning::{Turning, turning};
use crate::base::job::{Turn, pieces};
use crate::base::map::Set;
use crate::base::order;
use crate::base::sort::sorted;
use crate::model::Trace;
use std::ops::Range;

/// What a run says of a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct InRun {
    pub(super) median: f64,
    pub(super) n: u32,
    pub(super) sum: f64,
    /// Traces that have rows of it.
    pub(super) n_traces: u32,
    /// The trace with the greatest sum.
    pub(super) trace: u32,
}

/// One key, run by run.
pub(super) struct KeyRuns {
    pub(super) key: u32,
    /// The runs that have it, in their order, each with its number.
    runs: Vec<(u32, InRun)>,
    /// Its rows in the order of runs, as [`Medians::order`] has them.
    pub(super) rows: Range<usize>,
    /// From which run on its medians differ most, where runs are one series.
    pub(super) turning: Option<Turning>,
}

impl KeyRuns {
    /// What those of some runs say that have it, each with the number of the run.
    pub(super) fn of(&self, runs: &Range<usize>) -> &[(u32, InRun)] {
        let before = |run: usize| self.runs.partition_point(|(at, _)| (*at as usize) < run);
        self.runs.get(before(runs.start)..before(runs.end)).unwrap_or_default()
    }

    /// What it is in all runs of both sets.
    fn sum(&self, sets: &Sets) -> f64 {
        let runs = self.of(&sets.before).iter().chain(self.of(&sets.after));
        runs.map(|(_, run)| run.sum).sum()
    }
}

/// All keys of a table.
#[derive(Default)]
pub(super) struct Medians {
    pub(super) keys: Vec<KeyRuns>,
    /// Numbers of rows by key, then run, then value.
    pub(super) order: Vec<u32>,
}

impl Medians {
    /// What all keys are in all runs of both sets.
    fn sum(&self, sets: &Sets) -> f64 {
        self.keys.iter().map(|key| key.sum(sets)).sum()
    }
}

/// The result: of each table, and how many traces each run has.
#[derive(Default)]
pub(super) struct Changes {
    pub(super) sets: [Medians; 4],
    pub(super) traces: Vec<u32>,
}

/// Rows between two pauses.
const PIECE: usize = 1 << 14;

/// Medians of all keys by run.
pub(super) async fn medians(trace: &Trace, turn: &Turn) -> Changes {
    let Some(samples) = trace.extensions.get::<Samples>() else { return Changes::default() };
    let mut seen: Set<(u32, u32)> = Set::default();
    let mut changes = Changes { traces: vec![0; samples.runs.len()], ..Changes::default() };
    for (rows, set) in samples.sets.iter().zip(&mut changes.sets) {
        for piece in pieces(rows.key.len(), PIECE) {
            for at in piece {
                let (Some(run), Some(trace)) = (rows.run.get(at), rows.trace.get(at)) else { continue };
                if seen.insert((*run, *trace))
                    && let Some(n) = changes.traces.get_mut(*run as usize)
                {
                    *n += 1;
                }
            }
            turn.pause().await;
        }
        *set = of_table(rows, turn).await;
    }
    let sets = Sets::all(&samples.runs).into_iter().next().filter(|sets| sets.is_series(&samples.runs));
    for (at, (rows, medians)) in samples.sets.iter().zip(&mut changes.sets).enumerate() {
        let Some(sets) = &sets else { break };
        let least = TESTED * medians.sum(sets);
        let is_looked_at = |key: &KeyRuns| match at {
            0 => least <= key.sum(sets),
            1 => rows.keys.get(key.key as usize).is_some_and(|(name, _)| name == STEP_TIME),
            _ => at == LAUNCHES,
        };
        for key in medians.keys.iter_mut().filter(|key| is_looked_at(key)) {
            let own = key.of(&(sets.before.start..sets.after.end));
            let of_runs: Vec<f64> = own.iter().map(|(_, run)| run.median).collect();
            let run = |of: Turning| own.get(of.place).map(|(run, _)| Turning { place: *run as usize, ..of });
            key.turning = turning(&of_runs).and_then(run);
            turn.pause().await;
        }
    }
    changes
}

async fn of_table(rows: &Rows, turn: &Turn) -> Medians {
    let mut all: Vec<(u32, u32, u64, u32)> = Vec::new();
    for piece in pieces(rows.key.len(), PIECE) {
        for at in piece {
            let (Some(key), Some(run), Some(value)) =
                (rows.key.get(at), rows.run.get(at), rows.value.get(at))
            else {
                continue;
            };
            all.push((*key, *run, ordered(*value), at as u32));
        }
        turn.pause().await;
    }
    let all = sorted(all, turn).await;
    let mut out = Medians { keys: Vec::new(), order: all.iter().map(|(.., at)| *at).collect() };
    let mut from = 0;
    for of_key in all.chunk_by(|a, b| a.0 == b.0) {
        let mut one = KeyRuns {
            key: of_key.first().map_or(0, |row| row.0),
            runs: Vec::new(),
            rows: from..from + of_key.len(),
            turning: None,
        };
        from += of_key.len();
        for of_run in of_key.chunk_by(|a, b| a.1 == b.1) {
            let value = |at: usize| of_run.get(at).and_then(|row| rows.value.get(row.3 as usize)).copied();
            let n = of_run.len();
            let median = (value((n - 1) / 2).unwrap_or(0.0) + value(n / 2).unwrap_or(0.0)) / 2.0;
            let mut by_trace: Vec<(u32, f64)> = Vec::new();
            for row in of_run {
                let trace = rows.trace.get(row.3 as usize).copied().unwrap_or(0);
                by_trace.push((trace, rows.value.get(row.3 as usize).copied().unwrap_or(0.0)));
            }
            order::sort_by_key(&mut by_trace, |(trace, _)| *trace);
            let sums = by_trace
                .chunk_by(|a, b| a.0 == b.0)
                .map(|rows| (rows[0].0, rows.iter().map(|row| row.1).sum::<f64>()));
            let sums: Vec<(u32, f64)> = sums.collect();
            let sum = sums.iter().map(|(_, sum)| sum).sum();
            let most = sums.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(trace, _)| *trace);
            let run = of_run.first().map_or(0, |row| row.1);
            let said = InRun { median, sum, n: n as u32, n_traces: sums.len() as u32, trace: most };
            one.runs.push((run, said));
        }
        out.keys.push(one);
        turn.pause().await;
    }
    out
}

/// A number as bits in the order of numbers.
fn ordered(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// How two sets of runs differ in a key.
#[derive(Clone, Debug)]
pub(super) struct Change {
    /// Place among the keys of the table.
    pub(super) at: usize,
    /// Its runs before and after.
    pub(super) sets: Sets,
    /// Medians of the medians of the runs; `None` where no run has it.
    pub(super) before: Option<f64>,
    pub(super) after: Option<f64>,
    /// Runs of each set that have it.
    pub(super) runs: (usize, usize),
    /// How often in a run of the second set; of the first where it is not in the second.
    pub(super) per_run: f64,
    pub(super) p: Option<f64>,
    /// Share of false alarms when all with at most this probability are taken for real.
    pub(super) q: Option<f64>,
}

impl Change {
    pub(super) fn difference(&self) -> Option<f64> {
        Some(self.after? - self.before?)
    }

    /// Difference in a whole run.
    pub(super) fn impact(&self) -> f64 {
        self.difference().unwrap_or(0.0) * self.per_run
    }

    /// Part of what it was.
    pub(super) fn share(&self) -> Option<f64> {
        Some(self.difference()? / self.before.filter(|before| *before != 0.0)?.abs())
    }
}

/// Kernels with less of the time of all runs than this are not tested: with every test more, each finds less.
pub(super) const TESTED: f64 = 0.005;

/// All keys. What never differs is not tested, and of times what is hardly any.
pub(super) fn changes(of: &Medians, sets: &Sets, is_time: bool) -> Vec<Change> {
    let least = if is_time { TESTED * of.sum(sets) } else { 0.0 };
    let tested = |change: Change, key: &KeyRuns| {
        let values = |set: &Range<usize>| key.of(set).iter().map(|(_, run)| run.median).collect::<Vec<_>>();
        let (a, b) = (values(&sets.before), values(&sets.after));
        let differs = a.iter().chain(&b).any(|value| a.first().or(b.first()) != Some(value));
        let counts = !is_time || least <= key.sum(sets);
        Change { p: if differs && counts { rank_sum(&a, &b) } else { None }, ..change }
    };
    let all = (0..).zip(&of.keys).filter_map(|(at, key)| Some(tested(change(at, key, sets)?, key)));
    with_alarms(all.collect())
}

/// All keys of a series of runs, each from the run on from which it differs most.
pub(super) fn turnings(of: &Medians, sets: &Sets) -> Vec<Change> {
    let all = (0..).zip(&of.keys).filter_map(|(at, key)| match key.turning {
        Some(turning) => {
            let found = change(at, key, &sets.parted(turning.place))?;
            Some(Change { p: Some(turning.p), ..found })
        }
        None => change(at, key, sets),
    });
    with_alarms(all.collect())
}

/// How a key differs, untested.
fn change(at: usize, key: &KeyRuns, sets: &Sets) -> Option<Change> {
    let (before, after) = (key.of(&sets.before), key.of(&sets.after));
    let counted = Some(after).filter(|after| !after.is_empty()).unwrap_or(before);
    let n: u64 = counted.iter().map(|(_, run)| u64::from(run.n)).sum();
    let middle = |runs: &[(u32, InRun)]| median(runs.iter().map(|(_, run)| run.median).collect());
    (!counted.is_empty()).then(|| Change {
        at,
        sets: sets.clone(),
        runs: (before.len(), after.len()),
        p: None,
        q: None,
        per_run: n as f64 / counted.len() as f64,
        before: middle(before),
        after: middle(after),
    })
}

fn with_alarms(mut all: Vec<Change>) -> Vec<Change> {
    let q = false_alarms(&all.iter().map(|change| change.p).collect::<Vec<_>>());
    for (change, q) in all.iter_mut().zip(q) {
        change.q = q;
    }
    all
}

/// The middle of some numbers.
pub(super) fn median(mut values: Vec<f64>) -> Option<f64> {
    order::sort_by(&mut values, f64::total_cmp);
    let n = values.len();
    let low = values.get(n.checked_sub(1)? / 2)?;
    Some((low + values.get(n / 2)?) / 2.0)
}

/// The least probability that so many runs can show.
pub(super) fn least_p(a: usize, b: usize) -> f64 {
    let ways = (1..=b).fold(1.0, |ways, k| ways * (a + k) as f64 / k as f64);
    (2.0 / ways).min(1.0)
}

/// How many keys must differ together for any of them to be told from chance, where so many are tested; more than there are
/// where even all would not be enough.
pub(super) fn least_together(sets: &Sets, n_tests: usize, limit: f64) -> usize {
    let least = least_p(sets.before.len(), sets.after.len());
    ((least * n_tests as f64 / limit) - 1e-9).ceil().max(1.0) as usize
}
