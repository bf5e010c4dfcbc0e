//! Faults in the language of the reader: the same sentences as their plain text, which is English.

use super::{Language, fill, tr};
use crate::base::fault::{Kind, Place};
use crate::base::number::{offset, thousands};

/// What is wrong, in one sentence without its full stop.
pub fn complaint(language: Language, kind: &Kind) -> String {
    let n = |value: u64| thousands(i64::try_from(value).unwrap_or(i64::MAX));
    match kind {
        Kind::Truncated { needed, left } => fill(
            tr(language, "{needed} bytes needed, only {left} left"),
            &[("needed", &n(*needed)), ("left", &n(*left))],
        ),
        Kind::Unexpected { expected, found } => fill(
            tr(language, "expected {expected}, found {found}"),
            &[("expected", tr(language, expected)), ("found", found)],
        ),
        Kind::OutOfRange { field, value, min, max } => fill(
            tr(language, "{field} is {value}, must be {min} to {max}"),
            &[("field", tr(language, field)), ("value", value), ("min", min), ("max", max)],
        ),
        Kind::Contradiction { a, b } => fill(tr(language, "{a}, but {b}"), &[("a", a), ("b", b)]),
        Kind::Unsupported { what, version } if version.is_empty() => {
            fill(tr(language, "{what} is not supported"), &[("what", what)])
        }
        Kind::Unsupported { what, version } => fill(
            tr(language, "{what} version {version} is not supported"),
            &[("what", what), ("version", version)],
        ),
        Kind::Limit { what, asked, allowed } => fill(
            tr(language, "{what}: {asked} exceeds the limit of {allowed}"),
            &[("what", tr(language, what)), ("asked", &n(*asked)), ("allowed", &n(*allowed))],
        ),
        Kind::Unpaired { what } => fill(tr(language, "{what} has no partner"), &[("what", what)]),
        Kind::NotText => tr(language, "invalid UTF-8 text").to_owned(),
        Kind::Io { message } => fill(tr(language, "read error: {message}"), &[("message", message)]),
    }
}

/// Where it is: entry, structure, line, byte.
pub fn place(language: Language, place: &Place) -> String {
    let mut parts: Vec<String> =
        [&place.entry, &place.block].into_iter().filter(|part| !part.is_empty()).cloned().collect();
    if let Some((line, column)) = place.line {
        let (line, column) = (line.to_string(), column.to_string());
        parts.push(fill(
            tr(language, "line {line}, column {column}"),
            &[("line", &line), ("column", &column)],
        ));
    }
    if let Some(byte) = place.byte {
        parts.push(fill(tr(language, "byte {byte}"), &[("byte", &offset(byte))]));
    }
    parts.join(if language == Language::Zh { "，" } else { ", " })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_is_the_plain_text() {
        let kinds = [
            Kind::Truncated { needed: 9812, left: 4096 },
            Kind::Unexpected { expected: "a number".into(), found: "7B".into() },
            Kind::OutOfRange { field: "padding".into(), value: "9".into(), min: "0".into(), max: "3".into() },
            Kind::Contradiction { a: "one".into(), b: "other".into() },
            Kind::Unsupported { what: "compression".into(), version: String::new() },
            Kind::Unsupported { what: "wire".into(), version: "2".into() },
            Kind::Limit { what: "rows".into(), asked: 20_000, allowed: 1000 },
            Kind::Unpaired { what: "an end".into() },
            Kind::NotText,
            Kind::Io { message: "gone".into() },
        ];
        for kind in kinds {
            assert_eq!(complaint(Language::En, &kind), kind.to_string());
            assert_ne!(complaint(Language::Zh, &kind), kind.to_string());
        }
        let at = Place::byte("a.bin", 6720).block("block 7").line(3, 4);
        assert_eq!(place(Language::En, &at), at.to_string());
        assert_eq!(place(Language::Zh, &at), "a.bin，block 7，第 3 行第 4 列，字节 6,720 (0x1A40)");
    }
}
