//! What tools of `NVBit` print and write: memory traces, values of registers, counts of instructions, and the JSON of its
//! Rust port.

mod collect;
mod figures;
mod json;
pub mod line;
mod text;

pub(super) use text::ACCESS;

use crate::base::words::{message, phrase};
use crate::format::{Claim, Degree, Format, Probe, ProbeResult, Probed, unreadable};
use crate::input::json::{Json, parse};
use crate::input::{Bundle, Entry, read_range};
use crate::systems::instrumentation::{Named, SHARED_END, address_lanes};
use crate::views::executions::compute::{MemoryOperand, NamedRange, Space};
use line::{Access, MARK, bare, decimal, hex, number, triple};
use memchr::{memchr, memmem};
use std::ops::Range;

/// Why lanes of a record are missing.
const CUT: &str = phrase("the record is truncated");

/// The text that tools print.
pub(super) static TEXT: Format = Format {
    id: "nvbit",
    title: phrase("NVBit output"),
    written_by: "NVBit 1.1 to 1.7: mem_trace, record_reg_vals, instr_count, opcode_hist",
    patterns: &["*.txt", "*.log"],
    shows: "Trace, Source, memory accesses",
    source: "https://github.com/NVlabs/NVBit",
    probe: Probe { look: probe_text, join: None },
    parameters: &[],
    read: |claim, _| Box::new(Named(text::TextReading::new(claim))),
    slices: None,
    mode_note: None,
    operators: None,
};

/// The JSON of the Rust port.
pub(super) static JSON: Format = Format {
    id: "nvbit_json",
    title: phrase("nvbit-rs trace"),
    written_by: "nvbit-rs: mem_trace, accelsim",
    patterns: &["*.json", "kernelslist"],
    shows: "Trace, Source, memory accesses",
    source: "https://github.com/romnn/nvbit-rs",
    probe: Probe { look: probe_json, join: Some(probe_join) },
    parameters: &[],
    read: |claim, _| Box::new(Named(json::JsonReading::new(claim))),
    slices: None,
    mode_note: None,
    operators: None,
};

// What an opcode says of memory: which one, in which direction, and how many bytes of a lane.

/// What an opcode such as `LDG.E.64.SYS` does to memory; `None` for others.
pub fn opcode_operand(opcode: &str) -> Option<MemoryOperand> {
    let opcode =
        opcode.strip_prefix('@').and_then(|rest| rest.split_once(' ')).map_or(opcode, |(_, rest)| rest);
    let mut parts = opcode.split(['.', ' ', ',', ';']);
    let mnemonic = parts.next()?;
    let (reads, writes, is_atomic, space) = match mnemonic {
        "LD" | "LDG" | "LDGSTS" => (true, false, false, Space::Global),
        "ST" | "STG" => (false, true, false, Space::Global),
        "ATOM" | "ATOMG" => (true, true, true, Space::Global),
        "RED" | "REDG" => (false, true, true, Space::Global),
        "LDS" | "LDSM" => (true, false, false, Space::Shared),
        "STS" | "STSM" => (false, true, false, Space::Shared),
        "ATOMS" => (true, true, true, Space::Shared),
        "LDL" => (true, false, false, Space::Local),
        "STL" => (false, true, false, Space::Local),
        "LDC" | "LDCU" => (true, false, false, Space::Constant),
        _ => return None,
    };
    // Each address of a matrix load is that of a row of 16 bytes.
    let bytes = if matches!(mnemonic, "LDSM" | "STSM") { 16 } else { parts.find_map(width).unwrap_or(4) };
    Some(MemoryOperand { reads, writes, is_atomic, bytes: Some(bytes), lanes: address_lanes(opcode), space })
}

/// The side of an `LDGSTS` that a record of it is of: there is one of each operand, that of shared memory with offsets for
/// addresses; `None` for other opcodes.
fn opcode_side(opcode: &str, addresses: &[u64]) -> Option<Space> {
    let is_far = addresses.is_empty() || addresses.iter().any(|address| SHARED_END <= *address);
    opcode.contains("LDGSTS").then_some(if is_far { Space::Global } else { Space::Shared })
}

/// The bytes that a part behind the mnemonic names.
fn width(part: &str) -> Option<u32> {
    match part {
        "U8" | "S8" | "8" => Some(1),
        "U16" | "S16" | "16" | "F16" | "BF16" => Some(2),
        "32" | "U32" | "S32" | "F32" => Some(4),
        "64" | "U64" | "S64" | "F64" => Some(8),
        "128" => Some(16),
        "256" => Some(32),
        _ => None,
    }
}

/// Registers that a line of assembly names outside of addresses, in its order.
pub fn opcode_registers(assembly: &str) -> Vec<u16> {
    let (mut found, mut depth) = (Vec::new(), 0_u32);
    for word in assembly.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
        let name = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        if depth == 0 && name == "RZ" {
            found.push(255);
        } else if depth == 0 {
            found.extend(name.strip_prefix('R').and_then(|n| n.parse::<u16>().ok()));
        }
        depth += u32::from(word.ends_with('['));
        depth -= u32::from(word.ends_with(']') && 0 < depth);
    }
    found
}

// How the outputs are recognized: by their lines, or by the members of the first record.

/// Bytes that are looked at: the traced program may print before its first kernel.
const HEAD: u64 = 64 << 10;
/// Bare lines from which on they are no chance.
const BARE: usize = 4;

/// A text.
fn probe_text(entry: &Entry) -> ProbeResult {
    let bytes = read_range(&*entry.source, 0..HEAD).map_err(|error| (0, unreadable(&error.0)))?;
    let certain = |why: &str| Ok((Degree::Certain, "text", message("a line has {what}").with("what", why)));
    for what in ["MEMTRACE: CTX 0x", "NVBit (NVidia Binary Instrumentation Tool"] {
        if memmem::find(&bytes, what.as_bytes()).is_some() {
            return certain(what);
        }
    }
    let mut n = 0;
    for line in bytes.split(|b| *b == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line)) {
        match line.first() {
            Some(b'k') if head_count(line).is_some() => return certain("#thread-blocks"),
            Some(b'K') if head_kernel(line).is_some_and(|head| head.group != [0; 3]) => {
                return certain("grid size");
            }
            Some(b' ' | b'*') if head_registers(line).is_some() => return certain("* Reg0_T0"),
            Some(b'0') if line.len() < 256 && bare(line).is_some() => n += 1,
            _ => {}
        }
    }
    if BARE <= n {
        return Ok((Degree::Likely, "text", message("lines have data and an address")));
    }
    let is_cut = memmem::find(&bytes, MARK).is_some();
    Err((if is_cut { 30 } else { 0 }, message("no lines from this tool")))
}

/// An array of records, or the object of a launch.
fn probe_json(entry: &Entry) -> ProbeResult {
    let bytes = read_range(&*entry.source, 0..HEAD).map_err(|error| (0, unreadable(&error.0)))?;
    let start = bytes.iter().position(|b| !matches!(b, b' ' | b'\t' | b'\r' | b'\n' | 0xEF | 0xBB | 0xBF));
    let rest = start.and_then(|start| bytes.get(start..)).unwrap_or(&[]);
    let missed =
        |score, what: &str| Err((score, message("the first record has no {what}").with("what", what)));
    match rest.first() {
        Some(b'[') => {
            // Only names count here: the first record may be damaged.
            let first = rest.get(..rest.len().min(4096)).unwrap_or(rest);
            let has = |name: &str| memmem::find(first, name.as_bytes()).is_some();
            match (has("\"addrs\""), has("\"cta_id")) {
                (true, true) => {
                    Ok((Degree::Certain, "records", message("the first record has warp addresses")))
                }
                (true, false) => missed(40, "cta_id"),
                (false, true) => missed(40, "addrs"),
                (false, false) => missed(0, "addrs"),
            }
        }
        Some(b'{') => {
            let (value, _) = parse(rest, 0);
            let has = |name| value.get(name).is_some_and(|value: &Json| !value.is_null());
            if has("kernel_id") && (has("nvbit_version") || has("binary_version")) {
                return Ok((Degree::Certain, "launch", message("it has the members of a launch")));
            }
            Err((0, message("it lacks the members of a launch")))
        }
        _ => Err((0, message("expected an object or an array, found nothing"))),
    }
}

/// The launch of a folder belongs to its records, when there is one of both.
fn probe_join(bundle: &Bundle, probed: &mut Probed) {
    let folder = |claim: &Claim| {
        let entry = claim.entries.first().and_then(|(entry, _)| bundle.get(*entry));
        entry.map(|entry| entry.path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned()))
    };
    let role = |claim: &Claim| claim.entries.first().map_or("", |(_, role)| *role);
    let of = |claims: &[Claim], at: &Option<String>, which: &str| -> Vec<usize> {
        let is_meant = |claim: &Claim| role(claim) == which && folder(claim) == *at;
        claims.iter().enumerate().filter(|(_, claim)| is_meant(claim)).map(|(n, _)| n).collect()
    };
    let mut n = 0;
    while let Some(claim) = probed.claims.get(n) {
        let at = folder(claim);
        let heads = of(&probed.claims, &at, "launch");
        let records = of(&probed.claims, &at, "records");
        if let ([head], [records]) = (heads.as_slice(), records.as_slice())
            && n == *head
            && let Some(entries) = probed.claims.get(*head).map(|claim| claim.entries.clone())
        {
            if let Some(records) = probed.claims.get_mut(*records) {
                records.entries.extend(entries);
            }
            probed.claims.remove(n);
            continue;
        }
        n += 1;
    }
}

// Records that other output was printed into: the program that is traced writes to the same place.
//
// ```text
// MEMTRACE: CTX 0x… - LDG.E - 0x00007ff412a00890 0x00007fstep 7 done⏎
// f412a00894 0x00007ff412a00898 …
// ```
// What is left when the foreign bytes are cut out must be a whole record.

/// Bytes behind a broken line that are searched for the rest of it.
const REACH: usize = 2048;
/// Longest record: the dialect with data has some 1,700 bytes.
const LONGEST: usize = 4096;
/// Foreign bytes that are cut out at most.
const FOREIGN: usize = 1024;
/// Foreign bytes that may look like bytes of the record.
const ALIKE: usize = 8;
/// Longest field or value: the foreign bytes may begin anywhere in it.
const FIELD: usize = 64;
/// Cuts that are tried on a mebibyte of text, so that damage all over a file stays cheap.
pub const TRIES: u32 = 20_000;

/// What stands where a record begins.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    /// A record of so many bytes.
    Whole(usize),
    /// A record of so many bytes, these of which are foreign; and its text without them.
    Mended(usize, Range<usize>, Vec<u8>),
    /// A record that is wrong at a byte, in a line of so many bytes.
    Broken(usize, usize),
    /// More bytes are needed to tell.
    Cut,
}

/// Reads the record at the start of `bytes` into `access`.
fn read_mend(bytes: &[u8], is_last: bool, tries: &mut u32, access: &mut Access) -> Found {
    let end = match memchr(b'\n', bytes.get(..LONGEST).unwrap_or(bytes)) {
        Some(end) => end,
        None if LONGEST <= bytes.len() => LONGEST,
        None if is_last => bytes.len(),
        None => return Found::Cut,
    };
    let line = |end: usize| {
        let line = bytes.get(..end).unwrap_or(bytes);
        line.strip_suffix(b"\r").unwrap_or(line)
    };
    if access.read(line(end)).is_ok() {
        return Found::Whole(end);
    }
    let Some(size) = region(bytes, end, is_last) else { return Found::Cut };
    // The next record may begin in the same line.
    let end = end.min(size);
    match access.read(line(end)) {
        Ok(()) => Found::Whole(end),
        Err(wrong) => match mend(bytes.get(..size).unwrap_or(bytes), wrong, tries, access) {
            Some(mended) => Found::Mended(mended.end, mended.foreign, mended.text),
            None => Found::Broken(end, access.read(line(end)).err().unwrap_or(wrong)),
        },
    }
}

/// The bytes in which the rest of the record must lie that begins at the start of `bytes`, whose first line has `line`
/// bytes; `None` when they have not all arrived.
pub fn region(bytes: &[u8], line: usize, is_last: bool) -> Option<usize> {
    let most = line.saturating_add(REACH);
    let seen = bytes.get(..most.min(bytes.len())).unwrap_or(bytes);
    let next = memmem::find(seen.get(MARK.len()..).unwrap_or(&[]), MARK).map(|at| at + MARK.len());
    match next {
        Some(next) => Some(next),
        // The next record may begin at the very end of what is there.
        None if most + MARK.len() <= bytes.len() || is_last => Some(seen.len()),
        None => None,
    }
}

/// A record that was put together again.
pub struct Mended {
    /// The bytes that were taken for foreign.
    foreign: Range<usize>,
    /// Where the record ends.
    pub end: usize,
    /// What it says without them.
    text: Vec<u8>,
}

/// Cuts foreign bytes out of the record at the start of `region`, which is wrong somewhere in the field or value that
/// begins at byte `wrong`. Then it is in `access`.
pub fn mend(region: &[u8], wrong: usize, tries: &mut u32, access: &mut Access) -> Option<Mended> {
    let end = memchr(b'\n', region).unwrap_or(region.len());
    let froms = || (wrong.saturating_sub(ALIKE).max(MARK.len())..=end.min(wrong + FIELD)).rev();
    // Numbers have a fixed width: when these were reached, the length of the whole is known.
    let len = access.list.filter(|(begin, _)| *begin <= wrong).map(|(_, end)| end);
    let mut joined = Vec::with_capacity(region.len());
    let mut joins = |from: usize, to: usize, tries: &mut u32| -> Option<Mended> {
        let (head, tail) = (region.get(..from)?, region.get(to..)?);
        let line = tail.get(..memchr(b'\n', tail).unwrap_or(tail.len()))?;
        let whole = line.strip_suffix(b"\r").unwrap_or(line);
        // All dialects have 32 numbers of 18 letters, with a blank behind the last.
        let is_len = len.map_or(32 * 18 <= from + whole.len(), |len| from + whole.len() == len);
        let is_end = whole.ends_with(b" ") || (whole.is_empty() && head.ends_with(b" "));
        if !is_len || !is_end || !is_seam(head, whole) {
            return None;
        }
        *tries = tries.checked_sub(1)?;
        joined.clear();
        joined.extend_from_slice(head);
        joined.extend_from_slice(whole);
        // A key that nobody knows is rather made of both.
        let is_whole = access.read(&joined).is_ok() && access.unknown.is_none();
        is_whole.then(|| Mended {
            foreign: from..to,
            end: to + line.len(),
            text: std::mem::take(&mut joined),
        })
    };
    // Most output ends with its line; else the shortest cut that does.
    let lines = memchr::memchr_iter(b'\n', region).map(|at| at + 1);
    let after_lines = lines.map(|to| froms().map(move |from| (from, to)).collect());
    let shortest = (1..=FOREIGN).map(|n| froms().map(move |from| (from, from + n)).collect());
    for cuts in after_lines.chain(shortest) {
        let cuts: Vec<(usize, usize)> = cuts;
        *tries = tries.checked_sub(1)?;
        let mut sound = cuts.into_iter().filter(|(from, to)| from < to && *to <= region.len());
        if let Some(mended) = sound.find_map(|(from, to)| joins(from, to, tries)) {
            return Some(mended);
        }
    }
    None
}

/// Whether two bytes may stand beside each other in a record.
fn is_seam(head: &[u8], tail: &[u8]) -> bool {
    let (Some(a), Some(b)) = (head.last(), tail.first()) else { return tail.is_empty() };
    match a {
        b' ' => !matches!(b, b' ' | b','),
        b',' => b.is_ascii_digit(),
        _ => b.is_ascii_alphanumeric() || matches!(b, b' ' | b',' | b'.' | b'_' | b'(' | b')' | b':'),
    }
}

// Lines around the records: launches, counts of instructions, allocations, and the heads of register values.

/// What a line says of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchHead {
    context: u64,
    /// The number that the line prints.
    pub id: Option<u64>,
    pub name: String,
    pub pc: u64,
    pub grid: [u32; 3],
    pub group: [u32; 3],
    /// The rest, as name and value.
    pub facts: Vec<(String, String)>,
}

/// Keys behind the name, with what they are called in facts.
const FACTS: [(&str, &str); 3] =
    [("nregs", "registers"), ("shmem", "shared memory"), ("cuda stream id", "stream")];

/// `MEMTRACE: CTX 0x… - LAUNCH - Kernel pc 0x… - Kernel name … - grid launch id 1 - grid size 8,1,1 - …`: the name may hold
/// ` - ` and commas; the shorter variant ends with the number of the launch.
pub fn head_launch(line: &[u8]) -> Option<LaunchHead> {
    let rest = line.strip_prefix(MARK)?.strip_prefix(b"CTX 0x")?;
    let split = memmem::find(rest, b" - LAUNCH - ")?;
    let context = hex(rest.get(..split)?)?;
    let text = String::from_utf8_lossy(rest.get(split + " - LAUNCH - ".len()..)?);
    let (before, named) = text.split_once("Kernel name ")?;
    let pc = before.split_once("0x").and_then(|(_, pc)| hex(pc.split(' ').next()?.as_bytes()));
    let (name, keys) = named.rsplit_once(" - grid launch id ").unwrap_or((named, ""));
    let mut head = LaunchHead { context, name: name.to_owned(), pc: pc?, ..LaunchHead::default() };
    let (id, keys) = keys.split_once(" - ").unwrap_or((keys, ""));
    head.id = decimal(id.as_bytes());
    head.keys(keys);
    head.id.is_some().then_some(head)
}

/// `Kernel <name> - grid size 8,1,1 - block size 1024,1,1 - nregs 12 - shmem 0 - cuda stream id 0`: written before the
/// values of registers.
pub fn head_kernel(line: &[u8]) -> Option<LaunchHead> {
    let text = String::from_utf8_lossy(line.strip_prefix(b"Kernel ")?);
    let (name, keys) = text.rsplit_once(" - grid size ")?;
    let mut head = LaunchHead { name: name.to_owned(), ..LaunchHead::default() };
    head.keys(&format!("grid size {keys}"));
    (head.grid != [0; 3]).then_some(head)
}

impl LaunchHead {
    /// Keys and values between ` - `.
    fn keys(&mut self, text: &str) {
        for part in text.split(" - ") {
            if let Some(grid) = part.strip_prefix("grid size ") {
                self.grid = triple(grid.as_bytes()).unwrap_or_default();
            } else if let Some(group) = part.strip_prefix("block size ") {
                self.group = triple(group.as_bytes()).unwrap_or_default();
            }
            let fact = FACTS.iter().find_map(|(key, name)| {
                let value = part.strip_prefix(key)?.strip_prefix(' ')?;
                Some(((*name).to_owned(), value.to_owned()))
            });
            self.facts.extend(fact);
        }
    }
}

/// Instructions that a kernel ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub kernel: u64,
    pub name: String,
    pub groups: u64,
    pub instructions: u64,
    pub total: u64,
    /// The same by opcode, where the tool counts them.
    opcodes: Vec<(String, u64)>,
}

/// `kernel 0 - <name> - #thread-blocks 98,  kernel instructions 50077, total instructions 50077`.
pub fn head_count(line: &[u8]) -> Option<Count> {
    let text = String::from_utf8_lossy(line.strip_prefix(b"kernel ")?);
    let (kernel, rest) = text.split_once(" - ")?;
    let (name, rest) = rest.rsplit_once(" - #thread-blocks ")?;
    let mut numbers = rest.split(',').map(|part| part.trim().rsplit(' ').next().unwrap_or(""));
    let mut next = || decimal(numbers.next()?.as_bytes());
    let (groups, instructions, total) = (next()?, next()?, next()?);
    let kernel = decimal(kernel.as_bytes())?;
    Some(Count { kernel, name: name.to_owned(), groups, instructions, total, opcodes: Vec::new() })
}

/// `  LDG.E.SYS = 1234`, below a count.
pub fn head_opcode(line: &[u8]) -> Option<(String, u64)> {
    let text = std::str::from_utf8(line.strip_prefix(b"  ")?).ok()?;
    let (name, n) = text.split_once(" = ")?;
    let is_name = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b"._".contains(&b));
    Some((name.to_owned(), decimal(n.as_bytes())?)).filter(|_| is_name)
}

/// `alloc address : 140608994803712, Size : 8192`.
fn head_allocation(line: &[u8]) -> Option<NamedRange> {
    let rest = line.strip_prefix(b"alloc address : ")?;
    let split = memmem::find(rest, b", Size : ")?;
    let start = decimal(rest.get(..split)?)?;
    Some(NamedRange { name: String::new(), start, bytes: decimal(rest.get(split + 9..)?)? })
}

/// The head of register values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterHead<'a> {
    launch: Option<u64>,
    pub cta: [u32; 3],
    pub warp: u32,
    pub pc: Option<u64>,
    pub assembly: &'a str,
}

/// `CTA 0,0,0 - warp 0 - MOV R1, c[0x0][0x28] ;:`, in some dialects with `CTX …`, `grid_launch_id n` and `PC n`.
pub fn register_head(line: &[u8]) -> Option<RegisterHead<'_>> {
    let text = std::str::from_utf8(line).ok()?.strip_suffix(':')?;
    let mut head = RegisterHead { launch: None, cta: [0; 3], warp: 0, pc: None, assembly: "" };
    let mut has = (false, false);
    let mut rest = text;
    loop {
        let (field, behind) = rest.split_once(" - ").unwrap_or((rest, ""));
        let (key, value) = field.split_once(' ').unwrap_or((field, ""));
        match (key, value.as_bytes()) {
            ("CTA", value) => (head.cta, has.0) = (triple(value)?, true),
            ("warp", value) => (head.warp, has.1) = (number(value)?, true),
            ("PC" | "pc", value) => head.pc = Some(decimal(value)?),
            ("grid_launch_id", value) => head.launch = Some(decimal(value)?),
            ("CTX", _) if !has.0 => {}
            _ => break,
        }
        rest = behind;
    }
    head.assembly = rest.trim();
    (has == (true, true) && !head.assembly.is_empty()).then_some(head)
}

/// `* Reg0_T0: 0x00000000 Reg0_T1: 0x… `: the number of the register in the list of the instruction, and its values by lane.
pub fn head_registers(line: &[u8]) -> Option<(u16, Vec<u64>)> {
    let mut words = std::str::from_utf8(line).ok()?.trim_start().strip_prefix("* ")?.split_ascii_whitespace();
    let mut found: Option<(u16, Vec<u64>)> = None;
    while let Some(word) = words.next() {
        let (register, lane) = word.strip_prefix("Reg")?.strip_suffix(':')?.split_once("_T")?;
        let (register, lane) = (register.parse().ok()?, lane.parse::<usize>().ok()?);
        let value = hex(words.next()?.strip_prefix("0x")?.as_bytes())?;
        let (known, values) = found.get_or_insert_with(|| (register, Vec::new()));
        if *known != register || lane != values.len() {
            return None;
        }
        values.push(value);
    }
    found.filter(|(_, values)| values.len() <= line::LANES)
}
