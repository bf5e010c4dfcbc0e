//! Archives become entries of the bundle: gzip, xz, zstd, zip, tar, Android's compressed atrace, also inside each other.
//!
//! Packed bytes are unpacked once into a [`Store`], so that byte ranges mean the same everywhere; members that stand
//! unpacked in their archive (tar, stored zip) stay where they are. Works as a job: the program may give way in between.

use super::packed::{self, Damage, Pieces};
use super::zip::{Member, Members};
use super::{Entry, Part, ReadError, Reader, Source, limits};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::job::{Job, Turn};
use crate::base::map::Map;
use crate::base::number;
use crate::base::words::{Message, message, phrase};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::Read;
use std::rc::Rc;

/// Where unpacked bytes go: memory, or a Blob of the browser.
pub trait Store {
    /// Adds bytes to the entry that is being unpacked.
    ///
    /// # Errors
    /// When there is no room.
    fn append(&mut self, bytes: &[u8]) -> Result<(), ReadError>;

    /// Ends the entry; what is appended next belongs to another one.
    ///
    /// # Errors
    /// When what was appended cannot be kept.
    fn seal(&mut self) -> Result<Source, ReadError>;
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

    fn seal(&mut self) -> Result<Source, ReadError> {
        Ok(Rc::new(super::Memory(std::mem::take(&mut self.0))))
    }
}

/// Unpacks what needs it.
pub struct Unpacker {
    job: Job<Unpacked>,
    seen: Rc<RefCell<Seen>>,
}

/// What was unpacked, and what is wrong.
pub type Unpacked = (Vec<Entry>, Vec<Fault>);

/// How far unpacking is.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// How many files are unpacked, and how many are known by now.
    pub files: (u64, u64),
    /// The entry that is being unpacked, and how many bytes came out of it so far.
    pub at: Option<(String, u64)>,
}

impl Unpacker {
    /// Begins with these entries.
    pub fn new(entries: Vec<Entry>, store: Box<dyn Store>) -> Self {
        let seen = Rc::new(RefCell::new(Seen { files: (0, entries.len() as u64), at: None }));
        let told = Rc::clone(&seen);
        Self { job: Job::new(async move |turn| unpack(entries, store, &told, &turn).await), seen }
    }

    /// Does some 10 ms of work; in the end what was unpacked.
    pub fn poll(&mut self) -> Option<Unpacked> {
        self.job.poll()
    }

    /// How far it is.
    pub fn seen(&self) -> Seen {
        self.seen.borrow().clone()
    }
}

/// Unpacks what needs it; tells meanwhile how far it is.
pub async fn unpack(
    entries: Vec<Entry>,
    store: Box<dyn Store>,
    seen: &RefCell<Seen>,
    turn: &Turn,
) -> Unpacked {
    let queue = entries.into_iter().map(|entry| Waiting { entry, depth: 0, member: None }).collect();
    let mut unpacking = Unpacking { queue, store, done: Vec::new(), faults: Vec::new(), seen, turn };
    unpacking.all().await;
    (unpacking.done, unpacking.faults)
}

struct Unpacking<'a> {
    queue: VecDeque<Waiting>,
    store: Box<dyn Store>,
    done: Vec<Entry>,
    faults: Vec<Fault>,
    seen: &'a RefCell<Seen>,
    turn: &'a Turn,
}

/// One entry that was not looked at yet.
struct Waiting {
    entry: Entry,
    /// In how many archives it lies.
    depth: usize,
    /// What the entry, an archive, has as a member that was not looked at yet.
    member: Option<Member>,
}

/// What is said where nothing could be unpacked or kept.
const NOT_OPENED: &str = phrase("Not opened.");

/// Members of a tar that are looked at in one piece: each costs a small read.
const MEMBERS: usize = 64;

/// Members that are read from the directory of a zip in one piece: they stand side by side.
const LISTED: usize = 2048;

/// One packed entry being written to the store.
struct Stream {
    path: String,
    inner: String,
    depth: usize,
    reader: Box<dyn Read>,
    packed: u64,
    /// What the archive says of the unpacked bytes: their size, and their checksum beside the one so far.
    declared: Option<(u64, Checksum)>,
}

/// The CRC-32 that an archive says of some bytes, and that of the bytes so far.
struct Checksum {
    said: u32,
    found: flate2::Crc,
}

impl Checksum {
    fn new(said: u32) -> Self {
        Self { said, found: flate2::Crc::new() }
    }

    /// What is wrong when all bytes were there.
    fn mismatch(&self) -> Option<Kind> {
        let (said, found) = (self.said, self.found.sum());
        (said != found).then(|| Kind::Contradiction {
            a: message("the archive declares the checksum {sum}").with("sum", format!("{said:08x}")),
            b: message("the decompressed bytes have {sum}").with("sum", format!("{found:08x}")),
        })
    }
}

impl Stream {
    fn new(path: &str, inner: String, depth: usize, reader: Box<dyn Read>, packed: &Source) -> Self {
        let path = path.to_owned();
        Self { path, inner, depth, reader, packed: packed.len(), declared: None }
    }
}

impl Unpacking<'_> {
    async fn all(&mut self) {
        while let Some(Waiting { entry, depth, member }) = self.queue.pop_front() {
            if limits::ENTRIES <= self.done.len() {
                let (what, asked) = ("files at once", (self.done.len() + self.queue.len() + 1) as u64);
                let kind = Kind::Limit { what: what.into(), asked, allowed: limits::ENTRIES as u64 };
                let fault = Fault::new("INP-ENTRIES", Severity::Loss, Place::entry(entry.path), kind);
                self.faults.push(fault.note("The remaining files are not opened."));
                return;
            }
            match member {
                Some(member) => self.member(&entry, depth, &member).await,
                None => self.examine(entry, depth).await,
            }
            self.pause(None).await;
        }
    }

    /// Gives way; tells the entry that is being unpacked, and how many bytes came out of it so far.
    async fn pause(&self, at: Option<(&str, u64)>) {
        let left = self.queue.len() + usize::from(at.is_some());
        let files = (self.done.len() as u64, (self.done.len() + left) as u64);
        *self.seen.borrow_mut() = Seen { files, at: at.map(|(path, byte)| (path.to_owned(), byte)) };
        self.turn.pause().await;
    }

    async fn examine(&mut self, entry: Entry, depth: usize) {
        let mut head = [0; 512];
        let n = entry.source.read_at(0, &mut head).unwrap_or(0);
        let head = head.get(..n).unwrap_or(&[]);
        let is_zip = head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06");
        let is_tar = head.get(257..262) == Some(b"ustar");
        if limits::ARCHIVE_DEPTH <= depth {
            if is_zip || is_tar || !matches!(packed::open(&entry.source, head), Ok(None)) {
                let what = message("archives are nested more than {n} deep").with("n", limits::ARCHIVE_DEPTH);
                self.archive_fault(&entry, "", Kind::Problem(what));
            }
            self.done.push(entry);
        } else if is_zip {
            self.zip(entry, depth).await;
        } else if is_tar {
            self.tar(&entry, depth).await;
        } else {
            match packed::open(&entry.source, head) {
                Ok(Some((endings, reader))) => {
                    let inner = inner(&entry, endings);
                    self.pump(Stream::new(&entry.path, inner, depth + 1, reader, &entry.source)).await;
                }
                Ok(None) => self.done.push(entry),
                Err((what, error)) => {
                    self.archive_fault(&entry, what, Damage::of(error).kind);
                    self.done.push(entry);
                }
            }
        }
    }

    /// Moves a packed entry into the store, a chunk at a time.
    async fn pump(&mut self, mut stream: Stream) {
        let declared = stream.declared.as_ref().and_then(|(size, _)| usize::try_from(*size).ok());
        // One byte more than it should be, so that too many are noticed.
        let mut buffer = vec![0; limits::CHUNK.min(declared.unwrap_or(usize::MAX).saturating_add(1))];
        let mut written = 0;
        loop {
            self.pause(Some((&stream.path, written))).await;
            let (n, error) = read_full(&mut *stream.reader, &mut buffer);
            let bytes = buffer.get(..n).unwrap_or(&[]);
            written += n as u64;
            if let Some((_, checksum)) = &mut stream.declared {
                checksum.found.update(bytes);
            }
            let allowed = (64 << 20) + stream.packed.saturating_mul(limits::UNPACK_RATIO);
            let damage = if allowed < written {
                let what = "unpacked size".into();
                Some(Damage::end(Kind::Limit { what, asked: written, allowed }))
            } else if let Err(error) = self.store.append(bytes) {
                Some(Damage::end(Kind::Io { message: error.0 }))
            } else {
                error.map(Damage::of)
            };
            let is_end = damage.as_ref().map_or(n == 0, |damage| damage.is_end);
            let declared = || {
                let (size, checksum) = stream.declared.as_ref().filter(|_| n == 0)?;
                Damage::size(*size, written).or_else(|| checksum.mismatch().map(Damage::wrong))
            };
            if let Some(mut damage) = damage.or_else(declared) {
                if written == 0 && damage.is_end {
                    damage.note = NOT_OPENED;
                }
                let at = message("unpacked byte {n}").with("n", number::offset(written));
                let place = Place::entry(stream.path.clone());
                let place = if damage.is_end { place.block(at) } else { place };
                self.unpack_fault(place, damage);
            }
            if is_end {
                break;
            }
        }
        match self.store.seal() {
            Ok(source) => {
                let entry = Entry { path: stream.inner, source };
                self.queue.push_front(Waiting { entry, depth: stream.depth, member: None });
            }
            Err(error) => {
                let (kind, note) = (Kind::Io { message: error.0 }, NOT_OPENED);
                self.unpack_fault(Place::entry(stream.path), Damage { kind, note, is_end: true });
            }
        }
    }

    fn unpack_fault(&mut self, place: Place, damage: Damage) {
        let fault = Fault::new("INP-UNPACK", Severity::Loss, place, damage.kind);
        self.faults.push(fault.note(damage.note));
    }

    /// Holds a member that stands unpacked in its archive against its checksum, a chunk at a time; then it is looked at.
    async fn check(&mut self, entry: Entry, depth: usize, mut checksum: Checksum) {
        let (mut reader, mut buffer) = (Reader::new(&entry.source), vec![0; limits::CHUNK]);
        let error = loop {
            self.pause(Some((&entry.path, 0))).await;
            let (n, error) = read_full(&mut reader, &mut buffer);
            checksum.found.update(buffer.get(..n).unwrap_or(&[]));
            if n == 0 || error.is_some() {
                break error;
            }
        };
        drop((reader, buffer));
        let problem = error.map(|error| Kind::Io { message: error.to_string() });
        if let Some(kind) = problem.or_else(|| checksum.mismatch()) {
            self.unpack_fault(Place::entry(entry.path.clone()), Damage::wrong(kind));
        }
        self.examine(entry, depth).await;
    }

    /// Lists the members; each is looked at when its turn comes.
    async fn zip(&mut self, archive: Entry, depth: usize) {
        let mut members = match Members::new(&archive.source) {
            Ok(members) => members,
            Err(error) => return self.damaged(archive, "zip", &error.to_string()),
        };
        // How many there are of each path so far.
        let mut paths = Map::<String, usize>::default();
        loop {
            self.pause(Some((&archive.path, 0))).await;
            for _ in 0..LISTED {
                let mut member = match members.next() {
                    Some(Ok(member)) => member,
                    Some(Err(error)) => {
                        self.member_fault(&archive, "the directory", &error.to_string());
                        continue;
                    }
                    None => {
                        if let Some((said, found)) = members.miscounted() {
                            let a = message("the end of the archive counts {n} members").with("n", said);
                            let b = message("its directory has {n}").with("n", found);
                            let place = Place::entry(archive.path.clone()).block("the directory".to_owned());
                            self.contradiction(place, (a, b), phrase("All that the directory has are read."));
                        }
                        return;
                    }
                };
                if member.name.ends_with(['/', '\\']) {
                    continue;
                }
                let n = paths.entry(member.name.clone()).or_default();
                *n += 1;
                if 1 < *n {
                    member.name = numbered(&member.name, *n);
                }
                let waiting = Waiting { entry: archive.clone(), depth: depth + 1, member: Some(member) };
                self.queue.push_back(waiting);
            }
            if limits::ENTRIES < self.queue.len() {
                return;
            }
        }
    }

    /// A member of a zip: as it stands there, or being written to the store.
    async fn member(&mut self, archive: &Entry, depth: usize, member: &Member) {
        let source: Source = match member.bytes(&archive.source) {
            _ if member.is_encrypted => {
                return self.member_fault(archive, &member.name, "the member is encrypted");
            }
            Ok(part) => Rc::new(part),
            Err(error) => return self.member_fault(archive, &member.name, &error.to_string()),
        };
        let path = format!("{}!/{}", archive.path, member.name);
        if let Some((of_directory, of_header)) = member.contradiction(&archive.source) {
            let a = message("the directory says {n} packed bytes").with("n", number::thousands(of_directory));
            let b = message("the header of the member says {n}").with("n", number::thousands(of_header));
            self.contradiction(
                Place::entry(path.clone()),
                (a, b),
                phrase("The size in the directory counts."),
            );
        }
        match member.method {
            0 => {
                self.check(Entry { path, source }, depth, Checksum::new(member.checksum)).await;
            }
            8 => {
                let reader = Box::new(flate2::bufread::DeflateDecoder::new(Pieces(Reader::new(&source))));
                let stream = Stream::new(&path, path.clone(), depth, reader, &source);
                let declared = Some((member.size, Checksum::new(member.checksum)));
                self.pump(Stream { declared, ..stream }).await;
            }
            other => {
                let what = message("compression {n} is not supported").with("n", other);
                self.archive_fault(archive, &member.name, Kind::Problem(what));
            }
        }
    }

    /// Lists the members, which stay where they are.
    async fn tar(&mut self, entry: &Entry, depth: usize) {
        self.pause(Some((&entry.path, 0))).await;
        let mut archive = tar::Archive::new(Reader::new(&entry.source));
        let members = match archive.entries_with_seek() {
            Ok(members) => members,
            Err(error) => return self.member_fault(entry, "tar", &error.to_string()),
        };
        for (n, member) in (1..).zip(members) {
            let file = match member {
                Ok(file) => file,
                Err(error) => return self.member_fault(entry, "a member", &error.to_string()),
            };
            if file.header().entry_type().is_file() {
                let name = String::from_utf8_lossy(&file.path_bytes()).into_owned();
                let start = file.raw_file_position();
                let part = Part::new(entry.source.clone(), start..start.saturating_add(file.size()));
                let path = format!("{}!/{}", entry.path, name.trim_start_matches("./"));
                let entry = Entry { path, source: Rc::new(part) };
                self.queue.push_back(Waiting { entry, depth: depth + 1, member: None });
            }
            drop(file);
            if n % MEMBERS == 0 {
                if limits::ENTRIES < self.queue.len() {
                    return;
                }
                self.pause(Some((&entry.path, 0))).await;
            }
        }
    }

    fn damaged(&mut self, entry: Entry, what: &str, message: &str) {
        self.member_fault(&entry, what, message);
        self.done.push(entry);
    }

    fn member_fault(&mut self, entry: &Entry, what: &str, message: &str) {
        self.archive_fault(entry, what, Kind::Problem(message.to_owned().into()));
    }

    /// Two places of an archive say different things; which of them counts.
    fn contradiction(&mut self, place: Place, (a, b): (Message, Message), note: &'static str) {
        let fault = Fault::new("INP-ARCHIVE", Severity::Warning, place, Kind::Contradiction { a, b });
        self.faults.push(fault.note(note));
    }

    fn archive_fault(&mut self, entry: &Entry, what: &str, kind: Kind) {
        let place = Place::entry(entry.path.clone()).block(what.to_owned());
        let fault = Fault::new("INP-ARCHIVE", Severity::Loss, place, kind);
        self.faults.push(fault.note("Not unpacked."));
    }
}

/// What is in a packed entry is called as that is without its ending.
fn inner(entry: &Entry, endings: &[&str]) -> String {
    let name = entry.name();
    let bare = endings.iter().find_map(|e| name.strip_suffix(e)?.strip_suffix('.')).map(str::to_owned);
    let tarball = || name.strip_suffix(".tgz").or(name.strip_suffix(".txz")).map(|n| format!("{n}.tar"));
    let inner = bare.or_else(tarball).unwrap_or_else(|| format!("{name}.unpacked"));
    format!("{}!/{inner}", entry.path)
}

/// The path of the n-th member of one path: `a/t (2).json`.
fn numbered(path: &str, n: usize) -> String {
    match path.rsplit_once('.') {
        Some((stem, ending)) if !ending.contains('/') => format!("{stem} ({n}).{ending}"),
        _ => format!("{path} ({n})"),
    }
}

/// Reads until the buffer is full or the end of the stream: bytes read, and why there are no more behind damage.
fn read_full(reader: &mut dyn Read, buffer: &mut [u8]) -> (usize, Option<std::io::Error>) {
    let mut done = 0;
    while let Some(rest) = buffer.get_mut(done..).filter(|r| !r.is_empty()) {
        match reader.read(rest) {
            Ok(0) => break,
            Ok(n) => done += n,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return (done, Some(error)),
        }
    }
    (done, None)
}
