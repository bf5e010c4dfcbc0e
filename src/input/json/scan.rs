//! Where values end: a scanner over bytes that builds nothing. For readers that keep places instead of values.
//!
//! The bytes may be the head of a longer text that has not arrived yet. So there are two ways to stop: the bytes end
//! before the value does ([`Stop::Cut`]: ask again with more), or no continuation can make it JSON ([`Stop::Bad`]).
//! What is said of some bytes is said of every longer text that begins with them: chunks of any size give the same.

use memchr::{memchr, memchr2};

/// Why a scan stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The bytes end inside the value.
    Cut,
    /// This is not JSON, whatever follows.
    Bad {
        /// Where, from the start of the scanned bytes.
        at: usize,
        /// What JSON asks for there.
        expected: &'static str,
    },
}

const fn bad<T>(at: usize, expected: &'static str) -> Result<T, Stop> {
    Err(Stop::Bad { at, expected })
}

/// The first place from `at` on that is no blank.
pub fn blanks(bytes: &[u8], at: usize) -> usize {
    let mut at = at;
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    at
}

/// The end of the value that begins at `at` (no blank there).
///
/// # Errors
/// See [`Stop`].
pub fn value_end(bytes: &[u8], at: usize) -> Result<usize, Stop> {
    match bytes.get(at) {
        Some(b'"') => string_end(bytes, at),
        Some(b'{') => object_end(bytes, at),
        Some(b'[') => nested_end(bytes, at),
        Some(b'0'..=b'9' | b'-' | b'+' | b'.' | b't' | b'f' | b'n' | b'N' | b'I') => word_end(bytes, at),
        Some(_) => bad(at, "a value"),
        None => Err(Stop::Cut),
    }
}

/// The end of the string whose opening quote is at `at`.
///
/// # Errors
/// [`Stop::Cut`] only.
pub fn string_end(bytes: &[u8], at: usize) -> Result<usize, Stop> {
    let mut at = at + 1;
    loop {
        let rest = bytes.get(at..).ok_or(Stop::Cut)?;
        at += short_find(rest).or_else(|| memchr2(b'"', b'\\', rest)).ok_or(Stop::Cut)?;
        if bytes.get(at) == Some(&b'"') {
            return Ok(at + 1);
        }
        at += 2;
    }
}

/// The first quote or backslash, if it is among the first bytes: most strings are short, and a call costs more than they.
#[inline]
fn short_find(rest: &[u8]) -> Option<usize> {
    let (chunks, _) = rest.get(..rest.len().min(SHORT))?.as_chunks::<8>();
    for (i, &chunk) in chunks.iter().enumerate() {
        let word = u64::from_le_bytes(chunk);
        let found = zero_bytes(word ^ QUOTES) | zero_bytes(word ^ BACKSLASHES);
        if found != 0 {
            return Some(8 * i + found.trailing_zeros() as usize / 8);
        }
    }
    None
}

/// Bytes that are looked at eight at a time before a string is taken for a long one.
const SHORT: usize = 32;
const ONES: u64 = 0x0101_0101_0101_0101;
const QUOTES: u64 = ONES * b'"' as u64;
const BACKSLASHES: u64 = ONES * b'\\' as u64;

/// The uppermost bit of bytes that are 0; right up to the first such byte, which is all that is used.
const fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & (ONES << 7)
}

/// What a byte says inside of a number or word.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    Inside,
    End,
    Wrong,
}

#[allow(clippy::indexing_slicing)] // evaluated by the compiler, which would refuse
const CLASSES: [Class; 256] = {
    let mut classes = [Class::Inside; 256];
    let mut b = u8::MIN;
    loop {
        classes[b as usize] = match b {
            b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t' => Class::End,
            b'"' | b'{' | b'[' | b':' | 0..=31 => Class::Wrong,
            _ => Class::Inside,
        };
        if b == u8::MAX {
            break classes;
        }
        b += 1;
    }
};

impl Class {
    #[inline]
    fn of(b: u8) -> Self {
        CLASSES.get(usize::from(b)).copied().unwrap_or(Self::Wrong)
    }
}

/// Whether a number or word ends before this byte.
pub fn is_end(b: u8) -> bool {
    Class::of(b) == Class::End
}

/// The end of a number or a word; it must be visible that it ends.
fn word_end(bytes: &[u8], at: usize) -> Result<usize, Stop> {
    let rest = bytes.get(at..).ok_or(Stop::Cut)?;
    for (i, &b) in rest.iter().enumerate() {
        match Class::of(b) {
            Class::Inside => {}
            Class::End => return Ok(at + i),
            Class::Wrong => return bad(at + i, "the end of a number or word"),
        }
    }
    Err(Stop::Cut)
}

/// Whether two texts are the same, eight bytes at a time: in WebAssembly the usual comparison goes byte by byte.
#[inline]
pub fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let ((a_words, a_rest), (b_words, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    for (a, b) in a_words.iter().zip(b_words) {
        if u64::from_le_bytes(*a) != u64::from_le_bytes(*b) {
            return false;
        }
    }
    if let (Some(a), Some(b)) = (a.last_chunk::<8>(), b.last_chunk::<8>()) {
        return u64::from_le_bytes(*a) == u64::from_le_bytes(*b);
    }
    for (a, b) in a_rest.iter().zip(b_rest) {
        if a != b {
            return false;
        }
    }
    true
}

/// The end of the object at `at`.
///
/// Most objects have no object and no escape inside. Then the first `}` ends it if an even number of quotes stands
/// before it: three passes over the bytes at the speed of memory, whatever the number of members. Before you change
/// this: without a `}` nothing may be said, or the answer would depend on how many bytes have arrived.
fn object_end(bytes: &[u8], at: usize) -> Result<usize, Stop> {
    let inside = bytes.get(at + 1..).ok_or(Stop::Cut)?;
    let len = memchr(b'}', inside).ok_or(Stop::Cut)?;
    let flat = inside.get(..len).unwrap_or(&[]);
    if memchr2(b'{', b'\\', flat).is_none() && memchr::Memchr::new(b'"', flat).count().is_multiple_of(2) {
        return Ok(at + 1 + len + 1);
    }
    nested_end(bytes, at)
}

/// Levels of brackets whose kinds are known.
const KINDS: usize = 64;

/// The end of the object or array at `at`, by depth; never recursive. Inside, only strings are looked at closely: a
/// string must be followed by a separator or a bracket, and a bracket must close one of its kind, so that a lost quote or
/// bracket is found where it is, not at the end. Kinds are known of [`KINDS`] levels; deeper ones are only counted.
fn nested_end(bytes: &[u8], at: usize) -> Result<usize, Stop> {
    let mut at = at;
    let mut depth = 0_usize;
    // The lowest bit: whether the innermost is an array.
    let (mut kinds, mut are_known) = (0_u64, true);
    loop {
        match bytes.get(at) {
            None => return Err(Stop::Cut),
            Some(b'"') => {
                at = blanks(bytes, string_end(bytes, at)?);
                match bytes.get(at) {
                    None => return Err(Stop::Cut),
                    Some(b',' | b':' | b'}' | b']') => {}
                    Some(_) => return bad(at, ", : ] or } after a string"),
                }
            }
            Some(b'{' | b'[') => {
                depth += 1;
                are_known &= depth <= KINDS;
                kinds = kinds << 1 | u64::from(bytes.get(at) == Some(&b'['));
                at += 1;
            }
            Some(b'}' | b']') => {
                let is_array = kinds & 1 == 1;
                if are_known && is_array != (bytes.get(at) == Some(&b']')) {
                    return bad(at, if is_array { "]" } else { "}" });
                }
                kinds >>= 1;
                depth = depth.saturating_sub(1);
                at += 1;
                if depth == 0 {
                    return Ok(at);
                }
            }
            Some(_) => at += 1,
        }
    }
}

/// The members of one object: names and values as they stand in the file, strings with their quotes.
///
/// Ends at the closing brace, at damage, or where the bytes end.
pub struct Members<'a> {
    bytes: &'a [u8],
    at: usize,
    is_first: bool,
}

impl<'a> Members<'a> {
    /// Members of the object that `bytes` begin with; nothing when they begin with something else.
    pub fn new(bytes: &'a [u8]) -> Self {
        let at = blanks(bytes, 0);
        let is_object = bytes.get(at) == Some(&b'{');
        Self { bytes, at: if is_object { at + 1 } else { bytes.len() }, is_first: true }
    }
}

impl Members<'_> {
    /// Whether the object ends here and nothing but blanks follows: true after the last member of a whole object.
    pub fn is_whole(&self) -> bool {
        let end = blanks(self.bytes, self.at);
        self.bytes.get(end) == Some(&b'}') && blanks(self.bytes, end + 1) == self.bytes.len()
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let mut at = blanks(self.bytes, self.at);
        if self.bytes.get(at) == Some(&b',') && !self.is_first {
            at = blanks(self.bytes, at + 1);
        }
        if self.bytes.get(at) != Some(&b'"') {
            return None;
        }
        self.is_first = false;
        let key_end = string_end(self.bytes, at).ok()?;
        let key = self.bytes.get(at..key_end)?;
        at = blanks(self.bytes, key_end);
        if self.bytes.get(at) != Some(&b':') {
            return None;
        }
        at = blanks(self.bytes, at + 1);
        self.at = value_end(self.bytes, at).ok()?;
        Some((key, self.bytes.get(at..self.at)?))
    }
}

/// A string without its quotes; other values as they are.
pub fn unquoted(raw: &[u8]) -> &[u8] {
    match raw {
        [b'"', text @ .., b'"'] => text,
        _ => raw,
    }
}
