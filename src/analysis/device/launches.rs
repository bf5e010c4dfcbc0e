//! Launches: who launched a work, how long it took to start, how many waited.

use crate::analysis::device::gather::Call;
use crate::analysis::device::making::{PIECE, ROW};
use crate::analysis::device::{Class, Device, Launch, Work};
use crate::analysis::timeline::Timeline;
use crate::base::job::{Turn, pieces};
use crate::base::order::percentile;
use crate::base::sort::sorted;
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::id::TrackId;
use crate::model::track::Track;
use serde::{Deserialize, Serialize};
use std::ops::Range;

// Launch latencies as a histogram on a logarithmic axis, and how many launches waited in the queue of a stream.

/// Bins of the histogram.
pub const BINS: usize = 44;

/// Latencies of kernels: from the begin of the launch to the begin of the kernel. Copies do not count, and of what one call
/// launches only what begins first: the rest waits for that, not for its launch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Kernels with a positive latency by bins of equal width of its logarithm, from the least to the greatest.
    pub bins: Vec<u64>,
    /// Least and greatest positive latency.
    pub range: (Ticks, Ticks),
    /// Median of the positive ones.
    pub median: Ticks,
    /// Sum of the positive ones.
    pub sum: Ticks,
    /// What 95 of 100 do not pass; both are interpolated as everywhere.
    pub p95: Ticks,
    /// Kernels; of those of one call the first.
    pub kernels: u64,
    /// How many have no launch.
    pub unlaunched: u64,
    /// How many begin with their launch or before it: clocks are not aligned.
    pub negative: u64,
    /// How many of the positive ones are at most 100 µs.
    pub quick: u64,
    /// The longest queue of a stream at the launch of a kernel.
    pub queue: u32,
}

/// What counts as a kernel.
fn is_kernel(class: Class) -> bool {
    matches!(class, Class::Compute | Class::Communication)
}

impl Latency {
    /// Counts the kernels among some works, and gives their positive latencies away.
    pub(in crate::analysis::device) fn take(&mut self, works: &[Work], span: Span, out: &mut Vec<Ticks>) {
        for work in works.iter().filter(|work| is_kernel(work.class) && span.touches(work.span)) {
            if work.launch.is_some() && !work.is_first {
                continue;
            }
            self.kernels += 1;
            self.queue = self.queue.max(work.queue);
            match work.latency() {
                None => self.unlaunched += 1,
                Some(latency) if latency <= 0 => self.negative += 1,
                Some(latency) => out.push(latency),
            }
        }
    }

    /// Round values for an axis of the bins, at most so many: powers of ten, or where fewer than two of these lie in the
    /// range their double and fivefold too; else its ends.
    pub fn marks(&self, most: usize) -> Vec<Ticks> {
        let (least, greatest) = self.range;
        let within = |factors: &[Ticks]| -> Vec<Ticks> {
            let powers = (0..18).map(|power| Ticks::pow(10, power));
            let all =
                powers.flat_map(|power| factors.iter().map(move |factor| power.saturating_mul(*factor)));
            all.filter(|mark| (least..=greatest).contains(mark)).collect()
        };
        let all = [within(&[1]), within(&[1, 2, 5])].into_iter().find(|all| 1 < all.len());
        let all = all.unwrap_or_else(|| if least < greatest { vec![least, greatest] } else { vec![least] });
        let skip = all.len().div_ceil(most).max(1);
        all.into_iter().step_by(skip).collect()
    }

    /// Puts sorted latencies into bins.
    pub(in crate::analysis::device) fn fill(&mut self, sorted: &[Ticks], quick: Ticks) {
        let (Some(&least), Some(&most)) = (sorted.first(), sorted.last()) else { return };
        let rank = |percent: usize| percentile(sorted, percent).round() as Ticks;
        (self.range, self.median, self.p95) = ((least, most), rank(50), rank(95));
        self.sum = sorted.iter().fold(0, |sum, ticks| sum.saturating_add(*ticks));
        self.quick = sorted.partition_point(|t| *t <= quick) as u64;
        self.bins = vec![0; BINS];
        let mut from = 0;
        for (at, bin) in self.bins.iter_mut().enumerate() {
            let edge = self.range.0 as f64 * (most as f64 / least as f64).powf((at + 1) as f64 / BINS as f64);
            let rest = sorted.get(from..).unwrap_or_default();
            let n = if at + 1 == BINS { rest.len() } else { rest.partition_point(|t| (*t as f64) < edge) };
            *bin = n as u64;
            from += n;
        }
    }
}

// Launches of works that no flow leads to: a call of the host that bears the same number.
//
// Of several calls of one number it is the last that does not begin after the work; when all do (clocks that are not
// aligned), the first. Several works may have one call: those of a recorded graph are launched together. Numbers of one
// file mean nothing in another.

/// A slice of the host: its file and number, time, track, row.
type Linked = (Key, Ticks, TrackId, u32);
type Key = (u32, u32);

/// Searches launches on these tracks of the host, and gives their calls away.
pub(in crate::analysis::device) async fn link(
    (trace, timeline): (&Trace, &Timeline),
    mut tracks: Vec<TrackId>,
    of: &mut Device,
    calls: &mut Vec<Call>,
    turn: &Turn,
) {
    let has_links = |id: TrackId| trace.tracks.find(id).is_some_and(|track| !track.slices.link.is_empty());
    if !of.streams.iter().any(|stream| has_links(stream.track)) {
        return;
    }
    tracks.retain(|id| has_links(*id));
    let mut found: Vec<Linked> = Vec::new();
    for track in tracks {
        let Track { slices, entry, .. } = trace.tracks.get(track);
        let by = timeline.shift_of(track);
        for rows in pieces(slices.len(), PIECE) {
            let n = rows.len();
            found.extend(rows.filter_map(|row| {
                let link = slices.link.get(row).copied().filter(|link| *link != 0)?;
                Some(((*entry, link), slices.start[row].saturating_add(by), track, row as u32))
            }));
            if turn.is_over(ROW * n) {
                turn.pause().await;
            }
        }
    }
    if found.is_empty() {
        return;
    }
    let linked = sorted(found, turn).await;
    for piece in pieces(of.works.len(), PIECE / 4) {
        let n = piece.len();
        for number in piece {
            if let Some(launch) = launch(trace, &linked, of, number) {
                of.works[number].launch = Some(launch);
                calls.push((launch.track, launch.time, number as u32));
            }
        }
        if turn.is_over(4 * ROW * n) {
            turn.pause().await;
        }
    }
}

/// Where a work was launched that has no launch yet.
fn launch(trace: &Trace, linked: &[Linked], of: &Device, number: usize) -> Option<Launch> {
    let work = of.works.get(number).filter(|work| work.launch.is_none() && work.class != Class::Wait)?;
    let Track { slices, entry, .. } = trace.tracks.find(work.slice.track)?;
    let link = slices.link.get(work.slice.row as usize).copied().filter(|link| *link != 0)?;
    let link = (*entry, link);
    let behind = linked.partition_point(|call| (call.0, call.1) <= (link, work.span.start));
    let before = behind.checked_sub(1).and_then(|at| linked.get(at)).filter(|call| call.0 == link);
    let (_, time, track, row) =
        before.or_else(|| linked.get(behind).filter(|call| call.0 == link)).copied()?;
    Some(Launch { track, time, row: Some(row), from: track, handed: time })
}

// What is launched by one call: a recorded graph, or an operator of several kernels.

/// A launch, and the begin and number of what it launches. Flows may lead from several moments of one slice: the slice is
/// the call, each moment of it a launch.
type OfCall = (TrackId, Option<u32>, Ticks, Ticks, u32);

/// Whether two are of one call: of one slice, where there is none of one moment.
fn is_one_call(a: &OfCall, b: &OfCall) -> bool {
    (a.0, a.1) == (b.0, b.1) && (a.1.is_some() || a.2 == b.2)
}

fn is_one_moment(a: &OfCall, b: &OfCall) -> bool {
    a.2 == b.2
}

/// At how many moments one call launches at most; our own choice. A slice with more is a function that makes calls.
const MOMENTS_OF_CALL: usize = 64;

/// Finds out how many works each call launches, and which of those of each moment begins first: a kernel, if there is one.
pub(in crate::analysis::device) async fn share(of: &mut Device, turn: &Turn) {
    let mut found: Vec<OfCall> = Vec::new();
    for (works, from) in of.works.chunks(PIECE).zip((0_u32..).step_by(PIECE)) {
        let works = (from..).zip(works).filter(|(_, work)| work.class != Class::Wait);
        found.extend(works.filter_map(|(at, work)| {
            let launch = work.launch?;
            Some((launch.track, launch.row, launch.time, work.span.start, at))
        }));
        if turn.is_over(ROW * PIECE) {
            turn.pause().await;
        }
    }
    let found = sorted(found, turn).await;
    let mut done = 0;
    for call in found.chunk_by(is_one_call) {
        let first = |of: &Device, some: &[OfCall]| {
            let is_kernel = |one: &OfCall| of.works.get(one.4 as usize).is_some_and(|of| is_kernel(of.class));
            some.iter().find(|one| is_kernel(one)).or(some.first()).map(|one| one.4)
        };
        let is_call = call.chunk_by(is_one_moment).take(MOMENTS_OF_CALL + 1).count() <= MOMENTS_OF_CALL;
        let first_of_call = first(of, call);
        for moment in call.chunk_by(is_one_moment) {
            let first = first(of, moment);
            let (n, stands) = if is_call { (call.len(), first_of_call) } else { (moment.len(), first) };
            for (.., number) in moment {
                if let Some(work) = of.works.get_mut(*number as usize) {
                    work.launched_with = n as u32;
                    work.is_first = first == Some(*number);
                    work.stands_for_call = stands == Some(*number);
                }
            }
            done += moment.len();
            if PIECE <= done {
                if turn.is_over(ROW * done) {
                    turn.pause().await;
                }
                done = 0;
            }
        }
    }
}

// How many launches of a stream wait: at each launch, and over the time.
//
// A launch makes the queue longer by one until what was launched begins, of several works the first on the stream. What
// begins no later than its launch (clocks that are not aligned) never waits.

/// Parts of the time that a length is told for.
pub const MOMENTS: usize = 96;

/// Finds the queues, stream by stream.
pub(in crate::analysis::device) async fn queue_up(of: &mut Device, turn: &Turn) {
    for stream in 0..of.streams.len() {
        let range = of.streams[stream].works.clone();
        let mut launches = Vec::new();
        for (works, from) in of.works[range.clone()].chunks(PIECE).zip((range.start..).step_by(PIECE)) {
            let works = (from..).zip(works);
            launches.extend(works.filter_map(|(at, work)| {
                let launch = work.launch?;
                Some((launch.time, launch.track, launch.row, at as u32))
            }));
            if turn.is_over(ROW * PIECE) {
                turn.pause().await;
            }
        }
        if !launches.is_empty() {
            // Numbers are in the order of begins: of each call the first one waits.
            let launches: Vec<Queued> = sorted(launches, turn).await;
            of.streams[stream].queue = fill(&launches, range, of, turn).await;
        }
    }
}

/// A launch on a stream: when, where, and the number of what it launches.
type Queued = (Ticks, TrackId, Option<u32>, u32);

/// The queue of a stream over the time; works learn how many waited at their launch.
async fn fill(launches: &[Queued], works: Range<usize>, of: &mut Device, turn: &Turn) -> Vec<u32> {
    let (mut line, mut at, mut next) = (Line::new(of.span), 0, works.start);
    let mut firsts = vec![false; works.len()];
    for call in launches.chunk_by(|a, b| (a.0, a.1, a.2) == (b.0, b.1, b.2)) {
        let first = call.first().and_then(|call| firsts.get_mut(call.3 as usize - works.start));
        if let Some(first) = first {
            *first = true;
        }
    }
    let waits = |number: usize, work: &Work| {
        i32::from(firsts.get(number - works.start) == Some(&true) && waits(work))
    };
    loop {
        let launch = launches.get(at).copied();
        let begun = of.works.get(next).filter(|_| next < works.end);
        if let Some(work) = begun.filter(|work| launch.is_none_or(|launch| work.span.start <= launch.0)) {
            line.change(work.span.start, -waits(next, work));
            next += 1;
        } else if let Some((time, .., number)) = launch {
            at += 1;
            if let Some(work) = of.works.get_mut(number as usize) {
                line.change(time, waits(number as usize, work));
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
