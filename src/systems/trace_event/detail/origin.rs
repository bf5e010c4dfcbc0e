//! Where an event comes from, found in its bytes without reading the rest: the address of the instruction and the call
//! stack. For going through all events of a file.

use super::code;
use crate::base::number::address;
use crate::format::Frame;
use crate::input::json::scan::{Stop, blanks, string_end, value_end};
use crate::input::json::{Json, parse};
use memchr::memmem;

/// The text of the place as the file writes it: the same text is the same place. Empty when the event names none.
///
/// `key` is filled anew.
pub fn origin_key(bytes: &[u8], key: &mut Vec<u8>) {
    key.clear();
    for name in [&b"\"pc_addr\""[..], b"\"code\""] {
        let Some(value) = value_of(bytes, name) else { continue };
        key.extend_from_slice(if key.is_empty() { b"{" } else { b"," });
        key.extend_from_slice(name);
        key.push(b':');
        key.extend_from_slice(value);
    }
    if !key.is_empty() {
        key.push(b'}');
    }
}

/// The place of a key: address and call stack.
pub fn origin(key: &[u8]) -> (Option<u64>, Vec<Frame>) {
    let (json, _) = parse(key, 0);
    (json.get("pc_addr").and_then(Json::as_text).and_then(address), code(&json))
}

/// The value behind a name, wherever in the event it stands. Inside of texts quotes are escaped, so that what looks like
/// a name is one.
fn value_of<'a>(bytes: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    memmem::find_iter(bytes, name).find_map(|at| {
        let colon = blanks(bytes, at + name.len());
        if bytes.get(colon) != Some(&b':') {
            return None;
        }
        let start = blanks(bytes, colon + 1);
        let end = match bytes.get(start)? {
            b'"' => string_end(bytes, start),
            b'0'..=b'9' => value_end(bytes, start),
            _ => Err(Stop::Cut),
        };
        bytes.get(start..end.ok()?)
    })
}
