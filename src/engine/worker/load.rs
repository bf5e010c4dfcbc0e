//! Drives the opening of a document: streams what it wants, gives way every few milliseconds, tells where it is.

use super::blob::{self, BlobSource, BlobStore, blob_of};
use super::{WorkerState, now, timed, with};
use crate::document::Document;
use crate::engine::Need;
use crate::input::{Entry, Source, limits};
use crate::wire::{Answer, FileHead, FromWorker, Query};
use std::ops::Range;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// How long to work before giving way, in milliseconds.
pub(super) const SLICE_MS: f64 = 8.0;
/// How often to tell where loading is.
const PROGRESS_MS: f64 = 50.0;
/// When it is told first: the page makes the view of what was read until then while the rest is read.
const FIRST_MS: f64 = 20.0;
/// How often the growing trace is shown anew: at first often, then seldom, because every picture takes time from loading.
const GROW_MS: [f64; 2] = [120.0, 400.0];
/// The part of the time since the beginning that lies between two pictures.
const GROW_PART: f64 = 0.2;
/// Bytes handed to a reader at a time, so that the clock is looked at often enough.
const PIECE: usize = 256 * 1024;

/// What is said of a file that ended before the browser said it would.
const SHORTER: &str = "The file is smaller than when it was opened.";

/// Opens files, of a project one operator; the handles stand in the order of the heads.
pub(super) fn open(files: &[FileHead], operator: &str, values: &[(String, String)], things: &js_sys::Array) {
    let entries = files.iter().zip(things.iter()).filter_map(|(head, thing)| {
        let blob = thing.dyn_into::<web_sys::Blob>().ok()?;
        Some(Entry { path: head.path.clone(), source: BlobSource::source(blob) })
    });
    let mut document = Document::new(entries.collect(), Box::new(BlobStore::default()));
    document.set_texts(values);
    document.set_clock(super::today);
    document.pick(operator);
    with(|state| {
        document.set_language(state.language);
        document.set_palette(&state.palette);
        state.document = Some(document);
        work(state);
    });
}

/// Computes what the last question left to be computed, such as an analysis for new values of its parameters.
pub(super) fn compute(state: &mut WorkerState) {
    if !state.is_working && state.document.as_ref().is_some_and(|d| d.is_ready() && d.has_work()) {
        work(state);
    }
}

/// Works until there is nothing left to do.
fn work(state: &mut WorkerState) {
    state.is_working = true;
    wasm_bindgen_futures::spawn_local(async {
        let mut pace = Pace::new();
        while run(&mut pace).await {}
        with(|state| state.is_working = false);
        super::work_files();
    });
}

/// One step of the document; false when it is ready or failed.
async fn run(pace: &mut Pace) -> bool {
    let need = timed(None, || with(|state| document(state, Document::step)));
    let Some(need) = need else { return false };
    match need {
        Need::Again => {
            blob::expected().await;
            pace.breathe().await;
        }
        Need::Stream { source, range } => {
            let streamed = stream(&source, range.clone(), pace).await;
            if let Err(error) = streamed {
                let why = crate::browser::text_of(&error);
                blob::count_failed(&why);
                with(|state| document(state, |d| d.report_unreadable(&why)));
            }
        }
        Need::Ready => {
            pace.tell();
            let head = with(|state| state.document.as_ref().map(Document::head));
            if let Some(mut head) = head {
                head.millis = now() - pace.began;
                super::send_to_page(&FromWorker::Opened(Box::new(head)));
            }
            return false;
        }
        Need::Part(row) => {
            pace.tell();
            super::load_part(row).await;
        }
        Need::Failed => {
            let answer = with(|state| state.document.as_mut().map(|d| d.query(&Query::Report).0));
            if let Some(Answer::Report(report)) = answer {
                super::send_to_page(&FromWorker::Failed(report));
            }
            return false;
        }
    }
    true
}

fn document<T>(state: &mut WorkerState, work: impl FnOnce(&mut Document) -> T) -> Option<T> {
    state.document.as_mut().map(work)
}

/// Feeds a range to the document: as the browser's stream where there is one, else by slices.
async fn stream(source: &Source, range: Range<u64>, pace: &mut Pace) -> Result<(), JsValue> {
    // A stream costs milliseconds before its first byte: too much for each of thousands of small files.
    let is_short = range.end.saturating_sub(range.start) <= limits::CHUNK as u64;
    let blob = source.origin().filter(|_| !is_short).and_then(|origin| blob_of(origin, &range));
    let Some(blob) = blob else { return by_slices(source, range, pace).await };
    let mut pieces = Pieces::of(&blob.stream());
    let mut buffer = vec![0; PIECE];
    let mut left = blob.size() as u64;
    loop {
        let Some(chunk) = pieces.next().await? else {
            // The stream of a file that was cut meanwhile ends without an error.
            return if left == 0 { Ok(()) } else { Err(JsValue::from_str(SHORTER)) };
        };
        left = left.saturating_sub(chunk.length().into());
        let mut at = 0;
        while at < chunk.length() {
            let end = chunk.length().min(at + PIECE as u32);
            let piece = &mut buffer[..(end - at) as usize];
            chunk.subarray(at, end).copy_to(piece);
            if !feed(piece, pace).await {
                pieces.cancel();
                return Ok(());
            }
            at = end;
        }
    }
}

/// The pieces of a stream, one after the other.
enum Pieces {
    /// All in the same bytes: to make new ones for each would be a sixth of the time in which a large file is opened.
    Reused { reader: web_sys::ReadableStreamByobReader, bytes: js_sys::Uint8Array },
    /// Where the browser makes new ones.
    Made(web_sys::ReadableStreamDefaultReader),
}

impl Pieces {
    fn of(stream: &web_sys::ReadableStream) -> Self {
        match web_sys::ReadableStreamByobReader::new(stream) {
            Ok(reader) => Self::Reused { reader, bytes: js_sys::Uint8Array::new_with_length(PIECE as u32) },
            Err(_) => Self::Made(stream.get_reader().unchecked_into()),
        }
    }

    /// The next piece, valid until the one after it; none at the end.
    async fn next(&mut self) -> Result<Option<js_sys::Uint8Array>, JsValue> {
        let read = match self {
            Self::Reused { reader, bytes } => reader.read_with_array_buffer_view(bytes),
            Self::Made(reader) => reader.read(),
        };
        let read: web_sys::ReadableStreamReadResult = JsFuture::from(read).await?.unchecked_into();
        if read.get_done() == Some(true) {
            return Ok(None);
        }
        let piece: js_sys::Uint8Array = read.get_value().unchecked_into();
        if let Self::Reused { bytes, .. } = self {
            *bytes = js_sys::Uint8Array::new(&piece.buffer());
        }
        Ok(Some(piece))
    }

    /// Whether the browser heard it does not matter.
    fn cancel(&self) {
        let _ = match self {
            Self::Reused { reader, .. } => reader.cancel(),
            Self::Made(reader) => reader.cancel(),
        };
    }
}

async fn by_slices(source: &Source, range: Range<u64>, pace: &mut Pace) -> Result<(), JsValue> {
    let len = range.end.saturating_sub(range.start);
    let mut buffer = vec![0; usize::try_from(len).unwrap_or(usize::MAX).min(limits::CHUNK)];
    let mut at = range.start;
    while at < range.end {
        let want = usize::try_from(range.end - at).unwrap_or(usize::MAX).min(buffer.len());
        let n = source.read_at(at, &mut buffer[..want]).map_err(|e| JsValue::from_str(&e.0))?;
        if n == 0 || !feed(&buffer[..n], pace).await {
            break;
        }
        at += n as u64;
    }
    Ok(())
}

/// Feeds a piece, and goes on until it is worked up; whether more is wanted.
async fn feed(piece: &[u8], pace: &mut Pace) -> bool {
    let mut rest = piece;
    loop {
        let fed = timed(None, || with(|state| document(state, |d| (d.feed(rest), d.is_busy()))));
        pace.breathe().await;
        match fed {
            Some((true, true)) => rest = &[],
            other => return other.is_some_and(|(is_wanted, _)| is_wanted),
        }
    }
}

/// When to give way, and when to tell the page something.
struct Pace {
    turns: Turns,
    began: f64,
    worked_since: f64,
    told: f64,
    grown: f64,
    /// How much there was to be looked at when it was shown last.
    version: u64,
}

impl Pace {
    fn new() -> Self {
        let now = now();
        Self {
            turns: Turns::new(),
            began: now,
            worked_since: now,
            told: now - (PROGRESS_MS - FIRST_MS),
            grown: now - GROW_MS[0],
            version: 0,
        }
    }

    /// Gives way when it is time.
    async fn breathe(&mut self) {
        if now() - self.worked_since < SLICE_MS {
            return;
        }
        if PROGRESS_MS <= now() - self.told {
            self.tell();
        }
        self.turns.give_way().await;
        self.worked_since = now();
    }

    fn tell(&mut self) {
        self.told = now();
        let Some(progress) = with(|state| state.document.as_ref().map(Document::progress)) else { return };
        let pause = ((self.told - self.began) * GROW_PART).clamp(GROW_MS[0], GROW_MS[1]);
        let version = with(|state| state.document.as_ref().map_or(0, Document::content_version));
        let has_grown = version != self.version && pause <= self.told - self.grown;
        super::send_to_page(&FromWorker::Progress(progress));
        if has_grown {
            (self.grown, self.version) = (self.told, version);
            let head = timed(None, || with(|state| document(state, Document::grow)));
            if let Some(head) = head {
                super::send_to_page(&FromWorker::Opened(Box::new(head)));
            }
        }
    }
}

/// A way to let the event loop turn once, so that messages that wait are received; each task has its own. A timer would
/// wait four milliseconds.
pub(super) struct Turns(Option<web_sys::MessageChannel>);

impl Turns {
    pub(super) fn new() -> Self {
        Self(web_sys::MessageChannel::new().ok())
    }

    pub(super) async fn give_way(&self) {
        let Some(channel) = &self.0 else { return };
        let turned = js_sys::Promise::new(&mut |resolve, _| {
            channel.port1().set_onmessage(Some(&resolve));
            let _ = channel.port2().post_message(&JsValue::NULL);
        });
        let _ = JsFuture::from(turned).await;
    }
}
