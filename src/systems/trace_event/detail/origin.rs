//! Where an event comes from, found in its bytes without reading the rest: the address of the instruction and the call
//! stack. For going through all events of a file.

use super::code;
use crate::base::number::address;
use crate::format::detail::Frame;
use crate::input::json::scan::{Stop, blanks, string_end, value_end};
use crate::input::json::{Json, parse};
use memchr::memmem;

/// The text of the place as the file writes it: the same text is the same place. Empty when the event names none.
///
/// `key` is filled anew.
pub(crate) fn origin_key(bytes: &[u8], key: &mut Vec<u8>) {
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
pub(crate) fn origin(key: &[u8]) -> (Option<u64>, Vec<Frame>) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_in_whole_and_odd_events() {
        let read = |event: &str| {
            let mut key = Vec::new();
            origin_key(event.as_bytes(), &mut key);
            let (address, frames) = origin(&key);
            let frames = frames.into_iter().map(|f| format!("{}:{}", f.path, f.line.unwrap_or(0)));
            (address, frames.collect::<Vec<_>>().join(" "))
        };
        let whole =
            r#"{"ph":"X","name":"\"code\":1","args":{"code":"/a/b:c.cpp:17\n/opt/i.h:3","pc_addr":"0x1A0"}}"#;
        assert_eq!(read(whole), (Some(0x1a0), "/a/b:c.cpp:17 /opt/i.h:3".to_owned()));
        assert_eq!(read(r#"{"args":{"pc_addr" : 416 }}"#), (Some(416), String::new()));
        assert_eq!(read(r#"{"name":"code","args":{"code":null}}"#), (None, String::new()));
        assert_eq!(read(r#"{"args":{"code":"/a.cpp:1"#), (None, String::new()));
        assert_eq!((address("0xzz"), address("")), (None, None));
    }
}
