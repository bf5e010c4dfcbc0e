//! Files on disk as a bundle: for the command line and the tests.
//!
//! Only one file is open at a time, so that a folder may hold more files than a system lets a program open.

#[cfg(feature = "columns")]
use super::unpack::Store;
use super::{ByteSource, Entry, Memory, ReadError, Source, limits, read_range};
use std::cell::RefCell;
use std::fs::{self, File};
#[cfg(feature = "columns")]
use std::io::Write;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The file that was read last.
type Slot = Rc<RefCell<Option<(u32, File)>>>;

/// A file on disk.
struct Disk {
    path: PathBuf,
    len: u64,
    number: u32,
    slot: Slot,
}

impl ByteSource for Disk {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize, ReadError> {
        let said = |e: std::io::Error| ReadError(e.to_string());
        let mut slot = self.slot.borrow_mut();
        let file = match slot.take() {
            Some((number, file)) if number == self.number => file,
            _ => File::open(&self.path).map_err(said)?,
        };
        let (_, file) = slot.insert((self.number, file));
        read_at(file, offset, buf)
    }
}

/// A file as an entry of this name.
///
/// # Errors
/// What the system says.
pub fn entry(path: &Path, name: String) -> std::io::Result<Entry> {
    let len = File::open(path)?.metadata()?.len();
    let source: Source = Rc::new(Disk { path: path.to_owned(), len, number: 0, slot: Slot::default() });
    Ok(Entry { path: name, source })
}

/// Keeps unpacked bytes in memory as long as they are few, else in a file that nobody sees and that goes with it.
#[cfg(feature = "columns")]
#[derive(Default)]
pub struct SpillStore {
    memory: Vec<u8>,
    file: Option<File>,
    len: u64,
}

/// Bytes of an entry that are kept in memory.
#[cfg(feature = "columns")]
const IN_MEMORY: usize = 32 << 20;

#[cfg(feature = "columns")]
impl Store for SpillStore {
    fn append(&mut self, bytes: &[u8]) -> Result<(), ReadError> {
        let said = |e: std::io::Error| ReadError(e.to_string());
        self.len += bytes.len() as u64;
        if self.file.is_none() && self.memory.len() + bytes.len() <= IN_MEMORY {
            self.memory.extend_from_slice(bytes);
            return Ok(());
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                let file = none.insert(tempfile::tempfile().map_err(said)?);
                file.write_all(&std::mem::take(&mut self.memory)).map_err(said)?;
                file
            }
        };
        file.write_all(bytes).map_err(said)
    }

    fn seal(&mut self) -> Result<Source, ReadError> {
        let len = std::mem::take(&mut self.len);
        Ok(match self.file.take() {
            Some(file) => Rc::new(Spilled { file: RefCell::new(file), len }),
            None => Rc::new(Memory(std::mem::take(&mut self.memory))),
        })
    }
}

/// A file without a name.
#[cfg(feature = "columns")]
struct Spilled {
    file: RefCell<File>,
    len: u64,
}

#[cfg(feature = "columns")]
impl ByteSource for Spilled {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize, ReadError> {
        read_at(&mut self.file.borrow_mut(), offset, buf)
    }
}

fn read_at(file: &mut File, offset: u64, buf: &mut [u8]) -> Result<usize, ReadError> {
    let said = |e: std::io::Error| ReadError(e.to_string());
    file.seek(SeekFrom::Start(offset)).map_err(said)?;
    loop {
        match file.read(buf) {
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            done => return done.map_err(said),
        }
    }
}

/// What was found on disk.
#[derive(Default)]
pub struct Gathered {
    pub entries: Vec<Entry>,
    /// What could not be read: a path, and why in the system's words.
    pub troubles: Vec<(String, String)>,
    slot: Slot,
}

/// All files of these paths: files, folders with everything in them, and `-` for standard input.
///
/// Entries are named as the page names what is dropped: by the last part of each path, and what is below a folder
/// with the folder's name before it. Links to folders are not followed inside of folders: they may lead in circles.
pub fn gather(paths: &[PathBuf]) -> Gathered {
    gather_known(paths, &|_| true)
}

/// The same, where a stream is read on only if `is_known` of what it begins with: one without an end would fill the memory.
pub fn gather_known(paths: &[PathBuf], is_known: &dyn Fn(Entry) -> bool) -> Gathered {
    let mut found = Gathered::default();
    for path in paths {
        if path.as_os_str() == "-" {
            found.stream("standard input", std::io::stdin().lock(), is_known);
            continue;
        }
        let name = name_of(path, paths);
        match fs::metadata(path) {
            Ok(meta) if meta.is_dir() => found.folder(path, &name),
            Ok(meta) if meta.is_file() => found.file(path, name, meta.len()),
            // A pipe has no length and cannot be read twice.
            Ok(_) => match File::open(path) {
                Ok(file) => found.stream(&name, file, is_known),
                Err(e) => found.trouble(path, &e),
            },
            Err(e) => found.trouble(path, &e),
        }
    }
    found
}

/// The last part of the path; the whole when another one ends the same.
fn name_of(path: &Path, all: &[PathBuf]) -> String {
    let last = |p: &Path| {
        let whole = fs::canonicalize(p).unwrap_or_else(|_| p.to_owned());
        whole.file_name().map(|n| n.to_string_lossy().into_owned())
    };
    match last(path) {
        Some(name) if all.iter().filter(|p| last(p).as_ref() == Some(&name)).count() == 1 => name,
        _ => path.to_string_lossy().replace('\\', "/").trim_start_matches('/').to_owned(),
    }
}

/// All bytes of a stream. It is read on behind its first [`limits::UNKNOWN`] bytes only if `is_known` of them.
///
/// # Errors
/// What the system says, or that no format is known of it: without a full stop.
pub fn read_known(
    mut stream: impl Read,
    name: &str,
    is_known: &dyn Fn(Entry) -> bool,
) -> Result<Vec<u8>, String> {
    let said = |e: std::io::Error| e.to_string();
    let mut bytes = Vec::new();
    let n = stream.by_ref().take(limits::UNKNOWN).read_to_end(&mut bytes).map_err(said)?;
    if (n as u64) < limits::UNKNOWN {
        return Ok(bytes);
    }
    let head: Source = Rc::new(Memory(bytes));
    if !is_known(Entry { path: name.to_owned(), source: Rc::clone(&head) }) {
        return Err(format!(
            "unknown file type: no format was found in its first {} MiB",
            limits::UNKNOWN >> 20
        ));
    }
    let mut bytes = read_range(&*head, 0..limits::UNKNOWN).map_err(|why| why.0)?;
    drop(head);
    stream.read_to_end(&mut bytes).map_err(said)?;
    Ok(bytes)
}

impl Gathered {
    fn trouble(&mut self, path: &Path, error: &std::io::Error) {
        self.troubles.push((path.display().to_string(), error.to_string()));
    }

    fn file(&mut self, path: &Path, name: String, len: u64) {
        if let Err(e) = File::open(path) {
            return self.trouble(path, &e);
        }
        let number = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        let source: Source = Rc::new(Disk { path: path.to_owned(), len, number, slot: self.slot.clone() });
        self.entries.push(Entry { path: name, source });
    }

    fn stream(&mut self, name: &str, stream: impl Read, is_known: &dyn Fn(Entry) -> bool) {
        match read_known(stream, name, is_known) {
            Ok(bytes) => {
                self.entries.push(Entry { path: name.to_owned(), source: Rc::new(Memory(bytes)) });
            }
            Err(why) => self.troubles.push((name.to_owned(), why)),
        }
    }

    fn folder(&mut self, top: &Path, name: &str) {
        let mut open = vec![(top.to_owned(), name.to_owned())];
        while let Some((folder, name)) = open.pop() {
            let rows = match fs::read_dir(&folder) {
                Ok(rows) => rows,
                Err(e) => {
                    self.trouble(&folder, &e);
                    continue;
                }
            };
            for row in rows.flatten() {
                if limits::ENTRIES <= self.entries.len() {
                    let why = format!("more than {} files", limits::ENTRIES);
                    self.troubles.push((top.display().to_string(), why));
                    return;
                }
                let path = row.path();
                let inner = format!("{name}/{}", row.file_name().to_string_lossy());
                let Ok(kind) = row.file_type() else { continue };
                if kind.is_dir() {
                    open.push((path, inner));
                    continue;
                }
                match fs::metadata(&path) {
                    Ok(meta) if meta.is_file() => self.file(&path, inner, meta.len()),
                    Ok(_) => {} // sockets, pipes, devices, and links to folders
                    Err(e) => self.trouble(&path, &e),
                }
            }
        }
    }
}
