//! A data set of many profiles: which files are a trace each, and the tables of one that is open.

use super::front::is_packed;
use super::report::{self, with_input};
use crate::analysis::device::ranks::KnownRanks;
use crate::analysis::device::{Options, has_streams};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::map::Set;
use crate::base::order;
use crate::document::Document;
use crate::export::tables::schema::TableSchema;
use crate::export::tables::{self, Opened, Source};
use crate::format::Probing;
use crate::input::json::scan::{blanks, value_end};
use crate::input::{Bundle, Entry, EntryId, read_range};
use crate::systems;
use std::io;

/// Files that are one trace, or an archive of such.
#[derive(Clone)]
pub struct Unit {
    /// What a person would call it: a file or a folder.
    pub name: String,
    pub entries: Vec<Entry>,
    /// Whether nothing is known of it before it is unpacked.
    pub is_packed: bool,
}

/// Which files are a trace each.
#[derive(Default)]
pub struct Units {
    /// In the order of their paths.
    pub units: Vec<Unit>,
    /// Files that no format reads; whether they look like one that is meant to be read.
    pub left: Vec<(Entry, bool)>,
}

/// Tells traces apart: parts of projects, what formats claim together, and every file that stands alone. What is packed is
/// not looked into. Costs a few small reads for each file.
pub fn units(entries: Vec<Entry>) -> Units {
    let bundle = Bundle::new(entries);
    let mut found = Units::default();
    let mut taken: Set<EntryId> = Set::default();
    for how in systems::formats().filter_map(|format| format.operators.as_ref()) {
        // Parts of one project may share files, such as a log; what is left over of a project may be of other systems.
        let mut own: Set<EntryId> = Set::default();
        for part in (how.find)(&bundle).into_iter().filter(|part| !part.path.ends_with("/*")) {
            if part.entries.iter().all(|id| !taken.contains(id)) {
                own.extend(part.entries.iter().copied());
                found.add(&bundle, &part.entries, Some(part.path));
            }
        }
        taken.extend(own);
    }
    let rest: Vec<EntryId> = bundle.iter().map(|(id, _)| id).filter(|id| !taken.contains(id)).collect();
    let rest = bundle.part(&rest);
    let mut probing = Probing::new(systems::formats(), rest.clone());
    let ranking = loop {
        if let Some(ranking) = probing.poll() {
            break ranking;
        }
    };
    let (mut left, mut joined) = (Vec::new(), Vec::new());
    for id in ranking.left {
        let Some(entry) = rest.get(id) else { continue };
        if is_packed(entry) {
            joined.push((id, entry));
        } else {
            left.push((entry.clone(), is_meant(entry)));
        }
    }
    for (format, claim) in ranking.chosen {
        let mut ids: Vec<EntryId> = claim.entries.iter().map(|(id, _)| *id).collect();
        if format.probe.join.is_some() {
            // What is packed beside files that belong together belongs to them.
            let folders: Set<&str> = ids.iter().filter_map(|id| rest.get(*id)).map(folder).collect();
            let (own, others) = joined.into_iter().partition(|(_, entry)| folders.contains(folder(entry)));
            joined = others;
            ids.extend(own.into_iter().map(|(id, _): (EntryId, _)| id));
        }
        found.add(&rest, &ids, None);
    }
    for (id, _) in joined {
        found.add(&rest, &[id], None);
        if let Some(unit) = found.units.last_mut() {
            unit.is_packed = true;
        }
    }
    order::sort_by(&mut found.units, |a, b| a.name.cmp(&b.name));
    found.left = left;
    found
}

impl Units {
    fn add(&mut self, bundle: &Bundle, ids: &[EntryId], name: Option<String>) {
        let part = bundle.part(ids);
        let entries: Vec<Entry> = part.iter().map(|(_, entry)| entry.clone()).collect();
        let only = entries.first().filter(|_| entries.len() == 1).map(|entry| entry.path.clone());
        let shared = || entries.first().map_or(String::new(), |entry| folder(entry).to_owned());
        let name = name.or(only).unwrap_or_else(shared);
        self.units.push(Unit { name, entries, is_packed: false });
    }
}

fn folder(entry: &Entry) -> &str {
    entry.path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether a file that no format reads seems to be meant for one: by its name, unless it is a whole JSON document of another
/// kind, such as a configuration.
fn is_meant(entry: &Entry) -> bool {
    let name = entry.name();
    // Texts of any kind end so.
    let is_end = |end: &str| !matches!(end, "" | ".txt" | ".log" | ".csv") && name.ends_with(end);
    let ends = |pattern: &&str| pattern.rsplit('*').next().is_some_and(is_end);
    if !systems::formats().any(|format| format.patterns.iter().any(ends)) {
        return false;
    }
    let bytes = read_range(&*entry.source, 0..entry.source.len().min(MAX_DOCUMENT)).unwrap_or_default();
    let start = blanks(&bytes, 0);
    let end = value_end(&bytes, start).ok().filter(|_| matches!(bytes.get(start), Some(b'{' | b'[')));
    end.is_none_or(|end| blanks(&bytes, end) < bytes.len())
}

/// Bytes of a document that are looked at.
const MAX_DOCUMENT: u64 = 1 << 26;

impl Document {
    /// The system that reads what is open; empty where there is none.
    pub fn system(&self) -> &'static str {
        let formats = self.formats();
        let first = formats.first().map_or("", |format| format.id);
        let reads = |system: &&&systems::System| system.formats.iter().any(|format| format.id == first);
        systems::systems().collect::<Vec<_>>().iter().find(reads).map_or("", |system| system.id)
    }

    /// Writes the tables of what is open, those that are wanted; returns the number of rows. Levels of detail are given
    /// back before the long tables are written: afterwards nothing can be drawn.
    ///
    /// # Errors
    /// What could not be written.
    pub fn write_tables(
        &mut self,
        mut opened: Opened,
        place: &tables::Place,
        is_wanted: &dyn Fn(&TableSchema) -> bool,
    ) -> io::Result<u64> {
        let wants = |name: &str| tables::schema::table(name).is_some_and(is_wanted);
        let needs_device = ["kernels", "slices", "tracks"].into_iter().any(wants);
        if needs_device && has_streams(self.trace()) {
            while !self.prepare_device(&Options::default()) {}
        }
        if wants("findings") || wants("metrics") {
            self.whole_overview();
        }
        if let Some(known) = self.trace().extensions.get::<KnownRanks>() {
            let mut worlds = known.world_of_entry.values();
            let first = worlds.next().copied();
            opened.keys.world_size =
                first.filter(|first| worlds.all(|other| other == first)).map(u64::cast_signed);
        }
        let is_told =
            |table: &&TableSchema| is_wanted(table) || opened.tables.iter().any(|own| own == table.name);
        let told = tables::schema::TABLES.iter().filter(is_told);
        opened.tables = told.map(|table| table.name.to_owned()).collect();
        let write = |doc: &Self, needs_lanes: bool| {
            let is_wanted = |table: &TableSchema| is_wanted(table) && table.needs_lanes() == needs_lanes;
            with_input(doc, &[], |input| {
                let source = Source::new(input, doc.device(&Options::default()));
                tables::write(&source, &opened, place, systems::TABLES, &is_wanted)
            })
        };
        let n = write(self, true)?;
        if wants("slices") {
            self.derived.timeline.keep_numbers_only();
        }
        Ok(n + write(self, false)?)
    }

    /// Adds what went wrong when its files were unpacked by somebody else.
    pub fn add_faults(&mut self, faults: Vec<Fault>) {
        self.sink.faults_of(faults);
    }

    /// What is wrong with files that could not be opened.
    pub fn faults_of_failure(&mut self, name: &str) -> Vec<Fault> {
        let mut faults = self.faults().rows().to_vec();
        if faults.iter().all(|fault| fault.severity != Severity::Fatal) {
            let reason = report::report(self).reason;
            faults.push(Fault::new(NOT_OPENED, Severity::Fatal, Place::entry(name), Kind::Problem(reason)));
        }
        faults
    }
}

/// The code of what says why nothing could be opened.
pub const NOT_OPENED: &str = "INP-NOT-OPENED";
