//! Names of events, interned: the bytes of a string become a row of the trace's strings.

use crate::base::fault::{Fault, Kind, Severity};
use crate::format::sink::Sink;
use crate::input::json::scan::same;
use crate::input::json::text::unescape;
use crate::input::limits;
use crate::model::id::StrId;
use crate::model::strings::Strings;
use std::borrow::Cow;

/// Remembers the last names by their bytes, so that a name that was seen costs a hash and a comparison.
pub(super) struct Names {
    /// Hash and row, placed by the hash. A row is compared before it is believed.
    recent: Vec<(u64, StrId)>,
}

/// Names that are remembered; a power of two.
const RECENT: usize = 4096;

impl Default for Names {
    fn default() -> Self {
        Self { recent: vec![(0, Strings::EMPTY); RECENT] }
    }
}

/// Something about a name that must be said.
pub(super) enum Odd {
    /// It is not UTF-8: bad bytes became U+FFFD.
    NotText,
    /// It is too long and was cut.
    Long(usize),
}

impl Names {
    /// The row of the text between the quotes.
    pub(super) fn intern(&mut self, raw: &[u8], sink: &mut Sink) -> (StrId, Option<Odd>) {
        if raw.is_empty() {
            return (Strings::EMPTY, None);
        }
        let hash = hash_of(raw);
        let at = usize::try_from(hash >> 52).unwrap_or(0) % RECENT;
        if let Some(&(known, id)) = self.recent.get(at)
            && known == hash
            && same(sink.builder.trace().strings.get(id).as_bytes(), raw)
        {
            return (id, None);
        }
        let (text, odd) = read(raw);
        let id = sink.builder.intern(&text);
        if odd.is_none()
            && let Some(recent) = self.recent.get_mut(at)
        {
            // A text with escapes is remembered too; it is only never found, because its bytes differ.
            *recent = (hash, id);
        }
        (id, odd)
    }
}

/// What the bytes between two quotes say, at most [`limits::NAME_BYTES`] of it.
pub(super) fn read(raw: &[u8]) -> (Cow<'_, str>, Option<Odd>) {
    let text = unescape(raw);
    if limits::NAME_BYTES < text.len() {
        let n = text.len();
        let end = text.floor_char_boundary(limits::NAME_BYTES);
        return (Cow::Owned(text.get(..end).unwrap_or("").to_owned()), Some(Odd::Long(n)));
    }
    let is_bad = matches!(text, Cow::Owned(_)) && std::str::from_utf8(raw).is_err();
    (text, is_bad.then_some(Odd::NotText))
}

impl Odd {
    /// The fault to say at a place.
    pub(super) fn fault(self, place: crate::base::fault::Place) -> Fault {
        match self {
            Self::NotText => Fault::new("TEV-NOT-TEXT", Severity::Warning, place, Kind::NotText)
                .note("Invalid bytes are shown as �."),
            Self::Long(asked) => {
                let kind = Kind::Limit {
                    what: "name length".into(),
                    asked: asked as u64,
                    allowed: limits::NAME_BYTES as u64,
                };
                Fault::new("TEV-LONG-NAME", Severity::Warning, place, kind).note("The name is truncated.")
            }
        }
    }
}

/// A hash of bytes, eight at a time; its upper bits are the best ones.
pub(super) fn hash_of(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut hash = bytes.len() as u64;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        hash = (hash ^ u64::from_le_bytes(*word)).wrapping_mul(FACTOR).rotate_left(29);
    }
    // The last eight bytes once more, instead of what is left one by one.
    let tail = bytes.last_chunk::<8>().map_or_else(
        || rest.iter().fold(0, |tail, &b| tail << 8 | u64::from(b)),
        |last| u64::from_le_bytes(*last),
    );
    hash = (hash ^ tail).wrapping_mul(FACTOR);
    (hash ^ (hash >> 29)).wrapping_mul(FACTOR)
}
