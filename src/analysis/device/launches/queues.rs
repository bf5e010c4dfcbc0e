//! How many launches of a stream wait: at each launch, and over the time.
//!
//! A launch makes the queue longer by one until what was launched begins. What begins no later than its launch (clocks
//! that are not aligned) never waits.

use crate::analysis::device::{Device, Work};
use crate::base::sort::Sorting;
use crate::base::time::{Span, Ticks};

/// Parts of the time that a length is told for.
pub const MOMENTS: usize = 96;

/// The queues, stream by stream.
pub(in crate::analysis::device) struct Queues {
    stream: usize,
    at: At,
}

enum At {
    /// Launches are collected, from a work on: their times and works.
    Collect(usize, Vec<(Ticks, u32)>),
    Sort(Sorting<(Ticks, u32)>),
    /// Launches, the one that is next, and the work that begins next.
    Fill(Vec<(Ticks, u32)>, usize, usize, Line),
}

impl Queues {
    pub(in crate::analysis::device) fn new(of: &Device) -> Self {
        Self { stream: 0, at: At::Collect(first(of, 0), Vec::new()) }
    }

    /// Does the next piece; false when nothing is left to do.
    pub(in crate::analysis::device) fn step(&mut self, of: &mut Device, left: &mut usize) -> bool {
        let Some(range) = of.streams.get(self.stream).map(|stream| stream.works.clone()) else {
            return false;
        };
        let at = std::mem::replace(&mut self.at, At::Collect(0, Vec::new()));
        self.at = match at {
            At::Collect(from, mut launches) => {
                let end = range.end.min(from.saturating_add(*left));
                let works = (from..).zip(of.works.get(from..end).unwrap_or_default());
                launches.extend(works.filter_map(|(at, work)| Some((work.launch?.time, at as u32))));
                *left -= end - from;
                if end < range.end {
                    At::Collect(end, launches)
                } else if launches.is_empty() {
                    return self.next(of);
                } else {
                    At::Sort(Sorting::new(launches))
                }
            }
            At::Sort(mut sorting) => {
                *left = 0;
                if sorting.step() {
                    At::Sort(sorting)
                } else {
                    At::Fill(sorting.finish(), 0, range.start, Line::new(of.span))
                }
            }
            At::Fill(launches, mut at, mut next, mut line) => {
                while 0 < *left {
                    *left -= 1;
                    let launch = launches.get(at).copied();
                    let begun = of.works.get(next).filter(|_| next < range.end);
                    let begun =
                        begun.filter(|work| launch.is_none_or(|(time, _)| work.span.start <= time)).copied();
                    if let Some(work) = begun {
                        next += 1;
                        line.change(work.span.start, -i32::from(waits(&work)));
                    } else if let Some((time, number)) = launch {
                        at += 1;
                        let Some(work) = of.works.get_mut(number as usize) else { continue };
                        line.change(time, i32::from(waits(work)));
                        work.queue = line.n;
                    } else {
                        of.streams[self.stream].queue = line.finish();
                        return self.next(of);
                    }
                }
                At::Fill(launches, at, next, line)
            }
        };
        true
    }

    /// Goes on with the next stream; false behind the last.
    fn next(&mut self, of: &Device) -> bool {
        self.stream += 1;
        self.at = At::Collect(first(of, self.stream), Vec::new());
        self.stream < of.streams.len()
    }
}

/// The first work of a stream.
fn first(of: &Device, stream: usize) -> usize {
    of.streams.get(stream).map_or(0, |stream| stream.works.start)
}

/// Whether a work waits after its launch.
fn waits(work: &Work) -> bool {
    work.launch.is_some_and(|launch| launch.time < work.span.start)
}

/// The greatest length in each part of the time.
struct Line {
    span: Span,
    most: Vec<u32>,
    /// The length, and since when.
    n: u32,
    since: Ticks,
}

impl Line {
    fn new(span: Span) -> Self {
        Self { span, most: vec![0; MOMENTS], n: 0, since: Ticks::MIN }
    }

    /// The length changes.
    fn change(&mut self, time: Ticks, by: i32) {
        if by != 0 && self.since < time {
            self.until(time);
            self.since = time;
        }
        self.n = self.n.saturating_add_signed(by);
    }

    /// The length was the same up to a time.
    fn until(&mut self, time: Ticks) {
        let (from, end) = (self.since.max(self.span.start), time.min(self.span.end));
        if self.n == 0 || end <= from {
            return;
        }
        let dur = i128::from(self.span.dur().max(1));
        let place = |time: Ticks| (i128::from(time) - i128::from(self.span.start)) * MOMENTS as i128;
        // Where a part ends, it is not in it any more.
        let parts = [place(from) / dur, (place(end) - 1) / dur].map(|at| usize::try_from(at).unwrap_or(0));
        for most in self.most.iter_mut().take(parts[1] + 1).skip(parts[0]) {
            *most = self.n.max(*most);
        }
    }

    fn finish(mut self) -> Vec<u32> {
        self.until(Ticks::MAX);
        self.most
    }
}
