//! A text that arrives in chunks, walked without holding it: the members around one long array, and its elements.
//!
//! [`super::Window`] joins the chunks. [`Walk`] knows where in the text it stands; it stops at each element of the array, which its owner reads itself (most of the time right in the
//! chunk), and walks over damage to the next element. For readers of formats whose files are one big array of records.
//!
//! ```text
//! { "a": 1, "events": [ {…}, {…}, … ], "b": [ … ] }
//!   Member  Begin       Element …    End  Member  (values of members are kept up to a limit, the rest only measured)
//! ```

use super::{scan, unescape};
use memchr::memchr2;

/// Bytes of damage that are there to be shown when it is said.
pub const SHOWN: usize = 32;

/// Bytes of a member's value that are kept.
pub const KEPT: usize = 64 * 1024;

/// Bytes that are kept of members that are wanted whole, see [`Walk::keeping`].
pub const KEPT_WHOLE: usize = 64 << 20;

/// What a step of the walk came to.
#[derive(Debug, PartialEq)]
pub enum Item {
    Need,
    Begin,
    /// The next byte is the first of an element. Read it and say [`Walk::took`], or [`Walk::damaged`].
    Element,
    End,
    /// A member around the array.
    Member {
        key: String,
        /// Its value as it stands, at most [`KEPT`] or [`KEPT_WHOLE`] bytes of it.
        value: Vec<u8>,
        /// How many bytes the value has.
        len: u64,
    },
    /// Something else stands at the next byte; the walk goes on behind it.
    ///
    /// At least [`SHOWN`] bytes of it are there, or all.
    Damage {
        expected: &'static str,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum StreamState {
    /// Nothing was seen.
    Start,
    /// In the top object: a name, a comma or the end.
    Key,
    /// After a name.
    Colon,
    /// Before a value.
    Value,
    /// Inside a value that is passed over.
    Passing(Pass),
    /// In the array: an element, a comma or the end.
    Between,
    Element,
    /// After damage: looks for the next element.
    Lost(Clue),
    /// After the end of the top value.
    Done,
}

/// What was seen of `} , {` while looking for the next element.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Clue {
    Nothing,
    Brace,
    Comma,
    /// Between two elements, with something that does not belong there: any `{` with a name begins the next.
    Outside,
}

impl Clue {
    /// What the bytes before a place say.
    fn after(seen: &[u8]) -> Self {
        let mut is_after_comma = false;
        for &b in seen.iter().rev() {
            match b {
                b' ' | b'\t' | b'\r' => {}
                b'\n' => return Self::Comma,
                b',' if !is_after_comma => is_after_comma = true,
                b'}' => return if is_after_comma { Self::Comma } else { Self::Brace },
                _ => break,
            }
        }
        Self::Nothing
    }
}

/// Walks the text around one array.
pub struct Walk {
    /// Name of the member that is streamed.
    array: &'static str,
    /// Names of the members that are kept whole.
    whole: &'static [&'static str],
    state: StreamState,
    /// Whether the top value is the array itself.
    is_bare: bool,
    /// Whether the array was entered.
    has_begun: bool,
    /// Whether nothing follows the bytes that are seen.
    is_last: bool,
    key: String,
    value: Vec<u8>,
    len: u64,
}

impl Walk {
    /// A walk that stops at the elements of the member `array` of the top object, or of the top value if it is an array.
    pub fn new(array: &'static str) -> Self {
        let (key, value) = (String::new(), Vec::new());
        let state = StreamState::Start;
        let whole = &[];
        Self { array, whole, state, is_bare: false, has_begun: false, is_last: false, key, value, len: 0 }
    }

    /// The same walk that keeps more of some members.
    #[must_use]
    pub fn keeping(self, whole: &'static [&'static str]) -> Self {
        Self { whole, ..self }
    }

    /// Nothing follows the bytes that are seen next.
    pub fn last(&mut self) {
        self.is_last = true;
    }

    /// Whether the text ended where it should.
    pub fn is_done(&self) -> bool {
        self.state == StreamState::Done
    }

    /// The name of the member whose value was not passed to its end.
    pub fn open_member(&self) -> Option<&str> {
        matches!(self.state, StreamState::Passing(_)).then_some(&self.key)
    }

    /// Whether the walk looks for an element after damage.
    pub fn is_lost(&self) -> bool {
        matches!(self.state, StreamState::Lost(_))
    }

    /// Whether the array was entered.
    pub fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Whether the walk stands between elements, so that a text that ends here lost nothing.
    pub fn is_between(&self) -> bool {
        self.state == StreamState::Between
    }

    /// The element was read.
    pub fn took(&mut self) {
        self.state = StreamState::Between;
    }

    /// What follows could not be read: the walk looks for the next element. `seen` are the bytes just before.
    pub fn damaged(&mut self, seen: &[u8]) {
        self.state = StreamState::Lost(Clue::after(seen));
    }

    /// The next step over `bytes`: how many of them were used, and what is there.
    #[inline]
    pub fn next(&mut self, bytes: &[u8]) -> (usize, Item) {
        if let Some(at) = self.next_element(bytes) {
            self.state = StreamState::Element;
            return (at, Item::Element);
        }
        self.walk(bytes)
    }

    /// Where the next element begins, if nothing but one comma is before it: nearly always.
    #[inline]
    fn next_element(&self, bytes: &[u8]) -> Option<usize> {
        if !matches!(self.state, StreamState::Between) {
            return None;
        }
        let at = scan::blanks(bytes, 0);
        let at = if bytes.get(at) == Some(&b',') { scan::blanks(bytes, at + 1) } else { at };
        (bytes.get(at) == Some(&b'{')).then_some(at)
    }

    fn walk(&mut self, bytes: &[u8]) -> (usize, Item) {
        let mut at = 0;
        loop {
            if !matches!(self.state, StreamState::Passing(_) | StreamState::Lost(_)) {
                at = scan::blanks(bytes, at);
            }
            let Some(&b) = bytes.get(at) else { return (at, Item::Need) };
            let before = self.state;
            let step = match self.state {
                StreamState::Start => self.start(bytes, at, b),
                StreamState::Key => self.key(bytes, at, b),
                StreamState::Colon => self.colon(at, b),
                StreamState::Value => self.value(at, b),
                StreamState::Passing(pass) => self.pass(bytes, at, pass),
                StreamState::Between => self.between(at, b),
                StreamState::Element => Err((at, Item::Element)),
                StreamState::Lost(clue) => self.search(bytes, at, clue),
                StreamState::Done => self.after(at, b),
            };
            match step {
                Ok(next) => at = next,
                // Said only when what stands there can be shown whole: else it would depend on the pieces.
                Err((_, Item::Damage { .. })) if !self.is_last && bytes.len() < at + SHOWN => {
                    self.state = before;
                    return (at, Item::Need);
                }
                Err(stop) => return stop,
            }
        }
    }

    fn start(&mut self, bytes: &[u8], at: usize, b: u8) -> Step {
        match b {
            b'{' => self.go(StreamState::Key, at + 1),
            b'[' => {
                self.is_bare = true;
                self.begin(at)
            }
            0xEF if bytes.get(at..).is_some_and(|b| b.starts_with(b"\xEF\xBB\xBF")) => Ok(at + 3),
            0xEF if bytes.len() < at + 3 => Err((at, Item::Need)),
            _ => {
                self.damaged(&[]);
                Err((at, Item::Damage { expected: "{ or [" }))
            }
        }
    }

    fn begin(&mut self, at: usize) -> Step {
        self.state = StreamState::Between;
        self.has_begun = true;
        Err((at + 1, Item::Begin))
    }

    #[allow(clippy::unnecessary_wraps)] // one of the two things a step can be
    fn go(&mut self, state: StreamState, at: usize) -> Step {
        self.state = state;
        Ok(at)
    }

    fn key(&mut self, bytes: &[u8], at: usize, b: u8) -> Step {
        match b {
            b',' => Ok(at + 1),
            b'}' => self.go(StreamState::Done, at + 1),
            b'"' => match scan::string_end(bytes, at) {
                Ok(end) => {
                    let raw = bytes.get(at..end).unwrap_or(&[]);
                    self.key = unescape(scan::unquoted(raw)).into_owned();
                    self.go(StreamState::Colon, end)
                }
                Err(_) => Err((at, Item::Need)),
            },
            b'{' if self.has_begun => {
                self.state = StreamState::Element;
                Err((at, Item::Damage { expected: "the end of the text" }))
            }
            _ => {
                self.damaged(&[]);
                Err((at, Item::Damage { expected: "a name or }" }))
            }
        }
    }

    fn colon(&mut self, at: usize, b: u8) -> Step {
        if b == b':' {
            return self.go(StreamState::Value, at + 1);
        }
        self.state = StreamState::Value;
        Err((at, Item::Damage { expected: ":" }))
    }

    fn value(&mut self, at: usize, b: u8) -> Step {
        if b == b'[' && self.key == self.array {
            return self.begin(at);
        }
        if matches!(b, b',' | b'}' | b']' | b':') {
            self.state = StreamState::Key;
            return Err((at, Item::Damage { expected: "a value" }));
        }
        self.value.clear();
        self.len = 0;
        self.go(StreamState::Passing(Pass::default()), at)
    }

    /// Passes over a value of any size, keeping its head.
    fn pass(&mut self, bytes: &[u8], at: usize, mut pass: Pass) -> Step {
        let rest = bytes.get(at..).unwrap_or(&[]);
        let end = pass.over(rest);
        let seen = rest.get(..end.unwrap_or(rest.len())).unwrap_or(&[]);
        self.len += seen.len() as u64;
        let most = if self.whole.contains(&self.key.as_str()) { KEPT_WHOLE } else { KEPT };
        let room = most.saturating_sub(self.value.len()).min(seen.len());
        self.value.extend_from_slice(seen.get(..room).unwrap_or(&[]));
        if end.is_none() {
            self.state = StreamState::Passing(pass);
            return Err((at + seen.len(), Item::Need));
        }
        self.state = StreamState::Key;
        let (key, value) = (std::mem::take(&mut self.key), std::mem::take(&mut self.value));
        Err((at + seen.len(), Item::Member { key, value, len: self.len }))
    }

    fn between(&mut self, at: usize, b: u8) -> Step {
        match b {
            b',' => Ok(at + 1),
            b'{' => self.go(StreamState::Element, at),
            b']' => {
                self.state = if self.is_bare { StreamState::Done } else { StreamState::Key };
                Err((at + 1, Item::End))
            }
            _ => {
                self.state = StreamState::Lost(Clue::Outside);
                Err((at, Item::Damage { expected: "{ , or ]" }))
            }
        }
    }

    /// Looks for `} , {` or a line that begins with `{`, followed by a name; between elements for any `{` with a name.
    fn search(&mut self, bytes: &[u8], at: usize, clue: Clue) -> Step {
        let mut clue = clue;
        let mut at = at;
        while let Some(&b) = bytes.get(at) {
            clue = match (clue, b) {
                (Clue::Nothing, _) if b != b'}' && b != b'\n' => {
                    let rest = bytes.get(at..).unwrap_or(&[]);
                    at += memchr2(b'}', b'\n', rest).unwrap_or(rest.len());
                    continue;
                }
                (_, b'}') => Clue::Brace,
                (Clue::Brace, b',') | (_, b'\n') => Clue::Comma,
                (Clue::Comma | Clue::Outside, b'{') => match bytes.get(scan::blanks(bytes, at + 1)) {
                    Some(b'"') => {
                        self.has_begun = true;
                        return self.go(StreamState::Element, at);
                    }
                    Some(_) => Clue::Nothing,
                    None => break,
                },
                (clue, b' ' | b'\t' | b'\r') => clue,
                (Clue::Comma, b',') => Clue::Comma,
                (Clue::Outside, b']') => Clue::Nothing,
                (Clue::Outside, _) => Clue::Outside,
                _ => Clue::Nothing,
            };
            at += 1;
        }
        self.state = StreamState::Lost(clue);
        Err((at, Item::Need))
    }

    fn after(&mut self, at: usize, b: u8) -> Step {
        match b {
            // More elements, or a second text, behind the end.
            b',' if self.is_bare => self.go(StreamState::Between, at),
            b'{' if self.is_bare => {
                self.state = StreamState::Element;
                Err((at, Item::Damage { expected: "the end of the text" }))
            }
            b'{' | b'[' => {
                self.state = StreamState::Start;
                Err((at, Item::Damage { expected: "the end of the text" }))
            }
            _ => {
                self.damaged(&[]);
                Err((at, Item::Damage { expected: "the end of the text" }))
            }
        }
    }
}

/// The place to go on at, or what the caller is told.
type Step = Result<usize, (usize, Item)>;

// Passes over one value of any size, a piece at a time. For values that nobody needs whole.

/// Where inside a value that is passed over.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Pass {
    depth: usize,
    is_text: bool,
    is_escaped: bool,
    is_word: bool,
}

impl Pass {
    /// Where the value ends in these bytes, or `None`: then it goes on in the next.
    pub(super) fn over(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(&b) = bytes.get(at) {
            if self.is_text {
                at += self.text(bytes.get(at..).unwrap_or(&[]));
                if !self.is_text && self.depth == 0 {
                    return Some(at);
                }
                continue;
            }
            match b {
                b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t' if self.is_word => return Some(at),
                b'"' => self.is_text = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(at + 1);
                    }
                }
                _ => self.is_word = self.depth == 0,
            }
            at += 1;
        }
        None
    }

    /// How many of these bytes belong to the text that was begun.
    fn text(&mut self, bytes: &[u8]) -> usize {
        if std::mem::take(&mut self.is_escaped) {
            return 1;
        }
        let Some(n) = memchr2(b'"', b'\\', bytes) else { return bytes.len() };
        if bytes.get(n) == Some(&b'"') {
            self.is_text = false;
        } else {
            self.is_escaped = true;
        }
        n + 1
    }
}
