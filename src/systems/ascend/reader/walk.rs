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
use crate::base::number;
use crate::base::words::{Message, message};
use crate::format::Sink;
use crate::input::{ByteSource, Cursor, Entry, EntryId, limits, read_range};
use crate::model::files::{Block, BlockState};
use std::borrow::Cow;

/// Blocks that are walked over in one step: each is read by itself, which takes a browser about a millisecond.
const BLOCKS_IN_A_STEP: usize = 8;

/// Walks over one entry and pushes a row for each block.
pub(super) struct Walk {
    entry: EntryId,
    /// Row of the first block in the trace.
    first: usize,
    state: State,
    /// Bytes that may still be searched.
    to_search: u64,
}

enum State {
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

impl Walk {
    /// A walk that starts at the first byte.
    pub(super) fn new(entry: EntryId, sink: &mut Sink) -> Self {
        let first = sink.builder.trace().blocks.len();
        Self { entry, first, state: State::Header(0), to_search: limits::SEARCH_BYTES }
    }

    /// Row of the first block of this entry in the blocks of the trace.
    pub(super) fn first(&self) -> usize {
        self.first
    }

    /// Where the walk stands.
    pub(super) fn byte(&self) -> u64 {
        match &self.state {
            State::Header(at) => *at,
            State::Search(search) => search.from,
            State::End => 0,
        }
    }

    /// Goes some blocks further; false at the end. A machine, as the sink that it adds to is lent for each step.
    pub(super) fn step(&mut self, file: &Entry, sink: &mut Sink) -> bool {
        for _ in 0..BLOCKS_IN_A_STEP {
            self.state = match std::mem::replace(&mut self.state, State::End) {
                State::Header(at) => self.header(at, file, sink),
                State::Search(search) => {
                    self.state = self.search(search, file, sink);
                    return true;
                }
                State::End => return false,
            };
        }
        true
    }

    fn header(&mut self, at: u64, file: &Entry, sink: &mut Sink) -> State {
        let len = file.source.len();
        if len <= at {
            return State::End;
        }
        let n_blocks = sink.builder.trace().blocks.len() - self.first;
        if limits::BLOCKS <= n_blocks {
            let what = Cow::Borrowed("blocks in one file");
            let kind = Kind::Limit { what, asked: n_blocks as u64 + 1, allowed: limits::BLOCKS as u64 };
            let fault = Fault::new("ASC-LIMIT", Severity::Loss, Place::byte(&*file.path, at), kind);
            sink.fault(fault.note("Later blocks are not read."));
            return State::End;
        }
        // With the path of a source and the first byte behind it: every read costs time of its own.
        let head = read(&*file.source, at, HEADER_BYTES + PATH_BYTES + 1);
        let Some(header) = Header::parse(&head) else {
            return self.rest_is_no_header(at, &head, file, sink);
        };
        let next = header.block_bytes().and_then(|n| at.checked_add(n)).filter(|&next| next <= len);
        match (header.missed(), next) {
            (None, Some(next)) => {
                self.push((at, &head), header, next, &*file.source, sink);
                State::Header(next)
            }
            (None, None) => {
                let from = at.saturating_add(header.head_bytes());
                State::Search(Search { at, sized: Some(header), from })
            }
            (Some((byte, expected, found)), Some(next)) if Self::stands(&*file.source, next) => {
                let place = Place::byte(&*file.path, at + byte).block(self.next_name(header.kind, sink));
                let kind = Kind::Unexpected { expected: Cow::Borrowed(expected), found: found.into() };
                let fault = Fault::new("ASC-HEADER", Severity::Warning, place, kind);
                sink.fault(fault.note("The block is read anyway."));
                self.push((at, &head), header, next, &*file.source, sink);
                State::Header(next)
            }
            // The size of the block before may be what is wrong: a header may stand inside it.
            _ => {
                let from = self.before(at, sink).map_or(at + 1, |b| b.payload.start);
                State::Search(Search { at, sized: None, from })
            }
        }
    }

    /// Fewer bytes are left than a header has: zeros are nothing, anything else is a cut.
    fn rest_is_no_header(&self, at: u64, head: &[u8], file: &Entry, sink: &mut Sink) -> State {
        if head.iter().any(|&b| b != 0) {
            let n = sink.builder.trace().blocks.len() - self.first + 1;
            let name = message("block {n}").with("n", n);
            let kind = Kind::Truncated { needed: HEADER_BYTES, left: head.len() as u64 };
            let place = Place::byte(&*file.path, at).block(name);
            sink.fault(Fault::new("ASC-CUT", Severity::Loss, place, kind).note("This block is missing."));
        }
        State::End
    }

    /// Looks through the next megabyte for a header.
    fn search(&mut self, mut search: Search, file: &Entry, sink: &mut Sink) -> State {
        let len = file.source.len();
        let size = (limits::CHUNK as u64).min(self.to_search);
        let window = read(&*file.source, search.from, size);
        if len <= search.from || window.is_empty() {
            return self.settle(&search, len, file, sink);
        }
        self.to_search -= size;
        for mark in memchr::memchr_iter(MARK, &window) {
            let Some(start) = mark.checked_sub(11) else { continue };
            let Some(header) = window.get(start..).and_then(Header::parse) else { continue };
            let found = search.from + start as u64;
            // The header that was expected here is known to lead nowhere.
            if found != search.at && Self::is_convincing(header, found, &*file.source) {
                return self.settle(&search, found, file, sink);
            }
        }
        // A header may lie across the border of two windows.
        search.from += (window.len() as u64).saturating_sub(HEADER_BYTES - 1).max(1);
        if len <= search.from + HEADER_BYTES {
            search.from = len;
        }
        State::Search(search)
    }

    /// The next header stands at `found`, or nothing does and `found` is the end of the file.
    fn settle(&self, search: &Search, found: u64, file: &Entry, sink: &mut Sink) -> State {
        match search.sized {
            Some(header) => self.settle_size(search.at, header, found, file, sink),
            None => self.settle_gap(search.at, found, file, sink),
        }
        State::Header(found)
    }

    /// A header that is sound but for its size: the content ends at the next header, or with the file.
    fn settle_size(&self, at: u64, header: Header, found: u64, file: &Entry, sink: &mut Sink) {
        let start = at.saturating_add(header.head_bytes()).min(found);
        let place = Place::byte(&*file.path, at).block(self.next_name(header.kind, sink));
        let fault = if found < file.source.len() {
            let kind = Kind::OutOfRange {
                field: Cow::Borrowed("the content size"),
                value: header.size.to_string(),
                min: "0".to_owned(),
                max: file.source.len().saturating_sub(start).to_string(),
            };
            let fault = Fault::new("ASC-SIZE", Severity::Warning, place, kind);
            fault.note("The block is assumed to end at the next header.")
        } else {
            let kind = Kind::Truncated { needed: header.size, left: found - start };
            let fault = Fault::new("ASC-CUT", Severity::Loss, place, kind);
            fault.note("The available part of this block is shown; earlier blocks are complete.")
        };
        sink.fault(fault);
        let head = read(&*file.source, at, HEADER_BYTES + PATH_BYTES + 1);
        self.push((at, &head), header, found, &*file.source, sink);
        if let Some(block) = sink.builder.head().blocks.last_mut() {
            // Zeros at the end of cut numbers are no padding.
            let is_cut_binary = found == file.source.len() && block.is_binary;
            let end = if is_cut_binary { found } else { trimmed(&*file.source, start, found) };
            block.payload = start..end;
            block.state = BlockState::Damaged;
        }
    }

    /// No header where the last block ends: its size is wrong, or the bytes up to the next header are no block.
    fn settle_gap(&self, at: u64, found: u64, file: &Entry, sink: &mut Sink) {
        let source = &*file.source;
        let n_blocks = sink.builder.trace().blocks.len() - self.first;
        // What is too short for a header belongs to the block before.
        let is_short = found.saturating_sub(at) < HEADER_BYTES;
        let last = self.before(at, sink).filter(|b| is_short || is_cut_json(source, b));
        if let Some(block) = last {
            let start = block.payload.start;
            let place = Place::byte(&*file.path, block.offset).block(block_name(block, n_blocks));
            let kind = Kind::Contradiction {
                a: message("the content size is {n}").with("n", block.content_size),
                b: message("the next header is {n} bytes after its start")
                    .with("n", found - start.min(found)),
            };
            let fault = Fault::new("ASC-SIZE", Severity::Warning, place, kind);
            sink.fault(fault.note("The block is assumed to end at the next header."));
            let end = trimmed(source, start, found);
            if let Some(block) = sink.builder.head().blocks.last_mut() {
                block.payload = start..end;
                block.state = BlockState::Damaged;
            }
            return;
        }
        let place = Place::byte(&*file.path, at).block(message("block {n}").with("n", n_blocks + 1));
        let found_here = excerpt(&read(source, at, HEADER_BYTES));
        let kind =
            Kind::Unexpected { expected: Cow::Borrowed("the header of a block"), found: found_here.into() };
        let n = number::thousands(i64::try_from(found.saturating_sub(at)).unwrap_or(i64::MAX));
        let fault = Fault::new("ASC-HEADER", Severity::Loss, place, kind);
        sink.fault(fault.note(message("{n} bytes from here on are not read.").with("n", n)));
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
    fn push(
        &self,
        (at, head): (u64, &[u8]),
        header: Header,
        next: u64,
        source: &dyn ByteSource,
        sink: &mut Sink,
    ) {
        let start = at.saturating_add(header.head_bytes()).min(next);
        let padding = match header.padding {
            0..=3 => u64::from(header.padding).min(next - start),
            // A damaged padding says nothing: zeros at the tail are taken for it.
            _ => next - trimmed(source, start, next),
        };
        let body = usize::try_from(header.head_bytes()).ok().and_then(|n| head.get(n..));
        let begins_as_json = matches!(body.and_then(<[u8]>::first), Some(b'{' | b'['));
        let is_known = 0 < header.kind && Type::name(header.kind).is_some();
        let field = head.get(12..head.len().min(12 + 4096)).unwrap_or(&[]);
        let path = Cursor::new(field, "ASC-CUT", Place::default()).text(field.len()).ok();
        sink.builder.head().blocks.push(Block {
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
    fn before<'a>(&self, at: u64, sink: &'a Sink) -> Option<&'a Block> {
        let last = sink.builder.trace().blocks.get(self.first..)?.last()?;
        (last.payload.end <= at && at - last.payload.end <= 3).then_some(last)
    }

    /// What the block that comes next is called in faults.
    fn next_name(&self, kind: u8, sink: &Sink) -> Message {
        let n = sink.builder.trace().blocks.len() - self.first + 1;
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
