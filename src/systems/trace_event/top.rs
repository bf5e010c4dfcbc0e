//! What stands around the events: `displayTimeUnit`, `schemaVersion`, device properties and the like, as figures.

use super::events::Tally;
use crate::analysis::device::ranks::KnownRanks;
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::number;
use crate::base::unit::Unit;
use crate::base::words::message;
use crate::format::Sink;
use crate::input::json::{Json, minify, parse, scan};
use crate::model::figure::{Body, Cell, Fact, Facts, Family, Figure, TableFigure, TableOf};
use crate::model::track::Track;

/// Most members that are kept.
const MEMBERS: usize = 100;

/// Longest text of one fact.
const TEXT: usize = 400;

/// Where the figures stand.
const SECTION: &str = "File";

/// The members around the events that are kept, in the order of the file.
#[derive(Default)]
pub(super) struct Top {
    members: Vec<(String, Vec<u8>)>,
}

impl Top {
    /// Keeps a member, or says why not. `len` is the length of the whole value.
    pub(super) fn member(&mut self, key: String, value: Vec<u8>, len: u64, place: Place) -> Option<Fault> {
        let is_whole = value.len() as u64 == len;
        if is_whole && self.members.len() < MEMBERS {
            self.members.push((key, value));
            return None;
        }
        let what = if is_whole {
            let (json, _) = parse(&value, 0);
            let n = json.items().len().max(json.members().len());
            message("\"{name}\" with {n} items")
                .with("name", key)
                .with("n", number::thousands(n.try_into().unwrap_or(i64::MAX)))
        } else {
            message("\"{name}\" of {size}").with("name", key).with("size", number::file_size(len))
        };
        let kind = Kind::Unsupported { what, version: String::new() };
        let fault = Fault::new("TEV-NOT-SHOWN", Severity::Note, place, kind);
        Some(fault.note("Skipped; the events are shown."))
    }

    /// Whether what was seen so far makes the trace one of an operator.
    pub(super) fn is_operator(&self) -> bool {
        self.members.iter().any(|(key, value)| is_operator(key, value))
    }

    /// Puts figures of the members and of the events into the trace; those of one of several files bear its path.
    pub(super) fn finish(&self, tally: &Tally, (entry, path): (u32, &str), sink: &mut Sink) {
        let (suffix, scope) = if sink.is_shared { (format!("-{entry}"), path) } else { (String::new(), "") };
        let single = |id: &str, mut figure: Figure| {
            scope.clone_into(&mut figure.scope);
            Family::single(&format!("trace-{id}{suffix}"), SECTION, figure)
        };
        let mut facts = vec![fact("Events", Cell::Number(tally.events as f64))];
        let used = tally.rows().into_iter().filter(|(_, n)| 0 < *n);
        facts.extend(used.map(|(name, n)| fact(name, Cell::Number(n as f64))));
        let figures = &mut sink.builder.head().figures;
        let events = Figure::new("Events in the file", Body::Facts(Facts { facts }));
        figures.push(single("events", events));
        let mut facts = Vec::new();
        let (mut rank, mut world) = (None, None);
        for (key, value) in &self.members {
            let (json, _) = parse(value, 0);
            if key == "distributedInfo" {
                let number = |name| match json.get(name) {
                    Some(Json::Number(digits)) => digits.parse::<u64>().ok(),
                    _ => None,
                };
                (rank, world) = (number("rank"), number("world_size"));
            }
            match table(&json) {
                Some(table) => {
                    let figure = Figure::new(key.as_str(), Body::Table(table));
                    figures.push(single(key, figure));
                }
                None => flatten(key, &json, value, &mut facts),
            }
        }
        if !facts.is_empty() {
            let figure = Figure::new("Outside the events", Body::Facts(Facts { facts }));
            figures.push(single("facts", figure));
        }
        if let Some(rank) = rank {
            let ranks = sink.builder.head().extensions.get_or_default::<KnownRanks>();
            ranks.of_entry.insert(entry, rank);
            ranks.world_of_entry.extend(world.map(|world| (entry, world)));
            // The group of the file says it too.
            let is_file = |track: &Track| track.entry == entry && track.parent.is_none();
            let groups = sink.builder.trace().tracks.iter().filter(|(_, track)| is_file(track));
            let group = groups.map(|(id, _)| id).next().filter(|_| sink.is_shared);
            if let Some(group) = group {
                let label = sink.builder.intern(&format!("rank {rank}"));
                sink.builder.label_track(group, label);
            }
        }
    }
}

/// Whether a member makes the trace one of an operator.
pub(super) fn is_operator(key: &str, value: &[u8]) -> bool {
    key == "profilingType" && memchr::memmem::find(value, b"op").is_some()
}

/// Whether the text that ends with these bytes makes itself one of an operator, also behind its events: `profilingType`
/// is a member of the outermost object when nothing but that object closes after it.
pub(super) fn ends_as_operator(tail: &[u8]) -> bool {
    let Some(from) = memchr::memmem::rfind(tail, b"\"profilingType\"") else { return false };
    let rest = tail.get(from + "\"profilingType\"".len()..).unwrap_or(&[]);
    let colon = scan::blanks(rest, 0);
    let start = scan::blanks(rest, colon + 1);
    let Ok(mut at) = scan::value_end(rest, start) else { return false };
    if rest.get(colon) != Some(&b':') || !is_operator("profilingType", rest.get(start..at).unwrap_or(&[])) {
        return false;
    }
    loop {
        at = scan::blanks(rest, at);
        match rest.get(at) {
            Some(b'}') => return scan::blanks(rest, at + 1) == rest.len(),
            Some(b',' | b':') => at = scan::blanks(rest, at + 1),
            _ => return false,
        }
        if rest.get(at) == Some(&b'}') {
            continue; // a comma too many
        }
        match scan::value_end(rest, at) {
            Ok(end) => at = end,
            Err(_) => return false,
        }
    }
}

fn fact(name: impl Into<String>, value: Cell) -> Fact {
    Fact { name: name.into(), value, unit: Unit::None }
}

/// Members as facts; those of objects under a dotted name.
fn flatten(key: &str, json: &Json, raw: &[u8], facts: &mut Vec<Fact>) {
    if MEMBERS <= facts.len() {
        return;
    }
    match json {
        Json::Object(members) => {
            for (name, value) in members {
                flatten(&format!("{key}.{name}"), value, &[], facts);
            }
        }
        Json::Array(items) => {
            let text = if raw.is_empty() {
                number::of_kind(&items.len().to_string(), "items")
            } else {
                String::from_utf8_lossy(&minify(raw)).into_owned()
            };
            facts.push(fact(key, Cell::Text(cut(&text))));
        }
        other => facts.push(fact(key, named(key, other))),
    }
}

/// An array of objects as a table: a column for each name, a row for each object.
fn table(json: &Json) -> Option<TableFigure> {
    let items = json.items();
    if items.is_empty() || items.iter().any(|item| item.members().is_empty()) {
        return None;
    }
    let mut columns: Vec<&str> = Vec::new();
    for (name, _) in items.iter().flat_map(Json::members) {
        if !columns.contains(&name.as_ref()) && columns.len() < MEMBERS {
            columns.push(name);
        }
    }
    let shown = items.get(..MEMBERS).unwrap_or(items);
    let table = columns.iter().fold(TableOf::new(shown), |table, name| {
        table.column(name, Unit::None, |item| item.get(name).map_or(Cell::Missing, |json| named(name, json)))
    });
    let keys = usize::from(items.iter().all(|item| item.get("id").is_some()));
    Some(table.keys(keys).more(items.len() - shown.len()).table())
}

/// What names of numbers end with that are no amounts: the rank 3 is not three times the rank 1.
const NUMBERS: [&str; 4] = ["rank", "major", "minor", "version"];

/// The value of a member; a number that is no amount is a text.
fn named(name: &str, json: &Json) -> Cell {
    let name = name.to_ascii_lowercase();
    match json {
        Json::Number(digits) if NUMBERS.iter().any(|end| name.ends_with(end)) => {
            Cell::Text((*digits).to_owned())
        }
        other => cell(other),
    }
}

fn cell(json: &Json) -> Cell {
    match json {
        Json::Number(digits) => match json.as_f64() {
            // Only what a number holds without loss is one: long ids stay text.
            Some(value) if value.to_string() == *digits => Cell::Number(value),
            _ => Cell::Text((*digits).to_owned()),
        },
        Json::Array(items) => Cell::Text(number::of_kind(&items.len().to_string(), "items")),
        Json::Object(members) => Cell::Text(number::of_kind(&members.len().to_string(), "items")),
        other => other.as_text().map_or(Cell::Missing, |text| Cell::Text(cut(text))),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(TEXT) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or("")),
        None => text.to_owned(),
    }
}
