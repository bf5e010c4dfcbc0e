//! Buffers of a launch: what their heads say, which of their bytes are records, and where a record stands.
//!
//! | offset | bytes | field |
//! | --- | --- | --- |
//! | 0 | 8 | `GMTBUF1\0` |
//! | 8, 10 | 2 each | version, bytes of the header |
//! | 12 | 4 | number of the type, 0 for all |
//! | 16 | 8 | capacity: bytes that were allocated |
//! | 24 | 8 | next: bytes that were reserved; more than the capacity when it overflowed |
//! | 32 | 4 | bytes of a record |
//! | 36 | 4 | thread, or all ones |
//! | 40, 44 | 4 each | launch, run |
//! | 48 | 8 | records that were dropped |
//! | 56 | 4 | flags: 1 overflow, 2 the buffer begins again at its end |
//! | 60 | 4 | CRC-32 of the payload; 0 for none |

use super::manifest::Buffer;
use crate::input::{Cached, EntryId, Source};
use std::ops::Range;
use std::rc::Rc;

/// The first bytes of a buffer.
pub(super) const MAGIC: &[u8; 8] = b"GMTBUF1\0";
/// Bytes of a header.
pub(crate) const HEAD: u64 = 64;
/// Threads of records that were reserved and never written.
pub(crate) const UNWRITTEN: u32 = u32::MAX;

/// What a header says.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Head {
    pub(crate) of: u32,
    pub(crate) capacity: u64,
    pub(crate) next: u64,
    pub(crate) record_bytes: u32,
    pub(crate) thread: u32,
    pub(crate) dispatch: u32,
    pub(crate) run: u32,
    pub(crate) dropped: u64,
    pub(crate) is_over: bool,
    pub(crate) is_ring: bool,
    pub(crate) crc: u32,
}

impl Head {
    /// Reads a header; `None` when these bytes are none.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.strip_prefix(MAGIC)?.get(..56)?;
        let four = |at: usize| super::shape::word(bytes, at - 8);
        let eight = |at: usize| u64::from(four(at)) | u64::from(four(at + 4)) << 32;
        let flags = four(56);
        Some(Self {
            of: four(12),
            capacity: eight(16),
            next: eight(24),
            record_bytes: four(32),
            thread: four(36),
            dispatch: four(40),
            run: four(44),
            dropped: eight(48),
            is_over: flags & 1 == 1,
            is_ring: flags & 2 == 2,
            crc: four(60),
        })
    }

    /// Its bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend([1, 0, 64, 0]);
        out.extend(self.of.to_le_bytes());
        out.extend(self.capacity.to_le_bytes());
        out.extend(self.next.to_le_bytes());
        for word in [self.record_bytes, self.thread, self.dispatch, self.run] {
            out.extend(word.to_le_bytes());
        }
        out.extend(self.dropped.to_le_bytes());
        out.extend((u32::from(self.is_over) | u32::from(self.is_ring) << 1).to_le_bytes());
        out.extend(self.crc.to_le_bytes());
        out
    }
}

/// A buffer as it is read.
pub(super) struct Use {
    pub(super) entry: EntryId,
    pub(super) path: String,
    pub(super) source: Rc<Cached>,
    /// Row of its type; `None` for one with records of all.
    pub(super) of: Option<usize>,
    pub(super) thread: Option<u32>,
    pub(super) run: u64,
    pub(super) head: Head,
    /// Where the header, or without one the payload, begins in the file.
    pub(super) start: u64,
    /// Its payload in the file, as far as the file goes.
    pub(super) payload: Range<u64>,
    /// Bytes that ought to be records; bytes that the file has of them.
    pub(super) used: (u64, u64),
    /// Number of the place of its first byte.
    pub(super) base: u32,
    /// Bytes between two places: those of a record, or 4 or 1 where they vary.
    pub(super) unit: u64,
    /// Records that were read, by type where it holds several.
    pub(super) records: u64,
    pub(super) holes: u64,
    /// Whether records are read of it: not when it is of another run.
    pub(super) is_read: bool,
    /// Whether it was read to its end once.
    pub(super) is_visited: bool,
}

impl Use {
    /// A buffer of a file; `bytes` of a record, 0 where they vary.
    pub(super) fn new(
        buffer: &Buffer,
        run: u64,
        (entry, path, source): (EntryId, &str, Source),
        head: Option<Head>,
    ) -> Self {
        let file = source.len();
        let start = buffer.offset.min(file);
        let mut head = head.unwrap_or_else(|| Head {
            capacity: buffer.capacity.unwrap_or(file - start),
            next: buffer.next.or(buffer.capacity).unwrap_or(file - start),
            thread: buffer.thread.unwrap_or(UNWRITTEN),
            ..Head::default()
        });
        if head.capacity == 0 && buffer.capacity.is_none() && !buffer.has_header {
            head.capacity = head.next;
        }
        let begin = if buffer.has_header { (start + HEAD).min(file) } else { start };
        let used = head.next.min(head.capacity);
        Self {
            entry,
            path: path.to_owned(),
            source: Rc::new(Cached::new(source)),
            of: None,
            thread: buffer.thread,
            run: buffer.run.unwrap_or(run),
            start,
            payload: begin..begin.saturating_add(head.capacity).min(file),
            used: (used, used.min(file - begin)),
            head,
            base: 0,
            unit: 1,
            records: 0,
            holes: 0,
            is_read: true,
            is_visited: false,
        }
    }

    /// Whether it overflowed.
    pub(super) fn is_over(&self) -> bool {
        self.head.capacity < self.head.next || self.head.is_over
    }

    /// Records that were lost, where records have `bytes`.
    pub(super) fn lost(&self, bytes: u64) -> u64 {
        match self.head.dropped {
            0 => self.head.next.saturating_sub(self.head.capacity).checked_div(bytes).unwrap_or(0),
            dropped => dropped,
        }
    }

    /// Records that the file ends before, where records have `bytes`.
    pub(super) fn cut(&self, bytes: u64) -> u64 {
        let records = |used: u64| used.checked_div(bytes).unwrap_or(0);
        records(self.used.0).saturating_sub(records(self.used.1))
    }

    /// The ranges of the payload that hold records, in the order in which they were written.
    pub(super) fn ranges(&self) -> Vec<Range<u64>> {
        let (begin, end) = (self.payload.start, self.payload.start.saturating_add(self.used.1));
        let cut = match self.head.next.checked_rem(self.head.capacity) {
            Some(at)
                if self.head.is_ring
                    && self.head.capacity < self.head.next
                    && at.is_multiple_of(self.unit) =>
            {
                begin.saturating_add(at).min(end)
            }
            _ => begin,
        };
        [cut..end, begin..cut].into_iter().filter(|range| !range.is_empty()).collect()
    }

    /// The byte of the file at a place.
    pub(super) fn byte(&self, place: u32) -> u64 {
        let unit = u64::from(place.saturating_sub(self.base));
        self.payload.start.saturating_add(unit.saturating_mul(self.unit))
    }

    /// The place of a byte of the payload.
    pub(super) fn place(&self, byte: u64) -> u32 {
        let unit = byte.saturating_sub(self.payload.start) / self.unit.max(1);
        self.base.saturating_add(u32::try_from(unit).unwrap_or(u32::MAX))
    }
}

/// The buffers of a launch.
#[derive(Default)]
pub(super) struct Uses(pub(super) Vec<Use>);

impl Uses {
    /// The buffer of a place, and the byte in its file.
    pub(super) fn locate(&self, place: u32) -> Option<(&Use, u64)> {
        let row = self.0.partition_point(|buffer| buffer.base <= place).checked_sub(1)?;
        let buffer = self.0.get(row)?;
        Some((buffer, buffer.byte(place)))
    }
}
