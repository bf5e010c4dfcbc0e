//! CPU samples become instants with their call stacks. Between two samples nobody knows what a thread did, or whether it
//! ran at all: they are counted and never have a length.
//!
//! ```text
//! {"ph":"P", "name":"Profile", "id":"0x1", "pid":7, "tid":9, "args":{"data":{"startTime":336043691785}}}
//! {"ph":"P", "name":"ProfileChunk", "id":"0x1", "pid":7, "tid":20, "ts":…, "args":{"data":{
//!    "cpuProfile":{"nodes":[{"id":2, "parent":1, "callFrame":{"functionName":"f", "url":"a.js", "lineNumber":9}}],
//!    "samples":[2, 2]}, "timeDeltas":[315, 130]}}}
//! {"ph":"P", "name":"cycles", "pid":7, "tid":9, "ts":36755557500, "sf":4}
//! "samples":[{"ts":36755557500, "tid":0, "sf":4}, …], "stackFrames":{"4":{"name":"f", "category":"c", "parent":3}}
//! ```
//! Profiles of V8: the thread is that of `Profile`, times are microseconds after `startTime`, chunks follow each other in
//! the order of their own times; `(root)` is left out and `(idle)` is nobody's time. Other events whose stack is not in the
//! file stay instants of their thread.
//!
//! Sources: the document "Trace Event Format" (samples, stack frames); the profiler domain of Chrome's `DevTools` protocol.
//! Verified on profiles of Chrome 69 to 141, of Hermes and of `perf` as systrace packs them.

use super::events::{Events, One, Taken};
use super::fields::Key;
use super::tracks::ThreadRow;
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::map::Map;
use crate::base::number::thousands;
use crate::base::order;
use crate::base::time::{Ticks, nanos_from_micros_text};
use crate::base::words::message;
use crate::format::Sink;
use crate::input::json::scan::{Members, blanks, unquoted, value_end};
use crate::input::json::{Json, parse};
use crate::model::StackFrame;
use crate::model::id::{StrId, TrackId};
use crate::model::strings::Strings;

/// One profile of V8.
#[derive(Default)]
struct Profile {
    thread: Option<ThreadRow>,
    /// Microseconds.
    start: i64,
    stacks: Stacks,
    /// When each chunk was written; microseconds after the sample before and the frame, for each sample.
    chunks: Vec<(Ticks, Vec<(i64, u64)>)>,
}

/// What was read of samples.
#[derive(Default)]
pub(super) struct Sampled {
    profiles: Map<(Vec<u8>, Vec<u8>), Profile>,
    /// The bytes of `samples` and of `stackFrames`, and how far they were read.
    samples: (Vec<u8>, usize),
    frames: (Vec<u8>, usize),
    names: Map<Vec<u8>, u64>,
    by_name: Stacks,
    threads: Map<ThreadRow, Vec<Sample>>,
    /// Samples beside the events whose stack is not in the file.
    unknown: u64,
    /// The thread that is worked on, and the frames of a profile when they are not those of the file.
    open: Option<(Open, Option<Stacks>)>,
}

impl Sampled {
    /// Takes a member that stands beside the events: `samples` or `stackFrames`.
    pub(super) fn member(&mut self, key: &str, value: Vec<u8>) {
        let member = if key == "samples" { &mut self.samples } else { &mut self.frames };
        *member = (value, 1);
    }

    /// The number of a frame of `stackFrames`.
    fn number(&mut self, id: &[u8]) -> u64 {
        let next = self.names.len() as u64;
        match self.names.get(id) {
            Some(&number) => number,
            None => *self.names.entry(id.to_vec()).or_insert(next),
        }
    }
}

impl Events {
    /// An event of V8's profiler; `false` when it is none.
    pub(super) fn profile(&mut self, one: &One, sink: &mut Sink) -> Result<bool, super::events::Refused> {
        let is_chunk = match one.text(Key::Name) {
            b"Profile" => false,
            b"ProfileChunk" => true,
            _ => return Ok(false),
        };
        let time = self.time(one)?;
        let (args, _) = parse(one.raw(Key::Args), one.at);
        let Some(data) = args.get("data").filter(|data| !data.members().is_empty()) else {
            // The last chunk of a recording is empty.
            self.tally.profiles += 1;
            return Ok(is_chunk);
        };
        let thread = self.thread(one)?;
        let key = (unquoted(one.raw(Key::Pid)).to_vec(), one.text(Key::Id).to_vec());
        let profile = self.sampled.profiles.entry(key).or_default();
        if !is_chunk {
            profile.thread = Some(thread);
            profile.start = data.get("startTime").and_then(Json::as_i64).unwrap_or(time / 1000);
        }
        self.tally.profiles += 1;
        profile.take(data, time, sink);
        Ok(true)
    }

    /// Makes instants of some samples, once all events were read; false when all are made.
    pub(super) fn settle_samples(&mut self, sink: &mut Sink) -> bool {
        if let Some((mut open, mut own)) = self.sampled.open.take() {
            if let Some(n) = open.step(own.as_mut().unwrap_or(&mut self.sampled.by_name), sink) {
                self.tally.sampled += n;
                self.sampled.open = Some((open, own));
            }
            return true;
        }
        if self.read_frames(sink) || self.read_samples() {
            return true;
        }
        let first = self.sampled.profiles.keys().min().cloned();
        if let Some(profile) = first.and_then(|key| self.sampled.profiles.remove(&key)) {
            self.begin_profile(profile, sink);
            return true;
        }
        let Some(thread) = self.sampled.threads.keys().min().copied() else {
            self.report_unknown_stacks(sink);
            return false;
        };
        let samples = self.sampled.threads.remove(&thread).unwrap_or_default();
        let frames = &self.sampled.by_name.frames;
        let (known, others): (Vec<_>, Vec<_>) =
            samples.into_iter().partition(|sample| frames.contains_key(&sample.frame));
        for other in others {
            let Some((name, category, detail)) = other.event else {
                self.sampled.unknown += 1;
                continue;
            };
            if let Some(track) = self.tracks.track(thread, sink) {
                sink.builder.instant(track, other.time, name, category, detail);
            }
        }
        self.begin_thread(thread, known, None, sink);
        true
    }

    /// All samples of a thread are known.
    fn begin_thread(
        &mut self,
        row: ThreadRow,
        mut samples: Vec<Sample>,
        own: Option<Stacks>,
        sink: &mut Sink,
    ) {
        order::sort_by_number(&mut samples, |sample| sample.time);
        let track = if samples.is_empty() { None } else { self.tracks.sampled(row, sink) };
        self.sampled.open = track.map(|track| (Open { track, samples, next: 0 }, own));
    }

    /// All chunks of a profile are known: its samples get their times.
    fn begin_profile(&mut self, mut profile: Profile, sink: &mut Sink) {
        let Some(thread) = profile.thread else { return };
        order::sort_by_key(&mut profile.chunks, |chunk| chunk.0);
        let mut at = profile.start;
        let samples = profile.chunks.into_iter().flat_map(|chunk| chunk.1).map(|(delta, frame)| {
            at = at.saturating_add(delta);
            Sample { time: at.saturating_mul(1000), frame, event: None }
        });
        self.begin_thread(thread, samples.collect(), Some(profile.stacks), sink);
    }

    /// Reads some of `stackFrames`: an object of objects. False when all is read.
    fn read_frames(&mut self, sink: &mut Sink) -> bool {
        let (bytes, mut at) = std::mem::take(&mut self.sampled.frames);
        for _ in 0..STEP {
            let Some((id, value, next)) = member(&bytes, at) else { return false };
            let (mut parent, mut name, mut category): (&[u8], StrId, StrId) =
                (&[], Strings::EMPTY, Strings::EMPTY);
            for (key, raw) in Members::new(bytes.get(value).unwrap_or(&[])) {
                let mut text = || sink.builder.intern(&super::read_names(unquoted(raw)).0);
                match unquoted(key) {
                    b"parent" => parent = unquoted(raw),
                    b"name" => name = text(),
                    b"category" => category = text(),
                    _ => {}
                }
            }
            let parent = if parent.is_empty() { NOBODY } else { self.sampled.number(parent) };
            let number = self.sampled.number(bytes.get(id).unwrap_or(&[]));
            self.sampled.by_name.frames.insert(number, Frame { parent, name, category });
            at = next;
        }
        self.sampled.frames = (bytes, at);
        true
    }

    /// Reads some of `samples`: an array of objects. False when all is read.
    fn read_samples(&mut self) -> bool {
        let (bytes, mut at) = std::mem::take(&mut self.sampled.samples);
        for _ in 0..STEP {
            at = blanks(&bytes, at);
            if bytes.get(at) == Some(&b',') {
                at = blanks(&bytes, at + 1);
            }
            let Ok(end) = value_end(&bytes, at) else { return false };
            let (mut pid, mut tid, mut time, mut frame): (&[u8], &[u8], _, &[u8]) = (&[], &[], None, &[]);
            for (key, raw) in Members::new(bytes.get(at..end).unwrap_or(&[])) {
                match unquoted(key) {
                    b"pid" => pid = raw,
                    b"tid" => tid = raw,
                    b"ts" => time = nanos_from_micros_text(unquoted(raw)),
                    b"sf" => frame = unquoted(raw),
                    _ => {}
                }
            }
            if let Some(time) = time {
                let thread = match pid {
                    [] => self.tracks.thread_of(tid),
                    pid => self.tracks.thread(pid, tid),
                };
                let frame = if frame.is_empty() { NOBODY } else { self.sampled.number(frame) };
                self.sampled.threads.entry(thread).or_default().push(Sample { time, frame, event: None });
            }
            at = end;
        }
        self.sampled.samples = (bytes, at);
        true
    }

    fn report_unknown_stacks(&mut self, sink: &mut Sink) {
        let n = std::mem::take(&mut self.sampled.unknown);
        if 0 < n {
            let what = message("{n} CPU samples have a stack that is not in stackFrames");
            let kind = Kind::Problem(what.with("n", thousands(n.cast_signed())));
            let place = Place { entry: self.options.path.clone(), ..Place::default() };
            sink.fault(Fault::new("TEV-NO-STACK", Severity::Note, place, kind).note("They are skipped."));
        }
    }

    /// What the reader does with an event of the phase `P`.
    pub(super) fn sample(&mut self, one: &One, sink: &mut Sink) -> Taken {
        if self.profile(one, sink)? {
            return Ok(());
        }
        let Some((_, frame)) = Members::new(one.bytes).find(|(key, _)| unquoted(key) == b"sf") else {
            return self.instant(one, sink);
        };
        let (time, thread) = (self.time(one)?, self.thread(one)?);
        let (name, category) = (self.name(one, Key::Name, sink), self.name(one, Key::Cat, sink));
        let event = Some((name, category, one.detail()));
        let frame = self.sampled.number(unquoted(frame));
        self.sampled.threads.entry(thread).or_default().push(Sample { time, frame, event });
        self.tally.instants += 1;
        Ok(())
    }
}

impl Profile {
    /// Takes what an event says: nodes, samples and the times between them.
    fn take(&mut self, data: &Json, time: Ticks, sink: &mut Sink) {
        let profile = data.get("cpuProfile").unwrap_or(data);
        let list = |name| profile.get(name).or_else(|| data.get(name)).map_or(&[][..], Json::items);
        for node in list("nodes") {
            let Some(id) = number(node.get("id")) else { continue };
            let frame = node.get("callFrame").unwrap_or(node);
            let text = |name| frame.get(name).and_then(Json::as_str).unwrap_or("");
            let name = match text("functionName") {
                "" => "(anonymous)",
                name => name,
            };
            let line = frame.get("lineNumber").and_then(Json::as_i64).filter(|line| 0 <= *line);
            let place = match (text("url"), line) {
                ("", _) => String::new(),
                (url, Some(line)) => format!("{url}:{}", line + 1),
                (url, None) => url.to_owned(),
            };
            let (name, category) = (sink.builder.intern(name), sink.builder.intern(&place));
            let known = self.stacks.frames.get(&id).map(|frame| frame.parent);
            let parent = number(node.get("parent")).or(known).unwrap_or(NOBODY);
            self.stacks.frames.insert(id, Frame { parent, name, category });
            // Older profiles list children instead.
            for child in node.get("children").map_or(&[][..], Json::items) {
                let Some(child) = number(Some(child)) else { continue };
                let none = Frame { parent: id, name: Strings::EMPTY, category: Strings::EMPTY };
                self.stacks.frames.entry(child).or_insert(none).parent = id;
            }
        }
        let deltas = list("timeDeltas").iter().map(|delta| delta.as_i64().unwrap_or(0));
        let frames = list("samples").iter().map(|sample| number(Some(sample)).unwrap_or(NOBODY));
        let samples: Vec<(i64, u64)> = deltas.zip(frames).collect();
        if !samples.is_empty() {
            self.chunks.push((time, samples));
        }
    }
}

fn number(json: Option<&Json>) -> Option<u64> {
    json?.as_i64()?.try_into().ok()
}

/// Bytes of a text.
type Part = std::ops::Range<usize>;

/// The next member of an object from a place inside of it: where its name and its value stand, and where it goes on.
fn member(bytes: &[u8], at: usize) -> Option<(Part, Part, usize)> {
    let mut at = blanks(bytes, at);
    if bytes.get(at) == Some(&b',') {
        at = blanks(bytes, at + 1);
    }
    let name_end = value_end(bytes, at).ok()?;
    let colon = blanks(bytes, name_end);
    let value = blanks(bytes, colon + 1);
    let end = value_end(bytes, value).ok()?;
    let is_member = bytes.get(colon) == Some(&b':') && bytes.get(at) == Some(&b'"');
    is_member.then(|| (at + 1..name_end.saturating_sub(1), value..end, end))
}

// Samples of a thread with their call stacks become instants, whatever file they come from.

/// Samples (or frames) that are worked on in one step.
const STEP: usize = 1 << 14;
/// Frames of one stack; what is inside of so many is left out.
const DEEPEST: usize = 1024;
/// The stack of nobody: nothing runs.
const NOBODY: u64 = u64::MAX;

/// A function at a place in the stack.
#[derive(Clone, Copy)]
struct Frame {
    /// The frame around it.
    parent: u64,
    name: StrId,
    category: StrId,
}

/// What was seen of a thread once.
#[derive(Clone, Copy)]
struct Sample {
    time: Ticks,
    /// The innermost frame.
    frame: u64,
    /// Name, category and bytes of the event that says it; none of a sample that is no event.
    event: Option<(StrId, StrId, (u64, u32))>,
}

/// Frames by their numbers, and the call stacks that were made of them.
#[derive(Default)]
struct Stacks {
    frames: Map<u64, Frame>,
    /// The stack whose innermost frame each is, and how deep it is.
    made: Map<u64, (u32, usize)>,
}

impl Stacks {
    /// The call stack whose innermost frame this is; 0 for nobody's time.
    fn of(&mut self, innermost: u64, sink: &mut Sink) -> u32 {
        let (mut path, mut at) = (Vec::new(), innermost);
        let (mut stack, mut depth) = loop {
            match (self.made.get(&at), self.frames.get(&at)) {
                (Some(made), _) => break *made,
                (None, Some(frame)) if path.len() < DEEPEST => {
                    path.push((at, *frame));
                    at = frame.parent;
                }
                _ => break (0, 0),
            }
        };
        for (number, Frame { name, category, .. }) in path.into_iter().rev() {
            let is_nobody = matches!(sink.builder.trace().strings.get(name), "(root)" | "(idle)");
            if !is_nobody && depth < DEEPEST {
                stack = sink.builder.stack(StackFrame { around: stack, name, category });
                depth += 1;
            }
            self.made.insert(number, (stack, depth));
        }
        stack
    }
}

/// Samples of one thread in the order of their times, on their way to instants.
struct Open {
    track: TrackId,
    samples: Vec<Sample>,
    next: usize,
}

impl Open {
    /// Turns the next samples into instants, and says how many of them are no events; `None` when none is left. A
    /// machine, as the sink that it adds to is lent for each step.
    fn step(&mut self, stacks: &mut Stacks, sink: &mut Sink) -> Option<u64> {
        let samples = self.samples.get(self.next..).filter(|left| !left.is_empty())?;
        let mut n = 0;
        for sample in samples.iter().take(STEP) {
            self.next += 1;
            let stack = stacks.of(sample.frame, sink);
            if stack != 0 {
                let detail = sample.event.map_or((0, 0), |event| event.2);
                sink.builder.stack_sample(self.track, sample.time, stack, detail);
                n += u64::from(sample.event.is_none());
            }
        }
        Some(n)
    }
}
