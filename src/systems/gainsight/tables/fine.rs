//! A row for each lifetime: kernel, address, cycles, nanoseconds. They may be many: lengths are counted, no row is kept.

use super::cells::{ROW, number, unexpected, whole};
use super::kernels::level;
use crate::base::fault::Fault;
use crate::base::map::Set;
use crate::base::words::phrase;
use crate::views::lifetimes::compute::{Counts, Distribution, Growing, Kernel, Level, Run};
use memchr::memchr;

/// Longest row that is waited for.
const LINE_BYTES: usize = 1 << 16;

/// Lifetimes of one level, being read.
#[derive(Default)]
pub(super) struct Fine {
    path: String,
    /// Number of the line that comes next, from 1.
    number: u64,
    /// The kernel of the rows that come now.
    kernel: Option<u64>,
    lengths: Growing,
    sectors: Set<u64>,
    /// Kernels that are complete: number, lengths, distinct addresses.
    done: Vec<(u64, Distribution, u64)>,
    /// The longest lifetime in cycles and in nanoseconds, which tell the clock.
    longest: (f64, f64),
    pub(super) faults: Vec<Fault>,
}

impl Fine {
    pub(super) fn new(path: &str) -> Self {
        Self { path: path.to_owned(), number: 1, ..Self::default() }
    }

    /// Reads the lines that are whole; how many bytes these have.
    pub(super) fn read(&mut self, bytes: &[u8], at: u64, is_last: bool) -> usize {
        let mut used = 0;
        while let Some(rest) = bytes.get(used..).filter(|rest| !rest.is_empty()) {
            let (end, n) = match memchr(b'\n', rest) {
                Some(end) => (end, end + 1),
                None if LINE_BYTES <= rest.len() || is_last => (rest.len(), rest.len()),
                None => break,
            };
            self.row(rest.get(..end).unwrap_or(rest).trim_ascii(), at.saturating_add(used as u64));
            self.number += 1;
            used += n;
        }
        used
    }

    fn row(&mut self, line: &[u8], at: u64) {
        let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        if text.is_empty() || (self.number == 1 && text.starts_with(b"kernel_id")) {
            return;
        }
        let mut cells = text.split(|b| *b == b',');
        let kernel = cells.next().and_then(whole);
        let address = cells.next().and_then(whole);
        let cycles = cells.next().and_then(whole);
        let nanos = cells.next().and_then(number);
        let (Some(kernel), Some(address), Some(cycles), Some(nanos)) = (kernel, address, cycles, nanos)
        else {
            let expected = phrase("kernel, address, cycles and nanoseconds");
            self.faults.push(unexpected(&self.path, (at, self.number), expected, text, ROW.into()));
            return;
        };
        if self.kernel != Some(kernel) {
            self.settle();
            self.kernel = Some(kernel);
        }
        self.lengths.push(cycles);
        self.sectors.insert(address);
        if self.longest.1 < nanos {
            self.longest = (cycles as f64, nanos);
        }
    }

    /// The rows of a kernel are complete, unless more come later.
    fn settle(&mut self) {
        let Some(kernel) = self.kernel.take() else { return };
        let lengths = Distribution::from(&std::mem::take(&mut self.lengths).finish());
        let sectors = std::mem::take(&mut self.sectors).len() as u64;
        match self.done.iter_mut().find(|(id, ..)| *id == kernel) {
            Some((_, known, n)) => (*known, *n) = (Distribution::merged([&*known, &lengths]), *n + sectors),
            None => self.done.push((kernel, lengths, sectors)),
        }
    }

    /// The clock in MHz that cycles and nanoseconds tell, to as many digits as they do.
    fn clock(&self) -> Option<f64> {
        let (cycles, nanos) = self.longest;
        let mhz = (0.0 < nanos).then(|| cycles * 1e3 / nanos)?;
        // Nanoseconds are rounded to hundredths.
        let error = mhz * 0.005 / nanos;
        let unit = [0.01, 0.1, 1.0].into_iter().find(|unit| 2.0 * error < *unit)?;
        Some((mhz / unit).round() * unit)
    }

    /// Everything was read: adds it to a run at the level of this number.
    pub(super) fn finish(mut self, number: usize, run: &mut Run) -> Vec<Fault> {
        self.settle();
        run.clock_mhz = run.clock_mhz.or_else(|| self.clock());
        if run.clock_mhz.is_some() {
            run.clock_source = phrase("clock by which the table makes ns of cycles");
        }
        let at = level(run, &format!("L{number}"));
        for (id, lengths, sectors) in self.done {
            let row = match run.kernels.iter().position(|kernel| kernel.id == id) {
                Some(row) => row,
                None => {
                    run.kernels.push(Kernel { id, weight: 1.0, ..Kernel::default() });
                    run.kernels.len() - 1
                }
            };
            let Some(kernel) = run.kernels.get_mut(row) else { continue };
            if kernel.levels.len() <= at {
                kernel.levels.resize_with(at + 1, Level::default);
            }
            if let Some(own) = kernel.levels.get_mut(at) {
                own.counts = Counts { sectors, lifetimes: lengths.count(), ..own.counts };
                if let Some(stated) = &mut own.stated {
                    stated.lifetimes = lengths.count();
                }
                own.reused = lengths;
            }
        }
        self.faults
    }
}
