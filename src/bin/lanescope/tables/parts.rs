//! What a data set holds already, and what became of it.

use lanescope::base::map::{Map, Set};
use lanescope::export::tables::schema::TABLES;
use lanescope::export::tables::{NAME, UNFINISHED, WRITTEN};
use lanescope::input::disk::entry;
use lanescope::systems::dataset::words_of;
use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is there of a trace in one format, or of what could not be opened.
pub(super) struct Part {
    /// What its name ends with.
    pub(super) ending: String,
    /// The file or folder as it was named; empty where that is not known.
    pub(super) name: String,
    /// The tables that were written, also those without rows.
    pub(super) tables: Set<String>,
    /// Whether nothing but faults is there.
    pub(super) is_broken: bool,
    /// Its folder: `run=…`.
    run: String,
}

/// What a run has looked at.
#[derive(Default)]
pub(super) struct Seen {
    /// Traces with their runs.
    claimed: Set<String>,
    /// Names with their runs, each with the trace that is there of it now; and those of which nothing could be opened.
    names: Map<String, String>,
    broken: Map<String, String>,
}

impl Seen {
    /// Whether nobody was at this trace yet.
    pub(super) fn claim(&mut self, key: &str) -> bool {
        self.claimed.insert(key.to_owned())
    }

    pub(super) fn is_claimed(&self, key: &str) -> bool {
        self.claimed.contains(key)
    }

    pub(super) fn name(&mut self, name: Option<String>, key: String) {
        self.names.extend(name.map(|name| (name, key)));
    }

    pub(super) fn name_broken(&mut self, name: Option<String>, key: String) {
        self.broken.extend(name.map(|name| (name, key)));
    }

    /// Whether something else is there now of the name of a part. What cannot be opened takes the place only of what could
    /// not be opened before.
    pub(super) fn has_other(&self, part: &Part) -> bool {
        let name = format!("{}/{}", part.run, part.name);
        let is_there = self.names.contains_key(&name) || part.is_broken && self.broken.contains_key(&name);
        !part.name.is_empty() && is_there
    }
}

fn rows(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|row| row.path()).collect()
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The files of a table.
fn files(out: &Path, table: &str) -> impl Iterator<Item = PathBuf> + use<> {
    let systems = rows(&out.join(table)).into_iter();
    systems.flat_map(|system| rows(&system)).flat_map(|run| rows(&run))
}

/// What a data set holds, by run and trace: `traces` is written last of all tables, and of what could not be opened there are
/// faults only.
pub(super) fn there(out: &Path) -> Map<String, Vec<Part>> {
    let mut found: Map<String, Vec<Part>> = Map::default();
    let unknown = rows(&out.join("faults").join("system=unknown")).into_iter().flat_map(|run| rows(&run));
    let all = files(out, "traces").map(|file| (file, false)).chain(unknown.map(|file| (file, true)));
    for (path, is_broken) in all {
        let file = name_of(&path);
        let Some((trace, ending)) = file.strip_prefix("part-").and_then(|name| name.split_once('.')) else {
            continue;
        };
        let run = path.parent().map_or(String::new(), name_of);
        let words = entry(&path, file.clone()).map_or_else(|_| Vec::new(), |entry| words_of(&entry));
        let said = |wanted: &str| {
            let word = words.iter().find(|(name, _)| name == wanted);
            word.map_or(String::new(), |(_, text)| text.clone())
        };
        let tables = said(WRITTEN).split(',').map(str::to_owned).collect();
        let part = Part { ending: ending.to_owned(), name: said(NAME), tables, is_broken, run: run.clone() };
        found.entry(format!("{run}/{trace}")).or_default().push(part);
    }
    found
}

/// Removes all tables of a trace in its run, `traces` first: what is not whole does not count as there.
pub(super) fn remove(out: &Path, key: &str) -> bool {
    let Some((run, trace)) = key.rsplit_once('/') else { return false };
    let mut is_any = false;
    for table in TABLES.iter().rev() {
        for file in files(out, table.name) {
            let is_of = file.parent().is_some_and(|folder| name_of(folder) == run)
                && name_of(&file)
                    .strip_prefix("part-")
                    .and_then(|name| name.split_once('.'))
                    .is_some_and(|(of, _)| of == trace);
            is_any |= is_of && fs::remove_file(&file).is_ok();
        }
    }
    is_any
}

/// What is held while a run writes; engines pass over a name that begins with a dot.
const LOCK: &str = "._lanescope.lock";

/// What stands in it, for who looks.
const SAID: &str = "lanescope tables holds this file while it writes.\n";

/// Takes a data set for this run until the file is dropped: alone, or together with others that share it. Where nobody else
/// is at it, what interrupted runs left behind is removed. `None` where the file system has no locks.
///
/// # Errors
/// A sentence without its full stop: somebody else writes into it, or nobody can.
pub(super) fn take(out: &Path, is_shared: bool) -> Result<Option<File>, String> {
    let path = out.join(LOCK);
    // Whoever opens it writes the same bytes.
    let file = File::options().read(true).write(true).create(true).truncate(false).open(&path);
    let mut file = file.map_err(|why| format!("{}: {why}", path.display()))?;
    file.write_all(SAID.as_bytes()).map_err(|why| format!("{}: {why}", path.display()))?;
    let is_alone = match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock) => false,
        Err(TryLockError::Error(_)) => return Ok(None),
    };
    if is_alone {
        let left = TABLES.iter().flat_map(|table| files(out, table.name));
        for file in left.filter(|file| name_of(file).starts_with('.') && name_of(file).ends_with(UNFINISHED))
        {
            let _ = fs::remove_file(file); // nobody reads it
        }
    }
    let busy = || format!("another run writes into {}: wait until it has ended", out.display());
    if !is_shared {
        return if is_alone { Ok(Some(file)) } else { Err(busy()) };
    }
    if is_alone {
        let _ = file.unlock(); // locking again says what is wrong
    }
    for _ in 0..TRIES {
        match file.try_lock_shared() {
            Ok(()) => return Ok(Some(file)),
            // One that shares it is alone for a moment, when it begins.
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(100)),
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
    Err(busy())
}

/// How often a run that shares a data set tries to take it.
const TRIES: usize = 20;
