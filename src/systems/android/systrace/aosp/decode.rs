//! Whether Python would read the text as UTF-8, and in which words it would refuse: it decodes 8,192 bytes at a time,
//! keeps a sequence that is cut at their end for the next ones, and counts places in what it decodes at once.

use crate::systems::android::nnapi::mark::Refusal;

/// What it decodes at once.
const PIECE: usize = 8192;

/// Follows the decoding of a file that is fed in pieces of any size.
#[derive(Default)]
pub struct Decoder {
    /// Bytes of a sequence that was cut, then bytes of the piece.
    held: Vec<u8>,
    /// How many of them are of a sequence that was cut.
    n_kept: usize,
    refusal: Option<Refusal>,
    is_bad: bool,
}

impl Decoder {
    /// Takes the next bytes.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && !self.is_bad {
            let room = PIECE - (self.held.len() - self.n_kept);
            let (head, rest) = bytes.split_at_checked(room).unwrap_or((bytes, &[]));
            bytes = rest;
            // The usual case costs no copy.
            if self.held.is_empty() && head.len() == PIECE && head.is_ascii() {
                continue;
            }
            self.held.extend_from_slice(head);
            if self.held.len() - self.n_kept == PIECE {
                self.decode(false);
            }
        }
    }

    /// Nothing follows: what Python says, if it does not read the text.
    pub fn finish(mut self) -> Option<Refusal> {
        if !self.is_bad {
            // The end is decoded by itself, after the last piece.
            self.decode(false);
            self.decode(true);
        }
        self.refusal
    }

    fn decode(&mut self, is_end: bool) {
        let bad = match std::str::from_utf8(&self.held) {
            Ok(_) => None,
            Err(error) => Some((error.valid_up_to(), error.error_len())),
        };
        match bad {
            None => self.keep(self.held.len()),
            Some((at, None)) if !is_end => self.keep(at),
            Some((at, len)) => self.refuse(at, len),
        }
    }

    fn keep(&mut self, from: usize) {
        self.held.drain(..from.min(self.held.len()));
        self.n_kept = self.held.len();
    }

    fn refuse(&mut self, at: usize, len: Option<usize>) {
        let n = len.unwrap_or(self.held.len().saturating_sub(at));
        let first = self.held.get(at).copied().unwrap_or(0);
        let what = match (len, first) {
            (None, _) => "unexpected end of data",
            (_, 0x80..0xc2 | 0xf5..) => "invalid start byte",
            _ => "invalid continuation byte",
        };
        let place = if n == 1 {
            format!("byte 0x{first:02x} in position {at}")
        } else {
            format!("bytes in position {at}-{}", (at + n).saturating_sub(1))
        };
        let text = format!("'utf-8' codec can't decode {place}: {what}");
        self.is_bad = true;
        self.refusal = Some(Refusal { kind: "UnicodeDecodeError".to_owned(), text, line: 0 });
        self.held = Vec::new();
        self.n_kept = 0;
    }
}
