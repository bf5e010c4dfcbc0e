//! Where output goes: files, and standard output.

use super::native::is_pipe;
use lanescope::base::job;
use lanescope::base::visible::{for_terminal, one_line, visible};
use lanescope::document::Document;
use lanescope::input::disk::gather;
use lanescope::input::limits::CHUNK;
use lanescope::input::unpack::{self, MemoryStore};
use lanescope::wire::{Answer, Query};
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

/// What became of the run so far.
pub(super) struct Run {
    /// Whether everything that was asked for was done.
    pub(super) is_good: bool,
    /// Whether a comparison is worse than allowed.
    pub(super) is_worse: bool,
    /// Whether what was asked for is never done.
    pub(super) is_refused: bool,
    /// Files that are read: nothing is written over them.
    pub(super) inputs: Vec<PathBuf>,
}

impl Run {
    /// Says what could not be done, on one line.
    pub(super) fn trouble(&mut self, text: &str) {
        self.is_good = false;
        Self::note(text);
    }

    /// The same on several lines, in each of which names are on one line already.
    pub(super) fn trouble_in_lines(&mut self, text: &str) {
        self.is_good = false;
        Self::tell(text);
    }

    /// Says what should be known of what was done, on one line.
    pub(super) fn note(text: &str) {
        Self::tell(&one_line(text));
    }

    fn tell(text: &str) {
        // Nobody to tell when standard error is closed.
        let _ = writeln!(io::stderr().lock(), "lanescope: {}", visible(text));
    }

    /// Writes text for people to standard output. A reader that has seen enough is no trouble.
    pub(super) fn print(&mut self, text: &str) {
        self.append(Target::Output, visible(text).as_bytes());
    }

    /// Whether a path is one of the files that are read, whatever it is called.
    fn is_input(&self, path: &Path) -> bool {
        let Ok(known) = same_file::of(path) else { return false };
        self.inputs.iter().any(|input| same_file::of(input).is_ok_and(|input| input == known))
    }

    /// Says that a file is not written over, if it is one that is read.
    fn refuses(&mut self, path: &Path) -> bool {
        let is_input = self.is_input(path);
        if is_input {
            self.is_refused = true;
            Self::note(&format!(
                "{} is one of the files that are read: name another for the output.",
                path.display()
            ));
        }
        is_input
    }

    /// Writes to a file or standard output.
    pub(super) fn deliver(&mut self, name: &str, bytes: &[u8], out: Option<&Path>) {
        if let Some(target) = self.open(name, out) {
            self.append(target, bytes);
        }
    }

    /// Begins to write to a file, in a folder under its own name, or to standard output.
    fn open(&mut self, name: &str, out: Option<&Path>) -> Option<Target> {
        let Some(path) = out.filter(|path| !is_pipe(path)) else { return Some(Target::Output) };
        let path = if path.is_dir() { path.join(name) } else { path.to_owned() };
        if self.refuses(&path) {
            return None;
        }
        match File::create(&path) {
            Ok(file) => Some(Target::File(file, path)),
            Err(e) => {
                self.trouble(&format!("{}: {e}. Nothing was saved.", path.display()));
                None
            }
        }
    }

    /// Writes more; `None` when that failed, or nobody reads any more.
    fn append(&mut self, mut target: Target, bytes: &[u8]) -> Option<Target> {
        let (written, name) = match &mut target {
            Target::File(file, path) => (file.write_all(bytes), path.display().to_string()),
            Target::Output => {
                let mut out = io::stdout().lock();
                // Names of files must not steer a terminal; a pipe or a file gets what is written as it is.
                let written = if out.is_terminal() {
                    out.write_all(for_terminal(bytes).as_bytes())
                } else {
                    out.write_all(bytes)
                };
                (written.and_then(|()| out.flush()), "standard output".to_owned())
            }
        };
        match written {
            Ok(()) => return Some(target),
            Err(e) if e.kind() == ErrorKind::BrokenPipe => {}
            Err(e) => self.trouble(&format!("{name}: {e}. The output is incomplete.")),
        }
        None
    }
}

/// Most bytes of a text that is read whole: notes, requests, lists.
const TEXT: u64 = 64 << 20;

/// A text that is read whole, up to a limit: some files have no end.
pub(super) fn read_text(from: impl Read) -> io::Result<String> {
    let mut text = String::new();
    let n = from.take(TEXT + 1).read_to_string(&mut text)?;
    if TEXT < n as u64 {
        return Err(io::Error::other("longer than the limit of 64 MiB"));
    }
    Ok(text)
}

/// The same of a file.
pub(super) fn read_text_of(path: &Path) -> io::Result<String> {
    read_text(File::open(path)?)
}

/// What tells a regular file from others: links lead to the same one.
mod same_file {
    use std::io::{Error, Result};
    use std::path::Path;

    #[cfg(unix)]
    pub(super) fn of(path: &Path) -> Result<(u64, u64)> {
        use std::os::unix::fs::MetadataExt;
        let meta = std::fs::metadata(path)?;
        if meta.is_file() { Ok((meta.dev(), meta.ino())) } else { Err(Error::other("no file")) }
    }

    #[cfg(not(unix))]
    pub(super) fn of(path: &Path) -> Result<std::path::PathBuf> {
        let whole = std::fs::canonicalize(path)?;
        if whole.is_file() { Ok(whole) } else { Err(Error::other("no file")) }
    }
}

/// Where something is written to.
enum Target {
    Output,
    File(File, PathBuf),
}

/// Writes a file part by part. What cannot be written is said, and then nothing more is; the error is why the document
/// cannot make it.
pub(super) fn save(
    run: &mut Run,
    doc: &mut Document,
    query: &Query,
    out: Option<&Path>,
) -> Result<Answer, Answer> {
    let mut file = doc.begin_file(query)?;
    let folder = out.filter(|path| {
        file.is_archive() && !is_pipe(path) && path.extension().is_none_or(|ending| ending != "zip")
    });
    if let Some(folder) = folder
        && let Err(e) = std::fs::create_dir_all(folder)
    {
        run.trouble(&format!("{}: {e}. Nothing was saved.", folder.display()));
        return Ok(file.answer());
    }
    let (mut part, mut target) = (Vec::new(), None);
    loop {
        let more = doc.write_file(&mut file, &mut part).map_err(Answer::Failed)?;
        if !part.is_empty() || !more {
            let Some(open) = target.take().or_else(|| run.open(&file.name(), out)) else { break };
            target = run.append(open, &part);
            if target.is_none() || !more {
                break;
            }
            part.clear();
        }
    }
    if let Some(folder) = folder
        && run.is_good
        && !run.is_refused
        && let Err(e) = unpack(run, &folder.join(file.name()), folder)
    {
        run.trouble(&format!("{}: {e}. The output is incomplete.", folder.display()));
    }
    Ok(file.answer())
}

/// Puts the files of an archive that was written into its folder, in the place of the archive.
fn unpack(run: &mut Run, archive: &Path, folder: &Path) -> io::Result<()> {
    let found = gather(&[archive.to_owned()]);
    let store = Box::new(MemoryStore::default());
    let (entries, _) = job::run(async |turn| {
        let seen = RefCell::default();
        unpack::unpack(found.entries, store, &seen, &turn).await
    });
    let mut buffer = vec![0; CHUNK];
    for entry in entries {
        let Some((_, name)) = entry.path.split_once("!/") else { continue };
        if run.refuses(&folder.join(name)) {
            continue;
        }
        let (mut file, mut at) = (File::create(folder.join(name))?, 0);
        loop {
            let n = entry.source.read_at(at, &mut buffer).map_err(|why| io::Error::other(why.0))?;
            if n == 0 {
                break;
            }
            file.write_all(&buffer[..n])?;
            at += n as u64;
        }
    }
    std::fs::remove_file(archive)
}
