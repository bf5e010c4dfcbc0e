//! Passes over one value of any size, a piece at a time. For values that nobody needs whole.

use memchr::memchr2;

/// Where inside a value that is passed over.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Pass {
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
