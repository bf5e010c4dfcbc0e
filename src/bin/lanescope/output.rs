//! Where output goes: files, and standard output.

use lanescope::base::job;
use lanescope::document::Document;
use lanescope::input::disk::gather;
use lanescope::input::limits::CHUNK;
use lanescope::input::unpack::{self, MemoryStore};
use lanescope::wire::{Answer, Query};
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// What became of the run so far.
pub(super) struct Run {
    /// Whether everything that was asked for was done.
    pub(super) is_good: bool,
    /// Whether a comparison is worse than allowed.
    pub(super) is_worse: bool,
}

impl Run {
    /// Says what could not be done.
    pub(super) fn trouble(&mut self, text: &str) {
        self.is_good = false;
        Self::note(text);
    }

    /// Says what should be known of what was done.
    pub(super) fn note(text: &str) {
        // Nobody to tell when standard error is closed.
        let _ = writeln!(io::stderr().lock(), "lanescope: {text}");
    }

    /// Writes to standard output. A reader that has seen enough is no trouble.
    pub(super) fn print(&mut self, bytes: &[u8]) {
        self.append(Target::Output, bytes);
    }

    /// Writes to a file or standard output.
    pub(super) fn deliver(&mut self, name: &str, bytes: &[u8], out: Option<&Path>) {
        if let Some(target) = self.open(name, out) {
            self.append(target, bytes);
        }
    }

    /// Begins to write to a file, in a folder under its own name, or to standard output.
    fn open(&mut self, name: &str, out: Option<&Path>) -> Option<Target> {
        let Some(path) = out else { return Some(Target::Output) };
        let path = if path.is_dir() { path.join(name) } else { path.to_owned() };
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
                (out.write_all(bytes).and_then(|()| out.flush()), "standard output".to_owned())
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
    let folder =
        out.filter(|path| file.is_archive() && path.extension().is_none_or(|ending| ending != "zip"));
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
        && let Err(e) = unpack(&folder.join(file.name()), folder)
    {
        run.trouble(&format!("{}: {e}. The output is incomplete.", folder.display()));
    }
    Ok(file.answer())
}

/// Puts the files of an archive that was written into its folder, in the place of the archive.
fn unpack(archive: &Path, folder: &Path) -> io::Result<()> {
    let found = gather(&[archive.to_owned()]);
    let store = Box::new(MemoryStore::default());
    let (entries, _) = job::run(async |turn| {
        let seen = RefCell::default();
        unpack::unpack(found.entries, store, &seen, &turn).await
    });
    let mut buffer = vec![0; CHUNK];
    for entry in entries {
        let Some((_, name)) = entry.path.split_once("!/") else { continue };
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
