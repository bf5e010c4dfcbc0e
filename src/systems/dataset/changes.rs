//! Medians by run, and how two sets of runs differ.
//!
//! ```text
//! rows ──▶ median of each run ──▶ median of the runs of a set ──▶ difference of two sets
//!                     └──────────▶ rank sum test of both sets of medians
//! ```
//! A run counts once, however many rows it has: rows of one run are not independent of each other.

use super::figures::name_of;
use super::ranks::{self, AllApart, OfRank};
use super::read::{LAUNCHES, Rows, STEP_TIME, Samples};
use super::sets::Sets;
use super::significance::{false_alarms, rank_sum};
use super::turning::{lasting, turning};
use crate::base::job::{Turn, pieces};
use crate::base::map::Set;
use crate::base::order;
use crate::base::sort::sorted;
use crate::findings::place::Place;
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
    /// Each rank of the runs that have several, with the number of the run.
    ranks: Vec<(u32, OfRank)>,
    /// Whether it is worth a test.
    is_tested: bool,
    /// Where its medians change most, where runs are one series.
    pub(super) turning: Option<Turned>,
}

/// The parts of a series before and after its largest change, with how probable such a one is by chance.
pub(super) struct Turned {
    sets: Sets,
    p: f64,
}

impl KeyRuns {
    /// One whose runs say this.
    fn new(key: u32, runs: Vec<(u32, InRun)>, rows: Range<usize>) -> Self {
        Self { key, runs, rows, ranks: Vec::new(), is_tested: true, turning: None }
    }

    /// The parts of a series between which it changes most.
    pub(super) fn turned(&self) -> Option<&Sets> {
        self.turning.as_ref().map(|turned| &turned.sets)
    }

    /// What all runs say that have it, each with its number.
    pub(super) fn in_runs(&self) -> &[(u32, InRun)] {
        &self.runs
    }

    /// The ranks of each run that has several, with its number.
    pub(super) fn by_rank(&self) -> impl Iterator<Item = (u32, &[(u32, OfRank)])> {
        self.ranks.chunk_by(|a, b| a.0 == b.0).filter_map(|own| Some((own.first()?.0, own)))
    }

    /// What those of some runs say that have it, each with the number of the run.
    pub(super) fn of(&self, runs: &Range<usize>) -> &[(u32, InRun)] {
        let before = |run: usize| self.runs.partition_point(|(at, _)| (*at as usize) < run);
        self.runs.get(before(runs.start)..before(runs.end)).unwrap_or_default()
    }

    /// What it is in all runs of both sets.
    pub(super) fn sum(&self, sets: &Sets) -> f64 {
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
    pub(super) fn sum(&self, sets: &Sets) -> f64 {
        self.keys.iter().map(|key| key.sum(sets)).sum()
    }
}

/// The result: of each table, and how many traces each run has.
#[derive(Default)]
pub(super) struct Changes {
    pub(super) sets: [Medians; 4],
    pub(super) traces: Vec<u32>,
    /// How unlike the ranks of each run are, for each kernel.
    pub(super) unlike: Medians,
    /// Ranks that are slower than the others of their run.
    pub(super) apart: AllApart,
    /// The usual choice of runs; all runs before none where there is one run.
    pub(super) usual: Sets,
    /// All choices, with the parts that findings compare; the first is what the largest change is between.
    pub(super) choices: Vec<Sets>,
}

impl Changes {
    /// The runs of an option.
    pub(super) fn chosen(&self, option: Option<&usize>) -> &Sets {
        self.choices.get(option.copied().unwrap_or(0)).unwrap_or(&self.usual)
    }

    /// The address of a figure with these runs compared.
    pub(super) fn address(&self, figure: &str, sets: &Sets) -> String {
        let option = self.choices.iter().position(|choice| choice.is_same(sets));
        Place::view("details").figure(figure, option.as_slice()).address()
    }
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
    choose(samples, &mut changes, turn).await;
    changes
}

/// Chooses which runs are compared: of a series those before and after the largest change of each key.
async fn choose(samples: &Samples, changes: &mut Changes, turn: &Turn) {
    let mut choices = Sets::all(&samples.runs);
    let n = samples.runs.len();
    let sets = choices.first().cloned().unwrap_or(Sets { before: 0..n, after: n..n, name: String::new() });
    let [kernels, _, _, launches] = &mut changes.sets;
    let least = TESTED * kernels.sum(&sets);
    let name = |set: usize, key: &KeyRuns| samples.sets.get(set).map_or("", |rows| name_of(rows, key));
    let with_time = kernels.keys.iter().filter(|key| least <= key.sum(&sets)).map(|key| name(0, key));
    let with_time: Set<&str> = with_time.collect();
    for key in &mut launches.keys {
        key.is_tested = with_time.contains(name(LAUNCHES, key));
    }
    for key in &kernels.keys {
        let of_runs =
            if least <= key.sum(&sets) { ranks::unlike(key, &sets, turn).await } else { Vec::new() };
        changes.unlike.keys.push(KeyRuns::new(key.key, of_runs, 0..0));
        turn.pause().await;
    }
    if let Some(rows) = samples.sets.first() {
        let all = Sets { before: 0..n, after: n..n, name: String::new() };
        let least = TESTED * kernels.sum(&all);
        changes.apart = ranks::apart(rows, kernels, least, turn).await;
    }
    if sets.is_series(&samples.runs) {
        for key in &mut changes.unlike.keys {
            key.turning = turned(key, (&sets, &samples.runs), turn).await;
        }
        for (at, medians) in changes.sets.iter_mut().enumerate() {
            let is_looked_at = |key: &KeyRuns| match at {
                0 => least <= key.sum(&sets),
                1 => name(1, key) == STEP_TIME,
                _ => at == LAUNCHES && key.is_tested,
            };
            for key in medians.keys.iter_mut().filter(|key| is_looked_at(key)) {
                key.turning = turned(key, (&sets, &samples.runs), turn).await;
                turn.pause().await;
            }
        }
        add_choices(changes, &sets, &mut choices);
    }
    (changes.usual, changes.choices) = (sets, choices);
}

/// Adds the parts that changes are between, those of the largest one as the first.
fn add_choices(changes: &Changes, sets: &Sets, choices: &mut Vec<Sets>) {
    let all = changes.sets.iter().chain([&changes.unlike]).flat_map(|medians| &medians.keys);
    for one in all.filter_map(|key| key.turning.as_ref()) {
        if !choices.iter().any(|choice| choice.is_same(&one.sets)) {
            choices.push(one.sets.clone());
        }
    }
    let rises = changes.sets.first().map_or(Vec::new(), |medians| turnings(medians, sets));
    let rises = rises.into_iter().filter(Change::is_rise);
    let largest = rises.max_by(|a, b| a.impact().total_cmp(&b.impact()));
    let at = largest.and_then(|change| choices.iter().position(|choice| choice.is_same(&change.sets)));
    if let Some(first) = choices.get_mut(..=at.unwrap_or(0)) {
        first.rotate_right(1);
    }
}

/// The parts of a series between which a key changes most; the second ends where the change is gone again.
async fn turned(key: &KeyRuns, (sets, runs): (&Sets, &[String]), turn: &Turn) -> Option<Turned> {
    let own = key.of(&(sets.before.start..sets.after.end));
    let values: Vec<f64> = own.iter().map(|(_, run)| run.median).collect();
    let found = turning(&values, turn).await?;
    let (before, after) = values.split_at_checked(found.place)?;
    let (first, _) = own.get(found.place)?;
    let (last, _) = own.get(found.place + lasting(before, after).checked_sub(1)?)?;
    let (first, last) = (*first as usize, *last as usize);
    Some(Turned { sets: Sets::parts(runs, sets.before.start..first, first..last + 1), p: found.p })
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
        let key = of_key.first().map_or(0, |row| row.0);
        let mut one = KeyRuns::new(key, Vec::new(), from..from + of_key.len());
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
            let ranks = ranks::of_run(rows, of_run.iter().map(|row| row.3 as usize));
            one.ranks.extend(ranks.into_iter().map(|of| (run, of)));
            if turn.is_over(n) {
                turn.pause().await;
            }
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
        let counts = key.is_tested && (!is_time || least <= key.sum(sets));
        Change { p: if differs && counts { rank_sum(&a, &b) } else { None }, ..change }
    };
    let all = (0..).zip(&of.keys).filter_map(|(at, key)| Some(tested(change(at, key, sets)?, key)));
    with_alarms(all.collect())
}

/// All keys of a series of runs, each from its largest change on.
pub(super) fn turnings(of: &Medians, sets: &Sets) -> Vec<Change> {
    let all = (0..).zip(&of.keys).filter_map(|(at, key)| match &key.turning {
        Some(turned) => Some(Change { p: Some(turned.p), ..change(at, key, &turned.sets)? }),
        None => change(at, key, sets),
    });
    with_alarms(all.collect())
}

/// Keys that no run of the sets has before one and all have from then on: from the second set on, or in a series from any run
/// on. Before, they are 0. Only runs that have other keys tell that something is missing.
pub(super) fn new_keys(samples: &Samples, of: &Medians, sets: &Sets) -> Vec<Change> {
    let (start, end) = (sets.before.start, sets.after.end);
    let is_series = sets.is_series(&samples.runs);
    let known: Set<u32> = of.keys.iter().flat_map(|key| &key.runs).map(|(run, _)| *run).collect();
    let is_known = |mut runs: Range<usize>| runs.all(|run| known.contains(&(run as u32)));
    let new = |(at, key): (usize, &KeyRuns)| {
        let before = if is_series { start..end } else { sets.before.clone() };
        let first = if is_series { key.of(&before).first()?.0 as usize } else { sets.after.start };
        let before = before.start..first.min(before.end);
        let after = first..end;
        let is_new = key.is_tested
            && !before.is_empty()
            && key.of(&before).is_empty()
            && key.of(&after).len() == after.len()
            && is_known(before.clone());
        if !is_new {
            return None;
        }
        let p = least_p(before.len(), after.len());
        let sets = if is_series { Sets::parts(&samples.runs, before.clone(), after) } else { sets.clone() };
        let n_before = before.len();
        let change = change(at, key, &sets)?;
        Some(Change { before: Some(0.0), runs: (n_before, change.runs.1), p: Some(p), ..change })
    };
    of.keys.iter().enumerate().filter_map(new).collect()
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
