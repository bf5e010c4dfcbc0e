//! A data set of many profiles for engines that query columns: one file of each table for each trace.
//!
//! ```text
//! DIR/_lanescope.json                                   the schema, and the version of the data set
//! DIR/<table>/system=<system>/run=<run>/part-<trace>.parquet
//! ```
//! What a table holds stands in [`schema`], which `lanescope tables --schema` prints. Rows are written as they are made, so
//! that memory holds a row group of each table, not a table. A file has its name when it is whole.
//!
//! To add a table: its schema in [`schema::TABLES`], and its rows in [`write()`] or, for what only one system knows, as a
//! [`SystemTable`] in `systems::TABLES`. A field that means something else counts [`schema::VERSION`] up.

mod accesses;
mod device;
mod figures;
mod file;
mod instructions;
pub mod schema;
mod slices;
mod small;

pub use file::{FileFormat, Owner, Place, Rows, UNFINISHED, Value, hive};
pub use small::Opened;

use super::ExportInput;
use crate::analysis::device::Device;
use crate::base::fault::Fault;
use crate::base::map::Map;
use crate::base::names::normal;
use crate::base::time::{Clock, Ticks};
use crate::model::Trace;
use crate::model::id::{SliceId, StrId, TrackId};
use device::Owners;
use schema::TableSchema;
use std::io::Result;

/// What tables are made of.
pub struct Source<'a> {
    pub input: &'a ExportInput<'a>,
    /// What devices did; `None` for traces without streams.
    device: Option<&'a Device>,
    owners: Owners,
}

impl<'a> Source<'a> {
    /// Of a document, and what its devices did.
    pub fn new(input: &'a ExportInput<'a>, device: Option<&'a Device>) -> Self {
        Self { owners: Owners::new(input, device), input, device }
    }

    /// Whom the rows of a track are of.
    fn owner(&self, id: TrackId) -> Owner<'_> {
        self.owners.of(self.input.trace, id)
    }

    /// Whom rows are of that are of no track.
    pub fn all(&self) -> Owner<'_> {
        Owner { rank: self.owners.rank(), device: None }
    }

    /// The name of the step that a time of a track lies in.
    fn step(&self, id: TrackId, time: Ticks) -> Option<&str> {
        let shown = time.saturating_add(self.input.derived.timeline.shift_of(id));
        self.owners.step(self.input.trace, id, shown)
    }
}

/// A table that a system fills.
pub struct SystemTable {
    /// Its name in [`schema::TABLES`].
    pub table: &'static str,
    /// Writes its rows; those of several systems stand behind each other.
    pub write: fn(&Source, &mut Rows) -> Result<()>,
}

/// What one trace says of itself: the keys that stand in each row.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    /// Hash of its content, hexadecimal.
    pub trace: String,
    /// The machine that it was recorded on, where the name of the file says it.
    pub host: Option<String>,
    pub world_size: Option<i64>,
}

/// The key under which files of `traces`, and those of `faults` of what could not be opened, have the file or folder as it
/// was named.
pub const NAME: &str = "lanescope.name";
/// The key of the tables that were written of it, also those without rows.
pub const WRITTEN: &str = "lanescope.tables";

/// Writes the tables of one trace, those that are wanted and have rows. Returns how many rows were written. What needs
/// lanes has a call of its own, before all others.
///
/// # Errors
/// What could not be written.
pub fn write(
    of: &Source,
    opened: &Opened,
    place: &Place,
    of_systems: &[&SystemTable],
    is_wanted: &dyn Fn(&TableSchema) -> bool,
) -> Result<u64> {
    let (mut n, mut closed) = (0, Vec::new());
    let input = of.input;
    for table in schema::TABLES.iter().filter(|table| is_wanted(table)) {
        let mut rows = Rows::new(table, place, opened.keys.clone());
        match table.name {
            "traces" => {
                rows = rows.saying(vec![(NAME, opened.name.clone()), (WRITTEN, opened.tables.join(","))]);
                small::traces(of, opened, &mut rows)?;
            }
            "tracks" => small::tracks(of, &mut rows)?,
            "slices" => slices::slices(of, &mut rows)?,
            "instants" => slices::instants(of, &mut rows)?,
            "kernels" => device::kernels(of, &mut rows)?,
            "accesses" => accesses::accesses(of, &mut rows)?,
            "counters" => small::counters(of, &mut rows)?,
            "flows" => small::flows(of, &mut rows)?,
            "instructions" => instructions::instructions(of, &mut rows)?,
            "metrics" => figures::metrics(of, &mut rows)?,
            "findings" => small::findings(of, &mut rows)?,
            "faults" => small::faults(input.faults.rows(), of.all(), &mut rows)?,
            "clocks" => small::clocks(of, &mut rows)?,
            _ => {}
        }
        for system in of_systems.iter().filter(|system| system.table == table.name) {
            (system.write)(of, &mut rows)?;
        }
        // What is encoded beside is waited for when all other rows are made; `traces` says that the others are there.
        if table.name == "traces" {
            for rows in closed.drain(..) {
                n += Rows::finish(rows)?;
            }
        }
        closed.push(rows.close()?);
    }
    for rows in closed {
        n += rows.finish()?;
    }
    Ok(n)
}

/// Writes what went wrong with files that no trace came of.
///
/// # Errors
/// What could not be written.
pub fn write_faults(faults: &[Fault], keys: Keys, name: &str, place: &Place) -> Result<u64> {
    let Some(table) = schema::table("faults") else { return Ok(0) };
    let mut rows = Rows::new(table, place, keys).saying(vec![(NAME, name.to_owned())]);
    small::faults(faults, Owner::default(), &mut rows)?;
    rows.close()?.finish()
}

/// Names without what tells instances apart, each made once.
#[derive(Default)]
struct NormalNames(Map<StrId, String>);

impl NormalNames {
    fn make(&mut self, trace: &Trace, name: StrId) {
        self.0.entry(name).or_insert_with(|| normal(trace.strings.get(name)).into_owned());
    }

    /// One that was made.
    fn get(&self, name: StrId) -> &str {
        self.0.get(&name).map_or("", String::as_str)
    }
}

/// The number of a slice or an instant among all of its trace.
fn number(id: SliceId) -> i64 {
    i64::from(id.track.0) << 32 | i64::from(id.row)
}

/// A time or a length in nanoseconds; in ticks where the clock has no rate.
fn scaled(ticks: Ticks, clock: Clock) -> i64 {
    match clock.nanos() {
        Some(tick) if (tick - 1.0).abs() > f64::EPSILON => (ticks as f64 * tick).round() as i64,
        _ => ticks,
    }
}
