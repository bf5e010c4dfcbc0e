//! Converting one trace after the other.

use super::find::Job;
use super::watch::Watch;
use lanescope::base::job;
use lanescope::base::map::Set;
use lanescope::document::Document;
use lanescope::engine::tables::{Unit, units};
use lanescope::export::tables::schema::TableSchema;
use lanescope::export::tables::{FileFormat, Keys, Opened, Place, hive, write_faults};
use lanescope::input::disk::{SpillStore, entry};
use lanescope::input::limits::CHUNK;
use lanescope::input::unpack::unpack;
use lanescope::input::{Entry, Memory};
use lanescope::model::parameter::Values;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Mutex;

/// What holds for all traces.
pub(super) struct Settings {
    pub(super) out: PathBuf,
    pub(super) format: FileFormat,
    /// Empty for all.
    pub(super) tables: Set<String>,
    pub(super) run: Option<String>,
    /// Whether there are more processors than traces: then rows are encoded beside.
    pub(super) has_threads: bool,
    /// Traces that are there or in progress, each with its run: what is the same in two runs is a trace of both.
    pub(super) there: Mutex<Set<String>>,
}

/// What became of traces.
#[derive(Default)]
pub(super) struct Done {
    pub(super) converted: usize,
    pub(super) skipped: usize,
    pub(super) failed: usize,
    pub(super) rows: u64,
}

impl Done {
    pub(super) fn add(&mut self, other: &Self) {
        self.converted += other.converted;
        self.skipped += other.skipped;
        self.failed += other.failed;
        self.rows += other.rows;
    }
}

/// The traces that a data set holds: `traces` is written last of all tables.
pub(super) fn there(out: &Path) -> Set<String> {
    let mut found = Set::default();
    let folders = |path: &Path| std::fs::read_dir(path).into_iter().flatten().flatten().map(|row| row.path());
    for file in folders(&out.join("traces"))
        .flat_map(|system| folders(&system).collect::<Vec<_>>())
        .flat_map(|run| folders(&run).collect::<Vec<_>>())
    {
        let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let run = file.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
        found.extend(name(&file).strip_prefix("part-").map(|trace| format!("{run}/{trace}")));
    }
    found
}

/// Converts what a job names.
pub(super) fn convert(job: &Job, settings: &Settings, watch: &Watch) -> Done {
    let mut done = Done::default();
    let entries = match &job.bytes_of_pipe {
        Some(bytes) => vec![Entry { path: job.files[0].1.clone(), source: Rc::new(Memory(bytes.clone())) }],
        None => job.files.iter().filter_map(|(path, name)| entry(path, name.clone()).ok()).collect(),
    };
    let converting = Converting { job, settings, watch };
    let trace = hash(&entries);
    if !converting.claim(&trace) {
        done.skipped += 1;
        return done;
    }
    if !job.is_packed {
        converting.open(&job.name, entries, trace, &mut done);
        return done;
    }
    let name = entries.first().map_or(String::new(), |entry| entry.path.clone());
    let store = Box::new(SpillStore::default());
    let (unpacked, faults) = job::run(async |turn| unpack(entries, store, &RefCell::default(), &turn).await);
    let found = if unpacked.len() == 1 { None } else { Some(units(unpacked.clone())) };
    let faults_of = |entry: &str| faults.iter().filter(|fault| fault.place.entry.starts_with(entry)).count();
    match found {
        None => converting.open(&job.name, unpacked, trace, &mut done),
        // An archive of files that are one trace is that trace.
        Some(found) if found.units.len() == 1 && !found.units[0].is_packed => {
            converting.open(&job.name, unpacked, trace, &mut done);
        }
        Some(found) if found.units.is_empty() => {
            converting.open(&job.name, unpacked, trace, &mut done);
        }
        Some(found) => {
            for Unit { name: inner, entries, .. } in found.units {
                let own = hash(&entries);
                if converting.claim(&own) {
                    converting.open(&within(&job.name, &inner), entries, own, &mut done);
                } else {
                    done.skipped += 1;
                }
            }
            for (entry, _) in found.left.into_iter().filter(|(_, is_meant)| *is_meant) {
                let own = hash(std::slice::from_ref(&entry));
                if converting.claim(&own) {
                    converting.open(&within(&job.name, &entry.path), vec![entry], own, &mut done);
                }
            }
            if 0 < faults_of(&name) {
                converting.fail(&job.name, faults, trace, &mut done);
            }
        }
    }
    done
}

/// The name of what lies in an archive.
fn within(archive: &str, inner: &str) -> String {
    let inner = inner.split_once('!').map_or(inner, |(_, inner)| inner);
    format!("{archive}!{inner}")
}

impl Settings {
    fn wants(&self, table: &TableSchema) -> bool {
        // Without its row in `traces` nobody knows that a trace is there.
        self.tables.is_empty() || table.name == "traces" || self.tables.contains(table.name)
    }
}

struct Converting<'a> {
    job: &'a Job,
    settings: &'a Settings,
    watch: &'a Watch,
}

impl Converting<'_> {
    /// Opens files that are one trace and writes its tables.
    fn open(&self, name: &str, entries: Vec<Entry>, trace: String, done: &mut Done) {
        let opened = Opened {
            keys: Keys { trace, host: host(name), world_size: None },
            name: name.to_owned(),
            bytes: entries.iter().map(|entry| entry.source.len()).sum(),
        };
        let store = Box::new(SpillStore::default());
        let (mut doc, is_ready) = Document::open_with(entries, "", &Values::default(), store);
        if !is_ready {
            let faults = doc.faults_of_failure(name);
            return self.fail(name, faults, opened.keys.trace, done);
        }
        let place = self.place(doc.system());
        let wants = |table: &TableSchema| self.settings.wants(table);
        match doc.write_tables(opened, &place, &wants) {
            Ok(rows) => {
                done.converted += 1;
                done.rows += rows;
            }
            Err(why) => {
                done.failed += 1;
                self.watch.say(&format!("{name}: {why}. Not converted."));
            }
        }
    }

    fn fail(&self, name: &str, faults: Vec<lanescope::base::fault::Fault>, trace: String, done: &mut Done) {
        done.failed += 1;
        let last = faults.last().map_or(String::new(), |fault| {
            let said = fault.to_string();
            let said = said.strip_prefix(&format!("{}: ", fault.place.entry)).unwrap_or(&said).to_owned();
            said.trim_end_matches('.').to_owned()
        });
        self.watch.say(&format!("{name}: {last}."));
        let keys = Keys { trace, host: host(name), world_size: None };
        match write_faults(&faults, keys, &self.place("unknown")) {
            Ok(rows) => done.rows += rows,
            Err(why) => self.watch.say(&format!("{name}: {why}.")),
        }
    }

    /// Whether a trace is not there yet in its run and nobody else is at it.
    fn claim(&self, trace: &str) -> bool {
        let key = format!("run={}/{trace}", hive(self.run()));
        self.settings.there.lock().is_ok_and(|mut there| there.insert(key))
    }

    fn run(&self) -> &str {
        self.settings.run.as_ref().unwrap_or(&self.job.folder)
    }

    fn place(&self, system: &str) -> Place {
        Place {
            top: self.settings.out.clone(),
            system: system.to_owned(),
            run: self.run().to_owned(),
            format: self.settings.format,
            has_thread: self.settings.has_threads,
        }
    }
}

/// The machine that the name of a file tells: `host_4711.1700000000000.pt.trace.json`.
fn host(name: &str) -> Option<String> {
    let name = name.rsplit(['/', '\\', '!']).next()?;
    let (worker, _) = name.split_once(".pt.trace.json").map(|(head, _)| head)?.split_once('.')?;
    let host = worker.trim_end_matches(|c: char| c.is_ascii_digit());
    let host = host.strip_suffix('_').filter(|host| !host.is_empty())?;
    Some(host.to_owned())
}

/// What a trace is known by: 128 bits of its content, whatever its files are called.
fn hash(entries: &[Entry]) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; CHUNK];
    for entry in entries {
        hasher.update(&entry.source.len().to_le_bytes());
        let mut at = 0;
        while let Ok(n @ 1..) = entry.source.read_at(at, &mut buffer) {
            hasher.update(&buffer[..n]);
            at += n as u64;
        }
    }
    hasher.finalize().to_hex().as_str()[..32].to_owned()
}
