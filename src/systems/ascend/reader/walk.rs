//! The walk over the container: one block after the other, around damage.
//!
//! There is no directory and no check sum, so the only way from one block to the next is the size in its header. Where
//! that leads to no header, the walk searches the next sound one and says what lies between:
//!
//! ```text
//! size too large           ─▶ the content ends where the next header is found
//! size too small           ─▶ the content goes on to where the next header is found
//! damaged, size still fits ─▶ the block is kept, with a warning
//! nothing found            ─▶ the last block has what is there
//! ```

use super::{HEADER_BYTES, Header, MARK, PATH_BYTES, Type};
use crate::base::fault::{Fault, Kind, Place, Severity, excerpt};
use crate::base::job::Turn;
use crate::base::number;
use crate::base::words::{Message, message};
use crate::input::{ByteSource, Cursor, Entry, EntryId, limits, read_range};
use crate::model::files::{Block, BlockState};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};

/// Blocks that are walked over between two pauses: each is read by itself, which takes a browser about a millisecond.
const BLOCKS_AT_ONCE: usize = 8;

/// What a walk tells meanwhile.
#[derive(Default)]
pub(super) struct Told {
    /// Where it stands.
    pub(super) byte: Cell<u64>,
    /// What is wrong since it was asked.
    pub(super) faults: RefCell<Vec<Fault>>,
}

/// Walks over an entry: a row for each block.
pub(super) async fn walk(entry: EntryId, file: Entry, told: &Told, turn: &Turn) -> Vec<Block> {
    let mut walk = Walk { entry, file, blocks: Vec::new(), to_search: limits::SEARCH_BYTES, told };
    let (mut at, mut n) = (0, 0);
    loop {
        n += 1;
        at = match walk.header(at) {
            Next::Header(next) => next,
            Next::Search(search) => {
                n = BLOCKS_AT_ONCE;
                walk.search(search, turn).await
            }
            Next::End => return walk.blocks,
        };
        if n == BLOCKS_AT_ONCE {
            n = 0;
            told.byte.set(at);
            turn.pause().await;
        }
    }
}

/// A walk over one entry.
struct Walk<'a> {
    entry: EntryId,
    file: Entry,
    blocks: Vec<Block>,
    /// Bytes that may still be searched.
    to_search: u64,
    told: &'a Told,
}

/// What comes next.
enum Next {
    /// A header is expected here.
    Header(u64),
    /// The next header is searched.
    Search(Search),
    End,
}

/// Why and where the next header is searched.
struct Search {
    /// Where a header was expected or found wanting.
    at: u64,
    /// The header there, if its size is the only thing wrong with it.
    sized: Option<Header>,
    /// Next byte to be looked at.
    from: u64,
}

impl Walk<'_> {
    fn fault(&self, fault: Fault) {
        self.told.faults.borrow_mut().push(fault);
    }

    fn header(&mut self, at: u64) -> Next {
        let len = self.file.source.len();
        if len <= at {
            return Next::End;
        }
        let n_blocks = self.blocks.len();
        if limits::BLOCKS <= n_blocks {
            let what = Cow::Borrowed("blocks in one file");
            let kind = Kind::Limit { what, asked: n_blocks as u64 + 1, allowed: limits::BLOCKS as u64 };
            let fault = Fault::new("ASC-LIMIT", Severity::Loss, Place::byte(&*self.file.path, at), kind);
            self.fault(fault.note("Later blocks are not read."));
            return Next::End;
        }
        // With the path of a source and the first byte behind it: every read costs time of its own.
        let head = read(&*self.file.source, at, HEADER_BYTES + PATH_BYTES + 1);
        let Some(header) = Header::parse(&head) else {
            return self.rest_is_no_header(at, &head);
        };
        let next = header.block_bytes().and_then(|n| at.checked_add(n)).filter(|&next| next <= len);
        match (header.missed(), next) {
            (None, Some(next)) => {
                self.push((at, &head), header, next);
                Next::Header(next)
            }
            (None, None) => {
                let from = at.saturating_add(header.head_bytes());
                Next::Search(Search { at, sized: Some(header), from })
            }
            (Some((byte, expected, found)), Some(next)) if Self::stands(&*self.file.source, next) => {
                let place = Place::byte(&*self.file.path, at + byte).block(self.next_name(header.kind));
                let kind = Kind::Unexpected { expected: Cow::Borrowed(expected), found: found.into() };
                let fault = Fault::new("ASC-HEADER", Severity::Warning, place, kind);
                self.fault(fault.note("The block is read anyway."));
                self.push((at, &head), header, next);
                Next::Header(next)
            }
            // The size of the block before may be what is wrong: a header may stand inside it.
            _ => {
                let from = self.before(at).map_or(at + 1, |b| b.payload.start);
                Next::Search(Search { at, sized: None, from })
            }
        }
    }

    /// Fewer bytes are left than a header has: zeros are nothing, anything else is a cut.
    fn rest_is_no_header(&self, at: u64, head: &[u8]) -> Next {
        if head.iter().any(|&b| b != 0) {
            let n = self.blocks.len() + 1;
            let name = message("block {n}").with("n", n);
            let kind = Kind::Truncated { needed: HEADER_BYTES, left: head.len() as u64 };
            let place = Place::byte(&*self.file.path, at).block(name);
            self.fault(Fault::new("ASC-CUT", Severity::Loss, place, kind).note("This block is missing."));
        }
        Next::End
    }

    /// Looks for a header, a megabyte at a time; where it stands, or the end of the file.
    async fn search(&mut self, mut search: Search, turn: &Turn) -> u64 {
        let len = self.file.source.len();
        let found = loop {
            let size = (limits::CHUNK as u64).min(self.to_search);
            let window = read(&*self.file.source, search.from, size);
            if len <= search.from || window.is_empty() {
                break len;
            }
            self.to_search -= size;
            let header = |mark: usize| {
                let start = mark.checked_sub(11)?;
                let header = Header::parse(window.get(start..)?)?;
                let found = search.from + start as u64;
                // The header that was expected here is known to lead nowhere.
                let is_one = found != search.at && Self::is_convincing(header, found, &*self.file.source);
                is_one.then_some(found)
            };
            if let Some(found) = memchr::memchr_iter(MARK, &window).find_map(header) {
                break found;
            }
            // A header may lie across the border of two windows.
            search.from += (window.len() as u64).saturating_sub(HEADER_BYTES - 1).max(1);
            if len <= search.from + HEADER_BYTES {
                search.from = len;
            }
            self.told.byte.set(search.from);
            turn.pause().await;
        };
        match search.sized {
            Some(header) => self.settle_size(search.at, header, found),
            None => self.settle_gap(search.at, found),
        }
        found
    }

    /// A header that is sound but for its size: the content ends at the next header, or with the file.
    fn settle_size(&mut self, at: u64, header: Header, found: u64) {
        let start = at.saturating_add(header.head_bytes()).min(found);
        let place = Place::byte(&*self.file.path, at).block(self.next_name(header.kind));
        let fault = if found < self.file.source.len() {
            let kind = Kind::OutOfRange {
                field: Cow::Borrowed("the content size"),
                value: header.size.to_string(),
                min: "0".to_owned(),
                max: self.file.source.len().saturating_sub(start).to_string(),
            };
            let fault = Fault::new("ASC-SIZE", Severity::Warning, place, kind);
            fault.note("The block is assumed to end at the next header.")
        } else {
            let kind = Kind::Truncated { needed: header.size, left: found - start };
            let fault = Fault::new("ASC-CUT", Severity::Loss, place, kind);
            fault.note("The available part of this block is shown; earlier blocks are complete.")
        };
        self.fault(fault);
        let head = read(&*self.file.source, at, HEADER_BYTES + PATH_BYTES + 1);
        self.push((at, &head), header, found);
        if let Some(block) = self.blocks.last_mut() {
            // Zeros at the end of cut numbers are no padding.
            let is_cut_binary = found == self.file.source.len() && block.is_binary;
            let end = if is_cut_binary { found } else { trimmed(&*self.file.source, start, found) };
            block.payload = start..end;
            block.state = BlockState::Damaged;
        }
    }

    /// No header where the last block ends: its size is wrong, or the bytes up to the next header are no block.
    fn settle_gap(&mut self, at: u64, found: u64) {
        let source = &*self.file.source;
        let n_blocks = self.blocks.len();
        // What is too short for a header belongs to the block before.
        let is_short = found.saturating_sub(at) < HEADER_BYTES;
        let last = self.before(at).filter(|b| is_short || is_cut_json(source, b));
        if let Some(block) = last {
            let start = block.payload.start;
            let place = Place::byte(&*self.file.path, block.offset).block(block_name(block, n_blocks));
            let kind = Kind::Contradiction {
                a: message("the content size is {n}").with("n", block.content_size),
                b: message("the next header is {n} bytes after its start")
                    .with("n", found - start.min(found)),
            };
            let fault = Fault::new("ASC-SIZE", Severity::Warning, place, kind);
            self.fault(fault.note("The block is assumed to end at the next header."));
            let end = trimmed(source, start, found);
            if let Some(block) = self.blocks.last_mut() {
                block.payload = start..end;
                block.state = BlockState::Damaged;
            }
            return;
        }
        let place = Place::byte(&*self.file.path, at).block(message("block {n}").with("n", n_blocks + 1));
        let found_here = excerpt(&read(source, at, HEADER_BYTES));
        let kind = Kind::Unexpected { expected: Cow::Borrowed("a block header"), found: found_here.into() };
        let n = number::thousands(i64::try_from(found.saturating_sub(at)).unwrap_or(i64::MAX));
        let fault = Fault::new("ASC-HEADER", Severity::Loss, place, kind);
        self.fault(fault.note(message("{n} bytes from here on are not read.").with("n", n)));
    }

    /// Whether another block or the end of the file stands at `at`.
    fn stands(source: &dyn ByteSource, at: u64) -> bool {
        at == source.len() || Header::parse(&read(source, at, HEADER_BYTES)).is_some_and(|h| h.is_sound())
    }

    /// Whether a sound header found by searching is more than chance: its content begins as its type asks, or another
    /// block follows it.
    fn is_convincing(header: Header, at: u64, source: &dyn ByteSource) -> bool {
        if !header.is_sound() || header.kind == 0 || header.size == 0 {
            return false;
        }
        let next = header.block_bytes().and_then(|n| at.checked_add(n));
        let leads_on = next.is_some_and(|next| next <= source.len() && Self::stands(source, next));
        let head = read(source, at + HEADER_BYTES, PATH_BYTES);
        let first = head.first().copied().unwrap_or(0);
        if Type::is_json(header.kind) {
            return matches!(first, b'{' | b'[') || leads_on;
        }
        if header.kind == Type::SOURCE {
            return first != 0 && head.last() == Some(&0) && head.len() as u64 == PATH_BYTES;
        }
        leads_on
    }

    /// Adds the row of a block that ends at `next`.
    fn push(&mut self, (at, head): (u64, &[u8]), header: Header, next: u64) {
        let start = at.saturating_add(header.head_bytes()).min(next);
        let padding = match header.padding {
            0..=3 => u64::from(header.padding).min(next - start),
            // A damaged padding says nothing: zeros at the tail are taken for it.
            _ => next - trimmed(&*self.file.source, start, next),
        };
        let body = usize::try_from(header.head_bytes()).ok().and_then(|n| head.get(n..));
        let begins_as_json = matches!(body.and_then(<[u8]>::first), Some(b'{' | b'['));
        let is_known = 0 < header.kind && Type::name(header.kind).is_some();
        let field = head.get(12..head.len().min(12 + 4096)).unwrap_or(&[]);
        let path = Cursor::new(field, "ASC-CUT", Place::default()).text(field.len()).ok();
        self.blocks.push(Block {
            entry: self.entry.0,
            offset: at,
            kind: u32::from(header.kind),
            name: Type::name(header.kind)
                .map_or_else(|| format!("UNKNOWN_0x{:02X}", header.kind), str::to_owned),
            content_size: header.size,
            padding: header.padding,
            version: header.version,
            path: (header.kind == Type::SOURCE).then(|| path.unwrap_or_default()),
            payload: start..next - padding,
            is_binary: Type::is_binary(header.kind) || (!is_known && !begins_as_json),
            state: if is_known { BlockState::Read } else { BlockState::Unknown },
        });
    }

    /// The last block of this file, if it ends at `at`.
    fn before(&self, at: u64) -> Option<&Block> {
        let last = self.blocks.last()?;
        (last.payload.end <= at && at - last.payload.end <= 3).then_some(last)
    }

    /// What the block that comes next is called in faults.
    fn next_name(&self, kind: u8) -> Message {
        let n = self.blocks.len() + 1;
        message("block {n} {name}").with("n", n).with("name", short_name(kind))
    }
}

/// What a block is called in faults: its number from 1 and the type without the vendor's panel prefix.
pub(super) fn block_name(block: &Block, n: usize) -> Message {
    let name = block.name.strip_prefix("DETAILS_").unwrap_or(&block.name);
    message("block {n} {name}").with("n", n).with("name", name)
}

fn short_name(kind: u8) -> String {
    let name = Type::name(kind).map(|name| name.strip_prefix("DETAILS_").unwrap_or(name));
    name.map_or_else(|| format!("UNKNOWN_0x{kind:02X}"), str::to_owned)
}

/// Up to `n` bytes from `at`; fewer at the end, none when the system refuses.
fn read(source: &dyn ByteSource, at: u64, n: u64) -> Vec<u8> {
    read_range(source, at..at.saturating_add(n)).unwrap_or_default()
}

/// Where the content before `end` ends without the zero bytes that pad it, of which there are at most three.
fn trimmed(source: &dyn ByteSource, start: u64, end: u64) -> u64 {
    let from = end.saturating_sub(3).max(start);
    let zeros = read(source, from, end - from).iter().rev().take_while(|&&b| b == 0).count();
    end - zeros as u64
}

/// Whether the payload of a block is JSON that does not end as JSON does.
fn is_cut_json(source: &dyn ByteSource, block: &Block) -> bool {
    let last = read(source, block.payload.end.saturating_sub(1), 1);
    u8::try_from(block.kind).is_ok_and(Type::is_json) && !matches!(last.first(), Some(b'}' | b']'))
}
