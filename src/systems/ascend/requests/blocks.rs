//! Blocks of containers, read back from the file when a request asks for them.

use crate::export::{ExportInput, RequestError, RequestParams};
use crate::input::{Bundle, EntryId};
use crate::model::files::{Block, BlockState};

/// Type numbers of the blocks that requests params for.
pub(super) mod kind {
    /// Text of a source.
    pub(crate) const SOURCE: u32 = 0x01;
    /// Trace Event JSON.
    pub(crate) const TIMELINE: u32 = 0x02;
    /// Metrics of source lines.
    pub(crate) const LINES: u32 = 0x03;
    /// Instructions.
    pub(crate) const INSTRUCTIONS: u32 = 0x04;
    /// Base info.
    pub(crate) const BASE_INFO: u32 = 0x05;
    /// Compute load as bars.
    pub(crate) const LOAD_CHART: u32 = 0x06;
    /// Compute load as tables.
    pub(crate) const LOAD_TABLE: u32 = 0x07;
    /// Paths of the memory chart.
    pub(crate) const MEMORY_GRAPH: u32 = 0x08;
    /// Memory tables.
    pub(crate) const MEMORY_TABLE: u32 = 0x09;
    /// Core occupancy.
    pub(crate) const OCCUPANCY: u32 = 0x0C;
    /// Rooflines.
    pub(crate) const ROOFLINE: u32 = 0x0D;
    /// Cache lines.
    pub(crate) const CACHE_LINES: u32 = 0x0E;
    /// Reasons of stalls.
    pub(crate) const STALLS: u32 = 0x0F;
}

/// The file that a request speaks of by its card or rank; `None` when it speaks of none.
pub(super) fn card(bundle: &Bundle, params: &RequestParams) -> Result<Option<u32>, RequestError> {
    let Some(asked) = params.optional(&["cardId", "rankId"]) else { return Ok(None) };
    match file(bundle, asked) {
        Some(id) => Ok(Some(id.0)),
        None => Err(RequestError::unknown_id("card", asked, bundle.iter().map(|(_, e)| e.path.clone()))),
    }
}

/// The file of a path, of the end of one, or of its name alone; separators of Windows too.
pub(super) fn file(bundle: &Bundle, asked: &str) -> Option<EntryId> {
    let asked = asked.replace('\\', "/");
    let is_same = |path: &str| path == asked || ends_in(path, &asked) || ends_in(&asked, path);
    let exact = bundle.iter().find(|(_, entry)| entry.path == asked);
    exact.or_else(|| bundle.iter().find(|(_, entry)| is_same(&entry.path))).map(|(id, _)| id)
}

/// Whether a path ends in these whole parts.
pub(super) fn ends_in(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|head| head.ends_with('/') || end.starts_with('/'))
}

/// The first block of a type that counts, of one file or of all.
pub(super) fn find<'a>(input: &ExportInput<'a>, kind: u32, card: Option<u32>) -> Option<&'a Block> {
    let is_meant = |block: &&Block| {
        block.kind == kind
            && block.state != BlockState::Superseded
            && card.is_none_or(|card| card == block.entry)
            && block.payload.start < block.payload.end
    };
    input.trace.blocks.iter().find(is_meant)
}

/// The payload of such a block.
///
/// # Errors
/// When there is none, or it can no longer be read.
pub(super) fn payload(
    input: &ExportInput,
    kind: u32,
    what: &str,
    card: Option<u32>,
) -> Result<Vec<u8>, RequestError> {
    let Some(block) = find(input, kind, card) else {
        return Err(RequestError::no_data(format!(
            "No {what} in the files: expected a block of type {kind:02X}."
        )));
    };
    bytes(input, block)
}

/// The payload of a block.
///
/// # Errors
/// When it can no longer be read.
pub(super) fn bytes(input: &ExportInput, block: &Block) -> Result<Vec<u8>, RequestError> {
    let bytes = input.bytes(block.entry, block.payload.clone());
    if bytes.is_empty() && block.payload.start < block.payload.end {
        let message = format!("Could not read block {}: the file may have changed.", block.name);
        return Err(RequestError::no_data(message));
    }
    Ok(bytes)
}
