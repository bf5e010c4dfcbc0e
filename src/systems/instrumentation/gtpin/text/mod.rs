//! `GTPin`: what its sample tools print as text.
//!
//! | text | becomes |
//! |---|---|
//! | times of kernels, latencies of instructions | tables, and a table by kernel |
//! | mix of opcodes | a table |
//! | sizes of the traces that a first run found | rows of the buffer plan |
//! | strides of sends | tables of sends and strides |
//! | listings of instructions | programs of blocks with their listings |

mod profile;

use crate::base::fault::{Fault, Kind, Place, Severity, excerpt};
use crate::base::map::Map;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::format::{self, Degree, Format, Probe, ProbeResult, Sink, Want, unreadable};
use crate::input::{Bundle, Entry, EntryId, read_range};
use crate::model::code::{CodeScope, Lines, Listing};
use crate::model::figure::{Cell, TableColumn, TableFigure};
use crate::model::id::ListingId;
use crate::systems::instrumentation::intel::access::{Access, PlacedSend, show};
use crate::systems::instrumentation::intel::{Line, LineFeed, Listed, TableText, add};
use crate::systems::instrumentation::{Named, intel};
use crate::views::executions::compute::Recorded;
use crate::views::plan::compute::{KernelSize, PackedRecords, PlanInput};
use std::collections::BTreeMap;

/// The format.
pub(crate) static FORMAT: Format = Format {
    id: "gtpin_text",
    title: phrase("GTPin text"),
    written_by: "GTPin funtime, latency, opcodeprof, memorytrace (first phase), stride; instruction listings",
    patterns: &["*.txt", "*.out", "*.asm"],
    shows: "Tables, Details, Plan, Source",
    source: "the sample tools of GTPin 4.7 and real files",
    probe: Probe { look, join: None },
    parameters: &[],
    read: |claim, _| {
        let (entry, role) = claim.entries.first().copied().unwrap_or((EntryId(u32::MAX), ""));
        Box::new(Named(Reading::new(entry, role)))
    },
    slices: None,
    mode_note: None,
    operators: None,
};

/// Roles of entries.
const TIMES: &str = "times of kernels";
const LATENCIES: &str = "latencies of instructions";
const OPCODES: &str = "mix of opcodes";
const SIZES: &str = "trace sizes";
const STRIDES: &str = "strides of sends";
const LISTING: &str = "listing of instructions";

/// Bytes of the head that is looked at.
const HEAD: u64 = 16 << 10;

fn look(entry: &Entry) -> ProbeResult {
    let head = match read_range(&*entry.source, 0..HEAD) {
        Ok(head) => head,
        Err(error) => return Err((0, unreadable(&error.0))),
    };
    let is_whole = (head.len() as u64) < HEAD;
    let head = String::from_utf8_lossy(&head);
    // The last line of a head may be cut.
    let n = head.lines().count();
    let lines: Vec<&str> = head.lines().take(if is_whole { n } else { n.saturating_sub(1) }).collect();
    let found = |role, reason: &'static str| Ok((Degree::Certain, role, message(reason)));
    let has_words = |words: &[&str]| {
        lines.iter().any(|line| words.iter().all(|word| line.split_whitespace().any(|w| w == *word)))
    };
    if has_words(&["Name", "HashID", "SIMD", "Total-Cycle"]) {
        return found(TIMES, phrase("a header with HashID and Total-Cycle"));
    }
    if has_words(&["Name", "HashID", "Ins.ID", "Total-latency"]) {
        return found(LATENCIES, phrase("a header with HashID and Ins.ID"));
    }
    if has_words(&["Opcode", "SIMD", "Static(%)", "Dynamic(%)"]) {
        return found(OPCODES, phrase("a header with Opcode and Static(%)"));
    }
    let mut rows = lines.iter().filter(|line| !line.trim().is_empty());
    if let Some(first) = rows.next() {
        if size_row(first).is_some() {
            return found(SIZES, phrase("a kernel with the size of its trace"));
        }
        if stride_head(first).is_some() {
            return found(STRIDES, phrase("a send with its strides"));
        }
    }
    let n_rows = lines.iter().filter(|line| listing_row(line).is_some()).count();
    let has_block = lines.iter().any(|line| listing_block(line).is_some());
    if has_block && n_rows != 0 {
        return found(LISTING, phrase("instruction blocks"));
    }
    if 1 < n_rows && entry.name().to_ascii_lowercase().ends_with(".asm") {
        return Ok((Degree::Likely, LISTING, message("instructions with their addresses")));
    }
    Err((0, message("no header of a kernel table")))
}

// Sizes of traces that a first run found: `memorytrace_pre_process.txt` has the greatest of each kernel,
// `memorytrace_pre_process_dispatch.txt` that of each launch.
//
// ```text
// BitonicSort___CS_asmf641279bbb4bc39f_simd32_7a6d7d0b064fb7e1 142606336
// BitonicSort___CS_asmf641279bbb4bc39f_simd32_7a6d7d0b064fb7e1 142606336 262144  OpenCL 0  0
// unique name                                                  bytes     threads platform n launch
// ```

/// The sizes so far.
#[derive(Default)]
struct Sizes(Vec<KernelSize>);

/// One row; the name may have blanks, as the platform may.
fn size_row(line: &str) -> Option<KernelSize> {
    let unique = line.find("_simd").filter(|at| line.get(..*at).is_some_and(|head| head.contains("_asm")))?;
    let end = unique + line.get(unique..)?.find(char::is_whitespace)?;
    let (name, rest) = line.split_at_checked(end)?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let bytes = words.first()?.parse().ok()?;
    let mut size = KernelSize { name: name.trim().to_owned(), bytes, ..KernelSize::default() };
    if let [_, threads, platform @ .., _, launch] = &words[..] {
        (size.threads, size.launch) = (Some(threads.parse().ok()?), Some(launch.parse().ok()?));
        size.platform = platform.join(" ");
    } else if words.len() != 1 {
        return None;
    }
    Some(size)
}

/// `BitonicSort` of `BitonicSort___CS_asm…`.
fn kernel_name(unique: &str) -> &str {
    let end = unique.find("_asm").and_then(|at| unique.get(..at)?.rfind("___"));
    end.and_then(|end| unique.get(..end)).filter(|name| !name.is_empty()).unwrap_or(unique)
}

impl Part for Sizes {
    fn line(&mut self, line: &str) -> Result<(), &'static str> {
        if !line.is_empty() {
            self.0.push(size_row(line).ok_or(phrase("a kernel with the size of its trace"))?);
        }
        Ok(())
    }

    fn finish(&mut self, _: (EntryId, &Entry), sink: &mut Sink) {
        let head = sink.builder.head();
        if let Some(first) = self.0.first().filter(|_| head.title.is_empty()) {
            kernel_name(&first.name).clone_into(&mut head.title);
        }
        let input: &mut PlanInput = head.extensions.get_or_default();
        input.sizes.append(&mut self.0);
    }
}

// Strides of sends.
//
// ```text
// S_<…> offset attr execSize channelOffset amount lines nStrides lanes unaligned ovfLow ovfHigh
// … … … … stride count                                  nStrides rows: their last two words
// ```
// `attr` has 64 bits: 0 write, 1 scatter, 3 SLM, 4 scratch, 5 atomic, 6 A64, 7 SIMD16, 47:32 bytes of an element,
// 63:48 number of elements.

/// Bytes of a cache line.
const LINE: u64 = 64;

/// A send that is being read.
struct Send {
    kernel: String,
    address: u64,
    access: Access,
}

/// The sends so far.
#[derive(Default)]
struct Strides {
    sends: Vec<Send>,
    /// Rows of strides that belong to the last of them.
    left: u64,
}

fn number(word: &str) -> Option<u64> {
    match word.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => word.parse().ok(),
    }
}

/// The head of a send: kernel, address, what it did, how many rows of strides follow.
fn stride_head(line: &str) -> Option<(String, u64, Access, u64)> {
    let mut words = line.split_whitespace();
    let name = words.next()?.strip_prefix("S_")?;
    let numbers = words.map(number).collect::<Option<Vec<u64>>>()?;
    let &[offset, attributes, lanes_of, _, executed, lines, strides, lanes, unaligned, low, high] =
        &numbers[..]
    else {
        return None;
    };
    let bit = |at: u32| attributes >> at & 1 != 0;
    let (size, elements) = (attributes >> 32 & 0xffff, attributes >> 48);
    let words = [
        (bit(1), "Scatter"),
        (bit(3), "SLM"),
        (bit(4), "Scratch"),
        (bit(5), "Atomic"),
        (bit(6), "A64"),
        (bit(0), "Write"),
        (!bit(0), "Read"),
    ];
    let words: Vec<&str> = words.into_iter().filter(|(is_set, _)| *is_set).map(|(_, word)| word).collect();
    let access = Access {
        kind: format!("ExecSize_{lanes_of} {size} bytes X{elements} {}", words.join(" ")),
        bytes: size.checked_mul(elements.max(1)).filter(|bytes| *bytes != 0),
        executed,
        lanes,
        lines,
        moved: lines.saturating_mul(LINE),
        unaligned,
        outside: (low, high),
        ..Access::default()
    };
    Some((name.to_owned(), offset, access, strides))
}

impl Part for Strides {
    fn line(&mut self, line: &str) -> Result<(), &'static str> {
        if line.is_empty() {
            return Ok(());
        }
        if let Some((kernel, address, access, strides)) = stride_head(line) {
            self.left = strides;
            self.sends.push(Send { kernel, address, access });
            return Ok(());
        }
        let mut words = line.split_whitespace().rev();
        let count = words.next().and_then(number);
        let stride = words.next().and_then(|word| word.parse::<i64>().ok());
        let both = stride.zip(count).filter(|_| self.left != 0);
        let (both, send) = both.zip(self.sends.last_mut()).ok_or(phrase("a send with its strides"))?;
        self.left -= 1;
        send.access.strides.push(both);
        Ok(())
    }

    fn finish(&mut self, (_, entry): (EntryId, &Entry), sink: &mut Sink) {
        let head = sink.builder.head();
        if head.title.is_empty() {
            entry.name().clone_into(&mut head.title);
        }
        let rows = self.sends.iter().map(|send| PlacedSend {
            kernel: &send.kernel,
            address: send.address,
            text: "",
            access: &send.access,
        });
        show(head, "gtpin", &rows.collect::<Vec<_>>());
    }
}

// Listings of instructions with their blocks.
//
// ```text
// // BBL0
// /* [000010] */ (W) or (1|M0) cr0.0<1>:ud …        offset in hexadecimal digits
// [    1] (W) or (1|M0) cr0.0<1>:ud …               or the number of the instruction
// L328:                                             a label
// ```

/// The listing so far.
#[derive(Default)]
struct Code {
    rows: BTreeMap<u64, intel::Code>,
    marks: BTreeMap<u64, u32>,
    labels: Map<String, u64>,
    /// The block and the labels whose first instruction comes next.
    mark: Option<u32>,
    open: Vec<String>,
}

/// `// BBL3`: the number of a block.
fn listing_block(line: &str) -> Option<u32> {
    line.trim().strip_prefix("//")?.trim().strip_prefix("BBL")?.trim_end_matches(':').trim().parse().ok()
}

/// Address and assembly.
fn listing_row(line: &str) -> Option<(u64, &str)> {
    let line = line.trim();
    let (radix, rest) = match line.strip_prefix("/*") {
        Some(rest) => (16, rest.trim_start()),
        None => (10, line),
    };
    let (number, text) = rest.strip_prefix('[')?.split_once(']')?;
    let number = number.trim();
    let number = u64::from_str_radix(number.strip_prefix("0x").unwrap_or(number), radix).ok()?;
    let text = if radix == 16 { text.trim_start().strip_prefix("*/")? } else { text };
    let text = text.trim();
    (!text.is_empty()).then_some((number, text))
}

/// `L328:`.
fn label(line: &str) -> Option<&str> {
    let name = line.strip_suffix(':')?;
    let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b == b'.');
    (is_name && !name.is_empty()).then_some(name)
}

impl Part for Code {
    fn line(&mut self, line: &str) -> Result<(), &'static str> {
        if let Some((address, text)) = listing_row(line) {
            self.rows.entry(address).or_insert_with(|| intel::Code { text: text.to_owned(), source: None });
            if let Some(mark) = self.mark.take() {
                self.marks.insert(address, mark);
            }
            self.labels.extend(self.open.drain(..).map(|name| (name, address)));
        } else if let Some(number) = listing_block(line) {
            self.mark = Some(number);
        } else if let Some(name) = label(line) {
            self.open.push(name.to_owned());
        } else if line.starts_with("/*") && line.contains('[') || line.starts_with('[') {
            return Err(phrase("an instruction with its address"));
        }
        Ok(())
    }

    fn finish(&mut self, (id, entry): (EntryId, &Entry), sink: &mut Sink) {
        if self.rows.is_empty() {
            return;
        }
        let name = entry.name().to_owned();
        let listed = Listed {
            name: name.clone(),
            entry: id.0,
            code: &self.rows,
            marks: &self.marks,
            labels: &self.labels,
        };
        let mut program = listed.program();
        let kernel = sink.builder.intern(&name);
        let head = sink.builder.head();
        if head.title.is_empty() {
            head.title.clone_from(&name);
        }
        program.listing = u32::try_from(head.code.listings.len()).ok().map(ListingId);
        let mut lines = Lines::default();
        self.rows.values().for_each(|code| lines.push(&code.text));
        head.code.listings.push(Listing::assembly(
            name,
            CodeScope { entry: Some(id.0), kernel },
            lines,
            self.rows.keys().copied().collect(),
        ));
        let recorded: &mut Recorded = head.extensions.get_or_default();
        let row = u32::try_from(recorded.programs.len()).unwrap_or(u32::MAX);
        let (plan, packed) = intel::program_plan(&program, row, |_| None);
        recorded.programs.push(program);
        let input: &mut PlanInput = head.extensions.get_or_default();
        let kernel = u32::try_from(input.kernels.len()).unwrap_or(u32::MAX);
        input.kernels.push(plan);
        input.packed.extend(packed.map(|packed| PackedRecords { kernel, ..packed }));
    }
}

// Reads one text, line by line, as what it was recognized for.

/// What a text becomes.
trait Part {
    /// Takes the next line without blanks around it; says what was expected when it is damaged.
    fn line(&mut self, line: &str) -> Result<(), &'static str>;

    /// Everything was read.
    fn finish(&mut self, entry: (EntryId, &Entry), sink: &mut Sink);
}

/// A text that is being read.
struct Reading {
    entry: EntryId,
    path: String,
    lines: LineFeed,
    part: Box<dyn Part>,
    is_asked: bool,
}

impl Reading {
    fn new(entry: EntryId, role: &str) -> Self {
        let part: Box<dyn Part> = match role {
            LATENCIES => Box::new(profile::Latencies::default()),
            OPCODES => Box::new(Opcodes::default()),
            SIZES => Box::new(Sizes::default()),
            STRIDES => Box::new(Strides::default()),
            LISTING => Box::new(Code::default()),
            _ => Box::new(profile::Times::default()),
        };
        Self { entry, path: String::new(), lines: LineFeed::default(), part, is_asked: false }
    }

    fn line(&mut self, line: &Line, sink: &mut Sink) {
        if let Err(expected) = self.part.line(line.text.trim()) {
            let kind =
                Kind::Unexpected { expected: expected.into(), found: excerpt(line.text.as_bytes()).into() };
            let place = Place::byte(&self.path, line.at).line(line.number, 1);
            sink.fault(
                Fault::new("GTP-LINE", Severity::Loss, place, kind).note(phrase("The line is skipped.")),
            );
        }
    }
}

impl format::Reading for Reading {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        let entry = bundle.get(self.entry);
        if self.is_asked {
            let mut lines = std::mem::take(&mut self.lines);
            lines.finish(|line| self.line(&line, sink));
            if let Some(entry) = entry {
                self.part.finish((self.entry, entry), sink);
            }
            return Ok(Want::Done);
        }
        self.is_asked = true;
        sink.step = "Reading";
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

// The mix of opcodes of a kernel, by data type; its folder names the kernel.
//
// ```text
// DATA TYPE: ud
// Opcode  SIMD  Static(%)  Dynamic(%)
// add     16    12.50      30.10
// ```

/// The rows so far.
#[derive(Default)]
struct Opcodes {
    data_type: String,
    has_head: bool,
    rows: Vec<Vec<Cell>>,
}

impl Part for Opcodes {
    fn line(&mut self, line: &str) -> Result<(), &'static str> {
        if let Some(name) = line.strip_prefix("DATA TYPE:") {
            (self.data_type, self.has_head) = (name.trim().to_owned(), false);
            return Ok(());
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.contains(&"Opcode") {
            self.has_head = true;
            return Ok(());
        }
        // Rules between parts, sums and remarks have no four words.
        let &[opcode, simd, fixed, dynamic] = &words[..] else { return Ok(()) };
        if !self.has_head {
            return Ok(());
        }
        let number = |word: &str| word.trim_end_matches('%').parse().ok().filter(|n: &f64| n.is_finite());
        let (fixed, dynamic) =
            number(fixed).zip(number(dynamic)).ok_or(phrase("an opcode with its shares"))?;
        self.rows.push(vec![
            Cell::Text(self.data_type.clone()),
            Cell::Text(opcode.to_owned()),
            Cell::Text(simd.to_owned()),
            Cell::Number(fixed),
            Cell::Number(dynamic),
        ]);
        Ok(())
    }

    fn finish(&mut self, (_, entry): (EntryId, &Entry), sink: &mut Sink) {
        let folder = entry.path.rsplit('/').nth(1).map_or("", kernel_name);
        let head = sink.builder.head();
        if head.title.is_empty() {
            folder.clone_into(&mut head.title);
        }
        let columns = vec![
            TableColumn::new(phrase("Data type"), Unit::None),
            TableColumn::new(phrase("Opcode"), Unit::None),
            TableColumn::new("SIMD", Unit::None),
            TableColumn::new(phrase("Static"), Unit::Percent),
            TableColumn::bars(phrase("Dynamic"), Unit::Percent),
        ];
        let title = phrase("Opcode mix");
        let title = if folder.is_empty() { title.to_owned() } else { format!("{title} {folder}") };
        let text = TableText { id: "gtpin-opcodes", section: phrase("Instructions"), title: &title };
        let rows = std::mem::take(&mut self.rows);
        add(head, &text, TableFigure { columns, rows, ..TableFigure::default() });
    }
}
