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
use super::parts::{Out, written};
use super::{Export, ExportInput, Parts};
use crate::base::job::Turn;
use crate::base::words::phrase;
use crate::input::{EntryId, Source, read_range};
use crate::model::files::Block;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::io::{Error, Result, Write};
use std::ops::Range;
use std::rc::Rc;

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

/// Bytes of a payload that are looked at in one piece; base64 makes whole groups of them.
const PIECE: u64 = 3 << 18;
/// So many of them take as long as a row.
const BYTES: usize = 12;

/// Writes all blocks of the trace, in the order of the files.
fn blocks(input: &ExportInput) -> Parts {
    let (trace, bundle) = (Rc::clone(input.trace), input.bundle.clone());
    written(async move |mut out, turn| {
        let blocks = &trace.blocks;
        let has_several = blocks.iter().any(|b| Some(b.entry) != blocks.first().map(|f| f.entry));
        for block in blocks {
            let Some(entry) = bundle.get(EntryId(block.entry)) else { continue };
            head(block, has_several.then_some(&entry.path), &mut out)?;
            payload(&entry.source, block, &mut out, &turn).await?;
            out.write_all(b"}\n")?;
        }
        Ok(())
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

async fn payload(source: &Source, block: &Block, out: &mut Out, turn: &Turn) -> Result<()> {
    let text = text_start(source, block)?..block.payload.end;
    if block.path.is_some() {
        out.write_all(b",\"payload\":\"")?;
        let mut held = Vec::new();
        let mut quote = |piece: &[u8], is_last: bool| {
            held.extend_from_slice(piece);
            // A character may lie across the border of two pieces: its head waits for the rest.
            let rest = held.split_off(held.len() - if is_last { 0 } else { cut_character(&held) });
            let quoted = serde_json::to_string(&String::from_utf8_lossy(&held))?;
            held = rest;
            out.write_all(quoted.get(1..quoted.len() - 1).unwrap_or("").as_bytes())
        };
        in_pieces(source, text, turn, &mut quote).await?;
        return out.write_all(b"\"");
    }
    if !block.is_binary {
        let mut minify = Minify::default();
        let mut check = |piece: &[u8], _| {
            minify.feed(piece, |_| {});
            Ok(())
        };
        in_pieces(source, text.clone(), turn, &mut check).await?;
        if minify.finish() {
            out.write_all(b",\"payload\":")?;
            let mut minify = Minify::default();
            let mut write = |piece: &[u8], _| {
                let mut text = Vec::with_capacity(piece.len());
                minify.feed(piece, |part| text.extend_from_slice(part));
                out.write_all(&text)
            };
            return in_pieces(source, text, turn, &mut write).await;
        }
    }
    out.write_all(b",\"encoding\":\"base64\",\"payload\":\"")?;
    let mut encode = |piece: &[u8], _| out.write_all(STANDARD.encode(piece).as_bytes());
    in_pieces(source, block.payload.clone(), turn, &mut encode).await?;
    out.write_all(b"\"")
}

/// Takes the next bytes; whether they are the last.
type Take<'a> = &'a mut dyn FnMut(&[u8], bool) -> Result<()>;

/// Reads bytes piece by piece, at least one piece, which may be empty.
async fn in_pieces(source: &Source, bytes: Range<u64>, turn: &Turn, take: Take<'_>) -> Result<()> {
    let mut at = bytes.start;
    loop {
        let end = bytes.end.min(at.saturating_add(PIECE));
        let piece = read_range(&**source, at..end).map_err(|e| Error::other(e.0))?;
        at += piece.len() as u64;
        let is_last = piece.is_empty() || bytes.end <= at;
        take(&piece, is_last)?;
        if turn.is_over(1 + piece.len() / BYTES) {
            turn.pause().await;
        }
        if is_last {
            return Ok(());
        }
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
