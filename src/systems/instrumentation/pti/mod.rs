//! Intel PTI: counts of instructions and what memory accesses moved, as text and as JSON.
//!
//! ```text
//! === GEMM(runs 4 times) ===                                 === GEMM (runs 2 times)
//! --- Tile #0 of 2 collected                                 0x000260 :  send.ugm (32|M0) …
//! ///  Basic block #0                                          * Instruction executed: 131072
//! [   2048|   16384] 0x000000 : (W) mov (8|M0) …               * Cache line transferred: 262144 ( 16777216 bytes)
//!    count  lanes    address    assembly                           100% (4063232) -> stride: 4 bytes (1 units)
//! ```
//! | file | becomes |
//! |---|---|
//! | counts, text or JSON | a program of blocks, a listing with its counts, a plan of trace buffers |
//! | accesses, text or JSON | a listing with its sends, tables of sends, strides and sampled addresses |

mod json;

use crate::base::fault::{Fault, Kind, Place, Severity, excerpt};
use crate::base::map::Map;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::format::{Degree, Format, Probe, ProbeResult, Reading, Sink, Want, unreadable};
use crate::input::{Bundle, Entry, EntryId, read_range};
use crate::model::code::{Cells, CodeScope, Column, ColumnStyle, Counts, Lines, Listing, Rows};
use crate::model::id::ListingId;
use crate::systems::instrumentation::Named;
use crate::systems::instrumentation::intel::access::{self, Access, PlacedSend};
use crate::systems::instrumentation::intel::{Code, Line, LineFeed, Listed, program_plan};
use crate::views::executions::compute::{Program, Recorded};
use crate::views::plan::compute::PlanInput;
use std::collections::BTreeMap;

/// The format.
pub(super) static FORMAT: Format = Format {
    id: "pti",
    title: phrase("PTI counts and accesses"),
    written_by: "Intel PTI instcount, memaccess",
    patterns: &["*.txt", "*.json"],
    shows: "Source, Plan, Details",
    source: "github.com/intel/pti-gpu, tools/instcount and tools/memaccess",
    probe: Probe { look, join: None },
    parameters: &[],
    read: |claim, _| {
        let (entry, role) = claim.entries.first().copied().unwrap_or((crate::input::EntryId(u32::MAX), ""));
        if role == JSON {
            Box::new(Named(json::Reading::new(entry)))
        } else {
            Box::new(Named(Text::new(entry)))
        }
    },
    slices: None,
    mode_note: None,
    operators: None,
};

/// Roles of entries.
const JSON: &str = "JSON";
const TEXT: &str = "text";

/// Bytes of the head that is looked at.
const HEAD: u64 = 64 << 10;

fn look(entry: &Entry) -> ProbeResult {
    let head = match read_range(&*entry.source, 0..HEAD) {
        Ok(head) => head,
        Err(error) => return Err((0, unreadable(&error.0))),
    };
    let head = String::from_utf8_lossy(&head);
    let start = head.trim_start_matches('\u{feff}').trim_start();
    if start.starts_with('{') {
        let has = |key: &str| start.contains(key);
        return if has("\"kernels\"") && has("\"kernel_name\"") && has("\"asm\"") {
            Ok((Degree::Certain, JSON, message("kernels with assembly")))
        } else if has("\"app_name\"") && has("\"kernels\"") {
            Ok((Degree::Likely, JSON, message("an application with its kernels")))
        } else {
            Err((0, message("no kernels")))
        };
    }
    let mut has_kernel = false;
    for line in head.lines() {
        has_kernel |= kernel_head(line).is_some();
        if has_kernel && (text_row(line).is_some() || send_head(line).is_some()) {
            return Ok((Degree::Certain, TEXT, message("a kernel with its instructions")));
        }
    }
    Err(if has_kernel {
        (60, message("a kernel without instructions"))
    } else {
        (0, message("no line with a kernel and its run count"))
    })
}

// JSON whose strings were written without escapes: quotes and backslashes inside them are escaped here, as far as one can
// tell them from those that end a string.

/// Escapes what was not. Hands out the text, and where in the old text each added backslash stands.
pub fn repair(text: &[u8]) -> (Vec<u8>, Vec<u64>) {
    let mut out = Vec::with_capacity(text.len() + 64);
    let mut added = Vec::new();
    let mut is_inside = false;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let rest = text.get(at + 1..).unwrap_or(&[]);
        match (is_inside, byte) {
            (false, b'"') => is_inside = true,
            (true, b'"') if ends(rest) => is_inside = false,
            (true, b'"') => {
                added.push(at as u64);
                out.push(b'\\');
            }
            // What follows is escaped already: both bytes stay. A quote behind a backslash may still end the string.
            (true, b'\\') => match rest.first() {
                Some(b'\\' | b'/') => {
                    out.push(byte);
                    at += 1;
                    out.extend(text.get(at));
                    at += 1;
                    continue;
                }
                Some(b'"') if !ends(rest.get(1..).unwrap_or(&[])) => {
                    out.extend(b"\\\"");
                    at += 2;
                    continue;
                }
                _ => {
                    added.push(at as u64);
                    out.push(b'\\');
                }
            },
            _ => {}
        }
        out.push(byte);
        at += 1;
    }
    (out, added)
}

/// Whether a quote before these bytes ends its string: the end of a value, or the begin of the next, follows.
fn ends(rest: &[u8]) -> bool {
    let mut words = rest.iter().filter(|byte| !byte.is_ascii_whitespace());
    match words.next() {
        None | Some(b':' | b'}' | b']') => true,
        Some(b',') => {
            matches!(words.next(), Some(b'"' | b'{' | b'[' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') | None)
        }
        _ => false,
    }
}

/// The byte in the old text of one in the new.
pub fn before(added: &[u64], at: u64) -> u64 {
    // The n-th backslash stands n bytes further on in the new text.
    let n = added.iter().zip(0_u64..).take_while(|(old, n)| *old + n < at).count() as u64;
    at.saturating_sub(n)
}

// A kernel as it was read, and what it becomes: a program, its listing, a plan of its trace buffers.

/// Entries whose counts are JSON: a text of the same run describes it once more.
#[derive(Default)]
pub(super) struct JsonCounts(pub(super) Vec<u32>);

/// How often an instruction ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    /// Executions over all threads.
    runs: u64,
    /// Active lanes over all of them.
    lanes: Option<u64>,
    /// Where the file says it: byte and line.
    at: (u64, u32),
}

impl Count {
    /// Active lanes of one execution in the mean.
    fn mean(&self) -> Option<f64> {
        self.lanes.filter(|_| 0 < self.runs).map(|lanes| lanes as f64 / self.runs as f64)
    }
}

/// A kernel.
#[derive(Default)]
struct Kernel {
    name: String,
    code: BTreeMap<u64, Code>,
    /// How often they ran.
    counts: BTreeMap<u64, Count>,
    /// What the file says of blocks: first address and number.
    marks: BTreeMap<u64, u32>,
    accesses: BTreeMap<u64, Access>,
}

impl Kernel {
    /// Adds counts of another run or tile.
    fn count(&mut self, address: u64, count: Count) {
        let own = self.counts.entry(address).or_insert(Count { runs: 0, lanes: None, ..count });
        own.runs = own.runs.saturating_add(count.runs);
        own.lanes =
            own.lanes.map_or(count.lanes, |lanes| Some(lanes.saturating_add(count.lanes.unwrap_or(0))));
    }

    /// Puts the kernel into the trace.
    fn finish(self, path: &str, entry: u32, sink: &mut Sink) {
        if self.code.is_empty() {
            return;
        }
        let listed = Listed {
            name: self.name.clone(),
            entry,
            code: &self.code,
            marks: &self.marks,
            labels: &Map::default(),
        };
        let mut program = listed.program();
        program.listing = self.listing(&program, entry, sink);
        let head = sink.builder.head();
        if head.title.is_empty() {
            head.title.clone_from(&self.name);
        }
        let has_counts = !self.counts.is_empty();
        if has_counts {
            self.check(&program, path, sink);
            let head = sink.builder.head();
            let recorded: &mut Recorded = head.extensions.get_or_default();
            let row = u32::try_from(recorded.programs.len()).unwrap_or(u32::MAX);
            let (mut kernel, packed) =
                program_plan(&program, row, |at| self.counts.get(&at).map(|count| count.runs));
            recorded.programs.push(program);
            phrase("instruction counts").clone_into(&mut kernel.counts_from);
            let input: &mut PlanInput = head.extensions.get_or_default();
            let row = u32::try_from(input.kernels.len()).unwrap_or(u32::MAX);
            input.kernels.push(kernel);
            input.packed.extend(
                packed.map(|packed| crate::views::plan::compute::PackedRecords { kernel: row, ..packed }),
            );
        }
        let rows: Vec<PlacedSend> = self
            .accesses
            .iter()
            .map(|(address, access)| PlacedSend {
                kernel: &self.name,
                address: *address,
                text: self.code.get(address).map_or("", |code| code.text.trim()),
                access,
            })
            .collect();
        access::show(sink.builder.head(), "pti", &rows);
    }

    /// Instructions of one block run equally often.
    fn check(&self, program: &Program, path: &str, sink: &mut Sink) {
        for block in &program.blocks {
            let own = program.instructions.iter().skip(block.first as usize).take(block.len as usize);
            let mut counts =
                own.filter_map(|one| self.counts.get(&one.address).map(|count| (one.address, count)));
            let Some((first, count)) = counts.next() else { continue };
            if let Some((address, other)) = counts.find(|(_, other)| other.runs != count.runs) {
                let said = |at: u64, n: u64| {
                    message("{address} executed {n} times").with("address", format!("{at:#x}")).with("n", n)
                };
                let (a, b) = (said(first, count.runs), said(address, other.runs));
                let (byte, line) = other.at;
                let place = Place { byte: Some(byte), ..Place::entry(path) }.block(block.label.clone());
                let place = if line == 0 { place } else { place.line(line, 1) };
                let fault = Fault::new("PTI-COUNT", Severity::Warning, place, Kind::Contradiction { a, b });
                sink.fault(fault.note(phrase("The count of the block's first instruction is used.")));
            }
        }
    }

    /// The listing with its columns.
    fn listing(&self, program: &Program, entry: u32, sink: &mut Sink) -> Option<ListingId> {
        let mut lines = Lines::default();
        self.code.values().for_each(|code| lines.push(&code.text));
        let numbers = |of: &dyn Fn(&u64) -> Option<f64>| -> Vec<f64> {
            self.code.keys().map(|at| of(at).unwrap_or(f64::NAN)).collect()
        };
        let column = |name: &str, unit, style, values: Vec<f64>| {
            let is_there = values.iter().any(|value| !value.is_nan());
            let cells = Cells::Numbers { values, stride: 1, rows: Rows::All };
            is_there.then(|| Column { name: name.to_owned(), unit, style, counts: None, cells })
        };
        let access = |of: fn(&Access) -> Option<f64>| numbers(&move |at| of(self.accesses.get(at)?));
        let own = |of: fn(&Count) -> Option<u64>| numbers(&move |at| Some(of(self.counts.get(at)?)? as f64));
        let executions = |name: &str, values| {
            let column = column(name, Unit::None, ColumnStyle::Bar, values)?;
            Some(Column { counts: Some(Counts::Executions), ..column })
        };
        let columns = [
            executions(phrase("Instruction count"), own(|count| Some(count.runs))),
            column(phrase("SIMD lanes"), Unit::None, ColumnStyle::Bar, own(|count| count.lanes)),
            column(
                phrase("Lanes, mean"),
                Unit::None,
                ColumnStyle::Plain,
                numbers(&|at| self.counts.get(at)?.mean()),
            ),
            executions(phrase("Executions"), access(|one| Some(one.executed as f64))),
            column(
                phrase("Active lanes"),
                Unit::None,
                ColumnStyle::Plain,
                access(|one| Some(one.lanes as f64)),
            ),
            column(phrase("Cache lines"), Unit::None, ColumnStyle::Bar, access(|one| Some(one.lines as f64))),
            column(phrase("Moved"), Unit::Bytes, ColumnStyle::Plain, access(|one| Some(one.moved as f64))),
            column(phrase("Efficiency"), Unit::Share, ColumnStyle::Share, access(Access::used)),
        ];
        let blocks = program.blocks.iter().flat_map(|block| (0..block.len).map(|_| block.label.clone()));
        let of_blocks = (!self.counts.is_empty()).then(|| Column {
            name: phrase("Block").to_owned(),
            unit: Unit::None,
            style: ColumnStyle::Plain,
            counts: None,
            cells: Cells::Texts { values: blocks.collect(), stride: 1, rows: Rows::All },
        });
        let kernel = sink.builder.intern(&self.name);
        let listings = &mut sink.builder.head().code.listings;
        let id = u32::try_from(listings.len()).ok().map(ListingId);
        listings.push(Listing {
            columns: of_blocks.into_iter().chain(columns.into_iter().flatten()).collect(),
            ..Listing::assembly(
                self.name.clone(),
                CodeScope { entry: Some(entry), kernel },
                lines,
                self.code.keys().copied().collect(),
            )
        });
        id
    }
}

// The text of both tools, line by line.

/// A text that is being read.
struct Text {
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
fn kernel_head(line: &str) -> Option<&str> {
    let inside = line.trim().strip_prefix("=== ")?;
    let (name, rest) = inside.rsplit_once("(runs ")?;
    rest.contains("times)").then(|| name.trim())
}

/// `[   2048|   16384] 0x000000 : mov …`: executions, lanes, address, assembly.
fn text_row(line: &str) -> Option<(u64, Option<u64>, u64, &str)> {
    let (inside, rest) = line.trim_start().strip_prefix('[')?.split_once(']')?;
    let (count, lanes) = inside.split_once('|').map_or((inside, None), |(count, lanes)| (count, Some(lanes)));
    let lanes = lanes.map(|lanes| lanes.trim().parse()).transpose().ok()?;
    let (address, text) = send_head(rest)?;
    Some((count.trim().parse().ok()?, lanes, address, text))
}

/// `0x000260 :   send.ugm …`: address and assembly.
fn send_head(line: &str) -> Option<(u64, &str)> {
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
    fn new(entry: EntryId) -> Self {
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
        } else if let Some((count, lanes, address, assembly)) = text_row(text) {
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
