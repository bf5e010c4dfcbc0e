//! How many launches of a stream wait: at each launch, and over the time.
//!
//! A launch makes the queue longer by one until what was launched begins. What begins no later than its launch (clocks
//! that are not aligned) never waits.

use crate::analysis::device::making::{PIECE, ROW};
use crate::analysis::device::{Device, Work};
use crate::base::job::Turn;
use crate::base::sort::sorted;
use crate::base::time::{Span, Ticks};
use std::ops::Range;

/// Parts of the time that a length is told for.
pub const MOMENTS: usize = 96;

/// Finds the queues, stream by stream.
pub(in crate::analysis::device) async fn queue_up(of: &mut Device, turn: &Turn) {
    for stream in 0..of.streams.len() {
        let range = of.streams[stream].works.clone();
        let mut launches = Vec::new();
        for (works, from) in of.works[range.clone()].chunks(PIECE).zip((range.start..).step_by(PIECE)) {
            let works = (from..).zip(works);
            launches.extend(works.filter_map(|(at, work)| Some((work.launch?.time, at as u32))));
            if turn.is_over(ROW * PIECE) {
                turn.pause().await;
            }
        }
        if !launches.is_empty() {
            let launches = sorted(launches, turn).await;
            of.streams[stream].queue = fill(&launches, range, of, turn).await;
        }
    }
}

/// The queue of a stream over the time; works learn how many waited at their launch.
async fn fill(launches: &[(Ticks, u32)], works: Range<usize>, of: &mut Device, turn: &Turn) -> Vec<u32> {
    let (mut line, mut at, mut next) = (Line::new(of.span), 0, works.start);
    loop {
        let launch = launches.get(at).copied();
        let begun = of.works.get(next).filter(|_| next < works.end);
        if let Some(work) = begun.filter(|work| launch.is_none_or(|(time, _)| work.span.start <= time)) {
            next += 1;
            line.change(work.span.start, -i32::from(waits(work)));
        } else if let Some((time, number)) = launch {
            at += 1;
            if let Some(work) = of.works.get_mut(number as usize) {
                line.change(time, i32::from(waits(work)));
                work.queue = line.n;
            }
        } else {
            return line.finish();
        }
        if turn.is_over(ROW) {
            turn.pause().await;
        }
    }
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
