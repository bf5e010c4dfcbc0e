//! Steps: what each takes, and of what: wall time = computing + exposed communication + exposed copies + idle.
//!
//! All streams of a rank count together, and nothing of another rank. Communication is exposed while nothing is computed,
//! copies while neither is; idle is the rest of the step. Host: during how much of it some thread is in an operator or in
//! a call of the runtime; this overlaps with all the others. What lies outside of all steps of a rank is a row of its own,
//! where its device works there.
//!
//! A step is when the host marks it, unless the host runs ahead: where less than half of the time of what steps launch lies
//! in the step that launched it, each is taken by what it launches, rank by rank.
//!
//! ```text
//! host     [ 1 ][ 2 ][ 3 ]
//! device   0000000000[ 1      ][ 2      ][ 3      ]      0: launched before
//! ```
//! Such a step lasts from its first work to the first of the next one; the last one, and one behind which something else is
//! launched, until all ends that it launched. What begins early counts for nothing here: copies are made ahead on streams
//! of their own. So the first work is that on the stream which computes most of what steps launch.

use super::idle::REASONS;
use super::making::{PIECE, ROW};
use super::{Class, Device, StreamWork, Times, Work, set};
use crate::base::job::Turn;
use crate::base::number::{duration, fixed};
use crate::base::order::percentile;
use crate::base::time::{Clock, Span, Ticks};
use crate::base::words::{Message, message, phrase};
use crate::model::id::SliceId;
use serde::{Deserialize, Serialize};

/// What the row of what lies outside of all steps is called.
pub const OUTSIDE: &str = phrase("Outside steps");

/// A step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Its slice; `None` for what lies outside of all steps.
    pub slice: Option<SliceId>,
    /// Number of its rank.
    pub rank: u32,
    /// When; of what lies outside everything, also what lies between.
    pub span: Span,
    /// When its slice goes on, on the host.
    pub marked: Span,
    /// Ticks of it.
    pub wall: Ticks,
    /// Ticks in which something is computed.
    pub compute: Ticks,
    /// Ticks in which data is exchanged, nothing computed.
    pub communication: Ticks,
    /// Ticks in which data is copied, nothing computed or exchanged.
    pub copies: Ticks,
    /// The rest.
    pub idle: Ticks,
    /// Ticks in which the host is busy while its slice goes on.
    pub host: Ticks,
    /// Ticks in which no stream works, by reason; those of a rank with steps that overlap are not known.
    pub reasons: [Ticks; REASONS],
}

/// What looking a step up in all sets costs.
const STEP: usize = 32;

/// The part of the work of steps from which on it is told that it lies outside of them.
const APART: f64 = 0.2;

/// How the steps of a rank were taken, and what of their work does not count in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// How long behind its mark on the host a step ends on the device (median), where steps are taken by what they launch.
    pub lag: Option<Ticks>,
    /// Whether it is known what steps launch.
    pub is_known: bool,
    /// Ticks of works that steps launch; where that is not known, of all from the first step on. And what of them lies
    /// outside of all steps.
    pub works: Ticks,
    pub apart: Ticks,
}

impl Taken {
    /// The part of their work that does not count in steps, where that is much.
    pub fn uncounted(&self) -> Option<f64> {
        let part = self.apart as f64 / self.works.max(1) as f64;
        (APART < part).then_some(part)
    }

    /// How steps were taken, where it is not as the host marks them, and what they lack; sentences, else nothing.
    pub fn said(&self, clock: Clock) -> Message {
        let taken = self.lag.map_or_else(Message::default, |lag| {
            let said = if 0 < lag {
                message(
                    "Steps are taken by what they launch, each from its first work on the device to that of the next: the host runs ahead, the work of a step ends {time} after the step does on the host (median).",
                )
            } else {
                message(
                    "Steps are taken by what they launch, each from its first work on the device to that of the next: the clocks differ, the work of a step ends {time} before the step does on the host (median).",
                )
            };
            said.with("time", duration(lag.saturating_abs(), clock))
        });
        let lack = self.uncounted().map_or_else(Message::default, |part| {
            let said = if self.is_known {
                message("{share} of the work that steps launch runs outside of all steps and is not counted in them.")
            } else {
                message("{share} of the device's work from the first step on runs outside of all steps and is not counted in them: which of it they launch is not recorded.")
            };
            said.with("share", format!("{} %", fixed(part * 100.0, 1)))
        });
        if taken.is_empty() || lack.is_empty() {
            return if taken.is_empty() { lack } else { taken };
        }
        message("{a} {b}").with_message("a", taken).with_message("b", lack)
    }
}

/// When a step is, and when the host marks it.
pub(super) struct Own {
    pub(super) span: Span,
    pub(super) marked: Span,
    slice: SliceId,
}

/// What the steps of a rank launch.
struct Launched {
    /// Sum of its lengths, and what of it lies in the step that launched it.
    works: Ticks,
    inside: Ticks,
    /// Sum of the lengths of what runs behind work with a launch, and has none.
    unknown: Ticks,
    /// When the last of what each launches ends.
    ends: Vec<Option<Ticks>>,
    /// Of the stream that computes most of it.
    main: OnStream,
}

/// What steps launch on a stream.
#[derive(Default)]
struct OnStream {
    /// Ticks of computing, and of all.
    sums: (Ticks, Ticks),
    /// When the first of what each launches begins.
    begins: Vec<Option<Ticks>>,
    /// Whether something is launched behind each that is of no step.
    is_followed: Vec<bool>,
}

/// The place of the step that a time lies in; else of the one before it.
fn place(marks: &[(Span, SliceId)], time: Ticks) -> Result<usize, Option<usize>> {
    let at = marks.partition_point(|mark| mark.0.end <= time);
    let is_inside = marks.get(at).is_some_and(|mark| mark.0.start <= time);
    is_inside.then_some(at).ok_or(at.checked_sub(1))
}

impl Launched {
    async fn find(rank: u32, marks: &[(Span, SliceId)], of: &Device, turn: &Turn) -> Self {
        let mut found = Self {
            works: 0,
            inside: 0,
            unknown: 0,
            ends: vec![None; marks.len()],
            main: OnStream::default(),
        };
        for stream in of.streams.iter().filter(|stream| stream.rank == rank) {
            let (mut own, mut before, mut is_recorded) = (OnStream::default(), Ticks::default(), false);
            own.begins.resize(marks.len(), None);
            own.is_followed.resize(marks.len(), false);
            for works in of.works[stream.works.clone()].chunks(PIECE / 2) {
                for work in works.iter().filter(|work| work.is_work()) {
                    is_recorded |= work.launch.is_some();
                    match work.launch {
                        Some(launch) => found.take(work, place(marks, launch.time), marks, &mut own),
                        None if is_recorded => found.unknown = found.unknown.saturating_add(work.span.dur()),
                        // Launched before the recording, where others of the stream are launched in it.
                        None => before = before.saturating_add(work.span.dur()),
                    }
                }
                if turn.is_over(2 * ROW * works.len()) {
                    turn.pause().await;
                }
            }
            found.unknown = found.unknown.saturating_add(if is_recorded { 0 } else { before });
            if found.main.sums < own.sums {
                found.main = own;
            }
        }
        found
    }

    fn take(
        &mut self,
        work: &Work,
        at: Result<usize, Option<usize>>,
        marks: &[(Span, SliceId)],
        own: &mut OnStream,
    ) {
        let dur = work.span.dur();
        match at {
            Ok(at) => {
                self.works = self.works.saturating_add(dur);
                self.inside = self.inside.saturating_add(marks[at].0.intersect(work.span).dur());
                self.ends[at] = self.ends[at].max(Some(work.span.end));
                own.sums.0 = own.sums.0.saturating_add(if work.class == Class::Compute { dur } else { 0 });
                own.sums.1 = own.sums.1.saturating_add(dur);
                // They come in the order of their starts.
                own.begins[at].get_or_insert(work.span.start);
            }
            Err(Some(before)) => own.is_followed[before] = true,
            Err(None) => {}
        }
    }

    /// Whether it is known what steps launch, but for less than is known.
    fn is_known(&self) -> bool {
        0 < self.works && self.unknown <= self.works
    }

    /// Whether most of it does not run in the step that launched it.
    fn is_apart(&self) -> bool {
        self.is_known() && self.inside.saturating_mul(2) < self.works
    }

    /// The steps by what they launch. One that launches nothing is as the host marks it, as far as nothing else runs.
    fn steps(&self, marks: &[(Span, SliceId)]) -> Vec<Own> {
        let mut done = Ticks::MIN;
        let mut begins: Vec<Ticks> = Vec::with_capacity(marks.len());
        for ((begin, end), (mark, _)) in self.main.begins.iter().zip(&self.ends).zip(marks) {
            begins.push(begin.unwrap_or(mark.start.max(done)));
            done = done.max(end.unwrap_or(done));
        }
        for at in (1..begins.len()).rev() {
            begins[at - 1] = begins[at - 1].min(begins[at]);
        }
        let step = |(at, &(marked, slice)): (usize, &(Span, SliceId))| {
            let start = begins[at];
            let own = self.ends[at].unwrap_or(marked.end).max(start);
            let is_alone = self.ends[at].is_none() || self.main.is_followed[at];
            let end = match begins.get(at + 1) {
                Some(next) if is_alone => own.min(*next),
                Some(next) => *next,
                None => own,
            };
            Own { span: Span { start, end }, marked, slice }
        };
        marks.iter().enumerate().map(step).filter(|own| !own.span.is_empty()).collect()
    }

    /// See [`Taken::lag`].
    fn lag(&self, marks: &[(Span, SliceId)]) -> Ticks {
        let lags =
            self.ends.iter().zip(marks).filter_map(|(end, mark)| Some((*end)?.saturating_sub(mark.0.end)));
        let mut lags: Vec<Ticks> = lags.collect();
        lags.sort_unstable();
        percentile(&lags, 50).round() as Ticks
    }
}

/// The steps of a rank that its host marks somewhere, and how they were taken.
pub(super) async fn taken(
    rank: u32,
    marks: Vec<(Span, SliceId)>,
    of: &Device,
    turn: &Turn,
) -> (Vec<Own>, Taken) {
    let marks = chosen(marks);
    let Some(first) = marks.first().map(|mark| mark.0.start) else { return Default::default() };
    // Of steps that lie in each other it is not known which one launched something.
    let is_apart = marks.windows(2).all(|two| two[0].0.end <= two[1].0.start);
    let launched = if is_apart { Some(Launched::find(rank, &marks, of, turn).await) } else { None };
    let launched = launched.filter(Launched::is_known);
    let late = launched.as_ref().filter(|launched| launched.is_apart());
    let as_marked = || marks.iter().map(|&(span, slice)| Own { span, marked: span, slice }).collect();
    let own: Vec<Own> = late.map_or_else(as_marked, |launched| launched.steps(&marks));
    let (lag, is_known) = (late.map(|launched| launched.lag(&marks)), launched.is_some());
    let mut taken = Taken { lag, is_known, ..Taken::default() };
    let steps = Times::of_sorted(own.iter().map(|own| (own.span.start, own.span.end)));
    let counts = |work: &&Work| match work.launch.filter(|_| is_known) {
        Some(launch) => place(&marks, launch.time).is_ok(),
        None => !is_known && first <= work.span.start,
    };
    let is_its = |stream: &&StreamWork| stream.rank == rank;
    for stream in of.streams.iter().filter(is_its) {
        for works in of.works[stream.works.clone()].chunks(PIECE / 2) {
            for work in works.iter().filter(|work| work.is_work()).filter(counts) {
                taken.works = taken.works.saturating_add(work.span.dur());
                taken.apart = taken.apart.saturating_add(work.span.dur() - steps.inside(work.span));
            }
            if turn.is_over(2 * ROW * works.len()) {
                turn.pause().await;
            }
        }
    }
    (own, taken)
}

/// Some stretches as far as they lie in a time, as a set.
pub(super) async fn set_of(spans: impl Iterator<Item = Span>, within: Span, turn: &Turn) -> Times {
    let spans = spans.map(|span| span.intersect(within)).filter(|span| !span.is_empty());
    set(spans.map(|span| (span.start, span.end)).collect(), turn).await
}

/// The steps of a rank by its sets: what is computed, exposed communication and copies, the host.
pub(super) async fn steps_of(rank: u32, steps: &[Own], sets: [&Times; 4], of: &mut Device, turn: &Turn) {
    let (mut cut, mut marked) = (Times::default(), Times::default());
    let [device @ .., host] = sets;
    for own in steps.iter().filter(|own| of.span.touches(own.span)) {
        let [span, mark] = [own.span, own.marked].map(|own| own.intersect(of.span));
        cut.push(span);
        marked.push(mark);
        let parts = device.map(|times| times.inside(span));
        let step = Step { slice: Some(own.slice), rank, span, marked: own.marked, ..Step::default() };
        of.steps.push(step.of(span.dur(), parts, host.inside(mark)));
        if turn.is_over(STEP * ROW) {
            turn.pause().await;
        }
    }
    if cut.spans().is_empty() {
        return;
    }
    // What the device does outside of the steps while the rank was recorded: others may have been earlier or later.
    let span = of.ranks[rank as usize].span;
    let parts = device.map(|times| cut.rest(span).map(|part| times.inside(part)).sum());
    if parts != [0; 3] {
        let wall = cut.rest(span).map(Span::dur).sum();
        let host = marked.rest(span).map(|part| host.inside(part)).sum();
        of.steps.push(Step { rank, span, marked: span, ..Step::default() }.of(wall, parts, host));
    }
}

impl Step {
    fn of(self, wall: Ticks, [compute, communication, copies]: [Ticks; 3], host: Ticks) -> Self {
        let idle = wall - compute - communication - copies;
        Self { wall, compute, communication, copies, idle, host, ..self }
    }
}

/// The steps of the track that has most of them, of several the first: a name may stand on other tracks too. They come
/// track by track.
fn chosen(steps: Vec<(Span, SliceId)>) -> Vec<(Span, SliceId)> {
    let runs = steps.chunk_by(|a, b| a.1.track == b.1.track);
    let best = runs.rev().max_by_key(|run| run.len());
    best.map_or_else(Vec::new, <[_]>::to_vec)
}
