//! Kernels by rank: those that became slower on some ranks only, and those that are slower on few ranks of a run than on all
//! others.
//!
//! ```text
//! launches of a run ──▶ median of each rank ──▶ as part of its usual one ──▶ greatest / least ──▶ tested as medians are
//! ```
//! One number for each run, however many ranks it has: with a test for each rank few runs would tell nothing. Communication is
//! left out: it takes longest on ranks that are early.

use super::changes::{InRun, KeyRuns, Medians, median};
use super::found::{ALARMS, LEAST};
use super::read::Rows;
use super::sets::Sets;
use super::significance::{false_alarms, rank_sum};
use crate::base::job::Turn;
use crate::base::map::Map;
use crate::base::order;
use std::ops::Range;

/// A row without a rank.
pub(super) const NO_RANK: u32 = u32::MAX;
/// The least part by which ranks of one run differ that is told of.
pub(super) const APART: f64 = 0.1;
/// Launches of a run that are compared at most.
const LAUNCHES: usize = 10_000;

/// Launches of a kernel on a rank of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfRank {
    pub(super) rank: u32,
    pub(super) median: f64,
    pub(super) n: u32,
}

/// Each rank of a run in their order, from rows in the order of their values; none where there are fewer than two.
pub(super) fn of_run(rows: &Rows, own: impl Iterator<Item = usize>) -> Vec<OfRank> {
    let mut values: Map<u32, Vec<f64>> = Map::default();
    for at in own {
        let (Some(rank), Some(value)) = (rows.rank.get(at), rows.value.get(at)) else { continue };
        if *rank != NO_RANK {
            values.entry(*rank).or_default().push(*value);
        }
    }
    if values.len() < 2 {
        return Vec::new();
    }
    let of = |(rank, values): (u32, Vec<f64>)| {
        let n = values.len() as u32;
        Some(OfRank { rank, n, median: median(values)? })
    };
    let mut all: Vec<OfRank> = values.into_iter().filter_map(of).collect();
    order::sort_by_key(&mut all, |of| of.rank);
    all
}

/// Medians of ranks that nearly all runs have, in the runs that have all of these.
struct ByRank {
    ranks: Vec<u32>,
    /// The number of the run, and a median for each rank.
    runs: Vec<(u32, Vec<f64>)>,
}

impl ByRank {
    /// `None` where fewer than two ranks are in three quarters of the runs.
    fn of(key: &KeyRuns, sets: &Sets) -> Option<Self> {
        let is_in = |run: u32| sets.before.contains(&(run as usize)) || sets.after.contains(&(run as usize));
        let runs: Vec<(u32, &[(u32, OfRank)])> = key.by_rank().filter(|(run, _)| is_in(*run)).collect();
        let mut counts: Map<u32, usize> = Map::default();
        for (_, of) in runs.iter().flat_map(|(_, own)| *own) {
            *counts.entry(of.rank).or_default() += 1;
        }
        let mut ranks: Vec<u32> =
            counts.into_iter().filter(|(_, n)| 3 * runs.len() <= 4 * n).map(|(rank, _)| rank).collect();
        order::sort(&mut ranks);
        let medians = |own: &[(u32, OfRank)]| -> Option<Vec<f64>> {
            let of = |rank: &u32| {
                let at = own.binary_search_by_key(rank, |(_, of)| of.rank).ok()?;
                own.get(at).map(|(_, of)| of.median).filter(|median| 0.0 < *median)
            };
            ranks.iter().map(of).collect()
        };
        let runs = runs.into_iter().filter_map(|(run, own)| Some((run, medians(own)?))).collect();
        (2 <= ranks.len()).then_some(Self { ranks, runs })
    }

    /// Medians of the ranks in some runs.
    fn within(&self, runs: &Range<usize>) -> Vec<&[f64]> {
        let own = self.runs.iter().filter(|(run, _)| runs.contains(&(*run as usize)));
        own.map(|(_, medians)| medians.as_slice()).collect()
    }
}

/// How unlike the ranks of each run are: the greatest of their medians over the least, each as part of what is usual on its
/// rank, so that ranks with other work do not count.
pub(super) async fn unlike(key: &KeyRuns, sets: &Sets, turn: &Turn) -> Vec<(u32, InRun)> {
    let Some(of) = ByRank::of(key, sets) else { return Vec::new() };
    let mut usual: Vec<f64> = Vec::new();
    for at in 0..of.ranks.len() {
        let own = of.runs.iter().filter_map(|(_, medians)| medians.get(at).copied());
        // One that was measured: between two levels both would be as far from usual.
        let mut own: Vec<f64> = own.collect();
        order::sort_by(&mut own, f64::total_cmp);
        usual.push(own.get(own.len().saturating_sub(1) / 2).copied().unwrap_or(1.0));
        if turn.is_over(own.len()) {
            turn.pause().await;
        }
    }
    let in_run = |(run, medians): &(u32, Vec<f64>)| {
        let parts = || medians.iter().zip(&usual).map(|(median, usual)| median / usual);
        let unlike = parts().fold(0.0, f64::max) / parts().fold(f64::INFINITY, f64::min);
        (*run, InRun { median: unlike, n: 1, sum: 0.0, n_traces: 0, trace: 0 })
    };
    of.runs.iter().map(in_run).collect()
}

/// Ranks on which a kernel became slower, and not so on the others.
pub(super) struct OnRanks {
    pub(super) ranks: Vec<u32>,
    /// Medians there.
    pub(super) before: f64,
    pub(super) after: f64,
    /// The change on the other ranks, as part of what it was.
    pub(super) others: f64,
    /// Launches on these ranks in a run of the second set.
    pub(super) per_run: f64,
}

/// The ranks on which a kernel became slower, at most half of them; `None` where that cannot be told of any.
pub(super) fn slower(key: &KeyRuns, sets: &Sets) -> Option<OnRanks> {
    let of = ByRank::of(key, sets)?;
    let (before, after) = (of.within(&sets.before), of.within(&sets.after));
    let values = |runs: &[&[f64]], at: usize| -> Vec<f64> {
        runs.iter().filter_map(|medians| medians.get(at).copied()).collect()
    };
    let change = |at: usize| {
        let (before, after) = (median(values(&before, at))?, median(values(&after, at))?);
        Some((at, before, after, after / before - 1.0))
    };
    let mut all: Vec<(usize, f64, f64, f64)> = (0..of.ranks.len()).filter_map(change).collect();
    order::sort_by(&mut all, |a, b| b.3.total_cmp(&a.3));
    let (most, usual) = (all.first()?.3, all.get(all.len() / 2)?.3);
    let is_apart = |share: f64| {
        LEAST <= share
            && LEAST <= (1.0 + share) / (1.0 + usual) - 1.0
            && most - usual <= 2.0 * (share - usual)
    };
    let n = all.iter().take_while(|of| is_apart(of.3)).count();
    let (named, others) = all.split_at_checked(n).filter(|_| 2 * n <= all.len())?;
    // Each by itself, and against the others of its run.
    let is_certain = |of: &&(usize, f64, f64, f64)| {
        let against = |runs: &[&[f64]]| -> Vec<f64> {
            let part = |medians: &&[f64]| {
                let others = others.iter().filter_map(|of| medians.get(of.0).copied()).collect();
                Some(medians.get(of.0)? / median(others)?)
            };
            runs.iter().filter_map(part).collect()
        };
        let is = |p: Option<f64>| p.is_some_and(|p| p <= ALARMS);
        is(rank_sum(&values(&before, of.0), &values(&after, of.0)))
            && is(rank_sum(&against(&before), &against(&after)))
    };
    let named: Vec<_> = named.iter().filter(is_certain).collect();
    let mut ranks: Vec<u32> = named.iter().filter_map(|one| of.ranks.get(one.0).copied()).collect();
    order::sort(&mut ranks);
    Some(OnRanks {
        before: median(named.iter().map(|of| of.1).collect())?,
        after: median(named.iter().map(|of| of.2).collect())?,
        others: median(others.iter().map(|of| of.3).collect())?,
        per_run: per_run(key, &ranks, |run| sets.after.contains(&(run as usize))),
        ranks,
    })
}

/// The change of a kernel on all ranks but these.
pub(super) fn on_others(key: &KeyRuns, sets: &Sets, ranks: &[u32]) -> Option<f64> {
    let of = ByRank::of(key, sets)?;
    let middle = |runs: &Range<usize>| {
        let of_run = |medians: &&[f64]| {
            let own = of.ranks.iter().zip(*medians).filter(|(rank, _)| !ranks.contains(rank));
            median(own.map(|(_, median)| *median).collect())
        };
        median(of.within(runs).iter().filter_map(of_run).collect())
    };
    Some(middle(&sets.after)? / middle(&sets.before)? - 1.0)
}

/// Launches on some ranks in a run, on the average over some runs that have them.
pub(super) fn per_run(key: &KeyRuns, ranks: &[u32], is_wanted: impl Fn(u32) -> bool) -> f64 {
    let runs = key.by_rank().filter(|(run, _)| is_wanted(*run));
    let of_run = runs.map(|(_, own)| -> u32 {
        own.iter().filter(|(_, of)| ranks.contains(&of.rank)).map(|(_, of)| of.n).sum()
    });
    let all: Vec<u32> = of_run.filter(|n| 0 < *n).collect();
    all.iter().map(|n| f64::from(*n)).sum::<f64>() / all.len().max(1) as f64
}

/// A kernel that takes longer on few ranks than on all others of the same run.
#[derive(Clone, Debug)]
pub(super) struct Apart {
    /// Place among the kernels.
    pub(super) at: usize,
    pub(super) ranks: Vec<u32>,
    /// Runs in which it does.
    pub(super) runs: Vec<u32>,
    /// Runs in which ranks were compared.
    pub(super) of_runs: usize,
    /// Medians of these runs, on these ranks and on the others.
    pub(super) here: f64,
    pub(super) others: f64,
    /// The greatest share of false alarms of these runs.
    pub(super) q: f64,
}

/// What ranks of single runs differ in.
#[derive(Default)]
pub(super) struct AllApart {
    pub(super) found: Vec<Apart>,
    /// Kernels of which ranks were compared.
    pub(super) n_kernels: usize,
}

/// One kernel in one run.
struct InOneRun {
    at: usize,
    run: u32,
    slow: Option<Slow>,
}

/// Ranks of a run that are slower than all others, with the medians of both.
struct Slow {
    ranks: Vec<u32>,
    here: f64,
    others: f64,
}

/// Compares ranks of each run of kernels with at least this much time.
pub(super) async fn apart(rows: &Rows, kernels: &Medians, least: f64, turn: &Turn) -> AllApart {
    let (mut all, mut p) = (Vec::new(), Vec::new());
    for (at, key) in kernels
        .keys
        .iter()
        .enumerate()
        .filter(|(_, key)| least <= key.in_runs().iter().map(|(_, run)| run.sum).sum())
    {
        let mut from = key.rows.start;
        let mut by_rank = key.by_rank().peekable();
        for (run, of) in key.in_runs() {
            let own = from..from + of.n as usize;
            from = own.end;
            let Some((_, ranks)) = by_rank.next_if(|(of, _)| of == run) else { continue };
            let slow = slow(ranks);
            // One of as many ranks was chosen.
            p.push(Some(slow.as_ref().map_or(1.0, |slow| {
                let launches = kernels.order.get(own).unwrap_or_default();
                (compare(rows, launches, &slow.ranks).unwrap_or(1.0) * ranks.len() as f64).min(1.0)
            })));
            all.push(InOneRun { at, run: *run, slow });
            if turn.is_over(of.n as usize) {
                turn.pause().await;
            }
        }
    }
    let q = false_alarms(&p);
    let mut n_kernels = 0;
    let mut found = Vec::new();
    let all: Vec<(InOneRun, f64)> = all.into_iter().zip(q.into_iter().map(|q| q.unwrap_or(1.0))).collect();
    for of_kernel in all.chunk_by(|a, b| a.0.at == b.0.at) {
        n_kernels += 1;
        let mut certain: Vec<(&Slow, u32, f64)> = Vec::new();
        for (of, q) in of_kernel.iter().filter(|(_, q)| *q <= ALARMS) {
            certain.extend(of.slow.as_ref().map(|slow| (slow, of.run, *q)));
        }
        order::sort_by(&mut certain, |a, b| a.0.ranks.cmp(&b.0.ranks));
        for own in certain.chunk_by(|a, b| a.0.ranks == b.0.ranks) {
            let middle = |of: fn(&Slow) -> f64| median(own.iter().map(|(slow, ..)| of(slow)).collect());
            found.push(Apart {
                at: of_kernel.first().map_or(0, |(of, _)| of.at),
                ranks: own.first().map_or(Vec::new(), |(slow, ..)| slow.ranks.clone()),
                runs: own.iter().map(|(_, run, _)| *run).collect(),
                of_runs: of_kernel.len(),
                here: middle(|slow| slow.here).unwrap_or(0.0),
                others: middle(|slow| slow.others).unwrap_or(0.0),
                q: own.iter().map(|(.., q)| *q).fold(0.0, f64::max),
            });
        }
    }
    AllApart { found, n_kernels }
}

/// The ranks of a run on which a kernel takes longer than on all others: one or at most a quarter, where the others agree and
/// all launch it as often. Ranks with other work are no slow ones.
fn slow(own: &[(u32, OfRank)]) -> Option<Slow> {
    let mut all: Vec<OfRank> = own.iter().map(|(_, of)| *of).collect();
    order::sort_by(&mut all, |a, b| b.median.total_cmp(&a.median));
    let step = |n: &usize| Some(all.get(n - 1)?.median / all.get(*n)?.median);
    let n = (1..=(all.len() / 4).max(1)).max_by(|a, b| {
        let of = |n: &usize| step(n).unwrap_or(0.0);
        of(a).total_cmp(&of(b)).then(b.cmp(a))
    })?;
    let (slow, others) = all.split_at_checked(n)?;
    let middle = |all: &[OfRank], of: fn(&OfRank) -> f64| median(all.iter().map(of).collect());
    let (here, there) = (middle(slow, |of| of.median)?, middle(others, |of| of.median)?);
    let share = here / there - 1.0;
    let do_agree = others.first()?.median / others.last()?.median - 1.0 <= share / 2.0;
    let launches = middle(others, |of| f64::from(of.n))?;
    let as_often = slow.iter().all(|of| (f64::from(of.n) / launches - 1.0).abs() <= 0.1);
    if !(share.is_finite() && APART <= share && do_agree && as_often) {
        return None;
    }
    let mut ranks: Vec<u32> = slow.iter().map(|of| of.rank).collect();
    order::sort(&mut ranks);
    Some(Slow { ranks, here, others: there })
}

/// How probable it is by chance that launches on these ranks take so much longer than those on the others.
fn compare(rows: &Rows, launches: &[u32], ranks: &[u32]) -> Option<f64> {
    let (mut here, mut others) = (Vec::new(), Vec::new());
    // They are in the order of their values: every tenth, say, has the same distribution.
    for at in launches.iter().step_by(launches.len() / LAUNCHES + 1) {
        let (rank, value) = (rows.rank.get(*at as usize)?, rows.value.get(*at as usize)?);
        if *rank != NO_RANK {
            let own = if ranks.contains(rank) { &mut here } else { &mut others };
            own.push(*value);
        }
    }
    rank_sum(&here, &others)
}

/// Ranks as they are named: 1, 2.
pub(super) fn named(ranks: &[u32]) -> String {
    ranks.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

/// A rank as a whole number.
pub(super) fn whole(rank: f64) -> u32 {
    let is_one = rank.fract() == 0.0 && (0.0..f64::from(NO_RANK)).contains(&rank);
    if is_one { rank as u32 } else { NO_RANK }
}
