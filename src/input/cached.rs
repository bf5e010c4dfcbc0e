//! Bytes that are read again in small parts: whole chunks are read and kept for a while.
//!
//! In the browser each read of a file costs about a millisecond, however short it is.

use super::source::{ByteSource, Origin, ReadError, Source, read_range};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ops::Range;

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
