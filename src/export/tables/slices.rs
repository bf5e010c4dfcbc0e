//! Slices and instants, with their arguments as the file writes them.
//!
//! Arguments stay in the file: they are read again, a stretch of the file at a time, so that no byte is read twice and
//! memory holds one stretch. Within a stretch rows stand in the order of their tracks.

use super::{NormalNames, Rows, Source, Value, number, scaled};
use crate::base::map::Map;
use crate::base::time::{Span, Ticks};
use crate::format::{SliceBytes, SliceReader};
use crate::input::EntryId;
use crate::model::chunked::Chunked;
use crate::model::id::{SliceId, TrackId};
use crate::model::slice::Slices;
use crate::model::track::Track;
use std::borrow::Cow;
use std::io::Result;
use std::ops::Range;

/// Rows that are placed at once, bytes of a stretch, and the most that are read of one event.
const AT_ONCE: u64 = 1 << 18;
const STRETCH: u64 = 1 << 22;
const MAX_BYTES: u64 = 1 << 20;

/// Rows of a track of which it is known where in the file they lie.
const BLOCK: usize = 1 << 14;

/// Where the events of one file lie: a stretch of it, or those that have no bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Stretch {
    entry: u32,
    number: u32,
}

impl Stretch {
    fn of(track: &Track, start: u64) -> Self {
        Self { entry: track.entry, number: (start / STRETCH) as u32 }
    }
}

/// All slices of the files.
pub(super) fn slices(of: &Source, rows: &mut Rows) -> Result<()> {
    let tracks = || of.input.trace.tracks.iter().filter(|(_, track)| !track.is_derived);
    let n: u64 = tracks().map(|(_, track)| track.slices.len() as u64).sum();
    let n_passes = n.div_ceil(AT_ONCE).max(1);
    // Of several passes each takes its part of every file.
    let length =
        |track: &Track| of.input.bundle.get(EntryId(track.entry)).map_or(0, |e| e.source.len()).max(n_passes);
    let outlines: Map<TrackId, Outline> =
        tracks().map(|(id, track)| (id, Outline::new(track, length(track)))).collect();
    let mut writer = Writer::new(of);
    // Passes differ by a few: growing would double it.
    let mut found: Vec<(Stretch, SliceId)> = Vec::with_capacity((n / n_passes * 9 / 8) as usize);
    for pass in 0..n_passes {
        found.clear();
        for (id, track) in tracks() {
            let length = length(track);
            let part = |at: u64| (u128::from(at) * u128::from(length) / u128::from(n_passes)) as u64;
            let end = if pass + 1 == n_passes { u64::MAX } else { part(pass + 1) };
            let own =
                outlines.get(&id).into_iter().flat_map(|own| own.within(track, length, part(pass)..end));
            found.extend(own.map(|(start, row)| (Stretch::of(track, start), SliceId { track: id, row })));
        }
        found.sort_by_key(|(stretch, _)| *stretch);
        for rest in found.chunk_by(|a, b| a.0 == b.0) {
            writer.read(rest.iter().map(|(_, id)| *id));
            for (_, id) in rest {
                let Some(own) = outlines.get(&id.track) else { continue };
                writer.slice(*id, (own.around(id.row), own.nested(id.row)), rows)?;
            }
        }
    }
    Ok(())
}

/// What must be known of all slices of a track before the first is written, in at most 8 bytes a slice.
#[derive(Default)]
struct Outline {
    /// The row that each lies in, counted from 1, and 0 for none; empty when none lies in another.
    around: Chunked<u32>,
    /// How much of the time of each its children take; shorter than the track or empty where none takes any.
    nested: Chunked<u32>,
    /// The same where it does not fit: [`FAR`] there.
    far: Map<u32, Ticks>,
    /// Of each [`BLOCK`] of rows the first and the last place where one lies.
    blocks: Vec<(u64, u64)>,
}

const FAR: u32 = u32::MAX;

/// A slice that others may lie in, and until when those are counted.
struct Open {
    row: u32,
    end: Ticks,
    until: Ticks,
}

impl Outline {
    /// Of a track of a file of some length. Costs its slices.
    fn new(track: &Track, length: u64) -> Self {
        let slices = &track.slices;
        let (mut own, mut open) = (Self::default(), Vec::new());
        for row in 0..slices.len() {
            let span = slices.span(row);
            let is_apart = track.begins_stack(slices.name_of(row));
            let around = around(&mut open, span, is_apart);
            own.around.push_sparse(row, around.map_or(0, |(outer, _)| outer + 1));
            if let Some((outer, nested @ 1..)) = around {
                own.add(outer, nested);
            }
            if !span.is_empty() {
                open.push(Open { row: row as u32, end: span.end, until: span.start });
            }
            let start = place(slices, row, length);
            match own.blocks.last_mut().filter(|_| !row.is_multiple_of(BLOCK)) {
                Some((first, last)) => (*first, *last) = ((*first).min(start), (*last).max(start)),
                None => own.blocks.push((start, start)),
            }
        }
        own
    }

    /// A child of a row takes some more time.
    fn add(&mut self, row: u32, nested: Ticks) {
        let sum = self.nested(row).saturating_add(nested);
        let near = u32::try_from(sum).unwrap_or(FAR);
        if near == FAR {
            self.far.insert(row, sum);
        }
        self.nested.grow_to(row as usize + 1, &0);
        self.nested[row as usize] = near;
    }

    fn nested(&self, row: u32) -> Ticks {
        match self.nested.get(row as usize).copied().unwrap_or(0) {
            FAR => self.far.get(&row).copied().unwrap_or(0),
            near => near.into(),
        }
    }

    fn around(&self, row: u32) -> Option<u32> {
        self.around.get(row as usize)?.checked_sub(1)
    }

    /// Places and rows of the slices that lie in a range of the file.
    fn within<'a>(
        &'a self,
        track: &'a Track,
        length: u64,
        range: Range<u64>,
    ) -> impl Iterator<Item = (u64, u32)> + 'a {
        let (slices, of) = (&track.slices, range.clone());
        let blocks = self.blocks.iter().enumerate();
        let blocks = blocks.filter(move |(_, (first, last))| *first < of.end && of.start <= *last);
        let rows = blocks.flat_map(|(at, _)| at * BLOCK..slices.len().min((at + 1) * BLOCK));
        rows.map(move |row| (place(slices, row, length), row as u32))
            .filter(move |(start, _)| range.contains(start))
    }
}

/// Where a slice lies in a file of some length. What has no bytes is taken as if it lay evenly in the file.
fn place(slices: &Slices, row: usize, length: u64) -> u64 {
    let bytes = slices.detail(row);
    let has_none = bytes.is_empty() && bytes.start == 0;
    if has_none { row as u64 * length / slices.len() as u64 } else { bytes.start }
}

/// As [`crate::analysis::summary::Nesting::around`], which keeps more: the row that a slice lies in, and how much of its time
/// it takes.
fn around(open: &mut Vec<Open>, span: Span, is_apart: bool) -> Option<(u32, Ticks)> {
    let end = span.end.max(span.start.saturating_add(1));
    while open.pop_if(|open| open.end < end).is_some() {}
    let outer = open.last_mut().filter(|_| !is_apart)?;
    let nested = span.end.saturating_sub(span.start.max(outer.until)).max(0);
    outer.until = outer.until.max(span.end);
    Some((outer.row, nested))
}

/// Everything without length.
pub(super) fn instants(of: &Source, rows: &mut Rows) -> Result<()> {
    let mut found: Vec<(Stretch, SliceId)> = Vec::new();
    for (id, track) in of.input.trace.tracks.iter().filter(|(_, track)| !track.is_derived) {
        for row in 0..track.instants.len() {
            let stretch = Stretch::of(track, track.instants.detail(row).start);
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
    bytes: Bytes,
    normal: NormalNames,
}

/// A stretch of a file.
#[derive(Default)]
struct Bytes {
    entry: u32,
    /// Where it begins.
    first: u64,
    /// How many of the bytes are of it.
    n: usize,
    /// Kept from stretch to stretch.
    buffer: Vec<u8>,
}

impl Bytes {
    /// The bytes of a range of an entry, as far as they are here.
    fn get(&self, entry: u32, range: Range<u64>) -> &[u8] {
        let place = |at: u64| at.checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
        let range = place(range.start).zip(place(range.end)).filter(|_| self.entry == entry);
        range.and_then(|(start, end)| self.buffer.get(start..end.min(self.n))).unwrap_or_default()
    }
}

impl<'a> Writer<'a> {
    fn new(of: &'a Source) -> Self {
        let reader = of.input.formats.iter().find_map(|format| format.slices);
        Self { of, reader, bytes: Bytes::default(), normal: NormalNames::default() }
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
        let (entry, range) = whole.unwrap_or_default();
        let bytes = &mut self.bytes;
        (bytes.entry, bytes.first, bytes.n) = (entry, range.start, 0);
        let Some(of) = self.of.input.bundle.get(EntryId(entry)) else { return };
        let want = usize::try_from(range.end - range.start).unwrap_or(0);
        if bytes.buffer.len() < want {
            bytes.buffer.reserve_exact(want - bytes.buffer.len());
            bytes.buffer.resize(want, 0);
        }
        while let Some(rest) = bytes.buffer.get_mut(bytes.n..want).filter(|rest| !rest.is_empty()) {
            match of.source.read_at(range.start + bytes.n as u64, rest) {
                Ok(n @ 1..) => bytes.n += n,
                _ => break, // the file is shorter than it was
            }
        }
    }

    /// The arguments of an event as JSON; empty without any.
    fn args(&self, track: &Track, id: SliceId) -> Cow<'_, str> {
        let Some(reader) = self.reader else { return Cow::default() };
        let own = detail(track, id);
        if own.start == 0 && own.is_empty() {
            return Cow::default();
        }
        let bytes = self.bytes.get(track.entry, own.clone());
        let json = match reader.args {
            Some(args) => args(bytes),
            None => Cow::Owned(self.told(reader, bytes, (track.entry, own.start))),
        };
        text(json)
    }

    /// The same where the file does not write them as JSON.
    fn told(&self, reader: &SliceReader, bytes: &[u8], place: (u32, u64)) -> Vec<u8> {
        let read = |range| self.of.input.bytes(place.0, range);
        let said = (reader.detail)(&SliceBytes { bytes, place, trace: self.of.input.trace, read: &read });
        if said.args.is_empty() {
            return Vec::new();
        }
        let members = said.args.into_iter().map(|(name, value)| (name, value.into()));
        let object: serde_json::Map<String, serde_json::Value> = members.collect();
        serde_json::to_vec(&object).unwrap_or_default()
    }

    /// One slice, with the row around it and how much of its time its children take.
    fn slice(&mut self, id: SliceId, near: (Option<u32>, Ticks), rows: &mut Rows) -> Result<()> {
        let input = self.of.input;
        let trace = input.trace;
        let Some(track) = trace.tracks.find(id.track) else { return Ok(()) };
        let (slices, at) = (&track.slices, id.row as usize);
        let span = slices.span(at);
        let clock = trace.clock_of(id.track);
        let ticks = clock.ticks(span);
        let (around, nested) = near;
        let around = around.map(|row| number(SliceId { row, ..id }));
        let name = slices.name_of(at);
        self.normal.make(trace, name);
        let args = self.args(track, id);
        let link = slices.link.get(at).copied().filter(|link| *link != 0);
        // The length that nested slices leave, on the clock of the track.
        let own = if nested == 0 { ticks.dur() } else { ticks_of(span, ticks, span.dur() - nested) };
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
                self.normal.get(name).into(),
                trace.strings.get(slices.category_of(at)).into(),
                link.map(i64::from).into(),
                self.of.step(id.track, span.start).into(),
                Value::from(&*args),
                slices.is_unfinished(at).into(),
            ],
        )
    }

    fn instant(&mut self, id: SliceId, rows: &mut Rows) -> Result<()> {
        let trace = self.of.input.trace;
        let Some(track) = trace.tracks.find(id.track) else { return Ok(()) };
        let Some(event) = trace.event(id) else { return Ok(()) };
        let args = self.args(track, id);
        let clock = trace.clock_of(id.track);
        rows.push(
            self.of.owner(id.track),
            &[
                number(id).into(),
                i64::from(id.track.0).into(),
                scaled(clock.tick(event.span.start), clock.unit).into(),
                trace.strings.get(event.name).into(),
                trace.strings.get(event.category).into(),
                Value::from(&*args),
            ],
        )
    }
}

/// Bytes as text. Nearly all are: looking whether they are costs a fraction of mending them.
fn text(bytes: Cow<'_, [u8]>) -> Cow<'_, str> {
    match bytes {
        Cow::Borrowed(bytes) => {
            str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
        }
        Cow::Owned(bytes) => Cow::Owned(
            String::from_utf8(bytes)
                .unwrap_or_else(|why| String::from_utf8_lossy(why.as_bytes()).into_owned()),
        ),
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
