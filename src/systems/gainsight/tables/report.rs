//! The report: members are grouped by what stands behind the name of the level, with whatever devices they name.

use crate::base::fault::{Fault, Kind, Place, Severity, excerpt};
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::format::sink::Sink;
use crate::format::{Claim, Degree, ProbeResult, Reading, Want, unreadable};
use crate::input::bundle::{Bundle, Entry, EntryId};
use crate::input::json::{Json, parse};
use crate::input::source::read_range;
use crate::model::figure::{Body, Cell, Fact, Facts, Family, Figure, TableColumn, TableFigure};
use memchr::memmem;

/// Most bytes of a report.
const BYTES: u64 = 16 << 20;

/// Looks at an entry.
pub(super) fn look(entry: &Entry) -> ProbeResult {
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
pub(super) struct Report(Option<EntryId>);

impl Report {
    pub(super) fn new(claim: &Claim) -> Self {
        Self(claim.entries.first().map(|(entry, _)| *entry))
    }
}

impl Reading for Report {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        let Some((id, entry)) = self.0.take().and_then(|id| Some((id, bundle.get(id)?))) else {
            return Ok(Want::Done);
        };
        let bytes = read_range(&*entry.source, 0..entry.source.len().min(BYTES)).unwrap_or_default();
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        let (value, errors) = parse(bytes, 0);
        for error in &errors {
            let kind =
                Kind::Unexpected { expected: error.expected.into(), found: error.found.clone().into() };
            let place = Place::byte(entry.path.as_str(), error.at);
            sink.fault(Fault::new("GSR-JSON", Severity::Loss, place, kind));
        }
        let members = value.members();
        if members.is_empty() {
            let kind =
                Kind::Unexpected { expected: phrase("an object").into(), found: excerpt(bytes).into() };
            sink.fault(Fault::new("GSR-JSON", Severity::Loss, Place::byte(entry.path.as_str(), 0), kind));
            return Ok(Want::Done);
        }
        add(members, id.0, sink);
        Ok(Want::Done)
    }

    fn feed(&mut self, _: &[u8], _: &Bundle, _: &mut Sink) -> Result<(), Fault> {
        Ok(())
    }
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
    let facts: Vec<Fact> = facts.iter().map(fact).collect();
    let section = phrase("Report of memory devices");
    let mut families = Vec::new();
    if !facts.is_empty() {
        let figure = Figure::new(phrase("Run"), Body::Facts(Facts { facts }));
        families.push(Family::single(&format!("device-report{suffix}"), section, figure));
    }
    // Tables in the order in which their first group stands.
    let mut tables: Vec<(&str, Vec<(&str, &Json)>)> = Vec::new();
    for (key, value) in groups {
        let (level, what) = key.split_once(' ').unwrap_or(("", key));
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
    for (key, _) in levels.iter().flat_map(|(_, value)| value.members()) {
        if !names.contains(&key.as_ref()) {
            names.push(key);
        }
    }
    let column = |name: &str, unit: &Unit, has_bar| TableColumn {
        name: name.to_owned(),
        unit: unit.clone(),
        has_bar,
        ..TableColumn::default()
    };
    let row = |name: &&str| {
        let own = levels.iter().map(|(_, value)| value.get(name).map_or(Cell::Missing, cell));
        std::iter::once(Cell::Text((*name).to_owned())).chain(own).collect()
    };
    let first = if what == "Write Frequency" { phrase("Over kernels") } else { phrase("Device") };
    let own = levels.iter().map(|(level, _)| column(level, &unit, what != "Write Frequency"));
    TableFigure {
        columns: std::iter::once(column(first, &Unit::None, false)).chain(own).collect(),
        rows: names.iter().map(row).collect(),
        key_columns: 1,
        ..TableFigure::default()
    }
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
