//! Bytes in pieces of any size become whole lines. A line ends with `\n`, `\r\n` or a `\r` alone.

use memchr::{memchr2, memrchr2};

/// Longest line that is looked at; what is behind is passed over. Rows are far shorter; lines of this length are scripts
/// and JSON of systrace HTML.
pub(crate) const LINE_BYTES: usize = 1 << 18;

/// One line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    /// Its bytes without its end.
    pub(crate) bytes: &'a [u8],
    /// Where it begins in the entry.
    pub(crate) start: u64,
    /// Its number, from 1.
    pub(crate) number: u32,
    /// Whether it is longer than [`LINE_BYTES`]: its bytes are only its head.
    pub(crate) is_cut: bool,
}

/// Collects pieces to whole lines.
#[derive(Default)]
pub(crate) struct Splitter {
    /// The head of a line whose end was not seen yet.
    carry: Vec<u8>,
    /// Where it begins.
    carry_at: u64,
    is_cut: bool,
    /// Bytes seen so far.
    fed: u64,
}

/// Whole lines that stand together.
#[derive(Clone, Copy)]
pub(crate) struct Block<'a> {
    /// Their bytes, line ends included.
    pub(crate) bytes: &'a [u8],
    /// Where they begin in the entry.
    pub(crate) start: u64,
    /// Whether this is the head of one line that is too long.
    pub(crate) is_cut: bool,
}

impl Splitter {
    /// How many bytes were fed.
    pub(crate) fn fed(&self) -> u64 {
        self.fed
    }

    /// Takes the next piece and hands out the lines that are whole now.
    pub(crate) fn feed(&mut self, chunk: &[u8], take: &mut dyn FnMut(Block)) {
        let at = self.fed;
        self.fed += chunk.len() as u64;
        let mut from = 0;
        if !self.carry.is_empty() {
            let Some(end) = self.end_of_carry(chunk) else {
                self.keep(chunk);
                return;
            };
            let (head, _) = chunk.split_at_checked(end).unwrap_or((chunk, &[]));
            self.keep(head);
            self.give(take);
            from = end;
        }
        let rest = chunk.get(from..).unwrap_or(&[]);
        // A `\r` at the very end may be half of a line end.
        let inner = rest.strip_suffix(b"\r").unwrap_or(rest);
        let whole = memrchr2(b'\n', b'\r', inner).map_or(0, |last| last + 1);
        let (lines, tail) = rest.split_at_checked(whole).unwrap_or((rest, &[]));
        if !lines.is_empty() {
            take(Block { bytes: lines, start: at + from as u64, is_cut: false });
        }
        self.carry_at = at + (from + whole) as u64;
        self.keep(tail);
    }

    /// Nothing follows: hands out the last line, which may have no end.
    pub(crate) fn finish(&mut self, take: &mut dyn FnMut(Block)) {
        if !self.carry.is_empty() {
            self.give(take);
        }
    }

    /// Where the line that was begun ends in the next piece.
    fn end_of_carry(&self, chunk: &[u8]) -> Option<usize> {
        if self.carry.last() == Some(&b'\r') {
            return Some(usize::from(chunk.first() == Some(&b'\n')));
        }
        let at = memchr2(b'\n', b'\r', chunk)?;
        match (chunk.get(at), chunk.get(at + 1)) {
            (Some(b'\r'), None) => None,
            (Some(b'\r'), Some(b'\n')) => Some(at + 2),
            _ => Some(at + 1),
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = LINE_BYTES.saturating_sub(self.carry.len());
        if room < bytes.len() {
            self.is_cut = true;
            // Its end must stay known: a `\r` may be the first half of one.
            self.carry.extend_from_slice(bytes.get(..room).unwrap_or(&[]));
            let last = bytes.last().copied().filter(|b| *b == b'\r').unwrap_or(b' ');
            self.carry.pop();
            self.carry.push(last);
        } else {
            self.carry.extend_from_slice(bytes);
        }
    }

    fn give(&mut self, take: &mut dyn FnMut(Block)) {
        take(Block { bytes: &self.carry, start: self.carry_at, is_cut: self.is_cut });
        self.carry.clear();
        self.is_cut = false;
    }
}

impl<'a> Block<'a> {
    /// Its lines; the number of the first is one more than `number`.
    pub(crate) fn lines(self, mut number: u32) -> impl Iterator<Item = Line<'a>> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let rest = self.bytes.get(at..).filter(|rest| !rest.is_empty())?;
            let len = memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
            let end = match (rest.get(len), rest.get(len + 1)) {
                (Some(b'\r'), Some(b'\n')) => len + 2,
                (Some(_), _) => len + 1,
                (None, _) => len,
            };
            number = number.saturating_add(1);
            let start = self.start + at as u64;
            at += end;
            Some(Line { bytes: rest.get(..len)?, start, number, is_cut: self.is_cut })
        })
    }
}

/// The next place of a needle in a block, found once and not line by line.
pub(crate) struct NextMatch {
    finder: memchr::memmem::Finder<'static>,
    next: Option<usize>,
}

impl NextMatch {
    pub(crate) fn new(needle: &'static [u8]) -> Self {
        Self { finder: memchr::memmem::Finder::new(needle), next: None }
    }

    /// Another block begins.
    pub(crate) fn rewind(&mut self, bytes: &[u8]) {
        self.next = self.finder.find(bytes);
    }

    /// Whether it occurs in these bytes of the block; to be asked of ranges from front to back, none of which cuts it.
    #[inline]
    pub(crate) fn is_within(&mut self, bytes: &[u8], start: usize, end: usize) -> bool {
        while let Some(next) = self.next {
            if start <= next {
                return next < end;
            }
            let rest = bytes.get(start..).unwrap_or(&[]);
            self.next = self.finder.find(rest).map(|at| at + start);
        }
        false
    }
}
