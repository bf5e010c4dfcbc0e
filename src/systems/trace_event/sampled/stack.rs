//! Samples of a thread with their call stacks become slices, whatever file they come from.

use crate::base::map::Map;
use crate::base::time::Ticks;
use crate::format::sink::Sink;
use crate::model::id::{StrId, TrackId};
use crate::model::slice::SliceRow;

/// Samples (or frames) that are worked on in one step.
pub(super) const STEP: usize = 1 << 14;
/// Frames of one stack; what is above is cut off.
const DEEPEST: usize = 1024;
/// A sample lasts at most so many times the usual distance of two.
const LONGEST: Ticks = 8;
/// The stack of nobody: nothing runs.
pub(super) const NOBODY: u64 = u64::MAX;

/// A function at a place in the stack.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    /// The frame around it.
    pub(super) parent: u64,
    pub(super) name: StrId,
    pub(super) category: StrId,
}

/// Samples of one thread in the order of their times, on their way to slices.
pub(super) struct Stack {
    track: TrackId,
    samples: Vec<(Ticks, u64)>,
    end: Ticks,
    next: usize,
    /// Frames that are running, outermost first, with their starts.
    open: Vec<(u64, Ticks)>,
}

impl Stack {
    /// Of samples that last until the next one, and the last one until `end`.
    pub(super) fn of(track: TrackId, samples: Vec<(Ticks, u64)>, end: Ticks) -> Self {
        Self { track, samples, end, next: 0, open: Vec::new() }
    }

    /// Of samples after which nobody runs when they would last too long.
    pub(super) fn with_pauses(track: TrackId, samples: &[(Ticks, u64)]) -> Self {
        let samples = with_pauses(samples);
        let end = samples.last().map_or(0, |sample| sample.0);
        Self::of(track, samples, end)
    }

    /// Whether all samples are slices.
    pub(super) fn is_done(&self) -> bool {
        self.samples.len() <= self.next
    }

    /// Turns the next samples into slices; how many slices ended.
    pub(super) fn step(&mut self, frames: &Map<u64, Frame>, sink: &mut Sink) -> u64 {
        let (mut n, mut path) = (0, Vec::new());
        let end = self.samples.len().min(self.next + STEP);
        while let Some(&(time, frame)) = self.samples.get(self.next).filter(|_| self.next < end) {
            self.next += 1;
            path_of(frame, frames, sink, &mut path);
            let same = self.open.iter().zip(&path).take_while(|(open, now)| open.0 == **now).count();
            n += self.close(same, time, frames, sink);
            self.open.extend(path.iter().skip(same).map(|&frame| (frame, time)));
        }
        if end == self.samples.len() {
            n += self.close(0, self.end, frames, sink);
        }
        n
    }

    /// Ends all frames but the outermost `keep`.
    fn close(&mut self, keep: usize, time: Ticks, frames: &Map<u64, Frame>, sink: &mut Sink) -> u64 {
        let ended = self.open.split_off(keep.min(self.open.len()));
        for (frame, start) in &ended {
            let Some(frame) = frames.get(frame) else { continue };
            let mut row = SliceRow::new(*start, time.saturating_sub(*start), frame.name);
            row.category = frame.category;
            sink.builder.slice(self.track, row);
        }
        ended.len() as u64
    }
}

/// The frames from the outermost to this one; none for nobody's time.
fn path_of(frame: u64, frames: &Map<u64, Frame>, sink: &Sink, path: &mut Vec<u64>) {
    path.clear();
    let (mut at, strings) = (frame, &sink.builder.trace().strings);
    while let Some(found) = frames.get(&at).filter(|_| path.len() < DEEPEST) {
        match strings.get(found.name) {
            "(idle)" => return path.clear(),
            "(root)" => {}
            _ => path.push(at),
        }
        at = found.parent;
    }
    path.reverse();
}

/// Lets nobody run after a sample that would last too long, and after the last.
fn with_pauses(samples: &[(Ticks, u64)]) -> Vec<(Ticks, u64)> {
    let usual = usual_distance(samples);
    let longest = usual.saturating_mul(LONGEST).max(1);
    let mut out = Vec::with_capacity(samples.len() + 1);
    let nexts = samples.iter().skip(1).map(|next| Some(next.0)).chain([None]);
    for (&(time, frame), next) in samples.iter().zip(nexts) {
        out.push((time, frame));
        match next {
            Some(next) if next.saturating_sub(time) <= longest => {}
            _ => out.push((time.saturating_add(usual), NOBODY)),
        }
    }
    out
}

/// The median distance of two samples; 0 when there are fewer.
pub(super) fn usual_distance(samples: &[(Ticks, u64)]) -> Ticks {
    let pairs = samples.iter().zip(samples.iter().skip(1));
    let mut distances: Vec<Ticks> = pairs.map(|(a, b)| b.0.saturating_sub(a.0)).collect();
    let middle = distances.len() / 2;
    if distances.is_empty() { 0 } else { *distances.select_nth_unstable(middle).1 }
}
