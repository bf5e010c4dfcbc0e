//! Splits one large JSON value into the small ones a reader wants, while it streams by: memory follows the largest
//! element, not the block. Works on damaged text as far as it goes.
//!
//! The reader says of each value that begins whether to go into it, to take it whole, or to pass over it.

use crate::base::fault::excerpt;
use crate::input::json::unescape;
use crate::input::limits;

/// What to do with a value that begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Go into it, if it is an array or object; pass over it otherwise.
    Into,
    /// Hand it over whole.
    Take,
    /// Pass over it.
    Pass,
}

/// Who wants the elements. A path is the names of the members that lead to a value, and `*` for elements of arrays.
pub trait Elements {
    /// A value begins at the path.
    fn begin(&mut self, path: &[String]) -> Step;
    /// A value that was wanted, as text; `at` is its place in the entry.
    fn take(&mut self, path: &[String], text: &[u8], at: u64);
    /// An array or object that was gone into has ended.
    fn end(&mut self, path: &[String]);
}

/// Something that is not JSON: where, and what JSON asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Byte of the entry.
    pub(super) at: u64,
    /// What JSON asks for there.
    pub(super) expected: &'static str,
    /// What stands there.
    pub(super) found: String,
}

/// The state between two pieces of text.
pub struct Split {
    /// Place of the next byte in the entry.
    at: u64,
    /// Containers that were gone into.
    open: Vec<Frame>,
    /// Name of the current member of each of them; as long as `open`.
    path: Vec<String>,
    state: SplitState,
    /// Bytes of a name or wanted value that began in an earlier piece.
    held: Vec<u8>,
    is_done: bool,
    damage: Vec<Damage>,
}

#[derive(Clone, Copy)]
struct Frame {
    is_array: bool,
    /// Whether the name of a member was read whose value has not come yet.
    has_name: bool,
}

#[derive(Clone, Copy)]
enum SplitState {
    Between,
    /// Inside the quotes of a name.
    Name {
        is_escaped: bool,
    },
    /// Inside a value that is taken or passed over.
    Value(Inside),
    /// Inside something that stands where nothing may stand.
    Stray,
}

/// Damages that are kept; damage that goes on is one damage.
const DAMAGES: usize = 20;

impl Split {
    /// Ready for the first byte, which stands at `at` in the entry.
    pub fn new(at: u64) -> Self {
        let (open, path, held) = (Vec::new(), Vec::new(), Vec::new());
        Self { at, open, path, state: SplitState::Between, held, is_done: false, damage: Vec::new() }
    }

    /// Takes the next piece.
    pub fn feed(&mut self, mut piece: &[u8], to: &mut impl Elements) {
        while !piece.is_empty() {
            let used = match self.state {
                SplitState::Between => self.between(piece, to),
                SplitState::Name { is_escaped } => self.name(piece, is_escaped),
                SplitState::Value(inside) => self.value(piece, inside, to),
                SplitState::Stray => self.stray(piece),
            };
            self.at += used as u64;
            piece = piece.get(used..).unwrap_or(&[]);
        }
    }

    /// Nothing more comes: containers that are still open end here. An element that was cut is left out, since its last
    /// number may be cut too. Returns what is wrong.
    pub fn finish(mut self, to: &mut impl Elements) -> Vec<Damage> {
        if !self.is_done {
            self.say("the end of the JSON value", "the end of the block".to_owned());
        }
        while self.open.pop().is_some() {
            self.path.pop();
            to.end(&self.path);
        }
        self.damage
    }

    fn say(&mut self, expected: &'static str, found: String) {
        if self.damage.len() < DAMAGES {
            self.damage.push(Damage { at: self.at, expected, found });
        }
    }

    /// One token outside of values. Returns how many bytes were used.
    fn between(&mut self, piece: &[u8], to: &mut impl Elements) -> usize {
        let blanks = piece.iter().take_while(|b| is_blank(**b)).count();
        let Some(&b) = piece.get(blanks) else { return blanks };
        if 0 < blanks {
            return blanks;
        }
        let frame = self.open.last().copied();
        match (b, frame) {
            (_, None) if self.is_done => {
                self.say("the end of the text", excerpt(piece));
                self.state = SplitState::Stray;
            }
            (b',' | b':', Some(_)) => {}
            (b'}' | b']', Some(frame)) => {
                if frame.is_array != (b == b']') {
                    self.say(if frame.is_array { "]" } else { "}" }, excerpt(piece));
                }
                self.open.pop();
                self.path.pop();
                to.end(&self.path);
                self.after_value();
            }
            (b'"', Some(Frame { is_array: false, has_name: false })) => {
                self.state = SplitState::Name { is_escaped: false };
            }
            (_, Some(Frame { is_array: false, has_name: false })) | (b',' | b':' | b'}' | b']', None) => {
                self.say(if frame.is_some() { "a name or }" } else { "a value" }, excerpt(piece));
                self.state = SplitState::Stray;
            }
            _ => return self.begin(b, to),
        }
        1
    }

    /// A value begins with `b`. Returns whether its first byte is used up.
    fn begin(&mut self, b: u8, to: &mut impl Elements) -> usize {
        let step = to.begin(&self.path);
        if matches!(b, b'{' | b'[') && step == Step::Into {
            self.open.push(Frame { is_array: b == b'[', has_name: false });
            self.path.push(if b == b'[' { "*".to_owned() } else { String::new() });
            return 1;
        }
        let is_taken = step == Step::Take;
        let (depth, in_text, is_escaped) = (0, false, false);
        self.state = SplitState::Value(Inside { depth, in_text, is_escaped, is_taken, since: self.at });
        0
    }

    fn after_value(&mut self) {
        match self.open.last_mut() {
            Some(frame) => frame.has_name = false,
            None => self.is_done = true,
        }
        self.state = SplitState::Between;
    }

    fn name(&mut self, piece: &[u8], mut is_escaped: bool) -> usize {
        let mut end = piece.len();
        for (i, &b) in piece.iter().enumerate() {
            if b == b'"' && !is_escaped {
                end = i;
                break;
            }
            is_escaped = !is_escaped && b == b'\\';
        }
        self.held.extend_from_slice(piece.get(..end).unwrap_or(piece));
        if end == piece.len() {
            self.state = SplitState::Name { is_escaped };
            return end;
        }
        let name = unescape(&self.held).into_owned();
        self.held.clear();
        if let (Some(last), Some(frame)) = (self.path.last_mut(), self.open.last_mut()) {
            *last = name;
            frame.has_name = true;
        }
        self.state = SplitState::Between;
        end + 1
    }

    /// Goes on in a value up to its end or that of the piece.
    fn value(&mut self, piece: &[u8], mut inside: Inside, to: &mut impl Elements) -> usize {
        let end = inside.scan(piece);
        let part = piece.get(..end.unwrap_or(piece.len())).unwrap_or(piece);
        if end.is_some() && inside.is_taken && inside.since == self.at {
            to.take(&self.path, part, self.at);
        } else {
            self.hold(part, &mut inside);
            if end.is_some() && inside.is_taken {
                let held = std::mem::take(&mut self.held);
                to.take(&self.path, &held, inside.since);
            }
        }
        if end.is_some() {
            self.held.clear();
            self.after_value();
        } else {
            self.state = SplitState::Value(inside);
        }
        part.len()
    }

    /// Keeps a part of a wanted value until its end comes; gives up on values that are too long.
    fn hold(&mut self, part: &[u8], inside: &mut Inside) {
        if !inside.is_taken {
            return;
        }
        if limits::RECORD_BYTES < self.held.len() + part.len() {
            self.say("an element of at most 64 MiB", "a longer one".to_owned());
            self.held = Vec::new();
            inside.is_taken = false;
        } else {
            self.held.extend_from_slice(part);
        }
    }

    /// Passes over bytes that belong nowhere, up to the next separator.
    fn stray(&mut self, piece: &[u8]) -> usize {
        match piece.iter().position(|b| matches!(b, b',' | b'}' | b']' | b'"')) {
            Some(n) if !self.is_done => {
                self.state = SplitState::Between;
                n.max(usize::from(self.open.is_empty()))
            }
            _ => piece.len(),
        }
    }
}

/// How far a value that is taken or passed over was read.
#[derive(Clone, Copy)]
struct Inside {
    depth: u32,
    in_text: bool,
    is_escaped: bool,
    is_taken: bool,
    /// Its place in the entry.
    since: u64,
}

impl Inside {
    /// Goes through the piece; returns where the value ends, if it does.
    fn scan(&mut self, piece: &[u8]) -> Option<usize> {
        let mut i = 0;
        while let Some(&b) = piece.get(i) {
            i += 1;
            match b {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' if self.in_text => self.is_escaped = true,
                b'"' => {
                    self.in_text = !self.in_text;
                    if !self.in_text && self.depth == 0 {
                        return Some(i);
                    }
                }
                _ if self.in_text => {
                    // Most bytes of large blocks stand inside texts.
                    let rest = piece.get(i..).unwrap_or(&[]);
                    i += memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
                }
                b'{' | b'[' => self.depth = self.depth.saturating_add(1),
                b'}' | b']' if self.depth == 1 => return Some(i),
                b'}' | b']' if self.depth == 0 => return Some(i - 1),
                b'}' | b']' => self.depth -= 1,
                b',' | b':' if self.depth == 0 => return Some(i - 1),
                _ if self.depth == 0 && is_blank(b) => return Some(i - 1),
                _ => {}
            }
        }
        None
    }
}

fn is_blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0)
}
