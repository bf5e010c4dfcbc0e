//! Bytes with addresses: a length and reads at any place.
//!
//! One of the three seams of the product: a file of the browser, a file on disk, and memory all look the same.

use std::ops::Range;
use std::rc::Rc;

/// What went wrong below: the system's own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError(pub String);

/// Bytes with addresses.
pub trait ByteSource {
    /// How many bytes there are.
    fn len(&self) -> u64;

    /// Whether there is nothing.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `buf` from `offset` as far as there are bytes; returns how many were read, 0 at the end.
    ///
    /// # Errors
    /// When the system refuses, for example because the file changed on disk.
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize, ReadError>;

    /// Tells that these bytes will be read next, before those that are told of later. A program that can read while others
    /// work begins now; others do nothing.
    fn expect(&self, _range: Range<u64>) {}

    /// Where a program can stream these bytes from by its own means: its number for the whole file, and the offset in it.
    fn origin(&self) -> Option<Origin> {
        None
    }
}

/// A program's own number for a file that it can stream faster than by reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The program's number for the file.
    pub handle: u32,
    /// Where the source begins in it.
    pub offset: u64,
}

/// A shared source.
pub type Source = Rc<dyn ByteSource>;

/// Bytes in memory.
pub struct Memory(pub Vec<u8>);

impl ByteSource for Memory {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize, ReadError> {
        let rest = usize::try_from(offset).ok().and_then(|at| self.0.get(at..)).unwrap_or(&[]);
        let n = rest.len().min(buf.len());
        if let (Some(to), Some(from)) = (buf.get_mut(..n), rest.get(..n)) {
            to.copy_from_slice(from);
        }
        Ok(n)
    }
}

/// A part of another source, such as a member of a tar.
pub struct Part {
    whole: Source,
    range: Range<u64>,
}

impl Part {
    /// The bytes `range` of `whole`; cut to what is there.
    pub fn new(whole: Source, range: Range<u64>) -> Self {
        let end = range.end.min(whole.len());
        Self { range: range.start.min(end)..end, whole }
    }
}

impl ByteSource for Part {
    fn len(&self) -> u64 {
        self.range.end - self.range.start
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize, ReadError> {
        let left = self.len().saturating_sub(offset);
        let n = usize::try_from(left).unwrap_or(usize::MAX).min(buf.len());
        match buf.get_mut(..n) {
            Some(head) if 0 < n => self.whole.read_at(self.range.start + offset, head),
            _ => Ok(0),
        }
    }

    fn expect(&self, range: Range<u64>) {
        let (from, end) =
            (self.range.start.saturating_add(range.start), self.range.start.saturating_add(range.end));
        self.whole.expect(from..end.min(self.range.end));
    }

    fn origin(&self) -> Option<Origin> {
        self.whole.origin().map(|o| Origin { offset: o.offset + self.range.start, ..o })
    }
}

/// Reads a range whole; fewer bytes come back when the source ends earlier. Allocates no more than the source holds.
///
/// # Errors
/// As [`ByteSource::read_at`].
pub fn read_range(source: &dyn ByteSource, range: Range<u64>) -> Result<Vec<u8>, ReadError> {
    let end = range.end.min(source.len());
    let len = usize::try_from(end.saturating_sub(range.start)).unwrap_or(0);
    let mut out = vec![0; len];
    let mut done = 0;
    while let Some(rest) = out.get_mut(done..) {
        let n = source.read_at(range.start + done as u64, rest)?;
        done += n;
        if n == 0 || done == len {
            break;
        }
    }
    out.truncate(done);
    Ok(out)
}
