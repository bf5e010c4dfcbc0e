//! blocks-json: every block of a container as one JSON object a line, for scripts.
//!
//! ```text
//! {"offset":0,"type":5,"name":"DETAILS_BASE_INFO","contentSize":472,"padding":2,"version":90,"payload":{…}}
//! {"offset":484,"type":1,"name":"SOURCE","contentSize":16,"padding":2,"version":90,"path":"/a/b.cpp","payload":"…"}
//! {"offset":4608,"type":10,"name":"MEMORY_RECORDS",…,"encoding":"base64","payload":"wAAAAAAA…"}
//! ```
//! JSON keeps its digits, its order of members and repeated names; only blanks between tokens go. Binary payloads, and
//! those that ought to be JSON but are not, are base64 and say so. `file` is there when several files have blocks.
//! Blocks are streamed: a long one is read twice, first to see whether it is JSON.

use super::Export;
use super::minify::Minify;
use crate::base::words::phrase;
use crate::input::bundle::{Bundle, EntryId};
use crate::input::limits;
use crate::input::source::{Source, read_range};
use crate::model::Trace;
use crate::model::files::block::Block;
use base64::engine::general_purpose::STANDARD;
use base64::write::EncoderWriter;
use std::io::{Error, Result, Write};

/// Every block of a container, one JSON object a line.
pub(super) static BLOCKS_JSON: Export = Export {
    id: "blocks-json",
    title: phrase("Blocks as JSON lines"),
    suffix: "blocks.jsonl",
    mime: "application/x-ndjson",
    takes_argument: false,
    parameters: &[],
    can: |input| !input.trace.blocks.is_empty(),
    write: |input, _, out| blocks_json(input.bundle, input.trace, out),
};

/// Writes all blocks of the trace, in the order of the files.
///
/// # Errors
/// When writing or reading fails.
pub fn blocks_json(bundle: &Bundle, trace: &Trace, out: &mut dyn Write) -> Result<()> {
    let has_several = trace.blocks.iter().any(|b| Some(b.entry) != trace.blocks.first().map(|f| f.entry));
    for block in &trace.blocks {
        let Some(entry) = bundle.get(EntryId(block.entry)) else { continue };
        write!(
            out,
            "{{\"offset\":{},\"type\":{},\"name\":{},\"contentSize\":{},\"padding\":{},\"version\":{}",
            block.offset,
            block.kind,
            serde_json::to_string(&block.name)?,
            block.content_size,
            block.padding,
            block.version
        )?;
        if let Some(path) = &block.path {
            write!(out, ",\"path\":{}", serde_json::to_string(path)?)?;
        }
        if has_several {
            write!(out, ",\"file\":{}", serde_json::to_string(&entry.path)?)?;
        }
        payload(&entry.source, block, out)?;
        out.write_all(b"}\n")?;
    }
    Ok(())
}

fn payload(source: &Source, block: &Block, out: &mut dyn Write) -> Result<()> {
    if block.path.is_some() {
        out.write_all(b",\"payload\":\"")?;
        text(source, block, out)?;
        return out.write_all(b"\"");
    }
    if !block.is_binary && is_json(source, block)? {
        out.write_all(b",\"payload\":")?;
        let (mut minify, mut result) = (Minify::default(), Ok(()));
        each_piece(source, block, text_start(source, block)?, |piece| {
            minify.feed(piece, |part| {
                if result.is_ok() {
                    result = out.write_all(part);
                }
            });
            std::mem::replace(&mut result, Ok(()))
        })?;
        return Ok(());
    }
    out.write_all(b",\"encoding\":\"base64\",\"payload\":\"")?;
    let mut encoder = EncoderWriter::new(&mut *out, &STANDARD);
    each_piece(source, block, block.payload.start, |piece| encoder.write_all(piece))?;
    encoder.finish()?;
    drop(encoder);
    out.write_all(b"\"")
}

fn is_json(source: &Source, block: &Block) -> Result<bool> {
    let mut minify = Minify::default();
    each_piece(source, block, text_start(source, block)?, |piece| {
        minify.feed(piece, |_| {});
        Ok(())
    })?;
    Ok(minify.finish())
}

/// The text of a source as the inside of a JSON text; bytes that are no UTF-8 become U+FFFD.
fn text(source: &Source, block: &Block, out: &mut dyn Write) -> Result<()> {
    let mut held: Vec<u8> = Vec::new();
    let mut write = |text: &str| {
        let quoted = serde_json::to_string(text)?;
        out.write_all(quoted.get(1..quoted.len() - 1).unwrap_or("").as_bytes())
    };
    each_piece(source, block, text_start(source, block)?, |piece| {
        held.extend_from_slice(piece);
        // A character may lie across the border of two pieces: its head waits for the rest.
        let rest = held.split_off(held.len() - cut_character(&held));
        write(&String::from_utf8_lossy(&held))?;
        held = rest;
        Ok(())
    })?;
    write(&String::from_utf8_lossy(&held))
}

/// How many bytes at the end are the head of a character that is not complete, at most 3.
fn cut_character(bytes: &[u8]) -> usize {
    let tail = bytes.get(bytes.len().saturating_sub(3)..).unwrap_or(&[]);
    let is_cut = |n: &usize| {
        let head = tail.get(tail.len() - n..).unwrap_or(&[]);
        std::str::from_utf8(head).is_err_and(|e| e.valid_up_to() == 0 && e.error_len().is_none())
    };
    (1..=tail.len()).find(is_cut).unwrap_or(0)
}

/// Where the text of a block begins: behind a byte order mark.
fn text_start(source: &Source, block: &Block) -> Result<u64> {
    let start = block.payload.start;
    let head =
        read_range(&**source, start..(start + 3).min(block.payload.end)).map_err(|e| Error::other(e.0))?;
    Ok(if head == b"\xEF\xBB\xBF" { start + 3 } else { start })
}

/// Hands over the payload of a block piece by piece.
fn each_piece(
    source: &Source,
    block: &Block,
    start: u64,
    mut take: impl FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let mut at = start;
    let mut buffer = vec![0; limits::CHUNK];
    while at < block.payload.end {
        let left = usize::try_from(block.payload.end - at).unwrap_or(usize::MAX);
        let Some(room) = buffer.get_mut(..left.min(limits::CHUNK)) else { break };
        let n = source.read_at(at, room).map_err(|e| Error::other(e.0))?;
        if n == 0 {
            break;
        }
        take(room.get(..n).unwrap_or(&[]))?;
        at += n as u64;
    }
    Ok(())
}
