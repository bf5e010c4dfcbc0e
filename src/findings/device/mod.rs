//! Rules and figures of host and device: any trace with streams, whoever wrote it.
//!
//! Devices are looked at one by one, each by all of its streams together: it is idle while no stream works. Of several the
//! sentences tell the one that loses most, and say of how many that holds. Where a device has steps, they are what counts,
//! and times are those of a step, of uneven steps those of all; otherwise all from its first to its last work ([`Scope`]).

mod asked;
mod bare;
mod copies;
mod exchange;
mod host;
mod idle;
mod kernels;
mod lateness;
mod launch;
mod meetings;
mod memory;
mod overlong;
mod pairing;
mod ranks;
mod steps;
mod streams;
mod summary;
mod waiting;

pub use meetings::clocks;
pub use summary::summary;

use super::trace::percent;
use super::{Rule, RuleInput};
use crate::analysis::device::idle::{Gaps, Idle, REASONS, Reason, Waited};
use crate::analysis::device::{Device, Launch, Rank, Step};
use crate::analysis::finding::{Number, share};
use crate::base::brief::in_sentence;
use crate::base::number::{fixed, thousands, with_unit};
use crate::base::order::{self, percentile};
use crate::base::time::{Span, Ticks, Total};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::model::figure::{Bar, BarRole, Bars, Body, Figure};
use crate::model::id::{SliceId, StrId, TrackId};

/// In the order in which they are run.
pub static RULES: &[&Rule] = &[
    &launch::LATE,
    &launch::INSIDE,
    &idle::INPUT,
    &idle::SYNC,
    &idle::UNKNOWN,
    &exchange::EXPOSED,
    &ranks::LAST,
    &copies::PAGEABLE,
    &copies::BLOCKING,
    &streams::SERIAL,
    &streams::EVENTS,
    &memory::ALLOCATIONS,
    &memory::FREED,
    &memory::NEAR,
    &steps::DIFFER,
    &kernels::HOTTEST,
    &kernels::FULL,
    &launch::SHORT,
    &host::OPERATORS,
];

/// The source of thresholds that nothing but their use stands behind.
const OUR_CHOICE: &str = phrase("our own choice: saving less is hardly worth changing the program");

/// The devices, if some work is known.
pub fn devices<'a>(input: &RuleInput<'a>) -> Option<&'a Device> {
    input.device.filter(|device| !device.works.is_empty())
}

/// What of a device counts: its steps, or all from its first to its last work.
#[derive(Clone)]
pub struct Scope<'a> {
    pub rank: usize,
    pub of: &'a Rank,
    /// How many steps there are; 0 where it is all.
    pub n: usize,
    /// How many steps the device has; more than that where some do not count.
    pub of_all: usize,
    /// Whether the mean step is another one than the usual step: then a time of a step tells nothing.
    pub is_uneven: bool,
    pub whole: Ticks,
    pub compute: Ticks,
    pub communication: Ticks,
    pub copies: Ticks,
    pub idle: &'a Idle,
    pub gaps: &'a [Gaps; REASONS],
    pub waited: &'a [Waited],
}

/// The part of the median step by which the mean of steps may differ from it.
const UNEVEN: f64 = 0.2;

/// Whether the mean of some steps is not about what a usual one takes.
fn is_uneven(device: &Device, rank: usize) -> bool {
    let mut walls = steps_of(device, rank);
    walls.sort_unstable();
    let mean = walls.iter().copied().total() as f64 / walls.len().max(1) as f64;
    let median = percentile(&walls, 50);
    UNEVEN * median < (mean - median).abs()
}

impl<'a> Scope<'a> {
    /// The steps of a device; all of it where it has none. `None` where there is no such device.
    pub fn of(device: &'a Device, rank: usize) -> Option<Self> {
        let of = device.ranks.get(rank)?;
        let Some(steps) = &of.in_steps else { return Self::recorded(device, rank) };
        let scope = Self {
            rank,
            of,
            n: steps.n,
            of_all: steps.n,
            is_uneven: is_uneven(device, rank),
            whole: steps.wall,
            compute: steps.compute,
            communication: steps.communication,
            copies: steps.copies,
            idle: &steps.idle,
            gaps: &steps.gaps,
            waited: &steps.waited,
        };
        (0 < scope.whole).then_some(scope)
    }

    /// All of a device, from its first to its last work, whether it has steps or not.
    pub fn recorded(device: &'a Device, rank: usize) -> Option<Self> {
        let of = device.ranks.get(rank)?;
        let [compute, _, communication] = of.sums;
        let scope = Self {
            rank,
            of,
            n: 0,
            of_all: 0,
            is_uneven: false,
            whole: of.idle.time() - of.idle.reasons[Reason::Ends as usize],
            compute,
            communication,
            copies: (of.idle.busy - compute - communication).max(0),
            idle: &of.idle,
            gaps: &of.gaps,
            waited: &of.waited,
        };
        (0 < scope.whole).then_some(scope)
    }

    /// Some of its steps, where these are even and not all of them; what is known of gaps is still that of all.
    pub fn over(&self, device: &Device, is_meant: impl Fn(&Step) -> bool) -> Option<Self> {
        let own = device.steps.iter().filter(|step| step.rank as usize == self.rank && step.slice.is_some());
        let some: Vec<&Step> = own.filter(|step| is_meant(step)).collect();
        let sum = |of: fn(&Step) -> Ticks| some.iter().map(|step| of(step)).total();
        let scope = Self {
            n: some.len(),
            whole: sum(|step| step.wall),
            compute: sum(|step| step.compute),
            communication: sum(|step| step.communication),
            copies: sum(|step| step.copies),
            ..self.clone()
        };
        (0 < scope.n && scope.n < self.n && !self.is_uneven && 0 < scope.whole).then_some(scope)
    }

    /// Behind a time, which steps count where these are not all.
    pub fn known(&self) -> Message {
        if self.n == self.of_all {
            return Message::default();
        }
        message(" in the {n} of {all} steps that all devices recorded")
            .with("n", self.n)
            .with("all", self.of_all)
    }

    /// All devices.
    pub fn all(device: &'a Device) -> impl Iterator<Item = Self> {
        (0..device.ranks.len()).filter_map(|rank| Self::of(device, rank))
    }

    /// The device of whose time something takes the largest share, of several the first, and how much: the steps of one may
    /// be held against all that another did.
    pub fn most(device: &'a Device, of: impl Fn(&Self) -> Ticks) -> Option<(Self, Ticks)> {
        let all: Vec<(Self, Ticks)> = Self::all(device)
            .map(|scope| {
                let ticks = of(&scope);
                (scope, ticks)
            })
            .collect();
        let share = |(scope, ticks): &(Self, Ticks)| scope.share(*ticks);
        all.into_iter().rev().max_by(|a, b| share(a).total_cmp(&share(b)))
    }

    /// The device that stands for all: one with steps, of these the busiest, of several the first.
    pub fn first(device: &'a Device) -> Option<Self> {
        let all: Vec<Self> = Self::all(device).collect();
        all.into_iter().rev().max_by_key(|scope| (0 < scope.n, scope.idle.busy))
    }

    /// Time of a reason.
    pub fn reason(&self, reason: Reason) -> Ticks {
        self.idle.reasons[reason as usize]
    }

    /// Gaps of a reason.
    pub fn gaps(&self, reason: Reason) -> &'a Gaps {
        &self.gaps[reason as usize]
    }

    /// Time in which the host has not launched yet what comes next, or is just launching it in a usual call.
    pub fn late(&self) -> Ticks {
        self.reason(Reason::Late)
    }

    /// Time in which no stream works. Where all counts, what lies before the first and behind the last work does not.
    pub fn idle(&self) -> Ticks {
        (self.whole - self.idle.busy).max(0)
    }

    /// A part of it, 0 to 1.
    pub fn share(&self, ticks: Ticks) -> f64 {
        share(ticks as f64, self.whole as f64)
    }

    /// By how much sums are divided: by the steps, unless these are uneven.
    pub fn per(&self) -> usize {
        if self.is_uneven { 1 } else { self.n.max(1) }
    }

    /// A time as a value: of a step, where there are even steps.
    pub fn value(&self, input: &RuleInput, ticks: Ticks) -> (f64, Unit) {
        let (value, unit) = input.time(ticks);
        (value / self.per() as f64, unit)
    }

    /// The whole as a value of the same kind.
    pub fn all_value(&self, input: &RuleInput) -> f64 {
        self.value(input, self.whole).0
    }

    /// What a share is of, behind a saving.
    pub fn whole(&self) -> &'static str {
        match self.n {
            0 => phrase("{share} of device time"),
            _ if self.of.taken.uncounted().is_some() => {
                phrase("{share} of steps, not all of whose work is counted")
            }
            _ if self.is_uneven => phrase("{share} of all steps"),
            _ => phrase("{share} of a step"),
        }
    }

    /// How something was found out, with how steps were taken.
    pub fn how(&self, input: &RuleInput, how: Message) -> Message {
        let taken = self.of.taken.said(input.trace.clock);
        if self.n == 0 || taken.is_empty() {
            return how;
        }
        message("{a} {b}").with_message("a", how).with_message("b", taken)
    }

    /// A time without what it is of, where [`Self::each`] said that before.
    pub fn time(&self, input: &RuleInput, ticks: Ticks) -> String {
        let (value, unit) = self.value(input, ticks);
        with_unit(value, &unit)
    }

    /// A time as a sentence has it: `16.248 ms per step`, `97.486 ms in 6 steps`, or `97.486 ms`.
    pub fn said(&self, input: &RuleInput, ticks: Ticks) -> Message {
        let (value, unit) = self.value(input, ticks);
        let said = match self.n {
            0 => return with_unit(value, &unit).into(),
            n if self.is_uneven => message("{time} in {n} steps").with("n", n),
            _ => message("{time} per step"),
        };
        said.with("time", with_unit(value, &unit))
    }

    /// The same of something that steps have; where one has most of it, with that.
    pub fn said_of(
        &self,
        input: &RuleInput,
        device: &Device,
        (ticks, of): (Ticks, impl Fn(&Step) -> Ticks),
    ) -> Message {
        let said = self.said(input, ticks);
        match self.most_of(device, ticks, of) {
            Some(step) => mostly_in(input, said, step),
            None => said,
        }
    }

    /// The same of idle time of some reasons.
    pub fn said_of_idle(
        &self,
        input: &RuleInput,
        device: &Device,
        (ticks, reasons): (Ticks, &[Reason]),
    ) -> Message {
        let of = |step: &Step| reasons.iter().map(|reason| step.reasons[*reason as usize]).total();
        self.said_of(input, device, (ticks, of))
    }

    /// The step that has most of something.
    pub fn most_in(&self, device: &'a Device, of: impl Fn(&Step) -> Ticks) -> Option<SliceId> {
        let own = device.steps.iter().filter(|step| step.rank as usize == self.rank && step.slice.is_some());
        let all = own.map(&of).total();
        self.most_of(device, all, of)
    }

    /// The step that has more than half of all of something, and twice as much as others on average; of steps it may be known
    /// how much they have at least.
    fn most_of(&self, device: &Device, all: Ticks, of: impl Fn(&Step) -> Ticks) -> Option<SliceId> {
        let own = device.steps.iter().filter(|step| step.rank as usize == self.rank);
        let steps = own.filter_map(|step| Some((step.slice?, of(step))));
        let others = Ticks::try_from(self.n).unwrap_or(Ticks::MAX).saturating_sub(1);
        let is_most = |own: Ticks| {
            all < own.saturating_mul(2) && (all - own).saturating_mul(2) <= own.saturating_mul(others)
        };
        let most = steps.max_by_key(|step| step.1).filter(|step| is_most(step.1));
        most.filter(|_| 1 < self.n).map(|step| step.0)
    }

    /// A number as a sentence has it, before a noun: of a step, where there are steps. [`Self::each`] stands behind the noun.
    pub fn count(&self, n: u64) -> String {
        let mean = n as f64 / self.per() as f64;
        if mean < 1_000.0 && mean.fract() != 0.0 { fixed(mean, 1) } else { thousands(mean.round() as u64) }
    }

    /// Behind what [`Self::count`] counts.
    pub fn each(&self) -> Message {
        match self.n {
            0 => Message::default(),
            n if self.is_uneven => message(" in {n} steps").with("n", n),
            _ => message(" a step"),
        }
    }

    /// The same behind a time; where one step has most of it, with that.
    pub fn each_of(
        &self,
        input: &RuleInput,
        device: &Device,
        (ticks, of): (Ticks, impl Fn(&Step) -> Ticks),
    ) -> Message {
        match self.most_of(device, ticks, of) {
            Some(step) => message("{each}, most of it in {step},")
                .with_message("each", self.each())
                .with_message("step", step_name(input, step)),
            None => self.each(),
        }
    }

    /// What a number of the evidence is of.
    pub fn note(&self, ticks: Ticks) -> Message {
        let part = percent(self.share(ticks));
        match self.n {
            0 => part.into(),
            1 => message("{share}, 1 step").with("share", part),
            n if self.is_uneven => message("{share}, sum of {n} steps").with("share", part).with("n", n),
            n => message("{share}, mean over {n} steps").with("share", part).with("n", n),
        }
    }

    /// What it is called in a sentence: nothing where there is only one.
    pub fn name(&self, device: &Device) -> Message {
        match device.ranks.len() {
            0 | 1 => message("The device"),
            _ => self.of.name.clone().into(),
        }
    }

    /// Behind a sentence where the device is not its subject: nothing where there is only one.
    pub fn on(&self, device: &Device) -> Message {
        match device.ranks.len() {
            0 | 1 => Message::default(),
            _ => message(" on {device}").with("device", &self.of.name),
        }
    }
}

/// Length of the steps of a device.
pub fn steps_of(device: &Device, rank: usize) -> Vec<Ticks> {
    let own = device.steps.iter().filter(|step| step.rank as usize == rank && step.slice.is_some());
    own.map(|step| step.wall).collect()
}

/// The streams of a device that work, the busiest first.
pub fn streams_of(device: &Device, rank: usize) -> Vec<TrackId> {
    let own = device.streams.iter().filter(|stream| stream.rank as usize == rank && 0 < stream.idle.busy);
    // Some only hold parts of what others do.
    let mut own: Vec<_> = own.filter(|stream| streams::works_of(device, stream).next().is_some()).collect();
    order::sort_by_key(&mut own, |stream| std::cmp::Reverse(stream.idle.busy));
    own.iter().map(|stream| stream.track).collect()
}

/// The number of devices for which something holds, said behind a sentence about one of several.
pub fn of_how_many(device: &Device, holds: impl Fn(&Scope) -> bool) -> Message {
    on_devices(device, Scope::all(device).filter(|scope| holds(scope)).count())
}

/// The same for a number that is known; nothing where there is one device.
pub fn on_devices(device: &Device, k: usize) -> Message {
    match device.ranks.len() {
        0 | 1 => Message::default(),
        n => message(" This is true of {k} of {n} devices.").with("k", k).with("n", n),
    }
}

/// The name of a slice.
pub fn name_id(input: &RuleInput, slice: SliceId) -> StrId {
    input.trace.event(slice).map_or(StrId(0), |event| event.name)
}

/// What a step is called in a sentence, where a bare number would not be understood.
pub fn step_name(input: &RuleInput, step: SliceId) -> Message {
    let name = short(input, name_id(input, step));
    if name.bytes().all(|byte| byte.is_ascii_digit()) {
        message("Step {name}").with("name", name)
    } else {
        name.into()
    }
}

/// A time of all steps of which one has more than half.
pub fn mostly_in(input: &RuleInput, said: impl Into<Message>, step: SliceId) -> Message {
    message("{said}, most of it in {step}")
        .with_message("said", said)
        .with_message("step", step_name(input, step))
}

/// A name as sentences and parts have it: the whole name is data.
pub fn short(input: &RuleInput, name: StrId) -> String {
    brief(input.trace.strings.get(name))
}

/// A call with what it is made in, as sentences have it.
pub fn call_in(input: &RuleInput, call: StrId, inside: StrId) -> Message {
    let name = short(input, call);
    match inside {
        StrId(0) => name.into(),
        _ => message("{call} in {operator}").with("call", name).with("operator", short(input, inside)),
    }
}

/// A name of a kernel as sentences and parts have it.
pub fn brief(name: &str) -> String {
    in_sentence(&[name]).pop().unwrap_or_default()
}

/// A bar for each of some times.
fn bars(unit: Unit, rows: impl IntoIterator<Item = (String, f64)>) -> Figure {
    let bar = |(name, value): (String, f64)| Bar {
        name,
        values: vec![Some(value)],
        role: BarRole::Work,
        detail: String::new(),
    };
    let bars = rows.into_iter().map(bar).collect();
    Figure::new("", Body::Bars(Bars { unit, bars, ..Bars::default() }))
}

/// How much of the longest gap counts for its reason: the rest of it has another one.
fn longest(input: &RuleInput, gaps: &Gaps) -> Number {
    let (gap, counted) = gaps.longest;
    let (value, unit) = input.time(counted);
    if gap.dur() == counted {
        return Number::new(phrase("Longest gap"), value, unit);
    }
    let whole = message("of a gap of {time}").with("time", input.duration(gap.dur()));
    Number::new(phrase("Longest in one gap"), value, unit).note(whole)
}

/// A gap on the busiest streams, with the thread that launches what comes next.
fn picture(input: &RuleInput, device: &Device, rank: usize, gap: Span) -> Figure {
    let mut tracks: Vec<TrackId> = next_launch(device, rank, gap).map(|of| of.track).into_iter().collect();
    tracks.extend(streams_of(device, rank).into_iter().take(3));
    super::trace::around(input, gap, &tracks)
}

/// The launch of the first work behind a gap.
fn next_launch(device: &Device, rank: usize, gap: Span) -> Option<Launch> {
    let own = device.streams.iter().filter(|stream| stream.rank as usize == rank);
    let next = own.filter_map(|stream| {
        let works = device.works.get(stream.works.clone())?;
        works.get(works.partition_point(|work| work.span.start < gap.end))
    });
    next.min_by_key(|work| (work.span.start, work.launch.is_none()))?.launch
}
