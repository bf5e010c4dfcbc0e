//! Threads by their states: how long each was in which, of the time that was recorded.
//!
//! ```text
//! thread   Running   Runnable   Sleeping   …   running of recorded
//! ```
//! A state counts as long as it lies in the time; what a thread was in before its scheduler's first row is not known.
//! Costs the rows of the time once.

use super::Options;
use crate::analysis::area::{AreaRows, Scope};
use crate::analysis::timeline::{Timeline, chosen_tracks};
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::Ticks;
use crate::model::Trace;
use crate::model::id::{StrId, TrackId};
use crate::model::track::Role;

/// Slices that are taken in in one step.
const STEP: usize = 1 << 16;

/// How long a thread was in each state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadTime {
    /// The track of its states.
    pub track: TrackId,
    /// Ticks in each of [`Threads::states`].
    pub ticks: Vec<Ticks>,
    /// Ticks in which it ran.
    pub running: Ticks,
    /// Ticks that were recorded of it: each file has its own scheduler.
    pub recorded: Ticks,
}

/// Threads by their states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Threads {
    /// The states: running first, then by what they take in all.
    pub states: Vec<StrId>,
    /// The threads, in the order shown.
    pub rows: Vec<ThreadTime>,
}

/// Threads on their way.
pub struct ThreadsMaking {
    options: Options,
    tracks: Vec<(TrackId, Option<usize>)>,
    at: usize,
    open: Option<AreaRows>,
    of: Map<StrId, usize>,
    done: Threads,
    is_work: Vec<bool>,
}

impl ThreadsMaking {
    /// Begins.
    pub fn new(trace: &Trace, options: Options) -> Self {
        let mut tracks = chosen_tracks(trace, &options.tracks);
        tracks.retain(|(id, _)| trace.tracks.get(*id).role == Role::States);
        let (of, done) = (Map::default(), Threads::default());
        Self { options, tracks, at: 0, open: None, of, done, is_work: Vec::new() }
    }

    /// Does the next piece; says whether there is more. A machine, as it runs while the trace still grows, too.
    pub fn step(&mut self, trace: &Trace, timeline: &Timeline) -> bool {
        let mut left = STEP;
        let span = self.options.time(trace, timeline);
        // One tick more than all of it is for slices without length.
        let whole = self.options.span.or_else(|| timeline.span(trace)).unwrap_or(span);
        while let Some(&(id, _)) = self.tracks.get(self.at).filter(|_| 0 < left) {
            let scope = Scope { trace, timeline, tracks: &self.tracks, span };
            let slices = &trace.tracks.get(id).slices;
            let mut rows = self.open.take().unwrap_or_else(|| {
                let recorded = timeline.recorded(trace, id, whole).dur();
                self.done.rows.push(ThreadTime { track: id, ticks: Vec::new(), running: 0, recorded });
                scope.rows(id)
            });
            let Some(sum) = self.done.rows.last_mut() else { return false };
            for row in rows.by_ref().take(left) {
                left -= 1;
                let name = slices.name[row];
                let next = self.of.len();
                let state = *self.of.entry(name).or_insert(next);
                if state == next {
                    self.done.states.push(name);
                    self.is_work.push(slices.is_work(row));
                }
                if sum.ticks.len() <= state {
                    sum.ticks.resize(state + 1, 0);
                }
                let dur = scope.slice(id, row).intersect(span).dur();
                sum.ticks[state] = sum.ticks[state].saturating_add(dur);
                sum.running = sum.running.saturating_add(if self.is_work[state] { dur } else { 0 });
            }
            if left == 0 {
                self.open = Some(rows);
                return true;
            }
            left = left.saturating_sub(8);
            self.at += 1;
        }
        self.at < self.tracks.len()
    }

    /// The threads, after the last step.
    pub fn finish(self) -> Threads {
        let Self { mut done, is_work, .. } = self;
        let n = done.states.len();
        done.rows.iter_mut().for_each(|row| row.ticks.resize(n, 0));
        let total = |state: usize| done.rows.iter().map(|row| i128::from(row.ticks[state])).sum::<i128>();
        let mut order: Vec<(bool, i128, usize)> =
            (0..n).map(|state| (!is_work[state], -total(state), state)).collect();
        order::sort(&mut order);
        let order: Vec<usize> = order.into_iter().map(|(_, _, state)| state).collect();
        done.states = order.iter().map(|state| done.states[*state]).collect();
        for row in &mut done.rows {
            row.ticks = order.iter().map(|state| row.ticks[*state]).collect();
        }
        done.rows.retain(|row| row.ticks.iter().any(|ticks| 0 < *ticks));
        order::sort_by_key(&mut done.rows, |row| std::cmp::Reverse(row.running));
        done
    }
}
