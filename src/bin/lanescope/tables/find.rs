//! Which traces there are below paths.

use lanescope::base::map::Map;
use lanescope::engine::is_known;
use lanescope::engine::tables::units;
use lanescope::input::disk::{self, Gathered};
use std::path::{Path, PathBuf};

/// One trace, or one archive of traces, by its files.
pub(super) struct Job {
    /// What a person calls it: the path of a file or a folder.
    pub(super) name: String,
    /// The files, each with its name among the others; empty for what standard input brought.
    pub(super) files: Vec<(PathBuf, String)>,
    /// What standard input brought.
    pub(super) bytes_of_pipe: Option<Vec<u8>>,
    /// Whether somebody named what standard input brought.
    pub(super) is_named: bool,
    pub(super) bytes: u64,
    /// The folder that holds it.
    pub(super) folder: String,
    /// Whether it may have to be unpacked.
    pub(super) is_packed: bool,
}

/// What was found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) jobs: Vec<Job>,
    pub(super) passed_over: Vec<String>,
    pub(super) troubles: Vec<(String, String)>,
}

/// All traces below these paths, but for what the data set in `out` holds itself.
pub(super) fn find(paths: &[PathBuf], name: Option<&str>, out: &Path) -> Found {
    let mut found = Found::default();
    for path in paths {
        let kind = std::fs::metadata(path);
        if path == Path::new("-") {
            found.pipe(name, std::io::stdin().lock());
        } else if path.is_dir() {
            found.folder(path, out);
        } else if kind.is_ok_and(|kind| !kind.is_file()) {
            // A pipe or a device has no length and cannot be read twice.
            match std::fs::File::open(path) {
                Ok(file) => found.pipe(Some(&path.display().to_string()), file),
                Err(why) => found.troubles.push((path.display().to_string(), why.to_string())),
            }
        } else {
            found.file(path);
        }
    }
    found
}

impl Found {
    fn pipe(&mut self, given: Option<&str>, from: impl std::io::Read) {
        let name = given.unwrap_or("standard input");
        match disk::read_known(from, name, &is_known) {
            Ok(bytes) => self.jobs.push(Job {
                name: name.to_owned(),
                files: vec![(PathBuf::new(), name.to_owned())],
                bytes: bytes.len() as u64,
                bytes_of_pipe: Some(bytes),
                is_named: given.is_some(),
                folder: String::new(),
                is_packed: true,
            }),
            Err(why) => self.troubles.push((name.to_owned(), why)),
        }
    }

    /// A file stands alone, whatever lies beside it.
    fn file(&mut self, path: &Path) {
        match std::fs::metadata(path).and_then(|meta| std::fs::File::open(path).map(|_| meta)) {
            Ok(meta) => {
                let name = path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
                let whole = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
                let folder = whole.parent().and_then(Path::file_name);
                self.jobs.push(Job {
                    name: path.display().to_string(),
                    files: vec![(path.to_owned(), name)],
                    bytes_of_pipe: None,
                    is_named: true,
                    bytes: meta.len(),
                    folder: folder.map_or(String::new(), |name| name.to_string_lossy().into_owned()),
                    is_packed: true,
                });
            }
            Err(why) => self.troubles.push((path.display().to_string(), why.to_string())),
        }
    }

    fn folder(&mut self, path: &Path, out: &Path) {
        let Gathered { mut entries, troubles, .. } = disk::gather(std::slice::from_ref(&path.to_owned()));
        self.troubles.extend(troubles);
        let Some(top) =
            entries.first().map(|entry| entry.path.split('/').next().unwrap_or_default().to_owned())
        else {
            return;
        };
        // Tables are no profiles of the data set that they are of.
        let [whole, data] =
            [path, out].map(|path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()));
        if let Ok(data) = data.strip_prefix(&whole) {
            let data = Path::new(&top).join(data);
            entries.retain(|entry| !Path::new(&entry.path).starts_with(&data));
        }
        // The path of each entry on the disk.
        let on_disk = |name: &str| path.join(name.strip_prefix(&top).unwrap_or(name).trim_start_matches('/'));
        let sizes: Map<String, u64> =
            entries.iter().map(|entry| (entry.path.clone(), entry.source.len())).collect();
        let found = units(entries);
        let job = |name: &str, entries: &[lanescope::input::Entry], is_packed| Job {
            name: on_disk(name).display().to_string(),
            bytes: entries.iter().filter_map(|entry| sizes.get(&entry.path)).sum(),
            files: entries.iter().map(|entry| (on_disk(&entry.path), entry.path.clone())).collect(),
            bytes_of_pipe: None,
            is_named: true,
            folder: run_of(&entries.first().map_or(String::new(), |entry| entry.path.clone())),
            is_packed,
        };
        for unit in &found.units {
            self.jobs.push(job(&unit.name, &unit.entries, unit.is_packed));
        }
        for (entry, is_meant) in &found.left {
            if *is_meant {
                self.jobs.push(job(&entry.path, std::slice::from_ref(entry), false));
            } else {
                self.passed_over.push(on_disk(&entry.path).display().to_string());
            }
        }
    }
}

/// The run that a path below a folder belongs to: the first folder in it, else the folder itself.
fn run_of(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').collect();
    let at = usize::from(2 < parts.len());
    parts.get(at).filter(|_| 1 < parts.len()).map_or(String::new(), |part| (*part).to_owned())
}
