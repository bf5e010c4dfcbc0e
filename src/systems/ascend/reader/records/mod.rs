//! 0x0A memory accesses, binary, streamed: records, then call stacks as JSON.
//!
//! ```text
//! u64 N │ N bytes of records, 32 each │ u64 M │ M bytes of JSON
//! record: u8 type │ i8 core │ i8 space │ u8 block type │ u32 id │ u64 address │ u64 size │ u64 pc
//! ```
//! | field | numbers |
//! |---|---|
//! | type | 0 MALLOC, 1 FREE, 2 `MEMCPY_BLOCKS`, 3 LOAD, 4 STORE, 5 `GM_ADDR_OUT_OF_BOUND`, 6 INVALID |
//! | space | −1 INVALID, 0 PRIVATE, 1 GM, 2 L1, 3 L0A, 4 L0B, 5 L0C, 6 UB, 7 BT, 8 FB |
//! | block type | 0 AIVEC, 1 AICUBE, 2 AICORE |
//!
//! By the vendor's design document only; numbers beyond it (types 5 and 6, spaces 7 and 8, block type 2) are those of the
//! public sources of Ascend/mssanitizer. Other numbers are shown as they are.

mod stacks;

use super::field::Within;
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::map::Map;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::format::Sink;
use crate::input::limits;
use crate::model::access::{Access, AccessKind, Accesses, Class, OPERATION, Region, SPACE, Site, UNIT};
use crate::model::code::CodeScope;
use std::borrow::Cow;

/// Bytes of a record.
const RECORD: usize = 32;
/// Bytes of a length in front of a section.
const LENGTH: u64 = 8;

/// Reads the block while it streams by.
pub(super) struct RecordsReader {
    within: Within,
    /// In front of the names of units when several files make one trace; else empty.
    group: String,
    /// Bytes of the payload.
    size: u64,
    /// Bytes taken so far.
    at: u64,
    part: Part,
    /// Bytes of a length or record that lies across chunks.
    carry: Vec<u8>,
    stacks: Vec<u8>,
    /// Where the call stacks begin.
    stacks_at: u64,
    /// Whether the length of the records is known to be wrong: their end is where the length of call stacks fits.
    is_searching: bool,
    names: Names,
    sites: Map<u64, u32>,
    pairs: Pairs,
    n: u64,
    is_full: bool,
}

/// What comes next.
enum Part {
    RecordsLength,
    /// Records, and how many bytes of them are left.
    Records(u64),
    StacksLength,
    Stacks,
    /// Bytes that nothing is known of.
    Rest,
}

impl RecordsReader {
    /// Ready for the first byte of a payload of so many bytes.
    pub(super) fn new(within: &Within, group: &str, size: u64) -> Self {
        Self {
            within: within.clone(),
            group: group.to_owned(),
            size,
            at: 0,
            part: Part::RecordsLength,
            carry: Vec::new(),
            stacks: Vec::new(),
            stacks_at: 0,
            is_searching: false,
            names: Names::default(),
            sites: Map::default(),
            pairs: Pairs::default(),
            n: 0,
            is_full: false,
        }
    }

    /// Takes the next bytes.
    pub(super) fn feed(&mut self, mut chunk: &[u8], sink: &mut Sink) {
        while !chunk.is_empty() {
            chunk = match self.part {
                Part::RecordsLength => self.length(chunk, LENGTH, sink),
                // One byte more tells whether JSON follows.
                Part::StacksLength => self.length(chunk, (LENGTH + 1).min(self.size - self.begun()), sink),
                Part::Records(left) => self.records(chunk, left, sink),
                Part::Stacks => {
                    if self.stacks.len() as u64 <= limits::TREE_BYTES {
                        self.stacks.extend_from_slice(chunk);
                    }
                    self.at += chunk.len() as u64;
                    &[]
                }
                Part::Rest => {
                    self.at += chunk.len() as u64;
                    &[]
                }
            };
        }
    }

    /// Where what is carried begins.
    fn begun(&self) -> u64 {
        self.at - self.carry.len() as u64
    }

    /// Completes what is carried to `n` bytes; returns what is left of the chunk.
    fn carry<'c>(&mut self, chunk: &'c [u8], n: u64) -> &'c [u8] {
        let missing = usize::try_from(n).unwrap_or(usize::MAX).saturating_sub(self.carry.len());
        let (head, rest) = chunk.split_at(missing.min(chunk.len()));
        self.carry.extend_from_slice(head);
        self.at += head.len() as u64;
        rest
    }

    fn length<'c>(&mut self, chunk: &'c [u8], n: u64, sink: &mut Sink) -> &'c [u8] {
        let rest = self.carry(chunk, n);
        if self.carry.len() as u64 == n
            && let Some(length) = self.carry.first_chunk().copied().map(u64::from_le_bytes)
        {
            match self.part {
                Part::RecordsLength => self.begin_records(length, sink),
                _ => self.begin_stacks(length, sink),
            }
        }
        rest
    }

    fn begin_records(&mut self, length: u64, sink: &mut Sink) {
        self.carry.clear();
        let left = self.size - LENGTH;
        if left < length {
            let kind = Kind::Truncated { needed: length, left };
            self.say(0, Severity::Loss, kind, "The available records are shown.", sink);
            self.is_searching = true;
        } else if !length.is_multiple_of(RECORD as u64) {
            let expected = Cow::Borrowed("a record length that is a multiple of 32");
            let kind = Kind::Unexpected { expected, found: length.to_string().into() };
            self.say(0, Severity::Warning, kind, "Bytes after the last complete record are skipped.", sink);
        }
        let accesses = &mut sink.builder.head().accesses;
        accesses.position_unit = Unit::None;
        self.part = Part::Records(length.min(left));
    }

    /// The length of the call stacks and the byte behind it are carried.
    fn begin_stacks(&mut self, length: u64, sink: &mut Sink) {
        let start = self.begun();
        let left = self.size - start - LENGTH;
        let is_json =
            self.carry.get(8).is_none_or(|b| matches!(b, b'{' | b'[' | b' ' | b'\n' | b'\r' | b'\t'));
        if length != left && !is_json && !self.is_searching {
            let a = message("the record length is {n}").with("n", start - LENGTH);
            let kind = Kind::Contradiction { a, b: message("no call stacks follow") };
            self.say(0, Severity::Warning, kind, "The remaining bytes are read as records.", sink);
            self.is_searching = true;
            // What is carried is the beginning of a record.
            self.part = Part::Records(self.size - start);
            return;
        }
        if length != left {
            let a = message("the call stack length is {n}").with("n", length);
            let kind = Kind::Contradiction { a, b: message("{n} bytes are left").with("n", left) };
            self.say(start, Severity::Warning, kind, "The remaining bytes are read as call stacks.", sink);
        }
        self.stacks.extend(self.carry.drain(..).skip(8));
        self.stacks_at = start + LENGTH;
        self.part = Part::Stacks;
    }

    fn records<'c>(&mut self, chunk: &'c [u8], left: u64, sink: &mut Sink) -> &'c [u8] {
        if left < RECORD as u64 {
            let whole = self.carry(chunk, left);
            if self.carry.len() as u64 == left {
                self.carry.clear();
                self.part = if self.at < self.size { Part::StacksLength } else { Part::Rest };
            }
            return whole;
        }
        if self.is_searching || !self.carry.is_empty() || chunk.len() < RECORD {
            let rest = self.carry(chunk, RECORD as u64);
            if let Some(record) = self.carry.first_chunk::<RECORD>().copied() {
                self.carry.clear();
                let begun = self.at - RECORD as u64;
                if self.is_searching && self.are_stacks(&record, begun) {
                    self.stacks.extend(record.iter().skip(8));
                    self.stacks_at = begun + LENGTH;
                    self.part = Part::Stacks;
                } else {
                    self.record(&record, begun, sink);
                    self.go_on(left - RECORD as u64);
                }
            }
            return rest;
        }
        let n = chunk.len().min(usize::try_from(left).unwrap_or(usize::MAX)) / RECORD;
        let (whole, rest) = chunk.split_at(n * RECORD);
        let (records, _) = whole.as_chunks::<RECORD>();
        for record in records {
            self.record(record, self.at, sink);
            self.at += RECORD as u64;
        }
        self.go_on(left - whole.len() as u64);
        rest
    }

    /// So many bytes of records are left.
    fn go_on(&mut self, left: u64) {
        self.part = match left {
            0 if self.at < self.size => Part::StacksLength,
            0 => Part::Rest,
            left => Part::Records(left),
        };
    }

    /// Whether the length of the call stacks and their beginning stand here, not a record.
    fn are_stacks(&self, record: &[u8; RECORD], begun: u64) -> bool {
        let length = record.first_chunk().copied().map(u64::from_le_bytes);
        let is_json = matches!(record.get(8), Some(b'{' | b'['));
        is_json && length == Some(self.size - begun - LENGTH)
    }

    fn record(&mut self, record: &[u8; RECORD], at: u64, sink: &mut Sink) {
        let Some((key, rest)) = record.split_first_chunk::<4>() else { return };
        let Some((id, rest)) = rest.split_first_chunk::<4>() else { return };
        let (numbers, _) = rest.as_chunks::<8>();
        let &[address, bytes, pc] = numbers else { return };
        let [address, bytes, pc] = [address, bytes, pc].map(u64::from_le_bytes);
        let (class, kind, unknown) = self.names.class(*key, &self.group, &mut sink.builder.head().accesses);
        self.report_unknown(&unknown, at, sink);
        let site = self.site(pc, sink);
        let position = u64::from(u32::from_le_bytes(*id));
        let row = sink.builder.trace().accesses.len();
        if !sink.access(Access { position, class, address, bytes, site }, true) {
            if !self.is_full {
                let allowed = u64::from(u32::MAX);
                let what = Cow::Borrowed("memory accesses");
                let asked = allowed + 1;
                self.say(
                    at,
                    Severity::Loss,
                    Kind::Limit { what, asked, allowed },
                    "Further call stacks are not read.",
                    sink,
                );
            }
            self.is_full = true;
            return;
        }
        self.n += 1;
        if matches!(kind, AccessKind::Alloc | AccessKind::Free)
            && let Ok(row) = u32::try_from(row)
        {
            self.pairs.take(kind, row, class, (address, bytes), self.within.byte + at, sink);
        }
    }

    fn site(&mut self, pc: u64, sink: &mut Sink) -> u32 {
        if pc == 0 {
            return u32::MAX;
        }
        *self.sites.entry(pc).or_insert_with(|| {
            let sites = &mut sink.builder.head().accesses.sites;
            let row = u32::try_from(sites.len()).unwrap_or(u32::MAX);
            sites.push(Site { pc, scope: CodeScope::default(), stack: None });
            row
        })
    }

    /// Says the numbers of a record that have no name.
    fn report_unknown(&self, unknown: &[Unknown], at: u64, sink: &mut Sink) {
        for Unknown { what, number, offset } in unknown {
            let what = message("{what} {number} of a memory access")
                .with_message("what", *what)
                .with("number", number);
            let kind = Kind::Unsupported { what, version: String::new() };
            self.say(at + offset, Severity::Note, kind, "Shown by its number.", sink);
        }
    }

    /// All bytes came. Says whether something of the block is missing.
    pub(super) fn finish(self, is_cut: bool, sink: &mut Sink) -> bool {
        let mut is_damaged = false;
        let left = self.carry.len() as u64;
        let truncated = match self.part {
            Part::RecordsLength => Some((LENGTH, left)),
            Part::Records(_) if 0 < left => Some((RECORD as u64, left)),
            Part::StacksLength => Some((LENGTH, left)),
            _ => None,
        };
        if let Some((needed, left)) = truncated {
            is_damaged = true;
            let at = self.begun();
            let kind = Kind::Truncated { needed, left };
            self.say(at, Severity::Loss, kind, "Earlier records are shown.", sink);
        } else if matches!(self.part, Part::Rest) && self.stacks.is_empty() && !is_cut && 0 < self.n {
            let kind = Kind::Truncated { needed: LENGTH, left: 0 };
            self.say(self.size, Severity::Warning, kind, "These records have no call stacks.", sink);
        }
        if limits::TREE_BYTES < self.stacks.len() as u64 {
            let asked = self.size - self.stacks_at;
            let what = Cow::Borrowed("call stack bytes");
            let kind = Kind::Limit { what, asked, allowed: limits::TREE_BYTES };
            self.say(self.stacks_at, Severity::Loss, kind, "Call stacks are not shown.", sink);
        } else {
            stacks::read(
                &self.stacks,
                self.within.byte + self.stacks_at,
                is_cut,
                &self.within,
                &self.sites,
                sink,
            );
        }
        self.pairs.finish(&self.within, sink);
        is_damaged
    }

    /// Says something about a byte of the payload.
    fn say(&self, at: u64, severity: Severity, kind: Kind, note: &'static str, sink: &mut Sink) {
        let place = Place::byte(&*self.within.entry, self.within.byte + at).block(self.within.block.clone());
        sink.fault(Fault::new("ASC-RECORD", severity, place, kind).note(note));
    }
}

// Pairs of MALLOC and FREE: allocations, and which half is missing.

/// Allocations at one address that are looked through for the one of the same unit.
const LOOKED_THROUGH: usize = 64;

/// Allocations that are alive, and halves without the other.
#[derive(Default)]
struct Pairs {
    /// Regions that are alive, by space and address: the place of the record and the row of the region.
    alive: Map<(u32, u64), Vec<(u64, usize)>>,
    /// How many FREE have no MALLOC, and the byte of the first.
    orphans: (u64, u64),
}

impl Pairs {
    /// Takes a record that begins or ends an allocation; `at` is its byte in the file.
    fn take(
        &mut self,
        kind: AccessKind,
        row: u32,
        class: u32,
        (start, bytes): (u64, u64),
        at: u64,
        sink: &mut Sink,
    ) {
        let accesses = &mut sink.builder.head().accesses;
        let space = accesses.classes().get(class as usize).map_or(u32::MAX, Class::space);
        let alive = self.alive.entry((space, start)).or_default();
        if kind == AccessKind::Alloc {
            alive.push((at, accesses.regions.len()));
            accesses.regions.push(Region {
                name: String::new(),
                start,
                end: start.saturating_add(bytes),
                space,
                maker: Some(class),
                rows: row..u32::MAX,
            });
            return;
        }
        let own = |(_, region): &(u64, usize)| {
            let maker = accesses.regions.get(*region).and_then(|region| region.maker);
            maker.is_some_and(|maker| accesses.is_same_unit(maker, class))
        };
        let n = alive.len();
        let of_unit = alive.iter().rev().take(LOOKED_THROUGH).position(own).map(|from_end| n - 1 - from_end);
        // What another unit allocated may be freed here: the memory may be shared.
        match of_unit.or(n.checked_sub(1)).map(|i| alive.remove(i)) {
            Some((_, region)) => {
                if let Some(region) = accesses.regions.get_mut(region) {
                    region.rows.end = row.saturating_add(1);
                }
            }
            None => {
                let first = if self.orphans.0 == 0 { at } else { self.orphans.1 };
                self.orphans = (self.orphans.0 + 1, first);
            }
        }
    }

    /// Says which halves are missing.
    fn finish(self, within: &Within, sink: &mut Sink) {
        let open = self.alive.values().flatten().map(|(at, _)| *at);
        let (n, first) = open.fold((0, u64::MAX), |(n, first), at| (n + 1, first.min(at)));
        let mut say = |(n, first): (u64, u64), what: &'static str, note: &'static str| {
            if 0 < n {
                let place = Place::byte(&*within.entry, first).block(within.block.clone());
                let kind = Kind::Problem(message(what).with("n", n));
                sink.fault(Fault::new("ASC-PAIR", Severity::Note, place, kind).note(note));
            }
        };
        let never = phrase("allocations never freed: {n}");
        say((n, first), never, "They are shown as live until the end.");
        say(self.orphans, phrase("frees without an allocation: {n}"), "");
    }
}

// Names of the numbers in records of memory accesses.

const KINDS: [(&str, AccessKind); 7] = [
    ("MALLOC", AccessKind::Alloc),
    ("FREE", AccessKind::Free),
    ("MEMCPY_BLOCKS", AccessKind::Copy),
    ("LOAD", AccessKind::Load),
    ("STORE", AccessKind::Store),
    ("GM_ADDR_OUT_OF_BOUND", AccessKind::Other),
    ("INVALID", AccessKind::Other),
];
const SPACES: [&str; 9] = ["PRIVATE", "GM", "L1", "L0A", "L0B", "L0C", "UB", "BT", "FB"];
const BLOCKS: [&str; 3] = ["AIVEC", "AICUBE", "AICORE"];

/// What was met so far.
#[derive(Default)]
struct Names {
    class_of: Map<[u8; 4], (u32, AccessKind)>,
    last: Option<([u8; 4], u32, AccessKind)>,
    said: Vec<(&'static str, i16)>,
}

/// A number without a name.
struct Unknown {
    /// What is numbered.
    what: &'static str,
    number: i16,
    /// Where it stands in the record.
    offset: u64,
}

impl Names {
    /// The row of the class that the first four bytes of a record mean, and the numbers among them that are met for the first time and have
    /// no name.
    #[inline]
    fn class(
        &mut self,
        key: [u8; 4],
        group: &str,
        accesses: &mut Accesses,
    ) -> (u32, AccessKind, Vec<Unknown>) {
        if let Some((last, class, kind)) = self.last
            && last == key
        {
            return (class, kind, Vec::new());
        }
        let Some(&(class, kind)) = self.class_of.get(&key) else {
            return self.new_class(key, group, accesses);
        };
        self.last = Some((key, class, kind));
        (class, kind, Vec::new())
    }

    fn new_class(
        &mut self,
        key: [u8; 4],
        group: &str,
        accesses: &mut Accesses,
    ) -> (u32, AccessKind, Vec<Unknown>) {
        let [operation, core, space, block] = key;
        let (operation_name, kind) = match KINDS.get(usize::from(operation)) {
            Some((name, kind)) => ((*name).to_owned(), *kind),
            None => (format!("type {operation}"), AccessKind::Other),
        };
        let signed = space.cast_signed();
        let space_name = match SPACES.get(usize::from(space)) {
            Some(name) => (*name).to_owned(),
            None if signed == -1 => "INVALID".to_owned(),
            None => format!("space {signed}"),
        };
        let core = format!("core{}", core.cast_signed());
        let name = if group.is_empty() { core } else { format!("{group} / {core}") };
        let unit_kind = BLOCKS.get(usize::from(block));
        let unit_kind = unit_kind.map_or_else(|| format!("type {block}"), |name| (*name).to_owned());
        let kind_of_unit = accesses.attribute_number("kind", phrase("Core type"), true);
        let values = [
            (OPERATION, &*operation_name),
            (UNIT, &*name),
            (SPACE, &*space_name),
            (kind_of_unit, &*unit_kind),
        ];
        let class = accesses.class_row(values, kind);
        self.class_of.insert(key, (class, kind));
        self.last = Some((key, class, kind));
        let numbers = [
            ("type", i16::from(operation), usize::from(operation) < KINDS.len(), 0),
            ("space", i16::from(signed), usize::from(space) < SPACES.len() || signed == -1, 2),
            ("block type", i16::from(block), usize::from(block) < BLOCKS.len(), 3),
        ];
        let mut unknown = Vec::new();
        for (what, number, is_known, offset) in numbers {
            if !is_known && !self.said.contains(&(what, number)) {
                self.said.push((what, number));
                unknown.push(Unknown { what, number, offset });
            }
        }
        (class, kind, unknown)
    }
}
