//! From dropped things to bytes with addresses: sources, bundles, archives, text and JSON with offsets.
//!
//! Everything here treats its bytes as hostile: no panic, no allocation by a number from the file.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![deny(clippy::cast_possible_truncation)]

#[cfg(not(target_arch = "wasm32"))]
pub mod disk;
pub mod fingerprint;
pub mod json;
pub mod limits;
pub(crate) mod packed;
pub mod unpack;
mod zip;

use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::order;
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io::{BufRead, Read, Seek, SeekFrom};
use std::ops::Range;
use std::rc::Rc;

// A source as the libraries of archives want it: read in order or by jumps, with as much read ahead as pays.

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

// What one gesture brought in: a flat list of entries with their paths. (Not called `Drop`: that is a std trait.)
//
// Most systems write folders, so formats claim entries of a bundle, not a file.

/// Row number of an entry in its [`Bundle`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(pub u32);

/// One file: where it was, and its bytes.
#[derive(Clone)]
pub struct Entry {
    /// Path below what was dropped, with `/`; members of archives follow a `!`: `run.zip!/a/b.json`.
    pub path: String,
    pub source: Source,
}

impl Entry {
    /// The last part of the path.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// All files of one gesture, sorted by path, so that the same files in another order are the same bundle. Clones share them.
#[derive(Clone, Default)]
pub struct Bundle {
    entries: Rc<[Entry]>,
    /// Where it is some entries of another bundle, all of that one.
    whole: Option<Rc<[Entry]>>,
}

impl Bundle {
    /// A bundle of these entries; they are sorted by path.
    pub fn new(mut entries: Vec<Entry>) -> Self {
        if !entries.is_sorted_by(|a, b| a.path <= b.path) {
            order::sort_by(&mut entries, |a, b| a.path.cmp(&b.path));
        }
        Self { entries: entries.into(), whole: None }
    }

    /// All entries in order, with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (EntryId, &Entry)> {
        (0u32..).map(EntryId).zip(&*self.entries)
    }

    /// One entry; `None` for a number that is not of this bundle.
    pub fn get(&self, id: EntryId) -> Option<&Entry> {
        self.entries.get(id.0 as usize)
    }

    /// The bundle of some of the entries.
    #[must_use]
    pub fn part(&self, ids: &[EntryId]) -> Self {
        let own = Self::new(ids.iter().filter_map(|id| self.get(*id)).cloned().collect());
        Self { whole: Some(self.whole.as_ref().unwrap_or(&self.entries).clone()), ..own }
    }

    /// All entries of the bundle that it was made of, itself where it is whole: what is not here may be there.
    pub fn whole(&self) -> &[Entry] {
        self.whole.as_ref().unwrap_or(&self.entries)
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing was brought.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The path of an entry without the folders that all entries share: what tells it from the others.
    pub fn short(&self, id: EntryId) -> &str {
        let Some(path) = self.get(id).map(|e| e.path.as_str()) else { return "" };
        // Paths are sorted: what the first and the last share, all share.
        let ends = self.entries.first().zip(self.entries.last());
        let shared = ends.map_or(0, |(first, last)| {
            let same = first.path.bytes().zip(last.path.bytes()).take_while(|(a, b)| a == b).map(|(a, _)| a);
            (1..).zip(same).filter(|(_, b)| *b == b'/').last().map_or(0, |(n, _)| n)
        });
        path.get(shared..).unwrap_or(path)
    }

    /// The common first folder or the first file's name: what a person would call the bundle.
    pub fn title(&self) -> String {
        let Some(first) = self.entries.first() else { return String::new() };
        let same_folder =
            |folder: &str| self.entries.iter().all(|e| e.path.split('/').next() == Some(folder));
        match first.path.split_once('/') {
            Some((folder, _)) if 1 < self.entries.len() && same_folder(folder) => folder.to_owned(),
            _ => first.name().to_owned(),
        }
    }
}

// Little-endian reads with the offset kept, for readers of binary records. Every failure is a fault with its place.
//
// A cursor never reads beyond the bytes it was made of, so a record inside another cannot read its neighbor.

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

// Bytes that are read again in small parts: whole chunks are read and kept for a while.
//
// In the browser each read of a file costs about a millisecond, however short it is.

/// Bytes of a chunk.
pub const CHUNK: u64 = 256 << 10;
/// Chunks that are kept: 8 MiB.
pub const KEPT: usize = 32;

thread_local! {
    // One room for all sources, or a folder of a thousand traces would keep a thousand times as much.
    static POOL: RefCell<Pool> = RefCell::default();
}

/// Chunks by the number of their source and their place. The oldest goes first.
#[derive(Default)]
struct Pool {
    chunks: FxHashMap<(u64, u64), Vec<u8>>,
    order: VecDeque<(u64, u64)>,
    sources: u64,
}

/// A source whose chunks are kept, 8 MiB of all such sources together. Outside of browsers, where systems keep chunks
/// themselves, it reads as it is asked to.
pub struct Cached {
    inner: Source,
    id: u64,
    reads: Cell<u64>,
    keeps: bool,
}

impl Cached {
    /// Nothing is read yet.
    pub fn new(inner: Source) -> Self {
        Self::with(inner, cfg!(target_arch = "wasm32"))
    }

    /// As [`Self::new`]; `keeps` says whether chunks are kept.
    pub fn with(inner: Source, keeps: bool) -> Self {
        let id = POOL.with_borrow_mut(|pool| {
            pool.sources += 1;
            pool.sources
        });
        Self { inner, id, reads: Cell::new(0), keeps }
    }

    /// How many chunks were read so far, 0 where none are kept; what work costs that asks for few bytes at many places.
    pub fn reads(&self) -> u64 {
        self.reads.get()
    }

    /// Does something with the bytes of a chunk.
    fn chunk<T>(&self, chunk: u64, then: impl FnOnce(&[u8]) -> T) -> Result<T, ReadError> {
        if self.len() <= chunk.saturating_mul(CHUNK) {
            return Ok(then(&[])); // behind the end there is nothing to read
        }
        let key = (self.id, chunk);
        POOL.with_borrow_mut(|Pool { chunks, order, .. }| {
            if let Some(bytes) = chunks.get(&key) {
                return Ok(then(bytes));
            }
            let begin = chunk.saturating_mul(CHUNK);
            let read = read_range(&*self.inner, begin..begin.saturating_add(CHUNK))?;
            self.reads.set(self.reads.get() + 1);
            let answer = then(&read);
            if KEPT <= order.len()
                && let Some(oldest) = order.pop_front()
            {
                chunks.remove(&oldest);
            }
            order.push_back(key);
            chunks.insert(key, read);
            Ok(answer)
        })
    }
}

impl Drop for Cached {
    fn drop(&mut self) {
        // At the end of a program the pool may be gone before its sources.
        let _ = POOL.try_with(|pool| {
            let mut pool = pool.borrow_mut();
            pool.chunks.retain(|(id, _), _| *id != self.id);
            pool.order.retain(|(id, _)| *id != self.id);
        });
    }
}

impl ByteSource for Cached {
    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize, ReadError> {
        if !self.keeps {
            return self.inner.read_at(offset, buf);
        }
        let inside = usize::try_from(offset % CHUNK).unwrap_or(usize::MAX);
        self.chunk(offset / CHUNK, |bytes| {
            let rest = bytes.get(inside..).unwrap_or(&[]);
            let n = rest.len().min(buf.len());
            if let (Some(to), Some(from)) = (buf.get_mut(..n), rest.get(..n)) {
                to.copy_from_slice(from);
            }
            n
        })
    }

    fn expect(&self, range: Range<u64>) {
        self.inner.expect(range);
    }

    fn origin(&self) -> Option<Origin> {
        self.inner.origin()
    }
}

// Bytes with addresses: a length and reads at any place.
//
// One of the three seams of the product: a file of the browser, a file on disk, and memory all look the same.

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
