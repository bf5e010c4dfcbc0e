//! Files of the browser as byte sources: a stream for the sequential pass, synchronous slices for everything else.

use crate::input::unpack::Store;
use crate::input::{ByteSource, Memory, Origin, ReadError, Source};
use crate::wire::FromWorker;
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;
use wasm_bindgen::JsValue;

/// Bytes of an unpacked entry that are collected before they become a Blob outside of the wasm memory.
const PART_BYTES: usize = 8 << 20;

thread_local! {
    /// Every file and Blob of this worker, by the number in [`Origin`].
    static BLOBS: RefCell<Vec<web_sys::Blob>> = const { RefCell::new(Vec::new()) };

    /// What is read ahead.
    static AHEAD_OF: RefCell<Ahead> = const { RefCell::new(Ahead { next: None, windows: Vec::new() }) };

    /// How many reads failed.
    static FAILED: Cell<u32> = const { Cell::new(0) };

    /// What a short read took last: of which Blob, from which byte.
    static AHEAD: RefCell<(u32, u64, Vec<u8>)> = const { RefCell::new((0, 0, Vec::new())) };
}

/// Reads that were begun before their bytes are needed.
struct Ahead {
    /// What will be read next, of which Blob.
    next: Option<(u32, Range<u64>)>,
    /// The oldest first; those of one Blob follow each other.
    windows: Vec<Window>,
}

/// A part of a Blob that comes, or has come.
struct Window {
    handle: u32,
    range: Range<u64>,
    promise: js_sys::Promise,
    /// The bytes, once they came.
    bytes: Option<js_sys::Uint8Array>,
}

/// Bytes of a window: reads of 8 MiB bring half as much again in the same time as reads of 2 MiB.
const WINDOW: u64 = 8 << 20;
/// So many windows there are at most; when there are more, the oldest was not wanted.
const WINDOWS: usize = 4;

/// Waits for what will be read next, as far as it was begun. What fails is forgotten: the synchronous read that follows
/// reports it.
pub(super) async fn expected() {
    loop {
        let missing = AHEAD_OF.with_borrow(|ahead| {
            let (handle, next) = ahead.next.as_ref()?;
            let is_missing = |window: &&Window| {
                let is_next = window.range.start < next.end && next.start < window.range.end;
                window.handle == *handle && is_next && window.bytes.is_none()
            };
            let window = ahead.windows.iter().find(is_missing)?;
            Some((window.handle, window.range.start, window.promise.clone()))
        });
        let Some((handle, start, promise)) = missing else { return };
        let bytes = wasm_bindgen_futures::JsFuture::from(promise).await;
        AHEAD_OF.with_borrow_mut(|ahead| {
            let is_it = |window: &Window| window.handle == handle && window.range.start == start;
            let Some(at) = ahead.windows.iter().position(is_it) else { return };
            match bytes {
                Ok(bytes) => ahead.windows[at].bytes = Some(js_sys::Uint8Array::new(&bytes)),
                Err(_) => drop(ahead.windows.remove(at)),
            }
        });
    }
}

impl Ahead {
    /// Begins to read a range of a Blob, as far as that was not begun.
    fn expect(&mut self, handle: u32, blob: &web_sys::Blob, range: Range<u64>) {
        self.next.get_or_insert_with(|| (handle, range.clone()));
        let mut at = range.start;
        while at < range.end {
            let holds = |window: &&Window| window.handle == handle && window.range.contains(&at);
            if let Some(window) = self.windows.iter().find(holds) {
                at = window.range.end;
                continue;
            }
            let end = (blob.size() as u64).min(at + WINDOW);
            let Ok(part) = blob.slice_with_f64_and_f64(at as f64, end as f64) else { return };
            if WINDOWS <= self.windows.len() {
                self.windows.remove(0);
            }
            self.windows.push(Window { handle, range: at..end, promise: part.array_buffer(), bytes: None });
            at = end;
        }
    }

    /// Copies what has come from this byte on; returns how much. Windows that were read to their end are let go.
    fn take(&mut self, handle: u32, offset: u64, buf: &mut [u8]) -> usize {
        // Short reads are those of questions in between.
        if WINDOW / 64 < buf.len() as u64 {
            self.next = None;
        }
        let mut n = 0;
        while n < buf.len() {
            let at = offset + n as u64;
            let holds = |window: &Window| window.handle == handle && window.range.contains(&at);
            let Some(place) = self.windows.iter().position(holds) else { break };
            let window = &self.windows[place];
            let Some(bytes) = &window.bytes else { break };
            let from = (at - window.range.start) as u32;
            let len = (buf.len() - n).min(bytes.length().saturating_sub(from) as usize);
            if len == 0 {
                break;
            }
            bytes.subarray(from, from + len as u32).copy_to(&mut buf[n..n + len]);
            n += len;
            if window.range.end <= at + len as u64 {
                self.windows.remove(place);
            }
        }
        n
    }
}

/// Shorter reads take so many bytes at once and keep them: each read of a Blob takes about a millisecond, whatever its size.
const READ_AHEAD: usize = 32 << 10;

/// Entries of at most so many bytes stay in memory, as long as they are not more than [`KEPT_BYTES`] together.
const SMALL_BYTES: usize = 64 << 10;
const KEPT_BYTES: usize = 32 << 20;

/// A file or Blob.
pub(super) struct BlobSource {
    blob: web_sys::Blob,
    handle: u32,
}

impl BlobSource {
    /// A source of these bytes, which can be streamed by its origin.
    pub(super) fn source(blob: web_sys::Blob) -> Source {
        let handle = BLOBS.with(|blobs| {
            blobs.borrow_mut().push(blob.clone());
            blobs.borrow().len() as u32 - 1
        });
        Rc::new(Self { blob, handle })
    }

    fn read(&self, offset: u64, buf: &mut [u8]) -> Result<usize, ReadError> {
        let end = self.len().min(offset.saturating_add(buf.len() as u64));
        if end <= offset {
            return Ok(0);
        }
        let wanted = (end - offset) as usize;
        let had = AHEAD_OF.with_borrow_mut(|ahead| ahead.take(self.handle, offset, &mut buf[..wanted]));
        if had == wanted {
            return Ok(had);
        }
        let from = offset + had as u64;
        let part = self.blob.slice_with_f64_and_f64(from as f64, end as f64).map_err(read_error)?;
        let reader = web_sys::FileReaderSync::new().map_err(read_error)?;
        let bytes = js_sys::Uint8Array::new(&reader.read_as_array_buffer(&part).map_err(note_failed)?.into());
        let n = (bytes.length() as usize).min(wanted - had);
        bytes.subarray(0, n as u32).copy_to(&mut buf[had..had + n]);
        Ok(had + n)
    }
}

/// The bytes of a source as a Blob, when it has one.
pub(super) fn blob_of(origin: Origin, range: &std::ops::Range<u64>) -> Option<web_sys::Blob> {
    let blob = BLOBS.with(|blobs| blobs.borrow().get(origin.handle as usize).cloned())?;
    let (from, to) = (origin.offset + range.start, origin.offset + range.end);
    blob.slice_with_f64_and_f64(from as f64, to as f64).ok()
}

impl ByteSource for BlobSource {
    fn len(&self) -> u64 {
        self.blob.size() as u64
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize, ReadError> {
        if READ_AHEAD <= buf.len() {
            return self.read(offset, buf);
        }
        AHEAD.with_borrow_mut(|(handle, start, bytes)| {
            let end = self.len().min(offset.saturating_add(buf.len() as u64));
            let is_known = *handle == self.handle && *start <= offset && end <= *start + bytes.len() as u64;
            if !is_known {
                bytes.resize(READ_AHEAD, 0);
                let n = self.read(offset, bytes);
                bytes.truncate(*n.as_ref().unwrap_or(&0));
                (*handle, *start) = (self.handle, offset);
                n?;
            }
            let from = usize::try_from(offset - *start).unwrap_or(usize::MAX);
            let known = bytes.get(from..).unwrap_or(&[]);
            let n = known.len().min(buf.len());
            buf[..n].copy_from_slice(&known[..n]);
            Ok(n)
        })
    }

    fn expect(&self, range: Range<u64>) {
        let range = range.start..range.end.min(self.len());
        if !range.is_empty() {
            AHEAD_OF.with_borrow_mut(|ahead| ahead.expect(self.handle, &self.blob, range));
        }
    }

    fn origin(&self) -> Option<Origin> {
        Some(Origin { handle: self.handle, offset: 0 })
    }
}

fn read_error(error: JsValue) -> ReadError {
    ReadError(crate::browser::text_of(&error))
}

fn note_failed(error: JsValue) -> ReadError {
    let error = read_error(error);
    count_failed(&error.0);
    error
}

/// A read that failed is counted; the page is told of the first.
pub(super) fn count_failed(why: &str) {
    if FAILED.replace(FAILED.get() + 1) == 0 {
        super::send_to_page(&FromWorker::Unreadable(why.to_owned()));
    }
}

/// How many reads failed so far: what is answered after another one may lack something.
pub(super) fn n_failed() -> u32 {
    FAILED.get()
}

/// Keeps unpacked bytes in Blobs, outside of the wasm memory.
#[derive(Default)]
pub(super) struct BlobStore {
    parts: js_sys::Array,
    pending: Vec<u8>,
    /// Bytes of the entries that stay in memory.
    kept: usize,
}

impl BlobStore {
    /// All that was appended, as one file of this media type.
    pub(super) fn file(mut self, mime: &str) -> Result<web_sys::Blob, ReadError> {
        self.flush()?;
        let options = web_sys::BlobPropertyBag::new();
        options.set_type(mime);
        web_sys::Blob::new_with_blob_sequence_and_options(&self.parts, &options).map_err(read_error)
    }

    fn flush(&mut self) -> Result<(), ReadError> {
        if !self.pending.is_empty() {
            let bytes = js_sys::Uint8Array::from(&self.pending[..]);
            // A Blob of its own for each part lets the browser move it out of memory.
            let part = web_sys::Blob::new_with_buffer_source_sequence(&js_sys::Array::of1(&bytes))
                .map_err(read_error)?;
            self.parts.push(&part);
            self.pending.clear();
        }
        Ok(())
    }
}

impl Store for BlobStore {
    fn append(&mut self, bytes: &[u8]) -> Result<(), ReadError> {
        self.pending.extend_from_slice(bytes);
        if PART_BYTES <= self.pending.len() { self.flush() } else { Ok(()) }
    }

    fn seal(&mut self) -> Result<Source, ReadError> {
        let n = self.pending.len();
        if self.parts.length() == 0 && n <= SMALL_BYTES && self.kept + n <= KEPT_BYTES {
            self.kept += n;
            let bytes = self.pending.clone(); // not with the room that a longer one before it took
            self.pending.clear();
            return Ok(Rc::new(Memory(bytes)));
        }
        let flushed = self.flush();
        // What could not be kept must not become the head of the next entry.
        self.pending.clear();
        let parts = std::mem::take(&mut self.parts);
        flushed?;
        web_sys::Blob::new_with_blob_sequence(&parts).map(BlobSource::source).map_err(read_error)
    }
}
