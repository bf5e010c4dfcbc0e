//! What the vendor's viewer would not show of a container that is read here: whoever compares the two should not have to
//! guess.

use super::header::Type;
use super::walk::block_name;
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::words::{Message, message, phrase};
use crate::input::bundle::Entry;
use crate::model::files::block::Block;
use std::borrow::Cow;

/// The version byte that the viewer asks of the first block.
const VERSION: u8 = 0x5a;
/// Largest content of a JSON block that it reads.
const MOST_JSON: u64 = 100 << 20;

/// Notes on the blocks of a file, each at the block it is about.
pub(super) fn notes(blocks: &[Block], file: &Entry) -> Vec<Fault> {
    let len = file.source.len();
    let refused = phrase("MindStudio Insight rejects the entire file; Lanescope reads it.");
    let mut faults = Vec::new();
    for (i, block) in blocks.iter().enumerate() {
        let mut say = |expected: &'static str, found: Message, note: &'static str| {
            let kind = Kind::Unexpected { expected: Cow::Borrowed(expected), found };
            let place = Place::byte(&*file.path, block.offset).block(block_name(block, i + 1));
            faults.push(Fault::new("ASC-ORIGINAL", Severity::Note, place, kind).note(note));
        };
        let is_json = u8::try_from(block.kind).is_ok_and(|kind| Type::is_json(kind) && kind != Type::TRACE);
        if i == 0 && block.version != VERSION {
            say("version 5A in the first block", format!("{:02X}", block.version).into(), refused);
        }
        if block.content_size <= u64::from(block.padding) {
            say("a block with content", "none".into(), refused);
        } else if len < block.content_size {
            say("a block shorter than the file", message("{n} bytes").with("n", block.content_size), refused);
        } else if is_json && MOST_JSON < block.content_size {
            let found = message("{n} bytes").with("n", block.content_size);
            say("at most 100 MiB of JSON", found, "MindStudio Insight does not show this block.");
        }
    }
    faults
}
