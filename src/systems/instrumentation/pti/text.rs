//! The text of both tools, line by line.

use super::kernel::{Count, Kernel};
use crate::base::fault::{Fault, Kind, Place, Severity, excerpt};
use crate::base::words::phrase;
use crate::format::sink::Sink;
use crate::format::{Reading, Want};
use crate::input::bundle::{Bundle, EntryId};
use crate::systems::instrumentation::intel::access::Access;
use crate::systems::instrumentation::intel::lines::{Line, LineFeed};
use crate::systems::instrumentation::intel::program::Code;

/// A text that is being read.
pub(super) struct Text {
    entry: EntryId,
    path: String,
    lines: LineFeed,
    kernel: Kernel,
    /// Number of the block whose first row comes next.
    mark: Option<u32>,
    /// The send whose lines are read.
    send: Option<u64>,
    is_asked: bool,
}

/// `=== GEMM(runs 4 times) ===`: the name of a kernel.
pub(super) fn kernel_head(line: &str) -> Option<&str> {
    let inside = line.trim().strip_prefix("=== ")?;
    let (name, rest) = inside.rsplit_once("(runs ")?;
    rest.contains("times)").then(|| name.trim())
}

/// `[   2048|   16384] 0x000000 : mov …`: executions, lanes, address, assembly.
pub(super) fn row(line: &str) -> Option<(u64, Option<u64>, u64, &str)> {
    let (inside, rest) = line.trim_start().strip_prefix('[')?.split_once(']')?;
    let (count, lanes) = inside.split_once('|').map_or((inside, None), |(count, lanes)| (count, Some(lanes)));
    let lanes = lanes.map(|lanes| lanes.trim().parse()).transpose().ok()?;
    let (address, text) = send_head(rest)?;
    Some((count.trim().parse().ok()?, lanes, address, text))
}

/// `0x000260 :   send.ugm …`: address and assembly.
pub(super) fn send_head(line: &str) -> Option<(u64, &str)> {
    let (address, text) = line.trim_start().strip_prefix("0x")?.split_once(':')?;
    let address = u64::from_str_radix(address.trim_end(), 16).ok()?;
    let text = text.strip_prefix(' ').unwrap_or(text).trim_end();
    (!text.trim_start().is_empty()).then_some((address, text))
}

/// The first whole number behind a sign.
fn number(text: &str, sign: char) -> Option<u64> {
    let rest = text.split_once(sign)?.1.trim_start();
    rest.get(..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()))?.parse().ok()
}

impl Text {
    pub(super) fn new(entry: EntryId) -> Self {
        Self {
            entry,
            path: String::new(),
            lines: LineFeed::default(),
            kernel: Kernel::default(),
            mark: None,
            send: None,
            is_asked: false,
        }
    }

    fn line(&mut self, line: &Line, sink: &mut Sink) {
        let text = line.text.trim();
        let is_read = if let Some(name) = kernel_head(text) {
            self.finish(sink);
            name.clone_into(&mut self.kernel.name);
            true
        } else if let Some((count, lanes, address, assembly)) = row(text) {
            self.row(Count { runs: count, lanes, at: (line.at, line.number) }, address, assembly);
            true
        } else if let Some((address, assembly)) = send_head(text) {
            let code = Code { text: assembly.to_owned(), source: None };
            self.kernel.code.entry(address).or_insert(code);
            self.kernel.accesses.entry(address).or_default();
            self.send = Some(address);
            true
        } else if let Some(number) = text.strip_prefix("///  Basic block #") {
            self.mark = number.trim().parse().ok();
            self.mark.is_some()
        } else {
            match self.send.and_then(|send| self.kernel.accesses.get_mut(&send)) {
                Some(access) => fact(access, text),
                None => !text.starts_with('['),
            }
        };
        if !is_read {
            let expected = phrase("an instruction with its counts").into();
            let kind = Kind::Unexpected { expected, found: excerpt(line.text.as_bytes()).into() };
            let place = Place::byte(&self.path, line.at).line(line.number, 1);
            sink.fault(
                Fault::new("PTI-LINE", Severity::Loss, place, kind).note(phrase("The line is skipped.")),
            );
        }
    }

    fn row(&mut self, count: Count, address: u64, assembly: &str) {
        let code = Code { text: assembly.to_owned(), source: None };
        self.kernel.code.entry(address).or_insert(code);
        self.kernel.count(address, count);
        if let Some(mark) = self.mark.take() {
            self.kernel.marks.insert(address, mark);
        }
    }

    fn finish(&mut self, sink: &mut Sink) {
        (self.mark, self.send) = (None, None);
        std::mem::take(&mut self.kernel).finish(&self.path, self.entry.0, sink);
    }
}

/// One line of what a send did; false when it is damaged.
fn fact(access: &mut Access, line: &str) -> bool {
    let read = |own: &mut u64, sign: char| number(line, sign).map(|n| *own = own.saturating_add(n)).is_some();
    if line.starts_with("* Instruction executed") {
        read(&mut access.executed, ':')
    } else if line.starts_with("* SIMD lanes executed") {
        read(&mut access.lanes, ':')
    } else if line.starts_with("* Cache line transferred") {
        read(&mut access.lines, ':') && read(&mut access.moved, '(')
    } else if line.starts_with("* Cache line not aligned") {
        read(&mut access.unaligned, '(')
    } else if line.contains("used/transferred ratio") {
        let share =
            line.split_whitespace().next().and_then(|word| word.trim_end_matches('%').parse::<f64>().ok());
        access.printed = share.map(|share| share / 100.0);
        share.is_some()
    } else if let Some((counted, stride)) = line.split_once("-> stride:") {
        let stride = stride.split_whitespace().next().and_then(|word| word.parse().ok());
        let both = stride.zip(number(counted, '('));
        access.strides.extend(both);
        // Distances outside of the table have words instead of a number.
        both.is_some()
            || number(counted, '(').map(|n| access.outside.1 = access.outside.1.saturating_add(n)).is_some()
    } else if let Some(row) = line.strip_prefix("Addr#") {
        let words = row.split_whitespace().skip(1);
        let all: Option<Vec<u64>> =
            words.map(|word| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok()).collect();
        access.addresses.extend(all.iter().flatten());
        all.is_some()
    } else if let Some(kind) =
        line.strip_prefix("* SIMD").filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    {
        access.kind = format!("SIMD{kind}");
        access.bytes = lane_bytes(kind);
        true
    } else {
        true
    }
}

/// `32 ExecSize_32 4 bytes X1 Scatter …`: 4 × 1.
fn lane_bytes(kind: &str) -> Option<u64> {
    let words: Vec<&str> = kind.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "bytes")?;
    let bytes: u64 = words.get(at.checked_sub(1)?)?.parse().ok()?;
    let times = words.get(at + 1).and_then(|word| word.strip_prefix('X')?.parse().ok()).unwrap_or(1);
    bytes.checked_mul(times)
}

impl Reading for Text {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        if self.is_asked {
            let mut lines = std::mem::take(&mut self.lines);
            lines.finish(|line| self.line(&line, sink));
            self.finish(sink);
            return Ok(Want::Done);
        }
        self.is_asked = true;
        sink.step = "Reading";
        let entry = bundle.get(self.entry);
        self.path = entry.map_or_else(String::new, |entry| entry.path.clone());
        Ok(Want::Stream { entry: self.entry, range: 0..entry.map_or(0, |entry| entry.source.len()) })
    }

    fn feed(&mut self, chunk: &[u8], _: &Bundle, sink: &mut Sink) -> Result<(), Fault> {
        let mut lines = std::mem::take(&mut self.lines);
        lines.feed(chunk, |line| self.line(&line, sink));
        self.lines = lines;
        Ok(())
    }

    fn position(&self) -> Option<(EntryId, u64)> {
        Some((self.entry, self.lines.position()))
    }
}
