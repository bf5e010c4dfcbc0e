//! A folder of a run while it is read: reports, then the two traces of one buffer after the other, side by side.

use super::{
    ArrayRun, BUFFERS, Buffer, KEEP_PADDING, Report, Runs, SIZES, Side, WORD_BYTES, place_of, role, trace_of,
};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::map::Map;
use crate::base::time::Clock;
use crate::base::words::{message, phrase};
use crate::format::{Claim, Reading, Sink, Want};
use crate::input::{Bundle, EntryId, read_range};
use crate::model::parameter::Values;
use crate::model::slice::SliceRow;
use crate::model::track::TrackKind;
use crate::systems::gainsight::Grid;
use crate::views::lifetimes::compute::{
    Closing, Counts, Distribution, Growing, Kernel, Level, LevelHead, Recorded, Rules, Run,
};
use std::collections::{BTreeMap, VecDeque};

/// Largest report or configuration that is read.
const SMALL: u64 = 64 << 20;
/// Accesses that are taken in one step.
const STEP: usize = 1 << 17;

/// The traces of a buffer: from memory and from the array.
type Pair = [Option<EntryId>; 2];

/// The files of a run.
pub(super) struct Folder {
    all: Vec<(EntryId, &'static str)>,
    rules: Rules,
    keeps_padding: bool,
    word_bytes: u64,
    /// Layer, buffer and traces that were not read yet.
    waiting: VecDeque<(u64, usize, Pair)>,
    run: ArrayRun,
    entry: EntryId,
    now: Option<Now>,
    has_begun: bool,
}

/// The buffer that is being read.
struct Now {
    layer: u64,
    buffer: usize,
    /// What writes it and what reads it.
    sides: [Option<Side>; 2],
    /// The one that is fed.
    fed: usize,
    words: Working,
}

impl Folder {
    pub(super) fn new(claim: &Claim, values: &Values) -> Self {
        Self {
            all: claim.entries.clone(),
            rules: Rules::of(values),
            keeps_padding: values.flag(KEEP_PADDING.id),
            word_bytes: word_bytes(values),
            waiting: VecDeque::new(),
            run: ArrayRun::default(),
            entry: claim.entries.first().map_or(EntryId(u32::MAX), |(entry, _)| *entry),
            now: None,
            has_begun: false,
        }
    }

    /// Reads what is small, and finds the traces.
    fn begin(&mut self, bundle: &Bundle, sink: &mut Sink) {
        let mut traces: BTreeMap<(u64, usize), Pair> = BTreeMap::new();
        for (id, role) in &self.all {
            let Some(entry) = bundle.get(*id) else { continue };
            let (folder, layer) = place_of(&entry.path);
            if self.run.name.is_empty() {
                folder.rsplit('/').next().unwrap_or("").clone_into(&mut self.run.name);
            }
            if *role == role::TRACE {
                let Some((buffer, is_memory)) = trace_of(entry.name()) else { continue };
                let pair = traces.entry((layer.unwrap_or(0), buffer)).or_default();
                if let Some(place) = pair.get_mut(usize::from(!is_memory)) {
                    *place = Some(*id);
                }
                continue;
            }
            let bytes = read_range(&*entry.source, 0..SMALL).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            if *role == role::SETTINGS {
                self.run.settings = super::report_settings(&text);
            } else if let Some(kind) =
                super::report_kind(text.trim_start_matches('\u{feff}').lines().next().unwrap_or(""))
                && let Some(place) = self.run.reports.get_mut(kind)
            {
                *place = Some(Report::read(&bytes, kind, &entry.path, sink));
            }
        }
        self.waiting = traces.into_iter().map(|((layer, buffer), pair)| (layer, buffer, pair)).collect();
        if let Some(name) = self.setting("run_name") {
            self.run.name = name.to_owned();
        }
    }

    fn setting(&self, key: &str) -> Option<&str> {
        self.run.settings.iter().find(|(own, _)| own == key).map(|(_, value)| value.as_str())
    }

    /// The bytes of a buffer as the configuration says.
    fn bytes(&self, key: &str) -> Option<u64> {
        let kib: u64 = self.setting(key)?.parse().ok()?;
        kib.checked_mul(1024).filter(|bytes| 0 < *bytes)
    }

    /// The cycles that a layer took as the report says.
    fn cycles(&self, layer: u64) -> Option<u64> {
        let cycles = self.run.reports.first()?.as_ref()?.value(layer, 0)?;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it was looked at
        (0.0..9e15).contains(&cycles).then_some(cycles as u64)
    }

    fn open(&self, (layer, buffer, pair): (u64, usize, Pair), bundle: &Bundle, sink: &mut Sink) -> Now {
        let [memory, array] = pair;
        // Only what is fetched from memory is filled up.
        let drops_padding = buffer != 2 && !self.keeps_padding;
        let memory = memory.map(|id| Side::new(id, bundle, drops_padding));
        let array = array.map(|id| Side::new(id, bundle, false));
        if memory.is_none() || array.is_none() {
            let name = BUFFERS.get(buffer).copied().unwrap_or("");
            let path =
                pair.iter().flatten().next().and_then(|id| bundle.get(*id)).map_or("", |entry| &entry.path);
            let kind = Kind::Problem(message("{buffer} has only one of its two traces").with("buffer", name));
            let fault = Fault::new("SCS-ABSENT", Severity::Loss, Place::entry(path), kind);
            sink.fault(fault.note(phrase("Its lifetimes are not shown.")));
        }
        // The array writes results and reads everything else.
        let sides = if buffer == 2 { [array, memory] } else { [memory, array] };
        Now { layer, buffer, sides, fed: 0, words: Working::new(self.rules.closing) }
    }

    fn close(&mut self, now: Now) {
        let is_whole = now.sides.iter().all(Option::is_some);
        let mut buffer: Buffer = now.words.finish(self.cycles(now.layer));
        buffer.padding = now.sides.iter().flatten().map(|side| side.padding).sum();
        if !is_whole {
            let counts = buffer.level.counts;
            buffer.level = Level::default();
            (buffer.level.counts.reads, buffer.level.counts.writes) = (counts.reads, counts.writes);
            buffer.level.counts.sectors = counts.sectors;
            buffer.replaced = 0;
        }
        let layer = self.run.layers.entry(now.layer).or_default();
        if let Some(place) = layer.get_mut(now.buffer) {
            *place = Some(buffer);
        }
    }

    /// Hands the run over.
    fn finish(&mut self, sink: &mut Sink) {
        let (mut kernels, mut start) = (Vec::new(), 0_u64);
        for (number, buffers) in &self.run.layers {
            let cycles = self.cycles(*number).unwrap_or_else(|| self.seen(*number));
            let level =
                |buffer: &Option<Buffer>| buffer.as_ref().map_or_else(Level::default, |b| b.level.clone());
            kernels.push(Kernel {
                id: *number,
                name: format!("layer{number}"),
                start,
                cycles,
                weight: 1.0,
                levels: buffers.iter().map(level).collect(),
                ..Kernel::default()
            });
            start = start.saturating_add(cycles);
        }
        self.layers(sink);
        let head = sink.builder.head();
        if head.title.is_empty() {
            head.title.clone_from(&self.run.name);
        }
        let (height, width) = (self.setting("ArrayHeight"), self.setting("ArrayWidth"));
        if let Some((height, width)) = height.zip(width) {
            head.headline.push(format!("{height} × {width}"));
        }
        head.headline.extend(self.setting("Dataflow").map(str::to_owned));
        if !kernels.is_empty() {
            let level = |(name, key): (&str, &str)| LevelHead {
                name: name.to_owned(),
                bytes: self.bytes(key),
                word_bytes: Some(self.word_bytes),
                ..LevelHead::default()
            };
            let levels: Vec<LevelHead> = BUFFERS.into_iter().zip(SIZES).map(level).collect();
            head.extensions.get_or_default::<Recorded>().runs.push(Run {
                entry: self.entry.0,
                name: self.run.name.clone(),
                has_layers: true,
                levels,
                kernels,
                rules: self.rules,
                ..Run::default()
            });
        }
        head.extensions.get_or_default::<Runs>().0.push(std::mem::take(&mut self.run));
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it was looked at
fn word_bytes(values: &Values) -> u64 {
    values.number(WORD_BYTES.id).map_or(1, |bytes| bytes.clamp(1.0, 4096.0) as u64)
}

impl Folder {
    /// Layers on the timeline, one after the other: those of the report, or else of the traces.
    fn layers(&self, sink: &mut Sink) {
        let reported = self.run.reports.first().and_then(Option::as_ref);
        let known = reported.map(|report| report.rows.iter().map(|(layer, _)| *layer).collect::<Vec<_>>());
        let all = known.unwrap_or_else(|| self.run.layers.keys().copied().collect());
        if all.is_empty() {
            return;
        }
        sink.builder.head().clock = Clock::Cycles { hz: None };
        let builder = &mut sink.builder;
        let group = if sink.is_shared {
            let name = builder.intern(&self.run.name);
            builder.track(None, TrackKind::Group, name, self.entry.0)
        } else {
            None
        };
        let name = builder.intern(phrase("Layers"));
        let Some(track) = builder.track(group, TrackKind::Slices, name, self.entry.0) else { return };
        let mut start = 0_i64;
        for layer in all {
            let cycles = i64::try_from(self.cycles(layer).unwrap_or_else(|| self.seen(layer))).unwrap_or(0);
            let name = builder.intern(&format!("layer{layer}"));
            builder.slice(track, SliceRow::new(start, cycles, name));
            start = start.saturating_add(cycles);
        }
    }

    /// The cycles that the traces of a layer cover.
    fn seen(&self, layer: u64) -> u64 {
        let buffers = self.run.layers.get(&layer).into_iter().flatten().flatten();
        let last = buffers.filter_map(|buffer| u64::try_from(buffer.span?.1).ok()).max();
        last.map_or(0, |last| last.saturating_add(1))
    }
}

impl Now {
    /// Takes accesses in the order of their cycles, as far as those of both traces are known. What has to be fed for
    /// more; `None` when there is nothing more, or the program should give way. A push parser.
    fn step(&mut self, sink: &mut Sink) -> Step {
        for _ in 0..STEP {
            for (at, side) in self.sides.iter_mut().enumerate() {
                let Some(side) = side else { continue };
                if let Some(range) = side.want() {
                    self.fed = at;
                    return Step::Feed(side.entry, range);
                }
                if side.next().is_none() && side.is_asked() {
                    side.finish(sink);
                }
            }
            let [write, read] = &mut self.sides;
            let of = |side: &Option<Side>| side.as_ref().and_then(Side::next);
            let is_write = match (of(write), of(read)) {
                (None, None) => return Step::Done,
                (write, None) => write.is_some(),
                (None, Some(_)) => false,
                (Some(write), Some(read)) => write <= read,
            };
            let side = if is_write { write } else { read };
            if let Some((cycle, address)) = side.as_mut().and_then(Side::pop) {
                self.words.access(is_write, cycle, address);
            }
        }
        Step::Again
    }
}

/// What a step found.
enum Step {
    Feed(EntryId, std::ops::Range<u64>),
    Again,
    Done,
}

impl Reading for Folder {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        sink.step = "Reading";
        if !self.has_begun {
            self.has_begun = true;
            self.begin(bundle, sink);
            return Ok(Want::Again);
        }
        let mut now = match self.now.take() {
            Some(now) => now,
            None => match self.waiting.pop_front() {
                Some(waiting) => self.open(waiting, bundle, sink),
                None => {
                    self.finish(sink);
                    return Ok(Want::Done);
                }
            },
        };
        match now.step(sink) {
            Step::Feed(entry, range) => {
                self.now = Some(now);
                return Ok(Want::Stream { entry, range });
            }
            Step::Again => self.now = Some(now),
            Step::Done => self.close(now),
        }
        Ok(Want::Again)
    }

    fn feed(&mut self, chunk: &[u8], _: &Bundle, sink: &mut Sink) -> Result<(), Fault> {
        let fed = self.now.as_mut().and_then(|now| now.sides.get_mut(now.fed)?.as_mut());
        if let Some(side) = fed {
            side.feed(chunk, sink);
        }
        Ok(())
    }

    fn position(&self) -> Option<(EntryId, u64)> {
        let now = self.now.as_ref()?;
        now.sides.get(now.fed)?.as_ref().map(|side| (side.entry, side.position()))
    }
}

// A buffer: who writes and reads its words, and how long words were in use.
//
// A word lives from a write to the last read before the next write. What is written and read in one cycle is written first.

/// Bins over time, and over words.
const BINS: (usize, usize) = (256, 128);

/// A buffer while its traces are read.
struct Working {
    closing: Closing,
    words: Map<u64, Word>,
    counts: Counts,
    reused: Growing,
    orphaned: Growing,
    reuses: Growing,
    /// Writes and reads over time and words.
    maps: [Grid; 2],
    /// First and last cycle of an access.
    span: Option<(i64, i64)>,
}

/// A word of a buffer.
#[derive(Clone, Copy)]
struct Word {
    /// When it was written; `None` while it was only read.
    start: Option<i64>,
    /// When it was last read since.
    last: i64,
    reads: u32,
}

impl Working {
    pub(super) fn new(closing: Closing) -> Self {
        Self {
            closing,
            words: Map::default(),
            counts: Counts::default(),
            reused: Growing::default(),
            orphaned: Growing::default(),
            reuses: Growing::default(),
            maps: [Grid::new(BINS.0, BINS.1), Grid::new(BINS.0, BINS.1)],
            span: None,
        }
    }

    /// Takes an access. Cycles ascend; of one cycle the writes come first.
    pub(super) fn access(&mut self, is_write: bool, cycle: i64, address: u64) {
        self.span = Some(self.span.map_or((cycle, cycle), |(a, b)| (a.min(cycle), b.max(cycle))));
        if let ([writes, reads], Ok(word)) = (&mut self.maps, i64::try_from(address)) {
            if is_write { writes } else { reads }.add(cycle, word);
        }
        if is_write {
            self.counts.writes += 1;
            let old = self.words.insert(address, Word { start: Some(cycle), last: cycle, reads: 0 });
            self.counts.overwritten += u64::from(old.is_some_and(|old| old.start.is_some()));
            self.counts.replaced += u64::from(old.is_some_and(|old| old.start.is_some() && old.reads == 0));
            if let Some(old) = old {
                self.close(old, cycle);
            }
        } else {
            self.counts.reads += 1;
            let existing = &mut self.counts.existing;
            let word = self.words.entry(address).or_insert_with(|| {
                *existing += 1;
                Word { start: None, last: cycle, reads: 0 }
            });
            (word.last, word.reads) = (cycle, word.reads.saturating_add(1));
        }
    }

    fn close(&mut self, word: Word, cycle: i64) {
        let Some(start) = word.start else { return };
        let end = if self.closing == Closing::Resident { cycle } else { word.last };
        let length = u64::try_from(end.saturating_sub(start)).unwrap_or(0);
        self.counts.lifetimes += 1;
        self.counts.orphans += u64::from(word.reads == 0);
        self.counts.unread += u64::from(word.reads == 0);
        if word.reads == 0 { &mut self.orphaned } else { &mut self.reused }.push(length);
        self.reuses.push(u64::from(word.reads));
    }

    /// Everything was read; the layer took so many cycles.
    pub(super) fn finish(mut self, cycles: Option<u64>) -> Buffer {
        let last = self.span.map_or(0, |(_, last)| last);
        let end = cycles.and_then(|cycles| i64::try_from(cycles).ok()).map_or(last, |end| end.max(last));
        let words = std::mem::take(&mut self.words);
        self.counts.sectors = words.len() as u64;
        let never_again: u64 =
            words.values().map(|word| u64::from(word.start.is_some() && word.reads == 0)).sum();
        for word in words.into_values() {
            self.close(word, end);
        }
        let all = |growing: Growing| Distribution::from(&growing.finish());
        let level = Level {
            counts: self.counts,
            reused: all(self.reused),
            orphaned: all(self.orphaned),
            reuses: all(self.reuses),
            ..Level::default()
        };
        let replaced = level.counts.orphans - never_again;
        Buffer { level, maps: self.maps, span: self.span, replaced, padding: 0 }
    }
}
