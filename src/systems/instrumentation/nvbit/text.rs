//! Reads what the tools print, line by line.
//!
//! | line | becomes |
//! |---|---|
//! | `MEMTRACE: CTX … - LAUNCH - …`, `Kernel … - grid size …` | a launch |
//! | `MEMTRACE: CTX … - CTA … - <opcode> - …` | an execution of an instruction |
//! | `0x<data>,0x<address>` | an access of nobody knows whom |
//! | `CTA … - warp … - <assembly>:` and the `* Reg…` below | an execution with values of registers |
//! | `kernel 0 - … - #thread-blocks …`, and opcodes below | a row of the counts |
//! | `alloc address : …` | a named range |
//! | all others | nothing: the traced program prints too |

use super::collect::{Collector, Record, Settled, settle};
use super::line::{Access, LANES, MARK, bare};
use super::{Count, Found, TRIES, figures};
use crate::base::fault::{Fault, Kind, Place, Severity, excerpt};
use crate::base::job::Job;
use crate::base::words::{Message, message, phrase};
use crate::format::{Claim, Reading, Sink, Want};
use crate::input::json::Window;
use crate::input::{Bundle, Cached, EntryId, read_range};
use crate::systems::instrumentation::metrics::{Measured, OfLaunch, RecordCounts};
use crate::views::executions::compute::{
    Executed, ExecutionRows, Launch, MEMORY_VALUE, MemoryOperand, NamedRange, Program, Recorded, RegisterRow,
};
use memchr::{memchr, memmem};
use std::cell::RefCell;
use std::rc::Rc;

/// Longest line that is waited for; longer ones are output of the traced program.
const LINE_BYTES: usize = 1 << 20;
/// The name of accesses that no opcode is recorded of.
pub(in crate::systems::instrumentation) const ACCESS: &str = "access";

/// A text that is being read.
pub(super) struct TextReading {
    entry: EntryId,
    is_asked: bool,
    window: Window,
    lines: Lines,
    settling: Option<Job<Settled>>,
}

/// What was found in the lines so far.
#[derive(Default)]
struct Lines {
    path: String,
    /// Number of the line that comes next, from 1.
    number: u32,
    collector: Collector,
    counts: Vec<Count>,
    regions: Vec<NamedRange>,
    faults: Vec<Fault>,
    access: Access,
    /// Cuts that may still be tried in this mebibyte.
    tries: Option<(u64, u32)>,
    /// The launch of the registers whose values come next.
    registers: bool,
}

impl TextReading {
    pub(super) fn new(claim: &Claim) -> Self {
        Self {
            entry: claim.entries.first().map_or(EntryId(u32::MAX), |(entry, _)| *entry),
            is_asked: false,
            window: Window::default(),
            lines: Lines { number: 1, ..Lines::default() },
            settling: None,
        }
    }

    /// What was read becomes what is kept.
    fn settle(&mut self, bundle: &Bundle, sink: &mut Sink) -> Option<Job<Settled>> {
        let source = Rc::new(Cached::new(bundle.get(self.entry)?.source.clone()));
        let mut window = std::mem::take(&mut self.window);
        window.finish(|bytes, at| self.lines.read(bytes, at, true));
        let collector = std::mem::take(&mut self.lines.collector);
        let make = move |places| -> Box<dyn crate::views::executions::compute::ExecutionRows> {
            Box::new(TextRows { source: source.clone(), places, access: RefCell::default() })
        };
        sink.step = phrase("Arranging");
        let recorded: &Recorded = sink.builder.head().extensions.get_or_default();
        let (entry, known) = (self.entry.0, (recorded.programs.len(), recorded.launches.len()));
        Some(Job::new(async move |turn| settle(collector, entry, known, Box::new(make), &turn).await))
    }
}

impl Reading for TextReading {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        if !self.is_asked {
            self.is_asked = true;
            sink.step = phrase("Reading");
            let entry = bundle.get(self.entry);
            self.lines.path = entry.map_or_else(String::new, |entry| entry.path.clone());
            let len = entry.map_or(0, |entry| entry.source.len());
            return Ok(Want::Stream { entry: self.entry, range: 0..len });
        }
        if self.settling.is_none() {
            self.settling = self.settle(bundle, sink);
            sink.faults_of(std::mem::take(&mut self.lines.faults));
        }
        let Some(settling) = &mut self.settling else { return Ok(Want::Done) };
        let Some(settled) = settling.poll() else { return Ok(Want::Again) };
        let recorded: &mut Recorded = sink.builder.head().extensions.get_or_default();
        recorded.regions.append(&mut self.lines.regions);
        let (told, measured) = settled.keep(recorded);
        for told in &told {
            sink.faults_of(figures::outside(told, &self.lines.path).into_iter().collect());
        }
        figures::add(sink, self.entry.0, &told, &self.lines.counts);
        sink.builder.head().extensions.get_or_default::<Measured>().launches.extend(measured);
        let counted = told.iter().map(|told| OfLaunch {
            launch: told.launch,
            groups: told.ctas,
            processors: told.sms,
            has_addresses: told.has_addresses,
        });
        sink.builder.head().extensions.get_or_default::<RecordCounts>().0.extend(counted);
        Ok(Want::Done)
    }

    fn feed(&mut self, chunk: &[u8], _: &Bundle, sink: &mut Sink) -> Result<(), Fault> {
        let lines = &mut self.lines;
        self.window.feed(chunk, |bytes, at| lines.read(bytes, at, false));
        sink.faults_of(std::mem::take(&mut lines.faults));
        Ok(())
    }

    fn position(&self) -> Option<(EntryId, u64)> {
        Some((self.entry, self.window.position()))
    }
}

impl Lines {
    /// Reads the lines that are whole; how many bytes these have.
    fn read(&mut self, bytes: &[u8], at: u64, is_last: bool) -> usize {
        let mut used = 0;
        while let Some(rest) = bytes.get(used..).filter(|rest| !rest.is_empty()) {
            let place = at.saturating_add(used as u64);
            let n = if rest.starts_with(MARK) {
                self.marked(rest, place, is_last)
            } else {
                self.other(rest, place, is_last)
            };
            let Some(n) = n else { break };
            // A line's end belongs to it.
            let n = n + usize::from(rest.get(n) == Some(&b'\n'));
            let ends = memchr::memchr_iter(b'\n', rest.get(..n).unwrap_or(rest)).count();
            self.number = self.number.saturating_add(u32::try_from(ends).unwrap_or(u32::MAX));
            used += n.max(1);
        }
        used.min(bytes.len())
    }

    /// A line that begins with the mark; its bytes, or `None` when more are needed.
    fn marked(&mut self, rest: &[u8], place: u64, is_last: bool) -> Option<usize> {
        let end = line_end(rest, is_last)?;
        let line = rest.get(..end).unwrap_or(rest);
        let is_access = line.get(MARK.len()).map_or(is_last, |first| *first == b'C');
        let head = line.get(..64.min(line.len())).unwrap_or(line);
        if is_access && memmem::find(head, b" - LAUNCH - ").is_some() {
            self.launch(line.strip_suffix(b"\r").unwrap_or(line), place);
            return Some(end);
        }
        if !is_access {
            return Some(end); // of the contexts
        }
        self.registers = false;
        let mut access = std::mem::take(&mut self.access);
        let mebibyte = place >> 20;
        let mut tries = self.tries.filter(|(of, _)| *of == mebibyte).map_or(TRIES, |(_, tries)| tries);
        let found = super::read_mend(rest, is_last, &mut tries, &mut access);
        let n = match &found {
            Found::Cut => None,
            Found::Whole(n) | Found::Mended(n, ..) | Found::Broken(n, _) => Some(*n),
        };
        if n.is_some() {
            self.tries = Some((mebibyte, tries));
            self.take(&found, rest, place, &access);
        }
        self.access = access;
        n
    }

    fn launch(&mut self, line: &[u8], place: u64) {
        match super::head_launch(line) {
            Some(launch) => {
                self.collector.launch(launch, Some((place, self.number)));
            }
            None => {
                let kind = Kind::Unexpected {
                    expected: phrase("context, address and name of a kernel, and its launch number").into(),
                    found: excerpt(line.get(line.len().saturating_sub(32)..).unwrap_or(line)).into(),
                };
                self.fault(
                    "NVB-LAUNCH",
                    Severity::Loss,
                    place,
                    0,
                    kind,
                    phrase("The launch is left out.").into(),
                );
            }
        }
    }

    /// Takes a record in, and says what is wrong with it.
    fn take(&mut self, found: &Found, rest: &[u8], place: u64, access: &Access) {
        let text = match found {
            Found::Mended(_, _, text) => text,
            _ => rest,
        };
        let opcode = text.get(access.opcode.clone()).and_then(|opcode| std::str::from_utf8(opcode).ok());
        if let Found::Mended(_, foreign, _) = found {
            let said =
                message("a record is interrupted by {n} bytes of other output").with("n", foreign.len());
            let note = phrase("It is cut out; nothing is lost.").into();
            self.fault("NVB-OUTPUT", Severity::Note, place, foreign.start, Kind::Problem(said), note);
        }
        if let Found::Broken(n, wrong) = found {
            let is_kept = 0 < access.lanes;
            let there = excerpt(rest.get(*wrong..*n).unwrap_or(&[])).into();
            let expected =
                if is_kept { phrase("values of 32 lanes") } else { phrase("a memory access record") };
            let kind = Kind::Unexpected { expected: expected.into(), found: there };
            let note = if is_kept {
                message("{n} lanes in the record are shown.").with("n", access.lanes)
            } else {
                phrase("The record is left out.").into()
            };
            self.fault("NVB-RECORD", Severity::Loss, place, *wrong, kind, note);
            if !is_kept {
                return;
            }
        }
        let mask = access.mask();
        let mut active = [0; LANES];
        let mut n = 0;
        for (to, address) in active.iter_mut().zip(access.addresses.iter().filter(|address| **address != 0)) {
            *to = *address;
            n += 1;
        }
        let run = self.collector.launch_of(access.context, access.launch);
        self.collector.order(run, Some(phrase("memory")));
        let known = opcode.and_then(super::opcode_operand);
        let record = Record {
            opcode: opcode.unwrap_or(ACCESS),
            pc: access.pc,
            cta: access.cta,
            warp: access.warp,
            sm: access.sm,
            mask: Some(mask),
            addresses: active.get(..n).unwrap_or(&[]),
            memory: access.bytes.and_then(|bytes| {
                known.map(|known| MemoryOperand { bytes: Some(bytes).filter(|bytes| 0 < *bytes), ..known })
            }),
            place,
            is_incomplete: matches!(found, Found::Broken(..)),
        };
        self.collector.push(run, &record);
    }

    /// Any other line.
    fn other(&mut self, rest: &[u8], place: u64, is_last: bool) -> Option<usize> {
        let end = line_end(rest, is_last)?;
        let line = rest.get(..end).unwrap_or(rest);
        // Output without an end may stand before a record.
        if let Some(begin) = memmem::find(line, MARK) {
            return Some(begin);
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match line.first() {
            Some(b'0') => self.bare(line, place),
            Some(b'C') => self.register_head(line, place),
            Some(b'K') => {
                if let Some(launch) = super::head_kernel(line) {
                    self.collector.launch(launch, Some((place, self.number)));
                }
            }
            Some(b'k') => self.counts.extend(super::head_count(line)),
            Some(b'a') => self.regions.extend(super::head_allocation(line).map(|range| self.named(range))),
            Some(b' ' | b'*') => self.below(line, place),
            _ => {}
        }
        Some(end)
    }

    fn named(&self, range: NamedRange) -> NamedRange {
        NamedRange { name: format!("allocation {}", self.regions.len() + 1), ..range }
    }

    fn bare(&mut self, line: &[u8], place: u64) {
        let Some((width, data, address)) = bare(line) else {
            if line.starts_with(b"0x") && memmem::find(line, b",0x").is_some() {
                let expected = phrase("two numbers: data and address").into();
                let kind = Kind::Unexpected { expected, found: excerpt(line).into() };
                self.fault(
                    "NVB-RECORD",
                    Severity::Loss,
                    place,
                    0,
                    kind,
                    phrase("The record is left out.").into(),
                );
            }
            return;
        };
        let run = self.collector.last_launch();
        self.collector.order(run, Some(phrase("memory")));
        // Up to 8 bytes the tool prints as many digits whatever the width is: then the value tells.
        let bytes = if 8 < width { width } else { 4 * (1 + u32::from(u64::from(u32::MAX) < data)) };
        let memory = MemoryOperand { bytes: Some(bytes), ..MemoryOperand::LOAD };
        let record = Record {
            opcode: ACCESS,
            pc: None,
            cta: [0; 3],
            warp: 0,
            sm: None,
            mask: None,
            addresses: &[address],
            memory: Some(memory),
            place,
            is_incomplete: false,
        };
        self.collector.push(run, &record);
    }

    fn register_head(&mut self, line: &[u8], place: u64) {
        let Some(head) = super::register_head(line) else { return };
        let run = match head.launch {
            Some(id) => self.collector.launch_of(0, Some(id)),
            None => self.collector.last_launch(),
        };
        self.collector.order(run, Some(phrase("register values")));
        let record = Record {
            opcode: head.assembly,
            pc: head.pc,
            cta: head.cta,
            warp: head.warp,
            sm: None,
            mask: None,
            addresses: &[],
            memory: None,
            place,
            is_incomplete: false,
        };
        self.collector.push(run, &record);
        self.registers = true;
    }

    /// Lines below a count or a head of registers.
    fn below(&mut self, line: &[u8], place: u64) {
        if let (Some(count), Some(opcode)) = (self.counts.last_mut(), super::head_opcode(line)) {
            count.opcodes.push(opcode);
        } else if self.registers && line.trim_ascii_start().starts_with(b"* Reg") {
            let is_whole = super::head_registers(line).is_some_and(|(_, values)| values.len() == LANES);
            if !is_whole {
                let expected = phrase("values of 32 lanes").into();
                let kind = Kind::Unexpected { expected, found: excerpt(line).into() };
                self.fault(
                    "NVB-REGISTER",
                    Severity::Loss,
                    place,
                    0,
                    kind,
                    phrase("The values are left out.").into(),
                );
            }
        }
    }

    fn fault(
        &mut self,
        code: &'static str,
        severity: Severity,
        place: u64,
        column: usize,
        kind: Kind,
        note: Message,
    ) {
        let at = Place::byte(self.path.as_str(), place.saturating_add(column as u64));
        let column = u32::try_from(column).unwrap_or(u32::MAX).saturating_add(1);
        self.faults.push(Fault::new(code, severity, at.line(self.number, column), kind).note(note));
    }
}

/// Where the line at the start of `rest` ends; `None` when that has not arrived.
fn line_end(rest: &[u8], is_last: bool) -> Option<usize> {
    match memchr(b'\n', rest.get(..LINE_BYTES).unwrap_or(rest)) {
        Some(end) => Some(end),
        None if LINE_BYTES <= rest.len() => Some(LINE_BYTES),
        None => is_last.then_some(rest.len()),
    }
}

// Reads records again: the line at a place, mended where it was cut.

/// Bytes that are read for one record: the longest has some 2,000 and may be mended within 2,000 more.
const WINDOW: u64 = 8 << 10;
/// Bytes that are read for the registers of one instruction.
const REGISTERS: u64 = 64 << 10;

/// The rows of a launch of a text.
struct TextRows {
    pub(super) source: Rc<Cached>,
    /// Where the record of each execution begins.
    pub(super) places: Vec<u64>,
    /// Room for the bytes of a record, used again.
    pub(super) access: RefCell<Access>,
}

impl ExecutionRows for TextRows {
    fn rows(&self, launch: &Launch, program: &Program, execution: u32) -> Result<Vec<Executed>, String> {
        let Some(place) = self.places.get(execution as usize).copied() else { return Ok(Vec::new()) };
        let block = launch.executions.block.get(execution as usize).copied().unwrap_or(0);
        let first = program.blocks.get(block as usize).map_or(0, |block| block.first);
        let read =
            |n: u64| read_range(&*self.source, place..place.saturating_add(n)).map_err(|error| error.0);
        let bytes = read(WINDOW)?;
        let end = memchr(b'\n', &bytes).unwrap_or(bytes.len());
        let line = bytes.get(..end).unwrap_or(&bytes);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let row = if line.starts_with(MARK) {
            self.access(&bytes)
        } else if let Some((_, data, address)) = bare(line) {
            let value = RegisterRow { register: MEMORY_VALUE, mask: 1, values: vec![data] };
            Executed { addresses: vec![address], registers: vec![value], ..Executed::default() }
        } else {
            Executed { registers: registers(&read(REGISTERS)?), ..Executed::default() }
        };
        Ok(vec![Executed { instruction: first, ..row }])
    }

    fn reads(&self) -> u64 {
        self.source.reads()
    }
}

impl TextRows {
    fn access(&self, bytes: &[u8]) -> Executed {
        let mut access = self.access.borrow_mut();
        super::read_mend(bytes, true, &mut TRIES.clone(), &mut access);
        let mask = access.mask();
        let lanes = (0..LANES).filter(|lane| mask >> lane & 1 == 1);
        let of =
            |values: &[u64]| lanes.clone().filter_map(|lane| values.get(lane).copied()).collect::<Vec<u64>>();
        let values = of(&access.data);
        let register = RegisterRow { register: MEMORY_VALUE, mask, values };
        let is_whole = access.lanes == LANES;
        Executed {
            mask: Some(mask),
            addresses: of(&access.addresses),
            registers: if access.data.is_empty() { Vec::new() } else { vec![register] },
            missing: (!is_whole).then_some(super::CUT),
            ..Executed::default()
        }
    }
}

/// The values below a head of register values. Where the list of the instruction fits to the registers that its text
/// names, they have these numbers; else their place in the list.
fn registers(bytes: &[u8]) -> Vec<RegisterRow> {
    let mut lines = bytes.split(|b| *b == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let text = lines.next().and_then(super::register_head).map_or("", |head| head.assembly);
    let mut rows: Vec<RegisterRow> = Vec::new();
    for line in lines {
        let is_end = line.is_empty() && !rows.is_empty();
        if is_end || line.starts_with(MARK) || super::register_head(line).is_some() {
            break;
        }
        if let Some((register, values)) = super::head_registers(line) {
            let mask = u32::try_from((1_u64 << values.len()) - 1).unwrap_or(u32::MAX);
            rows.push(RegisterRow { register, mask, values });
        }
    }
    let named = super::opcode_registers(text);
    if let Some(each) = rows.len().checked_div(named.len()).filter(|each| each * named.len() == rows.len()) {
        let numbers = named.iter().flat_map(|first| (0..each).map(move |n| (*first, n)));
        for (row, (first, n)) in rows.iter_mut().zip(numbers) {
            row.register = first.saturating_add(u16::try_from(n).unwrap_or(0));
        }
    }
    rows
}
