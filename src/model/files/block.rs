//! Blocks: what a container file is made of, known and unknown, for the report and for raw exports.

use std::ops::Range;

/// What became of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockState {
    /// Its contents are in the trace.
    Read,
    /// It is known; its view follows in a later version.
    ViewFollows,
    /// Its type is not known.
    Unknown,
    /// Another copy of the same thing counts instead.
    Superseded,
    /// It was damaged; what could be read is in the trace.
    Damaged,
}

/// One block of a container.
#[derive(Clone, Debug)]
pub struct Block {
    /// Number of the entry of the bundle.
    pub entry: u32,
    /// Where its header begins.
    pub offset: u64,
    /// Type number.
    pub kind: u32,
    /// Name of the type.
    pub name: String,
    /// Size of the content as the header says, with padding.
    pub content_size: u64,
    /// Zero bytes at its tail.
    pub padding: u8,
    /// Version byte.
    pub version: u8,
    /// Path, for sources.
    pub path: Option<String>,
    /// Bytes of the payload in the entry, cut to what is there.
    pub payload: Range<u64>,
    /// Whether the payload is binary (never JSON or text).
    pub is_binary: bool,
    /// What became of it.
    pub state: BlockState,
}
