//! How a stream spends its time, in two ways: each gap by its reasons, and three classes as other tools have them.
//!
//! Reasons: what lies before the first work and behind the last is set apart. Then a gap goes to the reasons in the order
//! of [`Reason`]: a short one as a whole; the part of a long one during which the thread that launches the next work loads
//! data, or the one that hands it to that thread does; of what is left until that launch, the parts in which either waits
//! for the device, or asks the driver for memory, and the rest, which is launched late; then, until the call that
//! launches it returns, it is launched late too, or inside of that call where this takes far longer than the usual one
//! ([`LONG`]), by what the call starts; from then on it is launched but not started, which may be because it waits for what
//! other streams do. Where the launch is not known, all threads of the host count. What a thread waits for behind the launch
//! is the work itself.
//!
//! Three classes, for each work of a stream but the first, in order of start: the idle time is its start without the end
//! of the work before it, also where that is negative. It is `host_wait` when the launch comes after that end, otherwise
//! `kernel_wait` when the idle time is below a limit, otherwise `other`. Times are whole microseconds, as those tools read
//! them: starts and launches are rounded up, ends down; so [`super::DELAY`] is 30 µs where they say 30 ns.

use super::class::is_fill;
use super::{Class, Options, Times, Work};
use crate::analysis::timeline::Timeline;
use crate::base::map::Map;
use crate::base::time::{Clock, Span, Ticks, Total};
use crate::base::words::phrase;
use crate::model::Trace;
use crate::model::id::{StrId, TrackId};
use serde::{Deserialize, Serialize};

/// Why nothing goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reason {
    /// Kernels follow each other at once.
    Short,
    /// The host loads data.
    Loading,
    /// The host waits for the device.
    Synchronizing,
    /// The host asks the driver for memory, or gives it back.
    Allocating,
    /// The host has not launched the next work yet, or is in a usual call that launches it.
    Late,
    /// The host is in a long call that launches the next work, a kernel.
    InCall,
    /// The same where the next work is a copy.
    InCopy,
    /// The same where the next work sets memory.
    InFill,
    /// The next work is launched: it exchanges data, and other streams compute meanwhile.
    ForCompute,
    /// The next work is launched: it computes, and other streams exchange data meanwhile.
    ForCommunication,
    /// The next work is launched and does not start.
    NotStarted,
    /// Nothing says when the next work was launched.
    Unknown,
    /// Before the first work and behind the last.
    Ends,
}

impl Reason {
    /// What a long call is that launches a work.
    fn in_call(trace: &Trace, work: &Work) -> Self {
        match work.class {
            Class::Copy if is_fill(trace, work.slice) => Self::InFill,
            Class::Copy => Self::InCopy,
            _ => Self::InCall,
        }
    }
}

/// A call that launches something is long from so many medians of the calls that launch kernels of its device.
pub const LONG: f64 = 10.0;

/// A gap of at most so many medians of the calls that launch kernels is what launching one by one costs: where networks run
/// operator by operator, nearly all that comes late lies in gaps of up to 50 of them, or of more than 200.
pub const BRIEF: f64 = 50.0;

/// How many reasons there are.
pub const REASONS: usize = 13;

/// Ids and titles of the reasons, in the order of [`Reason`].
pub const TITLES: [(&str, &str); REASONS] = [
    ("short_gap", phrase("Short gap")),
    ("host_loads_data", phrase("Host loads data")),
    ("host_synchronizes", phrase("Host synchronizes")),
    ("host_allocates", phrase("Host allocates memory")),
    ("launched_late", phrase("Launched late")),
    ("inside_launch_call", phrase("Inside the launch call")),
    ("inside_copy_call", phrase("Inside a copy call")),
    ("inside_memory_set_call", phrase("Inside a memory-set call")),
    ("waits_for_compute", phrase("Waits for compute")),
    ("waits_for_communication", phrase("Waits for communication")),
    ("launched_not_started", phrase("Launched, not started")),
    ("not_known", phrase("Launch unknown")),
    ("before_first_after_last", phrase("Before first, after last")),
];

/// Ids of the three classes, and their titles.
pub const CLASSES: [(&str, &str); 3] = [
    ("host_wait", phrase("Host wait")),
    ("kernel_wait", phrase("Kernel wait")),
    ("other", phrase("Other idle time")),
];

/// How a stream spends the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Idle {
    /// Ticks with work.
    pub busy: Ticks,
    /// Ticks without, by reason.
    pub reasons: [Ticks; REASONS],
    /// Ticks of the three classes.
    pub classes: [Ticks; 3],
    /// How many works each class has; the first work of a stream is one of the last class.
    pub of_class: [u64; 3],
}

impl Idle {
    /// Ticks of all reasons.
    pub fn idle(&self) -> Ticks {
        self.reasons.iter().copied().total()
    }

    /// The reason with most of the time of all gaps, and its percentage; by one of the two definitions. `None` where gaps
    /// take little time, or nothing of them stands out.
    pub fn cause(&self, is_classes: bool) -> Option<(&'static str, f64)> {
        let parts: Vec<(&'static str, Ticks)> = if is_classes {
            CLASSES.iter().map(|of| of.1).zip(self.classes).collect()
        } else {
            TITLES.iter().map(|of| of.1).zip(self.reasons).take(Reason::Ends as usize).collect()
        };
        let gaps: Ticks = parts.iter().map(|part| part.1).total();
        let percent = |part: Ticks, whole: Ticks| part as f64 * 100.0 / whole.max(1) as f64;
        // Gaps of little time are no reason to do anything.
        if percent(gaps, self.time()) < 5.0 {
            return None;
        }
        // The first of several.
        let (title, most) = parts.into_iter().rev().max_by_key(|part| part.1)?;
        Some((title, percent(most, gaps))).filter(|(_, share)| 25.0 <= *share)
    }

    /// Ticks with and without work: how long the stream was recorded.
    pub fn time(&self) -> Ticks {
        self.busy + self.idle()
    }
}

/// What gaps are held against.
pub(super) struct Around {
    /// What each thread of the host does, and all of them.
    pub(super) threads: Map<ThreadKey, Thread>,
    pub(super) all: Thread,
    pub(super) compute: Times,
    pub(super) communication: Times,
    /// The steps.
    pub(super) steps: Times,
    /// From which length on a call that launches something is long.
    pub(super) long: Ticks,
    /// Up to which length a gap is brief.
    pub(super) brief: Ticks,
}

/// What tells a thread of the host: its file and its name, where that has a number, since calls may lie on another track of
/// that name than what makes them; else its track.
pub(super) type ThreadKey = (u32, StrId, Option<TrackId>);

/// See [`ThreadKey`].
pub(super) fn thread_key(trace: &Trace, id: TrackId) -> ThreadKey {
    let (entry, name) = trace.tracks.find(id).map_or((0, StrId(0)), |track| (track.entry, track.name));
    let is_numbered = trace.strings.get(name).bytes().any(|byte| byte.is_ascii_digit());
    (entry, name, (!is_numbered).then_some(id))
}

/// When a thread of the host keeps itself from launching.
#[derive(Default)]
pub(super) struct Thread {
    /// It loads data.
    pub(super) loads: Times,
    /// It waits for the device.
    pub(super) syncs: Times,
    /// It asks the driver for memory, and does not wait.
    pub(super) allocates: Times,
    /// Its calls that wait, in order of their starts: when, their name, and that of what they are made in.
    pub(super) waits: Vec<(Span, StrId, StrId)>,
}

/// Names of a call that waits, and of the operator or the module that it is made in.
type Key = (StrId, StrId);

/// How many calls that begin before a time are looked at for one that goes on then: those that lie in each other.
const NESTED: usize = 4;

impl Thread {
    /// What keeps a thread from launching before a time if another one hands it the work: that one loads the data until then,
    /// and both may wait or ask for memory.
    fn handed(own: Option<&Self>, by: &Self, [before, until, loading]: [Span; 3]) -> Self {
        let parts = |own: &Times, within: Span| -> Vec<(Ticks, Ticks)> {
            own.parts(within).map(|part| (part.start, part.end)).collect()
        };
        let both = |of: fn(&Self) -> &Times| {
            let mut all = own.map_or_else(Vec::new, |own| parts(of(own), before));
            all.extend(parts(of(by), until));
            all.sort_unstable();
            Times::of_sorted(all)
        };
        let syncs = both(|of| &of.syncs);
        let allocates = both(|of| &of.allocates);
        let rest = allocates.spans().iter().flat_map(|span| syncs.rest(*span).collect::<Vec<_>>());
        let allocates = Times::of_sorted(rest.map(|part| (part.start, part.end)));
        let mut waits: Vec<_> = own.into_iter().flat_map(|own| own.waits_in(before)).collect();
        waits.extend(by.waits_in(until));
        waits.sort_by_key(|(span, ..)| (span.start, std::cmp::Reverse(span.end)));
        Self { loads: Times::of_sorted(parts(&by.loads, loading)), syncs, allocates, waits }
    }

    /// The calls that wait in a stretch, until its end.
    fn waits_in(&self, within: Span) -> impl Iterator<Item = (Span, StrId, StrId)> {
        let [begun, behind] =
            [within.start, within.end].map(|time| self.waits.partition_point(|wait| wait.0.start < time));
        let from = self.waits.get(begun.saturating_sub(NESTED)..behind).unwrap_or_default();
        let inside = from.iter().filter(move |wait| within.start < wait.0.end);
        inside.map(move |(span, name, around)| {
            (Span { end: span.end.min(within.end), ..*span }, *name, *around)
        })
    }

    /// The call that goes on at a time: of several the innermost.
    fn call(&self, time: Ticks) -> Option<Key> {
        let behind = self.waits.partition_point(|wait| wait.0.start <= time);
        let begun = self.waits.get(..behind)?.iter().rev().take(NESTED);
        begun.into_iter().find(|wait| time < wait.0.end).map(|wait| (wait.1, wait.2))
    }

    /// The parts of a stretch in which a call goes on, each with the innermost one.
    fn parts(&self, within: Span) -> Vec<(Key, Span)> {
        let [begun, behind] =
            [within.start, within.end].map(|time| self.waits.partition_point(|wait| wait.0.start < time));
        let from = self.waits.get(begun.saturating_sub(NESTED)..behind).unwrap_or_default();
        let (mut parts, mut open, mut until) = (Vec::new(), Vec::<(Ticks, Key)>::new(), within.start);
        let begins = from.iter().filter(|wait| within.start < wait.0.end).map(|(span, name, inside)| {
            (span.start.max(within.start), Some((span.end.min(within.end), (*name, *inside))))
        });
        for (time, next) in begins.chain([(within.end, None)]) {
            while let Some((end, key)) = open.last().copied() {
                let part = Span { start: until, end: end.min(time) };
                if until < part.end {
                    parts.push((key, part));
                    until = part.end;
                }
                if time < end {
                    break;
                }
                open.pop();
            }
            until = until.max(time);
            open.extend(next);
        }
        parts
    }
}

/// Gaps before whose end the thread that launches what comes next waited for the device, by the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waited {
    /// Names of the call, and of the operator or the module that it is made in; empty for none.
    pub call: StrId,
    pub inside: StrId,
    /// How many gaps begin during it.
    pub begun: u64,
    /// Ticks of gaps in such calls, each of the innermost one that goes on; and what follows on the calls in gaps that begin
    /// during one, until the next launch.
    pub syncing: Ticks,
    pub late: Ticks,
}

/// Gaps of one reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    /// How many have some of it.
    pub n: u64,
    /// The one with most of it, and how much.
    pub longest: (Span, Ticks),
    /// How many of them are brief, see [`BRIEF`], and what these have of it.
    pub brief: (u64, Ticks),
}

/// A stream on the way through its works, or all streams of a device as if they were one.
pub(super) struct Walk {
    /// Until when it is known what the stream does; `None` before its first work.
    until: Option<Ticks>,
    /// Rounded end of the last row.
    last: Option<Ticks>,
    pub(super) idle: Idle,
    pub(super) gaps: [Gaps; REASONS],
    pub(super) waited: Vec<Waited>,
    /// Where in it calls are.
    of_call: Map<Key, usize>,
    /// See [`Around::brief`].
    brief: Ticks,
}

impl Walk {
    pub(super) fn new(brief: Ticks) -> Self {
        let (idle, gaps) = (Idle::default(), [Gaps::default(); REASONS]);
        Self { until: None, last: None, idle, gaps, waited: Vec::new(), of_call: Map::default(), brief }
    }

    /// Takes in the next work.
    pub(super) fn take(
        &mut self,
        work: &Work,
        span: Span,
        of: (&Trace, &Timeline),
        options: &Options,
        around: &Around,
    ) {
        if work.class == Class::Wait || !span.touches(work.span) {
            return;
        }
        self.classify(work, of.0.clock, options);
        let inside = work.span.intersect(span);
        let from = self.until.unwrap_or(span.start);
        let gap = Span { start: from, end: inside.start };
        if !gap.is_empty() {
            match self.until {
                None => self.add(Reason::Ends, gap, gap.dur()),
                Some(_) => self.gap(gap, work, of, options, around),
            }
        }
        self.idle.busy =
            self.idle.busy.saturating_add(inside.end.saturating_sub(from.max(inside.start)).max(0));
        self.until = Some(from.max(inside.end));
    }

    /// Takes in the next work as far as it lies in steps: gaps end and begin at their borders.
    pub(super) fn take_inside(
        &mut self,
        work: &Work,
        of: (&Trace, &Timeline),
        options: &Options,
        around: &Around,
    ) {
        let first = around.steps.spans().first().map(|span| span.start);
        let (Some(first), false) = (first, work.class == Class::Wait) else { return };
        let from = self.until.unwrap_or(first);
        for gap in around.steps.parts(Span { start: from, end: work.span.start.max(from) }) {
            self.gap(gap, work, of, options, around);
        }
        let inside = Span { start: from.max(work.span.start), end: work.span.end.max(from) };
        self.idle.busy = self.idle.busy.saturating_add(around.steps.inside(inside));
        self.until = Some(inside.end);
    }

    /// Takes in the next work for steps that follow each other: gaps end at the borders of each, their reasons are its own.
    pub(super) fn take_each(
        &mut self,
        work: &Work,
        (steps, reasons): (&[Span], &mut [[Ticks; REASONS]]),
        of: (&Trace, &Timeline),
        (options, around): (&Options, &Around),
    ) {
        let (Some(first), false) = (steps.first(), work.class == Class::Wait) else { return };
        let from = self.until.unwrap_or(first.start);
        let gap = Span { start: from, end: work.span.start.max(from) };
        let at = steps.partition_point(|step| step.end <= gap.start);
        let within = steps.iter().zip(reasons).skip(at).take_while(|(step, _)| step.start < gap.end);
        for (step, reasons) in within {
            let before = self.idle.reasons;
            self.gap(gap.intersect(*step), work, of, options, around);
            for ((own, now), before) in reasons.iter_mut().zip(self.idle.reasons).zip(before) {
                *own = own.saturating_add(now - before);
            }
        }
        self.until = Some(gap.end.max(work.span.end));
    }

    /// What is left of such steps behind the last work.
    pub(super) fn end_each(&self, (steps, reasons): (&[Span], &mut [[Ticks; REASONS]])) {
        for (step, reasons) in steps.iter().zip(reasons) {
            let from = self.until.map_or(step.start, |until| until.max(step.start));
            reasons[Reason::Ends as usize] =
                reasons[Reason::Ends as usize].saturating_add(step.end.saturating_sub(from).max(0));
        }
    }

    /// What is left of the steps behind the last work.
    pub(super) fn end_inside(&mut self, steps: &Times) {
        let ends = (steps.spans().first(), steps.spans().last());
        let (Some(first), Some(last)) = ends else { return };
        let from = self.until.unwrap_or(first.start);
        for gap in steps.parts(Span { start: from, end: last.end.max(from) }) {
            self.add(Reason::Ends, gap, gap.dur());
        }
    }

    /// The rest of the time.
    pub(super) fn end(&mut self, span: Span) {
        let from = self.until.unwrap_or(span.start);
        self.add(Reason::Ends, Span { start: from, ..span }, span.end.saturating_sub(from).max(0));
    }

    /// A part of a gap has this reason.
    fn add(&mut self, reason: Reason, gap: Span, ticks: Ticks) {
        self.idle.reasons[reason as usize] = self.idle.reasons[reason as usize].saturating_add(ticks);
        self.note(reason, gap, ticks);
    }

    /// A gap has so much of a reason.
    fn note(&mut self, reason: Reason, gap: Span, ticks: Ticks) {
        let gaps = &mut self.gaps[reason as usize];
        gaps.n += u64::from(0 < ticks);
        if gaps.longest.1 < ticks {
            gaps.longest = (gap, ticks);
        }
        if gap.dur() <= self.brief {
            gaps.brief = (gaps.brief.0 + u64::from(0 < ticks), gaps.brief.1 + ticks);
        }
    }

    fn gap(
        &mut self,
        gap: Span,
        next: &Work,
        (trace, timeline): (&Trace, &Timeline),
        options: &Options,
        around: &Around,
    ) {
        let limit = |nanos| Options::ticks(trace.clock, nanos);
        if gap.dur() <= limit(options.short) {
            return self.add(Reason::Short, gap, gap.dur());
        }
        let none = Times::default();
        let thread = match next.launch {
            Some(launch) => around.threads.get(&thread_key(trace, launch.track)),
            None => Some(&around.all),
        };
        let begun = next.launch.map_or(gap.end, |launch| launch.time.clamp(gap.start, gap.end));
        let before = Span { end: begun, ..gap };
        // Who loads data or waits, then hands the work to another thread, keeps that one waiting until then.
        let handed = next.launch.filter(|launch| launch.from != launch.track).and_then(|launch| {
            let until = Span { end: launch.handed.clamp(gap.start, begun), ..gap };
            let by = around.threads.get(&thread_key(trace, launch.from))?;
            // It may launch it itself, on another track.
            let is_same = thread.is_some_and(|own| std::ptr::eq(own, by));
            let waiting = if is_same { before } else { until };
            Some(Thread::handed(thread.filter(|_| !is_same), by, [before, waiting, until]))
        });
        let thread = handed.as_ref().or(thread);
        let own = thread.map(|own| &own.loads);
        let loads = own.filter(|_| limit(options.loading) < gap.dur()).unwrap_or(&none);
        self.add(Reason::Loading, gap, loads.inside(gap));
        let inside = |span: Span| span.dur() - loads.inside(span);
        let of = |times: &Times| -> Ticks { loads.rest(before).map(|part| times.inside(part)).sum() };
        let [syncing, allocating] = thread.map_or([0; 2], |own| [of(&own.syncs), of(&own.allocates)]);
        self.add(Reason::Synchronizing, gap, syncing);
        self.add(Reason::Allocating, gap, allocating);
        let left = inside(before) - syncing - allocating;
        if let Some(thread) = thread {
            self.wait(thread, before, loads, left);
        }
        let Some(launch) = next.launch else { return self.add(Reason::Unknown, gap, left) };
        let call = launch.call(trace, timeline);
        let returned = call.map_or(begun, |call| call.end.clamp(begun, gap.end));
        let in_call = inside(Span { start: begun, end: returned });
        if call.is_some_and(|call| around.long <= call.dur()) {
            self.add(Reason::Late, gap, left);
            self.add(Reason::in_call(trace, next), gap, in_call);
        } else {
            // The call itself is a part of waiting for the launch.
            self.add(Reason::Late, gap, left + in_call);
        }
        let launched = Span { start: returned, ..gap };
        let (reason, others) = match next.class {
            Class::Communication => (Reason::ForCompute, &around.compute),
            _ => (Reason::ForCommunication, &around.communication),
        };
        let waiting: Ticks = loads.rest(launched).map(|part| others.inside(part)).total();
        self.add(reason, gap, waiting);
        self.add(Reason::NotStarted, gap, inside(launched) - waiting);
    }

    /// Counts a gap, until the next launch, for the calls in which its thread waits: the time in each for this one, what
    /// follows on them for the one that goes on when the gap begins.
    fn wait(&mut self, thread: &Thread, gap: Span, loads: &Times, late: Ticks) {
        // What was launched before the gap began had nothing to wait for.
        if gap.is_empty() {
            return;
        }
        if let Some(key) = thread.call(gap.start) {
            self.count(key, |waited| {
                waited.begun += 1;
                waited.late = waited.late.saturating_add(late);
            });
        }
        for (key, part) in thread.parts(gap) {
            let syncing = part.dur() - loads.inside(part);
            self.count(key, |waited| waited.syncing = waited.syncing.saturating_add(syncing));
        }
    }

    fn count(&mut self, key: Key, add: impl FnOnce(&mut Waited)) {
        let next = self.waited.len();
        let at = *self.of_call.entry(key).or_insert(next);
        if at == next {
            self.waited.push(Waited { call: key.0, inside: key.1, begun: 0, syncing: 0, late: 0 });
        }
        if let Some(waited) = self.waited.get_mut(at) {
            add(waited);
        }
    }

    /// The three classes.
    fn classify(&mut self, work: &Work, clock: Clock, options: &Options) {
        // Other clocks than nanoseconds are not rounded.
        let micro = if clock == Clock::Nanos { 1000 } else { 1 };
        let up = |t: Ticks| t.div_euclid(micro).saturating_add(Ticks::from(t.rem_euclid(micro) != 0));
        let down = |t: Ticks| t.div_euclid(micro);
        let start = up(work.span.start);
        let last = self.last.replace(down(work.span.end));
        let Some(last) = last else {
            self.idle.of_class[2] += 1;
            return;
        };
        let idle = start.saturating_sub(last).saturating_mul(micro);
        let class = if work.launch.is_some_and(|launch| last < up(launch.time)) {
            0
        } else if idle < Options::ticks(clock, options.delay) {
            1
        } else {
            2
        };
        self.idle.classes[class] = self.idle.classes[class].saturating_add(idle);
        self.idle.of_class[class] += 1;
    }
}
