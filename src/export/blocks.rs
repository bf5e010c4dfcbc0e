//! blocks-json: every block of a container as one JSON object a line, for scripts.
//!
//! ```text
//! {"offset":0,"type":5,"name":"DETAILS_BASE_INFO","contentSize":472,"padding":2,"version":90,"payload":{…}}
//! {"offset":484,"type":1,"name":"SOURCE","contentSize":16,"padding":2,"version":90,"path":"/a/b.cpp","payload":"…"}
//! {"offset":4608,"type":10,"name":"MEMORY_RECORDS",…,"encoding":"base64","payload":"wAAAAAAA…"}
//! ```
//! JSON keeps its digits, its order of members and repeated names; only blanks between tokens go. Binary payloads, and
//! those that ought to be JSON but are not, are base64 and say so. `file` is there when several files have blocks.
//! Blocks are written piece by piece: JSON is read twice, first to see whether it is JSON.

use super::minify::Minify;
use super::{Export, ExportInput, Parts};
use crate::base::words::phrase;
use crate::input::bundle::EntryId;
use crate::input::source::{Source, read_range};
use crate::model::files::block::Block;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
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
    write: |input, _| Ok(blocks(input)),
};

/// Bytes of a payload that are looked at in one part; base64 makes whole groups of them.
const PIECE: u64 = 3 << 18;

/// A block that is being written.
enum Payload {
    /// Whether it is JSON is found out, from a byte on.
    Check(u64, Minify),
    /// JSON is written without its blanks, from a byte on.
    Json(u64, Minify),
    /// A text is written from a byte on; the head of a character that is not complete waits.
    Text(u64, Vec<u8>),
    /// Bytes are written as base64, from a byte on.
    Base64(u64),
}

/// Writes all blocks of the trace, in the order of the files.
fn blocks(input: &ExportInput) -> Parts {
    let blocks = &input.trace.blocks;
    let has_several = blocks.iter().any(|b| Some(b.entry) != blocks.first().map(|f| f.entry));
    let (mut at, mut open) = (0, None);
    Box::new(move |input, out| {
        let mut left = PIECE;
        while 0 < left {
            let Some(block) = input.trace.blocks.get(at) else { return Ok(false) };
            let Some(entry) = input.bundle.get(EntryId(block.entry)) else {
                at += 1;
                continue;
            };
            let payload = match open.take() {
                None => {
                    head(block, has_several.then_some(&entry.path), out)?;
                    Payload::new(&entry.source, block, out)?
                }
                Some(payload) => payload,
            };
            open = payload.step(&entry.source, block, &mut left, out)?;
            at += usize::from(open.is_none());
        }
        Ok(at < input.trace.blocks.len())
    })
}

fn head(block: &Block, file: Option<&String>, out: &mut dyn Write) -> Result<()> {
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
    if let Some(file) = file {
        write!(out, ",\"file\":{}", serde_json::to_string(file)?)?;
    }
    Ok(())
}

impl Payload {
    fn new(source: &Source, block: &Block, out: &mut dyn Write) -> Result<Self> {
        let start = text_start(source, block)?;
        if block.path.is_some() {
            out.write_all(b",\"payload\":\"")?;
            return Ok(Self::Text(start, Vec::new()));
        }
        if block.is_binary { Self::base64(block, out) } else { Ok(Self::Check(start, Minify::default())) }
    }

    fn base64(block: &Block, out: &mut dyn Write) -> Result<Self> {
        out.write_all(b",\"encoding\":\"base64\",\"payload\":\"")?;
        Ok(Self::Base64(block.payload.start))
    }

    /// Does the next piece, and counts `left` down; what is left to do.
    fn step(
        self,
        source: &Source,
        block: &Block,
        left: &mut u64,
        out: &mut dyn Write,
    ) -> Result<Option<Self>> {
        let (Self::Check(at, _) | Self::Json(at, _) | Self::Text(at, _) | Self::Base64(at)) = self;
        let end = block.payload.end.min(at.saturating_add(PIECE));
        let piece = read_range(&**source, at..end).map_err(|e| Error::other(e.0))?;
        *left = left.saturating_sub(1 + piece.len() as u64);
        let at = at + piece.len() as u64;
        let is_over = piece.is_empty() || block.payload.end <= at;
        match self {
            Self::Check(_, mut minify) => {
                minify.feed(&piece, |_| {});
                match is_over {
                    false => return Ok(Some(Self::Check(at, minify))),
                    true if !minify.finish() => return Self::base64(block, out).map(Some),
                    true => {}
                }
                out.write_all(b",\"payload\":")?;
                return Ok(Some(Self::Json(text_start(source, block)?, Minify::default())));
            }
            Self::Json(_, mut minify) => {
                let mut text = Vec::with_capacity(piece.len());
                minify.feed(&piece, |part| text.extend_from_slice(part));
                out.write_all(&text)?;
                if !is_over {
                    return Ok(Some(Self::Json(at, minify)));
                }
            }
            Self::Text(_, mut held) => {
                held.extend_from_slice(&piece);
                // A character may lie across the border of two pieces: its head waits for the rest.
                let rest = held.split_off(held.len() - if is_over { 0 } else { cut_character(&held) });
                let quoted = serde_json::to_string(&String::from_utf8_lossy(&held))?;
                out.write_all(quoted.get(1..quoted.len() - 1).unwrap_or("").as_bytes())?;
                if !is_over {
                    return Ok(Some(Self::Text(at, rest)));
                }
                out.write_all(b"\"")?;
            }
            Self::Base64(_) => {
                out.write_all(STANDARD.encode(&piece).as_bytes())?;
                if !is_over {
                    return Ok(Some(Self::Base64(at)));
                }
                out.write_all(b"\"")?;
            }
        }
        out.write_all(b"}\n")?;
        Ok(None)
    }
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
