//! One event's members, found without building values: what the reader of events works on.
//!
//! Writers repeat themselves: nearly every event has the members of the last one, in the same order, with the same
//! blanks between them. So the reader remembers the bytes between the values of the last event and compares; only where
//! they differ it looks at names one by one. Nothing depends on the memory but the speed.

use crate::input::json::scan::{self, Stop};

/// A member of an event that means something to the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Name,
    Cat,
    Ph,
    Pid,
    Tid,
    Ts,
    Dur,
    ThreadDur,
    Id,
    Id2,
    Scope,
    InstantScope,
    ColorName,
    GroupId,
    BindId,
    FlowIn,
    FlowOut,
    Args,
    Other,
}

/// How many keys there are, [`Key::Other`] not counted.
const KEYS: usize = Key::Other as usize;

impl Key {
    fn of(name: &[u8]) -> Self {
        match name {
            b"name" => Self::Name,
            b"cat" => Self::Cat,
            b"ph" => Self::Ph,
            b"pid" => Self::Pid,
            b"tid" => Self::Tid,
            b"ts" => Self::Ts,
            b"dur" => Self::Dur,
            b"tdur" => Self::ThreadDur,
            b"id" => Self::Id,
            b"id2" => Self::Id2,
            b"scope" => Self::Scope,
            b"s" => Self::InstantScope,
            b"cname" => Self::ColorName,
            b"group_id" => Self::GroupId,
            b"bind_id" => Self::BindId,
            b"flow_in" => Self::FlowIn,
            b"flow_out" => Self::FlowOut,
            b"args" => Self::Args,
            _ => Self::Other,
        }
    }

    /// Whether a member of this name is shown elsewhere than among the details of an event.
    pub(super) fn is_known(name: &str) -> bool {
        Self::of(name.as_bytes()) != Self::Other
    }
}

/// Where the members of one event lie, from its first byte. The last of two members of one name counts.
#[derive(Default)]
pub struct Fields {
    places: [(u32, u32); KEYS],
    seen: u32,
}

impl Fields {
    /// The value of a member as it stands, strings with their quotes; empty when there is none.
    #[inline]
    pub fn raw<'a>(&self, bytes: &'a [u8], key: Key) -> &'a [u8] {
        if self.seen & (1 << key as u32) == 0 {
            return &[];
        }
        let (start, end) = self.places.get(key as usize).copied().unwrap_or((0, 0));
        bytes.get(start as usize..end as usize).unwrap_or(&[])
    }

    /// The value of a member without quotes; empty when there is none, or when it is `null`.
    #[inline]
    pub(super) fn text<'a>(&self, bytes: &'a [u8], key: Key) -> &'a [u8] {
        match self.raw(bytes, key) {
            b"null" => &[],
            raw => scan::unquoted(raw),
        }
    }

    #[inline]
    fn set(&mut self, key: Key, start: usize, end: usize) {
        if let (Some(place), Ok(start), Ok(end)) =
            (self.places.get_mut(key as usize), u32::try_from(start), u32::try_from(end))
        {
            *place = (start, end);
            self.seen |= 1 << key as u32;
        }
    }
}

/// What stands before a value: `,\n "dur": `, and the value that stood there last.
struct Prefix {
    bytes: Vec<u8>,
    head: Head,
    key: Key,
    /// Writers repeat phases and numbers of threads; empty when the last value is too long for it.
    value: Head,
}

/// Up to eight bytes, compared at once.
#[derive(Clone, Copy, Default)]
struct Head {
    word: u64,
    mask: u64,
    len: usize,
}

impl Head {
    /// The first bytes of a text.
    #[inline]
    fn of(text: &[u8]) -> Self {
        let (len, mut word) = (text.len().min(8), 0);
        for &b in text.iter().take(8).rev() {
            word = word << 8 | u64::from(b);
        }
        let mask = if len == 8 { u64::MAX } else { (1 << (8 * len)) - 1 };
        Self { word, mask, len }
    }

    /// Whether eight bytes begin with these.
    #[inline]
    fn begins(self, word: u64) -> bool {
        (word ^ self.word) & self.mask == 0
    }
}

/// The next eight bytes, if there are so many.
#[inline]
fn word_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk::<8>()?))
}

impl Prefix {
    fn new(bytes: Vec<u8>, key: Key) -> Self {
        Self { head: Head::of(&bytes), bytes, key, value: Head::default() }
    }

    /// Whether these bytes stand at a place; "no" too where the text ends soon.
    #[inline]
    fn stands(&self, bytes: &[u8], at: usize) -> bool {
        word_at(bytes, at).is_some_and(|word| self.head.begins(word))
            && (self.bytes.len() <= 8
                || bytes
                    .get(at + 8..at + self.bytes.len())
                    .is_some_and(|tail| scan::same(tail, self.bytes.get(8..).unwrap_or(&[]))))
    }

    /// The end of the value at a place when it is the one that stood there last.
    #[inline]
    fn known_end(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let end = at + self.value.len;
        let is_same = 0 < self.value.len && self.value.begins(word_at(bytes, at)?);
        (is_same && scan::is_end(*bytes.get(end)?)).then_some(end)
    }
}

/// Longest glue that is remembered.
const GLUE: usize = 64;

/// Most members of an event that are remembered.
const MEMBERS: usize = 32;

/// The memory of the last event.
#[derive(Default)]
pub struct Layout {
    glue: Vec<Prefix>,
}

impl Layout {
    /// Reads the event that begins the bytes with its `{`; returns its length.
    ///
    /// # Errors
    /// See [`Stop`].
    pub fn read(&mut self, bytes: &[u8], fields: &mut Fields) -> Result<usize, Stop> {
        fields.seen = 0;
        let mut at = 0;
        for i in 0.. {
            let key = match self.glue.get(i) {
                Some(glue) if glue.stands(bytes, at) => {
                    at += glue.bytes.len();
                    if let Some(end) = glue.known_end(bytes, at) {
                        fields.set(glue.key, at, end);
                        at = end;
                        continue;
                    }
                    // This writer may put more blanks here than it did last time.
                    if bytes.get(at).is_some_and(|b| *b <= b' ') {
                        at = scan::blanks(bytes, at);
                    }
                    glue.key
                }
                _ => match name(bytes, at, i == 0)? {
                    (end, None) => return Ok(end),
                    (end, Some(key)) => {
                        self.learn(i, bytes.get(at..end).unwrap_or(&[]), key);
                        at = end;
                        key
                    }
                },
            };
            let end = scan::value_end(bytes, at)?;
            if let Some(glue) = self.glue.get_mut(i) {
                glue.value =
                    if end <= at + 8 { Head::of(bytes.get(at..end).unwrap_or(&[])) } else { Head::default() };
            }
            fields.set(key, at, end);
            at = end;
        }
        Ok(at)
    }

    fn learn(&mut self, i: usize, glue: &[u8], key: Key) {
        if GLUE < glue.len() || MEMBERS <= i {
            self.glue.truncate(i);
        } else if let Some(old) = self.glue.get_mut(i) {
            *old = Prefix::new(glue.to_vec(), key);
        } else if i == self.glue.len() {
            self.glue.push(Prefix::new(glue.to_vec(), key));
        }
    }
}

/// Reads from the end of a value (or the start of the event) to the next value and says its key, or to the end of the
/// event.
fn name(bytes: &[u8], at: usize, is_first: bool) -> Result<(usize, Option<Key>), Stop> {
    let mut at = at;
    if is_first {
        at += 1;
    } else {
        at = scan::blanks(bytes, at);
        match bytes.get(at) {
            Some(b',') => at += 1,
            Some(b'}') => return Ok((at + 1, None)),
            Some(_) => return Err(Stop::Bad { at, expected: ", or }" }),
            None => return Err(Stop::Cut),
        }
    }
    at = scan::blanks(bytes, at);
    match bytes.get(at) {
        Some(b'"') => {}
        Some(b'}') => return Ok((at + 1, None)),
        Some(_) => return Err(Stop::Bad { at, expected: "a name or }" }),
        None => return Err(Stop::Cut),
    }
    let end = scan::string_end(bytes, at)?;
    let key = Key::of(scan::unquoted(bytes.get(at..end).unwrap_or(&[])));
    at = scan::blanks(bytes, end);
    match bytes.get(at) {
        Some(b':') => at = scan::blanks(bytes, at + 1),
        Some(_) => return Err(Stop::Bad { at, expected: ":" }),
        None => return Err(Stop::Cut),
    }
    match bytes.get(at) {
        Some(_) => Ok((at, Some(key))),
        None => Err(Stop::Cut),
    }
}
