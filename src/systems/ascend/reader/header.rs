//! Headers of blocks: layout, the types of blocks, and what makes a header sound.
//!
//! | offset | size | name | meaning |
//! |---|---|---|---|
//! | 0 | 8 | content size | little endian; with the padding, without the path of a source |
//! | 8 | 1 | type | see [`Type`] |
//! | 9 | 1 | padding | zero bytes at the tail of the content, 0 to 3 |
//! | 10 | 1 | version | 5A is "none" |
//! | 11 | 1 | mark | 5A |
//!
//! A source has a path of 4,096 bytes between its header and its content, which does not count as content.

use crate::base::fault::Place;
use crate::base::number;
use crate::base::words::{Message, message};
use crate::input::cursor::Cursor;

/// Bytes of a header.
pub(super) const HEADER_BYTES: u64 = 12;
/// Bytes of the path of a source.
pub(super) const PATH_BYTES: u64 = 4096;
/// Value of the last byte of a header, and of the version byte when there is no version.
pub(super) const MARK: u8 = 0x5a;
/// Largest type that a header may have to be taken for one without further proof.
const LARGEST_TYPE: u8 = 0x20;
/// Largest version that is taken for one.
const LARGEST_VERSION: u8 = 0x0f;

/// The type numbers that are known.
pub(super) struct Type;

impl Type {
    /// Text of a source file.
    pub(super) const SOURCE: u8 = 0x01;
    /// Trace Event JSON.
    pub(super) const TRACE: u8 = 0x02;
    /// Metrics of source lines.
    pub(super) const API_FILE: u8 = 0x03;
    /// Instructions with their metrics.
    pub(super) const API_INSTR: u8 = 0x04;
    /// What the operator is.
    pub(super) const BASE_INFO: u8 = 0x05;
    /// Compute workload as bars.
    pub(super) const LOAD_GRAPH: u8 = 0x06;
    /// Compute workload as tables.
    pub(super) const LOAD_TABLE: u8 = 0x07;
    /// Memory workload as boxes and arrows.
    pub(super) const MEMORY_GRAPH: u8 = 0x08;
    /// Memory workload as tables.
    pub(super) const MEMORY_TABLE: u8 = 0x09;
    /// Memory accesses, binary.
    pub(super) const MEMORY_RECORDS: u8 = 0x0a;
    /// Cache lines, binary.
    pub(super) const CACHE_RECORDS: u8 = 0x0b;
    /// How busy the cores were.
    pub(super) const OCCUPANCY: u8 = 0x0c;
    /// Rooflines.
    pub(super) const ROOFLINE: u8 = 0x0d;
    /// Cache lines as JSON.
    pub(super) const CACHE_LINES: u8 = 0x0e;
    /// Why warps stalled.
    pub(super) const STALL_REASONS: u8 = 0x0f;

    /// The reader's name of a type, as the vendor's viewer calls it; the two binary types have none there.
    pub(super) fn name(kind: u8) -> Option<&'static str> {
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
    pub(super) fn is_json(kind: u8) -> bool {
        matches!(kind, Self::TRACE..=Self::MEMORY_TABLE | Self::OCCUPANCY..=Self::STALL_REASONS)
    }

    /// Whether the payload is binary.
    pub(super) fn is_binary(kind: u8) -> bool {
        matches!(kind, Self::MEMORY_RECORDS | Self::CACHE_RECORDS)
    }
}

/// The header of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// Bytes of content with padding.
    pub(super) size: u64,
    /// Type number.
    pub(super) kind: u8,
    /// Zero bytes at the tail.
    pub(super) padding: u8,
    /// Version byte.
    pub(super) version: u8,
    /// Last byte.
    pub(super) mark: u8,
}

impl Header {
    /// The header at the start of `bytes`; `None` when they are too few.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
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
    pub(super) fn head_bytes(&self) -> u64 {
        HEADER_BYTES + if self.kind == Type::SOURCE { PATH_BYTES } else { 0 }
    }

    /// Bytes of the whole block; `None` beyond 64 bits.
    pub(super) fn block_bytes(&self) -> Option<u64> {
        self.head_bytes().checked_add(self.size)
    }

    /// The first thing that speaks against this being a header: byte in it, what is expected, what was found.
    pub(super) fn missed(&self) -> Option<(u64, &'static str, String)> {
        if self.mark != MARK {
            Some((11, "5A", format!("{:02X}", self.mark)))
        } else if self.version != MARK && LARGEST_VERSION < self.version {
            Some((10, "5A or a version up to 0F", format!("{:02X}", self.version)))
        } else if 3 < self.padding {
            Some((9, "a padding from 0 to 3", self.padding.to_string()))
        } else if LARGEST_TYPE < self.kind {
            Some((8, "a block type up to 20", format!("{:02X}", self.kind)))
        } else {
            None
        }
    }

    /// Whether it looks like a header by itself.
    pub(super) fn is_sound(&self) -> bool {
        self.missed().is_none()
    }

    /// How many of the five checks it passes in a file of `len` bytes before the first that fails: those behind it pass in
    /// many other files.
    pub(super) fn passes(&self, len: u64) -> u8 {
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
    pub(super) fn missed_text(&self, len: u64) -> Option<Message> {
        if let Some((byte, expected, found)) = self.missed() {
            let missed = message("byte {byte}: expected {expected}, found {found}");
            return Some(missed.with("byte", byte).with_message("expected", expected).with("found", found));
        }
        let is_too_long = self.block_bytes().is_none_or(|n| len < n);
        is_too_long.then(|| {
            let n = |v: u64| number::thousands(i64::try_from(v).unwrap_or(i64::MAX));
            let missed = message("byte 0: expected a content size up to {n}, found {found}");
            missed.with("n", n(len)).with("found", n(self.size))
        })
    }
}
