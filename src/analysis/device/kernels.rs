//! Kernels, copies and waiting by name: how often, how long in all, and each.
//!
//! ```text
//! total   sum of the lengths of the slices of streams with the name, each cut to the time
//! share   total / total of all that are work; streams overlap, so that the sum may be longer than the time
//! ```
//! Median and p95 are those of [`crate::analysis::statistics`]. What only waits for an event is listed and has no share.
//! Where another track says when a device communicates, parts of a communication do not count beside it.

use super::{Class, Device};
use crate::analysis::statistics::ranks::Ranks;
use crate::base::map::Map;
use crate::base::time::Ticks;
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

/// Sums on their way: slices are summed, then their lengths put into ranks.
pub(super) struct Summing {
    rows: Vec<KernelSum>,
    of_name: Map<(StrId, u8), u32>,
    at: At,
}

enum At {
    Sum(usize),
    Place(Ranks, usize),
    Rank(Ranks),
}

impl Summing {
    pub(super) fn new() -> Self {
        Self { rows: Vec::new(), of_name: Map::default(), at: At::Sum(0) }
    }

    /// Does the next piece; false when nothing is left to do.
    pub(super) fn step(&mut self, trace: &Trace, of: &Device, left: &mut usize) -> bool {
        let next = |from: usize| of.works.len().min(from.saturating_add(*left));
        let at = std::mem::replace(&mut self.at, At::Sum(0));
        self.at = match at {
            At::Sum(from) => {
                let end = next(from);
                *left -= end - from;
                self.each(trace, of, (from, end), |this, key, (class, dur, slice)| {
                    this.sum(key, class, dur, slice);
                });
                if end < of.works.len() {
                    At::Sum(end)
                } else {
                    At::Place(Ranks::new(self.rows.iter().map(|row| (row.n, row.min, row.max))), 0)
                }
            }
            At::Place(mut ranks, from) => {
                let end = next(from);
                *left -= end - from;
                self.each(trace, of, (from, end), |this, key, (_, dur, _)| {
                    if let Some(row) = this.of_name.get(&key) {
                        ranks.push(*row, dur);
                    }
                });
                if end < of.works.len() { At::Place(ranks, end) } else { At::Rank(ranks) }
            }
            At::Rank(mut ranks) => {
                *left = 0;
                let rows = &mut self.rows;
                if !ranks.step(|at, median, p95| (rows[at].median, rows[at].p95) = (median, p95)) {
                    return false;
                }
                At::Rank(ranks)
            }
        };
        true
    }

    /// Hands over the slices of a range that lie in the time: name and class, what the device does, length, which.
    fn each(
        &mut self,
        trace: &Trace,
        of: &Device,
        (from, end): (usize, usize),
        mut take: impl FnMut(&mut Self, (StrId, u8), (Class, Ticks, SliceId)),
    ) {
        let works = of.works.get(from..end).unwrap_or_default();
        for work in works.iter().filter(|work| !work.is_part && of.span.touches(work.span)) {
            let names = trace.tracks.find(work.slice.track).map(|track| &track.slices.name);
            let Some(name) = names.and_then(|names| names.get(work.slice.row as usize)) else { continue };
            let dur = work.span.intersect(of.span).dur();
            take(self, (*name, work.class as u8), (work.class, dur, work.slice));
        }
    }

    fn sum(&mut self, key: (StrId, u8), class: Class, dur: Ticks, slice: SliceId) {
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

    pub(super) fn finish(self) -> Vec<KernelSum> {
        self.rows
    }
}
