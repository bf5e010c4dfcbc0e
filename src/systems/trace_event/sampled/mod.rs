//! CPU samples become slices: a function that stands at one place of the stack over consecutive samples is one slice.
//!
//! ```text
//! {"ph":"P", "name":"Profile", "id":"0x1", "pid":7, "tid":9, "args":{"data":{"startTime":336043691785}}}
//! {"ph":"P", "name":"ProfileChunk", "id":"0x1", "pid":7, "tid":20, "ts":…, "args":{"data":{
//!    "cpuProfile":{"nodes":[{"id":2, "parent":1, "callFrame":{"functionName":"f", "url":"a.js", "lineNumber":9}}],
//!    "samples":[2, 2]}, "timeDeltas":[315, 130]}}}
//! "samples":[{"ts":36755557500, "tid":0, "sf":4}, …], "stackFrames":{"4":{"name":"f", "category":"c", "parent":3}}
//! ```
//! Profiles of V8: the thread is that of `Profile`, times are microseconds after `startTime`, chunks follow each other in
//! the order of their own times; `(root)` is left out and `(idle)` is nobody's time. Samples beside the events: a sample
//! lasts until the next of its thread, but no longer than eight times what is usual there, because profilers take none of
//! a thread that waits.
//!
//! Sources: the document "Trace Event Format" (samples, stack frames); the profiler domain of Chrome's `DevTools` protocol.
//! Verified on profiles of Chrome 69 to 141, of Hermes and of `perf` as systrace packs them.

mod stack;

use super::events::{Events, One, Taken};
use super::fields::Key;
use super::names;
use super::tracks::ThreadRow;
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::map::Map;
use crate::base::number::thousands;
use crate::base::order;
use crate::base::time::{Ticks, nanos_from_micros_text};
use crate::base::words::message;
use crate::format::sink::Sink;
use crate::input::json::scan::{Members, blanks, unquoted, value_end};
use crate::input::json::{Json, parse};
use crate::model::id::StrId;
use crate::model::strings::Strings;
use stack::{Frame, NOBODY, STEP, Stack, usual_distance};

/// One profile of V8.
#[derive(Default)]
struct Profile {
    thread: Option<ThreadRow>,
    /// Microseconds.
    start: i64,
    frames: Map<u64, Frame>,
    /// When each chunk was written; microseconds after the sample before and the frame, for each sample.
    chunks: Vec<(Ticks, Vec<(i64, u64)>)>,
    /// Microseconds, where the file says it.
    end: Option<i64>,
}

/// What was read of samples.
#[derive(Default)]
pub(super) struct Sampled {
    profiles: Map<(Vec<u8>, Vec<u8>), Profile>,
    /// The bytes of `samples` and of `stackFrames`, and how far they were read.
    samples: (Vec<u8>, usize),
    frames: (Vec<u8>, usize),
    names: Map<Vec<u8>, u64>,
    by_name: Map<u64, Frame>,
    threads: Map<ThreadRow, Vec<(Ticks, u64)>>,
    /// Samples beside the events whose stack is not in the file.
    unknown: u64,
    /// The thread that is worked on, and whether its frames are those of the file, not of a profile.
    stack: Option<(Stack, Map<u64, Frame>, bool)>,
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

    /// Makes slices of some samples, once all events were read; false when all are made.
    pub(super) fn settle_samples(&mut self, sink: &mut Sink) -> bool {
        if let Some((mut stack, frames, is_of_file)) = self.sampled.stack.take() {
            self.tally.sampled += stack.step(&frames, sink);
            if !stack.is_done() {
                self.sampled.stack = Some((stack, frames, is_of_file));
            } else if is_of_file {
                self.sampled.by_name = frames; // for the next thread
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
        let mut samples = self.sampled.threads.remove(&thread).unwrap_or_default();
        samples.sort_by_key(|sample| sample.0);
        let frames = std::mem::take(&mut self.sampled.by_name);
        let known = samples.iter().filter(|(_, frame)| frames.contains_key(frame)).count();
        self.sampled.unknown += (samples.len() - known) as u64;
        if known == 0 {
            self.sampled.by_name = frames;
            return true;
        }
        let Some(track) = self.tracks.sampled(thread, sink) else { return true };
        self.sampled.stack = Some((Stack::with_pauses(track, &samples), frames, true));
        true
    }

    /// All chunks of a profile are known: its samples get their times.
    fn begin_profile(&mut self, mut profile: Profile, sink: &mut Sink) {
        let n: usize = profile.chunks.iter().map(|chunk| chunk.1.len()).sum();
        let Some(thread) = profile.thread.filter(|_| 0 < n) else { return };
        let Some(track) = self.tracks.sampled(thread, sink) else { return };
        order::sort_by_key(&mut profile.chunks, |chunk| chunk.0);
        let mut at = profile.start;
        let mut samples = Vec::with_capacity(n);
        for (delta, frame) in profile.chunks.into_iter().flat_map(|chunk| chunk.1) {
            at = at.saturating_add(delta);
            samples.push((at.saturating_mul(1000), frame));
        }
        samples.sort_by_key(|sample| sample.0);
        let last = samples.last().map_or(0, |sample| sample.0);
        let usual = usual_distance(&samples);
        let end = profile.end.map_or(last.saturating_add(usual), |end| end.saturating_mul(1000)).max(last);
        self.sampled.stack = Some((Stack::of(track, samples, end), profile.frames, false));
    }

    /// Reads some of `stackFrames`: an object of objects. False when all is read.
    fn read_frames(&mut self, sink: &mut Sink) -> bool {
        let (bytes, mut at) = std::mem::take(&mut self.sampled.frames);
        for _ in 0..STEP {
            let Some((id, value, next)) = member(&bytes, at) else { return false };
            let (mut parent, mut name, mut category): (&[u8], StrId, StrId) =
                (&[], Strings::EMPTY, Strings::EMPTY);
            for (key, raw) in Members::new(bytes.get(value).unwrap_or(&[])) {
                let mut text = || sink.builder.intern(&names::read(unquoted(raw)).0);
                match unquoted(key) {
                    b"parent" => parent = unquoted(raw),
                    b"name" => name = text(),
                    b"category" => category = text(),
                    _ => {}
                }
            }
            let parent = if parent.is_empty() { NOBODY } else { self.sampled.number(parent) };
            let number = self.sampled.number(bytes.get(id).unwrap_or(&[]));
            self.sampled.by_name.insert(number, Frame { parent, name, category });
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
                self.sampled.threads.entry(thread).or_default().push((time, frame));
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
        if self.profile(one, sink)? { Ok(()) } else { self.instant(one, sink) }
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
            let known = self.frames.get(&id).map(|frame| frame.parent);
            let parent = number(node.get("parent")).or(known).unwrap_or(NOBODY);
            self.frames.insert(id, Frame { parent, name, category });
            // Older profiles list children instead.
            for child in node.get("children").map_or(&[][..], Json::items) {
                let Some(child) = number(Some(child)) else { continue };
                let none = Frame { parent: id, name: Strings::EMPTY, category: Strings::EMPTY };
                self.frames.entry(child).or_insert(none).parent = id;
            }
        }
        let deltas = list("timeDeltas").iter().map(|delta| delta.as_i64().unwrap_or(0));
        let frames = list("samples").iter().map(|sample| number(Some(sample)).unwrap_or(NOBODY));
        let samples: Vec<(i64, u64)> = deltas.zip(frames).collect();
        if !samples.is_empty() {
            self.chunks.push((time, samples));
        }
        let end = profile.get("endTime").or_else(|| data.get("endTime"));
        self.end = end.and_then(Json::as_i64).or(self.end);
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
