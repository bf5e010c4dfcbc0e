//! Ascend operator profiles: `visualize_data.bin`, written by msprof op, msopprof and the simulator of CANN.
//!
//! A concatenation of blocks without header, directory or check sum; the layout of a block is in [`Header`]. The first
//! block of a file may be of any type; new types are kept, so that files of later tools still open.
//!
//! | type | holds | read |
//! |---|---|---|
//! | 01 | text of a source | yes; of copies the last |
//! | 02 | Trace Event JSON | yes; all of them |
//! | 03, 04 | metrics of source lines; instructions | yes |
//! | 05, 06, 07, 0C | base info, compute workload, core occupancy | yes |
//! | 0A | memory accesses with call stacks, binary | yes; all of them |
//! | 0B, 0E | cache lines, binary and as JSON | yes |
//! | 0D, 0F | rooflines, stall reasons | yes |
//! | 08, 09 | memory chart, memory tables | yes |
//!
//! Beside a container lie CSV files with values of each block ([`sheets`]): they join it as tables, and what both say is
//! compared. A folder with CSV files alone opens too.
//!
//! Facts: the public sources of the vendor's viewer and writer (Ascend/msinsight at 4e16fca1, Ascend/msopprof at d6c29dfa)
//! and their design document; checked against nine files of real devices.

#![deny(clippy::cast_possible_truncation)]

pub mod code;
pub mod details;
mod field;
pub mod project;
mod reading;
mod records;
pub mod sheets;
mod walk;

pub(super) use details::{
    AT_MOST, IN_LONGEST, OF_SOME, PIPES, SHOWN_OF_CORES, UnitParts, WAITS_COARSE, WAITS_OF_SOME,
    WAITS_UNTIMED, chip_cores, heads_of, is_of_some, shown_units, unit_key,
};

pub(super) use code::ADDRESSES;
pub(super) use sheets::MOVES_OF_SOME;

use crate::base::fault::{Fault, Kind, Place, Severity, found};
use crate::base::map::Map;
use crate::base::words::{Message, message, phrase};
use crate::base::{number, order};
use crate::format::{Claim, Degree, Format, Operators, Probe, ProbeResult, Probed, Reading, Sink};
use crate::input::{Bundle, Cursor, Entry, read_range};
use crate::model::Trace;
use crate::model::files::{Block, BlockState, Missing};
use crate::model::parameter::Values;
use crate::systems::trace_event;
use std::borrow::Cow;
use std::collections::VecDeque;
use walk::block_name;

/// The format.
pub static FORMAT: Format = Format {
    id: "msinsight",
    title: "Ascend operator profile",
    written_by: "msprof op and msopprof (CANN), on device and simulator",
    patterns: &["visualize_data.bin", "*.bin", "OPPROF_*/"],
    shows: "Pipe timeline, source and instructions, compute workload, core occupancy, memory chart, rooflines, cache maps, memory accesses, accompanying CSV files",
    source: "https://gitcode.com/Ascend/msinsight",
    probe: Probe { look, join: Some(join) },
    parameters: &[],
    read,
    slices: Some(&trace_event::SLICES),
    mode_note: Some(|mode| {
        (mode & 0o022 != 0).then_some("is writable by others: MindStudio Insight refuses it on Linux.")
    }),
    operators: Some(Operators {
        switch: "",
        title: phrase("Operators"),
        find: project::find,
        head: project::head,
    }),
};

/// Role of a `visualize_data.bin`.
const CONTAINER: &str = "container";
/// Role of a CSV file.
const SHEET: &str = "table";

/// Blocks that a probe walks over before it is sure: so many headers in their places are no chance, and every one costs a
/// read of its own.
const PROBED_BLOCKS: usize = 32;

fn read(claim: &Claim, _: &Values) -> Box<dyn Reading> {
    Box::new(sheets::Operator::new(claim))
}

/// Adds what lies beside containers to their claims.
fn join(bundle: &Bundle, probed: &mut Probed) {
    sheets::claim(bundle, probed);
    project::claim_copies(bundle, probed);
}

/// Looks at an entry: only containers stand alone.
fn look(entry: &Entry) -> ProbeResult {
    container(entry).map(|(degree, reason)| (degree, CONTAINER, reason))
}

/// How sure, and why; or how near, and what is missing.
fn container(entry: &Entry) -> Result<(Degree, Message), (u8, Message)> {
    let source = &*entry.source;
    let len = source.len();
    let header_at = |at: u64| {
        let bytes = read_range(source, at..at.saturating_add(HEADER_BYTES)).unwrap_or_default();
        Header::parse(&bytes)
    };
    let score = |passed: u8| passed * 15 + if entry.name() == "visualize_data.bin" { 20 } else { 0 };
    let Some(first) = header_at(0) else {
        let missed = message("byte 0: expected {n} bytes, found {m}").with("n", HEADER_BYTES).with("m", len);
        return Err((score(0), missed));
    };
    if !first.is_sound() || first.size == 0 && first.kind == 0 {
        let missed = first.missed_text(len);
        let missed = missed.unwrap_or_else(|| message("byte 8: expected a block type, found 00"));
        return Err((score(first.passes(len)), missed));
    }
    let mut at = 0;
    for n in 0..PROBED_BLOCKS {
        if at == len {
            return Ok((Degree::Certain, message("{n} blocks fill the file exactly").with("n", n)));
        }
        let Some(header) = header_at(at) else {
            let reason = message("{n} blocks, then {m} bytes").with("n", n).with("m", len - at);
            return Ok((Degree::Certain, reason));
        };
        let end = header.block_bytes().and_then(|bytes| at.checked_add(bytes));
        match (header.is_sound(), end.filter(|&end| end <= len)) {
            (true, Some(end)) => at = end,
            (true, None) if 0 < n => {
                return Ok((Degree::Certain, message("{n} blocks, then a truncated one").with("n", n)));
            }
            (true, None) => return one_cut_block(&first, len, score(4)),
            (false, _) => {
                let reason =
                    message("{n} blocks, then no header at byte {byte}").with("n", n).with("byte", at);
                return Ok((Degree::Likely, reason));
            }
        }
    }
    Ok((Degree::Certain, message("more than {n} blocks").with("n", PROBED_BLOCKS)))
}

/// The only block is longer than the file: a cut download, or chance.
fn one_cut_block(first: &Header, len: u64, score: u8) -> Result<(Degree, Message), (u8, Message)> {
    if Type::name(first.kind).is_some() && first.size < 1 << 40 {
        return Ok((Degree::Likely, message("a truncated block")));
    }
    Err((score, first.missed_text(len).unwrap_or_default()))
}

// What a profile could hold and does not, with how to record it: the writer leaves blocks out that it was not asked for.
//
// | block | written by |
// |---|---|
// | 01, 03, 04 | `msprof op --aic-metrics=Source`, the simulator; both need `-g` |
// | 02 | the simulator |
// | 0C, 0D | `msprof op --aic-metrics=Occupancy`, `=Roofline` |
// | 08 | `msprof op` on a device |

/// Something that can be missing: the view or figure that shows it, its title, its blocks, and how to record it.
struct Part {
    id: &'static str,
    title: &'static str,
    blocks: &'static [u8],
    why: fn() -> Message,
}

const PARTS: [Part; 6] = [
    Part {
        id: "timeline",
        title: "Timeline",
        blocks: &[Type::TRACE],
        why: || message("No timeline in this file: record one with msprof op simulator."),
    },
    Part {
        id: "statistics",
        title: "Statistics",
        blocks: &[Type::TRACE],
        why: || {
            message(
                "No statistics in this file: they are of slices of a timeline, which msprof op simulator records.",
            )
        },
    },
    Part {
        id: "source",
        title: "Source",
        blocks: &[Type::SOURCE, Type::API_FILE, Type::API_INSTR],
        why: || {
            message(
                "No source in this file: compile the kernel with -g, and record with msprof op --aic-metrics=Source or with msprof op simulator.",
            )
        },
    },
    Part {
        id: "core-occupancy",
        title: phrase("Core occupancy"),
        blocks: &[Type::OCCUPANCY],
        why: || {
            message(
                "No core occupancy in this file: record with msprof op --aic-metrics=Occupancy on a device.",
            )
        },
    },
    Part {
        id: "roofline-chart",
        title: phrase("Roofline"),
        blocks: &[Type::ROOFLINE],
        why: || {
            message("No rooflines in this file: record with msprof op --aic-metrics=Roofline on a device.")
        },
    },
    Part {
        id: "memory-graph",
        title: phrase("Memory chart"),
        blocks: &[Type::MEMORY_GRAPH],
        why: || message("No memory chart in this file: record with msprof op on a device."),
    },
];

/// Adds what is not there. A block that is there but could not be read is no missing one; its faults say what happened.
fn missing_note(has_container: bool, trace: &mut Trace) {
    for part in &PARTS {
        let is_of_it = |kind: u32| part.blocks.iter().any(|own| u32::from(*own) == kind);
        if trace.blocks.iter().any(|block| is_of_it(block.kind)) {
            continue;
        }
        let why = if has_container {
            (part.why)()
        } else {
            message("CSV files do not contain this. Also open visualize_data.bin of the same run.")
        };
        trace.missing.push(Missing { id: part.id.to_owned(), title: part.title.to_owned(), why });
    }
}

// Takes stock after the walk: which copy of a block counts, which blocks are read, and in which order.
//
// Of sources with the same path the last counts (the writer repeats a file for every line that ran), of JSON blocks the
// first; all traces count.

/// A block to be read.
#[derive(Clone, Copy, Debug)]
struct Job {
    /// Its row in the trace's blocks.
    row: usize,
    kind: u8,
}

/// Types that are read, in order. The memory graph comes after the workload, whose advice it holds, and before its tables,
/// which hold its own.
const READ: [u8; 15] = [
    Type::BASE_INFO,
    Type::OCCUPANCY,
    Type::ROOFLINE,
    Type::LOAD_GRAPH,
    Type::LOAD_TABLE,
    Type::STALL_REASONS,
    Type::MEMORY_GRAPH,
    Type::MEMORY_TABLE,
    Type::CACHE_LINES,
    Type::CACHE_RECORDS,
    Type::SOURCE,
    Type::API_FILE,
    Type::API_INSTR,
    Type::MEMORY_RECORDS,
    Type::TRACE,
];

/// Marks the blocks from row `first` on and lists those to be read.
fn take_block_order(first: usize, file: &Entry, sink: &mut Sink) -> VecDeque<Job> {
    let mut copies: Map<(u32, String), (usize, usize)> = Map::default();
    let mut faults = Vec::new();
    let blocks = sink.builder.head().blocks.get_mut(first..).unwrap_or(&mut []);
    for (i, block) in blocks.iter().enumerate() {
        let kind = u8::try_from(block.kind).unwrap_or(0);
        if kind == Type::SOURCE || (Type::is_json(kind) && kind != Type::TRACE) {
            let key = (block.kind, block.path.clone().unwrap_or_default());
            let (counts, n) = copies.entry(key).or_insert((i, 0));
            *n += 1;
            if kind == Type::SOURCE {
                *counts = i;
            }
        }
        if block.state == BlockState::Unknown {
            let what = message("block type 0x{type}").with("type", format!("{:02X}", block.kind));
            let kind = Kind::Unsupported { what, version: String::new() };
            let place = Place::byte(&*file.path, block.offset).block(block_name(block, i + 1));
            let fault = Fault::new("ASC-UNKNOWN", Severity::Note, place, kind);
            faults.push(fault.note("Kept; it can be exported."));
        }
    }
    for (i, block) in blocks.iter_mut().enumerate() {
        let key = (block.kind, block.path.clone().unwrap_or_default());
        let copy = copies.get(&key).copied();
        if copy.is_some_and(|(counts, _)| counts != i) {
            block.state = BlockState::Superseded;
        } else if block.state == BlockState::Read && is_for_later(block) {
            block.state = BlockState::ViewFollows;
        }
        if let Some((counts, n)) = copy.filter(|(counts, n)| *counts == i && 1 < *n) {
            faults.push(copies_fault(block, counts + 1, n, file));
        }
    }
    faults.extend(compatibility_notes(blocks, file));
    let mut jobs: Vec<(usize, Job)> = Vec::new();
    for (i, block) in blocks.iter().enumerate().filter(|(_, b)| b.state != BlockState::Superseded) {
        let kind = u8::try_from(block.kind).unwrap_or(0);
        if let Some(order) = READ.iter().position(|&k| k == kind) {
            jobs.push((order, Job { row: first + i, kind }));
        }
    }
    sink.faults_of(faults);
    order::sort_by_key(&mut jobs, |(order, job)| (*order, job.row));
    jobs.into_iter().map(|(_, job)| job).collect()
}

/// Whether a block is kept for a view that does not exist yet.
fn is_for_later(block: &Block) -> bool {
    !u8::try_from(block.kind).is_ok_and(|kind| READ.contains(&kind))
}

fn copies_fault(block: &Block, number: usize, n: usize, file: &Entry) -> Fault {
    let (kind, note) = match &block.path {
        Some(path) => {
            (message("duplicate source block, {n} of {path}").with("path", path), "The last one is shown.")
        }
        None => (message("duplicate block, {n} of this type"), "The first one is shown."),
    };
    let kind = Kind::Problem(kind.with("n", n));
    let place = Place::byte(&*file.path, block.offset).block(block_name(block, number));
    let fault = Fault::new("ASC-DUP", Severity::Note, place, kind);
    fault.note(note)
}

// What the vendor's viewer would not show of a container that is read here: whoever compares the two should not have to
// guess.

/// The version byte that the viewer asks of the first block.
const VERSION: u8 = 0x5a;
/// Largest content of a JSON block that it reads.
const MOST_JSON: u64 = 100 << 20;

/// Notes on the blocks of a file, each at the block it is about.
fn compatibility_notes(blocks: &[Block], file: &Entry) -> Vec<Fault> {
    let len = file.source.len();
    let refused = phrase("MindStudio Insight rejects the entire file; Lanescope reads it.");
    let mut faults = Vec::new();
    for (i, block) in blocks.iter().enumerate() {
        let mut say = |expected: &'static str, found: Message, note: &'static str| {
            let kind = Kind::Unexpected { expected: Cow::Borrowed(expected), found };
            let place = Place::byte(&*file.path, block.offset).block(block_name(block, i + 1));
            faults.push(Fault::new("ASC-ORIGINAL", Severity::Note, place, kind).note(note));
        };
        let is_json = u8::try_from(block.kind).is_ok_and(|kind| Type::is_json(kind) && kind != Type::TRACE);
        if i == 0 && block.version != VERSION {
            say("version 5A in the first block", format!("{:02X}", block.version).into(), refused);
        }
        if block.content_size <= u64::from(block.padding) {
            say("a block with content", "none".into(), refused);
        } else if len < block.content_size {
            say("a block shorter than the file", message("{n} bytes").with("n", block.content_size), refused);
        } else if is_json && MOST_JSON < block.content_size {
            let found = message("{n} bytes").with("n", block.content_size);
            say("at most 100 MiB of JSON", found, "MindStudio Insight does not show this block.");
        }
    }
    faults
}

// Headers of blocks: layout, the types of blocks, and what makes a header sound.
//
// | offset | size | name | meaning |
// |---|---|---|---|
// | 0 | 8 | content size | little endian; with the padding, without the path of a source |
// | 8 | 1 | type | see [`Type`] |
// | 9 | 1 | padding | zero bytes at the tail of the content, 0 to 3 |
// | 10 | 1 | version | 5A is "none" |
// | 11 | 1 | mark | 5A |
//
// A source has a path of 4,096 bytes between its header and its content, which does not count as content.

/// Bytes of a header.
const HEADER_BYTES: u64 = 12;
/// Bytes of the path of a source.
const PATH_BYTES: u64 = 4096;
/// Value of the last byte of a header, and of the version byte when there is no version.
const MARK: u8 = 0x5a;
/// Largest type that a header may have to be taken for one without further proof.
const LARGEST_TYPE: u8 = 0x20;
/// Largest version that is taken for one.
const LARGEST_VERSION: u8 = 0x0f;

/// The type numbers that are known.
struct Type;

impl Type {
    /// Text of a source file.
    const SOURCE: u8 = 0x01;
    /// Trace Event JSON.
    const TRACE: u8 = 0x02;
    /// Metrics of source lines.
    const API_FILE: u8 = 0x03;
    /// Instructions with their metrics.
    const API_INSTR: u8 = 0x04;
    /// What the operator is.
    const BASE_INFO: u8 = 0x05;
    /// Compute workload as bars.
    const LOAD_GRAPH: u8 = 0x06;
    /// Compute workload as tables.
    const LOAD_TABLE: u8 = 0x07;
    /// Memory workload as boxes and arrows.
    const MEMORY_GRAPH: u8 = 0x08;
    /// Memory workload as tables.
    const MEMORY_TABLE: u8 = 0x09;
    /// Memory accesses, binary.
    const MEMORY_RECORDS: u8 = 0x0a;
    /// Cache lines, binary.
    const CACHE_RECORDS: u8 = 0x0b;
    /// How busy the cores were.
    const OCCUPANCY: u8 = 0x0c;
    /// Rooflines.
    const ROOFLINE: u8 = 0x0d;
    /// Cache lines as JSON.
    const CACHE_LINES: u8 = 0x0e;
    /// Why warps stalled.
    const STALL_REASONS: u8 = 0x0f;

    /// The reader's name of a type, as the vendor's viewer calls it; the two binary types have none there.
    fn name(kind: u8) -> Option<&'static str> {
        Some(match kind {
            0x00 => "INVALID",
            Self::SOURCE => "SOURCE",
            Self::TRACE => "TRACE",
            Self::API_FILE => "API_FILE",
            Self::API_INSTR => "API_INSTR",
            Self::BASE_INFO => "DETAILS_BASE_INFO",
            Self::LOAD_GRAPH => "DETAILS_COMPUTE_LOAD_GRAPH",
            Self::LOAD_TABLE => "DETAILS_COMPUTE_LOAD_TABLE",
            Self::MEMORY_GRAPH => "DETAILS_MEMORY_GRAPH",
            Self::MEMORY_TABLE => "DETAILS_MEMORY_TABLE",
            Self::MEMORY_RECORDS => "MEMORY_RECORDS",
            Self::CACHE_RECORDS => "CACHE_RECORDS",
            Self::OCCUPANCY => "DETAILS_INTER_CORE_LOAD_GRAPH",
            Self::ROOFLINE => "DETAILS_ROOFLINE",
            Self::CACHE_LINES => "DISPLAY_CACHE",
            Self::STALL_REASONS => "TOP_WARP_STALL_REASON",
            _ => return None,
        })
    }

    /// Whether the payload is one JSON value.
    fn is_json(kind: u8) -> bool {
        matches!(kind, Self::TRACE..=Self::MEMORY_TABLE | Self::OCCUPANCY..=Self::STALL_REASONS)
    }

    /// Whether the payload is binary.
    fn is_binary(kind: u8) -> bool {
        matches!(kind, Self::MEMORY_RECORDS | Self::CACHE_RECORDS)
    }
}

/// The header of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    /// Bytes of content with padding.
    size: u64,
    kind: u8,
    /// Zero bytes at the tail.
    padding: u8,
    version: u8,
    /// Last byte.
    mark: u8,
}

impl Header {
    /// The header at the start of `bytes`; `None` when they are too few.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(bytes, "ASC-HEADER", Place::default());
        Some(Self {
            size: cursor.u64().ok()?,
            kind: cursor.u8().ok()?,
            padding: cursor.u8().ok()?,
            version: cursor.u8().ok()?,
            mark: cursor.u8().ok()?,
        })
    }

    /// Bytes from the start of the header to the content.
    fn head_bytes(&self) -> u64 {
        HEADER_BYTES + if self.kind == Type::SOURCE { PATH_BYTES } else { 0 }
    }

    /// Bytes of the whole block; `None` beyond 64 bits.
    fn block_bytes(&self) -> Option<u64> {
        self.head_bytes().checked_add(self.size)
    }

    /// The first thing that speaks against this being a header: byte in it, what is expected, what was found.
    fn missed(&self) -> Option<(u64, &'static str, String)> {
        if self.mark != MARK {
            Some((11, "5A", format!("{:02X}", self.mark)))
        } else if self.version != MARK && LARGEST_VERSION < self.version {
            Some((10, "5A or a version up to 0F", format!("{:02X}", self.version)))
        } else if 3 < self.padding {
            Some((9, "padding of 0 to 3", self.padding.to_string()))
        } else if LARGEST_TYPE < self.kind {
            Some((8, "a block type up to 20", format!("{:02X}", self.kind)))
        } else {
            None
        }
    }

    /// Whether it looks like a header by itself.
    fn is_sound(&self) -> bool {
        self.missed().is_none()
    }

    /// How many of the five checks it passes in a file of `len` bytes before the first that fails: those behind it pass in
    /// many other files.
    fn passes(&self, len: u64) -> u8 {
        let checks = [
            self.mark == MARK,
            self.version == MARK || self.version <= LARGEST_VERSION,
            self.padding <= 3,
            self.kind <= LARGEST_TYPE,
            self.block_bytes().is_some_and(|n| n <= len) && self.size != 0,
        ];
        checks.iter().take_while(|&&passed| passed).map(|_| 1).sum()
    }

    /// What is wrong with the first header of a file of `len` bytes, in one phrase.
    fn missed_text(&self, len: u64) -> Option<Message> {
        if let Some((byte, expected, own)) = self.missed() {
            let missed = message("byte {byte}: expected {expected}, {found}");
            let missed = missed.with("byte", byte).with_message("expected", expected);
            return Some(missed.with_message("found", found(own)));
        }
        let is_too_long = self.block_bytes().is_none_or(|n| len < n);
        is_too_long.then(|| {
            let n = |v: u64| number::thousands(i64::try_from(v).unwrap_or(i64::MAX));
            let missed = message("byte 0: expected a content size up to {n}, found {found}");
            missed.with("n", n(len)).with("found", n(self.size))
        })
    }
}
