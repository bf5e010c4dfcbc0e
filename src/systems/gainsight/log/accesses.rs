//! Reads accesses of a log again: one kernel's for views, and all lifetimes for exports.

use super::line::{Line, MARK};
use super::scan::{Scan, Scanner};
use crate::input::source::{Source, read_range};
use crate::systems::gainsight::mapping::{Event, Mapping, sectors};
use crate::views::lifetimes::compute::{Access, AccessSource, Closed, Kernel, Rules};
use memchr::{memchr_iter, memmem};
use std::rc::Rc;

/// Bytes that are read at once: about 10 ms.
const PIECE: u64 = 1 << 20;
/// The same for lines that are read by a mapping.
const MAPPED: u64 = 1 << 17;

/// Reads accesses of a kernel again.
pub(super) struct LogAccesses {
    /// The file.
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
        let piece = if self.mapping.is_some() { MAPPED } else { PIECE };
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

/// A kernel that ended: its number, and level by level its lifetimes in the order in which they were opened.
pub(in crate::systems::gainsight) type Ended = (u64, Vec<Vec<Closed>>);

/// All lifetimes of a log again, kernel by kernel.
pub(in crate::systems::gainsight) struct Replay {
    source: Source,
    scan: Scan,
    at: u64,
}

/// Begins to read a log again with the rules that it was read with.
pub(in crate::systems::gainsight) fn replay(
    source: Source,
    rules: Rules,
    mapping: Option<Rc<Mapping>>,
) -> Replay {
    let mut scanner = Scanner::new("", rules, true);
    scanner.mapping = mapping;
    Replay { source, scan: Scan::new(scanner), at: 0 }
}

impl Replay {
    /// Reads on for about 10 ms; `None` at the end of the file. Lifetimes of kernels that ended: the number of the
    /// kernel, and level by level those in the order in which they were opened. A machine, as it feeds the push parser
    /// that reads logs.
    ///
    /// # Errors
    /// Why the file cannot be read any more, as a sentence.
    pub(in crate::systems::gainsight) fn step(&mut self) -> Result<Option<Vec<Ended>>, String> {
        let was_ending = self.scan.go_on();
        if !was_ending && self.at < self.source.len() {
            let next = self.at.saturating_add(PIECE);
            let bytes = read_range(&*self.source, self.at..next).map_err(|e| e.0)?;
            self.scan.feed(&bytes);
            self.at = if bytes.is_empty() { u64::MAX } else { self.at.saturating_add(bytes.len() as u64) };
        } else if !was_ending && self.scan.finish() {
            return Ok(None);
        }
        let scanner = &mut self.scan.scanner;
        scanner.faults.clear();
        scanner.done.clear();
        Ok(Some(std::mem::take(&mut scanner.closed)))
    }
}
