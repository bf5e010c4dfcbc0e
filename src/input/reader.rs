//! A source as the libraries of archives want it: read in order or by jumps, with as much read ahead as pays.

use super::limits;
use super::source::Source;
use std::io::{BufRead, Read, Seek, SeekFrom};

/// Bytes that are read at first after a jump; each further read in order doubles them, up to [`limits::CHUNK`].
const FIRST_READ: usize = 2048;

/// A source read from front to back or by seeking, as the libraries of archives want it. Jumping to a small member costs
/// little, reading on costs few reads.
pub struct Reader {
    source: Source,
    at: u64,
    /// Bytes that were read ahead, and where they begin.
    ahead: Vec<u8>,
    begin: u64,
}

impl Reader {
    /// Begins at the first byte.
    pub fn new(source: &Source) -> Self {
        Self { source: source.clone(), at: 0, ahead: Vec::new(), begin: 0 }
    }

    /// Bytes from here on that were read ahead.
    fn known(&self) -> &[u8] {
        let at = self.at.checked_sub(self.begin).and_then(|at| usize::try_from(at).ok());
        at.and_then(|at| self.ahead.get(at..)).unwrap_or(&[])
    }

    fn read_ahead(&mut self) -> std::io::Result<()> {
        let is_next = self.at == self.begin + self.ahead.len() as u64 && !self.ahead.is_empty();
        let len = if is_next { (2 * self.ahead.len()).min(limits::CHUNK) } else { FIRST_READ };
        self.ahead.resize(len, 0);
        let read = self.source.read_at(self.at, &mut self.ahead);
        self.begin = self.at;
        self.ahead.truncate(*read.as_ref().unwrap_or(&0));
        read.map(drop).map_err(|e| std::io::Error::other(e.0))
    }
}

impl Read for Reader {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let n = self.fill_buf()?.read(buf)?;
        self.consume(n);
        Ok(n)
    }
}

impl BufRead for Reader {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        if self.known().is_empty() {
            self.read_ahead()?;
        }
        Ok(self.known())
    }

    fn consume(&mut self, n: usize) {
        self.at += n as u64;
    }
}

impl Seek for Reader {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.source.len().checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or_else(|| std::io::Error::from(std::io::ErrorKind::InvalidInput))?;
        Ok(self.at)
    }
}
