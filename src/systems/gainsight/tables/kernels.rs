//! The table of kernels: columns are found by their names, levels by the words in front.

use super::cells::{ROW, number, unexpected, whole};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::words::{message, phrase};
use crate::views::lifetimes::compute::{Kernel, Level, LevelHead, LevelRow, Run};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Column {
    Id,
    Name,
    Cycles,
    /// What can be added up from others.
    Sum,
    Level(usize, Field),
    Unknown,
}

/// What a column holds of a level.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Field {
    Mean,
    Median,
    P90,
    Max,
    Reads,
    Writes,
    Utilization,
    Bytes,
    Unique,
}

/// Names of columns of a level.
const FIELDS: [(&str, Field); 9] = [
    ("Lifetime", Field::Mean),
    ("Lifetime Median", Field::Median),
    ("Lifetime 90%-tile", Field::P90),
    ("Lifetime Max", Field::Max),
    ("Read Frequency", Field::Reads),
    ("Write Frequency", Field::Writes),
    ("Utilization", Field::Utilization),
    ("Size", Field::Bytes),
    ("Unique Addresses", Field::Unique),
];

/// The row of a level in a run, which is made when it is new.
pub(super) fn level(run: &mut Run, name: &str) -> usize {
    if let Some(at) = run.levels.iter().position(|level| level.name == name) {
        return at;
    }
    let is_private = name == "L1";
    let unit = if is_private { "SM" } else { "slice" };
    run.levels.push(LevelHead {
        name: name.to_owned(),
        unit: unit.to_owned(),
        is_private,
        ..LevelHead::default()
    });
    run.levels.len() - 1
}

impl Column {
    fn of(name: &str, run: &mut Run) -> Self {
        match name {
            "Kernel ID" => return Self::Id,
            "Mangled Names" => return Self::Name,
            "Total Cycles" => return Self::Cycles,
            "Total Read Frequency" | "Total Write Frequency" => return Self::Sum,
            _ => {}
        }
        let Some((of, field)) = name.split_once(' ') else { return Self::Unknown };
        match FIELDS.iter().find(|(name, _)| *name == field) {
            Some((_, field)) => Self::Level(level(run, of), *field),
            None => Self::Unknown,
        }
    }
}

/// Reads the table.
pub(super) fn read(bytes: &[u8], path: &str, run: &mut Run, faults: &mut Vec<Fault>) {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(bytes);
    let heads = reader.byte_headers().cloned().unwrap_or_default();
    let mut columns = Vec::new();
    for head in &heads {
        let name = String::from_utf8_lossy(head);
        let name = name.trim_start_matches('\u{feff}').trim();
        columns.push(Column::of(name, run));
        if columns.last() == Some(&Column::Unknown) && !name.is_empty() {
            let kind = Kind::Problem(message("nobody knows the column {name}").with("name", name));
            let fault = Fault::new("GSC-COLUMN", Severity::Note, Place::byte(path, 0).line(1, 1), kind);
            faults.push(fault.note(phrase("It is left out.")));
        }
    }
    let mut start = 0_u64;
    for row in reader.byte_records() {
        let Ok(row) = row else { break };
        let place = row.position().map_or((0, 1), |position| (position.byte(), position.line()));
        if row.len() < columns.len() {
            let found: Vec<u8> = row.iter().collect::<Vec<_>>().join(&b","[..]);
            faults.push(unexpected(path, place, phrase("a cell for each column"), &found, ROW.into()));
            continue;
        }
        let Some(kernel) = kernel(&row, &columns, run.levels.len(), start, &mut |expected, found| {
            faults.push(unexpected(path, place, expected, found, phrase("It counts as 0.").into()));
        }) else {
            faults.push(unexpected(path, place, phrase("the number of a kernel"), &[], ROW.into()));
            continue;
        };
        start = start.saturating_add(kernel.cycles);
        run.kernels.push(kernel);
    }
}

fn kernel(
    row: &csv::ByteRecord,
    columns: &[Column],
    levels: usize,
    start: u64,
    wrong: &mut dyn FnMut(&'static str, &[u8]),
) -> Option<Kernel> {
    let mut kernel = Kernel { weight: 1.0, start, ..Kernel::default() };
    let mut rows = vec![LevelRow::default(); levels];
    let mut has_id = false;
    for (column, cell) in columns.iter().zip(row) {
        match column {
            Column::Id => {
                let id = whole(cell);
                has_id = id.is_some();
                kernel.id = id.unwrap_or(0);
            }
            Column::Name => String::from_utf8_lossy(cell).trim().clone_into(&mut kernel.name),
            Column::Cycles => match whole(cell) {
                Some(cycles) => kernel.cycles = cycles,
                None => wrong(phrase("the cycles of a kernel"), cell),
            },
            Column::Sum | Column::Unknown => {}
            Column::Level(at, field) => {
                let value = number(cell);
                // A size that nobody knows stays empty, and so does what depends on it.
                let is_unknown = cell.trim_ascii().is_empty();
                if is_unknown && matches!(field, Field::Bytes | Field::Utilization) {
                    continue;
                }
                if value.is_none() {
                    wrong(phrase("a number"), cell);
                }
                if let Some(row) = rows.get_mut(*at) {
                    row.set(*field, value.unwrap_or(0.0));
                }
            }
        }
    }
    kernel.levels = rows.into_iter().map(|row| Level { stated: Some(row), ..Level::default() }).collect();
    has_id.then_some(kernel)
}

impl LevelRow {
    fn set(&mut self, field: Field, value: f64) {
        match field {
            Field::Mean => self.mean = value,
            Field::Median => self.median = value,
            Field::P90 => self.p90 = value,
            Field::Max => self.max = value,
            Field::Reads => self.read_mhz = value,
            Field::Writes => (self.write_mhz, self.fill_mhz) = (value, value),
            Field::Utilization => self.utilization = Some(value),
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it saturates
            Field::Bytes => self.bytes = value.max(0.0) as u64,
            Field::Unique => self.unique = value,
        }
    }
}
