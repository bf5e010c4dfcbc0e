//! Converting one trace after the other.

use super::find::Job;
use super::parts::{Part, Seen, remove};
use super::watch::Watch;
use lanescope::base::fault::{Fault, Severity};
use lanescope::base::job;
use lanescope::base::map::{Map, Set};
use lanescope::document::Document;
use lanescope::engine::tables::{Unit, units};
use lanescope::export::tables::schema::{TABLES, TableSchema};
use lanescope::export::tables::{FileFormat, Keys, Opened, Place, hive, write_faults};
use lanescope::input::disk::{SpillStore, entry};
use lanescope::input::limits::CHUNK;
use lanescope::input::unpack::unpack;
use lanescope::input::{Entry, Memory};
use lanescope::model::parameter::Values;
use std::cell::RefCell;
use std::path::PathBuf;
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
    /// Traces that were there before, each with its run: what is the same in two runs is a trace of both.
    pub(super) there: Map<String, Vec<Part>>,
    /// What was looked at so far.
    pub(super) seen: Mutex<Seen>,
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

/// Converts what a job names.
pub(super) fn convert(job: &Job, settings: &Settings, watch: &Watch) -> Done {
    let mut done = Done::default();
    let entries = entries_of(job);
    let converting = Converting { job, settings, watch };
    // Where nothing was there that it may be, what it is known by is found out while it is opened.
    if settings.has_threads && settings.there.is_empty() && !job.is_packed && job.bytes_of_pipe.is_none() {
        std::thread::scope(|scope| {
            let hashing = scope.spawn(|| hash(&entries_of(job)));
            let known = || {
                let trace = hashing.join().unwrap_or_else(|_| hash(&entries_of(job)));
                converting.claim(&job.name, &trace).map(|before| (trace, before))
            };
            converting.open(&job.name, (entries, Vec::new()), known, &mut done);
        });
        return done;
    }
    let trace = hash(&entries);
    let Some(before) = converting.claim(&job.name, &trace) else {
        done.skipped += 1;
        return done;
    };
    if !job.is_packed {
        converting.open(&job.name, (entries, Vec::new()), || Some((trace, before)), &mut done);
        return done;
    }
    let store = Box::new(SpillStore::default());
    let (unpacked, faults) = job::run(async |turn| unpack(entries, store, &RefCell::default(), &turn).await);
    let found = if unpacked.len() == 1 { None } else { Some(units(unpacked.clone())) };
    match found {
        None => converting.open(&job.name, (unpacked, faults), || Some((trace, before)), &mut done),
        // An archive of files that are one trace is that trace.
        Some(found) if found.units.len() == 1 && !found.units[0].is_packed => {
            converting.open(&job.name, (unpacked, faults), || Some((trace, before)), &mut done);
        }
        Some(found) if found.units.is_empty() => {
            converting.open(&job.name, (unpacked, faults), || Some((trace, before)), &mut done);
        }
        Some(found) => {
            let meant = found.left.into_iter().filter(|(_, is_meant)| *is_meant);
            let left = meant.map(|(entry, _)| (entry.path.clone(), vec![entry]));
            let units = found.units.into_iter().map(|Unit { name, entries, .. }| (name, entries));
            let mut rest = faults;
            for (inner, entries) in units.chain(left) {
                let (name, own) = (within(&job.name, &inner), hash(&entries));
                let of_these;
                (of_these, rest) = rest.into_iter().partition(|fault| is_of(fault, &entries));
                match converting.claim(&name, &own) {
                    Some(before) => {
                        converting.open(&name, (entries, of_these), || Some((own, before)), &mut done);
                    }
                    None => done.skipped += 1,
                }
            }
            if !rest.is_empty() {
                converting.fail(&job.name, rest, trace, &mut done);
            }
        }
    }
    done
}

/// Whether a fault is of these entries, not of the archive around them: its place is where one of them was unpacked from.
fn is_of(fault: &Fault, entries: &[Entry]) -> bool {
    let place = &fault.place.entry;
    place.contains('!') && entries.iter().any(|entry| entry.path.starts_with(&**place))
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
    /// Opens files that are one trace and writes its tables. With the files comes what went wrong when they were unpacked;
    /// what the trace is known by, and which of its tables were written before, is asked for when it is open: nothing where
    /// it is to be skipped.
    fn open(
        &self,
        name: &str,
        (entries, faults): (Vec<Entry>, Vec<Fault>),
        known: impl FnOnce() -> Option<(String, Vec<String>)>,
        done: &mut Done,
    ) {
        let bytes = entries.iter().map(|entry| entry.source.len()).sum();
        let store = Box::new(SpillStore::default());
        let (mut doc, is_ready) = Document::open_with(entries, "", &Values::default(), store);
        let Some((trace, before)) = known() else {
            done.skipped += 1;
            return;
        };
        let keys = Keys { trace, host: host(name), world_size: None };
        let opened = Opened { keys, name: name.to_owned(), bytes, tables: before };
        doc.add_faults(faults);
        if !is_ready {
            let faults = doc.faults_of_failure(name);
            return self.fail(name, faults, opened.keys.trace, done);
        }
        let place = self.place(doc.system());
        let wants = |table: &TableSchema| self.settings.wants(table);
        let key = self.key(&opened.keys.trace);
        match doc.write_tables(opened, &place, &wants) {
            Ok(rows) => {
                done.converted += 1;
                done.rows += rows;
                self.seen(|seen| seen.name(self.named(name), key));
                if let Some(first) = doc.damage().first() {
                    let n = doc.faults().count(Severity::Loss) + doc.faults().count(Severity::Fatal);
                    let more =
                        if n < 2 { String::new() } else { format!(" {} more in the table faults.", n - 1) };
                    self.watch.say(&format!("{name}: {first}{more}"));
                }
            }
            Err(why) => {
                done.failed += 1;
                self.watch.say(&format!("{name}: {why}. Not converted."));
            }
        }
    }

    fn fail(&self, name: &str, faults: Vec<Fault>, trace: String, done: &mut Done) {
        done.failed += 1;
        let last = faults.last().map_or(String::new(), |fault| {
            let said = fault.to_string();
            let said = said.strip_prefix(&format!("{}: ", fault.place.entry)).unwrap_or(&said).to_owned();
            said.trim_end_matches('.').to_owned()
        });
        self.watch.say(&format!("{name}: {last}."));
        let key = self.key(&trace);
        self.seen(|seen| seen.name_broken(self.named(name), key));
        let keys = Keys { trace, host: host(name), world_size: None };
        match write_faults(&faults, keys, name, &self.place("unknown")) {
            Ok(rows) => done.rows += rows,
            Err(why) => self.watch.say(&format!("{name}: {why}.")),
        }
    }

    /// What is to be done of a trace: the tables that are there besides, or `None` where all are there in its run, or somebody
    /// else is at it.
    fn claim(&self, name: &str, trace: &str) -> Option<Vec<String>> {
        let key = self.key(trace);
        if !self.seen(|seen| seen.claim(&key)).unwrap_or(false) {
            self.seen(|seen| seen.name(self.named(name), key));
            return None;
        }
        let ending = self.settings.format.ending();
        let known = self.settings.there.get(&key).into_iter().flatten();
        let mut known = known.filter(|part| part.ending == ending && !part.is_broken);
        let Some(part) = known.next() else { return Some(Vec::new()) };
        let mut wanted = TABLES.iter().filter(|table| self.settings.wants(table));
        if wanted.all(|table| part.tables.contains(table.name)) {
            self.seen(|seen| seen.name(self.named(name), key));
            return None;
        }
        Some(part.tables.iter().cloned().collect())
    }

    /// What a trace of this run is known by.
    fn key(&self, trace: &str) -> String {
        format!("run={}/{trace}", hive(self.run()))
    }

    /// What a name in this run is known by; `None` where it is nobody's, as of what standard input brings.
    fn named(&self, name: &str) -> Option<String> {
        let is_named = self.job.bytes_of_pipe.is_none() || self.job.is_named;
        is_named.then(|| format!("run={}/{name}", hive(self.run())))
    }

    fn seen<T>(&self, act: impl FnOnce(&mut Seen) -> T) -> Option<T> {
        self.settings.seen.lock().ok().map(|mut seen| act(&mut seen))
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

/// Removes the tables of what a file held before it changed; returns the names of such files.
pub(super) fn replace(settings: &Settings) -> Vec<String> {
    let Ok(seen) = settings.seen.lock() else { return Vec::new() };
    let mut names: Vec<String> = Vec::new();
    for (key, parts) in &settings.there {
        if seen.is_claimed(key) {
            continue;
        }
        let Some(part) = parts.iter().find(|part| seen.has_other(part)) else { continue };
        if remove(&settings.out, key) {
            names.push(part.name.clone());
        }
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// The files of a job.
fn entries_of(job: &Job) -> Vec<Entry> {
    match &job.bytes_of_pipe {
        Some(bytes) => vec![Entry { path: job.files[0].1.clone(), source: Rc::new(Memory(bytes.clone())) }],
        None => job.files.iter().filter_map(|(path, name)| entry(path, name.clone()).ok()).collect(),
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
