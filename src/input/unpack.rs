//! Archives become entries of the bundle: gzip, xz, zstd, zip, tar, Android's compressed atrace, also inside each other.
//!
//! Packed bytes are unpacked once into a [`Store`], so that byte ranges mean the same everywhere; members that stand
//! unpacked in their archive (tar, stored zip) stay where they are. Works in small steps: the program may give way
//! between them.

use super::bundle::Entry;
use super::limits;
use super::source::{Part, ReadError, Source};
use crate::base::fault::{Fault, Kind, Place, Severity};
use std::collections::VecDeque;
use std::io::{BufReader, Read, Seek, SeekFrom};

/// Where unpacked bytes go: memory, or a Blob of the browser.
pub trait Store {
    /// Adds bytes to the entry that is being unpacked.
    ///
    /// # Errors
    /// When there is no room.
    fn append(&mut self, bytes: &[u8]) -> Result<(), ReadError>;

    /// Ends the entry; what is appended next belongs to another one.
    fn seal(&mut self) -> Source;
}

/// Keeps unpacked bytes in memory.
#[derive(Default)]
pub struct MemoryStore(Vec<u8>);

impl Store for MemoryStore {
    fn append(&mut self, bytes: &[u8]) -> Result<(), ReadError> {
        self.0.try_reserve(bytes.len()).map_err(|e| ReadError(e.to_string()))?;
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn seal(&mut self) -> Source {
        std::rc::Rc::new(super::source::Memory(std::mem::take(&mut self.0)))
    }
}

/// Unpacks what needs it.
pub struct Unpacker {
    queue: VecDeque<Waiting>,
    store: Box<dyn Store>,
    current: Option<Stream>,
    done: Vec<Entry>,
    faults: Vec<Fault>,
}

/// One entry that was not looked at yet.
struct Waiting {
    entry: Entry,
    /// In how many archives it lies.
    depth: usize,
    /// A deflated member of a zip, and the size it should have.
    deflated: Option<u64>,
}

/// One packed entry on its way into the store.
struct Stream {
    path: String,
    inner: String,
    depth: usize,
    reader: Box<dyn Read>,
    packed: u64,
    written: u64,
    declared: Option<u64>,
}

impl Stream {
    fn new(path: &str, inner: String, depth: usize, reader: Box<dyn Read>, packed: &Source) -> Self {
        let path = path.to_owned();
        Self { path, inner, depth, reader, packed: packed.len(), written: 0, declared: None }
    }
}

impl Unpacker {
    /// Begins with these entries.
    pub fn new(entries: Vec<Entry>, store: Box<dyn Store>) -> Self {
        let queue = entries.into_iter().map(|entry| Waiting { entry, depth: 0, deflated: None }).collect();
        Self { queue, store, current: None, done: Vec::new(), faults: Vec::new() }
    }

    /// Does some 10 ms of work; false when everything is unpacked.
    pub fn step(&mut self) -> bool {
        if let Some(stream) = self.current.take() {
            self.pump(stream);
            return true;
        }
        let Some(Waiting { entry, depth, deflated }) = self.queue.pop_front() else { return false };
        if limits::ENTRIES <= self.done.len() + self.queue.len() {
            let (what, asked) = ("entries in one bundle", (self.done.len() + self.queue.len() + 1) as u64);
            let kind = Kind::Limit { what: what.into(), asked, allowed: limits::ENTRIES as u64 };
            let fault = Fault::new("INP-ENTRIES", Severity::Loss, Place::entry(entry.path), kind);
            self.faults.push(fault.note("The rest of the files is not opened."));
            self.queue.clear();
            return true;
        }
        match deflated {
            Some(size) => {
                let reader = flate2::read::DeflateDecoder::new(buffered(&entry.source));
                let stream =
                    Stream::new(&entry.path, entry.path.clone(), depth, Box::new(reader), &entry.source);
                self.current = Some(Stream { declared: Some(size), ..stream });
            }
            None => self.examine(entry, depth),
        }
        true
    }

    /// The entry that is being unpacked, and how many bytes came out of it so far.
    pub fn position(&self) -> Option<(&str, u64)> {
        self.current.as_ref().map(|s| (s.path.as_str(), s.written))
    }

    /// What was unpacked, and what is wrong.
    pub fn finish(self) -> (Vec<Entry>, Vec<Fault>) {
        (self.done, self.faults)
    }

    fn examine(&mut self, entry: Entry, depth: usize) {
        let mut head = [0; 512];
        let n = entry.source.read_at(0, &mut head).unwrap_or(0);
        let head = head.get(..n).unwrap_or(&[]);
        if limits::ARCHIVE_DEPTH <= depth {
            self.done.push(entry);
        } else if head.starts_with(&[0x1f, 0x8b, 8]) {
            let reader = flate2::read::MultiGzDecoder::new(buffered(&entry.source));
            self.start(&entry, depth, &["gz", "gzip"], Box::new(reader));
        } else if head.starts_with(&[0xfd, b'7', b'z', b'X', b'Z', 0]) {
            let reader = lzma_rust2::XzReader::new(buffered(&entry.source), true);
            self.start(&entry, depth, &["xz"], Box::new(reader));
        } else if head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
            match ruzstd::decoding::StreamingDecoder::new(buffered(&entry.source)) {
                Ok(reader) => self.start(&entry, depth, &["zst", "zstd"], Box::new(reader)),
                Err(error) => self.damaged(entry, "zstd", &error.to_string()),
            }
        } else if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
            self.zip(entry, depth);
        } else if head.get(257..262) == Some(b"ustar") {
            self.tar(entry, depth);
        } else if let Some(start) = deflated_trace(head) {
            let part: Source = std::rc::Rc::new(Part::new(entry.source.clone(), start..entry.source.len()));
            let reader = flate2::read::ZlibDecoder::new(buffered(&part));
            self.start(&entry, depth, &["ctrace"], Box::new(reader));
        } else {
            self.done.push(entry);
        }
    }

    fn start(&mut self, entry: &Entry, depth: usize, endings: &[&str], reader: Box<dyn Read>) {
        let name = entry.name();
        let bare = endings.iter().find_map(|e| name.strip_suffix(e)?.strip_suffix('.')).map(str::to_owned);
        let tarball = || name.strip_suffix(".tgz").or(name.strip_suffix(".txz")).map(|n| format!("{n}.tar"));
        let inner = bare.or_else(tarball).unwrap_or_else(|| format!("{name}.unpacked"));
        let inner = format!("{}!/{inner}", entry.path);
        self.current = Some(Stream::new(&entry.path, inner, depth + 1, reader, &entry.source));
    }

    /// Moves up to one chunk from the packed entry into the store.
    fn pump(&mut self, mut stream: Stream) {
        let mut buffer = vec![0; limits::CHUNK];
        let problem = match read_full(&mut *stream.reader, &mut buffer) {
            Ok(0) => None,
            Ok(n) => {
                stream.written += n as u64;
                let allowed = (64 << 20) + stream.packed.saturating_mul(limits::UNPACK_RATIO);
                if allowed < stream.written {
                    Some(Kind::Limit { what: "unpacked size".into(), asked: stream.written, allowed })
                } else if let Err(error) = self.store.append(buffer.get(..n).unwrap_or(&[])) {
                    Some(Kind::Io { message: error.0 })
                } else {
                    self.current = Some(stream);
                    return;
                }
            }
            Err(error) => Some(Kind::Io { message: error.to_string() }),
        };
        let short = stream.declared.filter(|d| problem.is_none() && *d != stream.written);
        let problem = problem.or(short.map(|d| Kind::Contradiction {
            a: format!("the archive says {d} bytes"),
            b: format!("{} bytes came out", stream.written),
        }));
        if let Some(kind) = problem {
            let place = Place::byte(stream.path, 0).block(format!("unpacked byte {}", stream.written));
            let fault = Fault::new("INP-UNPACK", Severity::Loss, place, kind);
            self.faults.push(fault.note("What was unpacked before the damage is opened."));
        }
        let source = self.store.seal();
        let entry = Entry { path: stream.inner, source };
        self.queue.push_front(Waiting { entry, depth: stream.depth, deflated: None });
    }

    fn zip(&mut self, entry: Entry, depth: usize) {
        let mut archive = match zip::ZipArchive::new(buffered(&entry.source)) {
            Ok(archive) => archive,
            Err(error) => return self.damaged(entry, "zip", &error.to_string()),
        };
        let mut members = Vec::new();
        for i in 0..archive.len() {
            let file = match archive.by_index_raw(i) {
                Ok(file) => file,
                Err(error) => {
                    self.member_fault(&entry, &format!("member {}", i + 1), &error.to_string());
                    continue;
                }
            };
            if file.is_dir() {
                continue;
            }
            let name = String::from_utf8_lossy(file.name_raw()).into_owned();
            let path = format!("{}!/{name}", entry.path);
            let Some(start) = file.data_start() else { continue };
            let part = Part::new(entry.source.clone(), start..start.saturating_add(file.compressed_size()));
            let source: Source = std::rc::Rc::new(part);
            let deflated = match file.compression() {
                _ if file.encrypted() => {
                    self.member_fault(&entry, &name, "the member is encrypted");
                    continue;
                }
                zip::CompressionMethod::Stored => None,
                zip::CompressionMethod::Deflated => Some(file.size()),
                other => {
                    self.member_fault(&entry, &name, &format!("compression {other} is not read"));
                    continue;
                }
            };
            // Deflated members are unpacked one by one when their turn comes.
            members.push(Waiting { entry: Entry { path, source }, depth: depth + 1, deflated });
        }
        self.queue.extend(members);
    }

    fn tar(&mut self, entry: Entry, depth: usize) {
        let mut archive = tar::Archive::new(buffered(&entry.source));
        let entries = match archive.entries_with_seek() {
            Ok(entries) => entries,
            Err(error) => return self.damaged(entry, "tar", &error.to_string()),
        };
        let mut members = Vec::new();
        for member in entries {
            match member {
                Ok(file) if file.header().entry_type().is_file() => {
                    let name = String::from_utf8_lossy(&file.path_bytes()).into_owned();
                    let start = file.raw_file_position();
                    let part = Part::new(entry.source.clone(), start..start.saturating_add(file.size()));
                    let path = format!("{}!/{}", entry.path, name.trim_start_matches("./"));
                    let entry = Entry { path, source: std::rc::Rc::new(part) };
                    members.push(Waiting { entry, depth: depth + 1, deflated: None });
                }
                Ok(_) => {}
                Err(error) => {
                    self.member_fault(&entry, "a member", &error.to_string());
                    break;
                }
            }
            if limits::ENTRIES < members.len() {
                break;
            }
        }
        self.queue.extend(members);
    }

    fn damaged(&mut self, entry: Entry, what: &str, message: &str) {
        self.member_fault(&entry, what, message);
        self.done.push(entry);
    }

    fn member_fault(&mut self, entry: &Entry, what: &str, message: &str) {
        let place = Place::byte(entry.path.clone(), 0).block(what);
        let kind = Kind::Io { message: message.to_owned() };
        let fault = Fault::new("INP-ARCHIVE", Severity::Loss, place, kind);
        self.faults.push(fault.note("It is not unpacked."));
    }
}

/// Where the packed bytes begin in what `atrace -z` wrote: words to the person at the terminal, `TRACE:`, a zlib stream.
fn deflated_trace(head: &[u8]) -> Option<u64> {
    const WORD: &[u8] = b"TRACE:\n";
    let at = memchr::memmem::find(head, WORD)? + WORD.len();
    let is_zlib = matches!(head.get(at..at + 2), Some([0x78, 0x01 | 0x5e | 0x9c | 0xda]));
    is_zlib.then(|| u64::try_from(at).ok())?
}

/// Reads until the buffer is full or the end of the stream.
fn read_full(reader: &mut dyn Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut done = 0;
    while let Some(rest) = buffer.get_mut(done..).filter(|r| !r.is_empty()) {
        match reader.read(rest) {
            Ok(0) => break,
            Ok(n) => done += n,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            // What came before the damage is kept; the error comes again with the next read.
            Err(_) if 0 < done => break,
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

fn buffered(source: &Source) -> BufReader<Reader> {
    BufReader::with_capacity(limits::CHUNK, Reader { source: source.clone(), at: 0 })
}

/// A source read from front to back or by seeking, as the libraries of archives want it.
pub struct Reader {
    source: Source,
    at: u64,
}

impl Read for Reader {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let n = self.source.read_at(self.at, buf).map_err(|e| std::io::Error::other(e.0))?;
        self.at += n as u64;
        Ok(n)
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
