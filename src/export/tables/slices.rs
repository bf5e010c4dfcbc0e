//! Slices and instants, with their arguments as the file writes them.
//!
//! Arguments stay in the file: they are read again, a stretch of the file at a time, so that no byte is read twice and
//! memory holds one stretch. Within a stretch rows stand in the order of their tracks.

use super::{Rows, Source, Value, number, scaled};
use crate::analysis::summary::Nesting;
use crate::base::names::normal;
use crate::base::time::{Span, Ticks};
use crate::format::{SliceBytes, SliceReader};
use crate::model::id::{SliceId, StrId, TrackId};
use crate::model::slice::Slices;
use crate::model::track::Track;
use std::io::Result;
use std::ops::Range;

/// Rows that are placed at once, bytes of a stretch, and the most that are read of one event.
const AT_ONCE: u64 = 1 << 20;
const STRETCH: u64 = 1 << 24;
const MAX_BYTES: u64 = 1 << 20;

/// No slice around.
const NONE: u32 = u32::MAX;

/// A slice that is to be written.
struct Row {
    id: SliceId,
    around: u32,
    own: Ticks,
}

/// Where the events of one file lie: a stretch of it, or those that have no bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Stretch {
    entry: u32,
    number: u64,
}

/// All slices of the files.
pub(super) fn slices(of: &Source, rows: &mut Rows) -> Result<()> {
    let tracks = || of.input.trace.tracks.iter().filter(|(_, track)| !track.is_derived);
    let n: u64 = tracks().map(|(_, track)| track.slices.len() as u64).sum();
    let n_passes = n.div_ceil(AT_ONCE).max(1);
    let mut writer = Writer::new(of);
    for pass in 0..n_passes {
        let mut found: Vec<(Stretch, Row)> = Vec::new();
        for (id, track) in tracks() {
            // Of several passes each takes its part of every file.
            let length =
                of.input.bundle.get(crate::input::EntryId(track.entry)).map_or(0, |e| e.source.len());
            let part = |at: u64| at * length / n_passes;
            let range = if pass + 1 == n_passes { part(pass)..u64::MAX } else { part(pass)..part(pass + 1) };
            collect((id, track), range, &mut found);
        }
        found.sort_by_key(|(stretch, _)| *stretch);
        for rest in found.chunk_by(|a, b| a.0 == b.0) {
            writer.read(rest.iter().map(|(_, row)| row.id));
            for (_, row) in rest {
                writer.slice(row, rows)?;
            }
        }
    }
    Ok(())
}

/// The slices of a track whose bytes begin in a range of its file, each with what is around it.
fn collect((id, track): (TrackId, &Track), range: Range<u64>, found: &mut Vec<(Stretch, Row)>) {
    let slices = &track.slices;
    let mut own: Vec<(u32, Ticks)> = Vec::with_capacity(slices.len());
    let mut nesting = Nesting::default();
    for row in 0..slices.len() {
        let span = slices.span(row);
        let is_apart = track.begins_stack(slices.name_of(row));
        let around = nesting.around(span, span, is_apart);
        if let Some((around, nested)) = around
            && let Some(outer) = own.get_mut(around as usize)
        {
            outer.1 -= nested;
        }
        own.push((around.map_or(NONE, |(row, _)| row), span.dur()));
        nesting.open(span, span, row as u32);
    }
    for (row, (around, own)) in own.into_iter().enumerate() {
        let start = slices.detail(row).start;
        if range.contains(&start) {
            let stretch = Stretch { entry: track.entry, number: start / STRETCH };
            found.push((stretch, Row { id: SliceId { track: id, row: row as u32 }, around, own }));
        }
    }
}

/// Everything without length.
pub(super) fn instants(of: &Source, rows: &mut Rows) -> Result<()> {
    let mut found: Vec<(Stretch, SliceId)> = Vec::new();
    for (id, track) in of.input.trace.tracks.iter().filter(|(_, track)| !track.is_derived) {
        for row in 0..track.instants.len() {
            let start = track.instants.detail(row).start;
            let stretch = Stretch { entry: track.entry, number: start / STRETCH };
            found.push((stretch, SliceId::of_instant(id, row)));
        }
    }
    found.sort_by_key(|(stretch, _)| *stretch);
    let mut writer = Writer::new(of);
    for rest in found.chunk_by(|a, b| a.0 == b.0) {
        writer.read(rest.iter().map(|(_, id)| *id));
        for (_, id) in rest {
            writer.instant(*id, rows)?;
        }
    }
    Ok(())
}

/// Writes rows, and holds the bytes of one stretch.
struct Writer<'a> {
    of: &'a Source<'a>,
    reader: Option<&'static SliceReader>,
    /// Number of the entry, where the bytes begin in it, and they themselves.
    bytes: (u32, u64, Vec<u8>),
    args: Vec<u8>,
    text: String,
    /// Names without what tells instances apart, by name.
    normal: crate::base::map::Map<StrId, String>,
}

impl<'a> Writer<'a> {
    fn new(of: &'a Source) -> Self {
        Self {
            of,
            reader: of.input.formats.iter().find_map(|format| format.slices),
            bytes: (0, 0, Vec::new()),
            args: Vec::new(),
            text: String::new(),
            normal: crate::base::map::Map::default(),
        }
    }

    /// Reads the bytes of these events at once.
    fn read(&mut self, ids: impl Iterator<Item = SliceId>) {
        let trace = self.of.input.trace;
        let mut whole: Option<(u32, Range<u64>)> = None;
        for id in ids.filter(|_| self.reader.is_some()) {
            let Some(track) = trace.tracks.find(id.track) else { continue };
            let own = detail(track, id);
            if own.is_empty() {
                continue;
            }
            let end = own.end.min(own.start.saturating_add(MAX_BYTES));
            let (_, range) = whole.get_or_insert((track.entry, own.start..end));
            *range = range.start.min(own.start)..range.end.max(end);
        }
        self.bytes = match whole {
            Some((entry, range)) => (entry, range.start, self.of.input.bytes(entry, range)),
            None => (0, 0, Vec::new()),
        };
    }

    /// Finds the arguments of an event as JSON.
    fn find_args(&mut self, track: &Track, id: SliceId) {
        self.text.clear();
        let Some(reader) = self.reader else { return };
        let own = detail(track, id);
        if own.start == 0 && own.is_empty() {
            return;
        }
        let (entry, first, bytes) = &self.bytes;
        let place = |at: u64| at.checked_sub(*first).and_then(|at| usize::try_from(at).ok());
        let range = place(own.start).zip(place(own.end)).filter(|_| *entry == track.entry);
        let bytes = range.and_then(|(start, end)| bytes.get(start..end.min(bytes.len()))).unwrap_or(&[]);
        self.args.clear();
        if let Some(args) = reader.args {
            args(bytes, &mut self.args);
        } else {
            let read = |range| self.of.input.bytes(track.entry, range);
            let place = (track.entry, own.start);
            let said = (reader.detail)(&SliceBytes { bytes, place, trace: self.of.input.trace, read: &read });
            if !said.args.is_empty() {
                let members = said.args.into_iter().map(|(name, value)| (name, value.into()));
                let object: serde_json::Map<String, serde_json::Value> = members.collect();
                // A map of texts can always be written.
                let _ = serde_json::to_writer(&mut self.args, &object);
            }
        }
        match std::str::from_utf8(&self.args) {
            Ok(text) => self.text.push_str(text),
            Err(_) => self.text.push_str(&String::from_utf8_lossy(&self.args)),
        }
    }

    fn slice(&mut self, row: &Row, rows: &mut Rows) -> Result<()> {
        let input = self.of.input;
        let (trace, id) = (input.trace, row.id);
        let Some(track) = trace.tracks.find(id.track) else { return Ok(()) };
        self.find_args(track, id);
        let (slices, at) = (&track.slices, id.row as usize);
        let span = slices.span(at);
        let clock = trace.clock_of(id.track);
        let ticks = clock.ticks(span);
        let around = (row.around != NONE).then(|| number(SliceId { row: row.around, ..id }));
        let name = slices.name_of(at);
        let named = self.normal.entry(name).or_insert_with(|| normal(trace.strings.get(name)).into_owned());
        let link = slices.link.get(at).copied().filter(|link| *link != 0);
        // The length that nested slices leave, on the clock of the track.
        let own = if row.own == span.dur() { ticks.dur() } else { ticks_of(span, ticks, row.own) };
        rows.push(
            self.of.owner(id.track),
            &[
                number(id).into(),
                i64::from(id.track.0).into(),
                around.into(),
                scaled(ticks.start, clock.unit).into(),
                scaled(ticks.dur(), clock.unit).into(),
                scaled(own, clock.unit).into(),
                input.derived.timeline.lane_of(id).map(|lane| lane as u64).into(),
                trace.strings.get(name).into(),
                named.as_str().into(),
                trace.strings.get(Slices::sparse(&slices.category, at)).into(),
                link.map(i64::from).into(),
                self.of.step(id.track, span.start).into(),
                Value::from(self.text.as_str()),
            ],
        )
    }

    fn instant(&mut self, id: SliceId, rows: &mut Rows) -> Result<()> {
        let trace = self.of.input.trace;
        let Some(track) = trace.tracks.find(id.track) else { return Ok(()) };
        let Some(event) = trace.event(id) else { return Ok(()) };
        self.find_args(track, id);
        let clock = trace.clock_of(id.track);
        rows.push(
            self.of.owner(id.track),
            &[
                number(id).into(),
                i64::from(id.track.0).into(),
                scaled(clock.tick(event.span.start), clock.unit).into(),
                trace.strings.get(event.name).into(),
                trace.strings.get(event.category).into(),
                Value::from(self.text.as_str()),
            ],
        )
    }
}

/// A length on the axis as ticks of a clock, from a stretch that is known in both.
fn ticks_of(axis: Span, clock: Span, length: Ticks) -> Ticks {
    if axis.dur() == clock.dur() {
        return length;
    }
    let share = length as f64 / axis.dur().max(1) as f64;
    (share * clock.dur() as f64).round() as Ticks
}

/// Where the bytes of an event lie.
fn detail(track: &Track, id: SliceId) -> Range<u64> {
    match id.instant() {
        Some(row) => track.instants.detail(row),
        None => track.slices.detail(id.row as usize),
    }
}
