//! Interned text: every name is kept once.

use super::id::StrId;
use crate::base::map::Parts;
use std::hash::Hasher;

/// All names of a trace in one buffer. Row 0 is the empty text.
pub struct Strings {
    text: String,
    ends: Vec<u32>,
    by_hash: Parts<u64, u32>,
    /// Next row with the same hash, or `NONE`.
    next: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Default for Strings {
    fn default() -> Self {
        let mut strings =
            Self { text: String::new(), ends: Vec::new(), by_hash: Parts::default(), next: Vec::new() };
        strings.intern("");
        strings
    }
}

impl Strings {
    /// The empty text.
    pub const EMPTY: StrId = StrId(0);

    /// The row of `text`, new or old. Constant time. When the buffer is full (4 GiB) everything new is the empty text.
    pub fn intern(&mut self, text: &str) -> StrId {
        let hash = hash_of(text.as_bytes());
        let head = self.by_hash.get(&hash).copied().unwrap_or(NONE);
        let mut at = head;
        while at != NONE {
            if self.get(StrId(at)) == text {
                return StrId(at);
            }
            at = self.next.get(at as usize).copied().unwrap_or(NONE);
        }
        let Ok(end) = u32::try_from(self.text.len() + text.len()) else { return Self::EMPTY };
        let id = self.ends.len() as u32;
        self.text.push_str(text);
        self.ends.push(end);
        self.next.push(head);
        self.by_hash.insert(hash, id);
        StrId(id)
    }

    /// The row of `text` if it was interned.
    pub fn find(&self, text: &str) -> Option<StrId> {
        let mut at = self.by_hash.get(&hash_of(text.as_bytes())).copied()?;
        while at != NONE {
            if self.get(StrId(at)) == text {
                return Some(StrId(at));
            }
            at = self.next.get(at as usize).copied().unwrap_or(NONE);
        }
        None
    }

    /// The text of a row; empty for a number that is no row.
    #[inline]
    pub fn get(&self, id: StrId) -> &str {
        let i = id.index();
        let end = self.ends.get(i).copied().unwrap_or(0) as usize;
        let start = if i == 0 { 0 } else { self.ends.get(i - 1).copied().unwrap_or(0) as usize };
        self.text.get(start..end).unwrap_or("")
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Never: row 0 always stands.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.text.capacity()
            + self.ends.capacity() * 4
            + self.next.capacity() * 4
            + self.by_hash.capacities().sum::<usize>() * 16
    }
}

fn hash_of(bytes: &[u8]) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}
