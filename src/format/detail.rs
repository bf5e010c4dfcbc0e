//! What is read back from the bytes of one slice when somebody asks for it.

use crate::model::Trace;
use std::ops::Range;

/// The address of an instruction, and the call stack that led there, as the file orders it.
pub type Origin = (Option<u64>, Vec<Frame>);

/// How slices of a format are read back.
pub struct SliceReader {
    /// Everything that the bytes of a slice say. Never fails: of damaged bytes comes what can be read.
    pub detail: fn(&SliceBytes) -> SliceDetail,
    /// The text of the place that a slice comes from, filled into the buffer: the same text is the same place; empty when
    /// the slice names none. For going through all slices of a file.
    pub origin_key: fn(&[u8], &mut Vec<u8>),
    /// The place of such a text: the address of the instruction, and the call stack.
    pub origin: fn(&[u8]) -> Origin,
}

/// The bytes of a slice, and what else its reader may need.
pub struct SliceBytes<'a> {
    /// The bytes; empty when the trace knows only where they begin.
    pub bytes: &'a [u8],
    /// Number of their entry, and where they begin in it.
    pub place: (u32, u64),
    /// The trace, for what stands in it once for many slices.
    pub trace: &'a Trace,
    /// Reads other bytes of the entry.
    pub read: &'a dyn Fn(Range<u64>) -> Vec<u8>,
}

/// Everything that one slice says beyond name, category, row and time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SliceDetail {
    /// Its other members with their digits as in the file: `ts`, `dur`, `id`, `cname` and the like.
    pub members: Vec<(String, String)>,
    /// Its args; members of objects inside have dotted names, arrays are JSON. Line breaks are kept.
    pub args: Vec<(String, String)>,
    /// Its call stack, as the file orders it; empty when it has none.
    pub code: Vec<Frame>,
    /// Address of its instruction.
    pub address: Option<u64>,
}

/// One line of a call stack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Path of the source file.
    pub path: String,
    /// Line in it, from 1.
    pub line: Option<u32>,
    /// The function, when the file says it.
    pub function: String,
}
