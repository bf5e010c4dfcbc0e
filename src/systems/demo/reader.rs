//! Demo traces: lines of text, written by nobody but our tests.
//!
//! ```text
//! demo trace 1
//! slice vector 0 100 copy             unit, start and length in ns, name
//! clock device cycles 3 2 0 5000      name, unit: 3 cycles in 2 ns, cycle 0 is 5,000 ns
//! clock warp steps                    a clock that is related to no other
//! slice cube@device 0 30 matmul       a unit that counts in a clock
//! access vector 0x1000 64             unit, address, bytes
//! map tiles 2 0.5 1 2 3.25            name, columns, values row by row
//! ```
//! | line | becomes |
//! |---|---|
//! | `slice` | a slice on the track of its unit, with the unit as its color name |
//! | `clock` | a clock; its tracks are on one axis with the others where it says how it is related |
//! | `access` | nothing that is kept: the analysis listens through its tap |
//! | `map` | a row of [`Maps`], and so a figure |
//! | empty, `#` | nothing |

use super::COLORS_UNITS;
use crate::base::fault::{Fault, Kind, Place, Severity, excerpt, found};
use crate::base::map::Map;
use crate::base::time::{Clock, Ticks};
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::format::{Claim, Degree, Format, Probe, ProbeResult, Reading, Sink, Want};
use crate::input::{Bundle, Entry, EntryId, read_range};
use crate::model::access::{Access, AccessKind, OPERATION, UNIT};
use crate::model::clock::Relation;
use crate::model::id::{ClockId, TrackId};
use crate::model::parameter::{Parameter, ParameterKind, Values};
use crate::model::slice::SliceRow;
use crate::model::track::TrackKind;

/// The first line of every file.
const MAGIC: &[u8] = b"demo trace 1\n";

/// The format.
pub(super) static FORMAT: Format = Format {
    id: "demo",
    title: phrase("Demo trace"),
    written_by: "the tests of this project",
    patterns: &["*.demo"],
    shows: "Timeline, Details",
    source: "this file",
    probe: Probe { look, join: None },
    parameters: &[&OFFSET],
    read: |claim, values| Box::new(Lines::new(claim, values)),
    slices: None,
    mode_note: None,
    operators: None,
};

/// A parameter of reading: it changes what is in the trace, so the files are read again.
pub(super) static OFFSET: Parameter = Parameter {
    id: "demo-offset",
    title: phrase("Offset"),
    help: phrase("shift all slices by this time"),
    kind: ParameterKind::Number { unit: Unit::Nanos, min: 0.0, max: 1e9, default: 0.0, none: "" },
    rereads: true,
};

/// The maps of a trace: only this system knows them.
#[derive(Default)]
pub(super) struct Maps(pub(super) Vec<DemoMap>);

/// One map.
pub(super) struct DemoMap {
    pub(super) name: String,
    /// Values in a row.
    pub(super) columns: usize,
    /// Values row by row.
    pub(super) values: Vec<f64>,
}

fn look(entry: &Entry) -> ProbeResult {
    let head = read_range(&*entry.source, 0..MAGIC.len() as u64).unwrap_or_default();
    if head == MAGIC {
        return Ok((Degree::Certain, "trace", message("the first line is a demo trace header")));
    }
    let rest = head.strip_prefix(b"demo");
    let missed = || {
        message("byte 4: expected the rest of the header, {found}")
            .with_message("found", found(excerpt(rest.unwrap_or(&[]))))
    };
    Err(if rest.is_some() { (50, missed()) } else { (0, message("byte 0: expected the demo trace header")) })
}

/// A file that is being read, line by line.
struct Lines {
    entry: EntryId,
    offset: Ticks,
    tracks: Map<String, TrackId>,
    clocks: Map<String, ClockId>,
    /// The begin of a line whose end has not come yet, and where it begins.
    rest: Vec<u8>,
    at: u64,
    line: u32,
    is_asked: bool,
}

impl Lines {
    fn new(claim: &Claim, values: &Values) -> Self {
        Self {
            entry: claim.entries.first().map_or(EntryId(u32::MAX), |(entry, _)| *entry),
            #[allow(clippy::cast_possible_truncation)] // the parameter has bounds
            offset: values.number(OFFSET.id).unwrap_or(0.0) as Ticks,
            tracks: Map::default(),
            clocks: Map::default(),
            rest: Vec::new(),
            at: 0,
            line: 0,
            is_asked: false,
        }
    }

    fn line(&mut self, bytes: &[u8], bundle: &Bundle, sink: &mut Sink) {
        self.line += 1;
        let text = String::from_utf8_lossy(bytes);
        let words: Vec<&str> = text.split_whitespace().collect();
        let is_read = match &words[..] {
            _ if self.line == 1 => true,
            [] => true,
            [word, ..] if word.starts_with('#') => true,
            ["slice", unit, start, dur, name] => {
                self.slice(unit, (start, dur), name, bytes.len(), sink).is_some()
            }
            ["clock", name, unit, relation @ ..] => self.clock(name, unit, relation, sink).is_some(),
            ["access", unit, address, bytes] => access(unit, address, bytes, sink).is_some(),
            ["map", name, columns, values @ ..] => map(name, columns, values, sink).is_some(),
            _ => false,
        };
        if !is_read {
            let path = bundle.get(self.entry).map_or("", |entry| entry.path.as_str());
            let expected = phrase("a slice, a clock, an access or a map").into();
            let kind = Kind::Unexpected { expected, found: excerpt(bytes).into() };
            let fault =
                Fault::new("DEM-LINE", Severity::Loss, Place::byte(path, self.at).line(self.line, 1), kind);
            sink.fault(fault.note(phrase("The line is skipped.")));
        }
    }

    fn clock(&mut self, name: &str, unit: &str, relation: &[&str], sink: &mut Sink) -> Option<()> {
        let relation = match relation {
            [] => None,
            [ticks, nanos, at, first] => Some(Relation {
                at: at.parse().ok()?,
                first: first.parse().ok()?,
                rate: (nanos.parse().ok()?, ticks.parse().ok()?),
            }),
            _ => return None,
        };
        let hz = relation.map(|r| r.rate.1 as f64 / r.rate.0 as f64 * 1e9).filter(|hz| hz.is_finite());
        let unit = match unit {
            "ns" => Clock::Nanos,
            "cycles" => Clock::Cycles { hz },
            "steps" => Clock::Steps,
            _ => return None,
        };
        self.clocks.insert(name.to_owned(), sink.builder.clock(name, unit, relation));
        Some(())
    }

    fn slice(
        &mut self,
        unit: &str,
        (start, dur): (&str, &str),
        name: &str,
        len: usize,
        sink: &mut Sink,
    ) -> Option<()> {
        let (start, dur): (Ticks, Ticks) = (start.parse().ok()?, dur.parse().ok()?);
        let track = match self.tracks.get(unit) {
            Some(track) => *track,
            None => {
                let (name, clock) = unit.split_once('@').map_or((unit, None), |(n, c)| (n, Some(c)));
                let clock = clock.map_or(Some(ClockId(0)), |clock| self.clocks.get(clock).copied())?;
                let id = sink.builder.intern(name);
                let track = sink.builder.track(None, TrackKind::Slices, id, self.entry.0)?;
                sink.builder.clock_track(track, clock);
                self.tracks.insert(unit.to_owned(), track);
                track
            }
        };
        let color = unit.split_once('@').map_or(unit, |(unit, _)| unit);
        let (name, color) = (sink.builder.intern(name), sink.builder.intern(color));
        let coloring = &mut sink.builder.head().coloring;
        (coloring.has_color_names, coloring.best) = (true, COLORS_UNITS.id);
        let row = SliceRow::new(start.checked_add(self.offset)?, dur, name);
        let detail_len = u32::try_from(len).ok()?;
        sink.builder.slice(track, SliceRow { color, detail_start: self.at, detail_len, ..row });
        Some(())
    }
}

fn access(unit: &str, address: &str, bytes: &str, sink: &mut Sink) -> Option<()> {
    let address = u64::from_str_radix(address.strip_prefix("0x")?, 16).ok()?;
    let accesses = &mut sink.builder.head().accesses;
    let class = accesses.class_row([(OPERATION, "load"), (UNIT, unit)], AccessKind::Load);
    let row = Access { position: 0, class, address, bytes: bytes.parse().ok()?, site: u32::MAX };
    sink.access(row, false);
    Some(())
}

fn map(name: &str, columns: &str, values: &[&str], sink: &mut Sink) -> Option<()> {
    let columns =
        columns.parse().ok().filter(|columns| 0 < *columns && values.len().is_multiple_of(*columns))?;
    let values = values.iter().map(|value| value.parse().ok()).collect::<Option<_>>()?;
    let maps: &mut Maps = sink.builder.head().extensions.get_or_default();
    maps.0.push(DemoMap { name: name.to_owned(), columns, values });
    Some(())
}

impl Reading for Lines {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        if self.is_asked {
            let last = std::mem::take(&mut self.rest);
            if !last.is_empty() {
                self.line(&last, bundle, sink);
            }
            return Ok(Want::Done);
        }
        self.is_asked = true;
        sink.step = "Reading";
        let len = bundle.get(self.entry).map_or(0, |entry| entry.source.len());
        Ok(Want::Stream { entry: self.entry, range: 0..len })
    }

    fn feed(&mut self, chunk: &[u8], bundle: &Bundle, sink: &mut Sink) -> Result<(), Fault> {
        for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
            self.rest.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut self.rest);
                self.line(line.strip_suffix(b"\n").unwrap_or(&line), bundle, sink);
                self.at += line.len() as u64;
            }
        }
        Ok(())
    }

    fn position(&self) -> Option<(EntryId, u64)> {
        Some((self.entry, self.at))
    }
}
