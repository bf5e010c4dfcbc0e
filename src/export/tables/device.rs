//! Kernels, copies and waits of streams, and what is known of ranks and steps.

use super::file::Owner;
use super::{NormalNames, Rows, Source, Value, number, scaled};
use crate::analysis::device::class::{CLASSES, collective};
use crate::analysis::device::dialect::Dialect;
use crate::analysis::device::ranks::KnownRanks;
use crate::analysis::device::{Class, Device, Work, launch_arg};
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::export::ExportInput;
use crate::format::{SliceBytes, SliceReader};
use crate::model::Trace;
use crate::model::id::{SliceId, TrackId};
use crate::model::track::Track;
use std::io::Result;
use std::ops::Range;

/// Most bytes that are read of one kernel.
const MAX_BYTES: u64 = 1 << 16;

/// Bytes that are read at once: kernels stand next to each other in most files.
const AHEAD: u64 = 1 << 14;

/// Whom rows of tracks are of.
#[derive(Default)]
pub(super) struct Owners {
    of_track: Map<TrackId, (Option<i64>, Option<String>)>,
    of_entry: Map<u32, i64>,
    /// Steps by track of a stream, and as hosts mark them by entry: in order of time.
    steps: [Vec<Vec<(Span, String)>>; 2],
    steps_of_track: Map<TrackId, usize>,
    steps_of_entry: Map<u32, usize>,
}

impl Owners {
    pub(super) fn new(input: &ExportInput, device: Option<&Device>) -> Self {
        let trace = input.trace;
        let mut owners = Self::default();
        if let Some(known) = trace.extensions.get::<KnownRanks>() {
            owners.of_entry =
                known.of_entry.iter().map(|(entry, rank)| (*entry, rank.cast_signed())).collect();
        }
        let Some(device) = device else { return owners };
        for (at, _) in device.ranks.iter().enumerate() {
            let steps = device.steps.iter().filter(|step| step.rank as usize == at);
            let named = steps.filter_map(|step| {
                let name = trace.strings.get(trace.event(step.slice?)?.name);
                Some([step.span, step.marked].map(|span| (span, name.to_owned())))
            });
            let (mut on_streams, mut on_hosts): (Vec<_>, Vec<_>) = named.map(<(_, _)>::from).unzip();
            for (all, own) in owners.steps.iter_mut().zip([&mut on_streams, &mut on_hosts]) {
                order::sort_by_key(own, |(span, _)| (span.start, span.end));
                all.push(std::mem::take(own));
            }
        }
        for stream in &device.streams {
            let Some(track) = trace.tracks.find(stream.track) else { continue };
            let name = device.ranks.get(stream.rank as usize).map(|rank| rank.device.clone());
            let name = name.filter(|name| !name.is_empty());
            let rank = owners.of_entry.get(&track.entry).copied();
            owners.of_track.insert(stream.track, (rank, name));
            owners.steps_of_track.insert(stream.track, stream.rank as usize);
            owners.steps_of_entry.entry(track.entry).or_insert(stream.rank as usize);
        }
        owners
    }

    pub(super) fn of(&self, trace: &Trace, id: TrackId) -> Owner<'_> {
        if let Some((rank, device)) = self.of_track.get(&id) {
            return Owner { rank: *rank, device: device.as_deref() };
        }
        let entry = trace.tracks.find(id).map(|track| track.entry);
        Owner { rank: entry.and_then(|entry| self.of_entry.get(&entry).copied()), device: None }
    }

    /// The only rank that the files are of.
    pub(super) fn rank(&self) -> Option<i64> {
        let mut all = self.of_entry.values();
        let first = all.next().copied()?;
        all.all(|rank| *rank == first).then_some(first)
    }

    /// The step that a time of a track lies in, as it is shown.
    pub(super) fn step(&self, trace: &Trace, id: TrackId, time: Ticks) -> Option<&str> {
        let [on_streams, on_hosts] = &self.steps;
        let entry = || self.steps_of_entry.get(&trace.tracks.find(id)?.entry);
        let steps = match self.steps_of_track.get(&id) {
            Some(own) => on_streams.get(*own)?,
            None => on_hosts.get(*entry()?)?,
        };
        let after = steps.partition_point(|(span, _)| span.start <= time);
        let (span, name) = steps.get(after.checked_sub(1)?)?;
        span.contains(time).then_some(name.as_str())
    }
}

/// All work of streams.
pub(super) fn kernels(of: &Source, rows: &mut Rows) -> Result<()> {
    let Some(device) = of.device else { return Ok(()) };
    let trace = of.input.trace;
    let place = |work: &Work| {
        let track = trace.tracks.find(work.slice.track);
        track.map(|track| (track.entry, track.slices.detail(work.slice.row as usize).start))
    };
    // In the order of the file, so that it is read once from begin to end.
    let mut works: Vec<&Work> = device.works.iter().collect();
    works.sort_by_key(|work| place(work));
    let reader = of.input.formats.iter().find_map(|format| format.slices);
    let mut kernels = Kernels { of, device, reader, bytes: Bytes::default(), normal: NormalNames::default() };
    works.into_iter().try_for_each(|work| kernels.add(work, rows))
}

/// Writes rows of kernels.
struct Kernels<'a> {
    of: &'a Source<'a>,
    device: &'a Device,
    reader: Option<&'static SliceReader>,
    bytes: Bytes,
    normal: NormalNames,
}

/// A piece of a file.
#[derive(Default)]
struct Bytes {
    entry: u32,
    first: u64,
    read: Vec<u8>,
}

impl Bytes {
    /// The bytes of a range of an entry, as far as they can be read; with them are read some that stand behind.
    fn get(&mut self, input: &ExportInput, entry: u32, range: Range<u64>) -> &[u8] {
        let here = self.first..self.first + self.read.len() as u64;
        let is_here = self.entry == entry && here.start <= range.start && range.end <= here.end;
        if !is_here && !range.is_empty() {
            let read = input.bytes(entry, range.start..range.end.max(range.start.saturating_add(AHEAD)));
            *self = Self { entry, first: range.start, read };
        }
        let place = |at: u64| usize::try_from(at.saturating_sub(self.first)).unwrap_or(usize::MAX);
        let end = place(range.end).min(self.read.len());
        self.read.get(place(range.start)..end).filter(|_| !range.is_empty()).unwrap_or_default()
    }
}

impl Kernels<'_> {
    fn add(&mut self, work: &Work, rows: &mut Rows) -> Result<()> {
        let (of, device) = (self.of, self.device);
        let trace = of.input.trace;
        let Some(track) = trace.tracks.find(work.slice.track) else { return Ok(()) };
        let row = work.slice.row as usize;
        let args = self.args(track, row);
        let arg = |names: &[&str]| {
            let found = args.iter().find(|(name, _)| names.contains(&name.as_str()));
            found.map_or("", |(_, value)| value.as_str())
        };
        let measure = |at: usize| launch_arg(&args, at).unwrap_or_default();
        let whole = |text: &str| text.trim().parse::<f64>().ok().map(|number| number as i64);
        let name_id = track.slices.name_of(row);
        self.normal.make(trace, name_id);
        let name = trace.strings.get(name_id);
        let clock = trace.clock_of(work.slice.track);
        let ticks = clock.ticks(track.slices.span(row));
        let launch =
            work.launch.and_then(|launch| Some(number(SliceId { track: launch.track, row: launch.row? })));
        let stream = device.streams.get(work.stream as usize);
        let stream = stream.and_then(|stream| trace.tracks.find(stream.track));
        let said = &Dialect::of(trace).said;
        let class = if work.is_part { Some("part") } else { CLASSES.get(work.class as usize).copied() };
        let (group, sequence) = (arg(&said.group[..1]), arg(&[said.sequence]));
        let is_exchange = work.class == Class::Communication;
        let kind = || [name, arg(&[said.collective])].into_iter().find_map(collective);
        rows.push(
            of.owner(work.slice.track),
            &[
                number(work.slice).into(),
                i64::from(work.slice.track.0).into(),
                launch.into(),
                name.into(),
                self.normal.get(name_id).into(),
                class.into(),
                scaled(ticks.start, clock.unit).into(),
                scaled(ticks.dur(), clock.unit).into(),
                work.latency().map(|ticks| scaled(ticks, trace.clock)).into(),
                trace.strings.get(work.operator).into(),
                work.launch.map(|_| i64::from(work.queue)).into(),
                stream.map(|track| trace.strings.get(track.name).trim()).into(),
                of.step(work.slice.track, track.slices.span(row).start).into(),
                measure(0).into(),
                measure(1).into(),
                whole(measure(2)).into(),
                whole(measure(3)).into(),
                Value::from(measure(4).trim().parse::<f64>().ok()),
                group.into(),
                whole(sequence).into(),
                whole(measure(7)).into(),
                is_exchange.then(kind).flatten().into(),
            ],
        )
    }

    /// What the bytes of a kernel say.
    fn args(&mut self, track: &Track, row: usize) -> Vec<(String, String)> {
        let (input, Some(reader)) = (self.of.input, self.reader) else { return Vec::new() };
        let range = track.slices.detail(row);
        let end = range.end.min(range.start.saturating_add(MAX_BYTES));
        let read = |range| input.bytes(track.entry, range);
        let place = (track.entry, range.start);
        let bytes = self.bytes.get(input, track.entry, range.start..end);
        (reader.detail)(&SliceBytes { bytes, place, trace: input.trace, read: &read }).args
    }
}
