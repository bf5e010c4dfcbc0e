//! Launch latencies as a histogram on a logarithmic axis, and how many launches waited in the queue of a stream.

use crate::analysis::device::{Class, Work};
use crate::base::order::percentile;
use crate::base::time::{Span, Ticks};
use serde::{Deserialize, Serialize};

/// Bins of the histogram.
pub const BINS: usize = 44;

/// Latencies of kernels: from the begin of the launch to the begin of the kernel. Copies do not count.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Kernels with a positive latency by bins of equal width of its logarithm, from the least to the greatest.
    pub bins: Vec<u64>,
    /// Least and greatest positive latency.
    pub range: (Ticks, Ticks),
    /// Median of the positive ones.
    pub median: Ticks,
    /// Sum of the positive ones.
    pub sum: Ticks,
    /// What 95 of 100 do not pass; both are interpolated as everywhere.
    pub p95: Ticks,
    /// How many kernels there are.
    pub kernels: u64,
    /// How many have no launch.
    pub unlaunched: u64,
    /// How many begin with their launch or before it: clocks are not aligned.
    pub negative: u64,
    /// How many of the positive ones are at most 100 µs.
    pub quick: u64,
    /// The longest queue of a stream at the launch of a kernel.
    pub queue: u32,
}

/// What counts as a kernel.
fn is_kernel(class: Class) -> bool {
    matches!(class, Class::Compute | Class::Communication)
}

impl Latency {
    /// Counts the kernels among some works, and gives their positive latencies away.
    pub(in crate::analysis::device) fn take(&mut self, works: &[Work], span: Span, out: &mut Vec<Ticks>) {
        for work in works.iter().filter(|work| is_kernel(work.class) && span.touches(work.span)) {
            self.kernels += 1;
            self.queue = self.queue.max(work.queue);
            match work.latency() {
                None => self.unlaunched += 1,
                Some(latency) if latency <= 0 => self.negative += 1,
                Some(latency) => out.push(latency),
            }
        }
    }

    /// Puts sorted latencies into bins.
    pub(in crate::analysis::device) fn fill(&mut self, sorted: &[Ticks], quick: Ticks) {
        let (Some(&least), Some(&most)) = (sorted.first(), sorted.last()) else { return };
        let rank = |percent: usize| percentile(sorted, percent).round() as Ticks;
        (self.range, self.median, self.p95) = ((least, most), rank(50), rank(95));
        self.sum = sorted.iter().fold(0, |sum, ticks| sum.saturating_add(*ticks));
        self.quick = sorted.partition_point(|t| *t <= quick) as u64;
        self.bins = vec![0; BINS];
        let mut from = 0;
        for (at, bin) in self.bins.iter_mut().enumerate() {
            let edge = self.range.0 as f64 * (most as f64 / least as f64).powf((at + 1) as f64 / BINS as f64);
            let rest = sorted.get(from..).unwrap_or_default();
            let n = if at + 1 == BINS { rest.len() } else { rest.partition_point(|t| (*t as f64) < edge) };
            *bin = n as u64;
            from += n;
        }
    }
}
