//! JSON without blanks while it streams by, its digits untouched; and whether it is JSON at all.
//!
//! Strict (RFC 8259), since what comes out is read by other programs. Memory follows the nesting, nothing else.
//!
//! Not by `serde_json`: passed from its reader to its writer, `\/` and `\u00e9` lose their escapes and `1E+02` its capital,
//! a raw value keeps its blanks and is held whole, and what it skips may hold bytes that are no UTF-8.

use crate::input::limits;

/// The state between two pieces of text.
#[derive(Default)]
pub struct Minify {
    state: MinifyState,
    /// Open containers: whether each is an array.
    open: Vec<bool>,
    utf8: Utf8,
    is_wrong: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum MinifyState {
    /// A value must come.
    #[default]
    Value,
    /// Behind `[`: a value or `]`.
    FirstValue,
    /// Behind `{`: a name or `}`.
    FirstName,
    /// Behind a comma of an object.
    Name,
    /// Behind a name.
    Colon,
    /// Behind a value.
    After,
    Text {
        is_name: bool,
    },
    Escape {
        is_name: bool,
    },
    /// This many of the four digits of an escape are missing.
    Hex {
        is_name: bool,
        missing: u8,
    },
    Number(Digits),
    /// The rest of `true`, `false` or `null`.
    Word(&'static [u8]),
}

/// Where in a number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Digits {
    Minus,
    Zero,
    Whole,
    Point,
    Fraction,
    Exponent,
    Sign,
    Power,
}

impl Minify {
    /// Takes the next piece; hands over what is to be written. Nothing is handed over any more once it is no JSON.
    pub fn feed(&mut self, piece: &[u8], mut write: impl FnMut(&[u8])) {
        self.is_wrong |= !self.utf8.feed(piece);
        let mut from = 0;
        for (i, &b) in piece.iter().enumerate() {
            if self.is_wrong {
                return;
            }
            let is_text = matches!(self.state, MinifyState::Text { .. });
            if !is_text && is_blank(b, self.is_over()) {
                self.end_number();
                write(piece.get(from..i).unwrap_or(&[]));
                from = i + 1;
            } else {
                self.step(b);
            }
        }
        if !self.is_wrong {
            write(piece.get(from..).unwrap_or(&[]));
        }
    }

    /// Whether everything together was one JSON value.
    pub fn finish(mut self) -> bool {
        self.end_number();
        !self.is_wrong && self.is_over() && self.utf8.is_complete()
    }

    fn is_over(&self) -> bool {
        self.state == MinifyState::After && self.open.is_empty()
    }

    /// Takes the next byte. A push parser.
    fn step(&mut self, b: u8) {
        match self.state {
            MinifyState::Text { is_name } => match b {
                b'"' => self.state = if is_name { MinifyState::Colon } else { MinifyState::After },
                b'\\' => self.state = MinifyState::Escape { is_name },
                0..=0x1f => self.is_wrong = true,
                _ => {}
            },
            MinifyState::Escape { is_name } => match b {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {
                    self.state = MinifyState::Text { is_name }
                }
                b'u' => self.state = MinifyState::Hex { is_name, missing: 4 },
                _ => self.is_wrong = true,
            },
            MinifyState::Hex { is_name, missing } => {
                self.is_wrong |= !b.is_ascii_hexdigit();
                self.state = match missing {
                    1 => MinifyState::Text { is_name },
                    n => MinifyState::Hex { is_name, missing: n - 1 },
                };
            }
            MinifyState::Word(rest) => match rest.split_first() {
                Some((&first, [])) if first == b => self.state = MinifyState::After,
                Some((&first, rest)) if first == b => self.state = MinifyState::Word(rest),
                _ => self.is_wrong = true,
            },
            MinifyState::Number(digits) => match digits.next(b) {
                Some(next) => self.state = MinifyState::Number(next),
                None => {
                    self.end_number();
                    self.token(b);
                }
            },
            _ => self.token(b),
        }
    }

    /// A character that begins or separates values.
    fn token(&mut self, b: u8) {
        let is_array = self.open.last().copied();
        let state = match (self.state, b) {
            (MinifyState::FirstName | MinifyState::Name, b'"') => Some(MinifyState::Text { is_name: true }),
            (MinifyState::Colon, b':') => Some(MinifyState::Value),
            (MinifyState::FirstName, b'}') | (MinifyState::FirstValue, b']') => Some(self.close()),
            (MinifyState::After, b'}') if is_array == Some(false) => Some(self.close()),
            (MinifyState::After, b']') if is_array == Some(true) => Some(self.close()),
            (MinifyState::After, b',') => {
                is_array.map(|a| if a { MinifyState::Value } else { MinifyState::Name })
            }
            (MinifyState::Value | MinifyState::FirstValue, _) => self.value(b),
            _ => None,
        };
        match state {
            Some(state) => self.state = state,
            None => self.is_wrong = true,
        }
    }

    fn value(&mut self, b: u8) -> Option<MinifyState> {
        match b {
            b'{' | b'[' => {
                self.open.push(b == b'[');
                let first = if b == b'[' { MinifyState::FirstValue } else { MinifyState::FirstName };
                (self.open.len() <= limits::JSON_DEPTH).then_some(first)
            }
            b'"' => Some(MinifyState::Text { is_name: false }),
            b't' => Some(MinifyState::Word(b"rue")),
            b'f' => Some(MinifyState::Word(b"alse")),
            b'n' => Some(MinifyState::Word(b"ull")),
            b'-' => Some(MinifyState::Number(Digits::Minus)),
            b'0' => Some(MinifyState::Number(Digits::Zero)),
            b'1'..=b'9' => Some(MinifyState::Number(Digits::Whole)),
            _ => None,
        }
    }

    fn close(&mut self) -> MinifyState {
        self.open.pop();
        MinifyState::After
    }

    /// A number that is complete ends where something else begins; anything else may not be interrupted.
    fn end_number(&mut self) {
        match self.state {
            MinifyState::Number(Digits::Zero | Digits::Whole | Digits::Fraction | Digits::Power) => {
                self.state = MinifyState::After;
            }
            MinifyState::Number(_)
            | MinifyState::Word(_)
            | MinifyState::Escape { .. }
            | MinifyState::Hex { .. } => {
                self.is_wrong = true;
            }
            _ => {}
        }
    }
}

impl Digits {
    fn next(self, b: u8) -> Option<Self> {
        Some(match (self, b) {
            (Self::Minus, b'0') => Self::Zero,
            (Self::Minus, b'1'..=b'9') | (Self::Whole, b'0'..=b'9') => Self::Whole,
            (Self::Zero | Self::Whole, b'.') => Self::Point,
            (Self::Point | Self::Fraction, b'0'..=b'9') => Self::Fraction,
            (Self::Zero | Self::Whole | Self::Fraction, b'e' | b'E') => Self::Exponent,
            (Self::Exponent, b'+' | b'-') => Self::Sign,
            (Self::Exponent | Self::Sign | Self::Power, b'0'..=b'9') => Self::Power,
            _ => return None,
        })
    }
}

/// Blanks between tokens; behind the value also zero bytes, which pad blocks.
fn is_blank(b: u8, is_over: bool) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r') || (b == 0 && is_over)
}

/// Whether pieces of bytes together are UTF-8: keeps the character that a piece breaks off in.
#[derive(Default)]
struct Utf8 {
    held: Vec<u8>,
}

impl Utf8 {
    fn feed(&mut self, mut piece: &[u8]) -> bool {
        while !self.held.is_empty() {
            let Some((&b, rest)) = piece.split_first() else { return true };
            self.held.push(b);
            piece = rest;
            match std::str::from_utf8(&self.held) {
                Ok(_) => self.held.clear(),
                Err(error) if error.error_len().is_none() => {}
                Err(_) => return false,
            }
        }
        match std::str::from_utf8(piece) {
            Ok(_) => true,
            Err(error) if error.error_len().is_none() => {
                self.held.extend_from_slice(piece.get(error.valid_up_to()..).unwrap_or(&[]));
                true
            }
            Err(_) => false,
        }
    }

    fn is_complete(&self) -> bool {
        self.held.is_empty()
    }
}
