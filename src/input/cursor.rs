//! Little-endian reads with the offset kept, for readers of binary records. Every failure is a fault with its place.
//!
//! A cursor never reads beyond the bytes it was made of, so a record inside another cannot read its neighbor.

use crate::base::fault::{Fault, Kind, Place, Severity};

/// Reads numbers and texts from bytes, front to back.
#[derive(Clone)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    base: u64,
    code: &'static str,
    place: Place,
}

impl<'a> Cursor<'a> {
    /// A cursor over `bytes`, whose first byte stands at `place` (its byte offset is taken as the base). Faults get `code`.
    pub fn new(bytes: &'a [u8], code: &'static str, place: Place) -> Self {
        Self { bytes, at: 0, base: place.byte.unwrap_or(0), code, place }
    }

    /// Offset of the next byte from the start of the entry.
    pub fn offset(&self) -> u64 {
        self.base.saturating_add(self.at as u64)
    }

    /// How many bytes are left.
    pub fn left(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    /// The next `n` bytes.
    ///
    /// # Errors
    /// A truncation when fewer are left; nothing is taken then.
    pub fn take(&mut self, n: usize) -> Result<&'a [u8], Box<Fault>> {
        let end = self.at.checked_add(n);
        match end.and_then(|end| self.bytes.get(self.at..end)) {
            Some(bytes) => {
                self.at += n;
                Ok(bytes)
            }
            None => Err(self.cut(n)),
        }
    }

    /// A number of one byte.
    ///
    /// # Errors
    /// As [`Cursor::take`].
    pub fn u8(&mut self) -> Result<u8, Box<Fault>> {
        self.array::<1>().map(|[b]| b)
    }

    /// A number of two bytes.
    ///
    /// # Errors
    /// As [`Cursor::take`].
    pub fn u16(&mut self) -> Result<u16, Box<Fault>> {
        self.array().map(u16::from_le_bytes)
    }

    /// A number of four bytes.
    ///
    /// # Errors
    /// As [`Cursor::take`].
    pub fn u32(&mut self) -> Result<u32, Box<Fault>> {
        self.array().map(u32::from_le_bytes)
    }

    /// A number of eight bytes.
    ///
    /// # Errors
    /// As [`Cursor::take`].
    pub fn u64(&mut self) -> Result<u64, Box<Fault>> {
        self.array().map(u64::from_le_bytes)
    }

    /// A text in a field of `n` bytes, up to its first zero byte; bytes that are not UTF-8 become `U+FFFD`.
    ///
    /// # Errors
    /// As [`Cursor::take`].
    pub fn text(&mut self, n: usize) -> Result<String, Box<Fault>> {
        let field = self.take(n)?;
        let end = memchr::memchr(0, field).unwrap_or(field.len());
        Ok(String::from_utf8_lossy(field.get(..end).unwrap_or(field)).into_owned())
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Box<Fault>> {
        let bytes = self.take(N)?;
        bytes.try_into().map_err(|_| self.cut(N))
    }

    fn cut(&self, needed: usize) -> Box<Fault> {
        let place = Place { byte: Some(self.offset()), ..self.place.clone() };
        let kind = Kind::Truncated { needed: needed as u64, left: self.left() as u64 };
        Box::new(Fault::new(self.code, Severity::Loss, place, kind))
    }
}
