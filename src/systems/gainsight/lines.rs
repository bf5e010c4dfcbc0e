//! Lines of a text that comes in pieces.

/// Longest line that is read as a whole; the rest of longer ones is passed over.
const LONGEST: usize = 1 << 20;

/// Joins pieces to lines.
#[derive(Default)]
pub(super) struct Lines {
    /// The begin of a line whose end has not come yet.
    rest: Vec<u8>,
    /// Bytes of it that were passed over.
    over: u64,
    at: u64,
    number: u32,
}

/// One line without its end.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    /// Its bytes.
    pub(super) bytes: &'a [u8],
    /// Where it begins.
    pub(super) at: u64,
    /// Its number, from 1.
    pub(super) number: u32,
}

impl Lines {
    /// Takes the next piece; calls back for each line that is whole.
    pub(super) fn feed(&mut self, chunk: &[u8], mut take: impl FnMut(Line)) {
        let mut rest = chunk;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, tail) = rest.split_at(end);
            rest = tail.get(1..).unwrap_or(&[]);
            if self.rest.is_empty() {
                self.line(line, line.len() as u64 + 1, &mut take);
            } else {
                self.hold(line);
                let whole = std::mem::take(&mut self.rest);
                self.line(&whole, whole.len() as u64 + self.over + 1, &mut take);
                (self.rest, self.over) = (whole, 0);
                self.rest.clear();
            }
        }
        self.hold(rest);
    }

    /// Nothing more comes: the last line may have no end.
    pub(super) fn finish(&mut self, mut take: impl FnMut(Line)) {
        let line = std::mem::take(&mut self.rest);
        if !line.is_empty() {
            self.line(&line, line.len() as u64 + self.over, &mut take);
        }
    }

    /// Bytes of whole lines that were read.
    pub(super) fn position(&self) -> u64 {
        self.at
    }

    fn hold(&mut self, bytes: &[u8]) {
        let (held, over) = bytes.split_at(bytes.len().min(LONGEST.saturating_sub(self.rest.len())));
        self.rest.extend_from_slice(held);
        self.over += over.len() as u64;
    }

    fn line(&mut self, bytes: &[u8], len: u64, take: &mut impl FnMut(Line)) {
        self.number = self.number.saturating_add(1);
        let text = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let text = if self.at == 0 { text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text) } else { text };
        take(Line { bytes: text, at: self.at, number: self.number });
        self.at += len;
    }
}
