//! Which traces there are below paths.

use lanescope::base::map::Map;
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

/// All traces below these paths.
pub(super) fn find(paths: &[PathBuf], name: Option<&str>) -> Found {
    let mut found = Found::default();
    for path in paths {
        if path == Path::new("-") {
            found.pipe(name.unwrap_or("standard input"));
        } else if path.is_dir() {
            found.folder(path);
        } else {
            found.file(path);
        }
    }
    found
}

impl Found {
    fn pipe(&mut self, name: &str) {
        let mut bytes = Vec::new();
        match std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut bytes) {
            Ok(n) => self.jobs.push(Job {
                name: name.to_owned(),
                files: vec![(PathBuf::new(), name.to_owned())],
                bytes_of_pipe: Some(bytes),
                bytes: n as u64,
                folder: String::new(),
                is_packed: true,
            }),
            Err(why) => self.troubles.push((name.to_owned(), why.to_string())),
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
                    bytes: meta.len(),
                    folder: folder.map_or(String::new(), |name| name.to_string_lossy().into_owned()),
                    is_packed: true,
                });
            }
            Err(why) => self.troubles.push((path.display().to_string(), why.to_string())),
        }
    }

    fn folder(&mut self, path: &Path) {
        let Gathered { entries, troubles, .. } = disk::gather(std::slice::from_ref(&path.to_owned()));
        self.troubles.extend(troubles);
        let Some(top) =
            entries.first().map(|entry| entry.path.split('/').next().unwrap_or_default().to_owned())
        else {
            return;
        };
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
