//! A log being read: lines go through the scanner, kernels appear as they end.

use super::accesses::LogAccesses;
use super::scan::{Scan, Scanner};
use super::tracks;
use crate::base::fault::Fault;
use crate::base::words::phrase;
use crate::format::sink::Sink;
use crate::format::{Claim, Reading, Want};
use crate::input::bundle::{Bundle, EntryId};
use crate::input::source::Source;
use crate::model::parameter::Values;
use crate::model::symbols::Symbols;
use crate::systems::gainsight::mapping::{self, Mapped};
use crate::systems::gainsight::statistics::Statistics;
use crate::systems::gainsight::tables::Weights;
use crate::views::lifetimes::compute::{AccessSource, Recorded, Rules, Run};
use std::rc::Rc;

/// Where a clock comes from.
const CONFIGURED: &str = phrase("core clock of the simulator's configuration");
const MAPPED: &str = phrase("clock of the mapping");

/// A log that is being read.
pub(in crate::systems::gainsight) struct LogReading {
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
    pub(in crate::systems::gainsight) fn mapped(claim: &Claim, values: &Values) -> Self {
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
            statistics.finish(sink, &self.scan.scanner.path);
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
        tracks::add(&run, &self.scan.scanner.ran, sink);
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
