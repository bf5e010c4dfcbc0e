//! What only the records of a result tell: maps in which nothing was written, and units that have no room left.

use super::folder::Folder;
use super::records::{Record, Walk};
use super::result::{Field, ResultFile, Role, Section};
use crate::analysis::contract::{Analysis, AnalysisInput};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::job::{Job, Turn};
use crate::base::words::{message, phrase};
use crate::model::Trace;

/// The analysis: it has no figures, only faults.
pub(super) static ANALYSIS: Analysis = Analysis {
    id: "neutrino-checks",
    title: phrase("Maps of the result"),
    parameters: &[],
    applies: |trace| result(trace).is_some(),
    tap: None,
    start: Some(|_, trace| Job::any(async move |turn| check(&trace, &turn).await)),
    add_tracks: None,
    faults: Some(faults),
    figures: |_| Vec::new(),
    advice: None,
    is_comparable: false,
};

fn result(trace: &Trace) -> Option<&ResultFile> {
    trace.extensions.get::<Folder>()?.result.as_ref()
}

/// What was seen of a map.
#[derive(Clone, Copy, Default)]
struct Seen {
    has_records: bool,
    /// Units whose last record was written.
    full: u64,
    /// Clocks that run backwards in the unit behind a full one.
    mixed: u64,
    /// The unit of the record before, its clock, and whether the unit before it was full.
    unit: u64,
    clock: u64,
    follows_full: Option<u64>,
}

impl Seen {
    /// The next record; `last` is the number of the last one that has room in a unit.
    fn take(&mut self, record: &Record, last: u64, clock: Option<&Field>) {
        self.has_records = true;
        let value = clock.map_or(0, |field| field.value(record.bytes));
        if record.unit == self.unit && self.follows_full == Some(record.unit) && value < self.clock {
            self.mixed += 1;
            self.follows_full = None;
        }
        (self.unit, self.clock) = (record.unit, value);
        if record.index == last {
            self.full += 1;
            self.follows_full = Some(record.unit + 1);
        }
    }
}

/// Whether all records must be seen: a fixed number of records a unit, more than one, can be too few. Where they are
/// counted before, the largest unit is full by nature.
fn can_overflow(section: &Section) -> bool {
    section.map.cap.is_some_and(|cap| 1 < cap && cap == section.records_per_unit())
}

/// The maps, one after the other.
async fn check(trace: &Trace, turn: &Turn) -> Vec<Seen> {
    let mut all = Vec::new();
    let Some(file) = result(trace) else { return all };
    for section in &file.sections {
        let (mut walk, mut seen) = (Walk::new(file, section), Seen::default());
        let (last, clock) = (section.records_per_unit().saturating_sub(1), section.map.field(Role::Clock));
        loop {
            // A file that cannot be read is said by the reader.
            let is_more = walk.read(&mut |record| seen.take(&record, last, clock)).unwrap_or(false);
            if !is_more || seen.has_records && !can_overflow(section) {
                break;
            }
            turn.pause().await;
        }
        all.push(seen);
    }
    all
}

fn faults(input: &AnalysisInput) -> Vec<(u32, Fault)> {
    let (Some(file), Some(seen)) = (result(input.trace), input.result::<Vec<Seen>>()) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    let len = file.source.len();
    // Of sections that were cut away the reader has spoken.
    for (section, seen) in file.sections.iter().zip(seen).filter(|(section, _)| section.start < len) {
        let place = Place::byte("", section.start);
        let name = &section.map.name;
        if !seen.has_records {
            let what = message("no record of {map} was written, or all of them are 0").with("map", name);
            out.push(Fault::new("NEU-ZERO", Severity::Warning, place, Kind::Problem(what)));
        } else if can_overflow(section) && 0 < seen.full {
            let what = message("{full} of {units} units of {map} are full ({n} records each)");
            let what = what.with("n", section.records_per_unit()).with("full", seen.full);
            let what = what.with("units", section.addressed).with("map", name);
            let (severity, note) = match seen.mixed {
                0 => (Severity::Warning, phrase("Further records would overwrite the next unit.")),
                _ => (Severity::Loss, phrase("Records overwrite the next unit.")),
            };
            out.push(Fault::new("NEU-FULL", severity, place, Kind::Problem(what)).note(note));
        }
    }
    out.into_iter().map(|fault| (file.entry.0, fault)).collect()
}
