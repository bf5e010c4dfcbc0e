//! Tables that `GainSight` makes of logs, and the report about devices.
//!
//! ```text
//! NAME.sim.csv      a row for each kernel: lifetimes, frequencies, use of L1 and L2
//! NAME.sim_l1.csv   a row for each lifetime: kernel, address, cycles, ns; likewise NAME.sim_l2.csv
//! *cluster*.csv     kernels that stand for others, with how many
//! *.json            the report: write frequencies, refreshes, areas
//! ```
//! Files of one name are one run. Levels and devices are those that the files name.

mod reading;

use crate::base::fault::{Fault, Kind, Place, Severity, excerpt};
use crate::base::map::Map;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::format::{Claim, Degree, Format, Probe, ProbeResult, Probed, Reading, Sink, Want, unreadable};
use crate::input::json::{Json, parse};
use crate::input::{Bundle, Entry, EntryId, read_range};
use crate::model::figure::{Body, Cell, Fact, Facts, Family, Figure, TableColumn, TableFigure, TableOf};
use crate::views::lifetimes::compute::{Kernel, Level, LevelHead, LevelRow, Recorded, Run};
use memchr::memmem;

/// The tables.
pub(super) static TABLES: Format = Format {
    id: "gainsight_csv",
    title: phrase("Data lifetime tables"),
    written_by: "GainSight",
    patterns: &["*.sim.csv", "*.sim_l1.csv", "*.sim_l2.csv"],
    shows: "Data lifetimes, kernels",
    source: "the documentation of GainSight",
    probe: Probe { look: probe_look, join: Some(probe_join) },
    parameters: &[],
    read: |claim, _| Box::new(reading::Tables::new(claim)),
    slices: None,
    mode_note: None,
    operators: None,
};

/// The report.
pub(super) static REPORT: Format = Format {
    id: "gainsight_report",
    title: phrase("Memory device report"),
    written_by: "GainSight",
    patterns: &["*.json"],
    shows: "Write frequencies, refreshes, areas",
    source: "the documentation of GainSight",
    probe: Probe { look: report_look, join: None },
    parameters: &[],
    read: |claim, _| Box::new(Report::new(claim)),
    slices: None,
    mode_note: None,
    operators: None,
};

/// Roles of files.
mod role {
    /// A row for each kernel.
    pub(super) const KERNELS: &str = "kernels";
    /// A row for each lifetime.
    pub(super) const LIFETIMES: &str = "lifetimes";
    /// Kernels that stand for others.
    pub(super) const CLUSTERS: &str = "clusters";
}

/// Folder, name without the endings of these tools, and the number of the level that a path tells.
fn split(path: &str) -> (&str, &str, Option<usize>) {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let name = name.strip_suffix(".csv").unwrap_or(name);
    match name.rsplit_once(".sim_l").or_else(|| name.rsplit_once("_l")) {
        Some((stem, level)) if level.parse::<usize>().is_ok() => (folder, stem, level.parse().ok()),
        _ => (folder, name.strip_suffix(".sim").unwrap_or(name), None),
    }
}

// Faults of tables, and numbers in their cells.

/// A number of a cell; none for what is none.
fn number(cell: &[u8]) -> Option<f64> {
    std::str::from_utf8(cell.trim_ascii()).ok()?.parse::<f64>().ok().filter(|number| number.is_finite())
}

/// A whole number that may be written with a point.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it has bounds
fn whole(cell: &[u8]) -> Option<u64> {
    let cell = cell.trim_ascii();
    std::str::from_utf8(cell).ok()?.parse::<u64>().ok().or_else(|| {
        number(cell).filter(|number| (0.0..1.8e19).contains(number)).map(|number| number.round() as u64)
    })
}

/// A cell that holds something else.
fn unexpected(
    path: &str,
    (at, line): (u64, u64),
    expected: &'static str,
    found: &[u8],
    note: Message,
) -> Fault {
    let line = u32::try_from(line).unwrap_or(u32::MAX);
    let kind = Kind::Unexpected { expected: expected.into(), found: excerpt(found).into() };
    Fault::new("GSC-CELL", Severity::Loss, Place::byte(path, at).line(line, 1), kind).note(note)
}

/// The consequence of a row that is left out.
const ROW: &str = phrase("The row is left out.");
/// What is expected of counts and measures.
const POSITIVE: &str = phrase("a non-negative number");

/// Byte and line of a row.
fn place_of(row: &csv::ByteRecord) -> (u64, u64) {
    row.position().map_or((0, 1), |position| (position.byte(), position.line()))
}

// How tables are recognized: by their first line. Files of one name belong together.

/// Bytes that are looked at.
const HEAD: u64 = 8 << 10;

/// Looks at an entry.
fn probe_look(entry: &Entry) -> ProbeResult {
    let bytes = read_range(&*entry.source, 0..HEAD).map_err(|error| (0, unreadable(&error.0)))?;
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let line = text.split(|b| matches!(b, b'\n' | b'\r')).next().unwrap_or(&[]);
    let line = String::from_utf8_lossy(line);
    let columns: Vec<&str> = line.split(',').map(str::trim).collect();
    let certain = |role| Ok((Degree::Certain, role, message("its first line names the columns")));
    if columns.starts_with(&["kernel_id", "address", "lifetime_cycles"]) {
        return certain(role::LIFETIMES);
    }
    if columns.contains(&"Kernel ID") && columns.iter().any(|column| column.ends_with(" Lifetime")) {
        return certain(role::KERNELS);
    }
    let is_named = entry.name().to_ascii_lowercase().contains("cluster");
    if is_named && weight_columns(columns.iter().copied()).is_some() {
        return Ok((Degree::Likely, role::CLUSTERS, message("its first line names kernels and clusters")));
    }
    let is_near = columns.contains(&"Kernel ID") || columns.contains(&"kernel_id");
    Err((if is_near { 40 } else { 0 }, message("the first line names no columns of lifetimes")))
}

/// One claim for the files of one name; clusters belong to the only run of their folder.
fn probe_join(bundle: &Bundle, probed: &mut Probed) {
    let mut runs: Vec<(String, String, Claim)> = Vec::new();
    let mut clusters = Vec::new();
    for claim in std::mem::take(&mut probed.claims) {
        let Some((entry, role)) = claim.entries.first().copied() else { continue };
        let path = bundle.get(entry).map_or("", |entry| entry.path.as_str());
        let (folder, stem, _) = split(path);
        if role == role::CLUSTERS {
            clusters.push((folder.to_owned(), claim));
            continue;
        }
        match runs.iter_mut().find(|(at, name, _)| at == folder && name == stem) {
            Some((.., known)) => known.entries.extend(claim.entries),
            None => runs.push((folder.to_owned(), stem.to_owned(), claim)),
        }
    }
    for (folder, claim) in clusters {
        let mut own = runs.iter_mut().filter(|(at, ..)| *at == folder);
        match (own.next(), own.next()) {
            (Some((.., known)), None) => known.entries.extend(claim.entries),
            _ => probed.claims.push(claim),
        }
    }
    probed.claims.extend(runs.into_iter().map(|(.., claim)| claim));
}

// How many kernels a sampled one stands for.

/// How many kernels each stands for, by its number in the file. Kept in `Trace::extensions`: it holds for all runs.
#[derive(Default)]
pub(crate) struct Weights(Map<u64, f64>);

/// Columns of the kernel, and of its weight or else of its cluster.
fn weight_columns<'a>(heads: impl Iterator<Item = &'a str>) -> Option<(usize, Result<usize, usize>)> {
    const KERNEL: [&str; 5] = ["kernel id", "kernel", "representative", "representative id", "id"];
    const WEIGHT: [&str; 6] = ["weight", "size", "cluster size", "count", "members", "cluster weight"];
    const CLUSTER: [&str; 4] = ["cluster", "cluster id", "label", "group"];
    let heads: Vec<String> = heads.map(|head| head.trim().to_ascii_lowercase().replace('_', " ")).collect();
    let find = |names: &[&str]| names.iter().find_map(|name| heads.iter().position(|head| head == name));
    let of = find(&WEIGHT).map(Ok).or_else(|| find(&CLUSTER).map(Err));
    Some((find(&KERNEL)?, of?))
}

impl Weights {
    /// Reads a table.
    fn read(&mut self, bytes: &[u8], path: &str, faults: &mut Vec<Fault>) {
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(bytes);
        let heads = reader.byte_headers().cloned().unwrap_or_default();
        let heads: Vec<String> =
            heads.iter().map(|head| String::from_utf8_lossy(head).into_owned()).collect();
        let Some((kernel, of)) = weight_columns(heads.iter().map(String::as_str)) else { return };
        let mut members: Vec<(u64, Vec<u8>)> = Vec::new();
        for row in reader.byte_records().map_while(Result::ok) {
            let Some(id) = row.get(kernel).and_then(whole) else { continue };
            match of {
                Ok(weight) => {
                    // Of kernels that stand for none but themselves it may be empty.
                    let Some(cell) = row.get(weight).filter(|cell| !cell.trim_ascii().is_empty()) else {
                        continue;
                    };
                    match number(cell).filter(|weight| 0.0 < *weight) {
                        Some(weight) => drop(self.0.insert(id, weight)),
                        None => {
                            let expected = phrase("a number above 0");
                            faults.push(unexpected(path, place_of(&row), expected, cell, ROW.into()));
                        }
                    }
                }
                Err(cluster) => members.extend(row.get(cluster).map(|cluster| (id, cluster.to_vec()))),
            }
        }
        let mut sizes: Map<&[u8], f64> = Map::default();
        for (_, cluster) in &members {
            *sizes.entry(cluster).or_default() += 1.0;
        }
        self.0
            .extend(members.iter().filter_map(|(id, cluster)| Some((*id, *sizes.get(cluster.as_slice())?))));
    }

    /// Gives the kernels of all runs their weights.
    pub(crate) fn apply(sink: &mut Sink) {
        let extensions = &mut sink.builder.head().extensions;
        let Some(weights) = extensions.get::<Self>().map(|weights| weights.0.clone()) else { return };
        let recorded: &mut Recorded = extensions.get_or_default();
        for kernel in recorded.runs.iter_mut().flat_map(|run| &mut run.kernels) {
            if let Some(weight) = weights.get(&kernel.id) {
                kernel.weight = *weight;
            }
        }
    }
}

// The report: members are grouped by what stands behind the name of the level, with whatever devices they name.

/// Most bytes of a report.
const BYTES: u64 = 16 << 20;

/// Looks at an entry.
fn report_look(entry: &Entry) -> ProbeResult {
    let bytes = read_range(&*entry.source, 0..4096).map_err(|error| (0, unreadable(&error.0)))?;
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes).trim_ascii_start();
    if text.first() != Some(&b'{') {
        return Err((0, message("expected an object")));
    }
    let marks = [&b" Lifetime Count\""[..], b" Write Frequency\"", b" Refreshes\""];
    match marks.iter().filter(|mark| memmem::find(text, mark).is_some()).count() {
        0 => Err((0, message("it has no members of a report"))),
        1 => Ok((Degree::Likely, "report", message("it has members of a report"))),
        _ => Ok((Degree::Certain, "report", message("it has members of a report"))),
    }
}

/// A report being read.
struct Report(Option<EntryId>);

impl Report {
    fn new(claim: &Claim) -> Self {
        Self(claim.entries.first().map(|(entry, _)| *entry))
    }
}

impl Reading for Report {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        let Some((id, entry)) = self.0.take().and_then(|id| Some((id, bundle.get(id)?))) else {
            return Ok(Want::Done);
        };
        let bytes = read_range(&*entry.source, 0..entry.source.len().min(BYTES)).unwrap_or_default();
        let (value, errors) = parse(&bytes, 0);
        for error in &errors {
            let kind =
                Kind::Unexpected { expected: error.expected.into(), found: error.found.clone().into() };
            let place = Place::byte(entry.path.as_str(), error.at);
            sink.fault(Fault::new("GSR-JSON", Severity::Loss, place, kind));
        }
        let members = value.members();
        if members.is_empty() {
            let kind =
                Kind::Unexpected { expected: phrase("an object").into(), found: excerpt(&bytes).into() };
            sink.fault(Fault::new("GSR-JSON", Severity::Loss, Place::byte(entry.path.as_str(), 0), kind));
            return Ok(Want::Done);
        }
        sink.faults_of(wrong(members, &entry.path, &bytes));
        add(members, id.0, sink);
        Ok(Want::Done)
    }

    fn feed(&mut self, _: &[u8], _: &Bundle, _: &mut Sink) -> Result<(), Fault> {
        Ok(())
    }
}

/// What of a level the members of a report count or measure.
const MEASURES: [&str; 5] = ["Lifetime Count", "Write Frequency", "Refreshes", "Area", "Energy (fJ)"];

/// The level of a member, and what it says of it.
fn of_level(key: &str) -> (&str, &str) {
    key.split_once(' ').unwrap_or(("", key))
}

/// Whether a value is below 0 where none can be.
fn is_wrong(what: &str, value: &Json) -> bool {
    let Json::Number(digits) = value else { return false };
    MEASURES.contains(&what) && digits.parse::<f64>().is_ok_and(|number| number < 0.0)
}

/// Says the values of a report that are below 0 where none can be.
fn wrong(members: &[(std::borrow::Cow<str>, Json)], path: &str, bytes: &[u8]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (key, value) in members {
        let group = value.members().iter().map(|(name, value)| (format!("{key} ▸ {name}"), value));
        let all = std::iter::once((key.to_string(), value)).chain(group);
        for (block, value) in all.filter(|(_, value)| is_wrong(of_level(key).1, value)) {
            let digits = value.as_text().unwrap_or_default();
            // They stand in the text itself.
            let at = digits.as_ptr().addr().checked_sub(bytes.as_ptr().addr());
            let place = Place { byte: at.map(|at| at as u64), ..Place::entry(path) };
            let found = excerpt(digits.as_bytes()).into();
            let kind = Kind::Unexpected { expected: POSITIVE.into(), found };
            faults.push(Fault::new("GSR-CELL", Severity::Loss, place.block(block), kind).note(ROW));
        }
    }
    faults
}

/// Adds what a report says: single values as facts, groups as tables with a column for each level.
fn add(members: &[(std::borrow::Cow<str>, Json)], entry: u32, sink: &mut Sink) {
    let suffix = if sink.is_shared { format!("-{entry}") } else { String::new() };
    let (groups, facts): (Vec<_>, Vec<_>) =
        members.iter().partition(|(_, value)| !value.members().is_empty());
    let fact = |(key, value): &&(std::borrow::Cow<str>, Json)| Fact {
        name: key.to_string(),
        value: cell(value),
        unit: Unit::None,
    };
    let is_right = |(key, value): &&&(std::borrow::Cow<str>, Json)| !is_wrong(of_level(key).1, value);
    let facts: Vec<Fact> = facts.iter().filter(is_right).map(fact).collect();
    let section = phrase("Memory device report");
    let mut families = Vec::new();
    if !facts.is_empty() {
        let figure = Figure::new(phrase("Run"), Body::Facts(Facts { facts }));
        families.push(Family::single(&format!("device-report{suffix}"), section, figure));
    }
    // Tables in the order in which their first group stands.
    let mut tables: Vec<(&str, Vec<(&str, &Json)>)> = Vec::new();
    for (key, value) in groups {
        let (level, what) = of_level(key);
        match tables.iter_mut().find(|(known, _)| *known == what) {
            Some((_, levels)) => levels.push((level, value)),
            None => tables.push((what, vec![(level, value)])),
        }
    }
    for (what, levels) in tables {
        let id = what.to_ascii_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let figure = Figure::new(what, Body::Table(table(what, &levels)));
        families.push(Family::single(&format!("device-report-{id}{suffix}"), section, figure));
    }
    sink.builder.head().figures.extend(families);
}

/// A group: a row for each name, a column for each level.
fn table(what: &str, levels: &[(&str, &Json)]) -> TableFigure {
    let unit = match what {
        "Area" => Unit::Other("µm²".to_owned()),
        _ => Unit::None,
    };
    let mut names: Vec<&str> = Vec::new();
    let is_left_out = |key: &str| {
        let values = levels.iter().filter_map(|(_, group)| group.get(key));
        values.into_iter().any(|value| is_wrong(what, value))
    };
    for (key, _) in levels.iter().flat_map(|(_, value)| value.members()) {
        if !names.contains(&key.as_ref()) && !is_left_out(key) {
            names.push(key);
        }
    }
    let has_bar = what != "Write Frequency";
    let first = if has_bar { phrase("Device") } else { phrase("Across kernels") };
    let table = TableOf::new(&names).column(first, Unit::None, |name| *name);
    let table = levels.iter().fold(table, |table, (level, value)| {
        let column = TableColumn { has_bar, ..TableColumn::new(*level, unit.clone()) };
        table.with(column, |name| value.get(name).map_or(Cell::Missing, cell))
    });
    table.table()
}

/// A single value.
fn cell(value: &Json) -> Cell {
    match value {
        Json::Null => Cell::Missing,
        Json::Number(text) => match text.parse::<u64>() {
            Ok(number) => Cell::Integer(number),
            Err(_) => Cell::number(value.as_f64()),
        },
        Json::String(text) => Cell::Text(text.to_string()),
        Json::Bool(is_set) => Cell::Text(is_set.to_string()),
        Json::Array(items) => Cell::Text(message("{n} values").with("n", items.len()).to_string()),
        Json::Object(_) => Cell::Missing,
    }
}

// The table of kernels: columns are found by their names, levels by the words in front.

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

impl Field {
    /// Whether it is a time, or of one.
    fn is_timed(self) -> bool {
        !matches!(self, Self::Utilization | Self::Bytes | Self::Unique)
    }
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
fn level(run: &mut Run, name: &str) -> usize {
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
fn read_kernels(bytes: &[u8], path: &str, run: &mut Run, faults: &mut Vec<Fault>) {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(bytes);
    let heads = reader.byte_headers().cloned().unwrap_or_default();
    let mut columns = Vec::new();
    for head in &heads {
        let name = String::from_utf8_lossy(head);
        let name = name.trim_start_matches('\u{feff}').trim();
        columns.push(Column::of(name, run));
        if columns.last() == Some(&Column::Unknown) && !name.is_empty() {
            let kind = Kind::Problem(message("unknown column {name}").with("name", name));
            let fault = Fault::new("GSC-COLUMN", Severity::Note, Place::byte(path, 0).line(1, 1), kind);
            faults.push(fault.note(phrase("It is left out.")));
        }
    }
    let mut start = 0_u64;
    for row in reader.byte_records() {
        let Ok(row) = row else { break };
        let place = place_of(&row);
        if row.len() < columns.len() {
            let found: Vec<u8> = row.iter().collect::<Vec<_>>().join(&b","[..]);
            faults.push(unexpected(path, place, phrase("one cell per column"), &found, ROW.into()));
            continue;
        }
        let is_counted = |column: &Column| matches!(column, Column::Cycles | Column::Level(..));
        let mut counted = columns.iter().zip(&row).filter(|(column, _)| is_counted(column));
        if let Some((_, cell)) = counted.find(|(_, cell)| number(cell).is_some_and(|number| number < 0.0)) {
            faults.push(unexpected(path, place, POSITIVE, cell, ROW.into()));
            continue;
        }
        let Some(kernel) = kernel(&row, &columns, run.levels.len(), start, &mut |expected, found| {
            faults.push(unexpected(path, place, expected, found, phrase("It counts as 0.").into()));
        }) else {
            faults.push(unexpected(path, place, phrase("kernel number"), &[], ROW.into()));
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
    // Levels of which no time is told: the clock was not known.
    let is_untimed = |at: &usize| {
        let mut own = columns.iter().zip(row).filter(
            |(column, _)| matches!(column, Column::Level(level, field) if level == at && field.is_timed()),
        );
        let is_empty = |(_, cell): (&Column, &[u8])| cell.trim_ascii().is_empty();
        own.next().is_some_and(is_empty) && own.all(is_empty)
    };
    let untimed: Vec<usize> = (0..levels).filter(is_untimed).collect();
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
                None => wrong(phrase("kernel cycles"), cell),
            },
            Column::Sum | Column::Unknown => {}
            Column::Level(at, field) => {
                let value = number(cell);
                // A size that nobody knows stays empty, and so does what depends on it, or on a clock.
                let is_unknown = cell.trim_ascii().is_empty();
                let is_untimed = untimed.contains(at) && field.is_timed();
                if is_unknown && (is_untimed || matches!(field, Field::Bytes | Field::Utilization)) {
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
    let level = |(at, row): (usize, LevelRow)| {
        if untimed.contains(&at) {
            Level { bytes: Some(row.bytes).filter(|bytes| 0 < *bytes), ..Level::default() }
        } else {
            Level { stated: Some(row), ..Level::default() }
        }
    };
    kernel.levels = rows.into_iter().enumerate().map(level).collect();
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
            Field::Bytes => self.bytes = value as u64,
            Field::Unique => self.unique = value,
        }
    }
}
