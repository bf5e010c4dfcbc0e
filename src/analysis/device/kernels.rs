//! Kernels, copies and waiting by name: how often, how long in all, and each.
//!
//! ```text
//! total   sum of the lengths of the slices of streams with the name, each cut to the time
//! share   total / total of all that are work; streams overlap, so that the sum may be longer than the time
//! ```
//! Median and p95 are those of [`crate::analysis::statistics`]. What only waits for an event is listed and has no share.
//! Where another track says when a device communicates, parts of a communication do not count beside it.

use super::making::{PIECE, ROW};
use super::{Class, Device, Work};
use crate::analysis::statistics::ranks::Ranks;
use crate::base::job::Turn;
use crate::base::map::Map;
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::id::{SliceId, StrId};

/// What the slices of streams with one name add up to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelSum {
    /// The name.
    pub name: StrId,
    /// What the device does meanwhile.
    pub class: Class,
    /// How many there are.
    pub n: u64,
    /// Sum of their lengths.
    pub total: i128,
    /// Length of the shortest.
    pub min: Ticks,
    /// Length of the longest.
    pub max: Ticks,
    /// The longest, the first where several are.
    pub longest: SliceId,
    /// Their median length.
    pub median: f64,
    /// The length that 95 of 100 do not pass.
    pub p95: f64,
}

impl KernelSum {
    /// Mean length.
    pub fn mean(&self) -> f64 {
        self.total as f64 / self.n.max(1) as f64
    }

    /// Whether the device works meanwhile.
    pub fn is_work(&self) -> bool {
        self.class != Class::Wait
    }
}

/// Sums up slices by name, then puts their lengths into ranks.
pub(super) async fn sum(trace: &Trace, of: &Device, turn: &Turn) -> Vec<KernelSum> {
    let mut sums = Sums::default();
    for works in of.works.chunks(PIECE) {
        for (key, work, dur) in named(trace, works, of.span) {
            sums.add(key, work.class, dur, work.slice);
        }
        if turn.is_over(ROW * works.len()) {
            turn.pause().await;
        }
    }
    let Sums { mut rows, of_name } = sums;
    let mut ranks = Ranks::new(rows.iter().map(|row| (row.n, row.min, row.max)));
    for works in of.works.chunks(PIECE) {
        for (key, _, dur) in named(trace, works, of.span) {
            if let Some(row) = of_name.get(&key) {
                ranks.push(*row, dur);
            }
        }
        if turn.is_over(ROW * works.len()) {
            turn.pause().await;
        }
    }
    while ranks.step(|at, median, p95| (rows[at].median, rows[at].p95) = (median, p95)) {
        turn.pause().await;
    }
    rows
}

/// Those that lie in a time, by name and class, each with its length there.
fn named<'a>(
    trace: &'a Trace,
    works: &'a [Work],
    span: Span,
) -> impl Iterator<Item = ((StrId, u8), &'a Work, Ticks)> {
    works.iter().filter(move |work| !work.is_part && span.touches(work.span)).filter_map(move |work| {
        let names = &trace.tracks.find(work.slice.track)?.slices.name;
        let name = *names.get(work.slice.row as usize)?;
        Some(((name, work.class as u8), work, work.span.intersect(span).dur()))
    })
}

#[derive(Default)]
struct Sums {
    rows: Vec<KernelSum>,
    of_name: Map<(StrId, u8), u32>,
}

impl Sums {
    fn add(&mut self, key: (StrId, u8), class: Class, dur: Ticks, slice: SliceId) {
        let next = self.rows.len() as u32;
        let at = *self.of_name.entry(key).or_insert(next);
        if at == next {
            let (median, p95) = (0.0, 0.0);
            let (n, total, min, max) = (0, 0, Ticks::MAX, Ticks::MIN);
            self.rows.push(KernelSum { name: key.0, class, n, total, min, max, longest: slice, median, p95 });
        }
        if let Some(row) = self.rows.get_mut(at as usize) {
            row.n += 1;
            row.total += i128::from(dur);
            row.min = row.min.min(dur);
            if row.max < dur {
                (row.max, row.longest) = (dur, slice);
            }
        }
    }
}
