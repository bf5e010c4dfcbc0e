//! Archives become entries of the bundle: gzip, xz, zstd, zip, tar, Android's compressed atrace, also inside each other.
//!
//! Packed bytes are unpacked once into a [`Store`], so that byte ranges mean the same everywhere; members that stand
//! unpacked in their archive (tar, stored zip) stay where they are. Works as a job: the program may give way in between.

use super::packed::{self, Damage, Pieces};
use super::zip::{Member, Members};
use super::{Entry, Part, ReadError, Reader, Source, limits};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::job::{Job, Turn};
use crate::base::map::{Map, Set};
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
    let given: u64 = entries.iter().map(|entry| entry.source.len()).fold(0, u64::saturating_add);
    let allowed = limits::UNPACKED.saturating_add(given.saturating_mul(limits::UNPACKED_RATIO));
    let all = Total { allowed, ..Total::default() };
    let queue = entries.into_iter().map(|entry| Waiting::new(entry, 0)).collect();
    let mut unpacking = Unpacking { queue, store, done: Vec::new(), faults: Vec::new(), all, seen, turn };
    unpacking.all().await;
    unpacking.report_total();
    (unpacking.done, unpacking.faults)
}

struct Unpacking<'a> {
    queue: VecDeque<Waiting>,
    store: Box<dyn Store>,
    done: Vec<Entry>,
    faults: Vec<Fault>,
    all: Total,
    seen: &'a RefCell<Seen>,
    turn: &'a Turn,
}

/// What all packed entries came to together. Each may grow as far as [`limits::UNPACK_RATIO`] allows, but a thousand small
/// ones may not fill the memory.
#[derive(Default)]
struct Total {
    /// How many were unpacked, and their bytes.
    n: u64,
    bytes: u64,
    allowed: u64,
    /// The first that went beyond, the bytes that were come to then, and how many are not opened.
    beyond: Option<(String, u64)>,
    left_out: u64,
}

/// One entry that was not looked at yet.
struct Waiting {
    entry: Entry,
    /// In how many archives it lies.
    depth: usize,
    /// What the entry, an archive, has as a member that was not looked at yet.
    member: Option<Member>,
    /// Which one of its path the member is, from 1.
    nth: usize,
}

impl Waiting {
    /// An entry of its own in so many archives.
    fn new(entry: Entry, depth: usize) -> Self {
        Self { entry, depth, member: None, nth: 1 }
    }
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

/// Members of a tar that are neither files nor folders.
#[derive(Default)]
struct Others {
    n: u64,
    first: Option<String>,
    /// Whether some hold bytes.
    has_bytes: bool,
}

/// A tar whose next member cannot be found.
fn damaged_header(error: &std::io::Error) -> Kind {
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof => Kind::Problem(message("the archive is truncated")),
        _ => Kind::Problem(message("an archive header is damaged")),
    }
}

impl Unpacking<'_> {
    async fn all(&mut self) {
        while let Some(Waiting { entry, depth, member, nth }) = self.queue.pop_front() {
            if limits::ENTRIES <= self.done.len() {
                let (what, asked) = ("files at once", (self.done.len() + self.queue.len() + 1) as u64);
                let kind = Kind::Limit { what: what.into(), asked, allowed: limits::ENTRIES as u64 };
                let fault = Fault::new("INP-ENTRIES", Severity::Loss, Place::entry(entry.path), kind);
                self.faults.push(fault.note("The remaining files are not opened."));
                return;
            }
            match member {
                Some(member) => self.member(&entry, depth, (&member, nth)).await,
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
        if self.all.beyond.is_some() {
            self.all.left_out += 1;
            return;
        }
        let declared = stream.declared.as_ref().and_then(|(size, _)| usize::try_from(*size).ok());
        // One byte more than it should be, so that too many are noticed.
        let mut buffer = vec![0; limits::CHUNK.min(declared.unwrap_or(usize::MAX).saturating_add(1))];
        let mut written = 0;
        loop {
            self.pause(Some((&stream.path, written))).await;
            let (n, error) = read_full(&mut *stream.reader, &mut buffer);
            let bytes = buffer.get(..n).unwrap_or(&[]);
            written += n as u64;
            if self.is_beyond(&stream.path, written) {
                // What was unpacked of it is given up.
                let _ = self.store.seal();
                return;
            }
            if let Some((_, checksum)) = &mut stream.declared {
                checksum.found.update(bytes);
            }
            let allowed = (64 << 20) + stream.packed.saturating_mul(limits::UNPACK_RATIO);
            let allowed = allowed.min(self.all.allowed);
            let damage = if allowed < written {
                let what = "unpacked size".into();
                Some(Damage::too_large(Kind::Limit { what, asked: written, allowed }))
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
        (self.all.n, self.all.bytes) = (self.all.n + 1, self.all.bytes.saturating_add(written));
        match self.store.seal() {
            Ok(source) => {
                let entry = Entry { path: stream.inner, source };
                self.queue.push_front(Waiting::new(entry, stream.depth));
            }
            Err(error) => {
                let (kind, note) = (Kind::Io { message: error.0 }, NOT_OPENED);
                self.unpack_fault(Place::entry(stream.path), Damage { kind, note, is_end: true });
            }
        }
    }

    /// Whether all packed entries together are larger than they may be, with so many bytes of this one. Of the first alone
    /// what is below that is kept.
    fn is_beyond(&mut self, path: &str, written: u64) -> bool {
        let bytes = self.all.bytes.saturating_add(written);
        let is_beyond = 0 < self.all.n && self.all.allowed < bytes;
        if is_beyond {
            self.all.beyond = Some((path.to_owned(), bytes));
            self.all.left_out += 1;
        }
        is_beyond
    }

    /// Says that packed entries were not opened, once.
    fn report_total(&mut self) {
        let Total { beyond, allowed, left_out, .. } = std::mem::take(&mut self.all);
        let Some((path, asked)) = beyond else { return };
        let what = phrase("unpacked size of all files together").into();
        let fault =
            Fault::new("INP-SIZE", Severity::Loss, Place::entry(path), Kind::Limit { what, asked, allowed });
        let note = message("Packed files that are not opened: {n}.");
        self.faults.push(fault.note(note.with("n", number::thousands(left_out.cast_signed()))));
    }

    fn unpack_fault(&mut self, place: Place, damage: Damage) {
        let is_limit = matches!(damage.kind, Kind::Limit { .. });
        let code = if is_limit { "INP-SIZE" } else { "INP-UNPACK" };
        let fault = Fault::new(code, Severity::Loss, place, damage.kind);
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
        // How many there are of each path so far, and where the bytes of each stand.
        let mut paths = Map::<String, usize>::default();
        let (mut headers, mut n_shared) = (Set::<u64>::default(), 0);
        loop {
            self.pause(Some((&archive.path, 0))).await;
            for _ in 0..LISTED {
                let member = match members.next() {
                    Some(Ok(member)) => member,
                    Some(Err(error)) => {
                        self.member_fault(&archive, "the directory", &error.to_string());
                        continue;
                    }
                    None => return self.report_directory(&archive, members.miscounted(), n_shared),
                };
                if member.name.ends_with(['/', '\\']) {
                    continue;
                }
                if !headers.insert(member.header) {
                    n_shared += 1;
                    continue;
                }
                let nth = *paths.entry(member.name.clone()).and_modify(|n| *n += 1).or_insert(1);
                let (entry, depth) = (archive.clone(), depth + 1);
                self.queue.push_back(Waiting { entry, depth, member: Some(member), nth });
            }
            if limits::ENTRIES < self.queue.len() {
                return;
            }
        }
    }

    /// Says what is wrong with the directory of a zip as a whole: how many members it was said to have and has, and how
    /// many of them are the bytes of others once more.
    fn report_directory(&mut self, archive: &Entry, miscounted: Option<(u64, u64)>, n_shared: u64) {
        let place = Place::entry(archive.path.clone()).block("the directory".to_owned());
        if let Some((said, found)) = miscounted {
            let a = message("the end of the archive counts {n} members").with("n", said);
            let b = message("its directory has {n}").with("n", found);
            self.contradiction(place.clone(), (a, b), phrase("All that the directory has are read."));
        }
        if 0 < n_shared {
            let what = message("members that point to the bytes of another member: {n}");
            let kind = Kind::Problem(what.with("n", number::thousands(n_shared.cast_signed())));
            let fault = Fault::new("INP-ARCHIVE", Severity::Warning, place, kind);
            self.faults.push(fault.note(phrase("These bytes are read once.")));
        }
    }

    /// A member of a zip: as it stands there, or being written to the store.
    async fn member(&mut self, archive: &Entry, depth: usize, (member, nth): (&Member, usize)) {
        let source: Source = match member.bytes(&archive.source) {
            _ if member.is_encrypted => {
                return self.member_fault(archive, &member.name, "the member is encrypted");
            }
            Ok(part) => Rc::new(part),
            Err(error) => return self.member_fault(archive, &member.name, &error.to_string()),
        };
        let name = if nth == 1 { member.name.clone() } else { numbered(&member.name, nth) };
        let path = format!("{}!/{name}", archive.path);
        if let Some((of_directory, of_header)) = member.contradiction(&archive.source) {
            let a = message("the directory says {n} packed bytes").with("n", number::thousands(of_directory));
            let b = message("the header of the member says {n}").with("n", number::thousands(of_header));
            self.contradiction(
                Place::entry(path.clone()),
                (a, b),
                phrase("The size in the directory counts."),
            );
        }
        if let Some(of_header) = member.other_name(&archive.source) {
            let a = message("the directory says the name {name}").with("name", &member.name);
            let b = message("the header of the member says {name}").with("name", of_header);
            self.contradiction(
                Place::entry(path.clone()),
                (a, b),
                phrase("The name in the directory counts."),
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
            Err(error) => return self.archive_fault(entry, "tar", damaged_header(&error)),
        };
        let mut others = Others::default();
        for (n, member) in (1..).zip(members) {
            let file = match member {
                Ok(file) => file,
                Err(error) => return self.archive_fault(entry, "a member", damaged_header(&error)),
            };
            let kind = file.header().entry_type();
            let name = String::from_utf8_lossy(&file.path_bytes()).into_owned();
            if kind.is_file() {
                let start = file.raw_file_position();
                let part = Part::new(entry.source.clone(), start..start.saturating_add(file.size()));
                let path = format!("{}!/{}", entry.path, name.trim_start_matches("./"));
                let entry = Entry { path, source: Rc::new(part) };
                self.queue.push_back(Waiting::new(entry, depth + 1));
            } else if !kind.is_dir() && !kind.is_pax_global_extensions() {
                others.n += 1;
                others.first.get_or_insert(name);
                others.has_bytes |= kind.is_gnu_sparse();
            }
            drop(file);
            if n % MEMBERS == 0 {
                if limits::ENTRIES < self.queue.len() {
                    return;
                }
                self.pause(Some((&entry.path, 0))).await;
            }
        }
        self.report_others(entry, others);
    }

    /// Says once that a tar has members that are no files.
    fn report_others(&mut self, entry: &Entry, Others { n, first, has_bytes }: Others) {
        let Some(first) = first else { return };
        let what =
            message("links, devices or sparse files in the archive: {n}").with("n", number::thousands(n));
        let place = Place::entry(entry.path.clone()).block(first);
        let severity = if has_bytes { Severity::Loss } else { Severity::Note };
        self.faults
            .push(Fault::new("INP-ARCHIVE", severity, place, Kind::Problem(what)).note("Not unpacked."));
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
