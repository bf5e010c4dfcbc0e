//! The tables of one run being read: kernels first, then lifetimes level by level.

use super::{ROW, Weights, level, number, role, split, unexpected, whole};
use crate::base::fault::Fault;
use crate::base::map::Set;
use crate::base::order;
use crate::base::time::{Clock, Ticks};
use crate::base::words::phrase;
use crate::format::{Claim, Reading, Sink, Want};
use crate::input::json::Window;
use crate::input::{Bundle, EntryId, read_range};
use crate::model::Symbols;
use crate::model::slice::SliceRow;
use crate::model::track::TrackKind;
use crate::views::lifetimes::compute::{Counts, Distribution, Growing, Kernel, Level, Recorded, Run};
use memchr::memchr;
use std::collections::VecDeque;

/// Most bytes of a table of kernels.
const BYTES: u64 = 64 << 20;

/// The tables of one run.
pub(super) struct Tables {
    waiting: VecDeque<(EntryId, &'static str)>,
    /// Lifetimes that are being read, with the number of their level.
    fine: Option<(EntryId, usize, Window, Fine)>,
    run: Option<Run>,
}

impl Tables {
    pub(super) fn new(claim: &Claim) -> Self {
        let mut waiting: Vec<(EntryId, &'static str)> = claim.entries.clone();
        let order = [role::KERNELS, role::LIFETIMES, role::CLUSTERS];
        order::sort_by_key(&mut waiting, |(_, own)| order.iter().position(|role| role == own));
        Self { waiting: waiting.into(), fine: None, run: None }
    }
}

impl Reading for Tables {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        sink.step = phrase("Reading");
        if let Some((_, level, mut window, mut fine)) = self.fine.take() {
            window.finish(|bytes, at| fine.read(bytes, at, true));
            sink.faults_of(fine.finish(level, self.run.get_or_insert_default()));
        }
        let Some((id, role)) = self.waiting.pop_front() else {
            if let Some(mut run) = self.run.take().filter(|run| !run.kernels.is_empty()) {
                let symbols: &mut Symbols = sink.builder.head().extensions.get_or_default();
                for kernel in &mut run.kernels {
                    kernel.name = symbols.names(&kernel.name);
                }
                tracks(&run, sink);
                sink.builder.head().extensions.get_or_default::<Recorded>().runs.push(run);
            }
            Weights::apply(sink);
            return Ok(Want::Done);
        };
        let Some(entry) = bundle.get(id) else { return Ok(Want::Again) };
        let (_, stem, level) = split(&entry.path);
        if role == role::CLUSTERS {
            let bytes = read_range(&*entry.source, 0..entry.source.len().min(BYTES)).unwrap_or_default();
            let mut faults = Vec::new();
            let weights: &mut Weights = sink.builder.head().extensions.get_or_default();
            weights.read(&bytes, &entry.path, &mut faults);
            sink.faults_of(faults);
            return Ok(Want::Again);
        }
        let run =
            self.run.get_or_insert_with(|| Run { entry: id.0, name: stem.to_owned(), ..Run::default() });
        if role == role::KERNELS {
            let bytes = read_range(&*entry.source, 0..entry.source.len().min(BYTES)).unwrap_or_default();
            let mut faults = Vec::new();
            super::read_kernels(&bytes, &entry.path, run, &mut faults);
            sink.faults_of(faults);
            return Ok(Want::Again);
        }
        self.fine = Some((id, level.unwrap_or(1), Window::default(), Fine::new(&entry.path)));
        Ok(Want::Stream { entry: id, range: 0..entry.source.len() })
    }

    fn feed(&mut self, chunk: &[u8], _: &Bundle, sink: &mut Sink) -> Result<(), Fault> {
        if let Some((.., window, fine)) = &mut self.fine {
            window.feed(chunk, |bytes, at| fine.read(bytes, at, false));
            sink.faults_of(std::mem::take(&mut fine.faults));
        }
        Ok(())
    }

    fn position(&self) -> Option<(EntryId, u64)> {
        self.fine.as_ref().map(|(entry, _, window, _)| (*entry, window.position()))
    }
}

/// Kernels one after the other: the tables do not say when they began.
fn tracks(run: &Run, sink: &mut Sink) {
    let unit = Clock::Cycles { hz: run.clock_mhz.map(|mhz| mhz * 1e6) };
    let is_first = sink.builder.n_rows() == 0 && sink.builder.trace().tracks.is_empty();
    let clock = if is_first {
        sink.builder.head().clock = unit;
        None
    } else {
        Some(sink.builder.clock(&run.name, unit, None))
    };
    let name = if sink.is_shared { run.name.as_str() } else { phrase("Kernels in sequence") };
    let name = sink.builder.intern(name);
    let Some(track) = sink.builder.track(None, TrackKind::Slices, name, run.entry) else { return };
    if let Some(clock) = clock {
        sink.builder.clock_track(track, clock);
    }
    let mut start = 0_i64;
    for kernel in &run.kernels {
        let longest = kernel.levels.iter().map(|level| level.reused.max()).max().unwrap_or(0);
        let dur = Ticks::try_from(kernel.cycles.max(longest)).unwrap_or(Ticks::MAX);
        let name = if kernel.name.is_empty() { format!("kernel {}", kernel.id) } else { kernel.name.clone() };
        let name = sink.builder.intern(&name);
        sink.builder.slice(track, SliceRow::new(start, dur, name));
        start = start.saturating_add(dur);
    }
}

// A row for each lifetime: kernel, address, cycles, nanoseconds. They may be many: lengths are counted, no row is kept.

/// Longest row that is waited for.
const LINE_BYTES: usize = 1 << 16;

/// Lifetimes of one level, being read.
#[derive(Default)]
struct Fine {
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
        // Without a clock there are cycles only.
        let nanos =
            cells.next().and_then(|cell| if cell.trim_ascii().is_empty() { Some(0.0) } else { number(cell) });
        let nanos = nanos.filter(|nanos| 0.0 <= *nanos);
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
            run.clock_source = phrase("clock that converts cycles in the table to ns");
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
