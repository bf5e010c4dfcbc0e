//! A log being read: lines go through the scanner, kernels appear as they end.

use super::line::{Line, MARK};
use super::scan::{Ran, Scan, Scanner};
use crate::base::fault::Fault;
use crate::base::job::Turn;
use crate::base::order;
use crate::base::terms::Terms;
use crate::base::time::{Clock, Ticks};
use crate::base::words::{message, phrase};
use crate::format::{Claim, Reading, Sink, Want};
use crate::input::{Bundle, EntryId, Source, read_range};
use crate::model::Symbols;
use crate::model::parameter::Values;
use crate::model::slice::SliceRow;
use crate::model::track::TrackKind;
use crate::systems::gainsight::mapping::{self, Event, Mapped, Mapping, sectors};
use crate::systems::gainsight::statistics::Statistics;
use crate::systems::gainsight::tables::Weights;
use crate::views::lifetimes::compute::{Access, AccessSource, Closed, Kernel, Recorded, Rules, Run};
use memchr::{memchr_iter, memmem};
use std::rc::Rc;

/// Where a clock comes from.
const CONFIGURED: &str = phrase("core clock in the simulator configuration");
const MAPPED: &str = phrase("mapping clock");

/// A log that is being read.
pub(crate) struct LogReading {
    entry: EntryId,
    rules: Rules,
    /// Row of the run, once it was begun.
    run: Option<usize>,
    scan: Scan,
    /// Whether a mapping says how lines are worded.
    is_mapped: bool,
}

impl LogReading {
    pub(super) fn new(claim: &Claim, values: &Values) -> Self {
        let rules = Rules::of(values);
        Self {
            entry: claim.entries.first().map_or(EntryId(u32::MAX), |(entry, _)| *entry),
            rules,
            run: None,
            scan: Scan::new(Scanner::new("", rules, false)),
            is_mapped: false,
        }
    }

    /// For a log whose lines are worded as a mapping says.
    pub(crate) fn mapped(claim: &Claim, values: &Values) -> Self {
        Self { is_mapped: true, ..Self::new(claim, values) }
    }

    /// Finds the mapping.
    fn map(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<(), Fault> {
        let Some((_, mapping)) = mapping::of(bundle) else { return Ok(()) };
        let mapping = mapping?;
        let mapping = Rc::new(mapping);
        self.scan.scanner.mapping = Some(mapping.clone());
        let mapped: &mut Mapped = sink.builder.head().extensions.get_or_default();
        mapped.0.insert(self.entry.0, mapping);
        Ok(())
    }

    /// Reads accesses again, as far as is known how.
    fn accesses(&self, source: Source) -> Box<dyn AccessSource> {
        let (uses_probes, mapping) = (self.scan.scanner.uses_probes, self.scan.scanner.mapping.clone());
        Box::new(LogAccesses { source, uses_probes, mapping })
    }

    /// Hands on what ended.
    fn pass(&mut self, sink: &mut Sink) {
        sink.faults_of(std::mem::take(&mut self.scan.scanner.faults));
        if self.scan.scanner.done.is_empty() {
            return;
        }
        // Symbols are written out only here: before, names are compared as lines of the file have them.
        let symbols: &mut Symbols = sink.builder.head().extensions.get_or_default();
        for kernel in &mut self.scan.scanner.done {
            kernel.name = symbols.names(&kernel.name);
        }
        let recorded: &mut Recorded = sink.builder.head().extensions.get_or_default();
        if let Some(run) = self.run.and_then(|run| recorded.runs.get_mut(run)) {
            run.kernels.append(&mut self.scan.scanner.done);
            run.clock_mhz = self.scan.scanner.config.clock_mhz;
            run.launch_latency = self.scan.scanner.config.launch_latency;
            let source = if self.is_mapped { MAPPED } else { CONFIGURED };
            run.clock_source = if run.clock_mhz.is_some() { source } else { "" };
            run.levels = self.scan.scanner.config.levels();
        }
    }
}

/// What a file is called without its folder and endings.
fn stem(path: &str) -> &str {
    let mut name = path.rsplit(['/', '!']).next().unwrap_or(path);
    for end in [".gz", ".xz", ".zst", ".log", ".txt", ".out"] {
        name = name.strip_suffix(end).filter(|name| !name.is_empty()).unwrap_or(name);
    }
    name
}

impl Reading for LogReading {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        let entry = bundle.get(self.entry);
        if self.run.is_none() {
            sink.step = phrase("Reading");
            let path = entry.map_or("", |entry| entry.path.as_str());
            self.scan = Scan::new(Scanner::new(path, self.rules, false));
            if self.is_mapped {
                self.map(bundle, sink)?;
            } else {
                self.scan.scanner.statistics = Some(Statistics::default());
            }
            let recorded: &mut Recorded = sink.builder.head().extensions.get_or_default();
            self.run = Some(recorded.runs.len());
            // Kernels that ended can be looked at while others are read.
            let accesses = entry.map(|entry| self.accesses(entry.source.clone()));
            recorded.runs.push(Run {
                accesses,
                entry: self.entry.0,
                name: stem(path).to_owned(),
                levels: self.scan.scanner.config.levels(),
                rules: self.rules,
                ..Run::default()
            });
            let len = entry.map_or(0, |entry| entry.source.len());
            return Ok(Want::Stream { entry: self.entry, range: 0..len });
        }
        if self.scan.go_on() || !self.scan.finish() {
            return Ok(Want::Again);
        }
        self.scan.scanner.judge();
        let has_accesses = self.scan.scanner.first.is_some();
        self.pass(sink);
        if let Some(statistics) = self.scan.scanner.statistics.take() {
            let scanner = &self.scan.scanner;
            statistics.finish(sink, (self.entry.0, &scanner.path), scanner.config.domains);
        }
        let recorded: &mut Recorded = sink.builder.head().extensions.get_or_default();
        let Some(mut run) = self.run.and_then(|run| recorded.runs.get_mut(run)).map(std::mem::take) else {
            return Ok(Want::Done);
        };
        let symbols: &mut Symbols = sink.builder.head().extensions.get_or_default();
        for ran in &mut self.scan.scanner.ran {
            ran.kernel.name = symbols.names(&ran.kernel.name);
        }
        run.accesses = entry.filter(|_| has_accesses).map(|entry| self.accesses(entry.source.clone()));
        track_add(&run, &self.scan.scanner.ran, sink);
        let recorded: &mut Recorded = sink.builder.head().extensions.get_or_default();
        if let Some(place) = self.run.and_then(|at| recorded.runs.get_mut(at)) {
            *place = run;
        }
        Weights::apply(sink);
        Ok(Want::Done)
    }

    fn feed(&mut self, chunk: &[u8], _: &Bundle, sink: &mut Sink) -> Result<(), Fault> {
        self.scan.feed(chunk);
        self.scan.go_on();
        self.pass(sink);
        Ok(())
    }

    fn is_busy(&self) -> bool {
        self.scan.scanner.is_ending()
    }

    fn position(&self) -> Option<(EntryId, u64)> {
        Some((self.entry, self.scan.position()))
    }
}

// Kernels on the timeline: a track for each stream, in cycles since the first kernel began.

/// Adds headline and tracks.
fn track_add(run: &Run, ran: &[Ran], sink: &mut Sink) {
    let unit = Clock::Cycles { hz: run.clock_mhz.map(|mhz| mhz * 1e6) };
    let is_first = sink.builder.n_rows() == 0 && sink.builder.trace().tracks.is_empty();
    let own = (!is_first).then(|| sink.builder.clock(&run.name, unit, None));
    let head = sink.builder.head();
    if is_first {
        head.clock = unit;
        head.terms = Terms::of(["GPU", "Stream", "Kernel", "Thread block", "Slice", "Instructions"]);
        let n: u64 = run.launches().iter().map(|[_, all]| all).sum();
        head.headline.push(message("{n} kernels").with("n", n).to_string());
    }
    if ran.is_empty() {
        return;
    }
    let name = if sink.is_shared { run.name.as_str() } else { phrase("Kernels") };
    let name = sink.builder.intern(name);
    let Some(group) = sink.builder.track(None, TrackKind::Group, name, run.entry) else { return };
    if let Some(clock) = own {
        sink.builder.clock_track(group, clock);
    }
    let mut streams: Vec<Option<u64>> = ran.iter().map(|ran| ran.kernel.stream).collect();
    order::sort(&mut streams);
    streams.dedup();
    for stream in streams {
        let name = stream.map_or_else(|| message("Kernels"), |id| message("Stream {n}").with("n", id));
        let name = sink.builder.intern(&name.to_string());
        let Some(track) = sink.builder.track(Some(group), TrackKind::Slices, name, run.entry) else { return };
        for ran in ran.iter().filter(|ran| ran.kernel.stream == stream) {
            let name = if ran.kernel.name.is_empty() { phrase("Kernel") } else { ran.kernel.name.as_str() };
            let name = sink.builder.intern(name);
            let ticks = |cycles: u64| Ticks::try_from(cycles).unwrap_or(Ticks::MAX);
            let row = SliceRow::new(ticks(ran.start), ticks(ran.end.saturating_sub(ran.start)), name);
            sink.builder.slice(track, row);
        }
    }
}

// Reads accesses of a log again: one kernel's for views, and all lifetimes for exports.

/// Bytes that are read at once: about 10 ms.
const PIECE: u64 = 1 << 20;
/// The same for lines that are read by a mapping.
const ACCESSES_MAPPED: u64 = 1 << 17;

/// Reads accesses of a kernel again.
struct LogAccesses {
    pub(super) source: Source,
    /// Whether accesses to L2 are those that tracing builds print.
    pub(super) uses_probes: bool,
    /// How lines are worded, when it is a log of another simulator.
    pub(super) mapping: Option<Rc<Mapping>>,
}

impl AccessSource for LogAccesses {
    fn read(
        &self,
        kernel: &Kernel,
        from: u64,
        to: &mut dyn FnMut(usize, &Access),
    ) -> Result<Option<u64>, String> {
        let end = kernel.bytes.end.min(self.source.len());
        if end <= from {
            return Ok(None);
        }
        let piece = if self.mapping.is_some() { ACCESSES_MAPPED } else { PIECE };
        let bytes = read_range(&*self.source, from..end.min(from.saturating_add(piece)));
        let bytes = bytes.map_err(|error| error.0)?;
        let is_last = end <= from.saturating_add(bytes.len() as u64) || bytes.is_empty();
        let mut begin = 0;
        let ends = memchr_iter(b'\n', &bytes).chain(is_last.then_some(bytes.len()));
        for line_end in ends {
            let line = bytes.get(begin..line_end).unwrap_or(&[]);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if let Some(mapping) = &self.mapping {
                if let Event::Access(level, access, n) = mapping.read(line) {
                    sectors(access, n).for_each(|access| to(level, &access));
                }
                begin = line_end + 1;
                continue;
            }
            match access_of(line) {
                Some(Line::Access(level, access)) => to(level, &access),
                Some(Line::Probe(access)) if self.uses_probes => {
                    to(1, &Access { cycle: access.cycle.saturating_sub(kernel.start), ..access });
                }
                _ => {}
            }
            begin = line_end + 1;
        }
        // A line that is longer than a piece is none of an access.
        let used = if begin == 0 { bytes.len() } else { begin };
        Ok((!is_last).then_some(from.saturating_add(used as u64)))
    }
}

/// The access that a line holds, found as the scanner finds it: behind damage, or behind output of the simulated program.
fn access_of(mut line: &[u8]) -> Option<Line<'_>> {
    loop {
        match Line::read(line) {
            access @ (Line::Access(..) | Line::Probe(_)) => return Some(access),
            Line::Broken(_) => {
                let rest = line.get(1..)?;
                line = rest.get(memmem::find(rest, MARK)?..)?;
            }
            Line::Other | Line::Pair(..) => {
                let access = Line::read(line.get(memmem::find(line, MARK)?..)?);
                return Some(access).filter(|access| matches!(access, Line::Access(..)));
            }
            _ => return None,
        }
    }
}

/// Reads a log again with the rules that it was read with, and shows the lifetimes of each kernel when it ends: level by level
/// in the order in which they were opened.
///
/// # Errors
/// Why the file cannot be read any more, as a sentence.
pub(crate) async fn replay(
    source: &Source,
    rules: Rules,
    mapping: Option<Rc<Mapping>>,
    turn: &Turn,
    mut to: impl FnMut(Vec<Vec<Closed>>),
) -> Result<(), String> {
    let mut scanner = Scanner::new("", rules, true);
    scanner.mapping = mapping;
    let (mut scan, mut at) = (Scan::new(scanner), 0);
    loop {
        let was_ending = scan.go_on();
        if !was_ending && at < source.len() {
            let bytes = read_range(&**source, at..at.saturating_add(PIECE)).map_err(|e| e.0)?;
            scan.feed(&bytes);
            at = if bytes.is_empty() { u64::MAX } else { at.saturating_add(bytes.len() as u64) };
        } else if !was_ending && scan.finish() {
            return Ok(());
        }
        turn.pause().await;
        let scanner = &mut scan.scanner;
        scanner.faults.clear();
        scanner.done.clear();
        for (_, levels) in std::mem::take(&mut scanner.closed) {
            to(levels);
            turn.pause().await;
        }
    }
}
