//! How many threads touch the same line of memory.

use super::Density;
use crate::base::map::Map;

/// A line has 2 to the power of this many bytes.
pub const LINE: u32 = 7;
/// Most lines that are kept; of more only those whose numbers hash to multiples of a power of two.
pub const MAX_LINES: usize = 1 << 18;
/// Powers of two of a number of threads.
const POWERS: usize = 32;

/// Collects lines as threads pass one after the other.
#[derive(Default)]
pub struct Lines {
    /// The last thread of a line, and how many there were.
    threads: Map<u64, (u32, u32)>,
    /// One of 2 to the power of this many lines is kept.
    every: u32,
}

/// What was seen of the lines of one band.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BandReuse {
    /// Lines that were kept.
    pub lines: u64,
    /// Their threads, added up.
    pub threads: u64,
    /// The most threads of one.
    pub most: u32,
    /// Lines by the power of two of their threads: 1, 2–3, 4–7, …
    pub powers: [u64; POWERS],
}

/// What was seen of all lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reuse {
    /// One of 2 to the power of this many lines was kept.
    pub every: u32,
    /// In the order of the bands of the density.
    pub bands: Vec<BandReuse>,
}

impl Lines {
    /// A thread touches a line. Threads come one after the other, none twice.
    #[inline]
    pub fn touch(&mut self, line: u64, thread: u32) {
        if !is_kept(line, self.every) {
            return;
        }
        let (last, n) = self.threads.entry(line).or_insert((thread, 0));
        if *n == 0 || *last != thread {
            (*last, *n) = (thread, n.saturating_add(1));
        }
        while MAX_LINES < self.threads.len() {
            self.every += 1;
            let every = self.every;
            self.threads.retain(|line, _| is_kept(*line, every));
        }
    }

    /// The result, by the bands of what was counted.
    pub fn finish(self, density: &Density) -> Reuse {
        let mut bands = vec![BandReuse::default(); density.bands.len()];
        for (line, (_, n)) in self.threads {
            // Pages may be smaller than lines: the first of a line that was accessed.
            let (start, last) = (line << LINE, line << LINE | ((1 << LINE) - 1));
            let at = density.pages.partition_point(|page| page.last < start);
            let page = density.pages.get(at).filter(|page| page.start <= last);
            if let Some(band) = page.and_then(|page| bands.get_mut(page.band as usize)) {
                band.lines += 1;
                band.threads += u64::from(n);
                band.most = band.most.max(n);
                if let Some(count) = band.powers.get_mut(n.max(1).ilog2() as usize) {
                    *count += 1;
                }
            }
        }
        Reuse { every: self.every, bands }
    }
}

/// Whether a line is one of those that are kept: spread evenly over memory.
#[inline]
fn is_kept(line: u64, every: u32) -> bool {
    line.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32 & ((1 << every.min(31)) - 1) == 0
}

impl Reuse {
    /// Lines of a band, those that were not kept too.
    pub fn lines(&self, band: &BandReuse) -> u64 {
        band.lines.saturating_mul(1 << self.every.min(31))
    }
}

impl BandReuse {
    /// Threads of a line in the mean; `None` without lines.
    pub fn mean(&self) -> Option<f64> {
        (0 < self.lines).then(|| self.threads as f64 / self.lines as f64)
    }

    /// The share of lines that one thread touches; `None` without lines.
    pub fn private(&self) -> Option<f64> {
        let [one, ..] = self.powers;
        (0 < self.lines).then(|| one as f64 / self.lines as f64)
    }
}
